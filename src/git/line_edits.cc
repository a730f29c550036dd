#include "git/line_edits.h"

#include <algorithm>
#include <optional>

#include "git/edit_search.h"

namespace paddock::git {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

// Moves runs of changed lines of one text to where a reader expects them: to a change of the other text if they can touch it, else
// to where indentation and empty lines say that something begins.
class Slider {
 public:
  Slider(const NumberedLines& side, std::vector<char>& changed, const std::vector<char>& other, bool by_indent, Budget& budget)
      : lines_(side.lines), classes_(side.numbers), changed_(changed), by_indent_(by_indent), budget_(budget) {
    gaps_.push_back(0);
    for (const char is_changed : other) {
      if (is_changed != 0) gaps_.back() = 1;
      else gaps_.push_back(0);
    }
  }

  void Run() {
    size_t at = 0;
    for (gap_ = 0; at < changed_.size();) {
      budget_.Step();
      if (changed_[at] == 0) {
        ++at;
        ++gap_;
        continue;
      }
      begin_ = end_ = at;
      ExtendDown();
      Settle();
      at = end_;
    }
  }

 private:
  struct Score {
    int64_t indent = 0, penalty = 0;
  };

  bool Touches() const { return gap_ < gaps_.size() && gaps_[gap_] != 0; }
  void ExtendDown() {
    while (end_ < changed_.size() && changed_[end_] != 0) ++end_;
  }
  bool SlideUp() {
    if (begin_ == 0 || classes_[begin_ - 1] != classes_[end_ - 1]) return false;
    budget_.Step();
    changed_[--begin_] = 1;
    changed_[--end_] = 0;
    --gap_;
    while (begin_ > 0 && changed_[begin_ - 1] != 0) --begin_;
    return true;
  }
  bool SlideDown() {
    if (end_ >= classes_.size() || classes_[begin_] != classes_[end_]) return false;
    budget_.Step();
    changed_[begin_++] = 0;
    changed_[end_++] = 1;
    ++gap_;
    ExtendDown();
    return true;
  }

  void Settle() {
    size_t size = 0, earliest = 0, touching = 0;
    bool can_touch = false;
    do {
      size = end_ - begin_;
      can_touch = false;
      while (SlideUp()) {
      }
      earliest = end_;
      if (Touches()) {
        can_touch = true;
        touching = end_;
      }
      while (SlideDown()) {
        if (Touches()) {
          can_touch = true;
          touching = end_;
        }
      }
    } while (size != end_ - begin_);
    if (end_ == earliest) return;
    size_t best = touching;
    if (!can_touch) best = by_indent_ ? BestEnd(earliest, size) : end_;
    while (end_ > best && SlideUp()) {
    }
  }

  size_t BestEnd(size_t earliest, size_t size) {
    size_t from = earliest;
    if (end_ > size + 1) from = std::max(from, end_ - size - 1);
    if (end_ > 100) from = std::max(from, end_ - 100);
    size_t best = end_;
    std::optional<Score> best_score;
    for (size_t shift = from; shift <= end_; ++shift) {
      budget_.Step();
      Score score;
      AddSplit(shift, score);
      AddSplit(shift - size, score);
      const auto order = [&]() {
        const int indents = score.indent > best_score->indent ? 1 : score.indent < best_score->indent ? -1 : 0;
        return 60 * indents + (score.penalty - best_score->penalty);
      };
      if (best_score && order() > 0) continue;
      best_score = score;
      best = shift;
    }
    return best;
  }

  // Columns before the first byte that is no blank; -1 for a line of blanks.
  int64_t IndentOf(size_t line) const {
    int64_t indent = 0;
    for (const char c : lines_[line]) {
      if (c == ' ') ++indent;
      else if (c == '\t') indent += 8 - indent % 8;
      else if (!IsBlank(c) && c != '\n') return indent;
      if (indent >= 200) return 200;
    }
    return -1;
  }

  // How bad it is to cut before this line.
  void AddSplit(size_t split, Score& score) const {
    const bool is_at_end = split >= lines_.size();
    int64_t indent = is_at_end ? -1 : IndentOf(split);
    int64_t blanks_before = 0, indent_before = -1, blanks_behind = 0, indent_behind = -1;
    for (size_t i = split; i-- > 0;) {
      indent_before = IndentOf(i);
      if (indent_before != -1) break;
      if (++blanks_before == 20) {
        indent_before = 0;
        break;
      }
    }
    for (size_t i = split + 1; i < lines_.size(); ++i) {
      indent_behind = IndentOf(i);
      if (indent_behind != -1) break;
      if (++blanks_behind == 20) {
        indent_behind = 0;
        break;
      }
    }
    if (indent_before == -1 && blanks_before == 0) score.penalty += 1;
    if (is_at_end) score.penalty += 21;
    const int64_t after = indent == -1 ? 1 + blanks_behind : 0;
    const int64_t blanks = blanks_before + after;
    score.penalty += -30 * blanks + 6 * after;
    if (indent == -1) indent = indent_behind;
    score.indent += indent;
    if (indent == -1 || indent_before == -1 || indent == indent_before) return;
    const bool has_blanks = blanks != 0;
    if (indent > indent_before) score.penalty += has_blanks ? 10 : -4;
    else if (indent_behind != -1 && indent_behind > indent) score.penalty += has_blanks ? 17 : 24;
    else score.penalty += has_blanks ? 17 : 23;
  }

  const std::vector<std::string_view>& lines_;
  const std::vector<uint32_t>& classes_;
  std::vector<char>& changed_;
  bool by_indent_;
  std::vector<char> gaps_;   // whether the other text has changed lines before its n-th unchanged one
  Budget& budget_;
  size_t begin_ = 0, end_ = 0, gap_ = 0;
};

std::vector<DiffEdit> CollectEdits(const std::vector<char>& a_changed, const std::vector<char>& b_changed) {
  std::vector<DiffEdit> edits;
  for (size_t i = 0, k = 0; i < a_changed.size() || k < b_changed.size();) {
    DiffEdit edit{i, 0, k, 0};
    while (i < a_changed.size() && a_changed[i] != 0) ++i;
    while (k < b_changed.size() && b_changed[k] != 0) ++k;
    edit.a_count = i - edit.a_begin;
    edit.b_count = k - edit.b_begin;
    if (edit.a_count > 0 || edit.b_count > 0) edits.push_back(edit);
    ++i;
    ++k;
  }
  return edits;
}

void SearchAll(EditSides& sides, const NumberedLines* a, const EditRules& rules, Budget& budget) {
  sides.a_changed.assign(sides.a.size(), 0);
  sides.b_changed.assign(sides.b.size(), 0);
  const EditRange all{0, sides.a.size(), 0, sides.b.size()};
  std::function<bool(size_t)> is_anchor;
  if (a != nullptr && !rules.anchors.empty()) {
    is_anchor = [&](size_t i) { return std::any_of(rules.anchors.begin(), rules.anchors.end(), [&](const std::string& anchor) { return a->lines[i].starts_with(anchor); }); };
  }
  switch (rules.algorithm) {
    case EditAlgorithm::kMyers: SearchByMyers(sides, all, rules.minimal, budget); break;
    case EditAlgorithm::kPatience: SearchByPatience(sides, all, is_anchor, rules.minimal, budget); break;
    case EditAlgorithm::kHistogram: SearchByHistogram(sides, all, rules.minimal, budget); break;
  }
}

}  // namespace

std::vector<DiffEdit> FindLineEdits(const NumberedLines& a, const NumberedLines& b, uint32_t class_count, const EditRules& rules, Budget& budget) {
  EditSides sides{a.numbers, b.numbers, class_count, {}, {}};
  SearchAll(sides, &a, rules, budget);
  Slider(a, sides.a_changed, sides.b_changed, rules.slides_by_indent, budget).Run();
  Slider(b, sides.b_changed, sides.a_changed, rules.slides_by_indent, budget).Run();
  return CollectEdits(sides.a_changed, sides.b_changed);
}

std::vector<DiffEdit> FindSequenceEdits(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b, uint32_t class_count, bool minimal, Budget& budget) {
  EditSides sides{a, b, class_count, {}, {}};
  SearchAll(sides, nullptr, {.minimal = minimal}, budget);
  const std::vector<std::string_view> no_lines;
  Slider({no_lines, a}, sides.a_changed, sides.b_changed, false, budget).Run();
  Slider({no_lines, b}, sides.b_changed, sides.a_changed, false, budget).Run();
  return CollectEdits(sides.a_changed, sides.b_changed);
}

}  // namespace paddock::git
