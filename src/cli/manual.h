// What each subcommand's --help says, taken apart: completion and the man page are made of it, so that there is nothing to forget.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/cli.h"

namespace paddock::cli {

struct SubcommandGroup {
  const char* title;
  std::span<const Subcommand> subcommands;
};
std::span<const SubcommandGroup> SubcommandGroups();   // in cli.cc

struct ManualOption {
  char short_name = 0;         // 0 if none
  std::string long_name;       // empty if none
  std::string value;           // "FILE"; empty if it takes none
  bool is_optional = false;    // the value
  std::string help;
};

struct ManualPage {
  std::vector<std::string> usages;        // "paddock cp [OPTION]... SOURCE SANDBOX:PATH"
  std::vector<std::string> description;   // lines; empty ones part paragraphs
  std::vector<ManualOption> options;
  std::vector<std::string> rest;          // lines behind the options
};

ManualPage ReadManualPage(const std::string& help);
// Runs `subcommand --help`. Not while another thread writes to stdout.
Result<ManualPage> PageOf(const sandbox::DriverSet& drivers, const Subcommand& subcommand);

int RunCompletion(const sandbox::DriverSet& drivers, std::span<const std::string> args);
int RunMan(const sandbox::DriverSet& drivers, std::span<const std::string> args);

}  // namespace paddock::cli
