#include "policy/write.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include "policy/amount.h"
#include "policy/host_pattern.h"
#include "policy/preset.h"

namespace paddock::policy {
namespace {

Value Text(std::string text) {
  Value value;
  value.kind = Value::Kind::kString;
  value.text = std::move(text);
  return value;
}
Value Flag(bool flag) {
  Value value;
  value.kind = Value::Kind::kBool;
  value.boolean = flag;
  return value;
}
Value Number(uint64_t number) {
  Value value;
  value.kind = Value::Kind::kInteger;
  value.integer = static_cast<int64_t>(std::min<uint64_t>(number, INT64_MAX));
  return value;
}
Value List() {
  Value value;
  value.kind = Value::Kind::kList;
  return value;
}
Value Table() {
  Value value;
  value.kind = Value::Kind::kTable;
  return value;
}
Value Texts(const std::vector<std::string>& texts) {
  Value list = List();
  for (const std::string& text : texts) list.items.push_back(Text(text));
  return list;
}
void Put(Value& table, std::string key, Value value) { table.members.emplace_back(std::move(key), std::move(value)); }
void PutUnlessEmpty(Value& table, std::string key, Value value) {
  if (!value.items.empty() || !value.members.empty()) Put(table, std::move(key), std::move(value));
}

Value Paths(const std::vector<PathRule>& rules, Access access) {
  std::vector<const PathRule*> sorted;
  for (const PathRule& rule : rules) {
    if (rule.access == access) sorted.push_back(&rule);
  }
  std::sort(sorted.begin(), sorted.end(), [](const PathRule* a, const PathRule* b) { return a->path < b->path; });
  Value list = List();
  for (const PathRule* rule : sorted) {
    if (rule->optional) {
      list.items.push_back(Text(rule->path));
    } else {
      Value entry = Table();
      Put(entry, "path", Text(rule->path));
      Put(entry, "required", Flag(true));
      list.items.push_back(std::move(entry));
    }
  }
  return list;
}

Value Files(const FileRules& files) {
  Value table = Table();
  Put(table, "workspace", files.workspace.empty() ? Flag(false) : Text(files.workspace));
  Put(table, "mode", Text(files.workspace_mode == WorkspaceMode::kReadOnly ? "read-only"
                          : files.workspace_mode == WorkspaceMode::kDirect ? "direct"
                                                                           : "overlay"));
  Put(table, "host_view", Flag(files.host_view));
  if (!files.root.empty()) Put(table, "root", Text(files.root));
  Put(table, "home", Text(files.home.empty() ? "none" : "private"));
  if (!files.home_store.empty()) Put(table, "home_store", Text(files.home_store));
  Put(table, "tmp", Text(SizeText(files.tmp_bytes)));
  PutUnlessEmpty(table, "read", Paths(files.paths, Access::kRead));
  PutUnlessEmpty(table, "write", Paths(files.paths, Access::kWrite));
  PutUnlessEmpty(table, "deny", Paths(files.paths, Access::kDeny));
  const std::vector<std::string>& defaults = DefaultProtectedNames();
  const auto lacks = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) == names.end();
  };
  Value protect = List();
  Value unprotect = List();
  for (const std::string& name : files.protected_names) {
    if (lacks(defaults, name)) protect.items.push_back(Text(name));
  }
  for (const std::string& name : defaults) {
    if (lacks(files.protected_names, name)) unprotect.items.push_back(Text(name));
  }
  PutUnlessEmpty(table, "protect", std::move(protect));
  PutUnlessEmpty(table, "unprotect", std::move(unprotect));
  return table;
}

Value Rules(const std::vector<NetworkRule>& rules, NetworkRule::Verdict verdict) {
  Value list = List();
  for (const NetworkRule& rule : rules) {
    if (rule.verdict != verdict) continue;
    Value host = Text(HostAndPortsText(rule.host, rule.ports));
    Value entry = Table();
    PutUnlessEmpty(entry, "methods", Texts(rule.methods));
    PutUnlessEmpty(entry, "paths", Texts(rule.paths));
    if (rule.terminate_tls) Put(entry, "terminate_tls", Flag(true));
    if (rule.allow_private) Put(entry, "allow_private", Flag(true));
    if (!rule.reason.empty()) Put(entry, "reason", Text(rule.reason));
    if (!entry.members.empty()) {
      entry.members.emplace(entry.members.begin(), "host", std::move(host));
      list.items.push_back(std::move(entry));
    } else {
      list.items.push_back(std::move(host));
    }
  }
  return list;
}

Value Network(const NetworkRules& network) {
  Value table = Table();
  const bool has_rules = network.mode == NetworkMode::kRules;
  Put(table, "mode", Text(has_rules ? "rules" : "none"));
  if (has_rules) {
    PutUnlessEmpty(table, "allow", Rules(network.rules, NetworkRule::Verdict::kAllow));
    PutUnlessEmpty(table, "deny", Rules(network.rules, NetworkRule::Verdict::kDeny));
  }
  PutUnlessEmpty(table, "deny_addresses", Texts(network.denied_addresses));
  Value publish = List();
  for (const PublishedPort& port : network.publish) {
    publish.items.push_back(Text(PublishedPortText(port)));
  }
  PutUnlessEmpty(table, "publish", std::move(publish));
  Value host_ports = List();
  for (const uint16_t port : network.host_ports) host_ports.items.push_back(Number(port));
  PutUnlessEmpty(table, "host_ports", std::move(host_ports));
  Value sockets = List();
  for (const UnixSocketRule& socket : network.unix_sockets) sockets.items.push_back(Text(socket.path));
  PutUnlessEmpty(table, "unix_sockets", std::move(sockets));
  if (!network.upstream_proxy.empty()) Put(table, "upstream", Text(UpstreamText(network.upstream_proxy)));
  PutUnlessEmpty(table, "no_upstream", Texts(network.no_upstream));
  PutUnlessEmpty(table, "tls_exclude", Texts(network.mitm_hosts_excluded));
  PutUnlessEmpty(table, "tls_trust", Texts(network.tls_trust));
  return table;
}

// Tables that have no order are written in the order of their names.
void Sort(Value& table) {
  std::sort(table.members.begin(), table.members.end(), [](const Member& a, const Member& b) { return a.name < b.name; });
}

Value Secrets(const std::vector<SecretBinding>& secrets) {
  Value table = Table();
  for (const SecretBinding& secret : secrets) {
    if (secret.source == SecretBinding::Source::kValue) continue;
    Value entry = Table();
    Put(entry, "from", Text((secret.source == SecretBinding::Source::kFile ? "file:" : "env:") + secret.from));
    if (secret.allow_plaintext) Put(entry, "plaintext", Flag(true));
    Value hosts = List();
    for (const SecretBinding::Destination& destination : secret.destinations) {
      Value host = Table();
      Put(host, "host", Text(HostAndPortsText(destination.host, destination.ports)));
      if (!destination.header.empty()) Put(host, "header", Text(destination.header));
      PutUnlessEmpty(host, "methods", Texts(destination.methods));
      if (destination.allow_messages) Put(host, "websocket", Flag(true));
      hosts.items.push_back(std::move(host));
    }
    Put(entry, "hosts", std::move(hosts));
    Put(table, secret.name, std::move(entry));
  }
  Sort(table);
  return table;
}

Value Limits(const ResourceLimits& limits) {
  Value table = Table();
  const auto size = [&](const char* key, const std::optional<uint64_t>& bytes) {
    if (bytes) Put(table, key, Text(SizeText(*bytes)));
  };
  const auto count = [&](const char* key, const std::optional<uint64_t>& number) {
    if (number) Put(table, key, Number(*number));
  };
  size("memory", limits.memory_bytes);
  count("processes", limits.processes);
  if (limits.cpus) {
    Value cpus;
    cpus.kind = Value::Kind::kNumber;
    cpus.number = *limits.cpus;
    Put(table, "cpus", std::move(cpus));
  }
  if (limits.cpu_time) Put(table, "cpu_time", Text(TimeSpanText(*limits.cpu_time)));
  if (limits.time) Put(table, "time", Text(TimeSpanText(*limits.time)));
  size("output", limits.output_bytes);
  size("disk", limits.disk_bytes);
  count("files", limits.files);
  size("file_size", limits.file_bytes);
  count("open_files", limits.open_files);
  return table;
}

Value Environment(const EnvironmentRules& environment) {
  Value table = Table();
  Put(table, "inherit", Flag(environment.inherit));
  PutUnlessEmpty(table, "pass", Texts(environment.pass));
  PutUnlessEmpty(table, "deny", Texts(environment.deny));
  Value set = Table();
  for (const auto& [name, value] : environment.set) Put(set, name, Text(value));
  Sort(set);
  PutUnlessEmpty(table, "set", std::move(set));
  return table;
}

Value Kernel(const KernelRules& kernel) {
  Value table = Table();
  Put(table, "ptrace", Flag(kernel.ptrace));
  Put(table, "nested", Flag(kernel.nested));
  return table;
}

// A string that is the same in JSON and TOML.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string NumberText(double number) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(17);
  text << number;
  const std::string plain = text.str();
  return plain.find_first_of(".en") == std::string::npos ? plain + ".0" : plain;
}

// The values of a document nest five deep at most, so these recurse.
void Append(std::string& out, const Value& value, bool is_toml) {
  switch (value.kind) {
    case Value::Kind::kNull: out += "null"; break;
    case Value::Kind::kBool: out += value.boolean ? "true" : "false"; break;
    case Value::Kind::kInteger: out += std::to_string(value.integer); break;
    case Value::Kind::kNumber: out += NumberText(value.number); break;
    case Value::Kind::kString: out += Quoted(value.text); break;
    case Value::Kind::kList: {
      out += '[';
      for (size_t i = 0; i < value.items.size(); ++i) {
        if (i > 0) out += ", ";
        Append(out, value.items[i], is_toml);
      }
      out += ']';
      break;
    }
    case Value::Kind::kTable: {
      out += '{';
      for (size_t i = 0; i < value.members.size(); ++i) {
        if (i > 0) out += ", ";
        out += (is_toml ? value.members[i].name : Quoted(value.members[i].name)) + (is_toml ? " = " : ": ");
        Append(out, value.members[i].value, is_toml);
      }
      out += '}';
      break;
    }
  }
}

void AppendTomlMember(std::string& out, const std::string& key, const Value& value) {
  out += key + " = ";
  if (value.kind != Value::Kind::kList || value.items.size() < 2) {
    Append(out, value, true);
    out += '\n';
    return;
  }
  out += "[\n";
  for (const Value& item : value.items) {
    out += "  ";
    Append(out, item, true);
    out += ",\n";
  }
  out += "]\n";
}

void AppendTomlSection(std::string& out, const std::string& name, const Value& table) {
  out += "\n[" + name + "]\n";
  for (const auto& [key, value] : table.members) AppendTomlMember(out, key, value);
}

}  // namespace

std::string UpstreamText(const std::string& proxy) {
  const size_t at = proxy.rfind('@');
  const size_t colon = proxy.find(':', proxy.find("//") == std::string::npos ? 0 : proxy.find("//"));
  if (at == std::string::npos || colon == std::string::npos || colon > at) return proxy;
  return proxy.substr(0, colon + 1) + "***" + proxy.substr(at);
}

Value ToDocument(const Policy& policy) {
  Value document = Table();
  if (!policy.name.empty()) Put(document, "name", Text(policy.name));
  if (!policy.description.empty()) Put(document, "description", Text(policy.description));
  Put(document, "files", Files(policy.files));
  Put(document, "network", Network(policy.network));
  PutUnlessEmpty(document, "secrets", Secrets(policy.secrets));
  PutUnlessEmpty(document, "limits", Limits(policy.limits));
  Put(document, "environment", Environment(policy.environment));
  Put(document, "kernel", Kernel(policy.kernel));
  return document;
}

std::string JsonText(const Value& document) {
  std::string out;
  Append(out, document, false);
  return out;
}

std::string TomlText(const Value& document) {
  std::string out;
  for (const auto& [key, value] : document.members) {
    if (value.kind != Value::Kind::kTable) AppendTomlMember(out, key, value);
  }
  for (const auto& [key, value] : document.members) {
    if (value.kind != Value::Kind::kTable) continue;
    if (key == "secrets") {
      for (const auto& [name, secret] : value.members) AppendTomlSection(out, "secrets." + name, secret);
    } else {
      AppendTomlSection(out, key, value);
    }
  }
  return out;
}

}  // namespace paddock::policy
