// pv - monitor the progress of data through a pipe
//
// usage: pv [OPTION]... [FILE]...
// Copies each FILE (standard input without one) to standard output, and shows on standard error how far it is.
//
// Exit status: 0; 1 when the file of -P cannot be written, 64 for a usage error, else a sum of: 2 a file could not be opened, 4 an
// input is the output, 8 there was nothing to read at all, 16 reading or writing failed.
// Source: pv 1.6.20.
// Differs: -A shows what was written last, where the real one shows dots for the first piece and after the last. -c is refused on a
// terminal, and changes nothing elsewhere, as in the real one. Not there: -d and -R, which look into other processes, and -E: no file
// of a virtual tree is readable in parts.

#include <algorithm>

#include "commands/file_facts.h"
#include "commands/text/pv_display.h"
#include "proc/option_complaint.h"
#include "proc/process.h"

namespace paddock {
namespace {

constexpr ExitStatus kNotOpened = 2, kIsOutput = 4, kNothing = 8, kFailed = 16, kUsage = 64;
constexpr size_t kPiece = 128 << 10, kMostBuffer = 16 << 20, kMostWidth = 999'999;
constexpr Nanoseconds kLook{5'000'000};   // pipes wake nobody for a timed wait

struct Options {
  bool progress = false, timer = false, eta = false, arrival = false, rate = false, average = false, bytes = false, buffer = false;
  bool numeric = false, quiet = false, waits = false, lines = false, nulls = false, forced = false, cursor = false, no_splice = false, stops = false;
  bool wants_help = false, wants_version = false;
  std::optional<uint64_t> last;
  std::optional<std::string> format, name, pid_file;
  double delay = 0, interval = 1;
  uint64_t size = 0, width = 0, height = 0, rate_limit = 0, buffer_size = 0;
};

// Digits and perhaps a letter for a power of 1024.
std::optional<uint64_t> Whole(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  uint64_t value = 0;
  size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    if (value > (INT64_MAX - 9) / 10) return std::nullopt;
    value = value * 10 + static_cast<uint64_t>(text[at] - '0');
  }
  if (at == 0 || text.size() > at + 1) return std::nullopt;
  if (at == text.size()) return value;
  const size_t power = std::string_view("kKmMgGtT").find(text[at]);
  if (power == std::string_view::npos) return std::nullopt;
  const unsigned shift = 10 * static_cast<unsigned>(power / 2 + 1);
  if (value > (static_cast<uint64_t>(INT64_MAX) >> shift)) return std::nullopt;
  return value << shift;
}
// Digits, and perhaps a point and more of them.
std::optional<double> Decimal(std::string_view text) {
  double value = 0, unit = 1;
  bool is_fraction = false;
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  for (const char byte : text) {
    if (byte == '.' && !is_fraction) {
      is_fraction = true;
      continue;
    }
    if (byte < '0' || byte > '9') return std::nullopt;
    if (is_fraction) value += (unit /= 10) * (byte - '0');
    else value = std::min(value * 10 + (byte - '0'), 1e9);
  }
  return value;
}

template <char kLetter, auto kMember>
Status TakeWhole(Options& options, std::string_view text) {
  const auto value = Whole(text);
  if (!value) return Error(Code::kSyntax, std::string("-") + kLetter + ": integer argument expected");
  options.*kMember = *value;
  return {};
}
template <char kLetter, auto kMember>
Status TakeDecimal(Options& options, std::string_view text) {
  const auto value = Decimal(text);
  if (!value) return Error(Code::kSyntax, std::string("-") + kLetter + ": numeric argument expected");
  options.*kMember = *value;
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::progress>('p', "progress", "show progress bar"),
    Flag<&Options::timer>('t', "timer", "show elapsed time"),
    Flag<&Options::eta>('e', "eta", "show how long it will still take"),
    Flag<&Options::arrival>('I', "fineta", "show the time when it will be done"),
    Flag<&Options::rate>('r', "rate", "show data transfer rate"),
    Flag<&Options::average>('a', "average-rate", "show average data transfer rate"),
    Flag<&Options::bytes>('b', "bytes", "show number of bytes transferred"),
    Flag<&Options::buffer>('T', "buffer-percent", "show percentage of the buffer in use, which is never filled here"),
    Call<TakeWhole<'A', &Options::last>>('A', "last-written", "NUM", "show the last NUM bytes"),
    Value<&Options::format>('F', "format", "FORMAT", "show %p %t %e %I %r %a %b %T %nA %N as FORMAT says"),
    Flag<&Options::numeric>('n', "numeric", "write percentages, a line each"),
    Flag<&Options::quiet>('q', "quiet", "show nothing at all"),
    Flag<&Options::waits>('W', "wait", "show nothing until the first byte"),
    Call<TakeDecimal<'D', &Options::delay>>('D', "delay-start", "SEC", "show nothing until SEC seconds have passed"),
    Call<TakeWhole<'s', &Options::size>>('s', "size", "SIZE", "take SIZE for what there will be"),
    Flag<&Options::lines>('l', "line-mode", "count lines instead of bytes"),
    Flag<&Options::nulls>('0', "null", "count lines that end in NUL"),
    Call<TakeDecimal<'i', &Options::interval>>('i', "interval", "SEC", "show it every SEC seconds"),
    Call<TakeWhole<'w', &Options::width>>('w', "width", "WIDTH", "take the terminal for WIDTH columns wide"),
    Call<TakeWhole<'H', &Options::height>>('H', "height", "HEIGHT", "take the terminal for HEIGHT rows high"),
    Value<&Options::name>('N', "name", "NAME", "put NAME in front"),
    Flag<&Options::forced>('f', "force", "show it even if standard error is no terminal"),
    Flag<&Options::cursor>('c', "cursor", "place the cursor (nothing else than without, off a terminal)"),
    Call<TakeWhole<'L', &Options::rate_limit>>('L', "rate-limit", "RATE", "transfer at most RATE bytes a second"),
    Call<TakeWhole<'B', &Options::buffer_size>>('B', "buffer-size", "BYTES", "read at most BYTES at once"),
    Flag<&Options::no_splice>('C', "no-splice", "read and write, which is always done"),
    Flag<&Options::stops>('S', "stop-at-size", "stop after --size bytes"),
    Value<&Options::pid_file>('P', "pidfile", "FILE", "keep the process number in FILE meanwhile"),
    Flag<&Options::wants_help>('h', "help", "show this help and exit"),
    Flag<&Options::wants_version>('V', "version", "show version information and exit"),
};

// The parts that were asked for; when it will be done only where that can be told.
std::string FormatOf(const Options& o, bool has_total) {
  if (o.format) return *o.format;
  const bool is_default = !(o.progress || o.timer || o.eta || o.arrival || o.rate || o.average || o.bytes || o.buffer || o.last);
  std::string format;
  const auto add = [&](bool is_on, const std::string& part) {
    if (is_on) format += (format.empty() ? "" : " ") + part;
  };
  add(o.name.has_value(), "%N");
  add(o.bytes || is_default, "%b");
  add(o.buffer, "%T");
  add(o.timer || is_default, "%t");
  add(o.rate || is_default, "%r");
  add(o.average, "%a");
  add(o.progress || is_default, "%p");
  add((o.eta || is_default) && has_total, "%e");
  add(o.arrival && has_total, "%I");
  if (o.last) add(true, "%" + std::to_string(std::min<uint64_t>(*o.last, pv::kMostTail)) + "A");
  return format;
}

class Transfer {
 public:
  Transfer(Invocation& in, const Options& options) : in_(in), o_(options), zone_(LocalZone(in.env)), display_(zone_, in.clock) {
    counts_lines_ = o_.lines || o_.nulls;
    is_shown_ = !o_.quiet && (o_.numeric || o_.forced || IsTerminal(in, 2));
    look_.name = o_.name.value_or("");
    const size_t columns = o_.width > 0 ? std::min<uint64_t>(o_.width, kMostWidth) : WindowOf(in).columns;
    if (columns > 0) look_.width = columns;
    in.budget.WillAllocate(look_.width * 3);
    look_.counts_lines = counts_lines_;
    look_.is_numeric = o_.numeric;
    look_.has_bytes = o_.bytes;
    look_.has_timer = o_.timer;
    interval_ = ToTime(std::clamp(o_.interval, 0.1, 600.0));
    start_ = in.clock.MonotonicNow();
    next_look_ = start_ + (o_.delay > 0 ? ToTime(o_.delay) : interval_);
  }

  ExitStatus Run(const std::vector<std::string>& names) {
    total_ = o_.size > 0 || counts_lines_ ? o_.size : SizeOf(names);
    look_.format = FormatOf(o_, total_ > 0);
    most_tail_ = pv::TailOf(look_.format);
    bool has_read = false;
    for (const std::string& name : names) {
      const vfs::OpenFilePtr file = Open(name);
      if (file == nullptr) continue;
      has_read = true;
      if (!Copy(name, *file)) break;
    }
    if (!has_read && (status_ & kNotOpened) != 0) return status_ | kNothing;
    Finish();
    return status_;
  }

 private:
  static Nanoseconds ToTime(double seconds) { return Nanoseconds(static_cast<int64_t>(seconds * 1e9)); }

  // Of all files together; 0 when one of them has none.
  uint64_t SizeOf(const std::vector<std::string>& names) {
    uint64_t sum = 0;
    for (const std::string& name : names) {
      in_.budget.Step();
      Result<vfs::Attributes> attributes = Code::kNoEntry;
      if (name != "-") attributes = in_.fs.Stat(name);
      else if (const vfs::OpenFilePtr& file = in_.process.descriptors().Get(0); file != nullptr) attributes = file->GetAttributes();
      if (!attributes) continue;
      if (!attributes->is_file() && !attributes->is_directory()) return 0;
      sum += attributes->size;
    }
    return sum;
  }

  vfs::OpenFilePtr Open(const std::string& name) {
    Result<vfs::OpenFilePtr> file = Code::kBadDescriptor;
    if (name != "-") file = in_.fs.Open(name, vfs::OpenFlags::Read());
    else if (const vfs::OpenFilePtr& input = in_.process.descriptors().Get(0); input != nullptr) file = input;
    if (!file) {
      status_ |= kNotOpened;
      in_.Fail(name, file.error());
      return nullptr;
    }
    const vfs::OpenFilePtr& output = in_.process.descriptors().Get(1);
    const auto from = (*file)->GetAttributes();
    const auto to = output != nullptr ? output->GetAttributes() : Result<vfs::Attributes>(Code::kBadDescriptor);
    if (from && to && from->is_file() && to->is_file() && IsSameFile(*from, *to)) {
      status_ |= kIsOutput;
      in_.Fail("input file is output file: " + name);
      return nullptr;
    }
    return *file;
  }

  // False when no more can be written, or no more is wanted.
  bool Copy(const std::string& name, vfs::OpenFile& file) {
    const size_t piece = o_.buffer_size > 0 ? static_cast<size_t>(std::min<uint64_t>(o_.buffer_size, kMostBuffer)) : kPiece;
    for (;;) {
      if (IsDone()) return false;
      size_t wanted = piece;
      if (o_.stops && !counts_lines_ && total_ > 0) wanted = static_cast<size_t>(std::min<uint64_t>(wanted, total_ - done_));
      wanted = std::min(wanted, Allowance());
      Await(file);
      const auto block = file.ReadBlock(wanted);
      if (!block) {
        if (block.error().code == Code::kInterrupted) continue;
        status_ |= kFailed;
        in_.Fail(name + ": read failed", block.error());
        return true;
      }
      if (block->bytes.empty()) return true;
      in_.budget.Step(static_cast<int64_t>(block->bytes.size() / 64 + 1));
      const size_t taken = Count(block->bytes);
      in_.out.Write(block->bytes.substr(0, taken));
      if (taken < block->bytes.size()) file.GiveBack(block->bytes.size() - taken);
      if (const Status written = in_.out.Flush(); !written) {
        if (written.error().code == Code::kBrokenPipe) return in_.out.ClearStatus(), false;
        status_ |= kFailed;
        const Error error = written.error();
        in_.out.ClearStatus();
        in_.Fail("write failed", error);
        return false;
      }
      passed_ += taken;
      if (most_tail_ > 0) {
        tail_ += block->bytes.substr(taken - std::min(taken, most_tail_), std::min(taken, most_tail_));
        if (tail_.size() > most_tail_) tail_.erase(0, tail_.size() - most_tail_);
      }
      ShowWhenDue();
    }
  }
  bool IsDone() const { return o_.stops && total_ > 0 && done_ >= total_; }

  // Adds the bytes or their lines to what is done; how many bytes of them are wanted.
  size_t Count(std::string_view bytes) {
    if (!counts_lines_) {
      done_ += bytes.size();
      return bytes.size();
    }
    const char end = o_.nulls ? '\0' : '\n';
    for (size_t at = 0;;) {
      at = bytes.find(end, at);
      if (at == std::string_view::npos) return bytes.size();
      ++done_;
      ++at;
      if (IsDone()) return at;
    }
  }

  // How many bytes may pass now; waits until some may.
  size_t Allowance() {
    if (o_.rate_limit == 0) return kMostBuffer;
    for (;;) {
      const Nanoseconds now = in_.clock.MonotonicNow();
      const double seconds = std::chrono::duration<double>(now - start_).count();
      const double allowed = seconds * static_cast<double>(o_.rate_limit) - static_cast<double>(passed_);
      if (allowed >= 1) return static_cast<size_t>(std::min(allowed, static_cast<double>(kMostBuffer)));
      Nanoseconds until = now + std::clamp(ToTime((1 - allowed) / static_cast<double>(o_.rate_limit)), kLook, Nanoseconds(std::chrono::seconds(1)));
      if (is_shown_) until = std::min(until, std::max(next_look_, now + Nanoseconds(1'000'000)));
      in_.budget.Step();
      static_cast<void>(in_.kernel.Sleep(in_.process, until));
      ShowWhenDue();
    }
  }
  // Shows what is due until there is something to read.
  void Await(vfs::OpenFile& file) {
    for (Nanoseconds pause{1000}; is_shown_ && !file.IsReadReady(); pause = std::min(pause * 2, kLook)) {
      in_.budget.Step();
      static_cast<void>(in_.kernel.Sleep(in_.process, in_.clock.MonotonicNow() + pause));
      ShowWhenDue();
    }
  }

  void ShowWhenDue() {
    const Nanoseconds now = in_.clock.MonotonicNow();
    if (!is_shown_ || now < next_look_) return;
    next_look_ = std::max(next_look_ + interval_, now);
    Show(now, false);
  }
  void Show(Nanoseconds now, bool is_final) {
    if (o_.waits && passed_ == 0) return;
    look_.tail = tail_;
    const std::string line = display_.Line(look_, {.done = done_, .total = total_, .elapsed = now - start_, .is_final = is_final});
    in_.err.Write(line + (o_.numeric ? "\n" : "\r"));
    has_shown_ = true;
  }
  void Finish() {
    if (!is_shown_) return;
    const Nanoseconds now = in_.clock.MonotonicNow();
    if (o_.delay <= 0 || has_shown_ || now >= next_look_) Show(now, true);
    if (has_shown_ && !o_.numeric) in_.err.Write("\n");
  }

  Invocation& in_;
  const Options& o_;
  const TimeZone zone_;
  pv::Display display_;
  pv::Look look_;
  bool counts_lines_ = false, is_shown_ = false, has_shown_ = false;
  size_t most_tail_ = 0;
  std::string tail_;
  Nanoseconds interval_, start_, next_look_;
  uint64_t done_ = 0, total_ = 0, passed_ = 0;   // passed_ counts bytes always
  ExitStatus status_ = 0;
};

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed) {
    ComplainOfOption(in, parsed.error().Text());
    if (!parsed.error().Text().ends_with(" argument expected")) in.err.Write("Try `pv --help' for more information.\n");
    return kUsage;
  }
  if (options.wants_help) return in.out.Write(HelpText(in.command, in.name())), 0;
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  if (options.cursor && IsTerminal(in, 2)) return in.Fail("-c: the cursor of a terminal is not placed; leave it out", kUsage);
  if (options.pid_file) {
    if (const Status written = vfs::WriteFile(in.fs, *options.pid_file, std::to_string(in.process.pid()) + "\n"); !written) return in.Fail(*options.pid_file, written.error());
  }
  in.process.set_disposition(proc::kSigPipe, proc::Process::Disposition::kIgnore);
  std::vector<std::string> names = parsed->operands;
  if (names.empty()) names.emplace_back("-");
  const ExitStatus status = Transfer(in, options).Run(names);
  if (options.pid_file) static_cast<void>(in.fs.RemoveFile(*options.pid_file));
  return status;
}

}  // namespace

extern const Command kCommand_pv;
const Command kCommand_pv = {
    .name = "pv",
    .summary = "monitor the progress of data through a pipe",
    .synopsis = "[OPTION]... [FILE]...",
    .options = kOptions,
    .usage_status = kUsage,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
