// watch - run a command again and again, and show its output
//
// usage: watch [options] command
//
// Exit status: 0 when -g or -q ended it, 8 when -e did, 1 for a usage error and an unknown terminal, 4 when the command cannot be started.
// Source: procps 4.0.2.
// Differs: the whole screen is written each time, not what has changed; a screen without a terminal has 80 columns and
// 24 lines unless COLUMNS and LINES say more; a wide character counts as one column.

#include <algorithm>
#include <cmath>

#include "commands/child_output.h"
#include "commands/file_facts.h"
#include "commands/sys/terminal_caps.h"
#include "proc/option_complaint.h"
#include "text/date/duration.h"
#include "text/date/time_format.h"

namespace paddock {
namespace {

constexpr ExitStatus kCommandFailed = 8, kCannotRun = 4;
constexpr double kLeastInterval = 0.1, kMostInterval = 4294967295.0;
constexpr const char* kUsage =
    "\nUsage:\n watch [options] command\n\nOptions:\n"
    "  -b, --beep             beep if command has a non-zero exit\n"
    "  -c, --color            interpret ANSI color and style sequences\n"
    "  -d, --differences[=<permanent>]\n                         highlight changes between updates\n"
    "  -e, --errexit          exit if command has a non-zero exit\n"
    "  -g, --chgexit          exit when output from command changes\n"
    "  -q, --equexit <cycles>\n                         exit when output from command does not change\n"
    "  -n, --interval <secs>  seconds to wait between updates\n"
    "  -p, --precise          attempt run command in precise intervals\n"
    "  -t, --no-title         turn off header\n"
    "  -w, --no-wrap          turn off line wrapping\n"
    "  -x, --exec             pass command to exec instead of \"sh -c\"\n\n"
    " -h, --help     display this help and exit\n -v, --version  output version information and exit\n\nFor more details see watch(1).\n";

struct Options {
  bool beeps = false, colors = false, differences = false, is_permanent = false, ends_on_error = false, ends_on_change = false;
  bool is_precise = false, no_title = false, no_wrap = false, executes = false, wants_help = false, wants_version = false;
  std::optional<int64_t> equal_cycles;
  double interval = 2;
};

Error CannotParse(std::string_view text) { return Error(Code::kInvalid, "failed to parse argument: '" + std::string(text) + "': Invalid argument"); }

Status Differences(Options& options, std::string_view text) {
  options.differences = true;
  options.is_permanent = text.data() != nullptr;
  return {};
}
Status EqualCycles(Options& options, std::string_view text) {
  int64_t value = 0;
  if (!ParseOptionValue(text, value)) return CannotParse(text);
  options.equal_cycles = std::max<int64_t>(value, 1);
  return {};
}
Status Interval(Options& options, std::string_view text) {
  double value = 0;
  if (!ParseOptionValue(text, value) || std::isnan(value)) return CannotParse(text);
  options.interval = std::clamp(value, kLeastInterval, kMostInterval);
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::beeps>('b', "beep", "beep if command has a non-zero exit"),
    Flag<&Options::colors>('c', "color", "interpret ANSI color and style sequences"),
    CallOptional<Differences>('d', "differences", "permanent", "highlight changes between updates"),
    Flag<&Options::ends_on_error>('e', "errexit", "exit if command has a non-zero exit"),
    Flag<&Options::ends_on_change>('g', "chgexit", "exit when output from command changes"),
    Call<EqualCycles>('q', "equexit", "cycles", "exit when output from command does not change"),
    Call<Interval>('n', "interval", "secs", "seconds to wait between updates"),
    Flag<&Options::is_precise>('p', "precise", "attempt run command in precise intervals"),
    Flag<&Options::no_title>('t', "no-title", "turn off header"),
    Flag<&Options::no_wrap>('w', "no-wrap", "turn off line wrapping"),
    Flag<&Options::executes>('x', "exec", "pass command to exec instead of \"sh -c\""),
    Flag<&Options::wants_help>('h', nullptr, nullptr),
    Flag<&Options::wants_version>('v', nullptr, nullptr),
};

size_t SizeFrom(const Environment& environment, std::string_view name, size_t otherwise) {
  constexpr size_t kMost = 666;
  const std::string_view text = environment.Get(name, "");
  if (text.empty() || text.size() > 4 || text.find_first_not_of("0123456789") != std::string_view::npos) return otherwise;
  const size_t value = std::stoul(std::string(text));
  return value == 0 ? otherwise : std::min(value, kMost);
}

// A character and the escape sequences before it.
struct Cell {
  std::string style, text;
  bool operator==(const Cell&) const = default;
};
using Screen = std::vector<std::vector<Cell>>;

// What of a text is seen in so many lines and columns.
class Layout {
 public:
  Layout(const Options& options, size_t columns, size_t lines) : options_(options), columns_(columns), lines_(lines) {}

  Screen Lay(std::string_view text, Budget& budget) {
    Screen screen(1);
    std::string style;
    while (!text.empty() && screen.size() <= lines_) {
      budget.Step();
      if (const size_t length = EscapeLength(text)) {
        if (options_.colors) style.append(text.substr(0, length));
        text.remove_prefix(length);
        continue;
      }
      const char c = text[0];
      if (c == '\n') {
        screen.emplace_back();
        text.remove_prefix(1);
      } else if (c == '\t') {
        do Add(screen, {std::exchange(style, ""), " "});
        while (screen.back().size() % 8 != 0 && screen.back().size() < columns_);
        text.remove_prefix(1);
      } else if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
        text.remove_prefix(1);
      } else {
        size_t length = 1;
        while (length < text.size() && length < 4 && (text[length] & '\xc0') == '\x80') ++length;
        Add(screen, {std::exchange(style, ""), std::string(text.substr(0, length))});
        text.remove_prefix(length);
      }
    }
    if (screen.size() > lines_) screen.resize(lines_);
    return screen;
  }

 private:
  // Of a sequence ESC [ … letter at the front, or 0.
  static size_t EscapeLength(std::string_view text) {
    constexpr size_t kMost = 64;
    if (!text.starts_with("\x1b[")) return 0;
    for (size_t i = 2; i < std::min(text.size(), kMost); ++i) {
      if (text[i] >= '@' && text[i] <= '~') return i + 1;
    }
    return 0;
  }
  void Add(Screen& screen, Cell cell) {
    if (screen.back().size() >= columns_) {
      if (options_.no_wrap) return;
      screen.emplace_back();
      if (screen.size() > lines_) return;
    }
    screen.back().push_back(std::move(cell));
  }

  const Options& options_;
  size_t columns_, lines_;
};

class Watcher {
 public:
  Watcher(Invocation& in, const Options& options, const std::vector<std::string>& operands, size_t terminal)
      : in_(in), options_(options), is_dumb_(FindTerminalCap(terminal, "clear")->value == nullptr) {
    const proc::Kernel::WindowSize window = WindowOf(in);
    columns_ = SizeFrom(in.env, "COLUMNS", window.columns > 0 ? window.columns : 80);
    const size_t lines = SizeFrom(in.env, "LINES", window.lines > 0 ? window.lines : 24);
    const size_t title = options.no_title ? 0 : 2;
    lines_ = lines > title ? lines - title : 1;
    for (const std::string& word : operands) command_ += (command_.empty() ? "" : " ") + word;
    args_ = options.executes ? operands : std::vector<std::string>{"sh", "-c", command_};
  }

  ExitStatus Run() {
    const Nanoseconds step = ToNanoseconds(options_.interval);
    Nanoseconds next = in_.clock.MonotonicNow();
    while (true) {
      in_.budget.Step();
      const auto output = AllOutput(in_, args_);
      if (!output) return in_.Fail("unable to execute '" + args_[0] + "': " + std::string(output.error().Text()), kCannotRun);
      Screen screen = Layout(options_, columns_, lines_).Lay(output->text, in_.budget);
      const bool is_changed = has_last_ && screen != last_;
      Show(screen);
      if (output->status != 0 && options_.beeps) in_.out.Put('\a');
      if (output->status != 0 && options_.ends_on_error) return EndOnError();
      equal_ = has_last_ && !is_changed ? equal_ + 1 : 0;
      last_ = std::move(screen);
      has_last_ = true;
      in_.out.Flush();
      if (options_.ends_on_change && is_changed) return 0;
      if (options_.equal_cycles && equal_ >= *options_.equal_cycles) return 0;
      if (!in_.out.status()) return 1;
      const Nanoseconds now = in_.clock.MonotonicNow();
      next = options_.is_precise ? std::max(next + step, now) : now + step;
      if (!in_.kernel.Sleep(in_.process, next)) return 0;
    }
  }

 private:
  ExitStatus EndOnError() {
    in_.out.Write("command exit with a non-zero status, press a key to exit\n");
    in_.out.Flush();
    in_.in.Get();
    return kCommandFailed;
  }

  std::string Title() const {
    const TimePoint now = Now(in_.clock);
    std::string seconds = std::to_string(static_cast<int64_t>(options_.interval * 10 + 0.5));
    if (seconds.size() < 2) seconds.insert(0, "0");
    seconds.insert(seconds.size() - 1, ".");
    const std::string left = "Every " + seconds + "s: " + command_;
    const std::string right = in_.kernel.hostname() + ": " + FormatTime("%a %b %e %H:%M:%S %Y", LocalZone(in_.env).ToLocal(now.seconds), now, in_.budget);
    if (right.size() >= columns_) return right.substr(0, columns_);
    const size_t room = columns_ - right.size();
    if (left.size() + 1 <= room) return left + std::string(room - left.size(), ' ') + right;
    if (room < 20) return std::string(room, ' ') + right;   // as the original: no command rather than a stump
    return left.substr(0, room - 4) + "... " + right;
  }

  void Show(const Screen& screen) {
    if (!is_dumb_) in_.out.Write("\x1b[H\x1b[2J");
    if (!options_.no_title) in_.out.Write(Title() + "\n\n");
    if (options_.is_permanent) marked_.resize(std::max(marked_.size(), screen.size()));
    for (size_t row = 0; row < screen.size(); ++row) {
      for (size_t column = 0; column < screen[row].size(); ++column) {
        const Cell& cell = screen[row][column];
        in_.out.Write(cell.style);
        const bool is_marked = !is_dumb_ && IsMarked(row, column, cell);
        if (is_marked) in_.out.Write("\x1b[7m");
        in_.out.Write(cell.text);
        if (is_marked) in_.out.Write("\x1b[27m");
      }
      if (row + 1 < screen.size() || !screen[row].empty()) in_.out.Put('\n');
    }
    if (options_.colors) in_.out.Write("\x1b[m");
  }

  bool IsMarked(size_t row, size_t column, const Cell& cell) {
    if (!options_.differences || !has_last_) return false;
    const bool is_new = row >= last_.size() || column >= last_[row].size() || last_[row][column] != cell;
    if (!options_.is_permanent) return is_new;
    std::vector<bool>& line = marked_[row];
    if (line.size() <= column) line.resize(column + 1);
    if (is_new) line[column] = true;
    return line[column];
  }

  Invocation& in_;
  const Options& options_;
  bool is_dumb_;
  size_t columns_, lines_;
  std::string command_;
  std::vector<std::string> args_;
  Screen last_;
  bool has_last_ = false;
  int64_t equal_ = 0;
  std::vector<std::vector<bool>> marked_;
};

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, in.command.options, &options, in.command.rules);
  if (!parsed) {
    if (parsed.error().code != Code::kSyntax) return in.Fail(parsed.error().Text());
    ComplainOfOption(in, parsed.error().Text());
    in.err.Write(kUsage);
    return 1;
  }
  if (parsed->wants_help || options.wants_help) {
    in.out.Write(kUsage);
    return 0;
  }
  if (parsed->wants_version || options.wants_version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  if (parsed->operands.empty()) {
    in.err.Write(kUsage);
    return 1;
  }
  const std::string name(in.env.Get("TERM", "unknown"));
  const auto terminal = FindTerminal(name);
  if (terminal) return Watcher(in, options, parsed->operands, *terminal).Run();
  in.err.Write("Error opening terminal: " + name + ".\n");
  return 1;
}

}  // namespace

extern const Command kCommand_watch;
const Command kCommand_watch = {
    .name = "watch",
    .summary = "run a command again and again, and show its output",
    .synopsis = "[options] command",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
