// git filter-branch: writes a history anew, with what commands of the user's make of its commits.
#include <algorithm>

#include "commands/child_output.h"
#include "commands/git/merge/filter_branch.h"
#include "commands/git/refs/revision.h"
#include "commands/git/shell_words.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

struct FilterOptions {
  bool force = false, prunes = false, remaps = false;
  std::string setup, environment, tree, index, parents, message = "cat", commit, tag_name, directory, state_branch, original = "refs/original/", place = ".git-rewrite";
  std::vector<std::string> rest;
};

constexpr std::string_view kUsage =
    "usage: git filter-branch [--setup <command>] [--subdirectory-filter <directory>] [--env-filter <command>]\n"
    "\t[--tree-filter <command>] [--index-filter <command>]\n\t[--parent-filter <command>] [--msg-filter <command>]\n"
    "\t[--commit-filter <command>] [--tag-name-filter <command>]\n\t[--original <namespace>]\n"
    "\t[-d <directory>] [-f | --force] [--state-branch <branch>]\n\t[--] [<rev-list options>...]\n";

constexpr std::string_view kWarning =
    "WARNING: git-filter-branch has a glut of gotchas generating mangled history\n"
    "\t rewrites.  Hit Ctrl-C before proceeding to abort, then use an\n\t alternative filtering tool such as 'git filter-repo'\n"
    "\t (https://github.com/newren/git-filter-repo/) instead.  See the\n\t filter-branch manual page for more details; to squelch this warning,\n"
    "\t set FILTER_BRANCH_SQUELCH_WARNING=1.\nProceeding with filter-branch...\n\n";

constexpr Option kTable[] = {
    Flag<&FilterOptions::force>('f', "force", "also over what an earlier run left"),
    Flag<&FilterOptions::prunes>(0, "prune-empty", "leave commits out that change nothing"),
    Flag<&FilterOptions::remaps>(0, "remap-to-ancestor", "branches whose commit is gone go to one above"),
    Value<&FilterOptions::place>('d', nullptr, "DIRECTORY", "work there"),
    Value<&FilterOptions::setup>(0, "setup", "COMMAND", "run once at the beginning"),
    Value<&FilterOptions::directory>(0, "subdirectory-filter", "DIRECTORY", "the history of a directory, as the top"),
    Value<&FilterOptions::environment>(0, "env-filter", "COMMAND", "sets who made a commit, and when"),
    Value<&FilterOptions::tree>(0, "tree-filter", "COMMAND", "changes the files"),
    Value<&FilterOptions::index>(0, "index-filter", "COMMAND", "changes the index"),
    Value<&FilterOptions::parents>(0, "parent-filter", "COMMAND", "changes the parents"),
    Value<&FilterOptions::message>(0, "msg-filter", "COMMAND", "changes the message"),
    Value<&FilterOptions::commit>(0, "commit-filter", "COMMAND", "makes the commit"),
    Value<&FilterOptions::tag_name>(0, "tag-name-filter", "COMMAND", "changes names of tags"),
    Value<&FilterOptions::original>(0, "original", "NAMESPACE", "keep what was before there"),
    Value<&FilterOptions::state_branch>(0, "state-branch", "BRANCH", "keep there what became of each commit (refused)"),
};

class FilterBranch {
 public:
  FilterBranch(Git& git, FilterOptions& options) : git_(git), options_(options) {}

  Result<ExitStatus> Run() {
    if (!git_.in.env.Get("FILTER_BRANCH_SQUELCH_WARNING")) git_.Print(kWarning);
    if (!git_.prefix.empty()) return Stop("You need to run this command from the toplevel of the working tree.");
    if (!git_.work_tree.empty()) {
      PADDOCK_ASSIGN(const bool is_clean, IsClean());
      if (!is_clean) return 1;
    }
    if (options_.prunes && !options_.commit.empty()) return Stop("Cannot set --prune-empty and --commit-filter at the same time");
    if (!options_.state_branch.empty()) return Error(Code::kNotSupported, "--state-branch is not supported");
    while (options_.original.ends_with('/')) options_.original.pop_back();
    options_.original += '/';
    vfs::FileSystem& fs = git_.in.fs;
    PADDOCK_ASSIGN(place_, fs.Canonical(options_.place, vfs::FileSystem::MustExist::kNone));
    if (const auto facts = fs.Stat(place_, vfs::Follow::kNo)) {
      if (facts->is_directory() && !options_.force) return Stop(options_.place + " already exists, please remove it");
      if (facts->is_directory()) PADDOCK_TRY(RemoveTree(git_.in, place_));
    }
    for (const char* name : {"/t", "/map", "/who", "/text"}) PADDOCK_TRY(vfs::MakeDirectories(fs, place_ + name));
    Result<ExitStatus> status = Rewrite();
    if (fs.Stat(place_, vfs::Follow::kNo)) static_cast<void>(RemoveTree(git_.in, place_).has_value());
    if (!status || *status != 0 || git_.work_tree.empty()) return status;
    git_.in.out.Flush();
    return git_.in.launcher.Run(git_.in.process, ChildSpec{.args = {"git", "read-tree", "-u", "-m", "HEAD"}, .environment = &git_.in.env});
  }

 private:
  Result<ExitStatus> Stop(const std::string& text) {
    git_.Say(text + "\n");
    return 1;
  }
  Result<ChildOutput> RunGit(std::vector<std::string> args) {
    args.insert(args.begin(), "git");
    git_.in.out.Flush();
    return StandardOutput(git_.in, std::move(args), git_.in.env);
  }
  static std::vector<std::string> Lines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::string_view line : SplitLines(text)) {
      if (line.ends_with('\n')) line.remove_suffix(1);
      lines.emplace_back(line);
    }
    return lines;
  }
  std::optional<Oid> CommitOf(const std::string& name) {
    const auto id = ResolveObject(git_, name);
    const auto commit = id ? git_.objects.Peel(*id, ObjectType::kCommit) : Result<Oid>(Code::kNoEntry);
    return commit ? std::optional(*commit) : std::nullopt;
  }

  Result<bool> IsClean() {
    if (!git_.Head()) {
      git_.Say("fatal: Needed a single revision\n");
      return false;
    }
    PADDOCK_TRY(RunGit({"update-index", "-q", "--ignore-submodules", "--refresh"}));
    PADDOCK_ASSIGN(const ChildOutput unstaged, RunGit({"diff-files", "--quiet", "--ignore-submodules"}));
    PADDOCK_ASSIGN(const ChildOutput staged, RunGit({"diff-index", "--cached", "--quiet", "--ignore-submodules", "HEAD", "--"}));
    if (unstaged.status != 0) git_.Say("Cannot rewrite branches: You have unstaged changes.\n");
    if (staged.status != 0) git_.Say(unstaged.status != 0 ? "Additionally, your index contains uncommitted changes.\n" : "Cannot rewrite branches: Your index contains uncommitted changes.\n");
    return unstaged.status == 0 && staged.status == 0;
  }

  Result<ExitStatus> Rewrite() {
    for (const auto& [ref, id] : git_.refs.List(options_.original)) {
      if (!options_.force) return Stop("Cannot create a new backup.\nA previous backup already exists in " + options_.original + "\nForce overwriting the backup with -f");
      PADDOCK_TRY(git_.refs.Remove(ref));
    }
    PADDOCK_ASSIGN(const ExitStatus found, FindHeads());
    if (found != 0) return found;
    if (heads_.empty()) return Stop("You must specify a ref to rewrite.");
    PADDOCK_ASSIGN(const ExitStatus listed, ListCommits());
    if (listed != 0) return listed;
    PADDOCK_ASSIGN(const ExitStatus status, RunScript(FilterScript(), false));
    if (status != 0) return status;
    PADDOCK_TRY(ReadMap());
    PADDOCK_TRY(RemapHeads());
    git_.Print("\n");
    for (const std::string& ref : heads_) {
      PADDOCK_ASSIGN(const bool is_done, UpdateRef(ref));
      if (!is_done) return 1;
    }
    return options_.tag_name.empty() ? 0 : FilterTags();
  }

  Result<ExitStatus> FindHeads() {
    std::vector<std::string> words = {"rev-parse", "--no-flags", "--revs-only", "--symbolic-full-name", "--default", "HEAD"};
    words.insert(words.end(), options_.rest.begin(), options_.rest.end());
    PADDOCK_ASSIGN(const ChildOutput found, RunGit(words));
    if (found.status != 0) return found.status;
    for (const std::string& ref : Lines(found.text)) {
      git_.in.budget.Step();
      if (ref.starts_with('^') || ref.empty()) continue;
      if (CommitOf(ref)) heads_.push_back(ref);
      else git_.Say("WARNING: not rewriting '" + ref + "' (not a committish)\n");
    }
    return 0;
  }

  // What is to be written anew, parents first; for each the files that the script reads.
  Result<ExitStatus> ListCommits() {
    std::vector<std::string> words = {"rev-parse", "--no-revs"};
    words.insert(words.end(), options_.rest.begin(), options_.rest.end());
    PADDOCK_ASSIGN(const ChildOutput others, RunGit(words));
    if (others.status != 0) return others.status;
    words[1] = "--revs-only";
    PADDOCK_ASSIGN(const ChildOutput revisions, RunGit(words));
    if (!options_.directory.empty() || !others.text.empty()) options_.remaps = true;
    limits_ = Lines(others.text);
    if (!options_.directory.empty()) {
      if (limits_.empty()) limits_.emplace_back("--");
      limits_.push_back(options_.directory);
    }
    std::vector<std::string> list = {"rev-list", "--reverse", "--topo-order", "--parents", "--simplify-merges"};
    if (revisions.text.empty()) list.emplace_back("HEAD");
    for (const std::string& revision : Lines(revisions.text)) list.push_back(revision);
    list.insert(list.end(), limits_.begin(), limits_.end());
    PADDOCK_ASSIGN(const ChildOutput commits, RunGit(std::move(list)));
    if (commits.status != 0) return Stop("Could not get the commits");
    count_ = static_cast<size_t>(std::count(commits.text.begin(), commits.text.end(), '\n'));
    if (count_ == 0) {
      git_.Say("Found nothing to rewrite\n");
      return 2;
    }
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, place_ + "/revs", commits.text));
    for (const std::string& line : Lines(commits.text)) {
      git_.in.budget.Step(4);
      const auto id = Oid::FromHex(line.substr(0, 40));
      if (!id) return Stop("Could not get the commits");
      PADDOCK_ASSIGN(const Commit commit, git_.objects.ReadCommit(*id));
      PADDOCK_TRY(vfs::WriteFile(git_.in.fs, place_ + "/who/" + id->Hex(), IdentityText("AUTHOR", commit.author) + IdentityText("COMMITTER", commit.committer)));
      PADDOCK_TRY(vfs::WriteFile(git_.in.fs, place_ + "/text/" + id->Hex(), commit.message));
    }
    return 0;
  }
  static std::string IdentityText(const std::string& role, const std::string& line) {
    const Signature who = ParseSignature(line);
    const std::string name = who.name.empty() ? who.email.substr(0, who.email.find('@')) : who.name;
    const size_t end = line.rfind('>');
    const std::string date = end == std::string::npos || end + 2 > line.size() ? "@0 +0000" : "@" + line.substr(end + 2);
    std::string text;
    for (const auto& [what, value] : {std::pair<std::string, std::string>("NAME", name), {"EMAIL", who.email}, {"DATE", date}}) {
      text += "GIT_" + role + "_" + what + "=" + InShellQuotes(value) + "; export GIT_" + role + "_" + what + "\n";
    }
    return text;
  }

  std::string FilterScript() const {
    std::string commit = options_.commit.empty() ? options_.prunes ? "git_commit_non_empty_tree \"$@\"" : "git commit-tree \"$@\"" : options_.commit;
    commit = std::string(kFilterFunctions) + commit;
    const bool has_index = !options_.index.empty() || !options_.tree.empty() || !options_.directory.empty();
    std::string text;
    const std::pair<const char*, std::string> values[] = {{"tempdir", place_}, {"workdir", place_ + "/t"}, {"commits", std::to_string(count_)}, {"need_index", has_index ? "t" : ""}, {"filter_setup", options_.setup},
                                                          {"filter_env", options_.environment}, {"filter_tree", options_.tree}, {"filter_index", options_.index}, {"filter_parent", options_.parents},
                                                          {"filter_msg", options_.message}, {"filter_commit", commit}, {"filter_subdir", options_.directory}};
    for (const auto& [name, value] : values) text += std::string(name) + "=" + InShellQuotes(value) + "\n";
    return text + std::string(kFilterFunctions) + std::string(kFilterLoop);
  }

  Result<ExitStatus> RunScript(const std::string& script, bool is_for_tags) {
    Environment environment = git_.in.env;
    environment.Set("GIT_DIR", git_.git_dir);
    environment.Set("GIT_WORK_TREE", ".");
    environment.Set("GIT_INDEX_FILE", place_ + "/index");
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, place_ + "/script", script));
    ChildSpec spec{.args = {"sh", place_ + "/script"}, .environment = &environment, .cwd = place_ + "/t"};
    if (is_for_tags) spec.out = TextSink(git_.in.budget, names_);
    git_.in.out.Flush();
    return git_.in.launcher.Run(git_.in.process, spec);
  }

  // What became of the commits: none, one, or more.
  Status ReadMap() {
    PADDOCK_ASSIGN(const auto list, git_.in.fs.List(place_ + "/map"));
    for (const vfs::DirectoryEntry& entry : list) {
      git_.in.budget.Step();
      const auto id = Oid::FromHex(entry.name);
      if (!id) continue;
      PADDOCK_ASSIGN(const std::string text, vfs::ReadFile(git_.in.fs, place_ + "/map/" + entry.name, 1 << 20));
      map_[*id] = text.substr(0, text.find_last_not_of('\n') + 1);
    }
    return {};
  }
  Status RemapHeads() {
    for (const std::string& ref : options_.remaps ? heads_ : std::vector<std::string>()) {
      const auto commit = CommitOf(ref);
      if (!commit || map_.contains(*commit)) continue;
      std::vector<std::string> words = {"rev-list", "--simplify-merges", "-1", ref};
      words.insert(words.end(), limits_.begin(), limits_.end());
      PADDOCK_ASSIGN(const ChildOutput found, RunGit(std::move(words)));
      const auto ancestor = Oid::FromHex(found.text.substr(0, 40));
      if (!ancestor) continue;
      const auto mapped = map_.find(*ancestor);
      map_[*commit] = mapped == map_.end() ? ancestor->Hex() : mapped->second;
    }
    return {};
  }

  Result<bool> UpdateRef(const std::string& ref) {
    const auto old = CommitOf(ref);
    const auto mapped = old ? map_.find(*old) : map_.end();
    if (!old) return true;
    const std::string text = mapped == map_.end() ? old->Hex() : mapped->second;
    if (text == old->Hex()) {
      git_.Say("WARNING: Ref '" + ref + "' is unchanged\n");
      return true;
    }
    if (text.empty()) {
      git_.Print("Ref '" + ref + "' was deleted\n");
      PADDOCK_TRY(git_.refs.Remove(ref));
    } else {
      git_.Print("Ref '" + ref + "' was rewritten\n");
      const auto id = Oid::FromHex(text);
      const auto now = git_.refs.Read(ref);
      if (id && now == old) {
        PADDOCK_TRY(git_.refs.Write(ref, *id, git_.Who(), "filter-branch: rewrite"));
      } else if (now && git_.objects.ReadTag(*now)) {
        git_.in.out.Flush();
        if (options_.tag_name.empty()) git_.Say("WARNING: You said to rewrite tagged commits, but not the corresponding tag.\nWARNING: Perhaps use '--tag-name-filter cat' to rewrite the tag.\n");
      } else {
        PADDOCK_TRY(Stop("Could not rewrite " + ref));
        return false;
      }
    }
    PADDOCK_TRY(git_.refs.Write(options_.original + ref, *old, git_.Who(), "filter-branch: backup"));
    return true;
  }

  // --- tags

  Result<ExitStatus> FilterTags() {
    struct OldTag {
      std::string name;
      Oid id, commit;
      std::string target;
    };
    std::vector<OldTag> tags;
    std::string list;
    for (const auto& [ref, id] : git_.refs.List("refs/tags/")) {
      git_.in.budget.Step();
      const auto commit = CommitOf(id.Hex());
      const auto mapped = commit ? map_.find(*commit) : map_.end();
      if (mapped == map_.end()) continue;
      tags.push_back({ref.substr(10), id, *commit, mapped->second});
      list += commit->Hex() + " " + ref.substr(10) + "\n";
    }
    if (tags.empty()) return 0;
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, place_ + "/tags", list));
    std::string script;
    for (const auto& [name, value] : {std::pair<const char*, std::string>("tempdir", place_), {"workdir", place_ + "/t"}, {"filter_setup", options_.setup}, {"filter_tag_name", options_.tag_name}}) {
      script += std::string(name) + "=" + InShellQuotes(value) + "\n";
    }
    PADDOCK_ASSIGN(const ExitStatus status, RunScript(script + std::string(kFilterFunctions) + std::string(kTagLoop), true));
    const std::vector<std::string> names = Lines(names_);
    for (size_t i = 0; i < tags.size() && i < names.size(); ++i) {
      git_.Print(tags[i].name + " -> " + names[i] + " (" + tags[i].commit.Hex() + " -> " + tags[i].target + ")\n");
      const auto target = Oid::FromHex(tags[i].target);
      if (!target || !IsRefName("refs/tags/" + names[i])) return Stop("Could not write tag " + names[i]);
      Oid id = *target;
      if (const auto old = git_.objects.Read(tags[i].id); old && old->type == ObjectType::kTag) {
        PADDOCK_ASSIGN(id, RewriteTag(old->data, *target, names[i], tags[i].id));
      }
      PADDOCK_TRY(git_.refs.WriteDirect("refs/tags/" + names[i], id));
    }
    return status;
  }
  Result<Oid> RewriteTag(const std::string& data, const Oid& target, const std::string& name, const Oid& id) {
    std::string text = "object " + target.Hex() + "\ntype commit\ntag " + name + "\n";
    bool is_header = true;
    for (const std::string_view line : SplitLines(data)) {
      if (line == "\n") is_header = false;
      if (is_header && (line.starts_with("object ") || line.starts_with("type ") || line.starts_with("tag "))) continue;
      if (line.starts_with("-----BEGIN PGP SIGNATURE-----")) {
        git_.in.out.Flush();
        git_.Say("gpg signature stripped from tag object " + id.Hex() + "\n");
        break;
      }
      text += line;
    }
    return git_.objects.Write(ObjectType::kTag, text);
  }

  Git& git_;
  FilterOptions& options_;
  std::string place_, names_;
  std::vector<std::string> heads_, limits_;
  size_t count_ = 0;
  std::map<Oid, std::string> map_;
};

// The options before the revisions; false: the usage is to be shown.
bool TakeWords(const std::vector<std::string>& args, FilterOptions& options) {
  const std::pair<std::string_view, std::string*> values[] = {{"-d", &options.place}, {"--setup", &options.setup}, {"--subdirectory-filter", &options.directory}, {"--env-filter", &options.environment},
                                                              {"--tree-filter", &options.tree}, {"--index-filter", &options.index}, {"--parent-filter", &options.parents}, {"--msg-filter", &options.message},
                                                              {"--commit-filter", &options.commit}, {"--tag-name-filter", &options.tag_name}, {"--original", &options.original}, {"--state-branch", &options.state_branch}};
  size_t i = 1;
  for (; i < args.size() && args[i].starts_with('-'); ++i) {
    if (args[i] == "--") {
      ++i;
      break;
    }
    if (args[i] == "-f" || args[i] == "--force") options.force = true;
    else if (args[i] == "--remap-to-ancestor") options.remaps = true;
    else if (args[i] == "--prune-empty") options.prunes = true;
    else {
      const auto value = std::find_if(std::begin(values), std::end(values), [&](const auto& one) { return one.first == args[i]; });
      if (value == std::end(values) || i + 1 == args.size()) return false;
      *value->second = args[++i];
    }
  }
  options.rest.assign(args.begin() + static_cast<std::ptrdiff_t>(std::min(i, args.size())), args.end());
  return true;
}

// Each option is a word of its own, and what follows them is rev-list's.
ExitStatus RunFilterBranch(Invocation& in, const Subcommand& self, Git* git, std::vector<std::string> args) {
  FilterOptions options;
  if (args.size() == 2 && (args[1] == "-h" || args[1] == "--help")) {
    ExitStatus status = 0;
    static_cast<void>(PrepareSubcommand(in, self, &options, args, &status));
    return 0;
  }
  if (!TakeWords(args, options)) {
    in.out.Flush();
    in.err.Write(kUsage);
    return 1;
  }
  const Result<ExitStatus> status = FilterBranch(*git, options).Run();
  return status ? *status : Die(in, status.error());
}

}  // namespace

extern const Subcommand kFilterBranch;
const Subcommand kFilterBranch = {.name = "filter-branch", .summary = "write a history anew", .synopsis = "[<options>] [--] [<rev-list options>...]", .options = kTable, .run = RunFilterBranch};

}  // namespace paddock::git
