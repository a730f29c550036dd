#include "commands/sys/man_layout.h"

#include <algorithm>

#include "text/utf8.h"

namespace paddock::manual {
namespace {

// Two spaces follow the end of a sentence at the end of an input line.
bool EndsSentence(std::string_view text) {
  constexpr std::string_view kBehind[] = {"\"", "'", ")", "]", "*", "\xe2\x80\x9d", "\xe2\x80\x99", "\xe2\x80\xa0"};
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const std::string_view one : kBehind) {
      if (!text.ends_with(one)) continue;
      text.remove_suffix(one.size());
      goes_on = true;
    }
  }
  return !text.empty() && std::string_view(".?!").find(text.back()) != std::string_view::npos;
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; }

}  // namespace

void Layout::AddText(std::string_view text) {
  size_t space = joins_ ? 0 : pending_space_;
  joins_ = false;
  const std::string_view whole = text;
  while (!text.empty()) {
    budget_.Step();
    const size_t gap = std::min(text.find_first_not_of(' '), text.size());
    text.remove_prefix(gap);
    space = gap > 0 ? std::max(gap, space) : space;
    if (text.empty()) break;
    const size_t end = std::min(text.find(' '), text.size());
    AddWord(text.substr(0, end), space);
    text.remove_prefix(end);
    space = 0;
  }
  pending_space_ = EndsSentence(whole) ? 2 : 1;
}

// Lines break behind dashes and hyphens, too.
void Layout::AddWord(std::string_view word, size_t space) {
  constexpr std::string_view kDash = "\xe2\x80\x94";
  size_t from = 0;
  for (size_t i = 1; i + 1 < word.size(); ++i) {
    const bool is_dash = word.substr(i).starts_with(kDash) && i + kDash.size() < word.size();
    if (!is_dash && (word[i] != kHyphen || !IsLetter(word[i - 1]) || !IsLetter(word[i + 1]))) continue;
    const size_t end = i + (is_dash ? kDash.size() : 1);
    AddPiece(word.substr(from, end - from), from == 0 ? space : 0);
    from = end;
    i = end - 1;
  }
  AddPiece(word.substr(from), from == 0 ? space : 0);
}

void Layout::AddPiece(std::string_view piece, size_t space) {
  std::string text(piece);
  std::replace(text.begin(), text.end(), kHyphen, '-');
  std::erase(text, kNothing);
  const size_t width = TextWidth(text);
  const size_t indent = words_.empty() ? 0 : first_indent_.value_or(indent_);
  const size_t room = width_ > indent ? width_ - indent : 1;
  if (!words_.empty() && line_width_ + space + width > room) Flush(true);
  if (words_.empty()) {
    space = 0;
    line_width_ = 0;
  }
  line_width_ += space + width;
  budget_.WillAllocate(page_.size() + text.size());
  words_.push_back({std::move(text), width, space});
}

void Layout::Flush(bool fills) {
  if (!has_text()) return;
  const size_t indent = first_indent_.value_or(indent_);
  const size_t room = width_ > indent ? width_ - indent : 1;
  auto gaps = static_cast<size_t>(std::count_if(words_.begin(), words_.end(), [](const Word& word) { return word.space > 0; }));
  if (fills) {
    size_t extra = justifies_ && gaps > 0 && room > line_width_ ? room - line_width_ : 0;
    const auto stretch = [&](Word& word) {
      if (word.space == 0) return;
      const size_t more = extra / gaps--;
      word.space += more;
      extra -= more;
    };
    if (from_right_) std::for_each(words_.rbegin(), words_.rend(), stretch);
    else std::for_each(words_.begin(), words_.end(), stretch);
    from_right_ = !from_right_;
  }
  std::string line;
  if (tag_.empty()) {
    line.assign(indent, ' ');
  } else {
    line = std::string(tag_indent_, ' ') + tag_;
    const size_t used = tag_indent_ + TextWidth(tag_);
    if (used < indent) line.append(indent - used, ' ');
  }
  for (const Word& word : words_) line.append(word.space, ' ').append(word.text);
  words_.clear();
  tag_.clear();
  line_width_ = 0;
  first_indent_.reset();
  WriteLine(line);
}

void Layout::WriteLine(std::string_view text) {
  budget_.Step(static_cast<int64_t>(text.size() / 16 + 1));
  const size_t before = page_.size();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(kFixedSpace)) {
      page_ += ' ';
      ++i;
    } else if (text[i] != kNothing) {
      page_ += text[i] == kHyphen ? '-' : text[i];
    }
  }
  while (page_.size() > before && page_.back() == ' ') page_.pop_back();
  const bool is_empty = page_.size() == before;
  if (!is_empty || !was_empty_) page_ += '\n';
  was_empty_ = is_empty;
  drops_space_ = false;
}

void Layout::AddLine(std::string_view text) {
  Break();
  if (tag_.empty()) WriteLine(std::string(first_indent_.value_or(indent_), ' ') + std::string(text));
  first_indent_.reset();
}

void Layout::Break() {
  Flush(false);
  pending_space_ = 0;
  joins_ = false;
}

void Layout::Space(size_t lines) {
  Break();
  if (lines == 0 || drops_space_) return;
  WriteLine("");
}

void Layout::SetTag(std::string tag, size_t indent) {
  tag_ = std::move(tag);
  tag_indent_ = indent;
  pending_space_ = 0;
}

std::string Layout::TakeLine() {
  std::string text;
  for (const Word& word : words_) text.append(word.space, ' ').append(word.text);
  words_.clear();
  line_width_ = 0;
  pending_space_ = 0;
  return text;
}

void Layout::AddThreeParts(std::string_view left, std::string_view middle, std::string_view right) {
  std::string line(left);
  const size_t middle_width = TextWidth(middle), right_width = TextWidth(right);
  const auto pad = [&](size_t column) {
    const size_t used = TextWidth(line);
    line.append(column > used ? column - used : 0, ' ');
  };
  if (!middle.empty()) {
    pad(width_ > middle_width ? (width_ - middle_width + 1) / 2 : 0);
    line += middle;
  }
  pad(width_ > right_width ? width_ - right_width : 0);
  WriteLine(line + std::string(right));
}

}  // namespace paddock::manual
