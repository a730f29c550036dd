#include "cli/policy_options.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "cli/cli.h"
#include "policy/amount.h"
#include "policy/host_pattern.h"
#include "policy/load.h"
#include "policy/parse.h"
#include "policy/preset.h"
#include "policy/srt_paths.h"

namespace paddock::cli {
namespace {

Status AddPath(policy::Policy& result, const policy::HostContext& context, const std::string& text, policy::Access access,
               const char* option) {
  auto path = policy::ExpandPath(text, context, context.workspace);
  if (!path) return Error(Code::kInvalid, std::string(option) + " " + text + ": " + std::string(path.error().Text()));
  policy::SetPathRule(result.files, {.path = std::move(*path), .access = access, .optional = false, .origin = option});
  return {};
}

Status AddHost(policy::Policy& result, const std::string& text) {
  auto host = policy::ParseHostAndPorts(text);
  if (!host) return Error(Code::kInvalid, "--allow-host " + text + ": " + std::string(host.error().Text()));
  result.network.mode = policy::NetworkMode::kRules;
  policy::NetworkRule rule;
  rule.host = std::move(host->host);
  rule.ports = std::move(host->ports);
  // A literal address or localhost that somebody names is meant.
  const bool is_address = rule.host.find_first_not_of("0123456789./:abcdef") == std::string::npos &&
                          rule.host.find_first_of(".:") != std::string::npos;
  rule.allow_private = is_address || rule.host == "localhost";
  rule.origin = "--allow-host";
  result.network.rules.push_back(std::move(rule));
  return {};
}

// NAME=env:VAR@host[:ports] or NAME=file:PATH@host; several hosts joined by commas.
Status AddSecret(policy::Policy& result, const std::string& text) {
  const Error malformed(Code::kInvalid, "--secret " + text.substr(0, text.find('=')) +
                                            ": write NAME=env:VARIABLE@HOST or NAME=file:PATH@HOST (several hosts: @A,B)");
  const size_t equals = text.find('='), at = text.rfind('@');
  if (equals == 0 || equals == std::string::npos || at == std::string::npos || at < equals) return malformed;
  policy::SecretBinding binding;
  binding.name = text.substr(0, equals);
  binding.origin = "--secret";
  const std::string source = text.substr(equals + 1, at - equals - 1);
  if (source.starts_with("env:")) binding.source = policy::SecretBinding::Source::kEnvironment;
  else if (source.starts_with("file:")) binding.source = policy::SecretBinding::Source::kFile;
  else return malformed;
  binding.from = source.substr(source.find(':') + 1);
  if (binding.from.empty()) return malformed;
  std::string_view hosts = std::string_view(text).substr(at + 1);
  while (!hosts.empty()) {
    const size_t comma = hosts.find(',');
    auto host = policy::ParseHostAndPorts(hosts.substr(0, comma));
    if (!host || host->host == "*") return malformed;
    binding.destinations.push_back({.host = host->host, .ports = host->ports, .header = {}, .methods = {}});
    PADDOCK_TRY(AddHost(result, std::string(hosts.substr(0, comma))));
    hosts = comma == std::string_view::npos ? std::string_view() : hosts.substr(comma + 1);
  }
  if (binding.destinations.empty()) return malformed;
  result.secrets.push_back(std::move(binding));
  return {};
}

Status AddPublished(policy::Policy& result, const std::string& text) {
  const auto port = policy::ParsePublishedPort(text);
  if (!port) return Error(Code::kInvalid, "--publish " + text + ": write PORT, HOSTPORT:PORT or :PORT (any free one of the host's)");
  result.network.publish.push_back(*port);
  return {};
}

Status SetRoot(policy::Policy& result, const policy::HostContext& context, const std::string& text) {
  PADDOCK_ASSIGN(const std::string path, policy::ExpandPath(text, context, context.workspace));
  if (const std::string link = policy::LinkWithin(path, {context.workspace}); !link.empty()) {
    return Error(Code::kInvalid, "--root " + path + " leads through the link " + link + ", which code inside may have made; name what it leads to");
  }
  PADDOCK_ASSIGN(result.files.root, policy::ResolvePath(path));
  if (result.files.root == "/") return Error(Code::kInvalid, "--root /: the host's own root is what is shown without --root");
  result.files.host_view = false;
  return {};
}

bool MatchesName(const std::vector<std::string>& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view pattern) {
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
  });
}

// Names under which people keep credentials.
bool LooksSecret(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  constexpr std::array kMarks{"SECRET", "TOKEN", "PASSW", "PASSPHRASE", "CREDENTIAL", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY",
                              "AUTH", "COOKIE", "SESSION", "_KEY", "DSN", "DATABASE_URL", "CONNECTION_STRING", "_PAT"};
  return std::any_of(kMarks.begin(), kMarks.end(), [&](const char* mark) { return upper.find(mark) != std::string::npos; });
}

// Names that steer the loader or point at the host's own sockets: never passed by `inherit`.
bool PointsAtHost(std::string_view name) {
  return name.starts_with("LD_") || name.starts_with("DBUS_") || name.starts_with("XDG_RUNTIME") || name.starts_with("SSH_") ||
         name.starts_with("GPG_") || name.starts_with("DOCKER_") || name == "DISPLAY" || name == "WAYLAND_DISPLAY" || name == "XAUTHORITY" ||
         name == "BASH_ENV" || name == "ENV" || name == "TMPDIR" || name == "TMP" || name == "TEMP" || name == "PWD" || name == "OLDPWD";
}

}  // namespace

Result<policy::Policy> MakePolicy(const PolicyOptions& options, const policy::HostContext& context) {
  if (!options.document.empty() && !options.preset.empty()) {
    return Error(Code::kInvalid, "give --policy or --preset, not both; a document may say 'extends'");
  }
  const auto add = [&](policy::Policy& result) -> Status {
    if (!options.workspace.empty()) result.files.workspace = context.workspace;
    if (!options.root.empty()) PADDOCK_TRY(SetRoot(result, context, options.root));
    if (options.is_overlay || !options.overlay_name.empty()) result.files.workspace_mode = policy::WorkspaceMode::kOverlay;
    for (const std::string& path : options.reads) PADDOCK_TRY(AddPath(result, context, path, policy::Access::kRead, "--allow-read"));
    for (const std::string& path : options.writes) PADDOCK_TRY(AddPath(result, context, path, policy::Access::kWrite, "--allow-write"));
    for (const std::string& host : options.hosts) PADDOCK_TRY(AddHost(result, host));
    for (const std::string& secret : options.secrets) PADDOCK_TRY(AddSecret(result, secret));
    for (const std::string& port : options.publish) PADDOCK_TRY(AddPublished(result, port));
    if (!options.tls_trust.empty() && result.network.mode == policy::NetworkMode::kNone) {
      return Error(Code::kInvalid, "--tls-trust: the policy has no network; let a host through with --allow-host");
    }
    for (const std::string& file : options.tls_trust) {
      auto path = policy::ExpandPath(file, context, context.workspace);
      if (!path) return Error(Code::kInvalid, "--tls-trust " + file + ": " + std::string(path.error().Text()));
      result.network.tls_trust.push_back(std::move(*path));
    }
    return {};
  };
  if (!options.document.empty()) return policy::LoadPolicy(options.document, context, add);
  PADDOCK_ASSIGN(policy::Policy result, policy::MakePreset(options.preset.empty() ? "workspace" : options.preset, context));
  PADDOCK_TRY(add(result));
  if (result.files.workspace != "/") PADDOCK_TRY(policy::CheckPolicy(result, "policy"));
  return result;
}

Status AddLimits(const std::vector<std::string>& lists, policy::Policy& policy, Limits& exec) {
  if (policy.limits.time) exec.time = *policy.limits.time;
  if (policy.limits.output_bytes) exec.output_bytes = *policy.limits.output_bytes;
  for (std::string_view list : lists) {
    while (true) {
      const size_t comma = list.find(',');
      const std::string_view item = list.substr(0, comma);
      const std::string_view name = item.substr(0, item.find('='));
      Limits parsed;
      sandbox::SandboxSpec spec;
      if (name == "steps") return Error(Code::kInvalid, "limit 'steps' counts the virtual shell's work; real programs are bounded by time and cpus");
      if (name == "cpus") {
        double cores = 0;
        PADDOCK_TRY(ParseOptionValue(item.substr(std::min(item.size(), name.size() + 1)), cores));
        if (!(cores >= 0.01 && cores <= 4096)) return Error(Code::kInvalid, "bad value in limit '" + std::string(item) + "'; write cpus=1.5");
        policy.limits.cpus = cores;
      } else {
        PADDOCK_TRY(ParseLimit(item, parsed, spec));
        const auto amount = [](uint64_t value) { return value >= 1'000'000'000'000'000'000u ? std::optional<uint64_t>() : value; };
        if (name == "time") exec.time = parsed.time;
        else if (name == "output") exec.output_bytes = parsed.output_bytes;
        else if (name == "memory") policy.limits.memory_bytes = amount(parsed.memory_bytes);
        else if (name == "processes") policy.limits.processes = amount(parsed.processes);
        else if (name == "disk") policy.limits.disk_bytes = amount(spec.disk_bytes);
        else if (name == "files") policy.limits.files = amount(spec.disk_inodes);
        else return Error(Code::kInvalid, "limit '" + std::string(name) + "' is the virtual tier's; here are time, cpus, memory, output, processes, disk, files");
      }
      if (comma == std::string_view::npos) break;
      list.remove_prefix(comma + 1);
    }
  }
  return {};
}

Environment MakeEnvironment(const policy::EnvironmentRules& rules, char** host_environment) {
  Environment environment;
  for (char** entry = host_environment; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, equals);
    const bool passes = MatchesName(rules.pass, name) || (rules.inherit && !LooksSecret(name) && !PointsAtHost(name));
    if (passes && !MatchesName(rules.deny, name)) environment.Set(name, text.substr(equals + 1));
  }
  for (const auto& [name, value] : rules.set) environment.Set(name, value);
  return environment;
}

}  // namespace paddock::cli
