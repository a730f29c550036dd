// Source: the text that a parser reads, with aliases spliced in.
//
// Offsets count from the start of the current complete command, so a script is never copied: in the
// common case the text is a view of the caller's. When an alias is replaced, what was read so far of the
// command and a stretch ahead move to a buffer of their own, which then grows piece by piece; offsets
// stay what they were. That keeps every scan a plain index loop and the cost of an alias proportional to
// its own length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::shell {

class Source {
 public:
  Source(std::string_view text, int first_line)
      : main_(text), main_line_(first_line), text_(text), line_(first_line) {}

  // Forgets the command just read; offsets start again at the current position.
  void BeginCommand();

  // The part of the text that is at hand; may grow by More(), which invalidates views.
  std::string_view text() const { return text_; }
  size_t pos() const { return pos_; }
  void set_pos(size_t pos) { pos_ = pos; }
  void Advance(size_t count = 1) { pos_ += count; }

  bool AtEnd() { return pos_ >= text_.size() && !More(); }
  // The byte `ahead` of the position, or NUL past the end (callers that care ask AtEnd()).
  char Peek(size_t ahead = 0) {
    while (pos_ + ahead >= text_.size()) {
      if (!More()) return '\0';
    }
    return text_[pos_ + ahead];
  }
  // Brings more of the text to hand; false when all of it is.
  bool More();

  std::string_view Slice(size_t begin, size_t end) const { return text_.substr(begin, end - begin); }

  // The line of an offset. Cheap when offsets grow from call to call.
  int LineAt(size_t offset);
  // The whole line around an offset, without its newline.
  std::string_view LineTextAt(size_t offset) const;

  // Replaces [begin, end) by `value`, puts the position at `begin` and remembers that `name` is being
  // replaced there.
  void SpliceAlias(size_t begin, size_t end, const std::string& name, const std::string& value);
  // Drops aliases whose text lies before `offset`. True if the last one dropped since the previous call
  // ended in a blank, so that the word at `offset` is looked up too.
  bool LeaveAliases(size_t offset);
  // True while the position is inside the replacement of this alias.
  bool IsExpanding(std::string_view name) const;

  // Offset in the caller's text of what was not read yet.
  size_t main_offset() const;

 private:
  struct ActiveAlias {
    std::string name;
    size_t end;
    bool ends_in_blank;
    int line;
  };
  static constexpr size_t kPiece = 4096;

  std::string_view main_;
  size_t main_begin_ = 0;      // where the current command starts in main_
  int main_line_;              // its line
  std::string_view text_;      // main_ from main_begin_, or buffer_
  size_t pos_ = 0;
  int line_;                   // of offset 0
  size_t cached_offset_ = 0;
  int cached_lines_ = 0;       // newlines in [0, cached_offset_)

  bool is_buffered_ = false;
  std::string buffer_;
  size_t main_next_ = 0;       // buffered: first byte of main_ that is not in the buffer
  std::vector<ActiveAlias> aliases_;
};

}  // namespace paddock::shell
