// sort - sort lines of text files
//
// usage: sort [OPTION]... [FILE]...
//        sort [OPTION]... --files0-from=F
// Writes the lines of all FILEs in order, merges sorted ones (-m) or checks one (-c, -C).
//
// Exit status: 0; 1 when -c or -C finds disorder; 2 when something failed.
// Source: POSIX sort; GNU coreutils 9.1, with the old keys +POS1 [-POS2]. Text compares by bytes, as in the
// C and C.UTF-8 locales.
// Differs: everything is sorted in memory, so -S, -T, --batch-size and --parallel are checked but change nothing, unless there is a
// --compress-program and -S is a size: then runs of that size wait packed in temporary files.

#include <algorithm>
#include <memory>

#include "commands/input_files.h"
#include "commands/text/file_list.h"
#include "commands/text/sort_debug.h"
#include "commands/text/sort_merge.h"
#include "commands/text/sort_order.h"
#include "commands/text/sort_runs.h"
#include "text/byte_count.h"
#include "text/choice.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

constexpr ExitStatus kDisorder = 1;
constexpr ExitStatus kFailure = 2;

// A key as it was written: -k TEXT, or one end of an old key.
struct KeyText {
  enum Kind { kDefinition, kOldStart, kOldEnd } kind;
  std::string text;
};

enum class Check { kNo, kDiagnose, kQuiet };

struct Options {
  KeyFlags flags;
  std::vector<KeyText> key_texts;
  bool awaits_old_end = false;
  Check check = Check::kNo;
  bool has_both_checks = false;
  std::optional<std::string> check_mode;
  bool merge = false;
  bool stable = false;
  bool unique = false;
  bool zero = false;
  bool debug = false;
  std::vector<std::string> tabs;
  std::vector<std::string> outputs;
  std::vector<std::string> sort_words;
  std::optional<std::string> files0_from;
  std::vector<std::string> random_sources;
  std::string memory;
  std::vector<std::string> temporary_directories;
  std::string compress_program;
  std::string parallel;
  std::string batch_size;
};

template <char kLetter>
Status AddFlag(Options& options, std::string_view) {
  const char text[] = {kLetter};
  std::string_view letter(text, 1);
  TakeKeyFlags(letter, FlagPlace::kBoth, options.flags);
  return {};
}
Status AddKey(Options& options, std::string_view text) {
  options.key_texts.push_back({KeyText::kDefinition, std::string(text)});
  return {};
}
void SetCheck(Options& options, Check check) {
  options.has_both_checks |= options.check != Check::kNo && options.check != check;
  options.check = check;
}
Status SetCheckMode(Options& options, std::string_view mode) {
  if (mode.data() == nullptr) SetCheck(options, Check::kDiagnose);
  else options.check_mode = mode;
  return {};
}
template <Check kCheck>
Status SetCheckLetter(Options& options, std::string_view) {
  SetCheck(options, kCheck);
  return {};
}

constexpr Option kOptions[] = {
    Call<AddFlag<'b'>>('b', "ignore-leading-blanks", nullptr, "ignore leading blanks"),
    Call<AddFlag<'d'>>('d', "dictionary-order", nullptr, "consider only blanks and alphanumeric characters"),
    Call<AddFlag<'f'>>('f', "ignore-case", nullptr, "fold lower case to upper case characters"),
    Call<AddFlag<'g'>>('g', "general-numeric-sort", nullptr, "compare according to general numerical value"),
    Call<AddFlag<'i'>>('i', "ignore-nonprinting", nullptr, "consider only printable characters"),
    Call<AddFlag<'M'>>('M', "month-sort", nullptr, "compare (unknown) < 'JAN' < ... < 'DEC'"),
    Call<AddFlag<'h'>>('h', "human-numeric-sort", nullptr, "compare human readable numbers (e.g., 2K 1G)"),
    Call<AddFlag<'n'>>('n', "numeric-sort", nullptr, "compare according to string numerical value"),
    Call<AddFlag<'R'>>('R', "random-sort", nullptr, "shuffle, but group identical keys"),
    Value<&Options::random_sources>(0, "random-source", "FILE", "get random bytes from FILE"),
    Call<AddFlag<'r'>>('r', "reverse", nullptr, "reverse the result of comparisons"),
    Value<&Options::sort_words>(0, "sort", "WORD", "sort according to WORD"),
    Call<AddFlag<'V'>>('V', "version-sort", nullptr, "natural sort of (version) numbers within text"),
    Value<&Options::batch_size>(0, "batch-size", "NMERGE", "merge at most NMERGE inputs at once"),
    CallOptional<SetCheckMode>(0, "check", "diagnose-first", "check for sorted input; do not sort"),
    Call<SetCheckLetter<Check::kDiagnose>>('c', nullptr, nullptr, "same as --check=diagnose-first"),
    Call<SetCheckLetter<Check::kQuiet>>('C', nullptr, nullptr, "like -c, but do not report first bad line"),
    Value<&Options::compress_program>(0, "compress-program", "PROG", "compress temporaries with PROG"),
    Flag<&Options::debug>(0, "debug", "annotate the part of the line used to sort"),
    Value<&Options::files0_from>(0, "files0-from", "F",
                                 "read input from the files specified by NUL-terminated names in file F"),
    Call<AddKey>('k', "key", "KEYDEF", "sort via a key; KEYDEF gives location and type"),
    Flag<&Options::merge>('m', "merge", "merge already sorted files; do not sort"),
    Value<&Options::outputs>('o', "output", "FILE", "write result to FILE instead of standard output"),
    Flag<&Options::stable>('s', "stable", "stabilize sort by disabling last-resort comparison"),
    Value<&Options::memory>('S', "buffer-size", "SIZE", "use SIZE for main memory buffer"),
    Value<&Options::tabs>('t', "field-separator", "SEP", "use SEP instead of non-blank to blank transition"),
    Value<&Options::temporary_directories>('T', "temporary-directory", "DIR", "use DIR for temporaries"),
    Value<&Options::parallel>(0, "parallel", "N", "change the number of sorts run concurrently to N"),
    Flag<&Options::unique>('u', "unique", "output only the first of an equal run"),
    Flag<&Options::zero>('z', "zero-terminated", "line delimiter is NUL, not newline"),
};

// +POS1 [-POS2].
bool TakeOldKey(void* where, std::string_view argument) {
  Options& options = *static_cast<Options*>(where);
  const bool awaits_end = options.awaits_old_end;
  options.awaits_old_end = false;
  const bool has_digit = argument.size() > 1 && argument[1] >= '0' && argument[1] <= '9';
  if (argument[0] == '-' && has_digit && awaits_end) {
    options.key_texts.push_back({KeyText::kOldEnd, std::string(argument)});
    return true;
  }
  if (argument[0] != '+' || !ParseOldKeyStart(argument)) return false;
  options.key_texts.push_back({KeyText::kOldStart, std::string(argument)});
  options.awaits_old_end = true;
  return true;
}

Status CheckCompatible(const KeyFlags& flags) {
  const int kinds = flags.numeric + flags.general_numeric + flags.human_numeric + flags.month +
                    (flags.version || flags.random || flags.dictionary || flags.printable);
  if (kinds <= 1) return {};
  return Error(Code::kInvalid, "options '-" + flags.Letters() + "' are incompatible");
}

Status ParseKeys(const Options& options, bool is_utf8, std::vector<SortKey>& keys) {
  for (const auto& [kind, text] : options.key_texts) {
    if (kind == KeyText::kOldEnd) {
      PADDOCK_TRY(ParseOldKeyEnd(text, keys.back(), is_utf8));
    } else if (kind == KeyText::kOldStart) {
      keys.push_back(*ParseOldKeyStart(text));
    } else {
      PADDOCK_ASSIGN(SortKey key, ParseSortKey(text, is_utf8));
      keys.push_back(key);
    }
  }
  return {};
}

Result<std::optional<char>> ParseTab(const std::vector<std::string>& tabs, bool is_utf8) {
  std::optional<char> tab;
  for (const std::string& text : tabs) {
    if (text.empty()) return Error(Code::kInvalid, "empty tab");
    if (text.size() > 1 && text != "\\0") {
      return Error(Code::kInvalid, "multi-character tab " + Quote(text, is_utf8));
    }
    const char c = text == "\\0" ? '\0' : text[0];
    if (tab && *tab != c) return Error(Code::kInvalid, "incompatible tabs");
    tab = c;
  }
  return tab;
}

constexpr std::string_view kMemorySuffixes = "EgGkKmMPtTYZb%";

// Sizes and counts that only have to be well formed.
Status CheckTuning(const Options& options, bool is_utf8) {
  if (!options.memory.empty()) {
    std::string_view text = options.memory;
    if (text.ends_with('%')) text.remove_suffix(1);
    const SizeNumber size = ParseSize(text, kMemorySuffixes);
    const std::string quoted = "'" + options.memory + "'";
    if (size.state == NumberState::kBadSuffix || size.state == NumberState::kBadSuffixOverflow) {
      return Error(Code::kInvalid, "invalid suffix in -S argument " + quoted);
    }
    if (size.state == NumberState::kOverflow) return Error(Code::kInvalid, "-S argument " + quoted + " too large");
    if (size.state == NumberState::kInvalid) return Error(Code::kInvalid, "invalid -S argument " + quoted);
  }
  if (!options.parallel.empty()) {
    const SizeNumber count = ParseSize(options.parallel, "");
    if (count.state != NumberState::kOk && count.state != NumberState::kOverflow) {
      return Error(Code::kInvalid, "invalid --parallel argument '" + options.parallel + "'");
    }
    if (count.value == 0) return Error(Code::kInvalid, "number in parallel must be nonzero");
  }
  if (!options.batch_size.empty()) {
    const SizeNumber count = ParseSize(options.batch_size, "");
    if (count.state != NumberState::kOk && count.state != NumberState::kOverflow) {
      return Error(Code::kInvalid, "invalid --batch-size argument '" + options.batch_size + "'");
    }
    if (count.value < 2) {
      return Error(Code::kInvalid, "invalid --batch-size argument " + Quote(options.batch_size, is_utf8) +
                                       "\nsort: minimum --batch-size argument is " + Quote("2", is_utf8));
    }
  }
  return {};
}

Result<std::string> ReadSalt(Invocation& in, const Options& options) {
  constexpr size_t kSaltBytes = 16;
  std::string source = options.random_sources.empty() ? "/dev/urandom" : options.random_sources.back();
  auto file = InputFile::OpenPath(in, source);
  if (!file) {
    return Error(file.error().code, "open failed: " + QuoteSubject(source, in.locale.is_utf8) + ": " + std::string(file.error().Text()));
  }
  std::string salt(kSaltBytes, '\0');
  file->input().set_block_size(kSaltBytes);
  if (file->input().Read(salt.data(), kSaltBytes) < kSaltBytes) {
    const Status& status = file->input().status();
    return Error(Code::kIo, Quote(source, in.locale.is_utf8) +
                                (status ? ": end of file" : ": read error: " + std::string(status.error().Text())));
  }
  return salt;
}

// Turns the options into the rules of the order. Errors carry the whole complaint.
Result<SortRules> MakeRules(Invocation& in, Options& options) {
  const bool is_utf8 = in.locale.is_utf8;
  constexpr Choice kWords[] = {{"general-numeric", 'g'}, {"human-numeric", 'h'}, {"month", 'M'},
                               {"numeric", 'n'},         {"random", 'R'},        {"version", 'V'}};
  for (const std::string& word : options.sort_words) {
    PADDOCK_ASSIGN(const int letter, FindChoice("--sort", word, kWords, is_utf8));
    const char text[] = {static_cast<char>(letter)};
    std::string_view view(text, 1);
    TakeKeyFlags(view, FlagPlace::kBoth, options.flags);
  }
  SortRules rules;
  PADDOCK_TRY(ParseKeys(options, is_utf8, rules.keys));
  PADDOCK_ASSIGN(rules.tab, ParseTab(options.tabs, is_utf8));
  PADDOCK_TRY(CheckTuning(options, is_utf8));
  bool needs_random = false;
  for (SortKey& key : rules.keys) {
    if (key.flags.is_default() && !key.flags.reverse) key.flags = options.flags;
    needs_random |= key.flags.random;
  }
  if (rules.keys.empty() && !options.flags.is_default()) {
    SortKey whole;
    whole.flags = options.flags;
    needs_random |= whole.flags.random;
    rules.keys.push_back(whole);
  }
  for (const SortKey& key : rules.keys) PADDOCK_TRY(CheckCompatible(key.flags));
  rules.is_stable = options.stable;
  rules.is_utf8 = is_utf8;
  rules.is_unique = options.unique;
  rules.is_reversed = options.flags.reverse;
  rules.is_annotated = options.debug;
  rules.delimiter = options.zero ? '\0' : '\n';
  if (needs_random) {
    PADDOCK_ASSIGN(rules.salt, ReadSalt(in, options));
  }
  return rules;
}

SortDebugFacts DebugFacts(const Options& options) {
  SortDebugFacts facts{.global_flags = options.flags, .has_only_global_key = options.key_texts.empty(), .are_obsolete = {}};
  for (const KeyText& key : options.key_texts) {
    if (key.kind != KeyText::kOldEnd) facts.are_obsolete.push_back(key.kind == KeyText::kOldStart);
  }
  return facts;
}

// A wrong WORD of --sort or --check has a status of its own.
ExitStatus UsageOfWord(Invocation& in, const Error& error) {
  (void)in.Usage(error.Text());
  return 1;
}

ExitStatus FailFile(Invocation& in, std::string_view what, std::string_view name, const Error& error) {
  return in.Fail(std::string(what) + ": " + QuoteSubject(name, in.locale.is_utf8), error, kFailure);
}

// All lines of all inputs, one after the other in one piece of memory, each with its delimiter.
Result<std::string> ReadEverything(Invocation& in, const std::vector<std::string>& names, char delimiter) {
  std::string text;
  const auto complain = [&](std::string_view what, const std::string& name, const Error& error) {
    return Error(error.code, std::string(what) + ": " + QuoteSubject(name, in.locale.is_utf8) + ": " + std::string(error.Text()));
  };
  for (const std::string& name : names) {
    auto file = InputFile::Open(in, name);
    if (!file) return complain("open failed", name, file.error());
    if (file->file() != nullptr) {
      auto attributes = file->file()->GetAttributes();
      if (attributes && attributes->is_file()) {
        in.budget.WillAllocate(attributes->size);
        text.reserve(text.size() + attributes->size + 1);
      }
    }
    Input& input = file->input();
    for (std::string_view bytes = input.Peek(); !bytes.empty(); bytes = input.Peek()) {
      if (text.size() + bytes.size() > text.capacity()) in.budget.WillAllocate(text.size() * 2 + bytes.size());
      text.append(bytes);
      input.Consume(bytes.size());
    }
    if (!input.status()) return complain("read failed", name, input.status().error());
    if (!text.empty() && text.back() != delimiter) text += delimiter;
  }
  return text;
}

void WriteSorted(Invocation& in, Output& out, const std::vector<SortLine>& lines, const SortOrder& order) {
  const bool is_unique = order.rules().is_unique;
  const SortLine* last = nullptr;
  for (const SortLine& line : lines) {
    if (is_unique && last != nullptr && order.CompareKeys(*last, line) == 0) continue;
    last = &line;
    // In `text` the delimiter stands behind the line.
    if (order.rules().is_annotated) WriteAnnotated(out, order, line.line());
    else out.Write(std::string_view(line.text, size_t{line.length} + 1));
    in.budget.Step();
    if (!out.status()) return;
  }
}

ExitStatus SortAll(Invocation& in, const SortOrder& order, const std::vector<std::string>& names, const SortRunSettings& runs, Output& out) {
  auto text = ReadEverything(in, names, order.rules().delimiter);
  if (!text) return in.Fail(text.error().Text(), kFailure);
  if (!runs.program.empty() && text->size() > runs.run_bytes && !order.rules().is_annotated) return SortInRuns(in, order, *text, runs, out);
  auto split = SplitSortLines(in, order, *text);
  if (!split) return in.Fail("memory exhausted", kFailure);
  std::vector<SortLine>& lines = *split;
  order.Sort(lines);
  WriteSorted(in, out, lines, order);
  return 0;
}

ExitStatus CheckOrder(Invocation& in, const SortOrder& order, const std::string& name, bool is_quiet) {
  auto file = InputFile::Open(in, name);
  if (!file) return FailFile(in, "open failed", name, file.error());
  std::string previous;
  uint64_t number = 0;
  while (const auto line = file->input().ReadLine(order.rules().delimiter)) {
    ++number;
    if (number > 1) {
      const int result = order.Compare(order.Prepare(previous), order.Prepare(line->text));
      if (order.rules().is_unique ? result >= 0 : result > 0) {
        if (!is_quiet) {
          in.Fail(QuoteSubject(name, in.locale.is_utf8) + ":" + std::to_string(number) +
                  ": disorder: " + std::string(line->text));
        }
        return kDisorder;
      }
    }
    previous.assign(line->text);
  }
  if (!file->input().status()) return FailFile(in, "read failed", name, file->input().status().error());
  return 0;
}

// Of --compress-program, which matters where -S says how much is sorted at once.
SortRunSettings RunSettings(const Options& options) {
  constexpr uint64_t kLeastRun = 544, kKilo = 1024;
  SortRunSettings runs;
  if (options.memory.empty() || options.memory.ends_with('%')) return runs;
  const SizeNumber size = ParseSize(options.memory, kMemorySuffixes);
  const bool is_plain = options.memory.find_first_not_of("0123456789") == std::string::npos;   // kilobytes
  runs.program = options.compress_program;
  runs.directories = options.temporary_directories;
  runs.run_bytes = size.state != NumberState::kOk || (is_plain && size.value > UINT64_MAX / kKilo) ? UINT64_MAX : std::max(is_plain ? size.value * kKilo : size.value, kLeastRun);
  if (!options.batch_size.empty()) runs.batch = static_cast<size_t>(std::min<uint64_t>(ParseSize(options.batch_size, "").value, 16));
  return runs;
}

// Where the result goes. A file is emptied only when there is something to write, so that it may be an input.
class Destination {
 public:
  static Result<Destination> Open(Invocation& in, const std::vector<std::string>& outputs) {
    Destination destination;
    if (outputs.empty()) return destination;
    vfs::OpenFlags flags;
    flags.write = flags.create = true;
    destination.name_ = outputs.back();
    PADDOCK_ASSIGN(destination.file_, in.fs.Open(outputs.back(), flags));
    return destination;
  }
  bool is_file() const { return file_ != nullptr; }
  const std::string& name() const { return name_; }
  // Empties the file, writes `text`.
  Status Replace(std::string_view text) {
    auto attributes = file_->GetAttributes();
    if (attributes && attributes->is_file()) PADDOCK_TRY(file_->Truncate(0));
    return file_->Write(text);
  }

 private:
  std::string name_;
  vfs::OpenFilePtr file_;
};

ExitStatus Produce(Invocation& in, const Options& options, const SortOrder& order, const std::vector<std::string>& names, Output& out) {
  return options.merge ? MergeFiles(in, order, names, out) : SortAll(in, order, names, RunSettings(options), out);
}

ExitStatus SortTo(Invocation& in, const Options& options, const SortOrder& order, const std::vector<std::string>& names) {
  auto destination = Destination::Open(in, options.outputs);
  if (!destination) return FailFile(in, "open failed", options.outputs.back(), destination.error());
  if (!destination->is_file()) {
    const ExitStatus status = Produce(in, options, order, names, in.out);
    if (in.out.Flush()) return status;
    const Error error = in.out.status().error();
    in.out.ClearStatus();
    return in.Fail("write failed: 'standard output'", error, kFailure);
  }
  StringSink sink;
  Output out(sink);
  const ExitStatus status = Produce(in, options, order, names, out);
  if (status != 0) return status;
  (void)out.Flush();
  if (const Status written = destination->Replace(sink.text); !written) {
    return FailFile(in, "write failed", destination->name(), written.error());
  }
  return 0;
}

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  if (options.check_mode) {
    constexpr Choice kModes[] = {{"quiet", static_cast<int>(Check::kQuiet)}, {"silent", static_cast<int>(Check::kQuiet)},
                                 {"diagnose-first", static_cast<int>(Check::kDiagnose)}};
    auto mode = FindChoice("--check", *options.check_mode, kModes, is_utf8);
    if (!mode) return UsageOfWord(in, mode.error());
    SetCheck(options, static_cast<Check>(*mode));
  }
  for (const std::string& output : options.outputs) {
    if (output != options.outputs[0]) return in.Fail("multiple output files specified", kFailure);
  }
  if (options.has_both_checks) return in.Fail("options '-cC' are incompatible", kFailure);
  std::vector<std::string> names = operands;
  if (options.files0_from) {
    if (!operands.empty()) {
      return in.Usage("extra operand " + QuoteFile(operands[0], is_utf8) +
                      "\nfile operands cannot be combined with --files0-from");
    }
    auto list = ReadFileList(in, *options.files0_from, "open failed");
    if (!list) return in.Fail(list.error().Text(), kFailure);
    if (list->empty()) return in.Fail("no input from " + QuoteFile(*options.files0_from, is_utf8), kFailure);
    for (size_t i = 0; i < list->size(); ++i) {
      auto checked = CheckListedName(in, (*list)[i], *options.files0_from, i);
      if (!checked) return in.Fail(checked.error().Text(), kFailure);
    }
    names = std::move(*list);
  }
  auto rules = MakeRules(in, options);
  if (!rules) {
    if (rules.error().code == Code::kSyntax) return UsageOfWord(in, rules.error());
    return in.Fail(rules.error().Text(), kFailure);
  }
  if (options.debug) {
    if (options.check != Check::kNo || !options.outputs.empty()) {
      const std::string letter = options.check == Check::kDiagnose ? "c" : options.check == Check::kQuiet ? "C" : "o";
      return in.Fail("options '-" + letter + " --debug' are incompatible", kFailure);
    }
    WarnAboutKeys(in, *rules, DebugFacts(options));
  }
  if (names.empty()) names.push_back("-");
  const SortOrder order(std::move(*rules), in.budget);
  if (options.check != Check::kNo) {
    const std::string letter = options.check == Check::kDiagnose ? "c" : "C";
    if (names.size() > 1) {
      return in.Fail("extra operand " + QuoteFile(names[1], is_utf8) + " not allowed with -" + letter, kFailure);
    }
    if (!options.outputs.empty()) return in.Fail("options '-" + letter + "o' are incompatible", kFailure);
    return CheckOrder(in, order, names[0], options.check == Check::kQuiet);
  }
  for (const std::string& name : names) {
    if (name == "-") continue;
    if (auto access = in.fs.Access(name, 4); !access) return FailFile(in, "cannot read", name, access.error());
  }
  return SortTo(in, options, order, names);
}

}  // namespace

extern const Command kCommand_sort;
const Command kCommand_sort = Define<Options, Run>({
    .name = "sort",
    .summary = "sort lines of text files",
    .synopsis = "[OPTION]... [FILE]...\n[OPTION]... --files0-from=F",
    .details = "\nKEYDEF is F[.C][OPTS][,F[.C][OPTS]] for start and stop position, where F is a field number\n"
               "and C a character position in the field; both are origin 1, and the stop position defaults\n"
               "to the line's end. OPTS is one or more single-letter ordering options [bdfgiMhnRrV].\n",
    .options = kOptions,
    .rules = {.numeric_shorthand = TakeOldKey},
    .usage_status = 2,
});

}  // namespace paddock
