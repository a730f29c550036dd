// What an archive of ar(1) holds, in GNU's format or with BSD's long names; thin ones, too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"

namespace paddock {

inline constexpr std::string_view kArMagic = "!<arch>\n", kArThinMagic = "!<thin>\n";
inline constexpr size_t kArHeaderBytes = 60;

struct ArMember {
  std::string name;
  std::string field;          // its name as it was read, in GNU's way
  std::string head;           // its date, owner, group and mode: 32 bytes of the header
  std::string_view stored;    // in the archive that was read
  uint64_t header = 0;        // where its header is
  uint64_t offset = 0, told_size = 0;
  std::string outside;        // in a thin archive: the file that has its content
  bool is_cut = false;        // the archive ends in it
  std::optional<std::string> own;   // of a file that was added
  std::string_view content() const { return own ? std::string_view(*own) : stored; }

  uint64_t Number(size_t at, size_t size, uint64_t base) const {
    uint64_t value = 0;
    for (const char c : std::string_view(head).substr(at, size)) {
      if (c < '0' || c >= static_cast<char>('0' + base) || value > (UINT64_MAX >> 8)) break;
      value = value * base + static_cast<uint64_t>(c - '0');
    }
    return value;
  }
  int64_t date() const { return static_cast<int64_t>(std::min<uint64_t>(Number(0, 12, 10), INT64_MAX)); }
  uint64_t uid() const { return Number(12, 6, 10); }
  uint64_t gid() const { return Number(18, 6, 10); }
  uint32_t mode() const { return static_cast<uint32_t>(Number(24, 8, 8) & 07777); }
};

struct ArParts {
  std::vector<ArMember> members;   // without tables of symbols and of names
  bool is_broken = false;          // up to a header that is none
  bool has_cut = false;
};

// `text` begins with one of the marks and outlives what is returned.
ArParts ParseAr(std::string_view text, Budget& budget);

}  // namespace paddock
