#include "commands/git/subcommands.h"

namespace paddock::git {

extern const Subcommand kAdd, kAm, kApply, kBlame, kBranch, kCatFile, kCheckIgnore, kCheckout, kCherryPick, kClean, kClone, kCommit, kConfig, kDescribe, kDiff, kFetch, kForEachRef, kFormatPatch, kGrep, kHashObject, kInit, kLog, kLsFiles, kLsRemote, kLsTree, kMerge, kMergeBase, kMv, kPull, kPush, kRebase, kReflog, kRemote, kReset, kRestore, kRevList, kRevParse, kRevert, kRm, kShortlog, kShow, kShowRef, kStash, kStatus,
    kSwitch, kSymbolicRef, kTag, kUpdateRef, kWriteTree;

std::span<const Subcommand* const> AllSubcommands() {
  static constexpr const Subcommand* kAll[] = {
      &kAdd, &kAm, &kApply, &kBlame, &kBranch, &kCatFile, &kCheckIgnore, &kCheckout, &kCherryPick, &kClean, &kClone, &kCommit, &kConfig, &kDescribe, &kDiff, &kFetch, &kForEachRef, &kFormatPatch, &kGrep, &kHashObject, &kInit, &kLog, &kLsFiles, &kLsRemote, &kLsTree, &kMerge, &kMergeBase, &kMv, &kPull, &kPush, &kRebase, &kReflog, &kRemote, &kReset, &kRestore, &kRevList, &kRevParse, &kRevert, &kRm, &kShortlog, &kShow, &kShowRef,
      &kStash, &kStatus, &kSwitch, &kSymbolicRef, &kTag, &kUpdateRef, &kWriteTree,
  };
  return kAll;
}

}  // namespace paddock::git
