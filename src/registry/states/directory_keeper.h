// DirectoryKeeper: keeps a sandbox whose files lie on the host: a workspace and a home in its own directory, and what it changed of its
// template's files, shown behind a wall that is built anew each time. What was written there is there, whatever happens to the daemon;
// processes are not.
//
//   workspace/, home/        shown inside
//   creation                 id of the tree that it began as; absent: it began empty
//   base                     id of the template's tree; empty or absent: the host's own programs are shown
//   root/upper, root/work    what differs from it, as overlayfs keeps that
//   ready/                   another state, which takes the place of this one; a crash in the midst of that is gone on from
//   next/                    one that is not whole yet
#pragma once

#include <string>

#include "registry/entry/description.h"
#include "registry/states/keeper.h"
#include "registry/states/saved_state.h"
#include "registry/states/templates.h"
#include "registry/states/unpacked_templates.h"

namespace paddock::registry {

class DirectoryKeeper final : public Keeper, public KeepsStates {
 public:
  // `driver` outlives the keeper; `directory` is the sandbox's own. Without `unpacked` no states are kept, and none is begun with.
  // kInvalid: what such a sandbox cannot have.
  static Result<std::unique_ptr<Keeper>> Make(sandbox::Driver& driver, const SandboxInfo& info, std::string directory,
                                              std::shared_ptr<UnpackedTemplates> unpacked = nullptr);
  // What such a sandbox begins as from a template.
  static Result<SavedState> Begin(trees::Session& session, const TemplateInfo& info);

  Result<std::unique_ptr<sandbox::Sandbox>> Load() override;
  Status Keep(sandbox::Sandbox&) override { return {}; }
  Status Remove() override;

  bool needs_live() const override { return false; }
  Result<SavedState> Capture(sandbox::Sandbox* live, trees::Session& session) override;
  Status Become(const SavedState& state) override;
  Result<std::shared_ptr<const void>> Share(const SavedState& state) override;
  Result<trees::ObjectId> CaptureCreation(trees::Session& session) override;
  Result<std::vector<trees::ObjectId>> Trees() override;

 private:
  DirectoryKeeper(sandbox::Driver& driver, sandbox::SandboxSpec spec, std::string directory, std::shared_ptr<UnpackedTemplates> unpacked)
      : driver_(driver), spec_(std::move(spec)), directory_(std::move(directory)), unpacked_(std::move(unpacked)) {}
  Result<UnpackedTemplates*> unpacked() const;
  // Ends what a crash broke off, and makes what is missing.
  Status Settle();
  Status TakeReady(const Descriptor& own);
  // The id in a file of the directory; none: it is absent, or empty.
  Result<std::optional<trees::ObjectId>> ReadId(const char* name) const;
  Result<std::optional<trees::ObjectId>> ReadBase() const { return ReadId("base"); }

  sandbox::Driver& driver_;
  const sandbox::SandboxSpec spec_;
  const std::string directory_;
  const std::shared_ptr<UnpackedTemplates> unpacked_;
  std::shared_ptr<const std::string> root_;   // the template's files, while the sandbox is in memory or may be
};

}  // namespace paddock::registry
