// printf and sprintf: gawk's conversions, flags, `*` and `N$`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lang/awk/value.h"

namespace paddock {
class Budget;
}

namespace paddock::awk {

struct FormatContext {
  std::string_view convfmt;
  bool is_utf8;
  Budget* budget;  // null: widths were checked before (IsReasonableNumberFormat)
};

// Appends the formatted text. An error's message is what gawk says after "fatal: ".
Status Format(std::string& out, std::string_view format, std::span<const Value> arguments,
              const FormatContext& context);

// False for a CONVFMT or OFMT that would make numbers absurdly long.
bool IsReasonableNumberFormat(std::string_view format);

// Appends one number by CONVFMT or OFMT. What is wrong with the format shows in the text.
void AppendByFormat(std::string& out, std::string_view format, double value);

}  // namespace paddock::awk
