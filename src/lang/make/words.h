// Words, patterns with % and names of files, as make's functions and rules treat them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"

namespace paddock::make {

inline bool IsBlank(char c) { return c == ' ' || c == '\t'; }
inline bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view Trim(std::string_view text);
std::string_view TrimFront(std::string_view text);
// Splits at white space.
std::vector<std::string_view> SplitWords(std::string_view text, Budget& budget);
std::vector<std::string_view> SplitWords(std::string&& text, Budget& budget) = delete;   // they would outlive it
// The first word, which is taken off `text`; empty at the end.
std::string_view TakeWord(std::string_view& text);

// A word with at most one % that stands for anything; \% is a percent sign, \\% a backslash before one.
class PercentPattern {
 public:
  explicit PercentPattern(std::string_view text);
  bool has_percent() const { return has_percent_; }
  // What % stands for if `word` matches ("" for a literal pattern).
  std::optional<std::string_view> Match(std::string_view word) const;
  // The pattern with `stem` for its %.
  std::string Fill(std::string_view stem) const;
  const std::string& prefix() const { return prefix_; }
  const std::string& suffix() const { return suffix_; }

 private:
  std::string prefix_, suffix_;
  bool has_percent_ = false;
};

// Replaces each of `from` in `text` by `to`.
std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to, Budget& budget);
// patsubst: each word that matches `pattern` becomes `replacement`, whose first % is the stem.
std::string SubstitutePattern(std::string_view text, std::string_view pattern, std::string_view replacement, Budget& budget);

// Without ./ in front.
std::string_view WithoutDots(std::string_view name);
// The part up to and with the last slash, "" without one.
std::string_view DirectoryPart(std::string_view name);
// Without "." and empty parts, and with ".." taken away with what is before it; from `cwd` unless absolute.
std::string AbsoluteName(std::string_view name, std::string_view cwd);

// The index of the parenthesis or brace that closes the `open` before `at`; npos if none does.
size_t FindClose(std::string_view text, size_t at, char open);
// The index of the last character of the $x, $(…) or ${…} at `dollar`; the text's size where it has no end.
size_t ReferenceEnd(std::string_view text, size_t dollar);
// The index of the first of `stops` that is neither in a $(…) or ${…} nor behind a backslash; npos if none.
size_t FindUnquoted(std::string_view text, std::string_view stops);
// Takes a comment away, and the backslash of each \# that is none.
std::string WithoutComment(std::string_view text);
// A backslash at the end of a line, with the white space around it, becomes one space; POSIX keeps the white space before it.
std::string JoinedLines(std::string_view text, bool is_posix = false);
// The same only within $(…) and ${…}.
std::string JoinedReferences(std::string_view text, bool is_posix);
// A member of an archive, "lib(member)"; nothing for a name of another form.
struct MemberName {
  std::string_view archive, member;
};
std::optional<MemberName> AsMember(std::string_view name);
// Splits names of files; "lib(a b)" gives lib(a) and lib(b): a backslash before a blank, ':' or '#' keeps it in the name.
std::vector<std::string> SplitNames(std::string_view text, Budget& budget);

}  // namespace paddock::make
