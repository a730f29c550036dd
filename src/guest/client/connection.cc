#include "guest/client/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace paddock::guest {
namespace {

// So much may wait to be written before a request waits too.
constexpr size_t kMaxOutgoingBytes = 8 * 1024 * 1024;
// So much makes data wait, until it is half of it.
constexpr size_t kCrowdedBytes = 512 * 1024;
// More is only left unread by an agent that does not mean to read: requests stop before, data waits, answers and grants are small.
constexpr size_t kMostOutgoingBytes = 16 * 1024 * 1024;

Error Violation(const char* text) { return Error(Code::kInvalid, std::string("guest protocol: ") + text); }

bool IsStreamOver(FrameType type) {
  return type == FrameType::kError || type == FrameType::kReset || type == FrameType::kReply;
}

timespec Left(Deadline deadline) {
  const auto left = std::max<std::chrono::nanoseconds>(deadline - std::chrono::steady_clock::now(), {});
  const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
  return {.tv_sec = seconds.count(), .tv_nsec = (left - seconds).count()};
}

// write(2) that does not raise SIGPIPE, whatever the program has made of that signal.
ssize_t WriteQuietly(int fd, std::string_view bytes) {
  const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0 || errno != ENOTSOCK) return sent;
  sigset_t pipe_signal, before, pending;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t written = write(fd, bytes.data(), bytes.size());
  const int error = errno;
  if (written < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
    constexpr timespec kNow{};
    while (sigtimedwait(&pipe_signal, nullptr, &kNow) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

}  // namespace

Connection::Connection(int input_fd, int output_fd)
    : input_fd_(input_fd), output_fd_(output_fd), wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (const int fd : {input_fd_, output_fd_}) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

Connection::~Connection() {
  Close(Error(Code::kCancelled, "guest connection closed"));
  if (wake_fd_ >= 0) close(wake_fd_);
}

void Connection::Close(Error reason) {
  Lock lock = Acquire();
  const bool is_own = is_driven_ && driver_ == std::this_thread::get_id();
  Fail(std::move(reason));
  if (is_own) return;   // from a handler: the descriptors go with the object
  if (reader_.joinable()) {
    std::thread reader = std::move(reader_);
    lock.unlock();
    reader.join();
    lock.lock();
  }
  ++waiting_;
  changed_.wait(lock, [this] { return !is_driven_; });
  --waiting_;
  if (input_fd_ >= 0) close(input_fd_);
  if (output_fd_ >= 0 && output_fd_ != input_fd_) close(output_fd_);
  input_fd_ = output_fd_ = -1;
}

void Connection::Fail(Error error) {
  if (error_) return;
  error_ = std::move(error);
  outgoing_.clear();
  Wake();
  changed_.notify_all();
  for (const auto& [number, stream] : streams_) stream->ConnectionChanged();
}

void Connection::Wake() {
  const uint64_t one = 1;
  (void)!write(wake_fd_, &one, sizeof one);
}

Result<uint32_t> Connection::Open(std::shared_ptr<Stream> stream, FrameType type, std::string_view request) {
  if (error_) return *error_;
  if (request.size() > kMaxMessageBytes) return Error(Code::kArgumentsTooLong, "request to the guest is too long");
  if (outgoing_.size() > kMaxOutgoingBytes) return Error(Code::kAgain, "guest does not take its requests");
  if (last_stream_ > ~uint32_t{0} - 4) return Error(Code::kLimit, "guest connection has used up its streams; connect again");
  last_stream_ += last_stream_ == 0 ? 1 : 2;
  streams_[last_stream_] = std::move(stream);
  AppendMessage(outgoing_, last_stream_, type, request);
  Flush();
  return last_stream_;
}

void Connection::Send(uint32_t stream, FrameType type, uint16_t flags, std::string_view payload) {
  if (error_) return;
  if (outgoing_.size() > kMostOutgoingBytes) return Fail(Error(Code::kUnavailable, "guest does not read what it is sent"));
  AppendFrame(outgoing_, stream, type, flags, payload);
  Flush();
}

Status Connection::SendMessage(uint32_t stream, FrameType type, std::string_view message) {
  if (error_) return *error_;
  if (message.size() > kMaxMessageBytes) return Error(Code::kArgumentsTooLong, "message to the guest is too long");
  if (outgoing_.size() > kMaxOutgoingBytes) return Error(Code::kAgain, "guest does not take its requests");
  AppendMessage(outgoing_, stream, type, message);
  Flush();
  return {};
}

void Connection::Forget(uint32_t stream) { streams_.erase(stream); }

void Connection::Flush() {
  size_t done = 0;
  while (done < outgoing_.size()) {
    const ssize_t written = WriteQuietly(output_fd_, std::string_view(outgoing_).substr(done));
    if (written < 0 && errno == EINTR) continue;
    // An error is seen by the driver too, which says so; the bytes are of no use to anybody.
    if (written < 0 && errno != EAGAIN) done = outgoing_.size();
    if (written < 0) break;
    done += static_cast<size_t>(written);
  }
  outgoing_.erase(0, done);
  if (is_crowded_ && outgoing_.size() <= kCrowdedBytes / 2) {
    is_crowded_ = false;
    Notify();
    for (const auto& [number, stream] : streams_) stream->ConnectionChanged();
  } else if (outgoing_.size() > kCrowdedBytes) {
    is_crowded_ = true;
  }
  // The driver waits for room on our behalf.
  if (!outgoing_.empty() && is_driven_ && driver_ != std::this_thread::get_id()) Wake();
}

Status Connection::Wait(Lock& lock, Deadline deadline, const std::function<bool()>& is_true) {
  if (!is_true() && is_driven_ && driver_ == std::this_thread::get_id()) {
    return Error(Code::kBusy, "a handler of the guest's output must not wait for the guest");
  }
  while (!is_true()) {
    if (error_) return *error_;
    if (deadline != kNoDeadline && std::chrono::steady_clock::now() >= deadline) return Code::kTimedOut;
    if (is_driven_) {
      ++waiting_;
      if (deadline == kNoDeadline) {
        changed_.wait(lock);
      } else {
        changed_.wait_until(lock, deadline);
      }
      --waiting_;
      continue;
    }
    is_driven_ = true;
    driver_ = std::this_thread::get_id();
    lock.unlock();
    Drive(deadline);
    lock.lock();
    is_driven_ = false;
    if (waiting_ > 0) changed_.notify_all();
  }
  return {};
}

void Connection::WaitForHandler(Lock& lock, const std::function<bool()>& has_returned) {
  if (is_driven_ && driver_ == std::this_thread::get_id()) return;
  ++waiting_;
  changed_.wait(lock, has_returned);
  --waiting_;
}

Status Connection::Poll(Deadline deadline) {
  Lock lock = Acquire();
  if (error_) return *error_;
  if (is_driven_) return {};
  is_driven_ = true;
  driver_ = std::this_thread::get_id();
  lock.unlock();
  Drive(deadline);
  lock.lock();
  is_driven_ = false;
  if (waiting_ > 0) changed_.notify_all();
  if (error_) return *error_;
  return {};
}

void Connection::StartReader() {
  Lock lock = Acquire();
  if (error_ || reader_.joinable()) return;
  reader_ = std::thread([this] {
    Lock own = Acquire();
    ++waiting_;
    changed_.wait(own, [this] { return !is_driven_; });
    --waiting_;
    is_driven_ = true;
    driver_ = std::this_thread::get_id();
    while (!error_) {
      own.unlock();
      Drive(kNoDeadline);
      own.lock();
      if (waiting_ > 0) changed_.notify_all();
    }
    is_driven_ = false;
    changed_.notify_all();
  });
}

void Connection::Drive(Deadline deadline) {
  short output_events = 0;
  {
    const Lock lock = Acquire();
    if (error_) return;
    output_events = outgoing_.empty() ? 0 : POLLOUT;
  }
  pollfd watched[3] = {{input_fd_, POLLIN, 0}, {wake_fd_, POLLIN, 0}, {output_fd_, output_events, 0}};
  const timespec left = Left(deadline);
  const int ready = ppoll(watched, output_events != 0 ? 3 : 2, deadline == kNoDeadline ? nullptr : &left, nullptr);
  if (ready <= 0) return;
  if (watched[1].revents != 0) {
    uint64_t count = 0;
    (void)!read(wake_fd_, &count, sizeof count);
  }
  if (watched[2].revents != 0) {
    const Lock lock = Acquire();
    Flush();
  }
  if (watched[0].revents != 0) ReadAvailable();
}

void Connection::ReadAvailable() {
  const std::span<char> space = decoder_.Space();
  const ssize_t got = read(input_fd_, space.data(), space.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  Lock lock = Acquire();
  if (got == 0) {
    return Fail(Error(Code::kUnavailable, decoder_.IsAtBoundary() ? "guest connection lost" : "guest connection lost in the middle of a frame"));
  }
  if (got < 0) return Fail(Error(Code::kUnavailable, std::string("guest connection lost: ") + std::strerror(errno)));
  decoder_.Commit(static_cast<size_t>(got));
  while (!error_) {
    const auto frame = decoder_.Next();
    if (frame && !*frame) return;
    const Status status = frame ? Dispatch(**frame, lock) : Status(frame.error());
    if (!status) return Fail(status.error());
  }
}

Status Connection::Dispatch(const Frame& frame, Lock& lock) {
  const FrameHeader& header = frame.header;
  if (!hello_ && header.type != FrameType::kHello && header.type != FrameType::kFailure) return Violation("expected hello");
  if (header.stream == 0) {
    switch (header.type) {
      case FrameType::kHello: {
        if (hello_) return Violation("second hello");
        PADDOCK_ASSIGN(hello_, DecodeHello(frame.payload));
        PADDOCK_TRY(CommonVersion(Hello(), *hello_));
        return {};
      }
      case FrameType::kFailure: {
        PADDOCK_ASSIGN(const Failure failure, DecodeFailure(frame.payload));
        return Error(Code::kUnavailable, "guest ended the connection: " + failure.text);
      }
      case FrameType::kPong:
        return {};
      default:
        return Violation("not a message of the connection");
    }
  }
  PADDOCK_ASSIGN(const auto message, assembler_.Add(frame));
  if (!message) return {};
  if (header.type == FrameType::kAccepted) return Accept(header.stream, message->bytes);
  const auto found = streams_.find(header.stream);
  if (found == streams_.end()) {
    // What was under way when we forgot the stream.
    return header.stream <= (header.stream % 2 == 1 ? last_stream_ : last_accepted_) ? Status() : Violation("no such stream");
  }
  const std::shared_ptr<Stream> stream = found->second;   // may be forgotten while its handlers run
  PADDOCK_TRY(stream->Receive({header, message->bytes}, lock));
  if (IsStreamOver(header.type)) Forget(header.stream);
  return {};
}

Status Connection::Accept(uint32_t number, std::string_view payload) {
  PADDOCK_ASSIGN(const Accepted accepted, DecodeAccepted(payload));
  if (number % 2 != 0 || number <= last_accepted_) return Violation("stream number used before");
  if (accepted.listener > last_stream_ || accepted.listener % 2 == 0) return Violation("no such listener");
  last_accepted_ = number;
  const auto listener = streams_.find(accepted.listener);
  std::shared_ptr<Stream> stream = listener == streams_.end() ? nullptr : listener->second->Accept(number, accepted);
  if (stream) {
    streams_[number] = std::move(stream);
  } else {
    Send(number, FrameType::kReset);   // full, or the listener has just been dropped
  }
  return {};
}

}  // namespace paddock::guest
