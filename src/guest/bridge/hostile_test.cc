// The bridge with an agent in the hands of the code inside.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <thread>

#include "guest/bridge/stream_bridge.h"
#include "guest/protocol/flow.h"
#include "guest/protocol/frame.h"

namespace paddock::guest {
namespace {

std::string Bytes(uint32_t stream, FrameType type, uint16_t flags, std::string_view payload) {
  std::string bytes;
  AppendFrame(bytes, stream, type, flags, payload);
  return bytes;
}
std::string AcceptedBytes(uint32_t stream) { return Bytes(stream, FrameType::kAccepted, 0, Encode(Accepted{1, "127.0.0.1:9"})); }

class HostileBridge : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    far_.Reset(ends[0]);
    met_.Reset(ends[1]);
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    agent_.Reset(ends[1]);
    client_ = Client::ConnectLater(ends[0], ends[0]);
    bridge_ = std::move(*StreamBridge::Start(client_));
    std::thread answer([this] {
      Say(Bytes(0, FrameType::kHello, 0, Encode(Hello())));
      EXPECT_EQ(Hear(FrameType::kListen).header.stream, 1u);
      Say(Bytes(1, FrameType::kOpened, 0, Encode(Opened{7})));
    });
    const auto port = bridge_->ListenInside(0, [this] {
      ++meetings_;
      return Descriptor(dup(met_.get()));
    });
    answer.join();
    ASSERT_TRUE(port) << port.error().message;
  }
  void Say(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(agent_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
  // The next frame of this type; others are passed over. Of stream 0 when the client has gone.
  Frame Hear(FrameType type) {
    for (;;) {
      const auto frame = decoder_.Next();
      if (frame && *frame && (*frame)->header.type == type) return **frame;
      if (frame && *frame) continue;
      const std::span<char> space = decoder_.Space();
      const ssize_t got = recv(agent_.get(), space.data(), space.size(), 0);
      if (got <= 0) return {};
      decoder_.Commit(static_cast<size_t>(got));
    }
  }
  // What the connection has ended with, soon.
  Code End() {
    const auto asked = client_->ListProcesses(In(std::chrono::seconds(10)));
    return asked ? Code::kOk : asked.error().code;
  }

  Descriptor agent_;        // the agent's end
  Descriptor far_, met_;    // all that listens inside meets one socket, whose other end is far_
  std::atomic<size_t> meetings_{0};
  FrameDecoder decoder_;
  std::shared_ptr<Client> client_;
  std::unique_ptr<StreamBridge> bridge_;
};

TEST_F(HostileBridge, ConnectionsBeyondTheMostAreClosed) {
  constexpr uint32_t kConnections = 100'000;
  std::thread floods([this] {
    std::string bytes;
    for (uint32_t i = 1; i <= kConnections; ++i) bytes += AcceptedBytes(2 * i);
    Say(bytes);
  });
  for (uint32_t closed = 0; closed < kConnections - StreamBridge::kMostConnections; ++closed) ASSERT_NE(Hear(FrameType::kReset).header.stream, 0u);
  floods.join();
  EXPECT_EQ(meetings_, StreamBridge::kMostConnections);
}

TEST_F(HostileBridge, WhatIsGrantedToAnAgentThatDoesNotReadIsNotHeld) {
  std::string bytes;
  for (uint32_t i = 1; i <= 200; ++i) {
    bytes += AcceptedBytes(2 * i) + Bytes(2 * i, FrameType::kWindow, kChannelIn, EncodeU32(kMaxWindowBytes - kInitialWindowBytes));
  }
  Say(bytes);
  const std::string block(64 << 10, 'x');
  timeval patience{.tv_sec = 0, .tv_usec = 300'000};
  setsockopt(far_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  size_t sent = 0;
  for (ssize_t count; sent < (256u << 20) && (count = send(far_.get(), block.data(), block.size(), MSG_NOSIGNAL)) > 0;) sent += static_cast<size_t>(count);
  EXPECT_GT(sent, 100u << 10);
  EXPECT_LT(sent, 8u << 20);
}

TEST_F(HostileBridge, AnAgentThatAsksWithoutReadingAnswersIsCutOff) {
  timeval patience{.tv_sec = 2, .tv_usec = 0};
  setsockopt(agent_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  std::string bytes;
  for (uint32_t i = 1; i <= 4'000'000; ++i) {
    bytes += AcceptedBytes(2 * i);
    if (bytes.size() < (1 << 20)) continue;
    Say(bytes);
    bytes.clear();
    if (!client_->Poll(In(std::chrono::seconds(0)))) break;
  }
  EXPECT_EQ(End(), Code::kUnavailable);
}

class Violation : public HostileBridge, public testing::WithParamInterface<std::pair<const char*, std::string>> {};

TEST_P(Violation, EndsTheConnectionAndWhatItCarried) {
  Say(AcceptedBytes(2) + Bytes(2, FrameType::kData, kChannelIn, "before"));
  char text[6];
  ASSERT_EQ(recv(far_.get(), text, sizeof text, MSG_WAITALL), 6);
  met_.Reset();   // the joint holds the only one now
  Say(GetParam().second);
  EXPECT_EQ(End(), Code::kInvalid);
  timeval patience{.tv_sec = 10, .tv_usec = 0};
  setsockopt(far_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  char rest[1 << 12];
  ssize_t got = 0;
  while ((got = recv(far_.get(), rest, sizeof rest, 0)) > 0) {
  }
  EXPECT_EQ(got, 0);
}

const std::string kBlock(kMaxPayloadBytes, 'x');
INSTANTIATE_TEST_SUITE_P(
    HostileBridge, Violation,
    testing::Values(std::pair("AStreamThatNeverWas", Bytes(8, FrameType::kData, kChannelIn, "x")), std::pair("OneOfOursThatNeverWas", Bytes(99, FrameType::kData, kChannelIn, "x")),
                    std::pair("DataBehindItsEnd", Bytes(2, FrameType::kEnd, kChannelIn, "") + Bytes(2, FrameType::kData, kChannelIn, "x")),
                    std::pair("TwoEnds", Bytes(2, FrameType::kEnd, kChannelIn, "") + Bytes(2, FrameType::kEnd, kChannelIn, "")),
                    std::pair("EmptyData", Bytes(2, FrameType::kData, kChannelIn, "")), std::pair("AnotherChannel", Bytes(2, FrameType::kData, kChannelOut, "x")),
                    std::pair("OpenedThatIsOpen", Bytes(2, FrameType::kOpened, 0, Encode(Opened{1}))), std::pair("TheSameConnectionAgain", AcceptedBytes(2)),
                    std::pair("ANumberOfOurs", AcceptedBytes(5)), std::pair("AListenerThatNeverWas", Bytes(4, FrameType::kAccepted, 0, Encode(Accepted{9, ""}))),
                    std::pair("MoreCreditThanThereIs", Bytes(2, FrameType::kWindow, kChannelIn, EncodeU32(kMaxWindowBytes))),
                    std::pair("DataToTheListener", Bytes(1, FrameType::kData, kChannelIn, "x"))),
    [](const auto& named) { return named.param.first; });

TEST_F(HostileBridge, DataBeyondTheWindowEndsTheConnection) {
  // Nobody reads at the far end, so nothing is granted once the socket is full; an agent that goes on all the same is cut off.
  timeval patience{.tv_sec = 1, .tv_usec = 0};
  setsockopt(agent_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  Say(AcceptedBytes(2));
  for (int i = 0; i < 64 && client_->Poll(In(std::chrono::seconds(0))); ++i) Say(Bytes(2, FrameType::kData, kChannelIn, kBlock));
  EXPECT_EQ(End(), Code::kInvalid);
}

}  // namespace
}  // namespace paddock::guest
