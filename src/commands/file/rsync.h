// What the parts of rsync share: its settings, the list of files to send, and the rules that leave names out.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"
#include "text/mode.h"

namespace paddock::rsync {

// One rule of --filter, --exclude, --include or a merged file.
struct Rule {
  std::string pattern;        // without leading and trailing slash
  std::string base;           // directory of the per-directory file that it is from, "" for the root of the transfer
  bool is_include = false;
  bool is_anchored = false;
  bool is_directory_only = false;
  bool is_negated = false;
  bool for_sender = true, for_receiver = true;
  bool is_merge = false;      // `pattern` names a per-directory file
  bool merge_excludes = false, merge_includes = false, is_inherited = true, excludes_itself = false, splits_words = false;
};

class Filter {
 public:
  explicit Filter(Invocation& in) : in_(in) {}

  // Text of --filter. Errors: kSyntax with rsync's complaint.
  Status AddRule(std::string_view text);
  // Text of --exclude or --include.
  void AddPattern(std::string_view text, bool is_include);
  // A file of rules, or of patterns; "-" is standard input.
  Status AddFile(const std::string& path, bool is_pattern, bool is_include, bool ends_with_nul);
  // --cvs-exclude: the names that CVS leaves out, those of ~/.cvsignore and $CVSIGNORE, and a .cvsignore in each directory.
  void AddCvs();
  // --delete-excluded: excludes that name no side are the sender's.
  void LimitToSender();

  // Reads the per-directory files of the directory `name` in the transfer ("" is its root) that is at `path`.
  void Enter(const std::string& name, const std::string& path);

  enum class Side { kSender, kReceiver };
  // True when the rules leave the name out (or protect it, on the receiver's side).
  bool IsExcluded(const std::string& name, bool is_directory, Side side) const;

 private:
  Status AddTo(std::vector<Rule>& rules, std::string_view text, const std::string& base, int depth);
  Status ReadInto(std::vector<Rule>& rules, std::string_view content, char delimiter, const std::string& base, const Rule& how, int depth);
  void AddPatternTo(std::vector<Rule>& rules, std::string_view pattern, Rule rule) const;
  // 1 included, -1 excluded, 0 nothing said.
  int Verdict(const std::vector<Rule>& rules, const std::string& name, bool is_directory, Side side) const;
  int MergedVerdict(const Rule& merge, const std::string& name, bool is_directory, Side side) const;
  bool Matches(const Rule& rule, const std::string& name, bool is_directory) const;

  Invocation& in_;
  std::vector<Rule> rules_;
  std::map<std::string, std::vector<Rule>> merged_;   // by file name, '\0' and directory
};

// A rule of --usermap or --groupmap.
struct IdRule {
  std::string name;               // a wildcard for names; empty for numbers
  uint32_t low = 0, high = 0;
  uint32_t to = 0;
};

struct Settings {
  int verbose = 0, itemize = 0, human = 1;
  bool quiet = false, recursive = false, relative = false, implied_dirs = true, backup = false, update = false, inplace = false;
  bool dirs = false, no_dirs = false, links = false, copy_links = false, copy_dirlinks = false, safe_links = false, copy_unsafe_links = false;
  bool hard_links = false, perms = false, executability = false, owner = false, group = false, devices = false, specials = false;
  bool times = false, atimes = false, omit_dir_times = false, omit_link_times = false, dry_run = false, one_file_system = false;
  bool existing = false, ignore_existing = false, remove_source = false, ignore_errors = false, force = false, prune_empty = false;
  bool deletes = false, delete_excluded = false, ignore_missing = false, checksum = false, ignore_times = false, size_only = false;
  bool partial = false, progress = false, stats = false, from_nul = false, list_only = false, makes_path = false, eight_bit = false;
  enum class When { kDuring, kBefore, kDelay, kAfter } delete_when = When::kDuring;
  std::optional<int64_t> max_delete;
  std::optional<uint64_t> max_size, min_size;
  bool appends = false, verifies_append = false, delay_updates = false, keep_dirlinks = false, copy_devices = false, drops_special = false, super = false;
  bool delete_missing = false, is_slowed = false, says_on_error = false;
  uint64_t bytes_a_second = 0;             // with is_slowed
  std::optional<Nanoseconds> stops_at;     // on the monotonic clock
  int64_t modify_window = 0;
  std::string partial_dir, log_file, log_format;
  std::map<std::string, int> info;         // levels of --info, by name
  int InfoLevel(const char* name) const {
    const auto found = info.find(name);
    return found == info.end() ? 0 : found->second;
  }
  std::vector<IdRule> user_map, group_map;
  std::string suffix, backup_dir, temp_dir, files_from, out_format;
  enum class Alternative { kNone, kCompare, kCopy, kLink } alternative = Alternative::kNone;
  std::vector<std::string> alternatives;
  std::vector<std::string> chmod;          // as given
};

// --chmod: clauses for files (F), directories (D) or both.
class ModeRules {
 public:
  Status Add(std::string_view text);
  uint32_t Apply(uint32_t mode, bool is_directory) const;
  bool is_empty() const { return clauses_.empty(); }

 private:
  struct Clause {
    char kind;
    ModeChange change;
  };
  std::vector<Clause> clauses_;
};

struct Entry {
  std::string name;      // below the destination; "." is the destination
  std::string source;    // path to read it by
  std::string target;    // of a symbolic link
  vfs::Attributes attributes;
  bool has_contents = false;   // a directory whose entries are all in the list
  bool is_copied_device = false;
  bool is_implied = false;     // a parent directory of --relative
  bool is_directory() const { return attributes.is_directory(); }
};

// One run.
struct Session {
  Session(Invocation& invocation, Settings& given) : in(invocation), settings(given), filter(invocation) {}

  Invocation& in;
  Settings& settings;
  Filter filter;
  ModeRules modes;
  std::vector<Entry> entries;
  std::vector<std::string> missing;   // with --delete-missing-args: names below the destination
  vfs::OpenFilePtr log;
  bool has_failed = false;     // exit status 23
  bool has_read_error = false; // nothing is deleted then
  bool limit_reached = false;  // of --max-delete: exit status 25

  // "rsync: [ROLE] WHAT "PATH" failed: REASON (N)"
  void Complain(std::string_view role, std::string_view what, const std::string& path, const Error& error);
  void Say(std::string_view line) {
    if (!settings.quiet) messages().WriteLine(line);
  }
  Output& messages() { return settings.says_on_error ? in.err : in.out; }
  // A line of --log-file, with the time.
  void Log(const std::string& line);
  std::string Absolute(std::string_view path) const { return path.starts_with('/') ? std::string(path) : in.fs.cwd() + (in.fs.cwd() == "/" ? "" : "/") + std::string(path); }
};

// Text for numbers in output: with commas, or units of -h.
std::string NumberText(uint64_t number, int human);

// Fills the list from the operands, sorted and without doubles.
void BuildList(Session& session, const std::vector<std::string>& sources, const std::vector<std::string>* files);
// Copies; the exit status, after everything has been said.
ExitStatus Transfer(Session& session, const std::string& destination);
void ShowList(Session& session);
// True when the path sorts before the other: files before directories in each directory.
bool IsBefore(const Entry& a, const Entry& b);

}  // namespace paddock::rsync
