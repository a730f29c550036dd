// Sockets on the reactor: connected streams, accepting, dialling.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <memory>

#include "egress/stream.h"
#include "policy/ip_address.h"

namespace paddock::egress {

struct Endpoint {
  policy::IpAddress address;
  uint16_t port = 0;
};

// Reads a socket address; IPv4 in IPv6 form becomes IPv4. Port 0 and 0.0.0.0 for other families.
Endpoint EndpointOf(const sockaddr_storage& address);

// What sockets have carried.
struct TrafficCount {
  std::atomic<uint64_t> in{0}, out{0};
};

class Socket : public Stream {
 public:
  // Takes the descriptor, makes it non-blocking and watches it.
  static Result<std::unique_ptr<Socket>> Make(Reactor& reactor, Descriptor fd);
  // Connects. Errors: the system's, kTimedOut.
  static Result<std::unique_ptr<Socket>> Dial(Reactor& reactor, const Endpoint& to, Deadline deadline);
  ~Socket() override;

  Result<size_t> Read(std::span<char> to, Deadline deadline) override;
  Status Write(std::string_view bytes, Deadline deadline) override;
  Status FinishWriting(Deadline deadline) override;
  void Abort() override;

  // One attempt each: the count, or -1 with errno.
  ssize_t TryRead(void* to, size_t size);
  ssize_t TryWrite(const void* from, size_t size);
  Status WaitReadable(Deadline deadline) { return reactor_.Wait(watch_.readers, deadline, &watch_.is_aborted); }
  Status WaitWritable(Deadline deadline) { return reactor_.Wait(watch_.writers, deadline, &watch_.is_aborted); }
  bool is_aborted() const { return watch_.is_aborted; }
  // True when a read would find bytes or the end.
  bool IsReadable() const;
  // Of a listening socket: the next connection. Errors: kTimedOut, kCancelled, the system's.
  Result<Descriptor> Accept(Deadline deadline);

  // Where this end is: for a captured connection, where the client wanted to go.
  Endpoint LocalEndpoint() const;
  // Counts what it carries from now on; `count` outlives it.
  void CountInto(TrafficCount* count) { count_ = count; }
  // The next close sends a reset instead of an end.
  void ResetOnClose();

  int fd() const { return fd_.get(); }
  Reactor& reactor() { return reactor_; }
  Waiters& readers() { return watch_.readers; }

 private:
  Socket(Reactor& reactor, Descriptor fd) : reactor_(reactor), fd_(std::move(fd)) {}

  Reactor& reactor_;
  Descriptor fd_;
  Reactor::Watch watch_;
  TrafficCount* count_ = nullptr;
};

}  // namespace paddock::egress
