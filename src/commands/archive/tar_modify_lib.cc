// tar's modes that list, compare and change an archive.

#include <algorithm>

#include "commands/archive/packed_file.h"
#include "commands/archive/tar.h"
#include "commands/file_facts.h"

namespace paddock::tar {
namespace {

using codec::kTarBlock;
using codec::TarMember;
using vfs::Follow;

// Compares members with files.
class Comparer {
 public:
  Comparer(Context& context, codec::TarReader& reader) : c_(context), reader_(reader) {}

  Status Compare(const TarMember& member, const std::string& path, const std::string& name) {
    const auto found = c_.in.fs.Stat(path, c_.o.dereferences ? Follow::kYes : Follow::kNo);
    name_ = name;
    if (member.type == '2') {
      const auto target = c_.in.fs.ReadLink(path);
      if (!target && target.error().code == Code::kNoEntry) Missing("Cannot readlink", target.error());
      else if (!target) Say("File type differs");
      else if (*target != member.link) Say("Symlink differs");
      return {};
    }
    if (!found) {
      Missing("Cannot stat", found.error());
      return {};
    }
    switch (member.type) {
      case '1': {
        const auto other = c_.in.fs.Stat(vfs::JoinPath(base, member.link), Follow::kNo);
        if (!other) Missing("Cannot stat", other.error());
        else if (!IsSameFile(*other, *found)) Say("Not linked to " + c_.Listed(member.link));
        return {};
      }
      case '5': case 'D':
        if (!found->is_directory()) Say("File type differs");
        else CompareMode(member, *found);
        return {};
      case '3': case '4': case '6': {
        const vfs::FileType type = member.type == '6' ? vfs::FileType::kFifo : member.type == '3' ? vfs::FileType::kCharDevice : vfs::FileType::kBlockDevice;
        if (found->type != type) Say("File type differs");
        else if (member.type != '6' && found->special != (member.major << 8 | member.minor)) Say("Device number differs");
        else CompareMode(member, *found);
        return {};
      }
      default: return CompareFile(member, path, *found);
    }
  }
  std::string base;   // of -C

 private:
  void Say(const std::string& what) {
    c_.shown->Write(c_.Listed(name_) + ": " + what + "\n");
    c_.Differs();
  }
  void Missing(const char* what, const Error& error) {
    c_.Warn(c_.Shown(name_) + ": Warning: " + what + ": " + std::string(error.Text()));
    c_.Differs();
  }
  void CompareMode(const TarMember& member, const vfs::Attributes& found) {
    if ((found.mode & 07777) != member.mode) Say("Mode differs");
  }
  Status CompareFile(const TarMember& member, const std::string& path, const vfs::Attributes& found) {
    if (!found.is_file()) {
      Say("File type differs");
      return {};
    }
    CompareMode(member, found);
    if (found.uid != member.uid) Say("Uid differs");
    if (found.gid != member.gid) Say("Gid differs");
    const TimePoint modified = ToTimePoint(found.modify_time);
    if (modified.seconds != member.modified || (member.format == codec::TarFormat::kPax && modified.nanos != member.modified_nanos)) Say("Mod time differs");
    if (found.size != member.size) {
      Say("Size differs");
      return {};
    }
    auto opened = c_.in.fs.Open(path, vfs::OpenFlags::Read());
    if (!opened) {
      c_.Fail(name_, "Cannot open", opened.error());
      return {};
    }
    Input input(**opened, c_.in.budget);
    bool differs = false;
    const auto compare = [&](std::string_view bytes) -> Status {
      while (!differs && !bytes.empty()) {
        const std::string_view have = input.Peek().substr(0, bytes.size());
        differs = have.empty() || have != bytes.substr(0, have.size());
        bytes.remove_prefix(have.size());
        input.Consume(have.size());
      }
      return {};
    };
    const Status read = reader_.ReadContent(compare, [&](uint64_t count) -> Status {
      const std::string zeros(32 << 10, '\0');
      while (count > 0 && !differs) {
        const size_t part = static_cast<size_t>(std::min<uint64_t>(count, zeros.size()));
        c_.in.budget.Step();
        PADDOCK_TRY(compare(std::string_view(zeros).substr(0, part)));
        count -= part;
      }
      return {};
    });
    if (!read) return read;
    if (differs) Say("Contents differ");
    return {};
  }

  Context& c_;
  codec::TarReader& reader_;
  std::string name_;
};

// A plain archive file that is changed in place. Errors: reported.
Result<vfs::OpenFilePtr> OpenToChange(Context& context, bool creates) {
  const std::string& name = context.o.archives.front();
  if (context.o.has_compression || !context.o.compress_program.empty()) return context.Usage("Cannot update compressed archives");
  if (name == "-") return context.Usage("Options '-Aru' are incompatible with '-f -'");
  auto file = context.in.fs.Open(name, {.read = true, .write = true, .create = creates});
  if (!file) return context.Fatal(context.Shown(name) + ": Cannot open: " + std::string(file.error().Text()));
  return *file;
}

// An ArchiveInput over an opened plain file.
class PlainInput final : public ArchiveInput {
 public:
  PlainInput(Context& context, vfs::OpenFilePtr file) : context_(context), file_(std::move(file)), input_(*file_, context.in.budget), source_(input_) {}
  Status Check() {
    const auto head = source_.Look(10);
    if (!head) return context_.Fatal("Cannot read: " + std::string(head.error().Text()));
    if (codec::Recognize(*head) != codec::Format::kPlain) return context_.Fatal("Cannot update compressed archives");
    is_empty_ = head->empty();
    return {};
  }
  ByteSource& source() override { return source_; }
  Status Close(const Error*) override { return {}; }
  bool is_empty() const { return is_empty_; }

 private:
  Context& context_;
  vfs::OpenFilePtr file_;
  Input input_;
  InputSource source_;
  bool is_empty_ = false;
};

// Writes on from a place within a file.
class AppendedOutput final : public ArchiveOutput {
 public:
  AppendedOutput(Context& context, vfs::OpenFilePtr file, uint64_t at) : context_(context), file_(std::move(file)), bytes_(at), start_(at) {}
  Status Start() {
    const auto place = file_->Seek(static_cast<int64_t>(bytes_), vfs::Whence::kStart);
    return place ? Status() : Failed(place.error());
  }
  Status Write(std::string_view bytes) override {
    bytes_ += bytes.size();
    if (bytes_ > 0) context_.checkpoints.Reached(context_, (bytes_ - 1) / (context_.o.record_blocks * kTarBlock));
    const Status written = file_->Write(bytes);
    return written ? Status() : Failed(written.error());
  }
  Status Finish() override {
    const uint64_t record = context_.o.record_blocks * kTarBlock;
    uint64_t left = 2 * kTarBlock;
    left += (record - (bytes_ + left) % record) % record;
    const std::string zeros(kTarBlock, '\0');
    for (; left > 0; left -= kTarBlock) {
      context_.in.budget.Step();
      PADDOCK_TRY(Write(zeros));
    }
    const Status cut = file_->Truncate(bytes_);
    return cut ? Status() : Failed(cut.error());
  }
  std::optional<vfs::Attributes> attributes() const override {
    const auto found = file_->GetAttributes();
    return found ? std::optional(*found) : std::nullopt;
  }
  uint64_t bytes() const override { return bytes_ - start_; }

 private:
  Error Failed(const Error& error) { return context_.Fatal(context_.Shown(context_.o.archives.front()) + ": Cannot write: " + std::string(error.Text())); }
  Context& context_;
  vfs::OpenFilePtr file_;
  uint64_t bytes_, start_;
};

// Reads to the end of an archive that is to be added to; with `times` keeps the newest time of each name.
Result<uint64_t> FindEnd(Context& context, const vfs::OpenFilePtr& file, Dumper::Times* times) {
  PlainInput archive(context, file);
  PADDOCK_TRY(archive.Check());
  if (archive.is_empty()) return uint64_t{0};
  MemberReader members(context, archive);
  TarMember member;
  for (bool is_first = true;;) {
    PADDOCK_ASSIGN(const bool found, members.Next(member));
    if (!found) return members.end_block() * kTarBlock;
    if (std::exchange(is_first, false)) PADDOCK_TRY(CheckLabel(context, member));
    if (times == nullptr) continue;
    std::string name = member.name;
    while (name.size() > 1 && name.back() == '/') name.pop_back();
    const std::pair<int64_t, int32_t> time{member.modified, member.modified_nanos};
    auto& kept = times->try_emplace(name, time).first->second;
    kept = std::max(kept, time);
  }
}

}  // namespace

Status CheckLabel(Context& context, const TarMember& first) {
  const std::string& wanted = context.o.label;
  if (wanted.empty()) return {};
  if (first.type != 'V') return context.Fatal("Archive not labeled to match " + context.Word(wanted));
  const Pattern pattern(wanted, {.extglob = false});
  std::string_view label = first.name;
  const size_t suffix = label.rfind(" Volume ");
  const bool is_numbered = suffix != std::string_view::npos && suffix + 8 < label.size() && label.find_first_not_of("0123456789", suffix + 8) == std::string_view::npos;
  if (context.o.multi_volume && is_numbered) label = label.substr(0, suffix);
  if (!pattern.Matches(label, context.in.budget)) return context.Fatal("Volume " + context.Word(first.name) + " does not match " + context.Word(wanted));
  return {};
}

Status List(Context& context) {
  PADDOCK_ASSIGN(Selection selection, Selection::Make(context));
  PADDOCK_ASSIGN(const std::unique_ptr<ArchiveInput> archive, ArchiveInput::Open(context, context.o.archives.front()));
  MemberReader members(context, *archive);
  Lister lister(context);
  NameGuard guard;
  TarMember member;
  bool is_started = context.o.starting_member.empty();
  bool is_first = true;
  while (!selection.IsAllFound()) {
    PADDOCK_ASSIGN(const bool found, members.Next(member));
    if (!found) break;
    if (std::exchange(is_first, false)) PADDOCK_TRY(CheckLabel(context, member));
    is_started = is_started || member.name == context.o.starting_member;
    if (!is_started || (context.o.items.empty() && !context.o.starting_member.empty() && member.name != context.o.starting_member)) continue;
    if (selection.Find(member.name) == nullptr) {
      if (context.o.shows_omitted && member.type == '5') context.Warn(context.Shown(std::string_view(member.name).substr(0, member.name.find_last_not_of('/') + 1)) + ": Omitting");
      continue;
    }
    if (context.o.newer && TimePoint{member.modified, member.modified_nanos} < *context.o.newer) continue;
    std::string shown = member.name, link = member.link;
    std::string plain = member.name;
    while (plain.size() > 1 && plain.ends_with('/')) plain.pop_back();
    std::string safe = StripComponents(ApplyTransforms(context, plain, NameUse::kName), context.o.strip);
    if (!safe.empty() && member.type != 'V') safe = guard.Safe(context, safe, false);
    if (!safe.empty() && context.o.wants_one_top_level) safe = BelowTop(*context.o.one_top_level, safe);
    if (context.o.shows_transformed) shown = safe + (member.name.ends_with('/') ? "/" : "");
    if (context.o.verbose > 0) lister.Show(member, shown, link);
    else context.shown->Write(context.Listed(shown) + "\n");
    if (!context.shown->status()) return context.Fatal("stdout: write error");
  }
  selection.Finish(context);
  PADDOCK_TRY(members.Finish());
  if (context.o.totals) ShowTotals(context, "read", (members.reader.bytes_taken() + context.o.record_blocks * 512 - 1) / (context.o.record_blocks * 512) * (context.o.record_blocks * 512));
  return {};
}

Status Diff(Context& context) {
  PADDOCK_ASSIGN(Selection selection, Selection::Make(context));
  PADDOCK_ASSIGN(const std::unique_ptr<ArchiveInput> archive, ArchiveInput::Open(context, context.o.archives.front()));
  MemberReader members(context, *archive);
  Comparer comparer(context, members.reader);
  Lister lister(context);
  NameGuard guard;
  TarMember member;
  while (!selection.IsAllFound()) {
    PADDOCK_ASSIGN(const bool found, members.Next(member));
    if (!found) break;
    const Name* wanted = selection.Find(member.name);
    if (wanted == nullptr || member.type == 'V') continue;
    if (context.o.verbose > 1) lister.Show(member, member.name, member.link);
    else if (context.o.verbose > 0) context.shown->Write(context.Listed(member.name) + "\n");
    std::string name = guard.Safe(context, StripComponents(ApplyTransforms(context, member.name, NameUse::kName), context.o.strip), false);
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    comparer.base = wanted->directory;
    if (const Status done = comparer.Compare(member, vfs::JoinPath(wanted->directory, name), name); !done) return members.Report(done.error());
  }
  selection.Finish(context);
  return members.Finish();
}

Status Verify(Context& context, bool has_removed_prefixes) {
  const auto archive_file = context.in.fs.Stat(context.o.archives.front());
  if (!archive_file || !archive_file->is_file()) return {};
  const bool is_transformed = !context.o.transforms.empty();
  if (is_transformed) context.Warn("Archive contains transformed file names.");
  if (has_removed_prefixes) context.Warn("Archive contains file names with leading prefixes removed.");
  if (is_transformed || has_removed_prefixes) context.Warn("Verification may fail to locate original files.");
  std::string directory;
  PADDOCK_ASSIGN(const std::vector<Name> names, ExpandNames(context, &directory));
  PADDOCK_ASSIGN(const std::unique_ptr<ArchiveInput> archive, ArchiveInput::Open(context, context.o.archives.front()));
  MemberReader members(context, *archive);
  Comparer comparer(context, members.reader);
  comparer.base = directory;
  Lister lister(context);
  TarMember member;
  while (true) {
    PADDOCK_ASSIGN(const bool found, members.Next(member));
    if (!found) return members.Finish();
    if (member.type == 'V') continue;
    if (context.o.verbose > 0) context.shown->Write("Verify ");
    if (context.o.verbose > 1) lister.Show(member, member.name, member.link);
    else if (context.o.verbose > 0) context.shown->Write(context.Listed(member.name) + "\n");
    std::string name = member.name;
    while (name.size() > 1 && name.ends_with('/')) name.pop_back();
    if (const Status done = comparer.Compare(member, vfs::JoinPath(directory, name), name); !done) return members.Report(done.error());
  }
}

Status Append(Context& context) {
  PADDOCK_ASSIGN(const std::vector<Name> names, ExpandNames(context, nullptr));
  ComplainOfUnused(context);   // here they are looked at before anything is written
  PADDOCK_ASSIGN(const Excludes excludes, Excludes::Make(context));
  PADDOCK_ASSIGN(const vfs::OpenFilePtr file, OpenToChange(context, true));
  const bool is_update = context.o.mode == Mode::kUpdate;
  Dumper::Times times;
  PADDOCK_ASSIGN(const uint64_t end, FindEnd(context, file, is_update ? &times : nullptr));
  AppendedOutput out(context, file, end);
  PADDOCK_TRY(out.Start());
  Dumper dumper(context, out, excludes, is_update ? &times : nullptr);
  PADDOCK_TRY(dumper.DumpAll(names));
  PADDOCK_TRY(out.Finish());
  return context.o.verifies ? Verify(context, dumper.has_removed_prefixes()) : Status();
}

Status Catenate(Context& context) {
  PADDOCK_ASSIGN(const std::vector<Name> names, ExpandNames(context, nullptr));
  PADDOCK_ASSIGN(const vfs::OpenFilePtr file, OpenToChange(context, true));
  PADDOCK_ASSIGN(const uint64_t end, FindEnd(context, file, nullptr));
  AppendedOutput out(context, file, end);
  PADDOCK_TRY(out.Start());
  for (const Name& name : names) {
    const std::string path = name.directory.empty() ? name.text : vfs::JoinPath(name.directory, name.text);
    auto opened = context.in.fs.Open(path, vfs::OpenFlags::Read());
    if (!opened) {
      context.Fail(name.text, "Cannot open", opened.error());
      continue;
    }
    PlainInput archive(context, *opened);
    PADDOCK_TRY(archive.Check());
    MemberReader members(context, archive);
    TarMember member;
    while (true) {
      PADDOCK_ASSIGN(const bool found, members.Next(member));
      if (!found) break;
      PADDOCK_TRY(out.Write(members.reader.raw_header()));
      uint64_t size = 0;
      const Status copied = members.reader.CopyStored([&](std::string_view bytes) -> Status {
        size += bytes.size();
        return out.Write(bytes);
      });
      if (!copied) return members.Report(copied.error());
      PADDOCK_TRY(out.Write(std::string((kTarBlock - size % kTarBlock) % kTarBlock, '\0')));
    }
  }
  PADDOCK_TRY(out.Finish());
  return context.o.verifies ? Verify(context, false) : Status();
}

Status Delete(Context& context) {
  PADDOCK_ASSIGN(Selection selection, Selection::Make(context));
  vfs::OpenFilePtr file;
  std::unique_ptr<ArchiveOutput> output;
  if (context.o.archives.front() == "-") {   // a filter
    if (context.o.has_compression || !context.o.compress_program.empty()) return context.Usage("Cannot update compressed archives");
    file = context.in.process.descriptors().Get(0);
    if (!file) return context.Fatal("-: Cannot read: " + std::string(CodeText(Code::kBadDescriptor)));
    PADDOCK_ASSIGN(output, ArchiveOutput::Create(context, "-"));
  } else {
    // What stays moves to the front of the same file, never past what is still to be read.
    PADDOCK_ASSIGN(file, OpenToChange(context, false));
    PADDOCK_ASSIGN(vfs::OpenFilePtr target, OpenToChange(context, false));
    output = std::make_unique<AppendedOutput>(context, std::move(target), 0);
  }
  ArchiveOutput& out = *output;
  PlainInput archive(context, file);
  PADDOCK_TRY(archive.Check());
  MemberReader members(context, archive);
  TarMember member;
  while (true) {
    PADDOCK_ASSIGN(const bool found, members.Next(member));
    if (!found) break;
    const bool has_names = std::any_of(context.o.items.begin(), context.o.items.end(), [](const NameItem& item) { return item.kind != NameItem::Kind::kMark; });
    if (has_names && selection.Find(member.name) != nullptr) continue;
    PADDOCK_TRY(out.Write(members.reader.raw_header()));
    uint64_t size = 0;
    const Status copied = members.reader.CopyStored([&](std::string_view bytes) -> Status {
      size += bytes.size();
      return out.Write(bytes);
    });
    if (!copied) return members.Report(copied.error());
    PADDOCK_TRY(out.Write(std::string((kTarBlock - size % kTarBlock) % kTarBlock, '\0')));
  }
  selection.Finish(context);
  return out.Finish();
}

Status TestLabel(Context& context) {
  PADDOCK_ASSIGN(const std::vector<Name> names, ExpandNames(context, nullptr));
  PADDOCK_ASSIGN(const std::unique_ptr<ArchiveInput> archive, ArchiveInput::Open(context, context.o.archives.front()));
  MemberReader members(context, *archive);
  TarMember member;
  PADDOCK_ASSIGN(const bool found, members.Next(member));
  const bool has_label = found && member.type == 'V';
  if (names.empty()) {
    if (has_label) context.shown->Write(member.name + "\n");
    return {};
  }
  if (has_label && context.o.verbose > 0) context.shown->Write(member.name + "\n");
  const bool matches = has_label && std::any_of(names.begin(), names.end(), [&](const Name& name) {
    return Matcher(name.text, name.flags, name.flags.wildcards.value_or(false), true, context.in.locale.is_utf8).Matches(member.name, context.in.budget);
  });
  if (matches) return {};
  if (context.o.verbose > 0) context.Warn("Archive label mismatch");
  context.Differs();
  return {};
}

}  // namespace paddock::tar
