// Incremental backups: what the last one knew, and the lists of names that directories carry in such archives.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/archive/tar.h"

namespace paddock::tar {

// What --listed-incremental remembers: when the last backup was, and which directories there were.
struct Snapshot {
  struct Directory {
    uint64_t device = 0, inode = 0;
    TimePoint modified{};
    std::string names;   // each with a letter in front and NUL behind: Y is in the archive, N is not, D is a directory
  };
  bool is_new = true;    // nothing is known
  TimePoint time{};
  std::map<std::string, Directory, std::less<>> directories;

  // Errors: kSyntax.
  static Result<Snapshot> Parse(std::string_view text, Budget& budget);
  std::string Encode(Budget& budget) const;
};
// Sorts operands by name. Which of equal ones comes first is GNU tar's choice: it shows in the order of the archive.
void SortForIncrements(std::span<Name> names);

// The names that a directory of an incremental archive had, and the letter of each.
std::map<std::string, char, std::less<>> NamesOfDump(std::string_view dump, Budget& budget);

// What tells such an archive's reader to rename directories (the keys, from what they were called), in an order that works.
std::string RenamesForDump(const std::map<std::string, std::string>& renamed, Budget& budget);
// The same steps as they are read: X and a directory for a name of its own, R and T for from and to, of which an empty one is that name.
std::vector<std::pair<char, std::string>> RenamesOfDump(std::string_view dump, Budget& budget);

// The last backup beside the one that is made: which directories are new or were renamed, which files did not change.
class BackupHistory {
 public:
  explicit BackupHistory(Context& context) : c_(context) {}
  // Reads the snapshot file, if there is one. Errors: reported.
  Status Read();
  bool IsUnchanged(const vfs::Attributes& found) const;
  // True for a directory that the last backup did not know, wherever it was; says so, and what was renamed. Parents come before what is in them.
  bool IsNew(const std::string& path, const vfs::Attributes& found);
  void Remember(const std::string& path, const vfs::Attributes& found, const std::string& names);
  // What tells a reader to rename the directories that were.
  std::string Renames() const { return RenamesForDump(renamed_, c_.in.budget); }
  // Writes the snapshot file for the next time; failure is reported.
  void Keep() const;

 private:
  std::optional<std::string> NameBefore(const std::string& path, const vfs::Attributes& found);

  Context& c_;
  Snapshot known_, made_;
  std::map<std::pair<uint64_t, uint64_t>, std::string> by_identity_;   // directories of the last backup
  std::map<std::string, std::string> names_before_, renamed_;
};

}  // namespace paddock::tar
