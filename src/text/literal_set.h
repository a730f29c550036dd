// Many literal strings looked for at once (Aho–Corasick): grep -F with a list of words.
//
// One pass over the text, a table look-up a byte, however many strings there are.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace paddock {

class Budget;

class LiteralSet {
 public:
  // The strings must not be empty. `ignore_case` is for ASCII letters only. Nothing when the table would
  // take more than `max_bytes`.
  static std::optional<LiteralSet> Make(std::span<const std::string> strings, bool ignore_case,
                                        size_t max_bytes = 64 << 20);

  struct Found {
    size_t begin;
    size_t end;
  };
  // Decides whether an occurrence counts.
  using Filter = std::function<bool(size_t begin, size_t end)>;

  // The occurrence that ends first, at or after `from`; null filter: every one counts.
  std::optional<Found> FindAny(std::string_view text, size_t from, const Filter& filter, Budget& budget) const;
  // The leftmost occurrence, the longest of those.
  std::optional<Found> FindLeftmost(std::string_view text, size_t from, const Filter& filter, Budget& budget) const;

 private:
  struct Node {
    uint32_t length = 0;       // of the string that ends here, 0 if none
    uint32_t depth = 0;
    uint32_t next_output = 0;  // the longest suffix that is a string, 0 if none
  };
  LiteralSet() = default;
  void AddStrings(std::span<const std::string> strings);
  void LinkSuffixes();

  std::array<uint16_t, 256> class_of_{};
  size_t class_count_ = 1;
  std::vector<uint32_t> next_;   // by node × class; the top bit says that a string ends in that node
  std::vector<Node> nodes_;
};

}  // namespace paddock
