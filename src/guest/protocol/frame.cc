#include "guest/protocol/frame.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace paddock::guest {
namespace {

uint32_t ReadInteger(const char* from, size_t bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < bytes; ++i) value |= static_cast<uint32_t>(static_cast<unsigned char>(from[i])) << (8 * i);
  return value;
}

void WriteInteger(uint32_t value, size_t bytes, char* to) {
  for (size_t i = 0; i < bytes; ++i) to[i] = static_cast<char>(value >> (8 * i) & 0xff);
}

bool HasChannel(FrameType type) {
  return type == FrameType::kData || type == FrameType::kOutput || type == FrameType::kEnd || type == FrameType::kWindow;
}

bool AreFlagsValid(FrameType type, uint16_t flags) {
  if (HasChannel(type)) return flags < kChannels;
  return (flags & ~kFlagMore) == 0;
}

}  // namespace

bool IsKnownFrameType(uint16_t type) {
  switch (static_cast<FrameType>(type)) {
    case FrameType::kHello:
    case FrameType::kPing:
    case FrameType::kPong:
    case FrameType::kFailure:
    case FrameType::kData:
    case FrameType::kOutput:
    case FrameType::kEnd:
    case FrameType::kWindow:
    case FrameType::kError:
    case FrameType::kReset:
    case FrameType::kReply:
    case FrameType::kStart:
    case FrameType::kAttach:
    case FrameType::kListProcesses:
    case FrameType::kKillAll:
    case FrameType::kFile:
    case FrameType::kListDirectory:
    case FrameType::kReadFile:
    case FrameType::kWriteFile:
    case FrameType::kWatch:
    case FrameType::kSetTimes:
    case FrameType::kOpenFile:
    case FrameType::kPackTree:
    case FrameType::kDial:
    case FrameType::kListen:
    case FrameType::kUnpackTree:
    case FrameType::kUsage:
    case FrameType::kSetTime:
    case FrameType::kAddEntropy:
    case FrameType::kShutdown:
    case FrameType::kSignal:
    case FrameType::kResize:
    case FrameType::kKillTree:
    case FrameType::kForget:
    case FrameType::kFileAct:
    case FrameType::kStarted:
    case FrameType::kExited:
    case FrameType::kInputClosed:
    case FrameType::kTreeKilled:
    case FrameType::kOpened:
    case FrameType::kFileDone:
    case FrameType::kAccepted:
      return true;
  }
  return false;
}

void EncodeFrameHeader(const FrameHeader& header, char* out) {
  WriteInteger(header.length, 4, out);
  WriteInteger(header.stream, 4, out + 4);
  WriteInteger(static_cast<uint32_t>(header.type), 2, out + 8);
  WriteInteger(header.flags, 2, out + 10);
}

void AppendFrame(std::string& out, uint32_t stream, FrameType type, uint16_t flags, std::string_view payload) {
  PADDOCK_CHECK(payload.size() <= kMaxPayloadBytes);
  char header[kFrameHeaderBytes];
  EncodeFrameHeader({static_cast<uint32_t>(payload.size()), stream, type, flags}, header);
  out.append(header, sizeof header);
  out.append(payload);
}

void AppendMessage(std::string& out, uint32_t stream, FrameType type, std::string_view message) {
  PADDOCK_CHECK(message.size() <= kMaxMessageBytes);
  do {
    const std::string_view piece = message.substr(0, kMaxPayloadBytes);
    message.remove_prefix(piece.size());
    AppendFrame(out, stream, type, message.empty() ? 0 : kFlagMore, piece);
  } while (!message.empty());
}

void FrameDecoder::Unmap::operator()(char* pages) const { munmap(pages, kCapacity); }

FrameDecoder::FrameDecoder() {
  void* const pages = mmap(nullptr, kCapacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();   // as any other way to get memory
  buffer_.reset(static_cast<char*>(pages));
}

std::span<char> FrameDecoder::Space() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ > 0 && kCapacity - begin_ < kFrameHeaderBytes + kMaxPayloadBytes) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return {buffer_.get() + end_, kCapacity - end_};
}

Result<std::optional<Frame>> FrameDecoder::Next() {
  if (end_ - begin_ < kFrameHeaderBytes) return std::optional<Frame>();
  const char* at = buffer_.get() + begin_;
  const uint32_t type = ReadInteger(at + 8, 2);
  FrameHeader header;
  header.length = ReadInteger(at, 4);
  header.stream = ReadInteger(at + 4, 4);
  header.type = static_cast<FrameType>(type);
  header.flags = static_cast<uint16_t>(ReadInteger(at + 10, 2));
  if (header.length > kMaxPayloadBytes) return Error(Code::kInvalid, "guest protocol: frame over the size limit");
  if (!IsKnownFrameType(static_cast<uint16_t>(type))) return Error(Code::kInvalid, "guest protocol: unknown frame type");
  if (!AreFlagsValid(header.type, header.flags)) return Error(Code::kInvalid, "guest protocol: unknown frame flag");
  if (end_ - begin_ < kFrameHeaderBytes + header.length) return std::optional<Frame>();
  begin_ += kFrameHeaderBytes + header.length;
  return std::optional<Frame>(Frame{header, std::string_view(at + kFrameHeaderBytes, header.length)});
}

Result<std::optional<MessageAssembler::Message>> MessageAssembler::Add(const Frame& frame) {
  if (is_done_) {
    pending_ = {};
    is_done_ = is_open_ = false;
  }
  const bool more = (frame.header.flags & kFlagMore) != 0 && !HasChannel(frame.header.type);
  if (!is_open_ && !more) return std::optional<Message>({frame.header.stream, frame.header.type, frame.payload});
  if (is_open_ && (frame.header.stream != stream_ || frame.header.type != type_)) {
    return Error(Code::kInvalid, "guest protocol: message interrupted by another frame");
  }
  if (pending_.size() + frame.payload.size() > kMaxMessageBytes) {
    return Error(Code::kInvalid, "guest protocol: message over the size limit");
  }
  // A continued frame without bytes would let a peer send for ever without getting anywhere.
  if (more && frame.payload.empty()) return Error(Code::kInvalid, "guest protocol: empty piece of a message");
  is_open_ = true;
  stream_ = frame.header.stream;
  type_ = frame.header.type;
  pending_.append(frame.payload);
  if (more) return std::optional<Message>();
  is_done_ = true;
  return std::optional<Message>({stream_, type_, pending_});
}

}  // namespace paddock::guest
