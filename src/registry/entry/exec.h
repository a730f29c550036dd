// What a sandbox of the registry is asked to run, and the running thing: values and RunningProcess.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "registry/entry/lease.h"
#include "registry/entry/line_input.h"
#include "registry/entry/output_log.h"
#include "sandbox/sandbox.h"

namespace paddock::registry {

using Variables = std::map<std::string, std::string>;

struct ExecRequest {
  std::optional<std::string> script;    // for the sandbox's shell
  std::vector<std::string> command;     // or a command line without one; exactly one of the two
  std::string cwd;                      // absolute; empty: where the sandbox's shell is
  Variables environment;                // added to the sandbox's
  std::string input;                    // stdin, which ends behind it
  bool has_open_input = false;          // stdin stays open for Write()
  std::optional<sandbox::WindowSize> terminal;   // where the wall can give one
  bool reads_lines = false;             // the wall cannot: a terminal at which lines are typed is made here; with has_open_input
  bool keeps_shell = false;             // goes on with the shell of the last such exec
  std::optional<Duration> timeout;
  std::optional<uint64_t> output_bytes; // both streams together
  std::stop_token stop;                 // of Registry::Exec(): ends it early, cancelled
  // Starts something else than Sandbox::Start() would; it gets the same. `script` then only says what is shown.
  std::function<Result<std::unique_ptr<sandbox::Process>>(sandbox::Sandbox&, sandbox::ExecSpec, sandbox::StdinSource, sandbox::OutputHandler)> starter;
};

enum class ProcessState { kQueued, kRunning, kExited };
const char* ProcessStateName(ProcessState state);

struct ProcessInfo {
  std::string id;                       // proc_…
  std::string sandbox_id;
  std::string command;                  // as asked for, cut to kMostCommandBytes
  ProcessState state = ProcessState::kQueued;
  Time created{};
  std::optional<Time> started, ended;
  uint64_t output_bytes = 0;            // written so far
  std::optional<sandbox::ExecResult> result;   // once it has ended; texts empty
  std::string failure;                  // once it has ended: why it could not be run, or what it changed not be kept; else empty

  static constexpr size_t kMostCommandBytes = 4096;
};

// A process of a sandbox, from when it was asked for until it is forgotten. Any thread.
class RunningProcess {
 public:
  RunningProcess(std::string id, std::string sandbox_id, const ExecRequest& request, std::string output_directory);
  ~RunningProcess();
  RunningProcess(const RunningProcess&) = delete;
  RunningProcess& operator=(const RunningProcess&) = delete;

  const std::string& id() const { return id_; }
  const std::string& sandbox_id() const { return sandbox_id_; }
  ProcessInfo Info() const;
  OutputLog& output() { return output_; }

  // Waits until it has ended; false when `until` passes first.
  bool WaitUntil(std::chrono::steady_clock::time_point until);
  // Runs `done` once it has ended, on the thread that ended it; at once if it has.
  void WhenEnded(std::function<void()> done);

  // To its stdin, all of it or an error: kInvalid when it was not asked to stay open, kBrokenPipe when it is closed or the process has
  // ended, kTimedOut when the process does not read.
  Status Write(std::string_view bytes, std::chrono::steady_clock::time_point until);
  // As Write(), but only as much as it takes; waits until `until` for the first. 0: it took none.
  Result<size_t> WriteSome(std::string_view bytes, std::chrono::steady_clock::time_point until);
  Status CloseInput();
  // SIGKILL ends it on every wall. kNotSupported: this wall cannot send that one.
  Status Signal(int signal);
  // kNotSupported: it has no terminal.
  Status Resize(sandbox::WindowSize size);
  void Cancel();

  // ---- for the sandbox that runs it

  bool is_cancelled() const;
  // Lines are typed for it, and its output is for a terminal.
  bool reads_lines() const { return reads_lines_; }
  // Runs `call` when it is cancelled, on the thread that does; at once if it has been. An empty one takes it back.
  void WhenCancelled(std::function<void()> call);
  // The host's end that the process reads from; once, only with has_open_input.
  int TakeInput() { return input_.Release(); }
  // Has begun: `process` lives until Leave() or Finish(). False: it was cancelled before.
  bool Begin(sandbox::Process& process, Time now);
  // What began is over and about to go: nothing reaches it any more, though what it changed may still have to be kept.
  void Leave();
  // `failure`: as in ProcessInfo.
  void Finish(sandbox::ExecResult result, Time now, std::string failure = {});

 private:
  const std::string id_, sandbox_id_, command_;
  const bool has_terminal_, reads_lines_;
  OutputLog output_;
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  ProcessState state_ = ProcessState::kQueued;
  bool is_cancelled_ = false;
  std::function<void()> when_cancelled_;
  const Time created_;
  std::optional<Time> started_, finished_;
  std::optional<sandbox::ExecResult> result_;
  std::string failure_;
  sandbox::Process* process_ = nullptr;   // while it runs
  bool has_left_ = false;
  std::vector<std::function<void()>> when_ended_;
  std::mutex input_mutex_;                // of the two ends; held while writing
  Descriptor input_, input_writer_;
  std::unique_ptr<LineInput> lines_;      // in the place of input_writer_, with reads_lines_
};

}  // namespace paddock::registry
