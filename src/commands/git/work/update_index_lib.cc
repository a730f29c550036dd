// git update-index.
#include <algorithm>
#include <charconv>

#include "commands/git/refs/revision.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

// What holds for the files that follow an option.
struct Options {
  bool add = false, remove = false, replace = false, force_remove = false, quiet = false, unmerged = false, refresh = false, really_refresh = false, ignore_missing = false, info_only = false, verbose = false, forces_write = false, ignores_submodules = false, ignores_skipped = false, sees_skipped = false, clears_undo = false, watches = false, no_watch = false, valid = false, no_valid = false, caches = false, no_cache = false, forces_cache = false, unresolves = false, splits = false, no_split = false, from_stdin = false, nul = false, index_info = false, again = false;
  std::optional<bool> assume, skip, executable;
  std::vector<std::string> infos;   // of --cacheinfo
};
Status TakeInfo(Options& options, std::string_view value) {
  options.infos.emplace_back(value);
  return {};
}
Status TakeChmod(Options& options, std::string_view value) {
  if (value != "+x" && value != "-x") return Error(Code::kInvalid, "option 'chmod' expects \"+x\" or \"-x\"");
  options.executable = value == "+x";
  return {};
}
Status TakeVersion(Options&, std::string_view value) {
  int64_t version = 0;
  PADDOCK_TRY(ParseOptionValue(value, version));
  if (version < 2 || version > 4) return Error(Code::kInvalid, "index-version " + std::to_string(version) + " not in range: 2..4");
  // 2 becomes 3 where an entry needs it, and 3 becomes 2 where none does.
  if (version == 4) return Error(Code::kNotSupported, "index version 4 is not supported");
  return {};
}
Status SetAssume(Options& options, std::string_view) { options.assume = true; return {}; }
Status SetNoAssume(Options& options, std::string_view) { options.assume = false; return {}; }
Status SetSkip(Options& options, std::string_view) { options.skip = true; return {}; }
Status SetNoSkip(Options& options, std::string_view) { options.skip = false; return {}; }
constexpr Option kOptions[] = {
    Flag<&Options::quiet>('q', nullptr, "go on when files need an update"),
    Flag<&Options::add>(0, "add", "take new files, too"),
    Flag<&Options::replace>(0, "replace", "files may take the place of directories, and the other way"),
    Flag<&Options::remove>(0, "remove", "take out what is no longer there"),
    Flag<&Options::unmerged>(0, "unmerged", "with --refresh: say nothing of unmerged files"),
    Flag<&Options::refresh>(0, "refresh", "look at all files anew"),
    Flag<&Options::really_refresh>(0, "really-refresh", "also those that are assumed unchanged"),
    Call<TakeInfo>(0, "cacheinfo", "MODE,OBJECT,PATH", "add this entry"),
    Call<TakeChmod>(0, "chmod", "(+|-)x", "set the executable bit of the files"),
    Call<SetAssume>(0, "assume-unchanged", nullptr, "take the files for unchanged"),
    Call<SetNoAssume>(0, "no-assume-unchanged", nullptr, "do not"),
    Call<SetSkip>(0, "skip-worktree", nullptr, "leave the files of the working tree alone"),
    Call<SetNoSkip>(0, "no-skip-worktree", nullptr, "do not"),
    Flag<&Options::info_only>(0, "info-only", "write no objects"),
    Flag<&Options::force_remove>(0, "force-remove", "take the files out, there or not"),
    Flag<&Options::nul>('z', nullptr, "input lines end with NUL"),
    Flag<&Options::from_stdin>(0, "stdin", "read names of files from standard input"),
    Flag<&Options::index_info>(0, "index-info", "read entries from standard input"),
    Flag<&Options::again>('g', "again", "all files that differ from HEAD"),
    Flag<&Options::ignores_submodules>(0, "ignore-submodules", "with --refresh: not submodules (they never are)"),
    Flag<&Options::ignores_skipped>(0, "ignore-skip-worktree-entries", "leave entries with that bit alone when their files are gone"),
    Flag<&Options::sees_skipped>(0, "no-ignore-skip-worktree-entries", "take them out (the default)"),
    Call<TakeVersion>(0, "index-version", "N", "write the index as version 2 or 3"),
    Flag<&Options::forces_write>(0, "force-write-index", "write the index though nothing changed (always)"),
    Flag<&Options::clears_undo>(0, "clear-resolve-undo", "forget how resolved conflicts were"),
    Flag<&Options::caches>(0, "untracked-cache", "note what is untracked (only the setting is looked at)"),
    Flag<&Options::no_cache>(0, "no-untracked-cache", "do not"),
    Flag<&Options::forces_cache>(0, "force-untracked-cache", "likewise, without a test"),
    Flag<&Options::splits>(0, "split-index", "let the index be two files where that is quicker (it is one always)"),
    Flag<&Options::no_split>(0, "no-split-index", "one file (always)"),
    Flag<&Options::watches>(0, "fsmonitor", "take what a monitor knows of the files (refused where one is set)"),
    Flag<&Options::valid>(0, "fsmonitor-valid", "the files are known to a monitor (there is none)"),
    Flag<&Options::unresolves>(0, "unresolve", "bring conflicts back that were resolved"),
    Flag<&Options::no_watch>(0, "no-fsmonitor", "no monitor of the files (there never is one)"),
    Flag<&Options::no_valid>(0, "no-fsmonitor-valid", "the files are not known to a monitor"),
    Flag<&Options::ignore_missing>(0, "ignore-missing", "with --refresh: say nothing of missing files"),
    Flag<&Options::verbose>(0, "verbose", "tell what is done"),
};

std::optional<uint32_t> ParseMode(std::string_view text) {
  uint32_t mode = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return mode;
}
bool IsEntryMode(uint32_t mode) { return (mode & 0170000) == 0100000 || mode == kModeLink || mode == kModeCommit; }
uint32_t CanonicalMode(uint32_t mode) { return (mode & 0170000) == 0100000 ? ((mode & 0100) != 0 ? kModeExecutable : kModeFile) : mode; }

class Update {
 public:
  Update(Git& git, const Options& options, Index& index) : git_(git), options_(options), index_(index) {}

  // "MODE,OBJECT,PATH".
  Status AddInfo(const std::string& info) {
    const size_t first = info.find(','), second = first == std::string::npos ? first : info.find(',', first + 1);
    if (second == std::string::npos) return Error(Code::kSyntax, "option 'cacheinfo' expects <mode>,<sha1>,<path>");
    const auto mode = ParseMode(std::string_view(info).substr(0, first));
    const auto id = Oid::FromHex(std::string_view(info).substr(first + 1, second - first - 1));
    const std::string path = info.substr(second + 1);
    if (!mode || !id) return Error(Code::kSyntax, "option 'cacheinfo' expects <mode>,<sha1>,<path>");
    const auto fail = [&](bool says_path) -> Status {
      if (says_path) git_.Complain("Invalid path '" + path + "'");
      return Error(Code::kInvalid, "git update-index: --cacheinfo cannot add " + path);
    };
    if (!IsEntryMode(*mode) || !IsSafePath(path)) return fail(!IsSafePath(path));
    if (!options_.add && index_.Find(path) == nullptr) return (git_.Complain(path + ": cannot add to the index - missing --add option?"), fail(false));
    IndexEntry entry;
    entry.path = path;
    entry.mode = CanonicalMode(*mode);
    entry.id = *id;
    index_.Put(std::move(entry));
    Tell("add '" + path + "'\n");
    return {};
  }

  // "MODE SP ID TAB PATH", "MODE SP TYPE SP ID TAB PATH" or "MODE SP ID SP STAGE TAB PATH".
  Status AddLine(std::string_view line) {
    const Error bad(Code::kSyntax, "malformed index info " + std::string(line));
    const size_t tab = line.find('\t'), blank = line.find(' ');
    if (tab == std::string_view::npos || blank > tab) return bad;
    std::string_view head = line.substr(blank + 1, tab - blank - 1);
    const std::string path(line.substr(tab + 1));
    const auto mode = ParseMode(line.substr(0, blank));
    IndexEntry entry;
    if (head.size() > 41 && head[40] == ' ') {
      if (head.size() != 42 || head[41] < '0' || head[41] > '3') return bad;
      entry.stage = head[41] - '0';
      head = head.substr(0, 40);
    } else if (head.size() > 41) {
      head = head.substr(head.size() - 40);
    }
    const auto id = Oid::FromHex(head);
    if (!mode || !id) return bad;
    if (!IsSafePath(path)) {
      git_.Complain("Invalid path '" + path + "'");
      return {};
    }
    if (*mode == 0) {
      index_.Remove(path);
      return {};
    }
    if (!IsEntryMode(*mode)) return Error(Code::kInvalid, "git update-index: unable to update " + path);
    entry.path = path;
    entry.mode = CanonicalMode(*mode);
    entry.id = *id;
    index_.Put(std::move(entry));
    return {};
  }

  Status Take(const std::string& operand) {
    PADDOCK_ASSIGN(const std::string path, git_.RepositoryPath(operand));
    if (!IsSafePath(path)) {
      git_.Say("Ignoring path " + operand + "\n");
      return {};
    }
    if (options_.assume || options_.skip) {
      IndexEntry* entry = index_.Find(path);
      if (entry == nullptr) return Error(Code::kNoEntry, "Unable to mark file " + operand);
      if (options_.assume) entry->is_assumed = *options_.assume;
      if (options_.skip) entry->is_skipped = *options_.skip;
      return {};
    }
    if (options_.valid || options_.no_valid) return index_.Find(path) != nullptr ? Status() : Error(Code::kNoEntry, "Unable to mark file " + operand);
    if (options_.force_remove) {
      index_.Remove(path);
      Tell("remove '" + path + "'\n");
      return {};
    }
    PADDOCK_TRY(Process(operand, path));
    if (!options_.executable) return {};
    IndexEntry* entry = index_.Find(path);
    if (entry == nullptr || (entry->mode & 0170000) != 0100000) return Error(Code::kInvalid, std::string("git update-index: cannot chmod ") + (*options_.executable ? "+" : "-") + "x '" + operand + "'");
    entry->mode = *options_.executable ? kModeExecutable : kModeFile;
    Tell(std::string("chmod ") + (*options_.executable ? "+" : "-") + "x '" + path + "'\n");
    return {};
  }

  // Looks at every file anew; false when some need an update.
  Result<bool> Refresh(bool with_assumed) {
    bool is_clean = true, is_merged = true;
    std::string last;
    for (IndexEntry& entry : index_.entries()) {
      git_.in.budget.Step();
      if (entry.stage != 0) {
        if (entry.path != last && !options_.unmerged) {
          git_.Print(git_.Shown(entry.path) + ": needs merge\n");
          is_merged = false;
        }
        last = entry.path;
        continue;
      }
      if (entry.is_skipped || (entry.is_assumed && !with_assumed) || entry.mode == kModeCommit) continue;
      PADDOCK_ASSIGN(const auto file, StageFile(git_, entry.path, false));
      if (!file && options_.ignore_missing) continue;
      if (!file || file->id != entry.id || file->mode != entry.mode || entry.is_intended) {
        if (!options_.quiet) git_.Print(git_.Shown(entry.path) + ": needs update\n");
        is_clean = false;
        continue;
      }
      IndexEntry fresh = *file;
      entry.is_assumed = entry.is_assumed && !with_assumed;
      fresh.is_assumed = entry.is_assumed;
      entry = std::move(fresh);
    }
    return is_merged && (is_clean || options_.quiet);
  }

 private:
  void Tell(std::string_view text) {
    if (options_.verbose) git_.Print(text);
  }

  // Whether the index has files below the path, or one where a directory above it would be.
  bool StandsInTheWay(const std::string& path) const {
    if (index_.HasBelow(path)) return true;
    for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      if (index_.Find(path.substr(0, slash)) != nullptr) return true;
    }
    return false;
  }

  Status Process(const std::string& operand, const std::string& path) {
    const auto fail = [&]() -> Status { return Error(Code::kInvalid, "Unable to process path " + operand); };
    const IndexEntry* known = index_.Find(path);
    if (known != nullptr && known->is_skipped) {
      if (!options_.ignores_skipped && options_.remove) index_.Remove(path);
      if (!options_.ignores_skipped && options_.remove) Tell("add '" + path + "'\n");
      return {};
    }
    const auto facts = git_.in.fs.Stat(git_.FilePath(path), vfs::Follow::kNo);
    if (!facts) {
      if (!options_.remove) {
        git_.Complain(path + ": does not exist and --remove not passed");
        return fail();
      }
      index_.Remove(path);
      Tell("add '" + path + "'\n");
      return {};
    }
    if (facts->is_directory()) {
      if (index_.HasBelow(path)) {
        git_.Complain(path + ": is a directory - add individual files instead");
        return fail();
      }
      git_.Complain(path + ": is a directory - add files inside instead");
      return fail();
    }
    bool is_unmerged = false;
    for (int stage = 1; stage < 4; ++stage) is_unmerged |= index_.Find(path, stage) != nullptr;
    if (known == nullptr && !is_unmerged && !options_.add) {
      git_.Complain(path + ": cannot add to the index - missing --add option?");
      return fail();
    }
    if (known == nullptr && !options_.replace && StandsInTheWay(path)) {
      git_.Complain("'" + path + "' appears as both a file and as a directory");
      git_.Complain(path + ": cannot add to the index - missing --add option?");
      return fail();
    }
    PADDOCK_ASSIGN(auto entry, StageFile(git_, path, !options_.info_only));
    if (!entry) return fail();
    if (known != nullptr) {
      entry->is_assumed = known->is_assumed;
      entry->is_skipped = known->is_skipped;
    }
    index_.Put(std::move(*entry));
    Tell("add '" + path + "'\n");
    return {};
  }

  Git& git_;
  const Options& options_;
  Index& index_;
};

// Names (or other lines) of standard input; quoted ones are unquoted.
Status ForLines(Git& git, bool nul, const std::function<Status(const std::string&)>& take) {
  while (const auto line = git.in.in.ReadLine(nul ? '\0' : '\n')) {
    git.in.budget.Step();
    PADDOCK_TRY(take(nul ? std::string(line->text) : UnquotePath(line->text)));
  }
  return {};
}

// What there is none of here is told where the configuration has other wishes, as git does.
Status TakeIndexParts(Git& git, const Options& options) {
  const auto is_set_to = [&git](const char* key, bool value) { return git.config.Get(key).has_value() && git.config.GetBool(key, !value) == value; };
  const auto tell = [&](const std::string& text) {
    if (options.verbose) git.Print(text + "\n");
  };
  if (options.splits && is_set_to("core.splitindex", false)) git.Warn("core.splitIndex is set to false; remove or change it, if you really want to enable split index");
  if (options.no_split && is_set_to("core.splitindex", true)) git.Warn("core.splitIndex is set to true; remove or change it, if you really want to disable split index");
  if (options.no_cache) {
    if (is_set_to("core.untrackedcache", true)) git.Warn("core.untrackedCache is set to true; remove or change it, if you really want to disable the untracked cache");
    tell("Untracked cache disabled");
  } else if (options.caches || options.forces_cache) {
    if (is_set_to("core.untrackedcache", false)) git.Warn("core.untrackedCache is set to false; remove or change it, if you really want to enable the untracked cache");
    tell("Untracked cache enabled for '" + git.work_tree + "'");
  }
  const bool has_monitor = git.config.Get("core.fsmonitor").has_value() && !is_set_to("core.fsmonitor", false);
  if (options.watches) {
    if (has_monitor) return Error(Code::kNotSupported, "monitors of the file system are not supported");
    git.Warn("core.fsmonitor is unset; set it if you really want to enable fsmonitor");
    tell("fsmonitor enabled");
  } else if (options.no_watch) {
    if (has_monitor) git.Warn("core.fsmonitor is set; remove it if you really want to disable fsmonitor");
    tell("fsmonitor disabled");
  }
  return {};
}

// Conflicts as they were; where that is not known, of what the two heads have.
Result<ExitStatus> Unresolve(Git& git, const std::vector<std::string>& operands) {
  const auto theirs = git.refs.Read("MERGE_HEAD");
  if (!theirs) {
    git.Say("Not in the middle of a merge.\n");
    return 0;
  }
  PADDOCK_ASSIGN(const Oid head, git.RequireHead());
  PADDOCK_ASSIGN(const FlatTree our_files, git.FlattenCommit(head));
  PADDOCK_ASSIGN(const FlatTree their_files, git.FlattenCommit(*theirs));
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  ExitStatus status = 0;
  for (const std::string& operand : operands) {
    git.in.budget.Step();
    PADDOCK_ASSIGN(const std::string path, git.RepositoryPath(operand));
    if (index.Find(path) != nullptr && index.Unmerge(path)) continue;
    if (index.Find(path, 1) != nullptr || index.Find(path, 2) != nullptr || index.Find(path, 3) != nullptr) {
      git.Say(path + ": skipping still unmerged path.\n");
      continue;
    }
    const auto ours = our_files.find(path), other = their_files.find(path);
    if (ours == our_files.end() || other == their_files.end()) {
      if (ours == our_files.end()) git.Complain(path + ": not in our branch.");
      if (other == their_files.end()) git.Complain(path + ": not in their branch.");
      status = 1;
      continue;
    }
    if (ours->second == other->second) {
      git.Say(path + ": identical in both, skipping.\n");
      continue;
    }
    index.Remove(path);
    for (const auto& [stage, item] : {std::pair<int, TreeItem>{2, ours->second}, {3, other->second}}) {
      IndexEntry entry;
      entry.path = path;
      entry.mode = item.mode;
      entry.id = item.id;
      entry.stage = stage;
      index.Put(std::move(entry));
    }
  }
  if (status == 0) PADDOCK_TRY(git.WriteIndex(index));
  return status;
}

Result<ExitStatus> Run(Git& git, Options& options, Args& args) {
  if (options.unresolves) {
    if (!git.Head()) return Error(Code::kNoEntry, "No HEAD -- no initial commit yet?");
    return Unresolve(git, args.All());
  }
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  Update update(git, options, index);
  std::vector<std::string> names = args.All();
  // --cacheinfo MODE OBJECT PATH, the older form.
  for (std::string& info : options.infos) {
    if (info.find(',') == std::string::npos && names.size() >= 2) {
      info += "," + names[0] + "," + names[1];
      names.erase(names.begin(), names.begin() + 2);
    }
    if (const Status added = update.AddInfo(info); !added) {
      if (added.error().code != Code::kSyntax) return added.error();
      return git.Complain(added.error().Text(), 129);
    }
  }
  bool is_clean = true;
  if (options.refresh || options.really_refresh) {
    PADDOCK_ASSIGN(is_clean, update.Refresh(options.really_refresh));
  }
  if (options.again) {
    if (const auto head = git.Head()) {
      PADDOCK_ASSIGN(const FlatTree before, git.FlattenCommit(*head));
      PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(names));
      names.clear();
      for (const FileDiff& file : CompareTrees(before, IndexFiles(index))) {
        if (file.new_mode != 0 && (paths.empty() || paths.Matches(file.new_path, git.in.budget))) names.push_back(vfs::JoinPath(git.work_tree, file.new_path));
      }
    }
  }
  for (const std::string& name : names) {
    git.in.budget.Step();
    PADDOCK_TRY(update.Take(name));
  }
  if (options.index_info) {
    while (const auto line = git.in.in.ReadLine(options.nul ? '\0' : '\n')) PADDOCK_TRY(update.AddLine(line->text));
  }
  if (options.from_stdin) PADDOCK_TRY(ForLines(git, options.nul, [&](const std::string& name) { return update.Take(name); }));
  PADDOCK_TRY(TakeIndexParts(git, options));
  if (options.clears_undo) index.ForgetResolved();
  PADDOCK_TRY(git.WriteIndex(index));
  return is_clean ? 0 : 1;
}

}  // namespace

extern const Subcommand kUpdateIndex;
const Subcommand kUpdateIndex = DefineSubcommand<Options, Run>({.name = "update-index", .summary = "set what the next commit holds, file by file", .synopsis = "[<options>] [--] [<file>...]", .options = kOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
