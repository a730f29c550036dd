// The table of settings: one row each, from which reading, listing and the names in the environment follow.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/config/config.h"
#include "base/result.h"

namespace paddock::api {

// How a value is written in TOML. In the environment and on the command line it is the same without quotes.
enum class Notation {
  kText,    // a string
  kCount,   // an integer, or "none"
  kNumber,  // an integer, or a number with a fraction
  kList,    // an array of strings; on the command line and in the environment with commas between them
};

struct Setting {
  const char* name;  // "server.port"
  Notation notation;
  const char* standard;  // as text; empty: what the help says
  const char* help;      // one line
  // kInvalid: what is wrong with the text, without the setting's name.
  Status (*set)(Config& config, const std::string& text);
};

// A setting of quotas: in [quota], and in [quota.owners.NAME].
struct QuotaSetting {
  const char* name;  // "sandboxes"
  Notation notation;
  const char* standard;
  const char* help;
  Status (*set)(QuotaConfig& quota, const std::string& text);
};

// In the order of the document; without those of quotas.
std::span<const Setting> Settings();
std::span<const QuotaSetting> QuotaSettings();

// "PADDOCK_SERVER_PORT" of "server.port".
std::string EnvironmentName(std::string_view setting);

}  // namespace paddock::api
