#include <fcntl.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "store/records/schema.h"
#include "store/records/sqlite_session.h"
#include "store/records/store_for_test.h"

namespace paddock::records {
namespace {

class SqliteTest : public StoreTest {
 protected:
  Backend backend() const override { return Backend::kSqlite; }
  void SetUp() override {
    StoreTest::SetUp();
    path_ = options_.location;
  }

  // Runs SQL in the file as another program would.
  void RunAsOther(const std::string& path, const std::string& sql) {
    sqlite3* other = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(other, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(other);
    sqlite3_close(other);
  }
  Error OpenError(const std::string& path) {
    Options options = options_;
    options.location = path;
    const auto opened = Records::Open(options);
    return opened ? Error(Code::kOk, "opened") : opened.error();
  }

  std::string path_;
};

TEST_F(SqliteTest, FileIsForItsOwnerAlone) {
  Put({.kind = "k", .id = "1"});
  for (const char* suffix : {"", "-wal", "-shm"}) {
    struct stat facts;
    ASSERT_EQ(stat((path_ + suffix).c_str(), &facts), 0) << suffix;
    EXPECT_EQ(facts.st_mode & 0777, 0600u) << suffix;
  }
}

TEST_F(SqliteTest, TheLogGoesIntoTheDatabaseWithoutAnybodyWaiting) {
  Put({.kind = "k", .id = "1"});
  // Without its log the file has the record once the thread that does so has been there.
  const std::string copy = directory_ + "/copy.db";
  const auto has_record = [&] {
    std::filesystem::copy_file(path_, copy, std::filesystem::copy_options::overwrite_existing);
    sqlite3* other = nullptr;
    EXPECT_EQ(sqlite3_open(copy.c_str(), &other), SQLITE_OK);
    int rows = 0;
    const auto count = [](void* to, int, char**, char**) { return ++*static_cast<int*>(to), 0; };
    const int status = sqlite3_exec(other, "SELECT 1 FROM records", count, &rows, nullptr);   // before it: no such table
    sqlite3_close(other);
    return status == SQLITE_OK && rows == 1;
  };
  for (int tries = 0; tries < 600 && !has_record(); ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(has_record());
}

TEST_F(SqliteTest, DatabaseOfAnotherProgramIsRefusedAndUntouched) {
  const std::string with_tables = directory_ + "/tables.db";
  RunAsOther(with_tables, "CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')");
  const std::string with_id = directory_ + "/id.db";
  RunAsOther(with_id, "PRAGMA application_id = 77");
  for (const auto& path : {with_tables, with_id}) {
    const auto size = std::filesystem::file_size(path);
    const Error error = OpenError(path);
    EXPECT_EQ(error.code, Code::kInvalid);
    EXPECT_EQ(error.Text(), "database " + path + " belongs to another program: give another path");
    EXPECT_EQ(std::filesystem::file_size(path), size);
  }
  RunAsOther(with_tables, "INSERT INTO notes VALUES ('still works')");
}

TEST_F(SqliteTest, FileThatIsNoDatabaseIsRefused) {
  const std::string path = directory_ + "/letter.txt";
  std::ofstream(path) << std::string(5000, 'x');
  EXPECT_EQ(OpenError(path).code, Code::kInvalid);
  EXPECT_EQ(std::filesystem::file_size(path), 5000u);
}

TEST_F(SqliteTest, NewerVersionIsRefusedByNumber) {
  store_.reset();
  RunAsOther(path_, "PRAGMA user_version = 99");
  const Error error = OpenError(path_);
  EXPECT_EQ(error.code, Code::kNotSupported);
  EXPECT_EQ(error.Text(), "database " + path_ + " has version 99, this program knows versions up to 1: use a newer paddock");
}

TEST_F(SqliteTest, DamagedFileIsFoundWhenOpened) {
  for (int i = 0; i < 200; ++i) Put({.kind = "k", .id = std::to_string(i), .owner = "ann", .body = std::string(500, 'x')});
  store_.reset();
  {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096 * 5);
    file << std::string(4096 * 3, '\x5a');
  }
  const Error error = OpenError(path_);
  EXPECT_EQ(error.code, Code::kCorrupt) << error.Text();
  EXPECT_NE(error.Text().find(path_ + " is damaged"), std::string::npos) << error.Text();
}

TEST_F(SqliteTest, AbsentDirectoryIsNamed) {
  const Error error = OpenError(directory_ + "/absent/records.db");
  EXPECT_EQ(error.code, Code::kNoEntry);
  EXPECT_EQ(error.Text(), "database " + directory_ + "/absent/records.db cannot be opened: its directory does not exist");
}

TEST_F(SqliteTest, LockedDatabaseIsBusyAndWorksAfterwards) {
  options_.patience = Duration(30);
  store_ = Open();
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto blocked = store_->Insert({.kind = "k", .id = "1"});
  ASSERT_FALSE(blocked);
  EXPECT_EQ(blocked.error().code, Code::kBusy);
  EXPECT_EQ(blocked.error().Text(), "database " + path_ + " is locked by another program");
  EXPECT_EQ(store_->Get("k", "1").error().code, Code::kNoEntry) << "reads do not wait for writers";
  sqlite3_close(other);
  EXPECT_TRUE(store_->Insert({.kind = "k", .id = "1"}));
}

TEST_F(SqliteTest, ReadOnlyFileAndDirectoryAreTold) {
  Put({.kind = "k", .id = "1"});
  store_.reset();
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  chmod(path_.c_str(), 0400);
  EXPECT_EQ(OpenError(path_).code, Code::kReadOnly);
  chmod(path_.c_str(), 0600);
  chmod(directory_.c_str(), 0500);
  const Code code = OpenError(path_).code;
  const Code new_code = OpenError(directory_ + "/new.db").code;
  chmod(directory_.c_str(), 0700);
  EXPECT_TRUE(code == Code::kAccess || code == Code::kReadOnly) << static_cast<int>(code);
  EXPECT_EQ(new_code, Code::kAccess);
}

// A mounted tmpfs of a few hundred KiB; skips where this user may not mount one.
class SmallDiskTest : public SqliteTest {
 protected:
  void SetUp() override {
    SqliteTest::SetUp();
    disk_ = directory_ + "/disk";
    std::filesystem::create_directory(disk_);
    if (mount("tmpfs", disk_.c_str(), "tmpfs", 0, "size=768k") != 0)
      GTEST_SKIP() << "a tmpfs cannot be mounted here: " << strerror(errno);
    is_mounted_ = true;
    options_.location = disk_ + "/records.db";
    store_ = Open();
    ASSERT_TRUE(store_);
  }
  void TearDown() override {
    store_.reset();
    if (is_mounted_) umount2(disk_.c_str(), MNT_DETACH);
    SqliteTest::TearDown();
  }

  std::string disk_;
  bool is_mounted_ = false;
};

TEST_F(SmallDiskTest, FullDiskLosesNothingAndWorksWhenThereIsRoom) {
  std::ofstream(disk_ + "/filler") << std::string(150'000, 'f');
  int stored = 0;
  Error error;
  for (; stored < 1000; ++stored) {
    // Two records of one transaction: both or none.
    const Status status = store_->Transact([&](Transaction& transaction) -> Status {
      PADDOCK_TRY(transaction.Insert({.kind = "a", .id = std::to_string(stored), .body = std::string(3000, 'x')}));
      PADDOCK_TRY(transaction.Insert({.kind = "b", .id = std::to_string(stored), .body = std::string(3000, 'x')}));
      return {};
    });
    if (!status) {
      error = status.error();
      break;
    }
  }
  ASSERT_LT(stored, 1000);
  ASSERT_GT(stored, 5);
  EXPECT_EQ(error.code, Code::kNoSpace) << error.Text();
  EXPECT_EQ(error.Text(), "database " + options_.location + " cannot grow: the disk is full; nothing of this was written");
  EXPECT_EQ(*store_->Count({.kind = "a"}, 10'000), static_cast<size_t>(stored));
  EXPECT_EQ(*store_->Count({.kind = "b"}, 10'000), static_cast<size_t>(stored));

  std::filesystem::remove(disk_ + "/filler");
  EXPECT_TRUE(store_->Insert({.kind = "a", .id = "after", .body = std::string(3000, 'x')}));
  store_ = Open();
  ASSERT_TRUE(store_);
  EXPECT_EQ(*store_->Count({.kind = "a"}, 10'000), static_cast<size_t>(stored) + 1);
}

TEST_F(SmallDiskTest, FullDiskFailsEveryOneOfManyWriters) {
  std::atomic<int> stored = 0, full = 0, other = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 100; ++n) {
        const auto status = store_->Insert({.kind = "k", .id = std::to_string(i * 1000 + n), .body = std::string(6000, 'x')});
        (status ? stored : status.error().code == Code::kNoSpace ? full : other)++;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_GT(full, 0);
  EXPECT_EQ(other, 0);
  EXPECT_EQ(*store_->Count({.kind = "k"}, 10'000), static_cast<size_t>(stored));
}

TEST_F(SmallDiskTest, FullDiskIsToldWhenOpened) {
  store_.reset();
  std::filesystem::remove(options_.location);
  {
    std::ofstream filler(disk_ + "/filler");
    const std::string block(4096, 'f');
    while (filler << block && filler.flush()) {
    }
  }
  EXPECT_EQ(OpenError(options_.location).code, Code::kNoSpace);
}

TEST_F(SmallDiskTest, ReadOnlyDiskIsTold) {
  ASSERT_TRUE(store_->Insert({.kind = "k", .id = "1"}));
  store_.reset();
  ASSERT_EQ(mount(nullptr, disk_.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  EXPECT_EQ(OpenError(options_.location).code, Code::kReadOnly) << OpenError(options_.location).Text();
  EXPECT_EQ(OpenError(disk_ + "/new.db").code, Code::kReadOnly);
}

// Transactions that share a commit: each keeps its own outcome.
TEST_F(SqliteTest, FailedTransactionDoesNotTouchItsNeighbours) {
  constexpr int kThreads = 8, kEach = 50;
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < kEach; ++n) {
        const bool fails = (i + n) % 2 == 0;
        const Status status = store_->Transact([&](Transaction& transaction) -> Status {
          PADDOCK_TRY(transaction.Insert({.kind = fails ? "bad" : "good", .id = std::to_string(i * 1000 + n)}));
          if (fails) return Error(Code::kCancelled, "changed my mind");
          return {};
        });
        if (status.has_value() == fails) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(*store_->Count({.kind = "good"}, 10'000), size_t{kThreads * kEach / 2});
  EXPECT_EQ(*store_->Count({.kind = "bad"}, 10'000), 0u);
}

TEST_F(SqliteTest, ManyOpenTheSameNewFileAtOnce) {
  constexpr int kThreads = 6;
  for (int round = 0; round < 20; ++round) {
    options_.location = directory_ + "/fresh" + std::to_string(round) + ".db";
    std::vector<Status> results(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        const auto store = Records::Open(options_);
        if (!store) {
          results[i] = store.error();
        } else if (const auto inserted = (*store)->Insert({.kind = "k", .id = std::to_string(i)}); !inserted) {
          results[i] = inserted.error();
        }
      });
    }
    for (auto& thread : threads) thread.join();
    for (const Status& result : results) EXPECT_TRUE(result) << result.error().Text();
    EXPECT_EQ(*Open()->Count({.kind = "k"}, 100), size_t{kThreads});
  }
}

}  // namespace
}  // namespace paddock::records
