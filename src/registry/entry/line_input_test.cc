#include "registry/entry/line_input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <vector>

namespace paddock::registry {
namespace {

class LineInputTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = LineInput::Make();
    ASSERT_TRUE(made) << made.error().Text();
    input_ = std::move(*made);
  }
  std::string Type(std::string_view keys) {
    return input_->Type(keys, [this](int signal) { signals_.push_back(signal); });
  }
  // What the program reads at once; "nothing" where it would wait.
  std::string Read() {
    pollfd waited{.fd = input_->far(), .events = POLLIN, .revents = 0};
    if (poll(&waited, 1, 0) != 1) return "nothing";
    char buffer[4096];
    const ssize_t got = read(input_->far(), buffer, sizeof buffer);
    return got < 0 ? "error" : std::string(buffer, static_cast<size_t>(got));
  }

  std::unique_ptr<LineInput> input_;
  std::vector<int> signals_;
};

TEST_F(LineInputTest, ALineIsReadWhenItIsWhole) {
  EXPECT_EQ(Type("on"), "on");
  EXPECT_EQ(Read(), "nothing");
  EXPECT_EQ(Type("e\r"), "e\r\n");
  EXPECT_EQ(Read(), "one\n");
  EXPECT_TRUE(signals_.empty());
}

TEST_F(LineInputTest, ErasingTakesCharactersNotBytesAndStopsAtTheBeginning) {
  EXPECT_EQ(Type("a\xc3\xbc\x7f"), "a\xc3\xbc\b \b");
  EXPECT_EQ(Type("\x7f\x7f"), "\b \b");
  EXPECT_EQ(Type("xyz\x15q\r"), "xyz\b \b\b \b\b \bq\r\n");
  EXPECT_EQ(Read(), "q\n");
}

TEST_F(LineInputTest, ControlDEndsTheInput) {
  Type("\x04");
  EXPECT_EQ(Read(), "");
  Type("still there\r");
  EXPECT_EQ(Read(), "still there\n");
}

TEST_F(LineInputTest, ControlCSignalsAndDropsTheLineAndASecondOneKills) {
  EXPECT_EQ(Type("half\x03"), "half^C\r\n");
  EXPECT_EQ(Type("\x03rest\r"), "^C\r\nrest\r\n");
  EXPECT_EQ(signals_, (std::vector<int>{SIGINT, SIGKILL}));
  EXPECT_EQ(Read(), "rest\n");
}

TEST_F(LineInputTest, ControlBackslashIsSigquit) {
  EXPECT_EQ(Type("\x1c"), "^\\\r\n");
  EXPECT_EQ(signals_, (std::vector<int>{SIGQUIT}));
}

TEST_F(LineInputTest, WhatHasNoRoomIsDroppedAndRings) {
  const std::string shown = Type(std::string(1 << 20, '\n'));
  EXPECT_TRUE(shown.ends_with("\a"));
}

TEST_F(LineInputTest, WhatNobodyReadIsTakenBack) {
  Type("one\rtwo");
  EXPECT_EQ(input_->TakeBack(100), "one\ntwo");
  EXPECT_EQ(input_->TakeBack(100), "");
  Type("three\r");
  EXPECT_EQ(Read(), "three\n");
}

TEST_F(LineInputTest, TheProgramSeesTheEndWhenItGoes) {
  const int far = dup(input_->far());
  ASSERT_GE(far, 0);
  input_.reset();
  char byte = 0;
  EXPECT_EQ(read(far, &byte, 1), 0);
  close(far);
}

TEST(ForTerminal, LinesBeginAtTheLeft) { EXPECT_EQ(ForTerminal("a\nb\n\n"), "a\r\nb\r\n\r\n"); }

}  // namespace
}  // namespace paddock::registry
