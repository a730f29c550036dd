// column - put lists into columns, and lines of fields into tables
//
// usage: column [options] [<file>...]
//
// Exit status: 0, or 1 for a usage error or when no file could be read.
// Source: util-linux 2.38.
// Differs: a column that -O names twice is moved once.

#include <charconv>
#include <map>

#include "commands/file_facts.h"
#include "commands/input_files.h"
#include "proc/command.h"
#include "text/text_table.h"
#include "text/utf8.h"

namespace paddock {
namespace {

struct Options {
  bool help = false, version = false;
  bool table = false, fill_rows = false, json = false, no_headings = false, repeat_header = false, keep_empty = false;
  std::optional<std::string> table_name, names, limit, width, separators, output_separator;
  std::optional<std::string> order, noextreme, hide, right, truncate, wrap, tree, tree_id, tree_parent;
};

constexpr Option kOptions[] = {
    Flag<&Options::json>('J', "json", "use JSON output format for table"),
    Value<&Options::output_separator>('o', "output-separator", "<string>",
                                      "columns separator for table output (default is two spaces)"),
    Value<&Options::width>('c', "output-width", "<width>", "width of output in number of characters"),
    Value<&Options::width>(0, "columns", "<width>", nullptr),
    Flag<&Options::fill_rows>('x', "fillrows", "fill rows before columns"),
    Value<&Options::separators>('s', "separator", "<string>", "possible table delimiters"),
    Flag<&Options::table>('t', "table", "create a table"),
    Value<&Options::names>('N', "table-columns", "<names>", "comma separated columns names"),
    Value<&Options::limit>('l', "table-columns-limit", "<num>", "maximal number of input columns"),
    Value<&Options::hide>('H', "table-hide", "<columns>", "don't print the columns"),
    Value<&Options::table_name>('n', "table-name", "<name>", "table name for JSON output"),
    Value<&Options::noextreme>('E', "table-noextreme", "<columns>",
                               "don't count long text from the columns to column width"),
    Flag<&Options::no_headings>('d', "table-noheadings", "don't print header"),
    Value<&Options::order>('O', "table-order", "<columns>", "specify order of output columns"),
    Value<&Options::right>('R', "table-right", "<columns>", "right align text in these columns"),
    Value<&Options::truncate>('T', "table-truncate", "<columns>", "truncate text in the columns when necessary"),
    Value<&Options::wrap>('W', "table-wrap", "<columns>", "wrap text in the columns when necessary"),
    Flag<&Options::keep_empty>(0, "table-empty-lines", nullptr),
    Flag<&Options::keep_empty>('L', "keep-empty-lines", "don't ignore empty lines"),
    Flag<&Options::repeat_header>('e', "table-header-repeat", "repeat header for each page"),
    Value<&Options::tree>('r', "tree", "<column>", "column to use tree-like output for the table"),
    Value<&Options::tree_id>('i', "tree-id", "<column>", "line ID to specify child-parent relation"),
    Value<&Options::tree_parent>('p', "tree-parent", "<column>", "parent to specify child-parent relation"),
    Flag<&Options::help>('h', "help", "display this help"),
    Flag<&Options::version>('V', "version", "display version"),
};

constexpr size_t kDefaultWidth = 80;
constexpr size_t kPageRows = 24;
constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

Result<size_t> ParseNumber(const std::string& text, const std::string& what) {
  uint64_t value = 0;
  std::string_view digits = text;
  const Error invalid(Code::kInvalid, "invalid " + what + " argument: '" + text + "'");
  while (!digits.empty() && (IsBlank(digits[0]) || (digits[0] >= '\n' && digits[0] <= '\r'))) digits.remove_prefix(1);
  const bool is_negative = digits.starts_with('-');
  if (is_negative || digits.starts_with('+')) digits.remove_prefix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error == std::errc::invalid_argument || end != digits.data() + digits.size()) return invalid;
  if (is_negative || error == std::errc::result_out_of_range || value > std::numeric_limits<uint32_t>::max()) {
    return Error(Code::kRange, invalid.message + ": Numerical result out of range");
  }
  return value;
}

// What of a line is shown: up to a NUL, with bytes that are not text as \xNN.
std::string Shown(std::string_view line, bool is_utf8) {
  line = line.substr(0, line.find('\0'));
  std::string shown;
  while (!line.empty()) {
    const DecodedChar decoded = DecodeUtf8(line);
    if (decoded.code < 0x80 || (decoded.is_valid && is_utf8)) {
      shown.append(line.substr(0, decoded.length));
    } else {
      for (const char c : line.substr(0, decoded.length)) {
        constexpr std::string_view kHex = "0123456789abcdef";
        shown += "\\x";
        shown += kHex[static_cast<unsigned char>(c) >> 4];
        shown += kHex[static_cast<unsigned char>(c) & 15];
      }
    }
    line.remove_prefix(decoded.length);
  }
  return shown;
}

struct Settings {
  size_t width = kDefaultWidth;
  size_t limit = kNoLimit;   // of the columns read
  size_t page_rows = 0;
};

class Columnizer {
 public:
  Columnizer(Invocation& in, const Options& options, const Settings& settings)
      : in_(in), options_(options), settings_(settings) {}

  Status AddLine(std::string_view raw) {
    std::string line = Shown(raw, in_.locale.is_utf8);
    in_.budget.Step(static_cast<int64_t>(1 + line.size() / 8));
    const bool is_empty = std::all_of(line.begin(), line.end(), [](char c) {
      return IsBlank(c) || (c >= '\n' && c <= '\r');
    });
    if (is_empty) {
      if (!options_.keep_empty) return {};
      line.clear();
    }
    if (!options_.table) {
      entries_.push_back(std::move(line));
      return {};
    }
    return AddRow(line);
  }

  ExitStatus Print() {
    if (!options_.table) {
      PrintList();
      return 0;
    }
    if (table_.rows.empty()) return 0;
    if (table_.columns.empty()) return 1;
    if (const Status applied = ApplyColumnOptions(); !applied) return in_.Fail(applied.error().Text());
    if (options_.tree) BuildTree();
    table_.width = settings_.width;
    table_.is_utf8 = in_.locale.is_utf8;
    table_.separator = options_.output_separator.value_or("  ");
    if (options_.json) WriteTableJson(table_, options_.table_name.value_or("table"), in_.budget, in_.out);
    else WriteTable(table_, in_.budget, in_.out);
    return 0;
  }

  void NameColumns(std::string_view names) {
    while (true) {
      const size_t comma = names.find(',');
      if (comma != 0 && !names.empty()) table_.columns.push_back({.name = std::string(names.substr(0, comma))});
      if (comma == std::string_view::npos) break;
      names.remove_prefix(comma + 1);
    }
    named_ = table_.columns.size();
    table_.has_header = !options_.no_headings;
    if (options_.repeat_header) table_.page_rows = settings_.page_rows;
  }

 private:
  // Where the first of the separators stands in `line` and how long it is; its end and 0 if there is none.
  std::pair<size_t, size_t> FindSeparator(std::string_view line) const {
    const std::string_view set = *options_.separators;
    const bool has_wide = in_.locale.is_utf8 && !IsAscii(set);
    if (!has_wide) {
      const size_t at = line.find_first_of(set);
      return at == std::string_view::npos ? std::pair(line.size(), size_t{0}) : std::pair(at, size_t{1});
    }
    for (size_t at = 0; at < line.size();) {
      const DecodedChar c = DecodeUtf8(line.substr(at));
      if (c.is_valid && set.find(line.substr(at, c.length)) != std::string_view::npos) return {at, size_t{c.length}};
      at += c.length;
    }
    return {line.size(), 0};
  }

  // Cuts the next cell off the front of a line; false at its end.
  bool TakeCell(std::string_view& line, bool is_last, std::string* cell) const {
    if (options_.separators) {
      if (line.data() == nullptr) return false;
      const auto [end, size] = is_last ? std::pair(line.size(), size_t{0}) : FindSeparator(line);
      *cell = line.substr(0, end);
      line = size == 0 ? std::string_view() : line.substr(end + size);
      return true;
    }
    while (!is_last && !line.empty() && IsBlank(line[0])) line.remove_prefix(1);
    if (line.empty()) return false;
    const size_t end = is_last ? line.size() : std::min(line.find_first_of(" \t"), line.size());
    *cell = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return true;
  }

  Status AddRow(std::string_view line) {
    TableRow row;
    std::string cell;
    while (!line.empty() || (options_.separators && !row.cells.empty())) {
      if (!TakeCell(line, row.cells.size() + 1 == settings_.limit, &cell)) break;
      in_.budget.Step();
      row.cells.push_back(std::move(cell));
      if (row.cells.size() > table_.columns.size()) {
        if (options_.json) {
          // The real one counts this line before it complains, and once more in the message.
          return Error(Code::kInvalid, "line " + std::to_string(table_.rows.size() + 2) +
                                           ": for JSON the name of the column " +
                                           std::to_string(row.cells.size()) + " is required");
        }
        table_.columns.emplace_back();
      }
    }
    table_.rows.push_back(std::move(row));
    return {};
  }

  Error Undefined(std::string_view name) const {
    return Error(Code::kInvalid, "undefined column name '" + std::string(name) + "'");
  }

  // The column of a name or number; beyond the last one for a number without column.
  Result<size_t> FindColumn(std::string_view name) const {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
    const auto is_same = [&](char a, char b) { return lower(a) == lower(b); };
    for (size_t i = 0; i < named_; ++i) {
      if (std::ranges::equal(table_.columns[i].name, name, is_same)) return i;
    }
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (name.empty() || error != std::errc() || end != name.data() + name.size()) return Undefined(name);
    return number == 0 ? table_.columns.size() : number - 1;
  }

  // Calls `body` for each column of a list.
  template <class Body>
  Status ForEachColumn(const std::optional<std::string>& list, bool takes_dash, Body body) {
    if (!list) return {};
    std::string_view rest = *list;
    while (!rest.empty()) {
      in_.budget.Step();
      const size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view name = rest.substr(0, comma);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      if (name.empty()) continue;
      if (name == "0") {
        for (size_t i = 0; i < table_.columns.size(); ++i) body(i);
      } else if (name == "-" && takes_dash) {
        for (size_t i = 0; i < table_.columns.size(); ++i) {
          if (table_.columns[i].name.empty()) body(i);
        }
      } else {
        PADDOCK_ASSIGN(const size_t column, FindColumn(name));
        if (column < table_.columns.size()) body(column);
      }
    }
    return {};
  }

  Status ApplyColumnOptions() {
    auto& columns = table_.columns;
    PADDOCK_TRY(ForEachColumn(options_.right, false, [&](size_t i) { columns[i].is_right = true; }));
    PADDOCK_TRY(ForEachColumn(options_.truncate, false, [&](size_t i) { columns[i].is_cut = true; }));
    PADDOCK_TRY(ForEachColumn(options_.wrap, false, [&](size_t i) { columns[i].is_wrapped = true; }));
    PADDOCK_TRY(ForEachColumn(options_.hide, true, [&](size_t i) { columns[i].is_hidden = true; }));
    PADDOCK_TRY(ForEachColumn(options_.noextreme, false, [&](size_t i) { columns[i].ignores_extremes = true; }));
    if (!options_.noextreme) {
      for (size_t i = columns.size(); i-- > 0;) {
        if (columns[i].is_hidden) continue;
        columns[i].ignores_extremes = true;
        break;
      }
    }
    std::vector<bool> is_placed(columns.size());
    const auto place = [&](size_t i) {
      if (is_placed[i]) return;
      is_placed[i] = true;
      table_.order.push_back(i);
    };
    PADDOCK_TRY(ForEachColumn(options_.order, false, place));
    for (size_t i = 0; i < columns.size(); ++i) place(i);
    if (options_.tree) {
      PADDOCK_ASSIGN(const size_t tree, FindColumn(*options_.tree));
      PADDOCK_ASSIGN(tree_id_, FindColumn(*options_.tree_id));
      PADDOCK_ASSIGN(tree_parent_, FindColumn(*options_.tree_parent));
      const size_t count = columns.size();
      if (tree < count && tree_id_ < count && tree_parent_ < count) table_.tree_column = tree;
    }
    return {};
  }

  // Puts each row below the last row with the id that it names as its parent, but never below itself.
  void BuildTree() {
    if (!table_.tree_column) return;
    const auto cell = [this](size_t row, size_t column) {
      const auto& cells = table_.rows[row].cells;
      return column < cells.size() ? std::string_view(cells[column]) : std::string_view();
    };
    std::map<std::string_view, std::vector<size_t>> rows_by_parent;
    for (size_t i = 0; i < table_.rows.size(); ++i) rows_by_parent[cell(i, tree_parent_)].push_back(i);
    for (size_t i = 0; i < table_.rows.size(); ++i) {
      const auto found = rows_by_parent.find(cell(i, tree_id_));
      if (found == rows_by_parent.end() || found->first.empty()) continue;
      for (const size_t child : found->second) {
        bool is_circular = child == i;
        for (size_t above = i; above != kNoRow && !is_circular; above = table_.rows[above].parent) {
          in_.budget.Step();
          is_circular = above == child;
        }
        if (!is_circular) table_.rows[child].parent = i;
      }
    }
  }

  void PrintList() {
    constexpr size_t kTab = 8;
    size_t longest = 0;
    for (const std::string& entry : entries_) longest = std::max(longest, CellWidth(entry));
    const size_t cell = (longest + kTab) / kTab * kTab;
    const size_t across = longest == 0 && entries_.empty() ? 1 : std::max<size_t>(settings_.width / cell, 1);
    const bool is_single = cell >= settings_.width;
    const size_t columns = is_single ? 1 : across;
    const size_t rows = (entries_.size() + columns - 1) / columns;
    for (size_t row = 0; row < rows && in_.out.status(); ++row) {
      size_t at = 0;
      for (size_t column = 0; column < columns; ++column) {
        const size_t index = options_.fill_rows ? row * columns + column : column * rows + row;
        if (index >= entries_.size()) break;
        in_.budget.Step(static_cast<int64_t>(1 + entries_[index].size() / 16));
        for (; at < column * cell; at = (at / kTab + 1) * kTab) in_.out.Put('\t');
        in_.out.Write(entries_[index]);
        at += CellWidth(entries_[index]);
      }
      in_.out.Put('\n');
    }
  }

  Invocation& in_;
  const Options& options_;
  const Settings& settings_;
  TextTable table_;
  size_t named_ = 0;   // columns that -N names
  size_t tree_id_ = 0;
  size_t tree_parent_ = 0;
  std::vector<std::string> entries_;
};

// A complaint about options that do not go together.
std::optional<std::string> Conflict(const Options& options) {
  if (options.tree && !(options.tree_id && options.tree_parent)) {
    return "options --tree-id and --tree-parent are required for tree formatting";
  }
  const bool has_table_option = options.order || options.names || options.noextreme || options.hide || options.right ||
                                options.truncate || options.wrap || options.table_name;
  if (!options.table && has_table_option) return "option --table required for all --table-*";
  if (options.json && !options.names) return "option --table-columns required for --json";
  return std::nullopt;
}

ExitStatus ReadAndPrint(Invocation& in, const Options& options, const Settings& settings,
                        const std::vector<std::string>& operands) {
  Columnizer columnizer(in, options, settings);
  if (options.names) columnizer.NameColumns(*options.names);
  const std::vector<std::string> standard_input = {"-"};
  size_t failures = 0;
  for (const std::string& name : operands.empty() ? standard_input : operands) {
    auto file = operands.empty() ? InputFile::Open(in, name) : InputFile::OpenPath(in, name);
    if (!file) {
      in.Fail(name, file.error());
      ++failures;
      continue;
    }
    while (const auto line = file->input().ReadLine()) {
      if (const Status added = columnizer.AddLine(line->text); !added) return in.Fail(added.error().Text());
    }
    if (!file->input().status()) return in.Fail("read failed", file->input().status().error());
  }
  if (failures > 0 && failures == operands.size()) return 1;
  return columnizer.Print();
}

// A size of the screen: the window's, or what the environment says.
size_t ScreenSize(const Invocation& in, uint32_t window, std::string_view variable, size_t otherwise) {
  if (window > 0) return window;
  const auto size = ParseNumber(std::string(in.env.Get(variable, "")), "");
  return size && *size > 0 ? *size : otherwise;
}

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (options.help || options.version) {
    in.out.Write(options.help ? HelpText(in.command, in.name()) : VersionText(in.command, in.name()));
    return 0;
  }
  const proc::Kernel::WindowSize window = WindowOf(in);
  Settings settings{.width = ScreenSize(in, window.columns, "COLUMNS", kDefaultWidth), .page_rows = ScreenSize(in, window.lines, "LINES", kPageRows)};
  if (options.width) {
    const auto width = ParseNumber(*options.width, "columns");
    if (!width) return in.Fail(width.error().Text());
    settings.width = *width;
  }
  if (options.limit) {
    const auto limit = ParseNumber(*options.limit, "columns limit");
    if (!limit) return in.Fail(limit.error().Text());
    if (*limit == 0) return in.Fail("columns limit must be greater than zero");
    settings.limit = *limit;
  }
  if (options.fill_rows && options.json) return in.Fail("mutually exclusive arguments: --json --fillrows");
  if (options.fill_rows && options.table) return in.Fail("mutually exclusive arguments: --table --fillrows");
  if (options.json || options.tree) options.table = true;
  if (const auto conflict = Conflict(options)) return in.Fail(*conflict);
  return ReadAndPrint(in, options, settings, operands);
}

}  // namespace

extern const Command kCommand_column;
const Command kCommand_column = Define<Options, Run>({
    .name = "column",
    .summary = "columnate lists",
    .synopsis = "[options] [<file>...]",
    .options = kOptions,
    .cuts_own_name = true,
});

}  // namespace paddock
