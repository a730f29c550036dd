#include "drivers/virtual/proc_files.h"

#include <algorithm>
#include <cstdio>

#include "base/random.h"
#include "vfs/special_volumes.h"

namespace paddock::sandbox {
namespace {

std::string NameOf(const proc::Process& process) {
  return process.arguments().empty() ? "bash" : std::string(vfs::BaseName(process.arguments()[0]));
}

std::string StatusText(const proc::Process& process, const SandboxSpec& spec) {
  const auto four = [](uint32_t id) {
    std::string text;
    for (int i = 0; i < 4; ++i) text += "\t" + std::to_string(id);
    return text + "\n";
  };
  return "Name:\t" + NameOf(process) + "\nState:\tR (running)\nPid:\t" + std::to_string(process.pid()) + "\nPPid:\t" +
         std::to_string(process.parent_pid()) + "\nUid:" + four(spec.uid) + "Gid:" + four(spec.gid);
}

// The 52 fields of proc(5); what a virtual process does not have is 0. Times are in hundredths of a second.
std::string StatText(const proc::Process& process, Nanoseconds boot) {
  char state = 'R';
  if (process.state() == proc::Process::State::kStopped) state = 'T';
  if (process.state() == proc::Process::State::kExited) state = 'Z';
  const auto started = std::chrono::duration_cast<std::chrono::milliseconds>(process.start_time() - boot).count() / 10;
  std::string text = std::to_string(process.pid()) + " (" + NameOf(process) + ") " + state;
  for (const int64_t field : {int64_t{process.parent_pid()}, int64_t{process.group()}}) text += " " + std::to_string(field);
  text += " 0 0 -1 0 0 0 0 0 0 0 0 0";   // session, terminal, its group, flags, faults, processor times
  for (const int64_t field : {int64_t{20 + process.niceness()}, int64_t{process.niceness()}, int64_t{1}, int64_t{0}, std::max<int64_t>(started, 0)}) text += " " + std::to_string(field);
  for (int field = 23; field <= 52; ++field) text += " 0";
  return text + "\n";
}

std::string CommandLine(const proc::Process& process) {
  std::string text;
  for (const std::string& argument : process.arguments()) text += argument + '\0';
  return text;
}

// As /proc/mounts writes names: blanks, newlines and backslashes in octal.
std::string Escaped(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\\') {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(c));
      escaped += octal;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string Mounts(proc::Kernel& kernel) {
  std::string text;
  for (const auto& mount : kernel.names().mounts()) {
    const vfs::SpaceInfo space = mount.volume->Space();
    text += Escaped(space.source) + " " + Escaped(mount.path) + " " + space.type + (mount.volume->is_read_only() ? " ro" : " rw") +
            ",relatime 0 0\n";
  }
  return text;
}

std::string Uptime(Nanoseconds passed) {
  const double seconds = std::chrono::duration<double>(passed).count();
  char text[64];
  std::snprintf(text, sizeof text, "%.2f %.2f\n", seconds, seconds);
  return text;
}

// One processor that was idle all the time; the processes that there were.
std::string MachineStatistics(proc::Kernel& kernel, Nanoseconds boot) {
  const Nanoseconds passed = kernel.clock().MonotonicNow() - boot;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(kernel.clock().RealNow() - passed).count();
  const std::string figures = " 0 0 0 " + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(passed).count() / 10) + " 0 0 0 0 0 0\n";
  return "cpu " + figures + "cpu0" + figures + "intr 0\nctxt 0\nbtime " + std::to_string(seconds) + "\nprocesses " + std::to_string(kernel.next_pid()) +
         "\nprocs_running 1\nprocs_blocked 0\n";
}

std::string RandomUuid() {
  uint8_t bytes[16];
  FillRandom(bytes);
  bytes[6] = static_cast<uint8_t>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<uint8_t>((bytes[8] & 0x3f) | 0x80);
  std::string text;
  for (size_t i = 0; i < sizeof bytes; ++i) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(bytes[i]));
    text.append(i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "").append(digits);
  }
  return text + "\n";
}

// The exec's limit as the machine's memory.
std::string MemoryInfo(proc::Kernel& kernel) {
  const bool is_running = kernel.current() != nullptr;
  const uint64_t total = is_running ? kernel.budget().limits().memory_bytes : Limits{}.memory_bytes;
  const uint64_t used = is_running ? std::min(total, kernel.budget().peak_memory_bytes()) : 0;
  std::string text;
  const auto add = [&](const char* name, uint64_t bytes) {
    char line[64];
    std::snprintf(line, sizeof line, "%-16s%8llu kB\n", name, static_cast<unsigned long long>(bytes >> 10));
    text += line;
  };
  add("MemTotal:", total);
  add("MemFree:", total - used);
  add("MemAvailable:", total - used);
  add("SwapTotal:", 0);
  add("SwapFree:", 0);
  return text;
}

}  // namespace

vfs::VolumePtr MakeProcFiles(proc::Kernel& kernel, const SandboxSpec& spec) {
  vfs::ProcSource source;
  source.pids = [&kernel] {
    std::vector<int> pids;
    for (const proc::Process* process : kernel.List()) pids.push_back(process->pid());
    return pids;
  };
  source.self = [&kernel] { return kernel.current() == nullptr ? 0 : kernel.current()->pid(); };
  const Nanoseconds boot = kernel.clock().MonotonicNow();
  source.file = [&kernel, &spec, boot](int pid, std::string_view name) -> Result<std::string> {
    proc::Process* process = kernel.Find(pid);
    if (process == nullptr) return Code::kNoEntry;
    if (name == "comm") return NameOf(*process) + "\n";
    if (name == "cmdline") return CommandLine(*process);
    if (name == "status") return StatusText(*process, spec);
    if (name == "stat") return StatText(*process, boot);
    if (name == "mounts") return Mounts(kernel);
    if (name == "cwd") return process->files().cwd();
    return Code::kNoEntry;
  };
  std::vector<vfs::GeneratedFile> files = {
      {"version", [] { return std::string("Linux version 6.1.0 (paddock) #1 SMP\n"); }},
      {"cpuinfo", [] { return std::string("processor\t: 0\nmodel name\t: Paddock virtual CPU\n"); }},
      {"meminfo", [&kernel] { return MemoryInfo(kernel); }},
      {"mounts", [&kernel] { return Mounts(kernel); }},
      {"uptime", [&kernel, boot] {
         return Uptime(kernel.clock().MonotonicNow() - boot);
       }},
      {"stat", [&kernel, boot] { return MachineStatistics(kernel, boot); }},
      {"sys/fs/file-max", [] { return std::to_string(proc::kMaxDescriptors) + "\n"; }},
      {"sys/kernel/hostname", [&kernel] { return kernel.hostname() + "\n"; }},
      {"sys/kernel/osrelease", [] { return std::string("6.1.0-paddock\n"); }},
      {"sys/kernel/ostype", [] { return std::string("Linux\n"); }},
      {"sys/kernel/pid_max", [] { return std::string("4194304\n"); }},
      {"sys/kernel/random/uuid", [] { return RandomUuid(); }},
      {"sys/kernel/random/boot_id", [id = RandomUuid()] { return id; }},
      {"sys/kernel/version", [] { return std::string("#1 SMP\n"); }},
      {"sys/vm/overcommit_memory", [] { return std::string("2\n"); }},
      {"loadavg", [] { return std::string("0.00 0.00 0.00 1/1 1\n"); }},
  };
  return vfs::MakeProcVolume(std::move(source), std::move(files));
}

}  // namespace paddock::sandbox
