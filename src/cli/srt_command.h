// The words of `paddock srt`, read as srt reads them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/result.h"

namespace paddock::cli {

struct SrtCommand {
  std::string script;        // for bash -c; empty: no command was given
  std::string settings;      // empty: the default file
  std::optional<int> control;
  bool tells = false;        // --debug
  bool wants_help = false;
  bool wants_version = false;
};

// Known options count wherever they stand before "--", unknown ones behind the first word belong to the command; the words become one line for
// bash in which each stands for itself. -c takes the place of words. Errors: kInvalid (srt's status 1), kSyntax for an
// unknown option before the first word (srt's status 2).
Result<SrtCommand> ParseSrtCommand(std::span<const std::string> args);

// `word` so that bash reads it as itself; "NAME=value" stays an assignment, as in srt.
std::string QuoteSrtWord(std::string_view word);

}  // namespace paddock::cli
