#include "drivers/process/wall/launch_channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
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
constexpr size_t kPiece = 64 << 10;
constexpr size_t kMostBytes = 64 << 20;
constexpr size_t kMostDescriptors = 200;   // at once; the kernel takes 253

Error Gone() { return Error(Code::kBrokenPipe, "launch channel: the other end is gone"); }
Error Failure() {
  if (errno == ECONNRESET) return Gone();
  if (errno == EAGAIN) return Error(Code::kTimedOut, "launch channel: the other end does not read");
  return Error(static_cast<Code>(errno), "launch channel");
}

// As recvmsg(2), 0 at the end.
Result<size_t> Receive(int socket, msghdr& message) {
  ssize_t got = 0;
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0) return Failure();
  return static_cast<size_t>(got);
}

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
    if (errno != EINTR) return Failure();
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
  // The other end was closed with something unread in it: told once, before what it had sent.
  do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && (errno == EINTR || errno == ECONNRESET));
  if (got < 0) return Failure();
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

Status SendBytes(int socket, std::string_view bytes) {
  const uint64_t size = bytes.size();
  std::string_view piece(reinterpret_cast<const char*>(&size), sizeof size);
  while (true) {
    while (send(socket, piece.data(), piece.size(), MSG_NOSIGNAL) < 0) {
      if (errno != EINTR) return Failure();
    }
    if (bytes.empty()) return {};
    piece = bytes.substr(0, kPiece);
    bytes.remove_prefix(piece.size());
  }
}

Result<std::string> ReceiveBytes(int socket) {
  uint64_t size = 0;
  iovec part{&size, sizeof size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  PADDOCK_ASSIGN(size_t got, Receive(socket, message));
  if (got != sizeof size || size > kMostBytes) return Gone();
  std::string bytes(size, '\0');
  for (size_t at = 0; at < size; at += got) {
    part = {bytes.data() + at, bytes.size() - at};
    PADDOCK_ASSIGN(got, Receive(socket, message));
    if (got == 0) return Gone();
  }
  return bytes;
}

Status SendDescriptors(int socket, const std::vector<int>& descriptors) {
  for (size_t at = 0; at < descriptors.size(); at += kMostDescriptors) {
    const size_t count = std::min(kMostDescriptors, descriptors.size() - at);
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control{};
    char mark = 'd';
    iovec part{&mark, 1};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr* item = CMSG_FIRSTHDR(&message);
    item->cmsg_level = SOL_SOCKET;
    item->cmsg_type = SCM_RIGHTS;
    item->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::memcpy(CMSG_DATA(item), descriptors.data() + at, count * sizeof(int));
    while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
      if (errno != EINTR) return Failure();
    }
  }
  return {};
}

Result<std::vector<Descriptor>> ReceiveDescriptors(int socket, size_t count) {
  std::vector<Descriptor> descriptors;
  while (descriptors.size() < count) {
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control{};
    char mark = 0;
    iovec part{&mark, 1};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    PADDOCK_ASSIGN(const size_t got, Receive(socket, message));
    const size_t before = descriptors.size();
    for (cmsghdr* item = CMSG_FIRSTHDR(&message); item != nullptr; item = CMSG_NXTHDR(&message, item)) {
      if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
      for (size_t at = 0; at < (item->cmsg_len - CMSG_LEN(0)) / sizeof(int); ++at) {
        int number = -1;
        std::memcpy(&number, CMSG_DATA(item) + at * sizeof(int), sizeof number);
        descriptors.emplace_back(number);
      }
    }
    if (got == 0 || descriptors.size() == before) return Gone();
    if ((message.msg_flags & MSG_CTRUNC) != 0) return Error(Code::kTooManyFiles, "launch channel: too many open files");
  }
  return descriptors;
}

}  // namespace paddock::process_wall
