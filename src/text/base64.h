// Base64 (RFC 4648) as HTTP uses it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace paddock {

std::string EncodeBase64(std::string_view bytes);
// With or without padding; nothing for anything else.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace paddock
