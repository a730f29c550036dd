// What rsync does at the destination, in which order.
#include <algorithm>

#include "commands/file/rsync_receiver.h"

namespace paddock::rsync {
namespace {

const Entry kNothing;

}  // namespace

ExitStatus Receiver::Run(const std::string& destination) {
  if (s_.InfoLevel("FLIST") > 0 && (s_.recursive || s_.dirs || s_.relative)) {
    const bool is_whole = !s_.recursive || s_.prune_empty || (s_.deletes && (s_.delete_when == Settings::When::kBefore || s_.delete_when == Settings::When::kAfter));
    session_.Say(is_whole ? "building file list ... done" : "sending incremental file list");
  }
  if (session_.entries.empty() && session_.missing.empty()) return Finish();
  if (const auto failed = FindRoot(destination)) return *failed;
  DeleteMissing();
  if (s_.deletes && s_.delete_when != Settings::When::kAfter && s_.delete_when != Settings::When::kDelay) DeleteExtra();
  GroupLinks();
  for (size_t i = 0; i < session_.entries.size(); ++i) {
    in_.budget.Step();
    left_ = session_.entries.size() - i - 1;
    if (s_.stops_at && in_.clock.MonotonicNow() >= *s_.stops_at) return Stop();
    One(session_.entries[i]);
  }
  for (const auto& [entry, leader] : further_names_) HardLink(*entry, *leader);
  PutDelayed();
  if (s_.deletes && (s_.delete_when == Settings::When::kAfter || s_.delete_when == Settings::When::kDelay)) DeleteExtra();
  FinishDirectories();
  return Finish();
}

ExitStatus Receiver::Stop() {
  PutDelayed();
  FinishDirectories();
  return Refuse("stopping at requested limit", "timeout in data send/receive", 30, "io.c(1038) [sender=3.5.0]");
}

ExitStatus Receiver::Refuse(const std::string& message, const std::string& kind, int code, const std::string& where) {
  in_.out.Flush();
  in_.err.WriteLine(message);
  in_.err.WriteLine("rsync error: " + kind + " (code " + std::to_string(code) + ") at " + where);
  return code;
}

std::optional<ExitStatus> Receiver::FindRoot(const std::string& destination) {
  const auto found = in_.fs.Stat(destination);
  const bool is_single = session_.entries.size() == 1;
  const Entry& first = session_.entries.empty() ? kNothing : session_.entries[0];
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

ExitStatus Receiver::CannotMake(const std::string& destination, const Error& error) {
  std::string path = session_.Absolute(destination);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return Refuse("rsync: [Receiver] mkdir \"" + path + "\" failed: " + std::string(error.Text()) + " (" + std::to_string(static_cast<int>(error.code)) + ")", "error in file IO", 11,
               "main.c(808) [Receiver=3.5.0]");
}

std::optional<ExitStatus> Receiver::MakeRoot(const std::string& destination) {
  root_ = destination;
  while (root_.size() > 1 && root_.ends_with('/')) root_.pop_back();
  if (s_.dry_run) {
    root_is_missing_ = true;
  } else {
    const Status made = s_.makes_path ? vfs::MakeDirectories(in_.fs, root_) : in_.fs.MakeDirectory(root_);
    if (!made) return CannotMake(destination, made.error());
  }
  root_is_new_ = true;
  if (s_.InfoLevel("NAME") > 0 || s_.itemize > 0 || !s_.out_format.empty()) {
    session_.Say("created directory " + root_);
    session_.Log("created directory " + root_);
  }
  return std::nullopt;
}

std::string Receiver::PathOf(const Entry& entry) const {
  if (!single_path_.empty()) return single_path_;
  return entry.name == "." ? root_ : vfs::JoinPath(root_, entry.name);
}

void Receiver::Fail(std::string_view role, std::string_view what, const std::string& path, const Error& error) {
  session_.Complain(role, what, session_.Absolute(path), error);
  session_.has_failed = true;
}

bool Receiver::IsBelowSkipped(const Entry& entry) const { return !skipped_.empty() && entry.name.starts_with(skipped_ + "/"); }

void Receiver::One(const Entry& entry) {
  if (IsBelowSkipped(entry) || is_further_name_.count(&entry) != 0) return;
  const std::string path = PathOf(entry);
  std::optional<vfs::Attributes> there;
  if (!root_is_missing_) {
    if (const auto found = in_.fs.Stat(path, entry.name == "." ? vfs::Follow::kYes : vfs::Follow::kNo)) there = *found;
  }
  if (s_.keep_dirlinks && entry.is_directory() && there && there->is_symlink()) {
    if (const auto behind = in_.fs.Stat(path); behind && behind->is_directory()) there = *behind;
  }
  if (const auto before = times_before_.find(entry.name); there && before != times_before_.end()) there->modify_time = before->second;
  const bool is_new_root = entry.name == "." && root_is_new_;
  if (!there && s_.existing) {
    if (s_.InfoLevel("SKIP") > 0) session_.Say(std::string("not creating new ") + (entry.is_directory() ? "directory" : "file") + " \"" + entry.name + "\"");
    if (entry.is_directory()) skipped_ = entry.name;
    return;
  }
  if (there && !is_new_root && s_.ignore_existing && !entry.is_directory()) {
    if (s_.InfoLevel("SKIP") > 0) session_.Say(entry.name + " exists");
    return;
  }
  if (entry.attributes.is_file()) {
    if ((s_.max_size && entry.attributes.size > *s_.max_size) || (s_.min_size && entry.attributes.size < *s_.min_size)) {
      if (s_.InfoLevel("SKIP") > 0) session_.Say(entry.name + (s_.max_size && entry.attributes.size > *s_.max_size ? " is over max-size" : " is under min-size"));
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
    else if (s_.InfoLevel("REMOVE") > 0) session_.Say("sender removed " + Shown(entry.name));
  }
}

bool Receiver::MakeRoom(const Entry& entry, const std::string& path, const vfs::Attributes& there) {
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

void Receiver::Directory(const Entry& entry, const std::string& path, const vfs::Attributes* there, bool is_new_root) {
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

void Receiver::FinishDirectories() {
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

bool Receiver::Symlink(const Entry& entry, const std::string& path, const vfs::Attributes* there) {
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

bool Receiver::Special(const Entry& entry, const std::string& path, const vfs::Attributes* there) {
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

ExitStatus Transfer(Session& session, const std::string& destination) { return Receiver(session).Run(destination); }

}  // namespace paddock::rsync
