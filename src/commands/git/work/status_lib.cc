// git status.
#include "commands/git/work/status.h"

#include <algorithm>

#include "commands/git/progress.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/attributes.h"
#include "commands/git/work/sparse_patterns.h"
#include "commands/git/work/working_changes.h"
#include "git/index_tree.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

std::string Plural(size_t count, const char* word) { return std::to_string(count) + " " + word + (count == 1 ? "" : "s"); }

const char* Label(char status) {
  switch (status) {
    case 'A': return "new file:   ";
    case 'D': return "deleted:    ";
    case 'R': return "renamed:    ";
    case 'C': return "copied:     ";
    case 'T': return "typechange: ";
    default: return "modified:   ";
  }
}

const char* UnmergedLabel(const Unmerged& file) {
  const std::string both = {file.ours, file.theirs};
  if (both == "DD") return "both deleted:    ";
  if (both == "AU") return "added by us:     ";
  if (both == "UD") return "deleted by them: ";
  if (both == "UA") return "added by them:   ";
  if (both == "DU") return "deleted by us:   ";
  if (both == "AA") return "both added:      ";
  return "both modified:   ";
}

std::string ChangeLines(const Git& git, const std::vector<FileDiff>& files, const std::map<std::string, ModuleDirt>* modules = nullptr) {
  std::string text;
  for (const FileDiff& file : files) {
    text += "\t" + std::string(Label(file.status));
    if (file.status == 'R') text += git.Shown(file.old_path) + " -> ";
    text += git.Shown(file.new_path);
    std::string extra;
    if (modules != nullptr && file.new_mode == kModeCommit && file.old_id != file.new_id) extra = "new commits";
    if (const auto dirt = modules == nullptr ? std::map<std::string, ModuleDirt>::const_iterator() : modules->find(file.new_path); modules != nullptr && dirt != modules->end()) {
      if (dirt->second.is_modified) extra += extra.empty() ? "modified content" : ", modified content";
      if (dirt->second.has_untracked) extra += extra.empty() ? "untracked content" : ", untracked content";
    }
    text += extra.empty() ? "\n" : " (" + extra + ")\n";
  }
  return text;
}

// Looks into the submodules, and puts those that are as the index says but not clean among the changes.
Status AddModules(Git& git, const Index& index, UntrackedMode mode, Pathspec& paths, StatusReport& report) {
  for (const IndexEntry& entry : index.entries()) {
    if (entry.mode != kModeCommit || entry.stage != 0 || entry.is_assumed || entry.is_skipped) continue;
    if (!paths.empty() && !paths.Matches(entry.path, git.in.budget)) continue;
    PADDOCK_ASSIGN(ModuleDirt dirt, DirtOfModule(git, entry.path));
    if (mode == UntrackedMode::kNo) dirt.has_untracked = false;
    if (!dirt.is_any()) continue;
    report.modules[entry.path] = dirt;
    const auto at = std::lower_bound(report.unstaged.begin(), report.unstaged.end(), entry.path, [](const FileDiff& file, const std::string& path) { return file.new_path < path; });
    if (at != report.unstaged.end() && at->new_path == entry.path) continue;
    FileDiff file;
    file.status = 'M';
    file.old_path = file.new_path = entry.path;
    file.old_mode = file.new_mode = kModeCommit;
    file.old_id = file.new_id = entry.id;
    report.unstaged.insert(at, std::move(file));
  }
  return {};
}

}  // namespace

Result<StatusReport> MakeStatus(Git& git, const Index& index, const FlatTree* head, UntrackedMode mode, Pathspec& paths, bool with_ignored, int rename_percent) {
  StatusReport report;
  report.shows_untracked = mode != UntrackedMode::kNo;
  std::map<std::string, int> stages;
  for (const IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if (entry.stage != 0) stages[entry.path] |= 1 << entry.stage;
  }
  for (const auto& [path, mask] : stages) {
    static constexpr const char* kLetters[] = {"", "", "DD", "", "AU", "", "UD", "", "UA", "", "DU", "", "AA", "", "UU"};
    const char* letters = mask >= 0 && mask < 15 ? kLetters[mask] : "UU";
    if ((paths.empty() || paths.Matches(path, git.in.budget)) && *letters != '\0') report.unmerged.push_back({path, letters[0], letters[1]});
  }
  if (const size_t count = index.entries().size(); count > 0 && git.config.GetBool("core.sparsecheckout", false)) {
    const auto skipped = static_cast<size_t>(std::count_if(index.entries().begin(), index.entries().end(), [](const IndexEntry& entry) { return entry.is_skipped; }));
    report.present_percent = 100 - 100 * skipped / count;
  }
  DiffOptions options;
  options.find_renames = rename_percent * kWholeScore / 100;
  if (head != nullptr) report.staged = CompareTrees(*head, IndexFiles(index));
  std::erase_if(report.staged, [&](const FileDiff& file) { return stages.contains(file.new_path); });
  PADDOCK_TRY(Arrange(git, report.staged, options, paths));
  PADDOCK_ASSIGN(report.unstaged, CompareIndexWithFiles(git, index));
  std::erase_if(report.unstaged, [&](const FileDiff& file) { return stages.contains(file.new_path); });
  PADDOCK_TRY(Arrange(git, report.unstaged, options, paths));
  PADDOCK_TRY(AddModules(git, index, mode, paths, report));
  if (mode != UntrackedMode::kNo) {
    PADDOCK_ASSIGN(Untracked found, FindUntracked(git, index, mode, paths, with_ignored));
    report.untracked = std::move(found.files);
    report.ignored = std::move(found.ignored);
  }
  return report;
}

Result<ModuleDirt> DirtOfModule(Git& git, const std::string& path) {
  git.in.budget.CheckStack();
  git.in.budget.Step(16);
  const std::string top = git.FilePath(path);
  // Not through a link, which may lead back to here.
  const auto real = git.in.fs.Canonical(top), above = git.in.fs.Canonical(git.work_tree);
  if (!real || !above || *real != vfs::JoinPath(*above, path)) return ModuleDirt{};
  std::string directory = top + "/.git";
  if (const auto followed = FollowGitFile(git.in, directory)) directory = *followed;
  if (!IsGitDirectory(git.in.fs, directory)) return ModuleDirt{};
  Git inner(git.in, directory, top, false, CommonDirectory(git.in.fs, directory));
  PADDOCK_ASSIGN(inner.config, ReadConfig(git.in, &inner));
  Index index;
  if (const auto facts = git.in.fs.Stat(directory + "/index")) {
    git.in.budget.WillAllocate(4 * facts->size);
    PADDOCK_ASSIGN(const std::string bytes, vfs::ReadFile(git.in.fs, directory + "/index"));
    PADDOCK_ASSIGN(index, Index::Parse(bytes, git.in.budget));
  }
  FlatTree head;
  if (const auto id = inner.Head()) {
    PADDOCK_ASSIGN(head, inner.FlattenCommit(*id));
  }
  Pathspec everything;
  PADDOCK_ASSIGN(const StatusReport report, MakeStatus(inner, index, &head, ConfiguredUntracked(inner), everything, false));
  ModuleDirt dirt;
  dirt.has_untracked = !report.untracked.empty();
  dirt.is_modified = !report.staged.empty() || !report.unmerged.empty();
  for (const FileDiff& file : report.unstaged) {
    const auto below = report.modules.find(file.new_path);
    const bool is_only_untracked = below != report.modules.end() && !below->second.is_modified && file.old_id == file.new_id;
    (is_only_untracked ? dirt.has_untracked : dirt.is_modified) = true;
  }
  return dirt;
}

UntrackedMode ConfiguredUntracked(Git& git) {
  const std::string value = git.config.Get("status.showuntrackedfiles", "normal");
  return value == "all" || value == "true" ? UntrackedMode::kAll : value == "no" || value == "false" ? UntrackedMode::kNo : UntrackedMode::kNormal;
}

Result<std::optional<Tracking>> TrackingOf(Git& git, const std::string& branch) {
  const auto upstream = UpstreamOf(git, branch);
  if (!upstream) return std::optional<Tracking>();
  Tracking tracking;
  tracking.upstream = ShortRef(*upstream);
  const auto theirs = git.refs.Read(*upstream), ours = git.refs.Read("refs/heads/" + branch);
  if (!theirs || !ours) {
    tracking.is_gone = true;
    return std::optional<Tracking>(tracking);
  }
  History history(git);
  PADDOCK_ASSIGN(const std::set<Oid> a, history.Ancestors({*ours}));
  PADDOCK_ASSIGN(const std::set<Oid> b, history.Ancestors({*theirs}));
  tracking.ahead = static_cast<size_t>(std::count_if(a.begin(), a.end(), [&b](const Oid& id) { return !b.contains(id); }));
  tracking.behind = static_cast<size_t>(std::count_if(b.begin(), b.end(), [&a](const Oid& id) { return !a.contains(id); }));
  return std::optional<Tracking>(tracking);
}

std::string TrackingText(const Tracking& tracking) {
  const std::string name = "'" + tracking.upstream + "'";
  if (tracking.is_gone) return "Your branch is based on " + name + ", but the upstream is gone.\n  (use \"git branch --unset-upstream\" to fixup)\n";
  if (tracking.ahead == 0 && tracking.behind == 0) return "Your branch is up to date with " + name + ".\n";
  if (tracking.hides_counts) return "Your branch and " + name + " refer to different commits.\n  (use \"git status --ahead-behind\" for details)\n";
  if (tracking.behind == 0) return "Your branch is ahead of " + name + " by " + Plural(tracking.ahead, "commit") + ".\n  (use \"git push\" to publish your local commits)\n";
  if (tracking.ahead == 0) return "Your branch is behind " + name + " by " + Plural(tracking.behind, "commit") + ", and can be fast-forwarded.\n  (use \"git pull\" to update your local branch)\n";
  return "Your branch and " + name + " have diverged,\nand have " + std::to_string(tracking.ahead) + " and " + std::to_string(tracking.behind) +
         " different commits each, respectively.\n  (use \"git pull\" to merge the remote branch into yours)\n";
}

std::string DetachedText(Git& git) {
  const auto head = git.Head();
  const std::vector<ReflogEntry> log = git.refs.ReadLog("HEAD");
  for (size_t i = log.size(); i-- > 0;) {
    const std::string& message = log[i].message;
    if (!message.starts_with("checkout: moving from ")) continue;
    std::string name = message.substr(message.rfind(" to ") + 4);
    const auto ref = FindRef(git, name);
    if (!ref || *ref == "HEAD") name = git.objects.Abbreviate(log[i].after);
    else name = ref->starts_with("refs/tags/") || ref->starts_with("refs/remotes/") ? ShortRef(*ref) : *ref;
    const bool is_there = ref && *ref != "HEAD" && git.refs.Read(*ref) != log[i].after && git.objects.Peel(git.refs.Read(*ref).value_or(Oid{}), ObjectType::kCommit).has_value() && *git.objects.Peel(*git.refs.Read(*ref), ObjectType::kCommit) != log[i].after;
    if (is_there) name = git.objects.Abbreviate(log[i].after);
    return (head == log[i].after ? "at " : "from ") + name;
  }
  return {};   // nothing was checked out: a clone, say
}

namespace {

std::string WithoutHints(std::string_view text) {
  std::string plain;
  for (const std::string_view line : SplitLines(text)) {
    if (!line.starts_with("  (")) plain += line;
  }
  return plain;
}

std::string SparseText(const StatusReport& report) {
  if (!report.present_percent) return {};
  return "You are in a sparse checkout" + (report.has_sparse_index ? std::string(".\n\n") : " with " + std::to_string(*report.present_percent) + "% of tracked files present.\n\n");
}

}  // namespace

Result<std::string> LongStatus(Git& git, const StatusReport& report, bool is_for_commit, bool has_hints) {
  std::string text;
  const auto branch = git.HeadBranch();
  const bool is_initial = !git.Head();
  if (branch) {
    text += "On branch " + ShortRef(*branch) + "\n";
    PADDOCK_ASSIGN(auto tracking, TrackingOf(git, ShortRef(*branch)));
    if (tracking) {
      tracking->hides_counts = report.hides_counts;
      text += TrackingText(*tracking) + "\n";
    }
  } else if (const std::string rebasing = RebaseTitle(git); !rebasing.empty()) {
    text += rebasing;
  } else if (const std::string detached = DetachedText(git); !detached.empty()) {
    text += "HEAD detached " + detached + "\n";
  } else {
    text += "Not currently on any branch.\n";
  }
  const std::string progress = ProgressText(git, !report.unmerged.empty());
  text += progress + SparseText(report);
  if (is_initial) text += is_for_commit ? "\nInitial commit\n\n" : "\nNo commits yet\n\n";
  const std::string unstage = is_initial ? "  (use \"git rm --cached <file>...\" to unstage)\n" : std::string("  (use \"git restore ") + (report.amends ? "--source=HEAD^1 " : "") + "--staged <file>...\" to unstage)\n";
  const bool merges = git.refs.Exists("MERGE_HEAD") || git.refs.Exists("CHERRY_PICK_HEAD");
  if (!report.staged.empty()) text += "Changes to be committed:\n" + (merges ? std::string() : unstage) + ChangeLines(git, report.staged) + "\n";
  if (!report.unmerged.empty()) {
    const bool has_deleted = std::any_of(report.unmerged.begin(), report.unmerged.end(), [](const Unmerged& file) { return file.ours == 'D' || file.theirs == 'D'; });
    const bool both_deleted = std::all_of(report.unmerged.begin(), report.unmerged.end(), [](const Unmerged& file) { return file.ours == 'D' && file.theirs == 'D'; });
    text += "Unmerged paths:\n" + (merges ? std::string() : unstage);
    text += both_deleted ? "  (use \"git rm <file>...\" to mark resolution)\n" : has_deleted ? "  (use \"git add/rm <file>...\" as appropriate to mark resolution)\n" : "  (use \"git add <file>...\" to mark resolution)\n";
    for (const Unmerged& file : report.unmerged) text += "\t" + std::string(UnmergedLabel(file)) + git.Shown(file.path) + "\n";
    text += "\n";
  }
  if (!report.unstaged.empty()) {
    const bool has_deleted = std::any_of(report.unstaged.begin(), report.unstaged.end(), [](const FileDiff& file) { return file.status == 'D'; });
    text += std::string("Changes not staged for commit:\n  (use \"git add") + (has_deleted ? "/rm" : "") + " <file>...\" to update what will be committed)\n" +
            "  (use \"git restore <file>...\" to discard changes in working directory)\n" + (report.modules.empty() ? "" : "  (commit or discard the untracked or modified content in submodules)\n") + ChangeLines(git, report.unstaged, &report.modules) + "\n";
  }
  const auto list = [&](const char* title, const char* verb, const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    text += std::string(title) + " files:\n  (use \"git " + verb + " <file>...\" to include in what will be committed)\n";
    std::vector<std::string> lines;
    for (const std::string& path : paths) lines.push_back(git.Shown(path));
    const std::string shown = InColumns(lines, report.columns, TerminalColumns(git.in.env.Get("COLUMNS", "")) - 1, 1);
    for (const std::string_view line : SplitLines(shown)) text += "\t" + std::string(line);
    text += "\n";
  };
  list("Untracked", "add", report.untracked);
  list("Ignored", "add -f", report.ignored);
  if (!has_hints) return WithoutHints(text);
  text += report.patch;
  const bool hides = !report.shows_untracked;
  if (hides && !report.staged.empty()) text += "Untracked files not listed (use -u option to show untracked files)\n";
  if (!report.staged.empty()) return text;
  if (report.amends) text += "No changes\n";
  else if (!report.unstaged.empty() || !report.unmerged.empty()) text += "no changes added to commit (use \"git add\" and/or \"git commit -a\")\n";
  else if (!report.untracked.empty()) text += "nothing added to commit but untracked files present (use \"git add\" to track)\n";
  else if (is_initial) text += "nothing to commit (create/copy files and use \"git add\" to track)\n";
  else if (hides) text += "nothing to commit (use -u to show untracked files)\n";
  else text += "nothing to commit, working tree clean\n";
  return text;
}

namespace {

struct StatusOptions {
  bool is_short = false, branch = false, is_long = false, nul = false, ignored = false, porcelain = false, no_renames = false, is_second = false, shows_stash = false, no_stash = false;
  bool no_branch = false, finds_renames = false, hides_counts = false, shows_counts = false, ignores_matching = false;
  int verbosity = 0, rename_percent = 50;
  std::optional<ColumnOptions> columns;
  std::optional<UntrackedMode> untracked;
  std::string hidden_modules;   // of --ignore-submodules
};

Status TakeUntracked(StatusOptions& options, std::string_view value) {
  if (value.empty() || value == "all") options.untracked = UntrackedMode::kAll;
  else if (value == "normal") options.untracked = UntrackedMode::kNormal;
  else if (value == "no") options.untracked = UntrackedMode::kNo;
  else return Error(Code::kInvalid, "Invalid untracked files mode '" + std::string(value) + "'");
  return {};
}
// The last one holds.
Status TakeShort(StatusOptions& options, std::string_view) {
  options.is_short = true;
  options.is_long = options.porcelain = options.is_second = false;
  return {};
}
Status TakeLong(StatusOptions& options, std::string_view) {
  options.is_long = true;
  options.is_short = options.porcelain = options.is_second = false;
  return {};
}
Status TakePorcelain(StatusOptions& options, std::string_view value) {
  options.is_short = options.is_long = false;
  options.is_second = value == "v2" || value == "2";
  if (!options.is_second && !value.empty() && value != "v1" && value != "1") return Error(Code::kInvalid, "unsupported porcelain version '" + std::string(value) + "'");
  options.porcelain = true;
  return {};
}

Status TakeVerbose(StatusOptions& options, std::string_view) {
  ++options.verbosity;
  return {};
}
Status TakeColumn(StatusOptions& options, std::string_view value) { return ParseColumnOptions(value, options.columns.emplace()); }
Status TakeNoColumn(StatusOptions& options, std::string_view) {
  options.columns.emplace();
  return {};
}
Status TakeRenames(StatusOptions& options, std::string_view value) {
  options.finds_renames = true;
  if (value.empty()) return {};
  if (value.ends_with('%')) value.remove_suffix(1);
  int64_t percent = 0;
  if (!ParseOptionValue(value, percent) || percent < 0) return Error(Code::kInvalid, "invalid argument to find-renames: " + std::string(value));
  options.rename_percent = static_cast<int>(std::min<int64_t>(percent, 100));
  return {};
}
Status TakeIgnored(StatusOptions& options, std::string_view value) {
  if (!value.empty() && value != "traditional" && value != "no" && value != "matching") return Error(Code::kInvalid, "Invalid ignored mode '" + std::string(value) + "'");
  options.ignored = value != "no";
  options.ignores_matching = value == "matching";
  return {};
}
Status TakeSubmodules(StatusOptions& options, std::string_view value) {
  options.hidden_modules = value.empty() ? "all" : std::string(value);
  if (!value.empty() && value != "none" && value != "untracked" && value != "dirty" && value != "all") return Error(Code::kInvalid, "bad --ignore-submodules argument: " + std::string(value));
  return {};
}

constexpr Option kOptions[] = {
    Call<TakeVerbose>('v', "verbose", nullptr, "with what will be committed, as a patch; twice: with what will not, too"),
    CallOptional<TakeColumn>(0, "column", "STYLE", "files that git does not know in columns"),
    Call<TakeNoColumn>(0, "no-column", nullptr, "one a line (the default)"),
    CallOptional<TakeRenames>('M', "find-renames", "N", "look for renames, of N percent at least"),
    Flag<&StatusOptions::finds_renames>(0, "renames", "look for renames (the default)"),
    Flag<&StatusOptions::shows_counts>(0, "ahead-behind", "tell how far the branch is from its upstream (the default)"),
    Flag<&StatusOptions::hides_counts>(0, "no-ahead-behind", "only whether it is"),
    CallOptional<TakeSubmodules>(0, "ignore-submodules", "WHEN", "none, untracked, dirty or all"),
    Flag<&StatusOptions::no_branch>(0, "no-branch", "without the branch"),
    Call<TakeShort>('s', "short", nullptr, "one line a file"),
    Flag<&StatusOptions::branch>('b', "branch", "with the branch"),
    CallOptional<TakePorcelain>(0, "porcelain", "VERSION", "a form for programs: v1, the short one, or v2"),
    Call<TakeLong>(0, "long", nullptr, "the long form (the default)"),
    Flag<&StatusOptions::nul>('z', "null", "end lines with NUL"),
    CallOptional<TakeUntracked>('u', "untracked-files", "MODE", "show untracked files: all, normal or no"),
    CallOptional<TakeIgnored>(0, "ignored", "MODE", "show ignored files, too: traditional, matching or no"),
    Flag<&StatusOptions::shows_stash>(0, "show-stash", "tell how many stashes there are"),
    Flag<&StatusOptions::no_stash>(0, "no-show-stash", "do not (the default)"),
    Flag<&StatusOptions::no_renames>(0, "no-renames", "do not look for renames"),
};

std::string ShortText(Git& git, const StatusReport& report, const StatusOptions& options) {
  struct Line {
    char x = ' ', y = ' ';
    std::string from;
  };
  std::map<std::string, Line> lines;
  for (const FileDiff& file : report.staged) lines[file.new_path] = {file.status, ' ', file.status == 'R' ? file.old_path : ""};
  for (const FileDiff& file : report.unstaged) {
    const auto dirt = report.modules.find(file.new_path);
    const bool is_dirt_alone = dirt != report.modules.end() && file.old_id == file.new_id && !options.porcelain;
    lines[file.new_path].y = !is_dirt_alone ? file.status : dirt->second.is_modified ? 'm' : '?';
  }
  for (const Unmerged& file : report.unmerged) lines[file.path] = {file.ours, file.theirs, ""};
  const auto shown = [&](const std::string& path) {
    if (options.nul) return path;
    std::string text = options.porcelain ? git.Quoted(path) : git.Shown(path);
    return text.find(' ') != std::string::npos && !text.starts_with('"') ? "\"" + text + "\"" : text;
  };
  const char end = options.nul ? '\0' : '\n';
  std::string text;
  for (const auto& [path, line] : lines) {
    text += {line.x, line.y, ' '};
    if (options.nul) text += path + end + (line.from.empty() ? "" : line.from + end);
    else text += (line.from.empty() ? "" : shown(line.from) + " -> ") + shown(path) + end;
  }
  for (const std::string& path : report.untracked) text += "?? " + shown(path) + end;
  for (const std::string& path : report.ignored) text += "!! " + shown(path) + end;
  return text;
}

// What was renamed, as deleted here and created there.
void DivideRenames(std::vector<FileDiff>& files) {
  std::vector<FileDiff> divided;
  for (const FileDiff& file : files) {
    if (file.status != 'R') {
      divided.push_back(file);
      continue;
    }
    FileDiff gone = file, made = file;
    gone.status = 'D';
    gone.new_path = file.old_path;
    gone.new_mode = 0;
    gone.new_id = Oid{};
    made.status = 'A';
    made.old_path = file.new_path;
    made.old_mode = 0;
    made.old_id = Oid{};
    divided.push_back(std::move(gone));
    divided.push_back(std::move(made));
  }
  std::stable_sort(divided.begin(), divided.end(), [](const FileDiff& a, const FileDiff& b) { return a.new_path < b.new_path; });
  files = std::move(divided);
}

std::string ModeText(uint32_t mode) {
  std::string text;
  for (int shift = 15; shift >= 0; shift -= 3) text += static_cast<char>('0' + (mode >> shift & 7));
  return text;
}

// The lines of --porcelain=v2 --branch.
Result<std::string> SecondBranchLines(Git& git, char end, bool hides_counts) {
  const auto head = git.Head();
  const auto branch = git.HeadBranch();
  std::string text = "# branch.oid " + (head ? head->Hex() : std::string("(initial)")) + end + "# branch.head " + (branch ? ShortRef(*branch) : std::string("(detached)")) + end;
  if (!branch) return text;
  PADDOCK_ASSIGN(const auto tracking, TrackingOf(git, ShortRef(*branch)));
  if (!tracking) return text;
  text += "# branch.upstream " + tracking->upstream + end;
  if (!tracking->is_gone && hides_counts && tracking->ahead + tracking->behind > 0) text += std::string("# branch.ab +? -?") + end;
  else if (!tracking->is_gone) text += "# branch.ab +" + std::to_string(tracking->ahead) + " -" + std::to_string(tracking->behind) + end;
  return text;
}

Result<std::string> SecondText(Git& git, const StatusReport& report, const Index& index, const StatusOptions& options) {
  struct Line {
    char x = '.', y = '.';
    uint32_t head_mode = 0, index_mode = 0, file_mode = 0;
    Oid head, staged;
    std::string from;
    int score = 0;
  };
  std::map<std::string, Line> lines;
  for (const FileDiff& file : report.staged) lines[file.new_path] = {file.status, '.', file.old_mode, file.new_mode, file.new_mode, file.old_id, file.new_id, file.status == 'R' ? file.old_path : "", file.score};
  for (const FileDiff& file : report.unstaged) {
    const auto [line, is_new] = lines.try_emplace(file.new_path);
    line->second.y = file.status;
    line->second.file_mode = file.new_mode;
    if (!is_new) continue;
    line->second.head_mode = line->second.index_mode = file.old_mode;
    line->second.head = line->second.staged = file.old_id;
    if (const IndexEntry* entry = index.Find(file.new_path); entry != nullptr && entry->is_intended) {
      line->second.y = 'A';
      line->second.head_mode = line->second.index_mode = 0;
      line->second.head = line->second.staged = Oid{};
    }
  }
  const char end = options.nul ? '\0' : '\n';
  const auto shown = [&](const std::string& path) { return options.nul ? path : git.Quoted(path); };
  // "S", and what is new in a submodule; "N..." for the rest.
  const auto module = [&](const std::string& path, bool is_one) -> std::string {
    if (!is_one) return "N...";
    const auto changed = std::find_if(report.unstaged.begin(), report.unstaged.end(), [&path](const FileDiff& file) { return file.new_path == path; });
    const bool has_commits = changed != report.unstaged.end() && changed->new_mode == kModeCommit && changed->old_id != changed->new_id;
    const auto dirt = report.modules.find(path);
    const ModuleDirt what = dirt == report.modules.end() ? ModuleDirt{} : dirt->second;
    return {'S', has_commits ? 'C' : '.', what.is_modified ? 'M' : '.', what.has_untracked ? 'U' : '.'};
  };
  std::string text;
  for (const auto& [path, line] : lines) {
    git.in.budget.Step();
    text += std::string(line.from.empty() ? "1 " : "2 ") + line.x + line.y + " " + module(path, line.index_mode == kModeCommit || line.file_mode == kModeCommit) + " " + ModeText(line.head_mode) + " " + ModeText(line.index_mode) + " " + ModeText(line.file_mode) + " " + line.head.Hex() + " " + line.staged.Hex() + " ";
    if (!line.from.empty()) text += "R" + std::to_string(line.score) + " " + shown(path) + (options.nul ? '\0' : '\t') + shown(line.from) + end;
    else text += shown(path) + end;
  }
  for (const Unmerged& file : report.unmerged) {
    std::string modes, ids;
    for (int stage = 1; stage <= 3; ++stage) {
      const IndexEntry* entry = index.Find(file.path, stage);
      modes += ModeText(entry == nullptr ? 0 : entry->mode) + " ";
      ids += (entry == nullptr ? Oid{} : entry->id).Hex() + " ";
    }
    PADDOCK_ASSIGN(const auto now, ReadWorkingFile(git, file.path));
    text += std::string("u ") + file.ours + file.theirs + " N... " + modes + ModeText(now ? now->mode : 0) + " " + ids + shown(file.path) + end;
  }
  for (const std::string& path : report.untracked) text += "? " + shown(path) + end;
  for (const std::string& path : report.ignored) text += "! " + shown(path) + end;
  return text;
}

Result<std::string> BranchLine(Git& git, bool hides_counts) {
  const auto branch = git.HeadBranch();
  if (!branch) return std::string("## HEAD (no branch)");
  const std::string name = ShortRef(*branch);
  std::string line = std::string("## ") + (git.Head() ? "" : "No commits yet on ") + name;
  PADDOCK_ASSIGN(const auto tracking, TrackingOf(git, name));
  if (!tracking) return line;
  line += "..." + tracking->upstream;
  if (tracking->is_gone) return line + " [gone]";
  if (tracking->ahead == 0 && tracking->behind == 0) return line;
  if (hides_counts) return line + " [different]";
  line += " [";
  if (tracking->ahead > 0) line += "ahead " + std::to_string(tracking->ahead);
  if (tracking->ahead > 0 && tracking->behind > 0) line += ", ";
  if (tracking->behind > 0) line += "behind " + std::to_string(tracking->behind);
  return line + "]";
}

// What -v and -vv add.
Result<std::string> VerbosePatch(Git& git, const StatusReport& report, bool with_files) {
  std::string text;
  const auto add = [&](const std::vector<FileDiff>& files, const char* from, const char* to) -> Status {
    DiffOptions options;
    options.patch = true;
    if (with_files) {
      options.src_prefix = from;
      options.dst_prefix = to;
    }
    PADDOCK_ASSIGN(const std::string patch, FormatDiff(git, files, options));
    text += patch;
    return {};
  };
  if (with_files && !report.staged.empty()) text += "Changes to be committed:\n";
  PADDOCK_TRY(add(report.staged, "c/", "i/"));
  if (!with_files || report.unstaged.empty()) return text;
  text += "--------------------------------------------------\nChanges not staged for commit:\n";
  PADDOCK_TRY(add(report.unstaged, "i/", "w/"));
  return text;
}

// Leaves out what --ignore-submodules says: all, dirty (but for new commits), untracked.
void HideModules(StatusReport& report, const std::string& what) {
  if (what.empty() || what == "none") return;
  const auto is_module = [](const FileDiff& file) { return (file.new_mode == 0 ? file.old_mode : file.new_mode) == kModeCommit; };
  if (what == "all") std::erase_if(report.staged, is_module);
  for (auto& [path, dirt] : report.modules) {
    dirt.has_untracked = false;
    if (what != "untracked") dirt.is_modified = false;
  }
  std::erase_if(report.modules, [](const auto& module) { return !module.second.is_any(); });
  std::erase_if(report.unstaged, [&](const FileDiff& file) { return is_module(file) && (what == "all" || (file.old_id == file.new_id && !report.modules.contains(file.new_path))); });
}

Result<ExitStatus> RunStatus(Git& git, StatusOptions& options, Args& args) {
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(args.All()));
  Index index;
  std::optional<Oid> index_tree;
  bool has_sparse_index = false;
  const std::string index_path(git.in.env.Get("GIT_INDEX_FILE", git.GitPath("index")));
  if (const auto facts = git.in.fs.Stat(index_path)) {
    git.in.budget.WillAllocate(4 * facts->size);
    PADDOCK_ASSIGN(const std::string bytes, vfs::ReadFile(git.in.fs, index_path));
    PADDOCK_ASSIGN(index, Index::Parse(bytes, git.in.budget));
    has_sparse_index = HasDirectories(index);
    PADDOCK_TRY(ExpandDirectories(git, index));
    ForgetPresent(git, index);
    index_tree = TreeOfIndex(bytes);
  }
  TakeIndexAttributes(git, index);
  FlatTree head;
  bool is_head = false;   // whether the index is as HEAD is
  if (const auto id = git.Head()) {
    PADDOCK_ASSIGN(const Oid tree, git.objects.Peel(*id, ObjectType::kTree));
    is_head = index_tree == tree;
    if (!is_head) {
      PADDOCK_ASSIGN(head, git.Flatten(tree));
    }
  }
  const UntrackedMode mode = ConfiguredUntracked(git);
  if (options.ignores_matching && options.untracked.value_or(mode) == UntrackedMode::kNo) return Error(Code::kInvalid, "Unsupported combination of ignored and untracked-files arguments");
  if (options.nul && options.is_long) return Error(Code::kInvalid, "options '--long' and '-z' cannot be used together");
  PADDOCK_ASSIGN(StatusReport report, MakeStatus(git, index, is_head ? nullptr : &head, options.untracked.value_or(mode), paths, options.ignored, options.rename_percent));
  HideModules(report, options.hidden_modules);
  if (options.ignored && (options.ignores_matching || options.untracked == UntrackedMode::kAll)) {
    PADDOCK_ASSIGN(Untracked found, FindUntracked(git, index, options.untracked.value_or(mode), paths, true, options.ignores_matching ? IgnoredMode::kMatching : IgnoredMode::kFiles));
    report.ignored = std::move(found.ignored);
  }
  if (options.no_renames || (!options.finds_renames && !git.config.GetBool("status.renames", git.config.GetBool("diff.renames", true)))) DivideRenames(report.staged);
  const bool hides_counts = options.hides_counts || (!options.shows_counts && !options.porcelain && !git.config.GetBool("status.aheadbehind", true));
  report.hides_counts = hides_counts;
  report.has_sparse_index = has_sparse_index;
  report.columns = options.columns.value_or(ColumnOptions{});
  if (!options.columns) {
    if (const auto style = git.config.Get("column.status", git.config.Get("column.ui", "")); !style.empty()) PADDOCK_TRY(ParseColumnOptions(style, report.columns));
  }
  const size_t stashes = !options.no_stash && (options.shows_stash || git.config.GetBool("status.showstash", false)) ? git.refs.ReadLog("refs/stash").size() : 0;
  const bool is_short = (options.is_short || options.porcelain || options.nul || (!options.is_long && git.config.GetBool("status.short", false)));
  if (!is_short) {
    if (options.verbosity > 0) {
      PADDOCK_ASSIGN(report.patch, VerbosePatch(git, report, options.verbosity > 1));
    }
    PADDOCK_ASSIGN(const std::string text, LongStatus(git, report, false));
    git.Print(text);
    if (stashes > 0) git.Print("Your stash currently has " + std::to_string(stashes) + (stashes == 1 ? " entry\n" : " entries\n"));
    return 0;
  }
  if (options.nul) options.porcelain = true;
  if (options.is_second) {
    const char end = options.nul ? '\0' : '\n';
    if (options.branch) {
      PADDOCK_ASSIGN(const std::string lines, SecondBranchLines(git, end, hides_counts));
      git.Print(lines);
    }
    if (stashes > 0) git.Print("# stash " + std::to_string(stashes) + end);
    PADDOCK_ASSIGN(const std::string text, SecondText(git, report, index, options));
    git.Print(text);
    return 0;
  }
  if (!options.no_branch && (options.branch || (!options.porcelain && git.config.GetBool("status.branch", false)))) {
    PADDOCK_ASSIGN(const std::string line, BranchLine(git, hides_counts));
    git.Print(line + (options.nul ? '\0' : '\n'));
  }
  git.Print(ShortText(git, report, options));
  return 0;
}

}  // namespace

extern const Subcommand kStatus;
const Subcommand kStatus = DefineSubcommand<StatusOptions, RunStatus>({.name = "status", .summary = "show what changed", .synopsis = "[<options>] [--] [<pathspec>...]", .options = kOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
