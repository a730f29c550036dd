// The real kernel as the oracle: random calls on a directory of this machine and on a memory volume
// must give the same answers, errors included. Needs Linux; as root it also compares what another
// user may do.

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "vfs/host/beneath.h"
#include "vfs/host/host_file.h"
#include "vfs/host/host_volume_internal.h"
#include "vfs/host/temporary_directory.h"
#include "vfs/memory_volume.h"
#include "vfs/random_operations.h"
#include "vfs/test_clock.h"
#include "vfs/view.h"

namespace paddock::vfs {
namespace {

constexpr uid_t kUser = 1000;

Attributes Translate(const struct stat& found) {
  Attributes result;
  result.mode = found.st_mode & 07777;
  result.uid = found.st_uid;
  result.gid = found.st_gid;
  result.links = static_cast<uint32_t>(found.st_nlink);
  result.size = static_cast<uint64_t>(found.st_size);
  switch (found.st_mode & S_IFMT) {
    case S_IFDIR:
      result.type = FileType::kDirectory;
      break;
    case S_IFLNK:
      result.type = FileType::kSymlink;
      break;
    case S_IFIFO:
      result.type = FileType::kFifo;
      break;
    default:
      result.type = FileType::kFile;
      break;
  }
  return result;
}

// FileSystem by system calls on the process's own working directory.
class KernelFileSystem final : public FileSystem {
 public:
  Result<Attributes> Stat(std::string_view path, Follow follow) override {
    struct stat found;
    const std::string text(path);
    const int result =
        follow == Follow::kYes ? stat(text.c_str(), &found) : lstat(text.c_str(), &found);
    if (result != 0) return CodeOf(errno);
    return Translate(found);
  }
  Result<OpenFilePtr> Open(std::string_view path, const OpenFlags& flags, uint32_t mode) override {
    int bits = O_CLOEXEC | (flags.write ? (flags.read ? O_RDWR : O_WRONLY) : O_RDONLY);
    if (flags.append) bits |= O_APPEND;
    if (flags.create) bits |= O_CREAT;
    if (flags.exclusive) bits |= O_EXCL;
    if (flags.truncate) bits |= O_TRUNC;
    if (flags.directory) bits |= O_DIRECTORY;
    if (flags.no_follow) bits |= O_NOFOLLOW;
    if (flags.nonblocking) bits |= O_NONBLOCK;
    HostDescriptor file(open(std::string(path).c_str(), bits, mode));
    if (file.get() < 0) return CodeOf(errno);
    return OpenFilePtr(std::make_shared<HostFile>(std::move(file), flags, Translate));
  }
  Result<std::vector<DirectoryEntry>> List(std::string_view path) override {
    DIR* stream = opendir(std::string(path).c_str());
    if (stream == nullptr) return CodeOf(errno);
    std::vector<DirectoryEntry> entries;
    while (const dirent* entry = readdir(stream)) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      struct stat found = {};
      found.st_mode = DTTOIF(entry->d_type);
      entries.push_back({name, Translate(found).type, entry->d_ino});
    }
    closedir(stream);
    std::sort(entries.begin(), entries.end(),
              [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
    return entries;
  }
  Result<std::string> ReadLink(std::string_view path) override {
    char target[4096];
    const ssize_t length = readlink(std::string(path).c_str(), target, sizeof target);
    if (length < 0) return CodeOf(errno);
    return std::string(target, static_cast<size_t>(length));
  }
  Status MakeDirectory(std::string_view path, uint32_t mode) override {
    return Answer(mkdir(std::string(path).c_str(), mode));
  }
  Status MakeNode(std::string_view path, FileType, uint32_t mode, uint64_t) override {
    return Answer(mkfifo(std::string(path).c_str(), mode));
  }
  Status MakeSymlink(std::string_view target, std::string_view path) override {
    return Answer(symlink(std::string(target).c_str(), std::string(path).c_str()));
  }
  Status MakeLink(std::string_view existing, std::string_view path, Follow follow) override {
    return Answer(linkat(AT_FDCWD, std::string(existing).c_str(), AT_FDCWD,
                         std::string(path).c_str(),
                         follow == Follow::kYes ? AT_SYMLINK_FOLLOW : 0));
  }
  Status RemoveFile(std::string_view path) override {
    return Answer(unlink(std::string(path).c_str()));
  }
  Status RemoveDirectory(std::string_view path) override {
    return Answer(rmdir(std::string(path).c_str()));
  }
  Status Rename(std::string_view from, std::string_view to, bool exclusive) override {
    return Answer(renameat2(AT_FDCWD, std::string(from).c_str(), AT_FDCWD, std::string(to).c_str(),
                            exclusive ? RENAME_NOREPLACE : 0));
  }
  Status SetMode(std::string_view path, uint32_t mode, Follow) override {
    return Answer(chmod(std::string(path).c_str(), mode));
  }
  Status SetOwner(std::string_view, std::optional<uint32_t>, std::optional<uint32_t>,
                  Follow) override {
    return Code::kNotSupported;
  }
  Status SetTimes(std::string_view, std::optional<Nanoseconds>, std::optional<Nanoseconds>,
                  Follow) override {
    return Code::kNotSupported;
  }
  Status Truncate(std::string_view path, uint64_t size) override {
    return Answer(truncate(std::string(path).c_str(), static_cast<off_t>(size)));
  }
  Status Access(std::string_view path, uint32_t bits) override {
    return Answer(
        faccessat(AT_FDCWD, std::string(path).c_str(), static_cast<int>(bits), AT_EACCESS));
  }
  Result<std::string> Canonical(std::string_view, MustExist) override {
    return Code::kNotSupported;
  }
  Result<SpaceInfo> Space(std::string_view) override { return Code::kNotSupported; }
  const std::string& cwd() const override { return cwd_; }
  const Credentials& credentials() const override { return who_; }
  uint32_t umask() const override { return 022; }

 private:
  static Status Answer(int result) { return result == 0 ? Status{} : Status{CodeOf(errno)}; }
  std::string cwd_;
  Credentials who_;
};

void RemoveAll(FileSystem& fs, const std::string& path) {
  const auto found = fs.Stat(path, Follow::kNo);
  if (!found->is_directory()) {
    ASSERT_TRUE(fs.RemoveFile(path).has_value());
    return;
  }
  const auto entries = fs.List(path);
  for (const DirectoryEntry& entry : *entries) RemoveAll(fs, JoinPath(path, entry.name));
  ASSERT_TRUE(fs.RemoveDirectory(path).has_value());
}

// The directory of a test as the working directory, the umask and, for root, the effective user.
class KernelModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    old_cwd = std::filesystem::current_path();
    old_umask = ::umask(022);
    ASSERT_EQ(chmod(directory.Path().c_str(), 0755), 0);
    std::filesystem::create_directories(directory.Path("1/2/3/4/5/6/7"));
    ASSERT_EQ(chdir(directory.Path("1/2/3/4/5/6/7").c_str()), 0);
    if (is_root) {
      ASSERT_EQ(chown(".", kUser, kUser), 0);
    }
  }
  void TearDown() override {
    BecomeRoot();
    ::umask(old_umask);
    std::filesystem::current_path(old_cwd);
  }
  void BecomeUser() {
    if (!is_root) return;
    ASSERT_EQ(setegid(kUser), 0);
    ASSERT_EQ(seteuid(kUser), 0);
  }
  void BecomeRoot() {
    if (!is_root) return;
    ASSERT_EQ(seteuid(0), 0);
    ASSERT_EQ(setegid(0), 0);
  }
  // Without it anybody may link anything, which View never allows.
  static bool ProtectsHardLinks() {
    std::ifstream file("/proc/sys/fs/protected_hardlinks");
    int value = 0;
    file >> value;
    return value == 1;
  }

  const bool is_root = geteuid() == 0;
  TemporaryDirectory directory;
  std::filesystem::path old_cwd;
  mode_t old_umask = 022;
  TestClock clock;
};

TEST_F(KernelModelTest, MemoryVolumeAnswersLikeTheKernel) {
  const Credentials who = is_root ? Credentials{kUser, kUser} : Credentials{geteuid(), getegid()};
  auto volume = std::make_shared<MemoryVolume>(clock, Quota{});
  Scheduler scheduler(clock);
  volume->set_scheduler(&scheduler);
  Namespace names(volume);
  View root(names, clock, Credentials{0, 0}, 022);
  ASSERT_TRUE(MakeDirectories(root, "/1/2/3/4/5/6/7").has_value());
  ASSERT_TRUE(root.SetOwner("/1/2/3/4/5/6/7", who.uid, who.gid).has_value());
  ASSERT_TRUE(root.ChangeDirectory("/1/2/3/4/5/6/7").has_value());
  View user(names, clock, who, 022);
  ASSERT_TRUE(user.ChangeDirectory("/1/2/3/4/5/6/7").has_value());
  KernelFileSystem kernel;
  const bool links_foreign = ProtectsHardLinks();
  // --gtest_shuffle --gtest_random_seed=N tries others.
  const int seed = ::testing::UnitTest::GetInstance()->random_seed();
  RandomOperations operations(20 + static_cast<uint32_t>(seed));
  for (int step = 0; step < 60'000; ++step) {
    const Operation operation = operations.Next();
    const bool as_root = is_root && operations.Below(8) == 0;
    if (operation.kind == Operation::kMakeLink && !as_root && !links_foreign) continue;
    if (!as_root) BecomeUser();
    const std::string expected = Perform(kernel, operation);
    if (!as_root) BecomeRoot();
    ASSERT_EQ(Perform(as_root ? root : user, operation), expected)
        << "step " << step << (as_root ? " as root: " : ": ") << Describe(operation);
    if (step % 1000 == 0 && is_root) {
      ASSERT_EQ(Dump(root, "."), Dump(kernel, ".")) << "step " << step;
      // Start over now and then, or locked directories fill the tree.
      const auto entries = root.List(".");
      for (const DirectoryEntry& entry : *entries) {
        std::filesystem::remove_all(entry.name);
        RemoveAll(root, entry.name);
      }
    }
  }
}

TEST_F(KernelModelTest, HostVolumeAnswersLikeMemoryVolume) {
  for (const bool uses_openat2 : {true, false}) {
    TemporaryDirectory inside;
    if (is_root) {
      ASSERT_EQ(chown(inside.Path().c_str(), kUser, kUser), 0);
    }
    ASSERT_EQ(chmod(inside.Path().c_str(), 0755), 0);
    const Credentials who{1000, 1000};
    Namespace host_names(
        *MakeHostVolumeWith(inside.Path(), HostAccess::kReadWrite, who, uses_openat2, HostMemory::kOneTick));
    Namespace memory_names(std::make_shared<MemoryVolume>(clock, Quota{}));
    View host(host_names, clock, who, 022);
    View memory(memory_names, clock, who, 022);
    View root(memory_names, clock, Credentials{0, 0}, 022);
    ASSERT_TRUE(root.SetOwner("/", who.uid, who.gid).has_value());
    RandomOperations operations(5);
    for (int step = 0; step < 5000; ++step) {
      Operation operation = operations.Next();
      operation.mode &= 0777;
      // What only a memory volume has, and locked directories, which stop us if we are not root.
      if (operation.kind == Operation::kMakeFifo || operation.kind == Operation::kSetMode) continue;
      if (!is_root) operation.mode |= 0700;
      ASSERT_EQ(Perform(host, operation), Perform(memory, operation))
          << "step " << step << ": " << Describe(operation);
      if (step % 500 == 0) {
        ASSERT_EQ(Dump(host, "/"), Dump(memory, "/"));
      }
    }
  }
}

}  // namespace
}  // namespace paddock::vfs
