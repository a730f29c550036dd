#include "tools/content/search_files.h"

#include <algorithm>
#include <functional>

#include "base/budget.h"
#include "text/regex.h"
#include "text/repair_utf8.h"
#include "text/utf8.h"
#include "tools/content/file_access.h"
#include "tools/content/glob.h"
#include "tools/content/numbered_lines.h"

namespace paddock::tools {
namespace {

using vfs::FileSystem;
using vfs::FileType;

constexpr size_t kMostLine = 500;
constexpr uint64_t kMostBytes = 256u << 20;   // read by one search
constexpr Nanoseconds kMostTime = std::chrono::seconds(20);

std::string Shown(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() <= kMostLine) return RepairUtf8(line);
  return RepairUtf8(line.substr(0, kMostLine)) + " [… cut]";
}

// Visits the entries below `root` in the order of their paths, directories before what they hold. `visit` says whether to go on.
// False when there was more than the bounds let it see.
bool WalkTree(FileSystem& files, const std::string& root, size_t depth, bool enters_hidden,
              const std::function<bool(const std::string& path, const vfs::DirectoryEntry& entry)>& visit) {
  struct Level {
    std::string path;
    std::vector<vfs::DirectoryEntry> entries;
    size_t next = 0;
  };
  std::vector<Level> open;
  auto top = files.List(root);
  if (!top) return true;
  open.push_back({root, std::move(*top)});
  size_t seen = 0;
  bool is_complete = true;
  while (!open.empty()) {
    Level& level = open.back();
    if (level.next == level.entries.size()) {
      open.pop_back();
      continue;
    }
    const vfs::DirectoryEntry& entry = level.entries[level.next++];
    const std::string path = vfs::JoinPath(level.path, entry.name);
    if (path == "/proc" || path == "/sys" || path == "/dev") continue;
    if (++seen > kMaxWalked) return false;
    const bool is_hidden = entry.name.starts_with('.');
    if (!is_hidden || enters_hidden) {
      if (!visit(path, entry)) return true;
      if (entry.type == FileType::kDirectory && open.size() < depth) {
        if (open.size() >= kMaxDepth) is_complete = false;
        else if (auto listed = files.List(path)) open.push_back({path, std::move(*listed)});
      }
    }
  }
  return is_complete;
}

std::string_view Relative(std::string_view path, std::string_view root) {
  path.remove_prefix(root.size());
  return path.starts_with('/') ? path.substr(1) : path;
}

bool HasHiddenPart(std::string_view glob) { return glob.starts_with('.') || glob.find("/.") != std::string_view::npos; }

class Search {
 public:
  Search(FileSystem& files, const SearchRequest& request, const Regex& regex, const Glob* glob)
      : files_(files), request_(request), regex_(regex), glob_(glob), budget_(Limits{.memory_bytes = kUnlimited}, SystemClock()), deadline_(SystemClock().MonotonicNow() + kMostTime) {}

  Result<SearchOutcome> Run(const std::string& root, bool is_file) {
    if (is_file) {
      PADDOCK_TRY(SearchFile(root));
      return std::move(outcome_);
    }
    Status status;
    const bool has_seen_all = WalkTree(files_, root, kMaxDepth + 1, HasHiddenPart(request_.glob), [&](const std::string& path, const vfs::DirectoryEntry& entry) {
      if (entry.type != FileType::kFile) return true;
      if (glob_ != nullptr && !glob_->Matches(Relative(path, root), budget_)) return true;
      status = SearchFile(path);
      return status.has_value() && !outcome_.is_truncated;
    });
    if (!status) return status.error();
    if (!has_seen_all) Stop("there are more files than one search looks at; search a directory below");
    return std::move(outcome_);
  }

 private:
  void Stop(const char* why) {
    outcome_.is_truncated = true;
    outcome_.why_truncated = why;
  }

  Status SearchFile(const std::string& path) {
    if (request_.stop.stop_requested()) return Error(Code::kCancelled, "the search was cancelled");
    if (SystemClock().MonotonicNow() > deadline_ || bytes_ > kMostBytes) {
      Stop("the search took too long; search fewer files with glob or path");
      return {};
    }
    const auto content = ReadRegularFile(files_, path);
    if (!content || IsBinary(*content)) {
      ++outcome_.files_skipped;
      return {};
    }
    bytes_ += content->size();
    ++outcome_.files_searched;
    if (!regex_.required_literal().empty() && !request_.ignores_case && content->find(regex_.required_literal()) == std::string::npos) return {};
    return SearchText(path, *content);
  }

  Status SearchText(const std::string& path, std::string_view text) {
    std::vector<std::string_view> recent;   // lines before the present one
    size_t line = 0;
    for (size_t from = 0; from < text.size();) {
      const size_t end = std::min(text.find('\n', from), text.size());
      const std::string_view at = text.substr(from, end - from);
      from = end + 1;
      ++line;
      PADDOCK_ASSIGN(const bool is_match, regex_.Search(at, 0, nullptr, budget_));
      if (is_match) {
        if (outcome_.matches.size() >= request_.most) {
          Stop("there are more matches; narrow the pattern, or search fewer files with glob or path");
          return {};
        }
        SearchMatch match{.path = path, .line = line, .text = Shown(at), .before = {}, .after = {}};
        for (const std::string_view before : recent) match.before.push_back(Shown(before));
        size_t next = from;
        for (size_t i = 0; i < request_.context && next < text.size(); ++i) {
          const size_t stop = std::min(text.find('\n', next), text.size());
          match.after.push_back(Shown(text.substr(next, stop - next)));
          next = stop + 1;
        }
        outcome_.matches.push_back(std::move(match));
      }
      if (request_.context > 0) {
        if (recent.size() == request_.context) recent.erase(recent.begin());
        recent.push_back(at);
      }
    }
    return {};
  }

  FileSystem& files_;
  const SearchRequest& request_;
  const Regex& regex_;
  const Glob* glob_;
  Budget budget_;
  const Nanoseconds deadline_;
  uint64_t bytes_ = 0;
  SearchOutcome outcome_;
};

Result<std::optional<Glob>> ParseGlob(const std::string& text) {
  if (text.empty()) return std::optional<Glob>();
  PADDOCK_ASSIGN(Glob glob, Glob::Parse(text));
  return std::optional<Glob>(std::move(glob));
}

}  // namespace

Result<SearchOutcome> SearchFiles(FileSystem& files, const SearchRequest& request) {
  const auto root = files.Stat(request.root);
  if (!root) return FileError(files, root.error(), "search", request.root);
  auto regex = Regex::Compile(request.pattern, {.dialect = request.is_regex ? RegexDialect::kPerl : RegexDialect::kExtended, .ignore_case = request.ignores_case, .is_literal = !request.is_regex});
  if (!regex) {
    return Error(Code::kInvalid, "pattern: not a regular expression: " + std::string(regex.error().Text()) + "; leave regex out to search for the text as it is");
  }
  PADDOCK_ASSIGN(const std::optional<Glob> glob, ParseGlob(request.glob));
  return Search(files, request, *regex, glob ? &*glob : nullptr).Run(request.root, root->is_file());
}

Result<ListOutcome> ListFiles(FileSystem& files, const ListRequest& request) {
  const auto root = files.Stat(request.root);
  if (!root) return FileError(files, root.error(), "list", request.root);
  if (!root->is_directory()) return Error(Code::kNotDirectory, "cannot list " + HarmlessLine(request.root) + ": it is a " + TypeName(root->type) + ", not a directory");
  if (const auto listed = files.List(request.root); !listed) return FileError(files, listed.error(), "list", request.root);
  PADDOCK_ASSIGN(const std::optional<Glob> glob, ParseGlob(request.glob));
  Budget budget(Limits{.memory_bytes = kUnlimited}, SystemClock());
  ListOutcome outcome;
  const bool has_seen_all = WalkTree(files, request.root, request.depth, request.shows_hidden, [&](const std::string& path, const vfs::DirectoryEntry&) {
    if (glob && !glob->Matches(Relative(path, request.root), budget)) return true;
    if (outcome.entries.size() >= request.most) {
      outcome.is_truncated = true;
      return false;
    }
    ListedFile listed{.path = path, .attributes = files.Stat(path, vfs::Follow::kNo).value_or(vfs::Attributes{}), .target = {}};
    if (listed.attributes.is_symlink()) listed.target = files.ReadLink(path).value_or("");
    outcome.entries.push_back(std::move(listed));
    return true;
  });
  if (!has_seen_all) outcome.is_truncated = true;
  return outcome;
}

}  // namespace paddock::tools
