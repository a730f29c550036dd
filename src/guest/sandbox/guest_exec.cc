#include "guest/sandbox/guest_exec.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace paddock::guest {
namespace {

using sandbox::Termination;
using Kind = sandbox::StdinSource::Kind;
using std::chrono::steady_clock;

// How long output that was written before the end may take to arrive, and a kill to be obeyed.
constexpr std::chrono::seconds kDrainTime{5};

int MillisecondsUntil(steady_clock::time_point when) {
  if (when == steady_clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(when - steady_clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30));
}

}  // namespace

Result<ExecRequest> MakeExecRequest(sandbox::ExecSpec& spec, const sandbox::StdinSource& input, const char* shell) {
  ExecRequest request;
  if (spec.script) {
    request.arguments = {shell, "-c", std::move(*spec.script), spec.name0};
    request.arguments.insert(request.arguments.end(), spec.arguments.begin(), spec.arguments.end());
  } else if (!spec.command.empty()) {
    request.arguments = std::move(spec.command);
  } else {
    return Error(Code::kInvalid, "neither a script nor a command");
  }
  if (spec.terminal) {
    request.terminal = TerminalSize{.rows = static_cast<uint16_t>(std::min(spec.terminal->lines, 0xffffu)),
                                    .columns = static_cast<uint16_t>(std::min(spec.terminal->columns, 0xffffu))};
  }
  request.has_input = input.kind != Kind::kEmpty;
  return request;
}

Result<std::unique_ptr<GuestExec>> GuestExec::Start(Parts parts, const ExecRequest& request) {
  std::unique_ptr<GuestExec> exec(new GuestExec(std::move(parts)));   // allow(raw-new): private constructor
  exec->wake_.Reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!exec->wake_.is_open()) return Error(static_cast<Code>(errno), "cannot make an eventfd");
  exec->input_is_open_ = request.has_input;
  exec->started_ = steady_clock::now();
  GuestExec* const self = exec.get();   // outlives the process, which it owns
  ProcessHandlers handlers;
  handlers.on_output = [self](Channel channel, uint64_t, std::string_view bytes) { self->OnOutput(channel, bytes); };
  handlers.grants_later = true;
  handlers.on_end = [self](Channel) {
    --self->open_channels_;
    self->Wake();
  };
  handlers.on_exit = [self](const ExitStatus& status) {
    {
      const std::lock_guard lock(self->mutex_);
      self->ended_ = status;
    }
    self->has_ended_ = true;
    self->Wake();
  };
  PADDOCK_ASSIGN(exec->process_, exec->parts_.client->Start(request, std::move(handlers), In(std::chrono::seconds(30))));
  return exec;
}

void GuestExec::OnOutput(Channel channel, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (arrived_.empty() && std::this_thread::get_id() != runner_) Wake();
  arrived_.push_back({channel, std::string(bytes)});
}

void GuestExec::Deliver() {
  std::vector<Piece> pieces;
  {
    const std::lock_guard lock(mutex_);
    pieces.swap(arrived_);
  }
  for (const Piece& piece : pieces) {
    Take(piece.channel, piece.bytes);
    process_->Grant(piece.channel, piece.bytes.size());
  }
}

std::optional<ExitStatus> GuestExec::Ended() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void GuestExec::Take(Channel channel, std::string_view bytes) {
  const uint64_t left = parts_.limits.output_bytes - std::min(parts_.limits.output_bytes, result_.usage.output_bytes);
  if (bytes.size() > left) {
    over_output_ = true;
    result_.dropped_bytes += bytes.size() - left;
    bytes = bytes.substr(0, left);
  }
  result_.usage.output_bytes += bytes.size();
  if (bytes.empty()) return;
  const bool is_error = channel == Channel::kError;
  if (parts_.handler) parts_.handler(is_error ? sandbox::Stream::kStderr : sandbox::Stream::kStdout, bytes);
  else (is_error ? result_.stderr_text : result_.stdout_text) += bytes;
}

bool GuestExec::PumpInput() {
  const size_t room = process_->InputRoom();
  if (parts_.input.kind == Kind::kText) {
    const std::string_view rest = std::string_view(parts_.input.text).substr(input_offset_, room);
    if (!rest.empty() && !process_->WriteInput(rest)) input_offset_ = parts_.input.text.size();
    else input_offset_ += rest.size();
    return input_offset_ < parts_.input.text.size();
  }
  std::array<char, 64 << 10> block;
  const ssize_t got = read(parts_.input.descriptor, block.data(), std::min(block.size(), room));
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  return got > 0 && process_->WriteInput({block.data(), static_cast<size_t>(got)});
}

steady_clock::time_point GuestExec::Watch(steady_clock::time_point due) {
  const auto interval = parts_.warden->Interval();
  if (!interval) return steady_clock::time_point::max();
  if (steady_clock::now() < due) return due;
  if (const auto excess = parts_.warden->Look()) Stop(excess->reason, excess->limit, excess->peak);
  return steady_clock::now() + *interval;
}

Status GuestExec::Run() {
  const auto deadline = parts_.limits.time.count() > 0 ? started_ + parts_.limits.time : steady_clock::time_point::max();
  auto due = started_ + std::chrono::milliseconds(10);
  while (!has_ended_) {
    Deliver();
    due = Watch(due);
    if (is_stopped_) return {};
    if (is_cancelled_.load()) Stop(Termination::Reason::kCancelled, "", 0);
    else if (over_output_) Stop(Termination::Reason::kOutputCap, "output", parts_.limits.output_bytes);
    else if (steady_clock::now() >= deadline) Stop(Termination::Reason::kTimeout, "time", static_cast<uint64_t>(parts_.limits.time.count()));
    if (is_stopped_) return {};
    const bool has_room = input_is_open_ && process_->InputRoom() > 0;
    if (has_room && parts_.input.kind == Kind::kText) {
      input_is_open_ = PumpInput();
      if (!input_is_open_) process_->CloseInput();
      continue;
    }
    // Room for input can have come on another thread.
    constexpr int kLookForRoomMs = 20;
    const int patience = MillisecondsUntil(std::min(deadline, due));
    const bool waits_for_room = input_is_open_ && !has_room;
    const bool is_too_long = waits_for_room && (patience < 0 || patience > kLookForRoomMs);
    const auto event = WaitForEvent(has_room ? parts_.input.descriptor : -1, is_too_long ? kLookForRoomMs : patience);
    if (!event) return has_ended_ ? Status() : event.error();
    if (*event == Event::kInput) {
      input_is_open_ = PumpInput();
      if (!input_is_open_) process_->CloseInput();
    }
  }
  return {};
}

Result<GuestExec::Event> GuestExec::WaitForEvent(int input, int milliseconds) {
  std::array<pollfd, 3> watched{{{parts_.client->descriptor(), POLLIN, 0}, {wake_.get(), POLLIN, 0}, {input, POLLIN, 0}}};
  if (poll(watched.data(), watched.size(), milliseconds) < 0 && errno != EINTR) return Error(static_cast<Code>(errno), "poll");
  if (watched[1].revents != 0) TakeRequests();
  if (watched[0].revents != 0) {
    const Status polled = parts_.client->Poll(steady_clock::now());
    if (!polled && polled.error().code != Code::kTimedOut) return polled.error();
  }
  return watched[2].revents != 0 ? Event::kInput : Event::kOther;
}

void GuestExec::Stop(Termination::Reason reason, std::string limit, uint64_t peak) {
  is_stopped_ = true;
  result_.termination.reason = reason;
  result_.termination.limit = std::move(limit);
  result_.termination.peak = peak;
  const Status killed = process_->KillTree(In(kDrainTime));
  if (!killed && killed.error().code == Code::kBusy) result_.termination.limit += " (a process does not die)";
}

void GuestExec::Drain() {
  auto deadline = steady_clock::time_point::max();
  if (!parts_.waits_for_background || is_stopped_) {
    // What it left running ends with it; late output of a process in an uninterruptible wait is not waited for.
    if (const Status killed = process_->KillTree(In(kDrainTime)); !killed) return;
    deadline = steady_clock::now() + kDrainTime;
  }
  for (Deliver(); open_channels_ > 0 && steady_clock::now() < deadline; Deliver()) {
    if (is_cancelled_.load() && !is_stopped_ && deadline == steady_clock::time_point::max()) return;
    if (!WaitForEvent(-1, MillisecondsUntil(deadline))) return;
  }
}

void GuestExec::Judge(const ExitStatus& status) {
  Termination& end = result_.termination;
  const std::optional<uint64_t> exhausted = parts_.warden->MemoryExhausted();
  if (status.signal != 0) {
    end.reason = Termination::Reason::kSignal;
    end.signal = status.signal;
    if (status.signal == SIGKILL && exhausted) {
      end.reason = Termination::Reason::kOom;
      end.limit = "memory";
      end.peak = *exhausted;
    } else if (status.signal == SIGXCPU) {
      end.reason = Termination::Reason::kCpu;
      end.limit = "cpu_time";
      end.peak = (status.usage.user_us + status.usage.system_us) * 1000;
    } else {
      result_.exit_code = 128 + status.signal;
    }
    return;
  }
  end.reason = Termination::Reason::kExit;
  result_.exit_code = status.code;
  if (exhausted) result_.denials.push_back("a process was killed for the memory limit");
  if (parts_.warden->RefusedForks()) result_.denials.push_back("a fork was refused for the processes limit");
}

sandbox::ExecResult GuestExec::Wait() {
  {
    const std::lock_guard lock(mutex_);
    runner_ = std::this_thread::get_id();
  }
  const Status ran = Run();
  if (ran) Drain();
  Deliver();
  const std::optional<ExitStatus> ended = Ended();
  if (ran) {
    if (over_output_ && !is_stopped_) {
      result_.termination = {.reason = Termination::Reason::kOutputCap, .limit = "output", .peak = parts_.limits.output_bytes};
    } else if (ended && !is_stopped_) {
      // What it wrote last may have been too much.
      if (const auto excess = parts_.warden->LookAtEnd()) {
        result_.termination = {.reason = excess->reason, .limit = excess->limit, .peak = excess->peak};
      } else {
        Judge(*ended);
      }
    }
  } else {
    result_.termination.reason = Termination::Reason::kInfra;
    result_.termination.limit = "the wall's agent ended: " + std::string(ran.error().Text());
    if (parts_.warden->MemoryExhausted()) result_.termination = {.reason = Termination::Reason::kOom, .limit = "memory"};
  }
  result_.duration = steady_clock::now() - started_;
  if (ended) {
    result_.usage.peak_memory_bytes = ended->usage.max_resident_bytes;
    result_.usage.cpu = std::chrono::microseconds(ended->usage.user_us + ended->usage.system_us);
  }
  for (std::string& line : parts_.warden->TakeDenials()) result_.denials.push_back(std::move(line));
  return std::move(result_);
}

void GuestExec::Cancel() {
  is_cancelled_.store(true);
  Wake();
}

void GuestExec::Signal(int signal) {
  if (signal < 1 || signal > 63) return;
  signals_.fetch_or(uint64_t{1} << signal);
  Wake();
}

void GuestExec::Resize(sandbox::WindowSize size) {
  new_size_.store(std::min(size.columns, 0xffffu) << 16 | std::min(size.lines, 0xffffu));
  Wake();
}

void GuestExec::TakeRequests() {
  uint64_t count = 0;
  if (read(wake_.get(), &count, sizeof count) < 0) return;
  const uint64_t signals = signals_.exchange(0);
  for (int signal = 1; signal < 64; ++signal) {
    if ((signals >> signal & 1) == 0) continue;
    process_->Signal(signal, parts_.has_terminal ? SignalTarget::kForeground : SignalTarget::kGroup);
  }
  if (const uint32_t size = new_size_.exchange(0); size != 0) {
    process_->Resize({.rows = static_cast<uint16_t>(size & 0xffff), .columns = static_cast<uint16_t>(size >> 16)});
  }
}

void GuestExec::Wake() {
  const uint64_t one = 1;
  const ssize_t written = write(wake_.get(), &one, sizeof one);
  (void)written;   // full: it is awake already
}

}  // namespace paddock::guest
