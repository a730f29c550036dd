// hexdump - display file contents in hexadecimal, decimal, octal, or ascii
//
// usage: hexdump [options] [file...]
//        hd [options] [file...]              as hexdump -C
//
// Exit status: 0, or 1 when a file could not be opened or an option is wrong.
// Source: util-linux 2.38 hexdump.
// Differs: colours (-L, _L[...]) are read and never shown, as away from a terminal; --color=always does not bring them. A block of more than 16 MiB is refused.

#include <algorithm>

#include "commands/hash/hexdump_format.h"
#include "commands/input_files.h"
#include "proc/option_complaint.h"
#include "text/choice.h"

namespace paddock {
namespace {

struct Options {
  HexdumpFormats formats;
  std::vector<std::string> format_files;
  std::vector<std::pair<bool, std::string>> sources;   // a file of formats, or a format
  std::string length, skip;
  bool keeps_all = false;
  bool wants_help = false;
  bool wants_version = false;
};

Status AddFormat(Options& options, std::string_view text) {
  options.sources.emplace_back(false, text);
  return {};
}
Status AddFile(Options& options, std::string_view text) {
  options.sources.emplace_back(true, text);
  return {};
}
template <char kLetter>
Status AddKnown(Options& options, std::string_view) {
  const bool is_canonical = kLetter == 'C';
  options.sources.emplace_back(false, is_canonical ? "\"%08.8_Ax\n\"" : "\"%07.7_Ax\n\"");
  const char* line = "";
  if (kLetter == 'b') line = "\"%07.7_ax \" 16/1 \"%03o \" \"\\n\"";
  if (kLetter == 'c') line = "\"%07.7_ax \" 16/1 \"%3_c \" \"\\n\"";
  if (kLetter == 'C') line = "\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \" \"  |\" 16/1 \"%_p\" \"|\\n\"";
  if (kLetter == 'd') line = "\"%07.7_ax \" 8/2 \"  %05u \" \"\\n\"";
  if (kLetter == 'o') line = "\"%07.7_ax \" 8/2 \" %06o \" \"\\n\"";
  if (kLetter == 'x') line = "\"%07.7_ax \" 8/2 \"   %04x \" \"\\n\"";
  if (kLetter == ' ') line = "\"%07.7_ax \" 8/2 \"%04x \" \"\\n\"";
  if (!is_canonical) {
    options.sources.emplace_back(false, line);
    return {};
  }
  // The characters come from the bytes that the numbers came from: a format of its own.
  options.sources.emplace_back(false, "\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \" ");
  options.sources.emplace_back(false, "\"  |\" 16/1 \"%_p\" \"|\\n\"");
  return {};
}
Status TakeColor(Options&, std::string_view text) {
  constexpr std::array<std::string_view, 3> kModes = {"auto", "always", "never"};
  if (text.starts_with('=')) text.remove_prefix(1);   // -L=never
  if (text.empty() || std::find(kModes.begin(), kModes.end(), text) != kModes.end()) return {};
  return Error(Code::kInvalid, "unsupported color mode: '" + std::string(text) + "'");
}

constexpr Option kOptions[] = {
    Call<AddKnown<'b'>>('b', "one-byte-octal", nullptr, "one-byte octal display"),
    Call<AddKnown<'c'>>('c', "one-byte-char", nullptr, "one-byte character display"),
    Call<AddKnown<'C'>>('C', "canonical", nullptr, "canonical hex+ASCII display"),
    Call<AddKnown<'d'>>('d', "two-bytes-decimal", nullptr, "two-byte decimal display"),
    Call<AddKnown<'o'>>('o', "two-bytes-octal", nullptr, "two-byte octal display"),
    Call<AddKnown<'x'>>('x', "two-bytes-hex", nullptr, "two-byte hexadecimal display"),
    CallOptional<TakeColor>('L', "color", "MODE", "read colour specifiers; they show on terminals only"),
    Call<AddFormat>('e', "format", "FORMAT", "format string to be used for displaying data"),
    Call<AddFile>('f', "format-file", "FILE", "file that contains format strings"),
    Value<&Options::length>('n', "length", "LENGTH", "interpret only LENGTH bytes of input"),
    Value<&Options::skip>('s', "skip", "OFFSET", "skip OFFSET bytes from the beginning"),
    Flag<&Options::keeps_all>('v', "no-squeezing", "output identical lines"),
    Flag<&Options::wants_help>('h', "help", "display this help"),
    Flag<&Options::wants_version>('V', "version", "display version"),
};

// "16", "0x10", "1K", "2MiB", "3kB".
std::optional<uint64_t> ReadSize(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
  }
  constexpr uint64_t kMost = uint64_t{1} << 62;
  uint64_t value = 0;
  size_t digits = 0;
  for (; digits < text.size(); ++digits) {
    const char c = text[digits];
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
    if (digit >= base) break;
    if (value > kMost / 16) return std::nullopt;
    value = value * static_cast<uint64_t>(base) + static_cast<uint64_t>(digit);
  }
  if (digits == 0) return std::nullopt;
  std::string_view suffix = text.substr(digits);
  if (suffix.empty()) return value;
  const size_t power = std::string_view("KMGTPEZY").find(static_cast<char>(suffix[0] & ~0x20));
  if (power == std::string_view::npos) return std::nullopt;
  suffix.remove_prefix(1);
  if (!suffix.empty() && suffix != "iB" && suffix != "B") return std::nullopt;
  const uint64_t unit = suffix == "B" ? 1000 : 1024;
  for (size_t i = 0; i <= power; ++i) {
    if (value > kMost / unit) return std::nullopt;
    value *= unit;
  }
  return value;
}

// Gathers blocks over the borders of files and prints them.
class Dumper {
 public:
  Dumper(Invocation& in, const Options& options, uint64_t skip, uint64_t length) : in_(in), options_(options), skip_(skip), left_(length) {
    in.budget.WillAllocate(2 * options.formats.block_size());
    block_.reserve(options.formats.block_size());
  }

  bool wants_more() const { return left_ > 0 && in_.out.status(); }

  // False when the start cannot be reached.
  Status Take(InputFile& file) {
    PADDOCK_TRY(Skip(file));
    Input& input = file.input();
    const size_t size = options_.formats.block_size();
    for (std::string_view bytes = input.Peek(); !bytes.empty() && wants_more(); bytes = input.Peek()) {
      in_.budget.Step();
      const size_t take = static_cast<size_t>(std::min<uint64_t>({bytes.size(), size - block_.size(), left_}));
      block_ += bytes.substr(0, take);
      left_ -= take;
      input.Consume(take);
      if (block_.size() == size) Flush();
    }
    return {};
  }

  void Finish() {
    const size_t size = block_.size();
    if (size > 0) {
      block_.resize(options_.formats.block_size(), '\0');
      options_.formats.PrintBlock(block_, size, address_, in_.out, in_.budget);
      address_ += size;
    }
    if (address_ > 0) options_.formats.PrintEnd(address_, in_.out, in_.budget);
  }

 private:
  Status Skip(InputFile& file) {
    if (skip_ == 0) return {};
    const auto attributes = file.file() != nullptr ? file.file()->GetAttributes() : Result<vfs::Attributes>(Code::kBadDescriptor);
    if (attributes && attributes->is_file()) {
      const uint64_t size = attributes->size;
      if (skip_ >= size) {
        skip_ -= size;
        address_ += size;
        auto moved = file.file()->Seek(static_cast<int64_t>(size), vfs::Whence::kStart);
        if (!moved) return moved.error();
        return {};
      }
    }
    const auto moved = file.file() != nullptr ? file.file()->Seek(static_cast<int64_t>(skip_), vfs::Whence::kCurrent) : Result<uint64_t>(Code::kIllegalSeek);
    if (!moved) return moved.error();
    address_ += skip_;
    skip_ = 0;
    return {};
  }

  void Flush() {
    if (!options_.keeps_all && has_last_ && block_ == last_) {
      if (!is_squeezing_) in_.out.Write("*\n");
      is_squeezing_ = true;
    } else {
      is_squeezing_ = false;
      options_.formats.PrintBlock(block_, block_.size(), address_, in_.out, in_.budget);
      std::swap(last_, block_);
      has_last_ = true;
    }
    in_.budget.Step(static_cast<int64_t>(options_.formats.block_size() / 32));
    address_ += options_.formats.block_size();
    block_.clear();
  }

  Invocation& in_;
  const Options& options_;
  uint64_t skip_;
  uint64_t left_;
  uint64_t address_ = 0;
  std::string block_, last_;
  bool has_last_ = false;
  bool is_squeezing_ = false;
};

ExitStatus Dump(Invocation& in, const Options& options, uint64_t skip, uint64_t length, const std::vector<std::string>& operands) {
  Dumper dumper(in, options, skip, length);
  ExitStatus status = 0;
  bool has_any = operands.empty();
  if (operands.empty()) {
    auto file = InputFile::Open(in, "-");
    if (const Status taken = dumper.Take(*file); !taken) return in.Fail("stdin", taken.error());
  }
  for (const std::string& name : operands) {
    auto file = InputFile::OpenPath(in, name);
    if (!file) {
      status = in.Fail(name, file.error());
      continue;
    }
    has_any = true;
    if (!dumper.wants_more()) continue;
    if (const Status taken = dumper.Take(*file); !taken) return in.Fail(name, taken.error());
    if (!file->input().status()) in.Fail(name, file->input().status().error());
  }
  if (!has_any) return in.Fail("all input file arguments failed");
  dumper.Finish();
  return status;
}

Status ReadSources(Invocation& in, Options& options) {
  for (const auto& [is_file, text] : options.sources) {
    in.budget.Step();
    if (!is_file) {
      PADDOCK_TRY(options.formats.Add(text));
      continue;
    }
    auto content = vfs::ReadFile(in.fs, text, 1 << 20);
    if (!content) return Error(content.error().code, "can't read " + text + ": " + std::string(content.error().Text()));
    PADDOCK_TRY(options.formats.AddFile(*content));
  }
  return options.formats.Complete();
}

ExitStatus Run(Invocation& in) {
  Options options;
  if (in.name() == "hd") static_cast<void>(AddKnown<'C'>(options, {}));
  ExitStatus status = 0;
  auto operands = PrepareWithLetters(in, options, &status);
  if (!operands) return status;
  const auto size = [&in](const std::string& text, const char* what, uint64_t otherwise) -> std::optional<uint64_t> {
    if (text.empty()) return otherwise;
    const auto value = ReadSize(text);
    if (!value) in.Fail(std::string("failed to parse ") + what + ": '" + text + "': Invalid argument");
    return value;
  };
  const auto length = size(options.length, "length", std::numeric_limits<uint64_t>::max());
  if (!length) return 1;
  const auto skip = size(options.skip, "offset", 0);
  if (!skip) return 1;
  if (options.sources.empty()) static_cast<void>(AddKnown<' '>(options, {}));
  if (const Status read = ReadSources(in, options); !read) return in.Fail(read.error().Text());
  if (options.formats.block_size() == 0) return 0;
  return Dump(in, options, *skip, *length, *operands);
}

}  // namespace

extern const Command kCommand_hexdump;
constexpr const char* kAliases[] = {"hd"};
const Command kCommand_hexdump = {
    .name = "hexdump",
    .aliases = kAliases,
    .summary = "display file contents in hexadecimal, decimal, octal, or ascii",
    .synopsis = "[options] <file>...",
    .details = "LENGTH and OFFSET may have a suffix: K (KiB) to Y, KB for 1000 and so on.\n",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
