// Patterns, and the addresses in front of commands.

#include "lang/ed/editor_state.h"

#include <algorithm>
#include <charconv>

namespace paddock::ed {

Result<size_t> Editor::TakeNumber() {
  size_t value = 0;
  const auto [end, error] = std::from_chars(line_.data() + at_, line_.data() + line_.size(), value);
  at_ = static_cast<size_t>(end - line_.data());
  if (error != std::errc() || value > size_t{1} << 40) return Bad("Number out of range");
  return value;
}

Result<std::string> Editor::TakePattern(char delimiter, bool& is_closed) {
  std::string pattern;
  is_closed = false;
  while (!is_at_end()) {
    budget_.Step();
    if (Look() == delimiter) {
      is_closed = true;
      ++at_;
      break;
    }
    if (Look() == '[') {
      PADDOCK_TRY(TakeSet(pattern));
      continue;
    }
    if (Look() == '\\' && at_ + 1 < line_.size()) {
      // The delimiter without a meaning of its own.
      if (line_[at_ + 1] != delimiter) pattern += '\\';
      ++at_;
    }
    pattern += Take();
  }
  return pattern;
}

Status Editor::TakeSet(std::string& pattern) {
  const size_t begin = at_++;
  if (Look() == '^') ++at_;
  if (Look() == ']') ++at_;
  while (Look() != ']') {
    if (is_at_end()) return Bad("Unbalanced brackets ([])");
    const char c = Take();
    if (c == '[' && (Look() == '.' || Look() == ':' || Look() == '=')) {
      const std::string end{line_[at_], ']'};
      const size_t close = line_.find(end, at_ + 1);
      if (close == std::string::npos) return Bad("Unbalanced brackets ([])");
      at_ = close + 2;
    }
  }
  ++at_;
  pattern += line_.substr(begin, at_ - begin);
  return {};
}

Result<std::shared_ptr<const Regex>> Editor::Compile(const std::string& pattern, bool ignores_case) {
  if (pattern.empty()) {
    if (regex_ == nullptr) return Bad("No previous pattern");
    return regex_;
  }
  auto regex = Regex::Compile(pattern, {.dialect = o_.is_extended ? RegexDialect::kSedExtended : RegexDialect::kBasic,
                                        .ignore_case = ignores_case,
                                        .is_utf8 = o_.is_utf8});
  if (!regex) return Error(Code::kInvalid, std::string(regex.error().Text()));
  regex_ = std::make_shared<const Regex>(std::move(*regex));
  return regex_;
}

Result<bool> Editor::Matches(const Regex& regex, size_t number) {
  const std::string& text = buffer_.at(number)->text;
  budget_.Step(static_cast<int64_t>(1 + text.size() / 64));
  auto found = regex.Search(text, 0, nullptr, budget_);
  if (!found) return Error(Code::kInvalid, std::string(found.error().Text()));
  return *found;
}

Result<size_t> Editor::TakeSearch(char delimiter) {
  bool is_closed = false;
  PADDOCK_ASSIGN(const std::string pattern, TakePattern(delimiter, is_closed));
  bool ignores_case = false;
  if (is_closed && Look() == 'I') ++at_, ignores_case = true;
  PADDOCK_ASSIGN(const auto regex, Compile(pattern, ignores_case));
  const size_t size = buffer_.size();
  size_t number = buffer_.current();
  for (size_t i = 0; i < size; ++i) {
    if (delimiter == '/') number = number >= size ? 1 : number + 1;
    else number = number <= 1 ? size : number - 1;
    PADDOCK_ASSIGN(const bool is_match, Matches(*regex, number));
    if (is_match) return number;
  }
  return Bad("No match");
}

Result<std::optional<size_t>> Editor::TakeAddress() {
  SkipBlanks();
  std::optional<int64_t> value;
  const char c = Look();
  if (is_at_end()) return std::optional<size_t>();
  if (IsDigit(c)) {
    PADDOCK_ASSIGN(const size_t number, TakeNumber());
    value = static_cast<int64_t>(number);
  } else if (c == '.' || c == '$') {
    ++at_;
    value = static_cast<int64_t>(c == '.' ? buffer_.current() : buffer_.size());
  } else if (c == '/' || c == '?') {
    ++at_;
    PADDOCK_ASSIGN(const size_t number, TakeSearch(c));
    value = static_cast<int64_t>(number);
  } else if (c == '\'') {
    ++at_;
    PADDOCK_ASSIGN(const size_t number, TakeMark());
    value = static_cast<int64_t>(number);
  }
  while (true) {
    SkipBlanks();
    const char sign = Look();
    if (is_at_end() || (sign != '+' && sign != '-' && !(IsDigit(sign) && value))) break;
    if (!IsDigit(sign)) ++at_;
    size_t step = 1;
    if (IsDigit(Look())) {
      PADDOCK_ASSIGN(step, TakeNumber());
    }
    const auto base = value.value_or(static_cast<int64_t>(buffer_.current()));
    value = sign == '+' || IsDigit(sign) ? base + static_cast<int64_t>(step) : base - static_cast<int64_t>(step);
  }
  if (!value) return std::optional<size_t>();
  if (*value < 0 || static_cast<size_t>(*value) > buffer_.size()) return Bad("Invalid address");
  return std::optional(static_cast<size_t>(*value));
}

Result<size_t> Editor::TakeMark() {
  const char name = Take();
  if (name < 'a' || name > 'z') return Bad("Invalid mark character");
  const LinePtr& line = marks_[name - 'a'];
  const size_t number = line == nullptr ? 0 : buffer_.Find(*line, buffer_.current());
  if (number == 0) return Bad("Invalid address");
  return number;
}

Result<Editor::Range> Editor::TakeRange() {
  Range range;
  const auto push = [&](size_t number) {
    range.first = range.count == 0 ? number : range.second;
    range.second = number;
    range.count = std::min(range.count + 1, 2);
  };
  std::optional<size_t> missing;   // what stands behind a separator when nothing does
  while (true) {
    budget_.Step();
    PADDOCK_ASSIGN(const std::optional<size_t> address, TakeAddress());
    if (address) push(*address);
    const char separator = Look();
    const bool is_all = separator == '%' && !is_at_end() && !address;
    if (is_at_end() || (separator != ',' && separator != ';' && !is_all)) {
      if (!address && missing) push(*missing);
      return range;
    }
    ++at_;
    if (!address) push(missing.value_or(separator == ';' ? buffer_.current() : 1));
    missing = address.value_or(buffer_.size());
    if (separator == ';') buffer_.set_current(range.second);
  }
}

Status Editor::Settle(Range& range, size_t first, size_t second) const {
  if (range.count == 0) range.first = first, range.second = second;
  else if (range.count == 1) range.first = range.second;
  if (range.first < 1 || range.second < range.first || range.second > buffer_.size()) return Bad("Invalid address");
  return {};
}

Result<size_t> Editor::Single(const Range& range, size_t otherwise) const {
  const size_t number = range.count == 0 ? otherwise : range.second;
  if (number > buffer_.size()) return Bad("Invalid address");
  return number;
}

Result<size_t> Editor::TakeDestination() {
  PADDOCK_ASSIGN(const Range range, TakeRange());
  return Single(range, buffer_.current());
}

}  // namespace paddock::ed
