#include "registry/events.h"

#include <array>

namespace paddock::registry {
namespace {

std::string StreamOf(const std::string& owner) {
  return "events:" + owner;
}

}  // namespace

void EventBus::Publish(Event event) {
  const std::lock_guard lock(mutex_);   // listeners see the order of the numbers
  event.at = Now();
  const std::array stored{records::Event{.sequence = 0, .at = {}, .type = event.type, .subject = event.subject, .body = event.detail}};
  if (const auto sequence = records_.AppendEvents(StreamOf(event.owner), stored)) event.sequence = *sequence;
  for (const auto& [number, listener] : listeners_) {
    if (listener.owner == event.owner) listener.call(event);
  }
}

uint64_t EventBus::Listen(const std::string& owner, std::function<void(const Event&)> listener) {
  const std::lock_guard lock(mutex_);
  listeners_.emplace(++last_, Listener{owner, std::move(listener)});
  return last_;
}

void EventBus::StopListening(uint64_t number) {
  const std::lock_guard lock(mutex_);
  listeners_.erase(number);
}

void EventBus::Trim(Time before, size_t keep) {
  const std::string prefix = StreamOf("");
  std::string after = prefix;
  after.back() = static_cast<char>(after.back() - 1);   // in front of all of them
  while (true) {
    const auto names = records_.Streams(after, records::kMaxPage);
    if (!names || names->empty()) return;
    for (const std::string& name : *names) {
      if (!name.starts_with(prefix)) continue;
      // What cannot be trimmed now is at the next turn.
      (void)records_.Transact([&](records::Transaction& transaction) -> Status {
        PADDOCK_TRY(transaction.TrimEvents(name, before, keep));
        return {};
      });
    }
    after = names->back();
    if (names->size() < records::kMaxPage) return;
  }
}

Result<EventBus::Reading> EventBus::Read(const std::string& owner, int64_t after, size_t limit) {
  PADDOCK_ASSIGN(records::EventPage page, records_.ReadEvents(StreamOf(owner), after, limit));
  Reading reading{.events = {}, .is_complete = page.lost == 0, .last = page.last};
  for (records::Event& stored : page.events) {
    reading.events.push_back({.sequence = stored.sequence, .at = stored.at, .owner = owner, .type = std::move(stored.type),
                              .subject = std::move(stored.subject), .detail = std::move(stored.body)});
  }
  return reading;
}

}  // namespace paddock::registry
