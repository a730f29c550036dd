#include "tools/session/direct_process.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace paddock::tools {

Result<std::shared_ptr<DirectProcess>> DirectProcess::Start(std::string id, std::string command, const Starter& start,
                                                            std::function<void()> on_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error(Code::kTooManyFiles, "no pipe for the process's input");
  std::shared_ptr<DirectProcess> process(new DirectProcess);   // allow(raw-new): private constructor
  process->its_input_.Reset(ends[0]);
  process->input_.Reset(ends[1]);
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  process->info_.id = std::move(id);
  process->info_.command = std::move(command);
  process->info_.started_at = SystemClock().RealNow();
  process->on_end_ = std::move(on_end);
  DirectProcess* const self = process.get();   // the thread ends before the object does
  sandbox::StdinSource input{.kind = sandbox::StdinSource::Kind::kHostDescriptor, .text = {}, .descriptor = ends[0]};
  PADDOCK_ASSIGN(process->process_, start(std::move(input), [self](sandbox::Stream, std::string_view bytes) { self->Append(bytes); }));
  process->thread_ = std::thread([self] { self->Run(); });
  return process;
}

void DirectProcess::End() {
  if (process_) process_->Cancel();
  const std::lock_guard lock(ending_);
  if (thread_.joinable()) thread_.join();
}

void DirectProcess::Run() {
  const sandbox::ExecResult result = process_->Wait();
  on_end_();
  const std::lock_guard lock(mutex_);
  info_.state = ProcessState::kExited;
  info_.exit_code = result.exit_code;
  info_.termination = result.termination;
  input_.Reset();
  its_input_.Reset();
  changed_.notify_all();
}

void DirectProcess::Append(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  info_.output_end += bytes.size();
  output_ += bytes;
  if (output_.size() > 2 * kKept) {
    const size_t gone = output_.size() - kKept;
    output_.erase(0, gone);
    output_begin_ += gone;
  }
  changed_.notify_all();
}

ProcessInfo DirectProcess::info() const {
  const std::lock_guard lock(mutex_);
  return info_;
}

bool DirectProcess::is_running() const { return info().state == ProcessState::kRunning; }

ProcessOutput DirectProcess::Read(uint64_t offset, size_t most, std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, wait, [&] { return info_.output_end > offset || info_.state == ProcessState::kExited; });
  ProcessOutput read;
  read.offset = std::clamp(offset, output_begin_, info_.output_end);
  read.bytes = output_.substr(static_cast<size_t>(read.offset - output_begin_), most);
  read.process = info_;
  return read;
}

Status DirectProcess::Write(std::string_view bytes, bool ends_input) {
  while (!bytes.empty()) {
    int input = -1;
    {
      const std::lock_guard lock(mutex_);
      if (!input_) return Error(Code::kUnavailable, "the input of process " + info_.id + " has ended");
      const ssize_t written = write(input_.get(), bytes.data(), bytes.size());
      if (written > 0) bytes.remove_prefix(static_cast<size_t>(written));
      else if (errno == EPIPE) return Error(Code::kUnavailable, "process " + info_.id + " reads no more input");
      else if (errno != EAGAIN && errno != EINTR) return Error(Code::kIo, "cannot write to process " + info_.id);
      input = input_.get();
    }
    // What does not fit waits for the process to read; its end closes the pipe, which ends this.
    pollfd waited{.fd = input, .events = POLLOUT, .revents = 0};
    if (!bytes.empty() && poll(&waited, 1, 5000) == 0) {
      return Error(Code::kTimedOut, "process " + info_.id + " does not read its input; " + std::to_string(bytes.size()) + " bytes were not written");
    }
  }
  if (ends_input) {
    const std::lock_guard lock(mutex_);
    input_.Reset();
  }
  return {};
}

Status DirectProcess::Signal(int signal) {
  if (!is_running()) return {};
  if (auto* const real = dynamic_cast<sandbox::Controllable*>(process_.get())) {
    real->Signal(signal);
    return {};
  }
  if (signal != SIGTERM && signal != SIGKILL && signal != SIGINT) {
    return Error(Code::kUnavailable, "processes of this isolation take only TERM, INT and KILL, and all three end them");
  }
  process_->Cancel();
  return {};
}

void DirectProcess::Wait(std::chrono::milliseconds wait, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, stop, wait, [&] { return info_.state == ProcessState::kExited; });
}

}  // namespace paddock::tools
