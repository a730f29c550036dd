// Contents of binary files in patches: zlib data in base 85, a block for each direction.
//
// Source: git diff --binary; the digits are those of RFC 1924.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace paddock::git {

struct BinaryBlock {
  bool is_delta = false;   // against the content before; else all of the content
  std::string data;
};
// What makes `content` as a block, with the empty line behind it: its difference from `before` where that is shorter, else all of it.
std::string BinaryBlockText(std::string_view before, std::string_view content, Budget& budget);
// The block that begins at lines[at]; `at` is moved behind it. Nothing when there is none. Errors: kSyntax.
Result<std::optional<BinaryBlock>> ReadBinaryBlock(const std::vector<std::string_view>& lines, size_t& at, Budget& budget);

}  // namespace paddock::git
