// The bridge with a real agent, which runs on this machine: what is inside is on its loopback.
#include "guest/bridge/stream_bridge.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "egress/egress_for_test.h"
#include "guest/bridge/published_ports.h"
#include "guest/client/agent_for_test.h"

namespace paddock::guest {
namespace {

using egress::LoopbackSocket;
using egress::PortOf;
using egress::TestClient;
using egress::TestServer;

size_t OpenDescriptors() {
  DIR* const list = opendir("/proc/self/fd");
  size_t count = 0;
  while (readdir(list) != nullptr) ++count;
  closedir(list);
  return count;
}

// Sends until nothing more is taken for a while, at most `most` bytes.
size_t Flood(int fd, size_t most) {
  const std::string block(64 << 10, 'x');
  timeval patience{.tv_sec = 1, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  size_t sent = 0;
  while (sent < most) {
    const ssize_t count = send(fd, block.data(), block.size(), MSG_NOSIGNAL);
    if (count <= 0) break;
    sent += static_cast<size_t>(count);
  }
  return sent;
}

class Bridged : public testing::Test {
 protected:
  // A port inside whose connections go to a server of the host's.
  uint16_t PortInsideTo(uint16_t server) {
    const auto port = bridge->ListenInside(0, [server] { return TestClient(server).Take(); });
    EXPECT_TRUE(port) << port.error().message;
    return port.value_or(0);
  }
  uint16_t PublishedTo(uint16_t inside) {
    const auto ports = PublishPorts(*bridge, {{.host = 0, .guest = inside}});
    EXPECT_TRUE(ports) << ports.error().message;
    return ports->front().host;
  }

  AgentForTest agent;
  std::shared_ptr<Client> client = agent.Connect();
  std::unique_ptr<StreamBridge> bridge = std::move(*StreamBridge::Start(client));
};

// Sends everything back, then its end.
void Echo(TestClient peer) {
  for (std::string piece; !(piece = peer.Receive()).empty();) peer.Send(piece);
  peer.Finish();
}

TEST_F(Bridged, BytesAndEndsPassBothWays) {
  TestServer server(Echo);
  for (const uint16_t port : {PortInsideTo(server.port()), PublishedTo(server.port())}) {
    TestClient inside(port);
    std::string text;
    for (int i = 0; i < 400'000; ++i) text += std::to_string(i);
    std::thread writer([&] {
      inside.Send(text);
      inside.Finish();
    });
    EXPECT_TRUE(inside.ReceiveAll() == text);
    writer.join();
  }
}

TEST_F(Bridged, AnAnswerBehindTheEndOfTheQuestionArrives) {
  TestServer server([](TestClient peer) {
    const size_t asked = peer.ReceiveAll().size();
    peer.Send(std::string(3 << 20, 'a') + std::to_string(asked));
  });
  TestClient inside(PortInsideTo(server.port()));
  inside.Send("question");
  inside.Finish();
  const std::string answer = inside.ReceiveAll();
  EXPECT_EQ(answer.size(), (3u << 20) + 1);
  EXPECT_TRUE(answer.ends_with("8"));
}

TEST_F(Bridged, TheLastWordsOfAServerThatHangsUpArrive) {
  TestServer server([](TestClient peer) {
    peer.Receive(1);
    peer.Send("refused\n");
  });
  TestClient inside(PortInsideTo(server.port()));
  inside.Send("x");
  EXPECT_EQ(inside.ReceiveAll(), "refused\n");
  // What it goes on to say is of no use to anybody, and ends some day.
  EXPECT_LT(Flood(inside.fd(), 64 << 20), 64u << 20);
}

TEST_F(Bridged, WhoDoesNotReadStopsTheOtherSideAndNobodyElse) {
  const Descriptor silent = LoopbackSocket();   // takes connections into its queue and never reads
  const uint16_t silent_port = PortOf(silent.get());
  TestClient from_inside(PortInsideTo(silent_port)), from_outside(PublishedTo(silent_port));
  EXPECT_LT(Flood(from_inside.fd(), 256 << 20), 32u << 20);   // the buffers of the kernel and a window
  EXPECT_LT(Flood(from_outside.fd(), 256 << 20), 32u << 20);
  TestServer server(Echo);
  TestClient other(PortInsideTo(server.port()));
  other.Send("still here");
  other.Finish();
  EXPECT_EQ(other.ReceiveAll(), "still here");
}

TEST_F(Bridged, HundredsAtOnceAreServed) {
  TestServer server(Echo);
  const uint16_t inside = PortInsideTo(server.port()), published = PublishedTo(server.port());
  std::vector<TestClient> clients;
  for (int i = 0; i < 100; ++i) {
    clients.emplace_back(inside);
    clients.emplace_back(published);
  }
  for (size_t i = 0; i < clients.size(); ++i) clients[i].Send("number " + std::to_string(i));
  for (TestClient& one : clients) one.Finish();
  for (size_t i = 0; i < clients.size(); ++i) EXPECT_EQ(clients[i].ReceiveAll(), "number " + std::to_string(i));
}

TEST_F(Bridged, APortThatNobodyListensOnIsClosed) {
  uint16_t port = 0;
  {
    const Descriptor gone = LoopbackSocket();
    port = PortOf(gone.get());
  }
  EXPECT_EQ(TestClient(PublishedTo(port)).ReceiveAll(), "");
  EXPECT_EQ(TestClient(*bridge->ListenInside(0, [] { return Descriptor(); })).ReceiveAll(), "");
  EXPECT_FALSE(bridge->ListenInside(PortInsideTo(port), [] { return Descriptor(); })) << "taken already";
}

TEST_F(Bridged, AnAgentThatIsKilledTakesItsConnectionsWithItAndLeavesNoDescriptor) {
  std::vector<Descriptor> ours;   // the host's ends
  const size_t before = OpenDescriptors();
  const auto port = bridge->ListenInside(0, [&] {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    EXPECT_EQ(write(ends[0], "hello", 5), 5);
    ours.emplace_back(ends[0]);
    return Descriptor(ends[1]);
  });
  ASSERT_TRUE(port);
  std::vector<TestClient> clients;
  for (int i = 0; i < 20; ++i) clients.emplace_back(*port);
  for (TestClient& one : clients) EXPECT_EQ(one.ReceiveExactly(5), "hello");
  ASSERT_EQ(kill(agent.pid(), SIGKILL), 0);
  for (TestClient& one : clients) EXPECT_EQ(one.Receive(), "");
  for (const Descriptor& one : ours) EXPECT_EQ(TestClient(Descriptor(dup(one.get()))).Receive(), "");
  bridge->Stop();
  clients.clear();
  ours.clear();
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST_F(Bridged, StoppedItClosesEverything) {
  TestServer server(Echo);
  TestClient inside(PortInsideTo(server.port())), outside(PublishedTo(server.port()));
  inside.Send("a");
  outside.Send("b");
  EXPECT_EQ(inside.Receive(), "a");
  EXPECT_EQ(outside.Receive(), "b");
  bridge->Stop();
  EXPECT_EQ(inside.Receive(), "");
  EXPECT_EQ(outside.Receive(), "");
  bridge->Stop();
}

}  // namespace
}  // namespace paddock::guest
