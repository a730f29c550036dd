// McpDoor: what the endpoint of the Model Context Protocol needs of the daemon: who asks, and the session that a request works in.
#pragma once

#include "api/mcp/http.h"
#include "api/rest/router.h"
#include "api/session/session_service.h"

namespace paddock::api {

inline constexpr const char* kMcpSession = "mcp";   // of each owner, for clients that name none

// Any thread.
class McpDoor final : public mcp::Door {
 public:
  // `sessions` outlives it.
  McpDoor(SessionService& sessions, Authenticate authenticate) : sessions_(sessions), authenticate_(std::move(authenticate)) {}

  Result<std::string> Identify(const net::Request& request) override;
  Result<Opened> Open(const net::Request& request, const std::string& session) override;

 private:
  SessionService& sessions_;
  const Authenticate authenticate_;
};

}  // namespace paddock::api
