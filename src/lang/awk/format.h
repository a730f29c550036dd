// printf and sprintf: gawk's conversions, flags, `*` and `N$`.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "lang/awk/value.h"

namespace paddock {
class Budget;
}

namespace paddock::awk {

class BigMath;
struct BigNumber;

struct FormatContext {
  std::string_view convfmt;
  bool is_utf8;
  Budget* budget;  // null: widths were checked before (IsReasonableNumberFormat)
  const BigMath* math = nullptr;  // with -M
  bool is_posix = false;
  std::function<bool(const std::string&)> lint = nullptr;  // warns; false ends the run. Null without --lint
};

// Appends the formatted text. An error's message is what gawk says after "fatal: ".
Status Format(std::string& out, std::string_view format, std::span<const Value> arguments,
              const FormatContext& context);

// False for a CONVFMT or OFMT that would make numbers absurdly long.
bool IsReasonableNumberFormat(std::string_view format);

// Appends one number by CONVFMT or OFMT. What is wrong with the format shows in the text.
void AppendByFormat(std::string& out, std::string_view format, double value);
void AppendByFormat(std::string& out, std::string_view format, const BigNumber& value);

}  // namespace paddock::awk
