#include <algorithm>
#include <cstring>

#include "commands/archive/packed_file.h"
#include "commands/archive/tar.h"
#include "commands/file_facts.h"
#include "commands/stat_ahead.h"

namespace paddock::tar {
namespace {

using codec::TarFormat;
using codec::TarMember;
using vfs::FileType;

constexpr size_t kLongestPath = 64 << 10;
constexpr std::string_view kCacheSignature = "Signature: 8a477f597d28d172789f06886806bc55";

bool IsZero(std::string_view bytes) { return bytes.empty() || (bytes[0] == '\0' && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0); }

TimePoint MomentOf(Nanoseconds time) { return ToTimePoint(time); }

}  // namespace

class Dumper::Impl {
 public:
  Impl(Context& context, ArchiveOutput& out, const Excludes& excludes, const Times* newer_than)
      : c_(context), out_(out), excludes_(excludes), newer_than_(newer_than), lister_(context), archive_(out.attributes()) {
    options_.format = c_.o.format.value_or(TarFormat::kGnu);
    options_.pax_records = c_.o.pax_records;
    options_.pax_without = c_.o.pax_without;
    options_.pax_name = c_.o.pax_name;
  }

  Status DumpAll(const std::vector<Name>& names) {
    // What is named twice, or reached by a followed symlink, is the same file whatever its number of links.
    trivial_links_ = names.size() <= 1 && !c_.o.dereferences ? 1 : 0;
    if (c_.o.is_incremental) PADDOCK_TRY(ReadSnapshot());
    for (const Name& name : names) {
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
      PADDOCK_TRY(c_.o.is_incremental && recursive_ ? DumpIncrement(path) : Dump(path, true, 0));
    }
    if (!c_.o.snapshot.empty()) {
      if (const Status written = vfs::WriteFile(c_.in.fs, c_.o.snapshot, made_.Encode(c_.in.budget)); !written) c_.Fail(c_.o.snapshot, "Cannot open", written.error());
    }
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
    TarMember member;
    member.name = c_.o.label;
    member.type = 'V';
    member.modified = Now(c_.in.clock).seconds;
    if (options_.format == TarFormat::kPax) return c_.Fatal("labels of pax archives are not written");
    PADDOCK_TRY(Write(member, member.name));
    return {};
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
    const TimePoint modified = MomentOf(found.modify_time);
    if (c_.o.newer && modified < *c_.o.newer && (!c_.o.newer_by_change || MomentOf(found.change_time) < *c_.o.newer)) return true;
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
    const OwnerChoice& owner = Chosen(c_.o.owner_map, found.uid, c_.o.owner);
    const OwnerChoice& group = Chosen(c_.o.group_map, found.gid, c_.o.group);
    member.uid = owner.id.value_or(found.uid);
    member.gid = group.id.value_or(found.gid);
    if (!c_.o.numeric_owner && options_.format != TarFormat::kV7) {
      member.user = owner.name ? *owner.name : UserName(static_cast<uint32_t>(member.uid));
      member.group = group.name ? *group.name : GroupName(static_cast<uint32_t>(member.gid));
    }
    TimePoint modified = MomentOf(found.modify_time);
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
  static const OwnerChoice& Chosen(const OwnerMap& map, uint32_t id, const OwnerChoice& otherwise) {
    const auto it = map.find(id);
    return it == map.end() ? otherwise : it->second;
  }
  const std::string& UserName(uint32_t uid) {
    if (!user_ || user_->first != uid) {
      const UserRecord* user = c_.names.User(uid);
      user_ = {uid, user == nullptr ? std::string() : user->name};
    }
    return user_->second;
  }
  const std::string& GroupName(uint32_t gid) {
    if (!group_ || group_->first != gid) {
      const GroupRecord* group = c_.names.Group(gid);
      group_ = {gid, group == nullptr ? std::string() : group->name};
    }
    return group_->second;
  }

  std::string Stored(const std::string& name, NameUse use) {
    std::string changed = ApplyTransforms(c_, name, use);
    return use == NameUse::kSymlink ? changed : guard_.Safe(c_, changed, false);
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

  Status ReadSnapshot() {
    if (options_.format != TarFormat::kGnu) return c_.Fatal("incremental archives are only written in GNU format");
    made_.time = MomentOf(c_.in.clock.RealNow());
    if (c_.o.snapshot.empty() || c_.o.starts_again) return {};
    const auto text = vfs::ReadFile(c_.in.fs, c_.o.snapshot);
    if (!text && text.error().code == Code::kNoEntry) return {};
    if (!text) return c_.Fatal(c_.Shown(c_.o.snapshot) + ": Cannot open: " + std::string(text.error().Text()));
    auto known = Snapshot::Parse(*text, c_.in.budget);
    if (!known) return c_.Fatal(c_.Shown(c_.o.snapshot) + ": " + std::string(known.error().Text()));
    known_ = std::move(*known);
    return {};
  }

  struct Increment {
    std::string path;
    vfs::Attributes found;
    std::string names;
    std::vector<std::string> newer;
  };

  Status DumpIncrement(const std::string& path) {
    const auto found = c_.in.fs.Stat(Real(path), c_.o.dereferences ? vfs::Follow::kYes : vfs::Follow::kNo);
    if (found && !found->is_directory() && IsUnchanged(*found)) return {};
    if (!found || !found->is_directory()) return Dump(path, true, 0);
    std::vector<Increment> increments;
    PADDOCK_TRY(FindIncrements(path, *found, increments));
    for (const Increment& increment : increments) PADDOCK_TRY(DumpNames(increment));
    for (const Increment& increment : increments) {
      for (const std::string& child : increment.newer) PADDOCK_TRY(Dump(child, false, increment.found.device));
    }
    return {};
  }

  bool IsUnchanged(const vfs::Attributes& found) const { return !known_.is_new && MomentOf(found.modify_time) < known_.time && MomentOf(found.change_time) < known_.time; }

  Status FindIncrements(const std::string& path, const vfs::Attributes& found, std::vector<Increment>& increments) {
    c_.in.budget.Step(8);
    c_.in.budget.CheckStack();
    if (path.size() > kLongestPath) return c_.Fatal(c_.Shown(path.substr(0, 80)) + "...: File name too long");
    auto entries = c_.in.fs.List(Real(path));
    if (!entries) {
      FailTo(path, "Cannot open", entries.error());
      return {};
    }
    const auto known = known_.directories.find(path);
    const bool is_new = known == known_.directories.end() || known->second.inode != found.inode || known->second.device != found.device;
    if (is_new && c_.o.verbose > 0 && !c_.o.snapshot.empty()) c_.Warn("new-directory", c_.Shown(path) + ": Directory is new");
    std::sort(entries->begin(), entries->end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    const size_t at = increments.size();
    increments.push_back({.path = path, .found = found});
    for (const vfs::DirectoryEntry& entry : *entries) {
      const std::string child = path + (path.ends_with('/') ? "" : "/") + entry.name;
      if (excludes_.IsExcluded(child, position_, c_.in.budget)) continue;
      const auto attributes = c_.in.fs.Stat(Real(child), vfs::Follow::kNo);
      if (!attributes) continue;
      if (c_.o.one_file_system && attributes->device != found.device) continue;
      const bool is_directory = attributes->is_directory();
      const bool is_old = !is_new && IsUnchanged(*attributes);
      increments[at].names += (is_directory ? 'D' : is_old ? 'N' : 'Y') + entry.name + '\0';
      if (is_directory) PADDOCK_TRY(FindIncrements(child, *attributes, increments));
      else if (!is_old) increments[at].newer.push_back(child);
    }
    made_.directories[path] = {.device = found.device, .inode = found.inode, .modified = MomentOf(found.modify_time), .names = increments[at].names};
    return {};
  }

  Status DumpNames(const Increment& increment) {
    TarMember member = Describe(increment.path, increment.found);
    member.name = Stored(increment.path, NameUse::kName);
    if (!member.name.ends_with('/')) member.name += '/';
    member.type = 'D';
    const std::string content = increment.names + '\0';
    member.size = member.stored = content.size();
    PADDOCK_ASSIGN(const bool is_done, WriteHeader(member));
    if (!is_done) return {};
    Announce(member, increment.path.ends_with('/') ? increment.path : increment.path + "/");
    PADDOCK_TRY(out_.Write(content));
    return out_.Write(std::string((codec::kTarBlock - content.size() % codec::kTarBlock) % codec::kTarBlock, '\0'));
  }

  // The parts of a file that are not zero, by whole blocks; the end is told by one of no length.
  Status FindExtents(vfs::OpenFile& file, TarMember& member) {
    uint64_t at = 0;
    std::string piece;
    while (at < member.size) {
      PADDOCK_ASSIGN(const Block block, file.ReadBlock(codec::kTarBlock));
      if (block.bytes.empty()) break;
      piece = block.bytes;
      while (piece.size() < codec::kTarBlock) {
        PADDOCK_ASSIGN(const Block more, file.ReadBlock(codec::kTarBlock - piece.size()));
        if (more.bytes.empty()) break;
        piece += more.bytes;
      }
      c_.in.budget.Step();
      if (!IsZero(piece)) {
        if (!member.extents.empty() && member.extents.back().offset + member.extents.back().length == at) member.extents.back().length += piece.size();
        else member.extents.push_back({at, piece.size()});
      }
      at += piece.size();
    }
    member.stored = 0;
    for (const codec::TarExtent& extent : member.extents) member.stored += extent.length;
    if (member.extents.empty() || member.extents.back().offset + member.extents.back().length < member.size) member.extents.push_back({member.size, 0});
    member.type = 'S';
    PADDOCK_ASSIGN(const uint64_t back, file.Seek(0, vfs::Whence::kStart));
    static_cast<void>(back);
    return {};
  }

  Status DumpFile(const std::string& path, const vfs::Attributes& found, TarMember& member, bool& is_written) {
    member.size = member.stored = found.size;
    auto opened = c_.in.fs.Open(Real(path), {.read = true, .no_follow = !c_.o.dereferences});
    if (!opened) {
      FailTo(path, "Cannot open", opened.error());
      return {};
    }
    vfs::OpenFile& file = **opened;
    if (c_.o.sparse && found.blocks * 512 < found.size && found.size > 0) {
      if (options_.format != TarFormat::kGnu && options_.format != TarFormat::kOldGnu) return c_.Fatal("sparse files are only written to GNU archives");
      if (const Status looked = FindExtents(file, member); !looked) {
        FailTo(path, "Read error", looked.error());
        return {};
      }
    }
    member.name = Stored(path, NameUse::kName);
    Remember(path, found);
    PADDOCK_ASSIGN(const bool has_header, WriteHeader(member));
    if (!has_header) return {};
    Announce(member, path);
    is_written = true;
    if (member.type == 'S') {
      for (const codec::TarExtent& extent : member.extents) {
        if (extent.length == 0) continue;
        const auto place = file.Seek(static_cast<int64_t>(extent.offset), vfs::Whence::kStart);
        PADDOCK_TRY(CopyContent(path, file, extent.length, !place));
      }
    } else {
      PADDOCK_TRY(CopyContent(path, file, member.stored, false));
    }
    PADDOCK_TRY(out_.Write(std::string((codec::kTarBlock - member.stored % codec::kTarBlock) % codec::kTarBlock, '\0')));
    if (c_.o.keeps_access_time) static_cast<void>(c_.in.fs.SetTimes(Real(path), found.access_time, std::nullopt));
    if (const auto after = file.GetAttributes(); after && (after->size != found.size || after->modify_time != found.modify_time)) {
      c_.Warn("file-changed", c_.Shown(path) + ": file changed as we read it");
      c_.Differs();
    }
    return {};
  }

  // Exactly `size` bytes, whatever the file has become.
  Status CopyContent(const std::string& path, vfs::OpenFile& file, uint64_t size, bool is_broken) {
    while (size > 0 && !is_broken) {
      const auto block = file.ReadBlock(static_cast<size_t>(std::min<uint64_t>(size, 1 << 20)));
      if (!block) {
        c_.Fail(c_.Shown(path) + ": Read error: " + std::string(block.error().Text()));
        break;
      }
      if (block->bytes.empty()) {
        c_.Warn("file-shrank", c_.Shown(path) + ": File shrank by " + std::to_string(size) + (size == 1 ? " byte" : " bytes") + "; padding with zeros");
        c_.Differs();
        break;
      }
      c_.in.budget.Step(static_cast<int64_t>(block->bytes.size() / 512 + 1));
      size -= block->bytes.size();
      PADDOCK_TRY(out_.Write(block->bytes));
    }
    const std::string zeros(32 << 10, '\0');
    while (size > 0) {
      const size_t part = static_cast<size_t>(std::min<uint64_t>(size, zeros.size()));
      c_.in.budget.Step();
      PADDOCK_TRY(out_.Write(std::string_view(zeros).substr(0, part)));
      size -= part;
    }
    return {};
  }

  // How a directory with tag files is dumped.
  struct Tagged {
    std::optional<ExcludeTag::What> what;
    std::string file;
  };
  Tagged LookForTags(const std::string& path) {
    for (const ExcludeTag& tag : c_.o.exclude_tags) {
      const std::string real = vfs::JoinPath(Real(path), tag.file);
      if (!c_.in.fs.Stat(real, vfs::Follow::kNo)) continue;
      if (tag.needs_signature) {
        auto opened = c_.in.fs.Open(real, vfs::OpenFlags::Read());
        const auto head = opened ? (*opened)->ReadBlock(kCacheSignature.size()) : Result<Block>(Code::kNoEntry);
        if (!head || head->bytes != kCacheSignature) continue;
      }
      return {tag.what, tag.file};
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
    const Tagged tagged = recursive_ ? LookForTags(path) : Tagged();
    if (tagged.what == ExcludeTag::What::kAll) return {};
    member.name = Stored(path, NameUse::kName);
    if (!member.name.ends_with('/')) member.name += '/';
    member.type = '5';
    if (newer_than_ == nullptr || !IsOld(path, found)) {
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
    if (c_.o.removes_files) emptied_.emplace_back(Real(path), path);
    return done;
  }

  Status DumpEntries(const std::string& path, std::vector<vfs::DirectoryEntry> entries, uint64_t device) {
    const size_t patterns = ignored_.size();
    PADDOCK_TRY(ReadIgnoreFiles(path));
    if (c_.o.sort == SortOrder::kInode) {
      std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.inode < b.inode; });
    }
    StatAhead ahead;
    const bool looks_ahead = !c_.o.dereferences && !c_.o.removes_files && !c_.o.asks;
    for (size_t i = 0; i < entries.size(); ++i) {
      const std::string& name = entries[i].name;
      const std::string child = path + (path.ends_with('/') ? "" : "/") + name;
      if (excludes_.IsExcluded(child, position_, c_.in.budget) || IsIgnored(child, name)) continue;
      PADDOCK_TRY(Dump(child, false, device, looks_ahead ? &ahead.Of(c_.in.fs, Real(path), entries, i) : nullptr));
    }
    ignored_.resize(patterns);
    return {};
  }

  struct Ignored {
    bool is_recursive;   // matched with paths; without, with names
    std::shared_ptr<Matcher> matcher;
  };
  Status ReadIgnoreFiles(const std::string& path) {
    for (const auto& [file, is_recursive] : c_.o.ignore_files) {
      const auto opened = c_.in.fs.Open(vfs::JoinPath(Real(path), file), vfs::OpenFlags::Read());
      if (!opened) continue;
      Input input(**opened, c_.in.budget);
      while (const auto line = input.ReadLine()) {
        if (line->text.empty()) continue;
        MatchFlags flags;
        ignored_.push_back({is_recursive, std::make_shared<Matcher>(std::string(line->text), flags, true, false, c_.in.locale.is_utf8)});
      }
    }
    return {};
  }
  bool IsIgnored(const std::string& child, const std::string& name) {
    return std::any_of(ignored_.begin(), ignored_.end(), [&](const Ignored& pattern) {
      return pattern.matcher->Matches(pattern.is_recursive ? child : name, c_.in.budget);
    });
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
  std::vector<Ignored> ignored_;
  Snapshot known_, made_;
  std::optional<std::pair<uint32_t, std::string>> user_, group_;
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
  PADDOCK_TRY(out->Finish());
  if (context.o.totals) ShowTotals(context, "written", out->bytes());
  if (context.o.verifies) return Verify(context, dumper.has_removed_prefixes());
  return {};
}

}  // namespace paddock::tar
