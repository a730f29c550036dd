#include "guest/agent/port_streams.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

namespace paddock::guest {
namespace {

constexpr int kBacklog = 1024;   // a program may well begin some hundred connections at once

struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

bool MakeAddress(Network network, const std::string& text, uint16_t port, Address& address) {
  if (network == Network::kUnix) {
    auto* name = reinterpret_cast<sockaddr_un*>(&address.storage);
    if (text.size() >= sizeof name->sun_path) return false;
    name->sun_family = AF_UNIX;
    std::memcpy(name->sun_path, text.data(), text.size());
    if (text[0] == '@') name->sun_path[0] = '\0';
    address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + text.size() + (text[0] == '@' ? 0 : 1));
    return true;
  }
  const std::string host = text.empty() || text == "localhost" ? "127.0.0.1" : text;
  auto* four = reinterpret_cast<sockaddr_in*>(&address.storage);
  if (inet_pton(AF_INET, host.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    address.size = sizeof *four;
    return true;
  }
  address.storage = {};
  auto* six = reinterpret_cast<sockaddr_in6*>(&address.storage);
  if (inet_pton(AF_INET6, host.c_str(), &six->sin6_addr) != 1) return false;
  six->sin6_family = AF_INET6;
  six->sin6_port = htons(port);
  address.size = sizeof *six;
  return true;
}

Descriptor MakeSocket(const Address& address) {
  Descriptor made(socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // The stream has been cut into frames already: nothing is gained by waiting for more.
  constexpr int kOn = 1;
  if (made && address.storage.ss_family != AF_UNIX) setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
  return made;
}

class SocketStream final : public SendingStream {
 public:
  SocketStream(const StreamPlace& place, Descriptor connection, bool is_connected)
      : SendingStream(place), connection_(std::move(connection)), is_connected_(is_connected) {
    watch_ = place_.loop.Watch(connection_.get(), is_connected ? EPOLLIN : EPOLLOUT, [this](uint32_t) { OnReady(); });
  }
  ~SocketStream() override { place_.loop.Forget(watch_); }

  Status Receive(const Frame& frame) override {
    if (frame.header.type == FrameType::kWindow) return SendingStream::Receive(frame);
    if (frame.header.flags != kChannelIn) return Error(Code::kInvalid, "guest protocol: no such channel");
    if (frame.header.type == FrameType::kEnd) {
      input_ends_ = true;
    } else if (frame.header.type == FrameType::kData) {
      if (input_ends_) return Error(Code::kInvalid, "guest protocol: data behind its end");
      PADDOCK_TRY(window_.Receive(static_cast<uint32_t>(frame.payload.size())));
      pending_.append(frame.payload);
    } else {
      return Error(Code::kInvalid, "guest protocol: not a message to a connection");
    }
    if (is_connected_ && !is_over_) Write();
    return {};
  }

 private:
  void OnReady() {
    if (is_over_) return;
    if (!is_connected_) {
      int error = 0;
      socklen_t size = sizeof error;
      getsockopt(connection_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
      if (error != 0) return Fail(error);
      is_connected_ = true;
      place_.outbox.Frame(place_.number, FrameType::kOpened, 0, Encode(Opened()));
    }
    Write();
    if (is_over_) return;
    // Asked again when the reader has met the end of what there is.
    is_read_watched_ = false;
    UpdateInterest();
    place_.outbox.Schedule(*this);
  }

  void UpdateInterest() {
    const uint32_t in = is_read_watched_ && !output_ended_ ? EPOLLIN : 0u;
    place_.loop.Change(watch_, in | (pending_.empty() ? 0u : EPOLLOUT));
  }

  bool Produce(Outbox&) override {
    if (is_over_ || !is_connected_ || output_ended_ || Room() == 0) return false;
    buffer_.resize(Room());
    const ssize_t got = recv(connection_.get(), buffer_.data(), buffer_.size(), 0);
    if (got > 0) {
      SendData(std::string_view(buffer_).substr(0, static_cast<size_t>(got)));
      return true;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
      is_read_watched_ = true;
      UpdateInterest();
      return false;
    }
    if (got < 0) {
      Fail(errno);
      return false;
    }
    output_ended_ = true;
    place_.outbox.Frame(place_.number, FrameType::kEnd, kChannelIn);
    UpdateInterest();
    MaybeFinish();
    return false;
  }

  void Write() {
    size_t done = 0;
    while (done < pending_.size()) {
      const ssize_t written = send(connection_.get(), pending_.data() + done, pending_.size() - done, MSG_NOSIGNAL);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno != EAGAIN) return Fail(errno);
      if (written < 0) break;
      done += static_cast<size_t>(written);
    }
    pending_.erase(0, done);
    if (const uint32_t grant = window_.Consume(static_cast<uint32_t>(done)); grant > 0 && !input_ends_) {
      place_.outbox.Frame(place_.number, FrameType::kWindow, kChannelIn, EncodeU32(grant));
    }
    if (pending_.empty() && input_ends_ && !is_shut_) {
      is_shut_ = true;
      shutdown(connection_.get(), SHUT_WR);
    }
    UpdateInterest();
    MaybeFinish();
  }

  void MaybeFinish() {
    if (is_over_ || !output_ended_ || !is_shut_) return;
    is_over_ = true;
    place_.finished.push_back(place_.number);
  }

  void Fail(int error) {
    is_over_ = true;
    place_.loop.Change(watch_, 0);
    place_.Fail(error);
  }

  Descriptor connection_;
  uint64_t watch_ = 0;
  bool is_connected_;
  bool is_read_watched_ = true;
  bool output_ended_ = false;   // nothing more comes from the connection
  bool input_ends_ = false;     // nothing more comes from the client
  bool is_shut_ = false;
  bool is_over_ = false;
  ReceiveWindow window_;
  std::string pending_;
  std::string buffer_;
};

class Listener final : public Stream {
 public:
  Listener(const StreamPlace& place, Descriptor socket, AcceptHandler handler)
      : place_(place), socket_(std::move(socket)), handler_(std::move(handler)) {
    watch_ = place_.loop.Watch(socket_.get(), EPOLLIN, [this](uint32_t) { AcceptOne(); });
  }
  ~Listener() override {
    *is_alive_ = false;
    place_.loop.Forget(watch_);
  }

  Status Receive(const Frame&) override { return Error(Code::kInvalid, "guest protocol: not a message to a listener"); }

 private:
  void AcceptOne() {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    Descriptor connection(accept4(socket_.get(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)) return;
    if (!connection || !handler_(std::move(connection), PeerName(peer))) {
      // No descriptors or no streams: later, and not in a circle.
      place_.loop.Change(watch_, 0);
      place_.loop.After(std::chrono::milliseconds(50), [this, is_alive = is_alive_] {
        if (*is_alive) place_.loop.Change(watch_, EPOLLIN);
      });
    }
  }

  static std::string PeerName(const sockaddr_storage& peer) {
    char text[INET6_ADDRSTRLEN] = "";
    if (peer.ss_family == AF_INET) {
      const auto& four = reinterpret_cast<const sockaddr_in&>(peer);
      inet_ntop(AF_INET, &four.sin_addr, text, sizeof text);
      return std::string(text) + ":" + std::to_string(ntohs(four.sin_port));
    }
    if (peer.ss_family == AF_INET6) {
      const auto& six = reinterpret_cast<const sockaddr_in6&>(peer);
      inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text);
      return "[" + std::string(text) + "]:" + std::to_string(ntohs(six.sin6_port));
    }
    return "";
  }

  const StreamPlace place_;
  Descriptor socket_;
  AcceptHandler handler_;
  uint64_t watch_ = 0;
  std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);
};

}  // namespace

std::unique_ptr<Stream> DialStream(const StreamPlace& place, const DialRequest& request) {
  Address address;
  if (!MakeAddress(request.network, request.address, request.port, address)) {
    place.outbox.Error(place.number, EINVAL, Step::kRequest, "not an address");
    return nullptr;
  }
  Descriptor connection = MakeSocket(address);
  if (!connection || (connect(connection.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0 &&
                      errno != EINPROGRESS)) {
    place.outbox.Error(place.number, errno);
    return nullptr;
  }
  // Connected already or not: the socket becomes writable when that is decided.
  return std::make_unique<SocketStream>(place, std::move(connection), false);
}

std::unique_ptr<Stream> ConnectionStream(const StreamPlace& place, Descriptor connection) {
  return std::make_unique<SocketStream>(place, std::move(connection), true);
}

std::unique_ptr<Stream> ListenStream(const StreamPlace& place, const ListenRequest& request, AcceptHandler handler) {
  Address address;
  if (!MakeAddress(request.network, request.address, request.port, address)) {
    place.outbox.Error(place.number, EINVAL, Step::kRequest, "not an address");
    return nullptr;
  }
  Descriptor made = MakeSocket(address);
  constexpr int kOn = 1;
  if (made && request.network == Network::kTcp) setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &kOn, sizeof kOn);
  if (!made || bind(made.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0 ||
      listen(made.get(), kBacklog) != 0) {
    place.outbox.Error(place.number, errno);
    return nullptr;
  }
  Opened opened;
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (request.network == Network::kTcp && getsockname(made.get(), reinterpret_cast<sockaddr*>(&bound), &size) == 0) {
    opened.port = ntohs(bound.ss_family == AF_INET ? reinterpret_cast<sockaddr_in&>(bound).sin_port
                                                   : reinterpret_cast<sockaddr_in6&>(bound).sin6_port);
  }
  place.outbox.Frame(place.number, FrameType::kOpened, 0, Encode(opened));
  return std::make_unique<Listener>(place, std::move(made), std::move(handler));
}

}  // namespace paddock::guest
