#include "egress/policy_options.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "policy/load.h"
#include "policy/verdict.h"

namespace paddock::egress {
namespace {

Result<std::string> ReadCertificates(const policy::FileRules& files, const std::string& named) {
  constexpr size_t kMostBytes = 4 << 20;
  PADDOCK_ASSIGN(const std::string path, policy::ResolvePath(named));
  const policy::FileVerdict inside = policy::AccessOf(files, path);
  if (inside.access == policy::Access::kWrite && !inside.is_private) {
    return Error(Code::kInvalid, "network.tls_trust: " + path + " lies where the code inside may write (" + inside.rule + "); keep it outside");
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  const std::string of = "network.tls_trust: " + path;
  if (text.empty()) return Error(Code::kNoEntry, of + " cannot be read, or is empty");
  if (text.size() > kMostBytes) return Error(Code::kFileTooBig, of + " has more than 4 MiB");
  if (text.find("-----BEGIN CERTIFICATE-----") == std::string::npos) return Error(Code::kInvalid, of + " holds no certificate in PEM form");
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

Result<std::string> ReadSecret(const policy::SecretBinding& binding) {
  using Source = policy::SecretBinding::Source;
  const std::string of = "secret " + binding.name + " (" + binding.origin + ")";
  if (binding.source == Source::kValue) return binding.from;
  if (binding.source == Source::kEnvironment) {
    const char* value = std::getenv(binding.from.c_str());   // allow(getenv): the policy names the variable as the source
    if (value == nullptr || *value == '\0') return Error(Code::kNoEntry, of + ": the variable " + binding.from + " is not set here");
    return std::string(value);
  }
  std::ifstream file(binding.from, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) return Error(Code::kNoEntry, of + ": cannot read " + binding.from);
  std::string value = std::move(text).str();
  while (!value.empty() && (value.back() == '\n' || value.back() == '\r')) value.pop_back();
  return value;
}

}  // namespace

Result<EgressOptions> OptionsOf(const policy::Policy& policy) {
  EgressOptions options;
  options.rules = policy.network;
  for (const policy::SecretBinding& binding : policy.secrets) {
    PADDOCK_ASSIGN(std::string value, ReadSecret(binding));
    options.secrets.push_back({binding, std::move(value)});
  }
  for (const std::string& file : policy.network.tls_trust) {
    PADDOCK_ASSIGN(const std::string pem, ReadCertificates(policy.files, file));
    options.extra_trust_pem += pem;
  }
  return options;
}

bool ShowsCertificates(const policy::Policy& policy) {
  const auto& rules = policy.network.rules;
  return !policy.secrets.empty() || !policy.network.tls_trust.empty() ||
         std::any_of(rules.begin(), rules.end(), [](const policy::NetworkRule& rule) { return rule.terminate_tls; });
}

std::vector<std::pair<std::string, std::string>> ProgramVariables(const Egress& engine, const Places& places) {
  std::vector<std::pair<std::string, std::string>> variables;
  const std::string at = "127.0.0.1:" + std::to_string(places.proxy_port);
  for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"}) variables.emplace_back(name, "http://" + at);
  for (const char* name : {"ALL_PROXY", "all_proxy"}) variables.emplace_back(name, "socks5h://" + at);
  for (const char* name : {"NO_PROXY", "no_proxy"}) variables.emplace_back(name, "localhost,127.0.0.1,::1");
  if (!places.ca_bundle_path.empty()) {
    for (const char* name : {"SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT",
                             "npm_config_cafile", "CARGO_HTTP_CAINFO", "AWS_CA_BUNDLE"}) {
      variables.emplace_back(name, places.ca_bundle_path);
    }
    for (const char* name : {"NODE_EXTRA_CA_CERTS", "DENO_CERT"}) variables.emplace_back(name, places.ca_path);
  }
  for (auto& [name, placeholder] : engine.Placeholders()) variables.emplace_back(name, placeholder);
  return variables;
}

}  // namespace paddock::egress
