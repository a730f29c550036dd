#include "guest/agent/process_table.h"

#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace paddock::guest {
namespace {

// The files that execvp(3) would try.
std::vector<std::string> ProgramPaths(const StartRequest& request) {
  const std::string& program = request.arguments[0];
  if (program.find('/') != std::string::npos) return {program};
  std::string_view search = "/usr/local/bin:/usr/bin:/bin";
  for (const std::string& variable : request.environment) {
    if (variable.starts_with("PATH=")) search = std::string_view(variable).substr(5);
  }
  constexpr size_t kMaxFolders = 256;
  std::vector<std::string> paths;
  while (paths.size() < kMaxFolders) {
    const size_t end = search.find(':');
    const std::string_view folder = search.substr(0, end);
    paths.push_back(folder.empty() ? program : std::string(folder) + "/" + program);
    if (end == std::string_view::npos) break;
    search.remove_prefix(end + 1);
  }
  return paths;
}

constexpr uint8_t kRealTimeLimit = 15;   // RLIMIT_RTTIME; with RLIMIT_LOCKS it is what marks are made of
constexpr size_t kMaxNameBytes = 256;   // in a list: all of them fit one message
constexpr int kKillTries = 2000;   // with a millisecond in between

}  // namespace

// What a client does to a process. The process is looked up anew by every call: it may have been forgotten by another stream.
class ProcessTable::ProcessStream final : public Stream {
 public:
  ProcessStream(ProcessTable& table, uint32_t stream, uint64_t number) : table_(table), stream_(stream), number_(number) {}

  Status Receive(const Frame& frame) override {
    Process* process = table_.Find(number_);
    if (process == nullptr || process->stream() != stream_) return {};   // bound to a newer stream; the client will hear
    switch (frame.header.type) {
      case FrameType::kData:
        return process->Receive(frame.payload);
      case FrameType::kEnd:
        process->EndInput();
        return {};
      case FrameType::kWindow: {
        PADDOCK_ASSIGN(const uint32_t bytes, DecodeU32(frame.payload));
        return process->AddCredit(frame.header.flags, bytes);
      }
      case FrameType::kSignal: {
        PADDOCK_ASSIGN(const SignalRequest request, DecodeSignal(frame.payload));
        table_.Signal(*process, request);
        return {};
      }
      case FrameType::kResize: {
        PADDOCK_ASSIGN(const TerminalSize size, DecodeTerminalSize(frame.payload));
        process->Resize(size);
        return {};
      }
      case FrameType::kKillTree:
        table_.KillTree({number_, process->pid()}, stream_, kKillTries);
        return {};
      case FrameType::kForget:
        if (process->IsRunning()) table_.running_.erase(process->pid());
        table_.processes_.erase(number_);
        return {};
      default:
        return Error(Code::kInvalid, "guest protocol: not a message to a process");
    }
  }

  void Reset() override {
    Process* process = table_.Find(number_);
    if (process != nullptr && process->stream() == stream_) process->Detach();
  }

 private:
  ProcessTable& table_;
  const uint32_t stream_;
  const uint64_t number_;
};

Process* ProcessTable::Find(uint64_t number) {
  const auto found = processes_.find(number);
  return found == processes_.end() ? nullptr : found->second.get();
}

bool ProcessTable::MakeRoom() {
  if (processes_.size() < kMaxProcesses) return true;
  for (const auto& [number, process] : processes_) {
    if (process->IsRunning() || process->stream() != 0) continue;
    processes_.erase(number);
    return true;
  }
  return false;
}

std::unique_ptr<Stream> ProcessTable::Start(uint32_t stream, const StartRequest& request) {
  if (!MakeRoom()) {
    outbox_.Error(stream, EAGAIN, Step::kRequest, "too many processes");
    return nullptr;
  }
  for (const ResourceLimit& limit : request.limits) {
    if (limit.resource != RLIMIT_LOCKS && limit.resource != kRealTimeLimit && limit.resource < RLIM_NLIMITS) continue;
    outbox_.Error(stream, EINVAL, Step::kLimits, "resource limit " + std::to_string(limit.resource) + " cannot be set");
    return nullptr;
  }
  Stdio stdio;
  if (StdioFailure failure; !MakeStdio(request, stdio, failure)) {
    outbox_.Error(stream, failure.error_number, failure.step);
    return nullptr;
  }
  SpawnPlan plan;
  plan.paths = ProgramPaths(request);
  plan.request = &request;
  for (int i = 0; i < 3; ++i) plan.descriptors[i] = stdio.program[i].get();
  plan.has_terminal = request.terminal.has_value();
  plan.mark = ++last_number_;
  const Spawned spawned = machine_.Spawn(plan);
  if (spawned.step != Step::kNone) {
    outbox_.Error(stream, spawned.error_number, spawned.step);
    return nullptr;
  }
  for (Descriptor& descriptor : stdio.program) descriptor.Reset();
  if (request.oom_score_adj) {
    if (const int error = machine_.SetOomScore(spawned.pid, *request.oom_score_adj); error != 0) {
      machine_.Kill(spawned.pid, SIGKILL);
      outbox_.Error(stream, error, Step::kOomScore);
      return nullptr;
    }
  }
  auto process = std::make_unique<Process>(loop_, outbox_, last_number_, spawned.pid, request.arguments[0], std::move(stdio),
                                           request.log_bytes);
  process->Attach(stream, 0, 0, request.output_window);
  running_[spawned.pid] = process.get();
  processes_.emplace(last_number_, std::move(process));
  return std::make_unique<ProcessStream>(*this, stream, last_number_);
}

std::unique_ptr<Stream> ProcessTable::Attach(uint32_t stream, const AttachRequest& request) {
  Process* process = Find(request.process);
  if (process == nullptr) {
    outbox_.Error(stream, ESRCH);
    return nullptr;
  }
  if (process->stream() != 0) outbox_.Frame(process->stream(), FrameType::kReset);
  process->Detach();
  process->Attach(stream, request.out_offset, request.error_offset, request.output_window);
  return std::make_unique<ProcessStream>(*this, stream, request.process);
}

std::vector<ProcessInfo> ProcessTable::List() const {
  std::vector<ProcessInfo> list;
  for (const auto& [number, process] : processes_) {
    list.push_back({number, process->pid(), process->IsRunning(), process->stream() != 0, process->name().substr(0, kMaxNameBytes)});
  }
  return list;
}

void ProcessTable::Reap() {
  // Orphans may come faster than they are reaped; the client has its turn in between.
  constexpr int kMostAtOnce = 1024;
  for (int i = 0; i < kMostAtOnce; ++i) {
    int status = 0;
    rusage usage{};
    const pid_t pid = wait4(-1, &status, WNOHANG, &usage);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return;
    OnExit(pid, status, usage);
  }
  loop_.After(std::chrono::milliseconds(0), [this] { Reap(); });
}

void ProcessTable::OnExit(pid_t pid, int status, const rusage& usage) {
  const auto found = running_.find(pid);
  if (found == running_.end()) return;
  Process* process = found->second;
  running_.erase(found);
  process->OnExit(status, usage);
  const bool is_told = tells_of_tree_ends_ && process->stream() != 0 && machine_.HasNobody();
  if (is_told) outbox_.Frame(process->stream(), FrameType::kTreeKilled, 0, EncodeU32(0));
}

int ProcessTable::Signal(Process& process, const SignalRequest& request) {
  if (request.target == SignalTarget::kTree) {
    return machine_.SignalTree({process.number(), process.pid()}, request.signal) > 0 ? 0 : ESRCH;
  }
  if (request.target == SignalTarget::kForeground) {
    pid_t group = 0;
    if (process.terminal() < 0 || ioctl(process.terminal(), TIOCGPGRP, &group) != 0 || group <= 1) return ESRCH;
    return machine_.Kill(-group, request.signal);
  }
  // Once it has been reaped its number may be another's, and its group's too when the group is empty.
  if (!process.IsRunning()) return ESRCH;
  return machine_.Kill(request.target == SignalTarget::kGroup ? -process.pid() : process.pid(), request.signal);
}

void ProcessTable::KillTree(const ProcessTree& tree, uint32_t stream, int tries) {
  // All are stopped first, or a program that forks faster than it is killed would win.
  if (tries == kKillTries) machine_.StopTree(tree);
  const size_t left = machine_.SignalTree(tree, SIGKILL);
  Reap();
  if (left > 0 && tries > 0) {
    // Goes on also when the client forgets the process in between.
    loop_.After(std::chrono::milliseconds(1), [this, tree, stream, tries] { KillTree(tree, stream, tries - 1); });
    return;
  }
  const Process* process = Find(tree.number);
  if (process == nullptr || process->stream() != stream) return;
  outbox_.Frame(stream, FrameType::kTreeKilled, 0, EncodeU32(static_cast<uint32_t>(left)));
}

void ProcessTable::KillAll() {
  if (is_init_) {
    machine_.Kill(-1, SIGKILL);
    return;
  }
  const ProcessTree all{0, 0};
  machine_.StopTree(all);
  for (int tries = kKillTries; machine_.SignalTree(all, SIGKILL) > 0 && tries > 0; --tries) {
    Reap();
    usleep(1000);
  }
  Reap();
}

}  // namespace paddock::guest
