// paddock diff: what an overlay would change in its workspace.

#include <unistd.h>

#include <boost/json.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "cli/base64.h"
#include "cli/cli.h"
#include "cli/client/diff_states.h"
#include "cli/client/link.h"
#include "cli/foreground.h"
#include "cli/host_context.h"
#include "cli/overlay_view.h"
#include "cli/sandbox_options.h"
#include "overlay/apply.h"
#include "overlay/diff_text.h"
#include "text/utf8.h"

namespace paddock::cli {
namespace {

using overlay::Change;

struct DiffOptions : OverlayOptions {
  enum class Form { kPatch, kStat, kNames, kJson };
  Form form = Form::kPatch;
  bool lists = false;
};

constexpr Option kOwnOptions[] = {
    Set<&DiffOptions::form, DiffOptions::Form::kStat>(0, "stat", "how many lines each file gains and loses"),
    Set<&DiffOptions::form, DiffOptions::Form::kNames>(0, "names", "one line a file: A added, M modified, D deleted, T other type"),
    Set<&DiffOptions::form, DiffOptions::Form::kJson>('j', "json", "all that is known of each change, as JSON"),
    Flag<&DiffOptions::lists>('l', "list", "list the overlays of all workspaces instead"),
};
constexpr auto kOptions = JoinOptions(kOverlayOptions, kOwnOptions);

constexpr const char* kHelp =
    "Usage: paddock diff [OPTION]... [PATH]...\n"
    "  or:  paddock diff [OPTION]... SANDBOX:[PATH]\n"
    "  or:  paddock diff [OPTION]... SNAPSHOT:[PATH] [OTHER:]\n"
    "Shows what runs with --overlay have changed in a workspace, as a patch; 'paddock apply'\n"
    "carries it over, 'paddock discard' throws it away. With PATHs, only what is there or below.\n"
    "\n"
    "With a colon, what changed on a daemon: in a sandbox since its last snapshot (or since the one that it began as); from a\n"
    "snapshot to its sandbox as it is now, or to another sandbox or snapshot. The options -w, --overlay-name and -l are an overlay's,\n"
    "--server, --key-file and --ca-file a daemon's. A PATH with a colon is written ./a:b.\n\n";

constexpr const char* kHelpEnd = "\nExit status: 0 when there are no changes, 1 when there are, 2 for trouble.\n";

bool WantsColor() {
  const char* refused = std::getenv("NO_COLOR");   // allow(getenv): the terminal is the caller's
  const char* terminal = std::getenv("TERM");      // allow(getenv): the terminal is the caller's
  return isatty(1) == 1 && (refused == nullptr || *refused == '\0') && terminal != nullptr && std::string_view(terminal) != "dumb";
}

bool HasChildren(const std::vector<Change>& changes, size_t i) {
  const std::string below = changes[i].path + "/";
  const auto at = std::lower_bound(changes.begin() + static_cast<std::ptrdiff_t>(i), changes.end(), below,
                                   [](const Change& change, const std::string& path) { return change.path < path; });
  return at != changes.end() && at->path.starts_with(below);
}

void PrintPatch(const OverlayView& view, const std::vector<Change>& changes) {
  const overlay::DiffStyle style{.is_terminal = isatty(1) == 1, .has_color = WantsColor()};
  for (size_t i = 0; i < changes.size(); ++i) {
    WriteAll(1, overlay::PatchOf(view.workspace.get(), view.upper.get(), changes[i], HasChildren(changes, i), style));
  }
}

void PrintStat(const OverlayView& view, const std::vector<Change>& changes) {
  uint64_t added = 0, removed = 0;
  size_t files = 0;
  for (const Change& change : changes) {
    const bool is_directory = change.before.is_directory() || change.after.is_directory();
    if (is_directory && change.kind != Change::Kind::kType && change.refusal.empty()) continue;
    ++files;
    std::string line = " " + ChangeLine(change).substr(2) + " | ";
    if (const auto counts = overlay::CountLines(view.workspace.get(), view.upper.get(), change)) {
      added += counts->added;
      removed += counts->removed;
      line += "+" + std::to_string(counts->added) + " -" + std::to_string(counts->removed);
    } else {
      line += change.refusal.empty() ? "binary, " + std::to_string(change.before.size) + " -> " + std::to_string(change.after.size) + " bytes" : "refused";
    }
    WriteAll(1, line + "\n");
  }
  WriteAll(1, " " + Counted(files, "file", "files") + " changed, +" + std::to_string(added) + " -" + std::to_string(removed) + "\n");
}

boost::json::object ToJson(const Change& change) {
  boost::json::object object;
  const auto put_path = [&object](const char* name, const std::string& path) {
    if (IsValidUtf8(path)) object[name] = path;
    else object[std::string(name) + "_base64"] = EncodeBase64(path);
  };
  put_path("path", change.path);
  static constexpr std::array kKinds{"added", "modified", "deleted", "mode", "type"};
  object["change"] = kKinds.at(static_cast<size_t>(change.kind));
  const auto put_side = [&object](const char* name, const overlay::FileFacts& facts) {
    if (!facts.exists()) {
      object[name] = nullptr;
      return;
    }
    std::array<char, 8> mode{};
    std::snprintf(mode.data(), mode.size(), "%04o", facts.mode & 07777);
    object[name] = {{"type", overlay::TypeName(facts.type)}, {"mode", mode.data()}, {"size", facts.size}};
  };
  put_side("before", change.before);
  put_side("after", change.after);
  if (!change.renamed.empty()) put_path(change.after.exists() ? "renamed_from" : "renamed_to", change.renamed);
  const auto put_note = [&object](const char* name, const std::string& text) {
    object[name] = text.empty() ? boost::json::value(nullptr) : boost::json::value(text);
  };
  put_note("refused", change.refusal);
  put_note("conflict", change.conflict);
  put_note("protected", change.protected_name);
  return object;
}

void PrintJson(const OverlayView* view, const std::vector<Change>& changes) {
  boost::json::object object;
  if (view != nullptr) object["workspace"] = overlay::Shown(view->overlay.info().workspace);
  boost::json::array list;
  for (const Change& change : changes) list.push_back(ToJson(change));
  object["changes"] = std::move(list);
  WriteAll(1, boost::json::serialize(object) + "\n");
}

int PrintList(bool is_json) {
  const std::string state = StateDirectory();
  if (state.empty()) return Fail("diff", "no place where overlays could be: set HOME or XDG_STATE_HOME");
  const auto store = overlay::Store::Open(state);
  if (!store) return Fail("diff", store.error().Text());
  const auto all = store->List();
  if (!all) return Fail("diff", all.error().Text());
  boost::json::array list;
  for (const overlay::OverlayInfo& info : *all) {
    const std::time_t created = std::chrono::duration_cast<std::chrono::seconds>(info.created).count();
    std::tm parts{};
    gmtime_r(&created, &parts);
    std::array<char, 32> when{};
    std::strftime(when.data(), when.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    list.push_back({{"workspace", overlay::Shown(info.workspace)}, {"name", info.name}, {"created_at", when.data()}, {"policy", overlay::Shown(info.policy)}});
    if (!is_json) WriteAll(1, overlay::Shown(info.workspace) + "  " + info.name + "  since " + when.data() + "  policy " + overlay::Shown(info.policy) + "\n");
  }
  if (is_json) WriteAll(1, boost::json::serialize(list) + "\n");
  return all->empty() ? 0 : 1;
}

}  // namespace

int RunDiff(const sandbox::DriverSet&, std::span<const std::string> args) {
  std::vector<std::string> own = {"diff"};
  own.insert(own.end(), args.begin(), args.end());
  if (const auto status = RunStateDiff(args)) return *status;
  DiffOptions options;
  const auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed) return Fail("diff", std::string(parsed.error().Text()) + "; 'paddock diff --help' lists the options");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions) + OptionHelp(kLinkOptions) + kHelpEnd).c_str(), stdout);
    return 0;
  }
  if (options.lists) return parsed->operands.empty() ? PrintList(options.form == DiffOptions::Form::kJson) : Fail("diff", "--list takes no PATH");
  const auto view = OpenOverlay(options, overlay::Store::Access::kLook);
  if (!view) return Fail("diff", view.error().Text());
  if (!view->has_value()) {
    if (options.form == DiffOptions::Form::kJson) PrintJson(nullptr, {});
    return 0;
  }
  if (!(*view)->overlay.is_locked()) std::fputs("paddock diff: a run is still at work in this overlay\n", stderr);
  const auto paths = WorkspacePaths(**view, parsed->operands);
  if (!paths) return Fail("diff", paths.error().Text());
  auto changes = ReadChanges(**view);
  if (!changes) return Fail("diff", changes.error().Text());
  std::erase_if(*changes, [&](const Change& change) { return !overlay::IsSelected(change, *paths); });
  switch (options.form) {
    case DiffOptions::Form::kPatch: PrintPatch(**view, *changes); break;
    case DiffOptions::Form::kStat: PrintStat(**view, *changes); break;
    case DiffOptions::Form::kNames:
      for (const Change& change : *changes) WriteAll(1, ChangeLine(change) + "\n");
      break;
    case DiffOptions::Form::kJson: PrintJson(&**view, *changes); break;
  }
  return changes->empty() ? 0 : 1;
}

}  // namespace paddock::cli
