#include "commands/data/sqlite_files.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "base/random.h"
#include "proc/kernel.h"
#include "proc/process.h"

namespace paddock::data {
namespace {

constexpr size_t kChunk = 64 << 10;
constexpr int kMaxPath = 512;

// The index of a write-ahead log, shared by all who have the database open.
struct LogIndex {
  std::vector<std::unique_ptr<char[]>> regions;
};

// The descriptor of an open database: the file, and what this process has locked of it.
class LockedFile final : public vfs::OpenFile {
 public:
  LockedFile(vfs::OpenFilePtr file, const vfs::Attributes& attributes) : file_(std::move(file)), attributes_(attributes) {}

  Result<Block> ReadBlock(size_t max) override { return file_->ReadBlock(max); }
  void GiveBack(size_t count) override { file_->GiveBack(count); }
  Status Write(std::string_view bytes) override { return file_->Write(bytes); }
  Result<uint64_t> Seek(int64_t offset, vfs::Whence whence) override { return file_->Seek(offset, whence); }
  Result<vfs::Attributes> GetAttributes() const override { return file_->GetAttributes(); }
  Status Truncate(uint64_t size) override { return file_->Truncate(size); }
  bool is_readable() const override { return file_->is_readable(); }
  bool is_writable() const override { return file_->is_writable(); }
  std::string description() const override { return file_->description(); }
  void set_path(std::string path) override { file_->set_path(std::move(path)); }

  bool IsOf(const vfs::Attributes& other) const {
    return attributes_.inode == other.inode && attributes_.device == other.device;
  }
  const vfs::Attributes& attributes() const { return attributes_; }

  int level = SQLITE_LOCK_NONE;
  std::shared_ptr<LogIndex> index;
  std::array<int, SQLITE_SHM_NLOCK> index_locks{};   // 0, SQLITE_SHM_SHARED or SQLITE_SHM_EXCLUSIVE

 private:
  vfs::OpenFilePtr file_;
  vfs::Attributes attributes_;
};

// Bytes in pieces, so that growing copies nothing.
class MemoryBytes {
 public:
  size_t size() const { return size_; }
  size_t Read(size_t at, char* to, size_t count) const {
    if (at >= size_) return 0;
    count = std::min(count, size_ - at);
    for (size_t done = 0; done < count;) {
      const size_t part = std::min(count - done, kChunk - (at + done) % kChunk);
      std::memcpy(to + done, chunks_[(at + done) / kChunk].get() + (at + done) % kChunk, part);
      done += part;
    }
    return count;
  }
  void Write(size_t at, const char* from, size_t count) {
    while (chunks_.size() * kChunk < at + count) chunks_.push_back(std::make_unique<char[]>(kChunk));
    for (size_t done = 0; done < count;) {
      const size_t part = std::min(count - done, kChunk - (at + done) % kChunk);
      std::memcpy(chunks_[(at + done) / kChunk].get() + (at + done) % kChunk, from + done, part);
      done += part;
    }
    size_ = std::max(size_, at + count);
  }
  void Truncate(size_t size) {
    if (size >= size_) return;
    size_ = size;
    chunks_.resize((size + kChunk - 1) / kChunk);
    if (size % kChunk != 0) std::memset(chunks_.back().get() + size % kChunk, 0, kChunk - size % kChunk);
  }

 private:
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t size_ = 0;
};

int CodeOf(const Error& error, int otherwise) {
  return error.code == Code::kNoSpace || error.code == Code::kQuota ? SQLITE_FULL : otherwise;
}

// One open file of SQLite.
class File {
 public:
  File(SqliteFiles& files, std::string path) : files_(files), path_(std::move(path)) {}
  bool keeps_log = false, is_powersafe = true;

  ~File() {
    if (descriptor_ >= 0) files_.in().process.descriptors().Close(descriptor_);
    if (locked_ == nullptr) return;
    locked_->level = SQLITE_LOCK_NONE;   // a child may still have the descriptor
    locked_->index_locks = {};
    locked_->index = nullptr;
  }

  // Opens the path; what is in *out is what the caller gets to know.
  int Open(int flags, int* out) {
    vfs::FileSystem& fs = files_.in().fs;
    const auto is_not_a_file = [&] {
      const auto found = fs.Stat(path_);
      return found && !found->is_file();
    };
    if (is_not_a_file()) return SQLITE_CANTOPEN;
    vfs::OpenFlags open = vfs::OpenFlags::Read();
    open.write = (flags & SQLITE_OPEN_READWRITE) != 0;
    open.create = (flags & SQLITE_OPEN_CREATE) != 0;
    open.exclusive = (flags & SQLITE_OPEN_EXCLUSIVE) != 0 && open.create;
    open.no_follow = (flags & SQLITE_OPEN_NOFOLLOW) != 0;
    auto opened = fs.Open(path_, open, ModeFor(flags));
    if (!opened && open.write && !open.exclusive) {
      open.write = open.create = false;
      opened = fs.Open(path_, open);
      flags = (flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)) | SQLITE_OPEN_READONLY;
    }
    if (!opened) return SQLITE_CANTOPEN;
    const auto attributes = (*opened)->GetAttributes();
    if (!attributes || !attributes->is_file()) return SQLITE_CANTOPEN;
    if ((flags & SQLITE_OPEN_MAIN_DB) != 0) {
      locked_ = std::make_shared<LockedFile>(*opened, *attributes);
      descriptor_ = files_.in().process.descriptors().LowestFree(3);
      if (descriptor_ < 0) return SQLITE_CANTOPEN;
      files_.in().process.descriptors().Set(descriptor_, locked_, true);
    }
    file_ = *opened;
    deletes_ = (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
    if (out != nullptr) *out = flags;
    return SQLITE_OK;
  }

  void DeleteIfTemporary() {
    if (deletes_ && !path_.empty()) static_cast<void>(files_.in().fs.RemoveFile(path_));
  }

  int Read(char* to, size_t count, uint64_t at) {
    size_t got = 0;
    if (file_ == nullptr) {
      got = memory_.Read(at, to, count);
    } else {
      if (!file_->Seek(static_cast<int64_t>(at), vfs::Whence::kStart)) return SQLITE_IOERR_SEEK;
      while (got < count) {
        const auto block = file_->ReadBlock(count - got);
        if (!block) return SQLITE_IOERR_READ;
        if (block->bytes.empty()) break;
        std::memcpy(to + got, block->bytes.data(), block->bytes.size());
        got += block->bytes.size();
      }
    }
    if (got == count) return SQLITE_OK;
    std::memset(to + got, 0, count - got);
    return SQLITE_IOERR_SHORT_READ;
  }

  int Write(const char* from, size_t count, uint64_t at) {
    if (file_ == nullptr) {
      memory_.Write(at, from, count);
      return SQLITE_OK;
    }
    if (!file_->Seek(static_cast<int64_t>(at), vfs::Whence::kStart)) return SQLITE_IOERR_SEEK;
    const Status status = file_->Write({from, count});
    return status ? SQLITE_OK : CodeOf(status.error(), SQLITE_IOERR_WRITE);
  }

  int Truncate(uint64_t size) {
    if (file_ == nullptr) {
      memory_.Truncate(size);
      return SQLITE_OK;
    }
    const Status status = file_->Truncate(size);
    return status ? SQLITE_OK : CodeOf(status.error(), SQLITE_IOERR_TRUNCATE);
  }

  int Size(sqlite3_int64* size) const {
    if (file_ == nullptr) {
      *size = static_cast<sqlite3_int64>(memory_.size());
      return SQLITE_OK;
    }
    const auto attributes = file_->GetAttributes();
    if (!attributes) return SQLITE_IOERR_FSTAT;
    *size = static_cast<sqlite3_int64>(attributes->size);
    return SQLITE_OK;
  }

  int Lock(int level) {
    if (locked_ == nullptr || locked_->level >= level) return SQLITE_OK;
    const int highest = HighestOfOthers();
    if (level == SQLITE_LOCK_SHARED) {
      if (highest >= SQLITE_LOCK_PENDING) return SQLITE_BUSY;
    } else if (highest >= SQLITE_LOCK_RESERVED) {
      return SQLITE_BUSY;
    } else if (level == SQLITE_LOCK_EXCLUSIVE && highest >= SQLITE_LOCK_SHARED) {
      locked_->level = SQLITE_LOCK_PENDING;   // nobody else starts to read
      return SQLITE_BUSY;
    }
    locked_->level = level;
    return SQLITE_OK;
  }

  void Unlock(int level) {
    if (locked_ != nullptr && locked_->level > level) locked_->level = level;
  }

  bool IsReserved() const {
    return locked_ != nullptr && (locked_->level >= SQLITE_LOCK_RESERVED || HighestOfOthers() >= SQLITE_LOCK_RESERVED);
  }

  int MapIndex(size_t region, size_t size, bool extends, void volatile** to) {
    *to = nullptr;
    if (locked_ == nullptr) return SQLITE_IOERR_SHMMAP;
    if (locked_->index == nullptr) {
      ForEachOther([&](const LockedFile& other) {
        if (other.index != nullptr) locked_->index = other.index;
      });
      if (locked_->index == nullptr) locked_->index = std::make_shared<LogIndex>();
    }
    auto& regions = locked_->index->regions;
    if (region >= regions.size() && !extends) return SQLITE_OK;
    while (regions.size() <= region) regions.push_back(std::make_unique<char[]>(size));
    *to = regions[region].get();
    return SQLITE_OK;
  }

  int LockIndex(size_t from, size_t count, int flags) {
    if (locked_ == nullptr) return SQLITE_IOERR_SHMLOCK;
    const int kind = (flags & SQLITE_SHM_SHARED) != 0 ? SQLITE_SHM_SHARED : SQLITE_SHM_EXCLUSIVE;
    if ((flags & SQLITE_SHM_LOCK) != 0) {
      bool is_busy = false;
      ForEachOther([&](const LockedFile& other) {
        for (size_t i = from; i < from + count; ++i) {
          if (other.index_locks[i] == SQLITE_SHM_EXCLUSIVE || (other.index_locks[i] != 0 && kind == SQLITE_SHM_EXCLUSIVE)) {
            is_busy = true;
          }
        }
      });
      if (is_busy) return SQLITE_BUSY;
    }
    for (size_t i = from; i < from + count; ++i) locked_->index_locks[i] = (flags & SQLITE_SHM_LOCK) != 0 ? kind : 0;
    return SQLITE_OK;
  }

  void UnmapIndex() {
    if (locked_ == nullptr) return;
    locked_->index = nullptr;
    locked_->index_locks = {};
  }

  bool HasMoved() const {
    if (locked_ == nullptr) return false;
    const auto found = files_.in().fs.Stat(path_);
    return !found || !locked_->IsOf(*found);
  }

  SqliteFiles& files() { return files_; }

 private:
  // A journal gets the mode of its database, whose name it has with something behind.
  uint32_t ModeFor(int flags) const {
    constexpr uint32_t kUsual = 0644;
    if ((flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL)) == 0) return kUsual;
    const auto database = files_.in().fs.Stat(path_.substr(0, path_.rfind('-')));
    return database ? database->mode & 0777 : kUsual;
  }

  template <class Visit>
  void ForEachOther(Visit&& visit) const {
    for (proc::Process* process : files_.in().kernel.List()) {
      for (const auto& entry : process->descriptors().entries()) {
        const auto* other = dynamic_cast<const LockedFile*>(entry.file.get());
        if (other != nullptr && other != locked_.get() && other->IsOf(locked_->attributes())) visit(*other);
      }
    }
  }

  int HighestOfOthers() const {
    int highest = SQLITE_LOCK_NONE;
    ForEachOther([&](const LockedFile& other) { highest = std::max(highest, other.level); });
    return highest;
  }

  SqliteFiles& files_;
  std::string path_;
  vfs::OpenFilePtr file_;   // null: memory_
  MemoryBytes memory_;
  std::shared_ptr<LockedFile> locked_;
  int descriptor_ = -1;
  bool deletes_ = false;
};

struct Handle {
  sqlite3_file base;
  File* file;
};

File& FileOf(sqlite3_file* handle) { return *reinterpret_cast<Handle*>(handle)->file; }

template <class Body>
int Guarded(sqlite3_file* handle, int otherwise, Body&& body) {
  File& file = FileOf(handle);
  return file.files().guard().Call(otherwise, [&] { return body(file); });
}

int Close(sqlite3_file* handle) {
  const std::unique_ptr<File> file(&FileOf(handle));
  static_cast<void>(file->files().guard().Call(SQLITE_OK, [&] {
    file->DeleteIfTemporary();
    return SQLITE_OK;
  }));
  return SQLITE_OK;
}

int Read(sqlite3_file* handle, void* to, int count, sqlite3_int64 at) {
  return Guarded(handle, SQLITE_IOERR_READ, [&](File& file) {
    return file.Read(static_cast<char*>(to), static_cast<size_t>(count), static_cast<uint64_t>(at));
  });
}

int Write(sqlite3_file* handle, const void* from, int count, sqlite3_int64 at) {
  return Guarded(handle, SQLITE_IOERR_WRITE, [&](File& file) {
    return file.Write(static_cast<const char*>(from), static_cast<size_t>(count), static_cast<uint64_t>(at));
  });
}

int Truncate(sqlite3_file* handle, sqlite3_int64 size) {
  return Guarded(handle, SQLITE_IOERR_TRUNCATE, [&](File& file) { return file.Truncate(static_cast<uint64_t>(size)); });
}

int Sync(sqlite3_file*, int) { return SQLITE_OK; }

int Size(sqlite3_file* handle, sqlite3_int64* size) {
  return Guarded(handle, SQLITE_IOERR_FSTAT, [&](File& file) { return file.Size(size); });
}

int Lock(sqlite3_file* handle, int level) {
  return Guarded(handle, SQLITE_IOERR_LOCK, [&](File& file) { return file.Lock(level); });
}

int Unlock(sqlite3_file* handle, int level) {
  FileOf(handle).Unlock(level);
  return SQLITE_OK;
}

int IsReserved(sqlite3_file* handle, int* answer) {
  *answer = 0;
  return Guarded(handle, SQLITE_IOERR_CHECKRESERVEDLOCK, [&](File& file) {
    *answer = file.IsReserved() ? 1 : 0;
    return SQLITE_OK;
  });
}

int Control(sqlite3_file* handle, int what, void* argument) {
  if (what == SQLITE_FCNTL_PERSIST_WAL || what == SQLITE_FCNTL_POWERSAFE_OVERWRITE) {   // settings that SQLite asks for again
    return Guarded(handle, SQLITE_IOERR, [&](File& file) {
      int& value = *static_cast<int*>(argument);
      bool& setting = what == SQLITE_FCNTL_PERSIST_WAL ? file.keeps_log : file.is_powersafe;
      if (value < 0) value = setting ? 1 : 0;
      else setting = value != 0;
      return SQLITE_OK;
    });
  }
  if (what != SQLITE_FCNTL_HAS_MOVED) return SQLITE_NOTFOUND;
  return Guarded(handle, SQLITE_IOERR, [&](File& file) {
    *static_cast<int*>(argument) = file.HasMoved() ? 1 : 0;
    return SQLITE_OK;
  });
}

int SectorSize(sqlite3_file*) { return 4096; }

int Characteristics(sqlite3_file* handle) {
  return Guarded(handle, 0, [](File& file) { return file.is_powersafe ? SQLITE_IOCAP_POWERSAFE_OVERWRITE : 0; });
}

int MapIndex(sqlite3_file* handle, int region, int size, int extends, void volatile** to) {
  return Guarded(handle, SQLITE_IOERR_SHMMAP, [&](File& file) {
    return file.MapIndex(static_cast<size_t>(region), static_cast<size_t>(size), extends != 0, to);
  });
}

int LockIndex(sqlite3_file* handle, int from, int count, int flags) {
  return Guarded(handle, SQLITE_IOERR_SHMLOCK, [&](File& file) {
    return file.LockIndex(static_cast<size_t>(from), static_cast<size_t>(count), flags);
  });
}

void IndexBarrier(sqlite3_file*) {}

int UnmapIndex(sqlite3_file* handle, int) {
  FileOf(handle).UnmapIndex();
  return SQLITE_OK;
}

constexpr sqlite3_io_methods kMethods = {
    .iVersion = 2,
    .xClose = Close,
    .xRead = Read,
    .xWrite = Write,
    .xTruncate = Truncate,
    .xSync = Sync,
    .xFileSize = Size,
    .xLock = Lock,
    .xUnlock = Unlock,
    .xCheckReservedLock = IsReserved,
    .xFileControl = Control,
    .xSectorSize = SectorSize,
    .xDeviceCharacteristics = Characteristics,
    .xShmMap = MapIndex,
    .xShmLock = LockIndex,
    .xShmBarrier = IndexBarrier,
    .xShmUnmap = UnmapIndex,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

SqliteFiles& FilesOf(sqlite3_vfs* vfs) { return *static_cast<SqliteFiles*>(vfs->pAppData); }

int OpenPath(sqlite3_vfs* vfs, const char* path, sqlite3_file* handle, int flags, int* out) {
  SqliteFiles& files = FilesOf(vfs);
  handle->pMethods = nullptr;
  return files.guard().Call(SQLITE_CANTOPEN, [&]() -> int {
    auto file = std::make_unique<File>(files, path == nullptr ? "" : path);
    if (path != nullptr) {
      if (const int code = file->Open(flags, out); code != SQLITE_OK) return code;
    } else if (out != nullptr) {
      *out = flags;
    }
    reinterpret_cast<Handle*>(handle)->file = file.release();
    handle->pMethods = &kMethods;
    return SQLITE_OK;
  });
}

int Delete(sqlite3_vfs* vfs, const char* path, int) {
  SqliteFiles& files = FilesOf(vfs);
  return files.guard().Call(SQLITE_IOERR_DELETE, [&]() -> int {
    const Status status = files.in().fs.RemoveFile(path);
    if (status) return SQLITE_OK;
    return status.error().code == Code::kNoEntry ? SQLITE_IOERR_DELETE_NOENT : SQLITE_IOERR_DELETE;
  });
}

int Access(sqlite3_vfs* vfs, const char* path, int what, int* answer) {
  SqliteFiles& files = FilesOf(vfs);
  *answer = 0;
  return files.guard().Call(SQLITE_IOERR_ACCESS, [&]() -> int {
    if (what == SQLITE_ACCESS_EXISTS) {
      const auto found = files.in().fs.Stat(path);
      *answer = found && (!found->is_file() || found->size > 0) ? 1 : 0;
    } else {
      *answer = files.in().fs.Access(path, 6) ? 1 : 0;
    }
    return SQLITE_OK;
  });
}

int FullPath(sqlite3_vfs* vfs, const char* path, int size, char* to) {
  SqliteFiles& files = FilesOf(vfs);
  return files.guard().Call(SQLITE_CANTOPEN, [&]() -> int {
    const auto link = files.in().fs.Stat(path, vfs::Follow::kNo);
    const auto full = files.in().fs.Canonical(path, vfs::FileSystem::MustExist::kNone);
    if (!full || full->size() + 1 > static_cast<size_t>(size)) return SQLITE_CANTOPEN;
    std::memcpy(to, full->c_str(), full->size() + 1);
    return link && link->is_symlink() ? SQLITE_OK_SYMLINK : SQLITE_OK;
  });
}

void* OpenLibrary(sqlite3_vfs*, const char*) { return nullptr; }

void LibraryError(sqlite3_vfs*, int size, char* to) {
  if (size > 0) *to = '\0';
}

void (*FindSymbol(sqlite3_vfs*, void*, const char*))() { return nullptr; }

void CloseLibrary(sqlite3_vfs*, void*) {}

int Randomness(sqlite3_vfs*, int size, char* to) {
  FillRandom({reinterpret_cast<uint8_t*>(to), static_cast<size_t>(size)});
  return size;
}

int Sleep(sqlite3_vfs* vfs, int microseconds) {
  SqliteFiles& files = FilesOf(vfs);
  return files.guard().Call(0, [&] {
    Invocation& in = files.in();
    static_cast<void>(
        in.kernel.Sleep(in.process, in.clock.MonotonicNow() + std::chrono::microseconds(std::max(microseconds, 0))));
    return microseconds;
  });
}

// Milliseconds since the Julian epoch, noon of 4714-11-24 BC.
int Now(sqlite3_vfs* vfs, sqlite3_int64* to) {
  constexpr sqlite3_int64 kUnixEpoch = 24405875 * sqlite3_int64{8640000};
  *to = kUnixEpoch + std::chrono::duration_cast<std::chrono::milliseconds>(FilesOf(vfs).in().clock.RealNow()).count();
  return SQLITE_OK;
}

int NowInDays(sqlite3_vfs* vfs, double* to) {
  sqlite3_int64 milliseconds = 0;
  const int code = Now(vfs, &milliseconds);
  *to = static_cast<double>(milliseconds) / 86400000.0;
  return code;
}

int LastError(sqlite3_vfs*, int, char*) { return 0; }

std::string NewName() {
  std::array<uint8_t, 16> bytes{};
  FillRandom(bytes);
  std::string name = "tree-";
  for (const uint8_t byte : bytes) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

SqliteFiles::SqliteFiles(Invocation& in, SqliteGuard& guard) : in_(in), guard_(guard), name_(NewName()) {
  vfs_ = {
      .iVersion = 2,
      .szOsFile = sizeof(Handle),
      .mxPathname = kMaxPath,
      .pNext = nullptr,
      .zName = name_.c_str(),
      .pAppData = this,
      .xOpen = OpenPath,
      .xDelete = Delete,
      .xAccess = Access,
      .xFullPathname = FullPath,
      .xDlOpen = OpenLibrary,
      .xDlError = LibraryError,
      .xDlSym = FindSymbol,
      .xDlClose = CloseLibrary,
      .xRandomness = Randomness,
      .xSleep = Sleep,
      .xCurrentTime = NowInDays,
      .xGetLastError = LastError,
      .xCurrentTimeInt64 = Now,
      .xSetSystemCall = nullptr,
      .xGetSystemCall = nullptr,
      .xNextSystemCall = nullptr,
  };
  sqlite3_vfs_register(&vfs_, 0);
}

SqliteFiles::~SqliteFiles() { sqlite3_vfs_unregister(&vfs_); }

bool SqliteFiles::IsAllowedName(std::string_view database) {
  if (!database.starts_with("file:")) return true;
  std::string plain;
  for (size_t i = 0; i < database.size(); ++i) {
    if (database[i] == '%' && i + 2 < database.size() && HexValue(database[i + 1]) >= 0 && HexValue(database[i + 2]) >= 0) {
      plain += static_cast<char>(HexValue(database[i + 1]) * 16 + HexValue(database[i + 2]));
      i += 2;
    } else {
      plain += database[i];
    }
  }
  // Where a parameter begins is SQLite's to say: the word anywhere behind the path is refused.
  const size_t query = plain.find('?');
  return query == std::string::npos || plain.find("vfs", query) == std::string::npos;
}

}  // namespace paddock::data
