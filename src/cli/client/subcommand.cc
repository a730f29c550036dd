#include "cli/client/subcommand.h"

#include <cstdio>
#include <exception>

#include "cli/cli.h"

namespace paddock::cli {

BegunSubcommand BeginSubcommand(const SubcommandText& text, std::span<const std::string> args, std::span<const Option> table, void* options,
                                const OptionRules& rules) {
  std::vector<std::string> own = {text.name};
  own.insert(own.end(), args.begin(), args.end());
  auto parsed = ParseOptions(own, table, options, rules);
  const std::string see = std::string("; 'paddock ") + text.name + " --help' explains it";
  if (!parsed) return {.status = Fail(text.name, std::string(parsed.error().Text()) + see), .operands = {}};
  if (parsed->wants_help) {
    std::fputs((text.help + OptionHelp(table) + "\nExit status: " + text.exit_status + "\n").c_str(), stdout);
    return {.status = 0, .operands = {}};
  }
  const size_t count = parsed->operands.size();
  if (count < text.least) return {.status = Fail(text.name, std::string("needs ") + text.operands + see), .operands = {}};
  if (count > text.most) return {.status = Fail(text.name, "takes no argument '" + parsed->operands[text.most] + "'" + see), .operands = {}};
  return {.status = {}, .operands = std::move(parsed->operands)};
}

Status AddPair(json::object& to, const char* option, const std::string& item) {
  const size_t equals = item.find('=');
  if (equals == 0 || equals == std::string::npos) return Error(Code::kInvalid, std::string("--") + option + " " + item + ": write NAME=VALUE");
  to[item.substr(0, equals)] = item.substr(equals + 1);
  return {};
}

Status AddLimit(const std::string& item, json::object& limits) {
  PADDOCK_TRY(AddPair(limits, "limits", item));
  // Counts are numbers, amounts and times text with a unit.
  const std::string name = item.substr(0, item.find('='));
  if (name != "processes" && name != "files" && name != "cpus") return {};
  double number = 0;
  if (!ParseOptionValue(item.substr(name.size() + 1), number)) return Error(Code::kInvalid, "--limits " + item + ": not a number");
  if (name == "cpus") limits[name] = number;
  else limits[name] = static_cast<int64_t>(number);
  return {};
}

int EndSubcommand(const char* name, const std::function<Status()>& act) {
  try {
    const Status status = act();
    if (status) return 0;
    Fail(name, status.error().Text());
    if (status.error().code == Code::kCancelled) return 130;
  } catch (const std::exception& error) {   // Boost.JSON's, about a member that is not there
    Fail(name, std::string("the daemon's answer is not what this version of paddock expects: ") + error.what());
  }
  return 1;
}

}  // namespace paddock::cli
