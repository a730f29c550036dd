// Differences of two texts: edits where git puts them, and hunks.
#include <algorithm>
#include <unordered_map>

#include "commands/git/diff.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

// What of a line counts.
std::string Normal(std::string_view line, const DiffOptions& options) {
  if (options.ignores_cr && !options.ignores_all_space && !options.ignores_space_change && !options.ignores_space_at_end) {
    if (line.ends_with("\r\n")) return std::string(line.substr(0, line.size() - 2)) + "\n";
    if (line.ends_with('\r')) line.remove_suffix(1);
    return std::string(line);
  }
  while (!line.empty() && (line.back() == '\n' || IsBlank(line.back()))) line.remove_suffix(1);
  if (options.ignores_space_at_end && !options.ignores_all_space && !options.ignores_space_change) return std::string(line);
  std::string normal;
  for (size_t i = 0; i < line.size(); ++i) {
    if (!IsBlank(line[i])) normal += line[i];
    else if (!options.ignores_all_space && (i == 0 || !IsBlank(line[i - 1]))) normal += ' ';
  }
  return normal;
}

// Moves runs of changed lines of one text to where a reader expects them: to a change of the other text if they can touch it, else
// to where indentation and empty lines say that something begins.
class Slider {
 public:
  Slider(const std::vector<std::string_view>& lines, const std::vector<uint32_t>& classes, std::vector<char>& changed, const std::vector<char>& other, Budget& budget)
      : lines_(lines), classes_(classes), changed_(changed), budget_(budget) {
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
    if (!can_touch) best = BestEnd(earliest, size);
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
  std::vector<char> gaps_;   // whether the other text has changed lines before its n-th unchanged one
  Budget& budget_;
  size_t begin_ = 0, end_ = 0, gap_ = 0;
};

// "12,3" as hunk headers write a range; an empty one names the line before.
std::string Range(size_t begin, size_t count) {
  const size_t first = count == 0 ? begin : begin + 1;
  return std::to_string(first) + (count == 1 ? std::string() : "," + std::to_string(count));
}

void AppendLine(std::string& out, char mark, std::string_view line) {
  out += mark;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

// What stands behind @@ when no driver says otherwise: the nearest line above that begins like a definition.
std::optional<std::string> PlainHeading(std::string_view line) {
  if (line.empty()) return std::nullopt;
  const char c = line[0];
  if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$')) return std::nullopt;
  return std::string(line);
}
std::string Heading(std::string_view line) {
  line = line.substr(0, 80);
  while (!line.empty() && (line.back() == '\n' || IsBlank(line.back()))) line.remove_suffix(1);
  return " " + std::string(line);
}

// Whether the lines of a change are of a kind that does not count.
bool IsIgnorable(const DiffEdit& edit, const std::vector<std::string_view>& a, const std::vector<std::string_view>& b, const DiffOptions& options, const std::vector<Regex>& ignored, Budget& budget) {
  const auto counts = [&](std::string_view line) {
    budget.Step();
    if (options.ignores_blank_lines && (line == "\n" || line.empty() || ((options.ignores_all_space || options.ignores_space_change || options.ignores_space_at_end) && Normal(line, options).empty()))) return false;
    if (line.ends_with('\n')) line.remove_suffix(1);
    for (const Regex& pattern : ignored) {
      const auto matches = pattern.Search(line, 0, nullptr, budget);
      if (matches && *matches) return false;
    }
    return true;
  };
  // All lines must be of one such kind, as git has it.
  for (size_t i = edit.a_begin; i < edit.a_end(); ++i) {
    if (counts(a[i])) return false;
  }
  for (size_t i = edit.b_begin; i < edit.b_end(); ++i) {
    if (counts(b[i])) return false;
  }
  return true;
}

}  // namespace

std::vector<DiffEdit> FindEdits(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b, const DiffOptions& options, Budget& budget) {
  const bool is_plain = !options.ignores_all_space && !options.ignores_space_change && !options.ignores_space_at_end && !options.ignores_cr;
  std::unordered_map<std::string, uint32_t> classes;
  const auto classify = [&](const std::vector<std::string_view>& lines) {
    std::vector<uint32_t> numbers;
    numbers.reserve(lines.size());
    for (const std::string_view line : lines) {
      budget.Step();
      numbers.push_back(classes.emplace(is_plain ? std::string(line) : Normal(line, options), static_cast<uint32_t>(classes.size())).first->second);
    }
    return numbers;
  };
  const std::vector<uint32_t> x = classify(a), y = classify(b);
  std::vector<char> a_changed(a.size(), 0), b_changed(b.size(), 0);
  for (const DiffEdit& edit : FindDiff(x, y, static_cast<uint32_t>(classes.size()), options.minimal, budget)) {
    for (size_t i = edit.a_begin; i < edit.a_end(); ++i) a_changed[i] = 1;
    for (size_t i = edit.b_begin; i < edit.b_end(); ++i) b_changed[i] = 1;
  }
  Slider(a, x, a_changed, b_changed, budget).Run();
  Slider(b, y, b_changed, a_changed, budget).Run();
  std::vector<DiffEdit> edits;
  for (size_t i = 0, k = 0; i < a.size() || k < b.size();) {
    DiffEdit edit{i, 0, k, 0};
    while (i < a.size() && a_changed[i] != 0) ++i;
    while (k < b.size() && b_changed[k] != 0) ++k;
    edit.a_count = i - edit.a_begin;
    edit.b_count = k - edit.b_begin;
    if (edit.a_count > 0 || edit.b_count > 0) edits.push_back(edit);
    ++i;
    ++k;
  }
  return edits;
}

std::string HunksOf(std::string_view a_text, std::string_view b_text, const DiffOptions& options, Budget& budget, const HeadingRule& heading_rule) {
  const std::vector<std::string_view> a = SplitLines(a_text), b = SplitLines(b_text);
  const std::vector<DiffEdit> edits = FindEdits(a, b, options, budget);
  const size_t context = static_cast<size_t>(std::min<int64_t>(options.context, 1 << 30));
  const size_t join = 2 * context + static_cast<size_t>(std::clamp<int64_t>(options.inter_hunk, 0, 1 << 30));
  std::vector<Regex> ignored;
  for (const std::string& pattern : options.ignored_lines) {
    if (auto regex = Regex::Compile(pattern, {.dialect = RegexDialect::kExtended})) ignored.push_back(std::move(*regex));
  }
  const bool may_ignore = options.ignores_blank_lines || !ignored.empty();
  std::vector<char> is_ignorable(edits.size(), 0);
  for (size_t i = 0; may_ignore && i < edits.size(); ++i) is_ignorable[i] = IsIgnorable(edits[i], a, b, options, ignored, budget) ? 1 : 0;
  const auto heading_of = [&](std::string_view line) { return heading_rule ? heading_rule(line) : PlainHeading(line); };
  std::string out, heading;
  size_t searched = 0;
  for (size_t first = 0; first < edits.size();) {
    // Changes that do not count begin no hunk, and belong to one only when they are near.
    if (is_ignorable[first] != 0 && (first + 1 >= edits.size() || is_ignorable[first + 1] != 0 || edits[first + 1].a_begin - edits[first].a_end() > context)) {
      ++first;
      continue;
    }
    size_t last = first, counting = first;
    while (last + 1 < edits.size()) {
      const size_t gap = edits[last + 1].a_begin - edits[last].a_end();
      if (gap > join || (is_ignorable[last + 1] != 0 && gap > context)) break;
      ++last;
      if (is_ignorable[last] == 0) counting = last;
    }
    const size_t next = last + 1;
    if (may_ignore) last = std::max(counting, first);
    size_t before = std::min({context, edits[first].a_begin, edits[first].b_begin});
    size_t after = std::min({context, a.size() - edits[last].a_end(), b.size() - edits[last].b_end()});
    size_t end_edit = last;
    if (options.function_context) {
      // From the line that begins the function to the one before the next.
      while (before < edits[first].a_begin && before < edits[first].b_begin && (before == 0 || !heading_of(a[edits[first].a_begin - before]))) {
        budget.Step();
        ++before;
      }
      for (bool grows = true; grows;) {
        grows = false;
        size_t length = 0;
        while (edits[end_edit].a_end() + length < a.size() && edits[end_edit].b_end() + length < b.size() && !heading_of(a[edits[end_edit].a_end() + length])) {
          budget.Step();
          ++length;
        }
        while (length > 0 && a[edits[end_edit].a_end() + length - 1] == "\n") --length;
        after = std::max(after, length);
        if (end_edit + 1 < edits.size() && edits[end_edit + 1].a_begin <= edits[end_edit].a_end() + after + context) {
          ++end_edit;
          after = std::min({context, a.size() - edits[end_edit].a_end(), b.size() - edits[end_edit].b_end()});
          grows = true;
        }
      }
      last = end_edit;
    }
    const size_t a_begin = edits[first].a_begin - before, a_end = edits[last].a_end() + after;
    const size_t b_begin = edits[first].b_begin - before, b_end = edits[last].b_end() + after;
    for (size_t i = a_begin; i-- > searched;) {
      budget.Step();
      const auto found = heading_of(a[i]);
      if (!found) continue;
      heading = Heading(*found);
      break;
    }
    searched = a_begin;
    out += "@@ -" + Range(a_begin, a_end - a_begin) + " +" + Range(b_begin, b_end - b_begin) + " @@" + heading + "\n";
    size_t at = b_begin;
    for (size_t i = first; i <= last; ++i) {
      budget.Step();
      for (; at < edits[i].b_begin; ++at) AppendLine(out, options.context_mark, b[at]);
      for (size_t k = edits[i].a_begin; k < edits[i].a_end(); ++k) AppendLine(out, options.old_mark, a[k]);
      for (; at < edits[i].b_end(); ++at) AppendLine(out, options.new_mark, b[at]);
    }
    for (; at < b_end; ++at) AppendLine(out, options.context_mark, b[at]);
    first = std::max(next, last + 1);
  }
  return out;
}

}  // namespace paddock::git
