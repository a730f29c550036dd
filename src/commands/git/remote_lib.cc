// git clone, remote, fetch, push and pull: repositories of the same sandbox.
#include <algorithm>

#include "commands/git/commit.h"
#include "commands/git/revision.h"
#include "commands/git/worktree.h"
#include "proc/process.h"

namespace paddock::git {
namespace {

bool IsUrl(std::string_view text) {
  if (text.starts_with("file://")) return false;
  if (text.find("://") != std::string_view::npos) return true;
  const size_t colon = text.find(':'), slash = text.find('/');
  return colon != std::string_view::npos && (slash == std::string_view::npos || colon < slash);
}

// The repository that a path names: its directory or the .git below it.
Result<std::string> OpenRemote(Invocation& in, std::string url) {
  if (IsUrl(url)) return Error(Code::kNotSupported, "unable to access '" + url + "': only repositories of this sandbox can be reached; give a path");
  if (url.starts_with("file://")) url = url.substr(7);
  for (const std::string& candidate : {url + "/.git", url + ".git/.git", url + ".git", url}) {
    if (!IsGitDirectory(in.fs, candidate)) continue;
    return in.fs.Canonical(candidate);
  }
  return Error(Code::kNoEntry, "'" + url + "' does not appear to be a git repository");
}

Error CannotRead(Git& git, const Error& error) {
  git.Say("fatal: " + std::string(error.Text()) + "\n");
  return {Code::kNoEntry, "Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists."};
}

// Copies all that the ids need and `to` lacks.
Status CopyObjects(Invocation& in, ObjectStore& from, ObjectStore& to, const std::vector<Oid>& wanted) {
  std::vector<Oid> todo = wanted;
  std::set<Oid> seen(wanted.begin(), wanted.end());
  const auto add = [&](const Oid& id) {
    if (seen.insert(id).second) todo.push_back(id);
  };
  // Leaves first: an object that is there has all that it needs.
  std::vector<std::pair<Oid, Object>> found;
  while (!todo.empty()) {
    in.budget.Step(4);
    const Oid id = todo.back();
    todo.pop_back();
    if (to.Has(id)) continue;
    PADDOCK_ASSIGN(Object object, from.Read(id));
    if (object.type == ObjectType::kCommit) {
      PADDOCK_ASSIGN(const Commit commit, ParseCommit(object.data, in.budget));
      add(commit.tree);
      for (const Oid& parent : commit.parents) add(parent);
    } else if (object.type == ObjectType::kTree) {
      PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, ParseTree(object.data, in.budget));
      for (const TreeEntry& entry : entries) {
        if (entry.mode != kModeCommit) add(entry.id);
      }
    } else if (object.type == ObjectType::kTag) {
      PADDOCK_ASSIGN(const Tag tag, ParseTag(object.data));
      add(tag.object);
    }
    found.emplace_back(id, std::move(object));
  }
  for (auto entry = found.rbegin(); entry != found.rend(); ++entry) {
    in.budget.Step(4);
    PADDOCK_ASSIGN(const Oid written, to.Write(entry->second.type, entry->second.data));
    if (written != entry->first) return Error(Code::kCorrupt, "object " + entry->first.Hex() + " is corrupt");
  }
  return {};
}

Status EditConfigFile(Git& git, const std::string& key, std::string_view value, bool adds = false) {
  const auto text = vfs::ReadFile(git.in.fs, git.GitPath("config"), 4 << 20);
  return vfs::WriteFile(git.in.fs, git.GitPath("config"), EditConfig(text ? *text : "", key, value, adds));
}

Status AddRemote(Git& git, const std::string& name, const std::string& url) {
  PADDOCK_TRY(EditConfigFile(git, "remote." + name + ".url", url));
  return EditConfigFile(git, "remote." + name + ".fetch", "+refs/heads/*:refs/remotes/" + name + "/*");
}

struct CloneOptions {
  bool quiet = false, bare = false, no_checkout = false;
  std::string branch, origin = "origin";
};
constexpr Option kCloneOptions[] = {
    Flag<&CloneOptions::quiet>('q', "quiet", "say nothing"), Flag<&CloneOptions::bare>(0, "bare", "without a working tree"),
    Flag<&CloneOptions::no_checkout>('n', "no-checkout", "write no files"), Value<&CloneOptions::branch>('b', "branch", "NAME", "check out this branch or tag"),
    Value<&CloneOptions::origin>('o', "origin", "NAME", "the name of the remote"),
};

std::string CloneName(std::string url, bool is_bare) {
  while (url.ends_with('/')) url.pop_back();
  if (url.ends_with("/.git")) url.resize(url.size() - 5);
  std::string name = url.substr(url.rfind('/') + 1);
  if (name.ends_with(".git")) name.resize(name.size() - 4);
  return is_bare ? name + ".git" : name;
}

Result<ExitStatus> RunClone(Invocation& in, Git*, CloneOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (operands.empty()) return Error(Code::kInvalid, "You must specify a repository to clone.");
  if (operands.size() > 2) return Error(Code::kInvalid, "Too many arguments.");
  const std::string& url = operands[0];
  if (IsUrl(url)) return OpenRemote(in, url).error();
  auto source_dir = OpenRemote(in, url);
  if (!source_dir) return Error(Code::kNoEntry, "repository '" + url + "' does not exist");
  const std::string directory = operands.size() == 2 ? operands[1] : CloneName(url, options.bare);
  if (const auto list = in.fs.List(directory); (list && !list->empty()) || (!list && in.fs.Stat(directory))) return Error(Code::kExists, "destination path '" + directory + "' already exists and is not an empty directory.");
  if (!options.quiet) in.err.Write(std::string("Cloning into ") + (options.bare ? "bare repository " : "") + "'" + directory + "'...\n");
  PADDOCK_TRY(vfs::MakeDirectories(in.fs, directory));
  PADDOCK_ASSIGN(const std::string top, in.fs.Canonical(directory));
  const std::string git_dir = options.bare ? top : top + "/.git";
  Git source(in, *source_dir, "", true);
  const std::string head_ref = source.HeadBranch().value_or("");
  PADDOCK_TRY(CreateRepository(in, git_dir, options.bare, head_ref.empty() ? "master" : ShortRef(head_ref)));
  Git git(in, git_dir, options.bare ? "" : top, options.bare);
  const std::string absolute = url.starts_with("file://") ? url : in.fs.Canonical(url).has_value() ? *in.fs.Canonical(url) : url;
  if (options.bare) PADDOCK_TRY(EditConfigFile(git, "remote." + options.origin + ".url", absolute));
  else PADDOCK_TRY(AddRemote(git, options.origin, absolute));
  PADDOCK_ASSIGN(git.config, ReadConfig(in, &git));
  std::vector<Oid> wanted;
  for (const auto& [name, id] : source.refs.List("refs/")) {
    if (name.starts_with("refs/heads/") || name.starts_with("refs/tags/")) wanted.push_back(id);
  }
  if (const auto head = source.Head()) wanted.push_back(*head);
  if (wanted.empty()) in.err.Write("warning: You appear to have cloned an empty repository.\n");
  PADDOCK_TRY(CopyObjects(in, source.objects, git.objects, wanted));
  for (const auto& [name, id] : source.refs.List("refs/")) {
    if (name.starts_with("refs/tags/") || (options.bare && name.starts_with("refs/heads/"))) PADDOCK_TRY(git.refs.WriteDirect(name, id));
    else if (name.starts_with("refs/heads/")) PADDOCK_TRY(git.refs.WriteDirect("refs/remotes/" + options.origin + "/" + name.substr(11), id));
  }
  if (options.bare) {
    if (!options.quiet) in.err.Write("done.\n");
    return 0;
  }
  const bool has_branch = !head_ref.empty() && source.refs.Exists(head_ref);
  if (has_branch) PADDOCK_TRY(git.refs.WriteSymbolic("refs/remotes/" + options.origin + "/HEAD", "refs/remotes/" + options.origin + "/" + ShortRef(head_ref)));
  std::string branch = options.branch.empty() ? ShortRef(head_ref) : options.branch;
  std::optional<Oid> target = git.refs.Read("refs/remotes/" + options.origin + "/" + branch);
  const std::string who = git.Who(), message = "clone: from " + absolute;
  if (target) {
    PADDOCK_TRY(git.refs.WriteSymbolic("HEAD", "refs/heads/" + branch));
    PADDOCK_TRY(git.refs.Write("HEAD", *target, who, message));
    PADDOCK_TRY(EditConfigFile(git, "branch." + branch + ".remote", options.origin));
    PADDOCK_TRY(EditConfigFile(git, "branch." + branch + ".merge", "refs/heads/" + branch));
  } else if (!options.branch.empty()) {
    const auto tag = git.refs.Read("refs/tags/" + branch);
    if (!tag) return Error(Code::kNoEntry, "Remote branch " + branch + " not found in upstream " + options.origin);
    PADDOCK_ASSIGN(target, git.objects.Peel(*tag, ObjectType::kCommit));
    PADDOCK_TRY(git.refs.Write("HEAD", *target, who, message));
  } else if (const auto head = source.Head(); head && !has_branch) {
    target = head;
    PADDOCK_TRY(git.refs.WriteDirect("HEAD", *head));
    PADDOCK_TRY(git.refs.Log("HEAD", Oid{}, *head, who, message));
  }
  if (target && !options.no_checkout) {
    Index index;
    PADDOCK_ASSIGN(const FlatTree files, git.FlattenCommit(*target));
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, {}, files, index, "checkout", true));
    if (!done) return 128;
    PADDOCK_TRY(git.WriteIndex(index));
  }
  if (!options.quiet) in.err.Write("done.\n");
  return 0;
}

struct RemoteOptions {
  bool verbose = false;
};
constexpr Option kRemoteOptions[] = {Flag<&RemoteOptions::verbose>('v', "verbose", "with URLs")};

std::vector<std::string> RemoteNames(Git& git) {
  std::set<std::string> names;
  for (const ConfigEntry& entry : git.config.entries()) {
    if (entry.key.starts_with("remote.") && entry.key.ends_with(".url")) names.insert(entry.key.substr(7, entry.key.size() - 11));
  }
  return {names.begin(), names.end()};
}

Result<ExitStatus> RunRemote(Git& git, RemoteOptions& options, Args& args) {
  const std::vector<std::string> words = args.All();
  const std::vector<std::string> names = RemoteNames(git);
  if (words.empty()) {
    for (const std::string& name : names) {
      const std::string url = git.config.Get("remote." + name + ".url", "");
      if (!options.verbose) git.Print(name + "\n");
      else git.Print(name + "\t" + url + " (fetch)\n" + name + "\t" + git.config.Get("remote." + name + ".pushurl", url) + " (push)\n");
    }
    return 0;
  }
  const auto is_known = [&](const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if (words[0] == "add" && words.size() == 3) {
    if (is_known(words[1])) return git.Complain("remote " + words[1] + " already exists.", 3);
    if (!IsRefName("refs/remotes/" + words[1] + "/x")) return Error(Code::kInvalid, "'" + words[1] + "' is not a valid remote name");
    PADDOCK_TRY(AddRemote(git, words[1], words[2]));
    return 0;
  }
  if ((words[0] == "remove" || words[0] == "rm" || words[0] == "get-url" || words[0] == "set-url") && words.size() >= 2) {
    if (!is_known(words[1])) return git.Complain("No such remote '" + words[1] + "'", 2);
    if (words[0] == "get-url") {
      git.Print(git.config.Get("remote." + words[1] + ".url", "") + "\n");
      return 0;
    }
    if (words[0] == "set-url" && words.size() == 3) {
      PADDOCK_TRY(EditConfigFile(git, "remote." + words[1] + ".url", words[2]));
      return 0;
    }
    if (words[0] == "set-url") return 129;
    const auto text = vfs::ReadFile(git.in.fs, git.GitPath("config"), 4 << 20);
    if (const auto edited = EditConfigSection(text ? *text : "", "remote." + words[1], std::nullopt)) PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("config"), *edited));
    for (const auto& [ref, id] : git.refs.List("refs/remotes/" + words[1] + "/")) PADDOCK_TRY(git.refs.Remove(ref));
    return 0;
  }
  git.Say("error: Unknown subcommand: " + words[0] + "\n");
  return 129;
}

struct FetchOptions {
  bool quiet = false, all = false, prune = false, tags = false;
};
constexpr Option kFetchOptions[] = {
    Flag<&FetchOptions::quiet>('q', "quiet", "say nothing"), Flag<&FetchOptions::all>(0, "all", "from all remotes"),
    Flag<&FetchOptions::prune>('p', "prune", "remove remote branches that are gone"), Flag<&FetchOptions::tags>('t', "tags", "with all tags"),
};

// One line of what a transfer changed.
std::string ChangeLine(char flag, std::string what, const std::string& from, const std::string& to, const std::string& note = "") {
  what.resize(std::max<size_t>(what.size(), 17), ' ');
  std::string name = from;
  name.resize(std::max<size_t>(name.size(), 10), ' ');
  return std::string(" ") + flag + " " + what + " " + name + " -> " + to + note + "\n";
}

Result<ExitStatus> FetchOne(Git& git, const FetchOptions& options, const std::string& name, const std::vector<std::string>& branches) {
  const auto url = git.config.Get("remote." + name + ".url");
  const std::string place = url ? *url : name;
  auto directory = OpenRemote(git.in, place);
  if (!directory) return CannotRead(git, directory.error());
  Git source(git.in, *directory, "", true);
  std::string text, fetch_head;
  History history(git);
  std::vector<std::pair<std::string, Oid>> wanted;
  for (const auto& [ref, id] : source.refs.List("refs/heads/")) {
    if (branches.empty() || std::find(branches.begin(), branches.end(), ShortRef(ref)) != branches.end()) wanted.emplace_back(ref, id);
  }
  for (const std::string& branch : branches) {
    if (std::none_of(wanted.begin(), wanted.end(), [&branch](const auto& pair) { return ShortRef(pair.first) == branch; })) return Error(Code::kNoEntry, "couldn't find remote ref " + branch);
  }
  std::vector<Oid> ids;
  for (const auto& [ref, id] : wanted) ids.push_back(id);
  PADDOCK_TRY(CopyObjects(git.in, source.objects, git.objects, ids));
  const std::string current = ShortRef(git.HeadBranch().value_or(""));
  for (const auto& [ref, id] : wanted) {
    const std::string branch = ShortRef(ref);
    const bool is_merged = branches.empty() ? git.config.Get("branch." + current + ".merge", "") == ref : true;
    const std::string line = id.Hex() + "\t" + (is_merged ? "" : "not-for-merge") + "\tbranch '" + branch + "' of " + place + "\n";
    fetch_head = is_merged ? line + fetch_head : fetch_head + line;
    if (!url) {
      text += ChangeLine('*', "branch", branch, "FETCH_HEAD");
      continue;
    }
    const std::string local = "refs/remotes/" + name + "/" + branch;
    const auto old = git.refs.Read(local);
    if (old == id) continue;
    const std::string shown = name + "/" + branch;
    if (!old) {
      text += ChangeLine('*', "[new branch]", branch, shown);
      PADDOCK_TRY(git.refs.Write(local, id, git.Who(), "fetch " + name + ": storing head"));
      continue;
    }
    PADDOCK_ASSIGN(const bool is_forward, history.IsAncestor(*old, id));
    const std::string range = git.objects.Abbreviate(*old) + (is_forward ? ".." : "...") + git.objects.Abbreviate(id);
    text += is_forward ? "  " + ChangeLine(' ', range, branch, shown).substr(2) : ChangeLine('+', range, branch, shown, "  (forced update)");
    PADDOCK_TRY(git.refs.Write(local, id, git.Who(), std::string("fetch ") + name + (is_forward ? ": fast-forward" : ": forced-update")));
  }
  for (const auto& [ref, id] : source.refs.List("refs/tags/")) {
    const auto peeled = source.objects.Peel(id, std::nullopt);
    if (git.refs.Exists(ref) || !peeled || (!options.tags && !git.objects.Has(*peeled))) continue;
    PADDOCK_TRY(CopyObjects(git.in, source.objects, git.objects, {id}));
    PADDOCK_TRY(git.refs.WriteDirect(ref, id));
    text += ChangeLine('*', "[new tag]", ShortRef(ref), ShortRef(ref));
  }
  if (options.prune && url) {
    std::string gone;
    for (const auto& [ref, id] : git.refs.List("refs/remotes/" + name + "/")) {
      const std::string branch = ref.substr(14 + name.size());
      if (branch == "HEAD" || source.refs.Exists("refs/heads/" + branch)) continue;
      PADDOCK_TRY(git.refs.Remove(ref));
      gone += ChangeLine('-', "[deleted]", "(none)", name + "/" + branch);
    }
    text = gone + text;
  }
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("FETCH_HEAD"), fetch_head));
  if (!text.empty() && !options.quiet) git.Say("From " + place + "\n" + text);
  return 0;
}

std::string DefaultRemote(Git& git) {
  const std::string branch = ShortRef(git.HeadBranch().value_or(""));
  return git.config.Get("branch." + branch + ".remote", "origin");
}

Result<ExitStatus> RunFetch(Git& git, FetchOptions& options, Args& args) {
  std::vector<std::string> operands = args.All();
  if (options.all) {
    for (const std::string& name : RemoteNames(git)) PADDOCK_TRY(FetchOne(git, options, name, {}));
    return 0;
  }
  const std::string name = operands.empty() ? DefaultRemote(git) : operands[0];
  if (!operands.empty()) operands.erase(operands.begin());
  return FetchOne(git, options, name, operands);
}

struct PullOptions {
  bool quiet = false, ff_only = false, no_rebase = false;
};
constexpr Option kPullOptions[] = {Flag<&PullOptions::quiet>('q', "quiet", "say nothing"), Flag<&PullOptions::ff_only>(0, "ff-only", "only if no merge is needed"), Flag<&PullOptions::no_rebase>(0, "no-rebase", "merge (the only way here)")};
Result<ExitStatus> RunPull(Git& git, PullOptions& options, Args& args) {
  FetchOptions fetch;
  fetch.quiet = options.quiet;
  std::vector<std::string> operands = args.All();
  const std::string name = operands.empty() ? DefaultRemote(git) : operands[0];
  if (!operands.empty()) operands.erase(operands.begin());
  PADDOCK_ASSIGN(const ExitStatus fetched, FetchOne(git, fetch, name, operands));
  if (fetched != 0) return fetched;
  PADDOCK_ASSIGN(const std::string heads, vfs::ReadFile(git.in.fs, git.GitPath("FETCH_HEAD"), 1 << 20));
  const auto target = heads.size() > 42 && heads[41] == '\t' ? Oid::FromHex(std::string_view(heads).substr(0, 40)) : std::nullopt;
  if (!target) return git.Complain("there is no tracking information for the current branch");
  if (!git.Head()) {
    Index index;
    PADDOCK_ASSIGN(const FlatTree files, git.FlattenCommit(*target));
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, {}, files, index, "merge", false));
    if (!done) return 1;
    PADDOCK_TRY(git.WriteIndex(index));
    PADDOCK_TRY(git.refs.Write("HEAD", *target, git.Who(), "pull: initial"));
    return 0;
  }
  History history(git);
  PADDOCK_ASSIGN(const bool is_forward, history.IsAncestor(*git.Head(), *target));
  PADDOCK_ASSIGN(const bool is_behind, history.IsAncestor(*target, *git.Head()));
  if (!is_forward && !is_behind && options.ff_only) return Error(Code::kInvalid, "Not possible to fast-forward, aborting.");
  if (!is_forward && !is_behind && !options.no_rebase && !git.config.Get("pull.rebase") && !git.config.Get("pull.ff")) {
    git.Say("hint: You have divergent branches and need to specify how to reconcile them.\nhint: You can do so by running one of the following commands sometime before\nhint: your next pull:\nhint: \n"
            "hint:   git config pull.rebase false  # merge\nhint:   git config pull.rebase true   # rebase\nhint:   git config pull.ff only       # fast-forward only\nhint: \n"
            "hint: You can replace \"git config\" with \"git config --global\" to set a default\nhint: preference for all repositories. You can also pass --rebase, --no-rebase,\nhint: or --ff-only on the command line to override the configured default per\nhint: invocation.\n");
    return Error(Code::kInvalid, "Need to specify how to reconcile divergent branches.");
  }
  if (!is_forward && !is_behind && git.config.GetBool("pull.rebase", false)) return Error(Code::kNotSupported, "pull with rebase is not supported; git fetch, then merge");
  ChildSpec spec{.args = {"git", "merge", "--no-edit", "-m", "Merge " + heads.substr(42, heads.find('\n') - 42), target->Hex()}, .environment = &git.in.env};
  if (options.quiet) spec.args.insert(spec.args.begin() + 2, "-q");
  git.in.out.Flush();
  const auto status = git.in.launcher.Run(git.in.process, spec);
  return status ? *status : 128;
}

struct PushOptions {
  bool quiet = false, force = false, all = false, tags = false, upstream = false, deletes = false;
};
constexpr Option kPushOptions[] = {
    Flag<&PushOptions::quiet>('q', "quiet", "say nothing"), Flag<&PushOptions::force>('f', "force", "even if something is lost there"), Flag<&PushOptions::all>(0, "all", "all branches"),
    Flag<&PushOptions::tags>(0, "tags", "all tags"), Flag<&PushOptions::upstream>('u', "set-upstream", "track what is pushed"), Flag<&PushOptions::deletes>('d', "delete", "delete there"),
};

struct PushItem {
  std::string from, to;
  std::optional<Oid> id;   // nothing: delete
  bool is_forced = false;
};

Result<PushItem> ParseRefspec(Git& git, const PushOptions& options, std::string spec) {
  PushItem item;
  item.is_forced = options.force || spec.starts_with('+');
  if (spec.starts_with('+')) spec.erase(0, 1);
  const size_t colon = spec.find(':');
  item.from = options.deletes ? "" : spec.substr(0, colon);
  item.to = colon == std::string::npos ? spec : spec.substr(colon + 1);
  if (item.from == "HEAD" && colon == std::string::npos) item.from = item.to = git.HeadBranch().value_or("HEAD");
  const auto ref = item.from.empty() ? std::nullopt : FindRef(git, item.from);
  if (!item.from.empty()) {
    auto id = ResolveObject(git, item.from);
    if (!id) {
      git.Complain("src refspec " + item.from + " does not match any");
      return Error(Code::kConflict);
    }
    item.id = *id;
  }
  if (!item.to.starts_with("refs/")) item.to = (ref && ref->starts_with("refs/tags/") ? "refs/tags/" : "refs/heads/") + item.to;
  if (!IsRefName(item.to)) return Error(Code::kInvalid, "invalid refspec '" + spec + "'");
  if (ref) item.from = *ref;
  return item;
}

Result<ExitStatus> RunPush(Git& git, PushOptions& options, Args& args) {
  std::vector<std::string> operands = args.All();
  const auto branch = git.HeadBranch();
  const std::string name = operands.empty() ? DefaultRemote(git) : operands[0];
  const auto url = git.config.Get("remote." + name + ".url");
  if (!url && operands.empty()) return Error(Code::kInvalid, "No configured push destination.\nEither specify the URL from the command-line or configure a remote repository using\n\n    git remote add <name> <url>\n\nand then push using the remote name\n\n    git push <name>\n");
  const std::string place = url ? *url : name;
  auto directory = OpenRemote(git.in, place);
  if (!directory) return CannotRead(git, directory.error());
  std::vector<PushItem> items;
  for (size_t i = 1; i < operands.size(); ++i) {
    auto item = ParseRefspec(git, options, operands[i]);
    if (!item && item.error().code == Code::kConflict) return git.Complain("failed to push some refs to '" + place + "'");
    if (!item) return item.error();
    items.push_back(std::move(*item));
  }
  const auto take_all = [&](const char* prefix) {
    for (const auto& [ref, id] : git.refs.List(prefix)) items.push_back({ref, ref, id, options.force});
  };
  if (options.all) take_all("refs/heads/");
  if (options.tags) take_all("refs/tags/");
  if (operands.size() < 2 && !options.all && !options.tags) {
    if (!branch) return Error(Code::kInvalid, "You are not currently on a branch.");
    const std::string current = ShortRef(*branch);
    if (!git.config.Get("branch." + current + ".merge") && !options.upstream && !git.config.GetBool("push.autosetupremote", false)) {
      return Error(Code::kInvalid, "The current branch " + current + " has no upstream branch.\nTo push the current branch and set the remote as upstream, use\n\n    git push --set-upstream " + name + " " + current +
                   "\n\nTo have this happen automatically for branches without a tracking\nupstream, see 'push.autoSetupRemote' in 'git help config'.\n");
    }
    items.push_back({*branch, *branch, git.Head(), options.force});
  }
  Git target(git.in, *directory, "", true);
  PADDOCK_ASSIGN(target.config, ReadConfig(git.in, &target));
  std::string text;
  bool has_failed = false, has_changed = false;
  std::string hint;
  for (const PushItem& item : items) {
    git.in.budget.Step();
    const auto old = target.refs.Read(item.to);
    if (old == item.id) continue;
    has_changed = true;
    const std::string from = ShortRef(item.from), to = ShortRef(item.to);
    if (!target.config.GetBool("core.bare", false) && target.HeadBranch() == item.to) {
      text += ChangeLine('!', "[remote rejected]", from, to, " (branch is currently checked out)");
      has_failed = true;
      continue;
    }
    if (!item.id) {
      PADDOCK_TRY(target.refs.Remove(item.to));
      text += " - [deleted]         " + to + "\n";
      if (url) PADDOCK_TRY(git.refs.Remove("refs/remotes/" + name + "/" + to));
      continue;
    }
    bool is_forward = true;
    if (old && item.to.starts_with("refs/heads/")) {
      History history(git);
      is_forward = git.objects.Has(*old);
      if (is_forward) {
        PADDOCK_ASSIGN(is_forward, history.IsAncestor(*old, *item.id));
      }
    }
    if (!is_forward && !item.is_forced) {
      text += ChangeLine('!', "[rejected]", from, to, git.objects.Has(*old) ? " (non-fast-forward)" : " (fetch first)");
      has_failed = true;
      hint = git.objects.Has(*old) ? "hint: Updates were rejected because the tip of your current branch is behind\nhint: its remote counterpart. Integrate the remote changes (e.g.\nhint: 'git pull ...') before pushing again.\n"
                                   : "hint: Updates were rejected because the remote contains work that you do\nhint: not have locally. This is usually caused by another repository pushing\nhint: to the same ref. You may want to first integrate the remote changes\nhint: (e.g., 'git pull ...') before pushing again.\n";
      hint += "hint: See the 'Note about fast-forwards' in 'git push --help' for details.\n";
      continue;
    }
    if (old && item.to.starts_with("refs/tags/") && !item.is_forced) {
      text += ChangeLine('!', "[rejected]", from, to, " (already exists)");
      has_failed = true;
      continue;
    }
    PADDOCK_TRY(CopyObjects(git.in, git.objects, target.objects, {*item.id}));
    PADDOCK_TRY(target.refs.WriteDirect(item.to, *item.id));
    if (!old) text += ChangeLine('*', item.to.starts_with("refs/tags/") ? "[new tag]" : "[new branch]", from, to);
    else text += ChangeLine(is_forward ? ' ' : '+', git.objects.Abbreviate(*old) + (is_forward ? ".." : "...") + git.objects.Abbreviate(*item.id), from, to, is_forward ? "" : " (forced update)");
    if (url && item.to.starts_with("refs/heads/")) PADDOCK_TRY(git.refs.Write("refs/remotes/" + name + "/" + to, *item.id, git.Who(), "update by push"));
  }
  if (!has_changed) {
    if (!options.quiet) git.Say("Everything up-to-date\n");
  } else if (!options.quiet || has_failed) {
    git.Say("To " + place + "\n" + text);
  }
  if (has_failed) git.Say("error: failed to push some refs to '" + place + "'\n" + hint);
  if (options.upstream && !has_failed) {
    for (const PushItem& item : items) {
      if (!item.from.starts_with("refs/heads/") || !url) continue;
      PADDOCK_TRY(EditConfigFile(git, "branch." + ShortRef(item.from) + ".remote", name));
      PADDOCK_TRY(EditConfigFile(git, "branch." + ShortRef(item.from) + ".merge", item.to));
      if (!options.quiet) git.Print("branch '" + ShortRef(item.from) + "' set up to track '" + name + "/" + ShortRef(item.to) + "'.\n");
    }
  }
  return has_failed ? 1 : 0;
}

}  // namespace

using Needs = Subcommand::Needs;
extern const Subcommand kClone, kRemote, kFetch, kPull, kPush;
const Subcommand kClone = DefineFreeSubcommand<CloneOptions, RunClone>({.name = "clone", .summary = "copy a repository", .synopsis = "[<options>] <path> [<directory>]", .options = kCloneOptions, .needs = Needs::kNothing});
const Subcommand kRemote = DefineSubcommand<RemoteOptions, RunRemote>({.name = "remote", .summary = "list and change the remotes", .synopsis = "[-v]\nadd <name> <path>\nremove <name>\nget-url <name>\nset-url <name> <path>", .options = kRemoteOptions});
const Subcommand kFetch = DefineSubcommand<FetchOptions, RunFetch>({.name = "fetch", .summary = "get branches and tags of another repository", .synopsis = "[<options>] [<remote> [<branch>...]]", .options = kFetchOptions});
const Subcommand kPull = DefineSubcommand<PullOptions, RunPull>({.name = "pull", .summary = "fetch, then merge", .synopsis = "[<options>] [<remote> [<branch>]]", .options = kPullOptions, .needs = Needs::kWorkTree});
const Subcommand kPush = DefineSubcommand<PushOptions, RunPush>({.name = "push", .summary = "give branches and tags to another repository", .synopsis = "[<options>] [<remote> [<refspec>...]]", .options = kPushOptions});

}  // namespace paddock::git
