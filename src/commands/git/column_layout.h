// Lists in columns: --column of branch and tag.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::git {

struct ColumnOptions {
  bool is_on = false;
  enum class Order { kPlain, kColumns, kRows } order = Order::kColumns;
  bool is_dense = false;
};
// "always", "row,dense" and so on; empty: on. "auto" is off: nobody watches. Errors: a word that is not known.
Status ParseColumnOptions(std::string_view text, ColumnOptions& options);
// The items, a line each row. `width`: of the terminal; `padding`: between columns.
std::string InColumns(const std::vector<std::string>& items, const ColumnOptions& options, size_t width, size_t padding);
// What COLUMNS says, or 80.
size_t TerminalColumns(std::string_view variable);

}  // namespace paddock::git
