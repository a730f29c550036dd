#include "drivers/process/wall_plan.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <optional>

#include "base/random.h"
#include "drivers/process/host_traces.h"
#include "policy/srt_paths.h"

namespace paddock::process_wall {
namespace {

using Kind = MountStep::Kind;
using Owners = MountStep::Owners;

constexpr const char* kPrivateWorkspace = "/workspace";
// Where root's sandboxes live among the host's ids: far from people, containers and dynamic users.
constexpr uint32_t kFirstHostId = 0x71000000;
constexpr uint32_t kHostIds = 1 << 24;

uint32_t DrawHostId() {
  std::array<uint8_t, 4> lot{};
  FillRandom(lot);
  uint32_t number = 0;
  std::memcpy(&number, lot.data(), sizeof number);
  return kFirstHostId + number % kHostIds;
}

std::optional<std::string> RealPath(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) return std::nullopt;   // most rules name what this host does not have
  std::array<char, PATH_MAX> resolved{};
  if (realpath(path.c_str(), resolved.data()) == nullptr) return std::nullopt;
  return std::string(resolved.data());
}

bool IsBelow(const std::string& path, const std::string& root) {
  return root == "/" || path == root || (path.size() > root.size() && path.starts_with(root) && path[root.size()] == '/');
}

class Planner {
 public:
  Planner(const policy::Policy& policy, const HostFacts& facts, const PlanContext& context)
      : policy_(policy), facts_(facts), context_(context) {}

  Result<WallPlan> Make() {
    SetIdentity();
    for (const std::string& path : {policy_.files.root, policy_.files.home_store}) {
      if (!path.empty()) PADDOCK_TRY(RefusePlantedLink(path, path == policy_.files.root ? "root" : "home_store"));
    }
    plan_.mounts = context_.base;
    if (plan_.mounts.empty()) BeginTree();
    AddOwnPlaces();
    PADDOCK_TRY(AddRules());
    PADDOCK_TRY(AddMounts());
    PADDOCK_TRY(HidePrivateDirectory());
    PADDOCK_TRY(AddSockets());
    HideKernelMounts();
    ProtectNames();
    ProtectOwnPrograms();
    AddSystemFiles();
    GuardSockets();
    SetLimits();
    plan_.mounts.erase(plan_.mounts.begin(), plan_.mounts.begin() + static_cast<ptrdiff_t>(context_.base.size()));
    // Landlock refuses every mount to those that it restricts.
    plan_.uses_landlock = !policy_.kernel.nested;
    plan_.seccomp = policy_.kernel.nested   ? SeccompProfile::kNested
                    : policy_.kernel.ptrace ? SeccompProfile::kPtrace
                                            : SeccompProfile::kDefault;
    return std::move(plan_);
  }

  std::vector<MountStep> MakeBase() {
    if (policy_.files.root.empty() && policy_.files.host_view && !ShowsTop()) BeginTree();
    return std::move(plan_.mounts);
  }

 private:
  void BeginTree() {
    if (!policy_.files.root.empty()) {
      MountStep& step = Add(Kind::kOverlay, "/", policy_.files.root);
      step.size = policy_.limits.disk_bytes.value_or(policy_.files.tmp_bytes);
      step.extra = context_.root_store;
      step.owners = OwnersShown();
    } else if (policy_.files.host_view) {
      ShowHost();
    }
    if (ShowsTop()) ShowTop();
    AddPrivatePlaces();
    HideKernelFiles();
  }

  MountStep& Add(Kind kind, std::string target, std::string source = {}) {
    MountStep& step = plan_.mounts.emplace_back();
    step.kind = kind;
    step.target = std::move(target);
    step.source = std::move(source);
    return step;
  }

  struct Showing {
    bool writable = false;
    bool optional = false;   // an absent source is no error
  };

  // What of the host the policy names. Of root's, which are nobody on the host, each mount below it is a step of its own, because not every
  // file system can map owners.
  void Show(const std::string& target, const std::string& source, Showing how) {
    const auto add = [&](const std::string& path, const std::string& from, bool is_optional, Owners owners) {
      MountStep& step = Add(Kind::kBind, path, from);
      step.writable = how.writable;
      step.optional = is_optional;
      step.is_alone = facts_.is_root;
      step.owners = owners;
    };
    add(target, source, how.optional, OwnersShown());
    if (!facts_.is_root) return;
    for (const std::string& below : MountsBelow(Mounts(), source)) add(target + below.substr(source.size()), below, true, Owners::kMappedAlike);
  }

  Owners OwnersShown() const { return facts_.is_root ? Owners::kMapped : Owners::kKept; }

  const std::vector<HostMount>& Mounts() {
    if (context_.host_mounts) return *context_.host_mounts;
    if (!mounts_) mounts_ = HostMounts();
    return *mounts_;
  }

  void SetIdentity() {
    const WallOrder& order = context_.order;
    plan_.is_root = order.is_root;
    plan_.uid = order.uid.inside;
    plan_.gid = order.gid.inside;
    plan_.host_uid = order.uid.outside;
    plan_.host_gid = order.gid.outside;
  }

  // The system's directories, read-only; links at the top (/bin on merged systems) as links.
  void ShowHost() {
    for (const char* name : {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix"}) {
      struct stat status{};
      if (lstat(name, &status) != 0) continue;
      if (S_ISLNK(status.st_mode)) {
        std::array<char, PATH_MAX> target{};
        const ssize_t length = readlink(name, target.data(), target.size());
        if (length > 0) Add(Kind::kSymlink, name).extra.assign(target.data(), static_cast<size_t>(length));
      } else if (S_ISDIR(status.st_mode)) {
        Add(Kind::kBind, name, name);
      }
    }
    for (const char* name : {"/var/lib/dpkg", "/var/cache/fontconfig"}) Add(Kind::kBind, name, name).optional = true;
    for (const char* name : TellingSystemFiles()) {
      if (access(name, F_OK) == 0) Add(Kind::kMask, name);
    }
  }

  bool ShowsTop() const {
    const auto& rules = policy_.files.paths;
    return std::any_of(rules.begin(), rules.end(), [](const policy::PathRule& rule) { return rule.path == "/" && rule.access == policy::Access::kRead; });
  }

  // One mount for each directory at the host's top, without the kernel's file systems and the places of which every run has its own.
  // What only root may read is not read by root's sandbox either: nobody's files become the sandbox's.
  void ShowTop() {
    const auto is_shown = [this](const std::string& path) {
      return std::any_of(plan_.mounts.begin(), plan_.mounts.end(), [&](const MountStep& step) { return step.target == path; });
    };
    for (const std::string& path : TopDirectories()) {
      if (!is_shown(path)) Add(Kind::kBind, path, path).optional = true;
    }
  }

  // Private places are memory: where no cgroup counts them, this bound holds.
  uint64_t PrivateBytes() const {
    return std::min(policy_.files.tmp_bytes, policy_.limits.memory_bytes.value_or(policy_.files.tmp_bytes));
  }

  void AddPrivate(const std::string& path, uint32_t mode) {
    MountStep& step = Add(Kind::kTmpfs, path);
    step.size = PrivateBytes();
    step.mode = mode;
  }

  void AddPrivatePlaces() {
    Add(Kind::kProc, "/proc");
    Add(Kind::kDevices, "/dev").size = PrivateBytes();
    AddPrivate("/tmp", 01777);
    AddPrivate("/var/tmp", 01777);
    AddPrivate("/run", 0755);
    if (!IsShown("/var")) Add(Kind::kSymlink, "/var/run").extra = "/run";
    for (const char* name : {"cpu", "node"}) {
      const std::string path = std::string("/sys/devices/system/") + name;
      Add(Kind::kBind, path, path).optional = true;
    }
  }

  void AddOwnPlaces() {
    if (!policy_.files.home.empty()) {
      if (policy_.files.home_store.empty()) {
        AddPrivate(policy_.files.home, 0700);
      } else {
        Show(policy_.files.home, policy_.files.home_store, {.writable = true});
      }
    }
    if (policy_.files.workspace.empty()) AddPrivate(kPrivateWorkspace, 0755);
  }

  // Rules become mounts, shorter paths first, so that the most specific is on top.
  Status AddRules() {
    struct Entry {
      std::string path;
      policy::Access access;
      bool is_workspace;
      bool optional;
      std::string origin;
    };
    std::vector<Entry> entries;
    for (const policy::PathRule& rule : policy_.files.paths) {
      entries.push_back({rule.path, rule.access, false, rule.optional, rule.origin});
    }
    if (!policy_.files.workspace.empty()) {
      PADDOCK_TRY(CheckWorkspace());
      entries.push_back({policy_.files.workspace, policy::Access::kWrite, true, false, "workspace"});
    }
    const auto rank = [](policy::Access access) { return access == policy::Access::kWrite ? 0 : access == policy::Access::kRead ? 1 : 2; };
    std::stable_sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
      return a.path.size() != b.path.size() ? a.path.size() < b.path.size() : rank(a.access) < rank(b.access);
    });
    for (const Entry& entry : entries) {
      if (entry.path == "/") {
        if (entry.access != policy::Access::kWrite) continue;   // shown already
        return Error(Code::kInvalid, "the whole host cannot be made writable (" + entry.origin + "); name directories");
      }
      if (entry.access == policy::Access::kDeny) {
        if (!IsShown(entry.path)) continue;
        PinAncestors(entry.path);
        const bool is_opened_below = std::any_of(entries.begin(), entries.end(), [&](const Entry& other) {
          return other.access != policy::Access::kDeny && other.path != entry.path && IsBelow(other.path, entry.path) && RealPath(other.path);
        });
        if (is_opened_below) Hollow(entry.path);
        else Add(Kind::kMask, entry.path);
        continue;
      }
      const auto source = RealPath(entry.path);
      if (!source) {
        if (entry.optional) continue;
        return Error(Code::kNoEntry, entry.path + " does not exist (" + entry.origin + ")");
      }
      if (const Status honest = RefusePlantedLink(entry.path, entry.origin); !honest) {
        if (entry.optional && entry.origin.starts_with("preset")) continue;
        return honest;
      }
      if (IsPartOfKernel(*source)) {
        return Error(Code::kInvalid, *source + " cannot be shown inside (" + entry.origin + "): it belongs to the kernel's own file systems");
      }
      PinAncestors(entry.path);
      if (entry.access == policy::Access::kRead && !entry.is_workspace && entry.origin.starts_with("preset") && AddCopy(entry.path, *source)) continue;
      AddRule(entry.is_workspace, entry.access, entry.path, *source);
      if (entry.origin.starts_with("preset") && entry.path.ends_with("/.config/git")) CoverGitCredentials(entry.path);
    }
    return {};
  }

  // Where code inside may write, an earlier run may have left a link; what a rule or an option names must not lead through it.
  Status RefusePlantedLink(const std::string& path, const std::string& origin) const {
    std::vector<std::string> roots;
    const auto add = [&](const std::string& root) {
      if (auto real = RealPath(root)) roots.push_back(std::move(*real));
    };
    if (!policy_.files.workspace.empty()) add(policy_.files.workspace);
    for (const policy::PathRule& rule : policy_.files.paths) {
      if (rule.access == policy::Access::kWrite) add(rule.path);
    }
    const std::string link = policy::LinkWithin(std::filesystem::absolute(path).lexically_normal().string(), roots);
    if (link.empty()) return {};
    return Error(Code::kInvalid, path + " (" + origin + ") leads through the link " + link + ", which code inside may have made; name what it leads to");
  }

  // A hidden directory in which other rules show something again: it can be passed through, but not listed.
  void Hollow(const std::string& path) {
    MountStep& step = Add(Kind::kTmpfs, path);
    step.size = 1 << 20;
    step.mode = 0111;
  }

  // What leads to a rule inside a writable place keeps its name, or another directory could be put where the rule holds.
  void PinAncestors(const std::string& path) {
    for (auto step = plan_.mounts.rbegin(); step != plan_.mounts.rend(); ++step) {
      if (step->kind == Kind::kPin || !IsBelow(path, step->target)) continue;
      if (step->target == path || !(step->kind == Kind::kOverlay || (step->kind == Kind::kBind && step->writable))) return;
      const std::string root = step->target;
      for (size_t slash = path.find('/', root.size() + 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        const std::string ancestor = path.substr(0, slash);
        const bool is_held = std::any_of(plan_.mounts.begin(), plan_.mounts.end(), [&](const MountStep& other) { return other.target == ancestor; });
        if (!is_held) Add(Kind::kPin, ancestor);
      }
      return;
    }
  }

  // Whether code inside could read something of the host at `path`, by the steps so far.
  bool IsShown(const std::string& path) const {
    for (auto step = plan_.mounts.rbegin(); step != plan_.mounts.rend(); ++step) {
      if (!IsBelow(path, step->target)) continue;
      return step->kind != Kind::kTmpfs && step->kind != Kind::kMask && IsReadable(path, step->owners != Owners::kKept);
    }
    return false;
  }

  // Root's sandboxes are nobody on the host: of what is not remapped they can read what everybody can.
  bool IsReadable(const std::string& path, bool is_mapped) const {
    struct stat status{};
    if (lstat(path.c_str(), &status) != 0) return false;
    const mode_t everybody = S_ISDIR(status.st_mode) ? S_IROTH | S_IXOTH : S_IROTH | S_IWOTH;
    return is_mapped || !facts_.is_root || (status.st_mode & everybody) != 0;
  }

  // Somebody who starts a run in /etc does not mean that code may change the system. A rule that names the path does.
  Status CheckWorkspace() const {
    if (policy_.files.workspace_mode != policy::WorkspaceMode::kDirect) return {};
    const std::string& path = policy_.files.workspace;
    bool is_system = path == "/" || path == "/home" || path == "/var" || path == "/mnt" || path == "/media";
    for (const char* directory : {"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/boot", "/run", "/var/lib", "/nix"}) {
      is_system |= IsBelow(path, directory);
    }
    if (!is_system) return {};
    return Error(Code::kInvalid, "the workspace " + path + " belongs to the system; name another with --workspace, keep its changes apart with "
                                 "--overlay, or work in a private directory and name what may be changed with --allow-write");
  }

  static bool IsPartOfKernel(const std::string& path) {
    return IsBelow(path, "/proc") || IsBelow(path, "/sys") || IsBelow(path, "/dev");
  }

  // A small file that a preset shows in the private home, such as .gitconfig, is copied: programs rewrite their settings by
  // renaming a new file over the old one, which no mount allows.
  bool AddCopy(const std::string& path, const std::string& source) {
    constexpr off_t kSmall = 64 << 10;
    const bool is_in_home = !policy_.files.home.empty() && policy_.files.home_store.empty() && IsBelow(path, policy_.files.home) &&
                            !IsShown(policy_.files.home);
    struct stat status{};
    if (!is_in_home || stat(source.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kSmall) return false;
    std::ifstream file(source, std::ios::binary);
    std::ostringstream content;
    if (!file || !(content << file.rdbuf() || status.st_size == 0)) return false;
    MountStep& step = Add(Kind::kFile, path);
    step.extra = path.ends_with("/.gitconfig") ? WithoutCredentials(content.str()) : content.str();
    step.mode = 0644;
    step.writable = true;
    return true;
  }

  // What is shown of a whole directory cannot be a copy: one without credentials goes over the file that has some.
  void CoverGitCredentials(const std::string& directory) {
    std::ifstream file(directory + "/config", std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    if (std::string kept = WithoutCredentials(content); kept != content) AddFile(directory + "/config", std::move(kept));
  }

  void AddRule(bool is_workspace, policy::Access access, const std::string& path, const std::string& source) {
    const policy::WorkspaceMode mode = policy_.files.workspace_mode;
    if (is_workspace && mode == policy::WorkspaceMode::kOverlay) {
      MountStep& step = Add(Kind::kOverlay, path, source);
      step.extra = context_.overlay_directory;
      step.owners = OwnersShown();
      return;
    }
    const bool is_writable = is_workspace ? mode == policy::WorkspaceMode::kDirect : access == policy::Access::kWrite;
    Show(path, source, {.writable = is_writable, .optional = !is_workspace});
  }

  Status AddMounts() {
    for (const sandbox::MountSpec& mount : context_.mounts) {
      if (mount.mode != sandbox::MountMode::kReadOnly) {
        return Error(Code::kInvalid, "mount " + mount.host + " can only be read-only here; a path that may be changed is named by --allow-write, "
                                     "and keeps its place");
      }
      const auto source = RealPath(mount.host);
      if (!source) return Error(Code::kNoEntry, "mount " + mount.host + ": no such directory on the host");
      PADDOCK_TRY(RefusePlantedLink(mount.host, "mount"));
      if (IsPartOfKernel(*source)) return Error(Code::kInvalid, "mount " + *source + ": it belongs to the kernel's own file systems");
      Show(mount.guest, *source, {});
    }
    return {};
  }

  // Sockets of the host by explicit rule; those that lie in directories shown inside are hidden. Connecting needs no
  // writable mount.
  Status AddSockets() {
    for (const std::string& path : BoundSocketPaths()) {
      if (IsShown(path)) Add(Kind::kMask, path);
    }
    for (const policy::UnixSocketRule& rule : policy_.network.unix_sockets) {
      struct stat status{};
      PADDOCK_TRY(RefusePlantedLink(rule.path, rule.origin));
      if (stat(rule.path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) {
        return Error(Code::kNoEntry, rule.path + " is not a socket (" + rule.origin + ")");
      }
      Show(rule.path, rule.path, {});
      plan_.host_sockets.push_back(rule.path);
    }
    return {};
  }

  // In which directories programs of the host may make sockets at any time. Those of the system are root's and lie still; through an overlay
  // no socket of the host is reached.
  void GuardSockets() {
    const auto is_still = [](const std::string& path) {
      constexpr std::array<const char*, 12> kSystem{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/nix", "/sys", "/var/lib/dpkg", "/var/cache/fontconfig"};
      return std::any_of(kSystem.begin(), kSystem.end(), [&path](const char* root) { return IsBelow(path, root); });
    };
    plan_.guards_sockets = std::any_of(plan_.mounts.begin(), plan_.mounts.end(), [&](const MountStep& step) {
      struct stat status{};
      std::error_code error;
      if (step.source == "/opt" && std::filesystem::is_empty(step.source, error)) return false;
      return step.kind == Kind::kBind && !is_still(step.source) && stat(step.source.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
    });
  }

  // What Paddock itself keeps on the host is neither seen nor changed nor replaced from inside.
  Status HidePrivateDirectory() {
    const std::string& hidden = context_.private_directory;
    if (hidden.empty()) return {};
    std::vector<std::string> pins, masks;
    for (const MountStep& step : plan_.mounts) {
      if (step.kind != Kind::kBind && step.kind != Kind::kOverlay) continue;
      if (IsBelow(step.source, hidden)) {
        return Error(Code::kInvalid, step.source + " cannot be shown inside: Paddock keeps its own state there");
      }
      if (!IsBelow(hidden, step.source)) continue;
      const std::string rest = hidden.substr(step.source == "/" ? 1 : step.source.size() + 1);
      const std::string root = step.target == "/" ? "" : step.target;
      // No directory on the way can be moved, or another one would take its place.
      const bool is_writable = step.writable || step.kind == Kind::kOverlay;
      for (size_t slash = rest.find('/'); is_writable && slash != std::string::npos; slash = rest.find('/', slash + 1)) {
        pins.push_back(root + "/" + rest.substr(0, slash));
      }
      masks.push_back(root + "/" + rest);
    }
    for (std::string& path : pins) Add(Kind::kPin, std::move(path));
    for (std::string& path : masks) Add(Kind::kMask, std::move(path));
    return {};
  }

  void ProtectNames() {
    for (const std::string& path : context_.extra_reads) Show(path, path, {.optional = true});
    for (const std::string& path : context_.extra_writes) Show(path, path, {.writable = true, .optional = true});
    for (const std::string& path : context_.pinned) Add(Kind::kPin, path);
    for (const std::string& path : context_.protected_paths) Add(Kind::kReadOnly, path);
  }

  // The kernel's file systems of the host that are mounted somewhere in what is shown, as in a tree that somebody builds an image in.
  void HideKernelMounts() {
    for (const std::string& path : KernelMounts(Mounts())) {
      if (IsShown(path)) Add(Kind::kMask, path);
    }
  }

  // Who works in the directory where Paddock itself lies must not have it replaced for the next run.
  void ProtectOwnPrograms() {
    const std::string directory = facts_.guest_program.substr(0, facts_.guest_program.rfind('/') + 1);
    for (const char* name : {"paddock", "paddock-guest", "paddock-escape"}) {
      const std::string path = directory + name;
      if (access(path.c_str(), F_OK) != 0 || !IsShown(path)) continue;
      PinAncestors(path);
      Add(Kind::kReadOnly, path);
    }
  }

  void AddFile(const std::string& path, std::string content) {
    MountStep& step = Add(Kind::kFile, path);
    step.extra = std::move(content);
    step.mode = 0644;
    step.optional = true;   // an /etc without the file stays without it
  }

  // Files that would name the host's users and resolvers, or mislead.
  void AddSystemFiles() {
    // Programs want one; the host's own would tell runs, and hosts, apart.
    if (policy_.files.root.empty() && policy_.files.host_view && access("/etc/machine-id", F_OK) == 0) AddFile("/etc/machine-id", RandomMachineId() + "\n");
    AddFile("/proc/sys/kernel/random/boot_id", RandomUuid() + "\n");
    const std::string ids = std::to_string(plan_.uid) + ":" + std::to_string(plan_.gid);
    AddFile("/etc/passwd", "root:x:0:0:root:/root:/usr/sbin/nologin\n" + facts_.user + ":x:" + ids + "::" + HomePath(policy_.files) +
                               ":/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n");
    AddFile("/etc/group", "root:x:0:\n" + facts_.user + ":x:" + std::to_string(plan_.gid) + ":\nnogroup:x:65534:\n");
    AddFile("/etc/hosts", "127.0.0.1 localhost " + plan_.hostname + "\n::1 localhost ip6-localhost\n");
    AddFile("/etc/hostname", plan_.hostname + "\n");
    const std::string resolver = "nameserver 127.0.0.1\noptions timeout:5 attempts:1\n";
    AddFile("/etc/resolv.conf", resolver);
    std::array<char, PATH_MAX> target{};
    // Where resolv.conf is a link into /run, the file goes to where the link points.
    const ssize_t length = readlink("/etc/resolv.conf", target.data(), target.size());
    if (length > 0) {
      std::string link(target.data(), static_cast<size_t>(length));
      if (link.starts_with("../")) link = link.substr(2);
      if (link.starts_with("/run/") || link.starts_with("/var/run/")) AddFile(link, resolver);
    }
    if (!context_.ca_certificate.empty()) AddFile(kCaPath, context_.ca_certificate);
    if (!context_.ca_bundle.empty()) AddFile(kCaBundlePath, context_.ca_bundle);
  }

  // What shows or steers the host through /proc, whoever may read it there.
  void HideKernelFiles() {
    for (const char* name : {"/proc/sys", "/proc/sysrq-trigger"}) Add(Kind::kReadOnly, name);
    for (const std::string& path : facts_.kernel_files) Add(Kind::kMask, path);
  }

  void SetLimits() {
    const policy::ResourceLimits& limits = policy_.limits;
    const auto add = [this](int resource, uint64_t value) { plan_.limits.push_back({resource, value}); };
    // One byte, not none: a kernel that pipes core dumps to a handler ignores 0, and takes 1 for "no dump at all".
    add(RLIMIT_CORE, 1);
    add(RLIMIT_MEMLOCK, 8 << 20);
    // These two are counted against the caller, too, who must keep some: a queue takes 80 kB, a timer or a queued signal one.
    add(RLIMIT_MSGQUEUE, 400 << 10);
    add(RLIMIT_SIGPENDING, 4096);
    add(RLIMIT_NICE, 0);
    add(RLIMIT_RTPRIO, 0);
    add(RLIMIT_NOFILE, limits.open_files.value_or(4096));
    // Counts what this user namespace runs, init included.
    if (limits.processes) add(RLIMIT_NPROC, *limits.processes + kOwnProcesses);
    if (limits.file_bytes || limits.disk_bytes) {
      // A little more than the disk's limit, so that the watch sees it passed; sparse files end here.
      constexpr uint64_t kBeyond = 1 << 20;
      const uint64_t disk = limits.disk_bytes ? *limits.disk_bytes + kBeyond : UINT64_MAX;
      add(RLIMIT_FSIZE, std::min(limits.file_bytes.value_or(UINT64_MAX), disk));
    }
    if (limits.cpu_time) {
      add(RLIMIT_CPU, static_cast<uint64_t>(std::chrono::ceil<std::chrono::seconds>(*limits.cpu_time).count()));
    }
  }

  const policy::Policy& policy_;
  const HostFacts& facts_;
  const PlanContext& context_;
  WallPlan plan_;
  std::optional<std::vector<HostMount>> mounts_;   // when they are asked for
};

}  // namespace

WallOrder MakeWallOrder(const policy::Policy& policy, const HostFacts& facts, const std::optional<sandbox::WallUser>& user) {
  WallOrder order;
  order.is_root = facts.is_root;
  order.allows_namespaces = policy.kernel.nested;
  if (facts.is_root) {
    constexpr uint32_t kInside = 1000;
    order.uid = order.gid = {kInside, 0};
    order = WithNewHostIds(order);
  } else {
    order.uid = {facts.uid, facts.uid};
    order.gid = {facts.gid, facts.gid};
  }
  if (user) {
    order.uid.inside = user->uid;
    order.gid.inside = user->gid;
  }
  return order;
}

WallOrder WithNewHostIds(WallOrder order) {
  if (order.is_root) order.uid.outside = order.gid.outside = DrawHostId();
  return order;
}

std::string WorkspacePath(const policy::FileRules& rules) {
  return rules.workspace.empty() ? kPrivateWorkspace : rules.workspace;
}

std::string HomePath(const policy::FileRules& rules) { return rules.home.empty() ? "/tmp" : rules.home; }

std::vector<MountStep> MakeBaseSteps(const policy::Policy& policy, const HostFacts& facts) {
  const PlanContext context;
  return Planner(policy, facts, context).MakeBase();
}

Result<WallPlan> MakeWallPlan(const policy::Policy& policy, const HostFacts& facts, const PlanContext& context) {
  return Planner(policy, facts, context).Make();
}

}  // namespace paddock::process_wall
