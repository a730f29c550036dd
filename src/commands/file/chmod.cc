// chmod - change file mode bits
//
// usage: chmod [OPTION]... MODE[,MODE]... FILE...
//        chmod [OPTION]... OCTAL-MODE FILE...
//        chmod [OPTION]... --reference=RFILE FILE...
//
// Exit status: 0, or 1 when a mode could not be changed.
// Source: POSIX chmod, GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/file_facts.h"
#include "proc/command.h"
#include "text/mode.h"
#include "text/quote.h"

namespace paddock {
namespace {

enum class Report { kNone, kChanges, kAll };

struct Options {
  Report report = Report::kNone;
  bool silent = false;
  bool preserves_root = false;
  bool recursive = false;
  std::optional<std::string> reference;
  std::optional<std::string> option_mode;   // "-w" and the like
};

constexpr Option kOptions[] = {
    Set<&Options::report, Report::kChanges>('c', "changes", "like verbose but report only when a change is made"),
    Flag<&Options::silent>('f', "silent", "suppress most error messages"),
    Flag<&Options::silent>(0, "quiet", "likewise"),
    Set<&Options::report, Report::kAll>('v', "verbose", "output a diagnostic for every file processed"),
    Set<&Options::preserves_root, false>(0, "no-preserve-root", "do not treat '/' specially (the default)"),
    Set<&Options::preserves_root, true>(0, "preserve-root", "fail to operate recursively on '/'"),
    Value<&Options::reference>(0, "reference", "RFILE", "use RFILE's mode instead of MODE values"),
    Flag<&Options::recursive>('R', "recursive", "change files and directories recursively"),
};

// Takes "-w", "-x,+r" …: modes that look like options.
bool TakeMode(void* options, std::string_view argument) {
  if (!argument.starts_with('-') || argument.starts_with("--")) return false;
  const size_t first = argument.find_first_not_of("Rcfv", 1);
  if (first == std::string_view::npos ||
      std::string_view("rwxXstugoa,+=01234567").find(argument[first]) == std::string_view::npos) {
    return false;
  }
  auto& mode = static_cast<Options*>(options)->option_mode;
  mode = mode ? *mode + "," + std::string(argument) : std::string(argument);
  return true;
}

std::string Digits(uint32_t mode) {
  std::string text;
  for (int shift = 9; shift >= 0; shift -= 3) text += static_cast<char>('0' + ((mode >> shift) & 7));
  return text;
}

std::string Letters(uint32_t mode) { return ModeString('-', mode).substr(1); }

class Changer {
 public:
  Changer(Invocation& in, const Options& options, ModeChange change, bool is_surprising)
      : in_(in), o_(options), change_(std::move(change)), is_surprising_(is_surprising) {}

  bool ChangeOperand(const std::string& path) {
    const auto found = in_.fs.Stat(path);
    if (!found) {
      const auto link = in_.fs.Stat(path, vfs::Follow::kNo);
      if (link && link->is_symlink() && found.error().code == Code::kNoEntry) {
        Complain("cannot operate on dangling symlink " + Shown(path), {});
      } else {
        Complain("cannot access " + Shown(path), found.error());
      }
      return NotAccessed(path);
    }
    if (o_.recursive && o_.preserves_root && IsRoot(*found)) {
      const std::string same = path == "/" ? "" : " (same as " + Shown("/") + ")";
      in_.Fail("it is dangerous to operate recursively on " + Shown(path) + same);
      in_.Fail("use --no-preserve-root to override this failsafe");
      return false;
    }
    return Change(path, *found);
  }

 private:
  std::string Shown(std::string_view path) const { return QuoteFile(path, in_.locale.is_utf8); }

  bool IsRoot(const vfs::Attributes& attributes) {
    const auto root = in_.fs.Stat("/");
    return root && IsSameFile(*root, attributes);
  }

  void Complain(const std::string& message, const std::optional<Error>& error) {
    if (o_.silent) return;
    if (error) in_.Fail(message, *error);
    else in_.Fail(message);
  }

  bool NotAccessed(const std::string& path) {
    if (o_.report == Report::kAll) in_.out.WriteLine(Shown(path) + " could not be accessed");
    return false;
  }

  bool Change(const std::string& path, const vfs::Attributes& attributes) {
    in_.budget.Step();
    in_.budget.CheckStack();
    const bool is_directory = attributes.is_directory();
    const uint32_t old_mode = attributes.mode;
    const uint32_t new_mode = change_.Apply(old_mode, is_directory, in_.fs.umask());
    bool ok = true;
    if (const Status set = in_.fs.SetMode(path, new_mode); !set) {
      Complain("changing permissions of " + Shown(path), set.error());
      ok = false;
    }
    ReportChange(path, ok, old_mode, new_mode);
    if (ok && is_surprising_) {
      const uint32_t naive = change_.Apply(old_mode, is_directory, 0);
      if ((new_mode & ~naive) != 0) {
        in_.Fail(QuoteSubject(path, in_.locale.is_utf8) + ": new permissions are " + Letters(new_mode) + ", not " +
                 Letters(naive));
        ok = false;
      }
    }
    if (is_directory && o_.recursive && !ChangeInside(path)) ok = false;
    return ok;
  }

  bool ChangeInside(const std::string& directory) {
    const auto entries = in_.fs.List(directory);
    if (!entries) {
      Complain("cannot read directory " + Shown(directory), entries.error());
      return NotAccessed(directory);
    }
    bool ok = true;
    for (const vfs::DirectoryEntry& entry : *entries) {
      const std::string path = vfs::JoinPath(directory, entry.name);
      const auto found = in_.fs.Stat(path, vfs::Follow::kNo);
      if (!found) {
        Complain("cannot access " + Shown(path), found.error());
        ok = NotAccessed(path);
      } else if (found->is_symlink()) {
        if (o_.report == Report::kAll) {
          in_.out.WriteLine("neither symbolic link " + Shown(path) + " nor referent has been changed");
        }
      } else if (!Change(path, *found)) {
        ok = false;
      }
    }
    return ok;
  }

  void ReportChange(const std::string& path, bool ok, uint32_t old_mode, uint32_t new_mode) {
    const bool is_changed = ok && old_mode != new_mode;
    if (o_.report == Report::kNone || (o_.report == Report::kChanges && !is_changed)) return;
    const std::string from = Digits(old_mode) + " (" + Letters(old_mode) + ")";
    const std::string to = Digits(new_mode) + " (" + Letters(new_mode) + ")";
    if (!ok) in_.out.WriteLine("failed to change mode of " + Shown(path) + " from " + from + " to " + to);
    else if (is_changed) in_.out.WriteLine("mode of " + Shown(path) + " changed from " + from + " to " + to);
    else in_.out.WriteLine("mode of " + Shown(path) + " retained as " + to);
  }

  Invocation& in_;
  const Options& o_;
  ModeChange change_;
  bool is_surprising_;
};

ExitStatus Run(Invocation& in, const Options& options, std::vector<std::string> operands) {
  std::optional<std::string> text = options.option_mode;
  if (options.reference && text) return in.Usage("cannot combine mode and --reference options");
  if (!options.reference && !text && !operands.empty()) {
    text = operands.front();
    operands.erase(operands.begin());
  }
  if (operands.empty()) {
    if (!text || options.option_mode) return in.Usage("missing operand");
    return in.Usage("missing operand after " + Quote(*text, in.locale.is_utf8));
  }
  ModeChange change;
  if (options.reference) {
    const auto found = in.fs.Stat(*options.reference);
    if (!found) {
      return in.Fail("failed to get attributes of " + QuoteFile(*options.reference, in.locale.is_utf8),
                     found.error());
    }
    change = ModeChange::Exactly(found->mode);
  } else {
    auto parsed = ModeChange::Parse(*text);
    if (!parsed) return in.Usage("invalid mode: " + Quote(*text, in.locale.is_utf8));
    change = std::move(*parsed);
  }
  Changer changer(in, options, std::move(change), options.option_mode.has_value());
  ExitStatus status = 0;
  for (const std::string& path : operands) {
    if (!changer.ChangeOperand(path)) status = 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_chmod;
const Command kCommand_chmod = Define<Options, Run>({
    .name = "chmod",
    .summary = "change the mode of each FILE to MODE",
    .synopsis = "[OPTION]... MODE[,MODE]... FILE...\n[OPTION]... OCTAL-MODE FILE...\n"
                "[OPTION]... --reference=RFILE FILE...",
    .details = "Each MODE is of the form '[ugoa]*([-+=]([rwxXst]*|[ugo]))+|[-+=][0-7]+'.\n",
    .options = kOptions,
    .rules = {.numeric_shorthand = TakeMode},
});

}  // namespace paddock
