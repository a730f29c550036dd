// What a call of the host refused, in words for clients.
#pragma once

#include <cerrno>
#include <string>

#include "base/result.h"

namespace paddock::registry {

// With "cannot make /var/lib/…/name" or "cannot move name": directories are left out, for where the host keeps its data is not
// for clients to know.
inline Error HostError(const std::string& what, int number = errno) {
  const auto code = static_cast<Code>(number);
  const size_t path = what.find(" /"), name = what.rfind('/');
  const std::string shown = path == std::string::npos ? what : what.substr(0, path + 1) + what.substr(name + 1);
  return Error(code, shown + ": " + std::string(CodeText(code)));
}

}  // namespace paddock::registry
