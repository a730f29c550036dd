#include "commands/git/remote/remote_show.h"

#include <algorithm>

#include "commands/git/refs/revision.h"

namespace paddock::git {
namespace {

Result<std::vector<Refspec>> FetchRules(Git& git, const std::string& name) {
  std::vector<Refspec> rules;
  for (const std::string& text : git.config.GetAll("remote." + name + ".fetch")) {
    PADDOCK_ASSIGN(const Refspec spec, ParseRefspec(text));
    rules.push_back(spec);
  }
  return rules;
}

std::string Padded(std::string text, size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

class Description {
 public:
  Description(Git& git, const std::string& name, const RemoteRefs* theirs) : git_(git), name_(name), theirs_(theirs) {}

  Result<std::string> Text() {
    const std::vector<std::string> urls = git_.config.GetAll("remote." + name_ + ".url");
    std::vector<std::string> pushed = git_.config.GetAll("remote." + name_ + ".pushurl");
    if (pushed.empty()) pushed = urls;
    if (pushed.empty()) pushed = {name_};
    text_ = "* remote " + name_ + "\n  Fetch URL: " + (urls.empty() ? name_ : RewriteUrl(git_.config, urls[0])) + "\n";
    for (const std::string& url : pushed) text_ += "  Push  URL: " + RewriteUrl(git_.config, url, true) + "\n";
    AddHead();
    PADDOCK_TRY(AddBranches());
    AddPulls();
    PADDOCK_TRY(AddPushes());
    return text_;
  }

 private:
  void AddHead() {
    if (theirs_ == nullptr) text_ += "  HEAD branch: (not queried)\n";
    else if (!theirs_->head || !theirs_->ids.contains(*theirs_->head)) text_ += "  HEAD branch: (unknown)\n";
    else text_ += "  HEAD branch: " + ShortRef(*theirs_->head) + "\n";
  }

  Status AddBranches() {
    std::map<std::string, std::string> branches;
    PADDOCK_ASSIGN(const std::vector<Refspec> rules, FetchRules(git_, name_));
    if (theirs_ == nullptr) {
      const std::string folder = "refs/remotes/" + name_ + "/";
      for (const auto& [ref, id] : git_.refs.List(folder)) {
        if (!git_.refs.ReadSymbolic(ref)) branches[ref.substr(folder.size())] = "";
      }
    } else {
      for (const auto& [ref, id] : theirs_->ids) {
        git_.in.budget.Step();
        for (const Refspec& spec : rules) {
          const auto local = spec.is_negative ? std::nullopt : spec.Map(ref);
          if (!local || ref == "HEAD") continue;
          branches[ShortRef(ref)] = git_.refs.Exists(*local) ? "tracked" : "new (next fetch will store in remotes/" + name_ + ")";
        }
      }
      PADDOCK_ASSIGN(const std::vector<std::string> stale, StaleRefs(git_, name_, *theirs_));
      for (const std::string& ref : stale) branches[ref] = "stale (use 'git remote prune' to remove)";
    }
    if (branches.empty()) return {};
    size_t width = 0;
    for (const auto& [branch, what] : branches) width = std::max(width, branch.size());
    text_ += std::string(branches.size() == 1 ? "  Remote branch:" : "  Remote branches:") + (theirs_ == nullptr ? " (status not queried)" : "") + "\n";
    for (const auto& [branch, what] : branches) text_ += "    " + (what.empty() ? branch : Padded(branch, width) + " " + what) + "\n";
    return {};
  }

  // What `git pull` takes into which branch.
  void AddPulls() {
    std::map<std::string, std::vector<std::string>> pulls;
    bool any_rebase = false;
    for (const ConfigEntry& entry : git_.config.entries()) {
      if (!entry.key.starts_with("branch.") || !entry.key.ends_with(".remote") || entry.value != name_) continue;
      const std::string branch = entry.key.substr(7, entry.key.size() - 14);
      const std::vector<std::string> merges = git_.config.GetAll("branch." + branch + ".merge");
      if (merges.empty()) continue;
      pulls[branch] = merges;
      any_rebase = any_rebase || !Rebase(branch).empty();
    }
    if (pulls.empty()) return;
    size_t width = 0;
    for (const auto& [branch, merges] : pulls) width = std::max(width, branch.size());
    text_ += pulls.size() == 1 ? "  Local branch configured for 'git pull':\n" : "  Local branches configured for 'git pull':\n";
    for (const auto& [branch, merges] : pulls) {
      const std::string rebase = Rebase(branch);
      text_ += "    " + Padded(branch, width) + " ";
      if (!rebase.empty()) {
        text_ += rebase + " onto remote " + ShortRef(merges[0]) + "\n";
        continue;
      }
      text_ += std::string(any_rebase ? " " : "") + "merges with remote " + ShortRef(merges[0]) + "\n";
      for (size_t i = 1; i < merges.size(); ++i) text_ += "    " + Padded("", width) + (any_rebase ? "     and with remote " : "    and with remote ") + ShortRef(merges[i]) + "\n";
    }
  }
  std::string Rebase(const std::string& branch) {
    const std::string value = git_.config.Get("branch." + branch + ".rebase", "");
    if (value == "interactive" || value == "i") return "rebases interactively";
    if (value == "merges" || value == "m") return "rebases interactively (with merges)";
    return ParseConfigBool(value) == true ? "rebases" : "";
  }

  struct PushLine {
    std::string from, to, status;
    bool is_forced = false;
  };
  Status AddPushes() {
    std::vector<PushLine> lines;
    const std::vector<std::string> specs = git_.config.GetAll("remote." + name_ + ".push");
    if (git_.config.GetBool("remote." + name_ + ".mirror", false)) {
      text_ += "  Local refs will be mirrored by 'git push'\n";
      return {};
    }
    if (theirs_ == nullptr) {
      if (specs.empty()) lines.push_back({"(matching)", "(matching)", ""});
      for (const std::string& text : specs) {
        PADDOCK_ASSIGN(const Refspec spec, ParseRefspec(text));
        const std::string from = text == ":" || text == "+:" ? "(matching)" : spec.from.empty() ? "(delete)" : spec.from;
        lines.push_back({from, spec.to.empty() ? from : spec.to, "", spec.is_forced});
      }
    } else {
      for (const auto& [ref, id] : git_.refs.List("refs/")) {
        git_.in.budget.Step();
        std::string to;
        bool is_forced = false;
        if (specs.empty() && ref.starts_with("refs/heads/") && theirs_->ids.contains(ref)) to = ref;
        for (const std::string& text : specs) {
          PADDOCK_ASSIGN(Refspec spec, ParseRefspec(text));
          if (!spec.is_pattern() && !spec.from.starts_with("refs/")) spec.from = "refs/heads/" + spec.from;
          if (!spec.has_target) spec.to = spec.from;
          if (!spec.is_pattern() && !spec.to.starts_with("refs/")) spec.to = "refs/heads/" + spec.to;
          if (const auto mapped = spec.Map(ref)) {
            to = *mapped;
            is_forced = spec.is_forced;
          }
        }
        if (to.empty()) continue;
        PADDOCK_ASSIGN(const std::string status, StatusOf(id, to));
        lines.push_back({ShortRef(ref), ShortRef(to), status, is_forced});
      }
    }
    if (lines.empty()) return {};
    std::sort(lines.begin(), lines.end(), [](const PushLine& a, const PushLine& b) { return a.from < b.from; });
    size_t width = 0, target = 0;
    for (const PushLine& line : lines) {
      width = std::max(width, line.from.size());
      target = std::max(target, line.to.size());
    }
    text_ += std::string(lines.size() == 1 ? "  Local ref configured for 'git push'" : "  Local refs configured for 'git push'") + (theirs_ == nullptr ? " (status not queried)" : "") + ":\n";
    for (const PushLine& line : lines) {
      text_ += "    " + Padded(line.from, width) + (line.is_forced ? " forces to " : " pushes to ");
      text_ += line.status.empty() ? line.to + "\n" : Padded(line.to, target) + " (" + line.status + ")\n";
    }
    return {};
  }
  Result<std::string> StatusOf(const Oid& ours, const std::string& to) {
    const auto found = theirs_->ids.find(to);
    if (found == theirs_->ids.end()) return std::string("create");
    if (found->second == ours) return std::string("up to date");
    History history(git_);
    if (!git_.objects.Has(found->second)) return std::string("local out of date");
    PADDOCK_ASSIGN(const bool is_forward, history.IsAncestor(found->second, ours));
    return std::string(is_forward ? "fast-forwardable" : "local out of date");
  }

  Git& git_;
  const std::string& name_;
  const RemoteRefs* theirs_;
  std::string text_;
};

}  // namespace

Result<std::string> DescribeRemote(Git& git, const std::string& name, const RemoteRefs* theirs) { return Description(git, name, theirs).Text(); }

Result<std::vector<std::string>> StaleRefs(Git& git, const std::string& name, const RemoteRefs& theirs) {
  PADDOCK_ASSIGN(const std::vector<Refspec> rules, FetchRules(git, name));
  std::vector<std::string> stale;
  for (const auto& [ref, id] : git.refs.List("refs/")) {
    if (git.refs.ReadSymbolic(ref)) continue;
    bool is_meant = false, is_there = false;
    for (const Refspec& spec : rules) {
      git.in.budget.Step();
      if (spec.to.empty() || spec.is_negative) continue;
      Refspec back = spec;
      std::swap(back.from, back.to);
      const auto other = back.Map(ref);
      is_meant = is_meant || other.has_value();
      is_there = is_there || (other && theirs.ids.contains(*other));
    }
    if (is_meant && !is_there) stale.push_back(ref);
  }
  return stale;
}

}  // namespace paddock::git
