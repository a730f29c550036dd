// Sessions: what an agent's work belongs to: sandboxes, files that outlive them, and a key-value store; of one owner, and gone together.
//
// What is acknowledged is in the database. A session whose deletion a crash interrupted is absent, and taken away at the next start.
// Whoever asks for what is absent, or somebody else's, gets the same answer (kNoEntry, "no session 'ID'").
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "registry/registry.h"

namespace paddock::registry {

struct SessionRequest {
  std::string name;         // unique with its owner; empty: none
  Labels labels;
  std::string definition;   // what it offers, for whoever opens it; at most 1 MiB
};
struct SessionInfo {
  std::string id;           // ses_…
  std::string owner;
  SessionRequest request;
  Time created{};
  bool is_new = true;       // false: an idempotency key had made it
};
struct SessionList {
  std::string name, owner;  // empty: any; owner only for an admin
  Labels labels;            // all of these
  size_t limit = 100;       // 1 … 1000
  std::string cursor;
};
struct SessionPage {
  std::vector<SessionInfo> sessions;   // oldest first
  std::string next;                    // empty: no more
};

struct SessionSettings {
  size_t most_per_owner = 10'000;
  struct OwnerLimits {
    size_t sessions = 10'000;
    size_t sandboxes = 16, containers = 16;   // of one session; the second of those of RegistrySettings::container_isolations
  };
  std::map<std::string, OwnerLimits> owners;  // of whom these are others
  size_t most_sandboxes = 16, most_containers = 16;
  size_t most_keys = 1000;
  size_t most_key_bytes = 8 << 20;            // keys and values of one session
  std::string storage_isolation = "virtual";  // of the sandbox that holds a session's files

  OwnerLimits LimitsOf(const std::string& owner) const {
    const auto found = owners.find(owner);
    return found != owners.end() ? found->second : OwnerLimits{.sessions = most_per_owner, .sandboxes = most_sandboxes, .containers = most_containers};
  }
};

// One session, found. Any thread; outlives neither Sessions nor its turn of deletion: afterwards all of it is kNoEntry.
class Session {
 public:
  const SessionInfo& info() const { return info_; }
  Caller caller() const { return {.owner = info_.owner}; }

  // ---- sandboxes: those whose parent is the session

  // The key gives the same sandbox again while it lives; a fork of it is another. Without a name one is made up. Errors: those of Registry::Create(), kQuota.
  Result<SandboxInfo> Create(SandboxRequest request, const std::string& idempotency_key);
  // Those that begin as one of them is now, as many outcomes as were asked for: beyond what the session may have they are kQuota.
  Result<std::vector<Forked>> Fork(const std::string& id, const ForkRequest& request);
  std::vector<SandboxInfo> List() const;   // without storage
  Result<SandboxInfo> Find(const std::string& id_or_name) const;
  // The sandbox that holds the session's files, in /workspace; made when it is first asked for.
  Result<SandboxInfo> Storage();

  // ---- keys: one line of 1 to 256 bytes of UTF-8; values at most 64 KiB

  static constexpr size_t kMostKey = 256, kMostValue = 64 << 10;
  Result<std::optional<std::string>> Get(const std::string& key) const;
  Status Set(const std::string& key, const std::string& value);   // kQuota, kInvalid
  Result<bool> Erase(const std::string& key);                     // whether it was there
  Result<std::vector<std::string>> Keys(const std::string& prefix) const;   // sorted

  // ---- processes that were started in it to run on their own

  void Remember(const std::shared_ptr<RunningProcess>& process);
  std::vector<std::shared_ptr<RunningProcess>> Remembered(const std::string& sandbox_id) const;   // the newest 64 that have ended, and all others

 private:
  friend class Sessions;

  // What one daemon knows of a session besides the database.
  struct Live {
    std::mutex making;   // held while a sandbox is made, and while is_deleted is set
    mutable std::mutex keys;
    bool is_deleted = false;                                 // read under either
    std::optional<std::map<std::string, size_t>> key_sizes;  // read when first needed
    size_t key_bytes = 0;
    mutable std::mutex processes_mutex;
    std::vector<std::shared_ptr<RunningProcess>> processes;  // oldest first
  };

  Session(Registry& registry, records::Records& records, const SessionSettings& settings, SessionInfo info, std::shared_ptr<Live> live)
      : registry_(registry), records_(records), settings_(settings), info_(std::move(info)), live_(std::move(live)) {}
  Status CheckAlive() const;   // with one of the mutexes held
  // How many more sandboxes of an isolation there may be, and why no more.
  struct Room {
    size_t left = 0;
    std::string why;
  };
  Room RoomFor(const std::string& isolation, const std::vector<SandboxInfo>& known) const;
  Status ReadKeys() const;     // with `keys` held

  Registry& registry_;
  records::Records& records_;
  const SessionSettings& settings_;
  const SessionInfo info_;
  const std::shared_ptr<Live> live_;
};

// Any thread.
class Sessions {
 public:
  // Both outlive it. Finishes what a crash interrupted.
  static Result<std::unique_ptr<Sessions>> Open(SessionSettings settings, Registry& registry, records::Records& records);

  // Errors: kInvalid, kExists (the name is taken), kQuota, kConflict (the key was used for another request, or what it made is gone).
  Result<SessionInfo> Create(const Caller& caller, SessionRequest request, const std::string& idempotency_key = {});
  // `id` may be a name of the caller's.
  Result<std::shared_ptr<Session>> Find(const Caller& caller, std::string_view id);
  Result<SessionPage> List(const Caller& caller, const SessionList& request);
  // With its sandboxes, files and keys. When it fails in the middle the session is absent all the same, and another call, or the next
  // start, goes on.
  Status Delete(const Caller& caller, std::string_view id);

 private:
  Sessions(SessionSettings settings, Registry& registry, records::Records& records)
      : settings_(std::move(settings)), registry_(registry), records_(records) {}
  Result<records::Record> FindRecord(const Caller& caller, std::string_view id);
  std::shared_ptr<Session::Live> LiveOf(const std::string& id);
  Status Finish(const std::string& id, const std::string& owner);

  const SessionSettings settings_;
  Registry& registry_;
  records::Records& records_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Session::Live>> live_;   // by id
};

}  // namespace paddock::registry
