#include "net/event_stream.h"

#include "text/http_chunks.h"

namespace paddock::net {
namespace {

class Handle final : public EventStream {
 public:
  explicit Handle(std::shared_ptr<EventPush> push) : push_(std::move(push)) {}
  ~Handle() override { push_->Finish(); }
  Status Send(const Event& event) override {
    PADDOCK_ASSIGN(const std::string bytes, EncodeEvent(event));
    return push_->SendEncoded(bytes);
  }
  Status SendEncoded(std::string_view bytes) override { return push_->SendEncoded(bytes); }
  void Close() override { push_->Finish(); }
  bool is_closed() const override { return push_->is_closed(); }
  size_t queued_bytes() const override { return push_->queued_bytes(); }

 private:
  const std::shared_ptr<EventPush> push_;
};

bool IsOneLine(std::string_view text) { return text.find_first_of("\r\n") == std::string_view::npos; }

}  // namespace

Result<std::string> EncodeEvent(const Event& event) {
  if (!IsOneLine(event.id) || !IsOneLine(event.name) || event.id.find('\0') != std::string::npos) {
    return Error(Code::kInvalid, "an event's id and name have one line and no NUL");
  }
  std::string out;
  out.reserve(event.id.size() + event.name.size() + event.data.size() + 32);
  if (!event.id.empty()) out.append("id: ").append(event.id).append("\n");
  if (!event.name.empty()) out.append("event: ").append(event.name).append("\n");
  std::string_view rest = event.data;
  for (;;) {
    const size_t end = rest.find_first_of("\r\n");
    out.append("data: ").append(rest.substr(0, end)).append("\n");
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + (rest.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  out += '\n';
  return out;
}

EventPush::EventPush(ServerCore& core, uint64_t id, EventStreamOptions options, bool is_chunked)
    : PushStream(core, id, {options.queue_bytes, options.heartbeat}), options_(std::move(options)), is_chunked_(is_chunked) {}

std::string EventPush::Framed(std::string_view bytes) const {
  if (!is_chunked_) return std::string(bytes);
  std::string chunk;
  AppendChunk(&chunk, bytes);
  return chunk;
}

Status EventPush::SendEncoded(std::string_view bytes) {
  const std::string framed = Framed(bytes);
  Lock lock(mutex_);
  return Enqueue(framed, lock);
}

void EventPush::Finish() {
  Lock lock(mutex_);
  if (!is_open(lock)) return;
  if (is_chunked_) (void)Enqueue(kLastChunk, lock);   // with a full queue the client sees a stream that was cut
  FinishAfterQueue(lock);
}

void EventPush::SendHeartbeat(Lock& lock) { (void)Enqueue(Framed(":\n\n"), lock); }

void EventPush::OnDrained() {
  if (!options_.on_drained) return;
  Cover();
  options_.on_drained();
}

void EventPush::OnClosed() {
  EventStreamOptions last = std::exchange(options_, {});
  if (!last.on_closed) return;
  Cover();
  last.on_closed();
}

std::shared_ptr<EventStream> HandleOf(std::shared_ptr<EventPush> push) { return std::make_shared<Handle>(std::move(push)); }

}  // namespace paddock::net
