// Characters out of a stream, for filters that end at text which is malformed.
#pragma once

#include <optional>
#include <string>

#include "base/stream.h"

namespace paddock {

// The next character, its bytes in `bytes`; nothing at the end, which malformed text counts as. Without UTF-8 all text that is not
// ASCII is malformed.
std::optional<char32_t> ReadChar(Input& input, bool is_utf8, std::string& bytes);

}  // namespace paddock
