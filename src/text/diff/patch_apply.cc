#include "text/diff/patch_apply.h"

#include <algorithm>

#include "base/budget.h"

namespace paddock {
namespace {

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::vector<std::string_view> SplitLines(std::string_view text, Budget& budget) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    budget.Step();
    const size_t end = text.find('\n');
    const size_t length = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

std::vector<std::string_view> OldLines(const PatchHunk& hunk) {
  std::vector<std::string_view> lines;
  for (const PatchLine& line : hunk.lines) {
    if (line.mark != '+') lines.push_back(line.text);
  }
  return lines;
}

std::string_view LineEnding(std::string_view line) {
  const size_t end = line.find_first_of("\r\n");
  return end == std::string_view::npos ? std::string_view() : line.substr(end);
}

}  // namespace

PatchedText::PatchedText(std::string_view text, bool ignores_blanks, Budget& budget)
    : lines_(SplitLines(text, budget)), ignores_blanks_(ignores_blanks), budget_(budget) {}

bool PatchedText::IsSame(std::string_view a, std::string_view b) const {
  if (!ignores_blanks_) return a == b;
  const auto skip = [](std::string_view& text) {
    while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  };
  while (true) {
    const bool blank_a = a.empty() || IsBlank(a.front()), blank_b = b.empty() || IsBlank(b.front());
    if (blank_a != blank_b) return false;
    if (blank_a) {
      skip(a);
      skip(b);
      if (a.empty() || b.empty()) return a.empty() && b.empty();
      continue;
    }
    if (a.front() != b.front()) return false;
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
}

bool PatchedText::Matches(const std::vector<std::string_view>& pattern, int64_t base, size_t prefix_fuzz, size_t suffix_fuzz) const {
  budget_.Step();
  for (size_t i = prefix_fuzz; i + suffix_fuzz < pattern.size(); ++i) {
    const int64_t line = base - 1 + static_cast<int64_t>(i);
    if (line < 0 || line >= count() || !IsSame(lines_[static_cast<size_t>(line)], pattern[i])) return false;
    budget_.Step();
  }
  return true;
}

int64_t PatchedText::Locate(const PatchHunk& hunk, int64_t fuzz) {
  const std::vector<std::string_view> pattern = OldLines(hunk);
  const auto size = static_cast<int64_t>(pattern.size());
  const auto prefix = static_cast<int64_t>(hunk.prefix_context), suffix = static_cast<int64_t>(hunk.suffix_context);
  const int64_t context = std::max(prefix, suffix);
  fuzz = std::min(fuzz, context);   // lines that are to go always have to match: only context may differ
  int64_t prefix_fuzz = fuzz + prefix - context;
  int64_t suffix_fuzz = fuzz + suffix - context;
  const int64_t guess = hunk.first[0] + offset_;
  const int64_t last = count() - (size - suffix_fuzz) + 1;
  const int64_t most_forward = last - guess;
  int64_t most_backward = guess - (frozen_ + 1);
  if (size == 0) return guess;
  if (guess <= most_backward) most_backward = guess - 1;
  const auto matches = [&](int64_t line) {
    return Matches(pattern, line, static_cast<size_t>(std::max<int64_t>(prefix_fuzz, 0)), static_cast<size_t>(std::max<int64_t>(suffix_fuzz, 0)));
  };
  if (prefix_fuzz < 0 && hunk.first[0] <= 1) {
    // Less context above than below: it was at the start of the file.
    if (suffix_fuzz < 0 && size != count()) return 0;
    const int64_t offset = 1 - guess;
    if (frozen_ > prefix || offset > most_forward || !matches(1)) return 0;
    offset_ = offset + offset_;
    return 1;
  }
  prefix_fuzz = std::max<int64_t>(prefix_fuzz, 0);
  if (suffix_fuzz < 0) {
    // Less context below than above: it was at the end.
    const int64_t offset = guess - (count() - size + 1);
    suffix_fuzz = 0;
    if (offset > most_backward || !matches(guess - offset)) return 0;
    offset_ -= offset;
    return guess - offset;
  }
  const int64_t nearest = std::max<int64_t>(0, -most_forward);   // a guess behind the end of the file is none
  for (int64_t offset = nearest; offset <= std::max(most_forward, most_backward); ++offset) {
    if (offset <= most_forward && matches(guess + offset)) {
      offset_ += offset;
      return guess + offset;
    }
    if (offset > 0 && offset <= most_backward && matches(guess - offset)) {
      offset_ -= offset;
      return guess - offset;
    }
  }
  return 0;
}

bool PatchedText::CopyTill(int64_t line) {
  if (frozen_ > line) return false;
  for (; frozen_ < std::min(line, count()); ++frozen_) {
    budget_.Step();
    Put(lines_[static_cast<size_t>(frozen_)]);
  }
  return true;
}

bool PatchedText::Apply(const PatchHunk& hunk, int64_t where, const std::optional<std::string>& ifdef) {
  int64_t line = where;
  char state = ' ';
  const auto change_to = [&](char next) {
    if (state == next || !ifdef) return;
    if (next == ' ' || (state == '+' && next == '-')) Put("#endif\n");
    if (next == '-') Put("#ifndef " + *ifdef + "\n");
    else if (next == '+') Put(state == '-' ? "#else\n" : "#ifdef " + *ifdef + "\n");
    state = next;
  };
  for (const PatchLine& change : hunk.lines) {
    budget_.Step();
    if (change.mark == ' ') {
      change_to(' ');
      ++line;
      continue;
    }
    if (!CopyTill(line - 1)) return false;
    if (change.mark == '-' && (line < 1 || line > count())) return false;   // not where Locate() would have put it
    change_to(change.mark);
    if (change.mark == '+') {
      Put(change.text);
      ++growth_;
      continue;
    }
    if (ifdef) Put(lines_[static_cast<size_t>(line - 1)]);
    ++frozen_;
    ++line;
    --growth_;
  }
  change_to(' ');
  return true;
}

bool PatchedText::HasOtherLineEnding(const PatchHunk& hunk, int64_t where) const {
  const std::vector<std::string_view> pattern = OldLines(hunk);
  if (pattern.empty() || lines_.empty()) return false;
  const std::string_view expected = LineEnding(pattern[0]);
  const std::string_view found = LineEnding(lines_[static_cast<size_t>(std::clamp<int64_t>(where, 1, count()) - 1)]);
  return !expected.empty() && !found.empty() && expected != found;
}

std::string PatchedText::Finish() {
  CopyTill(count());
  return std::move(out_);
}

std::optional<std::string> RunEdScript(std::string_view text, PatchParser& script, Budget& budget) {
  std::vector<std::string> lines;
  for (const std::string_view line : SplitLines(text, budget)) lines.emplace_back(line);
  if (!lines.empty() && !lines.back().ends_with('\n')) lines.back() += '\n';
  size_t current = lines.size();
  while (const auto command = script.NextScriptLine()) {
    std::string_view rest = command->substr(0, command->size() - 1);
    if (rest == "w" || rest == "q" || rest.empty()) continue;
    const auto number = [&rest]() -> std::optional<size_t> {
      size_t value = 0, digits = 0;
      for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9' && digits < 18; ++digits) value = value * 10 + static_cast<size_t>(rest[digits] - '0');
      if (digits == 0) return std::nullopt;
      rest.remove_prefix(digits);
      return value;
    };
    size_t first = current, last = current;
    if (const auto from = number()) {
      first = last = *from;
      if (rest.starts_with(',')) {
        rest.remove_prefix(1);
        const auto to = number();
        if (!to) return std::nullopt;
        last = *to;
      }
    }
    if (first > last || last > lines.size()) return std::nullopt;
    if (rest == "s/.//") {
      if (first == 0) return std::nullopt;
      for (size_t i = first; i <= last; ++i) lines[i - 1].erase(0, 1);
      current = last;
      continue;
    }
    if (rest.size() != 1 || std::string_view("acdi").find(rest[0]) == std::string_view::npos) return std::nullopt;
    size_t place = rest[0] == 'i' && first > 0 ? first - 1 : rest[0] == 'a' ? last : first;
    if (rest[0] == 'c' || rest[0] == 'd') {
      if (first == 0) return std::nullopt;
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(first - 1), lines.begin() + static_cast<std::ptrdiff_t>(last));
      place = first - 1;
      current = std::min(first, lines.size());
    }
    budget.Step(static_cast<int64_t>(lines.size() / 8));
    if (rest[0] == 'd') continue;
    std::vector<std::string> added;
    auto line = script.NextScriptLine();
    for (; line && *line != ".\n"; line = script.NextScriptLine()) added.emplace_back(*line);
    if (!line) return std::nullopt;
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(place), std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
    current = place + added.size();
  }
  std::string result;
  for (const std::string& line : lines) result += line;
  return result;
}

namespace {

std::string UnifiedRange(int64_t first, int64_t count) {
  if (count == 1) return std::to_string(first);
  return std::to_string(count == 0 ? first - 1 : first) + "," + std::to_string(count);
}

std::string ContextRange(int64_t first, int64_t count) {
  if (count < 2) return std::to_string(count == 0 ? first - 1 : first);
  return std::to_string(first) + "," + std::to_string(first + count - 1);
}

// As it is, like GNU patch: where a newline lacks, the next line follows at once.
void AppendLine(std::string& out, std::string_view mark, std::string_view text) { out.append(mark).append(text); }

}  // namespace

std::string UnifiedHunkText(const PatchHunk& hunk, int64_t growth) {
  std::string text = "@@ -" + UnifiedRange(hunk.first[0] + growth, hunk.count[0]) + " +" + UnifiedRange(hunk.first[1] + growth, hunk.count[1]) + " @@" + std::string(hunk.function) + "\n";
  for (const PatchLine& line : hunk.lines) AppendLine(text, std::string_view(&line.mark, 1), line.text);
  return text;
}

std::string ContextHunkText(const PatchHunk& hunk, PatchKind kind, int64_t growth) {
  const bool is_new_style = kind == PatchKind::kUnified || kind == PatchKind::kNewContext;
  // A line is marked as changed where others stand in for it.
  std::vector<char> marks;
  for (size_t i = 0; i < hunk.lines.size();) {
    size_t end = i;
    bool has_old = false, has_new = false;
    for (; end < hunk.lines.size() && (hunk.lines[end].mark == ' ') == (hunk.lines[i].mark == ' '); ++end) {
      has_old |= hunk.lines[end].mark == '-';
      has_new |= hunk.lines[end].mark == '+';
    }
    for (; i < end; ++i) marks.push_back(has_old && has_new && kind != PatchKind::kNormal ? '!' : hunk.lines[i].mark);
  }
  const auto section = [&](char left_out) {
    std::string text;
    for (size_t i = 0; i < marks.size(); ++i) {
      if (hunk.lines[i].mark != left_out) AppendLine(text, std::string{marks[i], ' '}, hunk.lines[i].text);
    }
    return text;
  };
  std::string text = "***************" + std::string(hunk.function) + "\n*** " + ContextRange(hunk.first[0] + growth, hunk.count[0]) + (is_new_style ? " ****\n" : "\n");
  text += section('+');
  const bool has_no_place = kind == PatchKind::kNormal && hunk.count[1] == 0;   // GNU forgets it then
  text += "--- " + (has_no_place ? "0" : ContextRange(hunk.first[1] + growth, hunk.count[1])) + (is_new_style ? " ----\n" : " -----\n");
  return text + section('-');
}

}  // namespace paddock
