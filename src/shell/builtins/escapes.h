// Backslash escapes of echo -e and printf.
#pragma once

#include <string>
#include <string_view>

namespace paddock::shell {

enum class EscapeStyle {
  kEcho,          // echo -e: octal is \0nnn
  kPrintfFormat,  // the format of printf: octal is \nnn, \c stays as it is
  kPrintfB,       // printf %b: octal is \nnn or \0nnn
};

// Appends `text` with its escapes decoded. False when \c ended the output.
bool AppendEscapes(std::string_view text, EscapeStyle style, std::string* out);

}  // namespace paddock::shell
