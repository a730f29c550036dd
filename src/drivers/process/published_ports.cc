#include "drivers/process/published_ports.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace paddock::process_wall {
namespace {

constexpr size_t kBlock = 64 << 10;
constexpr std::chrono::seconds kDialTime{10};
constexpr std::chrono::milliseconds kLookAround{500};   // how late a stop is noticed by a wait for the guest

bool SendAll(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<PublishedPorts>> PublishedPorts::Open(std::shared_ptr<guest::Client> client,
                                                             const std::vector<policy::PublishedPort>& ports) {
  std::unique_ptr<PublishedPorts> published(new PublishedPorts);   // allow(raw-new): private constructor
  published->client_ = std::move(client);
  published->stop_.Reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!published->stop_.is_open()) return Error(static_cast<Code>(errno), "cannot make an eventfd");
  for (const policy::PublishedPort& port : ports) PADDOCK_TRY(published->Listen(port));
  published->acceptor_ = std::thread([self = published.get()] { self->Accept(); });
  return published;
}

Status PublishedPorts::Listen(policy::PublishedPort port) {
  Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port.host);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 || listen(listener.get(), 128) != 0 ||
      getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return Error(static_cast<Code>(errno), "cannot publish on 127.0.0.1:" + std::to_string(port.host) + ": " + std::strerror(errno) +
                                               "; choose another host port, or 0 for any free one");
  }
  port.host = ntohs(address.sin_port);
  ports_.push_back(port);
  listeners_.push_back(std::move(listener));
  return {};
}

void PublishedPorts::Accept() {
  std::vector<pollfd> watched{{stop_.get(), POLLIN, 0}};
  for (const Descriptor& listener : listeners_) watched.push_back({listener.get(), POLLIN, 0});
  while (!is_stopping_) {
    if (poll(watched.data(), watched.size(), bridges_.empty() ? -1 : 1000) < 0 && errno != EINTR) return;
    ReapBridges(false);
    for (size_t i = 0; i < ports_.size(); ++i) {
      if ((watched[i + 1].revents & POLLIN) == 0) continue;
      Descriptor socket(accept4(listeners_[i].get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket.is_open() || bridges_.size() >= kMostConnections) continue;
      auto& bridge = bridges_.emplace_back(std::make_unique<Bridge>());
      bridge->socket = std::move(socket);
      bridge->port = ports_[i].guest;
      bridge->outward = std::thread([this, &held = *bridge] { Carry(held); });
    }
  }
}

void PublishedPorts::Carry(Bridge& bridge) {
  guest::DialRequest request;
  request.address = "localhost";   // 127.0.0.1 or ::1, where the program listens
  request.port = bridge.port;
  auto connection = client_->ports().Dial(request, guest::In(kDialTime));
  if (!connection) {
    shutdown(bridge.socket.get(), SHUT_RDWR);
    bridge.is_over = true;
    return;
  }
  bridge.connection = std::move(*connection);
  bridge.inward = std::thread([this, &bridge] { CarryInward(bridge); });
  std::array<char, kBlock> block;
  while (!is_stopping_) {
    const auto got = bridge.connection->Read(block, guest::In(kLookAround));
    if (!got && got.error().code == Code::kTimedOut) continue;
    if (!got || *got == 0) break;
    if (!SendAll(bridge.socket.get(), {block.data(), *got})) break;
  }
  shutdown(bridge.socket.get(), is_stopping_ ? SHUT_RDWR : SHUT_WR);
  bridge.inward.join();
  bridge.is_over = true;
}

void PublishedPorts::CarryInward(Bridge& bridge) {
  std::array<char, kBlock> block;
  while (!is_stopping_) {
    const ssize_t got = recv(bridge.socket.get(), block.data(), block.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    if (!bridge.connection->Write({block.data(), static_cast<size_t>(got)})) break;
  }
  bridge.connection->CloseWrite();
}

void PublishedPorts::ReapBridges(bool waits) {
  for (auto bridge = bridges_.begin(); bridge != bridges_.end();) {
    if (!waits && !(*bridge)->is_over) {
      ++bridge;
      continue;
    }
    if (waits) shutdown((*bridge)->socket.get(), SHUT_RDWR);
    (*bridge)->outward.join();
    bridge = bridges_.erase(bridge);
  }
}

PublishedPorts::~PublishedPorts() {
  is_stopping_ = true;
  const uint64_t one = 1;
  if (stop_.is_open() && write(stop_.get(), &one, sizeof one) < 0) stop_.Reset();
  if (acceptor_.joinable()) acceptor_.join();
  ReapBridges(true);
}

}  // namespace paddock::process_wall
