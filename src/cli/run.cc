// paddock run: one script, file or command in a fresh sandbox.

#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/memory_meter.h"
#include "base/options.h"
#include "cli/base64.h"
#include "cli/cli.h"
#include "cli/client/run_remote.h"
#include "cli/container_options.h"
#include "cli/foreground.h"
#include "cli/line_editor.h"
#include "sandbox/tells_posture.h"
#include "text/utf8.h"

namespace paddock::cli {
namespace {

struct RunOptions {
  ContainerOptions sandbox;   // first: see JoinOptions()
  std::string isolation;    // empty: virtual, or what a daemon chooses
  bool json = false;
  bool script_from_stdin = false;
  bool wants_terminal = false;
  bool wants_pipes = false;
  std::string server, key_file, ca_file;   // of a daemon, when one is named
  std::string template_name;               // of a daemon's
};

constexpr Option kOwnOptions[] = {
    Value<&RunOptions::isolation>('i', "isolation", "WALL", "virtual (default): Paddock's own Bash; process: real programs behind an OS-level wall; container: of a Docker Engine or Podman; oci, gvisor: containers without an engine, of --root DIR (takes root); auto: process where this host allows it"),
    Flag<&RunOptions::json>('j', "json", "print the whole result as one JSON object"),
    Flag<&RunOptions::wants_terminal>('t', "tty", "give the program a terminal (default when stdin and stdout are one; needs a wall)"),
    Flag<&RunOptions::wants_pipes>('T', "no-tty", "give it pipes even so"),
    Value<&RunOptions::server>('S', "server", "URL", "in a fresh sandbox of this daemon, deleted afterwards"),
    Value<&RunOptions::template_name>(0, "template", "TEMPLATE", "in a fresh sandbox of a daemon that begins from it; without SCRIPT and COMMAND what its image names"),
    Value<&RunOptions::key_file>('K', "key-file", "FILE", "holds the key of the daemon (default: $PADDOCK_KEY)"),
    Value<&RunOptions::ca_file>(0, "ca-file", "FILE", "the authority of an https daemon (default: the system's)"),
    Flag<&RunOptions::script_from_stdin>('s', "stdin-script", "read the script from stdin (also when SCRIPT is -)"),
};
constexpr auto kOptions = JoinOptions(kOwnOptions, kPolicyOptions, kSandboxOptions, kContainerOptions);

constexpr const char* kHelp =
    "Usage: paddock run [OPTION]... 'SCRIPT' [ARG]...\n"
    "  or:  paddock run [OPTION]... FILE [ARG]...\n"
    "  or:  paddock run [OPTION]... -- COMMAND [ARG]...\n"
    "  or:  paddock run [OPTION]... - < SCRIPT\n"
    "Runs a Bash script in a fresh sandbox. SCRIPT is taken as a FILE when a file of that name exists.\n"
    "The virtual sandbox and the container see nothing of the host; the process one sees what its policy shows.\n\n";

constexpr const char* kHelpEnd =
    "\nOptions from --preset to --publish belong to --isolation process; 'paddock policy' shows what they amount to. Of them\n"
    "containers take --preset, --allow-host, --secret, --tls-trust and --publish, the virtual sandbox --preset, --policy,\n"
    "--allow-host, --secret and --tls-trust, without the files that they would show; from --image on they are containers' own.\n"
    "Limits of both: time, cpus, memory, output, processes, disk, files.\n"
    "\nExit status: the script's own, 128+N when signal N ended it; 124 when the time limit stopped it,\n"
    "125 for any other limit or a wall that cannot be built (with the reason on stderr and in --json);\n"
    "126 and 127 for a program that cannot be started, 130 when it was cancelled, 141 when the reader of\n"
    "its output went away, 2 for a usage error.\n";

std::string ReadStandardInput() {
  std::string text;
  char block[16 << 10];
  while (true) {
    const ssize_t got = read(0, block, sizeof block);
    if (got > 0) text.append(block, static_cast<size_t>(got));
    else if (got == 0 || errno != EINTR) return text;
  }
}

std::optional<std::string> ReadHostFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

bool IsRegularFile(const std::string& path) {
  std::error_code error;
  return path.size() < 4096 && std::filesystem::is_regular_file(path, error);
}

// JSON is UTF-8: each malformed byte stands as U+FFFD.
std::string ValidUtf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const DecodedChar decoded = DecodeUtf8(bytes);
    AppendUtf8(text, decoded.is_valid ? decoded.code : char32_t{0xfffd});
    bytes.remove_prefix(decoded.length);
  }
  return text;
}

boost::json::value PostureOf(const sandbox::Sandbox& sandbox) {
  const auto* const teller = dynamic_cast<const sandbox::TellsPosture*>(&sandbox);
  if (teller == nullptr) return nullptr;
  const sandbox::Posture posture = teller->GetPosture();
  const auto text = [](const std::string& value) { return value.empty() ? boost::json::value(nullptr) : boost::json::value(value); };
  const auto truth = [](const std::optional<bool>& value) { return value ? boost::json::value(*value) : boost::json::value(nullptr); };
  return {{"runtime", text(posture.runtime)},
          {"user_map", text(posture.user_map)},
          {"root_is_somebody_else", truth(posture.is_root_somebody_else)},
          {"seccomp", truth(posture.has_seccomp_filter)},
          {"no_new_privileges", truth(posture.has_no_new_privileges)},
          {"capabilities", posture.capabilities ? text(sandbox::CapabilityText(*posture.capabilities)) : nullptr}};
}

// What helps after an end that this program can do something about; empty for others.
std::string Remedy(const sandbox::ExecResult& result, const std::string& isolation) {
  constexpr int kNotFound = 127;
  constexpr std::string_view kAdjustable[] = {"time", "steps", "memory", "output", "processes", "disk", "files"};
  const std::string& limit = result.termination.limit;
  if (!result.exit_code && std::find(std::begin(kAdjustable), std::end(kAdjustable), limit) != std::end(kAdjustable)) {
    return "'--limits " + limit + "=VALUE' sets that limit, 0 for none";
  }
  if (result.exit_code == kNotFound && isolation == "virtual") {
    return "'paddock commands' lists what the virtual sandbox runs; '--isolation process' runs the host's programs";
  }
  return {};
}

void PrintJson(const sandbox::ExecResult& result, const std::string& isolation, boost::json::value posture, const std::vector<std::string>& warnings) {
  boost::json::object object;
  object["exit_code"] = result.exit_code ? boost::json::value(*result.exit_code) : boost::json::value(nullptr);
  boost::json::object end;
  end["reason"] = sandbox::ReasonName(result.termination.reason);
  end["limit"] = result.termination.limit.empty() ? boost::json::value(nullptr) : boost::json::value(result.termination.limit);
  end["peak"] = result.termination.peak;
  end["signal"] = result.termination.signal == 0 ? boost::json::value(nullptr) : boost::json::value(result.termination.signal);
  object["termination"] = std::move(end);
  const auto put_output = [&object](const std::string& name, const std::string& bytes) {
    object[name] = ValidUtf8(bytes);
    if (!IsValidUtf8(bytes)) object[name + "_b64"] = EncodeBase64(bytes);
  };
  put_output("stdout", result.stdout_text);
  put_output("stderr", result.stderr_text);
  object["dropped_bytes"] = result.dropped_bytes;
  object["duration_ms"] = static_cast<double>(result.duration.count()) / 1e6;
  object["usage"] = {{"steps", result.usage.steps},
                     {"peak_memory_bytes", result.usage.peak_memory_bytes},
                     {"output_bytes", result.usage.output_bytes}};
  object["isolation"] = isolation;
  if (!posture.is_null()) object["posture"] = std::move(posture);
  object["denials"] = boost::json::array(result.denials.begin(), result.denials.end());
  object["warnings"] = boost::json::array(warnings.begin(), warnings.end());
  WriteAll(1, boost::json::serialize(object) + "\n");
}

// As a shell does for what it cannot start.
int StartFailureStatus(Code code) {
  if (code == Code::kNoEntry) return 127;
  return code == Code::kAccess || code == Code::kExecFormat || code == Code::kIsDirectory ? 126 : 125;
}

// One run: what was asked for, and the sandbox that it gets.
class Run {
 public:
  Run(const sandbox::DriverSet& drivers, const RunOptions& options) : drivers_(drivers), options_(options) {}

  // What to run. Errors: usage.
  Status TakeScript(std::vector<std::string> operands, std::vector<std::string> command);
  // Makes the sandbox. An exit status if there is none.
  std::optional<int> Create();
  int Execute();
  // The same in a sandbox of a daemon. Errors: what has no meaning there, what the daemon says.
  Result<int> ExecuteInDaemon();

 private:
  bool has_wall() const { return isolation_ != "virtual"; }
  Status Configure(sandbox::Driver& driver);
  Status FallBack(const Error& error);
  void ShowPorts() const;

  const sandbox::DriverSet& drivers_;
  const RunOptions& options_;
  std::string isolation_;
  sandbox::SandboxSpec spec_;
  sandbox::ExecSpec exec_;
  sandbox::StdinSource input_{.kind = sandbox::StdinSource::Kind::kHostDescriptor, .descriptor = 0};
  bool reads_script_ = false;
  std::unique_ptr<sandbox::Sandbox> sandbox_;
};

Status Run::TakeScript(std::vector<std::string> operands, std::vector<std::string> command) {
  if (operands.empty() && command.empty() && !options_.template_name.empty() && !options_.script_from_stdin) return {};
  reads_script_ = options_.script_from_stdin || (operands.empty() && command.empty()) || (!operands.empty() && operands[0] == "-");
  if (!command.empty()) {
    if (!operands.empty()) return Error(Code::kInvalid, "give a script or '-- COMMAND', not both");
    exec_.command = std::move(command);
  } else if (reads_script_) {
    if (operands.empty() && !options_.script_from_stdin && isatty(0) == 1) {
      return Error(Code::kInvalid, "no script given; 'paddock run --help' shows the forms");
    }
    exec_.script = ReadStandardInput();
    if (!operands.empty() && operands[0] == "-") operands.erase(operands.begin());
    exec_.arguments = std::move(operands);
    input_ = {};
  } else {
    auto content = IsRegularFile(operands[0]) ? ReadHostFile(operands[0]) : std::nullopt;
    if (content && content->find('\0') != std::string::npos) {
      // A program, not a script.
      exec_.command = std::move(operands);
      if (exec_.command[0].find('/') == std::string::npos) exec_.command[0].insert(0, "./");
      return {};
    }
    exec_.is_file = content.has_value();
    exec_.script = content ? std::move(*content) : operands[0];
    if (exec_.is_file) exec_.name0 = operands[0];
    exec_.arguments.assign(operands.begin() + 1, operands.end());
  }
  return {};
}

Status Run::Configure(sandbox::Driver& driver) {
  if (options_.wants_terminal && !has_wall()) {
    return Error(Code::kInvalid, "--tty needs --isolation process or container; 'paddock shell' is the virtual sandbox's prompt");
  }
  if (!IsContainer(isolation_) && options_.sandbox.has_container()) return Error(Code::kInvalid, "--image, --runtime, --docker-host and --profile need --isolation container");
  if (!has_wall()) return Apply(options_.sandbox, spec_, exec_);
  if (IsContainer(isolation_)) PADDOCK_TRY(ApplyContainer(options_.sandbox, driver, spec_, exec_));
  else PADDOCK_TRY(ApplyWalled(options_.sandbox, spec_, exec_));
  const bool is_terminal = isatty(0) == 1 && isatty(1) == 1;
  if (!options_.wants_pipes && (options_.wants_terminal || (is_terminal && !options_.json && !reads_script_))) {
    exec_.terminal = GetWindowSize(is_terminal ? 1 : 0);
  }
  return {};
}

// Where this host can build no process wall: the virtual one, if nothing was asked for that it does not have.
Status Run::FallBack(const Error& error) {
  if (!options_.sandbox.document.empty() || !options_.sandbox.preset.empty()) {
    return Error(Code::kInvalid, "no process wall on this host: " + std::string(error.Text()) + "; the virtual sandbox does not show what --policy and --preset say");
  }
  WriteAll(2, "paddock: no process wall on this host: " + std::string(error.Text()) +
                  "\npaddock: using the virtual sandbox, which does not see the workspace; 'paddock doctor' tells the remedy\n");
  isolation_ = "virtual";
  spec_ = {};
  exec_.environment = {};
  exec_.terminal.reset();
  PADDOCK_ASSIGN(sandbox::Driver* const driver, drivers_.Find(isolation_));
  PADDOCK_TRY(Configure(*driver));
  PADDOCK_ASSIGN(sandbox_, driver->Create(spec_));
  return {};
}

std::optional<int> Run::Create() {
  const bool is_auto = options_.isolation == "auto";
  isolation_ = is_auto ? "process" : options_.isolation.empty() ? "virtual" : options_.isolation;
  const auto driver = drivers_.Find(isolation_);
  if (!driver) return Fail("run", std::string(driver.error().Text()) + ", auto");
  if (!has_wall()) TuneAllocatorForOneRun();
  (*driver)->GetReady();
  if (const Status configured = Configure(**driver); !configured) return Fail("run", configured.error().Text());
  auto sandbox = (*driver)->Create(spec_);
  if (sandbox) {
    sandbox_ = std::move(*sandbox);
  } else if (is_auto && sandbox.error().code == Code::kUnavailable) {
    if (const Status fallen = FallBack(sandbox.error()); !fallen) return Fail("run", fallen.error().Text()), 125;
  } else {
    Fail("run", sandbox.error().Text());
    return has_wall() ? 125 : 2;
  }
  return std::nullopt;
}

void Run::ShowPorts() const {
  const auto* const ports = dynamic_cast<const sandbox::PublishesPorts*>(sandbox_.get());
  if (ports == nullptr || options_.json) return;
  for (const policy::PublishedPort& port : ports->Published()) {
    WriteAll(2, "paddock: port " + std::to_string(port.guest) + " inside is 127.0.0.1:" + std::to_string(port.host) + "\n");
  }
}

int Run::Execute() {
  ShowPorts();
  auto result = RunForeground(*sandbox_, std::move(exec_), std::move(input_), options_.json ? sandbox::OutputHandler() : WriteOutput);
  if (!result) {
    Fail("run", result.error().Text());
    return has_wall() ? StartFailureStatus(result.error().code) : 2;
  }
  const std::vector<std::string> warnings = sandbox_->Warnings();
  boost::json::value posture = PostureOf(*sandbox_);
  for (std::string& line : sandbox_->Close()) result->denials.push_back(std::move(line));
  const bool has_lost_reader = result->termination.reason == sandbox::Termination::Reason::kCancelled && CancellingSignal() == SIGPIPE;
  if (options_.json) {
    PrintJson(*result, isolation_, std::move(posture), warnings);
  } else {
    for (const std::string& line : result->denials) WriteAll(2, "paddock: " + line + "\n");
    if (const std::string message = StopMessage(*result); !message.empty() && !has_lost_reader) WriteAll(2, message + "\n");
    if (const std::string remedy = Remedy(*result, isolation_); !remedy.empty()) WriteAll(2, "paddock: " + remedy + "\n");
  }
  if (has_lost_reader) return 128 + SIGPIPE;   // as a program that the signal ends
  return ProcessStatus(*result);
}

Result<int> Run::ExecuteInDaemon() {
  const ContainerOptions& sandbox = options_.sandbox;
  PolicyOptions rest = sandbox;
  rest.hosts.clear();
  if (!rest.is_empty() || sandbox.has_container() || !sandbox.mounts.empty() || options_.json || options_.wants_terminal) {
    return Error(Code::kInvalid, "in a daemon's sandbox there are --isolation, --env, --cwd, --limits and --allow-host; 'paddock create' and 'paddock exec' do more");
  }
  RemoteRun run{.link = {.server = options_.server, .key_file = options_.key_file, .ca_file = options_.ca_file}};
  run.isolation = options_.isolation;
  run.template_name = options_.template_name;
  run.command = std::move(exec_.command);
  if (exec_.script) {
    run.command = {"bash", "-c", std::move(*exec_.script), exec_.name0};
    run.command.insert(run.command.end(), exec_.arguments.begin(), exec_.arguments.end());
  }
  run.has_input = !reads_script_;
  run.cwd = sandbox.cwd;
  run.environment = sandbox.environment;
  run.limits = sandbox.limits;
  run.hosts = sandbox.hosts;
  return RunInDaemon(run);
}

}  // namespace

int RunRun(const sandbox::DriverSet& drivers, std::span<const std::string> args) {
  // Everything after "--" is a command line; its own dashes are not ours.
  std::vector<std::string> own = {"run"};
  std::vector<std::string> command;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--") {
      command.assign(args.begin() + static_cast<std::ptrdiff_t>(i) + 1, args.end());
      break;
    }
    own.push_back(args[i]);
  }
  RunOptions options;
  auto parsed = ParseOptions(own, kOptions, &options, OptionRules{.stop_at_operand = true});
  if (!parsed) return Fail("run", std::string(parsed.error().Text()) + "; 'paddock run --help' lists the options");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions) + kHelpEnd).c_str(), stdout);
    return 0;
  }
  Run run(drivers, options);
  if (const Status taken = run.TakeScript(std::move(parsed->operands), std::move(command)); !taken) return Fail("run", taken.error().Text());
  if (!options.server.empty() || !options.template_name.empty()) {
    const Result<int> status = run.ExecuteInDaemon();
    if (status) return *status;
    Fail("run", status.error().Text());
    return status.error().code == Code::kInvalid ? 2 : 125;
  }
  if (!options.key_file.empty() || !options.ca_file.empty()) return Fail("run", "--key-file and --ca-file need --server or --template");
  if (const std::optional<int> status = run.Create()) return *status;
  return run.Execute();
}

}  // namespace paddock::cli
