// Clients over HTTP that began with a handshake: what Mcp-Session-Id stands for. It says how to talk, not to which session of the
// daemon; it is forgotten when it was not used for long, after which the client begins anew.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "api/mcp/call_table.h"
#include "api/mcp/subscriptions.h"

namespace paddock::mcp {

struct HttpClient {
  std::string id;
  std::string owner;
  Revision revision = kNewestWithHandshake;
  std::shared_ptr<CallTable> calls = std::make_shared<CallTable>();
  std::shared_ptr<Subscriber> subscriber = std::make_shared<Subscriber>();
  std::chrono::steady_clock::time_point used;   // under the lock of HttpClients
};

inline constexpr size_t kMostClientsOfOwner = 256;   // above it the one that was used least recently is forgotten
inline constexpr std::chrono::hours kClientIdle{24};

// Any thread.
class HttpClients {
 public:
  std::shared_ptr<HttpClient> Add(const std::string& owner, Revision revision);
  // Null for one that is not there, or somebody else's.
  std::shared_ptr<HttpClient> Find(const std::string& owner, const std::string& id);
  bool Remove(const std::string& owner, const std::string& id);   // cancels what runs; whether it was there
  void CancelAll();   // and ends what they listen to

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<HttpClient>> clients_;
};

}  // namespace paddock::mcp
