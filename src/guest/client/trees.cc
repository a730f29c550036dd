#include "guest/client/trees.h"

#include "guest/client/connection.h"
#include "guest/client/data_stream.h"
#include "guest/client/request.h"
#include "guest/protocol/open_file_messages.h"

namespace paddock::guest {

GuestUnpacker::GuestUnpacker(std::shared_ptr<Connection> connection, std::shared_ptr<DataStream> stream, std::string path)
    : connection_(std::move(connection)), stream_(std::move(stream)), path_(std::move(path)) {}

GuestUnpacker::~GuestUnpacker() {
  const auto lock = connection_->Acquire();
  stream_->Drop();
}

Status GuestUnpacker::Write(std::string_view bytes, Deadline deadline) {
  auto lock = connection_->Acquire();
  return stream_->Write(lock, bytes, deadline, path_);
}

Result<TreeReport> GuestUnpacker::Commit(Deadline deadline) {
  auto lock = connection_->Acquire();
  if (!stream_->reply && !stream_->failure) stream_->SendEnd();
  PADDOCK_TRY(stream_->Wait(lock, deadline, path_, [this] { return stream_->reply.has_value(); }));
  return DecodeTreeReport(*stream_->reply);
}

Result<TreeReport> GuestTrees::Pack(const PackRequest& request, const std::function<Status(std::string_view)>& sink,
                                    Deadline deadline) {
  const std::string encoded = Encode(request);
  PADDOCK_TRY(CheckRequest<DecodePack>(encoded, request.path));
  const auto stream = std::make_shared<DataStream>(*connection_);
  auto lock = connection_->Acquire();
  PADDOCK_TRY(RequireVersion(*connection_, lock, kOpenFilesVersion, deadline));
  PADDOCK_ASSIGN(stream->number, connection_->Open(stream, FrameType::kPackTree, encoded));
  const StreamDropper dropper{*stream};
  while (true) {
    PADDOCK_TRY(stream->Wait(lock, deadline, request.path, [&] { return !stream->received.empty(); }));
    if (stream->received.empty()) return DecodeTreeReport(*stream->reply);
    const std::string bytes = stream->Take();
    lock.unlock();
    const Status status = sink(bytes);
    lock.lock();
    PADDOCK_TRY(status);
  }
}

Result<std::unique_ptr<GuestUnpacker>> GuestTrees::OpenUnpacker(const UnpackRequest& request, Deadline deadline) {
  const std::string encoded = Encode(request);
  PADDOCK_TRY(CheckRequest<DecodeUnpack>(encoded, request.path));
  auto stream = std::make_shared<DataStream>(*connection_);
  auto lock = connection_->Acquire();
  PADDOCK_TRY(RequireVersion(*connection_, lock, kOpenFilesVersion, deadline));
  PADDOCK_ASSIGN(stream->number, connection_->Open(stream, FrameType::kUnpackTree, encoded));
  // allow(raw-new): the constructor is private
  return std::unique_ptr<GuestUnpacker>(new GuestUnpacker(connection_, std::move(stream), request.path));
}

Result<TreeReport> GuestTrees::Unpack(const UnpackRequest& request, std::string_view archive, Deadline deadline) {
  PADDOCK_ASSIGN(const auto unpacker, OpenUnpacker(request, deadline));
  PADDOCK_TRY(unpacker->Write(archive, deadline));
  return unpacker->Commit(deadline);
}

}  // namespace paddock::guest
