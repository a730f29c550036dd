// Frames: what the byte stream between a sandbox's agent and its client is cut into (docs/guest-protocol.md).
//
//   length u32 | stream u32 | type u16 | flags u16 | payload, `length` bytes           (all little-endian)
//
// Pure: no I/O, no clock. The decoder takes any bytes in any pieces and never holds more than one buffer of a fixed size.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock::guest {

inline constexpr size_t kFrameHeaderBytes = 12;
inline constexpr size_t kMaxPayloadBytes = 64 * 1024;
// A request or reply that is longer than a payload is sent as several frames; this is the most that the pieces may sum to.
inline constexpr size_t kMaxMessageBytes = 4 * 1024 * 1024;

enum class FrameType : uint16_t {
  // The connection; stream 0.
  kHello = 1,
  kPing = 2,
  kPong = 3,
  kFailure = 4,        // the connection is over, and why
  // Any other stream.
  kData = 8,           // bytes; flags = channel
  kOutput = 9,         // output of a process: its offset (u64), then the bytes; flags = channel
  kEnd = 10,           // no more data on this channel in this direction; flags = channel
  kWindow = 11,        // so many more bytes (u32) may be sent to me; flags = channel
  kError = 12,         // the operation failed: the last frame of the stream
  kReset = 13,         // the sender has done with the stream
  kReply = 14,         // the result of a request
  // Requests: each opens a stream of the client's.
  kStart = 32,
  kAttach = 33,
  kListProcesses = 34,
  kKillAll = 35,
  kFile = 40,          // an operation on a path that has one answer: stat, mkdir, rename …
  kListDirectory = 41,
  kReadFile = 42,
  kWriteFile = 43,
  kWatch = 44,
  kSetTimes = 45,      // from version 2 on
  kOpenFile = 46,      // likewise
  kPackTree = 47,      // likewise
  kDial = 48,
  kListen = 49,
  kUnpackTree = 50,    // from version 2 on
  kUsage = 56,
  kSetTime = 57,
  kAddEntropy = 58,
  kShutdown = 59,
  // On the stream of a process.
  kSignal = 64,
  kResize = 65,
  kKillTree = 66,
  kForget = 67,
  kFileAct = 68,       // on the stream of an open file
  kStarted = 72,
  kExited = 73,
  kInputClosed = 74,
  kTreeKilled = 75,
  kOpened = 76,        // the request was good and its stream goes on: dial, listen, watch, open
  kFileDone = 77,
  // Opens a stream of the agent's: a connection that a listener took.
  kAccepted = 80,
};

// True for a type of this version of the protocol.
bool IsKnownFrameType(uint16_t type);

// In `flags` of request and reply frames: the next frame continues the message.
inline constexpr uint16_t kFlagMore = 0x8000;
// `flags` of kData, kOutput, kEnd and kWindow is a channel.
inline constexpr uint16_t kChannelIn = 0;      // what a program reads; the bytes of a file or a connection
inline constexpr uint16_t kChannelOut = 1;
inline constexpr uint16_t kChannelError = 2;
inline constexpr uint16_t kChannels = 3;

struct FrameHeader {
  uint32_t length = 0;
  uint32_t stream = 0;
  FrameType type = FrameType::kHello;
  uint16_t flags = 0;
};

struct Frame {
  FrameHeader header;
  std::string_view payload;
};

// Puts the header's bytes at `out`, which has room for kFrameHeaderBytes.
void EncodeFrameHeader(const FrameHeader& header, char* out);
// Appends a frame. The payload must not exceed kMaxPayloadBytes.
void AppendFrame(std::string& out, uint32_t stream, FrameType type, uint16_t flags, std::string_view payload);
// Appends a message of at most kMaxMessageBytes as as many frames as it needs.
void AppendMessage(std::string& out, uint32_t stream, FrameType type, std::string_view message);

// Cuts a byte stream into frames. Bytes are put straight into Space(), then counted by Commit().
class FrameDecoder {
 public:
  FrameDecoder();

  // Where the next bytes go; never empty when Next() has been called until it returned nothing. Invalidates the frames
  // that Next() gave.
  std::span<char> Space();
  void Commit(size_t bytes) { end_ += bytes; }
  // The next whole frame, nothing when more bytes are needed, or kInvalid when the stream is broken for good: a payload
  // over the limit, an unknown type, a flag that the type does not have.
  Result<std::optional<Frame>> Next();
  // True between frames: an end of the stream here is a clean one.
  bool IsAtBoundary() const { return begin_ == end_; }

 private:
  static constexpr size_t kCapacity = 2 * (kFrameHeaderBytes + kMaxPayloadBytes);

  struct Unmap {
    void operator()(char* pages) const;
  };
  // Pages of their own: those that nothing has come into yet take no memory, as recycled ones of the heap would.
  std::unique_ptr<char[], Unmap> buffer_;
  size_t begin_ = 0;
  size_t end_ = 0;
};

// Puts the frames of requests and replies together again. The frames of one message follow each other without others in
// between, so one assembler serves a connection and what it holds is bounded by kMaxMessageBytes of received bytes.
class MessageAssembler {
 public:
  struct Message {
    uint32_t stream = 0;
    FrameType type = FrameType::kHello;
    std::string_view bytes;   // valid until the next call of Add() or Clear()
  };
  // Nothing while the message goes on. kInvalid when a frame of another stream or type interrupts it, or it grows too long.
  Result<std::optional<Message>> Add(const Frame& frame);

 private:
  std::string pending_;
  uint32_t stream_ = 0;
  FrameType type_ = FrameType::kHello;
  bool is_open_ = false;
  bool is_done_ = false;
};

}  // namespace paddock::guest
