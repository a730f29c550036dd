#include "drivers/process/wall/launch_channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace paddock::process_wall {
namespace {

struct Header {
  LaunchMessage::Kind kind;
  int64_t number;
};
constexpr size_t kMaxText = 3000;

}  // namespace

Status SendLaunchMessage(int socket, LaunchMessage::Kind kind, int64_t number, std::string_view text, int descriptor) {
  Header header{};
  header.kind = kind;
  header.number = number;
  text = text.substr(0, kMaxText);
  std::array<iovec, 2> parts{{{&header, sizeof header}, {const_cast<char*>(text.data()), text.size()}}};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  if (descriptor >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
  }
  while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) return Error(static_cast<Code>(errno), "launch channel");
  }
  return {};
}

Result<LaunchMessage> ReceiveLaunchMessage(int socket, int timeout_ms) {
  pollfd ready{socket, POLLIN, 0};
  int count = 0;
  do count = poll(&ready, 1, timeout_ms);
  while (count < 0 && errno == EINTR);
  if (count == 0) return Error(Code::kTimedOut, "the wall was not ready in time");
  std::array<char, sizeof(Header) + kMaxText> bytes{};
  iovec part{bytes.data(), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0) return Error(static_cast<Code>(errno), "launch channel");
  if (got < static_cast<ssize_t>(sizeof(Header))) return Error(Code::kBrokenPipe, "the launcher ended early");
  Header header{};
  std::memcpy(&header, bytes.data(), sizeof header);
  LaunchMessage result;
  result.kind = header.kind;
  result.number = header.number;
  result.text.assign(bytes.data() + sizeof header, static_cast<size_t>(got) - sizeof header);
  for (cmsghdr* item = CMSG_FIRSTHDR(&message); item != nullptr; item = CMSG_NXTHDR(&message, item)) {
    if (item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_RIGHTS) {
      std::memcpy(&result.descriptor, CMSG_DATA(item), sizeof(int));
    }
  }
  return result;
}

}  // namespace paddock::process_wall
