#include "drivers/oci/sandbox_plan.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "base/random.h"
#include "drivers/oci/cgroups.h"
#include "policy/context.h"

namespace paddock::oci {
namespace {

// Where containers live among the host's ids: far from people, other containers and dynamic users.
constexpr uint32_t kFirstHostId = 0x71000000;
constexpr uint32_t kHostIdPairs = 1 << 23;
constexpr uint32_t kStrictUser = 1000;

uint32_t DrawHostIds() {
  std::array<uint8_t, 4> lot{};
  FillRandom(lot);
  uint32_t number = 0;
  std::memcpy(&number, lot.data(), sizeof number);
  return kFirstHostId + number % kHostIdPairs * 2;
}

bool IsHostname(const std::string& text) {
  const auto fits = [](char one) { return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9') || one == '-' || one == '.'; };
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), fits);
}

// Absolute, without anything that leads elsewhere, and no place that the container needs itself.
Status CheckHome(const std::string& home) {
  bool is_odd = !home.starts_with('/') || home == "/" || home.size() > 1000 || home.ends_with('/') || (home + "/").find("/../") != home.npos ||
                (home + "/").find("/./") != home.npos || home.find("//") != home.npos;
  for (const char* own : {"/proc", "/sys", "/dev", "/.paddock", "/etc", "/tmp", "/var/tmp", "/run", kWorkspace}) is_odd |= policy::IsWithin(home, own);
  for (const char* own : {"/var/tmp", kWorkspace}) is_odd |= policy::IsWithin(own, home);
  if (is_odd) return Error(Code::kInvalid, "home: '" + home.substr(0, 200) + "' is no place for a home in a container; name one such as /home/agent");
  return {};
}

class Planner {
 public:
  Planner(const sandbox::SandboxSpec& spec, const OciSettings& settings, const PlanPlaces& places) : spec_(spec), settings_(settings), places_(places) {
    if (spec.policy) policy_ = *spec.policy;
  }

  Result<SandboxPlan> Make() {
    PADDOCK_TRY(Begin());
    PADDOCK_TRY(AddRoot());
    PADDOCK_TRY(AddPrivatePlaces());
    PADDOCK_TRY(AddKeptPlaces());
    AddSkeleton();
    return std::move(plan_);
  }

 private:
  Status Begin() {
    BundleSpec& bundle = plan_.bundle;
    if (!IsHostname(spec_.hostname)) return Error(Code::kInvalid, "hostname: '" + spec_.hostname.substr(0, 100) + "' is no name of letters, digits, '-' and '.', at most 64");
    bundle.stage = plan_.stage.over = places_.stage;
    bundle.hostname = spec_.hostname;
    bundle.user = settings_.profile == Profile::kDev ? 0 : kStrictUser;
    if (spec_.wall_user) bundle.user = spec_.wall_user->uid;
    bundle.first_host_id = DrawHostIds();
    root_ = {bundle.first_host_id, bundle.first_host_id};
    const uint32_t user = bundle.first_host_id + (bundle.user == 0 ? 0 : 1);
    user_ = {user, user};
    const policy::ResourceLimits& limits = policy_.limits;
    bundle.memory_bytes = std::min(settings_.memory_bytes, limits.memory_bytes.value_or(UINT64_MAX));
    bundle.limits_swap = CountsSwap();
    bundle.pids = static_cast<int64_t>(std::min<uint64_t>(static_cast<uint64_t>(settings_.pids), limits.processes.value_or(UINT64_MAX)));
    bundle.nano_cpus = settings_.nano_cpus;
    if (limits.cpus) bundle.nano_cpus = std::min(bundle.nano_cpus, static_cast<int64_t>(std::min(*limits.cpus, 1e6) * 1e9));
    bundle.open_files = std::min(settings_.open_files, limits.open_files.value_or(UINT64_MAX));
    bundle.seccomp = {.allows_ptrace = policy_.kernel.ptrace, .allows_set_id = settings_.profile == Profile::kDev && places_.store.empty()};
    bundle.file_bytes = limits.file_bytes.value_or(0);
    private_bytes_ = std::min({settings_.private_bytes, bundle.memory_bytes, limits.disk_bytes.value_or(UINT64_MAX)});
    return {};
  }

  // Places a directory of the host, with its owner's files shown as `in_use`'s.
  Status AddTree(const std::string& source, const std::string& owned, const std::string& place, Owner in_use, bool is_writable, bool may_lack_map) {
    struct stat facts{};
    if (lstat(owned.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) {
      return Error(errno == ENOENT ? Code::kNoEntry : Code::kNotDirectory, owned + " is no directory that a container's " + place + " could be");
    }
    const Owner on_disk{facts.st_uid, facts.st_gid};
    int map = -1;
    for (const Made& one : made_) {
      if (one.on_disk == on_disk && one.in_use == in_use) map = one.map;
    }
    if (map < 0) {
      PADDOCK_ASSIGN(Descriptor made, MakeIdMap(on_disk, in_use));
      map = made.get();
      made_.push_back({on_disk, in_use, map});
      plan_.id_maps.push_back(std::move(made));
    }
    plan_.stage.trees.push_back({.source = source, .place = place, .id_map = map, .is_writable = is_writable, .may_lack_map = may_lack_map});
    return {};
  }

  Status AddRoot() {
    const std::string& root = policy_.files.root.empty() ? settings_.root : policy_.files.root;
    if (root.empty()) {
      return Error(Code::kInvalid, "a container begins from a root file system: begin it from a template, or set 'root' of the " + settings_.name +
                                       " driver to a directory with one (as debootstrap makes)");
    }
    struct stat given{}, host{};
    if (stat(root.c_str(), &given) == 0 && stat("/", &host) == 0 && given.st_dev == host.st_dev && given.st_ino == host.st_ino) {
      return Error(Code::kInvalid, "root: " + root + " is the host's own root, with its users' files and keys; name a directory with a root file system of its own");
    }
    const bool has_store = !places_.store.empty(), is_writable = has_store || settings_.profile == Profile::kDev;
    // What is kept belongs to one user outside, who is the sandbox's user inside.
    const Owner owner = has_store ? user_ : root_;
    PADDOCK_TRY(AddTree(root, root, "lower", owner, false, !is_writable));
    plan_.bundle.has_writable_root = is_writable;
    plan_.stage.overlay_user = owner_ = owner;
    plan_.stage.root_layers = "userxattr,lowerdir=skeleton:lower";
    if (is_writable) plan_.stage.root_layers += ",upperdir=upper/upper,workdir=upper/work";
    if (has_store) {
      PADDOCK_TRY(AddTree(places_.store, places_.store + "/upper", "upper", owner, true, false));
    } else if (is_writable) {
      AddMemory("upper");
      for (const char* name : {"upper/upper", "upper/work"}) plan_.stage.directories.push_back({.path = name, .mode = 0755, .owner = owner});
    }
    plan_.stage.trees.push_back({.source = places_.agent_directory, .place = "agent"});
    plan_.stage.tools_layers = "userxattr,lowerdir=agent:empty";   // so that no path of the host stands in the container's table of mounts
    Show("tools", kAgentDirectory, false);
    return {};
  }

  void AddMemory(const char* place) {
    plan_.stage.memory.push_back({.place = place, .options = "mode=755,size=" + std::to_string(private_bytes_) + ",nr_inodes=" +
                                                             std::to_string(std::max<uint64_t>(private_bytes_ / 2048, 64))});
  }

  void Show(const std::string& place, const std::string& target, bool is_writable) {
    plan_.bundle.mounts.push_back({.place = place, .target = target, .is_writable = is_writable});
    targets_.insert(target);
  }

  void ShowPrivate(const std::string& name, const std::string& target, mode_t mode, Owner owner) {
    plan_.stage.directories.push_back({.path = "private/" + name, .mode = mode, .owner = owner});
    Show("private/" + name, target, true);
  }

  Status AddPrivatePlaces() {
    AddMemory("private");
    ShowPrivate("tmp", "/tmp", 01777, root_);
    ShowPrivate("var-tmp", "/var/tmp", 01777, root_);
    ShowPrivate("run", "/run", 0755, user_);
    ShowPrivate("shm", "/dev/shm", 01777, root_);
    return {};
  }

  Status AddKeptPlaces() {
    const policy::FileRules& files = policy_.files;
    if (files.workspace.empty()) {
      ShowPrivate("workspace", kWorkspace, 0755, user_);
    } else {
      const bool is_writable = files.workspace_mode != policy::WorkspaceMode::kReadOnly;
      PADDOCK_TRY(AddTree(files.workspace, files.workspace, "workspace", user_, is_writable, !is_writable));
      Show("workspace", kWorkspace, is_writable);
    }
    plan_.working_directory = kWorkspace;
    plan_.home = plan_.bundle.user == 0 ? "/root" : kWorkspace;
    if (files.home.empty()) return {};
    PADDOCK_TRY(CheckHome(files.home));
    plan_.home = files.home;
    if (files.home_store.empty()) {
      ShowPrivate("home", files.home, 0700, user_);
      return {};
    }
    PADDOCK_TRY(AddTree(files.home_store, files.home_store, "home", user_, true, false));
    Show("home", files.home, true);
    return {};
  }

  void AddSkeleton() {
    for (const char* kernel : {"/proc", "/sys", "/dev"}) targets_.insert(kernel);
    std::set<std::string> directories{"skeleton", "skeleton/etc"};
    for (const std::string& target : targets_) {
      for (size_t slash = target.find('/', 1);; slash = target.find('/', slash + 1)) {
        directories.insert("skeleton" + target.substr(0, slash));
        if (slash == std::string::npos) break;
      }
      plan_.stage.must_be_directories.push_back(target.substr(1));
    }
    for (const std::string& path : directories) plan_.stage.directories.push_back({.path = path, .mode = 0755, .owner = owner_});   // parents sort first
    const std::string& host = plan_.bundle.hostname;
    plan_.stage.files = {{"skeleton/etc/hostname", host + "\n", owner_},
                         {"skeleton/etc/hosts", "127.0.0.1 localhost " + host + "\n::1 localhost ip6-localhost\n", owner_}};
  }

  struct Made {
    Owner on_disk, in_use;
    int map;
  };

  const sandbox::SandboxSpec& spec_;
  const OciSettings& settings_;
  const PlanPlaces& places_;
  policy::Policy policy_;
  SandboxPlan plan_;
  Owner root_, user_, owner_;   // outside: uid 0 inside, the sandbox's user, whose the root's files are
  uint64_t private_bytes_ = 0;
  std::vector<Made> made_;
  std::set<std::string> targets_;
};

}  // namespace

Status CheckPolicy(const policy::Policy& policy) {
  const auto refuse = [](const std::string& what) { return Error(Code::kNotSupported, "a container without an engine cannot keep " + what); };
  const policy::FileRules& files = policy.files;
  if (!files.paths.empty()) return refuse("rules for paths of the host (files.paths); none of its files are inside");
  if (!files.workspace.empty() && files.workspace_mode == policy::WorkspaceMode::kOverlay) return refuse("an overlay of a workspace; work in it directly, or copy files in");
  if (!files.workspace.empty() && !files.protected_names.empty()) return refuse("protected names in a workspace (files.protected_names)");
  if (!policy.network.unix_sockets.empty()) return refuse("sockets of the host (network.unix_sockets)");
  if (policy.kernel.nested) return refuse("kernel.nested: sandboxes in the sandbox need capabilities");
  const bool keeps_files = !files.workspace.empty() || !files.home_store.empty();
  if (policy.limits.files || (policy.limits.disk_bytes && keeps_files)) return refuse("limits.files, and limits.disk of directories that are kept, yet");
  return {};
}

Result<SandboxPlan> MakePlan(const sandbox::SandboxSpec& spec, const OciSettings& settings, const PlanPlaces& places) {
  if (!spec.mounts.empty()) return Error(Code::kInvalid, "a container shows no directory of the host; copy files in");
  if (spec.policy) PADDOCK_TRY(CheckPolicy(*spec.policy));
  if (spec.policy && spec.policy->limits.disk_bytes && !places.store.empty()) return Error(Code::kNotSupported, "a container without an engine cannot keep limits.disk of a root that is kept, yet");
  return Planner(spec, settings, places).Make();
}

}  // namespace paddock::oci
