#include "proc/signals.h"

#include <array>
#include <charconv>

namespace paddock::proc {
namespace {

struct SignalText {
  const char* name;
  const char* description;
};

constexpr std::array<SignalText, 32> kSignals = {{
    {nullptr, nullptr},
    {"HUP", "Hangup"},
    {"INT", "Interrupt"},
    {"QUIT", "Quit"},
    {"ILL", "Illegal instruction"},
    {"TRAP", "Trace/breakpoint trap"},
    {"ABRT", "Aborted"},
    {"BUS", "Bus error"},
    {"FPE", "Floating point exception"},
    {"KILL", "Killed"},
    {"USR1", "User defined signal 1"},
    {"SEGV", "Segmentation fault"},
    {"USR2", "User defined signal 2"},
    {"PIPE", "Broken pipe"},
    {"ALRM", "Alarm clock"},
    {"TERM", "Terminated"},
    {"STKFLT", "Stack fault"},
    {"CHLD", "Child exited"},
    {"CONT", "Continued"},
    {"STOP", "Stopped (signal)"},
    {"TSTP", "Stopped"},
    {"TTIN", "Stopped (tty input)"},
    {"TTOU", "Stopped (tty output)"},
    {"URG", "Urgent I/O condition"},
    {"XCPU", "CPU time limit exceeded"},
    {"XFSZ", "File size limit exceeded"},
    {"VTALRM", "Virtual timer expired"},
    {"PROF", "Profiling timer expired"},
    {"WINCH", "Window changed"},
    {"IO", "I/O possible"},
    {"PWR", "Power failure"},
    {"SYS", "Bad system call"},
}};

constexpr int kRtMin = 34;
constexpr int kRtMiddle = 49;

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const char c = a[i] >= 'a' && a[i] <= 'z' ? static_cast<char>(a[i] - 32) : a[i];
    if (c != b[i]) return false;
  }
  return true;
}

}  // namespace

std::string SignalName(int signal) {
  if (signal > 0 && signal < static_cast<int>(kSignals.size())) return kSignals[static_cast<size_t>(signal)].name;
  if (signal == kRtMin) return "RTMIN";
  if (signal == kLastSignal) return "RTMAX";
  if (signal > kRtMin && signal <= kRtMiddle) return "RTMIN+" + std::to_string(signal - kRtMin);
  if (signal > kRtMiddle && signal < kLastSignal) return "RTMAX-" + std::to_string(kLastSignal - signal);
  return {};
}

int FindSignal(std::string_view name) {
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc() && end == name.data() + name.size()) {
    return number == 0 || !SignalName(number).empty() ? number : -1;
  }
  if (name.size() > 3 && EqualsIgnoringCase(name.substr(0, 3), "SIG")) name.remove_prefix(3);
  for (int signal = 1; signal <= kLastSignal; ++signal) {
    const std::string known = SignalName(signal);
    if (!known.empty() && EqualsIgnoringCase(name, known)) return signal;
  }
  return -1;
}

std::string_view SignalDescription(int signal) {
  if (signal > 0 && signal < static_cast<int>(kSignals.size())) {
    return kSignals[static_cast<size_t>(signal)].description;
  }
  return "Real-time signal";
}

bool IsIgnoredByDefault(int signal) {
  return signal == kSigChld || signal == kSigCont || signal == kSigUrg || signal == kSigWinch;
}

}  // namespace paddock::proc
