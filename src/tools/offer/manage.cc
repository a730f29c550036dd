// sandbox_manage: stop, start, remove, pause, resume, snapshot, extend.

#include "tools/offer/offer.h"
#include "tools/offer/sandbox_choice.h"

namespace paddock::tools {
namespace {

enum class Action { kStop, kStart, kRemove, kPause, kResume, kSnapshot, kExtend };
constexpr const char* kActions[] = {"stop", "start", "remove", "pause", "resume", "snapshot", "extend"};
std::span<const char* const> NamesOf(Action) { return kActions; }

struct Arguments {
  Action action = Action::kStop;
  std::optional<std::string> sandbox_id;
  bool force = false;
  std::optional<int64_t> minutes;
};
constexpr Field kArguments[] = {
    Required<&Arguments::action>("action",
                                 "stop: end its processes, keep its files. start: run it again. remove: delete it with its files. pause and resume: "
                                 "freeze and go on. snapshot: keep its files as they are now. extend: push back the time when it is given back."),
    Optional<&Arguments::sandbox_id>("sandbox_id", kSandboxIdWords, kSandboxIdRules),
    Optional<&Arguments::force>("force", "Remove it even while commands run in it."),
    Optional<&Arguments::minutes>("minutes", "For extend: how long from now on.", {.min = 1}),
};
std::span<const Field> FieldsOf(const Arguments*) { return kArguments; }

struct Output {
  std::string sandbox_id;
  Action action = Action::kStop;
  std::optional<SandboxState> state;
  std::optional<std::string> snapshot_id, lease_expires_at;
  std::string note;
};
constexpr Field kOutput[] = {
    Shown<&Output::sandbox_id>("sandbox_id", "The sandbox."),
    Shown<&Output::action>("action", "What was done."),
    Shown<&Output::state>("state", "Its state now; null when it is gone."),
    Shown<&Output::snapshot_id>("snapshot_id", "Of action snapshot."),
    Shown<&Output::lease_expires_at>("lease_expires_at", "When it will be given back; null: not by time."),
    Shown<&Output::note>("note", "What happened, in words."),
};
std::span<const Field> FieldsOf(const Output*) { return kOutput; }

ManageAction ToManage(Action action) {
  switch (action) {
    case Action::kStop: return ManageAction::kStop;
    case Action::kStart: return ManageAction::kStart;
    case Action::kRemove: return ManageAction::kRemove;
    case Action::kPause: return ManageAction::kPause;
    case Action::kResume: return ManageAction::kResume;
    case Action::kExtend:
    case Action::kSnapshot: break;
  }
  return ManageAction::kExtend;
}

Result<Answer<Output>> Run(CallContext& context, const Arguments& arguments) {
  const bool extends = arguments.action == Action::kExtend;
  if (extends && !arguments.minutes) return Error(Code::kInvalid, "missing argument 'minutes': action extend needs to know how long");
  if (!extends && arguments.minutes) return Error(Code::kInvalid, "minutes: is only for action extend");
  if (extends && *arguments.minutes > context.defaults.max_extend_minutes) {
    return Error(Code::kInvalid, "minutes: may be at most " + std::to_string(context.defaults.max_extend_minutes));
  }
  if (arguments.force && arguments.action != Action::kRemove) return Error(Code::kInvalid, "force: is only for action remove");
  auto chosen = ChooseSandbox(context, arguments.sandbox_id);
  if (!chosen && chosen.error().code == Code::kNoEntry && arguments.action == Action::kRemove && arguments.sandbox_id) {
    return Answer<Output>{.data = {.sandbox_id = *arguments.sandbox_id, .action = arguments.action, .note = "there is no such sandbox; nothing to remove"},
                          .text = "There is no such sandbox; nothing to remove."};
  }
  if (!chosen) return chosen.error();
  SandboxAccess& sandbox = **chosen;
  Answer<Output> answer;
  answer.data.action = arguments.action;
  answer.data.sandbox_id = sandbox.Inspect().id;
  if (arguments.action == Action::kSnapshot) {
    PADDOCK_ASSIGN(const SnapshotInfo snapshot, sandbox.Snapshot(""));
    answer.data.snapshot_id = snapshot.id;
    answer.data.note = "snapshot " + snapshot.id + " holds the files as they are now";
  } else {
    ManageRequest request{.action = ToManage(arguments.action), .force = arguments.force};
    if (arguments.minutes) request.minutes = std::chrono::minutes(*arguments.minutes);
    PADDOCK_ASSIGN(answer.data.note, sandbox.Manage(request));
  }
  if (arguments.action != Action::kRemove) {
    const SandboxInfo info = sandbox.Inspect();
    answer.data.state = info.state;
    if (info.lease_expires_at) answer.data.lease_expires_at = TimeText(*info.lease_expires_at);
  }
  answer.text = answer.data.note;
  return answer;
}

}  // namespace

const Tool kSandboxManage = DefineTool<Arguments, Output, Run>({
    .name = "sandbox_manage",
    .title = "Manage a sandbox",
    .description = "Stops, starts, pauses, resumes, snapshots, extends or removes a sandbox. Only remove loses files. Doing it twice does no harm.",
    .hints = {.is_destructive = true, .is_idempotent = true},
});

}  // namespace paddock::tools
