// The copying behind cp and mv: one source to one target, trees included.
//
// Source: GNU coreutils manual, "cp invocation", "mv invocation".
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "commands/file/backup.h"
#include "proc/command.h"

namespace paddock {

enum class Dereference { kNever, kOperands, kAlways };
enum class Overwrite { kDefault, kAsk, kNever, kAlways };
enum class Sparse { kNever, kAuto, kAlways };

struct CopyOptions {
  bool moves = false;                // mv: rename, and copy only to another volume
  bool recursive = false;
  bool makes_hard_links = false;
  bool makes_symlinks = false;
  bool as_regular = true;            // read special files instead of recreating them
  Dereference dereference = Dereference::kAlways;
  Overwrite overwrite = Overwrite::kDefault;
  bool only_newer = false;
  bool verbose = false;
  bool removes_unopenable = false;   // cp -f
  bool removes_target = false;       // cp --remove-destination
  bool one_file_system = false;
  bool attributes_only = false;
  bool must_clone = false;
  Sparse sparse = Sparse::kAuto;
  bool keeps_mode = false, keeps_owner = false, keeps_times = false, keeps_links = false;
  bool default_mode = false;         // --no-preserve=mode
  Backup backup;
};

class Copier {
 public:
  Copier(Invocation& in, const CopyOptions& options);

  // Copies or moves an operand of the command line. False after a complaint.
  bool CopyOperand(const std::string& source, const std::string& target);
  // True when the last CopyOperand() of a move left the source in place for its caller to remove.
  bool source_is_left() const { return source_is_left_; }

 private:
  using Identity = std::pair<uint64_t, uint64_t>;
  using Attributes = vfs::Attributes;
  enum class Verdict { kGoOn, kDone, kFailed };
  struct Item {
    const std::string& source;
    const std::string& target;
    bool is_operand;
    Attributes attributes;             // of the source, as followed
    std::optional<Attributes> existing;   // the target, as followed
    std::string backup_name;
    bool is_new() const { return !existing; }
  };

  bool CopyOne(const std::string& source, const std::string& target, bool is_operand);
  Verdict LookAtTarget(Item& item);
  Verdict AnnounceCopy(Item& item);
  Verdict ReplaceTarget(Item& item);
  Verdict CheckKinds(Item& item);
  Verdict MakeBackup(Item& item);
  bool MayReplace(const Item& item, bool* is_done);
  bool IsRefused(const Item& item);
  bool AsksAndIsDenied(const Item& item);
  Verdict LinkToEarlierCopy(Item& item);
  Verdict Move(Item& item);
  bool MakeCopy(Item& item);
  bool CopyDirectory(Item& item);
  bool MakeSymlinkTo(const Item& item);
  bool CopySymlink(const Item& item);
  bool CopySpecial(const Item& item);
  bool CopyFile(Item& item);
  Result<vfs::OpenFilePtr> OpenTarget(Item& item);
  bool CopyContents(vfs::OpenFile& from, vfs::OpenFile& to, const Item& item);
  bool FinishAttributes(const Item& item, bool was_new);
  bool HardLink(const std::string& existing, const std::string& target, vfs::Follow follow, bool replaces);

  bool IsSameName(const std::string& a, const std::string& b);
  void Announce(const Item& item);
  std::string Shown(std::string_view path) const;
  bool Fail(const std::string& message);
  bool Fail(const std::string& message, const Error& error);

  Invocation& in_;
  const CopyOptions& o_;
  std::map<Identity, std::string> copies_;     // where a file with several names, or a directory, went
  std::map<Identity, std::string> operands_;   // files named so far
  std::set<Identity> made_;                    // targets of operands, not to be overwritten by later ones
  std::vector<Identity> ancestors_;
  std::string top_source_, top_target_;
  uint64_t device_ = 0;
  bool source_is_left_ = false;
  bool copies_into_self_ = false;
};

// Checks the operands of cp and mv and finds the directory that they go into: `directory` if it is given (-t), else
// the last operand, which is then taken off, if it is one. `directory` stays empty for one source and one target.
// A status after a complaint.
std::optional<ExitStatus> TakeDestination(Invocation& in, bool no_target_directory, std::vector<std::string>& operands,
                                          std::optional<std::string>& directory);

}  // namespace paddock
