// Messages of the Model Context Protocol: JSON-RPC 2.0 as its revisions have it, read from hostile text.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace paddock::mcp {

namespace json = boost::json;

// Those that this server speaks. The older ones begin with a handshake; in the newest every request stands for itself.
enum class Revision { k2025_03_26, k2025_06_18, k2025_11_25, k2026_07_28 };
inline constexpr Revision kNewestWithHandshake = Revision::k2025_11_25;
constexpr bool IsStateless(Revision revision) { return revision == Revision::k2026_07_28; }
// "2025-11-25".
const char* NameOf(Revision revision);
std::optional<Revision> FindRevision(std::string_view name);
// Their names, newest first.
json::array RevisionNames();

// Codes of JSON-RPC 2.0 §5.1 and of the protocol.
inline constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602,
                     kInternalError = -32603;
inline constexpr int kTooBusy = -32000;            // ours: too many requests at once
inline constexpr int kResourceNotFound = -32002;   // before 2026-07-28
inline constexpr int kHeaderMismatch = -32020, kMissingCapability = -32021, kUnsupportedRevision = -32022;   // since 2026-07-28

// The argument of tools that stands in a header, too, since 2026-07-28: Mcp-Param-Sandbox-Id.
inline constexpr const char* kMirroredArgument = "sandbox_id";
inline constexpr const char* kMirrorHeader = "Sandbox-Id";

struct RpcError {
  int code = kInternalError;
  std::string message;
  json::value data;   // null: none
};

// What a request came to: its result, or why there is none.
using Outcome = std::variant<json::object, RpcError>;

struct Message {
  enum class Kind { kRequest, kNotification, kResponse };
  Kind kind = Kind::kNotification;
  json::value id;        // of a request or response: a string or an integer
  std::string method;    // not of a response
  json::object params;   // the same; empty when there were none
};

// What stood in the place of a message but is none. `id` is null where none could be read.
struct Unreadable {
  json::value id;
  RpcError error;
};
using Item = std::variant<Message, Unreadable>;

// What came in one piece: one message, or in old revisions several.
struct Frame {
  bool is_batch = false;
  std::vector<Item> items;   // at least one
};

inline constexpr size_t kMostFrameBytes = 8u << 20;
inline constexpr size_t kMostInBatch = 64;
inline constexpr size_t kMostIdBytes = 256;
inline constexpr size_t kMostMethodBytes = 256;

// Never fails: text that is no JSON, too long or nested deeper than 32 is one Unreadable.
Frame ParseFrame(std::string_view text);

// The key of a request's id: different for 1 and "1".
std::string IdKey(const json::value& id);

// {"jsonrpc", "id", "result" or "error"}.
json::object ResponseTo(const json::value& id, Outcome outcome);
json::object Notification(std::string_view method, json::object params);

// An object member of an object; null if it is none.
const json::object* ObjectAt(const json::object& object, std::string_view name);
const json::string* TextAt(const json::object& object, std::string_view name);

}  // namespace paddock::mcp
