// rm - remove files or directories
//
// usage: rm [OPTION]... [FILE]...
//
// Exit status: 0, or 1 when something could not be removed.
// Source: POSIX rm, GNU coreutils 9.1.
// Differs: nothing known.

#include "commands/file_facts.h"
#include "proc/command.h"
#include "text/choice.h"
#include "text/quote.h"

namespace paddock {
namespace {

enum class Ask { kNever, kProtected, kOnce, kAlways };

struct Options {
  bool force = false;
  Ask ask = Ask::kProtected;
  std::vector<std::string> ask_words;
  bool one_file_system = false;
  bool preserves_root = true;
  bool preserves_mounts = false;
  bool recursive = false;
  bool directories = false;
  bool verbose = false;
  bool presumes_terminal = false;  // for tests: standard input counts as a terminal
};

Status SetForce(Options& o, std::string_view) {
  o.force = true;
  o.ask = Ask::kNever;
  o.ask_words.clear();
  return {};
}
template <Ask kAsk>
Status SetAsk(Options& o, std::string_view) {
  o.ask = kAsk;
  o.force = false;
  o.ask_words.clear();
  return {};
}
Status AddAskWord(Options& o, std::string_view word) {
  o.ask_words.emplace_back(word.data() == nullptr ? "always" : word);
  return {};
}
Status SetPreserveRoot(Options& o, std::string_view word) {
  o.preserves_root = true;
  if (word.data() == nullptr) return {};
  if (word != "all") {
    return Error(Code::kInvalid, "unrecognized --preserve-root argument: '" + std::string(word) + "'");
  }
  o.preserves_mounts = true;
  return {};
}

constexpr Option kOptions[] = {
    Call<SetForce>('f', "force", nullptr, "ignore nonexistent files and arguments, never prompt"),
    Call<SetAsk<Ask::kAlways>>('i', nullptr, nullptr, "prompt before every removal"),
    Call<SetAsk<Ask::kOnce>>('I', nullptr, nullptr,
                             "prompt once before removing more than three files, or when removing recursively"),
    CallOptional<AddAskWord>(0, "interactive", "WHEN",
                             "prompt according to WHEN: never, once (-I), or always (-i); without WHEN, prompt always"),
    Flag<&Options::one_file_system>(0, "one-file-system",
                                    "when removing a hierarchy recursively, skip any directory that is on a file "
                                    "system different from that of the corresponding command line argument"),
    Set<&Options::preserves_root, false>(0, "no-preserve-root", "do not treat '/' specially"),
    CallOptional<SetPreserveRoot>(0, "preserve-root", "all",
                                  "do not remove '/' (default); with 'all', reject any command line argument on a "
                                  "separate device from its parent"),
    Flag<&Options::recursive>('r', "recursive", "remove directories and their contents recursively"),
    Flag<&Options::recursive>('R', nullptr, "likewise"),
    Flag<&Options::directories>('d', "dir", "remove empty directories"),
    Flag<&Options::verbose>('v', "verbose", "explain what is being done"),
    Flag<&Options::presumes_terminal>(0, "-presume-input-tty", nullptr),
};

constexpr Choice kAskWords[] = {
    {"never", static_cast<int>(Ask::kNever)}, {"no", static_cast<int>(Ask::kNever)},
    {"none", static_cast<int>(Ask::kNever)},  {"once", static_cast<int>(Ask::kOnce)},
    {"always", static_cast<int>(Ask::kAlways)}, {"yes", static_cast<int>(Ask::kAlways)},
};

class Remover {
 public:
  Remover(Invocation& in, const Options& options)
      : in_(in), o_(options), asks_about_protected_(options.presumes_terminal || IsTerminal(in, 0)) {}

  bool RemoveOperand(std::string path) {
    const auto found = in_.fs.Stat(path, vfs::Follow::kNo);
    if (!found) {
      if (o_.force && (found.error().code == Code::kNoEntry || found.error().code == Code::kNotDirectory)) return true;
      return Complain(path, found.error());
    }
    if (!found->is_directory()) return RemoveFile(path, *found) != Outcome::kFailed;
    while (path.size() > 2 && path.ends_with("//")) path.pop_back();
    if (!o_.recursive) return RemoveEmpty(path, *found);
    if (!IsAllowed(path, *found)) return false;
    device_ = found->device;
    return RemoveTree(path, *found) != Outcome::kFailed;
  }

 private:
  enum class Outcome { kRemoved, kDeclined, kFailed };

  std::string Shown(std::string_view path) const { return QuoteFile(path, in_.locale.is_utf8); }

  bool Complain(const std::string& path, const Error& error) {
    in_.Fail("cannot remove " + Shown(path), error);
    return false;
  }

  // Refuses ".", ".." and the root as a tree to remove.
  bool IsAllowed(const std::string& path, const vfs::Attributes& attributes) {
    const std::string last = vfs::BaseName(path);
    if (last == "." || last == "..") {
      in_.Fail("refusing to remove '.' or '..' directory: skipping " + Shown(path));
      return false;
    }
    const auto root = in_.fs.Stat("/");
    if (o_.preserves_root && root && IsSameFile(*root, attributes)) {
      const std::string same = path == "/" ? "" : " (same as " + Shown("/") + ")";
      in_.Fail("it is dangerous to operate recursively on " + Shown(path) + same);
      in_.Fail("use --no-preserve-root to override this failsafe");
      return false;
    }
    if (o_.preserves_mounts) {
      const auto parent = in_.fs.Stat(vfs::JoinPath(path, ".."));
      if (parent && parent->device != attributes.device) {
        in_.Fail("skipping " + Shown(path) + ", since it's on a different device");
        in_.Fail("and --preserve-root=all is in effect");
        return false;
      }
    }
    return true;
  }

  bool AsksAlways() const { return o_.ask == Ask::kAlways; }

  // Whether a question is due about a file, and how it is called: "write-protected regular file 'x'".
  std::optional<std::string> QuestionAbout(const std::string& path, const vfs::Attributes& attributes) {
    if (o_.ask == Ask::kNever) return std::nullopt;
    bool is_protected = false;
    if (!attributes.is_symlink() && (AsksAlways() || asks_about_protected_)) {
      const Status access = in_.fs.Access(path, 2);
      is_protected = !access && (access.error().code == Code::kAccess || access.error().code == Code::kReadOnly);
    }
    if (!AsksAlways() && !is_protected) return std::nullopt;
    return std::string(is_protected ? "write-protected " : "") + std::string(TypeText(attributes)) + " " + Shown(path) +
           "? ";
  }

  bool IsApproved(std::string_view verb, const std::string& path, const vfs::Attributes& attributes) {
    const auto question = QuestionAbout(path, attributes);
    return !question || Confirm(in_, std::string(verb) + " " + *question);
  }

  Outcome RemoveFile(const std::string& path, const vfs::Attributes& attributes) {
    if (!IsApproved("remove", path, attributes)) return Outcome::kDeclined;
    if (const Status removed = in_.fs.RemoveFile(path); !removed) {
      if (o_.force && removed.error().code == Code::kNoEntry) return Outcome::kRemoved;
      Complain(path, removed.error());
      return Outcome::kFailed;
    }
    if (o_.verbose) in_.out.WriteLine("removed " + Shown(path));
    return Outcome::kRemoved;
  }

  // Without -r: only -d may remove a directory, and only an empty one.
  bool RemoveEmpty(const std::string& path, const vfs::Attributes& attributes) {
    if (!o_.directories) return Complain(path, Code::kIsDirectory);
    const auto entries = in_.fs.List(path);
    if (entries && !entries->empty()) return Complain(path, Code::kNotEmpty);
    if (!IsApproved("remove", path, attributes)) return true;
    return RemoveDirectory(path);
  }

  bool RemoveDirectory(const std::string& path) {
    if (const Status removed = in_.fs.RemoveDirectory(path); !removed) {
      const bool is_ignored = o_.force && removed.error().code == Code::kNotDirectory;   // "link/" to a directory
      return is_ignored || Complain(path, removed.error());
    }
    if (o_.verbose) in_.out.WriteLine("removed directory " + Shown(path));
    return true;
  }

  Outcome RemoveTree(const std::string& path, const vfs::Attributes& attributes) {
    in_.budget.Step();
    in_.budget.CheckStack();
    if (o_.one_file_system && attributes.device != device_) {
      in_.Fail("skipping " + Shown(path) + ", since it's on a different device");
      return Outcome::kFailed;
    }
    const auto entries = in_.fs.List(path);
    if (!entries) {
      if (!IsApproved("remove", path, attributes)) return Outcome::kDeclined;
      if (in_.fs.RemoveDirectory(path)) {
        if (o_.verbose) in_.out.WriteLine("removed directory " + Shown(path));
        return Outcome::kRemoved;
      }
      Complain(path, entries.error());
      return Outcome::kFailed;
    }
    if (!entries->empty()) {
      if (!IsApproved("descend into", path, attributes)) return Outcome::kDeclined;
      bool has_failed = false;
      for (const vfs::DirectoryEntry& entry : *entries) {
        if (RemoveEntry(vfs::JoinPath(path, entry.name)) == Outcome::kFailed) has_failed = true;
      }
      if (has_failed) return Outcome::kFailed;
    }
    if (!IsApproved("remove", path, attributes)) return Outcome::kDeclined;
    return RemoveDirectory(path) ? Outcome::kRemoved : Outcome::kFailed;
  }

  Outcome RemoveEntry(const std::string& path) {
    in_.budget.Step();
    const auto found = in_.fs.Stat(path, vfs::Follow::kNo);
    if (!found) {
      if (found.error().code == Code::kNoEntry) return Outcome::kRemoved;
      Complain(path, found.error());
      return Outcome::kFailed;
    }
    return found->is_directory() ? RemoveTree(path, *found) : RemoveFile(path, *found);
  }

  Invocation& in_;
  const Options& o_;
  bool asks_about_protected_;
  uint64_t device_ = 0;
};

ExitStatus Remove(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  for (const std::string& word : options.ask_words) {
    const auto found = FindChoice("--interactive", word, kAskWords, in.locale.is_utf8);
    if (!found) return in.Usage(found.error().message);
    options.ask = static_cast<Ask>(*found);
    if (options.ask != Ask::kNever) options.force = false;   // "never" asks nothing, and goes on ignoring what is missing
  }
  if (operands.empty()) return options.force ? 0 : in.Usage("missing operand");
  if (options.ask == Ask::kOnce && (options.recursive || operands.size() > 3)) {
    const std::string count = std::to_string(operands.size());
    const std::string question = "remove " + count + (operands.size() == 1 ? " argument" : " arguments") +
                                 (options.recursive ? " recursively? " : "? ");
    if (!Confirm(in, question)) return 0;
  }
  Remover remover(in, options);
  ExitStatus status = 0;
  for (const std::string& path : operands) {
    in.budget.Step();
    if (!remover.RemoveOperand(path)) status = 1;
  }
  return status;
}

// A file called like an option gets a hint, before the usual complaint.
ExitStatus ComplainAboutOptions(Invocation& in, const Error& error) {
  in.Fail(error.Text());
  if (error.code != Code::kSyntax) return 1;
  for (const std::string& arg : in.args.subspan(1)) {
    if (arg.starts_with('-') && arg.size() > 1 && in.fs.Stat(arg, vfs::Follow::kNo)) {
      in.err.Write("Try '" + std::string(in.name_in_messages()) + " ./" + QuoteText(arg, QuotingStyle::kShellEscape, in.locale.is_utf8) +
                   "' to remove the file " + QuoteFile(arg, in.locale.is_utf8) + ".\n");
      break;
    }
  }
  in.err.Write("Try '" + std::string(in.name_in_messages()) + " --help' for more information.\n");
  return 1;
}

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed) return ComplainAboutOptions(in, parsed.error());
  if (parsed->wants_help || parsed->wants_version) {
    in.out.Write(parsed->wants_help ? HelpText(in.command, in.name_in_messages()) : VersionText(in.command, in.name()));
    return 0;
  }
  for (const std::string& arg : in.args.subspan(1)) {
    if (arg == "--") break;
    if (arg.starts_with("--no-p") && arg != "--no-preserve-root") {
      return in.Fail("you may not abbreviate the --no-preserve-root option");
    }
  }
  return Remove(in, options, parsed->operands);
}

}  // namespace

extern const Command kCommand_rm;
const Command kCommand_rm = {
    .name = "rm",
    .summary = "remove (unlink) the FILE(s)",
    .synopsis = "[OPTION]... [FILE]...",
    .options = kOptions,
    .run = Run,
};

}  // namespace paddock
