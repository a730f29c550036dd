// Bounded bombs, in a sandbox whose limits are small. Each goes somewhat beyond its limit and stops.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <vector>

#include "drivers/process/escape/reading.h"

namespace paddock::escape {
namespace {

Verdict Forks(const Facts& facts) {
  const int64_t limit = facts.Number("limit_processes");
  std::vector<pid_t> children;
  int error = 0;
  while (error == 0 && static_cast<int64_t>(children.size()) < limit + 30) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      while (true) pause();
    }
    if (child < 0) error = errno;
    else children.push_back(child);
  }
  for (const pid_t child : children) kill(child, SIGKILL);
  for (const pid_t child : children) waitpid(child, nullptr, 0);
  if (error == 0) return Escaped(std::to_string(children.size()) + " processes run under a limit of " + std::to_string(limit));
  return Held("fork number " + std::to_string(children.size() + 1) + ": " + std::strerror(error));
}

// Takes memory and holds it for a while, as a supervisor looks now and then.
Verdict Memory(const Facts& facts) {
  const auto limit = static_cast<size_t>(facts.Number("limit_memory"));
  constexpr size_t kPiece = 4 << 20;
  for (size_t taken = 0; taken < limit + limit / 2; taken += kPiece) {
    void* const memory = mmap(nullptr, kPiece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return Held(std::string("mmap: ") + std::strerror(errno));
    std::memset(memory, 1, kPiece);
  }
  const timespec pause_time{1, 0};
  nanosleep(&pause_time, nullptr);
  return Escaped("half as much again as the limit of " + std::to_string(limit >> 20) + " MiB is held for a second");
}

Verdict Fill(const char* directory, const Facts& facts) {
  const auto limit = static_cast<size_t>(facts.Number("limit_disk"));
  const std::string path = std::string(directory) + "/paddock-escape-fill-" + std::to_string(getpid());
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return NotApplicable(std::string("no file can be made in ") + directory + ": " + std::strerror(errno));
  unlink(path.c_str());
  const std::vector<char> block(1 << 20, 'x');
  size_t written = 0;
  int error = 0;
  while (error == 0 && written < 2 * limit) {
    const ssize_t got = write(file, block.data(), block.size());
    if (got <= 0) error = errno;
    else written += static_cast<size_t>(got);
  }
  close(file);
  if (error == 0) return Escaped(std::to_string(written >> 20) + " MiB fit into " + directory + " under a limit of " + std::to_string(limit >> 20));
  return Held(std::string("after ") + std::to_string(written >> 20) + " MiB: " + std::strerror(error));
}
Verdict FillTmp(const Facts& facts) { return Fill("/tmp", facts); }
Verdict FillDevice(const Facts& facts) { return Fill("/dev/shm", facts); }

Verdict ManyFiles(const Facts& facts) {
  if (facts.is_control()) return NotApplicable("20,000 files are not made on the host");
  int error = 0, made = 0;
  for (; error == 0 && made < 20'000; ++made) {
    const int file = open(("/tmp/paddock-escape-" + std::to_string(made)).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) error = errno;
    else close(file);
  }
  for (int number = 0; number < made; ++number) unlink(("/tmp/paddock-escape-" + std::to_string(number)).c_str());
  if (error == 0) return Escaped("20,000 files fit into /tmp");
  return Held(std::string("file number ") + std::to_string(made) + ": " + std::strerror(error));
}

Verdict RaiseLimit(const char* what, int resource) {
  rlimit limit{};
  getrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
  if (limit.rlim_max == RLIM_INFINITY) return Escaped(std::string(what) + " is not limited");
  limit.rlim_max += 1;
  return Judge(std::string("raising the limit of ") + what, setrlimit(static_cast<__rlimit_resource_t>(resource), &limit));
}
Verdict OpenFiles(const Facts&) { return RaiseLimit("open files", RLIMIT_NOFILE); }
Verdict Processes(const Facts&) { return RaiseLimit("processes", RLIMIT_NPROC); }
Verdict CoreDumps(const Facts&) { return RaiseLimit("core dumps", RLIMIT_CORE); }
Verdict Queues(const Facts&) {
  rlimit limit{};
  getrlimit(RLIMIT_MSGQUEUE, &limit);
  return limit.rlim_max > (1 << 20) ? Escaped("message queues may hold more than a megabyte") : RaiseLimit("message queues", RLIMIT_MSGQUEUE);
}

Verdict BurnTime(const Facts& facts) {
  const int64_t limit = facts.Number("limit_cpu_seconds");
  timespec spent{};
  alarm(50);   // a busy machine gives it little
  do {
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  } while (spent.tv_sec < 2 * limit);
  return Escaped(std::to_string(2 * limit) + " seconds of processor time under a limit of " + std::to_string(limit));
}

constexpr Probe kProbes[] = {
    {"limits/forks", "more processes than the limit", Forks, Needs::kLimits},
    {"limits/memory", "more memory than the limit", Memory, Needs::kLimits},
    {"limits/cpu-time", "more processor time than the limit", BurnTime, Needs::kLimits},
    {"limits/fill-tmp", "more bytes in /tmp than its size", FillTmp, Needs::kLimits},
    {"limits/fill-shm", "more bytes in /dev/shm than its size", FillDevice, Needs::kLimits},
    {"limits/files", "very many small files", ManyFiles, Needs::kLimits},
    {"limits/open-files", "a higher limit of open files", OpenFiles, Needs::kLimits},
    {"limits/processes", "a higher limit of processes", Processes, Needs::kLimits},
    {"limits/core-dumps", "core dumps", CoreDumps, Needs::kLimits},
    {"limits/queues", "a higher limit of message queues", Queues, Needs::kLimits},
};

}  // namespace

std::span<const Probe> LimitProbes() { return kProbes; }

}  // namespace paddock::escape
