// Either end against a peer that breaks the protocol.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guest/client/agent_for_test.h"
#include "guest/protocol/frame.h"

namespace paddock::guest {
namespace {

using std::chrono::seconds;

std::string FrameBytes(uint32_t stream, FrameType type, uint16_t flags, std::string_view payload) {
  std::string bytes;
  AppendFrame(bytes, stream, type, flags, payload);
  return bytes;
}
std::string HelloBytes() { return FrameBytes(0, FrameType::kHello, 0, Encode(Hello())); }
std::string StartBytes(uint32_t stream, const char* program, bool has_input = false) {
  StartRequest request;
  request.arguments = {program, "100"};
  request.has_input = has_input;
  return FrameBytes(stream, FrameType::kStart, 0, Encode(request));
}

// Sends the bytes to a real agent and returns its exit status.
int AgentGets(const std::string& bytes) {
  AgentForTest agent;
  EXPECT_EQ(write(agent.output_fd(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  shutdown(agent.output_fd(), SHUT_WR);
  return agent.WaitForExit();
}

constexpr int kBrokenProtocol = 3;

TEST(HostileClient, AgentEndsTheConnectionAtTheFirstViolation) {
  EXPECT_EQ(AgentGets(HelloBytes()), 0);   // what the others are measured against
  EXPECT_EQ(AgentGets(HelloBytes() + StartBytes(1, "/bin/true")), 0);
  EXPECT_EQ(AgentGets(std::string(100, '\xff')), kBrokenProtocol);
  EXPECT_EQ(AgentGets(StartBytes(1, "/bin/true")), kBrokenProtocol) << "no hello";
  EXPECT_EQ(AgentGets(HelloBytes() + HelloBytes()), kBrokenProtocol);
  EXPECT_EQ(AgentGets(HelloBytes() + StartBytes(2, "/bin/true")), kBrokenProtocol) << "the agent's number";
  EXPECT_EQ(AgentGets(HelloBytes() + StartBytes(1, "/bin/true") + StartBytes(1, "/bin/true")), kBrokenProtocol);
  EXPECT_EQ(AgentGets(HelloBytes() + FrameBytes(5, FrameType::kData, 0, "x")), kBrokenProtocol) << "no such stream";
  EXPECT_EQ(AgentGets(HelloBytes() + FrameBytes(1, FrameType::kStart, 0, "x")), kBrokenProtocol) << "malformed";
  EXPECT_EQ(AgentGets(HelloBytes() + StartBytes(1, "/bin/sleep") + FrameBytes(1, FrameType::kSignal, 0, std::string("\0\0", 2))),
            kBrokenProtocol);
  // One fills the pipe, one the window.
  const std::string block_frame = FrameBytes(1, FrameType::kData, 0, std::string(kMaxPayloadBytes, 'x'));
  EXPECT_EQ(AgentGets(HelloBytes() + StartBytes(1, "/bin/sleep", true) + block_frame + block_frame + block_frame),
            kBrokenProtocol) << "input beyond the window";
  const std::string window = FrameBytes(1, FrameType::kWindow, kChannelOut, EncodeU32(0xffffffff));
  EXPECT_EQ(AgentGets(HelloBytes() + StartBytes(1, "/bin/sleep") + window), kBrokenProtocol);
  EXPECT_EQ(AgentGets(HelloBytes() + FrameBytes(0, FrameType::kStart, 0, "")), kBrokenProtocol) << "request on stream 0";
}

TEST(HostileClient, WhoDoesNotTakeAnswersGetsNoMoreOfThem) {
  AgentForTest agent;
  std::string bytes = HelloBytes();
  for (int i = 0; i < 4000; ++i) bytes += FrameBytes(0, FrameType::kPing, 0, EncodeU64(1));
  // Not one pong is read. The agent must stop reading at some point instead of keeping them all.
  size_t sent = 0;
  timeval patience{.tv_sec = 0, .tv_usec = 300'000};
  setsockopt(agent.output_fd(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  for (int i = 0; i < 1000; ++i) {
    const ssize_t written = write(agent.output_fd(), bytes.data(), bytes.size());
    if (written <= 0) break;
    sent += static_cast<size_t>(written);
    bytes.erase(0, HelloBytes().size());
    bytes = bytes.substr(0, 4000 * 20);
    if (static_cast<size_t>(written) != bytes.size() && i > 0) break;
  }
  EXPECT_LT(sent, 4u << 20);
}

TEST(CarelessCaller, ARequestThatTheAgentWouldNotTakeIsRefusedHere) {
  AgentForTest agent;
  const auto client = agent.Connect();
  ExecRequest request;
  request.arguments = {"true", std::string("a\0b", 3)};
  EXPECT_EQ(client->Start(request).error().code, Code::kInvalid);
  request.arguments = {"true"};
  request.directory = std::string(5000, 'x');
  EXPECT_EQ(client->Start(request).error().code, Code::kInvalid);
  request.directory = "/";
  request.arguments.push_back(std::string(5 << 20, 'x'));
  EXPECT_FALSE(client->Start(request));
  auto files = client->files();
  EXPECT_EQ(files.Stat("").error().code, Code::kInvalid);
  EXPECT_EQ(files.Stat(std::string(5000, 'x')).error().code, Code::kInvalid);
  EXPECT_EQ(files.List("").error().code, Code::kInvalid);
  EXPECT_EQ(files.ReadAll("", 10).error().code, Code::kInvalid);
  EXPECT_EQ(files.WriteAll({.path = ""}, "x").error().code, Code::kInvalid);
  EXPECT_EQ(files.Watch({.path = ""}).error().code, Code::kInvalid);
  EXPECT_EQ(client->ports().Dial({.address = std::string(200, 'x')}).error().code, Code::kInvalid);
  EXPECT_EQ(client->ports().Listen({.network = Network::kUnix}).error().code, Code::kInvalid);
  EXPECT_TRUE(client->ListProcesses(In(seconds(10)))) << "the connection did not survive";
}

// A client whose agent says these bytes; what the start of a program then ends with.
Error ClientGets(const std::string& bytes) {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  EXPECT_EQ(write(ends[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  shutdown(ends[1], SHUT_WR);
  auto client = Client::ConnectLater(ends[0], ends[0]);
  ExecRequest request;
  request.arguments = {"true"};
  request.output_window = 100;
  auto process = client->Launch(request);
  EXPECT_TRUE(process);
  const Status status = (*process)->WaitOutput(In(seconds(10)));
  const auto exit = (*process)->Wait(In(seconds(10)));
  close(ends[1]);
  return status ? (exit ? Error(Code::kOk) : exit.error()) : status.error();
}

TEST(HostileAgent, ClientEndsTheConnectionAtTheFirstViolation) {
  const std::string started = FrameBytes(1, FrameType::kStarted, 0, Encode(Started{1, 10, 0, 0, 0}));
  const auto output = [](uint64_t offset, const std::string& text) {
    return FrameBytes(1, FrameType::kOutput, kChannelOut, EncodeU64(offset) + text);
  };
  const std::string ends = FrameBytes(1, FrameType::kEnd, kChannelOut, "") + FrameBytes(1, FrameType::kEnd, kChannelError, "");
  const std::string exited = FrameBytes(1, FrameType::kExited, 0, Encode(Exited()));
  EXPECT_EQ(ClientGets(HelloBytes() + started + output(0, "x") + exited + ends).code, Code::kOk);
  EXPECT_EQ(ClientGets(HelloBytes() + started).code, Code::kUnavailable) << "lost";
  EXPECT_EQ(ClientGets("HTTP/1.1 400 Bad Request\r\n").code, Code::kInvalid);
  EXPECT_EQ(ClientGets(started).code, Code::kInvalid) << "no hello";
  EXPECT_EQ(ClientGets(HelloBytes() + exited).code, Code::kInvalid) << "not started";
  EXPECT_EQ(ClientGets(HelloBytes() + started + started).code, Code::kInvalid);
  EXPECT_EQ(ClientGets(HelloBytes() + started + output(1, "x")).code, Code::kInvalid) << "a gap";
  EXPECT_EQ(ClientGets(HelloBytes() + started + output(0, std::string(101, 'x'))).code, Code::kInvalid) << "beyond the window";
  EXPECT_EQ(ClientGets(HelloBytes() + started + ends + output(0, "x")).code, Code::kInvalid) << "behind the end";
  EXPECT_EQ(ClientGets(HelloBytes() + started + exited + exited).code, Code::kInvalid);
  EXPECT_EQ(ClientGets(HelloBytes() + started + FrameBytes(1, FrameType::kTreeKilled, 0, EncodeU32(0))).code, Code::kInvalid);
  EXPECT_EQ(ClientGets(HelloBytes() + started + exited + FrameBytes(1, FrameType::kTreeKilled, 0, EncodeU32(0)) + ends).code, Code::kOk);
  EXPECT_EQ(ClientGets(HelloBytes() + started + exited + FrameBytes(1, FrameType::kTreeKilled, 0, EncodeU32(1)) + ends).code, Code::kInvalid) << "somebody is left";
  EXPECT_EQ(ClientGets(HelloBytes() + started + FrameBytes(3, FrameType::kEnd, 0, "")).code, Code::kInvalid) << "no such stream";
  EXPECT_EQ(ClientGets(HelloBytes() + FrameBytes(2, FrameType::kAccepted, 0, "")).code, Code::kInvalid) << "nobody listens";
  EXPECT_EQ(ClientGets(FrameBytes(0, FrameType::kFailure, 0, Encode(Failure{71, Step::kNone, "no"}))).code, Code::kUnavailable);
  Hello future;
  future.version_min = future.version_max = 9;
  EXPECT_EQ(ClientGets(FrameBytes(0, FrameType::kHello, 0, Encode(future))).code, Code::kUnavailable);
}

TEST(HostileAgent, ASilentOneEndsInATimeout) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  EXPECT_EQ(Client::Connect(ends[0], ends[0], In(std::chrono::milliseconds(30))).error().code, Code::kTimedOut);
  close(ends[1]);
}

}  // namespace
}  // namespace paddock::guest
