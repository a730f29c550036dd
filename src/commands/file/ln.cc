// ln - make links between files
//
// usage: ln [OPTION]... [-T] TARGET LINK_NAME
//        ln [OPTION]... TARGET
//        ln [OPTION]... TARGET... DIRECTORY
//        ln [OPTION]... -t DIRECTORY TARGET...
//
// Exit status: 0, or 1 when a link could not be made.
// Source: POSIX ln, GNU coreutils 9.1.
// Differs: -d, -F and --directory are refused by the file system, as for everyone but a superuser of old.

#include <set>

#include "commands/file/backup.h"
#include "commands/file/relative_path.h"
#include "commands/file_facts.h"
#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

using vfs::Follow;

struct Options {
  BackupOptions backup;
  bool may_link_directories = false;
  bool force = false;
  bool interactive = false;
  bool follows_source = false;
  bool no_dereference = false;
  bool relative = false;
  bool symbolic = false;
  bool no_target_directory = false;
  bool verbose = false;
  std::optional<std::string> target_directory;
};

Status AddBackup(Options& o, std::string_view control) { return WantBackup(o.backup, control); }
Status AddSuffix(Options& o, std::string_view suffix) { return SetBackupSuffix(o.backup, suffix); }
Status SetForce(Options& o, std::string_view) {
  o.force = true;
  o.interactive = false;
  return {};
}
Status SetInteractive(Options& o, std::string_view) {
  o.interactive = true;
  o.force = false;
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
    Flag<&Options::may_link_directories>('d', "directory",
                                         "allow the superuser to attempt to hard link directories"),
    Flag<&Options::may_link_directories>('F', nullptr, nullptr),
    Call<SetForce>('f', "force", nullptr, "remove existing destination files"),
    Call<SetInteractive>('i', "interactive", nullptr, "prompt whether to remove destinations"),
    Set<&Options::follows_source, true>('L', "logical", "dereference TARGETs that are symbolic links"),
    Flag<&Options::no_dereference>('n', "no-dereference",
                                   "treat LINK_NAME as a normal file if it is a symbolic link to a directory"),
    Set<&Options::follows_source, false>('P', "physical", "make hard links directly to symbolic links"),
    Flag<&Options::relative>('r', "relative", "with -s, create links relative to link location"),
    Flag<&Options::symbolic>('s', "symbolic", "make symbolic links instead of hard links"),
    Call<AddSuffix>('S', "suffix", "SUFFIX", "override the usual backup suffix"),
    Call<SetTarget>('t', "target-directory", "DIRECTORY", "specify the DIRECTORY in which to create the links"),
    Flag<&Options::no_target_directory>('T', "no-target-directory", "treat LINK_NAME as a normal file always"),
    Flag<&Options::verbose>('v', "verbose", "print name of each linked file"),
};

class Linker {
 public:
  Linker(Invocation& in, const Options& options, Backup backup)
      : in_(in), o_(options), backup_(std::move(backup)) {}

  bool Link(const std::string& source, const std::string& link) {
    if (!o_.symbolic && !IsLinkable(source)) return false;
    std::string backup_name;
    if (o_.force || o_.interactive || backup_.is_on()) {
      switch (MakeRoom(source, link, backup_name)) {
        case Room::kRefused: return false;
        case Room::kDeclined: return true;
        case Room::kMade: break;
      }
    }
    const std::string target = o_.relative ? RelativeTo(source, link) : source;
    Status made = Make(target, link);
    if (!made && made.error().code == Code::kExists && (o_.force || o_.interactive)) {
      if (const Status removed = in_.fs.RemoveFile(link); removed) made = Make(target, link);
    }
    if (!made) {
      Complain(target, link, made.error());
      if (!backup_name.empty()) (void)in_.fs.Rename(backup_name, link);
      return false;
    }
    made_.insert(link);
    if (o_.verbose) {
      const std::string before = backup_name.empty() ? "" : QuoteFile(backup_name, Utf8()) + " ~ ";
      in_.out.WriteLine(before + QuoteFile(link, Utf8()) + (o_.symbolic ? " -> " : " => ") +
                        QuoteFile(target, Utf8()));
    }
    return true;
  }

 private:
  enum class Room { kMade, kDeclined, kRefused };

  bool Utf8() const { return in_.locale.is_utf8; }

  bool IsLinkable(const std::string& source) {
    const auto found = in_.fs.Stat(source, o_.follows_source ? Follow::kYes : Follow::kNo);
    if (!found) {
      in_.Fail("failed to access " + QuoteFile(source, Utf8()), found.error());
      return false;
    }
    if (found->is_directory() && !o_.may_link_directories) {
      in_.Fail(QuoteSubject(source, Utf8()) + ": hard link not allowed for directory");
      return false;
    }
    return true;
  }

  // Deals with what is there already: asks, and moves it to a backup.
  Room MakeRoom(const std::string& source, const std::string& link, std::string& backup_name) {
    const auto existing = in_.fs.Stat(link, Follow::kNo);
    if (!existing) return Room::kMade;
    if (!backup_.is_on() || !o_.symbolic) {
      const auto own = in_.fs.Stat(source, o_.symbolic || o_.follows_source ? Follow::kYes : Follow::kNo);
      if (own && IsSameFile(*own, *existing) && (own->links == 1 || IsSameName(source, link))) {
        in_.Fail(QuoteFile(source, Utf8()) + " and " + QuoteFile(link, Utf8()) + " are the same file");
        return Room::kRefused;
      }
    }
    if (existing->is_directory()) {
      in_.Fail(QuoteSubject(link, Utf8()) + ": cannot overwrite directory");
      return Room::kRefused;
    }
    if (made_.contains(link)) {
      in_.Fail("will not overwrite just-created " + QuoteFile(link, Utf8()) + " with " + QuoteFile(source, Utf8()));
      return Room::kRefused;
    }
    if (o_.interactive && !Confirm(in_, "replace " + QuoteFile(link, Utf8()) + "? ")) return Room::kDeclined;
    if (!backup_.is_on()) return Room::kMade;
    backup_name = backup_.NameFor(in_.fs, link);
    if (const Status moved = in_.fs.Rename(link, backup_name); !moved) {
      in_.Fail("cannot backup " + QuoteFile(link, Utf8()), moved.error());
      return Room::kRefused;
    }
    return Room::kMade;
  }

  // True when both paths name the same entry of the same directory.
  bool IsSameName(const std::string& a, const std::string& b) {
    if (vfs::BaseName(a) != vfs::BaseName(b)) return false;
    const auto first = in_.fs.Stat(vfs::DirectoryName(a));
    const auto second = in_.fs.Stat(vfs::DirectoryName(b));
    return first && second && IsSameFile(*first, *second);
  }

  std::string RelativeTo(const std::string& source, const std::string& link) {
    using MustExist = vfs::FileSystem::MustExist;
    const auto from = in_.fs.Canonical(vfs::DirectoryName(link), MustExist::kNone);
    const auto to = in_.fs.Canonical(source, MustExist::kNone);
    return from && to ? RelativePath(*to, *from) : source;
  }

  Status Make(const std::string& target, const std::string& link) {
    if (o_.symbolic) return in_.fs.MakeSymlink(target, link);
    return in_.fs.MakeLink(target, link, o_.follows_source ? Follow::kYes : Follow::kNo);
  }

  void Complain(const std::string& target, const std::string& link, const Error& error) {
    std::string message = o_.symbolic ? "failed to create symbolic link " : "failed to create hard link ";
    const bool is_about_name = error.code == Code::kExists || error.code == Code::kNoSpace ||
                               error.code == Code::kQuota || error.code == Code::kReadOnly;
    if (!o_.symbolic && error.code == Code::kTooManyLinks) {
      message += "to " + QuoteFile(target, Utf8());
    } else {
      message += QuoteFile(link, Utf8());
      if (o_.symbolic ? error.code == Code::kNameTooLong || target.empty() : !is_about_name) {
        message += (o_.symbolic ? " -> " : " => ") + QuoteFile(target, Utf8());
      }
    }
    in_.Fail(message, error);
  }

  Invocation& in_;
  const Options& o_;
  Backup backup_;
  std::set<std::string> made_;
};

// The last component without trailing slashes, for the name inside a directory.
std::string NameInside(const std::string& directory, const std::string& source) {
  return vfs::JoinPath(directory, vfs::BaseName(source));
}

ExitStatus Run(Invocation& in, const Options& options, std::vector<std::string> operands) {
  const bool is_utf8 = in.locale.is_utf8;
  if (operands.empty()) return in.Usage("missing file operand");
  if (options.relative && !options.symbolic) return in.Fail("cannot do --relative without --symbolic");
  if (options.target_directory && options.no_target_directory) {
    return in.Fail("cannot combine --target-directory and --no-target-directory");
  }
  const auto backup = ResolveBackup(in, options.backup);
  if (!backup) return 1;
  Linker linker(in, options, *backup);
  std::optional<std::string> directory = options.target_directory;
  if (directory) {
    const auto found = in.fs.Stat(*directory);
    if (!found) return in.Fail("failed to access " + QuoteFile(*directory, is_utf8), found.error());
    if (!found->is_directory()) return in.Fail("target " + QuoteFile(*directory, is_utf8) + " is not a directory");
  } else if (options.no_target_directory) {
    if (operands.size() < 2) {
      return in.Usage("missing destination file operand after " + QuoteFile(operands[0], is_utf8));
    }
    if (operands.size() > 2) return in.Usage("extra operand " + QuoteFile(operands[2], is_utf8));
  } else if (operands.size() == 1) {
    directory = ".";
  } else {
    const std::string& last = operands.back();
    auto found = in.fs.Stat(last);
    if (found && found->is_directory() && options.no_dereference) found = in.fs.Stat(last, Follow::kNo);
    if (found && found->is_directory()) {
      directory = last;
      operands.pop_back();
    } else if (operands.size() > 2) {
      const Error error = found ? Error(Code::kNotDirectory) : found.error();
      return in.Fail("target " + QuoteFile(last, is_utf8), error);
    }
  }
  if (!directory) return linker.Link(operands[0], operands[1]) ? 0 : 1;
  ExitStatus status = 0;
  for (const std::string& source : operands) {
    in.budget.Step();
    if (!linker.Link(source, NameInside(*directory, source))) status = 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_ln;
const Command kCommand_ln = Define<Options, Run>({
    .name = "ln",
    .summary = "make links between files",
    .synopsis = "[OPTION]... [-T] TARGET LINK_NAME\n[OPTION]... TARGET\n[OPTION]... TARGET... DIRECTORY\n"
                "[OPTION]... -t DIRECTORY TARGET...",
    .options = kOptions,
});

}  // namespace paddock
