#include "drivers/docker/plain/file_script.h"

#include <gtest/gtest.h>

namespace paddock::docker {
namespace {

Result<std::string> Answered(int status, std::string bytes) { return Understand(ShellChannel::Answer{status, std::move(bytes)}); }

TEST(FileScript, ReadsWhatStatPrints) {
  const auto file = ParseAttributes("81a4 1000 1001 2 5 77 65024 0 0 8|1970-01-01 00:00:01.5 +0000|2009-02-13 23:31:30.123456789 +0000|1969-12-31 23:59:58 +0000\n");
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->is_file());
  EXPECT_EQ(file->mode, 0644u);
  EXPECT_EQ(file->uid, 1000u);
  EXPECT_EQ(file->gid, 1001u);
  EXPECT_EQ(file->links, 2u);
  EXPECT_EQ(file->size, 5u);
  EXPECT_EQ(file->blocks, 8u);
  EXPECT_EQ(file->access_time.count(), 1'500'000'000);
  EXPECT_EQ(file->modify_time.count(), 1'234'567'890'123'456'789);
  EXPECT_EQ(file->change_time.count(), -2'000'000'000);
  EXPECT_EQ(IdentityOf(*file), "65024:77");
  EXPECT_EQ(ParseAttributes("21b6 0 0 1 0 5 6 1 3 0|1970-01-01 00:00:01 +0000|1970-01-01 00:00:01 +0000|1970-01-01 00:00:01 +0000")->special, 0x103u);
}

TEST(FileScript, RefusesWhatStatWouldNotPrint) {
  const std::string times = "|1970-01-01 00:00:01 +0000|1970-01-01 00:00:01 +0000|1970-01-01 00:00:01 +0000";
  ASSERT_TRUE(ParseAttributes("81a4 0 0 1 0 5 6 0 0 0" + times));
  for (const std::string& line : {std::string(), std::string("81a4"), "81a4 0 0 1 -1 5 6 0 0 0" + times, "81a4 0 0 1 99999999999999999999 5 6 0 0 0" + times,
                                  "81a4 0 0 1 0 5 6 0 0 0 0" + times, "zz 0 0 1 0 5 6 0 0 0" + times,
                                  std::string("81a4 0 0 1 0 5 6 0 0 0|1970-13-01 00:00:01 +0000|1970-01-01 00:00:01 +0000|1970-01-01 00:00:01 +0000"),
                                  std::string("81a4 0 0 1 0 5 6 0 0 0|9999-01-01 00:00:01 +0000|1970-01-01 00:00:01 +0000|1970-01-01 00:00:01 +0000"),
                                  std::string("81a4 0 0 1 0 5 6 0 0 0|1970-01-01 00:00:01 +0100|1970-01-01 00:00:01 +0000|1970-01-01 00:00:01 +0000")}) {
    EXPECT_FALSE(ParseAttributes(line)) << line;
  }
}

TEST(FileScript, UnderstandsStatusAndMessage) {
  EXPECT_EQ(*Answered(0, "text"), "text");
  EXPECT_EQ(Answered(117, "").error().code, Code::kExists);
  EXPECT_EQ(Answered(140, "").error().code, Code::kLoop);
  EXPECT_EQ(Answered(195, "").error().code, Code::kNotSupported);
  EXPECT_EQ(Answered(1, "x: Permission denied\n").error().code, Code::kAccess);
  EXPECT_TRUE(Answered(1, "x: Permission denied\n").error().message.empty());
  EXPECT_EQ(Answered(1, "hm").error().code, Code::kIo);
  EXPECT_EQ(Answered(127, "sh: stat: not found").error().code, Code::kNotSupported);
  EXPECT_NE(Answered(127, "sh: stat: not found").error().message.find("stat"), std::string::npos);
  EXPECT_EQ(Understand(Error(Code::kTimedOut, "late")).error().code, Code::kTimedOut);
}

}  // namespace
}  // namespace paddock::docker
