// rename.ul - rename files by replacing a part of their names
//
// usage: rename.ul [options] EXPRESSION REPLACEMENT FILE...
//
// Exit status: 0 all renamed, 1 all failed, 2 some failed, 4 nothing to rename, 64 unexpected error.
// Source: util-linux 2.38.
// Differs: in a path with a slash an empty EXPRESSION stands before the last component, not before the slash; an empty EXPRESSION with -a or -l puts REPLACEMENT once in front, where util-linux loops for ever.

#include "proc/command.h"

namespace paddock {
namespace {

struct Options {
  bool verbose = false, symlink = false, no_act = false, all = false, last = false, no_overwrite = false, interactive = false;
  bool help = false, version = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::verbose>('v', "verbose", "explain what is being done"),
    Flag<&Options::symlink>('s', "symlink", "act on the targets of symbolic links"),
    Flag<&Options::no_act>('n', "no-act", "do not make any changes"),
    Flag<&Options::all>('a', "all", "replace all occurrences"),
    Flag<&Options::last>('l', "last", "replace only the last occurrence"),
    Flag<&Options::no_overwrite>('o', "no-overwrite", "don't overwrite existing files"),
    Flag<&Options::interactive>('i', "interactive", "prompt before overwriting"),
    Flag<&Options::help>('h', "help", "display this help"),
    Flag<&Options::version>('V', "version", "display version"),
};

enum class Outcome { kNothing, kDone, kFailed };

class Renamer {
 public:
  Renamer(Invocation& in, const Options& o, std::string from, std::string to) : in_(in), o_(o), from_(std::move(from)), to_(std::move(to)) {}

  Outcome One(const std::string& path) {
    in_.budget.Step();
    const auto found = in_.fs.Stat(path, vfs::Follow::kNo);
    if (!found) return Fail(path + ": not accessible", found.error());
    return o_.symlink ? Retarget(path, *found) : Rename(path);
  }

 private:
  Outcome Fail(const std::string& what, const Error& error) {
    in_.Fail(what, error);
    return Outcome::kFailed;
  }

  // The name with its replacements; nothing when the expression does not occur. Only the last component of a file's name is
  // looked at unless the expression or the replacement has a slash.
  std::optional<std::string> Replaced(const std::string& path) {
    size_t start = 0;
    if (!o_.symlink && from_.find('/') == std::string::npos && to_.find('/') == std::string::npos) {
      const size_t slash = path.rfind('/');
      if (slash != std::string::npos) start = slash + 1;
    }
    std::string head = path.substr(0, start);
    std::string_view rest = std::string_view(path).substr(start);
    if (from_.empty()) return head + to_ + std::string(rest);
    if (o_.last) {
      const size_t at = rest.rfind(from_);
      if (at == std::string_view::npos) return std::nullopt;
      return head + std::string(rest.substr(0, at)) + to_ + std::string(rest.substr(at + from_.size()));
    }
    bool is_changed = false;
    while (true) {
      in_.budget.Step();
      const size_t at = rest.find(from_);
      if (at == std::string_view::npos) break;
      is_changed = true;
      in_.budget.WillAllocate(to_.size());
      head.append(rest.substr(0, at)).append(to_);
      rest.remove_prefix(at + from_.size());
      if (!o_.all) break;
    }
    if (!is_changed) return std::nullopt;
    return head.append(rest);
  }

  // Unlike the core utilities it asks on standard output.
  bool Asks(const std::string& target) {
    in_.out.Write(std::string(in_.name_in_messages()) + ": overwrite `" + target + "'? ");
    in_.out.Flush();
    const auto line = in_.in.ReadLine();
    return line && !line->text.empty() && (line->text[0] == 'y' || line->text[0] == 'Y');
  }

  bool MayOverwrite(const std::string& target) {
    if (!in_.fs.Stat(target, vfs::Follow::kNo)) return true;
    if (o_.no_overwrite) {
      if (o_.verbose) in_.out.WriteLine("Skipping existing file: `" + target + "'");
      return false;
    }
    return !o_.interactive || Asks(target);
  }

  Outcome Rename(const std::string& path) {
    const auto target = Replaced(path);
    if (!target) return Outcome::kNothing;
    if ((o_.no_overwrite || o_.interactive) && !MayOverwrite(*target)) return Outcome::kNothing;
    if (!o_.no_act) {
      if (const Status moved = in_.fs.Rename(path, *target); !moved) return Fail(path + ": rename to " + *target + " failed", moved.error());
    }
    if (o_.verbose) in_.out.WriteLine("`" + path + "' -> `" + *target + "'");
    return Outcome::kDone;
  }

  Outcome Retarget(const std::string& path, const vfs::Attributes& found) {
    if (!found.is_symlink()) {
      in_.Fail(path + ": not a symbolic link");
      return Outcome::kFailed;
    }
    const auto old = in_.fs.ReadLink(path);
    if (!old) return Fail(path + ": readlink failed", old.error());
    const auto target = Replaced(*old);
    if (!target) return Outcome::kNothing;
    if (o_.no_overwrite && in_.fs.Stat(*target, vfs::Follow::kNo)) {
      if (o_.verbose) in_.out.WriteLine("Skipping existing link: `" + path + "' -> `" + *old + "'");
      return Outcome::kNothing;
    }
    if (o_.interactive && in_.fs.Stat(*target, vfs::Follow::kNo) && !Asks(*target)) {
      return Outcome::kNothing;
    }
    if (!o_.no_act) {
      if (const Status removed = in_.fs.RemoveFile(path); !removed) return Fail(path + ": unlink failed", removed.error());
      if (const Status made = in_.fs.MakeSymlink(*target, path); !made) {
        return Fail(path + ": symlinking to " + *target + " failed", made.error());
      }
    }
    if (o_.verbose) in_.out.WriteLine(path + ": `" + *old + "' -> `" + *target + "'");
    return Outcome::kDone;
  }

  Invocation& in_;
  const Options& o_;
  std::string from_, to_;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.help || options.version) {
    in.out.Write(options.help ? HelpText(in.command, in.name()) : VersionText(in.command, in.name()));
    return 0;
  }
  if (options.no_overwrite && options.interactive) {
    return in.Fail("mutually exclusive arguments: --interactive --no-overwrite");
  }
  if (options.all && options.last) return in.Fail("mutually exclusive arguments: --all --last");
  if (operands.size() < 3) return in.Usage("not enough arguments");
  Renamer renamer(in, options, operands[0], operands[1]);
  bool any_done = false, any_failed = false;
  for (size_t i = 2; i < operands.size(); ++i) {
    const Outcome outcome = renamer.One(operands[i]);
    any_done |= outcome == Outcome::kDone;
    any_failed |= outcome == Outcome::kFailed;
  }
  if (any_failed) return any_done ? 2 : 1;
  return any_done ? 0 : 4;
}

}  // namespace

extern const Command kCommand_rename_ul;
const Command kCommand_rename_ul = Define<Options, Run>({
    .name = "rename.ul",
    .summary = "rename files",
    .synopsis = "[options] <expression> <replacement> <file>...",
    .options = kOptions,
    .cuts_own_name = true,
});

}  // namespace paddock
