// shopt - sets and lists shell options

#include "shell/builtins/option_list.h"

namespace paddock::shell {
namespace {

struct Flags {
  bool sets = false;
  bool unsets = false;
  bool quiet = false;
  bool prints = false;
  bool uses_set_names = false;
};

void PrintOption(Shell& shell, const Flags& flags, std::string_view name, bool on) {
  if (flags.quiet) return;
  if (flags.prints) {
    const std::string command = flags.uses_set_names ? std::string("set ") + (on ? "-o " : "+o ")
                                                     : std::string("shopt ") + (on ? "-s " : "-u ");
    shell.out().WriteLine(command + std::string(name));
    return;
  }
  std::string line(name);
  if (line.size() < 15) line.resize(15, ' ');
  shell.out().WriteLine(line + "\t" + (on ? "on" : "off"));
}

int ListAll(Shell& shell, const Flags& flags) {
  const auto is_wanted = [&](bool on) { return (!flags.sets && !flags.unsets) || (flags.sets ? on : !on); };
  if (flags.uses_set_names) {
    for (const SetOptionInfo& info : SetOptions()) {
      if (is_wanted(shell.options.Get(info.option))) PrintOption(shell, flags, info.name, shell.options.Get(info.option));
    }
    return 0;
  }
  for (const ShoptOptionInfo& info : ShoptOptions()) {
    if (is_wanted(shell.options.Get(info.option))) PrintOption(shell, flags, info.name, shell.options.Get(info.option));
  }
  return 0;
}

int HandleOne(Shell& shell, const Flags& flags, const std::string& name) {
  const auto set_option = flags.uses_set_names ? FindSetOption(name) : std::nullopt;
  const auto shopt_option = flags.uses_set_names ? std::nullopt : FindShoptOption(name);
  if (!set_option && !shopt_option) {
    shell.Complain("shopt", name + (flags.uses_set_names ? ": invalid option name" : ": invalid shell option name"));
    return 1;
  }
  if (flags.sets || flags.unsets) {
    if (set_option) {
      PutSetOption(shell, *set_option, flags.sets);
    } else {
      PutShoptOption(shell, *shopt_option, flags.sets);
    }
    return 0;
  }
  const bool on = set_option ? shell.options.Get(*set_option) : shell.options.Get(*shopt_option);
  PrintOption(shell, flags, name, on);
  return on ? 0 : 1;
}

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("shopt"), "psuoq");
  Flags flags;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    flags.prints |= letter == 'p';
    flags.sets |= letter == 's';
    flags.unsets |= letter == 'u';
    flags.quiet |= letter == 'q';
    flags.uses_set_names |= letter == 'o';
  }
  if (flags.sets && flags.unsets) {
    shell.Complain("shopt", "cannot set and unset shell options simultaneously");
    return 1;
  }
  if (options.operands().empty()) return ListAll(shell, flags);
  int status = 0;
  for (const std::string& name : options.operands()) {
    if (const int one = HandleOne(shell, flags, name); one != 0) status = one;
  }
  return status;
}

}  // namespace

extern const Builtin kBuiltin_shopt;
const Builtin kBuiltin_shopt = {
    .name = "shopt",
    .usage = "[-pqsu] [-o] [optname ...]",
    .help = "Set and unset shell options.",
    .run = Run,
};

}  // namespace paddock::shell
