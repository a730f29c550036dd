// csv: other forms of the same: JSON, tables for the eye.
#include <algorithm>
#include <unordered_map>

#include "commands/data/csv.h"
#include "lang/jq/json_reader.h"
#include "lang/jq/json_writer.h"
#include "lang/jq/number.h"
#include "text/utf8.h"

namespace paddock::data {
namespace {

using Operands = std::vector<std::string>;
using jq::Value;

// A field as it looks: a number as JSON writes them, true, false, nothing.
Value Inferred(const std::string& field) {
  if (field.empty()) return Value::Null();
  if (field == "true" || field == "false") return Value::Bool(field == "true");
  const size_t digits = field[0] == '-' ? 1 : 0;
  const bool has_zeros = field.size() > digits + 1 && field[digits] == '0' && field[digits + 1] >= '0' && field[digits + 1] <= '9';
  const bool is_plain = field.size() > digits && field[digits] >= '0' && field[digits] <= '9' && !field.ends_with('.');
  if (is_plain && !has_zeros) {
    if (Value number = jq::ParseNumber(field); number.is_valid()) return number;
  }
  return jq::StringFromBytes(field);
}

ExitStatus ToJson(Invocation& in, const CsvOptions& options, const Operands& operands) {
  const auto file = CsvFile::Open(in, options, CsvOperand(operands, 0));
  if (file == nullptr) return 1;
  std::vector<Value> keys;
  for (const std::string& header : file->headers()) keys.push_back(jq::StringFromBytes(header));
  const jq::WriteStyle style;
  std::string text;
  const char* separator = options.is_lines ? "" : "[";
  for (CsvRecord record; file->Next(record) && in.out.status();) {
    Value row = file->has_headers() ? Value::Object() : Value::Array();
    for (size_t i = 0; i < record.size(); ++i) {
      in.budget.Step();
      Value field = options.infers ? Inferred(record[i]) : jq::StringFromBytes(record[i]);
      if (!file->has_headers()) {
        row.Append(std::move(field));
      } else if (i < keys.size()) {
        row.Set(keys[i].text(), std::move(field));
      } else {
        row.Set(std::to_string(i + 1), std::move(field));
      }
    }
    text = separator;
    if (!options.is_lines && !options.is_compact) text += *separator == '[' ? "\n  " : "\n  ";
    jq::WriteJson(row, style, text, in.budget);
    if (options.is_lines) text += '\n';
    if (!options.is_lines) separator = ",";
    in.out.Write(text);
  }
  if (!options.is_lines) in.out.Write(*separator == '[' ? "[]\n" : options.is_compact ? "]\n" : "\n]\n");
  return file->is_good() ? 0 : 1;
}

class FromJsonReader {
 public:
  FromJsonReader(Invocation& in, const CsvOptions& options) : in_(in), options_(options) {}

  ExitStatus Run(const std::string& name) {
    Result<InputFile> file = InputFile::Open(in_, name);
    if (!file) {
      ReportFile(in_, name, file.error());
      return 1;
    }
    size_t pending = 0;
    jq::JsonReader reader(
        [&] {
          file->input().Consume(pending);
          const std::string_view block = file->input().Peek();
          pending = block.size();
          return block;
        },
        {}, in_.budget);
    for (;;) {
      Value value;
      const auto got = reader.Next(value);
      if (got == jq::JsonReader::Got::kEnd) break;
      if (got == jq::JsonReader::Got::kError) return in_.Fail(name + ": " + reader.error());
      if (value.is_array() && std::all_of(value.begin(), value.end(), [](const Value& row) { return row.is_object() || row.is_array(); })) {
        for (const Value& row : value) Add(row);
      } else {
        Add(value);
      }
    }
    if (const Status& status = file->input().status(); !status) {
      ReportFile(in_, name, status.error());
      return 1;
    }
    return Write();
  }

 private:
  void Add(const Value& row) {
    in_.budget.Step();
    rows_.push_back(row);
    if (!row.is_object()) return;
    size_t cursor = 0;
    jq::Text* key = nullptr;
    const Value* value = nullptr;
    while (row.Next(cursor, key, value)) {
      in_.budget.Step();
      if (index_.emplace(std::string(key->view()), columns_.size()).second) columns_.emplace_back(key->view());
    }
  }

  std::string FieldOf(const Value& value) {
    if (value.is_null()) return "";
    return value.is_string() ? std::string(value.view()) : jq::JsonText(value, in_.budget);
  }

  ExitStatus Write() {
    CsvOut out(in_, options_);
    if (!columns_.empty() && !options_.has_no_headers) out.Write(columns_);
    CsvRecord record;
    for (const Value& row : rows_) {
      in_.budget.Step(1 + static_cast<int64_t>(columns_.size()));
      record.clear();
      if (row.is_object()) {
        for (const std::string& column : columns_) {
          const Value* value = row.Find(column);
          record.push_back(value == nullptr ? "" : FieldOf(*value));
        }
      } else if (row.is_array()) {
        for (const Value& item : row) record.push_back(FieldOf(item));
      } else {
        return in_.Fail("neither an object nor an array: " + jq::JsonText(row, in_.budget).substr(0, 40));
      }
      if (!record.empty()) out.Write(record);
    }
    return 0;
  }

  Invocation& in_;
  const CsvOptions& options_;
  std::vector<Value> rows_;
  std::vector<std::string> columns_;
  std::unordered_map<std::string, size_t> index_;
};

ExitStatus FromJson(Invocation& in, const CsvOptions& options, const Operands& operands) {
  return FromJsonReader(in, options).Run(CsvOperand(operands, 0));
}

// On one line: what would break it is a blank.
std::string OneLine(const std::string& field) {
  std::string line = field;
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return line;
}

ExitStatus Table(Invocation& in, const CsvOptions& options, const Operands& operands) {
  const auto file = CsvFile::Open(in, options, CsvOperand(operands, 0));
  if (file == nullptr) return 1;
  std::vector<CsvRecord> rows;
  std::vector<size_t> widths;
  const auto add = [&](const CsvRecord& record) {
    CsvRecord row;
    for (size_t i = 0; i < record.size(); ++i) {
      in.budget.Step();
      row.push_back(OneLine(record[i]));
      if (i >= widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], TextWidth(row[i]));
    }
    rows.push_back(std::move(row));
  };
  if (file->has_headers()) add(file->headers());
  for (CsvRecord record; file->Next(record);) add(record);
  std::string line;
  for (const CsvRecord& row : rows) {
    line.clear();
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 == row.size()) break;
      const size_t padding = widths[i] - TextWidth(row[i]) + 2;
      in.budget.Step(1 + static_cast<int64_t>(padding / 32));
      in.budget.WillAllocate(padding);
      line.append(padding, ' ');
    }
    in.out.WriteLine(line);
  }
  return file->is_good() ? 0 : 1;
}

constexpr Option kToJsonOptions[] = {kCsvDelimiter, kCsvNoHeaders, kCsvNoHeadersToo, kCsvFlexible,
                                     Flag<&CsvOptions::infers>('i', "infer", "numbers, true and false as such, empty fields as null"),
                                     Flag<&CsvOptions::is_lines>('l', "lines", "one object a line, no array"),
                                     Flag<&CsvOptions::is_compact>('c', "compact", "the array on one line")};
constexpr Option kFromJsonOptions[] = {paddock::Value<&CsvOptions::delimiter>('d', "delimiter", "CHAR", "what is written between fields (,)"),
                                       Flag<&CsvOptions::has_no_headers>('H', "no-headers", "no record of names")};
constexpr Option kTableOptions[] = {kCsvDelimiter, kCsvNoHeaders, kCsvNoHeadersToo, kCsvFlexible};
constexpr CsvCommand kCommands[] = {
    {"tojson", "records as JSON objects", "[FILE]", "Without headers records are arrays.\n", kToJsonOptions, ToJson},
    {"fromjson", "JSON objects as records", "[FILE]",
     "Reads an array of objects (or of arrays), or one after the other. The columns are\nall keys in the order in which they come; nested values are JSON.\n",
     kFromJsonOptions, FromJson},
    {"table", "columns aligned for reading", "[FILE]", "", kTableOptions, Table},
};

}  // namespace

std::span<const CsvCommand> CsvJsonCommands() { return kCommands; }

}  // namespace paddock::data
