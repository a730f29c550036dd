// References: HEAD, branches, tags and remote branches, loose or in packed-refs, and their logs.
//
// A name is checked before it becomes a path: none leaves the repository's directory. Source: git-check-ref-format(1),
// gitrepository-layout(5).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "git/object.h"
#include "vfs/file_system.h"

namespace paddock::git {

// Whether linked working trees share that path of the repository: "refs/heads/x", "config"; not HEAD, the index or refs/bisect.
bool IsSharedPath(std::string_view path);

// As git check-ref-format: "refs/heads/x" is one; HEAD and its like pass with `allows_one_level`.
bool IsRefName(std::string_view name, bool allows_one_level = false);

struct ReflogEntry {
  Oid before, after;
  std::string who;      // as Signature::Text()
  std::string message;
};

class Refs {
 public:
  // Both are absolute; `common` is what linked working trees share, elsewhere the same.
  Refs(vfs::FileSystem& fs, std::string directory, std::string common, Budget& budget) : fs_(fs), directory_(std::move(common)), own_(std::move(directory)), budget_(budget) {}

  // The object that a full name ("HEAD", "refs/heads/x") leads to through symbolic ones.
  std::optional<Oid> Read(std::string_view name);
  // What a symbolic reference names; nothing when it is none.
  std::optional<std::string> ReadSymbolic(std::string_view name);
  // All below "refs/" that begin so, in order.
  std::map<std::string, Oid> List(std::string_view prefix);
  bool Exists(std::string_view name) { return Read(name).has_value(); }

  // Sets a reference, following symbolic ones; the log gets the line, when there is a message. `who` as Signature::Text().
  Status Write(std::string_view name, const Oid& id, std::string_view who, std::string_view message);
  // Sets this very name.
  Status WriteDirect(std::string_view name, const Oid& id);
  Status WriteSymbolic(std::string_view name, std::string_view target);
  Status Remove(std::string_view name);
  Status Log(std::string_view name, const Oid& before, const Oid& after, std::string_view who, std::string_view message);
  // Oldest first.
  std::vector<ReflogEntry> ReadLog(std::string_view name);
  Status WriteLog(std::string_view name, const std::vector<ReflogEntry>& entries);
  Status RenameLog(std::string_view from, std::string_view to);
  // Puts all but symbolic ones and `left_out` into packed-refs; what tags lead to is `peeled`.
  Status PackAll(const std::map<std::string, Oid>& peeled, const std::set<std::string>& left_out = {});

 private:
  std::string PathOf(std::string_view name) const;
  std::string LogPath(std::string_view name) const;
  std::optional<std::string> ReadRaw(std::string_view name);
  std::map<std::string, Oid> Packed();
  void ListLoose(const std::string& folder, std::map<std::string, Oid>& out);
  Status CheckFree(std::string_view name);

  vfs::FileSystem& fs_;
  std::string directory_;   // what is shared
  std::string own_;
  Budget& budget_;
};

}  // namespace paddock::git
