#include "tools/session/direct_session.h"

#include "tools/session/rooted_files.h"
#include "tools/session/session_network.h"

namespace paddock::tools {
namespace {

constexpr size_t kMaxKeys = 1000;
constexpr size_t kMaxKeyBytes = 8u << 20;
constexpr const char* kWorkspace = "/workspace";

Error TooMuch(const char* name, uint64_t limit) {
  return Error(Code::kInvalid, std::string(name) + ": must be at most " + std::to_string(limit) + ", what this session gives");
}

class MemoryKeys final : public KeyValueStore {
 public:
  MemoryKeys(size_t max_keys, size_t max_bytes) : max_keys_(max_keys), max_bytes_(max_bytes) {}

  Result<std::optional<std::string>> Get(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(key);
    return found == values_.end() ? std::optional<std::string>() : std::optional<std::string>(found->second);
  }
  Status Set(const std::string& key, const std::string& value) override {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(key);
    const size_t old_bytes = found == values_.end() ? 0 : key.size() + found->second.size();
    if (found == values_.end() && values_.size() >= max_keys_) return Error(Code::kQuota, "there are " + std::to_string(max_keys_) + " keys, the most there may be; delete some");
    if (bytes_ - old_bytes + key.size() + value.size() > max_bytes_) return Error(Code::kQuota, "all keys and values together may have " + std::to_string(max_bytes_) + " bytes; delete some");
    bytes_ += key.size() + value.size() - old_bytes;
    values_[key] = value;
    return {};
  }
  Result<bool> Delete(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(key);
    if (found == values_.end()) return false;
    bytes_ -= key.size() + found->second.size();
    values_.erase(found);
    return true;
  }
  Result<std::vector<std::string>> List(const std::string& prefix) override {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> keys;
    for (auto at = values_.lower_bound(prefix); at != values_.end() && at->first.starts_with(prefix); ++at) keys.push_back(at->first);
    return keys;
  }

 private:
  const size_t max_keys_;
  const size_t max_bytes_;
  std::mutex mutex_;
  std::map<std::string, std::string> values_;
  size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<KeyValueStore> MakeMemoryKeys(size_t max_keys, size_t max_bytes) { return std::make_unique<MemoryKeys>(max_keys, max_bytes); }

DirectSession::DirectSession(const sandbox::DriverSet& drivers, DirectSettings settings)
    : drivers_(drivers), settings_(std::move(settings)), id_(NewId("ses_")), keys_(MakeMemoryKeys(kMaxKeys, kMaxKeyBytes)) {}

Result<std::shared_ptr<DirectSandbox>> DirectSession::Make(const CreateRequest& request) {
  if (!request.from_template.empty()) return Error(Code::kUnavailable, "template: there are none without a daemon; leave it out");
  if (request.image) return Error(Code::kUnavailable, "image: this isolation has no images; leave it out");
  if (!request.engine.empty() || !request.ports.empty()) return Error(Code::kUnavailable, "this isolation has no container engine and no ports to publish");
  if (request.runtime) return Error(Code::kUnavailable, "runtime: this isolation has no container runtimes; leave it out");
  if (request.auto_stop) return Error(Code::kUnavailable, "auto_stop_minutes: sandboxes of this session stop only when they are told; leave it out");
  if (request.limits.cpus) return Error(Code::kUnavailable, "cpu_limit: this isolation shares one core; leave it out");
  PADDOCK_ASSIGN(policy::NetworkRules network, NetworkOf(request));
  const std::string isolation = request.isolation.empty() ? settings_.isolation : request.isolation;
  PADDOCK_ASSIGN(sandbox::Driver* const driver, drivers_.Find(isolation));
  sandbox::SandboxSpec spec;
  spec.working_directory = request.working_directory;
  spec.disk_bytes = settings_.disk_bytes;
  const bool has_network = network.mode != policy::NetworkMode::kNone;
  if (has_network) spec.policy.emplace().network = std::move(network);
  Limits limits = settings_.limits;
  const auto lower = [](const std::optional<uint64_t>& asked, uint64_t& limit, const char* name) -> Status {
    if (asked && *asked > limit) return TooMuch(name, limit);
    if (asked) limit = *asked;
    return {};
  };
  PADDOCK_TRY(lower(request.limits.disk_bytes, spec.disk_bytes, "disk_limit"));
  PADDOCK_TRY(lower(request.limits.memory_bytes, limits.memory_bytes, "memory_limit"));
  PADDOCK_TRY(lower(request.limits.processes, limits.processes, "pids_limit"));
  PADDOCK_ASSIGN(std::unique_ptr<sandbox::Sandbox> made, driver->Create(spec));
  SandboxInfo info;
  info.id = NewId("sbx_");
  info.name = request.name;
  info.title = request.title;
  info.isolation = isolation;
  info.network = has_network ? NetworkReach::kEgress : NetworkReach::kNone;
  info.working_directory = request.working_directory;
  info.limits = {.memory_bytes = limits.memory_bytes, .cpus = {}, .processes = limits.processes, .disk_bytes = spec.disk_bytes};
  return std::make_shared<DirectSandbox>(std::move(made), std::move(info), request.environment, limits,
                                         [this](std::shared_ptr<DirectSandbox> fork) { return Adopt(std::move(fork)); });
}

Result<std::shared_ptr<SandboxAccess>> DirectSession::Create(const CreateRequest& request) {
  if (request.is_of_a_tool) {
    PADDOCK_ASSIGN(std::shared_ptr<DirectSandbox> own, Own());
    return std::shared_ptr<SandboxAccess>(std::move(own));
  }
  {
    const std::lock_guard lock(mutex_);
    Forget();
    for (const Known& known : known_) {
      if (!request.idempotency_key.empty() && known.idempotency_key == request.idempotency_key) return std::shared_ptr<SandboxAccess>(known.sandbox);
    }
  }
  CreateRequest named = request;
  {
    const std::lock_guard lock(mutex_);
    if (named.name.empty()) named.name = "sandbox-" + std::to_string(++made_);
  }
  PADDOCK_ASSIGN(std::shared_ptr<DirectSandbox> made, Make(named));
  PADDOCK_TRY(Adopt(made));
  if (!request.idempotency_key.empty()) {
    const std::lock_guard lock(mutex_);
    for (Known& known : known_) {
      if (known.sandbox == made) known.idempotency_key = request.idempotency_key;
    }
  }
  return std::shared_ptr<SandboxAccess>(std::move(made));
}

Status DirectSession::Adopt(std::shared_ptr<DirectSandbox> sandbox) {
  const std::string name = sandbox->Inspect().name;
  const std::lock_guard lock(mutex_);
  Forget();
  if (known_.size() >= settings_.max_sandboxes) {
    return Error(Code::kQuota, "this session has " + std::to_string(known_.size()) + " sandboxes, the most it may have; remove one with sandbox_manage");
  }
  for (const Known& known : known_) {
    if (!name.empty() && known.sandbox->Inspect().name == name) return Error(Code::kExists, "name: there is a sandbox '" + name + "' already; choose another name");
  }
  known_.push_back({std::move(sandbox), {}});
  return {};
}

void DirectSession::Forget() {
  std::erase_if(known_, [](const Known& known) { return known.sandbox->is_removed(); });
}

Result<std::vector<SandboxInfo>> DirectSession::List() {
  const std::lock_guard lock(mutex_);
  Forget();
  std::vector<SandboxInfo> list;
  for (const Known& known : known_) list.push_back(known.sandbox->Inspect());
  return list;
}

Result<std::shared_ptr<SandboxAccess>> DirectSession::Find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  Forget();
  for (const Known& known : known_) {
    const SandboxInfo info = known.sandbox->Inspect();
    if (info.id == id || (!info.name.empty() && info.name == id)) return std::shared_ptr<SandboxAccess>(known.sandbox);
  }
  return Error(Code::kNoEntry, "this session has no sandbox " + id + "; sandbox_list shows those it has");
}

Result<std::shared_ptr<DirectSandbox>> DirectSession::Own() {
  const std::lock_guard lock(mutex_);
  if (!own_) {
    CreateRequest request;
    request.isolation = "virtual";
    request.working_directory = kWorkspace;
    PADDOCK_ASSIGN(own_, Make(request));
  }
  return own_;
}

Result<std::shared_ptr<void>> DirectSession::Watch(const WatchRequest& request, WatchListener listener) {
  std::shared_ptr<DirectSandbox> sandbox;
  std::string root;
  if (request.sandbox.empty()) {
    PADDOCK_ASSIGN(sandbox, Own());
    root = kWorkspace;
  } else {
    PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> found, Find(request.sandbox));
    sandbox = std::static_pointer_cast<DirectSandbox>(found);
  }
  registry::FileWatches::Listener inner{
      .on_event =
          [root, tell = std::move(listener.on_event)](const sandbox::FileEvent& event) {
            tell(Below(root, event));
            return true;
          },
      .on_end = std::move(listener.on_end),
      .on_round = std::move(listener.on_round)};
  const std::string path = request.directory == "/" && !root.empty() ? root : root + request.directory;
  PADDOCK_ASSIGN(const uint64_t number,
                 watches_.Add({.sandbox = sandbox->Inspect().id, .owner = id_}, path,
                              [&] { return sandbox->WatchFiles(path, request.is_recursive); }, std::move(inner)));
  return std::shared_ptr<void>(nullptr, [this, number](void*) { watches_.Remove(number); });
}

Result<FileLease> DirectSession::Files() {
  PADDOCK_ASSIGN(const std::shared_ptr<DirectSandbox> own, Own());
  PADDOCK_ASSIGN(FileLease whole, own->Files());
  struct Both {
    FileLease lease;
    RootedFiles files;
  };
  auto both = std::make_shared<Both>(Both{whole, RootedFiles(*whole, kWorkspace)});
  return FileLease(both, both->files);
}

}  // namespace paddock::tools
