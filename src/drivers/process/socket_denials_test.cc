#include "drivers/process/socket_denials.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace paddock::process_wall {
namespace {

class SocketDenialsTest : public testing::Test {
 protected:
  SocketDenialsTest() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    denials_ = std::make_unique<SocketDenials>(Descriptor(ends[0]));
    writer_.Reset(ends[1]);
  }
  std::vector<std::string> After(std::string_view bytes) {
    EXPECT_EQ(write(writer_.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    denials_->MoveTo(log_);
    return log_.Take();
  }
  std::unique_ptr<SocketDenials> denials_;
  Descriptor writer_;
  sandbox::DenialLog log_;
};

TEST_F(SocketDenialsTest, EachPathIsALine) {
  const auto lines = After(std::string_view("/w/a\0b.sock\0", 12));
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("socket /w/a: denied"));
  EXPECT_TRUE(lines[1].starts_with("socket b.sock: denied"));
}

TEST_F(SocketDenialsTest, APathThatCameInPiecesIsOne) {
  EXPECT_TRUE(After("/w/lo").empty());
  const auto lines = After(std::string_view("ng\0", 3));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("socket /w/long: "));
}

TEST_F(SocketDenialsTest, ForgedLinesAreCutAndPrintable) {
  std::string forged(5000, 'x');
  forged[1] = '\n';
  forged[2] = '\x1b';
  forged += '\0';
  const auto lines = After(forged);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("socket x??x"));
  EXPECT_LT(lines[0].size(), 250u);
}

}  // namespace
}  // namespace paddock::process_wall
