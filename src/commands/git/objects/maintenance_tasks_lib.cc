// git maintenance and for-each-repo: what is to be done to a repository now and then.
#include <algorithm>

#include "commands/git/merge/pick.h"
#include "commands/git/objects/repack.h"
#include "commands/git/refs/branch.h"
#include "commands/git/refs/revision.h"
#include "commands/git/remote/submodule.h"

namespace paddock::git {
namespace {

enum class Often { kNever, kWeekly, kDaily, kHourly };
std::optional<Often> OftenOf(std::string_view word) {
  return word == "hourly" ? std::optional(Often::kHourly) : word == "daily" ? std::optional(Often::kDaily) : word == "weekly" ? std::optional(Often::kWeekly) : std::nullopt;
}

struct Options {
  bool is_auto = false, forced = false;
  std::optional<bool> quiet;
  std::optional<Often> schedule;
  std::string bad_schedule;
  std::vector<std::string> tasks;
  std::string config_file, scheduler;
  std::vector<std::string> used;   // the options that were given
};
Status TakeTask(Options& options, std::string_view name);
Status TakeSchedule(Options& options, std::string_view word) {
  options.schedule = OftenOf(word);
  options.used.emplace_back("schedule");
  if (!options.schedule) options.bad_schedule = word;
  return {};
}
template <auto kMember, const char* kName>
Status TakeWord(Options& options, std::string_view text) {
  options.*kMember = text;
  options.used.emplace_back(kName);
  return {};
}
template <auto kMember, bool kValue, const char* kName>
Status TakeSwitch(Options& options, std::string_view) {
  options.*kMember = kValue;
  options.used.emplace_back(kName);
  return {};
}
constexpr char kAuto[] = "auto", kQuiet[] = "quiet", kForce[] = "force", kConfigFile[] = "config-file", kScheduler[] = "scheduler";
constexpr Option kOptions[] = {
    Call<TakeSwitch<&Options::is_auto, true, kAuto>>(0, "auto", nullptr, "run: only tasks for which there is much to do"),
    Call<TakeSchedule>(0, "schedule", "FREQUENCY", "run: tasks that are for hourly, daily or weekly"),
    Call<TakeSwitch<&Options::quiet, true, kQuiet>>(0, "quiet", nullptr, "run: show no progress"),
    Call<TakeSwitch<&Options::quiet, false, kQuiet>>(0, "no-quiet", nullptr, "run: show it"),
    Call<TakeTask>(0, "task", "TASK", "run: this task"),
    Call<TakeWord<&Options::config_file, kConfigFile>>(0, "config-file", "FILE", "register, unregister: in FILE"),
    Call<TakeSwitch<&Options::forced, true, kForce>>(0, "force", nullptr, "unregister: also what is not registered"),
    Call<TakeWord<&Options::scheduler, kScheduler>>(0, "scheduler", "SCHEDULER", "start: there is none here; refused"),
};

// Runs what a task is made of; the first failure is its status.
ExitStatus RunEach(Git& git, const std::vector<std::vector<std::string>>& commands) {
  for (const std::vector<std::string>& command : commands) {
    if (const ExitStatus status = RunGit(git, command); status != 0) return status;
  }
  return 0;
}

ExitStatus CollectGarbage(Git& git, const Options& options) {
  std::vector<std::string> command = {"gc"};
  if (options.is_auto) command.emplace_back("--auto");
  if (options.quiet.value_or(true)) command.emplace_back("--quiet");
  return RunGit(git, std::move(command));
}

ExitStatus WriteGraph(Git& git, const Options&) { return RunGit(git, {"commit-graph", "write", "--split", "--reachable", "--no-progress"}); }

ExitStatus Prefetch(Git& git, const Options& options) {
  ExitStatus status = 0;
  std::vector<std::string> remotes;
  for (const ConfigEntry& entry : git.config.entries()) {
    if (!entry.key.starts_with("remote.") || !entry.key.ends_with(".url")) continue;
    const std::string name = entry.key.substr(7, entry.key.size() - 11);
    if (std::find(remotes.begin(), remotes.end(), name) == remotes.end() && !git.config.GetBool("remote." + name + ".skipfetchall", false)) remotes.push_back(name);
  }
  for (const std::string& remote : remotes) {
    std::vector<std::string> command = {"fetch", remote, "--prefetch", "--prune", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no"};
    if (options.quiet.value_or(true)) command.emplace_back("--quiet");
    if (RunGit(git, std::move(command)) != 0) status = 1;
  }
  return status;
}

// Loose copies go, and other loose objects become a pack.
ExitStatus PackLoose(Git& git, const Options&) {
  PrunePacked(git, false);
  constexpr size_t kMostAtOnce = 50000;
  std::vector<Oid> loose = git.objects.All(false);
  if (loose.size() > kMostAtOnce) loose.resize(kMostAtOnce);
  if (loose.empty()) return 0;
  const std::string pack = git.objects.directory() + "/pack";
  const auto temporary = git.objects.NewPackPath();
  if (!temporary) return 1;
  const auto made = WritePackFiles(git.in.fs, *temporary, pack + "/loose", [&](const PackSink& sink) { return WriteDeltaPack(loose, [&git](const Oid& id) { return git.objects.Read(id); }, sink, PackPlan(), git.in.budget); }, false, git.in.budget);
  git.objects.ForgetPacks();
  if (!made) return 1;
  git.Print(made->name + "\n");
  return 0;
}

ExitStatus RepackStepwise(Git& git, const Options&) {
  if (!git.config.GetBool("core.multipackindex", true)) {
    git.Warn("skipping incremental-repack task because core.multiPackIndex is disabled");
    return 0;
  }
  const std::vector<std::string> stems = git.objects.PackStems();
  if (stems.empty()) return 0;
  // Below the second largest pack, all are joined.
  std::vector<uint64_t> sizes;
  for (const std::string& stem : stems) {
    if (const auto facts = git.in.fs.Stat(stem + ".pack")) sizes.push_back(facts->size);
  }
  std::sort(sizes.rbegin(), sizes.rend());
  constexpr uint64_t kMostBatch = INT32_MAX;
  const uint64_t batch = std::min(sizes.size() > 1 ? sizes[1] + 1 : 1, kMostBatch);
  return RunEach(git, {{"multi-pack-index", "write", "--no-progress"}, {"multi-pack-index", "expire", "--no-progress"}, {"multi-pack-index", "repack", "--no-progress", "--batch-size=" + std::to_string(batch)}});
}

ExitStatus PackReferences(Git& git, const Options&) { return RunGit(git, {"pack-refs", "--all", "--prune"}); }

struct Task {
  const char* name;
  ExitStatus (*run)(Git&, const Options&);
  Often often;               // in the strategy "incremental"
  const char* auto_key;      // the configuration that says from how many objects or packs on it is run; null: always or never
  int64_t auto_count;
};
constexpr Task kTasks[] = {
    {"prefetch", Prefetch, Often::kHourly, nullptr, 0},
    {"loose-objects", PackLoose, Often::kDaily, "maintenance.loose-objects.auto", 100},
    {"incremental-repack", RepackStepwise, Often::kDaily, "maintenance.incremental-repack.auto", 10},
    {"gc", CollectGarbage, Often::kNever, nullptr, 1},
    {"commit-graph", WriteGraph, Often::kHourly, "maintenance.commit-graph.auto", 100},
    {"pack-refs", PackReferences, Often::kWeekly, nullptr, 1},
};

Status TakeTask(Options& options, std::string_view name) {
  options.used.emplace_back("task");
  const std::string task(name);
  if (std::none_of(std::begin(kTasks), std::end(kTasks), [&task](const Task& known) { return task == known.name; })) return Error(Code::kRange, "'" + task + "' is not a valid task");
  if (std::find(options.tasks.begin(), options.tasks.end(), task) != options.tasks.end()) return Error(Code::kRange, "task '" + task + "' cannot be selected multiple times");
  options.tasks.push_back(task);
  return {};
}

// Whether there is so much to do that --auto runs a task.
Result<bool> IsDue(Git& git, const Task& task) {
  if (task.auto_key == nullptr) return task.auto_count > 0;
  int64_t limit = task.auto_count;
  std::string key = task.auto_key;
  if (const auto text = git.config.Get(key)) PADDOCK_TRY(ParseOptionValue(*text, limit));
  if (limit <= 0) return limit < 0;
  const std::string name = task.name;
  if (name == "loose-objects") return static_cast<int64_t>(git.objects.All(false).size()) >= limit;
  if (name == "incremental-repack") return static_cast<int64_t>(git.objects.PackStems().size()) >= limit;
  // Commits that no commit-graph has: all of them without one.
  if (git.in.fs.Stat(git.objects.directory() + "/info/commit-graph") || git.in.fs.Stat(git.objects.directory() + "/info/commit-graphs/commit-graph-chain")) return false;
  History history(git);
  std::vector<Oid> tips;
  for (const auto& [ref, id] : git.refs.List("refs/")) {
    if (const auto commit = git.objects.Peel(id, ObjectType::kCommit)) tips.push_back(*commit);
  }
  PADDOCK_ASSIGN(const std::set<Oid> commits, history.Ancestors(tips));
  return static_cast<int64_t>(commits.size()) >= limit;
}

bool IsChosen(Git& git, const Options& options, const Task& task) {
  const std::string name = task.name;
  if (!options.tasks.empty()) return std::find(options.tasks.begin(), options.tasks.end(), name) != options.tasks.end();
  const bool is_incremental = options.schedule && git.config.Get("maintenance.strategy", "") == "incremental";
  const bool is_enabled = git.config.GetBool("maintenance." + name + ".enabled", is_incremental ? task.often != Often::kNever : name == "gc");
  if (!is_enabled || !options.schedule) return is_enabled;
  const Often often = OftenOf(git.config.Get("maintenance." + name + ".schedule", "")).value_or(is_incremental ? task.often : Often::kNever);
  return often >= *options.schedule;
}

Result<ExitStatus> RunTasks(Git& git, const Options& options) {
  if (!options.bad_schedule.empty()) return Error(Code::kInvalid, "unrecognized --schedule argument '" + options.bad_schedule + "'");
  if (options.is_auto && options.schedule) return Error(Code::kInvalid, "use at most one of --auto and --schedule=<frequency>");
  const std::string lock = git.objects.directory() + "/maintenance.lock";
  if (const auto made = git.in.fs.Open(lock, vfs::OpenFlags{.write = true, .create = true, .exclusive = true, .no_follow = true}, 0644); !made) {
    if (!options.is_auto && !options.quiet.value_or(true)) git.Warn("lock file '" + lock.substr(0, lock.size() - 5) + "' exists, skipping maintenance");
    return 0;
  }
  std::vector<const Task*> tasks;
  for (const std::string& name : options.tasks) tasks.push_back(std::find_if(std::begin(kTasks), std::end(kTasks), [&name](const Task& task) { return name == task.name; }));
  if (options.tasks.empty()) {
    for (const Task& task : kTasks) tasks.push_back(&task);
  }
  ExitStatus status = 0;
  for (const Task* task : tasks) {
    if (!IsChosen(git, options, *task)) continue;
    const auto is_due = options.is_auto ? IsDue(git, *task) : Result<bool>(true);
    if (!is_due || !*is_due) continue;
    if (task->run(git, options) == 0) continue;
    git.Complain(std::string("task '") + task->name + "' failed");
    status = 1;
  }
  static_cast<void>(git.in.fs.RemoveFile(lock).has_value());
  return status;
}

// register and unregister: the repository stands in the user's configuration.
Result<ExitStatus> Register(Git& git, const Options& options, bool adds) {
  const std::string path = git.work_tree.empty() ? git.git_dir : git.work_tree;
  const std::vector<std::string> known = git.config.GetAll("maintenance.repo");
  const bool is_known = std::find(known.begin(), known.end(), path) != known.end();
  const std::vector<std::string> where = options.config_file.empty() ? std::vector<std::string>{"config", "--global"} : std::vector<std::string>{"config", "--file", options.config_file};
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), where.begin(), where.end());
    return RunGit(git, std::move(words));
  };
  if (!adds) {
    if (!is_known && !options.forced) return Error(Code::kNoEntry, "repository '" + path + "' is not registered");
    return is_known ? run({"--fixed-value", "--unset-all", "maintenance.repo", path}) : 0;
  }
  PADDOCK_TRY(SetConfig(git, "maintenance.auto", "false"));
  if (!git.config.Get("maintenance.strategy")) PADDOCK_TRY(SetConfig(git, "maintenance.strategy", "incremental"));
  return is_known ? 0 : run({"--add", "maintenance.repo", path});
}

Result<ExitStatus> Run(Git& git, Options& options, Args& args) {
  struct Word {
    std::string_view name;
    std::vector<std::string_view> options;
  };
  static const std::vector<Word> kWords = {{"run", {"auto", "schedule", "quiet", "task"}}, {"register", {"config-file"}}, {"unregister", {"config-file", "force"}}, {"start", {"scheduler"}}, {"stop", {}}};
  const std::vector<std::string> words = args.All();
  if (words.empty()) return git.Complain("need a subcommand\nusage: git maintenance <subcommand> [<options>]", 129);
  const auto word = std::find_if(kWords.begin(), kWords.end(), [&words](const Word& known) { return known.name == words[0]; });
  if (word == kWords.end()) return git.Complain("unknown subcommand: `" + words[0] + "'\nusage: git maintenance <subcommand> [<options>]", 129);
  for (const std::string& used : options.used) {
    if (std::find(word->options.begin(), word->options.end(), used) == word->options.end()) return git.Complain("unknown option `" + used + "'", 129);
  }
  if (words.size() > 1) {
    git.Say("usage: git maintenance " + words[0] + "\n");
    return 129;
  }
  if (words[0] == "run") return RunTasks(git, options);
  if (words[0] == "register" || words[0] == "unregister") return Register(git, options, words[0] == "register");
  return Error(Code::kNotSupported, "maintenance " + words[0] + " is not supported: there is no scheduler");
}

struct EachOptions {
  std::optional<std::string> key;
};
constexpr Option kEachOptions[] = {Value<&EachOptions::key>(0, "config", "KEY", "the configuration that names the repositories")};

Result<ExitStatus> RunForEach(Invocation& in, Git* maybe_git, EachOptions& options, Args& args) {
  if (!options.key) return Error(Code::kInvalid, "missing --config=<config>");
  std::optional<Git> nowhere;
  Git& git = maybe_git != nullptr ? *maybe_git : nowhere.emplace(in, "", "", true);
  if (maybe_git == nullptr) {
    PADDOCK_ASSIGN(git.config, ReadConfig(in, nullptr));
  }
  std::string key = *options.key;
  for (char& c : key) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  ExitStatus status = 0;
  for (std::string path : git.config.GetAll(key)) {
    if (path.starts_with("~/")) path = std::string(in.env.Get("HOME", "")) + path.substr(1);
    std::vector<std::string> words = {"-C", path};
    const std::vector<std::string> all = args.All();
    words.insert(words.end(), all.begin(), all.end());
    status = RunGitIn(git, std::string(in.fs.cwd()), std::move(words));
    if (status != 0) break;
  }
  return status;
}

}  // namespace

extern const Subcommand kMaintenance, kForEachRepo;
const Subcommand kMaintenance = DefineSubcommand<Options, Run>({.name = "maintenance", .summary = "do what is to be done now and then", .synopsis = "run [--auto] [--[no-]quiet] [--task=<task>] [--schedule=<frequency>]\n(register | unregister) [--config-file=<path>]", .options = kOptions});
const Subcommand kForEachRepo = DefineFreeSubcommand<EachOptions, RunForEach>({.name = "for-each-repo", .summary = "run a git command in several repositories", .synopsis = "--config=<config> [--] <arguments>", .options = kEachOptions, .rules = {.stop_at_operand = true}, .needs = Subcommand::Needs::kMaybeRepository});

}  // namespace paddock::git
