// A client and a real agent: nothing that was started gets away.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "guest/client/agent_for_test.h"

namespace paddock::guest {
namespace {

using std::chrono::seconds;

// How many processes of this machine have `word` in their command line.
int CountProcesses(const std::string& word) {
  int count = 0;
  DIR* folder = opendir("/proc");
  while (const dirent* entry = readdir(folder)) {
    // Not a stream: that throws when the process ends between open and read.
    const int file = open((std::string("/proc/") + entry->d_name + "/cmdline").c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) continue;
    std::string line(4096, '\0');
    line.resize(static_cast<size_t>(std::max<ssize_t>(read(file, line.data(), line.size()), 0)));
    close(file);
    if (line.find(word) != std::string::npos && std::to_string(getpid()) != entry->d_name) ++count;
  }
  closedir(folder);
  return count;
}

class Kill : public testing::Test {
 protected:
  // A program that says "ready" when it has set up everything.
  std::unique_ptr<GuestProcess> Start(const std::string& script) {
    ExecRequest request;
    request.arguments = {"sh", "-c", script};
    request.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "WORD=" + word};
    auto process = client->Start(request);
    EXPECT_TRUE(process);
    char buffer[100];
    EXPECT_TRUE((*process)->Read(Channel::kOut, buffer, In(seconds(10))));
    return std::move(*process);
  }

  const std::string word = "word" + std::to_string(getpid()) + "x" + std::to_string(testing::UnitTest::GetInstance()->random_seed());
  AgentForTest agent;
  std::unique_ptr<Client> client = agent.Connect();
};

TEST_F(Kill, TreeKillFindsWhatHasBecomeADaemon) {
  // Two forks, a session of its own, no open descriptors, all signals ignored that can be.
  const auto process = Start(
      "(setsid sh -c \"trap '' HUP TERM INT; exec >&- 2>&-; while :; do sleep 0.02; done; : $WORD\" &) &"
      " sleep 0.2; echo ready; sleep 100");
  ASSERT_GE(CountProcesses(word), 1);
  EXPECT_TRUE(process->KillTree(In(seconds(20))));
  EXPECT_EQ(CountProcesses(word), 0);
  EXPECT_EQ(process->Wait(In(seconds(10)))->signal, SIGKILL);
}

TEST_F(Kill, TreeKillFindsADaemonWhoseProgramHasEnded) {
  const auto process = Start("setsid sh -c \"while :; do sleep 0.02; done; : $WORD\" >/dev/null 2>&1 & sleep 0.2; echo ready");
  EXPECT_EQ(process->Wait(In(seconds(10)))->code, 0);
  ASSERT_GE(CountProcesses(word), 1);   // two while it starts a sleep
  EXPECT_TRUE(process->KillTree(In(seconds(20))));
  EXPECT_EQ(CountProcesses(word), 0);
}

TEST_F(Kill, TreeKillCatchesAProgramThatForksAndExitsForEver) {
  // Each generation leaves the session, counts, and is gone a moment later. Removing the file ends them if the test fails.
  const std::string count = testing::TempDir() + word;
  std::ofstream(count) << "x";
  const auto process = Start("R='[ -e " + count + " ] && echo >>" + count + " && setsid sh -c \"$R\" & exit 0'; export R;"
                             " setsid sh -c \"$R\" >/dev/null 2>&1 & echo ready");
  for (int i = 0; i < 1000 && std::filesystem::file_size(count) < 5; ++i) usleep(1000);
  EXPECT_TRUE(process->KillTree(In(seconds(20))));
  const auto after = std::filesystem::file_size(count);
  EXPECT_GE(after, 5u);
  usleep(50'000);
  EXPECT_EQ(std::filesystem::file_size(count), after);
  unlink(count.c_str());
}

TEST_F(Kill, TreeKillFindsWhoHasLoweredTheMark) {
  const auto process = Start("setsid sh -c \"prlimit --pid \\$\\$ --locks=1000:1000 && while :; do sleep 0.02; done; : $WORD\" >/dev/null 2>&1 & sleep 0.3; echo ready");
  ASSERT_GE(CountProcesses(word), 1);
  EXPECT_TRUE(process->KillTree(In(seconds(20))));
  EXPECT_EQ(CountProcesses(word), 0);
}

TEST_F(Kill, TreeKillLeavesOtherExecsAlone) {
  const auto other = Start("echo ready; sleep 100");
  const auto process = Start("echo ready; sleep 100");
  EXPECT_TRUE(process->KillTree(In(seconds(20))));
  EXPECT_EQ(other->Wait(In(std::chrono::milliseconds(50))).error().code, Code::kTimedOut);
}

TEST_F(Kill, DroppedProcessIsKilledWithItsTree) {
  auto process = Start("(setsid sh -c \"while :; do sleep 0.02; done; : $WORD\" >/dev/null 2>&1 &) ; sleep 0.2; echo ready; sleep 100");
  ASSERT_GE(CountProcesses(word), 1);
  process.reset();
  EXPECT_TRUE(client->ListProcesses(In(seconds(10))));   // the agent has got that far
  for (int i = 0; i < 1000 && CountProcesses(word) > 0; ++i) usleep(1000);
  EXPECT_EQ(CountProcesses(word), 0);
}

TEST_F(Kill, EndOfTheConnectionEndsAllThatTheAgentStarted) {
  const auto process = Start("(setsid sh -c \"while :; do sleep 0.02; done; : $WORD\" >/dev/null 2>&1 &) ; sleep 0.2; echo ready; sleep 100");
  ASSERT_GE(CountProcesses(word), 1);
  client.reset();
  EXPECT_EQ(agent.WaitForExit(), 0);
  for (int i = 0; i < 1000 && CountProcesses(word) > 0; ++i) usleep(1000);
  EXPECT_EQ(CountProcesses(word), 0);
  EXPECT_EQ(process->Wait().error().code, Code::kCancelled);
}

TEST_F(Kill, SignalReachesTheWholeGroup) {
  const auto process = Start("sh -c 'trap \"echo got; exit\" USR1; echo ready; while :; do sleep 0.01; done' & wait; wait");
  process->Signal(SIGUSR1);
  const auto out = process->ReadAll(Channel::kOut, 100, In(seconds(10)));
  ASSERT_TRUE(out);
  EXPECT_EQ(*out, "got\n");
  EXPECT_EQ(process->Wait(In(seconds(10)))->signal, SIGUSR1);   // the outer shell has no trap
}

TEST(Protection, ProgramsOfTheSameUserCannotLookIntoTheAgent) {
  const pid_t child = fork();
  if (child == 0) {
    if (getuid() == 0 && setuid(12345) != 0) _exit(2);
    AgentForTest agent;
    const auto client = agent.Connect();
    ExecRequest request;
    request.arguments = {"/bin/sleep", "100"};
    const auto process = client->Start(request);
    if (!process) _exit(3);
    const auto readable = [](int pid) {
      const int fd = open(("/proc/" + std::to_string(pid) + "/mem").c_str(), O_RDWR);
      if (fd >= 0) close(fd);
      return fd >= 0;
    };
    if (!readable((*process)->pid())) _exit(4);   // what the test can see at all
    _exit(readable(agent.pid()) ? 5 : 0);
  }
  int result = 0;
  waitpid(child, &result, 0);
  EXPECT_EQ(WEXITSTATUS(result), 0);
}

}  // namespace
}  // namespace paddock::guest
