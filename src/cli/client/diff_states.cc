#include "cli/client/diff_states.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/id.h"
#include "cli/cli.h"
#include "cli/client/subcommand.h"
#include "cli/present.h"

namespace paddock::cli {
namespace {

constexpr const char* kMostChanges = "10000";

struct StateDiffOptionValues {
  enum class Form { kPatch, kStat, kNames, kJson };
  LinkOptions link;   // first: the table begins with its options
  Form form = Form::kPatch;
};
using Form = StateDiffOptionValues::Form;

constexpr Option kOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Set<&StateDiffOptionValues::form, Form::kStat>(0, "stat", "how many lines each file gains and loses"),
    Set<&StateDiffOptionValues::form, Form::kNames>(0, "names", "one line a file: A added, M modified, D deleted, T other type"),
    Set<&StateDiffOptionValues::form, Form::kJson>('j', "json", "all that is known of each change, as JSON"),
};

// "dev:", "dev:/src", "snap_…".
struct StatePlace {
  std::string name, path;
};
std::optional<StatePlace> PlaceOf(const std::string& operand) {
  if (IsId(operand, "sbx_") || IsId(operand, "snap_")) return StatePlace{operand, ""};
  const size_t colon = operand.find(':');
  if (colon == std::string::npos || colon == 0 || operand.find('/') < colon || operand[0] == '.') return std::nullopt;
  return StatePlace{operand.substr(0, colon), operand.substr(colon + 1)};
}

struct State {
  std::string id, sandbox;     // of a snapshot: the sandbox that it was made of, if any
  std::string origin;          // of a sandbox: what it began as, "snap_…"
  bool is_snapshot = false;
};

Result<State> Find(Link& link, const std::string& name) {
  const auto sandbox = link.Get(SandboxPath(name));
  if (!sandbox && sandbox.error().code != Code::kNoEntry) return sandbox.error();
  const auto snapshot = link.Get("/v1/snapshots/" + EncodePercent(name));
  if (sandbox && snapshot) return Error(Code::kInvalid, "a sandbox and a snapshot are both called '" + name + "': write the id");
  if (sandbox) return State{.id = TextOf(sandbox->as_object(), "id"), .sandbox = {}, .origin = TextOf(sandbox->as_object(), "origin"), .is_snapshot = false};
  if (snapshot) return State{.id = TextOf(snapshot->as_object(), "id"), .sandbox = TextOf(snapshot->as_object(), "sandbox_id"), .origin = {}, .is_snapshot = true};
  if (snapshot.error().code != Code::kNoEntry) return snapshot.error();
  return Error(Code::kNoEntry, "no sandbox and no snapshot '" + name + "'");
}

// The newest snapshot of a sandbox, else the one that it began as.
Result<std::string> Before(Link& link, const State& sandbox, const std::string& name) {
  std::string newest = IsId(sandbox.origin, "snap_") ? sandbox.origin : std::string(), cursor;
  do {
    PADDOCK_ASSIGN(const json::value page, link.Get(SandboxPath(sandbox.id, "/snapshots?limit=1000") + (cursor.empty() ? "" : "&cursor=" + EncodePercent(cursor))));
    const json::array& list = page.at("snapshots").as_array();   // oldest first
    if (!list.empty()) newest = TextOf(list.back().as_object(), "id");
    cursor = TextOf(page.as_object(), "next");
  } while (!cursor.empty());
  if (newest.empty()) return Error(Code::kNoEntry, name + " has no snapshot to compare with; 'paddock snapshot create " + name + "' makes one");
  return newest;
}

// Added, removed, modified, of another type.
char LetterOf(const std::string& kind) { return kind == "added" ? 'A' : kind == "removed" ? 'D' : kind == "retyped" ? 'T' : 'M'; }

std::string NamesLine(const json::object& change) { return std::string(1, LetterOf(TextOf(change, "kind"))) + " " + Harmless(TextOf(change, "path")) + (TextOf(change, "type") == "directory" ? "/" : ""); }

// A line of a patch: as it is for a program, without what steers a terminal for a person.
std::string PatchLine(std::string_view line, bool is_terminal) {
  if (!is_terminal) return std::string(line);
  std::string shown;
  while (true) {
    const size_t tab = std::min(line.find('\t'), line.size());
    shown += Harmless(line.substr(0, tab));
    if (tab == line.size()) return shown;
    shown += '\t';
    line.remove_prefix(tab + 1);
  }
}

void PrintPatch(const json::object& change) {
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  const std::string kind = TextOf(change, "kind"), path = Harmless(TextOf(change, "path")), patch = TextOf(change, "patch");
  if (patch.empty()) {
    std::string note;
    if (TextOf(change, "mode_before") != TextOf(change, "mode_after") && kind == "modified") note = TextOf(change, "mode_before") + " -> " + TextOf(change, "mode_after");
    if (TextOf(change, "type") == "file") note += (note.empty() ? "" : ", ") + TextOf(change, "size_before") + " -> " + TextOf(change, "size_after") + " bytes";
    std::printf("%s%s\n", NamesLine(change).c_str(), note.empty() ? "" : (" (" + note + ")").c_str());
    return;
  }
  std::printf("--- %s\n+++ %s\n", kind == "added" ? "/dev/null" : ("a" + path).c_str(), kind == "removed" ? "/dev/null" : ("b" + path).c_str());
  for (std::string_view rest = patch; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::printf("%s\n", PatchLine(rest.substr(0, end), is_terminal).c_str());
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void PrintStat(const json::object& change) {
  const std::string patch = TextOf(change, "patch");
  if (patch.empty()) {
    if (TextOf(change, "type") == "file") std::printf(" %s | %s -> %s bytes\n", Harmless(TextOf(change, "path")).c_str(), TextOf(change, "size_before").c_str(), TextOf(change, "size_after").c_str());
    else std::printf(" %s | %s\n", Harmless(TextOf(change, "path")).c_str(), TextOf(change, "kind").c_str());
    return;
  }
  size_t added = 0, removed = 0;
  for (size_t at = 0; at < patch.size(); at = std::min(patch.find('\n', at), patch.size() - 1) + 1) {
    added += patch[at] == '+';
    removed += patch[at] == '-';
  }
  std::printf(" %s | +%zu -%zu\n", Harmless(TextOf(change, "path")).c_str(), added, removed);
}

// Whether there are changes.
Result<bool> Diff(const StateDiffOptionValues& options, const std::vector<StatePlace>& places) {
  PADDOCK_ASSIGN(Link link, Link::Open(options.link));
  PADDOCK_ASSIGN(State from, Find(link, places[0].name));
  State to;
  if (places.size() == 2) {
    PADDOCK_ASSIGN(to, Find(link, places[1].name));
    if (!from.is_snapshot) return Error(Code::kInvalid, places[0].name + " is a sandbox: the first of two is a snapshot, the second what became of it; 'paddock snapshot create' makes one");
  } else if (from.is_snapshot) {
    if (from.sandbox.empty()) return Error(Code::kInvalid, places[0].name + " is of no sandbox that is there: name what to compare with, too");
    to.id = from.sandbox;
  } else {
    to = from;
    PADDOCK_ASSIGN(from.id, Before(link, to, places[0].name));
  }
  std::string target = "/v1/snapshots/" + EncodePercent(from.id) + "/diff?limit=" + kMostChanges + (to.is_snapshot ? "&to=" : "&sandbox=") + EncodePercent(to.id);
  const std::string& path = !places.back().path.empty() ? places.back().path : places[0].path;
  if (!path.empty()) target += "&path=" + EncodePercent(path);
  if (options.form == Form::kPatch || options.form == Form::kStat) target += "&patch=true";
  PADDOCK_ASSIGN(const json::value answer, link.Get(target));
  const json::array& changes = answer.at("changes").as_array();
  if (options.form == Form::kJson) std::fputs(Indented(answer).c_str(), stdout);
  for (const json::value& value : changes) {
    const json::object& change = value.as_object();
    switch (options.form) {
      case Form::kPatch: PrintPatch(change); break;
      case Form::kStat: PrintStat(change); break;
      case Form::kNames: std::printf("%s\n", NamesLine(change).c_str()); break;
      case Form::kJson: break;
    }
  }
  if (!answer.at("is_complete").as_bool()) std::fprintf(stderr, "paddock diff: there are more than %s changes\n", kMostChanges);
  return !changes.empty();
}

}  // namespace

std::optional<int> RunStateDiff(std::span<const std::string> args) {
  std::vector<std::string> own = {"diff"};
  own.insert(own.end(), args.begin(), args.end());
  StateDiffOptionValues options;
  const auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed || parsed->wants_help) return std::nullopt;
  std::vector<StatePlace> places;
  for (const std::string& operand : parsed->operands) {
    if (auto place = PlaceOf(operand)) places.push_back(std::move(*place));
  }
  if (places.empty()) return std::nullopt;
  if (places.size() != parsed->operands.size()) return Fail("diff", "a sandbox or a snapshot is 'NAME:', a path of the workspace './NAME'; not both at once");
  if (places.size() > 2) return Fail("diff", "takes one or two of SANDBOX: and SNAPSHOT:");
  bool has_changes = false;
  const int failed = EndSubcommand("diff", [&]() -> Status {
    PADDOCK_ASSIGN(has_changes, Diff(options, places));
    return {};
  });
  return failed != 0 ? 2 : has_changes ? 1 : 0;
}

}  // namespace paddock::cli
