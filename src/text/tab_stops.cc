#include "text/tab_stops.h"

#include <algorithm>

#include "text/quote.h"

namespace paddock {

Status TabStops::AddList(std::string_view list, bool is_utf8) {
  Rest kind = Rest::kNone;
  for (size_t i = 0; i < list.size();) {
    const char c = list[i];
    if (c == ',' || c == ' ' || c == '\t') {
      ++i;
    } else if (c == '/' || c == '+') {
      const bool is_inside = i > 0 && list[i - 1] >= '0' && list[i - 1] <= '9';
      if (is_inside) {
        return Error(Code::kInvalid, std::string("'") + c + "' specifier not at start of number: " +
                                         Quote(list.substr(i), is_utf8));
      }
      kind = c == '/' ? Rest::kMultiples : Rest::kSteps;
      ++i;
    } else if (c >= '0' && c <= '9') {
      const size_t begin = i;
      uint64_t number = 0;
      bool is_overflow = false;
      for (; i < list.size() && list[i] >= '0' && list[i] <= '9'; ++i) {
        is_overflow |= __builtin_mul_overflow(number, uint64_t{10}, &number) ||
                       __builtin_add_overflow(number, static_cast<uint64_t>(list[i] - '0'), &number);
      }
      if (is_overflow) {
        return Error(Code::kInvalid, "tab stop is too large " + Quote(list.substr(begin, i - begin), is_utf8));
      }
      PADDOCK_TRY(AddNumber(number, kind));   // a prefix stays in force
    } else {
      return Error(Code::kInvalid, "tab size contains invalid character(s): " + Quote(list.substr(i), is_utf8));
    }
  }
  return {};
}

Status TabStops::Add(uint64_t column) { return AddNumber(column, Rest::kNone); }

Status TabStops::AddNumber(uint64_t number, Rest kind) {
  if (kind == Rest::kNone) {
    columns_.push_back(number);
    return {};
  }
  uint64_t& size = kind == Rest::kMultiples ? multiples_ : steps_;
  if (size != 0) {
    return Error(Code::kInvalid, std::string(kind == Rest::kMultiples ? "'/'" : "'+'") +
                                     " specifier only allowed with the last value");
  }
  size = number;
  return {};
}

Status TabStops::Finish() {
  uint64_t before = 0;
  for (const uint64_t column : columns_) {
    if (column == 0) return Error(Code::kInvalid, "tab size cannot be 0");
    if (column <= before) return Error(Code::kInvalid, "tab sizes must be ascending");
    before = column;
  }
  if (multiples_ != 0 && steps_ != 0) {
    return Error(Code::kInvalid, "'/' specifier is mutually exclusive with '+'");
  }
  if (columns_.empty()) size_ = multiples_ != 0 ? multiples_ : steps_ != 0 ? steps_ : 8;
  else if (columns_.size() == 1 && multiples_ == 0 && steps_ == 0) size_ = columns_[0];
  return {};
}

std::optional<uint64_t> TabStops::Next(uint64_t column) const {
  if (size_ != 0) return column + (size_ - column % size_);
  const auto found = std::upper_bound(columns_.begin(), columns_.end(), column);
  if (found != columns_.end()) return *found;
  if (multiples_ != 0) return column + (multiples_ - column % multiples_);
  if (steps_ != 0) return column + (steps_ - (column - columns_.back()) % steps_);
  return std::nullopt;
}

}  // namespace paddock
