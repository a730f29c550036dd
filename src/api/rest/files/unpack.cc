#include "api/rest/files/unpack.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "store/trees/tar_reader.h"
#include "text/utf8.h"

namespace paddock::api {
namespace {

using vfs::FileType;

constexpr size_t kHole = 4096;
constexpr uint64_t kLeastPart = 256 << 10;   // of an extent; below, a copy costs less

bool IsZero(std::string_view bytes) { return bytes[0] == '\0' && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0; }

class Unpacker {
 public:
  Unpacker(vfs::FileSystem& files, const std::string& root, const UnpackLimits& limits) : files_(files), root_(root), limits_(limits) {}

  Result<Unpacked> Run(ByteSource& archive) {
    trees::TarReader reader(archive);
    size_t entries = 0;
    while (true) {
      PADDOCK_ASSIGN(const std::optional<trees::TarEntry> entry, reader.Next());
      if (!entry) break;
      if (++entries > limits_.entries) return Error(Code::kLimit, "the archive has more than " + std::to_string(limits_.entries) + " entries");
      const Status done = Take(*entry, reader);
      if (!done) return Error(done.error().code, HarmlessLine(entry->path.substr(0, 400)) + ": " + std::string(done.error().Text()));
    }
    // Last, as a directory may forbid what was to be made in it.
    for (size_t i = finished_.size(); i > 0; --i) {
      const Finish& one = finished_[i - 1];
      PADDOCK_TRY(files_.SetTimes(one.path, std::nullopt, one.modified));
      PADDOCK_TRY(files_.SetMode(one.path, one.mode));
    }
    return done_;
  }

 private:
  struct Finish {
    std::string path;
    uint32_t mode;
    Nanoseconds modified;
  };

  // The names of a path of the archive, from the root on. Errors: kInvalid.
  Result<std::vector<std::string_view>> NamesOf(std::string_view path) const {
    std::vector<std::string_view> names;
    if (path.find('\0') != std::string_view::npos) return Error(Code::kInvalid, "the path holds a NUL");
    for (size_t from = 0; from < path.size();) {
      const size_t slash = std::min(path.find('/', from), path.size());
      const std::string_view name = path.substr(from, slash - from);
      from = slash + 1;
      if (name.empty() || name == ".") continue;
      if (name == "..") return Error(Code::kInvalid, "the path leads out with '..'");
      if (names.size() >= limits_.depth) return Error(Code::kLimit, "more than " + std::to_string(limits_.depth) + " directories deep");
      names.push_back(name);
    }
    return names;
  }

  // Every directory on the way, made where it is missing; none is a symlink.
  Result<std::string> Parent(const std::vector<std::string_view>& names) {
    std::string path = root_;
    for (size_t i = 0; i + 1 < names.size(); ++i) {
      path = vfs::JoinPath(path, names[i]);
      if (checked_ == path || checked_.starts_with(path + "/")) continue;
      const auto found = files_.Stat(path, vfs::Follow::kNo);
      if (found && !found->is_directory()) {
        return Error(Code::kInvalid, "lies below " + HarmlessLine(path) + ", which is " + (found->is_symlink() ? "a symlink" : "no directory"));
      }
      if (!found && found.error().code != Code::kNoEntry) return found.error();
      if (!found) PADDOCK_TRY(files_.MakeDirectory(path, 0755));
    }
    checked_ = path;
    return path;
  }

  // Takes away what a file or link is to replace, or only looks whether it may be replaced.
  Status MakeRoom(const std::string& path, bool is_only_look = false) {
    const auto found = files_.Stat(path, vfs::Follow::kNo);
    if (!found) return found.error().code == Code::kNoEntry ? Status() : Status(found.error());
    if (found->is_directory()) return Error(Code::kIsDirectory, "there is a directory");
    return is_only_look ? Status() : files_.RemoveFile(path);
  }

  Status Take(const trees::TarEntry& entry, trees::TarReader& reader) {
    PADDOCK_ASSIGN(const std::vector<std::string_view> names, NamesOf(entry.path));
    if (names.empty()) {   // "./": the directory that it is unpacked into
      if (entry.type == FileType::kDirectory) return {};
      return Error(Code::kInvalid, "the path names nothing");
    }
    if (!entry.is_hard_link && entry.type != FileType::kFile && entry.type != FileType::kDirectory && entry.type != FileType::kSymlink) {
      ++done_.skipped;
      return {};
    }
    PADDOCK_ASSIGN(const std::string parent, Parent(names));
    const std::string path = vfs::JoinPath(parent, names.back());
    if (path.size() > 4095) return Error(Code::kNameTooLong);
    if (entry.is_hard_link) return TakeHardLink(entry, path);
    if (entry.type == FileType::kDirectory) return TakeDirectory(entry, path);
    PADDOCK_TRY(MakeRoom(path, entry.type == FileType::kFile && !limits_.draft.empty()));
    if (entry.type == FileType::kSymlink) {
      ++done_.links;
      return files_.MakeSymlink(entry.target, path);
    }
    return TakeFile(entry, path, reader);
  }

  Status TakeDirectory(const trees::TarEntry& entry, const std::string& path) {
    const auto found = files_.Stat(path, vfs::Follow::kNo);
    if (!found || !found->is_directory()) {
      if (found) PADDOCK_TRY(files_.RemoveFile(path));
      PADDOCK_TRY(files_.MakeDirectory(path, 0700 | (entry.mode & limits_.mode_mask)));
    }
    ++done_.directories;
    finished_.push_back({path, entry.mode & limits_.mode_mask, entry.modify_time});
    return {};
  }

  Status TakeHardLink(const trees::TarEntry& entry, const std::string& path) {
    PADDOCK_ASSIGN(const std::vector<std::string_view> names, NamesOf(entry.target));
    if (names.empty()) return Error(Code::kInvalid, "the hard link leads nowhere");
    PADDOCK_ASSIGN(const std::string parent, Parent(names));
    const std::string existing = vfs::JoinPath(parent, names.back());
    checked_.clear();
    const auto found = files_.Stat(existing, vfs::Follow::kNo);
    if (!found) return Error(Code::kInvalid, "a hard link to what is not there: " + HarmlessLine(existing));
    if (!found->is_file()) return Error(Code::kInvalid, "a hard link to what is no file: " + HarmlessLine(existing));
    if (existing == path) return {};
    PADDOCK_TRY(MakeRoom(path));
    ++done_.links;
    return files_.MakeLink(existing, path);
  }

  Status TakeFile(const trees::TarEntry& entry, const std::string& path, trees::TarReader& reader) {
    if (entry.size > limits_.bytes - done_.bytes) return Error(Code::kLimit, "the files are larger than " + std::to_string(limits_.bytes) + " bytes in all");
    done_.bytes += entry.size;
    const std::string written = limits_.draft.empty() ? path : vfs::JoinPath(vfs::DirectoryName(path), limits_.draft);
    PADDOCK_ASSIGN(vfs::OpenFilePtr file, files_.Open(written, {.write = true, .create = true, .exclusive = true, .no_follow = true}, 0600));
    Status status = WriteContent(entry, *file, reader);
    file.reset();
    if (status) status = files_.SetTimes(written, std::nullopt, entry.modify_time);
    if (status) status = files_.SetMode(written, entry.mode & limits_.mode_mask);
    if (status && written != path) status = files_.Rename(written, path);
    if (status) ++done_.files;
    else static_cast<void>(files_.RemoveFile(written));
    return status;
  }

  Status WriteContent(const trees::TarEntry& entry, vfs::OpenFile& file, trees::TarReader& reader) {
    bool ends_in_hole = false;
    const auto skip = [&](uint64_t zeros) -> Status {
      ends_in_hole = true;
      const auto sought = file.Seek(static_cast<int64_t>(zeros), vfs::Whence::kCurrent);   // at most `bytes`
      return sought ? Status() : Status(sought.error());
    };
    const auto write = [&](std::string_view bytes) {
      ends_in_hole = false;
      return file.Write(bytes);
    };
    uint64_t offset = 0;
    bool is_placed = false;
    const auto take = [&](std::string_view bytes) -> Status {
      if (offset == 0) is_placed = Place(entry, file, bytes);
      if (is_placed) {
        offset += bytes.size();
        return {};
      }
      while (!bytes.empty()) {
        // Up to the end of this block of the file, and from there on as far as blocks are alike: all zeros, or not.
        size_t size = std::min<size_t>(bytes.size(), kHole - offset % kHole);
        const bool is_hole = IsZero(bytes.substr(0, size));
        while (bytes.size() - size >= kHole && (offset + size) % kHole == 0 && IsZero(bytes.substr(size, kHole)) == is_hole) size += kHole;
        PADDOCK_TRY(is_hole ? skip(size) : write(bytes.substr(0, size)));
        bytes.remove_prefix(size);
        offset += size;
      }
      return {};
    };
    PADDOCK_TRY(reader.ReadContent(take, [&](uint64_t zeros) {
      offset += zeros;
      return skip(zeros);
    }));
    return ends_in_hole ? file.Truncate(entry.size) : Status();
  }

  // Whether the file is written, as a part of the extent. `bytes` is what of it came first.
  bool Place(const trees::TarEntry& entry, vfs::OpenFile& file, std::string_view bytes) {
    const vfs::Extent* const extent = limits_.extent.get();
    if (extent == nullptr || entry.is_sparse || entry.size < kLeastPart || IsZero(bytes.substr(0, kHole))) return false;
    const std::less<const char*> is_before;
    const char* const begin = extent->bytes.data();
    const char* const end = begin + extent->bytes.size();
    if (is_before(bytes.data(), begin) || is_before(end, bytes.data()) || static_cast<uint64_t>(end - bytes.data()) < entry.size) return false;
    auto* const takes = dynamic_cast<vfs::TakesExtents*>(&file);
    return takes != nullptr && takes->WriteExtent(limits_.extent, static_cast<uint64_t>(bytes.data() - begin), entry.size).has_value();
  }

  vfs::FileSystem& files_;
  const std::string root_;
  const UnpackLimits& limits_;
  Unpacked done_;
  std::string checked_;            // a directory on the way to which there is no symlink
  std::vector<Finish> finished_;   // directories, as they are to be in the end
};

}  // namespace

Result<Unpacked> Unpack(ByteSource& archive, vfs::FileSystem& files, const std::string& directory, const UnpackLimits& limits) {
  return Unpacker(files, directory, limits).Run(archive);
}

}  // namespace paddock::api
