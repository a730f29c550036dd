// file - determine file type
//
// usage: file [OPTION]... FILE...
// Says of each FILE what it is, judged by its contents.
//
// Exit status: 0 (also when a FILE is not there), or 1 for bad usage and, with -E, for a FILE that is not there.
// Source: file 5.44.
// Differs: without -m (or $MAGIC) it knows a fixed set of formats, which no magic file holds: -l and -C need -m. -e and --extension cover the
// formats known; -z and -Z look into gzip, bzip2, xz, lzma and zstd. Magic files: der, varints, id3 offsets and "use" of a name with the
// bytes swapped are not done. -d is refused.

#include <algorithm>

#include "codec/coder.h"
#include "commands/file/file_kind.h"
#include "commands/file/magic.h"
#include "commands/file_facts.h"
#include "commands/input_files.h"
#include "text/date/time_format.h"
#include "text/utf8.h"

namespace paddock {
namespace {

using file::Kind;

constexpr uint64_t kLookedAt = 7 << 20;      // bytes of a file
constexpr uint64_t kMostOfProgram = 512 << 20;   // its tables stand at the end

struct Options {
  bool wants_version = false;
  bool brief = false;
  bool mime_type = false;
  bool mime_encoding = false;
  bool extension = false;
  bool apple = false;
  bool keeps_going = false;
  bool fails_on_missing = false;
  bool no_padding = false;
  bool raw = false;
  bool reads_devices = false;
  bool ignored = false;
  bool unpacks = false;        // -z, -Z
  bool tells_packing = false;  // -z
  int64_t nulls = 0;
  std::optional<bool> follows;
  std::string separator = ":";
  std::optional<std::string> magic_files;   // names with ':' between them
  bool checks = false, lists_magic = false, compiles = false, debugs = false;
  std::vector<std::string> excluded, lists;
  std::vector<std::string> parameters;
};

Status SetMime(Options& o, std::string_view) {
  o.mime_type = o.mime_encoding = true;
  return {};
}
Status AddNull(Options& o, std::string_view) {
  ++o.nulls;
  return {};
}
template <bool kFollows>
Status SetFollows(Options& o, std::string_view) {
  o.follows = kFollows;
  return {};
}
template <bool kTells>
Status Unpack(Options& o, std::string_view) {
  o.unpacks = true;
  o.tells_packing = kTells;
  return {};
}
constexpr const char* kTests[] = {"apptype", "ascii",    "cdf",  "compress", "csv",  "elf",
                                  "encoding", "soft", "tar", "json",     "text", "tokens"};
Status Exclude(Options& o, std::string_view test) {
  if (std::find(std::begin(kTests), std::end(kTests), test) == std::end(kTests)) {
    return Error(Code::kSyntax, "unknown test '" + std::string(test) + "'");
  }
  o.excluded.emplace_back(test);
  return {};
}
Status ExcludeQuietly(Options& o, std::string_view test) {
  o.excluded.emplace_back(test);
  return {};
}
Status SetParameter(Options&, std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  for (const char* known : {"bytes", "elf_notes", "elf_phnum", "elf_shnum", "encoding", "indir", "name", "regex"}) {
    if (name == known) return Error(Code::kInvalid, "parameters cannot be changed here: " + std::string(text));
  }
  return Error(Code::kInvalid, "Unknown param " + std::string(text));
}

constexpr Option kOptions[] = {
    Flag<&Options::wants_version>('v', "version", "output version information and exit"),
    Value<&Options::magic_files>('m', "magic-file", "LIST", "use LIST as a colon-separated list of magic number files"),
    Call<Unpack<true>>('z', "uncompress", nullptr, "try to look inside compressed files"),
    Call<Unpack<false>>('Z', "uncompress-noreport", nullptr, "only print the contents of compressed files"),
    Flag<&Options::brief>('b', "brief", "do not prepend filenames to output lines"),
    Flag<&Options::checks>('c', "checking-printout", "print the parsed form of the magic file"),
    Call<Exclude>('e', "exclude", "TEST", "exclude TEST from the list of test to be performed for file"),
    Call<ExcludeQuietly>(0, "exclude-quiet", "TEST", "like exclude, but ignore unknown tests"),
    Value<&Options::lists>('f', "files-from", "FILE", "read the filenames to be examined from FILE"),
    Value<&Options::separator>('F', "separator", "STRING", "use string as separator instead of `:'"),
    Call<SetMime>('i', "mime", nullptr, "output MIME type strings (--mime-type and --mime-encoding)"),
    Flag<&Options::apple>(0, "apple", "output the Apple CREATOR/TYPE"),
    Flag<&Options::extension>(0, "extension", "output a slash-separated list of extensions"),
    Flag<&Options::mime_type>(0, "mime-type", "output the MIME type"),
    Flag<&Options::mime_encoding>(0, "mime-encoding", "output the MIME encoding"),
    Flag<&Options::keeps_going>('k', "keep-going", "don't stop at the first match"),
    Flag<&Options::lists_magic>('l', "list", "list magic strength"),
    Call<SetFollows<true>>('L', "dereference", nullptr, "follow symlinks (default if POSIXLY_CORRECT is set)"),
    Call<SetFollows<false>>('h', "no-dereference", nullptr, "don't follow symlinks (default)"),
    Flag<&Options::ignored>('n', "no-buffer", "do not buffer output"),
    Flag<&Options::no_padding>('N', "no-pad", "do not pad output"),
    Call<AddNull>('0', "print0", nullptr, "terminate filenames with ASCII NUL"),
    Flag<&Options::ignored>('p', "preserve-date", "preserve access times on files"),
    Call<SetParameter>('P', "parameter", "NAME=VALUE", nullptr),
    Flag<&Options::raw>('r', "raw", "don't translate unprintable chars to \\ooo"),
    Flag<&Options::reads_devices>('s', "special-files", "treat special (block/char devices) files as ordinary ones"),
    Flag<&Options::ignored>('S', "no-sandbox", "disable system call sandboxing"),
    Flag<&Options::compiles>('C', "compile", "compile file specified by -m"),
    Flag<&Options::debugs>('d', "debug", nullptr),
    Flag<&Options::fails_on_missing>('E', nullptr, nullptr),
};

class Examiner {
 public:
  // `magic`: the files of -m; null: the formats that are known without one.
  Examiner(Invocation& in, const Options& options, const file::MagicSet* magic)
      : in_(in), o_(options), magic_(magic), follows_(options.follows.value_or(in.env.Get("POSIXLY_CORRECT").has_value())) {}

  // Shows a group of files, their names padded to the same width.
  void Show(const std::vector<std::string>& names) {
    size_t width = 0;
    for (const std::string& name : names) width = std::max(width, Width(name));
    for (const std::string& name : names) {
      in_.budget.Step();
      const std::string verdict = Visible(Judge(name), o_.raw, in_.locale.is_utf8);
      if (!o_.brief && !name.empty()) PrintName(name, width);
      in_.out.Write(verdict);
      in_.out.Put(o_.nulls > 1 ? '\0' : '\n');
    }
  }

  ExitStatus status() const { return status_; }

 private:
  static std::string Visible(std::string_view name, bool is_raw, bool is_utf8) {
    std::string text;
    for (size_t i = 0; i < name.size();) {
      const auto byte = static_cast<unsigned char>(name[i]);
      size_t length = 1;
      bool is_printable = byte >= ' ' && byte < 0x7f;
      if (is_utf8 && byte >= 0x80) {
        const DecodedChar decoded = DecodeUtf8(name.substr(i));
        length = decoded.length;
        is_printable = decoded.is_valid && IsInClass(decoded.code, CharClass::kPrint);
      }
      if (is_printable || is_raw) {
        text += name.substr(i, length);
      } else {
        for (const char c : name.substr(i, length)) {
          text += '\\';
          for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + ((static_cast<unsigned char>(c) >> shift) & 7));
        }
      }
      i += length;
    }
    return text;
  }

  std::string Shown(const std::string& name) const {
    return name == "-" ? "/dev/stdin" : Visible(name, o_.raw, in_.locale.is_utf8);
  }
  size_t Width(const std::string& name) const {
    const std::string shown = Shown(name);
    return in_.locale.is_utf8 ? TextWidth(shown) : shown.size();
  }

  void PrintName(const std::string& name, size_t width) {
    in_.out.Write(Shown(name));
    if (o_.nulls > 0) in_.out.Put('\0');
    if (o_.nulls > 1) return;
    in_.out.Write(o_.separator);
    if (!o_.no_padding) in_.out.Write(std::string(width - std::min(width, Width(name)), ' '));
    in_.out.Put(' ');
  }

  bool wants_mime() const { return o_.mime_type || o_.mime_encoding; }
  bool IsExcluded(std::string_view test) const {
    return std::find(o_.excluded.begin(), o_.excluded.end(), test) != o_.excluded.end();
  }

  // A verdict that does not depend on contents. Its encoding is binary.
  std::string Plain(const std::string& text, const std::string& mime) const {
    if (o_.apple) return "UNKNUNKN";
    if (!wants_mime()) return text;
    if (!o_.mime_encoding) return mime;
    return o_.mime_type ? mime + "; charset=binary" : "binary";
  }

  std::string Missing(const std::string& name, const Error& error) {
    const std::string reason = "`" + name + "' (" + std::string(error.Text()) + ")";
    if (!o_.fails_on_missing) return "cannot open " + reason;
    status_ = 1;
    return "ERROR: cannot stat " + reason;
  }

  std::string Judge(const std::string& name) {
    if (name == "-") return JudgeContents(name, {});
    auto found = in_.fs.Stat(name, follows_ ? vfs::Follow::kYes : vfs::Follow::kNo);
    if (!found) return Missing(name, found.error());
    const vfs::Attributes& a = *found;
    std::string bits;
    for (const auto& [bit, word] : {std::pair(04000u, "setuid"), std::pair(02000u, "setgid"), std::pair(01000u, "sticky")}) {
      if ((a.mode & bit) != 0) bits += (bits.empty() ? "" : ", ") + std::string(word);
    }
    const std::string lead = bits.empty() ? "" : bits + ", ";
    const std::string device = "(" + std::to_string(a.special >> 8) + "/" + std::to_string(a.special & 0xff) + ")";
    switch (a.type) {
      case vfs::FileType::kDirectory: return Plain(lead + "directory", "inode/directory");
      case vfs::FileType::kSymlink: return JudgeLink(name);
      case vfs::FileType::kFifo: return Plain(lead + "fifo (named pipe)", "inode/fifo");
      case vfs::FileType::kSocket: return Plain(lead + "socket", "inode/socket");
      case vfs::FileType::kCharDevice:
        if (!o_.reads_devices) return Plain(lead + "character special " + device, "inode/chardevice");
        break;
      case vfs::FileType::kBlockDevice:
        if (!o_.reads_devices) return Plain(lead + "block special " + device, "inode/blockdevice");
        break;
      case vfs::FileType::kFile: break;
    }
    if (a.is_file() && !in_.fs.Access(name, 4)) return Unreadable(name);
    if (a.is_file() && a.size == 0 && !bits.empty()) return Plain(lead + "empty", "inode/x-empty");
    return JudgeContents(name, bits.empty() || wants_mime() || o_.extension ? "" : bits + " ");
  }

  std::string Unreadable(const std::string& name) {
    std::string text;
    if (in_.fs.Access(name, 2)) text += "writable, ";
    if (in_.fs.Access(name, 1)) text += "executable, ";
    return text + "regular file, no read permission";
  }

  std::string JudgeLink(const std::string& name) {
    const auto target = in_.fs.ReadLink(name);
    const std::string shown = target ? *target : "";
    if (in_.fs.Stat(name)) return Plain("symbolic link to " + shown, "inode/symlink");
    return wants_mime() ? "inode/symlink" : "broken symbolic link to " + shown;
  }

  std::string JudgeContents(const std::string& name, const std::string& lead) {
    auto input = InputFile::Open(in_, name);
    if (!input) return Missing(name, input.error());
    std::string bytes;
    uint64_t limit = kLookedAt;
    while (bytes.size() < limit) {
      const std::string_view block = input->input().Peek().substr(0, limit - bytes.size());
      if (block.empty()) break;
      if (bytes.size() + block.size() > bytes.capacity()) in_.budget.WillAllocate(2 * (bytes.size() + block.size()));
      bytes += block;
      input->input().Consume(block.size());
      if (bytes.starts_with("\x7f" "ELF")) limit = kMostOfProgram;
    }
    if (const Status& status = input->input().status(); !status) {
      return "ERROR: cannot read `" + Shown(name) + "' (" + std::string(status.error().Text()) + ")";
    }
    if (o_.unpacks && !IsExcluded("compress")) {
      if (const auto inner = Unpacked(bytes)) return lead + DescribePacked(*inner, bytes);
    }
    return lead + Describe(bytes);
  }

  static codec::CoderPtr DecoderFor(codec::Format format, Budget* budget) {
    switch (format) {
      case codec::Format::kGzip: return codec::NewGzipDecoder(budget);
      case codec::Format::kBzip2: return codec::NewBzip2Decoder(budget);
      case codec::Format::kXz:
      case codec::Format::kLzma: return codec::NewXzDecoder(budget, {.format = codec::XzDecoderOptions::Format::kAuto});
      case codec::Format::kZstd: return codec::NewZstdDecoder(budget);
      default: return nullptr;
    }
  }
  // The start of what is packed; nothing for what is not, an error's text for what is damaged.
  struct Content {
    std::string bytes, trouble;
  };
  std::optional<Content> Unpacked(const std::string& packed) {
    const codec::Format format = codec::Recognize(std::string_view(packed).substr(0, 10));
    codec::CoderPtr decoder = DecoderFor(format, &in_.budget);
    if (decoder == nullptr) return std::nullopt;
    StringSource source(packed);
    codec::DecodingSource decoded(source, std::move(decoder), &in_.budget);
    Content content;
    while (content.bytes.size() < kLookedAt) {
      const auto block = decoded.ReadBlock(kLookedAt - content.bytes.size());
      if (!block && content.bytes.empty()) content.trouble = std::string(block.error().Text());
      if (!block || block->bytes.empty()) break;
      in_.budget.Step(static_cast<int64_t>(block->bytes.size() / 256 + 1));
      if (content.bytes.size() + block->bytes.size() > content.bytes.capacity()) in_.budget.WillAllocate(2 * (content.bytes.size() + block->bytes.size()));
      content.bytes += block->bytes;
    }
    return content;
  }
  std::string DescribePacked(const Content& content, const std::string& packed) {
    // How long the plain text is stands at the end, which is not looked at here.
    const auto describe = [this](const std::string& bytes) {
      std::string text = Describe(bytes);
      constexpr std::string_view kSize = ", original size modulo 2^32 ";
      const size_t at = text.find(kSize);
      return at == std::string::npos ? text : text.erase(at, text.find_first_not_of("0123456789", at + kSize.size()) - at);
    };
    const std::string inner = content.trouble.empty() ? describe(content.bytes) : "ERROR:[" + content.trouble + "]";
    if (!o_.tells_packing || (wants_mime() && !(o_.mime_type && o_.mime_encoding))) return inner;
    return wants_mime() ? inner + " compressed-encoding=" + describe(packed) : inner + " (" + describe(packed) + ")";
  }

  std::string Describe(const std::string& bytes) {
    if (bytes.empty()) return Plain("empty", "inode/x-empty");
    if (bytes.size() == 1) return Plain("very short file (no magic)", "application/octet-stream");
    const file::TextFacts facts = file::LookAtText(bytes, in_.budget);
    const std::optional<Kind> kind = Find(bytes, facts);
    if (o_.apple) return "UNKNUNKN";
    if (o_.extension) return kind ? kind->extensions : "???";
    if (wants_mime()) return Mime(kind, facts);
    constexpr const char* kNext = "\n- ";   // shown as \012 like all that cannot be printed
    if (!kind) return facts.is_text() && !IsExcluded("text") ? TextVerdict(nullptr, facts) : "data";
    if (!kind->names_encoding) return kind->text + (o_.keeps_going && !facts.is_text() ? std::string(kNext) + "data" : "");
    const auto other = o_.keeps_going && file::FindScript(bytes) ? file::FindAnyScript(bytes) : std::nullopt;
    if (other) return kind->text + " text executable" + kNext + TextVerdict(&*other, facts);
    return TextVerdict(&*kind, facts);
  }

  std::string TextVerdict(const Kind* kind, const file::TextFacts& facts) {
    std::string text = kind == nullptr ? "" : kind->text + ", ";
    text += file::EncodingText(facts.encoding);
    if (facts.encoding >= file::Encoding::kUtf32Little && facts.encoding <= file::Encoding::kUtf32Big) return text;
    text += " text";
    if (kind != nullptr && kind->is_executable) text += " executable";
    return text + file::LineRemarks(facts, in_.budget);
  }

  std::string Mime(const std::optional<Kind>& kind, const file::TextFacts& facts) const {
    const std::string type = kind && !kind->mime.empty() ? kind->mime : facts.is_text() ? "text/plain" : "application/octet-stream";
    const std::string encoding(file::EncodingMime(facts.encoding));
    if (!o_.mime_encoding) return type;
    return o_.mime_type ? type + "; charset=" + encoding : encoding;
  }

  std::optional<Kind> Find(std::string_view bytes, const file::TextFacts& facts) {
    if (!IsExcluded("tar")) {
      if (auto kind = file::FindTar(bytes)) return kind;
    }
    const bool is_wide = facts.encoding >= file::Encoding::kUtf16Little && facts.encoding <= file::Encoding::kUtf32Big;
    const bool reads_text = facts.is_text() && !is_wide;
    if (reads_text && !IsExcluded("json")) {
      if (auto kind = file::FindJson(bytes, in_.budget)) return kind;
    }
    if (reads_text && !IsExcluded("csv") && !bytes.starts_with("#!")) {
      if (auto kind = file::FindCsv(bytes, in_.budget)) return kind;
    }
    if (IsExcluded("soft")) return std::nullopt;
    if (magic_ != nullptr) return FindByMagic(bytes, facts.is_text());
    if (auto kind = file::FindProgram(bytes, in_.budget)) return kind;
    if (auto kind = file::FindMedia(bytes)) return kind;
    if (auto kind = file::FindArchive(bytes, TimeAt(bytes, 4, LocalZone(in_.env)))) return kind;
    if (auto kind = file::FindDocument(bytes, TimeAt(bytes, 8, TimeZone::FromTz("UTC")))) return kind;
    return reads_text ? file::FindTextFormat(bytes, in_.budget) : std::nullopt;
  }

  // Tests of anything first, then those of text.
  std::optional<Kind> FindByMagic(std::string_view bytes, bool is_text) {
    for (const bool of_text : {false, true}) {
      if (of_text && (!is_text || IsExcluded("text"))) break;
      file::MagicSet::Answer answer = magic_->Match(bytes, of_text, o_.keeps_going, in_.budget);
      if (!answer.is_found) continue;
      return Kind{.text = std::move(answer.text), .mime = std::move(answer.mime), .extensions = answer.extensions.empty() ? "???" : std::move(answer.extensions), .names_encoding = of_text};
    }
    return std::nullopt;
  }

  // The seconds since 1970 that stand at an offset, as text.
  std::string TimeAt(std::string_view bytes, size_t at, const TimeZone& zone) {
    const TimePoint moment{static_cast<int64_t>(file::Little(bytes, at, 4)), 0};
    return FormatTime("%a %b %e %H:%M:%S %Y", zone.ToLocal(moment.seconds), moment, in_.budget);
  }

  Invocation& in_;
  const Options& o_;
  const file::MagicSet* const magic_;
  const bool follows_;
  ExitStatus status_ = 0;
};

// Reads the files of a list; false after complaints. The compiled one beside a file goes before it.
bool ReadMagic(Invocation& in, const Options& options, const std::string& list, file::MagicSet& magic) {
  constexpr uint64_t kMostMagic = 64 << 20;
  std::string problem;
  bool has_any = false;
  for (std::string_view rest = list; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string name(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool wants_source = options.checks || options.compiles;
    auto bytes = wants_source || name.ends_with(".mgc") ? Result<std::string>(Code::kNoEntry) : vfs::ReadFile(in.fs, name + ".mgc", kMostMagic);
    if (!bytes || !file::MagicSet::IsCompiled(*bytes)) bytes = vfs::ReadFile(in.fs, name, kMostMagic);
    if (!bytes) {
      problem = " (" + std::string(bytes.error().Text()) + ")";
      continue;
    }
    problem.clear();
    in.budget.WillAllocate(bytes->size());
    if (file::MagicSet::IsCompiled(*bytes)) {
      const Status loaded = magic.Load(*bytes, in.budget);
      if (!loaded) in.err.Write("file: File `" + name + "' " + std::string(loaded.error().Text()) + "\n");
      has_any = has_any || loaded;
      continue;
    }
    std::string warnings;
    const bool is_good = magic.Parse(*bytes, name, options.checks, warnings, in.budget);
    if (options.checks) in.err.Write("Warning: using regular magic file `" + name + "'\ncont\toffset\ttype\topcode\tmask\tvalue\tdesc\n");
    in.err.Write(warnings);
    has_any = has_any || is_good;
  }
  magic.Order();
  if (!has_any) in.err.Write("file: could not find any valid magic files!" + problem + "\n");
  return has_any;
}

// -C: beside no file but in the working directory.
ExitStatus CompileMagic(Invocation& in, const std::string& list, const file::MagicSet& magic) {
  const std::string name = vfs::BaseName(list) + ".mgc";
  if (const Status written = vfs::WriteFile(in.fs, name, magic.Compiled()); !written) return in.Fail("cannot open `" + name + "' (" + std::string(written.error().Text()) + ")");
  return 0;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.wants_version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  if (options.debugs) return in.Fail("option -d is not supported: it tells the steps and addresses of another program");
  file::MagicSet magic;
  const std::optional<std::string_view> named = options.magic_files ? std::optional<std::string_view>(*options.magic_files) : in.env.Get("MAGIC");
  const bool has_magic = named && !named->empty();
  if (has_magic && !ReadMagic(in, options, std::string(*named), magic)) return 1;
  if ((options.lists_magic || options.compiles) && !has_magic) {
    return in.Fail(std::string("option ") + (options.compiles ? "-C" : "-l") + " is not supported without -m: what is known without a magic file is in no magic file");
  }
  if (options.lists_magic) return in.out.Write(magic.List()), 0;
  if (options.compiles) return CompileMagic(in, std::string(*named), magic);
  if (options.checks) {
    if (!has_magic) in.err.Write("cont\toffset\ttype\topcode\tmask\tvalue\tdesc\n");
    return 0;
  }
  if (operands.empty() && options.lists.empty()) return in.Usage("missing operand");
  Examiner examiner(in, options, has_magic ? &magic : nullptr);
  for (const std::string& list : options.lists) {
    auto input = InputFile::Open(in, list);
    if (!input) return in.Fail("Cannot open `" + list + "' (" + std::string(input.error().Text()) + ")");
    std::vector<std::string> names;
    while (const auto line = input->input().ReadLine()) names.emplace_back(line->text);
    examiner.Show(names);
  }
  examiner.Show(operands);
  return examiner.status();
}

}  // namespace

extern const Command kCommand_file;
const Command kCommand_file = Define<Options, Run>({
    .name = "file",
    .summary = "determine type of FILEs",
    .synopsis = "[OPTION...] [FILE...]",
    .options = kOptions,
});

}  // namespace paddock
