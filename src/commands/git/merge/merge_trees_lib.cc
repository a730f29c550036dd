// Three states of the files made into one: by path, with the renames of both sides.
#include <algorithm>
#include <set>

#include "commands/git/diff/diff_renames.h"
#include "commands/git/merge/merge.h"
#include "commands/git/merge/merge_driver.h"
#include "commands/git/work/worktree.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr int kMostNestedBases = 8;

std::optional<TreeItem> Find(const FlatTree& tree, const std::string& path) {
  const auto found = tree.find(path);
  if (found == tree.end()) return std::nullopt;
  return found->second;
}

bool IsFile(uint32_t mode) { return (mode & 0170000) == 0100000; }

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

class Merger {
 public:
  Merger(Git& git, FlatTree base, FlatTree ours, FlatTree theirs, const Sides& names, const MergeStyle& style)
      : git_(git), base_(std::move(base)), ours_(std::move(ours)), theirs_(std::move(theirs)), names_(names), style_(style) {}

  Result<TreeMerge> Run() {
    if (style_.finds_renames) PADDOCK_TRY(FollowRenames());
    std::set<std::string> paths;
    for (const FlatTree* tree : {&base_, &ours_, &theirs_}) {
      for (const auto& [path, item] : *tree) paths.insert(path);
    }
    for (const std::string& path : paths) {
      git_.in.budget.Step(4);
      if (!IsSafePath(path)) return Error(Code::kInvalid, "invalid path '" + path + "'");
      PADDOCK_TRY(MergePath(path));
    }
    MakeRoomForDirectories();
    for (auto& [path, list] : messages_) {
      for (MergeMessage& message : list) {
        merge_.messages += message.text;
        merge_.told.push_back(std::move(message));
      }
    }
    return std::move(merge_);
  }

 private:
  struct Renames {
    std::map<std::string, std::string> new_names;      // of files
    std::map<std::string, std::string> directories;    // that are gone, and where most of their files went
  };

  Result<Renames> RenamesOf(const FlatTree& side) {
    Renames found;
    std::vector<FileDiff> files = CompareTrees(base_, side);
    PADDOCK_TRY(FindRenames(git_, files, {.least_score = style_.rename_percent * kWholeScore / 100, .takes_empty = false, .unchanged = {}}));
    std::map<std::string, std::map<std::string, size_t>> moves;
    for (const FileDiff& file : files) {
      if (file.status != 'R' || side.contains(file.old_path)) continue;
      found.new_names[file.old_path] = file.new_path;
      const std::string from = DirectoryOf(file.old_path), to = DirectoryOf(file.new_path);
      if (from != to && !from.empty()) ++moves[from][to];
    }
    for (const auto& [from, targets] : moves) {
      const auto after = side.lower_bound(from + "/");
      if (after != side.end() && after->first.starts_with(from + "/")) continue;
      const auto most = std::max_element(targets.begin(), targets.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      if (std::count_if(targets.begin(), targets.end(), [&most](const auto& target) { return target.second == most->second; }) == 1) found.directories[from] = most->first;
    }
    return found;
  }

  Status FollowRenames() {
    PADDOCK_ASSIGN(const Renames of_ours, RenamesOf(ours_));
    PADDOCK_ASSIGN(const Renames of_theirs, RenamesOf(theirs_));
    const FlatTree base = base_;
    // What one side put into a directory that the other side renamed belongs there, perhaps.
    PADDOCK_TRY(FollowDirectories(base, of_theirs.directories, ours_, true));
    PADDOCK_TRY(FollowDirectories(base, of_ours.directories, theirs_, false));
    for (const auto& [old_name, name] : of_ours.new_names) {
      const auto other = of_theirs.new_names.find(old_name);
      if (other == of_theirs.new_names.end()) Rename(old_name, name, theirs_, true);
      else if (other->second == name) MoveBase(old_name, name);
      else PADDOCK_TRY(RenamedTwice(old_name, name, other->second));
    }
    for (const auto& [old_name, name] : of_theirs.new_names) {
      if (!of_ours.new_names.contains(old_name)) Rename(old_name, name, ours_, false);
    }
    return {};
  }

  Status FollowDirectories(const FlatTree& base, const std::map<std::string, std::string>& directories, FlatTree& side, bool is_ours) {
    if (directories.empty() || git_.config.Get("merge.directoryrenames", "conflict") == "false") return {};
    const bool is_silent = git_.config.Get("merge.directoryrenames", "conflict") == "true";
    for (const auto& [path, item] : FlatTree(side)) {
      git_.in.budget.Step();
      const auto moved = directories.find(DirectoryOf(path));
      if (base.contains(path) || moved == directories.end()) continue;
      const std::string target = (moved->second.empty() ? "" : moved->second + "/") + path.substr(moved->first.size() + 1);
      if (ours_.contains(target) || theirs_.contains(target)) continue;
      side.erase(path);
      const std::string& adder = is_ours ? names_.ours : names_.theirs;
      const std::string& renamer = is_ours ? names_.theirs : names_.ours;
      if (is_silent) {
        side[target] = item;
        Tell(target, "Directory rename applied", {target, path}, "Path updated: " + path + " added in " + adder + " inside a directory that was renamed in " + renamer + "; moving it to " + target + ".\n");
        continue;
      }
      Tell(target, "CONFLICT (directory rename suggested)", {target, path}, "CONFLICT (file location): " + path + " added in " + adder + " inside a directory that was renamed in " + renamer + ", suggesting it should perhaps be moved to " + target + ".\n");
      PADDOCK_TRY(PutConflict(target, {}, is_ours ? std::optional(item) : std::nullopt, is_ours ? std::nullopt : std::optional(item), item));
    }
    return {};
  }

  void Tell(const std::string& path, const char* kind, std::vector<std::string> paths, std::string text) { messages_[path].push_back({kind, std::move(paths), std::move(text)}); }
  static std::string DeletedText(const std::string& path, const std::string& deleted, const std::string& changed) {
    return "CONFLICT (modify/delete): " + path + " deleted in " + deleted + " and modified in " + changed + ".  Version " + changed + " of " + path + " left in tree.\n";
  }

  void MoveBase(const std::string& old_name, const std::string& name) {
    base_[name] = base_[old_name];
    base_.erase(old_name);
  }

  // One side renamed a file: the other side's has the new name, too.
  void Rename(const std::string& old_name, const std::string& name, FlatTree& other, bool is_by_us) {
    if (other.contains(name)) return;   // both put something there: the rename is not followed
    const auto file = other.find(old_name);
    if (file == other.end()) {
      Tell(name, "CONFLICT (rename/delete)", {name, old_name}, "CONFLICT (rename/delete): " + old_name + " renamed to " + name + " in " + (is_by_us ? names_.ours : names_.theirs) + ", but deleted in " + (is_by_us ? names_.theirs : names_.ours) + ".\n");
      renamed_and_deleted_.insert(name);
    } else {
      other[name] = file->second;
      other.erase(old_name);
      (is_by_us ? their_old_names_ : our_old_names_)[name] = old_name;
    }
    MoveBase(old_name, name);
  }

  Status RenamedTwice(const std::string& old_name, const std::string& our_name, const std::string& their_name) {
    const TreeItem base = base_[old_name], ours = ours_[our_name], theirs = theirs_[their_name];
    Tell(old_name, "CONFLICT (rename/rename)", {old_name, our_name, their_name}, "CONFLICT (rename/rename): " + old_name + " renamed to " + our_name + " in " + names_.ours + " and to " + their_name + " in " + names_.theirs + ".\n");
    // Both files get what the merge of their contents is.
    const std::string label = names_.ours + ":" + our_name, their_label = names_.theirs + ":" + their_name;
    PADDOCK_ASSIGN(const std::optional<TextMerge> text, Contents(our_name, base, ours, theirs, {label, their_label, names_.base + ":" + old_name}));
    base_.erase(old_name);
    ours_.erase(our_name);
    theirs_.erase(their_name);
    merge_.conflicts[old_name] = Conflict{base, std::nullopt, std::nullopt, std::nullopt, base.mode};
    PADDOCK_TRY(PutConflict(our_name, {}, ours, {}, ours));
    PADDOCK_TRY(PutConflict(their_name, {}, {}, theirs, theirs));
    if (text) merge_.conflicts[our_name].text = merge_.conflicts[their_name].text = text->text;
    return {};
  }

  // Nothing where the contents cannot be merged.
  Result<std::optional<TextMerge>> Contents(const std::string& path, const std::optional<TreeItem>& base, const TreeItem& ours, const TreeItem& theirs, const Sides& labels) {
    MergeInput input{path, "", "", ""};
    PADDOCK_ASSIGN(input.ours, git_.ReadBlob(ours.id));
    PADDOCK_ASSIGN(input.theirs, git_.ReadBlob(theirs.id));
    if (base) {
      PADDOCK_ASSIGN(input.base, git_.ReadBlob(base->id));
    }
    return MergeContents(git_, input, labels, style_);
  }

  Status PutConflict(const std::string& path, const std::optional<TreeItem>& base, const std::optional<TreeItem>& ours, const std::optional<TreeItem>& theirs, const TreeItem& shown) {
    Conflict conflict{base, ours, theirs, std::nullopt, shown.mode};
    if (shown.mode != kModeCommit) {
      PADDOCK_ASSIGN(conflict.text, git_.ReadBlob(shown.id));
    }
    merge_.conflicts[path] = std::move(conflict);
    return {};
  }

  Status MergePath(const std::string& path) {
    const std::optional<TreeItem> base = Find(base_, path), ours = Find(ours_, path), theirs = Find(theirs_, path);
    const bool is_deleted = renamed_and_deleted_.contains(path);
    if (!is_deleted && (ours == theirs || theirs == base)) {
      if (ours) merge_.tree[path] = *ours;
      return {};
    }
    if (!is_deleted && ours == base) {
      if (theirs) merge_.tree[path] = *theirs;
      return {};
    }
    if (!ours || !theirs) return ModifiedAndDeleted(path, base, ours, theirs, is_deleted);
    if ((ours->mode & 0170000) != (theirs->mode & 0170000)) return DistinctTypes(path, base, *ours, *theirs);
    uint32_t mode = ours->mode;
    if (base && ours->mode == base->mode) mode = theirs->mode;
    // One side changed the content, the other the mode.
    if (ours->id == theirs->id || (base && theirs->id == base->id) || (base && ours->id == base->id)) {
      merge_.tree[path] = {mode, base && ours->id == base->id ? theirs->id : ours->id};
      return {};
    }
    if (ours->mode == kModeCommit) {
      Tell(path, "CONFLICT (submodule)", {path}, "CONFLICT (submodule): Merge conflict in " + path + "\n");
      return PutConflict(path, base, ours, theirs, *ours);
    }
    std::optional<TextMerge> text;
    if (IsFile(ours->mode) && (!base || IsFile(base->mode))) {
      Sides labels = names_;
      if (const auto old = our_old_names_.find(path); old != our_old_names_.end()) labels = {names_.ours + ":" + old->second, names_.theirs + ":" + path, names_.base + ":" + old->second};
      if (const auto old = their_old_names_.find(path); old != their_old_names_.end()) labels = {names_.ours + ":" + path, names_.theirs + ":" + old->second, names_.base + ":" + old->second};
      PADDOCK_ASSIGN(text, Contents(path, base, *ours, *theirs, labels));
      if (!text && style_.favour == MergeStyle::Favour::kNone) Tell(path, "CONFLICT (binary)", {path}, "warning: Cannot merge binary files: " + path + " (" + names_.ours + " vs. " + names_.theirs + ")\n");
      Tell(path, "Auto-merging", {path}, "Auto-merging " + path + "\n");
    }
    if (!text && style_.favour != MergeStyle::Favour::kNone) {
      merge_.tree[path] = {mode, style_.favour == MergeStyle::Favour::kTheirs ? theirs->id : ours->id};
      return {};
    }
    if (text && !text->has_conflict) {
      PADDOCK_ASSIGN(const Oid id, git_.objects.Write(ObjectType::kBlob, text->text));
      merge_.tree[path] = {mode, id};
      return {};
    }
    Tell(path, "CONFLICT (contents)", {path}, std::string("CONFLICT (") + (base ? "content" : "add/add") + "): Merge conflict in " + path + "\n");
    PADDOCK_TRY(PutConflict(path, base, ours, theirs, {mode, ours->id}));
    if (text) merge_.conflicts[path].text = std::move(text->text);
    return {};
  }

  Status ModifiedAndDeleted(const std::string& path, const std::optional<TreeItem>& base, const std::optional<TreeItem>& ours, const std::optional<TreeItem>& theirs, bool is_told) {
    const TreeItem& left = ours ? *ours : *theirs;
    const std::string& deleted = ours ? names_.theirs : names_.ours;
    const std::string& changed = ours ? names_.ours : names_.theirs;
    if (!is_told || !base || base->id != left.id) {
      Tell(path, "CONFLICT (modify/delete)", {path}, DeletedText(path, deleted, changed));
      if (!is_told) versions_.insert(path);
    }
    return PutConflict(path, base, ours, theirs, left);
  }

  // A file and a link, say: one of them gets another name.
  Status DistinctTypes(const std::string& path, const std::optional<TreeItem>& base, const TreeItem& ours, const TreeItem& theirs) {
    const bool moves_ours = IsFile(ours.mode), moves_theirs = IsFile(theirs.mode) && !moves_ours;
    const std::string our_name = moves_ours ? FreeName(path, names_.ours) : path, their_name = moves_theirs ? FreeName(path, names_.theirs) : path;
    std::vector<std::string> paths = {path};
    if (moves_ours) paths.push_back(our_name);
    if (moves_theirs) paths.push_back(their_name);
    Tell(path, "CONFLICT (distinct modes)", std::move(paths), "CONFLICT (distinct types): " + path + " had different types on each side; renamed one of them so each can be recorded somewhere.\n");
    const auto fits = [&base](const TreeItem& side) { return base && (base->mode & 0170000) == (side.mode & 0170000) ? base : std::nullopt; };
    PADDOCK_TRY(PutConflict(our_name, fits(ours), ours, {}, ours));
    return PutConflict(their_name, fits(theirs), {}, theirs, theirs);
  }

  // "PATH~SIDE", as nothing else is called.
  std::string FreeName(const std::string& path, std::string side) {
    std::replace(side.begin(), side.end(), '/', '_');
    std::string name = path + "~" + side;
    for (size_t i = 0; merge_.tree.contains(name) || merge_.conflicts.contains(name) || ours_.contains(name) || theirs_.contains(name); ++i) {
      git_.in.budget.Step();
      name = path + "~" + side + "_" + std::to_string(i);
    }
    return name;
  }

  // A file cannot stand where a directory is: it gets another name.
  void MakeRoomForDirectories() {
    std::set<std::string> directories;
    const auto note = [&](const std::string& path) {
      for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) directories.insert(path.substr(0, slash));
    };
    for (const auto& [path, item] : merge_.tree) note(path);
    for (const auto& [path, conflict] : merge_.conflicts) {
      if (conflict.text) note(path);
    }
    for (const std::string& path : directories) {
      git_.in.budget.Step();
      Conflict moved;
      if (const auto file = merge_.tree.find(path); file != merge_.tree.end()) {
        const auto base = Find(base_, path);
        moved = Conflict{base, std::nullopt, std::nullopt, std::nullopt, file->second.mode};
        (ours_.contains(path) ? moved.ours : moved.theirs) = file->second;
        if (const auto text = git_.ReadBlob(file->second.id)) moved.text = *text;
        merge_.tree.erase(file);
      } else if (const auto conflict = merge_.conflicts.find(path); conflict != merge_.conflicts.end() && conflict->second.text) {
        moved = conflict->second;
        merge_.conflicts.erase(conflict);
      } else {
        continue;
      }
      const std::string& side = moved.ours ? names_.ours : names_.theirs;
      const std::string name = FreeName(path, side);
      const bool is_version = versions_.contains(path);
      if (is_version) messages_.erase(path);
      Tell(path, "CONFLICT (file/directory)", {name, path}, "CONFLICT (file/directory): directory in the way of " + path + " from " + side + "; moving it to " + name + " instead.\n");
      if (is_version) Tell(path, "CONFLICT (modify/delete)", {name}, DeletedText(name, moved.ours ? names_.theirs : names_.ours, side));
      merge_.conflicts[name] = std::move(moved);
    }
  }

  Git& git_;
  FlatTree base_, ours_, theirs_;
  const Sides& names_;
  const MergeStyle& style_;
  std::map<std::string, std::string> our_old_names_, their_old_names_;   // of files that the other side renamed
  std::set<std::string> renamed_and_deleted_, versions_;
  std::map<std::string, std::vector<MergeMessage>> messages_;   // by path
  TreeMerge merge_;
};

}  // namespace

Result<TreeMerge> MergeTrees(Git& git, FlatTree base, FlatTree ours, FlatTree theirs, const Sides& names, const MergeStyle& style) {
  return Merger(git, std::move(base), std::move(ours), std::move(theirs), names, style).Run();
}

Result<TreeMerge> MergeTrees(Git& git, FlatTree base, FlatTree ours, FlatTree theirs, const Sides& names) {
  PADDOCK_ASSIGN(const MergeStyle style, ConfiguredStyle(git));
  return MergeTrees(git, std::move(base), std::move(ours), std::move(theirs), names, style);
}

Result<FlatTree> BaseFiles(Git& git, History& history, const std::vector<Oid>& bases, const MergeStyle& style, int depth) {
  if (bases.empty()) return FlatTree();
  PADDOCK_ASSIGN(FlatTree files, git.FlattenCommit(bases.back()));
  if (depth >= kMostNestedBases) return files;
  const Sides names{"Temporary merge branch 1", "Temporary merge branch 2"};
  MergeStyle fair = style;
  fair.favour = MergeStyle::Favour::kNone;
  for (size_t i = bases.size() - 1; i-- > 0;) {
    PADDOCK_ASSIGN(const std::vector<Oid> below, history.MergeBases(bases.back(), bases[i]));
    PADDOCK_ASSIGN(FlatTree base, BaseFiles(git, history, below, style, depth + 1));
    PADDOCK_ASSIGN(FlatTree other, git.FlattenCommit(bases[i]));
    PADDOCK_ASSIGN(TreeMerge merge, MergeTrees(git, std::move(base), std::move(files), std::move(other), names, fair));
    files = std::move(merge.tree);
    for (auto& [path, conflict] : merge.conflicts) {
      if (!conflict.text) continue;
      PADDOCK_ASSIGN(const Oid id, git.objects.Write(ObjectType::kBlob, *conflict.text));
      files[path] = {conflict.mode, id};
    }
  }
  return files;
}

std::string ConflictList(const TreeMerge& merge) {
  if (merge.conflicts.empty()) return {};
  std::string text = "\n# Conflicts:\n";
  for (const auto& [path, conflict] : merge.conflicts) text += "#\t" + path + "\n";
  return text;
}

Status KeepMergedTree(Git& git, const FlatTree& files) {
  PADDOCK_ASSIGN(const Oid tree, TreeOf(git, files));
  return vfs::WriteFile(git.in.fs, git.GitPath("AUTO_MERGE"), tree.Hex() + "\n");
}

Result<bool> ApplyMerge(Git& git, const FlatTree& ours, const TreeMerge& merge, std::string_view action) {
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  if (action != "stash") {
    std::vector<FileDiff> staged = CompareTrees(ours, IndexFiles(index));
    if (action == "merge") {
      Pathspec all;
      PADDOCK_TRY(Arrange(git, staged, DiffOptions(), all));
    }
    if (!staged.empty()) {
      std::string list;
      for (const FileDiff& file : staged) list += (list.empty() ? "  " : " ") + file.new_path;
      git.Say("error: Your local changes to the following files would be overwritten by merge:\n" + list + "\n");
      return false;
    }
  }
  FlatTree target = merge.tree;
  for (const auto& [path, conflict] : merge.conflicts) {
    // For the check, and to get the file written: any content that is not ours.
    if (conflict.text) {
      PADDOCK_ASSIGN(const Oid id, git.objects.Write(ObjectType::kBlob, *conflict.text));
      target[path] = {conflict.mode, id};
    }
  }
  PADDOCK_ASSIGN(const bool done, SwitchFiles(git, ours, target, index, "merge", false));
  if (!done) return false;
  for (const auto& [path, conflict] : merge.conflicts) {
    // A conflict is there to be resolved, also where a sparse checkout has no file.
    const IndexEntry* entry = index.Find(path);
    if (conflict.text && entry != nullptr && entry->is_skipped) PADDOCK_TRY(PutFile(git, path, target[path], true, nullptr));
  }
  PutConflicts(index, merge);
  PADDOCK_TRY(git.WriteIndex(index));
  if (action != "stash" && !merge.conflicts.empty()) PADDOCK_TRY(KeepMergedTree(git, target));
  return true;
}

void PutConflicts(Index& index, const TreeMerge& merge) {
  for (const auto& [path, conflict] : merge.conflicts) {
    index.Remove(path);
    int stage = 0;
    for (const auto* item : {&conflict.base, &conflict.ours, &conflict.theirs}) {
      ++stage;
      if (!*item) continue;
      IndexEntry entry;
      entry.path = path;
      entry.mode = (*item)->mode;
      entry.id = (*item)->id;
      entry.stage = stage;
      index.Put(std::move(entry));
    }
  }
}

Result<Oid> TreeOf(Git& git, const FlatTree& files) {
  Index index;
  for (const auto& [path, item] : files) {
    IndexEntry entry;
    entry.path = path;
    entry.mode = item.mode;
    entry.id = item.id;
    index.Put(std::move(entry));
  }
  return git.WriteTree(index);
}

}  // namespace paddock::git
