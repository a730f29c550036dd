#include "guest/agent/session.h"

#include <cerrno>

#include "guest/agent/agent.h"

namespace paddock::guest {
namespace {

// Requests open a stream.
bool IsRequest(FrameType type) { return type >= FrameType::kStart && type < FrameType::kSignal; }

Error Violation(const char* text) { return Error(Code::kInvalid, std::string("guest protocol: ") + text); }

}  // namespace

Session::Session(EventLoop& loop, Outbox& outbox, Machine& machine, const AgentOptions& options)
    : outbox_(outbox), features_(options.features | (options.is_init ? uint64_t{kFeatureInit} : 0)), software_(options.software),
      processes_(loop, outbox, machine, options.is_init) {}

void Session::Greet() {
  Hello hello;
  hello.features = features_;
  hello.software = software_;
  outbox_.Frame(0, FrameType::kHello, 0, Encode(hello));
}

Status Session::Receive(const Frame& frame) {
  const FrameHeader& header = frame.header;
  if (!was_greeted_ && header.type != FrameType::kHello) return Violation("expected hello");
  if (header.stream == 0) return ReceiveControl(frame);
  PADDOCK_ASSIGN(const auto message, assembler_.Add(frame));
  if (!message) return {};
  if (IsRequest(header.type)) return Open(*message);
  const auto found = streams_.find(header.stream);
  if (found == streams_.end()) {
    // What the client sent before it heard that the stream is over.
    return header.stream <= last_stream_ ? Status() : Violation("no such stream");
  }
  if (header.type == FrameType::kReset) {
    found->second->Reset();
    streams_.erase(found);
    return {};
  }
  PADDOCK_TRY(found->second->Receive({header, message->bytes}));
  if (header.type == FrameType::kForget) streams_.erase(header.stream);
  return {};
}

Status Session::ReceiveControl(const Frame& frame) {
  switch (frame.header.type) {
    case FrameType::kHello: {
      if (was_greeted_) return Violation("second hello");
      PADDOCK_ASSIGN(const Hello hello, DecodeHello(frame.payload));
      PADDOCK_TRY(CommonVersion(hello, Hello()));
      was_greeted_ = true;
      return {};
    }
    case FrameType::kPing:
      PADDOCK_TRY(DecodeU64(frame.payload));
      outbox_.Frame(0, FrameType::kPong, 0, frame.payload);
      return {};
    default:
      return Violation("not a message of the connection");
  }
}

Status Session::Open(const MessageAssembler::Message& request) {
  if (request.stream % 2 == 0 || request.stream <= last_stream_) return Violation("stream number used before");
  last_stream_ = request.stream;
  if (streams_.size() >= kMaxStreams) {
    outbox_.Error(request.stream, EMFILE, Step::kRequest, "too many streams");
    return {};
  }
  std::unique_ptr<Stream> stream;
  switch (request.type) {
    case FrameType::kStart: {
      PADDOCK_ASSIGN(const StartRequest start, DecodeStart(request.bytes));
      stream = processes_.Start(request.stream, start);
      break;
    }
    case FrameType::kAttach: {
      PADDOCK_ASSIGN(const AttachRequest attach, DecodeAttach(request.bytes));
      stream = processes_.Attach(request.stream, attach);
      break;
    }
    case FrameType::kListProcesses:
      Answer(request.stream, Encode(processes_.List()));
      break;
    case FrameType::kKillAll:
      processes_.KillAll();
      Answer(request.stream, {});
      break;
    case FrameType::kShutdown:
      wants_shutdown_ = true;
      Answer(request.stream, {});
      break;
    default:
      outbox_.Error(request.stream, EOPNOTSUPP, Step::kRequest, "this agent does not have that");
      break;
  }
  if (stream) streams_.emplace(request.stream, std::move(stream));
  return {};
}

}  // namespace paddock::guest
