// tput - print what a terminal understands
//
// usage: tput [options] [command]
//
// Exit status: 0; 1 when the terminal cannot do that; 2 for a usage error; 3 for an unknown terminal; 4 for an unknown
// capability; 10 for init and reset, which need a terminal to talk to.
// Source: ncurses 6.4.
// Differs: the terminals known are xterm, xterm-256color, linux and dumb; without a window the size is 80 by 24 whatever COLUMNS and LINES
// say, and init and reset do not set up the terminal (status 10).

#include <algorithm>

#include "commands/sys/terminal_caps.h"
#include "proc/command.h"
#include "proc/kernel.h"

namespace paddock {
namespace {

constexpr ExitStatus kAbsent = 1, kUsageStatus = 2, kUnknownTerminal = 3, kUnknownCapability = 4, kNoTerminal = 10;

struct Options {
  bool from_stdin = false, version = false, keeps_scrollback = false;
  std::optional<std::string> terminal;
};

constexpr Option kOptions[] = {
    Flag<&Options::from_stdin>('S', nullptr, "read commands from standard input"),
    Value<&Options::terminal>('T', nullptr, "TERM", "use this instead of $TERM"),
    Flag<&Options::version>('V', nullptr, "print the version"),
    Flag<&Options::keeps_scrollback>('x', nullptr, "do not try to clear scrollback"),
};

ExitStatus Complain(Invocation& in) {
  in.err.Write("Usage: tput [options] [command]\n\nOptions:\n  -S <<       read commands from standard input\n"
               "  -T TERM     use this instead of $TERM\n  -V          print curses-version\n  -x          do not try to clear scrollback\n\n"
               "Commands:\n  clear       clear the screen\n  init        initialize the terminal\n  reset       reinitialize the terminal\n"
               "  capname     unlike clear/init/reset, print value for capability \"capname\"\n");
  return kUsageStatus;
}

int64_t Number(std::string_view text) {
  int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || value > 1'000'000) break;
    value = value * 10 + (c - '0');
  }
  return value;
}

class Teller {
 public:
  Teller(Invocation& in, const Options& options, size_t terminal) : in_(in), options_(options), terminal_(terminal) {}

  // Capabilities, each with as many parameters behind it as it takes; one that fails ends it.
  ExitStatus Tell(std::span<const std::string> words) {
    ExitStatus status = 0;
    while (!words.empty()) {
      in_.budget.Step();
      size_t taken = 1;
      status = One(words, taken);
      if (status != 0) return status;
      words = words.subspan(taken);
    }
    return status;
  }

 private:
  ExitStatus One(std::span<const std::string> words, size_t& taken) {
    const std::string& name = words[0];
    if (name == "longname") {
      in_.out.Write(TerminalDescription(terminal_));
      return 0;
    }
    if (name == "init" || name == "reset") return in_.Fail("terminal attributes: No such device or address", kNoTerminal);
    const auto cap = FindTerminalCap(terminal_, name);
    if (!cap) return in_.Fail("unknown terminfo capability '" + name + "'", kUnknownCapability);
    switch (cap->kind) {
      case TerminalCap::Kind::kFlag: return cap->value != nullptr ? 0 : kAbsent;
      case TerminalCap::Kind::kNumber: in_.out.WriteLine(OfWindow(name).value_or(cap->value != nullptr ? cap->value : "-1")); return 0;
      case TerminalCap::Kind::kText: break;
    }
    if (cap->value == nullptr) return name == "clear" ? kUsageStatus : kAbsent;
    std::string_view text = cap->value;
    constexpr std::string_view kScrollback = "\x1b[3J";
    if (name == "clear" && options_.keeps_scrollback && text.ends_with(kScrollback)) text.remove_suffix(kScrollback.size());
    std::vector<int64_t> parameters;
    const size_t wanted = CountTerminalParameters(text);
    while (parameters.size() < wanted && taken < words.size()) parameters.push_back(Number(words[taken++]));
    if (parameters.empty()) in_.out.Write(text);
    else in_.out.Write(ExpandTerminalText(text, parameters));
    return 0;
  }

  // The terminal is asked by its name, /dev/tty, whatever the standard streams are.
  std::optional<std::string> OfWindow(std::string_view name) const {
    const auto [columns, lines] = in_.process.kernel().window_size();
    const uint32_t size = name == "cols" ? columns : name == "lines" ? lines : 0;
    return size > 0 ? std::optional(std::to_string(size)) : std::nullopt;
  }

  Invocation& in_;
  const Options& options_;
  size_t terminal_;
};

ExitStatus TellLines(Invocation& in, Teller& teller) {
  ExitStatus status = 0;
  while (const auto line = in.in.ReadLine()) {
    std::vector<std::string> words;
    std::string_view rest = line->text;
    while (true) {
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      if (rest.empty()) break;
      const size_t end = std::min(rest.find_first_of(" \t"), rest.size());
      words.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end);
    }
    if (words.empty()) continue;
    const ExitStatus one = teller.Tell(words);
    if (one != 0) status = kUnknownCapability;
  }
  return status;
}

ExitStatus Run(Invocation& in) {
  Options options;
  ExitStatus status = 0;
  const auto operands = ParseTerminalOptions(in, &options, options.version, Complain, &status);
  if (!operands) return status;
  const std::string name = options.terminal.value_or(std::string(in.env.Get("TERM", "")));
  if (name.empty()) return in.Fail("No value for $TERM and no -T specified", kUsageStatus);
  const auto terminal = FindTerminal(name);
  if (!terminal) return in.Fail("unknown terminal \"" + name + "\"", kUnknownTerminal);
  Teller teller(in, options, *terminal);
  if (options.from_stdin) return operands->empty() ? TellLines(in, teller) : Complain(in);
  if (operands->empty()) return Complain(in);
  return teller.Tell(*operands);
}

}  // namespace

extern const Command kCommand_tput;
const Command kCommand_tput = {
    .name = "tput",
    .summary = "print what a terminal understands",
    .synopsis = "[options] [command]",
    .options = kOptions,
    .usage_status = kUsageStatus,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
