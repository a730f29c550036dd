#include "shell/parser/source.h"

#include <algorithm>

namespace paddock::shell {

void Source::BeginCommand() {
  const size_t aliases_end = aliases_.empty() ? 0 : aliases_.front().end;
  if (is_buffered_ && pos_ < aliases_end) {
    // A newline inside an alias ended the command: the rest of the alias is the next one's beginning.
    line_ = aliases_.front().line;
    buffer_.erase(0, pos_);
    text_ = buffer_;
    for (ActiveAlias& alias : aliases_) alias.end -= std::min(alias.end, pos_);
  } else {
    const size_t offset = main_offset();
    const std::string_view read = main_.substr(main_begin_, offset - main_begin_);
    main_line_ = is_buffered_ ? main_line_ + static_cast<int>(std::count(read.begin(), read.end(), '\n'))
                              : LineAt(pos_);
    line_ = main_line_;
    main_begin_ = offset;
    text_ = main_.substr(offset);
    is_buffered_ = false;
    buffer_.clear();
    aliases_.clear();
  }
  pos_ = 0;
  cached_offset_ = 0;
  cached_lines_ = 0;
}

bool Source::More() {
  if (!is_buffered_ || main_next_ >= main_.size()) return false;
  const std::string_view piece = main_.substr(main_next_, kPiece);
  main_next_ += piece.size();
  buffer_.append(piece);
  text_ = buffer_;
  return true;
}

int Source::LineAt(size_t offset) {
  offset = std::min(offset, text_.size());
  if (offset < cached_offset_) {
    cached_lines_ -= static_cast<int>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(offset),
                   text_.begin() + static_cast<std::ptrdiff_t>(cached_offset_), '\n'));
  } else {
    cached_lines_ += static_cast<int>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(cached_offset_),
                   text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
  }
  cached_offset_ = offset;
  return line_ + cached_lines_;
}

std::string_view Source::LineTextAt(size_t offset) const {
  offset = std::min(offset, text_.size());
  const size_t before = offset == 0 ? std::string_view::npos : text_.rfind('\n', offset - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const size_t end = text_.find('\n', offset);
  if (begin == 0 && !is_buffered_ && main_begin_ > 0) {
    // The command starts in the middle of a line only after an error or an alias; show it all.
    const size_t line_begin = main_.rfind('\n', main_begin_ - 1);
    const size_t from = line_begin == std::string_view::npos ? 0 : line_begin + 1;
    const size_t to = end == std::string_view::npos ? main_.size() : main_begin_ + end;
    return main_.substr(from, to - from);
  }
  return text_.substr(begin, (end == std::string_view::npos ? text_.size() : end) - begin);
}

void Source::SpliceAlias(size_t begin, size_t end, const std::string& name, const std::string& value) {
  if (!is_buffered_) {
    const size_t keep = std::min(text_.size(), end + kPiece);
    buffer_.assign(text_.substr(0, keep));
    main_next_ = main_begin_ + keep;
    is_buffered_ = true;
  }
  const int line = LineAt(begin);  // the count before the splice must not see the new text
  buffer_.replace(begin, end - begin, value);
  text_ = buffer_;
  const std::ptrdiff_t growth =
      static_cast<std::ptrdiff_t>(value.size()) - static_cast<std::ptrdiff_t>(end - begin);
  for (ActiveAlias& alias : aliases_) {
    alias.end = static_cast<size_t>(static_cast<std::ptrdiff_t>(alias.end) + growth);
  }
  const bool ends_in_blank = !value.empty() && (value.back() == ' ' || value.back() == '\t');
  aliases_.push_back({name, begin + value.size(), ends_in_blank, line});
  pos_ = begin;
}

bool Source::LeaveAliases(size_t offset) {
  bool ends_in_blank = false;
  while (!aliases_.empty() && aliases_.back().end <= offset) {
    ends_in_blank = ends_in_blank || aliases_.back().ends_in_blank;
    aliases_.pop_back();
  }
  return ends_in_blank;
}

bool Source::IsExpanding(std::string_view name) const {
  return std::any_of(aliases_.begin(), aliases_.end(),
                     [name](const ActiveAlias& alias) { return alias.name == name; });
}

size_t Source::main_offset() const {
  if (!is_buffered_) return main_begin_ + pos_;
  const size_t left = buffer_.size() - std::min(pos_, buffer_.size());
  return main_next_ - std::min(left, main_next_ - main_begin_);
}

}  // namespace paddock::shell
