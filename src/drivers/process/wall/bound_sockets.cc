#include "drivers/process/wall/bound_sockets.h"

#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace paddock::process_wall {
namespace {

// Whether one entry of a dump tells of `file`.
bool TellsOf(const char* bytes, size_t size, SocketFile file) {
  size_t at = NLMSG_ALIGN(sizeof(nlmsghdr)) + NLMSG_ALIGN(sizeof(unix_diag_msg));
  while (at + sizeof(nlattr) <= size) {
    nlattr head{};
    std::memcpy(&head, bytes + at, sizeof head);
    if (head.nla_len < sizeof head || head.nla_len > size - at) return false;
    if (head.nla_type == UNIX_DIAG_VFS && head.nla_len >= sizeof head + sizeof(unix_diag_vfs)) {
      unix_diag_vfs place{};
      std::memcpy(&place, bytes + at + sizeof head, sizeof place);
      return SocketFile{place.udiag_vfs_dev, place.udiag_vfs_ino} == file;
    }
    at += NLA_ALIGN(head.nla_len);
  }
  return false;
}

}  // namespace

BoundSockets::BoundSockets() : socket_(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {
  const timeval patience{.tv_sec = 5, .tv_usec = 0};
  if (!socket_.is_open() || setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0) return;
  is_available_ = Ask({}) != Answer::kFailed;
}

BoundSockets::Answer BoundSockets::Ask(SocketFile file) {
  struct {
    nlmsghdr header;
    unix_diag_req request;
  } question{};
  question.header.nlmsg_len = sizeof question;
  question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  question.request.sdiag_family = AF_UNIX;
  // Those that are connected carry the path of who accepted them.
  question.request.udiag_states = 1u << TCP_LISTEN | 1u << TCP_CLOSE;
  question.request.udiag_show = UDIAG_SHOW_VFS;
  if (send(socket_.get(), &question, sizeof question, 0) != sizeof question) return Answer::kFailed;
  Answer answer = Answer::kNo;
  alignas(nlmsghdr) std::array<char, 16 << 10> block;
  while (true) {
    const ssize_t got = recv(socket_.get(), block.data(), block.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Answer::kFailed;
    const auto size = static_cast<size_t>(got);
    for (size_t at = 0; at + sizeof(nlmsghdr) <= size;) {
      nlmsghdr header{};
      std::memcpy(&header, block.data() + at, sizeof header);
      if (header.nlmsg_len < sizeof header || header.nlmsg_len > size - at) return Answer::kFailed;
      if (header.nlmsg_type == NLMSG_DONE) return answer;
      if (header.nlmsg_type == NLMSG_ERROR) return Answer::kFailed;
      if (TellsOf(block.data() + at, header.nlmsg_len, file)) answer = Answer::kYes;
      at += NLMSG_ALIGN(header.nlmsg_len);
    }
  }
}

bool BoundSockets::Has(SocketFile file) {
  if (!is_available_) return false;
  // A dump during which others are made and closed may miss one.
  constexpr int kTries = 3;
  pthread_mutex_lock(&mutex_);
  Answer answer = Answer::kNo;
  for (int i = 0; i < kTries && answer == Answer::kNo; ++i) answer = Ask(file);
  if (answer == Answer::kFailed) is_available_ = false;   // out of step with the kernel: nothing it says is trusted
  pthread_mutex_unlock(&mutex_);
  return answer == Answer::kYes;
}

}  // namespace paddock::process_wall
