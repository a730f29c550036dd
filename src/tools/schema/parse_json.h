// JSON text from a model or a client, bounded.
#pragma once

#include <string_view>

#include "tools/schema/field.h"

namespace paddock::tools {

struct JsonBounds {
  size_t max_bytes = 8u << 20;
  size_t max_depth = 32;
};

// Errors: kSyntax in words for a model: not JSON (with the byte where), too long, nested too deep, a key that stands twice in one
// object, malformed UTF-8.
Result<json::value> ParseJson(std::string_view text, const JsonBounds& bounds = {});

}  // namespace paddock::tools
