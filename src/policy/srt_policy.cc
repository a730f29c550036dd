#include "policy/srt_policy.h"

#include <algorithm>

#include "policy/host_pattern.h"
#include "policy/parse.h"
#include "policy/srt_paths.h"

namespace paddock::policy {
namespace {

// A masked variable: its value goes only where the settings say, every allowed domain if they say nothing.
Status AddSecret(const SrtCredential& credential, const SrtSettings& settings, Policy& policy) {
  SecretBinding binding;
  binding.name = credential.subject;
  binding.source = SecretBinding::Source::kEnvironment;
  binding.from = credential.subject;
  binding.allow_plaintext = settings.allow_plaintext;
  binding.origin = credential.field;
  for (const std::string& entry : credential.inject_hosts.value_or(settings.allowed_domains)) {
    PADDOCK_ASSIGN(HostAndPorts read, ParseHostAndPorts(entry));
    binding.destinations.push_back({.host = std::move(read.host), .ports = std::move(read.ports), .header = {}, .methods = {}});
  }
  // Without a destination the value goes nowhere, and without a value nothing has to be hidden.
  if (!binding.destinations.empty()) policy.secrets.push_back(std::move(binding));
  return {};
}

Status AddCredentials(const SrtSettings& settings, const SrtHost& host, SrtPolicy& made) {
  for (const SrtCredential& credential : settings.credential_variables) {
    made.policy.environment.deny.push_back(credential.subject);
    if (credential.mode == SrtCredential::Mode::kDeny) continue;
    if (!host.context.HasVariable(credential.subject)) {
      made.notes.push_back(credential.field + ": " + credential.subject + " is not set, so there is nothing to mask");
      continue;
    }
    PADDOCK_TRY(AddSecret(credential, settings, made.policy));
  }
  return {};
}

void AddEnvironment(const SrtSettings& settings, EnvironmentRules& environment) {
  environment.pass = {"*"};   // srt passes all but what credentials.envVars names
  environment.set = {{"SANDBOX_RUNTIME", "1"}};
  std::vector<std::string> directories;
  for (const std::string& directory : settings.safe_directories) {
    directories.push_back(directory);
    if (!directory.ends_with("/*")) directories.push_back(directory + "/*");
  }
  if (directories.empty()) return;
  environment.set.emplace_back("GIT_CONFIG_COUNT", std::to_string(directories.size()));
  for (size_t i = 0; i < directories.size(); ++i) {
    environment.set.emplace_back("GIT_CONFIG_KEY_" + std::to_string(i), "safe.directory");
    environment.set.emplace_back("GIT_CONFIG_VALUE_" + std::to_string(i), directories[i]);
  }
}

}  // namespace

Result<SrtPolicy> MakeSrtPolicy(const SrtSettings& settings, const SrtHost& host) {
  SrtPolicy made;
  made.policy.name = host.settings_path.empty() ? "srt defaults" : host.settings_path;
  for (const SrtNote& note : settings.without_effect) made.notes.push_back(note.field + ": no effect: " + note.reason);
  PADDOCK_TRY(AddSrtFiles(settings, host, made));
  PADDOCK_ASSIGN(made.policy.network, MakeSrtNetwork(settings, host));
  PADDOCK_TRY(AddCredentials(settings, host, made));
  AddEnvironment(settings, made.policy.environment);
  PADDOCK_TRY(CheckPolicy(made.policy, made.policy.name));
  return made;
}

bool IsIgnoredViolation(const SrtSettings& settings, std::string_view command, std::string_view line) {
  for (const auto& [pattern, paths] : settings.ignored) {
    if (pattern != "*" && command.find(pattern) == std::string_view::npos) continue;
    const bool names_path = std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
      return !path.empty() && line.find(path) != std::string_view::npos;
    });
    if (names_path) return true;
  }
  return false;
}

}  // namespace paddock::policy
