#include "cli/policy_table.h"

#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <memory>

#include "policy/amount.h"
#include "policy/host_pattern.h"
#include "policy/load.h"
#include "policy/network_verdict.h"
#include "policy/verdict.h"
#include "policy/write.h"

namespace paddock::cli {
namespace {

using policy::Access;

const char* Word(Access access) {
  return access == Access::kDeny ? "deny " : access == Access::kRead ? "read " : "write";
}

std::string Joined(const std::vector<std::string>& words, const char* between = ", ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// Terminals are told nothing by names.
std::string Printable(std::string_view text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out;
}

class Table {
 public:
  void Section(const char* name, const std::string& text) { out_ += (out_.empty() ? "" : "\n") + std::string(name) + (text.empty() ? ":" : ": " + Printable(text)) + "\n"; }
  void Row(const std::string& what, const std::string& origin = {}) {
    std::string line = "  " + Printable(what);
    if (!origin.empty()) {
      constexpr size_t kColumn = 56;
      if (line.size() < kColumn) line.resize(kColumn, ' ');
      line += "  " + Printable(origin);
    }
    out_ += line + "\n";
  }
  // Words in lines of about 100 columns.
  void Words(const std::string& label, const std::vector<std::string>& words) {
    std::string line = "  " + label;
    for (const std::string& word : words) {
      if (line.size() + word.size() > 100) {
        out_ += line + "\n";
        line = "   ";
      }
      line += " " + Printable(word);
    }
    out_ += line + "\n";
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

void AddFiles(Table& table, const policy::FileRules& files) {
  const char* mode = files.workspace_mode == policy::WorkspaceMode::kReadOnly ? "read only"
                     : files.workspace_mode == policy::WorkspaceMode::kDirect ? "writes reach the host at once"
                                                                              : "writes are kept apart as overlay";
  table.Section("files", "what no rule names is invisible");
  table.Row(files.workspace.empty() ? "workspace  a fresh private directory" : "workspace  " + files.workspace, files.workspace.empty() ? "" : mode);
  if (!files.home.empty()) {
    table.Row("private    " + files.home, files.home_store.empty() ? "gone with the run" : "kept in " + files.home_store);
  }
  table.Row("private    /tmp, /var/tmp", "together with home at most " + policy::SizeText(files.tmp_bytes));
  if (!files.root.empty()) table.Row("root       " + files.root, "changes are gone with the run");
  if (files.host_view) {
    std::vector<std::string> directories;
    for (const char* directory : policy::HostViewDirectories()) directories.emplace_back(directory);
    table.Words("read      ", directories);
  }
  std::vector<const policy::PathRule*> rules;
  for (const policy::PathRule& rule : files.paths) rules.push_back(&rule);
  std::stable_sort(rules.begin(), rules.end(), [](const auto* a, const auto* b) { return a->path < b->path; });
  size_t absent = 0;
  for (const policy::PathRule* rule : rules) {
    const bool is_absent = access(rule->path.c_str(), F_OK) != 0;
    if (is_absent && rule->optional) ++absent;
    else table.Row(std::string(Word(rule->access)) + "      " + rule->path + (is_absent ? " (required, but absent)" : ""), rule->origin);
  }
  if (absent > 0) table.Row("absent     " + std::to_string(absent) + " more paths are not on this host; 'paddock policy show' has them");
  table.Words("protected ", files.protected_names);
}

std::string RuleText(const policy::NetworkRule& rule) {
  std::string text = policy::HostAndPortsText(rule.host, rule.ports);
  if (!rule.methods.empty()) text += " " + Joined(rule.methods, ",");
  if (!rule.paths.empty()) text += " " + Joined(rule.paths, " ");
  if (rule.terminate_tls) text += " (opens TLS)";
  if (rule.allow_private) text += " (private addresses too)";
  if (!rule.reason.empty()) text += " \"" + rule.reason + "\"";
  return text;
}

void AddNetwork(Table& table, const policy::NetworkRules& network) {
  const bool has_rules = network.mode == policy::NetworkMode::kRules;
  table.Section("network", has_rules ? "what no rule allows is denied" : "none");
  if (has_rules) {
    for (const policy::NetworkRule& rule : network.rules) {
      table.Row((rule.verdict == policy::NetworkRule::Verdict::kAllow ? "allow      " : "deny       ") + RuleText(rule), rule.origin);
    }
    for (const std::string& range : network.denied_addresses) table.Row("deny       addresses in " + range);
    if (!network.upstream_proxy.empty()) table.Row("upstream   " + policy::UpstreamText(network.upstream_proxy));
    if (!network.no_upstream.empty()) table.Words("direct    ", network.no_upstream);
    if (!network.mitm_hosts_excluded.empty()) table.Words("TLS closed", network.mitm_hosts_excluded);
    for (const std::string& file : network.tls_trust) table.Row("TLS trusts " + file);
  }
  for (const policy::PublishedPort& port : network.publish) {
    table.Row("publish    " + (port.host == 0 ? std::string("any free port") : std::to_string(port.host)) + " outside is " + std::to_string(port.guest) + " inside");
  }
  for (const uint16_t port : network.host_ports) table.Row("host port  127.0.0.1:" + std::to_string(port));
  for (const policy::UnixSocketRule& socket : network.unix_sockets) table.Row("socket     " + socket.path, socket.origin);
}

void AddSecrets(Table& table, const std::vector<policy::SecretBinding>& secrets) {
  if (secrets.empty()) return;
  table.Section("secrets", "placeholders inside, the value at the edge");
  for (const policy::SecretBinding& secret : secrets) {
    const std::string from = secret.source == policy::SecretBinding::Source::kEnvironment ? "variable " + secret.from
                             : secret.source == policy::SecretBinding::Source::kFile      ? "file " + secret.from
                                                                                          : "a value given directly";
    table.Row(secret.name + " from " + from + (secret.allow_plaintext ? ", also without TLS" : ""), secret.origin);
    for (const auto& destination : secret.destinations) {
      table.Row("  to " + policy::HostAndPortsText(destination.host, destination.ports) +
                (destination.header.empty() ? ", any header" : ", header " + destination.header) +
                (destination.methods.empty() ? "" : ", " + Joined(destination.methods)) + (destination.allow_messages ? ", messages of WebSockets" : ""));
    }
  }
}

void AddRest(Table& table, const policy::Policy& policy) {
  const policy::Value document = policy::ToDocument(policy);
  for (const char* section : {"limits", "environment", "kernel"}) {
    const policy::Value* values = document.Find(section);
    table.Section(section, values == nullptr ? "none" : "");
    if (values == nullptr) continue;
    for (const auto& [key, value] : values->members) {
      std::string shown = policy::JsonText(value);
      if (value.kind == policy::Value::Kind::kString) shown = value.text;
      std::string label = key;
      label.resize(std::max<size_t>(label.size() + 1, 11), ' ');
      table.Row(label + shown);
    }
  }
}

Result<Answer> AnswerPath(const policy::Policy& policy, const std::string& verb, const std::string& text) {
  const std::unique_ptr<char, decltype(&std::free)> current(getcwd(nullptr, 0), &std::free);
  PADDOCK_ASSIGN(const std::string path, policy::NormalPath(text.starts_with('/') || current == nullptr ? text : std::string(current.get()) + "/" + text));
  const Access wanted = verb == "read" ? Access::kRead : Access::kWrite;
  Answer answer{.question = verb + " " + path};
  policy::FileVerdict verdict = policy::AccessOf(policy.files, path);
  answer.is_allowed = verdict.access >= wanted;
  answer.rule = verdict.rule;
  if (!answer.is_allowed || verdict.is_private) return answer;
  PADDOCK_ASSIGN(const std::string real, policy::ResolvePath(path));
  if (real == path) return answer;
  verdict = policy::AccessOf(policy.files, real);
  answer.is_allowed = verdict.access >= wanted;
  answer.rule = verdict.rule + ", for " + real + ", where symlinks lead";
  return answer;
}

Result<Answer> AnswerConnect(const policy::Policy& policy, const std::string& text) {
  PADDOCK_ASSIGN(const policy::HostPort target, policy::ParseHostPort(text, 0));
  Answer answer{.question = "connect " + policy::HostPortText(target.host, target.port)};
  if (policy.network.mode == policy::NetworkMode::kNone) {
    answer.rule = "there is no network";
    return answer;
  }
  PADDOCK_ASSIGN(const auto rules, policy::NetworkRuleSet::Compile(policy.network));
  const policy::NetworkVerdict verdict = rules->Connection(target.host, target.port);
  answer.is_allowed = verdict.kind != policy::NetworkVerdict::Kind::kDeny;
  answer.rule = verdict.origin;
  if (!verdict.reason.empty()) answer.rule += (answer.rule.empty() ? "" : ": ") + verdict.reason;
  if (verdict.kind == policy::NetworkVerdict::Kind::kAskRequest) answer.rule += "; methods and paths decide for each request";
  return answer;
}

}  // namespace

std::string PolicyTable(const policy::Policy& policy) {
  Table table;
  table.Section("policy", policy.name + (policy.description.empty() ? "" : ": " + policy.description));
  AddFiles(table, policy.files);
  AddNetwork(table, policy.network);
  AddSecrets(table, policy.secrets);
  AddRest(table, policy);
  return table.Take();
}

Result<std::vector<Answer>> AnswerQuestions(const policy::Policy& policy, const std::vector<std::string>& words) {
  std::vector<Answer> answers;
  for (size_t i = 0; i < words.size(); i += 2) {
    const std::string& verb = words[i];
    if (verb != "read" && verb != "write" && verb != "connect") {
      return Error(Code::kInvalid, "'" + verb + "' is no question; ask read PATH, write PATH or connect HOST:PORT");
    }
    if (i + 1 == words.size()) return Error(Code::kInvalid, "'" + verb + "' needs a " + (verb == "connect" ? "HOST:PORT" : "PATH"));
    auto answer = verb == "connect" ? AnswerConnect(policy, words[i + 1]) : AnswerPath(policy, verb, words[i + 1]);
    if (!answer) return answer.error();
    answers.push_back(std::move(*answer));
  }
  return answers;
}

std::string AnswersText(const std::vector<Answer>& answers, bool json) {
  if (json) {
    boost::json::array array;
    for (const Answer& answer : answers) {
      array.push_back({{"question", answer.question}, {"allowed", answer.is_allowed}, {"rule", answer.rule}});
    }
    return boost::json::serialize(array) + "\n";
  }
  std::string text;
  for (const Answer& answer : answers) {
    text += std::string(answer.is_allowed ? "yes" : "no ") + "  " + Printable(answer.question) + "  " + Printable(answer.rule) + "\n";
  }
  return text;
}

}  // namespace paddock::cli
