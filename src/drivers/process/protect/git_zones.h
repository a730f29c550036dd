// Numbers for the kinds of directories that a walk comes through (TreeVisitor's zones).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "drivers/process/protect/name_matcher.h"

namespace paddock::process_wall {

// The names and values do not depend on how deep the tree is.
class GitZones {
 public:
  static constexpr int kPlain = 0;
  static constexpr int kProtected = 1;    // in a protected directory that existed before
  static constexpr int kGitOther = 2;     // git's, with no protected name below: refs, objects
  static constexpr int kGitStore = 3;     // git's, below modules or worktrees: repositories lie there
  static constexpr int kRepository = 16;  // a repository's own directory; above this number: on the way to a protected name in it

  explicit GitZones(const NameMatcher& matcher) : matcher_(matcher) {}

  static bool IsGit(int zone) { return zone >= kGitOther; }

  // The path of `name` within its repository; empty where no protected name can be.
  std::string Inner(int zone, std::string_view name) const {
    if (zone < kRepository) return {};
    const std::string& directory = inner_[static_cast<size_t>(zone - kRepository)];
    return directory.empty() ? std::string(name) : directory + "/" + std::string(name);
  }

  // The zone of the subdirectory `name` of a directory of git's.
  int Below(int zone, std::string_view name) {
    if (zone == kGitStore || (zone == kRepository && (name == "modules" || name == "worktrees"))) return kGitStore;
    const std::string inner = Inner(zone, name);
    if (inner.empty() || !matcher_.LeadsInGit(inner)) return kGitOther;
    for (size_t i = 1; i < inner_.size(); ++i) {
      if (inner_[i] == inner) return kRepository + static_cast<int>(i);
    }
    inner_.push_back(inner);
    return kRepository + static_cast<int>(inner_.size() - 1);
  }

 private:
  const NameMatcher& matcher_;
  std::vector<std::string> inner_ = {""};   // bounded by the protected names
};

}  // namespace paddock::process_wall
