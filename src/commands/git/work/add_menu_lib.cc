// git add -i: what is staged and what is not, in menus; and add -e. The words are those of git.
#include "commands/git/work/add_menu.h"

#include <algorithm>
#include <map>
#include <utility>

#include "commands/git/mail/apply.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/choice_list.h"
#include "commands/git/work/patch_choice.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {
namespace {

// A file of a menu: what changed in the index and what in the working tree.
struct MenuFile {
  std::string path;
  std::optional<LineCounts> staged, unstaged;
  bool is_unmerged = false;
  bool is_listed_alone = false;   // no changes are told
};

std::string CountsText(const std::optional<LineCounts>& counts, const char* none) {
  if (!counts) return none;
  return counts->is_binary ? "binary" : "+" + std::to_string(counts->added) + "/-" + std::to_string(counts->deleted);
}

std::string Padded(std::string text, size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

constexpr std::string_view kHeading = "           staged     unstaged path\n";

// The names of a list, for answers that are the beginning of one.
class NamesOfList {
 public:
  explicit NamesOfList(std::vector<std::string> names) : names_(std::move(names)) {
    for (size_t i = 0; i < names_.size(); ++i) order_.emplace(names_[i], i);
  }
  std::optional<size_t> Find(const std::string& beginning) const {
    const auto found = order_.lower_bound(beginning);
    if (found == order_.end() || !found->first.starts_with(beginning)) return std::nullopt;
    const auto next = std::next(found);
    if (found->first != beginning && next != order_.end() && next->first.starts_with(beginning)) return std::nullopt;
    return found->second;
  }
  // With the beginning that is enough in brackets, if it is short and cannot be taken for something else.
  std::string Marked(size_t i) const {
    constexpr size_t kLongest = 4;
    const std::string& name = names_[i];
    const auto found = order_.find(name);
    size_t length = 1;
    if (found != order_.begin()) length = std::max(length, Common(std::prev(found)->first, name) + 1);
    if (std::next(found) != order_.end()) length = std::max(length, Common(std::next(found)->first, name) + 1);
    const std::string beginning = name.substr(0, length);
    if (length > kLongest || length > name.size() || beginning.find_first_of(" \t\r\n,") != std::string::npos || beginning[0] == '-' || (beginning[0] >= '0' && beginning[0] <= '9') || beginning == "*" ||
        beginning == "?") {
      return name;
    }
    return "[" + beginning + "]" + name.substr(length);
  }

 private:
  static size_t Common(std::string_view a, std::string_view b) { return static_cast<size_t>(std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin()).first - a.begin()); }
  std::vector<std::string> names_;
  std::map<std::string, size_t> order_;
};

class AddMenu {
 public:
  AddMenu(Git& git, std::vector<std::string> operands) : git_(git), operands_(std::move(operands)) {}

  Result<ExitStatus> Run() {
    PADDOCK_TRY(TellUnmerged());
    PADDOCK_TRY(ShowStatus());
    static constexpr const char* kCommands[] = {"status", "update", "revert", "add untracked", "patch", "diff", "quit", "help"};
    const NamesOfList names({std::begin(kCommands), std::end(kCommands)});
    while (true) {
      std::string menu = "*** Commands ***\n";
      for (size_t i = 0; i < 8; ++i) menu += "  " + std::to_string(i + 1) + ": " + names.Marked(i) + (i % 4 == 3 ? "\n" : "\t");
      git_.Print(menu);
      const auto answer = ReadAnswer(git_, "What now> ");
      if (!answer) {
        git_.Print("\nBye.\n");
        return 0;
      }
      const auto chosen = ChooseCommand(*answer, names, std::size(kCommands));
      if (!chosen) continue;
      switch (*chosen) {
        case 0: PADDOCK_TRY(ShowStatus()); break;
        case 1: PADDOCK_TRY(Update()); break;
        case 2: PADDOCK_TRY(Revert()); break;
        case 3: PADDOCK_TRY(AddUntracked()); break;
        case 4: PADDOCK_TRY(Patch()); break;
        case 5: PADDOCK_TRY(Diff()); break;
        case 6: git_.Print("Bye.\n"); return 0;
        default:
          git_.Print("status        - show paths with changes\nupdate        - add working tree state to the staged set of changes\n"
                     "revert        - revert staged set of changes back to the HEAD version\npatch         - pick hunks and update selectively\n"
                     "diff          - view diff between HEAD and index\nadd untracked - add contents of untracked files to the staged set of changes\n");
      }
    }
  }

 private:
  enum class Which { kAll, kUnstaged, kStaged };

  Status TellUnmerged() {
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    std::string last;
    for (const IndexEntry& entry : index.entries()) {
      git_.in.budget.Step();
      if (entry.stage != 0 && entry.path != last) git_.Print(entry.path + ": needs merge\n");
      if (entry.stage != 0) last = entry.path;
    }
    return {};
  }

  std::optional<size_t> ChooseCommand(const std::string& answer, const NamesOfList& names, size_t count) {
    if (answer.starts_with('?')) git_.Print(ChoiceHelp(true));
    const std::vector<std::string_view> words = ChoiceWords(answer);
    if (words.empty() || answer.starts_with('?')) return std::nullopt;
    const ChoiceRange range = ParseChoice(words[0], count);
    if (range.first > 0 && range.first == range.last && range.first <= count) return range.first - 1;
    const auto found = range.first > 0 ? std::nullopt : names.Find(std::string(range.name));
    if (!found) git_.Say("Huh (" + std::string(range.name) + ")?\n");
    return found;
  }

  // The items that were chosen, in their order. `is_immediate`: the first answer is the last.
  std::vector<size_t> Choose(const std::vector<MenuFile>& files, const char* prompt, bool is_immediate) {
    std::vector<std::string> paths;
    for (const MenuFile& file : files) paths.push_back(file.path);
    const NamesOfList names(std::move(paths));
    std::vector<bool> chosen(files.size(), false);
    while (true) {
      ShowList(files, &names, &chosen);
      const auto answer = ReadAnswer(git_, std::string(prompt) + ">> ");
      if (!answer) git_.Print("\n");
      if (!answer || answer->empty()) break;
      if (answer->starts_with('?')) {
        git_.Print(ChoiceHelp(false));
        continue;
      }
      for (const std::string_view word : ChoiceWords(*answer)) {
        ChoiceRange range = ParseChoice(word, files.size());
        if (range.first == 0) {
          const auto found = names.Find(std::string(range.name));
          if (found) range.first = range.last = *found + 1;
        }
        if (range.first == 0 || range.first > files.size()) {
          git_.Say("Huh (" + std::string(range.name) + ")?\n");
          break;
        }
        for (size_t i = range.first; i <= std::min(range.last, files.size()); ++i) chosen[i - 1] = range.takes;
      }
      if (is_immediate || *answer == "*") break;
    }
    std::vector<size_t> indexes;
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (chosen[i]) indexes.push_back(i);
    }
    return indexes;
  }

  void ShowList(const std::vector<MenuFile>& files, const NamesOfList* names, const std::vector<bool>* chosen) {
    if (files.empty()) return;
    std::string text(kHeading);
    for (size_t i = 0; i < files.size(); ++i) {
      git_.in.budget.Step();
      text += chosen != nullptr && (*chosen)[i] ? "*" : " ";
      text += Padded(std::to_string(i + 1), 2) + ": ";
      if (!files[i].is_listed_alone) text += Padded(CountsText(files[i].staged, "unchanged"), 12) + " " + Padded(CountsText(files[i].unstaged, "nothing"), 12) + " ";
      text += (names != nullptr ? names->Marked(i) : files[i].path) + "\n";
    }
    git_.Print(text);
  }

  Result<FlatTree> HeadFiles() {
    const auto head = git_.Head();
    return head ? git_.FlattenCommit(*head) : Result<FlatTree>(FlatTree());
  }

  // The changed files, in order.
  Result<std::vector<MenuFile>> Changed(Which which) {
    PADDOCK_ASSIGN(Pathspec paths, git_.ParsePaths(operands_));
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    PADDOCK_ASSIGN(const FlatTree head, HeadFiles());
    FlatTree known = IndexFiles(index, true), base = known;
    std::map<std::string, MenuFile> files;
    for (const IndexEntry& entry : index.entries()) {
      git_.in.budget.Step();
      if (entry.stage == 0 || (!paths.empty() && !paths.Matches(entry.path, git_.in.budget))) continue;
      MenuFile& file = files[entry.path];
      file.is_unmerged = true;
      file.staged = LineCounts();
      if (entry.stage == 2) base[entry.path] = {entry.mode, entry.id};
    }
    DiffOptions plain;
    plain.no_renames = true;
    const auto count = [&](std::vector<FileDiff> changes, std::optional<LineCounts> MenuFile::*side) -> Status {
      PADDOCK_TRY(Arrange(git_, changes, plain, paths));
      for (const FileDiff& change : changes) {
        if (const auto seen = files.find(change.new_path); side == &MenuFile::staged && seen != files.end() && seen->second.is_unmerged) continue;
        PADDOCK_ASSIGN(files[change.new_path].*side, CountLines(git_, change, plain));
      }
      return {};
    };
    PADDOCK_TRY(count(CompareTrees(head, known), &MenuFile::staged));
    PADDOCK_ASSIGN(std::vector<FileDiff> changes, CompareWithFiles(git_, base, index));
    PADDOCK_TRY(count(std::move(changes), &MenuFile::unstaged));
    std::vector<MenuFile> list;
    for (auto& [path, file] : files) {
      if ((which == Which::kUnstaged && !file.unstaged) || (which == Which::kStaged && !file.staged)) continue;
      file.path = path;
      list.push_back(std::move(file));
    }
    return list;
  }

  Status ShowStatus() {
    PADDOCK_ASSIGN(const std::vector<MenuFile> files, Changed(Which::kAll));
    ShowList(files, nullptr, nullptr);
    git_.Print("\n");
    return {};
  }

  void TellCount(const char* verb, size_t count) { git_.Print(std::string(verb) + " " + std::to_string(count) + (count == 1 ? " path\n" : " paths\n")); }

  Status Stage(const std::vector<MenuFile>& files, const std::vector<size_t>& chosen, const char* verb) {
    PADDOCK_ASSIGN(Index index, git_.ReadIndex());
    for (const size_t i : chosen) {
      const std::string& path = files[i].path;
      if (!IsSafePath(path)) return Error(Code::kInvalid, "invalid path '" + path + "'");
      PADDOCK_ASSIGN(auto entry, StageFile(git_, path, true));
      if (entry) index.Put(std::move(*entry));
      else index.Remove(path);
    }
    PADDOCK_TRY(git_.WriteIndex(index));
    TellCount(verb, chosen.size());
    return {};
  }

  Status Update() {
    PADDOCK_ASSIGN(const std::vector<MenuFile> files, Changed(Which::kUnstaged));
    if (!files.empty()) {
      const std::vector<size_t> chosen = Choose(files, "Update", false);
      if (!chosen.empty()) PADDOCK_TRY(Stage(files, chosen, "updated"));
    }
    git_.Print("\n");
    return {};
  }

  Status Revert() {
    PADDOCK_ASSIGN(const std::vector<MenuFile> files, Changed(Which::kStaged));
    const std::vector<size_t> chosen = files.empty() ? std::vector<size_t>() : Choose(files, "Revert", false);
    if (!chosen.empty()) {
      PADDOCK_ASSIGN(const FlatTree head, HeadFiles());
      PADDOCK_ASSIGN(Index index, git_.ReadIndex());
      for (const size_t i : chosen) {
        const std::string& path = files[i].path;
        const auto old = head.find(path);
        index.Remove(path);
        if (old == head.end()) {
          git_.Print("note: " + path + " is untracked now.\n");
          continue;
        }
        IndexEntry entry;
        entry.path = path;
        entry.mode = old->second.mode;
        entry.id = old->second.id;
        index.Put(std::move(entry));
      }
      PADDOCK_TRY(git_.WriteIndex(index));
      TellCount("reverted", chosen.size());
    }
    git_.Print("\n");
    return {};
  }

  Status AddUntracked() {
    PADDOCK_ASSIGN(Pathspec paths, git_.ParsePaths(operands_));
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    PADDOCK_ASSIGN(const Untracked found, FindUntracked(git_, index, UntrackedMode::kAll, paths, false));
    std::vector<MenuFile> files;
    for (const std::string& path : found.files) {
      MenuFile file;
      file.path = path;
      file.is_listed_alone = true;
      files.push_back(std::move(file));
    }
    if (files.empty()) {
      git_.Print("No untracked files.\n");
    } else {
      const std::vector<size_t> chosen = Choose(files, "Add untracked", false);
      if (!chosen.empty()) PADDOCK_TRY(Stage(files, chosen, "added"));
    }
    git_.Print("\n");
    return {};
  }

  Status Patch() {
    PADDOCK_ASSIGN(std::vector<MenuFile> files, Changed(Which::kUnstaged));
    const bool has_changes = !files.empty();
    std::erase_if(files, [this](const MenuFile& file) {
      if (file.is_unmerged) git_.Say("ignoring unmerged: " + file.path + "\n");
      return file.is_unmerged || file.unstaged->is_binary;
    });
    if (files.empty()) {
      git_.Say(has_changes ? "Only binary files changed.\n" : "No changes.\n");
      return {};
    }
    const std::vector<size_t> chosen = Choose(files, "Patch update", false);
    if (chosen.empty()) return {};
    const auto done = ChoosePatches(git_, PatchTarget::kStage, std::nullopt, "", Literally(files, chosen));
    return done ? Status() : done.error();
  }

  Status Diff() {
    PADDOCK_ASSIGN(const std::vector<MenuFile> files, Changed(Which::kStaged));
    const std::vector<size_t> chosen = files.empty() ? std::vector<size_t>() : Choose(files, "Review diff", true);
    if (!chosen.empty()) {
      PADDOCK_ASSIGN(Pathspec paths, git_.ParsePaths(Literally(files, chosen)));
      PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
      PADDOCK_ASSIGN(const FlatTree head, HeadFiles());
      std::vector<FileDiff> changes = CompareTrees(head, IndexFiles(index));
      DiffOptions options;
      TakeDiffConfig(git_, options);
      options.patch = true;
      PADDOCK_TRY(Arrange(git_, changes, options, paths));
      PADDOCK_ASSIGN(const std::string text, FormatDiff(git_, changes, options));
      git_.Print(text);
    }
    git_.Print("\n");
    return {};
  }

  static std::vector<std::string> Literally(const std::vector<MenuFile>& files, const std::vector<size_t>& chosen) {
    std::vector<std::string> operands;
    for (const size_t i : chosen) operands.push_back(":(top,literal)" + files[i].path);
    return operands;
  }

  Git& git_;
  std::vector<std::string> operands_;
};

}  // namespace

Result<ExitStatus> RunAddMenu(Git& git, const std::vector<std::string>& operands) { return AddMenu(git, operands).Run(); }

Result<ExitStatus> AddEdited(Git& git, const std::vector<std::string>& operands) {
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  for (const std::string& operand : operands) {
    PADDOCK_ASSIGN(const std::string path, git.RepositoryPath(operand));
    if (operand.find_first_of("*?[:") == std::string::npos && !git.in.fs.Stat(git.FilePath(path), vfs::Follow::kNo)) return AmbiguousArgument(operand);
  }
  PADDOCK_ASSIGN(std::vector<FileDiff> changes, CompareWithFiles(git, IndexFiles(index), index));
  DiffOptions options;
  TakeDiffConfig(git, options);
  options.patch = true;
  options.context = 7;
  options.colours = false;
  PADDOCK_TRY(Arrange(git, changes, options, paths));
  PADDOCK_ASSIGN(const std::string before, FormatDiff(git, changes, options));
  const std::string name = "ADD_EDIT.patch", path = git.GitPath(name);
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, path, before));
  if (!git.Edit(path)) return Error(Code::kInvalid, "editing patch failed");
  PADDOCK_ASSIGN(const std::string text, vfs::ReadFile(git.in.fs, path));
  if (text.empty()) return Error(Code::kInvalid, "Empty patch. Aborted.");
  ApplyOptions apply;
  apply.recounts = apply.cached = true;
  // The patch is for the whole tree, wherever it was asked for.
  const std::string here = std::exchange(git.prefix, "");
  const auto status = ApplyPatchText(git, apply, text, name);
  git.prefix = here;
  if (!status) Die(git.in, status.error());
  const bool is_in_top = git.git_dir == vfs::JoinPath(git.work_tree, ".git");
  if (!status || *status != 0) return Error(Code::kInvalid, "Could not apply '" + (is_in_top ? ".git/" + name : path) + "'");
  PADDOCK_TRY(git.in.fs.RemoveFile(path));
  return 0;
}

}  // namespace paddock::git
