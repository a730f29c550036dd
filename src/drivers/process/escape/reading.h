// What several probes do: read a file's beginning, look through the numbered entries of a directory.
#pragma once

#include <functional>
#include <string>

#include "drivers/process/escape/probe.h"

namespace paddock::escape {

// Up to 4 KiB; empty if it cannot be read. Never waits.
std::string ReadSome(const std::string& path);
// Escaped with what was read, which the stage compares with its secrets; held if nothing was.
Verdict Show(const std::string& what, const std::string& text);
// Calls `visit` with the name of each process directory of /proc until it returns true.
bool AnyProcess(const std::function<bool(const std::string& directory)>& visit);

}  // namespace paddock::escape
