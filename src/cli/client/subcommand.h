// What the subcommands that talk to a daemon have in common.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/options.h"
#include "cli/client/link.h"

namespace paddock::cli {

struct SubcommandText {
  const char* name;
  const char* help;                 // up to the options
  size_t least = 0, most = 0;       // operands
  const char* operands = "";        // what they are, for the complaint
  const char* exit_status = "0, 1 when it could not be done, 2 for a usage error.";
};

struct BegunSubcommand {
  std::optional<int> status;        // the program ends with it: help was printed, or a complaint
  std::vector<std::string> operands;
};
// Reads the options into `options`, whose type the table is for.
BegunSubcommand BeginSubcommand(const SubcommandText& text, std::span<const std::string> args, std::span<const Option> table, void* options,
                                const OptionRules& rules = {});

// "NAME=VALUE", which stood behind --`option`, as a member. Errors: kInvalid.
Status AddPair(json::object& to, const char* option, const std::string& item);

// "memory=1GiB", as a member of the API's limits. Errors: kInvalid.
Status AddLimit(const std::string& item, json::object& limits);

// Does it; the exit status. A failure is told, an answer of another shape than the daemon's documents say, too.
int EndSubcommand(const char* name, const std::function<Status()>& act);

}  // namespace paddock::cli
