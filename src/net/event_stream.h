// The server's side of server-sent events.
#pragma once

#include "net/push.h"
#include "net/push_stream.h"

namespace paddock::net {

class EventPush final : public PushStream {
 public:
  // `is_chunked`: HTTP/1.1; without, the end of the connection ends the stream.
  EventPush(ServerCore& core, uint64_t id, EventStreamOptions options, bool is_chunked);

  Status SendEncoded(std::string_view bytes);
  void Finish();
  void OnStopping() override { Finish(); }

 private:
  bool OnBytes(std::string_view) override { return true; }   // a client has nothing to say here
  void SendHeartbeat(Lock& lock) override;
  void OnDrained() override;
  void OnClosed() override;
  std::string Framed(std::string_view bytes) const;

  EventStreamOptions options_;   // its callbacks are the strand's
  const bool is_chunked_;
};

// What the handler gets; closes with its end.
std::shared_ptr<EventStream> HandleOf(std::shared_ptr<EventPush> push);

}  // namespace paddock::net
