#include "commands/sys/man_formatter.h"

#include <algorithm>

#include "commands/sys/man_characters.h"
#include "text/utf8.h"

namespace paddock::manual {

RoffFormatter::RoffFormatter(const PageStyle& style, Budget& budget)
    : style_(style), budget_(budget), layout_(style.width, style.justifies, budget) {
  strings_ = {{"lq", "\\(lq"}, {"rq", "\\(rq"}, {"R", "\\(rg"}, {"Tm", "\\(tm"}, {"S", ""}};
  registers_ = {{".g", 1}, {".H", 24}, {".V", 40}, {".l", static_cast<int64_t>(style.width)}, {"PD", 1}};
}

Result<std::string> RoffFormatter::Run(std::string_view source) {
  PADDOCK_TRY(RunLines(source, {}));
  Leave();
  layout_.Break();
  if (has_title_) {
    layout_.Space();
    layout_.AddThreeParts(Shown(source_), Shown(date_), Shown(title_));
  }
  return std::move(layout_.page());
}

Status RoffFormatter::RunLines(std::string_view text, const Words& arguments) {
  budget_.CheckStack();
  if (++depth_ > kDeepestMacro) return Error(Code::kLimit, "macros call each other without end");
  std::string joined;
  while (!text.empty()) {
    budget_.Step(4);
    std::string line = NextLine(text);
    if (!arguments.empty()) line = WithArguments(line, arguments);
    PADDOCK_TRY(RunLine(line, text));
    if (is_endless_) return Error(Code::kLimit, "strings call each other without end");
  }
  --depth_;
  return {};
}

std::string RoffFormatter::NextLine(std::string_view& text) {
  std::string line;
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (one.ends_with('\r')) one.remove_suffix(1);
    const size_t slashes = one.size() - (one.find_last_not_of('\\') == std::string_view::npos ? 0 : one.find_last_not_of('\\') + 1);
    if (slashes % 2 == 0 || text.empty()) return line += one;
    line += one.substr(0, one.size() - 1);
  }
}

std::string RoffFormatter::WithArguments(std::string_view line, const Words& arguments) {
  std::string result;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 2 >= line.size() || line[i + 1] != '$') {
      result += line[i];
      continue;
    }
    const char which = line[i + 2];
    if (which >= '1' && which <= '9') {
      const auto index = static_cast<size_t>(which - '0');
      if (index < arguments.size()) result += arguments[index];
    } else if (which == '*' || which == '@') {
      for (size_t k = 1; k < arguments.size(); ++k) result += (k > 1 ? " " : "") + (which == '@' ? "\"" + arguments[k] + "\"" : arguments[k]);
    } else if (which == '0') {
      result += arguments[0];
    }
    i += 2;
  }
  return result;
}

Status RoffFormatter::RunLine(std::string line, std::string_view& rest) {
  if (const size_t comment = CommentOf(line); comment != std::string::npos) {
    line.resize(comment);
    if (line.empty() || line == "." || line == "'") return {};
  }
  if (!line.empty() && (line[0] == '.' || line[0] == '\'')) return RunRequest(line.substr(1), rest);
  Text(line);
  return {};
}

size_t RoffFormatter::CommentOf(const std::string& line) {
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    if (line[i] != '\\') continue;
    if (line[i + 1] == '"' || line[i + 1] == '#') return i;
    ++i;
  }
  return std::string::npos;
}

void RoffFormatter::Text(const std::string& line) {
  if (line.find_first_not_of(' ') == std::string::npos && !ends_open_) {
    layout_.Space();
    return;
  }
  bool is_open = false;
  std::string text = Translated(ShownOn(Escaped(line, &is_open), style_.encoding, budget_));
  if (!fills_) {
    Say(text, false);
  } else {
    if (outdent_ > 0) {   // blanks behind the movement are part of it
      const size_t blanks = std::min(text.find_first_not_of(' '), text.size());
      text.erase(0, blanks);
      for (size_t n = blanks; n > 0; --n) text.insert(0, kFixedSpace);
    }
    if (outdent_ > 0 && !layout_.has_text()) layout_.set_first_indent(layout_.indent() - std::min(layout_.indent(), outdent_));
    outdent_ = 0;
    if (line.starts_with(' ')) {
      layout_.Break();
      layout_.set_first_indent(layout_.indent() + line.find_first_not_of(' '));
    }
    Say(text, true);
  }
  ends_open_ = is_open;
  if (is_open) layout_.NoSpaceNext();
  EndInput();
}

std::string RoffFormatter::Translated(std::string text) const {
  for (const auto& [from, to] : translations_) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
      budget_.Step();
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

void RoffFormatter::Translate(const std::string& pairs) {
  std::string_view rest = pairs;
  while (!rest.empty() && translations_.size() < 100) {
    std::string one[2] = {"", " "};
    for (std::string& part : one) {
      if (rest.empty()) break;
      const size_t length = DecodeUtf8(rest).length;
      part = std::string(rest.substr(0, length));
      rest.remove_prefix(length);
    }
    if (one[0] != one[1]) translations_.emplace_back(one[0], one[1]);
  }
}

void RoffFormatter::Say(const std::string& text, bool fills) {
  if (fills || waits_for_tag_) {
    layout_.AddText(text);
    return;
  }
  if (layout_.has_text()) {
    layout_.AddText(text);
    layout_.Break();
  } else {
    layout_.AddLine(text);
  }
}

void RoffFormatter::EndInput() {
  if (centers_ > 0) {
    --centers_;
    const std::string text = layout_.TakeLine();
    const size_t room = style_.width - std::min(style_.width, layout_.indent()), width = TextWidth(text);
    layout_.AddLine(std::string(room > width ? (room - width) / 2 : 0, ' ') + text);
  }
  if (!waits_for_tag_ || ends_open_) return;
  waits_for_tag_ = false;
  PlaceTag(layout_.TakeLine());
}

void RoffFormatter::PlaceTag(const std::string& tag) {
  const size_t margin = margin_ + kBody;
  if (TextWidth(tag) + 1 > tag_indent_) {
    layout_.set_indent(margin);
    layout_.AddText(tag);
    layout_.Break();
    layout_.set_indent(margin + tag_indent_);
    return;
  }
  layout_.set_indent(margin + tag_indent_);
  layout_.SetTag(tag, margin);
}

Result<std::string> FormatManPage(std::string_view source, const PageStyle& style, Budget& budget) {
  PADDOCK_ASSIGN(std::string page, RoffFormatter(style, budget).Run(source));
  if (style.encoding != PageStyle::Encoding::kLatin1) return page;
  std::string latin;
  for (std::string_view text = page; !text.empty();) {
    budget.Step();
    const DecodedChar decoded = DecodeUtf8(text);
    latin += static_cast<char>(decoded.is_valid && decoded.code <= 0xff ? decoded.code : static_cast<unsigned char>(text[0]));
    text.remove_prefix(decoded.length);
  }
  return latin;
}

}  // namespace paddock::manual
