#include "registry/states/state_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "registry/states/kept_state.h"
#include "registry/states/state_diff.h"
#include "vfs/memory_volume.h"

namespace paddock::registry {
namespace {

class StateFileTest : public testing::Test {
 protected:
  StateFileTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "state-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    store_ = std::move(*trees::Store::Open(directory_ + "/trees"));
  }
  ~StateFileTest() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }

  class Source final : public ByteSource {
   public:
    explicit Source(std::string_view bytes) : bytes_(bytes) {}
    Result<Block> ReadBlock(size_t max) override {
      const std::string_view some = bytes_.substr(0, std::min<size_t>(max, 7));   // in small pieces
      bytes_.remove_prefix(some.size());
      return Block{.keep = nullptr, .bytes = some};
    }
    void GiveBack(size_t) override {}

   private:
    std::string_view bytes_;
  };
  class Sink final : public ByteSink {
   public:
    Status Write(std::string_view some) override {
      bytes += some;
      return {};
    }
    std::string bytes;
  };

  SavedState Make(trees::Session& session, const std::string& content, const std::string& shell) {
    vfs::MemoryVolume volume(SystemClock(), vfs::Quota{});
    EXPECT_TRUE(volume.CreateFile(volume.root(), "file", 0644, content));
    const auto captured = trees::Capture(session, volume);
    EXPECT_TRUE(captured);
    return {.files = captured->tree, .totals = captured->totals, .shell = shell};
  }

  std::string directory_;
  std::shared_ptr<trees::Store> store_;
};

TEST_F(StateFileTest, WhatIsWrittenIsReadAgain) {
  trees::Session session = store_->Begin();
  const SavedState state = Make(session, "text\n", std::string("shell\0bytes\n", 12));
  Sink sink;
  ASSERT_TRUE(WriteStateFile(*store_, state, "virtual", sink));
  const auto other = *trees::Store::Open(directory_ + "/other");
  trees::Session into = other->Begin();
  Source source(sink.bytes);
  const auto read = ReadStateFile(into, source);
  ASSERT_TRUE(read) << read.error().Text();
  EXPECT_EQ(read->state.files, state.files);
  EXPECT_EQ(read->state.shell, state.shell);
  EXPECT_EQ(read->isolation, "virtual");
  EXPECT_EQ(read->state.totals.content_bytes, 5u);
}

TEST_F(StateFileTest, DamageIsRefusedAtEveryByte) {
  trees::Session session = store_->Begin();
  const SavedState state = Make(session, "text\n", "shell");
  Sink sink;
  ASSERT_TRUE(WriteStateFile(*store_, state, "virtual", sink));
  for (size_t size = 0; size < sink.bytes.size(); ++size) {
    Source source(std::string_view(sink.bytes).substr(0, size));
    const auto read = ReadStateFile(session, source);
    EXPECT_FALSE(read) << size;
  }
  for (size_t at = 28; at < sink.bytes.size(); ++at) {   // behind the isolation's name
    std::string bytes = sink.bytes;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x41);
    Source source(bytes);
    const auto read = ReadStateFile(session, source);
    EXPECT_TRUE(!read || (read->state.files == state.files && read->state.shell == state.shell)) << at;
  }
  const std::string long_shell = "paddock snapshot 1\nvirtual 99999999999 0\n";
  Source source(long_shell);
  EXPECT_EQ(ReadStateFile(session, source).error().code, Code::kLimit);
}

TEST_F(StateFileTest, WhatLiesBelowIsInTheFileToo) {
  trees::Session session = store_->Begin();
  SavedState state = Make(session, "changed\n", "");
  state.base = Make(session, std::string(700'000, 'b') + "base", "").files;
  Sink sink;
  ASSERT_TRUE(WriteStateFile(*store_, state, "process", sink));
  const auto other = *trees::Store::Open(directory_ + "/other");
  trees::Session into = other->Begin();
  Source source(sink.bytes);
  const auto read = ReadStateFile(into, source);
  ASSERT_TRUE(read) << read.error().Text();
  EXPECT_EQ(read->state.files, state.files);
  EXPECT_EQ(read->state.base, state.base);
  EXPECT_EQ(read->state.totals.content_bytes, 8u + 700'004u);
  EXPECT_TRUE(other->Has(*state.base));
}

TEST_F(StateFileTest, WhatLiesBelowAndIsTheSameIsInTheFileOnce) {
  trees::Session session = store_->Begin();
  SavedState state = Make(session, std::string(300'000, 'r') + "root", "");
  Sink alone;
  ASSERT_TRUE(WriteStateFile(*store_, state, "container", alone));
  state.base = state.files;
  Sink sink;
  ASSERT_TRUE(WriteStateFile(*store_, state, "container", sink));
  EXPECT_LT(sink.bytes.size(), alone.bytes.size() + 100);
  const auto other = *trees::Store::Open(directory_ + "/other");
  trees::Session into = other->Begin();
  Source source(sink.bytes);
  const auto read = ReadStateFile(into, source);
  ASSERT_TRUE(read) << read.error().Text();
  EXPECT_EQ(read->state.files, state.files);
  EXPECT_EQ(read->state.base, state.base);
  EXPECT_EQ(read->state.totals.content_bytes, 300'004u);
}

TEST_F(StateFileTest, DamageOfAFileWithTwoTreesIsRefused) {
  trees::Session session = store_->Begin();
  SavedState state = Make(session, "text\n", "");
  state.base = Make(session, "base\n", "").files;
  Sink sink;
  ASSERT_TRUE(WriteStateFile(*store_, state, "process", sink));
  for (size_t size = 0; size < sink.bytes.size(); ++size) {
    Source source(std::string_view(sink.bytes).substr(0, size));
    EXPECT_FALSE(ReadStateFile(session, source)) << size;
  }
  for (size_t at = 28; at < sink.bytes.size(); ++at) {
    std::string bytes = sink.bytes;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x41);
    Source source(bytes);
    const auto read = ReadStateFile(session, source);
    EXPECT_TRUE(!read || (read->state.files == state.files && read->state.base == state.base)) << at;
  }
  Source longer(sink.bytes += "x");
  EXPECT_FALSE(ReadStateFile(session, longer));
}

TEST_F(StateFileTest, AKeptStateIsTheSameAgain) {
  trees::Session session = store_->Begin();
  for (const std::string shell : {"", "some shell"}) {
    const SavedState state = Make(session, "x", shell);
    const auto kept = KeepState(session, state, "virtual", "sbx_a");
    ASSERT_TRUE(kept) << kept.error().Text();
    const auto told = ReadKeptState(TextOf(*kept));
    ASSERT_TRUE(told) << told.error().Text();
    const auto read = ReadState(session, *told);
    ASSERT_TRUE(read) << read.error().Text();
    EXPECT_EQ(read->files, state.files);
    EXPECT_EQ(read->shell, shell);
    EXPECT_EQ(told->origin, "sbx_a");
  }
  EXPECT_FALSE(ReadKeptState("{}"));
  EXPECT_FALSE(ReadKeptState("[1"));
  EXPECT_FALSE(ReadKeptState(R"({"version":1,"files":"sha256:00","entries":1,"content_bytes":1,"isolation":"v","origin":""})"));
}

TEST_F(StateFileTest, DifferencesAreToldWithPatchesAndBounds) {
  trees::Session session = store_->Begin();
  const SavedState before = Make(session, "one\n", ""), after = Make(session, "two\n", "");
  const auto diff = DiffStates(*store_, before.files, after.files, {.wants_patches = true});
  ASSERT_TRUE(diff) << diff.error().Text();
  ASSERT_EQ(diff->changes.size(), 1u);
  EXPECT_EQ(diff->changes[0].path, "/file");
  EXPECT_EQ(diff->changes[0].patch, "@@ -1 +1 @@\n-one\n+two\n");
  EXPECT_TRUE(diff->is_complete);
  EXPECT_FALSE(DiffStates(*store_, before.files, after.files, {.most = 0})->is_complete);
  EXPECT_TRUE(DiffStates(*store_, before.files, after.files, {.below = "/elsewhere"})->changes.empty());
}

}  // namespace
}  // namespace paddock::registry
