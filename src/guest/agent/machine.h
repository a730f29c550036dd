// Machine: the calls with which an agent acts on processes and on the machine as a whole. An interface, so that the fuzz
// targets can feed an agent with any bytes without harm to the machine that they run on.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "guest/agent/process_tree.h"
#include "guest/protocol/messages.h"

namespace paddock::guest {

// What a new process is made of; everything that could need memory has been worked out before.
struct SpawnPlan {
  std::vector<std::string> paths;   // tried in order until one can be executed
  const StartRequest* request = nullptr;
  int descriptors[3] = {-1, -1, -1};
  bool has_terminal = false;        // descriptor 0 becomes the controlling terminal
  uint64_t mark = 0;                // see process_mark.h
};

struct Spawned {
  pid_t pid = -1;          // leader of its own session and process group
  int error_number = 0;    // of a failure
  Step step = Step::kNone;
};

class Machine {
 public:
  virtual ~Machine() = default;
  virtual Spawned Spawn(const SpawnPlan& plan) = 0;
  // As kill(2): 0 or an errno.
  virtual int Kill(pid_t pid, int signal) = 0;
  // See process_tree.h.
  virtual size_t SignalTree(const ProcessTree& tree, int signal) = 0;
  virtual void StopTree(const ProcessTree& tree) = 0;
  virtual bool HasNobody() = 0;
  virtual int SetOomScore(pid_t pid, int score) = 0;
  // Sets the machine's clock, in nanoseconds since 1970. 0 or an errno.
  virtual int SetTime(int64_t nanoseconds) = 0;
  // Mixes bytes into the kernel's random numbers; counted as random where the agent may. 0 or an errno.
  virtual int AddEntropy(std::string_view bytes) = 0;
};

class RealMachine final : public Machine {
 public:
  // Lets the agent have as many descriptors as it may; programs start with as many as it had before.
  RealMachine();
  Spawned Spawn(const SpawnPlan& plan) override;
  int Kill(pid_t pid, int signal) override;
  size_t SignalTree(const ProcessTree& tree, int signal) override;
  void StopTree(const ProcessTree& tree) override;
  bool HasNobody() override;
  int SetOomScore(pid_t pid, int score) override;
  int SetTime(int64_t nanoseconds) override;
  int AddEntropy(std::string_view bytes) override;

 private:
  uint64_t descriptor_limit_ = 0;   // the soft limit of programs
  uint64_t ignored_signals_ = 0;    // those that programs would inherit as ignored; bit 0 is signal 1
};

}  // namespace paddock::guest
