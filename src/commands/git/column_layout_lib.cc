#include "commands/git/column_layout.h"

#include <algorithm>
#include <charconv>

#include "commands/git/history/pretty.h"

namespace paddock::git {
Status ParseColumnOptions(std::string_view text, ColumnOptions& options) {
  options.is_on = true;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(" ,"));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    if (word == "always") options.is_on = true;
    else if (word == "never" || word == "auto") options.is_on = false;
    else if (word == "plain") options.order = ColumnOptions::Order::kPlain;
    else if (word == "column") options.order = ColumnOptions::Order::kColumns;
    else if (word == "row") options.order = ColumnOptions::Order::kRows;
    else if (word == "dense") options.is_dense = true;
    else if (word == "nodense") options.is_dense = false;
    else return Error(Code::kRange, "unsupported option '" + std::string(word) + "'");
  }
  return {};
}

size_t TerminalColumns(std::string_view variable) {
  size_t width = 0;
  std::from_chars(variable.data(), variable.data() + variable.size(), width);
  return width > 0 ? std::min<size_t>(width, 10000) : 80;
}

std::string InColumns(const std::vector<std::string>& items, const ColumnOptions& options, size_t width, size_t padding) {
  std::string text;
  if (!options.is_on || options.order == ColumnOptions::Order::kPlain) {
    for (const std::string& item : items) text += item + "\n";
    return text;
  }
  if (items.empty()) return text;
  const size_t room = width - 1;
  std::vector<size_t> lengths;
  for (const std::string& item : items) lengths.push_back(ShownWidth(item));
  const size_t cell = *std::max_element(lengths.begin(), lengths.end()) + padding, step = std::max<size_t>(cell, 1);
  size_t columns = std::max<size_t>(room / step, 1), rows = (items.size() + columns - 1) / columns;
  const bool by_rows = options.order == ColumnOptions::Order::kRows;
  const auto at = [&](size_t x, size_t y) { return by_rows ? y * columns + x : x * rows + y; };
  std::vector<size_t> widths;
  const auto measure = [&]() {
    widths.assign(columns, 0);
    for (size_t x = 0; x < columns; ++x) {
      for (size_t y = 0; y < rows; ++y) {
        if (at(x, y) < items.size()) widths[x] = std::max(widths[x], lengths[at(x, y)]);
      }
    }
  };
  if (options.is_dense) {
    // Fewer rows as long as the narrow columns of these fit.
    while (rows > 1) {
      const size_t old_rows = rows, old_columns = columns;
      --rows;
      columns = (items.size() + rows - 1) / rows;
      measure();
      size_t total = 0;
      for (const size_t one : widths) total += one + padding;
      if (total <= room) continue;
      rows = old_rows;
      columns = old_columns;
      break;
    }
    measure();
  } else {
    widths.assign(columns, cell - padding);
  }
  for (size_t y = 0; y < rows; ++y) {
    for (size_t x = 0; x < columns; ++x) {
      const size_t i = at(x, y);
      if (i >= items.size()) break;
      const bool is_last = by_rows ? x + 1 == columns || i + 1 == items.size() : i + rows >= items.size();
      text += items[i];
      if (is_last) text += '\n';
      else text.append(widths[x] + padding - lengths[i], ' ');
      if (is_last) break;
    }
  }
  return text;
}

}  // namespace paddock::git
