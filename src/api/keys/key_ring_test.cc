#include "api/keys/key_ring.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>
#include <thread>

#include "api/keys/key_text.h"
#include "base/crc32c.h"

namespace paddock::api {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class SetClock : public Clock {
 public:
  Nanoseconds RealNow() const override { return std::chrono::milliseconds(now_); }
  Nanoseconds MonotonicNow() const override { return RealNow(); }
  void Advance(records::Duration by) { now_ += by.count(); }
  records::Time now() const { return records::Time(records::Duration(now_)); }

 private:
  std::atomic<int64_t> now_{1'700'000'000'000};
};

class KeyRingTest : public testing::Test {
 protected:
  KeyRingTest() {
    static int count = 0;
    directory_ = testing::TempDir() + "paddock_keys_" + std::to_string(getpid()) + "_" + std::to_string(++count);
    std::filesystem::create_directories(directory_);
    store_ = *records::Records::Open({.location = directory_ + "/r.db", .clock = &clock_});
    ring_.emplace(*store_, clock_);
  }
  ~KeyRingTest() override {
    ring_.reset();
    store_.reset();
    std::filesystem::remove_all(directory_);
  }
  NewKey Make(KeyRequest request) { return *ring_->Create(request); }
  bool IsGood(const std::string& text) { return ring_->Verify(text).has_value(); }

  SetClock clock_;
  std::string directory_;
  std::unique_ptr<records::Records> store_;
  std::optional<KeyRing> ring_;
};

TEST(KeyText, MadeTextReadsBackAsItsId) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const KeyText key = MakeKeyText();
    EXPECT_EQ(key.text.size(), 82u);
    EXPECT_TRUE(seen.insert(key.text).second);
    EXPECT_EQ(*ReadKeyText(key.text), key.id);
    EXPECT_EQ(key.text.substr(4, 20), key.id.substr(4));
  }
}

TEST(KeyText, EveryWrongCharacterIsFound) {
  const std::string text = MakeKeyText().text;
  for (size_t i = 0; i < text.size(); ++i) {
    std::string wrong = text;
    wrong[i] = wrong[i] == 'a' ? 'b' : 'a';
    EXPECT_FALSE(ReadKeyText(wrong)) << i;
  }
  EXPECT_FALSE(ReadKeyText(""));
  EXPECT_FALSE(ReadKeyText(text + "a"));
  EXPECT_FALSE(ReadKeyText(text.substr(1)));
  EXPECT_FALSE(ReadKeyText(" " + text));
  EXPECT_EQ(ReadKeyText(text + "a").error().Text().find(text.substr(4)), std::string::npos);
}

TEST(KeyText, DigestsCompareWhole) {
  EXPECT_TRUE(IsSameDigest("abcd", "abcd"));
  EXPECT_FALSE(IsSameDigest("abcd", "abce"));
  EXPECT_FALSE(IsSameDigest("abcd", "bbcd"));
  EXPECT_FALSE(IsSameDigest("abcd", "abc"));
}

TEST_F(KeyRingTest, MadeKeyIsGoodAndSaysWhoseItIs) {
  const NewKey key = Make({.owner = "ann", .role = Role::kUser, .label = "laptop"});
  const auto info = ring_->Verify(key.text);
  ASSERT_TRUE(info) << info.error().Text();
  EXPECT_EQ(info->id, key.info.id);
  EXPECT_EQ(info->owner, "ann");
  EXPECT_EQ(info->role, Role::kUser);
  EXPECT_EQ(info->label, "laptop");
  EXPECT_EQ(info->created, clock_.now());
}

TEST_F(KeyRingTest, NeitherTextNorSecretIsStored) {
  const NewKey key = Make({.owner = "ann"});
  const std::string secret = key.text.substr(24, 52);
  store_.reset();  // the log goes into the file
  for (const auto& file : std::filesystem::directory_iterator(directory_)) {
    std::FILE* const opened = std::fopen(file.path().c_str(), "r");
    ASSERT_NE(opened, nullptr);
    std::string bytes(std::filesystem::file_size(file.path()), '\0');
    ASSERT_EQ(std::fread(bytes.data(), 1, bytes.size(), opened), bytes.size());
    std::fclose(opened);
    EXPECT_NE(bytes.find(key.info.id), std::string::npos);
    EXPECT_EQ(bytes.find(secret), std::string::npos);
  }
}

TEST_F(KeyRingTest, EveryKeyThatIsNotGoodGetsTheSameAnswer) {
  const NewKey good = Make({.owner = "ann"});
  const NewKey revoked = Make({.owner = "ann"});
  const NewKey expired = Make({.owner = "ann", .expires = clock_.now() + seconds(1)});
  ASSERT_TRUE(ring_->Revoke(revoked.info.id));
  clock_.Advance(seconds(1));
  const std::string unknown = MakeKeyText().text;
  // The id of a key that exists, with another one's secret and a right check.
  std::string forged = good.text.substr(0, 24) + unknown.substr(24, 52);
  uint32_t sum = Crc32c(forged);
  for (int i = 0; i < 6; ++i, sum >>= 5) forged += "abcdefghijklmnopqrstuvwxyz234567"[sum & 31];
  ASSERT_EQ(*ReadKeyText(forged), good.info.id);
  std::set<std::string> answers;
  for (const std::string& text :
       {std::string(), std::string("pdk_"), unknown, forged, revoked.text, expired.text, good.text.substr(0, 81) + "!"}) {
    const auto info = ring_->Verify(text);
    ASSERT_FALSE(info) << text;
    EXPECT_EQ(info.error().code, Code::kAccess);
    answers.insert(std::string(info.error().Text()));
  }
  EXPECT_EQ(answers.size(), 1u);
  EXPECT_TRUE(IsGood(good.text));
}

TEST_F(KeyRingTest, KnownIdWithAnotherSecretIsRefusedAlsoWhileTrusted) {
  const NewKey key = Make({.owner = "ann"});
  ASSERT_TRUE(IsGood(key.text));
  // A record of the forger's own making: same id, other digest.
  auto record = *store_->Get("key", key.info.id);
  const std::string digest = KeyDigest(key.text);
  record.body.replace(record.body.find(digest), digest.size(), KeyDigest("other"));
  ASSERT_TRUE(store_->Update(record));
  clock_.Advance(KeyRing::kTrust);
  EXPECT_FALSE(IsGood(key.text));
}

TEST_F(KeyRingTest, RevokedKeyIsRefusedAtOnce) {
  const NewKey key = Make({.owner = "ann"});
  ASSERT_TRUE(IsGood(key.text));
  const auto revoked = ring_->Revoke(key.info.id);
  ASSERT_TRUE(revoked) << revoked.error().Text();
  EXPECT_EQ(revoked->revoked, clock_.now());
  EXPECT_FALSE(IsGood(key.text));
  clock_.Advance(seconds(5));
  EXPECT_EQ(ring_->Revoke(key.info.id)->revoked, revoked->revoked) << "again changes nothing";
}

TEST_F(KeyRingTest, RevocationElsewhereCountsAfterTheTrust) {
  const NewKey key = Make({.owner = "ann"});
  ASSERT_TRUE(IsGood(key.text));
  KeyRing other(*store_, clock_);
  ASSERT_TRUE(other.Revoke(key.info.id));
  EXPECT_TRUE(IsGood(key.text));
  clock_.Advance(KeyRing::kTrust);
  EXPECT_FALSE(IsGood(key.text));
}

TEST_F(KeyRingTest, NoVerifyAfterARevokeSucceedsBetweenThreads) {
  for (int round = 0; round < 20; ++round) {
    const NewKey key = Make({.owner = "ann"});
    std::atomic<bool> is_revoked = false;
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        for (bool is_last = false; !is_last;) {
          is_last = is_revoked;
          if (IsGood(key.text) && is_last) ++wrong;
        }
      });
    }
    ASSERT_TRUE(ring_->Revoke(key.info.id));
    is_revoked = true;
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(KeyRingTest, TrustedKeyExpiresOnTime) {
  const NewKey key = Make({.owner = "ann", .expires = clock_.now() + records::Duration(500)});
  ASSERT_TRUE(IsGood(key.text));
  clock_.Advance(records::Duration(499));
  EXPECT_TRUE(IsGood(key.text));
  clock_.Advance(records::Duration(1));
  EXPECT_FALSE(IsGood(key.text));
}

TEST_F(KeyRingTest, LastUseIsKeptCoarsely) {
  const NewKey key = Make({.owner = "ann"});
  const auto first = clock_.now();
  ASSERT_TRUE(IsGood(key.text));
  clock_.Advance(minutes(4));
  ASSERT_TRUE(IsGood(key.text));
  EXPECT_EQ(ring_->List("ann", 10, "")->keys[0].last_used, first);
  EXPECT_EQ(store_->Get("key", key.info.id)->version, 2);
  clock_.Advance(minutes(1));
  ASSERT_TRUE(IsGood(key.text));
  EXPECT_EQ(ring_->List("ann", 10, "")->keys[0].last_used, clock_.now());
}

TEST_F(KeyRingTest, ListShowsOneOwnersOrAll) {
  Make({.owner = "ann", .label = "a"});
  clock_.Advance(seconds(1));
  Make({.owner = "bob", .role = Role::kAdmin, .label = "b"});
  EXPECT_EQ(ring_->List("ann", 10, "")->keys.size(), 1u);
  const auto all = ring_->List(std::nullopt, 1, "");
  ASSERT_EQ(all->keys.size(), 1u);
  EXPECT_EQ(ring_->List(std::nullopt, 1, all->next)->keys[0].role, Role::kAdmin);
}

TEST_F(KeyRingTest, KeyOfAnotherOwnerIsAsAbsent) {
  const NewKey key = Make({.owner = "ann"});
  const auto others = ring_->Revoke(key.info.id, "bob");
  const auto absent = ring_->Revoke("key_aaaaaaaaaaaaaaaaaaaa", "bob");
  ASSERT_FALSE(others);
  ASSERT_FALSE(absent);
  EXPECT_EQ(others.error().code, Code::kNoEntry);
  EXPECT_EQ(others.error().Text(), "key " + key.info.id + " does not exist");
  EXPECT_EQ(absent.error().Text(), "key key_aaaaaaaaaaaaaaaaaaaa does not exist");
  EXPECT_TRUE(IsGood(key.text));
}

TEST_F(KeyRingTest, UsableKeyIsSeen) {
  EXPECT_FALSE(*ring_->HasUsable());
  Make({.owner = "ann", .expires = clock_.now() + seconds(1)});
  EXPECT_TRUE(*ring_->HasUsable());
  clock_.Advance(seconds(1));
  EXPECT_FALSE(*ring_->HasUsable());
  const NewKey key = Make({.owner = "ann"});
  EXPECT_TRUE(*ring_->HasUsable());
  ASSERT_TRUE(ring_->Revoke(key.info.id));
  EXPECT_FALSE(*ring_->HasUsable());
}

TEST_F(KeyRingTest, RequestThatCannotBeMeantIsRefused) {
  EXPECT_EQ(ring_->Create({.owner = ""}).error().code, Code::kInvalid);
  EXPECT_EQ(ring_->Create({.owner = "ann", .label = "two\nlines"}).error().code, Code::kInvalid);
  EXPECT_EQ(ring_->Create({.owner = "ann", .label = std::string(201, 'x')}).error().code, Code::kInvalid);
  EXPECT_EQ(ring_->Create({.owner = "ann", .expires = clock_.now()}).error().code, Code::kInvalid);
}

TEST(Role, NamesReadBack) {
  for (const Role role : {Role::kRead, Role::kUser, Role::kAdmin}) EXPECT_EQ(*ParseRole(RoleName(role)), role);
  EXPECT_EQ(ParseRole("root").error().Text(), "a role is read, user or admin");
}

}  // namespace
}  // namespace paddock::api
