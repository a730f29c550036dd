// Figures of the store of trees: what a snapshot of a virtual sandbox's files costs, and its way back.
//
//   store_bench [FILES [BYTES]]      10,000 files of 1,000 bytes in 100 directories
//
// Prints the median of several runs of each line, in milliseconds, and its time of the processor, which a busy machine does not change as much.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "store/trees/memory_capture.h"
#include "store/trees/restore.h"
#include "store/trees/tree_cache.h"
#include "vfs/view.h"

namespace {

using namespace paddock;         // NOLINT: a program of one file
using namespace paddock::trees;  // NOLINT

struct Time {
  double wall;
  double processor;  // of this thread
};

double Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

Time Milliseconds(const std::function<void()>& work) {
  const double wall = Now(CLOCK_MONOTONIC);
  const double processor = Now(CLOCK_THREAD_CPUTIME_ID);
  work();
  return {Now(CLOCK_MONOTONIC) - wall, Now(CLOCK_THREAD_CPUTIME_ID) - processor};
}

void Report(const char* what, std::vector<Time> times) {
  std::sort(times.begin(), times.end(), [](const Time& a, const Time& b) { return a.wall < b.wall; });
  const Time& median = times[times.size() / 2];
  std::printf("%-50s %8.2f ms, %8.2f of the processor (best %.2f, worst %.2f)\n", what, median.wall, median.processor,
              times.front().wall, times.back().wall);
}

template <class T>
T Must(Result<T> result, const char* what) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "store_bench: %s: %s\n", what, std::string(result.error().Text()).c_str());
  std::exit(1);
}

// Words and numbers, which compress about as source code does.
std::string TextOf(size_t bytes, std::mt19937& random) {
  static constexpr const char* kWords[] = {"return ", "const ", "value", "(", ");\n", "if ", "result", " = ", "size", "std::", "0x", "while"};
  std::string text;
  while (text.size() < bytes) {
    text += kWords[random() % std::size(kWords)];
    if (random() % 3 == 0) text += std::to_string(random());
  }
  text.resize(bytes);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const size_t files = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000;
  const size_t bytes = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1'000;
  constexpr int kRounds = 7;
  std::string scratch = "/tmp/paddock-store-bench-XXXXXX";
  if (mkdtemp(scratch.data()) == nullptr) return 1;

  std::mt19937 random(1);
  vfs::MemoryVolume volume(SystemClock(), {});
  for (size_t d = 0; d < 100; ++d) {
    const auto directory =
        Must(volume.Create(volume.root(), "directory" + std::to_string(d), {.type = vfs::FileType::kDirectory, .mode = 0755}), "mkdir");
    for (size_t f = d; f < files; f += 100) {
      Must(volume.CreateFile(directory, "file" + std::to_string(f) + ".cc", 0644, TextOf(bytes, random)), "file");
    }
  }
  std::printf("%zu files of %zu bytes\n", files, bytes);

  std::vector<Time> first, again, few, cold, warm, cached, paths, fork;
  std::shared_ptr<Store> store;
  ObjectId tree;
  for (int round = 0; round < kRounds; ++round) {
    const std::string directory = scratch + "/" + std::to_string(round);
    store = Must(Store::Open(directory), "open");
    MemoryCapture memory;
    first.push_back(Milliseconds([&] {
      Session session = store->Begin();
      tree = Must(memory.Capture(session, volume), "capture").tree;
    }));
    again.push_back(Milliseconds([&] {
      Session session = store->Begin();
      Must(memory.Capture(session, volume), "capture");
    }));
    const auto changed = volume.Fork();
    const auto at = Must(changed->Lookup(changed->root(), "directory7"), "lookup");
    Must(changed->CreateFile(at, "new", 0644, TextOf(bytes, random)), "file");
    few.push_back(Milliseconds([&] {
      Session session = store->Begin();
      Must(memory.Capture(session, *changed), "capture");
    }));
    fork.push_back(Milliseconds([&] { volume.Fork(); }));
    store = nullptr;
    store = Must(Store::Open(directory), "open");
    cold.push_back(Milliseconds([&] { Must(RestoreMemory(*store, tree, SystemClock(), {}), "restore"); }));
    warm.push_back(Milliseconds([&] { Must(RestoreMemory(*store, tree, SystemClock(), {}), "restore"); }));
    TreeCache cache(1 << 30);
    Must(cache.Restore(*store, tree, {}), "restore");
    cached.push_back(Milliseconds([&] { Must(cache.Restore(*store, tree, {}), "restore"); }));
    paths.push_back(Milliseconds([&] {
      Session session = store->Begin();
      Must(Capture(session, volume), "capture");
    }));
  }
  Report("capture, nothing known", first);
  Report("capture again, nothing changed", again);
  Report("capture again, one file more", few);
  Report("capture as any volume, all objects known", paths);
  Report("restore into memory, after opening the store", cold);
  Report("restore into memory again", warm);
  Report("restore of a tree that the cache has", cached);
  Report("fork in memory", fork);
  const StoreUsage usage = store->usage();
  std::printf("%llu objects, %llu bytes, %llu on disk\n", static_cast<unsigned long long>(usage.objects),
              static_cast<unsigned long long>(usage.body_bytes), static_cast<unsigned long long>(usage.disk_bytes));
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);
  return 0;
}
