// Fuzz target of the server: raw bytes on a socket. Whatever they are, the server answers with whole, well-formed answers and
// ends the connection when the client has ended its side; what a handler sees keeps the promises of net/request.h.
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "net/server.h"
#include "text/http_chunks.h"

namespace {

using namespace paddock;
using namespace paddock::net;

void Handle(Exchange& exchange) {
  const Request& request = exchange.request();
  PADDOCK_CHECK(request.CountHeader("content-length") + request.CountHeader("transfer-encoding") <= 1);
  PADDOCK_CHECK(request.CountHeader("host") <= 1 && (request.minor_version == 0 || !request.host.empty()));
  for (const std::string& segment : request.segments) PADDOCK_CHECK(segment != ".." && segment.find('\0') == std::string::npos);
  const Headers headers = {{"X-Method", request.method == "HEAD" ? "HEAD" : "GET"}};
  if (request.path == "/unread") return void(exchange.Respond(200, headers, "unread"));
  if (request.path == "/socket") {
    WebSocketOptions options;
    options.message_bytes = 1000;
    if (exchange.AcceptWebSocket(std::move(options))) return;
  }
  if (request.path == "/events" && request.method != "HEAD") {
    const auto stream = exchange.StartEventStream({});
    PADDOCK_CHECK(stream);
    (void)(*stream)->Send({"1", "", "data"});
    return;
  }
  const auto body = exchange.ReadWholeBody(5000);
  if (!body) return void(exchange.Respond(StatusOf(body.error()), headers, ""));
  PADDOCK_CHECK(!request.body_length || *request.body_length == body->size());
  if (request.path != "/stream") return void(exchange.Respond(200, headers, *body));
  (void)exchange.StartResponse(200, headers);
  (void)exchange.Write(*body);
  (void)exchange.Finish();
}

// Checks a sequence of answers. A WebSocket's bytes are not looked at.
void CheckAnswers(std::string_view bytes) {
  while (!bytes.empty()) {
    size_t size = 0;
    const auto head = ParseResponseHead(bytes, &size);
    PADDOCK_CHECK(head && *head);
    bytes.remove_prefix(size);
    if ((*head)->status == 101) return;
    if ((*head)->status == 100) continue;
    const std::string* method = FindHeader((*head)->headers, "x-method");
    const BodyFraming framing = FramingOf(**head, method == nullptr ? "GET" : *method);
    switch (framing.kind) {
      case BodyFraming::Kind::kNone: break;
      case BodyFraming::Kind::kUntilEnd: return;
      case BodyFraming::Kind::kLength:
        if (method == nullptr && bytes.empty()) return;   // a HEAD that was refused
        PADDOCK_CHECK(framing.length <= bytes.size());
        bytes.remove_prefix(framing.length);
        break;
      case BodyFraming::Kind::kChunked: {
        ChunkDecoder chunks;
        std::string data;
        const auto used = chunks.Feed(bytes, &data);
        PADDOCK_CHECK(used && chunks.is_done());
        bytes.remove_prefix(*used);
        break;
      }
    }
    PADDOCK_CHECK((*head)->keep_alive || bytes.empty());
  }
}

Server& TheServer() {
  static const std::unique_ptr<Server> server = [] {
    ServerOptions options;
    options.limits.head_bytes = 4000;
    auto started = Server::Start(std::move(options), Handle);
    PADDOCK_CHECK(started);
    return std::move(*started);
  }();
  return *server;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  int pair[2];
  PADDOCK_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
  const Descriptor client(pair[0]);
  PADDOCK_CHECK(TheServer().Adopt(Descriptor(pair[1]), {}));
  (void)!send(client.get(), data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(client.get(), SHUT_WR);
  std::string answers;
  for (;;) {
    pollfd ready{client.get(), POLLIN, 0};
    int count;
    do count = poll(&ready, 1, 60'000);   // it ends; a machine full of work takes its time
    while (count < 0 && errno == EINTR);  // by the fuzzer's own clock
    PADDOCK_CHECK(count == 1);
    char bytes[16 << 10];
    const ssize_t received = recv(client.get(), bytes, sizeof bytes, 0);
    if (received <= 0) break;
    answers.append(bytes, static_cast<size_t>(received));
  }
  CheckAnswers(answers);
  return 0;
}
