#include "commands/file/tree_scan.h"

#include <cstring>

#include <algorithm>

namespace paddock::tree {

Scanner::Scanner(Invocation& in, const ScanSettings& settings)
    : in_(in), s_(settings), wanted_(Compile(settings.wanted)), ignored_(Compile(settings.ignored)),
      ignore_files_(in, settings.ignore_case), comment_files_(in, settings.ignore_case) {}

std::vector<Scanner::Glob> Scanner::Compile(const std::vector<std::string>& patterns) const {
  const PatternFlags flags{.extglob = false, .ignore_case = s_.ignore_case, .is_utf8 = in_.locale.is_utf8};
  std::vector<Glob> globs;
  for (std::string_view rest : patterns) {
    while (true) {
      const size_t bar = rest.find('|');
      std::string_view part = rest.substr(0, bar);
      const bool only_directories = part.size() > 1 && part.ends_with('/');
      if (only_directories) part.remove_suffix(1);
      globs.push_back({Pattern(part, flags), only_directories});
      if (bar == std::string_view::npos) break;
      rest.remove_prefix(bar + 1);
    }
  }
  return globs;
}

bool Scanner::Matches(const std::vector<Glob>& globs, const Node& node) const {
  return std::any_of(globs.begin(), globs.end(), [&](const Glob& glob) {
    return (!glob.only_directories || node.is_directory()) && glob.pattern.Matches(node.name, in_.budget);
  });
}

bool Scanner::IsShown(const Node& node) const {
  if (!s_.shows_hidden && node.name.starts_with('.')) return false;
  if (s_.only_directories && !node.is_directory()) return false;
  if (Matches(ignored_, node)) return false;
  const bool may_hold_more = node.attributes.is_directory() || (s_.follows_links && node.is_directory());
  return may_hold_more || wanted_.empty() || Matches(wanted_, node);
}

Node Scanner::Look(std::string path, std::string name) const {
  Node node{.name = std::move(name), .path = std::move(path)};
  const auto found = in_.fs.Stat(node.path, vfs::Follow::kNo);
  node.exists = found.has_value();
  if (found) node.attributes = *found;
  if (node.attributes.is_symlink()) {
    if (auto target = in_.fs.ReadLink(node.path)) node.target = std::move(*target);
    if (const auto behind = in_.fs.Stat(node.path)) node.target_attributes = *behind;
  }
  node.size = node.attributes.size;
  return node;
}

Node Scanner::Scan(const std::string& path) {
  Node root = Look(path, path);
  if (root.target_attributes) root.attributes = *root.target_attributes;
  root.target.clear();
  root.target_attributes.reset();
  root.size = root.attributes.size;
  device_ = root.attributes.device;
  visited_.emplace(root.attributes.device, root.attributes.inode);
  Read(root, 1);
  return root;
}

void Scanner::Read(Node& node, uint64_t level) {
  in_.budget.CheckStack();
  auto entries = in_.fs.List(node.path);
  if (!entries) {
    node.error = "error opening dir";
    return;
  }
  // Both are left again below, or by the end of all when the budget is used up.
  if (s_.reads_ignore_files) ignore_files_.Enter(node.path);
  if (s_.reads_comments) comment_files_.Enter(node.path);
  TakeEntries(node, *entries);
  ReadBelow(node, level);
  if (s_.reads_ignore_files) ignore_files_.Leave();
  if (s_.reads_comments) comment_files_.Leave();
}

void Scanner::TakeEntries(Node& node, const std::vector<vfs::DirectoryEntry>& entries) const {
  for (const vfs::DirectoryEntry& entry : entries) {
    in_.budget.Step();
    Node child = Look(vfs::JoinPath(node.path, entry.name), entry.name);
    if (!child.exists || !IsShown(child)) continue;
    const NoteSubject subject{child.path, child.name, child.is_directory()};
    if (ignore_files_.IsIgnored(subject)) continue;
    if (const auto* lines = comment_files_.Find(subject)) child.comment = *lines;
    node.children.push_back(std::move(child));
  }
}

void Scanner::ReadBelow(Node& node, uint64_t level) {
  const size_t count = node.children.size();
  if (s_.file_limit > 0 && count > static_cast<uint64_t>(s_.file_limit)) {
    node.error = std::to_string(count) + " entries exceeds filelimit, not opening dir";
    node.children.clear();
    return;
  }
  Sort(node.children);
  for (Node& child : node.children) Descend(child, level);
  if (s_.prunes && !s_.only_directories) {
    std::erase_if(node.children, [this](const Node& child) {
      return child.is_directory() && child.children.empty() && !(s_.matches_directories && Matches(wanted_, child));
    });
  }
  if (!s_.sums_sizes) return;
  for (const Node& child : node.children) node.size += child.size;
}

// `level` is that of the child.
void Scanner::Descend(Node& child, uint64_t level) {
  if (!child.is_directory() || level >= s_.max_level) return;
  const bool is_link = !child.attributes.is_directory();
  if (is_link && !s_.follows_links) return;
  const vfs::Attributes& where = is_link ? *child.target_attributes : child.attributes;
  if (s_.one_file_system && where.device != device_) return;
  const bool is_new = !s_.follows_links || visited_.emplace(where.device, where.inode).second;
  if (is_link && !is_new) child.error = "recursive, not followed";
  else Read(child, level + 1);
}

bool Scanner::IsBefore(const Node& a, const Node& b) const {
  if (s_.grouping != Grouping::kNone && a.is_branch() != b.is_branch()) {
    return a.is_branch() == (s_.grouping == Grouping::kDirectoriesFirst);
  }
  const Node& first = s_.reverse ? b : a;
  const Node& second = s_.reverse ? a : b;
  const vfs::Attributes& x = first.attributes;
  const vfs::Attributes& y = second.attributes;
  switch (s_.sort) {
    case SortKey::kVersion: {
      const int order = strverscmp(first.name.c_str(), second.name.c_str());
      if (order != 0) return order < 0;
      break;
    }
    case SortKey::kSize:
      if (x.size != y.size) return x.size > y.size;
      break;
    case SortKey::kModified:
      if (x.modify_time != y.modify_time) return x.modify_time < y.modify_time;
      break;
    case SortKey::kChanged:
      if (x.change_time != y.change_time) return x.change_time < y.change_time;
      break;
    case SortKey::kName:
    case SortKey::kNone: break;
  }
  return first.name < second.name;
}

void Scanner::Sort(std::vector<Node>& nodes) const {
  if (s_.sort == SortKey::kNone) return;
  std::sort(nodes.begin(), nodes.end(), [this](const Node& a, const Node& b) { return IsBefore(a, b); });
}

}  // namespace paddock::tree
