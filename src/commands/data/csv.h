// What the subcommands of csv share: their options, their inputs and how columns are named.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/input_files.h"
#include "proc/command.h"
#include "text/csv.h"

namespace paddock::data {

struct CsvOptions {
  std::string delimiter = ",";
  std::string out_delimiter;        // empty: the delimiter
  bool has_no_headers = false;
  bool is_flexible = false;         // records may differ in length
  std::string columns;              // -s
  bool inverts = false;
  bool ignores_case = false;
  bool is_numeric = false;
  bool is_reverse = false;
  bool is_unique = false;
  bool is_any = false;
  bool just_names = false;
  bool is_left = false, is_right = false, is_full = false, is_cross = false;
  bool everything = false;
  bool infers = false;
  bool is_lines = false;
  bool is_compact = false;
  uint64_t count = 10;
  std::optional<uint64_t> start, end, length, index;
  uint64_t limit = 10;
  std::vector<std::string> expressions;
};

struct CsvCommand {
  const char* name;
  const char* summary;
  const char* synopsis;
  const char* details;
  std::span<const Option> options;
  ExitStatus (*run)(Invocation& in, const CsvOptions& options, const std::vector<std::string>& operands);
};

// The subcommands, in groups as they stand in files.
std::span<const CsvCommand> CsvRowCommands();
std::span<const CsvCommand> CsvOrderCommands();
std::span<const CsvCommand> CsvSummaryCommands();
std::span<const CsvCommand> CsvJsonCommands();

// One input, its headers read. Complains about what is wrong with it.
class CsvFile {
 public:
  // Null after a complaint.
  static std::unique_ptr<CsvFile> Open(Invocation& in, const CsvOptions& options, const std::string& name);

  // The names of the columns; "1", "2" … when there are none.
  const CsvRecord& headers() const { return headers_; }
  bool has_headers() const { return has_headers_; }
  // The next record. False at the end and after a complaint.
  bool Next(CsvRecord& record);
  bool is_good() const { return is_good_; }

 private:
  CsvFile(Invocation& in, const CsvOptions& options, InputFile file);
  bool Read(CsvRecord& record);

  Invocation& in_;
  InputFile file_;
  CsvReader reader_;
  bool has_headers_;
  bool is_flexible_;
  bool is_good_ = true;
  CsvRecord headers_;
  std::optional<CsvRecord> first_;    // a record that was read for its length
};

// Writes records to standard output.
class CsvOut {
 public:
  CsvOut(Invocation& in, const CsvOptions& options);
  void Write(const CsvRecord& record);
  // The headers of `file`, if it has some.
  void WriteHeaders(const CsvFile& file) {
    if (file.has_headers()) Write(file.headers());
  }

 private:
  Invocation& in_;
  char delimiter_;
  std::string text_;
};

// The numbers (from 0) of the columns that `text` names: names, numbers from 1, ranges 2-4, 3- and name-name, between
// commas; a leading ! stands for all others; "a name" in quotes. Nothing after a complaint. Empty text: all.
std::optional<std::vector<size_t>> SelectColumns(Invocation& in, std::string_view text, const CsvFile& file);

// The number that a field is, blanks around it aside.
std::optional<double> CsvNumber(std::string_view field);
std::string CsvNumberText(double number);

// The field, or empty text beyond the record's end.
inline std::string_view FieldAt(const CsvRecord& record, size_t column) {
  return column < record.size() ? std::string_view(record[column]) : std::string_view();
}

// The one file operand at `at`, "-" when there is none.
std::string CsvOperand(const std::vector<std::string>& operands, size_t at);

inline constexpr Option kCsvDelimiter = Value<&CsvOptions::delimiter>('d', "delimiter", "CHAR", "what stands between fields (,); \\t or tab for a tab");
inline constexpr Option kCsvOutDelimiter = Value<&CsvOptions::out_delimiter>('D', "out-delimiter", "CHAR", "what is written between fields (the same)");
inline constexpr Option kCsvNoHeaders = Flag<&CsvOptions::has_no_headers>('H', "no-headers", "the first record is data; columns are numbers");
inline constexpr Option kCsvNoHeadersToo = Flag<&CsvOptions::has_no_headers>('n', nullptr, "the same as -H");
inline constexpr Option kCsvFlexible = Flag<&CsvOptions::is_flexible>('F', "flexible", "records may differ in length");
inline constexpr Option kCsvColumns = Value<&CsvOptions::columns>('s', "select", "COLUMNS", "only these columns");

}  // namespace paddock::data
