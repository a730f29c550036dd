#include "commands/git/objects/tree_links.h"

#include "git/tree_reader.h"

namespace paddock::git {
namespace {

constexpr int kMostLinks = 40;

}  // namespace

Result<LinkedPath> FollowLinks(Git& git, const Oid& tree, std::string_view path) {
  using Kind = LinkedPath::Kind;
  LinkedPath found;
  std::vector<Oid> folders = {tree};   // from the top to where we are
  std::string rest(path);
  for (int links = 0;;) {
    git.in.budget.Step(4);
    rest.erase(0, rest.find_first_not_of('/'));
    if (rest.empty()) return LinkedPath{Kind::kFound, folders.back(), {}};
    const size_t slash = rest.find('/');
    const std::string name = rest.substr(0, slash);
    if (name == "..") {
      if (folders.size() == 1) return LinkedPath{Kind::kOutside, {}, rest};
      folders.pop_back();
      rest.erase(0, slash == std::string::npos ? rest.size() : slash + 1);
      continue;
    }
    PADDOCK_ASSIGN(const ObjectPtr folder, git.objects.ShareTyped(folders.back(), ObjectType::kTree));
    PADDOCK_ASSIGN(const std::optional<TreeEntry> entry, FindInTree(folder->data, name, git.in.budget));
    if (!entry || entry->mode == kModeCommit) return found;
    if (entry->is_tree()) {
      folders.push_back(entry->id);
      rest.erase(0, slash);
    } else if (entry->mode != kModeLink) {
      return slash == std::string::npos ? LinkedPath{Kind::kFound, entry->id, {}} : LinkedPath{Kind::kNoDirectory, {}, {}};
    } else {
      if (links++ == kMostLinks) return LinkedPath{Kind::kLoop, {}, {}};
      found.kind = Kind::kDangling;   // from here on, what is missing is behind a link
      PADDOCK_ASSIGN(const std::string target, git.ReadBlob(entry->id));
      if (target.starts_with('/')) return LinkedPath{Kind::kOutside, {}, target};
      git.in.budget.WillAllocate(target.size() + rest.size());
      rest.replace(0, name.size(), target);
    }
  }
}

}  // namespace paddock::git
