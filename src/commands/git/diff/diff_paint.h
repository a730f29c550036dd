// The lines of patches on their way out: with their marks, and in colours where these are asked for.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "commands/git/diff/diff.h"

namespace paddock::git {

// What is wrong with blanks, by core.whitespace and the attribute "whitespace".
struct BlankRule {
  bool at_end = true, at_eof = true, before_tab = true, indent_with_spaces = false, tab_in_indent = false, cr_at_end = false;
  size_t tab_width = 8;
};
BlankRule BlankRuleOf(Git& git, const std::string& path);

struct Palette {
  std::string plain, meta, fragment, function, old_line, new_line, blanks, commit;
  std::string old_moved, old_moved_other, old_moved_dim, old_moved_other_dim, new_moved, new_moved_other, new_moved_dim, new_moved_other_dim;
  std::string reset = "\033[m";
};
Palette PaletteOf(const Git& git);

// The patch of several files.
class PatchText final : public HunkSink {
 public:
  enum class Kind : uint8_t { kText, kMeta, kFragment, kContext, kOld, kNew, kIncomplete };

  PatchText(Git& git, const DiffOptions& options);

  // A line (without its newline) or, for kText, anything.
  void Add(Kind kind, std::string_view text, bool is_blank_at_eof = false);
  void Meta(std::string_view line) { Add(Kind::kMeta, line); }
  void Text(std::string_view text) { Add(Kind::kText, text); }
  void Fragment(std::string_view range, std::string_view heading) override;
  void Line(char mark, std::string_view line) override;
  // Of the lines that follow: their file's rule, and its contents.
  void SetFile(const BlankRule& rule, std::string_view before, std::string_view after);
  bool has_lines() const { return has_lines_; }
  void ForgetLines() { has_lines_ = false; }
  std::string Take();

 private:
  struct Entry {
    Kind kind;
    bool is_blank_at_eof = false, is_moved = false, is_other = false, is_dim = false;
    uint32_t rule = 0;
    std::string text;
  };
  bool is_coloured() const { return options_.colours; }
  void Paint(const Entry& entry);
  void PaintLine(const Entry& entry);
  void PaintBlanks(std::string_view line, const BlankRule& rule, std::string_view set);
  void Put(std::string_view set, char first, std::string_view line);
  void MarkMoved();
  void DimMoved();

  Git& git_;
  const DiffOptions& options_;
  Palette palette_;
  uint8_t highlight_ = kHighlightNew;
  MovedLines moved_;
  bool may_pass_on_ = true;            // lines need not wait for others
  std::deque<Entry> entries_;
  std::vector<BlankRule> rules_{BlankRule{}};
  std::string out_;
  size_t old_number_ = 0, new_number_ = 0, old_blank_ = 0, new_blank_ = 0;   // of lines; where blank ones at the end begin
  bool has_lines_ = false;
};

}  // namespace paddock::git
