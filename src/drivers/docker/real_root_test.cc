#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/id.h"
#include "drivers/docker/engine/images.h"
#include "drivers/docker/engine/real_engine_for_test.h"
#include "drivers/docker/root_images.h"
#include "guest/protocol/tar.h"

namespace paddock::docker {
namespace {

// A root of one directory; an archive that breaks off if it is to.
class Root {
 public:
  explicit Root(char digit) { tree_.name = std::string(64, digit); }
  sandbox::RootTree Tree() {
    tree_.open = [this]() -> Result<std::unique_ptr<ByteSource>> {
      ++opened;
      return std::unique_ptr<ByteSource>(std::make_unique<Source>(*this));
    };
    return tree_;
  }
  std::atomic<int> opened{0};
  bool breaks = false;

 private:
  class Source final : public ByteSource {
   public:
    explicit Source(const Root& root) : root_(root) {
      auto text = std::make_shared<std::string>();
      for (const char* const name : {"bin/", "workspace/"}) *text += guest::EncodeTarHeader({.kind = guest::TarEntry::Kind::kDirectory, .name = name, .mode = 0755});
      if (!root.breaks) *text += guest::TarEnd();
      text_ = text;
    }
    Result<Block> ReadBlock(size_t max) override {
      const std::string_view rest = std::string_view(*text_).substr(at_, max);
      at_ += rest.size();
      if (rest.empty() && root_.breaks) return Error(Code::kIo, "the store is damaged");
      return Block{.keep = text_, .bytes = rest};
    }
    void GiveBack(size_t) override {}

   private:
    const Root& root_;
    std::shared_ptr<const std::string> text_;
    size_t at_ = 0;
  };
  sandbox::RootTree tree_;
};

class RealEngineRoot : public RealEngine {
 protected:
  void TearDown() override {
    for (const auto& engine : engines_) {
      ASSERT_TRUE(images_.Sweep(*engine, [](const std::string&) { return false; }));
      EXPECT_EQ(Count(*engine), 0u);
    }
    RealEngine::TearDown();
  }
  size_t Count(const Engine& engine) {
    const auto found = ListImages(engine, {std::string("org.paddock.deployment=") + deployment_});
    EXPECT_TRUE(found) << found.error().message;
    return found ? found->size() : 0;
  }

  const std::string deployment_ = NewId("t");
  RootImages images_{deployment_};
};

TEST_F(RealEngineRoot, ManyThatWantOneAtOnceWaitForOneImport) {
  for (const auto& engine : engines_) {
    Root root('a');
    const sandbox::RootTree tree = root.Tree();
    std::vector<std::string> ids(8);
    std::vector<std::thread> threads;
    for (std::string& id : ids) {
      threads.emplace_back([&] {
        const auto held = images_.Get(*engine, tree, ImageOwner{});
        EXPECT_TRUE(held) << held.error().message;
        if (held) id = held->image;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(root.opened, 1);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), ids[0]), 8);
    EXPECT_EQ(Count(*engine), 2u) << "as it came, and with the workspace";
    EXPECT_TRUE(RootImages(deployment_).Get(*engine, tree, ImageOwner{})) << "by another process";
    EXPECT_EQ(root.opened, 1);
    ASSERT_TRUE(images_.Drop(*engine, tree.name));
    EXPECT_EQ(Count(*engine), 0u);
  }
}

TEST_F(RealEngineRoot, AnArchiveThatBreaksOffLeavesNoImage) {
  for (const auto& engine : engines_) {
    Root root('b');
    root.breaks = true;
    const sandbox::RootTree tree = root.Tree();
    const auto refused = images_.Get(*engine, tree, std::nullopt);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("the store is damaged"), std::string::npos) << refused.error().message;
    for (int look = 0; look < 10; ++look) {   // Podman would make one of what it has, a moment later
      EXPECT_EQ(Count(*engine), 0u);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    root.breaks = false;
    EXPECT_TRUE(images_.Get(*engine, tree, std::nullopt));
  }
}

TEST_F(RealEngineRoot, WhatAContainerStandsOnStaysAndOthersImagesToo) {
  for (const auto& engine : engines_) {
    Root root('c'), held('d');
    const sandbox::RootTree tree = root.Tree();
    auto image = images_.Get(*engine, tree, ImageOwner{});
    ASSERT_TRUE(image);
    ContainerSpec spec = Script(*engine, "true");
    spec.image = image->image;
    const auto container = CreateContainer(*engine, "paddock-test-" + NewId("root_"), spec);
    ASSERT_TRUE(container) << container.error().message;
    image->hold.reset();
    const auto waits = images_.Get(*engine, held.Tree(), std::nullopt);
    ASSERT_TRUE(waits);
    RootImages others("other" + deployment_);
    ASSERT_TRUE(others.Sweep(*engine, [](const std::string&) { return false; }));
    ASSERT_TRUE(images_.Sweep(*engine, [](const std::string&) { return false; }));
    EXPECT_TRUE(InspectImage(*engine, image->image)) << "of the container";
    EXPECT_TRUE(InspectContainer(*engine, container->id));
    EXPECT_TRUE(InspectImage(*engine, waits->image)) << "held";
    EXPECT_TRUE(InspectImage(*engine, "localhost/base:1"));
    ASSERT_TRUE(RemoveContainer(*engine, container->id));
  }
}

TEST_F(RealEngineRoot, ForAnotherMachineIsRefusedWithoutAnImport) {
  for (const auto& engine : engines_) {
    Root root('e');
    sandbox::RootTree tree = root.Tree();
    tree.machine = "s390x";
    const auto refused = images_.Get(*engine, tree, std::nullopt);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kNotSupported);
    EXPECT_EQ(root.opened, 0);
  }
}

}  // namespace
}  // namespace paddock::docker
