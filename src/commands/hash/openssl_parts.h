// The commands of openssl, one function each. For openssl only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"
#include "text/digest.h"

namespace paddock::openssl {

// One option of a command: -NAME, or -NAME VALUE.
struct Word {
  std::string_view name;
  bool has_value = false;
};

// Reads options up to the first word that is none. A word that is in no table goes to `other`.
struct Words {
  std::vector<std::pair<std::string, std::string>> options;   // in their order
  std::vector<std::string> rest;
  bool Has(std::string_view name) const;
  // The last value given.
  std::optional<std::string> Get(std::string_view name) const;
};
// Nothing when it complained. `takes_other` decides on options that the table does not have.
std::optional<Words> ReadWords(Invocation& in, std::string_view command, std::span<const std::string> words, std::span<const Word> table,
                               bool (*takes_other)(std::string_view name) = nullptr);

// "COMMAND: Use -help for summary."
ExitStatus UseHelp(Invocation& in, std::string_view command);
ExitStatus CannotOpen(Invocation& in, std::string_view name, std::string_view purpose, const Error& error);

struct DigestName {
  std::string_view name;    // as it is typed
  std::string_view shown;
  DigestAlgorithm algorithm;
  size_t block;             // bytes, for HMAC
};
const DigestName* FindDigest(std::string_view name);
std::span<const DigestName> DigestNames();

// `digest`: that the command was called by; null: dgst.
ExitStatus RunDigest(Invocation& in, std::span<const std::string> words, const DigestName* digest);
ExitStatus RunEncode(Invocation& in, std::span<const std::string> words, bool is_base64);
// Whether options of enc have a cipher among them, or ask for help or the list of them.
bool NamesCipher(std::span<const std::string> words);
// enc with a cipher; `cipher`: the one that the command was called by, if no option names another.
ExitStatus RunCipher(Invocation& in, std::span<const std::string> words, std::string_view cipher);
ExitStatus RunRandom(Invocation& in, std::span<const std::string> words);
ExitStatus RunPassword(Invocation& in, std::span<const std::string> words);

}  // namespace paddock::openssl
