// sandbox_exec: a shell command in a sandbox, to its end or in the background.

#include <algorithm>

#include "tools/offer/offer.h"
#include "tools/offer/run_command.h"
#include "tools/offer/sandbox_choice.h"

namespace paddock::tools {
namespace {

struct Arguments {
  std::string command;
  std::optional<std::string> sandbox_id, working_dir;
  OutputMode output = OutputMode::kAuto;
  int64_t timeout_ms = 300'000;
  std::map<std::string, std::string> env;
  std::optional<std::string> stdin_text, user;
  bool background = false;
};
constexpr Field kArguments[] = {
    Required<&Arguments::command>("command", "For the shell, as in sh -c. Each call is a fresh shell; only files last.", {.min_length = 1, .max_length = kMaxCommandBytes}),
    Optional<&Arguments::sandbox_id>("sandbox_id", kSandboxIdWords, kSandboxIdRules),
    Optional<&Arguments::working_dir>("working_dir", "Absolute path of an existing directory. Left out: the sandbox's, usually /workspace.", kPathRules),
    Optional<&Arguments::output>("output", kOutputWords),
    Optional<&Arguments::timeout_ms>("timeout_ms", "After so long it is ended with all that it started. The operator may have set less.", {.min = 1, .max = 600'000}),
    Optional<&Arguments::env>("env", "More variables for this command.", kEnvironmentRules),
    Optional<&Arguments::stdin_text>("stdin", "What the command reads from stdin, which ends behind it. Left out: nothing.", {.max_length = 1 << 20}),
    Optional<&Arguments::user>("user", "User inside, where the sandbox allows another than its own.",
                               {.pattern = {"^[a-z_][a-z0-9_-]{0,31}$", "must be the name of a user"}}),
    Optional<&Arguments::background>("background", "Do not wait: give a process_id for sandbox_process_read and _wait. At most 5 at once."),
};
std::span<const Field> FieldsOf(const Arguments*) { return kArguments; }

Status CheckBackground(CallContext& context) {
  PADDOCK_ASSIGN(const std::vector<SandboxInfo> sandboxes, context.session.List());
  size_t running = 0;
  for (const SandboxInfo& info : sandboxes) {
    const auto sandbox = context.session.Find(info.id);
    const auto processes = sandbox ? (*sandbox)->ListProcesses() : Result<std::vector<ProcessInfo>>(Code::kNoEntry);
    if (!processes) continue;
    running += static_cast<size_t>(std::count_if(processes->begin(), processes->end(), [](const ProcessInfo& process) { return process.state == ProcessState::kRunning; }));
  }
  if (running < context.defaults.max_background) return {};
  return Error(Code::kLimit, std::to_string(running) + " commands run in the background, the most there may be; wait for one with sandbox_process_wait or end one with sandbox_process_signal");
}

Result<Answer<CommandOutput>> Run(CallContext& context, const Arguments& arguments) {
  if (arguments.command.find('\0') != std::string::npos) return Error(Code::kInvalid, "command: must not hold a NUL character");
  if (arguments.background && arguments.stdin_text) return Error(Code::kInvalid, "stdin: a command in the background gets its input from sandbox_process_write");
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> sandbox, ChooseSandbox(context, arguments.sandbox_id));
  ExecRequest request;
  request.script = arguments.command;
  request.working_directory = arguments.working_dir.value_or("");
  request.environment = arguments.env;
  request.input = arguments.stdin_text;
  request.user = arguments.user.value_or("");
  request.timeout = std::min(std::chrono::milliseconds(arguments.timeout_ms), context.defaults.max_exec_timeout);
  request.stop = context.stop;
  if (!arguments.background) return RunCommand(context, *sandbox, request, arguments.output);
  PADDOCK_TRY(CheckBackground(context));
  PADDOCK_ASSIGN(const ProcessInfo process, sandbox->StartProcess(request));
  Answer<CommandOutput> answer;
  answer.data.process_id = process.id;
  answer.data.ended_by = "running";
  answer.text = "runs in the background as " + process.id + "; sandbox_process_read shows its output, sandbox_process_wait waits for it\n";
  return answer;
}

}  // namespace

const Tool kSandboxExec = DefineTool<Arguments, CommandOutput, Run>({
    .name = "sandbox_exec",
    .title = "Run a command in a sandbox",
    .description = "Runs a shell command in a sandbox and gives its exit code, stdout and stderr. A command that fails is no error of this tool. "
                   "Long output is cut in the middle; all of it is then in the session files that the result names.",
    .hints = {.is_destructive = true, .is_long_running = true, .keeps_output = true},
    .is_open_by_network = true,
});

}  // namespace paddock::tools
