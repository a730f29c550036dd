#include "drivers/docker/plain/shell_channel.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/id.h"
#include "drivers/docker/engine/stream_frames.h"
#include "text/utf8.h"

namespace paddock::docker {
namespace {

constexpr size_t kPiece = 64 << 10;
constexpr size_t kMostWaiting = 1 << 20;     // that nobody has taken yet
constexpr size_t kMostComplaint = 1 << 10;

}  // namespace

ShellChannel::ShellChannel(std::unique_ptr<net::ByteStream> stream) : stream_(std::move(stream)) {
  out_ = std::thread([this] { CarryOut(); });
}

ShellChannel::~ShellChannel() {
  Cut();
  out_.join();
}

std::string ShellChannel::NewToken() { return NewId("end-") + NewId(""); }

void ShellChannel::Cut() {
  {
    const std::lock_guard lock(mutex_);
    is_cut_ = true;
  }
  taken_.notify_all();
  stream_->Cut();
}

void ShellChannel::CarryOut() {
  std::vector<char> piece(kPiece);
  StreamFrames frames;
  for (;;) {
    const auto count = stream_->Read(piece);
    if (!count || *count == 0) break;
    const Status taken = frames.Feed({piece.data(), *count}, [&](EngineStream stream, std::string_view bytes) -> Status {
      std::unique_lock lock(mutex_);
      if (stream == EngineStream::kStderr) {
        complaint_ += bytes.substr(0, kMostComplaint - std::min(kMostComplaint, complaint_.size()));
        return {};
      }
      taken_.wait(lock, [&] { return is_cut_ || arrived_.size() < kMostWaiting; });
      if (is_cut_) return Code::kCancelled;
      arrived_ += bytes;
      came_.notify_all();
      return {};
    });
    if (!taken) break;
  }
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  came_.notify_all();
}

Error ShellChannel::Break(Code code, const std::string& what) {
  is_broken_ = true;
  Cut();
  const std::lock_guard lock(mutex_);
  const std::string said = HarmlessLine(complaint_.substr(0, complaint_.find('\n')));
  return {code, what + (said.empty() ? "" : ": " + said)};
}

Result<ShellChannel::Answer> ShellChannel::Ask(std::string_view request, const std::string& token, size_t most, std::chrono::milliseconds time, bool is_last) {
  const std::lock_guard turn(turn_);
  const auto until = std::chrono::steady_clock::now() + time;
  if (is_broken_) return Error(Code::kBrokenPipe, "the shell in the container has ended");
  {
    const std::lock_guard lock(mutex_);
    arrived_.clear();   // nobody asked for it
    taken_.notify_all();
  }
  if (!stream_->Write(request)) return Break(Code::kBrokenPipe, "the shell in the container has ended");
  if (is_last) stream_->FinishWriting();
  const std::string mark = "\n" + token + " ";
  Answer answer;
  size_t looked = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      const bool is_there = came_.wait_until(lock, until, [&] { return !arrived_.empty() || has_ended_; });
      if (!is_there) {
        lock.unlock();
        return Break(Code::kTimedOut, "the shell in the container does not answer");
      }
      if (arrived_.empty()) {
        lock.unlock();
        return Break(Code::kBrokenPipe, "the shell in the container has ended");
      }
      answer.bytes += arrived_;
      arrived_.clear();
      taken_.notify_all();
    }
    const size_t at = answer.bytes.find(mark, looked);
    if (at != answer.bytes.npos) {
      const size_t end = answer.bytes.find('\n', at + mark.size());
      const std::string_view number = std::string_view(answer.bytes).substr(at + mark.size(), std::min(end, answer.bytes.size()) - at - mark.size());
      if (end != answer.bytes.npos) {
        const auto parsed = std::from_chars(number.data(), number.data() + number.size(), answer.status);
        if (parsed.ec != std::errc() || parsed.ptr != number.data() + number.size() || answer.status < 0 || answer.status > 255) {
          return Break(Code::kIo, "the shell in the container answers in a way that is not understood");
        }
        answer.bytes.resize(at);
        return answer;
      }
      if (number.size() > 3) return Break(Code::kIo, "the shell in the container answers in a way that is not understood");
    }
    looked = answer.bytes.size() - std::min(answer.bytes.size(), mark.size() + 4);
    if (answer.bytes.size() > most + mark.size() + 4) return Break(Code::kLimit, "the shell in the container answers with more than " + std::to_string(most) + " bytes");
  }
}

}  // namespace paddock::docker
