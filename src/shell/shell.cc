#include "shell/shell.h"

#include <algorithm>

#include "shell/exec/jobs.h"
#include "shell/exec/program.h"
#include "shell/parser/parser.h"
#include "shell/state/assign.h"
#include "shell/state/history.h"
#include "shell/state/initial.h"
#include "text/regex.h"

namespace paddock::shell {

Shell::Shell(proc::Process& process, const ShellHost& host, const Environment& environment)
    : process_(&process),
      host_(host),
      out_sink_(process, 1),
      err_sink_(process, 2),
      out_(out_sink_),
      err_(err_sink_),
      positionals_(std::make_shared<std::vector<std::string>>()),
      functions_(std::make_shared<std::map<std::string, Function, std::less<>>>()),
      jobs_(std::make_unique<JobTable>()),
      hash_(std::make_shared<std::map<std::string, std::pair<std::string, int>>>()),
      exports_(std::make_shared<ExportCache>()) {
  aliases = std::make_shared<std::map<std::string, Alias>>();
  history = std::make_shared<HistoryList>();
  err_.set_unbuffered(true);
  shell_pid = process.pid();
  initial_stdin = process.descriptors().Get(0).get();
  started = process.kernel().clock().MonotonicNow();
  random_state = static_cast<uint32_t>(started.count()) ^ static_cast<uint32_t>(process.pid());
  variables.set_shell(this);
  frames.push_back(Frame{.function = "main"});
  SetInitialVariables(*this, environment);
}

Shell::Shell(const Shell& parent, proc::Process& process)
    : variables(parent.variables),
      options(parent.options),
      last_status(parent.last_status),
      last_substitution_status(parent.last_substitution_status),
      loop_depth(parent.loop_depth),
      line(parent.line),
      name0(parent.name0),
      command_text(parent.command_text),
      command(parent.command),
      last_argument(parent.last_argument),
      last_background_pid(parent.last_background_pid),
      pipe_status(parent.pipe_status),
      subshell_level(parent.subshell_level + 1),
      shell_pid(parent.shell_pid),
      errexit_ignored(parent.errexit_ignored),
      command_number(parent.command_number),
      is_subshell_of_script(true),
      tells_of_signals(parent.tells_of_signals),
      reads_command_string(parent.reads_command_string),
      reads_stdin(parent.reads_stdin),
      getopts_offset(parent.getopts_offset),
      getopts_index(parent.getopts_index),
      started(parent.started),
      seconds_base(parent.seconds_base),
      random_state(parent.random_state ^ static_cast<uint32_t>(process.pid()) * 2654435761u),
      arithmetic_cache(parent.arithmetic_cache),
      trace_depth(parent.trace_depth),
      frames(parent.frames),
      aliases(parent.aliases),
      disabled_builtins(parent.disabled_builtins),
      directory_stack(parent.directory_stack),
      history(parent.history),
      completions(parent.completions),
      process_(&process),
      host_(parent.host_),
      out_sink_(process, 1),
      err_sink_(process, 2),
      out_(out_sink_),
      err_(err_sink_),
      positionals_(parent.positionals_),
      functions_(parent.functions_),
      jobs_(std::make_unique<JobTable>(*parent.jobs_)),
      hash_(parent.hash_),
      exports_(parent.exports_),
      regexes_(parent.regexes_),
      locale_(parent.locale_),
      locale_generation_(parent.locale_generation_) {
  err_.set_unbuffered(true);
  initial_stdin = parent.initial_stdin;
  variables.set_shell(this);
  jobs_->NoteEnded(process);
  // Caught signals go back to their default; ignored ones stay ignored. `trap` still lists the parent's.
  traps.ignored_at_start = parent.traps.ignored_at_start;
  traps.innermost = parent.traps.innermost;
  traps.status_before = parent.traps.status_before;
  traps.inherited = parent.traps.inherited.empty() ? parent.traps.actions : parent.traps.inherited;
  for (const auto& [signal, action] : parent.traps.actions) {
    if (action.empty() && signal != kTrapExit) traps.actions[signal] = action;
    const bool is_traced = (signal == kTrapErr && options.Get(SetOption::kErrtrace)) ||
                           ((signal == kTrapDebug || signal == kTrapReturn) && options.Get(SetOption::kFunctrace));
    if (is_traced) traps.actions[signal] = action;
  }
}

Shell::Shell(const Shell& before, proc::Process& process, Continue) : Shell(before, process) {
  // `before` may be shared with a fork of the sandbox that runs on another thread.
  variables.Detach();
  exports_ = std::make_shared<ExportCache>();
  regexes_.reset();
  arithmetic_cache.reset();
  subshell_level = before.subshell_level;
  random_state = before.random_state;
  initial_stdin = process.descriptors().Get(0).get();
  is_subshell_of_script = before.is_subshell_of_script;
  last_status = before.last_status;
  loop_depth = 0;
  errexit_ignored = 0;
  traps = Traps{.actions = before.traps.actions, .inherited = {}, .ignored_at_start = before.traps.ignored_at_start};
  for (const auto& [signal, action] : before.traps.actions) SetTrap(signal, action);
}

Shell::~Shell() = default;

// --- errors ------------------------------------------------------------------------------------------

std::string Shell::Prefix() const {
  std::string prefix = name0;
  if (!frames.empty()) {
    const Frame& frame = frames.back();
    if (!frame.source.empty()) {
      prefix = frame.source;
    } else if (frame.is_function) {
      prefix = "environment";
    }
  }
  if (is_interactive || (line == 0 && !frames.empty() && frames.back().is_function)) return prefix + ": ";   // 0: see ImportFunction
  if (options.Get(ShoptOption::kGnuErrfmt)) return prefix + ":" + std::to_string(line) + ": ";
  return prefix + ": line " + std::to_string(line) + ": ";
}

void Shell::Complain(std::string_view message) {
  out_.Flush();
  std::string text = Prefix();
  text.append(message).append("\n");
  err_.Write(text);
  err_.ClearStatus();
}

void Shell::Complain(std::string_view builtin, std::string_view message) {
  Complain(std::string(builtin) + ": " + std::string(message));
}

void Shell::Discard() {
  last_status = 1;
  if (is_subshell_of_script) {
    flow = Flow::kExit;
  } else if (options.Get(SetOption::kPosix) && !is_interactive) {
    if (reads_command_string) last_status = kStatusOfFatalError;
    flow = Flow::kExit;
  } else {
    flow = Flow::kDiscard;
  }
}

void Shell::DiscardOrExit() {
  Discard();
  if (options.Get(SetOption::kErrexit)) {
    last_status = 1;
    flow = Flow::kExit;
  }
}

void Shell::DiscardAll() {
  Discard();
  discards_all = flow == Flow::kDiscard;
}

void Shell::FailExpansion(std::string_view message) {
  Complain(message);
  DiscardOrExit();
}

void Shell::FailFatal(std::string_view message) {
  Complain(message);
  if (is_interactive) {
    last_status = 1;
    flow = Flow::kDiscard;
    return;
  }
  last_status = is_subshell_of_script || options.Get(SetOption::kErrexit) || !reads_command_string
                    ? 1
                    : kStatusOfFatalError;
  flow = Flow::kExit;
}

// --- parameters --------------------------------------------------------------------------------------

std::optional<std::string_view> Shell::Get(const Name& name) {
  const Variable* variable = variables.Find(name);
  if (variable != nullptr && variable->has(kNameref)) [[unlikely]] {
    Target target;
    if (!ResolveName(*this, name, &target)) return std::nullopt;
    variable = target.Find(variables);
    if (variable == nullptr) return std::nullopt;
    if (target.subscript) {
      const std::string* element = nullptr;
      if (variable->has(kAssociative)) {
        element = variable->associative ? variable->associative->Get(*target.subscript) : nullptr;
      } else if (const auto index = EvaluateIndex(*this, target.name, variable, *target.subscript)) {
        if (variable->has(kIndexed)) {
          element = variable->indexed ? variable->indexed->Get(*index) : nullptr;
        } else if (*index == 0) {
          element = variable->Scalar();
        }
      }
      if (element == nullptr) return std::nullopt;
      return *element;
    }
  }
  if (variable == nullptr) return std::nullopt;
  const std::string* scalar = variable->Scalar();
  if (scalar == nullptr) return std::nullopt;
  return *scalar;
}

std::optional<std::string_view> Shell::Get(std::string_view name) { return Get(Name(std::string(name))); }

std::string Shell::GetOr(std::string_view name, std::string_view otherwise) {
  return std::string(Get(name).value_or(otherwise));
}

void Shell::SetShellVariable(const char* name, std::string_view value) {
  AssignScalar(*this, Name(name), value, {.ignore_readonly = true});
}

const std::string& Shell::ifs() {
  static const std::string kDefault = " \t\n";
  static const Name kIfs("IFS");
  const Variable* variable = variables.Find(kIfs);
  if (variable == nullptr) return kDefault;
  const std::string* value = variable->Scalar();
  return value == nullptr ? kDefault : *value;
}

Locale Shell::locale() {
  if (locale_generation_ == variables.locale_generation()) return locale_;
  Environment environment;
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) environment.Set(name, GetOr(name, ""));
  locale_ = LocaleOf(environment);
  locale_generation_ = variables.locale_generation();
  return locale_;
}

std::vector<std::string>& Shell::MutablePositionals() {
  if (positionals_.use_count() > 1) {
    positionals_ = std::make_shared<std::vector<std::string>>(*positionals_);
  }
  return *positionals_;
}

void Shell::SetPositionals(std::vector<std::string> values) {
  positionals_ = std::make_shared<std::vector<std::string>>(std::move(values));
}

Shell::PositionalsPtr Shell::ExchangePositionals(PositionalsPtr values) {
  std::swap(positionals_, values);
  return values;
}

std::string Shell::SpecialParameter(char name) {
  switch (name) {
    case '?': return std::to_string(last_status);
    case '$': return std::to_string(shell_pid);
    case '!': return last_background_pid == 0 ? std::string() : std::to_string(last_background_pid);
    case '#': return std::to_string(positionals_->size());
    case '0': return name0;
    case '-': {
      std::string letters = options.SetLetters();
      if (is_interactive) letters.insert(std::min(letters.find_first_not_of("abefh"), letters.size()), 1, 'i');
      if (reads_command_string) letters += 'c';
      if (reads_stdin) letters += 's';
      return letters;
    }
    case '_': return last_argument;
    default: {
      const size_t index = static_cast<size_t>(name - '1');
      return name >= '1' && name <= '9' && index < positionals_->size() ? (*positionals_)[index] : std::string();
    }
  }
}

// --- environment of children -------------------------------------------------------------------------

std::shared_ptr<const Environment> Shell::ExportedEnvironment(std::string_view program) {
  const bool has_exported_function =
      std::any_of(functions_->begin(), functions_->end(), [](const auto& entry) { return entry.second.is_exported; });
  std::shared_ptr<Environment>& environment = exports_->environment;
  if (!environment || exports_->generation != variables.export_generation() || has_exported_function) {
    // Charging may let another shell run that shares the exports.
    auto fresh = std::make_shared<Environment>();
    variables.ForEachExported([&](const std::string& name, const Variable& variable) {
      budget().Step();
      if (name != "_") fresh->Append(name, variable.text);
    });
    AddExportedFunctions(*this, *fresh);
    ChargeCopy(*fresh, budget());
    environment = std::move(fresh);
    exports_->generation = variables.export_generation();
  } else if (environment.use_count() > 1) {
    environment = std::make_shared<Environment>(*environment);
  }
  environment->Set("_", program);
  return environment;
}

// --- look-up -----------------------------------------------------------------------------------------

const Function* Shell::FindFunction(std::string_view name) const {
  if (functions_->empty()) return nullptr;
  const auto it = functions_->find(name);
  return it == functions_->end() ? nullptr : &it->second;
}

void Shell::DefineFunction(const std::string& name, Function function) {
  const Function* replaced = FindFunction(name);
  if (function.is_exported || (replaced != nullptr && replaced->is_exported)) variables.NoteExport();
  if (functions_.use_count() > 1) {
    budget().Step(static_cast<int64_t>(functions_->size()));
    functions_ = std::make_shared<std::map<std::string, Function, std::less<>>>(*functions_);
  }
  (*functions_)[name] = std::move(function);
}

bool Shell::RemoveFunction(const std::string& name) {
  if (!functions_->contains(name)) return false;
  if (functions_.use_count() > 1) {
    budget().Step(static_cast<int64_t>(functions_->size()));
    functions_ = std::make_shared<std::map<std::string, Function, std::less<>>>(*functions_);
  }
  if (functions_->find(name)->second.is_exported) variables.NoteExport();
  functions_->erase(name);
  return true;
}

std::vector<std::string> Shell::FunctionNames() const {
  std::vector<std::string> names;
  for (const auto& [name, function] : *functions_) names.push_back(name);
  return names;
}

std::map<std::string, Alias>& Shell::MutableAliases() {
  if (aliases.use_count() > 1) {
    budget().Step(static_cast<int64_t>(aliases->size()));
    aliases = std::make_shared<std::map<std::string, Alias>>(*aliases);
  }
  return *aliases;
}

std::map<std::string, std::pair<std::string, int>>& Shell::MutableHash() {
  if (hash_.use_count() > 1) {
    budget().Step(static_cast<int64_t>(hash_->size()));
    hash_ = std::make_shared<std::map<std::string, std::pair<std::string, int>>>(*hash_);
  }
  return *hash_;
}

namespace {

// Calls f(path) for each candidate of `name` in the colon-separated list until it answers true.
template <class F>
void ForEachCandidate(std::string_view list, std::string_view name, F&& f) {
  while (true) {
    const size_t colon = list.find(':');
    const std::string_view directory = list.substr(0, colon);
    if (f(vfs::JoinPath(directory.empty() ? "." : directory, name))) return;
    if (colon == std::string_view::npos) return;
    list.remove_prefix(colon + 1);
  }
}

}  // namespace

std::string Shell::FindInPath(std::string_view name, std::optional<std::string_view> path, bool remember) {
  if (name.empty() || name.find('/') != std::string_view::npos) return std::string(name);
  const bool is_own_path = !path.has_value();
  if (is_own_path) {
    const auto it = hash_->find(std::string(name));
    if (it != hash_->end()) {
      auto stat = files().Stat(it->second.first);
      if (stat && stat->is_file()) {
        if (remember) ++MutableHash()[std::string(name)].second;
        return it->second.first;
      }
      MutableHash().erase(std::string(name));
    }
    path = Get("PATH");
    if (!path) return {};
  }
  std::string found;
  std::string not_executable;
  ForEachCandidate(*path, name, [&](std::string candidate) {
    auto stat = files().Stat(candidate);
    if (!stat || stat->is_directory()) return false;
    if (files().Access(candidate, 1)) {
      found = std::move(candidate);
      return true;
    }
    if (not_executable.empty()) not_executable = std::move(candidate);
    return false;
  });
  if (found.empty()) return not_executable;
  // A path that holds for one command only leaves no trace.
  if (is_own_path && remember && options.Get(SetOption::kHashall) && !variables.IsTemporary(Name("PATH"))) {
    MutableHash()[std::string(name)] = {found, 1};
  }
  return found;
}

std::vector<std::string> Shell::FindAllInPath(std::string_view name) {
  std::vector<std::string> all;
  const auto path = Get("PATH");
  if (!path) return all;
  ForEachCandidate(*path, name, [&](std::string candidate) {
    auto stat = files().Stat(candidate);
    if (stat && stat->is_file() && files().Access(candidate, 1)) all.push_back(std::move(candidate));
    return false;
  });
  return all;
}

ParserOptions Shell::parser_options() {
  ParserOptions parser;
  parser.extglob = options.Get(ShoptOption::kExtglob);
  parser.expand_aliases = options.Get(ShoptOption::kExpandAliases) || is_interactive;
  parser.posix = options.Get(SetOption::kPosix);
  parser.is_interactive = is_interactive;
  if (parser.expand_aliases) {
    parser.find_alias = [this](std::string_view name) -> const std::string* {
      const auto it = aliases->find(std::string(name));
      return it == aliases->end() ? nullptr : &it->second.value;
    };
  }
  return parser;
}

}  // namespace paddock::shell
