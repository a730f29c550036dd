#include "store/trees/layer_builder.h"

#include <gtest/gtest.h>

#include "store/trees/draft.h"
#include "store/trees/lookup.h"
#include "store/trees/random_tree_for_test.h"
#include "store/trees/scratch_for_test.h"
#include "store/trees/tar_export.h"

namespace paddock::trees {
namespace {

class LayerBuilderTest : public testing::Test {
 protected:
  struct One {
    std::string path;   // of one or two names
    uint64_t link = 0;
    std::string target = {};   // of a symlink
  };
  // An archive of empty files, with what is needed above them.
  std::string Archive(const std::vector<One>& files) {
    Draft draft;
    for (const One& one : files) {
      DraftNode* parent = &draft.root();
      const size_t slash = one.path.find('/');
      if (slash != std::string::npos) {
        Entry above;
        above.name = one.path.substr(0, slash);
        above.type = vfs::FileType::kDirectory;
        parent = parent->Find(above.name) != nullptr ? parent->Find(above.name) : &draft.Add(*parent, above);
      }
      Entry entry;
      entry.name = one.path.substr(slash + 1);
      entry.type = one.target.empty() ? vfs::FileType::kFile : vfs::FileType::kSymlink;
      entry.target = one.target;
      draft.SetLink(draft.Add(*parent, std::move(entry)), one.link);
    }
    StringSink sink;
    EXPECT_TRUE(ExportTar(*store_, *draft.Encode(session_), sink));
    return sink.text;
  }
  bool Has(const ObjectId& tree, const std::string& path) { return FindByPath(*store_, tree, path)->has_value(); }

  struct StringSink final : ByteSink {
    Status Write(std::string_view bytes) override {
      text += bytes;
      return {};
    }
    std::string text;
  };
  struct Text final : ByteSource {
    explicit Text(std::string given) : text(std::make_shared<const std::string>(std::move(given))) {}
    Result<Block> ReadBlock(size_t max) override {
      const std::string_view rest = std::string_view(*text).substr(at, max);
      at += rest.size();
      return Block{.keep = text, .bytes = rest};
    }
    void GiveBack(size_t) override {}
    std::shared_ptr<const std::string> text;
    size_t at = 0;
  };

  TemporaryDirectory scratch_;
  std::shared_ptr<Store> store_ = OpenStore(scratch_);
  Session session_ = store_->Begin();
};

TEST_F(LayerBuilderTest, AnArchiveGoesBelowADirectoryWithItsHardLinks) {
  LayerBuilder builder(session_, {});
  Text root(Archive({{.path = "etc/mark"}})), work(Archive({{.path = "a", .link = 1}, {.path = "d/b", .link = 1}}));
  ASSERT_TRUE(builder.Add(root, false));
  ASSERT_TRUE(builder.Add(work, false, "work/here"));
  const auto made = builder.Finish();
  ASSERT_TRUE(made);
  for (const char* const path : {"etc/mark", "work/here/a", "work/here/d/b"}) EXPECT_TRUE(Has(made->tree, path)) << path;
  EXPECT_FALSE(Has(made->tree, "a"));
  EXPECT_EQ(made->totals.entries, 7u);
}

TEST_F(LayerBuilderTest, WhatIsRemovedGoesAndItsOtherNamesStay) {
  LayerBuilder builder(session_, {});
  Text root(Archive({{.path = ".mark", .link = 1}, {.path = "dev/null"}, {.path = "mark", .link = 1}, {.path = "link", .link = 0, .target = "dev"}, {.path = "file"}}));
  ASSERT_TRUE(builder.Add(root, false));
  for (const char* const path : {".mark", "dev/", "link/", "absent/below", "file/below", "/", ""}) builder.Remove(path);
  const auto made = builder.Finish();
  ASSERT_TRUE(made);
  for (const char* const path : {"dev", "mark", "link", "file"}) EXPECT_TRUE(Has(made->tree, path)) << path;
  for (const char* const path : {".mark", "dev/null"}) EXPECT_FALSE(Has(made->tree, path)) << path;
}

TEST_F(LayerBuilderTest, BelowIsNoWayOut) {
  LayerBuilder builder(session_, {});
  Text work(Archive({{.path = "a"}}));
  const auto refused = builder.Add(work, false, "../work");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kSyntax);
}

}  // namespace
}  // namespace paddock::trees
