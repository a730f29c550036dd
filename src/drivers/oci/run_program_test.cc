#include "drivers/oci/run_program.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace paddock::oci {
namespace {

Result<ProgramEnd> Shell(const std::string& script, std::chrono::milliseconds patience = std::chrono::seconds(60)) {
  return RunProgram({.arguments = {"/bin/sh", "-c", script}, .patience = patience});
}

TEST(RunProgram, GivesOutputComplaintAndStatus) {
  const auto end = Shell("echo out; echo ' to err' >&2; exit 3");
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->status, 3);
  EXPECT_EQ(end->output, "out\n");
  EXPECT_EQ(end->complaint, "to err");
  EXPECT_EQ(Shell("kill -9 $$")->status, 128 + 9);
}

TEST(RunProgram, WhoHangsIsKilledWithItsChildrenAndNamed) {
  const auto end = Shell("echo stuck at it >&2; sleep 1000 & sleep 1000", std::chrono::milliseconds(500));
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, Code::kTimedOut);
  EXPECT_NE(end.error().message.find("/bin/sh did not end within 500 ms"), std::string::npos) << end.error().message;
  EXPECT_NE(end.error().message.find("stuck at it"), std::string::npos) << end.error().message;
}

TEST(RunProgram, AFloodIsBoundedAndDoesNotBlock) {
  const auto end = Shell("head -c 10000000 /dev/zero; head -c 1000000 /dev/zero >&2; echo done >&2");
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->status, 0);
  EXPECT_LE(end->output.size(), 64u << 10);
  EXPECT_LE(end->complaint.size(), 4096u);
}

TEST(RunProgram, AComplaintIsOneLineOfText) {
  const auto end = Shell("printf 'a\\033[31mb\\nc\\377' >&2");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->complaint, "a [31mb c");
}

TEST(RunProgram, WhatIsLeftBehindCanStillBeHeard) {
  const auto end = Shell("(while kill -0 $$ 2>/dev/null; do sleep 0.01; done; echo late >&2) & exit 0");
  ASSERT_TRUE(end);
  EXPECT_EQ(end->status, 0);
  EXPECT_EQ(end->complaint, "");
  pollfd wait{end->stderr_end.get(), POLLIN, 0};
  ASSERT_EQ(poll(&wait, 1, 60'000), 1);
  EXPECT_EQ(ReadComplaint(end->stderr_end.get()), "late");
}

TEST(RunProgram, NamesWhatCannotBeStarted) {
  const auto end = RunProgram({.arguments = {"/absent/program"}, .patience = std::chrono::seconds(60)});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "cannot start /absent/program: No such file or directory");
}

TEST(RunProgram, GetsNoDescriptorButItsThree) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);   // not closed on exec
  const auto end = RunProgram({.arguments = {"/bin/sh", "-c", "for f in /proc/$$/fd/*; do [ -e $f ] && printf '%s ' ${f##*/}; done"},
                               .patience = std::chrono::seconds(60),
                               .stream = ends[1]});
  close(ends[1]);
  ASSERT_TRUE(end) << end.error().message;
  std::string got(100, '\0');
  got.resize(static_cast<size_t>(std::max<ssize_t>(read(ends[0], got.data(), got.size()), 0)));
  close(ends[0]);
  EXPECT_EQ(got, "0 1 2 ");
}

}  // namespace
}  // namespace paddock::oci
