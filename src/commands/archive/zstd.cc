// zstd, unzstd, zstdcat, zstdmt - compress or decompress .zst files
//
// usage: zstd [OPTIONS...] [INPUT... | -] [-o OUTPUT]
//
// Exit status: 0; 1 for an error, 31 for a dictionary that cannot be read.
// Source: zstd 1.5.4.
// Differs: one thread whatever -T says and with -B, so that large files may pack to other bytes; no file is written sparse; a frame is said to be
// damaged after what came before it was written; .lz4 is not known, as in a zstd built without it; --adapt keeps the level that it begins with,
// as neither side waits for the other; --rsyncable makes a frame of each piece; training takes samples in another order, and fewer of them.
// Refused: --zstd=, -vv's additions.

#include <algorithm>
#include <bit>
#include <cstdio>
#include <functional>

#include "commands/archive/zstd_files.h"
#include "proc/process.h"

namespace paddock {
namespace {

using zstd::Form;
using zstd::kStdin;
using zstd::Options;
using zstd::Way;

Error Wrong() { return Code::kSyntax; }
// Said as it is, without the usage.
Error Unfit(const char* complaint) { return Error(Code::kInvalid, complaint); }
}  // namespace

Result<uint64_t> zstd::Amount(std::string_view text, size_t* rest) {
  uint64_t value = 0;
  size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    value = value * 10 + static_cast<uint64_t>(text[i] - '0');
    if (value > UINT32_MAX) return Unfit("numeric value overflows 32-bit unsigned int ");
  }
  if (i < text.size() && (text[i] == 'K' || text[i] == 'M' || text[i] == 'G')) {
    value <<= text[i] == 'K' ? 10 : text[i] == 'M' ? 20 : 30;
    if (value > UINT32_MAX) return Unfit("numeric value overflows 32-bit unsigned int ");
    ++i;
    if (i < text.size() && text[i] == 'i') ++i;
    if (i < text.size() && text[i] == 'B') ++i;
  }
  if (rest != nullptr) *rest = i;
  else if (i != text.size() || i == 0) return Wrong();
  return value;
}

namespace {

using zstd::Amount;

template <auto kMember>
Status SetAmount(Options& options, std::string_view text) {
  size_t used = 0;
  PADDOCK_ASSIGN(options.*kMember, Amount(text, &used));
  return used == text.size() ? Status() : Unfit("only numeric values with optional suffixes K, KB, KiB, M, MB, MiB are allowed ");
}
template <auto kMember>
Status SetDirectory(Options& options, std::string_view text) {
  options.*kMember = text;
  return text.empty() ? Unfit("output dir cannot be empty string (did you mean to pass '.' instead?)") : Status();
}
Status SetFast(Options& options, std::string_view text) {
  uint64_t level = 1;
  if (text.data() != nullptr) {
    PADDOCK_ASSIGN(level, Amount(text));
  }
  if (level == 0) return Wrong();
  options.level = -static_cast<int>(std::min<uint64_t>(level, 131072));
  return {};
}
Status SetLong(Options& options, std::string_view text) {
  uint64_t log = 27;
  if (text.data() != nullptr) {
    PADDOCK_ASSIGN(log, Amount(text));
  }
  options.ultra = true;
  options.long_log = log == 0 ? 27 : static_cast<int>(std::min<uint64_t>(log, 100));
  return {};
}
Status SetForm(Options& options, std::string_view text) {
  constexpr std::pair<std::string_view, Form> kForms[] = {{"zstd", Form::kZstd}, {"gzip", Form::kGzip}, {"xz", Form::kXz}, {"lzma", Form::kLzma}};
  for (const auto& [name, form] : kForms) {
    if (name != text) continue;
    options.form = form;
    return {};
  }
  return Wrong();
}
Status SetThreads(Options& options, std::string_view text) {
  if (text == "physical" || text == "logical") return {};
  static_cast<void>(options);
  return Wrong();
}
Status SetPriority(Options& options, std::string_view text) {
  options.is_urgent = text == "rt";
  return options.is_urgent ? Status() : Wrong();
}
template <codec::ZstdTraining::Method kMethod>
Status SetTraining(Options& options, std::string_view text) {
  options.way = Way::kTrain;
  options.training = {.method = kMethod};
  return text.data() == nullptr ? Status() : zstd::ReadTraining(options.training, text);
}
// --train alone: fewer sets are tried.
Status SetQuickTraining(Options& options, std::string_view) {
  options.way = Way::kTrain;
  options.training = {.d = 8, .steps = 4};
  return {};
}
Status SetBench(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(const uint64_t level, Amount(text));
  options.benches = true;
  if (level > 0) options.level = static_cast<int>(std::min<uint64_t>(level, 100));
  return {};
}
Status SetAdapt(Options& options, std::string_view text) {
  options.adapts = true;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!word.starts_with("min=") && !word.starts_with("max=")) return Wrong();
    PADDOCK_ASSIGN(const uint64_t level, Amount(word.substr(4)));
    (word[1] == 'i' ? options.least_level : options.most_level) = static_cast<int>(std::min<uint64_t>(level, 22));
  }
  if (options.most_level != 0 && options.least_level > options.most_level) return Wrong();
  return {};
}
Status SetPatch(Options& options, std::string_view text) {
  options.dictionary = std::string(text);
  options.has_patch = true;
  return {};
}
Status AllForce(Options& options, std::string_view) {
  options.force = options.follows_links = true;
  return {};
}
Status Louder(Options& options, std::string_view) {
  ++options.shown;
  return {};
}
Status Quieter(Options& options, std::string_view) {
  --options.shown;
  return {};
}
Status Nothing(Options&, std::string_view) { return {}; }
Status AddList(Options& options, std::string_view text) {
  options.lists.emplace_back(text);
  return {};
}
Status Refused(Options&, std::string_view) { return Wrong(); }

constexpr Option kOptions[] = {
    Value<&Options::output>('o', nullptr, "OUTPUT", "write output to a single file, OUTPUT"),
    Set<&Options::removes, false>('k', "keep", "preserve INPUT files (the default)"),
    Flag<&Options::removes>(0, "rm", "remove INPUT files after they were done"),
    Call<Refused>('#', nullptr, nullptr, "compression level, 1 to 19 (as -1 to -19); default: 3"),
    Set<&Options::way, Way::kPack>('z', "compress", "compress (the default)"),
    Set<&Options::way, Way::kUnpack>('d', "decompress", "decompress"),
    Set<&Options::way, Way::kUnpack>(0, "uncompress", nullptr),
    Value<&Options::dictionary>('D', nullptr, "DICT", "use DICT as the dictionary"),
    Call<AllForce>('f', "force", nullptr, "overwrite files, follow links, use a console, pass through what is not compressed (with -dc)"),
    Flag<&Options::shows_short_help>('h', nullptr, "display short usage and exit"),
    Flag<&Options::shows_help>('H', "help", "display full help and exit"),
    Flag<&Options::shows_version>('V', "version", "display the version and exit"),
    Flag<&Options::to_stdout>('c', "stdout", "write to standard output and keep the INPUT files"),
    Call<Louder>('v', "verbose", nullptr, "say more"),
    Call<Quieter>('q', "quiet", nullptr, "no warnings; twice: no errors"),
    Call<Nothing>(0, "no-progress", nullptr, "no progress counter (there is none)"),
    Flag<&Options::recursive>('r', nullptr, "operate recursively on directories"),
    Call<AddList>(0, "filelist", "LIST", "read names of files to operate on from LIST, one a line"),
    Call<SetDirectory<&Options::flat_directory>>(0, "output-dir-flat", "DIR", "store processed files in DIR"),
    Call<SetDirectory<&Options::mirror_directory>>(0, "output-dir-mirror", "DIR", "store processed files in DIR, below the directories that they were in"),
    Call<Nothing>(0, "asyncio", nullptr, "let input and output go on beside the work (as the system does it here)"),
    Call<Nothing>(0, "no-asyncio", nullptr, nullptr),
    Flag<&Options::checks>('C', "check", "add a checksum (the default)"),
    Set<&Options::checks, false>(0, "no-check", "add no checksum, or do not check it"),
    Flag<&Options::ultra>(0, "ultra", "allow levels up to 22"),
    CallOptional<SetFast>(0, "fast", "#", "very fast levels; default: 1"),
    CallOptional<SetLong>(0, "long", "#", "long distance matching with a window of 2^#; default: 27"),
    Call<SetPatch>(0, "patch-from", "REF", "use REF as what the input is a new version of"),
    Call<SetAmount<&Options::threads>>('T', "threads", "#", "use # threads (one is what there is)"),
    Flag<&Options::is_single_thread>(0, "single-thread", "share a thread between input and compression"),
    Call<SetThreads>(0, "auto-threads", "{physical|logical}", "what -T0 counts"),
    Call<SetAmount<&Options::job_size>>('B', "block-size", "#", "size of a thread's job"),
    Flag<&Options::excludes_packed>(0, "exclude-compressed", "leave out files with the suffix of what is compressed already"),
    Call<SetAmount<&Options::stream_size>>(0, "stream-size", "#", "size of what comes from standard input"),
    Call<SetAmount<&Options::size_hint>>(0, "size-hint", "#", "about the size of what comes from standard input"),
    Call<SetAmount<&Options::target_block>>(0, "target-compressed-block-size", "#", "make compressed blocks of about this size"),
    Set<&Options::has_dictionary_id, false>(0, "no-dictID", "don't write the dictionary's ID into the header"),
    Set<&Options::has_size, false>(0, "no-content-size", nullptr),
    Set<&Options::has_size, true>(0, "content-size", nullptr),
    Set<&Options::compresses_literals, true>(0, "compress-literals", "compress literals"),
    Set<&Options::compresses_literals, false>(0, "no-compress-literals", "do not"),
    Set<&Options::finds_by_rows, true>(0, "row-match-finder", "use the finder of matches by rows"),
    Set<&Options::finds_by_rows, false>(0, "no-row-match-finder", "do not"),
    Call<SetForm>(0, "format", "FORMAT", "compress to zstd (.zst, the default), gzip, xz or lzma"),
    Set<&Options::way, Way::kList>('l', "list", "print information about .zst files"),
    Set<&Options::way, Way::kTest>('t', "test", "test compressed files"),
    Call<SetAmount<&Options::memory>>('M', "memory", "#", "limit for the memory of decompression"),
    Call<SetAmount<&Options::memory>>(0, "memlimit", "#", nullptr),
    CallOptional<SetPriority>(0, "priority", "rt", "take the most urgent niceness, where the user may (with =rt)"),
    Call<Nothing>(0, "no-sparse", nullptr, "do not create sparse files (never done)"),
    Call<SetQuickTraining>(0, "train", nullptr, "make a dictionary out of the INPUT files, which are samples"),
    CallOptional<SetTraining<codec::ZstdTraining::Method::kCover>>(0, "train-cover", "k=#,d=#,steps=#,split=#,shrink[=#]", "by the cover algorithm"),
    CallOptional<SetTraining<codec::ZstdTraining::Method::kFastCover>>(0, "train-fastcover", "k=#,d=#,f=#,steps=#,split=#,accel=#,shrink[=#]", "by the fast cover algorithm"),
    CallOptional<SetTraining<codec::ZstdTraining::Method::kLegacy>>(0, "train-legacy", "s=#", "by the old algorithm, with a selectivity"),
    Call<SetAmount<&Options::dictionary_size>>(0, "maxdict", "#", "the most bytes of a dictionary; default: 112640"),
    Call<SetAmount<&Options::dictionary_id>>(0, "dictID", "#", "the ID of the dictionary"),
    Call<SetBench>('b', nullptr, "#", "measure level #, in memory"),
    Call<SetAmount<&Options::bench_last>>('e', nullptr, "#", "measure all levels from that of -b to #"),
    Call<SetAmount<&Options::bench_seconds>>('i', nullptr, "#", "measure for # seconds; default: 3"),
    Flag<&Options::benches_each>('S', nullptr, "measure each INPUT by itself"),
    CallOptional<SetAdapt>(0, "adapt", "min=#,max=#", "adapt the level to how fast input and output are"),
    Flag<&Options::is_rsyncable>(0, "rsyncable", "begin anew at places that the content alone chooses"),
    Value<&Options::trace>(0, "trace", "FILE", "log what was done to FILE"),
    Set<&Options::passes_through, true>(0, "pass-through", "pass through what is not compressed"),
    Set<&Options::passes_through, false>(0, "no-pass-through", "do not"),
};

// --- the command line, which is not getopt's: no abbreviations, levels of several digits, values of single letters in the next word

class CommandLine {
 public:
  CommandLine(Invocation& in, Options& options) : in_(in), o_(options) {}
  std::vector<std::string> names;

  // False after a complaint.
  bool Parse() {
    for (size_t i = 1; i < in_.args.size(); ++i) {
      const std::string& word = in_.args[i];
      if (is_over_ || word.empty() || word[0] != '-') names.push_back(word);
      else if (word == "-") names.emplace_back(kStdin);
      else if (word == "--") is_over_ = true;
      else if (!(word.starts_with("--") ? Long(word, i) : Short(word, i))) return false;
    }
    return true;
  }

 private:
  bool Wrong() {
    in_.err.Write("Incorrect parameters \n" + HelpText(in_.command, in_.name_in_messages()) + "\n");
    return false;
  }
  bool Apply(const Option& option, std::string_view value) {
    const Status applied = option.apply(&o_, value);
    return applied ? true : Complain(applied.error());
  }
  bool Complain(const Error& error) {
    if (error.code != Code::kInvalid) return Wrong();
    in_.err.Write("error: " + std::string(error.Text()) + "\n");
    return false;
  }
  std::optional<std::string_view> Next(size_t& i) {
    if (i + 1 >= in_.args.size()) {
      in_.err.Write("error: missing command argument \n");
      return std::nullopt;
    }
    const std::string& word = in_.args[++i];
    if (!word.starts_with('-')) return word;
    in_.err.Write("error: command cannot be separated from its argument by another command \n");
    return std::nullopt;
  }

  bool Long(const std::string& word, size_t& i) {
    const size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = std::string_view(word).substr(2, equals - 2);
    for (const Option& option : kOptions) {
      if (option.long_name == nullptr || option.long_name != name) continue;
      if (equals < word.size()) return option.argument == OptionArgument::kNone ? Wrong() : Apply(option, std::string_view(word).substr(equals + 1));
      if (option.argument != OptionArgument::kRequired) return Apply(option, {});
      const auto value = Next(i);
      return value && Apply(option, *value);
    }
    return Wrong();
  }

  bool Short(const std::string& word, size_t& i) {
    for (size_t at = 1; at < word.size();) {
      const char letter = word[at];
      if (letter >= '0' && letter <= '9') {
        size_t used = 0;
        const auto level = Amount(std::string_view(word).substr(at), &used);
        if (!level) return Complain(level.error());
        o_.level = *level == 0 ? 3 : static_cast<int>(std::min<uint64_t>(*level, INT32_MAX));
        at += used;
        continue;
      }
      const auto* option = std::find_if(std::begin(kOptions), std::end(kOptions), [&](const Option& one) { return one.short_name == letter && letter != '#'; });
      if (option == std::end(kOptions)) return Wrong();
      ++at;
      if (option->argument == OptionArgument::kNone) {
        if (!Apply(*option, {})) return false;
      } else if (letter == 'o' || letter == 'D') {
        const bool is_here = at < word.size() && word[at] == '=';
        const auto value = is_here ? std::optional(std::string_view(word).substr(at + 1)) : Next(i);
        if (!value || !Apply(*option, *value)) return false;
        if (is_here) return true;
      } else {
        size_t used = 0;
        const auto value = Amount(std::string_view(word).substr(at), &used);
        if (!value) return Complain(value.error());
        if (!Apply(*option, std::to_string(*value))) return false;
        at += used;
      }
    }
    return true;
  }

  Invocation& in_;
  Options& o_;
  bool is_over_ = false;
};

void TakeEnvironment(Invocation& in, Options& options) {
  if (const auto text = in.env.Get("ZSTD_CLEVEL"); text && !text->empty()) {
    const bool is_negative = text->starts_with('-');
    const auto level = Amount(text->substr(is_negative || text->starts_with('+') ? 1 : 0));
    if (level && *level <= INT32_MAX) options.level = (is_negative ? -1 : 1) * static_cast<int>(*level);
    else in.err.Write("Ignore environment variable setting ZSTD_CLEVEL=" + std::string(*text) + ": not a valid integer value \n");
  }
  if (const auto text = in.env.Get("ZSTD_NBTHREADS"); text && !text->empty() && !Amount(*text)) {
    in.err.Write("Ignore environment variable setting ZSTD_NBTHREADS=" + std::string(*text) + ": not a valid unsigned value \n");
  }
}

ExitStatus Run(Invocation& in) {
  Options options;
  const std::string_view name = in.name();
  if (name == "unzstd" || name == "zstdcat") options.way = Way::kUnpack;
  if (name == "zstdcat") {
    options.force = options.follows_links = true;
    options.to_stdout = true;
    options.passes_through = true;
    options.shown = 1;
  }
  TakeEnvironment(in, options);
  CommandLine line(in, options);
  if (!line.Parse()) return 1;
  if (options.shows_help || options.shows_short_help) {
    in.out.Write(HelpText(in.command, in.name_in_messages()));
    return 0;
  }
  if (options.shows_version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  if (options.way == Way::kUnpack && options.threads > 1 && options.shown >= 2) in.err.Write("Warning : decompression does not support multi-threading\n");
  constexpr int kMostUrgent = -20;
  if (options.is_urgent && in.fs.credentials().uid == 0) in.process.set_niceness(kMostUrgent);
  return zstd::FileWork(in, options).Run(std::move(line.names));
}

constexpr const char* kAliases[] = {"unzstd", "zstdcat", "zstdmt"};

}  // namespace

extern const Command kCommand_zstd;
const Command kCommand_zstd = {
    .name = "zstd",
    .aliases = kAliases,
    .summary = "compress or decompress INPUT files in the .zst format",
    .synopsis = "[OPTIONS...] [INPUT... | -] [-o OUTPUT]",
    .details = "With no INPUT, or when INPUT is -, read standard input.\n",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
