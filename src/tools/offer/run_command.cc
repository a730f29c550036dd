#include "tools/offer/run_command.h"

#include <string.h>   // sigabbrev_np

#include "text/utf8.h"
#include "tools/content/file_access.h"

namespace paddock::tools {
namespace {

using Reason = sandbox::Termination::Reason;

constexpr Field kCutFields[] = {
    Shown<&Cut::stdout_cut>("stdout", "Whether stdout is not all of it."),
    Shown<&Cut::stderr_cut>("stderr", "Whether stderr is not all of it."),
};

constexpr Field kCommandFields[] = {
    Shown<&CommandOutput::exit_code>("exit_code", "Null when there is none: it was killed, timed out, or still runs."),
    Shown<&CommandOutput::signal>("signal", "The signal that ended it, such as SIGKILL."),
    Shown<&CommandOutput::success>("success", "Whether it ended by itself with exit code 0."),
    Shown<&CommandOutput::stdout_text>("stdout", "Without colours and progress bars; cut in the middle when it is long."),
    Shown<&CommandOutput::stderr_text>("stderr", "The same."),
    Shown<&CommandOutput::duration_ms>("duration_ms", "How long it ran."),
    Shown<&CommandOutput::timed_out>("timed_out", "Whether it was ended because its time was over."),
    Shown<&CommandOutput::oom_killed>("oom_killed", "Whether it was ended because it took too much memory."),
    Shown<&CommandOutput::ended_by>("ended_by", "exit, signal, timeout, oom, pids, cpu, disk, output_cap, policy, cancelled … or running."),
    Shown<&CommandOutput::truncated>("truncated", "What of the output is not all there."),
    Shown<&CommandOutput::output_files>("output_files", "Session files with all of the output that was cut (at most 1 MiB of each stream)."),
    Shown<&CommandOutput::denials>("denials", "What the policy refused meanwhile."),
    Shown<&CommandOutput::process_id>("process_id", "Of a command in the background: for the sandbox_process tools."),
};

std::string SignalText(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

// Keeps a stream as a session file. Its name, or empty when that failed: the answer is worth more than the copy.
std::string Keep(CallContext& context, const HeadAndTail& stream, const char* suffix) {
  const std::string path = "/outputs/" + context.call_id + suffix;
  const auto files = context.session.Files();
  if (!files) return {};
  const auto written = WriteRegularFile(**files, path, stream.Text(), {});
  return written ? path : "";
}

}  // namespace

std::span<const Field> FieldsOf(const Cut*) { return kCutFields; }
std::span<const Field> FieldsOf(const CommandOutput*) { return kCommandFields; }

sandbox::OutputHandler CommandStreams::Handler(const CallContext& context) {
  return [this, forward = context.on_output](sandbox::Stream stream, std::string_view bytes) {
    (stream == sandbox::Stream::kStdout ? out_ : err_).Append(bytes);
    if (forward) forward(stream, bytes);
  };
}

std::string EndText(const sandbox::ExecResult& result) {
  if (result.termination.reason == Reason::kSignal) {
    return "killed by " + SignalText(result.termination.signal) + (result.exit_code ? " (exit code " + std::to_string(*result.exit_code) + ")" : "");
  }
  if (result.termination.reason == Reason::kExit && result.exit_code) return "exit code " + std::to_string(*result.exit_code);
  const int64_t after = std::chrono::duration_cast<std::chrono::milliseconds>(result.duration).count();
  std::string text = "stopped after " + std::to_string(after) + " ms: " + sandbox::ReasonName(result.termination.reason);
  if (!result.termination.limit.empty()) text += " (" + result.termination.limit + " limit)";
  return text;
}

Result<Answer<CommandOutput>> RunCommand(CallContext& context, SandboxAccess& sandbox, const ExecRequest& request, OutputMode mode) {
  CommandStreams streams;
  PADDOCK_ASSIGN(const sandbox::ExecResult result, sandbox.Exec(request, streams.Handler(context)));
  Answer<CommandOutput> answer;
  CommandOutput& data = answer.data;
  const Reason reason = result.termination.reason;
  if (result.exit_code) data.exit_code = *result.exit_code;
  if (reason == Reason::kSignal) data.signal = SignalText(result.termination.signal);
  data.success = reason == Reason::kExit && result.exit_code == 0;
  data.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(result.duration).count();
  data.timed_out = reason == Reason::kTimeout;
  data.oom_killed = reason == Reason::kOom;
  data.ended_by = sandbox::ReasonName(reason);
  data.denials = result.denials;

  const std::string out = CleanOutput(streams.out().Text());
  const std::string err = CleanOutput(streams.err().Text());
  const size_t budget = OutputBudget(mode, data.success);
  CutStreams cut = CutBoth(out, err, budget, "", "");
  if (cut.is_out_cut || cut.is_err_cut) {
    const std::string kept_out = cut.is_out_cut ? Keep(context, streams.out(), ".stdout") : "";
    const std::string kept_err = cut.is_err_cut ? Keep(context, streams.err(), ".stderr") : "";
    for (const std::string& kept : {kept_out, kept_err}) {
      if (!kept.empty()) data.output_files.push_back(kept);
    }
    cut = CutBoth(out, err, budget, kept_out.empty() ? "" : "session file " + kept_out, kept_err.empty() ? "" : "session file " + kept_err);
  }
  data.truncated = {.stdout_cut = cut.is_out_cut || !streams.out().is_complete() || result.dropped_bytes > 0,
                    .stderr_cut = cut.is_err_cut || !streams.err().is_complete()};
  data.stdout_text = std::move(cut.out);
  data.stderr_text = std::move(cut.err);

  answer.text = EndText(result) + "\n";
  if (data.timed_out) answer.text += "Everything that it had started was ended too. Give it more time with timeout_ms, or start it with sandbox_process_start.\n";
  if (!data.stdout_text.empty()) answer.text += data.stdout_text + (data.stdout_text.ends_with('\n') ? "" : "\n");
  if (!data.stderr_text.empty()) answer.text += "[stderr]\n" + data.stderr_text + (data.stderr_text.ends_with('\n') ? "" : "\n");
  for (const std::string& denial : data.denials) answer.text += "[denied] " + denial + "\n";
  return answer;
}

}  // namespace paddock::tools
