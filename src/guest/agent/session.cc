#include "guest/agent/session.h"

#include <cerrno>

#include "guest/agent/agent.h"
#include "guest/agent/file_calls.h"
#include "guest/agent/file_streams.h"
#include "guest/agent/path_calls.h"
#include "guest/agent/port_streams.h"
#include "guest/agent/usage.h"
#include "guest/protocol/wire.h"

namespace paddock::guest {
namespace {

// Requests open a stream.
bool IsRequest(FrameType type) { return type >= FrameType::kStart && type < FrameType::kSignal; }

Error Violation(const char* text) { return Error(Code::kInvalid, std::string("guest protocol: ") + text); }

}  // namespace

Session::Session(EventLoop& loop, Outbox& outbox, Machine& machine, const AgentOptions& options)
    : loop_(loop), outbox_(outbox), machine_(machine), features_(options.features | (options.is_init ? uint64_t{kFeatureInit} : 0)), software_(options.software), greets_second_(options.greets_second),
      processes_(loop, outbox, machine, options.is_init) {}

void Session::Greet() {
  if (!greets_second_) SendHello();
}

void Session::SendHello() {
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
    return header.stream <= (header.stream % 2 == 1 ? last_stream_ : last_own_) ? Status() : Violation("no such stream");
  }
  if (header.type == FrameType::kReset) {
    found->second->Reset();
    streams_.erase(found);
    return {};
  }
  PADDOCK_TRY(found->second->Receive({header, message->bytes}));
  if (header.type == FrameType::kForget) streams_.erase(header.stream);
  Sweep();
  return {};
}

void Session::Sweep() {
  for (const uint32_t number : finished_) streams_.erase(number);
  finished_.clear();
}

Status Session::ReceiveControl(const Frame& frame) {
  switch (frame.header.type) {
    case FrameType::kHello: {
      if (was_greeted_) return Violation("second hello");
      PADDOCK_ASSIGN(const Hello hello, DecodeHello(frame.payload));
      PADDOCK_TRY(CommonVersion(hello, Hello()));
      if ((hello.features & kFeatureTakesTreeEnd) != 0) processes_.TellOfTreeEnds();
      was_greeted_ = true;
      if (greets_second_) SendHello();
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
  const StreamPlace place{loop_, outbox_, finished_, request.stream};
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
    case FrameType::kFile:
    case FrameType::kListDirectory:
    case FrameType::kReadFile:
    case FrameType::kWriteFile:
    case FrameType::kWatch:
    case FrameType::kSetTimes:
    case FrameType::kOpenFile:
    case FrameType::kPackTree:
    case FrameType::kUnpackTree: {
      PADDOCK_ASSIGN(stream, OpenFiles(request, place));
      break;
    }
    case FrameType::kDial:
    case FrameType::kListen: {
      PADDOCK_ASSIGN(stream, OpenPort(request, place));
      break;
    }
    default:
      return DoSystem(request);
  }
  if (stream) streams_.emplace(request.stream, std::move(stream));
  return {};
}

void Session::AnswerCall(uint32_t stream, int error_number, std::string_view reply) {
  if (error_number != 0) {
    outbox_.Error(stream, error_number);
  } else {
    Answer(stream, reply);
  }
}

Result<std::unique_ptr<Stream>> Session::OpenFiles(const MessageAssembler::Message& request, const StreamPlace& place) {
  // Decoded first: what is malformed is a violation also where there are no files.
  const bool has_files = (features_ & kFeatureFiles) != 0;
  std::unique_ptr<Stream> none;
  switch (request.type) {
    case FrameType::kFile: {
      PADDOCK_ASSIGN(const FileRequest file, DecodeFile(request.bytes));
      if (!has_files) break;
      if (file.operation == FileOperation::kRemove && file.flag) return RemoveTreeStream(place, file.path);
      std::string reply;
      const int error_number = DoFileCall(file, reply);
      AnswerCall(request.stream, error_number, reply);
      return none;
    }
    case FrameType::kListDirectory: {
      WireReader reader(request.bytes);
      const std::string path = reader.Text(4096);
      PADDOCK_TRY(reader.Finish("list"));
      if (has_files) return ListDirectoryStream(place, path);
      break;
    }
    case FrameType::kReadFile: {
      PADDOCK_ASSIGN(const ReadRequest read, DecodeRead(request.bytes));
      if (has_files) return ReadFileStream(place, read);
      break;
    }
    case FrameType::kWriteFile: {
      PADDOCK_ASSIGN(const WriteRequest write, DecodeWrite(request.bytes));
      if (has_files) return WriteFileStream(place, write);
      break;
    }
    case FrameType::kSetTimes: {
      PADDOCK_ASSIGN(const SetTimesRequest times, DecodeSetTimes(request.bytes));
      if (!has_files) break;
      AnswerCall(request.stream, SetTimes(times));
      return none;
    }
    case FrameType::kOpenFile: {
      PADDOCK_ASSIGN(const OpenRequest open, DecodeOpen(request.bytes));
      if (has_files) return OpenFile(place, open);
      break;
    }
    case FrameType::kPackTree: {
      PADDOCK_ASSIGN(const PackRequest pack, DecodePack(request.bytes));
      if (has_files) return PackStream(place, pack);
      break;
    }
    case FrameType::kUnpackTree: {
      PADDOCK_ASSIGN(const UnpackRequest unpack, DecodeUnpack(request.bytes));
      if (has_files) return UnpackStream(place, unpack);
      break;
    }
    default: {
      PADDOCK_ASSIGN(const WatchRequest watch, DecodeWatch(request.bytes));
      if (has_files) return WatchStream(place, watch);
      break;
    }
  }
  outbox_.Error(request.stream, EOPNOTSUPP, Step::kRequest, "this agent has no files");
  return none;
}

Result<std::unique_ptr<Stream>> Session::OpenPort(const MessageAssembler::Message& request, const StreamPlace& place) {
  const bool has_ports = (features_ & kFeaturePorts) != 0;
  if (request.type == FrameType::kDial) {
    PADDOCK_ASSIGN(const DialRequest dial, DecodeDial(request.bytes));
    if (has_ports) return DialStream(place, dial);
  } else {
    PADDOCK_ASSIGN(const ListenRequest listen, DecodeListen(request.bytes));
    if (has_ports) {
      return ListenStream(place, listen, [this, listener = request.stream](Descriptor connection, std::string peer) {
        return Accept(listener, std::move(connection), peer);
      });
    }
  }
  outbox_.Error(request.stream, EOPNOTSUPP, Step::kRequest, "this agent has no ports");
  return std::unique_ptr<Stream>();
}

bool Session::Accept(uint32_t listener, Descriptor connection, std::string_view peer) {
  if (streams_.size() >= kMaxStreams || outbox_.IsCrowded() || last_own_ > ~uint32_t{0} - 4) return false;
  last_own_ += 2;
  outbox_.Frame(last_own_, FrameType::kAccepted, 0, Encode(Accepted{listener, std::string(peer)}));
  streams_.emplace(last_own_, ConnectionStream({loop_, outbox_, finished_, last_own_}, std::move(connection)));
  return true;
}

Status Session::DoSystem(const MessageAssembler::Message& request) {
  const bool has_system = (features_ & kFeatureSystem) != 0;
  switch (request.type) {
    case FrameType::kUsage:
      Answer(request.stream, Encode(MeasureUsage()));
      return {};
    case FrameType::kShutdown:
      wants_shutdown_ = true;
      Answer(request.stream, {});
      return {};
    case FrameType::kSetTime: {
      PADDOCK_ASSIGN(const uint64_t time, DecodeU64(request.bytes));
      if (!has_system) break;
      AnswerCall(request.stream, machine_.SetTime(static_cast<int64_t>(time)));
      return {};
    }
    case FrameType::kAddEntropy:
      if (request.bytes.size() > kMaxEntropyBytes) return Violation("too much entropy");
      if (!has_system) break;
      AnswerCall(request.stream, machine_.AddEntropy(request.bytes));
      return {};
    default:
      return Violation("unknown request");
  }
  outbox_.Error(request.stream, EOPNOTSUPP, Step::kRequest, "this agent does not own the machine");
  return {};
}

}  // namespace paddock::guest
