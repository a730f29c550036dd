// sort --debug: what the keys are and where they stand in each line.
#pragma once

#include <string>
#include <vector>

#include "commands/text/sort_order.h"
#include "proc/command.h"

namespace paddock {

// What the warnings ask about, beside the rules of the order.
struct SortDebugFacts {
  KeyFlags global_flags;
  bool has_only_global_key = false;   // no -k: the options make the one key
  std::vector<bool> are_obsolete;     // for each key, whether it was written +POS1 -POS2
};

// Tells on standard error how text compares, and which keys and options may not do what was meant.
void WarnAboutKeys(Invocation& in, const SortRules& rules, const SortDebugFacts& facts);

// Writes the line, and below it a row of underscores for each key and for the last resort.
void WriteAnnotated(Output& out, const SortOrder& order, std::string_view line);

}  // namespace paddock
