// trap - sets what signals and other events run

#include "proc/signals.h"
#include "shell/builtins/builtin.h"
#include "shell/expand/expander.h"

namespace paddock::shell {
namespace {

// The number of a signal or pseudo signal; -1 if it is none.
int FindTrap(std::string_view name) {
  std::string upper;
  for (const char c : name) upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  if (upper == "EXIT" || upper == "0") return kTrapExit;
  if (upper == "DEBUG") return kTrapDebug;
  if (upper == "ERR") return kTrapErr;
  if (upper == "RETURN") return kTrapReturn;
  return proc::FindSignal(name);
}

// Without SIG in posix mode; nothing for a number that is no signal.
std::string TrapName(int trap, bool is_posix) {
  switch (trap) {
    case kTrapExit: return "EXIT";
    case kTrapDebug: return "DEBUG";
    case kTrapErr: return "ERR";
    case kTrapReturn: return "RETURN";
    default: return (is_posix ? "" : "SIG") + proc::SignalName(trap);
  }
}

const std::string* ActionOf(Shell& shell, int trap) {
  const auto& traps = shell.traps.inherited.empty() ? shell.traps.actions : shell.traps.inherited;
  const auto it = traps.find(trap);
  return it == traps.end() ? nullptr : &it->second;
}

// `shows_default`: what is not trapped too, as `trap -p` does in posix mode.
void PrintTrap(Shell& shell, int trap, bool shows_default) {
  const std::string* action = ActionOf(shell, trap);
  if (action == nullptr && !shows_default) return;
  const std::string name = TrapName(trap, shell.options.Get(SetOption::kPosix));
  shell.out().WriteLine("trap -- " + (action == nullptr ? "-" : QuoteForReuse(*action)) + " " +
                        (name.empty() ? std::to_string(trap) : name));
}

int PrintTraps(Shell& shell, std::span<const std::string> names, bool is_p) {
  const bool shows_default = is_p && shell.options.Get(SetOption::kPosix);
  if (names.empty()) {
    for (int trap = 0; trap < kTrapCount; ++trap) PrintTrap(shell, trap, shows_default);
    return 0;
  }
  int status = 0;
  for (const std::string& name : names) {
    const int trap = FindTrap(name);
    if (trap < 0) {
      shell.Complain("trap", name + ": invalid signal specification");
      status = 1;
    } else {
      PrintTrap(shell, trap, shows_default);
    }
  }
  return status;
}

void ListSignals(Shell& shell) {
  int column = 0;
  for (int signal = 1; signal <= proc::kLastSignal; ++signal) {
    const std::string name = proc::SignalName(signal);
    if (name.empty()) continue;
    const std::string number = std::to_string(signal);
    shell.out().Write(std::string(2 - std::min<size_t>(2, number.size()), ' ') + number + ") SIG" + name);
    if (++column % 5 == 0 || signal == proc::kLastSignal) shell.out().Put('\n');
    else shell.out().Put('\t');
  }
}

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("trap"), "lp");
  bool prints = false;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    if (letter == 'l') {
      ListSignals(shell);
      return 0;
    }
    prints = true;
  }
  auto operands = options.operands();
  if (prints || operands.empty()) return PrintTraps(shell, operands, prints);
  std::optional<std::string> action;
  const bool first_is_number = operands[0].find_first_not_of("0123456789") == std::string::npos && !operands[0].empty();
  const bool is_reset = operands[0] == "-" || (operands.size() == 1 && FindTrap(operands[0]) >= 0) || first_is_number;
  if (is_reset) {
    if (operands[0] == "-") operands = operands.subspan(1);
  } else {
    action = operands[0];
    operands = operands.subspan(1);
  }
  if (operands.empty()) return UsageError(shell, *FindBuiltin("trap"));
  int status = 0;
  for (const std::string& name : operands) {
    const int trap = FindTrap(name);
    if (trap < 0) {
      shell.Complain("trap", name + ": invalid signal specification");
      status = 1;
      continue;
    }
    shell.SetTrap(trap, action);
  }
  return status;
}

}  // namespace

extern const Builtin kBuiltin_trap;
const Builtin kBuiltin_trap = {
    .name = "trap",
    .usage = "[-lp] [[arg] signal_spec ...]",
    .help = "Trap signals and other events.",
    .is_special = true,
    .run = Run,
};

}  // namespace paddock::shell
