#include "drivers/docker/engine/progress_lines.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace paddock::docker {
namespace {

TEST(ProgressLines, AnyCutGivesTheSameLines) {
  const std::string all = "{\"status\":\"Pulling\"}\r\n{\"status\":\"Done\"}\n\n{\"id\":\"x\"}";
  for (size_t piece = 1; piece <= all.size(); ++piece) {
    int count = 0;
    ProgressLines lines([&](const boost::json::value&) { ++count; });
    for (size_t at = 0; at < all.size(); at += piece) ASSERT_TRUE(lines.Feed(std::string_view(all).substr(at, piece)));
    EXPECT_TRUE(lines.Finish());
    EXPECT_EQ(count, 3) << piece;
  }
}

TEST(ProgressLines, AnErrorWithinIsAnError) {
  ProgressLines lines(nullptr);
  const Status status = lines.Feed("{\"status\":\"x\"}\n{\"errorDetail\":{\"message\":\"toomanyrequests: slow down\"},\"error\":\"toomanyrequests\"}\n");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kUnavailable);
  EXPECT_EQ(status.error().message, "toomanyrequests: slow down");
  ProgressLines newer(nullptr);
  EXPECT_EQ(newer.Feed("{\"errorDetail\":{\"message\":\"manifest unknown\"}}\n").error().code, Code::kNoEntry);
}

TEST(ProgressLines, AnErrorWithoutALineEndIsSeenAtTheEnd) {
  ProgressLines lines(nullptr);
  ASSERT_TRUE(lines.Feed("{\"error\":\"no space\"}"));
  EXPECT_EQ(lines.Finish().error().message, "no space");
}

TEST(ProgressLines, BoundsALineAndItsDepth) {
  ProgressLines lines(nullptr);
  Status status;
  for (int i = 0; i < 40 && status; ++i) status = lines.Feed(std::string(64 << 10, ' '));
  EXPECT_EQ(status.error().code, Code::kLimit);
  ProgressLines deep(nullptr);
  EXPECT_EQ(deep.Feed(std::string(5000, '[') + "\n").error().code, Code::kInvalid);
}

}  // namespace
}  // namespace paddock::docker
