// DirectProcess: a process of a DirectSandbox: it runs on a thread of its own and keeps the end of its output.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/descriptor.h"
#include "tools/session/session_access.h"

namespace paddock::tools {

class DirectProcess {
 public:
  // `start` starts it with this stdin and handler, on the calling thread; `on_end` is called on the process's own thread.
  using Starter = std::function<Result<std::unique_ptr<sandbox::Process>>(sandbox::StdinSource, sandbox::OutputHandler)>;
  static Result<std::shared_ptr<DirectProcess>> Start(std::string id, std::string command, const Starter& start, std::function<void()> on_end);
  ~DirectProcess() { End(); }
  DirectProcess(const DirectProcess&) = delete;
  DirectProcess& operator=(const DirectProcess&) = delete;

  // Ends it and waits until its thread is gone. Idempotent.
  void End();
  ProcessInfo info() const;
  bool is_running() const;
  ProcessOutput Read(uint64_t offset, size_t most, std::chrono::milliseconds wait);
  // Errors: kUnavailable when its input has ended.
  Status Write(std::string_view bytes, bool ends_input);
  Status Signal(int signal);
  void Wait(std::chrono::milliseconds wait, std::stop_token stop);

 private:
  DirectProcess() = default;
  void Run();
  void Append(std::string_view bytes);

  static constexpr size_t kKept = 4u << 20;   // bytes of output
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  ProcessInfo info_;
  std::string output_;          // the last kKept bytes or up to twice as many
  uint64_t output_begin_ = 0;   // offset of output_'s first byte
  Descriptor input_;            // our end of its stdin
  Descriptor its_input_;
  std::unique_ptr<sandbox::Process> process_;
  std::function<void()> on_end_;
  std::mutex ending_;
  std::thread thread_;
};

}  // namespace paddock::tools
