// Running statements: scripts, lists, compound commands, and what errexit, traps and flow do between them.

#include <algorithm>

#include "shell/ast/printer.h"
#include "shell/builtins/builtin.h"
#include "shell/exec/condition.h"
#include "shell/exec/executor.h"
#include "shell/exec/jobs.h"
#include "shell/expand/arithmetic.h"
#include "shell/expand/expander.h"
#include "shell/expand/expansion.h"
#include "shell/parser/parser.h"
#include "shell/shell.h"
#include "shell/state/assign.h"
#include "shell/state/history.h"
#include "text/pattern.h"
#include "text/utf8.h"

namespace paddock::shell {
namespace {

void PrintSyntaxError(Shell& shell, const SyntaxError& error, std::string_view context) {
  shell.line = error.line;
  if (error.message.empty()) return;
  std::string prefix = shell.Prefix();
  if (shell.is_interactive && context.empty()) {
    shell.out().Flush();
    shell.err().Write(prefix + error.message + "\n");
    return;
  }
  if (!context.empty()) {
    const size_t at = prefix.find(": ");
    prefix.insert(at + 2, std::string(context) + ": ");
  }
  shell.out().Flush();
  std::string text = prefix + error.message + "\n";
  if (!error.source_line.empty()) text += prefix + error.source_line + "\n";
  shell.err().Write(text);
}

// Sets $? and the flow after an error of the parser. True if reading goes on with the next line.
bool LeavesText(Shell& shell, const SyntaxError& error, bool is_main) {
  if (error.discards_line) {
    shell.last_status = 1;
    return false;
  }
  if (error.is_in_substitution && shell.is_subshell_of_script) {
    shell.last_status = 1;
    shell.flow = Flow::kExit;
  } else if (error.is_in_substitution && shell.reads_command_string) {
    shell.last_status = kStatusOfFatalError;
    shell.flow = Flow::kExit;
  } else if (error.is_in_substitution && !is_main) {
    shell.last_status = 1;
    shell.flow = Flow::kExit;
  } else {
    // Of a script on stdin there may be more than was read.
    const bool is_cut_off = error.is_cut_off && !shell.reads_stdin;
    if (!error.is_conditional || !is_main || is_cut_off) shell.last_status = 2;
    if (is_main) shell.flow = Flow::kExit;
  }
  if (shell.is_interactive && shell.flow == Flow::kExit) shell.flow = Flow::kDiscard;   // back to the prompt
  return true;
}

// Runs text statement by statement. `context` is "-c" or "eval" in messages.
int RunText(Shell& shell, std::string_view text, int first_line, std::string_view context, bool is_main) {
  Budget& budget = shell.budget();
  Parser parser(text, shell.parser_options(), budget, first_line);
  Options options_then = shell.options;
  bool has_run = false;
  while (shell.flow == Flow::kNone) {
    if (options_then != shell.options) {
      parser.set_options(shell.parser_options());
      options_then = shell.options;
    }
    const size_t offset_before = parser.offset();
    Parser::Outcome outcome = parser.Next();
    if (shell.options.Get(SetOption::kVerbose)) {
      const std::string_view read = text.substr(offset_before, parser.offset() - offset_before);
      shell.err().Write(std::string(read) + (read.empty() || read.ends_with('\n') ? "" : "\n"));
    }
    for (const ParserWarning& warning : outcome.warnings) {
      shell.line = warning.line;
      shell.Complain("warning: " + warning.message);
    }
    if (outcome.error) {
      if (is_main && shell.is_interactive && shell.options.Get(SetOption::kHistory)) {
        RecordCommand(shell, text.substr(offset_before));
      }
      PrintSyntaxError(shell, *outcome.error, context);
      if (LeavesText(shell, *outcome.error, is_main)) {
        shell.was_misused = true;
        return shell.last_status;
      }
      has_run = true;
      continue;
    }
    if (!outcome.list) break;
    if (is_main && shell.options.Get(SetOption::kHistory)) {
      RecordCommand(shell, text.substr(offset_before, parser.offset() - offset_before));
    }
    if (outcome.list->items.empty()) continue;
    has_run = true;
    shell.ExecuteList(*outcome.list);
    shell.ForgetCommand();
    if (shell.flow == Flow::kDiscard && (is_main || !shell.discards_all)) {
      const bool ends = std::exchange(shell.discards_all, false) && shell.reads_command_string;
      shell.flow = ends ? Flow::kExit : Flow::kNone;
    }
    if (shell.options.Get(SetOption::kOnecmd) && is_main && !shell.reads_command_string) shell.flow = Flow::kExit;
  }
  if (!has_run && !is_main) shell.last_status = 0;
  return shell.last_status;
}

}  // namespace

int Shell::RunScript(std::string_view text, int first_line) {
  const bool is_command_string = reads_command_string && frames.back().source.empty();
  return RunText(*this, text, first_line, is_command_string ? "-c" : "", /*is_main=*/true);
}

int Shell::Eval(std::string_view text, int first_line, std::string_view context) {
  ++trace_depth;
  RunText(*this, text, first_line, context, /*is_main=*/false);
  --trace_depth;
  return last_status;
}

int Shell::Source(const std::string& path, std::string_view text, std::optional<std::vector<std::string>> args) {
  auto saved_positionals = positionals_;
  std::optional<std::vector<std::string>> shown;
  if (options.Get(ShoptOption::kExtdebug)) shown = args ? *args : std::vector<std::string>{path};
  if (args) SetPositionals(std::move(*args));
  auto given = positionals_;
  frames.push_back(Frame{.function = "source", .source = path, .call_line = line, .is_source = true});
  frames.back().arguments = std::move(shown);
  const int saved_line = line;
  ++trace_depth;
  RunText(*this, text, 1, "", /*is_main=*/false);
  --trace_depth;
  RunReturnTrap();
  frames.pop_back();
  line = saved_line;
  // `set --` inside the file stays in effect, as in bash; otherwise the caller's parameters come back.
  if (args && positionals_ == given) positionals_ = std::move(saved_positionals);
  return last_status;
}

int Shell::ExecuteList(const StatementList& list) {
  for (const StatementList::Item& item : list.items) {
    if (process_->HasCaught()) {
      RunPendingTraps();
      if (flow != Flow::kNone) return last_status;
    }
    if (item.is_background) {
      StartBackground(*this, *item.statement, list.shared_from_this());
    } else {
      ExecuteStatement(*item.statement);
    }
    if (flow != Flow::kNone) return last_status;
  }
  if (process_->HasCaught()) RunPendingTraps();
  return last_status;
}

namespace {

// After a command that failed: ERR trap and errexit, unless the context forgives.
void CheckFailure(Shell& shell, const Statement& statement) {
  if (shell.last_status == 0 || shell.errexit_ignored > 0 || shell.flow != Flow::kNone) return;
  if (!shell.traps.actions.empty() && shell.pipeline_stage != &statement) shell.RunPseudoTrap(kTrapErr);
  if (shell.flow == Flow::kNone && shell.options.Get(SetOption::kErrexit)) shell.flow = Flow::kExit;
}

// Marks a stretch in which failures are forgiven (conditions, && and ||, !).
class Forgiving {
 public:
  explicit Forgiving(Shell& shell) : shell_(shell) { ++shell_.errexit_ignored; }
  ~Forgiving() { --shell_.errexit_ignored; }
  Forgiving(const Forgiving&) = delete;
  Forgiving& operator=(const Forgiving&) = delete;

 private:
  Shell& shell_;
};

bool RunCondition(Shell& shell, const StatementList& list) {
  const Forgiving forgiving(shell);
  shell.ExecuteList(list);
  return shell.flow == Flow::kNone && shell.last_status == 0;
}

// Handles break and continue at the end of a loop's body. True when the loop must end.
bool LeavesLoop(Shell& shell) {
  if (shell.flow == Flow::kNone) return false;
  if (shell.flow != Flow::kBreak && shell.flow != Flow::kContinue) return true;
  if (shell.flow_count > 1) {
    --shell.flow_count;
    return true;
  }
  const bool is_break = shell.flow == Flow::kBreak;
  shell.flow = Flow::kNone;
  shell.flow_count = 0;
  return is_break;
}

class LoopScope {
 public:
  explicit LoopScope(Shell& shell) : shell_(shell) { ++shell_.loop_depth; }
  ~LoopScope() { --shell_.loop_depth; }
  LoopScope(const LoopScope&) = delete;
  LoopScope& operator=(const LoopScope&) = delete;

 private:
  Shell& shell_;
};

// Shows a compound command's head to the DEBUG trap. False when the command must not run.
bool Announce(Shell& shell, const std::string& text) {
  shell.command = nullptr;
  return shell.AnnounceCommand(text);
}

std::string HeadOf(const Statement& statement, const char* keyword) {
  std::string text = std::string(keyword) + " " + statement.name.text;
  if (statement.has_in) {
    text += " in";
    for (const Word& word : statement.words) text += " " + word.source;
  } else {
    text += " in \"$@\"";
  }
  return text;
}

// One turn of the bookkeeping that every loop does. False when a trap ended the loop.
bool NextTurn(Shell& shell) {
  shell.budget().Step();
  if (shell.process().HasCaught()) shell.RunPendingTraps();
  return shell.flow == Flow::kNone;
}

void RunIf(Shell& shell, const Statement& statement) {
  for (const Statement::Branch& branch : statement.branches) {
    if (branch.condition) {
      const bool is_true = RunCondition(shell, *branch.condition);
      if (shell.flow != Flow::kNone) return;
      if (!is_true) continue;
    }
    shell.ExecuteList(*branch.body);
    return;
  }
  shell.last_status = 0;
}

void RunWhile(Shell& shell, const Statement& statement) {
  const bool is_until = statement.kind == Statement::Kind::kUntil;
  const LoopScope loop(shell);
  int status = 0;
  while (NextTurn(shell)) {
    const bool is_true = RunCondition(shell, *statement.condition);
    if (shell.flow != Flow::kNone) {
      if (LeavesLoop(shell)) break;
      continue;
    }
    if (is_true == is_until) break;
    shell.ExecuteList(*statement.body);
    status = shell.last_status;
    if (LeavesLoop(shell)) break;
  }
  if (shell.flow == Flow::kNone || shell.flow == Flow::kBreak || shell.flow == Flow::kContinue) {
    shell.last_status = status;
  }
}

bool CheckLoopName(Shell& shell, const Statement& statement) {
  shell.line = statement.line;
  if (IsName(statement.name.text)) return true;
  shell.Complain("`" + statement.name.text + "': not a valid identifier");
  const bool is_fatal = shell.options.Get(SetOption::kPosix);
  shell.last_status = is_fatal ? 2 : 1;
  if (is_fatal) shell.flow = Flow::kExit;
  return false;
}

bool LoopWords(Shell& shell, const Statement& statement, std::vector<std::string>* words) {
  if (!statement.has_in) {
    *words = shell.positionals();
    return true;
  }
  for (const Word& word : statement.words) {
    if (!ExpandWord(shell, word, words)) return false;
  }
  return true;
}

// Assigns the loop variable; a nameref takes the word as its target.
bool SetLoopVariable(Shell& shell, const Name& name, const std::string& word) {
  const Variable* variable = shell.variables.Find(name);
  if (variable != nullptr && variable->has(kNameref) && !variable->has(kReadonly)) {
    Variable* mutable_variable = shell.variables.FindMutable(name);
    mutable_variable->text = word;
    mutable_variable->is_set = true;
    return true;
  }
  return AssignScalar(shell, name, word);
}

void RunFor(Shell& shell, const Statement& statement) {
  if (!CheckLoopName(shell, statement)) return;
  std::vector<std::string> words;
  if (!LoopWords(shell, statement, &words)) return;
  const LoopScope loop(shell);
  int status = 0;
  for (const std::string& word : words) {
    if (!NextTurn(shell)) return;
    shell.line = statement.line;
    if (shell.options.Get(SetOption::kXtrace)) TraceFor(shell, statement);
    if (shell.has_traps() && !Announce(shell, HeadOf(statement, "for"))) {
      if (shell.flow != Flow::kNone) return;
      continue;
    }
    if (!SetLoopVariable(shell, statement.name, word)) {
      shell.last_status = 1;
      if (shell.options.Get(SetOption::kPosix) && shell.flow == Flow::kNone) shell.Discard();
      return;
    }
    shell.ExecuteList(*statement.body);
    status = shell.last_status;
    if (LeavesLoop(shell)) break;
  }
  if (shell.flow == Flow::kNone || shell.flow == Flow::kBreak || shell.flow == Flow::kContinue) {
    shell.last_status = status;
  }
}

std::optional<int64_t> EvaluatePart(Shell& shell, const Statement& statement, size_t index) {
  if (shell.options.Get(SetOption::kXtrace)) {
    std::string text;
    if (!ExpandArithmeticText(shell, statement.expressions[index], &text)) return std::nullopt;
    TraceArithmetic(shell, text);
    return EvaluateText(shell, text, "((");
  }
  if (index < statement.compiled.size() && statement.compiled[index]) {
    return Evaluate(shell, *statement.compiled[index], "((");
  }
  return EvaluateWord(shell, statement.expressions[index], "((");
}

void RunArithmeticFor(Shell& shell, const Statement& statement) {
  const LoopScope loop(shell);
  const auto is_absent = [&](size_t index) {
    return statement.expressions[index].source.find_first_not_of(" \t\n") == std::string::npos;
  };
  // What is absent counts as 1, for DEBUG too.
  const auto evaluate = [&](size_t index) -> std::optional<int64_t> {
    const bool counts_as_one = is_absent(index);
    shell.line = shell.has_traps() ? statement.line : shell.line;
    if (shell.has_traps() && !Announce(shell, "((" + (counts_as_one ? "1" : statement.expressions[index].source) + "))")) return 0;
    return counts_as_one ? 1 : EvaluatePart(shell, statement, index);
  };
  int status = 0;
  shell.line = statement.line;
  if (!evaluate(0)) {
    shell.last_status = 1;
    return;
  }
  while (NextTurn(shell)) {
    const auto value = evaluate(1);
    if (!value) {
      status = 1;
      break;
    }
    if (*value == 0) break;
    shell.ExecuteList(*statement.body);
    status = shell.last_status;
    if (LeavesLoop(shell)) break;
    if (!evaluate(2)) {
      status = 1;
      break;
    }
  }
  if (shell.flow == Flow::kNone || shell.flow == Flow::kBreak || shell.flow == Flow::kContinue) {
    shell.last_status = status;
  }
}

// Moves from one column to another as bash does: by tabs as far as they reach.
std::string Gap(size_t from, size_t to) {
  constexpr size_t kTab = 8;
  std::string gap;
  while (from < to) {
    const size_t stop = (from / kTab + 1) * kTab;
    gap += stop <= to ? '\t' : ' ';
    from = stop <= to ? stop : from + 1;
  }
  return gap;
}

size_t ScreenWidth(Shell& shell) {
  constexpr size_t kDefault = 80;
  const auto columns = shell.Get("COLUMNS");
  const int width = columns ? std::atoi(std::string(*columns).c_str()) : 0;
  return width > 0 ? static_cast<size_t>(width) : kDefault;
}

// The numbers of the first column are as wide as it needs, the others as the last of all.
void PrintMenu(Shell& shell, const std::vector<std::string>& words) {
  const auto width = [&shell](const std::string& word) {
    return shell.locale().is_utf8 ? TextWidth(word) : word.size();
  };
  size_t widest = 0;
  for (const std::string& word : words) widest = std::max(widest, width(word));
  const size_t digits = std::to_string(words.size()).size();
  const size_t cell = widest + digits + 4;
  size_t columns = std::max<size_t>(1, ScreenWidth(shell) / cell);
  size_t rows = (words.size() + columns - 1) / columns;
  columns = (words.size() + rows - 1) / rows;
  if (rows == 1) rows = columns;
  const size_t first_digits = std::to_string(rows).size();
  std::string text;
  for (size_t row = 0; row < rows; ++row) {
    size_t column = 0;
    for (size_t i = row; i < words.size(); i += rows) {
      const std::string number = std::to_string(i + 1);
      const size_t number_width = column == 0 ? first_digits : digits;
      text += std::string(number_width - std::min(number_width, number.size()), ' ') + number + ") " + words[i];
      if (i + rows < words.size()) text += Gap(column + number_width + 2 + width(words[i]), column + cell);
      column += cell;
    }
    text += '\n';
  }
  shell.err().Write(text);
}

void RunSelect(Shell& shell, const Statement& statement) {
  if (!CheckLoopName(shell, statement)) return;
  std::vector<std::string> words;
  if (!LoopWords(shell, statement, &words)) return;
  shell.last_status = 0;
  if (shell.options.Get(SetOption::kXtrace)) TraceFor(shell, statement);
  if (words.empty()) return;
  if (shell.has_traps() && !Announce(shell, HeadOf(statement, "select"))) return;
  const LoopScope loop(shell);
  bool needs_menu = true;
  int status = 0;
  while (NextTurn(shell)) {
    if (needs_menu) PrintMenu(shell, words);
    shell.err().Write(shell.GetOr("PS3", "#? "));
    const int read_status = shell.CallWords({"read", "-r", "REPLY"}, {.only_builtins = true});
    if (read_status != 0) {
      shell.out().Write("\n");
      shell.out().Flush();
      status = 1;
      break;
    }
    const std::string reply = shell.GetOr("REPLY", "");
    needs_menu = reply.empty();
    if (needs_menu) continue;
    size_t choice = 0;
    for (const char c : reply) {
      choice = c >= '0' && c <= '9' && choice < 1'000'000 ? choice * 10 + static_cast<size_t>(c - '0') : SIZE_MAX / 20;
    }
    const bool is_valid = choice >= 1 && choice <= words.size();
    if (!AssignScalar(shell, statement.name, is_valid ? words[choice - 1] : std::string())) {
      shell.last_status = 1;
      return;
    }
    shell.ExecuteList(*statement.body);
    status = shell.last_status;
    if (LeavesLoop(shell)) break;
  }
  if (shell.flow == Flow::kNone) shell.last_status = status;
}

void RunCase(Shell& shell, const Statement& statement) {
  shell.line = statement.line;
  if (shell.has_traps() && !Announce(shell, "case " + statement.words[0].source + " in ")) return;
  std::string subject;
  if (!ExpandToString(shell, statement.words[0], &subject)) return;
  if (shell.options.Get(SetOption::kXtrace)) TraceCase(shell, statement.words[0]);
  shell.last_status = 0;
  const PatternFlags flags{.extglob = shell.options.Get(ShoptOption::kExtglob),
                           .ignore_case = shell.options.Get(ShoptOption::kNocasematch),
                           .is_utf8 = shell.locale().is_utf8};
  bool falls_through = false;
  for (const Statement::CaseClause& clause : statement.clauses) {
    bool matches = falls_through;
    for (const Word& word : clause.patterns) {
      if (matches) break;
      std::string pattern;
      if (!ExpandPattern(shell, word, &pattern)) return;
      matches = Pattern(pattern, flags).Matches(subject, shell.budget());
    }
    if (!matches) continue;
    if (clause.body) shell.ExecuteList(*clause.body);
    if (clause.body && clause.body->items.empty()) shell.last_status = 0;
    if (shell.flow != Flow::kNone || clause.end == Statement::CaseEnd::kBreak) return;
    falls_through = clause.end == Statement::CaseEnd::kFallThrough;
  }
}

void RunArithmeticCommand(Shell& shell, const Statement& statement) {
  shell.line = statement.line;
  if (shell.has_traps() && !Announce(shell, PrintStatement(statement))) return;
  shell.command = &statement;
  const auto value = EvaluatePart(shell, statement, 0);
  if (shell.flow != Flow::kNone) return;
  shell.last_status = value && *value != 0 ? 0 : 1;
  shell.pipe_status.assign(1, shell.last_status);
}

void DefineStatementFunction(Shell& shell, const Statement& statement) {
  const std::string& name = statement.name.text;
  shell.line = statement.line;
  const Function* existing = shell.FindFunction(name);
  if (existing != nullptr && existing->is_readonly) {
    shell.Complain(name + ": readonly function");
    shell.last_status = 1;
    return;
  }
  const bool is_posix = shell.options.Get(SetOption::kPosix);
  const Builtin* builtin = is_posix ? FindBuiltin(name) : nullptr;
  const char* complaint = nullptr;
  if (is_posix ? !IsName(name) : name.find_first_of("$`'\"\\") != std::string::npos) {
    complaint = "': not a valid identifier";
  } else if (builtin != nullptr && builtin->is_special) {
    complaint = "': is a special builtin";
  }
  if (complaint != nullptr) {
    shell.Complain("`" + name + complaint);
    shell.last_status = is_posix ? 2 : 1;
    if (is_posix) shell.flow = Flow::kExit;
    return;
  }
  std::string source = shell.frames.back().source;
  if (source.empty() && shell.reads_stdin) source = "main";
  // The definition keeps the whole function statement's parts; the body is shared with the tree.
  shell.DefineFunction(name, Function{.definition = statement.definition,
                                      .source = std::move(source),
                                      .is_exported = existing != nullptr && existing->is_exported,
                                      .has_keyword = statement.has_function_keyword,
                                      .line = statement.line});
  shell.last_status = 0;
}

// True for kinds whose failure counts for errexit and ERR themselves (others only pass on what ran inside).
bool CountsItself(Statement::Kind kind) {
  switch (kind) {
    case Statement::Kind::kSimple:
    case Statement::Kind::kPipeline:
    case Statement::Kind::kSubshell:
    case Statement::Kind::kCondition:
    case Statement::Kind::kArithmetic:
      return true;
    default:
      return false;
  }
}

void RunAndOr(Shell& shell, const Statement& statement) {
  {
    const Forgiving forgiving(shell);
    shell.ExecuteStatement(*statement.children[0]);
  }
  if (shell.flow != Flow::kNone) return;
  const bool wants_success = statement.kind == Statement::Kind::kAnd;
  if ((shell.last_status == 0) == wants_success) shell.ExecuteStatement(*statement.children[1]);
}

void RunBody(Shell& shell, const Statement& statement) {
  switch (statement.kind) {
    case Statement::Kind::kSimple: break;   // handled by the caller: its redirections are its own
    case Statement::Kind::kPipeline: return RunPipeline(shell, statement);
    case Statement::Kind::kAnd:
    case Statement::Kind::kOr: return RunAndOr(shell, statement);
    case Statement::Kind::kGroup: shell.ExecuteList(*statement.body); return;
    case Statement::Kind::kSubshell: return RunSubshell(shell, statement);
    case Statement::Kind::kIf: return RunIf(shell, statement);
    case Statement::Kind::kFor: return RunFor(shell, statement);
    case Statement::Kind::kArithmeticFor: return RunArithmeticFor(shell, statement);
    case Statement::Kind::kSelect: return RunSelect(shell, statement);
    case Statement::Kind::kWhile:
    case Statement::Kind::kUntil: return RunWhile(shell, statement);
    case Statement::Kind::kCase: return RunCase(shell, statement);
    case Statement::Kind::kCondition: return RunConditional(shell, statement);
    case Statement::Kind::kArithmetic: return RunArithmeticCommand(shell, statement);
    case Statement::Kind::kFunction: return DefineStatementFunction(shell, statement);
    case Statement::Kind::kCoprocess: return StartCoprocess(shell, statement);
  }
}

}  // namespace

int Shell::ExecuteStatement(const Statement& statement) {
  budget().Step();
  budget().CheckStack();
  if (options.Get(SetOption::kNoexec) && !is_interactive) return last_status;
  if (statement.kind == Statement::Kind::kSimple) {
    const size_t substitutions = substitution_descriptors.size();
    RunSimple(*this, statement);
    CloseSubstitutions(*this, substitutions);
    CheckFailure(*this, statement);
    return last_status;
  }
  if (statement.redirects.empty() || statement.kind == Statement::Kind::kFunction ||
      statement.kind == Statement::Kind::kSubshell) {
    RunBody(*this, statement);
  } else {
    const size_t substitutions = substitution_descriptors.size();
    std::vector<SavedDescriptor> saved;
    line = statement.line;
    const bool is_redirected = ApplyRedirects(statement.redirects, &saved);
    if (is_redirected) {
      RunBody(*this, statement);
      out_.Flush();
    } else if (flow == Flow::kNone) {
      last_status = 1;
    }
    RestoreRedirects(saved);
    CloseSubstitutions(*this, substitutions);
    // A redirection that fails is the command's own failure; what fails inside has been judged there.
    if (!is_redirected && last_status != 0 && !CountsItself(statement.kind) && flow == Flow::kNone) CheckFailure(*this, statement);
  }
  if (statement.kind == Statement::Kind::kSubshell && last_status != 0 && !traps.actions.empty()) {
    line = statement.line;
    command = nullptr;
    command_text = PrintStatement(statement);
  }
  const bool is_inverted = statement.kind == Statement::Kind::kPipeline && statement.is_negated;
  if (CountsItself(statement.kind) && !is_inverted) CheckFailure(*this, statement);
  return last_status;
}

}  // namespace paddock::shell
