// Whether a rebase goes by merges or by patches.
#include "commands/git/merge/rebase_options.h"

#include <algorithm>

namespace paddock::git {

Status ChooseRebaseWay(Git& git, RebaseOptions& options) {
  const std::string& blanks = options.whitespace.value_or("");
  if (options.whitespace) {
    static constexpr std::string_view kActions[] = {"warn", "nowarn", "error", "error-all", "fix", "strip"};
    if (std::find(std::begin(kActions), std::end(kActions), blanks) == std::end(kActions)) return Error(Code::kInvalid, "Invalid whitespace option: '" + blanks + "'");
  }
  // What only one of the two ways has.
  static constexpr const char* kBoth = "apply options and merge options cannot be used together";
  const bool has_patch_options = options.whitespace || options.least_context;
  const auto needs_merges = [&](bool is_asked, const std::string& option) -> Status {
    if (is_asked && options.applies) return Error(Code::kInvalid, option + " requires the merge backend");
    if (is_asked && has_patch_options) return Error(Code::kInvalid, kBoth);
    return {};
  };
  if (options.applies && (!options.strategy.empty() || !options.strategy_options.empty())) return Error(Code::kInvalid, "--strategy requires --merge or --interactive");
  PADDOCK_TRY(needs_merges(!options.empty.empty(), "--empty"));
  PADDOCK_TRY(needs_merges(options.reapplies || options.no_reapplies, "--reapply-cherry-picks"));
  PADDOCK_TRY(needs_merges(options.keeps_empty || options.drops_empty, "--keep-empty"));
  PADDOCK_TRY(needs_merges(!options.commands.empty(), "--exec"));
  PADDOCK_TRY(needs_merges(options.merges.has_value(), "--rebase-merges"));
  PADDOCK_TRY(needs_merges(options.root && options.onto.empty(), "--root without --onto"));
  const bool wants_merges = options.merge || options.interactive || options.merges || !options.commands.empty() || !options.empty.empty() || options.keeps_empty || options.drops_empty || options.reapplies || options.no_reapplies ||
                            !options.strategy.empty() || !options.strategy_options.empty() || (options.root && options.onto.empty());
  if (has_patch_options && wants_merges) return Error(Code::kInvalid, kBoth);
  if (options.reschedules && options.applies && options.commands.empty() && !options.interactive) return Error(Code::kInvalid, "--reschedule-failed-exec requires --exec or --interactive");
  options.applies = options.applies || has_patch_options || (!wants_merges && git.config.Get("rebase.backend", "merge") == "apply");
  return {};
}

}  // namespace paddock::git
