#include <algorithm>

#include "commands/archive/packed_file.h"
#include "commands/archive/tar_extract.h"
#include "commands/archive/tar_incremental.h"
#include "commands/file_facts.h"

namespace paddock::tar {
namespace {

using codec::TarMember;
using vfs::Follow;

bool HasDotDot(std::string_view path) {
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") return true;
    at = end + 1;
  }
  return false;
}
bool LeadsOut(std::string_view target) { return target.starts_with('/') || HasDotDot(target); }

std::optional<Nanoseconds> TimeOf(const TarMember& member) { return FromTimePoint({member.modified, member.modified_nanos}); }

class Extractor {
 public:
  Extractor(Context& context, Selection& selection) : c_(context), selection_(selection), lister_(context), unfinished_(context) {
    const bool is_root = c_.in.fs.credentials().uid == 0;
    keeps_mode_ = c_.o.same_permissions.value_or(is_root);
    keeps_owner_ = c_.o.same_owner.value_or(is_root);
  }

  Status Take(TarMember& member, codec::TarReader& reader) {
    if (member.type == 'V' || member.type == 'N') return {};
    std::string name = member.name;
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    name = ApplyTransforms(c_, std::move(name), NameUse::kName);
    if (c_.o.strip > 0) {
      name = StripComponents(name, c_.o.strip);
      if (name.empty()) return {};
    }
    const Name* wanted = selection_.Find(member.name);
    if (wanted == nullptr) {
      if (c_.o.shows_omitted && member.type == '5') c_.Warn(c_.Shown(std::string_view(member.name).substr(0, member.name.find_last_not_of('/') + 1)) + ": Omitting");
      return {};
    }
    name = guard_.Safe(c_, name, false);
    if (!c_.o.absolute_names && HasDotDot(member.name)) {
      c_.Fail(c_.Shown(member.name) + ": Member name contains '..'");
      return {};
    }
    if (c_.o.wants_one_top_level) name = BelowTop(*c_.o.one_top_level, name);
    if (c_.o.newer && TimePoint{member.modified, member.modified_nanos} < *c_.o.newer && member.type != '5') return {};
    if (c_.o.asks && !c_.Asks("extract " + c_.Word(member.name) + "?")) return {};
    base_ = wanted->directory;
    PADDOCK_TRY(CheckBase());
    if (c_.o.verbose > 0) {
      const std::string shown = c_.o.shows_transformed ? name + (member.name.ends_with('/') ? "/" : "") : member.name;
      if (c_.o.verbose > 1) lister_.Show(member, shown, member.link);
      else c_.shown->Write(c_.Listed(shown) + "\n");
    }
    if (member.type == 'M') {
      c_.Fail(c_.Shown(member.name) + ": Cannot extract -- file is continued from another volume");
      return {};
    }
    if (c_.o.to_stdout) return ExtractToStdout(c_, member, reader);
    if (!c_.o.to_command.empty()) return ExtractToCommand(c_, name, member, reader);
    if (member.type == 'D' || member.names) c_.o.delays_directories = true;   // all of them come before what is in them
    if (!c_.o.delays_directories) unfinished_.CompleteDirectoriesBut(name);
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    if (!MayReplace(name, member)) return {};
    return Make(name, member, reader);
  }

  // Symlinks that lead out come last, so that nothing is written through them; then the directories' own times and modes.
  void Finish() { unfinished_.CompleteAll(); }

 private:
  std::string Real(const std::string& name) const { return base_.empty() ? name : vfs::JoinPath(base_, name); }

  Status CheckBase() {
    if (base_.empty() || base_ == known_base_) return {};
    const auto found = c_.in.fs.Stat(base_);
    if (!found || !found->is_directory()) return c_.Fatal(c_.Shown(base_) + ": Cannot open: " + std::string(CodeText(found ? Code::kNotDirectory : found.error().code)));
    known_base_ = base_;
    return {};
  }

  // --- what is in the way

  bool MayReplace(const std::string& name, const TarMember& member) {
    if (c_.o.old_files == OldFiles::kUnlinkFirst && name != ".") {
      const Status removed = RemoveAny(Real(name), c_.o.unlinks_recursively);
      if (!removed && removed.error().code != Code::kNoEntry) {
        c_.Fail(name, "Cannot unlink", removed.error());
        return false;
      }
    }
    if (c_.o.old_files == OldFiles::kKeepNewer && member.type != '5') {
      const auto found = c_.in.fs.Stat(Real(name), Follow::kNo);
      if (found && ToTimePoint(found->modify_time) >= TimePoint{member.modified, member.modified_nanos} && !found->is_directory()) {
        c_.Warn("ignore-newer", "Current " + c_.Word(name) + " is newer or same age");
        return false;
      }
    }
    return true;
  }

  Status RemoveAny(const std::string& path, bool recursive) {
    c_.in.budget.CheckStack();
    c_.in.budget.Step();
    const Status removed = c_.in.fs.RemoveFile(path);
    if (removed || removed.error().code == Code::kNoEntry) return removed;
    const Status gone = c_.in.fs.RemoveDirectory(path);
    if (gone || !recursive || gone.error().code != Code::kNotEmpty) return gone;
    PADDOCK_ASSIGN(const auto entries, c_.in.fs.List(path));
    for (const vfs::DirectoryEntry& entry : entries) PADDOCK_TRY(RemoveAny(vfs::JoinPath(path, entry.name), true));
    return c_.in.fs.RemoveDirectory(path);
  }

  enum class Way { kAgain, kSkip, kGiveUp };
  // After an operation on `name` failed: makes the directories that are missing, or takes away what is there.
  Way Recover(const std::string& name, const Error& error, bool& made_parents) {
    if (made_parents) return Way::kGiveUp;
    const std::string path = Real(name);
    if (error.code == Code::kNoEntry) {
      const std::string parent = vfs::DirectoryName(path);
      made_parents = true;
      const Status made = vfs::MakeDirectories(c_.in.fs, parent);
      if (made) return Way::kAgain;
      // The first directory that is still missing is the one that could not be made.
      for (size_t end = name.find('/', 1); end != std::string::npos; end = name.find('/', end + 1)) {
        const std::string directory = name.substr(0, end);
        if (c_.in.fs.Stat(Real(directory))) continue;
        c_.Fail(directory, "Cannot mkdir", made.error());
        break;
      }
      return Way::kGiveUp;
    }
    if (error.code != Code::kExists) return Way::kGiveUp;
    switch (c_.o.old_files) {
      case OldFiles::kSkip:
        if (c_.o.verbose > 0) c_.Warn("existing-file", c_.Shown(name) + ": skipping existing file");
        return Way::kSkip;
      case OldFiles::kKeep:
      case OldFiles::kUnlinkFirst: return Way::kGiveUp;
      default: break;
    }
    return RemoveAny(path, c_.o.unlinks_recursively) ? Way::kAgain : Way::kGiveUp;
  }

  // Moves what is there to a backup (--backup).
  void BackUp(const std::string& name) {
    if (!c_.backup.is_on()) return;
    const std::string path = Real(name);
    const auto found = c_.in.fs.Stat(path, Follow::kNo);
    if (!found || found->is_directory()) return;
    const std::string to = c_.backup.NameFor(c_.in.fs, path);
    if (const Status moved = c_.in.fs.Rename(path, to); !moved) {
      c_.Fail(name, "Cannot rename to " + c_.Word(to), moved.error());
      return;
    }
    if (c_.o.verbose > 0) c_.shown->Write("Renaming " + c_.Word(name) + " to " + c_.Word(to) + "\n");
  }

  // Calls `make` until it succeeds or nothing helps. False when the member is done with (what had to be said was).
  template <class Operation>
  bool Try(const std::string& name, const std::string& what, const Operation& make) {
    bool made_parents = false;
    for (int round = 0; round < 4; ++round) {
      const Status done = make();
      if (done) return true;
      const Way way = Recover(name, done.error(), made_parents);
      if (way == Way::kAgain) continue;
      if (way == Way::kGiveUp) c_.Fail(name, what, done.error());
      return false;
    }
    c_.Fail(c_.Shown(name) + ": " + what + ": " + std::string(CodeText(Code::kExists)));
    return false;
  }

  // --- the kinds

  Status Make(const std::string& name, TarMember& member, codec::TarReader& reader) {
    if (member.type != '5') BackUp(name);
    switch (member.type) {
      case '1': MakeLink(name, member); return {};
      case '2': MakeSymlink(name, member); return {};
      case '3':
      case '4':
      case '6': MakeNode(name, member); return {};
      case 'D':
        MakeDirectory(name, member);
        return c_.o.is_incremental ? Purge(name, member, reader) : Status();
      case '5':
        MakeDirectory(name, member);
        return c_.o.is_incremental && member.names ? PurgeAllBut(name, *member.names) : Status();
      case '0':
      case '7':
      case 'S':
        if (member.name.ends_with('/')) {
          MakeDirectory(name, member);
          return {};
        }
        break;
      default: c_.Warn("unknown-cast", c_.Shown(name) + ": Unknown file type '" + member.type + "', extracted as normal file");
    }
    return MakeFile(name, member, reader);
  }

  uint32_t ModeFor(const TarMember& member) const { return keeps_mode_ ? member.mode : member.mode & 0777 & ~c_.in.fs.umask(); }
  uint32_t Owner(const std::string& user, uint64_t uid) {
    const UserRecord* known = c_.o.numeric_owner || user.empty() ? nullptr : c_.names.User(user);
    return known == nullptr ? static_cast<uint32_t>(uid) : known->uid;
  }
  uint32_t Group(const std::string& group, uint64_t gid) {
    const GroupRecord* known = c_.o.numeric_owner || group.empty() ? nullptr : c_.names.Group(group);
    return known == nullptr ? static_cast<uint32_t>(gid) : known->gid;
  }

  void SetOwner(const std::string& name, const TarMember& member) {
    if (!keeps_owner_) return;
    const uint32_t uid = Owner(member.user, member.uid), gid = Group(member.group, member.gid);
    if (const Status set = c_.in.fs.SetOwner(Real(name), uid, gid, Follow::kNo); !set) {
      c_.Fail(name, "Cannot change ownership to uid " + std::to_string(uid) + ", gid " + std::to_string(gid), set.error());
    }
  }
  // In this order: a change of owner takes set-id bits away, each change the times.
  void SetAttributes(const std::string& name, const TarMember& member) {
    SetOwner(name, member);
    const std::string path = Real(name);
    if (const Status set = c_.in.fs.SetMode(path, ModeFor(member), Follow::kNo); !set) c_.Fail(name, "Cannot change mode to " + ModeString('-', ModeFor(member)).substr(1), set.error());
    SetTime(name, member);
  }
  void SetTime(const std::string& name, const TarMember& member) {
    if (c_.o.touch) return;
    const auto time = TimeOf(member);
    if (!time) {
      c_.Warn("timestamp", c_.Shown(name) + ": time stamp is out of range");
      return;
    }
    if (const Status set = c_.in.fs.SetTimes(Real(name), std::nullopt, *time, Follow::kNo); !set) c_.Fail(name, "Cannot utime", set.error());
  }

  Status MakeFile(const std::string& name, const TarMember& member, codec::TarReader& reader) {
    const std::string path = Real(name);
    vfs::OpenFilePtr file;
    const bool overwrites = c_.o.old_files == OldFiles::kOverwrite;
    const bool made = Try(name, "Cannot open", [&]() -> Status {
      const vfs::OpenFlags flags = {.write = true, .create = true, .exclusive = !overwrites, .truncate = overwrites, .no_follow = overwrites && !c_.o.dereferences};
      auto opened = c_.in.fs.Open(path, flags, ModeFor(member) & 0700);
      if (!opened) return opened.error().code == Code::kLoop && overwrites ? Error(Code::kExists) : opened.error();
      file = std::move(*opened);
      return {};
    });
    if (!made) return {};
    bool is_writing = true;
    uint64_t at = 0;
    const auto fail = [&](const Error& error) {
      c_.Fail(name, "Cannot write", error);
      is_writing = false;   // the rest of the archive may still be taken
    };
    const Status read = reader.ReadContent(
        [&](std::string_view bytes) -> Status {
          at += bytes.size();
          if (!is_writing) return {};
          if (const Status written = file->Write(bytes); !written) fail(written.error());
          return {};
        },
        [&](uint64_t count) -> Status {
          at += count;
          if (!is_writing) return {};
          const auto place = at <= INT64_MAX ? file->Seek(static_cast<int64_t>(at), vfs::Whence::kStart) : Result<uint64_t>(Code::kFileTooBig);
          if (!place) fail(place.error());
          return {};
        });
    if (is_writing && member.is_sparse) {
      if (const Status cut = file->Truncate(member.size); !cut) fail(cut.error());
    }
    file.reset();
    if (!read && read.error().code == Code::kCorrupt) c_.Warn(std::string(read.error().Text()));
    SetAttributes(name, member);
    return read;
  }

  // What the directory did not have when it was backed up goes.
  Status Purge(const std::string& name, const TarMember& member, codec::TarReader& reader) {
    c_.in.budget.WillAllocate(member.size);
    std::string dump;
    PADDOCK_TRY(reader.ReadContent([&](std::string_view bytes) -> Status {
      dump += bytes;
      return {};
    }, [](uint64_t) { return Status(); }));
    return PurgeAllBut(name, dump);
  }

  // Directories that were renamed since the last backup follow.
  void RenameAll(std::string_view dump) {
    std::string from, free_name;
    for (const auto& [kind, text] : RenamesOfDump(dump, c_.in.budget)) {
      if (HasDotDot(text) && !c_.o.absolute_names) {
        c_.Fail(c_.Shown(text) + ": Member name contains '..'");
        return;
      }
      const std::string name = text.empty() ? free_name : guard_.Safe(c_, text, false);
      if (kind == 'X') {
        free_name = name + "/tar" + std::to_string(c_.in.process.pid());
        while (c_.in.fs.Stat(Real(free_name), Follow::kNo)) {
          c_.in.budget.Step(8);
          free_name += "_";
        }
      } else if (kind == 'R') {
        from = name;
      } else if (!from.empty() && !name.empty()) {
        if (const Status renamed = c_.in.fs.Rename(Real(from), Real(name)); !renamed) {
          c_.Fail("Cannot rename " + c_.Word(from) + " to " + c_.Word(name) + ": " + std::string(renamed.error().Text()));
        } else {
          unfinished_.Moved(Real(from), Real(name));
        }
      }
    }
  }

  Status PurgeAllBut(const std::string& name, std::string_view dump) {
    RenameAll(dump);
    const std::map<std::string, char, std::less<>> names = NamesOfDump(dump, c_.in.budget);
    const std::string path = Real(name);
    const auto found = c_.in.fs.Stat(path, Follow::kNo);
    if (!found || !found->is_directory()) return {};
    const auto entries = c_.in.fs.List(path);
    if (!entries) return {};
    for (const vfs::DirectoryEntry& entry : *entries) {
      c_.in.budget.Step(8);
      const auto known = names.find(entry.name);
      const bool is_directory = entry.type == vfs::FileType::kDirectory;
      // What became something else is in the way of what it is now.
      if (known != names.end() && !(known->second == 'D' && !is_directory) && !(known->second == 'Y' && is_directory)) continue;
      const std::string shown = name.substr(0, name.find_last_not_of('/') + 1) + "/" + entry.name;
      if (c_.o.asks && !c_.Asks("delete " + c_.Word(shown) + "?")) continue;
      if (c_.o.verbose > 0) c_.shown->Write("tar: Deleting " + c_.Word(shown) + "\n");
      if (const Status removed = RemoveAny(vfs::JoinPath(path, entry.name), true); !removed) c_.Fail(shown, "Cannot remove", removed.error());
      else unfinished_.Moved(vfs::JoinPath(path, entry.name), "");
    }
    return {};
  }

  void MakeDirectory(const std::string& name, const TarMember& member) {
    const std::string path = Real(name);
    bool is_new = true;
    vfs::Attributes there;
    bool made_parents = false;
    // While it is filled, its owner may write to it.
    const uint32_t mode = ModeFor(member) & 0777;
    while (true) {
      const Status made = c_.in.fs.MakeDirectory(path, mode | 0700);
      if (made) break;
      if (made.error().code == Code::kExists || made.error().code == Code::kIsDirectory) {
        auto found = c_.in.fs.Stat(path, c_.o.keeps_directory_symlink || name == "." ? Follow::kYes : Follow::kNo);
        if (found && found->is_directory()) {
          if (c_.o.keeps_directory_symlink) {
            const auto itself = c_.in.fs.Stat(path, Follow::kNo);
            if (itself && itself->is_symlink()) return;
          }
          is_new = false;
          there = *found;
          break;
        }
      }
      const Way way = Recover(name, made.error(), made_parents);
      if (way == Way::kAgain) continue;
      if (way == Way::kGiveUp) c_.Fail(name, "Cannot mkdir", made.error());
      return;
    }
    if (!is_new) {
      if (c_.o.old_files == OldFiles::kSkip) {
        if (c_.o.verbose > 0) c_.Warn("existing-file", c_.Shown(name) + ": skipping existing file");
        return;
      }
      if (c_.o.keeps_directory_metadata) return KeepDirectory(path, name, there);
      if (c_.o.old_files == OldFiles::kKeep) return;
    }
    Unfinished::Directory directory{.path = path, .name = name, .mode = keeps_mode_ ? member.mode : mode, .modified = {}, .owner = {}};
    if (!c_.o.touch) directory.modified = TimeOf(member);
    if (keeps_owner_) directory.owner = {Owner(member.user, member.uid), Group(member.group, member.gid)};
    unfinished_.Add(std::move(directory));
  }

  // A directory that keeps its mode; while it is filled, its owner may write to it.
  void KeepDirectory(const std::string& path, const std::string& name, const vfs::Attributes& there) {
    if ((there.mode & 0700) == 0700 || !c_.in.fs.SetMode(path, (there.mode & 07777) | 0700, Follow::kNo)) return;
    unfinished_.Add(Unfinished::Directory{.path = path, .name = name, .mode = there.mode & 07777, .modified = {}, .owner = {}});
  }

  void MakeSymlink(const std::string& name, const TarMember& member) {
    const std::string target = ApplyTransforms(c_, member.link, NameUse::kSymlink);
    if (!c_.o.absolute_names && LeadsOut(target)) {
      MakePlaceholder(name, target, member);
      return;
    }
    const bool made = Try(name, "Cannot create symlink to " + c_.Word(target), [&]() -> Status { return c_.in.fs.MakeSymlink(target, Real(name)); });
    if (!made) return;
    SetOwner(name, member);
    SetTime(name, member);
  }

  void MakePlaceholder(const std::string& name, const std::string& target, const TarMember& member) {
    const std::string path = Real(name);
    vfs::OpenFilePtr file;
    const bool made = Try(name, "Cannot open", [&]() -> Status {
      auto opened = c_.in.fs.Open(path, {.write = true, .create = true, .exclusive = true}, 0);
      if (!opened) return opened.error();
      file = std::move(*opened);
      return {};
    });
    if (!made) return;
    const auto found = file->GetAttributes();
    if (!found) return;
    unfinished_.Add(Unfinished::Placeholder{path, name, target, found->device, found->inode, c_.o.touch ? std::nullopt : TimeOf(member), {}});
  }
  void MakeLink(const std::string& name, const TarMember& member) {
    std::string link = ApplyTransforms(c_, member.link, NameUse::kHardLink);
    if (c_.o.strip > 0) link = StripComponents(link, c_.o.strip);
    link = guard_.Safe(c_, link, true);
    if (c_.o.wants_one_top_level) link = BelowTop(*c_.o.one_top_level, link);
    const std::string from = Real(link), to = Real(name);
    const auto source = c_.in.fs.Stat(from, Follow::kNo);
    if (source) {
      const auto there = c_.in.fs.Stat(to, Follow::kNo);
      if (there && IsSameFile(*source, *there)) return;
    }
    bool made_parents = false;
    while (true) {
      const Status made = c_.in.fs.MakeLink(from, to);
      if (made) break;
      // A missing source is no missing directory.
      const Way way = made.error().code == Code::kNoEntry && !source ? Way::kGiveUp : Recover(name, made.error(), made_parents);
      if (way == Way::kAgain) continue;
      if (way == Way::kGiveUp) c_.Fail(name, "Cannot hard link to " + c_.Word(link), made.error());
      return;
    }
    if (source) unfinished_.NoteLink(*source, to);
  }

  void MakeNode(const std::string& name, const TarMember& member) {
    const bool is_fifo = member.type == '6';
    const vfs::FileType type = is_fifo ? vfs::FileType::kFifo : member.type == '3' ? vfs::FileType::kCharDevice : vfs::FileType::kBlockDevice;
    const bool made = Try(name, is_fifo ? "Cannot mkfifo" : "Cannot mknod", [&]() -> Status {
      return c_.in.fs.MakeNode(Real(name), type, ModeFor(member) & 0700, is_fifo ? 0 : (member.major & 0xffffff) << 8 | (member.minor & 0xff));
    });
    if (made) SetAttributes(name, member);
  }

  Context& c_;
  Selection& selection_;
  Lister lister_;
  NameGuard guard_;
  std::string base_, known_base_;
  bool keeps_mode_ = false, keeps_owner_ = false;
  Unfinished unfinished_;
};

}  // namespace

Status Extract(Context& context) {
  PADDOCK_ASSIGN(Selection selection, Selection::Make(context));
  PADDOCK_ASSIGN(const std::unique_ptr<ArchiveInput> archive, ArchiveInput::Open(context, context.o.archives.front()));
  MemberReader members(context, *archive);
  Extractor extractor(context, selection);
  TarMember member;
  bool is_started = context.o.starting_member.empty(), is_first = true;
  while (!selection.IsAllFound()) {
    const auto found = members.Next(member);
    if (!found || !*found) {
      // What was made is finished, whatever happened to the archive.
      if (!found) {
        extractor.Finish();
        return found.error();
      }
      break;
    }
    if (std::exchange(is_first, false)) PADDOCK_TRY(CheckLabel(context, member));
    is_started = is_started || member.name == context.o.starting_member;
    if (!is_started || (context.o.items.empty() && !context.o.starting_member.empty() && member.name != context.o.starting_member)) continue;
    if (const Status taken = extractor.Take(member, members.reader); !taken) {
      extractor.Finish();
      return members.Report(taken.error());
    }
  }
  extractor.Finish();
  selection.Finish(context);
  PADDOCK_TRY(members.Finish());
  if (context.o.totals) ShowTotals(context, "read", (members.reader.bytes_taken() + context.o.record_blocks * 512 - 1) / (context.o.record_blocks * 512) * (context.o.record_blocks * 512));
  return {};
}

}  // namespace paddock::tar
