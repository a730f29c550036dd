// What sandboxes move as tar archives (sandbox::MovesTrees, sandbox::PacksRoot), and trees of the store. Nothing is believed of an archive that
// comes. Archives stream: neither memory nor a file holds one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/stream.h"
#include "sandbox/begins_on_roots.h"
#include "sandbox/moves_trees.h"
#include "store/trees/capture.h"
#include "store/trees/layer_builder.h"
#include "store/trees/store.h"

namespace paddock::registry {

// Durable in the store when it returns. Errors: those of the sandbox, kSyntax, kLimit, those of the store.
Result<trees::Captured> CaptureWorkspace(trees::Session& session, sandbox::MovesTrees& sandbox);
// Takes the place of what is in the workspace.
Status RestoreWorkspace(trees::Store& store, const trees::ObjectId& tree, sandbox::MovesTrees& sandbox);

// A root file system.
struct RootToCapture {
  std::function<Status(const sandbox::TarSink& sink)> pack;
  std::vector<std::string> walls_own;         // as BeginsOnRoots::WallsOwn(): left out
  sandbox::MovesTrees* workspace = nullptr;   // what lies in the place of `workspace_path`; null: that is in the archive
  std::string workspace_path;                 // absolute
  trees::ArchiveLimits limits;                // of both together
};
Result<trees::Captured> CaptureRoot(trees::Session& session, const RootToCapture& root);

// A tree as a tar archive, written as it is read. Holds the store. Errors: those of the store.
std::unique_ptr<ByteSource> ExportedTree(std::shared_ptr<trees::Store> store, const trees::ObjectId& tree);

}  // namespace paddock::registry
