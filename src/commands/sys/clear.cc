// clear - clear the screen of the terminal
//
// usage: clear [options]
//
// Exit status: 0, or 1 when the terminal is unknown or cannot be cleared, and for a usage error.
// Source: ncurses 6.4.
// Differs: the terminals known are xterm, xterm-256color, linux and dumb.

#include "commands/sys/terminal_caps.h"
#include "proc/command.h"

namespace paddock {
namespace {

struct Options {
  std::optional<std::string> terminal;
  bool version = false;
  bool keeps_scrollback = false;
};

constexpr Option kOptions[] = {
    Value<&Options::terminal>('T', nullptr, "TERM", "use this instead of $TERM"),
    Flag<&Options::version>('V', nullptr, "print the version"),
    Flag<&Options::keeps_scrollback>('x', nullptr, "do not try to clear scrollback"),
};

ExitStatus Complain(Invocation& in) {
  in.err.Write("Usage: clear [options]\n\nOptions:\n  -T TERM     use this instead of $TERM\n  -V          print curses-version\n"
               "  -x          do not try to clear scrollback\n");
  return 1;
}

ExitStatus Run(Invocation& in) {
  Options options;
  ExitStatus status = 0;
  const auto operands = ParseTerminalOptions(in, &options, options.version, Complain, &status);
  if (!operands) return status;
  if (!operands->empty()) return Complain(in);
  const auto name = options.terminal ? options.terminal : in.env.Get("TERM") ? std::optional(std::string(*in.env.Get("TERM"))) : std::nullopt;
  if (!name) {
    in.err.Write("TERM environment variable not set.\n");
    return 1;
  }
  const auto terminal = FindTerminal(*name);
  if (!terminal) {
    in.err.Write("'" + *name + "': unknown terminal type.\n");
    return 1;
  }
  const auto clear = FindTerminalCap(*terminal, "clear");
  if (!clear || clear->value == nullptr) return 1;
  std::string_view text = clear->value;
  constexpr std::string_view kScrollback = "\x1b[3J";
  if (options.keeps_scrollback && text.ends_with(kScrollback)) text.remove_suffix(kScrollback.size());
  in.out.Write(text);
  return 0;
}

}  // namespace

extern const Command kCommand_clear;
const Command kCommand_clear = {
    .name = "clear",
    .summary = "clear the screen of the terminal",
    .synopsis = "[options]",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
