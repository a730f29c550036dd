// Requests and answers over real sockets.
#include "net/server.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/net_for_test.h"

namespace paddock::net {
namespace {

void Echo(Exchange& exchange) {
  const Request& request = exchange.request();
  auto body = exchange.ReadWholeBody(1 << 20);
  if (!body) return void(exchange.Respond(StatusOf(body.error()), {}, std::string(body.error().Text())));
  (void)exchange.Respond(200, {{"Content-Type", "text/plain"}}, request.method + " " + request.target + " " + *body);
}

TEST(Server, AnswersARequest) {
  TestServer server(Echo);
  EXPECT_EQ(WithoutDate(server.Ask(Get("/a?b", "Connection: close\r\n"))),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\nConnection: close\r\n\r\nGET /a?b ");
}

TEST(Server, ServesTheNextRequestOnTheSameConnection) {
  TestServer server(Echo);
  RawClient client = server.Open();
  for (const char* target : {"/1", "/2", "/3"}) {
    client.Send(Get(target));
    EXPECT_TRUE(client.ReceiveUntil("\r\n\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
    EXPECT_EQ(client.Receive(7), "GET " + std::string(target) + " ");
  }
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
  TestServer server(Echo);
  RawClient client = server.Open();
  std::string all;
  for (int i = 10; i < 60; ++i) all += Get("/" + std::to_string(i));
  client.Send(all);
  for (int i = 10; i < 60; ++i) {
    client.ReceiveUntil("\r\n\r\n");
    EXPECT_EQ(client.Receive(8), "GET /" + std::to_string(i) + " ");
  }
}

TEST(Server, ReadsBodiesOfEitherFraming) {
  TestServer server(Echo);
  EXPECT_EQ(BodyOf(server.Ask("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")), "POST / hello");
  EXPECT_EQ(BodyOf(server.Ask(
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nA: b\r\n\r\n")),
            "POST / hello");
}

TEST(Server, ALargeBodyStreamsThrough) {
  TestServer server([](Exchange& exchange) {
    exchange.SetBodyLimit({.bytes = 100 << 20});
    std::string piece(100'000, '\0');
    uint64_t sum = 0;
    for (;;) {
      const auto count = exchange.ReadBody(piece);
      if (!count) return void(exchange.Respond(400, {}, "broken"));
      if (*count == 0) break;
      sum += *count;
    }
    (void)exchange.Respond(200, {}, std::to_string(sum));
  });
  RawClient client = server.Open();
  client.Send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n");
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(client.Send(std::string(100'000, 'x')));
  client.FinishSending();
  EXPECT_EQ(BodyOf(client.ReceiveAll()), "20000000");
}

TEST(Server, ABodyAboveTheLimitIsA413AndTheClientSeesIt) {
  TestServer server([](Exchange& exchange) {
    const auto body = exchange.ReadWholeBody(10);
    (void)exchange.Respond(body ? 200 : StatusOf(body.error()), {}, body ? *body : std::string(body.error().Text()));
  });
  EXPECT_TRUE(server.Ask("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789").starts_with("HTTP/1.1 200"));
  EXPECT_TRUE(server.Ask("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n0123456789a").starts_with("HTTP/1.1 413"));
  EXPECT_TRUE(server.Ask("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n0123456789a\r\n0\r\n\r\n")
                  .starts_with("HTTP/1.1 413"));
  const std::string large(1 << 20, 'x');
  EXPECT_TRUE(server.Ask("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n" + large).starts_with("HTTP/1.1 413"));
}

TEST(Server, AsksForABodyOnlyWhenTheHandlerReadsIt) {
  TestServer server([](Exchange& exchange) {
    if (exchange.request().path == "/no") return void(exchange.Respond(401, {}, "no"));
    Echo(exchange);
  });
  RawClient client = server.Open();
  client.Send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.ReceiveUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("hi");
  client.ReceiveUntil("\r\n\r\n");
  EXPECT_EQ(client.Receive(8), "PUT / hi");
  client.Send("PUT /no HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  const std::string refused = client.ReceiveAll();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 401")) << refused;
  EXPECT_NE(refused.find("Connection: close"), std::string::npos);
}

TEST(Server, AnUnreadBodyIsNotTakenForARequest) {
  TestServer server([](Exchange& exchange) { (void)exchange.Respond(200, {}, exchange.request().target); });
  const std::string inner = Get("/inner");
  RawClient client = server.Open();
  client.Send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(inner.size()) + "\r\n\r\n" + inner + Get("/b"));
  client.ReceiveUntil("\r\n\r\n");
  EXPECT_EQ(client.Receive(2), "/a");
  client.ReceiveUntil("\r\n\r\n");
  EXPECT_EQ(client.Receive(2), "/b");
}

TEST(Server, StreamsAnAnswerInChunksOrWithALength) {
  TestServer server([](Exchange& exchange) {
    if (exchange.request().path == "/length") {
      EXPECT_TRUE(exchange.StartResponse(200, {}, 6));
    } else {
      EXPECT_TRUE(exchange.StartResponse(200, {}));
    }
    EXPECT_TRUE(exchange.Write("abc"));
    EXPECT_TRUE(exchange.Write(""));
    EXPECT_TRUE(exchange.Write("def"));
    EXPECT_TRUE(exchange.Finish());
  });
  EXPECT_EQ(BodyOf(server.Ask(Get("/"))), "3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n");
  EXPECT_EQ(BodyOf(server.Ask(Get("/length"))), "abcdef");
  EXPECT_EQ(BodyOf(server.Ask("GET / HTTP/1.0\r\n\r\n")), "abcdef");
  EXPECT_EQ(BodyOf(server.Ask("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")), "");
}

TEST(Server, AnAnswerThatIsNotFinishedIsCut) {
  TestServer server([](Exchange& exchange) {
    EXPECT_TRUE(exchange.StartResponse(200, {}));
    EXPECT_TRUE(exchange.Write("abc"));
  });
  EXPECT_EQ(server.Ask(Get("/")).find("0\r\n\r\n"), std::string::npos);
  EXPECT_TRUE(Eventually([&] { return server->stats().connections == 0; }));
}

TEST(Server, HeadHasTheLengthAndNoBody) {
  TestServer server([](Exchange& exchange) { (void)exchange.Respond(200, {}, "12345"); });
  const std::string answer = server.Ask("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_NE(answer.find("Content-Length: 5\r\n"), std::string::npos);
  EXPECT_EQ(BodyOf(answer), "");
}

TEST(Server, AHandlerWithoutAnswerOrWithAnExceptionIsA500) {
  TestServer server([](Exchange& exchange) {
    if (exchange.request().path == "/throw") throw std::runtime_error("secret");
  });
  EXPECT_TRUE(server.Ask(Get("/")).starts_with("HTTP/1.1 500"));
  const std::string answer = server.Ask(Get("/throw"));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 500"));
  EXPECT_EQ(answer.find("secret"), std::string::npos);
}

TEST(Server, HeadersThatWouldSplitTheAnswerAreRefused) {
  TestServer server([](Exchange& exchange) {
    const std::string value = *exchange.request().Query("v");
    EXPECT_FALSE(exchange.Respond(200, {{exchange.request().segments[0], value}}, "x"));
  });
  for (const char* target :
       {"/X?v=a%0d%0aB:c", "/X?v=%7f", "/X%20Y?v=a", "/content-length?v=3", "/Transfer-Encoding?v=chunked"}) {
    const std::string answer = server.Ask(Get(target));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 500")) << answer;
  }
}

TEST(Server, LargeAnswersWaitForSlowReadersWithoutAThread) {
  ServerOptions options;
  options.limits.handlers = 1;
  TestServer server([](Exchange& exchange) {
    (void)exchange.Respond(200, {}, std::string(exchange.request().path == "/large" ? 8 << 20 : 1, 'x'));
  }, options);
  RawClient slow = server.Open();
  slow.Send(Get("/large", "Connection: close\r\n"));
  EXPECT_TRUE(slow.ReceiveUntil("\r\n\r\n").starts_with("HTTP/1.1 200"));
  EXPECT_EQ(BodyOf(server.Ask(Get("/"))), "x");
  EXPECT_EQ(slow.ReceiveAll().size(), 8u << 20);
}

TEST(Server, ListensOnUnixSocketsWithTheirModeAndReplacesAnOldOne) {
  char folder[] = "/tmp/paddock_net_XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/s";
  ServerOptions options;
  options.listeners.push_back({{.is_unix = true, .host = path}, false, 0620});
  options.allows_host = [](const std::string&) { return false; };
  const Handler handler = [](Exchange& exchange) {
    EXPECT_TRUE(exchange.request().peer.is_unix);
    (void)exchange.Respond(200, {}, std::to_string(*exchange.request().peer.user));
  };
  {
    TestServer server(handler, options);
    EXPECT_EQ(BodyOf(server.Ask(Get("/"))), std::to_string(getuid()));
    struct stat status{};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0620u);
    const auto second = Server::Start(options, handler);
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().Text().find(path), std::string::npos);
  }
  EXPECT_NE(access(path.c_str(), F_OK), 0) << "the file is gone with the server";
  {
    Address address{.is_unix = true, .host = path};
    const auto abandoned = Listen(&address, 0600);
    ASSERT_TRUE(abandoned);
  }
  TestServer server(handler, options);
  EXPECT_EQ(BodyOf(server.Ask(Get("/"))), std::to_string(getuid()));
  server.Reset();
  rmdir(folder);
}

TEST(Server, ListensOnIpv6) {
  ServerOptions options;
  options.listeners.push_back({{.host = "::1"}});
  Address probe{.host = "::1"};
  if (!Listen(&probe, 0)) GTEST_SKIP() << "no IPv6 here";
  TestServer server([](Exchange& exchange) { (void)exchange.Respond(200, {}, exchange.request().peer.address); }, options);
  EXPECT_EQ(BodyOf(server.Ask(Get("/"))), "::1");
}

TEST(Server, APortInUseIsAnErrorThatNamesIt) {
  TestServer server(Echo);
  ServerOptions options;
  options.listeners.push_back({server.address()});
  const auto second = Server::Start(options, Echo);
  ASSERT_FALSE(second);
  EXPECT_EQ(static_cast<int>(second.error().code), EADDRINUSE);
  EXPECT_NE(second.error().Text().find(FormatAddress(server.address())), std::string::npos);
}

}  // namespace
}  // namespace paddock::net
