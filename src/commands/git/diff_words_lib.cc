// --word-diff, --check and colours.
#include <algorithm>
#include <unordered_map>

#include "commands/git/diff.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

constexpr std::string_view kReset = "\033[m", kBold = "\033[1m", kRed = "\033[31m", kGreen = "\033[32m", kCyan = "\033[36m";

// The words of a text: their places; newlines stand between them.
struct Word {
  size_t begin, end;
};
std::vector<Word> FindWords(std::string_view text, const Regex* pattern, Budget& budget) {
  std::vector<Word> words;
  size_t at = 0;
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; };
  while (at < text.size()) {
    budget.Step();
    if (pattern == nullptr) {
      while (at < text.size() && is_blank(text[at])) ++at;
      const size_t begin = at;
      while (at < text.size() && !is_blank(text[at])) ++at;
      if (at > begin) words.push_back({begin, at});
      continue;
    }
    std::vector<RegexGroup> groups(1);
    const auto found = pattern->Search(text, at, &groups, budget);
    if (!found || !*found) break;
    size_t end = groups[0].end;
    // A word ends with its line.
    if (const size_t newline = text.substr(groups[0].begin, end - groups[0].begin).find('\n'); newline != std::string_view::npos) end = groups[0].begin + newline;
    if (end == groups[0].begin) {
      at = end + 1;
      continue;
    }
    words.push_back({groups[0].begin, end});
    at = end;
  }
  budget.WillAllocate(words.size() * sizeof(Word));
  return words;
}

class WordWriter {
 public:
  WordWriter(const DiffOptions& options, Budget& budget, const Regex* pattern) : options_(options), budget_(budget), pattern_(pattern) {}

  // The lines that went and those that came, both with their newlines.
  void Replace(std::string& out, std::string_view before, std::string_view after) {
    const std::vector<Word> x = FindWords(before, pattern_, budget_), y = FindWords(after, pattern_, budget_);
    std::unordered_map<std::string_view, uint32_t> classes;
    const auto classify = [&](std::string_view text, const std::vector<Word>& words) {
      std::vector<uint32_t> numbers;
      for (const Word& word : words) numbers.push_back(classes.emplace(text.substr(word.begin, word.end - word.begin), static_cast<uint32_t>(classes.size())).first->second);
      return numbers;
    };
    const std::vector<uint32_t> a = classify(before, x), b = classify(after, y);
    size_t shown = 0;   // of `after`
    for (const DiffEdit& edit : FindDiff(a, b, static_cast<uint32_t>(classes.size()), options_.minimal, budget_)) {
      // What is there on both sides, as it now is, up to the change.
      size_t from = 0, to = 0;
      if (edit.b_count > 0) {
        from = y[edit.b_begin].begin;
        to = y[edit.b_end() - 1].end;
      } else {
        from = to = edit.b_begin > 0 ? y[edit.b_begin - 1].end : 0;
      }
      Same(out, after.substr(shown, from - shown));
      if (edit.a_count > 0) Mark(out, before.substr(x[edit.a_begin].begin, x[edit.a_end() - 1].end - x[edit.a_begin].begin), false);
      if (edit.b_count > 0) Mark(out, after.substr(from, to - from), true);
      shown = to;
    }
    Same(out, after.substr(shown));
  }
  void Same(std::string& out, std::string_view text) { Put(out, text, ' ', "", "", ""); }
  void Finish(std::string& out) {
    if (!at_line_start_) out += options_.words == DiffOptions::Words::kPorcelain ? "~\n" : "\n";
    at_line_start_ = true;
  }

 private:
  void Mark(std::string& out, std::string_view text, bool is_new) {
    Put(out, text, is_new ? '+' : '-', is_new ? "{+" : "[-", is_new ? "+}" : "-]", is_new ? kGreen : kRed);
  }
  // Line by line: each gets its own marks.
  void Put(std::string& out, std::string_view text, char sign, std::string_view open, std::string_view close, std::string_view colour) {
    while (!text.empty()) {
      budget_.Step();
      const size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      if (!line.empty()) {
        at_line_start_ = false;
        if (options_.words == DiffOptions::Words::kPorcelain) {
          if (options_.colours && !colour.empty()) out += std::string(colour) + sign + std::string(line) + std::string(kReset) + "\n";
          else out += sign + std::string(line) + "\n";
        } else {
          const bool has_marks = options_.words == DiffOptions::Words::kPlain;
          if (options_.colours && !colour.empty()) out += colour;
          if (has_marks) out += open;
          out += line;
          if (has_marks) out += close;
          if (options_.colours && !colour.empty()) out += kReset;
        }
      }
      if (end == std::string_view::npos) break;
      out += options_.words == DiffOptions::Words::kPorcelain ? "~\n" : "\n";
      at_line_start_ = true;
      text.remove_prefix(end + 1);
    }
  }

  const DiffOptions& options_;
  Budget& budget_;
  const Regex* pattern_;
  bool at_line_start_ = true;
};

}  // namespace

Status TakeColourOption(DiffOptions& options, std::string_view value) {
  if (value.empty() || value == "always") options.colours = true;
  else if (value == "never" || value == "auto") options.colours = false;
  else return Error(Code::kRange, "option `color' expects \"always\", \"auto\", or \"never\"");
  return {};
}

Status TakeWordsOption(DiffOptions& options, std::string_view value) {
  using Words = DiffOptions::Words;
  if (value.empty() || value == "plain") {
    options.words = Words::kPlain;
  } else if (value == "color") {
    options.words = Words::kColor;
    options.colours = true;
  } else if (value == "porcelain") {
    options.words = Words::kPorcelain;
  } else if (value == "none") {
    options.words = Words::kNo;
    return {};
  } else {
    return Error(Code::kRange, "bad --word-diff argument: " + std::string(value));
  }
  options.patch = true;
  return {};
}

std::string WordHunks(std::string_view a, std::string_view b, const DiffOptions& options, Budget& budget) {
  std::optional<Regex> pattern;
  if (!options.word_pattern.empty()) {
    if (auto compiled = Regex::Compile(options.word_pattern, {.dialect = RegexDialect::kExtended, .multiline = true, .newline_is_text = false})) pattern.emplace(std::move(*compiled));
  }
  DiffOptions plain = options;
  plain.old_mark = '-';
  plain.new_mark = '+';
  plain.context_mark = ' ';
  const std::string hunks = HunksOf(a, b, plain, budget);
  std::string out, before, after;
  WordWriter writer(options, budget, pattern ? &*pattern : nullptr);
  const auto flush = [&]() {
    if (!before.empty() || !after.empty()) {
      writer.Replace(out, before, after);
    }
    writer.Finish(out);
    before.clear();
    after.clear();
  };
  for (const std::string_view line : SplitLines(hunks)) {
    budget.Step();
    if (line[0] == '-') {
      before += line.substr(1);
    } else if (line[0] == '+') {
      after += line.substr(1);
    } else if (line[0] == '\\') {
      continue;
    } else {
      flush();
      if (line[0] != '@') {
        const std::string_view text = line.substr(1, line.size() - (line.ends_with('\n') ? 2 : 1));
        const bool is_porcelain = options.words == DiffOptions::Words::kPorcelain;
        if (!is_porcelain || !text.empty()) out += (is_porcelain ? " " : "") + std::string(text) + std::string(options.colours ? kReset : "") + "\n";
        if (is_porcelain) out += "~\n";
        continue;
      }
      const size_t end = line.find("@@", 2) + 2;
      if (options.colours) {
        std::string_view rest = line.substr(end, line.size() - end - 1);
        out += std::string(kCyan) + std::string(line.substr(0, end)) + std::string(kReset);
        if (!rest.empty()) out += " " + std::string(kReset) + std::string(rest.substr(1)) + std::string(kReset);
        out += "\n";
      } else {
        out += line;
      }
    }
  }
  flush();
  return out;
}

std::string CheckText(const std::string& path, std::string_view a_text, std::string_view b_text, const DiffOptions& options, Budget& budget) {
  const std::vector<std::string_view> a = SplitLines(a_text), b = SplitLines(b_text);
  std::string out;
  const auto is_marker = [](std::string_view line) {
    if (line.size() < 8) return false;
    const char c = line[0];
    if ((c != '<' && c != '=' && c != '>' && c != '|') || line.substr(0, 7) != std::string(7, c)) return false;
    return c == '=' ? line[7] == '\n' || line[7] == ' ' : line[7] == ' ' || line[7] == '\n';
  };
  const auto content_end = [](const std::vector<std::string_view>& lines) {
    size_t end = lines.size();
    while (end > 0 && lines[end - 1].find_first_not_of(" \t\r\n\f\v") == std::string_view::npos) --end;
    return end;
  };
  for (const DiffEdit& edit : FindEdits(a, b, options, budget)) {
    for (size_t i = edit.b_begin; i < edit.b_end(); ++i) {
      budget.Step();
      std::string_view line = b[i];
      const std::string where = path + ":" + std::to_string(i + 1) + ": ";
      if (is_marker(line)) out += where + "leftover conflict marker\n";
      if (line.ends_with('\n')) line.remove_suffix(1);
      std::string problems;
      if (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r' || line.back() == '\f' || line.back() == '\v')) problems = "trailing whitespace";
      const size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
      if (line.substr(0, indent).find(" \t") != std::string_view::npos) problems += (problems.empty() ? "" : ", ") + std::string("space before tab in indent");
      if (!problems.empty()) out += where + problems + ".\n+" + std::string(line) + "\n";
    }
  }
  const size_t a_end = content_end(a), b_end = content_end(b);
  if (b.size() - b_end > a.size() - a_end) out += path + ":" + std::to_string(b_end + 1) + ": new blank line at EOF.\n";
  return out;
}

std::string ColouredPatch(std::string_view patch) {
  std::string out;
  const auto paint = [&out](std::string_view colour, std::string_view line) { out += std::string(colour) + std::string(line) + std::string(kReset) + "\n"; };
  bool in_hunks = false;
  size_t marks = 1;
  for (std::string_view line : SplitLines(patch)) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.starts_with("diff --")) {
      in_hunks = false;
      paint(kBold, line);
    } else if (line.starts_with("@@")) {
      in_hunks = true;
      marks = std::min(line.find_first_not_of('@'), line.size()) - 1;
      const std::string ats(marks + 1, '@');
      const size_t end = line.find(ats, marks + 1) + marks + 1;
      out += std::string(kCyan) + std::string(line.substr(0, end)) + std::string(kReset);
      if (end < line.size()) out += " " + std::string(kReset) + std::string(line.substr(end + 1)) + std::string(kReset);
      out += "\n";
    } else if (!in_hunks) {
      paint(kBold, line);
    } else if (line.starts_with('\\')) {
      paint("", line);
    } else if (marks > 1) {
      const std::string_view lead = line.substr(0, marks);
      if (lead.find('+') != std::string_view::npos) paint(kGreen, line);
      else if (lead.find('-') != std::string_view::npos) paint(kRed, line);
      else paint("", line);
    } else if (line.starts_with('-')) {
      paint(kRed, line);
    } else if (line.starts_with('+')) {
      // What blanks there are at the end are marked.
      std::string_view text = line.substr(1);
      size_t end = text.size();
      while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\r')) --end;
      out += std::string(kGreen) + "+" + std::string(kReset);
      if (end > 0) out += std::string(kGreen) + std::string(text.substr(0, end)) + std::string(kReset);
      if (end < text.size()) out += "\033[41m" + std::string(text.substr(end)) + std::string(kReset);
      out += "\n";
    } else {
      paint("", line);
    }
  }
  return out;
}

}  // namespace paddock::git
