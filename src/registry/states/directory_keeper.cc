#include "registry/states/directory_keeper.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "overlay/beneath.h"
#include "policy/preset.h"
#include "registry/host_error.h"
#include "registry/states/host_tree.h"
#include "registry/states/wall_limits.h"
#include "sandbox/keeps_root.h"
#include "store/trees/draft.h"

namespace paddock::registry {
namespace {

constexpr const char* kHome = "/home/agent";
constexpr const char *kWorkspacePart = "workspace", *kHomePart = "home", *kRootPart = "root";
constexpr size_t kMostId = 200;   // bytes

// The host's programs, a workspace, a home; nothing of any person's.
Result<policy::Policy> PolicyOf(const SandboxRequest& request, const std::string& directory) {
  const policy::HostContext context{.home = kHome, .workspace = directory + "/workspace", .user = "agent"};
  PADDOCK_ASSIGN(policy::Policy policy, policy::MakePreset("workspace", context));
  policy.name = "sandbox";
  std::erase_if(policy.files.paths, [](const policy::PathRule& rule) { return policy::IsWithin(rule.path, kHome); });
  policy.files.home = kHome;
  policy.files.home_store = directory + "/home";
  policy.files.protected_names.clear();   // no tool of the host's works there
  policy.network = request.network;
  policy.environment = {};
  const SandboxLimits& limits = request.limits;
  if (limits.memory_bytes) policy.limits.memory_bytes = limits.memory_bytes;
  if (limits.processes) policy.limits.processes = limits.processes;
  if (limits.cpus) policy.limits.cpus = limits.cpus;
  if (limits.disk_bytes) policy.limits.disk_bytes = limits.disk_bytes;
  policy.limits.is_disk_usual = limits.is_disk_usual;
  if (limits.files) policy.limits.files = limits.files;
  return policy;
}

Status MakeDirectory(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return HostError("cannot make " + path);
}

Result<Descriptor> OpenDirectory(const std::string& path) {
  Descriptor opened(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened.is_open()) return HostError("cannot open " + path);
  return opened;
}

bool IsThere(int directory, const char* name) { return faccessat(directory, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0; }

Status RemoveIfThere(int directory, const char* name) {
  return IsThere(directory, name) ? overlay::RemoveTree(directory, name) : Status();
}

Status WriteId(int directory, const char* name, const std::optional<trees::ObjectId>& id) {
  const Descriptor file(openat(directory, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return HostError(std::string("cannot make ") + name);
  const std::string text = id ? id->ToString() : std::string();
  if (write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) return HostError(std::string("cannot write ") + name);
  return {};
}

// What a sandbox has before anything was written.
Result<trees::ObjectId> EmptyTree(trees::Session& session, bool has_root) {
  trees::Draft draft;
  for (const char* part : {kHomePart, kRootPart, kWorkspacePart}) {
    if (part == kRootPart && !has_root) continue;
    trees::Entry entry;
    entry.name = part;
    entry.type = vfs::FileType::kDirectory;
    entry.mode = 0700;
    entry.uid = entry.gid = HostTreeLimits().user;
    draft.Add(draft.root(), std::move(entry));
  }
  PADDOCK_ASSIGN(const trees::ObjectId tree, draft.Encode(session));
  PADDOCK_TRY(session.Finish());
  return tree;
}

// Moves a directory to another parent, whatever its mode lets its owner do.
Status MoveDirectory(int from, const char* name, int to, const char* as) {
  struct stat facts{};
  if (fstatat(from, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) return HostError(std::string("cannot look at ") + name);
  const mode_t mode = facts.st_mode & 07777u;
  if (fchmodat(from, name, mode | 0700u, 0) != 0 || renameat(from, name, to, as) != 0 || fchmodat(to, as, mode, 0) != 0) return HostError(std::string("cannot move ") + name);
  return {};
}

}  // namespace

Result<std::unique_ptr<Keeper>> DirectoryKeeper::Make(sandbox::Driver& driver, const SandboxInfo& info, std::string directory,
                                                     std::shared_ptr<UnpackedTemplates> unpacked) {
  const SandboxRequest& request = info.request;
  if (!request.working_directory.empty()) return Error(Code::kInvalid, "working_directory: sandboxes of isolation " + request.isolation + " start in their workspace");
  sandbox::SandboxSpec spec;
  spec.hostname = request.hostname;
  PADDOCK_ASSIGN(spec.policy, PolicyOf(request, directory));
  // Whoever makes containers has limits of its own where nobody says otherwise.
  if (request.isolation != "process") spec.policy->limits = WallLimits(request.limits);
  spec.wall_user = request.image.user;
  spec.state_directory = directory;   // goes with the sandbox, and is writable for whoever runs the daemon
  return std::unique_ptr<Keeper>(new DirectoryKeeper(driver, std::move(spec), std::move(directory), std::move(unpacked)));   // allow(raw-new): private constructor
}

Result<SavedState> DirectoryKeeper::Begin(trees::Session& session, const TemplateInfo& info) {
  if (!session.Touch(info.state.files)) return Error(Code::kIo, "tree " + info.state.files.ToString() + " of " + info.id + " is not in the store");
  PADDOCK_ASSIGN(const trees::ObjectId empty, EmptyTree(session, true));
  return SavedState{.files = empty, .base = info.state.files, .totals = {}, .shell = {}};
}

Result<UnpackedTemplates*> DirectoryKeeper::unpacked() const {
  if (unpacked_ == nullptr) return Error(Code::kNotSupported, "this daemon keeps no states of such sandboxes");
  return unpacked_.get();
}

Result<std::optional<trees::ObjectId>> DirectoryKeeper::ReadId(const char* name) const {
  const std::string path = directory_ + "/" + name;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) return std::optional<trees::ObjectId>();
  if (!file.is_open()) return HostError("cannot open " + path);
  std::string text(kMostId, '\0');
  const ssize_t size = read(file.get(), text.data(), text.size());
  if (size < 0) return HostError("cannot read " + path);
  text.resize(static_cast<size_t>(size));
  if (text.empty()) return std::optional<trees::ObjectId>();
  PADDOCK_ASSIGN(const trees::ObjectId tree, trees::ObjectId::Parse(text));
  return std::optional(tree);
}

Status DirectoryKeeper::TakeReady(const Descriptor& own) {
  PADDOCK_ASSIGN(const Descriptor ready, OpenDirectory(directory_ + "/ready"));
  for (const char* part : {kWorkspacePart, kHomePart}) {
    if (!IsThere(ready.get(), part)) continue;   // taken before the crash
    PADDOCK_TRY(RemoveIfThere(own.get(), part));
    PADDOCK_TRY(MoveDirectory(ready.get(), part, own.get(), part));
  }
  if (IsThere(ready.get(), kRootPart)) {
    PADDOCK_TRY(RemoveIfThere(own.get(), kRootPart));
    for (const char* below : {"/root", "/root/work"}) PADDOCK_TRY(MakeDirectory(directory_ + below));
    PADDOCK_ASSIGN(const Descriptor root, OpenDirectory(directory_ + "/root"));
    PADDOCK_TRY(MoveDirectory(ready.get(), kRootPart, root.get(), "upper"));
  }
  if (IsThere(ready.get(), "base") && renameat(ready.get(), "base", own.get(), "base") != 0) return HostError("cannot move " + directory_ + "/ready/base");
  if (unlinkat(own.get(), "ready", AT_REMOVEDIR) != 0) return HostError("cannot remove " + directory_ + "/ready");
  return {};
}

Status DirectoryKeeper::Settle() {
  PADDOCK_TRY(MakeDirectory(directory_));
  PADDOCK_ASSIGN(const Descriptor own, OpenDirectory(directory_));
  if (IsThere(own.get(), "ready")) PADDOCK_TRY(TakeReady(own));
  PADDOCK_TRY(RemoveIfThere(own.get(), "next"));
  for (const char* below : {"/workspace", "/home"}) PADDOCK_TRY(MakeDirectory(directory_ + below));
  return {};
}

Result<std::unique_ptr<sandbox::Sandbox>> DirectoryKeeper::Load() {
  PADDOCK_TRY(Settle());
  PADDOCK_ASSIGN(const std::optional<trees::ObjectId> base, ReadBase());
  if (!base) return driver_.Create(spec_);
  PADDOCK_ASSIGN(UnpackedTemplates* const templates, unpacked());
  PADDOCK_ASSIGN(root_, templates->Find(*base));
  for (const char* below : {"/root", "/root/work", "/root/upper"}) PADDOCK_TRY(MakeDirectory(directory_ + below));
  sandbox::SandboxSpec spec = spec_;
  spec.policy->files.root = *root_;
  spec.policy->files.host_view = false;
  spec.policy->files.paths.clear();   // places of the host's system
  auto* keeps_root = dynamic_cast<sandbox::KeepsRoot*>(&driver_);
  if (keeps_root == nullptr) return Error(Code::kNotSupported, std::string(driver_.name()) + ": sandboxes of this isolation begin from no template");
  return keeps_root->CreateOn(spec, directory_ + "/root");
}

Result<SavedState> DirectoryKeeper::Capture(sandbox::Sandbox*, trees::Session& session) {
  PADDOCK_TRY(unpacked());
  PADDOCK_TRY(Settle());
  SavedState state;
  PADDOCK_ASSIGN(state.base, ReadBase());
  std::vector<Descriptor> opened;
  std::vector<HostPart> parts;
  const auto add = [&](const char* name, const std::string& path) -> Status {
    Descriptor directory(open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory.is_open()) return errno == ENOENT ? Status() : Status(HostError("cannot open " + path));
    parts.push_back({.name = name, .directory = directory.get()});
    opened.push_back(std::move(directory));
    return {};
  };
  PADDOCK_TRY(add(kHomePart, directory_ + "/home"));
  if (state.base) PADDOCK_TRY(add(kRootPart, directory_ + "/root/upper"));
  PADDOCK_TRY(add(kWorkspacePart, directory_ + "/workspace"));
  PADDOCK_ASSIGN(const trees::Captured captured, CaptureHost(session, parts));
  state.files = captured.tree;
  state.totals = captured.totals;
  return state;
}

Status DirectoryKeeper::Become(const SavedState& state) {
  PADDOCK_ASSIGN(UnpackedTemplates* const templates, unpacked());
  if (state.base) {   // what cannot be unpacked is refused here, and not when it is needed
    PADDOCK_ASSIGN(root_, templates->Find(*state.base));
  }
  const bool is_first = access(directory_.c_str(), F_OK) != 0;
  PADDOCK_TRY(MakeDirectory(directory_));
  PADDOCK_ASSIGN(const Descriptor own, OpenDirectory(directory_));
  if (is_first) PADDOCK_TRY(WriteId(own.get(), "creation", state.files));
  if (IsThere(own.get(), "ready")) PADDOCK_TRY(TakeReady(own));
  PADDOCK_TRY(RemoveIfThere(own.get(), "next"));
  PADDOCK_TRY(MakeDirectory(directory_ + "/next"));
  const auto fill = [&]() -> Status {
    PADDOCK_ASSIGN(const Descriptor next, OpenDirectory(directory_ + "/next"));
    std::vector<std::string> parts{kWorkspacePart, kHomePart};
    if (state.base) parts.push_back(kRootPart);
    PADDOCK_TRY(RestoreHost(*templates->store(), state.files, next.get(), parts));
    PADDOCK_TRY(WriteId(next.get(), "base", state.base));
    return {};
  };
  if (const Status filled = fill(); !filled) {
    static_cast<void>(overlay::RemoveTree(own.get(), "next"));
    return filled;
  }
  if (renameat(own.get(), "next", own.get(), "ready") != 0) return HostError("cannot move " + directory_ + "/next");
  return TakeReady(own);
}

Result<std::shared_ptr<const void>> DirectoryKeeper::Share(const SavedState& state) {
  if (!state.base) return std::shared_ptr<const void>();
  PADDOCK_ASSIGN(UnpackedTemplates* const templates, unpacked());
  PADDOCK_ASSIGN(const std::shared_ptr<const std::string> root, templates->Find(*state.base));
  return std::shared_ptr<const void>(root);
}

Result<trees::ObjectId> DirectoryKeeper::CaptureCreation(trees::Session& session) {
  PADDOCK_TRY(unpacked());
  PADDOCK_ASSIGN(const std::optional<trees::ObjectId> creation, ReadId("creation"));
  if (!creation) return EmptyTree(session, false);
  if (!session.Touch(*creation)) return Error(Code::kIo, "tree " + creation->ToString() + " is not in the store");
  return *creation;
}

Result<std::vector<trees::ObjectId>> DirectoryKeeper::Trees() {
  if (access((directory_ + "/ready").c_str(), F_OK) == 0) PADDOCK_TRY(Settle());
  std::vector<trees::ObjectId> trees;
  PADDOCK_ASSIGN(const std::optional<trees::ObjectId> base, ReadBase());
  PADDOCK_ASSIGN(const std::optional<trees::ObjectId> creation, ReadId("creation"));
  if (base) trees.push_back(*base);
  if (creation) trees.push_back(*creation);
  return trees;
}

Status DirectoryKeeper::Remove() {
  root_.reset();
  const size_t slash = directory_.rfind('/');
  const Descriptor parent(open(directory_.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.is_open()) return Error(static_cast<Code>(errno), "cannot open " + directory_.substr(0, slash));
  const Status removed = overlay::RemoveTree(parent.get(), directory_.substr(slash + 1));
  if (!removed && removed.error().code == Code::kNoEntry) return {};
  return removed;
}

}  // namespace paddock::registry
