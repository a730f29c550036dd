// A client and a real agent: connections both ways.
#include "guest/client/ports.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "guest/client/agent_for_test.h"

namespace paddock::guest {
namespace {

using std::chrono::seconds;

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// What a server inside would be: on this machine, where the test's agent runs too.
class Server {
 public:
  Server() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = Loopback(0);
    PADDOCK_CHECK(bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && listen(socket_, 10) == 0);
    socklen_t size = sizeof address;
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }
  ~Server() { close(socket_); }
  uint16_t port() const { return port_; }
  int Accept() const { return accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC); }

 private:
  int socket_;
  uint16_t port_ = 0;
};

int ConnectTo(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(port);
  PADDOCK_CHECK(connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return fd;
}

// Sends everything back until the end, which it passes on.
void Echo(int fd) {
  char buffer[8192];
  for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;) {
    for (ssize_t done = 0; done < got;) {
      const ssize_t written = write(fd, buffer + done, static_cast<size_t>(got - done));
      if (written <= 0) break;
      done += written;
    }
  }
  close(fd);
}

std::string ReadAll(GuestConnection& connection) {
  std::string all;
  char buffer[8192];
  while (true) {
    const auto count = connection.Read(buffer, In(seconds(20)));
    if (!count || *count == 0) return all;
    all.append(buffer, *count);
  }
}

class Ports : public testing::Test {
 protected:
  AgentForTest agent;
  std::unique_ptr<Client> client = agent.Connect();
  GuestPorts ports = client->ports();
};

TEST_F(Ports, DialledConnectionCarriesBytesBothWaysAndItsEnd) {
  const Server server;
  std::thread echo([&] { Echo(server.Accept()); });
  auto connection = ports.Dial({.port = server.port()}, In(seconds(10)));
  ASSERT_TRUE(connection) << connection.error().Text();
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i);
  std::thread writer([&] {
    EXPECT_TRUE((*connection)->Write(text, In(seconds(20))));
    (*connection)->CloseWrite();
  });
  EXPECT_TRUE(ReadAll(**connection) == text);
  writer.join();
  echo.join();
}

TEST_F(Ports, WhatCannotBeReachedIsAnError) {
  uint16_t port = 0;
  {
    const Server gone;
    port = gone.port();
  }
  EXPECT_FALSE(ports.Dial({.port = port}, In(seconds(10))));
  EXPECT_EQ(ports.Dial({.address = "not an address", .port = 1}, In(seconds(10))).error().code, Code::kInvalid);
  EXPECT_EQ(ports.Dial({.network = Network::kUnix, .address = "/no/such/socket"}, In(seconds(10))).error().code, Code::kNoEntry);
}

TEST_F(Ports, AFloodThatNobodyReadsStopsItsSender) {
  const Server server;
  size_t sent = 0;
  std::thread flood([&] {
    const int fd = server.Accept();
    const std::string block(64 * 1024, 'x');
    timeval patience{.tv_sec = 0, .tv_usec = 300'000};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    while (sent < (64u << 20)) {
      const ssize_t written = write(fd, block.data(), block.size());
      if (written <= 0) break;
      sent += static_cast<size_t>(written);
    }
    close(fd);
  });
  auto connection = ports.Dial({.port = server.port()}, In(seconds(10)));
  ASSERT_TRUE(connection);
  flood.join();
  EXPECT_LT(sent, 32u << 20);   // what the kernel's buffers hold, and a window
  EXPECT_TRUE(client->ListProcesses(In(seconds(10))));
  EXPECT_EQ(ReadAll(**connection).size(), sent);
}

TEST_F(Ports, ConnectionsToAListenerComeToTheClient) {
  auto listener = ports.Listen({}, In(seconds(10)));
  ASSERT_TRUE(listener);
  ASSERT_NE((*listener)->port(), 0);
  for (int i = 0; i < 3; ++i) {
    const int fd = ConnectTo((*listener)->port());
    ASSERT_EQ(write(fd, "hello", 5), 5);
    shutdown(fd, SHUT_WR);
    auto connection = (*listener)->Accept(In(seconds(10)));
    ASSERT_TRUE(connection);
    EXPECT_EQ((*connection)->peer().substr(0, 10), "127.0.0.1:");
    EXPECT_EQ(ReadAll(**connection), "hello");
    EXPECT_TRUE((*connection)->Write("answer", In(seconds(10))));
    (*connection)->CloseWrite();
    char buffer[100];
    ssize_t got = 0;
    for (ssize_t count; (count = read(fd, buffer + got, sizeof buffer - static_cast<size_t>(got))) > 0;) got += count;
    EXPECT_EQ(std::string(buffer, static_cast<size_t>(got)), "answer");
    close(fd);
  }
  EXPECT_FALSE(ports.Listen({.port = (*listener)->port()}, In(seconds(10))));
  EXPECT_EQ((*listener)->Accept(In(std::chrono::milliseconds(20))).error().code, Code::kTimedOut);
}

TEST_F(Ports, DroppedConnectionIsClosedInside) {
  const Server server;
  auto connection = ports.Dial({.port = server.port()}, In(seconds(10)));
  ASSERT_TRUE(connection);
  const int fd = server.Accept();
  *connection = nullptr;
  char byte;
  EXPECT_LE(read(fd, &byte, 1), 0);
  close(fd);
}

TEST_F(Ports, UsageSaysWhatItMeasures) {
  const auto usage = client->Usage(In(seconds(10)));
  ASSERT_TRUE(usage);
  const auto total = std::find_if(usage->begin(), usage->end(), [](const UsageValue& value) { return value.name == "memory.total_bytes"; });
  ASSERT_NE(total, usage->end());
  EXPECT_GT(total->value, 16u << 20);
}

TEST_F(Ports, AnAgentThatDoesNotOwnTheMachineSetsNoTime) {
  EXPECT_EQ(client->SetTime(std::chrono::system_clock::now(), In(seconds(10))).error().code, Code::kNotSupported);
  EXPECT_EQ(client->AddEntropy("abc", In(seconds(10))).error().code, Code::kNotSupported);
}

}  // namespace
}  // namespace paddock::guest
