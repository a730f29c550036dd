// cp - copy files and directories
//
// usage: cp [OPTION]... [-T] SOURCE DEST
//        cp [OPTION]... SOURCE... DIRECTORY
//        cp [OPTION]... -t DIRECTORY SOURCE...
//
// Exit status: 0, or 1 when something could not be copied.
// Source: POSIX cp, GNU coreutils 9.1.
// Differs: --reflink=always fails, as on a file system without shared extents; security contexts and
// extended attributes do not exist, so there are none to preserve.

#include "commands/file/copy.h"
#include "proc/command.h"
#include "text/choice.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  CopyOptions copy;
  BackupOptions backup;
  std::optional<Dereference> dereference;
  bool copies_contents = false;
  bool parents = false;
  bool strips_slashes = false;
  bool no_target_directory = false;
  std::optional<std::string> target_directory, reflink, sparse, context;
  struct Preserve {
    bool on;
    std::string list;
  };
  std::vector<Preserve> preserves;
};

Status SetArchive(Options& o, std::string_view) {
  o.dereference = Dereference::kNever;
  o.copy.recursive = true;
  o.copy.keeps_links = o.copy.keeps_mode = o.copy.keeps_owner = o.copy.keeps_times = true;
  return {};
}
Status SetNoDereference(Options& o, std::string_view) {
  o.dereference = Dereference::kNever;
  o.copy.keeps_links = true;
  return {};
}
template <Dereference kDereference>
Status SetDereference(Options& o, std::string_view) {
  o.dereference = kDereference;
  return {};
}
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
template <bool kOn>
Status AddPreserve(Options& o, std::string_view list) {
  o.preserves.push_back({kOn, std::string(list.data() == nullptr ? "mode,ownership,timestamps" : list)});
  return {};
}
Status PreserveUsual(Options& o, std::string_view) { return AddPreserve<true>(o, {}); }
Status SetAttributesOnly(Options& o, std::string_view) {
  o.copy.attributes_only = true;
  return {};
}
Status SetReflink(Options& o, std::string_view when) {
  o.reflink = when.data() == nullptr ? "always" : when;
  return {};
}
Status SetContext(Options& o, std::string_view context) {
  if (context.data() != nullptr) o.context = context;
  return {};
}
Status SetTarget(Options& o, std::string_view directory) {
  if (o.target_directory) return Error(Code::kInvalid, "multiple target directories specified");
  o.target_directory = directory;
  return {};
}

constexpr Option kOptions[] = {
    Call<SetArchive>('a', "archive", nullptr, "same as -dR --preserve=all"),
    Call<SetAttributesOnly>(0, "attributes-only", nullptr, "don't copy the file data, just the attributes"),
    CallOptional<AddBackup>(0, "backup", "CONTROL", "make a backup of each existing destination file"),
    Call<AddBackup>('b', nullptr, nullptr, "like --backup but does not accept an argument"),
    Flag<&Options::copies_contents>(0, "copy-contents", "copy contents of special files when recursive"),
    Call<SetNoDereference>('d', nullptr, nullptr, "same as --no-dereference --preserve=links"),
    Call<Turn<&CopyOptions::removes_unopenable>>('f', "force", nullptr,
                                                 "if an existing destination file cannot be opened, remove it and "
                                                 "try again (this option is ignored when the -n option is also used)"),
    Call<SetOverwrite<Overwrite::kAsk>>('i', "interactive", nullptr,
                                        "prompt before overwrite (overrides a previous -n option)"),
    Call<SetDereference<Dereference::kOperands>>('H', nullptr, nullptr,
                                                 "follow command-line symbolic links in SOURCE"),
    Call<Turn<&CopyOptions::makes_hard_links>>('l', "link", nullptr, "hard link files instead of copying"),
    Call<SetDereference<Dereference::kAlways>>('L', "dereference", nullptr,
                                               "always follow symbolic links in SOURCE"),
    Call<SetOverwrite<Overwrite::kNever>>('n', "no-clobber", nullptr,
                                          "do not overwrite an existing file (overrides a previous -i option)"),
    Call<SetDereference<Dereference::kNever>>('P', "no-dereference", nullptr,
                                              "never follow symbolic links in SOURCE"),
    Call<PreserveUsual>('p', nullptr, nullptr, "same as --preserve=mode,ownership,timestamps"),
    CallOptional<AddPreserve<true>>(0, "preserve", "ATTR_LIST",
                                    "preserve the specified attributes (default: mode,ownership,timestamps), if "
                                    "possible additional attributes: context, links, xattr, all"),
    Call<AddPreserve<false>>(0, "no-preserve", "ATTR_LIST", "don't preserve the specified attributes"),
    Flag<&Options::parents>(0, "parents", "use full source file name under DIRECTORY"),
    Call<Turn<&CopyOptions::recursive>>('R', "recursive", nullptr, "copy directories recursively"),
    Call<Turn<&CopyOptions::recursive>>('r', nullptr, nullptr, "likewise"),
    CallOptional<SetReflink>(0, "reflink", "WHEN", "control clone/CoW copies. See below"),
    Call<Turn<&CopyOptions::removes_target>>(0, "remove-destination", nullptr,
                                             "remove each existing destination file before attempting to open it "
                                             "(contrast with --force)"),
    Value<&Options::sparse>(0, "sparse", "WHEN", "control creation of sparse files. See below"),
    Flag<&Options::strips_slashes>(0, "strip-trailing-slashes",
                                   "remove any trailing slashes from each SOURCE argument"),
    Call<Turn<&CopyOptions::makes_symlinks>>('s', "symbolic-link", nullptr,
                                             "make symbolic links instead of copying"),
    Call<AddSuffix>('S', "suffix", "SUFFIX", "override the usual backup suffix"),
    Call<SetTarget>('t', "target-directory", "DIRECTORY", "copy all SOURCE arguments into DIRECTORY"),
    Flag<&Options::no_target_directory>('T', "no-target-directory", "treat DEST as a normal file"),
    Call<Turn<&CopyOptions::only_newer>>('u', "update", nullptr,
                                         "copy only when the SOURCE file is newer than the destination file or when "
                                         "the destination file is missing"),
    Call<Turn<&CopyOptions::verbose>>('v', "verbose", nullptr, "explain what is being done"),
    Call<Turn<&CopyOptions::one_file_system>>('x', "one-file-system", nullptr, "stay on this file system"),
    Call<SetContext>('Z', nullptr, nullptr, "set SELinux security context of destination file to default type"),
    CallOptional<SetContext>(0, "context", "CTX",
                             "like -Z, or if CTX is specified then set the SELinux or SMACK security context to CTX"),
};

constexpr Choice kReflinks[] = {{"auto", 0}, {"always", 1}, {"never", 2}};
constexpr Choice kSparses[] = {{"never", static_cast<int>(Sparse::kNever)},
                               {"auto", static_cast<int>(Sparse::kAuto)},
                               {"always", static_cast<int>(Sparse::kAlways)}};
enum Attribute { kMode, kTimes, kOwner, kLinks, kContext, kXattr, kAll };
constexpr Choice kAttributes[] = {{"mode", kMode},       {"timestamps", kTimes}, {"ownership", kOwner}, {"links", kLinks},
                                  {"context", kContext}, {"xattr", kXattr},      {"all", kAll}};

class Resolver {
 public:
  Resolver(Invocation& in, Options& options) : in_(in), o_(options), c_(options.copy) {}

  // Turns words into settings; the exit status after a complaint.
  std::optional<ExitStatus> Run() {
    if (o_.reflink) {
      const auto when = FindChoice("--reflink", *o_.reflink, kReflinks, in_.locale.is_utf8);
      if (!when) return in_.Usage(when.error().message);
      c_.must_clone = *when == 1;
    }
    if (o_.sparse) {
      const auto when = FindChoice("--sparse", *o_.sparse, kSparses, in_.locale.is_utf8);
      if (!when) return in_.Usage(when.error().message);
      c_.sparse = static_cast<Sparse>(*when);
    }
    for (const Options::Preserve& preserve : o_.preserves) {
      if (const auto failed = ApplyPreserve(preserve)) return failed;
    }
    if (o_.context) in_.Fail("warning: ignoring --context; it requires an SELinux-enabled kernel");
    if (c_.makes_hard_links && c_.makes_symlinks) return in_.Usage("cannot make both hard and symbolic links");
    if (c_.overwrite == Overwrite::kNever && o_.backup.wanted) {
      return in_.Usage("options --backup and --no-clobber are mutually exclusive");
    }
    if (c_.must_clone && c_.sparse != Sparse::kAuto) {
      return in_.Usage("--reflink can be used only with --sparse=auto");
    }
    auto backup = ResolveBackup(in_, o_.backup);
    if (!backup) return 1;
    c_.backup = std::move(*backup);
    const bool walks = c_.recursive && !c_.makes_hard_links;
    c_.dereference = o_.dereference.value_or(walks ? Dereference::kNever : Dereference::kAlways);
    c_.as_regular = !c_.recursive || o_.copies_contents;
    if (c_.overwrite == Overwrite::kNever) c_.removes_unopenable = false;
    return std::nullopt;
  }

 private:
  std::optional<ExitStatus> ApplyPreserve(const Options::Preserve& preserve) {
    const std::string_view option = preserve.on ? "--preserve" : "--no-preserve";
    std::string_view rest = preserve.list;
    while (true) {
      const size_t comma = rest.find(',');
      const auto attribute = FindChoice(option, rest.substr(0, comma), kAttributes, in_.locale.is_utf8);
      if (!attribute) return in_.Usage(attribute.error().message);
      const bool all = *attribute == kAll;
      if (*attribute == kContext && preserve.on) {
        return in_.Fail("cannot preserve security context without an SELinux-enabled kernel");
      }
      if (all || *attribute == kMode) {
        c_.keeps_mode = preserve.on;
        c_.default_mode = !preserve.on;
      }
      if (all || *attribute == kTimes) c_.keeps_times = preserve.on;
      if (all || *attribute == kOwner) c_.keeps_owner = preserve.on;
      if (all || *attribute == kLinks) c_.keeps_links = preserve.on;
      if (comma == std::string_view::npos) return std::nullopt;
      rest.remove_prefix(comma + 1);
    }
  }

  Invocation& in_;
  Options& o_;
  CopyOptions& c_;
};

// For --parents: makes the directories of `source` below `directory` with their modes.
class ParentMaker {
 public:
  ParentMaker(Invocation& in, const Options& options, std::string directory)
      : in_(in), o_(options), directory_(std::move(directory)) {}

  bool Make(const std::string& source) {
    made_.clear();
    const std::string parents = vfs::DirectoryName(source);
    if (parents == "." || parents == "/") return true;
    if (const auto whole = in_.fs.Stat(TargetOf(parents)); whole && whole->is_directory()) return true;
    for (size_t end = parents.find('/', 1);; end = parents.find('/', end + 1)) {
      if (!MakeOne(parents.substr(0, end))) return false;
      if (end == std::string::npos) return true;
    }
  }

  // Gives the made directories the attributes of their models, once they are filled.
  void Finish() {
    for (const auto& [path, model, is_new] : made_) {
      if (o_.copy.keeps_times) (void)in_.fs.SetTimes(path, model.access_time, model.modify_time);
      if (o_.copy.keeps_owner) (void)in_.fs.SetOwner(path, model.uid, model.gid);
      if (!is_new && !o_.copy.keeps_mode) continue;
      const uint32_t allowed = o_.copy.default_mode ? 0777 : model.mode;
      (void)in_.fs.SetMode(path, o_.copy.keeps_mode ? model.mode : allowed & ~in_.fs.umask());
    }
  }

 private:
  std::string TargetOf(std::string below) const {
    while (below.starts_with('/')) below.erase(0, 1);
    return vfs::JoinPath(directory_, below);
  }

  bool MakeOne(const std::string& source) {
    const std::string target = TargetOf(source);
    const auto model = in_.fs.Stat(source);
    const std::string shown = QuoteFile(target, in_.locale.is_utf8);
    if (const auto existing = in_.fs.Stat(target)) {
      if (existing->is_directory()) {
        if (model && (o_.copy.keeps_mode || o_.copy.keeps_owner || o_.copy.keeps_times)) {
          made_.push_back({target, *model, false});
        }
        return true;
      }
      in_.Fail(shown + " exists but is not a directory");
      return false;
    }
    if (!model || !model->is_directory()) {
      const Error error = model ? Error(Code::kNotDirectory) : model.error();
      in_.Fail("failed to get attributes of " + QuoteFile(source, in_.locale.is_utf8), error);
      return false;
    }
    // Until it has its own owner and mode, others must not reach into it.
    const uint32_t withheld = o_.copy.keeps_owner ? 077 : o_.copy.keeps_mode ? 022 : 0;
    if (const Status made = in_.fs.MakeDirectory(target, (model->mode & ~withheld) | 0700); !made) {
      in_.Fail("cannot make directory " + shown, made.error());
      return false;
    }
    if (o_.copy.verbose) in_.out.WriteLine(source + " -> " + target);
    made_.push_back({target, *model, true});
    return true;
  }

  Invocation& in_;
  const Options& o_;
  std::string directory_;
  struct Parent {
    std::string path;
    vfs::Attributes model;
    bool is_new;
  };
  std::vector<Parent> made_;
};

class Program {
 public:
  Program(Invocation& in, Options& options) : in_(in), o_(options), copier_(in, options.copy) {}

  ExitStatus Run(std::vector<std::string> operands) {
    std::optional<std::string> directory = o_.target_directory;
    if (const auto failed = TakeDestination(in_, o_.no_target_directory, operands, directory)) return *failed;
    if (directory) return CopyInto(*directory, operands);
    if (o_.parents) return in_.Usage("with --parents, the destination must be a directory");
    return CopyTo(operands[0], operands[1]);
  }

 private:
  ExitStatus CopyTo(const std::string& source, std::string target) {
    // cp --force --backup x x makes a backup of x.
    if (o_.copy.removes_unopenable && o_.copy.backup.is_on() && source == target) {
      const auto found = in_.fs.Stat(source);
      if (found && found->is_file()) {
        target = o_.copy.backup.NameFor(in_.fs, source);
        CopyOptions plain = o_.copy;
        plain.backup = {};
        return Copier(in_, plain).CopyOperand(source, target) ? 0 : 1;
      }
    }
    return copier_.CopyOperand(source, target) ? 0 : 1;
  }

  ExitStatus CopyInto(const std::string& directory, const std::vector<std::string>& sources) {
    ExitStatus status = 0;
    ParentMaker parents(in_, o_, directory);
    for (std::string source : sources) {
      in_.budget.Step();
      if (o_.strips_slashes) StripSlashes(source);
      std::string target;
      if (o_.parents) {
        StripSlashes(source);
        if (!parents.Make(source)) {
          status = 1;
          continue;
        }
        const size_t start = source.find_first_not_of('/');
        target = vfs::JoinPath(directory, start == std::string::npos ? "" : source.substr(start));
      } else {
        const std::string base = vfs::BaseName(source);
        // "cp -r a/.. b" must not leave b.
        target = base == ".." || base == "/" ? directory : vfs::JoinPath(directory, base);
      }
      if (!copier_.CopyOperand(source, target)) status = 1;
      if (o_.parents) parents.Finish();
    }
    return status;
  }

  static void StripSlashes(std::string& path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
  }

  Invocation& in_;
  Options& o_;
  Copier copier_;
};

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (const auto failed = Resolver(in, options).Run()) return *failed;
  return Program(in, options).Run(operands);
}

}  // namespace

extern const Command kCommand_cp;
const Command kCommand_cp = Define<Options, Run>({
    .name = "cp",
    .summary = "copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY",
    .synopsis = "[OPTION]... [-T] SOURCE DEST\n[OPTION]... SOURCE... DIRECTORY\n"
                "[OPTION]... -t DIRECTORY SOURCE...",
    .options = kOptions,
});

}  // namespace paddock
