#include "commands/file/copy.h"

#include <algorithm>

#include "commands/file_facts.h"
#include "text/mode.h"
#include "text/quote.h"

namespace paddock {

using vfs::FileType;
using vfs::Follow;

namespace {

std::pair<uint64_t, uint64_t> IdentityOf(const vfs::Attributes& attributes) {
  return {attributes.device, attributes.inode};
}

}  // namespace

Copier::Copier(Invocation& in, const CopyOptions& options) : in_(in), o_(options) {}

std::string Copier::Shown(std::string_view path) const { return QuoteFile(path, in_.locale.is_utf8); }

bool Copier::Fail(const std::string& message) {
  in_.Fail(message);
  return false;
}
bool Copier::Fail(const std::string& message, const Error& error) {
  in_.Fail(message, error);
  return false;
}

// True when both paths name the same entry of the same directory.
bool Copier::IsSameName(const std::string& a, const std::string& b) {
  if (vfs::BaseName(a) != vfs::BaseName(b)) return false;
  const auto first = in_.fs.Stat(vfs::DirectoryName(a));
  const auto second = in_.fs.Stat(vfs::DirectoryName(b));
  return first && second && IsSameFile(*first, *second);
}

void Copier::Announce(const Item& item) {
  if (!o_.verbose) return;
  std::string line = Shown(item.source) + " -> " + Shown(item.target);
  if (!item.backup_name.empty()) line += " (backup: " + Shown(item.backup_name) + ")";
  in_.out.WriteLine(line);
}

bool Copier::CopyOperand(const std::string& source, const std::string& target) {
  top_source_ = source;
  top_target_ = target;
  source_is_left_ = copies_into_self_ = false;
  ancestors_.clear();
  return CopyOne(source, target, true);
}

bool Copier::CopyOne(const std::string& source, const std::string& target, bool is_operand) {
  in_.budget.Step();
  in_.budget.CheckStack();
  const bool follows = !o_.moves && (o_.dereference == Dereference::kAlways ||
                                     (o_.dereference == Dereference::kOperands && is_operand));
  const auto found = in_.fs.Stat(source, follows ? Follow::kYes : Follow::kNo);
  if (!found) return Fail("cannot stat " + Shown(source), found.error());
  Item item{source, target, is_operand, *found, std::nullopt, {}};
  if (item.attributes.is_directory() && !o_.recursive && !o_.moves) {
    return Fail("-r not specified; omitting directory " + Shown(source));
  }
  if (is_operand && !item.attributes.is_directory() && !o_.moves && !o_.backup.is_on()) {
    const auto [earlier, is_first] = operands_.emplace(IdentityOf(item.attributes), source);
    if (!is_first && IsSameName(earlier->second, source)) {
      in_.Fail("warning: source file " + Shown(source) + " specified more than once");
      return true;
    }
  }
  if (is_operand && !o_.moves && !o_.backup.is_on()) {
    const auto link = in_.fs.Stat(target, Follow::kNo);
    if (link && link->is_symlink() && made_.contains(IdentityOf(*link))) {
      return Fail("will not copy " + Shown(source) + " through just-created symlink " + Shown(target));
    }
  }
  if (is_operand) device_ = item.attributes.device;
  for (const auto step : {&Copier::LookAtTarget, &Copier::AnnounceCopy, &Copier::LinkToEarlierCopy, &Copier::Move}) {
    const Verdict verdict = (this->*step)(item);
    if (verdict != Verdict::kGoOn) return verdict == Verdict::kDone;
  }
  if (item.attributes.is_directory()) return CopyDirectory(item);
  const bool was_new = item.is_new();
  const bool ok = MakeCopy(item);
  if (!ok) {
    if (!item.backup_name.empty()) (void)in_.fs.Rename(item.backup_name, target);
    return false;
  }
  if (is_operand) {
    if (const auto made = in_.fs.Stat(target, Follow::kNo)) made_.insert(IdentityOf(*made));
  }
  if (o_.makes_symlinks || o_.makes_hard_links) return true;
  return FinishAttributes(item, was_new);
}

bool Copier::MakeCopy(Item& item) {
  if (o_.makes_symlinks) return MakeSymlinkTo(item);
  if (o_.makes_hard_links) {
    const bool follows = o_.dereference == Dereference::kAlways ||
                         (o_.dereference == Dereference::kOperands && item.is_operand);
    return HardLink(item.source, item.target, follows ? Follow::kYes : Follow::kNo, false);
  }
  if (item.attributes.is_symlink()) return CopySymlink(item);
  return item.attributes.is_file() || o_.as_regular ? CopyFile(item) : CopySpecial(item);
}

Copier::Verdict Copier::AnnounceCopy(Item& item) {
  if (!o_.moves && !item.attributes.is_directory()) Announce(item);
  return Verdict::kGoOn;
}

Copier::Verdict Copier::LookAtTarget(Item& item) {
  const FileType type = item.attributes.type;
  const bool is_special = type != FileType::kFile && (!o_.as_regular || type == FileType::kDirectory || type == FileType::kSymlink);
  const bool sees_link = is_special || o_.moves || o_.makes_symlinks || o_.makes_hard_links || o_.backup.is_on() ||
                         o_.removes_target;
  auto existing = in_.fs.Stat(item.target, sees_link ? Follow::kNo : Follow::kYes);
  if (existing) {
    item.existing = std::move(*existing);
    return ReplaceTarget(item);
  }
  const Code code = existing.error().code;
  if (code != Code::kNoEntry && !(code == Code::kLoop && o_.removes_unopenable) &&
      !(code == Code::kNotDirectory && item.target.ends_with('/'))) {
    Fail("cannot stat " + Shown(item.target), existing.error());
    return Verdict::kFailed;
  }
  if (code == Code::kLoop) (void)in_.fs.RemoveFile(item.target);
  return Verdict::kGoOn;
}

Copier::Verdict Copier::ReplaceTarget(Item& item) {
  bool is_done = false;
  if (!MayReplace(item, &is_done)) {
    Fail(Shown(item.source) + " and " + Shown(item.target) + " are the same file");
    return Verdict::kFailed;
  }
  const bool is_directory = item.attributes.is_directory();
  if (o_.only_newer && !is_directory && item.existing->modify_time >= item.attributes.modify_time) {
    // It counts as copied: other names of the source become links to it.
    const bool links = o_.keeps_links && !o_.moves;
    return links && LinkToEarlierCopy(item) == Verdict::kFailed ? Verdict::kFailed : Verdict::kDone;
  }
  if (IsRefused(item)) return Verdict::kDone;
  if (is_done) return Verdict::kDone;
  if (const Verdict verdict = CheckKinds(item); verdict != Verdict::kGoOn) return verdict;
  return MakeBackup(item);
}

// True when an existing target is to be left alone: --no-clobber, or the user said so.
bool Copier::IsRefused(const Item& item) {
  if (!o_.moves && item.attributes.is_directory()) return false;
  return o_.overwrite == Overwrite::kNever || AsksAndIsDenied(item);
}

bool Copier::AsksAndIsDenied(const Item& item) {
  const bool is_writable = item.existing->is_symlink() || in_.fs.Access(item.target, 2);
  const bool asks = o_.overwrite == Overwrite::kAsk || (o_.moves && o_.overwrite == Overwrite::kDefault &&
                                                        IsTerminal(in_, 0) && !is_writable);
  if (!asks) return false;
  std::string question = "overwrite " + Shown(item.target) + "? ";
  if (!is_writable) {
    const uint32_t mode = item.existing->mode;
    std::string digits;
    for (int shift = 9; shift >= 0; shift -= 3) digits += static_cast<char>('0' + ((mode >> shift) & 7));
    const std::string letters = ModeString('-', mode).substr(1);
    question = o_.moves || o_.removes_target || o_.removes_unopenable
                   ? "replace " + Shown(item.target) + ", overriding mode " + digits + " (" + letters + ")? "
                   : "unwritable " + Shown(item.target) + " (mode " + digits + ", " + letters + "); try anyway? ";
  }
  return !Confirm(in_, question);
}

// Refuses what would put a file over a directory, a directory over a file, or lose what was just made.
Copier::Verdict Copier::CheckKinds(Item& item) {
  const bool from_directory = item.attributes.is_directory();
  const bool to_directory = item.existing->is_directory();
  const bool replaces_by_backup = o_.moves && o_.backup.is_on();
  if (!to_directory) {
    if (from_directory && !replaces_by_backup) {
      Fail("cannot overwrite non-directory " + Shown(item.target) + " with directory " + Shown(item.source));
      return Verdict::kFailed;
    }
    if (item.is_operand && o_.backup.control != BackupControl::kNumbered &&
        made_.contains(IdentityOf(*item.existing))) {
      const auto own = in_.fs.Stat(item.target, Follow::kNo);
      if (own && made_.contains(IdentityOf(*own))) {
        Fail("will not overwrite just-created " + Shown(item.target) + " with " + Shown(item.source));
        return Verdict::kFailed;
      }
    }
  } else if (!from_directory && !replaces_by_backup) {
    Fail("cannot overwrite directory " + Shown(item.target) + " with non-directory");
    return Verdict::kFailed;
  }
  if (o_.moves && from_directory && !to_directory && !o_.backup.is_on()) {
    Fail("cannot move directory onto non-directory: " + Shown(item.source) + " -> " + Shown(item.target));
    return Verdict::kFailed;
  }
  return Verdict::kGoOn;
}

// Moves an existing target away, or removes it where that is asked for.
Copier::Verdict Copier::MakeBackup(Item& item) {
  const bool to_directory = item.existing->is_directory();
  const std::string base = vfs::BaseName(item.source);
  if (o_.backup.is_on() && base != "." && base != ".." && (o_.moves || !to_directory)) {
    const std::string name = o_.backup.NameFor(in_.fs, item.target);
    if (o_.backup.control != BackupControl::kNumbered) {
      const auto at_backup = in_.fs.Stat(name, Follow::kNo);
      if (at_backup && IsSameFile(*at_backup, item.attributes)) {
        Fail("backing up " + Shown(item.target) + " might destroy source;  " + Shown(item.source) + " not " +
             (o_.moves ? "moved" : "copied"));
        return Verdict::kFailed;
      }
    }
    if (const Status moved = in_.fs.Rename(item.target, name); !moved) {
      if (moved.error().code != Code::kNoEntry) {
        Fail("cannot backup " + Shown(item.target), moved.error());
        return Verdict::kFailed;
      }
    } else {
      item.backup_name = name;
    }
    item.existing.reset();
    return Verdict::kGoOn;
  }
  if (to_directory || o_.moves) return Verdict::kGoOn;
  const bool must_go =
      o_.removes_target || (!o_.attributes_only && ((o_.keeps_links && item.existing->links > 1) ||
                                                    (o_.dereference == Dereference::kNever && !item.attributes.is_file())));
  if (!must_go) return Verdict::kGoOn;
  if (const Status removed = in_.fs.RemoveFile(item.target); !removed && removed.error().code != Code::kNoEntry) {
    Fail("cannot remove " + Shown(item.target), removed.error());
    return Verdict::kFailed;
  }
  item.existing.reset();
  if (o_.verbose) in_.out.WriteLine("removed " + Shown(item.target));
  return Verdict::kGoOn;
}

// Whether source and target are different enough to go on. `is_done` when there is nothing to do.
bool Copier::MayReplace(const Item& item, bool* is_done) {
  const bool is_same = IsSameFile(item.attributes, *item.existing);
  if (is_same && o_.makes_hard_links) {
    *is_done = true;
    return true;
  }
  const bool follows = o_.dereference != Dereference::kNever && !o_.moves;
  if (follows && !is_same) return true;
  const auto source = in_.fs.Stat(item.source, Follow::kNo);
  const auto target = in_.fs.Stat(item.target, Follow::kNo);
  if (!source || !target) return true;
  const bool same_entry_file = IsSameFile(*source, *target);
  const bool both_links = source->is_symlink() && target->is_symlink();
  if (!follows && both_links) {
    const bool same_name = IsSameName(item.source, item.target);
    if (same_name || o_.backup.is_on()) return !same_name;
    *is_done = same_entry_file;
    return !same_entry_file || !o_.moves;
  }
  if (both_links && o_.removes_target) return true;
  if (o_.backup.is_on()) {
    if (same_entry_file) return !IsSameName(item.source, item.target);
    return !(!o_.moves && follows && source->is_symlink() && !target->is_symlink());
  }
  if (o_.moves || o_.removes_target) {
    if (target->is_symlink()) return true;
    if (same_entry_file && target->links > 1 && !IsSameName(item.source, item.target)) return !o_.moves;
  }
  if (!source->is_symlink() && !target->is_symlink() && !same_entry_file) return true;
  if (o_.makes_symlinks && target->is_symlink()) return true;
  if (!follows) {
    const auto from = in_.fs.Stat(item.source);
    const auto to = in_.fs.Stat(item.target);
    if (!from || !to || !IsSameFile(*from, *to)) return true;
    if (o_.makes_hard_links) {
      *is_done = source->is_symlink();
      return true;
    }
  }
  return false;
}

// A file whose other name was copied before is linked to that copy; a directory is not copied twice.
Copier::Verdict Copier::LinkToEarlierCopy(Item& item) {
  const Identity identity = IdentityOf(item.attributes);
  if (item.attributes.is_directory()) {
    auto earlier = copies_.find(identity);
    if (o_.moves && earlier != copies_.end() && IsSameName(item.target, earlier->second)) {
      in_.Fail("warning: source directory " + Shown(item.source) + " specified more than once");
      return Verdict::kDone;
    }
    if (!o_.recursive || o_.moves) return Verdict::kGoOn;
    if (earlier == copies_.end()) {
      if (item.is_operand) copies_[identity] = item.target;
      return Verdict::kGoOn;
    }
    if (IsSameName(item.source, earlier->second)) {
      copies_into_self_ = true;
        Fail("cannot copy a directory, " + Shown(top_source_) + ", into itself, " + Shown(top_target_));
      return Verdict::kFailed;
    }
    if (IsSameName(item.target, earlier->second)) {
      in_.Fail("warning: source directory " + Shown(item.source) + " specified more than once");
      return Verdict::kDone;
    }
    const bool follows = o_.dereference == Dereference::kAlways ||
                         (o_.dereference == Dereference::kOperands && item.is_operand);
    if (follows) return Verdict::kGoOn;
    Fail("will not create hard link " + Shown(item.target) + " to directory " + Shown(earlier->second));
    return Verdict::kFailed;
  }
  if (!o_.keeps_links || o_.moves || o_.makes_symlinks || o_.makes_hard_links) return Verdict::kGoOn;
  if (item.attributes.links <= 1 && o_.dereference == Dereference::kNever) return Verdict::kGoOn;
  const auto [earlier, is_first] = copies_.emplace(identity, item.target);
  if (is_first) return Verdict::kGoOn;
  const Follow follow = o_.dereference == Dereference::kAlways ? Follow::kYes : Follow::kNo;
  return HardLink(earlier->second, item.target, follow, true) ? Verdict::kDone : Verdict::kFailed;
}

Copier::Verdict Copier::Move(Item& item) {
  if (!o_.moves || !item.is_operand) return Verdict::kGoOn;
  const Status renamed = in_.fs.Rename(item.source, item.target);
  if (renamed) {
    if (o_.verbose) {
      in_.out.Write("renamed ");
      Announce(item);
    }
    if (!item.attributes.is_directory()) made_.insert(IdentityOf(item.attributes));
    return Verdict::kDone;
  }
  const Error& error = renamed.error();
  if (error.code == Code::kInvalid) {
    Fail("cannot move " + Shown(top_source_) + " to a subdirectory of itself, " + Shown(top_target_));
    copies_.emplace(IdentityOf(item.attributes), item.target);
    return Verdict::kFailed;
  }
  if (error.code != Code::kCrossDevice) {
    Fail("cannot move " + Shown(item.source) + " to " + Shown(item.target), error);
    if (!item.backup_name.empty()) (void)in_.fs.Rename(item.backup_name, item.target);
    return Verdict::kFailed;
  }
  if (item.existing) {
    const Status removed = item.attributes.is_directory() ? in_.fs.RemoveDirectory(item.target)
                                                          : in_.fs.RemoveFile(item.target);
    if (!removed && removed.error().code != Code::kNoEntry) {
      Fail("inter-device move failed: " + Shown(item.source) + " to " + Shown(item.target) +
               "; unable to remove target",
           removed.error());
      return Verdict::kFailed;
    }
    item.existing.reset();
  }
  source_is_left_ = true;
  if (o_.verbose && !item.attributes.is_directory()) {
    in_.out.Write("copied ");
    Announce(item);
  }
  return Verdict::kGoOn;
}

bool Copier::CopyDirectory(Item& item) {
  const Identity identity = IdentityOf(item.attributes);
  if (std::find(ancestors_.begin(), ancestors_.end(), identity) != ancestors_.end()) {
    return Fail("cannot copy cyclic symbolic link " + Shown(item.source));
  }
  const bool was_new = item.is_new() || !item.existing->is_directory();
  if (was_new) {
    const uint32_t mode = (o_.default_mode ? 0777 : item.attributes.mode & 0777) & ~022u;
    if (const Status made = in_.fs.MakeDirectory(item.target, mode | 0700); !made) {
      return Fail("cannot create directory " + Shown(item.target), made.error());
    }
    if (const auto made = in_.fs.Stat(item.target, Follow::kNo)) {
      if ((made->mode & 0700) != 0700) (void)in_.fs.SetMode(item.target, made->mode | 0700);
      copies_.emplace(IdentityOf(*made), item.target);
    }
    if (o_.verbose) {
      if (o_.moves) in_.out.WriteLine("created directory " + Shown(item.target));
      else Announce(item);
    }
  }
  if (o_.one_file_system && item.attributes.device != device_) return true;
  const auto entries = in_.fs.List(item.source);
  bool ok = true;
  if (!entries) {
    ok = Fail("cannot access " + Shown(item.source), entries.error());
  } else {
    ancestors_.push_back(identity);
    for (const vfs::DirectoryEntry& entry : *entries) {
      if (!CopyOne(vfs::JoinPath(item.source, entry.name), vfs::JoinPath(item.target, entry.name), false)) ok = false;
      if (copies_into_self_) break;
    }
    ancestors_.pop_back();
  }
  return FinishAttributes(item, was_new) && ok;
}

bool Copier::MakeSymlinkTo(const Item& item) {
  if (!item.source.starts_with('/')) {
    const auto here = in_.fs.Stat(".");
    const auto there = in_.fs.Stat(vfs::DirectoryName(item.target));
    if (!here || !there || !IsSameFile(*here, *there)) {
      return Fail(QuoteSubject(item.target, in_.locale.is_utf8) +
                  ": can make relative symbolic links only in current directory");
    }
  }
  Status made = in_.fs.MakeSymlink(item.source, item.target);
  if (!made && made.error().code == Code::kExists && o_.removes_unopenable && in_.fs.RemoveFile(item.target)) {
    made = in_.fs.MakeSymlink(item.source, item.target);
  }
  if (made) return true;
  return Fail("cannot create symbolic link " + Shown(item.target) + " to " + Shown(item.source), made.error());
}

bool Copier::HardLink(const std::string& existing, const std::string& target, Follow follow, bool replaces) {
  Status made = in_.fs.MakeLink(existing, target, follow);
  const bool may_replace = replaces || o_.removes_unopenable;
  if (!made && made.error().code == Code::kExists && may_replace && in_.fs.RemoveFile(target)) {
    if (replaces && o_.verbose) in_.out.WriteLine("removed " + Shown(target));
    made = in_.fs.MakeLink(existing, target, follow);
  }
  if (made) return true;
  return Fail("cannot create hard link " + Shown(target) + " to " + Shown(existing), made.error());
}

bool Copier::CopySymlink(const Item& item) {
  const auto link = in_.fs.ReadLink(item.source);
  if (!link) return Fail("cannot read symbolic link " + Shown(item.source), link.error());
  Status made = in_.fs.MakeSymlink(*link, item.target);
  if (!made && made.error().code == Code::kExists && o_.removes_unopenable && in_.fs.RemoveFile(item.target)) {
    made = in_.fs.MakeSymlink(*link, item.target);
  }
  if (made) return true;
  return Fail("cannot create symbolic link " + Shown(item.target), made.error());
}

bool Copier::CopySpecial(const Item& item) {
  const Attributes& a = item.attributes;
  if (item.existing) (void)in_.fs.RemoveFile(item.target);
  const Status made = in_.fs.MakeNode(item.target, a.type, a.mode & 0777, a.special);
  if (made) return true;
  const bool is_fifo = a.type == FileType::kFifo;
  return Fail((is_fifo ? "cannot create fifo " : "cannot create special file ") + Shown(item.target), made.error());
}

Result<vfs::OpenFilePtr> Copier::OpenTarget(Item& item) {
  if (!item.is_new()) {
    auto file = in_.fs.Open(item.target, {.write = true, .truncate = !o_.attributes_only});
    if (file || !o_.removes_unopenable) return file;
    if (const Status removed = in_.fs.RemoveFile(item.target); !removed) {
      return Error(removed.error().code, "cannot remove " + Shown(item.target) + ": " + std::string(removed.error().Text()));
    }
    if (o_.verbose) in_.out.WriteLine("removed " + Shown(item.target));
    item.existing.reset();
  }
  // Until the owner is set nobody else may look into the file.
  const uint32_t withheld = o_.keeps_owner || o_.keeps_mode ? 077 : 0;
  const uint32_t mode = (o_.default_mode ? 0666 : item.attributes.mode & 0777) & ~withheld;
  auto file = in_.fs.Open(item.target, {.write = true, .create = true, .exclusive = true}, mode);
  if (!file && file.error().code == Code::kExists) {
    const auto link = in_.fs.Stat(item.target, Follow::kNo);
    const bool is_link = link && link->is_symlink();
    if (is_link && in_.env.Get("POSIXLY_CORRECT")) {
      file = in_.fs.Open(item.target, {.write = true, .create = true}, mode);
    } else if (is_link) {
      return Error(Code::kExists, "not writing through dangling symlink " + Shown(item.target));
    }
  }
  if (!file && file.error().code == Code::kIsDirectory && item.target.ends_with('/')) return Code::kNotDirectory;
  return file;
}

bool Copier::CopyFile(Item& item) {
  const auto from = in_.fs.Open(item.source, vfs::OpenFlags::Read());
  if (!from) return Fail("cannot open " + Shown(item.source) + " for reading", from.error());
  const auto to = OpenTarget(item);
  if (!to) {
    if (!to.error().message.empty()) return Fail(to.error().message);
    return Fail("cannot create regular file " + Shown(item.target), to.error());
  }
  if (o_.must_clone && !o_.attributes_only) {
    return Fail("failed to clone " + Shown(item.target) + " from " + Shown(item.source), Code::kNotSupported);
  }
  return o_.attributes_only || CopyContents(**from, **to, item);
}

bool Copier::CopyContents(vfs::OpenFile& from, vfs::OpenFile& to, const Item& item) {
  constexpr size_t kBlock = 128 << 10;
  constexpr size_t kPage = 4096;
  const Attributes& a = item.attributes;
  const bool is_sparse = a.is_file() && a.blocks * 512 < a.size;
  const bool makes_holes = o_.sparse == Sparse::kAlways || (o_.sparse == Sparse::kAuto && is_sparse);
  uint64_t size = 0;
  bool ends_in_hole = false;
  const auto target = to.GetAttributes();
  const bool can_skip = target && target->is_file();
  while (true) {
    const auto block = from.ReadBlock(kBlock);
    if (!block) return Fail("error reading " + Shown(item.source), block.error());
    std::string_view bytes = block->bytes;
    if (bytes.empty()) break;
    size += bytes.size();
    in_.budget.Step(static_cast<int64_t>(bytes.size() / 64) + 1);
    while (!bytes.empty()) {
      const std::string_view part = makes_holes && can_skip ? bytes.substr(0, kPage) : bytes;
      bytes.remove_prefix(part.size());
      ends_in_hole = makes_holes && can_skip && part.find_first_not_of('\0') == std::string_view::npos;
      Status written;
      if (ends_in_hole) {
        if (const auto moved = to.Seek(static_cast<int64_t>(part.size()), vfs::Whence::kCurrent); !moved) {
          written = moved.error();
        }
      } else {
        written = to.Write(part);
      }
      if (!written) return Fail("error writing " + Shown(item.target), written.error());
    }
  }
  if (ends_in_hole) {
    if (const Status cut = to.Truncate(size); !cut) return Fail("failed to extend " + Shown(item.target), cut.error());
  }
  return true;
}

bool Copier::FinishAttributes(const Item& item, bool was_new) {
  const Attributes& a = item.attributes;
  const bool keeps_all = o_.moves;
  if (o_.keeps_owner || keeps_all) {
    const auto made = in_.fs.Stat(item.target, Follow::kNo);
    if (made && (made->uid != a.uid || made->gid != a.gid)) {
      // Only a superuser may give files away; others keep what they can.
      if (!in_.fs.SetOwner(item.target, a.uid, a.gid, Follow::kNo)) {
        (void)in_.fs.SetOwner(item.target, std::nullopt, a.gid, Follow::kNo);
      }
    }
  }
  if (!a.is_symlink()) {
    if (o_.keeps_mode || keeps_all) {
      if (const Status set = in_.fs.SetMode(item.target, a.mode); !set) {
        return Fail("preserving permissions for " + Shown(item.target), set.error());
      }
    } else if (a.is_directory() && was_new) {
      const uint32_t mode = (o_.default_mode ? 0777 : a.mode & 0777) & ~in_.fs.umask();
      const auto made = in_.fs.Stat(item.target, Follow::kNo);
      if (made && (made->mode & 0777) != mode) (void)in_.fs.SetMode(item.target, (made->mode & 07000) | mode);
    } else if (o_.default_mode && !a.is_directory() && was_new) {
      (void)in_.fs.SetMode(item.target, 0666 & ~in_.fs.umask());
    } else if (o_.keeps_owner && a.is_file() && was_new) {
      (void)in_.fs.SetMode(item.target, a.mode & 0777 & ~in_.fs.umask());
    }
  }
  if (o_.keeps_times || keeps_all) {
    if (const Status set = in_.fs.SetTimes(item.target, a.access_time, a.modify_time, Follow::kNo); !set) {
      return Fail("preserving times for " + Shown(item.target), set.error());
    }
  }
  return true;
}

std::optional<ExitStatus> TakeDestination(Invocation& in, bool no_target_directory, std::vector<std::string>& operands,
                                          std::optional<std::string>& directory) {
  const auto quoted = [&](std::string_view text) { return QuoteFile(text, in.locale.is_utf8); };
  if (operands.empty()) return in.Usage("missing file operand");
  if (operands.size() == 1 && !directory) {
    return in.Usage("missing destination file operand after " + quoted(operands[0]));
  }
  if (no_target_directory) {
    if (directory) return in.Fail("cannot combine --target-directory (-t) and --no-target-directory (-T)");
    if (operands.size() > 2) return in.Usage("extra operand " + quoted(operands[2]));
    return std::nullopt;
  }
  const std::string& last = directory ? *directory : operands.back();
  const auto found = in.fs.Stat(last);
  const bool is_directory = found && found->is_directory();
  if (!is_directory && (directory || operands.size() > 2)) {
    const Error error = found ? Error(Code::kNotDirectory) : found.error();
    return in.Fail((directory ? "target directory " : "target ") + quoted(last), error);
  }
  if (is_directory && !directory) {
    directory = last;
    operands.pop_back();
  }
  return std::nullopt;
}

}  // namespace paddock
