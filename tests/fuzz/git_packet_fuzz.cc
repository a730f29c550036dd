// Fuzz target of git's packets: whatever a server sends, it comes apart the same however the stream is cut.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/check.h"
#include "bounded_run.h"
#include "git/packet.h"

namespace {

std::vector<std::string> Read(std::string_view stream, size_t size) {
  std::vector<std::string> packets;
  paddock::git::PacketReader reader([&packets](std::string_view content, bool is_flush) {
    PADDOCK_CHECK(content.size() <= paddock::git::kMostPacket && (!is_flush || content.empty()));
    packets.push_back((is_flush ? "f" : "p") + std::string(content));
    return paddock::Status();
  });
  for (size_t at = 0; at < stream.size(); at += size) {
    if (!reader.Feed(stream.substr(at, size))) {
      packets.push_back("error");
      return packets;
    }
  }
  packets.push_back(reader.is_between_packets() ? "end" : "cut");
  return packets;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const paddock::fuzz::CpuGuard guard;
  if (size == 0) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  PADDOCK_CHECK(Read(stream, 1 + data[0]) == Read(stream, std::max<size_t>(stream.size(), 1)));
  return 0;
}
