#include "guest/protocol/open_file_messages.h"

#include "guest/protocol/file_fields.h"

namespace paddock::guest {

std::string Encode(const FileAttributes& message) {
  WireWriter writer;
  PutStat(writer, message.stat);
  writer.U64(message.blocks);
  writer.U32(message.device_major);
  writer.U32(message.device_minor);
  writer.I64(message.accessed_ns);
  writer.I64(message.changed_ns);
  return writer.Take();
}

Result<FileAttributes> DecodeFileAttributes(std::string_view bytes) {
  WireReader reader(bytes);
  FileAttributes message;
  message.stat = TakeStat(reader);
  message.blocks = reader.U64();
  message.device_major = reader.U32();
  message.device_minor = reader.U32();
  message.accessed_ns = reader.I64();
  message.changed_ns = reader.I64();
  PADDOCK_TRY(reader.Finish("file attributes"));
  return message;
}

std::string Encode(const FileSpace& message) {
  WireWriter writer;
  writer.U64(message.type);
  writer.U64(message.total_bytes);
  writer.U64(message.free_bytes);
  writer.U64(message.total_inodes);
  writer.U64(message.free_inodes);
  return writer.Take();
}

Result<FileSpace> DecodeFileSpace(std::string_view bytes) {
  WireReader reader(bytes);
  FileSpace message;
  message.type = reader.U64();
  message.total_bytes = reader.U64();
  message.free_bytes = reader.U64();
  message.total_inodes = reader.U64();
  message.free_inodes = reader.U64();
  if (message.free_bytes > message.total_bytes || message.free_inodes > message.total_inodes) reader.Fail();
  PADDOCK_TRY(reader.Finish("file space"));
  return message;
}

std::string Encode(const SetTimesRequest& message) {
  WireWriter writer;
  writer.String(message.path);
  writer.Bool(message.follows);
  writer.U8(static_cast<uint8_t>(message.access));
  writer.I64(message.accessed_ns);
  writer.U8(static_cast<uint8_t>(message.modify));
  writer.I64(message.modified_ns);
  return writer.Take();
}

Result<SetTimesRequest> DecodeSetTimes(std::string_view bytes) {
  WireReader reader(bytes);
  SetTimesRequest message;
  message.path = TakePath(reader);
  message.follows = reader.Bool();
  const uint8_t access = reader.U8();
  message.accessed_ns = reader.I64();
  const uint8_t modify = reader.U8();
  message.modified_ns = reader.I64();
  if (access >= kTimeChoices || modify >= kTimeChoices) reader.Fail();
  PADDOCK_TRY(reader.Finish("set times"));
  message.access = static_cast<TimeChoice>(access);
  message.modify = static_cast<TimeChoice>(modify);
  return message;
}

std::string Encode(const OpenRequest& message) {
  WireWriter writer;
  writer.String(message.path);
  writer.U16(message.flags);
  writer.U16(message.mode);
  return writer.Take();
}

Result<OpenRequest> DecodeOpen(std::string_view bytes) {
  WireReader reader(bytes);
  OpenRequest message;
  message.path = TakePath(reader);
  message.flags = reader.U16();
  message.mode = reader.U16();
  if ((message.flags & ~kOpenFlags) != 0 || message.mode > 07777) reader.Fail();
  PADDOCK_TRY(reader.Finish("open"));
  return message;
}

std::string Encode(const FileAct& message) {
  WireWriter writer;
  writer.U8(static_cast<uint8_t>(message.act));
  writer.U64(message.offset);
  writer.U32(message.length);
  writer.String(message.bytes);
  return writer.Take();
}

Result<FileAct> DecodeFileAct(std::string_view bytes) {
  WireReader reader(bytes);
  FileAct message;
  const uint8_t act = reader.U8();
  message.offset = reader.U64();
  message.length = reader.U32();
  message.bytes = reader.String(kMaxActBytes);
  if (act == 0 || act >= kActs || message.length > kMaxActBytes) reader.Fail();
  if (message.offset > INT64_MAX - kMaxActBytes) reader.Fail();
  PADDOCK_TRY(reader.Finish("file act"));
  message.act = static_cast<Act>(act);
  return message;
}

std::string Encode(const FileDone& message) {
  WireWriter writer;
  writer.I32(message.error_number);
  writer.U64(message.offset);
  writer.String(message.bytes);
  return writer.Take();
}

Result<FileDone> DecodeFileDone(std::string_view bytes) {
  WireReader reader(bytes);
  FileDone message;
  message.error_number = reader.I32();
  message.offset = reader.U64();
  message.bytes = reader.String(kMaxActBytes);
  if (message.error_number < 0 || message.error_number > 4095 || message.offset > INT64_MAX) reader.Fail();
  PADDOCK_TRY(reader.Finish("file done"));
  return message;
}

}  // namespace paddock::guest
