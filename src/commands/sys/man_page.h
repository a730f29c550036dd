// Pages in roff with the macros of man(7), formatted for a terminal as groff does it there.
//
// Known are the macros of man(7) and the requests that generators of pages (help2man, pod2man, pandoc) use: strings, number registers,
// macros of the page's own, conditions, indents, filling. Lines are not hyphenated. Pages with the macros of mdoc(7), tables, equations
// and included files are refused.
#pragma once

#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/result.h"

namespace paddock::manual {

struct PageStyle {
  size_t width = 78;             // of a line
  bool justifies = true;
  enum class Encoding { kUtf8, kLatin1, kAscii } encoding = Encoding::kUtf8;
};

// Errors: kNotSupported with the reason, kLimit for macros that call themselves without end.
Result<std::string> FormatManPage(std::string_view source, const PageStyle& style, Budget& budget);
// A page of text as PostScript: A4, Courier, what Latin-1 lacks by its likes.
std::string PostScript(std::string_view text, Budget& budget);

}  // namespace paddock::manual
