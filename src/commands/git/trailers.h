// The lines "Reviewed-by: x" at the end of a message, as %(trailers) shows them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace paddock::git {

struct TrailerOptions {
  bool only = false, unfolds = false, key_only = false, value_only = false;
  std::vector<std::string> keys;                     // in any case, without the colon
  std::optional<std::string> separator, key_separator;
  bool is_plain() const { return !only && !unfolds && !key_only && !value_only && keys.empty() && !separator && !key_separator; }
};
// "only,key=Reviewed-by,separator=%x2C". Nothing when an option is not known; `unknown` gets it.
std::optional<TrailerOptions> ParseTrailerOptions(std::string_view text, std::string* unknown = nullptr);
// The block of trailers at the end of a message; empty when there is none.
std::string_view TrailerBlock(std::string_view message, Budget& budget);
std::string TrailersText(std::string_view message, const TrailerOptions& options, Budget& budget);

}  // namespace paddock::git
