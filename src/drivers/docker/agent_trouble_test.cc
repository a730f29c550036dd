#include "drivers/docker/agent_trouble.h"

#include <gtest/gtest.h>

namespace paddock::docker {
namespace {

TEST(AgentTrouble, RuntimesSayThatTheyCannotExecuteIt) {
  // runc, as Docker 20.10 and Podman 4.3 show it.
  EXPECT_EQ(WhyAgentCannotRun({.complaint = "exec /.paddock/paddock-guest: exec format error\n"}), "exec format error");
  EXPECT_EQ(WhyAgentCannotRun({.complaint = "standard_init_linux.go:228: exec user process caused: exec format error\n"}), "exec format error");
  EXPECT_EQ(WhyAgentCannotRun({.start_error = "start the container: OCI runtime create failed: runc create failed: unable to start container process: exec: "
                                              "\"/.paddock/paddock-guest\": permission denied: unknown"}), "permission denied");
  // crun
  EXPECT_EQ(WhyAgentCannotRun({.start_error = "start the container: crun: open executable: /.paddock/paddock-guest: Operation not permitted"}), "operation not permitted");
  EXPECT_EQ(WhyAgentCannotRun({.complaint = "exec container process `/.paddock/paddock-guest`: Exec format error\n"}), "exec format error");
}

TEST(AgentTrouble, ARuntimeEndsItForACallThatItDoesNotKnow) {
  EXPECT_EQ(WhyAgentCannotRun({.exit_code = 159}), "it is killed by signal 31");
  EXPECT_EQ(WhyAgentCannotRun({.exit_code = 132}), "it is killed by signal 4");
}

TEST(AgentTrouble, EverythingElseIsNoReasonToDoWithoutIt) {
  EXPECT_FALSE(WhyAgentCannotRun({}));
  EXPECT_FALSE(WhyAgentCannotRun({.exit_code = 137})) << "memory, or somebody from outside";
  EXPECT_FALSE(WhyAgentCannotRun({.exit_code = 1}));
  EXPECT_FALSE(WhyAgentCannotRun({.complaint = "paddock-guest: cannot make a pipe: Permission denied\n", .exit_code = 159})) << "its own words: it ran";
  EXPECT_FALSE(WhyAgentCannotRun({.start_error = "start the container: OCI runtime create failed: mounting proc: permission denied"}));
  EXPECT_FALSE(WhyAgentCannotRun({.start_error = "start the container: exec: \"/.paddock/paddock-guest\": stat /.paddock/paddock-guest: no such file or directory"})) << "the volume is empty";
}

}  // namespace
}  // namespace paddock::docker
