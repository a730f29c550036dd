// What is said to shells of an image, and what its tools answer: text that holds any bytes, and error messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace paddock::docker {

// As one word of a shell's, whatever is in it but NUL.
std::string Quoted(std::string_view text);
// As a format of printf's that prints exactly these bytes, NUL too, quoted.
std::string PrintfFormat(std::string_view bytes);

// What a tool's or a shell's message ends with, in the wording of the C libraries (glibc, musl) and of dash. None for another one.
std::optional<Code> CodeOfMessage(std::string_view message);

// Whether JSON can carry it: engines put other bytes in the place of what is no UTF-8, and arguments end at NUL.
bool IsCarried(std::string_view text);

}  // namespace paddock::docker
