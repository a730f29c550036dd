// A shell from the bytes of its state.

#include <limits>
#include <optional>

#include "proc/signals.h"
#include "shell/ast/lines.h"
#include "shell/exec/jobs.h"
#include "shell/exec/program.h"
#include "shell/parser/parser.h"
#include "shell/shell.h"
#include "shell/state/completion.h"
#include "shell/state/history.h"
#include "shell/state/state_codec.h"
#include "shell/state/state_sections.h"

namespace paddock::shell {
namespace {

constexpr uint64_t kMax32 = 0xFFFFFFFF;
constexpr int kMaxPid = 1 << 22;
constexpr int kMaxDepth = 100'000;    // of subshells and traces
constexpr int kMaxCount = 1 << 30;    // of what is counted up
constexpr uint32_t kAllAttributes = (kHidden << 1) - 1;

// What a function becomes whose text does not parse.
constexpr const char* kLostFunction =
    "f () { echo \"this function could not be kept when its sandbox moved: define it again\" >&2; return 126; }";

}  // namespace

class StateReader {
 public:
  StateReader(Shell& shell, const StateClock& clock, ShellPlace* place) : shell_(shell), clock_(clock), place_(place) {}

  Status Read(std::string_view bytes) {
    PADDOCK_ASSIGN(const StateSections sections, SplitState(bytes));
    shell_.variables = Variables();
    shell_.variables.set_initial(shell_.host().initial_variables());
    shell_.variables.set_shell(&shell_);
    for (const auto& [number, content] : sections) {
      PackedReader in(content);
      Section(static_cast<StateSection>(number), in);
      if (!in.IsDone()) {
        return Error(Code::kInvalid, "shell state is damaged in its section " + std::to_string(number));
      }
    }
    const auto has = [&](StateSection section) { return sections.contains(static_cast<uint64_t>(section)); };
    if (!has(StateSection::kPlace) || !has(StateSection::kNumbers) || !has(StateSection::kOptions) ||
        !has(StateSection::kVariables)) {
      return Error(Code::kInvalid, "shell state lacks a section");
    }
    return {};
  }

 private:
  void Section(StateSection section, PackedReader& in) {
    switch (section) {
      case StateSection::kPlace: return Place(in);
      case StateSection::kNumbers: return Numbers(in);
      case StateSection::kOptions: return TheOptions(in);
      case StateSection::kVariables: return TheVariables(in);
      case StateSection::kFunctions: return Functions(in);
      case StateSection::kAliases: return Aliases(in);
      case StateSection::kTraps: return TheTraps(in);
      case StateSection::kPositionals: return shell_.SetPositionals(Strings(in));
      case StateSection::kLists: return Lists(in);
      case StateSection::kHash: return Hash(in);
      case StateSection::kHistory: return History(in);
      case StateSection::kCompletions: return Completions(in);
      case StateSection::kJobs: return Jobs(in);
    }
    in.Fail();
  }

  void Charge(size_t bytes = 0) { shell_.budget().Step(1 + static_cast<int64_t>(bytes / 32)); }
  std::string Text(PackedReader& in) {
    const std::string_view bytes = in.Bytes();
    Charge(bytes.size());
    return std::string(bytes);
  }
  int Int(PackedReader& in) {
    const int64_t value = in.Signed();
    if (value != static_cast<int>(value)) in.Fail();
    return static_cast<int>(value);
  }
  // From 0 to `max`.
  int Small(PackedReader& in, int max) {
    const int value = Int(in);
    if (value < 0 || value > max) in.Fail();
    return value;
  }
  std::vector<std::string> Strings(PackedReader& in) {
    std::vector<std::string> list;
    for (size_t count = in.Count(); count > 0 && in.ok(); --count) list.push_back(Text(in));
    return list;
  }
  // Names of maps ascend.
  std::string Key(PackedReader& in, std::optional<std::string>& last) {
    std::string key = Text(in);
    if (last && key <= *last) in.Fail();
    last = key;
    return key;
  }

  void Place(PackedReader& in) {
    place_->cwd = Text(in);
    place_->umask = static_cast<uint32_t>(in.Number(0777));
    if (!place_->cwd.starts_with('/')) in.Fail();
  }

  void Numbers(PackedReader& in) {
    shell_.last_status = Int(in);
    shell_.last_substitution_status = Int(in);
    shell_.line = Int(in);
    shell_.name0 = Text(in);
    shell_.command_text = Text(in);
    shell_.last_argument = Text(in);
    shell_.last_background_pid = Small(in, kMaxPid);
    shell_.pipe_status.clear();
    for (size_t count = in.Count(); count > 0 && in.ok(); --count) shell_.pipe_status.push_back(Int(in));
    shell_.subshell_level = Small(in, kMaxDepth);
    shell_.shell_pid = Small(in, kMaxPid);
    shell_.command_number = Small(in, kMaxCount);
    shell_.is_subshell_of_script = in.Bool();
    shell_.reads_command_string = in.Bool();
    shell_.reads_stdin = in.Bool();
    shell_.getopts_offset = in.Number();
    shell_.getopts_index = Int(in);
    // As unsigned: hostile times wrap.
    shell_.started = Nanoseconds(static_cast<int64_t>(static_cast<uint64_t>(in.Signed()) -
                                                      static_cast<uint64_t>(clock_.real_minus_monotonic.count())));
    shell_.seconds_base = in.Signed();
    shell_.random_state = static_cast<uint32_t>(in.Number(kMax32));
    shell_.trace_depth = Small(in, kMaxDepth);
    Frame& main = shell_.frames.front();
    main.source = Text(in);
    main.call_line = Int(in);
    if (in.Bool()) main.arguments = Strings(in);
  }

  void TheOptions(PackedReader& in) {
    for (const SetOptionInfo& info : SetOptions()) shell_.options.Put(info.option, false);
    for (const ShoptOptionInfo& info : ShoptOptions()) shell_.options.Put(info.option, false);
    const auto put = [&](auto find) {
      for (const std::string& name : Strings(in)) {
        const auto option = find(name);
        if (!option || shell_.options.Get(*option)) in.Fail();
        else shell_.options.Put(*option, true);
      }
    };
    put([](const std::string& name) { return FindSetOption(std::string_view(name)); });
    put([](const std::string& name) { return FindShoptOption(name); });
  }

  void TheVariables(PackedReader& in) {
    const InitialVariables& initial = *shell_.variables.initial();
    for (const std::string& name : Strings(in)) {
      // One that this program does not know was unset for nothing.
      if (initial.Find(Name(name)) < InitialVariables::kMax) shell_.variables.Unset(Name(name));
    }
    std::optional<std::string> last;
    while (in.ok() && !in.at_end()) {
      std::string name = Key(in, last);
      if (!IsName(name)) return in.Fail();
      PackedReader content(in.Bytes());
      Variable variable = OneVariable(content, name);
      if (!content.IsDone()) return in.Fail();
      shell_.variables.Restore(Name(std::move(name)), std::move(variable));
    }
  }

  Variable OneVariable(PackedReader& in, const std::string& name) {
    Variable variable;
    variable.attributes = static_cast<uint32_t>(in.Number(kAllAttributes));
    variable.is_set = in.Bool();
    const bool is_computed = in.Bool();
    if (is_computed) {
      const InitialVariables& initial = *shell_.variables.initial();
      const size_t number = initial.Find(Name(name));
      if (number < InitialVariables::kMax) variable.dynamic = initial.variable(number).dynamic;
      return variable;
    }
    variable.text = Text(in);
    if (variable.has(kIndexed) && variable.has(kAssociative)) in.Fail();
    if (variable.has(kIndexed)) {
      const size_t count = in.Count(2);
      if (count > 0) variable.indexed = std::make_shared<IndexedArray>();
      uint64_t index = 0;
      for (size_t i = 0; i < count && in.ok(); ++i) {
        const uint64_t distance = in.Number();
        constexpr auto kMaxIndex = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
        if ((i > 0 && distance == 0) || distance > kMaxIndex - index) in.Fail();
        index += distance;
        if (in.ok()) variable.indexed->Set(static_cast<int64_t>(index), Text(in));
      }
    }
    if (variable.has(kAssociative)) {
      const uint64_t buckets = in.Number(kMax32);
      std::vector<std::pair<std::string, std::string>> entries;
      for (size_t count = in.Count(2); count > 0 && in.ok(); --count) {
        std::string key = Text(in);
        entries.emplace_back(std::move(key), Text(in));
      }
      if (!in.ok()) return variable;
      shell_.budget().WillAllocate(buckets * sizeof(int32_t));
      Charge(buckets);
      if (buckets > 0) variable.associative = std::make_shared<AssociativeArray>();
      if (buckets == 0 ? !entries.empty() : !variable.associative->Restore(buckets, std::move(entries))) in.Fail();
    }
    return variable;
  }

  // A function's body that is no { } is printed inside one.
  std::shared_ptr<const Statement> Parse(std::string_view text, bool is_wrapped) {
    const ParsedProgram parsed = ParseProgram(text, {.extglob = true}, shell_.budget());
    if (parsed.error || !parsed.list || parsed.list->items.size() != 1) return nullptr;
    const Statement& statement = *parsed.list->items[0].statement;
    if (statement.kind != Statement::Kind::kFunction) return nullptr;
    if (!is_wrapped) return statement.definition;
    const StatementListPtr inside = statement.definition->body;
    if (inside == nullptr || inside->items.size() != 1) return nullptr;
    return {inside, inside->items[0].statement.get()};
  }

  void Functions(PackedReader& in) {
    std::optional<std::string> last;
    while (in.ok() && !in.at_end()) {
      std::string name = Key(in, last);
      Function function;
      function.source = Text(in);
      const uint64_t flags = in.Number(31);
      function.is_exported = (flags & 1) != 0;
      function.is_readonly = (flags & 2) != 0;
      function.is_traced = (flags & 4) != 0;
      function.has_keyword = (flags & 8) != 0;
      function.line = Int(in);
      const std::string_view text = in.Bytes();
      std::vector<int> lines;
      int64_t line = 0;
      for (size_t left = in.Count(); left > 0 && in.ok(); --left) {
        line = static_cast<int64_t>(static_cast<uint64_t>(line) + static_cast<uint64_t>(in.Signed()));
        if (line != static_cast<int>(line)) in.Fail();
        lines.push_back(static_cast<int>(line));
      }
      if (!in.ok()) return;
      function.definition = Parse(text, (flags & 16) != 0);
      if (function.definition == nullptr) function.definition = Parse(kLostFunction, false);
      size_t found = 0;
      VisitLines(*function.definition, [&found](int&) { ++found; });
      if (found == lines.size()) {
        auto next = lines.begin();
        VisitLines(*function.definition, [&next](int& slot) { slot = *next++; });
      }
      shell_.DefineFunction(name, std::move(function));
    }
  }

  void Aliases(PackedReader& in) {
    auto aliases = std::make_shared<std::map<std::string, Alias>>();
    std::optional<std::string> last;
    while (in.ok() && !in.at_end()) {
      const std::string name = Key(in, last);
      (*aliases)[name].value = Text(in);
    }
    shell_.aliases = std::move(aliases);
  }

  void TheTraps(PackedReader& in) {
    shell_.traps.ignored_at_start = in.Number();
    uint64_t last = 0;
    for (size_t i = 0, count = in.Count(2); i < count && in.ok(); ++i) {
      const uint64_t signal = in.Number(kTrapCount - 1);
      const bool is_known = signal <= static_cast<uint64_t>(proc::kLastSignal) || signal >= kTrapDebug;
      if (!is_known || (i > 0 && signal <= last)) in.Fail();
      last = signal;
      shell_.traps.actions[static_cast<int>(signal)] = Text(in);
    }
  }

  void Lists(PackedReader& in) {
    shell_.directory_stack = Strings(in);
    shell_.disabled_builtins = Strings(in);
    for (size_t count = in.Count(3); count > 0 && in.ok(); --count) {
      const auto letter = static_cast<char>(in.Number(127));
      const uint64_t soft = in.Number();
      place_->limits[letter] = proc::ResourceLimit{soft, in.Number()};
    }
  }

  void Hash(PackedReader& in) {
    std::optional<std::string> last;
    while (in.ok() && !in.at_end()) {
      const std::string name = Key(in, last);
      std::string path = Text(in);
      shell_.MutableHash()[name] = {std::move(path), Small(in, kMaxCount)};
    }
  }

  void History(PackedReader& in) {
    auto history = std::make_shared<HistoryList>();
    history->dropped = static_cast<size_t>(in.Number(std::numeric_limits<int64_t>::max()));
    while (in.ok() && !in.at_end()) history->lines.push_back(Text(in));
    shell_.history = std::move(history);
  }

  void Completions(PackedReader& in) {
    auto table = std::make_shared<CompletionTable>();
    std::optional<std::string> last;
    while (in.ok() && !in.at_end()) {
      CompletionRule& rule = table->rules[Key(in, last)];
      rule.options = static_cast<uint32_t>(in.Number(kMax32));
      rule.actions = static_cast<uint32_t>(in.Number(kMax32));
      for (auto* text : {&rule.glob, &rule.words, &rule.prefix, &rule.suffix, &rule.filter, &rule.command, &rule.function}) {
        if (in.Bool()) *text = Text(in);
      }
    }
    shell_.completions = std::move(table);
  }

  void Jobs(PackedReader& in) {
    std::vector<Job> jobs;
    int last_number = 0;
    for (size_t count = in.Count(8); count > 0 && in.ok(); --count) {
      Job job;
      job.number = Small(in, kMaxCount);
      if (job.number <= last_number) in.Fail();
      last_number = job.number;
      const size_t stages = in.Count(3);
      if (stages == 0) in.Fail();
      for (size_t i = 0; i < stages && in.ok(); ++i) {
        Charge();
        job.pids.push_back(Small(in, kMaxPid));
        int status = Int(in);
        int signal = Small(in, proc::kLastSignal);
        if (job.pids.back() == 0) in.Fail();
        if (status < 0) {
          // It ran in a process that is no more.
          signal = proc::kSigKill;
          status = 128 + signal;
        }
        job.statuses.push_back(status);
        job.signals.push_back(signal);
      }
      job.text = Text(in);
      job.coprocess = Text(in);
      job.group = Small(in, kMaxPid);
      const uint64_t flags = in.Number(3);
      job.is_notified = (flags & 1) != 0;
      job.is_disowned = (flags & 2) != 0;
      jobs.push_back(std::move(job));
    }
    JobTable::Finished finished;
    for (size_t count = in.Count(2); count > 0 && in.ok(); --count) {
      Charge();
      const int pid = Small(in, kMaxPid);
      finished.emplace_back(pid, Int(in));
    }
    if (in.ok()) shell_.jobs_->Restore(std::move(jobs), std::move(finished));
  }

  Shell& shell_;
  const StateClock& clock_;
  ShellPlace* place_;
};

Status DecodeState(std::string_view bytes, const StateClock& clock, Shell& shell, ShellPlace* place) {
  return StateReader(shell, clock, place).Read(bytes);
}

}  // namespace paddock::shell
