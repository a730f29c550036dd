// Caller: who asks something of the registry.
#pragma once

#include <string>

namespace paddock::registry {

struct Caller {
  std::string owner;
  bool is_admin = false;   // reaches what all owners have
};

}  // namespace paddock::registry
