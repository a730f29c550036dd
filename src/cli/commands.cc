// paddock commands: what the virtual shell has, from the commands' own option tables.

#include <algorithm>
#include <cstdio>

#include "base/options.h"
#include "cli/cli.h"
#include "cli/present.h"
#include "sandbox/brings_commands.h"

namespace paddock::cli {
namespace {

struct CommandsOptions {
  bool json = false;
};

constexpr Option kOptions[] = {
    Flag<&CommandsOptions::json>('j', "json", "print JSON: names, summaries and option tables"),
};

constexpr const char* kHelp =
    "Usage: paddock commands [OPTION]... [NAME]...\n"
    "Lists the commands that a virtual sandbox has (--isolation virtual), besides the builtins of\n"
    "Bash. With NAMEs it prints the help of those.\n\n";

constexpr const char* kHelpEnd =
    "\nExit status: 0; 1 when there is no command of a NAME; 2 for a usage error.\n"
    "'make docs' writes all of it, with the known differences from the real tools, to docs/commands.md.\n";

int Fail(const std::string& message, int status) {
  std::fprintf(stderr, "paddock commands: %s\n", message.c_str());
  return status;
}

bool IsNamed(const sandbox::CommandFacts& command, const std::string& name) {
  return command.name == name || std::find(command.aliases.begin(), command.aliases.end(), name) != command.aliases.end();
}

json::object Document(const sandbox::CommandFacts& command) {
  static constexpr const char* kArguments[] = {"none", "required", "optional"};
  json::array options, aliases;
  for (const Option& option : command.options) {
    json::object one;
    if (option.short_name != 0) one["short"] = std::string(1, option.short_name);
    if (option.long_name != nullptr) one["long"] = option.long_name;
    one["argument"] = kArguments[static_cast<size_t>(option.argument)];
    if (option.value_name != nullptr) one["value"] = option.value_name;
    if (option.help != nullptr) one["help"] = option.help;
    options.push_back(std::move(one));
  }
  for (const std::string& alias : command.aliases) aliases.push_back(json::string(alias));
  return {{"name", command.name},         {"aliases", std::move(aliases)}, {"summary", command.summary},
          {"synopsis", command.synopsis}, {"options", std::move(options)}, {"help", command.help},
          {"needs_network", command.needs_network}};
}

std::string NamesOf(const sandbox::CommandFacts& command) {
  std::string names = command.name;
  for (const std::string& alias : command.aliases) names += ", " + alias;
  return names;
}

// Those that are asked for, in that order; all if none is. kNoEntry names the first that there is not.
Result<std::vector<sandbox::CommandFacts>> Choose(std::vector<sandbox::CommandFacts> all, const std::vector<std::string>& names) {
  if (names.empty()) return all;
  std::vector<sandbox::CommandFacts> chosen;
  for (const std::string& name : names) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const sandbox::CommandFacts& one) { return IsNamed(one, name); });
    if (found == all.end()) return Error(Code::kNoEntry, "the virtual shell has no command '" + name + "'; 'paddock commands' lists them");
    chosen.push_back(*found);
  }
  return chosen;
}

void PrintForPeople(const std::vector<sandbox::CommandFacts>& commands, bool has_names) {
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < commands.size(); ++i) {
    if (has_names) std::printf("%s%s", i == 0 ? "" : "\n", commands[i].help.c_str());
    else rows.push_back({NamesOf(commands[i]), commands[i].summary + (commands[i].needs_network ? " (only with --allow-host)" : "")});
  }
  if (!has_names) std::fputs(Table({"NAME", "WHAT IT DOES"}, rows).c_str(), stdout);
}

}  // namespace

int RunCommands(const sandbox::DriverSet& drivers, std::span<const std::string> args) {
  CommandsOptions options;
  std::vector<std::string> own = {"commands"};
  own.insert(own.end(), args.begin(), args.end());
  const auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed) return Fail(std::string(parsed.error().Text()) + "; 'paddock commands --help' lists the options", 2);
  if (parsed->wants_help) {
    std::printf("%s%s%s", kHelp, OptionHelp(kOptions).c_str(), kHelpEnd);
    return 0;
  }
  std::vector<sandbox::CommandFacts> all;
  for (const auto& driver : drivers.drivers()) {
    if (const auto* const brings = dynamic_cast<const sandbox::BringsCommands*>(driver.get())) all = brings->Commands();
  }
  const auto chosen = Choose(std::move(all), parsed->operands);
  if (!chosen) return Fail(std::string(chosen.error().Text()), 1);
  if (options.json) {
    json::array list;
    for (const sandbox::CommandFacts& command : *chosen) list.push_back(Document(command));
    std::printf("%s\n", json::serialize(list).c_str());
    return 0;
  }
  PrintForPeople(*chosen, !parsed->operands.empty());
  return 0;
}

}  // namespace paddock::cli
