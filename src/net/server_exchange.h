// ServerExchange: the exchange that a server's handlers get, on the connection that their thread owns.
#pragma once

#include "net/answer_head.h"
#include "net/connection.h"
#include "net/exchange.h"

namespace paddock::net {

class PushStream;

class ServerExchange : public Exchange {
 public:
  enum class Answer { kNone, kWhole, kStreaming, kFinished, kFailed, kPush };

  explicit ServerExchange(Connection& connection) : connection_(connection) {}
  ~ServerExchange() override;

  const Request& request() const override { return connection_.request_; }
  void SetBodyLimit(const BodyLimit& limit) override { limit_ = limit; }
  Result<size_t> ReadBody(std::span<char> to) override;
  Status Respond(int status, const Headers& headers, std::string body) override;
  Status StartResponse(int status, const Headers& headers, std::optional<uint64_t> length) override;
  Status Write(std::string_view bytes) override;
  Status Finish() override;
  bool has_answered() const override { return answer_ != Answer::kNone; }
  void CloseAfter() override { connection_.closes_ = true; }
  bool IsClientGone() override;
  void OnClientGone(std::function<void()> function) override;
  Result<std::shared_ptr<EventStream>> StartEventStream(EventStreamOptions options, const Headers& headers) override;
  Result<std::shared_ptr<WebSocket>> AcceptWebSocket(WebSocketOptions options, const Headers& headers) override;

  // For the connection, after the handler.
  Answer answer() const { return answer_; }
  std::shared_ptr<PushStream> TakePush() { return std::move(push_); }

 private:
  Result<size_t> ReadSome(std::span<char> to);
  Result<size_t> ReadLength(std::span<char> to);
  Result<size_t> ReadChunked(std::span<char> to);
  // Reads from the socket, waiting for it; 0 is the end of the stream.
  Result<size_t> Receive(std::span<char> to);
  Status CheckPace();
  // Sends everything, waiting.
  Status SendAll(std::string_view bytes);
  Status FailAnswer(Error error);
  ConnectionField DecideEnd();
  // Hands the connection over.
  template <class Push>
  std::shared_ptr<Push> Become(std::shared_ptr<Push> push, std::string_view head);
  bool is_head() const { return connection_.request_.method == "HEAD"; }

  Connection& connection_;
  BodyLimit limit_;
  uint64_t body_read_ = 0;
  Time body_since_{};
  std::optional<Error> body_error_, answer_error_;
  Answer answer_ = Answer::kNone;
  AnswerFraming framing_;
  uint64_t written_ = 0;       // of the body, in pieces
  std::shared_ptr<PushStream> push_;
};

}  // namespace paddock::net
