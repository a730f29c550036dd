// ProcessTable: all execs of an agent: starts them, binds them to streams, reaps, signals, kills.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>

#include "guest/agent/machine.h"
#include "guest/agent/process.h"
#include "guest/agent/process_tree.h"
#include "guest/agent/stream.h"

namespace paddock::guest {

class ProcessTable {
 public:
  ProcessTable(EventLoop& loop, Outbox& outbox, Machine& machine, bool is_init)
      : loop_(loop), outbox_(outbox), machine_(machine), is_init_(is_init) {}

  // Each answers on `stream` (kStarted or kError) and gives the stream's object, null when it failed.
  std::unique_ptr<Stream> Start(uint32_t stream, const StartRequest& request);
  std::unique_ptr<Stream> Attach(uint32_t stream, const AttachRequest& request);
  std::vector<ProcessInfo> List() const;
  // As init everything but the agent, otherwise everything that it started.
  void KillAll();
  // Takes the status of every child that has ended, ours and adopted ones.
  void Reap();
  void OnExit(pid_t pid, int status, const rusage& usage);
  // The client takes kTreeKilled unasked (kFeatureTakesTreeEnd).
  void TellOfTreeEnds() { tells_of_tree_ends_ = true; }

 private:
  class ProcessStream;

  Process* Find(uint64_t number);
  // Makes room for one more by dropping the oldest that has ended and has no client. False when there is none.
  bool MakeRoom();
  int Signal(Process& process, const SignalRequest& request);
  // Kills what is left of a tree, again and again until nothing is; then tells the stream.
  void KillTree(const ProcessTree& tree, uint32_t stream, int tries);

  static constexpr size_t kMaxProcesses = 4096;

  EventLoop& loop_;
  Outbox& outbox_;
  Machine& machine_;
  const bool is_init_;
  bool tells_of_tree_ends_ = false;
  uint64_t last_number_ = 0;
  std::map<uint64_t, std::unique_ptr<Process>> processes_;
  std::unordered_map<pid_t, Process*> running_;
};

}  // namespace paddock::guest
