#include "drivers/process/wall/zygote_request.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace paddock::process_wall {
namespace {

constexpr size_t kMostDescriptors = 3;

// Numbers only: a struct would carry what its gaps held in the driver's memory.
using Wire = std::array<uint64_t, 9>;

Wire ToWire(const ZygoteRequest& request) {
  const WallOrder& order = request.order;
  return {static_cast<uint64_t>(request.kind), request.has_group, request.wall, order.uid.inside, order.uid.outside,
          order.gid.inside, order.gid.outside, order.is_root, order.allows_namespaces};
}

ZygoteRequest FromWire(const Wire& wire) {
  const auto number = [&](size_t index) { return static_cast<uint32_t>(wire[index]); };
  ZygoteRequest request;
  request.kind = static_cast<ZygoteRequest::Kind>(wire[0]);
  request.has_group = wire[1] != 0;
  request.wall = wire[2];
  request.order.uid = {number(3), number(4)};
  request.order.gid = {number(5), number(6)};
  request.order.is_root = wire[7] != 0;
  request.order.allows_namespaces = wire[8] != 0;
  return request;
}

}  // namespace

Status SendRequest(int zygote, const ZygoteRequest& request, std::string_view text, const std::vector<int>& descriptors) {
  if (text.size() > kMostRequestText) return Error(Code::kArgumentsTooLong, "the names of the sandbox's cgroups are too long");
  Wire wire = ToWire(request);
  std::array<iovec, 2> parts{{{wire.data(), sizeof wire}, {const_cast<char*>(text.data()), text.size()}}};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  if (!descriptors.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
    std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size() * sizeof(int));
  }
  while (sendmsg(zygote, &message, MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    const Code code = errno == ECONNRESET ? Code::kBrokenPipe : static_cast<Code>(errno);
    const std::string why = code == Code::kBrokenPipe ? "was killed" : code == Code::kAgain ? "does not answer" : std::strerror(errno);
    return Error(code, "the zygote, from which walls are forked: " + why);
  }
  return {};
}

ReceivedRequest ReceiveRequest(int socket, const WipedPages& buffer) {
  ReceivedRequest received;
  Wire wire{};
  std::array<iovec, 2> parts{{{wire.data(), sizeof wire}, {buffer.data(), buffer.size()}}};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  for (cmsghdr* item = CMSG_FIRSTHDR(&message); got > 0 && item != nullptr; item = CMSG_NXTHDR(&message, item)) {
    if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
    for (size_t at = 0; at < (item->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++at) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(item) + at * sizeof(int), sizeof number);
      received.descriptors.emplace_back(number);
    }
  }
  received.is_end = got < static_cast<ssize_t>(sizeof wire) || (message.msg_flags & MSG_TRUNC) != 0;
  if (received.is_end) return received;
  received.request = FromWire(wire);
  received.text = std::string_view(buffer.data(), static_cast<size_t>(got) - sizeof wire);
  return received;
}

}  // namespace paddock::process_wall
