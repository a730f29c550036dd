// git patch-id, and the ids of commits' patches.
#include "commands/git/diff/commit_patch_id.h"
#include "commands/git/diff/diff.h"
#include "git/patch_id.h"

namespace paddock::git {

Result<std::optional<Oid>> CommitPatchId(Git& git, const Commit& commit, bool finds_renames) {
  FlatTree before;
  if (!commit.parents.empty()) {
    PADDOCK_ASSIGN(before, git.FlattenCommit(commit.parents[0]));
  }
  PADDOCK_ASSIGN(const FlatTree after, git.Flatten(commit.tree));
  DiffOptions options;
  options.patch = options.full_index = true;
  options.textconv = false;
  std::vector<FileDiff> files = CompareTrees(before, after);
  if (finds_renames) {
    Pathspec all;
    PADDOCK_TRY(Arrange(git, files, options, all));
  }
  std::vector<std::string> patches;
  for (FileDiff file : files) {
    if (file.status == 'R') file.status = 'M';   // only the names tell
    PADDOCK_ASSIGN(std::string patch, FormatDiff(git, {file}, options));
    // The names count even where no line differs.
    if (patch.empty()) patch = "diff --git a/" + file.old_path + " b/" + file.new_path + "\n";
    if (patch.find("\n--- ") == std::string::npos && patch.find("\nBinary files ") == std::string::npos) {
      patch += (file.old_mode == 0 ? "--- /dev/null" : "--- a/" + file.old_path) + "\n" + (file.new_mode == 0 ? "+++ /dev/null" : "+++ b/" + file.new_path) + "\n";
    }
    git.in.budget.WillAllocate(patch.size());
    patches.push_back(std::move(patch));
  }
  return PatchIdOfFiles(patches, git.in.budget);
}

Result<std::set<Oid>> WithSamePatch(Git& git, History& history, const std::vector<Oid>& commits, const std::vector<Oid>& others) {
  std::set<Oid> same, patches;
  const auto patch_of = [&](const Oid& id) -> Result<std::optional<Oid>> {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    if (node->commit.parents.size() > 1) return std::optional<Oid>();
    return CommitPatchId(git, node->commit);
  };
  for (const Oid& id : others) {
    PADDOCK_ASSIGN(const std::optional<Oid> patch, patch_of(id));
    if (patch) patches.insert(*patch);
  }
  if (patches.empty()) return same;
  for (const Oid& id : commits) {
    PADDOCK_ASSIGN(const std::optional<Oid> patch, patch_of(id));
    if (patch && patches.contains(*patch)) same.insert(id);
  }
  return same;
}

namespace {

struct PatchIdOptions {
  std::optional<PatchIdKind> kind;
};
template <PatchIdKind kKind>
Status TakeKind(PatchIdOptions& options, std::string_view) {
  options.kind = kKind;
  return {};
}
constexpr Option kPatchIdOptions[] = {
    Call<TakeKind<PatchIdKind::kUnstable>>(0, "unstable", nullptr, "files in another order make another id (the default)"),
    Call<TakeKind<PatchIdKind::kStable>>(0, "stable", nullptr, "they do not"),
    Call<TakeKind<PatchIdKind::kVerbatim>>(0, "verbatim", nullptr, "blanks count, too; stable"),
};

Result<ExitStatus> RunPatchId(Invocation& in, Git* git, PatchIdOptions& options, Args&) {
  PADDOCK_ASSIGN(const Config config, ReadConfig(in, git));
  const bool is_stable = config.GetBool("patchid.stable", false);
  const PatchIdKind kind = options.kind ? *options.kind : config.GetBool("patchid.verbatim", false) ? PatchIdKind::kVerbatim : is_stable ? PatchIdKind::kStable : PatchIdKind::kUnstable;
  const std::string text = in.in.ReadAll();
  for (const NamedPatchId& id : PatchIdsOf(text, kind, in.budget)) in.out.Write(id.patch.Hex() + " " + id.commit.Hex() + "\n");
  return 0;
}

}  // namespace

extern const Subcommand kPatchId;
const Subcommand kPatchId = DefineFreeSubcommand<PatchIdOptions, RunPatchId>({.name = "patch-id", .summary = "tell the ids of patches", .synopsis = "[--stable | --unstable | --verbatim]", .options = kPatchIdOptions, .needs = Subcommand::Needs::kMaybeRepository});

}  // namespace paddock::git
