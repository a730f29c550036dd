// sandbox_snapshot, sandbox_fork, sandbox_diff: states of a sandbox.

#include "tools/content/file_access.h"
#include "tools/offer/offer.h"
#include "tools/offer/sandbox_choice.h"

namespace paddock::tools {
namespace {

constexpr TextPattern kNamePattern{"^[a-z0-9][a-z0-9-]{0,31}$", "must be 1 to 32 lower-case letters, digits and '-', beginning with no '-'"};

// ---- snapshot

struct SnapshotArguments {
  std::optional<std::string> sandbox_id, name;
};
constexpr Field kSnapshotArguments[] = {
    Optional<&SnapshotArguments::sandbox_id>("sandbox_id", kSandboxIdWords, kSandboxIdRules),
    Optional<&SnapshotArguments::name>("name", "A short name, unique among the sandbox's snapshots, that works wherever its id does.", {.pattern = kNamePattern}),
};
std::span<const Field> FieldsOf(const SnapshotArguments*) { return kSnapshotArguments; }

struct SnapshotOutput {
  std::string snapshot_id, name, sandbox_id, created_at;
};
constexpr Field kSnapshotOutput[] = {
    Shown<&SnapshotOutput::snapshot_id>("snapshot_id", "For sandbox_diff."),
    Shown<&SnapshotOutput::name>("name", "May be empty."),
    Shown<&SnapshotOutput::sandbox_id>("sandbox_id", "Of what it is a snapshot."),
    Shown<&SnapshotOutput::created_at>("created_at", "UTC."),
};
std::span<const Field> FieldsOf(const SnapshotOutput*) { return kSnapshotOutput; }

Result<Answer<SnapshotOutput>> Snapshot(CallContext& context, const SnapshotArguments& arguments) {
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> sandbox, ChooseSandbox(context, arguments.sandbox_id));
  PADDOCK_ASSIGN(const SnapshotInfo info, sandbox->Snapshot(arguments.name.value_or("")));
  return Answer<SnapshotOutput>{.data = {.snapshot_id = info.id, .name = info.name, .sandbox_id = sandbox->Inspect().id, .created_at = TimeText(info.created_at)},
                                .text = "snapshot " + info.id + " holds the files as they are now"};
}

// ---- fork

struct ForkArguments {
  std::optional<std::string> sandbox_id;
  int64_t count = 1;
  std::optional<std::string> name;
};
constexpr Field kForkArguments[] = {
    Optional<&ForkArguments::sandbox_id>("sandbox_id", kSandboxIdWords, kSandboxIdRules),
    Optional<&ForkArguments::count>("count", "How many.", {.min = 1, .max = 16}),
    Optional<&ForkArguments::name>("name", "Name of the new sandbox; of several with -1, -2 … behind it. Left out: only ids.",
                                   {.pattern = {"^[a-z0-9][a-z0-9-]{0,28}$", "must be 1 to 29 lower-case letters, digits and '-', beginning with no '-'"}}),
};
std::span<const Field> FieldsOf(const ForkArguments*) { return kForkArguments; }

struct ShownFork {
  std::optional<std::string> sandbox_id, name, error;
};
constexpr Field kFork[] = {
    Shown<&ShownFork::sandbox_id>("sandbox_id", "Null when this one failed."),
    Shown<&ShownFork::name>("name", "Its name."),
    Shown<&ShownFork::error>("error", "Why it failed."),
};
std::span<const Field> FieldsOf(const ShownFork*) { return kFork; }

struct ForkOutput {
  std::string from;
  std::vector<ShownFork> forks;
};
constexpr Field kForkOutput[] = {
    Shown<&ForkOutput::from>("from", "The sandbox that was forked; it goes on."),
    Shown<&ForkOutput::forks>("forks", "As many as asked for."),
};
std::span<const Field> FieldsOf(const ForkOutput*) { return kForkOutput; }

Result<Answer<ForkOutput>> Fork(CallContext& context, const ForkArguments& arguments) {
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> sandbox, ChooseSandbox(context, arguments.sandbox_id));
  PADDOCK_ASSIGN(const std::vector<ForkOutcome> outcomes, sandbox->Fork(static_cast<size_t>(arguments.count), arguments.name.value_or("")));
  Answer<ForkOutput> answer;
  answer.data.from = sandbox->Inspect().id;
  bool has_any = false;
  std::string error;
  for (const ForkOutcome& outcome : outcomes) {
    ShownFork shown;
    if (outcome.sandbox) {
      has_any = true;
      shown.sandbox_id = outcome.sandbox->id;
      shown.name = outcome.sandbox->name;
      answer.text += "forked as " + outcome.sandbox->id + (outcome.sandbox->name.empty() ? "" : " (" + outcome.sandbox->name + ")") + "\n";
    } else {
      shown.error = error = outcome.error;
      answer.text += "one fork failed: " + outcome.error + "\n";
    }
    answer.data.forks.push_back(std::move(shown));
  }
  if (!has_any) return Error(Code::kUnavailable, error);
  return answer;
}

// ---- diff

constexpr const char* kChangeNames[] = {"added", "removed", "modified", "type_changed"};

}  // namespace

std::span<const char* const> NamesOf(ChangeKind) { return kChangeNames; }

namespace {

struct DiffArguments {
  std::optional<std::string> sandbox_id, from, to, path;
  bool patch = false;
  int64_t limit = 200;
};
constexpr Field kDiffArguments[] = {
    Optional<&DiffArguments::sandbox_id>("sandbox_id", kSandboxIdWords, kSandboxIdRules),
    Optional<&DiffArguments::from>("from", "Snapshot to compare with. Left out: the sandbox as it was created.", kIdRules),
    Optional<&DiffArguments::to>("to", "A later snapshot. Left out: the files as they are now.", kIdRules),
    Optional<&DiffArguments::path>("path", "Only what lies below this directory. Left out: everywhere.", kPathRules),
    Optional<&DiffArguments::patch>("patch", "Show the changed lines of text files too."),
    Optional<&DiffArguments::limit>("limit", "Changes at most.", {.min = 1, .max = 5000}),
};
std::span<const Field> FieldsOf(const DiffArguments*) { return kDiffArguments; }

struct ShownChange {
  std::string path;
  ChangeKind change = ChangeKind::kModified;
  std::string type;
  std::optional<uint64_t> size_before, size_after;
  std::optional<std::string> patch;
};
constexpr Field kChange[] = {
    Shown<&ShownChange::path>("path", "Absolute. A removed directory stands for all below it."),
    Shown<&ShownChange::change>("change", "modified: content, permissions or owner."),
    Shown<&ShownChange::type>("type", "file, directory, symlink …"),
    Shown<&ShownChange::size_before>("size_before", "Bytes; null if it is new."),
    Shown<&ShownChange::size_after>("size_after", "Bytes; null if it is gone."),
    Shown<&ShownChange::patch>("patch", "Unified hunks of a text file, where asked for."),
};
std::span<const Field> FieldsOf(const ShownChange*) { return kChange; }

struct DiffOutput {
  std::vector<ShownChange> changes;
  bool truncated = false;
};
constexpr Field kDiffOutput[] = {
    Shown<&DiffOutput::changes>("changes", "By path."),
    Shown<&DiffOutput::truncated>("truncated", "Whether there are more."),
};
std::span<const Field> FieldsOf(const DiffOutput*) { return kDiffOutput; }

constexpr size_t kMostPatchBytes = 256 << 10;   // of all patches together

Result<Answer<DiffOutput>> Diff(CallContext& context, const DiffArguments& arguments) {
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> sandbox, ChooseSandbox(context, arguments.sandbox_id));
  DiffRequest request{.from = arguments.from.value_or(""), .to = arguments.to.value_or(""), .below = arguments.path.value_or("/"),
                      .most = static_cast<size_t>(arguments.limit), .wants_patch = arguments.patch};
  PADDOCK_ASSIGN(const DiffOutcome outcome, sandbox->Diff(request));
  Answer<DiffOutput> answer;
  answer.data.truncated = !outcome.is_complete;
  size_t patched = 0;
  for (const FileChange& change : outcome.changes) {
    ShownChange shown{.path = change.path, .change = change.kind, .type = TypeName(change.type), .size_before = {}, .size_after = {}, .patch = {}};
    if (change.kind != ChangeKind::kAdded) shown.size_before = change.size_before;
    if (change.kind != ChangeKind::kRemoved) shown.size_after = change.size_after;
    answer.text += std::string(1, "ADMT"[static_cast<size_t>(change.kind)]) + " " + change.path + "\n";
    if (!change.patch.empty() && patched + change.patch.size() <= kMostPatchBytes) {
      patched += change.patch.size();
      shown.patch = change.patch;
      answer.text += change.patch;
    } else if (!change.patch.empty()) {
      answer.data.truncated = true;
    }
    answer.data.changes.push_back(std::move(shown));
  }
  if (outcome.changes.empty()) answer.text = "Nothing has changed.";
  if (answer.data.truncated) answer.text += "… there is more; compare a directory below with path\n";
  return answer;
}

}  // namespace

const Tool kSandboxSnapshot = DefineTool<SnapshotArguments, SnapshotOutput, Snapshot>({
    .name = "sandbox_snapshot",
    .title = "Snapshot a sandbox",
    .description = "Keeps the files of a sandbox as they are now, to compare with later.",
    .hints = {},
});
const Tool kSandboxFork = DefineTool<ForkArguments, ForkOutput, Fork>({
    .name = "sandbox_fork",
    .title = "Fork a sandbox",
    .description = "Makes new sandboxes with the same files, which then go their own ways: to try several things from one state.",
    .hints = {},
    .is_open_by_network = true,
});
const Tool kSandboxDiff = DefineTool<DiffArguments, DiffOutput, Diff>({
    .name = "sandbox_diff",
    .title = "Compare states of a sandbox",
    .description = "Lists the files that have changed in a sandbox since it was created or since a snapshot, on request with the changed lines.",
    .hints = {.is_readonly = true, .is_idempotent = true},
});

}  // namespace paddock::tools
