// git remote.
#include <algorithm>

#include "commands/git/refs/revision.h"
#include "commands/git/remote/fetch.h"
#include "commands/git/remote/remote_show.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

struct RemoteOptions {
  bool verbose = false, fetches = false, push = false, all = false, add = false, deletes = false, automatic = false, no_query = false, prune = false, progress = false;
  std::vector<std::string> branches;
  std::string master;
  std::optional<bool> tags;
  bool mirrors_fetch = false, mirrors_push = false, is_plain_mirror = false;
};
Status SetMirror(RemoteOptions& options, std::string_view text) {
  options.is_plain_mirror = text.data() == nullptr;
  options.mirrors_fetch = options.is_plain_mirror || text == "fetch";
  options.mirrors_push = options.is_plain_mirror || text == "push";
  if (!options.mirrors_fetch && !options.mirrors_push) return Error(Code::kRange, "unknown mirror argument: " + std::string(text));
  return {};
}
constexpr Option kRemoteOptions[] = {
    Flag<&RemoteOptions::verbose>('v', "verbose", "with URLs"),
    Flag<&RemoteOptions::fetches>('f', "fetch", "add: fetch it at once"),
    Set<&RemoteOptions::tags, true>(0, "tags", "add: with all tags"),
    Set<&RemoteOptions::tags, false>(0, "no-tags", "add: without tags"),
    Value<&RemoteOptions::branches>('t', "track", "BRANCH", "add: only this branch"),
    Value<&RemoteOptions::master>('m', "master", "BRANCH", "add: the branch that its HEAD names"),
    CallOptional<SetMirror>(0, "mirror", "WHAT", "add: references as they are, for fetch or for push"),
    Flag<&RemoteOptions::push>(0, "push", "get-url, set-url: the URL for git push"),
    Flag<&RemoteOptions::all>(0, "all", "get-url: all URLs"),
    Flag<&RemoteOptions::add>(0, "add", "set-url, set-branches: one more"),
    Flag<&RemoteOptions::deletes>('d', "delete", "set-url, set-head: take it away"),
    Flag<&RemoteOptions::automatic>('a', "auto", "set-head: as the other side has it"),
    Flag<&RemoteOptions::no_query>('n', "dry-run", "prune: change nothing; show: do not ask the other side"),
    Flag<&RemoteOptions::prune>('p', "prune", "update: remove what is gone there"),
    Flag<&RemoteOptions::progress>(0, "progress", "rename: show progress"),
    Set<&RemoteOptions::progress, false>(0, "no-progress", "rename: show none"),
};

struct VerbUsage {
  const char* verb;
  const char* text;
};
constexpr VerbUsage kUsages[] = {
    {"add", "git remote add [<options>] <name> <url>"},
    {"rename", "git remote rename [--[no-]progress] <old> <new>"},
    {"remove", "git remote remove <name>"},
    {"rm", "git remote remove <name>"},
    {"set-head", "git remote set-head <name> (-a | --auto | -d | --delete | <branch>)"},
    {"set-branches", "git remote set-branches <name> <branch>...\n   or: git remote set-branches --add <name> <branch>..."},
    {"get-url", "git remote get-url [--push] [--all] <name>"},
    {"set-url", "git remote set-url [--push] <name> <newurl> [<oldurl>]\n   or: git remote set-url --add <name> <newurl>\n   or: git remote set-url --delete <name> <url>"},
    {"prune", "git remote prune [<options>] <name>"},
    {"show", "git remote show [<options>] <name>"},
    {"update", "git remote update [<options>] [<group> | <remote>]..."},
};

class RemoteCommand {
 public:
  RemoteCommand(Git& git, const RemoteOptions& options, std::vector<std::string> words) : git_(git), options_(options), words_(std::move(words)), names_(RemoteNames(git)) {}

  Result<ExitStatus> Run() {
    if (words_.empty()) return List();
    verb_ = words_[0];
    words_.erase(words_.begin());
    const bool is_known_verb = std::any_of(std::begin(kUsages), std::end(kUsages), [this](const VerbUsage& usage) { return usage.verb == verb_; });
    if (!is_known_verb) {
      git_.Say("error: unknown subcommand: `" + verb_ + "'\n");
      return Usage();
    }
    if (verb_ == "update") return Update();
    if (verb_ == "show" && words_.empty()) return List();
    if (verb_ == "add") return words_.size() == 2 ? Add() : Usage();
    if (words_.empty()) {
      if (verb_ == "set-branches") git_.Say("error: no remote specified\n");
      return Usage();
    }
    if (verb_ == "show") return Show();
    if (verb_ == "prune") return Prune();
    if (verb_ == "set-head") return SetHead();
    const bool is_short = (verb_ == "set-url" && words_.size() < 2) || (verb_ == "rename" && words_.size() != 2);
    if (is_short) return Usage();
    if (!IsKnown(words_[0])) return git_.Complain(std::string("No such remote") + (verb_.starts_with('r') ? ":" : "") + " '" + words_[0] + "'", 2);
    if (verb_ == "rename") return Rename();
    if (verb_ == "get-url") return GetUrl();
    if (verb_ == "set-url") return SetUrl();
    if (verb_ == "set-branches") return SetBranches();
    return Remove();
  }

 private:
  bool IsKnown(const std::string& name) const { return std::find(names_.begin(), names_.end(), name) != names_.end(); }
  std::string Key(const std::string& what) const { return "remote." + words_[0] + "." + what; }
  ExitStatus Usage() {
    std::string text;
    for (const VerbUsage& usage : kUsages) {
      if (verb_ == usage.verb) text = usage.text;
    }
    git_.Say("usage: " + (text.empty() ? "git remote [-v | --verbose]; see git remote --help" : text) + "\n\n");
    return 129;
  }

  Result<ExitStatus> List() {
    for (const std::string& name : names_) {
      if (!options_.verbose) {
        git_.Print(name + "\n");
        continue;
      }
      const std::vector<std::string> urls = git_.config.GetAll("remote." + name + ".url");
      std::vector<std::string> pushed = git_.config.GetAll("remote." + name + ".pushurl");
      if (!urls.empty()) git_.Print(name + "\t" + RewriteUrl(git_.config, urls[0]) + " (fetch)\n");
      for (const std::string& url : pushed.empty() ? urls : pushed) git_.Print(name + "\t" + RewriteUrl(git_.config, url, true) + " (push)\n");
    }
    return 0;
  }

  Status AddBranches(const std::vector<std::string>& branches, bool is_mirror) {
    for (const std::string& branch : branches) {
      const std::string spec = is_mirror ? "+refs/" + branch + ":refs/" + branch : "+refs/heads/" + branch + ":refs/remotes/" + words_[0] + "/" + branch;
      PADDOCK_TRY(EditConfigFile(git_, Key("fetch"), spec, true));
    }
    return {};
  }

  Result<ExitStatus> Add() {
    const std::string name = words_[0];
    const bool is_mirror = options_.mirrors_fetch || options_.mirrors_push;
    if (options_.is_plain_mirror) git_.Say("warning: --mirror is dangerous and deprecated; please\n\t use --mirror=fetch or --mirror=push instead\n");
    if (is_mirror && !options_.master.empty()) return Error(Code::kInvalid, "specifying a master branch makes no sense with --mirror");
    if (is_mirror && !options_.mirrors_fetch && !options_.branches.empty()) return Error(Code::kInvalid, "specifying branches to track makes sense only with fetch mirrors");
    if (IsKnown(name)) return git_.Complain("remote " + name + " already exists.", 3);
    if (!IsRefName("refs/remotes/" + name + "/x")) return Error(Code::kInvalid, "'" + name + "' is not a valid remote name");
    PADDOCK_TRY(EditConfigFile(git_, Key("url"), words_[1]));
    if (!is_mirror || options_.mirrors_fetch) PADDOCK_TRY(AddBranches(options_.branches.empty() ? std::vector<std::string>{"*"} : options_.branches, is_mirror));
    if (options_.mirrors_push) PADDOCK_TRY(EditConfigFile(git_, Key("mirror"), "true"));
    if (options_.tags) PADDOCK_TRY(EditConfigFile(git_, Key("tagOpt"), *options_.tags ? "--tags" : "--no-tags"));
    if (options_.fetches) {
      PADDOCK_ASSIGN(git_.config, ReadConfig(git_.in, &git_));
      git_.Print("Updating " + name + "\n");
      git_.in.out.Flush();
      FetchOptions fetch;
      fetch.action = "fetch " + name;
      const auto status = FetchFrom(git_, fetch, name, {});
      if (!status) Die(git_.in, status.error());
      if (!status || *status != 0) return git_.Complain("Could not fetch " + name);
    }
    if (!options_.master.empty()) PADDOCK_TRY(git_.refs.WriteSymbolic("refs/remotes/" + name + "/HEAD", "refs/remotes/" + name + "/" + options_.master));
    return 0;
  }

  Result<ExitStatus> SetBranches() {
    if (!options_.add) PADDOCK_TRY(EditConfigFile(git_, Key("fetch"), std::nullopt));
    PADDOCK_TRY(AddBranches({words_.begin() + 1, words_.end()}, git_.config.GetBool(Key("mirror"), false)));
    return 0;
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
    const bool has_pattern = options_.deletes || words_.size() > 2;
    if (options_.add && options_.deletes) return Error(Code::kInvalid, "--add --delete doesn't make sense");
    if (!has_pattern) {
      PADDOCK_TRY(EditConfigFile(git_, key, words_[1], options_.add));
      return 0;
    }
    const std::string& pattern = words_[options_.deletes ? 1 : 2];
    auto regex = Regex::Compile(pattern, {.dialect = RegexDialect::kExtended});
    if (!regex) return Error(Code::kInvalid, "Invalid old URL pattern: " + pattern);
    std::vector<std::string> urls = git_.config.GetAll(key), kept;
    size_t others = 0, found = 0;
    for (const std::string& url : urls) {
      PADDOCK_ASSIGN(const bool matches, regex->Search(url, 0, nullptr, git_.in.budget));
      ++(matches ? found : others);
      if (!matches) kept.push_back(url);
      else if (!options_.deletes) kept.push_back(words_[1]);
    }
    if (!options_.deletes && found == 0) return Error(Code::kNoEntry, "No such URL found: " + pattern);
    if (options_.deletes && others == 0 && !options_.push) return Error(Code::kInvalid, "Will not delete all non-push URLs");
    PADDOCK_TRY(EditConfigFile(git_, key, std::nullopt));
    for (const std::string& url : kept) PADDOCK_TRY(EditConfigFile(git_, key, url, true));
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
    const auto refs = git_.refs.List(before);
    size_t symbolic_ones = 0;
    for (const auto& [ref, id] : refs) symbolic_ones += git_.refs.ReadSymbolic(ref).has_value();
    if (options_.progress && !refs.empty()) ShowProgress(git_.in, "", "Renaming remote references", refs.size() + symbolic_ones);
    for (const auto& [ref, id] : refs) {
      const auto symbolic = git_.refs.ReadSymbolic(ref);
      const std::string name = after + ref.substr(before.size());
      PADDOCK_TRY(git_.refs.Remove(ref));
      if (symbolic) PADDOCK_TRY(git_.refs.WriteSymbolic(name, symbolic->starts_with(before) ? after + symbolic->substr(before.size()) : *symbolic));
      else PADDOCK_TRY(git_.refs.Write(name, id, git_.Who(), "remote: renamed " + ref + " to " + name));
    }
    return 0;
  }

  Result<std::unique_ptr<Remote>> OpenNamed(const std::string& name) {
    return OpenRemote(git_.in, git_.config, RewriteUrl(git_.config, git_.config.Get("remote." + name + ".url", name)));
  }

  Result<ExitStatus> SetHead() {
    const std::string head = "refs/remotes/" + words_[0] + "/HEAD";
    std::string branch = words_.size() > 1 && !options_.automatic && !options_.deletes ? words_[1] : "";
    if (options_.automatic && !options_.deletes && words_.size() == 1) {
      PADDOCK_ASSIGN(const std::unique_ptr<Remote> remote, OpenNamed(words_[0]));
      PADDOCK_ASSIGN(const RemoteRefs refs, remote->ReadRefs(false));
      if (!refs.head || !refs.ids.contains(*refs.head)) return git_.Complain("Cannot determine remote HEAD");
      branch = ShortRef(*refs.head);
    } else if (options_.deletes && !options_.automatic && words_.size() == 1) {
      PADDOCK_TRY(git_.refs.Remove(head));
      return 0;
    }
    if (branch.empty()) return Usage();
    if (!git_.refs.Exists("refs/remotes/" + words_[0] + "/" + branch)) return git_.Complain("Not a valid ref: refs/remotes/" + words_[0] + "/" + branch);
    PADDOCK_TRY(git_.refs.WriteSymbolic(head, "refs/remotes/" + words_[0] + "/" + branch));
    if (options_.automatic) git_.Print(words_[0] + "/HEAD set to " + branch + "\n");
    return 0;
  }

  Result<ExitStatus> Show() {
    for (const std::string& name : words_) {
      RemoteRefs refs;
      if (!options_.no_query) {
        PADDOCK_ASSIGN(const std::unique_ptr<Remote> remote, OpenNamed(name));
        PADDOCK_ASSIGN(refs, remote->ReadRefs(false));
      }
      PADDOCK_ASSIGN(const std::string text, DescribeRemote(git_, name, options_.no_query ? nullptr : &refs));
      git_.Print(text);
    }
    return 0;
  }

  Result<ExitStatus> Prune() {
    for (const std::string& name : words_) {
      PADDOCK_ASSIGN(const std::unique_ptr<Remote> remote, OpenNamed(name));
      PADDOCK_ASSIGN(const RemoteRefs refs, remote->ReadRefs(false));
      PADDOCK_ASSIGN(const std::vector<std::string> stale, StaleRefs(git_, name, refs));
      if (stale.empty()) continue;
      git_.Print("Pruning " + name + "\nURL: " + ShownUrl(git_.config.Get("remote." + name + ".url", "(no URL)")) + "\n");
      for (const std::string& ref : stale) {
        git_.in.budget.Step();
        if (!options_.no_query) PADDOCK_TRY(git_.refs.Remove(ref));
        git_.Print(std::string(" * [") + (options_.no_query ? "would prune" : "pruned") + "] " + ShortRef(ref) + "\n");
      }
      const std::string head = "refs/remotes/" + name + "/HEAD";
      const auto target = git_.refs.ReadSymbolic(head);
      if (target && std::find(stale.begin(), stale.end(), *target) != stale.end()) git_.Print(" " + head + (options_.no_query ? " will become dangling!\n" : " has become dangling!\n"));
    }
    return 0;
  }

  Result<ExitStatus> Update() {
    FetchOptions fetch;
    fetch.prune = options_.prune;
    fetch.verbose = options_.verbose;
    std::vector<std::string> chosen = words_;
    if (chosen.empty()) chosen = {"default"};
    fetch.multiple = true;
    fetch.action = "fetch";
    if (chosen.back() == "default" && git_.config.GetAll("remotes.default").empty()) {
      chosen.clear();
      fetch.multiple = false;
      fetch.all = true;
      fetch.action = std::string("fetch") + (options_.prune ? " --prune" : "") + " --all";
    } else {
      fetch.action += std::string(options_.prune ? " --prune" : "") + " --multiple";
      for (const std::string& name : chosen) fetch.action += " " + name;
    }
    return RunFetchCommand(git_, fetch, chosen);
  }

  Git& git_;
  const RemoteOptions& options_;
  std::string verb_;
  std::vector<std::string> words_;
  std::vector<std::string> names_;
};

Result<ExitStatus> RunRemote(Git& git, RemoteOptions& options, Args& args) { return RemoteCommand(git, options, args.All()).Run(); }

}  // namespace

extern const Subcommand kRemote;
const Subcommand kRemote = DefineSubcommand<RemoteOptions, RunRemote>({.name = "remote", .summary = "list and change the remotes", .synopsis = "[-v | --verbose]\nadd [-t <branch>] [-m <master>] [-f] [--[no-]tags] [--mirror[=<fetch|push>]] <name> <url>\nrename [--[no-]progress] <old> <new>\nremove <name>\nset-head <name> (-a | -d | <branch>)\nset-branches [--add] <name> <branch>...\nget-url [--push] [--all] <name>\nset-url [--push] <name> <newurl> [<oldurl>]\nset-url --add <name> <newurl>\nset-url --delete <name> <url>\nshow [-n] <name>\nprune [-n] <name>\nupdate [-p] [<group> | <remote>]...", .options = kRemoteOptions});

}  // namespace paddock::git
