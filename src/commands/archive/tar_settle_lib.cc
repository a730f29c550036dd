// What tar's options say together, before anything is done.
#include <algorithm>

#include "commands/archive/tar.h"
#include "commands/file_facts.h"
#include "text/date/date_parse.h"
#include "text/date/time_format.h"

namespace paddock::tar {
namespace {

using codec::Format;
using codec::TarFormat;

// A date, or a file's time: anything with a '/' or '.' in front names a file.
Result<TimePoint> DateOrFile(Context& context, const std::string& text, bool may_be_file) {
  if (may_be_file && (text.starts_with('/') || text.starts_with('.'))) {
    const auto found = context.in.fs.Stat(text);
    if (!found) return context.Fatal(context.Shown(text) + ": Cannot stat: " + std::string(found.error().Text()));
    return ToTimePoint(found->modify_time);
  }
  const auto moment = ParseDate(text, Now(context.in.clock), context.zone, context.in.budget);
  if (!moment) return context.Fatal("Unknown date format " + context.Word(text));
  return *moment;
}

std::string TopLevelOf(const std::string& archive) {
  std::string base = vfs::BaseName(archive);
  if (FormatBySuffix(base) != Format::kPlain) base.resize(base.rfind('.'));
  else if (base.ends_with(".tar")) return base.substr(0, base.size() - 4);
  return base.ends_with(".tar") ? base.substr(0, base.size() - 4) : base;
}

}  // namespace

Status Settle(Context& context) {
  Options& o = context.o;
  if (o.has_mode_conflict) return context.Usage("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option");
  if (o.mode == Mode::kNone) return context.Usage("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options");
  const bool reads_members = o.mode == Mode::kExtract || o.mode == Mode::kList || o.mode == Mode::kDiff || o.mode == Mode::kDelete;
  if (o.occurrence && !reads_members) return context.Usage(std::string("'--occurrence' cannot be used with '-") + LetterOf(o.mode) + "'");
  const bool has_names = std::any_of(o.items.begin(), o.items.end(), [](const NameItem& item) {
    return item.kind == NameItem::Kind::kName || item.kind == NameItem::Kind::kFilesFrom;
  });
  if (o.occurrence && !has_names) return context.Usage("--occurrence is meaningless without a file list");
  if (o.has_compression_conflict) return context.Usage("Conflicting compression options");
  if (o.archives.size() > 1 && !o.multi_volume) return context.Usage("Multiple archive files require '-M' option");
  if (o.archives.empty()) o.archives.emplace_back(context.in.env.Get("TAPE", "-"));
  if (o.is_portable_o) {
    if (o.mode == Mode::kExtract) o.same_owner = false;
    else o.format = TarFormat::kV7;
  }
  const bool has_pax_options = !o.pax_records.empty() || !o.pax_without.empty() || !o.pax_name.empty();
  if (has_pax_options && !o.format) o.format = TarFormat::kPax;
  if (has_pax_options && o.format != TarFormat::kPax) return context.Usage("--pax-option can be used only on POSIX archives");
  if (o.by_suffix && o.mode == Mode::kCreate && !o.has_compression && o.compress_program.empty()) {
    o.compression = FormatBySuffix(o.archives.front());
    o.has_compression = o.compression != Format::kPlain;
  }
  if (!o.mode_text.empty()) {
    auto change = ModeChange::Parse(o.mode_text);
    if (!change) return context.Fatal("Invalid mode given on option");
    o.mode_change = std::move(*change);
  }
  if (!o.mtime_text.empty()) {
    PADDOCK_ASSIGN(o.mtime, DateOrFile(context, o.mtime_text, true));
  }
  if (!o.newer_text.empty()) {
    PADDOCK_ASSIGN(o.newer, DateOrFile(context, o.newer_text, true));
  }
  if (!o.newer_mtime_text.empty()) {
    PADDOCK_ASSIGN(o.newer, DateOrFile(context, o.newer_mtime_text, false));
  }
  if (o.mtime && o.verbose > 0 && o.mode == Mode::kCreate && !o.mtime_text.starts_with('/') && !o.mtime_text.starts_with('.')) {
    context.Warn("Option --mtime: Treating date '" + o.mtime_text + "' as " + FormatTime("%Y-%m-%d %H:%M:%S", context.zone.ToLocal(o.mtime->seconds), *o.mtime, context.in.budget));
  }
  if (o.clamps && !o.mtime) return context.Usage("--clamp-mtime needs a date specified using --mtime");
  // Names win over what they are called here, numbers over both.
  if (o.owner.name && !o.owner.id) {
    if (const UserRecord* user = context.names.User(*o.owner.name)) o.owner.id = user->uid;
  }
  if (o.group.name && !o.group.id) {
    if (const GroupRecord* group = context.names.Group(*o.group.name)) o.group.id = group->gid;
  }
  if (o.wants_one_top_level && !o.one_top_level) {
    o.one_top_level = TopLevelOf(o.archives.front());
    if (o.archives.front() == "-" || o.one_top_level->empty()) return context.Usage("Cannot deduce top-level directory name; please set it explicitly with --one-top-level=DIR");
  }
  const bool writes = IsWriting(o.mode);
  const bool wants_gnu = o.multi_volume || o.sparse || !o.label.empty();
  if (writes && wants_gnu && (o.format == TarFormat::kV7 || o.format == TarFormat::kUstar)) return context.Usage("GNU features wanted on incompatible archive format");
  if (o.multi_volume) {
    if (o.verifies) return context.Usage("Cannot verify multi-volume archives");
    if (o.has_compression || !o.compress_program.empty()) return context.Usage("Cannot use multi-volume compressed archives");
    if (o.tape_length != 0 && o.tape_length < o.record_blocks * codec::kTarBlock) return context.Usage("Volume length cannot be less than record size");
    if (writes && o.mode != Mode::kCreate) return context.Fatal("archives of several volumes are not changed, only created");
  }
  PADDOCK_TRY(context.volumes.Start(context));
  if (o.verifies && (o.has_compression || !o.compress_program.empty())) return context.Usage("Cannot verify compressed archives");
  if (o.verifies && !writes) return context.Usage(std::string("'--verify' cannot be used with '-") + LetterOf(o.mode) + "'");
  if (o.verifies && o.archives.front() == "-") return context.Fatal("Cannot verify stdin/stdout archive");
  PADDOCK_TRY(context.checkpoints.Start(context, writes));
  if (!o.owner_map_file.empty()) {
    PADDOCK_ASSIGN(o.owner_map, ReadOwnerMap(context, o.owner_map_file, false));
  }
  if (!o.group_map_file.empty()) {
    PADDOCK_ASSIGN(o.group_map, ReadOwnerMap(context, o.group_map_file, true));
  }
  const auto backup = ResolveBackup(context.in, o.backup_options);
  if (!backup) return Reported();
  context.backup = *backup;
  return ParseTransforms(context);
}

}  // namespace paddock::tar
