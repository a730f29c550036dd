// Submodules with changes that are not committed there, as differences of the repository around them.
#include <algorithm>

#include "commands/git/work/status.h"
#include "commands/git/work/working_changes.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {

Status AddDirtyModules(Git& git, const Index& index, const FlatTree* before, const DiffOptions& options, std::vector<FileDiff>& files) {
  if (options.ignores_submodules || options.ignores_dirty) return {};
  bool is_added = false;
  for (const IndexEntry& entry : index.entries()) {
    if (entry.mode != kModeCommit || entry.stage != 0 || entry.is_assumed || entry.is_skipped) continue;
    PADDOCK_ASSIGN(const ModuleDirt dirt, DirtOfModule(git, entry.path));
    if (!dirt.is_modified) continue;
    auto at = std::find_if(files.begin(), files.end(), [&entry](const FileDiff& file) { return file.new_path == entry.path; });
    if (at == files.end()) {
      FileDiff file;
      file.old_path = file.new_path = entry.path;
      file.old_mode = file.new_mode = kModeCommit;
      file.old_id = file.new_id = entry.id;
      if (before != nullptr) {
        const auto old = before->find(entry.path);
        if (old == before->end() || old->second.mode != kModeCommit) continue;
        file.old_id = file.new_id = old->second.id;
      }
      at = files.insert(files.end(), std::move(file));
      is_added = true;
    }
    if (at->new_mode == kModeCommit) at->new_text = std::make_shared<const std::string>("Subproject commit " + at->new_id.Hex() + "-dirty\n");
  }
  if (is_added) std::stable_sort(files.begin(), files.end(), [](const FileDiff& a, const FileDiff& b) { return a.new_path < b.new_path; });
  return {};
}

}  // namespace paddock::git
