// git request-pull: the text that asks somebody to take over what one has published.
#include <algorithm>

#include "commands/child_output.h"
#include "commands/git/history/log.h"
#include "commands/git/refs/revision.h"
#include "commands/git/remote/fetch.h"
#include "commands/git/remote/remote.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

struct RequestOptions {
  bool patch = false;
};
constexpr Option kRequestOptions[] = {Flag<&RequestOptions::patch>('p', nullptr, "show patch text as well")};

class Request {
 public:
  Request(Git& git, const RequestOptions& options) : git_(git), options_(options) {}

  Result<ExitStatus> Run(const std::string& base, const std::string& url, const std::string& end) {
    const auto base_commit = CommitOf(base);
    if (!base_commit) return Fail("fatal: Not a valid revision: " + base);
    local_ = end.substr(0, end.rfind(':'));
    if (local_.empty()) local_ = "HEAD";
    remote_ = end.substr(end.find(':') == std::string::npos ? 0 : end.find(':') + 1);
    if (!FindHead()) return 1;
    History history(git_);
    PADDOCK_ASSIGN(const std::vector<Oid> bases, history.MergeBases(*base_commit, commit_));
    if (bases.empty()) return Fail("fatal: No commits in common between " + base + " and " + head_);
    PADDOCK_ASSIGN(ExitStatus status, CompareWithRemote(url));
    PADDOCK_TRY(PrintHead(bases[0], url));
    PADDOCK_TRY(PrintTexts());
    PADDOCK_ASSIGN(const ExitStatus listed, RunGit({"shortlog", "^" + base_commit->Hex(), commit_.Hex()}));
    std::vector<std::string> diff = {"diff", "-M", "--stat", "--summary"};
    if (options_.patch) diff.emplace_back("-p");
    diff.push_back(bases[0].Hex() + ".." + commit_.Hex());
    if (listed != 0) return 1;
    PADDOCK_ASSIGN(const ExitStatus shown, RunGit(std::move(diff)));
    return shown == 0 ? status : 1;
  }

 private:
  ExitStatus Fail(const std::string& text) {
    git_.Say(text + "\n");
    return 1;
  }
  bool Refuse(const std::string& text) {
    git_.Say(text + "\n");
    return false;
  }
  std::optional<Oid> CommitOf(const std::string& name) {
    const auto id = ResolveObject(git_, name);
    const auto commit = id ? git_.objects.Peel(*id, ObjectType::kCommit) : Result<Oid>(Code::kNoEntry);
    return commit ? std::optional(*commit) : std::nullopt;
  }
  Result<ExitStatus> RunGit(std::vector<std::string> args) {
    args.insert(args.begin(), "git");
    git_.in.out.Flush();
    return git_.in.launcher.Run(git_.in.process, ChildSpec{.args = std::move(args), .environment = &git_.in.env});
  }

  // What is asked for: a reference by its full name, or whatever names a commit.
  bool FindHead() {
    if (const auto symbolic = git_.refs.ReadSymbolic(local_)) {
      head_ = *symbolic;
    } else {
      size_t count = 0;
      for (const std::string prefix : {"refs/heads/", "refs/tags/"}) {
        for (const auto& [ref, id] : git_.refs.List(prefix)) {
          git_.in.budget.Step();
          if (ref != local_ && !ref.ends_with("/" + local_)) continue;
          head_ = ref;
          ++count;
        }
      }
      if (count > 1) return Refuse("fatal: Ambiguous revision: " + local_);
      if (count == 0 && ResolveObject(git_, local_)) head_ = ResolveObject(git_, local_)->Hex();
    }
    if (head_.empty()) return Refuse("fatal: Not a valid revision: " + local_);
    const auto commit = CommitOf(head_);
    if (!commit) return Refuse("fatal: Ambiguous revision: " + local_);
    commit_ = *commit;
    return true;
  }

  Result<ExitStatus> CompareWithRemote(const std::string& url) {
    const std::string wanted = remote_.empty() ? "HEAD" : remote_;
    PADDOCK_ASSIGN(const ChildOutput listed, StandardOutput(git_.in, {"git", "ls-remote", url}, git_.in.env));
    std::string found, found_id;
    for (std::string_view line : SplitLines(listed.text)) {
      git_.in.budget.Step();
      if (line.ends_with('\n')) line.remove_suffix(1);
      const size_t tab = line.find('\t');
      if (tab == std::string_view::npos) continue;
      const std::string id(line.substr(0, tab));
      std::string ref(line.substr(tab + 1));
      const bool is_peeled = ref.ends_with("^{}");
      if (is_peeled) ref.resize(ref.size() - 3);
      if (id == wanted) found = found_id = id;
      if (ref != wanted && !ref.ends_with("/" + wanted)) continue;
      if (!is_peeled) found_id = id;
      if (id == commit_.Hex()) found = ref;
    }
    pretty_ = remote_;
    for (const std::string_view prefix : {"refs/", "heads/"}) {
      if (pretty_.starts_with(prefix)) pretty_.erase(0, prefix.size());
    }
    ExitStatus status = 0;
    const auto local = ResolveObject(git_, head_);
    const std::string advice = "warn: Are you sure you pushed '" + wanted + "' there?\n";
    if (found.empty()) {
      git_.Say("warn: No match for commit " + commit_.Hex() + " found at " + url + "\n" + advice);
      status = 1;
    } else if (!local || local->Hex() != found_id) {
      git_.Say("warn: " + head_ + " found at " + url + " but points to a different object\n" + advice);
      status = 1;
    }
    if (found == "refs/tags/" + pretty_) pretty_ = "tags/" + pretty_;
    return status;
  }

  Status PrintHead(const Oid& base, const std::string& url) {
    PADDOCK_ASSIGN(const ChildOutput place, StandardOutput(git_.in, {"git", "ls-remote", "--get-url", url}, git_.in.env));
    const auto print = [this](const Oid& id, const std::string& before, const std::string& after) -> Status {
      PrettyOptions pretty;
      pretty.format = "format:%H:\n\n  %s (%ci)";
      PADDOCK_ASSIGN(const Commit commit, git_.objects.ReadCommit(id));
      git_.Print(before + PrettyCommit(git_, id, commit, pretty) + "\n" + after);
      return {};
    };
    PADDOCK_TRY(print(base, "The following changes since commit ", "\nare available in the Git repository at:\n\n"));
    git_.Print("  " + place.text.substr(0, place.text.find('\n')) + " " + pretty_ + "\n");
    return print(commit_, "\nfor you to fetch changes up to ", "\n" + std::string(kRule));
  }

  // The message of a tag, and what a branch is for.
  Status PrintTexts() {
    const auto id = ResolveObject(git_, head_);
    if (id) {
      PADDOCK_ASSIGN(const Object object, git_.objects.Read(*id));
      if (object.type == ObjectType::kTag) {
        const size_t begin = object.data.find("\n\n");
        const std::string_view message = begin == std::string::npos ? std::string_view() : std::string_view(object.data).substr(begin + 2);
        for (const std::string_view line : SplitLines(message)) {
          if (line.starts_with("-----BEGIN PGP ")) break;
          git_.Print(line);
        }
        git_.Print("\n" + std::string(kRule));
      }
    }
    const std::string branch = head_.starts_with("refs/heads/") ? head_.substr(11) : head_;
    const auto description = git_.config.Get("branch." + branch + ".description");
    if (description) git_.Print("(from the branch description for " + branch + " local branch)\n\n" + *description + "\n" + std::string(kRule));
    return {};
  }

  static constexpr std::string_view kRule = "----------------------------------------------------------------\n";
  Git& git_;
  const RequestOptions& options_;
  std::string local_, remote_, pretty_, head_;
  Oid commit_;
};

Result<ExitStatus> RunRequestPull(Git& git, RequestOptions& options, Args& args) {
  std::vector<std::string> words = args.All();
  words.resize(3);
  if (words[0].empty() || words[1].empty()) {
    git.Print("usage: git request-pull [options] start url [end]\n\n    -p                    show patch text as well\n\n");
    return 1;
  }
  return Request(git, options).Run(words[0], words[1], words[2]);
}

}  // namespace

extern const Subcommand kRequestPull;
const Subcommand kRequestPull = DefineSubcommand<RequestOptions, RunRequestPull>({.name = "request-pull", .summary = "ask for a pull of published changes", .synopsis = "[options] start url [end]", .options = kRequestOptions});

}  // namespace paddock::git
