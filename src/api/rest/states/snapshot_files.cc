// What is in snapshots: what differs between two, and each as one file.
#include <algorithm>

#include "api/rest/groups.h"
#include "api/rest/states/snapshot_shape.h"
#include "registry/states/state_diff.h"
#include "registry/states/state_file.h"

namespace paddock::registry {

std::span<const char* const> NamesOf(StateChangeKind) {
  static constexpr const char* kNames[] = {"added", "removed", "modified", "retyped"};
  return kNames;
}

}  // namespace paddock::registry

namespace paddock::vfs {
std::span<const char* const> NamesOf(FileType);   // files.cc
}

namespace paddock::api {

Result<Block> BodySource::ReadBlock(size_t max) {
  buffer_.resize(std::min<size_t>(max, 128 << 10));
  PADDOCK_ASSIGN(const size_t size, exchange_.ReadBody(buffer_));
  return Block{.keep = nullptr, .bytes = std::string_view(buffer_).substr(0, size)};
}

Status AnswerSink::Write(std::string_view bytes) {
  if (!exchange_.has_answered()) PADDOCK_TRY(exchange_.StartResponse(200, headers_));
  return exchange_.Write(bytes);
}

namespace {

constexpr uint64_t kMostUpload = 20ull << 30;   // of a sandbox's files and of a template's

// ---- diff

struct DiffQuery {
  std::optional<std::string> to, sandbox;
  std::string path = "/";
  bool patch = false;
  int64_t limit = 1000;
};
constexpr Field kDiffQuery[] = {
    Optional<&DiffQuery::to>("to", "Id or name of the snapshot to compare with."),
    Optional<&DiffQuery::sandbox>("sandbox", "Id or name of a sandbox to compare with, as it is now. Exactly one of the two."),
    Optional<&DiffQuery::path>("path", "Only what lies here.", {.max_length = 4095}),
    Optional<&DiffQuery::patch>("patch", "Unified hunks of text files, too."),
    Optional<&DiffQuery::limit>("limit", "At most so many changes.", {.min = 1, .max = 10'000}),
};
std::span<const Field> FieldsOf(const DiffQuery*) { return kDiffQuery; }

struct ChangeShape {
  std::string path;
  registry::StateChangeKind kind = registry::StateChangeKind::kModified;
  vfs::FileType type = vfs::FileType::kFile;
  uint64_t size_before = 0, size_after = 0;
  std::optional<std::string> mode_before, mode_after, patch;
};
constexpr Field kChange[] = {
    Shown<&ChangeShape::path>("path", "Absolute; malformed UTF-8 as U+FFFD."),
    Shown<&ChangeShape::kind>("kind", "What became of it."),
    Shown<&ChangeShape::type>("type", "What it is; if removed, what it was."),
    Shown<&ChangeShape::size_before>("size_before", "Bytes of the file."),
    Shown<&ChangeShape::size_after>("size_after", "Bytes of the file."),
    Shown<&ChangeShape::mode_before>("mode_before", "Permissions, octal; null: it was not there."),
    Shown<&ChangeShape::mode_after>("mode_after", "Permissions, octal; null: it is gone."),
    Shown<&ChangeShape::patch>("patch", "Hunks of a text file; null: not asked for, or none."),
};
std::span<const Field> FieldsOf(const ChangeShape*) { return kChange; }

struct DiffAnswer {
  std::vector<ChangeShape> changes;
  bool is_complete = true;
};
constexpr Field kDiffAnswer[] = {
    Shown<&DiffAnswer::changes>("changes", "By path."),
    Shown<&DiffAnswer::is_complete>("is_complete", "False: there are more than the limit."),
};
std::span<const Field> FieldsOf(const DiffAnswer*) { return kDiffAnswer; }

std::string ModeText(uint32_t mode) {
  char text[16];
  std::snprintf(text, sizeof text, "%04o", mode & 07777u);
  return text;
}

Result<DiffAnswer> Diff(Call& call, const DiffQuery& query, Nothing&) {
  if (query.to.has_value() == query.sandbox.has_value()) return Error(Code::kInvalid, "give either to=SNAPSHOT or sandbox=SANDBOX");
  if (!query.path.starts_with('/') || query.path.find('\0') != std::string::npos) return Error(Code::kInvalid, "path must be absolute");
  registry::Registry& registry = call.services.registry;
  PADDOCK_ASSIGN(registry::Snapshots* const kept, registry.snapshots());
  trees::Session session = kept->store()->Begin();   // a collection takes neither of them
  PADDOCK_ASSIGN(const registry::SnapshotInfo before, kept->Get(call.caller, call["snapshot"]));
  trees::ObjectId after;
  if (query.to) {
    PADDOCK_ASSIGN(const registry::SnapshotInfo other, kept->Get(call.caller, *query.to));
    after = other.state.files;
  } else {
    PADDOCK_ASSIGN(const registry::SavedState now, registry.CaptureState(call.caller, *query.sandbox, session));
    after = now.files;
  }
  PADDOCK_ASSIGN(registry::StateDiff diff, registry::DiffStates(*kept->store(), before.state.files, after,
                                                                {.below = query.path, .most = static_cast<size_t>(query.limit), .wants_patches = query.patch}));
  DiffAnswer answer{.changes = {}, .is_complete = diff.is_complete};
  for (registry::StateChange& change : diff.changes) {
    ChangeShape& shape = answer.changes.emplace_back(ChangeShape{.path = std::move(change.path), .kind = change.kind, .type = change.type,
                                                                 .size_before = change.size_before, .size_after = change.size_after});
    if (change.kind != registry::StateChangeKind::kAdded) shape.mode_before = ModeText(change.mode_before);
    if (change.kind != registry::StateChangeKind::kRemoved) shape.mode_after = ModeText(change.mode_after);
    if (!change.patch.empty()) shape.patch = std::move(change.patch);
  }
  return answer;
}

// ---- as one file

Result<Bytes> Export(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(registry::Snapshots* const kept, call.services.registry.snapshots());
  trees::Session session = kept->store()->Begin();
  PADDOCK_ASSIGN(const registry::SnapshotInfo info, kept->Get(call.caller, call["snapshot"]));
  PADDOCK_ASSIGN(const registry::SavedState state, registry::ReadState(session, info.state));
  AnswerSink sink(call.exchange, {{"Content-Type", "application/octet-stream"},
                                  {"Content-Disposition", "attachment; filename=\"" + info.id + ".snapshot\""},
                                  {"X-Content-Type-Options", "nosniff"}});
  const Status written = registry::WriteStateFile(*kept->store(), state, info.state.isolation, sink);
  if (!written && !call.exchange.has_answered()) return written.error();
  if (written) (void)call.exchange.Finish();   // else the answer is cut, and the client sees it
  return Bytes{};
}

struct ImportQuery {
  std::string name;
  std::vector<std::string> label;
};
constexpr Field kImportQuery[] = {
    Optional<&ImportQuery::name>("name", "Unique among your snapshots.", {.max_length = 63}),
    Optional<&ImportQuery::label>("label", "For filters, KEY=VALUE.", {.max_items = 63}),
};
std::span<const Field> FieldsOf(const ImportQuery*) { return kImportQuery; }

Result<SnapshotShape> Import(Call& call, const ImportQuery& query, Bytes&) {
  PADDOCK_ASSIGN(const registry::Labels labels, LabelsOf(query.label));
  PADDOCK_ASSIGN(const std::string key, IdempotencyKeyOf(call));
  PADDOCK_ASSIGN(registry::Snapshots* const kept, call.services.registry.snapshots());
  call.exchange.SetBodyLimit({.bytes = kMostUpload, .bytes_per_second = 1024});
  BodySource body(call.exchange);
  trees::Session session = kept->store()->Begin();
  PADDOCK_ASSIGN(const registry::StateFile file, registry::ReadStateFile(session, body));
  std::vector<std::string> texts{"import", query.name, file.state.files.ToString(), file.state.shell, file.isolation};
  if (file.state.base) texts.push_back(file.state.base->ToString());
  for (const auto& [label, value] : labels) texts.insert(texts.end(), {label, value});
  const registry::Once once = call.services.registry.OnceOf(call.caller.owner, key, registry::DigestOfTexts(texts));
  PADDOCK_ASSIGN(const registry::SnapshotInfo info,
                 kept->Add(session, call.caller.owner, {.name = query.name, .labels = labels}, "", file.state, file.isolation, once));
  return MadeShape(call, ShapeOf(info), info.is_new);
}

}  // namespace

std::vector<Operation> SnapshotFileOperations() {
  return {
      Define<DiffQuery, Nothing, DiffAnswer, Diff>("GET", "/v1/snapshots/{snapshot}/diff", "diffSnapshot", "What differs from a snapshot to another, or to a sandbox as it is.", Access::kRead),
      Define<Nothing, Nothing, Bytes, Export>("GET", "/v1/snapshots/{snapshot}/export", "exportSnapshot", "A snapshot as one file.", Access::kRead),
      TakesKey(Define<ImportQuery, Bytes, SnapshotShape, Import, 201>("POST", "/v1/snapshots/import", "importSnapshot", "A snapshot out of such a file.", Access::kUse)),
  };
}

}  // namespace paddock::api
