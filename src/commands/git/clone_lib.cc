// git clone.
#include <algorithm>

#include "commands/git/commit.h"
#include "commands/git/remote.h"
#include "commands/git/revision.h"
#include "commands/git/worktree.h"
#include "proc/process.h"

namespace paddock::git {
namespace {

struct CloneOptions {
  bool quiet = false, verbose = false, bare = false, mirror = false, no_checkout = false, no_tags = false;
  std::optional<bool> single_branch;
  std::optional<uint32_t> depth;
  std::string branch, origin = "origin";
  std::vector<std::string> settings;
};

template <bool kValue>
Status SetSingle(CloneOptions& options, std::string_view) {
  options.single_branch = kValue;
  return {};
}
Status SetDepth(CloneOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(options.depth, ParseDepth(text));
  return {};
}

constexpr Option kOptions[] = {
    Flag<&CloneOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&CloneOptions::verbose>('v', "verbose", "say more"),
    Flag<&CloneOptions::bare>(0, "bare", "without a working tree"),
    Flag<&CloneOptions::mirror>(0, "mirror", "bare, with all references as they are"),
    Flag<&CloneOptions::no_checkout>('n', "no-checkout", "write no files"),
    Value<&CloneOptions::branch>('b', "branch", "NAME", "check out this branch or tag"),
    Value<&CloneOptions::origin>('o', "origin", "NAME", "the name of the remote"),
    Call<SetDepth>(0, "depth", "N", "only so many commits of history"),
    Call<SetSingle<true>>(0, "single-branch", nullptr, "only HEAD's branch, or --branch"),
    Call<SetSingle<false>>(0, "no-single-branch", nullptr, "all branches (also with --depth)"),
    Flag<&CloneOptions::no_tags>(0, "no-tags", "no tags, now and later"),
    Value<&CloneOptions::settings>('c', "config", "KEY=VALUE", "set this in the new repository"),
};

std::string CloneName(std::string url, bool is_bare) {
  while (url.ends_with('/')) url.pop_back();
  if (url.ends_with("/.git")) url.resize(url.size() - 5);
  std::string name = url.substr(url.rfind('/') + 1);
  if (name.ends_with(".git")) name.resize(name.size() - 4);
  return is_bare ? name + ".git" : name;
}

class Cloning {
 public:
  Cloning(Invocation& in, const CloneOptions& options, std::string url) : in_(in), options_(options), url_(std::move(url)), is_bare_(options.bare || options.mirror) {}

  Result<ExitStatus> Run(std::string directory) {
    PADDOCK_ASSIGN(const Config config, ReadConfig(in_, nullptr));
    const std::string place = RewriteUrl(config, url_);
    default_branch_ = config.Get("init.defaultbranch", "master");
    auto remote = OpenRemote(in_, config, place);
    const bool is_path = !IsUrl(place);
    if (!remote && is_path) return Error(Code::kNoEntry, "repository '" + url_ + "' does not exist");
    if (directory.empty()) directory = CloneName(url_, is_bare_);
    if (const auto list = in_.fs.List(directory); (list && !list->empty()) || (!list && in_.fs.Stat(directory))) return Error(Code::kExists, "destination path '" + directory + "' already exists and is not an empty directory.");
    if (!options_.quiet) in_.err.Write(std::string("Cloning into ") + (is_bare_ ? "bare repository " : "") + "'" + directory + "'...\n");
    if (!remote) return remote.error();
    const bool ignores_depth = options_.depth && is_path && !place.starts_with("file://");
    if (ignores_depth) in_.err.Write("warning: --depth is ignored in local clones; use file:// instead.\n");
    if (!ignores_depth) depth_ = options_.depth;
    const bool was_there = in_.fs.Stat(directory).has_value();
    PADDOCK_TRY(vfs::MakeDirectories(in_.fs, directory));
    PADDOCK_ASSIGN(const std::string top, in_.fs.Canonical(directory));
    const Result<ExitStatus> made = Make(**remote, top, is_path && !place.starts_with("file://") ? in_.fs.Canonical(place).value_or(place) : place);
    if (!made && !was_there) static_cast<void>(RemoveTree(in_, top).has_value());
    if (!made || *made != 0) return made;
    if (!options_.quiet && is_path && !place.starts_with("file://")) in_.err.Write("done.\n");
    return 0;
  }

 private:
  // Which references are taken, and what is checked out.
  Status Choose() {
    branch_ = options_.branch.empty() ? theirs_.head.value_or("") : "refs/heads/" + options_.branch;
    if (!options_.branch.empty() && !theirs_.ids.contains(branch_)) {
      const auto tag = theirs_.ids.find("refs/tags/" + options_.branch);
      if (tag == theirs_.ids.end()) return Error(Code::kNoEntry, "Remote branch " + options_.branch + " not found in upstream " + options_.origin);
      branch_ = tag->first;
    }
    if (options_.branch.empty() && !theirs_.head && theirs_.ids.contains("HEAD")) branch_.clear();   // detached there
    is_single_ = !options_.mirror && options_.single_branch.value_or(depth_.has_value());
    return {};
  }

  bool IsTaken(const std::string& ref) const {
    if (options_.mirror) return ref.starts_with("refs/");
    if (ref.starts_with("refs/heads/")) return !is_single_ || ref == branch_;
    return false;
  }
  std::string LocalName(const std::string& ref) const {
    return is_bare_ ? ref : "refs/remotes/" + options_.origin + "/" + ref.substr(11);
  }

  Status Configure(Git& git, const std::string& shown) {
    const std::string remote = "remote." + options_.origin;
    PADDOCK_TRY(EditConfigFile(git, remote + ".url", shown));
    if (options_.mirror) {
      PADDOCK_TRY(EditConfigFile(git, remote + ".fetch", "+refs/*:refs/*"));
      PADDOCK_TRY(EditConfigFile(git, remote + ".mirror", "true"));
    } else if (!is_bare_ && is_single_ && branch_.starts_with("refs/heads/")) {
      PADDOCK_TRY(EditConfigFile(git, remote + ".fetch", "+" + branch_ + ":" + LocalName(branch_)));
    } else if (!is_bare_ && is_single_ && !branch_.empty()) {
      PADDOCK_TRY(EditConfigFile(git, remote + ".fetch", "+" + branch_ + ":" + branch_));
    } else if (!is_bare_) {
      PADDOCK_TRY(EditConfigFile(git, remote + ".fetch", "+refs/heads/*:refs/remotes/" + options_.origin + "/*"));
    }
    if (options_.no_tags) PADDOCK_TRY(EditConfigFile(git, remote + ".tagopt", "--no-tags"));
    for (const std::string& setting : options_.settings) {
      const size_t equals = setting.find('=');
      const auto key = FoldConfigKey(setting.substr(0, equals));
      if (!key) return Error(Code::kInvalid, "invalid key: " + setting.substr(0, equals));
      PADDOCK_TRY(EditConfigFile(git, *key, equals == std::string::npos ? "true" : setting.substr(equals + 1), true));
    }
    PADDOCK_ASSIGN(git.config, ReadConfig(in_, &git));
    return {};
  }

  Status TakeObjects(Git& git, Remote& remote) {
    FetchRequest request{.wanted = {}, .depth = depth_, .unpack_limit = 0, .is_quiet = options_.quiet};
    for (const auto& [name, id] : theirs_.ids) {
      if (IsTaken(name) || (name == "HEAD" && branch_.empty()) || name == branch_) request.wanted.push_back(id);
      else if (name.starts_with("refs/tags/") && !options_.no_tags && !is_single_) request.wanted.push_back(id);
    }
    if (request.wanted.empty()) {
      in_.err.Write("warning: You appear to have cloned an empty repository.\n");
      return {};
    }
    PADDOCK_TRY(remote.Fetch(git, request));
    if (options_.mirror) {
      for (const auto& [name, id] : theirs_.ids) {
        if (IsTaken(name)) PADDOCK_TRY(git.refs.WriteDirect(name, id));
      }
      return {};
    }
    for (const auto& [name, id] : theirs_.ids) {
      if (IsTaken(name)) PADDOCK_TRY(git.refs.WriteDirect(LocalName(name), id));
      if (!name.starts_with("refs/tags/") || (options_.no_tags && name != branch_)) continue;
      const auto peeled = theirs_.peeled.find(name);
      const bool is_here = git.objects.Has(peeled == theirs_.peeled.end() ? id : peeled->second) && (!depth_ || !is_single_ || git.objects.Has(id));
      if (!is_here) continue;
      if (!git.objects.Has(id)) PADDOCK_TRY(remote.Fetch(git, {.wanted = {id}, .depth = std::nullopt, .unpack_limit = 100, .is_quiet = options_.quiet}));
      PADDOCK_TRY(git.refs.WriteDirect(name, id));
    }
    return {};
  }

  Result<ExitStatus> Make(Remote& remote, const std::string& top, const std::string& shown) {
    PADDOCK_ASSIGN(theirs_, remote.ReadRefs(false));
    PADDOCK_TRY(Choose());
    const std::string git_dir = is_bare_ ? top : top + "/.git";
    // An empty repository may tell what its first branch is to be.
    std::string first = !branch_.starts_with("refs/heads/") ? "" : ShortRef(branch_);
    if (first.empty()) first = theirs_.head ? ShortRef(*theirs_.head) : default_branch_;
    PADDOCK_TRY(CreateRepository(in_, git_dir, is_bare_, first));
    Git git(in_, git_dir, is_bare_ ? "" : top, is_bare_);
    PADDOCK_TRY(Configure(git, shown));
    PADDOCK_TRY(TakeObjects(git, remote));
    PADDOCK_ASSIGN(const std::optional<Oid> target, WriteHead(git, shown));
    if (!target || is_bare_ || options_.no_checkout) return 0;
    Index index;
    PADDOCK_ASSIGN(const FlatTree files, git.FlattenCommit(*target));
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, {}, files, index, "checkout", true));
    if (!done) return 128;
    PADDOCK_TRY(git.WriteIndex(index));
    return 0;
  }

  // The commit that HEAD is at, if any.
  Result<std::optional<Oid>> WriteHead(Git& git, const std::string& shown) {
    const std::string who = git.Who(), message = "clone: from " + ShownUrl(shown);
    const auto found = theirs_.ids.find(branch_.empty() ? "HEAD" : branch_);
    if (!is_bare_ && theirs_.head && IsTaken(*theirs_.head) && theirs_.ids.contains(*theirs_.head)) {
      PADDOCK_TRY(git.refs.WriteSymbolic("refs/remotes/" + options_.origin + "/HEAD", LocalName(*theirs_.head)));
    }
    if (found == theirs_.ids.end()) {
      if (!is_bare_ && theirs_.ids.empty()) PADDOCK_TRY(Track(git, git.HeadBranch().value_or("")));
      return std::optional<Oid>();
    }
    if (branch_.starts_with("refs/heads/")) {
      PADDOCK_TRY(git.refs.WriteSymbolic("HEAD", branch_));
      if (is_bare_) return std::optional(found->second);
      PADDOCK_TRY(git.refs.Write("HEAD", found->second, who, message));
      PADDOCK_TRY(Track(git, branch_));
      return std::optional(found->second);
    }
    PADDOCK_ASSIGN(const Oid commit, git.objects.Peel(found->second, ObjectType::kCommit));
    PADDOCK_TRY(git.refs.WriteDirect("HEAD", commit));
    if (!is_bare_) PADDOCK_TRY(git.refs.Log("HEAD", Oid{}, commit, who, message));
    if (!options_.branch.empty() && !options_.quiet && !is_bare_) in_.err.Write(DetachedAdvice(commit));
    return std::optional(commit);
  }

  Status Track(Git& git, const std::string& branch) {
    PADDOCK_TRY(EditConfigFile(git, "branch." + ShortRef(branch) + ".remote", options_.origin));
    return EditConfigFile(git, "branch." + ShortRef(branch) + ".merge", branch);
  }

  static std::string DetachedAdvice(const Oid& commit) {
    return "Note: switching to '" + commit.Hex() + "'.\n\nYou are in 'detached HEAD' state. You can look around, make experimental\nchanges and commit them, and you can discard any commits you make in this\n"
           "state without impacting any branches by switching back to a branch.\n\nIf you want to create a new branch to retain commits you create, you may\ndo so (now or later) by using -c with the switch command. Example:\n\n"
           "  git switch -c <new-branch-name>\n\nOr undo this operation with:\n\n  git switch -\n\nTurn off this advice by setting config variable advice.detachedHead to false\n\n";
  }

  Invocation& in_;
  const CloneOptions& options_;
  std::string url_;
  bool is_bare_, is_single_ = false;
  std::optional<uint32_t> depth_;
  RemoteRefs theirs_;
  std::string default_branch_;
  std::string branch_;   // what is checked out, by its full name; empty: what HEAD is at
};

Result<ExitStatus> RunClone(Invocation& in, Git*, CloneOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (operands.empty()) return Error(Code::kInvalid, "You must specify a repository to clone.");
  if (operands.size() > 2) return Error(Code::kInvalid, "Too many arguments.");
  if (!IsRefName("refs/remotes/" + options.origin + "/x")) return Error(Code::kInvalid, "'" + options.origin + "' is not a valid remote name");
  return Cloning(in, options, operands[0]).Run(operands.size() == 2 ? operands[1] : "");
}

}  // namespace

Result<uint32_t> ParseDepth(std::string_view text) {
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || value > kWholeDepth) value = 0;
    else value = value * 10 + static_cast<uint64_t>(c - '0');
    if (c < '0' || c > '9') break;
  }
  if (value == 0 || value > kWholeDepth) return Error(Code::kInvalid, "depth " + std::string(text) + " is not a positive number");
  return static_cast<uint32_t>(value);
}

extern const Subcommand kClone;
const Subcommand kClone = DefineFreeSubcommand<CloneOptions, RunClone>({.name = "clone", .summary = "copy a repository", .synopsis = "[<options>] <repository> [<directory>]", .options = kOptions, .needs = Subcommand::Needs::kNothing});

}  // namespace paddock::git
