// The output styles of diff.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream.h"
#include "commands/text/diff_pair.h"

namespace paddock {

enum class DiffStyle { kNormal, kContext, kUnified, kEd, kForwardEd, kRcs, kIfdef, kSideBySide };

struct DiffColors {
  bool is_enabled = false;
  std::string header = "1";
  std::string added = "32";
  std::string deleted = "31";
  std::string line_numbers = "36";
  std::string reset = "0";
};

struct DiffLayout {
  DiffStyle style = DiffStyle::kNormal;
  size_t context = 0;
  bool expand_tabs = false;
  bool initial_tab = false;
  size_t tab_size = 8;
  bool suppress_blank_empty = false;
  const Regex* function = nullptr;       // -F, -p
  // Side by side.
  size_t width = 130;
  bool left_column = false;
  bool suppress_common_lines = false;
  // --GTYPE-group-format and --LTYPE-line-format, by DiffChange; complete when the style is kIfdef.
  std::array<std::string, 4> group_formats;
  std::array<std::string, 3> line_formats;   // unchanged, old, new
  DiffColors colors;
  bool is_utf8 = false;
};

// What stands at the top of context and unified output.
struct DiffLabel {
  std::string name;   // with the time, or as --label gave it
};

class DiffPrinter {
 public:
  DiffPrinter(const DiffPair& pair, const DiffLayout& layout, const std::array<DiffLabel, 2>& labels, Output& out)
      : pair_(pair), layout_(layout), labels_(labels), out_(out) {}

  void Print();

 private:
  enum class Color { kNone, kHeader, kAdded, kDeleted, kLineNumbers };

  void PrintNormal();
  void PrintEd();
  void PrintForwardEd();
  void PrintRcs();
  void PrintContext();
  void PrintUnified();
  void PrintContextHunk(DiffHunk hunk);
  void PrintUnifiedHunk(DiffHunk hunk);
  // Groups edits whose surroundings touch, and calls `print` with each group that is not ignored.
  template <class F>
  void ForEachHunk(const F& print);
  void WidenByContext(DiffHunk& hunk) const;

  void PrintHeader(std::string_view old_mark, std::string_view new_mark);
  void WriteRange(char separator, size_t first, size_t last);
  void WriteInserted(size_t first, size_t last);
  // "FLAG text\n", with the note about a missing newline.
  void WriteLine(size_t file, size_t line, std::string_view flag, Color color);
  void WriteText(std::string_view text, std::string_view flag);
  std::string_view FindFunction(size_t line);
  void WriteFunction(std::string_view function);
  void Begin(Color color);
  void End(Color color);

  const DiffPair& pair_;
  const DiffLayout& layout_;
  const std::array<DiffLabel, 2>& labels_;
  Output& out_;
  size_t function_searched_ = 0;             // lines before this one were looked at
  std::optional<size_t> function_found_;
};

// The two styles with units of their own.
void PrintSideBySide(const DiffPair& pair, const DiffLayout& layout, Output& out);
void PrintIfdef(const DiffPair& pair, const DiffLayout& layout, Output& out);
// Text with tabs as spaces; `flag` is repeated after a carriage return.
void WriteExpanded(Output& out, std::string_view text, std::string_view flag, size_t tab_size);

}  // namespace paddock
