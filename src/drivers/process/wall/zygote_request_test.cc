#include "drivers/process/wall/zygote_request.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <string>

namespace paddock::process_wall {
namespace {

class ZygoteRequestTest : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2] = {-1, -1};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    driver_.Reset(ends[0]);
    zygote_.Reset(ends[1]);
  }

  Descriptor driver_, zygote_;
  const WipedPages buffer_{kMostRequestText};
};

TEST_F(ZygoteRequestTest, ArrivesWhole) {
  ZygoteRequest sent;
  sent.kind = ZygoteRequest::Kind::kLaunch;
  sent.has_group = true;
  sent.wall = 1ull << 40;
  sent.order = {.uid = {1000, 0x71000001}, .gid = {1001, 0xfffffffe}, .is_root = true, .allows_namespaces = true};
  ASSERT_TRUE(SendRequest(driver_.get(), sent, "text", {0, 1, 2}));
  const ReceivedRequest got = ReceiveRequest(zygote_.get(), buffer_);
  ASSERT_FALSE(got.is_end);
  EXPECT_EQ(got.request.kind, sent.kind);
  EXPECT_TRUE(got.request.has_group);
  EXPECT_EQ(got.request.wall, sent.wall);
  EXPECT_EQ(got.request.order.uid.inside, 1000u);
  EXPECT_EQ(got.request.order.uid.outside, 0x71000001u);
  EXPECT_EQ(got.request.order.gid.inside, 1001u);
  EXPECT_EQ(got.request.order.gid.outside, 0xfffffffeu);
  EXPECT_TRUE(got.request.order.is_root);
  EXPECT_TRUE(got.request.order.allows_namespaces);
  EXPECT_EQ(got.text, "text");
  EXPECT_EQ(got.descriptors.size(), 3u);
}

TEST_F(ZygoteRequestTest, WhatIsShortOrTooLongIsTheEnd) {
  ASSERT_EQ(send(driver_.get(), "x", 1, 0), 1);
  EXPECT_TRUE(ReceiveRequest(zygote_.get(), buffer_).is_end);
  const std::string much(kMostRequestText + 1000, 'x');
  ASSERT_EQ(send(driver_.get(), much.data(), much.size(), 0), static_cast<ssize_t>(much.size()));
  EXPECT_TRUE(ReceiveRequest(zygote_.get(), buffer_).is_end);
  driver_.Reset();
  EXPECT_TRUE(ReceiveRequest(zygote_.get(), buffer_).is_end);
}

TEST_F(ZygoteRequestTest, TooMuchTextIsRefusedBeforeItIsSent) {
  EXPECT_TRUE(SendRequest(driver_.get(), {}, std::string(kMostRequestText, 'x'), {}));
  EXPECT_EQ(ReceiveRequest(zygote_.get(), buffer_).text.size(), kMostRequestText);
  const Status sent = SendRequest(driver_.get(), {}, std::string(kMostRequestText + 1, 'x'), {});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Code::kArgumentsTooLong);
}

TEST_F(ZygoteRequestTest, AZygoteThatWasKilledIsNamed) {
  zygote_.Reset();
  const Status sent = SendRequest(driver_.get(), {}, "", {});
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Code::kBrokenPipe);
  EXPECT_NE(sent.error().Text().find("zygote"), std::string_view::npos);
}

TEST_F(ZygoteRequestTest, DescriptorsThatThereIsNoRoomForAreMissing) {
  ASSERT_TRUE(SendRequest(driver_.get(), {}, "", {0, 1, 2}));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(0);   // the lowest free number
  close(next);
  const rlimit low{static_cast<rlim_t>(next) + 1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  const ReceivedRequest got = ReceiveRequest(zygote_.get(), buffer_);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_FALSE(got.is_end);
  EXPECT_EQ(got.descriptors.size(), 1u);
}

}  // namespace
}  // namespace paddock::process_wall
