// What an agent is to have, as options of subcommands say it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/capability/capability.h"

namespace paddock::cli {

struct EquipmentOptions {
  std::vector<std::string> capabilities;   // "ID" or "ID={…}"
  std::string harness;                     // a built-in one; empty: none
};

// Merges them for a place that has these isolations. Without any: bashkit_shell and sandbox. Errors: kInvalid, kUnavailable, in
// words for the person at the command line.
Result<tools::Equipment> Equip(const tools::Catalog& catalog, const EquipmentOptions& options, std::set<std::string> isolations);

}  // namespace paddock::cli
