#include "commands/data/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace paddock::data {
namespace {

// A delimiter as it was given: one byte, or a name of a tab.
char DelimiterOf(const std::string& text) {
  if (text == "\\t" || text == "tab") return '\t';
  return text.empty() ? ',' : text[0];
}

class Selection {
 public:
  Selection(Invocation& in, std::string_view text, const CsvFile& file) : in_(in), text_(text), headers_(file.headers()) {}

  std::optional<std::vector<size_t>> Columns() {
    std::vector<size_t> columns;
    const bool is_inverse = !text_.empty() && text_[0] == '!';
    if (is_inverse) at_ = 1;
    while (at_ <= text_.size() && !text_.empty()) {
      in_.budget.Step();
      if (!Part(columns)) return std::nullopt;
      if (at_ >= text_.size()) break;
      if (text_[at_] != ',') return Fail("unexpected text in columns: " + std::string(text_.substr(at_)));
      ++at_;
    }
    if (!is_inverse && !text_.empty()) return columns;
    std::vector<bool> is_taken(headers_.size(), false);
    for (const size_t column : columns) is_taken[column] = true;
    columns.clear();
    for (size_t i = 0; i < headers_.size(); ++i) {
      if (!is_taken[i]) columns.push_back(i);
    }
    return columns;
  }

 private:
  std::nullopt_t Fail(const std::string& message) {
    in_.Fail(message);
    return std::nullopt;
  }

  bool Part(std::vector<size_t>& columns) {
    size_t first = 0, last = headers_.empty() ? 0 : headers_.size() - 1;
    const bool is_open = at_ < text_.size() && text_[at_] == '-';
    if (!is_open) {
      const auto column = One();
      if (!column) return false;
      first = last = *column;
    }
    if (at_ < text_.size() && text_[at_] == '-') {
      ++at_;
      if (at_ >= text_.size() || text_[at_] == ',') {
        last = headers_.size() - 1;
      } else {
        const auto column = One();
        if (!column) return false;
        last = *column;
      }
    }
    for (size_t i = first;; i < last ? ++i : --i) {
      in_.budget.Step();
      columns.push_back(i);
      if (i == last) return true;
    }
  }

  // One name or number. A bare name may hold dashes when a column is called so.
  std::optional<size_t> One() {
    std::string name;
    bool is_quoted = false;
    if (at_ < text_.size() && text_[at_] == '"') {
      is_quoted = true;
      for (++at_; at_ < text_.size(); ++at_) {
        if (text_[at_] == '"' && (at_ + 1 >= text_.size() || text_[at_ + 1] != '"')) break;
        if (text_[at_] == '"') ++at_;
        name += text_[at_];
      }
      ++at_;
    } else {
      size_t end = std::min(text_.find(',', at_), text_.size());
      const std::string_view whole = text_.substr(at_, end - at_);
      if (!Find(whole)) end = std::min(end, std::min(text_.find('-', at_), text_.size()));
      name = text_.substr(at_, end - at_);
      at_ = end;
    }
    if (const auto column = Find(name)) return column;
    size_t number = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
    if (!is_quoted && !name.empty() && read.ec == std::errc() && read.ptr == name.data() + name.size()) {
      if (number >= 1 && number <= headers_.size()) return number - 1;
      return Fail("column " + name + " is not between 1 and " + std::to_string(headers_.size()));
    }
    return Fail("there is no column '" + name + "'");
  }

  std::optional<size_t> Find(std::string_view name) const {
    const auto found = std::find(headers_.begin(), headers_.end(), name);
    if (found == headers_.end()) return std::nullopt;
    return static_cast<size_t>(found - headers_.begin());
  }

  Invocation& in_;
  std::string_view text_;
  const CsvRecord& headers_;
  size_t at_ = 0;
};

}  // namespace

CsvFile::CsvFile(Invocation& in, const CsvOptions& options, InputFile file)
    : in_(in),
      file_(std::move(file)),
      reader_(file_.input(), DelimiterOf(options.delimiter), in.budget),
      has_headers_(!options.has_no_headers),
      is_flexible_(options.is_flexible) {}

std::unique_ptr<CsvFile> CsvFile::Open(Invocation& in, const CsvOptions& options, const std::string& name) {
  Result<InputFile> input = InputFile::Open(in, name);
  if (!input) {
    ReportFile(in, name, input.error());
    return nullptr;
  }
  std::unique_ptr<CsvFile> file(new CsvFile(in, options, std::move(*input)));   // allow(raw-new): the constructor is private
  CsvRecord record;
  if (file->Read(record)) {
    if (file->has_headers_) {
      file->headers_ = std::move(record);
    } else {
      for (size_t i = 1; i <= record.size(); ++i) file->headers_.push_back(std::to_string(i));
      file->first_ = std::move(record);
    }
  }
  return file->is_good_ ? std::move(file) : nullptr;
}

bool CsvFile::Read(CsvRecord& record) {
  if (reader_.Next(record)) return true;
  if (const Status& status = file_.input().status(); !status) {
    ReportFile(in_, file_.name(), status.error());
    is_good_ = false;
  }
  return false;
}

bool CsvFile::Next(CsvRecord& record) {
  if (!is_good_) return false;
  if (first_) {
    record = std::move(*first_);
    first_.reset();
    return true;
  }
  if (!Read(record)) return false;
  if (is_flexible_ || record.size() == headers_.size()) return true;
  in_.Fail(std::string(file_.is_stdin() ? "-" : file_.name()) + ": line " + std::to_string(reader_.line()) + ": " + std::to_string(record.size()) +
           " fields, but there are " + std::to_string(headers_.size()) + " columns (--flexible takes them)");
  is_good_ = false;
  return false;
}

CsvOut::CsvOut(Invocation& in, const CsvOptions& options)
    : in_(in), delimiter_(DelimiterOf(options.out_delimiter.empty() ? options.delimiter : options.out_delimiter)) {}

void CsvOut::Write(const CsvRecord& record) {
  text_.clear();
  AppendCsv(record, delimiter_, text_);
  in_.out.Write(text_);
}

std::optional<std::vector<size_t>> SelectColumns(Invocation& in, std::string_view text, const CsvFile& file) {
  return Selection(in, text, file).Columns();
}

std::optional<double> CsvNumber(std::string_view field) {
  while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
  while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
  if (field.starts_with('+') && field.size() > 1 && field[1] != '-') field.remove_prefix(1);
  if (field.empty() || (field.front() != '-' && field.front() != '.' && (field.front() < '0' || field.front() > '9'))) return std::nullopt;
  if (field.size() > 1 && field[0] == '-' && field[1] != '.' && (field[1] < '0' || field[1] > '9')) return std::nullopt;
  double number = 0;
  const auto read = std::from_chars(field.data(), field.data() + field.size(), number);
  if (read.ptr != field.data() + field.size() || read.ec != std::errc()) return std::nullopt;
  return number;
}

std::string CsvNumberText(double number) {
  std::array<char, 400> text{};
  constexpr double kWhole = 1e15;
  const bool is_whole = std::trunc(number) == number && std::fabs(number) < kWhole;
  char* end = is_whole ? std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed).ptr
                       : std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

std::string CsvOperand(const std::vector<std::string>& operands, size_t at) { return at < operands.size() ? operands[at] : "-"; }

}  // namespace paddock::data
