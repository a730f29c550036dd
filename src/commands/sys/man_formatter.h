// A page in the language of man(7) as text: what its lines, requests, macros and escapes do. Inside of man alone.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "commands/sys/man_layout.h"
#include "commands/sys/man_page.h"

namespace paddock::manual {

inline constexpr size_t kBody = 7;             // indent of the text, and of what is tagged
inline constexpr int kDeepestMacro = 40;
inline constexpr size_t kMostStrings = 4000, kLongestString = 1 << 16;

using Words = std::vector<std::string>;

class RoffFormatter {
 public:
  RoffFormatter(const PageStyle& style, Budget& budget);

  Result<std::string> Run(std::string_view source);

 private:
  static Error Refuse(const std::string& what) { return Error(Code::kNotSupported, what); }

  // Of lines.
  Status RunLines(std::string_view text, const Words& arguments);
  // A line, and the next ones as long as a backslash is at its end.
  static std::string NextLine(std::string_view& text);
  static std::string WithArguments(std::string_view line, const Words& arguments);

  Status RunLine(std::string line, std::string_view& rest);
  static size_t CommentOf(const std::string& line);

  void Text(const std::string& line);
  // .tr
  std::string Translated(std::string text) const;
  void Translate(const std::string& pairs);
  void Say(const std::string& text, bool fills);
  // What waits for one line of input.
  void EndInput();
  void PlaceTag(const std::string& tag);

  // Of requests.
  static Words Split(std::string_view text);

  Status RunRequest(std::string_view text, std::string_view& rest);

  Status Condition(const std::string& name, std::string_view tail, std::string_view& rest);
  static int Braces(std::string_view text);

  // Reads the condition off the front of `text`.
  bool Holds(std::string_view& text);
  // Up to a blank outside of parentheses and escapes.
  static size_t ExpressionEnd(std::string_view text);
  // Left to right, without precedence; units of length are characters.
  int64_t Number(std::string_view text);
  int64_t Expression(std::string_view text, size_t& at, int depth);
  int64_t Operand(std::string_view text, size_t& at, int depth);
  static int64_t Negative(int64_t value) { return value == INT64_MIN ? INT64_MAX : -value; }

  Status Define(const std::string& request, std::string_view tail, std::string_view& rest);
  void DefineString(bool appends, std::string_view tail);

  // Of macros.
  size_t Amount(const Words& words, size_t index, size_t otherwise);
  void Leave();   // what a paragraph had begun
  void Paragraph();
  std::string Shown(const std::string& text);
  static std::string Joined(const Words& words);

  Status Macro(const std::string& name, const Words& words);
  // A word that begins a line with a dot is text.
  static std::string Protected(const std::string& text) { return text.starts_with(' ') ? "\\&" + text : text; }

  void EndHeading();

  void Title(const Words& words);

  // Requests of roff itself. What only steers type, pages and hyphens has nothing to do here.
  void Plain(const std::string& name, const Words& words);

  // Of escapes.
  // The text of a line; kFixedSpace is a blank that does not stretch. *is_open: the line goes on (\c).
  std::string Escaped(const std::string& line, bool* is_open, int depth = 0);
  std::string ExpressionText(const std::string& text, int depth = 0);
  // "x", "(xx", "[xxx]" at `i`, which moves behind it.
  static std::string NameAt(const std::string& line, size_t& i);
  // 'text' with any delimiter at `i`.
  static std::string QuotedAt(const std::string& line, size_t& i);

  void Escape(const std::string& line, size_t& i, std::string& text, bool* is_open, int depth);

  struct Margin {
    size_t margin, tag_width;
  };

  const PageStyle style_;
  Budget& budget_;
  Layout layout_;
  std::map<std::string, std::string, std::less<>> strings_, macros_;
  std::map<std::string, int64_t, std::less<>> registers_;
  std::vector<std::pair<std::string, std::string>> translations_;
  std::vector<bool> elses_;
  std::vector<Margin> margins_;
  std::string title_, date_, source_, link_;
  size_t margin_ = 0, tag_width_ = kBody, tag_indent_ = kBody, distance_ = 1, centers_ = 0, last_indent_ = kBody, outdent_ = 0;
  int depth_ = 0, conditions_ = 0;   // of a line in one another
  bool is_endless_ = false;   // a string has called itself
  bool fills_ = true, adjusts_ = true, has_title_ = false, waits_for_tag_ = false, waits_for_heading_ = false, ends_open_ = false, in_synopsis_ = false;
};

}  // namespace paddock::manual
