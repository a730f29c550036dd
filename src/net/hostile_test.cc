// What a server does with clients that mean it harm, or are only slow: hostile bytes, limits, times, the end.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>

#include "net/net_for_test.h"
#include "net/server.h"

namespace paddock::net {
namespace {

using Milliseconds = std::chrono::milliseconds;

void Hello(Exchange& exchange) { (void)exchange.Respond(200, {}, "hello " + exchange.request().target); }

// The statuses of all answers to these bytes, and "closed" when the server ended the connection before the client did.
std::string Statuses(TestServer& server, std::string_view bytes, bool client_ends = false) {
  RawClient client = server.Open();
  client.Send(bytes);
  if (client_ends) client.FinishSending();
  std::string all = client.ReceiveAll(), statuses;
  for (size_t at = all.find("HTTP/1.1 "); at != std::string::npos; at = all.find("HTTP/1.1 ", at + 1)) {
    if (isdigit(static_cast<unsigned char>(all[at + 9])) != 0) statuses += all.substr(at + 9, 3) + " ";
  }
  return statuses;
}

TEST(Hostile, WhatTwoServersCouldReadDifferentlyIsA400AndTheEnd) {
  TestServer server(Hello);
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n", next = Get("/smuggled");
  const std::string cases[] = {
      post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      post + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
      post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc",
      post + "Content-Length: 3, 3\r\n\r\nabc",
      post + "Content-Length: +3\r\n\r\nabc",
      post + "Content-Length: -1\r\n\r\n",
      post + "Content-Length: 0x3\r\n\r\nabc",
      post + "Content-Length: 99999999999999999999\r\n\r\n",
      post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
      post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
      post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
      post + "Transfer_Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      post + "A: b\r\n c\r\n\r\n",
      post + "A : b\r\n\r\n",
      post + "A\r\n\r\n",
      post + ": b\r\n\r\n",
      post + "A: b\n\r\n",
      post + "A: b\rC: d\r\n\r\n",
      post + std::string("A: b\0\r\n\r\n", 10),
      "GET / HTTP/1.1\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: a/../b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: user@a\r\n\r\n",
      "GET / HTTP/1.1\r\nHost:\r\n\r\n",
      "GET http://other.example/ HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET //a/%00 HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET /\tHTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
      "GET / http/1.1\r\nHost: a\r\n\r\n",
      "GET /\r\n\r\n",
      "get / HTTP/1.1\r\nHost: a\r\n\r\n",
      "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),
      "GET /../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n",
  };
  for (const std::string& bytes : cases) EXPECT_EQ(Statuses(server, bytes + next), "400 ") << bytes;
  EXPECT_EQ(Statuses(server, "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n" + next), "501 ");
  EXPECT_EQ(Statuses(server, post + "Expect: magic\r\nContent-Length: 0\r\n\r\n" + next), "417 ");
}

TEST(Hostile, BadChunksEndTheConnection) {
  TestServer server([](Exchange& exchange) {
    const auto body = exchange.ReadWholeBody(100);
    (void)exchange.Respond(body ? 200 : StatusOf(body.error()), {}, "");
  });
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", next = Get("/smuggled");
  for (const char* body :
       {"x\r\n", "-1\r\n", "0x3\r\nabc\r\n", "3\nabc\r\n", "3\r\nabcd\r\n", "3\r\nabc\n0\r\n\r\n", "ffffffffffffffffff\r\n",
        " 3\r\nabc\r\n", "3 \r\nabc\r\n", "3;\x01\r\nabc\r\n", "0\r\nA b\r\n\r\n", "\r\n", "0\r\nA: b\n\r\n"}) {
    EXPECT_EQ(Statuses(server, head + body + next), "400 ") << body;
  }
  EXPECT_EQ(Statuses(server, head + "3\r\nabc\r\n0\r\n\r\n" + Get("/next"), true), "200 200 ");
}

TEST(Hostile, AnUnreadBadBodyIsNoRequestEither) {
  TestServer server(Hello);
  EXPECT_EQ(Statuses(server, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" + Get("/smuggled")),
            "200 ");
}

TEST(Hostile, HeadsAreBounded) {
  ServerOptions options;
  options.limits.head_bytes = 2000;
  options.limits.headers = 20;
  TestServer server(Hello, options);
  EXPECT_EQ(Statuses(server, Get("/", "A: " + std::string(1900, 'x') + "\r\n"), true), "200 ");
  EXPECT_EQ(Statuses(server, Get("/", "A: " + std::string(3000, 'x') + "\r\n")), "431 ");
  EXPECT_EQ(Statuses(server, Get("/" + std::string(3000, 'x'))), "414 ");
  std::string headers;
  for (int i = 0; i < 19; ++i) headers += "A: b\r\n";
  EXPECT_EQ(Statuses(server, Get("/", headers), true), "200 ");
  EXPECT_EQ(Statuses(server, Get("/", headers + "A: b\r\n")), "431 ");
  EXPECT_EQ(Statuses(server, "G" + std::string(100'000, 'E')), "414 ");
}

TEST(Hostile, OtherHostsAreMisdirected) {
  ServerOptions options;
  options.allows_host = [](const std::string& host) { return IsLoopbackHost(host); };
  options.refusal_body = [](int status, std::string_view) { return "{\"status\":" + std::to_string(status) + "}"; };
  options.refusal_type = "application/json";
  TestServer server(Hello, options);
  EXPECT_EQ(Statuses(server, "GET / HTTP/1.1\r\nHost: LocalHost:7420\r\n\r\n", true), "200 ");
  EXPECT_EQ(Statuses(server, "GET / HTTP/1.0\r\n\r\n"), "421 ");
  const std::string answer = server.Ask("GET / HTTP/1.1\r\nHost: rebound.example\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 421 "));
  EXPECT_NE(answer.find("application/json"), std::string::npos);
  EXPECT_EQ(BodyOf(answer), "{\"status\":421}");
}

// --- times ---

ServerOptions Impatient() {
  ServerOptions options;
  options.limits.head_time = options.limits.idle_time = options.limits.body_time = options.limits.write_time = Milliseconds(250);
  return options;
}

TEST(SlowClients, AreCutInEveryPhase) {
  TestServer server(Hello, Impatient());
  EXPECT_EQ(Statuses(server, ""), "") << "nothing at all";
  EXPECT_EQ(Statuses(server, "GET / HT"), "408 ");
  EXPECT_EQ(Statuses(server, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab"), "408 ");
  EXPECT_EQ(Statuses(server, Get("/")), "200 ") << "idle after an answer";
}

TEST(SlowClients, ATrickleOfHeadersDoesNotCount) {
  TestServer server(Hello, Impatient());
  RawClient client = server.Open();
  bool is_open = client.Send("GET / HTTP/1.1\r\n");
  const auto end = std::chrono::steady_clock::now() + kTestPatience;
  while (is_open && std::chrono::steady_clock::now() < end) {
    pollfd ready{client.fd(), POLLIN, 0};
    if (poll(&ready, 1, 5) > 0) break;
    is_open = client.Send("A: b\r\n");
  }
  EXPECT_TRUE(client.ReceiveAll().starts_with("HTTP/1.1 408"));
}

TEST(SlowClients, ThatDoNotReadTheirAnswerAreCut) {
  ServerOptions options = Impatient();
  options.limits.head_time = kTestPatience;
  Signal failed;
  TestServer server([&](Exchange& exchange) {
    if (exchange.request().path == "/whole") return void(exchange.Respond(200, {}, std::string(16 << 20, 'x')));
    (void)exchange.StartResponse(200, {});
    const std::string piece(1 << 20, 'x');
    Status status;
    while ((status = exchange.Write(piece))) continue;
    EXPECT_EQ(status.error().code, Code::kTimedOut);
    EXPECT_TRUE(exchange.IsClientGone());
    failed.Give();
  }, options);
  RawClient whole = server.Open(), pieces = server.Open();
  whole.Send(Get("/whole"));
  pieces.Send(Get("/pieces"));
  EXPECT_TRUE(failed.Wait());
  EXPECT_TRUE(Eventually([&] { return server->stats().connections == 0; }));
}

TEST(SlowClients, BodiesHaveATimeOfTheirOwn) {
  TestServer server([](Exchange& exchange) {
    exchange.SetBodyLimit({.bytes = 1 << 30, .idle = Milliseconds(30)});
    char piece[100];
    for (;;) {
      const auto count = exchange.ReadBody(piece);
      if (!count) return void(exchange.Respond(StatusOf(count.error()), {}, ""));
      if (*count == 0) break;
    }
    (void)exchange.Respond(200, {}, "");
  });
  EXPECT_EQ(Statuses(server, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nab"), "408 ");
  EXPECT_EQ(Statuses(server, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), "408 ");
}

// --- numbers ---

// Handlers that wait until the test lets them go.
class Gate {
 public:
  void Enter() {
    std::unique_lock lock(mutex_);
    ++inside_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_open_; });
    --inside_;
  }
  bool WaitForInside(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kTestPatience, [&] { return inside_ >= count; });
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t inside_ = 0;
  bool is_open_ = false;
};

TEST(Numbers, HandlersThatWaitDoNotStopOthers) {
  Gate gate;
  ServerOptions options;
  options.limits.handlers = 40;
  TestServer server([&](Exchange& exchange) {
    if (exchange.request().path == "/wait") gate.Enter();
    Hello(exchange);
  }, options);
  std::vector<RawClient> waiting;
  for (int i = 0; i < 39; ++i) {
    waiting.push_back(server.Open());
    waiting.back().Send(Get("/wait", "Connection: close\r\n"));
  }
  ASSERT_TRUE(gate.WaitForInside(39));
  EXPECT_EQ(BodyOf(server.Ask(Get("/"))), "hello /");
  EXPECT_GE(server->stats().threads, 39u);
  gate.Open();
  for (RawClient& client : waiting) EXPECT_EQ(BodyOf(client.ReceiveAll()), "hello /wait");
}

TEST(Numbers, RequestsAboveTheHandlersWaitInLineAndThenAreTurnedAway) {
  Gate gate;
  ServerOptions options;
  options.limits.handlers = 2;
  options.limits.queued = 3;
  options.limits.queue_wait = kTestPatience;
  TestServer server([&](Exchange& exchange) {
    gate.Enter();
    Hello(exchange);
  }, options);
  std::vector<RawClient> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(server.Open());
    clients.back().Send(Get("/", "Connection: close\r\n"));
  }
  ASSERT_TRUE(Eventually([&] { return server->stats().queued == 3; }));
  const std::string refused = server.Ask(Get("/"));
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503 "));
  EXPECT_NE(refused.find("Retry-After: "), std::string::npos);
  gate.Open();
  for (RawClient& client : clients) EXPECT_EQ(BodyOf(client.ReceiveAll()), "hello /");
  EXPECT_TRUE(Eventually([&] { return server->stats().running_handlers == 0; }));
}

TEST(Numbers, AWaitInLineHasAnEnd) {
  Gate gate;
  ServerOptions options;
  options.limits.handlers = 1;
  options.limits.queue_wait = Milliseconds(40);
  TestServer server([&](Exchange& exchange) {
    gate.Enter();
    Hello(exchange);
  }, options);
  RawClient first = server.Open();
  first.Send(Get("/"));
  ASSERT_TRUE(gate.WaitForInside(1));
  EXPECT_EQ(Statuses(server, Get("/")), "503 ");
  gate.Open();
}

TEST(Numbers, PipelinedRequestsAndTheLineTakeTurns) {
  ServerOptions options;
  options.limits.handlers = 1;
  TestServer server(Hello, options);
  std::vector<RawClient> clients;
  std::string many;
  for (int i = 0; i < 50; ++i) many += Get("/");
  for (int i = 0; i < 8; ++i) {
    clients.push_back(server.Open());
    clients.back().Send(many);
  }
  for (RawClient& client : clients) {
    for (int i = 0; i < 50; ++i) EXPECT_NE(client.ReceiveUntil("hello /").find("200 OK"), std::string::npos);
  }
}

TEST(Numbers, AnIdleConnectionMakesRoomForANewOne) {
  ServerOptions options;
  options.limits.connections = 3;
  Gate gate;
  TestServer server([&](Exchange& exchange) {
    if (exchange.request().path == "/wait") gate.Enter();
    Hello(exchange);
  }, options);
  RawClient busy = server.Open(), idle = server.Open();
  busy.Send(Get("/wait"));
  ASSERT_TRUE(gate.WaitForInside(1));
  idle.Send(Get("/"));
  idle.ReceiveUntil("hello /");
  std::vector<RawClient> more;
  for (int i = 0; i < 5; ++i) {
    // A connection becomes idle a moment after its answer was received.
    EXPECT_TRUE(Eventually([&] {
      more.push_back(server.Open());
      more.back().Send(Get("/"));
      return more.back().ReceiveUntil("hello /").find("200") != std::string::npos;
    })) << i;
  }
  EXPECT_EQ(idle.ReceiveAll(), "") << "the one that was idle longest went first";
  EXPECT_LE(server->stats().connections, 3u);
  gate.Open();
  EXPECT_NE(busy.ReceiveUntil("hello /wait").find("200"), std::string::npos);
}

TEST(Numbers, WithoutAnIdleOneANewConnectionIsTurnedAway) {
  ServerOptions options;
  options.limits.connections = 2;
  Gate gate;
  TestServer server([&](Exchange& exchange) {
    gate.Enter();
    Hello(exchange);
  }, options);
  RawClient first = server.Open(), second = server.Open();
  first.Send(Get("/"));
  second.Send(Get("/"));
  ASSERT_TRUE(gate.WaitForInside(2));
  EXPECT_TRUE(server.Open().ReceiveAll().starts_with("HTTP/1.1 503 "));
  gate.Open();
}

TEST(Numbers, OutOfDescriptorsIsARestAndNotASpin) {
  TestServer server(Hello);
  RawClient before = server.Open();
  before.Send(Get("/"));
  before.ReceiveUntil("hello /");
  Descriptor waiting(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const Descriptor next(dup(0));   // the number from which on there are none
  const rlimit low{static_cast<rlim_t>(next.get()), limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(server.address().port);
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(waiting.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0) << "the system takes it for the server";
  rusage begin{}, end{};
  getrusage(RUSAGE_SELF, &begin);
  before.Send(Get("/"));
  before.ReceiveUntil("hello /");
  poll(nullptr, 0, 200);   // time in which a loop would take the processor
  getrusage(RUSAGE_SELF, &end);
  setrlimit(RLIMIT_NOFILE, &limit);
  const auto spent = (end.ru_utime.tv_sec + end.ru_stime.tv_sec - begin.ru_utime.tv_sec - begin.ru_stime.tv_sec) * 1'000'000 +
                     (end.ru_utime.tv_usec + end.ru_stime.tv_usec - begin.ru_utime.tv_usec - begin.ru_stime.tv_usec);
  EXPECT_LT(spent, 100'000) << "microseconds";
  RawClient after(std::move(waiting));
  after.Send(Get("/"));
  EXPECT_NE(after.ReceiveUntil("hello /").find("200"), std::string::npos) << "it is served when there are some again";
}

// --- clients that go, servers that stop ---

TEST(Going, AHandlerIsToldOnce) {
  Signal inside, told;
  std::atomic<int> count = 0;
  TestServer server([&](Exchange& exchange) {
    exchange.OnClientGone([&] {
      ++count;
      told.Give();
    });
    EXPECT_FALSE(exchange.IsClientGone());
    inside.Give();
    EXPECT_TRUE(told.Wait());
    EXPECT_TRUE(exchange.IsClientGone());
  });
  RawClient client = server.Open();
  client.Send(Get("/"));
  ASSERT_TRUE(inside.Wait());
  client.Close();
  EXPECT_TRUE(told.Wait());
  EXPECT_TRUE(Eventually([&] { return server->stats().connections == 0; }));
  EXPECT_EQ(count, 1);
}

TEST(Going, AClientThatWasGoneBeforeIsToldToo) {
  Gate gate;
  Signal told;
  TestServer server([&](Exchange& exchange) {
    gate.Enter();
    exchange.OnClientGone([&] { told.Give(); });
    EXPECT_TRUE(told.Wait());
  });
  RawClient client = server.Open();
  client.Send(Get("/"));
  ASSERT_TRUE(gate.WaitForInside(1));
  client.Close();
  gate.Open();
  EXPECT_TRUE(told.Wait());
}

TEST(Going, BytesOfTheNextRequestAreNoEnd) {
  Gate gate;
  std::atomic<int> told = 0;
  TestServer server([&](Exchange& exchange) {
    if (exchange.request().path == "/first") {
      exchange.OnClientGone([&] { ++told; });
      gate.Enter();
      EXPECT_FALSE(exchange.IsClientGone());
      EXPECT_EQ(told, 0);
    }
    Hello(exchange);
  });
  RawClient client = server.Open();
  client.Send(Get("/first"));
  ASSERT_TRUE(gate.WaitForInside(1));
  client.Send(Get("/second"));
  EXPECT_EQ(BodyOf(server.Ask(Get("/"))), "hello /");   // events are handled meanwhile
  gate.Open();
  EXPECT_NE(client.ReceiveUntil("hello /first").find("200"), std::string::npos);
  EXPECT_NE(client.ReceiveUntil("hello /second").find("200"), std::string::npos);
}

TEST(Stop, LetsRequestsEndAndTakesNoNewOnes) {
  Gate gate;
  TestServer server([&](Exchange& exchange) {
    gate.Enter();
    Hello(exchange);
  });
  const Address address = server.address();
  RawClient busy = server.Open(), idle = server.Open();
  busy.Send(Get("/"));
  ASSERT_TRUE(gate.WaitForInside(1));
  std::thread stopper([&] { EXPECT_TRUE(server->Stop(kTestPatience)); });
  EXPECT_EQ(idle.ReceiveAll(), "") << "idle connections end at once";
  EXPECT_TRUE(Eventually([&] { return !Connect(address, Milliseconds(1000)); }));
  gate.Open();
  const std::string answer = busy.ReceiveAll();
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
  EXPECT_EQ(BodyOf(answer), "hello /");
  stopper.join();
}

TEST(Stop, CutsWhatIsLeftAndTellsItsHandler) {
  Signal inside, told;
  TestServer server([&](Exchange& exchange) {
    exchange.OnClientGone([&] { told.Give(); });
    inside.Give();
    EXPECT_TRUE(told.Wait());
    EXPECT_TRUE(exchange.IsClientGone());
  });
  RawClient client = server.Open();
  client.Send(Get("/"));
  ASSERT_TRUE(inside.Wait());
  EXPECT_FALSE(server->Stop(Milliseconds(10)));
  EXPECT_EQ(client.ReceiveAll(), "");
}

TEST(Stop, CutsAHandlerThatReadsOrWrites) {
  Signal reads, writes;
  TestServer server([&](Exchange& exchange) {
    if (exchange.request().path == "/read") {
      reads.Give();
      exchange.SetBodyLimit({.bytes = 1 << 30, .idle = kTestPatience});
      char piece[10];
      Result<size_t> count = size_t{1};
      while (count && *count > 0) count = exchange.ReadBody(piece);
      EXPECT_FALSE(count);
      return;
    }
    (void)exchange.StartResponse(200, {});
    writes.Give();
    while (exchange.Write(std::string(1 << 20, 'x'))) continue;
  });
  RawClient reader = server.Open(), writer = server.Open();
  reader.Send("POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nabc");
  writer.Send(Get("/write"));
  ASSERT_TRUE(reads.Wait() && writes.Wait());
  EXPECT_FALSE(server->Stop(Milliseconds(0)));
}

TEST(Adopt, ServesASocketThatCameFromElsewhere) {
  TestServer server([](Exchange& exchange) { (void)exchange.Respond(200, {}, exchange.request().peer.address); });
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  RawClient client{Descriptor(pair[0])};
  EXPECT_TRUE(server->Adopt(Descriptor(pair[1]), {.address = "inside"}));
  client.Send(Get("/"));
  EXPECT_NE(client.ReceiveUntil("inside").find("200"), std::string::npos);
}

}  // namespace
}  // namespace paddock::net
