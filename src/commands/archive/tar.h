// What the parts of tar share: the options, the run in progress, and the parts themselves.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codec/coder.h"
#include "codec/tar.h"
#include "commands/file/backup.h"
#include "commands/user_names.h"
#include "lang/sed/program.h"
#include "proc/command.h"
#include "proc/kernel.h"
#include "text/mode.h"
#include "text/pattern.h"
#include "text/quote.h"
#include "text/time_zone.h"

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
  bool is_incremental = false, starts_again = false;   // --incremental; --level=0
  std::string snapshot;                                // of --listed-incremental
};

// What --listed-incremental remembers: when the last backup was, and which directories there were.
struct Snapshot {
  struct Directory {
    uint64_t device = 0, inode = 0;
    TimePoint modified{};
    std::string names;   // each with a letter in front and NUL behind: Y is in the archive, N is not, D is a directory
  };
  bool is_new = true;    // nothing is known
  TimePoint time{};
  std::map<std::string, Directory, std::less<>> directories;

  // Errors: kSyntax.
  static Result<Snapshot> Parse(std::string_view text, Budget& budget);
  std::string Encode(Budget& budget) const;
};
// The names that a directory of an incremental archive had.
std::set<std::string, std::less<>> NamesOfDump(std::string_view dump, Budget& budget);

// A fatal error that was reported already: everything stops.
inline Error Reported() { return Code::kCancelled; }

class Context;

struct CheckpointAction {
  enum class Kind { kReport, kDot, kBell, kTotals, kEcho, kTerminal, kRun, kSleep } kind;
  std::string text;
};

// What is done every so many records (--checkpoint).
class Checkpoints {
 public:
  // Errors: reported.
  Status Start(Context& context, bool writes);
  // So many records are read or written.
  void Reached(Context& context, uint64_t records);

 private:
  static constexpr uint64_t kUsualDistance = 10;
  void Run(Context& context);
  std::string Expanded(Context& context, std::string_view format) const;
  static void ToTerminal(Context& context, const std::string& text);
  uint64_t bytes(const Context& context) const;

  uint64_t every_ = 0, count_ = 0;   // every_ 0: there are none
  bool writes_ = false;
  std::vector<CheckpointAction> actions_;
};

// The run in progress: what went wrong, and where to say what is done.
class Context {
 public:
  Context(Invocation& invocation, Options& options)
      : in(invocation), o(options), names(invocation.fs, invocation.budget) {}

  Invocation& in;
  Options& o;
  UserNames names;
  TimeZone zone;
  Backup backup;
  ExitStatus status = 0;
  bool has_errors = false;
  Output* shown = nullptr;   // -v goes there
  Nanoseconds started{0};
  Checkpoints checkpoints;

  void Warn(const std::string& message);
  // Unless --warning=no-KEYWORD, or none, silences it.
  void Warn(std::string_view keyword, const std::string& message) {
    if (!o.silenced.contains(std::string(keyword)) && !o.silenced.contains("all")) Warn(message);
  }
  // status 2 at the end.
  void Fail(const std::string& message);
  void Fail(std::string_view name, const std::string& what, const Error& error) { Fail(Shown(name) + ": " + what + ": " + std::string(error.Text())); }
  // "tar: MESSAGE", "tar: Error is not recoverable: exiting now".
  Error Fatal(const std::string& message);
  // "tar: MESSAGE", "Try 'tar --help' …".
  Error Usage(const std::string& message);
  void Differs() {
    if (status == 0) status = 1;
  }
  bool IsSilenced(const std::string& keyword) const { return o.silenced.contains(keyword); }
  // Asks on the list's stream; a line of standard input that begins with y says yes.
  bool Asks(const std::string& question);
  // A name in a message, and in a list.
  std::string Shown(std::string_view name) const { return QuoteText(name, o.quoting, in.locale.is_utf8, o.quoting == QuotingStyle::kEscape ? ":" : ""); }
  std::string Listed(std::string_view name) const { return QuoteText(name, o.quoting, in.locale.is_utf8, o.quoted_too); }
  std::string Word(std::string_view name) const { return Quote(name, in.locale.is_utf8); }
};

// --- names

// The escapes of a name: \n, \t, \\, \ooo …
std::string Unquote(std::string_view text);

// A name of the command line or of a -T list.
struct Name {
  std::string text;       // without slashes at its end, for reading an archive
  std::string directory;  // of all -C before it; empty: the current one
  MatchFlags flags;
  size_t position = 0;    // among the items
  uint64_t found = 0;
};

// The names in order, lists read. `last_directory` gets what all -C come to. Errors: reported.
Result<std::vector<Name>> ExpandNames(Context& context, std::string* last_directory);

class Matcher {
 public:
  Matcher(const std::string& text, const MatchFlags& flags, bool wildcards, bool anchored, bool is_utf8);
  // With `recursive` also what lies below.
  bool Matches(std::string_view name, Budget& budget) const;

 private:
  bool MatchesAt(std::string_view name, Budget& budget) const;
  Pattern pattern_;
  bool anchored_, recursive_;
};

// What is left out.
class Excludes {
 public:
  static Result<Excludes> Make(Context& context);
  // By the patterns that stand before `position`.
  bool IsExcluded(std::string_view name, size_t position, Budget& budget) const;

 private:
  struct Item {
    size_t position;
    Matcher matcher;
  };
  std::vector<Item> items_;
};

// Which members the command line means.
class Selection {
 public:
  static Result<Selection> Make(Context& context);
  // The name that means the member: null when none does. Without names: an empty one with all -C's directory.
  const Name* Find(std::string_view member);
  // Complains about names that meant nothing.
  void Finish(Context& context);
  // True once every name was found as often as --occurrence asks.
  bool IsAllFound() const;

 private:
  Context* context_ = nullptr;
  Excludes excludes_;
  std::vector<Name> names_;
  std::vector<Matcher> matchers_;
  Name all_;
};

enum class NameUse { kName, kSymlink, kHardLink };
// --transform; errors reported.
Status ParseTransforms(Context& context);
std::string ApplyTransforms(Context& context, std::string name, NameUse use);
// --strip-components: empty when nothing is left.
std::string StripComponents(std::string_view name, uint64_t count);
// The name without what leads out of the directory, said once for each prefix; as it is with -P.
class NameGuard {
 public:
  std::string Safe(Context& context, std::string_view name, bool is_link_target);
  bool has_removed() const { return !said_.empty(); }

 private:
  std::set<std::pair<std::string, bool>> said_;
  bool said_empty_ = false;
};

// --- archives

// An archive that is read, whatever packs it.
class ArchiveInput {
 public:
  // Errors: reported.
  static Result<std::unique_ptr<ArchiveInput>> Open(Context& context, const std::string& name);
  virtual ~ArchiveInput() = default;
  virtual ByteSource& source() = 0;
  virtual bool is_packed() const { return false; }
  // A plain file, in which content may be passed over.
  virtual bool is_seekable() const { return false; }
  // Called last, and after an error of the source: says what the unpacker has to say. Reported.
  virtual Status Close(const Error* error) = 0;
};

// An archive that is written: blocks of records, packed on the way.
class ArchiveOutput : public ByteSink {
 public:
  static Result<std::unique_ptr<ArchiveOutput>> Create(Context& context, const std::string& name);
  // Fills the last record up. Errors: reported.
  virtual Status Finish() = 0;
  // The file that the archive is, to leave it out of itself.
  virtual std::optional<vfs::Attributes> attributes() const = 0;
  virtual uint64_t bytes() const = 0;
};

codec::Format FormatBySuffix(std::string_view name);

// --- what is shown

// "-rw-r--r-- user/group  size date name": `name` as it is to be shown.
class Lister {
 public:
  explicit Lister(Context& context) : context_(context) {}
  void Show(const codec::TarMember& member, const std::string& name, const std::string& link);

 private:
  size_t width_ = 19, date_width_ = 16;
  Context& context_;
};
void ShowTotals(Context& context, const char* what, uint64_t bytes);
// "10240 (10KiB, 2.0MiB/s)".
std::string TotalsText(const Context& context, uint64_t bytes);

// --- children

// The letter of the mode's option.
char LetterOf(Mode mode);
// An archive is made or changed.
bool IsWriting(Mode mode);
// What commands that tar runs find in their environment.
Environment ChildEnvironment(const Context& context);
// A program that packs, unpacks or takes what is extracted, beside us.
class Child {
 public:
  // Through sh -c. Errors: reported.
  static Result<Child> Start(Context& context, const std::string& command, const Environment& environment, vfs::OpenFilePtr in, vfs::OpenFilePtr out);
  Result<proc::WaitStatus> End(Context& context) const;
  // A status other than 0 ends the run, reported.
  Status Wait(Context& context) const;
  int pid() const { return pid_; }

 private:
  explicit Child(int pid) : pid_(pid) {}
  int pid_;
};

// --- owners

// Errors: reported.
Result<OwnerMap> ReadOwnerMap(Context& context, const std::string& name, bool is_group);

// --- the modes

Status Create(Context& context);
Status Extract(Context& context);
Status List(Context& context);
Status Diff(Context& context);
Status Append(Context& context);   // -r, -u
Status Catenate(Context& context);
Status Delete(Context& context);
Status TestLabel(Context& context);
// -W: reads what was written and compares it.
Status Verify(Context& context, bool has_removed_prefixes);

// Members one after the other, with tar's complaints about what is between them. Nothing at the end.
class MemberReader {
 public:
  MemberReader(Context& context, ArchiveInput& archive) : context_(context), archive_(archive), reader(archive.source(), context.in.budget) {}
  Result<bool> Next(codec::TarMember& member);
  // Takes the rest of the input, so that who writes it is not cut off. Reported.
  Status Finish();
  // Turns an error of the archive into a reported one.
  Error Report(const Error& error);
  // Where the archive ends, as a block number, once Next() said so.
  uint64_t end_block() const { return end_block_; }

 private:
  Context& context_;
  ArchiveInput& archive_;
  void CountRecords();

  bool is_first_ = true, is_over_ = false;
  uint64_t end_block_ = 0, records_ = 0;
  std::optional<uint64_t> last_record_;

 public:
  codec::TarReader reader;
};

// Writes members from the file system (create, append, update).
class Dumper {
 public:
  // `newer_than` (of -u) tells the time of the newest copy in the archive, by name.
  using Times = std::map<std::string, std::pair<int64_t, int32_t>>;
  Dumper(Context& context, ArchiveOutput& out, const Excludes& excludes, const Times* newer_than = nullptr);
  ~Dumper();
  Status DumpAll(const std::vector<Name>& names);
  Status WriteLabel();
  // Names in the archive are shorter than those of the files.
  bool has_removed_prefixes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace paddock::tar
