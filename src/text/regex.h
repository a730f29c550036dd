// Regular expressions for hostile patterns and hostile text.
//
// One front for every dialect a command needs. A pattern is translated once and run on RE2 (linear) or,
// where back-references, look-around or huge counts need it, on PCRE2 under match, depth and heap limits
// with its JIT off. No pattern can take more than bounded time or memory: what would is refused when
// it is compiled or stopped when it is matched, with an error, never with a wrong answer.
//
// POSIX dialects match leftmost-longest. Text is bytes; with `is_utf8` a character is a UTF-8 sequence
// and malformed bytes match no character (as in the C.UTF-8 locale).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock {

class Budget;

enum class RegexDialect {
  kBasic,         // POSIX BRE with GNU extensions: \+ \? \| \< \> \b \B \w \W \s \S \` \' (sed)
  kExtended,      // POSIX ERE with the same extensions and back-references (regcomp, so bash's =~)
  kSedExtended,   // the same, but a lone ) is an error (sed -E)
  kGrepBasic,     // BRE that takes a** and a\{1\}* (grep, expr)
  kGrepExtended,  // ERE where what cannot be an operator stands for itself or nothing: *a, a{1, a) (grep -E)
  kAwk,           // ERE with awk escapes (\n, \t, \", \/, \ddd) and no back-references; gawk's \y for \b
  kEmacs,         // \( \| with + and ? as operators, no intervals or classes (find -regex)
  kPerl,          // PCRE, for grep -P
};

// What a match has to be besides matching (grep -w and -x).
enum class RegexExtent { kAny, kWholeWords, kWholeLine };

struct RegexFlags {
  RegexDialect dialect = RegexDialect::kExtended;
  bool ignore_case = false;
  bool is_utf8 = true;
  bool multiline = false;        // ^ and $ also match at embedded newlines (sed's M)
  bool is_literal = false;       // the pattern is plain text (grep -F)
  bool newline_is_text = true;   // '.' and sets match a newline (sed, awk, bash); false: they don't (grep)
  RegexExtent extent = RegexExtent::kAny;
};

// Byte range of a group; begin = npos when the group took no part.
struct RegexGroup {
  size_t begin = std::string_view::npos;
  size_t end = std::string_view::npos;
  bool is_set() const { return begin != std::string_view::npos; }
};

// What a caller knows of a text that it searches again and again, so that a search need not find it out each time.
enum class RegexText {
  kUnknown,
  kUtf8,   // well-formed UTF-8
  kAscii,  // no byte is 128 or more
};
// Looks through the text once.
RegexText ExamineText(std::string_view text);

class Regex {
 public:
  // Errors: kSyntax with the C library's wording ("Unmatched ( or \\(", "Invalid preceding regular
  // expression", "Unmatched [, [^, [:, [., or [=", "Invalid back reference", "Trailing backslash",
  // "Invalid range end", "Invalid content of \\{\\}", "Regular expression too big").
  static Result<Regex> Compile(std::string_view pattern, const RegexFlags& flags);

  // Matches what any of the patterns matches; a group number says nothing then. None of them matches nothing.
  static Result<Regex> CompileAny(std::span<const std::string> patterns, const RegexFlags& flags);

  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  // Looks for the leftmost match in text[from…]; anchors and word boundaries see all of `text`.
  // `groups` gets up to groups->size() ranges, whole match first; it may be null or empty when only the
  // answer counts (much faster). `is_line_start` false makes ^ not match at offset 0 (sed's later
  // matches in a line). `kind` must be true of all of `text`.
  // Errors: kLimit when the match limit of a backtracking pattern is reached.
  Result<bool> Search(std::string_view text, size_t from, std::vector<RegexGroup>* groups, Budget& budget,
                      bool is_line_start = true, RegexText kind = RegexText::kUnknown) const;

  // Number of capturing groups, without the whole match.
  size_t group_count() const;
  // What is odd about the pattern, in grep's wording: "* at start of expression" (grep -E).
  std::span<const std::string> warnings() const;
  // A byte string that every match contains (a pre-filter), or empty.
  std::string_view required_literal() const;
  // Whether many lines can be searched as one text (multiline, and newlines are no text) without paying for
  // it: always, only if they are ASCII, or never.
  enum class BlockSearch { kAlways, kInAscii, kNever };
  BlockSearch block_search() const;

 private:
  struct Impl;
  explicit Regex(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Which PCRE2 there is: "10.42".
std::string PerlRegexVersion();

// Puts a backslash before whatever is special in `text` in the extended dialect.
std::string EscapeRegex(std::string_view text);

}  // namespace paddock
