// Simple commands: expansion, assignments, look-up, and the three things a command word can be.

#include <algorithm>
#include <span>
#include <utility>

#include "shell/ast/printer.h"
#include "shell/builtins/builtin.h"
#include "shell/builtins/help_topics.h"
#include "shell/exec/executor.h"
#include "shell/exec/jobs.h"
#include "shell/exec/program.h"
#include "shell/expand/expander.h"
#include "shell/parser/parser.h"
#include "shell/shell.h"
#include "shell/state/assign.h"

namespace paddock::shell {
namespace {

constexpr ExitStatus kNotFound = 127;
constexpr ExitStatus kNotExecutable = 126;
constexpr const char* kNotFoundHandler = "command_not_found_handle";

// What a simple command expands to.
struct Expanded {
  std::vector<std::string> words;
  // Beside words, from the first declaration argument on: compound assignments. Shorter or empty if none.
  std::vector<const Assignment*> assignments;
  // The words that are assignments wherever they stand (set -k).
  std::vector<Assignment> keywords;
};

// Whether a word as written is NAME=VALUE or NAME+=VALUE.
bool IsAssignmentText(std::string_view source) {
  size_t equals = source.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  if (source[equals - 1] == '+') --equals;
  return IsName(source.substr(0, equals));
}

// name[sub]+=value as words, for declaration builtins.
bool ExpandAssignmentWord(Shell& shell, const Assignment& assignment, std::vector<std::string>* words) {
  std::string target = assignment.name.text;
  if (assignment.subscript != nullptr) {
    std::string subscript;
    if (!ExpandToString(shell, *assignment.subscript, &subscript)) return false;
    target += "[" + subscript + "]";
  }
  if (assignment.is_array) {
    words->push_back(std::move(target));
    return true;
  }
  std::vector<std::string> values;
  if (!ExpandAlternatives(shell, assignment.value, &values)) return false;
  for (const std::string& value : values) words->push_back(target + (assignment.is_append ? "+=" : "=") + value);
  return true;
}

bool ExpandCommand(Shell& shell, const SimpleCommand& command, Expanded* expanded) {
  expanded->words.reserve(command.words.size());
  const bool has_keywords = shell.options.Get(SetOption::kKeyword);
  for (const SimpleCommand::Argument& argument : command.words) {
    if (has_keywords && IsAssignmentText(argument.word.source)) {
      auto parsed = ParseAssignment(argument.word.source, shell.parser_options(), shell.budget());
      if (parsed) {
        expanded->keywords.push_back(std::move(*parsed));
        continue;
      }
    }
    if (argument.word.is_plain && !argument.assignment) {
      expanded->words.push_back(argument.word.plain);
      continue;
    }
    if (!argument.assignment) {
      if (!ExpandWord(shell, argument.word, &expanded->words)) return false;
      continue;
    }
    if (argument.assignment->is_array) {
      expanded->assignments.resize(expanded->words.size() + 1);
      expanded->assignments.back() = argument.assignment.get();
    }
    if (!ExpandAssignmentWord(shell, *argument.assignment, &expanded->words)) return false;
  }
  return true;
}

// PerformAssignment() that shows the expanded value under set -x.
bool PerformTraced(Shell& shell, const Assignment& assignment) {
  if (!shell.options.Get(SetOption::kXtrace)) return PerformAssignment(shell, assignment);
  if (assignment.is_array) {
    TraceAssignment(shell, assignment, {});
    return PerformAssignment(shell, assignment);
  }
  std::string subscript;
  std::string value;
  if (assignment.subscript != nullptr && !ExpandToString(shell, *assignment.subscript, &subscript)) return false;
  if (!ExpandToString(shell, assignment.value, &value, /*is_assignment=*/true)) return false;
  TraceAssignment(shell, assignment, value);
  const AssignMode mode{.append = assignment.is_append};
  if (assignment.subscript == nullptr) return AssignScalar(shell, assignment.name, value, mode);
  return AssignElement(shell, assignment.name, subscript, value, mode);
}

// Assignments without a command: they stay.
bool AssignAll(Shell& shell, std::span<const Assignment> assignments) {
  for (const Assignment& assignment : assignments) {
    if (!PerformTraced(shell, assignment)) {
      if (shell.flow == Flow::kNone) {
        shell.DiscardOrExit();
      }
      return false;
    }
  }
  return true;
}

// The list of name=(…) before a command, which is a plain string there: "(a b)".
bool ExpandListText(Shell& shell, const Assignment& assignment, std::string* text) {
  *text = "(";
  for (const Assignment::Element& element : assignment.elements) {
    std::string value;
    if (!ExpandToString(shell, element.value, &value)) return false;
    if (text->size() > 1) *text += ' ';
    if (element.subscript != nullptr) *text += "[" + element.subscript->source + (element.is_append ? "]+=" : "]=");
    *text += value;
  }
  *text += ')';
  return true;
}

// Assignments before a command: exported variables of a scope that goes with it.
bool AssignTemporaries(Shell& shell, std::span<const Assignment> assignments) {
  for (const Assignment& assignment : assignments) {
    std::string value;
    if (assignment.is_array) {
      if (!ExpandListText(shell, assignment, &value)) return false;
    } else if (!ExpandToString(shell, assignment.value, &value, /*is_assignment=*/true)) {
      return false;
    }
    if (shell.options.Get(SetOption::kXtrace)) TraceAssignment(shell, assignment, value);
    const Variable* visible = shell.variables.Find(assignment.name);
    if (visible != nullptr && visible->has(kReadonly)) {
      shell.Complain(assignment.name.text + ": readonly variable");
      if (shell.options.Get(SetOption::kPosix)) {
        // Only before a special builtin it ends the shell (see AssignAll).
        shell.last_status = 1;
        shell.flow = shell.is_subshell_of_script ? Flow::kExit : Flow::kDiscard;
      }
      if (shell.options.Get(SetOption::kErrexit)) shell.DiscardOrExit();
      if (shell.flow != Flow::kNone) return false;
      continue;
    }
    if (assignment.is_append && visible != nullptr && visible->Scalar() != nullptr) value = *visible->Scalar() + value;
    const uint32_t inherited = visible == nullptr ? 0 : visible->attributes & (kInteger | kLowercase | kUppercase);
    Variable& variable = shell.variables.ObtainTemporary(assignment.name);
    variable = Variable{};
    variable.attributes = kExported | inherited;
    if (!ApplyAttributes(shell, variable, value, &variable.text)) return false;
    variable.is_set = true;
    shell.variables.NoteExport();
    if (assignment.name.text == "PATH") shell.MutableHash().clear();
  }
  return true;
}

void RunAssignmentsOnly(Shell& shell, const Statement& statement, std::span<const Assignment> keywords) {
  std::vector<Shell::SavedDescriptor> saved;
  shell.had_substitution = false;
  if (!statement.redirects.empty()) {
    const bool is_redirected = shell.ApplyRedirects(statement.redirects, &saved);
    shell.RestoreRedirects(saved);
    if (!is_redirected) {
      if (shell.flow != Flow::kNone) return;
      if (AssignAll(shell, statement.simple->assignments) && AssignAll(shell, keywords)) shell.last_status = 1;
      return;
    }
  }
  if (!AssignAll(shell, statement.simple->assignments) || !AssignAll(shell, keywords)) return;
  shell.last_status = shell.had_substitution ? shell.last_substitution_status : 0;
  shell.last_argument.clear();
}

int CallFunctionBody(Shell& shell, std::string name, const Function& called, std::vector<std::string> words) {
  // `name` may be a word of the caller, which goes with the words.
  const Function function = called;   // the body may redefine or unset it
  shell.budget().CheckStack();
  if (const auto limit = shell.Get("FUNCNEST"); limit && !limit->empty()) {
    const int maximum = std::atoi(std::string(*limit).c_str());
    int depth = 0;
    for (const Frame& frame : shell.frames) depth += frame.is_function ? 1 : 0;
    if (maximum > 0 && depth >= maximum) {
      shell.Complain(name + ": maximum function nesting level exceeded (" + std::to_string(maximum) + ")");
      shell.Discard();
      return 1;
    }
  }
  words.erase(words.begin());
  const int saved_line = shell.line;
  const int saved_depth = shell.loop_depth;
  Shell::PositionalsPtr saved_positionals =
      shell.ExchangePositionals(std::make_shared<std::vector<std::string>>(std::move(words)));
  shell.frames.push_back(Frame{.function = name, .source = function.source, .call_line = saved_line, .is_function = true});
  if (shell.options.Get(ShoptOption::kExtdebug)) shell.frames.back().arguments = shell.positionals();
  shell.variables.PushScope(/*is_function=*/true);
  shell.loop_depth = 0;
  // DEBUG, RETURN and ERR do not reach into functions unless told to.
  std::map<int, std::string> withheld;
  if (!shell.traps.actions.empty()) {
    const auto withhold = [&](int trap, bool is_inherited) {
      const auto it = shell.traps.actions.find(trap);
      if (is_inherited || it == shell.traps.actions.end()) return;
      withheld.insert(shell.traps.actions.extract(it));
    };
    const bool traces = function.is_traced || shell.options.Get(SetOption::kFunctrace);
    withhold(kTrapDebug, traces);
    withhold(kTrapReturn, traces);
    withhold(kTrapErr, shell.options.Get(SetOption::kErrtrace));
  }
  shell.line = function.definition->line;
  if (!withheld.empty()) ++shell.traps.withheld_count;
  // A traced function's entry is an event of its own.
  if (shell.traps.actions.empty() || shell.RunDebugTrap()) shell.ExecuteStatement(*function.definition);
  shell.ForgetCommand();
  if (!withheld.empty()) --shell.traps.withheld_count;
  shell.RunReturnTrap();
  for (auto& [trap, action] : withheld) shell.traps.actions.try_emplace(trap, std::move(action));
  if (const auto& saved = shell.frames.back().saved_options) {
    for (const SetOptionInfo& info : SetOptions()) shell.options.Put(info.option, saved->Get(info.option));
  }
  shell.loop_depth = saved_depth;
  shell.variables.PopScope();
  shell.frames.pop_back();
  shell.ExchangePositionals(std::move(saved_positionals));
  shell.line = saved_line;
  return shell.last_status;
}

// Runs a builtin; in posix mode the misuse of a special one ends the shell, unless `command` called it.
int RunBuiltin(Shell& shell, const Builtin& builtin, const Expanded& expanded, bool is_fatal) {
  std::vector<const Assignment*> assignments = expanded.assignments;
  assignments.resize(expanded.words.size());
  const BuiltinCall call{.args = expanded.words, .assignments = assignments};
  shell.was_misused = false;
  const bool wants_help = call.args.size() > 1 && AnswerHelp(shell, builtin.name, call.args[1]);
  int status = wants_help ? 2 : builtin.run(shell, call);
  const bool was_misused = std::exchange(shell.was_misused, false);
  if (was_misused && is_fatal && builtin.is_special && shell.options.Get(SetOption::kPosix) && !shell.is_interactive) {
    shell.last_status = status;
    if (shell.flow == Flow::kNone) shell.flow = Flow::kExit;
  }
  if (const Status flushed = shell.out().Flush(); !flushed) {
    shell.out().ClearStatus();
    shell.Complain(builtin.name, "write error: " + std::string(flushed.error().Text()));
    if (status == 0) status = 1;
  }
  return status;
}

int ComplainNotRunnable(Shell& shell, const std::string& name, const Error& error) {
  const bool has_slash = name.find('/') != std::string::npos;
  if (error.code == Code::kNoEntry && !has_slash) {
    if (const auto path = shell.Get("PATH"); !path || path->empty()) {
      shell.Complain(name + ": No such file or directory");
      return kNotFound;
    }
    // What cannot be printed is shown as $'…'.
    const bool is_printable = std::none_of(name.begin(), name.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    shell.Complain((is_printable ? name : QuoteForReuse(name)) + ": command not found");
    return kNotFound;
  }
  if (error.code == Code::kExecFormat) {
    shell.Complain(name + ": cannot execute binary file: Exec format error");
    return kNotExecutable;
  }
  shell.Complain(name + ": " + std::string(error.Text()));
  return error.code == Code::kNoEntry || error.code == Code::kNotDirectory ? kNotFound : kNotExecutable;
}

int RunProgram(Shell& shell, std::vector<std::string> words, bool use_default_path) {
  const std::string name = words[0];
  std::string path = use_default_path ? shell.FindInPath(name, "/usr/bin:/bin", false) : shell.FindInPath(name);
  if (path.empty()) {
    if (const Function* handler = shell.FindFunction(kNotFoundHandler); handler != nullptr) {
      words.insert(words.begin(), kNotFoundHandler);
      const proc::WaitStatus ended = shell.kernel().RunInline(
          shell.process(), nullptr, [&](proc::Process& child) {
            Shell subshell(shell, child);
            return subshell.Finish(CallFunctionBody(subshell, kNotFoundHandler, *handler, words));
          });
      return ended.status;
    }
    return ComplainNotRunnable(shell, name, Code::kNoEntry);
  }
  if (const Status runnable = shell.host().CheckExecutable(shell.process(), path); !runnable) {
    return ComplainNotRunnable(shell, name, runnable.error());
  }
  shell.out().Flush();
  const auto environment = shell.ExportedEnvironment(path);
  const ShellHost& host = shell.host();
  const auto execute = [&](proc::Process& process) -> int {
    process.descriptors().CloseOnExec();
    auto status = host.Execute(process, path, words, environment);
    return status ? *status : ComplainNotRunnable(shell, path, status.error());
  };
  if (shell.runs_last_command && shell.traps.actions.empty()) {
    // Nothing runs in this subshell after the command: it takes the process over, as exec would.
    const int status = execute(shell.process());
    shell.flow = Flow::kExit;
    return status;
  }
  const int pid = shell.kernel().next_pid();
  const proc::WaitStatus ended = shell.kernel().RunInline(shell.process(), nullptr, execute);
  if (!shell.jobs().jobs().empty()) ReapJobs(shell);
  if (ended.signal != 0) shell.killed_program = {pid, ended.signal};
  shell.SettleInterrupt(ended.signal == proc::kSigInt);
  return ended.status;
}

// The command word as function, builtin or program.
int Dispatch(Shell& shell, Expanded expanded, const Shell::CallFlags& flags) {
  const std::string& name = expanded.words[0];
  // Only a program may take the process over: after the first one of a function, eval or source there is more.
  const bool is_last_command = std::exchange(shell.runs_last_command, false);
  if (is_last_command && shell.pipeline_stage != nullptr) ++shell.subshell_level;
  const Builtin* builtin = FindBuiltin(name);
  const bool special_first = builtin != nullptr && builtin->is_special && shell.options.Get(SetOption::kPosix);
  if (!flags.skip_functions && !flags.only_builtins && !special_first) {
    if (const Function* function = shell.FindFunction(name)) {
      return CallFunctionBody(shell, name, *function, std::move(expanded.words));
    }
  }
  if (builtin != nullptr && !IsDisabled(shell, name)) {
    return RunBuiltin(shell, *builtin, expanded, !flags.skip_functions && !flags.only_builtins);
  }
  if (flags.only_builtins) {
    shell.Complain("builtin", name + ": not a shell builtin");
    return 1;
  }
  shell.runs_last_command = is_last_command;
  return RunProgram(shell, std::move(expanded.words), flags.default_path);
}

void RunExpanded(Shell& shell, const Statement& statement, Expanded expanded);

bool IsProgram(const Shell& shell, const std::string& name) {
  return shell.FindFunction(name) == nullptr && (FindBuiltin(name) == nullptr || IsDisabled(shell, name));
}

// Applies a simple command's redirections; false with everything put back and $? set if one fails.
bool RedirectCommand(Shell& shell, const Statement& statement, const std::string& name,
              std::vector<Shell::SavedDescriptor>* saved) {
  if (statement.redirects.empty() || shell.ApplyRedirects(statement.redirects, saved)) return true;
  shell.RestoreRedirects(*saved);
  if (shell.flow != Flow::kNone) return false;
  shell.last_status = 1;
  const Builtin* builtin = FindBuiltin(name);
  if (builtin != nullptr && builtin->is_special && shell.options.Get(SetOption::kPosix)) shell.flow = Flow::kExit;
  return false;
}

// A program whose redirections are expanded in its own process.
void RunApart(Shell& shell, const Statement& statement, Expanded expanded) {
  shell.out().Flush();
  const std::string name = expanded.words[0];
  const std::string last = expanded.words.back();
  const int pid = shell.kernel().next_pid();
  const proc::WaitStatus ended =
      shell.kernel().RunInline(shell.process(), nullptr, [&](proc::Process& child) {
        Shell own(shell, child);
        own.subshell_level = shell.subshell_level;
        own.is_subshell_of_script = shell.is_subshell_of_script;
        own.runs_last_command = true;
        own.traps.actions.clear();
        RunExpanded(own, statement, std::move(expanded));
        own.out().Flush();
        return own.last_status;
      });
  if (!shell.jobs().jobs().empty()) ReapJobs(shell);
  if (ended.signal != 0) ReportSignal(shell, pid, ended, &statement);
  shell.last_status = ended.status;
  shell.last_argument = last;
}

void RunExpanded(Shell& shell, const Statement& statement, Expanded expanded) {
  const SimpleCommand& command = *statement.simple;
  const bool is_apart = !statement.redirects.empty() && !shell.runs_last_command &&
                        HaveEffects(shell, statement.redirects) && IsProgram(shell, expanded.words[0]);
  if (is_apart) return RunApart(shell, statement, std::move(expanded));
  const std::vector<Assignment> keywords = std::move(expanded.keywords);
  std::vector<Shell::SavedDescriptor> saved;
  // Values and traces come before the redirections, whose targets do not see the assignments.
  const bool redirects_first = !command.assignments.empty() && HaveParameters(statement.redirects);
  if (redirects_first && !RedirectCommand(shell, statement, expanded.words[0], &saved)) return;
  const Builtin* builtin = FindBuiltin(expanded.words[0]);
  const bool keeps_assignments = builtin != nullptr && builtin->is_special &&
                                 shell.options.Get(SetOption::kPosix) && !shell.FindFunction(expanded.words[0]);
  const bool has_scope = !keeps_assignments && (!command.assignments.empty() || !keywords.empty());
  if (has_scope) shell.variables.PushScope(/*is_function=*/false);
  const auto assign = keeps_assignments ? AssignAll : AssignTemporaries;
  bool is_ready = assign(shell, command.assignments) && assign(shell, keywords);
  if (!is_ready && shell.flow == Flow::kNone) shell.last_status = 1;
  // Compound assignments are shown first, when they are made.
  std::string trace;
  if (is_ready && shell.options.Get(SetOption::kXtrace)) {
    trace = TraceText(expanded.words);
    if (expanded.assignments.empty()) TraceLine(shell, std::exchange(trace, {}));
  }
  if (is_ready && !redirects_first) is_ready = RedirectCommand(shell, statement, expanded.words[0], &saved);
  if (is_ready) {
    const std::string last = expanded.words.back();
    const int status = Dispatch(shell, std::move(expanded), {});
    if (!trace.empty()) TraceLine(shell, trace);
    // What discards or returns has set the status itself.
    if (shell.flow != Flow::kDiscard && shell.flow != Flow::kReturn) shell.last_status = status;
    shell.last_argument = last;
  }
  if (has_scope) shell.variables.PopScope();
  if (shell.keeps_redirects) {
    shell.keeps_redirects = false;
  } else {
    shell.RestoreRedirects(saved);
  }
  // Told only now: not into what the command's own errors went to.
  if (const auto [pid, signal] = std::exchange(shell.killed_program, {}); signal != 0) {
    ReportSignal(shell, pid, {.status = shell.last_status, .signal = signal}, &statement);
  }
}

}  // namespace

void RunSimple(Shell& shell, const Statement& statement) {
  if (shell.process().HasCaught()) {
    shell.RunPendingTraps();
    if (shell.flow != Flow::kNone) return;
  }
  shell.line = statement.line;
  shell.command = &statement;
  if (shell.has_traps() && !shell.AnnounceCommand(PrintStatement(statement))) return;
  const SimpleCommand& command = *statement.simple;
  if (command.words.empty()) {
    RunAssignmentsOnly(shell, statement, {});
  } else {
    Expanded expanded;
    shell.had_substitution = false;
    if (!ExpandCommand(shell, command, &expanded)) {
      if (shell.flow == Flow::kNone) shell.Discard();
      return;
    }
    if (expanded.words.empty()) {
      const bool had_substitution = shell.had_substitution;
      const int status = shell.last_substitution_status;
      RunAssignmentsOnly(shell, statement, expanded.keywords);
      if (had_substitution && !shell.had_substitution && shell.last_status == 0) shell.last_status = status;
    } else {
      shell.line = statement.line;
      RunExpanded(shell, statement, std::move(expanded));
    }
  }
  shell.pipe_status.assign(1, shell.last_status);
}

int Shell::CallFunction(const std::string& name, std::span<const std::string> arguments) {
  const Function* function = FindFunction(name);
  if (function == nullptr) return -1;
  std::vector<std::string> words = {name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return CallFunctionBody(*this, name, *function, std::move(words));
}

int Shell::CallWords(std::vector<std::string> words, const CallFlags& flags) {
  return Dispatch(*this, Expanded{.words = std::move(words)}, flags);
}

int Shell::Exec(std::vector<std::string> words, bool clear_environment, std::string_view argv0) {
  const std::string name = words[0];
  const std::string path = FindInPath(name);
  Status runnable = path.empty() ? Status(Code::kNoEntry) : host_.CheckExecutable(*process_, path);
  if (!runnable) {
    const bool has_slash = name.find('/') != std::string::npos;
    const std::string text(runnable.error().Text());
    const std::string full = vfs::JoinPath(process_->files().cwd(), name.starts_with("./") ? name.substr(2) : name);
    if (runnable.error().code == Code::kNoEntry) {
      if (has_slash) {
        Complain(full + ": " + text);
      } else {
        Complain("exec", name + ": not found");
      }
      return kNotFound;
    }
    Complain(full + ": " + text);
    Complain("exec", full + ": cannot execute: " + text);
    return kNotExecutable;
  }
  out_.Flush();
  auto environment = clear_environment ? std::make_shared<const Environment>() : ExportedEnvironment(path);
  if (!argv0.empty()) words[0] = argv0;
  process_->descriptors().CloseOnExec();
  traps.actions.clear();
  auto status = host_.Execute(*process_, path, std::move(words), std::move(environment));
  flow = Flow::kExit;
  if (status) return *status;
  const bool is_relative = name.find('/') != std::string::npos;
  return ComplainNotRunnable(*this, is_relative ? vfs::JoinPath(process_->files().cwd(), name.starts_with("./") ? name.substr(2) : name) : path, status.error());
}

}  // namespace paddock::shell
