// Cutting a byte stream into records by RS.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/stream.h"
#include "text/regex.h"

namespace paddock {
class Budget;
}

namespace paddock::awk {

class AwkPattern;

// What RS asks for. The pattern outlives every call that gets the rule.
struct RecordRule {
  enum class Kind { kByte, kParagraph, kPattern, kWhole };
  Kind kind = Kind::kByte;
  char byte = '\n';
  const AwkPattern* pattern = nullptr;
};

class RecordReader {
 public:
  // `source` outlives the reader.
  RecordReader(ByteSource& source, Budget& budget) : source_(source), budget_(budget) {}

  // From now on this rule holds, whatever Next() is given, and RT is empty.
  void set_own_rule(const RecordRule& rule) { own_rule_ = rule; }

  // Reads the next record; false at the end. The views stay valid until the next call. `terminator` is
  // what RT becomes.
  Result<bool> Next(const RecordRule& rule, std::string_view& record, std::string_view& terminator);

 private:
  Result<bool> NextByByte(char byte, std::string_view& record, std::string_view& terminator);
  Result<bool> NextParagraph(std::string_view& record, std::string_view& terminator);
  Result<bool> NextByPattern(const AwkPattern& pattern, std::string_view& record,
                             std::string_view& terminator);
  // Moves on to the next block when `rest_` is used up; false at the end.
  Result<bool> Fill();
  // Makes `rest_` longer by joining it with the next block; false at the end.
  Result<bool> Extend();
  // Makes sure that a byte which is no start of a text lies in front of `rest_`.
  void PutByteInFront();
  void Take(size_t length, size_t terminator_length, std::string_view& record,
            std::string_view& terminator);

  Result<bool> NextWhole(std::string_view& record, std::string_view& terminator);

  ByteSource& source_;
  Budget& budget_;
  Block block_;
  std::string joined_;     // holds rest_ when it spans blocks
  std::string_view rest_;  // what is not consumed
  std::optional<RecordRule> own_rule_;
  bool at_end_ = false;
  bool is_behind_start_ = false;  // something was read
  std::vector<RegexGroup> groups_{1};
};

}  // namespace paddock::awk
