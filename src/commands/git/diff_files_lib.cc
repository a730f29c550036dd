// Which files differ: trees against each other and against the working tree, renames, and what options leave over.
#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "commands/git/diff.h"
#include "commands/git/worktree.h"
#include "text/regex.h"
#include "text/unified_diff.h"
#include "vfs/stat_each.h"

namespace paddock::git {
namespace {

constexpr size_t kMostRenames = 1000;   // diff.renameLimit

bool IsKindOf(uint32_t a, uint32_t b) { return (a & 0170000) == (b & 0170000); }

// How many bytes of each line (or 64 bytes of one) there are.
std::unordered_map<std::string_view, size_t> CountPieces(std::string_view text, Budget& budget) {
  std::unordered_map<std::string_view, size_t> pieces;
  while (!text.empty()) {
    budget.Step();
    const size_t end = text.substr(0, 64).find('\n');
    const size_t length = end == std::string_view::npos ? std::min<size_t>(64, text.size()) : end + 1;
    pieces[text.substr(0, length)] += length;
    text.remove_prefix(length);
  }
  return pieces;
}

// How much of the old content is in the new one, in 1/60000 of the larger.
int64_t Similarity(std::string_view before, std::string_view after, int64_t least, Budget& budget) {
  const int64_t larger = static_cast<int64_t>(std::max(before.size(), after.size()));
  const int64_t smaller = static_cast<int64_t>(std::min(before.size(), after.size()));
  if (larger == 0 || smaller == 0 || larger * (60000 - least) < (larger - smaller) * 60000) return 0;
  const auto a = CountPieces(before, budget), b = CountPieces(after, budget);
  int64_t copied = 0;
  for (const auto& [piece, count] : a) {
    const auto found = b.find(piece);
    if (found != b.end()) copied += static_cast<int64_t>(std::min(count, found->second));
  }
  return copied * 60000 / larger;
}

std::string_view LastPart(std::string_view path) { return path.substr(path.rfind('/') + 1); }

size_t CountOf(std::string_view text, std::string_view word, Budget& budget) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + word.size())) {
    budget.Step();
    ++count;
  }
  return count;
}

Result<size_t> CountMatches(std::string_view text, const Regex& regex, Budget& budget) {
  size_t count = 0;
  std::vector<RegexGroup> groups(1);
  for (size_t at = 0; at <= text.size();) {
    budget.Step();
    PADDOCK_ASSIGN(const bool found, regex.Search(text, at, &groups, budget));
    if (!found) break;
    ++count;
    at = std::max(groups[0].end, groups[0].begin + 1);
  }
  return count;
}

Result<bool> HasPickedChange(Git& git, const FileDiff& file, const DiffOptions& options, const Regex* regex) {
  PADDOCK_ASSIGN(const std::string before, ContentOf(git, file, false));
  PADDOCK_ASSIGN(const std::string after, ContentOf(git, file, true));
  if (regex != nullptr && options.pickaxe_regex.empty()) {
    PADDOCK_ASSIGN(const size_t old_count, CountMatches(before, *regex, git.in.budget));
    PADDOCK_ASSIGN(const size_t new_count, CountMatches(after, *regex, git.in.budget));
    return old_count != new_count;
  }
  if (regex == nullptr) return CountOf(before, options.pickaxe, git.in.budget) != CountOf(after, options.pickaxe, git.in.budget);
  DiffOptions plain;
  plain.context = 0;
  const std::string hunks = HunksOf(before, after, plain, git.in.budget);
  for (const std::string_view line : SplitLines(hunks)) {
    if (line[0] != '+' && line[0] != '-') continue;
    PADDOCK_ASSIGN(const bool matches, regex->Search(line.substr(1, line.size() - (line.ends_with('\n') ? 2 : 1)), 0, nullptr, git.in.budget));
    if (matches) return true;
  }
  return false;
}

void Swap(FileDiff& file) {
  std::swap(file.old_path, file.new_path);
  std::swap(file.old_mode, file.new_mode);
  std::swap(file.old_id, file.new_id);
  std::swap(file.old_text, file.new_text);
  std::swap(file.old_is_file, file.new_is_file);
  if (file.status == 'A') file.status = 'D';
  else if (file.status == 'D') file.status = 'A';
}

}  // namespace

Status TakeStatOption(DiffOptions& options, std::string_view value) {
  options.stat = true;
  if (value.empty()) return {};
  // WIDTH,NAME-WIDTH,COUNT.
  size_t* const parts[] = {&options.stat_width, &options.stat_name_width, &options.stat_count};
  for (size_t* part : parts) {
    int64_t number = 0;
    const size_t comma = value.find(',');
    if (!ParseOptionValue(value.substr(0, comma), number)) return Error(Code::kInvalid, "invalid --stat value: " + std::string(value));
    if (number > 0) *part = static_cast<size_t>(std::min<int64_t>(number, 10000));
    if (comma == std::string_view::npos) return {};
    value.remove_prefix(comma + 1);
  }
  return Error(Code::kInvalid, "invalid --stat value: " + std::string(value));
}

Status TakeRenameOption(DiffOptions& options, std::string_view value) {
  int percent = 50;
  if (!value.empty()) {
    const auto read = std::from_chars(value.data(), value.data() + value.size(), percent);
    if (read.ec != std::errc{} || percent < 0) return Error(Code::kInvalid, "invalid argument to find-renames");
    if (read.ptr == value.data() + value.size() && percent < 10) percent *= 10;
  }
  options.find_renames = std::min(percent, 100);
  return {};
}

std::vector<FileDiff> CompareTrees(const FlatTree& before, const FlatTree& after) {
  std::vector<FileDiff> files;
  auto a = before.begin();
  auto b = after.begin();
  while (a != before.end() || b != after.end()) {
    const int order = a == before.end() ? 1 : b == after.end() ? -1 : a->first.compare(b->first);
    FileDiff file;
    file.old_path = file.new_path = order <= 0 ? a->first : b->first;
    if (order <= 0) {
      file.old_mode = a->second.mode;
      file.old_id = a->second.id;
    }
    if (order >= 0) {
      file.new_mode = b->second.mode;
      file.new_id = b->second.id;
    }
    file.status = order < 0 ? 'D' : order > 0 ? 'A' : IsKindOf(file.old_mode, file.new_mode) ? 'M' : 'T';
    const bool differs = order != 0 || !(a->second == b->second);
    if (order <= 0) ++a;
    if (order >= 0) ++b;
    if (differs) files.push_back(std::move(file));
  }
  return files;
}

Status DetectRenames(Git& git, std::vector<FileDiff>& files, int percent, bool copies) {
  std::vector<size_t> created, deleted;
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i].status == 'A' && files[i].new_mode != kModeCommit) created.push_back(i);
    const bool is_source = files[i].status == 'D' || (copies && (files[i].status == 'M' || files[i].status == 'T'));
    if (is_source && files[i].old_mode != kModeCommit) deleted.push_back(i);
  }
  if (created.empty() || deleted.empty()) return {};
  struct Match {
    int64_t score;
    bool has_same_name;
    size_t created, deleted;
  };
  std::vector<Match> matches;
  std::vector<char> has_source(files.size(), 0), is_used(files.size(), 0);
  std::map<size_t, std::vector<size_t>> taken;
  const auto take = [&](const Match& match) {
    FileDiff& file = files[match.created];
    const FileDiff& source = files[match.deleted];
    file.status = source.status == 'D' ? 'R' : 'C';
    file.old_path = source.old_path;
    file.old_mode = source.old_mode;
    file.old_id = source.old_id;
    file.old_is_file = source.old_is_file;
    file.old_text = source.old_text;
    file.score = static_cast<int>(match.score * 100 / 60000);
    has_source[match.created] = is_used[match.deleted] = 1;
    taken[match.deleted].push_back(match.created);
  };
  // The same content first, by preference under the same name.
  for (const size_t to : created) {
    std::optional<size_t> best;
    for (const size_t from : deleted) {
      git.in.budget.Step();
      if ((is_used[from] != 0 && !copies) || files[from].old_id != files[to].new_id || !IsKindOf(files[from].old_mode, files[to].new_mode)) continue;
      if (!best || (LastPart(files[from].old_path) == LastPart(files[to].new_path) && LastPart(files[*best].old_path) != LastPart(files[to].new_path))) best = from;
    }
    if (best) take({60000, false, to, *best});
  }
  const int64_t least = int64_t{percent} * 600;
  if (percent < 100 && created.size() * deleted.size() <= kMostRenames * kMostRenames) {
    for (const size_t to : created) {
      if (has_source[to] != 0) continue;
      PADDOCK_ASSIGN(const std::string after, ContentOf(git, files[to], true));
      for (const size_t from : deleted) {
        if ((is_used[from] != 0 && !copies) || !IsKindOf(files[from].old_mode, files[to].new_mode) || (files[to].new_mode & 0170000) != 0100000) continue;
        PADDOCK_ASSIGN(const std::string before, ContentOf(git, files[from], false));
        const int64_t score = Similarity(before, after, least, git.in.budget);
        if (score >= least) matches.push_back({score, LastPart(files[from].old_path) == LastPart(files[to].new_path), to, from});
      }
    }
    std::stable_sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) { return a.score != b.score ? a.score > b.score : a.has_same_name > b.has_same_name; });
    for (const Match& match : matches) {
      if (has_source[match.created] == 0 && (copies || is_used[match.deleted] == 0)) take(match);
    }
  }
  // The last one of what was made of a deleted file is that file; the others are copies.
  for (auto& [source, made] : taken) {
    std::sort(made.begin(), made.end());
    for (size_t i = 0; i + 1 < made.size(); ++i) files[made[i]].status = 'C';
  }
  std::vector<FileDiff> kept;
  for (size_t i = 0; i < files.size(); ++i) {
    if (is_used[i] == 0 || files[i].status != 'D') kept.push_back(std::move(files[i]));
  }
  files = std::move(kept);
  return {};
}

Status Arrange(Git& git, std::vector<FileDiff>& files, const DiffOptions& options, Pathspec& paths) {
  if (!paths.empty()) {
    std::erase_if(files, [&](const FileDiff& file) { return !paths.Matches(file.new_path, git.in.budget) && !paths.Matches(file.old_path, git.in.budget); });
  }
  if (options.is_relative) {
    std::string below = options.relative_to.empty() ? git.prefix : vfs::NormalizePath(git.prefix + options.relative_to);
    if (!below.empty() && !below.ends_with('/')) below += '/';
    std::erase_if(files, [&](const FileDiff& file) { return !file.new_path.starts_with(below); });
    for (FileDiff& file : files) {
      file.file_path = file.new_path;
      file.old_path = file.new_path = file.new_path.substr(below.size());
    }
  }
  if (options.reverse) std::for_each(files.begin(), files.end(), Swap);
  const std::string by_config = git.config.Get("diff.renames", "true");
  const bool finds = !options.no_renames && (options.find_renames || by_config == "copies" || by_config == "copy" || ParseConfigBool(by_config).value_or(true));
  const bool copies = options.finds_copies || (!options.find_renames && (by_config == "copies" || by_config == "copy"));
  if (finds) PADDOCK_TRY(DetectRenames(git, files, options.find_renames.value_or(50), copies));
  if (!options.pickaxe.empty() || !options.pickaxe_regex.empty()) {
    std::optional<Regex> regex;
    if (!options.pickaxe_regex.empty() || options.pickaxe_is_regex) {
      auto compiled = Regex::Compile(options.pickaxe_regex.empty() ? options.pickaxe : options.pickaxe_regex, {.dialect = RegexDialect::kExtended, .multiline = true, .newline_is_text = false});
      if (!compiled) return Error(Code::kInvalid, "invalid regex: " + std::string(compiled.error().Text()));
      regex.emplace(std::move(*compiled));
    }
    std::vector<FileDiff> kept;
    for (const FileDiff& file : files) {
      PADDOCK_ASSIGN(const bool keeps, HasPickedChange(git, file, options, regex ? &*regex : nullptr));
      if (keeps) kept.push_back(file);
      if (keeps && options.pickaxe_all) break;
    }
    if (!options.pickaxe_all || kept.empty()) files = std::move(kept);
  }
  if (!options.filter.empty()) {
    const bool excludes = std::all_of(options.filter.begin(), options.filter.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    std::erase_if(files, [&](const FileDiff& file) {
      const char letter = excludes ? static_cast<char>(file.status - 'A' + 'a') : file.status;
      return (options.filter.find(letter) != std::string::npos) == excludes;
    });
  }
  return {};
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
  if (is_new ? !file.new_is_file : !file.old_is_file) return git.ReadBlob(id);
  PADDOCK_ASSIGN(auto content, ReadWorkingFile(git, !file.file_path.empty() ? file.file_path : is_new ? file.new_path : file.old_path, RoundTrip::kChecked));
  return content ? std::move(content->data) : std::string();
}

FlatTree IndexFiles(const Index& index) {
  FlatTree files;
  for (const IndexEntry& entry : index.entries()) {
    if (entry.stage == 0 && !entry.is_intended) files.insert_or_assign(files.end(), entry.path, TreeItem{entry.mode, entry.id});
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

}  // namespace

Result<FlatTree> WorkingFiles(Git& git, const Index& index) {
  FlatTree files;
  IndexLook look(git, index.entries());
  DirectoryCheck directories(git);
  const auto written = git.in.fs.Stat(git.GitPath("index"));
  const std::vector<IndexEntry>& entries = index.entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    const IndexEntry& entry = entries[i];
    git.in.budget.Step(4);
    // The stages of a conflict follow one another.
    if (i > 0 && entries[i - 1].path == entry.path && files.contains(entry.path)) continue;
    if (entry.mode == kModeCommit && entry.stage == 0 && !entry.is_assumed && !entry.is_skipped) {
      files.insert_or_assign(files.end(), entry.path, TreeItem{entry.mode, GitlinkHead(git, entry.path).value_or(entry.id)});
      continue;
    }
    if (entry.is_assumed || entry.is_skipped || entry.mode == kModeCommit) {
      files.insert_or_assign(files.end(), entry.path, TreeItem{entry.mode, entry.id});
      continue;
    }
    // A file as old as the index may have changed after it was looked at.
    const Result<vfs::Attributes>& facts = look.Of(i);
    const bool is_fresh = facts && written && entry.stage == 0 && !entry.is_intended && entry.HasStatOf(*facts) && facts->modify_time < written->modify_time &&
                          (facts->is_symlink() ? entry.mode == kModeLink : facts->is_file() && entry.mode == ((facts->mode & 0100) != 0 ? kModeExecutable : kModeFile));
    if (is_fresh && directories.Passes(entry.path)) {
      files.insert_or_assign(files.end(), entry.path, TreeItem{entry.mode, entry.id});
      continue;
    }
    PADDOCK_ASSIGN(const auto content, ReadWorkingFile(git, entry.path));
    if (content) files[entry.path] = {content->mode, HashObject(ObjectType::kBlob, content->data)};
  }
  return files;
}

Result<std::vector<FileDiff>> CompareWithFiles(Git& git, const FlatTree& before, const Index& index) {
  PADDOCK_ASSIGN(const FlatTree files, WorkingFiles(git, index));
  std::vector<FileDiff> differences = CompareTrees(before, files);
  for (FileDiff& file : differences) file.new_is_file = file.new_mode != 0;
  return differences;
}

}  // namespace paddock::git
