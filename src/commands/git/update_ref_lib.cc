// git update-ref and check-ref-format.
#include <algorithm>
#include <set>

#include "commands/git/revision.h"

namespace paddock::git {
namespace {

struct UpdateOptions {
  bool deletes = false, no_deref = false, from_stdin = false, nul = false, creates_log = false;
  std::string message;
};
constexpr Option kUpdateOptions[] = {
    Value<&UpdateOptions::message>('m', nullptr, "TEXT", "what the log says"),
    Flag<&UpdateOptions::deletes>('d', nullptr, "remove the reference"),
    Flag<&UpdateOptions::no_deref>(0, "no-deref", "this very name, not what it stands for"),
    Flag<&UpdateOptions::nul>('z', nullptr, "with --stdin: words end with NUL"),
    Flag<&UpdateOptions::from_stdin>(0, "stdin", "read commands from standard input"),
    Flag<&UpdateOptions::creates_log>(0, "create-reflog", "make a log if there is none"),
};

class Updater {
 public:
  Updater(Git& git, const UpdateOptions& options) : git_(git), options_(options) {}

  // `before`: what it must be now; null: it must not exist.
  Status Set(const std::string& name, const Oid& id, const std::optional<Oid>& before) {
    PADDOCK_TRY(Check(name, before, id));
    if (!id.is_null() && !git_.objects.Has(id)) return Error(Code::kNoEntry, Lead(name) + "cannot update ref '" + name + "': trying to write ref '" + name + "' with nonexistent object " + id.Hex());
    if (id.is_null()) return git_.refs.Remove(Target(name));
    if (options_.creates_log) PADDOCK_TRY(CreateLog(Target(name)));
    if (options_.no_deref) {
      const Oid was = git_.refs.Read(name).value_or(Oid{});
      PADDOCK_TRY(git_.refs.WriteDirect(name, id));
      return options_.message.empty() ? Status() : git_.refs.Log(name, was, id, git_.Who(), options_.message);
    }
    if (const Status written = git_.refs.Write(name, id, git_.Who(), options_.message); !written) return Error(written.error().code, Lead(name) + std::string(written.error().Text()));
    if (!options_.message.empty()) return {};
    // A log that is there gets a line without a message.
    std::vector<std::string> logs = {Target(name)};
    if (git_.HeadBranch() == logs[0]) logs.emplace_back("HEAD");
    for (const std::string& log : logs) {
      if (before_known_ != id) PADDOCK_TRY(git_.refs.Log(log, before_known_, id, git_.Who(), ""));
    }
    return {};
  }

  Status Remove(const std::string& name, const std::optional<Oid>& before) {
    PADDOCK_TRY(Check(name, before, Oid{}));
    return git_.refs.Remove(Target(name));
  }

  Status Verify(const std::string& name, const std::optional<Oid>& before) { return Check(name, before ? before : Oid{}, Oid{}); }

  Result<Oid> Value(const std::string& text, bool is_old) {
    if (text.empty() || text == std::string(40, '0')) return Oid{};
    auto id = ResolveObject(git_, text);
    if (!id) return Error(Code::kNoEntry, text + (is_old ? ": not a valid old SHA1" : ": not a valid SHA1"));
    return id;
  }

 private:
  // Where a log is, changes go into it, whatever the reference.
  Status CreateLog(const std::string& name) {
    const std::string path = git_.GitPath("logs/" + name);
    if (git_.in.fs.Stat(path)) return {};
    PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, vfs::DirectoryName(path)));
    return vfs::WriteFile(git_.in.fs, path, "");
  }
  std::string Lead(const std::string& name) const { return options_.from_stdin || options_.deletes ? "" : "update_ref failed for ref '" + name + "': "; }
  std::string Target(const std::string& name) {
    if (options_.no_deref) return name;
    std::string at = name;
    for (int links = 0; links < 5; ++links) {
      const auto next = git_.refs.ReadSymbolic(at);
      if (!next) break;
      at = *next;
    }
    return at;
  }
  Status Check(const std::string& name, const std::optional<Oid>& before, const Oid&) {
    if (!IsRefName(name, true)) return Error(Code::kInvalid, Lead(name) + "refusing to update ref with bad name '" + name + "'");
    const auto now = git_.refs.Read(name);
    before_known_ = now.value_or(Oid{});
    // Files of .git that are no references stay what they are.
    if (!now && !name.starts_with("refs/") && name != "HEAD" && git_.in.fs.Stat(git_.GitPath(name), vfs::Follow::kNo)) {
      return Error(Code::kInvalid, Lead(name) + "cannot lock ref '" + name + "': unable to resolve reference '" + name + "': reference broken");
    }
    if (!before) return {};
    const std::string lock = Lead(name) + "cannot lock ref '" + name + "': ";
    if (before->is_null() && now) return Error(Code::kConflict, lock + "reference already exists");
    if (!before->is_null() && !now) return Error(Code::kConflict, lock + "unable to resolve reference '" + name + "'");
    if (now && *now != *before) return Error(Code::kConflict, lock + "is at " + now->Hex() + " but expected " + before->Hex());
    return {};
  }

  Git& git_;
  const UpdateOptions& options_;
  Oid before_known_;
};

// How many values follow the reference, at most.
size_t MostValues(std::string_view verb) { return verb == "update" ? 2 : verb == "create" || verb == "delete" || verb == "verify" ? 1 : 0; }

// The words of the next command, or nothing at the end. With -z each value ends with NUL, and all of them are there.
Result<std::optional<std::vector<std::string>>> NextCommand(Git& git, bool nul) {
  const auto line = git.in.in.ReadLine(nul ? '\0' : '\n');
  if (!line) return std::optional<std::vector<std::string>>();
  git.in.budget.Step();
  git.in.budget.WillAllocate(line->text.size() + 200);
  std::vector<std::string> words;
  std::string_view rest = line->text;
  while (!rest.empty()) {
    const size_t blank = nul && !words.empty() ? rest.size() : std::min(rest.find(' '), rest.size());
    words.emplace_back(rest.substr(0, blank));
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  if (!nul || words.empty()) return std::optional(std::move(words));
  if (words.size() == 2 && !IsRefName(words[1], true) && MostValues(words[0]) > 0) return Error(Code::kInvalid, "invalid ref format: " + words[1]);
  for (size_t i = 0; words.size() == 2 + i && i < MostValues(words[0]); ++i) {
    const auto value = git.in.in.ReadLine('\0');
    const bool is_old = i == 1 || words[0] == "delete" || words[0] == "verify";
    if (!value) return Error(Code::kSyntax, words[0] + " " + words[1] + ": unexpected end of input when reading " + (is_old ? "<oldvalue>" : "<newvalue>"));
    if (value->text.empty() && words[0] == "create") return Error(Code::kInvalid, "create " + words[1] + ": missing <newvalue>");
    if (value->text.empty() && words[0] == "update" && !is_old) {
      git.Warn("update " + words[1] + ": missing <newvalue>, treating as zero");
      words.emplace_back(40, '0');
    } else if (!value->text.empty()) {
      words.emplace_back(value->text);
    }
  }
  return std::optional(std::move(words));
}

// The lines of --stdin: all of them are read and checked before the first one is done.
Status RunLines(Git& git, const UpdateOptions& options, Updater& updater) {
  std::vector<std::pair<std::string, std::vector<std::string>>> commands;
  while (true) {
    PADDOCK_ASSIGN(auto read, NextCommand(git, options.nul));
    if (!read) break;
    std::vector<std::string> words = std::move(*read);
    std::string whole;
    for (const std::string& word : words) whole += (whole.empty() ? "" : " ") + word;
    if (words.empty()) return Error(Code::kSyntax, "empty command in input");
    const std::string verb = words[0];
    words.erase(words.begin());
    static constexpr std::string_view kPlain[] = {"start", "prepare", "commit", "abort"};
    if (std::find(std::begin(kPlain), std::end(kPlain), verb) != std::end(kPlain)) {
      git.Print(verb + ": ok\n");
      if (verb == "abort") return {};
      continue;
    }
    const size_t least = verb == "update" || verb == "create" ? 2 : 1, most = verb == "update" ? 3 : verb == "create" ? 2 : 2;
    if (verb != "update" && verb != "create" && verb != "delete" && verb != "verify") return Error(Code::kSyntax, "unknown command: " + whole + (options.nul ? "" : "\n"));
    if (words.empty()) return Error(Code::kSyntax, verb + ": missing <ref>");
    if (words.size() < least) return Error(Code::kSyntax, verb + " " + words[0] + ": missing <newvalue>");
    if (words.size() > most) return Error(Code::kSyntax, verb + " " + words[0] + ": extra input: " + words[most]);
    commands.emplace_back(verb, std::move(words));
  }
  std::set<std::string> changed;
  for (const auto& [verb, words] : commands) {
    git.in.budget.Step();
    if (!changed.insert(words[0]).second) return Error(Code::kInvalid, "multiple updates for ref '" + words[0] + "' not allowed");
  }
  for (const auto& [verb, words] : commands) {
    git.in.budget.Step();
    std::optional<Oid> before;
    const size_t old_at = verb == "update" ? 2 : verb == "create" ? SIZE_MAX : 1;
    if (words.size() > old_at) {
      PADDOCK_ASSIGN(before, updater.Value(words[old_at], true));
    }
    if (verb == "create") before = Oid{};
    if (verb == "delete") {
      PADDOCK_TRY(updater.Remove(words[0], before));
    } else if (verb == "verify") {
      PADDOCK_TRY(updater.Verify(words[0], before));
    } else {
      PADDOCK_ASSIGN(const Oid id, updater.Value(words[1], false));
      PADDOCK_TRY(updater.Set(words[0], id, before));
    }
  }
  return {};
}

Result<ExitStatus> RunUpdateRef(Git& git, UpdateOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  Updater updater(git, options);
  const auto usage = [&git]() {
    git.Say("usage: git update-ref [<options>] -d <refname> [<old-val>]\n");
    return 129;
  };
  if (options.from_stdin) {
    if (!operands.empty() || options.deletes) return usage();
    PADDOCK_TRY(RunLines(git, options, updater));
    return 0;
  }
  if (options.nul) return usage();
  if (options.deletes ? operands.empty() || operands.size() > 2 : operands.size() < 2 || operands.size() > 3) return usage();
  const std::string& name = operands[0];
  const size_t old_at = options.deletes ? 1 : 2;
  std::optional<Oid> before;
  Oid id;
  if (!options.deletes) {
    PADDOCK_ASSIGN(id, updater.Value(operands[1], false));
  }
  if (operands.size() > old_at) {
    PADDOCK_ASSIGN(before, updater.Value(operands[old_at], true));
  }
  const Status done = options.deletes ? updater.Remove(name, before) : updater.Set(name, id, before);
  if (!done && options.deletes) return git.Complain(done.error().Text());
  if (!done) return done.error();
  return 0;
}

struct CheckOptions {
  bool allow_onelevel = false, refspec = false, normalizes = false, branch = false;
};
constexpr Option kCheckOptions[] = {
    Flag<&CheckOptions::allow_onelevel>(0, "allow-onelevel", "names without a slash are right, too"),
    Set<&CheckOptions::allow_onelevel, false>(0, "no-allow-onelevel", "they are not (the default)"),
    Flag<&CheckOptions::refspec>(0, "refspec-pattern", "one * may stand in it"),
    Flag<&CheckOptions::normalizes>(0, "normalize", "show the name without needless slashes"),
    Flag<&CheckOptions::normalizes>(0, "print", "likewise"),
    Flag<&CheckOptions::branch>(0, "branch", "a name of a branch, or what stands for one"),
};
Result<ExitStatus> RunCheckRefFormat(Invocation& in, Git* git, CheckOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (operands.size() != 1 || args.has_dashes) {
    in.err.Write("usage: git check-ref-format [--normalize] [<options>] <refname>\n   or: git check-ref-format --branch <branchname-shorthand>\n");
    return 129;
  }
  std::string name = operands[0];
  if (options.branch) {
    if (name.starts_with("@{-") && name.ends_with('}') && git != nullptr) {
      int64_t count = 0;
      if (ParseOptionValue(std::string_view(name).substr(3, name.size() - 4), count) && count > 0) {
        if (const auto branch = PreviousBranch(*git, static_cast<size_t>(count))) name = *branch;
      }
    }
    if (name.starts_with('-') || name == "HEAD" || !IsRefName("refs/heads/" + name)) return Error(Code::kInvalid, "'" + operands[0] + "' is not a valid branch name");
    in.out.Write(name + "\n");
    return 0;
  }
  if (options.normalizes) {
    std::string clean;
    for (const char c : name) {
      if (c != '/' || (!clean.empty() && clean.back() != '/')) clean += c;
    }
    name = clean;
  }
  std::string checked = name;
  if (const size_t star = checked.find('*'); options.refspec && star != std::string::npos) checked[star] = 'x';
  if (!IsRefName(options.allow_onelevel && checked.find('/') == std::string::npos ? "refs/" + checked : checked, false)) return 1;
  if (options.normalizes) in.out.Write(name + "\n");
  return 0;
}

}  // namespace

using Needs = Subcommand::Needs;
extern const Subcommand kUpdateRef, kCheckRefFormat;
const Subcommand kUpdateRef = DefineSubcommand<UpdateOptions, RunUpdateRef>({.name = "update-ref", .summary = "set a reference", .synopsis = "[<options>] -d <refname> [<old-val>]\n[<options>]    <refname> <new-val> [<old-val>]\n[<options>] --stdin", .options = kUpdateOptions});
const Subcommand kCheckRefFormat = DefineFreeSubcommand<CheckOptions, RunCheckRefFormat>({.name = "check-ref-format", .summary = "tell whether a name is right for a reference", .synopsis = "[--normalize] [<options>] <refname>\n--branch <branchname-shorthand>", .options = kCheckOptions, .needs = Needs::kMaybeRepository});

}  // namespace paddock::git
