// git merge-base.
#include "commands/git/revision.h"

namespace paddock::git {
namespace {

struct BaseOptions {
  bool all = false, is_ancestor = false;
};
constexpr Option kBaseOptions[] = {Flag<&BaseOptions::all>('a', "all", "all of the best ones"), Flag<&BaseOptions::is_ancestor>(0, "is-ancestor", "tell by the exit status whether the first leads to the second")};
Result<ExitStatus> RunMergeBase(Git& git, BaseOptions& options, Args& args) {
  if (args.operands.size() != 2) {
    git.Say("usage: git merge-base [-a | --all] <commit> <commit>\n");
    return 129;
  }
  Oid ids[2];
  for (size_t i = 0; i < 2; ++i) {
    auto id = ResolveCommit(git, args.operands[i]);
    if (!id) return Error(Code::kNoEntry, "Not a valid object name " + args.operands[i]);
    ids[i] = *id;
  }
  History history(git);
  if (options.is_ancestor) {
    PADDOCK_ASSIGN(const bool is_ancestor, history.IsAncestor(ids[0], ids[1]));
    return is_ancestor ? 0 : 1;
  }
  PADDOCK_ASSIGN(std::vector<Oid> bases, history.MergeBases(ids[0], ids[1]));
  if (!options.all && bases.size() > 1) bases.resize(1);
  for (const Oid& id : bases) git.Print(id.Hex() + "\n");
  return bases.empty() ? 1 : 0;
}

}  // namespace

extern const Subcommand kMergeBase;
const Subcommand kMergeBase = DefineSubcommand<BaseOptions, RunMergeBase>({.name = "merge-base", .summary = "find the best common ancestor", .synopsis = "[-a | --all] <commit> <commit>\n--is-ancestor <commit> <commit>", .options = kBaseOptions});

}  // namespace paddock::git
