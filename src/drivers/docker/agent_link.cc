#include "drivers/docker/agent_link.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "drivers/docker/engine/stream_frames.h"

namespace paddock::docker {
namespace {

constexpr size_t kPiece = 64 << 10;
constexpr size_t kMostComplaint = 4 << 10;

bool SendAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<AgentLink>> AgentLink::Open(std::unique_ptr<net::ByteStream> stream) {
  std::unique_ptr<AgentLink> link(new AgentLink(std::move(stream)));   // allow(raw-new): private constructor
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return Error(static_cast<Code>(errno), "cannot make a socket pair");
  link->our_end_.Reset(ends[0]);
  link->client_end_.Reset(ends[1]);
  link->in_ = std::thread([one = link.get()] { one->CarryIn(); });
  link->out_ = std::thread([one = link.get()] { one->CarryOut(); });
  return link;
}

AgentLink::~AgentLink() {
  if (our_end_.is_open()) shutdown(our_end_.get(), SHUT_RDWR);
  stream_->Cut();
  if (in_.joinable()) in_.join();
  if (out_.joinable()) out_.join();
}

std::string AgentLink::Complaint() const {
  const std::lock_guard lock(mutex_);
  return complaint_;
}

void AgentLink::CarryIn() {
  std::vector<char> piece(kPiece);
  for (;;) {
    const ssize_t count = recv(our_end_.get(), piece.data(), piece.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || !stream_->Write({piece.data(), static_cast<size_t>(count)})) break;
  }
  stream_->FinishWriting();
}

void AgentLink::CarryOut() {
  std::vector<char> piece(kPiece);
  StreamFrames frames;
  for (;;) {
    const auto count = stream_->Read(piece);
    if (!count || *count == 0) break;
    const Status carried = frames.Feed({piece.data(), *count}, [&](EngineStream stream, std::string_view bytes) -> Status {
      if (stream == EngineStream::kStderr) {
        const std::lock_guard lock(mutex_);
        complaint_ += bytes.substr(0, kMostComplaint - std::min(kMostComplaint, complaint_.size()));
        return {};
      }
      return SendAll(our_end_.get(), bytes) ? Status() : Status(Code::kBrokenPipe);
    });
    if (!carried) break;
  }
  has_ended_ = true;
  shutdown(our_end_.get(), SHUT_WR);
}

}  // namespace paddock::docker
