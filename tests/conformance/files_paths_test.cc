// FileSystem's conformance: names, kinds, attributes, and the errors of each operation.
#include "files_home.h"

namespace paddock::conformance {
namespace {

using vfs::FileType;
using vfs::Follow;
using MustExist = vfs::FileSystem::MustExist;

class FilesPaths : public FilesTest {};

std::vector<std::string> Names(const std::vector<vfs::DirectoryEntry>& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

TEST_P(FilesPaths, StatTellsWhatAFileIs) {
  Put("f", "12345");
  ASSERT_OK(files().SetMode(At("f"), 0640));
  const auto file = files().Stat(At("f"));
  ASSERT_OK(file);
  EXPECT_TRUE(file->is_file());
  EXPECT_EQ(file->mode, 0640u);
  EXPECT_EQ(file->size, 5u);
  EXPECT_EQ(file->links, 1u);
  EXPECT_EQ(file->uid, files().credentials().uid);
  EXPECT_EQ(file->gid, files().credentials().gid);
  EXPECT_GT(file->modify_time.count(), 0);
  EXPECT_GT(file->change_time.count(), 0);
  const auto folder = files().Stat(home_->root());
  ASSERT_OK(folder);
  EXPECT_TRUE(folder->is_directory());
  EXPECT_NE(folder->inode, file->inode);
  const auto null = files().Stat("/dev/null");
  ASSERT_OK(null);
  EXPECT_EQ(null->type, FileType::kCharDevice);
  EXPECT_EQ(null->special, 0x103u);
}

TEST_P(FilesPaths, PathsThatNameNothing) {
  Put("f", "x");
  EXPECT_CODE(files().Stat(""), Code::kNoEntry);
  EXPECT_CODE(files().Stat(At("none")), Code::kNoEntry);
  EXPECT_CODE(files().Stat(At("f/below")), Code::kNotDirectory);
  EXPECT_CODE(files().Stat(At("f/")), Code::kNotDirectory);
  EXPECT_CODE(files().Stat(std::string_view("/a\0b", 4)), Code::kInvalid);
  EXPECT_CODE(files().Stat("/" + std::string(5000, 'x')), Code::kNameTooLong);
  EXPECT_CODE(files().Stat(At(std::string(256, 'x'))), Code::kNameTooLong);
  EXPECT_TRUE(files().Stat(At(std::string(255, 'x'))).error().message.empty()) << "commands add the path in their own wording";
  EXPECT_CODE(files().MakeDirectory(""), Code::kNoEntry);
  EXPECT_CODE(files().Rename("", At("to")), Code::kNoEntry);
  EXPECT_CODE(files().Rename(At("f"), ""), Code::kNoEntry);
}

TEST_P(FilesPaths, RelativePathsStartAtTheWorkingDirectory) {
  EXPECT_TRUE(files().cwd().starts_with('/'));
  const auto here = files().Stat(".");
  const auto same = files().Stat(files().cwd());
  ASSERT_OK(here);
  ASSERT_OK(same);
  EXPECT_EQ(here->inode, same->inode);
}

TEST_P(FilesPaths, DirectoriesAreListedSortedAndWithTheirTypes) {
  Put("b", "");
  Put("a", "");
  ASSERT_OK(files().MakeDirectory(At("c")));
  ASSERT_OK(files().MakeSymlink("nowhere", At("B")));
  const auto entries = files().List(home_->root());
  ASSERT_OK(entries);
  EXPECT_EQ(Names(*entries), (std::vector<std::string>{"B", "a", "b", "c"}));
  EXPECT_EQ((*entries)[0].type, FileType::kSymlink);
  EXPECT_EQ((*entries)[1].type, FileType::kFile);
  EXPECT_EQ((*entries)[3].type, FileType::kDirectory);
  EXPECT_EQ((*entries)[1].inode, files().Stat(At("a"))->inode);
  EXPECT_CODE(files().List(At("none")), Code::kNoEntry);
  EXPECT_CODE(files().List(At("a")), Code::kNotDirectory);
  EXPECT_CODE(files().List(""), Code::kNoEntry);
}

TEST_P(FilesPaths, ALargeDirectoryIsListedWhole) {
  const int kCount = home_->is_by_tools() ? 200 : 2000;   // each is made by starting several programs
  for (int i = 0; i < kCount; ++i) Put("name-" + std::to_string(i) + std::string(100, 'x'), "");
  const auto entries = files().List(home_->root());
  ASSERT_OK(entries);
  EXPECT_EQ(entries->size(), static_cast<size_t>(kCount));
}

TEST_P(FilesPaths, NamesAreBytes) {
  // Not UTF-8, control characters, what shells and terminals take for something else.
  const std::string names[] = {"\xff\xfe",   "a\nb", "\x1b[2J",      "-rf", "*",        "sp ace",
                               "back\\slash", "'\"", "\xe2\x80\xae", "...", "\x01\x7f", std::string(255, '\xe4')};
  for (const std::string& name : names) Put(name, name);
  const auto entries = files().List(home_->root());
  ASSERT_OK(entries);
  EXPECT_EQ(entries->size(), std::size(names));
  for (const std::string& name : names) {
    EXPECT_EQ(Get(name), name);
    ASSERT_OK(files().MakeSymlink(name, At("link")));
    EXPECT_EQ(*files().ReadLink(At("link")), name);
    EXPECT_EQ(*files().Canonical(At("link")), At(name));
    ASSERT_OK(files().RemoveFile(At("link")));
    ASSERT_OK(files().RemoveFile(At(name)));
  }
}

TEST_P(FilesPaths, DirectoriesAreMadeAndRemoved) {
  ASSERT_OK(files().MakeDirectory(At("d"), 0777));
  EXPECT_EQ(files().Stat(At("d"))->mode, 0777u & ~files().umask());
  ASSERT_OK(files().MakeDirectory(At("private"), 0700));
  EXPECT_EQ(files().Stat(At("private"))->mode, 0700u);
  EXPECT_CODE(files().MakeDirectory(At("d")), Code::kExists);
  EXPECT_CODE(files().MakeDirectory(At("none/d")), Code::kNoEntry);
  ASSERT_OK(files().MakeDirectory(At("d/slash/")));
  EXPECT_CODE(files().RemoveDirectory(At("d")), Code::kNotEmpty);
  EXPECT_CODE(files().RemoveFile(At("d")), Code::kIsDirectory);
  ASSERT_OK(files().RemoveDirectory(At("d/slash")));
  EXPECT_CODE(files().RemoveDirectory(At("d/.")), Code::kInvalid);
  EXPECT_CODE(files().RemoveDirectory(At("d/..")), Code::kNotEmpty);
  ASSERT_OK(files().RemoveDirectory(At("d")));
  EXPECT_CODE(files().RemoveDirectory(At("d")), Code::kNoEntry);
  Put("f", "");
  EXPECT_CODE(files().RemoveDirectory(At("f")), Code::kNotDirectory);
  ASSERT_OK(files().RemoveFile(At("f")));
  EXPECT_CODE(files().RemoveFile(At("f")), Code::kNoEntry);
  ASSERT_OK(vfs::MakeDirectories(files(), At("x/y/z")));
  EXPECT_TRUE(files().Stat(At("x/y/z"))->is_directory());
}

TEST_P(FilesPaths, SymlinksAreFollowedWhereTheOperationSaysSo) {
  Put("f", "content");
  ASSERT_OK(files().MakeDirectory(At("d")));
  ASSERT_OK(files().MakeSymlink("f", At("link")));
  ASSERT_OK(files().MakeSymlink("d", At("dlink")));
  ASSERT_OK(files().MakeSymlink("nowhere", At("dangling")));
  ASSERT_OK(files().MakeSymlink("loop", At("loop")));
  EXPECT_TRUE(files().Stat(At("link"))->is_file());
  EXPECT_TRUE(files().Stat(At("link"), Follow::kNo)->is_symlink());
  EXPECT_EQ(files().Stat(At("link"), Follow::kNo)->size, 1u);
  EXPECT_TRUE(files().Stat(At("dlink/"), Follow::kNo)->is_directory());
  EXPECT_CODE(files().Stat(At("dangling")), Code::kNoEntry);
  EXPECT_CODE(files().Stat(At("loop")), Code::kLoop);
  EXPECT_EQ(*files().ReadLink(At("dangling")), "nowhere");
  EXPECT_CODE(files().ReadLink(At("f")), Code::kInvalid);
  EXPECT_CODE(files().ReadLink(At("none")), Code::kNoEntry);
  EXPECT_CODE(files().MakeSymlink("x", At("f")), Code::kExists);
  EXPECT_CODE(files().MakeSymlink("", At("empty")), Code::kNoEntry);
  EXPECT_CODE(files().MakeSymlink(std::string(4096, 'x'), At("long")), Code::kNameTooLong);
  EXPECT_CODE(files().MakeSymlink(std::string_view("a\0b", 3), At("nul")), Code::kInvalid);
  const std::string longest(4095, 'x');
  ASSERT_OK(files().MakeSymlink(longest, At("long")));
  EXPECT_EQ(*files().ReadLink(At("long")), longest);
  EXPECT_CODE(files().SetMode(At("link"), 0600, Follow::kNo), Code::kNotSupported);
  ASSERT_OK(files().SetMode(At("link"), 0600));
  EXPECT_EQ(files().Stat(At("f"))->mode, 0600u);
  ASSERT_OK(files().RemoveFile(At("link")));
  EXPECT_EQ(Get("f"), "content");
  EXPECT_CODE(files().RemoveDirectory(At("dlink")), Code::kNotDirectory);
}

TEST_P(FilesPaths, HardLinksShareOneFile) {
  Put("f", "one");
  ASSERT_OK(files().MakeSymlink("f", At("s")));
  ASSERT_OK(files().MakeLink(At("f"), At("g")));
  EXPECT_EQ(files().Stat(At("g"))->links, 2u);
  EXPECT_EQ(files().Stat(At("f"))->inode, files().Stat(At("g"))->inode);
  Put("g", "two");
  EXPECT_EQ(Get("f"), "two");
  ASSERT_OK(files().MakeLink(At("s"), At("of-link")));
  EXPECT_TRUE(files().Stat(At("of-link"), Follow::kNo)->is_symlink());
  ASSERT_OK(files().MakeLink(At("s"), At("of-file"), Follow::kYes));
  EXPECT_TRUE(files().Stat(At("of-file"), Follow::kNo)->is_file());
  EXPECT_CODE(files().MakeLink(At("f"), At("g")), Code::kExists);
  EXPECT_CODE(files().MakeLink(At("none"), At("h")), Code::kNoEntry);
  ASSERT_OK(files().MakeDirectory(At("d")));
  EXPECT_CODE(files().MakeLink(At("d"), At("h")), Code::kNotPermitted);
}

TEST_P(FilesPaths, RenameReplacesAndRefusesAsTheSystemCall) {
  Put("a", "a");
  Put("b", "b");
  ASSERT_OK(files().MakeDirectory(At("d")));
  ASSERT_OK(files().MakeDirectory(At("full")));
  Put("full/x", "x");
  EXPECT_CODE(files().Rename(At("a"), At("b"), true), Code::kExists);
  ASSERT_OK(files().Rename(At("a"), At("b")));
  EXPECT_EQ(Get("b"), "a");
  EXPECT_CODE(files().Stat(At("a")), Code::kNoEntry);
  EXPECT_CODE(files().Rename(At("a"), At("c")), Code::kNoEntry);
  EXPECT_CODE(files().Rename(At("b"), At("d")), Code::kIsDirectory);
  EXPECT_CODE(files().Rename(At("d"), At("b")), Code::kNotDirectory);
  EXPECT_CODE(files().Rename(At("d"), At("full")), Code::kNotEmpty);
  EXPECT_CODE(files().Rename(At("d"), At("d/below")), Code::kInvalid);
  ASSERT_OK(files().Rename(At("full"), At("d")));
  EXPECT_EQ(Get("d/x"), "x");
  ASSERT_OK(files().Rename(At("b"), At("new"), true));
  ASSERT_OK(files().Rename(At("new"), At("new")));
}

TEST_P(FilesPaths, FifosAreMade) {
  ASSERT_OK(files().MakeNode(At("fifo"), FileType::kFifo, 0620));
  const auto fifo = files().Stat(At("fifo"));
  ASSERT_OK(fifo);
  EXPECT_EQ(fifo->type, FileType::kFifo);
  EXPECT_EQ(fifo->mode, 0620u & ~files().umask());
  EXPECT_CODE(files().MakeNode(At("fifo"), FileType::kFifo, 0600), Code::kExists);
  ASSERT_OK(files().MakeNode(At("file"), FileType::kFile, 0644));
  EXPECT_TRUE(files().Stat(At("file"))->is_file());
  EXPECT_CODE(files().MakeNode(At("d"), FileType::kDirectory, 0755), Code::kNotPermitted);
  // kNotPermitted, or kAccess from a wall that knows no devices at all.
  EXPECT_TRUE(is_root() || !files().MakeNode(At("null"), FileType::kCharDevice, 0666, 0x103));
}

TEST_P(FilesPaths, ModesOwnersAndTimesChange) {
  Put("f", "x");
  for (const uint32_t mode : {0u, 0444u, 0777u, 01755u}) {
    ASSERT_OK(files().SetMode(At("f"), mode));
    EXPECT_EQ(files().Stat(At("f"))->mode, mode);
  }
  EXPECT_CODE(files().SetMode(At("none"), 0600), Code::kNoEntry);
  const auto [uid, gid] = files().credentials();
  ASSERT_OK(files().SetOwner(At("f"), uid, gid));
  ASSERT_OK(files().SetOwner(At("f"), std::nullopt, gid));
  ASSERT_OK(files().SetOwner(At("f"), std::nullopt, std::nullopt));
  // kNotPermitted, or kInvalid behind a wall that has no such user.
  EXPECT_TRUE(is_root() || !files().SetOwner(At("f"), uid + 1, std::nullopt));
  // touch of BusyBox takes whole seconds since 1970.
  const Nanoseconds then{home_->is_by_tools() ? 1'234'567'890'000'000'000 : 1'234'567'890'123'456'789}, before{home_->is_by_tools() ? 1'000'000'000 : -1'500'000'000};
  ASSERT_OK(files().SetTimes(At("f"), before, then));
  EXPECT_EQ(files().Stat(At("f"))->access_time, before);
  EXPECT_EQ(files().Stat(At("f"))->modify_time, then);
  ASSERT_OK(files().SetTimes(At("f"), std::nullopt, vfs::kNow));
  EXPECT_EQ(files().Stat(At("f"))->access_time, before);
  EXPECT_GT(files().Stat(At("f"))->modify_time, then);
  ASSERT_OK(files().MakeSymlink("f", At("link")));
  ASSERT_OK(files().SetTimes(At("link"), then, then, Follow::kNo));
  EXPECT_EQ(files().Stat(At("link"), Follow::kNo)->modify_time, then);
  EXPECT_NE(files().Stat(At("f"))->modify_time, then);
  EXPECT_CODE(files().SetTimes(At("none"), then, then), Code::kNoEntry);
}

TEST_P(FilesPaths, AccessAnswersForTheSandboxsUser) {
  Put("f", "x", 0600);
  ASSERT_OK(files().Access(At("f"), 6));
  EXPECT_CODE(files().Access(At("f"), 1), Code::kAccess);
  EXPECT_CODE(files().Access(At("none"), 0), Code::kNoEntry);
  ASSERT_OK(files().SetMode(At("f"), 0));
  ASSERT_OK(files().Access(At("f"), 0));
  if (is_root()) return;
  EXPECT_CODE(files().Access(At("f"), 4), Code::kAccess);
  EXPECT_CODE(files().Open(At("f"), vfs::OpenFlags::Read()), Code::kAccess);
  ASSERT_OK(files().MakeDirectory(At("shut")));
  Put("shut/f", "x");
  ASSERT_OK(files().SetMode(At("shut"), 0));
  EXPECT_CODE(files().Stat(At("shut/f")), Code::kAccess);
  EXPECT_CODE(files().List(At("shut")), Code::kAccess);
  EXPECT_CODE(files().RemoveFile(At("shut/f")), Code::kAccess);
  ASSERT_OK(files().SetMode(At("shut"), 0444));
  if (home_->is_by_tools()) EXPECT_CODE(files().List(At("shut")), Code::kAccess);   // what the names are is told with them, or nothing
  else EXPECT_EQ(Names(*files().List(At("shut"))), std::vector<std::string>{"f"}) << "names may be read where nothing may be reached";
  ASSERT_OK(files().SetMode(At("shut"), 0755));
  // What belongs to the system.
  EXPECT_FALSE(files().MakeDirectory("/usr/new"));
  EXPECT_FALSE(files().Open("/etc/passwd", {.write = true}));
}

TEST_P(FilesPaths, CanonicalPathsHaveNoLinksInThem) {
  ASSERT_OK(files().MakeDirectory(At("d")));
  Put("d/f", "x");
  ASSERT_OK(files().MakeSymlink("d", At("link")));
  ASSERT_OK(files().MakeSymlink("link/f", At("two")));
  ASSERT_OK(files().MakeSymlink("d/none", At("dangling")));
  ASSERT_OK(files().MakeSymlink("loop", At("loop")));
  EXPECT_EQ(*files().Canonical(At("d/../link//./f")), At("d/f"));
  EXPECT_EQ(*files().Canonical(At("two")), At("d/f"));
  EXPECT_EQ(*files().Canonical("/"), "/");
  EXPECT_EQ(*files().Canonical("/../.."), "/");
  EXPECT_CODE(files().Canonical(At("dangling")), Code::kNoEntry);
  EXPECT_EQ(*files().Canonical(At("dangling"), MustExist::kParent), At("d/none"));
  EXPECT_CODE(files().Canonical(At("none/x"), MustExist::kParent), Code::kNoEntry);
  EXPECT_EQ(*files().Canonical(At("none/../d/x"), MustExist::kNone), At("d/x"));
  EXPECT_EQ(*files().Canonical(At("d/f/below"), MustExist::kNone), At("d/f/below"));
  EXPECT_CODE(files().Canonical(At("d/f/")), Code::kNotDirectory);
  EXPECT_CODE(files().Canonical(At("loop")), Code::kLoop);
  EXPECT_EQ(*files().Canonical(At("loop"), MustExist::kNone), At("loop"));
  EXPECT_CODE(files().Canonical(""), Code::kNoEntry);
}

TEST_P(FilesPaths, SpaceIsTold) {
  const auto space = files().Space(home_->root());
  ASSERT_OK(space);
  EXPECT_FALSE(space->type.empty());
  EXPECT_GT(space->total_bytes, 0u);
  EXPECT_LE(space->used_bytes, space->total_bytes);
  EXPECT_CODE(files().Space(At("none")), Code::kNoEntry);
}

PADDOCK_FILES_CONFORMANCE(FilesPaths);

}  // namespace
}  // namespace paddock::conformance
