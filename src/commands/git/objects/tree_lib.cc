// git read-tree, write-tree, checkout-index, mktree, commit-tree and mktag: trees, commits and tags by hand.
#include <algorithm>
#include <charconv>

#include "commands/git/merge/merge.h"
#include "commands/git/objects/debug_unpack.h"
#include "commands/git/objects/signing.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/unsupported_parts.h"
#include "commands/git/work/worktree.h"
#include "git/check.h"

namespace paddock::git {
namespace {

struct ReadTreeOptions {
  bool tells = false, merge = false, reset = false, updates = false, only_index = false, empties = false, verbose = false, quiet = false, dry_run = false, aggressive = false, trivial = false, no_sparse = false, recurses = false, no_recursion = false;
  std::optional<std::string> prefix, output;
};
// Ignored files may be overwritten always.
Status TakeIgnoreFile(ReadTreeOptions& options, std::string_view name) {
  if (!options.updates) return Error(Code::kInvalid, "--exclude-per-directory is meaningless unless -u");
  if (name != ".gitignore") return Error(Code::kInvalid, "--exclude-per-directory argument must be .gitignore");
  return {};
}
constexpr Option kReadTreeOptions[] = {
    Flag<&ReadTreeOptions::merge>('m', nullptr, "merge with what is in the index"),
    Flag<&ReadTreeOptions::reset>(0, "reset", "the same, and drop unmerged entries"),
    Value<&ReadTreeOptions::prefix>(0, "prefix", "DIRECTORY/", "put the tree below a directory"),
    Flag<&ReadTreeOptions::updates>('u', nullptr, "update the files, too"),
    Call<TakeIgnoreFile>(0, "exclude-per-directory", ".gitignore", "behind -u: what that file names may be overwritten (always)"),
    Flag<&ReadTreeOptions::only_index>('i', nullptr, "do not look at the files"),
    Flag<&ReadTreeOptions::empties>(0, "empty", "empty the index"),
    Flag<&ReadTreeOptions::aggressive>(0, "aggressive", "with three trees: also settle what one side removed"),
    Flag<&ReadTreeOptions::trivial>(0, "trivial", "with three trees: fail if a file would have to be merged"),
    Flag<&ReadTreeOptions::no_sparse>(0, "no-sparse-checkout", "the patterns of sparse checkouts do not count"),
    Flag<&ReadTreeOptions::recurses>(0, "recurse-submodules", "submodules, too (refused where there are any)"),
    Flag<&ReadTreeOptions::no_recursion>(0, "no-recurse-submodules", "not those (the default)"),
    Flag<&ReadTreeOptions::dry_run>('n', "dry-run", "only tell whether it would work"),
    Flag<&ReadTreeOptions::tells>(0, "debug-unpack", "only tell what is looked at"),
    Flag<&ReadTreeOptions::verbose>('v', "verbose", "show progress (on a terminal)"),
    Flag<&ReadTreeOptions::quiet>('q', "quiet", "show none"),
    Value<&ReadTreeOptions::output>(0, "index-output", "FILE", "write the index there"),
};

void PutEntry(Index& index, const std::string& path, const TreeItem& item, int stage) {
  IndexEntry entry;
  entry.path = path;
  entry.mode = item.mode;
  entry.id = item.id;
  entry.stage = stage;
  // What is known of the file stays known.
  if (const IndexEntry* known = stage == 0 ? index.Find(path) : nullptr; known != nullptr && known->id == item.id && known->mode == item.mode) entry = *known;
  index.Put(std::move(entry));
}

// Three trees: what is settled without looking at contents, and stages for the rest.
void MergeThree(Git& git, const FlatTree& base, const FlatTree& ours, const FlatTree& theirs, bool aggressive, Index& index) {
  std::set<std::string> paths;
  for (const FlatTree* side : {&base, &ours, &theirs}) {
    for (const auto& [path, item] : *side) {
      git.in.budget.Step();
      paths.insert(path);
    }
  }
  const auto find = [](const FlatTree& tree, const std::string& path) -> const TreeItem* {
    const auto found = tree.find(path);
    return found == tree.end() ? nullptr : &found->second;
  };
  const auto same = [](const TreeItem* a, const TreeItem* b) { return (a == nullptr && b == nullptr) || (a != nullptr && b != nullptr && *a == *b); };
  for (const std::string& path : paths) {
    git.in.budget.Step();
    const TreeItem* o = find(base, path);
    const TreeItem* a = find(ours, path);
    const TreeItem* b = find(theirs, path);
    const TreeItem* settled = nullptr;
    bool is_settled = false, is_removed = false;
    if (a != nullptr && same(a, b)) {
      settled = a;
      is_settled = true;
    } else if (a != nullptr && b != nullptr && same(o, b)) {
      settled = a;
      is_settled = true;
    } else if (a != nullptr && b != nullptr && same(o, a)) {
      settled = b;
      is_settled = true;
    } else if (aggressive) {
      if (o == nullptr && (a == nullptr || b == nullptr)) {
        settled = a != nullptr ? a : b;
        is_settled = true;
      } else if (o != nullptr && ((a == nullptr && b == nullptr) || (a == nullptr && same(o, b)) || (b == nullptr && same(o, a)))) {
        is_settled = is_removed = true;
      }
    } else if (o == nullptr && a != nullptr && b == nullptr) {
      settled = a;
      is_settled = true;
    } else if (o == nullptr && b != nullptr && a == nullptr) {
      settled = b;
      is_settled = true;
    }
    if (is_settled) {
      if (is_removed) index.Remove(path);
      else PutEntry(index, path, *settled, 0);
      continue;
    }
    index.Remove(path);
    if (o != nullptr) PutEntry(index, path, *o, 1);
    if (a != nullptr) PutEntry(index, path, *a, 2);
    if (b != nullptr) PutEntry(index, path, *b, 3);
  }
}

// read-tree: the index is made of trees that were read.
class TreeReader {
 public:
  // All outlive it.
  TreeReader(Git& git, const ReadTreeOptions& options, const std::vector<FlatTree>& trees, const Index& old)
      : git_(git), options_(options), trees_(trees), old_(old), index_(merges() || options.prefix ? old : Index()) {}

  Result<ExitStatus> Run() {
    if (options_.prefix) return Bind(*options_.prefix);
    if (!merges()) return Lay();
    return trees_.size() == 3 ? Merge() : Move();
  }

 private:
  bool merges() const { return options_.merge || options_.reset; }

  // What changes must be as it was put there.
  bool IsCurrent(const Index& next) {
    if (options_.only_index || options_.reset || git_.work_tree.empty()) return true;
    for (const IndexEntry& entry : old_.entries()) {
      git_.in.budget.Step();
      const IndexEntry* after = next.Find(entry.path);
      if (entry.stage != 0 || (after != nullptr && after->id == entry.id && after->mode == entry.mode)) continue;
      const auto facts = git_.in.fs.Stat(git_.FilePath(entry.path), vfs::Follow::kNo);
      if (!facts || entry.HasStatOf(*facts)) continue;
      git_.Complain("Entry '" + entry.path + "' not uptodate. Cannot merge.");
      return false;
    }
    return true;
  }

  Result<ExitStatus> Finish() {
    if (options_.dry_run) return 0;
    if (options_.output) {
      PADDOCK_TRY(vfs::WriteFile(git_.in.fs, *options_.output, index_.Text()));
      return 0;
    }
    PADDOCK_TRY(git_.WriteIndex(index_));
    return 0;
  }

  // --prefix: a tree below a directory.
  Result<ExitStatus> Bind(std::string below) {
    if (!below.empty() && !below.ends_with('/')) below += '/';
    for (const auto& [path, item] : trees_.empty() ? FlatTree() : trees_[0]) {
      const std::string full = below + path;
      if (!IsSafePath(full)) return Error(Code::kInvalid, "invalid path '" + full + "'");
      if (index_.Find(full) != nullptr) {
        git_.Complain("Entry '" + full + "' overlaps with '" + full + "'.  Cannot bind.");
        return 128;
      }
      PutEntry(index_, full, item, 0);
      if (!options_.updates) continue;
      IndexEntry fresh;
      PADDOCK_TRY(PutFile(git_, full, item, false, &fresh));
      index_.Put(std::move(fresh));
    }
    return Finish();
  }

  // One behind the other: the last one wins.
  Result<ExitStatus> Lay() {
    FlatTree target;
    for (const FlatTree& tree : trees_) {
      for (const auto& [path, item] : tree) target[path] = item;
    }
    for (const auto& [path, item] : target) PutEntry(index_, path, item, 0);
    return Finish();
  }

  // Of a base and two sides.
  Result<ExitStatus> Merge() {
    Index fresh;
    MergeThree(git_, trees_[0], trees_[1], trees_[2], options_.aggressive, fresh);
    if (options_.trivial && fresh.HasConflicts()) return git_.Complain("Merge requires file-level merging", 128);
    for (IndexEntry& entry : fresh.entries()) {
      if (const IndexEntry* known = old_.Find(entry.path); known != nullptr && entry.stage == 0 && known->id == entry.id && known->mode == entry.mode) entry = *known;
    }
    if (!IsCurrent(fresh)) return 128;
    if (options_.updates && !options_.dry_run) {
      for (IndexEntry& entry : fresh.entries()) {
        const auto before = trees_[1].find(entry.path);
        if (entry.stage != 0 || (before != trees_[1].end() && before->second == TreeItem{entry.mode, entry.id})) continue;
        PADDOCK_TRY(PutFile(git_, entry.path, {entry.mode, entry.id}, true, &entry));
      }
      for (const auto& [path, item] : trees_[1]) {
        bool stays = false;
        for (int stage = 0; stage < 4; ++stage) stays |= fresh.Find(path, stage) != nullptr;
        if (!stays) RemoveWorkFile(git_, path);
      }
    }
    index_ = std::move(fresh);
    return Finish();
  }

  // To the last of one or two.
  Result<ExitStatus> Move() {
    const FlatTree target = trees_.empty() ? FlatTree() : trees_.back();
    if (options_.updates) {
      Index next;
      for (const auto& [path, item] : target) PutEntry(next, path, item, 0);
      if (!IsCurrent(next)) return 128;
      if (options_.dry_run) return 0;
      const FlatTree from = trees_.size() == 2 ? trees_[0] : IndexFiles(old_);
      PADDOCK_ASSIGN(const bool switched, SwitchFiles(git_, from, target, index_, "merge", options_.reset));
      if (!switched) return 128;
      return Finish();
    }
    if (trees_.size() == 2) {
      for (const FileDiff& change : CompareTrees(trees_[0], trees_[1])) {
        if (change.new_mode == 0) index_.Remove(change.new_path);
        else PutEntry(index_, change.new_path, {change.new_mode, change.new_id}, 0);
      }
      return Finish();
    }
    Index fresh;
    for (const auto& [path, item] : target) {
      PutEntry(fresh, path, item, 0);
      const IndexEntry* known = old_.Find(path);
      if (known != nullptr && known->id == item.id && known->mode == item.mode) fresh.Put(*known);
    }
    index_ = std::move(fresh);
    return Finish();
  }

  Git& git_;
  const ReadTreeOptions& options_;
  const std::vector<FlatTree>& trees_;
  const Index& old_;
  Index index_;
};

Result<ExitStatus> RunReadTree(Git& git, ReadTreeOptions& options, Args& args) {
  const std::vector<std::string> names = args.All();
  const bool merges = options.merge || options.reset;
  if (options.merge + options.reset + (options.prefix ? 1 : 0) > 1) return Error(Code::kInvalid, "Which one? -m, --reset, or --prefix?");
  if ((options.updates || options.only_index) && !merges && !options.prefix) {
    return Error(Code::kInvalid, std::string(options.updates ? "-u" : "-i") + " is meaningless without -m, --reset, or --prefix");
  }
  if (options.no_sparse) git.config.Add({ConfigEntry{"core.sparsecheckout", "false", SIZE_MAX, 0}});
  std::vector<FlatTree> trees;
  for (const std::string& name : names) {
    auto id = ResolveObject(git, name);
    if (!id) return Error(Code::kNoEntry, "Not a valid object name " + name);
    auto tree = git.objects.Peel(*id, ObjectType::kTree);
    if (!tree) return Error(Code::kInvalid, "failed to unpack tree object " + name);
    PADDOCK_ASSIGN(FlatTree files, git.Flatten(*tree));
    trees.push_back(std::move(files));
  }
  if (trees.empty() && !options.empties) git.Warn("read-tree: emptying the index with no arguments is deprecated; use --empty");
  else if (!trees.empty() && options.empties) return Error(Code::kInvalid, "passing trees as arguments contradicts --empty");
  if (trees.size() > 3) return Error(Code::kNotSupported, "more than three trees are not supported");
  PADDOCK_ASSIGN(Index old, git.ReadIndex());
  if (options.recurses) PADDOCK_TRY(RefuseSubmodules(git, old));
  if (options.merge && old.HasConflicts()) {
    git.Complain("You need to resolve your current index first");
    return 128;
  }
  if (merges && trees.empty() && !options.empties) return Error(Code::kInvalid, "just how do you expect me to merge 0 trees?");
  if (options.tells && options.prefix) return Error(Code::kNotSupported, "--debug-unpack with --prefix is not supported");
  if (options.tells) options.dry_run = true;   // the index stays
  if (options.tells) git.Print(DebugUnpackText(trees, merges ? &old : nullptr, git.in.budget));
  return TreeReader(git, options, trees, old).Run();
}

struct WriteTreeOptions {
  bool missing_ok = false;
  std::string prefix;
};
constexpr Option kWriteTreeOptions[] = {
    Flag<&WriteTreeOptions::missing_ok>(0, "missing-ok", "objects may be missing"),
    Value<&WriteTreeOptions::prefix>(0, "prefix", "DIRECTORY/", "the tree of a directory"),
};
Result<ExitStatus> RunWriteTree(Git& git, WriteTreeOptions& options, Args&) {
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  bool is_bad = false;
  for (const IndexEntry& entry : index.entries()) {
    if (entry.stage != 0) {
      git.Say(git.Quoted(entry.path) + ": unmerged (" + entry.id.Hex() + ")\n");
      is_bad = true;
    } else if (!options.missing_ok && entry.mode != kModeCommit && !entry.is_intended && !git.objects.Has(entry.id)) {
      git.Complain("invalid object " + std::string(entry.mode == kModeExecutable ? "100755" : entry.mode == kModeLink ? "120000" : "100644") + " " + entry.id.Hex() + " for '" + entry.path + "'");
      return Error(Code::kNoEntry, "git-write-tree: error building trees");
    }
  }
  if (is_bad) return Error(Code::kInvalid, "git-write-tree: error building trees");
  PADDOCK_ASSIGN(Oid id, git.WriteTree(index));
  if (!options.prefix.empty()) {
    std::string_view rest = options.prefix;
    while (rest.ends_with('/')) rest.remove_suffix(1);
    auto below = ResolveObject(git, id.Hex() + ":" + std::string(rest));
    if (!below) return Error(Code::kNoEntry, "git-write-tree: prefix " + options.prefix + " not found");
    id = *below;
  }
  git.Print(id.Hex() + "\n");
  return 0;
}

struct CheckoutIndexOptions {
  bool all = false, force = false, quiet = false, no_create = false, updates = false, nul = false, from_stdin = false, temp = false, no_temp = false, sees_skipped = false;
  std::string prefix, stage;
};
constexpr Option kCheckoutIndexOptions[] = {
    Flag<&CheckoutIndexOptions::all>('a', "all", "all files"),
    Flag<&CheckoutIndexOptions::force>('f', "force", "overwrite what is there"),
    Flag<&CheckoutIndexOptions::quiet>('q', "quiet", "say nothing of what is there or is not known"),
    Flag<&CheckoutIndexOptions::no_create>('n', "no-create", "only files that are there"),
    Flag<&CheckoutIndexOptions::updates>('u', "index", "write down what is known of the files"),
    Flag<&CheckoutIndexOptions::nul>('z', nullptr, "names end with NUL"),
    Flag<&CheckoutIndexOptions::from_stdin>(0, "stdin", "read names from standard input"),
    Value<&CheckoutIndexOptions::prefix>(0, "prefix", "TEXT", "put TEXT before names"),
    Value<&CheckoutIndexOptions::stage>(0, "stage", "N", "files of stage 1, 2 or 3; all: of all of them (implies --temp)"),
    Flag<&CheckoutIndexOptions::sees_skipped>(0, "ignore-skip-worktree-bits", "also files with that bit"),
    Flag<&CheckoutIndexOptions::temp>(0, "temp", "write temporary files, and tell their names"),
};
// A file of a name that is free, with an entry's content; its name.
Result<std::string> WriteTemporary(Git& git, const IndexEntry& entry) {
  PADDOCK_ASSIGN(const std::string content, git.ReadBlob(entry.id));
  std::string name;
  for (size_t salt = 0;; ++salt) {
    git.in.budget.Step();
    name = ".merge_file_" + HashObject(ObjectType::kBlob, entry.path + std::to_string(entry.stage) + std::to_string(salt)).Hex().substr(0, 6);
    if (!git.in.fs.Stat(git.FilePath(name), vfs::Follow::kNo)) break;
  }
  PADDOCK_ASSIGN(const std::string converted, ToWorkTree(git, entry.path, content));
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.FilePath(name), converted));
  return name;
}

Result<ExitStatus> RunCheckoutIndex(Git& git, CheckoutIndexOptions& options, Args& args) {
  PADDOCK_ASSIGN(Index index, git.ReadIndex());
  int stage = 0;
  const bool takes_all = options.stage == "all";
  if (takes_all) options.temp = true;
  if (!options.stage.empty() && !takes_all) {
    if (options.stage.size() != 1 || options.stage[0] < '1' || options.stage[0] > '3') return Error(Code::kInvalid, "stage should be between 1 and 3 or all");
    stage = options.stage[0] - '0';
  }
  ExitStatus status = 0;
  const auto put = [&](const std::string& path) -> Status {
    if (takes_all) {
      std::string names;
      bool has_any = false;
      for (int one = 1; one <= 3; ++one) {
        const IndexEntry* of = index.Find(path, one);
        std::string name = ".";
        if (of != nullptr) {
          PADDOCK_ASSIGN(name, WriteTemporary(git, *of));
          has_any = true;
        }
        names += (one > 1 ? " " : "") + name;
      }
      if (has_any) git.Print(names + "\t" + (options.nul ? path : git.Quoted(path)) + (options.nul ? '\0' : '\n'));
      else if (!options.quiet) git.Say("git checkout-index: " + path + (index.Find(path) != nullptr ? " does not exist at stage 4\n" : " is not in the cache\n"));
      if (!has_any) status = 1;
      return {};
    }
    const IndexEntry* entry = index.Find(path, stage);
    if (entry != nullptr && options.temp) {
      PADDOCK_ASSIGN(const std::string name, WriteTemporary(git, *entry));
      git.Print(name + "\t" + (options.nul ? path : git.Quoted(path)) + (options.nul ? '\0' : '\n'));
      return {};
    }
    if (entry == nullptr) {
      if (!options.quiet) git.Say("git checkout-index: " + path + (index.Find(path, 1) != nullptr || index.Find(path, 2) != nullptr || index.Find(path, 3) != nullptr ? " is unmerged" : " is not in the cache") + "\n");
      status = 1;
      return {};
    }
    if (entry->is_skipped && !options.sees_skipped) {
      if (!options.quiet && !options.all) git.Say("git checkout-index: " + path + " has skip-worktree enabled; use '--ignore-skip-worktree-bits' to checkout\n");
      if (!options.all) status = 1;
      return {};
    }
    const std::string name = options.prefix + path;
    const auto facts = git.in.fs.Stat(git.FilePath(name), vfs::Follow::kNo);
    if (!facts && options.no_create) return {};
    if (facts) {
      if (options.prefix.empty() && entry->HasStatOf(*facts)) return {};
      if (!options.force) {
        if (!options.quiet) git.Say(name + " already exists, no checkout\n");
        status = 1;
        return {};
      }
    }
    IndexEntry fresh;
    PADDOCK_TRY(PutFile(git, name, {entry->mode, entry->id}, options.force, &fresh));
    if (!options.updates || !options.prefix.empty() || stage != 0) return {};
    index.Put(std::move(fresh));
    return {};
  };
  if (options.all) {
    std::vector<std::string> paths;
    for (const IndexEntry& entry : index.entries()) {
      git.in.budget.Step();
      if (takes_all ? entry.stage != 0 && (paths.empty() || paths.back() != entry.path) : entry.stage == stage) paths.push_back(entry.path);
    }
    for (const std::string& path : paths) PADDOCK_TRY(put(path));
    if (status == 1) status = 0;
  }
  for (const std::string& name : args.All()) {
    PADDOCK_ASSIGN(const std::string path, git.RepositoryPath(name));
    PADDOCK_TRY(put(path));
  }
  if (options.from_stdin) {
    while (const auto line = git.in.in.ReadLine(options.nul ? '\0' : '\n')) {
      PADDOCK_ASSIGN(const std::string path, git.RepositoryPath(options.nul ? std::string(line->text) : UnquotePath(line->text)));
      PADDOCK_TRY(put(path));
    }
  }
  if (options.updates) PADDOCK_TRY(git.WriteIndex(index));
  return status;
}

struct MakeTreeOptions {
  bool nul = false, missing = false, batch = false;
};
constexpr Option kMakeTreeOptions[] = {
    Flag<&MakeTreeOptions::nul>('z', nullptr, "lines end with NUL"),
    Flag<&MakeTreeOptions::missing>(0, "missing", "objects may be missing"),
    Flag<&MakeTreeOptions::batch>(0, "batch", "several trees, with empty lines between them"),
};
Result<ExitStatus> RunMakeTree(Git& git, MakeTreeOptions& options, Args&) {
  std::vector<TreeEntry> entries;
  const auto write = [&]() -> Status {
    PADDOCK_ASSIGN(const Oid id, git.objects.Write(ObjectType::kTree, TreeText(std::move(entries))));
    entries.clear();
    git.Print(id.Hex() + "\n");
    return {};
  };
  bool has_lines = false;
  while (const auto line = git.in.in.ReadLine(options.nul ? '\0' : '\n')) {
    git.in.budget.Step();
    const std::string_view text = line->text;
    if (text.empty()) {
      if (!options.batch) return Error(Code::kSyntax, "input format error: (blank line only valid in batch mode)");
      PADDOCK_TRY(write());
      has_lines = false;
      continue;
    }
    has_lines = true;
    const Error bad(Code::kSyntax, "input format error: " + std::string(text));
    const size_t first = text.find(' '), second = first == std::string_view::npos ? first : text.find(' ', first + 1), tab = text.find('\t');
    if (second == std::string_view::npos || tab == std::string_view::npos || second > tab) return bad;
    TreeEntry entry;
    const auto read = std::from_chars(text.data(), text.data() + first, entry.mode, 8);
    const auto type = TypeOf(text.substr(first + 1, second - first - 1));
    const auto id = Oid::FromHex(text.substr(second + 1, tab - second - 1));
    if (read.ptr != text.data() + first || !id || !type) return bad;
    entry.id = *id;
    entry.name = options.nul ? std::string(text.substr(tab + 1)) : UnquotePath(text.substr(tab + 1));
    if (entry.name.empty() || entry.name.find('/') != std::string::npos) return Error(Code::kInvalid, "path " + entry.name + " contains slash");
    const ObjectType wanted = entry.is_tree() ? ObjectType::kTree : entry.mode == kModeCommit ? ObjectType::kCommit : ObjectType::kBlob;
    if (*type != wanted) return Error(Code::kInvalid, "entry '" + entry.name + "' object type (" + std::string(TypeName(*type)) + ") doesn't match mode type (" + std::string(TypeName(wanted)) + ")");
    if (!options.missing && wanted != ObjectType::kCommit) {
      const auto object = git.objects.Read(*id);
      if (!object) return Error(Code::kNoEntry, "entry '" + entry.name + "' object " + id->Hex() + " is unavailable");
      if (object->type != wanted) return Error(Code::kInvalid, "entry '" + entry.name + "' object " + id->Hex() + " is a " + std::string(TypeName(object->type)) + " but specified type was (" + std::string(TypeName(wanted)) + ")");
    }
    git.in.budget.WillAllocate(entry.name.size() + 96);
    entries.push_back(std::move(entry));
  }
  if (!options.batch || has_lines) PADDOCK_TRY(write());
  return 0;
}

struct CommitTreeOptions {
  std::vector<std::string> parents, texts;
  std::optional<std::string> gpg_sign;
  bool no_gpg_sign = false;
};
Status TakeMessage(CommitTreeOptions& options, std::string_view value) {
  options.texts.push_back("m" + std::string(value));
  return {};
}
Status TakeMessageFile(CommitTreeOptions& options, std::string_view value) {
  options.texts.push_back("F" + std::string(value));
  return {};
}
constexpr Option kCommitTreeOptions[] = {
    Value<&CommitTreeOptions::parents>('p', nullptr, "PARENT", "a parent"),
    Call<TakeMessage>('m', nullptr, "TEXT", "a paragraph of the message"),
    Call<TakeMessageFile>('F', nullptr, "FILE", "the message is in FILE"),
    SigningOptions<CommitTreeOptions>()[0],
    SigningOptions<CommitTreeOptions>()[1],
};
Result<ExitStatus> RunCommitTree(Git& git, CommitTreeOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (operands.size() != 1) {
    git.Say("usage: git commit-tree <tree> [(-p <parent>)...]\n");
    return 129;
  }
  const auto tree = ResolveObject(git, operands[0]);
  if (!tree) return Error(Code::kNoEntry, "not a valid object name " + operands[0]);
  Commit commit;
  const auto object = git.objects.Read(*tree);
  if (!object || object->type != ObjectType::kTree) return Error(Code::kInvalid, tree->Hex() + " is not a valid 'tree' object");
  commit.tree = *tree;
  for (const std::string& name : options.parents) {
    const auto parent = ResolveObject(git, name);
    if (!parent) return Error(Code::kNoEntry, "not a valid object name " + name);
    auto id = git.objects.Peel(*parent, ObjectType::kCommit);
    if (!id) return Error(Code::kInvalid, parent->Hex() + " is not a valid 'commit' object");
    if (std::find(commit.parents.begin(), commit.parents.end(), *id) != commit.parents.end()) git.Complain("duplicate parent " + id->Hex() + " ignored");
    else commit.parents.push_back(*id);
  }
  for (const std::string& text : options.texts) {
    if (!commit.message.empty()) commit.message += '\n';
    std::string part = text.substr(1);
    if (text[0] == 'F' && part == "-") {
      part = git.in.in.ReadAll();
    } else if (text[0] == 'F') {
      auto content = vfs::ReadFile(git.in.fs, part);
      if (!content) return Error(content.error().code, "git commit-tree: failed to open '" + part + "': " + std::string(content.error().Text()));
      part = std::move(*content);
    }
    commit.message += part;
    if (!commit.message.empty() && !commit.message.ends_with('\n')) commit.message += '\n';
  }
  if (options.texts.empty()) commit.message = git.in.in.ReadAll();
  PADDOCK_ASSIGN(commit.author, git.Author());
  PADDOCK_ASSIGN(commit.committer, git.Committer());
  std::string text = commit.Text();
  git.signing_key = options.gpg_sign;
  if (git.signing_key) {
    const Status is_signed = SignCommit(git, commit, text);
    if (!is_signed) return is_signed.error().code == Code::kNotSupported ? Result<ExitStatus>(is_signed.error()) : 1;
  }
  PADDOCK_ASSIGN(const Oid id, git.objects.Write(ObjectType::kCommit, text));
  git.Print(id.Hex() + "\n");
  return 0;
}

struct MakeTagOptions {
  bool strict = true;
};
constexpr Option kMakeTagOptions[] = {
    Flag<&MakeTagOptions::strict>(0, "strict", "warnings are errors (the default)"),
    Set<&MakeTagOptions::strict, false>(0, "no-strict", "warnings are only told"),
};
Result<ExitStatus> RunMakeTag(Git& git, MakeTagOptions& options, Args&) {
  const std::string text = git.in.in.ReadAll();
  bool is_bad = false;
  for (const ObjectProblem& problem : CheckObject(ObjectType::kTag, text, true, git.in.budget)) {
    if (options.strict || problem.is_error) {
      git.Say("error: tag input does not pass fsck: " + problem.id + ": " + problem.text + "\n");
      is_bad = true;
    } else {
      git.Say("warning: tag input does not pass fsck: " + problem.id + ": " + problem.text + "\n");
    }
  }
  if (is_bad) return Error(Code::kInvalid, "tag on stdin did not pass our strict fsck check");
  PADDOCK_ASSIGN(const Tag tag, ParseTag(text));
  const auto object = git.objects.Read(tag.object);
  if (!object) return Error(Code::kNoEntry, "could not read tagged object '" + tag.object.Hex() + "'");
  if (object->type != tag.type) return Error(Code::kInvalid, "object '" + tag.object.Hex() + "' tagged as '" + std::string(TypeName(tag.type)) + "', but is a '" + std::string(TypeName(object->type)) + "' type");
  PADDOCK_ASSIGN(const Oid id, git.objects.Write(ObjectType::kTag, text));
  git.Print(id.Hex() + "\n");
  return 0;
}

}  // namespace

using Needs = Subcommand::Needs;
extern const Subcommand kReadTree, kWriteTree, kCheckoutIndex, kMktree, kCommitTree, kMktag;
const Subcommand kReadTree = DefineSubcommand<ReadTreeOptions, RunReadTree>({.name = "read-tree", .summary = "put trees into the index", .synopsis = "[(-m | --reset | --prefix=<prefix>) [-u | -i]] (--empty | <tree-ish1> [<tree-ish2> [<tree-ish3>]])", .options = kReadTreeOptions});
const Subcommand kWriteTree = DefineSubcommand<WriteTreeOptions, RunWriteTree>({.name = "write-tree", .summary = "write the index as a tree", .synopsis = "[--missing-ok] [--prefix=<prefix>/]", .options = kWriteTreeOptions});
const Subcommand kCheckoutIndex = DefineSubcommand<CheckoutIndexOptions, RunCheckoutIndex>({.name = "checkout-index", .summary = "copy files of the index to the working tree", .synopsis = "[<options>] [--] [<file>...]", .options = kCheckoutIndexOptions, .needs = Needs::kWorkTree});
const Subcommand kMktree = DefineSubcommand<MakeTreeOptions, RunMakeTree>({.name = "mktree", .summary = "make a tree of a list", .synopsis = "[-z] [--missing] [--batch]", .options = kMakeTreeOptions});
const Subcommand kCommitTree = DefineSubcommand<CommitTreeOptions, RunCommitTree>({.name = "commit-tree", .summary = "make a commit of a tree", .synopsis = "<tree> [(-p <parent>)...]\n[(-p <parent>)...] [(-m <message>)...] [(-F <file>)...] <tree>", .options = kCommitTreeOptions});
const Subcommand kMktag = DefineSubcommand<MakeTagOptions, RunMakeTag>({.name = "mktag", .summary = "make a tag of its text", .synopsis = "", .options = kMakeTagOptions});

}  // namespace paddock::git
