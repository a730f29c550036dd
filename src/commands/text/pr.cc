// pr - convert text files for printing
//
// usage: pr [OPTION]... [FILE]...
// Writes files as pages with headers, in columns if asked for, or side by side.
//
// Exit status: 0, or 1 when a file could not be read.
// Source: POSIX pr; GNU coreutils 9.1, where a character is a byte.
// Differs: with -d, a page of one line has one line of text instead of printing without end; +PAGE is taken behind --, too,
// and is a file's name wherever --pages stands.

#include <limits>

#include "commands/text/pr_pages.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  PrSettings set;
  std::string column_digits;
  std::optional<std::string> columns, pages, length, width, old_width, margin, first_number;
  bool has_old_separator = false;
  bool has_old_options = false;
  bool has_old_width = false;
  bool omits_file_warnings = false;
};

constexpr int64_t kMostInt = std::numeric_limits<int32_t>::max();

// A number within [least, the largest int]; the error's message is the complaint.
Result<int64_t> ReadInt(std::string_view text, int64_t least, std::string_view what) {
  size_t at = 0;
  while (at < text.size() && (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))) ++at;
  const bool is_negative = at < text.size() && text[at] == '-';
  const std::string_view digits = text.substr(is_negative ? at + 1 : at);
  Error error = Code::kInvalid;
  const SizeNumber number = is_negative && digits.starts_with('+') ? SizeNumber{} : ParseSize(digits, "");
  if (number.state == NumberState::kOk || number.state == NumberState::kOverflow) {
    const bool is_wide = number.state == NumberState::kOverflow || number.value > kMostInt / 2;
    const int64_t size = static_cast<int64_t>(std::min<uint64_t>(number.value, uint64_t{1} << 40));
    const int64_t value = is_negative ? -size : size;
    if (value >= least && value <= kMostInt) return value;
    error = is_wide ? Code::kOverflow : Code::kRange;
  }
  return Error(error.code, std::string(what));
}

Status AddColumns(Options& options, std::string_view text) {
  options.column_digits.clear();
  options.columns = text;
  return {};
}
template <char kDigit>
Status AddDigit(Options& options, std::string_view) {
  options.column_digits += kDigit;
  options.columns = options.column_digits;
  return {};
}
// The last page's columns are balanced in any case, in GNU pr too.
Status BalanceColumns(Options&, std::string_view) { return {}; }
Status UseAcross(Options& options, std::string_view) {
  options.set.across = true;
  return {};
}
Status UseMerge(Options& options, std::string_view) {
  options.set.parallel = true;
  return {};
}
Status UseFlag(bool& flag) {
  flag = true;
  return {};
}
Status UseControls(Options& options, std::string_view) { return UseFlag(options.set.shows_carets); }
Status UseDouble(Options& options, std::string_view) { return UseFlag(options.set.double_space); }
Status UseDate(Options& options, std::string_view text) {
  options.set.date_format = text;
  return {};
}
Status UseFormFeed(Options& options, std::string_view) { return UseFlag(options.set.form_feed); }
Status UseHeader(Options& options, std::string_view text) {
  options.set.header = text;
  return {};
}
Status UseJoin(Options& options, std::string_view) { return UseFlag(options.set.joins_lines); }
Status UseOctal(Options& options, std::string_view) { return UseFlag(options.set.shows_octal); }
Status OmitHeader(Options& options, std::string_view) {
  options.set.has_headers = false;
  options.set.keeps_form_feeds = true;
  return {};
}
Status OmitPages(Options& options, std::string_view) {
  options.set.has_headers = false;
  options.set.keeps_form_feeds = false;
  return {};
}

// [CHAR[WIDTH]] of -e, -i and -n.
Status ReadTab(char letter, std::string_view text, PrTab& tab) {
  if (text.empty()) return {};
  std::string_view digits = text;
  if (digits[0] < '0' || digits[0] > '9') {
    tab.character = digits[0];
    digits.remove_prefix(1);
  }
  if (digits.empty()) return {};
  auto width = ReadInt(digits, 1, "");
  if (width) {
    tab.width = *width;
    return {};
  }
  const bool is_wide = width.error().code == Code::kOverflow;
  return Error(Code::kSyntax, std::string("'-") + letter +
                                  "' extra characters or invalid number in the argument: " +
                                  QuoteText(digits, QuotingStyle::kLocale, true) +
                                  (is_wide ? ": Value too large for defined data type" : ""));
}
Status UseInputTab(Options& options, std::string_view text) {
  options.set.untabify = true;
  return ReadTab('e', text, options.set.input_tab);
}
Status UseOutputTab(Options& options, std::string_view text) {
  options.set.tabify = true;
  return ReadTab('i', text, options.set.output_tab);
}
Status UseNumbers(Options& options, std::string_view text) {
  options.set.numbers_lines = true;
  return ReadTab('n', text, options.set.number);
}
Status UseOldSeparator(Options& options, std::string_view text) {
  options.has_old_options = options.has_old_separator = true;
  if (!options.set.has_separator && text.data() != nullptr) options.set.separator = text;
  return {};
}
Status UseSeparator(Options& options, std::string_view text) {
  options.has_old_separator = false;
  options.set.separator = text;
  options.set.has_separator = true;
  return {};
}
Status UseOldWidth(Options& options, std::string_view text) {
  options.has_old_options = options.has_old_width = true;
  options.old_width = text;
  return {};
}
Status UseWidth(Options& options, std::string_view text) {
  options.has_old_width = false;
  options.set.truncates = true;
  options.width = text;
  return {};
}

template <char kDigit>
constexpr Option Digit() {
  return Call<AddDigit<kDigit>>(kDigit, nullptr, nullptr, nullptr);
}

constexpr Option kOptions[] = {
    Value<&Options::pages>(0, "pages", "FIRST[:LAST]", "begin with page FIRST, stop after page LAST"),
    Call<AddColumns>(0, "columns", "COLUMN", "print in COLUMN balanced columns, as does -COLUMN"),
    Call<BalanceColumns>('b', nullptr, nullptr, nullptr),
    Call<UseAcross>('a', "across", nullptr, "fill columns across rather than down"),
    Call<UseControls>('c', "show-control-chars", nullptr, "show control characters as ^G, others in octal"),
    Call<UseDouble>('d', "double-space", nullptr, "an empty line behind each line"),
    Call<UseDate>('D', "date-format", "FORMAT", "use FORMAT for the header date"),
    CallOptional<UseInputTab>('e', "expand-tabs", "CHAR[WIDTH]", "expand input CHARs (TABs) to tab WIDTH (8)"),
    Call<UseFormFeed>('F', "form-feed", nullptr, "separate pages by form feeds instead of newlines"),
    Call<UseFormFeed>('f', nullptr, nullptr, "as -F"),
    Call<UseHeader>('h', "header", "HEADER", "use a centered HEADER instead of the file's name"),
    CallOptional<UseOutputTab>('i', "output-tabs", "CHAR[WIDTH]", "replace spaces with CHARs (TABs) to tab WIDTH (8)"),
    Call<UseJoin>('J', "join-lines", nullptr, "merge full lines: no truncation, no alignment"),
    Value<&Options::length>('l', "length", "PAGE_LENGTH", "lines of a page (66); implies -t up to 10"),
    Call<UseMerge>('m', "merge", nullptr, "print all files in parallel, one in each column"),
    CallOptional<UseNumbers>('n', "number-lines", "SEP[DIGITS]", "number lines with DIGITS (5) digits, then SEP (TAB)"),
    Value<&Options::first_number>('N', "first-line-number", "NUMBER", "number of the first line printed"),
    Value<&Options::margin>('o', "indent", "MARGIN", "begin each line with MARGIN spaces"),
    Flag<&Options::omits_file_warnings>('r', "no-file-warnings", "no warning when a file cannot be opened"),
    CallOptional<UseOldSeparator>('s', "separator", "CHAR", "separate columns by CHAR, do not truncate lines"),
    CallOptional<UseSeparator>('S', "sep-string", "STRING", "separate columns by STRING"),
    Call<OmitHeader>('t', "omit-header", nullptr, "no page headers and trailers"),
    Call<OmitPages>('T', "omit-pagination", nullptr, "as -t, and no form feeds of the input"),
    Call<UseOctal>('v', "show-nonprinting", nullptr, "show what does not print in octal"),
    Call<UseOldWidth>('w', "width", "PAGE_WIDTH", "page width (72) for output in columns"),
    Call<UseWidth>('W', "page-width", "PAGE_WIDTH", "page width (72) always, truncating lines"),
    Digit<'0'>(), Digit<'1'>(), Digit<'2'>(), Digit<'3'>(), Digit<'4'>(),
    Digit<'5'>(), Digit<'6'>(), Digit<'7'>(), Digit<'8'>(), Digit<'9'>(),
};

enum class PageRange { kTaken, kNone, kFatal };

// FIRST[:LAST]. kFatal: `complaint` says why the number itself is no good.
PageRange ReadPages(const std::string& text, std::string_view option, PrSettings& set, std::string& complaint) {
  const size_t colon = text.find(':');
  const auto read = [&](std::string_view part, uint64_t& value) {
    const SizeNumber number = ParseSize(part, "");
    value = number.value;
    if (number.state == NumberState::kOk) return PageRange::kTaken;
    if (number.state == NumberState::kBadSuffix) return PageRange::kNone;
    complaint = number.state == NumberState::kInvalid
                    ? "invalid " + std::string(option) + " argument '" + text + "'"
                    : std::string(option) + " argument '" + text + "' too large";
    return PageRange::kFatal;
  };
  uint64_t first = 0;
  uint64_t last = kUnlimited;
  const PageRange begin = read(std::string_view(text).substr(0, colon), first);
  if (begin != PageRange::kTaken) return begin;
  if (first == 0) return PageRange::kNone;
  if (colon != std::string::npos) {
    const PageRange end = read(std::string_view(text).substr(colon + 1), last);
    if (end != PageRange::kTaken) return end;
    if (last < first) return PageRange::kNone;
  }
  set.first_page = first;
  set.last_page = last;
  return PageRange::kTaken;
}

// What the older options mean in terms of -J, -S and -W.
void TranslateOld(Options& options) {
  PrSettings& set = options.set;
  const bool has_columns = set.parallel || set.has_columns;
  if (!options.has_old_options) return;
  if (options.has_old_width) {
    if (has_columns) {
      set.truncates = true;
      if (options.has_old_separator) set.has_separator = true;
    } else {
      set.joins_lines = true;
    }
    return;
  }
  if (set.has_separator || !options.has_old_separator || !has_columns) return;
  if (set.truncates) {
    set.has_separator = true;
  } else {
    set.joins_lines = true;
    if (!set.separator.empty()) set.has_separator = true;
  }
}

// The numbers. The error's message is the complaint.
Status ReadNumbers(Options& options, bool is_utf8) {
  PrSettings& set = options.set;
  const auto read = [&](const std::optional<std::string>& text, int64_t least, std::string_view what,
                        int64_t& value) -> Status {
    if (!text) return {};
    auto number = ReadInt(*text, least, what);
    if (!number) return Error(number.error().code, NumberComplaint(what, *text, number.error().code, is_utf8));
    value = *number;
    return {};
  };
  PADDOCK_TRY(read(options.columns, 1, "invalid number of columns", set.columns));
  set.has_columns = options.columns.has_value();
  PADDOCK_TRY(read(options.length, 1, "'-l PAGE_LENGTH' invalid number of lines", set.page_length));
  if (options.first_number) {
    set.first_number = 1;
    PADDOCK_TRY(read(options.first_number, -kMostInt - 1, "'-N NUMBER' invalid starting line number", *set.first_number));
  }
  PADDOCK_TRY(read(options.margin, 0, "'-o MARGIN' invalid line offset", set.margin));
  int64_t old_width = set.page_width;
  PADDOCK_TRY(read(options.old_width, 1, "'-w PAGE_WIDTH' invalid number of characters", old_width));
  if (options.old_width) set.page_width = old_width;
  PADDOCK_TRY(read(options.width, 1, "'-W PAGE_WIDTH' invalid number of characters", set.page_width));
  return {};
}

class Runner {
 public:
  Runner(Invocation& in, Options& options) : in_(in), options_(options), set_(options.set) {}

  ExitStatus Run(const std::vector<std::string>& names) {
    if (set_.parallel && !names.empty()) return Merge(names);
    set_.parallel = false;
    if (names.empty()) return Print("-");
    ExitStatus status = 0;
    for (const std::string& name : names) {
      status = std::max(status, Print(name));
      if (has_read_error_) break;
    }
    return status;
  }

 private:
  bool Open(const std::string& name, std::vector<InputFile>& files) {
    auto file = InputFile::Open(in_, name);
    if (!file) {
      if (!options_.omits_file_warnings) ReportFile(in_, name, file.error());
      return false;
    }
    files.push_back(std::move(*file));
    return true;
  }

  ExitStatus Finish(std::vector<InputFile>& files, ExitStatus status) {
    for (InputFile& file : files) {
      if (file.input().status()) continue;
      ReportFile(in_, file.name() == "-" ? "standard input" : file.name(), file.input().status().error());
      has_read_error_ = true;
      status = 1;
    }
    return status;
  }

  ExitStatus Print(const std::string& name) {
    std::vector<InputFile> files;
    if (!Open(name, files)) return 1;
    const bool fits = PrintPages(in_, set_, files, files[0].is_stdin() ? "" : std::string_view(name));
    return Finish(files, fits ? 0 : 1);
  }

  ExitStatus Merge(const std::vector<std::string>& names) {
    std::vector<InputFile> files;
    ExitStatus status = 0;
    for (const std::string& name : names) status |= Open(name, files) ? 0 : 1;
    if (files.empty()) return status;
    set_.columns = static_cast<int64_t>(names.size());
    const bool fits = PrintPages(in_, set_, files, "");
    return Finish(files, fits ? status : 1);
  }

  Invocation& in_;
  Options& options_;
  PrSettings& set_;
  bool has_read_error_ = false;   // the files behind are left alone then
};

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  PrSettings& set = options.set;
  std::string complaint;
  if (options.pages) {
    switch (ReadPages(*options.pages, "--pages", set, complaint)) {
      case PageRange::kTaken: break;
      case PageRange::kNone: return in.Fail("invalid page range " + Quote(*options.pages, is_utf8));
      case PageRange::kFatal: return in.Fail(complaint);
    }
  }
  std::vector<std::string> names;
  for (const std::string& operand : operands) {
    if (set.first_page == 0 && operand.starts_with('+')) {
      const PageRange range = ReadPages(operand.substr(1), "+", set, complaint);
      if (range == PageRange::kFatal) return in.Fail(complaint);
      if (range == PageRange::kTaken) continue;
    }
    names.push_back(operand);
  }
  if (const Status numbers = ReadNumbers(options, is_utf8); !numbers) return in.Fail(numbers.error().Text());
  if (set.date_format.empty()) set.date_format = in.env.Get("POSIXLY_CORRECT") ? "%b %e %H:%M %Y" : "%Y-%m-%d %H:%M";
  if (set.parallel && set.has_columns) return in.Fail("cannot specify number of columns when printing in parallel");
  if (set.parallel && set.across) return in.Fail("cannot specify both printing across and printing in parallel");
  TranslateOld(options);
  return Runner(in, options).Run(names);
}

}  // namespace

extern const Command kCommand_pr;
const Command kCommand_pr = Define<Options, Run>({
    .name = "pr",
    .summary = "convert text files for printing",
    .synopsis = "[OPTION]... [FILE]...",
    .details = "\nPages can be given as +FIRST[:LAST], columns as -COLUMN.\n",
    .options = kOptions,
});

}  // namespace paddock
