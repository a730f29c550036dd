// git clone.
#include <algorithm>

#include "commands/git/config_files.h"
#include "commands/git/history/reach.h"
#include "commands/git/refs/revision.h"
#include "commands/git/remote/bundle.h"
#include "commands/git/remote/fetch.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/sparse_patterns.h"
#include "commands/git/work/worktree.h"
#include "proc/process.h"

namespace paddock::git {
namespace {

struct CloneOptions {
  bool quiet = false, verbose = false, bare = false, mirror = false, no_checkout = false, progress = false, ipv4 = false, ipv6 = false;
  bool local = false, no_hardlinks = false, shared = false, dissociate = false, filters_submodules = false, remote_submodules = false, recurses = false, sparse = false;
  std::optional<bool> single_branch, rejects_shallow, local_only, tags, shallow_submodules;
  Deepening deepening;
  std::optional<std::string> since, filter, template_directory, separate, upload_pack;
  std::optional<int64_t> jobs;
  std::string branch, origin;
  std::vector<std::string> settings, references, optional_references, server_options, submodules;
};

template <bool kValue>
Status SetSingle(CloneOptions& options, std::string_view) {
  options.single_branch = kValue;
  return {};
}
Status SetDepth(CloneOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(options.deepening.depth, ParseDepth(text));
  return {};
}
Status AddExcluded(CloneOptions& options, std::string_view text) {
  options.deepening.excluded.emplace_back(text);
  return {};
}
Status SetJobs(CloneOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(options.jobs, ParseGitNumber(text, "jobs"));
  return {};
}
Status AddSubmodules(CloneOptions& options, std::string_view text) {
  options.recurses = true;
  options.submodules.emplace_back(text.empty() ? "." : text);
  return {};
}

constexpr Option kOptions[] = {
    Flag<&CloneOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&CloneOptions::verbose>('v', "verbose", "say more"),
    Flag<&CloneOptions::progress>(0, "progress", "show progress"),
    Set<&CloneOptions::progress, false>(0, "no-progress", "show none"),
    Set<&CloneOptions::rejects_shallow, true>(0, "reject-shallow", "not of a repository whose history ends early"),
    Set<&CloneOptions::rejects_shallow, false>(0, "no-reject-shallow", "of that, too (the default)"),
    Flag<&CloneOptions::bare>(0, "bare", "without a working tree"),
    Flag<&CloneOptions::mirror>(0, "mirror", "bare, with all references as they are"),
    Set<&CloneOptions::local_only, true>('l', "local", "take over the files of a path (the default)"),
    Set<&CloneOptions::local_only, false>(0, "no-local", "do not, even of a path"),
    Flag<&CloneOptions::no_hardlinks>(0, "no-hardlinks", "copy them in every case"),
    Flag<&CloneOptions::shared>('s', "shared", "take no objects: look for them in the other repository"),
    CallOptional<AddSubmodules>(0, "recurse-submodules", "PATH", "with submodules"),
    CallOptional<AddSubmodules>(0, "recursive", "PATH", "the same"),
    Call<SetJobs>('j', "jobs", "N", "so many submodules at once"),
    Value<&CloneOptions::template_directory>(0, "template", "DIRECTORY", "what the new repository begins with"),
    Value<&CloneOptions::references>(0, "reference", "REPOSITORY", "use its objects, too"),
    Value<&CloneOptions::optional_references>(0, "reference-if-able", "REPOSITORY", "the same, if it is there"),
    Flag<&CloneOptions::dissociate>(0, "dissociate", "use those only while cloning"),
    Flag<&CloneOptions::no_checkout>('n', "no-checkout", "write no files"),
    Flag<&CloneOptions::sparse>(0, "sparse", "at first only the files at the top"),
    Value<&CloneOptions::branch>('b', "branch", "NAME", "check out this branch or tag"),
    Value<&CloneOptions::origin>('o', "origin", "NAME", "the name of the remote"),
    Value<&CloneOptions::upload_pack>('u', "upload-pack", "PROGRAM", "the program at the other end: git-upload-pack"),
    Call<SetDepth>(0, "depth", "N", "only so many commits of history"),
    Value<&CloneOptions::since>(0, "shallow-since", "DATE", "only history after DATE"),
    Call<AddExcluded>(0, "shallow-exclude", "REF", "without the history of REF there"),
    Call<SetSingle<true>>(0, "single-branch", nullptr, "only HEAD's branch, or --branch"),
    Call<SetSingle<false>>(0, "no-single-branch", nullptr, "all branches (also with --depth)"),
    Set<&CloneOptions::tags, false>(0, "no-tags", "no tags, now and later"),
    Set<&CloneOptions::tags, true>(0, "tags", "with tags (the default)"),
    Set<&CloneOptions::shallow_submodules, true>(0, "shallow-submodules", "of submodules only one commit of history"),
    Set<&CloneOptions::shallow_submodules, false>(0, "no-shallow-submodules", "all of it (the default)"),
    Value<&CloneOptions::separate>(0, "separate-git-dir", "DIRECTORY", "put the repository there"),
    Value<&CloneOptions::settings>('c', "config", "KEY=VALUE", "set this in the new repository"),
    Value<&CloneOptions::server_options>(0, "server-option", "TEXT", "hand TEXT to the server (not over HTTP)"),
    Flag<&CloneOptions::ipv4>('4', "ipv4", "use IPv4 (not over HTTP: that is the policy's affair)"),
    Flag<&CloneOptions::ipv6>('6', "ipv6", "likewise"),
    Value<&CloneOptions::filter>(0, "filter", "SPEC", "a part of the objects, where the server can do it"),
    Flag<&CloneOptions::filters_submodules>(0, "also-filter-submodules", "of submodules, too"),
    Flag<&CloneOptions::remote_submodules>(0, "remote-submodules", "submodules at what their remotes have"),
};

std::string CloneName(std::string url, bool is_bare, bool is_bundle) {
  while (url.ends_with('/')) url.pop_back();
  if (url.ends_with("/.git")) url.resize(url.size() - 5);
  std::string name = url.substr(url.rfind('/') + 1);
  if (is_bundle && name.ends_with(".bundle")) name.resize(name.size() - 7);
  else if (name.ends_with(".git")) name.resize(name.size() - 4);
  return is_bare ? name + ".git" : name;
}

class Cloning {
 public:
  Cloning(Invocation& in, const CloneOptions& options, std::string url) : in_(in), options_(options), url_(std::move(url)), is_bare_(options.bare || options.mirror) {}

  Result<ExitStatus> Run(std::string directory) {
    PADDOCK_ASSIGN(const Config config, ReadConfig(in_, nullptr));
    const std::string place = RewriteUrl(config, url_);
    default_branch_ = DefaultBranch(in_.env, config).value_or("master");
    const bool is_bundle = IsBundle(in_, place);
    auto remote = is_bundle ? OpenBundle(in_, place) : OpenRemote(in_, config, place);
    const bool is_path = !IsUrl(place), is_file_url = place.starts_with("file://");
    if (!remote && is_path && !is_file_url) return Error(Code::kNoEntry, "repository '" + url_ + "' does not exist");
    if (directory.empty()) directory = CloneName(url_, is_bare_, is_bundle);
    const auto is_taken = [this](const std::string& path) {
      const auto list = in_.fs.List(path);
      return (list && !list->empty()) || (!list && in_.fs.Stat(path));
    };
    if (is_taken(directory)) return Error(Code::kExists, "destination path '" + directory + "' already exists and is not an empty directory.");
    if (options_.separate && is_taken(*options_.separate)) return Error(Code::kExists, "repository path '" + *options_.separate + "' already exists and is not an empty directory.");
    if (!options_.quiet) in_.err.Write(std::string("Cloning into ") + (is_bare_ ? "bare repository " : "") + "'" + directory + "'...\n");
    if (options_.filters_submodules && !options_.filter) return Error(Code::kInvalid, "the option '--also-filter-submodules' requires '--filter'");
    if (options_.filters_submodules && !options_.recurses) return Error(Code::kInvalid, "the option '--also-filter-submodules' requires '--recurse-submodules'");
    const bool is_plain = is_path && !is_file_url && !is_bundle;
    PADDOCK_TRY(CheckTransport(config, place, is_plain));
    is_files_ = is_plain && options_.local_only.value_or(true);
    if (remote && (*remote)->IsShallow()) {
      if (options_.rejects_shallow.value_or(config.GetBool("clone.rejectshallow", false))) return Error(Code::kInvalid, "source repository is shallow, reject to clone.");
      if (is_files_ && options_.local_only == true) in_.err.Write("warning: source repository is shallow, ignoring --local\n");
      is_files_ = false;
    }
    if (is_plain) {
      const std::pair<bool, const char*> ignored[] = {{options_.deepening.depth.has_value(), "depth"}, {options_.since.has_value(), "shallow-since"}, {!options_.deepening.excluded.empty(), "shallow-exclude"}, {options_.filter.has_value(), "filter"}};
      for (const auto& [is_given, name] : ignored) {
        if (is_given && is_files_) in_.err.Write(std::string("warning: --") + name + " is ignored in local clones; use file:// instead.\n");
      }
    } else if (options_.local_only == true) {
      in_.err.Write("warning: --local is ignored\n");
    }
    if (!remote) return remote.error();
    if (!is_files_) {
      deepening_ = options_.deepening;
      if (options_.since) deepening_.since = ReadDate(in_, *options_.since).seconds;
    }
    const bool was_there = in_.fs.Stat(directory).has_value();
    PADDOCK_TRY(vfs::MakeDirectories(in_.fs, directory));
    PADDOCK_ASSIGN(const std::string top, in_.fs.Canonical(directory));
    std::string shown = place;
    if (is_path && !is_file_url) shown = is_bundle ? vfs::NormalizePath(vfs::JoinPath(in_.fs.cwd(), place)) : place.starts_with('/') ? place : in_.fs.cwd() + "/" + place;
    const Result<ExitStatus> made = Make(**remote, top, shown);
    if (!made && !was_there) static_cast<void>(RemoveTree(in_, top).has_value());
    if (!made && options_.separate) static_cast<void>(RemoveTree(in_, git_dir_).has_value());
    if (!made || *made != 0) return made;
    return CloneSubmodules(top);
  }

 private:
  Status CheckTransport(const Config& config, const std::string& place, bool is_plain) {
    const bool is_http = place.starts_with("http://") || place.starts_with("https://");
    if ((options_.ipv4 || options_.ipv6) && is_http) return Error(Code::kNotSupported, "-4 and -6 are not supported over HTTP: how a host is reached is the policy's affair");
    PADDOCK_TRY(CheckRemoteProgram(options_.upload_pack.value_or(""), "upload-pack", place));
    const std::string version = config.Get("protocol.version", "2");
    if (options_.server_options.empty() || is_plain || !(is_http || version == "0" || version == "1")) return {};
    in_.err.Write("hint: see protocol.version in 'git help config' for more details\n");
    return Error(Code::kInvalid, "server options require protocol version 2 or later");
  }

  Result<ExitStatus> CloneSubmodules(const std::string& top) {
    if (!options_.recurses || is_bare_ || options_.no_checkout) return 0;
    ChildSpec spec{.args = {"git", "submodule", "update", "--require-init", "--recursive"}, .environment = &in_.env};
    if (options_.shallow_submodules == true) spec.args.push_back("--depth=1");
    if (options_.jobs) spec.args.push_back("--jobs=" + std::to_string(*options_.jobs));
    if (options_.quiet) spec.args.push_back("--quiet");
    if (options_.remote_submodules) spec.args.insert(spec.args.end(), {"--remote", "--no-fetch"});
    if (options_.filters_submodules) spec.args.push_back("--filter=" + *options_.filter);
    if (options_.single_branch) spec.args.push_back(*options_.single_branch ? "--single-branch" : "--no-single-branch");
    spec.cwd = top;
    in_.out.Flush();
    const auto status = in_.launcher.Run(in_.process, spec);
    return status ? *status : 128;
  }

  // Which references are taken, and what is checked out.
  Status Choose() {
    GuessHead();
    branch_ = options_.branch.empty() ? theirs_.head.value_or("") : "refs/heads/" + options_.branch;
    if (!options_.branch.empty() && !theirs_.ids.contains(branch_)) {
      const auto tag = theirs_.ids.find("refs/tags/" + options_.branch);
      if (tag == theirs_.ids.end()) return Error(Code::kNoEntry, "Remote branch " + options_.branch + " not found in upstream " + options_.origin);
      branch_ = tag->first;
    }
    if (options_.branch.empty() && !theirs_.head && theirs_.ids.contains("HEAD")) branch_.clear();   // detached there
    const bool is_part = options_.deepening.is_any() || options_.since.has_value();   // also where that is ignored
    is_single_ = !options_.mirror && options_.single_branch.value_or(is_part);
    return {};
  }

  // A detached HEAD is taken for that of a branch at the same commit: of the usual ones, or of any.
  void GuessHead() {
    const auto head = theirs_.ids.find("HEAD");
    if (theirs_.head || head == theirs_.ids.end()) return;
    for (const std::string& name : {"refs/heads/" + default_branch_, std::string("refs/heads/master")}) {
      const auto found = theirs_.ids.find(name);
      if (found != theirs_.ids.end() && found->second == head->second) theirs_.head = name;
      if (theirs_.head) return;
    }
    for (const auto& [name, id] : theirs_.ids) {
      if (name.starts_with("refs/heads/") && id == head->second) {
        theirs_.head = name;
        return;
      }
    }
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
    for (const std::string& path : options_.submodules) PADDOCK_TRY(EditConfigFile(git, "submodule.active", path, true));
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
    if (options_.filter) PADDOCK_TRY(RegisterFilter(git, options_.origin, *options_.filter));
    if (options_.tags == false) PADDOCK_TRY(EditConfigFile(git, remote + ".tagopt", "--no-tags"));
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
    FetchRequest request{.deepening = deepening_, .unpack_limit = 0, .is_quiet = options_.quiet, .shows_progress = options_.progress};
    for (const auto& [name, id] : theirs_.ids) {
      if (IsTaken(name) || (name == "HEAD" && branch_.empty()) || name == branch_) request.wanted.push_back(id);
      else if (name.starts_with("refs/tags/") && !(options_.tags == false) && !is_single_) request.wanted.push_back(id);
    }
    if (request.wanted.empty()) {
      in_.err.Write("warning: You appear to have cloned an empty repository.\n");
      if (is_files_ && !options_.quiet) in_.err.Write("done.\n");
      return {};
    }
    if (options_.filter && !is_files_) WarnOfFilter(in_, remote);
    if (!options_.shared || !is_files_) {
      if (is_files_) request.files = options_.no_hardlinks ? FetchRequest::Files::kCopied : FetchRequest::Files::kLinked;
      PADDOCK_TRY(remote.Fetch(git, request));
    }
    if (is_files_ && !options_.quiet) in_.err.Write("done.\n");
    if (options_.mirror) {
      for (const auto& [name, id] : theirs_.ids) {
        if (IsTaken(name)) PADDOCK_TRY(git.refs.WriteDirect(name, id));
      }
      return {};
    }
    for (const auto& [name, id] : theirs_.ids) {
      if (IsTaken(name)) PADDOCK_TRY(git.refs.WriteDirect(LocalName(name), id));
      if (!name.starts_with("refs/tags/") || ((options_.tags == false) && name != branch_)) continue;
      const auto peeled = theirs_.peeled.find(name);
      const bool is_here = git.objects.Has(peeled == theirs_.peeled.end() ? id : peeled->second) && (!deepening_.is_any() || !is_single_ || git.objects.Has(id));
      if (!is_here) continue;
      if (!git.objects.Has(id)) PADDOCK_TRY(remote.Fetch(git, {.wanted = {id}, .unpack_limit = 100, .is_quiet = options_.quiet}));
      PADDOCK_TRY(git.refs.WriteDirect(name, id));
    }
    return {};
  }

  Result<ExitStatus> Make(Remote& remote, const std::string& top, const std::string& shown) {
    PADDOCK_ASSIGN(theirs_, remote.ReadRefs(false));
    PADDOCK_TRY(Choose());
    const std::string git_dir = git_dir_ = is_bare_ ? top : top + "/.git";
    // An empty repository may tell what its first branch is to be.
    std::string first = !branch_.starts_with("refs/heads/") ? "" : ShortRef(branch_);
    if (first.empty()) first = theirs_.head ? ShortRef(*theirs_.head) : default_branch_;
    RepositoryPlan plan{.is_bare = is_bare_, .branch = first, .template_directory = options_.template_directory};
    if (options_.separate) {
      PADDOCK_TRY(vfs::MakeDirectories(in_.fs, *options_.separate));
      PADDOCK_ASSIGN(git_dir_, in_.fs.Canonical(*options_.separate));
      PADDOCK_TRY(vfs::WriteFile(in_.fs, git_dir, "gitdir: " + git_dir_ + "\n"));
    }
    PADDOCK_TRY(CreateRepository(in_, git_dir_, plan));
    Git git(in_, git_dir_, is_bare_ ? "" : top, is_bare_);
    PADDOCK_TRY(Configure(git, shown));
    if (options_.sparse) {
      PADDOCK_ASSIGN(git.config, ReadConfig(in_, &git));
      PADDOCK_TRY(BeginSparse(git));
    }
    PADDOCK_TRY(AddReferences(git, shown));
    PADDOCK_TRY(TakeObjects(git, remote));
    PADDOCK_ASSIGN(const std::optional<Oid> target, WriteHead(git, shown));
    if (options_.dissociate) PADDOCK_TRY(Dissociate(git));
    if (!target || is_bare_ || options_.no_checkout) return 0;
    Index index;
    PADDOCK_ASSIGN(const FlatTree files, git.FlattenCommit(*target));
    PADDOCK_ASSIGN(const bool done, SwitchFiles(git, {}, files, index, "checkout", true));
    if (!done) return 128;
    PADDOCK_TRY(git.WriteIndex(index));
    return 0;
  }

  // Repositories whose objects are used where they are.
  Status AddReferences(Git& git, const std::string& source) {
    std::string text;
    const auto add = [&](const std::string& repository) -> Status {
      const std::string directory = FindPathRepository(in_, repository);
      if (directory.empty()) return Error(Code::kNoEntry, "reference repository '" + repository + "' is not a local repository.");
      if (in_.fs.Stat(directory + "/shallow")) return Error(Code::kInvalid, "reference repository '" + repository + "' is shallow");
      text += directory + "/objects\n";
      return {};
    };
    for (const std::string& repository : options_.references) PADDOCK_TRY(add(repository));
    for (const std::string& repository : options_.optional_references) {
      if (const Status added = add(repository); !added) in_.err.Write("info: Could not add alternate for '" + repository + "': " + std::string(added.error().Text()) + "\n");
    }
    if (options_.shared && is_files_) PADDOCK_TRY(add(source));
    if (text.empty()) return {};
    PADDOCK_TRY(vfs::MakeDirectories(in_.fs, git.GitPath("objects/info")));
    PADDOCK_TRY(vfs::WriteFile(in_.fs, git.GitPath("objects/info/alternates"), text));
    git.objects.ForgetAll();
    return {};
  }
  // Takes over what was only used.
  Status Dissociate(Git& git) {
    if (!in_.fs.Stat(git.GitPath("objects/info/alternates"))) return {};
    PADDOCK_ASSIGN(const std::vector<Oid> roots, KeptRoots(git, true));
    PADDOCK_ASSIGN(const Reached reached, ReachObjects(git, roots));
    if (!reached.order.empty()) {
      const auto packed = git.objects.WriteOwnPack(reached.order);
      if (!packed) return packed.error();
    }
    PADDOCK_TRY(in_.fs.RemoveFile(git.GitPath("objects/info/alternates")));
    for (const Oid& id : git.objects.All(false)) {
      in_.budget.Step();
      if (reached.all.contains(id)) git.objects.RemoveLoose(id);
    }
    git.objects.ForgetAll();
    return {};
  }

  // The commit that HEAD is at, if any.
  Result<std::optional<Oid>> WriteHead(Git& git, const std::string& shown) {
    const std::string who = git.Who(), message = "clone: from " + ShownUrl(shown);
    const auto found = theirs_.ids.find(branch_.empty() ? "HEAD" : branch_);
    if (!is_bare_ && theirs_.head && IsTaken(*theirs_.head) && theirs_.ids.contains(*theirs_.head)) {
      PADDOCK_TRY(git.refs.WriteSymbolic("refs/remotes/" + options_.origin + "/HEAD", LocalName(*theirs_.head)));
    }
    if (found == theirs_.ids.end()) {
      if (!theirs_.ids.empty() && !options_.no_checkout && !is_bare_) in_.err.Write("warning: remote HEAD refers to nonexistent ref, unable to checkout\n");
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
    if (!is_bare_ && !options_.no_checkout && git.config.GetBool("advice.detachedhead", true)) in_.err.Write(DetachedAdvice(commit));
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
  Deepening deepening_;
  bool is_files_ = false;   // objects are taken as files
  std::string git_dir_;
  RemoteRefs theirs_;
  std::string default_branch_;
  std::string branch_;   // what is checked out, by its full name; empty: what HEAD is at
};

Result<ExitStatus> RunClone(Invocation& in, Git*, CloneOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (operands.empty()) return Error(Code::kInvalid, "You must specify a repository to clone.");
  if (operands.size() > 2) return Error(Code::kInvalid, "Too many arguments.");
  const auto both = [](const char* words) { return Error(Code::kInvalid, "options " + std::string(words) + " cannot be used together"); };
  if (options.bare && options.separate) return both("'--bare' and '--separate-git-dir'");
  if (options.filter && !IsFilter(*options.filter)) return Error(Code::kInvalid, "invalid filter-spec '" + *options.filter + "'");
  if (options.origin.empty()) {
    PADDOCK_ASSIGN(const Config config, ReadConfig(in, nullptr));
    options.origin = config.Get("clone.defaultremotename", "origin");
  }
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
