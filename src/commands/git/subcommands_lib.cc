#include "commands/git/subcommands.h"

namespace paddock::git {

extern const Subcommand kAdd, kApply, kBlame, kBranch, kCatFile, kCheckIgnore, kCheckout, kCherryPick, kClean, kClone, kCommit, kConfig, kDescribe, kDiff, kFetch, kForEachRef, kGrep, kHashObject, kInit, kLog, kLsFiles, kLsTree, kMerge, kMergeBase, kMv, kPull, kPush, kRebase, kReflog, kRemote, kReset, kRestore, kRevList, kRevParse, kRevert, kRm, kShow, kShowRef, kStash, kStatus,
    kSwitch, kSymbolicRef, kTag, kUpdateRef, kWriteTree;

std::span<const Subcommand* const> AllSubcommands() {
  static constexpr const Subcommand* kAll[] = {
      &kAdd, &kApply, &kBlame, &kBranch, &kCatFile, &kCheckIgnore, &kCheckout, &kCherryPick, &kClean, &kClone, &kCommit, &kConfig, &kDescribe, &kDiff, &kFetch, &kForEachRef, &kGrep, &kHashObject, &kInit, &kLog, &kLsFiles, &kLsTree, &kMerge, &kMergeBase, &kMv, &kPull, &kPush, &kRebase, &kReflog, &kRemote, &kReset, &kRestore, &kRevList, &kRevParse, &kRevert, &kRm, &kShow, &kShowRef,
      &kStash, &kStatus, &kSwitch, &kSymbolicRef, &kTag, &kUpdateRef, &kWriteTree,
  };
  return kAll;
}

}  // namespace paddock::git
