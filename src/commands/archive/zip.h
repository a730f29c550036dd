// zip: what it is asked for, and the making of an archive. For zip*.cc alone.
#pragma once

#include <map>
#include <set>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/archive/zip_file.h"
#include "commands/archive/zip_writer.h"
#include "commands/file_facts.h"
#include "proc/command.h"

namespace paddock::zip {

using codec::ZipEntry;

inline constexpr ExitStatus kFormat = 3, kNoDraft = 10, kNothing = 12, kMissing = 13, kCannotWrite = 14, kCannotCreate = 15, kBadUsage = 16, kUnreadable = 18;

enum class Action { kAdd, kUpdate, kFreshen, kSync, kDelete, kCopy };

struct Options {
  Action action = Action::kAdd;
  bool recursive = false, recursive_patterns = false, junks = false, no_directories = false, keeps_links = false, no_extra = false, quiet = false, verbose = false;
  bool moves = false, latest_time = false, tests = false, comments = false, entry_comments = false, adjusts = false, junks_lead = false, names_from_stdin = false, stops_at_slash = false, no_wildcards = false;
  bool ignores_case = false, shows_files = false, must_match = false, encrypts = false, fixes = false, scans = false, shows_help = false, shows_license = false;
  ZipMemberOptions member;
  std::optional<uint64_t> part_size;   // -s; 0: not split
  std::optional<std::string> output, draft_directory;
  std::string suffixes = ".Z:.zip:.zoo:.arc:.lzh:.arj", from_date, before_date, method, split_size, split_talk;
  std::vector<std::string> operands, included, excluded;
};

// A file that is to go into the archive.
struct Found {
  std::string path;     // "-": standard input
  vfs::Attributes attributes;
};

// -F, or -FF: makes `options.output` of what the first operand still has.
ExitStatus Fix(Invocation& in, const Options& options);

class Zipper {
 public:
  Zipper(Invocation& in, Options& options) : in_(in), o_(options), zone_(LocalZone(in.env)) {}
  ExitStatus Run();

 private:
  // What stands against the parts that are asked for.
  std::optional<ExitStatus> CheckSplit();
  ExitStatus Fail(const std::string& message, ExitStatus status, const Error& why);
  void Warn(const std::string& message);
  void Say(const std::string& text);
  bool Matches(const std::string& pattern, const std::string& name) const;
  bool MatchesAny(const std::vector<std::string>& patterns, const std::string& name) const;
  bool IsChosen(const std::string& name) const;
  // What a path is called in the archive; empty for what has no name there.
  std::string NameOf(const std::string& path) const;
  bool IsInTime(int64_t seconds) const { return seconds >= from_ && seconds < before_; }

  // What goes in.

  // A status when that is the end.
  std::optional<ExitStatus> Prepare();
  ExitStatus NothingToDo(const std::string& hint);
  std::optional<ExitStatus> ChooseOld(const std::vector<std::string>& patterns);
  void FindOld();
  void Find(const std::string& path);
  // What is below a directory: all, or what one of the patterns means (-R).
  void Walk(const std::string& path, const std::vector<std::string>* patterns);
  void Consider(const std::string& path, const vfs::Attributes& attributes);
  void Insert(const std::string& name, Found found);

  // What is shown instead.
  ExitStatus ShowOld();
  ExitStatus ShowFound();

  // What is written.
  bool IsStoredBySuffix(const std::string& name) const;
  ZipEntry Describe(const std::string& name, const vfs::Attributes& attributes, ZipMemberOptions& member) const;
  static std::string Share(uint64_t size, uint64_t packed);
  // Adds a file to the archive that is written. A status for what ends everything.
  std::optional<ExitStatus> Add(ZipWriter& writer, const std::string& name, const char* what, std::string comment);
  // What becomes of an entry that is there already.
  std::optional<ExitStatus> TakeOld(ZipWriter& writer, const ZipEntry& entry);
  ExitStatus Write(bool is_stdout);
  ExitStatus WriteMembers(ZipWriter& writer, std::string& comment);
  std::string AskComment();
  void AskEntryComments(ZipWriter& writer);
  // Something is done without files, too.
  bool ChangesWhole() const { return o_.output || o_.comments || o_.entry_comments || o_.adjusts || o_.junks_lead || o_.latest_time || o_.tests; }
  // Opens the archive that is there; a status when it cannot be taken as it is.
  std::optional<ExitStatus> OpenOld();
  // Makes the file that becomes the archive when it is whole; a status when that cannot be.
  std::optional<ExitStatus> OpenDraft(const std::string& target, vfs::OpenFilePtr& file, std::string& draft);
  ExitStatus Conclude(const std::string& target, bool is_stdout);
  ExitStatus Test(const std::string& target);

  Invocation& in_;
  Options& o_;
  TimeZone zone_;
  std::string target_;
  Output* shown_ = nullptr;
  std::unique_ptr<ZipFile> old_;
  uint64_t old_part_size_ = 0;   // 0: it is not split
  std::map<std::string, Found> found_;
  std::vector<std::string> order_;
  std::map<std::string, bool> chosen_;
  std::vector<uint64_t> above_;
  std::vector<std::string> done_;
  int64_t from_ = INT64_MIN, before_ = INT64_MAX, latest_ = 0;
  uint64_t in_bytes_ = 0, out_bytes_ = 0, added_ = 0, changed_ = 0, missing_ = 0, unreadable_ = 0, skipped_bytes_ = 0;
  bool has_repeated_ = false;
  std::vector<std::string> dropped_;
  std::set<std::string> named_;   // entries that -c asks about
};

}  // namespace paddock::zip
