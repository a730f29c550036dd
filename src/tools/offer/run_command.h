// Running a command for a model: within a time, with output that is bounded, cleaned and kept.
#pragma once

#include "tools/content/output_budget.h"
#include "tools/tool.h"

namespace paddock::tools {

inline constexpr size_t kMaxCommandBytes = (128 << 10) - 1;   // what Linux takes as one argument, which ends with a NUL
inline constexpr size_t kMaxKeptOutput = (1 << 20) - 64;      // of each stream: with the line that says what is missing, at most 1 MiB
inline constexpr const char* kOutputWords =
    "How much of the output to show: silent 200 bytes, concise 2 KiB, normal 8 KiB, verbose 16 KiB, full 64 KiB; auto shows 384 bytes of a command "
    "that succeeded, 8 KiB of one that failed. What is not shown is kept in session files.";

struct Cut {
  bool stdout_cut = false, stderr_cut = false;
};
std::span<const Field> FieldsOf(const Cut*);

// What became of a command, as exec tools tell it.
struct CommandOutput {
  std::optional<int64_t> exit_code;
  std::optional<std::string> signal;
  bool success = false;
  std::string stdout_text, stderr_text;
  int64_t duration_ms = 0;
  bool timed_out = false, oom_killed = false;
  std::string ended_by;
  Cut truncated;
  std::vector<std::string> output_files;
  std::vector<std::string> denials;
  std::optional<std::string> process_id;
};
std::span<const Field> FieldsOf(const CommandOutput*);

// The streams of a command as they come, of any length.
class CommandStreams {
 public:
  sandbox::OutputHandler Handler(const CallContext& context);
  const HeadAndTail& out() const { return out_; }
  const HeadAndTail& err() const { return err_; }

 private:
  HeadAndTail out_{kMaxKeptOutput}, err_{kMaxKeptOutput};
};

// Runs it and makes the answer: text that begins with how it ended, both streams under the budget of `mode`, and session files
// /outputs/CALL.stdout and .stderr with all of what was cut. A command that fails is a success of the tool.
Result<Answer<CommandOutput>> RunCommand(CallContext& context, SandboxAccess& sandbox, const ExecRequest& request, OutputMode mode);

// "exit code 2", "killed by SIGSEGV", "stopped after 5000 ms: timeout" …
std::string EndText(const sandbox::ExecResult& result);

}  // namespace paddock::tools
