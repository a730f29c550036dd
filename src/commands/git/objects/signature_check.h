// Signatures of commits and tags, checked by the program that the configuration names (gpg.program).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "commands/git/git.h"

namespace paddock::git {

struct SignedText {
  std::string payload;     // what was signed
  std::string signature;
};
// Of a commit or tag as it is stored; nothing when it has no signature.
std::optional<SignedText> SplitSignedCommit(std::string_view data);
std::optional<SignedText> SplitSignedTag(std::string_view data);

struct SignatureVerdict {
  char result = 'N';               // as %G? tells it
  bool is_good = false;
  std::string signer, key, fingerprint, primary_fingerprint, trust = "undefined";
  std::string output, report;      // what the program wrote for people and for programs
};
// What cannot be checked is told, and has no output.
SignatureVerdict CheckSignature(Git& git, const SignedText& text);
// Of a commit; nothing when it has no signature.
std::optional<SignatureVerdict> CheckCommitSignature(Git& git, const Oid& id);

// Says of a tag what `git verify-tag` says. `name`: as it was asked for. False: it is not signed well.
Result<bool> VerifyTag(Git& git, const Oid& id, const std::string& name, bool is_verbose, bool is_raw, bool is_silent);
// Who signed a commit well. Errors: what git merge --verify-signatures says of one that is no good.
Result<std::string> RequireSignature(Git& git, const Oid& id);

}  // namespace paddock::git
