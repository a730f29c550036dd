#include "vfs/view.h"

#include <gtest/gtest.h>

#include "vfs/memory_volume.h"
#include "vfs/test_clock.h"

namespace paddock::vfs {
namespace {

class ViewTest : public ::testing::Test {
 protected:
  ViewTest() {
    EXPECT_TRUE(root.MakeDirectory("/home").has_value());
    EXPECT_TRUE(root.SetOwner("/home", 1000, 1000).has_value());
    EXPECT_TRUE(user.ChangeDirectory("/home").has_value());
  }
  template <class T>
  static Code Failure(const Result<T>& result) {
    return result.has_value() ? Code::kOk : result.error().code;
  }
  Code Touch(std::string_view path) { return Failure(WriteFile(user, path, "x")); }

  TestClock clock;
  std::shared_ptr<MemoryVolume> volume = std::make_shared<MemoryVolume>(clock, Quota{});
  Namespace names{volume};
  View root{names, clock, Credentials{0, 0}, 022};
  View user{names, clock, Credentials{1000, 1000}, 022};
};

TEST_F(ViewTest, MissingAndNotDirectory) {
  EXPECT_EQ(Touch("f"), Code::kOk);
  EXPECT_EQ(Failure(user.Stat("")), Code::kNoEntry);
  EXPECT_EQ(Failure(user.Stat("nx/f")), Code::kNoEntry);
  EXPECT_EQ(Failure(user.Stat("f/x")), Code::kNotDirectory);
  EXPECT_EQ(Failure(user.Stat("f/")), Code::kNotDirectory);
  EXPECT_EQ(Failure(user.Stat("f/.")), Code::kNotDirectory);
  EXPECT_EQ(Failure(user.Stat("f/..")), Code::kNotDirectory);
  EXPECT_EQ(Failure(user.Stat(std::string("f\0g", 3))), Code::kInvalid);
  EXPECT_EQ(Failure(user.Stat(".//./f")), Code::kOk);
  EXPECT_EQ(Failure(user.Stat("/../../home/f")), Code::kOk);
}

TEST_F(ViewTest, LengthLimits) {
  EXPECT_EQ(Touch(std::string(255, 'n')), Code::kOk);
  EXPECT_EQ(Touch(std::string(256, 'n')), Code::kNameTooLong);
  std::string path;
  while (path.size() < 4094) path += "./";
  EXPECT_EQ(Failure(user.Stat(path + ".")), Code::kOk);
  EXPECT_EQ(Failure(user.Stat(path + "./")), Code::kNameTooLong);
}

TEST_F(ViewTest, SymlinkLoopsEnd) {
  ASSERT_TRUE(user.MakeSymlink("b", "a").has_value());
  ASSERT_TRUE(user.MakeSymlink("a", "b").has_value());
  EXPECT_EQ(Failure(user.Stat("a")), Code::kLoop);
  EXPECT_EQ(Failure(user.Stat("a", Follow::kNo)), Code::kOk);
  EXPECT_EQ(Failure(user.Stat("a/", Follow::kNo)), Code::kLoop);
  EXPECT_EQ(Touch("a"), Code::kLoop);
  // 40 links in a row are followed, 41 are not.
  ASSERT_EQ(Touch("l0"), Code::kOk);
  for (int i = 1; i <= 41; ++i) {
    ASSERT_TRUE(user.MakeSymlink("l" + std::to_string(i - 1), "l" + std::to_string(i)).has_value());
  }
  EXPECT_EQ(Failure(user.Stat("l40")), Code::kOk);
  EXPECT_EQ(Failure(user.Stat("l41")), Code::kLoop);
}

TEST_F(ViewTest, SelfDoublingSymlinkCostsLittle) {
  ASSERT_TRUE(user.MakeSymlink("x/x/x/x/x/x/x/x", "x").has_value());
  EXPECT_EQ(Failure(user.Stat("x")), Code::kLoop);
}

TEST_F(ViewTest, CreateThroughDanglingSymlink) {
  ASSERT_TRUE(user.MakeSymlink("target", "link").has_value());
  EXPECT_EQ(Failure(user.Open("link", {.write = true, .create = true, .exclusive = true})),
            Code::kExists);
  EXPECT_EQ(Failure(user.Open("link", {.write = true, .create = true, .no_follow = true})),
            Code::kLoop);
  EXPECT_EQ(Touch("link"), Code::kOk);
  EXPECT_EQ(*ReadFile(user, "target"), "x");
  ASSERT_TRUE(user.MakeSymlink("nx/target", "bad").has_value());
  EXPECT_EQ(Touch("bad"), Code::kNoEntry);
  ASSERT_TRUE(user.MakeSymlink("new/", "slash").has_value());
  EXPECT_EQ(Touch("slash"), Code::kIsDirectory);
}

TEST_F(ViewTest, TrailingSlashes) {
  EXPECT_EQ(Touch("new/"), Code::kIsDirectory);
  EXPECT_EQ(Touch("nx/new/"), Code::kNoEntry);
  EXPECT_EQ(Failure(user.MakeSymlink("t", "s/")), Code::kNoEntry);
  EXPECT_EQ(Failure(user.MakeDirectory("d//")), Code::kOk);
  EXPECT_EQ(Touch("f"), Code::kOk);
  EXPECT_EQ(Failure(user.RemoveFile("f/")), Code::kNotDirectory);
  EXPECT_EQ(Failure(user.RemoveFile("d/")), Code::kIsDirectory);
  EXPECT_EQ(Failure(user.Rename("f", "g/")), Code::kNotDirectory);
  EXPECT_EQ(Failure(user.Rename("f/", "g")), Code::kNotDirectory);
  EXPECT_EQ(Failure(user.Rename("d/", "e/")), Code::kOk);
  ASSERT_TRUE(user.MakeSymlink("e", "link").has_value());
  EXPECT_EQ(Failure(user.RemoveFile("link/")), Code::kNotDirectory);
  EXPECT_EQ(Failure(user.RemoveDirectory("link/")), Code::kNotDirectory);
  EXPECT_TRUE(user.Stat("link/", Follow::kNo)->is_directory());
  EXPECT_EQ(Failure(user.RemoveDirectory("e/")), Code::kOk);
  EXPECT_EQ(Failure(user.MakeDirectory("link/")), Code::kExists);
}

TEST_F(ViewTest, DotNamesHaveTheirOwnErrors) {
  ASSERT_TRUE(user.MakeDirectory("d").has_value());
  EXPECT_EQ(Failure(user.RemoveDirectory("d/.")), Code::kInvalid);
  EXPECT_EQ(Failure(user.RemoveDirectory("d/..")), Code::kNotEmpty);
  EXPECT_EQ(Failure(root.RemoveDirectory("/")), Code::kBusy);
  EXPECT_EQ(Failure(user.MakeDirectory(".")), Code::kExists);
  EXPECT_EQ(Failure(user.RemoveFile(".")), Code::kIsDirectory);
  EXPECT_EQ(Failure(user.Rename(".", "x")), Code::kBusy);
  EXPECT_EQ(Failure(user.Rename("d", "..")), Code::kBusy);
  EXPECT_EQ(Failure(user.Rename("d", "d/e")), Code::kInvalid);
}

TEST_F(ViewTest, PermissionsOfDirectories) {
  ASSERT_TRUE(root.MakeDirectory("/shut", 0700).has_value());
  EXPECT_EQ(Failure(user.Stat("/shut")), Code::kOk);
  EXPECT_EQ(Failure(user.Stat("/shut/.")), Code::kAccess);
  EXPECT_EQ(Failure(user.Stat("/shut/x")), Code::kAccess);
  EXPECT_EQ(Failure(user.List("/shut")), Code::kAccess);
  EXPECT_EQ(Failure(user.ChangeDirectory("/shut")), Code::kAccess);
  EXPECT_EQ(Failure(user.MakeDirectory("/new")), Code::kAccess);
  EXPECT_EQ(Failure(user.RemoveDirectory("/shut")), Code::kAccess);
  ASSERT_TRUE(user.MakeDirectory("d").has_value());
  EXPECT_EQ(Touch("d/f"), Code::kOk);
  ASSERT_TRUE(user.SetMode("d", 0500).has_value());
  EXPECT_EQ(Failure(user.RemoveFile("d/f")), Code::kAccess);
  EXPECT_EQ(Touch("d/f"), Code::kOk);
  EXPECT_EQ(Touch("d/g"), Code::kAccess);
  EXPECT_EQ(Failure(root.RemoveFile("d/f")), Code::kNoEntry);  // root's cwd is "/"
  EXPECT_EQ(Failure(root.RemoveFile("/home/d/f")), Code::kOk);
  // Moving a directory needs write permission on it.
  EXPECT_EQ(Failure(user.MakeDirectory("e")), Code::kOk);
  EXPECT_EQ(Failure(user.Rename("d", "e/d")), Code::kAccess);
  EXPECT_EQ(Failure(user.Rename("d", "d2")), Code::kOk);
}

TEST_F(ViewTest, PermissionsOfFiles) {
  ASSERT_EQ(Touch("f"), Code::kOk);
  ASSERT_TRUE(user.SetMode("f", 0).has_value());
  EXPECT_EQ(Failure(user.Open("f", OpenFlags::Read())), Code::kAccess);
  EXPECT_EQ(Touch("f"), Code::kAccess);
  EXPECT_EQ(Failure(root.Open("/home/f", OpenFlags::ReadWrite())), Code::kOk);
  EXPECT_EQ(Failure(root.Access("/home/f", 1)), Code::kAccess);
  ASSERT_TRUE(user.SetMode("f", 0001).has_value());
  EXPECT_EQ(Failure(root.Access("/home/f", 1)), Code::kOk);
  EXPECT_EQ(Failure(user.Access("f", 1)),
            Code::kAccess);  // the owner's bits count, not the others'
  ASSERT_TRUE(user.SetMode("f", 0400).has_value());
  EXPECT_EQ(Failure(user.Open("f", {.read = true, .truncate = true})), Code::kAccess);
  EXPECT_EQ(Failure(user.Truncate("f", 0)), Code::kAccess);
}

TEST_F(ViewTest, StickyDirectory) {
  ASSERT_TRUE(root.MakeDirectory("/tmp").has_value());
  ASSERT_TRUE(root.SetMode("/tmp", 01777).has_value());
  ASSERT_TRUE(WriteFile(root, "/tmp/of-root", "x").has_value());
  EXPECT_EQ(Touch("/tmp/mine"), Code::kOk);
  EXPECT_EQ(Failure(user.RemoveFile("/tmp/of-root")), Code::kNotPermitted);
  EXPECT_EQ(Failure(user.Rename("/tmp/mine", "/tmp/of-root")), Code::kNotPermitted);
  EXPECT_EQ(Failure(user.Rename("/tmp/of-root", "/tmp/x")), Code::kNotPermitted);
  EXPECT_EQ(Failure(user.RemoveFile("/tmp/mine")), Code::kOk);
}

TEST_F(ViewTest, OwnerRules) {
  ASSERT_TRUE(WriteFile(root, "/home/r", "x").has_value());
  EXPECT_EQ(Failure(user.SetMode("r", 0777)), Code::kNotPermitted);
  EXPECT_EQ(Failure(user.SetTimes("r", Nanoseconds(1), Nanoseconds(1))), Code::kNotPermitted);
  EXPECT_EQ(Failure(user.SetTimes("r", kNow, kNow)), Code::kAccess);
  ASSERT_TRUE(root.SetMode("/home/r", 0666).has_value());
  EXPECT_EQ(Failure(user.SetTimes("r", kNow, kNow)), Code::kOk);
  EXPECT_EQ(Failure(user.SetTimes("r", kNow, std::nullopt)), Code::kNotPermitted);
  ASSERT_EQ(Touch("f"), Code::kOk);
  EXPECT_EQ(Failure(user.SetOwner("f", 0, std::nullopt)), Code::kNotPermitted);
  EXPECT_EQ(Failure(user.SetOwner("f", std::nullopt, 5)), Code::kNotPermitted);
  EXPECT_EQ(Failure(user.SetOwner("f", 1000, 1000)), Code::kOk);
  ASSERT_TRUE(root.SetMode("/home/f", 06755).has_value());
  ASSERT_TRUE(root.SetOwner("/home/f", 5, 5).has_value());
  EXPECT_EQ(root.Stat("/home/f")->mode, 0755u);
  EXPECT_EQ(Failure(user.MakeNode("dev", FileType::kCharDevice, 0600, 0x103)), Code::kNotPermitted);
}

TEST_F(ViewTest, HardLinksToForeignFilesNeedAccess) {
  ASSERT_TRUE(WriteFile(root, "/home/r", "x").has_value());
  EXPECT_EQ(Failure(user.MakeLink("r", "mine")), Code::kNotPermitted);
  EXPECT_EQ(Failure(user.MakeLink("/home", "h")), Code::kNotPermitted);
  EXPECT_EQ(Touch("f"), Code::kOk);
  EXPECT_EQ(Failure(user.MakeLink("f", "g")), Code::kOk);
  EXPECT_EQ(Failure(user.MakeLink("f", "g")), Code::kExists);
  EXPECT_EQ(user.Stat("g")->inode, user.Stat("f")->inode);
}

TEST_F(ViewTest, UmaskAndSetGidDirectory) {
  user.set_umask(077);
  ASSERT_EQ(Touch("f"), Code::kOk);
  EXPECT_EQ(user.Stat("f")->mode, 0600u);
  ASSERT_TRUE(root.MakeDirectory("/home/g").has_value());
  ASSERT_TRUE(root.SetOwner("/home/g", 1000, 7).has_value());
  ASSERT_TRUE(root.SetMode("/home/g", 02775).has_value());
  ASSERT_EQ(Touch("g/f"), Code::kOk);
  ASSERT_TRUE(user.MakeDirectory("g/d").has_value());
  EXPECT_EQ(user.Stat("g/f")->gid, 7u);
  EXPECT_EQ(user.Stat("g/d")->mode, 02700u);
}

TEST_F(ViewTest, DirectoriesOpenForReadingOnly) {
  EXPECT_EQ(Failure(user.Open("/home", {.write = true})), Code::kIsDirectory);
  EXPECT_EQ(Touch("/home"), Code::kIsDirectory);
  auto directory = user.Open("/home", OpenFlags::Read());
  ASSERT_TRUE(directory.has_value());
  EXPECT_EQ(Failure((*directory)->ReadBlock(1)), Code::kIsDirectory);
  EXPECT_TRUE((*directory)->GetAttributes()->is_directory());
  EXPECT_EQ((*directory)->description(), "/home");
  ASSERT_EQ(Touch("f"), Code::kOk);
  EXPECT_EQ(Failure(user.Open("f", {.read = true, .directory = true})), Code::kNotDirectory);
}

TEST_F(ViewTest, WorkingDirectory) {
  ASSERT_TRUE(user.MakeDirectory("d").has_value());
  ASSERT_TRUE(user.MakeSymlink("d", "link").has_value());
  ASSERT_TRUE(user.ChangeDirectory("link", "/home/link").has_value());
  EXPECT_EQ(user.cwd(), "/home/link");
  EXPECT_EQ(*user.PhysicalCwd(), "/home/d");
  ASSERT_TRUE(user.Rename("/home/d", "/home/moved").has_value());
  EXPECT_EQ(*user.PhysicalCwd(), "/home/moved");
  ASSERT_TRUE(user.RemoveDirectory("/home/moved").has_value());
  EXPECT_EQ(Failure(user.PhysicalCwd()), Code::kNoEntry);
  EXPECT_EQ(Failure(user.List(".")), Code::kOk);
  EXPECT_EQ(Touch("x"), Code::kNoEntry);
  EXPECT_EQ(Failure(user.Stat("..")), Code::kOk);
  EXPECT_EQ(Failure(user.ChangeDirectory("..")), Code::kOk);
  EXPECT_EQ(user.cwd(), "/home");
}

TEST_F(ViewTest, MountPoints) {
  ASSERT_TRUE(root.MakeDirectory("/home/mnt").has_value());
  auto other = std::make_shared<MemoryVolume>(clock, Quota{});
  ASSERT_TRUE(names.Mount("/home/mnt", other).has_value());
  EXPECT_EQ(Failure(names.Mount("/home", other)), Code::kBusy);
  ASSERT_TRUE(WriteFile(root, "/home/mnt/f", "inside").has_value());
  EXPECT_EQ(*ReadFile(root, "/home/mnt/../mnt/f"), "inside");
  EXPECT_EQ(*root.Canonical("/home/mnt/.."), "/home");
  EXPECT_NE(root.Stat("/home/mnt")->device, root.Stat("/home")->device);
  EXPECT_EQ(Failure(root.RemoveDirectory("/home/mnt")), Code::kBusy);
  EXPECT_EQ(Failure(root.Rename("/home/mnt", "/home/x")), Code::kBusy);
  EXPECT_EQ(Failure(root.Rename("/home/mnt/f", "/home/f")), Code::kCrossDevice);
  EXPECT_EQ(Failure(root.MakeLink("/home/mnt/f", "/home/f")), Code::kCrossDevice);
  ASSERT_TRUE(root.MakeDirectory("/home/mnt/d").has_value());
  ASSERT_TRUE(root.ChangeDirectory("/home/mnt/d").has_value());
  EXPECT_EQ(root.cwd(), "/home/mnt/d");
  ASSERT_TRUE(root.ChangeDirectory("../..").has_value());
  EXPECT_EQ(root.cwd(), "/home");
  // Forking the namespace's volumes is its owner's business; the paths stay.
  EXPECT_EQ(names.mounts()[1].path, "/home/mnt");
}

TEST_F(ViewTest, CanonicalModes) {
  using Must = FileSystem::MustExist;
  ASSERT_EQ(Touch("f"), Code::kOk);
  ASSERT_TRUE(user.MakeSymlink("loop", "loop").has_value());
  ASSERT_TRUE(user.MakeSymlink("nowhere", "d").has_value());
  ASSERT_TRUE(user.MakeSymlink("nowhere/x", "d2").has_value());
  EXPECT_EQ(*user.Canonical("loop", Must::kNone), "/home/loop");
  EXPECT_EQ(*user.Canonical("loop/x", Must::kNone), "/home/loop/x");
  EXPECT_EQ(Failure(user.Canonical("loop", Must::kParent)), Code::kLoop);
  EXPECT_EQ(*user.Canonical("f/x", Must::kNone), "/home/f/x");
  EXPECT_EQ(*user.Canonical("f/../y", Must::kNone), "/home/y");
  EXPECT_EQ(Failure(user.Canonical("f/x", Must::kParent)), Code::kNotDirectory);
  EXPECT_EQ(Failure(user.Canonical("f/", Must::kParent)), Code::kNotDirectory);
  EXPECT_EQ(Failure(user.Canonical("f/..", Must::kParent)), Code::kNotDirectory);
  EXPECT_EQ(*user.Canonical("f/", Must::kNone), "/home/f");
  EXPECT_EQ(*user.Canonical("nx/", Must::kParent), "/home/nx");
  EXPECT_EQ(Failure(user.Canonical("nx/x", Must::kParent)), Code::kNoEntry);
  EXPECT_EQ(*user.Canonical("nx/../f/..", Must::kNone), "/home");
  EXPECT_EQ(*user.Canonical("d", Must::kParent), "/home/nowhere");
  EXPECT_EQ(Failure(user.Canonical("d", Must::kAll)), Code::kNoEntry);
  EXPECT_EQ(Failure(user.Canonical("d2", Must::kParent)), Code::kNoEntry);
  EXPECT_EQ(*user.Canonical("d2", Must::kNone), "/home/nowhere/x");
  EXPECT_EQ(Failure(user.Canonical("", Must::kNone)), Code::kNoEntry);
  EXPECT_EQ(*user.Canonical("/"), "/");
  EXPECT_EQ(*user.Canonical("../.././home//."), "/home");
}

TEST(PathText, BaseAndDirectoryName) {
  EXPECT_EQ(BaseName("a/b/"), "b");
  EXPECT_EQ(BaseName("//"), "/");
  EXPECT_EQ(BaseName(""), "");
  EXPECT_EQ(DirectoryName("a/b/"), "a");
  EXPECT_EQ(DirectoryName("a"), ".");
  EXPECT_EQ(DirectoryName(""), ".");
  EXPECT_EQ(DirectoryName("//a"), "/");
  EXPECT_EQ(DirectoryName("///a//b"), "///a");
}

TEST(PathText, JoinAndNormalize) {
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("a/", "b"), "a/b");
  EXPECT_EQ(JoinPath("a", "/b"), "/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(NormalizePath(""), ".");
  EXPECT_EQ(NormalizePath("a//./b/../c/"), "a/c");
  EXPECT_EQ(NormalizePath("/../a/../.."), "/");
  EXPECT_EQ(NormalizePath("../../a/../b"), "../../b");
  EXPECT_EQ(NormalizePath("a/.."), ".");
}

TEST_F(ViewTest, MakeDirectoriesMakesWhatIsMissing) {
  user.set_umask(0777);
  EXPECT_TRUE(MakeDirectories(user, "a//b/c/").has_value());
  EXPECT_EQ(user.Stat("a")->mode, 0300u);
  EXPECT_EQ(user.Stat("a/b/c")->mode, 0u);
  EXPECT_TRUE(MakeDirectories(user, "a/b").has_value());
  user.set_umask(022);
  ASSERT_EQ(Touch("f"), Code::kOk);
  EXPECT_EQ(Failure(MakeDirectories(user, "f")), Code::kExists);
  EXPECT_EQ(Failure(MakeDirectories(user, "f/d")), Code::kNotDirectory);
  EXPECT_EQ(Failure(ReadFile(user, "f", 0)), Code::kFileTooBig);
}

}  // namespace
}  // namespace paddock::vfs
