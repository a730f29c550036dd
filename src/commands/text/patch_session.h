// One run of patch: the patches of one input, the files they are about, and what is said on the way.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"
#include "text/diff/patch_apply.h"
#include "text/diff/patch_parser.h"
#include "text/quote.h"

namespace paddock {

enum class PatchBackup { kNone, kSimple, kNumbered, kExisting };

struct PatchSettings {
  PatchKind kind = PatchKind::kNone;
  int64_t strip = -1;
  int64_t fuzz = 2;
  bool ignores_blanks = false;
  bool forward = false;
  bool reverse = false;
  bool batch = false;
  bool force = false;
  bool silent = false;
  bool verbose = false;
  bool dry_run = false;
  bool posix = false;
  bool binary = false;
  bool follows_symlinks = false;
  bool removes_empty = false;
  bool backs_up = false;
  bool backs_up_mismatch = true;
  PatchBackup backup = PatchBackup::kExisting;
  std::string prefix, base_prefix, suffix = ".orig";
  bool has_simple_name = false;       // -B, -Y or -z was given
  bool has_suffix = false;            // -z was given, or the environment has an unusual one
  std::optional<std::string> output, reject;
  std::optional<bool> unified_rejects;
  std::optional<std::string> ifdef;
  bool sets_utc = false;
  bool sets_local_time = false;
  enum class ReadOnly { kIgnore, kWarn, kFail } read_only = ReadOnly::kWarn;
  QuotingStyle quoting = QuotingStyle::kShell;
};

// The files of a run. Paths are as the patch names them, relative to the working directory.
class PatchFiles {
 public:
  PatchFiles(Invocation& in, const PatchSettings& settings) : in_(in), settings_(settings) {}

  // Whether a path stays below the working directory, also through symlinks.
  bool StaysInside(std::string_view path) const;
  // Nothing when there is none, or it is to be removed. Follows the last symlink if asked to.
  std::optional<vfs::Attributes> Stat(const std::string& path, bool follows) const;
  Result<std::string> Read(const std::string& path, const vfs::Attributes& attributes) const;

  // Makes the directories above `path`.
  Status MakeParents(const std::string& path);
  // Replaces or makes `path` and the directories above it.
  Status Write(const std::string& path, std::string_view content, uint32_t mode, bool is_symlink);
  // Once for each file of a run. Without attributes the file was not there: then the backup is empty and closed to all.
  Status BackUp(const std::string& path, const std::optional<vfs::Attributes>& attributes, std::string_view content);
  void RemoveLater(const std::string& path);
  void ForgetRemoval(const std::string& path) { removals_.erase(path); }
  // Removes what was marked, and directories that are empty then.
  Status RemoveMarked();
  // Adds to a reject or output file, which is emptied at first.
  Status Append(const std::string& path, std::string_view text);

  Error Fatal(std::string_view what, const std::string& path, const Error& error) const;
  std::string Quoted(std::string_view name) const { return QuoteText(name, settings_.quoting, in_.locale.is_utf8); }

 private:
  std::string BackupName(const std::string& path) const;

  Invocation& in_;
  const PatchSettings& settings_;
  std::set<std::string> removals_;
  std::vector<std::string> removal_order_;
  std::set<std::string> backed_up_;
  std::set<std::string> begun_;
};

class PatchSession {
 public:
  // `file` is the operand that names the file to patch.
  PatchSession(Invocation& in, const PatchSettings& settings, std::optional<std::string> file);

  // 0, or 1 when a hunk failed. Errors end the run: their message goes behind "****".
  Result<ExitStatus> Run(std::string text);

 private:
  // What is known of the patch at hand.
  struct Target {
    std::string in_name, out_name;
    bool is_known = false;
    std::optional<vfs::Attributes> attributes;
    std::string content;
    bool is_symlink = false;
    bool skips = false;           // leave the file as it is
    bool skips_rejects = false;
    bool is_unsafe = false;       // named by the user: may be anywhere
    bool was_renamed_before = false;
    bool applies_anyway = false;
    bool reverse = false;
    bool is_mismatch = false;
    bool changes_nothing = false;   // all hunks failed
  };
  struct Delayed {
    std::string path;
    std::string content;
    uint32_t mode;
    bool is_symlink;
    std::optional<TimePoint> time;
  };

  void Say(std::string_view text) { said_.Write(text); }
  std::string Ask(std::string_view question);
  std::string Quoted(std::string_view name) const { return files_.Quoted(name); }
  TimeZone HeaderZone() const;

  void SayKind(const PatchHeader& header);
  void SayLead(const PatchHeader& header);
  Result<ExitStatus> Patch(const PatchHeader& header);
  Status Choose(const PatchHeader& header, Target& target);
  std::optional<std::string> ChooseName(const PatchHeader& header, const Target& target);
  bool ChooseBoth(const PatchHeader& header, Target& target);
  void AskForFile(const PatchHeader& header, Target& target);
  void CheckDirection(const PatchHeader& header, Target& target, bool exists, bool is_empty);
  bool MayReverse(std::string_view complaint, Target& target);
  bool Inspect(const PatchHeader& header, Target& target);
  Status CheckPrerequisite(const PatchHeader& header, const Target& target);
  void SayFile(const PatchHeader& header, const Target& target);

  Result<int64_t> ApplyHunks(const PatchHeader& header, Target& target, std::string& result, std::string& rejects);
  int64_t Place(PatchHunk& hunk, int64_t number, PatchedText& text, Target& target, int64_t& fuzz);
  Result<ExitStatus> ApplyScript(const PatchHeader& header, Target& target);
  std::string RejectHeader(const PatchHeader& header, const Target& target) const;
  Status SaveRejects(const Target& target, std::string_view text);
  Result<bool> Store(const PatchHeader& header, Target& target, std::string content);
  std::optional<TimePoint> NewTime(const PatchHeader& header, const Target& target, size_t side);
  Status WriteOut(const Delayed& file);
  Status FlushDelayed();
  Status WriteOutput();
  Status CopyUnpatched();

  Invocation& in_;
  const PatchSettings& settings_;
  std::optional<std::string> file_;
  Output& said_;
  PatchFiles files_;
  std::optional<PatchParser> parser_;
  std::vector<Delayed> delayed_;
  std::string output_;       // what goes to -o
  bool has_output_ = false;
  int64_t hunk_count_ = 0;
  bool is_first_ = true;
};

}  // namespace paddock
