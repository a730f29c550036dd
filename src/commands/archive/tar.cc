// tar - an archiving utility
//
// usage: tar [OPTION...] [FILE]...
//        tar {A|c|d|r|t|u|x}[OPTIONS] [ARCHIVE] [FILE]...
//
// Exit status: 0; 1 when files differ or changed while they were read; 2 for errors; 64 for an option that is none.
// Source: GNU tar 1.34; POSIX pax.
// Differs: refused: archives of several volumes where they are changed (-r, -u, -A, --delete), and what the table below
// does not have; snapshots of incremental backups are of format 2; -tvv -G shows no lists of names; hosts of remote archives are not found; of checkpoints no wait=, and %c and %* stand for themselves; what is too long for an ustar or v7 header is left out altogether; lists of -T take -C and --add-file as options only. Directories are read in the order of their names.

#include "commands/archive/tar.h"

#include "commands/file_facts.h"
#include "proc/option_complaint.h"

namespace paddock {
namespace {

using codec::Format;
using codec::TarFormat;
using tar::Context;
using tar::Mode;
using tar::NameItem;
using tar::OldFiles;
using tar::Options;

template <Mode kMode>
Status SetMode(Options& options, std::string_view) {
  if (options.mode != Mode::kNone && options.mode != kMode) options.has_mode_conflict = true;
  options.mode = kMode;
  return {};
}
template <Format kFormat>
Status SetFormat(Options& options, std::string_view) {
  if (options.has_compression && options.compression != kFormat) options.has_compression_conflict = true;
  options.compression = kFormat;
  options.has_compression = true;
  return {};
}
Status AddName(Options& options, std::string_view text) {
  options.items.push_back({NameItem::Kind::kName, std::string(text), options.flags});
  return {};
}
Status AddDirectory(Options& options, std::string_view text) {
  options.items.push_back({NameItem::Kind::kDirectory, std::string(text), options.flags});
  return {};
}
Status AddList(Options& options, std::string_view text) {
  options.items.push_back({NameItem::Kind::kFilesFrom, std::string(text), options.flags, options.is_verbatim});
  return {};
}
void Mark(Options& options, std::string text) { options.items.push_back({NameItem::Kind::kMark, std::move(text), {}}); }
using Kind = tar::ExcludePattern::Kind;
Status AddExclude(Options& options, std::string_view text) {
  Mark(options, "--exclude " + Quote(text, options.is_utf8));
  options.excludes.push_back({Kind::kPattern, std::string(text), options.flags, options.items.size()});
  return {};
}
Status AddExcludeFile(Options& options, std::string_view text) {
  Mark(options, "-X " + Quote(text, options.is_utf8));
  options.excludes.push_back({Kind::kFile, std::string(text), options.flags, options.items.size()});
  return {};
}
Status ExcludeBackups(Options& options, std::string_view) {
  Mark(options, "--exclude-backups");
  for (const char* pattern : {".#*", "*~", "#*#"}) options.excludes.push_back({Kind::kPattern, pattern, {}, options.items.size()});
  return {};
}
Status ExcludeVcs(Options& options, std::string_view) {
  Mark(options, "--exclude-vcs");
  options.excludes.push_back({Kind::kVersionControl, {}, {}, options.items.size()});
  return {};
}
template <tar::ExcludeTag::What kWhat, bool kIsCache>
Status AddTag(Options& options, std::string_view text) {
  options.exclude_tags.push_back({kWhat, kIsCache ? "CACHEDIR.TAG" : std::string(text), kIsCache});
  return {};
}
template <bool kIsRecursive>
Status AddIgnoreFile(Options& options, std::string_view text) {
  options.ignore_files.emplace_back(text, kIsRecursive);
  return {};
}
Status ExcludeVcsIgnores(Options& options, std::string_view) {
  for (const auto& [file, is_recursive] : {std::pair{".cvsignore", false}, std::pair{".gitignore", true}, std::pair{".bzrignore", true}, std::pair{".hgignore", true}}) {
    options.ignore_files.emplace_back(file, is_recursive);
  }
  return {};
}
template <auto kMember, bool kValue>
Status SetMatch(Options& options, std::string_view) {
  constexpr bool kIsRecursion = std::is_same_v<decltype(kMember), bool tar::MatchFlags::*>;
  if constexpr (kIsRecursion) {
    if (kMember == &tar::MatchFlags::recursive) Mark(options, kValue ? "--recursion" : "--no-recursion");
  }
  options.flags.*kMember = kValue;
  return {};
}
Status SetUser(Options& options, std::string_view text) { return tar::SetOwner(options.owner, text); }
Status SetGroup(Options& options, std::string_view text) { return tar::SetOwner(options.group, text); }
Status SetInfoScript(Options& options, std::string_view text) {
  options.info_script = text;
  options.multi_volume = true;
  return {};
}
Status SetTopLevel(Options& options, std::string_view text) {
  options.wants_one_top_level = true;
  if (text.data() != nullptr) options.one_top_level = std::string(text);
  return {};
}
Status AddVerbose(Options& options, std::string_view) {
  ++options.verbose;
  return {};
}
Status SetNewer(Options& options, std::string_view text) {
  options.newer_text = text;
  options.newer_by_change = true;
  return {};
}
Status WantBackups(Options& options, std::string_view control) { return WantBackup(options.backup_options, control); }
Status SetSuffixOfBackups(Options& options, std::string_view suffix) { return SetBackupSuffix(options.backup_options, suffix); }
Status SetNull(Options& options, std::string_view) {
  options.is_null = options.is_verbatim = true;
  return {};
}
Status UnsetNull(Options& options, std::string_view) {
  options.is_null = options.is_verbatim = false;
  return {};
}
Status NoMatter(Options&, std::string_view) { return {}; }   // says how, and it is so here anyway
Status QuoteAlso(Options& options, std::string_view text) {
  options.quoted_too += text;
  return {};
}
Status QuoteNot(Options& options, std::string_view text) {
  std::erase_if(options.quoted_too, [text](char c) { return text.find(c) != std::string_view::npos; });
  return {};
}
Status SetCheckpoint(Options& options, std::string_view text) {
  options.wants_checkpoints = true;
  options.checkpoint = std::string(text);
  return {};
}

using Match = tar::MatchFlags;
using What = tar::ExcludeTag::What;

Status SetSnapshot(Options& options, std::string_view text) {
  options.is_incremental = true;
  options.snapshot = text;
  return {};
}
constexpr Option kOptions[] = {
    Call<SetMode<Mode::kCatenate>>('A', "catenate", nullptr, "append tar files to an archive"),
    Call<SetMode<Mode::kCatenate>>(0, "concatenate", nullptr, nullptr),
    Call<SetMode<Mode::kCreate>>('c', "create", nullptr, "create a new archive"),
    Call<SetMode<Mode::kDelete>>(0, "delete", nullptr, "delete from the archive"),
    Call<SetMode<Mode::kDiff>>('d', "diff", nullptr, "find differences between archive and file system"),
    Call<SetMode<Mode::kDiff>>(0, "compare", nullptr, nullptr),
    Call<SetMode<Mode::kAppend>>('r', "append", nullptr, "append files to the end of an archive"),
    Call<SetMode<Mode::kTestLabel>>(0, "test-label", nullptr, "test the archive volume label and exit"),
    Call<SetMode<Mode::kList>>('t', "list", nullptr, "list the contents of an archive"),
    Call<SetMode<Mode::kUpdate>>('u', "update", nullptr, "only append files newer than copy in archive"),
    Call<SetMode<Mode::kExtract>>('x', "extract", nullptr, "extract files from an archive"),
    Call<SetMode<Mode::kExtract>>(0, "get", nullptr, nullptr),
    Value<&Options::archives>('f', "file", "ARCHIVE", "use archive file ARCHIVE; '-' is standard input or output"),
    Call<AddDirectory>('C', "directory", "DIR", "change to directory DIR"),
    Call<AddName>(0, "add-file", "FILE", "add FILE, whose name may begin with a dash"),
    Call<AddList>('T', "files-from", "FILE", "get names to extract or create from FILE"),
    Call<SetNull>(0, "null", nullptr, "-T reads null-terminated names; implies --verbatim-files-from"),
    Call<UnsetNull>(0, "no-null", nullptr, "disable the effect of the previous --null option"),
    Set<&Options::unquotes, true>(0, "unquote", "unquote input file or member names (default)"),
    Set<&Options::unquotes, false>(0, "no-unquote", "do not unquote input file or member names"),
    Set<&Options::is_verbatim, true>(0, "verbatim-files-from", "-T reads file names verbatim (no escape or option handling)"),
    Set<&Options::is_verbatim, false>(0, "no-verbatim-files-from", "-T treats file names starting with dash as options (default)"),
    Call<SetMatch<&Match::recursive, false>>(0, "no-recursion", nullptr, "avoid descending automatically in directories"),
    Call<SetMatch<&Match::recursive, true>>(0, "recursion", nullptr, "recurse into directories (default)"),
    Call<AddExclude>(0, "exclude", "PATTERN", "exclude files, given as a PATTERN"),
    Call<AddExcludeFile>('X', "exclude-from", "FILE", "exclude patterns listed in FILE"),
    Call<ExcludeBackups>(0, "exclude-backups", nullptr, "exclude backup and lock files"),
    Call<AddTag<What::kContents, true>>(0, "exclude-caches", nullptr, "exclude contents of directories containing CACHEDIR.TAG, except for the tag file itself"),
    Call<AddTag<What::kUnder, true>>(0, "exclude-caches-under", nullptr, "exclude everything under directories containing CACHEDIR.TAG"),
    Call<AddTag<What::kAll, true>>(0, "exclude-caches-all", nullptr, "exclude directories containing CACHEDIR.TAG"),
    Call<AddTag<What::kContents, false>>(0, "exclude-tag", "FILE", "exclude contents of directories containing FILE, except for FILE itself"),
    Call<AddTag<What::kUnder, false>>(0, "exclude-tag-under", "FILE", "exclude everything under directories containing FILE"),
    Call<AddTag<What::kAll, false>>(0, "exclude-tag-all", "FILE", "exclude directories containing FILE"),
    Call<AddIgnoreFile<false>>(0, "exclude-ignore", "FILE", "read exclude patterns for each directory from FILE, if it exists"),
    Call<AddIgnoreFile<true>>(0, "exclude-ignore-recursive", "FILE", "read exclude patterns for each directory and its subdirectories from FILE"),
    Call<ExcludeVcs>(0, "exclude-vcs", nullptr, "exclude version control system directories"),
    Call<ExcludeVcsIgnores>(0, "exclude-vcs-ignores", nullptr, "read exclude patterns from the VCS ignore files"),
    Call<SetMatch<&Match::anchored, true>>(0, "anchored", nullptr, "patterns match file name start"),
    Call<SetMatch<&Match::anchored, false>>(0, "no-anchored", nullptr, "patterns match after any '/' (default for exclusion)"),
    Call<SetMatch<&Match::ignore_case, true>>(0, "ignore-case", nullptr, "ignore case"),
    Call<SetMatch<&Match::ignore_case, false>>(0, "no-ignore-case", nullptr, "case sensitive matching (default)"),
    Call<SetMatch<&Match::wildcards, true>>(0, "wildcards", nullptr, "use wildcards (default for exclusion)"),
    Call<SetMatch<&Match::wildcards, false>>(0, "no-wildcards", nullptr, "verbatim string matching"),
    Call<SetMatch<&Match::match_slash, true>>(0, "wildcards-match-slash", nullptr, "wildcards match '/' (default for exclusion)"),
    Call<SetMatch<&Match::match_slash, false>>(0, "no-wildcards-match-slash", nullptr, "wildcards do not match '/'"),
    Set<&Options::old_files, OldFiles::kKeep>('k', "keep-old-files", "don't replace existing files when extracting, treat them as errors"),
    Set<&Options::old_files, OldFiles::kSkip>(0, "skip-old-files", "don't replace existing files when extracting, silently skip over them"),
    Set<&Options::old_files, OldFiles::kKeepNewer>(0, "keep-newer-files", "don't replace existing files that are newer than their archive copies"),
    Set<&Options::old_files, OldFiles::kOverwrite>(0, "overwrite", "overwrite existing files when extracting"),
    Set<&Options::old_files, OldFiles::kUnlinkFirst>('U', "unlink-first", "remove each file prior to extracting over it"),
    Flag<&Options::unlinks_recursively>(0, "recursive-unlink", "empty hierarchies prior to extracting directory"),
    Flag<&Options::keeps_directory_metadata>(0, "no-overwrite-dir", "preserve metadata of existing directories"),
    Set<&Options::keeps_directory_metadata, false>(0, "overwrite-dir", "overwrite metadata of existing directories when extracting (default)"),
    Flag<&Options::keeps_directory_symlink>(0, "keep-directory-symlink", "preserve existing symlinks to directories when extracting"),
    CallOptional<SetTopLevel>(0, "one-top-level", "DIR", "create a subdirectory to avoid having loose files extracted"),
    Flag<&Options::removes_files>(0, "remove-files", "remove files after adding them to the archive"),
    Flag<&Options::to_stdout>('O', "to-stdout", "extract files to standard output"),
    Value<&Options::to_command>(0, "to-command", "COMMAND", "pipe extracted files to another program"),
    Set<&Options::ignores_command_error, true>(0, "ignore-command-error", "ignore exit codes of children"),
    Set<&Options::ignores_command_error, false>(0, "no-ignore-command-error", "treat non-zero exit codes of children as error (default)"),
    Flag<&Options::verifies>('W', "verify", "attempt to verify the archive after writing it"),
    CallOptional<tar::KeepAccessTime>(0, "atime-preserve", "METHOD", "preserve access times on dumped files: replace (default) or system"),
    Call<tar::SetHoleDetection>(0, "hole-detection", "TYPE", "technique to detect holes: raw, as files are always searched, or seek"),
    Call<SetSnapshot>('g', "listed-incremental", "FILE", "handle new GNU-format incremental backup"),
    Flag<&Options::is_incremental>('G', "incremental", "handle old GNU-format incremental backup"),
    Call<tar::SetLevel>(0, "level", "NUMBER", "dump level for created listed-incremental archive: 0 begins again"),
    Call<NoMatter>(0, "check-device", nullptr, "check device numbers when creating incremental archives (there are none)"),
    Call<NoMatter>(0, "no-check-device", nullptr, "do not"),
    Flag<&Options::clamps>(0, "clamp-mtime", "only set time when the file is more recent than what was given with --mtime"),
    Set<&Options::delays_directories, true>(0, "delay-directory-restore", "set times and permissions of extracted directories at the end"),
    Set<&Options::delays_directories, false>(0, "no-delay-directory-restore", "set them when a member outside of the directory comes (default)"),
    Call<SetUser>(0, "owner", "NAME[:UID]", "force NAME as owner for added files"),
    Call<SetGroup>(0, "group", "NAME[:GID]", "force NAME as group for added files"),
    Value<&Options::owner_map_file>(0, "owner-map", "FILE", "use FILE to map file owner UIDs and names"),
    Value<&Options::group_map_file>(0, "group-map", "FILE", "use FILE to map file owner GIDs and names"),
    Value<&Options::mode_text>(0, "mode", "CHANGES", "force (symbolic) mode CHANGES for added files"),
    Value<&Options::mtime_text>(0, "mtime", "DATE-OR-FILE", "set mtime for added files from DATE-OR-FILE"),
    Flag<&Options::touch>('m', "touch", "don't extract file modified time"),
    Set<&Options::same_owner, true>(0, "same-owner", "try extracting files with the same ownership as exists in the archive (default for superuser)"),
    Set<&Options::same_owner, false>(0, "no-same-owner", "extract files as yourself (default for ordinary users)"),
    Flag<&Options::is_portable_o>('o', nullptr, "when creating, same as --old-archive; when extracting, same as --no-same-owner"),
    Flag<&Options::numeric_owner>(0, "numeric-owner", "always use numbers for user/group names"),
    Set<&Options::same_permissions, true>('p', "preserve-permissions", "extract information about file permissions (default for superuser)"),
    Set<&Options::same_permissions, true>(0, "same-permissions", nullptr),
    Set<&Options::same_permissions, false>(0, "no-same-permissions", "apply the user's umask when extracting permissions from the archive (default for ordinary users)"),
    Call<tar::SetSort>(0, "sort", "ORDER", "directory sorting order: none (default), name or inode"),
    Call<NoMatter>('s', "preserve-order", nullptr, "member arguments are listed in the same order as the files in the archive"),
    Call<NoMatter>(0, "same-order", nullptr, nullptr),
    Call<tar::SetBlocking>('b', "blocking-factor", "BLOCKS", "BLOCKS x 512 bytes per record"),
    Call<tar::SetRecordSize>(0, "record-size", "NUMBER", "NUMBER of bytes per record, multiple of 512"),
    Call<NoMatter>('B', "read-full-records", nullptr, "reblock as we read (always done)"),
    Flag<&Options::ignores_zeros>('i', "ignore-zeros", "ignore zeroed blocks in archive (means EOF)"),
    Call<tar::SetArchiveFormat>('H', "format", "FORMAT", "create archive of the given format: gnu, oldgnu, pax or posix, ustar, v7"),
    Set<&Options::format, TarFormat::kV7>(0, "old-archive", "same as --format=v7"),
    Set<&Options::format, TarFormat::kV7>(0, "portability", nullptr),
    Set<&Options::format, TarFormat::kPax>(0, "posix", "same as --format=posix"),
    Call<tar::SetPaxOption>(0, "pax-option", "KEYWORD[:]=VALUE,...", "control pax keywords"),
    Value<&Options::label>('V', "label", "TEXT", "create archive with volume name TEXT; at list time, TEXT is a pattern for it"),
    Flag<&Options::by_suffix>('a', "auto-compress", "use archive suffix to determine the compression program"),
    Set<&Options::by_suffix, false>(0, "no-auto-compress", "do not use archive suffix to determine the compression program"),
    Value<&Options::compress_program>('I', "use-compress-program", "PROG", "filter through PROG (must accept -d)"),
    Call<SetFormat<Format::kBzip2>>('j', "bzip2", nullptr, "filter the archive through bzip2"),
    Call<SetFormat<Format::kXz>>('J', "xz", nullptr, "filter the archive through xz"),
    Call<SetFormat<Format::kLzip>>(0, "lzip", nullptr, "filter the archive through lzip"),
    Call<SetFormat<Format::kLzma>>(0, "lzma", nullptr, "filter the archive through lzma"),
    Call<SetFormat<Format::kLzop>>(0, "lzop", nullptr, "filter the archive through lzop"),
    Call<SetFormat<Format::kZstd>>(0, "zstd", nullptr, "filter the archive through zstd"),
    Call<SetFormat<Format::kGzip>>('z', "gzip", nullptr, "filter the archive through gzip"),
    Call<SetFormat<Format::kGzip>>(0, "gunzip", nullptr, nullptr),
    Call<SetFormat<Format::kGzip>>(0, "ungzip", nullptr, nullptr),
    Call<SetFormat<Format::kCompress>>('Z', "compress", nullptr, "filter the archive through compress"),
    Call<SetFormat<Format::kCompress>>(0, "uncompress", nullptr, nullptr),
    CallOptional<WantBackups>(0, "backup", "CONTROL", "backup before removal, choose version CONTROL"),
    Call<SetSuffixOfBackups>(0, "suffix", "STRING", "backup before removal, override usual suffix"),
    Flag<&Options::hard_dereference>(0, "hard-dereference", "follow hard links; archive and dump the files they refer to"),
    Flag<&Options::dereferences>('h', "dereference", "follow symlinks; archive and dump the files they point to"),
    Value<&Options::starting_member>('K', "starting-file", "MEMBER-NAME", "begin at member MEMBER-NAME when reading the archive"),
    Value<&Options::newer_mtime_text>(0, "newer-mtime", "DATE", "compare date and time when data changed only"),
    Call<SetNewer>('N', "newer", "DATE-OR-FILE", "only store files newer than DATE-OR-FILE"),
    Call<SetNewer>(0, "after-date", "DATE-OR-FILE", nullptr),
    Flag<&Options::one_file_system>(0, "one-file-system", "stay in local file system when creating archive"),
    Flag<&Options::absolute_names>('P', "absolute-names", "don't strip leading '/'s from file names"),
    Call<tar::SetStrip>(0, "strip-components", "NUMBER", "strip NUMBER leading components from file names on extraction"),
    Value<&Options::transform_texts>(0, "transform", "EXPRESSION", "use sed replace EXPRESSION to transform file names"),
    Value<&Options::transform_texts>(0, "xform", "EXPRESSION", nullptr),
    Flag<&Options::full_time>(0, "full-time", "print file time to its full resolution"),
    Value<&Options::index_file>(0, "index-file", "FILE", "send verbose output to FILE"),
    Flag<&Options::check_links>('l', "check-links", "print a message if not all links are dumped"),
    Flag<&Options::ignores_failed_read>(0, "ignore-failed-read", "do not exit with nonzero on unreadable files"),
    CallOptional<tar::SetOccurrence>(0, "occurrence", "NUMBER", "process only the NUMBERth occurrence of each file in the archive"),
    Call<QuoteAlso>(0, "quote-chars", "STRING", "additionally quote characters from STRING"),
    Call<QuoteNot>(0, "no-quote-chars", "STRING", "disable quoting for characters from STRING"),
    Call<tar::SetQuoting>(0, "quoting-style", "STYLE", "set name quoting style"),
    Flag<&Options::block_numbers>('R', "block-number", "show block number within archive with each message"),
    Flag<&Options::shows_defaults>(0, "show-defaults", "show tar defaults"),
    Flag<&Options::shows_omitted>(0, "show-omitted-dirs", "list each directory that does not match search criteria"),
    Flag<&Options::shows_transformed>(0, "show-transformed-names", "show file or archive names after transformation"),
    Flag<&Options::shows_transformed>(0, "show-stored-names", nullptr),
    CallOptional<SetCheckpoint>(0, "checkpoint", "NUMBER", "display progress messages every NUMBERth record (default 10)"),
    Value<&Options::checkpoint_actions>(0, "checkpoint-action", "ACTION", "execute ACTION on each checkpoint: dot, echo[=TEXT], exec=COMMAND, sleep=TIME, totals, bell, ttyout=TEXT"),
    Flag<&Options::shows_field_ranges>(0, "show-snapshot-field-ranges", "show valid ranges for snapshot-file fields"),
    Flag<&Options::totals>(0, "totals", "print total bytes after processing the archive"),
    Flag<&Options::utc>(0, "utc", "print file modification times in UTC"),
    Call<AddVerbose>('v', "verbose", nullptr, "verbosely list files processed"),
    Call<tar::SetWarning>(0, "warning", "KEYWORD", "warning control"),
    Flag<&Options::asks>('w', "interactive", "ask for confirmation for every action"),
    Flag<&Options::asks>(0, "confirmation", nullptr),
    Flag<&Options::sparse>('S', "sparse", "handle sparse files efficiently"),
    Call<tar::SetSparseVersion>(0, "sparse-version", "MAJOR[.MINOR]", "set version of the sparse format of pax archives: 0.0, 0.1 or 1.0 (implies --sparse)"),
    Flag<&Options::multi_volume>('M', "multi-volume", "create/list/extract multi-volume archive"),
    Call<tar::SetTapeLength>('L', "tape-length", "NUMBER", "change tape after writing NUMBER x 1024 bytes"),
    Call<SetInfoScript>('F', "info-script", "NAME", "run script at end of each tape (implies -M)"),
    Call<SetInfoScript>(0, "new-volume-script", "NAME", nullptr),
    Value<&Options::volume_file>(0, "volno-file", "FILE", "use/update the volume number in FILE"),
    Call<NoMatter>('n', "seek", nullptr, "archive is seekable"),
    Call<NoMatter>(0, "no-seek", nullptr, "archive is not seekable"),
    Flag<&Options::is_local>(0, "force-local", "archive file is local even if it has a colon"),
    Call<NoMatter>(0, "rmt-command", "COMMAND", "use given rmt COMMAND on the host of a remote archive (none is reached)"),
    Call<NoMatter>(0, "rsh-command", "COMMAND", "use remote COMMAND instead of rsh (no host is reached)"),
    Call<NoMatter>(0, "xattrs-include", "MASK", "specify the include pattern for xattr keys (files here have none)"),
    Call<NoMatter>(0, "xattrs-exclude", "MASK", "specify the exclude pattern for xattr keys (files here have none)"),
    Call<NoMatter>(0, "no-acls", nullptr, nullptr),
    Call<NoMatter>(0, "no-selinux", nullptr, nullptr),
    Call<NoMatter>(0, "no-xattrs", nullptr, nullptr),
    Call<NoMatter>(0, "xattrs", nullptr, "Enable extended attributes support (files here have none)"),
    Call<NoMatter>(0, "acls", nullptr, "Enable the POSIX ACLs support (files here have none)"),
    Call<NoMatter>(0, "selinux", nullptr, "Enable the SELinux context support (files here have none)"),
    Call<NoMatter>(0, "restrict", nullptr, "disable use of some potentially harmful options (none is there)"),
    Flag<&Options::shows_help>('?', "help", "give this help list"),
    Flag<&Options::shows_usage>(0, "usage", "give a short usage message"),
};

constexpr std::string_view kFieldRanges =
    "This tar's snapshot file field ranges are\n   (field name      => [ min, max ]):\n\n"
    "    nfs             => [ 0, 1 ],\n    timestamp_sec   => [ -9223372036854775808, 9223372036854775807 ],\n    timestamp_nsec  => [ 0, 999999999 ],\n"
    "    dev             => [ 0, 18446744073709551615 ],\n    ino             => [ 0, 18446744073709551615 ],\n\n";

Status RunMode(Context& context) {
  switch (context.o.mode) {
    case Mode::kCreate: return tar::Create(context);
    case Mode::kExtract: return tar::Extract(context);
    case Mode::kList: return tar::List(context);
    case Mode::kDiff: return tar::Diff(context);
    case Mode::kAppend:
    case Mode::kUpdate: return tar::Append(context);
    case Mode::kCatenate: return tar::Catenate(context);
    case Mode::kDelete: return tar::Delete(context);
    case Mode::kTestLabel: return tar::TestLabel(context);
    case Mode::kNone: break;
  }
  return {};
}

ExitStatus Perform(Invocation& in, Options& options) {
  Context context(in, options);
  context.started = in.clock.MonotonicNow();
  context.zone = options.utc ? TimeZone() : LocalZone(in.env);
  const bool writes_stdout = options.mode == Mode::kCreate && (options.archives.empty() || options.archives.front() == "-");
  context.shown = writes_stdout || options.to_stdout ? &in.err : &in.out;
  vfs::OpenFilePtr index;
  std::unique_ptr<Output> index_out;
  Status done = tar::Settle(context);
  if (done && !options.index_file.empty()) {
    auto opened = in.fs.Open(options.index_file, vfs::OpenFlags::Write());
    if (!opened) {
      done = context.Fatal(context.Shown(options.index_file) + ": Cannot open: " + std::string(opened.error().Text()));
    } else {
      index = *opened;
      index_out = std::make_unique<Output>(*index);
      context.shown = index_out.get();
    }
  }
  if (done) done = RunMode(context);
  if (!done && done.error().code != Code::kCancelled) static_cast<void>(context.Fatal(std::string(done.error().Text())));
  context.volumes.Keep(context);
  if (index_out && !index_out->Flush()) context.Fail(context.Shown(options.index_file) + ": Cannot write: " + std::string(index_out->status().error().Text()));
  if (context.has_errors) context.Warn("Exiting with failure status due to previous errors");
  return context.status;
}

ExitStatus Run(Invocation& in) {
  Options options;
  options.is_utf8 = in.locale.is_utf8;
  const auto hint = [&](const std::string& message, ExitStatus status) {
    if (status == 64) ComplainOfOption(in, message);
    else in.err.Write("tar: " + message + "\n");
    in.err.Write("Try 'tar --help' or 'tar --usage' for more information.\n");
    return status;
  };
  const auto args = tar::Arrange(in.args, kOptions);
  if (!args) return hint(std::string(args.error().Text()), 2);
  const auto defaults = tar::DefaultWords(in);
  auto parsed = defaults ? ParseOptions(*defaults, kOptions, &options) : Result<ParsedOptions>(defaults.error());
  if (parsed && !parsed->operands.empty()) return hint("non-option arguments in TAR_OPTIONS", 2);
  if (!parsed && parsed.error().code == Code::kSyntax) {
    (void)hint(std::string(parsed.error().Text()), 64);
    in.err.Write("tar: error parsing TAR_OPTIONS\n");
    return 64;
  }
  if (parsed) parsed = ParseOptions(*args, kOptions, &options);
  if (!parsed) {
    const std::string message(parsed.error().Text());
    if (message.starts_with("invalid argument") || message.starts_with("ambiguous argument")) {
      in.err.Write("tar: " + message + "\n");
      return 2;
    }
    if (parsed.error().code != Code::kRange) return hint(message, parsed.error().code == Code::kSyntax ? 64 : 2);
    in.err.Write("tar: " + message + "\ntar: Error is not recoverable: exiting now\n");
    return 2;
  }
  if (options.shows_help || options.shows_usage) {
    in.out.Write(HelpText(in.command, in.name_in_messages()));
    return 0;
  }
  if (parsed->wants_version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  if (options.shows_field_ranges) {
    in.out.Write(kFieldRanges);
    return 0;
  }
  if (options.shows_defaults) {
    in.out.Write("--format=gnu -f- -b20 --quoting-style=escape\n");
    return 0;
  }
  return Perform(in, options);
}

}  // namespace

extern const Command kCommand_tar;
const Command kCommand_tar = {
    .name = "tar",
    .summary = "save many files together into a single archive, and restore individual files from it",
    .synopsis = "[OPTION...] [FILE]...",
    .details = "Examples:\n  tar -cf archive.tar foo bar  # Create archive.tar from files foo and bar.\n"
               "  tar -tvf archive.tar         # List all files in archive.tar verbosely.\n"
               "  tar -xf archive.tar          # Extract all files from archive.tar.\n",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
