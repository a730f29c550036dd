// The places of hunks: git's search, and what its options make of it.
#include "commands/git/mail/apply_hunks.h"

#include <algorithm>

namespace paddock::git {
namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsBlank(std::string_view line) { return std::all_of(line.begin(), line.end(), IsSpace); }

// The same but for how many blanks stand where some do, and for the ends of lines.
bool EqualsButBlanks(std::string_view a, std::string_view b) {
  const auto chomp = [](std::string_view& text) {
    while (!text.empty() && (text.back() == '\r' || text.back() == '\n')) text.remove_suffix(1);
  };
  chomp(a);
  chomp(b);
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (!IsSpace(a[i])) {
      if (a[i++] != b[j++]) return false;
      continue;
    }
    if (!IsSpace(b[j])) return false;
    while (i < a.size() && IsSpace(a[i])) ++i;
    while (j < b.size() && IsSpace(b[j])) ++j;
  }
  return i == a.size() && j == b.size();
}

}  // namespace

std::string WithoutBlankErrors(std::string_view line) {
  const bool is_whole = line.ends_with('\n');
  while (!line.empty() && IsSpace(line.back())) line.remove_suffix(1);
  const size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  const size_t tab = line.substr(0, indent).rfind('\t');
  std::string fixed;
  if (tab != std::string_view::npos && line.substr(0, tab).find(' ') != std::string_view::npos) {
    size_t spaces = 0;
    for (const char c : line.substr(0, tab + 1)) {
      if (c == '\t') spaces = 0;
      if (c == ' ' && ++spaces < 8) continue;
      fixed += '\t';
      spaces = 0;
    }
    line.remove_prefix(tab + 1);
  }
  fixed += line;
  return is_whole ? fixed + '\n' : fixed;
}

bool HunkPlacer::Matches(std::string_view line, std::string_view wanted, bool is_last, bool at_end) const {
  if (line == wanted || (options_.ignores_blanks && EqualsButBlanks(line, wanted))) return true;
  if (options_.whitespace == "fix" && WithoutBlankErrors(line) == WithoutBlankErrors(wanted)) return true;
  // A last line whose newline is in doubt may have one.
  return options_.inaccurate_eof && is_last && !at_end && line.starts_with(wanted) && IsBlank(line.substr(wanted.size()));
}

bool HunkPlacer::MatchesAt(const PatchedLines& image, size_t at, const std::vector<std::string_view>& before, bool at_begin, bool at_end) {
  if ((at_begin && at != 0) || at + before.size() > image.lines.size() || (at_end && at + before.size() != image.lines.size())) return false;
  for (size_t i = 0; i < before.size(); ++i) {
    git_.in.budget.Step();
    if (image.is_patched[at + i] != 0 || !Matches(image.lines[at + i], before[i], i + 1 == before.size(), at_end)) return false;
  }
  return true;
}

// The place nearest to `line`: there, then by turns behind and before it.
std::optional<size_t> HunkPlacer::FindPlace(const PatchedLines& image, const std::vector<std::string_view>& before, size_t line, bool at_begin, bool at_end) {
  if (at_begin) line = 0;
  else if (at_end) line = image.lines.size() - std::min(image.lines.size(), before.size());
  line = std::min(line, image.lines.size());
  for (size_t distance = 0; distance <= std::max(line, image.lines.size() - line); ++distance) {
    git_.in.budget.Step();
    if (distance <= image.lines.size() - line && MatchesAt(image, line + distance, before, at_begin, at_end)) return line + distance;
    if (distance > 0 && distance <= line && MatchesAt(image, line - distance, before, at_begin, at_end)) return line - distance;
  }
  return std::nullopt;
}

bool HunkPlacer::Apply(PatchedLines& image, const PatchHunk& hunk, size_t number) {
  std::vector<std::string_view> before;
  std::vector<NewLine> after;
  blank_end_.reset();
  size_t blanks = 0, blank_line = 0;
  for (const PatchHunk::Line& line : hunk.lines) {
    if (line.mark == '+' && options_.no_add) continue;
    if (line.mark != '-') after.push_back({line.text, line.mark == ' ' ? std::optional<size_t>(before.size()) : std::nullopt});
    if (line.mark != '+') before.push_back(line.text);
    const bool is_blank = line.mark == '+' && IsBlank(line.text);
    if (is_blank && blanks++ == 0) blank_line = line.number;
    if (!is_blank && !(line.mark == ' ' && IsBlank(line.text) && blanks > 0)) blanks = 0;
  }
  if (options_.inaccurate_eof && !before.empty() && !after.empty() && before.back().ends_with('\n') && after.back().text.ends_with('\n')) {
    before.back().remove_suffix(1);
    after.back().text.remove_suffix(1);
  }
  size_t leading = hunk.leading, trailing = hunk.trailing;
  const size_t least = options_.context ? static_cast<size_t>(std::max<int64_t>(*options_.context, 0)) : std::string::npos;
  bool at_begin = hunk.old_begin == 0 || (hunk.old_begin == 1 && !options_.zero), at_end = !options_.zero && trailing == 0;
  int64_t line = hunk.new_begin > 0 ? static_cast<int64_t>(hunk.new_begin) - 1 : 0;
  std::optional<size_t> place;
  while (!(place = FindPlace(image, before, static_cast<size_t>(std::max<int64_t>(line, 0)), at_begin, at_end))) {
    if (leading <= least && trailing <= least) break;
    if (at_begin || at_end) {
      at_begin = at_end = false;
      continue;
    }
    if (leading >= trailing) {
      before.erase(before.begin());
      after.erase(after.begin());
      for (NewLine& one : after) {
        if (one.before) --*one.before;
      }
      --line;
      --leading;
    }
    if (trailing > leading) {
      before.pop_back();
      after.pop_back();
      --trailing;
    }
  }
  if (!place) {
    if (options_.verbose) {
      std::string text = "while searching for:\n";
      for (const std::string_view lost : before) text += lost;
      if (!options_.is_silent) git_.Complain(text);
    }
    return false;
  }
  if (blanks > 0 && before.size() + *place >= image.lines.size() && options_.whitespace != "nowarn") blank_end_ = blank_line;
  if (options_.verbose && static_cast<int64_t>(*place) != line) {
    const int64_t offset = static_cast<int64_t>(*place) - line;
    git_.Say("Hunk #" + std::to_string(number) + " succeeded at " + std::to_string(*place + 1) + " (offset " + std::to_string(offset) + (offset == 1 ? " line).\n" : " lines).\n"));
  }
  if ((leading != hunk.leading || trailing != hunk.trailing) && !options_.quiet) {
    git_.Say("Context reduced to (" + std::to_string(leading) + "/" + std::to_string(trailing) + ") to apply fragment at " + std::to_string(*place + 1) + "\n");
  }
  git_.in.budget.Step(1 + static_cast<int64_t>(image.lines.size() / 16));
  const bool fixes = options_.whitespace == "fix";
  std::vector<std::string_view> made;
  for (const NewLine& one : after) {
    std::string_view line_made = (options_.ignores_blanks || fixes) && one.before ? image.lines[*place + *one.before] : one.text;
    if (fixes && !one.before) {
      std::string fixed = WithoutBlankErrors(line_made);
      if (fixed != line_made) {
        ++fixed_lines_;
        git_.in.budget.WillAllocate(fixed.size() + sizeof(fixed));
        line_made = fixed_.emplace_back(std::move(fixed));
      }
    }
    made.push_back(line_made);
  }
  if (fixes && blank_end_) made.resize(made.size() - std::min(made.size(), blanks));
  const auto replace = [&](auto& list, const auto& with) {
    const auto begin = list.begin() + static_cast<std::ptrdiff_t>(*place);
    list.insert(list.erase(begin, begin + static_cast<std::ptrdiff_t>(before.size())), with.begin(), with.end());
  };
  replace(image.lines, made);
  replace(image.is_patched, std::vector<char>(made.size(), options_.allows_overlap ? 0 : 1));
  return true;
}

}  // namespace paddock::git
