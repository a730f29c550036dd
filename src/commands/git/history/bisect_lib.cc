// git bisect.
#include <algorithm>

#include "commands/git/history/bisect.h"
#include "commands/git/merge/pick.h"
#include "commands/git/work/commit.h"
#include "commands/input_files.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr const char* kUsage = "usage: git bisect [help|start|bad|good|new|old|terms|skip|next|reset|visualize|view|replay|log|run]\n";

// A word as the shell reads it back.
std::string ShellWord(std::string_view word) {
  std::string quoted = " '";
  for (const char c : word) quoted += c == '\'' || c == '!' ? std::string("'\\") + c + "'" : std::string(1, c);
  return quoted + "'";
}
std::string ShellWords(const std::vector<std::string>& words, size_t from = 0) {
  std::string text;
  for (size_t i = from; i < words.size(); ++i) text += ShellWord(words[i]);
  return text;
}
std::vector<std::string> ReadShellWords(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool has_word = false, quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'') {
      quoted = !quoted;
      has_word = true;
    } else if (!quoted && c == '\\' && i + 1 < text.size()) {
      word += text[++i];
    } else if (!quoted && (c == ' ' || c == '\n')) {
      if (has_word) words.push_back(std::move(word));
      word.clear();
      has_word = false;
    } else {
      word += c;
      has_word = true;
    }
  }
  if (has_word) words.push_back(std::move(word));
  return words;
}

enum class Outcome { kGoesOn, kFailed, kFound, kOnlySkipped, kNothingToTest, kBadBase, kBaseToTest };

ExitStatus StatusOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kFailed: return 1;
    case Outcome::kOnlySkipped: return 2;
    case Outcome::kBadBase: return 3;
    case Outcome::kNothingToTest: return 4;
    default: return 0;
  }
}

class Bisect {
 public:
  explicit Bisect(Git& git) : git_(git), history_(git) { ReadTerms(); }

  Result<ExitStatus> Run(std::vector<std::string> words) {
    if (words.empty()) {
      git_.Say(kUsage);
      return 1;
    }
    const std::string verb = words[0];
    words.erase(words.begin());
    if (verb == "help") {
      git_.Print(kUsage);
      return 0;
    }
    if (verb == "start") return Finished(Start(words));
    if (verb == "next") return Finished(Next());
    if (verb == "terms") return Terms(words);
    if (verb == "reset") return Reset(words);
    if (verb == "log") return ShowLog();
    if (verb == "visualize" || verb == "view") return View(words);
    if (verb == "replay") return Replay(words);
    if (verb == "run") return RunTests(words);
    if (verb == "skip") {
      PADDOCK_ASSIGN(words, SkippedCommits(words));
      return Finished(Mark("skip", words));
    }
    if (verb == "bad" || verb == "good" || verb == "new" || verb == "old" || verb == bad_ || verb == good_) return Finished(Mark(verb, words));
    git_.Say("error: unknown subcommand: `" + verb + "'\n" + kUsage);
    return 129;
  }

 private:
  static Result<ExitStatus> Finished(Result<Outcome> outcome) {
    if (!outcome) return outcome.error();
    return StatusOf(*outcome);
  }
  bool Has(const char* name) { return git_.in.fs.Stat(git_.GitPath(name)).has_value(); }
  std::string Read(const char* name) {
    const auto text = vfs::ReadFile(git_.in.fs, git_.GitPath(name), 16 << 20);
    return text ? *text : std::string();
  }
  std::string ReadLine(const char* name) {
    const std::string text = Read(name);
    return text.substr(0, text.find('\n'));
  }
  Status Write(const char* name, std::string_view text) { return vfs::WriteFile(git_.in.fs, git_.GitPath(name), text); }
  Status Log(const std::string& text) {
    PADDOCK_ASSIGN(const vfs::OpenFilePtr file, git_.in.fs.Open(git_.GitPath("BISECT_LOG"), vfs::OpenFlags::Append()));
    return file->Write(text);
  }

  void ReadTerms() {
    const std::string text = Read("BISECT_TERMS");
    const size_t end = text.find('\n');
    if (end == std::string::npos) return;
    bad_ = text.substr(0, end);
    good_ = text.substr(end + 1, text.find('\n', end + 1) - end - 1);
  }
  // Sets what the first mark implies. False, told: the word is of other terms.
  Result<bool> CheckTerms(const std::string& verb) {
    if (verb == "skip" || verb == bad_ || verb == good_) return true;
    if (!bad_.empty()) {
      git_.Complain("Invalid command: you're currently in a " + bad_ + "/" + good_ + " bisect");
      return false;
    }
    const bool is_new = verb == "new" || verb == "old";
    bad_ = is_new ? "new" : "bad";
    good_ = is_new ? "old" : "good";
    PADDOCK_TRY(Write("BISECT_TERMS", bad_ + "\n" + good_ + "\n"));
    return true;
  }
  std::string BadTerm() const { return bad_.empty() ? "bad" : bad_; }
  std::string GoodTerm() const { return good_.empty() ? "good" : good_; }

  BisectMarks Marks() {
    BisectMarks marks;
    for (const auto& [name, id] : git_.refs.List("refs/bisect/")) {
      const std::string_view rest = std::string_view(name).substr(12);
      if (rest == BadTerm()) marks.bad = id;
      else if (rest.starts_with(GoodTerm() + "-")) marks.good.push_back(id);
      else if (rest.starts_with("skip-")) marks.skipped.push_back(id);
    }
    return marks;
  }
  std::string Line(const Oid& id) {
    const auto commit = git_.objects.ReadCommit(id);
    return "[" + id.Hex() + "] " + (commit ? SubjectOf(commit->message) : "");
  }

  Status WriteMark(const std::string& state, const Oid& id, const std::string& shown, bool logs) {
    const std::string ref = state == BadTerm() ? "refs/bisect/" + state : "refs/bisect/" + state + "-" + id.Hex();
    PADDOCK_TRY(git_.refs.WriteDirect(ref, id));
    return Log("# " + state + ": " + Line(id) + "\n" + (logs ? "git bisect " + state + " " + shown + "\n" : ""));
  }

  Result<bool> CheckTerm(const std::string& term, bool is_bad) {
    static constexpr std::string_view kWords[] = {"help", "start", "skip", "next", "reset", "visualize", "view", "replay", "log", "run", "terms"};
    if (!IsRefName("refs/bisect/" + term)) {
      git_.Complain("'" + term + "' is not a valid term");
      return false;
    }
    if (std::find(std::begin(kWords), std::end(kWords), term) != std::end(kWords)) {
      git_.Complain("can't use the builtin command '" + term + "' as a term");
      return false;
    }
    if (is_bad ? term == "good" || term == "old" : term == "bad" || term == "new") {
      git_.Complain("can't change the meaning of the term '" + term + "'");
      return false;
    }
    return true;
  }

  Result<bool> CheckTermPair(const std::string& bad, const std::string& good) {
    if (bad == good) {
      git_.Complain("please use two different terms");
      return false;
    }
    PADDOCK_ASSIGN(const bool is_fine, CheckTerm(bad, true));
    if (!is_fine) return false;
    return CheckTerm(good, false);
  }

  Result<Outcome> Start(const std::vector<std::string>& words) {
    bool no_checkout = git_.is_bare, first_parent = false, sets_terms = false;
    std::string bad = "bad", good = "good";
    const bool has_dashes = std::find(words.begin(), words.end(), "--") != words.end();
    std::vector<Oid> revisions;
    size_t at = 0;
    for (; at < words.size(); ++at) {
      const std::string& word = words[at];
      const auto takes_term = [&](const char* a, const char* b, std::string& term) {
        for (const std::string name : {a, b}) {
          if (word.starts_with(name + "=")) term = word.substr(name.size() + 1);
          else if (word == name && at + 1 < words.size()) term = words[++at];
          else continue;
          return sets_terms = true;
        }
        return false;
      };
      if (word == "--") break;
      if (word == "--no-checkout") {
        no_checkout = true;
      } else if (word == "--first-parent") {
        first_parent = true;
      } else if (takes_term("--term-good", "--term-old", good) || takes_term("--term-bad", "--term-new", bad)) {
        continue;
      } else if (word.starts_with("--")) {
        git_.Complain("unrecognized option: '" + word + "'");
        return Outcome::kFailed;
      } else if (const auto id = ResolveCommit(git_, word)) {
        revisions.push_back(*id);
      } else if (has_dashes) {
        return Error(Code::kInvalid, "'" + word + "' does not appear to be a valid revision");
      } else {
        break;
      }
    }
    const auto head = git_.Head();
    if (!head) {
      git_.Complain("bad HEAD - I need a HEAD");
      return Outcome::kFailed;
    }
    std::string start = ReadLine("BISECT_START");
    if (!start.empty()) {
      if (!no_checkout && RunGit(git_, {"checkout", start, "--"}) != 0) {
        git_.Complain("checking out '" + start + "' failed. Try 'git bisect start <valid-branch>'.");
        return Outcome::kFailed;
      }
    } else {
      const auto branch = git_.HeadBranch();
      start = branch ? ShortRef(*branch) : head->Hex();
    }
    PADDOCK_TRY(Clear());
    PADDOCK_TRY(Write("BISECT_START", start + "\n"));
    if (first_parent) PADDOCK_TRY(Write("BISECT_FIRST_PARENT", "\n"));
    if (no_checkout) PADDOCK_TRY(git_.refs.WriteDirect("BISECT_HEAD", *git_.Head()));
    PADDOCK_TRY(Write("BISECT_NAMES", ShellWords(words, at) + "\n"));
    bad_ = good_ = "";
    if (sets_terms || !revisions.empty()) {
      PADDOCK_ASSIGN(const bool are_fine, CheckTermPair(bad, good));
      if (!are_fine) return Outcome::kFailed;
      bad_ = bad;
      good_ = good;
      PADDOCK_TRY(Write("BISECT_TERMS", bad_ + "\n" + good_ + "\n"));
    }
    for (size_t i = 0; i < revisions.size(); ++i) PADDOCK_TRY(WriteMark(i == 0 ? bad : good, revisions[i], "", false));
    PADDOCK_TRY(Log("git bisect start" + ShellWords(words) + "\n"));
    PADDOCK_ASSIGN(const Outcome outcome, AutoNext());
    if (StatusOf(outcome) != 0) PADDOCK_TRY(Clear());
    return outcome;
  }

  bool IsStarted() {
    if (!ReadLine("BISECT_START").empty()) return true;
    git_.Say("You need to start by \"git bisect start\"\n\n");
    return false;
  }

  Result<Outcome> Mark(const std::string& verb, std::vector<std::string> words) {
    if (!IsStarted()) return Outcome::kFailed;
    PADDOCK_ASSIGN(const bool is_known, CheckTerms(verb));
    if (!is_known) return Outcome::kFailed;
    if (verb == bad_ && words.size() > 1) {
      git_.Complain("'git bisect " + bad_ + "' can take only one argument.");
      return Outcome::kFailed;
    }
    if (words.empty()) words.emplace_back(git_.refs.Exists("BISECT_HEAD") ? "BISECT_HEAD" : "HEAD");
    std::vector<Oid> ids;
    for (const std::string& word : words) {
      const auto id = ResolveCommit(git_, word);
      if (!id) {
        git_.Complain("Bad rev input: " + word);
        return Outcome::kFailed;
      }
      ids.push_back(*id);
    }
    const std::string expected = ReadLine("BISECT_EXPECTED_REV");
    for (const Oid& id : ids) {
      PADDOCK_TRY(WriteMark(verb, id, id.Hex(), true));
      if (expected == id.Hex()) continue;
      Forget("BISECT_ANCESTORS_OK");
      Forget("BISECT_EXPECTED_REV");
    }
    return AutoNext();
  }

  Result<std::vector<std::string>> SkippedCommits(const std::vector<std::string>& words) {
    std::vector<std::string> commits;
    for (const std::string& word : words) {
      if (word.find("..") == std::string::npos) {
        commits.push_back(word);
        continue;
      }
      Selection selection;
      PADDOCK_ASSIGN(const bool is_range, TakeRevision(git_, word, selection));
      if (!is_range) return Error(Code::kInvalid, "bad revision '" + word + "'");
      PADDOCK_ASSIGN(const std::vector<Oid> found, WalkHistory(git_, history_, selection, {}));
      for (const Oid& id : found) commits.push_back(id.Hex());
    }
    return commits;
  }

  // The next one, if both ends are known; else says what is missing.
  Result<Outcome> AutoNext() {
    const BisectMarks marks = Marks();
    if (marks.bad && !marks.good.empty()) return Next();
    std::string text = "status: waiting for both good and bad commits\n";
    if (marks.bad) text = "status: waiting for good commit(s), bad commit known\n";
    else if (!marks.good.empty()) text = "status: waiting for bad commit, " + std::to_string(marks.good.size()) + (marks.good.size() == 1 ? " good commit known\n" : " good commits known\n");
    git_.Print(text);
    PADDOCK_TRY(Log("# " + text));
    return Outcome::kGoesOn;
  }

  Result<Outcome> Next() {
    if (!IsStarted()) return Outcome::kFailed;
    const BisectMarks marks = Marks();
    if (marks.good.empty() && marks.bad) {
      git_.Warn("bisecting only with a " + BadTerm() + " commit");
    } else if (!marks.bad) {
      git_.Complain("You need to give me at least one " + BadTerm() + " and " + GoodTerm() + " revision.\nYou can use \"git bisect " + BadTerm() + "\" and \"git bisect " + GoodTerm() + "\" for that.");
      return Outcome::kFailed;
    }
    PADDOCK_ASSIGN(const Outcome outcome, Choose(marks));
    if (outcome == Outcome::kFound) PADDOCK_TRY(Log("# first " + BadTerm() + " commit: " + Line(*marks.bad) + "\n"));
    if (outcome == Outcome::kOnlySkipped) {
      Selection selection;
      selection.included = {*marks.bad};
      selection.excluded = marks.good;
      PADDOCK_ASSIGN(const std::vector<Oid> left, WalkHistory(git_, history_, selection, {}));
      std::string text = "# only skipped commits left to test\n";
      for (const Oid& id : left) text += "# possible first " + BadTerm() + " commit: " + Line(id) + "\n";
      PADDOCK_TRY(Log(text));
    }
    return outcome;
  }

  Result<Outcome> Choose(const BisectMarks& marks) {
    PADDOCK_ASSIGN(const Outcome bases, CheckBases(marks));
    if (bases != Outcome::kGoesOn) return bases;
    std::vector<std::string> names = ReadShellWords(Read("BISECT_NAMES"));
    std::erase(names, "--");
    PADDOCK_ASSIGN(Pathspec paths, Pathspec::Parse(names, "", git_.work_tree));
    PADDOCK_ASSIGN(const BisectChoice choice, ChooseBisection(git_, history_, marks, paths, Has("BISECT_FIRST_PARENT")));
    if (!choice.next) {
      if (const auto outcome = OnlySkipped(choice, std::nullopt)) return *outcome;
      if (choice.count == 0 && !names.empty()) {
        git_.Say("No testable commit found.\nMaybe you started with bad path arguments?\n");
        return Outcome::kNothingToTest;
      }
      git_.Print(marks.bad->Hex() + " was both " + GoodTerm() + " and " + BadTerm() + "\n");
      return Outcome::kFailed;
    }
    if (*choice.next == *marks.bad) {
      if (const auto outcome = OnlySkipped(choice, marks.bad)) return *outcome;
      git_.Print(marks.bad->Hex() + " is the first " + BadTerm() + " commit\n");
      static_cast<void>(RunGit(git_, {"show", "--stat", "--summary", "--no-abbrev-commit", "--format=medium", "--no-decorate", marks.bad->Hex()}));
      return Outcome::kFound;
    }
    const int64_t left = static_cast<int64_t>(choice.count) - static_cast<int64_t>(choice.reached) - 1;   // -1 where paths rule all but the last out
    const size_t steps = BisectSteps(choice.count);
    git_.Print("Bisecting: " + std::to_string(left) + (left == 1 ? " revision" : " revisions") + " left to test after this (roughly " + std::to_string(steps) + (steps == 1 ? " step)\n" : " steps)\n"));
    return GoTo(*choice.next);
  }

  std::optional<Outcome> OnlySkipped(const BisectChoice& choice, const std::optional<Oid>& bad) {
    if (choice.skipped.empty()) return std::nullopt;
    std::string text = "There are only 'skip'ped commits left to test.\nThe first " + BadTerm() + " commit could be any of:\n";
    for (const Oid& id : choice.skipped) text += id.Hex() + "\n";
    if (bad) text += bad->Hex() + "\n";
    git_.Print(text + "We cannot bisect more!\n");
    return Outcome::kOnlySkipped;
  }

  Result<Outcome> GoTo(const Oid& id) {
    PADDOCK_TRY(Write("BISECT_EXPECTED_REV", id.Hex() + "\n"));
    if (git_.refs.Exists("BISECT_HEAD")) {
      PADDOCK_TRY(git_.refs.WriteDirect("BISECT_HEAD", id));
    } else if (RunGit(git_, {"checkout", "-q", id.Hex(), "--"}) != 0) {
      return Outcome::kFailed;
    }
    git_.Print(Line(id) + "\n");
    return Outcome::kGoesOn;
  }

  // Where a good commit does not lead to the bad one, their common ancestor has to be good, too.
  Result<Outcome> CheckBases(const BisectMarks& marks) {
    if (Has("BISECT_ANCESTORS_OK") || marks.good.empty()) return Outcome::kGoesOn;
    bool are_ancestors = true;
    for (const Oid& id : marks.good) {
      PADDOCK_ASSIGN(const bool is_ancestor, history_.IsAncestor(id, *marks.bad));
      are_ancestors = are_ancestors && is_ancestor;
    }
    const auto is_in = [](const std::vector<Oid>& ids, const Oid& id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); };
    std::vector<Oid> bases;
    for (const Oid& id : are_ancestors ? std::vector<Oid>() : marks.good) {
      PADDOCK_ASSIGN(const std::vector<Oid> found, history_.MergeBases(*marks.bad, id));
      for (const Oid& base : found) {
        if (!is_in(bases, base)) bases.push_back(base);
      }
    }
    std::string goods;
    for (const Oid& id : marks.good) goods += (goods.empty() ? "" : " ") + id.Hex();
    for (const Oid& base : bases) {
      if (base == *marks.bad) return BadBase(goods, base);
      if (is_in(marks.good, base)) continue;
      if (is_in(marks.skipped, base)) {
        git_.Warn("the merge base between " + marks.bad->Hex() + " and [" + goods + "] must be skipped.\nSo we cannot be sure the first " + BadTerm() + " commit is between " + base.Hex() + " and " + marks.bad->Hex() + ".\nWe continue anyway.");
        continue;
      }
      git_.Print("Bisecting: a merge base must be tested\n");
      PADDOCK_ASSIGN(const Outcome outcome, GoTo(base));
      return outcome == Outcome::kGoesOn ? Outcome::kBaseToTest : outcome;
    }
    PADDOCK_TRY(Write("BISECT_ANCESTORS_OK", ""));
    return Outcome::kGoesOn;
  }
  Outcome BadBase(const std::string& goods, const Oid& bad) {
    if (ReadLine("BISECT_EXPECTED_REV") != bad.Hex()) {
      git_.Say("Some " + GoodTerm() + " revs are not ancestors of the " + BadTerm() + " rev.\ngit bisect cannot work properly in this case.\nMaybe you mistook " + GoodTerm() + " and " + BadTerm() + " revs?\n");
      return Outcome::kFailed;
    }
    if (BadTerm() == "bad" && GoodTerm() == "good") git_.Say("The merge base " + bad.Hex() + " is bad.\nThis means the bug has been fixed between " + bad.Hex() + " and [" + goods + "].\n");
    else if (BadTerm() == "new" && GoodTerm() == "old") git_.Say("The merge base " + bad.Hex() + " is new.\nThe property has changed between " + bad.Hex() + " and [" + goods + "].\n");
    else git_.Say("The merge base " + bad.Hex() + " is " + BadTerm() + ".\nThis means the first '" + GoodTerm() + "' commit is between " + bad.Hex() + " and [" + goods + "].\n");
    return Outcome::kBadBase;
  }

  Result<ExitStatus> Terms(const std::vector<std::string>& words) {
    if (bad_.empty()) return git_.Complain("no terms defined");
    if (words.empty()) {
      git_.Print("Your current terms are " + good_ + " for the old state\nand " + bad_ + " for the new state.\n");
      return 0;
    }
    if (words[0] == "--term-good" || words[0] == "--term-old") git_.Print(good_ + "\n");
    else if (words[0] == "--term-bad" || words[0] == "--term-new") git_.Print(bad_ + "\n");
    else return git_.Complain("invalid argument " + words[0] + " for 'git bisect terms'.\nSupported options are: --term-good|--term-old and --term-bad|--term-new.");
    return 0;
  }

  void Forget(const char* name) { static_cast<void>(git_.in.fs.RemoveFile(git_.GitPath(name)).has_value()); }
  Status Clear() {
    for (const auto& [name, id] : git_.refs.List("refs/bisect/")) PADDOCK_TRY(git_.refs.Remove(name));
    static_cast<void>(git_.in.fs.RemoveDirectory(git_.GitPath("refs/bisect")).has_value());
    for (const char* name : {"BISECT_EXPECTED_REV", "BISECT_ANCESTORS_OK", "BISECT_LOG", "BISECT_NAMES", "BISECT_RUN", "BISECT_TERMS", "BISECT_FIRST_PARENT", "BISECT_HEAD", "BISECT_START"}) Forget(name);
    return {};
  }

  Result<ExitStatus> Reset(const std::vector<std::string>& words) {
    std::string target = ReadLine("BISECT_START");
    if (words.empty() && target.empty()) {
      git_.Print("We are not bisecting.\n");
      return 0;
    }
    if (!words.empty()) {
      if (!ResolveCommit(git_, words[0])) return git_.Complain("'" + words[0] + "' is not a valid commit");
      target = words[0];
    }
    if (!git_.refs.Exists("BISECT_HEAD") && RunGit(git_, {"checkout", target, "--"}) != 0) {
      return git_.Complain("could not check out original HEAD '" + target + "'. Try 'git bisect reset <commit>'.");
    }
    PADDOCK_TRY(Clear());
    return 0;
  }

  Result<ExitStatus> ShowLog() {
    if (Read("BISECT_LOG").empty()) return git_.Complain("We are not bisecting.");
    git_.Print(Read("BISECT_LOG"));
    return 0;
  }

  Result<ExitStatus> View(std::vector<std::string> words) {
    const BisectMarks marks = Marks();
    if (!marks.bad || marks.good.empty()) return 1;
    std::vector<std::string> command;
    if (words.empty()) command = {"log", "--stat"};
    else if (words[0].starts_with('-')) command = {"log"};
    else if (words[0] == "git") words.erase(words.begin());
    command.insert(command.end(), words.begin(), words.end());
    command.push_back(marks.bad->Hex());
    for (const Oid& id : marks.good) command.push_back("^" + id.Hex());
    command.emplace_back("--");
    for (const std::string& name : ReadShellWords(Read("BISECT_NAMES"))) {
      if (name != "--") command.push_back(name);
    }
    return RunGit(git_, command);
  }

  Result<ExitStatus> Replay(const std::vector<std::string>& words) {
    if (words.size() != 1) return git_.Complain("no logfile given");
    const auto text = vfs::ReadFile(git_.in.fs, words[0], 16 << 20);
    if (!text || text->empty()) return git_.Complain("cannot read file '" + words[0] + "' for replaying");
    PADDOCK_ASSIGN(const ExitStatus reset, Reset({}));
    if (reset != 0) return reset;
    for (std::string_view line : SplitLines(*text)) {
      git_.in.budget.Step();
      std::vector<std::string> parts = ReadShellWords(line);
      if (parts.empty() || parts[0].starts_with('#')) continue;
      if (parts[0] == "git" && parts.size() > 1 && parts[1] == "bisect") parts.erase(parts.begin(), parts.begin() + 2);
      else if (parts[0] == "git-bisect") parts.erase(parts.begin());
      else continue;
      if (parts.empty()) continue;
      const std::string verb = parts[0];
      parts.erase(parts.begin());
      if (verb == "start") {
        PADDOCK_ASSIGN(const Outcome outcome, Start(parts));
        if (outcome == Outcome::kFailed) return 1;
        continue;
      }
      if (verb == "terms") {
        PADDOCK_ASSIGN(const ExitStatus status, Terms(parts));
        if (status != 0) return status;
        continue;
      }
      PADDOCK_ASSIGN(const bool is_known, CheckTerms(verb));
      if (!is_known) return 1;
      for (const std::string& part : parts) {
        const auto id = ResolveCommit(git_, part);
        if (!id) return git_.Complain("couldn't get the oid of the rev '" + part + "'");
        PADDOCK_TRY(WriteMark(verb, *id, part, true));
      }
    }
    return Finished(AutoNext());
  }

  Result<ExitStatus> RunTests(const std::vector<std::string>& words) {
    BisectMarks marks = Marks();
    if (words.empty() && (!marks.bad || marks.good.empty())) return git_.Complain("bisect run failed: no command provided.");
    if (!marks.bad || marks.good.empty()) return 1;
    if (words.empty()) return git_.Complain("bisect run failed: no command provided.");
    const std::string command = ShellWords(words);
    for (bool is_first = true;; is_first = false) {
      git_.in.budget.Step();
      git_.Print("running " + command + "\n");
      git_.in.out.Flush();
      ChildSpec spec{.args = {"sh", "-c", command}, .environment = &git_.in.env};
      const auto ran = git_.in.launcher.Run(git_.in.process, spec);
      const int status = ran ? *ran : 127;
      if (is_first && (status == 126 || status == 127)) {
        // A command that cannot run at all says nothing about the commit: it has to fail on a good one, too.
        const std::string here = git_.Head().value_or(Oid{}).Hex();
        if (RunGit(git_, {"checkout", "-q", marks.good[0].Hex(), "--"}) != 0) return 1;
        const auto again = git_.in.launcher.Run(git_.in.process, spec);
        if (RunGit(git_, {"checkout", "-q", here, "--"}) != 0) return 1;
        if (again && *again == status) return git_.Complain("bogus exit code " + std::to_string(status) + " for good revision");
      }
      if (status < 0 || status >= 128) {
        return git_.Complain("bisect run failed: exit code " + std::to_string(status) + " from '" + command + "' is < 0 or >= 128", (256 - status) & 255);
      }
      const std::string verb = status == 125 ? "skip" : status == 0 ? GoodTerm() : BadTerm();
      PADDOCK_ASSIGN(const Outcome outcome, Mark(verb, {}));
      if (outcome == Outcome::kGoesOn) continue;
      if (outcome == Outcome::kOnlySkipped) {
        git_.Complain("bisect run cannot continue any more");
      } else if (outcome == Outcome::kBaseToTest) {
        git_.Print("bisect run success");
        return 0;
      } else if (outcome == Outcome::kFound) {
        git_.Print("bisect found first bad commit");
      } else {
        git_.Complain("bisect run failed: 'git bisect--helper --bisect-state " + verb + "' exited with error code " + std::to_string(-StatusOf(outcome)));
      }
      return StatusOf(outcome);
    }
  }

  Git& git_;
  History history_;
  std::string bad_, good_;   // the terms; empty before the first mark
};

struct Options {
  std::string unused;
};
Status Misplaced(Options&, std::string_view) { return Error(Code::kInvalid, "options come behind 'git bisect start'"); }
constexpr Option kOptions[] = {
    Call<Misplaced>(0, "term-new", "TERM", "start: what a commit with the change is called (bad)"),
    Call<Misplaced>(0, "term-bad", "TERM", "likewise; terms: show it"),
    Call<Misplaced>(0, "term-old", "TERM", "start: what one without it is called (good)"),
    Call<Misplaced>(0, "term-good", "TERM", "likewise; terms: show it"),
    Call<Misplaced>(0, "no-checkout", nullptr, "start: leave the files alone, move BISECT_HEAD"),
    Call<Misplaced>(0, "first-parent", nullptr, "start: follow the first parents of merges only"),
};

Result<ExitStatus> RunBisect(Git& git, Options&, Args& args) {
  std::vector<std::string> words = args.operands;
  if (args.has_dashes) words.emplace_back("--");
  words.insert(words.end(), args.paths.begin(), args.paths.end());
  return Bisect(git).Run(std::move(words));
}

}  // namespace

extern const Subcommand kBisect;
const Subcommand kBisect = DefineSubcommand<Options, RunBisect>({.name = "bisect", .summary = "find the commit that brought a change in", .synopsis = "start [--term-(new|bad)=<term>] [--term-(old|good)=<term>] [--no-checkout] [--first-parent] [<bad> [<good>...]] [--] [<pathspec>...]\n(bad|new) [<rev>]\n(good|old) [<rev>...]\nterms [--term-good | --term-bad]\nskip [(<rev>|<range>)...]\nnext\nreset [<commit>]\n(visualize|view) [<log-options>]\nreplay <logfile>\nlog\nrun <cmd> [<arg>...]", .options = kOptions, .rules = {.stop_at_operand = true}});

}  // namespace paddock::git
