// What happened to the sandboxes of an owner: read back, or followed.
#include <charconv>
#include <mutex>

#include "api/rest/groups.h"
#include "api/rest/shapes.h"

namespace paddock::api {
namespace {

struct EventsQuery {
  int64_t after = 0;
  int64_t limit = 100;
};
constexpr Field kEventsQuery[] = {
    Optional<&EventsQuery::after>("after", "The number of the last event that is known.", {.min = 0}),
    Optional<&EventsQuery::limit>("limit", "At most so many.", {.min = 1, .max = 1000}),
};
std::span<const Field> FieldsOf(const EventsQuery*) { return kEventsQuery; }

struct EventShape {
  int64_t number = 0;
  std::string at, type, subject;
  json::object detail;
};
constexpr Field kEvent[] = {
    Shown<&EventShape::number>("number", "Counts your events from 1 without gaps."),
    Shown<&EventShape::at>("at", "When it happened."),
    Shown<&EventShape::type>("type", "What: \"sandbox.paused\"."),
    Shown<&EventShape::subject>("subject", "To what."),
    Shown<&EventShape::detail>("detail", "As the type has it."),
};
std::span<const Field> FieldsOf(const EventShape*) { return kEvent; }

struct EventsAnswer {
  std::vector<EventShape> events;
  int64_t last = 0;
  bool is_complete = true;
};
constexpr Field kEventsAnswer[] = {
    Shown<&EventsAnswer::events>("events", "Oldest first."),
    Shown<&EventsAnswer::last>("last", "The number of the newest one there is."),
    Shown<&EventsAnswer::is_complete>("is_complete", "False: some that were asked for are kept no longer."),
};
std::span<const Field> FieldsOf(const EventsAnswer*) { return kEventsAnswer; }

EventShape ShapeOf(const registry::Event& event) {
  EventShape shape{.number = event.sequence, .at = TimeText(event.at), .type = event.type, .subject = event.subject, .detail = {}};
  boost::system::error_code failure;
  const json::value detail = json::parse(event.detail, failure);
  if (!failure && detail.is_object()) shape.detail = detail.get_object();
  return shape;
}

net::Event WireOf(const registry::Event& event) {
  const EventShape shape = ShapeOf(event);
  return {.id = std::to_string(event.sequence), .name = "event", .data = json::serialize(tools::WriteObject(kEvent, &shape))};
}

// A client that follows: first what it has missed, page by page, then what comes; one that is slow reads on when it has room again.
class Follower : public std::enable_shared_from_this<Follower> {
 public:
  Follower(registry::EventBus& bus, std::string owner, int64_t after) : bus_(bus), owner_(std::move(owner)), after_(after) {}

  void Begin(std::shared_ptr<net::EventStream> stream) {
    {
      const std::lock_guard lock(mutex_);
      stream_ = std::move(stream);
    }
    const std::weak_ptr<Follower> weak = weak_from_this();
    const uint64_t listener = bus_.Listen(owner_, [weak](const registry::Event& event) {
      if (const auto self = weak.lock()) self->Take(event);
    });
    {
      const std::lock_guard lock(mutex_);
      listener_ = listener;
    }
    Go();
  }
  void End() {
    uint64_t listener = 0;
    {
      const std::lock_guard lock(mutex_);
      stream_ = nullptr;
      std::swap(listener, listener_);
    }
    if (listener != 0) bus_.StopListening(listener);
  }
  // Sends what there is from where it is on.
  void Go() {
    const std::lock_guard lock(mutex_);
    ReadOn();
  }

 private:
  // On the publisher's thread: the next one goes out at once; behind a gap, what lies in it first.
  void Take(const registry::Event& event) {
    const std::lock_guard lock(mutex_);
    if (stream_ == nullptr || event.sequence <= after_) return;
    if (event.sequence != after_ + 1) return ReadOn();
    if (stream_->Send(WireOf(event))) after_ = event.sequence;
  }
  void ReadOn() {
    while (stream_ != nullptr) {
      const auto reading = bus_.Read(owner_, after_, 100);
      if (!reading) return stream_->Close();
      if (reading->events.empty()) return;
      for (const registry::Event& event : reading->events) {
        if (!stream_->Send(WireOf(event))) return;   // on_drained goes on
        after_ = event.sequence;
      }
    }
  }

  registry::EventBus& bus_;
  const std::string owner_;
  std::mutex mutex_;
  std::shared_ptr<net::EventStream> stream_;
  int64_t after_;
  uint64_t listener_ = 0;
};

Result<EventsAnswer> Events(Call& call, const EventsQuery& query, Nothing&) {
  registry::EventBus& bus = call.services.registry.events();
  if (WantsEvents(call.exchange.request())) {
    int64_t after = query.after;
    if (const std::string* last = call.exchange.request().Header("Last-Event-ID")) {
      const auto [end, failure] = std::from_chars(last->data(), last->data() + last->size(), after);
      if (failure != std::errc() || end != last->data() + last->size() || after < 0) return Error(Code::kInvalid, "Last-Event-ID: not the number of an event");
    }
    auto follower = std::make_shared<Follower>(bus, call.caller.owner, after);
    PADDOCK_ASSIGN(std::shared_ptr<net::EventStream> stream,
                   call.exchange.StartEventStream({.on_closed = [follower] { follower->End(); }, .on_drained = [follower] { follower->Go(); }}));
    follower->Begin(std::move(stream));
    return EventsAnswer{};
  }
  PADDOCK_ASSIGN(const registry::EventBus::Reading reading, bus.Read(call.caller.owner, query.after, static_cast<size_t>(query.limit)));
  EventsAnswer answer{.events = {}, .last = reading.last, .is_complete = reading.is_complete};
  for (const registry::Event& event : reading.events) answer.events.push_back(ShapeOf(event));
  return answer;
}

}  // namespace

std::vector<Operation> EventOperations() {
  return {
      Define<EventsQuery, Nothing, EventsAnswer, Events>("GET", "/v1/events", "listEvents", "Reads what happened; followed as it happens for who accepts text/event-stream.", Access::kRead, true),
  };
}

}  // namespace paddock::api
