#include "egress/relay.h"

#include <algorithm>
#include <cerrno>
#include <memory>

#include "egress/socket.h"

namespace paddock::egress {
namespace {

constexpr size_t kPiece = 16 << 10;       // of one direction, while it has something to carry
constexpr size_t kScratch = 256 << 10;    // between two sockets: shared by all, holds nothing across a wait

struct Shared {
  Reactor& reactor;
  Stream& client;
  Stream& upstream;
  const Nanoseconds idle;
  Deadline last_byte;

  // Has the other direction kept the relay alive while this one waited?
  bool IsIdle() const { return reactor.Now() >= last_byte + idle; }
  void Fail() const {
    client.Abort();
    upstream.Abort();
  }
};

// Waits as long as the relay lives.
template <class Attempt>
auto Patiently(Shared& shared, Attempt attempt) {
  for (;;) {
    auto result = attempt(shared.last_byte + shared.idle);
    if (result || result.error().code != Code::kTimedOut || shared.IsIdle()) return result;
  }
}

Status PumpStreams(Shared& shared, Stream& from, Stream& to) {
  for (;;) {
    std::string piece(kPiece, '\0');
    PADDOCK_ASSIGN(const size_t count, Patiently(shared, [&](Deadline until) { return from.Read(piece, until); }));
    if (count == 0) return {};
    shared.last_byte = shared.reactor.Now();
    PADDOCK_TRY(to.Write(std::string_view(piece).substr(0, count), shared.reactor.In(shared.idle)));
  }
}

// The same between sockets. Bytes that the receiver does not take at once are the only ones that are kept.
Status PumpSockets(Shared& shared, Socket& from, Socket& to) {
  thread_local const auto scratch = std::make_unique<char[]>(kScratch);
  for (;;) {
    if (from.is_aborted() || to.is_aborted() || shared.reactor.is_stopping()) return Code::kCancelled;
    const ssize_t count = from.TryRead(scratch.get(), kScratch);
    if (count == 0) return {};
    if (count < 0) {
      if (errno != EAGAIN) return static_cast<Code>(errno);
      PADDOCK_TRY(Patiently(shared, [&](Deadline until) { return from.WaitReadable(until); }));
      continue;
    }
    shared.last_byte = shared.reactor.Now();
    const ssize_t written = std::max<ssize_t>(0, to.TryWrite(scratch.get(), static_cast<size_t>(count)));
    if (written < count) {
      const std::string rest(scratch.get() + written, static_cast<size_t>(count - written));
      PADDOCK_TRY(to.Write(rest, shared.reactor.In(shared.idle)));
    }
    shared.reactor.Breathe();
  }
}

Status CarryFiltered(Shared& shared, Input& from, Stream& to, const RelayFilter& filter) {
  std::string piece(from.view());
  from.Consume(piece.size());
  for (size_t count = piece.size();;) {
    PADDOCK_ASSIGN(const std::string passed, filter(std::string_view(piece).substr(0, count)));
    if (!passed.empty()) PADDOCK_TRY(to.Write(passed, shared.reactor.In(shared.idle)));
    piece.resize(kPiece);
    PADDOCK_ASSIGN(count, Patiently(shared, [&](Deadline until) { return from.stream().Read(piece, until); }));
    if (count == 0) return to.FinishWriting(shared.reactor.In(shared.idle));
    shared.last_byte = shared.reactor.Now();
  }
}

Status Carry(Shared& shared, Input& from, Stream& to) {
  if (!from.view().empty()) {
    PADDOCK_TRY(to.Write(from.view(), shared.reactor.In(shared.idle)));
    from.Consume(from.view().size());
  }
  auto* const from_socket = dynamic_cast<Socket*>(&from.stream());
  auto* const to_socket = dynamic_cast<Socket*>(&to);
  PADDOCK_TRY(from_socket != nullptr && to_socket != nullptr ? PumpSockets(shared, *from_socket, *to_socket)
                                                             : PumpStreams(shared, from.stream(), to));
  return to.FinishWriting(shared.reactor.In(shared.idle));
}

}  // namespace

void Relay(Reactor& reactor, Input& client, Input& upstream, Nanoseconds idle, const std::function<bool()>& admit_client) {
  Shared shared{reactor, client.stream(), upstream.stream(), idle, reactor.Now()};
  ChildFiber down(reactor, [&] {
    if (!Carry(shared, upstream, shared.client)) shared.Fail();
  });
  if ((admit_client && !admit_client()) || !Carry(shared, client, shared.upstream)) shared.Fail();
  down.Join();
}

void RelayFiltered(Reactor& reactor, Input& client, Input& upstream, Nanoseconds idle, const RelayFilter& up, const RelayFilter& down) {
  Shared shared{reactor, client.stream(), upstream.stream(), idle, reactor.Now()};
  ChildFiber returning(reactor, [&] {
    if (!CarryFiltered(shared, upstream, shared.client, down)) shared.Fail();
  });
  if (!CarryFiltered(shared, client, shared.upstream, up)) shared.Fail();
  returning.Join();
}

}  // namespace paddock::egress
