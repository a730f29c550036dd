// The format strings of hexdump: '8/2 "%04x "' and the like, read once and printed for each block of input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock {

class Budget;
class Output;

// One conversion with the text in front of it, or text alone.
struct HexdumpPart {
  enum class Kind { kText, kAddress, kChar, kNamed, kPrintable, kUnicodeName, kSigned, kUnsigned, kFloat, kString };
  Kind kind = Kind::kText;
  std::string text;          // in front
  std::string flags;         // of printf
  uint64_t width = 0;
  std::optional<uint64_t> precision;
  char letter = 0;           // d o x X u i e E f g G
  size_t bytes = 0;          // of input
};

struct HexdumpUnit {
  uint64_t repeat = 1;
  bool has_repeat = false;
  std::vector<HexdumpPart> parts;
  bool is_for_the_end = false;   // %_A: once, behind everything
  size_t bytes() const;
};

struct HexdumpFormat {
  std::vector<HexdumpUnit> units;
  uint64_t bytes() const;
};

class HexdumpFormats {
 public:
  // Adds what one -e says. Errors: the complaint of the real tool.
  Status Add(std::string_view text);
  // Adds the lines of a file of formats.
  Status AddFile(std::string_view text);
  // To be called once all are there: spreads the last units over the block. Error kLimit when a block would be absurd.
  Status Complete();

  bool empty() const { return formats_.empty(); }
  size_t block_size() const { return block_size_; }
  // Prints a block, of which `size` bytes are input and the rest 0.
  void PrintBlock(std::string_view block, size_t size, uint64_t address, Output& out, Budget& budget) const;
  void PrintEnd(uint64_t address, Output& out, Budget& budget) const;

 private:
  std::vector<HexdumpFormat> formats_;
  size_t block_size_ = 0;
};

}  // namespace paddock
