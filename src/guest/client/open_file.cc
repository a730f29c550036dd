#include "guest/client/open_file.h"

#include "guest/client/connection.h"
#include "guest/client/failure.h"
#include "guest/client/request.h"

namespace paddock::guest {
namespace {

Error Violation(const char* text) { return Error(Code::kInvalid, std::string("guest protocol: ") + text); }

}  // namespace

// All with the connection's lock.
class GuestFile::State final : public Connection::Stream {
 public:
  explicit State(std::string name) : path(std::move(name)) {}

  Status Receive(const Frame& frame, Connection::Lock&) override {
    switch (frame.header.type) {
      case FrameType::kOpened: {
        if (is_open || failure) return Violation("stream opened twice");
        PADDOCK_ASSIGN(attributes, DecodeFileAttributes(frame.payload));
        is_open = true;
        return {};
      }
      case FrameType::kError: {
        if (is_open || failure) return Violation("failure of a file that is open");
        PADDOCK_ASSIGN(failure, DecodeFailure(frame.payload));
        return {};
      }
      case FrameType::kFileDone: {
        if (!is_acting || done) return Violation("answer without a question");
        PADDOCK_ASSIGN(done, DecodeFileDone(frame.payload));
        return {};
      }
      default:
        return Violation("not a message of this stream");
    }
  }

  const std::string path;
  uint32_t number = 0;
  bool is_open = false;
  bool is_acting = false;    // an act waits for its answer
  bool is_lost = false;      // an answer never came: what comes next may be of another act
  FileAttributes attributes;
  std::optional<Failure> failure;
  std::optional<FileDone> done;
};

GuestFile::GuestFile(std::shared_ptr<Connection> connection, std::shared_ptr<State> state)
    : connection_(std::move(connection)), state_(std::move(state)) {}

GuestFile::~GuestFile() {
  const auto lock = connection_->Acquire();
  connection_->Send(state_->number, FrameType::kReset);
  connection_->Forget(state_->number);
}

Result<std::unique_ptr<GuestFile>> GuestFile::Open(std::shared_ptr<Connection> connection, const OpenRequest& request,
                                                   Deadline deadline) {
  const std::string encoded = Encode(request);
  PADDOCK_TRY(CheckRequest<DecodeOpen>(encoded, request.path));
  auto state = std::make_shared<State>(request.path);
  auto lock = connection->Acquire();
  PADDOCK_TRY(RequireVersion(*connection, lock, kOpenFilesVersion, deadline));
  PADDOCK_ASSIGN(state->number, connection->Open(state, FrameType::kOpenFile, encoded));
  const Status status = connection->Wait(lock, deadline, [&] { return state->is_open || state->failure; });
  if (!status) {
    connection->Send(state->number, FrameType::kReset);
    connection->Forget(state->number);
    return status.error();
  }
  if (state->failure) return ErrorOf(*state->failure, request.path);
  lock.unlock();
  // allow(raw-new): the constructor is private
  return std::unique_ptr<GuestFile>(new GuestFile(std::move(connection), std::move(state)));
}

const FileAttributes& GuestFile::opened() const { return state_->attributes; }

Result<FileDone> GuestFile::Do(const FileAct& act, Deadline deadline) {
  auto lock = connection_->Acquire();
  State& state = *state_;
  PADDOCK_TRY(connection_->Wait(lock, deadline, [&] { return !state.is_acting || state.is_lost; }));
  if (state.is_lost) return Error(Code::kIo, state.path + ": an earlier answer of the guest never came; open the file again");
  PADDOCK_TRY(connection_->SendMessage(state.number, FrameType::kFileAct, Encode(act)));
  state.is_acting = true;
  const Status status = connection_->Wait(lock, deadline, [&] { return state.done.has_value(); });
  if (!status) {
    state.is_lost = true;
    connection_->Notify();
    return status.error();
  }
  FileDone done = std::move(*state.done);
  state.done.reset();
  state.is_acting = false;
  connection_->Notify();
  if (done.error_number != 0) return ErrorOf(Failure{done.error_number, Step::kNone, {}}, state.path);
  return done;
}

Result<std::string> GuestFile::Read(uint64_t offset, size_t length, Deadline deadline) {
  const auto asked = static_cast<uint32_t>(std::min(length, kMaxActBytes));
  if (offset > INT64_MAX - kMaxActBytes) return std::string();
  PADDOCK_ASSIGN(FileDone done, Do({.act = Act::kRead, .offset = offset, .length = asked}, deadline));
  if (done.bytes.size() > asked) return Error(Code::kIo, state_->path + ": the guest gave more than was asked for");
  return std::move(done.bytes);
}

Result<uint64_t> GuestFile::Write(uint64_t offset, std::string_view bytes, Deadline deadline) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kMaxActBytes);
    if (offset > INT64_MAX - kMaxActBytes) return Code::kFileTooBig;
    PADDOCK_ASSIGN(const FileDone done, Do({.act = Act::kWrite, .offset = offset, .bytes = std::string(piece)}, deadline));
    offset = done.offset;
    bytes.remove_prefix(piece.size());
  }
  return offset;
}

Result<FileAttributes> GuestFile::Attributes(Deadline deadline) {
  PADDOCK_ASSIGN(const FileDone done, Do({.act = Act::kAttributes}, deadline));
  return DecodeFileAttributes(done.bytes);
}

Status GuestFile::Truncate(uint64_t size, Deadline deadline) {
  if (size > INT64_MAX - kMaxActBytes) return Code::kFileTooBig;
  PADDOCK_TRY(Do({.act = Act::kTruncate, .offset = size}, deadline));
  return {};
}

}  // namespace paddock::guest
