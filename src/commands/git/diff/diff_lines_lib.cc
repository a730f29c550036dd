// Differences of two texts: edits where git puts them, and hunks.
#include <algorithm>
#include <unordered_map>

#include "commands/git/diff/diff.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

// What of a line counts.
std::string Normal(std::string_view line, const DiffOptions& options) {
  if (options.ignores_cr && !options.ignores_all_space && !options.ignores_space_change && !options.ignores_space_at_end) {
    if (line.ends_with('\n')) line.remove_suffix(line.ends_with("\r\n") ? 2 : 1);
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

bool IgnoresBlanks(const DiffOptions& options) { return options.ignores_all_space || options.ignores_space_change || options.ignores_space_at_end || options.ignores_cr; }
bool IsBlankLine(std::string_view line) { return std::all_of(line.begin(), line.end(), [](char c) { return IsBlank(c) || c == '\n'; }); }

// The end of both texts that is the same is left out where no line of it can be shown; a block of it at a time, and then up to a line's end.
void DropCommonTail(std::string_view& a, std::string_view& b) {
  constexpr size_t kBlock = 1024;
  size_t trimmed = 0;
  const size_t smaller = std::min(a.size(), b.size());
  while (trimmed + kBlock <= smaller && a.substr(a.size() - trimmed - kBlock, kBlock) == b.substr(b.size() - trimmed - kBlock, kBlock)) trimmed += kBlock;
  if (trimmed == 0) return;
  const std::string_view tail = a.substr(a.size() - trimmed);
  const size_t newline = tail.find('\n');
  const size_t dropped = newline == std::string_view::npos ? 0 : trimmed - newline - 1;
  a.remove_suffix(dropped);
  b.remove_suffix(dropped);
}

// One comparison: which hunks there are, and their lines.
class HunkWalk {
 public:
  HunkWalk(std::string_view a, std::string_view b, const DiffOptions& options, Budget& budget, const HeadingRule& rule) : options_(options), budget_(budget), rule_(rule) {
    if (options.context == 0 && !options.function_context) DropCommonTail(a, b);
    a_ = SplitLines(a);
    b_ = SplitLines(b);
    edits_ = FindEdits(a_, b_, options, budget);
    context_ = static_cast<size_t>(std::min<int64_t>(options.context, 1 << 30));
    between_ = static_cast<size_t>(std::clamp<int64_t>(options.inter_hunk, 0, 1 << 30));
    MarkIgnorable();
  }

  void Run(HunkSink& sink) {
    std::string heading;
    size_t searched = 0;
    for (size_t next = 0; next < edits_.size();) {
      size_t last = 0;
      const std::optional<size_t> first = TakeHunk(next, last);
      if (!first) break;
      const Bounds bounds = BoundsOf(next, *first, last);
      for (size_t i = bounds.a_begin; i-- > searched;) {
        budget_.Step();
        const auto found = Begins(i);
        if (!found) continue;
        heading = Heading(*found);
        break;
      }
      searched = bounds.a_begin;
      sink.Fragment("@@ -" + Range(bounds.a_begin, bounds.a_end - bounds.a_begin) + " +" + Range(bounds.b_begin, bounds.b_end - bounds.b_begin) + " @@", heading);
      size_t at = bounds.b_begin;
      for (size_t i = bounds.first; i <= bounds.last; ++i) {
        budget_.Step();
        const DiffEdit& edit = edits_[i];
        for (; at < edit.b_begin; ++at) sink.Line(' ', b_[at]);
        for (size_t k = edit.a_begin; k < edit.a_end(); ++k) sink.Line('-', a_[k]);
        for (; at < edit.b_end(); ++at) sink.Line('+', b_[at]);
      }
      for (; at < bounds.b_end; ++at) sink.Line(' ', b_[at]);
      next = bounds.last + 1;
    }
  }

 private:
  struct Bounds {
    size_t first, last, a_begin, a_end, b_begin, b_end;
  };

  std::optional<std::string> Begins(size_t line) const { return rule_ ? rule_(a_[line]) : PlainHeading(a_[line]); }
  bool BeginsInNew(size_t line) const { return (rule_ ? rule_(b_[line]) : PlainHeading(b_[line])).has_value(); }

  // A change does not count when all its lines are blank, or all match.
  void MarkIgnorable() {
    is_ignorable_.assign(edits_.size(), 0);
    std::vector<Regex> ignored;
    for (const std::string& pattern : options_.ignored_lines) {
      if (auto regex = Regex::Compile(pattern, {.dialect = RegexDialect::kExtended, .multiline = true, .newline_is_text = false})) ignored.push_back(std::move(*regex));
    }
    if (!options_.ignores_blank_lines && ignored.empty()) return;
    const bool any_blank = IgnoresBlanks(options_);
    const auto is_blank = [&](std::string_view line) { return any_blank ? IsBlankLine(line) : line.size() <= 1; };
    const auto matches = [&](std::string_view line) {
      budget_.Step();
      return std::any_of(ignored.begin(), ignored.end(), [&](const Regex& regex) {
        const auto found = regex.Search(line, 0, nullptr, budget_);
        return found && *found;
      });
    };
    for (size_t i = 0; i < edits_.size(); ++i) {
      const auto all = [&, edit = edits_[i]](const auto& is_of_kind) {
        return std::all_of(a_.begin() + static_cast<std::ptrdiff_t>(edit.a_begin), a_.begin() + static_cast<std::ptrdiff_t>(edit.a_end()), is_of_kind) &&
               std::all_of(b_.begin() + static_cast<std::ptrdiff_t>(edit.b_begin), b_.begin() + static_cast<std::ptrdiff_t>(edit.b_end()), is_of_kind);
      };
      is_ignorable_[i] = (options_.ignores_blank_lines && all(is_blank)) || (!ignored.empty() && all(matches)) ? 1 : 0;
    }
  }

  // The first edit of the next hunk, and its last. Those that do not count begin none, and belong to one only when they are near.
  std::optional<size_t> TakeHunk(size_t next, size_t& last) {
    size_t first = next;
    for (size_t i = next; i < edits_.size() && is_ignorable_[i] != 0; ++i) {
      if (i + 1 == edits_.size()) return std::nullopt;
      if (edits_[i + 1].a_begin - edits_[i].a_end() >= context_) first = i + 1;
    }
    last = first;
    const size_t most = 2 * context_ + between_;
    size_t ignored = 0;
    for (size_t i = first; i + 1 < edits_.size(); ++i) {
      const DiffEdit& edit = edits_[i + 1];
      const bool is_ignorable = is_ignorable_[i + 1] != 0;
      const size_t distance = edit.a_begin - edits_[i].a_end();
      if (distance > most) break;
      if (distance < context_ && (!is_ignorable || last == i)) {
        last = i + 1;
        ignored = 0;
      } else if (distance < context_ && is_ignorable) {
        ignored += edit.b_count;
      } else if (last != i && edit.a_begin + ignored > most + edits_[last].a_end()) {
        break;
      } else if (!is_ignorable) {
        last = i + 1;
        ignored = 0;
      } else {
        ignored += edit.b_count;
      }
    }
    return first;
  }

  Bounds BoundsOf(size_t next, size_t first, size_t last) {
    Bounds bounds{};
    while (true) {
      budget_.Step();
      const DiffEdit& edit = edits_[first];
      bounds.a_begin = edit.a_begin - std::min(edit.a_begin, context_);
      bounds.b_begin = edit.b_begin - std::min(edit.b_begin, context_);
      if (!options_.function_context || !ExtendUp(edit, bounds)) break;
      // What was passed over may be in the function.
      size_t passed = next;
      while (passed != first && edits_[passed].a_end() <= bounds.a_begin && edits_[passed].b_end() <= bounds.b_begin) ++passed;
      if (passed == first) break;
      first = passed;
    }
    while (true) {
      budget_.Step();
      const DiffEdit& edit = edits_[last];
      const size_t after = std::min({context_, a_.size() - edit.a_end(), b_.size() - edit.b_end()});
      bounds.a_end = edit.a_end() + after;
      bounds.b_end = edit.b_end() + after;
      if (!options_.function_context) break;
      ExtendDown(edit, bounds);
      if (last + 1 >= edits_.size()) break;
      const size_t line = std::min(edits_[last + 1].a_begin, a_.size() - 1);
      if (line > context_ + bounds.a_end && FindHeading(line, bounds.a_end).has_value()) break;
      ++last;
    }
    bounds.first = first;
    bounds.last = last;
    return bounds;
  }

  // The first line that begins something from `from` towards `limit`, which is not looked at.
  std::optional<size_t> FindHeading(size_t from, size_t limit) const {
    const bool is_up = from > limit;
    for (size_t i = from; i != limit && i < a_.size(); is_up ? --i : ++i) {
      budget_.Step();
      if (Begins(i)) return i;
      if (is_up && i == 0) break;
    }
    return std::nullopt;
  }

  // To the line that begins the function, and what stands right above it. False when nothing is to be looked at again.
  bool ExtendUp(const DiffEdit& edit, Bounds& bounds) {
    size_t line = edit.a_begin;
    if (line >= a_.size()) {
      // A function that was added as a whole needs nothing of what is above it.
      for (size_t i = edit.b_begin; i < b_.size(); ++i) {
        budget_.Step();
        if (BeginsInNew(i)) return false;
      }
      if (a_.empty()) return false;
      line = a_.size() - 1;
    }
    size_t begin = 0;
    for (size_t i = line + 1; i-- > 0;) {
      budget_.Step();
      if (!Begins(i)) continue;
      begin = i;
      break;
    }
    while (begin > 0 && !IsBlankLine(a_[begin - 1]) && !Begins(begin - 1)) --begin;
    if (begin >= bounds.a_begin) return false;
    bounds.b_begin -= std::min(bounds.b_begin, bounds.a_begin - begin);
    bounds.a_begin = begin;
    return true;
  }
  // To the line before the next function, without the blank ones.
  void ExtendDown(const DiffEdit& edit, Bounds& bounds) {
    size_t end = a_.size();
    if (const auto found = FindHeading(edit.a_end(), a_.size())) {
      end = *found;
      while (end > 0 && IsBlankLine(a_[end - 1])) --end;
    }
    if (end <= bounds.a_end) return;
    bounds.b_end = std::min(bounds.b_end + (end - bounds.a_end), b_.size());
    bounds.a_end = end;
  }

  const DiffOptions& options_;
  Budget& budget_;
  const HeadingRule& rule_;
  std::vector<std::string_view> a_, b_;
  std::vector<DiffEdit> edits_;
  std::vector<char> is_ignorable_;
  size_t context_ = 0, between_ = 0;
};

class TextSink final : public HunkSink {
 public:
  void Fragment(std::string_view range, std::string_view heading) override { text.append(range).append(heading) += '\n'; }
  void Line(char mark, std::string_view line) override { AppendLine(text, mark, line); }
  std::string text;
};

}  // namespace

std::vector<DiffEdit> FindEdits(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b, const DiffOptions& options, Budget& budget) {
  const bool is_plain = !IgnoresBlanks(options);
  std::unordered_map<std::string, uint32_t> folded;
  std::unordered_map<std::string_view, uint32_t> plain;
  const auto classify = [&](const std::vector<std::string_view>& lines) {
    std::vector<uint32_t> numbers;
    numbers.reserve(lines.size());
    for (const std::string_view line : lines) {
      budget.Step();
      numbers.push_back(is_plain ? plain.emplace(line, static_cast<uint32_t>(plain.size())).first->second : folded.emplace(Normal(line, options), static_cast<uint32_t>(folded.size())).first->second);
    }
    return numbers;
  };
  const std::vector<uint32_t> x = classify(a), y = classify(b);
  return FindLineEdits({a, x}, {b, y}, static_cast<uint32_t>(plain.size() + folded.size()), options.edits, budget);
}

void WalkHunks(std::string_view a, std::string_view b, const DiffOptions& options, Budget& budget, const HeadingRule& heading, HunkSink& sink) { HunkWalk(a, b, options, budget, heading).Run(sink); }

std::string HunksOf(std::string_view a, std::string_view b, const DiffOptions& options, Budget& budget, const HeadingRule& heading) {
  TextSink sink;
  WalkHunks(a, b, options, budget, heading, sink);
  return std::move(sink.text);
}

}  // namespace paddock::git
