#include "guest/protocol/file_messages.h"

#include "guest/protocol/file_fields.h"

namespace paddock::guest {
namespace {

constexpr size_t kMaxNameBytes = 255;
constexpr size_t kMaxItems = 64 * 1024;   // of one frame; its bytes say the rest

}  // namespace

void PutStat(WireWriter& writer, const FileStat& stat) {
  writer.U8(static_cast<uint8_t>(stat.kind));
  writer.U16(stat.mode);
  writer.U32(stat.uid);
  writer.U32(stat.gid);
  writer.U32(stat.links);
  writer.U64(stat.size);
  writer.U64(stat.device);
  writer.U64(stat.inode);
  writer.I64(stat.modified_ns);
}

FileStat TakeStat(WireReader& reader) {
  FileStat stat;
  const uint8_t kind = reader.U8();
  if (kind >= kFileKinds) {
    reader.Fail();
    return stat;
  }
  stat.kind = static_cast<FileKind>(kind);
  stat.mode = reader.U16();
  stat.uid = reader.U32();
  stat.gid = reader.U32();
  stat.links = reader.U32();
  stat.size = reader.U64();
  stat.device = reader.U64();
  stat.inode = reader.U64();
  stat.modified_ns = reader.I64();
  if (stat.mode > 07777) reader.Fail();
  return stat;
}

std::string TakePath(WireReader& reader) {
  std::string path = reader.Text(kMaxPathBytes);
  if (path.empty()) reader.Fail();
  return path;
}

std::string Encode(const FileRequest& message) {
  WireWriter writer;
  writer.U8(static_cast<uint8_t>(message.operation));
  writer.String(message.path);
  writer.String(message.other);
  writer.U16(message.mode);
  writer.Bool(message.flag);
  writer.U32(message.uid);
  writer.U32(message.gid);
  writer.I64(message.number);
  return writer.Take();
}

Result<FileRequest> DecodeFile(std::string_view bytes) {
  WireReader reader(bytes);
  FileRequest message;
  const uint8_t operation = reader.U8();
  message.path = TakePath(reader);
  message.other = reader.Text(kMaxPathBytes);
  message.mode = reader.U16();
  message.flag = reader.Bool();
  message.uid = reader.U32();
  message.gid = reader.U32();
  message.number = reader.I64();
  if (operation == 0 || operation >= kFileOperations || message.mode > 07777) reader.Fail();
  PADDOCK_TRY(reader.Finish("file"));
  message.operation = static_cast<FileOperation>(operation);
  return message;
}

std::string Encode(const FileStat& message) {
  WireWriter writer;
  PutStat(writer, message);
  return writer.Take();
}

Result<FileStat> DecodeFileStat(std::string_view bytes) {
  WireReader reader(bytes);
  const FileStat stat = TakeStat(reader);
  PADDOCK_TRY(reader.Finish("file status"));
  return stat;
}

std::string Encode(const DirectoryEntry& message) {
  WireWriter writer;
  writer.String(message.name);
  PutStat(writer, message.stat);
  return writer.Take();
}

Result<std::vector<DirectoryEntry>> DecodeEntries(std::string_view bytes) {
  WireReader reader(bytes);
  std::vector<DirectoryEntry> entries;
  while (reader.ok() && !reader.AtEnd() && entries.size() < kMaxItems) {
    DirectoryEntry entry;
    entry.name = reader.Text(kMaxNameBytes);
    entry.stat = TakeStat(reader);
    // What a caller joins to a path must be one name.
    if (entry.name.empty() || entry.name == "." || entry.name == ".." || entry.name.find('/') != std::string::npos) reader.Fail();
    if (reader.ok()) entries.push_back(std::move(entry));
  }
  PADDOCK_TRY(reader.Finish("directory"));
  return entries;
}

std::string Encode(const ReadRequest& message) {
  WireWriter writer;
  writer.String(message.path);
  writer.U64(message.offset);
  writer.U64(message.length);
  return writer.Take();
}

Result<ReadRequest> DecodeRead(std::string_view bytes) {
  WireReader reader(bytes);
  ReadRequest message;
  message.path = TakePath(reader);
  message.offset = reader.U64();
  message.length = reader.U64();
  if (message.offset > INT64_MAX) reader.Fail();
  PADDOCK_TRY(reader.Finish("read"));
  return message;
}

std::string Encode(const WriteRequest& message) {
  WireWriter writer;
  writer.String(message.path);
  writer.U8(static_cast<uint8_t>(message.mode));
  writer.Bool(message.permissions.has_value());
  if (message.permissions) writer.U16(*message.permissions);
  writer.Bool(message.makes_parents);
  writer.Bool(message.is_synced);
  return writer.Take();
}

Result<WriteRequest> DecodeWrite(std::string_view bytes) {
  WireReader reader(bytes);
  WriteRequest message;
  message.path = TakePath(reader);
  const uint8_t mode = reader.U8();
  if (reader.Bool()) message.permissions = reader.U16();
  message.makes_parents = reader.Bool();
  message.is_synced = reader.Bool();
  if (mode >= kWriteModes || message.permissions.value_or(0) > 07777) reader.Fail();
  PADDOCK_TRY(reader.Finish("write"));
  message.mode = static_cast<WriteMode>(mode);
  return message;
}

std::string Encode(const WatchRequest& message) {
  WireWriter writer;
  writer.String(message.path);
  writer.Bool(message.is_recursive);
  return writer.Take();
}

Result<WatchRequest> DecodeWatch(std::string_view bytes) {
  WireReader reader(bytes);
  WatchRequest message;
  message.path = TakePath(reader);
  message.is_recursive = reader.Bool();
  PADDOCK_TRY(reader.Finish("watch"));
  return message;
}

std::string Encode(const WatchEvent& message) {
  WireWriter writer;
  writer.U8(static_cast<uint8_t>(message.kind));
  writer.Bool(message.is_directory);
  writer.U32(message.cookie);
  writer.String(message.path);
  return writer.Take();
}

Result<std::vector<WatchEvent>> DecodeWatchEvents(std::string_view bytes) {
  WireReader reader(bytes);
  std::vector<WatchEvent> events;
  while (reader.ok() && !reader.AtEnd() && events.size() < kMaxItems) {
    WatchEvent event;
    const uint8_t kind = reader.U8();
    event.is_directory = reader.Bool();
    event.cookie = reader.U32();
    event.path = reader.Text(kMaxPathBytes);
    if (kind >= kWatchKinds) reader.Fail();
    event.kind = static_cast<WatchKind>(kind);
    if (reader.ok()) events.push_back(std::move(event));
  }
  PADDOCK_TRY(reader.Finish("watch event"));
  return events;
}

}  // namespace paddock::guest
