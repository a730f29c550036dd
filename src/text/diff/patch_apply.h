// Applies hunks to a text: finds where each one belongs, and builds the new text.
//
// A hunk is looked for at the line it names, moved as the one before it was, then further and further away in both directions;
// with fuzz, the outermost lines of its context need not match. Source: the GNU patch manual "Inexact matching"; GNU patch 2.7.6.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/diff/patch_parser.h"

namespace paddock {

class PatchedText {
 public:
  // `text` outlives it.
  PatchedText(std::string_view text, bool ignores_blanks, Budget& budget);

  // The line (from 1) where the hunk matches with so much fuzz, or 0.
  int64_t Locate(const PatchHunk& hunk, int64_t fuzz);
  // Takes the hunk over, at a line that Locate() found. `ifdef`: both texts, between the lines of a preprocessor's #ifdef. False when it
  // would have to go back before the last hunk.
  bool Apply(const PatchHunk& hunk, int64_t where, const std::optional<std::string>& ifdef);
  // Whether line endings alone keep the hunk from matching there.
  bool HasOtherLineEnding(const PatchHunk& hunk, int64_t where) const;
  // The new text, with what is left of the old.
  std::string Finish();

  // How far the last hunk was from where it said, and how many lines were added by all so far.
  int64_t offset() const { return offset_; }
  int64_t growth() const { return growth_; }

 private:
  bool Matches(const std::vector<std::string_view>& pattern, int64_t base, size_t prefix_fuzz, size_t suffix_fuzz) const;
  bool IsSame(std::string_view a, std::string_view b) const;
  bool CopyTill(int64_t line);
  // Adds a line. The one before it gets the newline that it may lack.
  void Put(std::string_view line) {
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
    out_ += line;
  }
  int64_t count() const { return static_cast<int64_t>(lines_.size()); }

  std::vector<std::string_view> lines_;
  bool ignores_blanks_;
  Budget& budget_;
  std::string out_;
  int64_t frozen_ = 0;    // lines that are in `out_` or gone
  int64_t offset_ = 0;
  int64_t growth_ = 0;
};

// Runs a script of ed as diff -e writes them: a, c, d, i and s/.// with line numbers, w and q. Nothing when ed would fail.
std::optional<std::string> RunEdScript(std::string_view text, PatchParser& script, Budget& budget);

// A hunk as a reject file has it; `kind` is the form of the patch, `growth` is added to the line numbers of the new text.
std::string UnifiedHunkText(const PatchHunk& hunk, int64_t growth);
std::string ContextHunkText(const PatchHunk& hunk, PatchKind kind, int64_t growth);

}  // namespace paddock
