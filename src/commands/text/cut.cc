// cut - remove sections from each line of files
//
// usage: cut OPTION... [FILE]...
// Writes the bytes (-b, -c) or fields (-f) of each line that LIST names.
//
// Exit status: 0, or 1 when a file could not be read.
// Source: POSIX cut; GNU coreutils 9.1, where a character is a byte.
// Differs: nothing known.

#include <algorithm>
#include <cstring>

#include "commands/closed_input.h"
#include "commands/input_files.h"
#include "text/fields.h"
#include "text/quote.h"

namespace paddock {
namespace {

enum class By { kNothing, kBytes, kFields };

struct Options {
  By by = By::kNothing;
  bool has_two_lists = false;
  std::string list;
  std::optional<std::string> delimiter;
  bool only_delimited = false;
  bool complement = false;
  bool keeps_characters = false;
  std::optional<std::string> output_delimiter;
  bool zero = false;
};

template <By kBy>
Status SetList(Options& options, std::string_view list) {
  options.has_two_lists |= options.by != By::kNothing;
  options.by = kBy;
  options.list = list;
  return {};
}

constexpr Option kOptions[] = {
    Call<SetList<By::kBytes>>('b', "bytes", "LIST", "select only these bytes"),
    Call<SetList<By::kBytes>>('c', "characters", "LIST", "select only these characters"),
    Value<&Options::delimiter>('d', "delimiter", "DELIM", "use DELIM instead of TAB for field delimiter"),
    Call<SetList<By::kFields>>('f', "fields", "LIST", "select only these fields"),
    Flag<&Options::keeps_characters>('n', nullptr, "(ignored)"),
    Flag<&Options::complement>(0, "complement", "complement the set of selected bytes or fields"),
    Flag<&Options::only_delimited>('s', "only-delimited", "do not print lines not containing delimiters"),
    Value<&Options::output_delimiter>(0, "output-delimiter", "STRING", "use STRING as the output delimiter"),
    Flag<&Options::zero>('z', "zero-terminated", "line delimiter is NUL, not newline"),
};

struct Rules {
  std::vector<FieldRange> ranges;
  char delimiter = '\t';
  std::string_view output_delimiter;
  bool has_output_delimiter = false;
  bool only_delimited = false;
  char line_end = '\n';
};

void CutBytes(Input& input, Output& out, const Rules& rules) {
  while (const auto line = input.ReadLine(rules.line_end)) {
    bool is_first = true;
    for (const FieldRange& range : rules.ranges) {
      if (range.first > line->text.size()) break;
      if (!is_first && rules.has_output_delimiter) out.Write(rules.output_delimiter);
      is_first = false;
      const uint64_t last = std::min<uint64_t>(range.last, line->text.size());
      out.Write(line->text.substr(range.first - 1, last - range.first + 1));
    }
    out.Put(rules.line_end);
    if (!out.status()) return;
  }
}

// Writes the selected fields of one line that has at least one delimiter.
void WriteFields(std::string_view line, Output& out, const Rules& rules) {
  const char* at = line.data();
  const char* const end = at + line.size();
  const auto next_delimiter = [&](const char* from) {
    const void* found = std::memchr(from, rules.delimiter, static_cast<size_t>(end - from));
    return found == nullptr ? end : static_cast<const char*>(found);
  };
  uint64_t field = 1;
  bool is_first = true;
  bool is_past_end = false;
  for (const FieldRange& range : rules.ranges) {
    while (field < range.first && !is_past_end) {
      const char* stop = next_delimiter(at);
      is_past_end = stop == end;
      at = is_past_end ? end : stop + 1;
      ++field;
    }
    if (is_past_end) return;
    if (!is_first) out.Write(rules.output_delimiter);
    is_first = false;
    if (range.last == kLastField && !rules.has_output_delimiter) {
      out.Write({at, static_cast<size_t>(end - at)});
      return;
    }
    while (field <= range.last) {
      const char* stop = next_delimiter(at);
      out.Write({at, static_cast<size_t>(stop - at)});
      is_past_end = stop == end;
      at = is_past_end ? end : stop + 1;
      ++field;
      if (is_past_end) return;
      if (field <= range.last) out.Write(rules.output_delimiter);
    }
  }
}

void CutFields(Input& input, Output& out, const Rules& rules) {
  while (const auto line = input.ReadLine(rules.line_end)) {
    if (line->text.find(rules.delimiter) == std::string_view::npos) {
      if (rules.only_delimited) continue;
      out.Write(line->text);
    } else {
      WriteFields(line->text, out, rules);
    }
    out.Put(rules.line_end);
    if (!out.status()) return;
  }
}

// The field delimiter is the line delimiter: lines are the fields of one big record.
void CutLines(Input& input, Output& out, const Rules& rules) {
  auto line = input.ReadLine(rules.line_end);
  if (!line) return;
  const std::string first(line->text);
  const bool is_terminated = line->is_terminated;
  line = input.ReadLine(rules.line_end);
  if (!line) {
    FieldCursor cursor(rules.ranges);
    const bool is_selected = is_terminated && cursor.Selects(1);
    if (rules.only_delimited && !is_selected) return;
    if (is_selected || !is_terminated) out.Write(first);
    out.Put(rules.line_end);
    return;
  }
  FieldCursor cursor(rules.ranges);
  uint64_t field = 1;
  bool is_first = true;
  const auto take = [&](std::string_view text) {
    if (!cursor.Selects(field)) return;
    if (!is_first) out.Write(rules.output_delimiter);
    is_first = false;
    out.Write(text);
  };
  take(first);
  for (; line && out.status(); line = input.ReadLine(rules.line_end)) {
    ++field;
    take(line->text);
  }
  out.Put(rules.line_end);
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.delimiter && options.delimiter->size() > 1) {
    return in.Usage("the delimiter must be a single character");
  }
  if (options.has_two_lists) return in.Usage("only one list may be specified");
  if (options.by == By::kNothing) return in.Usage("you must specify a list of bytes, characters, or fields");
  if (options.by == By::kBytes && options.delimiter) {
    return in.Usage("an input delimiter may be specified only when operating on fields");
  }
  if (options.by == By::kBytes && options.only_delimited) {
    return in.Usage("suppressing non-delimited lines makes sense\n\tonly when operating on fields");
  }
  auto ranges = ParseFieldList(options.list, {.is_positions = options.by == By::kBytes,
                                              .complement = options.complement,
                                              .is_utf8 = in.locale.is_utf8});
  if (!ranges) return in.Usage(ranges.error().Text());
  Rules rules;
  rules.ranges = std::move(*ranges);
  rules.line_end = options.zero ? '\0' : '\n';
  rules.only_delimited = options.only_delimited;
  if (options.delimiter) rules.delimiter = options.delimiter->empty() ? '\0' : options.delimiter->front();
  rules.output_delimiter = std::string_view(&rules.delimiter, 1);
  if (options.output_delimiter) {
    rules.has_output_delimiter = true;
    rules.output_delimiter = *options.output_delimiter;
    if (options.output_delimiter->empty()) {
      rules.output_delimiter = std::string_view("\0", 1);
    }
  }
  const ExitStatus status = ForEachInput(in, operands, [&](InputFile& file) {
    if (options.by == By::kBytes) CutBytes(file.input(), in.out, rules);
    else if (rules.delimiter == rules.line_end) CutLines(file.input(), in.out, rules);
    else CutFields(file.input(), in.out, rules);
    return true;
  });
  return CloseStandardInput(in, operands, status);
}

}  // namespace

extern const Command kCommand_cut;
const Command kCommand_cut = Define<Options, Run>({
    .name = "cut",
    .summary = "remove sections from each line of files",
    .synopsis = "OPTION... [FILE]...",
    .details = "\nUse one, and only one of -b, -c or -f.  Each LIST is made up of one\n"
               "range, or many ranges separated by commas.\n",
    .options = kOptions,
});

}  // namespace paddock
