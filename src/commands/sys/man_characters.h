// The characters that roff has names for: \(em, \[u2014], \-.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "commands/sys/man_page.h"

namespace paddock::manual {

// UTF-8; nothing for a name that is none. A hyphen at which a line may break is '\x01'.
std::optional<std::string> NamedCharacter(std::string_view name);

// The text with what a device that is not UTF-8 shows instead of characters that it does not have; still in UTF-8.
std::string ShownOn(std::string_view text, PageStyle::Encoding encoding, Budget& budget);

}  // namespace paddock::manual
