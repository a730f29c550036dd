// A parsed sed script.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "text/regex.h"

namespace paddock::sed {

struct SedRegex {
  Regex regex;
  bool swaps_ends = false;   // for lines that end in NUL: made for a text in which NUL and line feed have changed places
  bool is_anchor = false;    // ^ or $ alone
  // For --debug: the pattern with its escapes made into what they mean, and its flags.
  std::string source;
  bool ignores_case = false, is_multiline = false;
};
// Null stands for the empty regular expression: the one used last.
using RegexPtr = std::shared_ptr<const SedRegex>;

struct Address {
  enum class Kind {
    kNone,
    kLine,      // number
    kStep,      // number~step
    kLast,      // $
    kRegex,
    kPlus,      // addr1,+number
    kMultiple,  // addr1,~number
  };
  Kind kind = Kind::kNone;
  uint64_t number = 0;
  uint64_t step = 0;
  RegexPtr regex;
};

// One piece of the right side of s.
struct ReplacementPart {
  enum class Kind { kText, kGroup, kCase };
  Kind kind = Kind::kText;
  std::string text;
  int group = 0;
  char letter = 0;  // kCase: U, L, E, u or l
};

struct Substitution {
  RegexPtr regex;
  std::vector<ReplacementPart> parts;
  int highest_group = 0;
  bool has_cases = false;
  bool is_global = false;
  uint64_t number = 1;
  bool prints_before_eval = false;
  bool prints = false;
  bool evaluates = false;
  int file = -1;  // index into Program::output_files
};

// The map of y: byte by byte, and for UTF-8 the characters beyond.
struct Transliteration {
  std::array<char, 256> bytes{};
  std::vector<std::pair<std::string, std::string>> characters;  // sorted by the first
  std::string from, to;   // for --debug
};

struct SedCommand {
  char name = 0;
  Address first;
  Address second;
  bool is_negated = false;
  size_t target = 0;           // {: behind the block; b t T: where to go on
  std::string text;            // a i c e: text; r R w W: file name; b t T and colon: label
  int64_t number = -1;         // l L: width; q Q: exit status
  int file = -1;               // w W: index into Program::output_files; R: into Program::read_files
  std::unique_ptr<Substitution> substitution;
  std::unique_ptr<Transliteration> transliteration;
  // For --debug: how many blocks it stands in, and the mark that its target stands behind.
  size_t depth = 0;
  size_t target_mark = 0;
};

// A label or the end of a block, which is no command of its own. For --debug.
struct Mark {
  size_t index = 0;    // of the command that it stands in front of
  size_t depth = 0;
  std::string text;    // "}" or ":label"
};

struct Program {
  std::vector<SedCommand> commands;
  std::vector<Mark> marks;   // as they stand
  std::vector<std::string> output_files;
  std::vector<std::string> read_files;  // of R
  bool is_quiet = false;                // the script begins with #n
  // The place that errors found while running are blamed on: "-e expression #1, char 0".
  std::string end_location;
};

}  // namespace paddock::sed
