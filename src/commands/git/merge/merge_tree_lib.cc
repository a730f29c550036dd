// git merge-tree: a merge of commits that is neither put into the index nor into the files; and, as it once was, of three trees alone.
#include <algorithm>

#include "commands/git/diff/diff.h"
#include "commands/git/merge/merge.h"
#include "commands/git/refs/revision.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

struct MergeTreeOptions {
  bool writes = false, is_trivial = false, nul = false, names_only = false, joins_unrelated = false, from_stdin = false;
  std::optional<bool> shows_messages;
};

constexpr Option kMergeTreeOptions[] = {
    Flag<&MergeTreeOptions::writes>(0, "write-tree", "merge two commits, and write the tree"),
    Flag<&MergeTreeOptions::is_trivial>(0, "trivial-merge", "show what three trees make"),
    Set<&MergeTreeOptions::shows_messages, true>(0, "messages", "tell what was done (the default where there are conflicts)"),
    Set<&MergeTreeOptions::shows_messages, false>(0, "no-messages", "do not"),
    Flag<&MergeTreeOptions::nul>('z', nullptr, "names and messages end with NUL"),
    Flag<&MergeTreeOptions::names_only>(0, "name-only", "of conflicts the names alone"),
    Flag<&MergeTreeOptions::joins_unrelated>(0, "allow-unrelated-histories", "also without a common ancestor"),
    Flag<&MergeTreeOptions::from_stdin>(0, "stdin", "read two commits a line, and merge them"),
};

// A path from the working directory: "../x".
std::string FromHere(const Git& git, const std::string& path) {
  std::string_view below = git.prefix, rest = path;
  while (!below.empty()) {
    const std::string_view part = below.substr(0, below.find('/') + 1);
    if (!rest.starts_with(part)) break;
    below.remove_prefix(part.size());
    rest.remove_prefix(part.size());
  }
  std::string text;
  for (const char c : below) text += c == '/' ? "../" : "";
  return text + std::string(rest);
}

// --- two commits

class CommitMerge {
 public:
  CommitMerge(Git& git, const MergeTreeOptions& options) : git_(git), options_(options), end_(options.nul || options.from_stdin ? '\0' : '\n') {}

  Result<ExitStatus> Run(const std::string& our_name, const std::string& their_name) {
    const auto ours = Find(our_name);
    if (!ours) return 1;
    const auto theirs = Find(their_name);
    if (!theirs) return 1;
    History history(git_);
    PADDOCK_ASSIGN(const std::vector<Oid> bases, history.MergeBases(*ours, *theirs));
    if (bases.empty() && !options_.joins_unrelated) return Error(Code::kInvalid, "refusing to merge unrelated histories");
    PADDOCK_ASSIGN(const MergeStyle style, StrategyStyle(git_, "ort", {}));
    PADDOCK_ASSIGN(FlatTree base, BaseFiles(git_, history, bases, style));
    PADDOCK_ASSIGN(FlatTree our_files, git_.FlattenCommit(*ours));
    PADDOCK_ASSIGN(FlatTree their_files, git_.FlattenCommit(*theirs));
    Sides names{our_name, their_name};
    if (bases.size() == 1) names.base = git_.objects.Abbreviate(bases[0]);
    else if (bases.empty()) names.base = "empty tree";
    PADDOCK_ASSIGN(TreeMerge merge, MergeTrees(git_, std::move(base), std::move(our_files), std::move(their_files), names, style));
    return Print(merge);
  }

 private:
  std::optional<Oid> Find(const std::string& name) {
    const auto id = ResolveObject(git_, name);
    const auto commit = id ? git_.objects.Peel(*id, ObjectType::kCommit) : Result<Oid>(Code::kNoEntry);
    if (commit) return *commit;
    git_.Say("merge-tree: " + name + " - not something we can merge\n");
    return std::nullopt;
  }

  Result<ExitStatus> Print(const TreeMerge& merge) {
    FlatTree files = merge.tree;
    for (const auto& [path, conflict] : merge.conflicts) {
      if (!conflict.text) continue;
      PADDOCK_ASSIGN(const Oid id, git_.objects.Write(ObjectType::kBlob, *conflict.text));
      files[path] = {conflict.mode, id};
    }
    PADDOCK_ASSIGN(const Oid tree, TreeOf(git_, files));
    const bool is_clean = merge.conflicts.empty();
    if (options_.from_stdin) git_.Print(std::string(is_clean ? "1" : "0") + '\0');
    git_.Print(tree.Hex() + end_);
    for (const auto& [path, conflict] : merge.conflicts) PrintConflict(path, conflict);
    if (options_.shows_messages.value_or(!is_clean)) {
      git_.Print(std::string(1, end_));
      if (end_ != '\0') git_.Print(merge.messages);
      for (const MergeMessage& message : end_ == '\0' ? merge.told : std::vector<MergeMessage>()) PrintMessage(message);
    }
    if (options_.from_stdin) git_.Print(std::string(1, end_));
    return is_clean ? 0 : 1;
  }
  void PrintConflict(const std::string& path, const Conflict& conflict) {
    const std::string shown = end_ == '\0' ? FromHere(git_, path) : QuotePath(FromHere(git_, path), git_.config.GetBool("core.quotepath", true));
    if (options_.names_only) return git_.Print(shown + end_);
    int stage = 0;
    for (const auto* item : {&conflict.base, &conflict.ours, &conflict.theirs}) {
      ++stage;
      if (!*item) continue;
      git_.Print(ModeText((*item)->mode) + " " + (*item)->id.Hex() + " " + std::to_string(stage) + "\t" + shown + end_);
    }
  }
  void PrintMessage(const MergeMessage& message) {
    std::string text = std::to_string(message.paths.size()) + '\0';
    for (const std::string& path : message.paths) text += path + '\0';
    git_.Print(text + message.kind + '\0' + message.text + '\0');
  }

  Git& git_;
  const MergeTreeOptions& options_;
  char end_;
};

Result<ExitStatus> MergeFromStdin(Git& git, const MergeTreeOptions& options) {
  CommitMerge merge(git, options);
  while (const auto read = git.in.in.ReadLine()) {
    git.in.budget.Step();
    const std::string line(read->text);
    const size_t blank = line.find(' ');
    if (blank == std::string::npos || blank + 1 == line.size() || line.find(' ', blank + 1) != std::string::npos) return Error(Code::kSyntax, "malformed input line: '" + line + "'.");
    PADDOCK_TRY(merge.Run(line.substr(0, blank), line.substr(blank + 1)));
  }
  return 0;
}

// --- three trees

class TreePrinter {
 public:
  explicit TreePrinter(Git& git) : git_(git) {}

  Status Run(const FlatTree& base, const FlatTree& ours, const FlatTree& theirs) {
    std::vector<std::string> paths;
    for (const FlatTree* tree : {&base, &ours, &theirs}) {
      for (const auto& [path, item] : *tree) paths.push_back(path);
    }
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    const auto find = [](const FlatTree& tree, const std::string& path) {
      const auto found = tree.find(path);
      return found == tree.end() ? std::optional<TreeItem>() : std::optional<TreeItem>(found->second);
    };
    for (const std::string& path : paths) {
      git_.in.budget.Step(4);
      PADDOCK_TRY(Compare(path, find(base, path), find(ours, path), find(theirs, path)));
    }
    return {};
  }

 private:
  using Item = std::optional<TreeItem>;

  Status Compare(const std::string& path, const Item& base, const Item& ours, const Item& theirs) {
    if (ours == theirs || base == theirs) return {};
    std::string before, after;
    if (ours) {
      PADDOCK_ASSIGN(before, git_.ReadBlob(ours->id));
    }
    if (base == ours && theirs && ours) {
      git_.Print("merged\n");
      Tell("result", path, theirs);
      Tell("our", path, ours);
      PADDOCK_ASSIGN(after, git_.ReadBlob(theirs->id));
    } else {
      git_.Print(std::string(Explanation(base, ours, theirs)) + "\n");
      Tell("base", path, base);
      Tell("our", path, ours);
      Tell("their", path, theirs);
      PADDOCK_ASSIGN(after, Merged(path, base, ours, theirs));
    }
    git_.Print(HunksText(before, after));
    return {};
  }
  static const char* Explanation(const Item& base, const Item& ours, const Item& theirs) {
    if (!base) return ours && theirs ? "added in both" : theirs ? "added in remote" : "added in local";
    if (ours && theirs) return "changed in both";
    return ours ? "removed in remote" : theirs ? "removed in local" : "removed in both";
  }
  void Tell(std::string side, const std::string& path, const Item& item) {
    if (!item) return;
    side.resize(6, ' ');
    const std::string mode = ModeText(item->mode);
    git_.Print("  " + side + " " + mode.substr(mode.find_first_not_of('0')) + " " + item->id.Hex() + " " + path + "\n");
  }
  Result<std::string> Merged(const std::string& path, const Item& base, const Item& ours, const Item& theirs) {
    if (!ours || !theirs) return base ? Result<std::string>(std::string()) : git_.ReadBlob((ours ? ours : theirs)->id);
    PADDOCK_ASSIGN(const std::string our_text, git_.ReadBlob(ours->id));
    PADDOCK_ASSIGN(const std::string their_text, git_.ReadBlob(theirs->id));
    std::string base_text;
    if (base) {
      PADDOCK_ASSIGN(base_text, git_.ReadBlob(base->id));
    }
    if (LooksBinary(base_text) || LooksBinary(our_text) || LooksBinary(their_text)) {
      git_.Warn("Cannot merge binary files: " + path + " (.our vs. .their)");
      return our_text;
    }
    PADDOCK_ASSIGN(const MergeStyle style, ConfiguredStyle(git_));
    return MergeTexts(base_text, our_text, their_text, {".our", ".their", ""}, style, git_.in.budget).text;
  }

  Git& git_;
};

Result<ExitStatus> MergeThreeTrees(Git& git, const std::vector<std::string>& names) {
  std::vector<FlatTree> trees;
  for (const std::string& name : names) {
    const auto id = ResolveObject(git, name);
    if (!id) return Error(Code::kNoEntry, "unknown rev " + name);
    const auto tree = git.objects.Peel(*id, ObjectType::kTree);
    if (!tree) return Error(Code::kInvalid, name + " is not a tree");
    PADDOCK_ASSIGN(FlatTree files, git.Flatten(*tree));
    trees.push_back(std::move(files));
  }
  PADDOCK_TRY(TreePrinter(git).Run(trees[0], trees[1], trees[2]));
  return 0;
}

constexpr const char* kSynopsis = "[--write-tree] [<options>] <branch1> <branch2>\n[--trivial-merge] <base-tree> <branch1> <branch2>";

Result<ExitStatus> RunMergeTree(Git& git, MergeTreeOptions& options, Args& args) {
  const std::vector<std::string> names = args.All();
  const bool has_others = options.writes || options.shows_messages || options.nul || options.names_only || options.joins_unrelated || options.from_stdin;
  const auto refuse = [&git]() {
    git.Say("usage: git merge-tree [--write-tree] [<options>] <branch1> <branch2>\n   or: git merge-tree [--trivial-merge] <base-tree> <branch1> <branch2>\n");
    return 129;
  };
  if (options.from_stdin) {
    if (options.is_trivial) return Error(Code::kInvalid, "--trivial-merge is incompatible with all other options");
    return MergeFromStdin(git, options);
  }
  const bool is_trivial = options.is_trivial || (!options.writes && names.size() == 3);
  if (!is_trivial && !options.writes && names.size() != 2) return refuse();
  if (is_trivial && has_others) return Error(Code::kInvalid, "--trivial-merge is incompatible with all other options");
  if (names.size() != (is_trivial ? 3 : 2)) return refuse();
  return is_trivial ? MergeThreeTrees(git, names) : CommitMerge(git, options).Run(names[0], names[1]);
}

}  // namespace

extern const Subcommand kMergeTree;
const Subcommand kMergeTree = DefineSubcommand<MergeTreeOptions, RunMergeTree>({.name = "merge-tree", .summary = "merge commits or trees, and touch neither index nor files", .synopsis = kSynopsis, .options = kMergeTreeOptions, .rules = {.stop_at_operand = true}});

}  // namespace paddock::git
