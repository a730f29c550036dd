// Terminal: what stands behind the WebSocket of a terminal.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/rest/terminal/terminal_socket.h"

namespace paddock::api {

struct TerminalSpec {
  registry::Registry& registry;
  registry::Caller caller;
  std::string sandbox;              // its id
  sandbox::WindowSize size;
  std::string cwd;                  // absolute; empty: where the sandbox starts
  std::vector<std::string> command; // empty: a shell
};

// The calls come one at a time, the first after Begin(); none may wait long.
class Terminal {
 public:
  virtual ~Terminal() = default;
  virtual void Begin() = 0;
  virtual void OnBytes(std::string_view bytes) = 0;
  virtual void OnRequest(const TerminalRequest& request) = 0;
  // The client has room again, after it had none.
  virtual void OnDrained() {}
  // The client is gone.
  virtual void OnGone() = 0;
};

// Hangs up on a process: SIGHUP where the wall has signals, end of input; what is still there 2 s later is ended.
void HangUp(registry::Registry& registry, const std::shared_ptr<registry::RunningProcess>& process);

// A terminal of a wall that has pseudo-terminals: one process that lives as long as it. Errors: those of StartProcess().
Result<std::shared_ptr<Terminal>> MakeProcessTerminal(const TerminalSpec& spec, std::shared_ptr<TerminalSocket> socket);

// A process that runs already: its output from `offset` on, and its stdin. It goes on when the client is gone.
std::shared_ptr<Terminal> MakeAttachment(registry::Registry& registry, std::shared_ptr<registry::RunningProcess> process, uint64_t offset,
                                         std::shared_ptr<TerminalSocket> socket);

}  // namespace paddock::api
