// bash: the session's own shell, whose state lasts from call to call and whose /workspace is the session's files.

#include "tools/offer/offer.h"
#include "tools/offer/run_command.h"
#include "tools/schema/patterns.h"

namespace paddock::tools {
namespace {

struct Arguments {
  std::string commands;
  std::optional<std::string> working_dir;
  int64_t timeout_ms = 30'000;
  OutputMode output = OutputMode::kAuto;
};
constexpr Field kArguments[] = {
    Required<&Arguments::commands>("commands", "One or more lines of Bash.", {.min_length = 1, .max_length = 1 << 20}),
    Optional<&Arguments::working_dir>("working_dir", "Absolute path of an existing directory to go to first. Left out: where the last call ended, at first /workspace.", kPathRules),
    Optional<&Arguments::timeout_ms>("timeout_ms", "After so long the commands are ended.", {.min = 1, .max = 60'000}),
    Optional<&Arguments::output>("output", kOutputWords),
};
std::span<const Field> FieldsOf(const Arguments*) { return kArguments; }

Result<Answer<CommandOutput>> Run(CallContext& context, const Arguments& arguments) {
  if (arguments.commands.find('\0') != std::string::npos) return Error(Code::kInvalid, "commands: must not hold a NUL character");
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> shell, context.session.Create({.is_of_a_tool = true}));
  ExecRequest request;
  request.script = arguments.commands;
  request.working_directory = arguments.working_dir.value_or("");
  request.timeout = std::chrono::milliseconds(arguments.timeout_ms);
  request.keeps_shell = true;
  request.stop = context.stop;
  return RunCommand(context, *shell, request, arguments.output);
}

}  // namespace

const Tool kBash = DefineTool<Arguments, CommandOutput, Run>({
    .name = "bash",
    .title = "Bash",
    .description = "Runs Bash commands in a virtual computer with the usual Unix tools for text and files. Variables, functions, options and the "
                   "working directory last from call to call. A command that fails is no error of this tool.",
    .hints = {.is_destructive = true, .is_long_running = true, .keeps_output = true},
    .is_open_by_network = true,
});

}  // namespace paddock::tools
