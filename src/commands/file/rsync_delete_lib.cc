// What rsync deletes at the destination, and what it keeps as a backup.
#include <algorithm>

#include "commands/file/rsync_receiver.h"

namespace paddock::rsync {

void Receiver::DeleteExtra() {
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
      if (s_.delete_when == Settings::When::kDuring) times_before_.try_emplace(entry.name, here->modify_time);
      DeleteTree(extra, true);
    }
  }
}

void Receiver::DeleteMissing() {
  if (!single_path_.empty() && session_.missing.empty()) return;
  for (const std::string& name : session_.missing) {
    in_.budget.Step();
    const auto there = in_.fs.Stat(vfs::JoinPath(root_, name), vfs::Follow::kNo);
    if (!there) continue;
    Entry extra;
    extra.name = name;
    extra.attributes = *there;
    DeleteTree(extra, true);
  }
}

bool Receiver::IsBackupPlace(const std::string& name) const {
  const std::string place = vfs::NormalizePath(s_.backup_dir);
  return place == name || place.starts_with(name + "/");
}

std::vector<Entry> Receiver::SortedBackwards(const std::string& path, const std::string& prefix) {
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

bool Receiver::IsProtected(const Entry& extra) const {
  if (session_.filter.IsExcluded(extra.name, extra.is_directory(), Filter::Side::kReceiver)) return true;
  return s_.backup && s_.backup_dir.empty() && !extra.is_directory() && extra.name.ends_with(s_.suffix);
}

bool Receiver::DeleteTree(const Entry& extra, bool says, bool names_itself) {
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
  if (says && names_itself && (s_.itemize > 0 || s_.InfoLevel("DEL") > 0 || s_.InfoLevel("NAME") > 0 || !s_.out_format.empty())) {
    const std::string name = Shown(extra.name) + (extra.is_directory() ? "/" : "");
    session_.Say((s_.itemize > 0 || s_.out_format.find("%i") != std::string::npos ? "*deleting   " : "deleting ") + name);
  }
  if (says && names_itself) session_.Log((s_.log_format.empty() || s_.log_format.find("%i") != std::string::npos ? "*deleting   " : "deleting ") + Shown(extra.name) + (extra.is_directory() ? "/" : ""));
  deleted_.Add(extra.attributes);
  if (s_.dry_run) return true;
  if (!extra.is_directory() && s_.backup) {
    if (Backup(extra.name, path)) return true;
  }
  const Status gone = extra.is_directory() ? in_.fs.RemoveDirectory(path) : in_.fs.RemoveFile(path);
  if (!gone) Fail("generator", extra.is_directory() ? "delete_file: rmdir" : "delete_file: unlink", path, gone.error());
  return gone.has_value();
}

bool Receiver::Backup(const std::string& name, const std::string& path) {
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
  if (s_.InfoLevel("BACKUP") > 0) session_.Say("backed up " + name + " to " + (s_.backup_dir.empty() ? name + s_.suffix : vfs::JoinPath(s_.backup_dir, name + s_.suffix)));
  return true;
}

}  // namespace paddock::rsync
