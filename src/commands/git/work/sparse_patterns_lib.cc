#include "commands/git/work/sparse_patterns.h"

#include <algorithm>

#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

constexpr uint64_t kLargestFile = 16 << 20;
constexpr size_t kMostParts = 1000;   // of a directory's path

bool IsGlobSpecial(char c) { return c == '*' || c == '?' || c == '[' || c == '\\'; }

std::string Escaped(std::string_view path) {
  std::string text;
  for (const char c : path) {
    if (IsGlobSpecial(c)) text += '\\';
    text += c;
  }
  return text;
}

// The directory of a line of a cone: its slash-star goes, and so do backslashes.
std::string Unescaped(std::string_view text) {
  if (text.size() > 2 && text.ends_with("/*")) text.remove_suffix(2);
  std::string path;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    path += text[i];
  }
  return path;
}

// Without ".", ".." and empty parts; nothing when it leads out.
std::optional<std::string> Normalized(std::string_view path) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    at = end + 1;
    if (part == "..") {
      if (parts.empty()) return std::nullopt;
      parts.pop_back();
    } else if (!part.empty() && part != ".") {
      parts.push_back(part);
    }
    if (parts.size() > kMostParts) return std::nullopt;
  }
  std::string text;
  for (const std::string_view part : parts) text += "/" + std::string(part);
  return text;
}

}  // namespace

std::optional<std::string> SparsePatterns::TakeConeLine(const Line& line) {
  const std::string& text = line.text;
  const std::string unknown = "unrecognized pattern: '" + text + "'", unknown_negative = "unrecognized negative pattern: '" + text + "'";
  if (text == "/*" && line.is_negative && line.is_for_directories) {
    is_all_ = false;
    return std::nullopt;
  }
  if (text == "/*" && !line.is_negative && !line.is_for_directories) {
    is_all_ = true;
    return std::nullopt;
  }
  if (text.size() < 2 || text[0] != '/' || text.find("**") != std::string::npos || !line.is_for_directories) return unknown;
  for (size_t i = 1; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool is_fine = !IsGlobSpecial(text[i]) || text[i - 1] == '\\' || (text[i] == '\\' && IsGlobSpecial(next)) || (text[i - 1] == '/' && text[i] == '*' && next == '\0');
    if (!is_fine) return unknown;
  }
  const std::string path = Unescaped(text);
  if (text.size() > 2 && text.ends_with("/*")) {
    if (!line.is_negative) return unknown;
    if (whole_.erase(path) == 0) return unknown_negative;
    parents_.insert(path);
    return std::nullopt;
  }
  if (line.is_negative) return unknown_negative;
  whole_.insert(path);
  if (parents_.contains(path)) return "your sparse-checkout file may have issues: pattern '" + text + "' is repeated";
  return std::nullopt;
}

void SparsePatterns::AddPattern(std::string_view text, Budget& budget) {
  budget.WillAllocate(4 * text.size() + 200);
  if (auto glob = IgnoreGlob::Parse(text, false, false); glob && !text.empty()) globs_.Add(std::move(*glob));
  Line line;
  line.is_negative = text.starts_with('!');
  if (line.is_negative) text.remove_prefix(1);
  line.is_for_directories = text.ends_with('/');
  if (line.is_for_directories) text.remove_suffix(1);
  line.text = text;
  lines_.push_back(std::move(line));
}

void SparsePatterns::AddLines(std::string_view text, Budget& budget, std::vector<std::string>& warnings) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    budget.Step();
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    AddPattern(line, budget);
    if (!is_cone_) continue;
    if (const auto complaint = TakeConeLine(lines_.back())) {
      warnings.push_back(*complaint);
      warnings.emplace_back("disabling cone pattern matching");
      is_cone_ = false;
    }
  }
}

void SparsePatterns::AddWhole(const std::string& path) {
  whole_.insert(path);
  for (size_t slash = path.rfind('/'); slash != std::string::npos && slash > 0; slash = path.rfind('/', slash - 1)) parents_.insert(path.substr(0, slash));
}

Status SparsePatterns::AddDirectory(std::string_view path, Budget& budget) {
  budget.Step(1 + path.size() / 64);
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const size_t begin = path.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  path = path.substr(begin, path.find_last_not_of(kBlanks) - begin + 1);
  const auto clean = Normalized(path);
  if (!clean) return Error(Code::kInvalid, "could not normalize path " + std::string(path));
  if (clean->empty()) return {};
  budget.WillAllocate(clean->size() * (2 + static_cast<size_t>(std::count(clean->begin(), clean->end(), '/'))));
  AddWhole(*clean);
  return {};
}

void SparsePatterns::AddDirectoriesOf(const SparsePatterns& other, Budget& budget) {
  for (const std::string& path : other.whole_) {
    budget.Step();
    AddWhole(path);
  }
}

bool SparsePatterns::HasWholeAbove(std::string_view path) const {
  for (size_t slash = path.rfind('/'); slash != std::string_view::npos && slash > 0; slash = path.rfind('/', slash - 1)) {
    if (whole_.contains(path.substr(0, slash))) return true;
  }
  return false;
}

bool SparsePatterns::Includes(std::string_view path, Budget& budget) const {
  budget.Step();
  if (!is_cone_) {
    bool is_included = false;
    for (size_t at = path.find('/');; at = path.find('/', at + 1)) {
      const IgnoreVerdict verdict = globs_.Check(path.substr(0, at), at != std::string_view::npos, budget);
      if (verdict != IgnoreVerdict::kNone) is_included = verdict == IgnoreVerdict::kIgnore;
      if (at == std::string_view::npos) return is_included;
    }
  }
  const size_t slash = path.rfind('/');
  if (is_all_ || slash == std::string_view::npos) return true;
  const std::string full = "/" + std::string(path);
  return whole_.contains(full) || parents_.contains(full.substr(0, slash + 1)) || HasWholeAbove(full);
}

bool SparsePatterns::IncludesDirectory(std::string_view directory) const {
  const std::string full = "/" + std::string(directory);
  return is_all_ || whole_.contains(full) || parents_.contains(full) || HasWholeAbove(full);
}

std::string SparsePatterns::Text() const {
  std::string text;
  if (!is_cone_) {
    for (const std::string& line : List()) text += line + "\n";
    return text;
  }
  text = "/*\n!/*/\n";
  for (const std::string& path : parents_) {
    if (!whole_.contains(path) && !HasWholeAbove(path)) text += Escaped(path) + "/\n!" + Escaped(path) + "/*/\n";
  }
  for (const std::string& path : whole_) {
    if (!HasWholeAbove(path)) text += Escaped(path) + "/\n";
  }
  return text;
}

std::vector<std::string> SparsePatterns::List() const {
  std::vector<std::string> list;
  if (is_cone_) {
    for (const std::string& path : whole_) list.push_back(path.substr(1));
    return list;
  }
  for (const Line& line : lines_) list.push_back((line.is_negative ? "!" : "") + line.text + (line.is_for_directories ? "/" : ""));
  return list;
}

std::optional<SparsePatterns> ReadPatterns(Git& git, bool is_cone) {
  const auto text = vfs::ReadFile(git.in.fs, git.GitPath("info/sparse-checkout"), kLargestFile);
  if (!text) return std::nullopt;
  SparsePatterns patterns(is_cone);
  std::vector<std::string> warnings;
  patterns.AddLines(*text, git.in.budget, warnings);
  for (const std::string& warning : warnings) git.Warn(warning);
  return patterns;
}

std::optional<SparsePatterns> ActivePatterns(Git& git) {
  if (!git.config.GetBool("core.sparsecheckout", false)) return std::nullopt;
  return ReadPatterns(git, git.config.GetBool("core.sparsecheckoutcone", false));
}

void SparseLeftovers::Tell(Git& git) const {
  const auto tell = [&git](const std::vector<std::string>& paths, std::string_view what) {
    if (paths.empty()) return;
    std::string text = "The following paths " + std::string(what) + " despite sparse patterns:\n";
    for (const std::string& path : paths) text += "\t" + path + "\n";
    git.Warn(text);
  };
  tell(changed, "are not up to date and were left");
  tell(unmerged, "are unmerged and were left");
  tell(present, "were already present and thus not updated");
  if (!changed.empty() || !unmerged.empty() || !present.empty()) git.Say("After fixing the above paths, you may want to run `git sparse-checkout reapply`.\n");
}

Status FollowPatterns(Git& git, const SparsePatterns& patterns, Index& index, bool is_forced, SparseLeftovers& left, const std::set<std::string>& kept) {
  for (IndexEntry& entry : index.entries()) {
    if (entry.stage != 0) {
      if (left.unmerged.empty() || left.unmerged.back() != entry.path) left.unmerged.push_back(entry.path);
      continue;
    }
    const bool is_outside = !kept.contains(entry.path) && !patterns.Includes(entry.path, git.in.budget);
    if (is_outside == entry.is_skipped) continue;
    if (entry.mode == kModeCommit) {
      entry.is_skipped = is_outside;
      continue;
    }
    PADDOCK_ASSIGN(const auto file, StageFile(git, entry.path, false));
    if (is_outside) {
      const bool is_changed = file && (file->id != entry.id || file->mode != entry.mode);
      if (is_changed && !is_forced) {
        left.changed.push_back(entry.path);
        continue;
      }
      entry.is_skipped = true;
      RemoveWorkFile(git, entry.path);
      continue;
    }
    entry.is_skipped = false;
    if (file && !is_forced) {
      left.present.push_back(entry.path);
      continue;
    }
    IndexEntry fresh;
    PADDOCK_TRY(PutFile(git, entry.path, {entry.mode, entry.id}, true, &fresh));
    entry = std::move(fresh);
  }
  return {};
}

void ForgetPresent(Git& git, Index& index) {
  if (!git.config.GetBool("core.sparsecheckout", false) || git.config.GetBool("sparse.expectfilesoutsideofpatterns", false) || git.work_tree.empty()) return;
  std::string missing;   // a directory that is not there, with a slash behind it
  for (IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if (!entry.is_skipped || (!missing.empty() && entry.path.starts_with(missing))) continue;
    if (git.in.fs.Stat(git.FilePath(entry.path), vfs::Follow::kNo)) {
      entry.is_skipped = false;
      continue;
    }
    const size_t slash = entry.path.rfind('/');
    if (slash != std::string::npos && !git.in.fs.Stat(git.FilePath(entry.path.substr(0, slash)), vfs::Follow::kNo)) missing = entry.path.substr(0, slash + 1);
  }
}

IndexEntry SkippedEntry(const std::string& path, const TreeItem& item) {
  IndexEntry entry;
  entry.path = path;
  entry.mode = item.mode;
  entry.id = item.id;
  entry.is_skipped = true;
  return entry;
}

bool HasDirectories(const Index& index) {
  return std::any_of(index.entries().begin(), index.entries().end(), [](const IndexEntry& entry) { return entry.mode == kModeTree; });
}

Status ExpandDirectories(Git& git, Index& index) {
  if (!HasDirectories(index)) return {};
  std::vector<IndexEntry> all;
  for (IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if (entry.mode != kModeTree) {
      all.push_back(std::move(entry));
      continue;
    }
    PADDOCK_ASSIGN(const FlatTree files, git.Flatten(entry.id));
    for (const auto& [path, item] : files) {
      git.in.budget.WillAllocate(entry.path.size() + path.size() + sizeof(IndexEntry));
      all.push_back(SkippedEntry(entry.path + path, item));
    }
  }
  index.entries() = std::move(all);
  return {};
}

Status CollapseDirectories(Git& git, Index& index) {
  if (!git.config.GetBool("index.sparse", false) || !git.config.GetBool("core.sparsecheckoutcone", false) || index.HasConflicts()) return {};
  const std::optional<SparsePatterns> patterns = ActivePatterns(git);
  if (!patterns || !patterns->is_cone()) return {};
  const std::vector<IndexEntry>& entries = index.entries();
  std::vector<IndexEntry> kept;
  for (size_t i = 0; i < entries.size();) {
    git.in.budget.Step(2);
    const std::string& path = entries[i].path;
    size_t end = i;
    for (size_t slash = path.find('/'); slash != std::string::npos && end == i; slash = path.find('/', slash + 1)) {
      if (patterns->IncludesDirectory(path.substr(0, slash))) continue;
      const std::string_view below = std::string_view(path).substr(0, slash + 1);
      // The directory begins here, or its first file was one that has to be seen.
      if (i > 0 && entries[i - 1].path.starts_with(below)) continue;
      size_t last = i;
      bool is_whole = true;
      Index part;
      for (; last < entries.size() && entries[last].path.starts_with(below); ++last) {
        git.in.budget.Step();
        is_whole &= entries[last].is_skipped && entries[last].mode != kModeCommit;
        IndexEntry entry = SkippedEntry(entries[last].path.substr(below.size()), {entries[last].mode, entries[last].id});
        part.entries().push_back(std::move(entry));
      }
      if (!is_whole) continue;
      PADDOCK_ASSIGN(const Oid tree, git.WriteTree(part));
      kept.push_back(SkippedEntry(std::string(below), {kModeTree, tree}));
      end = last;
    }
    if (end == i) kept.push_back(entries[end++]);
    i = end;
  }
  index.entries() = std::move(kept);
  return {};
}

}  // namespace paddock::git
