// What the files of exec/ offer each other; nothing outside exec/ includes this.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shell/ast/ast.h"
#include "shell/exec/trace.h"
#include "shell/shell.h"

namespace paddock::shell {

struct Builtin;

// simple.cc
void RunSimple(Shell& shell, const Statement& statement);
// Runs the words as a function, builtin or program.
int RunWords(Shell& shell, std::vector<std::string> words, const Shell::CallFlags& flags);

// pipeline.cc
void RunPipeline(Shell& shell, const Statement& statement);
void RunSubshell(Shell& shell, const Statement& statement);
void StartBackground(Shell& shell, const Statement& statement, StatementListPtr keep);
void StartCoprocess(Shell& shell, const Statement& statement);

// redirect.cc: true if expanding the targets may fail or assign, as `{fd}` does. Bash expands those of a program in the
// program's own process, where neither reaches the shell.
bool HaveEffects(const Shell& shell, const std::vector<Redirect>& redirects);
// True if a target holds an expansion.
bool HaveParameters(const std::vector<Redirect>& redirects);

// substitution.cc: closes what <( ) and >( ) opened since the list had `size` entries.
void CloseSubstitutions(Shell& shell, size_t size);

// jobs.cc: waits for a child, running traps that arrive; $? of it.
proc::WaitStatus WaitForChild(Shell& shell, int pid);
// Tells of a child that a signal killed, as bash does in scripts ("Killed", "Segmentation fault"). `statement` is what it ran.
void ReportSignal(Shell& shell, int pid, const proc::WaitStatus& status, const Statement* statement);
// The same for a pipeline whose status is that of a stage which a signal killed.
void ReportStages(Shell& shell, const Statement& pipeline, const std::vector<int>& pids, const std::vector<proc::WaitStatus>& ended);

}  // namespace paddock::shell
