// Filled and justified lines for man_page_lib.cc: words go in, lines with indents come out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"

namespace paddock::manual {

// Stands for a space at which no line breaks and that is not stretched.
inline constexpr std::string_view kFixedSpace = "\xc2\xa0";

// Has no width, but is a character: a period in front of it ends no sentence.
inline constexpr char kNothing = '\x02';
// A hyphen of the text, behind which a line may break when it is between letters.
inline constexpr char kHyphen = '\x01';

class Layout {
 public:
  Layout(size_t width, bool justifies, Budget& budget) : width_(width), justifies_(justifies), budget_(budget) {}

  // Adds the words of an input line; `text` is UTF-8.
  void AddText(std::string_view text);
  // A whole line as it is.
  void AddLine(std::string_view text);
  // Ends the line at hand.
  void Break();
  // Ends the line, then `lines` empty ones (never two in a row).
  void Space(size_t lines = 1);
  // Nothing is spaced until text comes.
  void DropSpace() { drops_space_ = true; }
  // What stands in front of the next line, at `indent`; the text begins at the indent of the lines.
  void SetTag(std::string tag, size_t indent);
  // The words of the line at hand, taken out of it.
  std::string TakeLine();
  bool has_text() const { return !words_.empty() || !tag_.empty(); }
  void NoSpaceNext() { joins_ = true; }

  void set_indent(size_t indent) { indent_ = std::min(indent, kMostIndent); }
  size_t indent() const { return indent_; }
  void set_first_indent(size_t indent) { first_indent_ = std::min(indent, kMostIndent); }
  void set_justifies(bool justifies) { justifies_ = justifies; }
  void AddThreeParts(std::string_view left, std::string_view middle, std::string_view right);
  std::string& page() { return page_; }

 private:
  static constexpr size_t kMostIndent = 500;
  struct Word {
    std::string text;
    size_t width, space;   // in front of it
  };
  void AddWord(std::string_view word, size_t space);
  void AddPiece(std::string_view piece, size_t space);
  void Flush(bool fills);
  void WriteLine(std::string_view text);

  size_t width_;
  bool justifies_;
  Budget& budget_;
  std::string page_;
  std::vector<Word> words_;
  size_t line_width_ = 0;
  size_t indent_ = 0, pending_space_ = 0, tag_indent_ = 0;
  std::optional<size_t> first_indent_;
  std::string tag_;
  bool from_right_ = true, drops_space_ = false, was_empty_ = false, joins_ = false;
};

}  // namespace paddock::manual
