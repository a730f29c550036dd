// What git rebase is asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/git/git.h"
#include "commands/git/objects/signing.h"

namespace paddock::git {

struct RebaseOptions {
  std::string onto, empty, strategy;
  std::optional<std::string> merges, whitespace, gpg_sign;   // --rebase-merges: its mode
  std::optional<int64_t> least_context;
  std::optional<bool> updates_refs;
  bool applies = false, no_gpg_sign = false;
  std::vector<std::string> commands, strategy_options;
  bool quiet = false, verbose = false, interactive = false, proceeds = false, skips = false, abort = false, quits = false, edits_todo = false, shows_patch = false;
  bool root = false, keeps_base = false, forces = false, stat = false, no_stat = false, autosquash = false, no_autosquash = false, autostash = false, no_autostash = false, signoff = false, ignores_date = false, keeps_date = false;
  bool reapplies = false, no_reapplies = false, keeps_empty = false, drops_empty = false, no_verify = false, merge = false, reschedules = false, no_reschedules = false, no_fork_point = false, fork_point = false, ignores_space = false, rerere = false, no_rerere = false;
};
inline Status TakeRebaseMerges(RebaseOptions& options, std::string_view mode) {
  if (!mode.empty() && mode != "rebase-cousins" && mode != "no-rebase-cousins") return Error(Code::kInvalid, "Unknown mode: " + std::string(mode));
  options.merges = mode;
  return {};
}
inline Status TakeRebaseNoMerges(RebaseOptions& options, std::string_view) {
  options.merges.reset();
  return {};
}
template <bool kValue>
Status TakeRebasedRefs(RebaseOptions& options, std::string_view) {
  options.updates_refs = kValue;
  return {};
}
// The last of --apply, --merge and --interactive counts.
template <bool kApplies, bool kIsInteractive>
Status TakeRebaseWay(RebaseOptions& options, std::string_view) {
  options.applies = kApplies;
  options.merge = !kApplies;
  options.interactive |= kIsInteractive;
  return {};
}
inline constexpr Option kRebaseOptions[] = {
    Value<&RebaseOptions::onto>(0, "onto", "COMMIT", "start from COMMIT"),
    Flag<&RebaseOptions::keeps_base>(0, "keep-base", "start from where the branches part"),
    Flag<&RebaseOptions::no_verify>(0, "no-verify", "without the hook"),
    Flag<&RebaseOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&RebaseOptions::verbose>('v', "verbose", "show what changed, too"),
    Flag<&RebaseOptions::stat>(0, "stat", "show what changed in the upstream"),
    Flag<&RebaseOptions::no_stat>('n', "no-stat", "do not (the default)"),
    Flag<&RebaseOptions::signoff>(0, "signoff", "add a Signed-off-by line to each"),
    Flag<&RebaseOptions::keeps_date>(0, "committer-date-is-author-date", "commits are as old as what they say"),
    Flag<&RebaseOptions::ignores_date>(0, "reset-author-date", "they are written now"),
    Flag<&RebaseOptions::ignores_date>(0, "ignore-date", "likewise"),
    Flag<&RebaseOptions::forces>('f', "force-rebase", "make all commits anew"),
    Flag<&RebaseOptions::forces>(0, "no-ff", "likewise"),
    Flag<&RebaseOptions::proceeds>(0, "continue", "commit what was resolved, and go on"),
    Flag<&RebaseOptions::skips>(0, "skip", "leave this commit out, and go on"),
    Flag<&RebaseOptions::abort>(0, "abort", "go back to before it"),
    Flag<&RebaseOptions::quits>(0, "quit", "forget what is left to do, leave everything as it is"),
    Flag<&RebaseOptions::edits_todo>(0, "edit-todo", "edit the list of what is left"),
    Flag<&RebaseOptions::shows_patch>(0, "show-current-patch", "show the commit that it stopped at"),
    Call<TakeRebaseWay<false, false>>('m', "merge", nullptr, "by merges (the default)"),
    Call<TakeRebaseWay<true, false>>(0, "apply", nullptr, "by patches"),
    Value<&RebaseOptions::whitespace>(0, "whitespace", "ACTION", "by patches, as of git apply"),
    Value<&RebaseOptions::least_context>('C', nullptr, "N", "by patches, of which N lines of context have to match"),
    CallOptional<TakeRebaseMerges>('r', "rebase-merges", "MODE", "make merges again: no-rebase-cousins, or rebase-cousins for those beside the upstream, too"),
    Call<TakeRebaseNoMerges>(0, "no-rebase-merges", nullptr, "leave them out (the default)"),
    Call<TakeRebasedRefs<true>>(0, "update-refs", nullptr, "move branches that are at one of the commits"),
    Call<TakeRebasedRefs<false>>(0, "no-update-refs", nullptr, "do not (the default)"),
    SigningOptions<RebaseOptions>()[0],
    SigningOptions<RebaseOptions>()[1],
    Call<TakeRebaseWay<false, true>>('i', "interactive", nullptr, "edit the list first"),
    Value<&RebaseOptions::empty>(0, "empty", "WHAT", "with commits that become empty: drop, keep or ask"),
    Flag<&RebaseOptions::keeps_empty>(0, "keep-empty", "keep those that are (the default)"),
    Flag<&RebaseOptions::drops_empty>(0, "no-keep-empty", "do not"),
    Flag<&RebaseOptions::autosquash>(0, "autosquash", "put fixup! and squash! commits behind theirs"),
    Flag<&RebaseOptions::no_autosquash>(0, "no-autosquash", "do not (the default)"),
    Flag<&RebaseOptions::autostash>(0, "autostash", "put local changes aside meanwhile"),
    Flag<&RebaseOptions::no_autostash>(0, "no-autostash", "do not (the default)"),
    Value<&RebaseOptions::commands>('x', "exec", "COMMAND", "run COMMAND after each commit"),
    Flag<&RebaseOptions::fork_point>(0, "fork-point", "leave out what the upstream once had (the default without an upstream operand)"),
    Flag<&RebaseOptions::no_fork_point>(0, "no-fork-point", "take the upstream as it is"),
    Flag<&RebaseOptions::ignores_space>(0, "ignore-whitespace", "let changes of blanks give way (-X ignore-space-change)"),
    Value<&RebaseOptions::strategy>('s', "strategy", "NAME", "ort, recursive or resolve"),
    Value<&RebaseOptions::strategy_options>('X', "strategy-option", "OPTION", "as of git merge"),
    Flag<&RebaseOptions::rerere>(0, "rerere-autoupdate", "put into the index what is resolved as before"),
    Flag<&RebaseOptions::no_rerere>(0, "no-rerere-autoupdate", "do not"),
    Flag<&RebaseOptions::root>(0, "root", "all commits, the first one, too"),
    Flag<&RebaseOptions::reschedules>(0, "reschedule-failed-exec", "run a command that failed again"),
    Flag<&RebaseOptions::no_reschedules>(0, "no-reschedule-failed-exec", "do not (the default)"),
    Flag<&RebaseOptions::reapplies>(0, "reapply-cherry-picks", "also commits that the upstream has, too"),
    Flag<&RebaseOptions::no_reapplies>(0, "no-reapply-cherry-picks", "not those (the default)"),
};

// Chooses merges or patches (`applies`). Errors: options of both ways at once.
Status ChooseRebaseWay(Git& git, RebaseOptions& options);

}  // namespace paddock::git
