#include "commands/sys/parallel_semaphore.h"

#include <algorithm>
#include <charconv>

#include "proc/kernel.h"
#include "proc/process.h"

namespace paddock {
namespace {

// Who holds the semaphore is a file each below ~/.parallel/semaphores/id-NAME, named by the process.
class Semaphore {
 public:
  Semaphore(Invocation& in, std::string_view name)
      : in_(in), directory_(vfs::JoinPath(std::string(in.env.Get("HOME", "/")), ".parallel/semaphores/id-" + Safe(name))) {}

  Status Prepare() { return vfs::MakeDirectories(in_.fs, directory_); }

  // Waits until fewer than `most` hold it. False at the deadline, or when a signal came.
  bool WaitBelow(int64_t most, std::optional<Nanoseconds> deadline) {
    Nanoseconds pause = std::chrono::milliseconds(10);
    while (Holders() >= most) {
      in_.budget.Step(16);
      const Nanoseconds now = in_.clock.MonotonicNow();
      if (deadline && now >= *deadline) return false;
      if (!in_.kernel.Sleep(in_.process, now + pause)) return false;
      pause = std::min<Nanoseconds>(pause * 2, std::chrono::milliseconds(300));
    }
    return true;
  }
  std::string HolderOf(int pid) const { return vfs::JoinPath(directory_, std::to_string(pid)); }

 private:
  static std::string Safe(std::string_view name) {
    std::string safe;
    for (const char c : name.substr(0, 100)) safe += (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ? c : '_';
    return safe;
  }
  int64_t Holders() {
    const auto entries = in_.fs.List(directory_);
    if (!entries) return 0;
    int64_t count = 0;
    for (const vfs::DirectoryEntry& entry : *entries) {
      in_.budget.Step();
      int pid = 0;
      const auto [end, error] = std::from_chars(entry.name.data(), entry.name.data() + entry.name.size(), pid);
      if (error != std::errc() || end != entry.name.data() + entry.name.size() || pid <= 0) continue;
      if (in_.kernel.Signal(in_.process, pid, 0)) ++count;
      else static_cast<void>(in_.fs.RemoveFile(vfs::JoinPath(directory_, entry.name)));   // it was killed
    }
    return count;
  }

  Invocation& in_;
  std::string directory_;
};

}  // namespace

ExitStatus RunSemaphore(Invocation& in, const ParallelOptions& options, int64_t most, const std::vector<std::string>& operands) {
  Semaphore semaphore(in, options.semaphore);
  if (const Status made = semaphore.Prepare(); !made) return in.Fail("Error: the semaphore cannot be kept: " + std::string(made.error().Text()), kParallelFailed);
  if (options.waits_for_semaphore) {
    semaphore.WaitBelow(1, std::nullopt);
    return 0;
  }
  std::string command;
  for (const std::string& word : operands) command += (command.empty() ? "" : " ") + word;
  std::optional<Nanoseconds> deadline;
  if (options.semaphore_timeout) deadline = in.clock.MonotonicNow() + std::chrono::seconds(std::clamp<int64_t>(std::abs(std::max<int64_t>(*options.semaphore_timeout, -1'000'000)), 0, 1'000'000));
  if (!semaphore.WaitBelow(most, deadline)) {
    if (!deadline || *options.semaphore_timeout < 0) return in.Fail("Warning: Semaphore timed out. Exiting.", 1);
    in.err.Write("parallel: Warning: Semaphore timed out. Stealing the semaphore.\n");
  }
  ChildSpec spec;
  spec.args = {"/usr/bin/bash", "-c", command};
  spec.environment = &in.env;
  std::string holder;
  const auto hold = [&](int pid) {
    holder = semaphore.HolderOf(pid);
    return vfs::WriteFile(in.fs, holder, "");
  };
  if (options.in_foreground) {
    if (const Status held = hold(in.process.pid()); !held) return in.Fail("Error: the semaphore cannot be kept: " + std::string(held.error().Text()), kParallelFailed);
    const auto status = in.launcher.Run(in.process, spec);
    static_cast<void>(in.fs.RemoveFile(holder));
    return status.value_or(127);
  }
  // The command takes its own file away: nobody waits for it.
  spec.args[2] = "trap 'rm -f \"$PARALLEL_HOLDER/$$\"' EXIT\n" + command;
  Environment environment = in.env;
  environment.Set("PARALLEL_HOLDER", vfs::DirectoryName(semaphore.HolderOf(1)));
  spec.environment = &environment;
  const auto pid = in.launcher.Spawn(in.process, spec);
  if (!pid) return in.Fail("/usr/bin/bash", pid.error(), kParallelFailed);
  if (const Status held = hold(*pid); !held) return in.Fail("Error: the semaphore cannot be kept: " + std::string(held.error().Text()), kParallelFailed);
  return 0;
}

}  // namespace paddock
