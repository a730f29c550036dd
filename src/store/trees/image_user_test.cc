#include "store/trees/image_user.h"

#include <gtest/gtest.h>

#include "store/trees/content.h"
#include "store/trees/draft.h"
#include "store/trees/lookup.h"
#include "store/trees/scratch_for_test.h"

namespace paddock::trees {
namespace {

class ImageUserTest : public testing::Test {
 protected:
  DraftNode& Directory(DraftNode& parent, const std::string& name) { return AddEntry(parent, name, vfs::FileType::kDirectory); }
  void Link(DraftNode& parent, const std::string& name, const std::string& target) {
    Entry entry;
    entry.name = name;
    entry.type = vfs::FileType::kSymlink;
    entry.target = target;
    draft_.Add(parent, std::move(entry));
  }
  void File(DraftNode& parent, const std::string& name, const std::string& text) {
    ContentWriter writer(session_, false);
    ASSERT_TRUE(writer.Write(text));
    Entry entry;
    entry.name = name;
    entry.content = *writer.Finish();
    draft_.Add(parent, std::move(entry));
  }
  ObjectId Tree() { return *draft_.Encode(session_); }
  // "name uid:gid", or the error's text.
  std::string Find(const ObjectId& tree, const std::string& user) {
    const auto found = FindImageUser(*store_, tree, user);
    if (!found) return std::string(found.error().Text());
    return found->name + " " + std::to_string(found->uid) + ":" + std::to_string(found->gid);
  }
  DraftNode& AddEntry(DraftNode& parent, const std::string& name, vfs::FileType type) {
    Entry entry;
    entry.name = name;
    entry.type = type;
    return draft_.Add(parent, std::move(entry));
  }

  TemporaryDirectory scratch_;
  std::shared_ptr<Store> store_ = OpenStore(scratch_);
  Session session_ = store_->Begin();
  Draft draft_;
};

TEST_F(ImageUserTest, NamesAndNumbersAreFoundInTheImagesFiles) {
  DraftNode& etc = Directory(draft_.root(), "etc");
  File(etc, "passwd", "root:x:0:0::/root:/bin/sh\nbroken\n:x:1:1\napp:x:1001:1002:App:/srv:/bin/sh\nbad:x:a:b::/:\n");
  File(etc, "group", "root:x:0:\nstaff:x:50:app\nno number:x:x:\n");
  const ObjectId tree = Tree();
  EXPECT_EQ(Find(tree, ""), "root 0:0");
  EXPECT_EQ(Find(tree, "app"), "app 1001:1002");
  EXPECT_EQ(Find(tree, "1001"), "app 1001:1002");
  EXPECT_EQ(Find(tree, "app:staff"), "app 1001:50");
  EXPECT_EQ(Find(tree, "app:7"), "app 1001:7");
  EXPECT_EQ(Find(tree, "4000"), " 4000:0");
  EXPECT_EQ(Find(tree, "4000:4001"), " 4000:4001");
  EXPECT_EQ(Find(tree, "app:"), "app 1001:1002");
  EXPECT_EQ(Find(tree, "ghost"), "user 'ghost' is not in the image's /etc/passwd");
  EXPECT_EQ(Find(tree, "bad"), "user 'bad' is not in the image's /etc/passwd");
  EXPECT_EQ(Find(tree, "app:ghosts"), "group 'ghosts' is not in the image's /etc/group");
  EXPECT_EQ(Find(tree, "4294967295"), "user '4294967295' is no number of a user's");
  EXPECT_EQ(Find(tree, "1:99999999999"), "group '99999999999' is no number of a group's");
}

TEST_F(ImageUserTest, LinksLeadWithinTheImage) {
  Link(draft_.root(), "etc", "../../../../real/./etc");
  DraftNode& real = Directory(draft_.root(), "real");
  DraftNode& etc = Directory(real, "etc");
  Link(etc, "passwd", "/other//users");
  File(Directory(draft_.root(), "other"), "users", "app:x:5:6::/:\n");
  EXPECT_EQ(Find(Tree(), "app"), "app 5:6");
}

TEST_F(ImageUserTest, WhatIsNoFileHasNoUsers) {
  DraftNode& etc = Directory(draft_.root(), "etc");
  Link(etc, "passwd", "loop");
  Link(etc, "loop", "passwd");
  AddEntry(etc, "group", vfs::FileType::kFifo);
  const ObjectId tree = Tree();
  EXPECT_EQ(Find(tree, "app"), "user 'app' is not in the image's /etc/passwd");
  EXPECT_EQ(Find(tree, "5:staff"), "group 'staff' is not in the image's /etc/group");
  EXPECT_EQ(Find(tree, "0"), " 0:0");
}

TEST_F(ImageUserTest, VeryLongFilesAreLookedAtInPart) {
  File(Directory(draft_.root(), "etc"), "passwd", std::string(5000, 'x') + ":x:7:7::/:\nnear:x:8:8::/:\n" + std::string(1 << 20, '\n') + "far:x:9:9::/:\n");
  const ObjectId tree = Tree();
  EXPECT_EQ(Find(tree, "near"), "near 8:8");
  EXPECT_EQ(Find(tree, "7"), " 7:0");
  EXPECT_EQ(Find(tree, "far"), "user 'far' is not in the image's /etc/passwd");
}

TEST_F(ImageUserTest, PathsEndWhereTheTreeDoes) {
  DraftNode& a = Directory(draft_.root(), "a");
  File(a, "file", "x");
  Link(a, "up", "..");
  const ObjectId tree = Tree();
  const auto name_at = [&](const std::string& path) {
    const auto found = *FindByPath(*store_, tree, path);
    return found ? "'" + found->name + "'" : "none";
  };
  EXPECT_EQ(name_at("/"), "''");
  EXPECT_EQ(name_at("/../../a/"), "'a'");
  EXPECT_EQ(name_at("/a/up/a/up/a/file"), "'file'");
  EXPECT_EQ(name_at("/a/file/.."), "none");
  EXPECT_EQ(name_at("/a/file/x"), "none");
  EXPECT_EQ(name_at("/b"), "none");
}

}  // namespace
}  // namespace paddock::trees
