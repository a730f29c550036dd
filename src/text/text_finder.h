// TextFinder: looks for one string in text, many positions at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace paddock {

// In time linear in the text, whatever both hold. The string is kept.
class TextFinder {
 public:
  explicit TextFinder(std::string_view wanted);

  // Where the first occurrence at or after `from` begins; npos if there is none. The empty string is found at once.
  size_t Find(std::string_view text, size_t from = 0) const;
  const std::string& wanted() const { return wanted_; }

 private:
  std::string wanted_;
  // Two of its bytes that are rare in most text; positions that hold both are looked at. In order.
  size_t first_ = 0;
  size_t second_ = 0;
};

}  // namespace paddock
