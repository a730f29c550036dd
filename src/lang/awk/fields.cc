#include "lang/awk/fields.h"

#include <algorithm>
#include <cstring>

#include "base/budget.h"
#include "lang/awk/number.h"
#include "lang/awk/pattern_cache.h"
#include "text/utf8.h"

namespace paddock::awk {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

size_t CharLength(std::string_view text, size_t at, bool is_utf8) {
  if (!is_utf8 || (text[at] & 0x80) == 0) return 1;
  return DecodeUtf8(text.substr(at)).length;
}

}  // namespace

FieldRule FieldRule::FromSeparator(std::string_view separator, bool is_utf8) {
  FieldRule rule;
  if (separator == " ") return rule;
  if (separator.empty()) {
    rule.kind_ = Kind::kCharacters;
    return rule;
  }
  const char c = separator[0];
  if (separator.size() == 1 && !(is_utf8 && (c & 0x80) != 0)) {
    rule.kind_ = Kind::kByte;
    rule.byte_ = c;
    return rule;
  }
  return FromPattern(separator);
}

FieldRule FieldRule::FromPattern(std::string_view pattern) {
  FieldRule rule;
  rule.kind_ = Kind::kPattern;
  rule.pattern_ = pattern;
  return rule;
}

FieldRule FieldRule::FromContent(std::string_view pattern) {
  FieldRule rule;
  rule.kind_ = Kind::kContent;
  rule.pattern_ = pattern;
  return rule;
}

Result<FieldRule> FieldRule::FromWidths(std::string_view widths) {
  FieldRule rule;
  rule.kind_ = Kind::kWidths;
  size_t at = 0;
  const auto number = [&]() -> size_t {
    size_t value = 0;
    const size_t start = at;
    while (at < widths.size() && widths[at] >= '0' && widths[at] <= '9' && at - start < 9) {
      value = value * 10 + static_cast<size_t>(widths[at++] - '0');
    }
    return at == start ? std::string_view::npos : value;
  };
  for (;;) {
    while (at < widths.size() && (widths[at] == ' ' || widths[at] == '\t')) ++at;
    if (at == widths.size()) return rule;
    const std::string place = std::to_string(rule.columns_.size() + 1);
    Column column = {0, 0};
    if (widths[at] == '*') {
      ++at;
      column.width = std::string_view::npos;
      while (at < widths.size() && (widths[at] == ' ' || widths[at] == '\t')) ++at;
      if (at < widths.size()) {
        return Error(Code::kInvalid, "`*' must be the last designator in FIELDWIDTHS");
      }
    } else {
      const size_t first = number();
      column.width = first;
      if (first != std::string_view::npos && at < widths.size() && widths[at] == ':') {
        ++at;
        column.skip = first;
        if (at < widths.size() && widths[at] == '*') {
          ++at;
          column.width = std::string_view::npos;
          rule.columns_.push_back(column);
          continue;
        }
        column.width = number();
      }
      if (column.width == std::string_view::npos || column.width == 0 ||
          (at < widths.size() && widths[at] != ' ' && widths[at] != '\t')) {
        return Error(Code::kInvalid, "invalid FIELDWIDTHS value, for field " + place + ", near `" +
                                         std::string(widths.substr(std::min(at, widths.size()))) + "'");
      }
    }
    rule.columns_.push_back(column);
  }
}

FieldRule FieldRule::WithNewlines() const {
  FieldRule rule = *this;
  rule.newline_separates_ = kind_ == Kind::kByte && byte_ != '\n';
  return rule;
}

Status FieldRule::Split(std::string_view text, PatternCache& patterns, bool is_utf8, Budget& budget,
                        const std::function<bool(const FieldSpan&)>& take) const {
  budget.Step(static_cast<int64_t>(1 + text.size() / 32));
  switch (kind_) {
    case Kind::kBlanks: {
      size_t at = 0;
      while (at < text.size() && IsBlank(text[at])) ++at;
      if (at > 0 && !take({0, 0, 0, at, true})) return {};
      while (at < text.size()) {
        const size_t begin = at;
        while (at < text.size() && !IsBlank(text[at])) ++at;
        const size_t end = at;
        while (at < text.size() && IsBlank(text[at])) ++at;
        if (!take({begin, end, end, at})) return {};
      }
      return {};
    }
    case Kind::kByte: {
      const char also = newline_separates_ ? '\n' : byte_;
      for (size_t begin = 0; !text.empty();) {
        size_t end = begin;
        while (end < text.size() && text[end] != byte_ && text[end] != also) ++end;
        const bool is_last = end == text.size();
        if (!take({begin, end, end, is_last ? end : end + 1}) || is_last) return {};
        begin = end + 1;
      }
      return {};
    }
    case Kind::kCharacters:
      for (size_t at = 0; at < text.size();) {
        const size_t end = at + CharLength(text, at, is_utf8);
        if (!take({at, end, end, end})) return {};
        at = end;
      }
      return {};
    case Kind::kPattern: return SplitByPattern(text, patterns, budget, take);
    case Kind::kContent: return SplitByContent(text, patterns, budget, take);
    case Kind::kWidths: SplitByWidths(text, is_utf8, take); return {};
  }
  return {};
}

Status FieldRule::SplitByPattern(std::string_view text, PatternCache& patterns, Budget& budget,
                                 const std::function<bool(const FieldSpan&)>& take) const {
  PADDOCK_ASSIGN(const AwkPattern* pattern, patterns.FindText(pattern_));
  if (text.empty()) return {};
  std::vector<RegexGroup> groups(1);
  size_t begin = 0;
  size_t from = 0;
  for (;;) {
    budget.Step();
    bool is_found = false;
    if (from <= text.size()) {
      PADDOCK_ASSIGN(is_found, pattern->Search(text, from, &groups, budget));
    }
    if (!is_found) {
      take({begin, text.size(), text.size(), text.size()});
      return {};
    }
    if (groups[0].begin == groups[0].end) {  // nothing separates nothing
      from = groups[0].end + 1;
      continue;
    }
    if (!take({begin, groups[0].begin, groups[0].begin, groups[0].end})) return {};
    begin = from = groups[0].end;
  }
}

Status FieldRule::SplitByContent(std::string_view text, PatternCache& patterns, Budget& budget,
                                 const std::function<bool(const FieldSpan&)>& take) const {
  PADDOCK_ASSIGN(const AwkPattern* pattern, patterns.FindText(pattern_));
  if (text.empty()) return {};
  std::vector<RegexGroup> groups(1);
  std::vector<FieldSpan> pending;  // the field whose separator is not known yet
  size_t from = 0;
  size_t last_end = 0;
  bool after_field = false;  // a field that was not empty ends at `from`
  while (from <= text.size()) {
    budget.Step();
    PADDOCK_ASSIGN(const bool is_found, pattern->Search(text, from, &groups, budget));
    if (!is_found) break;
    const size_t begin = groups[0].begin, end = groups[0].end;
    if (begin == end && after_field && begin == from) {
      // An empty match right behind a field is where its separator starts.
      after_field = false;
      ++from;
      continue;
    }
    if (pending.empty()) {
      if (!take({0, 0, 0, begin, true})) return {};
    } else {
      pending[0].separator_end = begin;
      if (!take(pending[0])) return {};
      pending.clear();
    }
    pending.push_back({begin, end, end, end});
    last_end = end;
    after_field = begin != end;
    from = after_field ? end : end + 1;
  }
  if (pending.empty()) {
    take({0, 0, 0, text.size(), true});
    return {};
  }
  pending[0].separator_begin = last_end;
  pending[0].separator_end = text.size();
  take(pending[0]);
  return {};
}

void FieldRule::SplitByWidths(std::string_view text, bool is_utf8,
                              const std::function<bool(const FieldSpan&)>& take) const {
  size_t at = 0;
  const auto skip = [&](size_t characters) {
    while (characters-- > 0 && at < text.size()) at += CharLength(text, at, is_utf8);
  };
  for (const Column& column : columns_) {
    skip(column.skip);
    if (at >= text.size()) return;
    const size_t begin = at;
    if (column.width == std::string_view::npos) {
      at = text.size();
    } else {
      skip(column.width);
    }
    if (!take({begin, at, at, at})) return;
  }
}

// --- the record

Record::Record(PatternCache& patterns, bool is_utf8, Budget& budget)
    : patterns_(patterns), is_utf8_(is_utf8), budget_(budget) {}

void Record::set_rule(FieldRule rule) {
  if (!is_split_) SplitTo(SIZE_MAX);
  rule_ = std::move(rule);
}

void Record::Set(std::string_view text) {
  text_.assign(text);
  is_set_ = true;
  spans_in_text_ = true;
  needs_text_ = false;
  is_split_ = false;
  next_ = 0;
  count_ = 0;
  for (size_t i = 0; i < values_end_; ++i) values_[i] = Value();
  values_end_ = 0;
}

void Record::Assign(const Value& value) {
  const TextOf text(value, *convfmt_);
  Set(text.view());
  if (values_.empty()) values_.resize(8);
  values_[0] = value;
  values_end_ = 1;
}

void Record::MakeRoom(size_t count) {
  if (count > spans_.size()) {
    const size_t room = std::max(count, spans_.size() * 2 + 16);
    budget_.WillAllocate((room - spans_.size()) * sizeof(Span));
    spans_.resize(room);
  }
}

void Record::SplitTo(size_t index) {
  switch (rule_.kind()) {
    case FieldRule::Kind::kBlanks: SplitBlanks(index); return;
    case FieldRule::Kind::kByte: SplitByte(index); return;
    default: SplitOther(); return;
  }
}

void Record::SplitBlanks(size_t index) {
  const char* const data = text_.data();
  const size_t size = text_.size();
  size_t at = next_;
  while (count_ < index) {
    while (at < size && IsBlank(data[at])) ++at;
    if (at == size) {
      is_split_ = true;
      break;
    }
    const size_t begin = at;
    while (at < size && !IsBlank(data[at])) ++at;
    if (count_ == spans_.size()) MakeRoom(count_ + 1);
    spans_[count_++] = {begin, at};
  }
  next_ = at;
}

void Record::SplitByte(size_t index) {
  const char* const data = text_.data();
  const size_t size = text_.size();
  const char byte = rule_.byte();
  if (size == 0) {
    is_split_ = true;
    return;
  }
  while (count_ < index) {
    size_t end = next_;
    if (rule_.newline_separates()) {
      while (end < size && data[end] != byte && data[end] != '\n') ++end;
    } else {
      const void* const found = std::memchr(data + next_, byte, size - next_);
      end = found == nullptr ? size : static_cast<size_t>(static_cast<const char*>(found) - data);
    }
    if (count_ == spans_.size()) MakeRoom(count_ + 1);
    spans_[count_++] = {next_, end};
    if (end == size) {
      is_split_ = true;
      return;
    }
    next_ = end + 1;
  }
}

void Record::SplitOther() {
  is_split_ = true;
  Status status = rule_.Split(text_, patterns_, is_utf8_, budget_, [&](const FieldSpan& field) {
    if (field.is_lead) return true;
    if (count_ == spans_.size()) MakeRoom(count_ + 1);
    spans_[count_++] = {field.begin, field.end};
    return true;
  });
  if (!status && status_) status_ = std::move(status);
}

Value Record::MakeInput(std::string_view text) const {
  Value value = Value::Input(text);
  if (reads_non_decimal_) value.text()->LookNonDecimal();
  return value;
}

Value Record::Field(size_t index) {
  if (index == 0) {
    const std::string_view whole = text();
    if (values_end_ > 0 && values_[0].kind() != Kind::kUntyped) return values_[0];
    if (!is_set_) return Value::Missing();
    Value value = MakeInput(whole);
    if (values_.empty()) values_.resize(8);
    values_[0] = value;
    values_end_ = std::max<size_t>(values_end_, 1);
    return value;
  }
  if (index > count_) {
    if (!is_split_) SplitTo(index);
    if (index > count_) return Value::Missing();
  }
  if (index < values_end_ && values_[index].kind() != Kind::kUntyped) return values_[index];
  Value value = MakeInput(SpanText(index));
  if (index >= values_.size()) values_.resize(index * 2);
  values_[index] = value;
  values_end_ = std::max(values_end_, index + 1);
  return value;
}

std::string_view Record::FieldText(size_t index, std::string_view number_format) {
  if (index == 0) return text();
  if (index > count_) {
    if (!is_split_) SplitTo(index);
    if (index > count_) return "";
  }
  if (index < values_end_ && values_[index].kind() != Kind::kUntyped) {
    if (values_[index].is_text()) return values_[index].view();
    const TextOf text(values_[index], number_format);
    scratch_ = text.view();
    return scratch_;
  }
  return SpanText(index);
}

double Record::FieldNumber(size_t index) {
  if (index > count_ && !is_split_) SplitTo(index);
  if (index == 0) return ParseNumber(text()).value;
  if (index > count_) return 0;
  if (index < values_end_ && values_[index].kind() != Kind::kUntyped) {
    return values_[index].ToNumber();
  }
  return ParseNumber(SpanText(index)).value;
}

void Record::AddEmptyFields(size_t count) {
  budget_.Step(static_cast<int64_t>(count - count_));
  MakeRoom(count);
  if (count >= values_.size()) {
    budget_.WillAllocate((count + 8) * 2 * sizeof(Value));
    values_.resize(count * 2);
  }
  for (size_t i = count_; i < count; ++i) {
    spans_[i] = {0, 0};
    values_[i + 1] = Value::Missing();
  }
  count_ = count;
  values_end_ = count + 1;
}

void Record::SetField(size_t index, Value value) {
  if (!is_split_) SplitTo(SIZE_MAX);
  if (index > count_) {
    AddEmptyFields(index);
  }
  if (index >= values_.size()) {
    budget_.WillAllocate((index + 8) * 2 * sizeof(Value));
    values_.resize(index * 2);
  }
  if (value.kind() == Kind::kUntyped) value.SetKind(Kind::kUnassigned);
  values_[index] = std::move(value);
  values_end_ = std::max(values_end_, index + 1);
  values_[0] = Value();
  needs_text_ = true;
}

void Record::SetFieldCount(size_t count) {
  if (!is_split_) SplitTo(SIZE_MAX);
  if (count > count_) AddEmptyFields(count);
  for (size_t i = count + 1; i < values_end_; ++i) values_[i] = Value();
  values_end_ = std::min(values_end_, count + 1);
  count_ = count;
  if (values_end_ > 0) values_[0] = Value();
  needs_text_ = true;
}

void Record::Rebuild() {
  needs_text_ = false;
  is_set_ = true;
  std::string whole;
  budget_.Step(static_cast<int64_t>(count_));
  for (size_t i = 1; i <= count_; ++i) {
    if (i > 1) whole += *ofs_;
    whole += FieldText(i, *convfmt_);
  }
  if (spans_in_text_) {
    split_text_.swap(text_);
    spans_in_text_ = false;
  }
  text_.swap(whole);
}

}  // namespace paddock::awk
