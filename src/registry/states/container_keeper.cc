#include "registry/states/container_keeper.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "base/descriptor.h"
#include "overlay/beneath.h"
#include "registry/host_error.h"
#include "registry/states/tar_tree.h"
#include "registry/states/wall_limits.h"
#include "store/trees/draft.h"
#include "store/trees/root_machine.h"
#include "store/trees/subtree.h"

namespace paddock::registry {
namespace {

constexpr const char *kKeyFile = "/container", *kNextKeyFile = "/container.next", *kBegunFile = "/begun", *kNextFile = "/next", *kCreationFile = "/creation", *kBaseFile = "/base";
constexpr size_t kMostKey = 200;   // bytes
constexpr size_t kMostSandboxes = 1'000'000;
constexpr const char* kWorkspacePath = "workspace";   // of a root
// Of a root that is captured as a state; its owner's quota counts what comes of it.
constexpr trees::ArchiveLimits kStateLimits{.max_entries = 5'000'000, .max_bytes = 32ull << 30};

// A key or an id. None: there is no such file.
Result<std::optional<std::string>> ReadText(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file.is_open() && (errno == ENOENT || errno == ENOTDIR)) return std::optional<std::string>();
  if (!file.is_open()) return HostError("cannot open " + path);
  std::array<char, kMostKey> text{};
  const ssize_t size = read(file.get(), text.data(), text.size());
  if (size < 0) return HostError("cannot read " + path);
  if (size == 0) return Error(Code::kIo, path.substr(path.rfind('/') + 1) + " is empty: what it said is lost");
  return std::optional(std::string(text.data(), static_cast<size_t>(size)));
}

// In one step: a crash leaves what was before, or this.
Status WriteText(const std::string& path, const std::string& key) {
  const std::string draft = path + ".new";
  const Descriptor file(open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.is_open()) return HostError("cannot make " + draft);
  if (write(file.get(), key.data(), key.size()) != static_cast<ssize_t>(key.size())) return HostError("cannot write " + draft);
  if (rename(draft.c_str(), path.c_str()) != 0) return HostError("cannot make " + path);
  return {};
}

Result<trees::ObjectId> EmptyTree(trees::Session& session) {
  trees::Draft empty;
  PADDOCK_ASSIGN(const trees::ObjectId tree, empty.Encode(session));
  PADDOCK_TRY(session.Finish());
  return tree;
}

// What a root has where its sandboxes have their workspace.
Result<trees::ObjectId> WorkspaceOf(trees::Session& session, const trees::ObjectId& root) {
  PADDOCK_ASSIGN(const std::optional<trees::ObjectId> there, trees::Subtree(session, root, kWorkspacePath));
  if (!there) return EmptyTree(session);
  PADDOCK_TRY(session.Finish());
  return *there;
}

Status ForEachSandbox(const std::string& sandboxes, const std::function<Status(const std::string& directory)>& visit) {
  const Descriptor directory(open(sandboxes.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) return HostError("cannot open " + sandboxes);
  PADDOCK_ASSIGN(const std::vector<std::string> names, overlay::NamesIn(directory.get(), "", kMostSandboxes));
  for (const std::string& name : names) PADDOCK_TRY(visit(sandboxes + "/" + name));
  return {};
}

}  // namespace

Result<std::unique_ptr<Keeper>> ContainerKeeper::Make(sandbox::Driver& driver, const SandboxInfo& info, std::string directory, std::shared_ptr<trees::Store> store,
                                                      IsTemplate is_template) {
  if (dynamic_cast<sandbox::KeepsSandboxes*>(&driver) == nullptr) return Error(Code::kNotSupported, std::string(driver.name()) + ": sandboxes of this isolation do not outlive a run");
  sandbox::KeptOwner owner{.sandbox = info.id, .session = info.request.parent.empty() ? info.id : info.request.parent};
  return std::unique_ptr<Keeper>(new ContainerKeeper(driver, SpecOf(info.request), std::move(owner), std::move(directory), std::move(store), std::move(is_template)));   // allow(raw-new): private constructor
}

sandbox::SandboxSpec ContainerKeeper::SpecOf(const SandboxRequest& request) {
  sandbox::SandboxSpec spec;
  spec.wall_user = request.image.user;
  spec.hostname = request.hostname;
  spec.working_directory = request.working_directory;
  spec.container = request.container;
  spec.policy.emplace();
  spec.policy->name = "sandbox";
  spec.policy->network = request.network;
  spec.policy->limits = WallLimits(request.limits);
  return spec;
}

ContainerKeeper::ContainerKeeper(sandbox::Driver& driver, sandbox::SandboxSpec spec, sandbox::KeptOwner owner, std::string directory, std::shared_ptr<trees::Store> store,
                                 IsTemplate is_template)
    : driver_(dynamic_cast<sandbox::KeepsSandboxes&>(driver)), roots_(dynamic_cast<sandbox::BeginsOnRoots*>(&driver)), spec_(std::move(spec)), owner_(std::move(owner)),
      directory_(std::move(directory)), store_(std::move(store)), is_template_(std::move(is_template)) {}

std::string ContainerKeeper::RootName(const trees::ObjectId& tree) {
  const std::string text = tree.ToString();
  return text.substr(text.find(':') + 1);
}

Result<SavedState> ContainerKeeper::Begin(sandbox::Driver& driver, trees::Session& session, const TemplateInfo& info) {
  auto* const roots = dynamic_cast<sandbox::BeginsOnRoots*>(&driver);
  if (roots == nullptr) return Error(Code::kNotSupported, std::string(driver.name()) + ": sandboxes of this isolation begin from no template");
  const trees::ObjectId& root = info.state.files;
  if (!session.Touch(root)) return Error(Code::kIo, "tree " + root.ToString() + " of " + info.id + " is not in the store");
  if (roots->has_own_roots()) return SavedState{.files = root, .base = root, .totals = info.state.totals, .shell = {}};
  PADDOCK_ASSIGN(const trees::ObjectId workspace, WorkspaceOf(session, root));
  return SavedState{.files = workspace, .base = root, .totals = {}, .shell = {}};
}

Result<std::unique_ptr<sandbox::Sandbox>> ContainerKeeper::Load() {
  if (mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST) return HostError("cannot make " + directory_);
  PADDOCK_ASSIGN(const std::optional<Next> next, ReadNext(directory_));
  if (next) return MakeWith(*next);
  PADDOCK_ASSIGN(const std::optional<std::string> key, ReadText(directory_ + kKeyFile));
  const bool has_begun = access((directory_ + kBegunFile).c_str(), F_OK) == 0;
  if (key && has_begun) return driver_.Reopen(spec_, *key);
  if (key) PADDOCK_TRY(driver_.Remove(spec_, *key));   // a crash left it half-made
  PADDOCK_ASSIGN(auto made, driver_.Make(spec_, owner_, [this](const std::string& fresh) { return WriteText(directory_ + kKeyFile, fresh); }));
  PADDOCK_TRY(NoteBegun());
  return made;
}

Result<std::unique_ptr<sandbox::Sandbox>> ContainerKeeper::MakeNew(const std::optional<trees::ObjectId>& base, const std::function<Status(const std::string& key)>& remember) {
  if (!base) return driver_.Make(spec_, owner_, remember);
  PADDOCK_ASSIGN(const std::string machine, trees::MachineOf(*store_, *base));
  const sandbox::RootTree root{.name = RootName(*base), .machine = machine, .open = [store = store_, tree = *base]() -> Result<std::unique_ptr<ByteSource>> {
                                 return ExportedTree(store, tree);
                               }};
  return roots_->MakeOn(root, spec_, owner_, remember);
}

Status ContainerKeeper::NoteBase(const std::optional<trees::ObjectId>& base) {
  const std::string path = directory_ + kBaseFile;
  if (base) return WriteText(path, base->ToString());
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return HostError("cannot remove " + path);
  return {};
}

void ContainerKeeper::DropRoot(const trees::ObjectId& tree) {
  if (roots_ == nullptr || (is_template_ && is_template_(tree))) return;
  (void)roots_->DropRoot(spec_, RootName(tree));   // what stays is swept
}

Status ContainerKeeper::NoteBegun() {
  const Descriptor begun(open((directory_ + kBegunFile).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  return begun.is_open() ? Status() : Status(HostError("cannot make " + directory_ + kBegunFile));
}

Result<std::unique_ptr<sandbox::Sandbox>> ContainerKeeper::MakeWith(const Next& next) {
  const std::string next_key = directory_ + kNextKeyFile;
  PADDOCK_ASSIGN(const std::optional<std::string> broken_off, ReadText(next_key));
  if (broken_off) PADDOCK_TRY(driver_.Remove(spec_, *broken_off));
  PADDOCK_ASSIGN(auto made, MakeNew(next.base, [&](const std::string& fresh) { return WriteText(next_key, fresh); }));
  if (next.base != next.files) {
    auto* const moves = dynamic_cast<sandbox::MovesTrees*>(made.get());
    if (moves == nullptr) return Error(Code::kNotSupported, "the files of this isolation are not moved");
    PADDOCK_ASSIGN(const bool has_them, HasWorkspace(next));
    if (!has_them) PADDOCK_TRY(RestoreWorkspace(*store_, next.files, *moves));
  }
  PADDOCK_ASSIGN(const std::optional<std::string> old, ReadText(directory_ + kKeyFile));
  PADDOCK_ASSIGN(const std::optional<trees::ObjectId> old_base, ReadId(kBaseFile));
  if (rename(next_key.c_str(), (directory_ + kKeyFile).c_str()) != 0) return HostError("cannot make " + directory_ + kKeyFile);
  PADDOCK_TRY(NoteBegun());
  PADDOCK_TRY(NoteBase(next.base));
  if (unlink((directory_ + kNextFile).c_str()) != 0) return HostError("cannot remove " + directory_ + kNextFile);
  if (old) (void)driver_.Remove(spec_, *old);   // what stays is nobody's, and swept
  if (old_base && old_base != next.base) DropRoot(*old_base);
  return made;
}

// A new sandbox has the workspace of its root already.
Result<bool> ContainerKeeper::HasWorkspace(const Next& next) const {
  if (!next.base) return false;
  trees::Session session = store_->Begin();
  PADDOCK_ASSIGN(const trees::ObjectId workspace, WorkspaceOf(session, *next.base));
  return workspace == next.files;
}

Result<std::optional<ContainerKeeper::Next>> ContainerKeeper::ReadNext(const std::string& directory) {
  PADDOCK_ASSIGN(const std::optional<std::string> text, ReadText(directory + kNextFile));
  if (!text) return std::optional<Next>();
  const size_t space = std::min(text->find(' '), text->size());
  Next next;
  PADDOCK_ASSIGN(next.files, trees::ObjectId::Parse(text->substr(0, space)));
  if (space == text->size()) return std::optional(next);
  PADDOCK_ASSIGN(next.base, trees::ObjectId::Parse(text->substr(space + 1)));
  return std::optional(next);
}

Result<std::optional<trees::ObjectId>> ContainerKeeper::ReadId(const char* name) const {
  PADDOCK_ASSIGN(const std::optional<std::string> text, ReadText(directory_ + name));
  if (!text) return std::optional<trees::ObjectId>();
  PADDOCK_ASSIGN(const trees::ObjectId id, trees::ObjectId::Parse(*text));
  return std::optional(id);
}

Result<SavedState> ContainerKeeper::Capture(sandbox::Sandbox* live, trees::Session& session) {
  SavedState state;
  trees::Captured captured;
  if (has_own_root()) {
    auto* const packs = dynamic_cast<sandbox::PacksRoot*>(live);
    if (packs == nullptr) return Error(Code::kNotSupported, "the root of this isolation is not moved");
    PADDOCK_ASSIGN(captured, registry::CaptureRoot(session, {.pack = [&](const sandbox::TarSink& sink) { return packs->PackRoot(sink); },
                                                             .walls_own = roots_->WallsOwn(), .workspace = nullptr, .workspace_path = {}, .limits = kStateLimits}));
    state.base = captured.tree;
  } else {
    auto* const moves = dynamic_cast<sandbox::MovesTrees*>(live);
    if (moves == nullptr) return Error(Code::kNotSupported, "the files of this isolation are not moved");
    PADDOCK_ASSIGN(state.base, ReadId(kBaseFile));
    if (state.base && !session.Touch(*state.base)) return Error(Code::kIo, "tree " + state.base->ToString() + " is not in the store");
    PADDOCK_ASSIGN(captured, CaptureWorkspace(session, *moves));
  }
  state.files = captured.tree;
  state.totals = captured.totals;
  return state;
}

Result<CapturedRoot> ContainerKeeper::CaptureRoot(sandbox::Sandbox* live, trees::Session& session, const trees::ArchiveLimits& limits) {
  auto* const packs = dynamic_cast<sandbox::PacksRoot*>(live);
  auto* const moves = dynamic_cast<sandbox::MovesTrees*>(live);
  if (packs == nullptr || moves == nullptr || roots_ == nullptr) return Error(Code::kNotSupported, "the root of this isolation is not moved");
  CapturedRoot root;
  PADDOCK_ASSIGN(root.files, registry::CaptureRoot(session, {.pack = [&](const sandbox::TarSink& sink) { return packs->PackRoot(sink); }, .walls_own = roots_->WallsOwn(),
                                                             .workspace = has_own_root() ? nullptr : moves, .workspace_path = packs->workspace(), .limits = limits}));
  PADDOCK_ASSIGN(sandbox::RootConfig config, packs->ReadRootConfig());
  root.config.environment = std::move(config.environment);
  root.config.entrypoint = std::move(config.entrypoint);
  root.config.command = std::move(config.command);
  root.config.working_directory = std::move(config.working_directory);
  root.config.user = std::move(config.user);
  return root;
}

Status ContainerKeeper::Become(const SavedState& state) {
  if (state.base && roots_ == nullptr) return Error(Code::kNotSupported, "a sandbox of this isolation begins from no template");
  const bool is_first = mkdir(directory_.c_str(), 0700) == 0;
  if (!is_first && errno != EEXIST) return HostError("cannot make " + directory_);
  if (is_first) PADDOCK_TRY(WriteText(directory_ + kCreationFile, state.files.ToString()));
  return WriteText(directory_ + kNextFile, state.files.ToString() + (state.base ? " " + state.base->ToString() : ""));
}

Result<trees::ObjectId> ContainerKeeper::CaptureCreation(trees::Session& session) {
  PADDOCK_ASSIGN(const std::optional<trees::ObjectId> creation, ReadId(kCreationFile));
  if (creation) {
    if (!session.Touch(*creation)) return Error(Code::kIo, "tree " + creation->ToString() + " is not in the store");
    return *creation;
  }
  if (!has_own_root()) return EmptyTree(session);
  PADDOCK_ASSIGN(const std::optional<std::string> key, ReadText(directory_ + kKeyFile));
  if (!key) return Error(Code::kNoEntry, "the sandbox was never begun");
  PADDOCK_ASSIGN(const trees::Captured captured,
                 registry::CaptureRoot(session, {.pack = [&](const sandbox::TarSink& sink) { return roots_->PackBeginning(spec_, *key, sink); },
                                                 .walls_own = roots_->WallsOwn(), .workspace = nullptr, .workspace_path = {}, .limits = kStateLimits}));
  return captured.tree;
}

Result<std::vector<trees::ObjectId>> ContainerKeeper::Trees() {
  std::vector<trees::ObjectId> trees;
  PADDOCK_ASSIGN(const std::optional<Next> next, ReadNext(directory_));
  if (next) trees.push_back(next->files);
  if (next && next->base) trees.push_back(*next->base);
  for (const char* const name : {kBaseFile, kCreationFile}) {
    PADDOCK_ASSIGN(const std::optional<trees::ObjectId> id, ReadId(name));
    if (id) trees.push_back(*id);
  }
  return trees;
}

Status ContainerKeeper::Remove() {
  for (const char* const name : {kNextKeyFile, kKeyFile}) {
    PADDOCK_ASSIGN(const std::optional<std::string> key, ReadText(directory_ + name));
    if (key) PADDOCK_TRY(driver_.Remove(spec_, *key));
  }
  PADDOCK_ASSIGN(const std::optional<Next> next, ReadNext(directory_));
  PADDOCK_ASSIGN(const std::optional<trees::ObjectId> base, ReadId(kBaseFile));
  if (next && next->base) DropRoot(*next->base);
  if (base && (!next || next->base != base)) DropRoot(*base);
  const size_t slash = directory_.rfind('/');
  const Descriptor parent(open(directory_.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.is_open()) return HostError("cannot open " + directory_.substr(0, slash));
  const Status removed = overlay::RemoveTree(parent.get(), directory_.substr(slash + 1));
  if (!removed && removed.error().code == Code::kNoEntry) return {};
  return removed;
}

Result<std::set<std::string>> ContainerKeeper::Keys(const std::string& sandboxes) {
  std::set<std::string> keys;
  PADDOCK_TRY(ForEachSandbox(sandboxes, [&](const std::string& directory) -> Status {
    for (const char* const file : {kNextKeyFile, kKeyFile}) {   // in the order in which one becomes the other
      PADDOCK_ASSIGN(std::optional<std::string> key, ReadText(directory + file));
      if (key) keys.insert(std::move(*key));
    }
    return {};
  }));
  return keys;
}

Result<std::set<std::string>> ContainerKeeper::RootNames(const std::string& sandboxes) {
  std::set<std::string> names;
  PADDOCK_TRY(ForEachSandbox(sandboxes, [&](const std::string& directory) -> Status {
    // Other isolations' sandboxes have bases of other kinds, and no keys. Of one without a key nothing was made.
    if (access((directory + kKeyFile).c_str(), F_OK) != 0 && access((directory + kNextKeyFile).c_str(), F_OK) != 0) return {};
    PADDOCK_ASSIGN(const std::optional<Next> next, ReadNext(directory));
    if (next && next->base) names.insert(RootName(*next->base));
    PADDOCK_ASSIGN(const std::optional<std::string> base, ReadText(directory + kBaseFile));
    if (base) names.insert(base->substr(base->find(':') + 1));
    return {};
  }));
  return names;
}

}  // namespace paddock::registry
