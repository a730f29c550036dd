// Splitting text into fields: the rules that FS, FIELDWIDTHS and FPAT set, and the current record.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "lang/awk/value.h"
#include "text/regex.h"

namespace paddock {
class Budget;
}

namespace paddock::awk {

class PatternCache;

// What split() and patsplit() see of one field: the field, then the separator after it. The separator
// before the first field is reported as a field with is_lead.
struct FieldSpan {
  size_t begin, end;
  size_t separator_begin, separator_end;
  bool is_lead = false;
};

class FieldRule {
 public:
  enum class Kind : uint8_t {
    kBlanks,      // runs of blanks and newlines, none at the ends
    kByte,        // one byte
    kCharacters,  // every character is a field
    kPattern,     // matches separate
    kContent,     // matches are fields
    kWidths,      // columns
  };

  Kind kind() const { return kind_; }
  char byte() const { return byte_; }
  const std::string& pattern() const { return pattern_; }
  bool newline_separates() const { return newline_separates_; }

  // The rule of a separator as FS or split() take it. One byte is never a pattern.
  static FieldRule FromSeparator(std::string_view separator, bool is_utf8);
  static FieldRule FromPattern(std::string_view pattern);
  static FieldRule FromContent(std::string_view pattern);
  // "3 5:2 *"; an error names the part that is wrong.
  static Result<FieldRule> FromWidths(std::string_view widths);
  // As FS works while RS is empty: newlines separate too, unless it is a pattern.
  FieldRule WithNewlines() const;

  // Calls `take` for each field of `text` until it answers false.
  Status Split(std::string_view text, PatternCache& patterns, bool is_utf8, Budget& budget,
               const std::function<bool(const FieldSpan&)>& take) const;

 private:
  Status SplitByPattern(std::string_view text, PatternCache& patterns, Budget& budget,
                        const std::function<bool(const FieldSpan&)>& take) const;
  Status SplitByContent(std::string_view text, PatternCache& patterns, Budget& budget,
                        const std::function<bool(const FieldSpan&)>& take) const;
  void SplitByWidths(std::string_view text, bool is_utf8,
                     const std::function<bool(const FieldSpan&)>& take) const;

  struct Column {
    size_t skip;
    size_t width;  // npos: the rest
  };

  Kind kind_ = Kind::kBlanks;
  char byte_ = ' ';
  bool newline_separates_ = false;
  std::string pattern_;
  std::vector<Column> columns_;
};

// $0 and its fields. Fields are found when they are asked for, and only as far as they are asked for; $0
// is put together again when it is asked for after a field was changed.
class Record {
 public:
  Record(PatternCache& patterns, bool is_utf8, Budget& budget);

  // A new $0, to be split by the rule in force.
  void Set(std::string_view text);
  // $0 = value: the record keeps the value's type.
  void Assign(const Value& value);
  // Changes the rule for later records; this one keeps the rule it was read under.
  void set_rule(FieldRule rule);
  // OFS and CONVFMT as they are when a record is put together.
  // Fields may be hexadecimal or octal numbers (-n).
  void set_reads_non_decimal() { reads_non_decimal_ = true; }
  void set_formats(const std::string* ofs, const std::string* convfmt) {
    ofs_ = ofs;
    convfmt_ = convfmt;
  }

  std::string_view text() {
    if (needs_text_) [[unlikely]] Rebuild();
    return text_;
  }
  // Index 0 is the whole record. Beyond the last field: unassigned.
  Value Field(size_t index);
  // The text of a field for output or look-up; valid until the record changes. `number_format` is OFMT or CONVFMT.
  std::string_view FieldText(size_t index, std::string_view number_format);
  double FieldNumber(size_t index);
  size_t field_count() {
    if (!is_split_) SplitTo(SIZE_MAX);
    return count_;
  }

  // Index at least 1; fields in between become empty.
  void SetField(size_t index, Value value);
  void SetFieldCount(size_t count);

  // The first error that splitting met (a pattern that does not compile), reported once.
  Status TakeStatus() { return std::exchange(status_, {}); }
  bool has_failed() const { return !status_; }

 private:
  Value MakeInput(std::string_view text) const;
  bool reads_non_decimal_ = false;
  struct Span {
    size_t begin, end;
  };
  void SplitTo(size_t index);
  void SplitBlanks(size_t index);
  void SplitByte(size_t index);
  void SplitOther();
  void Rebuild();
  std::string_view SpanText(size_t index) const {
    const Span& span = spans_[index - 1];
    return std::string_view(spans_in_text_ ? text_ : split_text_)
        .substr(span.begin, span.end - span.begin);
  }
  void MakeRoom(size_t count);
  void AddEmptyFields(size_t count);

  PatternCache& patterns_;
  bool is_utf8_;
  Budget& budget_;
  FieldRule rule_;
  const std::string* ofs_ = nullptr;
  const std::string* convfmt_ = nullptr;

  std::string text_;        // $0
  std::string split_text_;  // what the spans lie in once $0 was put together anew
  std::string scratch_;
  bool spans_in_text_ = true;
  bool needs_text_ = false;
  bool is_set_ = false;     // there was a record
  bool is_split_ = true;
  size_t next_ = 0;         // where splitting goes on
  size_t count_ = 0;        // fields found so far
  std::vector<Span> spans_;
  std::vector<Value> values_;  // by index; untyped where only the span is known
  size_t values_end_ = 0;      // values from here on are all untyped
  Status status_;
};

}  // namespace paddock::awk
