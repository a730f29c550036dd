#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <cerrno>

#include "guest/agent/agent.h"   // allow(layers): the tests of the client run it against the real agent
#include "guest/client/agent_for_test.h"

namespace paddock::guest {

AgentForTest::AgentForTest(Link link) {
  int up[2], down[2];   // to and from the agent: reader, writer
  if (link == Link::kSocket) {
    int ends[2];
    PADDOCK_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    input_fd_ = output_fd_ = ends[0];
    up[0] = down[1] = ends[1];
    up[1] = down[0] = ends[0];
  } else {
    PADDOCK_CHECK(pipe2(up, O_CLOEXEC) == 0 && pipe2(down, O_CLOEXEC) == 0);
    input_fd_ = down[0];
    output_fd_ = up[1];
  }
  pid_ = fork();
  PADDOCK_CHECK(pid_ >= 0);
  if (pid_ == 0) {
    // The ends of other agents' clients too, or those would not see their client's end.
    int keep[2] = {dup(up[0]), dup(down[1])};
    const int low = keep[0] < keep[1] ? keep[0] : keep[1], high = keep[0] < keep[1] ? keep[1] : keep[0];
    close_range(3, static_cast<unsigned>(low - 1), 0);
    if (high > low + 1) close_range(static_cast<unsigned>(low + 1), static_cast<unsigned>(high - 1), 0);
    close_range(static_cast<unsigned>(high + 1), ~0u, 0);
    AgentOptions options;
    options.input_fd = keep[0];
    options.output_fd = keep[1];
    _exit(RunAgent(options));
  }
  close(up[0]);
  if (down[1] != up[0]) close(down[1]);
}

AgentForTest::~AgentForTest() {
  if (input_fd_ >= 0) close(input_fd_);
  if (output_fd_ >= 0 && output_fd_ != input_fd_) close(output_fd_);
  WaitForExit();
}

std::unique_ptr<Client> AgentForTest::Connect() {
  auto client = Client::Connect(std::exchange(input_fd_, -1), std::exchange(output_fd_, -1), In(std::chrono::seconds(10)));
  PADDOCK_CHECK(client.has_value());
  return std::move(*client);
}

int AgentForTest::WaitForExit() {
  if (pid_ < 0) return -1;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace paddock::guest
