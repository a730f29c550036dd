// git fetch: its options, which remotes it goes to, and what comes behind.
#include <algorithm>
#include <charconv>

#include "commands/git/remote/fetch.h"
#include "proc/process.h"

namespace paddock::git {
namespace {

// The remotes of a name: of a group, itself, or none.
std::vector<std::string> RemotesOf(Git& git, const std::string& name) {
  std::vector<std::string> names;
  for (const std::string& text : git.config.GetAll("remotes." + name)) {
    for (size_t at = 0; at < text.size();) {
      git.in.budget.Step();
      const size_t end = std::min(text.find_first_of(" \t", at), text.size());
      if (end > at) names.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  if (names.empty() && git.config.Get("remote." + name + ".url")) names.push_back(name);
  return names;
}

// The reflog of each remote of several names the options that its own fetch has.
std::string ActionOfOne(const FetchOptions& options, const std::string& name) {
  std::string text = "fetch --append --no-auto-gc --no-write-commit-graph";
  if (options.dry_run) text += " --dry-run";
  if (options.prune) text += " --prune";
  if (options.prune_tags) text += " --prune-tags";
  if (options.update_head_ok) text += " --update-head-ok";
  if (options.force) text += " --force";
  if (options.keep) text += " --keep";
  if (options.tags) text += " --tags";
  if (options.no_tags) text += " --no-tags";
  if (options.verbose) text += " -v";
  if (options.quiet) text += " -q";
  if (!options.writes_head) text += " --no-write-fetch-head";
  return text + " " + name;
}

Result<ExitStatus> FetchSeveral(Git& git, FetchOptions& options, const std::vector<std::string>& names) {
  ExitStatus worst = 0;
  if (!options.append && options.writes_head && !options.dry_run) PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("FETCH_HEAD"), ""));
  options.append = true;
  const bool is_parallel = options.jobs.value_or(1) != 1 && names.size() > 1;
  const bool has_own_action = git.in.env.Get("GIT_REFLOG_ACTION").has_value();
  for (const std::string& name : names) {
    if (!options.quiet && is_parallel) git.Say("Fetching " + name + "\n");
    else if (!options.quiet) git.Print("Fetching " + name + "\n");
    git.in.out.Flush();
    if (!has_own_action && options.action.starts_with("fetch")) options.action = ActionOfOne(options, name);
    const auto status = FetchFrom(git, options, name, {});
    if (!status) Die(git.in, status.error());
    if (!status || *status != 0) {
      git.Complain("could not fetch " + name);
      worst = 1;
    }
  }
  return worst;
}

Status CheckTogether(const FetchOptions& options) {
  const auto both = [](const char* words) { return Error(Code::kInvalid, "options " + std::string(words) + " cannot be used together"); };
  if (options.negotiate_only && options.recurses == true) return both("'--negotiate-only' and '--recurse-submodules'");
  if (options.deepen && *options.deepen < 0) return Error(Code::kInvalid, "negative depth in --deepen is not supported");
  if (options.deepen && options.depth) return both("'--deepen' and '--depth'");
  if (options.unshallow && options.depth) return both("'--depth' and '--unshallow'");
  if (options.filter && !IsFilter(*options.filter)) return Error(Code::kInvalid, "invalid filter-spec '" + *options.filter + "'");
  if (options.negotiate_only && options.tips.empty()) return Error(Code::kInvalid, "--negotiate-only needs one or more --negotiation-tip=*");
  return {};
}

}  // namespace

Result<ExitStatus> RunFetchCommand(Git& git, FetchOptions& options, std::vector<std::string> operands) {
  PADDOCK_TRY(CheckTogether(options));
  ExitStatus status = 0;
  std::vector<std::string> several;
  bool is_several = options.all || options.multiple;
  if (options.all) {
    if (!operands.empty()) return Error(Code::kInvalid, operands.size() == 1 ? "fetch --all does not take a repository argument" : "fetch --all does not make sense with refspecs");
    for (const std::string& name : RemoteNames(git)) {
      if (!git.config.GetBool("remote." + name + ".skipdefaultupdate", false) && !git.config.GetBool("remote." + name + ".skipfetchall", false)) several.push_back(name);
    }
  } else if (options.multiple && !operands.empty()) {
    for (const std::string& operand : operands) {
      const std::vector<std::string> names = RemotesOf(git, operand);
      if (names.empty()) return Error(Code::kNoEntry, "no such remote or remote group: " + operand);
      several.insert(several.end(), names.begin(), names.end());
    }
  } else if (operands.empty()) {
    is_several = false;
  } else {
    several = RemotesOf(git, operands[0]);
    is_several = several.size() > 1;
    if (is_several && operands.size() > 1) return Error(Code::kInvalid, "fetching a group and specifying refspecs does not make sense");
  }
  if (options.all && several.empty()) return 0;
  // Without any remote there is nothing to fetch from, which is no error.
  if (!is_several && operands.empty() && RemoteNames(git).empty() && DefaultRemote(git) == "origin") return 0;
  if (options.all && several.size() == 1) {
    operands = several;
    is_several = false;
  }
  if (is_several) {
    if (options.from_stdin) return Error(Code::kInvalid, "--stdin can only be used when fetching from one remote");
    if (options.negotiate_only) return Error(Code::kInvalid, "must supply remote when using --negotiate-only");
    PADDOCK_ASSIGN(status, FetchSeveral(git, options, several));
  } else {
    const std::string name = operands.empty() ? DefaultRemote(git) : operands[0];
    if (!operands.empty()) operands.erase(operands.begin());
    if (options.from_stdin) {
      while (const auto line = git.in.in.ReadLine()) {
        git.in.budget.Step();
        operands.emplace_back(line->text);
      }
    }
    PADDOCK_ASSIGN(status, FetchFrom(git, options, name, operands));
  }
  if (status != 0 || options.negotiate_only || options.dry_run) return status;
  return FinishFetch(git, options);
}

Result<int64_t> ParseGitNumber(std::string_view text, std::string_view option) {
  int64_t value = 0, factor = 1;
  std::string_view digits = text;
  if (!digits.empty() && (digits.back() == 'k' || digits.back() == 'm' || digits.back() == 'g')) {
    factor = digits.back() == 'k' ? 1 << 10 : digits.back() == 'm' ? 1 << 20 : 1 << 30;
    digits.remove_suffix(1);
  }
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || read.ec != std::errc{} || read.ptr != digits.data() + digits.size() || value > INT32_MAX || value < INT32_MIN) return Error(Code::kRange, "option `" + std::string(option) + "' expects a numerical value");
  return value * factor;
}
Status SetDeepen(FetchOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(options.deepen, ParseGitNumber(text, "deepen"));
  return {};
}
Status SetFetchJobs(FetchOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(options.jobs, ParseGitNumber(text, "jobs"));
  return {};
}
Status AddRefmap(FetchOptions& options, std::string_view text) {
  options.has_refmaps = true;
  if (text.empty()) return {};
  const auto spec = ParseRefspec(text);
  if (!spec) return spec.error();
  options.refmaps.emplace_back(text);
  return {};
}
Status SetFetchRecursion(FetchOptions& options, std::string_view text) {
  const auto value = text.data() == nullptr ? std::optional(true) : ParseConfigBool(text);
  if (!value && text != "on-demand") return Error(Code::kInvalid, "bad recurse-submodules argument: " + std::string(text));
  options.recurses = value.value_or(true);
  options.is_on_demand = !value;
  return {};
}

bool IsFilter(const std::string& text) {
  const auto digits = [](std::string_view number) {
    if (!number.empty() && std::string_view("kmgKMG").find(number.back()) != std::string_view::npos) number.remove_suffix(1);
    return !number.empty() && std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (text == "blob:none") return true;
  if (text.starts_with("blob:limit=")) return digits(std::string_view(text).substr(11));
  if (text.starts_with("tree:")) return digits(std::string_view(text).substr(5));
  if (text.starts_with("object:type=")) return TypeOf(std::string_view(text).substr(12)).has_value();
  return text.starts_with("sparse:oid=") || text.starts_with("combine:");
}

void WarnOfFilter(Invocation& in, Remote& remote) {
  in.err.Write(remote.HasFilters() ? "warning: partial clones are not supported here: nothing is left out\n" : "warning: filtering not recognized by server, ignoring\n");
}

Status RegisterFilter(Git& git, const std::string& name, const std::string& filter) {
  PADDOCK_TRY(EditConfigFile(git, "core.repositoryformatversion", "1"));
  PADDOCK_TRY(EditConfigFile(git, "remote." + name + ".promisor", "true"));
  return EditConfigFile(git, "remote." + name + ".partialclonefilter", filter);
}

std::string ActionText(Git& git, const char* name) {
  if (const auto action = git.in.env.Get("GIT_REFLOG_ACTION")) return std::string(*action);
  std::string text = name;
  bool is_behind = false;
  for (const std::string& word : git.in.args) {
    if (is_behind) text += " " + ShownUrl(word);
    is_behind = is_behind || word == name;
  }
  return text;
}

Result<ExitStatus> FinishFetch(Git& git, const FetchOptions& options) {
  const auto run = [&git](std::vector<std::string> args) -> ExitStatus {
    ChildSpec spec{.args = std::move(args), .environment = &git.in.env};
    git.in.out.Flush();
    const auto status = git.in.launcher.Run(git.in.process, spec);
    return status ? *status : 128;
  };
  if (options.recurses != false) PADDOCK_TRY(FetchSubmodules(git, options));
  if (options.commit_graph.value_or(git.config.GetBool("fetch.writecommitgraph", false))) {
    if (const ExitStatus status = run({"git", "commit-graph", "write", "--reachable", "--split"}); status != 0) return status;
  }
  if (options.maintains.value_or(git.config.GetBool("maintenance.auto", true)) && git.config.Get("gc.auto", "") != "0") run({"git", "gc", "--auto", "--quiet"});
  return 0;
}

namespace {

Result<ExitStatus> RunFetch(Git& git, FetchOptions& options, Args& args) {
  options.action = ActionText(git, "fetch");
  return RunFetchCommand(git, options, args.All());
}

constexpr auto kFetchOptions = WithFetchOptions(std::to_array<Option>({
    Flag<&FetchOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&FetchOptions::verbose>('v', "verbose", "also say what is up to date"),
    Flag<&FetchOptions::multiple>('m', "multiple", "operands are remotes and groups of them"),
    Flag<&FetchOptions::tags>('t', "tags", "with all tags"),
    Flag<&FetchOptions::no_tags>('n', "no-tags", "without tags"),
    Flag<&FetchOptions::prune_tags>('P', "prune-tags", "and tags that are gone there"),
    Flag<&FetchOptions::update_head_ok>('u', "update-head-ok", "also into the branch that is checked out"),
    Flag<&FetchOptions::atomic>(0, "atomic", "all references, or none"),
    Flag<&FetchOptions::prefetch>(0, "prefetch", "put everything below refs/prefetch"),
    Flag<&FetchOptions::refetch>(0, "refetch", "get all objects again"),
    Flag<&FetchOptions::writes_head>(0, "write-fetch-head", "write FETCH_HEAD (the default)"),
    Set<&FetchOptions::writes_head, false>(0, "no-write-fetch-head", "do not"),
    Flag<&FetchOptions::negotiate_only>(0, "negotiate-only", "show what both have of the tips, and get nothing"),
    Value<&FetchOptions::filter>(0, "filter", "SPEC", "a part of the objects, where the server can do it"),
    Flag<&FetchOptions::from_stdin>(0, "stdin", "read more reference specifications from standard input"),
    Set<&FetchOptions::maintains, true>(0, "auto-maintenance", "pack objects afterwards, if there is much to do (the default)"),
    Set<&FetchOptions::maintains, false>(0, "no-auto-maintenance", "do not"),
    Set<&FetchOptions::maintains, true>(0, "auto-gc", "the same as --auto-maintenance"),
    Set<&FetchOptions::maintains, false>(0, "no-auto-gc", "do not"),
    Set<&FetchOptions::commit_graph, true>(0, "write-commit-graph", "write the graph of commits afterwards"),
    Set<&FetchOptions::commit_graph, false>(0, "no-write-commit-graph", "do not"),
}));

}  // namespace

extern const Subcommand kFetch;
const Subcommand kFetch = DefineSubcommand<FetchOptions, RunFetch>({.name = "fetch", .summary = "get branches and tags of another repository", .synopsis = "[<options>] [<repository> [<refspec>...]]\n--all [<options>]", .options = kFetchOptions});

}  // namespace paddock::git
