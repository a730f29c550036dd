// The names of references beside commits. Source: git-log(1) "--decorate".
#include <algorithm>

#include "commands/git/colour_spec.h"
#include "commands/git/history/pretty.h"
#include "commands/git/refs/revision.h"
#include "text/pattern.h"

namespace paddock::git {
namespace {

// "heads/x" and "refs/heads/x": a name and all below it; with wildcards, what matches.
bool MatchesRef(Git& git, std::string pattern, const std::string& name) {
  if (!pattern.starts_with("refs/") && pattern != "HEAD") pattern = "refs/" + pattern;
  while (pattern.ends_with('/')) pattern.pop_back();
  if (pattern.find_first_of("*?[\\") == std::string::npos) return name.starts_with(pattern) && (name.size() == pattern.size() || name[pattern.size()] == '/');
  PatternFlags flags;
  flags.extglob = false;
  return Pattern(pattern, flags).Matches(name, git.in.budget);
}

bool IsUsual(const std::string& name) {
  return name == "HEAD" || name == "refs/stash" || name.starts_with("refs/heads/") || name.starts_with("refs/tags/") || name.starts_with("refs/remotes/");
}

std::string ColourOf(Git& git, Decoration::Kind kind) {
  static constexpr struct {
    const char* slot;
    std::string_view usual;
  } kColours[] = {{"branch", "bold green"}, {"remotebranch", "bold red"}, {"tag", "bold yellow"}, {"stash", "bold magenta"}, {"head", "bold cyan"}, {"grafted", "bold blue"}};
  const auto& [slot, usual] = kColours[static_cast<size_t>(kind)];
  const auto configured = git.config.Get(std::string("color.decorate.") + slot);
  return ColourSequence(configured ? std::string_view(*configured) : usual).value_or("");
}

}  // namespace

void FindDecorations(Git& git, PrettyOptions& options) {
  options.has_decorations = true;
  const DecorationFilter& filter = options.decoration_filter;
  const std::vector<std::string> hidden = git.config.GetAll("log.excludedecoration");
  const bool has_default = !filter.is_clear && filter.wanted.empty() && filter.unwanted.empty() && hidden.empty() && git.config.Get("log.initialdecorationset", "") != "all";
  const auto any = [&git](const std::vector<std::string>& patterns, const std::string& name) { return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return MatchesRef(git, pattern, name); }); };
  const auto is_shown = [&](const std::string& name) {
    if (any(filter.unwanted, name)) return false;
    if (!filter.wanted.empty()) return any(filter.wanted, name);
    if (!filter.is_clear && any(hidden, name)) return false;
    return !has_default || IsUsual(name);
  };
  const bool is_full = options.decorate == PrettyOptions::Decorate::kFull;
  const auto head = git.Head();
  const auto branch = git.HeadBranch();
  // What came last comes first, and HEAD before all.
  const auto refs = git.refs.List("refs/");
  using Kind = Decoration::Kind;
  const auto shown_head = head && is_shown("HEAD");
  if (shown_head) options.decorations[*head].push_back({Kind::kHead, "HEAD", branch && is_shown(*branch) ? (is_full ? *branch : ShortRef(*branch)) : ""});
  std::map<Oid, std::vector<Decoration>> branches, tags, others;
  for (const auto& [name, id] : refs) {
    git.in.budget.Step();
    if (!is_shown(name)) continue;
    const std::string shown = is_full ? name : ShortRef(name);
    if (name.starts_with("refs/tags/")) {
      const auto peeled = git.objects.Peel(id, std::nullopt);
      tags[peeled ? *peeled : id].push_back({Kind::kTag, shown});
    } else if (name.starts_with("refs/heads/")) {
      if (!shown_head || name != branch) branches[id].push_back({Kind::kBranch, shown});
    } else {
      others[id].push_back({name == "refs/stash" ? Kind::kStash : Kind::kRemote, name.starts_with("refs/remotes/") ? shown : is_full ? name : name == "refs/stash" ? "refs/stash" : name});
    }
  }
  for (const auto* group : {&tags, &others, &branches}) {
    for (const auto& [id, names] : *group) {
      auto& all = options.decorations[id];
      all.insert(all.end(), names.rbegin(), names.rend());
    }
  }
}

std::string DecorationText(Git& git, const Oid& id, const PrettyOptions& options, std::string_view lead, std::string_view end, bool colours) {
  const auto found = options.decorations.find(id);
  if (found == options.decorations.end() || found->second.empty()) return {};
  const std::string commit = colours ? "\033[33m" : "", reset = colours ? std::string(kColourReset) : "";
  std::string text, before(lead);
  for (const Decoration& one : found->second) {
    text += commit + before + reset + (colours ? ColourOf(git, one.kind) : "");
    if (one.kind == Decoration::Kind::kTag) text += "tag: ";
    text += one.name;
    if (!one.branch.empty()) text += " -> " + reset + (colours ? ColourOf(git, Decoration::Kind::kBranch) : "") + one.branch;
    text += reset;
    before = ", ";
  }
  return text + commit + std::string(end) + reset;
}

}  // namespace paddock::git
