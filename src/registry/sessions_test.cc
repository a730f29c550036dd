#include "registry/sessions.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "commands/table.h"                   // allow(layers): a real driver under test
#include "drivers/virtual/virtual_driver.h"   // allow(layers): a real driver under test
#include "registry/states/keeper_for_test.h"

namespace paddock::registry {
namespace {

class SessionsTest : public testing::Test {
 protected:
  SessionsTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "sessions-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    Open();
  }
  ~SessionsTest() override {
    Close();
    std::filesystem::remove_all(directory_);
  }
  void Close() {
    sessions_.reset();
    registry_.reset();
    records_.reset();
  }
  void Open() {
    Close();
    records_ = std::move(*records::Records::Open({.location = directory_ + "/db"}));
    RegistrySettings settings;
    settings.directory = directory_ + "/data";
    settings.most_per_owner = 4;
    settings.default_lease = {.ttl = std::chrono::hours(1)};
    settings.isolations["virtual"] = [this](const SandboxInfo&, const std::string& directory) -> Result<std::unique_ptr<Keeper>> {
      return std::unique_ptr<Keeper>(std::make_unique<FileKeeperForTest>(*driver_, directory));
    };
    settings.isolations["container"] = settings.isolations["virtual"];
    registry_ = std::move(*Registry::Open(std::move(settings), *records_));
    auto opened = Sessions::Open({.most_per_owner = 3, .most_sandboxes = 2, .most_containers = 1, .most_keys = 3, .most_key_bytes = 100}, *registry_, *records_);
    ASSERT_TRUE(opened) << opened.error().Text();
    sessions_ = std::move(*opened);
  }
  std::string Make(const Caller& caller, const std::string& name = {}) {
    auto made = sessions_->Create(caller, {.name = name, .labels = {}, .definition = "{}"});
    EXPECT_TRUE(made) << made.error().Text();
    return made ? made->id : "";
  }
  std::shared_ptr<Session> Get(const std::string& id) { return *sessions_->Find(alice_, id); }

  const Caller alice_{.owner = "alice"}, bob_{.owner = "bob"}, admin_{.owner = "root", .is_admin = true};
  std::unique_ptr<sandbox::Driver> driver_ = sandbox::MakeVirtualDriver(AllCommands());
  std::string directory_;
  std::unique_ptr<records::Records> records_;
  std::unique_ptr<Registry> registry_;
  std::unique_ptr<Sessions> sessions_;
};

TEST_F(SessionsTest, AreFoundByIdAndNameAndListed) {
  const std::string id = Make(alice_, "work");
  EXPECT_EQ(Get(id)->info().request.name, "work");
  EXPECT_EQ(Get("work")->info().id, id);
  EXPECT_EQ(sessions_->Create(alice_, {.name = "work", .labels = {}, .definition = {}}).error().code, Code::kExists);
  EXPECT_EQ(sessions_->Create(alice_, {.name = "ses_x", .labels = {}, .definition = {}}).error().code, Code::kInvalid);
  const std::string other = Make(alice_);
  const SessionPage first = *sessions_->List(alice_, {.name = {}, .owner = {}, .labels = {}, .limit = 1, .cursor = {}});
  ASSERT_EQ(first.sessions.size(), 1u);
  const SessionPage second = *sessions_->List(alice_, {.name = {}, .owner = {}, .labels = {}, .limit = 1, .cursor = first.next});
  ASSERT_EQ(second.sessions.size(), 1u);
  // Within one millisecond the order is that of the ids.
  EXPECT_EQ((std::set{first.sessions[0].id, second.sessions[0].id}), (std::set{id, other}));
  Make(alice_);
  EXPECT_EQ(sessions_->Create(alice_, {}).error().code, Code::kQuota);
}

TEST_F(SessionsTest, WhatIsSomebodyElsesIsAbsent) {
  const std::string id = Make(alice_, "work");
  EXPECT_EQ(sessions_->Find(bob_, id).error().Text(), "no session '" + id + "'");
  EXPECT_EQ(sessions_->Find(bob_, "ses_aaaaaaaaaaaaaaaaaaaa").error().Text(), "no session 'ses_aaaaaaaaaaaaaaaaaaaa'");
  EXPECT_EQ(sessions_->Find(bob_, "work").error().code, Code::kNoEntry);
  EXPECT_EQ(sessions_->Delete(bob_, id).error().code, Code::kNoEntry);
  EXPECT_TRUE(sessions_->List(bob_, {})->sessions.empty());
  EXPECT_TRUE(sessions_->List(bob_, {.name = {}, .owner = "alice", .labels = {}, .cursor = {}})->sessions.empty());
  EXPECT_EQ(sessions_->List(admin_, {})->sessions.size(), 1u);
  EXPECT_TRUE(sessions_->Find(admin_, id));
}

TEST_F(SessionsTest, MayHaveFewerContainersThanSandboxes) {
  const std::string id = Make(alice_), other = Make(alice_);
  ASSERT_TRUE(Get(id)->Create({.isolation = "container"}, "k"));
  const auto refused = Get(id)->Create({.isolation = "container"}, "");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kQuota);
  EXPECT_NE(refused.error().Text().find("quota.session_containers"), std::string_view::npos) << refused.error().Text();
  EXPECT_TRUE(Get(id)->Create({.isolation = "container"}, "k")) << "the same one again";
  EXPECT_TRUE(Get(id)->Create({}, ""));
  EXPECT_NE(Get(id)->Create({}, "").error().Text().find("quota.session_sandboxes"), std::string_view::npos);
  EXPECT_TRUE(Get(other)->Create({.isolation = "container"}, "")) << "another session's";
}

TEST_F(SessionsTest, HaveSandboxesOfTheirOwn) {
  const std::string id = Make(alice_), other = Make(alice_);
  const SandboxInfo made = *Get(id)->Create({}, "k");
  EXPECT_EQ(made.request.name, "sandbox-1");
  EXPECT_EQ(made.request.parent, id);
  EXPECT_EQ(Get(id)->Create({}, "k")->id, made.id) << "the same key";
  EXPECT_EQ(Get(id)->Create({.name = "sandbox-1"}, "").error().code, Code::kExists);
  EXPECT_EQ(Get(id)->Create({.name = "second"}, "")->request.name, "second");
  EXPECT_EQ(Get(id)->Create({}, "").error().code, Code::kQuota);
  EXPECT_EQ(Get(id)->Find("second")->request.name, "second");
  EXPECT_EQ(Get(other)->Find(made.id).error().code, Code::kNoEntry) << "the same owner's, another session's";
  EXPECT_EQ(Get(other)->Find("sbx_aaaaaaaaaaaaaaaaaaaa").error().code, Code::kNoEntry);
  ASSERT_TRUE(registry_->Delete(alice_, made.id));
  EXPECT_EQ(Get(id)->List().size(), 1u);
  EXPECT_NE(Get(id)->Create({}, "k")->id, made.id);
}

TEST_F(SessionsTest, StorageIsOneSandboxThatNoListShowsAndNoLeaseEnds) {
  const std::string id = Make(alice_);
  const SandboxInfo storage = *Get(id)->Storage();
  EXPECT_EQ(Get(id)->Storage()->id, storage.id);
  EXPECT_FALSE(storage.expiry);
  EXPECT_TRUE(Get(id)->List().empty());
  EXPECT_EQ(Get(id)->Find(storage.id).error().code, Code::kNoEntry);
  EXPECT_TRUE(registry_->List(alice_, {})->sandboxes.empty());
  Open();
  EXPECT_EQ(Get(id)->Storage()->id, storage.id);
  EXPECT_TRUE(Get(id)->List().empty());
  ASSERT_TRUE(sessions_->Delete(alice_, id));
  EXPECT_EQ(registry_->count(), 0u);
}

TEST_F(SessionsTest, KeysAreKeptAndBounded) {
  const std::string id = Make(alice_), other = Make(alice_);
  EXPECT_TRUE(Get(id)->Set("a", "1"));
  EXPECT_TRUE(Get(id)->Set("b", "2"));
  EXPECT_TRUE(Get(id)->Set("a", std::string("3\0", 2)));
  Open();
  EXPECT_EQ(**Get(id)->Get("a"), std::string("3\0", 2));
  EXPECT_EQ(*Get(id)->Get("c"), std::nullopt);
  EXPECT_EQ(*Get(other)->Get("a"), std::nullopt);
  EXPECT_TRUE(Get(id)->Set("ab", "4"));
  EXPECT_EQ(*Get(id)->Keys(""), (std::vector<std::string>{"a", "ab", "b"}));
  EXPECT_EQ(*Get(id)->Keys("a"), (std::vector<std::string>{"a", "ab"}));
  EXPECT_EQ(Get(id)->Set("d", "").error().code, Code::kQuota) << "too many";
  EXPECT_TRUE(*Get(id)->Erase("ab"));
  EXPECT_FALSE(*Get(id)->Erase("ab"));
  EXPECT_EQ(Get(id)->Set("d", std::string(100, 'x')).error().code, Code::kQuota) << "too large";
  EXPECT_TRUE(Get(id)->Set("d", std::string(90, 'x')));
  EXPECT_EQ(Get(id)->Set("", "x").error().code, Code::kInvalid);
  EXPECT_EQ(Get(id)->Set("two\nlines", "x").error().code, Code::kInvalid);
}

TEST_F(SessionsTest, DeletingTakesAllOfItAway) {
  const std::string id = Make(alice_, "work");
  const std::shared_ptr<Session> held = Get(id);
  const std::string sandbox = held->Create({}, "")->id;
  EXPECT_TRUE(held->Set("a", "1"));
  EXPECT_TRUE(sessions_->Delete(alice_, "work"));
  EXPECT_EQ(sessions_->Find(alice_, id).error().code, Code::kNoEntry);
  EXPECT_EQ(registry_->Get(alice_, sandbox).error().code, Code::kNoEntry);
  EXPECT_EQ(*records_->Count({.kind = "session_key"}, 10), 0u);
  EXPECT_EQ(sessions_->Delete(alice_, id).error().code, Code::kNoEntry);
  EXPECT_EQ(held->Set("a", "2").error().code, Code::kNoEntry) << "whoever still holds it";
  EXPECT_EQ(held->Create({}, "").error().code, Code::kNoEntry);
  EXPECT_EQ(held->Storage().error().code, Code::kNoEntry);
}

TEST_F(SessionsTest, AStartFinishesADeletionThatACrashInterrupted) {
  const std::string id = Make(alice_, "work");
  EXPECT_TRUE(Get(id)->Create({}, ""));
  EXPECT_TRUE(Get(id)->Set("a", "1"));
  records::Record record = *records_->Get("session", id);
  record.state = "deleting";
  record.name.clear();
  ASSERT_TRUE(records_->Update(std::move(record)));
  EXPECT_EQ(sessions_->Find(alice_, id).error().code, Code::kNoEntry);
  EXPECT_TRUE(sessions_->List(alice_, {})->sessions.empty());
  Open();
  EXPECT_EQ(registry_->count(), 0u);
  EXPECT_EQ(*records_->Count({.kind = "session_key"}, 10), 0u);
  EXPECT_EQ(*records_->Count({.kind = "session"}, 10), 0u);
}

}  // namespace
}  // namespace paddock::registry
