// mv - move (rename) files
//
// usage: mv [OPTION]... [-T] SOURCE DEST
//        mv [OPTION]... SOURCE... DIRECTORY
//        mv [OPTION]... -t DIRECTORY SOURCE...
//
// Exit status: 0, or 1 when something could not be moved.
// Source: POSIX mv, GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/file/copy.h"
#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  CopyOptions copy;
  BackupOptions backup;
  bool strips_slashes = false;
  bool no_target_directory = false;
  bool context = false;
  std::optional<std::string> target_directory;
};

Status AddBackup(Options& o, std::string_view control) { return WantBackup(o.backup, control); }
Status AddSuffix(Options& o, std::string_view suffix) { return SetBackupSuffix(o.backup, suffix); }
template <Overwrite kOverwrite>
Status SetOverwrite(Options& o, std::string_view) {
  o.copy.overwrite = kOverwrite;
  return {};
}
template <auto kMember>
Status Turn(Options& o, std::string_view) {
  o.copy.*kMember = true;
  return {};
}
Status SetTarget(Options& o, std::string_view directory) {
  if (o.target_directory) return Error(Code::kInvalid, "multiple target directories specified");
  o.target_directory = directory;
  return {};
}

constexpr Option kOptions[] = {
    CallOptional<AddBackup>(0, "backup", "CONTROL", "make a backup of each existing destination file"),
    Call<AddBackup>('b', nullptr, nullptr, "like --backup but does not accept an argument"),
    Call<SetOverwrite<Overwrite::kAlways>>('f', "force", nullptr, "do not prompt before overwriting"),
    Call<SetOverwrite<Overwrite::kAsk>>('i', "interactive", nullptr, "prompt before overwrite"),
    Call<SetOverwrite<Overwrite::kNever>>('n', "no-clobber", nullptr, "do not overwrite an existing file"),
    Flag<&Options::strips_slashes>(0, "strip-trailing-slashes",
                                   "remove any trailing slashes from each SOURCE argument"),
    Call<AddSuffix>('S', "suffix", "SUFFIX", "override the usual backup suffix"),
    Call<SetTarget>('t', "target-directory", "DIRECTORY", "move all SOURCE arguments into DIRECTORY"),
    Flag<&Options::no_target_directory>('T', "no-target-directory", "treat DEST as a normal file"),
    Call<Turn<&CopyOptions::only_newer>>('u', "update", nullptr,
                                         "move only when the SOURCE file is newer than the destination file or when "
                                         "the destination file is missing"),
    Call<Turn<&CopyOptions::verbose>>('v', "verbose", nullptr, "explain what is being done"),
    Flag<&Options::context>('Z', "context", "set SELinux security context of destination file to default type"),
};

class Program {
 public:
  Program(Invocation& in, Options& options) : in_(in), o_(options), copier_(in, options.copy) {}

  ExitStatus Run(std::vector<std::string> operands) {
    std::optional<std::string> directory = o_.target_directory;
    if (const auto failed = TakeDestination(in_, o_.no_target_directory, operands, directory)) return *failed;
    if (!directory) return Move(operands[0], operands[1]) ? 0 : 1;
    ExitStatus status = 0;
    for (const std::string& source : operands) {
      if (!Move(source, vfs::JoinPath(*directory, vfs::BaseName(source)))) status = 1;
    }
    return status;
  }

 private:
  bool Move(std::string source, const std::string& target) {
    if (o_.strips_slashes) {
      while (source.size() > 1 && source.back() == '/') source.pop_back();
    }
    if (!copier_.CopyOperand(source, target)) return false;
    return !copier_.source_is_left() || RemoveTree(source);
  }

  // Removes what was copied to another volume.
  bool RemoveTree(const std::string& path) {
    in_.budget.Step();
    in_.budget.CheckStack();
    const auto found = in_.fs.Stat(path, vfs::Follow::kNo);
    if (!found) return Complain(path, found.error());
    const std::string shown = QuoteFile(path, in_.locale.is_utf8);
    if (!found->is_directory()) {
      if (const Status removed = in_.fs.RemoveFile(path); !removed) return Complain(path, removed.error());
      if (o_.copy.verbose) in_.out.WriteLine("removed " + shown);
      return true;
    }
    const auto entries = in_.fs.List(path);
    if (!entries) return Complain(path, entries.error());
    bool ok = true;
    for (const vfs::DirectoryEntry& entry : *entries) {
      if (!RemoveTree(vfs::JoinPath(path, entry.name))) ok = false;
    }
    if (!ok) return false;
    if (const Status removed = in_.fs.RemoveDirectory(path); !removed) return Complain(path, removed.error());
    if (o_.copy.verbose) in_.out.WriteLine("removed directory " + shown);
    return true;
  }

  bool Complain(const std::string& path, const Error& error) {
    in_.Fail("cannot remove " + QuoteFile(path, in_.locale.is_utf8), error);
    return false;
  }

  Invocation& in_;
  Options& o_;
  Copier copier_;
};

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (options.copy.overwrite == Overwrite::kNever && options.backup.wanted) {
    return in.Usage("options --backup and --no-clobber are mutually exclusive");
  }
  auto backup = ResolveBackup(in, options.backup);
  if (!backup) return 1;
  CopyOptions& copy = options.copy;
  copy.backup = std::move(*backup);
  copy.moves = copy.recursive = true;
  copy.as_regular = false;
  copy.dereference = Dereference::kNever;
  copy.keeps_links = copy.keeps_mode = copy.keeps_owner = copy.keeps_times = true;
  return Program(in, options).Run(operands);
}

}  // namespace

extern const Command kCommand_mv;
const Command kCommand_mv = Define<Options, Run>({
    .name = "mv",
    .summary = "rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY",
    .synopsis = "[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n"
                "[OPTION]... -t DIRECTORY SOURCE...",
    .options = kOptions,
});

}  // namespace paddock
