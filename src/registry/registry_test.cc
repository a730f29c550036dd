#include "registry/registry.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "commands/table.h"                 // allow(layers): a real driver under test
#include "drivers/virtual/virtual_driver.h"   // allow(layers): a real driver under test
#include "registry/states/keeper_for_test.h"

namespace paddock::registry {
namespace {

using namespace std::chrono_literals;

class RegistryTest : public testing::Test {
 protected:
  RegistryTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "registry-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    Open();
  }
  ~RegistryTest() override {
    registry_.reset();
    records_.reset();
    std::filesystem::remove_all(directory_);
  }

  void Open() {
    registry_.reset();
    records_.reset();
    records_ = std::move(*records::Records::Open({.location = directory_ + "/db"}));
    auto opened = Registry::Open(Settings(), *records_);
    ASSERT_TRUE(opened) << opened.error().Text();
    registry_ = std::move(*opened);
  }
  RegistrySettings Settings() {
    RegistrySettings settings;
    settings.directory = directory_ + "/data";
    settings.most_per_owner = 5;
    settings.most_containers_per_owner = 2;
    settings.isolations["container"] = [this](const SandboxInfo&, const std::string& directory) -> Result<std::unique_ptr<Keeper>> {
      return std::unique_ptr<Keeper>(std::make_unique<FileKeeperForTest>(*driver_, directory));
    };
    settings.isolations["unkept"] = [](const SandboxInfo&, const std::string&) -> Result<std::unique_ptr<Keeper>> { return Error(Code::kUnavailable, "no keeper"); };
    settings.isolations["virtual"] = [this](const SandboxInfo&, const std::string& directory) -> Result<std::unique_ptr<Keeper>> {
      return std::unique_ptr<Keeper>(std::make_unique<FileKeeperForTest>(*driver_, directory));
    };
    settings.isolations["broken"] = [this](const SandboxInfo&, const std::string&) -> Result<std::unique_ptr<Keeper>> {
      return std::unique_ptr<Keeper>(std::make_unique<FileKeeperForTest>(*refuses_, directory_ + "/none"));
    };
    return settings;
  }
  SandboxInfo Make(const Caller& caller, SandboxRequest request = {}) {
    auto created = registry_->Create(caller, std::move(request));
    EXPECT_TRUE(created) << created.error().Text();
    return created ? created->sandbox : SandboxInfo();
  }
  std::string Out(const Caller& caller, std::string_view id, const std::string& script) {
    std::string output;
    const auto ended = registry_->Exec(caller, id, {.script = script, .keeps_shell = true}, [&](sandbox::Stream, std::string_view bytes) { output += bytes; });
    return ended ? output : std::string(ended.error().Text());
  }
  std::vector<std::string> EventsOf(const Caller& caller) {
    std::vector<std::string> types;
    const auto read = registry_->events().Read(caller.owner, 0, 100);
    for (const Event& event : read->events) types.push_back(event.type);
    return types;
  }

  class Refuses final : public sandbox::Driver {
   public:
    const char* name() const override { return "broken"; }
    Result<std::unique_ptr<sandbox::Sandbox>> Create(const sandbox::SandboxSpec&) override { return Error(Code::kUnavailable, "not on this host"); }
  };

  const Caller alice_{.owner = "alice"}, bob_{.owner = "bob"}, admin_{.owner = "root", .is_admin = true};
  std::unique_ptr<sandbox::Driver> driver_ = sandbox::MakeVirtualDriver(AllCommands());
  std::unique_ptr<sandbox::Driver> refuses_ = std::make_unique<Refuses>();
  std::string directory_;
  std::unique_ptr<records::Records> records_;
  std::unique_ptr<Registry> registry_;
};

TEST_F(RegistryTest, CreatesRunsAndDeletes) {
  const SandboxInfo made = Make(alice_, {.name = "dev", .labels = {{"for", "tests"}}});
  EXPECT_EQ(Out(alice_, made.id, "echo hi; x=1"), "hi\n");
  EXPECT_EQ(Out(alice_, "dev", "echo $x"), "1\n");
  EXPECT_EQ(registry_->Get(alice_, "dev")->id, made.id);
  EXPECT_TRUE(registry_->Delete(alice_, made.id));
  EXPECT_EQ(registry_->Get(alice_, made.id).error().code, Code::kNoEntry);
  EXPECT_EQ(registry_->Delete(alice_, made.id).error().code, Code::kNoEntry);
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/data/sandboxes/" + made.id));
  EXPECT_EQ(EventsOf(alice_), (std::vector<std::string>{"sandbox.created", "sandbox.deleted"}));
}

TEST_F(RegistryTest, WhatIsSomebodyElsesIsAbsent) {
  const std::string id = Make(alice_, {.name = "dev"}).id;
  const Error absent = registry_->Get(bob_, "sbx_aaaaaaaaaaaaaaaaaaaa").error();
  const Error other = registry_->Get(bob_, id).error();
  EXPECT_EQ(other.code, absent.code);
  EXPECT_EQ(std::string(other.Text()).size(), std::string(absent.Text()).size());
  EXPECT_EQ(registry_->Get(bob_, "dev").error().code, Code::kNoEntry);
  EXPECT_EQ(registry_->Exec(bob_, id, {.script = ":"}).error().code, Code::kNoEntry);
  EXPECT_EQ(registry_->Files(bob_, id, {}).error().code, Code::kNoEntry);
  EXPECT_EQ(registry_->Delete(bob_, id).error().code, Code::kNoEntry);
  EXPECT_EQ(registry_->Pause(bob_, id, true).error().code, Code::kNoEntry);
  EXPECT_EQ(registry_->Extend(bob_, id, {}).error().code, Code::kNoEntry);
  EXPECT_TRUE(registry_->List(bob_, {})->sandboxes.empty());
  EXPECT_TRUE(registry_->List(bob_, {.owner = "alice"})->sandboxes.empty());
  EXPECT_EQ(registry_->List(admin_, {})->sandboxes.size(), 1u);
  EXPECT_TRUE(registry_->Get(admin_, id));
  EXPECT_EQ(Make(bob_, {.name = "dev"}).request.name, "dev");   // names are each owner's own
}

TEST_F(RegistryTest, NamesAndKeysMakeOnlyOne) {
  const std::string id = Make(alice_, {.name = "dev"}).id;
  EXPECT_EQ(registry_->Create(alice_, {.name = "dev"}).error().code, Code::kExists);
  const auto found = registry_->Create(alice_, {.name = "dev", .takes_existing = true});
  ASSERT_TRUE(found) << found.error().Text();
  EXPECT_EQ(found->sandbox.id, id);
  EXPECT_FALSE(found->is_new);
  const auto first = registry_->Create(alice_, {}, "key-1"), again = registry_->Create(alice_, {}, "key-1");
  ASSERT_TRUE(first) << first.error().Text();
  ASSERT_TRUE(again) << again.error().Text();
  EXPECT_TRUE(first->is_new);
  EXPECT_EQ(again->sandbox.id, first->sandbox.id);
  EXPECT_EQ(registry_->Create(alice_, {.hostname = "other"}, "key-1").error().code, Code::kConflict);
  EXPECT_NE(registry_->Create(bob_, {}, "key-1")->sandbox.id, first->sandbox.id);
  EXPECT_TRUE(registry_->Delete(alice_, first->sandbox.id));
  EXPECT_EQ(registry_->Create(alice_, {}, "key-1").error().code, Code::kConflict);
}

TEST_F(RegistryTest, OwnersHaveQuotas) {
  for (int i = 0; i < 5; ++i) Make(alice_);
  EXPECT_EQ(registry_->Create(alice_, {}).error().code, Code::kQuota);
  Make(bob_);
  EXPECT_TRUE(registry_->Delete(alice_, registry_->List(alice_, {})->sandboxes[0].id));
  Make(alice_);
}

// Of Registry::Create(): how many were made, and that all others were refused for the quota, by its name.
struct Counted {
  int made = 0, refused = 0;
};
Counted CreateAtOnce(Registry& registry, const Caller& caller, const SandboxRequest& request, const char* words, const std::string& key = {}) {
  std::atomic<int> made{0}, refused{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 20; ++i) {
      threads.emplace_back([&] {
        const auto created = registry.Create(caller, request, key);
        if (created) ++made;
        else if (created.error().code == Code::kQuota && created.error().Text().find(words) != std::string_view::npos) ++refused;
      });
    }
  }
  return {made, refused};
}

TEST_F(RegistryTest, TwentyAtOnceDoNotPassAQuota) {
  const Counted all = CreateAtOnce(*registry_, alice_, {}, "quota.sandboxes");
  EXPECT_EQ(all.made, 5);
  EXPECT_EQ(all.refused, 15);
  EXPECT_EQ(registry_->count(), 5u);
  const Counted walled = CreateAtOnce(*registry_, bob_, {.isolation = "container"}, "quota.containers");
  EXPECT_EQ(walled.made, 2);
  EXPECT_EQ(walled.refused, 18);
  Make(bob_);
  EXPECT_EQ(CreateAtOnce(*registry_, bob_, {}, "quota.sandboxes").made, 2) << "of another isolation there may be more";
}

TEST_F(RegistryTest, WhatFailedTakesNoPlace) {
  for (int i = 0; i < 10; ++i) EXPECT_EQ(registry_->Create(alice_, {.isolation = "broken"}).error().code, Code::kUnavailable);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(registry_->Create(alice_, {.isolation = "unkept"}).error().code, Code::kUnavailable);
  EXPECT_EQ(CreateAtOnce(*registry_, alice_, {}, "quota.sandboxes").made, 5);
}

TEST_F(RegistryTest, ARepeatedRequestIsAnsweredAlsoWhenTheQuotaIsFull) {
  const auto first = registry_->Create(alice_, {}, "key");
  ASSERT_TRUE(first);
  for (int i = 0; i < 4; ++i) Make(alice_);
  const auto again = registry_->Create(alice_, {}, "key");
  ASSERT_TRUE(again) << again.error().Text();
  EXPECT_FALSE(again->is_new);
  EXPECT_EQ(again->sandbox.id, first->sandbox.id);
}

TEST_F(RegistryTest, QuotasCountWhatIsThereAfterANewStart) {
  for (int i = 0; i < 2; ++i) Make(alice_, {.isolation = "container"});
  Open();
  EXPECT_EQ(registry_->Create(alice_, {.isolation = "container"}).error().code, Code::kQuota);
  EXPECT_TRUE(registry_->Delete(alice_, registry_->List(alice_, {})->sandboxes[0].id));
  EXPECT_TRUE(registry_->Create(alice_, {.isolation = "container"}));
}

TEST_F(RegistryTest, OnlyAnAdministratorChoosesTheHostsPort) {
  SandboxRequest request;
  request.network.publish = {{.host = 8080, .guest = 80}};
  const auto refused = registry_->Create(alice_, request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kNotPermitted) << refused.error().Text();
  EXPECT_TRUE(registry_->Create(admin_, request));
  request.network.publish = {{.host = 0, .guest = 80}};
  EXPECT_TRUE(registry_->Create(alice_, request));
  request.network.publish = {{.host = 80, .guest = 80}};
  EXPECT_EQ(registry_->Create(admin_, request).error().code, Code::kInvalid) << "the system's";
  request.network.publish.assign(65, {.host = 0, .guest = 80});
  EXPECT_EQ(registry_->Create(alice_, request).error().code, Code::kInvalid) << "too many";
}

TEST_F(RegistryTest, WhatCannotBeMadeLeavesNothing) {
  EXPECT_EQ(registry_->Create(alice_, {.name = "x", .isolation = "broken"}, "key").error().Text(), "not on this host");
  EXPECT_EQ(registry_->count(), 0u);
  EXPECT_EQ(registry_->Create(alice_, {.isolation = "nowhere"}).error().code, Code::kInvalid);
  EXPECT_EQ(registry_->Create(alice_, {.name = "A b"}).error().code, Code::kInvalid);
  EXPECT_TRUE(registry_->Create(alice_, {.name = "x"}, "key"));   // the key is free again
}

TEST_F(RegistryTest, ListsPageByPageInOrder) {
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(Make(alice_, {.labels = {{"odd", std::to_string(i % 2)}}}).id);
  std::vector<std::string> seen;
  ListRequest request{.limit = 2};
  do {
    const auto page = registry_->List(alice_, request);
    for (const auto& info : page->sandboxes) seen.push_back(info.id);
    request.cursor = page->next;
  } while (!request.cursor.empty());
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()), std::set<std::string>(ids.begin(), ids.end()));
  EXPECT_EQ(seen.size(), ids.size());
  EXPECT_EQ(registry_->List(alice_, {.labels = {{"odd", "1"}}})->sandboxes.size(), 2u);
  EXPECT_EQ(registry_->List(alice_, {.limit = 0}).error().code, Code::kInvalid);
  EXPECT_EQ(registry_->List(alice_, {.cursor = "12.sbx_../../etc/passwd"}).error().code, Code::kInvalid);
}

TEST_F(RegistryTest, ComesBackAsItWas) {
  const std::string a = Make(alice_, {.name = "a", .labels = {{"k", "v"}}}).id, b = Make(alice_, {.name = "b"}).id;
  EXPECT_EQ(Out(alice_, a, "echo state > kept"), "");
  EXPECT_TRUE(registry_->Pause(alice_, b, false));
  Open();
  EXPECT_EQ(registry_->Get(alice_, "a")->request.labels, (Labels{{"k", "v"}}));
  EXPECT_EQ(Out(alice_, "a", "cat kept"), "state\n");
  EXPECT_EQ(registry_->Get(alice_, b)->state, SandboxState::kPaused);
  EXPECT_EQ(registry_->Exec(alice_, b, {.script = ":"}).error().code, Code::kUnavailable);
  EXPECT_EQ(registry_->Start(alice_, b)->state, SandboxState::kRunning);
}

TEST_F(RegistryTest, AStartFinishesWhatACrashBegan) {
  const std::string kept = Make(alice_).id, half = Make(alice_).id;
  registry_.reset();
  auto record = *records_->Get("sandbox", half);
  record.state = "deleting";
  ASSERT_TRUE(records_->Update(record));
  const std::string orphan = directory_ + "/data/sandboxes/sbx_aaaaaaaaaaaaaaaaaaaa";
  std::filesystem::create_directories(orphan + "/deep");
  Open();
  EXPECT_TRUE(registry_->Get(alice_, kept));
  EXPECT_EQ(registry_->Get(alice_, half).error().code, Code::kNoEntry);
  EXPECT_EQ(records_->Get("sandbox", half).error().code, Code::kNoEntry);
  EXPECT_FALSE(std::filesystem::exists(orphan));
  EXPECT_TRUE(std::filesystem::exists(directory_ + "/data/sandboxes/" + kept));
}

TEST_F(RegistryTest, OneDaemonADirectory) {
  const auto second = Registry::Open(Settings(), *records_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kBusy);
}

TEST_F(RegistryTest, LeasesEnd) {
  const std::string idle = Make(alice_, {.lease = {.idle_ttl = 60s}}).id;
  const std::string gone = Make(alice_, {.lease = {.ttl = 60s, .on_expiry = OnExpiry::kDelete}, .has_on_expiry = true}).id;
  const std::string longest = Make(alice_, {.lease = {.max_lifetime = 1h, .on_expiry = OnExpiry::kPause}}).id;
  const Time start = Now();
  registry_->Sweep(start + 30s);
  EXPECT_EQ(registry_->Get(alice_, idle)->state, SandboxState::kRunning);
  registry_->Sweep(start + 2min);
  EXPECT_EQ(registry_->Get(alice_, idle)->state, SandboxState::kPaused);
  EXPECT_EQ(registry_->Get(alice_, gone).error().code, Code::kNoEntry);
  EXPECT_EQ(Out(alice_, idle, "echo awake"), "awake\n");
  EXPECT_EQ(registry_->Get(alice_, idle)->state, SandboxState::kRunning);
  registry_->Sweep(start + 2h);
  registry_->Sweep(start + 2h);   // the first one found it idle
  EXPECT_EQ(registry_->Get(alice_, longest).error().code, Code::kNoEntry);
}

TEST_F(RegistryTest, ProcessesRunWithoutAnybodyWaiting) {
  const std::string id = Make(alice_).id;
  const auto process = registry_->StartProcess(alice_, id, {.script = "read line; echo got $line", .has_open_input = true});
  ASSERT_TRUE(process);
  EXPECT_TRUE((*process)->Write("text\n", std::chrono::steady_clock::now() + 60s));
  EXPECT_TRUE((*process)->WaitUntil(std::chrono::steady_clock::now() + 60s));
  const auto found = registry_->FindProcess(alice_, id, (*process)->id());
  EXPECT_EQ((*found)->output().Read(0, 100, {}).pieces.at(0).bytes, "got text\n");
  EXPECT_EQ(registry_->FindProcess(bob_, id, (*process)->id()).error().code, Code::kNoEntry);
  EXPECT_EQ(registry_->FindProcess(alice_, id, "proc_none").error().code, Code::kNoEntry);
}

TEST_F(RegistryTest, ListenersHearTheirOwnersEvents) {
  std::vector<std::string> heard;
  const uint64_t number = registry_->events().Listen("alice", [&](const Event& event) { heard.push_back(event.type + std::to_string(event.sequence)); });
  Make(bob_);
  const std::string id = Make(alice_).id;
  EXPECT_TRUE(registry_->Stop(alice_, id, false));
  EXPECT_EQ(heard, (std::vector<std::string>{"sandbox.created1", "sandbox.stopped2"}));
  registry_->events().StopListening(number);
  EXPECT_TRUE(registry_->Delete(alice_, id));
  EXPECT_EQ(heard.size(), 2u);
}

}  // namespace
}  // namespace paddock::registry
