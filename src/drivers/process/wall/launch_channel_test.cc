#include "drivers/process/wall/launch_channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <thread>

namespace paddock::process_wall {
namespace {

struct Pair {
  Descriptor one, two;
};

Pair MakePair() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

ino_t Inode(int descriptor) {
  struct stat status{};
  EXPECT_EQ(fstat(descriptor, &status), 0);
  return status.st_ino;
}

TEST(LaunchChannel, BytesOfAnyNumberArriveWhole) {
  for (const size_t size : {size_t{0}, size_t{1}, size_t{64} << 10, size_t{300'001}}) {
    Pair pair = MakePair();
    std::string sent(size, 'x');
    for (size_t i = 0; i < size; i += 1000) sent[i] = static_cast<char>('a' + i / 1000 % 26);
    std::thread sender([&] { EXPECT_TRUE(SendBytes(pair.one.get(), sent)); });
    const auto got = ReceiveBytes(pair.two.get());
    sender.join();
    ASSERT_TRUE(got) << got.error().Text();
    EXPECT_EQ(*got, sent);
  }
}

TEST(LaunchChannel, BytesThatEndEarlyAreAnError) {
  Pair pair = MakePair();
  const uint64_t promised = 10;
  ASSERT_EQ(send(pair.one.get(), &promised, sizeof promised, 0), static_cast<ssize_t>(sizeof promised));
  pair.one.Reset();
  const auto got = ReceiveBytes(pair.two.get());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Code::kBrokenPipe);
}

TEST(LaunchChannel, ALengthBeyondTheBoundIsRefused) {
  Pair pair = MakePair();
  const uint64_t promised = ~uint64_t{0};
  ASSERT_EQ(send(pair.one.get(), &promised, sizeof promised, 0), static_cast<ssize_t>(sizeof promised));
  EXPECT_FALSE(ReceiveBytes(pair.two.get()));
}

TEST(LaunchChannel, MoreDescriptorsThanOneMessageTakesArriveInOrder) {
  Pair pair = MakePair();
  constexpr size_t kCount = 450;
  int pipes[2][2];
  for (auto& ends : pipes) ASSERT_EQ(pipe(ends), 0);
  std::vector<int> sent;
  for (size_t i = 0; i < kCount; ++i) sent.push_back(pipes[i % 3 == 0 ? 1 : 0][0]);
  ASSERT_TRUE(SendDescriptors(pair.one.get(), sent));
  const auto got = ReceiveDescriptors(pair.two.get(), kCount);
  ASSERT_TRUE(got) << got.error().Text();
  ASSERT_EQ(got->size(), kCount);
  for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(Inode((*got)[i].get()), Inode(sent[i]));
  for (const auto& ends : pipes) {
    for (const int end : ends) close(end);
  }
}

TEST(LaunchChannel, MissingDescriptorsAreAnError) {
  Pair pair = MakePair();
  ASSERT_TRUE(SendDescriptors(pair.one.get(), {0}));
  pair.one.Reset();
  EXPECT_FALSE(ReceiveDescriptors(pair.two.get(), 2));
}

// As a wall that fails before it has read the plan: the kernel tells of the unread bytes first.
TEST(LaunchChannel, WhatWasSaidBeforeTheEndIsHeardThoughMuchWasLeftUnread) {
  Pair pair = MakePair();
  ASSERT_TRUE(SendBytes(pair.one.get(), "a plan that nobody reads"));
  ASSERT_TRUE(SendLaunchMessage(pair.two.get(), LaunchMessage::Kind::kProcess, 7));
  ASSERT_TRUE(SendLaunchMessage(pair.two.get(), LaunchMessage::Kind::kFailed, 0, "the reason"));
  pair.two.Reset();
  const Status late = SendBytes(pair.one.get(), "more");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kBrokenPipe);
  const auto first = ReceiveLaunchMessage(pair.one.get(), 0);
  ASSERT_TRUE(first) << first.error().Text();
  EXPECT_EQ(first->number, 7);
  const auto second = ReceiveLaunchMessage(pair.one.get(), 0);
  ASSERT_TRUE(second) << second.error().Text();
  EXPECT_EQ(second->text, "the reason");
  const auto end = ReceiveLaunchMessage(pair.one.get(), 0);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, Code::kBrokenPipe);
}

// The kernel's word of unread bytes may also come when nothing is sent any more.
TEST(LaunchChannel, WhatWasSaidBeforeTheEndIsHeardWithoutAnotherSend) {
  Pair pair = MakePair();
  ASSERT_TRUE(SendBytes(pair.one.get(), "a plan that nobody reads"));
  ASSERT_TRUE(SendLaunchMessage(pair.two.get(), LaunchMessage::Kind::kFailed, 0, "the reason"));
  pair.two.Reset();
  const auto got = ReceiveLaunchMessage(pair.one.get(), 0);
  ASSERT_TRUE(got) << got.error().Text();
  EXPECT_EQ(got->text, "the reason");
}

}  // namespace
}  // namespace paddock::process_wall
