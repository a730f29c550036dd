// What getconf knows: the variables of sysconf, pathconf and confstr, with Debian 12's values on x86-64.
#pragma once

#include <span>

namespace paddock {

struct Variable {
  // kFixed and kPath have a value (null: undefined); the others are the sandbox's own.
  enum Kind { kFixed, kPath, kProcesses, kDescriptors, kPages, kFreePages, kProcessors };
  const char* name;
  const char* value;
  Kind kind;
};

// In the order of getconf -a.
std::span<const Variable> ConfigurationVariables();

}  // namespace paddock
