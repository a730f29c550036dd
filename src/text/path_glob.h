// Patterns over whole paths, in which * stops at a slash and ** does not: those of .info files, of rsync's filters and of wget's lists.
// For patterns that are matched name by name, as in .gitignore files, see component_glob.h.
// Matching takes time in proportion to text × pattern at most.
//
// Source: glob(7), rsync(1). Bytes, not characters: ? matches one byte.
#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

namespace paddock {

class Budget;

struct PathGlobFlags {
  bool ignore_case = false;
  bool bang_negates = true;      // [!x] is [^x]
  bool any_matches_slash = false;  // so do ? and [...]
};

class PathGlob {
 public:
  explicit PathGlob(std::string_view pattern, const PathGlobFlags& flags = {});

  // True when all of `path` matches.
  bool Matches(std::string_view path, Budget& budget) const;

 private:
  struct Token {
    enum class Kind : uint8_t { kByte, kSet, kStar, kAnything, kDirectories };
    Kind kind;
    char byte = 0;
    uint32_t set = 0;   // index into sets_
  };
  // Reads "[...]" at the front of `rest`; false when it has no end.
  bool TakeSet(std::string_view& rest, const PathGlobFlags& flags);
  char Folded(char c) const { return ignores_case_ && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
  // Marks in `states` all that is reached from the token `at` without reading.
  void Enter(size_t at, std::vector<bool>& states) const;

  std::vector<Token> tokens_;
  std::vector<std::bitset<256>> sets_;
  bool ignores_case_;
  bool is_malformed_ = false;   // matches nothing
};

}  // namespace paddock
