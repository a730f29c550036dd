#include "commands/file/tree_notes.h"

#include <algorithm>

#include "commands/input_files.h"
#include "vfs/file_system.h"

namespace paddock::tree {
namespace {

// Calls `take` for each line of a file.
template <class Take>
Status ForEachLine(Invocation& in, const std::string& path, const Take& take) {
  PADDOCK_ASSIGN(InputFile file, InputFile::OpenPath(in, path));
  while (const auto line = file.input().ReadLine()) {
    in.budget.Step();
    take(line->text);
  }
  return file.input().status();
}

// Without the blanks at the end that no backslash keeps.
std::string_view Trimmed(std::string_view line) {
  while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
  return line;
}

// What of `path` is below `directory`; nothing when it is elsewhere.
std::optional<std::string_view> Below(std::string_view path, std::string_view directory) {
  while (directory.ends_with('/')) directory.remove_suffix(1);
  if (!path.starts_with(directory)) return std::nullopt;
  path.remove_prefix(directory.size());
  if (!path.starts_with('/')) return std::nullopt;
  return path.substr(path.find_first_not_of('/'));
}

std::string_view WithoutLeadingSlash(std::string_view pattern) {
  return pattern.starts_with('/') ? pattern.substr(1) : pattern;
}

}  // namespace

NotePattern::NotePattern(std::string_view text, bool ignore_case)
    : only_directories_(text.size() > 1 && text.ends_with('/')) {
  if (only_directories_) text.remove_suffix(1);
  const PathGlobFlags flags{.ignore_case = ignore_case, .bang_negates = false, .any_matches_slash = true};
  while (true) {
    const size_t bar = text.find('|');
    globs_.emplace_back(text.substr(0, bar), flags);
    if (bar == std::string_view::npos) return;
    text.remove_prefix(bar + 1);
  }
}

bool NotePattern::Matches(std::string_view text, bool is_directory, Budget& budget) const {
  if (only_directories_ && !is_directory) return false;
  return std::any_of(globs_.begin(), globs_.end(), [&](const PathGlob& glob) { return glob.Matches(text, budget); });
}

Status IgnoreFiles::Read(const std::string& path, File& file) const {
  return ForEachLine(in_, path, [&](std::string_view line) {
    if (line.starts_with('#')) return;
    const bool is_negated = line.starts_with('!');
    if (is_negated) line.remove_prefix(1);
    line = Trimmed(line);
    if (line.empty()) return;
    const bool is_anchored = line.find('/') != std::string_view::npos;
    file.rules.push_back({NotePattern(WithoutLeadingSlash(line), ignore_case_), is_anchored, is_negated});
  });
}

Status IgnoreFiles::Load(const std::string& path) {
  File file;
  PADDOCK_TRY(Read(path, file));
  files_.push_back(std::move(file));
  return {};
}

void IgnoreFiles::Enter(const std::string& directory) {
  File file{.directory = directory, .rules = {}};
  (void)Read(vfs::JoinPath(directory, ".gitignore"), file);   // most directories have none
  files_.push_back(std::move(file));
}

bool IgnoreFiles::Matches(const File& file, const NoteSubject& subject, bool is_negated) const {
  std::optional<std::string_view> below;
  if (file.directory) below = Below(subject.path, *file.directory);
  return std::any_of(file.rules.begin(), file.rules.end(), [&](const Rule& rule) {
    if (rule.is_negated != is_negated || (rule.is_anchored && !below)) return false;
    return rule.pattern.Matches(rule.is_anchored ? *below : subject.name, subject.is_directory, in_.budget);
  });
}

bool IgnoreFiles::IsIgnored(const NoteSubject& subject) const {
  const auto any = [&](bool is_negated) {
    return std::any_of(files_.begin(), files_.end(),
                       [&](const File& file) { return Matches(file, subject, is_negated); });
  };
  return any(false) && !any(true);
}

// Patterns one a line, then what is said about them behind tabs.
Status CommentFiles::Read(const std::string& path, File& file) const {
  Comment comment;
  const auto finish = [&] {
    if (!comment.lines.empty() && !(comment.patterns.empty() && comment.anchored.empty())) {
      file.comments.push_back(std::move(comment));
    }
    comment = {};
  };
  PADDOCK_TRY(ForEachLine(in_, path, [&](std::string_view line) {
    if (line.starts_with('#') || line.empty()) return;
    if (line.starts_with('\t')) {
      if (!comment.patterns.empty() || !comment.anchored.empty()) comment.lines.emplace_back(line.substr(1));
      return;
    }
    if (!comment.lines.empty()) finish();
    line = Trimmed(line);
    if (line.empty()) return;
    if (line.starts_with('/')) comment.anchored.emplace_back(line.substr(1), ignore_case_);
    else comment.patterns.emplace_back(line, ignore_case_);
  }));
  finish();
  return {};
}

Status CommentFiles::Load(const std::string& path) {
  File file;
  PADDOCK_TRY(Read(path, file));
  files_.push_back(std::move(file));
  return {};
}

void CommentFiles::Enter(const std::string& directory) {
  File file{.directory = directory, .comments = {}};
  (void)Read(vfs::JoinPath(directory, ".info"), file);   // most directories have none
  files_.push_back(std::move(file));
}

// `own` is the file of the directory that the entry is in: only there names and anchored patterns count.
bool CommentFiles::Matches(const Comment& comment, const NoteSubject& subject, const File* own) const {
  const auto matches = [&](const std::vector<NotePattern>& patterns, std::string_view text) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const NotePattern& pattern) {
      return pattern.Matches(text, subject.is_directory, in_.budget);
    });
  };
  if (matches(comment.patterns, subject.path)) return true;
  return own != nullptr && (matches(comment.patterns, subject.name) || matches(comment.anchored, subject.name));
}

const std::vector<std::string>* CommentFiles::Find(const NoteSubject& subject) const {
  for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
    const File* own = file == files_.rbegin() ? &*file : nullptr;
    for (const Comment& comment : file->comments) {
      if (Matches(comment, subject, own)) return &comment.lines;
    }
  }
  return nullptr;
}

}  // namespace paddock::tree
