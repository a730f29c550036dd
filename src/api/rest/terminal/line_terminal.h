// LineTerminal: a terminal on a sandbox whose shell is run line by line (sandbox::Interactive). The line is edited here; each complete one
// is an exec of the sandbox, with its turn, its limits and its place among the processes. Between two lines nothing waits and no thread
// is held; the shell (variables, directory …) is the one that execs with keep_shell use, too.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/rest/terminal/terminal.h"
#include "api/rest/terminal/typed_line.h"
#include "registry/entry/line_input.h"
#include "sandbox/shell_session.h"

namespace paddock::api {

class LineTerminal final : public Terminal, public std::enable_shared_from_this<LineTerminal> {
 public:
  // Errors: those of the system when it has no pseudo-terminal left.
  static Result<std::shared_ptr<LineTerminal>> Make(TerminalSpec spec, std::shared_ptr<TerminalSocket> socket);

  void Begin() override;
  void OnBytes(std::string_view bytes) override;
  void OnRequest(const TerminalRequest& request) override;
  void OnGone() override;

 private:
  // What a step of the shell came to; its own thread's until it has ended.
  struct Outcome {
    bool is_typed = true;       // and not ours
    bool has_run = false;
    bool is_incomplete = false;
    std::string prompt;
    std::optional<std::string> history;
    std::optional<int> ended;   // the shell's exit status
    sandbox::ExecResult result;
  };
  class Step;

  LineTerminal(TerminalSpec spec, std::shared_ptr<TerminalSocket> socket) : spec_(std::move(spec)), socket_(std::move(socket)), line_(spec_.size.columns) {}
  void TakeKeys();                            // with mutex_
  void Run(std::string text, bool is_end);    // with mutex_
  void EndStep(const registry::ProcessInfo& info, const std::shared_ptr<Outcome>& outcome);
  void Complete();                            // with mutex_
  void Feed(std::string_view bytes);          // with mutex_: to the command that runs
  void TakeBack();                            // with mutex_: what no command read
  void Fail(const std::string& why);

  const TerminalSpec spec_;
  const std::shared_ptr<TerminalSocket> socket_;

  std::mutex mutex_;
  sandbox::WindowSize size_;
  TypedLine line_;
  std::string prompt_;          // the one that stands
  std::string keys_;            // typed, and not taken yet
  std::string command_;         // the lines of an incomplete command
  bool is_busy_ = true;         // a step runs: keys are the command's
  bool is_gone_ = false;
  bool has_begun_ = false;
  std::shared_ptr<registry::RunningProcess> running_;
  std::unique_ptr<registry::LineInput> input_;   // what commands read
};

}  // namespace paddock::api
