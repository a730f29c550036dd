// git update-ref and check-ref-format.
#include <algorithm>
#include <utility>

#include "commands/git/refs/ref_transaction.h"
#include "commands/git/refs/revision.h"

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

// A value of the command line or standard input.
Result<Oid> ValueOf(Git& git, const std::string& text, bool is_old) {
  if (text.empty() || text == std::string(40, '0')) return Oid{};
  auto id = ResolveObject(git, text);
  if (!id) return Error(Code::kNoEntry, text + (is_old ? ": not a valid old SHA1" : ": not a valid SHA1"));
  return id;
}

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

// The commands of --stdin. Without "start", all of them are one transaction.
class Lines {
 public:
  Lines(Git& git, const UpdateOptions& options) : git_(git), options_(options) {}

  Status Run() {
    while (true) {
      PADDOCK_ASSIGN(const auto words, NextCommand(git_, options_.nul));
      if (!words) break;
      if (words->empty()) return Error(Code::kSyntax, "empty command in input");
      PADDOCK_TRY(Take(*words));
    }
    return state_ == State::kOpen ? transaction_.Commit() : Status();   // what was begun and not ended is forgotten
  }

 private:
  enum class State { kOpen, kStarted, kPrepared, kClosed };

  Status Take(std::vector<std::string> words) {
    std::string whole;
    for (const std::string& word : words) whole += (whole.empty() ? "" : " ") + word;
    const std::string verb = words[0];
    words.erase(words.begin());
    static constexpr std::pair<std::string_view, State> kPlain[] = {{"start", State::kStarted}, {"prepare", State::kPrepared}, {"commit", State::kClosed}, {"abort", State::kClosed}};
    const auto plain = std::find_if(std::begin(kPlain), std::end(kPlain), [&verb](const auto& known) { return known.first == verb; });
    const bool is_plain = plain != std::end(kPlain);
    if (!is_plain && verb != "update" && verb != "create" && verb != "delete" && verb != "verify" && verb != "option") return Error(Code::kSyntax, "unknown command: " + whole + (options_.nul ? "" : "\n"));
    const State before = state_, wanted = is_plain ? plain->second : State::kOpen;
    if (before == State::kPrepared && wanted != State::kClosed) return Error(Code::kInvalid, "prepared transactions can only be closed");
    if (before == State::kClosed && wanted != State::kStarted) return Error(Code::kInvalid, "transaction is closed");
    if (before == State::kStarted && wanted == State::kStarted) return Error(Code::kInvalid, "cannot restart ongoing transaction");
    if (before == State::kClosed || wanted > before) state_ = wanted;
    if (!is_plain) return Queue(verb, words);
    if (verb == "start" && before == State::kClosed) transaction_.Clear();
    if (verb == "prepare") PADDOCK_TRY(transaction_.Prepare());
    if (verb == "commit") PADDOCK_TRY(transaction_.Commit());
    if (verb == "abort") transaction_.Clear();
    git_.Print(verb + ": ok\n");
    git_.in.out.Flush();
    return {};
  }

  Status Queue(const std::string& verb, const std::vector<std::string>& words) {
    if (verb == "option") {
      if (words.size() != 1 || words[0] != "no-deref") return Error(Code::kSyntax, "option unknown: " + (words.empty() ? "" : words[0]) + (options_.nul ? "" : "\n"));
      next_is_direct_ = true;
      return {};
    }
    const size_t least = verb == "update" || verb == "create" ? 2 : 1, most = verb == "update" ? 3 : 2;
    if (words.empty()) return Error(Code::kSyntax, verb + ": missing <ref>");
    if (!IsRefName(words[0], true)) return Error(Code::kInvalid, "invalid ref format: " + words[0]);
    if (words.size() < least) return Error(Code::kSyntax, verb + " " + words[0] + ": missing <newvalue>");
    if (words.size() > most) return Error(Code::kSyntax, verb + " " + words[0] + ": extra input: " + words[most]);
    RefChange change;
    change.name = words[0];
    change.is_direct = options_.no_deref || std::exchange(next_is_direct_, false);
    if (verb == "update" || verb == "create") {
      PADDOCK_ASSIGN(change.id, ValueOf(git_, words[1], false));
      if (verb == "create" && change.id->is_null()) return Error(Code::kInvalid, "create " + words[0] + ": zero <newvalue>");
    } else if (verb == "delete") {
      change.id = Oid{};
    }
    const size_t old_at = verb == "update" ? 2 : verb == "create" ? SIZE_MAX : 1;
    if (words.size() > old_at) {
      PADDOCK_ASSIGN(change.before, ValueOf(git_, words[old_at], true));
      if (verb == "delete" && change.before->is_null()) return Error(Code::kInvalid, "delete " + words[0] + ": zero <oldvalue>");
    } else if (verb == "create" || verb == "verify") {
      change.before = Oid{};
    }
    return transaction_.Add(std::move(change));
  }

  Git& git_;
  const UpdateOptions& options_;
  RefTransaction transaction_{git_, {options_.message, options_.creates_log, ""}};
  State state_ = State::kOpen;
  bool next_is_direct_ = false;
};

Result<ExitStatus> RunUpdateRef(Git& git, UpdateOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  const auto usage = [&git]() {
    git.Say("usage: git update-ref [<options>] -d <refname> [<old-val>]\n");
    return 129;
  };
  if (options.from_stdin) {
    if (!operands.empty() || options.deletes) return usage();
    PADDOCK_TRY(Lines(git, options).Run());
    return 0;
  }
  if (options.nul) return usage();
  if (options.deletes ? operands.empty() || operands.size() > 2 : operands.size() < 2 || operands.size() > 3) return usage();
  const size_t old_at = options.deletes ? 1 : 2;
  RefChange change;
  change.name = operands[0];
  change.id = Oid{};
  change.is_direct = options.no_deref;
  if (!options.deletes) {
    PADDOCK_ASSIGN(change.id, ValueOf(git, operands[1], false));
  }
  if (operands.size() > old_at) {
    PADDOCK_ASSIGN(change.before, ValueOf(git, operands[old_at], true));
  }
  RefTransaction transaction(git, {options.message, options.creates_log, options.deletes ? "" : "update_ref failed for ref '" + operands[0] + "': "});
  Status done = transaction.Add(std::move(change));
  if (done) done = transaction.Commit();
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
