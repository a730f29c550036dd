// Signal numbers and names of the virtual kernel: Linux x86-64's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace paddock::proc {

inline constexpr int kSigHup = 1;
inline constexpr int kSigInt = 2;
inline constexpr int kSigQuit = 3;
inline constexpr int kSigAbrt = 6;
inline constexpr int kSigKill = 9;
inline constexpr int kSigUsr1 = 10;
inline constexpr int kSigSegv = 11;
inline constexpr int kSigUsr2 = 12;
inline constexpr int kSigPipe = 13;
inline constexpr int kSigAlrm = 14;
inline constexpr int kSigTerm = 15;
inline constexpr int kSigChld = 17;
inline constexpr int kSigCont = 18;
inline constexpr int kSigStop = 19;
inline constexpr int kSigTstp = 20;
inline constexpr int kSigTtin = 21;
inline constexpr int kSigTtou = 22;
inline constexpr int kSigUrg = 23;
inline constexpr int kSigXcpu = 24;
inline constexpr int kSigXfsz = 25;
inline constexpr int kSigWinch = 28;
inline constexpr int kLastSignal = 64;

// "INT" for 2, "RTMIN+3" for 37; empty for numbers that name no signal (0, 32, 33, above 64).
std::string SignalName(int signal);
// Accepts "INT", "SIGINT", "int", "2"; -1 if it names none. "0" gives 0.
int FindSignal(std::string_view name);
// strsignal(3): "Killed", "Terminated", "User defined signal 1" …
std::string_view SignalDescription(int signal);
// True for the signals that do nothing when nobody handles them (CHLD CONT URG WINCH).
bool IsIgnoredByDefault(int signal);

}  // namespace paddock::proc
