// The way to a daemon: where it listens, which key it takes, and one request after the other.
#pragma once

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/options.h"
#include "base/result.h"
#include "net/client.h"
#include "net/web_socket_client.h"

namespace paddock::cli {

namespace json = boost::json;

struct LinkOptions {
  std::string server;
  std::string key_file;
  std::string ca_file;
};

inline constexpr Option kLinkOptions[] = {
    Value<&LinkOptions::server>('S', "server", "URL", "the daemon: http://HOST:PORT, https://… or unix:PATH (default: $PADDOCK_SERVER, or the one of this user)"),
    Value<&LinkOptions::key_file>('K', "key-file", "FILE", "holds the key (default: $PADDOCK_KEY; the user's own unix socket needs none)"),
    Value<&LinkOptions::ca_file>(0, "ca-file", "FILE", "the authority of an https daemon (default: the system's)"),
};

// "%2F" for what may not stand in a path or a query.
using net::EncodePercent;
// What of "/v1/sandboxes/NAME" a sandbox's name becomes; `rest` begins with a slash or is empty.
std::string SandboxPath(std::string_view sandbox, std::string_view rest = {});

// One thread at a time; several at once need several links.
class Link {
 public:
  // Connects with the first request. Errors: kInvalid for an address or a key that is none, kNoEntry where no daemon can be meant.
  // `cancellation` ends what waits; it may be null.
  static Result<Link> Open(const LinkOptions& options, std::shared_ptr<net::Cancellation> cancellation = nullptr);

  // The answer's body. Errors: what the daemon says, in its words; kUnavailable when it cannot be reached.
  Result<json::value> Get(const std::string& target);
  // The array `member` of all pages of a list, which `target` asks for with a query ("…?limit=1000").
  Result<json::array> GetAll(const std::string& target, const char* member);
  // Without a body when it is null.
  Result<json::value> Post(const std::string& target, const json::value& body);
  Result<json::value> Put(const std::string& target, const json::value& body);
  Result<json::value> Delete(const std::string& target);
  // As Get(), for a request with a body of its own.
  Result<json::value> SendForAnswer(net::ClientRequest request) { return Call(std::move(request)); }
  // As the server answers, when it is no error: a stream, a file.
  Result<std::unique_ptr<net::Response>> Send(net::ClientRequest request);

  // A WebSocket of its own, which `cancellation` ends. Errors as Get(), where the daemon refuses.
  Result<std::unique_ptr<net::WebSocketClient>> OpenWebSocket(const std::string& target, std::shared_ptr<net::Cancellation> cancellation);

  const std::string& server() const { return server_; }

 private:
  explicit Link(net::ClientOptions options) : client_(std::make_unique<net::Client>(std::move(options))) {}
  Result<json::value> Call(net::ClientRequest request);
  Result<json::value> Send(const char* method, const std::string& target, const json::value& body);

  std::unique_ptr<net::Client> client_;
  std::string server_;   // as it was named
  std::string key_;
};

}  // namespace paddock::cli
