// The text of an API key: "pdk_", 20 characters that name it, 52 that are secret, 6 that find typing errors; a-z2-7 all of them.
//
// The secret is 32 bytes of the system's random source, so a plain SHA-256 of the text is enough to keep: there is
// nothing to guess that a slow digest would protect.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock::api {

struct KeyText {
  std::string text;  // shown once
  std::string id;    // "key_" and the characters that name it
};

KeyText MakeKeyText();

// The id of a well-formed text. kInvalid: it is none, whatever it lacks; the text of the error shows nothing of it.
Result<std::string> ReadKeyText(std::string_view text);

// What is stored of a key: SHA-256 of its text, 64 hexadecimal digits.
std::string KeyDigest(std::string_view text);

// Compares in a time that depends on the lengths alone.
bool IsSameDigest(std::string_view a, std::string_view b);

}  // namespace paddock::api
