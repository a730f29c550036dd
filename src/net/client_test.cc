// The client against our server, and against servers that misbehave.
#include "net/client.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "net/event_reader.h"
#include "net/net_for_test.h"
#include "net/tls_for_test.h"
#include "net/web_socket_client.h"

namespace paddock::net {
namespace {

// Answers the connections that come with these texts, one for each, after a request's head came; then closes.
class CannedServer {
 public:
  explicit CannedServer(std::vector<std::string> answers) : answers_(std::move(answers)) {
    auto socket = Listen(&address_, 0600);
    EXPECT_TRUE(socket);
    socket_ = std::move(*socket);
    thread_ = std::thread([this] { Serve(); });
  }
  ~CannedServer() { thread_.join(); }
  const Address& address() const { return address_; }

 private:
  void Serve() {
    for (const std::string& answer : answers_) {
      pollfd ready{socket_.get(), POLLIN, 0};
      Peer peer;
      if (poll(&ready, 1, static_cast<int>(kTestPatience.count())) <= 0) return;
      auto fd = Accept(socket_.get(), &peer);
      if (!fd) return;
      RawClient connection(std::move(*fd));
      connection.ReceiveUntil("\r\n\r\n");
      connection.Send(answer);
      connection.FinishSending();
      connection.ReceiveAll();
    }
  }
  const std::vector<std::string> answers_;
  Address address_{.host = "127.0.0.1"};
  Descriptor socket_;
  std::thread thread_;
};

// Status and body of an answer, or why there is none.
std::string Fetch(Client& client, const ClientRequest& request = {}, size_t most = 1 << 20) {
  auto response = client.Send(request);
  if (!response) return "no answer: " + std::string(response.error().Text());
  auto body = (*response)->ReadAll(most);
  if (!body) return "no body: " + std::string(body.error().Text());
  return std::to_string((*response)->status()) + " " + *body;
}
std::string FetchCanned(const std::string& answer, size_t most = 1 << 20, const ClientRequest& request = {}) {
  CannedServer server({answer});
  Client client({.address = server.address()});
  return Fetch(client, request, most);
}

void Echo(Exchange& exchange) {
  auto body = exchange.ReadWholeBody(64 << 20);
  (void)exchange.Respond(body ? 200 : StatusOf(body.error()), {},
                         exchange.request().method + " " + exchange.request().target + " " + body.value_or("?"));
}

TEST(Client, KeepsItsConnection) {
  TestServer server(Echo);
  Client client({.address = server.address()});
  EXPECT_EQ(Fetch(client, {.target = "/a"}), "200 GET /a ");
  EXPECT_EQ(Fetch(client, {.method = "POST", .target = "/b", .body = "hello"}), "200 POST /b hello");
  EXPECT_EQ(Fetch(client, {.method = "HEAD", .target = "/c"}), "200 ");
  EXPECT_EQ(Fetch(client, {.target = "/d"}), "200 GET /d ");
  EXPECT_EQ(server->stats().connections, 1u);
}

TEST(Client, AnUnreadAnswerDoesNotLeakIntoTheNext) {
  TestServer server(Echo);
  Client client({.address = server.address()});
  const auto unread = client.Send({.method = "POST", .body = "first"});
  ASSERT_TRUE(unread);
  EXPECT_EQ(Fetch(client, {.method = "POST", .body = "second"}), "200 POST / second");
}

TEST(Client, AFinishedAnswerDoesNotCutTheNext) {
  TestServer server(Echo);
  Client client({.address = server.address()});
  auto first = client.Send({.method = "POST", .body = "first"});
  ASSERT_TRUE(first);
  ASSERT_TRUE((*first)->ReadAll(100));
  auto second = client.Send({.method = "POST", .body = "second"});
  ASSERT_TRUE(second);
  first->reset();
  EXPECT_EQ(*(*second)->ReadAll(100), "POST / second");
}

TEST(Client, AKeptConnectionThatTheServerClosedIsReplaced) {
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
  CannedServer server({answer, answer});
  Client client({.address = server.address()});
  EXPECT_EQ(Fetch(client), "200 x");
  EXPECT_EQ(Fetch(client), "200 x");
}

TEST(Client, SendsBodiesFromASource) {
  TestServer server(Echo);
  Client client({.address = server.address()});
  for (const bool has_length : {false, true}) {
    size_t left = 1'000'000;
    ClientRequest request{.method = "PUT"};
    request.source = [&left](std::span<char> to) -> Result<size_t> {
      const size_t count = std::min(to.size(), left);
      std::fill_n(to.begin(), count, 'x');
      left -= count;
      return count;
    };
    if (has_length) request.source_length = left;
    EXPECT_EQ(Fetch(client, request, 2'000'000).size(), 4 + 6 + 1'000'000u);
  }
  ClientRequest request{.method = "PUT"};
  request.source = [](std::span<char>) -> Result<size_t> { return Error(Code::kNoEntry, "file gone"); };
  EXPECT_EQ(Fetch(client, request), "no answer: file gone");
  request.source = [](std::span<char>) -> Result<size_t> { return size_t{0}; };
  request.source_length = 5;
  EXPECT_NE(Fetch(client, request).find("length"), std::string::npos);
}

TEST(Client, ARefusalEndsTheBody) {
  TestServer server([](Exchange& exchange) { (void)exchange.Respond(401, {}, "who"); });
  Client client({.address = server.address()});
  std::atomic<uint64_t> asked = 0;
  ClientRequest request{.method = "PUT"};
  request.source = [&asked](std::span<char> to) -> Result<size_t> {
    asked += to.size();
    return asked > (4ull << 30) ? 0 : to.size();
  };
  request.asks_first = true;
  EXPECT_EQ(Fetch(client, request), "401 who");
  EXPECT_EQ(asked, 0u) << "the server was asked first";
  request.asks_first = false;
  EXPECT_EQ(Fetch(client, request), "401 who");
  EXPECT_LT(asked, 4ull << 30);
}

TEST(Client, ReadsChunksAndTrailers) {
  CannedServer server({"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\nX-Sum: 7\r\n\r\n"});
  Client client({.address = server.address()});
  auto response = client.Send({});
  ASSERT_TRUE(response);
  EXPECT_EQ(*(*response)->ReadAll(10), "abcde");
  ASSERT_EQ((*response)->trailers().size(), 1u);
  EXPECT_EQ((*response)->trailers()[0].name + "=" + (*response)->trailers()[0].value, "X-Sum=7");
  response->reset();
}

TEST(Client, AnswersThatEndEarlyOrAreNoneAreErrors) {
  EXPECT_NE(FetchCanned("").find("without an answer"), std::string::npos);
  EXPECT_NE(FetchCanned("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc").find("ended early"), std::string::npos);
  EXPECT_NE(FetchCanned("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc").find("ended early"), std::string::npos);
  EXPECT_NE(FetchCanned("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n").find("chunked"), std::string::npos);
  EXPECT_NE(FetchCanned("SSH-2.0-OpenSSH_9.2\r\n\r\n").find("not HTTP"), std::string::npos);
  EXPECT_NE(FetchCanned("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n").find("not HTTP"), std::string::npos);
  EXPECT_NE(FetchCanned("HTTP/1.1 200 OK\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n").find("longer than"),
            std::string::npos);
  std::string interim;
  for (int i = 0; i < 20; ++i) interim += "HTTP/1.1 103 Early Hints\r\n\r\n";
  EXPECT_NE(FetchCanned(interim).find("interim"), std::string::npos);
}

TEST(Client, ReadsUpToTheEndAndSkipsInterimAnswers) {
  EXPECT_EQ(FetchCanned("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.0 200 OK\r\n\r\nall of it"), "200 all of it");
  EXPECT_EQ(FetchCanned("HTTP/1.1 204 No Content\r\n\r\n"), "204 ");
}

TEST(Client, TheCallerBoundsTheBody) {
  EXPECT_EQ(FetchCanned("HTTP/1.1 200 OK\r\n\r\n12345", 5), "200 12345");
  EXPECT_NE(FetchCanned("HTTP/1.1 200 OK\r\n\r\n123456", 5).find("more than 5 bytes"), std::string::npos);
}

TEST(Client, RequestsThatWouldBeReadAsOthersAreNotSent) {
  Client client({.address = {.host = "127.0.0.1", .port = 1}});
  for (const ClientRequest& request :
       {ClientRequest{.target = "/a b"}, ClientRequest{.target = "/\r\nX: y"}, ClientRequest{.target = ""},
        ClientRequest{.method = "GET /x"}, ClientRequest{.headers = {{"A", "b\r\nC: d"}}},
        ClientRequest{.headers = {{"A b", "c"}}}, ClientRequest{.headers = {{"Content-length", "3"}}}}) {
    auto response = client.Send(request);
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, Code::kInvalid);
  }
}

TEST(Client, TakesTheRawStreamWithWhatCameBehindTheHead) {
  CannedServer server({"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\nraw bytes"});
  Client client({.address = server.address()});
  auto response = client.Send({.method = "POST", .headers = {{"Connection", "Upgrade"}, {"Upgrade", "tcp"}}});
  ASSERT_TRUE(response);
  EXPECT_EQ((*response)->status(), 101);
  auto stream = (*response)->TakeStream();
  ASSERT_TRUE(stream);
  std::string all(100, '\0');
  size_t size = 0;
  for (;;) {
    const auto count = (*stream)->Read(std::span(all).subspan(size));
    ASSERT_TRUE(count);
    if (*count == 0) break;
    size += *count;
  }
  EXPECT_EQ(all.substr(0, size), "raw bytes");
  EXPECT_TRUE((*stream)->Write("answer"));
  EXPECT_FALSE((*response)->TakeStream());
}

TEST(Client, WaitsNoLongerThanItsLimits) {
  Address address{.host = "127.0.0.1"};
  const auto silent = Listen(&address, 0600);
  ASSERT_TRUE(silent);
  Client client({.address = address, .head_time = std::chrono::milliseconds(30)});
  auto response = client.Send({});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::kTimedOut);
}

TEST(Client, IsCancelledFromAnotherThread) {
  Address address{.host = "127.0.0.1"};
  const auto silent = Listen(&address, 0600);
  ASSERT_TRUE(silent);
  const auto cancellation = std::make_shared<Cancellation>();
  Client client({.address = address, .cancellation = cancellation});
  EXPECT_FALSE(cancellation->is_cancelled());
  std::thread other([&] { cancellation->Cancel(); });
  auto response = client.Send({});
  other.join();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, Code::kCancelled);
  EXPECT_TRUE(cancellation->is_cancelled());
  EXPECT_EQ(client.Send({}).error().code, Code::kCancelled);
}

TEST(Client, AServerThatIsNotThereIsNamed) {
  Address address{.host = "127.0.0.1"};
  { ASSERT_TRUE(Listen(&address, 0600)); }
  Client client({.address = address});
  EXPECT_NE(Fetch(client).find("cannot reach " + FormatAddress(address)), std::string::npos);
  Client unix_client({.address = {.is_unix = true, .host = "/nonexistent/s"}});
  EXPECT_NE(Fetch(unix_client).find("/nonexistent/s"), std::string::npos);
}

// --- TLS ---

class Tls : public testing::Test {
 protected:
  TestServer Start(Handler handler = Echo) {
    ServerOptions options;
    options.listeners.push_back({{.host = "127.0.0.1"}, true});
    options.tls = TlsFiles{certificate_.certificate(), certificate_.key()};
    return TestServer(std::move(handler), options);
  }
  TestCertificate certificate_;
};

TEST_F(Tls, RequestsGoThrough) {
  TestServer server = Start([](Exchange& exchange) {
    EXPECT_TRUE(exchange.request().peer.is_tls);
    Echo(exchange);
  });
  Client client({.address = server.address(), .tls = ClientTls{.ca_file = certificate_.certificate()}});
  EXPECT_EQ(Fetch(client, {.target = "/a"}), "200 GET /a ");
  const std::string large(5'000'000, 'x');
  EXPECT_EQ(Fetch(client, {.method = "POST", .target = "/b", .body = large}, 10'000'000), "200 POST /b " + large);
}

TEST_F(Tls, StrangersAndOtherNamesAreNotTrusted) {
  TestServer server = Start();
  Client stranger({.address = server.address(), .tls = ClientTls{}});
  EXPECT_NE(Fetch(stranger).find("certificate not accepted"), std::string::npos);
  Client other_name(
      {.address = server.address(), .tls = ClientTls{.ca_file = certificate_.certificate(), .server_name = "other.example"}});
  EXPECT_NE(Fetch(other_name).find("certificate not accepted"), std::string::npos);
  Client named(
      {.address = server.address(), .tls = ClientTls{.ca_file = certificate_.certificate(), .server_name = "localhost"}});
  EXPECT_EQ(Fetch(named), "200 GET / ");
  Client careless({.address = server.address(), .tls = ClientTls{.verifies = false}});
  EXPECT_EQ(Fetch(careless), "200 GET / ");
  Client plain({.address = server.address()});
  EXPECT_NE(Fetch(plain).find("no answer"), std::string::npos);
}

TEST_F(Tls, ReloadUsesTheNewCertificateOrKeepsTheOld) {
  TestServer server = Start();
  Client before({.address = server.address(), .tls = ClientTls{.ca_file = certificate_.certificate()}});
  EXPECT_EQ(Fetch(before), "200 GET / ");
  certificate_.Make();
  Client not_yet({.address = server.address(), .tls = ClientTls{.ca_file = certificate_.certificate()}});
  EXPECT_NE(Fetch(not_yet).find("certificate not accepted"), std::string::npos);
  EXPECT_TRUE(server->ReloadTls());
  Client after({.address = server.address(), .tls = ClientTls{.ca_file = certificate_.certificate()}});
  EXPECT_EQ(Fetch(after), "200 GET / ");
  EXPECT_EQ(Fetch(before), "200 GET / ") << "connections that are there go on";
  ASSERT_EQ(truncate(certificate_.key().c_str(), 0), 0);
  EXPECT_FALSE(server->ReloadTls());
  Client still({.address = server.address(), .tls = ClientTls{.ca_file = certificate_.certificate()}});
  EXPECT_EQ(Fetch(still), "200 GET / ");
}

TEST_F(Tls, AnAnswerThatIsCutIsAnErrorEvenWithoutLength) {
  TestServer server = Start([](Exchange& exchange) {
    (void)exchange.StartResponse(200, {});
    (void)exchange.Write("half");
  });
  Client client({.address = server.address(), .tls = ClientTls{.ca_file = certificate_.certificate()}});
  EXPECT_NE(Fetch(client).find("no body"), std::string::npos);
}

TEST_F(Tls, SessionTicketsAreNoAnswerInTheMidstOfABody) {
  Signal has_piece;
  TestServer server = Start([&](Exchange& exchange) {
    std::string piece(5, '\0');
    const auto count = exchange.ReadBody(piece);
    has_piece.Give();
    const auto rest = exchange.ReadWholeBody(100);
    ASSERT_TRUE(count && rest) << "the body stopped";
    (void)exchange.Respond(200, {}, piece.substr(0, *count) + *rest);
  });
  Client client({.address = server.address(), .tls = ClientTls{.ca_file = certificate_.certificate()}, .head_time = std::chrono::seconds(2), .idle_time = std::chrono::seconds(2)});
  int pieces = 0;
  ClientRequest request{.method = "PUT", .target = "/"};
  request.source = [&](std::span<char> to) -> Result<size_t> {
    if (pieces == 1) {
      EXPECT_TRUE(has_piece.Wait());   // the server has sent its tickets long before
    }
    if (pieces == 3) return 0;
    to[0] = static_cast<char>('a' + pieces++);
    return 1;
  };
  const auto response = client.Send(request);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ((*response)->status(), 200);
  EXPECT_EQ(*(*response)->ReadAll(100), "abc");
}

TEST_F(Tls, StreamsGoThrough) {
  std::shared_ptr<EventStream> events;
  std::shared_ptr<WebSocket> socket;
  TestServer server = Start([&](Exchange& exchange) {
    if (exchange.request().path == "/events") {
      events = *exchange.StartEventStream({});
      EXPECT_TRUE(events->Send({"1", "", "hello"}));
      return;
    }
    WebSocketOptions options;
    options.on_message = [&](bool, std::string_view message) { EXPECT_TRUE(socket->SendText(message)); };
    socket = *exchange.AcceptWebSocket(options);
  });
  const ClientOptions options{.address = server.address(), .tls = ClientTls{.ca_file = certificate_.certificate()}};
  Client client(options);
  auto response = client.Send({.target = "/events"});
  ASSERT_TRUE(response);
  EventReader reader(std::move(*response));
  EXPECT_EQ((*reader.Next())->data, "hello");
  auto web_socket = WebSocketClient::Open(options, "/ws");
  ASSERT_TRUE(web_socket) << web_socket.error().Text();
  const std::string large(500'000, 'x');
  EXPECT_TRUE((*web_socket)->SendText(large));
  EXPECT_EQ((**(*web_socket)->Receive()).payload, large);
  web_socket->reset();
  server.Reset();
}

// --- events and WebSockets ---

TEST(EventClient, ReadsEventsUpToTheEnd) {
  TestServer server([](Exchange& exchange) {
    const auto stream = exchange.StartEventStream({});
    EXPECT_TRUE((*stream)->Send({"1", "state", "a\nb"}));
    EXPECT_TRUE((*stream)->Send({"", "", "c"}));
  });
  Client client({.address = server.address()});
  auto response = client.Send({});
  ASSERT_TRUE(response);
  ASSERT_TRUE(EventReader::Check(**response));
  EventReader reader(std::move(*response));
  auto event = reader.Next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->id + "|" + (*event)->name + "|" + (*event)->data, "1|state|a\nb");
  event = reader.Next();
  ASSERT_TRUE(event && *event);
  EXPECT_EQ((*event)->id + "|" + (*event)->name + "|" + (*event)->data, "1||c");
  event = reader.Next();
  ASSERT_TRUE(event);
  EXPECT_FALSE(*event);
}

std::string Parse(std::string_view text, size_t piece, size_t most = 1000) {
  EventParser parser(most);
  while (!text.empty()) {
    if (const Status status = parser.Feed(text.substr(0, piece)); !status) return "refused";
    text.remove_prefix(std::min(piece, text.size()));
  }
  std::string all;
  for (const Event& event : parser.events()) all += "[" + event.id + "|" + event.name + "|" + event.data + "]";
  return all + (parser.retry_ms() ? std::to_string(*parser.retry_ms()) : "");
}

TEST(EventClient, ParsesWhateverTheLineEndsAndPieces) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"data: a\n\n", "[||a]"},
      {"\xef\xbb\xbf" "data:a\r\n\r\ndata:  b\r\rid\ndata\n\n", "[||a][|| b][||]"},
      {":comment\nid: 7\nevent: x\ndata: 1\ndata: 2\n\nevent: y\n\ndata: z\n\n", "[7|x|1\n2][7||z]"},
      {"retry: 10\nretry: x\nfoo: bar\ndata: a\n\ndata: lost\n", "[||a]10"},
  };
  for (const auto& [text, expected] : cases) {
    for (const size_t piece : {1, 2, 3, 1000}) EXPECT_EQ(Parse(text, piece), expected) << piece;
  }
  EXPECT_EQ(Parse("data: " + std::string(2000, 'x'), 100), "refused");
  std::string many;
  for (int i = 0; i < 100; ++i) many += "data: 0123456789012345\n";
  EXPECT_EQ(Parse(many, 100), "refused");
}

TEST(WebSocketClients, TalkBothWays) {
  std::shared_ptr<WebSocket> socket;
  Signal closed;
  uint16_t code = 0;
  TestServer server([&](Exchange& exchange) {
    WebSocketOptions options;
    options.subprotocol = "v1";
    options.on_message = [&](bool is_text, std::string_view message) {
      if (message == "close") return socket->Close(4002, "as you wish");
      (void)(is_text ? socket->SendText(message) : socket->SendBinary(message));
    };
    options.on_closed = [&](uint16_t how, std::string_view) {
      code = how;
      closed.Give();
    };
    socket = *exchange.AcceptWebSocket(options);
  });
  {
    auto client = WebSocketClient::Open({.address = server.address()}, "/ws", {{"Sec-WebSocket-Protocol", "v1"}});
    ASSERT_TRUE(client) << client.error().Text();
    EXPECT_EQ((*client)->subprotocol(), "v1");
    EXPECT_TRUE((*client)->SendText("hello"));
    EXPECT_TRUE((*client)->SendBinary(std::string(100'000, '\xff')));
    EXPECT_EQ((**(*client)->Receive()).payload, "hello");
    EXPECT_EQ((**(*client)->Receive()).payload, std::string(100'000, '\xff'));
    EXPECT_TRUE((*client)->SendText("close"));
    const auto end = (*client)->Receive();
    ASSERT_TRUE(end);
    EXPECT_FALSE(*end);
    EXPECT_EQ((*client)->close_code(), 4002);
    EXPECT_EQ((*client)->close_reason(), "as you wish");
  }
  EXPECT_TRUE(closed.Wait());
  EXPECT_EQ(code, 4002);
  server.Reset();
}

TEST(WebSocketClients, RefusalsSayWhy) {
  TestServer server([](Exchange& exchange) { (void)exchange.Respond(403, {}, "not for you"); });
  auto client = WebSocketClient::Open({.address = server.address()}, "/ws");
  ASSERT_FALSE(client);
  EXPECT_NE(client.error().Text().find("403: not for you"), std::string::npos);
  CannedServer wrong(
      {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n"});
  EXPECT_FALSE(WebSocketClient::Open({.address = wrong.address()}, "/ws"));
}

}  // namespace
}  // namespace paddock::net
