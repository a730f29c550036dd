#include "api/daemon.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "api/dashboard/dashboard.h"
#include "api/keys/key_ring.h"
#include "api/mcp_door.h"
#include "api/rest/router.h"
#include "api/session/configured.h"
#include "api/session/session_service.h"
#include "base/descriptor.h"
#include "base/id.h"
#include "net/server.h"
#include "registry/registry.h"
#include "registry/states/container_keeper.h"
#include "registry/states/directory_keeper.h"
#include "registry/states/journal_keeper.h"
#include "registry/states/laid_templates.h"

namespace paddock::api {
namespace {

// After the first look at what a killed daemon has left.
constexpr std::chrono::seconds kSweepAgain{20};

Error HostError(const std::string& what) {
  const auto code = static_cast<Code>(errno);
  return Error(code, what + ": " + std::string(CodeText(code)));
}

// That this process may have open.
size_t MostDescriptors() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? static_cast<size_t>(limit.rlim_cur) : 1024;
}

// Every directory of the path, the last one for nobody else.
Status MakeDirectory(const std::string& path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const bool is_last = slash == std::string::npos;
    if (mkdir(path.substr(0, slash).c_str(), is_last ? 0700 : 0755) != 0 && errno != EEXIST) return HostError("cannot make " + path.substr(0, slash));
    if (is_last) return {};
  }
}

// What a new virtual sandbox is made from; the registry keeps what of the request the wall does not see.
sandbox::SandboxSpec VirtualSpec(const registry::SandboxRequest& request) {
  sandbox::SandboxSpec spec;
  spec.hostname = request.hostname;
  spec.working_directory = request.working_directory;
  if (request.limits.disk_bytes) spec.disk_bytes = *request.limits.disk_bytes;
  if (request.limits.files) spec.disk_inodes = *request.limits.files;
  if (request.network.mode != policy::NetworkMode::kNone) {
    spec.policy.emplace();
    spec.policy->network = request.network;
  }
  return spec;
}

// Refuses what the virtual tier has not, rather than take no notice of it.
Status CheckVirtual(const registry::SandboxRequest& request) {
  if (!request.network.publish.empty()) return Error(Code::kInvalid, "network.publish: isolation 'virtual' has no ports; choose 'process' or 'container'");
  // One thread: it never has more than a core, and cannot be given less.
  if (request.limits.cpus && *request.limits.cpus < 1) return Error(Code::kInvalid, "limits.cpus: isolation 'virtual' cannot be held to less than one core");
  return {};
}

// What a container has where nobody says otherwise.
registry::RegistrySettings::Usual UsualContainer(const ContainerConfig& config, const registry::SandboxLimits& limits, const registry::Lease& lease) {
  registry::RegistrySettings::Usual usual{.limits = limits, .lease = lease};
  usual.limits.memory_bytes = config.settings.memory_bytes;
  usual.limits.processes = static_cast<uint64_t>(config.settings.pids);
  usual.limits.cpus = static_cast<double>(config.settings.nano_cpus) / 1e9;
  usual.limits.disk_bytes = config.settings.disk_bytes;
  usual.limits.files.reset();
  usual.lease.idle_ttl = config.auto_stop;
  usual.lease.remove_after = config.remove_after;
  usual.lease.on_expiry = registry::OnExpiry::kStop;
  return usual;
}

// A file in the data directory says that there may be something on an engine.
Status NoteContainers(const std::string& data) {
  const Descriptor file(open((data + "/containers").c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  return file.is_open() ? Status() : Status(HostError("cannot make " + data + "/containers"));
}

Status CheckNoContainer(const registry::SandboxRequest& request) {
  if (request.container == sandbox::ContainerChoice()) return {};
  return Error(Code::kInvalid, "image and runtime are for isolation 'container'; this one begins from templates");
}

// Refuses what a container is not given, rather than give it less.
Status CheckContainer(const registry::SandboxRequest& request, const registry::SandboxLimits& most) {
  const auto check = [](const char* name, const auto& asked, const auto& limit) -> Status {
    if (!asked || !limit || *asked <= *limit) return {};
    return Error(Code::kInvalid, std::string("limits.") + name + ": a container has at most " + std::to_string(*limit) + " here (containers." + name + ")");
  };
  PADDOCK_TRY(check("memory", request.limits.memory_bytes, most.memory_bytes));
  PADDOCK_TRY(check("processes", request.limits.processes, most.processes));
  PADDOCK_TRY(check("cpus", request.limits.cpus, most.cpus));
  PADDOCK_TRY(check("disk", request.limits.disk_bytes, most.disk_bytes));
  if (request.limits.files) return Error(Code::kInvalid, "limits.files: the files of a container are not counted; leave it out");
  return {};
}

class RunningDaemon final : public Daemon {
 public:
  RunningDaemon(Start start) : start_(std::move(start)) {}
  ~RunningDaemon() override { Stop(std::chrono::seconds(0)); }

  Status Begin() {
    const std::string& directory = start_.config.data.directory;
    PADDOCK_TRY(MakeDirectory(directory));
    PADDOCK_ASSIGN(records_, OpenRecords(start_.config.data));
    keys_ = std::make_unique<KeyRing>(*records_);
    PADDOCK_TRY(CheckKeys());
    PADDOCK_TRY(ConfigureContainers());
    PADDOCK_ASSIGN(std::shared_ptr<trees::Store> trees, trees::Store::Open(directory + "/trees"));
    PADDOCK_ASSIGN(std::shared_ptr<registry::UnpackedTemplates> unpacked, registry::UnpackedTemplates::Open(trees, directory + "/templates"));
    PADDOCK_ASSIGN(registry_, registry::Registry::Open(SettingsOf(directory, std::make_shared<registry::Bases>(std::move(trees)), std::move(unpacked)), *records_));
    SweepContainers();
    PADDOCK_TRY(ExpectContainers());
    PADDOCK_ASSIGN(sessions_, OpenSessions());
    services_ = std::make_unique<Services>(Services{.registry = *registry_, .version = start_.version, .scratch_directory = start_.config.data.directory, .sessions = sessions_.get(), .rates = start_.config.rates});
    router_ = std::make_unique<Router>(*services_, [this](const net::Request& request) { return Identify(request); });
    mcp_door_ = std::make_unique<McpDoor>(*sessions_, [this](const net::Request& request) { return Identify(request); });
    mcp_ = std::make_unique<mcp::HttpFace>(*mcp_door_, mcp::HttpFace::Settings{.version = start_.version, .log = start_.log, .requests = services_->requests});
    return Listen();
  }

  std::vector<net::Address> addresses() const override { return server_->addresses(); }
  const std::string& new_key_file() const override { return new_key_file_; }
  size_t sandboxes() const override { return registry_->count(); }

  void Stop(std::chrono::milliseconds grace) override {
    if (server_ != nullptr) server_->Stop(grace);
    server_.reset();
    router_.reset();
    mcp_.reset();
    mcp_door_.reset();
    sessions_.reset();
    container_sweep_.request_stop();
    if (container_sweep_.joinable()) container_sweep_.join();
    registry_.reset();
  }

 private:
  // Which containers on an engine are this daemon's, whoever else uses that.
  Result<std::string> Deployment() {
    const std::string path = start_.config.data.directory + "/deployment";
    const Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    std::string text(64, '\0');
    const ssize_t size = file.is_open() ? read(file.get(), text.data(), text.size()) : -1;
    if (size < 0) return HostError("cannot read " + path);
    text.resize(static_cast<size_t>(size));
    if (IsId(text, "dep_")) return text;
    text = NewId("dep_");
    if (ftruncate(file.get(), 0) != 0 || pwrite(file.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) return HostError("cannot write " + path);
    return text;
  }

  Status ConfigureContainers() {
    for (const auto& driver : start_.drivers->drivers()) {
      auto* const takes = dynamic_cast<sandbox::TakesContainerSettings*>(driver.get());
      if (takes == nullptr) continue;
      sandbox::ContainerSettings settings = start_.config.containers.settings;
      PADDOCK_ASSIGN(settings.deployment, Deployment());
      settings.state_directory = start_.config.data.directory + "/oci";
      PADDOCK_TRY(takes->Configure(std::move(settings), [log = start_.log](const std::string& line, bool is_last) {
        if (is_last && log) log(line);
      }));
    }
    return {};
  }

  // What a daemon that was killed has left on the engine; beside the rest, since an engine may be slow, or not there.
  void SweepContainers() {
    const std::string sandboxes = start_.config.data.directory + "/sandboxes";
    for (const auto& driver : start_.drivers->drivers()) {
      auto* const keeps = dynamic_cast<sandbox::KeepsSandboxes*>(driver.get());
      // Where no container was ever asked for nobody goes looking for an engine.
      if (keeps == nullptr || access((start_.config.data.directory + "/containers").c_str(), F_OK) != 0) continue;
      auto* const roots = dynamic_cast<sandbox::BeginsOnRoots*>(driver.get());
      const auto sweep = [keeps, sandboxes] {
        return keeps->Sweep([&](const std::string& key) {
          const auto kept = registry::ContainerKeeper::Keys(sandboxes);   // now: others are made meanwhile
          return !kept || kept->contains(key);
        });
      };
      const auto sweep_roots = [roots, sandboxes, templates = registry_->settings().templates]() -> Result<std::vector<std::string>> {
        if (roots == nullptr) return std::vector<std::string>();
        return roots->SweepRoots([&](const std::string& name) {
          const auto kept = registry::ContainerKeeper::RootNames(sandboxes);
          return !kept || kept->contains(name) || templates->HasTree(name);
        });
      };
      container_sweep_ = std::jthread([sweep, sweep_roots, log = start_.log](const std::stop_token& stop) {
        const auto tell = [&log](const Result<std::vector<std::string>>& swept) {
          if (!log) return;
          if (!swept) log("containers that an earlier daemon may have left were not looked for: " + std::string(swept.error().Text()));
          else for (const std::string& line : *swept) log("removed " + line + ", which an earlier daemon had left");
        };
        const auto swept = sweep();
        tell(swept);
        if (!swept) return;
        tell(sweep_roots());
        // The engine may still have been at an image that the daemon had asked for when it was killed.
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any over;
        over.wait_for(lock, stop, kSweepAgain, [] { return false; });
        if (!stop.stop_requested()) tell(sweep_roots());
      });
    }
  }

  // Those that stand ready are first of the kind that somebody gets who says nothing.
  Status ExpectContainers() {
    if (start_.config.containers.settings.warm == 0) return {};
    for (const auto& driver : start_.drivers->drivers()) {
      auto* const keeps = dynamic_cast<sandbox::KeepsSandboxes*>(driver.get());
      if (keeps == nullptr) continue;
      PADDOCK_TRY(NoteContainers(start_.config.data.directory));
      registry::SandboxRequest usual;
      usual.isolation = driver->name();
      registry_->settings().Complete(usual);
      keeps->Expect(registry::ContainerKeeper::SpecOf(usual));
    }
    return {};
  }

  // Somebody has to be able to use it; beyond this machine nobody without a key may.
  Status CheckKeys() {
    PADDOCK_ASSIGN(const bool has_key, keys_->HasUsable());
    if (has_key) return {};
    if (!start_.config.server.IsLoopback()) {
      return Error(Code::kAccess, "server.address " + start_.config.server.address +
                                      " is reached by others, and there is no key; make one first: paddock key create --role admin NAME");
    }
    const std::string path = start_.config.data.directory + "/admin.key";
    unlink(path.c_str());   // of a key that is good no more
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file.is_open()) return HostError("cannot write " + path);
    PADDOCK_ASSIGN(const NewKey key, keys_->Create({.owner = "admin", .role = Role::kAdmin, .label = "made by the first start"}));
    const std::string text = key.text + "\n";
    if (write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) return HostError("cannot write " + path);
    new_key_file_ = path;
    return {};
  }

  registry::RegistrySettings SettingsOf(const std::string& directory, std::shared_ptr<registry::Bases> bases, std::shared_ptr<registry::UnpackedTemplates> unpacked) {
    const Config& config = start_.config;
    registry::RegistrySettings settings;
    settings.directory = directory;
    settings.bases = bases;
    settings.unpacked = std::move(unpacked);
    if (config.retention.unreferenced) {   // "none": whoever wants a collection asks for it
      settings.collect_grace = *config.retention.unreferenced;
      settings.clean_every = std::chrono::hours(1);
    }
    settings.keep_events = config.retention.events;
    settings.most_events = static_cast<size_t>(config.retention.event_count.value_or(records::kMaxCounter));
    settings.keep_output = config.retention.output;
    settings.most_log_bytes = config.retention.log_bytes.value_or(records::kMaxCounter);
    settings.keep_deleted = config.retention.deleted;
    settings.key_lifetime = config.retention.idempotency_keys.value_or(registry::Duration(records::kMaxCounter / 1'000'000));
    const auto kept = [](const QuotaConfig& quota) {
      return registry::KeptLimits{.most = static_cast<size_t>(quota.snapshots.value_or(records::kMaxCounter)),
                                  .most_bytes = quota.snapshot_bytes.value_or(records::kMaxCounter)};
    };
    std::map<std::string, registry::KeptLimits> kept_of_owners;
    for (const auto& [owner, quota] : config.owner_quotas) kept_of_owners[owner] = kept(quota);
    settings.snapshots = std::make_shared<registry::Snapshots>(bases->store(), *records_, kept(config.quota), kept_of_owners);
    settings.templates = std::make_shared<registry::Templates>(bases->store(), *records_, kept(config.quota), std::move(kept_of_owners));
    settings.default_isolation = config.isolation;
    const policy::ResourceLimits& limits = config.limits;
    settings.default_limits = {.memory_bytes = limits.memory_bytes, .processes = limits.processes, .cpus = limits.cpus, .disk_bytes = limits.disk_bytes,
                               .files = limits.files, .output_bytes = limits.output_bytes};
    if (limits.time) settings.default_limits.exec_time = std::chrono::duration_cast<registry::Duration>(*limits.time);
    if (limits.cpu_time) settings.default_limits.cpu_time = std::max(std::chrono::duration_cast<registry::Duration>(*limits.cpu_time), registry::Duration(1));
    settings.default_lease = {.ttl = config.lease.ttl, .idle_ttl = config.lease.idle_ttl, .max_lifetime = config.lease.max_lifetime};
    if (const auto action = registry::ParseOnExpiry(config.lease.on_expiry)) settings.default_lease.on_expiry = *action;
    const auto most = [](const std::optional<uint64_t>& count) { return static_cast<size_t>(count.value_or(records::kMaxCounter)); };
    settings.most_per_owner = most(config.quota.sandboxes);
    settings.most_containers_per_owner = most(config.quota.containers);
    settings.most_execs_per_owner = most(config.quota.execs);
    for (const auto& [owner, quota] : config.owner_quotas) {
      settings.owners[owner] = {.sandboxes = most(quota.sandboxes), .containers = most(quota.containers), .execs = most(quota.execs)};
    }
    for (const auto& driver : start_.drivers->drivers()) {
      const std::string isolation = driver->name();
      if (isolation == "virtual") {
        settings.isolations[isolation] = [driver = driver.get(), bases](const registry::SandboxInfo& info, const std::string& own) -> Result<std::unique_ptr<registry::Keeper>> {
          PADDOCK_TRY(CheckNoContainer(info.request));
          PADDOCK_TRY(CheckVirtual(info.request));
          return std::unique_ptr<registry::Keeper>(std::make_unique<registry::JournalKeeper>(*driver, VirtualSpec(info.request), bases, !info.request.base.empty(), own));
        };
        if (auto* lays = dynamic_cast<sandbox::LaysBases*>(driver.get())) {
          settings.beginners[isolation] = {.begin = [laid = std::make_shared<registry::LaidTemplates>(*lays, bases)](trees::Session& session, const registry::TemplateInfo& info) {
                                             return laid->Begin(session, info);
                                           }};
        }
      } else if (isolation == "process") {
        settings.isolations[isolation] = [driver = driver.get(), unpacked = settings.unpacked](const registry::SandboxInfo& info, const std::string& own) -> Result<std::unique_ptr<registry::Keeper>> {
          PADDOCK_TRY(CheckNoContainer(info.request));
          return registry::DirectoryKeeper::Make(*driver, info, own, unpacked);
        };
        settings.beginners[isolation] = {.begin = registry::DirectoryKeeper::Begin, .runs_programs = true};
      } else if (isolation == "oci" || isolation == "gvisor") {
        settings.usual[isolation] = UsualContainer(config.containers, settings.default_limits, settings.default_lease);
        settings.usual[isolation].lease = settings.default_lease;
        settings.usual[isolation].limits.disk_bytes.reset();   // they keep none
        settings.isolations[isolation] = [driver = driver.get(), unpacked = settings.unpacked, most = settings.usual[isolation].limits](
                                             const registry::SandboxInfo& info, const std::string& own) -> Result<std::unique_ptr<registry::Keeper>> {
          PADDOCK_TRY(CheckNoContainer(info.request));
          PADDOCK_TRY(CheckContainer(info.request, most));
          if (info.request.base.empty()) return Error(Code::kInvalid, "template: isolation '" + info.request.isolation + "' begins from one; build it from an image or a root directory (paddock template create)");
          return registry::DirectoryKeeper::Make(*driver, info, own, unpacked);
        };
        settings.beginners[isolation] = {.begin = registry::DirectoryKeeper::Begin, .runs_programs = true};
      } else if (isolation == "container") {
        settings.usual[isolation] = UsualContainer(config.containers, settings.default_limits, settings.default_lease);
        const auto is_template = [templates = settings.templates](const trees::ObjectId& tree) { return templates->HasTree(registry::ContainerKeeper::RootName(tree)); };
        settings.isolations[isolation] = [driver = driver.get(), is_template, most = settings.usual[isolation].limits, store = settings.bases->store(), data = directory](const registry::SandboxInfo& info, const std::string& own) -> Result<std::unique_ptr<registry::Keeper>> {
          PADDOCK_TRY(CheckContainer(info.request, most));
          PADDOCK_TRY(NoteContainers(data));
          return registry::ContainerKeeper::Make(*driver, info, own, store, is_template);
        };
        if (auto* const roots = dynamic_cast<sandbox::BeginsOnRoots*>(driver.get())) {
          settings.beginners[isolation] = {.begin = [driver = driver.get()](trees::Session& session, const registry::TemplateInfo& info) { return registry::ContainerKeeper::Begin(*driver, session, info); },
                                           .runs_programs = true, .takes_user = !roots->has_own_roots()};
          settings.template_gone = [roots, is_template, data = start_.config.data.directory](const trees::ObjectId& tree) {
            // Where no container was ever asked for nobody goes looking for an engine.
            if (access((data + "/containers").c_str(), F_OK) == 0 && !is_template(tree)) (void)roots->DropRoot({}, registry::ContainerKeeper::RootName(tree));
          };
        }
      }
    }
    return settings;
  }

  Result<std::unique_ptr<SessionService>> OpenSessions() {
    const Config& config = start_.config;
    PADDOCK_ASSIGN(Configured configured, ReadConfigured(config.harnesses, config.agents));
    SessionService::Settings settings{.deployment = {.isolations = {}, .features = start_.features}, .harnesses = std::move(configured.harnesses), .agents = std::move(configured.agents), .sessions = {}, .log = start_.log};
    for (const std::string& isolation : registry_->isolations()) settings.deployment.isolations.insert(isolation);
    const auto most = [](const std::optional<uint64_t>& count) { return static_cast<size_t>(count.value_or(records::kMaxCounter)); };
    const auto limits_of = [&](const QuotaConfig& quota) {
      return registry::SessionSettings::OwnerLimits{.sessions = most(quota.sessions), .sandboxes = most(quota.session_sandboxes), .containers = most(quota.session_containers)};
    };
    const auto usual = limits_of(config.quota);
    settings.sessions.most_per_owner = usual.sessions;
    settings.sessions.most_sandboxes = usual.sandboxes;
    settings.sessions.most_containers = usual.containers;
    for (const auto& [owner, quota] : config.owner_quotas) settings.sessions.owners[owner] = limits_of(quota);
    return SessionService::Open(std::move(settings), *registry_, *records_);
  }

  // A key, or a process of the same user on the unix socket.
  Result<Identity> Identify(const net::Request& request) {
    const std::string* header = request.Header("Authorization");
    if (header == nullptr && request.peer.is_unix && request.peer.user && *request.peer.user == geteuid()) {
      return Identity{.caller = {.owner = "admin", .is_admin = true}, .most = Access::kAdmin};
    }
    if (header == nullptr || !header->starts_with("Bearer ") || request.CountHeader("Authorization") != 1) {
      return Error(Code::kAccess, "no key; send 'Authorization: Bearer KEY'");
    }
    PADDOCK_ASSIGN(const KeyInfo key, keys_->Verify(header->substr(7)));
    const Access most = key.role == Role::kAdmin ? Access::kAdmin : key.role == Role::kUser ? Access::kUse : Access::kRead;
    return Identity{.caller = {.owner = key.owner, .is_admin = key.role == Role::kAdmin}, .most = most};
  }

  void Handle(net::Exchange& exchange) {
    if (exchange.request().path == "/mcp") mcp_->Handle(exchange);
    else if (!ServeDashboard(exchange)) router_->Handle(exchange);
  }

  Status Listen() {
    const ServerConfig& config = start_.config.server;
    net::ServerOptions options;
    const bool has_tls = !config.tls_certificate.empty();
    options.listeners.push_back({.address = {.host = config.address, .port = config.port}, .is_tls = has_tls});
    options.listeners.push_back({.address = {.is_unix = true, .host = start_.config.data.directory + "/paddock.sock"}});
    if (has_tls) options.tls = net::TlsFiles{.certificate = config.tls_certificate, .key = config.tls_key};
    if (config.IsLoopback()) options.allows_host = net::IsLoopbackHost;
    options.refusal_body = [](int status, std::string_view reason) {
      const Code code = status == 408 ? Code::kTimedOut : status == 413 ? Code::kFileTooBig : status == 503 ? Code::kLimit : Code::kInvalid;
      return ErrorText(Error(code, std::string(reason)));
    };
    options.refusal_type = "application/json";
    options.limits.handlers = kMostHandlers;
    options.limits.connections = std::min(kMostConnections, MostDescriptors() / 2);
    if (options.limits.connections < kMostConnections && start_.log) {
      start_.log("this process may open " + std::to_string(MostDescriptors()) + " files: at most " + std::to_string(options.limits.connections) +
                 " connections; a higher limit (ulimit -Hn, LimitNOFILE= of systemd) allows more");
    }
    PADDOCK_ASSIGN(server_, net::Server::Start(std::move(options), [this](net::Exchange& exchange) { Handle(exchange); }));
    return {};
  }

  const Start start_;
  std::unique_ptr<records::Records> records_;
  std::unique_ptr<KeyRing> keys_;
  std::unique_ptr<registry::Registry> registry_;
  std::unique_ptr<SessionService> sessions_;
  std::unique_ptr<Services> services_;
  std::unique_ptr<Router> router_;
  std::unique_ptr<McpDoor> mcp_door_;
  std::unique_ptr<mcp::HttpFace> mcp_;
  std::unique_ptr<net::Server> server_;
  std::string new_key_file_;
  std::jthread container_sweep_;
};

}  // namespace

Result<std::unique_ptr<Daemon>> Daemon::Open(Start start) {
  auto daemon = std::make_unique<RunningDaemon>(std::move(start));
  PADDOCK_TRY(daemon->Begin());
  return std::unique_ptr<Daemon>(std::move(daemon));
}

Result<std::unique_ptr<records::Records>> OpenRecords(const DataConfig& config) {
  PADDOCK_TRY(MakeDirectory(config.directory));
  return records::Records::Open({.location = config.database,
                                 .durability = config.durability == CommitWait::kPower ? records::Durability::kPower : records::Durability::kProcess,
                                 .schema = config.schema});
}

}  // namespace paddock::api
