// Event streams and WebSockets of the server, with a raw client.
#include "net/push.h"

#include <gtest/gtest.h>

#include "net/net_for_test.h"
#include "net/web_socket_frame.h"

namespace paddock::net {
namespace {

// Streams that handlers made, for the test to feed.
template <class Stream>
class Made {
 public:
  void Put(std::shared_ptr<Stream> stream) {
    const std::lock_guard lock(mutex_);
    stream_ = std::move(stream);
    changed_.notify_all();
  }
  std::shared_ptr<Stream> Take() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kTestPatience, [this] { return stream_ != nullptr; }));
    return std::exchange(stream_, nullptr);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::shared_ptr<Stream> stream_;
};

TEST(Events, AreEncodedLineByLine) {
  EXPECT_EQ(*EncodeEvent({"7", "state", "a"}), "id: 7\nevent: state\ndata: a\n\n");
  EXPECT_EQ(*EncodeEvent({"", "", "a\nb\r\nc\rd\n"}), "data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n");
  EXPECT_EQ(*EncodeEvent({"", "", ""}), "data: \n\n");
  EXPECT_FALSE(EncodeEvent({"a\nb", "", ""}));
  EXPECT_FALSE(EncodeEvent({"", "a\rb", ""}));
  EXPECT_FALSE(EncodeEvent({std::string("a\0", 2), "", ""}));
}

class EventStreams : public testing::Test {
 protected:
  void Start(EventStreamOptions options, ServerOptions server_options = {}) {
    options.on_closed = [this] { closed_.Give(); };
    options.on_drained = [this] { drained_.Give(); };
    server_.emplace([this, options](Exchange& exchange) {
      auto stream = exchange.StartEventStream(options, {{"X-A", "b"}});
      ASSERT_TRUE(stream);
      made_.Put(*stream);
    }, std::move(server_options));
  }
  Made<EventStream> made_;
  Signal closed_, drained_;
  std::optional<TestServer> server_;
};

TEST_F(EventStreams, SendFromAnyThreadAfterTheHandler) {
  Start({});
  RawClient client = server_->Open();
  client.Send(Get("/"));
  const std::string head = client.ReceiveUntil("\r\n\r\n");
  EXPECT_NE(head.find("Content-Type: text/event-stream\r\n"), std::string::npos);
  EXPECT_NE(head.find("X-A: b\r\n"), std::string::npos);
  const auto stream = made_.Take();
  EXPECT_TRUE(stream->Send({"1", "", "hello"}));
  EXPECT_EQ(client.ReceiveUntil("\n\n\r\n"), "13\r\nid: 1\ndata: hello\n\n\r\n");
  stream->Close();
  EXPECT_EQ(client.ReceiveAll(), "0\r\n\r\n");
  EXPECT_TRUE(stream->is_closed());
  EXPECT_EQ(stream->Send({"2", "", "x"}).error().code, Code::kBrokenPipe);
  client.Close();
  EXPECT_TRUE(closed_.Wait());
  EXPECT_TRUE(Eventually([&] { return (*server_)->stats().streams == 0 && (*server_)->stats().connections == 0; }));
}

TEST_F(EventStreams, TellWhenTheClientIsGone) {
  Start({});
  RawClient client = server_->Open();
  client.Send(Get("/"));
  client.ReceiveUntil("\r\n\r\n");
  const auto stream = made_.Take();
  EXPECT_FALSE(stream->is_closed());
  client.Close();
  EXPECT_TRUE(closed_.Wait());
  EXPECT_TRUE(stream->is_closed());
}

TEST_F(EventStreams, AreClosedWhenDropped) {
  Start({});
  RawClient client = server_->Open();
  client.Send(Get("/"));
  client.ReceiveUntil("\r\n\r\n");
  made_.Take();
  EXPECT_EQ(client.ReceiveAll(), "0\r\n\r\n");
}

TEST_F(EventStreams, RefuseAboveTheQueueAndSayWhenThereIsRoom) {
  Start({.queue_bytes = 100'000});
  RawClient client = server_->Open();
  client.Send(Get("/"));
  client.ReceiveUntil("\r\n\r\n");
  const auto stream = made_.Take();
  const std::string data(10'000, 'x');
  size_t sent = 0;
  Status status;
  while (sent < 100'000 && (status = stream->Send({"", "", data}))) ++sent;
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kLimit);
  EXPECT_LE(stream->queued_bytes(), 100'000u);
  EXPECT_FALSE(stream->is_closed());
  for (size_t i = 0; i < sent; ++i) client.ReceiveUntil("\n\n\r\n");
  EXPECT_TRUE(drained_.Wait());
  EXPECT_TRUE(stream->Send({"", "", "last"}));
  EXPECT_NE(client.ReceiveUntil("\n\n\r\n").find("last"), std::string::npos);
}

TEST_F(EventStreams, BeatWhenNothingElseIsSent) {
  ServerOptions options;
  options.limits.queue_wait = std::chrono::milliseconds(40);   // makes ticks frequent
  Start({.heartbeat = std::chrono::milliseconds(20)}, options);
  RawClient client = server_->Open();
  client.Send(Get("/"));
  client.ReceiveUntil("\r\n\r\n");
  const auto stream = made_.Take();
  EXPECT_EQ(client.Receive(16), "3\r\n:\n\n\r\n3\r\n:\n\n\r\n");
}

TEST_F(EventStreams, EndWithTheServer) {
  Start({});
  RawClient client = server_->Open();
  client.Send(Get("/"));
  client.ReceiveUntil("\r\n\r\n");
  const auto stream = made_.Take();
  std::thread reader([&] {
    EXPECT_EQ(client.ReceiveAll(), "0\r\n\r\n");
    client.Close();
  });
  EXPECT_TRUE((*server_)->Stop(kTestPatience));
  reader.join();
  EXPECT_TRUE(closed_.Wait());
  server_->Reset();
  EXPECT_FALSE(stream->Send({"", "", "x"})) << "a stream outlives its server";
}

TEST_F(EventStreams, AStuckClientIsCut) {
  ServerOptions options;
  options.limits.write_time = std::chrono::milliseconds(50);
  Start({.queue_bytes = 16 << 20}, options);
  RawClient client = server_->Open();
  client.Send(Get("/"));
  client.ReceiveUntil("\r\n\r\n");
  const auto stream = made_.Take();
  EXPECT_TRUE(stream->Send({"", "", std::string(15 << 20, 'x')}));
  EXPECT_TRUE(closed_.Wait());
}

// --- WebSockets ---

constexpr char kHandshake[] =
    "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";

std::string ClientFrame(WebSocketItemKind kind, std::string_view payload) {
  std::string frame;
  AppendWebSocketFrame(&frame, kind, payload, std::array<uint8_t, 4>{1, 2, 3, 4});
  return frame;
}
std::string ServerFrame(WebSocketItemKind kind, std::string_view payload) {
  std::string frame;
  AppendWebSocketFrame(&frame, kind, payload);
  return frame;
}
std::string CloseFrame(uint16_t code, std::string_view reason = "") {
  return ServerFrame(WebSocketItemKind::kClose, ClosePayload(code, reason));
}

class WebSockets : public testing::Test {
 protected:
  // An echo, which `made_` keeps alive.
  void Start(WebSocketOptions options = {}, ServerOptions server_options = {}) {
    options.on_closed = [this](uint16_t code, std::string_view reason) {
      code_ = code;
      reason_ = reason;
      closed_.Give();
    };
    server_.emplace([this, options](Exchange& exchange) {
      WebSocketOptions mine = options;
      auto self = std::make_shared<std::weak_ptr<WebSocket>>();
      mine.on_message = [self](bool is_text, std::string_view message) {
        if (const auto socket = self->lock()) (void)(is_text ? socket->SendText(message) : socket->SendBinary(message));
      };
      auto socket = exchange.AcceptWebSocket(mine);
      if (!socket) return void(exchange.Respond(400, {}, std::string(socket.error().Text())));
      *self = *socket;
      made_.Put(*socket);
    }, std::move(server_options));
  }
  RawClient Shake(const std::string& more = "", std::string_view behind = "") {
    RawClient client = server_->Open();
    client.Send(kHandshake + more + "\r\n" + std::string(behind));
    head_ = client.ReceiveUntil("\r\n\r\n");
    EXPECT_TRUE(head_.starts_with("HTTP/1.1 101 Switching Protocols\r\n")) << head_;
    return client;
  }
  // What a broken frame is answered with.
  void ExpectClosed(std::string_view frames, uint16_t code) {
    RawClient client = Shake();
    const auto socket = made_.Take();
    client.Send(frames);
    const std::string answer = client.Receive(4);
    ASSERT_EQ(answer.size(), 4u);
    EXPECT_EQ(static_cast<uint8_t>(answer[0]), 0x88);
    EXPECT_EQ(static_cast<uint8_t>(answer[2]) << 8 | static_cast<uint8_t>(answer[3]), code);
  }
  Made<WebSocket> made_;
  Signal closed_;
  uint16_t code_ = 0;
  std::string reason_, head_;
  std::optional<TestServer> server_;
};

TEST_F(WebSockets, EchoTextAndBinary) {
  Start();
  RawClient client = Shake();
  EXPECT_NE(head_.find("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"), std::string::npos);
  const auto socket = made_.Take();
  for (const size_t size : {0, 1, 125, 126, 65535, 65536, 300'000}) {
    const std::string payload(size, 'x');
    client.Send(ClientFrame(WebSocketItemKind::kText, payload));
    const std::string expected = ServerFrame(WebSocketItemKind::kText, payload);
    EXPECT_EQ(client.Receive(expected.size()), expected);
  }
  client.Send(ClientFrame(WebSocketItemKind::kBinary, "\xff\x00"));
  EXPECT_EQ(client.Receive(3), ServerFrame(WebSocketItemKind::kBinary, "\xff"));
}

TEST_F(WebSockets, TakeFramesThatCameWithTheHandshake) {
  Start();
  RawClient client = Shake("", ClientFrame(WebSocketItemKind::kText, "early"));
  const auto socket = made_.Take();
  // The handler may not have kept the socket before the frame was read: then the echo comes from the second one only.
  client.Send(ClientFrame(WebSocketItemKind::kText, "late"));
  EXPECT_NE((client.ReceiveUntil("late")).size(), 0u);
}

TEST_F(WebSockets, JoinPartsWithControlFramesBetween) {
  Start();
  RawClient client = Shake();
  const auto socket = made_.Take();
  std::string first = ClientFrame(WebSocketItemKind::kText, "he"), last = ClientFrame(WebSocketItemKind::kText, "llo");
  first[0] = 0x01;
  last[0] = static_cast<char>(0x80);
  client.Send(first + ClientFrame(WebSocketItemKind::kPing, "p") + last);
  EXPECT_EQ(client.Receive(3), ServerFrame(WebSocketItemKind::kPong, "p"));
  EXPECT_EQ(client.Receive(7), ServerFrame(WebSocketItemKind::kText, "hello"));
}

TEST_F(WebSockets, EndWithTheClientsCode) {
  Start();
  RawClient client = Shake();
  const auto socket = made_.Take();
  client.Send(ClientFrame(WebSocketItemKind::kClose, ClosePayload(4001, "bye")));
  EXPECT_EQ(client.ReceiveAll(), CloseFrame(4001));
  EXPECT_TRUE(closed_.Wait());
  EXPECT_EQ(code_, 4001);
  EXPECT_EQ(reason_, "bye");
}

TEST_F(WebSockets, EndWithOurCode) {
  Start();
  RawClient client = Shake();
  const auto socket = made_.Take();
  socket->Close(kClosePolicy, "no");
  EXPECT_FALSE(socket->SendText("x"));
  EXPECT_EQ(client.Receive(6), CloseFrame(kClosePolicy, "no"));
  client.Send(ClientFrame(WebSocketItemKind::kClose, ClosePayload(kClosePolicy, "")));
  EXPECT_EQ(client.ReceiveAll(), "");
  EXPECT_TRUE(closed_.Wait());
  EXPECT_EQ(code_, kClosePolicy);
}

TEST_F(WebSockets, AnEndWithoutCloseFrameIsAbnormal) {
  Start();
  RawClient client = Shake();
  const auto socket = made_.Take();
  client.Close();
  EXPECT_TRUE(closed_.Wait());
  EXPECT_EQ(code_, kCloseAbnormal);
}

TEST_F(WebSockets, BrokenFramesEndTheStreamWithTheRightCode) {
  Start({.message_bytes = 1000});
  ExpectClosed(ServerFrame(WebSocketItemKind::kText, "unmasked"), kCloseProtocolError);
  std::string frame = ClientFrame(WebSocketItemKind::kText, "x");
  frame[0] = static_cast<char>(0xc1);
  ExpectClosed(frame, kCloseProtocolError);   // reserved bit
  frame[0] = static_cast<char>(0x80);
  ExpectClosed(frame, kCloseProtocolError);   // nothing to continue
  frame[0] = static_cast<char>(0x83);
  ExpectClosed(frame, kCloseProtocolError);   // unknown opcode
  frame[0] = 0x09;
  ExpectClosed(frame, kCloseProtocolError);   // ping in parts
  frame[0] = 0x01;
  ExpectClosed(frame + ClientFrame(WebSocketItemKind::kText, "x"), kCloseProtocolError);   // a message within a message
  ExpectClosed(ClientFrame(WebSocketItemKind::kPing, std::string(126, 'x')), kCloseProtocolError);
  ExpectClosed(std::string("\x82\xfe\x00\x05", 4) + "mask12345", kCloseProtocolError);   // five bytes in the long form
  ExpectClosed(ClientFrame(WebSocketItemKind::kClose, "x"), kCloseProtocolError);
  ExpectClosed(ClientFrame(WebSocketItemKind::kClose, ClosePayload(1005, "")), kCloseProtocolError);
  ExpectClosed(ClientFrame(WebSocketItemKind::kText, "\xff"), kCloseNotUtf8);
  ExpectClosed(ClientFrame(WebSocketItemKind::kText, "\xed\xa0\x80"), kCloseNotUtf8);
  ExpectClosed(ClientFrame(WebSocketItemKind::kBinary, std::string(1001, 'x')), kCloseTooBig);
  ExpectClosed(std::string("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 10) + "mask", kCloseTooBig);
}

TEST_F(WebSockets, OtherHandshakesAreRefused) {
  Start();
  const auto status = [&](std::string text) { return (server_->Ask(text) + "            ").substr(9, 3); };
  const std::string good = kHandshake;
  const auto without = [&](const std::string& part, const std::string& instead = "") {
    std::string text = good + "\r\n";
    text.replace(text.find(part), part.size(), instead);
    return status(text);
  };
  EXPECT_EQ(without("Upgrade: websocket\r\n"), "400");
  EXPECT_EQ(without("keep-alive, Upgrade", "keep-alive"), "400");
  EXPECT_EQ(without("Version: 13", "Version: 8"), "400");
  EXPECT_EQ(without("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ"), "101") << "padding is decoration";
  EXPECT_EQ(without("dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBs"), "400");
  EXPECT_EQ(without("Sec-WebSocket-Version", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version"), "400");
  EXPECT_EQ(without("GET", "POST"), "400");
  EXPECT_EQ(status(good + "Content-Length: 1\r\n\r\nx"), "400");
}

TEST_F(WebSockets, AnswerWithTheSubprotocolThatIsOffered) {
  Start({.subprotocol = "term.v1"});
  Shake("Sec-WebSocket-Protocol: a, term.v1\r\n");
  EXPECT_NE(head_.find("Sec-WebSocket-Protocol: term.v1\r\n"), std::string::npos);
  made_.Take();
  Shake("Sec-WebSocket-Protocol: a\r\n");
  EXPECT_EQ(head_.find("Sec-WebSocket-Protocol"), std::string::npos);
  made_.Take();
}

TEST_F(WebSockets, PingSilentClientsAndCutDeadOnes) {
  ServerOptions options;
  options.limits.queue_wait = std::chrono::milliseconds(40);   // makes ticks frequent
  Start({.heartbeat = std::chrono::milliseconds(30)}, options);
  RawClient client = Shake();
  const auto socket = made_.Take();
  EXPECT_EQ(client.Receive(2), ServerFrame(WebSocketItemKind::kPing, ""));
  EXPECT_TRUE(closed_.Wait()) << "no answer to pings";
  EXPECT_EQ(code_, kCloseAbnormal);
}

TEST_F(WebSockets, AClientThatIsSentMoreThanItTakesIsNotTakenForDead) {
  ServerOptions options;
  options.limits.queue_wait = std::chrono::milliseconds(40);
  Start({.heartbeat = std::chrono::milliseconds(30)}, options);
  RawClient slow = Shake();
  const auto full = made_.Take();
  const std::string piece(64 << 10, 'x');
  while (full->SendBinary(piece)) {}
  RawClient idle = Shake();
  const auto silent = made_.Take();
  EXPECT_TRUE(closed_.Wait()) << "the idle one, which has been asked, is";
  const Status sent = full->SendBinary(piece);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Code::kLimit) << sent.error().Text();
}

TEST_F(WebSockets, MessagesComeOneAtATimeAndInOrder) {
  std::atomic<int> running = 0, most = 0;
  std::string seen;
  Signal all;
  TestServer server([&](Exchange& exchange) {
    WebSocketOptions options;
    options.on_message = [&](bool, std::string_view message) {
      most = std::max(most.load(), ++running);
      seen += message;
      --running;
      if (seen.size() == 500) all.Give();
    };
    auto socket = exchange.AcceptWebSocket(options);
    ASSERT_TRUE(socket);
    made_.Put(*socket);
  });
  RawClient client = server.Open();
  client.Send(std::string(kHandshake) + "\r\n");
  client.ReceiveUntil("\r\n\r\n");
  const auto socket = made_.Take();
  std::string expected;
  for (int i = 0; i < 500; ++i) {
    const std::string one(1, static_cast<char>('a' + i % 26));
    expected += one;
    client.Send(ClientFrame(WebSocketItemKind::kText, one));
  }
  EXPECT_TRUE(all.Wait());
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(most, 1);
  server.Reset();
}

}  // namespace
}  // namespace paddock::net
