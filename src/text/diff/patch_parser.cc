#include "text/diff/patch_parser.h"

#include <algorithm>

#include "base/budget.h"
#include "text/diff/patch_names.h"

namespace paddock {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
char At(std::string_view text, size_t i) { return i < text.size() ? text[i] : '\0'; }

size_t SkipDigitsAndCommas(std::string_view text, size_t at) {
  while (IsDigit(At(text, at)) || At(text, at) == ',') ++at;
  return at;
}

// The letter of "3,4c" (an ed command) or "3,4c5" (of a normal diff), or 0.
char CommandLetter(std::string_view text, bool is_ed) {
  if (!IsDigit(At(text, 0))) return 0;
  size_t at = SkipDigitsAndCommas(text, 0);
  const char letter = At(text, at);
  if (letter != 'a' && letter != 'c' && letter != 'd' && !(is_ed && (letter == 'i' || letter == 's'))) return 0;
  ++at;
  if (is_ed) return At(text, at) == '\n' ? letter : '\0';
  at = SkipDigitsAndCommas(text, at);
  while (At(text, at) == ' ' || At(text, at) == '\t' || At(text, at) == '\r') ++at;
  return At(text, at) == '\n' ? letter : '\0';
}

std::optional<uint32_t> ReadMode(std::string_view text) {
  uint32_t mode = 0;
  size_t at = 0;
  for (; At(text, at) >= '0' && At(text, at) <= '7' && at < 7; ++at) mode = mode * 8 + static_cast<uint32_t>(text[at] - '0');
  if (at == 0 || !(At(text, at) == '\0' || IsSpace(text[at]))) return std::nullopt;
  return mode;
}

size_t HexEnd(std::string_view text, size_t at) {
  while (IsDigit(At(text, at)) || (At(text, at) >= 'a' && At(text, at) <= 'f')) ++at;
  return at;
}

// What an object's name in git's index line says about the file: the null object and the empty one are known.
int AbsenceOf(std::string_view object) {
  constexpr std::string_view kEmptyBlob = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
  if (object.find_first_not_of('0') == std::string_view::npos) return 2;
  return kEmptyBlob.starts_with(object) ? 1 : 0;
}

}  // namespace

void PatchHunk::Reverse() {
  std::swap(first[0], first[1]);
  std::swap(count[0], count[1]);
  for (PatchLine& line : lines) line.mark = line.mark == '-' ? '+' : line.mark == '+' ? '-' : ' ';
  const auto is_context = [](const PatchLine& line) { return line.mark == ' '; };
  for (auto at = lines.begin(); at != lines.end();) {
    const auto begin = std::find_if_not(at, lines.end(), is_context);
    at = std::find_if(begin, lines.end(), is_context);
    std::stable_partition(begin, at, [](const PatchLine& line) { return line.mark == '-'; });
  }
}

void PatchHunk::CountContext() {
  const auto is_change = [](const PatchLine& line) { return line.mark != ' '; };
  prefix_context = static_cast<size_t>(std::find_if(lines.begin(), lines.end(), is_change) - lines.begin());
  suffix_context = static_cast<size_t>(std::find_if(lines.rbegin(), lines.rend(), is_change) - lines.rbegin());
}

void PatchHeader::Reverse() {
  std::swap(names[kOldName], names[kNewName]);
  std::swap(labels[0], labels[1]);
  std::swap(times[0], times[1]);
  std::swap(absent[0], absent[1]);
  std::swap(modes[0], modes[1]);
}

struct PatchParser::Draft {
  PatchHeader header;
  // "*** " and "+++ " lines go to the first, "--- " to the second: which is which the first hunk tells.
  std::array<std::optional<PatchFileLine>, 2> files;
  std::array<std::string, 2> labels;
  bool has_extended = false;
  std::optional<size_t> command_begin;   // the first line that could be a command of ed
  size_t command_line = 0;
  size_t command_indent = 0;
  bool follows_command = false;
  bool follows_stars = false;
  RawLine previous;
  std::optional<PatchKind> kind;
};

PatchParser::PatchParser(std::string text, PatchKind forced, bool keeps_returns, const TimeZone& zone, Budget& budget)
    : text_(std::move(text)), forced_(forced), keeps_returns_(keeps_returns), zone_(zone), budget_(budget) {
  lacks_newline_ = !text_.empty() && text_.back() != '\n';
  if (lacks_newline_) text_ += '\n';
}

bool PatchParser::Allows(PatchKind kind) const {
  if (forced_ == PatchKind::kNone || forced_ == kind) return true;
  return forced_ == PatchKind::kContext && kind == PatchKind::kNewContext;
}

bool PatchParser::TakeEndedInLine() {
  if (!lacks_newline_ || has_told_ || at_ < text_.size()) return false;
  has_told_ = true;
  return true;
}

std::optional<PatchParser::RawLine> PatchParser::ReadRaw() {
  budget_.Step();
  if (at_ >= text_.size()) return std::nullopt;
  RawLine line;
  line.begin = at_;
  at_ = text_.find('\n', at_) + 1;
  ++line_number_;
  line.text = std::string_view(text_).substr(line.begin, at_ - line.begin);
  budget_.Step(static_cast<int64_t>(line.text.size() / 32));
  size_t i = 0;
  for (; line.text[i] == ' ' || line.text[i] == '\t' || line.text[i] == 'X'; ++i) {
    line.indent += line.text[i] == '\t' ? 8 - line.indent % 8 : 1;
  }
  line.content = line.text.substr(i);
  return line;
}

void PatchParser::Unread(size_t offset) {
  at_ = offset;
  --line_number_;
}

std::optional<std::string_view> PatchParser::Fetch() {
  budget_.Step();
  if (at_ >= text_.size()) return std::nullopt;
  const size_t begin = at_;
  at_ = text_.find('\n', at_) + 1;
  ++line_number_;
  std::string_view line = std::string_view(text_).substr(begin, at_ - begin);
  budget_.Step(static_cast<int64_t>(line.size() / 32));
  for (size_t column = 0; column < indent_;) {
    const char c = line.front();
    if (c != ' ' && c != '\t' && c != 'X') break;
    column += c == '\t' ? 8 - column % 8 : 1;
    line.remove_prefix(1);
  }
  if (strips_returns_ && line.ends_with("\r\n")) {
    kept_.push_back(std::string(line.substr(0, line.size() - 2)) + "\n");
    line = kept_.back();
  }
  return line;
}

void PatchParser::TakeFileLine(const RawLine& line, size_t skip, PatchName name, Draft& draft) {
  std::string_view text = line.content.substr(skip);
  PatchFileLine file = ReadPatchFileLine(text, zone_, budget_);
  if (text.ends_with("\r\n")) draft.header.strips_returns = !keeps_returns_;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  if (name == kIndexName) {
    if (!draft.header.names[kIndexName]) draft.header.names[kIndexName] = std::move(file.name);
    return;
  }
  draft.labels[name] = text;
  draft.files[name] = std::move(file);
}

void PatchParser::TakeGitNames(std::string_view text, Draft& draft) {
  std::array<std::string, 2> names;
  for (std::string& name : names) {
    while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
    if (text.starts_with('"')) {
      auto quoted = TakeQuotedName(text);
      if (!quoted) return;
      name = std::move(*quoted);
    } else {
      size_t end = 0;
      while (end < text.size() && !IsSpace(text[end])) ++end;
      name = text.substr(0, end);
      text.remove_prefix(end);
    }
    if (name.empty()) return;
  }
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  if (!text.empty()) return;
  PatchHeader fresh;
  fresh.lead_begin = draft.header.lead_begin;
  fresh.prerequisite = std::move(draft.header.prerequisite);
  draft.header = std::move(fresh);
  draft.files = {};
  draft.labels = {};
  draft.header.is_git = true;
  for (size_t i = 0; i < 2; ++i) draft.header.names[i] = draft.header.git_names[i] = std::move(names[i]);
}

bool PatchParser::TakeGitLine(std::string_view content, Draft& draft) {
  PatchHeader& header = draft.header;
  const auto after = [&content](std::string_view word) -> std::optional<std::string_view> {
    if (!content.starts_with(word)) return std::nullopt;
    return content.substr(word.size());
  };
  if (const auto rest = after("index ")) {
    const size_t first_end = HexEnd(*rest, 0);
    const size_t second_end = HexEnd(*rest, std::min(first_end + 2, rest->size()));
    if (first_end == 0 || rest->substr(first_end, 2) != ".." || !(second_end == rest->size() || IsSpace((*rest)[second_end]))) return false;
    header.absent = {AbsenceOf(rest->substr(0, first_end)), AbsenceOf(rest->substr(first_end + 2, second_end - first_end - 2))};
    if (const auto mode = ReadMode(rest->substr(std::min(second_end + 1, rest->size())))) header.modes = {mode, mode};
  } else if (const auto old_mode = after("old mode ")) {
    header.modes[0] = ReadMode(*old_mode);
  } else if (const auto new_mode = after("new mode ")) {
    header.modes[1] = ReadMode(*new_mode);
  } else if (const auto deleted = after("deleted file mode ")) {
    header.modes[0] = ReadMode(*deleted);
    header.absent[1] = 2;
  } else if (const auto created = after("new file mode ")) {
    header.modes[1] = ReadMode(*created);
    header.absent[0] = 2;
  } else if (after("rename from ") || after("rename to ")) {
    header.is_rename = true;
  } else if (after("copy from ") || after("copy to ")) {
    header.is_copy = true;
  } else if (after("GIT binary patch")) {
    header.is_git_binary = true;
  } else {
    return false;
  }
  draft.has_extended = true;
  return true;
}

// Looks at one line; true when the first hunk begins here (or, for some kinds, one line above).
bool PatchParser::BeginsHere(const RawLine& line, Draft& draft) {
  const std::string_view text = line.content;
  if (Allows(PatchKind::kUnified) && text.starts_with("@@ -")) {
    draft.kind = PatchKind::kUnified;
    return true;
  }
  if (Allows(PatchKind::kContext) && draft.follows_stars && draft.previous.indent == line.indent && text.starts_with("*** ")) {
    std::string_view trimmed = text;
    while (!trimmed.empty() && IsSpace(trimmed.back())) trimmed.remove_suffix(1);
    draft.kind = trimmed.ends_with('*') ? PatchKind::kNewContext : PatchKind::kContext;
    return true;
  }
  if (Allows(PatchKind::kNormal) && draft.follows_command && (text.starts_with("< ") || text.starts_with("> "))) {
    draft.kind = PatchKind::kNormal;
    return true;
  }
  return false;
}

PatchHeader PatchParser::Finish(Draft& draft, PatchKind kind, size_t begin, size_t line) {
  PatchHeader header = std::move(draft.header);
  header.kind = kind;
  header.begin = begin;
  header.line = line;
  const bool is_unified = kind == PatchKind::kUnified;
  for (size_t i = 0; i < 2; ++i) {
    const size_t side = is_unified ? 1 - i : i;
    if (!draft.files[i]) continue;
    PatchFileLine& file = *draft.files[i];
    if (file.is_null_device) header.names[side].reset();
    else if (file.name) header.names[side] = std::move(file.name);
    header.times[side] = file.time;
    header.labels[side] = std::move(draft.labels[i]);
  }
  at_ = begin;
  line_number_ = line - 1;
  kind_ = kind;
  indent_ = header.indent;
  strips_returns_ = header.strips_returns;
  return header;
}

namespace {

// Whether a file is there at all shows in the numbers of the first hunk and in the times.
void TellAbsence(PatchHeader& header, size_t side) {
  const auto& time = header.times[side];
  header.absent[side] = std::max(header.absent[side], time && *time == TimePoint{} ? 2 : 1);
}

}  // namespace

Result<std::optional<PatchHeader>> PatchParser::FinishContext(Draft& draft) {
  PatchHeader header = Finish(draft, *draft.kind, draft.previous.begin, line_number_ - 1);
  const size_t begin = at_, number = line_number_;
  PADDOCK_ASSIGN(const auto first, NextContext());
  if (first) {
    for (size_t side = 0; side < 2; ++side) {
      if (first->count[side] == 0 && first->first[side] == 1) TellAbsence(header, side);
    }
  }
  at_ = begin;
  line_number_ = number;
  return std::optional(std::move(header));
}

Result<std::optional<PatchHeader>> PatchParser::NextHeader() {
  Draft draft;
  draft.header.lead_begin = at_;
  while (const auto line = ReadRaw()) {
    const std::string_view text = line->content;
    if (draft.header.is_git && draft.has_extended && text.starts_with("diff --git ")) {
      return std::optional(Finish(draft, PatchKind::kUnified, line->begin, line_number_));
    }
    if (BeginsHere(*line, draft)) {
      draft.header.indent = line->indent;
      if (*draft.kind == PatchKind::kContext || *draft.kind == PatchKind::kNewContext) return FinishContext(draft);
      if (*draft.kind == PatchKind::kNormal) {
        draft.header.indent = draft.previous.indent;
        draft.header.strips_returns = !keeps_returns_ && draft.previous.content.ends_with("\r\n");
        return std::optional(Finish(draft, PatchKind::kNormal, draft.previous.begin, line_number_ - 1));
      }
      PatchHeader header = Finish(draft, PatchKind::kUnified, line->begin, line_number_);
      const size_t plus = text.find(" +", 4);
      if (std::string_view("0,").find(At(text, 4)) != std::string_view::npos) TellAbsence(header, 0);
      if (plus != std::string_view::npos && At(text, plus + 2) == '0') TellAbsence(header, 1);
      return std::optional(std::move(header));
    }
    if (text.starts_with("*** ")) TakeFileLine(*line, 4, kOldName, draft);
    else if (text.starts_with("+++ ")) TakeFileLine(*line, 4, kOldName, draft);
    else if (text.starts_with("--- ")) TakeFileLine(*line, 4, kNewName, draft);
    else if (text.starts_with("Index:")) TakeFileLine(*line, 6, kIndexName, draft);
    else if (text.starts_with("diff --git ")) TakeGitNames(text.substr(11), draft);
    else if (draft.header.is_git && TakeGitLine(text, draft) && draft.header.is_git_binary) {
      PatchHeader header = Finish(draft, PatchKind::kUnified, line->begin, line_number_);
      at_ = line->begin + line->text.size();
      ++line_number_;
      return std::optional(std::move(header));
    } else if (text.starts_with("Prereq:")) {
      std::string_view word = text.substr(7);
      while (!word.empty() && IsSpace(word.front())) word.remove_prefix(1);
      draft.header.prerequisite = word.substr(0, word.find_first_of(" \t\r\n"));
    }
    const bool is_whole = at_ < text_.size() || !lacks_newline_;
    if (!draft.command_begin && is_whole && CommandLetter(text, true) != 0) {
      draft.command_begin = line->begin;
      draft.command_line = line_number_;
      draft.command_indent = line->indent;
    }
    draft.follows_command = CommandLetter(text, false) != 0;
    draft.follows_stars = text.starts_with("********");
    draft.previous = *line;
  }
  if (draft.header.is_git && draft.has_extended) return std::optional(Finish(draft, PatchKind::kUnified, at_, line_number_ + 1));
  if (draft.command_begin && Allows(PatchKind::kEd)) {
    draft.header.indent = draft.command_indent;
    return std::optional(Finish(draft, PatchKind::kEd, *draft.command_begin, draft.command_line));
  }
  kind_ = PatchKind::kNone;
  has_trailing_text_ = draft.header.lead_begin < text_.size();
  return std::optional<PatchHeader>();
}

std::optional<std::string_view> PatchParser::NextScriptLine() { return Fetch(); }

}  // namespace paddock
