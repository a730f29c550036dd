// git remote and git ls-remote.
#include <algorithm>

#include "commands/git/remote.h"
#include "commands/git/revision.h"
#include "text/pattern.h"

namespace paddock::git {
namespace {

struct RemoteOptions {
  bool verbose = false, fetches = false, push = false, all = false, add = false, deletes = false, automatic = false, no_query = false;
  std::vector<std::string> branches;
};
constexpr Option kRemoteOptions[] = {
    Flag<&RemoteOptions::verbose>('v', "verbose", "with URLs"),
    Flag<&RemoteOptions::fetches>('f', "fetch", "add: fetch it at once"),
    Value<&RemoteOptions::branches>('t', "track", "BRANCH", "add: only this branch"),
    Flag<&RemoteOptions::push>(0, "push", "get-url, set-url: the URL for git push"),
    Flag<&RemoteOptions::all>(0, "all", "get-url: all URLs"),
    Flag<&RemoteOptions::add>(0, "add", "set-url: one more URL"),
    Flag<&RemoteOptions::deletes>('d', "delete", "set-url, set-head: take it away"),
    Flag<&RemoteOptions::automatic>('a', "auto", "set-head: as the other side has it"),
    Flag<&RemoteOptions::no_query>('n', "dry-run", "prune: change nothing"),
};

class RemoteCommand {
 public:
  RemoteCommand(Git& git, const RemoteOptions& options, std::vector<std::string> words) : git_(git), options_(options), words_(std::move(words)), names_(RemoteNames(git)) {}

  Result<ExitStatus> Run() {
    if (words_.empty()) return List();
    const std::string verb = words_[0];
    words_.erase(words_.begin());
    if (verb == "add" && words_.size() == 2) return Add();
    if (verb == "update") return Update();
    const bool is_known_verb = verb == "remove" || verb == "rm" || verb == "rename" || verb == "get-url" || verb == "set-url" || verb == "prune" || verb == "set-head";
    if (!is_known_verb || words_.empty()) {
      if (!is_known_verb && verb != "add") git_.Say("error: Unknown subcommand: " + verb + "\n");
      git_.Say("usage: git remote " + verb + " …; see git remote --help\n");
      return 129;
    }
    if (!IsKnown(words_[0])) return git_.Complain(std::string("No such remote") + (verb.starts_with('r') ? ":" : "") + " '" + words_[0] + "'", 2);
    if (verb == "rename") return Rename();
    if (verb == "get-url") return GetUrl();
    if (verb == "set-url") return SetUrl();
    if (verb == "set-head") return SetHead();
    if (verb == "prune") return Prune();
    return Remove();
  }

 private:
  bool IsKnown(const std::string& name) const { return std::find(names_.begin(), names_.end(), name) != names_.end(); }
  std::string Key(const std::string& what) const { return "remote." + words_[0] + "." + what; }

  Result<ExitStatus> List() {
    for (const std::string& name : names_) {
      if (!options_.verbose) {
        git_.Print(name + "\n");
        continue;
      }
      const std::string url = git_.config.Get("remote." + name + ".url", "");
      git_.Print(name + "\t" + RewriteUrl(git_.config, url) + " (fetch)\n" + name + "\t" + RewriteUrl(git_.config, git_.config.Get("remote." + name + ".pushurl", url), true) + " (push)\n");
    }
    return 0;
  }

  Result<ExitStatus> Add() {
    const std::string& name = words_[0];
    if (IsKnown(name)) return git_.Complain("remote " + name + " already exists.", 3);
    if (!IsRefName("refs/remotes/" + name + "/x")) return Error(Code::kInvalid, "'" + name + "' is not a valid remote name");
    PADDOCK_TRY(EditConfigFile(git_, Key("url"), words_[1]));
    std::vector<std::string> branches = options_.branches;
    if (branches.empty()) branches = {"*"};
    for (const std::string& branch : branches) PADDOCK_TRY(EditConfigFile(git_, Key("fetch"), "+refs/heads/" + branch + ":refs/remotes/" + name + "/" + branch, true));
    if (!options_.fetches) return 0;
    PADDOCK_ASSIGN(git_.config, ReadConfig(git_.in, &git_));
    git_.Print("Updating " + name + "\n");
    git_.in.out.Flush();
    FetchOptions fetch;
    fetch.action = "remote add: fetch";
    return FetchFrom(git_, fetch, name, {});
  }

  Result<ExitStatus> GetUrl() {
    std::vector<std::string> urls = git_.config.GetAll(Key("url"));
    if (options_.push) {
      if (auto push = git_.config.GetAll(Key("pushurl")); !push.empty()) urls = std::move(push);
    }
    for (const std::string& url : urls) {
      git_.Print(RewriteUrl(git_.config, url, options_.push) + "\n");
      if (!options_.all) break;
    }
    return 0;
  }

  Result<ExitStatus> SetUrl() {
    const std::string key = Key(options_.push ? "pushurl" : "url");
    if (words_.size() < 2) return 129;
    if (options_.add) {
      PADDOCK_TRY(EditConfigFile(git_, key, words_[1], true));
      return 0;
    }
    if (!options_.deletes) {
      PADDOCK_TRY(EditConfigFile(git_, key, words_[1]));
      return 0;
    }
    std::vector<std::string> urls = git_.config.GetAll(key);
    const size_t before = urls.size();
    std::erase(urls, words_[1]);
    if (urls.size() == before) return Error(Code::kNoEntry, "No such URL found: " + words_[1]);
    if (urls.empty() && !options_.push) return Error(Code::kInvalid, "Will not delete all non-push URLs");
    PADDOCK_TRY(EditConfigFile(git_, key, std::nullopt));
    for (const std::string& url : urls) PADDOCK_TRY(EditConfigFile(git_, key, url, true));
    return 0;
  }

  Status EditSection(const std::string& section, std::optional<std::string_view> name) {
    const auto text = vfs::ReadFile(git_.in.fs, git_.GitPath("config"), 4 << 20);
    const auto edited = EditConfigSection(text ? *text : "", section, name);
    return edited ? vfs::WriteFile(git_.in.fs, git_.GitPath("config"), *edited) : Status();
  }

  // The branches that track the remote.
  std::vector<std::string> Tracking() const {
    std::vector<std::string> branches;
    for (const ConfigEntry& entry : git_.config.entries()) {
      if (entry.key.starts_with("branch.") && entry.key.ends_with(".remote") && entry.value == words_[0]) branches.push_back(entry.key.substr(7, entry.key.size() - 14));
    }
    return branches;
  }

  Result<ExitStatus> Remove() {
    PADDOCK_TRY(EditSection("remote." + words_[0], std::nullopt));
    for (const std::string& branch : Tracking()) {
      PADDOCK_TRY(EditConfigFile(git_, "branch." + branch + ".remote", std::nullopt));
      PADDOCK_TRY(EditConfigFile(git_, "branch." + branch + ".merge", std::nullopt));
    }
    for (const auto& [ref, id] : git_.refs.List("refs/remotes/" + words_[0] + "/")) PADDOCK_TRY(git_.refs.Remove(ref));
    return 0;
  }

  Result<ExitStatus> Rename() {
    if (words_.size() != 2) return 129;
    const std::string from = words_[0], to = words_[1];
    if (IsKnown(to)) return git_.Complain("remote " + to + " already exists.", 3);
    if (!IsRefName("refs/remotes/" + to + "/x")) return Error(Code::kInvalid, "'" + to + "' is not a valid remote name");
    const std::vector<std::string> specs = git_.config.GetAll(Key("fetch"));
    for (const std::string& branch : Tracking()) PADDOCK_TRY(EditConfigFile(git_, "branch." + branch + ".remote", to));
    PADDOCK_TRY(EditSection("remote." + from, "remote." + to));
    PADDOCK_TRY(EditConfigFile(git_, "remote." + to + ".fetch", std::nullopt));
    const std::string folder = ":refs/remotes/" + from + "/";
    for (std::string spec : specs) {
      if (const size_t at = spec.find(folder); at != std::string::npos) spec.replace(at, folder.size(), ":refs/remotes/" + to + "/");
      PADDOCK_TRY(EditConfigFile(git_, "remote." + to + ".fetch", spec, true));
    }
    const std::string before = "refs/remotes/" + from + "/", after = "refs/remotes/" + to + "/";
    for (const auto& [ref, id] : git_.refs.List(before)) {
      const auto symbolic = git_.refs.ReadSymbolic(ref);
      const std::string name = after + ref.substr(before.size());
      PADDOCK_TRY(git_.refs.Remove(ref));
      if (symbolic) PADDOCK_TRY(git_.refs.WriteSymbolic(name, symbolic->starts_with(before) ? after + symbolic->substr(before.size()) : *symbolic));
      else PADDOCK_TRY(git_.refs.Write(name, id, git_.Who(), "remote: renamed " + ref + " to " + name));
    }
    return 0;
  }

  Result<ExitStatus> SetHead() {
    const std::string head = "refs/remotes/" + words_[0] + "/HEAD";
    if (options_.deletes) {
      PADDOCK_TRY(git_.refs.Remove(head));
      return 0;
    }
    std::string branch = words_.size() > 1 ? words_[1] : "";
    if (options_.automatic) {
      PADDOCK_ASSIGN(const std::unique_ptr<Remote> remote, OpenRemote(git_.in, git_.config, RewriteUrl(git_.config, git_.config.Get(Key("url"), ""))));
      PADDOCK_ASSIGN(const RemoteRefs refs, remote->ReadRefs(false));
      if (!refs.head) return git_.Complain("Cannot determine remote HEAD");
      branch = ShortRef(*refs.head);
    }
    if (branch.empty()) return 129;
    if (!git_.refs.Exists("refs/remotes/" + words_[0] + "/" + branch)) return git_.Complain("Not a valid ref: refs/remotes/" + words_[0] + "/" + branch);
    PADDOCK_TRY(git_.refs.WriteSymbolic(head, "refs/remotes/" + words_[0] + "/" + branch));
    if (options_.automatic) git_.Print(words_[0] + "/HEAD set to " + branch + "\n");
    return 0;
  }

  Result<ExitStatus> Prune() {
    const std::string url = git_.config.Get(Key("url"), ""), folder = "refs/remotes/" + words_[0] + "/";
    PADDOCK_ASSIGN(const std::unique_ptr<Remote> remote, OpenRemote(git_.in, git_.config, RewriteUrl(git_.config, url)));
    PADDOCK_ASSIGN(const RemoteRefs refs, remote->ReadRefs(false));
    bool is_told = false;
    for (const auto& [ref, id] : git_.refs.List(folder)) {
      const std::string branch = ref.substr(folder.size());
      if (branch == "HEAD" || refs.ids.contains("refs/heads/" + branch)) continue;
      if (!is_told) git_.Print("Pruning " + words_[0] + "\nURL: " + ShownUrl(url) + "\n");
      is_told = true;
      if (!options_.no_query) PADDOCK_TRY(git_.refs.Remove(ref));
      git_.Print(std::string(" * [") + (options_.no_query ? "would prune" : "pruned") + "] " + words_[0] + "/" + branch + "\n");
    }
    return 0;
  }

  Result<ExitStatus> Update() {
    ExitStatus worst = 0;
    const std::vector<std::string> chosen = words_.empty() ? names_ : words_;
    for (const std::string& name : chosen) {
      if (chosen.size() > 1) git_.Print("Fetching " + name + "\n");
      git_.in.out.Flush();
      FetchOptions fetch;
      fetch.action = "remote update";
      PADDOCK_ASSIGN(const ExitStatus status, FetchFrom(git_, fetch, name, {}));
      worst = std::max(worst, status);
    }
    return worst;
  }

  Git& git_;
  const RemoteOptions& options_;
  std::vector<std::string> words_;
  std::vector<std::string> names_;
};

Result<ExitStatus> RunRemote(Git& git, RemoteOptions& options, Args& args) { return RemoteCommand(git, options, args.All()).Run(); }

struct ListOptions {
  bool heads = false, tags = false, refs = false, quiet = false, exit_code = false, symref = false, get_url = false;
};
constexpr Option kListOptions[] = {
    Flag<&ListOptions::heads>('h', "heads", "branches"),
    Flag<&ListOptions::tags>('t', "tags", "tags"),
    Flag<&ListOptions::refs>(0, "refs", "without HEAD and what tags lead to"),
    Flag<&ListOptions::quiet>('q', "quiet", "do not say which repository it is"),
    Flag<&ListOptions::exit_code>(0, "exit-code", "status 2 when nothing matches"),
    Flag<&ListOptions::symref>(0, "symref", "also tell the branch that HEAD names"),
    Flag<&ListOptions::get_url>(0, "get-url", "tell the URL alone"),
};

Result<ExitStatus> RunListRemote(Invocation& in, Git* git, ListOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  PADDOCK_ASSIGN(const Config config, ReadConfig(in, git));
  std::string name = operands.empty() ? "" : operands[0];
  if (name.empty()) {
    if (git == nullptr || !config.Get("remote." + DefaultRemote(*git) + ".url")) return Error(Code::kInvalid, "No remote configured to list refs from.");
    name = DefaultRemote(*git);
  }
  const std::string url = RewriteUrl(config, config.Get("remote." + name + ".url", name));
  if (options.get_url) {
    in.out.Write(url + "\n");
    return 0;
  }
  PADDOCK_ASSIGN(const std::unique_ptr<Remote> remote, OpenRemote(in, config, url));
  PADDOCK_ASSIGN(const RemoteRefs refs, remote->ReadRefs(false));
  if (operands.empty() && !options.quiet) in.err.Write("From " + ShownUrl(url) + "\n");
  bool has_any = false;
  const auto is_meant = [&](const std::string& ref) {
    if (options.refs && ref == "HEAD") return false;
    if ((options.heads || options.tags) && !(options.heads && ref.starts_with("refs/heads/")) && !(options.tags && ref.starts_with("refs/tags/"))) return false;
    if (operands.size() < 2) return true;
    return std::any_of(operands.begin() + 1, operands.end(), [&](const std::string& pattern) {
      in.budget.Step();
      Pattern compiled(std::string("*/") + pattern, {});
      return compiled.Matches("/" + ref, in.budget);
    });
  };
  for (const auto& [ref, id] : refs.ids) {
    in.budget.Step();
    const auto peeled = refs.peeled.find(ref);
    if (is_meant(ref)) {
      has_any = true;
      if (options.symref && ref == "HEAD" && refs.head) in.out.Write("ref: " + *refs.head + "\tHEAD\n");
      in.out.Write(id.Hex() + "\t" + ref + "\n");
    }
    if (peeled != refs.peeled.end() && !options.refs && is_meant(ref + "^{}")) in.out.Write(peeled->second.Hex() + "\t" + ref + "^{}\n");
  }
  return options.exit_code && !has_any ? 2 : 0;
}

}  // namespace

extern const Subcommand kLsRemote, kRemote;
const Subcommand kLsRemote = DefineFreeSubcommand<ListOptions, RunListRemote>({.name = "ls-remote", .summary = "list the references of another repository", .synopsis = "[<options>] [<repository> [<pattern>...]]", .options = kListOptions, .needs = Subcommand::Needs::kMaybeRepository});
const Subcommand kRemote = DefineSubcommand<RemoteOptions, RunRemote>({.name = "remote", .summary = "list and change the remotes", .synopsis = "[-v]\nadd <name> <url>\nremove <name>\nrename <old> <new>\nget-url <name>\nset-url <name> <url>\nprune <name>\nupdate", .options = kRemoteOptions});

}  // namespace paddock::git
