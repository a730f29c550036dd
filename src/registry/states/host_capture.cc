#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <map>
#include <vector>

#include "overlay/beneath.h"
#include "registry/states/host_tree.h"
#include "registry/states/host_tree_internal.h"
#include "store/trees/content.h"
#include "store/trees/draft.h"

namespace paddock::registry {
namespace {

using trees::DraftNode;
using vfs::FileType;

constexpr size_t kBuffer = 256 << 10;
// What overlayfs notes for itself about one place of the files, and finds out anew elsewhere.
constexpr std::string_view kOfOverlay[] = {"user.overlay.origin", "user.overlay.impure", "user.overlay.nlink", "user.overlay.uuid"};
constexpr size_t kMostNames = 1'000'000;   // of one directory

Error Failure(const std::string& path) {
  const auto code = static_cast<Code>(errno);
  return Error(code, overlay::Shown(path) + ": " + std::string(CodeText(code)));
}

FileType TypeOf(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR: return FileType::kDirectory;
    case S_IFLNK: return FileType::kSymlink;
    case S_IFIFO: return FileType::kFifo;
    case S_IFCHR: return FileType::kCharDevice;
    case S_IFBLK: return FileType::kBlockDevice;
    case S_IFSOCK: return FileType::kSocket;
    default: return FileType::kFile;
  }
}

// The file that `found` (O_PATH) is, open for reading; its owner may have shut it for itself.
Descriptor OpenFile(int found, const struct stat& facts) {
  const std::string path = DescriptorPath(found);
  Descriptor opened(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (opened.is_open() || errno != EACCES || facts.st_uid != geteuid()) return opened;
  const mode_t mode = facts.st_mode & 07777u;
  if (chmod(path.c_str(), mode | 0400u) != 0) return opened;
  opened.Reset(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const int failure = errno;
  static_cast<void>(chmod(path.c_str(), mode));
  errno = failure;
  return opened;
}

class HostCapture {
 public:
  HostCapture(trees::Session& session, const HostTreeLimits& limits) : session_(session), limits_(limits) {}
  ~HostCapture() {
    for (auto one = opened_.rbegin(); one != opened_.rend(); ++one) {
      const auto found = overlay::OpenBeneath(one->part, one->path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
      if (found) static_cast<void>(chmod(DescriptorPath(found->get()).c_str(), one->mode));
    }
  }
  HostCapture(const HostCapture&) = delete;
  HostCapture& operator=(const HostCapture&) = delete;

  Status Add(const HostPart& part) {
    struct stat facts{};
    if (fstat(part.directory, &facts) != 0) return Failure(part.name);
    DraftNode& top = draft_.Add(draft_.root(), EntryOf(part.name, facts));
    ++totals_.entries;
    PADDOCK_TRY(AddAttributes(part.directory, part.name));
    struct Pending {
      std::string path;   // below the part
      DraftNode* node;
    };
    std::vector<Pending> pending{{"", &top}};
    while (!pending.empty()) {
      const Pending one = std::move(pending.back());
      pending.pop_back();
      PADDOCK_ASSIGN(const Descriptor directory, OpenDirectory(part, one.path));
      if (!directory.is_open()) continue;   // gone, or something else meanwhile
      PADDOCK_ASSIGN(const std::vector<std::string> names, overlay::NamesIn(directory.get(), "", kMostNames));
      for (const std::string& name : names) {
        const std::string below = overlay::Joined(one.path, name), shown = part.name + "/" + below;
        const Descriptor found(openat(directory.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        if (!found.is_open() && errno == ENOENT) continue;
        struct stat status{};
        if (!found.is_open() || fstat(found.get(), &status) != 0) return Failure(shown);
        PADDOCK_ASSIGN(DraftNode* const node, AddEntry(*one.node, name, shown, found.get(), status));
        if (node != nullptr && node->is_directory()) {
          if (below.size() > overlay::kLongestPath) return Error(Code::kNameTooLong, overlay::Shown(shown.substr(0, 100)) + "…: lies too deep to be kept");
          pending.push_back({below, node});
        }
      }
    }
    return {};
  }

  Result<trees::Captured> Finish() {
    if (!attributes_.empty()) {
      trees::ContentWriter writer(session_, false);
      PADDOCK_TRY(writer.Write(attributes_));
      trees::Entry entry;
      entry.name = kAttributesName;
      entry.mode = 0600;
      entry.uid = entry.gid = limits_.user;
      PADDOCK_ASSIGN(entry.content, writer.Finish());
      draft_.Add(draft_.root(), std::move(entry));
    }
    trees::Captured captured;
    PADDOCK_ASSIGN(captured.tree, draft_.Encode(session_));
    PADDOCK_TRY(session_.Finish());
    captured.totals = totals_;
    return captured;
  }

 private:
  Result<Descriptor> OpenDirectory(const HostPart& part, const std::string& path) {
    auto found = overlay::OpenBeneath(part.directory, path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
    if (!found) {
      const Code code = found.error().code;
      if (code == Code::kNoEntry || code == Code::kNotDirectory || code == Code::kLoop) return Descriptor();
      return found.error();
    }
    struct stat facts{};
    if (fstat(found->get(), &facts) != 0) return Failure(path);
    // What its owner has shut for itself stays open until all below it was read.
    const mode_t mode = facts.st_mode & 07777u;
    if (geteuid() != 0 && facts.st_uid == geteuid() && (mode & 0500u) != 0500u && chmod(DescriptorPath(found->get()).c_str(), mode | 0500u) == 0) {
      opened_.push_back({part.directory, path, mode});
    }
    Descriptor opened(open(DescriptorPath(found->get()).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened.is_open()) return Failure(part.name + "/" + path);
    return opened;
  }

  trees::Entry EntryOf(const std::string& name, const struct stat& facts) const {
    trees::Entry entry;
    entry.name = name;
    entry.type = TypeOf(facts.st_mode);
    entry.mode = facts.st_mode & 01777u;
    entry.uid = entry.gid = limits_.user;
    entry.modify_time = std::chrono::seconds(facts.st_mtim.tv_sec) + Nanoseconds(facts.st_mtim.tv_nsec);
    return entry;
  }

  // Null for what is left out.
  Result<DraftNode*> AddEntry(DraftNode& parent, const std::string& name, const std::string& shown, int found, const struct stat& facts) {
    trees::Entry entry = EntryOf(name, facts);
    if (entry.type == FileType::kSocket) return nullptr;
    if (++totals_.entries > limits_.max_entries) return Error(Code::kLimit, "more than " + std::to_string(limits_.max_entries) + " files to keep");
    uint64_t link = 0;
    if (facts.st_nlink > 1 && entry.type != FileType::kDirectory) {
      const auto [seen, is_new] = seen_.try_emplace({facts.st_dev, facts.st_ino}, seen_.size() + 1);
      link = seen->second;
      if (!is_new) {
        entry = draft_.Linked(link)->front()->entry;
        entry.name = name;
        totals_.content_bytes += entry.content.size;
        DraftNode& node = draft_.Add(parent, std::move(entry));
        draft_.SetLink(node, link);
        return &node;
      }
    }
    if (entry.type == FileType::kSymlink) {
      std::array<char, PATH_MAX> target{};
      const ssize_t length = readlinkat(found, "", target.data(), target.size());
      if (length <= 0) return Failure(shown);
      entry.target.assign(target.data(), static_cast<size_t>(length));
    } else if (entry.type == FileType::kCharDevice || entry.type == FileType::kBlockDevice) {
      entry.special = static_cast<uint64_t>(major(facts.st_rdev)) << 8 | minor(facts.st_rdev);
    } else if (entry.type == FileType::kFile && facts.st_size > 0) {
      auto content = ReadFile(found, facts, shown);
      if (!content) return content.error();
      entry.content = std::move(*content);
    }
    if (entry.type == FileType::kFile || entry.type == FileType::kDirectory) PADDOCK_TRY(AddAttributes(found, shown));
    totals_.content_bytes += entry.content.size;
    DraftNode& node = draft_.Add(parent, std::move(entry));
    if (link != 0) draft_.SetLink(node, link);
    return &node;
  }

  Result<trees::Content> ReadFile(int found, const struct stat& facts, const std::string& shown) {
    const Descriptor file = OpenFile(found, facts);
    if (!file.is_open()) return Failure(shown);
    trees::ContentWriter writer(session_, false);
    const auto size = static_cast<uint64_t>(facts.st_size);
    while (writer.size() < size) {
      const uint64_t at = writer.size();
      const off_t data = lseek(file.get(), static_cast<off_t>(at), SEEK_DATA);
      if (data < 0 && errno != ENXIO && errno != EINVAL) return Failure(shown);
      const uint64_t start = data >= 0 ? static_cast<uint64_t>(data) : errno == EINVAL ? at : size;
      if (start > at) PADDOCK_TRY(writer.Hole(std::min(start, size) - at));
      if (writer.size() >= size) break;
      const off_t hole = lseek(file.get(), static_cast<off_t>(start), SEEK_HOLE);
      const uint64_t end = hole > static_cast<off_t>(start) ? std::min(static_cast<uint64_t>(hole), size) : size;
      PADDOCK_TRY(CopyData(file.get(), start, end, size, shown, writer));
    }
    return writer.Finish();
  }
  // What was cut off meanwhile reads as zeros.
  Status CopyData(int file, uint64_t start, uint64_t end, uint64_t size, const std::string& shown, trees::ContentWriter& writer) {
    buffer_.resize(kBuffer);
    while (start < end) {
      const ssize_t got = pread(file, buffer_.data(), std::min<uint64_t>(end - start, buffer_.size()), static_cast<off_t>(start));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return Failure(shown);
      if (got == 0) return writer.Hole(size - start);
      bytes_ += static_cast<uint64_t>(got);
      if (bytes_ > limits_.max_bytes) return Error(Code::kLimit, "more than " + std::to_string(limits_.max_bytes) + " bytes to keep");
      PADDOCK_TRY(writer.Write(std::string_view(buffer_).substr(0, static_cast<size_t>(got))));
      start += static_cast<uint64_t>(got);
    }
    return {};
  }

  Status AddAttributes(int found, const std::string& shown) {
    const std::string path = DescriptorPath(found);
    const ssize_t length = listxattr(path.c_str(), nullptr, 0);
    if (length <= 0) return {};
    std::string names(static_cast<size_t>(length), '\0');
    const ssize_t got = listxattr(path.c_str(), names.data(), names.size());
    if (got <= 0) return {};
    names.resize(static_cast<size_t>(got));
    for (size_t start = 0; start < names.size();) {
      const std::string name(names.c_str() + start);
      start += name.size() + 1;
      if (!name.starts_with(kAttributePrefix) || std::find(std::begin(kOfOverlay), std::end(kOfOverlay), name) != std::end(kOfOverlay)) continue;
      std::string value(XATTR_SIZE_MAX, '\0');
      const ssize_t size = getxattr(path.c_str(), name.c_str(), value.data(), value.size());
      if (size < 0) continue;   // gone, or may not be read
      value.resize(static_cast<size_t>(size));
      AppendAttribute(attributes_, {.path = shown, .name = name, .value = std::move(value)});
      if (attributes_.size() > limits_.max_attribute_bytes) {
        return Error(Code::kLimit, "more than " + std::to_string(limits_.max_attribute_bytes) + " bytes of extended attributes to keep");
      }
    }
    return {};
  }

  struct Opened {
    int part;
    std::string path;
    mode_t mode;
  };

  trees::Session& session_;
  const HostTreeLimits limits_;
  std::vector<Opened> opened_;
  trees::Draft draft_;
  trees::TreeTotals totals_;
  uint64_t bytes_ = 0;
  std::string attributes_, buffer_;
  std::map<std::pair<dev_t, ino_t>, uint64_t> seen_;   // files of several names
};

}  // namespace

Result<trees::Captured> CaptureHost(trees::Session& session, std::span<const HostPart> parts, const HostTreeLimits& limits) {
  HostCapture capture(session, limits);
  for (const HostPart& part : parts) PADDOCK_TRY(capture.Add(part));
  return capture.Finish();
}

}  // namespace paddock::registry
