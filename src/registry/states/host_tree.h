// Directories of the host that a sandbox filled become a tree of the store, and files again.
//
// What is kept: names of any bytes, types, modes, times, contents with their holes, hard links within all parts, FIFOs, the whiteouts of
// overlays, extended attributes "user.*" of files and directories (in a file of the tree's root, "attributes"). What is not: sockets,
// owners (all belong to one user), set-user-id and set-group-id bits.
//
// Whoever fills the directories may be hostile, and may go on while they are read: everything is reached by descriptor, and no symbolic
// link is followed. A state that is restored may come from outside and is believed in nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "store/trees/capture.h"
#include "store/trees/store.h"

namespace paddock::registry {

struct HostPart {
  std::string name;    // in the tree's root
  int directory = -1;  // open; stays the caller's
};

struct HostTreeLimits {
  uint64_t max_entries = 2'000'000;
  uint64_t max_bytes = 256ull << 30;             // of contents, holes not counted
  uint64_t max_attribute_bytes = 16 << 20;
  uint32_t user = 1000;                          // of everything, in the tree
};

// Durable in the store when it returns. A file that changes meanwhile is kept as it is read. Errors: with the path, kLimit, kNameTooLong
// for what lies deeper than 4,000 bytes, those of the host and of the store.
Result<trees::Captured> CaptureHost(trees::Session& session, std::span<const HostPart> parts, const HostTreeLimits& limits = {});

// Makes the directories `parts` of the tree in `directory`, where nothing of those names is. A part that the tree lacks is made empty.
// Errors: kSyntax for a tree that CaptureHost() does not make; kNoSpace …; what was made stays then.
Status RestoreHost(trees::Store& store, const trees::ObjectId& tree, int directory, std::span<const std::string> parts, const HostTreeLimits& limits = {});

// The files of a tree in `directory`, for sandboxes to look at: devices, FIFOs and sockets are left out.
Status UnpackHost(trees::Store& store, const trees::ObjectId& tree, int directory, const HostTreeLimits& limits = {});

}  // namespace paddock::registry
