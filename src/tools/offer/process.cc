// sandbox_process_start, _read, _write, _signal, _wait: commands that go on while the model does something else.

#include <signal.h>

#include <algorithm>

#include "tools/content/output_budget.h"
#include "tools/offer/file_operations.h"
#include "tools/offer/offer.h"
#include "tools/offer/run_command.h"
#include "tools/offer/sandbox_choice.h"

namespace paddock::tools {
namespace {

constexpr const char* kProcessWords = "What sandbox_process_start gave.";

constexpr const char* kProcessStates[] = {"running", "exited"};

// The state of a process in every result.
struct ShownProcess {
  std::string process_id;
  ProcessState state = ProcessState::kRunning;
  std::optional<int64_t> exit_code;
  std::optional<std::string> ended_by;
  uint64_t output_bytes = 0;
};

}  // namespace

std::span<const char* const> NamesOf(ProcessState) { return kProcessStates; }

namespace {

constexpr Field kShownProcess[] = {
    Shown<&ShownProcess::process_id>("process_id", "What the other sandbox_process tools take."),
    Shown<&ShownProcess::state>("state", "Whether it still runs."),
    Shown<&ShownProcess::exit_code>("exit_code", "Null while it runs, and when it was killed."),
    Shown<&ShownProcess::ended_by>("ended_by", "exit, signal, timeout, oom …; null while it runs."),
    Shown<&ShownProcess::output_bytes>("output_bytes", "Written so far, stdout and stderr together."),
};
std::span<const Field> FieldsOf(const ShownProcess*) { return kShownProcess; }

ShownProcess Show(const ProcessInfo& info) {
  ShownProcess shown;
  shown.process_id = info.id;
  shown.state = info.state;
  if (info.exit_code) shown.exit_code = *info.exit_code;
  if (info.state == ProcessState::kExited) shown.ended_by = sandbox::ReasonName(info.termination.reason);
  shown.output_bytes = info.output_end;
  return shown;
}

std::string Text(const ShownProcess& process) {
  if (process.state == ProcessState::kRunning) return process.process_id + " runs; " + std::to_string(process.output_bytes) + " bytes of output so far";
  return process.process_id + " has ended: " + (process.exit_code ? "exit code " + std::to_string(*process.exit_code) : process.ended_by.value_or("")) + "; " +
         std::to_string(process.output_bytes) + " bytes of output";
}

Answer<ShownProcess> Tell(const ProcessInfo& info) {
  const ShownProcess shown = Show(info);
  return {.data = shown, .text = Text(shown)};
}

// The sandbox that a process runs in: a process's id says enough.
Result<std::shared_ptr<SandboxAccess>> SandboxOf(CallContext& context, const std::string& process_id) {
  PADDOCK_ASSIGN(const std::vector<SandboxInfo> sandboxes, context.session.List());
  for (const SandboxInfo& info : sandboxes) {
    auto sandbox = context.session.Find(info.id);
    const auto processes = sandbox ? (*sandbox)->ListProcesses() : Result<std::vector<ProcessInfo>>(Code::kNoEntry);
    if (!processes) continue;
    if (std::any_of(processes->begin(), processes->end(), [&](const ProcessInfo& process) { return process.id == process_id; })) return sandbox;
  }
  return Error(Code::kNoEntry, "this session has no process " + process_id + "; sandbox_process_start gives an id");
}

// ---- start

struct StartArguments {
  std::string command;
  std::optional<std::string> sandbox_id, working_dir;
  std::map<std::string, std::string> env;
  int64_t timeout_ms = 0;
};
constexpr Field kStartArguments[] = {
    Required<&StartArguments::command>("command", "For the shell, as in sh -c.", {.min_length = 1, .max_length = kMaxCommandBytes}),
    Optional<&StartArguments::sandbox_id>("sandbox_id", kSandboxIdWords, kSandboxIdRules),
    Optional<&StartArguments::working_dir>("working_dir", "Absolute path of an existing directory. Left out: the sandbox's.", kPathRules),
    Optional<&StartArguments::env>("env", "More variables for this command.", kEnvironmentRules),
    Optional<&StartArguments::timeout_ms>("timeout_ms", "After so long it is ended. 0: never, as long as the sandbox lives.", {.min = 0, .max = 86'400'000}),
};
std::span<const Field> FieldsOf(const StartArguments*) { return kStartArguments; }

Result<Answer<ShownProcess>> Start(CallContext& context, const StartArguments& arguments) {
  if (arguments.command.find('\0') != std::string::npos) return Error(Code::kInvalid, "command: must not hold a NUL character");
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> sandbox, ChooseSandbox(context, arguments.sandbox_id));
  ExecRequest request;
  request.script = arguments.command;
  request.working_directory = arguments.working_dir.value_or("");
  request.environment = arguments.env;
  request.timeout = std::chrono::milliseconds(arguments.timeout_ms);
  PADDOCK_ASSIGN(const ProcessInfo info, sandbox->StartProcess(request));
  return Tell(info);
}

// ---- read

struct ReadArguments {
  std::string process_id;
  uint64_t offset = 0;
  int64_t max_bytes = 8 << 10;
  int64_t wait_ms = 0;
};
constexpr Field kReadArguments[] = {
    Required<&ReadArguments::process_id>("process_id", kProcessWords, kIdRules),
    Optional<&ReadArguments::offset>("offset", "Byte of the output to begin with; give next_offset of the last read to get only what is new."),
    Optional<&ReadArguments::max_bytes>("max_bytes", "At most so much.", {.min = 16, .max = 64 << 10}),
    Optional<&ReadArguments::wait_ms>("wait_ms", "Wait so long for new output if there is none yet.", {.min = 0, .max = 60'000}),
};
std::span<const Field> FieldsOf(const ReadArguments*) { return kReadArguments; }

struct StreamOutput {
  ShownProcess process;
  std::string output;
  uint64_t offset = 0, next_offset = 0, lost_bytes = 0;
  bool at_end = false;
};
constexpr Field kStreamOutput[] = {
    Shown<&StreamOutput::process>("process", "How it stands."),
    Shown<&StreamOutput::output>("output", "stdout and stderr in the order in which they were written, without colours and progress bars."),
    Shown<&StreamOutput::offset>("offset", "Where `output` begins."),
    Shown<&StreamOutput::next_offset>("next_offset", "The offset for the next read."),
    Shown<&StreamOutput::lost_bytes>("lost_bytes", "Bytes between the offset asked for and `output` that are no longer kept."),
    Shown<&StreamOutput::at_end>("at_end", "Whether it has ended and this was the last of its output."),
};
std::span<const Field> FieldsOf(const StreamOutput*) { return kStreamOutput; }

Result<Answer<StreamOutput>> Read(CallContext& context, const ReadArguments& arguments) {
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> sandbox, SandboxOf(context, arguments.process_id));
  PADDOCK_ASSIGN(ProcessOutput read, sandbox->ReadProcess(arguments.process_id, arguments.offset, static_cast<size_t>(arguments.max_bytes),
                                                          std::chrono::milliseconds(arguments.wait_ms)));
  // A character that is cut at the end belongs to the next read; no character is longer than four bytes.
  const bool is_all = read.offset + read.bytes.size() >= read.process.output_end;
  const bool is_final = is_all && read.process.state == ProcessState::kExited;
  for (size_t back = 1; !is_final && back <= std::min<size_t>(3, read.bytes.size()); ++back) {
    const auto byte = static_cast<unsigned char>(read.bytes[read.bytes.size() - back]);
    const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    if (length > back) read.bytes.resize(read.bytes.size() - back);
    if (byte >= 0xC0 || byte < 0x80) break;
  }
  Answer<StreamOutput> answer;
  answer.data.process = Show(read.process);
  answer.data.output = CleanOutput(read.bytes);
  answer.data.offset = read.offset;
  answer.data.next_offset = read.offset + read.bytes.size();
  answer.data.lost_bytes = read.offset > arguments.offset ? read.offset - arguments.offset : 0;
  answer.data.at_end = is_final;
  answer.text = Text(answer.data.process) + "; next_offset " + std::to_string(answer.data.next_offset) + "\n" + answer.data.output;
  return answer;
}

// ---- write

struct WriteArguments {
  std::string process_id, input;
  Encoding encoding = Encoding::kText;
  bool end_input = false;
};
constexpr Field kWriteArguments[] = {
    Required<&WriteArguments::process_id>("process_id", kProcessWords, kIdRules),
    Required<&WriteArguments::input>("input", "For its stdin. A line needs a newline at its end. May be empty to only end the input.", {.max_length = 1 << 20}),
    Optional<&WriteArguments::encoding>("encoding", "base64: `input` stands for bytes."),
    Optional<&WriteArguments::end_input>("end_input", "End its stdin behind this."),
};
std::span<const Field> FieldsOf(const WriteArguments*) { return kWriteArguments; }

Result<Answer<ShownProcess>> Write(CallContext& context, const WriteArguments& arguments) {
  PADDOCK_ASSIGN(const std::string bytes, DecodeContent("input", arguments.input, arguments.encoding));
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> sandbox, SandboxOf(context, arguments.process_id));
  PADDOCK_ASSIGN(const ProcessInfo info, sandbox->WriteProcess(arguments.process_id, bytes, arguments.end_input));
  return Tell(info);
}

// ---- signal

enum class SignalName { kTerm, kKill, kInt, kHup, kQuit, kUsr1, kUsr2, kStop, kCont };
constexpr const char* kSignals[] = {"TERM", "KILL", "INT", "HUP", "QUIT", "USR1", "USR2", "STOP", "CONT"};
constexpr int kSignalNumbers[] = {SIGTERM, SIGKILL, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGSTOP, SIGCONT};
std::span<const char* const> NamesOf(SignalName) { return kSignals; }

struct SignalArguments {
  std::string process_id;
  SignalName signal = SignalName::kTerm;
};
constexpr Field kSignalArguments[] = {
    Required<&SignalArguments::process_id>("process_id", kProcessWords, kIdRules),
    Optional<&SignalArguments::signal>("signal", "TERM asks it to end, KILL makes it, INT is Ctrl-C."),
};
std::span<const Field> FieldsOf(const SignalArguments*) { return kSignalArguments; }

Result<Answer<ShownProcess>> Signal(CallContext& context, const SignalArguments& arguments) {
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> sandbox, SandboxOf(context, arguments.process_id));
  PADDOCK_ASSIGN(const ProcessInfo info, sandbox->SignalProcess(arguments.process_id, kSignalNumbers[static_cast<size_t>(arguments.signal)]));
  return Tell(info);
}

// ---- wait

struct WaitArguments {
  std::string process_id;
  int64_t timeout_ms = 30'000;
};
constexpr Field kWaitArguments[] = {
    Required<&WaitArguments::process_id>("process_id", kProcessWords, kIdRules),
    Optional<&WaitArguments::timeout_ms>("timeout_ms", "Wait at most so long; then it goes on running.", {.min = 1, .max = 600'000}),
};
std::span<const Field> FieldsOf(const WaitArguments*) { return kWaitArguments; }

Result<Answer<ShownProcess>> Wait(CallContext& context, const WaitArguments& arguments) {
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> sandbox, SandboxOf(context, arguments.process_id));
  PADDOCK_ASSIGN(const ProcessInfo info, sandbox->WaitProcess(arguments.process_id, std::chrono::milliseconds(arguments.timeout_ms), context.stop));
  return Tell(info);
}

}  // namespace

const Tool kSandboxProcessStart = DefineTool<StartArguments, ShownProcess, Start>({
    .name = "sandbox_process_start",
    .title = "Start a process",
    .description = "Starts a command in a sandbox and does not wait for it: for servers, long builds and programs that ask questions.",
    .hints = {.is_destructive = true},
    .is_open_by_network = true,
});
const Tool kSandboxProcessRead = DefineTool<ReadArguments, StreamOutput, Read>({
    .name = "sandbox_process_read",
    .title = "Read a process's output",
    .description = "Gives the output of a process from an offset on, and whether it still runs.",
    .hints = {.is_readonly = true, .is_idempotent = true},
});
const Tool kSandboxProcessWrite = DefineTool<WriteArguments, ShownProcess, Write>({
    .name = "sandbox_process_write",
    .title = "Write to a process",
    .description = "Writes to the stdin of a process, as if somebody typed it.",
    .hints = {.is_destructive = true},
    .is_open_by_network = true,
});
const Tool kSandboxProcessSignal = DefineTool<SignalArguments, ShownProcess, Signal>({
    .name = "sandbox_process_signal",
    .title = "Signal a process",
    .description = "Sends a signal to a process: to end it, interrupt it or stop it.",
    .hints = {.is_destructive = true},
});
const Tool kSandboxProcessWait = DefineTool<WaitArguments, ShownProcess, Wait>({
    .name = "sandbox_process_wait",
    .title = "Wait for a process",
    .description = "Waits until a process has ended and gives its exit code; its output is read with sandbox_process_read.",
    .hints = {.is_readonly = true, .is_idempotent = true, .is_long_running = true},
});

}  // namespace paddock::tools
