// getopts - parses the options of a script

#include <algorithm>

#include "shell/builtins/arguments.h"
#include "shell/builtins/builtin.h"
#include "shell/state/assign.h"

namespace paddock::shell {
namespace {

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions own(shell, call, *FindBuiltin("getopts"), "");
  if (own.Next() != 0) return 2;
  const auto operands = own.operands();
  if (operands.size() < 2) return UsageError(shell, *FindBuiltin("getopts"));
  const std::string& spec = operands[0];
  const std::string& name = operands[1];
  std::vector<std::string> args(operands.begin() + 2, operands.end());
  if (operands.size() == 2) args = shell.positionals();
  const bool is_silent = !spec.empty() && spec[0] == ':';
  const bool reports = !is_silent && shell.GetOr("OPTERR", "1") != "0";
  const int index = static_cast<int>(ParseInteger(shell.GetOr("OPTIND", "1")).value_or(1));
  if (index != shell.getopts_index || index < 1) shell.getopts_offset = 1;
  size_t at = static_cast<size_t>(std::max(index, 1)) - 1;
  const auto finish = [&](char letter, std::optional<std::string> argument, int status) {
    shell.getopts_index = static_cast<int>(at) + 1;
    AssignScalar(shell, Name("OPTIND"), std::to_string(at + 1));
    if (argument) AssignScalar(shell, Name("OPTARG"), *argument);
    else UnsetVariable(shell, "OPTARG", false);
    if (!IsName(name)) {
      shell.Complain("getopts", "`" + name + "': not a valid identifier");
      return 1;
    }
    return AssignScalar(shell, Name(name), std::string(1, letter)) || status == 1 ? status : 2;
  };
  if (at >= args.size() || args[at].size() < 2 || args[at][0] != '-') {
    at = std::min(at, args.size());
    return finish('?', std::nullopt, 1);
  }
  if (args[at] == "--") {
    ++at;
    return finish('?', std::nullopt, 1);
  }
  const std::string word = args[at];
  if (shell.getopts_offset >= word.size()) shell.getopts_offset = 1;
  const char letter = word[shell.getopts_offset++];
  const bool is_last = shell.getopts_offset >= word.size();
  const size_t found = letter == ':' ? std::string::npos : spec.find(letter);
  const auto next_word = [&] {
    ++at;
    shell.getopts_offset = 1;
  };
  const auto complain = [&](const std::string& text) {
    shell.err().Write(shell.name0 + ": " + text + "\n");
  };
  if (found == std::string::npos) {
    if (is_last) next_word();
    if (reports) complain(std::string("illegal option -- ") + letter);
    return finish('?', is_silent ? std::optional<std::string>(std::string(1, letter)) : std::nullopt, 0);
  }
  const bool wants_argument = found + 1 < spec.size() && spec[found + 1] == ':';
  if (!wants_argument) {
    if (is_last) next_word();
    return finish(letter, std::nullopt, 0);
  }
  if (!is_last) {
    const std::string argument = word.substr(shell.getopts_offset);
    next_word();
    return finish(letter, argument, 0);
  }
  next_word();
  if (at < args.size()) {
    const std::string argument = args[at];
    next_word();
    return finish(letter, argument, 0);
  }
  if (reports) complain(std::string("option requires an argument -- ") + letter);
  if (is_silent) return finish(':', std::string(1, letter), 0);
  return finish('?', std::nullopt, 0);
}

}  // namespace

extern const Builtin kBuiltin_getopts;
const Builtin kBuiltin_getopts = {
    .name = "getopts",
    .usage = "optstring name [arg ...]",
    .help = "Parse option arguments.",
    .run = Run,
};

}  // namespace paddock::shell
