#include "cli/daemon_config.h"

#include <filesystem>

#include "cli/config_source.h"

namespace paddock::cli {

Result<api::LoadedConfig> LoadDaemonConfig(const DaemonOptions& options) {
  PADDOCK_ASSIGN(api::Sources sources, FindConfig(options.config));
  if (!options.data.empty()) {
    std::error_code failure;
    const std::filesystem::path absolute = std::filesystem::absolute(options.data, failure);
    if (failure) return Error(Code::kInvalid, "--data " + options.data + ": " + failure.message());
    sources.overrides.push_back({"data.directory", absolute.lexically_normal().string(), "--data"});
  }
  if (!options.address.empty()) sources.overrides.push_back({"server.address", options.address, "--address"});
  if (!options.port.empty()) sources.overrides.push_back({"server.port", options.port, "--port"});
  return api::LoadConfig(sources);
}

}  // namespace paddock::cli
