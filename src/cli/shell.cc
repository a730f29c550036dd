// paddock shell: a person's shell into a fresh sandbox, or a script on stdin run as it arrives.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/client/exec.h"
#include "cli/client/subcommand.h"
#include "cli/client/terminal_session.h"
#include "cli/foreground.h"
#include "cli/history_file.h"
#include "cli/line_editor.h"
#include "cli/sandbox_options.h"
#include "cli/terminal_signals.h"
#include "sandbox/shell_session.h"

namespace paddock::cli {
namespace {

struct ShellOptions {
  SandboxOptions sandbox;   // first: see JoinOptions()
  std::string history;
  bool has_no_history = false;
};

constexpr Option kOwnOptions[] = {
    Value<&ShellOptions::history>('H', "history", "FILE", "keep the lines typed in FILE"),
    Flag<&ShellOptions::has_no_history>('n', "no-history", "keep no lines and use none of earlier sessions"),
};
constexpr auto kOptions = JoinOptions(kSandboxOptions, kOwnOptions);

constexpr const char* kHelp =
    "Usage: paddock shell [OPTION]...\n"
    "  or:  paddock shell [--server=URL] [--key-file=FILE] [--ca-file=FILE] [--cwd=DIR] SANDBOX\n"
    "Opens a Bash prompt in a fresh virtual sandbox that sees nothing of the host, or in a SANDBOX of a\n"
    "daemon ('paddock exec --help' says more of those). When stdin is not a terminal it reads commands from it\n"
    "without prompts, like 'bash -s'.\n\n";

// With a SANDBOX of a daemon.
struct RemoteShellOptions {
  LinkOptions link;   // first: the table begins with its options
  std::string cwd;
};
constexpr Option kRemoteOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Value<&RemoteShellOptions::cwd>('C', "cwd", "DIR", "start in DIR"),
};

constexpr const char* kHelpEnd =
    "\nLimits hold for each line typed; a line that is stopped by one takes the background jobs\n"
    "along and leaves variables and functions as they were. The lines typed are kept in\n"
    "$XDG_STATE_HOME/paddock/history (or ~/.local/state), at most 10000.\n\n"
    "Keys are emacs's, as in Bash: Tab completes commands, options, files, variables and what\n"
    "'complete' knows; Ctrl-R searches back; Ctrl-C drops the line or interrupts the command,\n"
    "twice within a second kills it; Ctrl-D on an empty line leaves.\n\n"
    "Exit status: that of 'exit' or of the last command; 2 for a usage error.\n";

std::string HostVariable(const char* name) {
  // The editor's own surroundings; nothing of them but TERM is seen inside.
  const char* value = std::getenv(name);  // allow(getenv): the user's terminal and state directory
  return value == nullptr ? std::string() : value;
}

// Empty where there is no home.
std::string DefaultHistoryPath() {
  std::string state = HostVariable("XDG_STATE_HOME");
  if (!state.starts_with('/')) {
    const std::string home = HostVariable("HOME");
    if (!home.starts_with('/')) return {};
    state = home + "/.local/state";
  }
  return state + "/paddock/history";
}

// A session at the terminal.
class Loop {
  // Calls what may run code of the sandbox; Ctrl-C reaches that code meanwhile.
  template <class F>
  auto Guarded(F&& call) {
    signals_.EnterCommand();
    auto result = call();
    signals_.LeaveCommand();
    signals_.TakeInterrupt();
    return result;
  }

 public:
  Loop(sandbox::ShellSession& session, int output, std::optional<HistoryFile> file)
      : session_(session),
        output_(output),
        signals_(session),
        editor_(output, signals_,
                {.complete = [this](std::string_view line, size_t cursor) { return Complete(line, cursor); },
                 .idle = [this](int descriptor, auto until) { session_.Idle(descriptor, until); },
                 .resized = [this] { session_.Resize(GetWindowSize(output_)); }}),
        file_(std::move(file)) {
    session_.Resize(GetWindowSize(output_));
    if (!file_) return;
    auto entries = file_->Load();
    if (!entries) DropFile(entries.error());
    else for (const std::string& entry : *entries) editor_.Remember(entry);
  }

  int Run() {
    while (!session_.ended()) {
      if (signals_.TakeResize()) session_.Resize(GetWindowSize(output_));
      const sandbox::ShellSession::Prompt prompt = Guarded([this] { return session_.PrimaryPrompt(); });
      if (session_.ended()) break;
      const auto until = prompt.timeout ? SystemClock().MonotonicNow() + *prompt.timeout : std::chrono::nanoseconds::max();
      LineEditor::Line line = editor_.Read(prompt.text, until);
      if (line.end == LineEditor::End::kLine) ReadRest(line);
      Handle(line);
    }
    return signals_.hang_up() != 0 ? 128 + signals_.hang_up() : *session_.ended();
  }

 private:
  sandbox::Completions Complete(std::string_view line, size_t cursor) {
    return Guarded([&] { return session_.Complete(line, cursor); });
  }

  // The lines that complete the command. An end of input there is the parser's to complain about.
  void ReadRest(LineEditor::Line& line) {
    while (Guarded([&] { return session_.IsIncomplete(line.text); })) {
      const auto prompt = Guarded([this] { return session_.SecondaryPrompt(); });
      const LineEditor::Line next = editor_.Read(prompt.text);
      if (next.end == LineEditor::End::kEndOfInput) return;
      if (next.end != LineEditor::End::kLine) {
        line = next;
        return;
      }
      line.text += next.text;
    }
  }

  void Handle(const LineEditor::Line& line) {
    switch (line.end) {
      case LineEditor::End::kLine: return RunLine(line.text);
      case LineEditor::End::kInterrupt: return session_.NoteInterrupt();
      case LineEditor::End::kEndOfInput: Guarded([this] { return session_.EndInput(), 0; }); return;
      case LineEditor::End::kTimeout:
        WriteAll(output_, "\atimed out waiting for input: auto-logout\n");
        [[fallthrough]];
      case LineEditor::End::kHangUp: Guarded([this] { return session_.Leave(), 0; }); return;
    }
  }

  void RunLine(const std::string& text) {
    if (text.find_first_not_of(" \t\n") == std::string::npos) return;
    if (const auto entry = session_.HistoryEntry(text)) {
      editor_.Remember(*entry);
      if (file_) {
        if (const Status status = file_->Append(*entry); !status) DropFile(status.error());
      }
    }
    const sandbox::ExecResult result = Guarded([&] { return session_.Run(text); });
    if (result.termination.reason == sandbox::Termination::Reason::kCancelled) {
      WriteAll(output_, "\npaddock: killed, and background jobs with it\n");
    } else if (const std::string message = StopMessage(result); !message.empty()) {
      WriteAll(output_, message + "\n");
    }
    if (signals_.hang_up() != 0 && !session_.ended()) session_.Leave();
  }

  void DropFile(const Error& error) {
    WriteAll(output_, "paddock shell: history is not kept: " + std::string(error.Text()) + "\n");
    file_.reset();
  }

  sandbox::ShellSession& session_;
  int output_;
  TerminalSignals signals_;
  LineEditor editor_;
  std::optional<HistoryFile> file_;
};

std::optional<HistoryFile> MakeHistory(const ShellOptions& options) {
  if (options.has_no_history) return std::nullopt;
  std::string path = options.history.empty() ? DefaultHistoryPath() : options.history;
  return path.empty() ? std::nullopt : std::optional<HistoryFile>(std::move(path));
}

int RunAtTerminal(sandbox::Interactive& sandbox, sandbox::ExecSpec exec, const ShellOptions& options) {
  sandbox::SessionSpec spec{.environment = std::move(exec.environment),
                            .cwd = std::move(exec.cwd),
                            .limits = exec.limits,
                            .input = 0,
                            .is_output_terminal = isatty(1) == 1,
                            .is_error_terminal = isatty(2) == 1};
  const int output = spec.is_output_terminal ? 1 : 2;
  auto session = sandbox.OpenShell(std::move(spec), WriteOutput);
  if (!session) return Fail("shell", session.error().Text());
  return Loop(**session, output, MakeHistory(options)).Run();
}

// Commands from stdin as they arrive: the sandbox's own shell reads them.
int RunFromInput(sandbox::Sandbox& sandbox, sandbox::ExecSpec exec) {
  exec.command = {"bash", "-s"};
  sandbox::StdinSource input{.kind = sandbox::StdinSource::Kind::kHostDescriptor, .text = {}, .descriptor = 0};
  auto result = RunForeground(sandbox, std::move(exec), std::move(input), WriteOutput);
  if (!result) return Fail("shell", result.error().Text());
  if (const std::string message = StopMessage(*result); !message.empty()) WriteAll(2, message + "\n");
  return ProcessStatus(*result);
}

// Where a SANDBOX is named: that one's shell.
std::optional<int> RunRemote(const std::vector<std::string>& own) {
  RemoteShellOptions options;
  const auto parsed = ParseOptions(own, kRemoteOptions, &options);
  if (!parsed || parsed->wants_help || parsed->operands.empty()) return std::nullopt;   // then it is a fresh one's
  if (parsed->operands.size() > 1) return Fail("shell", "unexpected argument '" + parsed->operands[1] + "'");
  int status = 125;
  const int failed = EndSubcommand("shell", [&]() -> Status {
    if (isatty(0) == 1) {
      PADDOCK_ASSIGN(Link link, Link::Open(options.link));
      PADDOCK_ASSIGN(status, RunRemoteShell(link, parsed->operands[0], options.cwd));
    } else {
      PADDOCK_ASSIGN(status, ExecOnStreams(options.link, parsed->operands[0], {"bash", "-s"}, options.cwd, true));
    }
    return {};
  });
  return failed != 0 ? 125 : status;
}

}  // namespace

int RunShell(const sandbox::DriverSet& drivers, std::span<const std::string> args) {
  const auto driver = drivers.Find("virtual");
  if (!driver) return Fail("shell", driver.error().Text());
  std::vector<std::string> own = {"shell"};
  own.insert(own.end(), args.begin(), args.end());
  if (const auto status = RunRemote(own)) return *status;
  ShellOptions options;
  auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed) return Fail("shell", std::string(parsed.error().Text()) + "; 'paddock shell --help' lists the options");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions) + kHelpEnd).c_str(), stdout);
    return 0;
  }
  if (!parsed->operands.empty()) return Fail("shell", "a SANDBOX takes no option but --server, --key-file, --ca-file and --cwd");
  if (options.has_no_history && !options.history.empty()) return Fail("shell", "give --history or --no-history, not both");
  const bool is_interactive = isatty(0) == 1 && (isatty(1) == 1 || isatty(2) == 1);
  sandbox::SandboxSpec spec;
  sandbox::ExecSpec exec;
  if (const std::string term = HostVariable("TERM"); is_interactive && !term.empty()) exec.environment.Set("TERM", term);
  if (const Status applied = Apply(options.sandbox, spec, exec); !applied) return Fail("shell", applied.error().Text());
  auto sandbox = (*driver)->Create(spec);
  if (!sandbox) return Fail("shell", sandbox.error().Text());
  if (const Status found = CheckDirectory(**sandbox, exec.cwd); !found) return Fail("shell", found.error().Text());
  if (!is_interactive) return RunFromInput(**sandbox, std::move(exec));
  auto* const interactive = dynamic_cast<sandbox::Interactive*>(sandbox->get());
  if (interactive == nullptr) return Fail("shell", std::string((*driver)->name()) + " sandboxes have no interactive shell");
  return RunAtTerminal(*interactive, std::move(exec), options);
}

}  // namespace paddock::cli
