#include "registry/states/host_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "overlay/beneath.h"
#include "registry/states/host_tree_internal.h"
#include "store/trees/content.h"
#include "store/trees/draft.h"
#include "store/trees/scratch_for_test.h"

namespace paddock::registry {
namespace {

class HostTreeTest : public testing::Test {
 protected:
  Descriptor Make(const std::string& name) {
    std::filesystem::create_directories(scratch_.Path(name));
    return Descriptor(open(scratch_.Path(name).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  Result<trees::Captured> Capture(const std::string& name, const HostTreeLimits& limits = {}) {
    const Descriptor directory = Make(name);
    trees::Session session = store_->Begin();
    const HostPart part{.name = "workspace", .directory = directory.get()};
    return CaptureHost(session, {&part, 1}, limits);
  }
  Status Restore(const trees::ObjectId& tree, const std::string& name, const HostTreeLimits& limits = {}) {
    const Descriptor directory = Make(name);
    return RestoreHost(*store_, tree, directory.get(), parts_, limits);
  }
  // A tree of a single entry, or of one below "workspace".
  trees::ObjectId TreeOf(trees::Entry entry, bool is_below) {
    trees::Session session = store_->Begin();
    trees::Draft draft;
    trees::DraftNode* at = &draft.root();
    if (is_below) {
      trees::Entry workspace;
      workspace.name = "workspace";
      workspace.type = vfs::FileType::kDirectory;
      workspace.mode = 0700;
      at = &draft.Add(*at, std::move(workspace));
    }
    draft.Add(*at, std::move(entry));
    const auto tree = draft.Encode(session);
    EXPECT_TRUE(tree && session.Finish());
    return *tree;
  }

  trees::TemporaryDirectory scratch_;
  std::shared_ptr<trees::Store> store_ = trees::OpenStore(scratch_);
  const std::vector<std::string> parts_{"workspace", "home"};
};

TEST_F(HostTreeTest, WhatIsRestoredIsCapturedAsTheSameTree) {
  const Descriptor from = Make("from");
  scratch_.Put("from/file", "text");
  scratch_.Put("from/odd\n\xff", "odd");
  ASSERT_EQ(linkat(from.get(), "file", from.get(), "link", 0), 0);
  ASSERT_EQ(symlinkat("/etc/passwd", from.get(), "symlink"), 0);
  ASSERT_EQ(mkfifoat(from.get(), "fifo", 0640), 0);
  ASSERT_EQ(mkdirat(from.get(), "shut", 0700), 0);
  scratch_.Put("from/shut/in", "in");
  ASSERT_EQ(fchmodat(from.get(), "shut", 0, 0), 0);
  scratch_.Put("from/unreadable", "u");
  ASSERT_EQ(fchmodat(from.get(), "unreadable", 0, 0), 0);
  const bool has_whiteout = mknodat(from.get(), "white", S_IFCHR, makedev(0, 0)) == 0;
  {
    const Descriptor sparse(openat(from.get(), "sparse", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    ASSERT_EQ(pwrite(sparse.get(), "x", 1, 100 << 20), 1);
    ASSERT_EQ(ftruncate(sparse.get(), off_t{1} << 40), 0);
  }
  const bool has_attributes = setxattr(scratch_.Path("from/file").c_str(), "user.a", "b\0c", 3, 0) == 0;
  const timespec times[2] = {{.tv_sec = 5, .tv_nsec = 6}, {.tv_sec = 1'000'000, .tv_nsec = 7}};
  ASSERT_EQ(utimensat(from.get(), "symlink", times, AT_SYMLINK_NOFOLLOW), 0);

  const auto captured = Capture("from");
  ASSERT_TRUE(captured) << captured.error().Text();
  EXPECT_EQ(captured->totals.content_bytes, (uint64_t{1} << 40) + 4 + 4 + 3 + 2 + 1);
  const Status restored = Restore(captured->tree, "to");
  ASSERT_TRUE(restored) << restored.error().Text();
  struct stat sparse{}, white{};
  ASSERT_EQ(stat(scratch_.Path("to/workspace/sparse").c_str(), &sparse), 0);
  EXPECT_LT(sparse.st_blocks, 1000);
  if (has_whiteout) {
    ASSERT_EQ(lstat(scratch_.Path("to/workspace/white").c_str(), &white), 0);
    EXPECT_TRUE(S_ISCHR(white.st_mode));
  }
  char value[8];
  const ssize_t size = getxattr(scratch_.Path("to/workspace/link").c_str(), "user.a", value, sizeof value);
  EXPECT_EQ(size, has_attributes ? 3 : -1);
  const auto again = Capture("to/workspace");
  ASSERT_TRUE(again) << again.error().Text();
  EXPECT_EQ(again->tree, captured->tree);
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.Path("to/home")));
  for (const char* name : {"from/shut", "to/workspace/shut"}) std::filesystem::permissions(scratch_.Path(name), std::filesystem::perms::owner_all);
}

TEST_F(HostTreeTest, SetUserIdBitsAndSocketsAreNotKept) {
  const Descriptor from = Make("from");
  scratch_.Put("from/file", "text");
  ASSERT_EQ(fchmodat(from.get(), "file", 06755, 0), 0);
  const auto captured = Capture("from");
  ASSERT_TRUE(captured && Restore(captured->tree, "to"));
  struct stat facts{};
  ASSERT_EQ(stat(scratch_.Path("to/workspace/file").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777u, 0755u);
}

TEST_F(HostTreeTest, BoundsHold) {
  const Descriptor from = Make("from");
  for (const char* name : {"from/a", "from/b", "from/c"}) scratch_.Put(name, "0123456789");
  EXPECT_EQ(Capture("from", {.max_entries = 2}).error().code, Code::kLimit);
  EXPECT_EQ(Capture("from", {.max_bytes = 25}).error().code, Code::kLimit);
  const auto captured = Capture("from");
  ASSERT_TRUE(captured);
  EXPECT_EQ(Restore(captured->tree, "one", {.max_entries = 2}).error().code, Code::kLimit);
  EXPECT_EQ(Restore(captured->tree, "two", {.max_bytes = 25}).error().code, Code::kLimit);
  std::string deep = scratch_.Path("deep");
  Descriptor at = Make("deep");
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(mkdirat(at.get(), std::string(200, 'd').c_str(), 0700), 0);
    at.Reset(openat(at.get(), std::string(200, 'd').c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  EXPECT_EQ(Capture("deep").error().code, Code::kNameTooLong);
  const Descriptor top(open(scratch_.Path("").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_TRUE(overlay::RemoveTree(top.get(), "deep"));   // as it is too deep for others
}

TEST_F(HostTreeTest, StatesOfOthersMakingAreRefused) {
  trees::Entry device;
  device.name = "device";
  device.type = vfs::FileType::kCharDevice;
  device.special = 1 << 8 | 3;
  EXPECT_EQ(Restore(TreeOf(device, true), "device").error().code, Code::kSyntax);
  trees::Entry block = device;
  block.type = vfs::FileType::kBlockDevice;
  EXPECT_EQ(Restore(TreeOf(block, true), "block").error().code, Code::kSyntax);
  trees::Entry file;
  file.name = "other";
  EXPECT_EQ(Restore(TreeOf(file, false), "file").error().code, Code::kSyntax);
  trees::Entry link;
  link.name = "workspace";
  link.type = vfs::FileType::kSymlink;
  link.target = "/etc";
  EXPECT_EQ(Restore(TreeOf(link, false), "link").error().code, Code::kSyntax);
}

TEST_F(HostTreeTest, AttributesLeadNowhere) {
  scratch_.Put("outside", "o");
  const auto restore = [&](const HostAttribute& attribute, const std::string& name) {
    trees::Session session = store_->Begin();
    trees::ContentWriter writer(session, false);
    std::string text;
    AppendAttribute(text, attribute);
    EXPECT_TRUE(writer.Write(text));
    trees::Draft draft;
    trees::Entry entry, workspace, link;
    entry.name = kAttributesName;
    entry.content = *writer.Finish();
    draft.Add(draft.root(), std::move(entry));
    workspace.name = "workspace";
    workspace.type = vfs::FileType::kDirectory;
    workspace.mode = 0700;
    trees::DraftNode& at = draft.Add(draft.root(), std::move(workspace));
    link.name = "link";
    link.type = vfs::FileType::kSymlink;
    link.target = scratch_.Path("outside");
    draft.Add(at, std::move(link));
    const auto tree = draft.Encode(session);
    return tree && session.Finish() ? Restore(*tree, name) : Status(Code::kIo);
  };
  EXPECT_FALSE(restore({.path = "workspace/link", .name = "user.x", .value = "y"}, "a"));
  EXPECT_FALSE(restore({.path = "../outside", .name = "user.x", .value = "y"}, "b"));
  EXPECT_FALSE(restore({.path = "workspace", .name = "trusted.overlay.opaque", .value = "y"}, "c"));
  char value[8];
  EXPECT_EQ(getxattr(scratch_.Path("outside").c_str(), "user.x", value, sizeof value), -1);
  std::string_view damaged("a\0user.b\0" "9\0x", 13);
  EXPECT_FALSE(TakeAttribute(damaged));
}

TEST_F(HostTreeTest, UnpackingLeavesOutWhatIsNoFile) {
  trees::Entry device;
  device.name = "null";
  device.type = vfs::FileType::kCharDevice;
  device.special = 1 << 8 | 3;
  const trees::ObjectId tree = TreeOf(device, true);
  const Descriptor to = Make("to");
  EXPECT_TRUE(UnpackHost(*store_, tree, to.get()));
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.Path("to/workspace")));
}

}  // namespace
}  // namespace paddock::registry
