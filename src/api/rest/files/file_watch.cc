// Watching the files of a sandbox, as server-sent events.
#include <mutex>

#include "api/rest/groups.h"
#include "api/rest/shapes.h"
#include "vfs/file_system.h"

namespace paddock::sandbox {

std::span<const char* const> NamesOf(FileEvent::Kind) {
  static constexpr const char* kNames[] = {"created", "modified", "attributes", "removed", "moved", "lost"};
  return kNames;
}

}  // namespace paddock::sandbox

namespace paddock::api {
namespace {

struct WatchQuery {
  std::string path;
  bool recursive = false;
};
constexpr Field kWatchQuery[] = {
    Required<&WatchQuery::path>("path", "Absolute path of a directory, or a file.", {.min_length = 1, .max_length = 4095}),
    Optional<&WatchQuery::recursive>("recursive", "What is below it, too, to any depth."),
};
std::span<const Field> FieldsOf(const WatchQuery*) { return kWatchQuery; }

struct FileEventShape {
  sandbox::FileEvent::Kind kind = sandbox::FileEvent::Kind::kCreated;
  std::string path;
  std::optional<std::string> from;
  bool is_directory = false;
};
constexpr Field kFileEvent[] = {
    Shown<&FileEventShape::kind>("kind", "\"lost\": something was not seen, look at everything again."),
    Shown<&FileEventShape::path>("path", "Absolute."),
    Shown<&FileEventShape::from>("from", "Where it was, of \"moved\"; else null."),
    Shown<&FileEventShape::is_directory>("is_directory", "Whether it is one."),
};

class Watcher : public std::enable_shared_from_this<Watcher> {
 public:
  explicit Watcher(registry::Registry& registry) : registry_(registry) {}

  registry::FileWatches::Listener ListenerOf() {
    const std::weak_ptr<Watcher> weak = weak_from_this();
    return {.on_event = [weak](const sandbox::FileEvent& event) {
              const auto self = weak.lock();
              return self == nullptr || self->Tell(event);
            },
            .on_end = [weak](const Error& why) {
              if (const auto self = weak.lock()) self->TellEnd(why);
            }};
  }
  // What came before the stream was there is told first.
  void Begin(std::shared_ptr<net::EventStream> stream, uint64_t watch, bool has_missed, const std::string& path) {
    bool is_over = false;
    {
      const std::lock_guard lock(mutex_);
      stream_ = std::move(stream);
      watch_ = watch;
      is_over = is_over_;
      (void)stream_->Send({.id = "", .name = "ready", .data = "{}"});
      if (has_missed) (void)Send({.kind = sandbox::FileEvent::Kind::kLost, .is_directory = true, .path = path, .from = {}});
      for (const sandbox::FileEvent& event : early_) (void)Send(event);
      early_.clear();
      if (end_) SendEnd(*end_);
    }
    if (is_over) registry_.StopWatching(watch);
  }
  void End() {
    uint64_t watch = 0;
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
      stream_ = nullptr;
      std::swap(watch, watch_);
    }
    if (watch != 0) registry_.StopWatching(watch);
  }

 private:
  bool Tell(const sandbox::FileEvent& event) {
    const std::lock_guard lock(mutex_);
    if (is_over_) return true;
    if (stream_ != nullptr) return Send(event);
    if (early_.size() >= 1000) return false;
    early_.push_back(event);
    return true;
  }
  void TellEnd(const Error& why) {
    const std::lock_guard lock(mutex_);
    end_ = why;
    if (stream_ != nullptr) SendEnd(why);
  }
  bool Send(const sandbox::FileEvent& event) {
    FileEventShape shape{.kind = event.kind, .path = event.path, .from = {}, .is_directory = event.is_directory};
    if (!event.from.empty()) shape.from = event.from;
    const auto sent = stream_->Send({.id = std::to_string(number_ + 1), .name = "file", .data = json::serialize(tools::WriteObject(kFileEvent, &shape))});
    number_ += sent ? 1 : 0;
    return sent.has_value();
  }
  void SendEnd(const Error& why) {
    (void)stream_->Send({.id = "", .name = "end", .data = ErrorText(why)});
    stream_->Close();
  }

  registry::Registry& registry_;
  std::mutex mutex_;
  std::shared_ptr<net::EventStream> stream_;
  std::vector<sandbox::FileEvent> early_;
  std::optional<Error> end_;
  uint64_t watch_ = 0, number_ = 0;
  bool is_over_ = false;
};

Result<Nothing> Watch(Call& call, const WatchQuery& query, Nothing&) {
  if (query.path[0] != '/' || query.path.find('\0') != std::string::npos) return Error(Code::kInvalid, "path must be absolute");
  const std::string path = vfs::NormalizePath(query.path);
  registry::Registry& registry = call.services.registry;
  PADDOCK_TRY(registry.Get(call.caller, call["sandbox"]));
  if (!WantsEvents(call.exchange.request())) return Error(Code::kInvalid, "this is a stream of events: send 'Accept: text/event-stream'");
  // What happened while a client was away nobody kept.
  const bool has_missed = call.exchange.request().Header("Last-Event-ID") != nullptr;
  auto watcher = std::make_shared<Watcher>(registry);
  PADDOCK_ASSIGN(const uint64_t watch, registry.WatchFiles(call.caller, call["sandbox"], path, query.recursive, watcher->ListenerOf()));
  auto stream = call.exchange.StartEventStream({.on_closed = [watcher] { watcher->End(); }});
  if (!stream) {
    registry.StopWatching(watch);
    return stream.error();
  }
  watcher->Begin(std::move(*stream), watch, has_missed, path);
  return Nothing{};
}

}  // namespace

std::vector<Operation> WatchOperations() {
  return {
      Define<WatchQuery, Nothing, Nothing, Watch>("GET", "/v1/sandboxes/{sandbox}/files/watch", "watchFiles", "Tells what happens to files, as events; needs Accept: text/event-stream.", Access::kRead, true),
  };
}

}  // namespace paddock::api
