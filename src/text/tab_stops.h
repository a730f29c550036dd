// Tab stops as expand and unexpand take them: "4", "1,9,17", "2,/8" and "2,+8".
//
// Source: GNU coreutils manual, "expand invocation".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock {

class TabStops {
 public:
  // Adds the stops of one LIST. The error's message is the complaint.
  Status AddList(std::string_view list, bool is_utf8);
  Status Add(uint64_t column);
  // To be called after the last list and before Next(). The error's message is the complaint.
  Status Finish();

  // The first stop behind `column`; nothing behind the last one.
  std::optional<uint64_t> Next(uint64_t column) const;

 private:
  // What comes after the last stop of the list: nothing, multiples of a size, or steps from the last stop.
  enum class Rest { kNone, kMultiples, kSteps };

  Status AddNumber(uint64_t number, Rest kind);

  std::vector<uint64_t> columns_;
  uint64_t multiples_ = 0;
  uint64_t steps_ = 0;
  uint64_t size_ = 0;   // stops at all multiples; 0: the list counts
};

}  // namespace paddock
