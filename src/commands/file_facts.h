// What a file is, in the words and numbers that ls, stat, find and tree show; and the clock they show it by.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proc/command.h"
#include "proc/kernel.h"
#include "text/date/time_zone.h"

namespace paddock {

// The letter of ls -l: '-', 'd', 'l', 'p', 'c', 'b', 's'.
char TypeLetter(vfs::FileType type);
// st_mode: permission bits and the type.
uint32_t RawMode(const vfs::Attributes& attributes);
// "drwxr-xr-x".
std::string ModeText(const vfs::Attributes& attributes);
// "regular file", "regular empty file", "symbolic link" …
std::string_view TypeText(const vfs::Attributes& attributes);
// True when both are the same file.
bool IsSameFile(const vfs::Attributes& a, const vfs::Attributes& b);

// A file time as a moment and back; nothing outside the years 1677–2262 that file times can hold.
TimePoint ToTimePoint(Nanoseconds since_1970);
std::optional<Nanoseconds> FromTimePoint(const TimePoint& moment);
TimePoint Now(const Clock& clock);
// The zone that TZ names.
TimeZone LocalZone(const Environment& environment);

// True when descriptor `number` of the command is a terminal.
bool IsTerminal(Invocation& in, int number);
// The size of the window that one of the standard streams is; zeros where none of them is a terminal, or nobody knows its size.
proc::Kernel::WindowSize WindowOf(Invocation& in);

// Asks on stderr and reads one line of standard input; true when it begins with y or Y.
bool Confirm(Invocation& in, std::string_view question);

}  // namespace paddock
