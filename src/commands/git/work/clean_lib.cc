// git clean.
#include <algorithm>

#include "commands/git/column_layout.h"
#include "commands/git/work/choice_list.h"
#include "commands/git/work/ignore_rules.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

struct CleanOptions {
  bool dry_run = false, interactive = false, directories = false, ignored = false, only_ignored = false, quiet = false;
  int force = 0;   // 2: repositories, too
  std::vector<std::string> excludes;
};
Status TakeForce(CleanOptions& options, std::string_view) {
  if (options.force < 2) ++options.force;
  return {};
}
constexpr Option kCleanOptions[] = {
    Flag<&CleanOptions::dry_run>('n', "dry-run", "only show what would be removed"), Call<TakeForce>('f', "force", nullptr, "do it; twice: also repositories"),
    Flag<&CleanOptions::interactive>('i', "interactive", "choose in menus"),
    Flag<&CleanOptions::directories>('d', nullptr, "whole directories, too"), Flag<&CleanOptions::ignored>('x', nullptr, "ignored files, too"),
    Flag<&CleanOptions::only_ignored>('X', nullptr, "only ignored files"), Flag<&CleanOptions::quiet>('q', "quiet", "say nothing"),
    Value<&CleanOptions::excludes>('e', "exclude", "PATTERN", "pass over what matches, as in .gitignore"),
};

// Whether a directory has a repository of its own, or is a working tree of one.
bool HoldsRepository(Git& git, const std::string& path) {
  const std::string inner = git.FilePath(path) + "/.git";
  if (IsGitDirectory(git.in.fs, inner)) return true;
  const auto linked = FollowGitFile(git.in, inner);
  return linked && IsGitDirectory(git.in.fs, *linked);
}

// What is to go: files, and directories ("x/") of which all is to go.
class CleanList {
 public:
  // `has_directories`: also what is in directories that git does not know.
  CleanList(Git& git, const CleanOptions& options, const Index& index, Pathspec& paths, bool has_directories) : git_(git), options_(options), index_(index), paths_(paths), rules_(git), has_directories_(has_directories) {
    for (const std::string& pattern : options.excludes) rules_.AddPattern(pattern);
    if (!options.ignored) rules_.AddStandard();
  }

  Result<std::vector<std::string>> Make() {
    PADDOCK_TRY(Visit(""));
    if (!has_directories_) std::erase_if(found_, [](const std::string& path) { return path.ends_with('/'); });
    std::sort(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  bool IsWanted(const std::string& path) { return paths_.empty() || paths_.Matches(path, git_.in.budget); }

  // Whether all of a directory ("" or "sub/") is to go.
  Result<bool> Visit(const std::string& directory) {
    git_.in.budget.CheckStack();
    const auto list = git_.in.fs.List(git_.FilePath(directory));
    if (!list) {
      git_.Warn("could not open directory '" + directory + "': " + std::string(list.error().Text()));
      return false;
    }
    rules_.Enter(directory);
    bool is_whole = true;
    for (const vfs::DirectoryEntry& entry : *list) {
      git_.in.budget.Step(4);
      if (entry.name == ".git") continue;
      const std::string path = directory + entry.name;
      if (entry.type == vfs::FileType::kDirectory) {
        PADDOCK_ASSIGN(const bool goes, VisitDirectory(path));
        is_whole = is_whole && goes;
      } else if (!VisitFile(path)) {
        is_whole = false;
      }
    }
    rules_.Leave();
    return is_whole;
  }

  bool VisitFile(const std::string& path) {
    for (int stage = 0; stage < 4; ++stage) {
      if (index_.Find(path, stage) != nullptr) return false;
    }
    if (rules_.Hides(path, false) != options_.only_ignored || !IsWanted(path)) return false;
    found_.push_back(path);
    return true;
  }

  Result<bool> VisitDirectory(const std::string& path) {
    if (index_.Find(path) != nullptr) return false;
    const bool is_known = index_.HasBelow(path);
    if (!is_known && rules_.Hides(path, true)) {
      if (!options_.only_ignored || !IsWanted(path)) return false;
      found_.push_back(path + "/");
      return true;
    }
    if (!paths_.empty() && !paths_.MayMatchBelow(path, git_.in.budget)) return false;
    if (!is_known && IsRepository(path)) {
      if (options_.force > 1 && !options_.only_ignored && has_directories_ && IsWanted(path)) found_.push_back(path + "/");
      return true;   // it is passed over where the directory around it is removed
    }
    if (!is_known && !has_directories_ && !options_.only_ignored) return false;
    const size_t before = found_.size();
    PADDOCK_ASSIGN(const bool is_whole, Visit(path + "/"));
    if (is_known || !is_whole || !IsWanted(path) || (options_.only_ignored && found_.size() == before)) return false;
    found_.resize(before);
    found_.push_back(path + "/");
    return true;
  }

  bool IsRepository(const std::string& path) { return HoldsRepository(git_, path); }

  Git& git_;
  const CleanOptions& options_;
  const Index& index_;
  Pathspec& paths_;
  IgnoreRules rules_;
  bool has_directories_;
  std::vector<std::string> found_;
};

class Remover {
 public:
  Remover(Git& git, const CleanOptions& options) : git_(git), options_(options) {}

  Result<ExitStatus> Run(const std::vector<std::string>& list) {
    for (const std::string& path : list) {
      git_.in.budget.Step();
      if (path.ends_with('/')) {
        const std::string plain = path.substr(0, path.size() - 1);
        if (Directory(plain)) Tell("remove ", "Removing ", path);
      } else if (File(path)) {
        Tell("remove ", "Removing ", path);
      }
    }
    return status_;
  }

 private:
  // `lead`: before the path.
  void Tell(const char* would, const char* does, const std::string& path, const char* lead = "") {
    if (options_.dry_run) git_.Print(std::string("Would ") + would + lead + git_.Shown(path) + "\n");
    else if (!options_.quiet) git_.Print(std::string(does) + lead + git_.Shown(path) + "\n");
  }

  bool Take(const Status& removed, const std::string& path) {
    if (removed) return true;
    git_.Warn("failed to remove " + git_.Shown(path) + ": " + std::string(removed.error().Text()));
    status_ = 1;
    return false;
  }

  bool File(const std::string& path) { return options_.dry_run || Take(git_.in.fs.RemoveFile(git_.FilePath(path)), path); }

  // Whether all of it is gone; if not, what is gone is told.
  bool Directory(const std::string& path) {
    git_.in.budget.CheckStack();
    if (options_.force < 2 && HoldsRepository(git_, path)) {
      Tell("skip repository ", "Skipping repository ", path);
      return false;
    }
    const auto list = git_.in.fs.List(git_.FilePath(path));
    if (!list) return Take(list.error(), path);
    bool is_whole = true;
    std::vector<std::string> gone;
    for (const vfs::DirectoryEntry& entry : *list) {
      git_.in.budget.Step(4);
      const std::string below = path + "/" + entry.name;
      if (entry.type == vfs::FileType::kDirectory ? Directory(below) : File(below)) gone.push_back(below);
      else is_whole = false;
    }
    if (is_whole && path + "/" == git_.prefix) {
      if (options_.dry_run) git_.Print("Would refuse to remove current working directory\n");
      else if (!options_.quiet) git_.Print("Refusing to remove current working directory\n");
      is_whole = false;
    }
    if (is_whole && !options_.dry_run) is_whole = Take(git_.in.fs.RemoveDirectory(git_.FilePath(path)), path);
    if (!is_whole) {
      for (const std::string& below : gone) Tell("remove ", "Removing ", below, path + "/" == git_.prefix ? "./" : "");
    }
    return is_whole;
  }

  Git& git_;
  const CleanOptions& options_;
  ExitStatus status_ = 0;
};

// The menus of -i: what is left of the list when they are done.
class CleanMenu {
 public:
  CleanMenu(Git& git, std::vector<std::string> list) : git_(git), list_(std::move(list)), width_(TerminalColumns(git.in.env.Get("COLUMNS", ""))) {}

  std::vector<std::string> Run() {
    static const std::vector<std::string> kCommands = {"clean", "filter by pattern", "select by numbers", "ask each", "quit", "help"};
    while (!list_.empty()) {
      git_.Print(list_.size() == 1 ? "Would remove the following item:\n" : "Would remove the following items:\n");
      ShowList();
      switch (ChooseCommand(kCommands)) {
        case 0: return std::move(list_);
        case 1: Filter(); break;
        case 2: Select(); break;
        case 3: AskEach(); return std::move(list_);
        case 5:
          git_.Print("clean               - start cleaning\nfilter by pattern   - exclude items from deletion\nselect by numbers   - select items to be deleted by numbers\n"
                     "ask each            - confirm each deletion (like \"rm -i\")\nquit                - stop cleaning\nhelp                - this screen\n"
                     "?                   - help for prompt selection\n");
          break;
        default: git_.Print("Bye.\n"); return {};
      }
      if (list_.empty()) git_.Print("No more files to clean, exiting.\n");
    }
    return {};
  }

 private:
  static constexpr size_t kIndent = 2;

  void ShowColumns(const std::vector<std::string>& items, ColumnOptions::Order order) {
    const std::string text = InColumns(items, {.is_on = true, .order = order}, width_ - std::min(width_ - 1, kIndent), 2);
    std::string indented;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at) + 1;
      indented += std::string(kIndent, ' ') + text.substr(at, end - at);
      at = end;
    }
    git_.Print(indented);
  }

  void ShowList() {
    std::vector<std::string> shown;
    for (const std::string& path : list_) shown.push_back(git_.Shown(path));
    ShowColumns(shown, ColumnOptions::Order::kColumns);
  }

  void ShowMenu(const std::vector<std::string>& items, const std::vector<bool>& chosen) {
    std::vector<std::string> lines;
    for (size_t i = 0; i < items.size(); ++i) lines.push_back((chosen[i] ? "*" : " ") + std::string(i < 9 ? " " : "") + std::to_string(i + 1) + ": " + items[i]);
    ShowColumns(lines, ColumnOptions::Order::kRows);
  }

  static bool BeginsWith(std::string_view name, std::string_view beginning) {
    return name.size() >= beginning.size() && std::equal(beginning.begin(), beginning.end(), name.begin(), [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b)); });
  }

  // Which item a word means, from 1; 0 for none, or several.
  static size_t FindName(const std::vector<std::string>& items, std::string_view word) {
    size_t found = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      if (!BeginsWith(items[i], word)) continue;
      if (items[i].size() == word.size()) return i + 1;
      if (found > 0) return 0;
      found = i + 1;
    }
    return word.empty() ? 0 : found;
  }

  // Marks what the word means; false: it means nothing.
  bool Mark(const std::vector<std::string>& items, std::string_view word, bool is_single, std::vector<bool>& chosen) {
    ChoiceRange range = ParseChoice(word, items.size());
    if (range.last == 0) range.first = range.last = FindName(items, range.name);
    if (range.first == 0 || range.last > items.size() || range.first > range.last || (is_single && range.first != range.last)) {
      git_.Print("Huh (" + std::string(range.name) + ")?\n");
      return false;
    }
    std::fill(chosen.begin() + static_cast<std::ptrdiff_t>(range.first) - 1, chosen.begin() + static_cast<std::ptrdiff_t>(range.last), range.takes);
    return true;
  }

  size_t ChooseCommand(const std::vector<std::string>& commands) {
    while (true) {
      std::vector<bool> chosen(commands.size(), false);
      git_.Print("*** Commands ***\n");
      ShowMenu(commands, chosen);
      const auto answer = ReadAnswer(git_, "What now> ");
      if (!answer) return SIZE_MAX;
      if (*answer == "?") git_.Print(ChoiceHelp(true));
      if (answer->empty() || *answer == "?" || !Mark(commands, *answer, true, chosen)) continue;
      const auto first = std::find(chosen.begin(), chosen.end(), true);
      if (first != chosen.end()) return static_cast<size_t>(first - chosen.begin());
    }
  }

  void Filter() {
    bool has_changed = true;
    while (true) {
      if (list_.empty()) return;
      if (has_changed) ShowList();
      const auto answer = ReadAnswer(git_, "Input ignore patterns>> ");
      if (!answer) git_.Print("\n");
      if (!answer || answer->empty()) return;
      IgnoreGlobList patterns;
      for (const std::string_view word : ChoiceWords(*answer)) patterns.AddLines(std::string(word) + "\n", false, git_.in.budget);
      has_changed = std::erase_if(list_, [&](const std::string& path) {
        const bool is_directory = path.ends_with('/');
        return patterns.Check(is_directory ? path.substr(0, path.size() - 1) : path, is_directory, git_.in.budget) == IgnoreVerdict::kIgnore ||
               (is_directory && patterns.Check(path, true, git_.in.budget) == IgnoreVerdict::kIgnore);
      }) > 0;
      if (!has_changed) git_.Print("WARNING: Cannot find items matched by: " + *answer + "\n");
    }
  }

  void Select() {
    std::vector<std::string> shown;
    for (const std::string& path : list_) shown.push_back(git_.Shown(path));
    std::vector<bool> chosen(list_.size(), false);
    while (true) {
      ShowMenu(shown, chosen);
      const auto answer = ReadAnswer(git_, "Select items to delete>> ");
      if (!answer) chosen.assign(list_.size(), false);
      if (!answer || answer->empty()) break;
      if (*answer == "?") {
        git_.Print(ChoiceHelp(false));
        continue;
      }
      for (const std::string_view word : ChoiceWords(*answer)) Mark(shown, word, false, chosen);
    }
    size_t at = 0;
    std::erase_if(list_, [&](const std::string&) { return !chosen[at++]; });
  }

  void AskEach() {
    bool has_ended = false;
    std::erase_if(list_, [&](const std::string& path) {
      if (has_ended) return true;
      const auto answer = ReadAnswer(git_, "Remove " + git_.Shown(path) + " [y/N]? ");
      if (!answer) git_.Print("\n");
      has_ended = !answer;
      return !answer || answer->empty() || !BeginsWith("yes", *answer);
    });
  }

  Git& git_;
  std::vector<std::string> list_;
  size_t width_;
};

Result<ExitStatus> RunClean(Git& git, CleanOptions& options, Args& args) {
  if (options.force == 0 && !options.dry_run && !options.interactive && git.config.GetBool("clean.requireforce", true)) {
    return Error(Code::kInvalid, git.config.Get("clean.requireforce") ? "clean.requireForce set to true and neither -i, -n, nor -f given; refusing to clean" : "clean.requireForce defaults to true and neither -i, -n, nor -f given; refusing to clean");
  }
  if (options.ignored && options.only_ignored) return Error(Code::kInvalid, "-x and -X cannot be used together");
  std::vector<std::string> operands = args.All();
  const bool has_directories = options.directories || !operands.empty();
  if (operands.empty() && !git.prefix.empty()) operands.push_back(".");
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  PADDOCK_ASSIGN(std::vector<std::string> list, CleanList(git, options, index, paths, has_directories).Make());
  if (options.interactive && !list.empty()) list = CleanMenu(git, std::move(list)).Run();
  return Remover(git, options).Run(list);
}

}  // namespace

extern const Subcommand kClean;
const Subcommand kClean = DefineSubcommand<CleanOptions, RunClean>({.name = "clean", .summary = "remove untracked files", .synopsis = "[-d] [-f] [-i] [-n] [-q] [-e <pattern>] [-x | -X] [--] [<pathspec>...]", .options = kCleanOptions, .needs = Subcommand::Needs::kWorkTree});

}  // namespace paddock::git
