// ContainerKeeper: keeps a sandbox that stands outside this daemon and outlives it (sandbox::KeepsSandboxes): a container. What is kept here
// is the key that finds it; its files are where it is.
//
//   container     the key; written before the container is made, so that nothing is made that nobody finds again
//   begun         it was made whole: if it is gone, its files are lost; without this file it never had any
//   base          id of the tree that is the root it stands on; absent: it stands on an image of the wall's own
//   next          id of the tree that it is to become, and the root's behind a space: the next Load() makes another container with that, and
//                 takes the old one away
//   container.next   the key of that one, until it is whole
//   creation      id of the tree that it began as; absent: it began as the wall's own do
//
// States hold the workspace above the root (SavedState::base); where the wall has no workspace apart from its root (BeginsOnRoots::has_own_roots)
// the files are the base.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "registry/entry/description.h"
#include "registry/states/keeper.h"
#include "registry/states/saved_state.h"
#include "registry/states/templates.h"
#include "sandbox/begins_on_roots.h"
#include "sandbox/keeps_sandboxes.h"

namespace paddock::registry {

class ContainerKeeper final : public Keeper, public KeepsStates, public GivesRoots {
 public:
  // Whether a template is made of that tree: then what the wall made of it stays when no sandbox needs it.
  using IsTemplate = std::function<bool(const trees::ObjectId& tree)>;

  // `driver` outlives the keeper and keeps sandboxes; `directory` is the sandbox's own. kInvalid: what a container cannot have.
  static Result<std::unique_ptr<Keeper>> Make(sandbox::Driver& driver, const SandboxInfo& info, std::string directory, std::shared_ptr<trees::Store> store,
                                              IsTemplate is_template = {});
  // What a sandbox of that driver begins as from a template.
  static Result<SavedState> Begin(sandbox::Driver& driver, trees::Session& session, const TemplateInfo& info);
  // The name that the wall has for a root (sandbox::RootTree).
  static std::string RootName(const trees::ObjectId& tree);

  // What such a sandbox is made as.
  static sandbox::SandboxSpec SpecOf(const SandboxRequest& request);

  Result<std::unique_ptr<sandbox::Sandbox>> Load() override;
  Status Keep(sandbox::Sandbox&) override { return {}; }
  Status Remove() override;
  bool parks() const override { return false; }   // it would be stopped

  Result<SavedState> Capture(sandbox::Sandbox* live, trees::Session& session) override;
  Status Become(const SavedState& state) override;
  Result<std::shared_ptr<const void>> Share(const SavedState&) override { return std::shared_ptr<const void>(); }
  Result<trees::ObjectId> CaptureCreation(trees::Session& session) override;
  Result<std::vector<trees::ObjectId>> Trees() override;
  Result<CapturedRoot> CaptureRoot(sandbox::Sandbox* live, trees::Session& session, const trees::ArchiveLimits& limits) override;

  // The keys of all sandboxes whose directories lie in `sandboxes`, for KeepsSandboxes::Sweep(). Errors: the host's; then nothing may be swept.
  static Result<std::set<std::string>> Keys(const std::string& sandboxes);
  // The names of the roots that they stand on, or are to, for BeginsOnRoots::SweepRoots().
  static Result<std::set<std::string>> RootNames(const std::string& sandboxes);

 private:
  // What it is to become.
  struct Next {
    trees::ObjectId files;
    std::optional<trees::ObjectId> base;
  };
  ContainerKeeper(sandbox::Driver& driver, sandbox::SandboxSpec spec, sandbox::KeptOwner owner, std::string directory, std::shared_ptr<trees::Store> store, IsTemplate is_template);
  Result<std::unique_ptr<sandbox::Sandbox>> MakeWith(const Next& next);
  Result<std::unique_ptr<sandbox::Sandbox>> MakeNew(const std::optional<trees::ObjectId>& base, const std::function<Status(const std::string& key)>& remember);
  Result<bool> HasWorkspace(const Next& next) const;
  Status NoteBegun();
  Status NoteBase(const std::optional<trees::ObjectId>& base);
  // Of no use any more here.
  void DropRoot(const trees::ObjectId& tree);
  Result<std::optional<trees::ObjectId>> ReadId(const char* name) const;
  static Result<std::optional<Next>> ReadNext(const std::string& directory);
  bool has_own_root() const { return roots_ != nullptr && roots_->has_own_roots(); }

  sandbox::KeepsSandboxes& driver_;
  sandbox::BeginsOnRoots* const roots_;   // the driver; null: its sandboxes begin on no trees
  const sandbox::SandboxSpec spec_;
  const sandbox::KeptOwner owner_;
  const std::string directory_;
  const std::shared_ptr<trees::Store> store_;
  const IsTemplate is_template_;
};

}  // namespace paddock::registry
