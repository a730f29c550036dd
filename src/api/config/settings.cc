#include "api/config/settings.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "policy/amount.h"

namespace paddock::api {
namespace {

Error Invalid(std::string text) {
  return Error(Code::kInvalid, std::move(text));
}

Status SetText(std::string& into, const std::string& text) {
  into = text;
  return {};
}

Status SetPath(std::string& into, const std::string& text) {
  if (!text.empty() && text[0] != '/') return Invalid("is not an absolute path");
  return SetText(into, text);
}

Status SetAddress(std::string& into, const std::string& text) {
  unsigned char bytes[16];
  const bool is_address = inet_pton(AF_INET, text.c_str(), bytes) == 1 || inet_pton(AF_INET6, text.c_str(), bytes) == 1;
  if (!is_address) return Invalid("is not an IPv4 or IPv6 address; 127.0.0.1 for this machine alone, 0.0.0.0 for all");
  return SetText(into, text);
}

Result<uint64_t> ReadNumber(const std::string& text, uint64_t most) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > most) {
    return Invalid("is not a whole number of at most " + std::to_string(most));
  }
  return number;
}

Status SetPort(uint16_t& into, const std::string& text) {
  PADDOCK_ASSIGN(const uint64_t number, ReadNumber(text, 65535));
  into = static_cast<uint16_t>(number);
  return {};
}

template <class T>
bool SetNone(std::optional<T>& into, const std::string& text) {
  if (text != "none") return false;
  into.reset();
  return true;
}

Status SetCount(std::optional<uint64_t>& into, const std::string& text) {
  if (SetNone(into, text)) return {};
  PADDOCK_ASSIGN(into, ReadNumber(text, uint64_t{1} << 53));
  return {};
}

Status SetSize(std::optional<uint64_t>& into, const std::string& text) {
  if (SetNone(into, text)) return {};
  PADDOCK_ASSIGN(into, policy::ParseSize(text));
  return {};
}

Status SetSpan(std::optional<std::chrono::nanoseconds>& into, const std::string& text) {
  if (SetNone(into, text)) return {};
  PADDOCK_ASSIGN(into, policy::ParseTimeSpan(text));
  return {};
}

Status SetTime(std::optional<Milliseconds>& into, const std::string& text) {
  std::optional<std::chrono::nanoseconds> span;
  PADDOCK_TRY(SetSpan(span, text));
  into.reset();
  if (!span) return {};
  into = std::chrono::duration_cast<Milliseconds>(*span);
  if (into->count() == 0) return Invalid("is less than a millisecond");
  return {};
}

Status SetReal(double& into, const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && std::isfinite(number);
  if (!is_number || number < 0 || number > 1e9) return Invalid("is not a number from 0 to 1e9");
  into = number;
  return {};
}

// "0.05", "1e-7": at most nine digits behind the point, so that nothing is rounded.
Status SetPrice(int64_t& into, const std::string& text) {
  constexpr int kDigits = 9;
  const Error bad = Invalid("is not a number from 0 to 1e9 with at most nine digits behind the point");
  int64_t digits = 0;
  int exponent = 0;
  bool has_digit = false, has_point = false;
  size_t at = 0;
  for (; at < text.size() && (text[at] == '.' || (text[at] >= '0' && text[at] <= '9')); ++at) {
    if (text[at] == '.') {
      if (std::exchange(has_point, true)) return bad;
      continue;
    }
    has_digit = true;
    if (digits > (INT64_MAX - 9) / 10) return bad;
    digits = digits * 10 + (text[at] - '0');
    exponent -= has_point ? 1 : 0;
  }
  if (!has_digit) return bad;
  if (at < text.size()) {
    int given = 0;
    const size_t number = at + (text.substr(at + 1, 1) == "+" ? 2 : 1);
    const auto [end, error] = std::from_chars(text.data() + std::min(number, text.size()), text.data() + text.size(), given);
    if ((text[at] != 'e' && text[at] != 'E') || error != std::errc() || end != text.data() + text.size() || given < -40 || given > 40) return bad;
    exponent += given;
  }
  for (; exponent > -kDigits && digits != 0; --exponent) {
    if (digits > INT64_MAX / 10) return bad;
    digits *= 10;
  }
  for (; exponent < -kDigits && digits != 0; ++exponent) {
    if (digits % 10 != 0) return bad;
    digits /= 10;
  }
  if (digits > int64_t{1'000'000'000} * 1'000'000'000) return bad;
  into = digits;
  return {};
}

Status SetCpus(std::optional<double>& into, const std::string& text) {
  if (SetNone(into, text)) return {};
  double cpus = 0;
  PADDOCK_TRY(SetReal(cpus, text));
  if (cpus < 0.01 || cpus > 4096) return Invalid("is not within 0.01 and 4096 cores");
  into = cpus;
  return {};
}

Status SetChoice(std::string& into, const std::string& text, std::initializer_list<std::string_view> choices) {
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return SetText(into, text);
  std::string names;
  for (const auto choice : choices) names += (names.empty() ? "" : ", ") + std::string(choice);
  return Invalid("is not one of: " + names);
}

Status SetCurrency(std::string& into, const std::string& text) {
  const bool is_code = text.size() == 3 && std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!is_code) return Invalid("is not a currency's three capital letters");
  return SetText(into, text);
}

Status SetDatabase(std::string& into, const std::string& text) {
  const bool is_url = text.starts_with("postgresql://") || text.starts_with("postgres://");
  if (!text.empty() && text[0] != '/' && !is_url) return Invalid("is neither an absolute path nor a URL postgresql://…");
  return SetText(into, text);
}

Status SetDurability(CommitWait& into, const std::string& text) {
  std::string choice;
  PADDOCK_TRY(SetChoice(choice, text, {"process", "power"}));
  into = choice == "power" ? CommitWait::kPower : CommitWait::kProcess;
  return {};
}

Status SetList(std::vector<std::string>& into, const std::string& text) {
  into.clear();
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    if (comma > at) into.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return {};
}

Status SetYes(bool& into, const std::string& text) {
  std::string choice;
  PADDOCK_TRY(SetChoice(choice, text, {"no", "yes"}));
  into = choice == "yes";
  return {};
}

Status SetProfile(sandbox::ContainerProfile& into, const std::string& text) {
  std::string choice;
  PADDOCK_TRY(SetChoice(choice, text, {"strict", "dev"}));
  into = choice == "dev" ? sandbox::ContainerProfile::kDev : sandbox::ContainerProfile::kStrict;
  return {};
}

Status SetUserNamespace(bool& needs_user_namespace, const std::string& text) {
  std::string choice;
  PADDOCK_TRY(SetChoice(choice, text, {"any", "remapped"}));
  needs_user_namespace = choice == "remapped";
  return {};
}

Status SetNetwork(bool& has_network, const std::string& text) {
  std::string choice;
  PADDOCK_TRY(SetChoice(choice, text, {"isolated", "none"}));
  has_network = choice == "isolated";
  return {};
}

// What engines take at least is theirs to say.
Status SetAmount(uint64_t& into, const std::string& text) {
  PADDOCK_ASSIGN(into, policy::ParseSize(text));
  if (into < (6 << 20)) return Invalid("is less than 6 MiB, the least that a container runs with");
  return {};
}

Status SetNanoCpus(int64_t& into, const std::string& text) {
  std::optional<double> cpus;
  PADDOCK_TRY(SetCpus(cpus, text));
  if (!cpus) return Invalid("must be a number of cores");
  into = static_cast<int64_t>(*cpus * 1e9);
  return {};
}

Status SetProcesses(int64_t& into, const std::string& text) {
  PADDOCK_ASSIGN(const uint64_t number, ReadNumber(text, 1 << 22));
  if (number == 0) return Invalid("must be at least 1");
  into = static_cast<int64_t>(number);
  return {};
}

Status SetWarm(size_t& into, const std::string& text) {
  constexpr uint64_t kMost = 100;
  PADDOCK_ASSIGN(into, ReadNumber(text, kMost));
  return {};
}

using Text = const std::string&;
using enum Notation;

constexpr Setting kSettings[] = {
    {"server.address", kText, "127.0.0.1", "the address to listen on; one that others reach needs an API key to exist",
     [](Config& c, Text t) { return SetAddress(c.server.address, t); }},
    {"server.port", kCount, "7420", "the port; 0 takes any free one",
     [](Config& c, Text t) { return SetPort(c.server.port, t); }},
    {"server.tls_certificate", kText, "", "PEM file of the certificate and its chain; with tls_key, turns TLS on",
     [](Config& c, Text t) { return SetPath(c.server.tls_certificate, t); }},
    {"server.tls_key", kText, "", "PEM file of the certificate's private key",
     [](Config& c, Text t) { return SetPath(c.server.tls_key, t); }},
    {"data.directory", kText, "", "where everything durable lies",
     [](Config& c, Text t) { return SetPath(c.data.directory, t); }},
    {"data.database", kText, "", "SQLite file or postgresql:// URL; records.db in the directory when absent",
     [](Config& c, Text t) { return SetDatabase(c.data.database, t); }},
    {"data.schema", kText, "paddock", "schema of a PostgreSQL database",
     [](Config& c, Text t) { return SetText(c.data.schema, t); }},
    {"data.durability", kText, "process", "what SQLite's commits survive: process (a kill) or power (a power cut, slower)",
     [](Config& c, Text t) { return SetDurability(c.data.durability, t); }},
    {"sandbox.isolation", kText, "virtual", "of sandboxes that ask for none: virtual, process, container, oci or gvisor",
     [](Config& c, Text t) { return SetChoice(c.isolation, t, {"virtual", "process", "container", "oci", "gvisor"}); }},
    {"limits.memory", kText, "512MiB", "memory of a sandbox",
     [](Config& c, Text t) { return SetSize(c.limits.memory_bytes, t); }},
    {"limits.processes", kCount, "256", "processes of a sandbox",
     [](Config& c, Text t) { return SetCount(c.limits.processes, t); }},
    {"limits.cpus", kNumber, "none", "cores of a sandbox", [](Config& c, Text t) { return SetCpus(c.limits.cpus, t); }},
    {"limits.time", kText, "10m", "wall-clock time of an exec", [](Config& c, Text t) { return SetSpan(c.limits.time, t); }},
    {"limits.cpu_time", kText, "none", "CPU time of an exec", [](Config& c, Text t) { return SetSpan(c.limits.cpu_time, t); }},
    {"limits.output", kText, "16MiB", "output of an exec", [](Config& c, Text t) { return SetSize(c.limits.output_bytes, t); }},
    {"limits.disk", kText, "1GiB", "files of a sandbox", [](Config& c, Text t) { return SetSize(c.limits.disk_bytes, t); }},
    {"limits.files", kCount, "100000", "names in a sandbox's tree",
     [](Config& c, Text t) { return SetCount(c.limits.files, t); }},
    {"containers.docker_host", kText, "", "the engine: unix:///path, tcp://host:2376 …; empty: CONTAINER_SANDBOX_DOCKER_HOST, DOCKER_HOST, the usual sockets",
     [](Config& c, Text t) { return SetText(c.containers.settings.engine.host, t); }},
    {"containers.engines", kList, "", "others that a capability's docker_host may name",
     [](Config& c, Text t) { return SetList(c.containers.settings.other_engines, t); }},
    {"containers.tls_ca", kText, "", "PEM file of the engine's authority", [](Config& c, Text t) { return SetPath(c.containers.settings.engine.ca_file, t); }},
    {"containers.tls_certificate", kText, "", "PEM file of this daemon's certificate for the engine",
     [](Config& c, Text t) { return SetPath(c.containers.settings.engine.certificate_file, t); }},
    {"containers.tls_key", kText, "", "PEM file of that certificate's private key", [](Config& c, Text t) { return SetPath(c.containers.settings.engine.key_file, t); }},
    {"containers.allow_insecure", kText, "no", "yes: an engine beyond this machine may be used without TLS; whoever sits between owns it",
     [](Config& c, Text t) { return SetYes(c.containers.settings.engine.allows_insecure, t); }},
    {"containers.runtime", kText, "runc", "OCI runtime: runc (or crun, where the engine has only that), sysbox-runc, kata, gvisor, or a name that the engine has",
     [](Config& c, Text t) { return SetText(c.containers.settings.runtime, t); }},
    {"containers.runtimes", kList, "", "others that a sandbox may ask for", [](Config& c, Text t) { return SetList(c.containers.settings.other_runtimes, t); }},
    {"containers.image", kText, "ubuntu:24.04", "of sandboxes that ask for none", [](Config& c, Text t) { return SetText(c.containers.settings.image, t); }},
    {"containers.images", kList, "", "that may be asked for: references, or repositories for all of their tags; empty: any",
     [](Config& c, Text t) { return SetList(c.containers.settings.allowed_images, t); }},
    {"containers.profile", kText, "strict", "strict: user 1000 and a read-only root; dev: the image's root user, all writable",
     [](Config& c, Text t) { return SetProfile(c.containers.settings.profile, t); }},
    {"containers.network", kText, "none", "none: a container has only a loopback; isolated: a network of the engine's of its own, from which broadcasts still reach the host",
     [](Config& c, Text t) { return SetNetwork(c.containers.settings.has_network, t); }},
    {"containers.memory", kText, "2GiB", "memory of one, without swap, and the most that it may ask for",
     [](Config& c, Text t) { return SetAmount(c.containers.settings.memory_bytes, t); }},
    {"containers.cpus", kNumber, "1", "its cores, likewise", [](Config& c, Text t) { return SetNanoCpus(c.containers.settings.nano_cpus, t); }},
    {"containers.processes", kCount, "256", "its processes, likewise", [](Config& c, Text t) { return SetProcesses(c.containers.settings.pids, t); }},
    {"containers.tmp", kText, "512MiB", "its /tmp, which is memory", [](Config& c, Text t) { return SetAmount(c.containers.settings.tmpfs_bytes, t); }},
    {"containers.warm", kCount, "0", "that stand ready before they are asked for, of the kinds asked for last",
     [](Config& c, Text t) { return SetWarm(c.containers.settings.warm, t); }},
    {"containers.disk", kText, "none", "its files, and the most that it may ask for; looked at while commands run where the engine keeps no quota",
     [](Config& c, Text t) { return SetSize(c.containers.settings.disk_bytes, t); }},
    {"containers.user_namespace", kText, "any", "remapped: a container is refused whose user 0 is the engine's machine's own",
     [](Config& c, Text t) { return SetUserNamespace(c.containers.settings.needs_user_namespace, t); }},
    {"containers.profile_directory", kText, "", "where a Podman on this machine can read seccomp profiles of Paddock's; empty: the directory for temporary files",
     [](Config& c, Text t) { return SetPath(c.containers.settings.profile_directory, t); }},
    {"containers.auto_stop", kText, "10m", "it is stopped when it was not used for so long; its files stay",
     [](Config& c, Text t) { return SetTime(c.containers.auto_stop, t); }},
    {"containers.remove_after", kText, "20m", "it is deleted so long after that, unless somebody wakes it",
     [](Config& c, Text t) { return SetTime(c.containers.remove_after, t); }},
    {"lease.ttl", kText, "none", "a sandbox's time from its creation, or from when it was extended",
     [](Config& c, Text t) { return SetTime(c.lease.ttl, t); }},
    {"lease.idle_ttl", kText, "30m", "its time without an exec, a stream or a transfer",
     [](Config& c, Text t) { return SetTime(c.lease.idle_ttl, t); }},
    {"lease.max_lifetime", kText, "none", "its time from creation, whatever is extended",
     [](Config& c, Text t) { return SetTime(c.lease.max_lifetime, t); }},
    {"lease.on_expiry", kText, "pause", "what becomes of it then: pause, stop or delete",
     [](Config& c, Text t) { return SetChoice(c.lease.on_expiry, t, {"pause", "stop", "delete"}); }},
    {"retention.events", kText, "30d", "age of events", [](Config& c, Text t) { return SetTime(c.retention.events, t); }},
    {"retention.event_count", kCount, "100000", "events kept of one owner",
     [](Config& c, Text t) { return SetCount(c.retention.event_count, t); }},
    {"retention.output", kText, "7d", "output of a process, from its end; and in the logs of sandboxes",
     [](Config& c, Text t) { return SetTime(c.retention.output, t); }},
    {"retention.log_bytes", kText, "16MiB", "size of the log of one sandbox",
     [](Config& c, Text t) { return SetSize(c.retention.log_bytes, t); }},
    {"retention.deleted", kText, "7d", "usage of a deleted sandbox",
     [](Config& c, Text t) { return SetTime(c.retention.deleted, t); }},
    {"retention.unreferenced", kText, "1h", "pieces of files that no snapshot names any more",
     [](Config& c, Text t) { return SetTime(c.retention.unreferenced, t); }},
    {"retention.idempotency_keys", kText, "24h", "how long a repeated request is recognised",
     [](Config& c, Text t) { return SetTime(c.retention.idempotency_keys, t); }},
    {"rates.currency", kText, "USD", "of the prices below", [](Config& c, Text t) { return SetCurrency(c.rates.currency, t); }},
    {"rates.cpu_hour", kNumber, "0", "price of an hour of one core",
     [](Config& c, Text t) { return SetPrice(c.rates.cpu_hour, t); }},
    {"rates.memory_gib_hour", kNumber, "0", "price of a GiB of memory for an hour",
     [](Config& c, Text t) { return SetPrice(c.rates.memory_gib_hour, t); }},
    {"rates.disk_gib_hour", kNumber, "0", "price of a GiB of files for an hour",
     [](Config& c, Text t) { return SetPrice(c.rates.disk_gib_hour, t); }},
    {"rates.transfer_gib", kNumber, "0", "price of a GiB in or out",
     [](Config& c, Text t) { return SetPrice(c.rates.transfer_gib, t); }},
};

constexpr QuotaSetting kQuotaSettings[] = {
    {"sandboxes", kCount, "1000", "sandboxes of one owner, in any state",
     [](QuotaConfig& q, Text t) { return SetCount(q.sandboxes, t); }},
    {"containers", kCount, "100", "of them, containers (isolations container, oci, gvisor)",
     [](QuotaConfig& q, Text t) { return SetCount(q.containers, t); }},
    {"sessions", kCount, "1000", "sessions of one owner", [](QuotaConfig& q, Text t) { return SetCount(q.sessions, t); }},
    {"session_sandboxes", kCount, "16", "sandboxes of one session", [](QuotaConfig& q, Text t) { return SetCount(q.session_sandboxes, t); }},
    {"session_containers", kCount, "16", "of them, containers", [](QuotaConfig& q, Text t) { return SetCount(q.session_containers, t); }},
    {"snapshots", kCount, "1000", "snapshots of one owner", [](QuotaConfig& q, Text t) { return SetCount(q.snapshots, t); }},
    {"snapshot_bytes", kText, "100GiB", "sum of the sizes of their files",
     [](QuotaConfig& q, Text t) { return SetSize(q.snapshot_bytes, t); }},
    {"execs", kCount, "256", "execs of one owner at once", [](QuotaConfig& q, Text t) { return SetCount(q.execs, t); }},
};

}  // namespace

std::span<const Setting> Settings() {
  return kSettings;
}
std::span<const QuotaSetting> QuotaSettings() {
  return kQuotaSettings;
}

std::string EnvironmentName(std::string_view setting) {
  std::string name = "PADDOCK_";
  for (const char c : setting) name += c == '.' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

bool ServerConfig::IsLoopback() const {
  return address == "::1" || address.starts_with("127.");
}

const QuotaConfig& Config::QuotaOf(const std::string& owner) const {
  const auto found = owner_quotas.find(owner);
  return found == owner_quotas.end() ? quota : found->second;
}

}  // namespace paddock::api
