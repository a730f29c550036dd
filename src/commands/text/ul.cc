// ul - do underlining
//
// usage: ul [OPTION]... [FILE]...
// Shows overstrikes as what the terminal has for underlining and bold; with -i by marks on a line below.
//
// Exit status: 0, or 1 when a file could not be opened or has an unknown escape sequence.
// Source: util-linux 2.38. As there, a line ends where the last character was written.
// Differs: the terminals known are xterm, linux, screen, tmux, vt100, vt102, vt220, ansi and dumb, with their variants; others count
// as dumb.

#include <algorithm>
#include <cstdio>

#include "commands/input_files.h"
#include "commands/text/char_input.h"
#include "text/utf8.h"

namespace paddock {
namespace {

struct Options {
  std::optional<std::string> terminal;
  bool marks_below = false;
  bool help = false;
  bool version = false;
};

constexpr Option kOptions[] = {
    Value<&Options::terminal>('t', "terminal", "TERMINAL", "override the TERM environment variable"),
    Value<&Options::terminal>('T', nullptr, "TERMINAL", "the same"),
    Flag<&Options::marks_below>('i', "indicated", "underlining is indicated via a separate line"),
    Flag<&Options::help>('h', "help", "display this help"),
    Flag<&Options::version>('V', "version", "display version"),
};

struct Terminal {
  std::string_view name;
  std::string_view underline, end_underline, bold, reverse, dim, end, up, right;
};
constexpr std::string_view kUnder = "\033[4m", kEndUnder = "\033[24m", kBold = "\033[1m", kReverse = "\033[7m", kDim = "\033[2m",
                           kUp = "\033[A", kRight = "\033[C";
constexpr Terminal kTerminals[] = {
    {"xterm", kUnder, kEndUnder, kBold, kReverse, kDim, "\033(B\033[m", kUp, kRight},
    {"linux", kUnder, kEndUnder, kBold, kReverse, kDim, "\033[m\017", kUp, kRight},
    {"screen", kUnder, kEndUnder, kBold, kReverse, kDim, "\033[m\017", "\033M", kRight},
    {"tmux", kUnder, kEndUnder, kBold, kReverse, kDim, "\033[m\017", "\033M", kRight},
    {"vt100", kUnder, "\033[m", kBold, kReverse, kReverse, "\033[m\017", kUp, kRight},
    {"vt102", kUnder, "\033[m", kBold, kReverse, kReverse, "\033[m\017", kUp, kRight},
    {"vt220", kUnder, kEndUnder, kBold, kReverse, kReverse, "\033[m\033(B", kUp, kRight},
    {"ansi", kUnder, "\033[m", kBold, kReverse, kReverse, "\033[0;10m", kUp, kRight},
};
constexpr Terminal kDumb = {"dumb", "", "", "", "", "", "", "", ""};

const Terminal* FindTerminal(std::string_view name) {
  if (name == "dumb") return &kDumb;
  const std::string_view family = name.substr(0, name.find_first_of("-."));
  for (const Terminal& terminal : kTerminals) {
    if (terminal.name == family) return &terminal;
  }
  return nullptr;
}

enum Mode : uint8_t { kNormal = 0, kAlternate = 1, kRaised = 2, kLowered = 4, kUnderlined = 8, kStrong = 16 };

struct Cell {
  char32_t code = 0;
  int width = 1;          // 0: the second half of a wide character
  uint8_t mode = kNormal;
};

class Page {
 public:
  Page(Invocation& in, const Terminal& terminal, bool marks_below)
      : in_(in), terminal_(terminal), marks_below_(marks_below) {}

  // False when the input has an escape sequence that is not known.
  bool Show(Input& input) {
    while (const auto c = Next(input)) {
      in_.budget.Step();
      if (*c == '\033') {
        if (!Escape(Next(input))) return false;
      } else {
        Take(*c);
      }
    }
    if (end_ > 0) Flush();
    return true;
  }

 private:
  std::optional<char32_t> Next(Input& input) { return ReadChar(input, in_.locale.is_utf8, bytes_); }

  bool Escape(std::optional<char32_t> c) {
    switch (c.value_or(U'\uffff')) {
      case '7': GoBack(); return true;
      case '8':
        if (half_ == 0) mode_ = static_cast<uint8_t>(mode_ | kRaised);
        else if (half_ > 0) mode_ = static_cast<uint8_t>(mode_ & ~kLowered);
        if (half_-- < 0) {
          half_ = 0;
          GoBack();
        }
        return true;
      case '9':
        if (half_ == 0) mode_ = static_cast<uint8_t>(mode_ | kLowered);
        else if (half_ < 0) mode_ = static_cast<uint8_t>(mode_ & ~kRaised);
        if (half_++ > 0) {
          half_ = 0;
          GoOn();
        }
        return true;
      default: {
        char text[64];
        std::snprintf(text, sizeof text, "unknown escape sequence in input: %o, %o", 033u, c ? static_cast<unsigned>(*c) : 0xffffffffu);
        in_.Fail(text);
        return false;
      }
    }
  }

  void Take(char32_t c) {
    switch (c) {
      case '\b': column_ -= column_ > 0 ? 1 : 0; return;
      case '\t': return SetColumn(column_ + 8 - column_ % 8);
      case '\r': column_ = 0; return;
      case '\016': mode_ = static_cast<uint8_t>(mode_ | kAlternate); return;
      case '\017': mode_ = static_cast<uint8_t>(mode_ & ~kAlternate); return;
      case ' ': return SetColumn(column_ + 1);
      case '\n': return Flush();
      case '\f':
        Flush();
        in_.out.Put('\f');
        return;
      default: break;
    }
    const int width = CharWidth(c);
    if (width >= 0) Place(c, width);
  }

  Cell& At(size_t column) {
    if (column >= cells_.size()) cells_.resize(column + 1);
    return cells_[column];
  }

  void Place(char32_t c, int width) {
    Cell& cell = At(column_);
    if (c == '_' && (cell.code != 0 || half_ < 0)) {
      cell.mode = static_cast<uint8_t>(cell.mode | kUnderlined | mode_);
      return SetColumn(column_ + static_cast<size_t>(std::max(cell.width, 1)));
    }
    if (cell.code == 0) {
      cell.code = c;
      cell.mode = static_cast<uint8_t>(cell.mode | mode_);
    } else if (cell.code == '_') {
      cell.code = c;
      cell.mode = static_cast<uint8_t>(cell.mode | kUnderlined | mode_);
    } else if (cell.code == c) {
      cell.mode = static_cast<uint8_t>(cell.mode | kStrong | mode_);
    } else {
      width = std::max(cell.width, 1);
      cell.mode = mode_;
    }
    cell.width = width;
    const uint8_t mode = cell.mode;
    for (int i = 1; i < width; ++i) At(column_ + static_cast<size_t>(i)) = {c, 0, mode};
    SetColumn(column_ + static_cast<size_t>(width));
  }

  void SetColumn(size_t column) { end_ = column_ = column; }

  void Flush() {
    uint8_t last = kNormal;
    bool had_modes = false;
    for (size_t i = 0; i < end_; ++i) {
      in_.budget.Step();
      const Cell cell = i < cells_.size() ? cells_[i] : Cell{};
      if (cell.mode != last) {
        had_modes = true;
        Enter(cell.mode);
        last = cell.mode;
      }
      if (cell.code == 0) {
        if (lines_up_ > 0) in_.out.Write(terminal_.right);
        else in_.out.Put(' ');
      } else if (cell.width > 0 || i == 0 || cells_[i - 1].width < 2) {
        std::string bytes;
        AppendUtf8(bytes, cell.code);
        in_.out.Write(bytes);
      }
    }
    if (last != kNormal) Enter(kNormal);
    in_.out.Put('\n');
    if (marks_below_ && had_modes) WriteMarks();
    if (lines_up_ > 0) --lines_up_;
    // What was beyond the end stays for the next line, as in the original.
    std::fill_n(cells_.begin(), std::min(end_, cells_.size()), Cell{});
    SetColumn(0);
    half_ = 0;
    mode_ = static_cast<uint8_t>(mode_ & kAlternate);
  }

  void WriteMarks() {
    std::string marks;
    for (size_t i = 0; i < end_; ++i) {
      in_.budget.Step();
      switch (i < cells_.size() ? cells_[i].mode : uint8_t{kNormal}) {
        case kNormal: marks += ' '; break;
        case kAlternate: marks += 'g'; break;
        case kRaised: marks += '^'; break;
        case kLowered: marks += 'v'; break;
        case kUnderlined: marks += '_'; break;
        case kStrong: marks += '!'; break;
        default: marks += 'X';
      }
    }
    marks.erase(marks.find_last_not_of(' ') + 1);
    in_.out.WriteLine(marks);
  }

  void Enter(uint8_t mode) {
    if (marks_below_) return;
    if (current_ != kNormal && mode != kNormal) Enter(kNormal);
    switch (mode) {
      case kNormal: in_.out.Write(current_ == kUnderlined ? terminal_.end_underline : terminal_.end); break;
      case kRaised:
        in_.out.Write(terminal_.underline);
        in_.out.Write(terminal_.dim);
        break;
      case kLowered: in_.out.Write(terminal_.dim); break;
      case kUnderlined: in_.out.Write(terminal_.underline); break;
      case kStrong: in_.out.Write(terminal_.bold); break;
      default: in_.out.Write(terminal_.reverse);
    }
    current_ = mode;
  }

  void GoOn() {
    const size_t column = column_;
    const size_t end = end_;
    Flush();
    column_ = column;
    end_ = end;
  }
  void GoBack() {
    ++lines_up_;
    GoOn();
    in_.out.Write(terminal_.up);
    in_.out.Write(terminal_.up);
    ++lines_up_;
  }

  Invocation& in_;
  const Terminal& terminal_;
  const bool marks_below_;
  std::vector<Cell> cells_;
  std::string bytes_;   // of the last character
  size_t column_ = 0, end_ = 0;
  int half_ = 0;
  uint64_t lines_up_ = 0;
  uint8_t mode_ = kNormal, current_ = kNormal;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.help || options.version) {
    in.out.Write(options.help ? HelpText(in.command, in.name()) : VersionText(in.command, in.name()));
    return 0;
  }
  const Terminal* terminal = &kDumb;
  const std::optional<std::string_view> name =
      options.terminal ? std::optional<std::string_view>(*options.terminal) : in.env.Get("TERM");
  if (!name) {
    in.Fail("trouble reading terminfo");
  } else if (const Terminal* found = FindTerminal(*name)) {
    terminal = found;
  } else {
    in.Fail("terminal `" + std::string(*name) + "' is not known, defaulting to `dumb'");
  }
  Page page(in, *terminal, options.marks_below);
  if (operands.empty()) return page.Show(in.in) ? 0 : 1;
  for (const std::string& path : operands) {
    auto file = InputFile::OpenPath(in, path);
    if (!file) return in.Fail("cannot open " + path, file.error());
    if (!page.Show(file->input())) return 1;
  }
  return 0;
}

}  // namespace

extern const Command kCommand_ul;
const Command kCommand_ul = Define<Options, Run>({
    .name = "ul",
    .summary = "do underlining",
    .synopsis = "[options] [<file> ...]",
    .options = kOptions,
    .cuts_own_name = true,
});

}  // namespace paddock
