// Which files differ: trees against each other and against the working tree, renames, and what options leave over.
#include <algorithm>

#include "commands/git/work/working_changes.h"
#include "commands/git/work/worktree.h"
#include "vfs/stat_each.h"

namespace paddock::git {
namespace {

bool IsKindOf(uint32_t a, uint32_t b) { return (a & 0170000) == (b & 0170000); }

// How two states of one file differ; null: it is not there.
FileDiff DiffOfItems(const std::string& path, const TreeItem* before, const TreeItem* after) {
  FileDiff file;
  file.old_path = file.new_path = path;
  if (before != nullptr) {
    file.old_mode = before->mode;
    file.old_id = before->id;
  }
  if (after != nullptr) {
    file.new_mode = after->mode;
    file.new_id = after->id;
  }
  file.status = after == nullptr ? 'D' : before == nullptr ? 'A' : IsKindOf(file.old_mode, file.new_mode) ? 'M' : 'T';
  return file;
}

}  // namespace

std::vector<FileDiff> CompareTrees(const FlatTree& before, const FlatTree& after) {
  std::vector<FileDiff> files;
  auto a = before.begin();
  auto b = after.begin();
  while (a != before.end() || b != after.end()) {
    const int order = a == before.end() ? 1 : b == after.end() ? -1 : a->first.compare(b->first);
    if (order != 0 || !(a->second == b->second)) files.push_back(DiffOfItems(order <= 0 ? a->first : b->first, order <= 0 ? &a->second : nullptr, order >= 0 ? &b->second : nullptr));
    if (order <= 0) ++a;
    if (order >= 0) ++b;
  }
  return files;
}

namespace {

// Whether what is on the way to a file is directories: a link there is none of this tree.
bool IsInDirectories(Git& git, const std::string& path) {
  for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const auto above = git.in.fs.Stat(git.FilePath(path.substr(0, slash)), vfs::Follow::kNo);
    if (!above || !above->is_directory()) return false;
  }
  return true;
}

// The same for file after file: those of one directory come one after the other.
class DirectoryCheck {
 public:
  explicit DirectoryCheck(Git& git) : git_(git) {}
  bool Passes(const std::string& path) {
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos) return true;
    const std::string_view directory = std::string_view(path).substr(0, slash + 1);
    if (directory != last_) {
      last_ = directory;
      passes_ = IsInDirectories(git_, path);
    }
    return passes_;
  }

 private:
  Git& git_;
  std::string last_;
  bool passes_ = false;
};

}  // namespace

Result<std::optional<FileContent>> ReadWorkingFile(Git& git, const std::string& path, RoundTrip check) {
  PADDOCK_ASSIGN(auto content, ReadRawFile(git, path));
  if (!content || content->mode == kModeLink) return content;
  PADDOCK_ASSIGN(content->data, ToRepository(git, path, std::move(content->data), check));
  return content;
}

Result<std::optional<FileContent>> ReadRawFile(Git& git, const std::string& path) {
  const std::string full = git.FilePath(path);
  if (!IsInDirectories(git, path)) return std::optional<FileContent>();
  const auto facts = git.in.fs.Stat(full, vfs::Follow::kNo);
  if (!facts) return std::optional<FileContent>();
  if (facts->is_symlink()) {
    PADDOCK_ASSIGN(std::string target, git.in.fs.ReadLink(full));
    return std::optional<FileContent>(FileContent{kModeLink, std::move(target), *facts});
  }
  if (!facts->is_file()) return std::optional<FileContent>();
  git.in.budget.WillAllocate(facts->size);
  auto data = vfs::ReadFile(git.in.fs, full);
  if (!data) return Error(data.error().code, "open(\"" + path + "\"): " + std::string(data.error().Text()));
  return std::optional<FileContent>(FileContent{(facts->mode & 0100) != 0 ? kModeExecutable : kModeFile, std::move(*data), *facts});
}

Result<std::string> ContentOf(Git& git, const FileDiff& file, bool is_new) {
  const uint32_t mode = is_new ? file.new_mode : file.old_mode;
  const Oid& id = is_new ? file.new_id : file.old_id;
  if (mode == 0) return std::string();
  if (const auto& text = is_new ? file.new_text : file.old_text) return *text;
  if (mode == kModeCommit) return "Subproject commit " + id.Hex() + "\n";
  if (is_new ? !file.new_is_file : !file.old_is_file) {
    static const Oid kEmpty = HashObject(ObjectType::kBlob, "");
    return id == kEmpty ? Result<std::string>(std::string()) : git.ReadBlob(id);   // an empty one is there without being written
  }
  PADDOCK_ASSIGN(auto content, ReadWorkingFile(git, !file.file_path.empty() ? file.file_path : is_new ? file.new_path : file.old_path, RoundTrip::kChecked));
  return content ? std::move(content->data) : std::string();
}

FlatTree IndexFiles(const Index& index, bool with_intended) {
  FlatTree files;
  for (const IndexEntry& entry : index.entries()) {
    if (entry.stage == 0 && (with_intended || !entry.is_intended)) files.insert_or_assign(files.end(), entry.path, TreeItem{entry.mode, entry.id});
  }
  return files;
}

namespace {

// Stat() of the index's files in their order, those of one directory at once.
class IndexLook {
 public:
  IndexLook(Git& git, const std::vector<IndexEntry>& entries) : git_(git), entries_(entries) {}

  const Result<vfs::Attributes>& Of(size_t index) {
    if (index >= begin_ && index - begin_ < seen_.size()) return seen_[index - begin_];
    constexpr size_t kAtOnce = 128;
    const std::string& path = entries_[index].path;
    const size_t length = path.rfind('/') + 1;   // 0 where there is none
    const std::string_view directory = std::string_view(path).substr(0, length);
    std::vector<std::string_view> names;
    for (size_t i = index; i < entries_.size() && names.size() < kAtOnce; ++i) {
      const std::string_view other = entries_[i].path;
      if (!other.starts_with(directory) || other.find('/', length) != other.npos) break;
      names.push_back(other.substr(length));
    }
    begin_ = index;
    if (names.size() > 1 && length > 0) {
      seen_ = vfs::StatEach(git_.in.fs, git_.FilePath(std::string(directory)), names);
    } else {
      seen_.assign(1, git_.in.fs.Stat(git_.FilePath(path), vfs::Follow::kNo));
    }
    return seen_[0];
  }

 private:
  Git& git_;
  const std::vector<IndexEntry>& entries_;
  size_t begin_ = 0;
  std::vector<Result<vfs::Attributes>> seen_;   // of the entries from begin_ on
};

// Tells what is there for each file that the index knows: its entry (the first stage that has a file, of a conflict) and nothing, or the file.
Status ForEachWorkingFile(Git& git, const Index& index, const std::function<void(const IndexEntry&, const std::optional<TreeItem>&)>& tell) {
  IndexLook look(git, index.entries());
  DirectoryCheck directories(git);
  const auto written = git.in.fs.Stat(git.GitPath("index"));
  const std::vector<IndexEntry>& entries = index.entries();
  bool was_there = false;   // the file of the entry before
  for (size_t i = 0; i < entries.size(); ++i) {
    const IndexEntry& entry = entries[i];
    git.in.budget.Step(4);
    // The stages of a conflict follow one another.
    if (i > 0 && was_there && entries[i - 1].path == entry.path) continue;
    const auto is_there = [&](const TreeItem& item) {
      was_there = true;
      tell(entry, item);
    };
    if (entry.mode == kModeCommit && entry.stage == 0 && !entry.is_assumed && !entry.is_skipped) {
      is_there({entry.mode, GitlinkHead(git, entry.path).value_or(entry.id)});
      continue;
    }
    if (entry.is_assumed || entry.is_skipped || entry.mode == kModeCommit) {
      is_there({entry.mode, entry.id});
      continue;
    }
    // A file as old as the index may have changed after it was looked at.
    const Result<vfs::Attributes>& facts = look.Of(i);
    const bool is_fresh = facts && written && entry.stage == 0 && !entry.is_intended && entry.HasStatOf(*facts) && facts->modify_time < written->modify_time &&
                          (facts->is_symlink() ? entry.mode == kModeLink : facts->is_file() && entry.mode == ((facts->mode & 0100) != 0 ? kModeExecutable : kModeFile));
    if (is_fresh && directories.Passes(entry.path)) {
      is_there({entry.mode, entry.id});
      continue;
    }
    PADDOCK_ASSIGN(const auto content, ReadWorkingFile(git, entry.path));
    if (content) {
      is_there({content->mode, HashObject(ObjectType::kBlob, content->data)});
      continue;
    }
    was_there = false;
    tell(entry, std::nullopt);
  }
  return {};
}

}  // namespace

Result<FlatTree> WorkingFiles(Git& git, const Index& index) {
  FlatTree files;
  PADDOCK_TRY(ForEachWorkingFile(git, index, [&files](const IndexEntry& entry, const std::optional<TreeItem>& item) {
    if (item) files.insert_or_assign(files.end(), entry.path, *item);
  }));
  return files;
}

Result<std::vector<FileDiff>> CompareIndexWithFiles(Git& git, const Index& index, bool with_intended) {
  std::vector<FileDiff> differences;
  PADDOCK_TRY(ForEachWorkingFile(git, index, [&](const IndexEntry& entry, const std::optional<TreeItem>& item) {
    std::optional<TreeItem> known;
    if (entry.stage == 0 && (with_intended || !entry.is_intended)) known = TreeItem{entry.mode, entry.id};
    if (known == item) return;
    FileDiff file = DiffOfItems(entry.path, known ? &*known : nullptr, item ? &*item : nullptr);
    file.new_is_file = file.new_mode != 0;
    differences.push_back(std::move(file));
  }));
  return differences;
}

Result<std::vector<FileDiff>> CompareWithFiles(Git& git, const FlatTree& before, const Index& index) {
  PADDOCK_ASSIGN(const FlatTree files, WorkingFiles(git, index));
  std::vector<FileDiff> differences = CompareTrees(before, files);
  for (FileDiff& file : differences) {
    // What the index has, too, is known by its id.
    const IndexEntry* entry = index.Find(file.new_path);
    const bool is_indexed = entry != nullptr && !entry->is_intended && entry->mode == file.new_mode && entry->id == file.new_id;
    file.new_is_file = file.new_mode != 0 && !is_indexed;
  }
  return differences;
}

}  // namespace paddock::git
