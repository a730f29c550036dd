// The index (.git/index): what the next commit will hold, with what was known of each file when it was put there.
//
// Versions 2 and 3 are read, 4 is refused; extensions that may be dropped are dropped. Source: gitformat-index(5).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "git/object.h"
#include "vfs/attributes.h"

namespace paddock::git {

struct IndexEntry {
  std::string path;
  uint32_t mode = kModeFile;
  Oid id;
  int stage = 0;               // 0, or 1 base, 2 ours, 3 theirs of a conflict
  bool is_intended = false;    // git add -N
  bool is_assumed = false;     // update-index --assume-unchanged
  bool is_skipped = false;     // sparse checkouts
  // What stat said; zero when it is not known.
  uint32_t change_seconds = 0, change_nanos = 0, modify_seconds = 0, modify_nanos = 0;
  uint32_t device = 0, inode = 0, uid = 0, gid = 0, size = 0;

  void TakeStat(const vfs::Attributes& attributes);
  // Whether the file is the one that was put here, as far as stat can tell.
  bool HasStatOf(const vfs::Attributes& attributes) const;
};

// What a conflict was before something was put in its place: modes (0: none) and objects of its stages 1 to 3.
struct ResolvedConflict {
  std::array<uint32_t, 3> modes{};
  std::array<Oid, 3> ids{};
};

class Index {
 public:
  // Errors: kCorrupt with the reason.
  static Result<Index> Parse(std::string_view bytes, Budget& budget);
  std::string Text() const;

  // In order of path and stage.
  const std::vector<IndexEntry>& entries() const { return entries_; }
  std::vector<IndexEntry>& entries() { return entries_; }
  // The entry of that stage, or null.
  const IndexEntry* Find(std::string_view path, int stage = 0) const;
  IndexEntry* Find(std::string_view path, int stage = 0);
  // Whether any entry lies below the directory.
  bool HasBelow(std::string_view directory) const;
  bool HasConflicts() const;
  // Replaces the entry of the same path and stage; stage 0 takes the others away. What a file cannot stand beside goes, too.
  void Put(IndexEntry entry);
  // Removes all stages; false if there was none.
  bool Remove(std::string_view path);
  // The conflicts that Put() and Remove() have ended, by path; files keep them as the extension REUC.
  const std::map<std::string, ResolvedConflict, std::less<>>& resolved() const { return resolved_; }
  void ForgetResolved() { resolved_.clear(); }
  // Brings a conflict back in the place of what is there; false if none is known.
  bool Unmerge(std::string_view path);
  void RemoveBelow(std::string_view directory);

 private:
  size_t LowerBound(std::string_view path, int stage) const;
  void Remember(const IndexEntry& entry);
  Status ParseResolved(std::string_view bytes, Budget& budget);
  std::vector<IndexEntry> entries_;
  std::map<std::string, ResolvedConflict, std::less<>> resolved_;
};

}  // namespace paddock::git
