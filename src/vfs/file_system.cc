#include "vfs/file_system.h"

#include <algorithm>

namespace paddock::vfs {
namespace {

constexpr uint64_t kMostAhead = 64 << 20;   // that is reserved for a file as large as it says it is

}  // namespace

Result<std::string> ReadFile(FileSystem& fs, std::string_view path, uint64_t max_bytes) {
  PADDOCK_ASSIGN(const OpenFilePtr file, fs.Open(path, OpenFlags::Read()));
  std::string content;
  // A size is only a hint: room that turns out to be too small, or too large, does no harm.
  if (const auto facts = file->GetAttributes(); facts && facts->is_file()) content.reserve(std::min({facts->size, max_bytes, kMostAhead}));
  while (true) {
    PADDOCK_ASSIGN(const Block block, file->ReadBlock(64 << 10));
    if (block.bytes.empty()) return content;
    if (block.bytes.size() > max_bytes - content.size()) return Code::kFileTooBig;
    content.append(block.bytes);
  }
}

Status WriteFile(FileSystem& fs, std::string_view path, std::string_view content, uint32_t mode) {
  PADDOCK_ASSIGN(const OpenFilePtr file, fs.Open(path, OpenFlags::Write(), mode));
  return file->Write(content);
}

Status MakeDirectories(FileSystem& fs, std::string_view path, uint32_t mode) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  // The directories on the way stay usable for their maker whatever the umask says; only the last
  // one gets `mode`.
  for (size_t end = path.find('/', 1); end < path.size(); end = path.find('/', end + 1)) {
    if (path[end - 1] == '/') continue;
    const std::string_view prefix = path.substr(0, end);
    const Status made = fs.MakeDirectory(prefix, 0777);
    if (!made) {
      const auto found = fs.Stat(prefix);
      if (!found) return made.error().code == Code::kExists ? found.error() : made.error();
      if (!found->is_directory()) return Code::kNotDirectory;
      continue;
    }
    if ((fs.umask() & 0300) != 0) PADDOCK_TRY(fs.SetMode(prefix, (0777 & ~fs.umask()) | 0300));
  }
  const Status made = fs.MakeDirectory(path, mode);
  if (made || made.error().code == Code::kNoEntry) return made;
  const auto found = fs.Stat(path);
  return found && found->is_directory() ? Status{} : made;
}

std::string BaseName(std::string_view path) {
  if (path.empty()) return {};
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  if (path == "/") return "/";
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string DirectoryName(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  path = path.substr(0, slash);
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  return path.empty() ? "/" : std::string(path);
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  if (directory.empty() || name.starts_with('/')) return std::string(name);
  std::string path;
  path.reserve(directory.size() + 1 + name.size());
  path += directory;
  if (path.back() != '/') path += '/';
  path += name;
  return path;
}

std::string NormalizePath(std::string_view path) {
  const bool is_absolute = path.starts_with('/');
  std::string result(is_absolute ? "/" : "");
  const size_t base = result.size();
  size_t kept_parents = base;  // up to here the result is "../.." that cannot be folded
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view name = path.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || name == ".") continue;
    if (name == ".." && result.size() > kept_parents) {
      const size_t slash = result.rfind('/');
      result.resize(slash == std::string::npos ? 0 : std::max(slash, base));
      continue;
    }
    if (name == ".." && is_absolute) continue;
    if (result.size() > base) result += '/';
    result += name;
    if (name == "..") kept_parents = result.size();
  }
  return result.empty() ? "." : result;
}

}  // namespace paddock::vfs
