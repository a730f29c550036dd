#include "guest/client/files.h"

#include "guest/client/connection.h"
#include "guest/client/data_stream.h"
#include "guest/client/request.h"
#include "guest/protocol/wire.h"

namespace paddock::guest {

GuestFileWriter::GuestFileWriter(std::shared_ptr<Connection> connection, std::shared_ptr<DataStream> stream, std::string path)
    : connection_(std::move(connection)), stream_(std::move(stream)), path_(std::move(path)) {}

GuestFileWriter::~GuestFileWriter() {
  const auto lock = connection_->Acquire();
  stream_->Drop();
}

Status GuestFileWriter::Write(std::string_view bytes, Deadline deadline) {
  auto lock = connection_->Acquire();
  return stream_->Write(lock, bytes, deadline, path_);
}

Status GuestFileWriter::Commit(Deadline deadline) {
  auto lock = connection_->Acquire();
  if (!stream_->reply && !stream_->failure) stream_->SendEnd();
  return stream_->Wait(lock, deadline, path_, [this] { return stream_->reply.has_value(); });
}

GuestWatch::GuestWatch(std::shared_ptr<Connection> connection, std::shared_ptr<DataStream> stream, std::string path)
    : connection_(std::move(connection)), stream_(std::move(stream)), path_(std::move(path)) {}

GuestWatch::~GuestWatch() {
  const auto lock = connection_->Acquire();
  stream_->Drop();
}

Result<std::vector<WatchEvent>> GuestWatch::Next(Deadline deadline) {
  auto lock = connection_->Acquire();
  PADDOCK_TRY(stream_->Wait(lock, deadline, path_, [this] { return !stream_->received.empty(); }));
  return DecodeWatchEvents(stream_->Take());
}

Result<std::string> GuestFiles::Call(const FileRequest& request, Deadline deadline) {
  const std::string bytes = Encode(request);
  PADDOCK_TRY(CheckRequest<DecodeFile>(bytes, request.path));
  if (request.operation >= FileOperation::kAttributes) {
    auto lock = connection_->Acquire();
    PADDOCK_TRY(RequireVersion(*connection_, lock, kOpenFilesVersion, deadline));
  }
  return Ask(*connection_, FrameType::kFile, bytes, request.path, deadline);
}

Status GuestFiles::connection() const {
  const auto lock = connection_->Acquire();
  if (connection_->error()) return *connection_->error();
  return {};
}

Result<FileAttributes> GuestFiles::Attributes(std::string path, bool follows, Deadline deadline) {
  PADDOCK_ASSIGN(const std::string reply,
                 Call({.operation = FileOperation::kAttributes, .path = std::move(path), .flag = follows}, deadline));
  return DecodeFileAttributes(reply);
}

Result<FileSpace> GuestFiles::Space(std::string path, Deadline deadline) {
  PADDOCK_ASSIGN(const std::string reply, Call({.operation = FileOperation::kSpace, .path = std::move(path)}, deadline));
  return DecodeFileSpace(reply);
}

Status GuestFiles::SetTimes(const SetTimesRequest& request, Deadline deadline) {
  const std::string bytes = Encode(request);
  PADDOCK_TRY(CheckRequest<DecodeSetTimes>(bytes, request.path));
  {
    auto lock = connection_->Acquire();
    PADDOCK_TRY(RequireVersion(*connection_, lock, kOpenFilesVersion, deadline));
  }
  PADDOCK_TRY(Ask(*connection_, FrameType::kSetTimes, bytes, request.path, deadline));
  return {};
}

Result<std::unique_ptr<GuestFile>> GuestFiles::Open(const OpenRequest& request, Deadline deadline) {
  return GuestFile::Open(connection_, request, deadline);
}

Result<FileStat> GuestFiles::Stat(std::string path, bool follows, Deadline deadline) {
  PADDOCK_ASSIGN(const std::string reply,
                 Call({.operation = FileOperation::kStat, .path = std::move(path), .flag = follows}, deadline));
  return DecodeFileStat(reply);
}

Result<std::string> GuestFiles::ReadLink(std::string path, Deadline deadline) {
  return Call({.operation = FileOperation::kReadLink, .path = std::move(path)}, deadline);
}

Status GuestFiles::MakeDirectory(std::string path, uint16_t mode, bool makes_parents, Deadline deadline) {
  PADDOCK_TRY(Call({.operation = FileOperation::kMakeDirectory, .path = std::move(path), .mode = mode, .flag = makes_parents}, deadline));
  return {};
}

Status GuestFiles::Remove(std::string path, bool is_recursive, Deadline deadline) {
  PADDOCK_TRY(Call({.operation = FileOperation::kRemove, .path = std::move(path), .flag = is_recursive}, deadline));
  return {};
}

Status GuestFiles::Rename(std::string from, std::string to, Deadline deadline) {
  PADDOCK_TRY(Call({.operation = FileOperation::kRename, .path = std::move(from), .other = std::move(to)}, deadline));
  return {};
}

Status GuestFiles::ChangeMode(std::string path, uint16_t mode, Deadline deadline) {
  PADDOCK_TRY(Call({.operation = FileOperation::kChangeMode, .path = std::move(path), .mode = mode}, deadline));
  return {};
}

Status GuestFiles::MakeSymlink(std::string path, std::string target, Deadline deadline) {
  PADDOCK_TRY(Call({.operation = FileOperation::kMakeSymlink, .path = std::move(path), .other = std::move(target)}, deadline));
  return {};
}

Result<std::vector<DirectoryEntry>> GuestFiles::List(const std::string& path, size_t max_entries, Deadline deadline) {
  if (path.empty() || path.size() > 4096 || path.find('\0') != std::string::npos) return Error(Code::kInvalid, path + ": not a path");
  WireWriter writer;
  writer.String(path);
  const auto stream = std::make_shared<DataStream>(*connection_);
  auto lock = connection_->Acquire();
  PADDOCK_ASSIGN(stream->number, connection_->Open(stream, FrameType::kListDirectory, writer.Take()));
  const StreamDropper dropper{*stream};
  std::vector<DirectoryEntry> all;
  while (true) {
    PADDOCK_TRY(stream->Wait(lock, deadline, path, [&] { return !stream->received.empty(); }));
    if (stream->received.empty()) return all;   // replied
    PADDOCK_ASSIGN(auto entries, DecodeEntries(stream->Take()));
    if (entries.size() > max_entries - all.size()) return Error(Code::kLimit, path + ": too many entries");
    all.insert(all.end(), std::make_move_iterator(entries.begin()), std::make_move_iterator(entries.end()));
  }
}

Result<FileStat> GuestFiles::Read(const ReadRequest& request, const std::function<Status(std::string_view)>& sink,
                                  Deadline deadline) {
  const std::string encoded = Encode(request);
  PADDOCK_TRY(CheckRequest<DecodeRead>(encoded, request.path));
  const auto stream = std::make_shared<DataStream>(*connection_);
  auto lock = connection_->Acquire();
  PADDOCK_ASSIGN(stream->number, connection_->Open(stream, FrameType::kReadFile, encoded));
  const StreamDropper dropper{*stream};
  while (true) {
    PADDOCK_TRY(stream->Wait(lock, deadline, request.path, [&] { return !stream->received.empty(); }));
    if (stream->received.empty()) return DecodeFileStat(*stream->reply);
    const std::string bytes = stream->Take();
    lock.unlock();
    const Status status = sink(bytes);
    lock.lock();
    PADDOCK_TRY(status);
  }
}

Result<std::string> GuestFiles::ReadAll(const std::string& path, size_t max_bytes, Deadline deadline) {
  std::string all;
  PADDOCK_TRY(Read({.path = path}, [&](std::string_view bytes) -> Status {
    if (bytes.size() > max_bytes - all.size()) return Error(Code::kLimit, path + ": file is over the limit");
    all.append(bytes);
    return {};
  }, deadline));
  return all;
}

Result<std::unique_ptr<GuestFileWriter>> GuestFiles::OpenWriter(const WriteRequest& request) {
  const std::string encoded = Encode(request);
  PADDOCK_TRY(CheckRequest<DecodeWrite>(encoded, request.path));
  auto stream = std::make_shared<DataStream>(*connection_);
  const auto lock = connection_->Acquire();
  PADDOCK_ASSIGN(stream->number, connection_->Open(stream, FrameType::kWriteFile, encoded));
  // allow(raw-new): the constructor is private
  return std::unique_ptr<GuestFileWriter>(new GuestFileWriter(connection_, std::move(stream), request.path));
}

Status GuestFiles::WriteAll(const WriteRequest& request, std::string_view content, Deadline deadline) {
  PADDOCK_ASSIGN(const auto writer, OpenWriter(request));
  PADDOCK_TRY(writer->Write(content, deadline));
  return writer->Commit(deadline);
}

Result<std::unique_ptr<GuestWatch>> GuestFiles::Watch(const WatchRequest& request, Deadline deadline) {
  const std::string encoded = Encode(request);
  PADDOCK_TRY(CheckRequest<DecodeWatch>(encoded, request.path));
  auto stream = std::make_shared<DataStream>(*connection_);
  auto lock = connection_->Acquire();
  PADDOCK_ASSIGN(stream->number, connection_->Open(stream, FrameType::kWatch, encoded));
  if (const Status status = stream->Wait(lock, deadline, request.path, [&] { return stream->opened.has_value(); }); !status) {
    stream->Drop();
    return status.error();
  }
  // allow(raw-new): the constructor is private
  return std::unique_ptr<GuestWatch>(new GuestWatch(connection_, std::move(stream), request.path));
}

}  // namespace paddock::guest
