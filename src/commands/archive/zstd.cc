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

#include "commands/archive/packed_file.h"
#include "commands/archive/zstd_modes.h"
#include "commands/file_facts.h"
#include "proc/process.h"

namespace paddock {
namespace {

enum class Way { kPack, kUnpack, kTest, kList, kTrain };
enum class Form { kZstd, kGzip, kXz, kLzma };

struct Options {
  Way way = Way::kPack;
  Form form = Form::kZstd;
  bool to_stdout = false, force = false, removes = false, recursive = false, ultra = false, follows_links = false, excludes_packed = false;
  bool shows_short_help = false, shows_help = false, shows_version = false, checks = true, has_dictionary_id = true, has_size = true, has_patch = false;
  int shown = 2, level = 3, long_log = 0;
  uint64_t memory = 0, threads = 1, job_size = 0, size_hint = 0, target_block = 0;
  std::optional<uint64_t> stream_size;
  std::optional<bool> passes_through, compresses_literals, finds_by_rows;
  bool is_urgent = false;   // --priority=rt
  std::string dictionary, flat_directory, mirror_directory;
  std::optional<std::string> output;
  std::vector<std::string> lists;
  codec::ZstdTraining training;
  uint64_t dictionary_id = 0, dictionary_size = 110 << 10;
  bool benches = false, benches_each = false;
  uint64_t bench_last = 0, bench_seconds = 3;
  bool adapts = false, is_rsyncable = false, is_single_thread = false;
  int least_level = 0, most_level = 0;   // of --adapt; 0: any
  std::string trace;
};

Error Wrong() { return Code::kSyntax; }
}  // namespace

Result<uint64_t> zstd::Amount(std::string_view text, size_t* rest) {
  uint64_t value = 0;
  size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
    value = value * 10 + static_cast<uint64_t>(text[i] - '0');
    if (value > UINT32_MAX) return Wrong();
  }
  if (i < text.size() && (text[i] == 'K' || text[i] == 'M' || text[i] == 'G')) {
    value <<= text[i] == 'K' ? 10 : text[i] == 'M' ? 20 : 30;
    if (value > UINT32_MAX) return Wrong();
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
  PADDOCK_ASSIGN(options.*kMember, Amount(text));
  return {};
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
    Value<&Options::flat_directory>(0, "output-dir-flat", "DIR", "store processed files in DIR"),
    Value<&Options::mirror_directory>(0, "output-dir-mirror", "DIR", "store processed files in DIR, below the directories that they were in"),
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

// "  3.80 KiB" without the padding: a number and its unit.
struct Human {
  double value;
  int precision;
  const char* unit;
};
Human HumanOf(uint64_t size) {
  constexpr const char* kUnits[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  const int unit = size < 1024 ? 0 : static_cast<int>(std::bit_width(size) - 1) / 10;
  const double value = static_cast<double>(size) / static_cast<double>(uint64_t{1} << (10 * unit));
  const int precision = value >= 100 || static_cast<double>(size) == value ? 0 : value >= 10 ? 1 : value > 1 ? 2 : 3;
  return {value, precision, kUnits[unit]};
}
std::string HumanText(uint64_t size, int width = 6) {
  const Human human = HumanOf(size);
  char text[64];
  std::snprintf(text, sizeof text, "%*.*f%s", width, human.precision, human.value, human.unit);
  return text;
}
// The same in a column.
std::string Column(uint64_t size, int width) {
  const Human human = HumanOf(size);
  char text[64];
  std::snprintf(text, sizeof text, "%*.*f%4s", width, human.precision, human.value, human.unit);
  return text;
}

constexpr const char* kStdin = "/*stdin*\\";
constexpr const char* kStdout = "/*stdout*\\";

// Writes through an encoder; with --rsyncable through one for each piece, whose end is where the last bytes have a certain hash.
class PieceSink final : public ByteSink {
 public:
  static constexpr uint64_t kShortest = 1 << 20;   // bytes of a piece
  PieceSink(ByteSink& out, std::function<codec::CoderPtr()> maker, Budget& budget, bool splits)
      : out_(out), maker_(std::move(maker)), budget_(budget), splits_(splits) {
    encoder_.emplace(out_, maker_(), &budget_);
  }
  Status Write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const size_t piece = splits_ ? PieceOf(bytes) : bytes.size();
      PADDOCK_TRY(encoder_->Write(bytes.substr(0, piece)));
      bytes.remove_prefix(piece);
      if (!ends_) continue;
      ends_ = false;
      length_ = 0;
      PADDOCK_TRY(Finish());
      done_in_ = bytes_in();
      done_out_ = bytes_out();
      encoder_.emplace(out_, maker_(), &budget_);
    }
    return {};
  }
  Status Finish() { return encoder_->Finish(); }
  uint64_t bytes_in() const { return done_in_ + encoder_->bytes_in(); }
  uint64_t bytes_out() const { return done_out_ + encoder_->bytes_out(); }

 private:
  // Up to where a piece ends, or all of it. Old bytes are shifted out of the hash.
  size_t PieceOf(std::string_view bytes) {
    constexpr uint64_t kMask = ((uint64_t{1} << 23) - 1) << 41;
    budget_.Step(static_cast<int64_t>(bytes.size() / 64 + 1));
    for (size_t i = 0; i < bytes.size(); ++i) {
      hash_ = (hash_ << 1) + (static_cast<unsigned char>(bytes[i]) + 1u) * 0x9e3779b97f4a7c15u;
      if (++length_ < kShortest || (hash_ & kMask) != 0) continue;
      ends_ = true;
      return i + 1;
    }
    return bytes.size();
  }

  ByteSink& out_;
  std::function<codec::CoderPtr()> maker_;
  Budget& budget_;
  bool splits_, ends_ = false;
  uint64_t hash_ = 0, length_ = 0, done_in_ = 0, done_out_ = 0;
  std::optional<codec::EncodingSink> encoder_;
};

class Zstd {
 public:
  Zstd(Invocation& in, Options& options) : in_(in), o_(options) {}

  ExitStatus Run(std::vector<std::string> names) {
    if (!ReadDictionary()) return status_;
    for (const std::string& list : o_.lists) {
      auto text = vfs::ReadFile(in_.fs, list);
      if (!text) return Stop("zstd: error reading " + list + " ");
      AddLines(*text, names);
    }
    const bool had_names = !names.empty();
    if (!o_.follows_links) DropLinks(names);
    if (had_names && names.empty()) return 1;
    if (o_.recursive) {
      std::vector<std::string> files;
      for (const std::string& name : names) Expand(name, files);
      names = std::move(files);
    }
    if (o_.excludes_packed && o_.way == Way::kPack) std::erase_if(names, [](const std::string& name) { return IsPackedName(name); });
    if (o_.way == Way::kList) return List(names);
    if (o_.benches) return Bench(names);
    if (o_.way == Way::kTrain) return Train(names);
    if (names.empty()) {
      if (had_names) return 0;
      names.emplace_back(kStdin);
    }
    if (o_.to_stdout) o_.output = kStdout;
    else if (o_.way == Way::kTest) o_.output = "/*null*\\";
    else if (names.size() == 1 && names[0] == kStdin && !o_.output) o_.output = kStdout;
    if (!MayAdapt()) return status_;
    ClampLevel();
    has_stdin_ = std::find(names.begin(), names.end(), kStdin) != names.end();
    if (has_stdin_ && !o_.force && IsTerminal(in_, 0)) return Stop("stdin is a console, aborting");
    if (o_.output == kStdout) {
      if (o_.way == Way::kPack && !o_.force && !o_.to_stdout && IsTerminal(in_, 1) && IsTerminal(in_, 0)) return Stop("stdout is a console, aborting");
      if (o_.shown == 2) o_.shown = 1;
      o_.removes = false;
    }
    if (o_.way == Way::kTest) o_.removes = false;
    if (o_.has_patch && !PreparePatch(names)) return status_;
    return Work(names);
  }

 private:
  void Say(int level, const std::string& text) {
    if (o_.shown < level) return;
    in_.out.Flush();
    in_.err.Write(text);
  }
  ExitStatus Stop(const std::string& text) {
    Say(1, text + "\n");
    return status_ = 1;
  }
  void Fail(const std::string& text) { static_cast<void>(Stop(text)); }

  static void AddLines(std::string_view text, std::vector<std::string>& names) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      if (end > 0) names.emplace_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  void DropLinks(std::vector<std::string>& names) {
    std::erase_if(names, [&](const std::string& name) {
      in_.budget.Step();
      const auto found = in_.fs.Stat(name, vfs::Follow::kNo);
      if (!found || !found->is_symlink() || name == kStdin) return false;
      const auto target = in_.fs.Stat(name);
      if (target && target->type == vfs::FileType::kFifo) return false;
      Say(2, "Warning : " + name + " is a symbolic link, ignoring \n");
      return true;
    });
  }
  void Expand(const std::string& name, std::vector<std::string>& files) {
    in_.budget.CheckStack();
    in_.budget.Step();
    const auto found = in_.fs.Stat(name);
    if (!found || !found->is_directory()) {
      files.push_back(name);
      return;
    }
    const auto entries = in_.fs.List(name);
    if (!entries) {
      Fail("Cannot open directory '" + name + "': " + std::string(entries.error().Text()));
      return;
    }
    for (const vfs::DirectoryEntry& entry : *entries) {
      const std::string path = name + (name.ends_with('/') ? "" : "/") + entry.name;
      if (entry.type == vfs::FileType::kSymlink && !o_.follows_links) {
        Say(2, "Warning : " + path + " is a symbolic link, ignoring\n");
        continue;
      }
      Expand(path, files);
    }
  }

  bool ReadDictionary() {
    if (o_.dictionary.empty()) return true;
    const auto found = in_.fs.Stat(o_.dictionary);
    auto text = found ? vfs::ReadFile(in_.fs, o_.dictionary, uint64_t{1} << 31) : Result<std::string>(found.error());
    if (!text) {
      Say(1, "zstd: error 31 : " + std::string(found ? "Could not open dictionary" : "Stat failed on dictionary file") + " " + o_.dictionary + ": " + std::string(text.error().Text()) + " \n");
      status_ = 31;
      return false;
    }
    dictionary_ = std::move(*text);
    return true;
  }
  ExitStatus Bench(const std::vector<std::string>& names) {
    zstd::BenchOptions options{.first = o_.level, .last = static_cast<int>(std::min<uint64_t>(o_.bench_last, 22))};
    options.encoder.dictionary = dictionary_;
    options.encoder.has_checksum = false;
    options.seconds = o_.bench_seconds;
    options.piece = o_.job_size;
    options.each_alone = o_.benches_each;
    options.only_unpacks = o_.way == Way::kUnpack;
    options.shown = o_.shown;
    return zstd::Bench(in_, options, names);
  }
  ExitStatus Train(const std::vector<std::string>& names) {
    zstd::TrainOptions options{.training = o_.training};
    options.training.level = o_.level;
    options.training.dictionary_id = static_cast<uint32_t>(o_.dictionary_id);
    options.capacity = o_.dictionary_size;
    options.piece = o_.job_size;
    options.memory = o_.memory;
    if (o_.output) options.output = *o_.output;
    options.shown = o_.shown;
    return zstd::Train(in_, options, names);
  }
  bool MayAdapt() {
    if (o_.way != Way::kPack || (!o_.adapts && !o_.is_rsyncable)) return true;
    if (o_.is_single_thread) {
      Say(1, std::string("zstd: error 1 : ") + (o_.adapts ? "Adaptive" : "Rsyncable") + " mode is not compatible with single thread mode \n \n");
      status_ = 1;
      return false;
    }
    if (o_.adapts && o_.least_level != 0) o_.level = std::max(o_.level, o_.least_level);
    if (o_.adapts && o_.most_level != 0) o_.level = std::min(o_.level, o_.most_level);
    return true;
  }
  void ClampLevel() {
    const int most = o_.ultra && o_.level > 19 ? 22 : 19;
    if (o_.way != Way::kPack || o_.level <= most) return;
    Say(2, "Warning : compression level higher than max, reduced to " + std::to_string(most) + " \n");
    o_.level = most;
  }
  bool PreparePatch(const std::vector<std::string>& names) {
    if (names.size() > 1) {
      Fail("error : can't use --patch-from=# on multiple files ");
      return false;
    }
    const auto found = in_.fs.Stat(names[0]);
    const std::optional<uint64_t> size = names[0] == kStdin ? o_.stream_size : found ? std::optional(found->size) : std::nullopt;
    if (!size && o_.way == Way::kPack) {
      Say(1, "zstd: error 42 : Using --patch-from with stdin requires --stream-size \n");
      status_ = 42;
      return false;
    }
    const uint64_t most = std::max<uint64_t>(size.value_or(0), dictionary_.size());
    patch_log_ = std::clamp(static_cast<int>(std::bit_width(most)) + 1, 10, 31);
    o_.memory = std::max({o_.memory, most, uint64_t{1} << 27});
    return true;
  }

  // --- names

  struct Suffix {
    std::string_view packed, plain;
  };
  static constexpr Suffix kSuffixes[] = {{".zst", ""}, {".tzst", ".tar"}, {".gz", ""}, {".tgz", ".tar"}, {".lzma", ""}, {".xz", ""}, {".txz", ".tar"}, {".lz4", ""}, {".tlz4", ".tar"}};
  static bool IsPackedName(const std::string& name) {
    const std::string base = vfs::BaseName(name);
    const size_t dot = base.rfind('.');
    const std::string_view suffix = dot == std::string::npos ? std::string_view() : std::string_view(base).substr(dot);
    return std::any_of(std::begin(kSuffixes), std::end(kSuffixes), [&](const Suffix& one) { return one.packed == suffix; });
  }
  static const char* SuffixOf(Form form) { return form == Form::kZstd ? ".zst" : form == Form::kGzip ? ".gz" : form == Form::kXz ? ".xz" : ".lzma"; }

  // What a file becomes; nothing after a complaint.
  std::optional<std::string> TargetOf(const std::string& name) {
    std::string target = name;
    if (!o_.flat_directory.empty()) target = vfs::JoinPath(o_.flat_directory, vfs::BaseName(name));
    else if (!o_.mirror_directory.empty()) target = Mirrored(name);
    if (o_.way == Way::kPack) return target + SuffixOf(o_.form);
    for (const Suffix& suffix : kSuffixes) {
      if (target.size() > suffix.packed.size() && target.ends_with(suffix.packed)) return target.substr(0, target.size() - suffix.packed.size()) + std::string(suffix.plain);
    }
    Fail("zstd: " + name + ": unknown suffix (.zst/.tzst/.gz/.tgz/.lzma/.xz/.txz/.lz4/.tlz4 expected). Can't derive the output file name. Specify it with -o dstFileName. Ignoring.");
    return std::nullopt;
  }
  // A name that climbs is no place below the directory.
  std::string Mirrored(const std::string& name) {
    std::string below = vfs::NormalizePath(name);
    while (below.starts_with("../")) below.erase(0, 3);
    while (below.starts_with('/')) below.erase(0, 1);
    const std::string target = vfs::JoinPath(o_.mirror_directory, below);
    static_cast<void>(vfs::MakeDirectories(in_.fs, vfs::DirectoryName(target)));
    return target;
  }

  // --- the work

  struct Sizes {
    uint64_t in = 0, out = 0;
  };

  ExitStatus Work(const std::vector<std::string>& names) {
    is_many_ = names.size() > 1;
    if (o_.output && o_.output != kStdout && o_.way != Way::kTest) {
      if (is_many_ && !MayJoin(*o_.output)) return status_;
      JoinInto(names, *o_.output);
    } else {
      for (const std::string& name : names) TakeOne(name);
    }
    if (is_many_ && done_ > 0 && o_.shown >= 2) ShowTotal();
    return status_;
  }
  void ShowTotal() {
    char text[128];
    if (o_.way == Way::kPack && total_.in > 0) {
      std::snprintf(text, sizeof text, "%3llu files compressed : %.2f%% (", static_cast<unsigned long long>(done_), static_cast<double>(total_.out) / static_cast<double>(total_.in) * 100);
      Say(2, text + Column(total_.in, 6) + " => " + Column(total_.out, 6) + ")\n");
    } else if (o_.way != Way::kPack) {
      std::snprintf(text, sizeof text, "%llu files decompressed : %6llu bytes total \n", static_cast<unsigned long long>(done_), static_cast<unsigned long long>(total_.out));
      Say(2, text);
    }
  }

  bool MayJoin(const std::string& output) {
    if (o_.shown <= 1 && !o_.force) {
      Say(1, "Concatenating multiple processed inputs into a single output loses file metadata. \nAborting. \n");
      status_ = 1;
      return false;
    }
    Say(2, "zstd: WARNING: all input files will be processed and concatenated into a single output file: " + output + " \nThe concatenated output CANNOT regenerate original file names nor directory structure. \n");
    if (o_.removes) Say(2, "Since it's a destructive operation, input files will not be removed. \n");
    o_.removes = false;
    if (o_.force || Asks("", "Proceed? (y/n): ", "Aborting...")) return true;
    status_ = 1;
    return false;
  }
  bool Asks(const std::string& reason, const std::string& question, const std::string& refusal) {
    Say(1, reason);
    if (has_stdin_) {
      Say(1, "stdin is an input - not proceeding.\n");
      return false;
    }
    in_.out.Flush();
    in_.err.Write(question);
    const auto line = in_.in.ReadLine();
    if (line && !line->text.empty() && (line->text[0] == 'y' || line->text[0] == 'Y')) return true;
    in_.err.Write(refusal + " \n");
    return false;
  }

  // True when the output may be made there.
  bool MakeWay(const std::string& source, const std::string& target) {
    const auto there = in_.fs.Stat(target), here = in_.fs.Stat(source);
    if (there && here && IsSameFile(*there, *here)) {
      Fail("zstd: Refusing to open an output file which will overwrite the input file ");
      return false;
    }
    if (!there || !there->is_file() || o_.force) return true;
    if (o_.shown <= 1) {
      Fail("zstd: " + target + " already exists; not overwritten  ");
      return false;
    }
    if (Asks("zstd: " + target + " already exists; ", "overwrite (y/n) ? ", "Not overwritten  \n")) return true;
    status_ = 1;
    return false;
  }

  struct Opened {
    vfs::OpenFilePtr file;
    std::optional<vfs::Attributes> attributes;
    std::unique_ptr<Input> input;
  };
  // Nothing after a complaint.
  std::optional<Opened> Open(const std::string& name) {
    in_.budget.Step();
    Opened opened;
    if (name == kStdin) return opened;
    const auto found = in_.fs.Stat(name);
    if (!found) {
      Fail("zstd: can't stat " + name + " : " + std::string(found.error().Text()) + " -- ignored ");
      return std::nullopt;
    }
    if (found->is_directory()) {
      Fail("zstd: " + name + " is a directory -- ignored ");
      return std::nullopt;
    }
    if (!found->is_file() && found->type != vfs::FileType::kFifo && !o_.force && !(found->type == vfs::FileType::kCharDevice && o_.output == kStdout)) {
      Fail("zstd: " + name + " is not a regular file -- ignored ");
      return std::nullopt;
    }
    auto file = in_.fs.Open(name, vfs::OpenFlags::Read());
    if (!file) {
      Fail("zstd: " + name + ": " + std::string(file.error().Text()) + " ");
      return std::nullopt;
    }
    opened.file = std::move(*file);
    opened.attributes = *found;
    opened.input = std::make_unique<Input>(*opened.file, in_.budget);
    return opened;
  }

  void TakeOne(const std::string& name) {
    std::optional<std::string> target = o_.output;
    if (!o_.output && name != kStdin) {
      target = TargetOf(name);
      if (!target) return;
    }
    auto opened = Open(name);
    if (!opened) return;
    InputSource source(opened->input ? *opened->input : in_.in);
    Sizes sizes;
    if (o_.output || name == kStdin) {
      OutputSink out(in_.out);
      NullSink nowhere;
      Convert(name, target.value_or(kStdout), source, o_.way == Way::kTest ? static_cast<ByteSink&>(nowhere) : out, *opened, sizes);
      return;
    }
    Replace(name, *target, source, *opened);
  }

  void Replace(const std::string& name, const std::string& target, InputSource& source, const Opened& opened) {
    if (!MakeWay(name, target)) return;
    auto made = NewFile::Create(in_, target, true);
    if (!made) {
      Fail("zstd: " + target + ": " + std::string(made.error().Text()));
      return;
    }
    Sizes sizes;
    if (!Convert(name, target, source, made->sink(), opened, sizes)) return;
    if (opened.attributes) made->Keep(*opened.attributes);
    if (!o_.removes || !opened.attributes) return;
    if (const Status removed = in_.fs.RemoveFile(name); !removed) Fail("zstd: error 1 : " + name + ": " + std::string(removed.error().Text()));
  }

  void JoinInto(const std::vector<std::string>& names, const std::string& target) {
    if (names.size() == 1 && names[0] != kStdin) {
      auto opened = Open(names[0]);
      if (!opened) return;
      InputSource source(*opened->input);
      Replace(names[0], target, source, *opened);
      return;
    }
    for (const std::string& name : names) {
      const auto there = in_.fs.Stat(target), here = in_.fs.Stat(name);
      if (!there || !here || !IsSameFile(*there, *here)) continue;
      Fail("zstd: Refusing to open an output file which will overwrite the input file ");
      return;
    }
    if (!is_many_ && !MakeWay(names[0], target)) return;
    auto file = in_.fs.Open(target, vfs::OpenFlags::Write());
    if (!file) {
      Fail("zstd: " + target + ": " + std::string(file.error().Text()));
      return;
    }
    for (const std::string& name : names) {
      auto opened = Open(name);
      if (!opened) continue;
      InputSource source(opened->input ? *opened->input : in_.in);
      Sizes sizes;
      Convert(name, target, source, **file, *opened, sizes);
    }
  }

  bool Convert(const std::string& name, const std::string& target, InputSource& source, ByteSink& out, const Opened& opened, Sizes& sizes) {
    const bool packs = o_.way == Way::kPack;
    const Nanoseconds start = in_.clock.MonotonicNow();
    if (!(packs ? Pack(name, source, out, opened, sizes) : Unpack(name, source, out, sizes))) return false;
    if (!o_.trace.empty()) Trace(sizes, in_.clock.MonotonicNow() - start);
    ++done_;
    total_.in += sizes.in;
    total_.out += sizes.out;
    if (is_many_ && o_.shown < 3) return true;
    char text[64];
    if (!packs) {
      std::snprintf(text, sizeof text, "%llu bytes \n", static_cast<unsigned long long>(sizes.out));
      Say(2, Padded(name) + ": " + text);
      return true;
    }
    if (sizes.in == 0) text[0] = '\0';
    else std::snprintf(text, sizeof text, "%6.2f%% ", static_cast<double>(sizes.out) / static_cast<double>(sizes.in) * 100);
    Say(2, Padded(name) + " :" + text + "  (" + HumanText(sizes.in) + " => " + HumanText(sizes.out) + ", " + target + ") \n");
    return true;
  }
  void Trace(const Sizes& sizes, Nanoseconds took) {
    const bool packs = o_.way == Way::kPack;
    const uint64_t plain = packs ? sizes.in : sizes.out, packed = packs ? sizes.out : sizes.in;
    char tail[128];
    std::snprintf(tail, sizeof tail, ", %llu, %.2f, %.2f\n", static_cast<unsigned long long>(took.count()), packed == 0 ? 0 : static_cast<double>(plain) / static_cast<double>(packed),
                  took.count() == 0 ? 0 : static_cast<double>(plain) * 1000 / static_cast<double>(took.count()));
    std::string line = "zstd, 10504, " + std::string(packs ? "compress" : "decompress") + ", streaming, " +
                       std::to_string(packs ? o_.level : 0) + ", " + std::to_string(packs && !o_.is_single_thread && plain > 512 << 10 ? 1 : 0) + ", " + std::to_string(dictionary_.size()) + ", " +
                       std::to_string(plain) + ", " + std::to_string(packed) + tail;
    auto file = in_.fs.Open(o_.trace, vfs::OpenFlags::Append());
    if (!file) return;   // as the real one, which says nothing
    if (const auto found = in_.fs.Stat(o_.trace); found && found->size == 0) {
      line.insert(0, "Algorithm, Version, Method, Mode, Level, Workers, Dictionary Size, Uncompressed Size, Compressed Size, Duration Nanos, Compression Ratio, Speed MB/s\n");
    }
    static_cast<void>((*file)->Write(line));
  }
  static std::string Padded(std::string name) {
    if (name.size() < 20) name.resize(20, ' ');
    return name;
  }

  codec::CoderPtr NewEncoder(const Opened& opened, const std::string& name) {
    switch (o_.form) {
      case Form::kGzip: return codec::NewGzipEncoder(&in_.budget, std::clamp(o_.level, 1, 9));
      case Form::kXz:
      case Form::kLzma: {
        codec::XzEncoderOptions options;
        options.is_lzma = o_.form == Form::kLzma;
        options.level = std::clamp(o_.level, 0, 9);
        in_.budget.WillAllocate(codec::XzEncoderMemory(options));
        return codec::NewXzEncoder(&in_.budget, options);
      }
      default: break;
    }
    codec::ZstdEncoderOptions options;
    options.level = o_.level;
    options.has_checksum = o_.checks;
    options.long_window_log = o_.long_log;
    if (opened.attributes && opened.attributes->is_file()) options.size = opened.attributes->size;
    else if (name == kStdin) options.size = o_.stream_size;
    if (o_.is_rsyncable && options.size.value_or(0) >= PieceSink::kShortest) options.size.reset();   // of one piece, which is not known
    if (!options.size) options.size_hint = o_.size_hint;
    options.dictionary = dictionary_;
    options.is_prefix = o_.has_patch;
    options.window_log = patch_log_;
    options.has_dictionary_id = o_.has_dictionary_id;
    options.has_size = o_.has_size;
    options.target_block = o_.target_block;
    options.compresses_literals = o_.compresses_literals;
    options.finds_by_rows = o_.finds_by_rows;
    return codec::NewZstdEncoder(&in_.budget, options);
  }

  bool Pack(const std::string& name, InputSource& source, ByteSink& out, const Opened& opened, Sizes& sizes) {
    PieceSink encoder(out, [&] { return NewEncoder(opened, name); }, in_.budget, o_.is_rsyncable && o_.form == Form::kZstd);
    CopyResult copied = CopyStream(in_.budget, source, encoder);
    if (copied.status) {
      copied.status = encoder.Finish();
      copied.is_output = true;
    }
    sizes = {encoder.bytes_in(), encoder.bytes_out()};
    if (copied.status) return true;
    in_.out.ClearStatus();
    const std::string text(copied.status.error().Text());
    Fail(copied.is_output ? "zstd: error 11 : " + name + " : " + text + " " : "zstd: error 37 : Read error : " + text + " ");
    return false;
  }

  bool Unpack(const std::string& name, InputSource& source, ByteSink& out, Sizes& sizes) {
    const auto looked = source.Look(18);
    if (!looked) {
      Fail("zstd: error 37 : Read error : " + std::string(looked.error().Text()) + " ");
      return false;
    }
    const std::string head(*looked);
    if (head.empty()) {
      Fail("zstd: " + name + ": unexpected end of file ");
      return false;
    }
    using codec::Format;
    const Format format = codec::Recognize(head);
    const bool is_skippable = head.size() >= 4 && head.substr(1, 3) == "\x2a\x4d\x18" && (head[0] & 0xf0) == 0x50;
    const bool is_known = is_skippable || format == Format::kZstd || format == Format::kGzip || format == Format::kXz || format == Format::kLzma;
    if (head.starts_with("\x04\x22\x4d\x18")) {
      Fail("zstd: " + name + ": .lz4 file cannot be uncompressed (zstd compiled without HAVE_LZ4) -- ignored ");
      return false;
    }
    if (!is_known) {
      if (o_.passes_through.value_or(o_.force && o_.output == kStdout)) {
        const CopyResult copied = CopyStream(in_.budget, source, out);
        sizes = {copied.bytes, copied.bytes};
        return copied.status ? true : Broken(name, head, copied);
      }
      Fail("zstd: " + name + (head.size() < 4 ? ": unknown header " : ": unsupported format "));
      return false;
    }
    codec::DecodingSource decoder(source, NewDecoder(format), &in_.budget);
    const CopyResult copied = CopyStream(in_.budget, decoder, out);
    sizes = {decoder.bytes_in(), decoder.bytes_out()};
    if (!copied.status) return Broken(name, head, copied);
    if (!decoder.has_garbage()) return true;
    Fail("zstd: " + name + ": unsupported format ");
    return false;
  }
  codec::CoderPtr NewDecoder(codec::Format format) {
    if (format == codec::Format::kGzip) return codec::NewGzipDecoder(&in_.budget);
    if (format == codec::Format::kXz || format == codec::Format::kLzma) {
      codec::XzDecoderOptions options;
      options.format = codec::XzDecoderOptions::Format::kAuto;
      return codec::NewXzDecoder(&in_.budget, options);
    }
    codec::ZstdDecoderOptions options;
    options.window_max = WindowMax();
    options.dictionary = dictionary_;
    options.is_prefix = o_.has_patch;
    options.ignores_check = !o_.checks;
    return codec::NewZstdDecoder(&in_.budget, options);
  }
  uint64_t WindowMax() const {
    if (o_.memory > 0) return o_.memory;
    return uint64_t{1} << (o_.long_log > 0 ? std::min(o_.long_log, 31) : 27);
  }

  bool Broken(const std::string& name, const std::string& head, const CopyResult& copied) {
    in_.out.ClearStatus();
    const Code code = copied.status.error().code;
    const std::string text(copied.status.error().Text());
    if (copied.is_output) Fail("zstd: error 70 : Write error : cannot write block : " + text + " ");
    else if (code == Code::kSyntax || code == Code::kNotSupported) Fail("zstd: " + name + ": " + text + " ");
    else if (text == "premature end") Fail(name + " : Read error (39) : premature end ");
    else if (code == Code::kCorrupt || code == Code::kLimit) Fail(name + " : Decoding error (36) : " + text + " ");
    else Fail("zstd: error 37 : Read error : " + text + " ");
    if (code == Code::kLimit) HelpWithWindow(name, head);
    return false;
  }
  void HelpWithWindow(const std::string& name, const std::string& head) {
    const auto window = codec::ZstdWindow(head);
    if (!window) return;
    Say(1, name + " : Window size larger than maximum : " + std::to_string(*window) + " > " + std::to_string(WindowMax()) + " \n");
    const int log = static_cast<int>(std::bit_width(*window)) - (std::has_single_bit(*window) ? 1 : 0);
    if (log <= 31) Say(1, name + " : Use --long=" + std::to_string(log) + " or --memory=" + std::to_string((*window >> 20) + ((*window & 0xfffff) != 0 ? 1 : 0)) + "MB \n");
  }

  // --- the list

  ExitStatus List(const std::vector<std::string>& names) {
    if (names.empty()) {
      if (!IsTerminal(in_, 0)) Say(1, "zstd: --list does not support reading from standard input \n");
      Say(1, "No files given \n");
      return 1;
    }
    for (const std::string& name : names) {
      const auto found = in_.fs.Stat(name);
      if (found && found->is_file()) continue;
      Fail("Error : " + name + " is not a file ");
    }
    const bool is_table = o_.shown < 3;
    if (is_table) in_.out.Write("Frames  Skips  Compressed  Uncompressed  Ratio  Check  Filename\n");
    for (const std::string& name : names) ListOne(name, is_table);
    if (names.size() > 1 && is_table) in_.out.Write("----------------------------------------------------------------- \n" + Row(total_info_, std::to_string(listed_) + " files"));
    return status_;
  }
  void ListOne(const std::string& name, bool is_table) {
    const auto found = in_.fs.Stat(name);
    if (!found || !found->is_file()) return;
    auto file = in_.fs.Open(name, vfs::OpenFlags::Read());
    if (!file) {
      Fail("Error : could not open source file " + name + " ");
      return;
    }
    const auto read = [&](uint64_t offset, size_t count) -> Result<std::string> {
      std::string text;
      PADDOCK_ASSIGN(const uint64_t place, (*file)->Seek(static_cast<int64_t>(offset), vfs::Whence::kStart));
      static_cast<void>(place);
      while (text.size() < count) {
        PADDOCK_ASSIGN(const Block block, (*file)->ReadBlock(count - text.size()));
        if (block.bytes.empty()) break;
        text += block.bytes;
      }
      return text;
    };
    const auto info = codec::ReadZstdInfo(found->size, read, &in_.budget);
    if (!info) {
      in_.out.Flush();
      const bool is_short = info.error().Text() == "reached end of file with incomplete frame";
      if (info.error().code == Code::kCorrupt) Fail("Error: " + std::string(info.error().Text()) + " ");
      if (info.error().code == Code::kSyntax || is_short) in_.out.Write("File \"" + name + "\" not compressed by zstd \n");
      else Fail("Error while parsing \"" + name + "\" ");
      status_ = 1;
      return;
    }
    in_.out.Write(is_table ? Row(*info, name) : Details(*info, name));
    ++listed_;
    if (listed_ == 1) total_info_.has_check = true;
    total_info_.frames += info->frames;
    total_info_.skippable += info->skippable;
    total_info_.packed += info->packed;
    total_info_.plain += info->plain;
    total_info_.knows_plain = total_info_.knows_plain && info->knows_plain;
    total_info_.has_check = total_info_.has_check && info->has_check;
  }
  static double RatioOf(const codec::ZstdInfo& info) { return info.packed == 0 ? 0 : static_cast<double>(info.plain) / static_cast<double>(info.packed); }
  std::string Row(const codec::ZstdInfo& info, const std::string& name) const {
    char head[48], ratio[48];
    std::snprintf(head, sizeof head, "%6llu  %5llu  ", static_cast<unsigned long long>(info.frames), static_cast<unsigned long long>(info.skippable));
    std::snprintf(ratio, sizeof ratio, "  %5.3f  ", RatioOf(info));
    const bool is_total = &info == &total_info_;
    const std::string check = is_total && listed_ == 0 ? "XXH64" : info.has_check ? "XXH64" : is_total ? "     " : " None";
    return head + Column(info.packed, 6) + (info.knows_plain ? "  " + Column(info.plain, 8) + ratio : std::string(23, ' ')) + check + "  " + name + "\n";
  }
  static std::string Details(const codec::ZstdInfo& info, const std::string& name) {
    const auto size = [](uint64_t value) { return HumanText(value, 0) + " (" + std::to_string(value) + " B)\n"; };
    std::string text = name + " \n# Zstandard Frames: " + std::to_string(info.frames - info.skippable) + "\n";
    if (info.skippable > 0) text += "# Skippable Frames: " + std::to_string(info.skippable) + "\n";
    text += "DictID: " + std::to_string(info.dictionary) + "\nWindow Size: " + size(info.window) + "Compressed Size: " + size(info.packed);
    if (info.knows_plain) {
      char ratio[48];
      std::snprintf(ratio, sizeof ratio, "Ratio: %.4f\n", RatioOf(info));
      text += "Decompressed Size: " + size(info.plain) + ratio;
    }
    const bool is_one = info.frames - info.skippable == 1;
    return text + "Check: " + (info.has_check ? "XXH64" + (is_one ? " " + info.check : "") : "None") + "\n\n";
  }

  Invocation& in_;
  Options& o_;
  ExitStatus status_ = 0;
  std::string dictionary_;
  int patch_log_ = 0;
  bool has_stdin_ = false, is_many_ = false;
  uint64_t done_ = 0, listed_ = 0;
  Sizes total_;
  codec::ZstdInfo total_info_;
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
  bool Apply(const Option& option, std::string_view value) { return option.apply(&o_, value) ? true : Wrong(); }
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
        if (!level) return Wrong();
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
        if (!value || !Apply(*option, std::to_string(*value))) return false;
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
  constexpr int kMostUrgent = -20;
  if (options.is_urgent && in.fs.credentials().uid == 0) in.process.set_niceness(kMostUrgent);
  return Zstd(in, options).Run(std::move(line.names));
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
