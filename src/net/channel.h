// Channel: a connected socket that never blocks, with or without TLS on it. Every operation is one attempt.
#pragma once

#include <chrono>
#include <span>
#include <string_view>

#include "base/descriptor.h"
#include "net/tls.h"

namespace paddock::net {

enum class Io {
  kDone,        // some bytes, or the step, were done
  kEnd,         // the other end closed in order
  kWantRead,    // wait until the socket is readable
  kWantWrite,   // wait until it is writable
  kBroken,      // the connection is no more
};
struct IoCount {
  Io io = Io::kBroken;
  size_t count = 0;   // of kDone
};

class Channel {
 public:
  Channel() = default;
  // Takes a descriptor that does not block.
  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}
  Channel(Channel&& other) noexcept = default;
  // The connection that was there ends.
  Channel& operator=(Channel&& other) noexcept;
  ~Channel() { Close(); }

  // Everything goes through TLS from here on; Handshake() first.
  Status SetTls(SslHandle ssl);
  Io Handshake();
  // Why the handshake failed.
  std::string TlsFailure() const;
  // For who found it broken: with what TLS says of it, such as that a certificate was missed.
  std::string Breakage() const;
  bool is_tls() const { return ssl_ != nullptr; }

  IoCount Read(std::span<char> to);
  // `more` follows at once: a packet may wait for it.
  IoCount Write(std::string_view bytes, bool more = false);
  // Bytes that were received but not read, which the socket does not show as readable.
  bool HasBuffered() const;
  // Says that nothing more will be written.
  void FinishWriting();
  // Breaks the connection both ways; the descriptor stays. The one call that another thread may make at any time before Close().
  void Cut();
  // Closes; with `reset` so that the other end sees a broken connection.
  void Close(bool reset = false);
  bool is_open() const { return socket_.is_open(); }
  int fd() const { return socket_.get(); }

 private:
  IoCount Failure(int result);

  Descriptor socket_;
  SslHandle ssl_;
  bool is_broken_ = false;
  std::string failure_;   // of TLS
};

// What a socket is to be waited for: POLLIN or POLLOUT.
short PollEventsOf(Io want);
// Waits for it. Errors: kTimedOut; kCancelled when `cancel_fd` (or -1) became readable.
Status WaitFor(int fd, Io want, std::chrono::milliseconds time, int cancel_fd = -1);
// The error of errno, with `what` before its text.
Error SystemError(const std::string& what, int number);

}  // namespace paddock::net
