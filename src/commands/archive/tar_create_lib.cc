#include <algorithm>

#include "commands/archive/packed_file.h"
#include "commands/archive/tar_create.h"
#include "commands/archive/tar_incremental.h"
#include "commands/file_facts.h"
#include "commands/stat_ahead.h"

namespace paddock::tar {
namespace {

using codec::TarFormat;
using codec::TarMember;
using vfs::FileType;

constexpr size_t kLongestPath = 64 << 10;

}  // namespace

class Dumper::Impl {
 public:
  Impl(Context& context, ArchiveOutput& out, const Excludes& excludes, const Times* newer_than)
      : c_(context), out_(out), excludes_(excludes), newer_than_(newer_than), lister_(context), archive_(out.attributes()), owners_(context), ignored_(context), history_(context) {
    options_.format = c_.o.format.value_or(TarFormat::kGnu);
    options_.pax_records = c_.o.pax_records;
    options_.pax_without = c_.o.pax_without;
    options_.pax_name = c_.o.pax_name;
    options_.sparse_form = c_.o.sparse_form;
    options_.pid = c_.in.process.pid();
  }

  Status DumpAll(const std::vector<Name>& names) {
    // What is named twice, or reached by a followed symlink, is the same file whatever its number of links.
    trivial_links_ = names.size() <= 1 && !c_.o.dereferences ? 1 : 0;
    if (c_.o.is_incremental) PADDOCK_TRY(ReadHistory());
    if (c_.o.is_incremental) NoteOperands(names);
    std::vector<size_t> begins;
    for (const Name& name : names) {
      begins.push_back(increments_.size());
      c_.in.budget.Step();
      position_ = name.position;
      std::string path = name.text;
      while (path.size() > 1 && path.back() == '/') path.pop_back();
      if (path.empty()) {
        c_.Fail(c_.Shown(path) + ": Cannot stat: No such file or directory");
        continue;
      }
      base_ = name.directory;
      if (!base_.empty() && !is_known_base(base_)) {
        const auto found = c_.in.fs.Stat(base_);
        if (!found || !found->is_directory()) {
          return c_.Fatal(c_.Shown(base_) + ": Cannot open: " + std::string(CodeText(found ? Code::kNotDirectory : found.error().code)));
        }
        known_base_ = base_;
      }
      recursive_ = name.flags.recursive;
      // What is named is only left out by a pattern that matches it as a whole.
      if (excludes_.IsExcluded(path, position_, c_.in.budget)) continue;
      PADDOCK_TRY(c_.o.is_incremental && recursive_ ? FindOperand(path) : Dump(path, true, 0));
    }
    if (c_.o.is_incremental) SortIncrements(names, std::move(begins));
    PADDOCK_TRY(DumpIncrements());
    history_.Keep();
    for (const auto& [real, shown] : emptied_) {
      if (const Status removed = c_.in.fs.RemoveDirectory(real); !removed) c_.Fail(shown, "Cannot rmdir", removed.error());
    }
    if (c_.o.check_links) {
      for (const auto& [identity, link] : links_) {
        if (link.left > 0) c_.Warn("Missing links to " + c_.Word(link.name) + ".");
      }
    }
    return {};
  }

  bool has_removed_prefixes() const { return guard_.has_removed(); }

  Status WriteLabel() {
    if (c_.o.label.empty()) return {};
    return out_.Write(VolumeLabel(c_, 1, {}));
  }

 private:
  using Identity = std::pair<uint64_t, uint64_t>;
  struct Link {
    std::string name;
    uint32_t left = 0;
  };

  bool is_known_base(const std::string& base) const { return base == known_base_; }
  std::string Real(const std::string& path) const { return base_.empty() ? path : vfs::JoinPath(base_, path); }

  void FailTo(const std::string& path, const char* what, const Error& error) {
    const std::string text = std::string(what) + ": " + std::string(error.Text());
    if (c_.o.ignores_failed_read) c_.Warn("failed-read", c_.Shown(path) + ": Warning: " + text);
    else c_.Fail(c_.Shown(path) + ": " + text);
  }

  // `seen`: its attributes, if they were looked at already.
  Status Dump(const std::string& path, bool is_operand, uint64_t device, const Result<vfs::Attributes>* seen = nullptr) {
    c_.in.budget.Step(8);
    c_.in.budget.CheckStack();
    const std::string real = Real(path);
    const auto found = seen != nullptr ? *seen : c_.in.fs.Stat(real, c_.o.dereferences ? vfs::Follow::kYes : vfs::Follow::kNo);
    if (!found) {
      if (c_.o.ignores_failed_read) c_.Warn("failed-read", c_.Shown(path) + ": Warning: Cannot stat: " + std::string(found.error().Text()));
      else c_.Fail(path, "Cannot stat", found.error());
      return {};
    }
    if (!found->is_directory() && IsOld(path, *found)) {
      if (is_operand && c_.o.mode == Mode::kCreate) c_.Warn("file-unchanged", c_.Shown(path) + ": file is unchanged; not dumped");
      return {};
    }
    if (archive_ && IsSameFile(*archive_, *found)) {
      c_.Warn("ignore-archive", c_.Shown(path) + ": file is the archive; not dumped");
      return {};
    }
    if (c_.o.asks && !c_.Asks("add " + c_.Word(path) + "?")) return {};
    TarMember member = Describe(path, *found);
    switch (found->type) {
      case FileType::kDirectory: return DumpDirectory(path, *found, std::move(member), is_operand, device);
      case FileType::kSocket: c_.Warn("file-ignored", c_.Shown(path) + ": socket ignored"); return {};
      default: break;
    }
    bool is_written = false;
    if (found->links > trivial_links_ && !c_.o.hard_dereference) PADDOCK_TRY(DumpLink(path, *found, member, is_written));
    if (!is_written) {
      if (found->is_file()) PADDOCK_TRY(DumpFile(path, *found, member, is_written));
      else PADDOCK_TRY(DumpSpecial(path, *found, member, is_written));
    }
    if (is_written && c_.o.removes_files) {
      if (const Status removed = c_.in.fs.RemoveFile(real); !removed) c_.Fail(path, "Cannot unlink", removed.error());
    }
    return {};
  }

  // True for what -N, --newer-mtime and -u leave out.
  bool IsOld(const std::string& path, const vfs::Attributes& found) const {
    const TimePoint modified = ToTimePoint(found.modify_time);
    if (c_.o.newer && modified < *c_.o.newer && (!c_.o.newer_by_change || ToTimePoint(found.change_time) < *c_.o.newer)) return true;
    if (newer_than_ == nullptr) return false;
    const auto it = newer_than_->find(path);
    // The archive may have no fractions.
    return it != newer_than_->end() && modified.seconds <= it->second.first;
  }

  TarMember Describe(const std::string& path, const vfs::Attributes& found) {
    TarMember member;
    member.name = path;
    member.mode = found.mode & 07777;
    if (c_.o.mode_change) member.mode = c_.o.mode_change->Apply(member.mode, found.is_directory(), c_.in.fs.umask());
    owners_.Fill(member, found, options_.format != TarFormat::kV7);
    TimePoint modified = ToTimePoint(found.modify_time);
    own_time_ = modified.seconds;
    if (c_.o.mtime && (!c_.o.clamps || *c_.o.mtime < modified)) modified = *c_.o.mtime;
    member.modified = modified.seconds;
    if (options_.format == TarFormat::kPax) {
      member.modified_nanos = modified.nanos;
      member.accessed = found.access_time;
      member.changed = found.change_time;
    }
    return member;
  }

  std::string Stored(const std::string& name, NameUse use) {
    // What leads out goes first: transformations see the rest, and have the last word.
    return ApplyTransforms(c_, use == NameUse::kSymlink ? name : guard_.Safe(c_, name, false), use);
  }

  // The header. False: it could not be, and that was said.
  Result<bool> WriteHeader(TarMember& member) {
    const auto encoded = codec::EncodeTarHeader(member, options_);
    if (!encoded) {
      c_.Fail(std::string(encoded.error().Text()));
      return false;
    }
    PADDOCK_TRY(out_.Write(*encoded));
    return true;
  }
  void Announce(const TarMember& member, const std::string& path) {
    if (c_.o.verbose == 0) return;
    const std::string shown = c_.o.shows_transformed ? member.name : member.type == '5' && !path.ends_with('/') ? path + "/" : path;
    if (c_.o.verbose > 1) {
      TarMember as_it_is = member;
      as_it_is.modified = own_time_;
      lister_.Show(as_it_is, shown, member.link);
    } else {
      c_.shown->Write(c_.Listed(shown) + "\n");
    }
  }
  // False as above.
  Result<bool> Write(TarMember& member, const std::string& path) {
    PADDOCK_ASSIGN(const bool done, WriteHeader(member));
    if (done) Announce(member, path);
    return done;
  }

  // A further name of a file that is in the archive already.
  Status DumpLink(const std::string& path, const vfs::Attributes& found, TarMember& member, bool& is_written) {
    const Identity identity{found.device, found.inode};
    const auto it = links_.find(identity);
    if (it == links_.end()) return {};
    if (it->second.left > 0) --it->second.left;
    member.link = it->second.name;
    member.name = Stored(path, NameUse::kName);
    member.type = '1';
    PADDOCK_ASSIGN(is_written, Write(member, path));
    return {};
  }
  void Remember(const std::string& path, const vfs::Attributes& found) {
    if (found.links <= trivial_links_ || c_.o.hard_dereference) return;
    links_.emplace(Identity{found.device, found.inode}, Link{ApplyTransforms(c_, guard_.Safe(c_, path, true), NameUse::kHardLink), found.links - 1});
  }

  Status DumpSpecial(const std::string& path, const vfs::Attributes& found, TarMember& member, bool& is_written) {
    member.name = Stored(path, NameUse::kName);
    if (found.is_symlink()) {
      const auto target = c_.in.fs.ReadLink(Real(path));
      if (!target) {
        FailTo(path, "Cannot readlink", target.error());
        return {};
      }
      member.type = '2';
      member.link = Stored(*target, NameUse::kSymlink);
    } else {
      member.type = found.type == FileType::kFifo ? '6' : found.type == FileType::kCharDevice ? '3' : '4';
      member.major = found.special >> 8;
      member.minor = found.special & 0xff;
      if (options_.format == TarFormat::kV7) {
        c_.Warn("file-ignored", c_.Shown(path) + ": Unknown file type; file ignored");
        return {};
      }
    }
    Remember(path, found);
    PADDOCK_ASSIGN(is_written, Write(member, path));
    return {};
  }

  // --- incremental backups: all directories with the names in them, then the files that are newer than the last backup

  Status ReadHistory() {
    const TarFormat format = options_.format;
    if (format == TarFormat::kV7 || format == TarFormat::kUstar) return c_.Fatal("incremental archives are only written in GNU and pax formats");
    return history_.Read();
  }

  struct Increment {
    std::string base;    // what all -C before it come to
    std::string path;
    vfs::Attributes found;
    std::string names;
    std::vector<std::string> newer;
  };

  // Directories that are named are not reached from others.
  void NoteOperands(const std::vector<Name>& names) {
    for (const Name& name : names) {
      c_.in.budget.Step(8);
      const auto found = c_.in.fs.Stat(vfs::JoinPath(name.directory, name.text), vfs::Follow::kNo);
      if (found && found->is_directory() && name.flags.recursive) operands_.emplace(found->device, found->inode);
    }
  }

  // What came of each operand goes by its name. `begins`: where that of each begins.
  void SortIncrements(std::vector<Name> names, std::vector<size_t> begins) {
    begins.push_back(increments_.size());
    for (size_t i = 0; i < names.size(); ++i) names[i].position = i;
    SortForIncrements(names);
    std::vector<Increment> sorted;
    for (const Name& name : names) {
      for (size_t i = begins[name.position]; i < begins[name.position + 1]; ++i) sorted.push_back(std::move(increments_[i]));
    }
    increments_ = std::move(sorted);
  }

  // Directories are gathered; other operands stand among them.
  Status FindOperand(const std::string& path) {
    const auto found = c_.in.fs.Stat(Real(path), c_.o.dereferences ? vfs::Follow::kYes : vfs::Follow::kNo);
    if (found && !found->is_directory() && history_.IsUnchanged(*found)) return {};
    if (!found) return Dump(path, true, 0);
    if (!found->is_directory()) {
      increments_.push_back({.base = base_, .path = path, .found = *found});
      return {};
    }
    if (!visited_.emplace(found->device, found->inode).second) return {};
    PADDOCK_ASSIGN(const bool is_dumped, FindIncrements(path, *found, history_.IsNew(path, *found), increments_));
    static_cast<void>(is_dumped);
    return {};
  }

  // All directories of an archive come before the files in them.
  Status DumpIncrements() {
    const auto first = std::find_if(increments_.begin(), increments_.end(), [](const Increment& increment) { return increment.found.is_directory(); });
    if (first != increments_.end()) first->names += history_.Renames();
    for (const Increment& increment : increments_) {
      base_ = increment.base;
      PADDOCK_TRY(increment.found.is_directory() ? DumpNames(increment) : Dump(increment.path, true, 0));
    }
    for (const Increment& increment : increments_) {
      base_ = increment.base;
      for (const std::string& child : increment.newer) PADDOCK_TRY(Dump(child, false, increment.found.device));
    }
    if (!c_.o.removes_files) return {};
    for (auto increment = increments_.rbegin(); increment != increments_.rend(); ++increment) {
      base_ = increment->base;
      if (increment->found.is_directory()) RemoveLater(increment->path);
    }
    return {};
  }

  // A directory that is to go once all is in the archive; "." by its own name, which other removals leave valid.
  void RemoveLater(const std::string& path) {
    const auto real = path == "." && !base_.empty() ? c_.in.fs.Canonical(base_) : Result<std::string>(Real(path));
    emptied_.emplace_back(real ? *real : Real(path), path);
  }

  bool IsOperand(const vfs::Attributes& found) const { return operands_.contains({found.device, found.inode}); }

  // False: a tag leaves the directory out as a whole.
  Result<bool> FindIncrements(const std::string& path, const vfs::Attributes& found, bool is_new, std::vector<Increment>& increments) {
    c_.in.budget.Step(8);
    c_.in.budget.CheckStack();
    if (path.size() > kLongestPath) return c_.Fatal(c_.Shown(path.substr(0, 80)) + "...: File name too long");
    auto entries = c_.in.fs.List(Real(path));
    if (!entries) {
      FailTo(path, "Cannot open", entries.error());
      return false;
    }
    const Tagged tagged = LookForTags(c_, Real(path), path);
    if (tagged.what == ExcludeTag::What::kAll) return false;
    if (tagged.what) std::erase_if(*entries, [&](const auto& entry) { return *tagged.what != ExcludeTag::What::kContents || entry.name != tagged.file; });
    std::sort(entries->begin(), entries->end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    const size_t at = increments.size();
    increments.push_back({.base = base_, .path = path, .found = found});
    // All directories here are told of before what is in them.
    struct Entry {
      std::string name, path;
      vfs::Attributes found;
      bool is_new = false;
    };
    std::vector<Entry> children;
    for (const vfs::DirectoryEntry& entry : *entries) {
      c_.in.budget.Step(8);
      std::string child = path + (path.ends_with('/') ? "" : "/") + entry.name;
      if (excludes_.IsExcluded(child, position_, c_.in.budget)) continue;
      const auto attributes = c_.in.fs.Stat(Real(child), vfs::Follow::kNo);
      if (!attributes) continue;
      if (c_.o.one_file_system && attributes->device != found.device) continue;
      const bool is_child_new = attributes->is_directory() && !IsOperand(*attributes) && history_.IsNew(child, *attributes);
      children.push_back({entry.name, std::move(child), *attributes, is_child_new});
    }
    for (const Entry& child : children) {
      const bool is_directory = child.found.is_directory();
      const bool is_old = !is_new && history_.IsUnchanged(child.found);
      if (is_directory && !IsOperand(child.found)) {
        PADDOCK_ASSIGN(const bool is_dumped, FindIncrements(child.path, child.found, child.is_new, increments));
        if (!is_dumped) continue;
      } else if (!is_directory && !is_old) {
        increments[at].newer.push_back(child.path);
      }
      increments[at].names += (is_directory ? 'D' : is_old ? 'N' : 'Y') + child.name + '\0';
    }
    history_.Remember(path, found, increments[at].names);
    return true;
  }

  Status DumpNames(const Increment& increment) {
    TarMember member = Describe(increment.path, increment.found);
    member.name = Stored(increment.path, NameUse::kName);
    if (!member.name.ends_with('/')) member.name += '/';
    const std::string content = increment.names + '\0';
    const bool is_pax = options_.format == TarFormat::kPax;
    member.type = is_pax ? '5' : 'D';
    if (is_pax) member.names = content;
    else member.size = member.stored = content.size();
    PADDOCK_ASSIGN(const bool is_done, WriteHeader(member));
    if (!is_done) return {};
    Announce(member, increment.path.ends_with('/') ? increment.path : increment.path + "/");
    if (is_pax) return {};
    out_.BeginContent(member.name, content.size());
    PADDOCK_TRY(out_.Write(content));
    return PadBlock(out_, content.size());
  }

  Status DumpFile(const std::string& path, const vfs::Attributes& found, TarMember& member, bool& is_written) {
    member.size = member.stored = found.size;
    auto opened = c_.in.fs.Open(Real(path), {.read = true, .no_follow = !c_.o.dereferences});
    if (!opened) {
      FailTo(path, "Cannot open", opened.error());
      return {};
    }
    vfs::OpenFile& file = **opened;
    std::string map;
    if (c_.o.sparse && found.blocks * 512 < found.size && found.size > 0) {
      if (const Status looked = FindExtents(c_, file, member); !looked) {
        FailTo(path, "Read error", looked.error());
        return {};
      }
    }
    if (member.type == 'S' && options_.format == TarFormat::kPax && options_.sparse_form == codec::TarSparseForm::k10) map = codec::TarSparseMap(member.extents);
    member.stored += map.size();
    member.name = Stored(path, NameUse::kName);
    Remember(path, found);
    PADDOCK_ASSIGN(const bool has_header, WriteHeader(member));
    if (!has_header) return {};
    Announce(member, path);
    is_written = true;
    out_.BeginContent(member.name, member.stored);
    PADDOCK_TRY(out_.Write(map));
    if (member.type == 'S') {
      for (const codec::TarExtent& extent : member.extents) {
        if (extent.length == 0) continue;
        const auto place = file.Seek(static_cast<int64_t>(extent.offset), vfs::Whence::kStart);
        PADDOCK_TRY(CopyContent(c_, out_, path, file, extent.length, !place));
      }
    } else {
      PADDOCK_TRY(CopyContent(c_, out_, path, file, member.stored, false));
    }
    PADDOCK_TRY(PadBlock(out_, member.stored));
    if (c_.o.keeps_access_time) static_cast<void>(c_.in.fs.SetTimes(Real(path), found.access_time, std::nullopt));
    if (const auto after = file.GetAttributes(); after && (after->size != found.size || after->modify_time != found.modify_time)) {
      c_.Warn("file-changed", c_.Shown(path) + ": file changed as we read it");
      c_.Differs();
    }
    return {};
  }

  Status DumpDirectory(const std::string& path, const vfs::Attributes& found, TarMember member, bool is_operand, uint64_t device) {
    if (path.size() > kLongestPath) return c_.Fatal(c_.Shown(path.substr(0, 80)) + "...: File name too long");
    for (const Identity& above : ancestors_) {
      // Only a followed symlink leads back.
      if (above == Identity{found.device, found.inode}) {
        c_.Warn("file-changed", c_.Shown(path) + ": file changed as we read it");
        c_.Differs();
        return {};
      }
    }
    const auto entries = c_.in.fs.List(Real(path));
    if (!entries) {
      FailTo(path, "Cannot open", entries.error());
      return {};
    }
    const Tagged tagged = recursive_ ? LookForTags(c_, Real(path), path + (path.ends_with('/') ? "" : "/")) : Tagged();
    if (tagged.what == ExcludeTag::What::kAll) return {};
    member.name = Stored(path, NameUse::kName);
    if (!member.name.ends_with('/')) member.name += '/';
    member.type = '5';
    // -u: what is in the directory counts, not the directory.
    if (newer_than_ == nullptr || !newer_than_->contains(path)) {
      PADDOCK_ASSIGN(const bool done, Write(member, path));
      if (!done) return {};   // nor what is in it
    }
    if (!recursive_) return {};
    if (c_.o.one_file_system && !is_operand && found.device != device) {
      if (c_.o.verbose > 0) c_.Warn("xdev", c_.Shown(path + "/") + ": file is on a different filesystem; not dumped");
      return {};
    }
    if (tagged.what == ExcludeTag::What::kContents) return Dump(vfs::JoinPath(path, tagged.file), false, found.device);
    if (tagged.what == ExcludeTag::What::kUnder) return {};
    ancestors_.emplace_back(found.device, found.inode);
    const Status done = DumpEntries(path, *entries, found.device);
    ancestors_.pop_back();
    if (c_.o.removes_files) RemoveLater(path);
    return done;
  }

  Status DumpEntries(const std::string& path, std::vector<vfs::DirectoryEntry> entries, uint64_t device) {
    const size_t patterns = ignored_.Enter(Real(path));
    if (c_.o.sort == SortOrder::kInode) {
      std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.inode < b.inode; });
    }
    StatAhead ahead;
    const bool looks_ahead = !c_.o.dereferences && !c_.o.removes_files && !c_.o.asks;
    for (size_t i = 0; i < entries.size(); ++i) {
      const std::string& name = entries[i].name;
      const std::string child = path + (path.ends_with('/') ? "" : "/") + name;
      if (excludes_.IsExcluded(child, position_, c_.in.budget) || ignored_.IsIgnored(child, name)) continue;
      PADDOCK_TRY(Dump(child, false, device, looks_ahead ? &ahead.Of(c_.in.fs, Real(path), entries, i) : nullptr));
    }
    ignored_.Leave(patterns);
    return {};
  }

  Context& c_;
  ArchiveOutput& out_;
  const Excludes& excludes_;
  const Times* newer_than_;
  Lister lister_;
  std::optional<vfs::Attributes> archive_;
  codec::TarHeaderOptions options_;
  NameGuard guard_;
  std::string base_, known_base_;
  bool recursive_ = true;
  int64_t own_time_ = 0;   // of the file at work, whatever --mtime says
  std::map<Identity, Link> links_;
  uint32_t trivial_links_ = 1;
  size_t position_ = SIZE_MAX;   // of the name at work among the options
  std::vector<Identity> ancestors_;
  std::vector<std::pair<std::string, std::string>> emptied_;
  MemberOwners owners_;
  IgnoreFiles ignored_;
  BackupHistory history_;
  std::vector<Increment> increments_;
  std::set<std::pair<uint64_t, uint64_t>> operands_, visited_;   // directories that were named, of an incremental backup
};

Dumper::Dumper(Context& context, ArchiveOutput& out, const Excludes& excludes, const Times* newer_than)
    : impl_(std::make_unique<Impl>(context, out, excludes, newer_than)) {}
Dumper::~Dumper() = default;
Status Dumper::DumpAll(const std::vector<Name>& names) { return impl_->DumpAll(names); }
Status Dumper::WriteLabel() { return impl_->WriteLabel(); }
bool Dumper::has_removed_prefixes() const { return impl_->has_removed_prefixes(); }

Status Create(Context& context) {
  PADDOCK_ASSIGN(const std::vector<Name> names, ExpandNames(context, nullptr));
  const bool has_list = std::any_of(context.o.items.begin(), context.o.items.end(), [](const NameItem& item) { return item.kind == NameItem::Kind::kFilesFrom; });
  if (names.empty() && !has_list) return context.Usage("Cowardly refusing to create an empty archive");
  PADDOCK_ASSIGN(const Excludes excludes, Excludes::Make(context));
  PADDOCK_ASSIGN(const std::unique_ptr<ArchiveOutput> out, ArchiveOutput::Create(context, context.o.archives.front()));
  Dumper dumper(context, *out, excludes);
  PADDOCK_TRY(dumper.WriteLabel());
  PADDOCK_TRY(dumper.DumpAll(names));
  ComplainOfUnused(context);
  PADDOCK_TRY(out->Finish());
  if (context.o.totals) ShowTotals(context, "written", out->bytes());
  if (context.o.verifies) return Verify(context, dumper.has_removed_prefixes());
  return {};
}

}  // namespace paddock::tar
