// What rsync does at the destination: deletes, makes, copies, and says so.
#include <algorithm>

#include "commands/file/rsync.h"
#include "commands/file_facts.h"
#include "text/time_format.h"

namespace paddock::rsync {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// What is different about one entry: the letters of -i.
struct Changes {
  bool is_new = false, is_transferred = false, is_linked = false, is_local = false;
  bool content = false, size = false, time = false, transfer_time = false, mode = false, owner = false, group = false;
  bool any() const { return is_new || is_transferred || is_linked || is_local || content || size || time || transfer_time || mode || owner || group; }
};

char KindLetter(const vfs::Attributes& attributes) {
  switch (attributes.type) {
    case vfs::FileType::kDirectory: return 'd';
    case vfs::FileType::kSymlink: return 'L';
    case vfs::FileType::kCharDevice:
    case vfs::FileType::kBlockDevice: return 'D';
    case vfs::FileType::kFifo:
    case vfs::FileType::kSocket: return 'S';
    default: return 'f';
  }
}

std::string ItemText(const Entry& entry, const Changes& changes) {
  std::string text(11, '.');
  text[0] = changes.is_linked ? 'h' : changes.is_transferred ? '>' : changes.is_local ? 'c' : '.';
  text[1] = KindLetter(entry.attributes);
  if (changes.is_new) return text.replace(2, 9, "+++++++++");
  if (changes.content) text[2] = 'c';
  if (changes.size) text[3] = 's';
  if (changes.time) text[4] = 't';
  if (changes.transfer_time) text[4] = 'T';
  if (changes.mode) text[5] = 'p';
  if (changes.owner) text[6] = 'o';
  if (changes.group) text[7] = 'g';
  if (!changes.any() || (text[0] == '.' && text.find_first_not_of('.', 2) == std::string::npos)) text.replace(2, 9, "         ");
  if (text.find_first_not_of('.', 2) == std::string::npos && text[0] != '.') text.replace(2, 9, ".........");
  return text;
}

struct Counts {
  uint64_t files = 0, directories = 0, links = 0, specials = 0;
  void Add(const vfs::Attributes& attributes) {
    if (attributes.is_file()) ++files;
    else if (attributes.is_directory()) ++directories;
    else if (attributes.is_symlink()) ++links;
    else ++specials;
  }
  std::string Text(int human) const {
    std::string text = NumberText(files + directories + links + specials, human);
    std::string parts;
    const auto part = [&](const char* name, uint64_t count) {
      if (count > 0) parts += std::string(parts.empty() ? "" : ", ") + name + ": " + NumberText(count, human);
    };
    part("reg", files);
    part("dir", directories);
    part("link", links);
    part("special", specials);
    return parts.empty() ? text : text + " (" + parts + ")";
  }
};

class Receiver {
 public:
  explicit Receiver(Session& session) : session_(session), s_(session.settings), in_(session.in), zone_(LocalZone(session.in.env)) {}

  ExitStatus Run(const std::string& destination) {
    if ((s_.verbose > 0 || s_.progress) && (s_.recursive || s_.dirs || s_.relative)) {
      const bool is_whole = !s_.recursive || s_.prune_empty || (s_.deletes && (s_.delete_when == Settings::When::kBefore || s_.delete_when == Settings::When::kAfter));
      session_.Say(is_whole ? "building file list ... done" : "sending incremental file list");
    }
    if (session_.entries.empty()) return Finish();
    if (const auto failed = FindRoot(destination)) return *failed;
    if (s_.deletes && s_.delete_when != Settings::When::kAfter && s_.delete_when != Settings::When::kDelay) DeleteExtra();
    GroupLinks();
    for (size_t i = 0; i < session_.entries.size(); ++i) {
      in_.budget.Step();
      left_ = session_.entries.size() - i - 1;
      One(session_.entries[i]);
    }
    for (const auto& [entry, leader] : further_names_) HardLink(*entry, *leader);
    if (s_.deletes && (s_.delete_when == Settings::When::kAfter || s_.delete_when == Settings::When::kDelay)) DeleteExtra();
    FinishDirectories();
    return Finish();
  }

 private:
  ExitStatus Refuse(const std::string& message, const std::string& kind, int code, const std::string& where) {
    in_.out.Flush();
    in_.err.WriteLine(message);
    in_.err.WriteLine("rsync error: " + kind + " (code " + std::to_string(code) + ") at " + where);
    return code;
  }

  // Decides what the names are below.
  std::optional<ExitStatus> FindRoot(const std::string& destination) {
    const auto found = in_.fs.Stat(destination);
    const Entry& first = session_.entries[0];
    const bool is_single = session_.entries.size() == 1;
    if (found && found->is_directory()) {
      root_ = destination;
      return std::nullopt;
    }
    if (found && (!is_single || first.is_directory() || destination.ends_with('/'))) {
      return Refuse("ERROR: destination must be a directory when copying more than 1 file", "errors selecting input/output files, dirs", 3, "main.c(777) [Receiver=3.5.0]");
    }
    if (!found && (!is_single || destination.ends_with('/') || first.name.find('/') != std::string::npos)) return MakeRoot(destination);
    if (!found && s_.makes_path) {
      if (s_.dry_run) {
        root_is_missing_ = true;
      } else if (const Status made = vfs::MakeDirectories(in_.fs, vfs::DirectoryName(destination)); !made) {
        return CannotMake(destination, made.error());
      }
    } else if (!found) {
      const std::string parent = vfs::DirectoryName(destination);
      if (const auto above = in_.fs.Stat(parent); !above || !above->is_directory()) {
        const Error reason = above ? Code::kNotDirectory : above.error().code;
        return Refuse("rsync: [Receiver] change_dir#3 \"" + session_.Absolute(parent) + "\" failed: " + std::string(reason.Text()) + " (" + std::to_string(static_cast<int>(reason.code)) + ")",
                     "errors selecting input/output files, dirs", 3, "main.c(855) [Receiver=3.5.0]");
      }
    }
    single_path_ = destination;
    root_ = vfs::DirectoryName(destination);
    return std::nullopt;
  }
  ExitStatus CannotMake(const std::string& destination, const Error& error) {
    std::string path = session_.Absolute(destination);
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return Refuse("rsync: [Receiver] mkdir \"" + path + "\" failed: " + std::string(error.Text()) + " (" + std::to_string(static_cast<int>(error.code)) + ")", "error in file IO", 11,
                 "main.c(808) [Receiver=3.5.0]");
  }
  std::optional<ExitStatus> MakeRoot(const std::string& destination) {
    root_ = destination;
    while (root_.size() > 1 && root_.ends_with('/')) root_.pop_back();
    if (s_.dry_run) {
      root_is_missing_ = true;
    } else {
      const Status made = s_.makes_path ? vfs::MakeDirectories(in_.fs, root_) : in_.fs.MakeDirectory(root_);
      if (!made) return CannotMake(destination, made.error());
    }
    root_is_new_ = true;
    if (s_.verbose > 0 || s_.progress || s_.itemize > 0 || !s_.out_format.empty()) session_.Say("created directory " + root_);
    return std::nullopt;
  }
  // Of the names of one file the last is sent; the others become links to it afterwards.
  void GroupLinks() {
    if (!s_.hard_links) return;
    std::map<std::pair<uint64_t, uint64_t>, std::vector<const Entry*>> groups;
    for (const Entry& entry : session_.entries) {
      in_.budget.Step();
      if (!entry.is_directory() && entry.attributes.links > 1) groups[{entry.attributes.device, entry.attributes.inode}].push_back(&entry);
    }
    for (auto entry = session_.entries.begin(); entry != session_.entries.end(); ++entry) {
      const auto group = groups.find({entry->attributes.device, entry->attributes.inode});
      if (entry->is_directory() || group == groups.end() || group->second.back() != &*entry) continue;
      for (size_t i = group->second.size() - 1; i-- > 0;) {
        further_names_.emplace_back(group->second[i], &*entry);
        is_further_name_.insert(group->second[i]);
      }
    }
  }
  std::string PathOf(const Entry& entry) const {
    if (!single_path_.empty()) return single_path_;
    return entry.name == "." ? root_ : vfs::JoinPath(root_, entry.name);
  }

  // --- Saying what is done ---

  void Report(const Entry& entry, const Changes& changes, const std::string& link_to = {}) {
    if (changes.is_new) created_.Add(entry.attributes);
    const bool shows_all = s_.itemize > 1 || (s_.itemize > 0 && s_.verbose > 1);
    if (!changes.any() && !shows_all) {
      if (s_.verbose > 1 && s_.itemize == 0 && !entry.is_directory()) session_.Say(Shown(entry.name) + " is uptodate");
      return;
    }
    const std::string name = Shown(entry.name) + (entry.is_directory() ? "/" : "");
    const std::string to = entry.attributes.is_symlink() ? " -> " + Shown(entry.target) : !link_to.empty() ? " => " + Shown(link_to) : "";
    if (!s_.out_format.empty()) {
      session_.Say(Formatted(entry, changes, name, to));
    } else if (s_.itemize > 0) {
      session_.Say(ItemText(entry, changes) + " " + name + to);
    } else if (s_.verbose > 0 || s_.progress) {
      session_.Say(name + to);
    }
  }
  // Control characters are shown as \#ooo.
  std::string Shown(const std::string& name) const {
    std::string out;
    for (const char c : name) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte >= 32 && byte != 127) || c == '\t') {
        out += c;
        continue;
      }
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\#%03o", byte);
      out += buffer;
    }
    return out;
  }
  std::string Formatted(const Entry& entry, const Changes& changes, const std::string& name, const std::string& to) {
    std::string out;
    for (size_t i = 0; i < s_.out_format.size(); ++i) {
      if (s_.out_format[i] != '%' || i + 1 >= s_.out_format.size()) {
        out += s_.out_format[i];
        continue;
      }
      const TimePoint moment = ToTimePoint(entry.attributes.modify_time), now = Now(in_.clock);
      switch (s_.out_format[++i]) {
        case 'i': out += ItemText(entry, changes); break;
        case 'n': out += name; break;
        case 'L': out += to; break;
        case 'l': out += std::to_string(entry.attributes.size); break;
        case 'f': out += Shown(entry.source.ends_with('/') ? entry.source + "." : entry.source); break;
        case 'o': out += "send"; break;
        case 'B': out += ModeText(entry.attributes).substr(1); break;
        case 'M': out += FormatTime("%Y/%m/%d-%H:%M:%S", zone_.ToLocal(moment.seconds), moment, in_.budget); break;
        case 't': out += FormatTime("%Y/%m/%d %H:%M:%S", zone_.ToLocal(now.seconds), now, in_.budget); break;
        case 'p': out += "0"; break;
        case 'U': out += std::to_string(entry.attributes.uid); break;
        case 'G': out += std::to_string(entry.attributes.gid); break;
        case '%': out += '%'; break;
        default: out += s_.out_format.substr(i - 1, 2);
      }
    }
    return out;
  }
  void Progress(uint64_t size) {
    if (!s_.progress || s_.quiet) return;
    std::string text = NumberText(size, s_.human);
    if (text.size() < 15) text.insert(0, 15 - text.size(), ' ');
    in_.out.Write("\r" + text + " 100%    0.00kB/s    0:00:00 (xfr#" + std::to_string(transferred_) + ", to-chk=" + std::to_string(left_) + "/" + std::to_string(session_.entries.size()) + ")\n");
  }
  void Fail(std::string_view role, std::string_view what, const std::string& path, const Error& error) {
    session_.Complain(role, what, session_.Absolute(path), error);
    session_.has_failed = true;
  }

  // --- Deleting ---

  void DeleteExtra() {
    if (session_.has_read_error && !s_.ignore_errors) {
      in_.out.Flush();
      in_.err.WriteLine("IO error encountered -- skipping file deletion");
      return;
    }
    if (!single_path_.empty()) return;
    std::set<std::string> names;
    for (const Entry& entry : session_.entries) {
      in_.budget.Step();
      in_.budget.WillAllocate(entry.name.size() + 64);
      names.insert(entry.name);
    }
    for (const Entry& entry : session_.entries) {
      if (!entry.is_directory() || !entry.has_contents) continue;
      const std::string prefix = entry.name == "." ? "" : entry.name + "/";
      const std::string path = PathOf(entry);
      const auto here = in_.fs.Stat(path, vfs::Follow::kNo);
      if (!here || (!here->is_directory() && entry.name != ".")) continue;
      for (const auto& extra : SortedBackwards(path, prefix)) {
        if (names.count(extra.name) != 0) continue;
        if (!s_.backup_dir.empty() && IsBackupPlace(extra.name)) continue;
        DeleteTree(extra, true);
      }
    }
  }
  bool IsBackupPlace(const std::string& name) const {
    const std::string place = vfs::NormalizePath(s_.backup_dir);
    return place == name || place.starts_with(name + "/");
  }
  std::vector<Entry> SortedBackwards(const std::string& path, const std::string& prefix) {
    std::vector<Entry> out;
    const auto list = in_.fs.List(path);
    if (!list) return out;
    for (const vfs::DirectoryEntry& item : *list) {
      in_.budget.Step();
      Entry entry;
      entry.name = prefix + item.name;
      entry.attributes.type = item.type;
      out.push_back(std::move(entry));
    }
    std::sort(out.begin(), out.end(), [](const Entry& a, const Entry& b) { return IsBefore(b, a); });
    return out;
  }
  bool IsProtected(const Entry& extra) const {
    if (session_.filter.IsExcluded(extra.name, extra.is_directory(), Filter::Side::kReceiver)) return true;
    return s_.backup && s_.backup_dir.empty() && !extra.is_directory() && extra.name.ends_with(s_.suffix);
  }
  // False when something in it stays.
  bool DeleteTree(const Entry& extra, bool says, bool names_itself = true) {
    in_.budget.CheckStack();
    if (IsProtected(extra)) return false;
    const std::string path = vfs::JoinPath(root_, extra.name);
    if (extra.is_directory()) {
      bool is_empty = true;
      for (const Entry& below : SortedBackwards(path, extra.name + "/")) is_empty = DeleteTree(below, says) && is_empty;
      if (!is_empty) {
        if (says) session_.Say("cannot delete non-empty directory: " + extra.name);
        return false;
      }
    }
    if (s_.max_delete && static_cast<int64_t>(deleted_.files + deleted_.directories + deleted_.links + deleted_.specials) >= *s_.max_delete) {
      session_.limit_reached = true;
      ++kept_by_limit_;
      return false;
    }
    if (says && names_itself && (s_.itemize > 0 || s_.verbose > 0 || !s_.out_format.empty())) {
      const std::string name = Shown(extra.name) + (extra.is_directory() ? "/" : "");
      session_.Say((s_.itemize > 0 || s_.out_format.find("%i") != std::string::npos ? "*deleting   " : "deleting ") + name);
    }
    deleted_.Add(extra.attributes);
    if (s_.dry_run) return true;
    if (!extra.is_directory() && s_.backup) {
      if (Backup(extra.name, path)) return true;
    }
    const Status gone = extra.is_directory() ? in_.fs.RemoveDirectory(path) : in_.fs.RemoveFile(path);
    if (!gone) Fail("generator", extra.is_directory() ? "delete_file: rmdir" : "delete_file: unlink", path, gone.error());
    return gone.has_value();
  }

  // Moves what is at `path` to its backup. False when that is not possible.
  bool Backup(const std::string& name, const std::string& path) {
    std::string to = path + s_.suffix;
    if (!s_.backup_dir.empty()) {
      to = vfs::JoinPath(vfs::JoinPath(root_, s_.backup_dir), name + s_.suffix);
      if (const Status made = vfs::MakeDirectories(in_.fs, vfs::DirectoryName(to)); !made) {
        Fail("receiver", "mkdir", vfs::DirectoryName(to), made.error());
        return false;
      }
    }
    if (const Status moved = in_.fs.Rename(path, to); !moved) {
      Fail("receiver", "rename", path, moved.error());
      return false;
    }
    if (s_.verbose > 1) session_.Say("backed up " + name + " to " + (s_.backup_dir.empty() ? name + s_.suffix : vfs::JoinPath(s_.backup_dir, name + s_.suffix)));
    return true;
  }

  // --- One entry ---

  uint32_t WantedMode(const Entry& entry, const vfs::Attributes* there) const {
    uint32_t mode = session_.modes.Apply(entry.attributes.mode, entry.is_directory());
    if (s_.perms) return mode;
    if (there == nullptr) return mode & 0777 & ~in_.fs.umask();
    if (s_.executability && entry.attributes.is_file()) {
      if ((mode & 0111) == 0) return there->mode & ~0111u;
      if ((there->mode & 0111) == 0) return there->mode | ((there->mode & 0444) >> 2);
    }
    return there->mode;
  }
  bool KeepsTime(const Entry& entry) const {
    return s_.times && !(entry.is_directory() && s_.omit_dir_times) && !(entry.attributes.is_symlink() && s_.omit_link_times);
  }
  bool HasSameTime(const vfs::Attributes& a, const vfs::Attributes& b) const {
    const int64_t x = a.modify_time.count(), y = b.modify_time.count();
    const auto floor = [](int64_t t) { return t / kSecond - (t % kSecond < 0 ? 1 : 0); };
    const int64_t difference = floor(x) - floor(y);
    return s_.modify_window < 0 ? x == y : std::abs(difference) <= s_.modify_window;
  }
  Changes Compare(const Entry& entry, const vfs::Attributes& there) const {
    Changes changes;
    changes.time = KeepsTime(entry) && !HasSameTime(entry.attributes, there);
    changes.mode = !entry.attributes.is_symlink() && WantedMode(entry, &there) != there.mode;
    changes.owner = s_.owner && in_.fs.credentials().uid == 0 && entry.attributes.uid != there.uid;
    changes.group = s_.group && MaySetGroup(entry) && entry.attributes.gid != there.gid;
    return changes;
  }
  bool MaySetGroup(const Entry& entry) const { return in_.fs.credentials().uid == 0 || entry.attributes.gid == in_.fs.credentials().gid; }
  // Gives the file at `path` what the settings keep. Times of directories come at the end.
  void Adjust(const Entry& entry, const std::string& path, bool is_new, uint32_t mode) {
    const bool may_own = in_.fs.credentials().uid == 0;
    std::optional<uint32_t> uid, gid;
    if (s_.owner && may_own) uid = entry.attributes.uid;
    if (s_.group && MaySetGroup(entry)) gid = entry.attributes.gid;
    const auto now = in_.fs.Stat(path, vfs::Follow::kNo);
    if (!now) return;
    if ((uid && *uid != now->uid) || (gid && *gid != now->gid)) {
      if (const Status set = in_.fs.SetOwner(path, uid, gid, vfs::Follow::kNo); !set) Fail("receiver", "chown", path, set.error());
    }
    if (!entry.attributes.is_symlink() && (is_new || now->mode != mode) && !entry.is_directory()) {
      if (const Status set = in_.fs.SetMode(path, mode); !set) Fail("receiver", "failed to set permissions on", path, set.error());
    }
    if (entry.is_directory() || !KeepsTime(entry) || (!is_new && HasSameTime(entry.attributes, *now))) return;
    std::optional<Nanoseconds> access;
    if (s_.atimes) access = entry.attributes.access_time;
    if (const Status set = in_.fs.SetTimes(path, access, entry.attributes.modify_time, vfs::Follow::kNo); !set) Fail("receiver", "failed to set times on", path, set.error());
  }

  bool IsBelowSkipped(const Entry& entry) const { return !skipped_.empty() && entry.name.starts_with(skipped_ + "/"); }
  void One(const Entry& entry) {
    if (IsBelowSkipped(entry) || is_further_name_.count(&entry) != 0) return;
    const std::string path = PathOf(entry);
    std::optional<vfs::Attributes> there;
    if (!root_is_missing_) {
      if (const auto found = in_.fs.Stat(path, entry.name == "." ? vfs::Follow::kYes : vfs::Follow::kNo)) there = *found;
    }
    const bool is_new_root = entry.name == "." && root_is_new_;
    if (!there && s_.existing) {
      if (s_.verbose > 1) session_.Say(std::string("not creating new ") + (entry.is_directory() ? "directory" : "file") + " \"" + entry.name + "\"");
      if (entry.is_directory()) skipped_ = entry.name;
      return;
    }
    if (there && !is_new_root && s_.ignore_existing && !entry.is_directory()) {
      if (s_.verbose > 1) session_.Say(entry.name + " exists");
      return;
    }
    if (entry.attributes.is_file()) {
      if ((s_.max_size && entry.attributes.size > *s_.max_size) || (s_.min_size && entry.attributes.size < *s_.min_size)) {
        if (s_.verbose > 1) session_.Say(entry.name + (s_.max_size && entry.attributes.size > *s_.max_size ? " is over max-size" : " is under min-size"));
        return;
      }
      total_size_ += entry.attributes.size;
    }
    if (entry.attributes.is_symlink()) total_size_ += entry.target.size();
    if (there && there->type != entry.attributes.type && !MakeRoom(entry, path, *there)) return;
    if (there && there->type != entry.attributes.type) there.reset();
    if (s_.relative && !s_.implied_dirs && !there && !s_.dry_run) static_cast<void>(vfs::MakeDirectories(in_.fs, vfs::DirectoryName(path)));
    if (entry.is_directory()) {
      Directory(entry, path, there ? &*there : nullptr, is_new_root);
      return;
    }
    bool is_done = false;
    if (entry.attributes.is_symlink()) {
      is_done = Symlink(entry, path, there ? &*there : nullptr);
    } else if (entry.attributes.is_file()) {
      is_done = File(entry, path, there ? &*there : nullptr);
    } else {
      is_done = Special(entry, path, there ? &*there : nullptr);
    }
    if (is_done && s_.remove_source && !s_.dry_run) {
      if (const Status gone = in_.fs.RemoveFile(entry.source); !gone) Fail("sender", "sender failed to remove", entry.source, gone.error());
    }
  }
  // Takes away what is there of another kind.
  bool MakeRoom(const Entry& entry, const std::string& path, const vfs::Attributes& there) {
    if (there.is_directory()) {
      Entry extra;
      extra.name = entry.name;
      extra.attributes = there;
      const auto list = in_.fs.List(path);
      if (list && !list->empty() && !s_.force && !s_.deletes) {
        session_.Say("cannot delete non-empty directory: " + entry.name);
        in_.out.Flush();
        in_.err.WriteLine("could not make way for new " + std::string(entry.attributes.is_symlink() ? "symlink" : "regular file") + ": " + entry.name);
        session_.has_failed = true;
        return false;
      }
      return DeleteTree(extra, true, false);
    }
    if (s_.dry_run) return true;
    if (s_.backup && Backup(entry.name, path)) return true;
    const Status gone = in_.fs.RemoveFile(path);
    if (!gone) Fail("generator", "delete_file: unlink", path, gone.error());
    return gone.has_value();
  }

  void Directory(const Entry& entry, const std::string& path, const vfs::Attributes* there, bool is_new_root) {
    Changes changes;
    if (there == nullptr || is_new_root) {
      changes.is_new = changes.is_local = true;
      if (const auto alternative = FindAlternative(entry); alternative && s_.alternative != Settings::Alternative::kNone) changes = Compare(entry, alternative->second);
      if (there == nullptr && !s_.dry_run) {
        if (const Status made = in_.fs.MakeDirectory(path, 0777); !made) {
          Fail("generator", "recv_generator: mkdir", path, made.error());
          session_.Say("*** Skipping any contents from this failed directory ***");
          skipped_ = entry.name;
          return;
        }
      }
    } else {
      changes = Compare(entry, *there);
    }
    directories_.push_back({&entry, path, WantedMode(entry, there == nullptr || is_new_root ? nullptr : there)});
    if (!s_.dry_run) {
      Adjust(entry, path, there == nullptr, 0);
      // Writable for the time being.
      if (const auto now = in_.fs.Stat(path); now && (now->mode & 0700) != 0700) static_cast<void>(in_.fs.SetMode(path, now->mode | 0700));
    }
    Report(entry, changes);
  }
  void FinishDirectories() {
    if (s_.dry_run) return;
    for (auto made = directories_.rbegin(); made != directories_.rend(); ++made) {
      in_.budget.Step();
      const auto now = in_.fs.Stat(made->path);
      if (!now) continue;
      if (now->mode != made->mode) {
        if (const Status set = in_.fs.SetMode(made->path, made->mode); !set) Fail("generator", "failed to set permissions on", made->path, set.error());
      }
      if (!KeepsTime(*made->entry)) continue;
      if (const Status set = in_.fs.SetTimes(made->path, std::nullopt, made->entry->attributes.modify_time); !set) Fail("generator", "failed to set times on", made->path, set.error());
    }
  }

  bool Symlink(const Entry& entry, const std::string& path, const vfs::Attributes* there) {
    Changes changes;
    if (there != nullptr) {
      changes = Compare(entry, *there);
      const auto old = in_.fs.ReadLink(path);
      if (old && *old == entry.target) {
        if (!s_.dry_run) Adjust(entry, path, false, 0);
        Report(entry, changes);
        return true;
      }
      changes.content = true;
      if (!KeepsTime(entry)) changes.transfer_time = true;
    } else {
      changes.is_new = true;
    }
    changes.is_local = true;
    if (!s_.dry_run) {
      if (there != nullptr && !(s_.backup && Backup(entry.name, path))) static_cast<void>(in_.fs.RemoveFile(path));
      if (const Status made = in_.fs.MakeSymlink(entry.target, path); !made) {
        session_.Complain("generator", "symlink", session_.Absolute(path) + "\" -> \"" + entry.target, made.error());
        session_.has_failed = true;
        return false;
      }
      Adjust(entry, path, true, 0);
    }
    Report(entry, changes);
    return true;
  }
  bool Special(const Entry& entry, const std::string& path, const vfs::Attributes* there) {
    Changes changes;
    if (there != nullptr && there->special == entry.attributes.special) {
      changes = Compare(entry, *there);
      if (!s_.dry_run) Adjust(entry, path, false, WantedMode(entry, there));
    } else {
      changes.is_new = changes.is_local = true;
      if (!s_.dry_run) {
        if (there != nullptr) static_cast<void>(in_.fs.RemoveFile(path));
        if (const Status made = in_.fs.MakeNode(path, entry.attributes.type, entry.attributes.mode, entry.attributes.special); !made) {
          Fail("generator", "mknod", path, made.error());
          return false;
        }
        Adjust(entry, path, true, WantedMode(entry, nullptr));
      }
    }
    Report(entry, changes);
    return true;
  }
  // A further name of a file that was sent.
  void HardLink(const Entry& entry, const Entry& leader) {
    if (IsBelowSkipped(entry)) return;
    const std::string path = PathOf(entry), first = PathOf(leader);
    const auto there = in_.fs.Stat(path, vfs::Follow::kNo), made = in_.fs.Stat(first, vfs::Follow::kNo);
    if (!there && s_.existing) return;
    if (there && s_.ignore_existing) return;
    if (entry.attributes.is_file()) total_size_ += entry.attributes.size;
    Changes changes;
    if (there && made && IsSameFile(*there, *made)) {
      Report(entry, changes);
      return;
    }
    changes.is_linked = true;
    changes.is_new = !there.has_value();
    if (!s_.dry_run) {
      if (there && !MakeRoom(entry, path, *there)) return;
      if (const Status linked = in_.fs.MakeLink(first, path); !linked) {
        Fail("generator", "link", path, linked.error());
        return;
      }
    }
    Report(entry, changes, leader.name);
    if (s_.remove_source && !s_.dry_run) static_cast<void>(in_.fs.RemoveFile(entry.source));
  }

  bool HasSameContent(const std::string& a, const std::string& b) {
    auto x = in_.fs.Open(a, vfs::OpenFlags::Read()), y = in_.fs.Open(b, vfs::OpenFlags::Read());
    if (!x || !y) return false;
    Input one(**x, in_.budget), two(**y, in_.budget);
    while (true) {
      const std::string_view p = one.Peek(), q = two.Peek();
      const size_t size = std::min(p.size(), q.size());
      if (size == 0) return p.empty() && q.empty() && one.status() && two.status();
      if (p.substr(0, size) != q.substr(0, size)) return false;
      one.Consume(size);
      two.Consume(size);
    }
  }
  // Whether the quick check takes them for the same.
  bool IsSame(const Entry& entry, const std::string& path, const vfs::Attributes& there) {
    if (entry.attributes.size != there.size) return false;
    if (s_.checksum) return HasSameContent(entry.source, path);
    if (s_.size_only) return true;
    return !s_.ignore_times && HasSameTime(entry.attributes, there);
  }
  // The same file in a directory of --link-dest and the like; `other` gets one that is there but different.
  std::optional<std::pair<std::string, vfs::Attributes>> FindAlternative(const Entry& entry, std::optional<vfs::Attributes>* other = nullptr) {
    for (const std::string& directory : s_.alternatives) {
      const std::string base = vfs::JoinPath(root_, directory);
      const std::string path = entry.name == "." ? base : vfs::JoinPath(base, entry.name);
      const auto found = in_.fs.Stat(path, vfs::Follow::kNo);
      if (!found || found->type != entry.attributes.type) continue;
      if (entry.is_directory() || IsSame(entry, path, *found)) return std::pair(path, *found);
      if (other != nullptr && !*other) *other = *found;
    }
    return std::nullopt;
  }

  bool File(const Entry& entry, const std::string& path, const vfs::Attributes* there) {
    if (there != nullptr && s_.update && there->modify_time.count() / kSecond > entry.attributes.modify_time.count() / kSecond) {
      if (s_.verbose > 1) session_.Say(entry.name + " is newer");
      return false;
    }
    Changes changes;
    std::optional<vfs::Attributes> other;
    if (there != nullptr) {
      changes = Compare(entry, *there);
      changes.size = entry.attributes.size != there->size;
      if (IsSame(entry, path, *there)) {
        if (!s_.dry_run) Adjust(entry, path, false, WantedMode(entry, there));
        Report(entry, changes);
        return true;
      }
      if (s_.checksum) changes.content = true;
      if (!s_.times) changes.transfer_time = true;
    } else if (!s_.alternatives.empty()) {
      if (const auto same = FindAlternative(entry, &other)) return FromAlternative(entry, path, same->first, same->second);
    }
    if (other) {
      changes = Compare(entry, *other);
      changes.size = entry.attributes.size != other->size;
    }
    changes.is_new = there == nullptr && !other;
    changes.is_transferred = true;
    if (s_.dry_run) {
      ++transferred_;
      transferred_bytes_ += entry.attributes.size;
      Report(entry, changes);
      return true;
    }
    auto from = in_.fs.Open(entry.source, vfs::OpenFlags::Read());
    if (!from) {
      Fail("sender", "send_files failed to open", entry.source, from.error());
      return false;
    }
    Report(entry, changes);
    if (!Copy(entry, **from, path, there)) return false;
    ++transferred_;
    transferred_bytes_ += entry.attributes.size;
    Progress(entry.attributes.size);
    return true;
  }
  bool FromAlternative(const Entry& entry, const std::string& path, const std::string& other, const vfs::Attributes& found) {
    Changes changes = Compare(entry, found);
    if (s_.alternative == Settings::Alternative::kCompare && !changes.any()) return true;
    if (!s_.dry_run) {
      if (s_.alternative == Settings::Alternative::kLink && !changes.any()) {
        if (const Status linked = in_.fs.MakeLink(other, path); !linked) {
          Fail("generator", "link", path, linked.error());
          return false;
        }
      } else {
        auto from = in_.fs.Open(other, vfs::OpenFlags::Read());
        if (!from || !Copy(entry, **from, path, nullptr)) return false;
        changes.is_local = true;
      }
    }
    Report(entry, changes);
    return true;
  }

  bool Copy(const Entry& entry, vfs::OpenFile& from, const std::string& path, const vfs::Attributes* there) {
    const uint32_t mode = WantedMode(entry, there);
    const std::string directory = s_.temp_dir.empty() ? vfs::DirectoryName(path) : vfs::JoinPath(root_, s_.temp_dir);
    const std::string temporary = s_.inplace ? path : vfs::JoinPath(directory, "." + vfs::BaseName(path) + ".rsync-" + std::to_string(++temporaries_));
    if (("/" + s_.temp_dir + "/").find("/../") != std::string::npos) {
      Fail("receiver", "mkstemp", vfs::JoinPath(s_.temp_dir, vfs::BaseName(path) + ".XXXXXX"), Code::kInvalid);
      return false;
    }
    auto to = in_.fs.Open(temporary, {.write = true, .create = true, .exclusive = !s_.inplace, .truncate = true, .no_follow = true}, 0600);
    if (!to) {
      Fail("receiver", s_.inplace ? "open" : "mkstemp", temporary, to.error());
      return false;
    }
    Input input(from, in_.budget);
    Status written;
    while (written) {
      const std::string_view bytes = input.Peek();
      if (bytes.empty()) break;
      written = (*to)->Write(bytes);
      in_.budget.Step(static_cast<int64_t>(bytes.size() / 32));
      input.Consume(bytes.size());
    }
    if (written) written = input.status();
    to->reset();
    if (!written) {
      Fail("receiver", "write failed on", path, written.error());
      if (s_.partial && !s_.inplace) static_cast<void>(in_.fs.Rename(temporary, path));
      else if (!s_.inplace) static_cast<void>(in_.fs.RemoveFile(temporary));
      return false;
    }
    if (!s_.inplace) {
      if (there != nullptr && s_.backup) static_cast<void>(Backup(entry.name, path));
      Adjust(entry, temporary, true, mode);
      if (const Status moved = in_.fs.Rename(temporary, path); !moved) {
        Fail("receiver", "rename", temporary, moved.error());
        static_cast<void>(in_.fs.RemoveFile(temporary));
        return false;
      }
      return true;
    }
    Adjust(entry, path, true, mode);
    return true;
  }

  // --- The end ---

  void Totals() {
    // What would go through the pipe between the two halves of the real program: names, attributes, contents.
    uint64_t sent = 40, received = 20 + 19 * transferred_ + deleted_.files * 10;
    for (const Entry& entry : session_.entries) sent += vfs::BaseName(entry.name).size() + entry.target.size() + 14;
    if (!s_.dry_run) sent += transferred_bytes_ + 26 * transferred_;
    if (s_.stats || s_.verbose > 1) Stats(sent, received);
    if (s_.verbose == 0 && !s_.stats) return;
    session_.Say("");
    char rate[64], speedup[64];
    const auto both = static_cast<double>(sent + received);
    std::string per_second = NumberText(static_cast<uint64_t>(both * 2), s_.human);
    std::snprintf(rate, sizeof rate, "%s%s bytes/sec", per_second.c_str(), s_.human == 1 || per_second == std::to_string((sent + received) * 2) ? ".00" : "");
    std::snprintf(speedup, sizeof speedup, "%.2f", static_cast<double>(total_size_) / both);
    session_.Say("sent " + NumberText(sent, s_.human) + " bytes  received " + NumberText(received, s_.human) + " bytes  " + rate);
    session_.Say("total size is " + NumberText(total_size_, s_.human) + "  speedup is " + speedup + (s_.dry_run ? " (DRY RUN)" : ""));
  }
  void Stats(uint64_t sent, uint64_t received) {
    if (!s_.stats) return;
    Counts all;
    for (const Entry& entry : session_.entries) all.Add(entry.attributes);
    const auto number = [&](uint64_t n) { return NumberText(n, s_.human); };
    session_.Say("");
    session_.Say("Number of files: " + all.Text(s_.human));
    session_.Say("Number of created files: " + created_.Text(s_.human));
    session_.Say("Number of deleted files: " + deleted_.Text(s_.human));
    session_.Say("Number of regular files transferred: " + number(transferred_));
    session_.Say("Total file size: " + number(total_size_) + " bytes");
    session_.Say("Total transferred file size: " + number(transferred_bytes_) + " bytes");
    session_.Say("Literal data: " + number(s_.dry_run ? 0 : transferred_bytes_) + " bytes");
    session_.Say("Matched data: 0 bytes");
    session_.Say("File list size: 0");
    session_.Say("File list generation time: 0.001 seconds");
    session_.Say("File list transfer time: 0.000 seconds");
    session_.Say("Total bytes sent: " + number(sent));
    session_.Say("Total bytes received: " + number(received));
  }
  ExitStatus Finish() {
    Totals();
    in_.out.Flush();
    if (session_.limit_reached) {
      in_.err.WriteLine("Deletions stopped due to --max-delete limit (" + std::to_string(kept_by_limit_) + " skipped)");
    }
    if (session_.has_failed) {
      in_.err.WriteLine("rsync error: some files/attrs were not transferred (see previous errors) (code 23) at main.c(1394) [sender=3.5.0]");
      return 23;
    }
    if (session_.limit_reached) {
      in_.err.WriteLine("rsync error: the --max-delete limit stopped deletions (code 25) at main.c(1394) [sender=3.5.0]");
      return 25;
    }
    return 0;
  }

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
  std::vector<MadeDirectory> directories_;
  std::vector<std::pair<const Entry*, const Entry*>> further_names_;   // and the entry that is sent
  std::set<const Entry*> is_further_name_;
  Counts created_, deleted_;
  uint64_t transferred_ = 0, transferred_bytes_ = 0, total_size_ = 0, left_ = 0, temporaries_ = 0, kept_by_limit_ = 0;
};

}  // namespace

ExitStatus Transfer(Session& session, const std::string& destination) { return Receiver(session).Run(destination); }

}  // namespace paddock::rsync
