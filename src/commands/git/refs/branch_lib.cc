// git branch.
#include "commands/git/refs/branch.h"

#include <algorithm>

#include "commands/git/colour_spec.h"
#include "commands/git/column_layout.h"
#include "commands/git/refs/ref_list.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/linked_trees.h"
#include "commands/git/work/status.h"
#include "text/pattern.h"
#include "text/utf8.h"

namespace paddock::git {

Status SetConfig(Git& git, const std::string& key, std::optional<std::string_view> value) {
  const auto text = vfs::ReadFile(git.in.fs, git.GitPath("config"), 4 << 20);
  return vfs::WriteFile(git.in.fs, git.GitPath("config"), EditConfig(text ? *text : "", key, value, false));
}

// Makes `branch` track a full reference.
Status SetUpstream(Git& git, const std::string& branch, const std::string& ref, bool is_quiet) {
  std::string remote = ".", merge = ref;
  if (ref.starts_with("refs/remotes/")) {
    const std::string rest = ref.substr(13);
    remote = rest.substr(0, rest.find('/'));
    merge = "refs/heads/" + rest.substr(rest.find('/') + 1);
  }
  if (ref == "refs/heads/" + branch) {
    git.Warn("not setting branch '" + branch + "' as its own upstream");
    return {};
  }
  PADDOCK_TRY(SetConfig(git, "branch." + branch + ".remote", remote));
  PADDOCK_TRY(SetConfig(git, "branch." + branch + ".merge", merge));
  if (!is_quiet) git.Print("branch '" + branch + "' set up to track '" + ShortRef(ref) + "'.\n");
  return {};
}

Result<Oid> StartPoint(Git& git, const std::string& name) {
  auto id = ResolveObject(git, name);
  if (!id && (name == "HEAD" || git.HeadBranch() == "refs/heads/" + name)) return Error(Code::kNoEntry, "not a valid object name: '" + ShortRef(git.HeadBranch().value_or("HEAD")) + "'");
  if (!id) return Error(Code::kNoEntry, "not a valid object name: '" + name + "'");
  auto commit = git.objects.Peel(*id, ObjectType::kCommit);
  if (!commit) return Error(Code::kInvalid, "not a valid branch point: '" + name + "'");
  return commit;
}

namespace {

struct BranchOptions : RefListOptions {
  bool deletes = false, force_deletes = false, moves = false, force_moves = false, copies = false, force = false, list = false, all = false, remotes = false, quiet = false, current = false, unset_upstream = false, no_track = false;
  bool force_copies = false, reflog = false, describes = false, submodules = false, full_ids = false;
  enum class Track { kNo, kDirect, kInherit } track = Track::kNo;
  std::string upstream;
  int64_t verbosity = 0;
  std::optional<size_t> abbrev;
  ColumnOptions columns;
};
Status TakeVerbose(BranchOptions& options, std::string_view) {
  ++options.verbosity;
  return {};
}
Status TakeTrack(BranchOptions& options, std::string_view value) {
  if (value.empty() || value == "direct") options.track = BranchOptions::Track::kDirect;
  else if (value == "inherit") options.track = BranchOptions::Track::kInherit;
  else return Error(Code::kRange, "option `--track' expects \"direct\" or \"inherit\"");
  return {};
}
Status TakeAbbrev(BranchOptions& options, std::string_view value) {
  int64_t digits = 7;
  if (!value.empty() && !ParseOptionValue(value, digits)) return Error(Code::kRange, "option `abbrev' expects a numerical value");
  options.full_ids = digits == 0;
  options.abbrev = static_cast<size_t>(std::clamp<int64_t>(digits, 4, 40));
  return {};
}
Status TakeColumn(BranchOptions& options, std::string_view value) { return ParseColumnOptions(value, options.columns); }
Status TakeNoColumn(BranchOptions& options, std::string_view) {
  options.columns.is_on = false;
  return {};
}
constexpr auto kBranchOptions = JoinTables(RefListOptionTable<BranchOptions>(), std::array{
    Flag<&BranchOptions::deletes>('d', "delete", "delete a merged branch"), Flag<&BranchOptions::force_deletes>('D', nullptr, "delete a branch"),
    Flag<&BranchOptions::moves>('m', "move", "rename a branch"), Flag<&BranchOptions::force_moves>('M', nullptr, "even if the name is taken"),
    Flag<&BranchOptions::force_copies>('C', nullptr, "copy a branch, even if the name is taken"), Flag<&BranchOptions::ignores_case>('i', "ignore-case", "A and a are the same, in order and in patterns"),
    Flag<&BranchOptions::reflog>(0, "create-reflog", "with a reflog (always)"),
    Flag<&BranchOptions::copies>('c', "copy", "copy a branch"), Flag<&BranchOptions::force>('f', "force", "set a branch that exists"),
    Flag<&BranchOptions::list>('l', "list", "list branches that match"), Flag<&BranchOptions::all>('a', "all", "list remote branches, too"),
    Flag<&BranchOptions::remotes>('r', "remotes", "list (or delete) remote branches"), Call<TakeVerbose>('v', "verbose", nullptr, "with id and subject; twice: with what it tracks"),
    Flag<&BranchOptions::quiet>('q', "quiet", "say nothing"), Flag<&BranchOptions::current>(0, "show-current", "show the name of the current branch"),
    Value<&BranchOptions::upstream>('u', "set-upstream-to", "BRANCH", "set what it tracks"), Flag<&BranchOptions::unset_upstream>(0, "unset-upstream", "track nothing"),
    CallOptional<TakeTrack>('t', "track", "HOW", "track the branch that it starts from (direct), or what that one tracks (inherit)"), Flag<&BranchOptions::no_track>(0, "no-track", "track nothing"),
    CallOptional<TakeAbbrev>(0, "abbrev", "N", "with -v: ids of N digits"), Flag<&BranchOptions::full_ids>(0, "no-abbrev", "with -v: whole ids"),
    CallOptional<TakeColumn>(0, "column", "STYLE", "list in columns: column, row, plain, dense, ..."), Call<TakeNoColumn>(0, "no-column", nullptr, "not in columns"),
    Flag<&BranchOptions::describes>(0, "edit-description", "edit what is said about the branch"), Flag<&BranchOptions::submodules>(0, "recurse-submodules", "in submodules, too (not enabled)"),
});

void ForgetBranchConfig(Git& git, const std::string& branch) {
  const auto text = vfs::ReadFile(git.in.fs, git.GitPath("config"), 4 << 20);
  const auto edited = text ? EditConfigSection(*text, "branch." + branch, std::nullopt) : std::nullopt;
  if (edited) static_cast<void>(vfs::WriteFile(git.in.fs, git.GitPath("config"), *edited).has_value());
}

// The reference of the branch that a rebase is moving, while it has stopped.
std::optional<std::string> RebasedBranch(Git& git) {
  for (const char* const file : {"rebase-merge/head-name", "rebase-apply/head-name"}) {
    if (const auto name = vfs::ReadFile(git.in.fs, git.GitPath(file), 4096)) return name->substr(0, name->find('\n'));
  }
  return std::nullopt;
}

Result<ExitStatus> DeleteBranches(Git& git, const BranchOptions& options, const std::vector<std::string>& names) {
  if (names.empty()) return Error(Code::kInvalid, "branch name required");
  ExitStatus status = 0;
  History history(git);
  for (const std::string& name : names) {
    const std::string ref = (options.remotes ? "refs/remotes/" : "refs/heads/") + name;
    const auto id = git.refs.Read(ref);
    const auto other = OtherTreeOf(git, ref);
    if (other || ((git.HeadBranch() == ref || RebasedBranch(git) == ref) && !git.work_tree.empty())) {
      status = git.Complain("Cannot delete branch '" + name + "' checked out at '" + other.value_or(git.work_tree) + "'");
      continue;
    }
    if (!id) {
      status = git.Complain(std::string(options.remotes ? "remote-tracking branch '" : "branch '") + name + "' not found.");
      continue;
    }
    if (!options.force_deletes && !options.force && !options.remotes) {
      const auto upstream = UpstreamOf(git, name);
      auto base = upstream ? git.refs.Read(*upstream) : std::optional<Oid>();
      if (!base) base = git.Head();
      bool is_merged = false;
      if (base) {
        PADDOCK_ASSIGN(is_merged, history.IsAncestor(*id, *base));
      }
      if (!is_merged) {
        status = git.Complain("The branch '" + name + "' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D " + name + "'.");
        continue;
      }
    }
    PADDOCK_TRY(git.refs.Remove(ref));
    ForgetBranchConfig(git, name);
    if (!options.quiet) git.Print(std::string(options.remotes ? "Deleted remote-tracking branch " : "Deleted branch ") + name + " (was " + git.objects.Abbreviate(*id) + ").\n");
  }
  return status;
}

Result<ExitStatus> MoveBranch(Git& git, BranchOptions& options, const std::vector<std::string>& names) {
  if (options.force_copies) options.copies = options.force_moves = true;
  if (names.empty() || names.size() > 2) return Error(Code::kInvalid, names.empty() ? "branch name required" : "too many arguments for a rename operation");
  const auto current = git.HeadBranch();
  if (names.size() == 1 && !current) return Error(Code::kInvalid, "cannot rename the current branch while not on any.");
  const std::string from = names.size() == 2 ? names[0] : ShortRef(*current), to = names.back();
  const std::string old_ref = "refs/heads/" + from, new_ref = "refs/heads/" + to;
  if (!IsRefName(new_ref) || to.starts_with('-')) return Error(Code::kInvalid, "'" + to + "' is not a valid branch name");
  const auto id = git.refs.Read(old_ref);
  if (!id && !(current == old_ref && !git.Head())) return Error(Code::kNoEntry, "No branch named '" + from + "'.");
  if (from != to && git.refs.Exists(new_ref) && !options.force_moves && !options.force) return Error(Code::kExists, "a branch named '" + to + "' already exists");
  if (id) {
    const std::vector<ReflogEntry> log = git.refs.ReadLog(old_ref);
    if (!options.copies && from != to) PADDOCK_TRY(git.refs.Remove(old_ref));
    PADDOCK_TRY(git.refs.WriteDirect(new_ref, *id));
    if (!log.empty()) {
      PADDOCK_TRY(vfs::MakeDirectories(git.in.fs, vfs::DirectoryName(git.GitPath("logs/" + new_ref))));
      PADDOCK_TRY(git.refs.WriteLog(new_ref, log));
    }
    PADDOCK_TRY(git.refs.Log(new_ref, *id, *id, git.Who(), std::string(options.copies ? "Branch: copied " : "Branch: renamed ") + old_ref + " to " + new_ref));
  }
  if (current == old_ref && !options.copies) {
    PADDOCK_TRY(git.refs.WriteSymbolic("HEAD", new_ref));
    // HEAD's branch went away, and then came back under another name.
    if (id) PADDOCK_TRY(git.refs.Log("HEAD", *id, Oid{}, git.Who(), "Branch: renamed " + old_ref + " to " + new_ref));
    if (id) PADDOCK_TRY(git.refs.Log("HEAD", Oid{}, *id, git.Who(), "Branch: renamed " + old_ref + " to " + new_ref));
  }
  const auto text = vfs::ReadFile(git.in.fs, git.GitPath("config"), 4 << 20);
  const std::string old_section = "branch." + from, new_section = "branch." + to;
  const auto edited = !text || from == to ? std::nullopt : options.copies ? CopyConfigSection(*text, old_section, new_section) : EditConfigSection(*text, old_section, new_section);
  if (edited) PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("config"), *edited));
  return 0;
}

// What stands for the branch where there is none.
std::string DetachedName(Git& git) {
  const auto rebased = vfs::ReadFile(git.in.fs, git.GitPath("rebase-merge/head-name"), 4096);
  if (rebased) {
    const std::string name = rebased->substr(0, rebased->find('\n'));
    return name.starts_with("refs/heads/") ? "(no branch, rebasing " + name.substr(11) + ")" : "(no branch, rebasing detached HEAD)";
  }
  const auto bisected = vfs::ReadFile(git.in.fs, git.GitPath("BISECT_START"), 4096);
  if (bisected && git.in.fs.Stat(git.GitPath("BISECT_LOG"))) {
    const std::string start = bisected->substr(0, bisected->find('\n'));
    const auto id = Oid::FromHex(start);
    return "(no branch, bisect started on " + (id ? git.objects.Abbreviate(*id) : start) + ")";
  }
  const std::string detached = DetachedText(git);
  return detached.empty() ? "(no branch)" : "(HEAD detached " + detached + ")";
}

// The colours of color.branch.*.
class BranchColours {
 public:
  BranchColours(Git& git, bool is_on) : git_(git), is_on_(is_on) {}
  std::string Of(const char* slot, std::string_view otherwise) const {
    if (!is_on_) return "";
    const auto configured = git_.config.Get(std::string("color.branch.") + slot);
    return ColourSequence(configured ? std::string_view(*configured) : otherwise).value_or("");
  }
  std::string reset() const { return is_on_ ? Of("reset", "reset") : ""; }

 private:
  Git& git_;
  bool is_on_;
};

class BranchList {
 public:
  BranchList(Git& git, const BranchOptions& options) : git_(git), options_(options), colours_(git, options.colours) {}

  Result<ExitStatus> Run(const std::vector<std::string>& patterns) {
    std::optional<RefFormat> format;
    if (!options_.format.empty()) {
      PADDOCK_ASSIGN(format, RefFormat::Parse(git_, options_.format, RefQuote::kNone, options_.colours));
    }
    ExitStatus status = 0;
    PADDOCK_ASSIGN(auto filter, RefFilter::Make(git_, options_, status));
    if (!filter) return status;
    std::vector<NamedRef> refs;
    const auto take = [&](const NamedRef& ref) -> Status {
      PADDOCK_ASSIGN(const bool keeps, filter->Keeps(ref.id));
      if (keeps && Matches(ref.name, patterns)) refs.push_back(ref);
      return {};
    };
    const auto head = git_.Head();
    if (!git_.HeadBranch() && head && !options_.remotes) PADDOCK_TRY(take({"HEAD", *head, DetachedName(git_)}));
    for (const bool is_remote : {false, true}) {
      if (is_remote ? !options_.all && !options_.remotes : options_.remotes) continue;
      for (const auto& [name, id] : git_.refs.List(is_remote ? "refs/remotes/" : "refs/heads/")) PADDOCK_TRY(take({name, id}));
    }
    std::vector<std::string> sorts = options_.sorts;
    if (sorts.empty()) sorts = git_.config.GetAll("branch.sort");
    PADDOCK_TRY(SortRefs(git_, refs, sorts, options_.ignores_case));
    for (const NamedRef& ref : refs) width_ = std::max(width_, TextWidth(NameOf(ref)));
    RefFields fields(git_);
    std::vector<std::string> lines;
    for (const NamedRef& ref : refs) {
      git_.in.budget.Step();
      std::string line;
      if (format) {
        PADDOCK_ASSIGN(line, format->Expand(fields, ref, git_.in.budget));
      } else {
        PADDOCK_ASSIGN(line, LineOf(fields, ref));
      }
      lines.push_back(std::move(line));
    }
    git_.Print(InColumns(lines, options_.columns, TerminalColumns(git_.in.env.Get("COLUMNS", "")), 1));
    return 0;
  }

 private:
  static bool IsRemote(const NamedRef& ref) { return ref.name.starts_with("refs/remotes/"); }
  bool Matches(const std::string& name, const std::vector<std::string>& patterns) {
    PatternFlags flags;
    flags.extglob = false;
    flags.ignore_case = options_.ignores_case;
    return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return Pattern(pattern, flags).Matches(ShortRef(name), git_.in.budget); });
  }
  std::string NameOf(const NamedRef& ref) const {
    if (!ref.title.empty()) return ref.title;
    return (IsRemote(ref) && !options_.remotes ? "remotes/" : "") + ShortRef(ref.name);
  }
  Result<std::string> Field(RefFields& fields, const char* name, const char* argument) { return fields.Value({false, name, argument == nullptr ? std::nullopt : std::optional<std::string>(argument)}); }

  Result<std::string> LineOf(RefFields& fields, const NamedRef& ref) {
    fields.Show(ref);
    const bool is_current = !ref.title.empty() || git_.HeadBranch() == ref.name;
    const auto elsewhere = is_current || IsRemote(ref) ? std::nullopt : OtherTreeOf(git_, ref.name);
    const std::string colour = IsRemote(ref) ? colours_.Of("remote", "red") : is_current ? colours_.Of("current", "green") : elsewhere ? colours_.Of("worktree", "cyan") : colours_.Of("local", "normal");
    std::string line = (is_current ? "* " : elsewhere ? "+ " : "  ") + colour;
    const auto target = ref.title.empty() ? git_.refs.ReadSymbolic(ref.name) : std::nullopt;
    const std::string arrow = target ? " -> " + UnambiguousRef(git_, *target) : "";
    std::string name = NameOf(ref);
    if (options_.verbosity == 0) return line + name + colours_.reset() + arrow;
    name.append(width_ - std::min(width_, TextWidth(name)), ' ');
    line += name + colours_.reset();
    if (IsRemote(ref) && target) return line + arrow;
    line += " " + (options_.full_ids ? ref.id.Hex() : git_.objects.Abbreviate(ref.id, options_.abbrev.value_or(0))) + " ";
    if (!IsRemote(ref)) {
      PADDOCK_ASSIGN(const std::string track, Field(fields, "upstream", "track"));
      if (options_.verbosity > 1) {
        if (elsewhere) line += "(" + colours_.Of("worktree", "cyan") + *elsewhere + colours_.reset() + ") ";
        PADDOCK_ASSIGN(const std::string upstream, Field(fields, "upstream", "short"));
        PADDOCK_ASSIGN(const std::string plain, Field(fields, "upstream", "track,nobracket"));
        if (!upstream.empty()) line += "[" + colours_.Of("upstream", "blue") + upstream + colours_.reset() + (plain.empty() ? "" : ": " + plain) + "] ";
      } else if (!track.empty()) {
        line += track + " ";
      }
    }
    PADDOCK_ASSIGN(const std::string subject, Field(fields, "contents", "subject"));
    return line + subject;
  }

  Git& git_;
  const BranchOptions& options_;
  BranchColours colours_;
  size_t width_ = 0;
};

Result<ExitStatus> EditDescription(Git& git, const std::vector<std::string>& names) {
  if (names.size() > 1) return Error(Code::kInvalid, "cannot edit description of more than one branch");
  const auto current = git.HeadBranch();
  if (names.empty() && !current) return Error(Code::kInvalid, "Cannot give description to detached HEAD");
  const std::string name = names.empty() ? ShortRef(*current) : names[0], key = "branch." + name + ".description";
  if (!git.refs.Exists("refs/heads/" + name)) return git.Complain(current == "refs/heads/" + name ? "No commit on branch '" + name + "' yet." : "No branch named '" + name + "'.");
  const std::string path = git.GitPath("EDIT_DESCRIPTION"), old = git.config.Get(key, "");
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, path, old + (!old.empty() && old.ends_with('\n') ? "" : "\n") + "# Please edit the description for the branch\n#   " + name + "\n# Lines starting with '#' will be stripped.\n"));
  PADDOCK_TRY(git.Edit(path));
  PADDOCK_ASSIGN(const std::string text, vfs::ReadFile(git.in.fs, path, 4 << 20));
  const std::string cleaned = CleanMessage(text, true);
  if (cleaned.empty() && old.empty()) return 0;
  PADDOCK_TRY(SetConfig(git, key, cleaned.empty() ? std::nullopt : std::optional<std::string_view>(cleaned)));
  return 0;
}

// Creates or moves a branch. `start` is also what it may track.
Status CreateBranch(Git& git, const std::string& name, const std::string& start, const BranchOptions& options) {
  const bool is_forced = options.force;
  const std::string ref = "refs/heads/" + name;
  if (!IsRefName(ref) || name.starts_with('-') || name == "HEAD") return Error(Code::kInvalid, "'" + name + "' is not a valid branch name");
  const bool exists = git.refs.Exists(ref);
  if (exists && !is_forced) return Error(Code::kExists, "a branch named '" + name + "' already exists");
  if (const auto other = exists ? OtherTreeOf(git, ref) : std::nullopt) return Error(Code::kInvalid, "cannot force update the branch '" + name + "' checked out at '" + *other + "'");
  if (exists && git.HeadBranch() == ref && !git.work_tree.empty()) return Error(Code::kInvalid, "cannot force update the branch '" + name + "' checked out at '" + git.work_tree + "'");
  PADDOCK_ASSIGN(const Oid id, StartPoint(git, start));
  PADDOCK_TRY(git.refs.Write(ref, id, git.Who(), exists ? "branch: Reset to " + start : "branch: Created from " + start));
  const auto source = FindRef(git, start);
  if (options.track == BranchOptions::Track::kInherit) {
    const auto upstream = source && source->starts_with("refs/heads/") ? UpstreamOf(git, source->substr(11)) : std::nullopt;
    if (upstream) return SetUpstream(git, name, *upstream, options.quiet);
    if (source && source->starts_with("refs/heads/")) git.Warn("asked to inherit tracking from '" + source->substr(11) + "', but no remote is set");
    return {};
  }
  const bool tracks = options.track == BranchOptions::Track::kDirect;
  if (!options.no_track && source && (source->starts_with("refs/remotes/") || (tracks && source->starts_with("refs/heads/")))) return SetUpstream(git, name, *source, options.quiet);
  return {};
}

Result<ExitStatus> RunBranch(Git& git, BranchOptions& options, Args& args) {
  std::vector<std::string> names = args.All();
  if (options.submodules) return Error(Code::kInvalid, "branch with --recurse-submodules can only be used if submodule.propagateBranches is enabled");
  if (options.describes) return EditDescription(git, names);
  if (options.current) {
    if (const auto branch = git.HeadBranch()) git.Print(ShortRef(*branch) + "\n");
    return 0;
  }
  if (options.deletes || options.force_deletes) return DeleteBranches(git, options, names);
  if (options.moves || options.force_moves || options.copies || options.force_copies) return MoveBranch(git, options, names);
  if (!options.upstream.empty() || options.unset_upstream) {
    const std::string branch = names.empty() ? ShortRef(git.HeadBranch().value_or("")) : names[0];
    if (branch.empty()) return Error(Code::kInvalid, options.unset_upstream ? "could not unset upstream of HEAD when it does not point to any branch." : "could not set upstream of HEAD to " + options.upstream + " when it does not point to any branch.");
    if (!git.refs.Exists("refs/heads/" + branch)) return Error(Code::kNoEntry, "no branch named '" + branch + "'");
    if (options.unset_upstream) {
      if (!git.config.Get("branch." + branch + ".merge")) return Error(Code::kInvalid, "Branch '" + branch + "' has no upstream information");
      PADDOCK_TRY(SetConfig(git, "branch." + branch + ".remote", std::nullopt));
      PADDOCK_TRY(SetConfig(git, "branch." + branch + ".merge", std::nullopt));
      return 0;
    }
    const auto ref = FindRef(git, options.upstream);
    if (!ref) {
      std::string text = "the requested upstream branch '" + options.upstream + "' does not exist";
      if (git.config.GetBool("advice.setupstreamfailure", true)) {
        text += "\nhint: \nhint: If you are planning on basing your work on an upstream\nhint: branch that already exists at the remote, you may need to\nhint: run \"git fetch\" to retrieve it.\nhint: \n"
                "hint: If you are planning to push out a new local branch that\nhint: will track its remote counterpart, you may want to use\nhint: \"git push -u\" to set the upstream config as you push.\n"
                "hint: Disable this message with \"git config advice.setUpstreamFailure false\"";
      }
      return Error(Code::kNoEntry, text);
    }
    PADDOCK_TRY(SetUpstream(git, branch, *ref, options.quiet));
    return 0;
  }
  if (options.columns.is_on && options.verbosity > 0) return Error(Code::kInvalid, "options '--column' and '--verbose' cannot be used together");
  if (options.list || names.empty() || options.HasFilter()) return BranchList(git, options).Run(names);
  if (options.all || options.remotes) return Error(Code::kInvalid, "The -a, and -r, options to 'git branch' do not take a branch name.\nDid you mean to use: -a|-r --list <pattern>?");
  if (names.size() > 2) return git.Complain("usage: git branch [<options>] <branch-name> [<start-point>]", 129);
  PADDOCK_TRY(CreateBranch(git, names[0], names.size() == 2 ? names[1] : ShortRef(git.HeadBranch().value_or("HEAD")), options));
  return 0;
}

}  // namespace

extern const Subcommand kBranch;
const Subcommand kBranch = DefineRefList<BranchOptions, RunBranch>({.name = "branch", .summary = "list, create and delete branches", .synopsis = "[<options>] [-r | -a]\n[<options>] <branch-name> [<start-point>]\n(-d | -D) <branch-name>...\n(-m | -M | -c) [<old-branch>] <new-branch>", .options = kBranchOptions});

}  // namespace paddock::git
