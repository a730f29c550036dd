#include "net/socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "net/channel.h"

namespace paddock::net {
namespace {

constexpr int kBacklog = 1024;

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Result<AddressList> Resolve(const Address& address, bool to_listen) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (to_listen ? AI_PASSIVE : 0);
  const int error = getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) return Error(Code::kUnavailable, FormatAddress(address) + ": " + gai_strerror(error));
  return AddressList(found, freeaddrinfo);
}

Result<sockaddr_un> UnixAddress(const Address& address) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  if (address.host.size() >= sizeof name.sun_path)
    return Error(Code::kNameTooLong, FormatAddress(address) + ": path too long for a unix socket");
  std::memcpy(name.sun_path, address.host.data(), address.host.size());
  return name;
}

Result<Descriptor> NewSocket(int family) {
  Descriptor fd(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return SystemError("socket", errno);
  return fd;
}

// True when the file is a socket that refuses connections.
bool IsAbandoned(const sockaddr_un& name) {
  struct stat status{};
  if (lstat(name.sun_path, &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  auto probe = NewSocket(AF_UNIX);
  return probe && connect(probe->get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 && errno == ECONNREFUSED;
}

Result<Descriptor> ListenUnix(const Address& address, unsigned mode) {
  PADDOCK_ASSIGN(const sockaddr_un name, UnixAddress(address));
  PADDOCK_ASSIGN(Descriptor fd, NewSocket(AF_UNIX));
  fchmod(fd.get(), mode);   // what bind() gives the file, but for the umask
  const auto* raw = reinterpret_cast<const sockaddr*>(&name);
  int result = bind(fd.get(), raw, sizeof name);
  if (result != 0 && errno == EADDRINUSE && IsAbandoned(name)) {
    unlink(name.sun_path);
    result = bind(fd.get(), raw, sizeof name);
  }
  if (result != 0) return SystemError("cannot listen on " + FormatAddress(address), errno);
  if (chmod(name.sun_path, mode) != 0 || listen(fd.get(), kBacklog) != 0)
    return SystemError("cannot listen on " + FormatAddress(address), errno);
  return fd;
}

uint16_t PortOf(int fd) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size) != 0) return 0;
  if (name.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(name).sin6_port);
  return ntohs(reinterpret_cast<const sockaddr_in&>(name).sin_port);
}

void DescribePeer(const sockaddr_storage& name, int fd, Peer* peer) {
  char text[INET6_ADDRSTRLEN] = "";
  if (name.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(name);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    peer->port = ntohs(v4.sin_port);
  } else if (name.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(name);
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) inet_ntop(AF_INET, v6.sin6_addr.s6_addr + 12, text, sizeof text);
    else inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    peer->port = ntohs(v6.sin6_port);
  } else {
    peer->is_unix = true;
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0) peer->user = credentials.uid;
  }
  peer->address = text;
}

Result<Descriptor> ConnectTo(const sockaddr* name, socklen_t size, std::chrono::milliseconds time, int cancel_fd) {
  PADDOCK_ASSIGN(Descriptor fd, NewSocket(name->sa_family));
  if (connect(fd.get(), name, size) != 0) {
    if (errno != EINPROGRESS) return SystemError("connect", errno);   // of a unix socket also EAGAIN: its backlog is full
    PADDOCK_TRY(WaitFor(fd.get(), Io::kWantWrite, time, cancel_fd));
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) return SystemError("connect", error);
  }
  const int on = 1;
  if (name->sa_family != AF_UNIX) setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

}  // namespace

Result<Descriptor> Listen(Address* address, unsigned unix_mode) {
  if (address->is_unix) return ListenUnix(*address, unix_mode);
  PADDOCK_ASSIGN(const AddressList list, Resolve(*address, true));
  PADDOCK_ASSIGN(Descriptor fd, NewSocket(list->ai_family));
  const int on = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (list->ai_family == AF_INET6) setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (bind(fd.get(), list->ai_addr, list->ai_addrlen) != 0 || listen(fd.get(), kBacklog) != 0) {
    return SystemError("cannot listen on " + FormatAddress(*address), errno);
  }
  address->port = PortOf(fd.get());
  return fd;
}

Result<Descriptor> Accept(int listener, Peer* peer) {
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  Descriptor fd(accept4(listener, reinterpret_cast<sockaddr*>(&name), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd) return Error(static_cast<Code>(errno));
  DescribePeer(name, fd.get(), peer);
  return fd;
}

Result<Descriptor> Connect(const Address& address, std::chrono::milliseconds time, int cancel_fd) {
  Error error(Code::kUnavailable);
  if (address.is_unix) {
    PADDOCK_ASSIGN(const sockaddr_un name, UnixAddress(address));
    auto fd = ConnectTo(reinterpret_cast<const sockaddr*>(&name), sizeof name, time, cancel_fd);
    if (fd) return fd;
    error = fd.error();
  } else {
    PADDOCK_ASSIGN(const AddressList list, Resolve(address, false));
    for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
      auto fd = ConnectTo(one->ai_addr, one->ai_addrlen, time, cancel_fd);
      if (fd) return fd;
      error = fd.error();
      if (error.code == Code::kCancelled) break;
    }
  }
  return Error(error.code, "cannot reach " + FormatAddress(address) + ": " + std::string(error.Text()));
}

}  // namespace paddock::net
