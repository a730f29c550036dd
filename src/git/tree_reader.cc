#include "git/tree_reader.h"

#include <algorithm>
#include <cstring>

#include "git/object_store.h"

namespace paddock::git {
namespace {

Error Bad(std::string_view what) { return {Code::kCorrupt, std::string(what)}; }

size_t CommonPrefix(std::string_view a, std::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  size_t at = 0;
  for (; at + 8 <= most; at += 8) {
    if (std::memcmp(a.data() + at, b.data() + at, 8) != 0) break;
  }
  while (at < most && a[at] == b[at]) ++at;
  return at;
}

// As trees are sorted: a directory as if its name ended in a slash. 0: one name and kind.
int Order(const TreeReader& a, const TreeReader& b) {
  const size_t common = std::min(a.name().size(), b.name().size());
  if (const int order = a.name().substr(0, common).compare(b.name().substr(0, common)); order != 0) return order;
  const auto next = [common](const TreeReader& entry) -> int {
    if (common < entry.name().size()) return static_cast<unsigned char>(entry.name()[common]);
    return entry.is_tree() ? '/' : 0;
  };
  return next(a) - next(b);
}

}  // namespace

Result<bool> TreeReader::Next() {
  if (rest_.empty()) return false;
  uint32_t mode = 0;
  size_t at = 0;
  for (; at < rest_.size() && rest_[at] != ' '; ++at) {
    if (at == 7 || rest_[at] < '0' || rest_[at] > '7') return Bad("malformed mode in tree entry");
    mode = mode * 8 + static_cast<uint32_t>(rest_[at] - '0');
  }
  if (at == 0 || at == rest_.size()) return Bad("malformed mode in tree entry");
  const size_t begin = at + 1, end = rest_.find('\0', begin);
  if (end == std::string_view::npos || rest_.size() - end < 21) return Bad("truncated tree entry");
  if (end == begin) return Bad("empty filename in tree entry");
  name_ = rest_.substr(begin, end - begin);
  if (name_.find('/') != std::string_view::npos) return Bad("tree entry name contains a slash");
  bytes_ = rest_.substr(0, end + 21);
  rest_.remove_prefix(end + 21);
  // Old repositories have other permission bits; git knows two kinds of file.
  if ((mode & 0170000) == 0100000) mode_ = (mode & 0100) != 0 ? kModeExecutable : kModeFile;
  else if ((mode & 0170000) == 0120000) mode_ = kModeLink;
  else if ((mode & 0170000) == 0040000) mode_ = kModeTree;
  else mode_ = kModeCommit;
  return true;
}

void TreeReader::SkipSame(TreeReader& a, TreeReader& b) {
  const size_t same = CommonPrefix(a.rest_, b.rest_);
  size_t at = 0;
  while (true) {
    const size_t end = a.rest_.find('\0', at);
    if (end == std::string_view::npos || end + 21 > same) break;
    at = end + 21;
  }
  a.rest_.remove_prefix(at);
  b.rest_.remove_prefix(at);
}

Result<std::optional<TreeEntry>> FindInTree(std::string_view text, std::string_view name, Budget& budget) {
  for (TreeReader reader(text);;) {
    budget.Step();
    PADDOCK_ASSIGN(const bool is_there, reader.Next());
    if (!is_there) return std::optional<TreeEntry>();
    if (reader.name() == name) return std::optional(TreeEntry{reader.mode(), std::string(name), reader.id()});
  }
}

Result<std::optional<TreeEntry>> FindPath(ObjectStore& objects, const Oid& tree, std::string_view path, Budget& budget) {
  Oid at = tree;
  while (true) {
    const size_t slash = path.find('/');
    PADDOCK_ASSIGN(const ObjectPtr object, objects.ShareTyped(at, ObjectType::kTree));
    PADDOCK_ASSIGN(std::optional<TreeEntry> entry, FindInTree(object->data, path.substr(0, slash), budget));
    if (!entry || slash == std::string_view::npos) return entry;
    if (!entry->is_tree()) return std::optional<TreeEntry>();
    at = entry->id;
    path.remove_prefix(slash + 1);
  }
}

Result<bool> TreeDifferences::Next(Budget& budget) {
  // What was told goes.
  if (order_ <= 0) has_before_ = false;
  if (order_ >= 0) has_after_ = false;
  while (true) {
    budget.Step();
    if (!has_before_ && !has_after_) TreeReader::SkipSame(before_, after_);
    if (!has_before_) {
      PADDOCK_ASSIGN(has_before_, before_.Next());
    }
    if (!has_after_) {
      PADDOCK_ASSIGN(has_after_, after_.Next());
    }
    order_ = 0;
    if (!has_before_ && !has_after_) return false;
    order_ = !has_before_ ? 1 : !has_after_ ? -1 : Order(before_, after_);
    if (order_ != 0 || before_.bytes() != after_.bytes()) return true;
    has_before_ = has_after_ = false;
  }
}

}  // namespace paddock::git
