// What rsync does at the destination: one copy's state, and its parts: the order of things (rsync_copy_lib.cc), single files
// (rsync_file_lib.cc), what is deleted or kept as a backup (rsync_delete_lib.cc), and what is said (rsync_report_lib.cc).
#pragma once

#include <map>

#include "commands/file/rsync.h"
#include "commands/file_facts.h"
#include "text/date/time_format.h"

namespace paddock::rsync {

constexpr int64_t kSecond = 1'000'000'000;

// What is different about one entry: the letters of -i.
struct Changes {
  bool is_new = false, is_transferred = false, is_linked = false, is_local = false;
  bool content = false, size = false, time = false, transfer_time = false, mode = false, owner = false, group = false;
  bool any() const { return is_new || is_transferred || is_linked || is_local || content || size || time || transfer_time || mode || owner || group; }
};

struct Counts {
  uint64_t files = 0, directories = 0, links = 0, specials = 0;
  void Add(const vfs::Attributes& attributes) {
    if (attributes.is_file()) ++files;
    else if (attributes.is_directory()) ++directories;
    else if (attributes.is_symlink()) ++links;
    else ++specials;
  }
  std::string Text(int human) const;
};

class Receiver {
 public:
  explicit Receiver(Session& session) : session_(session), s_(session.settings), in_(session.in), zone_(LocalZone(session.in.env)) {}

  ExitStatus Run(const std::string& destination);

 private:
  ExitStatus Refuse(const std::string& message, const std::string& kind, int code, const std::string& where);

  // Decides what the names are below.
  std::optional<ExitStatus> FindRoot(const std::string& destination);
  ExitStatus CannotMake(const std::string& destination, const Error& error);
  std::optional<ExitStatus> MakeRoot(const std::string& destination);
  // Of the names of one file the last is sent; the others become links to it afterwards.
  void GroupLinks();
  std::string PathOf(const Entry& entry) const;

  void Report(const Entry& entry, const Changes& changes, const std::string& link_to = {});
  // Control characters are shown as \#ooo.
  std::string Shown(const std::string& name) const;
  std::string Formatted(const std::string& format, const Entry& entry, const Changes& changes, const std::string& name, const std::string& to);
  void Progress(uint64_t size);
  void Fail(std::string_view role, std::string_view what, const std::string& path, const Error& error);

  void DeleteExtra();
  // --delete-missing-args.
  void DeleteMissing();
  bool IsBackupPlace(const std::string& name) const;
  std::vector<Entry> SortedBackwards(const std::string& path, const std::string& prefix);
  bool IsProtected(const Entry& extra) const;
  // False when something in it stays.
  bool DeleteTree(const Entry& extra, bool says, bool names_itself = true);

  // Moves what is at `path` to its backup. False when that is not possible.
  bool Backup(const std::string& name, const std::string& path);

  uint32_t WantedMode(const Entry& entry, const vfs::Attributes* there) const;
  bool KeepsTime(const Entry& entry) const;
  bool HasSameTime(const vfs::Attributes& a, const vfs::Attributes& b) const;
  Changes Compare(const Entry& entry, const vfs::Attributes& there) const;
  bool MaySetGroup(const Entry& entry) const;
  // Gives the file at `path` what the settings keep. Times of directories come at the end.
  void Adjust(const Entry& entry, const std::string& path, bool is_new, uint32_t mode);

  bool IsBelowSkipped(const Entry& entry) const;
  void One(const Entry& entry);
  // Takes away what is there of another kind.
  bool MakeRoom(const Entry& entry, const std::string& path, const vfs::Attributes& there);

  void Directory(const Entry& entry, const std::string& path, const vfs::Attributes* there, bool is_new_root);
  void FinishDirectories();

  bool Symlink(const Entry& entry, const std::string& path, const vfs::Attributes* there);
  bool Special(const Entry& entry, const std::string& path, const vfs::Attributes* there);
  // A further name of a file that was sent.
  void HardLink(const Entry& entry, const Entry& leader);

  bool HasSameContent(const std::string& a, const std::string& b);
  // Whether the quick check takes them for the same.
  bool IsSame(const Entry& entry, const std::string& path, const vfs::Attributes& there);
  // The same file in a directory of --link-dest and the like; `other` gets one that is there but different.
  std::optional<std::pair<std::string, vfs::Attributes>> FindAlternative(const Entry& entry, std::optional<vfs::Attributes>* other = nullptr);

  bool File(const Entry& entry, const std::string& path, const vfs::Attributes* there);
  bool FromAlternative(const Entry& entry, const std::string& path, const std::string& other, const vfs::Attributes& found);

  // Leaves the first `behind` bytes of the file alone: --append. False when they could not be read.
  bool HasSameBeginning(const std::string& a, const std::string& b, uint64_t bytes);
  bool Append(const Entry& entry, const std::string& path, const vfs::Attributes& there, Changes changes);
  // Copies until the end, no faster than --bwlimit.
  Status Pour(Input& input, vfs::OpenFile& to);
  // The directory of --partial-dir for the file at `path`.
  std::string PartialDirectory(const std::string& path) const;
  void PutDelayed();
  // The time of --stop-at has come.
  ExitStatus Stop();

  bool Copy(const Entry& entry, vfs::OpenFile& from, const std::string& path, const vfs::Attributes* there);

  void Totals();
  void Stats(uint64_t sent, uint64_t received);
  ExitStatus Finish();

  struct MadeDirectory {
    const Entry* entry;
    std::string path;
    uint32_t mode;
  };

  Session& session_;
  const Settings& s_;
  Invocation& in_;
  const TimeZone zone_;
  std::string root_, single_path_;
  bool root_is_new_ = false, root_is_missing_ = false;
  std::string skipped_;   // a directory whose contents are left out
  // Of directories where --delete-during deleted something, by name: it compares them as they were before.
  std::map<std::string, Nanoseconds> times_before_;
  std::vector<MadeDirectory> directories_;
  std::vector<std::pair<const Entry*, const Entry*>> further_names_;   // and the entry that is sent
  std::set<const Entry*> is_further_name_;
  struct Delayed {
    std::string name, temporary, path;
  };
  std::vector<Delayed> delayed_;
  Counts created_, deleted_;
  uint64_t transferred_ = 0, transferred_bytes_ = 0, total_size_ = 0, left_ = 0, temporaries_ = 0, kept_by_limit_ = 0;
};

}  // namespace paddock::rsync
