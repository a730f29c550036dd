// col - filter reverse line feeds from input
//
// usage: col [OPTION]...
// Puts text that was written with reverse and half line feeds into the order of the page. ESC with the characters 7, 8
// and 9 (BEL, backspace, tab) moves one line back, half a line back, half a line on. Half lines on output are ESC and
// the digit 9, as the original has it.
//
// Exit status: 0, or 1 for a usage error.
// Source: POSIX.1-1997 col; util-linux 2.38.
// Differs: nothing known.

#include <algorithm>
#include <deque>

#include "proc/command.h"
#include "text/numbers.h"
#include "text/utf8.h"

namespace paddock {
namespace {

struct Options {
  bool omits_backspaces = false;
  bool is_fine = false;
  bool passes_unknown = false;
  bool wants_tabs = false;
  bool wants_spaces = false;
  std::optional<std::string> lines;
  bool wants_help = false;
  bool wants_version = false;
};

constexpr Option kOptions[] = {
    Flag<&Options::omits_backspaces>('b', "no-backspaces", "do not output backspaces"),
    Flag<&Options::is_fine>('f', "fine", "permit forward half line feeds"),
    Flag<&Options::passes_unknown>('p', "pass", "pass unknown control sequences"),
    Flag<&Options::wants_tabs>('h', "tabs", "convert spaces to tabs"),
    Flag<&Options::wants_spaces>('x', "spaces", "convert tabs to spaces"),
    Value<&Options::lines>('l', "lines", "NUM", "buffer at least NUM lines"),
    Flag<&Options::wants_help>('H', "help", "display this help"),
    Flag<&Options::wants_version>('V', "version", "display version"),
};

constexpr char kShiftOut = '\016';
constexpr char kShiftIn = '\017';
constexpr int64_t kTab = 8;
constexpr int64_t kMargin = 32;   // half lines that are kept beyond those asked for

struct Mark {
  std::string text;
  int64_t column = 0;
  int width = 1;
  bool is_alternate = false;
};
using HalfLine = std::vector<Mark>;

class Columns {
 public:
  Columns(Invocation& in, const Options& options, int64_t kept) : in_(in), options_(options), kept_(kept) {
    lines_.emplace_back();
  }

  void Read() {
    for (int c = in_.in.Get(); c >= 0; c = in_.in.Get()) {
      in_.budget.Step();
      const auto byte = static_cast<char>(c);
      if (c < 0x80) {
        if (byte > ' ' && byte != 0x7f) Place(std::string(1, byte), 1);
        else Control(byte);
      } else {
        ReadWide(byte);
      }
    }
  }

  void Finish() {
    const int64_t current = first_ + static_cast<int64_t>(lines_.size()) - 1;
    if (highest_ == 0 && column_ == 0) return;
    Write(static_cast<int64_t>(lines_.size()));
    if (is_alternate_out_) in_.out.Put(kShiftIn);
    blanks_ = highest_ - current;
    if (highest_ % 2 != 0) ++blanks_;
    else if (blanks_ == 0) blanks_ = 2;
    WriteBlanks();
  }

 private:
  void ReadWide(char first) {
    std::string bytes(1, first);
    const auto lead = static_cast<unsigned char>(first);
    const size_t length = !in_.locale.is_utf8 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
    while (bytes.size() < length) {
      const std::string_view next = in_.in.Peek();
      if (next.empty() || (next[0] & 0xc0) != 0x80) break;
      bytes += next[0];
      in_.in.Consume(1);
    }
    const DecodedChar decoded = DecodeUtf8(bytes);
    if (in_.locale.is_utf8 && decoded.is_valid && decoded.length == bytes.size()) {
      const int width = CharWidth(decoded.code);
      if (width >= 0) Place(bytes, width);
      else if (options_.passes_unknown) Place(bytes, 1);
      return;
    }
    for (const char byte : bytes) {
      constexpr char kDigits[] = "0123456789abcdef";
      const auto value = static_cast<unsigned char>(byte);
      for (const char c : {'\\', 'x', kDigits[value >> 4], kDigits[value & 15]}) Place(std::string(1, c), 1);
    }
  }

  void Control(char c) {
    switch (c) {
      case '\b':
        if (column_ > 0) column_ = std::max<int64_t>(0, column_ - last_width_);
        return;
      case '\r': column_ = 0; return;
      case '\033': return Escape();
      case '\n': MoveLine(2); column_ = 0; return;
      case ' ': ++column_; return;
      case kShiftIn: is_alternate_ = false; return;
      case kShiftOut: is_alternate_ = true; return;
      case '\t': column_ += kTab - column_ % kTab; return;
      case '\v': line_ -= 2; return;
      default:
        if (c != '\f' && options_.passes_unknown) Place(std::string(1, c), 1);
    }
  }

  void Escape() {
    switch (in_.in.Get()) {
      case '\007': line_ -= 2; break;
      case '\010': --line_; break;
      case '\011': MoveLine(1); break;
      default: break;
    }
  }

  void MoveLine(int64_t count) {
    line_ += count;
    highest_ = std::max(highest_, line_);
  }

  // Where the character goes: half lines count as the next line unless they are wanted.
  void Place(std::string text, int width) {
    int64_t target = line_;
    if (!options_.is_fine && target % 2 != 0) ++target;
    if (target < first_) {
      if (!has_flushed_) {
        for (; first_ > target; --first_) {
          lines_.emplace_front();
          in_.budget.Step();
        }
      } else {
        Warn();
        line_ += first_ - target;
        target = first_;
      }
    }
    const auto index = target - first_;
    if (index >= static_cast<int64_t>(lines_.size())) Grow(index);
    HalfLine& half_line = lines_[static_cast<size_t>(target - first_)];
    half_line.push_back({std::move(text), column_, width, is_alternate_});
    column_ += width;
    last_width_ = width;
  }

  // Makes room up to this index, and writes what is far enough above.
  void Grow(int64_t index) {
    while (static_cast<int64_t>(lines_.size()) <= index) {
      lines_.emplace_back();
      in_.budget.Step();
    }
    if (index >= kept_ + kMargin) Write(index - kept_);
  }

  void Warn() {
    if (!has_warned_) in_.Fail(std::string("warning: can't back up ") + (line_ < 0 ? "past first line" : "-- line already flushed") + ".");
    has_warned_ = true;
  }

  void Write(int64_t count) {
    for (; count > 0; --count) {
      if (!lines_.front().empty()) {
        WriteBlanks();
        WriteLine(lines_.front());
      }
      ++blanks_;
      lines_.pop_front();
      ++first_;
      has_flushed_ = true;
      in_.budget.Step();
    }
  }

  void WriteBlanks() {
    int64_t count = blanks_;
    const bool is_half = count % 2 != 0 && options_.is_fine;
    if (count % 2 != 0 && !is_half) ++count;
    count /= 2;
    for (int64_t i = 0; i < count; ++i) {
      in_.out.Put('\n');
      in_.budget.Step();
    }
    if (is_half) {
      in_.out.Write("\0339");
      if (count == 0) in_.out.Put('\r');
    }
    blanks_ = 0;
  }

  void WriteGap(int64_t from, int64_t to) {
    int64_t spaces = to - from;
    if (!options_.wants_spaces && spaces > 1) {
      const int64_t tabs = to / kTab - from / kTab;
      if (tabs > 0) {
        spaces = to % kTab;
        for (int64_t i = 0; i < tabs; ++i) {
          in_.out.Put('\t');
          in_.budget.Step();
        }
      }
    }
    for (; spaces > 0; --spaces) {
      in_.out.Put(' ');
      in_.budget.Step();
    }
  }

  void WriteLine(HalfLine& line) {
    std::stable_sort(line.begin(), line.end(), [](const Mark& a, const Mark& b) { return a.column < b.column; });
    int64_t reached = 0;
    for (size_t i = 0; i < line.size();) {
      size_t end = i + 1;
      while (end < line.size() && line[end].column == line[i].column) ++end;
      in_.budget.Step(static_cast<int64_t>(end - i));
      if (options_.omits_backspaces) i = end - 1;
      if (line[i].column > reached) WriteGap(reached, line[i].column);
      reached = std::max(reached, line[i].column);
      for (; i < end; ++i) {
        if (line[i].is_alternate != is_alternate_out_) {
          is_alternate_out_ = line[i].is_alternate;
          in_.out.Put(is_alternate_out_ ? kShiftOut : kShiftIn);
        }
        in_.out.Write(line[i].text);
        if (i + 1 < end) for (int back = 0; back < line[i].width; ++back) in_.out.Put('\b');
      }
      reached += line[end - 1].width;
    }
  }

  Invocation& in_;
  const Options& options_;
  const int64_t kept_;
  std::deque<HalfLine> lines_;
  int64_t first_ = 0;      // half line of lines_[0]
  int64_t line_ = 0;
  int64_t highest_ = 0;
  int64_t column_ = 0;
  int64_t blanks_ = 0;
  int last_width_ = 1;
  bool is_alternate_ = false, is_alternate_out_ = false, has_flushed_ = false, has_warned_ = false;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.wants_help || options.wants_version) {
    in.out.Write(options.wants_help ? HelpText(in.command, in.name()) : VersionText(in.command, in.name()));
    return 0;
  }
  if (options.wants_tabs && options.wants_spaces) return in.Fail("mutually exclusive arguments: --tabs --spaces");
  int64_t lines = 128;
  if (options.lines) {
    constexpr uint64_t kMost = std::numeric_limits<int32_t>::max() / 2;
    const bool is_negative = options.lines->starts_with('-');
    const SizeNumber number = ParseSize(std::string_view(*options.lines).substr(is_negative ? 1 : 0), "");
    const std::string complaint = "bad -l argument: '" + *options.lines + "'";
    if (number.state != NumberState::kOk && number.state != NumberState::kOverflow) return in.Fail(complaint);
    if ((is_negative && number.value > 0) || number.value > kMost) {
      return in.Fail(complaint + ": Numerical result out of range");
    }
    lines = static_cast<int64_t>(number.value);
  }
  if (!operands.empty()) return in.Usage("bad usage");
  Columns columns(in, options, lines * 2);
  columns.Read();
  columns.Finish();
  return in.in.status() ? 0 : 1;
}

}  // namespace

extern const Command kCommand_col;
const Command kCommand_col = Define<Options, Run>({
    .name = "col",
    .summary = "filter out reverse line feeds from standard input",
    .synopsis = "[options]",
    .options = kOptions,
    .cuts_own_name = true,
});

}  // namespace paddock
