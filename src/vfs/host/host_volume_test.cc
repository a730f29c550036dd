#include "vfs/host/host_volume.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "vfs/host/beneath.h"
#include "vfs/host/host_volume_internal.h"
#include "vfs/host/recent_directories.h"
#include "vfs/host/temporary_directory.h"
#include "vfs/memory_volume.h"
#include "vfs/stat_each.h"
#include "vfs/test_clock.h"
#include "vfs/view.h"

namespace paddock::vfs {
namespace {

template <class T>
Code Failure(const Result<T>& result) {
  return result.has_value() ? Code::kOk : result.error().code;
}

// Each test runs with openat2 and with the stepwise fallback.
class HostVolumeTest : public ::testing::TestWithParam<bool> {
 protected:
  VolumePtr Make(const std::string& directory, HostAccess access = HostAccess::kReadWrite) {
    return *MakeHostVolumeWith(directory, access, Credentials{}, GetParam());
  }
  struct Tree {
    explicit Tree(VolumePtr volume) : names(std::move(volume)) {}
    TestClock clock;
    Namespace names;
    View view{names, clock, Credentials{1000, 1000}, 022};
  };

  TemporaryDirectory outside;
  TemporaryDirectory inside;
};

INSTANTIATE_TEST_SUITE_P(Kernels, HostVolumeTest, ::testing::Bool());

TEST_P(HostVolumeTest, ReadsAndWritesThroughToTheHost) {
  inside.Put("f", "from host");
  Tree tree(Make(inside.Path()));
  View& view = tree.view;
  EXPECT_EQ(*ReadFile(view, "/f"), "from host");
  EXPECT_TRUE(MakeDirectories(view, "/a/b").has_value());
  EXPECT_TRUE(WriteFile(view, "/a/b/g", "from sandbox", 0640).has_value());
  EXPECT_EQ(inside.Get("a/b/g"), "from sandbox");
  EXPECT_EQ(view.Stat("/a/b/g")->mode, 0640u);
  EXPECT_EQ(view.Stat("/f")->uid, 1000u);
  auto file = *view.Open("/f", OpenFlags::Append());
  EXPECT_TRUE(file->Write("!").has_value());
  EXPECT_EQ(inside.Get("f"), "from host!");
  EXPECT_TRUE(view.Truncate("/f", 4).has_value());
  EXPECT_EQ(inside.Get("f"), "from");
  EXPECT_TRUE(view.SetMode("/f", 0400).has_value());
  EXPECT_TRUE(view.SetTimes("/f", Nanoseconds(5), Nanoseconds(1'500'000'000)).has_value());
  EXPECT_EQ(view.Stat("/f")->modify_time, Nanoseconds(1'500'000'000));
  EXPECT_EQ(view.Stat("/f")->mode, 0400u);
  EXPECT_EQ(Failure(view.SetOwner("/f", 0, 0)), Code::kNotPermitted);
}

TEST_P(HostVolumeTest, RenameTakesTheSubtreeAlong) {
  Tree tree(Make(inside.Path()));
  View& view = tree.view;
  ASSERT_TRUE(MakeDirectories(view, "/a/b").has_value());
  ASSERT_TRUE(WriteFile(view, "/a/b/f", "x").has_value());
  ASSERT_TRUE(view.ChangeDirectory("/a/b").has_value());
  ASSERT_TRUE(view.Rename("/a", "/z").has_value());
  EXPECT_EQ(*view.PhysicalCwd(), "/z/b");
  EXPECT_EQ(*ReadFile(view, "f"), "x");
  EXPECT_EQ(Failure(view.Stat("/a")), Code::kNoEntry);
  EXPECT_EQ(Failure(view.Rename("/z", "/z/b/c")), Code::kInvalid);
  ASSERT_TRUE(view.MakeLink("f", "g").has_value());
  EXPECT_EQ(view.Stat("g")->links, 2u);
  EXPECT_EQ(Failure(view.RemoveDirectory("/z/b")), Code::kNotEmpty);
  ASSERT_TRUE(view.RemoveFile("f").has_value());
  ASSERT_TRUE(view.RemoveFile("g").has_value());
  ASSERT_TRUE(view.RemoveDirectory("/z/b").has_value());
  EXPECT_EQ(Failure(view.PhysicalCwd()), Code::kNoEntry);
  EXPECT_EQ(Failure(view.Rename("/z", "/y", true)), Code::kOk);
}

TEST_P(HostVolumeTest, ReadOnlyIsReadOnly) {
  inside.Put("f", "x");
  Tree tree(Make(inside.Path(), HostAccess::kReadOnly));
  View& view = tree.view;
  EXPECT_EQ(*ReadFile(view, "/f"), "x");
  EXPECT_EQ(Failure(WriteFile(view, "/f", "y")), Code::kReadOnly);
  EXPECT_EQ(Failure(WriteFile(view, "/g", "y")), Code::kReadOnly);
  EXPECT_EQ(Failure(view.RemoveFile("/f")), Code::kReadOnly);
  EXPECT_EQ(Failure(view.Rename("/f", "/g")), Code::kReadOnly);
  EXPECT_EQ(Failure(view.SetMode("/f", 0)), Code::kReadOnly);
  EXPECT_EQ(Failure(view.MakeDirectory("/d")), Code::kReadOnly);
  EXPECT_EQ(Failure(view.MakeSymlink("t", "/s")), Code::kReadOnly);
  EXPECT_EQ(Failure(view.MakeLink("/f", "/l")), Code::kReadOnly);
  EXPECT_EQ(Failure(view.Open("/f", {.read = true, .truncate = true})), Code::kReadOnly);
  EXPECT_EQ(inside.Get("f"), "x");
}

TEST_P(HostVolumeTest, ParentStepsAndAbsoluteSymlinksStayInside) {
  outside.Put("secret", "secret");
  std::filesystem::create_symlink(outside.Path("secret"), inside.Path("absolute"));
  std::filesystem::create_symlink("../" + BaseName(outside.Path()) + "/secret",
                                  inside.Path("relative"));
  std::filesystem::create_directory_symlink(outside.Path(), inside.Path("directory"));
  Tree tree(Make(inside.Path()));
  View& view = tree.view;
  const std::string up = "/../../../../../../../.." + outside.Path("secret");
  for (const std::string& path : {std::string("/absolute"), std::string("/relative"), up,
                                  std::string("/directory/secret"), outside.Path("secret")}) {
    EXPECT_EQ(Failure(ReadFile(view, path)), Code::kNoEntry) << path;
  }
  // Writing through a dangling link makes the file inside, not where the host's link leads.
  EXPECT_EQ(Failure(WriteFile(view, "/absolute", "gotcha")), Code::kNoEntry);
  EXPECT_EQ(outside.Get("secret"), "secret");
  EXPECT_EQ(*view.ReadLink("/absolute"), outside.Path("secret"));
  EXPECT_EQ(Failure(view.Open("/absolute", {.read = true, .no_follow = true})), Code::kLoop);
}

TEST_P(HostVolumeTest, VolumeRefusesNamesThatArePaths) {
  const VolumePtr volume = Make(inside.Path());
  for (const std::string_view name :
       {std::string_view(".."), std::string_view("."), std::string_view(""),
        std::string_view("a/../../b"), std::string_view("a\0b", 3)}) {
    EXPECT_EQ(Failure(volume->Lookup(volume->root(), name)), Code::kInvalid);
    EXPECT_EQ(Failure(volume->Create(volume->root(), name, {})), Code::kInvalid);
    EXPECT_EQ(Failure(volume->Remove(volume->root(), name, false)), Code::kInvalid);
    EXPECT_EQ(Failure(volume->Rename(volume->root(), name, volume->root(), "x", false)),
              Code::kInvalid);
  }
}

// While one thread swaps a directory with a symlink to the outside, nothing of the outside is ever
// seen or touched.
TEST_P(HostVolumeTest, SymlinkSwapRaceFindsNothing) {
  outside.Put("f", "outside");
  std::filesystem::create_directory(inside.Path("d"));
  inside.Put("d/f", "inside");
  std::filesystem::create_directory_symlink(outside.Path(), inside.Path("link"));
  std::atomic<bool> is_over{false};
  std::thread attacker([&] {
    const std::string d = inside.Path("d"), link = inside.Path("link"),
                      spare = inside.Path("spare");
    while (!is_over) {
      rename(d.c_str(), spare.c_str());
      rename(link.c_str(), d.c_str());
      rename(d.c_str(), link.c_str());
      rename(spare.c_str(), d.c_str());
    }
  });
  const VolumePtr volume = Make(inside.Path());
  auto* const looker = dynamic_cast<NameLooker*>(volume.get());
  ASSERT_NE(looker, nullptr);
  int seen = 0;
  // More rounds where the attacker was hardly given the processor.
  for (int i = 0; i < 4000 || (seen == 0 && i < 4'000'000); ++i) {
    // Straight at the volume, with what a walk found a moment ago.
    auto d = volume->Lookup(volume->root(), "d");
    if (!d) continue;
    auto f = volume->Lookup(*d, "f");
    if (f) {
      if (auto file = volume->Open(*f, {.read = true, .write = true})) {
        auto block = (*file)->ReadBlock(100);
        ASSERT_TRUE(block.has_value());
        ASSERT_NE(block->bytes, "outside");
        ++seen;
      }
    }
    for (const auto& looked : looker->LookAtEach(*d, {"f", "none"})) {
      if (!looked) continue;
      ASSERT_EQ(looked->size, std::string_view("inside").size());
    }
    static_cast<void>(volume->Create(*d, "new" + std::to_string(i), {}));
    static_cast<void>(volume->List(*d));
    AttributeChange change;
    change.mode = 0600;
    if (f) static_cast<void>(volume->SetAttributes(*f, change));
    static_cast<void>(volume->Remove(*d, "new" + std::to_string(i), false));
  }
  is_over = true;
  attacker.join();
  EXPECT_GT(seen, 0);
  EXPECT_EQ(outside.Get("f"), "outside");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(outside.Path()), {}), 1);
}

// Directories that were looked into are remembered; what the host does to them is seen all the same.
TEST_P(HostVolumeTest, DirectoryThatTheHostReplacesIsSeenAtOnce) {
  std::filesystem::create_directories(inside.Path("a/b"));
  inside.Put("a/b/f", "old");
  Tree tree(Make(inside.Path()));
  View& view = tree.view;
  for (int round = 0; round < 100; ++round) {
    ASSERT_EQ(*ReadFile(view, "/a/b/f"), round == 0 ? "old" : std::to_string(round - 1));
    std::filesystem::rename(inside.Path("a"), inside.Path("was" + std::to_string(round)));
    ASSERT_EQ(Failure(view.Stat("/a/b/f")), Code::kNoEntry);
    std::filesystem::create_directories(inside.Path("a/b"));
    ASSERT_EQ(Failure(view.Stat("/a/b/f")), Code::kNoEntry);
    inside.Put("a/b/f", std::to_string(round));
  }
}

TEST_P(HostVolumeTest, DirectoryThatTheHostTakesAwayIsGone) {
  std::filesystem::create_directories(inside.Path("d/e"));
  inside.Put("d/e/f", "taken away");
  Tree tree(Make(inside.Path()));
  View& view = tree.view;
  ASSERT_TRUE(view.ChangeDirectory("/d/e").has_value());
  ASSERT_EQ(*ReadFile(view, "f"), "taken away");
  std::filesystem::rename(inside.Path("d"), outside.Path("d"));
  EXPECT_EQ(Failure(view.Stat("f")), Code::kNoEntry);
  // A symlink to where it went, made inside, does not bring it back.
  ASSERT_TRUE(view.MakeSymlink(outside.Path("d"), "/d").has_value());
  for (const std::string_view path : {"f", "/d/e/f", "../e/f", "/d/e"}) {
    EXPECT_EQ(Failure(view.Stat(path)), Code::kNoEntry) << path;
  }
  // As any directory that was removed, it is empty, takes nothing and has a way out.
  EXPECT_EQ(view.Stat(".")->links, 0u);
  EXPECT_TRUE(view.List(".")->empty());
  EXPECT_EQ(Failure(WriteFile(view, "g", "x")), Code::kNoEntry);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(outside.Path("d/e")), {}), 1);
  EXPECT_EQ(view.Stat("../..")->inode, view.Stat("/")->inode);
}

TEST_P(HostVolumeTest, RightsThatTheHostTakesFromADirectoryAreGone) {
  std::filesystem::create_directories(inside.Path("d/e"));
  inside.Put("d/e/f", "x");
  Tree tree(Make(inside.Path()));
  View& view = tree.view;
  ASSERT_EQ(*ReadFile(view, "/d/e/f"), "x");
  ASSERT_EQ(chmod(inside.Path("d").c_str(), 0), 0);
  EXPECT_EQ(Failure(view.Stat("/d/e/f")), Code::kAccess);
  ASSERT_EQ(chmod(inside.Path("d").c_str(), 0755), 0);
  EXPECT_EQ(*ReadFile(view, "/d/e/f"), "x");
}

// Waits for the next tick, in which nothing that was seen before counts.
void PassTick() {
  const auto tick = RecentDirectories::CoarseNow();
  while (RecentDirectories::CoarseNow() == tick) {
  }
}

TEST_P(HostVolumeTest, WithMemoryWhatTheVolumeDoesIsSeenAtOnce) {
  Tree tree(*MakeHostVolumeWith(inside.Path(), HostAccess::kReadWrite, Credentials{}, GetParam(), HostMemory::kOneTick));
  View& view = tree.view;
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(MakeDirectories(view, "/a/b").has_value());
    ASSERT_EQ(view.Stat("/a")->links, 3u);
    ASSERT_TRUE(WriteFile(view, "/a/b/f", "x").has_value());
    ASSERT_TRUE(view.SetMode("/a/b", 0).has_value());
    ASSERT_EQ(view.Stat("/a/b")->mode, 0u);
    ASSERT_EQ(Failure(view.Stat("/a/b/f")), Code::kAccess);
    ASSERT_TRUE(view.SetMode("/a/b", 0755).has_value());
    ASSERT_EQ(*ReadFile(view, "/a/b/f"), "x");
    ASSERT_TRUE(view.Rename("/a", "/z").has_value());
    ASSERT_EQ(Failure(view.Stat("/a/b/f")), Code::kNoEntry);
    ASSERT_EQ(*ReadFile(view, "/z/b/f"), "x");
    ASSERT_TRUE(view.RemoveFile("/z/b/f").has_value());
    ASSERT_EQ(Failure(view.Stat("/z/b/f")), Code::kNoEntry);
    ASSERT_TRUE(view.RemoveDirectory("/z/b").has_value());
    ASSERT_EQ(Failure(view.Stat("/z/b")), Code::kNoEntry);
    ASSERT_EQ(view.Stat("/z")->links, 2u);
    ASSERT_TRUE(view.RemoveDirectory("/z").has_value());
  }
}

TEST_P(HostVolumeTest, WithMemoryWhatTheHostDoesIsSeenWithTheNextTick) {
  std::filesystem::create_directories(inside.Path("a/b"));
  inside.Put("a/b/f", "old");
  Tree tree(*MakeHostVolumeWith(inside.Path(), HostAccess::kReadWrite, Credentials{}, GetParam(), HostMemory::kOneTick));
  View& view = tree.view;
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(*ReadFile(view, "/a/b/f"), round == 0 ? "old" : std::to_string(round - 1));
    // A file is looked at each time.
    inside.Put("a/b/f", "longer than before");
    ASSERT_EQ(view.Stat("/a/b/f")->size, 18u);
    std::filesystem::rename(inside.Path("a"), inside.Path("was" + std::to_string(round)));
    PassTick();
    ASSERT_EQ(Failure(view.Stat("/a/b/f")), Code::kNoEntry);
    std::filesystem::create_directories(inside.Path("a/b"));
    inside.Put("a/b/f", std::to_string(round));
    PassTick();
    ASSERT_EQ(chmod(inside.Path("a").c_str(), 0), 0);
    PassTick();
    ASSERT_EQ(Failure(view.Stat("/a/b/f")), Code::kAccess);
    ASSERT_EQ(chmod(inside.Path("a").c_str(), 0755), 0);
    PassTick();
  }
}

TEST_P(HostVolumeTest, MoreDirectoriesThanAreRememberedAreAllRight) {
  std::string path;
  for (int depth = 0; depth < 40; ++depth) {
    path += "/d" + std::to_string(depth);
    std::filesystem::create_directory(inside.Path() + path);
    inside.Put(path.substr(1) + "/f", path);
  }
  Tree tree(Make(inside.Path()));
  for (int round = 0; round < 3; ++round) {
    for (std::string at = path; !at.empty(); at.resize(at.rfind('/'))) {
      EXPECT_EQ(*ReadFile(tree.view, at + "/f"), at);
    }
  }
}

TEST_P(HostVolumeTest, ManyNamesAreWhatEachIs) {
  std::filesystem::create_directories(inside.Path("d/e"));
  std::filesystem::create_directory(inside.Path("d/covered"));
  inside.Put("d/f", "content");
  std::filesystem::create_symlink("f", inside.Path("d/link"));
  Tree tree(Make(inside.Path()));
  View& view = tree.view;
  ASSERT_TRUE(tree.names.Mount("/d/covered", std::make_shared<MemoryVolume>(tree.clock, Quota{})).has_value());
  const std::vector<std::string_view> names = {"covered", "e", "f", "link", "none", "..", "e/../f", "f"};
  for (const std::string_view directory : {"/d", "/d/", "d"}) {
    const auto found = StatEach(view, directory, names);
    ASSERT_EQ(found.size(), names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      const auto expected = view.Stat(JoinPath(directory, names[i]), Follow::kNo);
      ASSERT_EQ(found[i].has_value(), expected.has_value()) << names[i];
      if (!expected) {
        EXPECT_EQ(found[i].error().code, expected.error().code);
        continue;
      }
      EXPECT_EQ(found[i]->type, expected->type) << names[i];
      EXPECT_EQ(found[i]->inode, expected->inode) << names[i];
      EXPECT_EQ(found[i]->device, expected->device) << names[i];
      EXPECT_EQ(found[i]->size, expected->size) << names[i];
      EXPECT_EQ(found[i]->modify_time, expected->modify_time) << names[i];
    }
  }
  const auto plain = StatEach(view, "/d", {"covered", "e", "f", "link", "none"});
  EXPECT_NE(plain[0]->device, plain[1]->device);
  EXPECT_EQ(plain[2]->size, 7u);
  EXPECT_TRUE(plain[3]->is_symlink());
  EXPECT_EQ(Failure(plain[4]), Code::kNoEntry);
}

TEST_P(HostVolumeTest, ManyNamesOfAClosedDirectoryAreRefused) {
  std::filesystem::create_directory(inside.Path("d"));
  inside.Put("d/f", "x");
  Tree tree(Make(inside.Path()));
  ASSERT_EQ(chmod(inside.Path("d").c_str(), 0600), 0);
  for (const auto& found : StatEach(tree.view, "/d", {"f", "g"})) {
    EXPECT_EQ(Failure(found), Code::kAccess);
  }
  ASSERT_EQ(chmod(inside.Path("d").c_str(), 0700), 0);
  // The working directory's path leads elsewhere after it was moved.
  ASSERT_TRUE(tree.view.ChangeDirectory("/d").has_value());
  ASSERT_TRUE(tree.view.Rename("/d", "/was").has_value());
  ASSERT_TRUE(tree.view.MakeDirectory("/d").has_value());
  ASSERT_TRUE(WriteFile(tree.view, "/d/f", "another").has_value());
  EXPECT_EQ(StatEach(tree.view, ".", {"f", "g"})[0]->size, 1u);
}

TEST_P(HostVolumeTest, FifoDeviceAndSocketDoNotOpen) {
  ASSERT_EQ(mkfifo(inside.Path("fifo").c_str(), 0666), 0);
  Tree tree(Make(inside.Path()));
  EXPECT_EQ(Failure(tree.view.Open("/fifo", OpenFlags::Read())), Code::kNoDevice);
  EXPECT_EQ(Failure(tree.view.MakeNode("/own", FileType::kFifo, 0666)), Code::kNotPermitted);
  if (mknod(inside.Path("null").c_str(), S_IFCHR | 0666, makedev(1, 3)) == 0) {
    ASSERT_EQ(chmod(inside.Path("null").c_str(), 0666), 0);
    EXPECT_EQ(Failure(tree.view.Open("/null", OpenFlags::Read())), Code::kAccess);
    EXPECT_EQ(tree.view.Stat("/null")->special, 0x103u);
  }
}

TEST_P(HostVolumeTest, SpecialBitsAreNeitherShownNorSet) {
  inside.Put("tool", "x");
  ASSERT_EQ(chmod(inside.Path("tool").c_str(), 06755), 0);
  Tree tree(Make(inside.Path()));
  EXPECT_EQ(tree.view.Stat("/tool")->mode, 0755u);
  ASSERT_TRUE(WriteFile(tree.view, "/mine", "x").has_value());
  ASSERT_TRUE(tree.view.SetMode("/mine", 06777).has_value());
  struct stat found;
  ASSERT_EQ(stat(inside.Path("mine").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0777u);
  ASSERT_TRUE(tree.view.Open("/other", OpenFlags::Write(), 06755).has_value());
  ASSERT_EQ(stat(inside.Path("other").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0755u);
}

TEST_P(HostVolumeTest, MagicLinksOfProcLeadNowhere) {
  if (access("/proc/self/root", F_OK) != 0) GTEST_SKIP() << "no /proc on this machine";
  const VolumePtr proc = Make("/proc", HostAccess::kReadOnly);
  const NodeId pid = *proc->Lookup(proc->root(), std::to_string(getpid()));
  const NodeId root = *proc->Lookup(pid, "root");
  EXPECT_TRUE(proc->GetAttributes(root)->is_symlink());
  EXPECT_FALSE(proc->Lookup(root, "etc").has_value());
  EXPECT_FALSE(proc->List(root).has_value());
  EXPECT_EQ(Failure(proc->Open(*proc->Lookup(pid, "exe"), OpenFlags::Read())), Code::kLoop);
  const NodeId fd = *proc->Lookup(pid, "fd");
  const auto descriptors = proc->List(fd);
  for (const DirectoryEntry& entry : *descriptors) {
    auto node = proc->Lookup(fd, entry.name);
    EXPECT_FALSE(node && proc->Open(*node, OpenFlags::Read()));
  }
}

TEST_P(HostVolumeTest, DeepAndLongPathsAreRefusedCalmly) {
  Tree tree(Make(inside.Path()));
  View& view = tree.view;
  EXPECT_EQ(Failure(view.MakeDirectory(std::string(256, 'n'))), Code::kNameTooLong);
  const std::string name(100, 'd');
  int depth = 0;
  Code failure = Code::kOk;
  for (; depth < 10'000 && failure == Code::kOk; ++depth) {
    failure = Failure(view.MakeDirectory(name));
    if (failure == Code::kOk) failure = Failure(view.ChangeDirectory(name, "/deep"));
  }
  EXPECT_EQ(failure, Code::kNameTooLong);
  EXPECT_EQ(depth, 41);
  EXPECT_TRUE(view.PhysicalCwd().has_value());
}

TEST_P(HostVolumeTest, NewFileOpensWhateverItsMode) {
  Tree tree(Make(inside.Path()));
  auto file = tree.view.Open("/f", OpenFlags::Write(), 0);
  ASSERT_TRUE(file.has_value());
  EXPECT_TRUE((*file)->Write("x").has_value());
  EXPECT_EQ(inside.Get("f"), "x");
}

TEST_P(HostVolumeTest, ListIsSortedAndTyped) {
  inside.Put("b", "");
  inside.Put("B", "");
  std::filesystem::create_directory(inside.Path("a"));
  std::filesystem::create_symlink("b", inside.Path("c"));
  const VolumePtr volume = Make(inside.Path());
  const auto entries = volume->List(volume->root());
  ASSERT_EQ(entries->size(), 4u);
  EXPECT_EQ((*entries)[0].name, "B");
  EXPECT_EQ((*entries)[1].type, FileType::kDirectory);
  EXPECT_EQ((*entries)[3].type, FileType::kSymlink);
}

TEST(HostVolume, MissingDirectoryFails) {
  EXPECT_EQ(Failure(MakeHostVolume("/nonexistent/x", HostAccess::kReadOnly)), Code::kNoEntry);
  TemporaryDirectory directory;
  directory.Put("f", "");
  EXPECT_EQ(Failure(MakeHostVolume(directory.Path("f"), HostAccess::kReadOnly)),
            Code::kNotDirectory);
}

}  // namespace
}  // namespace paddock::vfs
