#include "drivers/process/overlay_session.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "overlay/bases.h"
#include "policy/context.h"

namespace paddock::process_wall {
namespace {

std::chrono::nanoseconds Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// Whether code inside could make the directory itself.
bool MayMake(const policy::FileRules& files, const std::string& directory) {
  const bool is_in_workspace = !files.workspace.empty() && policy::IsWithin(directory, files.workspace) &&
                               files.workspace_mode != policy::WorkspaceMode::kReadOnly;
  return is_in_workspace || std::any_of(files.paths.begin(), files.paths.end(), [&](const policy::PathRule& rule) {
           return rule.access == policy::Access::kWrite && policy::IsWithin(directory, rule.path);
         });
}

}  // namespace

Result<std::unique_ptr<OverlaySession>> OverlaySession::Begin(const sandbox::SandboxSpec& spec, PlanContext& context) {
  const policy::FileRules& files = spec.policy->files;
  const bool is_overlay = files.workspace_mode == policy::WorkspaceMode::kOverlay && !files.workspace.empty();
  if (spec.state_directory.empty()) {
    if (!is_overlay) return std::unique_ptr<OverlaySession>();
    return Error(Code::kInvalid, "no place to keep an overlay: set HOME or XDG_STATE_HOME");
  }
  const std::string own = overlay::PrivateDirectory(spec.state_directory);
  std::unique_ptr<OverlaySession> session;
  if (is_overlay || MayMake(files, own)) {
    PADDOCK_ASSIGN(const overlay::Store store, overlay::Store::Open(spec.state_directory));
    if (is_overlay) {
      PADDOCK_ASSIGN(overlay::Overlay overlay, store.Begin(files.workspace, spec.overlay_name));
      PADDOCK_TRY(overlay::Settle(overlay));   // of a run that was killed
      PADDOCK_TRY(overlay.BeginRun(spec.policy->name, files.protected_names, Now(CLOCK_REALTIME)));
      session.reset(new OverlaySession(std::move(overlay)));   // allow(raw-new): private constructor
      context.overlay_directory = session->overlay_.tree_path();
    }
  }
  std::array<char, PATH_MAX> resolved{};
  if (realpath(own.c_str(), resolved.data()) != nullptr) context.private_directory = resolved.data();
  return session;
}

Status OverlaySession::NoteWall(pid_t wall) {
  while (Now(CLOCK_REALTIME_COARSE) <= overlay_.info().run_began) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return overlay_.NoteWall(wall);
}

Result<DiskWatch::Tree> OverlaySession::WatchedTree() {
  PADDOCK_ASSIGN(Descriptor upper, overlay_.OpenUpper());
  return DiskWatch::Tree{.directory = std::move(upper), .is_overlay = true};
}

void OverlaySession::End() {
  // Where this fails the next command that looks at the overlay does it, with less certainty about what came first.
  const Status settled = overlay::Settle(overlay_);
  (void)settled;
}

}  // namespace paddock::process_wall
