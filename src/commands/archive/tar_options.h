// What tar is asked for: the options, the values that are more than a word, and the words of the command line.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/coder.h"
#include "codec/tar.h"
#include "commands/file/backup.h"
#include "lang/sed/program.h"
#include "proc/command.h"
#include "text/date/time_zone.h"
#include "text/mode.h"
#include "text/quote.h"

namespace paddock::tar {

enum class Mode { kNone, kCreate, kExtract, kList, kAppend, kUpdate, kCatenate, kDiff, kDelete, kTestLabel };
enum class OldFiles { kDefault, kOverwrite, kKeep, kSkip, kKeepNewer, kUnlinkFirst };
enum class SortOrder { kNone, kName, kInode };

// How names are matched: what the options said before the name came.
struct MatchFlags {
  std::optional<bool> wildcards, anchored;
  bool match_slash = true, ignore_case = false, recursive = true;
};

// What the command line names, in its order.
struct NameItem {
  enum class Kind { kName, kDirectory, kFilesFrom, kMark } kind = Kind::kName;   // kMark: an option that is for what follows it
  std::string text;
  MatchFlags flags;
  bool is_verbatim = false;   // of a list: no options in it, no escapes
};

struct ExcludePattern {
  enum class Kind { kPattern, kFile, kVersionControl } kind = Kind::kPattern;
  std::string text;
  MatchFlags flags;
  size_t position = 0;   // among the items: it is for names behind it
};

struct Transform {
  std::string expression;
  sed::Program program;
  bool for_names = true, for_symlinks = true, for_hard_links = true;
};

// Directories with a tag file, and what of them stays out.
struct ExcludeTag {
  enum class What { kContents, kUnder, kAll } what;
  std::string file;
  bool needs_signature = false;   // CACHEDIR.TAG says what it is
};

struct OwnerChoice {
  std::optional<std::string> name;
  std::optional<uint64_t> id;
};

// Who files of an id belong to in the archive.
using OwnerMap = std::map<uint64_t, OwnerChoice>;

struct Options {
  bool is_utf8 = true;      // of the locale, for complaints about options
  Mode mode = Mode::kNone;
  bool has_mode_conflict = false, has_compression_conflict = false;
  std::vector<std::string> archives;
  codec::Format compression = codec::Format::kPlain;
  bool has_compression = false;
  std::string compress_program;
  bool by_suffix = false;
  int verbose = 0;
  std::vector<NameItem> items;
  MatchFlags flags;
  bool is_null = false, unquotes = true, is_verbatim = false;
  std::vector<ExcludePattern> excludes;
  std::vector<ExcludeTag> exclude_tags;
  std::vector<std::pair<std::string, bool>> ignore_files;   // --exclude-ignore[-recursive]
  std::vector<std::string> transform_texts;
  std::vector<Transform> transforms;
  uint64_t strip = 0;
  OldFiles old_files = OldFiles::kDefault;
  bool keeps_directory_metadata = false, keeps_directory_symlink = false, unlinks_recursively = false;
  bool to_stdout = false, absolute_names = false, dereferences = false, hard_dereference = false;
  std::optional<bool> same_permissions, same_owner;
  bool touch = false, numeric_owner = false, removes_files = false, one_file_system = false, sparse = false;
  bool ignores_failed_read = false, check_links = false, ignores_zeros = false, asks = false, shows_transformed = false, shows_omitted = false;
  bool full_time = false, utc = false, totals = false, block_numbers = false, shows_defaults = false, is_portable_o = false;
  bool clamps = false, keeps_access_time = false;
  std::optional<std::string> one_top_level;
  bool wants_one_top_level = false;
  OwnerChoice owner, group;
  std::string mode_text, mtime_text, newer_text, newer_mtime_text;
  std::optional<ModeChange> mode_change;
  std::optional<TimePoint> mtime, newer;
  bool newer_by_change = false;
  SortOrder sort = SortOrder::kNone;
  std::optional<codec::TarFormat> format;
  std::vector<std::pair<std::string, std::string>> pax_records;
  std::vector<std::string> pax_without;
  std::string pax_name;
  uint64_t record_blocks = 20;
  std::string label, starting_member, index_file;
  std::optional<uint64_t> occurrence;
  QuotingStyle quoting = QuotingStyle::kEscape;
  std::string quoted_too;
  BackupOptions backup_options;
  std::string to_command, owner_map_file, group_map_file;
  OwnerMap owner_map, group_map;
  bool ignores_command_error = false, verifies = false, is_local = false, delays_directories = false, shows_field_ranges = false;
  bool wants_checkpoints = false;
  std::string checkpoint;   // every so many records, a '.' in front means dots
  std::vector<std::string> checkpoint_actions;
  std::set<std::string> silenced;   // --warning=no-KEYWORD
  bool shows_help = false, shows_usage = false;
  bool multi_volume = false;
  uint64_t tape_length = 0;   // bytes; 0: as long as it takes
  std::string info_script, volume_file;
  codec::TarSparseForm sparse_form = codec::TarSparseForm::k10;
  size_t hole_unit = 4096;    // a hole is as long as some of these, as in file systems
  bool is_incremental = false, starts_again = false;   // --incremental; --level=0
  std::string snapshot;                                // of --listed-incremental
};

// --- values of options (tar_values_lib.cc); text with a null pointer is none

Status SetOwner(OwnerChoice& choice, std::string_view text);
Status SetStrip(Options& options, std::string_view text);
Status SetOccurrence(Options& options, std::string_view text);
Status SetBlocking(Options& options, std::string_view text);
Status SetRecordSize(Options& options, std::string_view text);
Status SetTapeLength(Options& options, std::string_view text);
Status SetSparseVersion(Options& options, std::string_view text);
Status SetArchiveFormat(Options& options, std::string_view text);
Status SetSort(Options& options, std::string_view text);
Status SetQuoting(Options& options, std::string_view text);
Status SetPaxOption(Options& options, std::string_view text);
Status SetWarning(Options& options, std::string_view text);
Status KeepAccessTime(Options& options, std::string_view text);
Status SetHoleDetection(Options& options, std::string_view text);
Status SetLevel(Options& options, std::string_view text);

// --- words (tar_words_lib.cc)

// The arguments with old-style letters written out, and each operand as an --add-file in its place, since its place matters.
// `table` tells which options take an argument. Errors: kSyntax.
Result<std::vector<std::string>> Arrange(std::span<const std::string> args, std::span<const Option> table);
// Words between blanks, which quotes and backslashes keep together; `has_comments`: to a word that begins with '#'. Nothing when a quote stays open.
std::optional<std::vector<std::string>> QuotedWords(std::string_view text, bool has_comments);
// The words of $TAR_OPTIONS behind the command's name. Errors: kRange.
Result<std::vector<std::string>> DefaultWords(Invocation& in);

}  // namespace paddock::tar
