// --check, and the colours of combined patches.
#include <algorithm>

#include "commands/git/diff/diff_paint.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr std::string_view kReset = "\033[m", kBold = "\033[1m", kRed = "\033[31m", kGreen = "\033[32m", kCyan = "\033[36m";

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Seven of a kind, then a blank or, for =, the end of the line.
bool IsConflictMarker(std::string_view line) {
  if (line.size() < 8) return false;
  const char c = line[0];
  if ((c != '<' && c != '=' && c != '>' && c != '|') || line.substr(0, 7) != std::string(7, c)) return false;
  return IsSpace(line[7]);
}

class CheckSink final : public HunkSink {
 public:
  CheckSink(std::string path, const BlankRule& rule) : path_(std::move(path)), rule_(rule) {}
  void Fragment(std::string_view range, std::string_view) override {
    const size_t plus = range.find('+');
    number_ = std::stoull(std::string(range.substr(plus + 1, range.find_first_not_of("0123456789", plus + 1) - plus - 1)));
    if (range.substr(plus).find(",0 ") != std::string_view::npos) ++number_;
  }
  void Line(char mark, std::string_view line) override {
    if (mark == '-') return;
    if (mark == '+') Check(line);
    ++number_;
  }
  std::string text;

 private:
  void Check(std::string_view line) {
    const std::string where = path_ + ":" + std::to_string(number_) + ": ";
    if (IsConflictMarker(line)) text += where + "leftover conflict marker\n";
    if (line.ends_with('\n')) line.remove_suffix(1);
    std::string problems;
    const auto add = [&problems](std::string_view problem) { problems.append(problems.empty() ? "" : ", ").append(problem); };
    std::string_view body = line;
    if (rule_.cr_at_end && body.ends_with('\r')) body.remove_suffix(1);
    size_t end = body.size();
    while (rule_.at_end && end > 0 && IsSpace(body[end - 1])) --end;
    if (end < body.size()) add("trailing whitespace");
    bool before_tab = false, has_tab = false;
    size_t written = 0, i = 0;
    for (; i < end; ++i) {
      if (body[i] == ' ') continue;
      if (body[i] != '\t') break;
      if (rule_.before_tab && written < i) before_tab = true;
      else if (rule_.tab_in_indent) has_tab = true;
      written = i + 1;
    }
    if (before_tab) add("space before tab in indent");
    if (rule_.indent_with_spaces && i - written >= rule_.tab_width) add("indent with spaces");
    if (has_tab) add("tab in indent");
    if (!problems.empty()) text += where + problems + ".\n+" + std::string(line) + "\n";
  }

  std::string path_;
  const BlankRule& rule_;
  size_t number_ = 1;
};

}  // namespace

std::string CheckText(Git& git, const std::string& path, std::string_view a_text, std::string_view b_text, const DiffOptions& options) {
  const BlankRule rule = BlankRuleOf(git, path);
  DiffOptions plain = options;
  plain.context = 1;
  plain.function_context = false;
  plain.inter_hunk = 0;
  CheckSink sink(path, rule);
  WalkHunks(a_text, b_text, plain, git.in.budget, {}, sink);
  const std::vector<std::string_view> a = SplitLines(a_text), b = SplitLines(b_text);
  const auto content_end = [](const std::vector<std::string_view>& lines) {
    size_t end = lines.size();
    while (end > 0 && std::all_of(lines[end - 1].begin(), lines[end - 1].end(), IsSpace)) --end;
    return end;
  };
  const size_t a_end = content_end(a), b_end = content_end(b);
  if (rule.at_eof && b.size() - b_end > a.size() - a_end) sink.text += path + ":" + std::to_string(b_end + 1) + ": new blank line at EOF.\n";
  return std::move(sink.text);
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
