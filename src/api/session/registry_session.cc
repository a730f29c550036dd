#include "api/session/registry_session.h"

#include "tools/session/rooted_files.h"
#include "tools/session/session_network.h"

namespace paddock::api {
namespace {

Error NotHere(const char* what) {
  return Error(Code::kUnavailable, what);
}

// What was asked for, else what is configured, else the daemon's own; never more than the ceiling.
template <class T>
Status Lower(const char* name, const std::optional<T>& asked, const std::optional<T>& configured, const std::optional<T>& usual, std::optional<T>& limit) {
  const std::optional<T>& ceiling = configured ? configured : usual;
  if (asked && ceiling && *asked > *ceiling) return Error(Code::kInvalid, std::string(name) + ": must be at most " + std::to_string(*ceiling) + ", what this session gives");
  limit = asked ? asked : ceiling;
  return {};
}

}  // namespace

RegistrySession::RegistrySession(registry::Registry& registry, std::shared_ptr<registry::Session> session, tools::SandboxLimits configured)
    : context_{.registry = registry, .session = std::move(session), .unkept = std::make_shared<Unkept>()}, configured_(configured), keys_(*context_.session) {}

Result<std::shared_ptr<tools::SandboxAccess>> RegistrySession::Create(const tools::CreateRequest& request) {
  if (request.is_of_a_tool) {
    PADDOCK_ASSIGN(const registry::SandboxInfo storage, context_.session->Storage());
    return Access(storage);
  }
  const registry::RegistrySettings& settings = context_.registry.settings();
  const std::string& isolation = request.isolation.empty() ? settings.default_isolation : request.isolation;
  const bool is_container = isolation == "container";
  if (request.image && !is_container) return NotHere("image: this isolation has no images; leave it out");
  if (!request.engine.empty() && !is_container) return NotHere("docker_host: this isolation has no container engine");
  if (request.runtime && !is_container) return NotHere("runtime: this isolation has no container runtimes; leave it out");
  if (!request.ports.empty() && isolation == "virtual") return NotHere("allowed_ports: isolation 'virtual' has no ports; leave it out");
  registry::SandboxRequest made;
  made.container = {.engine = request.engine, .image = request.image.value_or(""), .runtime = request.runtime.value_or("")};
  PADDOCK_ASSIGN(made.network, tools::NetworkOf(request));
  if (!request.from_template.empty()) made.base = "template:" + request.from_template;
  for (const uint16_t port : request.ports) made.network.publish.push_back({.host = 0, .guest = port});
  made.name = request.name;
  made.isolation = isolation;
  made.environment = request.environment;
  made.working_directory = request.working_directory;
  if (!request.title.empty()) made.labels[kTitleLabel] = request.title;
  const registry::SandboxLimits& usual = settings.UsualLimits(isolation);
  PADDOCK_TRY(Lower("memory_limit", request.limits.memory_bytes, configured_.memory_bytes, usual.memory_bytes, made.limits.memory_bytes));
  PADDOCK_TRY(Lower("disk_limit", request.limits.disk_bytes, configured_.disk_bytes, usual.disk_bytes, made.limits.disk_bytes));
  PADDOCK_TRY(Lower("pids_limit", request.limits.processes, configured_.processes, usual.processes, made.limits.processes));
  PADDOCK_TRY(Lower("cpu_limit", request.limits.cpus, configured_.cpus, usual.cpus, made.limits.cpus));
  if (request.auto_stop) {
    made.lease.idle_ttl = *request.auto_stop;
    made.lease.on_expiry = registry::OnExpiry::kStop;
    made.has_on_expiry = true;
  }
  PADDOCK_ASSIGN(const registry::SandboxInfo info, context_.session->Create(std::move(made), request.idempotency_key));
  return Access(info);
}

Result<std::vector<tools::SandboxInfo>> RegistrySession::List() {
  std::vector<tools::SandboxInfo> list;
  for (const registry::SandboxInfo& info : context_.session->List()) list.push_back(ToolInfoOf(context_.registry, info));
  return list;
}

Result<std::shared_ptr<tools::SandboxAccess>> RegistrySession::Find(const std::string& id) {
  PADDOCK_ASSIGN(const registry::SandboxInfo info, context_.session->Find(id));
  return Access(info);
}

Result<std::shared_ptr<void>> RegistrySession::Watch(const tools::WatchRequest& request, tools::WatchListener listener) {
  std::string root;   // of session storage in its sandbox
  std::string id;
  if (request.sandbox.empty()) {
    PADDOCK_ASSIGN(const registry::SandboxInfo storage, context_.session->Storage());
    id = storage.id;
    root = storage.request.working_directory;
  } else {
    PADDOCK_ASSIGN(const registry::SandboxInfo info, context_.session->Find(request.sandbox));
    id = info.id;
  }
  registry::FileWatches::Listener inner{
      .on_event =
          [root, tell = std::move(listener.on_event)](const sandbox::FileEvent& event) {
            tell(tools::Below(root, event));
            return true;
          },
      .on_end = std::move(listener.on_end),
      .on_round = std::move(listener.on_round)};
  registry::Registry& registry = context_.registry;
  const std::string path = root.empty() || request.directory == "/" ? (root.empty() ? request.directory : root) : root + request.directory;
  PADDOCK_ASSIGN(const uint64_t number, registry.WatchFiles(context_.session->caller(), id, path, request.is_recursive, std::move(inner)));
  return std::shared_ptr<void>(nullptr, [&registry, number](void*) { registry.StopWatching(number); });
}

Result<tools::FileLease> RegistrySession::Files() {
  PADDOCK_ASSIGN(const registry::SandboxInfo storage, context_.session->Storage());
  PADDOCK_ASSIGN(tools::FileLease whole, RegistrySandbox(context_, storage).Files());
  struct Both {
    tools::FileLease lease;
    tools::RootedFiles files;
  };
  auto both = std::make_shared<Both>(Both{whole, tools::RootedFiles(*whole, storage.request.working_directory)});
  vfs::FileSystem& files = both->files;
  return tools::FileLease(std::move(both), files);
}

}  // namespace paddock::api
