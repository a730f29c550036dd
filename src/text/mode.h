// File modes as text: "drwxr-xr-x" and the MODE operands of chmod, mkdir -m and find -perm.
//
// Source: POSIX chmod(1), GNU coreutils manual "File permissions".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock {

inline constexpr uint32_t kSetUid = 04000;
inline constexpr uint32_t kSetGid = 02000;
inline constexpr uint32_t kSticky = 01000;
inline constexpr uint32_t kModeBits = 07777;

// The ten characters of ls -l; `type` is its first one ('-', 'd', 'l', …).
std::string ModeString(char type, uint32_t mode);

// A parsed MODE: octal ("0644") or symbolic ("u+x,go-w").
class ModeChange {
 public:
  // Errors: kInvalid.
  static Result<ModeChange> Parse(std::string_view text);
  // Sets exactly these bits (chmod --reference).
  static ModeChange Exactly(uint32_t mode);

  // The mode that results from `mode`. Clauses without "who" leave out the bits of `umask`. For a
  // directory, set-id bits stay unless the text names them.
  // `decided` gets the bits that the text says something about.
  uint32_t Apply(uint32_t mode, bool is_directory, uint32_t umask, uint32_t* decided = nullptr) const;

 private:
  enum class Value : uint8_t { kBits, kCopy, kExecuteIfAny };
  struct Clause {
    char operation;        // '+', '-' or '='
    Value kind;
    uint32_t affected;     // 0 when no "who" was given
    uint32_t bits;
    uint32_t mentioned;    // set-id bits outside are kept on directories
  };
  static Result<Clause> ParseClause(std::string_view& rest, uint32_t affected);

  std::vector<Clause> clauses_;
};

}  // namespace paddock
