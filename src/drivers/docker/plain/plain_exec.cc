#include "drivers/docker/plain/plain_exec.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>

#include "drivers/docker/plain/shell_text.h"
#include "text/utf8.h"

namespace paddock::docker {
namespace {

using sandbox::Termination;
using Kind = sandbox::StdinSource::Kind;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kStartTime{60};
constexpr std::chrono::seconds kDrainTime{5};                       // for what was written before the end
constexpr std::chrono::milliseconds kFirstLook{250}, kLongestLook{2'000};   // whether it has ended while something keeps its output open
constexpr std::chrono::milliseconds kSoon{5};
constexpr int kMostFailures = 5;
constexpr size_t kPiece = 64 << 10;
constexpr size_t kMostWaiting = 1 << 20;
constexpr size_t kLongestArgument = (128 << 10) - 1;   // Linux's

// TOKEN DIRECTORY CPU-SECONDS STOPS PROGRAM…: says "TOKEN PID" first, and why it does not begin otherwise. One with a terminal waits until that has its size.
constexpr const char* kScript = R"sh(t=$1 d=$2 c=$3 p=$4
shift 4
cd -- "$d" 2>/dev/null || { [ -d "$d" ] && printf '%s shut\n' "$t" || printf '%s absent\n' "$t"; exit 126; }
command -v -- "$1" >/dev/null 2>&1 || { printf '%s unknown\n' "$t"; exit 127; }
[ -z "$c" ] || { ulimit -S -t "$c" && ulimit -H -t "$((c + 1))"; } 2>/dev/null
printf '%s %d\n' "$t" "$$"
[ -z "$p" ] || kill -STOP "$$"
exec "$@")sh";

int MillisecondsUntil(steady_clock::time_point when) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(when - steady_clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1 << 30));
}

Status CheckCarried(const std::vector<std::string>& texts, const char* what) {
  for (const std::string& text : texts) {
    if (!IsCarried(text)) return Error(Code::kInvalid, std::string(what) + ": without the agent only UTF-8 gets into the container");
    if (text.size() > kLongestArgument) return Error(Code::kArgumentsTooLong, std::string(what) + ": one is longer than 128 KiB");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<PlainExec>> PlainExec::Start(Parts parts, const std::vector<std::string>& arguments, const std::string& directory,
                                                    const std::vector<std::string>& environment) {
  PADDOCK_TRY(CheckCarried(arguments, "arguments"));
  PADDOCK_TRY(CheckCarried(environment, "environment"));
  PADDOCK_TRY(CheckCarried({directory}, "working directory"));
  std::unique_ptr<PlainExec> exec(new PlainExec(std::move(parts)));   // allow(raw-new): private constructor
  exec->wake_.Reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  exec->input_end_.Reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!exec->wake_.is_open() || !exec->input_end_.is_open()) return Error(static_cast<Code>(errno), "cannot make an eventfd");
  exec->started_ = steady_clock::now();
  Inside& inside = *exec->parts_.inside;
  const bool has_terminal = exec->parts_.terminal.has_value();
  const std::string token = ShellChannel::NewToken();
  EngineExecSpec spec;
  std::string cpu;
  if (exec->parts_.limits.cpu_time.count() > 0) cpu = std::to_string(std::chrono::ceil<std::chrono::seconds>(exec->parts_.limits.cpu_time).count());
  spec.command = {"/bin/sh", "-c", kScript, "paddock-exec", token, directory, cpu, has_terminal ? "stops" : ""};
  spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
  spec.environment = environment;
  spec.has_input = exec->parts_.input.kind != Kind::kEmpty;
  spec.has_terminal = has_terminal;
  {
    PADDOCK_ASSIGN(const Inside::Starting starting, inside.BeginStart());
    PADDOCK_ASSIGN(exec->id_, CreateExec(inside.engine(), inside.container_id(), spec));
    PADDOCK_ASSIGN(exec->stream_, StartExec(inside.engine(), exec->id_, has_terminal));
    PADDOCK_TRY(exec->AwaitStart(token));
    inside.Add(starting, exec->session_);
  }
  if (const Status arranged = exec->Arrange(); !arranged) {
    (void)inside.End(exec->session_);
    exec->session_ = 0;
    return arranged.error();
  }
  exec->out_ = std::thread([one = exec.get()] { one->CarryOut(); });
  if (spec.has_input) exec->in_ = std::thread([one = exec.get()] { one->CarryIn(); });
  return exec;
}

PlainExec::~PlainExec() {
  if (session_ != 0 && !has_waited_) (void)parts_.inside->End(session_);
  {
    const std::lock_guard lock(mutex_);
    is_cut_ = true;
  }
  taken_.notify_all();
  const uint64_t one = 1;
  if (input_end_.is_open()) (void)!write(input_end_.get(), &one, sizeof one);
  if (stream_ != nullptr) stream_->Cut();
  if (out_.joinable()) out_.join();
  if (in_.joinable()) in_.join();
}

Status PlainExec::AwaitStart(const std::string& token) {
  stream_->SetReadTime(kStartTime);
  std::array<char, 4096> piece;
  while (!has_started_) {
    const auto count = stream_->Read(piece);
    if (!count || *count == 0) {
      const std::string said = HarmlessLine((early_ + early_errors_).substr(0, 500));
      return Error(Code::kUnavailable, "the container's engine does not start the program" + (said.empty() ? "" : ": " + said));
    }
    const auto take = [&](sandbox::Stream stream, std::string_view bytes) -> Status {
      if (has_started_) return Arrive(stream, bytes);
      // The engine may be quicker with what the program itself has written already.
      std::string& early = stream == sandbox::Stream::kStderr ? early_errors_ : early_;
      early += bytes;
      if (early.size() > kMostWaiting) return Error(Code::kIo, "the container's shell answers in a way that is not understood");
      const size_t end = early_.find('\n');
      if (end == early_.npos || !early_.starts_with(token)) return {};
      const std::string behind = early_.substr(end + 1);
      PADDOCK_TRY(ReadStart(token, std::string_view(early_).substr(0, end)));
      if (!early_errors_.empty()) PADDOCK_TRY(Arrive(sandbox::Stream::kStderr, early_errors_));
      return behind.empty() ? Status() : Arrive(stream, behind);
    };
    if (parts_.terminal) {
      PADDOCK_TRY(take(sandbox::Stream::kStdout, {piece.data(), *count}));
      continue;
    }
    PADDOCK_TRY(frames_.Feed({piece.data(), *count}, [&](EngineStream stream, std::string_view bytes) {
      return take(stream == EngineStream::kStderr ? sandbox::Stream::kStderr : sandbox::Stream::kStdout, bytes);
    }));
  }
  stream_->SetReadTime({});
  return {};
}

Status PlainExec::ReadStart(const std::string& token, std::string_view line) {
  line.remove_prefix(token.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line == " absent") return Error(Code::kNoEntry, "the working directory does not exist in the container");
  if (line == " shut") return Error(Code::kAccess, "the working directory cannot be entered in the container");
  if (line == " unknown") return Error(Code::kNoEntry);
  if (!line.starts_with(' ')) return Error(Code::kIo, "the container's shell answers in a way that is not understood");
  line.remove_prefix(1);
  const auto parsed = std::from_chars(line.data(), line.data() + line.size(), session_);
  if (parsed.ec != std::errc() || parsed.ptr != line.data() + line.size() || session_ < 2) {
    session_ = 0;
    return Error(Code::kIo, "the container's shell answers in a way that is not understood");
  }
  has_started_ = true;
  return {};
}

Status PlainExec::Arrange() {
  if (!parts_.terminal) return {};
  PADDOCK_TRY(ResizeExec(parts_.inside->engine(), id_, std::min(parts_.terminal->columns, 0xffffu), std::min(parts_.terminal->lines, 0xffffu)));
  return parts_.inside->Wake(session_);
}

Status PlainExec::Arrive(sandbox::Stream stream, std::string_view bytes) {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [&] { return is_cut_ || arrived_bytes_ < kMostWaiting; });
  if (is_cut_) return Code::kCancelled;
  if (!arrived_.empty() && arrived_.back().stream == stream) arrived_.back().bytes += bytes;
  else arrived_.push_back({stream, std::string(bytes)});
  arrived_bytes_ += bytes.size();
  lock.unlock();
  Wake();
  return {};
}

void PlainExec::CarryOut() {
  std::vector<char> piece(kPiece);
  for (;;) {
    const auto count = stream_->Read(piece);
    if (!count || *count == 0) break;
    const std::string_view bytes(piece.data(), *count);
    const Status taken = parts_.terminal ? Arrive(sandbox::Stream::kStdout, bytes)
                                         : frames_.Feed(bytes, [&](EngineStream stream, std::string_view body) {
                                             return Arrive(stream == EngineStream::kStderr ? sandbox::Stream::kStderr : sandbox::Stream::kStdout, body);
                                           });
    if (!taken) break;
  }
  has_stream_ended_ = true;
  Wake();
}

void PlainExec::CarryIn() {
  const sandbox::StdinSource& input = parts_.input;
  if (input.kind == Kind::kText) {
    if (!stream_->Write(input.text)) return;
  } else {
    std::vector<char> piece(kPiece);
    for (;;) {
      std::array<pollfd, 2> watched{{{input.descriptor, POLLIN, 0}, {input_end_.get(), POLLIN, 0}}};
      if (poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
      if (watched[1].revents != 0) return;
      if (watched[0].revents == 0) continue;
      const ssize_t count = read(input.descriptor, piece.data(), piece.size());
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) break;
      if (!stream_->Write({piece.data(), static_cast<size_t>(count)})) return;
    }
  }
  if (parts_.terminal) (void)stream_->Write("\x04");   // a terminal has no other end of input
  else stream_->FinishWriting();
}

void PlainExec::Deliver() {
  std::vector<Piece> pieces;
  {
    const std::lock_guard lock(mutex_);
    pieces.swap(arrived_);
    arrived_bytes_ = 0;
  }
  taken_.notify_all();
  for (const Piece& piece : pieces) Take(piece.stream, piece.bytes);
}

void PlainExec::Take(sandbox::Stream stream, std::string_view bytes) {
  const uint64_t left = parts_.limits.output_bytes - std::min(parts_.limits.output_bytes, result_.usage.output_bytes);
  if (bytes.size() > left) {
    over_output_ = true;
    result_.dropped_bytes += bytes.size() - left;
    bytes = bytes.substr(0, left);
  }
  result_.usage.output_bytes += bytes.size();
  if (bytes.empty()) return;
  if (parts_.handler) parts_.handler(stream, bytes);
  else (stream == sandbox::Stream::kStderr ? result_.stderr_text : result_.stdout_text) += bytes;
}

steady_clock::time_point PlainExec::Watch(steady_clock::time_point due) {
  const auto interval = parts_.warden->Interval();
  if (!interval) return steady_clock::time_point::max();
  if (steady_clock::now() < due) return due;
  if (const auto excess = parts_.warden->Look()) Stop({.reason = excess->reason, .limit = excess->limit, .peak = excess->peak});
  return steady_clock::now() + *interval;
}

std::optional<Termination> PlainExec::Exceeded(steady_clock::time_point deadline) const {
  if (is_cancelled_) return Termination{.reason = Termination::Reason::kCancelled};
  if (over_output_) return Termination{.reason = Termination::Reason::kOutputCap, .limit = "output", .peak = parts_.limits.output_bytes};
  if (steady_clock::now() >= deadline) {
    return Termination{.reason = Termination::Reason::kTimeout, .limit = "time", .peak = static_cast<uint64_t>(parts_.limits.time.count())};
  }
  return std::nullopt;
}

void PlainExec::Run() {
  const auto deadline = parts_.limits.time.count() > 0 ? started_ + parts_.limits.time : steady_clock::time_point::max();
  auto due = started_ + std::chrono::milliseconds(10);
  std::chrono::milliseconds pause = kFirstLook;
  auto next_look = steady_clock::now() + pause;
  bool has_hurried = false;
  while (!is_over_ && !is_stopped_) {
    Deliver();
    due = Watch(due);
    if (is_stopped_) break;
    if (const auto why = Exceeded(deadline)) {
      Stop(*why);
      break;
    }
    if (has_stream_ended_ && !has_hurried) {
      has_hurried = true;
      pause = kSoon;
      next_look = steady_clock::now();
    }
    if (steady_clock::now() >= next_look) {
      Look();
      pause = std::min(pause * 2, kLongestLook);
      next_look = steady_clock::now() + pause;
      continue;
    }
    WaitUntil(std::min({deadline, due, next_look}));
  }
}

void PlainExec::WaitUntil(steady_clock::time_point when) {
  pollfd watched{wake_.get(), POLLIN, 0};
  (void)poll(&watched, 1, MillisecondsUntil(when));
  uint64_t count = 0;
  if (watched.revents != 0) (void)!read(wake_.get(), &count, sizeof count);
  TakeRequests();
}

void PlainExec::TakeRequests() {
  const uint64_t signals = signals_.exchange(0);
  for (int signal = 1; signal < 64; ++signal) {
    if ((signals >> signal & 1) != 0) (void)parts_.inside->Signal(signal, session_, parts_.terminal.has_value());
  }
  if (const uint32_t size = new_size_.exchange(0); size != 0) (void)ResizeExec(parts_.inside->engine(), id_, size >> 16, size & 0xffff);
}

void PlainExec::Look() {
  const auto state = InspectExec(parts_.inside->engine(), id_);
  if (!state) {
    // Forgotten: its container is gone.
    if (state.error().code != Code::kNoEntry && ++failures_ < kMostFailures) return;
    is_over_ = true;
    failure_ = "the engine does not know how it ended: " + std::string(state.error().Text());
    return;
  }
  failures_ = 0;
  if (state->is_running) return;
  // The code may come a moment later.
  static constexpr int kMostLooks = 100;
  if (!state->exit_code && ++looks_without_code_ < kMostLooks) return;
  is_over_ = true;
  exit_code_ = state->exit_code;
  if (!exit_code_) failure_ = "the engine does not say how it ended";
}

void PlainExec::Stop(Termination why) {
  is_stopped_ = true;
  result_.termination = std::move(why);
  if (const Status ended = parts_.inside->End(session_); !ended) result_.termination.limit += " (what runs could not be ended: " + std::string(ended.error().Text()) + ")";
}

void PlainExec::Drain() {
  // What it left running ends with it. Of a program that went down with its container engines give codes that it never had.
  if (!is_stopped_ && !parts_.inside->End(session_) && parts_.inside->HasEnded()) {
    exit_code_.reset();
    failure_ = "the container ended";
  }
  const auto deadline = steady_clock::now() + kDrainTime;
  for (Deliver(); !has_stream_ended_ && steady_clock::now() < deadline; Deliver()) WaitUntil(deadline);
  Deliver();
}

void PlainExec::Judge() {
  Termination& end = result_.termination;
  if (over_output_) {
    end = {.reason = Termination::Reason::kOutputCap, .limit = "output", .peak = parts_.limits.output_bytes};
    return;
  }
  if (const auto excess = parts_.warden->LookAtEnd()) {
    end = {.reason = excess->reason, .limit = excess->limit, .peak = excess->peak};
    return;
  }
  const std::optional<uint64_t> exhausted = parts_.warden->MemoryExhausted();
  if (exhausted && (!exit_code_ || exit_code_ == 128 + SIGKILL)) {
    end = {.reason = Termination::Reason::kOom, .limit = "memory", .peak = *exhausted};
    return;
  }
  if (!exit_code_) {
    end = {.reason = Termination::Reason::kInfra, .limit = failure_};
    return;
  }
  if (parts_.limits.cpu_time.count() > 0 && exit_code_ == 128 + SIGXCPU) {
    end = {.reason = Termination::Reason::kCpu, .limit = "cpu_time", .peak = static_cast<uint64_t>(parts_.limits.cpu_time.count())};
    return;
  }
  end.reason = Termination::Reason::kExit;
  result_.exit_code = exit_code_;
  if (exhausted) result_.denials.push_back("a process was killed for the memory limit");
  if (parts_.warden->RefusedForks()) result_.denials.push_back("a fork was refused for the processes limit");
}

sandbox::ExecResult PlainExec::Wait() {
  has_waited_ = true;
  Run();
  Drain();
  if (!is_stopped_) Judge();
  result_.duration = steady_clock::now() - started_;
  for (std::string& line : parts_.warden->TakeDenials()) result_.denials.push_back(std::move(line));
  return std::move(result_);
}

void PlainExec::Cancel() {
  is_cancelled_ = true;
  Wake();
}

void PlainExec::Signal(int signal) {
  if (signal < 1 || signal > 63) return;
  signals_.fetch_or(uint64_t{1} << signal);
  Wake();
}

void PlainExec::Resize(sandbox::WindowSize size) {
  new_size_.store(std::min(size.columns, 0xffffu) << 16 | std::min(size.lines, 0xffffu));
  Wake();
}

void PlainExec::Wake() {
  const uint64_t one = 1;
  (void)!write(wake_.get(), &one, sizeof one);   // full: it is awake already
}

}  // namespace paddock::docker
