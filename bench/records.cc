// What the store of records does in a second: writes alone and from many threads, in both durabilities, and reads among
// 100,000 records. Usage: records_bench DIRECTORY [postgresql://…]
#include "store/records/records.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace records = paddock::records;

constexpr int kMany = 100'000;

double Seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class T>
void Expect(const T& result) {
  if (result) return;
  std::fprintf(stderr, "records_bench: %s\n", std::string(result.error().Text()).c_str());
  _exit(1);
}

records::Record Sample(std::string id) {
  return {.kind = "sandbox",
          .id = std::move(id),
          .owner = "ann",
          .state = "running",
          .labels = {{"env", "prod"}},
          .body = std::string(500, 'x')};
}

void MeasureWrites(records::Records& store, const char* name, int threads, int each) {
  static std::atomic<int> next;
  const double time = Seconds([&] {
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) {
      running.emplace_back([&] {
        for (int n = 0; n < each; ++n) Expect(store.Insert(Sample("w" + std::to_string(next++))));
      });
    }
    for (auto& thread : running) thread.join();
  });
  std::printf("| %s, inserts, %d thread%s | %.0f/s |\n", name, threads, threads == 1 ? "" : "s", threads * each / time);
}

void MeasureReads(records::Records& store, const char* name) {
  for (int first = 0; first < kMany; first += 500) {
    Expect(store.Transact([&](records::Transaction& transaction) -> paddock::Status {
      for (int i = first; i < first + 500; ++i) {
        auto record = Sample("r" + std::to_string(i));
        record.owner = "owner" + std::to_string(i % 100);
        record.labels = {{"env", i % 1000 == 0 ? "rare" : "prod"}};
        PADDOCK_TRY(transaction.Insert(std::move(record)));
      }
      return {};
    }));
  }
  const auto report = [&](const char* what, int count, const std::function<void(int)>& read) {
    read(0);
    const double time = Seconds([&] {
      for (int i = 0; i < count; ++i) read(i);
    });
    std::printf("| %s, 100,000 records, %s | %.1f us |\n", name, what, time / count * 1e6);
  };
  const auto list = [&](records::Filter filter) {
    return [&store, filter](int) { Expect(store.List({.filter = filter, .limit = 100})); };
  };
  report("get", 5000, [&](int i) { Expect(store.Get("sandbox", "r" + std::to_string(i * 17 % kMany))); });
  report("page of 100", 200, list({.kind = "sandbox"}));
  report("page of 100 of an owner", 200, list({.kind = "sandbox", .owner = "owner7"}));
  report("page of 100 by a rare label", 200, list({.kind = "sandbox", .labels = {{"env", "rare"}}}));
  report("page of 100 by a common label of an owner", 200,
         list({.kind = "sandbox", .owner = "owner7", .labels = {{"env", "prod"}}}));
  std::string middle;
  for (int page = 0; page < 50; ++page) {
    auto read = store.List({.filter = {.kind = "sandbox"}, .limit = 1000, .cursor = middle});
    Expect(read);
    middle = read->next;
  }
  report("page of 100 from the middle", 200,
         [&](int) { Expect(store.List({.filter = {.kind = "sandbox"}, .limit = 100, .cursor = middle})); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: records_bench DIRECTORY [postgresql://...]\n");
    return 2;
  }
  const std::string file = std::string(argv[1]) + "/records_bench.db";
  const auto remove = [&] {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file + suffix);
  };
  remove();
  for (const auto durability : {records::Durability::kProcess, records::Durability::kPower}) {
    const bool is_fast = durability == records::Durability::kProcess;
    auto store = records::Records::Open({.location = file, .durability = durability});
    Expect(store);
    const char* const name = is_fast ? "SQLite, process" : "SQLite, power";
    for (const int threads : {1, 16}) MeasureWrites(**store, name, threads, (is_fast ? 8000 : 800) / (threads == 1 ? 1 : 8));
    if (is_fast) MeasureReads(**store, name);
  }
  remove();
  if (argc > 2) {
    auto store = records::Records::Open({.location = argv[2], .schema = "records_bench_" + std::to_string(getpid())});
    Expect(store);
    for (const int threads : {1, 6}) MeasureWrites(**store, "PostgreSQL", threads, 300);
    MeasureReads(**store, "PostgreSQL");
  }
  return 0;
}
