// A real agent in a process of its own for tests, over the kind of byte stream that a test asks for.
#pragma once

#include <memory>

#include "guest/client/client.h"

namespace paddock::guest {

enum class Link { kSocket, kPipes };

class AgentForTest {
 public:
  explicit AgentForTest(Link link = Link::kSocket);
  // Ends the connection and waits for the agent.
  ~AgentForTest();
  AgentForTest(const AgentForTest&) = delete;

  // A client connected to it; the descriptors are its own. Once.
  std::unique_ptr<Client> Connect();
  // The test's ends, for those who speak the protocol themselves. Once, instead of Connect().
  int input_fd() const { return input_fd_; }
  int output_fd() const { return output_fd_; }
  // Waits for the agent's end and returns its exit status, or -1 for a signal.
  int WaitForExit();
  int pid() const { return pid_; }

 private:
  int input_fd_ = -1;
  int output_fd_ = -1;
  int pid_ = -1;
};

}  // namespace paddock::guest
