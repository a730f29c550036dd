#include "registry/states/directory_keeper.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "drivers/process/process_driver.h"   // allow(layers): a real driver under test
#include "registry/registry.h"
#include "sandbox/diagnosis.h"

namespace paddock::registry {
namespace {

using namespace std::chrono_literals;

class DirectoryKeeperTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const sandbox::Check& check : dynamic_cast<sandbox::Diagnosable&>(*driver_).Diagnose()) {
      if (check.state == sandbox::Check::State::kMissing) GTEST_SKIP() << check.name << ": " << check.detail;
    }
    std::string pattern = (std::filesystem::temp_directory_path() / "walled-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    Open();
  }
  void TearDown() override {
    registry_.reset();
    if (!directory_.empty()) std::filesystem::remove_all(directory_);
  }
  void Open() {
    registry_.reset();
    records_.reset();
    records_ = std::move(*records::Records::Open({.location = directory_ + "/db"}));
    RegistrySettings settings;
    settings.directory = directory_ + "/data";
    if (store_ == nullptr) store_ = *trees::Store::Open(directory_ + "/trees");
    settings.snapshots = std::make_shared<Snapshots>(store_, *records_, KeptLimits{});
    settings.templates = std::make_shared<Templates>(store_, *records_, KeptLimits{});
    std::filesystem::create_directories(settings.directory);
    settings.unpacked = *UnpackedTemplates::Open(store_, settings.directory + "/templates");
    settings.isolations["process"] = [this, unpacked = settings.unpacked](const SandboxInfo& info, const std::string& directory) {
      return DirectoryKeeper::Make(*driver_, info, directory, unpacked);
    };
    settings.beginners["process"] = {.begin = DirectoryKeeper::Begin};
    auto opened = Registry::Open(std::move(settings), *records_);
    ASSERT_TRUE(opened) << opened.error().Text();
    registry_ = std::move(*opened);
  }
  std::string Out(const std::string& id, const std::string& script) {
    std::string output;
    const auto ended = registry_->Exec(caller_, id, {.script = script}, [&](sandbox::Stream, std::string_view bytes) { output += bytes; });
    return ended ? output : std::string(ended.error().Text());
  }

  const Caller caller_{.owner = "o"};
  std::string directory_;
  std::unique_ptr<sandbox::Driver> driver_ = sandbox::MakeProcessDriver();
  std::shared_ptr<trees::Store> store_;
  std::unique_ptr<records::Records> records_;
  std::unique_ptr<Registry> registry_;
};

TEST_F(DirectoryKeeperTest, WorkspaceAndHomeOutliveTheWall) {
  const auto created = registry_->Create(caller_, {.isolation = "process"});
  ASSERT_TRUE(created) << created.error().Text();
  const std::string id = created->sandbox.id;
  EXPECT_EQ(Out(id, "echo text > file; echo more > ~/kept; mkdir -p d/e; chmod 000 d"), "");
  EXPECT_TRUE(registry_->Stop(caller_, id, false));
  EXPECT_TRUE(registry_->Start(caller_, id));
  EXPECT_EQ(Out(id, "cat file ~/kept"), "text\nmore\n");
  Open();
  EXPECT_EQ(Out(id, "cat file"), "text\n");
  EXPECT_TRUE(registry_->Delete(caller_, id));
  EXPECT_TRUE(std::filesystem::is_empty(directory_ + "/data/sandboxes"));
}

TEST_F(DirectoryKeeperTest, ExecsAndFilesGoSideBySide) {
  const std::string id = registry_->Create(caller_, {.isolation = "process"})->sandbox.id;
  const auto waiting = registry_->StartProcess(caller_, id, {.script = "until [ -e go ]; do sleep 0.02; done; echo went"});
  ASSERT_TRUE(waiting);
  {
    auto files = registry_->Files(caller_, id, std::chrono::steady_clock::now() + 60s);
    ASSERT_TRUE(files) << files.error().Text();
    EXPECT_TRUE(vfs::WriteFile(**files, directory_ + "/data/sandboxes/" + id + "/workspace/go", ""));
    EXPECT_TRUE(files->Commit());
  }
  EXPECT_TRUE((*waiting)->WaitUntil(std::chrono::steady_clock::now() + 60s));
  EXPECT_EQ((*waiting)->output().Read(0, 100, {}).pieces.at(0).bytes, "went\n");
}

TEST_F(DirectoryKeeperTest, StatesAreTakenPutBackAndForked) {
  const std::string id = registry_->Create(caller_, {.isolation = "process"})->sandbox.id;
  EXPECT_EQ(Out(id, "echo one > f; ln f g; echo h > ~/h"), "");
  const auto taken = registry_->TakeSnapshot(caller_, id, {.name = "s"});
  ASSERT_TRUE(taken) << taken.error().Text();
  EXPECT_EQ(Out(id, "rm f; echo two > g; rm ~/h"), "");
  const auto forks = registry_->Fork(caller_, id, {.count = 1});
  ASSERT_TRUE(forks && (*forks)[0].sandbox) << (forks ? (*forks)[0].error->Text() : forks.error().Text());
  const auto back = registry_->Restore(caller_, id, "s", false);
  ASSERT_TRUE(back) << back.error().Text();
  EXPECT_EQ(Out(id, "cat f g ~/h"), "one\none\nh\n");
  EXPECT_EQ(Out((*forks)[0].sandbox->id, "ls; cat g; ls ~"), "g\ntwo\n");
  const auto waiting = registry_->StartProcess(caller_, id, {.script = "until [ -e go ]; do sleep 0.02; done"});
  ASSERT_TRUE(waiting);
  EXPECT_EQ(registry_->TakeSnapshot(caller_, id, {}).error().code, Code::kBusy);
  EXPECT_EQ(registry_->Restore(caller_, id, "s", false).error().code, Code::kBusy);
  EXPECT_TRUE(registry_->Restore(caller_, id, "s", true));
  trees::Session session = store_->Begin();
  const auto creation = registry_->CaptureCreation(caller_, (*forks)[0].sandbox->id, session);
  ASSERT_TRUE(creation) << creation.error().Text();
  EXPECT_NE(*creation, taken->state.files);
  Open();
  EXPECT_EQ(Out(id, "cat f"), "one\n");
}

TEST_F(DirectoryKeeperTest, AStateThatWasReadyWhenTheDaemonDiedIsTaken) {
  const std::string id = registry_->Create(caller_, {.isolation = "process"})->sandbox.id;
  EXPECT_EQ(Out(id, "echo old > f; mkdir d"), "");
  registry_.reset();
  const std::string own = directory_ + "/data/sandboxes/" + id;
  for (const char* below : {"/ready", "/ready/workspace", "/next", "/next/workspace"}) std::filesystem::create_directory(own + below);
  std::ofstream(own + "/ready/workspace/f") << "new\n";
  std::ofstream(own + "/next/workspace/f") << "half\n";
  Open();
  EXPECT_EQ(Out(id, "cat f; ls"), "new\nf\n");
  EXPECT_FALSE(std::filesystem::exists(own + "/ready"));
  EXPECT_FALSE(std::filesystem::exists(own + "/next"));
}

TEST_F(DirectoryKeeperTest, SeesNothingOfTheOthers) {
  const std::string a = registry_->Create(caller_, {.isolation = "process"})->sandbox.id;
  const std::string b = registry_->Create(caller_, {.isolation = "process"})->sandbox.id;
  EXPECT_EQ(Out(a, "echo secret > file"), "");
  EXPECT_EQ(Out(b, "cat " + directory_ + "/data/sandboxes/" + a + "/workspace/file 2>/dev/null || echo hidden"), "hidden\n");
  EXPECT_EQ(Out(b, "ls " + directory_ + "/data/sandboxes " + directory_ + " 2>/dev/null | grep -c " + a + " || true"), "0\n");
}

}  // namespace
}  // namespace paddock::registry
