// join - join lines of two files on a common field
//
// usage: join [OPTION]... FILE1 FILE2
// For each pair of lines with the same join field, writes the field and the rest of both. The files have to
// be sorted on it.
//
// Exit status: 0, or 1 when a file could not be read or turned out not to be sorted.
// Source: POSIX join; GNU coreutils 9.1. Fields compare by bytes.
// Differs: the obsolete -o LIST spread over several operands is refused.

#include <algorithm>
#include <array>

#include "commands/input_files.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

enum class CheckOrder { kWhenUnpaired, kYes, kNo };

struct Options {
  std::vector<std::string> unpaired;        // -a and -v with their letter first
  std::vector<std::string> fields;          // -1, -2 and -j, likewise
  std::vector<std::string> fillers;
  std::vector<std::string> formats;
  std::vector<std::string> tabs;
  bool ignore_case = false;
  bool header = false;
  bool zero = false;
  CheckOrder check_order = CheckOrder::kWhenUnpaired;
};

template <char kLetter>
Status AddUnpaired(Options& options, std::string_view text) {
  options.unpaired.push_back(kLetter + std::string(text));
  return {};
}
template <char kLetter>
Status AddField(Options& options, std::string_view text) {
  options.fields.push_back(kLetter + std::string(text));
  return {};
}

constexpr Option kOptions[] = {
    Call<AddUnpaired<'a'>>('a', nullptr, "FILENUM", "also print unpairable lines from file FILENUM"),
    Value<&Options::fillers>('e', nullptr, "STRING", "replace missing (empty) input fields with STRING"),
    Flag<&Options::ignore_case>('i', "ignore-case", "ignore differences in case when comparing fields"),
    Call<AddField<'j'>>('j', nullptr, "FIELD", "equivalent to '-1 FIELD -2 FIELD'"),
    Value<&Options::formats>('o', nullptr, "FORMAT", "obey FORMAT while constructing output line"),
    Value<&Options::tabs>('t', nullptr, "CHAR", "use CHAR as input and output field separator"),
    Call<AddUnpaired<'v'>>('v', nullptr, "FILENUM", "like -a FILENUM, but suppress joined output lines"),
    Call<AddField<'1'>>('1', nullptr, "FIELD", "join on this FIELD of file 1"),
    Call<AddField<'2'>>('2', nullptr, "FIELD", "join on this FIELD of file 2"),
    Set<&Options::check_order, CheckOrder::kYes>(0, "check-order",
                                                 "check that the input is correctly sorted, always"),
    Set<&Options::check_order, CheckOrder::kNo>(0, "nocheck-order",
                                                "do not check that the input is correctly sorted"),
    Flag<&Options::header>(0, "header", "treat the first line in each file as field headers"),
    Flag<&Options::zero>('z', "zero-terminated", "line delimiter is NUL, not newline"),
};

struct OutputField {
  int file;       // 0: the join field
  size_t field;   // from 0
};

struct Rules {
  std::array<bool, 2> shows_unpaired{};
  bool shows_paired = true;
  std::array<size_t, 2> join_fields{};
  std::optional<std::string> filler;
  std::vector<OutputField> format;
  bool is_auto_format = false;
  std::optional<char> tab;
  bool is_whole_line = false;   // -t '': the line is one field
  bool ignore_case = false;
  char line_end = '\n';
};

struct Record {
  std::string text;
  std::vector<std::string_view> fields;
  Record() = default;
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;
};
using RecordPtr = std::unique_ptr<Record>;

void SplitFields(Record& record, const Rules& rules) {
  const std::string_view text = record.text;
  record.fields.clear();
  if (text.empty()) return;
  if (rules.is_whole_line) {
    record.fields.push_back(text);
    return;
  }
  size_t at = 0;
  if (rules.tab) {
    for (size_t end = text.find(*rules.tab); end != std::string_view::npos; end = text.find(*rules.tab, at)) {
      record.fields.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    record.fields.push_back(text.substr(at));
    return;
  }
  constexpr std::string_view kBlanks = " \t\n";
  at = text.find_first_not_of(kBlanks);
  if (at == std::string_view::npos) return;
  while (at < text.size()) {
    const size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    record.fields.push_back(text.substr(at, end - at));
    if (end == text.size()) return;
    at = std::min(text.find_first_not_of(kBlanks, end), text.size());
  }
  record.fields.push_back(text.substr(at));   // blanks at the end leave an empty field
}

char LowerByte(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

class Joiner {
 public:
  Joiner(Invocation& in, const Rules& rules, const Options& options, std::array<InputFile*, 2> files)
      : in_(in), rules_(rules), options_(options), files_(files) {}

  ExitStatus Run() {
    if (Join()) {
      if (was_disordered_[0] || was_disordered_[1]) return in_.Fail("input is not in sorted order");
      return 0;
    }
    return 1;
  }

 private:
  std::string_view KeyOf(const Record& record, size_t file) const {
    const size_t field = rules_.join_fields[file];
    return field < record.fields.size() ? record.fields[field] : std::string_view();
  }
  int Compare(std::string_view a, std::string_view b) const {
    if (!rules_.ignore_case) return a.compare(b);
    const size_t common = std::min(a.size(), b.size());
    for (size_t i = 0; i < common; ++i) {
      const int x = static_cast<unsigned char>(LowerByte(a[i]));
      const int y = static_cast<unsigned char>(LowerByte(b[i]));
      if (x != y) return x - y;
    }
    return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
  }

  // The next record of a file; null at the end. `is_fatal_` is set when the join has to stop.
  RecordPtr Read(size_t file) {
    Input& input = files_[file]->input();
    const auto line = input.ReadLine(rules_.line_end);
    if (!line) {
      if (!input.status() && !is_fatal_) {
        in_.Fail("read error", input.status().error());
        is_fatal_ = true;
      }
      return nullptr;
    }
    ++line_numbers_[file];
    auto record = std::make_unique<Record>();
    record->text = line->text;
    SplitFields(*record, rules_);
    if (has_previous_[file]) CheckOrderOf(file, *record);
    previous_keys_[file] = KeyOf(*record, file);
    has_previous_[file] = true;
    return record;
  }

  void CheckOrderOf(size_t file, const Record& record) {
    if (options_.check_order == CheckOrder::kNo || was_disordered_[file]) return;
    if (options_.check_order == CheckOrder::kWhenUnpaired && !has_unpaired_) return;
    if (Compare(previous_keys_[file], KeyOf(record, file)) <= 0) return;
    in_.Fail(files_[file]->name() + ":" + std::to_string(line_numbers_[file]) + ": is not sorted: " + record.text);
    was_disordered_[file] = true;
    is_fatal_ |= options_.check_order == CheckOrder::kYes;
  }

  bool Join() {
    std::array<RecordPtr, 2> heads = {Read(0), nullptr};
    if (is_fatal_) return false;
    heads[1] = Read(1);
    for (size_t i = 0; i < 2; ++i) auto_counts_[i] = heads[i] ? heads[i]->fields.size() : 0;
    if (options_.header && (heads[0] || heads[1])) {
      WriteJoined(heads[0].get(), heads[1].get());
      has_previous_ = {};
      for (size_t i = 0; i < 2; ++i) {
        if (heads[i]) heads[i] = Read(i);
      }
    }
    while (heads[0] && heads[1] && !is_fatal_ && in_.out.status()) {
      const int order = Compare(KeyOf(*heads[0], 0), KeyOf(*heads[1], 1));
      if (order != 0) {
        const size_t file = order < 0 ? 0 : 1;
        WriteUnpaired(file, *heads[file]);
        heads[file] = Read(file);
        has_unpaired_ = true;
      } else {
        JoinGroups(heads);
      }
    }
    if (is_fatal_) return false;
    const bool both_left = heads[0] && heads[1];
    for (size_t file = 0; file < 2; ++file) {
      if (!heads[file]) continue;
      const bool checks_tail = options_.check_order != CheckOrder::kNo && !(was_disordered_[0] && was_disordered_[1]);
      if (!rules_.shows_unpaired[file] && !checks_tail) continue;
      if (both_left) has_unpaired_ = true;
      WriteUnpaired(file, *heads[file]);
      while (const RecordPtr record = Read(file)) {
        WriteUnpaired(file, *record);
        if (was_disordered_[file] && !rules_.shows_unpaired[file]) break;
      }
      if (is_fatal_) return false;
    }
    return true;
  }

  // Joins all records with the key of the heads; the heads become those after.
  void JoinGroups(std::array<RecordPtr, 2>& heads) {
    std::array<std::vector<RecordPtr>, 2> groups;
    std::array<RecordPtr, 2> next;
    for (size_t file = 0; file < 2; ++file) {
      groups[file].push_back(std::move(heads[file]));
      const Record& other = file == 0 ? *heads[1] : *groups[0][0];
      while ((next[file] = Read(file)) != nullptr && !is_fatal_) {
        if (Compare(KeyOf(*next[file], file), KeyOf(other, 1 - file)) != 0) break;
        groups[file].push_back(std::move(next[file]));
      }
      if (is_fatal_) return;
    }
    if (rules_.shows_paired) {
      for (const RecordPtr& first : groups[0]) {
        for (const RecordPtr& second : groups[1]) {
          in_.budget.Step();
          WriteJoined(first.get(), second.get());
          if (!in_.out.status()) return;
        }
      }
    }
    heads = std::move(next);
  }

  void WriteUnpaired(size_t file, const Record& record) {
    if (!rules_.shows_unpaired[file]) return;
    WriteJoined(file == 0 ? &record : nullptr, file == 1 ? &record : nullptr);
  }

  void WriteField(const Record* record, size_t field) {
    const std::string_view text =
        record != nullptr && field < record->fields.size() ? record->fields[field] : std::string_view();
    if (!text.empty()) in_.out.Write(text);
    else if (rules_.filler) in_.out.Write(*rules_.filler);
  }
  void WriteSeparator() { in_.out.Put(rules_.is_whole_line ? '\n' : rules_.tab.value_or(' ')); }

  void WriteOthers(const Record* record, size_t file) {
    const size_t count = rules_.is_auto_format ? auto_counts_[file] : record == nullptr ? 0 : record->fields.size();
    for (size_t i = 0; i < count; ++i) {
      if (i == rules_.join_fields[file]) continue;
      WriteSeparator();
      WriteField(record, i);
    }
  }

  // Either may be null: an unpaired line.
  void WriteJoined(const Record* first, const Record* second) {
    const size_t key_file = first == nullptr ? 1 : 0;
    const Record* key_record = first == nullptr ? second : first;
    if (rules_.format.empty()) {
      WriteField(key_record, rules_.join_fields[key_file]);
      WriteOthers(first, 0);
      WriteOthers(second, 1);
    } else {
      bool is_first = true;
      for (const OutputField& field : rules_.format) {
        if (!is_first) WriteSeparator();
        is_first = false;
        if (field.file == 0) WriteField(key_record, rules_.join_fields[key_file]);
        else WriteField(field.file == 1 ? first : second, field.field);
      }
    }
    in_.out.Put(rules_.line_end);
  }

  Invocation& in_;
  const Rules& rules_;
  const Options& options_;
  std::array<InputFile*, 2> files_;
  std::array<uint64_t, 2> line_numbers_{};
  std::array<std::string, 2> previous_keys_;
  std::array<bool, 2> has_previous_{};
  std::array<bool, 2> was_disordered_{};
  std::array<size_t, 2> auto_counts_{};
  bool has_unpaired_ = false;
  bool is_fatal_ = false;
};

class RuleParser {
 public:
  RuleParser(const Options& options, bool is_utf8) : options_(options), is_utf8_(is_utf8) {}

  Result<Rules> Parse() {
    for (const std::string& text : options_.unpaired) PADDOCK_TRY(TakeUnpaired(text[0], text.substr(1)));
    for (const std::string& text : options_.fields) PADDOCK_TRY(TakeJoinField(text[0], text.substr(1)));
    for (const std::string& text : options_.fillers) {
      if (rules_.filler && *rules_.filler != text) return Complain("conflicting empty-field replacement strings");
      rules_.filler = text;
    }
    for (const std::string& text : options_.formats) PADDOCK_TRY(TakeFormat(text));
    for (const std::string& text : options_.tabs) PADDOCK_TRY(TakeTab(text));
    for (size_t i = 0; i < 2; ++i) rules_.join_fields[i] = join_fields_[i].value_or(0);
    rules_.ignore_case = options_.ignore_case;
    rules_.line_end = options_.zero ? '\0' : '\n';
    return std::move(rules_);
  }

 private:
  static Error Complain(std::string message) { return Error(Code::kInvalid, std::move(message)); }

  Status TakeUnpaired(char letter, const std::string& text) {
    if (text != "1" && text != "2") return Complain("invalid field number: " + Quote(text, is_utf8_));
    rules_.shows_unpaired[text == "1" ? 0 : 1] = true;
    if (letter == 'v') rules_.shows_paired = false;
    return {};
  }

  Result<size_t> ParseField(const std::string& text) {
    const SizeNumber number = ParseSize(text, "");
    const bool is_number = number.state == NumberState::kOk || number.state == NumberState::kOverflow;
    if (!is_number || number.value == 0) return Complain("invalid field number: " + Quote(text, is_utf8_));
    return static_cast<size_t>(number.value - 1);
  }

  Status TakeJoinField(char letter, const std::string& text) {
    PADDOCK_ASSIGN(const size_t field, ParseField(text));
    for (size_t file = 0; file < 2; ++file) {
      if (letter != 'j' && letter != static_cast<char>('1' + static_cast<char>(file))) continue;
      if (join_fields_[file] && *join_fields_[file] != field) {
        return Complain("incompatible join fields " + std::to_string(*join_fields_[file] + 1) + ", " +
                        std::to_string(field + 1));
      }
      join_fields_[file] = field;
    }
    return {};
  }

  Status TakeFormat(const std::string& text) {
    if (text == "auto") {
      rules_.is_auto_format = true;
      return {};
    }
    size_t at = 0;
    while (true) {
      const size_t end = std::min(text.find_first_of(", \t", at), text.size());
      PADDOCK_TRY(TakeOutputField(text.substr(at, end - at)));
      if (end == text.size()) return {};
      at = end + 1;
    }
  }

  Status TakeOutputField(const std::string& text) {
    if (text == "0") {
      rules_.format.push_back({0, 0});
      return {};
    }
    const bool has_file = text.starts_with('1') || text.starts_with('2');
    if (text.starts_with('0') || (has_file && (text.size() < 2 || text[1] != '.'))) {
      return Complain("invalid field specifier: " + Quote(text, is_utf8_));
    }
    if (!has_file) return Complain("invalid file number in field spec: " + Quote(text, is_utf8_));
    PADDOCK_ASSIGN(const size_t field, ParseField(text.substr(2)));
    rules_.format.push_back({text[0] - '0', field});
    return {};
  }

  Status TakeTab(const std::string& text) {
    if (text.size() > 1 && text != "\\0") return Complain("multi-character tab " + Quote(text, is_utf8_));
    const bool is_whole_line = text.empty();
    const char tab = is_whole_line ? '\n' : text == "\\0" ? '\0' : text[0];
    if (rules_.tab && *rules_.tab != tab) return Complain("incompatible tabs");
    rules_.tab = tab;
    rules_.is_whole_line = is_whole_line;
    return {};
  }

  const Options& options_;
  const bool is_utf8_;
  Rules rules_;
  std::array<std::optional<size_t>, 2> join_fields_;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  auto rules = RuleParser(options, is_utf8).Parse();
  if (!rules) return in.Fail(rules.error().Text());
  if (operands.empty()) return in.Usage("missing operand");
  if (operands.size() == 1) return in.Usage("missing operand after " + Quote(operands[0], is_utf8));
  if (operands.size() > 2) return in.Usage("extra operand " + QuoteFile(operands[2], is_utf8));
  std::vector<InputFile> files;
  for (const std::string& name : operands) {
    auto file = InputFile::Open(in, name);
    if (!file) {
      ReportFile(in, name, file.error());
      return 1;
    }
    files.push_back(std::move(*file));
  }
  if (files[0].is_stdin() && files[1].is_stdin()) return in.Fail("both files cannot be standard input");
  return Joiner(in, *rules, options, {&files[0], &files[1]}).Run();
}

}  // namespace

extern const Command kCommand_join;
const Command kCommand_join = Define<Options, Run>({
    .name = "join",
    .summary = "join lines of two files on a common field",
    .synopsis = "[OPTION]... FILE1 FILE2",
    .details = "\nUnless -t CHAR is given, leading blanks separate fields and are ignored,\n"
               "else fields are separated by CHAR.  Any FIELD is a field number counted\n"
               "from 1.  FORMAT is one or more comma or blank separated specifications,\n"
               "each being 'FILENUM.FIELD' or '0'.\n",
    .options = kOptions,
});

}  // namespace paddock
