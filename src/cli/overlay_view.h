// What 'paddock diff', 'apply' and 'discard' have in common: finding a workspace's overlay and reading its changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "overlay/changes.h"
#include "overlay/store.h"

namespace paddock::cli {

struct OverlayOptions {
  std::string workspace;
  std::string name = overlay::kDefaultName;
};

inline constexpr Option kOverlayOptions[] = {
    Value<&OverlayOptions::workspace>('w', "workspace", "DIR", "the workspace (default: the current directory, or the closest one above it that has an overlay)"),
    Value<&OverlayOptions::name>(0, "overlay-name", "NAME", "the overlay of that name instead of the one without"),
};

struct FoundOverlay {
  overlay::Store store;
  overlay::Overlay overlay;
};

// The overlay as it is; nothing if the workspace has none. Errors: those of overlay::Store.
Result<std::optional<FoundOverlay>> FindOverlay(const OverlayOptions& options, overlay::Store::Access access);

// An overlay with both of its trees open.
struct OverlayView {
  overlay::Store store;
  overlay::Overlay overlay;
  Descriptor workspace;
  Descriptor upper;
};

// Nothing if the workspace has no overlay. Errors: those of overlay::Store.
Result<std::optional<OverlayView>> OpenOverlay(const OverlayOptions& options, overlay::Store::Access access);

// All changes, with conflicts, protected names and renames marked.
Result<std::vector<overlay::Change>> ReadChanges(const OverlayView& view);

// Operands as paths relative to the workspace. Relative ones start where the caller is, or else at the workspace. Errors:
// kInvalid for one outside.
Result<std::vector<std::string>> WorkspacePaths(const OverlayView& view, const std::vector<std::string>& operands);

// "A src/new.cc", "M …": one line of a listing, with what needs a second look in parentheses.
std::string ChangeLine(const overlay::Change& change);

// Asks on the terminal; true for yes.
bool Confirm(const std::string& question);

// "1 change", "2 changes".
std::string Counted(size_t count, const char* singular, const char* plural);

}  // namespace paddock::cli
