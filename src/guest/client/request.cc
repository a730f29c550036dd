#include "guest/client/request.h"

#include "guest/client/failure.h"

namespace paddock::guest {
namespace {

class Question final : public Connection::Stream {
 public:
  Status Receive(const Frame& frame, Connection::Lock&) override {
    if (frame.header.type == FrameType::kReply) {
      reply = std::string(frame.payload);
      return {};
    }
    if (frame.header.type != FrameType::kError) return Error(Code::kInvalid, "guest protocol: not an answer");
    PADDOCK_ASSIGN(failure, DecodeFailure(frame.payload));
    return {};
  }

  std::optional<std::string> reply;
  std::optional<Failure> failure;
};

}  // namespace

Status RequireVersion(Connection& connection, Connection::Lock& lock, uint16_t version, Deadline deadline) {
  PADDOCK_TRY(connection.Wait(lock, deadline, [&] { return connection.hello().has_value(); }));
  PADDOCK_ASSIGN(const uint16_t common, CommonVersion(Hello(), *connection.hello()));
  if (common >= version) return {};
  return Error(Code::kUnavailable, "the guest's agent is too old for this (version " + std::to_string(common) + " of the protocol, " +
                                        std::to_string(version) + " is needed); use a paddock-guest of this release");
}

Result<std::string> Ask(Connection& connection, FrameType type, std::string_view request, std::string_view what, Deadline deadline) {
  auto question = std::make_shared<Question>();
  auto lock = connection.Acquire();
  PADDOCK_ASSIGN(const uint32_t stream, connection.Open(question, type, request));
  const Status status = connection.Wait(lock, deadline, [&] { return question->reply || question->failure; });
  if (!status) {
    connection.Send(stream, FrameType::kReset);
    connection.Forget(stream);
    return status.error();
  }
  if (question->failure) return ErrorOf(*question->failure, what);
  return std::move(*question->reply);
}

}  // namespace paddock::guest
