// Packets of git's protocol: text or bytes with their length in front, and marks between them.
//
// Source: gitprotocol-common(5) "pkt-line Format", gitprotocol-pack(5).
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock::git {

inline constexpr std::string_view kFlushPacket = "0000";
inline constexpr size_t kMostPacket = 65516;   // bytes of content

// `content` (at most kMostPacket bytes) with its length in front.
std::string Packet(std::string_view content);

// Takes a stream in pieces of any size and hands its packets on, each once and whole.
class PacketReader {
 public:
  // A flush packet has no content and `is_flush`. An error ends the stream.
  using Handler = std::function<Status(std::string_view content, bool is_flush)>;
  explicit PacketReader(Handler handler) : handler_(std::move(handler)) {}

  // Errors: kCorrupt ("bad line length character: …"), those of the handler.
  Status Feed(std::string_view bytes);
  // Whether the stream may end here.
  bool is_between_packets() const { return held_.empty(); }

 private:
  Handler handler_;
  std::string held_;   // the beginning of a packet
};

}  // namespace paddock::git
