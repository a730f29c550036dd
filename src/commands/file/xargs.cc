// xargs - build and run command lines from standard input
//
// usage: xargs [OPTION]... [COMMAND [INITIAL-ARGS]...]
//
// Exit status: 0; 123 if a command exited with 1–125; 124 if one exited with 255; 125 if one was killed by a
// signal; 126 if it cannot run; 127 if it is missing; 1 for any other error.
// Source: POSIX xargs, GNU findutils 4.9.
// Differs: there is no terminal to ask on, so -p ends as it does without one.

#include <algorithm>
#include <charconv>

#include "proc/command.h"
#include "proc/kernel.h"
#include "proc/process.h"
#include "text/quote.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

constexpr ExitStatus kSomeFailed = 123;
constexpr ExitStatus kAborted = 124;
constexpr ExitStatus kKilled = 125;
constexpr ExitStatus kCannotRun = 126;
constexpr ExitStatus kMissing = 127;

constexpr int64_t kSystemLimit = 2097152 - 2048;   // ARG_MAX less the headroom that POSIX asks for
constexpr int64_t kDefaultChars = 128 << 10;
constexpr int64_t kMostProcesses = 2147483647;

struct Number {
  char letter;
  std::string text;
};

struct Options {
  bool null = false;
  std::optional<std::string> file;
  std::optional<std::string> delimiter;
  std::optional<std::string> end_text;
  bool exit = false;
  bool interactive = false;
  bool no_run_if_empty = false;
  bool verbose = false;
  bool open_tty = false;
  bool show_limits = false;
  std::optional<std::string> slot_variable;
  // Complaints about these need the whole command line's order, so they are looked at in Settings.
  std::vector<Number> in_order;
};

Status SetEnd(Options& o, std::string_view text) {
  o.end_text = std::string(text);
  if (text.empty()) o.end_text.reset();
  return {};
}
template <char kLetter>
Status AddInOrder(Options& o, std::string_view text) {
  std::string value(text);
  if (text.data() == nullptr) value = kLetter == 'I' || kLetter == 'i' ? "{}" : "1";
  o.in_order.push_back({kLetter, value});
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::null>('0', "null", "items are separated by a null, not whitespace"),
    Value<&Options::file>('a', "arg-file", "FILE", "read arguments from FILE, not standard input"),
    Value<&Options::delimiter>('d', "delimiter", "CHARACTER", "items in input stream are separated by CHARACTER"),
    Call<SetEnd>('E', nullptr, "END", "set logical EOF string"),
    CallOptional<SetEnd>('e', "eof", "END", "equivalent to -E END if END is given; else there is none"),
    Call<AddInOrder<'I'>>('I', nullptr, "R", "replace R in INITIAL-ARGS with lines of the input; implies -x -L 1"),
    CallOptional<AddInOrder<'i'>>('i', "replace", "R", "the same, with R {} if it is not given"),
    Call<AddInOrder<'L'>>('L', nullptr, "MAX-LINES", "use at most MAX-LINES non-blank input lines per command line"),
    CallOptional<AddInOrder<'l'>>('l', "max-lines", "MAX-LINES", "the same, 1 if it is not given"),
    Call<AddInOrder<'n'>>('n', "max-args", "MAX-ARGS", "use at most MAX-ARGS arguments per command line"),
    Flag<&Options::open_tty>('o', "open-tty", "open the terminal as standard input of the command"),
    Call<AddInOrder<'P'>>('P', "max-procs", "MAX-PROCS", "run at most MAX-PROCS processes at a time"),
    Flag<&Options::interactive>('p', "interactive", "prompt before running commands"),
    Value<&Options::slot_variable>(0, "process-slot-var", "VAR", "set environment variable VAR in child processes"),
    Flag<&Options::no_run_if_empty>('r', "no-run-if-empty", "if there are no arguments, do not run COMMAND"),
    Call<AddInOrder<'s'>>('s', "max-chars", "MAX-CHARS", "limit length of command line to MAX-CHARS"),
    Flag<&Options::show_limits>(0, "show-limits", "show limits on command-line length"),
    Flag<&Options::verbose>('t', "verbose", "print commands before executing them"),
    Flag<&Options::exit>('x', "exit", "exit if the size (see -s) is exceeded"),
};

struct Settings {
  std::optional<std::string> replace;
  int64_t lines = 0;   // 0: no limit
  int64_t arguments = 0;
  int64_t processes = 1;
  int64_t chars = kDefaultChars;
  bool exits_on_size = false;
  std::optional<char> delimiter;
};

// The number of option `letter`, or nothing after a complaint. A value that is too large is lowered.
std::optional<int64_t> ParseLimit(Invocation& in, const Number& number, int64_t least, int64_t most) {
  int64_t value = 0;
  const char* const end = number.text.data() + number.text.size();
  const auto [stop, error] = std::from_chars(number.text.data(), end, value);
  const std::string option = std::string(" for -") + number.letter + " option";
  if (number.text.empty() || stop != end || error == std::errc::invalid_argument) {
    in.Usage("invalid number \"" + number.text + "\"" + option);
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) value = number.text[0] == '-' ? INT64_MIN : INT64_MAX;
  if (value < least) {
    in.Usage("value " + number.text + option + " should be >= " + std::to_string(least));
    return std::nullopt;
  }
  if (value > most) {
    in.Fail("value " + number.text + option + " should be <= " + std::to_string(most));
    return most;
  }
  return value;
}

void WarnExclusive(Invocation& in, std::string_view before, std::string_view now, std::string_view before_now) {
  in.Fail("warning: options " + std::string(before) + " and " + std::string(now) +
          " are mutually exclusive, ignoring previous " + std::string(before_now) + " value");
}

// -I, -L and -n exclude each other: the last one wins, with a warning.
bool ApplyInOrder(Invocation& in, const Options& options, int64_t most_chars, Settings* settings) {
  const auto drop = [&](char by, std::string_view name) {
    if (settings->lines > 0 && by != 'L') WarnExclusive(in, "--max-lines", name, "--max-lines");
    if (settings->arguments > 0 && by != 'n') WarnExclusive(in, "--max-args", name, "--max-args");
    if (settings->replace && by != 'I') WarnExclusive(in, "--replace", name, "--replace");
    if (by != 'L') settings->lines = 0;
    if (by != 'n') settings->arguments = 0;
    if (by != 'I') settings->replace.reset();
  };
  for (const Number& number : options.in_order) {
    switch (number.letter) {
      case 'I':
      case 'i':
        drop('I', "--replace/-I/-i");
        settings->replace = number.text;
        break;
      case 'L':
      case 'l': {
        const auto value = ParseLimit(in, number, 1, INT64_MAX);
        if (!value) return false;
        drop('L', number.letter == 'L' ? "-L" : "--max-lines/-l");
        settings->lines = *value;
        break;
      }
      case 'n': {
        const auto value = ParseLimit(in, number, 1, INT64_MAX);
        if (!value) return false;
        if (settings->replace && *value == 1) break;   // what -I means anyway
        drop('n', "--max-args/-n");
        settings->arguments = *value;
        break;
      }
      case 'P': {
        const auto value = ParseLimit(in, number, 0, kMostProcesses);
        if (!value) return false;
        settings->processes = *value;
        break;
      }
      default: {
        const auto value = ParseLimit(in, number, 1, most_chars);
        if (!value) return false;
        settings->chars = *value;
        break;
      }
    }
  }
  return true;
}

// The character of -d, or nothing after a complaint.
std::optional<char> ParseDelimiter(Invocation& in, const std::string& text) {
  if (text.size() == 1) return text[0];
  if (text.empty() || text[0] != '\\') {
    in.Fail("Invalid input delimiter specification " + text +
            ": the delimiter must be either a single character or an escape sequence starting with \\.");
    return std::nullopt;
  }
  static constexpr std::string_view kLetters = "abfnrtv\\";
  static constexpr std::string_view kBytes = "\a\b\f\n\r\t\v\\";
  if (const size_t at = kLetters.find(text[1]); at != std::string_view::npos && text.size() == 2) return kBytes[at];
  const bool is_hex = text[1] == 'x';
  unsigned value = 0;
  const char* const begin = text.data() + (is_hex ? 2 : 1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value, is_hex ? 16 : 8);
  if (error == std::errc::invalid_argument) {
    in.Fail("Invalid escape sequence " + text + " in input delimiter specification.");
    return std::nullopt;
  }
  if (error != std::errc() || value > 255) {
    in.Fail("Invalid escape sequence " + text + " in input delimiter specification; character values must not exceed " +
            (is_hex ? "ff." : "0377."));
    return std::nullopt;
  }
  if (stop != end) {
    in.Fail("Invalid escape sequence " + text + " in input delimiter specification; trailing characters " +
            std::string(stop, end) + " not recognised.");
    return std::nullopt;
  }
  return static_cast<char>(value);
}

// Splits the input into arguments. With a delimiter there is no quoting; without, words or (for -I) lines.
class Reader {
 public:
  Reader(Invocation& in, Input& input, const Settings& settings, std::optional<std::string> end_text)
      : in_(in), input_(input), settings_(settings), end_text_(std::move(end_text)) {}

  struct Item {
    std::string text;
    bool ends_line = false;   // the last one of a line, as -L counts lines
  };
  // The next argument; nothing at the end or after an error (failed()).
  std::optional<Item> Next() {
    if (is_at_end_) return std::nullopt;
    return settings_.delimiter ? NextDelimited() : NextWord();
  }
  bool failed() const { return failed_; }

 private:
  std::optional<Item> Fail(std::string_view message) {
    in_.Fail(message);
    failed_ = is_at_end_ = true;
    return std::nullopt;
  }

  std::optional<Item> NextDelimited() {
    const auto line = input_.ReadLine(*settings_.delimiter);
    if (!line) return std::nullopt;
    if (static_cast<int64_t>(line->text.size()) >= settings_.chars) return Fail("argument line too long");
    return Item{std::string(UpToNul(line->text)), true};
  }

  // What an argument list can pass on.
  static std::string_view UpToNul(std::string_view text) { return text.substr(0, text.find('\0')); }

  bool IsEnd(const std::string& text) {
    if (!end_text_ || text != *end_text_) return false;
    is_at_end_ = true;
    return true;
  }

  std::optional<Item> Finish(const std::string& text, bool ends_line) {
    if (IsEnd(text)) return std::nullopt;
    return Item{std::string(UpToNul(text)), ends_line};
  }

  std::optional<Item> NextWord() {
    std::string text;
    bool has_word = false;   // also an empty one that was quoted
    bool is_in_space = true;
    int byte = ' ';
    while (true) {
      const int before = byte;
      byte = input_.Get();
      in_.budget.Step();
      if (byte < 0) {
        is_at_end_ = true;
        if (!has_word) return std::nullopt;
        return Finish(text, true);
      }
      if (is_in_space && (byte == ' ' || (byte >= '\t' && byte <= '\r'))) continue;
      is_in_space = false;
      if (byte == '\n') return Finish(text, before != ' ' && before != '\t');
      if (!settings_.replace && (byte == ' ' || byte == '\t')) {
        // A newline right after the blank is swallowed with it: the line goes on, as -L has it.
        return Finish(text, false);
      }
      has_word = true;
      if (byte == '\'' || byte == '"') {
        if (!ReadQuoted(byte, &text)) return std::nullopt;
        continue;
      }
      if (byte == '\\') {
        byte = input_.Get();
        if (byte < 0) continue;
      }
      if (!Add(byte, &text)) return std::nullopt;
    }
  }

  bool ReadQuoted(int quote, std::string* text) {
    while (true) {
      const int byte = input_.Get();
      in_.budget.Step();
      if (byte == quote) return true;
      if (byte < 0 || byte == '\n') {
        Fail(std::string("unmatched ") + (quote == '"' ? "double" : "single") +
             " quote; by default quotes are special to xargs unless you use the -0 option");
        return false;
      }
      if (!Add(byte, text)) return false;
    }
  }

  bool Add(int byte, std::string* text) {
    if (byte == 0 && !has_warned_) {
      in_.Fail("WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  "
               "Did you mean to use the --null option?");
      has_warned_ = true;
    }
    if (static_cast<int64_t>(text->size()) + 1 >= settings_.chars) {
      Fail("argument line too long");
      return false;
    }
    text->push_back(static_cast<char>(byte));
    return true;
  }

  Invocation& in_;
  Input& input_;
  const Settings& settings_;
  std::optional<std::string> end_text_;
  bool is_at_end_ = false;
  bool failed_ = false;
  bool has_warned_ = false;
};

// Collects arguments and runs the command, up to -P of them at a time.
class Runner {
 public:
  Runner(Invocation& in, const Options& options, const Settings& settings, std::vector<std::string> command)
      : in_(in), options_(options), settings_(settings), initial_(std::move(command)), args_(initial_) {
    for (const std::string& word : initial_) initial_chars_ += static_cast<int64_t>(word.size()) + 1;
    chars_ = initial_chars_;
  }

  bool has_arguments() const { return args_.size() > initial_.size(); }
  bool has_run() const { return has_run_; }
  bool is_over() const { return is_over_; }
  int64_t initial_chars() const { return initial_chars_; }

  void Add(std::string text) {
    const int64_t length = static_cast<int64_t>(text.size()) + 1;
    if (initial_chars_ + length > settings_.chars) {
      if (has_arguments() && !settings_.exits_on_size) RunNow();
      return Stop("argument line too long", 1);
    }
    if (chars_ + length > settings_.chars) {
      if (settings_.exits_on_size && (settings_.lines > 0 || settings_.arguments > 0)) {
        return Stop("argument list too long", 1);
      }
      RunNow();
    }
    if (is_over_) return;
    if (settings_.arguments > 0 && static_cast<int64_t>(args_.size() - initial_.size()) == settings_.arguments) RunNow();
    if (is_over_) return;
    args_.push_back(std::move(text));
    chars_ += length;
  }

  // Runs the initial arguments with `text` in place of the -I string.
  void RunReplaced(const std::string& text) {
    const std::string& pattern = *settings_.replace;
    args_.assign(1, initial_[0]);
    chars_ = static_cast<int64_t>(initial_[0].size()) + 1;
    for (size_t i = 1; i < initial_.size(); ++i) {
      std::string word;
      size_t at = 0;
      while (true) {
        in_.budget.Step();
        const size_t found = pattern.empty() ? std::string::npos : initial_[i].find(pattern, at);
        word += initial_[i].substr(at, found - at);
        if (found == std::string::npos) break;
        word += text;
        if (static_cast<int64_t>(word.size()) > settings_.chars) return Stop("command too long", 1);
        at = found + pattern.size();
      }
      chars_ += static_cast<int64_t>(word.size()) + 1;
      if (chars_ > settings_.chars) return Stop("argument list too long", 1);
      args_.push_back(std::move(word));
    }
    RunNow();
  }

  void RunNow() {
    std::vector<std::string> command = std::exchange(args_, initial_);
    chars_ = initial_chars_;
    has_run_ = true;
    if (options_.verbose || options_.interactive) PrintCommand(command);
    if (options_.interactive) return Stop("failed to open /dev/tty for reading: No such device or address", 1);
    if (settings_.processes > 0 && static_cast<int64_t>(children_.size()) >= settings_.processes) WaitForOne();
    if (is_over_) return;
    Start(std::move(command));
    if (settings_.processes == 1 && !is_over_) WaitForOne();
  }

  // Waits for what still runs; the exit status of xargs.
  ExitStatus Finish() {
    while (!children_.empty()) WaitForOne();
    return status_;
  }

 private:
  struct Child {
    int pid;
    int slot;
    std::string name;
  };

  void Stop(std::string_view message, ExitStatus status) {
    in_.Fail(message);
    Abort(status);
  }
  void Abort(ExitStatus status) {
    if (is_over_) return;
    is_over_ = true;
    status_ = status;
  }

  void PrintCommand(const std::vector<std::string>& command) {
    std::string line;
    for (const std::string& word : command) {
      if (!line.empty()) line += ' ';
      line += QuoteText(word, QuotingStyle::kShellEscape, in_.locale.is_utf8);
    }
    in_.err.Write(line);
    if (!options_.interactive) in_.err.Write("\n");
  }

  int FreeSlot() const {
    int slot = 0;
    while (std::any_of(children_.begin(), children_.end(), [&](const Child& child) { return child.slot == slot; })) ++slot;
    return slot;
  }

  void Start(std::vector<std::string> command) {
    Environment environment;
    ChildSpec spec{.args = std::move(command), .environment = &in_.env};
    const int slot = FreeSlot();
    if (options_.slot_variable) {
      environment = in_.env;
      environment.Set(*options_.slot_variable, std::to_string(slot));
      spec.environment = &environment;
    }
    if (options_.open_tty) {
      const auto terminal = in_.fs.Open("/dev/tty", vfs::OpenFlags::Read());
      if (!terminal) {
        in_.Fail(Quote("/dev/tty", in_.locale.is_utf8), terminal.error());
        return Abort(kKilled);
      }
      spec.in = *terminal;
    } else if (!options_.file) {
      if (auto null = in_.fs.Open("/dev/null", vfs::OpenFlags::Read())) spec.in = *null;
    }
    const std::string name = spec.args[0];
    in_.out.Flush();
    const auto pid = in_.launcher.Spawn(in_.process, spec);
    if (pid) {
      children_.push_back({*pid, slot, name});
      return;
    }
    in_.Fail(name, pid.error());
    Abort(pid.error().code == Code::kNoEntry ? kMissing : kCannotRun);
  }

  void WaitForOne() {
    std::vector<int> pids;
    for (const Child& child : children_) pids.push_back(child.pid);
    const auto ended = in_.kernel.WaitAny(in_.process, pids, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
    if (!ended) {
      children_.clear();
      return;
    }
    const auto it = std::find_if(children_.begin(), children_.end(), [&](const Child& c) { return c.pid == ended->pid; });
    const std::string name = it->name;
    children_.erase(it);
    const proc::WaitStatus& how = ended->status;
    if (how.signal != 0) {
      in_.Fail(name + ": terminated by signal " + std::to_string(how.signal));
      Abort(kKilled);
    } else if (how.status == 255) {
      in_.Fail(name + ": exited with status 255; aborting");
      Abort(kAborted);
    } else if (how.status != 0 && !is_over_) {
      status_ = kSomeFailed;
    }
  }

  Invocation& in_;
  const Options& options_;
  const Settings& settings_;
  const std::vector<std::string> initial_;
  std::vector<std::string> args_;
  int64_t initial_chars_ = 0;
  int64_t chars_ = 0;
  std::vector<Child> children_;
  ExitStatus status_ = 0;
  bool is_over_ = false;
  bool has_run_ = false;
};

void ShowLimits(Invocation& in, int64_t environment_bytes, const Settings& settings) {
  in.err.Write("Your environment variables take up " + std::to_string(environment_bytes) + " bytes\n" +
               "POSIX upper limit on argument length (this system): " + std::to_string(kSystemLimit - environment_bytes) +
               "\nPOSIX smallest allowable upper limit on argument length (all systems): 4096\n" +
               "Maximum length of command we could actually use: " +
               std::to_string(kSystemLimit - 2 * environment_bytes) + "\nSize of command buffer we are actually using: " +
               std::to_string(settings.chars) + "\nMaximum parallelism (--max-procs must be no greater): " +
               std::to_string(kMostProcesses) + "\n");
}

ExitStatus RunAll(Invocation& in, const Options& options, const Settings& settings, Runner& runner) {
  vfs::OpenFilePtr file;
  if (options.file && *options.file != "-") {
    auto opened = in.fs.Open(*options.file, vfs::OpenFlags::Read());
    if (!opened) {
      return in.Fail("Cannot open input file " + Quote(*options.file, in.locale.is_utf8), opened.error());
    }
    file = *opened;
  }
  std::optional<Input> own;
  if (file) own.emplace(*file, in.budget);
  Reader reader(in, own ? *own : in.in, settings, settings.delimiter ? std::nullopt : options.end_text);
  int64_t lines = 0;
  while (!runner.is_over()) {
    auto item = reader.Next();
    if (!item) break;
    if (settings.replace) {
      runner.RunReplaced(item->text);
      continue;
    }
    runner.Add(std::move(item->text));
    lines += item->ends_line ? 1 : 0;
    if (settings.lines > 0 && lines >= settings.lines && !runner.is_over()) {
      runner.RunNow();
      lines = 0;
    }
  }
  if (reader.failed()) {
    if (runner.has_arguments() && !runner.is_over()) runner.RunNow();
    runner.Finish();
    return 1;
  }
  const bool runs_once = !options.no_run_if_empty && !settings.replace && !runner.has_run();
  if (!runner.is_over() && !settings.replace && (runner.has_arguments() || runs_once)) runner.RunNow();
  return runner.Finish();
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  int64_t environment_bytes = 0;
  for (const auto& [name, value] : in.env.variables()) {
    environment_bytes += static_cast<int64_t>(name.size() + value.size()) + 2;
  }
  Settings settings;
  if (!ApplyInOrder(in, options, kSystemLimit - environment_bytes, &settings)) return 1;
  if (options.null) settings.delimiter = '\0';
  if (options.delimiter) {
    settings.delimiter = ParseDelimiter(in, *options.delimiter);
    if (!settings.delimiter) return 1;
  }
  if (settings.delimiter && options.end_text) in.Fail("warning: the -E option has no effect if -0 or -d is used.\n");
  if (options.slot_variable && options.slot_variable->find('=') != std::string::npos) {
    return in.Fail("option --process-slot-var may not be set to a value which includes `='");
  }
  settings.exits_on_size = options.exit || settings.replace || settings.lines > 0;
  Runner runner(in, options, settings, operands.empty() ? std::vector<std::string>{"echo"} : operands);
  if (options.show_limits) ShowLimits(in, environment_bytes, settings);
  if (!settings.replace && runner.initial_chars() > settings.chars) {
    return in.Fail("cannot fit single argument within argument list size limit");
  }
  return RunAll(in, options, settings, runner);
}

}  // namespace

extern const Command kCommand_xargs;
const Command kCommand_xargs = Define<Options, Run>({
    .name = "xargs",
    .summary = "run COMMAND with arguments INITIAL-ARGS and more arguments read from input",
    .synopsis = "[OPTION]... COMMAND [INITIAL-ARGS]...",
    .options = kOptions,
    .rules = {.stop_at_operand = true},
});

}  // namespace paddock
