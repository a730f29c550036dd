#include "drivers/process/usage_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <map>
#include <set>
#include <string_view>

#include "base/descriptor.h"

namespace paddock::process_wall {
namespace {

// More processes than a sandbox may have by any sane limit; the rest is not looked at.
constexpr size_t kMostProcesses = 100'000;

std::string ReadProc(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 16 << 10> block;
  while (file.is_open() && text.size() < (1 << 20)) {
    const ssize_t got = read(file.get(), block.data(), block.size());
    if (got <= 0) break;
    text.append(block.data(), static_cast<size_t>(got));
  }
  return text;
}

uint64_t NextNumber(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_of("0123456789"), text.size()));
  uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<size_t>(parsed.ptr - text.data()));
  return value;
}

struct ProcessUse {
  pid_t parent = 0;
  uint64_t memory = 0;
  uint64_t cpu_nanoseconds = 0;   // its own, and that of children it has waited for
};

// From /proc/PID/stat; the name in it is the process's own to choose, so fields count from its last parenthesis.
std::optional<ProcessUse> ReadUse(pid_t process) {
  const std::string text = ReadProc("/proc/" + std::to_string(process) + "/stat");
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(text).substr(name_end);
  std::array<std::string_view, 23> fields{};   // 0 is field 2 of proc(5), the end of the name
  for (std::string_view& field : fields) {
    const size_t space = rest.find(' ');
    field = rest.substr(0, space);
    rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
  }
  const auto number = [&](size_t proc_field) {
    std::string_view field = fields[proc_field - 2];
    return NextNumber(field);
  };
  static const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  static const auto tick = static_cast<uint64_t>(1'000'000'000 / sysconf(_SC_CLK_TCK));
  return ProcessUse{static_cast<pid_t>(number(4)), number(24) * page, (number(14) + number(15) + number(16) + number(17)) * tick};
}

template <class Visit>
void ForEachNumber(const std::string& directory, const Visit& visit) {
  DIR* const list = opendir(directory.c_str());
  if (list == nullptr) return;
  while (const dirent* entry = readdir(list)) {
    const std::string_view name = entry->d_name;
    pid_t number = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
    if (parsed.ec == std::errc() && parsed.ptr == name.data() + name.size()) visit(number);
  }
  closedir(list);
}

// The kernel's list of children, by thread of the parent.
std::vector<pid_t> Children(pid_t process) {
  std::vector<pid_t> children;
  const std::string tasks = "/proc/" + std::to_string(process) + "/task";
  ForEachNumber(tasks, [&](pid_t task) {
    const std::string text = ReadProc(tasks + "/" + std::to_string(task) + "/children");
    std::string_view rest = text;
    while (rest.find_first_of("0123456789") != std::string_view::npos) children.push_back(static_cast<pid_t>(NextNumber(rest)));
  });
  return children;
}

// The same where the kernel keeps no such list: from every process's parent.
std::vector<pid_t> DescendantsByScan(pid_t init) {
  std::multimap<pid_t, pid_t> children;
  ForEachNumber("/proc", [&](pid_t process) {
    if (const auto use = ReadUse(process)) children.emplace(use->parent, process);
  });
  std::vector<pid_t> found{init};
  for (size_t i = 0; i < found.size() && found.size() < kMostProcesses; ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  }
  return found;
}

}  // namespace

std::vector<pid_t> Descendants(pid_t init) {
  const std::string own = std::to_string(init);
  if (access(("/proc/" + own + "/task/" + own + "/children").c_str(), R_OK) != 0) return DescendantsByScan(init);
  std::vector<pid_t> found{init};
  for (size_t i = 0; i < found.size() && found.size() < kMostProcesses; ++i) {
    for (const pid_t child : Children(found[i])) found.push_back(child);
  }
  // A process that changes its parent while we look can be met twice.
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

namespace {

// What lies in the private file systems in memory, seen through one of the processes.
uint64_t FilesInMemory(const std::vector<pid_t>& processes) {
  constexpr long kTmpfs = 0x01021994;
  for (const pid_t process : processes) {
    const std::string root = "/proc/" + std::to_string(process) + "/root";
    if (access((root + "/tmp").c_str(), F_OK) != 0) continue;
    std::map<dev_t, uint64_t> found;
    for (const char* place : {"/tmp", "/var/tmp", "/run", "/dev/shm", "/workspace"}) {
      struct stat status{};
      struct statfs usage{};
      const std::string path = root + place;
      if (stat(path.c_str(), &status) != 0 || statfs(path.c_str(), &usage) != 0 || usage.f_type != kTmpfs) continue;
      found[status.st_dev] = (usage.f_blocks - usage.f_bfree) * static_cast<uint64_t>(usage.f_bsize);
    }
    uint64_t sum = 0;
    for (const auto& [device, bytes] : found) sum += bytes;
    return sum;
  }
  return 0;
}

}  // namespace

namespace {

// Processes that are behind the wall of `init` for sure, by handles: a number that has gone to somebody else is not hit.
template <class Visit>
void ForEachInside(pid_t init, const Visit& visit) {
  const auto space = [](pid_t process) {
    struct stat status{};
    const bool is_there = stat(("/proc/" + std::to_string(process) + "/ns/pid").c_str(), &status) == 0;
    return is_there ? std::optional(status.st_ino) : std::nullopt;
  };
  const auto own = space(init);
  for (const pid_t process : Descendants(init)) {
    if (process == init || !own) continue;
    // Looked at after it was opened: a number that has gone to somebody else is not hit.
    Descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
    if (handle.is_open() && space(process) == own) visit(process, std::move(handle));
  }
}

// By the third field of its stat: stopped by somebody, or traced.
bool IsStopped(pid_t process) {
  const std::string text = ReadProc("/proc/" + std::to_string(process) + "/stat");
  const size_t end = text.rfind(')');
  return end != std::string::npos && end + 2 < text.size() && (text[end + 2] == 'T' || text[end + 2] == 't');
}

}  // namespace

void KillFromOutside(pid_t init) {
  ForEachInside(init, [](pid_t, Descriptor handle) { syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0); });
}

HeldProcesses::HeldProcesses(pid_t init) {
  ForEachInside(init, [this](pid_t process, Descriptor handle) {
    if (IsStopped(process) || syscall(SYS_pidfd_send_signal, handle.get(), SIGSTOP, nullptr, 0) != 0) return;
    held_.push_back(std::move(handle));
  });
}

HeldProcesses::~HeldProcesses() {
  for (const Descriptor& handle : held_) syscall(SYS_pidfd_send_signal, handle.get(), SIGCONT, nullptr, 0);
}

std::optional<uint64_t> WrittenInside(pid_t init) {
  uint64_t sum = 0;
  for (const pid_t process : Descendants(init)) {
    const std::string text = ReadProc("/proc/" + std::to_string(process) + "/io");
    const size_t at = text.find("\nwrite_bytes:");
    // Of init what it has inherited counts; one that has just ended is there at its parent's.
    if (at == std::string::npos && process == init) return std::nullopt;
    if (at == std::string::npos) continue;
    std::string_view rest = std::string_view(text).substr(at);
    sum += NextNumber(rest);
  }
  return sum;
}

namespace {

// With pages that processes share counted once; where a process hides its maps, its resident set. Files in memory that
// are mapped, too, count once.
uint64_t ProportionalMemory(const std::vector<pid_t>& processes, uint64_t files) {
  uint64_t sum = 0, mapped = 0;
  for (const pid_t process : processes) {
    const std::string text = ReadProc("/proc/" + std::to_string(process) + "/smaps_rollup");
    const size_t at = text.find("\nPss:");
    if (at == std::string::npos) {
      if (const auto use = ReadUse(process)) sum += use->memory;
      continue;
    }
    std::string_view rest = std::string_view(text).substr(at);
    sum += NextNumber(rest) * 1024;
    const size_t shared = text.find("\nPss_Shmem:");
    if (shared == std::string::npos) continue;
    rest = std::string_view(text).substr(shared);
    mapped += NextNumber(rest) * 1024;
  }
  return sum + files - std::min(files, mapped);
}

struct DiskUse {
  uint64_t read = 0, written = 0;   // its own, and that of children it has waited for
};

// From /proc/PID/io.
std::optional<DiskUse> ReadDiskUse(pid_t process) {
  const std::string text = ReadProc("/proc/" + std::to_string(process) + "/io");
  const size_t read_at = text.find("\nread_bytes: "), written_at = text.find("\nwrite_bytes: ");
  if (read_at == std::string::npos || written_at == std::string::npos) return std::nullopt;
  std::string_view read = std::string_view(text).substr(read_at), written = std::string_view(text).substr(written_at);
  return DiskUse{.read = NextNumber(read), .written = NextNumber(written)};
}

// What files of memfd_create(2) hold, mapped or not.
uint64_t MemoryInFiles(const std::vector<pid_t>& processes) {
  constexpr uint64_t kBlock = 512;
  constexpr size_t kMostDescriptors = 50'000;
  uint64_t sum = 0;
  size_t seen = 0;
  std::set<ino_t> counted;
  for (const pid_t process : processes) {
    const std::string directory = "/proc/" + std::to_string(process) + "/fd";
    ForEachNumber(directory, [&](pid_t number) {
      if (++seen > kMostDescriptors) return;
      const std::string path = directory + "/" + std::to_string(number);
      std::array<char, 16> target{};
      struct stat status{};
      if (readlink(path.c_str(), target.data(), target.size()) < 7 || !std::string_view(target.data(), 7).starts_with("/memfd:")) return;
      if (stat(path.c_str(), &status) == 0 && counted.insert(status.st_ino).second) sum += static_cast<uint64_t>(status.st_blocks) * kBlock;
    });
  }
  return sum;
}

}  // namespace

WallUse MeasureWall(pid_t init) {
  WallUse use;
  bool is_whole = true;
  for (const pid_t process : Descendants(init)) {
    const auto one = ReadUse(process);
    if (!one) continue;
    use.memory_bytes += one->memory;
    use.cpu_nanoseconds += one->cpu_nanoseconds;
    const auto disk = ReadDiskUse(process);
    if (!disk) {
      is_whole &= kill(process, 0) != 0 && errno == ESRCH;   // else it has just ended, and what it did is its parent's now
      continue;
    }
    use.disk_read_bytes = use.disk_read_bytes.value_or(0) + disk->read;
    use.disk_written_bytes = use.disk_written_bytes.value_or(0) + disk->written;
  }
  if (!is_whole) use.disk_read_bytes = use.disk_written_bytes = std::nullopt;
  return use;
}

UsageWatch::UsageWatch(pid_t init, Bounds bounds) : init_(init), bounds_(bounds) {
  if (bounds_.cpu_time) cpu_before_ = Measure().cpu_nanoseconds;
}

UsageWatch::Use UsageWatch::Measure() const {
  Use use;
  use.processes = Descendants(init_);
  for (const pid_t process : use.processes) {
    const auto one = ReadUse(process);
    if (!one) continue;
    use.memory += one->memory;
    use.cpu_nanoseconds += one->cpu_nanoseconds;
  }
  if (bounds_.memory_bytes && use.processes.size() > 1) use.files = FilesInMemory({use.processes.begin() + 1, use.processes.end()});
  return use;
}

std::optional<UsageWatch::Excess> UsageWatch::Look() {
  Use use = Measure();
  is_near_ = false;
  if (bounds_.memory_bytes) {
    const uint64_t bound = *bounds_.memory_bytes;
    use.memory += use.files;
    is_near_ = use.memory > bound / 2;
    if (use.memory > bound) use.memory = ProportionalMemory(use.processes, use.files);
    if (use.memory <= bound) use.memory = std::max(use.memory, MemoryInFiles(use.processes));
    peak_memory_ = std::max(peak_memory_, use.memory);
    if (use.memory > bound) return Excess{sandbox::Termination::Reason::kOom, "memory", use.memory};
  }
  if (bounds_.cpu_time) {
    // A process that ends between two readings can make the sum smaller for a moment.
    const uint64_t spent = use.cpu_nanoseconds - std::min(use.cpu_nanoseconds, cpu_before_);
    if (spent > static_cast<uint64_t>(bounds_.cpu_time->count())) return Excess{sandbox::Termination::Reason::kCpu, "cpu_time", spent};
  }
  return std::nullopt;
}

}  // namespace paddock::process_wall
