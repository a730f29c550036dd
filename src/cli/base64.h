// Base64 (RFC 4648) for bytes in JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock::cli {

std::string EncodeBase64(std::string_view bytes);
// Errors: kInvalid for characters outside the alphabet or a wrong length.
Result<std::string> DecodeBase64(std::string_view text);

}  // namespace paddock::cli
