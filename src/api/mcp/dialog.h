// Dialog: one client on a stream of messages, such as a child's stdin and stdout. Calls run beside each other, so that a long one
// holds up nothing.
//
// In revisions with a handshake a client begins with "initialize"; until then it may only ping. A request that stands for itself
// needs none. A request that was cancelled gets no answer.
#pragma once

#include <atomic>

#include "api/mcp/call_table.h"
#include "api/mcp/call_threads.h"
#include "api/mcp/server.h"

namespace paddock::mcp {

inline constexpr size_t kMostListens = 16;   // of one client at a time

class Dialog {
 public:
  // Takes a frame for the client, without a line end. Called from any thread, one call at a time.
  using Send = std::function<void(const std::string& frame)>;

  // `server` outlives it.
  Dialog(Server& server, Send send);
  ~Dialog() { Close(std::chrono::milliseconds(0)); }
  Dialog(const Dialog&) = delete;
  Dialog& operator=(const Dialog&) = delete;

  // One message, or a batch where the revision has them. Waits for no sandbox. One thread at a time.
  void Receive(std::string_view frame);
  // Lets what runs go on for `patience`, cancels the rest and waits for it. Nothing is received or sent afterwards. Idempotent.
  void Close(std::chrono::milliseconds patience);
  // Cancels what runs; answers are still sent. Any thread.
  void CancelAll() { calls_->CancelAll(); }

 private:
  // Why a request may not be answered now, else how it is to be.
  std::variant<Revision, RpcError> Admit(const Message& request);
  std::optional<json::object> Answer(const Message& request, Revision revision, const std::shared_ptr<CallTable::Place>& place);
  void ReceiveOne(Item item);
  void ReceiveBatch(Frame frame);
  void OnNotification(const Message& message);
  // "subscriptions/listen": on a thread, until the client cancels it or all ends.
  void Listen(const Message& request, Revision revision, std::shared_ptr<CallTable::Place> place);
  void SendObject(const json::object& object);

  Server& server_;
  std::mutex sending_;
  Send send_;                        // null once closed
  std::optional<Revision> agreed_;   // by the handshake; of the receiving thread
  bool is_closed_ = false;           // the same
  const std::shared_ptr<CallTable> calls_ = std::make_shared<CallTable>();
  const std::shared_ptr<Subscriber> subscriber_ = std::make_shared<Subscriber>();   // of revisions with a handshake
  Subscriptions subscriptions_;
  std::stop_source closing_;
  CallThreads listeners_{kMostListens};
  CallThreads threads_{kMostCalls};   // the last: ended first
};

}  // namespace paddock::mcp
