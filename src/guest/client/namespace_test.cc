// A real agent as the init of a PID namespace: its end is the end of everything inside.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/agent/agent.h"   // allow(layers): the tests of the client run it against the real agent
#include "guest/client/client.h"

namespace paddock::guest {
namespace {

using std::chrono::seconds;

// Init of a new PID namespace (and /proc, so that it sees no strangers) with an agent on `fd`. Returns what waits for it, -1
// when this machine allows no namespaces.
pid_t StartInit(int fd, int other) {
  int ready[2];
  PADDOCK_CHECK(pipe(ready) == 0);
  const pid_t outer = fork();
  if (outer == 0) {
    close(other);
    close(ready[0]);
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS) != 0) _exit(77);
    const pid_t inner = fork();
    if (inner == 0) {
      mount("proc", "/proc", "proc", 0, nullptr);
      (void)!write(ready[1], "x", 1);
      close(ready[1]);
      AgentOptions options;
      options.input_fd = options.output_fd = fd;
      options.is_init = true;
      _exit(RunAgent(options));
    }
    close(fd);
    close(ready[1]);
    int status = 0;
    waitpid(inner, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
  }
  close(ready[1]);
  close(fd);
  char byte;
  const bool is_ready = read(ready[0], &byte, 1) == 1;
  close(ready[0]);
  if (is_ready) return outer;
  waitpid(outer, nullptr, 0);
  return -1;
}

class Init : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    pid = StartInit(ends[1], ends[0]);
    if (pid < 0) {
      close(ends[0]);
      GTEST_SKIP() << "this machine allows no user and PID namespaces";
    }
    auto connected = Client::Connect(ends[0], ends[0], In(seconds(10)));
    ASSERT_TRUE(connected);
    client = std::move(*connected);
  }
  void TearDown() override {
    client.reset();
    if (pid > 0) waitpid(pid, nullptr, 0);
  }
  // A program that has said something, so that all before that has happened.
  std::unique_ptr<GuestProcess> Start(const std::string& script) {
    ExecRequest request;
    request.arguments = {"sh", "-c", script};
    request.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
    auto process = client->Start(request);
    EXPECT_TRUE(process) << (process ? "" : process.error().Text());
    char buffer[10];
    EXPECT_TRUE((*process)->Read(Channel::kOut, buffer, In(seconds(10))));
    return std::move(*process);
  }

  pid_t pid = -1;
  std::unique_ptr<Client> client;
};

TEST_F(Init, SaysThatItIsInit) { EXPECT_NE(client->features() & kFeatureInit, 0u); }

TEST_F(Init, KillAllEndsDaemonsToo) {
  const auto process = Start("(setsid sh -c 'trap \"\" HUP TERM; while :; do sleep 1; done' &) ; echo ready; sleep 100");
  EXPECT_TRUE(client->KillAll(In(seconds(10))));
  EXPECT_TRUE(process->WaitOutput(In(seconds(10))));   // nobody holds its output any more
  EXPECT_TRUE(process->Wait(In(seconds(10))));
}

TEST_F(Init, EndOfTheConnectionEndsAllAtOnce) {
  const auto process = Start("(setsid sh -c 'trap \"\" HUP TERM; while :; do sleep 1; done' &) ; echo ready; sleep 100");
  client.reset();
  int status = 0;
  // The namespace's init is gone only when everything in it is.
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  pid = -1;
}

TEST_F(Init, CannotBeKilledFromInside) {
  const auto process = Start("kill -KILL 1; kill -TERM 1; kill -STOP 1; kill -INT 1; echo ready; sleep 100");
  EXPECT_TRUE(client->ListProcesses(In(seconds(10))));
}

TEST_F(Init, OrphansAreReaped) {
  const auto process = Start("for i in 1 2 3 4 5 6 7 8; do (setsid sleep 0.01 &) ; done; echo ready; sleep 100");
  for (int i = 0; i < 200; ++i) {
    ExecRequest request;
    request.arguments = {"sh", "-c", "grep -c 'State:.Z' /proc/[0-9]*/status | grep -c ':1$'"};
    request.environment = {"PATH=/usr/local/bin:/usr/bin:/bin"};
    auto count = client->Start(request);
    ASSERT_TRUE(count);
    const auto text = (*count)->ReadAll(Channel::kOut, 100, In(seconds(10)));
    ASSERT_TRUE(text);
    if (*text == "0\n") return;
  }
  ADD_FAILURE() << "zombies stay";
}

}  // namespace
}  // namespace paddock::guest
