#include "drivers/process/wall/network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace paddock::process_wall {
namespace {

Error Failure(const char* what) {
  const int code = errno;
  return Error(static_cast<Code>(code), std::string(what) + ": " + std::strerror(code));
}

// `ip route add local default dev lo`, for one family.
Status RouteAllToLoopback(int netlink, unsigned char family, unsigned loopback) {
  struct {
    nlmsghdr header;
    rtmsg route;
    rtattr attribute;
    uint32_t device;
  } request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = RTM_NEWROUTE;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK;
  request.route.rtm_family = family;
  request.route.rtm_table = RT_TABLE_LOCAL;
  request.route.rtm_protocol = RTPROT_BOOT;
  request.route.rtm_scope = RT_SCOPE_HOST;
  request.route.rtm_type = RTN_LOCAL;
  request.attribute.rta_type = RTA_OIF;
  request.attribute.rta_len = RTA_LENGTH(sizeof request.device);
  request.device = loopback;
  if (send(netlink, &request, sizeof request, 0) < 0) return Failure("add a route");
  struct {
    nlmsghdr header;
    nlmsgerr error;
    char rest[256];
  } reply{};
  const ssize_t got = recv(netlink, &reply, sizeof reply, 0);
  if (got < static_cast<ssize_t>(sizeof reply.header + sizeof reply.error.error)) return Failure("add a route");
  if (reply.header.nlmsg_type == NLMSG_ERROR && reply.error.error != 0) {
    errno = -reply.error.error;
    return Failure("add a route");
  }
  return {};
}

void WriteSetting(const char* path, const char* value) {
  const Descriptor file(open(path, O_WRONLY | O_CLOEXEC));
  // Absent without IPv6, or not ours to set: ports below 1024 then stay closed inside.
  if (file.is_open() && write(file.get(), value, std::strlen(value)) < 0) return;
}

// Bounds of the user namespace itself, besides what the filters refuse. Where the kernel has no such setting, they alone hold.
void BoundNamespace(bool forbids_namespaces) {
  if (forbids_namespaces) WriteSetting("/proc/sys/user/max_user_namespaces", "0");
  // Counted against the caller, too, who must keep some.
  WriteSetting("/proc/sys/user/max_inotify_instances", "96");
  std::array<char, 16> most{};
  const Descriptor watches(open("/proc/sys/fs/inotify/max_user_watches", O_RDONLY | O_CLOEXEC));
  if (watches.is_open() && read(watches.get(), most.data(), most.size() - 1) > 0) {
    WriteSetting("/proc/sys/user/max_inotify_watches", std::to_string(std::max(1024L, std::strtol(most.data(), nullptr, 10) / 2)).c_str());
  }
}

}  // namespace

Status BringUpLoopback() {
  const Descriptor control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!control.is_open()) return Failure("make a socket");
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");   // allow(strcpy): a constant that fits
  if (ioctl(control.get(), SIOCGIFFLAGS, &request) != 0) return Failure("look at loopback");
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP | IFF_RUNNING);
  if (ioctl(control.get(), SIOCSIFFLAGS, &request) != 0) return Failure("bring loopback up");
  WriteSetting("/proc/sys/net/ipv4/ip_unprivileged_port_start", "0");
  return {};
}

Status CaptureNetwork() {
  const Descriptor netlink(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!netlink.is_open()) return Failure("make a netlink socket");
  const unsigned loopback = if_nametoindex("lo");
  if (loopback == 0) return Failure("look at loopback");
  PADDOCK_TRY(RouteAllToLoopback(netlink.get(), AF_INET, loopback));
  // A kernel without IPv6 has nothing to capture.
  const Status six = RouteAllToLoopback(netlink.get(), AF_INET6, loopback);
  (void)six;
  return {};
}

Status NetworkBuilder::Start(bool forbids_namespaces) {
  forbids_namespaces_ = forbids_namespaces;
  constexpr size_t kStackBytes = 256 << 10;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const auto run = [](void* self) -> void* {
    static_cast<NetworkBuilder*>(self)->Make();
    return nullptr;
  };
  errno = pthread_create(&thread_, &attributes, run, this);
  pthread_attr_destroy(&attributes);
  if (errno != 0) return Failure("start a thread");
  is_running_ = true;
  return {};
}

NetworkBuilder::~NetworkBuilder() {
  if (is_running_) pthread_join(thread_, nullptr);
}

void NetworkBuilder::Make() {
  if (unshare(CLONE_NEWNET) != 0) {
    result_ = Failure("make a network namespace");
    return;
  }
  result_ = BringUpLoopback();
  BoundNamespace(forbids_namespaces_);
  const Descriptor any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  constexpr unsigned kNamespaceOfSocket = 0x894C;   // SIOCGSKNS
  space_.Reset(any.is_open() ? ioctl(any.get(), kNamespaceOfSocket) : -1);
  if (result_ && !space_.is_open()) result_ = Failure("open the network namespace");
}

Status NetworkBuilder::Join() {
  pthread_join(thread_, nullptr);
  is_running_ = false;
  PADDOCK_TRY(result_);
  if (setns(space_.get(), CLONE_NEWNET) != 0) return Failure("join the network namespace");
  return {};
}

Result<Descriptor> MakeListener(const ListenerSpec& spec) {
  const bool is_v6 = spec.kind == ListenerSpec::Kind::kTcp6;
  const int type = spec.kind == ListenerSpec::Kind::kUdp4 ? SOCK_DGRAM : SOCK_STREAM;
  Descriptor listener(socket(is_v6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener.is_open()) return Failure("make a listening socket");
  const int on = 1;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  int bound = -1;
  if (is_v6) {
    setsockopt(listener.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(spec.port);
    address.sin6_addr = spec.is_any ? in6addr_any : in6addr_loopback;
    bound = bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  } else {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(spec.port);
    address.sin_addr.s_addr = htonl(spec.is_any ? INADDR_ANY : INADDR_LOOPBACK);
    bound = bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  if (bound != 0) return Failure("bind a listening socket");
  if (type == SOCK_STREAM && listen(listener.get(), 512) != 0) return Failure("listen");
  return listener;
}

}  // namespace paddock::process_wall
