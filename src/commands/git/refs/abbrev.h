// --abbrev=N: how many digits ids are shown with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/options.h"

namespace paddock::git {

// `kMember`: a std::optional<size_t> of the options.
template <auto kMember>
Status TakeAbbrevOption(option_internal::MemberClass<kMember>& options, std::string_view value) {
  int64_t digits = 7;
  if (!value.empty() && !ParseOptionValue(value, digits)) return Error(Code::kRange, "option `abbrev' expects a numerical value");
  if (digits == 0) (options.*kMember).reset();   // whole ids
  else options.*kMember = static_cast<size_t>(std::clamp<int64_t>(digits, 4, 40));
  return {};
}

// Likewise for differences, where 0 is the least number and what is no number is any option's mistake.
template <auto kMember>
Status TakeDiffAbbrev(option_internal::MemberClass<kMember>& options, std::string_view value) {
  int64_t digits = 7;
  if (!value.empty() && !ParseOptionValue(value, digits)) return Error(Code::kRange, "option `abbrev' expects a numerical value");
  options.*kMember = static_cast<size_t>(std::clamp<int64_t>(digits, 4, 40));
  return {};
}

}  // namespace paddock::git
