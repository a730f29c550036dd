#include "shell/state/state_codec.h"

#include <algorithm>

#include "proc/signals.h"
#include "shell/ast/lines.h"
#include "shell/ast/printer.h"
#include "shell/exec/jobs.h"
#include "shell/shell.h"
#include "shell/state/completion.h"
#include "shell/state/history.h"
#include "shell/state/state_sections.h"

namespace paddock::shell {
namespace {

// Indices of EncodedState::origins.
enum Origin : size_t { kGlobals, kFunctionMap, kAliasMap, kPositionalList, kHashMap, kHistoryList, kCompletionTable };

constexpr int kStatusOfUnknown = 127;   // as `wait` has it
constexpr int kStatusOfKilled = 128 + proc::kSigKill;

void WriteStrings(PackedWriter& out, const std::vector<std::string>& list) {
  out.Number(list.size());
  for (const std::string& text : list) out.Bytes(text);
}

std::string OptionNames(const Options& options) {
  std::string bytes;
  PackedWriter out(bytes);
  const auto write = [&](const auto& infos) {
    std::vector<std::string> names;
    for (const auto& info : infos) {
      if (options.Get(info.option)) names.emplace_back(info.name);
    }
    WriteStrings(out, names);
  };
  write(SetOptions());
  write(ShoptOptions());
  return bytes;
}

void WriteVariable(PackedWriter& out, const Variable& variable) {
  out.Number(variable.attributes);
  out.Bool(variable.is_set);
  out.Bool(variable.dynamic != nullptr);
  if (variable.dynamic != nullptr) return;   // computed when it is read
  out.Bytes(variable.text);
  if (variable.has(kIndexed)) {
    out.Number(variable.indexed ? variable.indexed->size() : 0);
    int64_t next = 0;
    if (variable.indexed) {
      variable.indexed->ForEach([&](int64_t index, const std::string& value) {
        out.Number(static_cast<uint64_t>(index) - static_cast<uint64_t>(next));
        out.Bytes(value);
        next = index;
      });
    }
  }
  if (variable.has(kAssociative)) {
    out.Number(variable.associative ? variable.associative->bucket_count() : 0);
    out.Number(variable.associative ? variable.associative->size() : 0);
    if (variable.associative) {
      variable.associative->ForEach([&](const std::string& key, const std::string& value) {
        out.Bytes(key);
        out.Bytes(value);
      });
    }
  }
}

using VariableList = std::vector<std::pair<const std::string*, const Variable*>>;

VariableList SortedVariables(const VariableTable& table) {
  VariableList list;
  list.reserve(table.size());
  table.ForEach([&](const Name& name, const Variable& variable) { list.emplace_back(&name.text, &variable); });
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return *a.first < *b.first; });
  return list;
}

}  // namespace

class StateWriter {
 public:
  StateWriter(const Shell& shell, const ShellPlace& place, proc::Kernel& kernel, const StateClock& clock,
              const EncodedState& previous)
      : shell_(shell), place_(place), kernel_(kernel), clock_(clock), previous_(previous) {}

  EncodedState Write() {
    // What this program wrote itself.
    if (auto sections = SplitState(previous_.bytes)) before_ = std::move(*sections);
    result_.origins = {shell_.variables.globals(), shell_.functions_, shell_.aliases, shell_.positionals_,
                       shell_.hash_,               shell_.history,    shell_.completions};
    result_.bytes.reserve(previous_.bytes.size() + 256);
    PackedWriter(result_.bytes).Number(kStateVersion);
    Add(StateSection::kPlace, Place());
    Add(StateSection::kNumbers, Numbers());
    Add(StateSection::kOptions, OptionNames(shell_.options));
    AddUnlessKept(StateSection::kVariables, kGlobals, [this] { return TheVariables(); });
    AddUnlessKept(StateSection::kFunctions, kFunctionMap, [this] { return Functions(); });
    AddUnlessKept(StateSection::kAliases, kAliasMap, [this] { return Aliases(); });
    Add(StateSection::kTraps, TheTraps());
    AddUnlessKept(StateSection::kPositionals, kPositionalList, [this] { return Positionals(); });
    Add(StateSection::kLists, Lists());
    AddUnlessKept(StateSection::kHash, kHashMap, [this] { return Hash(); });
    AddUnlessKept(StateSection::kHistory, kHistoryList, [this] { return History(); });
    AddUnlessKept(StateSection::kCompletions, kCompletionTable, [this] { return Completions(); });
    Add(StateSection::kJobs, Jobs());
    return std::move(result_);
  }

 private:
  void Add(StateSection section, std::string_view content) {
    if (content.empty()) return;
    PackedWriter out(result_.bytes);
    out.Number(static_cast<uint64_t>(section));
    out.Bytes(content);
  }
  template <class F>
  void AddUnlessKept(StateSection section, Origin origin, F&& make) {
    if (IsKept(origin)) Add(section, Before(section));
    else Add(section, make());
  }
  bool IsKept(Origin origin) const {
    return !previous_.bytes.empty() && previous_.origins[origin] == result_.origins[origin];
  }
  std::string_view Before(StateSection section) const {
    const auto it = before_.find(static_cast<uint64_t>(section));
    return it == before_.end() ? std::string_view() : it->second;
  }

  std::string Place() const {
    std::string bytes;
    PackedWriter out(bytes);
    out.Bytes(place_.cwd);
    out.Number(place_.umask);
    return bytes;
  }

  std::string Numbers() const {
    std::string bytes;
    PackedWriter out(bytes);
    out.Signed(shell_.last_status);
    out.Signed(shell_.last_substitution_status);
    out.Signed(shell_.line);
    out.Bytes(shell_.name0);
    out.Bytes(shell_.command_text);
    out.Bytes(shell_.last_argument);
    out.Signed(shell_.last_background_pid);
    out.Number(shell_.pipe_status.size());
    for (const int status : shell_.pipe_status) out.Signed(status);
    out.Signed(shell_.subshell_level);
    out.Signed(shell_.shell_pid);
    out.Signed(shell_.command_number);
    out.Bool(shell_.is_subshell_of_script);
    out.Bool(shell_.reads_command_string);
    out.Bool(shell_.reads_stdin);
    out.Number(shell_.getopts_offset);
    out.Signed(shell_.getopts_index);
    out.Signed((shell_.started + clock_.real_minus_monotonic).count());
    out.Signed(shell_.seconds_base);
    out.Number(shell_.random_state);
    out.Signed(std::max(shell_.trace_depth, 0));
    const Frame& main = shell_.frames.front();
    out.Bytes(main.source);
    out.Signed(main.call_line);
    out.Bool(main.arguments.has_value());
    if (main.arguments) WriteStrings(out, *main.arguments);
    return bytes;
  }

  // Names first that started set and are unset; then each variable behind its length, so that those that have not changed
  // are copied as they are.
  std::string TheVariables() const {
    std::string bytes;
    PackedWriter out(bytes);
    WriteStrings(out, shell_.variables.UnsetInitial());
    const VariableTable& table = *shell_.variables.globals();
    const VariableList list = SortedVariables(table);
    const auto* old_table = static_cast<const VariableTable*>(previous_.origins[kGlobals].get());
    PackedReader old(Before(StateSection::kVariables));
    if (old_table == nullptr) old.Fail();
    for (size_t count = old.Count(); count > 0; --count) old.Bytes();
    std::string_view old_name = old.Bytes();
    std::string_view old_content = old.Bytes();
    std::string content;
    for (const auto& [name, variable] : list) {
      while (old.ok() && old_name < *name && !old.at_end()) {
        old_name = old.Bytes();
        old_content = old.Bytes();
      }
      out.Bytes(*name);
      const bool is_known = old.ok() && old_name == *name;
      const std::shared_ptr<Variable>* old_variable = is_known ? old_table->Find(Name(*name)) : nullptr;
      if (old_variable != nullptr && old_variable->get() == variable) {
        out.Bytes(old_content);
        continue;
      }
      content.clear();
      PackedWriter inner(content);
      WriteVariable(inner, *variable);
      out.Bytes(content);
    }
    return bytes;
  }

  // As text that is parsed again, with the lines that its parts had.
  std::string Functions() const {
    std::string bytes;
    PackedWriter out(bytes);
    for (const auto& [name, function] : *shell_.functions_) {
      out.Bytes(name);
      out.Bytes(function.source);
      out.Number((function.is_exported ? 1u : 0u) | (function.is_readonly ? 2u : 0u) | (function.is_traced ? 4u : 0u) |
                 (function.has_keyword ? 8u : 0u) |
                 (function.definition->kind == Statement::Kind::kGroup ? 0u : 16u));
      out.Signed(function.line);
      out.Bytes(PrintFunction("f", *function.definition));
      std::string lines;
      PackedWriter line_out(lines);
      uint64_t count = 0;
      int last = 0;
      VisitLines(*function.definition, [&](int& line) {
        line_out.Signed(int64_t{line} - last);
        last = line;
        ++count;
      });
      out.Number(count);
      bytes += lines;
    }
    return bytes;
  }

  std::string Aliases() const {
    std::string bytes;
    PackedWriter out(bytes);
    for (const auto& [name, alias] : *shell_.aliases) {
      out.Bytes(name);
      out.Bytes(alias.value);
    }
    return bytes;
  }

  std::string TheTraps() const {
    std::string bytes;
    if (shell_.traps.actions.empty() && shell_.traps.ignored_at_start == 0) return bytes;
    PackedWriter out(bytes);
    out.Number(shell_.traps.ignored_at_start);
    out.Number(shell_.traps.actions.size());
    for (const auto& [signal, action] : shell_.traps.actions) {
      out.Number(static_cast<uint64_t>(signal));
      out.Bytes(action);
    }
    return bytes;
  }

  std::string Positionals() const {
    std::string bytes;
    if (shell_.positionals_->empty()) return bytes;
    PackedWriter out(bytes);
    WriteStrings(out, *shell_.positionals_);
    return bytes;
  }

  std::string Lists() const {
    std::string bytes;
    if (shell_.directory_stack.empty() && shell_.disabled_builtins.empty() && place_.limits.empty()) return bytes;
    PackedWriter out(bytes);
    WriteStrings(out, shell_.directory_stack);
    WriteStrings(out, shell_.disabled_builtins);
    out.Number(place_.limits.size());
    for (const auto& [letter, limit] : place_.limits) {
      out.Number(static_cast<uint8_t>(letter));
      out.Number(limit.soft);
      out.Number(limit.hard);
    }
    return bytes;
  }

  std::string Hash() const {
    std::string bytes;
    PackedWriter out(bytes);
    for (const auto& [name, hit] : *shell_.hash_) {
      out.Bytes(name);
      out.Bytes(hit.first);
      out.Signed(hit.second);
    }
    return bytes;
  }

  std::string History() const {
    std::string bytes;
    const HistoryList& history = *shell_.history;
    if (history.lines.empty() && history.dropped == 0) return bytes;
    PackedWriter out(bytes);
    out.Number(history.dropped);
    for (const std::string& line : history.lines) out.Bytes(line);
    return bytes;
  }

  std::string Completions() const {
    std::string bytes;
    if (shell_.completions == nullptr) return bytes;
    PackedWriter out(bytes);
    for (const auto& [name, rule] : shell_.completions->rules) {
      out.Bytes(name);
      out.Number(rule.options);
      out.Number(rule.actions);
      for (const auto* text : {&rule.glob, &rule.words, &rule.prefix, &rule.suffix, &rule.filter, &rule.command, &rule.function}) {
        out.Bool(text->has_value());
        if (*text) out.Bytes(**text);
      }
    }
    return bytes;
  }

  // Children that no job has and that nobody has waited for: of <( ) and >( ).
  JobTable::Finished OtherChildren() const {
    JobTable::Finished children;
    for (const proc::Process* process : kernel_.List()) {
      if (process->parent_pid() != shell_.shell_pid) continue;
      const auto has = [&](const Job& job) {
        return std::find(job.pids.begin(), job.pids.end(), process->pid()) != job.pids.end();
      };
      if (std::any_of(shell_.jobs_->jobs().begin(), shell_.jobs_->jobs().end(), has)) continue;
      const bool has_ended = process->state() == proc::Process::State::kExited;
      children.emplace_back(process->pid(), has_ended ? process->exit_status() : kStatusOfKilled);
    }
    return children;
  }

  // A job that has ended counts as ended, whether or not the shell has heard of it.
  std::string Jobs() const {
    std::string bytes;
    const JobTable& table = *shell_.jobs_;
    JobTable::Finished finished = table.finished();
    const JobTable::Finished others = OtherChildren();
    finished.insert(finished.end(), others.begin(), others.end());
    if (table.jobs().empty() && finished.empty()) return bytes;
    PackedWriter out(bytes);
    out.Number(table.jobs().size());
    for (const Job& job : table.jobs()) {
      out.Signed(job.number);
      out.Number(job.pids.size());
      for (size_t i = 0; i < job.pids.size(); ++i) {
        int status = job.statuses[i];
        int signal = job.signals[i];
        if (status < 0) {
          const proc::Process* process = kernel_.Find(job.pids[i]);
          if (process == nullptr) {
            status = kStatusOfUnknown;
          } else if (process->state() == proc::Process::State::kExited) {
            status = process->exit_status();
            signal = process->exit_signal();
          }
        }
        out.Signed(job.pids[i]);
        out.Signed(status);
        out.Signed(signal);
      }
      out.Bytes(job.text);
      out.Bytes(job.coprocess);
      out.Signed(job.group);
      out.Number((job.is_notified ? 1u : 0u) | (job.is_disowned ? 2u : 0u));
    }
    out.Number(finished.size());
    for (const auto& [pid, status] : finished) {
      out.Signed(pid);
      out.Signed(status);
    }
    return bytes;
  }

  const Shell& shell_;
  const ShellPlace& place_;
  proc::Kernel& kernel_;
  const StateClock& clock_;
  const EncodedState& previous_;
  StateSections before_;
  EncodedState result_;
};

EncodedState EncodeState(const Shell& shell, const ShellPlace& place, proc::Kernel& kernel, const StateClock& clock,
                         const EncodedState& previous) {
  return StateWriter(shell, place, kernel, clock, previous).Write();
}

}  // namespace paddock::shell
