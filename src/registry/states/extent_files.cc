#include "registry/states/extent_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/crc32c.h"
#include "base/descriptor.h"
#include "base/id.h"
#include "registry/host_error.h"

namespace paddock::registry {
namespace {

constexpr std::string_view kPrefix = "extent-";

class Mapping {
 public:
  Mapping(void* at, size_t size) : at_(at), size_(size) {}
  ~Mapping() { munmap(at_, size_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

 private:
  void* const at_;
  const size_t size_;
};

}  // namespace

Result<vfs::ExtentPtr> ExtentFiles::Map(int file, File& entry) {
  const auto size = static_cast<size_t>(entry.name.size);
  void* const at = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (at == MAP_FAILED) return HostError("cannot map " + PathOf(entry.name.name));
  auto keep = std::make_shared<const Mapping>(at, size);
  const std::string_view bytes(static_cast<const char*>(at), size);
  auto extent = std::make_shared<const vfs::Extent>(vfs::Extent{.name = entry.name, .bytes = bytes, .keep = std::move(keep)});
  entry.extent = extent;
  return vfs::ExtentPtr(std::move(extent));
}

Result<vfs::ExtentPtr> ExtentFiles::Take(int file, uint64_t size, uint32_t checksum) {
  if (files_.size() >= kMostFiles) return Error(Code::kNoSpace, directory_ + " has " + std::to_string(files_.size()) + " extents, the most there may be");
  File entry{.name = {.name = NewId(kPrefix), .size = size, .checksum = checksum}, .extent = {}, .is_sound = true, .is_synced = false, .is_named = false};
  const std::string path = PathOf(entry.name.name), self = "/proc/self/fd/" + std::to_string(file);
  PADDOCK_ASSIGN(vfs::ExtentPtr extent, Map(file, entry));
  if (linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) != 0) return HostError("cannot make " + path);
  files_[entry.name.name] = std::move(entry);
  return extent;
}

Result<vfs::ExtentPtr> ExtentFiles::Find(const vfs::ExtentName& name) {
  const std::string path = PathOf(name.name);
  if (!name.name.starts_with(kPrefix) || name.name.find('/') != std::string::npos || name.size == 0 || name.size > SIZE_MAX / 2) {
    return Error(Code::kIo, "no extent has such a name");
  }
  File& entry = files_[name.name];
  entry.is_named = true;
  if (vfs::ExtentPtr known = entry.extent.lock(); known != nullptr && known->name == name) return known;
  entry.name = name;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat found{};
  if (!file.is_open() || fstat(file.get(), &found) != 0) return HostError("cannot open " + path);
  if (!S_ISREG(found.st_mode) || static_cast<uint64_t>(found.st_size) != name.size) return Error(Code::kIo, path + " is damaged: it has another size");
  PADDOCK_ASSIGN(vfs::ExtentPtr extent, Map(file.get(), entry));
  if (entry.is_sound) return extent;
  // Read, not looked at in memory: a disk that fails gives an error here.
  std::string piece(256 << 10, '\0');
  uint32_t checksum = 0;
  for (uint64_t at = 0; at < name.size;) {
    const ssize_t got = pread(file.get(), piece.data(), piece.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return HostError("cannot read " + path, got == 0 ? EIO : errno);
    checksum = Crc32c(std::string_view(piece).substr(0, static_cast<size_t>(got)), checksum);
    at += static_cast<uint64_t>(got);
  }
  if (checksum != name.checksum) return Error(Code::kIo, path + " is damaged: its checksum is wrong");
  entry.is_sound = true;
  return extent;
}

bool ExtentFiles::Has(const vfs::Extent& extent) const {
  const auto found = files_.find(extent.name.name);
  if (found == files_.end() || found->second.extent.lock().get() != &extent) return false;
  found->second.is_named = true;
  return true;
}

bool ExtentFiles::IsThere(const vfs::ExtentName& name) const {
  struct stat found{};
  return lstat(PathOf(name.name).c_str(), &found) == 0 && static_cast<uint64_t>(found.st_size) == name.size;
}

void ExtentFiles::Sweep(bool all_named) {
  std::erase_if(files_, [&](const auto& one) {
    const File& file = one.second;
    if (!file.extent.expired() || (file.is_named && !all_named)) return false;
    return unlink(PathOf(one.first).c_str()) == 0 || errno == ENOENT;
  });
}

void ExtentFiles::ForgetNames() {
  for (auto& [name, file] : files_) file.is_named = false;
}

void ExtentFiles::SweepStrangers() {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(directory_.c_str()), closedir);
  if (listing == nullptr) return;
  while (const dirent* entry = readdir(listing.get())) {
    const std::string name = entry->d_name;
    if (name.starts_with(kPrefix) && !files_.contains(name)) static_cast<void>(unlink(PathOf(name).c_str()));
  }
}

Status ExtentFiles::Sync() {
  for (auto& [name, file] : files_) {
    if (file.is_synced || file.extent.expired()) continue;
    const Descriptor opened(open(PathOf(name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!opened.is_open() || fdatasync(opened.get()) != 0) return HostError("cannot sync " + PathOf(name));
    file.is_synced = true;
  }
  return {};
}

Status ExtentFiles::Remove() {
  files_.clear();
  SweepStrangers();
  return {};
}

uint64_t ExtentFiles::bytes() const {
  uint64_t bytes = 0;
  for (const auto& [name, file] : files_) bytes += file.name.size;
  return bytes;
}

uint64_t ExtentFiles::garbage_bytes() const {
  uint64_t bytes = 0;
  for (const auto& [name, file] : files_) bytes += file.extent.expired() ? file.name.size : 0;
  return bytes;
}

}  // namespace paddock::registry
