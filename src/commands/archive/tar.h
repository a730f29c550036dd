// What the parts of tar share: the run in progress, and the parts themselves. tar_options.h has the options.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/archive/tar_options.h"
#include "commands/user_names.h"
#include "proc/kernel.h"
#include "text/pattern.h"

namespace paddock::tar {

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

// The files that a multi-volume archive is spread over (-M), one after the other.
class Volumes {
 public:
  // Takes the number of the first one from --volno-file. Errors: reported.
  Status Start(Context& context);
  // Goes on to the next file, asking for it (or --info-script) once all that were named have been used, until `open` succeeds. Errors: reported.
  Status Next(Context& context, const std::function<Status(const std::string&)>& open);
  // The file is taken as the next volume. Errors: reported.
  Status Count(Context& context);
  // Remembers the number in --volno-file.
  void Keep(Context& context) const;
  int number() const { return number_; }   // within this archive, from 1

 private:
  Status Ask(Context& context);
  Status RunScript(Context& context);

  std::vector<std::string> names_;
  size_t at_ = 0;
  bool asks_ = false;
  int number_ = 1, global_number_ = 1;
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
  Volumes volumes;
  std::vector<std::string> unused_options;   // behind the last name; said once the names are looked at

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

// Checks what the options say together and fills in what follows from it. Errors: reported.
Status Settle(Context& context);

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
void ComplainOfUnused(Context& context);

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
// --one-top-level: the name below that directory, unless it is there already.
std::string BelowTop(const std::string& top, const std::string& name);
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
  // Where `reader` is in the archive matters when a volume ends.
  virtual void Follow(const codec::TarReader&) {}
  // Blocks of headers that only volumes have, which the reader does not see.
  virtual uint64_t volume_blocks() const { return 0; }
  // Called last, and after an error of the source: says what the unpacker has to say. Reported.
  virtual Status Close(const Error* error) = 0;
};

// An archive that is written: blocks of records, packed on the way.
class ArchiveOutput : public ByteSink {
 public:
  static Result<std::unique_ptr<ArchiveOutput>> Create(Context& context, const std::string& name);
  // The content of a member follows, `size` bytes as stored: what a further volume says when it ends within.
  virtual void BeginContent(const std::string&, uint64_t) {}
  // Fills the last record up. Errors: reported.
  virtual Status Finish() = 0;
  // The file that the archive is, to leave it out of itself.
  virtual std::optional<vfs::Attributes> attributes() const = 0;
  virtual uint64_t bytes() const = 0;
};

// The same, for archives of several volumes.
Result<std::unique_ptr<ArchiveInput>> OpenVolumes(Context& context, const std::string& name);
Result<std::unique_ptr<ArchiveOutput>> CreateVolumes(Context& context, const std::string& name);
// The header of --label for a volume; `count` is how many global headers there were.
std::string VolumeLabel(Context& context, uint64_t count, std::vector<std::pair<std::string, std::string>> records);

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
// What --label demands of the first member of an archive that is read or added to. Errors: reported.
Status CheckLabel(Context& context, const codec::TarMember& first);
// -W: reads what was written and compares it.
Status Verify(Context& context, bool has_removed_prefixes);

// Members one after the other, with tar's complaints about what is between them. Nothing at the end.
class MemberReader {
 public:
  MemberReader(Context& context, ArchiveInput& archive) : context_(context), archive_(archive), reader(archive.source(), context.in.budget) {
    reader.TellLabels();
    archive.Follow(reader);
  }
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
