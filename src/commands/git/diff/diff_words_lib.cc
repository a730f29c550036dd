#include "commands/git/diff/diff_words.h"

#include <algorithm>
#include <unordered_map>

#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

WordSink::WordSink(Git& git, const DiffOptions& options, std::string_view pattern, PatchText& out) : git_(git), options_(options), out_(out) {
  if (!pattern.empty()) {
    if (auto compiled = Regex::Compile(pattern, {.dialect = RegexDialect::kExtended, .multiline = true, .newline_is_text = false})) pattern_ = std::make_shared<Regex>(std::move(*compiled));
  }
  newline_ = "\n";
  if (options.words == DiffOptions::Words::kPorcelain) {
    old_ = {"-", "\n", ""};
    new_ = {"+", "\n", ""};
    same_ = {" ", "\n", ""};
    newline_ = "~\n";
  } else if (options.words == DiffOptions::Words::kPlain) {
    old_ = {"[-", "-]", ""};
    new_ = {"{+", "+}", ""};
  }
  if (!options.colours) return;
  const Palette palette = PaletteOf(git);
  old_.colour = palette.old_line;
  new_.colour = palette.new_line;
  same_.colour = palette.plain;
}

void WordSink::Fragment(std::string_view range, std::string_view heading) {
  Flush();
  out_.Fragment(range, heading);
}

void WordSink::Line(char mark, std::string_view line) {
  if (mark != ' ') {
    std::string& text = mark == '-' ? before_ : after_;
    text += line;
    if (!line.ends_with('\n')) text += '\n';
    return;
  }
  Flush();
  if (line.ends_with('\n')) line.remove_suffix(1);
  const bool is_porcelain = options_.words == DiffOptions::Words::kPorcelain;
  const bool has_return = options_.colours && line.ends_with('\r');
  if (has_return) line.remove_suffix(1);
  const bool has_colour = options_.colours && (is_porcelain || !line.empty());
  std::string text = (has_colour ? same_.colour : std::string()) + (is_porcelain ? " " : "") + std::string(line) + (has_colour ? "\033[m" : "") + (has_return ? "\r\n" : "\n");
  if (is_porcelain) text += "~\n";
  out_.Text(text);
}

std::vector<WordSink::Word> WordSink::FindWords(std::string_view text) const {
  std::vector<Word> words;
  size_t at = 0;
  while (at < text.size()) {
    git_.in.budget.Step();
    if (!pattern_) {
      while (at < text.size() && IsSpace(text[at])) ++at;
      const size_t begin = at;
      while (at < text.size() && !IsSpace(text[at])) ++at;
      if (at > begin) words.push_back({begin, at});
      continue;
    }
    std::vector<RegexGroup> groups(1);
    const auto found = pattern_->Search(text.substr(at), 0, &groups, git_.in.budget);
    if (!found || !*found) break;
    const size_t begin = at + groups[0].begin;
    size_t end = at + groups[0].end;
    // A word ends with its line.
    if (const size_t newline = text.substr(begin, end - begin).find('\n'); newline != std::string_view::npos) end = begin + newline;
    if (end == begin) {
      at = begin + 1;
      continue;
    }
    words.push_back({begin, end});
    at = end;
  }
  git_.in.budget.WillAllocate(words.size() * sizeof(Word));
  return words;
}

void WordSink::Put(std::string_view text, const Style& style) {
  std::string out;
  while (!text.empty()) {
    git_.in.budget.Step();
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) {
      out += style.colour + style.before;
      out += text.substr(0, end);
      out += style.after;
      if (!style.colour.empty()) out += "\033[m";
    }
    if (end == text.size()) break;
    out += newline_;
    text.remove_prefix(end + 1);
  }
  out_.Text(out);
}

void WordSink::Flush() {
  const std::string before = std::move(before_), after = std::move(after_);
  before_.clear();
  after_.clear();
  if (before.empty() && after.empty()) return;
  if (after.empty()) {
    Put(before, old_);
    return;
  }
  const std::vector<Word> x = FindWords(before), y = FindWords(after);
  std::unordered_map<std::string_view, uint32_t> classes;
  const auto classify = [&](std::string_view text, const std::vector<Word>& words) {
    std::vector<uint32_t> numbers;
    for (const Word& word : words) numbers.push_back(classes.emplace(text.substr(word.begin, word.end - word.begin), static_cast<uint32_t>(classes.size())).first->second);
    return numbers;
  };
  const std::vector<uint32_t> a = classify(before, x), b = classify(after, y);
  const std::string_view old_text = before, new_text = after;
  size_t shown = 0;   // of what came
  for (const DiffEdit& edit : FindSequenceEdits(a, b, static_cast<uint32_t>(classes.size()), false, git_.in.budget)) {
    size_t from = edit.b_begin > 0 ? y[edit.b_begin - 1].end : 0, to = from;
    if (edit.b_count > 0) {
      from = y[edit.b_begin].begin;
      to = y[edit.b_end() - 1].end;
    }
    Put(new_text.substr(shown, from - shown), same_);
    if (edit.a_count > 0) Put(old_text.substr(x[edit.a_begin].begin, x[edit.a_end() - 1].end - x[edit.a_begin].begin), old_);
    if (edit.b_count > 0) Put(new_text.substr(from, to - from), new_);
    shown = to;
  }
  Put(new_text.substr(shown), same_);
}

}  // namespace paddock::git
