// echo - display a line of text
//
// usage: echo [SHORT-OPTION]... [STRING]...
// The program behind `env echo` and `xargs echo`; the shell has its own.
//
// Exit status: 0.
// Source: GNU coreutils 9.1.
// Differs: nothing known.

#include "lang/printf/printf.h"
#include "proc/command.h"

namespace paddock {
namespace {

ExitStatus Run(Invocation& in) {
  const bool is_posix = in.env.Get("POSIXLY_CORRECT").has_value();
  if (!is_posix && in.args.size() == 2 && in.args[1] == "--help") {
    in.out.Write(HelpText(in.command, in.name_in_messages()));
    return 0;
  }
  if (!is_posix && in.args.size() == 2 && in.args[1] == "--version") {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  bool has_newline = true;
  bool interprets = is_posix;
  const bool has_options = !is_posix || (in.args.size() > 1 && in.args[1] == "-n");
  size_t i = 1;
  for (; has_options && i < in.args.size(); ++i) {
    const std::string& arg = in.args[i];
    if (arg.size() < 2 || arg[0] != '-' || arg.find_first_not_of("neE", 1) != std::string::npos) break;
    for (const char letter : arg.substr(1)) {
      if (letter == 'n') has_newline = false;
      else interprets = letter == 'e' || is_posix;
    }
  }
  for (size_t first = i; i < in.args.size(); ++i) {
    if (i > first) in.out.Put(' ');
    if (!interprets) {
      in.out.Write(in.args[i]);
      continue;
    }
    std::string text;
    const bool goes_on = AppendEscapes(in.args[i], EscapeStyle::kProgramEcho, in.locale.is_utf8, &text);
    in.out.Write(text);
    if (!goes_on) return 0;
  }
  if (has_newline) in.out.Put('\n');
  return 0;
}

}  // namespace

extern const Command kCommand_echo;
const Command kCommand_echo = {
    .name = "echo",
    .summary = "echo the STRING(s) to standard output",
    .synopsis = "[SHORT-OPTION]... [STRING]...",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
