// A store on each database, fresh for every test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "store/records/postgres_for_test.h"
#include "store/records/records.h"

namespace paddock::records {

enum class Backend { kSqlite, kPostgres };

class TestClock : public Clock {
 public:
  Nanoseconds RealNow() const override { return std::chrono::milliseconds(now_); }
  Nanoseconds MonotonicNow() const override { return RealNow(); }
  void Advance(Duration by) { now_ += by.count(); }
  Time now() const { return Time(Duration(now_)); }

 private:
  std::atomic<int64_t> now_{1'700'000'000'000};
};

class StoreTest : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    static std::atomic<int> count;
    const std::string name = "t" + std::to_string(getpid()) + "_" + std::to_string(++count);
    directory_ = testing::TempDir() + "paddock_records_" + name;
    std::filesystem::create_directories(directory_);
    options_.clock = &clock_;
    options_.schema = name;
    if (backend() == Backend::kPostgres) {
      PostgresServer& server = PostgresServer::Shared();
      if (!server.why_not().empty()) GTEST_SKIP() << server.why_not();
      options_.location = server.Url();
      options_.patience = std::chrono::seconds(60);
    } else {
      options_.location = directory_ + "/records.db";
    }
    store_ = Open();
    ASSERT_TRUE(store_);
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(directory_);
  }

  virtual Backend backend() const { return GetParam(); }

  // Another store on the same database; null after a failure.
  std::unique_ptr<Records> Open() {
    auto store = Records::Open(options_);
    if (store) return std::move(*store);
    ADD_FAILURE() << store.error().Text();
    return nullptr;
  }

  // Insert that has to work.
  Record Put(Record record) {
    auto stored = store_->Insert(std::move(record));
    EXPECT_TRUE(stored) << stored.error().Text();
    return stored ? *stored : Record{};
  }

  TestClock clock_;
  std::string directory_;
  Options options_;
  std::unique_ptr<Records> store_;
};

inline std::string BackendName(const testing::TestParamInfo<Backend>& info) {
  return info.param == Backend::kSqlite ? "Sqlite" : "Postgres";
}

}  // namespace paddock::records
