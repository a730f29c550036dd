#include "net/wire.h"

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cstring>

namespace paddock::net {
namespace {

constexpr size_t kPiece = 32 << 10;
constexpr std::chrono::hours kForever(24 * 365);

}  // namespace

Cancellation::Cancellation() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
void Cancellation::Cancel() { eventfd_write(event_.get(), 1); }
bool Cancellation::is_cancelled() const {
  pollfd fd{event_.get(), POLLIN, 0};
  return poll(&fd, 1, 0) > 0;
}

Status Wire::Wait(Io want, std::chrono::milliseconds time) {
  return WaitFor(channel_.fd(), want, time.count() == 0 ? kForever : time, cancellation_ ? cancellation_->fd() : -1);
}

Status Wire::Handshake(std::chrono::milliseconds time) {
  for (;;) {
    const Io io = channel_.Handshake();
    if (io == Io::kDone) return {};
    if (io != Io::kWantRead && io != Io::kWantWrite) {
      return Error(Code::kInvalid, "TLS handshake: " + channel_.TlsFailure());
    }
    PADDOCK_TRY(Wait(io, time));
  }
}

Result<size_t> Wire::Read(std::span<char> to, std::chrono::milliseconds time) {
  if (!input_.empty()) {
    const size_t count = std::min(to.size(), input_.size());
    std::memcpy(to.data(), input_.data(), count);
    input_.erase(0, count);
    return count;
  }
  for (;;) {
    IoCount got;
    {
      const std::lock_guard lock(mutex_);
      got = channel_.Read(to);
    }
    if (got.io == Io::kDone) {
      has_heard = true;
      return got.count;
    }
    if (got.io == Io::kEnd) return size_t{0};
    if (got.io == Io::kBroken) return Error(Code::kBrokenPipe, channel_.Breakage());
    PADDOCK_TRY(Wait(got.io, time));
  }
}

Result<bool> Wire::Fill(std::chrono::milliseconds time) {
  char scratch[kPiece];
  std::string before = std::exchange(input_, {});
  const auto count = Read(scratch, time);
  input_ = std::move(before);
  if (!count) return count.error();
  input_.append(scratch, *count);
  return *count > 0;
}

Status Wire::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    IoCount put;
    {
      const std::lock_guard lock(mutex_);
      put = channel_.Write(bytes);
    }
    if (put.io == Io::kDone) {
      bytes.remove_prefix(put.count);
      continue;
    }
    if (put.io == Io::kEnd || put.io == Io::kBroken) return Error(Code::kBrokenPipe, channel_.Breakage());
    PADDOCK_TRY(Wait(put.io, idle_time_));
  }
  return {};
}

Result<bool> Wire::IsReadable(std::chrono::milliseconds time) {
  if (!input_.empty() || channel_.HasBuffered()) return true;
  const auto until = std::chrono::steady_clock::now() + time;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    const Status status = WaitFor(channel_.fd(), Io::kWantRead, std::max(left, std::chrono::milliseconds(0)), cancellation_ ? cancellation_->fd() : -1);
    if (!status && status.error().code != Code::kTimedOut) return status.error();
    if (!status) return false;
    if (!channel_.is_tls()) return true;
    // A session ticket may be all that there is.
    char scratch[kPiece];
    const std::lock_guard lock(mutex_);
    const IoCount got = channel_.Read(scratch);
    if (got.io == Io::kDone) {
      has_heard = true;
      input_.append(scratch, got.count);
    }
    if (got.io != Io::kWantRead) return true;
    if (left <= std::chrono::milliseconds(0)) return false;
  }
}

Result<ResponseHead> Wire::ReadHead(std::chrono::milliseconds time) {
  size_t searched = 0;
  for (;;) {
    if (input_.find('\n', searched) != std::string::npos || input_.size() >= kMostHeadBytes) {
      size_t size = 0;
      auto head = ParseResponseHead(input_, &size);
      if (!head) return Error(head.error().code, "the answer is not HTTP: " + std::string(head.error().Text()));
      if (*head) {
        input_.erase(0, size);
        return std::move(**head);
      }
    }
    searched = input_.size();
    PADDOCK_ASSIGN(const bool is_more, Fill(time));
    if (!is_more) return Error(Code::kBrokenPipe, "the server closed the connection without an answer");
  }
}

void Wire::FinishWriting() {
  const std::lock_guard lock(mutex_);
  channel_.FinishWriting();
}

void Wire::Cut() {
  const std::lock_guard lock(mutex_);
  channel_.Cut();
}

}  // namespace paddock::net
