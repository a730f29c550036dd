// Names and passwords for repositories behind HTTP.
#pragma once

#include <optional>
#include <string>

#include "commands/git/git.h"

namespace paddock::git {

struct Credential {
  std::string protocol, host;   // host with its port
  std::string path;             // told to helpers where credential.useHttpPath asks for it
  std::string user, password;
};

// Fills in what is missing: from ~/.netrc, the helpers of the configuration (store, and commands of the user's own), then from
// GIT_ASKPASS, core.askPass or SSH_ASKPASS. Errors: kNoEntry in git's words when nobody knows it.
Status FillCredential(Invocation& in, const Config& config, Credential& credential);
// Has the helpers keep what worked, and forget what did not.
void ApproveCredential(Invocation& in, const Config& config, const Credential& credential);
void RejectCredential(Invocation& in, const Config& config, const Credential& credential);

// The values of "section.name" and of "section.<url>.name" whose URL `url` is below, in order; an empty one takes back those before.
std::vector<std::string> UrlConfig(const Config& config, std::string_view section, std::string_view name, std::string_view url);

std::string PercentDecoded(std::string_view text);
std::string PercentEncoded(std::string_view text);

}  // namespace paddock::git
