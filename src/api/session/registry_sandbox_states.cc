// Snapshots, forks and diffs of a sandbox of the registry, as tools of its session ask for them.
#include <algorithm>

#include "api/session/registry_sandbox.h"
#include "registry/states/state_diff.h"
#include "text/utf8.h"

namespace paddock::api {
namespace {

tools::ChangeKind ShownKind(registry::StateChangeKind kind) {
  switch (kind) {
    case registry::StateChangeKind::kAdded: return tools::ChangeKind::kAdded;
    case registry::StateChangeKind::kRemoved: return tools::ChangeKind::kRemoved;
    case registry::StateChangeKind::kModified: return tools::ChangeKind::kModified;
    case registry::StateChangeKind::kRetyped: return tools::ChangeKind::kRetyped;
  }
  return tools::ChangeKind::kModified;
}

}  // namespace

// That no process has it for itself; it may be at rest.
Status RegistrySandbox::CheckQuiet() const {
  PADDOCK_ASSIGN(const registry::SandboxInfo info, Get());
  if (!IsSerial(info.request.isolation)) return {};
  if (const auto runner = Running()) return Occupied(*runner);
  return {};
}

Error RegistrySandbox::WithoutStates(const Error& error) const {
  if (error.code == Code::kNotSupported) return Error(Code::kUnavailable, "isolation " + last_.request.isolation + " has no snapshots and forks");
  return Explained(error, "");
}

Result<tools::SnapshotInfo> RegistrySandbox::Snapshot(const std::string& name) {
  PADDOCK_TRY(CheckQuiet());
  const auto taken = context_.registry.TakeSnapshot(caller(), id_, {.name = name, .labels = {}, .belongs_to_sandbox = true});
  if (!taken && taken.error().code == Code::kExists) {
    PADDOCK_ASSIGN(registry::Snapshots* const kept, context_.registry.snapshots());
    const auto known = kept->GetOf(caller().owner, id_, name);
    return Error(Code::kExists, "name: there is a snapshot '" + name + "' already" + (known ? " (" + known->id + ")" : ""));
  }
  if (!taken) return WithoutStates(taken.error());
  return tools::SnapshotInfo{.id = taken->id, .name = taken->name, .created_at = SinceEpoch(taken->created)};
}

Result<std::vector<tools::ForkOutcome>> RegistrySandbox::Fork(size_t count, const std::string& name) {
  PADDOCK_TRY(CheckQuiet());
  const auto forks = context_.session->Fork(id_, {.count = count, .name = name, .labels = {}});
  if (!forks) return WithoutStates(forks.error());
  std::vector<tools::ForkOutcome> outcomes;
  for (const registry::Forked& fork : *forks) {
    tools::ForkOutcome& outcome = outcomes.emplace_back();
    if (fork.sandbox) outcome.sandbox = ToolInfoOf(context_.registry, *fork.sandbox);
    else outcome.error = fork.error->Text();
  }
  return outcomes;
}

Result<trees::ObjectId> RegistrySandbox::TreeOf(const std::string& snapshot) const {
  PADDOCK_ASSIGN(registry::Snapshots* const kept, context_.registry.snapshots());
  const auto found = kept->GetOf(caller().owner, id_, snapshot);
  if (!found && found.error().code == Code::kNoEntry) return Error(Code::kNoEntry, "no snapshot " + HarmlessLine(snapshot.substr(0, 100)) + " of sandbox " + id_);
  if (!found) return found.error();
  return found->state.files;
}

Result<tools::DiffOutcome> RegistrySandbox::Diff(const tools::DiffRequest& request) {
  PADDOCK_TRY(CheckQuiet());
  registry::Registry& registry = context_.registry;
  const auto kept = registry.snapshots();
  if (!kept) return WithoutStates(kept.error());
  const std::shared_ptr<trees::Store>& store = (*kept)->store();
  trees::Session session = store->Begin();   // a collection takes neither of them
  trees::ObjectId before, after;
  if (request.from.empty()) {
    const auto created = registry.CaptureCreation(caller(), id_, session);
    if (!created) return WithoutStates(created.error());
    before = *created;
  } else {
    PADDOCK_ASSIGN(before, TreeOf(request.from));
  }
  if (request.to.empty()) {
    const auto now = registry.CaptureState(caller(), id_, session);
    if (!now) return WithoutStates(now.error());
    after = now->files;
  } else {
    PADDOCK_ASSIGN(after, TreeOf(request.to));
  }
  PADDOCK_ASSIGN(const registry::StateDiff diff,
                 registry::DiffStates(*store, before, after,
                                      {.below = request.below, .most = request.most, .tells_removed_once = true, .wants_patches = request.wants_patch}));
  tools::DiffOutcome outcome{.changes = {}, .is_complete = diff.is_complete};
  for (const registry::StateChange& change : diff.changes) {
    outcome.changes.push_back({.path = change.path, .kind = ShownKind(change.kind), .type = change.type, .size_before = change.size_before,
                               .size_after = change.size_after, .patch = change.patch});
  }
  std::sort(outcome.changes.begin(), outcome.changes.end(), [](const tools::FileChange& a, const tools::FileChange& b) { return a.path < b.path; });
  return outcome;
}

}  // namespace paddock::api
