// paddock apply: carries an overlay's changes over into its workspace.

#include <unistd.h>

#include <cstdio>

#include "cli/cli.h"
#include "cli/foreground.h"
#include "cli/overlay_view.h"
#include "cli/sandbox_options.h"
#include "overlay/apply.h"

namespace paddock::cli {
namespace {

using overlay::Change;

struct ApplyCommandOptions : OverlayOptions {
  bool is_dry_run = false;
  bool says_yes = false;
  bool is_forced = false;
  std::vector<std::string> included_protected;
};

constexpr Option kOwnOptions[] = {
    Flag<&ApplyCommandOptions::is_dry_run>('n', "dry-run", "only say what would be done"),
    Flag<&ApplyCommandOptions::says_yes>('y', "yes", "do not ask"),
    Flag<&ApplyCommandOptions::is_forced>('f', "force", "also where the workspace was changed meanwhile"),
    Value<&ApplyCommandOptions::included_protected>(0, "include-protected", "PATH", "also protected names at or below PATH; may be repeated"),
};
constexpr auto kOptions = JoinOptions(kOverlayOptions, kOwnOptions);

constexpr const char* kHelp =
    "Usage: paddock apply [OPTION]... [PATH]...\n"
    "Carries over what runs with --overlay have changed in a workspace; with PATHs, only what is\n"
    "there or below. Lists the changes and asks first; without a terminal it takes --yes.\n"
    "What is applied leaves the overlay; an overlay with nothing left is removed.\n\n";

constexpr const char* kHelpEnd =
    "\nNever applied: devices, fifos, sockets, set-id programs. Left out and told: protected names\n"
    "(see --include-protected) and files that the workspace has changed since (see --force).\n"
    "\nExit status: 0 when all was applied, 1 when something was left out or you said no, 2 for trouble.\n";

// The overlay without what was applied. True if that worked.
Status Tidy(OverlayView& view) {
  PADDOCK_ASSIGN(const std::vector<Change> remaining, ReadChanges(view));
  if (remaining.empty()) return view.store.Remove(std::move(view.overlay));
  return overlay::Prune(view.upper.get(), remaining);
}

}  // namespace

int RunApply(const sandbox::DriverSet&, std::span<const std::string> args) {
  std::vector<std::string> own = {"apply"};
  own.insert(own.end(), args.begin(), args.end());
  ApplyCommandOptions options;
  const auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed) return Fail("apply", std::string(parsed.error().Text()) + "; 'paddock apply --help' lists the options");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions) + kHelpEnd).c_str(), stdout);
    return 0;
  }
  auto view = OpenOverlay(options, options.is_dry_run ? overlay::Store::Access::kLook : overlay::Store::Access::kChange);
  if (!view) return Fail("apply", view.error().Text());
  if (!view->has_value()) {
    std::fputs("paddock apply: the workspace has no overlay\n", stderr);
    return 0;
  }
  overlay::ApplyOptions wanted{.is_forced = options.is_forced};
  auto paths = WorkspacePaths(**view, parsed->operands);
  if (!paths) return Fail("apply", paths.error().Text());
  wanted.paths = std::move(*paths);
  auto included = WorkspacePaths(**view, options.included_protected);
  if (!included) return Fail("apply", included.error().Text());
  wanted.included_protected = std::move(*included);
  const auto changes = ReadChanges(**view);
  if (!changes) return Fail("apply", changes.error().Text());
  const overlay::Selection selection = overlay::Select(*changes, wanted);

  for (const Change& change : selection.chosen) WriteAll(1, ChangeLine(change) + "\n");
  for (const auto& skipped : selection.skipped) {
    WriteAll(2, "paddock apply: left out: " + overlay::Shown(skipped.change.path) + ": " + skipped.reason + "\n");
  }
  const int left_out = selection.skipped.empty() ? 0 : 1;
  if (options.is_dry_run) return left_out;
  if (!selection.chosen.empty() && !options.says_yes) {
    if (isatty(0) != 1) return Fail("apply", "nothing is applied without --yes where there is no terminal to ask on");
    const std::string question = "Apply " + Counted(selection.chosen.size(), "change", "changes") + " to " + overlay::Shown((*view)->overlay.info().workspace) + "?";
    if (!Confirm(question)) return 1;
  }
  const overlay::ApplyReport report = overlay::Apply((*view)->workspace.get(), (*view)->upper.get(), selection.chosen, (*view)->overlay.info());
  if (!report.failures.empty()) {
    for (const auto& failure : report.failures) {
      WriteAll(2, "paddock apply: not applied: " + overlay::Shown(failure.path) + ": " + failure.reason + "\n");
    }
    WriteAll(2, "paddock apply: " + std::to_string(report.applied) + " of " + Counted(selection.chosen.size(), "change", "changes") +
                    " applied; the overlay still has them all\n");
    return report.is_cut_short ? 2 : 1;
  }
  if (const Status tidied = Tidy(**view); !tidied) {
    return Fail("apply", "all is applied, but the overlay cannot be tidied: " + std::string(tidied.error().Text()));
  }
  return left_out;
}

}  // namespace paddock::cli
