// paddock config: the settings that a daemon would have here, and where each comes from.

#include <boost/json.hpp>
#include <cstdio>

#include "api/config/load.h"
#include "base/options.h"
#include "cli/cli.h"
#include "cli/config_source.h"

namespace paddock::cli {
namespace {

struct ConfigOptions {
  std::string file;
  bool json = false;
};

constexpr Option kOptions[] = {
    Value<&ConfigOptions::file>('c', "config", "FILE", "the configuration file"),
    Flag<&ConfigOptions::json>('j', "json", "print JSON"),
};

constexpr const char* kHelp =
    "Usage: paddock config check [OPTION]...\n"
    "Reads the daemon's configuration as 'paddock serve' would, and prints every setting with its value and\n"
    "where that comes from. docs/configuration.md describes them.\n\n"
    "Without --config, the file is $PADDOCK_CONFIG, or paddock/paddock.toml in your configuration directory,\n"
    "or /etc/paddock/paddock.toml.\n\n";

constexpr const char* kHelpEnd = "\nExit status: 0 when the configuration is good, 2 when it is not.\n";

std::string JsonOf(const api::LoadedConfig& loaded) {
  boost::json::array values;
  for (const api::EffectiveValue& one : loaded.values) {
    values.push_back(boost::json::object{{"setting", one.setting}, {"value", one.value}, {"origin", one.origin}});
  }
  return boost::json::serialize(values) + "\n";
}

}  // namespace

int RunConfig(const sandbox::DriverSet&, std::span<const std::string> args) {
  std::vector<std::string> own = {"config"};
  own.insert(own.end(), args.begin(), args.end());
  ConfigOptions options;
  const auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed) return Fail("config", std::string(parsed.error().Text()) + "; 'paddock config --help' lists the options");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions) + kHelpEnd).c_str(), stdout);
    return 0;
  }
  if (parsed->operands.size() != 1 || parsed->operands[0] != "check") {
    return Fail("config", "say what to do: 'paddock config check'");
  }
  const auto sources = FindConfig(options.file);
  if (!sources) return Fail("config", sources.error().Text());
  const auto loaded = api::LoadConfig(*sources);
  if (!loaded) return Fail("config", loaded.error().Text());
  if (options.json) {
    std::fputs(JsonOf(*loaded).c_str(), stdout);
    return 0;
  }
  std::printf(
      "%s\n\n%s",
      sources->file_text ? ("file: " + sources->file_name).c_str() : "no file; these are the defaults and the environment",
      api::ConfigText(*loaded).c_str());
  return 0;
}

}  // namespace paddock::cli
