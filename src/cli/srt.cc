// paddock srt: the command line of Anthropic's sandbox-runtime on Paddock's process wall. docs/srt.md tells what is the same.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "cli/cli.h"
#include "cli/foreground.h"
#include "cli/host_context.h"
#include "cli/line_editor.h"
#include "cli/policy_options.h"
#include "cli/srt_command.h"
#include "cli/srt_control.h"
#include "policy/document.h"
#include "policy/srt_policy.h"
#include "policy/srt_settings.h"

namespace paddock::cli {
namespace {

constexpr const char* kHelp =
    "Usage: paddock srt [OPTION]... [--] COMMAND [ARG]...\n"
    "  or:  paddock srt [OPTION]... -c STRING\n"
    "Runs a command as Anthropic's sandbox-runtime (srt) does, behind Paddock's process wall.\n\n"
    "  -d, --debug            tell what the settings amount to, and what was denied\n"
    "  -s, --settings FILE    settings instead of ~/.srt-settings.json\n"
    "  -c STRING              run STRING as a shell does; COMMAND's words are each taken as they are\n"
    "      --control-fd N     read new settings while the command runs, one JSON object a line;\n"
    "                         network lists take effect at once\n"
    "  -V, --version          print the version of srt whose settings are understood\n"
    "  -h, --help             print this\n\n"
    "Options are also found behind COMMAND; '--' ends them. Every field of the settings is honoured or\n"
    "refused by name: docs/srt.md.\n\n"
    "Exit status: the command's own, 128+N when signal N ended it, 1 for an error of settings or sandbox.\n";

constexpr const char* kRefusal = "Refusing to run with the built-in defaults: they would drop the rules that it is there for.\n";

std::string Variable(const char* name) {
  const char* value = std::getenv(name);   // allow(getenv): the caller's own settings of its proxies and of debugging
  return value == nullptr ? "" : value;
}

int FailWith(const std::string& text) {
  std::fprintf(stderr, "Error: %s\n", text.c_str());
  return 1;
}

// The settings, their text as a sentence that follows the file's name when they cannot be had. An absent default file means the defaults.
Result<policy::SrtSettings> LoadSettings(const std::string& path, bool is_named, bool* is_absent) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (file < 0) {
    *is_absent = errno == ENOENT && !is_named;
    if (*is_absent) return policy::SrtSettings{};
    if (errno == ENOENT) return Error(Code::kNoEntry, "does not exist");
    return Error(static_cast<Code>(errno), "could not be read: " + std::string(CodeText(static_cast<Code>(errno))));
  }
  std::string text(policy::kMaxDocumentBytes + 1, '\0');
  size_t size = 0;
  ssize_t got = 1;
  while (size < text.size() && got != 0) {
    got = read(file, text.data() + size, text.size() - size);
    if (got < 0 && errno != EINTR) break;
    size += static_cast<size_t>(std::max<ssize_t>(got, 0));
  }
  const int problem = got < 0 ? errno : 0;
  close(file);
  if (problem != 0) return Error(static_cast<Code>(problem), "could not be read: " + std::string(CodeText(static_cast<Code>(problem))));
  text.resize(size);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return Error(Code::kSyntax, "is empty; delete it, or put settings in it");
  return policy::ParseSrtSettings(text);
}

Result<policy::SrtHost> MakeHost(const std::string& settings_path) {
  policy::SrtHost host;
  PADDOCK_ASSIGN(host.context, MakeHostContext(""));
  host.settings_path = settings_path.empty() || settings_path[0] == '/' ? settings_path : host.context.workspace + "/" + settings_path;
  const auto either = [](const char* name, const char* other) {
    std::string value = Variable(name);
    return value.empty() ? Variable(other) : value;
  };
  host.http_proxy = either("http_proxy", "HTTP_PROXY");
  host.https_proxy = either("https_proxy", "HTTPS_PROXY");
  host.no_proxy = either("no_proxy", "NO_PROXY");
  return host;
}

const char* AccessName(policy::Access access) {
  return access == policy::Access::kDeny ? "hidden" : access == policy::Access::kRead ? "read" : "write";
}

void TellRules(const policy::SrtPolicy& made, const std::string& command) {
  const auto tell = [](const std::string& line) { std::fprintf(stderr, "[paddock srt] %s\n", line.c_str()); };
  tell("command: " + command);
  tell("settings: " + made.policy.name);
  for (const std::string& note : made.notes) tell(note);
  for (const policy::PathRule& rule : made.policy.files.paths) tell(std::string(AccessName(rule.access)) + " " + rule.path + ": " + rule.origin);
  for (const policy::NetworkRule& rule : made.policy.network.rules) {
    tell((rule.verdict == policy::NetworkRule::Verdict::kAllow ? "allow " : "deny ") + rule.host + ": " + rule.origin);
  }
  if (!made.policy.network.upstream_proxy.empty()) tell("connections go through the parent proxy");
  for (const policy::SecretBinding& secret : made.policy.secrets) tell("masked: " + secret.name);
}

Status UpdateNetwork(sandbox::Sandbox& sandbox, std::string_view line, const policy::SrtHost& host) {
  PADDOCK_ASSIGN(const policy::SrtSettings settings, policy::ParseSrtSettings(line));
  auto network = policy::MakeSrtNetwork(settings, host);
  if (!network) return Error(network.error().code, "cannot be applied: " + std::string(network.error().Text()));
  auto* const live = dynamic_cast<sandbox::LivePolicy*>(&sandbox);
  if (live == nullptr) return Error(Code::kNotSupported, "cannot be applied: this wall's network rules are fixed");
  if (const Status updated = live->UpdateNetwork(std::move(*network)); !updated) {
    return Error(updated.error().code, "cannot be applied: " + std::string(updated.error().Text()));
  }
  return {};
}

int ExitStatus(const sandbox::ExecResult& result, int cancelled_by) {
  using Reason = sandbox::Termination::Reason;
  if (result.termination.reason == Reason::kSignal && result.termination.signal != 0) return 128 + result.termination.signal;
  if (result.exit_code) return *result.exit_code;
  if (result.termination.reason == Reason::kCancelled && cancelled_by != 0) return 128 + cancelled_by;
  const std::string message = StopMessage(result);
  return FailWith(message.empty() ? "the command's end is not known" : message);
}

int RunCommand(const sandbox::DriverSet& drivers, const SrtCommand& command, const policy::SrtSettings& settings, const policy::SrtHost& host,
               bool tells) {
  auto made = policy::MakeSrtPolicy(settings, host);
  if (!made) return FailWith((host.settings_path.empty() ? "the defaults" : host.settings_path) + ": " + std::string(made.error().Text()));
  if (tells) TellRules(*made, command.script);
  const auto driver = drivers.Find("process");
  if (!driver) return FailWith(std::string(driver.error().Text()));
  sandbox::ExecSpec exec;
  exec.script = command.script;
  exec.name0 = "/usr/bin/bash";   // srt's $0
  exec.cwd = made->directory;
  exec.environment = MakeEnvironment(made->policy.environment, environ);
  exec.limits = {.memory_bytes = kUnlimited, .output_bytes = kUnlimited, .processes = kUnlimited};
  sandbox::SandboxSpec spec;
  spec.policy = std::move(made->policy);
  spec.state_directory = StateDirectory();
  if (isatty(0) == 1 && isatty(1) == 1) exec.terminal = GetWindowSize(1);
  auto sandbox = (*driver)->Create(spec);
  if (!sandbox) return FailWith(std::string(sandbox.error().Text()));
  if (tells) {
    for (const std::string& warning : (*sandbox)->Warnings()) std::fprintf(stderr, "[paddock srt] %s\n", warning.c_str());
  }
  std::optional<SrtControl> control;
  if (command.control) {
    control.emplace(
        *command.control, [&](std::string_view line) { return UpdateNetwork(**sandbox, line, host); }, [] { kill(getpid(), SIGTERM); });
  }
  sandbox::StdinSource input{.kind = sandbox::StdinSource::Kind::kHostDescriptor, .text = {}, .descriptor = 0};
  const auto result = RunForeground(**sandbox, std::move(exec), std::move(input), WriteOutput);
  control.reset();
  // What was taken away after the run, because it should not have been made: never left unsaid.
  for (const std::string& line : (*sandbox)->Close()) std::fprintf(stderr, "paddock srt: %s\n", line.c_str());
  if (!result) {
    FailWith(std::string(result.error().Text()));
    return 1;
  }
  if (tells) {
    for (const std::string& line : result->denials) {
      if (!policy::IsIgnoredViolation(settings, command.script, line)) std::fprintf(stderr, "[paddock srt] %s\n", line.c_str());
    }
  }
  return ExitStatus(*result, CancellingSignal());
}

}  // namespace

int RunSrt(const sandbox::DriverSet& drivers, std::span<const std::string> args) {
  const auto command = ParseSrtCommand(args);
  if (!command) {
    std::fprintf(stderr, "error: %s\n", std::string(command.error().Text()).c_str());
    return command.error().code == Code::kSyntax ? 2 : 1;
  }
  if (command->wants_help || command->wants_version) {
    std::fputs(command->wants_help ? kHelp : "0.0.78 (paddock)\n", stdout);
    return 0;
  }
  const bool is_named = !command->settings.empty();
  std::string path = command->settings;
  if (!is_named) {
    auto host = MakeHostContext("");
    if (!host) return FailWith(std::string(host.error().Text()));
    path = host->home.empty() ? "" : host->home + "/.srt-settings.json";
  }
  bool is_absent = path.empty();
  Result<policy::SrtSettings> settings = policy::SrtSettings{};
  if (!is_absent) settings = LoadSettings(path, is_named, &is_absent);
  if (!settings) {
    FailWith(path + " " + std::string(settings.error().Text()));
    std::fputs(kRefusal, stderr);
    return 1;
  }
  if (command->script.empty()) return FailWith("No command specified. Use -c STRING or give a command and its arguments.");
  if (command->control) {
    if (const Status usable = SrtControl::Check(*command->control); !usable) {
      return FailWith("--control-fd " + std::to_string(*command->control) + " cannot be used: " + std::string(usable.error().Text()) +
                      ". Refusing to run the command without it.");
    }
  }
  const auto host = MakeHost(is_absent ? "" : path);
  if (!host) return FailWith(std::string(host.error().Text()));
  return RunCommand(drivers, *command, *settings, *host, command->tells || !Variable("SRT_DEBUG").empty());
}

}  // namespace paddock::cli
