// paddock batch: scripts as JSON lines on stdin, one fresh sandbox and one reply line for each.
//
// docs/batch-protocol.md describes the protocol; cli/batch_request.h answers one request.

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>

#include "base/options.h"
#include "cli/batch_request.h"
#include "cli/cli.h"
#include "cli/sandbox_options.h"

namespace paddock::cli {
namespace {

struct BatchOptions {
  uint64_t jobs = 1;
  std::vector<std::string> limits;
};

constexpr Option kOptions[] = {
    Value<&BatchOptions::jobs>('j', "jobs", "N", "run up to N scripts at the same time (default 1)"),
    Value<&BatchOptions::limits>('l', "limits", "NAME=VALUE,...", "limits of each script, as for 'paddock run'"),
};

constexpr const char* kHelp =
    "Usage: paddock batch [OPTION]...\n"
    "Reads requests as JSON lines on stdin, runs each script in a fresh sandbox, writes one\n"
    "reply line each. docs/batch-protocol.md describes the fields.\n\n";

void Print(std::mutex& mutex, std::string text) {
  text += "\n";
  const std::lock_guard lock(mutex);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// False at the end. The last line need not end.
bool ReadLine(std::FILE* file, std::string& line) {
  line.clear();
  char* text = nullptr;
  size_t capacity = 0;
  const ssize_t length = getline(&text, &capacity, file);
  if (length > 0) line.assign(text, static_cast<size_t>(length));
  std::free(text);
  if (line.ends_with('\n')) line.pop_back();
  return length > 0;
}

// Lines waiting for a worker.
struct Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> lines;
  bool is_closed = false;
};

}  // namespace

int RunBatch(const sandbox::DriverSet& drivers, std::span<const std::string> args) {
  const auto driver = drivers.Find("virtual");
  if (!driver) return Fail("batch", driver.error().Text());
  std::vector<std::string> own = {"batch"};
  own.insert(own.end(), args.begin(), args.end());
  BatchOptions options;
  auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed) return Fail("batch", std::string(parsed.error().Text()) + "; 'paddock batch --help' lists the options");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions)).c_str(), stdout);
    return 0;
  }
  if (!parsed->operands.empty()) return Fail("batch", "unexpected argument '" + parsed->operands[0] + "'");
  if (options.jobs < 1 || options.jobs > 256) return Fail("batch", "--jobs must be from 1 to 256");
  Limits limits;
  sandbox::SandboxSpec spec;
  if (const Status status = ParseLimits(options.limits, limits, spec); !status) return Fail("batch", status.error().Text());
  std::mutex output;
  Print(output, std::string(R"({"ready":true,"protocol":1,"name":"paddock","version":")") + kVersion + R"("})");
  Queue queue;
  const size_t capacity = options.jobs * 4;
  std::vector<std::jthread> workers;
  for (uint64_t i = 0; i < options.jobs; ++i) {
    workers.emplace_back([&] {
      while (true) {
        std::string line;
        {
          std::unique_lock lock(queue.mutex);
          queue.changed.wait(lock, [&] { return !queue.lines.empty() || queue.is_closed; });
          if (queue.lines.empty()) return;
          line = std::move(queue.lines.front());
          queue.lines.pop_front();
        }
        queue.changed.notify_all();
        Print(output, AnswerRequest(**driver, line, limits, spec));
      }
    });
  }
  // Not std::cin: its library's set-up costs every start of the program.
  for (std::string line; ReadLine(stdin, line);) {
    if (line.empty()) continue;
    std::unique_lock lock(queue.mutex);
    queue.changed.wait(lock, [&] { return queue.lines.size() < capacity; });
    queue.lines.push_back(std::move(line));
    lock.unlock();
    queue.changed.notify_all();
  }
  {
    const std::lock_guard lock(queue.mutex);
    queue.is_closed = true;
  }
  queue.changed.notify_all();
  return 0;
}

}  // namespace paddock::cli
