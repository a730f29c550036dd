// The hunks of a patch, one reader for each form.
#include <algorithm>
#include <limits>

#include "base/budget.h"
#include "text/diff/patch_parser.h"

namespace paddock {
namespace {

// How many lines at the end of a unified hunk may have been lost: mailers drop blank ones.
constexpr int64_t kMostLostLines = 3;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view TrimNewline(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

std::string AtLine(size_t number) { return "at line " + std::to_string(number); }

// A section of a context hunk: its lines with the mark ' ', '-', '+' or '!'.
struct Section {
  std::vector<PatchLine> lines;
  bool is_given = false;
};

// Where a context diff left a section out, because nothing changes in it, the other one has its lines.
void FillIn(Section& section, const Section& other) {
  if (section.is_given) return;
  for (const PatchLine& line : other.lines) {
    if (line.mark == ' ') section.lines.push_back(line);
  }
}

// Puts both sections into one sequence; false when their unchanged lines do not go together.
bool Interleave(const Section& before, const Section& after, std::vector<PatchLine>& lines) {
  size_t j = 0;
  const auto take_added = [&] {
    for (; j < after.lines.size() && after.lines[j].mark != ' '; ++j) lines.push_back({'+', after.lines[j].text});
  };
  for (size_t i = 0; i < before.lines.size();) {
    if (before.lines[i].mark != ' ') {
      lines.push_back({'-', before.lines[i++].text});
      continue;
    }
    take_added();
    if (j >= after.lines.size()) return false;
    lines.push_back(before.lines[i++]);
    ++j;
  }
  take_added();
  return j == after.lines.size();
}

}  // namespace

Error PatchParser::Malformed(std::string_view line) const {
  return Error(Code::kSyntax, "malformed patch " + AtLine(line_number_) + ": " + std::string(line));
}

Result<int64_t> PatchParser::ReadNumber(std::string_view& text, std::string_view line) const {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max() / 4;
  size_t end = 0;
  int64_t value = 0;
  bool is_too_large = false;
  for (; end < text.size() && IsDigit(text[end]); ++end) {
    is_too_large |= value > (kLargest - 9) / 10;
    if (!is_too_large) value = value * 10 + (text[end] - '0');
  }
  if (end == 0) return Error(Code::kSyntax, "missing line number " + AtLine(line_number_) + ": " + std::string(line));
  if (is_too_large) {
    return Error(Code::kSyntax, "line number " + std::string(text.substr(0, end)) + " is too large " + AtLine(line_number_) + ": " + std::string(line));
  }
  text.remove_prefix(end);
  return value;
}

// "3,4": the first line and how many (unified) or the last.
Status PatchParser::ReadRange(std::string_view& text, std::string_view line, char separator, PatchHunk& hunk, int side) const {
  const auto index = static_cast<size_t>(side);
  PADDOCK_ASSIGN(hunk.first[index], ReadNumber(text, line));
  hunk.count[index] = 1;
  if (!text.starts_with(separator)) return {};
  text.remove_prefix(1);
  PADDOCK_ASSIGN(hunk.count[index], ReadNumber(text, line));
  return {};
}

std::string_view PatchParser::WithoutNewline(std::string_view text) {
  size_t at = at_;
  while (at < text_.size() && indent_ > 0 && (text_[at] == ' ' || text_[at] == '\t' || text_[at] == 'X')) ++at;
  if (at >= text_.size()) return lacks_newline_ ? text.substr(0, text.size() - 1) : text;
  if (text_[at] != '\\') return text;
  Fetch();
  if (!text.empty()) text.remove_suffix(1);
  return text;
}

Result<std::optional<PatchHunk>> PatchParser::NextHunk() {
  switch (kind_) {
    case PatchKind::kUnified: return NextUnified();
    case PatchKind::kContext:
    case PatchKind::kNewContext: return NextContext();
    case PatchKind::kNormal: return NextNormal();
    default: return std::optional<PatchHunk>();
  }
}

Result<std::optional<PatchHunk>> PatchParser::NextUnified() {
  const size_t begin = at_;
  const auto line = Fetch();
  if (!line) return std::optional<PatchHunk>();
  if (!line->starts_with("@@ -")) {
    Unread(begin);
    return std::optional<PatchHunk>();
  }
  PatchHunk hunk;
  std::string_view rest = line->substr(4);
  PADDOCK_TRY(ReadRange(rest, *line, ',', hunk, 0));
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (!rest.starts_with('+')) return Malformed(*line);
  rest.remove_prefix(1);
  PADDOCK_TRY(ReadRange(rest, *line, ',', hunk, 1));
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  if (!rest.starts_with('@')) return Malformed(*line);
  if (rest.starts_with("@@ ")) hunk.function = TrimNewline(rest.substr(2));
  for (size_t side = 0; side < 2; ++side) {
    if (hunk.count[side] == 0) ++hunk.first[side];
  }
  PADDOCK_TRY(ReadUnifiedLines(hunk));
  hunk.CountContext();
  return std::optional(std::move(hunk));
}

Status PatchParser::ReadUnifiedLines(PatchHunk& hunk) {
  std::array<int64_t, 2> left = hunk.count;
  while (left[0] > 0 || left[1] > 0) {
    std::optional<std::string_view> line = Fetch();
    if (!line) {
      if (left[1] > kMostLostLines) return Error(Code::kSyntax, "unexpected end of file in patch");
      line = " \n";
    }
    char mark = line->front();
    std::string_view text = line->substr(1);
    if (mark == '\t' || mark == '\n') {   // the blank in front of an unchanged line was lost
      mark = ' ';
      text = *line;
    }
    if (mark == '=') mark = ' ';
    if (mark != ' ' && mark != '-' && mark != '+') return Malformed(*line);
    if ((mark != '+' && left[0]-- == 0) || (mark != '-' && left[1]-- == 0)) return Malformed(*line);
    hunk.lines.push_back({mark, WithoutNewline(text)});
  }
  return {};
}

Result<std::optional<PatchHunk>> PatchParser::NextContext() {
  const size_t begin = at_;
  auto line = Fetch();
  if (!line) return std::optional<PatchHunk>();
  if (!line->starts_with("********")) {
    Unread(begin);
    return std::optional<PatchHunk>();
  }
  PatchHunk hunk;
  const std::string_view stars = TrimNewline(*line);
  if (stars.find(' ') != std::string_view::npos) hunk.function = stars.substr(stars.find(' '));
  const size_t hunk_line = line_number_ + 1;
  const auto mangled = [hunk_line] { return Error(Code::kSyntax, "context mangled in hunk " + AtLine(hunk_line)); };
  std::array<Section, 2> sections;
  for (int side = 0; side < 2; ++side) {
    const std::string_view lead = side == 0 ? "*** " : "--- ";
    const auto index = static_cast<size_t>(side);
    line = Fetch();
    if (!line || !line->starts_with(lead)) return mangled();
    std::string_view rest = line->substr(4);
    PADDOCK_TRY(ReadRange(rest, *line, ',', hunk, side));
    int64_t& count = hunk.count[index];
    const bool is_single = *(rest.data() - 1) != ',' && line->substr(4).find(',') == std::string_view::npos;
    count = is_single ? (hunk.first[index] == 0 ? 0 : 1) : std::max<int64_t>(count - hunk.first[index] + 1, 0);
    const char change = side == 0 ? '-' : '+';
    for (int64_t left = count; left > 0; --left) {
      const size_t before = at_;
      line = Fetch();
      if (!line) break;
      const char mark = line->front() == '\n' || line->front() == '\t' ? ' ' : line->front();
      // Of an unchanged line one of the two blanks may be lost.
      const bool is_line = (mark == ' ' || mark == change || mark == '!') && (mark == ' ' || line->size() < 3 || (*line)[1] == ' ' || (*line)[1] == '\t');
      if (!is_line) {
        const bool is_next = line->starts_with(side == 0 ? "--- " : "***");
        if (!sections[index].lines.empty() && (side == 0 || !is_next)) return mangled();
        Unread(before);
        break;
      }
      const bool has_blanks = line->size() > 2 && line->front() != '\t' && (*line)[1] == ' ';
      sections[index].lines.push_back({mark, WithoutNewline(has_blanks ? line->substr(2) : line->size() > 2 ? line->substr(1) : "\n")});
      sections[index].is_given = true;
    }
  }
  FillIn(sections[0], sections[1]);
  FillIn(sections[1], sections[0]);
  for (size_t side = 0; side < 2; ++side) {
    const auto given = static_cast<int64_t>(sections[side].lines.size());
    if (given != hunk.count[side] && !(given == 0 && hunk.count[side] == 1)) return mangled();
    hunk.count[side] = given;
    if (given == 0) ++hunk.first[side];
  }
  if (!Interleave(sections[0], sections[1], hunk.lines)) return mangled();
  hunk.CountContext();
  return std::optional(std::move(hunk));
}

Result<std::optional<PatchHunk>> PatchParser::NextNormal() {
  const size_t begin = at_;
  const auto line = Fetch();
  if (!line) return std::optional<PatchHunk>();
  if (!IsDigit(line->front())) {
    Unread(begin);
    return std::optional<PatchHunk>();
  }
  PatchHunk hunk;
  std::string_view rest = *line;
  const auto read_range = [&](int side) -> Status {
    const auto index = static_cast<size_t>(side);
    PADDOCK_ASSIGN(hunk.first[index], ReadNumber(rest, *line));
    int64_t last = hunk.first[index];
    if (rest.starts_with(',')) {
      rest.remove_prefix(1);
      PADDOCK_ASSIGN(last, ReadNumber(rest, *line));
    }
    hunk.count[index] = last - hunk.first[index] + 1;
    if (hunk.count[index] < 0) return Malformed(*line);
    return {};
  };
  PADDOCK_TRY(read_range(0));
  const char letter = rest.empty() ? '\0' : rest.front();
  if (letter != 'a' && letter != 'c' && letter != 'd') return Malformed(*line);
  rest.remove_prefix(1);
  PADDOCK_TRY(read_range(1));
  const auto make_empty = [&hunk](size_t side) {
    hunk.first[side] += 1;
    hunk.count[side] = 0;
  };
  if (letter == 'a') make_empty(0);
  if (letter == 'd') make_empty(1);
  PADDOCK_TRY(ReadNormalLines(hunk, '<', hunk.count[0]));
  if (letter == 'c') {
    const auto dashes = Fetch();
    if (!dashes) return Error(Code::kSyntax, "unexpected end of file in patch " + AtLine(line_number_));
    if (!dashes->starts_with('-')) return Error(Code::kSyntax, "'---' expected " + AtLine(line_number_) + " of patch");
  }
  PADDOCK_TRY(ReadNormalLines(hunk, '>', hunk.count[1]));
  return std::optional(std::move(hunk));
}

Status PatchParser::ReadNormalLines(PatchHunk& hunk, char mark, int64_t count) {
  for (int64_t left = count; left > 0; --left) {
    const auto line = Fetch();
    if (!line) return Error(Code::kSyntax, "unexpected end of file in patch " + AtLine(line_number_));
    if (at_ >= text_.size() && lacks_newline_) return Error(Code::kSyntax, "unexpected end of file in patch " + AtLine(line_number_ - 1));
    if (line->size() < 2 || line->front() != mark || ((*line)[1] != ' ' && (*line)[1] != '\t')) {
      return Error(Code::kSyntax, std::string("'") + mark + "' followed by space or tab expected " + AtLine(line_number_) + " of patch");
    }
    hunk.lines.push_back({mark == '<' ? '-' : '+', WithoutNewline(line->substr(2))});
  }
  return {};
}

}  // namespace paddock
