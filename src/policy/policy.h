// Policy: what code behind a wall may touch, as plain data: paths, network destinations, secrets, limits.
//
// One document for every wall. It copies and compares, knows no file and no socket; who enforces it is the driver
// (paths, limits) and egress (network, secrets). Every rule remembers where it came from, so that a denial can name
// the rule. Reading documents is parse.h's, answering questions verdict.h's, the built-in documents preset.h's.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace paddock::policy {

// ---- files

enum class Access { kDeny, kRead, kWrite };   // kDeny: invisible; kRead: no change; kWrite: everything

// Holds for `path` and all below it, until a longer path says otherwise.
struct PathRule {
  std::string path;      // absolute and normal (no `.`, `..`, `//`); `~` and ${workspace} are expanded by the parser's context
  Access access = Access::kDeny;
  bool optional = true;  // a path that is absent on the host is skipped, not an error
  std::string origin;    // "preset workspace", "policy.toml:12", "--allow-write"
  bool operator==(const PathRule&) const = default;
};

// How the workspace is shown inside.
enum class WorkspaceMode {
  kReadOnly,
  kDirect,    // writes reach the host at once; protected names do not
  kOverlay,   // writes are kept apart until `paddock apply`
};

struct FileRules {
  bool host_view = true;               // system directories of the host are readable (/usr, /etc, …)
  // A directory of the host that stands as / inside, instead of the host view: the root of a distribution, say. What is
  // changed in it is kept in memory, at most limits.disk_bytes, and gone with the run. Empty: none.
  std::string root;
  std::vector<PathRule> paths;
  std::string workspace;               // absolute; where commands start. Empty: a fresh private directory
  WorkspaceMode workspace_mode = WorkspaceMode::kDirect;
  // Names that nothing inside may create or change below a writable path, at any depth and also when absent: host
  // tools would act on them later. `.git/hooks` matches any path that ends so and all below it.
  std::vector<std::string> protected_names;
  uint64_t tmp_bytes = 1ull << 30;     // size of all private places together: /tmp, /var/tmp, home, /run, /dev/shm
  std::string home;        // absolute; a private directory stands there, with the rules' paths in it. Empty: no home
  std::string home_store;  // host directory that keeps the private home between runs. Empty: gone with the run
  bool operator==(const FileRules&) const = default;
};

// ---- network

enum class NetworkMode {
  kNone,    // no network at all but its own loopback
  kRules,   // through the egress engine; what no rule allows is denied
};

struct PortRange {
  uint16_t first = 0;
  uint16_t last = 0;
  bool operator==(const PortRange&) const = default;
};

struct NetworkRule {
  enum class Verdict { kAllow, kDeny };
  Verdict verdict = Verdict::kAllow;   // a denying rule wins over every allowing one
  std::string host;                    // "example.org", "*.example.org" (any depth, not itself), "*", "192.0.2.7", "2001:db8::1", "10.0.0.0/8"
  std::vector<PortRange> ports;        // empty: any port
  std::vector<std::string> methods;    // upper case; empty: any. Needs plain HTTP or terminate_tls
  std::vector<std::string> paths;      // path prefixes beginning with '/', whole segments; empty: any. Needs the same
  bool terminate_tls = false;          // open TLS with the run's own certificate authority, to see methods and paths
  bool allow_private = false;          // the name may resolve to private, loopback or link-local addresses
  std::string reason;                  // shown with a denial
  std::string origin;
  bool operator==(const NetworkRule&) const = default;
};

// A port inside that the host can reach on its loopback.
struct PublishedPort {
  uint16_t host = 0;    // 0: any free one
  uint16_t guest = 0;
  bool operator==(const PublishedPort&) const = default;
};

// A socket of the host that programs inside may connect to, at the same path.
struct UnixSocketRule {
  std::string path;
  std::string origin;
  bool operator==(const UnixSocketRule&) const = default;
};

struct NetworkRules {
  NetworkMode mode = NetworkMode::kNone;
  std::vector<NetworkRule> rules;
  std::vector<std::string> denied_addresses;   // CIDRs that no name may resolve to, added to the built-in set
  std::vector<PublishedPort> publish;
  std::vector<uint16_t> host_ports;            // ports of the host's loopback reachable inside as 127.0.0.1:PORT
  std::vector<UnixSocketRule> unix_sockets;
  std::string upstream_proxy;                  // http://[user:password@]host:port, or empty
  std::vector<std::string> no_upstream;        // hosts reached without it
  std::vector<std::string> mitm_hosts_excluded;   // never open TLS for these
  std::vector<std::string> tls_trust;             // files of the host with certificates (PEM) that servers may chain to, too
  bool operator==(const NetworkRules&) const = default;
};

// ---- secrets

// A secret never enters: inside, the variable NAME holds a placeholder, and the egress engine puts the value in where a
// request goes to a bound destination.
struct SecretBinding {
  struct Destination {
    std::string host;                  // as in NetworkRule, but never "*"
    std::vector<PortRange> ports;      // empty: any
    std::string header;                // only in this header; empty: in any header
    std::vector<std::string> methods;  // empty: any
    bool allow_messages = false;       // also in messages of a WebSocket
    bool operator==(const Destination&) const = default;
  };
  std::string name;                    // the variable inside
  enum class Source { kEnvironment, kFile, kValue };
  Source source = Source::kEnvironment;
  std::string from;                    // variable of the host, path on the host, or the value itself
  std::vector<Destination> destinations;
  bool allow_plaintext = false;        // also in requests without TLS
  std::string origin;
  bool operator==(const SecretBinding&) const = default;
};

// ---- the rest

struct ResourceLimits {
  std::optional<uint64_t> memory_bytes;
  std::optional<uint64_t> processes;
  std::optional<double> cpus;                       // cores; 0.5 is half of one
  std::optional<std::chrono::nanoseconds> cpu_time;
  std::optional<std::chrono::nanoseconds> time;     // wall clock
  std::optional<uint64_t> output_bytes;
  std::optional<uint64_t> disk_bytes;               // that writable directories, an overlay or the root gain in a run
  bool is_disk_usual = false;                       // disk_bytes is what everybody gets: nobody asked for it, so nobody is warned of how it is held
  std::optional<uint64_t> files;                    // names that writable directories or an overlay gain in a run
  std::optional<uint64_t> file_bytes;               // size of one file
  std::optional<uint64_t> open_files;
  bool operator==(const ResourceLimits&) const = default;
};

struct EnvironmentRules {
  bool inherit = false;                 // pass the host's variables on, but for those whose name looks secret
  std::vector<std::string> pass;        // names or NAME_* of the host's variables that pass
  std::vector<std::string> deny;        // names or NAME_* that never pass
  std::vector<std::pair<std::string, std::string>> set;
  bool operator==(const EnvironmentRules&) const = default;
};

struct KernelRules {
  bool ptrace = false;    // debuggers work on processes inside
  bool nested = false;    // user namespaces and mounts work inside: for sandboxes in the sandbox
  bool operator==(const KernelRules&) const = default;
};

struct Policy {
  std::string name;         // of the preset or document, for messages
  std::string description;  // one line for people
  FileRules files;
  NetworkRules network;
  std::vector<SecretBinding> secrets;
  ResourceLimits limits;
  EnvironmentRules environment;
  KernelRules kernel;
  bool operator==(const Policy&) const = default;
};

}  // namespace paddock::policy
