// printf(1): a format, reused until its arguments are used up. Shared by the shell's builtin and the command.
//
// Source: POSIX printf utility, Bash manual "printf", GNU coreutils manual "printf invocation".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/budget.h"

namespace paddock {

// What differs between bash's printf and coreutils'.
class PrintfHost {
 public:
  virtual ~PrintfHost() = default;
  // "abc" is no number, or only its beginning is one.
  virtual void ComplainNumber(std::string_view argument, bool is_partial) = 0;
  virtual void ComplainRange(std::string_view argument) = 0;
  // `letter` is no conversion: ends the output. 0 when the format ends after '%'.
  virtual void ComplainConversion(std::string_view specification, char letter) = 0;
  // %q
  virtual std::string Quote(std::string_view text) = 0;
  // %(format)T; false if the host has no such conversion.
  virtual bool FormatTimestamp(std::string_view format, int64_t seconds, std::string* out) = 0;
  virtual bool is_utf8() const = 0;
  // '' as a number is 0 without a complaint; a number out of range leaves the status 0 (bash).
  virtual bool empty_is_zero() const { return false; }
  virtual bool range_is_warning() const { return false; }
  // coreutils: no flags or width with %b, %q and %%, none that make no sense with the others; \c ends the
  // output in the format too.
  virtual bool is_strict() const { return false; }
  // coreutils: something behind the character of 'c, arguments that no conversion takes. Both: an escape without
  // digits; it ends the output of coreutils.
  virtual void WarnCharacterRest(std::string_view) {}
  virtual void ComplainEscape(std::string_view) {}
  // A width or precision beyond an int ends the output; false where the number is cut instead.
  virtual bool RefuseField(bool /*is_precision*/, std::string_view /*number*/) { return false; }
  // coreutils: \u and \U of what has a shorter name, or of half a pair. Ends the output.
  virtual void ComplainCodePoint(std::string_view) {}
  virtual void WarnExcess(std::string_view) {}
  // Names a variable for %n; false if there is none.
  virtual bool StoreCount(std::string_view variable, size_t count) = 0;
  virtual Budget& budget() = 0;
  // Seconds since 1970 for %()T without an argument or with -1; since the shell's start for -2.
  virtual int64_t NowSeconds() = 0;
  virtual int64_t StartSeconds() = 0;
};

// Appends the output; the exit status.
int FormatPrintf(PrintfHost& host, std::string_view format, std::span<const std::string> arguments, std::string* out);

enum class EscapeStyle {
  kEcho,          // echo -e: octal is \0nnn
  kProgramEcho,   // coreutils' echo -e: octal is \nnn or \0nnn, no \u, \E
  kPrintfFormat,  // the format of printf: octal is \nnn
  kPrintfB,       // printf %b: octal is \nnn or \0nnn
  kShellPrintfB,  // bash's %b: quotes keep their backslash
};
// Appends `text` with its escapes decoded; \u of what the C locale has not stays an escape. False when \c
// ended the output.
bool AppendEscapes(std::string_view text, EscapeStyle style, bool is_utf8, std::string* out);

}  // namespace paddock
