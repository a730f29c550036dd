// csplit - split a file into sections determined by context lines
//
// usage: csplit [OPTION]... FILE PATTERN...
// Writes pieces of FILE to xx00, xx01 …, and their sizes to standard output.
//
// Exit status: 0, or 1 for trouble; then the pieces are removed unless -k is given.
// Source: POSIX csplit, GNU coreutils 9.1.
// Differs: nothing known.

#include <cstdio>
#include <deque>

#include "commands/input_files.h"
#include "text/numbers.h"
#include "text/quote.h"
#include "text/regex.h"

namespace paddock {
namespace {

struct Options {
  std::string prefix = "xx";
  std::optional<std::string> suffix;
  std::string digits = "2";
  bool keeps_files = false;
  bool suppresses_matched = false;
  bool is_silent = false;
  bool elides_empty = false;
};

constexpr Option kOptions[] = {
    Value<&Options::suffix>('b', "suffix-format", "FORMAT", "use sprintf FORMAT instead of %02d"),
    Value<&Options::prefix>('f', "prefix", "PREFIX", "use PREFIX instead of 'xx'"),
    Flag<&Options::keeps_files>('k', "keep-files", "do not remove output files on errors"),
    Flag<&Options::suppresses_matched>(0, "suppress-matched", "suppress the lines matching PATTERN"),
    Value<&Options::digits>('n', "digits", "DIGITS", "use specified number of digits instead of 2"),
    Flag<&Options::is_silent>('s', "quiet", "do not print counts of output file sizes"),
    Flag<&Options::is_silent>('q', nullptr, nullptr),
    Flag<&Options::is_silent>(0, "silent", "likewise"),
    Flag<&Options::elides_empty>('z', "elide-empty-files", "remove empty output files"),
};

struct Control {
  std::string text;                // as it was given
  std::optional<Regex> regex;
  bool skips = false;              // %REGEXP%: nothing is written
  int64_t offset = 0;
  uint64_t line = 0;
  uint64_t repeats = 0;
  bool repeats_forever = false;
};

// Lines of the input, from the first that was not taken on.
class Lines {
 public:
  Lines(Input& input, Budget& budget) : input_(input), budget_(budget) {}

  uint64_t first() const { return first_; }
  // The line with this number, null behind the end.
  const std::string* Find(uint64_t number) {
    if (number < first_) return nullptr;
    while (lines_.size() <= number - first_) {
      if (!Load()) return nullptr;
    }
    return &lines_[static_cast<size_t>(number - first_)];
  }
  std::optional<std::string> Take() {
    if (lines_.empty() && !Load()) return std::nullopt;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    ++first_;
    return line;
  }
  bool has_failed() const { return !input_.status(); }
  bool at_end() { return lines_.empty() && !Load(); }

 private:
  bool Load() {
    budget_.Step();
    const auto line = input_.ReadLine();
    if (!line) return false;
    std::string text(line->text);
    if (line->is_terminated) text += '\n';
    lines_.push_back(std::move(text));
    return true;
  }

  Input& input_;
  Budget& budget_;
  std::deque<std::string> lines_;
  uint64_t first_ = 1;
};

class Splitter {
 public:
  Splitter(Invocation& in, const Options& options, Input& input) : in_(in), options_(options), lines_(input, in.budget) {}

  // False when it had to be given up; the complaint is made.
  bool Run(const std::vector<Control>& controls) {
    const bool is_done = Split(controls);
    if (file_) Close();
    if (!is_done && !options_.keeps_files) {
      for (const std::string& name : names_) static_cast<void>(in_.fs.RemoveFile(name));
    }
    return is_done;
  }

 private:
  enum class Next { kGoOn, kEnd, kFail };

  bool Split(const std::vector<Control>& controls) {
    for (const Control& control : controls) {
      for (uint64_t i = 0; control.repeats_forever || i <= control.repeats; ++i) {
        in_.budget.Step();
        const Next next = control.regex ? AtMatch(control, i) : AtLine(control, i);
        if (next == Next::kFail) return false;
        if (next == Next::kEnd) return true;
      }
    }
    if (!Create() || !DumpRest()) return false;
    return Close();
  }

  Next AtLine(const Control& control, uint64_t repetition) {
    if (!Create()) return Next::kFail;
    const uint64_t until = SaturatingMultiply(control.line, repetition + 1);
    for (uint64_t number = lines_.first(); number < until; ++number) {
      const auto line = lines_.Take();
      if (!line) return LineError(control, repetition);
      if (!Write(*line)) return Next::kFail;
    }
    if (!Close()) return Next::kFail;
    if (options_.suppresses_matched) lines_.Take();
    current_ = until - 1;
    if (lines_.at_end() && !options_.suppresses_matched) return LineError(control, repetition);
    return Next::kGoOn;
  }

  Next LineError(const Control& control, uint64_t repetition) {
    if (control.repeats_forever) return Next::kEnd;
    Complain(QuoteNumber(control.line) + ": line number out of range" + OnRepetition(repetition));
    return Next::kFail;
  }

  Next AtMatch(const Control& control, uint64_t repetition) {
    if (!control.skips && !Create()) return Next::kFail;
    while (true) {
      in_.budget.Step();
      const std::string* line = lines_.Find(++current_);
      if (line == nullptr) return NoMatch(control, repetition);
      std::string_view text = *line;
      if (text.ends_with('\n')) text.remove_suffix(1);
      const auto found = control.regex->Search(text, 0, nullptr, in_.budget);
      if (!found) {
        Complain("error in regular expression search");
        return Next::kFail;
      }
      if (*found) break;
      // Without an offset backwards, what does not match can be written at once.
      if (control.offset >= 0) {
        const auto taken = lines_.Take();
        if (taken && !control.skips && !Write(*taken)) return Next::kFail;
      }
    }
    const int64_t until = static_cast<int64_t>(current_) + control.offset;
    if (!WriteUntil(control, until)) return Next::kFail;
    if (!control.skips && !Close()) return Next::kFail;
    if (control.offset > 0) current_ = static_cast<uint64_t>(until);
    if (options_.suppresses_matched) lines_.Take();
    return Next::kGoOn;
  }

  bool WriteUntil(const Control& control, int64_t until) {
    const auto out_of_range = [&] {
      Complain(Quote(control.text, in_.locale.is_utf8) + ": line number out of range");
      return false;
    };
    if (static_cast<int64_t>(lines_.first()) > until) return out_of_range();
    while (static_cast<int64_t>(lines_.first()) < until) {
      in_.budget.Step();
      const auto line = lines_.Take();
      if (!line) return out_of_range();
      if (!control.skips && !Write(*line)) return false;
    }
    return true;
  }

  Next NoMatch(const Control& control, uint64_t repetition) {
    if (!control.repeats_forever) Complain(Quote(control.text, in_.locale.is_utf8) + ": match not found" + OnRepetition(repetition));
    if (!control.skips && (!DumpRest() || !Close())) return Next::kFail;
    return control.repeats_forever ? Next::kEnd : Next::kFail;
  }

  bool DumpRest() {
    while (const auto line = lines_.Take()) {
      in_.budget.Step();
      if (!Write(*line)) return false;
    }
    return true;
  }

  std::string Name() const {
    constexpr size_t kLongestNumber = 64;
    if (!options_.suffix) {
      std::string digits = std::to_string(names_.size());
      const uint64_t width = ParseSize(options_.digits, "").value;
      if (digits.size() < width) {
        in_.budget.WillAllocate(width);
        digits.insert(0, static_cast<size_t>(width) - digits.size(), '0');
      }
      return options_.prefix + digits;
    }
    std::string text(options_.suffix->size() + kLongestNumber + suffix_width_, '\0');
    const int size = std::snprintf(text.data(), text.size(), suffix_format_.c_str(), static_cast<unsigned long long>(names_.size()));
    return options_.prefix + text.substr(0, static_cast<size_t>(size < 0 ? 0 : size));
  }

  bool Create() {
    const std::string name = Name();
    auto file = in_.fs.Open(name, vfs::OpenFlags::Write());
    if (!file) {
      Complain(QuoteSubject(name, in_.locale.is_utf8) + ": " + std::string(file.error().Text()));
      return false;
    }
    names_.push_back(name);
    file_ = std::move(*file);
    out_ = std::make_unique<Output>(*file_);
    written_ = 0;
    return true;
  }

  bool Write(std::string_view text) {
    out_->Write(text);
    written_ += text.size();
    if (out_->status()) return true;
    return WriteError();
  }
  bool WriteError() {
    Complain("write error for " + Quote(names_.back(), in_.locale.is_utf8) + ": " + std::string(out_->status().error().Text()));
    out_->ClearStatus();
    return false;
  }

  bool Close() {
    if (!out_->Flush()) {
      const bool is_good = WriteError();
      file_.reset();
      return is_good;
    }
    out_.reset();
    file_.reset();
    if (written_ == 0 && options_.elides_empty) {
      static_cast<void>(in_.fs.RemoveFile(names_.back()));
      names_.pop_back();
    } else if (!options_.is_silent) {
      in_.out.WriteLine(std::to_string(written_));
    }
    return true;
  }

  // The end of what can be read is not the end of the file: then the reason is told elsewhere.
  void Complain(std::string_view text) {
    if (!lines_.has_failed()) in_.Fail(text);
  }
  std::string QuoteNumber(uint64_t number) const { return Quote(std::to_string(number), in_.locale.is_utf8); }
  static std::string OnRepetition(uint64_t repetition) { return repetition == 0 ? "" : " on repetition " + std::to_string(repetition); }

 public:
  // A format with one conversion, checked; numbers are passed as unsigned long long.
  void set_suffix(std::string format, size_t width) {
    suffix_format_ = std::move(format);
    suffix_width_ = width;
  }

 private:
  Invocation& in_;
  const Options& options_;
  Lines lines_;
  uint64_t current_ = 0;
  vfs::OpenFilePtr file_;
  std::unique_ptr<Output> out_;
  uint64_t written_ = 0;
  std::vector<std::string> names_;
  std::string suffix_format_;
  size_t suffix_width_ = 0;
};

// The format for snprintf and the width in it. The error is the whole complaint.
Result<std::pair<std::string, size_t>> ReadSuffix(std::string_view text) {
  std::string format;
  bool has_conversion = false;
  size_t width = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    format += text[i];
    if (text[i] != '%') continue;
    if (i + 1 < text.size() && text[i + 1] == '%') {
      format += text[++i];
      continue;
    }
    if (has_conversion) return Error(Code::kInvalid, "too many % conversion specifications in suffix");
    has_conversion = true;
    for (++i; i < text.size() && std::string_view("'-+ #0").find(text[i]) != std::string_view::npos; ++i) {
      if (text[i] != '\'') format += text[i];
    }
    const auto number = [&] {
      size_t value = 0;
      for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
        value = std::min<size_t>(value * 10 + static_cast<size_t>(text[i] - '0'), 100000);
      }
      return value;
    };
    const size_t field = number();
    if (field > 0) format += std::to_string(field);
    size_t precision = 0;
    if (i < text.size() && text[i] == '.') {
      ++i;
      precision = number();
      format += "." + std::to_string(precision);
    }
    width = field + precision;
    if (i == text.size()) return Error(Code::kInvalid, "missing conversion specifier in suffix");
    const char c = text[i];
    if (std::string_view("diouxX").find(c) == std::string_view::npos) {
      const bool is_printable = c >= 32 && c < 127;
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%.3o", static_cast<unsigned>(static_cast<unsigned char>(c)));
      return Error(Code::kInvalid, "invalid conversion specifier in suffix: " + (is_printable ? std::string(1, c) : std::string(octal)));
    }
    format += "ll";
    format += c;
  }
  if (!has_conversion) return Error(Code::kInvalid, "missing % conversion specification in suffix");
  return std::pair(format, width);
}

class ControlReader {
 public:
  explicit ControlReader(Invocation& in) : in_(in) {}

  Result<std::vector<Control>> Read(const std::vector<std::string>& operands) {
    std::vector<Control> controls;
    uint64_t last_line = 0;
    for (size_t i = 1; i < operands.size(); ++i) {
      in_.budget.Step();
      Control control;
      control.text = operands[i];
      if (control.text.starts_with('/') || control.text.starts_with('%')) {
        PADDOCK_TRY(ReadRegex(control));
      } else {
        PADDOCK_TRY(ReadLine(control, last_line));
        last_line = control.line;
      }
      if (i + 1 < operands.size() && operands[i + 1].starts_with('{')) PADDOCK_TRY(ReadRepeat(operands[++i], control));
      controls.push_back(std::move(control));
    }
    return controls;
  }

 private:
  std::string Quoted(std::string_view text) const { return Quote(text, in_.locale.is_utf8); }

  Status ReadRegex(Control& control) {
    const char delimiter = control.text[0];
    control.skips = delimiter == '%';
    const size_t end = control.text.rfind(delimiter);
    if (end == 0) return Error(Code::kInvalid, control.text + ": closing delimiter '" + delimiter + "' missing");
    const std::string_view offset = std::string_view(control.text).substr(end + 1);
    if (!offset.empty()) {
      const bool is_negative = offset[0] == '-';
      const std::string_view digits = offset[0] == '-' || offset[0] == '+' ? offset.substr(1) : offset;
      const SizeNumber number = ParseSize(digits, "");
      if (digits.empty() || number.state != NumberState::kOk || number.value > (uint64_t{1} << 40)) return Error(Code::kInvalid, Quoted(control.text) + ": integer expected after delimiter");
      control.offset = is_negative ? -static_cast<int64_t>(number.value) : static_cast<int64_t>(number.value);
    }
    auto regex = Regex::Compile(std::string_view(control.text).substr(1, end - 1), {.dialect = RegexDialect::kBasic, .is_utf8 = in_.locale.is_utf8});
    if (!regex) {
      const std::string why(regex.error().Text());
      return Error(Code::kInvalid, Quoted(control.text) + ": invalid regular expression: " + (why.starts_with("Unmatched [") ? "Invalid regular expression" : why));
    }
    control.regex = std::move(*regex);
    return {};
  }

  Status ReadLine(Control& control, uint64_t last) {
    const SizeNumber number = ParseSize(control.text, "");
    if (number.state != NumberState::kOk) return Error(Code::kInvalid, Quoted(control.text) + ": invalid pattern");
    control.line = number.value;
    if (control.line == 0) return Error(Code::kInvalid, control.text + ": line number must be greater than zero");
    if (control.line < last) return Error(Code::kInvalid, "line number " + Quoted(control.text) + " is smaller than preceding line number, " + std::to_string(last));
    if (control.line == last) in_.Fail("warning: line number " + Quoted(control.text) + " is the same as preceding line number");
    return {};
  }

  Status ReadRepeat(const std::string& text, Control& control) {
    if (!text.ends_with('}')) return Error(Code::kInvalid, Quoted(text) + ": '}' is required in repeat count");
    const std::string count = text.substr(1, text.size() - 2);
    if (count == "*") {
      control.repeats_forever = true;
      return {};
    }
    const SizeNumber number = ParseSize(count, "");
    if (number.state != NumberState::kOk) return Error(Code::kInvalid, Quoted("{" + count) + "}: integer required between '{' and '}'");
    control.repeats = number.value;
    return {};
  }

  Invocation& in_;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  std::pair<std::string, size_t> suffix;
  if (options.suffix) {
    auto read = ReadSuffix(*options.suffix);
    if (!read) return in.Fail(read.error().Text());
    suffix = std::move(*read);
  }
  if (const auto digits = ParseSizeBetween(options.digits, 0, std::numeric_limits<int32_t>::max(), ""); !digits) {
    return in.Fail(NumberComplaint("invalid number", options.digits, digits.error(), in.locale.is_utf8));
  }
  if (operands.empty()) return in.Usage("missing operand");
  if (operands.size() == 1) return in.Usage("missing operand after " + Quote(operands[0], in.locale.is_utf8));
  auto file = InputFile::Open(in, operands[0]);
  if (!file) return in.Fail("cannot open " + QuoteFile(operands[0], in.locale.is_utf8) + " for reading", file.error());
  const auto controls = ControlReader(in).Read(operands);
  if (!controls) return in.Fail(controls.error().Text());
  Splitter splitter(in, options, file->input());
  splitter.set_suffix(std::move(suffix.first), suffix.second);
  const bool is_done = splitter.Run(*controls);
  if (!file->input().status()) return in.Fail("read error", file->input().status().error());
  return is_done ? 0 : 1;
}

}  // namespace

extern const Command kCommand_csplit;
const Command kCommand_csplit = Define<Options, Run>({
    .name = "csplit",
    .summary = "output pieces of FILE separated by PATTERN(s) to files 'xx00', 'xx01', ..., and their sizes to standard output",
    .synopsis = "[OPTION]... FILE PATTERN...",
    .details = "A PATTERN is INTEGER, /REGEXP/[OFFSET], %REGEXP%[OFFSET], and behind one {INTEGER} or {*} to repeat it.\n",
    .options = kOptions,
});

}  // namespace paddock
