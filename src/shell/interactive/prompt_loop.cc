#include "shell/interactive/prompt_loop.h"

#include <algorithm>
#include <charconv>

#include "proc/signals.h"
#include "shell/builtins/lookup.h"
#include "shell/exec/jobs.h"
#include "shell/expand/expander.h"
#include "shell/parser/parser.h"
#include "shell/shell.h"
#include "shell/state/assign.h"
#include "shell/state/history.h"
#include "vfs/file_system.h"

namespace paddock::shell {
namespace {

constexpr const char* kDefaultPrompt = "\\u@\\h:\\w\\$ ";
constexpr size_t kMaxStartupFile = 16 << 20;

void Default(Shell& shell, const char* name, std::string_view value) {
  if (!shell.Get(name)) shell.SetShellVariable(name, value);
}

void TellOfJobs(Shell& shell) {
  ReapJobs(shell);
  std::vector<int> ended;
  for (Job& job : shell.jobs().jobs()) {
    if (job.is_notified || (!job.is_done() && !job.is_stopped)) continue;
    shell.err().Write(DescribeJob(shell, job, false) + "\n");
    job.is_notified = true;
    if (job.is_done()) ended.push_back(job.number);
  }
  for (const int number : ended) shell.jobs().Remove(number);
}

// Runs PROMPT_COMMAND: a string, or each element of an array.
void RunPromptCommands(Shell& shell) {
  const Variable* variable = shell.variables.Find(Name("PROMPT_COMMAND"));
  if (variable == nullptr || !variable->is_set) return;
  std::vector<std::string> commands;
  if (variable->has(kIndexed) && variable->indexed) {
    variable->indexed->ForEach([&](int64_t, const std::string& value) { commands.push_back(value); });
  } else if (!variable->is_array()) {
    commands.push_back(variable->text);
  }
  const int status = shell.last_status;
  const std::vector<int> pipe_status = shell.pipe_status;
  for (const std::string& command : commands) {
    if (shell.flow != Flow::kNone) return;
    shell.Eval(command);
    shell.last_status = status;
    shell.pipe_status = pipe_status;
  }
}

// True when the last line goes on behind a backslash at its end.
bool EndsInContinuation(Shell& shell, std::string_view text) {
  if (!text.ends_with("\\\n")) return false;
  // A quote in place of the line's end opens a string there, unless it stands in a comment or is quoted.
  const std::string probe = std::string(text.substr(0, text.size() - 2)) + "'";
  const ParsedProgram parsed = ParseProgram(probe, shell.parser_options(), shell.budget());
  return parsed.is_incomplete;
}

}  // namespace

void BecomeInteractive(Shell& shell) {
  using Disposition = proc::Process::Disposition;
  shell.is_interactive = true;
  shell.reads_stdin = true;
  for (const int signal : {proc::kSigInt, proc::kSigTerm, proc::kSigQuit}) {
    if (shell.process().disposition(signal) == Disposition::kDefault) {
      shell.process().set_disposition(signal, Disposition::kCatch);
    }
  }
}

void StartInteractive(Shell& shell) {
  for (const SetOption option : {SetOption::kMonitor, SetOption::kHistory, SetOption::kEmacs}) {
    shell.options.Put(option, true);
  }
  shell.options.Put(ShoptOption::kExpandAliases, true);
  shell.command_number = 1;
  Default(shell, "PS1", kDefaultPrompt);
  Default(shell, "PS2", "> ");
  Default(shell, "HISTSIZE", "500");
  const std::string startup = shell.GetOr("HOME", "") + "/.bashrc";
  if (const auto text = vfs::ReadFile(shell.files(), startup, kMaxStartupFile)) {
    shell.Source(startup, *text, std::nullopt);
  }
}

void PreparePrompt(Shell& shell) {
  TellOfJobs(shell);
  RunPromptCommands(shell);
  shell.out().Flush();
}

std::string PromptText(Shell& shell, const char* variable) {
  return ExpandPrompt(shell, shell.GetOr(variable, ""), /*marks_invisible=*/true);
}

bool IsIncomplete(Shell& shell, std::string_view text) {
  return ParseProgram(text, shell.parser_options(), shell.budget()).is_incomplete || EndsInContinuation(shell, text);
}

std::optional<std::string> HistoryEntry(Shell& shell, std::string_view text) {
  if (!shell.options.Get(SetOption::kHistory)) return std::nullopt;
  RecordCommand(shell, text);
  if (!shell.has_recorded_line) return std::nullopt;
  std::string entry = shell.history->lines.back();
  entry.resize(entry.find_last_not_of('\n') + 1);
  return entry;
}

int RunLine(Shell& shell, std::string_view text) {
  ++shell.command_number;
  const int status = shell.RunScript(text);
  shell.out().Flush();
  return shell.flow == Flow::kInterrupt ? shell.last_status : status;
}

bool LeavesAtEnd(Shell& shell, int count) {
  int allowed = 0;
  if (const auto value = shell.Get("IGNOREEOF")) {
    constexpr int kDefaultCount = 10;
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), allowed);
    if (error != std::errc() || value->empty()) allowed = kDefaultCount;
  } else if (shell.options.Get(SetOption::kIgnoreeof)) {
    allowed = 10;
  }
  if (count > allowed) {
    shell.err().Write("exit\n");
    return true;
  }
  shell.err().Write("Use \"exit\" to leave the shell.\n");
  return false;
}

}  // namespace paddock::shell
