#include "drivers/docker/engine/stream_frames.h"

#include <gtest/gtest.h>

#include <string>

namespace paddock::docker {
namespace {

std::string Frame(char stream, std::string_view body) {
  std::string frame{stream, 0, 0, 0};
  for (int shift = 24; shift >= 0; shift -= 8) frame += static_cast<char>(body.size() >> shift);
  return frame.append(body);
}

struct Taken {
  std::string out, err;
  StreamFrames::Take Taker() {
    return [this](EngineStream stream, std::string_view bytes) {
      (stream == EngineStream::kStderr ? err : out).append(bytes);
      return Status();
    };
  }
};

TEST(StreamFrames, AnyCutGivesTheSameBytes) {
  const std::string all = Frame(1, "hello ") + Frame(2, "oops") + Frame(1, "") + Frame(1, std::string(300, 'x')) + Frame(2, "!");
  for (size_t piece = 1; piece <= all.size(); ++piece) {
    StreamFrames frames;
    Taken taken;
    for (size_t at = 0; at < all.size(); at += piece) ASSERT_TRUE(frames.Feed(std::string_view(all).substr(at, piece), taken.Taker()));
    EXPECT_TRUE(frames.Finish());
    EXPECT_EQ(taken.out, "hello " + std::string(300, 'x')) << piece;
    EXPECT_EQ(taken.err, "oops!") << piece;
  }
}

TEST(StreamFrames, AFrameOfFourGigabytesTakesNoMemory) {
  StreamFrames frames;
  Taken taken;
  ASSERT_TRUE(frames.Feed(std::string("\1\0\0\0\xff\xff\xff\xff", 8), taken.Taker()));
  ASSERT_TRUE(frames.Feed("abc", taken.Taker()));
  EXPECT_EQ(taken.out, "abc");
  EXPECT_EQ(frames.Finish().error().code, Code::kBrokenPipe);
}

TEST(StreamFrames, RefusesWhatIsNoHead) {
  for (const std::string& head : {std::string("\3\0\0\0\0\0\0\1", 8), std::string("\1\1\0\0\0\0\0\1", 8), std::string("HTTP/1.1")}) {
    StreamFrames frames;
    Taken taken;
    EXPECT_EQ(frames.Feed(head, taken.Taker()).error().code, Code::kInvalid);
  }
}

TEST(StreamFrames, AnEndWithinAHeadIsAnError) {
  StreamFrames frames;
  Taken taken;
  ASSERT_TRUE(frames.Feed(std::string("\1\0\0", 3), taken.Taker()));
  EXPECT_EQ(frames.Finish().error().code, Code::kBrokenPipe);
}

TEST(StreamFrames, AnErrorOfTheTakerEndsIt) {
  StreamFrames frames;
  EXPECT_EQ(frames.Feed(Frame(1, "x"), [](EngineStream, std::string_view) { return Status(Code::kLimit); }).error().code, Code::kLimit);
}

}  // namespace
}  // namespace paddock::docker
