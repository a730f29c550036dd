// DirectSession: a session whose sandboxes live in this process, made by drivers: for tests and for programs without the daemon.
#pragma once

#include "registry/entry/file_watches.h"
#include "sandbox/driver_set.h"
#include "tools/session/direct_sandbox.h"
#include "tools/session/session_access.h"

namespace paddock::tools {

struct DirectSettings {
  std::string isolation = "virtual";      // where a request names none; also of the session's files
  size_t max_sandboxes = 16;
  uint64_t disk_bytes = 256u << 20;       // of each
  Limits limits;                          // of each exec; requests may set a shorter time
};

class DirectSession final : public SessionAccess {
 public:
  // `drivers` outlives it.
  DirectSession(const sandbox::DriverSet& drivers, DirectSettings settings);

  const std::string& id() const override { return id_; }
  Result<std::shared_ptr<SandboxAccess>> Create(const CreateRequest& request) override;
  Result<std::vector<SandboxInfo>> List() override;
  Result<std::shared_ptr<SandboxAccess>> Find(const std::string& id) override;
  Result<FileLease> Files() override;
  KeyValueStore& keys() override { return *keys_; }
  Result<std::shared_ptr<void>> Watch(const WatchRequest& request, WatchListener listener) override;
  Status Settle() override { return {}; }

 private:
  struct Known {
    std::shared_ptr<DirectSandbox> sandbox;
    std::string idempotency_key;
  };
  Result<std::shared_ptr<DirectSandbox>> Make(const CreateRequest& request);
  Status Adopt(std::shared_ptr<DirectSandbox> sandbox);
  void Forget();   // those that were removed
  // The sandbox that holds the session's files and serves the tools' own shell.
  Result<std::shared_ptr<DirectSandbox>> Own();

  const sandbox::DriverSet& drivers_;
  const DirectSettings settings_;
  const std::string id_;
  std::mutex mutex_;
  std::vector<Known> known_;
  uint64_t made_ = 0;
  std::shared_ptr<DirectSandbox> own_;
  std::unique_ptr<KeyValueStore> keys_;
  registry::FileWatches watches_;   // the last: its thread ends first
};

// Keys in memory. Any thread.
std::unique_ptr<KeyValueStore> MakeMemoryKeys(size_t max_keys, size_t max_bytes);

}  // namespace paddock::tools
