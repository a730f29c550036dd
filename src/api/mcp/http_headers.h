// What requests over HTTP say in their heads, and whether it agrees with what they carry.
#pragma once

#include <optional>
#include <string>

#include "api/mcp/message.h"
#include "net/request.h"

namespace paddock::mcp {

// The type is in the Accept header, or there is none.
bool Accepts(const net::Request& request, std::string_view type);
// False for a page of another site: its Origin is neither on this machine nor the host that was asked.
bool IsOriginGood(const net::Request& request);
// For 2026-07-28: MCP-Protocol-Version, Mcp-Method and Mcp-Name stand once and say what the body says.
std::optional<RpcError> CheckHeaders(const net::Request& request, const Message& message);
// A value as it was before "=?base64?…?=" was put around it; nothing for a malformed one.
std::optional<std::string> DecodeHeaderValue(std::string_view value);

}  // namespace paddock::mcp
