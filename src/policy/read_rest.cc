// The sections [secrets.NAME], [limits], [environment] and [kernel] of a document.

#include <algorithm>
#include <cmath>

#include "policy/amount.h"
#include "policy/draft.h"
#include "policy/host_pattern.h"

namespace paddock::policy {
namespace {

// ---- secrets

struct SecretDraft {
  SecretBinding binding;
  const Draft& draft;
  std::vector<std::string> headers;   // for destinations without their own
  std::vector<std::string> methods;
};

struct DestinationDraft {
  SecretBinding::Destination destination;
  std::vector<std::string> headers;
};

bool IsHeaderName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '-' || c == '_';
  });
}

// A header or a list of them, in lower case.
Result<std::vector<std::string>> HeadersOf(const Field& field) {
  std::vector<std::string> headers;
  if (field.value->kind == Value::Kind::kList) {
    PADDOCK_ASSIGN(headers, field.Texts());
  } else {
    PADDOCK_ASSIGN(std::string header, field.Text());
    headers.push_back(std::move(header));
  }
  if (headers.empty()) return field.Fail("is empty; leave it out for any header");
  for (std::string& header : headers) {
    if (!IsHeaderName(header)) return field.Fail("'" + header + "' is not the name of a header");
    for (char& c : header) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    }
  }
  return headers;
}

Status ReadDestinationHost(const Field& field, DestinationDraft& draft) {
  PADDOCK_ASSIGN(const std::string text, field.Text());
  auto parsed = ParseHostAndPorts(text);
  if (!parsed) return field.FailAs(parsed.error());
  const std::string& host = parsed->host;
  const bool is_too_wide = host == "*" || (host.starts_with("*.") && std::count(host.begin(), host.end(), '.') < 2) ||
                           host.find('/') != std::string::npos;
  if (is_too_wide) return field.Fail("'" + host + "' is too wide for a secret; name the hosts that may get it");
  draft.destination.host = host;
  draft.destination.ports = std::move(parsed->ports);
  return {};
}
Status ReadDestinationPorts(const Field& field, DestinationDraft& draft) {
  if (!draft.destination.ports.empty()) return field.Fail("the host has ports of its own; write them in one place");
  PADDOCK_ASSIGN(draft.destination.ports, PortsOf(field));
  return {};
}
Status ReadDestinationHeader(const Field& field, DestinationDraft& draft) {
  PADDOCK_ASSIGN(draft.headers, HeadersOf(field));
  return {};
}
Status ReadDestinationMethods(const Field& field, DestinationDraft& draft) {
  PADDOCK_ASSIGN(draft.destination.methods, MethodsOf(field));
  return {};
}
Status ReadDestinationWebSocket(const Field& field, DestinationDraft& draft) {
  PADDOCK_ASSIGN(draft.destination.allow_messages, field.Flag());
  return {};
}
constexpr Key<DestinationDraft> kDestinationKeys[] = {
    {"host", ReadDestinationHost},
    {"ports", ReadDestinationPorts},
    {"header", ReadDestinationHeader},
    {"methods", ReadDestinationMethods},
    {"websocket", ReadDestinationWebSocket},
};

Status ReadFrom(const Field& field, SecretDraft& secret) {
  PADDOCK_TRY(field.Text());
  const std::string_view from = field.value->text;
  if (from.starts_with("env:")) {
    secret.binding.source = SecretBinding::Source::kEnvironment;
    PADDOCK_ASSIGN(secret.binding.from, VariableNameOf(field, from.substr(4), false));
  } else if (from.starts_with("file:")) {
    secret.binding.source = SecretBinding::Source::kFile;
    auto path = ExpandPath(from.substr(5), secret.draft.context, secret.draft.directory);
    if (!path) return field.FailAs(path.error());
    secret.binding.from = std::move(*path);
  } else {
    return field.Fail("must be \"env:VARIABLE\" or \"file:PATH\"; a document never holds the value itself");
  }
  return {};
}
Status ReadHeader(const Field& field, SecretDraft& secret) {
  PADDOCK_ASSIGN(secret.headers, HeadersOf(field));
  return {};
}
Status ReadMethods(const Field& field, SecretDraft& secret) {
  PADDOCK_ASSIGN(secret.methods, MethodsOf(field));
  return {};
}
Status ReadPlaintext(const Field& field, SecretDraft& secret) {
  PADDOCK_ASSIGN(secret.binding.allow_plaintext, field.Flag());
  return {};
}
Status ReadHosts(const Field& field, SecretDraft& secret) {
  PADDOCK_ASSIGN(const std::vector<Field> items, field.Items());
  for (const Field& item : items) {
    DestinationDraft draft;
    if (item.value->kind == Value::Kind::kTable) {
      PADDOCK_TRY(ReadTable(item, kDestinationKeys, draft));
      if (draft.destination.host.empty()) return item.Fail("has no host");
    } else {
      PADDOCK_TRY(ReadDestinationHost(item, draft));
    }
    if (draft.headers.empty()) draft.headers = secret.headers;
    if (draft.headers.empty()) draft.headers.emplace_back();
    if (draft.destination.methods.empty()) draft.destination.methods = secret.methods;
    for (std::string& header : draft.headers) {
      SecretBinding::Destination destination = draft.destination;
      destination.header = std::move(header);
      secret.binding.destinations.push_back(std::move(destination));
    }
  }
  return {};
}

// In this order: what holds for all hosts is known before them.
constexpr Key<SecretDraft> kSecretKeys[] = {
    {"from", ReadFrom}, {"header", ReadHeader}, {"methods", ReadMethods}, {"plaintext", ReadPlaintext}, {"hosts", ReadHosts},
};

// ---- limits

template <auto kMember>
Status ReadSizeLimit(const Field& field, ResourceLimits& limits) {
  if (field.value->kind == Value::Kind::kInteger) {
    if (field.value->integer <= 0) return field.Fail("must be more than zero; write \"none\" for no limit");
    limits.*kMember = static_cast<uint64_t>(field.value->integer);
    return {};
  }
  PADDOCK_ASSIGN(const std::string text, field.Text());
  if (text == "none") {
    limits.*kMember = std::nullopt;
    return {};
  }
  const auto size = ParseSize(text);
  if (!size) return field.FailAs(size.error());
  if (*size == 0) return field.Fail("must be more than zero; write \"none\" for no limit");
  limits.*kMember = *size;
  return {};
}

template <auto kMember>
Status ReadCountLimit(const Field& field, ResourceLimits& limits) {
  if (field.value->kind == Value::Kind::kString && field.value->text == "none") {
    limits.*kMember = std::nullopt;
    return {};
  }
  PADDOCK_TRY(field.CheckKind(Value::Kind::kInteger));
  if (field.value->integer <= 0) return field.Fail("must be more than zero; write \"none\" for no limit");
  limits.*kMember = static_cast<uint64_t>(field.value->integer);
  return {};
}

template <auto kMember>
Status ReadTimeLimit(const Field& field, ResourceLimits& limits) {
  if (field.value->kind == Value::Kind::kInteger || field.value->kind == Value::Kind::kNumber) {
    return field.Fail("needs a unit; write \"30s\" or \"5m\"");
  }
  PADDOCK_ASSIGN(const std::string text, field.Text());
  if (text == "none") {
    limits.*kMember = std::nullopt;
    return {};
  }
  const auto time = ParseTimeSpan(text);
  if (!time) return field.FailAs(time.error());
  limits.*kMember = *time;
  return {};
}

Status ReadCpus(const Field& field, ResourceLimits& limits) {
  if (field.value->kind == Value::Kind::kString && field.value->text == "none") {
    limits.cpus = std::nullopt;
    return {};
  }
  double cpus = field.value->number;
  if (field.value->kind == Value::Kind::kInteger) cpus = static_cast<double>(field.value->integer);
  else PADDOCK_TRY(field.CheckKind(Value::Kind::kNumber));
  if (!(cpus >= 0.01 && cpus <= 4096)) return field.Fail("must be from 0.01 to 4096 cores; write \"none\" for no limit");
  limits.cpus = cpus;
  return {};
}

constexpr Key<ResourceLimits> kLimitKeys[] = {
    {"memory", ReadSizeLimit<&ResourceLimits::memory_bytes>},
    {"processes", ReadCountLimit<&ResourceLimits::processes>},
    {"cpus", ReadCpus},
    {"cpu_time", ReadTimeLimit<&ResourceLimits::cpu_time>},
    {"time", ReadTimeLimit<&ResourceLimits::time>},
    {"output", ReadSizeLimit<&ResourceLimits::output_bytes>},
    {"disk", ReadSizeLimit<&ResourceLimits::disk_bytes>},
    {"files", ReadCountLimit<&ResourceLimits::files>},
    {"file_size", ReadSizeLimit<&ResourceLimits::file_bytes>},
    {"open_files", ReadCountLimit<&ResourceLimits::open_files>},
};

// ---- environment and kernel

Status ReadInherit(const Field& field, EnvironmentRules& rules) {
  PADDOCK_ASSIGN(rules.inherit, field.Flag());
  return {};
}
template <auto kMember>
Status ReadNames(const Field& field, EnvironmentRules& rules) {
  PADDOCK_ASSIGN(const std::vector<Field> items, field.Items());
  for (const Field& item : items) {
    PADDOCK_ASSIGN(const std::string text, item.Text());
    PADDOCK_ASSIGN(std::string name, VariableNameOf(item, text, true));
    (rules.*kMember).push_back(std::move(name));
  }
  return {};
}
Status ReadSet(const Field& field, EnvironmentRules& rules) {
  PADDOCK_TRY(field.CheckKind(Value::Kind::kTable));
  for (const auto& [key, child] : field.value->members) {
    const Field member = field.Member(key, child);
    PADDOCK_ASSIGN(std::string name, VariableNameOf(member, key, false));
    PADDOCK_TRY(member.CheckKind(Value::Kind::kString));
    std::erase_if(rules.set, [&](const auto& old) { return old.first == name; });
    rules.set.emplace_back(std::move(name), child.text);
  }
  return {};
}
constexpr Key<EnvironmentRules> kEnvironmentKeys[] = {
    {"inherit", ReadInherit},
    {"pass", ReadNames<&EnvironmentRules::pass>},
    {"deny", ReadNames<&EnvironmentRules::deny>},
    {"set", ReadSet},
};

Status ReadPtrace(const Field& field, KernelRules& rules) {
  PADDOCK_ASSIGN(rules.ptrace, field.Flag());
  return {};
}
Status ReadNested(const Field& field, KernelRules& rules) {
  PADDOCK_ASSIGN(rules.nested, field.Flag());
  return {};
}
constexpr Key<KernelRules> kKernelKeys[] = {{"ptrace", ReadPtrace}, {"nested", ReadNested}};

}  // namespace

Result<std::string> VariableNameOf(const Field& field, std::string_view text, bool allows_star) {
  std::string_view name = text;
  if (allows_star && name.size() > 1 && name.ends_with('*')) name.remove_suffix(1);
  const bool is_good = !name.empty() && name.size() <= 255 && !(name[0] >= '0' && name[0] <= '9') &&
                       std::all_of(name.begin(), name.end(), [](char c) {
                         return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
                       });
  if (!is_good) {
    return field.Fail("'" + std::string(text.substr(0, 100)) + "' is not the name of a variable" +
                      (allows_star ? "; a star may stand at its end" : ""));
  }
  return std::string(text);
}

Status ReadSecrets(const Field& field, Draft& draft) {
  PADDOCK_TRY(field.CheckKind(Value::Kind::kTable));
  for (const auto& [key, child] : field.value->members) {
    const Field member = field.Member(key, child);
    SecretDraft secret{.binding = {.origin = member.Origin()}, .draft = draft, .headers = {}, .methods = {}};
    PADDOCK_ASSIGN(secret.binding.name, VariableNameOf(member, key, false));
    PADDOCK_TRY(ReadTable(member, kSecretKeys, secret));
    if (secret.binding.from.empty()) return member.Fail("has no 'from'; write from = \"env:" + key + "\"");
    if (secret.binding.destinations.empty()) return member.Fail("has no 'hosts'; a secret goes to named hosts only");
    std::erase_if(draft.policy.secrets, [&](const SecretBinding& old) { return old.name == key; });
    draft.policy.secrets.push_back(std::move(secret.binding));
  }
  return {};
}

Status ReadLimits(const Field& field, Draft& draft) { return ReadTable(field, kLimitKeys, draft.policy.limits); }
Status ReadEnvironment(const Field& field, Draft& draft) { return ReadTable(field, kEnvironmentKeys, draft.policy.environment); }
Status ReadKernel(const Field& field, Draft& draft) { return ReadTable(field, kKernelKeys, draft.policy.kernel); }

}  // namespace paddock::policy
