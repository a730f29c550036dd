#include "policy/srt_paths.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>
#include <set>
#include <tuple>

#include "base/budget.h"
#include "base/clock.h"
#include "policy/context.h"
#include "policy/load.h"
#include "text/pattern.h"

namespace paddock::policy {
namespace {

constexpr size_t kMostEntries = 1'000'000;
constexpr size_t kMostMatches = 20'000;
constexpr int kMostLinks = 64;

struct CloseDirectory {
  void operator()(DIR* stream) const { closedir(stream); }
};

bool Exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

bool IsDirectory(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string Below(const std::string& directory, const std::string& name) {
  return (directory == "/" ? "" : directory) + "/" + name;
}

std::vector<std::string> Components(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    if (slash > 0) parts.emplace_back(path.substr(0, slash));
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return parts;
}

// Walks the tree once for each (directory, rest of the pattern), so that links and several `**` cost no more than the tree.
class Walk {
 public:
  Walk(std::vector<std::string> parts, SrtMatches& matches) : parts_(std::move(parts)), matches_(matches) {
    for (const std::string& part : parts_) {
      compiled_.emplace_back(part, PatternFlags{.extglob = false, .is_path = true});
    }
  }

  Status Run(const std::string& start) {
    Push(start, 0);
    while (!waiting_.empty()) {
      const State state = std::move(waiting_.back());
      waiting_.pop_back();
      PADDOCK_TRY(Step(state));
    }
    return {};
  }

 private:
  struct State {
    std::string directory;   // resolved
    size_t index;
    bool operator<(const State& other) const { return std::tie(directory, index) < std::tie(other.directory, other.index); }
  };

  void Push(const std::string& directory, size_t index) {
    const auto resolved = ResolvePath(directory);
    if (!resolved) return;
    State state{*resolved, index};
    if (seen_.insert(state).second) waiting_.push_back(std::move(state));
  }

  Status Match(const std::string& path) {
    const auto resolved = ResolvePath(path);
    if (!resolved || !Exists(*resolved)) return {};   // a link that leads nowhere
    if (matches_.paths.size() >= kMostMatches) return Error(Code::kLimit, "matches more than 20000 paths; name a directory");
    matches_.paths.push_back(*resolved);
    return {};
  }

  Status Step(const State& state) {
    const bool is_any_depth = parts_[state.index] == "**";
    const bool is_last = state.index + 1 == parts_.size();
    if (is_any_depth) {
      if (is_last) return Match(state.directory);
      Push(state.directory, state.index + 1);
    }
    const auto entries = ListDirectory(state.directory);
    if (!entries) {
      if (errno == EACCES || errno == EPERM) matches_.unlisted.push_back(state.directory);
      return {};
    }
    for (const DirectoryEntry& entry : *entries) {
      if (++count_ > kMostEntries) return Error(Code::kLimit, "needs more than a million files looked at; begin it with a narrower directory");
      const std::string path = Below(state.directory, entry.name);
      if (is_any_depth) {
        if (entry.is_directory && IsDirectory(path)) Push(path, state.index);
        continue;
      }
      if (!compiled_[state.index].Matches(entry.name, budget_)) continue;
      if (is_last) PADDOCK_TRY(Match(path));
      else if (entry.is_directory && IsDirectory(path)) Push(path, state.index + 1);
    }
    return {};
  }

  const std::vector<std::string> parts_;
  std::vector<Pattern> compiled_;
  SrtMatches& matches_;
  Budget budget_{Limits{.memory_bytes = kUnlimited}, SystemClock()};   // entries are what is counted here
  std::vector<State> waiting_;
  std::set<State> seen_;
  size_t count_ = 0;
};

}  // namespace

std::optional<std::vector<DirectoryEntry>> ListDirectory(const std::string& path) {
  const std::unique_ptr<DIR, CloseDirectory> stream(opendir(path.c_str()));
  if (stream == nullptr) return std::nullopt;
  std::vector<DirectoryEntry> entries;
  while (const dirent* entry = readdir(stream.get())) {
    const std::string_view name(entry->d_name);
    if (name == "." || name == "..") continue;
    const auto type = entry->d_type;
    entries.push_back({std::string(name), type == DT_DIR || type == DT_LNK || type == DT_UNKNOWN});
  }
  return entries;
}

bool IsSrtPattern(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

std::string_view WithoutSubtreeMark(std::string_view text) {
  while (text.ends_with("/**")) text.remove_suffix(3);
  return text;
}

Result<std::string> SrtPath(std::string_view text, const SrtPlace& place) {
  if (text == "~" || text.starts_with("~/")) {
    if (place.home.empty()) return Error(Code::kInvalid, "needs a home directory, and none is known");
    return NormalPath(place.home + std::string(text.substr(1)));
  }
  if (text.starts_with('/')) return NormalPath(text);
  return NormalPath(place.directory + "/" + std::string(text));
}

Result<SrtMatches> ExpandSrtPattern(std::string_view pattern, const SrtPlace& place) {
  PADDOCK_ASSIGN(const std::string whole, SrtPath(pattern, place));
  std::vector<std::string> parts = Components(whole);
  const auto first = std::find_if(parts.begin(), parts.end(), [](const std::string& part) { return IsSrtPattern(part); });
  if (first == parts.begin()) {
    return Error(Code::kInvalid, "begins with a wildcard, which srt skips without a word; begin it with a directory");
  }
  for (auto part = first; part != parts.end(); ++part) {
    if (*part != "**" && part->find("**") != std::string::npos) {
      return Error(Code::kInvalid, "has '**' inside a name; it must stand alone between slashes");
    }
    // A path has no other way to write these characters, so nothing is quoted.
    if (part->find('\\') != std::string::npos) return Error(Code::kInvalid, "has a backslash, which no pattern needs");
  }
  std::string start;
  for (auto part = parts.begin(); part != first; ++part) start += "/" + *part;
  SrtMatches matches;
  if (IsDirectory(start)) {
    Walk walk(std::vector<std::string>(first, parts.end()), matches);
    PADDOCK_TRY(walk.Run(start));
  }
  for (auto* list : {&matches.paths, &matches.unlisted}) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return matches;
}

std::string LinkWithin(const std::string& path, const std::vector<std::string>& roots) {
  std::string rest = path;
  std::string done;   // resolved
  for (int links = 0; !rest.empty() && rest != "/";) {
    const size_t end = rest.find('/', 1);
    const std::string place = done + rest.substr(0, end);
    rest = end == std::string::npos ? std::string() : rest.substr(end);
    char target[PATH_MAX];
    const ssize_t size = readlink(place.c_str(), target, sizeof target);
    if (size <= 0 || size == static_cast<ssize_t>(sizeof target)) {
      done = place;
      continue;
    }
    // The link itself can be replaced by who may write in the directory that holds it.
    const std::string holder = done.empty() ? "/" : done;
    if (std::any_of(roots.begin(), roots.end(), [&](const std::string& root) { return IsWithin(holder, root); })) return place;
    if (++links > kMostLinks) return place;
    const std::string text(target, static_cast<size_t>(size));
    const auto next = NormalPath((text.starts_with('/') ? text : done + "/" + text) + rest);
    if (!next) return place;
    rest = *next;
    done.clear();
  }
  return {};
}

}  // namespace paddock::policy
