#include "guest/bridge/published_ports.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace paddock::guest {
namespace {

Result<Descriptor> Listen(uint16_t& port) {
  Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  constexpr int kOn = 1;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &kOn, sizeof kOn);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 || listen(listener.get(), 1024) != 0 ||
      getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return Error(static_cast<Code>(errno), "cannot publish on 127.0.0.1:" + std::to_string(port) + ": " + std::strerror(errno) +
                                               "; choose another host port, or 0 for any free one");
  }
  port = ntohs(address.sin_port);
  return listener;
}

}  // namespace

Result<std::vector<policy::PublishedPort>> PublishPorts(StreamBridge& bridge, std::vector<policy::PublishedPort> ports) {
  for (policy::PublishedPort& port : ports) {
    PADDOCK_ASSIGN(Descriptor listener, Listen(port.host));
    PADDOCK_TRY(bridge.DialInside(std::move(listener), port.guest));
  }
  return ports;
}

}  // namespace paddock::guest
