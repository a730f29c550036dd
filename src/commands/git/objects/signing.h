// Signatures of commits, by a program that the configuration names.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "commands/git/git.h"

namespace paddock::git {

// -S KEY and --no-gpg-sign, of options with the members gpg_sign (optional text) and no_gpg_sign; the last one counts.
template <class O>
Status TakeSigning(O& options, std::string_view key) {
  options.gpg_sign = key;
  options.no_gpg_sign = false;
  return {};
}
template <class O>
Status TakeNoSigning(O& options, std::string_view) {
  options.gpg_sign.reset();
  options.no_gpg_sign = true;
  return {};
}
template <class O>
constexpr std::array<Option, 2> SigningOptions() {
  return {CallOptional<TakeSigning<O>>('S', "gpg-sign", "KEY", "sign what is committed by gpg.program"), Call<TakeNoSigning<O>>(0, "no-gpg-sign", nullptr, "do not (the default)")};
}
// Makes what was asked for, or else commit.gpgsign, the repository's way.
template <class O>
void ChooseSigning(Git& git, const O& options) {
  if (options.gpg_sign) git.signing_key = options.gpg_sign;
  else if (!options.no_gpg_sign && git.config.GetBool("commit.gpgsign", false)) git.signing_key = "";
}

// Adds the signature of git.signing_key to the text of the commit, as it will be written. Errors: git's, the program's part of them said.
Status SignCommit(Git& git, const Commit& commit, std::string& text);

}  // namespace paddock::git
