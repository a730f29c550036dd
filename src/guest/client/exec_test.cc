// A client and a real agent: programs with pipes.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "guest/client/agent_for_test.h"

namespace paddock::guest {
namespace {

using std::chrono::seconds;

ExecRequest Shell(std::string script) {
  ExecRequest request;
  request.arguments = {"sh", "-c", std::move(script)};
  request.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  return request;
}

class Exec : public testing::TestWithParam<Link> {
 protected:
  Exec() : client(agent.Connect()) {}

  struct Ran {
    ExitStatus status;
    std::string out;
    std::string error;
  };
  Ran Run(const ExecRequest& request, std::string_view input = {}) {
    auto process = client->Start(request);
    EXPECT_TRUE(process) << (process ? "" : process.error().Text());
    if (!process) return {};
    if (request.has_input) {
      EXPECT_TRUE((*process)->WriteInput(input));
      (*process)->CloseInput();
    }
    auto out = (*process)->ReadAll(Channel::kOut, 1 << 20, In(seconds(20)));
    auto error = (*process)->ReadAll(Channel::kError, 1 << 20, In(seconds(20)));
    auto status = (*process)->Wait(In(seconds(20)));
    EXPECT_TRUE(status && out && error);
    if (!status || !out || !error) return {};
    return {*status, *out, *error};
  }

  AgentForTest agent{GetParam()};
  std::unique_ptr<Client> client;
};

INSTANTIATE_TEST_SUITE_P(Links, Exec, testing::Values(Link::kSocket, Link::kPipes));

TEST_P(Exec, GivesOutputErrorsAndExitStatus) {
  const Ran ran = Run(Shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(ran.out, "out\n");
  EXPECT_EQ(ran.error, "err\n");
  EXPECT_EQ(ran.status.code, 7);
  EXPECT_EQ(ran.status.signal, 0);
}

TEST_P(Exec, NamesTheSignalThatEndedTheProgram) {
  const Ran ran = Run(Shell("kill -TERM $$"));
  EXPECT_EQ(ran.status.signal, SIGTERM);
}

TEST_P(Exec, InputReachesTheProgramAndEnds) {
  ExecRequest request = Shell("cat; echo end");
  request.has_input = true;
  EXPECT_EQ(Run(request, "some bytes\n").out, "some bytes\nend\n");
}

TEST_P(Exec, WithoutInputTheProgramSeesItsEnd) { EXPECT_EQ(Run(Shell("cat; echo end")).out, "end\n"); }

TEST_P(Exec, MissingProgramIsAFailureOfTheExecStep) {
  ExecRequest request;
  request.arguments = {"/no/such/program"};
  auto process = client->Launch(request);
  ASSERT_TRUE(process);
  const Status status = (*process)->WaitStarted(In(seconds(10)));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kNoEntry);
  EXPECT_EQ((*process)->start_failure()->step, Step::kExec);
}

TEST_P(Exec, MissingDirectoryIsAFailureOfTheDirectoryStep) {
  ExecRequest request = Shell("true");
  request.directory = "/no/such/directory";
  auto process = client->Launch(request);
  ASSERT_TRUE(process);
  EXPECT_FALSE((*process)->Wait(In(seconds(10))));
  EXPECT_EQ((*process)->start_failure()->step, Step::kDirectory);
}

TEST_P(Exec, ProgramHasOnlyThreeDescriptors) {
  EXPECT_EQ(Run(Shell("ls /proc/self/fd | tr '\\n' ' '")).out, "0 1 2 3 ");   // 3 is the folder that ls reads
}

TEST_P(Exec, ProgramHasAllSignalsAtTheirDefaults) {
  EXPECT_EQ(Run(Shell("grep -E 'Sig(Blk|Ign)' /proc/self/status | cut -f2")).out, "0000000000000000\n0000000000000000\n");
}

TEST_P(Exec, TakesUmaskLimitsAndDirectory) {
  ExecRequest request = Shell("umask; ulimit -n; pwd");
  request.umask = 027;
  request.limits = {{7, 64, 64}};   // RLIMIT_NOFILE
  request.directory = "/usr";
  EXPECT_EQ(Run(request).out, "0027\n64\n/usr\n");
}

TEST_P(Exec, LimitsThatHoldTheMarkAreRefused) {
  ExecRequest request = Shell("true");
  request.limits = {{10, 5, 5}};   // RLIMIT_LOCKS
  auto process = client->Launch(request);
  ASSERT_TRUE(process);
  EXPECT_EQ((*process)->WaitStarted(In(seconds(10))).error().code, Code::kInvalid);
  EXPECT_EQ((*process)->start_failure()->step, Step::kLimits);
}

TEST_P(Exec, ProgramsHaveTheDescriptorLimitThatTheAgentWasGiven) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(Run(Shell("ulimit -n")).out, std::to_string(limit.rlim_cur) + "\n");
}

TEST_P(Exec, HundredsAtOnce) {
  std::vector<std::unique_ptr<GuestProcess>> processes;
  for (int i = 0; i < 400; ++i) {
    ExecRequest request = Shell("read x; exit 4");
    request.has_input = true;
    auto process = client->Start(request, {}, In(seconds(20)));
    ASSERT_TRUE(process) << i << " " << process.error().Text();
    processes.push_back(std::move(*process));
  }
  for (const auto& process : processes) process->CloseInput();
  for (const auto& process : processes) EXPECT_EQ(process->Wait(In(seconds(20)))->code, 4);
}

TEST_P(Exec, ThousandOneAfterAnother) {
  ExecRequest request;
  request.arguments = {"/bin/true"};
  for (int i = 0; i < 1000; ++i) {
    auto process = client->Launch(request);
    ASSERT_TRUE(process);
    const auto status = (*process)->Wait(In(seconds(20)));
    ASSERT_TRUE(status);
    ASSERT_EQ(status->code, 0);
  }
  EXPECT_EQ(client->ListProcesses(In(seconds(5)))->size(), 0u);
}

}  // namespace
}  // namespace paddock::guest
