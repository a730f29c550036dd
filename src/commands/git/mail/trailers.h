// The lines "Reviewed-by: x" at the end of a message: found, shown as %(trailers) shows them, and added to.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"
#include "git/config.h"

namespace paddock::git {

enum class TrailerWhere { kEnd, kAfter, kBefore, kStart };
enum class TrailerExists { kAddIfDifferentNeighbor, kAddIfDifferent, kAdd, kReplace, kDoNothing };
enum class TrailerMissing { kAdd, kDoNothing };
std::optional<TrailerWhere> ParseTrailerWhere(std::string_view text);
std::optional<TrailerExists> ParseTrailerExists(std::string_view text);
std::optional<TrailerMissing> ParseTrailerMissing(std::string_view text);

// What the configuration says of one kind of them: trailer.NAME.*.
struct TrailerRule {
  std::string name;
  std::optional<std::string> key, command, cmd;
  TrailerWhere where = TrailerWhere::kEnd;
  TrailerExists if_exists = TrailerExists::kAddIfDifferentNeighbor;
  TrailerMissing if_missing = TrailerMissing::kAdd;
  // Whether a word means this kind: it begins the name or the key, in any case.
  bool IsMeantBy(std::string_view token) const;
  std::string Token(std::string_view written) const { return key ? *key : std::string(written); }
};
struct TrailerRules {
  // `warn` hears of values that mean nothing.
  static TrailerRules Load(const Config& config, Budget& budget, const std::function<void(const std::string&)>& warn = {});

  std::string separators = ":";
  char comment = '#';
  TrailerRule other;               // for the kinds that have no rule
  std::vector<TrailerRule> kinds;
  // Where the separator of "Key: value" is; npos for a line that is no trailer. `more`: other separators that count.
  size_t SeparatorOf(std::string_view line, std::string_view more = {}) const;
  const TrailerRule* Find(std::string_view token, Budget& budget) const;
};

// A line of the block; nothing as its token: no trailer, its text is the value.
struct Trailer {
  std::optional<std::string> token;
  std::string value;
};
// Where the trailers of a message are: empty, where they would be, when it has none.
struct TrailerPlace {
  size_t begin = 0, end = 0;
  bool has_gap = false;   // an empty line before it
};
// `has_patch`: the message ends before a line "---".
TrailerPlace FindTrailers(std::string_view message, const TrailerRules& rules, bool has_patch, Budget& budget);
// The lines of a block, with those that continue them, as they are written.
std::vector<std::string_view> TrailerLines(std::string_view block, const TrailerRules& rules, Budget& budget);
// The two sides of "Key: value"; the kind's key stands for what was written. `rule`: that of the kind, or of the others.
Trailer SplitTrailer(std::string_view line, size_t separator, const TrailerRules& rules, const TrailerRule** rule, Budget& budget);
// On one line.
std::string UnfoldedTrailer(std::string_view value);

struct TrailerOptions {
  bool only = false, unfolds = false, key_only = false, value_only = false;
  std::vector<std::string> keys;                     // in any case, without the colon
  std::optional<std::string> separator, key_separator;
  bool is_plain() const { return !only && !unfolds && !key_only && !value_only && keys.empty() && !separator && !key_separator; }
};
// "only,key=Reviewed-by,separator=%x2C". Nothing when an option is not known; `unknown` gets it.
std::optional<TrailerOptions> ParseTrailerOptions(std::string_view text, std::string* unknown = nullptr);
std::string TrailersText(std::string_view message, const TrailerOptions& options, const TrailerRules& rules, Budget& budget);

}  // namespace paddock::git
