// Quoting of names in output and messages, as GNU's tools do it (ls --quoting-style, "cannot open 'x'").
//
// Source: GNU coreutils manual "Formatting the file names".
#pragma once

#include <string>
#include <string_view>

namespace paddock {

enum class QuotingStyle {
  kLiteral,
  kShell,               // quoted where a shell needs it
  kShellAlways,
  kShellEscape,         // like kShell, with $'\n' for what cannot be printed
  kShellEscapeAlways,
  kC,                   // "a\nb"
  kCMaybe,              // like kC, without quotes where nothing is escaped
  kEscape,              // a\nb
  kLocale,              // ‘a\nb’, 'a\nb' in the C locale
  kCLocale,             // ‘a\nb’, "a\nb" in the C locale
};

std::string QuoteText(std::string_view text, QuotingStyle style, bool is_utf8,
                      std::string_view also_quoted = {});

// quote() of GNU messages about words: ‘x’, or 'x' in the C locale.
inline std::string Quote(std::string_view word, bool is_utf8) {
  return QuoteText(word, QuotingStyle::kLocale, is_utf8);
}
// quoteaf() of messages about files: always 'x'.
inline std::string QuoteFile(std::string_view name, bool is_utf8) {
  return QuoteText(name, QuotingStyle::kShellEscapeAlways, is_utf8);
}
// quotef() of "NAME: FILE: reason": quoted only where needed (a colon counts).
inline std::string QuoteSubject(std::string_view name, bool is_utf8) {
  return QuoteText(name, QuotingStyle::kShellEscape, is_utf8, ":");
}

}  // namespace paddock
