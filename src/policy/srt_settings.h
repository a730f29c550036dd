// The settings file of Anthropic's sandbox-runtime (`srt`), version 0.0.78, read into plain data.
//
// The shape and the limits of every field are checked here, all problems are told at once, and nothing is interpreted:
// what a field means for a policy is srt_policy.h's. Unlike srt, unknown keys and keys that stand twice are errors,
// since a misspelt `denyRead` would otherwise deny nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace paddock::policy {

// A field that only other systems or srt's own parts look at: its name, and why it changes nothing here.
struct SrtNote {
  std::string field;
  std::string reason;
};

struct SrtCredential {
  enum class Mode { kDeny, kMask };
  std::string field;       // "credentials.envVars.0"
  std::string subject;     // the path or the variable
  Mode mode = Mode::kDeny;
  std::optional<std::vector<std::string>> inject_hosts;   // absent: every allowed domain
};

struct SrtParentProxy {
  std::string http;
  std::string https;
  std::string no_proxy;   // comma-separated
};

struct SrtSettings {
  std::vector<std::string> allowed_domains;
  std::vector<std::string> denied_domains;
  std::vector<std::pair<std::string, std::string>> denied_reasons;   // entry of denied_domains, text
  std::vector<std::string> denied_addresses;
  std::vector<std::string> unix_sockets;
  bool terminates_tls = false;
  std::vector<std::string> tls_excluded;
  std::optional<SrtParentProxy> parent_proxy;

  bool files_disabled = false;
  std::vector<std::string> deny_read;
  std::vector<std::string> allow_read;
  std::vector<std::string> allow_write;
  std::vector<std::string> deny_write;
  bool allow_git_config = false;

  std::vector<SrtCredential> credential_files;
  std::vector<SrtCredential> credential_variables;
  bool allow_plaintext = false;

  std::vector<std::pair<std::string, std::vector<std::string>>> ignored;   // command pattern, paths
  std::vector<std::string> safe_directories;
  std::vector<SrtNote> without_effect;
};

// Settings from JSON. Errors: kSyntax ("is not valid JSON: …"), kInvalid ("does not hold a valid config: FIELD: what; …")
// and kUnsupported ("asks for what Paddock does not do: FIELD: why") as sentences that follow the file's name.
Result<SrtSettings> ParseSrtSettings(std::string_view text);

}  // namespace paddock::policy
