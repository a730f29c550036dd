#include "guest/client/ports.h"

#include <algorithm>
#include <cstring>
#include <deque>

#include "guest/client/connection.h"
#include "guest/client/data_stream.h"
#include "guest/client/failure.h"
#include "guest/client/request.h"

namespace paddock::guest {

GuestConnection::GuestConnection(std::shared_ptr<Connection> connection, std::shared_ptr<DataStream> stream, std::string peer)
    : connection_(std::move(connection)), stream_(std::move(stream)), peer_(std::move(peer)) {}

GuestConnection::~GuestConnection() {
  const auto lock = connection_->Acquire();
  stream_->on_change = nullptr;
  if (is_left_) connection_->Forget(stream_->number);
  else stream_->Drop();
}

Result<size_t> GuestConnection::Read(std::span<char> buffer, Deadline deadline) {
  auto lock = connection_->Acquire();
  PADDOCK_TRY(stream_->Wait(lock, deadline, "guest connection", [this] { return !stream_->received.empty() || stream_->has_ended; }));
  return stream_->Take(buffer);
}

Status GuestConnection::Write(std::string_view bytes, Deadline deadline) {
  auto lock = connection_->Acquire();
  return stream_->Write(lock, bytes, deadline, "guest connection");
}

void GuestConnection::CloseWrite() {
  const auto lock = connection_->Acquire();
  stream_->SendEnd();
}

GuestConnection::Now GuestConnection::Look() const {
  const auto lock = connection_->Acquire();
  return {.is_open = stream_->opened.has_value(),
          .has_arrived = !stream_->received.empty(),
          .has_ended = stream_->has_ended,
          .is_broken = stream_->failure || stream_->reply || connection_->error(),
          .room = stream_->Room()};
}

void GuestConnection::Watch(std::function<void()> handler) {
  const auto lock = connection_->Acquire();
  stream_->on_change = std::move(handler);
}

std::string GuestConnection::TakeArrived() {
  const auto lock = connection_->Acquire();
  return std::exchange(stream_->received, {});
}

void GuestConnection::Grant(size_t bytes) {
  const auto lock = connection_->Acquire();
  stream_->Grant(bytes);
}

void GuestConnection::SendNow(std::string_view bytes) {
  const auto lock = connection_->Acquire();
  stream_->SendNow(bytes);
}

void GuestConnection::Leave() { is_left_ = true; }

// The stream of a listener.
class GuestListener::State final : public Connection::Stream {
 public:
  State(Connection& owner, ArrivalQueue bounds) : connection(owner), queue(std::move(bounds)) {}

  Status Receive(const Frame& frame, Connection::Lock&) override {
    if (frame.header.type == FrameType::kOpened && !opened) {
      PADDOCK_ASSIGN(opened, DecodeOpened(frame.payload));
      return {};
    }
    if (frame.header.type == FrameType::kError && !opened) {
      PADDOCK_ASSIGN(failure, DecodeFailure(frame.payload));
      return {};
    }
    return Error(Code::kInvalid, "guest protocol: not a message of a listener");
  }

  std::shared_ptr<Stream> Accept(uint32_t stream, const Accepted& accepted) override {
    if (!opened || waiting.size() >= queue.most) return nullptr;
    auto taken = std::make_shared<DataStream>(connection);
    taken->number = stream;
    taken->opened.emplace();
    waiting.push_back({taken, accepted.peer});
    if (queue.on_arrival) queue.on_arrival();
    return taken;
  }

  void ConnectionChanged() override {
    if (queue.on_arrival) queue.on_arrival();
  }

  struct Waiting {
    std::shared_ptr<DataStream> stream;
    std::string peer;
  };
  Connection& connection;
  const ArrivalQueue queue;
  uint32_t number = 0;
  std::optional<Opened> opened;
  std::optional<Failure> failure;
  std::deque<Waiting> waiting;
};

GuestListener::GuestListener(std::shared_ptr<Connection> connection, std::shared_ptr<State> state, uint16_t port)
    : connection_(std::move(connection)), state_(std::move(state)), port_(port) {}

GuestListener::~GuestListener() {
  const auto lock = connection_->Acquire();
  connection_->Send(state_->number, FrameType::kReset);
  connection_->Forget(state_->number);
  for (const State::Waiting& waiting : state_->waiting) waiting.stream->Drop();
}

Result<std::unique_ptr<GuestConnection>> GuestListener::Accept(Deadline deadline) {
  auto lock = connection_->Acquire();
  PADDOCK_TRY(connection_->Wait(lock, deadline, [this] { return !state_->waiting.empty(); }));
  return TakeFirst();
}

std::unique_ptr<GuestConnection> GuestListener::TryAccept() {
  const auto lock = connection_->Acquire();
  if (state_->waiting.empty()) return nullptr;
  return TakeFirst();
}

std::unique_ptr<GuestConnection> GuestListener::TakeFirst() {
  State::Waiting next = std::move(state_->waiting.front());
  state_->waiting.pop_front();
  // allow(raw-new): the constructor is private
  return std::unique_ptr<GuestConnection>(new GuestConnection(connection_, std::move(next.stream), std::move(next.peer)));
}

Result<std::unique_ptr<GuestConnection>> GuestPorts::DialLater(const DialRequest& request) {
  const std::string encoded = Encode(request);
  PADDOCK_TRY(CheckRequest<DecodeDial>(encoded, "guest port " + request.address));
  auto stream = std::make_shared<DataStream>(*connection_);
  const auto lock = connection_->Acquire();
  PADDOCK_ASSIGN(stream->number, connection_->Open(stream, FrameType::kDial, encoded));
  // allow(raw-new): the constructor is private
  return std::unique_ptr<GuestConnection>(new GuestConnection(connection_, std::move(stream), ""));
}

Result<std::unique_ptr<GuestConnection>> GuestPorts::Dial(const DialRequest& request, Deadline deadline) {
  const std::string encoded = Encode(request);
  PADDOCK_TRY(CheckRequest<DecodeDial>(encoded, "guest port " + request.address));
  auto stream = std::make_shared<DataStream>(*connection_);
  auto lock = connection_->Acquire();
  PADDOCK_ASSIGN(stream->number, connection_->Open(stream, FrameType::kDial, encoded));
  const std::string what = "guest port " + (request.network == Network::kTcp ? std::to_string(request.port) : request.address);
  if (const Status status = stream->Wait(lock, deadline, what, [&] { return stream->opened.has_value(); }); !status) {
    stream->Drop();
    return status.error();
  }
  // allow(raw-new): the constructor is private
  return std::unique_ptr<GuestConnection>(new GuestConnection(connection_, std::move(stream), ""));
}

Result<std::unique_ptr<GuestListener>> GuestPorts::Listen(const ListenRequest& request, Deadline deadline, ArrivalQueue queue) {
  const std::string encoded = Encode(request);
  PADDOCK_TRY(CheckRequest<DecodeListen>(encoded, "guest port " + request.address));
  auto state = std::make_shared<GuestListener::State>(*connection_, std::move(queue));
  auto lock = connection_->Acquire();
  PADDOCK_ASSIGN(state->number, connection_->Open(state, FrameType::kListen, encoded));
  if (const Status status = connection_->Wait(lock, deadline, [&] { return state->opened || state->failure; }); !status) {
    connection_->Send(state->number, FrameType::kReset);
    connection_->Forget(state->number);
    return status.error();
  }
  if (state->failure) return ErrorOf(*state->failure, "guest port " + std::to_string(request.port));
  const uint16_t port = state->opened->port;
  // allow(raw-new): the constructor is private
  return std::unique_ptr<GuestListener>(new GuestListener(connection_, std::move(state), port));
}

}  // namespace paddock::guest
