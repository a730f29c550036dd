// Two texts as lines, and the edits between them: what all output styles of diff print from.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/diff/diff.h"
#include "text/regex.h"

namespace paddock {

class Budget;

enum class DiffSpace {   // in the order of what wins when several are asked for
  kExact,
  kTabs,            // -E
  kTrailing,        // -Z
  kChange,          // -b
  kAll,             // -w
};

// When lines count as equal, and how hard to look.
struct DiffRules {
  DiffSpace space = DiffSpace::kExact;
  bool ignore_case = false;
  bool ignore_blank_lines = false;
  const Regex* ignored = nullptr;    // -I
  bool strip_carriage_return = false;
  bool minimal = false;
  bool keeps_missing_newline = true;   // false for ed scripts, which cannot say it
  size_t tab_size = 8;
  size_t context = 0;                // lines around edits that must not be trimmed away
};

class DiffText {
 public:
  DiffText() = default;
  explicit DiffText(std::string text);
  DiffText(const DiffText&) = delete;
  DiffText& operator=(const DiffText&) = delete;

  size_t size() const { return lines_.size(); }
  // Without the newline.
  std::string_view line(size_t i) const { return lines_[i]; }
  bool is_terminated(size_t i) const { return i + 1 < lines_.size() || !lacks_newline_; }
  bool lacks_newline() const { return lacks_newline_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::string_view> lines_;
  bool lacks_newline_ = false;
};

enum class DiffChange { kNone, kOld, kNew, kBoth };

// Some edits that are printed together, as ranges of lines [first, last).
struct DiffHunk {
  const DiffEdit* begin;
  const DiffEdit* end;
  std::array<size_t, 2> first;
  std::array<size_t, 2> last;
  DiffChange change;   // kNone when only ignored lines differ
};

class DiffPair {
 public:
  // The texts outlive the pair.
  DiffPair(const DiffText& a, const DiffText& b, const DiffRules& rules, Budget& budget);

  const DiffText& text(size_t file) const { return file == 0 ? a_ : b_; }
  const std::vector<DiffEdit>& edits() const { return edits_; }
  // Takes the edits from `begin` to `end` as one hunk.
  DiffHunk MakeHunk(const DiffEdit* begin, const DiffEdit* end) const;
  // True when some edit is not ignored.
  bool HasChanges() const;
  const DiffRules& rules() const { return rules_; }
  Budget& budget() const { return budget_; }

 private:
  bool IsIgnored(std::string_view line) const;

  const DiffText& a_;
  const DiffText& b_;
  const DiffRules& rules_;
  Budget& budget_;
  std::vector<DiffEdit> edits_;
};

}  // namespace paddock
