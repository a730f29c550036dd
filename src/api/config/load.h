// Reading the configuration: the command line over the environment over the file over the defaults.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/config/config.h"
#include "base/result.h"

namespace paddock::api {

// A value given on the command line.
struct Override {
  std::string setting;  // "server.port"
  std::string text;
  std::string origin;  // "--port"
};

// What the edge has gathered; nothing here asks the machine.
struct Sources {
  std::string file_name;                                         // for messages: "paddock.toml"
  std::optional<std::string> file_text;                          // none: there is no file
  std::vector<std::pair<std::string, std::string>> environment;  // those that begin with PADDOCK_ count
  std::vector<Override> overrides;
  std::string default_directory;  // of data.directory; absolute
};

// One line of `paddock config check`.
struct EffectiveValue {
  std::string setting;
  std::string value;   // fit to be shown: a URL without its user and password
  std::string origin;  // "default", "paddock.toml:12", "PADDOCK_SERVER_PORT", "--port"
};

struct LoadedConfig {
  Config config;
  std::vector<EffectiveValue> values;  // all settings, in the document's order; then owners' quotas, harnesses and agents
};

// Errors (kInvalid, kSyntax, kLimit): the text begins with where the value stands and names the setting. Unknown settings are
// errors in every source; in the environment, those that begin with PADDOCK_ and the name of a section.
Result<LoadedConfig> LoadConfig(const Sources& sources);

// A table for people: setting, value, origin.
std::string ConfigText(const LoadedConfig& loaded);

}  // namespace paddock::api
