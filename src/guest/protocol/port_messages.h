// The messages of ports and of the machine as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::guest {

enum class Network : uint8_t { kTcp = 0, kUnix = 1 };

// kDial: a connection from inside to a server inside. Answered by kOpened once it stands; then kData both ways (channel in,
// with credit), kEnd for half of it, kError when it breaks.
struct DialRequest {
  Network network = Network::kTcp;
  std::string address;   // TCP: an IP address, or empty or "localhost"; unix: a path, or @NAME for an abstract one
  uint16_t port = 0;     // TCP only
};
std::string Encode(const DialRequest& message);
Result<DialRequest> DecodeDial(std::string_view bytes);

// kListen: a server inside whose connections come to the client. Answered by kOpened with the port; then the agent opens a
// stream with kAccepted for every connection, until kReset of this one.
struct ListenRequest {
  Network network = Network::kTcp;
  std::string address;   // TCP: an IP address, 127.0.0.1 if empty; unix: as of DialRequest
  uint16_t port = 0;     // 0: any that is free
};
std::string Encode(const ListenRequest& message);
Result<ListenRequest> DecodeListen(std::string_view bytes);

struct Opened {
  uint16_t port = 0;     // of a TCP listener
};
std::string Encode(const Opened& message);
Result<Opened> DecodeOpened(std::string_view bytes);

// The first frame of a stream of the agent's: a connection, with data as of kDial.
struct Accepted {
  uint32_t listener = 0;   // stream of the kListen
  std::string peer;        // for people
};
std::string Encode(const Accepted& message);
Result<Accepted> DecodeAccepted(std::string_view bytes);

// The reply to kUsage: what could be measured, each with its unit in the name.
struct UsageValue {
  std::string name;
  uint64_t value = 0;
};
std::string Encode(const std::vector<UsageValue>& message);
Result<std::vector<UsageValue>> DecodeUsage(std::string_view bytes);

// What a kAddEntropy may hold.
inline constexpr size_t kMaxEntropyBytes = 4096;

}  // namespace paddock::guest
