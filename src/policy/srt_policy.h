// What srt's settings amount to as a policy: docs/srt.md has the table of fields.
//
// The host's files are looked at once, here: patterns are expanded and symlinks resolved before anything runs inside.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "policy/context.h"
#include "policy/policy.h"
#include "policy/srt_settings.h"

namespace paddock::policy {

struct SrtHost {
  HostContext context;          // `workspace` is the current directory, resolved
  std::string settings_path;    // of the file that the settings come from; empty: the defaults
  std::string http_proxy;       // of the caller's environment: used where the settings have no parentProxy
  std::string https_proxy;
  std::string no_proxy;
};

struct SrtPolicy {
  Policy policy;
  std::string directory;               // where the command starts
  std::vector<std::string> notes;      // what a reader of the settings could expect and does not get, a line each
};

// Errors: kInvalid, kNotSupported and kLimit with "FIELD: what; remedy".
Result<SrtPolicy> MakeSrtPolicy(const SrtSettings& settings, const SrtHost& host);

// The part that can change while a command runs.
Result<NetworkRules> MakeSrtNetwork(const SrtSettings& settings, const SrtHost& host);

// What files are shown and writable, and where the command starts.
Status AddSrtFiles(const SrtSettings& settings, const SrtHost& host, SrtPolicy& made);

// Whether a denial of this line need not be told of, by ignoreViolations. `command` is the whole command line.
bool IsIgnoredViolation(const SrtSettings& settings, std::string_view command, std::string_view line);

}  // namespace paddock::policy
