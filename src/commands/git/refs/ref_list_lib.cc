#include "commands/git/refs/ref_list.h"

#include <algorithm>
#include <iterator>

namespace paddock::git {

Status TakeRefColour(RefListOptions& options, std::string_view value) {
  if (value.empty() || value == "always") options.colours = true;
  else if (value == "never" || value == "auto") options.colours = false;
  else return Error(Code::kRange, "option `color' expects \"always\", \"auto\", or \"never\"");
  return {};
}

std::vector<std::string> WithCommits(std::vector<std::string> args) {
  static constexpr std::string_view kNames[] = {"--contains", "--with", "--no-contains", "--without", "--merged", "--no-merged", "--points-at"};
  std::vector<std::string> out;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--") {
      out.insert(out.end(), args.begin() + static_cast<std::ptrdiff_t>(i), args.end());
      break;
    }
    if (std::find(std::begin(kNames), std::end(kNames), args[i]) == std::end(kNames)) {
      out.push_back(std::move(args[i]));
      continue;
    }
    std::string name = args[i] == "--with" ? "--contains" : args[i] == "--without" ? "--no-contains" : args[i];
    out.push_back(std::move(name) + "=" + (i + 1 < args.size() ? args[i + 1] : "HEAD"));
    ++i;
  }
  return out;
}

Result<std::optional<RefFilter>> RefFilter::Make(Git& git, const RefListOptions& options, ExitStatus& status) {
  RefFilter filter(git);
  const auto wrong = [&](const std::string& text) {
    status = git.Complain(text, 129);
    return std::optional<RefFilter>();
  };
  for (const auto& [names, ids] : {std::pair{&options.contains, &filter.contains_}, {&options.no_contains, &filter.no_contains_}}) {
    for (const std::string& name : *names) {
      const auto id = ResolveObject(git, name);
      if (!id) return wrong("malformed object name " + name);
      const auto commit = git.objects.Peel(*id, ObjectType::kCommit);
      if (!commit) return wrong("no such commit " + name);
      ids->push_back(*commit);
    }
  }
  for (const std::string& name : options.points_at) {
    const auto id = ResolveObject(git, name);
    if (!id) return wrong("malformed object name '" + name + "'");
    filter.points_at_.push_back(*id);
  }
  for (const auto& [names, all, option] : {std::tuple{&options.merged, &filter.merged_, "merged"}, {&options.no_merged, &filter.no_merged_, "no-merged"}}) {
    if (names->empty()) continue;
    std::vector<Oid> tips;
    for (const std::string& name : *names) {
      const auto id = ResolveObject(git, name);
      if (!id) return Error(Code::kInvalid, "malformed object name " + name);
      const auto commit = git.objects.Peel(*id, ObjectType::kCommit);
      if (!commit) return wrong("option `" + std::string(option) + "' must point to a commit");
      tips.push_back(*commit);
    }
    PADDOCK_ASSIGN(*all, filter.history_.Ancestors(tips));
  }
  return std::optional<RefFilter>(std::move(filter));
}

Result<bool> RefFilter::ContainsOne(const std::vector<Oid>& commits, const Oid& id) {
  for (const Oid& commit : commits) {
    PADDOCK_ASSIGN(const bool contains, history_.IsAncestor(commit, id));
    if (contains) return true;
  }
  return false;
}

Result<bool> RefFilter::Keeps(const Oid& id) {
  git_.in.budget.Step();
  if (!points_at_.empty()) {
    const auto tag = git_.objects.ReadTag(id);
    const auto is_wanted = [this](const Oid& one) { return std::find(points_at_.begin(), points_at_.end(), one) != points_at_.end(); };
    if (!is_wanted(id) && !(tag && is_wanted(tag->object))) return false;
  }
  if (contains_.empty() && no_contains_.empty() && !merged_ && !no_merged_) return true;
  const auto commit = git_.objects.Peel(id, ObjectType::kCommit);
  if (!commit) return false;
  if (!contains_.empty()) {
    PADDOCK_ASSIGN(const bool contains, ContainsOne(contains_, *commit));
    if (!contains) return false;
  }
  PADDOCK_ASSIGN(const bool has_other, ContainsOne(no_contains_, *commit));
  if (has_other) return false;
  return (!merged_ || merged_->contains(*commit)) && (!no_merged_ || !no_merged_->contains(*commit));
}

}  // namespace paddock::git
