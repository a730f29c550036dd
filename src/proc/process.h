// Process: a virtual process: descriptors, working directory, credentials, signals, exit status.
//
// It is what the kernel of a real machine keeps for a process, and no more. What it runs (a shell, a
// command) is somebody else's; a process may share its fiber with its parent (a command that the shell
// waits for runs on the shell's own stack) or have one of its own (pipeline stages, background jobs).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/stream.h"
#include "proc/resource_limits.h"
#include "proc/signals.h"
#include "vfs/view.h"

namespace paddock {
class Fiber;
}  // namespace paddock

namespace paddock::proc {

class Kernel;

inline constexpr int kMaxDescriptors = 1024;

// The descriptors of one process; few, so a flat list. Copied for a child.
class DescriptorTable {
 public:
  struct Entry {
    int number;
    bool close_on_exec;
    vfs::OpenFilePtr file;
  };
  // Null if `number` is not open.
  const vfs::OpenFilePtr& Get(int number) const;
  // Opens or replaces.
  void Set(int number, vfs::OpenFilePtr file, bool close_on_exec = false);
  // False if it was not open.
  bool Close(int number);
  // The lowest free number that is at least `from`; -1 when the table is full.
  int LowestFree(int from = 0) const;
  // Numbers are below it. What is open beyond stays so.
  int capacity() const { return capacity_; }
  void set_capacity(int capacity) { capacity_ = capacity; }
  void CloseOnExec();
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;   // ascending by number
  int capacity_ = kMaxDescriptors;
};

class Process {
 public:
  enum class State { kRunning, kStopped, kExited };
  enum class Disposition : uint8_t { kDefault, kIgnore, kCatch };

  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int pid() const { return pid_; }
  int parent_pid() const { return parent_pid_; }
  int group() const { return group_; }
  void set_group(int group) { group_ = group; }
  // -20 to 19, inherited. Kept and shown only: all processes get the same share.
  int niceness() const { return niceness_; }
  void set_niceness(int niceness) { niceness_ = niceness; }
  // What ulimit set, inherited. Those of cpu time (t), file size (f), open files (n), user processes (u) and memory (d, v) bound the process.
  const ResourceLimits& resource_limits() const;
  void set_resource_limits(const ResourceLimits& limits);
  // On the monotonic clock.
  Nanoseconds start_time() const { return start_time_; }
  Kernel& kernel() { return kernel_; }

  DescriptorTable& descriptors() { return descriptors_; }
  vfs::View& files() { return files_; }

  // What ps shows.
  void set_arguments(std::vector<std::string> arguments) { arguments_ = std::move(arguments); }
  const std::vector<std::string>& arguments() const { return arguments_; }

  // Writes through a descriptor: kBadDescriptor if closed. A broken pipe raises SIGPIPE first.
  Status Write(int descriptor, std::string_view bytes);

  // Signals. Raise() marks it pending and wakes the process; it takes effect when the process next
  // continues, or at once for the running one at its next Poll().
  void Raise(int signal);
  void set_disposition(int signal, Disposition disposition);
  Disposition disposition(int signal) const;
  // The next caught signal that arrived, or 0. The shell runs its trap.
  int TakeCaught();
  bool HasCaught() const { return caught_ != 0; }
  // Forgets a caught signal that has arrived; false if it has not.
  bool DropCaught(int signal);
  // Ends the process (throws Termination) if a fatal signal is pending or the exec is over.
  void Poll();
  // Signals that wait until unblocked are not modelled; only traps defer, in the shell.

  State state() const { return state_; }
  // Exit status as $? shows it (128 + signal for a killed one), once kExited.
  int exit_status() const { return exit_status_; }
  int exit_signal() const { return exit_signal_; }

 private:
  friend class Kernel;
  Process(Kernel& kernel, int pid, int parent_pid, const vfs::View& files);

  // Of soft limits; kUnlimited where there is none.
  uint64_t SoftLimit(char letter) const;
  // Takes what a child has from its parent, but for its files.
  void Inherit(const Process& parent);
  // Counts processor time that it has used and looks whether there is memory left for it; raises what the limits say.
  void Charge(Nanoseconds used, uint64_t memory_bytes);
  // Ends it with a message, as a program that cannot go on.
  [[noreturn]] void Fail(std::string_view message, int status);

  Kernel& kernel_;
  int pid_;
  int parent_pid_;
  int group_;
  int niceness_ = 0;
  Nanoseconds start_time_{0};
  State state_ = State::kRunning;
  int exit_status_ = 0;
  int exit_signal_ = 0;
  bool is_reaped_ = false;
  uint64_t pending_ = 0;   // fatal signals not yet delivered, bit signal-1
  uint64_t caught_ = 0;    // signals with a handler that arrived
  uint64_t ignored_ = 0;
  uint64_t handled_ = 0;
  Fiber* fiber_ = nullptr;         // the fiber it runs on
  Process* below_ = nullptr;       // the process it runs on top of, on the same fiber
  std::vector<Fiber*> exit_waiters_;
  DescriptorTable descriptors_;
  vfs::View files_;
  std::vector<std::string> arguments_;
  std::shared_ptr<const ResourceLimits> limits_;   // null: none was set
  Nanoseconds cpu_used_{0};                        // while cpu time is limited
  std::optional<int> failed_status_;               // of Fail()
};

// A descriptor of a process as a sink and a source for Output and Input. Looks the descriptor up at each
// call, so redirections take effect.
class DescriptorSink final : public ByteSink {
 public:
  DescriptorSink(Process& process, int descriptor) : process_(process), descriptor_(descriptor) {}
  Status Write(std::string_view bytes) override { return process_.Write(descriptor_, bytes); }

 private:
  Process& process_;
  int descriptor_;
};

class DescriptorSource final : public ByteSource {
 public:
  DescriptorSource(Process& process, int descriptor) : process_(process), descriptor_(descriptor) {}
  Result<Block> ReadBlock(size_t max) override;
  void GiveBack(size_t count) override;

 private:
  Process& process_;
  int descriptor_;
};

}  // namespace paddock::proc
