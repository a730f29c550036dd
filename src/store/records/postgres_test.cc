#include <gtest/gtest.h>

#include <thread>

#include "store/records/postgres_library.h"
#include "store/records/postgres_url.h"
#include "store/records/store_for_test.h"

namespace paddock::records {
namespace {

class PostgresTest : public StoreTest {
 protected:
  Backend backend() const override { return Backend::kPostgres; }
  void SetUp() override {
    StoreTest::SetUp();
    if (IsSkipped()) return;
    library_ = *PostgresLibrary::Load();
  }

  // SQL by a connection of its own.
  void RunAsOther(const std::string& sql) {
    PGconn* const connection = Connect();
    PGresult* const result = library_->Execute(connection, sql.c_str());
    EXPECT_NE(library_->ResultStatus(result), PGRES_FATAL_ERROR) << library_->ErrorMessage(connection);
    library_->Clear(result);
    library_->Finish(connection);
  }
  PGconn* Connect() {
    const char* const names[] = {"dbname", nullptr};
    const std::string url = PostgresServer::Shared().Url();
    const char* const values[] = {url.c_str(), nullptr};
    return library_->Connect(names, values, 1);
  }
  Error OpenError() {
    const auto opened = Records::Open(options_);
    return opened ? Error(Code::kOk, "opened") : opened.error();
  }

  std::shared_ptr<const PostgresLibrary> library_;
};

TEST_F(PostgresTest, PasswordIsNeverShown) {
  options_.location = PostgresServer::Shared().Url("paddock:geheim42");
  store_ = Open();
  ASSERT_TRUE(store_);
  EXPECT_EQ(store_->location(), "postgresql://paddock@/postgres?host=" + PostgresServer::Shared().directory());
  options_.location = "postgresql://geheim42:geheim42@/postgres?host=" + PostgresServer::Shared().directory();
  const Error error = OpenError();
  EXPECT_EQ(error.code, Code::kUnavailable);
  EXPECT_EQ(error.Text().find("geheim42", error.Text().find("is not reachable")), std::string::npos) << error.Text();
}

TEST_F(PostgresTest, AbsentServerIsUnavailableWithinThePatience) {
  options_.patience = Duration(100);
  options_.location = "postgresql://paddock:geheim42@/postgres?host=" + directory_;
  const Error error = OpenError();
  EXPECT_EQ(error.code, Code::kUnavailable);
  EXPECT_TRUE(error.Text().starts_with("database postgresql://paddock@/postgres?host=" + directory_ + " is not reachable: "))
      << error.Text();
}

TEST_F(PostgresTest, SchemaOfAnotherProgramIsRefused) {
  options_.schema += "_other";
  RunAsOther("CREATE SCHEMA " + options_.schema + "; CREATE TABLE " + options_.schema + ".notes (text TEXT)");
  const Error error = OpenError();
  EXPECT_EQ(error.code, Code::kInvalid);
  EXPECT_NE(error.Text().find("schema " + options_.schema + " belongs to another program"), std::string::npos) << error.Text();
}

TEST_F(PostgresTest, NewerVersionIsRefusedByNumber) {
  store_.reset();
  RunAsOther("UPDATE " + options_.schema + ".paddock_schema SET version = 99");
  const Error error = OpenError();
  EXPECT_EQ(error.code, Code::kNotSupported);
  EXPECT_NE(error.Text().find("has version 99, this program knows versions up to 1"), std::string::npos) << error.Text();
}

TEST_F(PostgresTest, BadSchemaNameIsRefused) {
  for (const char* name : {"", "Upper", "a-b", "1a", "a;b", "pg_x"}) {
    options_.schema = name;
    EXPECT_EQ(OpenError().code, Code::kInvalid) << name;
  }
}

TEST_F(PostgresTest, ManyOpenANewSchemaAtOnce) {
  options_.schema += "_fresh";
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      const auto store = Records::Open(options_);
      if (!store || !(*store)->Insert({.kind = "k", .id = std::to_string(i)})) ++failed;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
}

TEST_F(PostgresTest, ConnectionsThatTheServerEndsAreReplaced) {
  Put({.kind = "k", .id = "1"});
  const std::string end_all =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'paddock'";
  RunAsOther(end_all);
  EXPECT_TRUE(store_->Get("k", "1"));
  RunAsOther(end_all);
  EXPECT_TRUE(store_->Insert({.kind = "k", .id = "2"}));
}

TEST_F(PostgresTest, TransactionThatLosesItsConnectionRunsAgain) {
  int runs = 0;
  const Status status = store_->Transact([&](Transaction& transaction) -> Status {
    PADDOCK_TRY(transaction.Insert({.kind = "k", .id = "1"}));
    if (++runs == 1) {
      RunAsOther(
          "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE state = 'idle in transaction' AND "
          "application_name = 'paddock'");
    }
    PADDOCK_TRY(transaction.Insert({.kind = "k", .id = "2"}));
    return {};
  });
  EXPECT_TRUE(status) << status.error().Text();
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(*store_->Count({.kind = "k"}, 10), 2u);
}

TEST_F(PostgresTest, LossWhileCommittingIsSaidToBeUnknown) {
  const Status status = store_->Transact([&](Transaction& transaction) -> Status {
    PADDOCK_TRY(transaction.Insert({.kind = "k", .id = "1"}));
    RunAsOther(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE state = 'idle in transaction' AND application_name "
        "= 'paddock'");
    return {};
  });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kUnavailable);
  EXPECT_NE(status.error().Text().find("it is not known whether the transaction took place"), std::string::npos)
      << status.error().Text();
  EXPECT_TRUE(store_->Insert({.kind = "k", .id = "2"}));
}

TEST_F(PostgresTest, DeadlockedTransactionRunsAgain) {
  Put({.kind = "k", .id = "a", .body = "0"});
  Put({.kind = "k", .id = "b", .body = "0"});
  std::atomic<int> inside = 0;
  const auto bump = [&](const char* first, const char* second) {
    bool is_first_run = true;
    const Status status = store_->Transact([&](Transaction& transaction) -> Status {
      bool has_met = !std::exchange(is_first_run, false);
      for (const char* id : {first, second}) {
        PADDOCK_ASSIGN(Record record, transaction.Get("k", id));
        record.body = std::to_string(std::stoi(record.body) + 1);
        PADDOCK_TRY(transaction.Update(record));
        if (std::exchange(has_met, true)) continue;
        // Both hold their first record before either asks for its second.
        for (++inside; inside < 2;) std::this_thread::yield();
      }
      return {};
    });
    EXPECT_TRUE(status || status.error().code == Code::kConflict) << status.error().Text();
    return status.has_value();
  };
  bool other = false;
  std::thread thread([&] { other = bump("b", "a"); });
  const bool mine = bump("a", "b");
  thread.join();
  EXPECT_TRUE(mine || other);
  EXPECT_EQ(store_->Get("k", "a")->body, std::to_string(mine + other));
  EXPECT_EQ(store_->Get("k", "b")->body, std::to_string(mine + other));
}

TEST_F(PostgresTest, ServerThatCrashesAndComesBackIsFoundAgain) {
  Put({.kind = "k", .id = "1"});
  store_.reset();
  options_.patience = Duration(100);
  store_ = Open();
  PostgresServer::Shared().Stop(SIGQUIT);
  const auto while_away = store_->Get("k", "1");
  ASSERT_FALSE(while_away);
  EXPECT_EQ(while_away.error().code, Code::kUnavailable);
  EXPECT_EQ(store_->Insert({.kind = "k", .id = "2"}).error().code, Code::kUnavailable);
  PostgresServer::Shared().Start();
  options_.patience = std::chrono::seconds(60);
  ASSERT_TRUE(Open()) << "up again";
  // The first store still pauses from its failures at most as long as its longest pause.
  Result<Record> found = Code::kUnavailable;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!found && std::chrono::steady_clock::now() < until) {
    found = store_->Get("k", "1");
    if (!found) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(found) << found.error().Text();
  EXPECT_TRUE(store_->Insert({.kind = "k", .id = "2"}));
}

TEST(PostgresUrl, AmbiguousUrlIsRefusedWithoutShowingIt) {
  const auto library = PostgresLibrary::Load();
  if (!library) GTEST_SKIP() << library.error().Text();
  for (const char* url : {"postgresql://u:pa@ss@host/db", "postgresql://u:pa/ss@host/db", "postgresql://u:pa#ss@host/db",
                          "postgresql://u:pa?ss@host/db", "postgresql://u:p%zz@host/db", "postgresql://u:pass@host:pass/db",
                          "mysql://u:pass@host/db"}) {
    const auto read = ReadPostgresUrl(**library, url);
    ASSERT_FALSE(read) << url;
    EXPECT_EQ(read.error().code, Code::kInvalid);
    EXPECT_EQ(read.error().Text().find("pa/ss"), std::string::npos);
    EXPECT_EQ(read.error().Text().find("ss@"), std::string::npos);
    EXPECT_EQ(read.error().Text().find("host:pass"), std::string::npos);
  }
}

TEST(PostgresUrl, ShownUrlHoldsNoPassword) {
  const auto library = PostgresLibrary::Load();
  if (!library) GTEST_SKIP() << library.error().Text();
  const auto read =
      ReadPostgresUrl(**library, "postgresql://ann:s%40crets@db.example:5433/paddock?sslmode=require&sslpassword=other");
  ASSERT_TRUE(read) << read.error().Text();
  EXPECT_EQ(read->shown, "postgresql://ann@db.example:5433/paddock");
  EXPECT_EQ(read->Scrubbed("failed for s@crets and s@crets"), "failed for *** and ***");
}

}  // namespace
}  // namespace paddock::records
