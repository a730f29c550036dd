// paddock exec: something runs in a sandbox of a daemon, its streams on ours.

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "base/descriptor.h"
#include "cli/base64.h"
#include "cli/cli.h"
#include "cli/client/exec.h"
#include "cli/client/follow_output.h"
#include "cli/client/raw_terminal.h"
#include "cli/client/subcommand.h"
#include "cli/client/terminal_session.h"
#include "cli/present.h"

namespace paddock::cli {
namespace {

struct ExecOptions {
  LinkOptions link;   // first: the table begins with its options
  std::string script, cwd, timeout;
  std::vector<std::string> variables;
  bool has_input = false, is_detached = false, keeps_shell = false, has_terminal = false;
};

constexpr Option kOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Value<&ExecOptions::script>('c', "command", "SCRIPT", "a script for the sandbox's shell, in place of COMMAND"),
    Flag<&ExecOptions::has_input>('i', "interactive", "our stdin is its stdin (default: empty)"),
    Flag<&ExecOptions::has_terminal>('t', "tty", "give it our terminal: keys, colours, size; without COMMAND a shell"),
    Flag<&ExecOptions::is_detached>('d', "detach", "do not wait: print the id of the process; see 'paddock logs'"),
    Value<&ExecOptions::variables>('e', "env", "NAME=VALUE", "a variable besides the sandbox's; repeat it"),
    Value<&ExecOptions::cwd>('w', "cwd", "DIR", "start there"),
    Value<&ExecOptions::timeout>('T', "timeout", "TIME", "end it after so long: 30s, 5m"),
    Flag<&ExecOptions::keeps_shell>('k', "keep-shell", "go on with the shell of the last such exec: its variables, functions, directory"),
};

constexpr SubcommandText kText{
    .name = "exec",
    .help = "Usage: paddock exec [OPTION]... SANDBOX [COMMAND [ARGUMENT]...]\n"
            "  or:  paddock exec [OPTION]... -c SCRIPT SANDBOX\n"
            "  or:  paddock exec [OPTION]... -t SANDBOX [COMMAND [ARGUMENT]...]\n"
            "Runs a command in a sandbox of a daemon and waits for its end. Ctrl-C goes to the command;\n"
            "a second one kills it. It goes on if this program is killed. Without one, what the image of the\n"
            "sandbox's template names runs: its entrypoint and command.\n"
            "\n"
            "With -t all keys go to it. '~.' at the beginning of a line leaves it: a COMMAND goes on, a shell is\n"
            "hung up on. '~~' types a '~' there. A connection that breaks is made anew for 15 seconds (not of a shell).\n\n",
    .least = 1, .most = 100'000, .operands = "the id or the name of a sandbox",
    .exit_status = "that of the command; 128 + N if signal N ended it, 124 after the timeout, 125 when a limit\n"
                   "ended it or it could not be run, 2 for a usage error."};

// Signals of ours go to the process; from the second on they kill it.
class SignalRelay {
 public:
  SignalRelay(const LinkOptions& options, std::string signal_path) : options_(options), path_(std::move(signal_path)) {
    sigemptyset(&signals_);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR2}) sigaddset(&signals_, number);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    thread_ = std::thread([this] { Relay(); });
  }
  ~SignalRelay() {
    pthread_kill(thread_.native_handle(), SIGUSR2);
    thread_.join();
  }
  SignalRelay(const SignalRelay&) = delete;
  SignalRelay& operator=(const SignalRelay&) = delete;

 private:
  void Relay() {
    int count = 0;
    while (true) {
      int number = 0;
      sigwait(&signals_, &number);
      if (number == SIGUSR2) return;
      auto link = Link::Open(options_);
      if (!link) continue;
      // Where the isolation knows no other signal, it is ended.
      const bool is_first = count++ == 0;
      if (!is_first || !link->Post(path_, {{"signal", number}})) static_cast<void>(link->Post(path_, {{"signal", SIGKILL}}));
    }
  }

  const LinkOptions options_;
  const std::string path_;
  sigset_t signals_;
  std::thread thread_;
};

// Our stdin becomes the process's, until it ends on either side.
class InputRelay {
 public:
  InputRelay(const LinkOptions& options, std::string input_path) : options_(options), path_(std::move(input_path)) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    stop_read_.Reset(ends[0]);
    stop_write_.Reset(ends[1]);
    thread_ = std::thread([this] { Relay(); });
  }
  ~InputRelay() {
    stop_write_.Reset();
    if (thread_.joinable()) thread_.join();
  }
  InputRelay(const InputRelay&) = delete;
  InputRelay& operator=(const InputRelay&) = delete;

 private:
  void Relay() {
    auto link = Link::Open(options_);
    if (!link) return;
    std::string buffer(64 << 10, '\0');
    while (true) {
      pollfd waits[2] = {{STDIN_FILENO, POLLIN, 0}, {stop_read_.get(), POLLIN, 0}};
      if (poll(waits, 2, -1) < 0) {
        if (errno == EINTR) continue;
        return;
      }
      if (waits[1].revents != 0) return;
      const ssize_t got = read(STDIN_FILENO, buffer.data(), buffer.size());
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      net::ClientRequest request{.method = "POST", .target = path_ + (got <= 0 ? "?close=true" : "")};
      request.headers.push_back({"Content-Type", "application/octet-stream"});
      if (got > 0) request.body.assign(buffer.data(), static_cast<size_t>(got));
      const auto sent = link->Send(std::move(request));
      if (!sent || got <= 0) return;   // it has ended, or does not read any more
      static_cast<void>((*sent)->ReadAll(1 << 16));
    }
  }

  const LinkOptions options_;
  const std::string path_;
  Descriptor stop_read_, stop_write_;
  std::thread thread_;
};

Result<json::object> BodyOf(const ExecOptions& options, const std::vector<std::string>& operands) {
  json::object exec, variables;
  const bool has_command = operands.size() > 1;
  if (has_command && !options.script.empty()) return Error(Code::kInvalid, "-c SCRIPT and a COMMAND exclude each other");
  if (has_command) exec["command"] = json::array(operands.begin() + 1, operands.end());
  else if (!options.script.empty()) exec["script"] = options.script;
  for (const std::string& item : options.variables) PADDOCK_TRY(AddPair(variables, "env", item));
  if (!variables.empty()) exec["environment"] = std::move(variables);
  if (!options.cwd.empty()) exec["cwd"] = options.cwd;
  if (!options.timeout.empty()) exec["timeout"] = options.timeout;
  if (options.keeps_shell) exec["keep_shell"] = true;
  return json::object{{"exec", std::move(exec)}, {"open_input", options.has_input}};
}

// Our terminal for a process that has one.
Result<int> Attach(Link& link, const std::string& sandbox, const std::string& process, bool may_lack_terminal) {
  const TerminalTarget target{.target = [&](const sandbox::WindowSize&, uint64_t offset) {
    return SandboxPath(sandbox, "/processes/" + EncodePercent(process) + "/attach?offset=" + std::to_string(offset));
  }, .outlives = true, .may_lack_terminal = may_lack_terminal, .when_left = "paddock: it goes on; 'paddock attach " + Harmless(sandbox) + " " + Harmless(process) + "' comes back to it"};
  return RunTerminalSession(link, target);
}

// The same with a terminal.
Result<int> ExecAtTerminal(const ExecOptions& options, const std::vector<std::string>& operands) {
  if (options.is_detached || options.keeps_shell) return Error(Code::kInvalid, "-t excludes -d and -k");
  if (isatty(STDIN_FILENO) != 1) return Error(Code::kNotTty, "-t: stdin is no terminal");
  PADDOCK_ASSIGN(Link link, Link::Open(options.link));
  const std::string& sandbox = operands[0];
  if (operands.size() == 1 && options.script.empty()) {
    if (!options.variables.empty() || !options.timeout.empty()) return Error(Code::kInvalid, "--env and --timeout need a COMMAND");
    return RunRemoteShell(link, sandbox, options.cwd);
  }
  PADDOCK_ASSIGN(json::object body, BodyOf(options, operands));
  const sandbox::WindowSize size = RawTerminal::CurrentSize();
  body["open_input"] = true;
  body["terminal"] = {{"columns", size.columns}, {"rows", size.lines}};
  json::object& exec = body["exec"].as_object();
  const char* term = std::getenv("TERM");   // allow(getenv): the terminal that the program will write for
  if (term != nullptr && *term != '\0') {
    if (!exec.contains("environment")) exec["environment"] = json::object();
    exec["environment"].as_object().emplace("TERM", term);
  }
  PADDOCK_ASSIGN(const json::value started, link.Post(SandboxPath(sandbox, "/processes"), body));
  return Attach(link, sandbox, TextOf(started.as_object(), "id"), false);
}

// The command's exit status, as this program's.
Result<int> Exec(const ExecOptions& options, const std::vector<std::string>& operands) {
  if (options.has_terminal) return ExecAtTerminal(options, operands);
  PADDOCK_ASSIGN(const json::object body, BodyOf(options, operands));
  PADDOCK_ASSIGN(Link link, Link::Open(options.link));
  PADDOCK_ASSIGN(const json::value started, link.Post(SandboxPath(operands[0], "/processes"), body));
  const std::string process = TextOf(started.as_object(), "id");
  if (options.is_detached) {
    std::printf("%s\n", process.c_str());
    return 0;
  }
  const std::string path = SandboxPath(operands[0], "/processes/" + EncodePercent(process));
  const SignalRelay signals(options.link, path + "/signal");
  std::optional<InputRelay> input;
  if (options.has_input) input.emplace(options.link, path + "/input");
  PADDOCK_ASSIGN(const json::object ended, FollowOutput(link, path));
  for (const json::value& denial : ended.at("denials").as_array()) std::fprintf(stderr, "paddock: denied: %s\n", Harmless(denial.as_string().c_str()).c_str());
  return StatusOfProcess(ended);
}

}  // namespace

Result<int> ExecOnStreams(const LinkOptions& link, const std::string& sandbox, const std::vector<std::string>& command, const std::string& cwd,
                          bool has_input) {
  ExecOptions options;
  options.link = link;
  options.cwd = cwd;
  options.has_input = has_input;
  std::vector<std::string> operands = {sandbox};
  operands.insert(operands.end(), command.begin(), command.end());
  return Exec(options, operands);
}

int RunExec(const sandbox::DriverSet&, std::span<const std::string> args) {
  ExecOptions options;
  BegunSubcommand begun = BeginSubcommand(kText, args, kOptions, &options, {.stop_at_operand = true});
  if (begun.status) return *begun.status;
  // As others write it: SANDBOX -- COMMAND.
  if (begun.operands.size() > 2 && begun.operands[1] == "--") begun.operands.erase(begun.operands.begin() + 1);
  int status = 125;
  const int failed = EndSubcommand("exec", [&]() -> Status {
    PADDOCK_ASSIGN(status, Exec(options, begun.operands));
    return {};
  });
  return failed != 0 ? 125 : status;
}

int RunAttach(const sandbox::DriverSet&, std::span<const std::string> args) {
  constexpr SubcommandText kAttach{
      .name = "attach",
      .help = "Usage: paddock attach [OPTION]... SANDBOX PROCESS\n"
              "Gives our terminal to a command that 'paddock exec -t' began and that was left, with what it wrote since\n"
              "its beginning, as far as it is kept. '~.' at the beginning of a line leaves it again.\n\n",
      .least = 2, .most = 2, .operands = "a sandbox, and the id of a process in it", .exit_status = "as of 'paddock exec'."};
  struct {
    LinkOptions link;
  } options;
  const BegunSubcommand begun = BeginSubcommand(kAttach, args, kLinkOptions, &options);
  if (begun.status) return *begun.status;
  int status = 125;
  const int failed = EndSubcommand("attach", [&]() -> Status {
    PADDOCK_ASSIGN(Link link, Link::Open(options.link));
    PADDOCK_ASSIGN(const json::value process, link.Get(SandboxPath(begun.operands[0], "/processes/" + EncodePercent(begun.operands[1]))));
    PADDOCK_ASSIGN(status, Attach(link, begun.operands[0], begun.operands[1], TextOf(process.as_object(), "state") == "running"));
    return {};
  });
  return failed != 0 ? 125 : status;
}

}  // namespace paddock::cli
