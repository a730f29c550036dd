// git worktree.
#include <algorithm>

#include "commands/git/hooks.h"
#include "commands/git/refs/branch.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/linked_trees.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

struct Options {
  std::string create, reset, expire;
  std::optional<std::string> reason;
  int force = 0;
  bool detach = false, checkout = false, no_checkout = false, lock = false, quiet = false, track = false, no_track = false, guesses = false, no_guess = false;
  bool porcelain = false, verbose = false, nul = false, dry_run = false;
};
Status TakeForce(Options& options, std::string_view) {
  ++options.force;
  return {};
}
constexpr Option kOptions[] = {
    Call<TakeForce>('f', "force", nullptr, "add: also a branch that is checked out; move, remove: also what is changed (twice: locked)"),
    Value<&Options::create>('b', nullptr, "BRANCH", "add: create a branch"),
    Value<&Options::reset>('B', nullptr, "BRANCH", "add: create or reset it"),
    Flag<&Options::detach>('d', "detach", "add: check out the commit itself"),
    Flag<&Options::checkout>(0, "checkout", "add: with files (the default)"),
    Flag<&Options::no_checkout>(0, "no-checkout", "add: without them"),
    Flag<&Options::lock>(0, "lock", "add: lock it"),
    Value<&Options::reason>(0, "reason", "TEXT", "add, lock: why it is locked"),
    Flag<&Options::quiet>('q', "quiet", "add: say nothing"),
    Flag<&Options::track>(0, "track", "add: the new branch tracks what it starts from"),
    Flag<&Options::no_track>(0, "no-track", "add: it tracks nothing"),
    Flag<&Options::guesses>(0, "guess-remote", "add: start from the remote branch of the new one's name"),
    Flag<&Options::no_guess>(0, "no-guess-remote", "add: do not (the default)"),
    Flag<&Options::porcelain>(0, "porcelain", "list: for programs"),
    Flag<&Options::verbose>('v', "verbose", "list, prune: say more"),
    Flag<&Options::nul>('z', nullptr, "list: end lines with NUL"),
    Flag<&Options::dry_run>('n', "dry-run", "prune: only tell"),
    Value<&Options::expire>(0, "expire", "TIME", "list, prune: what is older than TIME"),
};

constexpr const char* kSynopsis = "add [-f] [--detach] [--checkout] [--lock [--reason <string>]] [-b <new-branch>] <path> [<commit-ish>]\nlist [-v | --porcelain [-z]]\nlock [--reason <string>] <worktree>\n"
                                  "move <worktree> <new-path>\nprune [-n] [-v] [--expire <expire>]\nremove [-f] <worktree>\nrepair [<path>...]\nunlock <worktree>";

class Worktrees {
 public:
  Worktrees(Git& git, Options& options) : git_(git), options_(options) {}

  Result<ExitStatus> Run(const std::vector<std::string>& all) {
    if (all.empty()) return Usage("need a subcommand");
    const std::string verb = all[0];
    const std::vector<std::string> words(all.begin() + 1, all.end());
    PADDOCK_ASSIGN(trees_, LinkedTrees(git_));
    if (verb == "add") return words.empty() || words.size() > 2 ? Usage("") : Add(words);
    if (verb == "list") return words.empty() ? List() : Usage("");
    if (verb == "prune") return words.empty() ? Prune() : Usage("");
    if (verb == "lock" || verb == "unlock") return words.size() == 1 ? Lock(words[0], verb == "lock") : Usage("");
    if (verb == "move") return words.size() == 2 ? Move(words[0], words[1]) : Usage("");
    if (verb == "remove") return words.size() == 1 ? Remove(words[0]) : Usage("");
    if (verb == "repair") return Repair(words);
    return Usage("unknown subcommand: `" + verb + "'");
  }

 private:
  ExitStatus Usage(const std::string& complaint) {
    if (!complaint.empty()) git_.Complain(complaint);
    std::string text, lead = "usage: ";
    for (std::string_view rest = kSynopsis; !rest.empty();) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      text += lead + "git worktree " + std::string(rest.substr(0, end)) + "\n";
      rest.remove_prefix(std::min(end + 1, rest.size()));
      lead = "   or: ";
    }
    git_.Say(text + "\n");
    return 129;
  }

  // Below what directory git directories of trees are, by an id that is free.
  std::string FreeId(const std::string& path) const {
    std::string name = vfs::BaseName(path), clean;
    for (const char c : name) clean += static_cast<unsigned char>(c) <= 32 || std::string_view("~^:?*[\\").find(c) != std::string_view::npos ? '-' : c;
    while (clean.starts_with('.')) clean[0] = '-';
    std::string id = clean;
    for (int i = 1; git_.in.fs.Stat(git_.common_dir + "/worktrees/" + id, vfs::Follow::kNo); ++i) id = clean + std::to_string(i);
    return id;
  }

  const LinkedTree* TreeAt(const std::string& path) const {
    for (const LinkedTree& tree : trees_) {
      if (tree.path == path) return &tree;
    }
    return nullptr;
  }

  Result<ExitStatus> Add(std::vector<std::string> words) {
    if (int(options_.detach) + int(!options_.create.empty()) + int(!options_.reset.empty()) > 1) return Error(Code::kInvalid, "options '-b', '-B', and '--detach' cannot be used together");
    if (options_.lock && options_.no_checkout) options_.lock = true;
    if (options_.reason && !options_.lock) return Error(Code::kInvalid, "the option '--reason' requires '--lock'");
    PADDOCK_ASSIGN(const std::string path, git_.in.fs.Canonical(words[0], vfs::FileSystem::MustExist::kNone));
    std::string start = words.size() > 1 ? words[1] : "HEAD";
    if (start == "-") start = PreviousBranch(git_, 1).value_or("-");
    std::string branch = options_.reset.empty() ? options_.create : options_.reset;
    if (!options_.reset.empty() && options_.force == 0) {
      if (const auto other = CheckedOut("refs/heads/" + branch)) return Error(Code::kExists, "'" + branch + "' is already checked out at '" + *other + "'");
    }
    bool is_new = !branch.empty();
    std::string track_source;
    if (branch.empty() && words.size() < 2 && !options_.detach) {
      const std::string name = vfs::BaseName(path);
      if (git_.refs.Exists("refs/heads/" + name)) {
        start = name;
      } else {
        branch = name;
        is_new = true;
        if (options_.guesses || (git_.config.GetBool("worktree.guessremote", false) && !options_.no_guess)) {
          if (const auto remote = OnlyRemote(name)) start = *remote;
        }
      }
    } else if (branch.empty() && words.size() == 2 && !options_.detach && !ResolveCommit(git_, start)) {
      if (const auto remote = OnlyRemote(start)) {
        branch = start;
        start = *remote;
        is_new = true;
        track_source = FindRef(git_, start).value_or("");
      }
    }
    const auto commit = ResolveCommit(git_, start);
    if (!commit && start == "HEAD") return Error(Code::kNoEntry, "not a valid object name: 'HEAD'");
    if (!commit) return Error(Code::kNoEntry, "invalid reference: " + start);
    std::string ref;
    const std::string start_ref = "refs/heads/" + start;
    if (is_new) {
      ref = "refs/heads/" + branch;
      const auto old = git_.refs.Read(ref);
      if (old && !options_.reset.empty()) Tell("Preparing worktree (resetting branch '" + branch + "'; was at " + git_.objects.Abbreviate(*old) + ")\n");
      else Tell("Preparing worktree (new branch '" + branch + "')\n");
      if (!IsRefName(ref) || branch.starts_with('-')) return Error(Code::kInvalid, "'" + branch + "' is not a valid branch name");
      if (old && options_.reset.empty()) {
        Die(git_.in, Error(Code::kExists, "a branch named '" + branch + "' already exists"));
        return 255;
      }
      if (const auto other = old ? CheckedOut(ref) : std::nullopt) {
        Die(git_.in, Error(Code::kExists, "cannot force update the branch '" + branch + "' checked out at '" + *other + "'"));
        return 255;
      }
      PADDOCK_TRY(git_.refs.Write(ref, *commit, git_.Who(), old ? "branch: Reset to " + start : "branch: Created from " + start));
      if (const auto source = FindRef(git_, start); source && !options_.no_track && (source->starts_with("refs/remotes/") || (options_.track && source->starts_with("refs/heads/")))) {
        PADDOCK_TRY(SetUpstream(git_, branch, *source, options_.quiet));
      }
      PADDOCK_TRY(CheckPath(words[0], path));
    } else if (!options_.detach && IsRefName(start_ref) && git_.refs.Exists(start_ref)) {
      ref = start_ref;
      Tell("Preparing worktree (checking out '" + start + "')\n");
      PADDOCK_TRY(CheckPath(words[0], path));
      if (const auto other = CheckedOut(ref); other && options_.force == 0) return Error(Code::kExists, "'" + start + "' is already checked out at '" + *other + "'");
    } else {
      Tell("Preparing worktree (detached HEAD " + git_.objects.Abbreviate(*commit) + ")\n");
      PADDOCK_TRY(CheckPath(words[0], path));
    }
    return Create(path, ref, *commit);
  }

  Result<ExitStatus> Create(const std::string& path, const std::string& ref, const Oid& commit) {
    vfs::FileSystem& fs = git_.in.fs;
    const std::string directory = git_.common_dir + "/worktrees/" + FreeId(path);
    PADDOCK_TRY(vfs::MakeDirectories(fs, directory));
    PADDOCK_TRY(vfs::MakeDirectories(fs, path));
    if (options_.lock) PADDOCK_TRY(vfs::WriteFile(fs, directory + "/locked", options_.reason ? *options_.reason : "added with --lock"));
    PADDOCK_TRY(vfs::WriteFile(fs, directory + "/gitdir", path + "/.git\n"));
    PADDOCK_TRY(vfs::WriteFile(fs, path + "/.git", "gitdir: " + directory + "\n"));
    PADDOCK_TRY(vfs::WriteFile(fs, directory + "/commondir", "../..\n"));
    PADDOCK_TRY(vfs::WriteFile(fs, directory + "/HEAD", ref.empty() ? commit.Hex() + "\n" : "ref: " + ref + "\n"));
    Git inner(git_.in, directory, path, false, git_.common_dir);
    inner.config = git_.config;
    // What makes the checkout sparse here does it there, too.
    for (const char* name : {"info/sparse-checkout", "config.worktree"}) {
      if (std::string_view(name) == "config.worktree" ? !git_.config.GetBool("extensions.worktreeconfig", false) : !git_.config.GetBool("core.sparsecheckout", false)) continue;
      const auto text = vfs::ReadFile(fs, git_.GitPath(name), 16 << 20);
      if (!text) continue;
      PADDOCK_TRY(vfs::MakeDirectories(fs, vfs::DirectoryName(inner.GitPath(name))));
      PADDOCK_TRY(vfs::WriteFile(fs, inner.GitPath(name), *text));
    }
    PADDOCK_TRY(inner.refs.Log("HEAD", Oid{}, commit, git_.Who(), ""));
    if (!options_.no_checkout) {
      PADDOCK_ASSIGN(const FlatTree files, inner.FlattenCommit(commit));
      Index index;
      PADDOCK_ASSIGN(const bool done, SwitchFiles(inner, {}, files, index, "checkout", true));
      if (!done) return 1;
      PADDOCK_TRY(vfs::WriteFile(fs, directory + "/index", index.Text()));
      PADDOCK_TRY(inner.refs.WriteDirect("ORIG_HEAD", commit));
      PADDOCK_TRY(inner.refs.Log("HEAD", commit, commit, git_.Who(), "reset: moving to HEAD"));
      PADDOCK_ASSIGN(const Commit read, inner.objects.ReadCommit(commit));
      if (!options_.quiet) git_.Print("HEAD is now at " + git_.objects.Abbreviate(commit) + " " + SubjectOf(read.message) + "\n");
      if (RunHook(inner, "post-checkout", {Oid{}.Hex(), commit.Hex(), "1"}) != 0) return 1;
    }
    return 0;
  }

  Status CheckPath(const std::string& operand, const std::string& path) {
    const auto facts = git_.in.fs.Stat(path);
    if (facts) {
      const auto list = git_.in.fs.List(path);
      if (!facts->is_directory() || !list || !list->empty()) return Error(Code::kExists, "'" + operand + "' already exists");
    }
    const LinkedTree* known = TreeAt(path);
    if (known == nullptr) return {};
    const bool is_locked = known->lock_reason.has_value();
    if ((!is_locked && options_.force > 0) || (is_locked && options_.force > 1)) return RemoveTree(git_.in, known->git_dir);
    if (is_locked) return Error(Code::kExists, "'" + operand + "' is a missing but locked worktree;\nuse 'add -f -f' to override, or 'unlock' and 'prune' or 'remove' to clear");
    return Error(Code::kExists, "'" + operand + "' is a missing but already registered worktree;\nuse 'add -f' to override, or 'prune' or 'remove' to clear");
  }

  std::optional<std::string> CheckedOut(const std::string& ref) const {
    for (const LinkedTree& tree : trees_) {
      if (!tree.is_bare && tree.branch == ref) return tree.path;
    }
    return std::nullopt;
  }

  // "origin/x", if only one remote has it.
  std::optional<std::string> OnlyRemote(const std::string& name) {
    std::vector<std::string> found;
    for (const auto& [ref, id] : git_.refs.List("refs/remotes/")) {
      const size_t slash = ref.find('/', 13);
      if (slash != std::string::npos && std::string_view(ref).substr(slash + 1) == name) found.push_back(ref.substr(13));
    }
    return found.size() == 1 ? std::optional(found[0]) : std::nullopt;
  }

  void Tell(const std::string& text) {
    if (!options_.quiet) git_.Say(text);
  }

  // What a tree that could be pruned is too young for.
  Result<bool> IsOld(const LinkedTree& tree) {
    if (options_.expire.empty() || options_.expire == "now" || options_.expire == "all") return true;
    if (options_.expire == "never") return false;
    const LooseDate limit = git_.ReadDate(options_.expire);
    if (!limit.is_understood) return Error(Code::kInvalid, "malformed expiration date '" + options_.expire + "'");
    const auto facts = git_.in.fs.Stat(tree.git_dir + "/index");
    return !facts || facts->modify_time.count() / 1'000'000'000 <= limit.seconds;
  }

  Result<ExitStatus> List() {
    if (options_.nul && !options_.porcelain) return Error(Code::kInvalid, "the option '-z' requires '--porcelain'");
    if (options_.verbose && options_.porcelain) return Error(Code::kInvalid, "options '--verbose' and '--porcelain' cannot be used together");
    const char end = options_.nul ? '\0' : '\n';
    size_t width = 0;
    for (const LinkedTree& tree : trees_) width = std::max(width, tree.path.size());
    for (const LinkedTree& tree : trees_) {
      git_.in.budget.Step();
      std::string prunable = tree.prune_reason;
      if (!prunable.empty()) {
        PADDOCK_ASSIGN(const bool is_old, IsOld(tree));
        if (!is_old) prunable.clear();
      }
      std::string text;
      if (options_.porcelain) {
        text = "worktree " + tree.path + end;
        if (tree.is_bare) text += std::string("bare") + end;
        else text += "HEAD " + tree.head.value_or(Oid{}).Hex() + end + (tree.branch ? "branch " + *tree.branch : std::string("detached")) + end;
        if (tree.lock_reason) text += "locked" + (tree.lock_reason->empty() ? "" : " " + (options_.nul ? *tree.lock_reason : QuotePath(*tree.lock_reason, true))) + end;
        if (!prunable.empty()) text += "prunable " + prunable + end;
        git_.Print(text + end);
        continue;
      }
      text = tree.path + std::string(width - tree.path.size() + 1, ' ');
      if (tree.is_bare) text += " (bare)";
      else text += " " + git_.objects.Abbreviate(tree.head.value_or(Oid())) + (tree.branch ? " [" + ShortRef(*tree.branch) + "]" : std::string(" (detached HEAD)"));
      if (tree.lock_reason) text += options_.verbose && !tree.lock_reason->empty() ? "\n\tlocked: " + *tree.lock_reason : " locked";
      if (!prunable.empty()) text += options_.verbose ? "\n\tprunable: " + prunable : " prunable";
      git_.Print(text + "\n");
    }
    return 0;
  }

  Result<ExitStatus> Prune() {
    for (const LinkedTree& tree : trees_) {
      if (tree.prune_reason.empty()) continue;
      PADDOCK_ASSIGN(const bool is_old, IsOld(tree));
      if (!is_old) continue;
      if (options_.dry_run || options_.verbose) git_.Say("Removing worktrees/" + tree.id + ": " + tree.prune_reason + "\n");
      if (!options_.dry_run) PADDOCK_TRY(Forget(tree));
    }
    return 0;
  }

  Status Forget(const LinkedTree& tree) {
    PADDOCK_TRY(RemoveTree(git_.in, tree.git_dir));
    // The last one takes the folder along.
    static_cast<void>(git_.in.fs.RemoveDirectory(git_.common_dir + "/worktrees").has_value());
    return {};
  }

  Result<const LinkedTree*> Find(const std::string& name) {
    const auto path = git_.in.fs.Canonical(name, vfs::FileSystem::MustExist::kNone);
    if (path) {
      if (const LinkedTree* tree = TreeAt(*path)) return tree;
    }
    // The end of its path, if only one ends so.
    const LinkedTree* found = nullptr;
    for (const LinkedTree& tree : trees_) {
      if (tree.path != name && !tree.path.ends_with("/" + name)) continue;
      if (found != nullptr) return Error(Code::kNoEntry, "'" + name + "' is not a working tree");
      found = &tree;
    }
    if (found == nullptr) return Error(Code::kNoEntry, "'" + name + "' is not a working tree");
    return found;
  }

  Result<ExitStatus> Lock(const std::string& name, bool locks) {
    PADDOCK_ASSIGN(const LinkedTree* tree, Find(name));
    if (tree->id.empty()) return Error(Code::kInvalid, "The main working tree cannot be locked or unlocked");
    if (!locks) {
      if (!tree->lock_reason) return Error(Code::kInvalid, "'" + name + "' is not locked");
      PADDOCK_TRY(git_.in.fs.RemoveFile(tree->git_dir + "/locked"));
      return 0;
    }
    if (tree->lock_reason) return Error(Code::kInvalid, "'" + name + "' is already locked" + (tree->lock_reason->empty() ? "" : ", reason: " + *tree->lock_reason));
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, tree->git_dir + "/locked", options_.reason.value_or("")));
    return 0;
  }

  Status RefuseLocked(const LinkedTree& tree, const std::string& verb) {
    if (!tree.lock_reason || options_.force > 1) return {};
    const std::string hint = "\nuse '" + verb + " -f -f' to override or unlock first";
    if (tree.lock_reason->empty()) return Error(Code::kInvalid, "cannot " + verb + " a locked working tree;" + hint);
    return Error(Code::kInvalid, "cannot " + verb + " a locked working tree, lock reason: " + *tree.lock_reason + hint);
  }

  Result<ExitStatus> Move(const std::string& name, const std::string& to) {
    PADDOCK_ASSIGN(const LinkedTree* tree, Find(name));
    if (tree->id.empty()) return Error(Code::kInvalid, "'" + name + "' is a main working tree");
    PADDOCK_ASSIGN(std::string target, git_.in.fs.Canonical(to, vfs::FileSystem::MustExist::kNone));
    if (const auto facts = git_.in.fs.Stat(target); facts && facts->is_directory()) target += "/" + vfs::BaseName(tree->path);
    if (git_.in.fs.Stat(target, vfs::Follow::kNo)) return Error(Code::kExists, "target '" + to + "' already exists");
    PADDOCK_TRY(RefuseLocked(*tree, "move"));
    if (!git_.in.fs.Stat(tree->path)) return Error(Code::kInvalid, "validation failed, cannot move working tree: '" + tree->path + "/.git' does not exist");
    if (const Status moved = git_.in.fs.Rename(tree->path, target); !moved) return Error(moved.error().code, "failed to move '" + tree->path + "' to '" + to + "': " + std::string(moved.error().Text()));
    PADDOCK_TRY(vfs::WriteFile(git_.in.fs, tree->git_dir + "/gitdir", target + "/.git\n"));
    return 0;
  }

  Result<ExitStatus> Remove(const std::string& name) {
    PADDOCK_ASSIGN(const LinkedTree* tree, Find(name));
    if (tree->id.empty()) return Error(Code::kInvalid, "'" + name + "' is a main working tree");
    PADDOCK_TRY(RefuseLocked(*tree, "remove"));
    if (git_.in.fs.Stat(tree->path)) {
      if (options_.force == 0) {
        Git inner(git_.in, tree->git_dir, tree->path, false, git_.common_dir);
        inner.config = git_.config;
        PADDOCK_ASSIGN(const bool is_clean, IsClean(inner));
        if (!is_clean) return Error(Code::kConflict, "'" + name + "' contains modified or untracked files, use --force to delete it");
      }
      PADDOCK_TRY(RemoveTree(git_.in, tree->path));
    }
    PADDOCK_TRY(Forget(*tree));
    return 0;
  }

  Result<bool> IsClean(Git& git) {
    PADDOCK_ASSIGN(const Index index, git.ReadIndex());
    if (index.HasConflicts()) return false;
    FlatTree head;
    if (const auto id = git.Head()) {
      PADDOCK_ASSIGN(head, git.FlattenCommit(*id));
    }
    if (IndexFiles(index) != head) return false;
    PADDOCK_ASSIGN(const std::vector<FileDiff> changed, CompareWithFiles(git, IndexFiles(index), index));
    if (!changed.empty()) return false;
    Pathspec all;
    PADDOCK_ASSIGN(const Untracked found, FindUntracked(git, index, UntrackedMode::kNormal, all, false));
    return found.files.empty();
  }

  Result<ExitStatus> Repair(const std::vector<std::string>& paths) {
    // Trees whose .git file does not name their directory; and directories whose trees moved to `paths`.
    for (const LinkedTree& tree : trees_) {
      if (tree.id.empty() || !git_.in.fs.Stat(tree.path)) continue;
      const std::string wanted = "gitdir: " + tree.git_dir + "\n", file = tree.path + "/.git";
      const auto text = vfs::ReadFile(git_.in.fs, file, 4096);
      if (text && *text == wanted) continue;
      git_.Say("repair: " + std::string(text && text->starts_with("gitdir: ") ? ".git file incorrect: " : ".git file broken: ") + tree.path + "\n");
      PADDOCK_TRY(vfs::WriteFile(git_.in.fs, file, wanted));
    }
    for (const std::string& operand : paths) {
      PADDOCK_ASSIGN(const std::string path, git_.in.fs.Canonical(operand, vfs::FileSystem::MustExist::kNone));
      const auto text = vfs::ReadFile(git_.in.fs, path + "/.git", 4096);
      if (!text || !text->starts_with("gitdir: ")) return git_.Complain("unable to locate repository; .git is not a file: " + path + "/.git");
      const std::string directory = text->substr(8, text->find('\n') - 8);
      if (vfs::DirectoryName(directory) != git_.common_dir + "/worktrees" || !git_.in.fs.Stat(directory)) return git_.Complain("unable to locate repository; .git file does not reference a repository: " + path + "/.git");
      const auto known = vfs::ReadFile(git_.in.fs, directory + "/gitdir", 4096);
      if (known && *known == path + "/.git\n") continue;
      git_.Say("repair: gitdir incorrect: " + directory + "/gitdir\n");
      PADDOCK_TRY(vfs::WriteFile(git_.in.fs, directory + "/gitdir", path + "/.git\n"));
    }
    return 0;
  }

  Git& git_;
  Options& options_;
  std::vector<LinkedTree> trees_;
};

Result<ExitStatus> RunWorktree(Git& git, Options& options, Args& args) { return Worktrees(git, options).Run(args.All()); }

}  // namespace

extern const Subcommand kWorktree;
const Subcommand kWorktree = DefineSubcommand<Options, RunWorktree>({.name = "worktree", .summary = "check out several branches at once", .synopsis = kSynopsis, .options = kOptions});

}  // namespace paddock::git
