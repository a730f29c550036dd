// Fuzz target of the agent: whatever a client sends behind its hello, the agent answers in well-formed frames, keeps a bounded
// amount of them, and starts nothing but what a request said. No process is started and no file is touched.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/check.h"
#include "guest/agent/agent.h"
#include "guest/agent/session.h"

namespace {

using namespace paddock::guest;

// A machine on which every program writes a few bytes to its output and reads nothing.
class ToyMachine final : public Machine {
 public:
  Spawned Spawn(const SpawnPlan& plan) override {
    PADDOCK_CHECK(!plan.request->arguments.empty() && !plan.paths.empty());
    if (plan.request->arguments[0] == "missing") return {-1, ENOENT, Step::kExec};
    for (int i = 1; i < 3; ++i) (void)!write(plan.descriptors[i], "some output\n", 12);
    pids.push_back(static_cast<pid_t>(1000 + pids.size()));
    return {pids.back(), 0, Step::kNone};
  }
  int Kill(pid_t pid, int) override {
    PADDOCK_CHECK(pid != 0 && pid != 1 && pid != -1);
    return 0;
  }
  size_t SignalTree(const ProcessTree&, int) override { return 0; }
  void StopTree(const ProcessTree&) override {}
  bool HasNobody() override { return pids.size() % 2 == 0; }
  int SetOomScore(pid_t, int score) override { return score < 0 ? EACCES : 0; }
  int SetTime(int64_t) override { return EPERM; }
  int AddEntropy(std::string_view) override { return 0; }

  std::vector<pid_t> pids;
};

void CheckAnswers(int file) {
  FrameDecoder decoder;
  lseek(file, 0, SEEK_SET);
  while (true) {
    const auto space = decoder.Space();
    const ssize_t got = read(file, space.data(), space.size());
    if (got <= 0) break;
    decoder.Commit(static_cast<size_t>(got));
    while (true) {
      const auto frame = decoder.Next();
      PADDOCK_CHECK(frame.has_value());
      if (!*frame) break;
    }
  }
  PADDOCK_CHECK(decoder.IsAtBoundary());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int answers = [] {
    std::signal(SIGPIPE, SIG_IGN);   // as RunAgent() does
    return memfd_create("answers", MFD_CLOEXEC);
  }();
  if (ftruncate(answers, 0) != 0 || lseek(answers, 0, SEEK_SET) != 0) return 0;
  ToyMachine machine;
  EventLoop loop;
  Outbox outbox;
  AgentOptions options;
  options.features = kFeatureExec | kFeatureSystem;
  Session session(loop, outbox, machine, options);
  session.Greet();
  const std::string hello = Encode(Hello());
  PADDOCK_CHECK(session.Receive({{static_cast<uint32_t>(hello.size()), 0, FrameType::kHello, 0}, hello}).has_value());

  FrameDecoder decoder;
  bool is_broken = false;
  for (std::string_view bytes(reinterpret_cast<const char*>(data), size); !is_broken;) {
    while (!is_broken) {
      const auto frame = decoder.Next();
      if (frame && !*frame) break;
      is_broken = !frame || !session.Receive(**frame);
      loop.RunOnce(std::chrono::milliseconds(0));
      PADDOCK_CHECK(outbox.Flush(answers));
      session.Sweep();
    }
    if (bytes.empty()) break;
    const auto space = decoder.Space();
    const size_t count = std::min(space.size(), bytes.size());
    std::memcpy(space.data(), bytes.data(), count);
    decoder.Commit(count);
    bytes.remove_prefix(count);
  }
  for (const pid_t pid : machine.pids) session.processes().OnExit(pid, 0, {});
  for (int i = 0; i < 4; ++i) loop.RunOnce(std::chrono::milliseconds(0));
  PADDOCK_CHECK(outbox.Flush(answers));
  CheckAnswers(answers);
  return 0;
}
