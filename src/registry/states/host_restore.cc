#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <set>
#include <vector>

#include "overlay/beneath.h"
#include "registry/states/host_tree.h"
#include "registry/states/host_tree_internal.h"
#include "store/trees/content.h"
#include "store/trees/directory.h"
#include "store/trees/restore.h"

namespace paddock::registry {
namespace {

using trees::Entry;
using vfs::FileType;

Error Failure(const std::string& path) {
  const auto code = static_cast<Code>(errno);
  return Error(code, overlay::Shown(path) + ": " + std::string(CodeText(code)));
}

Error Unsound(const std::string& path) { return Error(Code::kSyntax, "no state of such a sandbox: " + overlay::Shown(path.substr(0, 200))); }

class HostRestore {
 public:
  // `is_unpacked`: as UnpackHost(); else as RestoreHost().
  HostRestore(trees::Store& store, int directory, const HostTreeLimits& limits, bool is_unpacked)
      : store_(store), directory_(directory), limits_(limits), is_unpacked_(is_unpacked) {}

  // Everything below a directory of the tree into `path`, which is there.
  Status Fill(const std::string& path, const Entry& top) {
    shut_.push_back({path, top});
    std::vector<std::pair<std::string, trees::ObjectId>> pending{{path, top.directory}};
    while (!pending.empty()) {
      const auto [at, id] = std::move(pending.back());
      pending.pop_back();
      PADDOCK_ASSIGN(const Descriptor here, overlay::OpenBeneath(directory_, at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
      trees::DirectoryReader reader(store_, id);
      while (true) {
        PADDOCK_ASSIGN(std::optional<Entry> entry, reader.Next());
        if (!entry) break;
        if (++entries_ > limits_.max_entries) return Error(Code::kLimit, "more than " + std::to_string(limits_.max_entries) + " files to restore");
        const std::string below = overlay::Joined(at, entry->name);
        if (later_.contains(below)) continue;
        if (entry->type == FileType::kDirectory) {
          if (mkdirat(here.get(), entry->name.c_str(), 0700) != 0) return Failure(below);
          if (below.size() > overlay::kLongestPath) return Error(Code::kNameTooLong, overlay::Shown(below.substr(0, 100)) + "…: lies too deep");
          pending.emplace_back(below, entry->directory);
          shut_.push_back({below, std::move(*entry)});
        } else {
          PADDOCK_TRY(Make(here.get(), *entry, below));
        }
      }
    }
    return {};
  }

  // Before the rest: a file of several names is written once.
  Status ReadLinks(const trees::TreeNode& tree) {
    PADDOCK_ASSIGN(links_, trees::ReadLinks(store_, tree));
    for (const std::vector<std::string>& group : links_) later_.insert(group.begin() + 1, group.end());
    return {};
  }
  Status Link() {
    for (const std::vector<std::string>& group : links_) {
      const Descriptor first_in = OpenParent(group[0]);
      for (size_t i = 1; i < group.size(); ++i) {
        const Descriptor in = OpenParent(group[i]);
        const std::string first(overlay::NameOf(group[0])), name(overlay::NameOf(group[i]));
        if (!first_in.is_open() || !in.is_open()) return Unsound(group[i]);
        if (linkat(first_in.get(), first.c_str(), in.get(), name.c_str(), 0) == 0) continue;
        if (errno == ENOENT && is_unpacked_) continue;   // of a device, which was left out
        return Failure(group[i]);
      }
    }
    return {};
  }

  Status SetAttributes(std::string_view text) {
    while (!text.empty()) {
      PADDOCK_ASSIGN(const HostAttribute attribute, TakeAttribute(text));
      const auto found = overlay::OpenBeneath(directory_, attribute.path, O_PATH | O_NOFOLLOW);
      if (!found) return Unsound(attribute.path);
      struct stat status{};
      if (fstat(found->get(), &status) != 0 || (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))) return Unsound(attribute.path);
      const std::string path = DescriptorPath(found->get());
      const auto set = [&] { return setxattr(path.c_str(), attribute.name.c_str(), attribute.value.data(), attribute.value.size(), 0); };
      if (set() == 0) continue;
      if (errno != EACCES) return Failure(attribute.path);
      // Its mode shuts out its owner, too.
      const mode_t mode = status.st_mode & 07777u;
      if (chmod(path.c_str(), mode | 0600u) != 0 || set() != 0 || chmod(path.c_str(), mode) != 0) return Failure(attribute.path);
    }
    return {};
  }

  // Modes and times of directories, the deepest first.
  Status Shut() {
    for (auto one = shut_.rbegin(); one != shut_.rend(); ++one) {
      PADDOCK_ASSIGN(const Descriptor found, overlay::OpenBeneath(directory_, one->path, O_PATH | O_NOFOLLOW));
      const std::string path = DescriptorPath(found.get());
      const timespec times[2] = {TimeOf(one->entry.modify_time), TimeOf(one->entry.modify_time)};
      if (utimensat(AT_FDCWD, path.c_str(), times, 0) != 0 || chmod(path.c_str(), one->entry.mode & 01777u) != 0) return Failure(one->path);
    }
    return {};
  }

 private:
  struct Directory {
    std::string path;
    Entry entry;
  };

  Descriptor OpenParent(const std::string& path) {
    auto opened = overlay::OpenBeneath(directory_, std::string(overlay::ParentOf(path)), O_PATH | O_DIRECTORY | O_NOFOLLOW);
    return opened ? std::move(*opened) : Descriptor();
  }

  Status Make(int here, const Entry& entry, const std::string& path) {
    const char* name = entry.name.c_str();
    switch (entry.type) {
      case FileType::kFile: return MakeFile(here, entry, path);
      case FileType::kSymlink:
        if (symlinkat(entry.target.c_str(), here, name) != 0) return Failure(path);
        return SetTime(here, entry, path);
      case FileType::kFifo:
        if (is_unpacked_) return {};
        if (mkfifoat(here, name, 0600) != 0 || fchmodat(here, name, entry.mode & 0777u, 0) != 0) return Failure(path);
        return SetTime(here, entry, path);
      case FileType::kCharDevice:   // a whiteout; others are of nobody's making
        if (is_unpacked_) return {};
        if (entry.special != 0) return Unsound(path);
        if (mknodat(here, name, S_IFCHR, makedev(0, 0)) != 0) return Failure(path);
        return SetTime(here, entry, path);
      default: return is_unpacked_ ? Status() : Status(Unsound(path));
    }
  }

  static Status SetTime(int here, const Entry& entry, const std::string& path) {
    const timespec times[2] = {TimeOf(entry.modify_time), TimeOf(entry.modify_time)};
    return utimensat(here, entry.name.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0 ? Status() : Status(Failure(path));
  }

  Status MakeFile(int here, const Entry& entry, const std::string& path) {
    const Descriptor file(openat(here, entry.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.is_open()) return Failure(path);
    const Status written = trees::ForEachChunk(store_, entry.content, [&](const trees::ChunkPlace& place) { return WriteChunk(file.get(), place, path); });
    if (!written) return written;
    if (ftruncate(file.get(), static_cast<off_t>(entry.content.size)) != 0) return Failure(path);
    const timespec times[2] = {TimeOf(entry.modify_time), TimeOf(entry.modify_time)};
    if (fchmod(file.get(), entry.mode & 01777u) != 0 || futimens(file.get(), times) != 0) return Failure(path);
    return {};
  }
  Status WriteChunk(int file, const trees::ChunkPlace& place, const std::string& path) {
    PADDOCK_ASSIGN(const Block chunk, trees::ReadChunk(store_, place));
    for (size_t start = 0; start < chunk.bytes.size();) {
      size_t end = start;
      while (end < chunk.bytes.size() && (place.pages >> (end / trees::kPageBytes) & 1) != 0) end += trees::kPageBytes;
      bytes_ += end - start;
      if (bytes_ > limits_.max_bytes) return Error(Code::kLimit, "more than " + std::to_string(limits_.max_bytes) + " bytes to restore");
      if (end > start) PADDOCK_TRY(Write(file, chunk.bytes.substr(start, end - start), place.index * trees::kChunkBytes + start, path));
      start = std::max(end, start + trees::kPageBytes);
    }
    return {};
  }
  static Status Write(int file, std::string_view bytes, uint64_t at, const std::string& path) {
    while (!bytes.empty()) {
      const ssize_t put = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return Failure(path);
      bytes.remove_prefix(static_cast<size_t>(put));
      at += static_cast<uint64_t>(put);
    }
    return {};
  }

  static timespec TimeOf(Nanoseconds time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    return {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
  }

  trees::Store& store_;
  const int directory_;
  const HostTreeLimits limits_;
  const bool is_unpacked_;
  uint64_t entries_ = 0;
  uint64_t bytes_ = 0;
  trees::LinkGroups links_;
  std::set<std::string, std::less<>> later_;   // names that become links
  std::vector<Directory> shut_;   // parents first
};

}  // namespace

void AppendAttribute(std::string& text, const HostAttribute& attribute) {
  text += attribute.path;
  text += '\0';
  text += attribute.name;
  text += '\0';
  text += std::to_string(attribute.value.size());
  text += '\0';
  text += attribute.value;
}

Result<HostAttribute> TakeAttribute(std::string_view& text) {
  const Error damaged(Code::kSyntax, "the extended attributes of a state are damaged");
  std::string_view words[3];
  for (std::string_view& word : words) {
    const size_t end = text.find('\0');
    if (end == std::string_view::npos) return damaged;
    word = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  size_t size = 0;
  const auto [end, failure] = std::from_chars(words[2].data(), words[2].data() + words[2].size(), size);
  if (failure != std::errc() || end != words[2].data() + words[2].size() || size > text.size()) return damaged;
  if (!words[1].starts_with(kAttributePrefix) || words[0].empty()) return damaged;
  HostAttribute attribute{.path = std::string(words[0]), .name = std::string(words[1]), .value = std::string(text.substr(0, size))};
  text.remove_prefix(size);
  return attribute;
}

Status RestoreHost(trees::Store& store, const trees::ObjectId& tree, int directory, std::span<const std::string> parts, const HostTreeLimits& limits) {
  PADDOCK_ASSIGN(const trees::TreeNode root, trees::ReadTree(store, tree));
  HostRestore restore(store, directory, limits, false);
  for (const std::string& part : parts) {
    if (mkdirat(directory, part.c_str(), 0700) != 0) return Failure(part);
  }
  PADDOCK_TRY(restore.ReadLinks(root));
  std::string attributes;
  trees::DirectoryReader reader(store, root.directory);
  while (true) {
    PADDOCK_ASSIGN(const std::optional<Entry> entry, reader.Next());
    if (!entry) break;
    if (entry->name == kAttributesName && entry->type == FileType::kFile) {
      PADDOCK_ASSIGN(attributes, trees::ReadWhole(store, entry->content, limits.max_attribute_bytes));
      continue;
    }
    if (entry->type != FileType::kDirectory || std::find(parts.begin(), parts.end(), entry->name) == parts.end()) return Unsound(entry->name);
    PADDOCK_TRY(restore.Fill(entry->name, *entry));
  }
  PADDOCK_TRY(restore.Link());
  PADDOCK_TRY(restore.SetAttributes(attributes));
  return restore.Shut();
}

Status UnpackHost(trees::Store& store, const trees::ObjectId& tree, int directory, const HostTreeLimits& limits) {
  PADDOCK_ASSIGN(const trees::TreeNode root, trees::ReadTree(store, tree));
  HostRestore restore(store, directory, limits, true);
  Entry top;
  top.type = FileType::kDirectory;
  top.mode = root.mode;
  top.modify_time = root.modify_time;
  top.directory = root.directory;
  PADDOCK_TRY(restore.ReadLinks(root));
  PADDOCK_TRY(restore.Fill("", top));
  PADDOCK_TRY(restore.Link());
  return restore.Shut();
}

}  // namespace paddock::registry
