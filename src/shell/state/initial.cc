#include "shell/state/initial.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "base/random.h"
#include "proc/signals.h"
#include "shell/ast/printer.h"
#include "shell/exec/program.h"
#include "shell/parser/parser.h"
#include "shell/shell.h"
#include "shell/state/assign.h"
#include "shell/state/history.h"

namespace paddock::shell {
namespace {

constexpr const char* kBashVersion = "5.2.15(1)-release";
constexpr const char* kMachine = "x86_64-pc-linux-gnu";
constexpr std::string_view kFunctionPrefix = "BASH_FUNC_";
constexpr std::string_view kFunctionSuffix = "%%";

int64_t ToInteger(std::string_view text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void SetText(Variable& variable, std::string text) {
  variable.text = std::move(text);
  variable.is_set = true;
}

void SetList(Variable& variable, const std::vector<std::string>& values) {
  auto array = std::make_shared<IndexedArray>();
  for (size_t i = 0; i < values.size(); ++i) array->Set(static_cast<int64_t>(i), values[i]);
  variable.attributes |= kIndexed;
  variable.indexed = std::move(array);
  variable.is_set = !values.empty();
}

// Bash's generator (Park and Miller, 16807) folded to 15 bits.
uint32_t NextRandom(uint32_t* state) {
  int64_t seed = *state == 0 ? 123459876 : static_cast<int64_t>(*state);
  const int64_t high = seed / 127773;
  const int64_t low = seed - 127773 * high;
  int64_t next = 16807 * low - 2836 * high;
  if (next < 0) next += 0x7fffffff;
  *state = static_cast<uint32_t>(next);
  return ((*state >> 16) ^ (*state & 65535)) & 32767;
}

void RefreshRandom(Shell& shell, Variable& variable) {
  SetText(variable, std::to_string(NextRandom(&shell.random_state)));
}
void AssignRandom(Shell& shell, Variable&, std::string_view value) {
  shell.random_state = static_cast<uint32_t>(ToInteger(value));
}
void RefreshSrandom(Shell&, Variable& variable) {
  std::array<uint8_t, sizeof(uint32_t)> bytes;
  FillRandom(bytes);
  SetText(variable, std::to_string(std::bit_cast<uint32_t>(bytes)));
}
void RefreshSeconds(Shell& shell, Variable& variable) {
  const auto passed = shell.kernel().clock().MonotonicNow() - shell.started;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
  SetText(variable, std::to_string(seconds + shell.seconds_base));
}
void AssignSeconds(Shell& shell, Variable&, std::string_view value) {
  shell.started = shell.kernel().clock().MonotonicNow();
  shell.seconds_base = ToInteger(value);
}
void RefreshEpochSeconds(Shell& shell, Variable& variable) {
  const auto now = shell.kernel().clock().RealNow();
  SetText(variable, std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now).count()));
}
void RefreshEpochRealtime(Shell& shell, Variable& variable) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(shell.kernel().clock().RealNow()).count();
  std::string fraction = std::to_string(micros % 1'000'000);
  fraction.insert(0, 6 - fraction.size(), '0');
  SetText(variable, std::to_string(micros / 1'000'000) + "." + fraction);
}
void RefreshLine(Shell& shell, Variable& variable) { SetText(variable, std::to_string(shell.line)); }
void RefreshPid(Shell& shell, Variable& variable) { SetText(variable, std::to_string(shell.process().pid())); }
void RefreshSubshell(Shell& shell, Variable& variable) { SetText(variable, std::to_string(shell.subshell_level)); }
void RefreshCommand(Shell& shell, Variable& variable) {
  if (shell.command != nullptr && shell.traps.innermost == kNoTrap) shell.command_text = PrintStatement(*shell.command);
  SetText(variable, shell.command_text);
}
void RefreshArgv0(Shell& shell, Variable& variable) { SetText(variable, shell.name0); }
void AssignArgv0(Shell& shell, Variable& variable, std::string_view value) {
  shell.name0 = value;
  SetText(variable, std::string(value));
}
void RefreshShellopts(Shell& shell, Variable& variable) { SetText(variable, shell.options.ShellOpts()); }
void RefreshBashopts(Shell& shell, Variable& variable) { SetText(variable, shell.options.BashOpts()); }
void RefreshLastArgument(Shell& shell, Variable& variable) { SetText(variable, shell.last_argument); }
void AssignLastArgument(Shell& shell, Variable&, std::string_view value) { shell.last_argument = value; }
void RefreshHistcmd(Shell& shell, Variable& variable) {
  const bool is_on = shell.options.Get(SetOption::kHistory);
  SetText(variable, std::to_string(is_on ? shell.history->dropped + shell.history->lines.size() + 1 : 0));
}
void RefreshPipeStatus(Shell& shell, Variable& variable) {
  std::vector<std::string> values;
  for (const int status : shell.pipe_status) values.push_back(std::to_string(status));
  SetList(variable, values);
}
void RefreshFuncname(Shell& shell, Variable& variable) {
  std::vector<std::string> values;
  const bool in_function = std::any_of(shell.frames.begin(), shell.frames.end(),
                                       [](const Frame& frame) { return frame.is_function; });
  for (size_t i = shell.frames.size(); in_function && i-- > 0;) {
    if (i == 0 && shell.frames[0].source.empty()) break;   // -c: no "main"
    values.push_back(shell.frames[i].function);
  }
  SetList(variable, values);
}
void RefreshSource(Shell& shell, Variable& variable) {
  std::vector<std::string> values;
  for (size_t i = shell.frames.size(); i-- > 0;) {
    const Frame& frame = shell.frames[i];
    if (i == 0 && frame.source.empty()) break;
    values.push_back(frame.source.empty() ? "environment" : frame.source);
  }
  SetList(variable, values);
}
void RefreshLineno(Shell& shell, Variable& variable) {
  std::vector<std::string> values;
  for (size_t i = shell.frames.size(); i-- > 0;) {
    if (i == 0 && shell.frames[0].source.empty()) break;
    values.push_back(std::to_string(shell.frames[i].call_line));
  }
  SetList(variable, values);
}
// The arguments of all calls, innermost first and each call's last one first.
void RefreshArgv(Shell& shell, Variable& variable) {
  if (!shell.frames[0].arguments && shell.frames.size() == 1) shell.frames[0].arguments = shell.positionals();
  std::vector<std::string> values;
  for (size_t i = shell.frames.size(); i-- > 0;) {
    if (const auto& arguments = shell.frames[i].arguments) {
      values.insert(values.end(), arguments->rbegin(), arguments->rend());
    }
  }
  SetList(variable, values);
}
// How many each call has.
void RefreshArgc(Shell& shell, Variable& variable) {
  if (!shell.frames[0].arguments && shell.frames.size() == 1) shell.frames[0].arguments = shell.positionals();
  std::vector<std::string> values;
  for (size_t i = shell.frames.size(); i-- > 0;) {
    if (shell.frames[i].arguments) values.push_back(std::to_string(shell.frames[i].arguments->size()));
  }
  SetList(variable, values);
}
void RefreshDirstack(Shell& shell, Variable& variable) {
  std::vector<std::string> values = {shell.files().cwd()};
  values.insert(values.end(), shell.directory_stack.begin(), shell.directory_stack.end());
  SetList(variable, values);
}
void RefreshAliases(Shell& shell, Variable& variable) {
  auto array = std::make_shared<AssociativeArray>();
  for (const auto& [name, alias] : *shell.aliases) array->Set(name, alias.value);
  variable.associative = std::move(array);
  variable.is_set = true;
}
void RefreshCmds(Shell& shell, Variable& variable) {
  auto array = std::make_shared<AssociativeArray>();
  for (const auto& [name, hit] : shell.MutableHash()) array->Set(name, hit.first);
  variable.associative = std::move(array);
  variable.is_set = true;
}

void RefreshUser(Shell& shell, Variable& variable) {
  SetText(variable, std::to_string(shell.files().credentials().uid));
}
void RefreshGroups(Shell& shell, Variable& variable) {
  SetList(variable, {std::to_string(shell.files().credentials().gid)});
}

struct DynamicEntry {
  const char* name;
  uint32_t attributes;
  DynamicVariable dynamic;
};
constexpr DynamicEntry kDynamic[] = {
    {"RANDOM", kInteger, {RefreshRandom, AssignRandom}},
    {"SRANDOM", kInteger | kNoAssign, {RefreshSrandom, nullptr}},
    {"SECONDS", kInteger, {RefreshSeconds, AssignSeconds}},
    {"EPOCHSECONDS", kNoAssign, {RefreshEpochSeconds, nullptr}},
    {"EPOCHREALTIME", kNoAssign, {RefreshEpochRealtime, nullptr}},
    {"LINENO", 0, {RefreshLine, nullptr}},
    {"BASHPID", kInteger | kNoAssign, {RefreshPid, nullptr}},
    {"BASH_SUBSHELL", kNoAssign, {RefreshSubshell, nullptr}},
    {"BASH_COMMAND", kNoAssign, {RefreshCommand, nullptr}},
    {"BASH_ARGV0", 0, {RefreshArgv0, AssignArgv0}},
    {"SHELLOPTS", kReadonly, {RefreshShellopts, nullptr}},
    {"BASHOPTS", kReadonly, {RefreshBashopts, nullptr}},
    {"_", 0, {RefreshLastArgument, AssignLastArgument}},
    {"HISTCMD", kInteger | kNoAssign, {RefreshHistcmd, nullptr}},
    {"PIPESTATUS", kIndexed, {RefreshPipeStatus, nullptr}},
    {"FUNCNAME", kIndexed | kNoAssign, {RefreshFuncname, nullptr}},
    {"BASH_SOURCE", kIndexed | kNoAssign, {RefreshSource, nullptr}},
    {"BASH_ARGC", kIndexed | kNoAssign, {RefreshArgc, nullptr}},
    {"BASH_ARGV", kIndexed | kNoAssign, {RefreshArgv, nullptr}},
    {"BASH_LINENO", kIndexed | kNoAssign, {RefreshLineno, nullptr}},
    {"DIRSTACK", kIndexed, {RefreshDirstack, nullptr}},
    {"BASH_ALIASES", kAssociative, {RefreshAliases, nullptr}},
    {"BASH_CMDS", kAssociative, {RefreshCmds, nullptr}},
    {"UID", kInteger | kReadonly, {RefreshUser, nullptr}},
    {"EUID", kInteger | kReadonly, {RefreshUser, nullptr}},
    {"GROUPS", kIndexed | kNoAssign, {RefreshGroups, nullptr}},
};

struct Constant {
  const char* name;
  const char* value;
  bool is_fixed;   // also where the environment says otherwise
};
constexpr Constant kConstants[] = {
    {"BASH", "/bin/bash", true},
    {"BASH_VERSION", kBashVersion, true},
    {"HOSTTYPE", "x86_64", true},
    {"MACHTYPE", kMachine, true},
    {"OSTYPE", "linux-gnu", true},
    {"IFS", " \t\n", true},
    {"OPTIND", "1", true},
    {"OPTERR", "1", true},
    {"PS4", "+ ", false},
    {"COMP_WORDBREAKS", " \t\n\"'@><=;|&(:", false},
    {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", false},
    {"TERM", "dumb", false},
    {"SHELL", "/bin/bash", false},
};

void ImportFunction(Shell& shell, std::string_view name, std::string_view body) {
  const std::string text = std::string(name) + " " + std::string(body);
  const ParsedProgram parsed = ParseProgram(text, {.extglob = true}, shell.budget(), 0);   // bash counts their lines from 0
  if (parsed.error || !parsed.list || parsed.list->items.size() != 1) return;
  const Statement& statement = *parsed.list->items[0].statement;
  if (statement.kind != Statement::Kind::kFunction || statement.name.text != name) return;
  shell.DefineFunction(std::string(name),
                       Function{.definition = statement.definition, .source = "environment", .is_exported = true});
}

void Put(Shell& shell, const char* name, std::string_view value, uint32_t attributes = 0) {
  Variable& variable = shell.variables.ObtainGlobal(Name(name));
  variable.attributes |= attributes;
  variable.text = value;
  variable.is_set = true;
}

void SetWorkingDirectoryVariables(Shell& shell) {
  const auto inherited = shell.Get("PWD");
  std::string cwd = shell.files().cwd();
  if (inherited && inherited->starts_with('/')) {
    auto named = shell.files().Stat(*inherited);
    auto here = shell.files().Stat(".");
    if (named && here && named->inode == here->inode && named->device == here->device) cwd = *inherited;
  }
  if (cwd != shell.files().cwd()) [[maybe_unused]] const Status ignored = shell.files().ChangeDirectory(cwd, cwd);
  Put(shell, "PWD", cwd, kExported);
  Variable& old = shell.variables.ObtainGlobal(Name("OLDPWD"));
  old.attributes |= kExported;
}

}  // namespace

std::shared_ptr<const InitialVariables> MakeInitialVariables() {
  auto initial = std::make_shared<InitialVariables>();
  for (const DynamicEntry& entry : kDynamic) {
    Variable variable;
    variable.attributes = entry.attributes;
    variable.is_set = true;
    variable.dynamic = &entry.dynamic;
    initial->Add(Name(entry.name), std::move(variable));
  }
  for (const Constant& constant : kConstants) {
    Variable variable;
    SetText(variable, constant.value);
    initial->Add(Name(constant.name), std::move(variable));
  }
  Variable version;
  SetList(version, {"5", "2", "15", "1", "release", kMachine});
  version.attributes |= kReadonly;
  initial->Add(Name("BASH_VERSINFO"), std::move(version));
  return initial;
}

void SetInitialVariables(Shell& shell, const Environment& environment) {
  shell.variables.set_initial(shell.host().initial_variables());
  for (const auto& [name, value] : environment.variables()) {
    if (name.starts_with(kFunctionPrefix) && name.ends_with(kFunctionSuffix)) {
      ImportFunction(shell,
                     std::string_view(name).substr(kFunctionPrefix.size(),
                                                   name.size() - kFunctionPrefix.size() - kFunctionSuffix.size()),
                     value);
      continue;
    }
    if (name == "_") {
      shell.last_argument = value;
      continue;
    }
    if (IsName(name)) Put(shell, name.c_str(), value, kExported);
    if (name == "BASH_COMPAT") shell.SetShellVariable("BASH_COMPAT", value);
  }
  // A value from the environment neither makes a special variable an ordinary one nor changes it.
  for (const DynamicEntry& entry : kDynamic) {
    if (!environment.Get(entry.name)) continue;
    Variable& variable = shell.variables.ObtainGlobal(Name(entry.name));
    variable.attributes = (variable.attributes & kExported) | entry.attributes;
    variable.dynamic = &entry.dynamic;
  }
  for (const Constant& constant : kConstants) {
    if (constant.is_fixed && environment.Get(constant.name)) Put(shell, constant.name, constant.value);
  }
  // What a stranger may set is no prompt for root: bash expands it.
  if (shell.files().credentials().uid == 0 && environment.Get("PS4")) Put(shell, "PS4", "+ ");
  if (environment.Get("IFS")) shell.variables.ObtainGlobal(Name("IFS")).attributes &= ~static_cast<uint32_t>(kExported);
  shell.variables.ObtainGlobal(Name("OPTIND")).attributes |= kInteger;
  if (!environment.Get("_")) shell.last_argument = "/bin/bash";
  Put(shell, "PPID", std::to_string(std::max(shell.process().parent_pid(), 1)), kInteger | kReadonly);
  Put(shell, "HOSTNAME", shell.kernel().hostname());
  const int64_t level = ToInteger(shell.GetOr("SHLVL", "0"));
  Put(shell, "SHLVL", std::to_string(level < 0 || level > 998 ? 1 : level + 1), kExported);
  SetWorkingDirectoryVariables(shell);
}

void AddExportedFunctions(Shell& shell, Environment& environment) {
  for (const std::string& name : shell.FunctionNames()) {
    const Function* function = shell.FindFunction(name);
    if (!function->is_exported) continue;
    environment.Set(std::string(kFunctionPrefix) + name + std::string(kFunctionSuffix),
                    PrintExportedFunction(*function->definition));
  }
}

}  // namespace paddock::shell
