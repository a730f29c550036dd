// sandbox_list: the session's sandboxes.

#include "tools/offer/offer.h"
#include "tools/offer/sandbox_choice.h"

namespace paddock::tools {
namespace {

struct Arguments {
  bool all = true;
  std::optional<SandboxState> state;
};
constexpr Field kArguments[] = {
    Optional<&Arguments::all>("all", "Also those that are stopped, paused or dead."),
    Optional<&Arguments::state>("state", "Only those in this state."),
};
std::span<const Field> FieldsOf(const Arguments*) { return kArguments; }

struct Output {
  std::vector<ShownSandbox> sandboxes;
};
constexpr Field kOutput[] = {Shown<&Output::sandboxes>("sandboxes", "In order of creation.")};
std::span<const Field> FieldsOf(const Output*) { return kOutput; }

Result<Answer<Output>> Run(CallContext& context, const Arguments& arguments) {
  PADDOCK_ASSIGN(const std::vector<SandboxInfo> sandboxes, context.session.List());
  Answer<Output> answer;
  for (const SandboxInfo& info : sandboxes) {
    if (!arguments.all && info.state != SandboxState::kRunning) continue;
    if (arguments.state && info.state != *arguments.state) continue;
    answer.data.sandboxes.push_back(Show(info));
    const ShownSandbox& shown = answer.data.sandboxes.back();
    answer.text += "- " + shown.sandbox_id + " " + shown.name + " (" + NamesOf(shown.state)[static_cast<size_t>(shown.state)] + ")" +
                   (shown.title.empty() ? "" : ": " + shown.title) + "\n";
  }
  if (answer.text.empty()) answer.text = sandboxes.empty() ? "There is no sandbox in this session; sandbox_create makes one." : "No sandbox is in that state.";
  return answer;
}

}  // namespace

const Tool kSandboxList = DefineTool<Arguments, Output, Run>({
    .name = "sandbox_list",
    .title = "List sandboxes",
    .description = "Lists the sandboxes of this session with state, limits and times.",
    .hints = {.is_readonly = true, .is_idempotent = true},
});

}  // namespace paddock::tools
