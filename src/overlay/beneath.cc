#include "overlay/beneath.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <memory>

#include "text/utf8.h"

namespace paddock::overlay {
namespace {

Error Failure(std::string_view path) {
  const int code = errno;
  return Error(static_cast<Code>(code), (path.empty() ? "the top directory" : Shown(path)) + ": " + std::strerror(code));
}

std::string DescriptorPath(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

FileFacts::Type TypeOf(const struct stat& status) {
  switch (status.st_mode & S_IFMT) {
    case S_IFREG: return FileFacts::Type::kFile;
    case S_IFDIR: return FileFacts::Type::kDirectory;
    case S_IFLNK: return FileFacts::Type::kSymlink;
    case S_IFIFO: return FileFacts::Type::kFifo;
    case S_IFSOCK: return FileFacts::Type::kSocket;
    case S_IFCHR: return status.st_rdev == makedev(0, 0) ? FileFacts::Type::kWhiteout : FileFacts::Type::kDevice;
    default: return FileFacts::Type::kDevice;
  }
}

bool IsPlain(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\\') return false;
    const DecodedChar decoded = DecodeUtf8(text.substr(i));
    if (!decoded.is_valid || !IsHarmless(decoded.code)) return false;
    i += decoded.length;
  }
  return true;
}

}  // namespace

const char* TypeName(FileFacts::Type type) {
  switch (type) {
    case FileFacts::Type::kAbsent: return "nothing";
    case FileFacts::Type::kFile: return "file";
    case FileFacts::Type::kDirectory: return "directory";
    case FileFacts::Type::kSymlink: return "symbolic link";
    case FileFacts::Type::kWhiteout: return "whiteout";
    case FileFacts::Type::kDevice: return "device";
    case FileFacts::Type::kFifo: return "fifo";
    case FileFacts::Type::kSocket: return "socket";
  }
  return "nothing";
}

Result<Descriptor> OpenBeneath(int directory, std::string_view path, int flags) {
  if (path.size() > kLongestPath) return Error(Code::kNameTooLong, Shown(path.substr(0, 100)) + "…: the path is too long");
  open_how how{};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  const std::string name = path.empty() ? "." : std::string(path);
  while (true) {
    const auto opened = static_cast<int>(syscall(SYS_openat2, directory, name.c_str(), &how, sizeof how));
    if (opened >= 0) return Descriptor(opened);
    if (errno != EINTR && errno != EAGAIN) return Failure(path);
  }
}

Result<FileFacts> FactsOf(int descriptor, std::string_view path) {
  struct stat status {};
  if (fstatat(descriptor, "", &status, AT_EMPTY_PATH) != 0) return Failure(path);
  FileFacts facts;
  facts.type = TypeOf(status);
  facts.mode = status.st_mode & 07777;
  facts.size = static_cast<uint64_t>(std::max<off_t>(status.st_size, 0));
  facts.changed = std::chrono::seconds(status.st_ctim.tv_sec) + std::chrono::nanoseconds(status.st_ctim.tv_nsec);
  facts.modified = std::chrono::seconds(status.st_mtim.tv_sec) + std::chrono::nanoseconds(status.st_mtim.tv_nsec);
  facts.device = status.st_dev;
  facts.inode = status.st_ino;
  facts.uid = status.st_uid;
  facts.gid = status.st_gid;
  return facts;
}

Result<FileFacts> FactsAt(int directory, std::string_view path) {
  const auto opened = OpenBeneath(directory, path, O_PATH | O_NOFOLLOW);
  if (!opened) {
    const Code code = opened.error().code;
    if (code == Code::kNoEntry || code == Code::kNotDirectory || code == Code::kLoop) return FileFacts();
    return opened.error();
  }
  return FactsOf(opened->get(), path);
}

Result<std::vector<std::string>> NamesIn(int directory, std::string_view path, size_t most) {
  PADDOCK_ASSIGN(Descriptor opened, OpenBeneath(directory, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK));
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(opened.get()), closedir);
  if (stream == nullptr) return Failure(path);
  static_cast<void>(opened.Release());
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = readdir(stream.get());
    if (entry == nullptr && errno != 0) return Failure(path);
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() >= most) return Error(Code::kLimit, Shown(path) + ": more than " + std::to_string(most) + " names");
    names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> LinkTarget(int directory, std::string_view path) {
  PADDOCK_ASSIGN(const Descriptor link, OpenBeneath(directory, path, O_PATH | O_NOFOLLOW));
  std::array<char, PATH_MAX> target{};
  const ssize_t length = readlinkat(link.get(), "", target.data(), target.size());
  if (length < 0) return Failure(path);
  return std::string(target.data(), static_cast<size_t>(length));
}

std::string AttributeOf(int descriptor, const char* name) {
  std::array<char, 255> value{};
  const ssize_t length = getxattr(DescriptorPath(descriptor).c_str(), name, value.data(), value.size());
  if (length < 0) return errno == ERANGE ? std::string("(long)") : std::string();
  return length == 0 ? std::string("(empty)") : std::string(value.data(), static_cast<size_t>(length));
}

Status RemoveTree(int parent, const std::string& name) {
  const auto open_directory = [](int at, const std::string& entry) {
    Descriptor opened(openat(at, entry.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!opened.is_open() && errno == EACCES) {
      // Whoever filled the directory may have shut it.
      const Descriptor shut(openat(at, entry.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (shut.is_open() && chmod(DescriptorPath(shut.get()).c_str(), 0700) == 0) {
        opened.Reset(openat(at, entry.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      }
    }
    return opened;
  };
  const Descriptor top = open_directory(parent, name);
  if (!top.is_open()) return Failure(name);
  if (fchmod(top.get(), 0700) != 0) return Failure(name);
  // Directories that are not empty move up to the top, so that no path and no stack grows with the depth.
  std::vector<std::string> pending = {"."};
  uint64_t moved = 0;
  while (!pending.empty()) {
    const std::string at = std::move(pending.back());
    pending.pop_back();
    Descriptor directory = open_directory(top.get(), at);
    if (!directory.is_open()) return Failure(at);
    if (fchmod(directory.get(), 0700) != 0) return Failure(at);
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(directory.get()), closedir);
    if (stream == nullptr) return Failure(at);
    const int here = directory.Release();
    std::vector<std::string> names;
    while (const dirent* entry = readdir(stream.get())) names.emplace_back(entry->d_name);
    for (const std::string& entry : names) {
      if (entry == "." || entry == "..") continue;
      if (unlinkat(here, entry.c_str(), 0) == 0 || errno == ENOENT) continue;
      if (errno != EISDIR && errno != EPERM) return Failure(entry);
      if (unlinkat(here, entry.c_str(), AT_REMOVEDIR) == 0) continue;
      // Moving a directory changes it, which takes the right to.
      static_cast<void>(open_directory(here, entry));
      const Descriptor inner(openat(here, entry.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
      if (!inner.is_open() || chmod(DescriptorPath(inner.get()).c_str(), 0700) != 0) return Failure(entry);
      std::string aside;
      do {
        aside = ".moved-" + std::to_string(moved++);
      } while (renameat2(here, entry.c_str(), top.get(), aside.c_str(), RENAME_NOREPLACE) != 0 && errno == EEXIST);
      if (faccessat(top.get(), aside.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0) return Failure(entry);
      pending.push_back(aside);
    }
    if (at != "." && unlinkat(top.get(), at.c_str(), AT_REMOVEDIR) != 0) return Failure(at);
  }
  if (unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0) return Failure(name);
  return {};
}

std::string Joined(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.empty()) path += '/';
  return path += name;
}

std::string_view ParentOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view NameOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string Shown(std::string_view path) {
  if (IsPlain(path)) return std::string(path);
  std::string text = "\"";
  for (size_t i = 0; i < path.size();) {
    const char c = path[i];
    const DecodedChar decoded = DecodeUtf8(path.substr(i));
    const size_t length = decoded.is_valid ? decoded.length : 1;
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (c == '\n') {
      text += "\\n";
    } else if (c == '\t') {
      text += "\\t";
    } else if (decoded.is_valid && IsHarmless(decoded.code)) {
      text += path.substr(i, length);
    } else {
      for (size_t k = 0; k < length; ++k) {
        const auto byte = static_cast<unsigned char>(path[i + k]);
        text += '\\';
        text += static_cast<char>('0' + (byte >> 6));
        text += static_cast<char>('0' + ((byte >> 3) & 7));
        text += static_cast<char>('0' + (byte & 7));
      }
    }
    i += length;
  }
  return text + "\"";
}

}  // namespace paddock::overlay
