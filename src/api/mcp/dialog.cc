#include "api/mcp/dialog.h"

#include <condition_variable>

namespace paddock::mcp {

Dialog::Dialog(Server& server, Send send) : server_(server), send_(std::move(send)) {
  const auto tell = [this](uint64_t, const json::object& notification) {
    SendObject(notification);
    return true;
  };
  (void)subscriber_->feed().Attach({.send = tell, .close = {}}, std::nullopt);
  subscriber_->feed().Pump();
  subscriptions_.Mind(subscriber_);
}

void Dialog::Close(std::chrono::milliseconds patience) {
  is_closed_ = true;
  threads_.WaitFor(patience);
  closing_.request_stop();
  listeners_.WaitFor(std::chrono::milliseconds(100));   // so that they say that it is over
  subscriptions_.End();
  subscriber_->Close();
  calls_->CancelAll();
  while (!threads_.WaitFor(std::chrono::milliseconds(1000))) calls_->CancelAll();
  while (!listeners_.WaitFor(std::chrono::milliseconds(1000))) continue;
  const std::lock_guard lock(sending_);
  send_ = nullptr;
}

void Dialog::SendObject(const json::object& object) {
  const std::string frame = json::serialize(object);
  const std::lock_guard lock(sending_);
  if (send_) send_(frame);
}

std::variant<Revision, RpcError> Dialog::Admit(const Message& request) {
  if (IsMeantStateless(request)) return ReadStateless(request);
  if (request.method == "initialize") {
    if (agreed_) {
      return RpcError{.code = kInvalidRequest, .message = "initialize: this client has been initialized", .data = nullptr};
    }
    return ReadHandshake(request);
  }
  if (agreed_) return *agreed_;
  if (request.method == "ping") return kNewestWithHandshake;
  return RpcError{.code = kInvalidRequest,
                  .message = "not initialized; begin with initialize, or say the revision in params._meta",
                  .data = nullptr};
}

std::optional<json::object> Dialog::Answer(const Message& request, Revision revision,
                                           const std::shared_ptr<CallTable::Place>& place) {
  const Context context{.revision = revision, .stop = place->stop(), .notify = [this, place](json::object notification) {
                          if (!place->is_cancelled()) SendObject(notification);
                        }, .subscriber = subscriber_};
  Outcome outcome = server_.Answer(request, context);
  if (place->is_cancelled()) return std::nullopt;
  return ResponseTo(request.id, std::move(outcome));
}

void Dialog::Listen(const Message& request, Revision revision, std::shared_ptr<CallTable::Place> place) {
  const auto listen = [this, request, revision, place]() mutable {
    const auto subscriber = std::make_shared<Subscriber>(request.id);
    Outcome outcome = server_.Listen(request, {.revision = revision, .stop = place->stop(), .notify = nullptr, .subscriber = subscriber});
    const auto* const acknowledged = std::get_if<json::object>(&outcome);
    if (acknowledged == nullptr) {
      const bool is_wanted = !place->is_cancelled();
      place.reset();
      if (is_wanted) SendObject(ResponseTo(request.id, std::move(outcome)));
      return;
    }
    SendObject(*acknowledged);
    const auto tell = [this, place](uint64_t, const json::object& notification) {
      if (!place->is_cancelled()) SendObject(notification);
      return true;
    };
    (void)subscriber->feed().Attach({.send = tell, .close = {}}, std::nullopt);
    subscriber->feed().Pump();
    subscriptions_.Mind(subscriber);
    {
      std::mutex mutex;
      std::condition_variable_any changed;
      // Before the lock, for of what is cancelled already it is called at once; and ended after it.
      const std::stop_callback cancelled(place->stop(), [&] {
        const std::lock_guard woken(mutex);
        changed.notify_all();
      });
      std::unique_lock lock(mutex);
      changed.wait(lock, closing_.get_token(), [&] { return place->is_cancelled(); });
    }
    subscriber->Close();
    const bool is_wanted = !place->is_cancelled();
    place.reset();
    if (is_wanted) SendObject(EndOfListening(request.id));
  };
  if (listeners_.Start(listen)) return;
  SendObject(ResponseTo(request.id, RpcError{.code = kTooBusy,
                                             .message = std::to_string(kMostListens) + " subscriptions are open, the most at a time; end one",
                                             .data = nullptr}));
}

void Dialog::OnNotification(const Message& message) {
  if (message.method == "notifications/cancelled") calls_->Cancel(message.params);
}

void Dialog::ReceiveOne(Item item) {
  if (const auto* const unreadable = std::get_if<Unreadable>(&item)) {
    return SendObject(ResponseTo(unreadable->id, unreadable->error));
  }
  Message message = std::move(std::get<Message>(item));
  if (message.kind == Message::Kind::kResponse) return;   // nothing was asked
  if (message.kind == Message::Kind::kNotification) return OnNotification(message);
  const auto revision = Admit(message);
  if (const auto* const error = std::get_if<RpcError>(&revision)) return SendObject(ResponseTo(message.id, *error));
  if (message.method == "initialize") agreed_ = std::get<Revision>(revision);
  auto begun = CallTable::Begin(calls_, message.id);
  if (const auto* const error = std::get_if<RpcError>(&begun)) return SendObject(ResponseTo(message.id, *error));
  if (message.method == "subscriptions/listen") return Listen(message, std::get<Revision>(revision), std::get<0>(std::move(begun)));
  auto run = [this, message, revision = std::get<Revision>(revision), place = std::get<0>(begun)]() mutable {
    std::optional<json::object> response = Answer(message, revision, place);
    place.reset();   // its id is free before the client has the answer
    if (response) SendObject(*response);
  };
  if (server_.IsQuick(message)) {
    run();
  } else if (!threads_.Start(run)) {
    SendObject(ResponseTo(
        message.id, RpcError{.code = kTooBusy, .message = "no thread is free for this request; try again", .data = nullptr}));
  }
}

void Dialog::ReceiveBatch(Frame frame) {
  if (agreed_ != Revision::k2025_03_26) {
    return SendObject(ResponseTo(nullptr, RpcError{.code = kInvalidRequest,
                                                   .message = "batches are no part of this revision; send one message a line",
                                                   .data = nullptr}));
  }
  // In their order, on one thread; a cancellation in the batch itself is heard before.
  struct Work {
    Message request;
    Revision revision;
    std::shared_ptr<CallTable::Place> place;
  };
  auto work = std::make_shared<std::vector<Work>>();
  json::array refused;
  std::vector<Message> notifications;
  for (Item& item : frame.items) {
    if (const auto* const unreadable = std::get_if<Unreadable>(&item)) {
      refused.push_back(ResponseTo(unreadable->id, unreadable->error));
      continue;
    }
    Message& message = std::get<Message>(item);
    if (message.kind == Message::Kind::kNotification) notifications.push_back(std::move(message));
    if (message.kind != Message::Kind::kRequest) continue;
    const auto revision = Admit(message);
    auto begun = std::holds_alternative<Revision>(revision) ? CallTable::Begin(calls_, message.id) : std::get<RpcError>(revision);
    if (const auto* const error = std::get_if<RpcError>(&begun)) refused.push_back(ResponseTo(message.id, *error));
    else work->push_back({std::move(message), std::get<Revision>(revision), std::get<0>(begun)});
  }
  for (const Message& message : notifications) OnNotification(message);
  const auto send = [this](const json::array& responses) {
    if (responses.empty()) return;
    const std::string text = json::serialize(responses);
    const std::lock_guard lock(sending_);
    if (send_) send_(text);
  };
  if (work->empty()) return send(refused);
  const auto run = [this, work, refused, send] {
    json::array responses = refused;
    for (Work& each : *work) {
      std::optional<json::object> response = Answer(each.request, each.revision, each.place);
      if (response) responses.push_back(std::move(*response));
    }
    work->clear();
    send(responses);
  };
  if (threads_.Start(run)) return;
  for (const Work& each : *work) {
    refused.push_back(
        ResponseTo(each.request.id,
                   RpcError{.code = kTooBusy, .message = "no thread is free for this request; try again", .data = nullptr}));
  }
  send(refused);
}

void Dialog::Receive(std::string_view text) {
  if (is_closed_) return;
  Frame frame = ParseFrame(text);
  if (frame.is_batch) return ReceiveBatch(std::move(frame));
  ReceiveOne(std::move(frame.items.front()));
}

}  // namespace paddock::mcp
