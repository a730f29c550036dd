// What all execs of a sandbox wrote: read back, or followed.
#include <atomic>
#include <mutex>

#include "api/rest/groups.h"
#include "api/rest/output_pieces.h"
#include "api/rest/shapes.h"
#include "api/rest/times.h"

namespace paddock::api {
namespace {

constexpr size_t kAtOnce = 64 << 10;   // read for a follower

registry::Time Now() { return std::chrono::time_point_cast<registry::Duration>(std::chrono::system_clock::now()); }

struct LogsQuery {
  int64_t offset = 0;
  std::string since;
  int64_t limit = 1 << 20;
};
constexpr Field kLogsQuery[] = {
    Optional<&LogsQuery::offset>("offset", "From there on: what an answer gave as next.", {.min = 0}),
    Optional<&LogsQuery::since>("since", "Only what was written at this time or later, RFC 3339.", {.max_length = 64}),
    Optional<&LogsQuery::limit>("limit", "At most so many bytes; at least one piece.", {.min = 1, .max = 8 << 20}),
};
std::span<const Field> FieldsOf(const LogsQuery*) { return kLogsQuery; }

struct LogPieceShape {
  uint64_t next = 0;
  std::string at, process_id;
  sandbox::Stream stream = sandbox::Stream::kStdout;
  std::string data;
  bool is_base64 = false;
};
constexpr Field kLogPiece[] = {
    Shown<&LogPieceShape::next>("next", "The offset behind it."),
    Shown<&LogPieceShape::at>("at", "When it was written, or its first part."),
    Shown<&LogPieceShape::process_id>("process_id", "Who wrote it."),
    Shown<&LogPieceShape::stream>("stream", "Where it was written."),
    Shown<&LogPieceShape::data>("data", "Text, or base64 where that is no UTF-8."),
    Shown<&LogPieceShape::is_base64>("is_base64", "Whether it is given so."),
};
std::span<const Field> FieldsOf(const LogPieceShape*) { return kLogPiece; }

LogPieceShape ShapeOf(registry::SandboxLog::Piece piece) {
  LogPieceShape shape{.next = piece.next, .at = TimeText(piece.at), .process_id = std::move(piece.process), .stream = piece.stream, .data = {}, .is_base64 = false};
  OutputShape text = TextOf(std::move(piece.bytes));
  shape.data = std::move(text.text);
  shape.is_base64 = text.is_base64;
  return shape;
}

struct LogsAnswer {
  std::vector<LogPieceShape> pieces;
  uint64_t next = 0;
  bool is_complete = true;
};
constexpr Field kLogsAnswer[] = {
    Shown<&LogsAnswer::pieces>("pieces", "In the order in which they were written."),
    Shown<&LogsAnswer::next>("next", "The offset to go on with."),
    Shown<&LogsAnswer::is_complete>("is_complete", "False: some that was asked for is kept no longer."),
};
std::span<const Field> FieldsOf(const LogsAnswer*) { return kLogsAnswer; }

// One that follows: reads on from where it is whenever there is more and the client has room for it.
class Follower : public std::enable_shared_from_this<Follower> {
 public:
  Follower(std::shared_ptr<registry::SandboxLog> log, uint64_t offset, std::optional<registry::Time> since)
      : log_(std::move(log)), since_(since), offset_(offset) {}

  void Begin(std::shared_ptr<net::EventStream> stream) {
    {
      const std::lock_guard lock(mutex_);
      stream_ = std::move(stream);
    }
    const std::weak_ptr<Follower> weak = weak_from_this();
    const uint64_t watcher = log_->AddWatcher([weak] {
      if (const auto self = weak.lock()) self->Go();
    });
    bool is_over = false;
    {
      const std::lock_guard lock(mutex_);
      watcher_ = watcher;
      is_over = is_over_;
    }
    if (is_over) log_->RemoveWatcher(watcher);
    Go();
  }
  void End() {
    uint64_t watcher = 0;
    {
      const std::lock_guard lock(mutex_);
      stream_ = nullptr;
      is_over_ = true;
      watcher = watcher_;
    }
    if (watcher != 0) log_->RemoveWatcher(watcher);
  }
  void Go() {
    const std::lock_guard lock(mutex_);
    while (!is_over_ && stream_ != nullptr) {
      auto reading = log_->Read(offset_, since_, kAtOnce, Now());
      if (!reading.is_complete && !Send({.id = "", .name = "lost", .data = "{}"})) return;
      for (auto& piece : reading.pieces) {
        const uint64_t next = piece.next;
        const LogPieceShape shape = ShapeOf(std::move(piece));
        if (!Send({.id = std::to_string(next), .name = "output", .data = json::serialize(tools::WriteObject(kLogPiece, &shape))})) return;
        offset_ = next;
      }
      offset_ = std::max(offset_, reading.next);
      if (reading.has_ended) {
        (void)Send({.id = "", .name = "deleted", .data = "{}"});
        stream_->Close();
        is_over_ = true;
        return;
      }
      if (reading.pieces.empty()) return;   // the watcher calls again
    }
  }

 private:
  // False: no room now (on_drained calls again), or nobody there.
  bool Send(const net::Event& event) { return stream_->Send(event).has_value(); }

  const std::shared_ptr<registry::SandboxLog> log_;
  const std::optional<registry::Time> since_;
  std::mutex mutex_;
  std::shared_ptr<net::EventStream> stream_;
  uint64_t offset_;
  uint64_t watcher_ = 0;
  bool is_over_ = false;
};

Result<LogsAnswer> Logs(Call& call, const LogsQuery& query, Nothing&) {
  PADDOCK_ASSIGN(const std::optional<registry::Time> since, TimeOf("since", query.since));
  PADDOCK_ASSIGN(const std::shared_ptr<registry::SandboxLog> log, call.services.registry.Log(call.caller, call["sandbox"]));
  if (WantsEvents(call.exchange.request())) {
    uint64_t offset = static_cast<uint64_t>(query.offset);
    if (const std::string* last = call.exchange.request().Header("Last-Event-ID")) {
      PADDOCK_ASSIGN(offset, OffsetOf(*last));
    }
    auto follower = std::make_shared<Follower>(log, offset, since);
    PADDOCK_ASSIGN(std::shared_ptr<net::EventStream> stream,
                   call.exchange.StartEventStream({.on_closed = [follower] { follower->End(); }, .on_drained = [follower] { follower->Go(); }}));
    follower->Begin(std::move(stream));
    return LogsAnswer{};
  }
  auto reading = log->Read(static_cast<uint64_t>(query.offset), since, static_cast<size_t>(query.limit), Now());
  LogsAnswer answer{.pieces = {}, .next = reading.next, .is_complete = reading.is_complete};
  for (auto& piece : reading.pieces) answer.pieces.push_back(ShapeOf(std::move(piece)));
  return answer;
}

}  // namespace

std::vector<Operation> LogOperations() {
  return {
      Define<LogsQuery, Nothing, LogsAnswer, Logs>("GET", "/v1/sandboxes/{sandbox}/logs", "readLogs", "Reads what all execs of a sandbox wrote, in one order; followed as it is written for who accepts text/event-stream.", Access::kRead, true),
  };
}

}  // namespace paddock::api
