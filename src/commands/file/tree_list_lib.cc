// tree --fromfile: the tree out of a list of paths.
#include <algorithm>
#include <map>

#include "commands/file/tree_scan.h"
#include "commands/input_files.h"

namespace paddock::tree {
namespace {

constexpr std::string_view kArrow = " -> ";

// What the list says about one name.
struct Listed {
  vfs::FileType type = vfs::FileType::kFile;
  std::string target;
  std::map<std::string, size_t> children;   // indices: a path may be as deep as it is long
};

// All names; the first is that of the list itself.
class Listing {
 public:
  Listing(Invocation& in, bool has_links) : in_(in), has_links_(has_links), entries_(1) {}

  const Listed& at(size_t index) const { return entries_[index]; }

  // Adds "a/b/c" or "a/d/".
  void Add(std::string_view path) {
    std::string target;
    const size_t arrow = has_links_ ? path.find(kArrow) : std::string_view::npos;
    if (arrow != std::string_view::npos) {
      target = path.substr(arrow + kArrow.size());
      path = path.substr(0, arrow);
    }
    size_t at = 0;
    while (!path.empty()) {
      in_.budget.Step();
      const size_t slash = path.find('/');
      const std::string_view name = path.substr(0, slash);
      path.remove_prefix(std::min(path.size(), name.size() + 1));
      if (name.empty()) continue;
      at = ChildOf(at, std::string(name));
      entries_[at].type = slash != std::string_view::npos ? vfs::FileType::kDirectory : vfs::FileType::kFile;
    }
    if (at == 0 || target.empty()) return;
    entries_[at].type = vfs::FileType::kSymlink;
    entries_[at].target = std::move(target);
  }

 private:
  size_t ChildOf(size_t parent, const std::string& name) {
    const auto [found, is_new] = entries_[parent].children.emplace(name, entries_.size());
    const size_t index = found->second;
    if (is_new) {
      in_.budget.WillAllocate((entries_.size() + 1) * sizeof(Listed));
      entries_.emplace_back();
    }
    return index;
  }

  Invocation& in_;
  bool has_links_;
  std::vector<Listed> entries_;
};

}  // namespace

Node Scanner::ScanList(const std::string& path) {
  Node root = Look(path, path);
  root.target.clear();
  root.is_listing = true;
  auto file = path == "." ? InputFile::Open(in_, "-") : InputFile::OpenPath(in_, path);
  if (!file) {
    root.exists = false;
    root.error = "error opening dir";
    return root;
  }
  Listing listing(in_, s_.lists_links);
  while (const auto line = file->input().ReadLine()) {
    in_.budget.Step();
    listing.Add(line->text);
  }
  const auto take = [&](const auto& self, Node& node, const Listed& from, uint64_t level) -> void {
    in_.budget.CheckStack();
    if (level > s_.max_level) return;
    for (const auto& [name, index] : from.children) {
      in_.budget.Step();
      const Listed& entry = listing.at(index);
      Node child{.name = name, .path = node.path + "/" + name, .target = entry.target};
      child.attributes.type = entry.type;
      child.attributes.mode = 0;
      const bool is_leaf = entry.children.empty();
      child.has_entries = !is_leaf;
      if (is_leaf && child.is_directory() && s_.prunes) continue;
      if (s_.only_directories && is_leaf && !child.is_directory()) continue;
      if (is_leaf && Matches(ignored_, child)) continue;
      if (is_leaf && !child.is_directory() && !wanted_.empty() && !Matches(wanted_, child)) continue;
      self(self, child, entry, level + 1);
      child.attributes.size = 0;
      node.children.push_back(std::move(child));
    }
    Sort(node.children);
  };
  take(take, root, listing.at(0), 1);
  return root;
}

}  // namespace paddock::tree
