#include "egress/websocket_filter.h"

#include <future>

#include "egress/egress_for_test.h"

namespace paddock::egress {
namespace {

using namespace std::string_literals;

constexpr char kSecret[] = "SECRET-VALUE";
const std::vector<Replacement> kReplacements = {{kSecret, "<placeholder>"}};
const std::vector<std::pair<std::string, std::string>> kPlaceholders = {{"TOKEN", "sk-paddock-secret-1"}};

std::string Frame(uint8_t first, const std::string& payload, bool is_masked) {
  std::string frame(1, static_cast<char>(first));
  const auto mark = static_cast<uint8_t>(is_masked ? 0x80 : 0);
  if (payload.size() < 126) frame += static_cast<char>(mark | payload.size());
  else frame += std::string{static_cast<char>(mark | 126), static_cast<char>(payload.size() >> 8), static_cast<char>(payload.size() & 0xff)};
  if (!is_masked) return frame + payload;
  const std::string mask = "\x12\x34\xab\xff";
  frame += mask;
  for (size_t i = 0; i < payload.size(); ++i) frame += static_cast<char>(payload[i] ^ mask[i % 4]);
  return frame;
}

// The messages in frames, joined from their fragments; control frames in brackets.
std::string Messages(const std::string& bytes, WebSocketFrames::From from = WebSocketFrames::From::kServer) {
  WebSocketFrames frames(from);
  const auto parts = frames.Feed(bytes);
  if (!parts) return std::string(parts.error().Text());
  std::string text;
  for (const WebSocketFrames::Part& part : *parts) {
    if (part.opcode >= 8) text += (part.begins ? "[" : "") + part.payload + (part.ends ? "]" : "");
    else text += part.payload + (part.ends && part.is_final ? "|" : "");
  }
  return text;
}

// What the scrubber makes of it, in pieces of any size the same.
std::string Scrubbed(const std::string& bytes) {
  std::string first;
  for (const size_t size : {bytes.size(), size_t{1}, size_t{2}, size_t{7}}) {
    MessageScrubber scrubber(kReplacements);
    std::string out;
    for (size_t at = 0; at < bytes.size(); at += size) {
      const auto passed = scrubber.Feed(std::string_view(bytes).substr(at, size));
      if (!passed) return std::string(passed.error().Text());
      out += *passed;
    }
    const std::string messages = Messages(out);
    if (first.empty()) first = messages;
    EXPECT_EQ(messages, first) << size;
  }
  return first;
}

// Messages of a client after a filter that puts "VALUE" in the placeholder's place; an error's text. In pieces of any size the same.
std::string Edited(const std::string& bytes) {
  const std::string& placeholder = kPlaceholders[0].second;
  std::string first;
  for (const size_t size : {bytes.size(), size_t{1}, size_t{3}, size_t{1000}}) {
    if (size == 1 && bytes.size() > 10'000) continue;   // slow
    PlaceholderFilter filter(kPlaceholders, [&placeholder](std::string& message) -> Status {
      if (message.find("refuse") != std::string::npos) return Error(Code::kAccess, "no");
      for (size_t at = 0; (at = message.find(placeholder, at)) != std::string::npos;) message.replace(at, placeholder.size(), "VALUE");
      return {};
    });
    std::string out, text;
    for (size_t at = 0; at < bytes.size() && text.empty(); at += size) {
      const auto passed = filter.Feed(std::string_view(bytes).substr(at, size));
      if (passed) out += *passed;
      else text = std::string(passed.error().Text());
    }
    if (text.empty()) text = Messages(out, WebSocketFrames::From::kClient);
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << size;
  }
  return first;
}

Status Found(const std::string& bytes, size_t size) {
  PlaceholderFilter finder(kPlaceholders);
  std::string out;
  for (size_t at = 0; at < bytes.size(); at += size) {
    const auto passed = finder.Feed(std::string_view(bytes).substr(at, size));
    if (!passed) return passed.error();
    out += *passed;
  }
  EXPECT_EQ(out, bytes);
  return {};
}

TEST(WebSocketFilter, ValuesInMessagesOfTheServerAreReplaced) {
  EXPECT_EQ(Scrubbed(Frame(0x81, "a SECRET-VALUE b", false) + Frame(0x82, "plain", false)), "a <placeholder> b|plain|");
}

TEST(WebSocketFilter, ValuesAreFoundOverFragmentsWithControlFramesBetween) {
  const std::string bytes = Frame(0x01, "a SEC", false) + Frame(0x89, "ping", false) + Frame(0x00, "RET-VA", false) + Frame(0x80, "LUE", false);
  EXPECT_EQ(Scrubbed(bytes), "[ping]a <placeholder>|");
}

TEST(WebSocketFilter, AValueDoesNotReachOverTheEndOfAMessage) {
  EXPECT_EQ(Scrubbed(Frame(0x81, "SECRET", false) + Frame(0x81, "-VALUE", false)), "SECRET|-VALUE|");
}

TEST(WebSocketFilter, ControlFramesAreSearchedAndStayShort) {
  EXPECT_EQ(Scrubbed(Frame(0x8a, kSecret, false)), "[<placeholder>]");
  const std::string shown = Scrubbed(Frame(0x89, std::string(113, 'x') + kSecret, false));
  EXPECT_EQ(shown.find("VALUE"), std::string::npos);
  EXPECT_EQ(shown.size(), 127u);
}

TEST(WebSocketFilter, LongMessagesGoOnBeforeTheirEnd) {
  MessageScrubber scrubber(kReplacements);
  const std::string head = "\x82\x7f\x00\x00\x00\x00\x10\x00\x00\x00"s;   // 256 MiB
  std::string out;
  for (const std::string& piece : {head, std::string(100'000, 'x')}) out += scrubber.Feed(piece).value_or("");
  EXPECT_GT(out.size(), 100'000u);
  EXPECT_EQ(static_cast<uint8_t>(out[0]), 0x02);   // not final
}

TEST(WebSocketFilter, APlaceholderFromTheClientIsRefusedByName) {
  const std::string placeholder = kPlaceholders[0].second;
  for (const size_t size : {1, 3, 1000}) {
    const Status whole = Found(Frame(0x81, "{\"token\": \"" + placeholder + "\"}", true), size);
    ASSERT_FALSE(whole);
    EXPECT_EQ(whole.error().code, Code::kAccess);
    EXPECT_EQ(whole.error().Text(), "secret TOKEN is put into header fields only; with websocket = true at its host, also into messages of a WebSocket");
    EXPECT_FALSE(Found(Frame(0x02, placeholder.substr(0, 7), true) + Frame(0x8a, "", true) + Frame(0x80, placeholder.substr(7), true), size));
    EXPECT_FALSE(Found(Frame(0x88, "\x03\xe8" + placeholder, true), size));
    EXPECT_TRUE(Found(Frame(0x81, placeholder.substr(0, 7), true) + Frame(0x81, placeholder.substr(7), true) + Frame(0x81, "", true), size));
  }
}

TEST(WebSocketFilter, AMessageThatMayBeEditedIsHeldUntilItIsWhole) {
  const std::string placeholder = kPlaceholders[0].second;
  EXPECT_EQ(Edited(Frame(0x81, "a " + placeholder + " b", true) + Frame(0x82, "plain", true)), "a VALUE b|plain|");
  // Over fragments with a control frame between, which goes on at once.
  EXPECT_EQ(Edited(Frame(0x01, placeholder.substr(0, 7), true) + Frame(0x89, "ping", true) + Frame(0x00, "", true) + Frame(0x80, placeholder.substr(7), true)), "[ping]VALUE|");
  EXPECT_EQ(Edited(Frame(0x81, placeholder.substr(0, 7), true) + Frame(0x81, placeholder.substr(7), true)), placeholder.substr(0, 7) + "|" + placeholder.substr(7) + "|");
  EXPECT_EQ(Edited(Frame(0x81, "", true) + Frame(0x88, "", true)), "|[]");
  EXPECT_EQ(Edited(Frame(0x81, std::string(60'000, 'x') + placeholder, true)), std::string(60'000, 'x') + "VALUE|");
  EXPECT_EQ(Edited(Frame(0x81, "fine", true) + Frame(0x81, "refuse", true)), "no");
  EXPECT_EQ(Edited(Frame(0x88, "\x03\xe8" + placeholder, true)), "secret TOKEN is not put into control frames of a WebSocket");
  PlaceholderFilter filter(kPlaceholders, [](std::string&) { return Status(); });
  EXPECT_EQ(filter.Feed(Frame(0x01, "half", true)).value_or("refused"), "");
}

TEST(WebSocketFilter, AMessageTooLongToBeHeldGoesOnAndIsSearched) {
  const std::string placeholder = kPlaceholders[0].second, part(50'000, 'x');
  std::string parts, joined;
  for (int i = 0; i < 6; ++i) {
    parts += Frame(i == 0 ? 0x01 : 0x00, part, true);
    joined += part;
  }
  ASSERT_GT(joined.size(), PlaceholderFilter::kMostMessage);
  EXPECT_EQ(Edited(parts + Frame(0x80, "end", true) + Frame(0x81, placeholder, true)), joined + "end|VALUE|");
  const std::string refused = "secret TOKEN is not replaced in a WebSocket message of more than 262144 bytes";
  EXPECT_EQ(Edited(parts + Frame(0x80, placeholder, true)), refused);
  EXPECT_EQ(Edited(parts + Frame(0x00, placeholder.substr(0, 4), true) + Frame(0x80, placeholder.substr(4), true)), refused);
  EXPECT_EQ(Edited(Frame(0x01, placeholder, true) + Frame(0x00, part, true) + parts.substr(parts.size() / 6) + Frame(0x80, "", true)), refused);
}

TEST(WebSocketFilter, FramesThatHideOrBreakTheRulesAreRefused) {
  using From = WebSocketFrames::From;
  const auto is_refused = [](From from, const std::string& bytes) { return !WebSocketFrames(from).Feed(bytes).has_value(); };
  EXPECT_TRUE(is_refused(From::kServer, Frame(0xc1, "deflated", false)));
  EXPECT_TRUE(is_refused(From::kServer, Frame(0x81, "masked", true)));
  EXPECT_TRUE(is_refused(From::kClient, Frame(0x81, "bare", false)));
  EXPECT_TRUE(is_refused(From::kServer, Frame(0x83, "unknown", false)));
  EXPECT_TRUE(is_refused(From::kServer, Frame(0x8b, "unknown", false)));
  EXPECT_TRUE(is_refused(From::kServer, Frame(0x80, "no message", false)));
  EXPECT_TRUE(is_refused(From::kServer, Frame(0x01, "one", false) + Frame(0x81, "two", false)));
  EXPECT_TRUE(is_refused(From::kServer, Frame(0x09, "fragment", false)));
  EXPECT_TRUE(is_refused(From::kServer, Frame(0x89, std::string(126, 'x'), false)));
  EXPECT_TRUE(is_refused(From::kServer, "\x81\x7e\x00\x05 long"s));
  EXPECT_TRUE(is_refused(From::kServer, "\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff"s));
  EXPECT_FALSE(is_refused(From::kServer, Frame(0x81, std::string(126, 'x'), false)));
}

// Through the engine, with a server that a secret is bound to.
class EgressWebSocket : public testing::Test {
 protected:
  void Start(const std::string& response_headers, const std::string& bytes, bool allows_messages = false) {
    server_ = std::make_unique<TestServer>([this, response_headers, bytes](TestClient client) {
      head_ = client.ReceiveUntil("\r\n\r\n");
      client.Send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" + response_headers + "\r\n" + bytes);
      client.Finish();
      received_ = client.ReceiveAll();
      is_over_.set_value();
    });
    Secret secret;
    secret.binding.name = "TOKEN";
    secret.binding.allow_plaintext = true;
    policy::SecretBinding::Destination destination;
    destination.host = "api.example";
    destination.allow_messages = allows_messages;
    secret.binding.destinations = {destination};
    secret.value = kSecret;
    EgressOptions options;
    options.secrets.push_back(std::move(secret));
    engine_ = std::make_unique<TestEngine>(std::vector{AllowRule("api.example")}, std::move(options));
    engine_->names["api.example"] = {"127.0.0.1"};
    placeholder_ = engine_->engine->Placeholders().at(0).second;
    client_ = std::make_unique<TestClient>(engine_->proxy_port);
    const std::string host = "api.example:" + std::to_string(server_->port());
    client_->Send("GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: " + placeholder_ +
                  "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n");
    answer_ = client_->ReceiveUntil("\r\n\r\n");
  }
  std::string head_, received_;
  std::promise<void> is_over_;
  std::unique_ptr<TestServer> server_;
  std::unique_ptr<TestEngine> engine_;
  std::unique_ptr<TestClient> client_;
  std::string placeholder_, answer_;
};

TEST_F(EgressWebSocket, ValueGoesOutInTheHeadAndComesBackAsPlaceholderInMessages) {
  Start("", Frame(0x81, std::string("you are ") + kSecret, false));
  EXPECT_TRUE(answer_.starts_with("HTTP/1.1 101 ")) << answer_;
  client_->Send(Frame(0x81, "hello", true));
  client_->Finish();
  EXPECT_EQ(Messages(client_->ReceiveAll()), "you are " + placeholder_ + "|");
  is_over_.get_future().wait();
  EXPECT_EQ(received_, Frame(0x81, "hello", true));
  EXPECT_NE(head_.find(std::string("Authorization: ") + kSecret), std::string::npos) << head_;
  EXPECT_EQ(head_.find("deflate"), std::string::npos);
}

TEST_F(EgressWebSocket, APlaceholderInAMessageEndsItAndIsAnEvent) {
  Start("", "");
  client_->Send(Frame(0x81, "token " + placeholder_, true));
  is_over_.get_future().wait();
  EXPECT_EQ(received_, "");
  EXPECT_TRUE(engine_->HasEvent("secret TOKEN is put into header fields only"));
}

TEST_F(EgressWebSocket, AValueGoesIntoMessagesWhereItsBindingSaysSo) {
  Start("", "", true);
  client_->Send(Frame(0x01, "token " + placeholder_.substr(0, 9), true) + Frame(0x80, placeholder_.substr(9), true));
  client_->Finish();
  is_over_.get_future().wait();
  EXPECT_EQ(Messages(received_, WebSocketFrames::From::kClient), "token " + std::string(kSecret) + "|");
}

TEST_F(EgressWebSocket, ARevokedSecretGoesIntoNoMessage) {
  Start("", "", true);
  ASSERT_TRUE(engine_->engine->Revoke("TOKEN"));
  client_->Send(Frame(0x81, "token " + placeholder_, true));
  is_over_.get_future().wait();
  EXPECT_EQ(received_, "");
  EXPECT_TRUE(engine_->HasEvent("secret TOKEN was revoked"));
}

TEST_F(EgressWebSocket, AnExtensionThatTheServerTakesAnywayIsRefused) {
  Start("Sec-WebSocket-Extensions: permessage-deflate\r\n", "");
  EXPECT_TRUE(answer_.starts_with("HTTP/1.1 502 ")) << answer_;
}

}  // namespace
}  // namespace paddock::egress
