// Shell: the state of one shell or subshell, and the operations that its parts share.
//
// A subshell is a copy (variables, functions and options are shared until written). The parts live in
// folders of their own: state/ (variables, options, assignment), parser/, expand/ (words to fields,
// arithmetic, globbing), exec/ (running statements, redirections, pipelines, jobs, traps), builtins/
// (one file each). They see each other only through this class and their own headers.
//
// Errors of a script are printed where they arise, in bash's wording, and then travel as Flow.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/stream.h"
#include "proc/command.h"
#include "proc/kernel.h"
#include "shell/ast/ast.h"
#include "shell/state/options.h"
#include "shell/state/variables.h"

namespace paddock {
class Regex;
struct RegexFlags;
}  // namespace paddock

namespace paddock::shell {

class Parser;
class JobTable;
class ArithmeticCache;
struct ParserOptions;
struct CompletionTable;
struct HistoryList;

// What the running code must do next, instead of the next statement. A value, never an exception.
enum class Flow : uint8_t {
  kNone,
  kBreak,      // flow_count loops
  kContinue,   // flow_count loops
  kReturn,     // from a function or a sourced script
  kExit,       // end this shell (exit, errexit, a fatal error); exit traps run
  kDiscard,    // abandon the current top-level command (or eval), go on with the next line
  kInterrupt,  // of an interactive shell: back to the prompt
};

struct Function {
  std::shared_ptr<const Statement> definition;   // the body command with its redirections
  std::string source;                            // file it was defined in, for BASH_SOURCE
  bool is_exported = false;
  bool is_readonly = false;
  bool is_traced = false;
  bool has_keyword = false;   // written as `function name`
  int line = 0;
};

// One level of function call, sourced file or main program.
struct Frame {
  std::string function;   // "main", "source" or the name
  std::string source;     // BASH_SOURCE; empty for -c, shown as "environment" for functions
  int call_line = 0;      // line of the call, in the caller
  bool is_function = false;
  bool is_source = false;
  std::shared_ptr<const Options> saved_options;   // `local -`: put back on return
  std::optional<std::vector<std::string>> arguments;   // for BASH_ARGV, when the call is debugged (extdebug)
};

struct Alias {
  std::string value;
};

// The traps of a shell. Pseudo signals have numbers of their own.
inline constexpr int kTrapExit = 0;
inline constexpr int kTrapDebug = 65;
inline constexpr int kTrapErr = 66;
inline constexpr int kTrapReturn = 67;
inline constexpr int kTrapCount = 68;
inline constexpr int kNoTrap = -1;
struct Traps {
  std::map<int, std::string> actions;   // set here; "" means ignored
  std::map<int, std::string> inherited; // of the parent shell, shown by `trap` until one is set here
  uint64_t ignored_at_start = 0;        // signals that cannot be trapped
  bool is_running[kTrapCount] = {};
  int innermost = kNoTrap;              // the trap whose action runs just now
  int status_before = 0;                // $? when that began: `exit` and `return` without a number give it
  int withheld_count = 0;               // calls that keep DEBUG, RETURN or ERR from their function
};

// $? of a shell that ran a -c string up to a fatal error.
inline constexpr int kStatusOfFatalError = 127;

class ShellHost;

// Output of one `$(…)` and its status.
struct Captured {
  std::string text;   // trailing newlines removed
  bool had_nul = false;
};

class Shell {
 public:
  // A fresh shell in `process` with bash's initial variables on top of `environment`. `host` outlives it.
  Shell(proc::Process& process, const ShellHost& host, const Environment& environment);
  // A subshell of `parent` that runs in `process` (traps reset, loop and function state kept).
  Shell(const Shell& parent, proc::Process& process);
  // The same shell going on in another process (a session's next exec): traps, jobs and level are kept.
  struct Continue {};
  Shell(const Shell& before, proc::Process& process, Continue);
  ~Shell();
  Shell& operator=(const Shell&) = delete;

  // --- running (exec/) ----------------------------------------------------------------------------
  // Runs script text statement by statement as it is parsed; the status of the last.
  int RunScript(std::string_view text, int first_line = 1);
  // eval and traps: runs text in the current context, which `context` names in syntax errors.
  int Eval(std::string_view text, int first_line = 1, std::string_view context = "eval");
  // `source FILE ARGS`: 1 if it cannot be read.
  int Source(const std::string& path, std::string_view text, std::optional<std::vector<std::string>> args);
  int ExecuteList(const StatementList& list);
  int ExecuteStatement(const Statement& statement);
  // Runs $(…): in a subshell, output collected. Sets last_substitution_status.
  Captured Substitute(const StatementList& program, int line);
  Captured SubstituteText(std::string_view backquoted, int line);
  // <(…) and >(…): starts it and returns "/dev/fd/63".
  std::string SubstituteProcess(const StatementList& program, bool is_output);
  // Calls a function by name with arguments (completion, command_not_found_handle); -1 if undefined.
  int CallFunction(const std::string& name, std::span<const std::string> arguments);
  // Runs words as a command, as `command`/`builtin`/eval-less callers need: kinds of look-up to skip.
  struct CallFlags {
    bool skip_functions = false;
    bool only_builtins = false;
    bool default_path = false;   // command -p
  };
  int CallWords(std::vector<std::string> words, const CallFlags& flags);
  // exec: replaces the shell by a command. Returns only if that cannot be started.
  int Exec(std::vector<std::string> words, bool clear_environment, std::string_view argv0);
  // True when redirections of the current command stay after it (exec without a command sets it).
  bool keeps_redirects = false;
  // Ends the shell: runs the EXIT trap. Called once, by whoever started it.
  int Finish(int status);

  // --- errors -------------------------------------------------------------------------------------
  // "bash: line 3: MESSAGE\n" (with the script's name as $0 there).
  void Complain(std::string_view message);
  // "bash: line 3: BUILTIN: MESSAGE\n".
  void Complain(std::string_view builtin, std::string_view message);
  // Complains and abandons the current top-level command (Flow::kDiscard, $? = 1): arithmetic errors, bad
  // substitutions, assignments to readonly variables, bad subscripts. A subshell ends.
  void FailExpansion(std::string_view message);
  // The same without a message of its own, when the complaint is printed already. What bash does then
  // depends on the error: under errexit Discard() goes on with the next line and DiscardOrExit() ends the
  // shell; DiscardAll() leaves every eval, sourced file and -c string too.
  void Discard();
  void DiscardOrExit();
  void DiscardAll();
  bool discards_all = false;   // with Flow::kDiscard
  // Complains and ends a non-interactive shell (Flow::kExit): ${x?…}, unset variables under set -u.
  // Status 127, in a subshell 1.
  void FailFatal(std::string_view message);
  // What the above begin with: "bash: line 3: ".
  std::string Prefix() const;

  // --- parameters ---------------------------------------------------------------------------------
  std::optional<std::string_view> Get(const Name& name);          // $name, following namerefs
  std::optional<std::string_view> Get(std::string_view name);
  std::string GetOr(std::string_view name, std::string_view otherwise);
  void SetShellVariable(const char* name, std::string_view value);  // ignores readonly; keeps attributes
  const std::string& ifs();                  // the value, " \t\n" when unset
  Locale locale();
  std::vector<std::string>& MutablePositionals();
  const std::vector<std::string>& positionals() const { return *positionals_; }
  void SetPositionals(std::vector<std::string> values);
  // Installs other parameters and returns the old ones, for a call that puts them back.
  using PositionalsPtr = std::shared_ptr<std::vector<std::string>>;
  PositionalsPtr ExchangePositionals(PositionalsPtr values);
  std::string SpecialParameter(char name);   // ? - $ ! # 0 and digits are handled by the expander too

  // --- environment of children --------------------------------------------------------------------
  // `_` in it is `program`.
  std::shared_ptr<const Environment> ExportedEnvironment(std::string_view program);

  // --- look-up ------------------------------------------------------------------------------------
  const Function* FindFunction(std::string_view name) const;
  void DefineFunction(const std::string& name, Function function);
  bool RemoveFunction(const std::string& name);
  std::vector<std::string> FunctionNames() const;   // sorted
  // A path for a command name by PATH (or `path` if given); empty if none. Remembers hits unless told not.
  std::string FindInPath(std::string_view name, std::optional<std::string_view> path = {}, bool remember = true);
  std::vector<std::string> FindAllInPath(std::string_view name);
  std::map<std::string, std::pair<std::string, int>>& MutableHash();   // name → path, hits
  std::map<std::string, Alias>& MutableAliases();

  // --- descriptors (exec/) ------------------------------------------------------------------------
  // Applies redirections to this shell's process; false (complaint printed) if one fails. What they
  // replaced is put back by RestoreRedirects(), or dropped to keep them (exec).
  struct SavedDescriptor {
    int number;
    vfs::OpenFilePtr file;   // null: was closed
    bool close_on_exec = false;
  };
  bool ApplyRedirects(const std::vector<Redirect>& redirects, std::vector<SavedDescriptor>* saved);
  void RestoreRedirects(std::vector<SavedDescriptor>& saved);

  // --- traps and jobs (exec/) ---------------------------------------------------------------------
  void SetTrap(int signal, std::optional<std::string> action);   // nothing: default
  void RunPendingTraps();
  // While an EXIT trap is set, fatal signals are caught so that it runs before the shell dies of them.
  void CatchDeadlySignals(bool on);
  int death_signal = 0;
  // An interrupt that arrives while a foreground child runs is the child's. Called when that has ended: the
  // interrupt counts for an interactive shell if it `killed` the child, and goes back to the prompt.
  void SettleInterrupt(bool killed);
  const void* initial_stdin = nullptr;   // the open file that descriptor 0 was at the start; only compared
  // Runs the action of DEBUG, ERR or RETURN if one is set and applies here; its status. Keeps $?.
  int RunPseudoTrap(int trap);
  // At the end of a function or a sourced file, which `return` may have left: the trap sees the status before that one.
  void RunReturnTrap();
  // DEBUG before a command: false when the command must not run (extdebug, or the action left).
  bool RunDebugTrap();
  bool has_traps() const { return !traps.actions.empty() || traps.withheld_count > 0; }
  // A command is about to run: DEBUG sees `text`; false when it must not. Only while has_traps().
  bool AnnounceCommand(std::string text);
  // Forgets the command that ran, whose tree may end; its text stays for the $BASH_COMMAND of traps.
  void ForgetCommand();
  JobTable& jobs() { return *jobs_; }

  // --- plumbing -----------------------------------------------------------------------------------
  proc::Process& process() { return *process_; }
  const proc::Process& process() const { return *process_; }
  proc::Kernel& kernel() { return process_->kernel(); }
  Budget& budget() { return process_->kernel().budget(); }
  vfs::View& files() { return process_->files(); }
  const ShellHost& host() const { return host_; }
  Output& out() { return out_; }   // descriptor 1; the executor flushes after each builtin
  Output& err() { return err_; }   // descriptor 2, unbuffered
  ParserOptions parser_options();
  // A compiled pattern of [[ =~ ]], kept for the next time; null if it does not compile. Valid until the
  // next call.
  const Regex* CompiledRegex(const std::string& pattern, const RegexFlags& flags);

  // State that parts read and write directly; each is explained where it is used.
  Variables variables;
  Options options;
  Traps traps;
  int last_status = 0;
  int status_before_return = 0;   // what `return` found in last_status
  int last_substitution_status = 0;
  bool had_substitution = false;       // an assignment-only command takes the status of its last $(…)
  Flow flow = Flow::kNone;
  int flow_count = 0;                  // loops left for break and continue
  int loop_depth = 0;
  int line = 0;                        // $LINENO
  std::string name0 = "bash";          // $0
  std::string command_text;            // $BASH_COMMAND, kept up to date while a trap is set
  const Statement* pipeline_stage = nullptr;   // what this subshell runs as a stage: no ERR trap for it
  const Statement* command = nullptr;  // the simple command that runs, for $BASH_COMMAND
  std::string last_argument;           // $_
  int last_background_pid = 0;         // $!, 0 when none
  std::vector<int> pipe_status;        // PIPESTATUS
  int subshell_level = 0;              // BASH_SUBSHELL
  int shell_pid = 0;                   // $$
  int errexit_ignored = 0;             // > 0 inside conditions, && || and !
  bool is_interactive = false;         // at a prompt; its subshells are not
  int command_number = 0;              // \# of the prompt: how many an interactive shell has read
  bool was_misused = false;            // by the builtin that just ran: fatal in posix mode to a special one
  bool runs_last_command = false;      // this subshell exists for one command: it may take the process over
  bool is_subshell_of_script = false;  // made by ( ), a pipeline, & or a substitution
  std::pair<int, int> killed_program;          // the program that just ended by a signal, until that is told: process id, signal
  bool tells_of_signals = true;        // false in a substitution: what kills a command there is not reported
  bool reads_command_string = false;   // -c: $- has c
  bool reads_stdin = false;            // -s or a script on stdin
  uint64_t getopts_offset = 1;         // place inside the current word
  int getopts_index = 0;               // OPTIND the offset belongs to
  Nanoseconds started{0};              // SECONDS counts from here
  int64_t seconds_base = 0;
  uint32_t random_state = 1;
  int arithmetic_depth = 0;            // expressions inside values inside expressions
  std::shared_ptr<ArithmeticCache> arithmetic_cache;   // null until the first text; shared by subshells
  int trace_depth = 0;                 // how often set -x repeats the first character of PS4
  // Descriptors that <( ) and >( ) opened for the command being expanded; closed after it.
  std::vector<int> substitution_descriptors;

  std::vector<Frame> frames;           // innermost last; [0] is main
  std::shared_ptr<std::map<std::string, Alias>> aliases;   // shared until written
  std::vector<std::string> disabled_builtins;              // by enable -n
  std::vector<std::string> directory_stack;                // without the current directory
  std::shared_ptr<HistoryList> history;                    // shared until written
  bool has_recorded_line = false, has_pushed_line = false;   // where its last entry came from (history.cc)
  std::shared_ptr<CompletionTable> completions;            // of complete; null: none, shared until written

 private:
  friend class Executor;
  friend class StateWriter;   // state/state_codec.cc
  friend class StateReader;
  proc::Process* process_;
  const ShellHost& host_;
  proc::DescriptorSink out_sink_;
  proc::DescriptorSink err_sink_;
  Output out_;
  Output err_;
  std::shared_ptr<std::vector<std::string>> positionals_;
  std::shared_ptr<std::map<std::string, Function, std::less<>>> functions_;
  std::unique_ptr<JobTable> jobs_;
  std::shared_ptr<std::map<std::string, std::pair<std::string, int>>> hash_;
  // What ExportedEnvironment() made last.
  struct ExportCache {
    uint64_t generation = 0;
    std::shared_ptr<Environment> environment;
  };
  // A subshell shares these two: same thread.
  std::shared_ptr<ExportCache> exports_;
  std::shared_ptr<std::map<std::string, Regex>> regexes_;
  Locale locale_;
  uint64_t locale_generation_ = 0;
};

}  // namespace paddock::shell
