#include "cli/overlay_view.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "cli/host_context.h"
#include "overlay/bases.h"
#include "overlay/diff_text.h"
#include "policy/context.h"
#include "policy/preset.h"

namespace paddock::cli {
namespace {

std::string CurrentDirectory() {
  const std::unique_ptr<char, decltype(&std::free)> current(getcwd(nullptr, 0), &std::free);
  return current == nullptr ? std::string() : current.get();
}

}  // namespace

Result<std::optional<FoundOverlay>> FindOverlay(const OverlayOptions& options, overlay::Store::Access access) {
  PADDOCK_ASSIGN(const policy::HostContext context, MakeHostContext(options.workspace));
  const std::string state = StateDirectory();
  if (state.empty()) return Error(Code::kInvalid, "no place where overlays could be: set HOME or XDG_STATE_HOME");
  PADDOCK_ASSIGN(overlay::Store store, overlay::Store::Open(state));
  std::string workspace = context.workspace;
  while (true) {
    PADDOCK_ASSIGN(std::optional<overlay::Overlay> found, store.Find(workspace, options.name, access));
    if (found) return std::optional<FoundOverlay>(FoundOverlay{std::move(store), std::move(*found)});
    const size_t slash = workspace.rfind('/');
    if (!options.workspace.empty() || slash == 0 || slash == std::string::npos) return std::optional<FoundOverlay>();
    workspace.resize(slash);
  }
}

Result<std::optional<OverlayView>> OpenOverlay(const OverlayOptions& options, overlay::Store::Access access) {
  PADDOCK_ASSIGN(std::optional<FoundOverlay> found, FindOverlay(options, access));
  if (!found) return std::optional<OverlayView>();
  if (found->overlay.is_locked()) PADDOCK_TRY(overlay::Settle(found->overlay));
  PADDOCK_ASSIGN(Descriptor below, found->overlay.OpenWorkspace());
  PADDOCK_ASSIGN(Descriptor upper, found->overlay.OpenUpper());
  return std::optional<OverlayView>(OverlayView{std::move(found->store), std::move(found->overlay), std::move(below), std::move(upper)});
}

Result<std::vector<overlay::Change>> ReadChanges(const OverlayView& view) {
  PADDOCK_ASSIGN(const overlay::Bases bases, overlay::Bases::Load(view.overlay));
  PADDOCK_ASSIGN(std::vector<overlay::Change> changes, overlay::FindChanges(view.workspace.get(), view.upper.get(), &bases));
  std::vector<std::string> names = policy::DefaultProtectedNames();
  names.insert(names.end(), view.overlay.info().protected_names.begin(), view.overlay.info().protected_names.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  overlay::MarkProtected(names, changes);
  overlay::MarkRenames(view.workspace.get(), view.upper.get(), changes);
  return changes;
}

Result<std::vector<std::string>> WorkspacePaths(const OverlayView& view, const std::vector<std::string>& operands) {
  const std::string& workspace = view.overlay.info().workspace;
  const std::string current = CurrentDirectory();
  const std::string base = policy::IsWithin(current, workspace) ? current : workspace;
  std::vector<std::string> paths;
  for (const std::string& operand : operands) {
    PADDOCK_ASSIGN(const std::string path, policy::NormalPath(operand.starts_with('/') ? operand : base + "/" + operand));
    if (!policy::IsWithin(path, workspace)) return Error(Code::kInvalid, overlay::Shown(operand) + " is outside the workspace " + overlay::Shown(workspace));
    paths.push_back(path.size() == workspace.size() ? std::string() : path.substr(workspace == "/" ? 1 : workspace.size() + 1));
  }
  return paths;
}

std::string ChangeLine(const overlay::Change& change) {
  const bool is_directory = change.after.is_directory() || (!change.after.exists() && change.before.is_directory());
  std::string line(1, overlay::LetterOf(change.kind));
  line += " " + overlay::Shown(change.path + (is_directory ? "/" : ""));
  if (!change.renamed.empty() && change.after.exists()) line += " (was " + overlay::Shown(change.renamed) + ")";
  if (const std::string notes = overlay::NotesOf(change); !notes.empty()) line += " (" + notes + ")";
  return line;
}

bool Confirm(const std::string& question) {
  std::fprintf(stderr, "%s [y/N] ", question.c_str());
  std::fflush(stderr);
  std::string answer;
  char byte = 0;
  while (answer.size() < 16 && read(0, &byte, 1) == 1 && byte != '\n') answer += byte;
  return answer == "y" || answer == "Y" || answer == "yes";
}

std::string Counted(size_t count, const char* singular, const char* plural) {
  return std::to_string(count) + " " + (count == 1 ? singular : plural);
}

}  // namespace paddock::cli
