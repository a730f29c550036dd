// What a daemon is told before it starts: the values of paddock.toml, the environment and the command line as plain data.
// docs/configuration.md describes each; settings.cc is the table of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "sandbox/container_settings.h"

namespace paddock::api {

using Milliseconds = std::chrono::milliseconds;

struct ServerConfig {
  std::string address;          // an IPv4 or IPv6 address
  uint16_t port = 0;            // 0: any free one
  std::string tls_certificate;  // absolute path of a PEM file; empty: no TLS. Set together with the key.
  std::string tls_key;

  // Whether only this machine reaches it.
  bool IsLoopback() const;
};

enum class CommitWait { kProcess, kPower };

struct DataConfig {
  std::string directory;  // absolute
  std::string database;   // absolute path, or postgresql://…; never empty
  std::string schema;     // of PostgreSQL
  CommitWait durability = CommitWait::kProcess;
};

// What is not set does not bound.
struct LeaseConfig {
  std::optional<Milliseconds> ttl;
  std::optional<Milliseconds> idle_ttl;
  std::optional<Milliseconds> max_lifetime;
  std::string on_expiry;  // "pause", "stop", "delete"
};

// Of one owner. What is not set does not bound.
struct QuotaConfig {
  std::optional<uint64_t> sandboxes;
  std::optional<uint64_t> containers;          // of the sandboxes
  std::optional<uint64_t> sessions;
  std::optional<uint64_t> session_sandboxes;   // of one session
  std::optional<uint64_t> session_containers;
  std::optional<uint64_t> snapshots;
  std::optional<uint64_t> snapshot_bytes;
  std::optional<uint64_t> execs;  // at once

  bool operator==(const QuotaConfig&) const = default;
};

struct RetentionConfig {
  std::optional<Milliseconds> events;
  std::optional<uint64_t> event_count;       // of one owner
  std::optional<Milliseconds> output;        // of a process that has ended, and in the logs of sandboxes
  std::optional<uint64_t> log_bytes;         // of one sandbox
  std::optional<Milliseconds> deleted;       // what is left of a deleted sandbox: its record and usage
  std::optional<Milliseconds> unreferenced;  // pieces of trees that nothing names any more
  std::optional<Milliseconds> idempotency_keys;
};

// Prices, in one currency; exact, in billionths of it.
struct RateConfig {
  std::string currency;
  int64_t cpu_hour = 0;
  int64_t memory_gib_hour = 0;
  int64_t disk_gib_hour = 0;
  int64_t transfer_gib = 0;
};

// A harness or an agent, as a JSON object; what it means is for src/tools to say.
struct Definition {
  std::string name;
  std::string json;
  std::string origin;  // "paddock.toml:40"
};

// Containers: what the driver takes, and what holds for sandboxes that ask for none.
struct ContainerConfig {
  sandbox::ContainerSettings settings;
  std::optional<Milliseconds> auto_stop;      // without use
  std::optional<Milliseconds> remove_after;   // one that was stopped so
};

struct Config {
  ServerConfig server;
  DataConfig data;
  std::string isolation;
  policy::ResourceLimits limits;  // defaults of a sandbox that asks for none
  LeaseConfig lease;              // likewise
  QuotaConfig quota;
  std::map<std::string, QuotaConfig> owner_quotas;  // whole: what an owner's table leaves out is as in `quota`
  RetentionConfig retention;
  RateConfig rates;
  ContainerConfig containers;
  std::vector<Definition> harnesses;
  std::vector<Definition> agents;

  const QuotaConfig& QuotaOf(const std::string& owner) const;
};

}  // namespace paddock::api
