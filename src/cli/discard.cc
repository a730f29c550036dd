// paddock discard: throws an overlay away.

#include <unistd.h>

#include <cstdio>

#include "cli/cli.h"
#include "cli/overlay_view.h"
#include "cli/sandbox_options.h"

namespace paddock::cli {
namespace {

struct DiscardOptions : OverlayOptions {
  bool says_yes = false;
};

constexpr Option kOwnOptions[] = {
    Flag<&DiscardOptions::says_yes>('y', "yes", "do not ask"),
};
constexpr auto kOptions = JoinOptions(kOverlayOptions, kOwnOptions);

constexpr const char* kHelp =
    "Usage: paddock discard [OPTION]...\n"
    "Throws away what runs with --overlay have changed in a workspace. Asks first; without a\n"
    "terminal it takes --yes.\n\n";

constexpr const char* kHelpEnd = "\nExit status: 0 when the overlay is gone (or there was none), 1 when you said no, 2 for trouble.\n";

}  // namespace

int RunDiscard(const sandbox::DriverSet&, std::span<const std::string> args) {
  std::vector<std::string> own = {"discard"};
  own.insert(own.end(), args.begin(), args.end());
  DiscardOptions options;
  const auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed) return Fail("discard", std::string(parsed.error().Text()) + "; 'paddock discard --help' lists the options");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions) + kHelpEnd).c_str(), stdout);
    return 0;
  }
  if (!parsed->operands.empty()) return Fail("discard", "the whole overlay is thrown away; a PATH cannot be given");
  auto found = FindOverlay(options, overlay::Store::Access::kChange);
  if (!found) return Fail("discard", found.error().Text());
  if (!found->has_value()) {
    std::fputs("paddock discard: the workspace has no overlay\n", stderr);
    return 0;
  }
  if (!options.says_yes) {
    if (isatty(0) != 1) return Fail("discard", "nothing is thrown away without --yes where there is no terminal to ask on");
    if (!Confirm("Throw away all changes to " + overlay::Shown((*found)->overlay.info().workspace) + "?")) return 1;
  }
  if (const Status removed = (*found)->store.Remove(std::move((*found)->overlay)); !removed) return Fail("discard", removed.error().Text());
  return 0;
}

}  // namespace paddock::cli
