// tar - an archiving utility
//
// usage: tar [OPTION...] [FILE]...
//        tar {A|c|d|r|t|u|x}[OPTIONS] [ARCHIVE] [FILE]...
//
// Exit status: 0; 1 when files differ or changed while they were read; 2 for errors; 64 for an option that is none.
// Source: GNU tar 1.34; POSIX pax.
// Differs: refused: several volumes (-M, -L, -F), --sparse-version and what else the table below
// does not have; in incremental backups a directory that was renamed is new, and snapshots are of format 2; -tvv -G shows no lists of names; hosts of remote archives are not found; of checkpoints no wait=, and %c and %* stand for themselves; what is too long for an ustar or v7 header is left out altogether; lists of -T take -C and --add-file as options only. Directories are read in the order of their names.

#include "commands/archive/tar.h"

#include <algorithm>
#include <charconv>

#include "commands/file_facts.h"
#include "proc/option_complaint.h"
#include "proc/process.h"
#include "text/choice.h"
#include "text/date_parse.h"
#include "text/numbers.h"
#include "text/time_format.h"

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
  Mark(options, "--exclude " + Quote(text, true));
  options.excludes.push_back({Kind::kPattern, std::string(text), options.flags, options.items.size()});
  return {};
}
Status AddExcludeFile(Options& options, std::string_view text) {
  Mark(options, "-X " + Quote(text, true));
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
Status SetOwner(tar::OwnerChoice& choice, std::string_view text) {
  const size_t colon = text.find(':');
  const auto number = [](std::string_view digits) -> std::optional<uint64_t> {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  const std::string_view name = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    choice.id = number(text.substr(colon + 1));
    if (!choice.id) return Error(Code::kRange, std::string(text.substr(colon + 1)) + ": Invalid owner or group ID");
    if (!name.empty()) choice.name = std::string(name);
    return {};
  }
  if (const auto id = number(name)) choice.id = id;
  else choice.name = std::string(name);
  return {};
}
Status SetUser(Options& options, std::string_view text) { return SetOwner(options.owner, text); }
Status SetGroup(Options& options, std::string_view text) { return SetOwner(options.group, text); }
Status SetStrip(Options& options, std::string_view text) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), options.strip);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return Error(Code::kInvalid, std::string(text) + ": Invalid number of elements");
  return {};
}
Status SetOccurrence(Options& options, std::string_view text) {
  options.occurrence = 1;
  if (text.data() == nullptr) return {};
  uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value == 0) return Error(Code::kInvalid, std::string(text) + ": Invalid number");
  options.occurrence = value;
  return {};
}
Status SetBlocking(Options& options, std::string_view text) {
  const auto value = ParseSizeBetween(text, 1, 1 << 22, "");
  if (!value) return Error(Code::kInvalid, std::string(text) + ": Invalid blocking factor");
  options.record_blocks = *value;
  return {};
}
Status SetRecordSize(Options& options, std::string_view text) {
  const auto value = ParseSizeBetween(text, 1, 1ull << 31, kSizeSuffixes);
  if (!value) return Error(Code::kInvalid, std::string(text) + ": Invalid record size");
  if (*value % 512 != 0) return Error(Code::kInvalid, "Record size must be a multiple of 512.");
  options.record_blocks = *value / 512;
  return {};
}
Status SetArchiveFormat(Options& options, std::string_view text) {
  constexpr std::pair<std::string_view, TarFormat> kFormats[] = {{"v7", TarFormat::kV7}, {"oldgnu", TarFormat::kOldGnu}, {"ustar", TarFormat::kUstar},
                                                                 {"posix", TarFormat::kPax}, {"gnu", TarFormat::kGnu}, {"pax", TarFormat::kPax}};
  for (const auto& [name, format] : kFormats) {
    if (name != text) continue;
    options.format = format;
    return {};
  }
  return Error(Code::kInvalid, std::string(text) + ": Invalid archive format");
}
Status SetSort(Options& options, std::string_view text) {
  constexpr Choice kOrders[] = {{"none", 0}, {"name", 1}, {"inode", 2}};
  PADDOCK_ASSIGN(const int order, FindChoice("--sort", text, kOrders, true));
  options.sort = static_cast<tar::SortOrder>(order);
  return {};
}
Status SetQuoting(Options& options, std::string_view text) {
  constexpr Choice kStyles[] = {{"literal", static_cast<int>(QuotingStyle::kLiteral)}, {"shell", static_cast<int>(QuotingStyle::kShell)},
                                {"shell-always", static_cast<int>(QuotingStyle::kShellAlways)}, {"shell-escape", static_cast<int>(QuotingStyle::kShellEscape)},
                                {"shell-escape-always", static_cast<int>(QuotingStyle::kShellEscapeAlways)}, {"c", static_cast<int>(QuotingStyle::kC)},
                                {"c-maybe", static_cast<int>(QuotingStyle::kCMaybe)}, {"escape", static_cast<int>(QuotingStyle::kEscape)},
                                {"locale", static_cast<int>(QuotingStyle::kLocale)}, {"clocale", static_cast<int>(QuotingStyle::kCLocale)}};
  const auto style = FindChoice("--quoting-style", text, kStyles, true);
  if (!style) return Error(Code::kSyntax, "Unknown quoting style '" + std::string(text) + "'. Try '--quoting-style=help' to get a list.");
  options.quoting = static_cast<QuotingStyle>(*style);
  return {};
}
Status SetPaxOption(Options& options, std::string_view text) {
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view one = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    const size_t equals = one.find('=');
    const std::string key(one.substr(0, equals == std::string_view::npos ? equals : one[equals - (equals > 0)] == ':' ? equals - 1 : equals));
    const std::string value(equals == std::string_view::npos ? std::string_view() : one.substr(equals + 1));
    if (key == "delete") {
      // Whole names only; patterns of keywords are rare.
      if (value == "[acg]time" || value == "*time") options.pax_without.insert(options.pax_without.end(), {"atime", "ctime"});
      if (value == "*time") options.pax_without.emplace_back("mtime");
      options.pax_without.push_back(value);
    } else if (key == "exthdr.name") {
      if (value.find('%') != std::string::npos) {
        if (value != "%d/PaxHeaders/%f") return Error(Code::kInvalid, "Pattern " + value + " cannot be used");
      } else {
        options.pax_name = value;
      }
    } else if (equals == std::string_view::npos) {
      return Error(Code::kInvalid, "Malformed pax option: " + key);
    } else {
      options.pax_records.emplace_back(key, value);
    }
  }
  return {};
}
constexpr std::string_view kWarnings[] = {
    "all", "alone-zero-block", "bad-dumpdir", "cachedir", "contiguous-cast", "file-changed", "file-ignored", "file-removed", "file-shrank",
    "file-unchanged", "filename-with-nuls", "ignore-archive", "ignore-newer", "new-directory", "rename-directory", "symlink-cast", "timestamp",
    "unknown-cast", "unknown-keyword", "xdev", "decompress-program", "existing-file", "xattr-write", "record-size", "failed-read"};

Status SetWarning(Options& options, std::string_view text) {
  const std::string_view keyword = text.starts_with("no-") ? text.substr(3) : text == "none" ? "all" : text;
  if (std::find(std::begin(kWarnings), std::end(kWarnings), keyword) == std::end(kWarnings)) {
    std::string list;
    for (const std::string_view known : kWarnings) list += "\n  - " + Quote(known, true);
    return Error(Code::kInvalid, "invalid argument " + Quote(text, true) + " for " + Quote("--warning", true) + "\nValid arguments are:" + list);
  }
  if (text != keyword) options.silenced.emplace(keyword);
  else if (text == "all") options.silenced.clear();
  else options.silenced.erase(std::string(text));
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
Status KeepAccessTime(Options& options, std::string_view text) {
  if (text.data() != nullptr && text != "replace" && text != "system") {
    return Error(Code::kSyntax, "invalid argument " + Quote(text, true) + " for " + Quote("--atime-preserve", true) + "\nValid arguments are:\n  - " + Quote("replace", true) + "\n  - " + Quote("system", true));
  }
  options.keeps_access_time = true;
  return {};
}
Status SetHoleDetection(Options& options, std::string_view text) {
  if (text != "raw" && text != "seek") {
    return Error(Code::kSyntax, "invalid argument " + Quote(text, true) + " for " + Quote("--hole-detection", true) + "\nValid arguments are:\n  - " + Quote("raw", true) + "\n  - " + Quote("seek", true));
  }
  options.sparse = true;
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
Status SetLevel(Options& options, std::string_view text) {
  const auto level = ParseSizeBetween(text, 0, INT32_MAX, "");
  if (!level) return Error(Code::kInvalid, "Invalid incremental level value");
  options.starts_again = *level == 0;
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
    CallOptional<KeepAccessTime>(0, "atime-preserve", "METHOD", "preserve access times on dumped files: replace (default) or system"),
    Call<SetHoleDetection>(0, "hole-detection", "TYPE", "technique to detect holes: raw, as files are always searched, or seek"),
    Call<SetSnapshot>('g', "listed-incremental", "FILE", "handle new GNU-format incremental backup"),
    Flag<&Options::is_incremental>('G', "incremental", "handle old GNU-format incremental backup"),
    Call<SetLevel>(0, "level", "NUMBER", "dump level for created listed-incremental archive: 0 begins again"),
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
    Call<SetSort>(0, "sort", "ORDER", "directory sorting order: none (default), name or inode"),
    Call<NoMatter>('s', "preserve-order", nullptr, "member arguments are listed in the same order as the files in the archive"),
    Call<NoMatter>(0, "same-order", nullptr, nullptr),
    Call<SetBlocking>('b', "blocking-factor", "BLOCKS", "BLOCKS x 512 bytes per record"),
    Call<SetRecordSize>(0, "record-size", "NUMBER", "NUMBER of bytes per record, multiple of 512"),
    Call<NoMatter>('B', "read-full-records", nullptr, "reblock as we read (always done)"),
    Flag<&Options::ignores_zeros>('i', "ignore-zeros", "ignore zeroed blocks in archive (means EOF)"),
    Call<SetArchiveFormat>('H', "format", "FORMAT", "create archive of the given format: gnu, oldgnu, pax or posix, ustar, v7"),
    Set<&Options::format, TarFormat::kV7>(0, "old-archive", "same as --format=v7"),
    Set<&Options::format, TarFormat::kV7>(0, "portability", nullptr),
    Set<&Options::format, TarFormat::kPax>(0, "posix", "same as --format=posix"),
    Call<SetPaxOption>(0, "pax-option", "KEYWORD[:]=VALUE,...", "control pax keywords"),
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
    Call<SetStrip>(0, "strip-components", "NUMBER", "strip NUMBER leading components from file names on extraction"),
    Value<&Options::transform_texts>(0, "transform", "EXPRESSION", "use sed replace EXPRESSION to transform file names"),
    Value<&Options::transform_texts>(0, "xform", "EXPRESSION", nullptr),
    Flag<&Options::full_time>(0, "full-time", "print file time to its full resolution"),
    Value<&Options::index_file>(0, "index-file", "FILE", "send verbose output to FILE"),
    Flag<&Options::check_links>('l', "check-links", "print a message if not all links are dumped"),
    Flag<&Options::ignores_failed_read>(0, "ignore-failed-read", "do not exit with nonzero on unreadable files"),
    CallOptional<SetOccurrence>(0, "occurrence", "NUMBER", "process only the NUMBERth occurrence of each file in the archive"),
    Call<QuoteAlso>(0, "quote-chars", "STRING", "additionally quote characters from STRING"),
    Call<QuoteNot>(0, "no-quote-chars", "STRING", "disable quoting for characters from STRING"),
    Call<SetQuoting>(0, "quoting-style", "STYLE", "set name quoting style"),
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
    Call<SetWarning>(0, "warning", "KEYWORD", "warning control"),
    Flag<&Options::asks>('w', "interactive", "ask for confirmation for every action"),
    Flag<&Options::asks>(0, "confirmation", nullptr),
    Flag<&Options::sparse>('S', "sparse", "handle sparse files efficiently"),
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

const Option* FindOption(char name) {
  const auto* it = std::find_if(std::begin(kOptions), std::end(kOptions), [name](const Option& option) { return option.short_name == name; });
  return it == std::end(kOptions) ? nullptr : it;
}
// True when the long option that `text` abbreviates takes the next argument.
bool TakesNext(std::string_view text) {
  const Option* found = nullptr;
  for (const Option& option : kOptions) {
    if (option.long_name == nullptr || !std::string_view(option.long_name).starts_with(text)) continue;
    if (found == nullptr || option.long_name == text) found = &option;
    if (option.long_name == text) break;
  }
  return found != nullptr && found->argument == OptionArgument::kRequired;
}

// The arguments with old-style letters written out, and each operand as an --add-file in its place, since its place matters.
Result<std::vector<std::string>> Arrange(std::span<const std::string> args) {
  std::vector<std::string> arranged = {args[0]};
  size_t i = 1;
  if (args.size() > 1 && !args[1].empty() && args[1][0] != '-') {
    i = 2;
    for (const char letter : args[1]) {
      arranged.push_back(std::string("-") + letter);
      const Option* option = FindOption(letter);
      if (option == nullptr || option->argument != OptionArgument::kRequired) continue;
      if (i == args.size()) return Error(Code::kSyntax, std::string("Old option '") + letter + "' requires an argument.");
      arranged.push_back(args[i++]);
    }
  }
  bool is_over = false;
  for (; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (is_over || arg.size() < 2 || arg[0] != '-') {
      arranged.push_back("--add-file=" + arg);
    } else if (arg == "--") {
      is_over = true;
    } else {
      arranged.push_back(arg);
      bool takes_next = false;
      if (arg.starts_with("--")) {
        takes_next = arg.find('=') == std::string::npos && TakesNext(std::string_view(arg).substr(2));
      } else {
        for (size_t at = 1; at < arg.size(); ++at) {
          const Option* option = FindOption(arg[at]);
          if (option == nullptr || option->argument == OptionArgument::kNone) continue;
          takes_next = option->argument == OptionArgument::kRequired && at + 1 == arg.size();
          break;
        }
      }
      if (takes_next && i + 1 < args.size()) arranged.push_back(args[++i]);
    }
  }
  return arranged;
}

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
  if (tar::FormatBySuffix(base) != Format::kPlain) base.resize(base.rfind('.'));
  else if (base.ends_with(".tar")) return base.substr(0, base.size() - 4);
  return base.ends_with(".tar") ? base.substr(0, base.size() - 4) : base;
}

// What the options say together. Errors: reported.
Status Settle(Context& context) {
  Options& o = context.o;
  if (o.has_mode_conflict) return context.Usage("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option");
  if (o.mode == Mode::kNone) return context.Usage("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options");
  if (o.has_compression_conflict) return context.Usage("Conflicting compression options");
  if (o.archives.size() > 1) return context.Usage("Multiple archive files require '-M' option");
  if (o.archives.empty()) o.archives.emplace_back(context.in.env.Get("TAPE", "-"));
  if (o.is_portable_o) {
    if (o.mode == Mode::kExtract) o.same_owner = false;
    else o.format = TarFormat::kV7;
  }
  const bool has_pax_options = !o.pax_records.empty() || !o.pax_without.empty() || !o.pax_name.empty();
  if (has_pax_options && !o.format) o.format = TarFormat::kPax;
  if (has_pax_options && o.format != TarFormat::kPax) return context.Usage("--pax-option can be used only on POSIX archives");
  if (o.by_suffix && o.mode == Mode::kCreate && !o.has_compression && o.compress_program.empty()) {
    o.compression = tar::FormatBySuffix(o.archives.front());
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
  const bool writes = tar::IsWriting(o.mode);
  if (o.verifies && (o.has_compression || !o.compress_program.empty())) return context.Usage("Cannot verify compressed archives");
  if (o.verifies && !writes) return context.Usage(std::string("'--verify' cannot be used with '-") + tar::LetterOf(o.mode) + "'");
  if (o.verifies && o.archives.front() == "-") return context.Fatal("Cannot verify stdin/stdout archive");
  PADDOCK_TRY(context.checkpoints.Start(context, writes));
  if (!o.owner_map_file.empty()) {
    PADDOCK_ASSIGN(o.owner_map, tar::ReadOwnerMap(context, o.owner_map_file, false));
  }
  if (!o.group_map_file.empty()) {
    PADDOCK_ASSIGN(o.group_map, tar::ReadOwnerMap(context, o.group_map_file, true));
  }
  const auto backup = ResolveBackup(context.in, o.backup_options);
  if (!backup) return tar::Reported();
  context.backup = *backup;
  return tar::ParseTransforms(context);
}

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
  Status done = Settle(context);
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
  if (index_out && !index_out->Flush()) context.Fail(context.Shown(options.index_file) + ": Cannot write: " + std::string(index_out->status().error().Text()));
  if (context.has_errors) context.Warn("Exiting with failure status due to previous errors");
  return context.status;
}

ExitStatus Run(Invocation& in) {
  Options options;
  const auto hint = [&](const std::string& message, ExitStatus status) {
    if (status == 64) ComplainOfOption(in, message);
    else in.err.Write("tar: " + message + "\n");
    in.err.Write("Try 'tar --help' or 'tar --usage' for more information.\n");
    return status;
  };
  const auto args = Arrange(in.args);
  if (!args) return hint(std::string(args.error().Text()), 2);
  const auto parsed = ParseOptions(*args, kOptions, &options);
  if (!parsed) {
    const std::string message(parsed.error().Text());
    if (message.starts_with("invalid argument")) {
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
