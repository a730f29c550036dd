// gzip, gunzip, zcat - compress or uncompress files
//
// usage: gzip [OPTION]... [FILE]...
// Every FILE is replaced by FILE.gz, or back; without FILE, or for -, standard input goes to standard output.
//
// Exit status: 0; 1 for an error, 2 for a warning.
// Source: GNU gzip 1.12, RFC 1952.
// Differs: deflate's output is zlib's, not gzip's own; what `zip` made is not unpacked.

#include <algorithm>
#include <cstdio>

#include "commands/archive/packed_file.h"
#include "commands/file_facts.h"
#include "proc/option_complaint.h"
#include "proc/process.h"
#include "proc/signals.h"
#include "text/date/time_format.h"

namespace paddock {
namespace {

constexpr std::string_view kLzwMagic = "\x1f\x9d";    // of compress
constexpr std::string_view kPackMagic = "\x1f\x1e";   // of pack

struct Options {
  bool to_stdout = false, decompresses = false, force = false, lists = false, quiet = false, recursive = false, tests = false, verbose = false;
  bool keeps = false, rsyncable = false, license = false, shows_help = false, shows_version = false, is_lzw = false, is_synchronous = false;
  bool is_tty_presumed = false, is_ascii = false;
  std::optional<bool> name;    // -n, -N
  std::string suffix = ".gz", bits;
  int level = 6;
};

Status ListIt(Options& options, std::string_view) {
  options.lists = options.decompresses = options.to_stdout = true;
  return {};
}
Status TestIt(Options& options, std::string_view) {
  options.tests = options.decompresses = options.to_stdout = true;
  return {};
}
Status BeQuiet(Options& options, std::string_view) {
  options.quiet = true;
  options.verbose = false;
  return {};
}
Status BeVerbose(Options& options, std::string_view) {
  options.verbose = true;
  options.quiet = false;
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::to_stdout>('c', "stdout", "write on standard output, keep original files unchanged"),
    Flag<&Options::to_stdout>(0, "to-stdout", nullptr),
    Flag<&Options::decompresses>('d', "decompress", "decompress"),
    Flag<&Options::decompresses>(0, "uncompress", nullptr),
    Flag<&Options::force>('f', "force", "overwrite output files, follow links, copy what is not compressed (with -dc)"),
    Flag<&Options::shows_help>('h', "help", "give this help"),
    Flag<&Options::keeps>('k', "keep", "keep (don't delete) input files"),
    Call<ListIt>('l', "list", nullptr, "list compressed file contents"),
    Flag<&Options::license>('L', "license", "display software license"),
    Set<&Options::name, false>('n', "no-name", "do not save or restore the original name and timestamp"),
    Set<&Options::name, true>('N', "name", "save or restore the original name and timestamp"),
    Call<BeQuiet>('q', "quiet", nullptr, "suppress all warnings"),
    Call<BeQuiet>(0, "silent", nullptr, nullptr),
    Flag<&Options::recursive>('r', "recursive", "operate recursively on directories"),
    Flag<&Options::rsyncable>(0, "rsyncable", "make rsync-friendly archive"),
    Value<&Options::suffix>('S', "suffix", "SUF", "use suffix SUF on compressed files"),
    Flag<&Options::is_synchronous>(0, "synchronous", "synchronous output (files of this system are, always)"),
    Call<TestIt>('t', "test", nullptr, "test compressed file integrity"),
    Call<BeVerbose>('v', "verbose", nullptr, "verbose mode"),
    Flag<&Options::shows_version>('V', "version", "display version number"),
    Set<&Options::level, 1>('1', "fast", "compress faster"),
    Set<&Options::level, 2>('2', nullptr, nullptr),
    Set<&Options::level, 3>('3', nullptr, nullptr),
    Set<&Options::level, 4>('4', nullptr, nullptr),
    Set<&Options::level, 5>('5', nullptr, nullptr),
    Set<&Options::level, 6>('6', nullptr, nullptr),
    Set<&Options::level, 7>('7', nullptr, nullptr),
    Set<&Options::level, 8>('8', nullptr, nullptr),
    Set<&Options::level, 9>('9', "best", "compress better"),
    Flag<&Options::is_ascii>('a', "ascii", nullptr),
    Value<&Options::bits>('b', "bits", "BITS", nullptr),
    Flag<&Options::is_lzw>('Z', "lzw", nullptr),
    Flag<&Options::is_tty_presumed>(0, "-presume-input-tty", nullptr),
};

std::string Ratio(double saved, double whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%5.1f%%", whole == 0 ? 0.0 : 100.0 * saved / whole);
  return text;
}

// What a decoder left over, from its first bytes on, which are taken already.
class GarbageSource final : public ByteSource {
 public:
  GarbageSource(codec::DecodingSource& decoder, std::string_view first) : decoder_(decoder), first_(first) {}
  Result<Block> ReadBlock(size_t) override {
    if (first_.empty()) return decoder_.ReadGarbage();
    return Block{nullptr, std::exchange(first_, {})};
  }
  void GiveBack(size_t) override {}

 private:
  codec::DecodingSource& decoder_;
  std::string_view first_;
};

class Gzip {
 public:
  Gzip(Invocation& in, const Options& options) : in_(in), o_(options) {}

  void TakeOperand(const std::string& name) {
    if (name == "-") TakeStdin();
    else TakeFile(name);
  }
  ExitStatus Finish() {
    if (o_.lists && !o_.quiet && listed_ > 1) ListTotals();
    if (const Status& flushed = in_.out.Flush(); !flushed && IsUnread(flushed.error().code)) {
      in_.out.ClearStatus();
      return kWarning;
    }
    return status_;
  }
  // True when nobody reads what -q writes: then all ends, without a word.
  bool is_over() const { return is_over_; }

 private:
  static constexpr ExitStatus kError = 1, kWarning = 2;

  // What one input came to.
  struct Sizes {
    uint64_t compressed = 0;   // with headers
    uint64_t plain = 0;
    uint64_t headers = 0;
    uint32_t checksum = 0;
    const char* old_method = nullptr;   // none that has a checksum
  };

  void Say(const std::string& text) {
    in_.out.Flush();
    in_.err.Write(text);
  }
  void Fail(const std::string& message, bool starts_line = false) {
    Say((starts_line ? "\ngzip: " : "gzip: ") + message + "\n");
    status_ = kError;
  }
  void Warn(const std::string& message, bool starts_line = false) {
    if (!o_.quiet) Say((starts_line ? "\ngzip: " : "gzip: ") + message + "\n");
    if (status_ == 0) status_ = kWarning;
  }

  void TakeStdin() {
    if (!o_.force && !o_.lists && IsTerminal(in_, o_.decompresses ? 0 : 1)) {
      Say(std::string("gzip: compressed data not ") + (o_.decompresses ? "read from" : "written to") + " a terminal. Use -f to force " +
          (o_.decompresses ? "de" : "") + "compression.\nFor help, type: gzip -h\n");
      status_ = kError;
      return;
    }
    vfs::Attributes attributes;
    attributes.type = vfs::FileType::kFifo;
    if (const vfs::OpenFilePtr& file = in_.process.descriptors().Get(0)) {
      if (const auto found = file->GetAttributes(); found && found->is_file()) attributes = *found;
    }
    if (!o_.decompresses && o_.name.value_or(true)) header_.modify_time = SecondsOf(attributes);
    InputSource source(in_.in);
    OutputSink out(in_.out);
    NullSink nowhere;
    Sizes sizes;
    if (!Work("stdin", source, o_.tests || o_.lists ? static_cast<ByteSink&>(nowhere) : out, sizes)) return;
    if (o_.lists) List("stdout", sizes, o_.name.value_or(false) && header_.modify_time != 0 ? Seconds(header_.modify_time) : attributes.modify_time);
    else if (o_.verbose && o_.tests) Say(" OK\n");
    else if (o_.verbose && !o_.decompresses) Say(RatioOf(sizes) + "\n");
  }

  // For a header, which can only hold some.
  uint32_t SecondsOf(const vfs::Attributes& attributes) {
    const int64_t seconds = std::chrono::floor<std::chrono::seconds>(attributes.modify_time).count();
    is_time_lost_ = attributes.is_file() && (seconds <= 0 || seconds > UINT32_MAX);
    return seconds > 0 && seconds <= UINT32_MAX ? static_cast<uint32_t>(seconds) : 0;
  }
  static Nanoseconds Seconds(uint32_t seconds) { return std::chrono::seconds(seconds); }

  std::string RatioOf(const Sizes& sizes) const {
    const auto packed = static_cast<double>(sizes.compressed - std::min(sizes.headers, sizes.compressed));
    return Ratio(static_cast<double>(sizes.plain) - packed, static_cast<double>(sizes.plain));
  }

  // One stream, either way. False after a complaint.
  bool Work(const std::string& shown, InputSource& source, ByteSink& out, Sizes& sizes) {
    return o_.decompresses ? Unpack(shown, source, out, sizes) : Pack(shown, source, out, sizes);
  }

  bool Pack(const std::string& shown, InputSource& source, ByteSink& out, Sizes& sizes) {
    if (is_time_lost_) Warn(shown + ": warning: file timestamp out of range for gzip format");
    is_time_lost_ = false;
    codec::EncodingSink encoder(out, codec::NewGzipEncoder(&in_.budget, o_.level, header_, o_.rsyncable), &in_.budget);
    CopyResult copied = CopyStream(in_.budget, source, encoder);
    if (copied.status) {
      copied.status = encoder.Finish();
      copied.is_output = true;
    }
    sizes = {encoder.bytes_out(), encoder.bytes_in(), 18 + (header_.name.empty() ? 0 : header_.name.size() + 1), 0, nullptr};
    return IsDone(shown, copied);
  }

  bool Unpack(const std::string& shown, InputSource& source, ByteSink& out, Sizes& sizes) {
    const auto head = source.Look(2);
    if (!head) return IsDone(shown, CopyResult{head.error()});
    if (o_.force && (o_.to_stdout || is_stdin(shown)) && !o_.tests && !o_.lists && *head != "\x1f\x8b" && *head != kLzwMagic && *head != kPackMagic && !head->empty()) {
      return IsDone(shown, CopyStream(in_.budget, source, out));
    }
    if (*head == kLzwMagic || *head == kPackMagic) return UnpackOld(shown, source, out, sizes, *head == kLzwMagic);
    auto made = codec::NewGzipDecoder(&in_.budget);
    codec::GzipDecoder& gzip = *made;
    codec::DecodingSource decoder(source, std::move(made), &in_.budget);
    const CopyResult copied = CopyStream(in_.budget, decoder, out);
    if (!copied.status && !copied.is_output && IsFormat(copied.status.error().code)) {
      const std::string_view message = copied.status.error().Text();
      const bool is_about_header = copied.status.error().code == Code::kNotSupported || message.starts_with("header");
      Fail(shown + ": " + std::string(message), !is_about_header);
      return false;
    }
    if (!IsDone(shown, copied)) return false;
    const codec::GzipHeader& header = gzip.header();
    if (o_.name.value_or(false)) header_ = header;
    sizes = {decoder.bytes_in(), decoder.bytes_out(), 18 + (header.name.empty() ? 0 : header.name.size() + 1), gzip.checksum(), nullptr};
    return TakeRest(shown, decoder, out, gzip.has_padding());
  }
  static bool IsEmpty(const Result<Block>& block) { return block && block->bytes.empty(); }
  // What stands behind the last member, which is none: a warning, or with -cf more of the output.
  bool TakeRest(const std::string& shown, codec::DecodingSource& decoder, ByteSink& out, bool has_padding) {
    if (!decoder.has_garbage()) return true;
    auto rest = decoder.ReadGarbage();
    if (o_.force && (o_.to_stdout || is_stdin(shown)) && !o_.lists) {
      while (rest && !rest->bytes.empty()) {
        if (const Status written = out.Write(rest->bytes); !written) return IsDone(shown, CopyResult{written, true});
        in_.budget.Step();
        rest = decoder.ReadGarbage();
      }
      return IsDone(shown, CopyResult{rest ? Status() : rest.error()});
    }
    if (rest && (rest->bytes.starts_with(kLzwMagic) || rest->bytes.starts_with(kPackMagic))) {
      GarbageSource more(decoder, rest->bytes);
      Sizes sizes;
      return UnpackOld(shown, more, out, sizes, rest->bytes.starts_with(kLzwMagic));
    }
    const bool is_half = !has_padding && rest && rest->bytes.size() == 1 && IsEmpty(decoder.ReadGarbage());
    if (is_half) {   // of a magic number
      Fail(shown + ": unexpected end of file", true);
      return false;
    }
    Warn(shown + ": decompression OK, trailing garbage ignored", true);
    return true;
  }
  bool UnpackOld(const std::string& shown, ByteSource& source, ByteSink& out, Sizes& sizes, bool is_lzw) {
    codec::DecodingSource decoder(source, is_lzw ? codec::NewLzwDecoder() : codec::NewPackDecoder(), &in_.budget);
    const CopyResult copied = CopyStream(in_.budget, decoder, out);
    if (!copied.status && !copied.is_output && IsFormat(copied.status.error().code)) {
      Fail(shown + ": " + std::string(copied.status.error().Text()), true);
      return false;
    }
    if (!IsDone(shown, copied)) return false;
    sizes = {.compressed = decoder.bytes_in(), .plain = decoder.bytes_out(), .headers = is_lzw ? 3u : 0u, .checksum = 0, .old_method = is_lzw ? "compr" : "pack "};
    return is_lzw || TakeRest(shown, decoder, out, false);
  }
  static bool is_stdin(const std::string& shown) { return shown == "stdin"; }
  static bool IsFormat(Code code) { return code == Code::kSyntax || code == Code::kCorrupt || code == Code::kNotSupported; }

  bool IsUnread(Code code) const { return o_.quiet && code == Code::kBrokenPipe; }

  bool IsDone(const std::string& shown, const CopyResult& copied) {
    if (copied.status) return true;
    in_.out.ClearStatus();
    if (copied.is_output && IsUnread(copied.status.error().code)) {
      is_over_ = true;
      status_ = kWarning;
      return false;
    }
    Fail((copied.is_output ? std::string("stdout") : shown) + ": " + std::string(copied.status.error().Text()));
    return false;
  }

  // --- files

  // The length of a known suffix at the end of `name`, 0 for none.
  size_t SuffixIn(const std::string& name) const {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    std::string own = o_.suffix;
    std::transform(own.begin(), own.end(), own.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    for (const std::string_view suffix : {std::string_view(own), std::string_view(".gz"), std::string_view(".z"), std::string_view(".taz"),
                                          std::string_view(".tgz"), std::string_view("-gz"), std::string_view("-z"), std::string_view("_z")}) {
      if (!suffix.empty() && lower.size() > suffix.size() && lower.ends_with(suffix) && lower[lower.size() - suffix.size() - 1] != '/') return suffix.size();
    }
    return 0;
  }

  // Opens `name`, and for decompressing also what it is with a suffix.
  Result<vfs::OpenFilePtr> Open(std::string& name) {
    const vfs::OpenFlags flags = {.read = true, .no_follow = !o_.force && !o_.to_stdout, .nonblocking = true};
    auto file = in_.fs.Open(name, flags);
    if (file || file.error().code != Code::kNoEntry || !o_.decompresses || SuffixIn(name) > 0) return file;
    const std::string plain = name;
    std::vector<std::string> suffixes = {o_.suffix};
    for (const char* suffix : {".gz", ".z", "-z", ".Z"}) {
      if (o_.suffix != suffix) suffixes.emplace_back(suffix);
    }
    for (const std::string& suffix : suffixes) {
      name = plain + suffix;
      auto other = in_.fs.Open(name, flags);
      if (other || other.error().code != Code::kNoEntry) return other;
    }
    name = plain + o_.suffix;
    return Error(Code::kNoEntry);
  }

  void TakeFile(std::string name) {
    header_ = {};
    in_.budget.Step();
    auto file = Open(name);
    if (!file) {
      Fail(name + ": " + std::string(file.error().Text()));
      return;
    }
    const auto found = (*file)->GetAttributes();
    if (!found) {
      Fail(name + ": " + std::string(found.error().Text()));
      return;
    }
    if (found->is_directory()) {
      if (!o_.recursive) Warn(name + " is a directory -- ignored");
      else TakeDirectory(name);
      return;
    }
    if (!o_.to_stdout && !MayReplace(name, *found)) return;
    TakeOpened(name, **file, *found);
  }

  void TakeDirectory(const std::string& name) {
    in_.budget.CheckStack();
    const auto entries = in_.fs.List(name);
    if (!entries) {
      Fail(name + ": " + std::string(entries.error().Text()));
      return;
    }
    for (const vfs::DirectoryEntry& entry : *entries) {
      in_.budget.Step();
      if (!is_over_) TakeFile(name + (name.ends_with('/') ? "" : "/") + entry.name);
    }
  }

  bool MayReplace(const std::string& name, const vfs::Attributes& found) {
    if (!found.is_file()) {
      Warn(name + " is not a directory or a regular file - ignored");
      return false;
    }
    if ((found.mode & 04000) != 0 && !o_.force) {
      Warn(name + " is set-user-ID on execution - ignored");
      return false;
    }
    if ((found.mode & 02000) != 0 && !o_.force) {
      Warn(name + " is set-group-ID on execution - ignored");
      return false;
    }
    if (!o_.force && !o_.keeps && found.links > 1) {
      Warn(name + " has " + std::to_string(found.links - 1) + " other link" + (found.links > 2 ? "s" : "") + " -- file ignored");
      return false;
    }
    return true;
  }

  // The name of the output; nothing after a complaint.
  std::optional<std::string> OutputName(const std::string& name) {
    const size_t suffix = SuffixIn(name);
    if (!o_.decompresses) {
      if (suffix == 0 || o_.force) return name + o_.suffix;
      if (o_.verbose || (!o_.recursive && !o_.quiet)) Say("gzip: " + name + " already has " + name.substr(name.size() - suffix) + " suffix -- unchanged\n");
      return std::nullopt;
    }
    if (suffix == 0) {
      if (!o_.recursive || o_.verbose) Warn(name + ": unknown suffix -- ignored");
      return std::nullopt;
    }
    const std::string stem = name.substr(0, name.size() - suffix);
    const std::string_view last = std::string_view(name).substr(stem.size());
    return last == ".tgz" || last == ".taz" ? stem + ".tar" : stem;
  }

  void TakeOpened(const std::string& name, vfs::OpenFile& file, const vfs::Attributes& found) {
    std::optional<std::string> target;
    if (!o_.to_stdout || o_.lists) {
      target = o_.lists && SuffixIn(name) == 0 ? name : OutputName(name);
      if (!target) return;
    }
    if (!o_.decompresses && o_.name.value_or(true)) header_ = {vfs::BaseName(name), SecondsOf(found)};
    Input input(file, in_.budget);
    InputSource source(input);
    if (o_.to_stdout) {
      OutputSink out(in_.out);
      NullSink nowhere;
      Sizes sizes;
      if (o_.verbose && !o_.lists) Say(name + ":\t");
      if (!Work(name, source, o_.tests || o_.lists ? static_cast<ByteSink&>(nowhere) : out, sizes)) return;
      const bool names = o_.name.value_or(false);
      if (o_.lists) List(names && !header_.name.empty() ? header_.name : *target, sizes, names && header_.modify_time != 0 ? Seconds(header_.modify_time) : found.modify_time);
      else if (o_.verbose) Say((o_.tests ? " OK" : RatioOf(sizes) + (o_.keeps ? " -- created stdout" : " -- replaced with stdout")) + "\n");
      return;
    }
    Replace(name, *target, source, found);
  }

  void Replace(const std::string& name, std::string target, InputSource& source, const vfs::Attributes& found) {
    if (o_.decompresses && o_.name.value_or(false)) {
      // The name has to be known before there is a file: a header is 10 bytes and what it names.
      if (const auto head = source.Look(10 + 4096)) target = RestoredName(name, target, *head);
    }
    if (!MakeWay(target)) return;
    auto made = NewFile::Create(in_, target, o_.force || is_overwriting_);
    if (!made) {
      Fail(target + ": " + std::string(made.error().Text()));
      return;
    }
    if (o_.verbose) Say(name + ":\t");
    Sizes sizes;
    if (!Work(name, source, made->sink(), sizes)) return;
    const bool restores = o_.decompresses && o_.name.value_or(false) && header_.modify_time != 0;
    made->Keep(found, restores ? std::optional(Seconds(header_.modify_time)) : std::nullopt);
    if (!o_.keeps) {
      if (const Status removed = in_.fs.RemoveFile(name); !removed) Fail(name + ": " + std::string(removed.error().Text()));
    }
    if (o_.verbose) Say(RatioOf(sizes) + (o_.keeps ? " -- created " : " -- replaced with ") + target + "\n");
  }

  std::string RestoredName(const std::string& name, const std::string& otherwise, std::string_view head) const {
    auto decoder = codec::NewGzipDecoder(&in_.budget);
    char plain[1];
    if (!decoder->Run(head, false, plain, sizeof plain)) return otherwise;
    const std::string& stored = decoder->header().name;
    const std::string base = stored.empty() ? "" : stored.substr(stored.rfind('/') + 1);
    if (base.empty() || base == "." || base == "..") return otherwise;
    const size_t slash = name.rfind('/');
    return (slash == std::string::npos ? "" : name.substr(0, slash + 1)) + base;
  }

  // True when the output may be written.
  bool MakeWay(const std::string& target) {
    is_overwriting_ = false;
    if (o_.force || !in_.fs.Stat(target, vfs::Follow::kNo)) return true;
    Say("gzip: " + target + " already exists;");
    if (IsTerminal(in_, 0) || o_.is_tty_presumed) {
      Say(" do you wish to overwrite (y or n)? ");
      const auto line = in_.in.ReadLine();
      is_overwriting_ = line && !line->text.empty() && (line->text[0] == 'y' || line->text[0] == 'Y');
    }
    if (is_overwriting_) return true;
    Say("\tnot overwritten\n");
    if (status_ == 0) status_ = kWarning;
    return false;
  }

  // --- the list

  void ListRow(uint64_t compressed, uint64_t plain, uint64_t headers, const std::string& name) {
    char row[96];
    std::snprintf(row, sizeof row, "%19llu %19llu ", static_cast<unsigned long long>(compressed), static_cast<unsigned long long>(plain));
    in_.out.Write(row + RatioOf({compressed, plain, headers, 0}) + " " + name + "\n");
  }
  void List(const std::string& name, const Sizes& sizes, Nanoseconds time) {
    if (listed_++ == 0 && !o_.quiet) {
      if (o_.verbose) in_.out.Write("method  crc     date  time  ");
      in_.out.Write("         compressed        uncompressed  ratio uncompressed_name\n");
    }
    if (o_.verbose) {
      char head[32];
      if (sizes.old_method != nullptr) std::snprintf(head, sizeof head, "%s %s ", sizes.old_method, "ffffffffffffffff");
      else std::snprintf(head, sizeof head, "defla %08x ", sizes.checksum);
      const TimePoint moment = ToTimePoint(time);
      in_.out.Write(head + FormatTime("%b %e %H:%M ", LocalZone(in_.env).ToLocal(moment.seconds), moment, in_.budget));
    }
    ListRow(sizes.compressed, sizes.plain, sizes.headers, name);
    total_.compressed += sizes.compressed;
    total_.plain += sizes.plain;
    total_.headers = sizes.headers;
  }
  void ListTotals() {
    if (o_.verbose) in_.out.Write(std::string(28, ' '));
    ListRow(total_.compressed, total_.plain, total_.headers, "(totals)");
  }

  Invocation& in_;
  const Options& o_;
  ExitStatus status_ = 0;
  codec::GzipHeader header_;   // to be written, or of what was read with -N
  bool is_overwriting_ = false, is_over_ = false;
  bool is_time_lost_ = false;   // that of the file does not fit in the header
  Sizes total_;
  uint64_t listed_ = 0;
};

ExitStatus Complain(Invocation& in, const std::string& message) {
  in.err.Write("gzip: " + message + "\n");
  return 1;
}

// Whether $GZIP may hold an option: only those that say how well to compress and how much to tell.
bool IsDefault(const Option& option) {
  constexpr std::string_view kLetters = "nNqv123456789";
  constexpr std::string_view kLong[] = {"silent", "rsyncable", "synchronous"};
  if (option.short_name != 0) return kLetters.find(option.short_name) != std::string_view::npos;
  return std::find(std::begin(kLong), std::end(kLong), option.long_name) != std::end(kLong);
}

// What a word of $GZIP may not say, as the complaint names it. Words that are no options at all are complained of later.
std::optional<std::string> Unfit(std::string_view word) {
  if (!word.starts_with('-') || word == "-") return std::string(word) + ": non-option in GZIP environment variable";
  const auto unfit = [](std::string_view name) { return std::string(name) + ": option not valid in GZIP environment variable"; };
  if (word == "--") return unfit(word);
  for (const Option& option : kOptions) {
    if (IsDefault(option)) continue;
    if (word.starts_with("--")) {
      const std::string_view name = word.substr(2, word.find('=') - 2);
      if (option.long_name != nullptr && name == option.long_name) return unfit(word.substr(0, word.find('=')));
    } else if (option.short_name != 0 && word.find(option.short_name, 1) != std::string_view::npos) {
      return unfit(std::string("-") + option.short_name);
    }
  }
  return std::nullopt;
}

// With the words of $GZIP first. Nothing after a complaint.
std::optional<std::vector<std::string>> WithDefaults(Invocation& in) {
  std::vector<std::string> args(in.args.begin(), in.args.end());
  const auto defaults = in.env.Get("GZIP");
  if (!defaults) return args;
  std::vector<std::string> words;
  for (size_t from = 0; (from = defaults->find_first_not_of(" \t", from)) != std::string_view::npos;) {
    const size_t end = std::min(defaults->find_first_of(" \t", from), defaults->size());
    words.emplace_back(defaults->substr(from, end - from));
    from = end;
  }
  for (const std::string& word : words) {
    const auto complaint = Unfit(word);
    if (!complaint) continue;
    static_cast<void>(Complain(in, *complaint));
    in.err.Write("Try `gzip --help' for more information.\n");
    return std::nullopt;
  }
  args.insert(args.begin() + 1, words.begin(), words.end());
  return args;
}

ExitStatus Run(Invocation& in) {
  Options options;
  options.decompresses = in.name() == "gunzip" || in.name() == "zcat" || in.name() == "uncompress";
  options.to_stdout = in.name() == "zcat";
  const auto args = WithDefaults(in);
  if (!args) return 1;
  auto parsed = ParseOptions(*args, kOptions, &options);
  if (!parsed) {
    if (parsed.error().code == Code::kSyntax) ComplainOfOption(in, parsed.error().Text());
    else static_cast<void>(Complain(in, std::string(parsed.error().Text())));
    in.err.Write("Try `gzip --help' for more information.\n");
    return 1;
  }
  if (options.shows_help) {
    in.out.Write(HelpText(in.command, in.name_in_messages()));
    return 0;
  }
  if (options.shows_version || options.license) {
    in.out.Write(VersionText(in.command, in.name()));
    if (options.license) in.out.Write("Licensed under the Apache License, Version 2.0.\n");
    return 0;
  }
  Options defaults;   // of $GZIP alone: its own -q counts
  const std::span<const std::string> from_environment(args->data(), args->size() - in.args.size() + 1);
  if (from_environment.size() > 1 && ParseOptions(from_environment, kOptions, &defaults) && !defaults.quiet) {
    static_cast<void>(Complain(in, "warning: GZIP environment variable is deprecated; use an alias or script"));
  }
  if (options.is_lzw) {
    static_cast<void>(Complain(in, "-Z not supported in this version"));
    in.err.Write("Try `gzip --help' for more information.\n");
    return 1;
  }
  if (options.suffix.empty() || options.suffix.size() > 30) {
    return Complain(in, "invalid suffix '" + options.suffix + "'");
  }
  if (options.quiet) in.process.set_disposition(proc::kSigPipe, proc::Process::Disposition::kIgnore);
  Gzip gzip(in, options);
  if (parsed->operands.empty()) gzip.TakeOperand("-");
  for (const std::string& name : parsed->operands) {
    if (!gzip.is_over()) gzip.TakeOperand(name);
  }
  return gzip.Finish();
}

constexpr const char* kAliases[] = {"gunzip", "zcat", "uncompress"};

}  // namespace

extern const Command kCommand_gzip;
const Command kCommand_gzip = {
    .name = "gzip",
    .aliases = kAliases,
    .summary = "compress or uncompress FILEs (by default, compress FILES in-place)",
    .synopsis = "[OPTION]... [FILE]...",
    .details = "With no FILE, or when FILE is -, read standard input.\n",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
