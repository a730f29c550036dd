#include "drivers/docker/plain/shell_channel.h"

#include <gtest/gtest.h>

#include <functional>

namespace paddock::docker {
namespace {

std::string Frame(int stream, std::string_view bytes) {
  std::string frame(8, '\0');
  frame[0] = static_cast<char>(stream);
  for (int i = 0; i < 4; ++i) frame[static_cast<size_t>(4 + i)] = static_cast<char>(bytes.size() >> (24 - 8 * i) & 0xff);
  return frame + std::string(bytes);
}

// The other end: what it answers to a request; an empty answer ends the stream.
class FakeStream final : public net::ByteStream {
 public:
  explicit FakeStream(std::function<std::string(std::string_view request)> answer, size_t piece = 1 << 20) : answer_(std::move(answer)), piece_(piece) {}
  Result<size_t> Read(std::span<char> to) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !waiting_.empty() || is_over_; });
    const size_t count = std::min({to.size(), waiting_.size(), piece_});
    std::copy_n(waiting_.data(), count, to.data());
    waiting_.erase(0, count);
    return count;
  }
  Status Write(std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    const std::string answer = answer_(bytes);
    waiting_ += answer;
    is_over_ = is_over_ || answer.empty();
    changed_.notify_all();
    return {};
  }
  void FinishWriting() override {}
  void SetReadTime(std::chrono::milliseconds) override {}
  void Cut() override {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }

 private:
  const std::function<std::string(std::string_view)> answer_;
  const size_t piece_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;   // guarded by mutex_
  bool is_over_ = false;  // likewise
};

constexpr std::chrono::seconds kTime{30};

Result<ShellChannel::Answer> AskOnce(std::function<std::string(std::string_view)> answer, size_t most = 100, size_t piece = 1 << 20) {
  ShellChannel channel(std::make_unique<FakeStream>(std::move(answer), piece));
  return channel.Ask("request", "TOKEN", most, kTime);
}

TEST(ShellChannel, AnswersComeInPiecesOfAnySize) {
  for (const size_t piece : {1, 3, 1000}) {
    const auto answer = AskOnce([](std::string_view) { return Frame(1, "line\nTOKEN 1x\n") + Frame(2, "noise") + Frame(1, std::string_view("b\0c\nTOK", 7)) + Frame(1, "EN 12\n"); }, 100, piece);
    EXPECT_FALSE(answer);   // the first mark is not one
    const auto understood = AskOnce([](std::string_view) { return Frame(1, "line\nTOKEN") + Frame(2, "noise") + Frame(1, std::string_view("b\0c\nTOK", 7)) + Frame(1, "EN 12\n"); }, 100, piece);
    ASSERT_TRUE(understood) << understood.error().Text();
    EXPECT_EQ(understood->status, 12);
    EXPECT_EQ(understood->bytes, std::string_view("line\nTOKENb\0c", 13));
  }
}

TEST(ShellChannel, WhatNobodyAskedForIsNoAnswer) {
  int asked = 0;
  ShellChannel channel(std::make_unique<FakeStream>([&](std::string_view) { return ++asked == 1 ? Frame(1, "\nONE 0\n") : Frame(1, "two\nTWO 0\n"); }));
  EXPECT_TRUE(channel.Ask("a", "ONE", 100, kTime));
  EXPECT_EQ(channel.Ask("b", "TWO", 100, kTime)->bytes, "two");
}

TEST(ShellChannel, HostileAnswersAreErrorsAndEndIt) {
  EXPECT_EQ(AskOnce([](std::string_view) { return Frame(1, std::string(1000, 'x')); }).error().code, Code::kLimit);
  EXPECT_EQ(AskOnce([](std::string_view) { return Frame(1, "\nTOKEN 256\n"); }).error().code, Code::kIo);
  EXPECT_EQ(AskOnce([](std::string_view) { return Frame(1, "\nTOKEN -1\n"); }).error().code, Code::kIo);
  EXPECT_EQ(AskOnce([](std::string_view) { return Frame(1, "\nTOKEN 1234"); }).error().code, Code::kIo);
  EXPECT_EQ(AskOnce([](std::string_view) { return std::string("\x07no frame"); }).error().code, Code::kBrokenPipe);
  const auto ended = AskOnce([](std::string_view) { return std::string(); });
  EXPECT_EQ(ended.error().code, Code::kBrokenPipe);
}

TEST(ShellChannel, AfterAnErrorItIsOfNoUse) {
  ShellChannel channel(std::make_unique<FakeStream>([](std::string_view) { return Frame(1, std::string(1000, 'x')); }));
  EXPECT_FALSE(channel.Ask("a", "TOKEN", 10, kTime));
  EXPECT_TRUE(channel.HasEnded());
  EXPECT_EQ(channel.Ask("b", "TOKEN", 10000, kTime).error().code, Code::kBrokenPipe);
}

}  // namespace
}  // namespace paddock::docker
