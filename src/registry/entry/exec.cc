#include "registry/entry/exec.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace paddock::registry {
namespace {

std::string CommandText(const ExecRequest& request) {
  std::string text;
  if (request.script) text = *request.script;
  for (const std::string& word : request.command) text += (text.empty() ? "" : " ") + word;
  if (text.size() <= ProcessInfo::kMostCommandBytes) return text;
  text.resize(ProcessInfo::kMostCommandBytes);
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();   // not within a character
  if (!text.empty() && static_cast<unsigned char>(text.back()) >= 0xc0) text.pop_back();
  return text;
}

}  // namespace

const char* ProcessStateName(ProcessState state) {
  switch (state) {
    case ProcessState::kQueued: return "queued";
    case ProcessState::kRunning: return "running";
    case ProcessState::kExited: return "exited";
  }
  return "exited";
}

RunningProcess::RunningProcess(std::string id, std::string sandbox_id, const ExecRequest& request, std::string output_directory)
    : id_(std::move(id)),
      sandbox_id_(std::move(sandbox_id)),
      command_(CommandText(request)),
      has_terminal_(request.terminal.has_value()),
      reads_lines_(request.reads_lines),
      output_(request.terminal ? std::string() : std::move(output_directory)),   // what a person saw: its beginning and its end stay
      created_(Now()) {
  if (reads_lines_) {
    auto lines = LineInput::Make();
    if (!lines) return;   // as a pipe that there is none for: its input has ended
    lines_ = std::move(*lines);
    input_.Reset(fcntl(lines_->far(), F_DUPFD_CLOEXEC, 0));
    return;
  }
  int ends[2];
  if (request.has_open_input && pipe2(ends, O_CLOEXEC) == 0) {
    input_.Reset(ends[0]);
    input_writer_.Reset(ends[1]);
    fcntl(input_writer_.get(), F_SETFL, O_NONBLOCK);
  }
}

RunningProcess::~RunningProcess() = default;

ProcessInfo RunningProcess::Info() const {
  ProcessInfo info;
  info.output_bytes = output_.size();
  const std::lock_guard lock(mutex_);
  info.id = id_;
  info.sandbox_id = sandbox_id_;
  info.command = command_;
  info.state = state_;
  info.created = created_;
  info.started = started_;
  info.ended = finished_;
  info.result = result_;
  info.failure = failure_;
  return info;
}

bool RunningProcess::WaitUntil(std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  return ended_.wait_until(lock, until, [&] { return state_ == ProcessState::kExited; });
}

void RunningProcess::WhenEnded(std::function<void()> done) {
  {
    const std::lock_guard lock(mutex_);
    if (state_ != ProcessState::kExited) {
      when_ended_.push_back(std::move(done));
      return;
    }
  }
  done();
}

Status RunningProcess::Write(std::string_view bytes, std::chrono::steady_clock::time_point until) {
  while (!bytes.empty()) {
    PADDOCK_ASSIGN(const size_t written, WriteSome(bytes, until));
    if (written == 0) return Error(Code::kTimedOut, id_ + " does not read its input; " + std::to_string(bytes.size()) + " bytes were not written");
    bytes.remove_prefix(written);
  }
  return {};
}

Result<size_t> RunningProcess::WriteSome(std::string_view bytes, std::chrono::steady_clock::time_point until) {
  constexpr int64_t kSliceMs = 20;   // others want the lock, too
  while (true) {
    const std::lock_guard lock(input_mutex_);
    if (lines_ != nullptr) {
      const std::string shown = lines_->Type(bytes, [this](int signal) { (void)Signal(signal); });   // it may have ended
      if (!shown.empty()) output_.Append(sandbox::Stream::kStdout, shown);
      return bytes.size();
    }
    if (!input_writer_.is_open()) return Error(Code::kBrokenPipe, "the input of " + id_ + " is closed, or was not asked to stay open");
    const ssize_t written = write(input_writer_.get(), bytes.data(), bytes.size());   // the daemon ignores SIGPIPE
    if (written >= 0) return static_cast<size_t>(written);
    if (errno == EINTR) continue;
    if (errno != EAGAIN) {
      input_writer_.Reset();
      return Error(Code::kBrokenPipe, id_ + " reads no more input");
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return size_t{0};
    pollfd waiting{.fd = input_writer_.get(), .events = POLLOUT, .revents = 0};
    poll(&waiting, 1, static_cast<int>(std::min(left.count() + 1, kSliceMs)));
  }
}

Status RunningProcess::CloseInput() {
  const std::lock_guard lock(input_mutex_);
  input_writer_.Reset();
  lines_.reset();
  return {};
}

Status RunningProcess::Signal(int signal) {
  if (signal < 1 || signal > 64) return Error(Code::kInvalid, "signal " + std::to_string(signal) + " is not one of 1 to 64");
  std::unique_lock lock(mutex_);
  if (has_left_ || state_ == ProcessState::kExited) return Error(Code::kNoProcess, id_ + " has ended");
  if (auto* controllable = dynamic_cast<sandbox::Controllable*>(process_); controllable != nullptr) {
    controllable->Signal(signal);
    return {};
  }
  if (signal != SIGKILL) return Error(Code::kNotSupported, "processes of this isolation take only KILL (9)");
  lock.unlock();
  Cancel();
  return {};
}

Status RunningProcess::Resize(sandbox::WindowSize size) {
  const std::lock_guard lock(mutex_);
  auto* controllable = dynamic_cast<sandbox::Controllable*>(process_);
  if (!has_terminal_ || controllable == nullptr) return Error(Code::kNotSupported, id_ + " has no terminal, or has ended");
  controllable->Resize(size);
  return {};
}

void RunningProcess::Cancel() {
  std::function<void()> call;
  {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
    if (process_ != nullptr) process_->Cancel();
    call = when_cancelled_;
  }
  if (call) call();
}

bool RunningProcess::is_cancelled() const {
  const std::lock_guard lock(mutex_);
  return is_cancelled_;
}

void RunningProcess::WhenCancelled(std::function<void()> call) {
  {
    const std::lock_guard lock(mutex_);
    when_cancelled_ = call;
    if (!is_cancelled_) return;
  }
  if (call) call();
}

bool RunningProcess::Begin(sandbox::Process& process, Time now) {
  const std::lock_guard lock(mutex_);
  if (is_cancelled_) return false;
  process_ = &process;
  state_ = ProcessState::kRunning;
  started_ = now;
  return true;
}

void RunningProcess::Leave() {
  const std::lock_guard lock(mutex_);
  process_ = nullptr;
  has_left_ = true;
}

void RunningProcess::Finish(sandbox::ExecResult result, Time now, std::string failure) {
  (void)CloseInput();
  std::vector<std::function<void()>> done;
  {
    const std::lock_guard lock(mutex_);
    process_ = nullptr;
    result_ = std::move(result);
    failure_ = std::move(failure);
    state_ = ProcessState::kExited;
    finished_ = now;
    done.swap(when_ended_);
  }
  output_.End();
  ended_.notify_all();
  for (const auto& call : done) call();
}

}  // namespace paddock::registry
