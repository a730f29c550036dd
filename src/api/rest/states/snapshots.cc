// Snapshots: take, look, delete; restoring a sandbox, forking it.
#include "api/rest/groups.h"
#include "api/rest/states/snapshot_shape.h"
#include "api/session/session_service.h"
#include "policy/amount.h"

namespace paddock::api {
namespace {

constexpr Field kSnapshot[] = {
    Shown<&SnapshotShape::id>("id", "snap_ and 20 characters."),
    Shown<&SnapshotShape::name>("name", "Empty: none."),
    Shown<&SnapshotShape::owner>("owner", "Whose it is."),
    Shown<&SnapshotShape::isolation>("isolation", "Of the sandboxes that may begin as it."),
    Shown<&SnapshotShape::sandbox_id>("sandbox_id", "What it was taken of, which may be gone; null: it came from outside."),
    Shown<&SnapshotShape::labels>("labels", "For filters."),
    Shown<&SnapshotShape::entries>("entries", "Files, directories and the like."),
    Shown<&SnapshotShape::content_bytes>("content_bytes", "Sizes of the files together."),
    Shown<&SnapshotShape::tree>("tree", "Digest of the files: equal files have equal ones."),
    Shown<&SnapshotShape::created_at>("created_at", "RFC 3339."),
};
}  // namespace

std::span<const Field> FieldsOf(const SnapshotShape*) { return kSnapshot; }

SnapshotShape ShapeOf(const registry::SnapshotInfo& info) {
  SnapshotShape shape{.id = info.id, .name = info.name, .owner = info.owner, .isolation = info.state.isolation, .sandbox_id = {}, .labels = info.labels,
                      .entries = info.state.totals.entries, .content_bytes = info.state.totals.content_bytes, .tree = info.state.files.ToString(),
                      .created_at = TimeText(info.created)};
  if (!info.sandbox.empty()) shape.sandbox_id = info.sandbox;
  return shape;
}

Result<registry::Labels> LabelsOf(const std::vector<std::string>& texts) {
  registry::Labels labels;
  for (const std::string& label : texts) {
    const size_t equals = label.find('=');
    if (equals == std::string::npos) return Error(Code::kInvalid, "label: '" + label + "' must be KEY=VALUE");
    labels[label.substr(0, equals)] = label.substr(equals + 1);
  }
  return labels;
}

namespace {

// ---- take

struct TakeBody {
  std::string name;
  Texts labels;
};
constexpr Field kTakeBody[] = {
    Optional<&TakeBody::name>("name", "Unique among your snapshots.", {.max_length = 63}),
    Optional<&TakeBody::labels>("labels", "For filters.", {.max_items = 63}),
};
std::span<const Field> FieldsOf(const TakeBody*) { return kTakeBody; }

Result<SnapshotShape> Take(Call& call, const Nothing&, TakeBody& body) {
  PADDOCK_ASSIGN(std::string key, IdempotencyKeyOf(call));
  PADDOCK_ASSIGN(const registry::SnapshotInfo info,
                 call.services.registry.TakeSnapshot(call.caller, call["sandbox"], {.name = body.name, .labels = body.labels, .idempotency_key = std::move(key)}));
  return MadeShape(call, ShapeOf(info), info.is_new);
}

// ---- look

struct ListQuery {
  std::string sandbox, name, owner;
  std::vector<std::string> label;
  int64_t limit = 100;
  std::string cursor;
};
constexpr Field kListQuery[] = {
    Optional<&ListQuery::sandbox>("sandbox", "Only those of the sandbox with this id, which may be gone."),
    Optional<&ListQuery::name>("name", "Only the one of this name."),
    Optional<&ListQuery::owner>("owner", "Only this owner's; for admins."),
    Optional<&ListQuery::label>("label", "Only those with this label, KEY=VALUE.", {.max_items = 15}),
    Optional<&ListQuery::limit>("limit", "At most so many.", {.min = 1, .max = 1000}),
    Optional<&ListQuery::cursor>("cursor", "What the page before gave as next."),
};
std::span<const Field> FieldsOf(const ListQuery*) { return kListQuery; }

struct ListAnswer {
  std::vector<SnapshotShape> snapshots;
  std::optional<std::string> next;
};
constexpr Field kListAnswer[] = {
    Shown<&ListAnswer::snapshots>("snapshots", "Oldest first."),
    Shown<&ListAnswer::next>("next", "The cursor of the next page; null: there is none."),
};
std::span<const Field> FieldsOf(const ListAnswer*) { return kListAnswer; }

Result<ListAnswer> ListThose(Call& call, const registry::SnapshotListRequest& request) {
  PADDOCK_ASSIGN(registry::Snapshots* const kept, call.services.registry.snapshots());
  PADDOCK_ASSIGN(registry::SnapshotPage page, kept->List(call.caller, request));
  ListAnswer answer;
  for (const registry::SnapshotInfo& info : page.snapshots) answer.snapshots.push_back(ShapeOf(info));
  if (!page.next.empty()) answer.next = std::move(page.next);
  return answer;
}

Result<ListAnswer> List(Call& call, const ListQuery& query, Nothing&) {
  registry::SnapshotListRequest request{.sandbox = query.sandbox, .name = query.name, .owner = query.owner, .labels = {},
                                        .limit = static_cast<size_t>(query.limit), .cursor = query.cursor};
  PADDOCK_ASSIGN(request.labels, LabelsOf(query.label));
  return ListThose(call, request);
}

struct PageQuery {
  int64_t limit = 100;
  std::string cursor;
};
constexpr Field kPageQuery[] = {
    Optional<&PageQuery::limit>("limit", "At most so many.", {.min = 1, .max = 1000}),
    Optional<&PageQuery::cursor>("cursor", "What the page before gave as next."),
};
std::span<const Field> FieldsOf(const PageQuery*) { return kPageQuery; }

Result<ListAnswer> ListOfSandbox(Call& call, const PageQuery& query, Nothing&) {
  PADDOCK_ASSIGN(const registry::SandboxInfo info, call.services.registry.Get(call.caller, call["sandbox"]));
  return ListThose(call, {.sandbox = info.id, .name = {}, .owner = {}, .labels = {}, .limit = static_cast<size_t>(query.limit), .cursor = query.cursor});
}

Result<SnapshotShape> Get(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(registry::Snapshots* const kept, call.services.registry.snapshots());
  PADDOCK_ASSIGN(const registry::SnapshotInfo info, kept->Get(call.caller, call["snapshot"]));
  return ShapeOf(info);
}

Result<Nothing> Delete(Call& call, const Nothing&, Nothing&) {
  PADDOCK_TRY(call.services.registry.DeleteSnapshot(call.caller, call["snapshot"]));
  return Nothing{};
}

// ---- restore

struct RestoreBody {
  std::string snapshot;
  bool force = false;
};
constexpr Field kRestoreBody[] = {
    Required<&RestoreBody::snapshot>("snapshot", "Id or name of the snapshot.", {.max_length = 63}),
    Optional<&RestoreBody::force>("force", "End what runs, rather than be refused."),
};
std::span<const Field> FieldsOf(const RestoreBody*) { return kRestoreBody; }

Result<SandboxShape> Restore(Call& call, const Nothing&, RestoreBody& body) {
  PADDOCK_ASSIGN(const registry::SandboxInfo info, call.services.registry.Restore(call.caller, call["sandbox"], body.snapshot, body.force));
  return ShapeOf(info);
}

// ---- fork

struct ForkBody {
  int64_t count = 1;
  std::string name;
  Texts labels;
};
constexpr Field kForkBody[] = {
    Optional<&ForkBody::count>("count", "How many.", {.min = 1, .max = registry::ForkRequest::kMostForks}),
    Optional<&ForkBody::name>("name", "Of one; several are called NAME-1, NAME-2 and so on.", {.max_length = 59}),
    Optional<&ForkBody::labels>("labels", "Added to those of the original.", {.max_items = 64}),
};
std::span<const Field> FieldsOf(const ForkBody*) { return kForkBody; }

struct ForkError {
  std::string code, message;
};
constexpr Field kForkError[] = {
    Shown<&ForkError::code>("code", "As in any error."),
    Shown<&ForkError::message>("message", "What was wrong."),
};
std::span<const Field> FieldsOf(const ForkError*) { return kForkError; }

struct ForkShape {
  std::optional<SandboxShape> sandbox;
  std::optional<ForkError> error;
};
constexpr Field kForkShape[] = {
    Shown<&ForkShape::sandbox>("sandbox", "The fork; null: there is none."),
    Shown<&ForkShape::error>("error", "Why there is none."),
};
std::span<const Field> FieldsOf(const ForkShape*) { return kForkShape; }

struct ForkAnswer {
  std::vector<ForkShape> forks;
};
constexpr Field kForkAnswer[] = {
    Shown<&ForkAnswer::forks>("forks", "As many as were asked for."),
};
std::span<const Field> FieldsOf(const ForkAnswer*) { return kForkAnswer; }

// Forks of a session's sandbox are the session's, and count as such.
Result<std::vector<registry::Forked>> MakeForks(Call& call, const registry::ForkRequest& request) {
  registry::Registry& registry = call.services.registry;
  PADDOCK_ASSIGN(const registry::SandboxInfo original, registry.Get(call.caller, call["sandbox"]));
  if (original.request.parent.empty() || call.services.sessions == nullptr) return registry.Fork(call.caller, original.id, request);
  PADDOCK_ASSIGN(const std::shared_ptr<registry::Session> session, call.services.sessions->sessions().Find(call.caller, original.request.parent));
  return session->Fork(original.id, request);
}

Result<ForkAnswer> Fork(Call& call, const Nothing&, ForkBody& body) {
  PADDOCK_ASSIGN(std::string key, IdempotencyKeyOf(call));
  PADDOCK_ASSIGN(const std::vector<registry::Forked> forks,
                 MakeForks(call, {.count = static_cast<size_t>(body.count), .name = body.name, .labels = body.labels, .idempotency_key = std::move(key)}));
  ForkAnswer answer;
  for (const registry::Forked& fork : forks) {
    ForkShape& shape = answer.forks.emplace_back();
    if (fork.sandbox) shape.sandbox = ShapeOf(*fork.sandbox);
    else shape.error = ForkError{.code = NameOf(fork.error->code), .message = std::string(fork.error->Text())};
  }
  return answer;
}

// ---- collection

struct CollectBody {
  std::optional<std::string> grace;
};
constexpr Field kCollectBody[] = {
    Optional<&CollectBody::grace>("grace", "What was stored or met within this time stays: \"10m\"; the daemon's own (retention.unreferenced) if absent."),
};
std::span<const Field> FieldsOf(const CollectBody*) { return kCollectBody; }

struct CollectAnswer {
  uint64_t objects = 0, body_bytes = 0, disk_bytes = 0;
};
constexpr Field kCollectAnswer[] = {
    Shown<&CollectAnswer::objects>("objects", "Pieces of files and directories that are gone."),
    Shown<&CollectAnswer::body_bytes>("body_bytes", "Their sizes together, not compressed."),
    Shown<&CollectAnswer::disk_bytes>("disk_bytes", "So much smaller is the store on the disk."),
};
std::span<const Field> FieldsOf(const CollectAnswer*) { return kCollectAnswer; }

Result<CollectAnswer> Collect(Call& call, const Nothing&, CollectBody& body) {
  std::optional<Nanoseconds> grace;
  if (body.grace) {
    const auto time = policy::ParseTimeSpan(*body.grace);
    if (!time) return Error(Code::kInvalid, "grace: " + std::string(time.error().Text()));
    grace = *time;
  }
  PADDOCK_ASSIGN(const trees::Collected collected, call.services.registry.Collect(grace));
  return CollectAnswer{.objects = collected.objects, .body_bytes = collected.body_bytes, .disk_bytes = collected.disk_bytes};
}

}  // namespace

std::vector<Operation> SnapshotOperations() {
  std::vector<Operation> all = {
      TakesKey(Define<Nothing, TakeBody, SnapshotShape, Take, 201>("POST", "/v1/sandboxes/{sandbox}/snapshots", "takeSnapshot", "Keeps files and shell of a sandbox as they are now.", Access::kUse)),
      Define<PageQuery, Nothing, ListAnswer, ListOfSandbox>("GET", "/v1/sandboxes/{sandbox}/snapshots", "listSandboxSnapshots", "Lists the snapshots of a sandbox.", Access::kRead),
      Define<Nothing, RestoreBody, SandboxShape, Restore>("POST", "/v1/sandboxes/{sandbox}/restore", "restoreSandbox", "Puts a sandbox into the state of a snapshot, in one step.", Access::kUse),
      TakesKey(Define<Nothing, ForkBody, ForkAnswer, Fork>("POST", "/v1/sandboxes/{sandbox}/fork", "forkSandbox", "Makes sandboxes that begin as this one is now.", Access::kUse)),
      Define<ListQuery, Nothing, ListAnswer, List>("GET", "/v1/snapshots", "listSnapshots", "Lists snapshots, page by page.", Access::kRead),
      Define<Nothing, Nothing, SnapshotShape, Get>("GET", "/v1/snapshots/{snapshot}", "getSnapshot", "Shows a snapshot, by its id or name.", Access::kRead),
      Define<Nothing, Nothing, Nothing, Delete>("DELETE", "/v1/snapshots/{snapshot}", "deleteSnapshot", "Deletes a snapshot; what was made from it stays.", Access::kUse),
      Define<Nothing, CollectBody, CollectAnswer, Collect>("POST", "/v1/system/collect", "collectGarbage", "Frees what no sandbox, snapshot or template needs any more.", Access::kAdmin),
  };
  const std::vector<Operation> files = SnapshotFileOperations();
  all.insert(all.end(), files.begin(), files.end());
  return all;
}

}  // namespace paddock::api
