// Magic files (magic(5)): read, matched against contents, shown and compiled.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace paddock::file {

// The types of tests, as compiled magic files number them.
enum class MagicType : uint8_t {
  kInvalid, kByte, kShort, kDefault, kLong, kString, kDate, kBeShort, kBeLong, kBeDate, kLeShort, kLeLong, kLeDate, kPString, kLDate, kBeLDate, kLeLDate, kRegex,
  kBeString16, kLeString16, kSearch, kMeDate, kMeLDate, kMeLong, kQuad, kLeQuad, kBeQuad, kQDate, kLeQDate, kBeQDate, kQLDate, kLeQLDate, kBeQLDate, kFloat, kBeFloat,
  kLeFloat, kDouble, kBeDouble, kLeDouble, kBeId3, kLeId3, kIndirect, kQWDate, kLeQWDate, kBeQWDate, kName, kUse, kClear, kDer, kGuid, kOffset, kBeVarint, kLeVarint
};

// One line of a magic file with what "!:" lines say of it.
struct MagicEntry {
  static constexpr uint8_t kIndirectOffset = 1, kRelative = 2, kIndirectRelative = 4, kUnsigned = 8, kNoSpace = 16, kBinary = 32, kText = 64, kFromEnd = 128;
  uint16_t level = 0;              // how many '>' stand in front
  uint8_t flags = 0;
  uint8_t factor = 0;
  char relation = '=';
  MagicType type = MagicType::kInvalid;
  MagicType indirect_type = MagicType::kInvalid;
  uint8_t indirect_operation = 0, mask_operation = 0;   // an index of kMagicOperations, kInverse; 0x80: none
  char factor_operation = 0;
  int32_t offset = 0, indirect_offset = 0;
  uint32_t line = 0;
  uint64_t mask = 0;               // of numbers
  uint32_t range = 0, string_flags = 0;   // of strings
  std::string text;                // what strings are compared with
  uint64_t number = 0;             // the same for numbers; of floating-point types the bits of a double
  std::string description, mime, apple, extensions;

  bool is_string() const;
};
inline constexpr char kMagicOperations[] = "&|^+-*/%";
inline constexpr uint8_t kMagicInverse = 0x40;

// The flags of strings: letters behind a '/'. 0: the bit is not one of a letter.
inline constexpr std::pair<char, uint32_t> kMagicStringFlags[] = {{'W', 1}, {'w', 2}, {'c', 4}, {'C', 8}, {'s', 16}, {'B', 128}, {'H', 256}, {'h', 512},
                                                                 {'L', 1024}, {'l', 2048}, {'J', 4096}, {'T', 8192}, {'b', 64}, {'t', 32}, {'f', 16384}};

const char* MagicTypeName(MagicType type);
// "hi\0" with octal escapes, as all listings show it.
std::string VisibleMagicText(std::string_view text);
// How much a match is worth; the higher ones are tried first.
size_t MagicStrength(const MagicEntry& entry);

class MagicSet {
 public:
  // Adds a magic file. `name` is for complaints, which go to `warnings` a line each. `shows`: each line that is read is shown there, too.
  // False when nothing could be made of it.
  bool Parse(std::string_view text, const std::string& name, bool shows, std::string& warnings, Budget& budget);
  // Adds a compiled magic file. Errors: kCorrupt with the reason.
  Status Load(std::string_view bytes, Budget& budget);
  static bool IsCompiled(std::string_view bytes);

  // In the order in which they are tried. Call once, after all files were added.
  void Order();
  bool is_empty() const { return tests_.empty() && names_.empty(); }

  // What -l prints.
  std::string List() const;
  // What a compiled file holds.
  std::string Compiled() const;

  struct Answer {
    std::string text, mime, extensions, apple;
    bool is_found = false;
  };
  // `is_text`: the tests of text are meant, not those of anything. `goes_on`: more than the first answer, with "\n- " between.
  Answer Match(std::string_view bytes, bool is_text, bool goes_on, Budget& budget) const;

 private:
  friend class MagicMatcher;
  using Group = std::vector<MagicEntry>;   // a test with its continuations
  std::vector<Group> tests_, names_;       // those of "name" apart
};

// An entry as -c shows it: `>> 4 byte&,x,"version %d"]`.
std::string ShowMagicEntry(const MagicEntry& entry, Budget& budget);

}  // namespace paddock::file
