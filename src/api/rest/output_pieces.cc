#include "api/rest/output_pieces.h"

#include <atomic>
#include <charconv>
#include <mutex>

#include "api/rest/shapes.h"

namespace paddock::sandbox {

std::span<const char* const> NamesOf(Stream) {
  static constexpr const char* kNames[] = {"stdout", "stderr"};
  return kNames;
}

}  // namespace paddock::sandbox

namespace paddock::api {
namespace {

constexpr Field kPiece[] = {
    Shown<&PieceShape::offset>("offset", "Of its first byte, in both streams together."),
    Shown<&PieceShape::stream>("stream", "Where it was written."),
    Shown<&PieceShape::data>("data", "Text, or base64 where that is no UTF-8."),
    Shown<&PieceShape::is_base64>("is_base64", "Whether it is given so."),
};

constexpr size_t kPieceBytes = 32 << 10;   // read at once for a follower; as JSON up to six times as much, which its queue must take

// One follower: reads on from where it is whenever there is more and the client has room for it.
class Follower : public std::enable_shared_from_this<Follower> {
 public:
  Follower(std::shared_ptr<registry::RunningProcess> process, uint64_t offset) : process_(std::move(process)), offset_(offset) {}

  void Begin(std::shared_ptr<net::EventStream> stream) {
    {
      const std::lock_guard lock(mutex_);
      stream_ = std::move(stream);
    }
    const std::weak_ptr<Follower> weak = weak_from_this();
    watcher_ = process_->output().AddWatcher([weak] {
      if (const auto self = weak.lock()) self->Go();
    });
    process_->WhenEnded([weak] {
      if (const auto self = weak.lock()) self->Go();
    });
    Go();
  }
  void End() {
    {
      const std::lock_guard lock(mutex_);
      stream_ = nullptr;
      is_over_ = true;
    }
    process_->output().RemoveWatcher(watcher_);
  }
  void Go() {
    const std::lock_guard lock(mutex_);
    while (!is_over_ && stream_ != nullptr) {
      const auto reading = process_->output().Read(offset_, kPieceBytes, {});
      if (reading.lost > 0 && !Send({.id = std::to_string(reading.next), .name = "lost", .data = std::to_string(reading.lost)}, offset_ + reading.lost)) return;
      for (const auto& piece : reading.pieces) {
        const uint64_t behind = piece.offset + piece.bytes.size();
        if (!Send({.id = std::to_string(behind), .name = "output", .data = PieceText(piece)}, behind)) return;
      }
      const registry::ProcessInfo info = process_->Info();
      if (info.state == registry::ProcessState::kExited && offset_ >= info.output_bytes) {
        const ProcessShape shape = ShapeOf(info);
        if (!Send({.id = "", .name = "exit", .data = json::serialize(tools::WriteObject(FieldsOf(&shape), &shape))}, offset_)) return;
        stream_->Close();
        is_over_ = true;
        return;
      }
      if (reading.pieces.empty() && reading.lost == 0) return;   // there will be more: the watcher calls again
    }
  }

 private:
  // False: no room now (on_drained calls again), or nobody there.
  bool Send(const net::Event& event, uint64_t behind) {
    if (!stream_->Send(event)) return false;
    offset_ = behind;
    return true;
  }

  const std::shared_ptr<registry::RunningProcess> process_;
  std::mutex mutex_;
  std::shared_ptr<net::EventStream> stream_;
  uint64_t offset_;
  std::atomic<uint64_t> watcher_ = 0;
  bool is_over_ = false;
};

}  // namespace

std::span<const Field> FieldsOf(const PieceShape*) { return kPiece; }

PieceShape ShapeOf(registry::OutputLog::Piece piece) {
  PieceShape shape{.offset = piece.offset, .stream = piece.stream, .data = {}, .is_base64 = false};
  OutputShape text = TextOf(std::move(piece.bytes));
  shape.data = std::move(text.text);
  shape.is_base64 = text.is_base64;
  return shape;
}

std::string PieceText(registry::OutputLog::Piece piece) {
  const PieceShape shape = ShapeOf(std::move(piece));
  return json::serialize(tools::WriteObject(kPiece, &shape));
}

Result<uint64_t> OffsetOf(std::string_view text) {
  uint64_t offset = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (failure != std::errc() || end != text.data() + text.size()) return Error(Code::kInvalid, "Last-Event-ID: not an offset");
  return offset;
}

Status FollowOutput(Call& call, const std::shared_ptr<registry::RunningProcess>& process, uint64_t offset) {
  auto follower = std::make_shared<Follower>(process, offset);
  // The stream's callbacks hold the follower, which lives as long as the client listens.
  PADDOCK_ASSIGN(std::shared_ptr<net::EventStream> stream,
                 call.exchange.StartEventStream({.on_closed = [follower] { follower->End(); }, .on_drained = [follower] { follower->Go(); }}));
  follower->Begin(std::move(stream));
  return {};
}

}  // namespace paddock::api
