#include "text/fields.h"

#include <algorithm>
#include <string>

#include "text/quote.h"

namespace paddock {
namespace {

class ListParser {
 public:
  ListParser(std::string_view text, const FieldListRules& rules) : text_(text), rules_(rules) {}

  Status Parse() {
    for (at_ = 0;; ++at_) {
      const bool is_end = at_ == text_.size();
      const char c = is_end ? ',' : text_[at_];
      if (c >= '0' && c <= '9') {
        PADDOCK_TRY(TakeNumber());
      } else if (c == '-') {
        PADDOCK_TRY(TakeDash());
      } else if (c == ',' || c == ' ' || c == '\t') {
        PADDOCK_TRY(EndItem());
      } else {
        return Complain(rules_.is_positions ? "invalid byte/character position " : "invalid field value ",
                        text_.substr(at_));
      }
      if (is_end) return {};
    }
  }

  std::vector<FieldRange> ranges;

 private:
  Error Complain(std::string_view message, std::string_view quoted) const {
    return Error(Code::kSyntax, std::string(message) + Quote(quoted, rules_.is_utf8));
  }
  Error NumberedFromOne() const {
    return Error(Code::kSyntax, rules_.is_positions ? "byte/character positions are numbered from 1"
                                                    : "fields are numbered from 1");
  }

  Status TakeNumber() {
    const size_t start = at_;
    uint64_t value = 0;
    bool is_too_large = false;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      is_too_large |= __builtin_mul_overflow(value, uint64_t{10}, &value) ||
                      __builtin_add_overflow(value, static_cast<uint64_t>(text_[at_] - '0'), &value);
    }
    const std::string_view digits = text_.substr(start, at_ - start);
    --at_;
    if (is_too_large || value == kLastField) {
      Error error = Complain(rules_.is_positions ? "byte/character offset " : "field number ", digits);
      error.message += " is too large";
      return error;
    }
    (has_dash_ ? has_right_ : has_left_) = true;
    value_ = value;
    return {};
  }

  Status TakeDash() {
    if (has_dash_) {
      return Error(Code::kSyntax,
                   rules_.is_positions ? "invalid byte or character range" : "invalid field range");
    }
    has_dash_ = true;
    if (has_left_ && value_ == 0) return NumberedFromOne();
    first_ = has_left_ ? value_ : 1;
    value_ = 0;
    return {};
  }

  Status EndItem() {
    if (!has_dash_) {
      if (value_ == 0) return NumberedFromOne();
      ranges.push_back({value_, value_});
    } else if (!has_right_) {
      if (!has_left_ && !rules_.allows_dash) {
        return Error(Code::kSyntax, "invalid range with no endpoint: -");
      }
      ranges.push_back({first_, kLastField});
    } else {
      if (value_ < first_) return Error(Code::kSyntax, "invalid decreasing range");
      ranges.push_back({first_, value_});
    }
    value_ = 0;
    has_dash_ = has_left_ = has_right_ = false;
    return {};
  }

  std::string_view text_;
  const FieldListRules& rules_;
  size_t at_ = 0;
  uint64_t first_ = 0;
  uint64_t value_ = 0;
  bool has_dash_ = false;
  bool has_left_ = false;
  bool has_right_ = false;
};

std::vector<FieldRange> Merge(std::vector<FieldRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const FieldRange& a, const FieldRange& b) { return a.first < b.first; });
  std::vector<FieldRange> merged;
  for (const FieldRange& range : ranges) {
    if (!merged.empty() && range.first <= merged.back().last) {
      merged.back().last = std::max(merged.back().last, range.last);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

std::vector<FieldRange> Complement(const std::vector<FieldRange>& ranges) {
  std::vector<FieldRange> others;
  uint64_t next = 1;
  for (const FieldRange& range : ranges) {
    if (range.first > next) others.push_back({next, range.first - 1});
    if (range.last == kLastField) return others;
    next = range.last + 1;
  }
  others.push_back({next, kLastField});
  return others;
}

}  // namespace

Result<std::vector<FieldRange>> ParseFieldList(std::string_view text, const FieldListRules& rules) {
  ListParser parser(text, rules);
  PADDOCK_TRY(parser.Parse());
  std::vector<FieldRange> merged = Merge(std::move(parser.ranges));
  return rules.complement ? Complement(merged) : merged;
}

}  // namespace paddock
