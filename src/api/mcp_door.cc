#include "api/mcp_door.h"

namespace paddock::api {

Result<std::string> McpDoor::Identify(const net::Request& request) {
  PADDOCK_ASSIGN(const Identity identity, authenticate_(request));
  if (identity.most == Access::kRead) return Error(Code::kNotPermitted, "this key may only look; tools need one with role user or admin");
  return identity.caller.owner;
}

Result<mcp::Door::Opened> McpDoor::Open(const net::Request& request, const std::string& session) {
  PADDOCK_ASSIGN(const Identity identity, authenticate_(request));
  auto open = sessions_.Open(identity.caller, session.empty() ? kMcpSession : session);
  if (!open && open.error().code == Code::kNoEntry && session.empty()) {
    open = sessions_.Create(identity.caller, {.name = kMcpSession, .labels = {}, .definition = {}});
    // Another request made it meanwhile.
    if (!open && open.error().code == Code::kExists) open = sessions_.Open(identity.caller, kMcpSession);
  }
  if (!open) return open.error();
  return Opened{.session = std::move(open->access), .equipment = std::move(open->equipment)};
}

}  // namespace paddock::api
