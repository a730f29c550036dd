// echo - writes its arguments

#include "shell/builtins/builtin.h"
#include "lang/printf/printf.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  bool has_newline = true;
  bool interprets = shell.options.Get(ShoptOption::kXpgEcho);
  size_t index = 1;
  const bool takes_options = !(interprets && shell.options.Get(SetOption::kPosix));
  for (; takes_options && index < call.args.size(); ++index) {
    const std::string& arg = call.args[index];
    if (arg.size() < 2 || arg[0] != '-' || arg.find_first_not_of("neE", 1) != std::string::npos) break;
    for (const char letter : arg.substr(1)) {
      if (letter == 'n') has_newline = false;
      else interprets = letter == 'e';
    }
  }
  Output& out = shell.out();
  for (size_t i = index; i < call.args.size(); ++i) {
    if (i > index) out.Put(' ');
    if (!interprets) {
      out.Write(call.args[i]);
      continue;
    }
    std::string text;
    if (!AppendEscapes(call.args[i], EscapeStyle::kEcho, shell.locale().is_utf8, &text)) {
      out.Write(text);
      return 0;
    }
    out.Write(text);
  }
  if (has_newline) out.Put('\n');
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_echo;
const Builtin kBuiltin_echo = {
    .name = "echo",
    .usage = "[-neE] [arg ...]",
    .help = "Write arguments to the standard output.",
    .run = Run,
};

}  // namespace paddock::shell
