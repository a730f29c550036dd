#include "drivers/virtual/network_door.h"

#include <unistd.h>

#include <cerrno>

#include "egress/policy_options.h"

namespace paddock::sandbox {

bool NetworkDoor::IsOpen(const policy::Policy& policy) {
  if (policy.network.mode != policy::NetworkMode::kRules) return false;
  for (const policy::NetworkRule& rule : policy.network.rules) {
    if (rule.verdict == policy::NetworkRule::Verdict::kAllow) return true;
  }
  return false;
}

Result<std::unique_ptr<NetworkDoor>> NetworkDoor::Open(const policy::Policy& policy) {
  std::unique_ptr<NetworkDoor> door(new NetworkDoor);   // allow(raw-new): private constructor
  PADDOCK_ASSIGN(egress::EgressOptions options, egress::OptionsOf(policy));
  options.on_event = [record = door->record_](const egress::Event& event) {
    if (event.kind == egress::Event::Kind::kDenied) record->denials->Add(event.Text());
    const std::lock_guard lock(record->mutex);
    record->events.emplace_back(record->count++, event);
    if (record->events.size() > kMostEvents) record->events.pop_front();
  };
  door->shows_certificates_ = egress::ShowsCertificates(policy);
  PADDOCK_ASSIGN(door->engine_, egress::Egress::Start(std::move(options)));
  return door;
}

Result<Descriptor> NetworkDoor::ConnectDns() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) return static_cast<Code>(errno);
  Descriptor own(ends[0]);
  PADDOCK_TRY(engine_->AcceptConnected(ends[1], egress::ListenerKind::kDnsTcp));
  return own;
}

Result<NetworkDoor::Way> NetworkDoor::MakeWay() {
  constexpr int kBacklog = 16;
  constexpr int kType = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
  Way way;
  way.listener.Reset(socket(AF_UNIX, kType, 0));
  way.client.Reset(socket(AF_UNIX, kType, 0));
  way.address.sun_family = AF_UNIX;
  way.length = sizeof way.address;
  auto* const address = reinterpret_cast<sockaddr*>(&way.address);
  // An address without a path is one that the kernel chooses, outside of any file tree.
  if (!way.listener || !way.client || bind(way.listener.get(), address, sizeof way.address.sun_family) != 0 || listen(way.listener.get(), kBacklog) != 0 ||
      getsockname(way.listener.get(), address, &way.length) != 0) {
    return static_cast<Code>(errno);
  }
  return way;
}

void NetworkDoor::Serve(Descriptor listener, egress::AddressFamily family) {
  for (;;) {
    Descriptor stream(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!stream) return;
    // Other processes of the host see the name for a moment.
    ucred peer{};
    socklen_t length = sizeof peer;
    if (getsockopt(stream.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.pid != getpid()) continue;
    [[maybe_unused]] const Status ignored = engine_->AcceptConnected(stream.Release(), egress::ListenerKind::kProxy, {}, 0, family);   // else the stream ends at once
  }
}

uint64_t NetworkDoor::Mark() {
  const std::lock_guard lock(record_->mutex);
  return record_->count;
}

std::optional<egress::Event> NetworkDoor::LastEvent(uint64_t since, egress::Event::Kind kind, const std::string& host, uint16_t port) {
  engine_->FlushEvents();
  const std::lock_guard lock(record_->mutex);
  for (auto at = record_->events.rbegin(); at != record_->events.rend() && at->first >= since; ++at) {
    const egress::Event& event = at->second;
    if (event.kind == kind && event.port == port && event.host == host) return event;
  }
  return std::nullopt;
}

std::vector<std::string> NetworkDoor::TakeDenials() {
  engine_->FlushEvents();
  return record_->denials->Take();
}

Result<std::string> NetworkDoor::TrustedPem() {
  if (!shows_certificates_) return std::string();
  return engine_->CaBundlePem();
}

}  // namespace paddock::sandbox
