// A client and a real agent: files.
#include "guest/client/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "guest/client/agent_for_test.h"

namespace paddock::guest {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

class Files : public testing::Test {
 protected:
  Files() {
    // In memory where that is possible: thousands of files are made.
    std::string name = std::string(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/paddock-files-XXXXXX";
    root = mkdtemp(name.data());
  }
  ~Files() override { fs::remove_all(root); }
  std::string At(const std::string& name) const { return root + "/" + name; }
  static std::string Content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string root;
  AgentForTest agent;
  std::unique_ptr<Client> client = agent.Connect();
  GuestFiles files = client->files();
};

TEST_F(Files, WrittenContentIsReadBackWhole) {
  std::string content(5 << 20, 'x');
  for (size_t i = 0; i < content.size(); i += 4096) content[i] = static_cast<char>(i / 4096);
  ASSERT_TRUE(files.WriteAll({.path = At("big"), .permissions = 0640}, content, In(seconds(20))));
  const auto read = files.ReadAll(At("big"), content.size(), In(seconds(20)));
  ASSERT_TRUE(read);
  EXPECT_TRUE(*read == content);
  const auto stat = files.Stat(At("big"));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->kind, FileKind::kRegular);
  EXPECT_EQ(stat->mode, 0640);
  EXPECT_EQ(stat->size, content.size());
  EXPECT_EQ(files.ReadAll(At("big"), 1000, In(seconds(20))).error().code, Code::kLimit);
  EXPECT_EQ(*files.ReadAll(At("big"), content.size()), content) << "the stream that was left is no hindrance";
}

TEST_F(Files, PartsOfAFileCanBeRead) {
  std::ofstream(At("f")) << "0123456789";
  std::string got;
  const auto stat = files.Read({.path = At("f"), .offset = 3, .length = 4}, [&](std::string_view bytes) -> Status {
    got += bytes;
    return {};
  });
  EXPECT_TRUE(stat);
  EXPECT_EQ(got, "3456");
}

TEST_F(Files, AFileThatIsReplacedShowsOldOrNewAndKeepsItsMode) {
  std::ofstream(At("f")) << "old";
  chmod(At("f").c_str(), 0755);
  auto writer = files.OpenWriter({.path = At("f")});
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->Write("new"));
  ASSERT_TRUE(client->ListProcesses());   // the agent has seen the bytes
  EXPECT_EQ(Content(At("f")), "old");
  ASSERT_TRUE((*writer)->Commit());
  EXPECT_EQ(Content(At("f")), "new");
  EXPECT_EQ(files.Stat(At("f"))->mode, 0755);
}

TEST_F(Files, AWriterThatIsDroppedLeavesNothing) {
  {
    auto writer = files.OpenWriter({.path = At("f")});
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->Write("part"));
  }
  ASSERT_TRUE(client->ListProcesses());
  EXPECT_TRUE(fs::is_empty(root));
}

TEST_F(Files, WriteModes) {
  EXPECT_TRUE(files.WriteAll({.path = At("f"), .mode = WriteMode::kCreate}, "one"));
  EXPECT_EQ(files.WriteAll({.path = At("f"), .mode = WriteMode::kCreate}, "two").error().code, Code::kExists);
  EXPECT_TRUE(files.WriteAll({.path = At("f"), .mode = WriteMode::kAppend}, "three"));
  EXPECT_EQ(Content(At("f")), "onethree");
  EXPECT_EQ(files.WriteAll({.path = At("a/b/f")}, "x").error().code, Code::kNoEntry);
  EXPECT_TRUE(files.WriteAll({.path = At("a/b/f"), .makes_parents = true, .is_synced = true}, "x"));
  EXPECT_EQ(Content(At("a/b/f")), "x");
  fs::create_symlink("f", At("link"));
  EXPECT_TRUE(files.WriteAll({.path = At("link")}, "through"));
  EXPECT_TRUE(fs::is_symlink(At("link")));
  EXPECT_EQ(Content(At("f")), "through");
  EXPECT_EQ(files.WriteAll({.path = root}, "x").error().code, Code::kIsDirectory);
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(root)) ++count;
  EXPECT_EQ(count, 3u) << "temporary files were left";
}

TEST_F(Files, WhatIsNotAFileIsNotReadOrWritten) {
  ASSERT_EQ(mkfifo(At("pipe").c_str(), 0600), 0);
  EXPECT_EQ(files.ReadAll(At("pipe"), 10, In(seconds(5))).error().code, Code::kInvalid);
  EXPECT_EQ(files.WriteAll({.path = At("pipe")}, "x", In(seconds(5))).error().code, Code::kInvalid);
  EXPECT_EQ(files.ReadAll(root, 10).error().code, Code::kIsDirectory);
  EXPECT_EQ(files.ReadAll(At("none"), 10).error().code, Code::kNoEntry);
  EXPECT_EQ(files.ReadAll(At("none"), 10).error().message, At("none") + ": No such file or directory");
}

TEST_F(Files, ALargeDirectoryIsListedWhole) {
  for (int i = 0; i < 3000; ++i) std::ofstream(At("a-name-of-some-length-" + std::to_string(i))) << i;
  fs::create_directory(At("folder"));
  const auto list = files.List(root, 10'000, In(seconds(20)));
  ASSERT_TRUE(list);
  EXPECT_EQ(list->size(), 3001u);
  const auto folder = std::find_if(list->begin(), list->end(), [](const DirectoryEntry& entry) { return entry.name == "folder"; });
  ASSERT_NE(folder, list->end());
  EXPECT_EQ(folder->stat.kind, FileKind::kDirectory);
  EXPECT_EQ(files.List(root, 100, In(seconds(20))).error().code, Code::kLimit);
  EXPECT_EQ(files.List(At("none")).error().code, Code::kNoEntry);
}

TEST_F(Files, NamesChangeAndGo) {
  EXPECT_TRUE(files.MakeDirectory(At("a/b/c"), 0700, true));
  EXPECT_TRUE(files.MakeDirectory(At("a/b/c"), 0700, true));
  EXPECT_EQ(files.MakeDirectory(At("a")).error().code, Code::kExists);
  EXPECT_EQ(files.Stat(At("a/b/c"))->mode, 0700);
  EXPECT_TRUE(files.MakeSymlink(At("link"), "a/b"));
  EXPECT_EQ(*files.ReadLink(At("link")), "a/b");
  EXPECT_EQ(files.Stat(At("link"), false)->kind, FileKind::kSymlink);
  EXPECT_EQ(files.Stat(At("link"))->kind, FileKind::kDirectory);
  EXPECT_TRUE(files.Rename(At("a/b/c"), At("d")));
  EXPECT_FALSE(files.Call({.operation = FileOperation::kRename, .path = At("a"), .other = At("d"), .flag = true}));
  EXPECT_TRUE(files.ChangeMode(At("d"), 0711));
  EXPECT_EQ(files.Stat(At("d"))->mode, 0711);
  EXPECT_TRUE(files.Call({.operation = FileOperation::kSetModified, .path = At("d"), .number = -1}));
  EXPECT_EQ(files.Stat(At("d"))->modified_ns, -1);
  EXPECT_EQ(files.Remove(At("a")).error().code, Code::kNotEmpty);
  EXPECT_TRUE(files.Remove(At("d")));
  EXPECT_EQ(files.Stat(At("d")).error().code, Code::kNoEntry);
}

TEST_F(Files, RemovingATreeTakesEverythingAndFollowsNothing) {
  fs::create_directories(At("outside"));
  std::ofstream(At("outside/kept")) << "x";
  fs::create_directories(At("tree/a/b"));
  fs::create_directory_symlink(At("outside"), At("tree/a/link"));
  for (int i = 0; i < 2000; ++i) std::ofstream(At("tree/a/b/" + std::to_string(i))) << i;
  // Deeper than there are descriptors, and than a path can name.
  std::string deep = At("tree");
  ASSERT_EQ(chdir(deep.c_str()), 0);
  for (int i = 0; i < 1500; ++i) ASSERT_TRUE(mkdir("deep", 0755) == 0 && chdir("deep") == 0);
  ASSERT_EQ(chdir("/"), 0);
  EXPECT_TRUE(files.Remove(At("tree"), true, In(seconds(20))));
  EXPECT_FALSE(fs::exists(At("tree")));
  EXPECT_TRUE(fs::exists(At("outside/kept")));
  EXPECT_EQ(files.Remove(At("tree"), true).error().code, Code::kNoEntry);
  EXPECT_TRUE(files.Remove(At("outside/kept"), true));
}

TEST_F(Files, ChangesAreSeenAtAnyDepth) {
  fs::create_directories(At("a"));
  auto watch = files.Watch({.path = root, .is_recursive = true});
  ASSERT_TRUE(watch);
  std::vector<WatchEvent> seen;
  const auto wait_for = [&](WatchKind kind, const std::string& path) {
    while (true) {
      for (const WatchEvent& event : seen) {
        if (event.kind == kind && event.path == path) return true;
      }
      auto events = (*watch)->Next(In(seconds(5)));
      if (!events) return false;
      seen.insert(seen.end(), events->begin(), events->end());
    }
  };
  std::ofstream(At("a/file")) << "x";
  EXPECT_TRUE(wait_for(WatchKind::kCreated, "a/file"));
  EXPECT_TRUE(wait_for(WatchKind::kModified, "a/file"));
  fs::create_directories(At("b/c/d"));
  EXPECT_TRUE(wait_for(WatchKind::kCreated, "b/c/d"));
  std::ofstream(At("b/c/d/new")) << "x";
  EXPECT_TRUE(wait_for(WatchKind::kCreated, "b/c/d/new"));
  fs::rename(At("b"), At("moved"));
  EXPECT_TRUE(wait_for(WatchKind::kMovedTo, "moved"));
  std::ofstream(At("moved/c/later")) << "x";
  EXPECT_TRUE(wait_for(WatchKind::kCreated, "moved/c/later"));
  fs::remove(At("a/file"));
  EXPECT_TRUE(wait_for(WatchKind::kRemoved, "a/file"));
  EXPECT_EQ(files.Watch({.path = At("none")}).error().code, Code::kNoEntry);
}

}  // namespace
}  // namespace paddock::guest
