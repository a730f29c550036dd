#include "store/trees/subtree.h"

#include <gtest/gtest.h>

#include "store/trees/content.h"
#include "store/trees/draft.h"
#include "store/trees/lookup.h"
#include "store/trees/restore.h"
#include "store/trees/scratch_for_test.h"
#include "store/trees/tree_check.h"

namespace paddock::trees {
namespace {

class SubtreeTest : public testing::Test {
 protected:
  DraftNode& Add(DraftNode& parent, const std::string& name, vfs::FileType type, uint64_t link = 0) {
    Entry entry;
    entry.name = name;
    entry.type = type;
    DraftNode& node = draft_.Add(parent, std::move(entry));
    draft_.SetLink(node, link);
    return node;
  }

  TemporaryDirectory scratch_;
  std::shared_ptr<Store> store_ = OpenStore(scratch_);
  Session session_ = store_->Begin();
  Draft draft_;
};

TEST_F(SubtreeTest, HasTheFilesAndTheLinksThatAreAllWithin) {
  DraftNode& work = Add(draft_.root(), "work", vfs::FileType::kDirectory);
  work.entry.mode = 0751;
  Add(work, "a", vfs::FileType::kFile, 1);
  Add(work, "b", vfs::FileType::kFile, 1);
  Add(work, "c", vfs::FileType::kFile, 2);
  Add(draft_.root(), "outside", vfs::FileType::kFile, 2);
  const ObjectId tree = *draft_.Encode(session_);
  const auto found = Subtree(session_, tree, "work");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(*found);
  const TreeNode node = *ReadTree(*store_, **found);
  EXPECT_EQ(node.mode, 0751u);
  EXPECT_EQ(*DecodeLinks(*ReadWhole(*store_, node.links, 1000)), (LinkGroups{{"a", "b"}}));
  EXPECT_TRUE(FindByPath(*store_, **found, "c")->has_value());
  EXPECT_FALSE(FindByPath(*store_, **found, "outside")->has_value());
}

TEST_F(SubtreeTest, OfNothingAndOfWhatIsEmptyThereIsNone) {
  Add(draft_.root(), "empty", vfs::FileType::kDirectory);
  Add(draft_.root(), "file", vfs::FileType::kFile);
  const ObjectId tree = *draft_.Encode(session_);
  for (const char* const path : {"empty", "file", "absent"}) {
    const auto found = Subtree(session_, tree, path);
    ASSERT_TRUE(found) << path;
    EXPECT_FALSE(found->has_value()) << path;
  }
}

}  // namespace
}  // namespace paddock::trees
