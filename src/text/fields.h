// Lists of fields or positions as cut and numfmt take them: "1,3-5,-2,7-".
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock {

inline constexpr uint64_t kLastField = std::numeric_limits<uint64_t>::max();

// Fields `first` to `last`, counted from 1, both included; `last` is kLastField for "to the end".
struct FieldRange {
  uint64_t first;
  uint64_t last;
};

struct FieldListRules {
  bool is_positions = false;    // the wording of errors: bytes or characters instead of fields
  bool allows_dash = false;     // "-" alone means all
  bool complement = false;      // the fields that the list does not name
  bool is_utf8 = false;         // how errors quote
};

// Parses a list; items are separated by commas or blanks. The ranges come back in ascending order, those
// that overlap as one (adjacent ones stay apart, since an output delimiter goes between them). Errors are
// kSyntax with the tool's wording.
Result<std::vector<FieldRange>> ParseFieldList(std::string_view text, const FieldListRules& rules);

// Walks along ranges in step with a counter that only grows.
class FieldCursor {
 public:
  explicit FieldCursor(const std::vector<FieldRange>& ranges) : range_(ranges.data()), end_(range_ + ranges.size()) {}
  // True when `field` is selected; `field` is at least that of the last call.
  bool Selects(uint64_t field) {
    while (range_ != end_ && range_->last < field) ++range_;
    return range_ != end_ && range_->first <= field;
  }
  // True when no field at or after the last one asked for is selected.
  bool is_past() const { return range_ == end_; }
  // True when everything from the last field asked for on is selected.
  bool takes_rest() const { return range_ != end_ && range_->last == kLastField; }
  // True when the last field asked for begins a range.
  bool begins_range(uint64_t field) const { return range_ != end_ && range_->first == field; }

 private:
  const FieldRange* range_;
  const FieldRange* end_;
};

}  // namespace paddock
