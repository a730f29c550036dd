// The options that say where the daemon's configuration and data are, shared by serve and key.
#pragma once

#include <string>

#include "api/config/load.h"
#include "base/options.h"

namespace paddock::cli {

struct DaemonOptions {
  std::string config;
  std::string data;
  std::string address;
  std::string port;
};

inline constexpr Option kDataOptions[] = {
    Value<&DaemonOptions::config>('c', "config", "FILE", "the configuration file (default: as 'paddock config --help' says)"),
    Value<&DaemonOptions::data>('d', "data", "DIR", "the data directory"),
};

// What the options say over what the machine has (config_source.h). Errors name the file, the variable or the option.
Result<api::LoadedConfig> LoadDaemonConfig(const DaemonOptions& options);

}  // namespace paddock::cli
