#include "egress/socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <cerrno>
#include <cstring>

namespace paddock::egress {
namespace {

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

socklen_t Fill(const Endpoint& endpoint, sockaddr_storage* storage) {
  std::memset(storage, 0, sizeof *storage);
  if (endpoint.address.is_v6) {
    auto* v6 = reinterpret_cast<sockaddr_in6*>(storage);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(endpoint.port);
    std::memcpy(&v6->sin6_addr, endpoint.address.bytes.data(), 16);
    return sizeof *v6;
  }
  auto* v4 = reinterpret_cast<sockaddr_in*>(storage);
  v4->sin_family = AF_INET;
  v4->sin_port = htons(endpoint.port);
  std::memcpy(&v4->sin_addr, endpoint.address.bytes.data(), 4);
  return sizeof *v4;
}

}  // namespace

Endpoint EndpointOf(const sockaddr_storage& storage) {
  Endpoint endpoint;
  if (storage.ss_family == AF_INET) {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&storage);
    endpoint.port = ntohs(v4->sin_port);
    std::memcpy(endpoint.address.bytes.data(), &v4->sin_addr, 4);
  } else if (storage.ss_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&storage);
    endpoint.port = ntohs(v6->sin6_port);
    if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
      std::memcpy(endpoint.address.bytes.data(), v6->sin6_addr.s6_addr + 12, 4);
    } else {
      endpoint.address.is_v6 = true;
      std::memcpy(endpoint.address.bytes.data(), &v6->sin6_addr, 16);
    }
  }
  return endpoint;
}

Result<std::unique_ptr<Socket>> Socket::Make(Reactor& reactor, Descriptor fd) {
  const int flags = fcntl(fd.get(), F_GETFL);
  if (flags < 0 || fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0 || fcntl(fd.get(), F_SETFD, FD_CLOEXEC) != 0) {
    return static_cast<Code>(errno);
  }
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);   // not TCP: no harm
  std::unique_ptr<Socket> socket(new Socket(reactor, std::move(fd)));  // allow(raw-new): private constructor
  PADDOCK_TRY(reactor.Add(socket->fd(), &socket->watch_));
  return socket;
}

Result<std::unique_ptr<Socket>> Socket::Dial(Reactor& reactor, const Endpoint& to, Deadline deadline) {
  sockaddr_storage storage;
  const socklen_t size = Fill(to, &storage);
  Descriptor fd(::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return static_cast<Code>(errno);
  PADDOCK_ASSIGN(auto socket, Make(reactor, std::move(fd)));
  if (connect(socket->fd(), reinterpret_cast<sockaddr*>(&storage), size) != 0) {
    if (errno != EINPROGRESS) return static_cast<Code>(errno);
    for (;;) {
      pollfd poll_entry{socket->fd(), POLLOUT, 0};
      if (poll(&poll_entry, 1, 0) > 0) break;
      PADDOCK_TRY(socket->WaitWritable(deadline));
    }
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(socket->fd(), SOL_SOCKET, SO_ERROR, &error, &length) != 0) return static_cast<Code>(errno);
    if (error != 0) return static_cast<Code>(error);
  }
  return socket;
}

Socket::~Socket() { reactor_.Remove(fd_.get()); }

ssize_t Socket::TryRead(void* to, size_t size) {
  ssize_t count = 0;
  do count = recv(fd_.get(), to, size, 0);
  while (count < 0 && errno == EINTR);
  if (count > 0 && count_ != nullptr) count_->in += static_cast<uint64_t>(count);
  return count;
}

ssize_t Socket::TryWrite(const void* from, size_t size) {
  ssize_t count = 0;
  do count = send(fd_.get(), from, size, MSG_NOSIGNAL);
  while (count < 0 && errno == EINTR);
  if (count > 0 && count_ != nullptr) count_->out += static_cast<uint64_t>(count);
  return count;
}

Result<size_t> Socket::Read(std::span<char> to, Deadline deadline) {
  for (;;) {
    if (watch_.is_aborted || reactor_.is_stopping()) return Code::kCancelled;
    const ssize_t count = TryRead(to.data(), to.size());
    if (count >= 0) {
      reactor_.Breathe();
      return static_cast<size_t>(count);
    }
    if (!WouldBlock(errno)) return static_cast<Code>(errno);
    PADDOCK_TRY(WaitReadable(deadline));
  }
}

Status Socket::Write(std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    if (watch_.is_aborted || reactor_.is_stopping()) return Code::kCancelled;
    const ssize_t count = TryWrite(bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
      reactor_.Breathe();
      continue;
    }
    if (!WouldBlock(errno)) return static_cast<Code>(errno);
    PADDOCK_TRY(WaitWritable(deadline));
  }
  return {};
}

Status Socket::FinishWriting(Deadline) {
  if (shutdown(fd_.get(), SHUT_WR) != 0) return static_cast<Code>(errno);
  return {};
}

void Socket::Abort() {
  watch_.is_aborted = true;
  reactor_.Wake(watch_.readers);
  reactor_.Wake(watch_.writers);
}

bool Socket::IsReadable() const {
  pollfd entry{fd_.get(), POLLIN | POLLRDHUP, 0};
  return poll(&entry, 1, 0) > 0;
}

Result<Descriptor> Socket::Accept(Deadline deadline) {
  for (;;) {
    if (watch_.is_aborted || reactor_.is_stopping()) return Code::kCancelled;
    Descriptor accepted(accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (accepted) return accepted;
    if (errno == EINTR || errno == ECONNABORTED) continue;
    if (!WouldBlock(errno)) return static_cast<Code>(errno);
    PADDOCK_TRY(WaitReadable(deadline));
  }
}

Endpoint Socket::LocalEndpoint() const {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&storage), &size) != 0) return {};
  return EndpointOf(storage);
}

void Socket::ResetOnClose() {
  const linger now{1, 0};
  setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

}  // namespace paddock::egress
