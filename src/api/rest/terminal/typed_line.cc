#include "api/rest/terminal/typed_line.h"

#include <algorithm>
#include <cctype>

#include "text/utf8.h"

namespace paddock::api {
namespace {

constexpr size_t kLongestEscape = 32;

// How many bytes of an escape sequence are at the front: 0, not all of it has come yet.
size_t EscapeLength(std::string_view input) {
  if (input.size() < 2) return 0;
  if (input[1] == 'O') return input.size() < 3 ? 0 : 3;
  if (input[1] != '[') return 2;
  for (size_t i = 2; i < input.size(); ++i) {
    if (input[i] >= 0x40 && input[i] <= 0x7e) return i + 1;
    if (i >= kLongestEscape) return i;
  }
  return 0;
}

// Whether the front may become a character when more bytes come.
bool IsUnfinished(std::string_view input) {
  const auto first = static_cast<unsigned char>(input[0]);
  const size_t wanted = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  return first < 0xf5 && input.size() < wanted &&
         std::all_of(input.begin() + 1, input.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; });
}

// A prompt without its marks; the width leaves out what they enclose, and escape sequences.
std::string ShownPrompt(std::string_view prompt, size_t& width) {
  std::string shown, seen;
  bool is_hidden = false;
  for (size_t i = 0; i < prompt.size(); ++i) {
    if (prompt[i] == '\1' || prompt[i] == '\2') {
      is_hidden = prompt[i] == '\1';
      continue;
    }
    shown += prompt[i];
    if (prompt[i] == '\n') seen.clear();
    else if (!is_hidden) seen += prompt[i];
  }
  width = 0;
  for (size_t i = 0; i < seen.size();) {
    if (seen[i] == '\x1b') {
      const size_t length = EscapeLength(std::string_view(seen).substr(i));
      i += length == 0 ? seen.size() - i : length;
      continue;
    }
    const DecodedChar next = DecodeUtf8(std::string_view(seen).substr(i));
    width += static_cast<size_t>(std::max(CharWidth(next.code), 0));
    i += next.length;
  }
  return shown;
}

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::string TypedLine::Begin(std::string_view prompt) {
  std::string shown = ShownPrompt(prompt, prompt_width_);
  const size_t line = shown.rfind('\n');
  prompt_ = line == std::string::npos ? shown : shown.substr(line + 1);
  text_.clear();
  cursor_ = 0;
  row_ = prompt_width_ / columns_;
  recalled_ = history_.size();
  unfinished_.clear();
  std::string translated;
  for (const char c : shown) translated += c == '\n' ? "\r\n" : std::string(1, c);
  return translated;
}

TypedLine::Key TypedLine::Take(std::string& input, std::string& shown) {
  size_t taken = 0;
  Key key = Key::kNone;
  while (taken < input.size() && key == Key::kNone) {
    const std::string_view rest = std::string_view(input).substr(taken);
    const auto first = static_cast<unsigned char>(rest[0]);
    if (first == 0x1b) {
      const size_t length = EscapeLength(rest);
      if (length == 0) break;
      taken += length;
      key = Escape(rest.substr(1, length - 1), shown);
    } else if (first < 0x20 || first == 0x7f) {
      ++taken;
      if (first == '\r' && taken < input.size() && input[taken] == '\n') ++taken;
      key = Control(static_cast<char>(first), shown);
    } else if (IsUnfinished(rest)) {
      break;
    } else {
      size_t length = 0;   // of what is typed at once
      while (length < rest.size() && !IsUnfinished(rest.substr(length))) {
        const DecodedChar next = DecodeUtf8(rest.substr(length));
        if (!next.is_valid || CharWidth(next.code) < 0) break;
        length += next.length;
      }
      if (length == 0) ++taken;   // what is no character
      else Insert(rest.substr(0, length), shown);
      taken += length;
    }
  }
  input.erase(0, taken);
  return key;
}

TypedLine::Key TypedLine::Control(char key, std::string& shown) {
  switch (key) {
    case '\r':
    case '\n': LeaveLine(shown); return Key::kLine;
    case 0x03:
      MoveTo(text_.size(), shown);
      shown += "^C\r\n";
      return Key::kInterrupt;
    case 0x04:
      if (text_.empty()) return Key::kEnd;
      Erase(cursor_, After(cursor_), shown);
      break;
    case '\t': return Key::kComplete;
    case 0x08:
    case 0x7f: Erase(Before(cursor_), cursor_, shown); break;
    case 0x01: MoveTo(0, shown); break;
    case 0x05: MoveTo(text_.size(), shown); break;
    case 0x02: MoveTo(Before(cursor_), shown); break;
    case 0x06: MoveTo(After(cursor_), shown); break;
    case 0x0b:
      killed_ = text_.substr(cursor_);
      Erase(cursor_, text_.size(), shown);
      break;
    case 0x15:
      killed_ = text_.substr(0, cursor_);
      Erase(0, cursor_, shown);
      break;
    case 0x17: {
      size_t from = cursor_;
      while (from > 0 && text_[from - 1] == ' ') --from;
      while (from > 0 && text_[from - 1] != ' ') --from;
      killed_ = text_.substr(from, cursor_ - from);
      Erase(from, cursor_, shown);
      break;
    }
    case 0x19: Insert(killed_, shown); break;
    case 0x0c:
      shown += "\x1b[H\x1b[2J";
      row_ = 0;
      Redraw(shown);
      break;
    case 0x10: Recall(recalled_ - 1, shown); break;
    case 0x0e: Recall(recalled_ + 1, shown); break;
    default: break;
  }
  return Key::kNone;
}

TypedLine::Key TypedLine::Escape(std::string_view sequence, std::string& shown) {
  if (sequence == "[A" || sequence == "OA") Recall(recalled_ - 1, shown);
  else if (sequence == "[B" || sequence == "OB") Recall(recalled_ + 1, shown);
  else if (sequence == "[C" || sequence == "OC") MoveTo(After(cursor_), shown);
  else if (sequence == "[D" || sequence == "OD") MoveTo(Before(cursor_), shown);
  else if (sequence == "[H" || sequence == "OH" || sequence == "[1~" || sequence == "[7~") MoveTo(0, shown);
  else if (sequence == "[F" || sequence == "OF" || sequence == "[4~" || sequence == "[8~") MoveTo(text_.size(), shown);
  else if (sequence == "[3~") Erase(cursor_, After(cursor_), shown);
  else if (sequence == "b" || sequence == "[1;5D" || sequence == "[1;3D") MoveTo(WordBefore(cursor_), shown);
  else if (sequence == "f" || sequence == "[1;5C" || sequence == "[1;3C") MoveTo(WordAfter(cursor_), shown);
  else if (sequence == "d") Erase(cursor_, WordAfter(cursor_), shown);
  else if (sequence == "\x7f") Erase(WordBefore(cursor_), cursor_, shown);
  return Key::kNone;
}

void TypedLine::Insert(std::string_view bytes, std::string& shown) {
  if (text_.size() + bytes.size() > kMostBytes) {
    shown += '\a';
    return;
  }
  const bool is_at_end = cursor_ == text_.size();
  const size_t end = prompt_width_ + TextWidth(text_) + TextWidth(bytes);
  text_.insert(cursor_, bytes);
  cursor_ += bytes.size();
  // The common case needs no drawing anew: it goes on where the terminal's cursor is, in the same row.
  if (is_at_end && end % columns_ != 0 && end / columns_ == row_) shown += bytes;
  else Redraw(shown);
}

void TypedLine::Erase(size_t from, size_t to, std::string& shown) {
  if (from >= to) return;
  text_.erase(from, to - from);
  cursor_ = from;
  Redraw(shown);
}

void TypedLine::MoveTo(size_t cursor, std::string& shown) {
  if (cursor == cursor_) return;
  cursor_ = cursor;
  Redraw(shown);
}

void TypedLine::Recall(size_t index, std::string& shown) {
  if (index > history_.size()) {   // also below 0
    shown += '\a';
    return;
  }
  if (recalled_ == history_.size()) unfinished_ = text_;
  recalled_ = index;
  text_ = index == history_.size() ? unfinished_ : history_[index];
  cursor_ = text_.size();
  Redraw(shown);
}

void TypedLine::Redraw(std::string& shown) {
  if (row_ > 0) shown += "\x1b[" + std::to_string(row_) + "A";
  shown += "\r\x1b[J" + prompt_ + text_;
  const size_t end = prompt_width_ + TextWidth(text_);
  const size_t at = prompt_width_ + TextWidth(std::string_view(text_).substr(0, cursor_));
  if (end > 0 && end % columns_ == 0) shown += "\r\n";   // the terminal waits at the edge; now it is in the next row
  row_ = at / columns_;
  if (end == at) return;
  if (const size_t up = end / columns_ - row_; up > 0) shown += "\x1b[" + std::to_string(up) + "A";
  shown += '\r';
  if (at % columns_ > 0) shown += "\x1b[" + std::to_string(at % columns_) + "C";
}

void TypedLine::LeaveLine(std::string& shown) {
  MoveTo(text_.size(), shown);
  shown += "\r\n";
  row_ = 0;
}

std::string TypedLine::Complete(size_t from, std::string_view replacement, const std::vector<std::string>& candidates) {
  std::string shown;
  if (from <= cursor_ && IsValidUtf8(replacement) &&
      std::none_of(replacement.begin(), replacement.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }) &&
      text_.size() + replacement.size() <= kMostBytes) {
    text_.replace(from, cursor_ - from, replacement);
    cursor_ = from + replacement.size();
  }
  if (candidates.empty()) {
    Redraw(shown);
    return shown;
  }
  const size_t cursor = cursor_;
  LeaveLine(shown);
  cursor_ = cursor;
  size_t widest = 1, listed = 0;
  for (const std::string& candidate : candidates) widest = std::max(widest, TextWidth(candidate));
  const size_t in_a_row = std::max<size_t>(1, columns_ / (widest + 2));
  for (const std::string& candidate : candidates) {
    const std::string line = HarmlessLine(candidate);
    shown += line;
    const bool is_last = ++listed % in_a_row == 0 || listed == candidates.size();
    shown += is_last ? "\r\n" : std::string(widest + 2 - std::min(widest, TextWidth(line)), ' ');
  }
  Redraw(shown);
  return shown;
}

void TypedLine::Remember(std::string_view entry) {
  if (entry.empty() || entry.size() > kMostBytes || !IsValidUtf8(entry)) return;
  std::string line(entry);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  if (line.empty() || (!history_.empty() && history_.back() == line)) return;
  history_.push_back(std::move(line));
  if (history_.size() > kMostHistory) history_.pop_front();
}

size_t TypedLine::Before(size_t at) const {
  while (at > 0) {
    --at;
    if ((static_cast<unsigned char>(text_[at]) & 0xc0) != 0x80) break;
  }
  return at;
}

size_t TypedLine::After(size_t at) const {
  if (at >= text_.size()) return at;
  return at + DecodeUtf8(std::string_view(text_).substr(at)).length;
}

size_t TypedLine::WordBefore(size_t at) const {
  while (at > 0 && !IsWord(text_[at - 1])) --at;
  while (at > 0 && IsWord(text_[at - 1])) --at;
  return at;
}

size_t TypedLine::WordAfter(size_t at) const {
  while (at < text_.size() && !IsWord(text_[at])) ++at;
  while (at < text_.size() && IsWord(text_[at])) ++at;
  return at;
}

}  // namespace paddock::api
