#include "overlay/changes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <utility>

#include "overlay/upper.h"
#include "policy/policy.h"
#include "policy/verdict.h"

namespace paddock::overlay {
namespace {

// Set-id bits of directories come from the directory above, and are never carried over.
constexpr uint32_t kFileBits = 0777;
constexpr uint32_t kDirectoryBits = 01777;

// Fills a block unless the file ends before.
ssize_t ReadBlock(int file, char* block, size_t size) {
  size_t filled = 0;
  while (filled < size) {
    const ssize_t got = read(file, block + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  return static_cast<ssize_t>(filled);
}

class Finder {
 public:
  Finder(int workspace, int upper, const Bases* bases) : workspace_(workspace), upper_(upper), bases_(bases) {}

  Result<std::vector<Change>> Find() {
    PADDOCK_TRY(NamesIn(upper_, "", kMostEntries));
    pending_.push_back({"", true, false});
    while (!pending_.empty()) {
      const Directory directory = std::move(pending_.back());
      pending_.pop_back();
      PADDOCK_TRY(ReadDirectory(directory));
    }
    const auto by_path = [](const Change& a, const Change& b) { return a.path < b.path; };
    std::sort(changes_.begin(), changes_.end(), by_path);
    const size_t found = changes_.size();
    for (auto& [path, why] : refused_directories_) {
      const auto end = changes_.begin() + static_cast<std::ptrdiff_t>(found);
      const auto at = std::lower_bound(changes_.begin(), end, path, [](const Change& change, const std::string& name) { return change.path < name; });
      Refuse(at != end && at->path == path ? *at : Add(Change::Kind::kModified, path, {}, {}), std::move(why));
    }
    std::sort(changes_.begin(), changes_.end(), by_path);
    return std::move(changes_);
  }

 private:
  // A directory of the upper tree.
  struct Directory {
    std::string path;
    bool has_below;    // the workspace has a directory there
    bool is_opaque;    // which is hidden
  };

  Status Count(size_t more) {
    count_ += more;
    if (count_ > kMostEntries) {
      return Error(Code::kLimit, "more than " + std::to_string(kMostEntries) + " files are changed; look into the overlay's own directory, or discard it");
    }
    return {};
  }

  Change& Add(Change::Kind kind, std::string path, const FileFacts& before, const FileFacts& after) {
    Change& change = changes_.emplace_back();
    change.kind = kind;
    change.path = std::move(path);
    change.before = before;
    change.after = after;
    // Directories on both sides are merged entry by entry: one that a killed apply has made already is none.
    const bool merges = before.is_directory() && after.is_directory();
    if (bases_ != nullptr && !merges) change.conflict = bases_->ConflictAt(workspace_, change.path, before);
    return change;
  }

  static void Refuse(Change& change, std::string why) {
    if (change.refusal.empty()) change.refusal = std::move(why);
  }

  Status ReadDirectory(const Directory& directory) {
    const auto names = NamesIn(upper_, directory.path, kMostEntries);
    if (!names) {
      if (names.error().code == Code::kLimit) return names.error();
      RefuseDirectory(directory.path, "a directory that cannot be read: " + std::string(CodeText(names.error().code)));
      return {};
    }
    PADDOCK_TRY(Count(names->size()));
    for (const std::string& name : *names) {
      PADDOCK_TRY(ReadEntry(Joined(directory.path, name), directory));
    }
    if (!directory.is_opaque) return {};
    const auto hidden = NamesIn(workspace_, directory.path, kMostEntries);
    if (!hidden) {
      if (hidden.error().code == Code::kLimit) return hidden.error();
      RefuseDirectory(directory.path, "hides a directory that cannot be read");
      return {};
    }
    for (const std::string& name : *hidden) {
      if (std::binary_search(names->begin(), names->end(), name)) continue;
      PADDOCK_TRY(AddDeleted(Joined(directory.path, name)));
    }
    return {};
  }

  void RefuseDirectory(const std::string& path, std::string why) { refused_directories_.emplace_back(path, std::move(why)); }

  Status ReadEntry(const std::string& path, const Directory& parent) {
    const UpperEntry entry = ReadUpper(upper_, path);
    FileFacts below;
    if (parent.has_below) {
      auto facts = FactsAt(workspace_, path);
      if (!facts) {
        Refuse(Add(Change::Kind::kModified, path, {}, entry.facts), "the workspace's cannot be read: " + std::string(facts.error().Text()));
        return {};
      }
      below = *facts;
    }
    switch (entry.kind) {
      case UpperEntry::Kind::kWhiteout: return below.exists() ? AddDeleted(path) : Status();
      case UpperEntry::Kind::kRefused: {
        const Change::Kind kind = below.exists() ? Change::Kind::kModified : Change::Kind::kAdded;
        Refuse(Add(kind, path, below, entry.facts), entry.refusal);
        return {};
      }
      case UpperEntry::Kind::kMerged:
      case UpperEntry::Kind::kOpaque: return AddDirectory(path, below, entry);
      case UpperEntry::Kind::kContent: return AddContent(path, below, entry.facts);
    }
    return {};
  }

  Status AddDirectory(const std::string& path, const FileFacts& below, const UpperEntry& entry) {
    FileFacts after = entry.facts;
    after.mode &= kDirectoryBits;
    if (!below.exists()) {
      Add(Change::Kind::kAdded, path, below, after);
    } else if (!below.is_directory()) {
      Add(Change::Kind::kType, path, below, after);
    } else if ((below.mode & kDirectoryBits) != after.mode) {
      after.mode |= below.mode & ~kDirectoryBits;
      Add(Change::Kind::kMode, path, below, after);
    }
    pending_.push_back({path, below.is_directory(), below.is_directory() && entry.kind == UpperEntry::Kind::kOpaque});
    return {};
  }

  Status AddContent(const std::string& path, const FileFacts& below, FileFacts after) {
    after.mode &= kFileBits;
    if (!below.exists()) {
      Add(Change::Kind::kAdded, path, below, after);
    } else if (below.type != after.type) {
      Add(Change::Kind::kType, path, below, after);
      if (below.is_directory()) return AddDeletedBelow(path);
    } else if (!IsSameContent(workspace_, path, below, upper_, path, after)) {
      Add(Change::Kind::kModified, path, below, after);
    } else if (!after.is_symlink() && (below.mode & kFileBits) != after.mode) {
      Add(Change::Kind::kMode, path, below, after);
    }
    return {};
  }

  // The entry of the workspace and all below it.
  Status AddDeleted(const std::string& path) {
    const auto facts = FactsAt(workspace_, path);
    PADDOCK_TRY(Count(1));
    if (!facts) {
      Refuse(Add(Change::Kind::kDeleted, path, {}, {}), std::string(facts.error().Text()));
      return {};
    }
    Add(Change::Kind::kDeleted, path, *facts, {});
    return facts->is_directory() ? AddDeletedBelow(path) : Status();
  }

  Status AddDeletedBelow(const std::string& top) {
    std::vector<std::string> directories = {top};
    while (!directories.empty()) {
      const std::string directory = std::move(directories.back());
      directories.pop_back();
      const auto names = NamesIn(workspace_, directory, kMostEntries);
      if (!names) {
        if (names.error().code == Code::kLimit) return names.error();
        RefuseDirectory(directory, "a directory that cannot be read: " + std::string(CodeText(names.error().code)));
        continue;
      }
      PADDOCK_TRY(Count(names->size()));
      for (const std::string& name : *names) {
        const std::string path = Joined(directory, name);
        const auto facts = FactsAt(workspace_, path);
        Change& change = Add(Change::Kind::kDeleted, path, facts ? *facts : FileFacts(), {});
        if (!facts) Refuse(change, std::string(facts.error().Text()));
        else if (facts->is_directory()) directories.push_back(path);
      }
    }
    return {};
  }

  const int workspace_;
  const int upper_;
  const Bases* bases_;
  std::vector<Directory> pending_;
  std::vector<Change> changes_;
  std::vector<std::pair<std::string, std::string>> refused_directories_;   // path, why
  size_t count_ = 0;
};

}  // namespace

char LetterOf(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::kAdded: return 'A';
    case Change::Kind::kDeleted: return 'D';
    case Change::Kind::kType: return 'T';
    case Change::Kind::kModified:
    case Change::Kind::kMode: return 'M';
  }
  return 'M';
}

bool IsAtOrBelow(std::string_view path, std::string_view directory) {
  return directory.empty() || path == directory || (path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/');
}

bool IsSameContent(int a_directory, const std::string& a, const FileFacts& a_facts, int b_directory, const std::string& b,
                   const FileFacts& b_facts) {
  if (a_facts.type != b_facts.type) return false;
  if (a_facts.is_symlink()) {
    const auto a_target = LinkTarget(a_directory, a), b_target = LinkTarget(b_directory, b);
    return a_target && b_target && *a_target == *b_target;
  }
  if (!a_facts.is_file() || a_facts.size != b_facts.size) return false;
  const auto a_file = OpenBeneath(a_directory, a, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  const auto b_file = OpenBeneath(b_directory, b, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  if (!a_file || !b_file) return false;
  std::array<char, 64 << 10> a_block, b_block;
  for (uint64_t total = 0; total <= a_facts.size;) {
    const ssize_t a_got = ReadBlock(a_file->get(), a_block.data(), a_block.size());
    const ssize_t b_got = ReadBlock(b_file->get(), b_block.data(), b_block.size());
    if (a_got < 0 || a_got != b_got || !std::equal(a_block.begin(), a_block.begin() + a_got, b_block.begin())) return false;
    if (a_got == 0) return true;
    total += static_cast<uint64_t>(a_got);
  }
  return false;   // it grows while it is read
}

Result<std::vector<Change>> FindChanges(int workspace, int upper, const Bases* bases) { return Finder(workspace, upper, bases).Find(); }

void MarkRenames(int workspace, int upper, std::vector<Change>& changes) {
  constexpr size_t kMostComparisons = 1000;
  constexpr uint64_t kLargest = 16 << 20;
  const auto counts = [](const Change& change, const FileFacts& facts) {
    return facts.is_file() && facts.size > 0 && facts.size <= kLargest && change.refusal.empty();
  };
  std::multimap<uint64_t, Change*> deleted;
  for (Change& change : changes) {
    if (change.kind == Change::Kind::kDeleted && counts(change, change.before)) deleted.emplace(change.before.size, &change);
  }
  size_t comparisons = 0;
  for (Change& change : changes) {
    if (change.kind != Change::Kind::kAdded || !counts(change, change.after)) continue;
    for (auto [at, end] = deleted.equal_range(change.after.size); at != end; ++at) {
      if (++comparisons > kMostComparisons) return;
      Change& other = *at->second;
      if (!IsSameContent(workspace, other.path, other.before, upper, change.path, change.after)) continue;
      change.renamed = other.path;
      change.renamed_mode = other.before.mode & kFileBits;
      other.renamed = change.path;
      deleted.erase(at);
      break;
    }
  }
}

void MarkProtected(const std::vector<std::string>& names, std::vector<Change>& changes) {
  policy::FileRules rules;
  rules.protected_names = names;
  for (Change& change : changes) {
    if (const std::string* name = policy::ProtectedNameOf(rules, "/" + change.path, "/")) change.protected_name = *name;
  }
}

}  // namespace paddock::overlay
