// tail - output the last part of files
//
// usage: tail [OPTION]... [FILE]...
// Writes the last 10 lines of each FILE, or what -n or -c asks for ('+NUM': from there on); with -f it goes
// on as the files grow.
//
// Exit status: 0, or 1 when a file could not be read.
// Source: POSIX tail; GNU coreutils 9.1, with the old forms -NUM[bcl][f] and +NUM[bcl][f].
// Differs: followed files are polled.

#include <string.h>

#include <algorithm>
#include <deque>

#include "commands/input_files.h"
#include "commands/text/follow.h"
#include "proc/process.h"
#include "text/byte_count.h"
#include "text/choice.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  std::string count = "10";
  bool counts_bytes = false;
  bool from_start = false;    // a '+' in any -n or -c holds for the last one
  bool quiet = false;
  bool verbose = false;
  bool zero = false;
  bool follows = false;
  std::string follow_mode = "descriptor";
  bool retry = false;
  bool ignores_inotify = false;
  std::string pid;
  std::string seconds;
  std::string unchanged_stats;
  char misplaced_digit = 0;   // of -NUM where the old form is not allowed
};

template <bool kBytes>
Status SetCount(Options& options, std::string_view text) {
  options.counts_bytes = kBytes;
  options.count = text;
  options.from_start |= text.starts_with('+');
  return {};
}
template <bool kQuiet>
Status SetHeaders(Options& options, std::string_view) {
  options.quiet = kQuiet;
  options.verbose = !kQuiet;
  return {};
}
Status SetFollow(Options& options, std::string_view mode) {
  options.follows = true;
  options.follow_mode = mode.data() == nullptr ? "descriptor" : mode;
  return {};
}
Status SetFollowRetry(Options& options, std::string_view) {
  options.retry = true;
  return SetFollow(options, "name");
}

constexpr Option kOptions[] = {
    Call<SetCount<true>>('c', "bytes", "[+]NUM", "output the last NUM bytes; or from byte NUM on with +NUM"),
    Call<SetFollow>('f', nullptr, nullptr, nullptr),
    CallOptional<SetFollow>(0, "follow", "{name|descriptor}", "output appended data as the file grows"),
    Call<SetFollowRetry>('F', nullptr, nullptr, "same as --follow=name --retry"),
    Call<SetCount<false>>('n', "lines", "[+]NUM", "output the last NUM lines; or from line NUM on with +NUM"),
    Value<&Options::unchanged_stats>(0, "max-unchanged-stats", "N",
                                     "reopen a FILE followed by name after N unchanged looks"),
    Value<&Options::pid>(0, "pid", "PID", "with -f, terminate after process ID, PID dies"),
    Call<SetHeaders<true>>('q', "quiet", nullptr, "never output headers giving file names"),
    Call<SetHeaders<true>>(0, "silent", nullptr, nullptr),
    Flag<&Options::retry>(0, "retry", "keep trying to open a file if it is inaccessible"),
    Value<&Options::seconds>('s', "sleep-interval", "N", "with -f, sleep for about N seconds between looks"),
    Call<SetHeaders<false>>('v', "verbose", nullptr, "always output headers giving file names"),
    Flag<&Options::zero>('z', "zero-terminated", "line delimiter is NUL, not newline"),
    Flag<&Options::ignores_inotify>(0, "-disable-inotify", nullptr),
};

// -NUM[bcl][f] and +NUM[bcl][f], only as the first argument and with at most one file.
std::optional<std::vector<std::string>> RewriteOldForm(std::span<const std::string> args) {
  const bool fits = args.size() == 2 ||
                    (args.size() == 3 && !(args[2][0] == '-' && args[2].size() > 1)) ||
                    (args.size() >= 3 && args.size() <= 4 && args[2] == "--");
  if (!fits) return std::nullopt;
  const std::string_view text = args[1];
  if (text.empty() || (text[0] != '-' && text[0] != '+')) return std::nullopt;
  const bool is_plus = text[0] == '+';
  size_t at = text.find_first_not_of("0123456789", 1);
  if (at == std::string_view::npos) at = text.size();
  std::string_view digits = text.substr(1, at - 1);
  char unit = 'l';
  uint64_t factor = 1;
  if (at < text.size()) {
    if (text[at] == 'b') factor = 512;
    if (text[at] == 'b' || text[at] == 'c') unit = 'c';
    if (text[at] == 'b' || text[at] == 'c' || text[at] == 'l') ++at;
  }
  // "-c", "-f" and "-" are options of the new form.
  const bool has_old_letter = text.size() > 1 && (text[1] == 'l' || text[1] == 'b');
  if (!is_plus && digits.empty() && !has_old_letter) return std::nullopt;
  const bool follows = at < text.size() && text[at] == 'f';
  if (at + (follows ? 1 : 0) != text.size()) return std::nullopt;
  uint64_t count = 10;
  if (!digits.empty()) count = ParseSize(digits, "").value;
  count = SaturatingMultiply(count, factor);
  std::vector<std::string> rewritten = {args[0], unit == 'c' ? "-c" : "-n",
                                        (is_plus ? "+" : "") + std::to_string(count)};
  if (follows) rewritten.push_back("-f");
  rewritten.insert(rewritten.end(), args.begin() + 2, args.end());
  return rewritten;
}

bool NoteDigit(void* options, std::string_view argument) {
  if (argument[0] != '-' || argument[1] < '0' || argument[1] > '9') return false;
  char& digit = static_cast<Options*>(options)->misplaced_digit;
  if (digit == 0) digit = argument[1];
  return true;
}

struct Amount {
  uint64_t count = 0;
  bool from_start = false;   // +NUM
  bool counts_bytes = false;
  char delimiter = '\n';
};

void CopyRest(Input& input, Output& out) {
  for (std::string_view bytes = input.Peek(); !bytes.empty(); bytes = input.Peek()) {
    out.Write(bytes);
    input.Consume(bytes.size());
    if (!out.status()) return;
  }
}

void CopyFrom(Input& input, Output& out, const Amount& amount) {
  uint64_t skip = amount.count > 0 ? amount.count - 1 : 0;
  while (skip > 0 && amount.counts_bytes) {
    const size_t size = static_cast<size_t>(std::min<uint64_t>(input.Peek().size(), skip));
    if (size == 0) return;
    input.Consume(size);
    skip -= size;
  }
  while (skip > 0 && !amount.counts_bytes) {
    if (!input.ReadLine(amount.delimiter)) return;
    --skip;
  }
  CopyRest(input, out);
}

// The last bytes of a stream that cannot seek.
void CopyLastBytes(Input& input, Output& out, uint64_t count) {
  std::string held;
  for (std::string_view bytes = input.Peek(); !bytes.empty(); bytes = input.Peek()) {
    held.append(bytes);
    input.Consume(bytes.size());
    if (held.size() / 2 > count && held.size() > (128 << 10)) held.erase(0, held.size() - count);
  }
  out.Write(std::string_view(held).substr(held.size() - std::min<uint64_t>(count, held.size())));
}

// Where the last `count` lines of `text` begin; npos when `text` has fewer. `left` counts down the
// delimiters met, so that a text can be looked through piece by piece from its end.
size_t FindLastLines(std::string_view text, char delimiter, uint64_t* left) {
  size_t end = text.size();
  while (end > 0) {
    const void* found = memrchr(text.data(), delimiter, end);
    if (found == nullptr) return std::string_view::npos;
    const auto at = static_cast<size_t>(static_cast<const char*>(found) - text.data());
    if (*left == 0) return at + 1;
    --*left;
    end = at;
  }
  return std::string_view::npos;
}

// Keeps whole blocks, as few as hold the lines asked for.
void CopyLastLines(Input& input, Output& out, const Amount& amount) {
  struct Piece {
    std::string bytes;
    uint64_t delimiters;
  };
  constexpr size_t kPiece = 64 << 10;
  std::deque<Piece> pieces;
  uint64_t total = 0;
  for (std::string_view bytes = input.Peek(); !bytes.empty(); bytes = input.Peek()) {
    if (pieces.empty() || pieces.back().bytes.size() >= kPiece) pieces.emplace_back();
    const uint64_t found = CountByte(bytes, amount.delimiter);
    pieces.back().bytes.append(bytes);
    pieces.back().delimiters += found;
    total += found;
    input.Consume(bytes.size());
    while (total - pieces.front().delimiters > amount.count) {
      total -= pieces.front().delimiters;
      pieces.pop_front();
    }
  }
  if (pieces.empty() || amount.count == 0) return;
  uint64_t skip = total;
  if (pieces.back().bytes.back() != amount.delimiter) ++skip;
  skip = skip > amount.count ? skip - amount.count : 0;
  for (const Piece& piece : pieces) {
    std::string_view bytes = piece.bytes;
    while (skip > 0) {
      const size_t at = bytes.find(amount.delimiter);
      if (at == std::string_view::npos) break;
      bytes.remove_prefix(at + 1);
      --skip;
    }
    if (skip == 0) out.Write(bytes);
  }
}

// Moves a seekable file to where its tail begins: true when that was possible.
Result<bool> SeekToTail(vfs::OpenFile& file, const Amount& amount, Budget& budget) {
  auto here = file.Seek(0, vfs::Whence::kCurrent);
  if (!here) return false;
  auto attributes = file.GetAttributes();
  if (!attributes || !attributes->is_file()) return false;
  PADDOCK_ASSIGN(const uint64_t end, file.Seek(0, vfs::Whence::kEnd));
  uint64_t start = std::min(*here, end);
  const auto go_to = [&](uint64_t offset) {
    return file.Seek(static_cast<int64_t>(offset), vfs::Whence::kStart);
  };
  if (amount.counts_bytes) {
    start = std::max(start, end - std::min(end, amount.count));
    PADDOCK_TRY(go_to(start));
    return true;
  }
  constexpr uint64_t kBlock = 64 << 10;
  uint64_t left = amount.count;
  uint64_t block_end = end;
  bool is_last_byte = true;   // the delimiter at the very end closes the last line
  while (block_end > start && amount.count > 0) {
    const uint64_t block_start = std::max(start, block_end - std::min(block_end, kBlock));
    PADDOCK_TRY(go_to(block_start));
    std::string text;
    while (text.size() < block_end - block_start) {
      PADDOCK_ASSIGN(const Block block, file.ReadBlock(block_end - block_start - text.size()));
      if (block.bytes.empty()) break;
      text.append(block.bytes);
    }
    budget.Step(static_cast<int64_t>(text.size() / 32) + 1);
    if (is_last_byte && !text.empty() && text.back() != amount.delimiter) --left;
    is_last_byte = false;
    const size_t at = FindLastLines(text, amount.delimiter, &left);
    if (at != std::string_view::npos) {
      PADDOCK_TRY(go_to(block_start + at));
      return true;
    }
    block_end = block_start;
  }
  PADDOCK_TRY(go_to(amount.count == 0 ? end : start));
  return true;
}

void CopyTail(InputFile& file, Invocation& in, const Amount& amount) {
  Input& input = file.input();
  if (amount.from_start) return CopyFrom(input, in.out, amount);
  if (file.file() != nullptr) {
    input.Finish();
    auto sought = SeekToTail(*file.file(), amount, in.budget);
    if (sought && *sought) return CopyRest(input, in.out);
  }
  if (amount.counts_bytes) CopyLastBytes(input, in.out, amount.count);
  else CopyLastLines(input, in.out, amount);
}

Result<Amount> ParseAmount(Invocation& in, const Options& options) {
  Amount amount{0, options.from_start, options.counts_bytes, options.zero ? '\0' : '\n'};
  const bool has_plus = options.count.starts_with('+');
  const bool has_sign = has_plus || options.count.starts_with('-');
  const std::string_view digits = std::string_view(options.count).substr(has_sign ? 1 : 0);
  auto count = ParseCount(digits, kSizeSuffixes);
  if (!count) {
    return Error(Code::kInvalid,
                 NumberComplaint(options.counts_bytes ? "invalid number of bytes" : "invalid number of lines",
                                 has_plus ? std::string_view(options.count) : digits, count.error(),
                                 in.locale.is_utf8));
  }
  amount.count = *count;
  return amount;
}

// Fills in what -f needs; an error's message is the complaint, code kSyntax for a usage error.
Result<FollowRules> ParseFollowRules(Invocation& in, const Options& options) {
  const bool is_utf8 = in.locale.is_utf8;
  FollowRules rules;
  constexpr Choice kModes[] = {{"descriptor", 0}, {"name", 1}};
  PADDOCK_ASSIGN(const int mode, FindChoice("--follow", options.follow_mode, kModes, is_utf8));
  rules.by_name = mode == 1;
  rules.retry = options.retry;
  if (!options.unchanged_stats.empty()) {
    auto count = ParseCount(options.unchanged_stats);
    if (!count) {
      return Error(Code::kInvalid,
                   NumberComplaint("invalid maximum number of unchanged stats between opens",
                                   options.unchanged_stats, count.error(), is_utf8));
    }
  }
  if (!options.pid.empty()) {
    auto pid = ParseSizeBetween(options.pid, 0, std::numeric_limits<int32_t>::max(), "");
    if (!pid) {
      return Error(Code::kInvalid, NumberComplaint("invalid PID", options.pid, pid.error(), is_utf8));
    }
    rules.pid = static_cast<int>(*pid);
  }
  if (!options.seconds.empty()) {
    double seconds = 0;
    if (!ParseOptionValue(options.seconds, seconds) || !(seconds >= 0)) {
      return Error(Code::kInvalid, "invalid number of seconds: " + Quote(options.seconds, is_utf8));
    }
    rules.seconds = seconds;
  }
  return rules;
}

class Tail {
 public:
  Tail(Invocation& in, const Amount& amount, bool has_headers) : in_(in), amount_(amount), headers_{has_headers} {}

  void Add(const std::string& name, bool follows, const FollowRules& rules) {
    auto file = InputFile::Open(in_, name);
    if (!file) {
      status_ = in_.Fail("cannot open " + QuoteFile(name, in_.locale.is_utf8) + " for reading", file.error());
      if (follows && rules.retry) followed_.push_back(FollowedFile::Missing(name));
      return;
    }
    headers_.Write(in_.out, file->display_name());
    if (file->is_stdin() && in_.process.descriptors().Get(0) == nullptr) {
      const std::string shown = QuoteFile(file->display_name(), in_.locale.is_utf8);
      status_ = in_.Fail("cannot fstat " + shown, Code::kBadDescriptor);
      if (follows) in_.Fail("error reading " + shown, Code::kBadDescriptor);
      has_closed_stdin_ = true;
      return;
    }
    CopyTail(*file, in_, amount_);
    if (!file->input().status()) {
      const Error& error = file->input().status().error();
      status_ = in_.Fail("error reading " + QuoteFile(file->display_name(), in_.locale.is_utf8), error);
      if (follows && error.code == Code::kIsDirectory) {
        in_.Fail(QuoteSubject(file->display_name(), in_.locale.is_utf8) +
                 ": cannot follow end of this type of file" +
                 (rules.retry ? "" : "; giving up on this name"));
        if (rules.retry) {
          followed_.push_back(FollowedFile::Missing(name));
          followed_.back().reason = Code::kIsDirectory;
        }
      }
      return;
    }
    if (follows) followed_.push_back(FollowedFile::Opened(std::move(*file)));
  }

  std::vector<FollowedFile>& followed() { return followed_; }
  HeaderWriter& headers() { return headers_; }
  ExitStatus status() const { return status_; }
  // Standard input was asked for, and is none.
  bool has_closed_stdin() const { return has_closed_stdin_; }

 private:
  Invocation& in_;
  const Amount amount_;
  HeaderWriter headers_;
  std::vector<FollowedFile> followed_;
  ExitStatus status_ = 0;
  bool has_closed_stdin_ = false;
};

// tail -f of standard input alone ends with it when that is a pipe.
bool IsPipe(Invocation& in) {
  const vfs::OpenFilePtr& file = in.process.descriptors().Get(0);
  if (file == nullptr) return false;
  auto attributes = file->GetAttributes();
  return attributes && (attributes->type == vfs::FileType::kFifo || attributes->type == vfs::FileType::kSocket);
}

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (options.misplaced_digit != 0) {
    return in.Fail(std::string("option used in invalid context -- ") + options.misplaced_digit);
  }
  auto amount = ParseAmount(in, options);
  if (!amount) return in.Fail(amount.error().Text());
  auto rules = ParseFollowRules(in, options);
  if (!rules) {
    if (rules.error().code == Code::kSyntax) return in.Usage(rules.error().Text());
    return in.Fail(rules.error().Text());
  }
  if (options.retry && !options.follows) {
    in.Fail("warning: --retry ignored; --retry is useful only when following");
  } else if (options.retry && !rules->by_name) {
    in.Fail("warning: --retry only effective for the initial open");
  }
  if (!options.pid.empty() && !options.follows) {
    in.Fail("warning: PID ignored; --pid=PID is useful only when following");
  }
  std::vector<std::string> names = operands;
  if (names.empty()) names.push_back("-");
  const bool has_stdin = std::find(names.begin(), names.end(), "-") != names.end();
  if (has_stdin && options.follows && rules->by_name) {
    return in.Fail("cannot follow " + QuoteFile("-", in.locale.is_utf8) + " by name");
  }
  const bool follows = options.follows && !(names.size() == 1 && has_stdin && IsPipe(in));
  if (!follows && amount->count == 0 && !amount->from_start) return 0;
  Tail tail(in, *amount, options.verbose || (names.size() > 1 && !options.quiet));
  for (const std::string& name : names) {
    tail.Add(name, follows && !(name == "-" && IsPipe(in)), *rules);
    if (!in.out.status()) return 1;
  }
  ExitStatus status = tail.status();
  if (follows && !FollowFiles(in, *rules, tail.followed(), tail.headers())) status = 1;
  return tail.has_closed_stdin() ? in.Fail("-", Error(Code::kBadDescriptor)) : status;
}

// Options are parsed here because the old form has to be seen before they are.
ExitStatus RunWithOldForm(Invocation& in) {
  const auto rewritten = RewriteOldForm(in.args);   // lives as long as what is parsed from it
  if (rewritten) in.args = *rewritten;
  return command_internal::ParseAndRun<Options, Run>(in);
}

}  // namespace

extern const Command kCommand_tail;
const Command kCommand_tail = {
    .name = "tail",
    .summary = "output the last part of files",
    .synopsis = "[OPTION]... [FILE]...",
    .details = "\nNUM may have a multiplier suffix:\n"
               "b 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024, and so on for G, T, P, E, Z, Y.\n"
               "Binary prefixes can be used, too: KiB=K, MiB=M, and so on.\n",
    .options = kOptions,
    .rules = {.numeric_shorthand = NoteDigit},
    .run = RunWithOldForm,
};

}  // namespace paddock
