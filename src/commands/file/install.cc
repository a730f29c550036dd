// install - copy files and set their attributes
//
// usage: install [OPTION]... [-T] SOURCE DEST
//        install [OPTION]... SOURCE... DIRECTORY
//        install [OPTION]... -t DIRECTORY SOURCE...
//        install [OPTION]... -d DIRECTORY...
//
// Exit status: 0, or 1 when something could not be installed.
// Source: GNU coreutils 9.1.
// Differs: security contexts do not exist, so -Z does nothing, as on a kernel without them; -s needs a strip program
// among the sandbox's commands.

#include <charconv>
#include <memory>
#include <set>

#include "commands/file/copy.h"
#include "commands/user_names.h"
#include "text/mode.h"
#include "text/quote.h"

namespace paddock {
namespace {

constexpr uint32_t kDefaultMode = 0755;

struct Options {
  BackupOptions backup;
  bool compares = false, makes_directories = false, makes_parents = false, keeps_times = false, strips = false;
  bool no_target_directory = false, verbose = false, keeps_context = false, is_ignored = false, has_context = false;
  std::optional<std::string> group, owner, mode, strip_program, target_directory, context;
};

Status AddBackup(Options& o, std::string_view control) { return WantBackup(o.backup, control); }
Status AddSuffix(Options& o, std::string_view suffix) { return SetBackupSuffix(o.backup, suffix); }
Status SetTarget(Options& o, std::string_view directory) {
  if (o.target_directory) return Error(Code::kInvalid, "multiple target directories specified");
  o.target_directory = directory;
  return {};
}
Status SetContext(Options& o, std::string_view context) {
  if (context.data() != nullptr) o.context = context;
  return {};
}

constexpr Option kOptions[] = {
    CallOptional<AddBackup>(0, "backup", "CONTROL", "make a backup of each existing destination file"),
    Call<AddBackup>('b', nullptr, nullptr, "like --backup but does not accept an argument"),
    Flag<&Options::is_ignored>('c', nullptr, "(ignored)"),
    Flag<&Options::compares>('C', "compare", "do not touch a destination that has the same content, owner and mode already"),
    Flag<&Options::makes_directories>('d', "directory", "treat all arguments as names of directories to make, parents too"),
    Flag<&Options::makes_parents>('D', nullptr, "make the leading directories of DEST, or all of --target-directory, then copy"),
    Value<&Options::group>('g', "group", "GROUP", "set the group, instead of the process's own"),
    Value<&Options::mode>('m', "mode", "MODE", "set the permission bits (as in chmod), instead of rwxr-xr-x"),
    Value<&Options::owner>('o', "owner", "OWNER", "set the owner (super-user only)"),
    Flag<&Options::keeps_times>('p', "preserve-timestamps", "give the times of SOURCE files to the copies"),
    Flag<&Options::strips>('s', "strip", "strip symbol tables"),
    Value<&Options::strip_program>(0, "strip-program", "PROGRAM", "program used to strip binaries"),
    Call<AddSuffix>('S', "suffix", "SUFFIX", "override the usual backup suffix"),
    Call<SetTarget>('t', "target-directory", "DIRECTORY", "copy all SOURCE arguments into DIRECTORY"),
    Flag<&Options::no_target_directory>('T', "no-target-directory", "treat DEST as a normal file"),
    Flag<&Options::verbose>('v', "verbose", "print the name of each file and directory as it is made"),
    Flag<&Options::keeps_context>(0, "preserve-context", "preserve the SELinux security context (there is none)"),
    Flag<&Options::has_context>('Z', nullptr, "set the SELinux security context to the default type (there is none)"),
    CallOptional<SetContext>(0, "context", "CTX", "like -Z, or set the security context to CTX (there is none)"),
};

// The number of a user or group: a name that is known, or digits.
template <class Record>
std::optional<uint32_t> FindId(const std::string& text, const Record* record, uint32_t Record::* id) {
  if (record != nullptr) return record->*id;
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == UINT32_MAX) return std::nullopt;
  return number;
}

class Installer {
 public:
  Installer(Invocation& in, const Options& options) : in_(in), o_(options) {
    copy_.dereference = Dereference::kAlways;
    copy_.removes_target = true;
    copy_.verbose = options.verbose;
  }

  ExitStatus Run(std::vector<std::string> operands) {
    if (const auto failed = CheckOptions()) return *failed;
    if (const auto failed = ResolveNames(!operands.empty())) return *failed;
    if (o_.makes_directories) return operands.empty() ? in_.Usage("missing file operand") : MakeAll(operands);
    return CopyAll(std::move(operands));
  }

 private:
  std::string Shown(std::string_view path) const { return QuoteFile(path, in_.locale.is_utf8); }
  std::string Quoted(std::string_view text) const { return Quote(text, in_.locale.is_utf8); }
  bool Fail(const std::string& what, const Error& error) {
    in_.Fail(what, error);
    return false;
  }

  std::optional<ExitStatus> CheckOptions() {
    if (o_.keeps_context) in_.Fail("WARNING: ignoring --preserve-context; this kernel is not SELinux-enabled");
    if (o_.context) in_.Fail("warning: ignoring --context; it requires an SELinux-enabled kernel");
    if (o_.makes_directories && o_.strips) return in_.Fail("the strip option may not be used when installing a directory");
    if (o_.makes_directories && o_.target_directory) return in_.Fail("target directory not allowed when installing a directory");
    const auto backup = ResolveBackup(in_, o_.backup);
    if (!backup) return 1;
    copy_.backup = *backup;
    if (o_.mode) {
      const auto change = ModeChange::Parse(*o_.mode);
      if (!change) return in_.Fail("invalid mode " + Quoted(*o_.mode));
      mode_ = change->Apply(0, false, 0);
      directory_mode_ = change->Apply(0, true, 0);
    }
    if (o_.compares && o_.keeps_times) {
      return in_.Usage("options --compare (-C) and --preserve-timestamps are mutually exclusive");
    }
    if (o_.compares && o_.strips) return in_.Usage("options --compare (-C) and --strip are mutually exclusive");
    compares_ = o_.compares;
    return std::nullopt;
  }

  // Words that need files and the late warnings; GNU looks at the operands before.
  std::optional<ExitStatus> ResolveNames(bool has_operands) {
    if (!has_operands) return in_.Usage("missing file operand");
    if (o_.strip_program && !o_.strips) {
      in_.Fail("WARNING: ignoring --strip-program option as -s option was not specified");
    }
    if (o_.compares && (mode_ & ~0777u) != 0) {
      in_.Fail("the --compare (-C) option is ignored when you specify a mode with non-permission bits");
      compares_ = false;
    }
    UserNames names(in_.fs, in_.budget);
    if (o_.owner) {
      uid_ = FindId(*o_.owner, names.User(*o_.owner), &UserRecord::uid);
      if (!uid_) return in_.Fail("invalid user " + Quoted(*o_.owner));
    }
    if (o_.group) {
      gid_ = FindId(*o_.group, names.Group(*o_.group), &GroupRecord::gid);
      if (!gid_) return in_.Fail("invalid group " + Quoted(*o_.group));
    }
    return std::nullopt;
  }

  ExitStatus MakeAll(const std::vector<std::string>& operands) {
    ExitStatus status = 0;
    for (const std::string& name : operands) {
      if (!MakeDirectories(name, directory_mode_)) status = 1;
    }
    return status;
  }

  // Makes a directory and its parents; the last one gets `mode` and the owner, even if it was there.
  bool MakeDirectories(const std::string& path, uint32_t mode) {
    for (size_t end = path.find_first_not_of('/'); end != std::string::npos;) {
      in_.budget.Step();
      const size_t slash = path.find('/', end);
      const size_t next = slash == std::string::npos ? slash : path.find_first_not_of('/', slash);
      const std::string part = path.substr(0, slash);
      if (!MakeDirectory(part, next == std::string::npos)) return false;
      end = next;
    }
    return SetAttributes(path, mode);
  }

  bool MakeDirectory(const std::string& path, bool is_last) {
    const auto found = in_.fs.Stat(path);
    if (found && found->is_directory()) return true;
    if (found) return Fail("cannot create directory " + Quoted(path), is_last ? Code::kExists : Code::kNotDirectory);
    if (const Status made = in_.fs.MakeDirectory(path, kDefaultMode); !made) {
      return Fail("cannot create directory " + Quoted(path), made.error());
    }
    (void)in_.fs.SetMode(path, kDefaultMode);   // whatever the umask says
    if (o_.verbose) in_.out.WriteLine(std::string(in_.name_in_messages()) + ": creating directory " + Shown(path));
    return true;
  }

  ExitStatus CopyAll(std::vector<std::string> operands) {
    std::optional<std::string> directory = o_.target_directory;
    if (directory && !o_.no_target_directory) {
      if (o_.makes_parents && !MakeDirectories(*directory, kDefaultMode)) return 1;
      const auto found = in_.fs.Stat(*directory);
      if (!found) return in_.Fail("failed to access " + Shown(*directory), found.error());
      if (!found->is_directory()) return in_.Fail("failed to access " + Shown(*directory), Code::kNotDirectory);
    }
    if (o_.makes_parents && !directory && operands.size() == 2) {
      const auto target = in_.fs.Stat(operands[1]);
      if (!target || !target->is_directory() || o_.no_target_directory) return CopyOne(operands[0], operands[1]) ? 0 : 1;
    }
    if (const auto failed = TakeDestination(in_, o_.no_target_directory, operands, directory)) return *failed;
    if (!directory) return CopyOne(operands[0], operands[1]) ? 0 : 1;
    ExitStatus status = 0;
    for (const std::string& source : operands) {
      in_.budget.Step();
      if (!CopyOne(source, vfs::JoinPath(*directory, vfs::BaseName(source)))) status = 1;
    }
    return status;
  }

  bool CopyOne(const std::string& source, const std::string& target) {
    if (o_.makes_parents && !o_.target_directory && !MakeParents(target)) return false;
    const auto from = in_.fs.Stat(source);
    if (!from) return Fail("cannot stat " + Shown(source), from.error());
    if (from->is_directory()) {
      in_.Fail("omitting directory " + Shown(source));
      return false;
    }
    if (compares_ && IsUnchanged(source, *from, target)) return true;
    if (!copy_.backup.is_on() && made_.contains(target) && in_.fs.Stat(target, vfs::Follow::kNo)) {
      in_.Fail("will not overwrite just-created " + Shown(target) + " with " + Shown(source));
      return false;
    }
    // A copier that has seen a source warns of the second time; install does not.
    if (!Copier(in_, copy_).CopyOperand(source, target)) return false;
    made_.insert(target);
    (void)in_.fs.SetMode(target, 0600);   // until it belongs to whom it is for
    if (o_.strips && !Strip(target)) {
      (void)in_.fs.RemoveFile(target);
      return false;
    }
    if (o_.keeps_times) {
      if (const Status set = in_.fs.SetTimes(target, from->access_time, from->modify_time); !set) {
        return Fail("cannot set timestamps for " + Shown(target), set.error());
      }
    }
    return SetAttributes(target, mode_);
  }

  bool MakeParents(const std::string& target) {
    const size_t slash = target.find_last_not_of('/');
    const size_t cut = slash == std::string::npos ? slash : target.rfind('/', slash);
    if (cut == std::string::npos || cut == 0) return true;
    const std::string parent = target.substr(0, cut);
    const auto found = in_.fs.Stat(parent);
    return (found && found->is_directory()) || MakeDirectories(parent, kDefaultMode);
  }

  // Owner first: a change of owner takes set-id bits away.
  bool SetAttributes(const std::string& path, uint32_t mode) {
    if (uid_ || gid_) {
      const auto now = in_.fs.Stat(path);
      const bool is_same = now && (!uid_ || now->uid == *uid_) && (!gid_ || now->gid == *gid_);
      if (!is_same) {
        if (const Status set = in_.fs.SetOwner(path, uid_, gid_, vfs::Follow::kNo); !set) {
          return Fail("cannot change ownership of " + Shown(path), set.error());
        }
      }
    }
    const auto now = in_.fs.Stat(path);
    if (now && now->mode == mode) return true;
    if (const Status set = in_.fs.SetMode(path, mode); !set) {
      return Fail("cannot change permissions of " + Shown(path), set.error());
    }
    return true;
  }

  bool Strip(const std::string& path) {
    const std::string program = o_.strip_program.value_or("strip");
    const std::string safe = path.starts_with('-') ? "./" + path : path;
    in_.out.Flush();
    const auto status = in_.launcher.Run(in_.process, {.args = {program, safe}, .environment = &in_.env});
    if (!status) in_.Fail("cannot run " + Shown(program), status.error());
    if (status && *status == 0) return true;
    in_.Fail("strip process terminated abnormally");
    return false;
  }

  bool IsUnchanged(const std::string& source, const vfs::Attributes& from, const std::string& target) {
    const auto to = in_.fs.Stat(target, vfs::Follow::kNo);
    if (!to || !from.is_file() || !to->is_file() || from.size != to->size || to->mode != mode_) return false;
    if (to->uid != uid_.value_or(in_.fs.credentials().uid) || to->gid != gid_.value_or(in_.fs.credentials().gid)) return false;
    const auto a = in_.fs.Open(source, vfs::OpenFlags::Read());
    const auto b = in_.fs.Open(target, vfs::OpenFlags::Read());
    if (!a || !b) return false;
    Input first(**a, in_.budget), second(**b, in_.budget);
    while (true) {
      const std::string_view left = first.Peek(), right = second.Peek();
      const size_t size = std::min(left.size(), right.size());
      if (size == 0) return left.size() == right.size();
      if (left.substr(0, size) != right.substr(0, size)) return false;
      first.Consume(size);
      second.Consume(size);
    }
  }

  Invocation& in_;
  const Options& o_;
  CopyOptions copy_;
  uint32_t mode_ = kDefaultMode, directory_mode_ = kDefaultMode;
  bool compares_ = false;
  std::optional<uint32_t> uid_, gid_;
  std::set<std::string> made_;
};

ExitStatus Run(Invocation& in, const Options& options, std::vector<std::string> operands) {
  return Installer(in, options).Run(std::move(operands));
}

}  // namespace

extern const Command kCommand_install;
const Command kCommand_install = Define<Options, Run>({
    .name = "install",
    .summary = "copy files into place while setting their mode and owner, or make directories",
    .synopsis = "[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n"
                "[OPTION]... -t DIRECTORY SOURCE...\n[OPTION]... -d DIRECTORY...",
    .options = kOptions,
});

}  // namespace paddock
