// Tables of text: columns laid out for a width, cells cut or wrapped, rows as a tree, or all of it as JSON.
//
// Source: util-linux 2.38, column(1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock {

class Budget;
class Output;

struct TableColumn {
  std::string name = {};      // of the header, or of the member in JSON; no column is narrower
  bool is_right = false;      // aligned to the right
  bool is_cut = false;        // may lose text when space is short
  bool is_wrapped = false;    // may take several lines, unless it is cut
  bool ignores_extremes = false;   // cells far longer than the average do not count for the width
  bool is_hidden = false;
};

inline constexpr size_t kNoRow = std::numeric_limits<size_t>::max();

struct TableRow {
  std::vector<std::string> cells;   // as many as there are columns, or fewer
  size_t parent = kNoRow;           // for trees
};

struct TextTable {
  std::vector<TableColumn> columns;
  std::vector<TableRow> rows;
  std::vector<size_t> order;             // of the columns, each once
  std::optional<size_t> tree_column;     // shows the rows below their parents
  std::string separator = "  ";
  size_t width = 80;
  bool has_header = false;
  size_t page_rows = 0;                  // repeats the header after so many rows; 0: never
  bool is_utf8 = false;
};

void WriteTable(const TextTable& table, Budget& budget, Output& out);

// {"NAME": [{…}]}: cells as strings, null for empty ones, the children of a row as "children".
void WriteTableJson(const TextTable& table, std::string_view name, Budget& budget, Output& out);

// Columns that a text takes; control characters and escape sequences for colours take none.
size_t CellWidth(std::string_view text);

}  // namespace paddock
