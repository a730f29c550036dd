#include "tools/adapt/openai.h"

#include <algorithm>

#include "text/repair_utf8.h"
#include "text/utf8.h"
#include "tools/adapt/place.h"
#include "tools/content/file_access.h"
#include "tools/content/numbered_lines.h"
#include "tools/content/v4a.h"
#include "tools/offer/run_command.h"
#include "tools/schema/parse_json.h"
#include "tools/schema/patterns.h"

namespace paddock::tools {
namespace {

constexpr int64_t kShellTime = 120'000;
constexpr int64_t kMostTime = 600'000;
constexpr size_t kShellOutput = 64 << 10;

std::string QuoteWord(std::string_view word) {
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') quoted += "'\\''";
    else quoted += c;
  }
  return quoted + "'";
}

// ---- shell

struct ShellAction {
  std::vector<std::string> commands;
  int64_t timeout_ms = kShellTime;
  std::optional<int64_t> max_output_length;
};
constexpr Field kShellAction[] = {
    Required<&ShellAction::commands>("commands", "Shell commands, run one after the other, each in a shell of its own.", {.max_length = kMaxCommandBytes, .max_items = 64}),
    Optional<&ShellAction::timeout_ms>("timeout_ms", "Of each.", {.min = 1, .max = kMostTime}),
    Optional<&ShellAction::max_output_length>("max_output_length", "Bytes of output of each.", {.min = 0, .max = 1 << 20}),
};
std::span<const Field> FieldsOf(const ShellAction*) { return kShellAction; }

json::object ExitOutcome(int64_t code) { return {{"type", "exit"}, {"exit_code", code}}; }

// A command's end in words that the shape has: a command that was stopped by a limit has no exit code, which stderr then says.
json::object RunOne(CallContext& context, SandboxAccess& place, const ExecRequest& request, size_t budget) {
  CommandStreams streams;
  const auto result = place.Exec(request, streams.Handler(context));
  if (!result) {
    const ToolResult failed = Fail(result.error(), context);
    return {{"stdout", ""}, {"stderr", failed.text}, {"outcome", ExitOutcome(126)}};
  }
  using Reason = sandbox::Termination::Reason;
  std::string err = CleanOutput(streams.err().Text());
  json::object outcome;
  if (result->termination.reason == Reason::kTimeout) {
    outcome = {{"type", "timeout"}};
  } else if (result->exit_code) {
    outcome = ExitOutcome(*result->exit_code);
  } else {
    outcome = ExitOutcome(result->termination.reason == Reason::kSignal ? 128 + result->termination.signal : 125);
    err += (err.empty() || err.ends_with('\n') ? "[" : "\n[") + EndText(*result) + "]\n";
  }
  const CutStreams cut = CutBoth(CleanOutput(streams.out().Text()), err, budget, "", "");
  return {{"stdout", cut.out}, {"stderr", cut.err}, {"outcome", std::move(outcome)}};
}

Result<json::object> Shell(CallContext& context, const Equipment& equipment, const json::value& given) {
  PADDOCK_ASSIGN(const ShellAction action, ReadAs<ShellAction>(given));
  for (const std::string& command : action.commands) {
    if (command.find('\0') != std::string::npos) return Error(Code::kInvalid, "commands: must not hold a NUL character");
  }
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> place, WorkingPlace(context, equipment));
  const size_t budget = action.max_output_length ? static_cast<size_t>(*action.max_output_length) : kShellOutput;
  json::array output;
  for (const std::string& command : action.commands) {
    const auto timeout = std::min(std::chrono::milliseconds(action.timeout_ms), context.defaults.max_exec_timeout);
    output.push_back(RunOne(context, *place, {.script = command, .timeout = timeout, .stop = context.stop}, budget));
  }
  json::object reply{{"type", "shell_call_output"}, {"output", std::move(output)}};
  if (action.max_output_length) reply["max_output_length"] = *action.max_output_length;
  return reply;
}

// ---- local_shell

struct LocalAction {
  std::string type;
  std::vector<std::string> command;
  std::map<std::string, std::string> env;
  int64_t timeout_ms = kShellTime;
  std::optional<std::string> user, working_directory;
};
constexpr Field kLocalAction[] = {
    Optional<&LocalAction::type>("type", "exec.", {.pattern = {"^(exec)?$", "must be \"exec\""}}),
    Required<&LocalAction::command>("command", "A program and its arguments.", {.max_length = kMaxCommandBytes, .max_items = 4096}),
    Optional<&LocalAction::env>("env", "More variables.", kEnvironmentRules),
    Optional<&LocalAction::timeout_ms>("timeout_ms", "After so long it is ended.", {.min = 1, .max = kMostTime}),
    Optional<&LocalAction::user>("user", "User inside, where the sandbox allows another than its own.", {.max_length = 32}),
    Optional<&LocalAction::working_directory>("working_directory", "Absolute path.", kPathRules),
};
std::span<const Field> FieldsOf(const LocalAction*) { return kLocalAction; }

// The API writes null for what is not set.
json::value WithoutNulls(const json::value& given) {
  if (!given.is_object()) return given;
  json::object kept;
  for (const auto& member : given.get_object()) {
    if (!member.value().is_null()) kept[member.key()] = member.value();
  }
  return kept;
}

Result<json::object> LocalShell(CallContext& context, const Equipment& equipment, const json::value& given) {
  PADDOCK_ASSIGN(const LocalAction action, ReadAs<LocalAction>(given));
  if (action.command.empty()) return Error(Code::kInvalid, "command: must not be empty");
  std::string script;
  for (const std::string& word : action.command) {
    if (word.find('\0') != std::string::npos) return Error(Code::kInvalid, "command: must not hold a NUL character");
    script += (script.empty() ? "" : " ") + QuoteWord(word);
  }
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> place, WorkingPlace(context, equipment));
  ExecRequest request{.script = std::move(script), .working_directory = action.working_directory.value_or(""), .environment = action.env, .user = action.user.value_or("")};
  request.timeout = std::min(std::chrono::milliseconds(action.timeout_ms), context.defaults.max_exec_timeout);
  request.stop = context.stop;
  PADDOCK_ASSIGN(const Answer<CommandOutput> answer, RunCommand(context, *place, request, OutputMode::kFull));
  return json::object{{"type", "local_shell_call_output"}, {"output", RepairUtf8(answer.text)}};
}

// ---- apply_patch

// A file of a patch, with what it was and what it becomes.
struct Planned {
  PatchOperation operation;
  std::string path, move_to;   // absolute
  std::string content;         // new; of all but deletions
  std::optional<uint32_t> mode;
};

// Paths of patches are relative to the working directory and stay below it; absolute ones are taken as they are.
Result<std::string> Locate(const std::string& path, const std::string& directory) {
  if (path.empty() || path.size() > 4096 || path.find('\0') != std::string::npos) return Error(Code::kInvalid, "the path is empty, too long, or holds a NUL character");
  if (path.ends_with('/')) return Error(Code::kInvalid, "the path '" + HarmlessLine(path) + "' ends in a slash");
  if (path.starts_with('/')) return vfs::NormalizePath(path);
  const std::string relative = vfs::NormalizePath(path);
  if (relative == ".." || relative.starts_with("../")) return Error(Code::kInvalid, "the path '" + HarmlessLine(path) + "' leads out of " + directory);
  return vfs::JoinPath(directory, relative);
}

class PatchPlan {
 public:
  PatchPlan(vfs::FileSystem& files, std::string directory) : files_(files), directory_(std::move(directory)) {}

  // Works out what becomes of each file and changes none.
  Status Add(PatchOperation operation) {
    Planned planned{.operation = operation, .path = {}, .move_to = {}, .content = {}, .mode = {}};
    PADDOCK_ASSIGN(planned.path, Locate(operation.path, directory_));
    for (const Planned& other : planned_) {
      if (other.path == planned.path) return Error(Code::kInvalid, HarmlessLine(operation.path) + " stands twice in the patch; put its changes together");
    }
    const auto found = files_.Stat(planned.path);
    switch (operation.kind) {
      case PatchOperation::Kind::kAdd: {
        if (found) return Error(Code::kExists, "cannot add " + HarmlessLine(operation.path) + ": it exists already; update it instead");
        auto content = CreateFromDiff(operation.diff);
        if (!content) return Within(operation, content.error());
        planned.content = std::move(*content);
        break;
      }
      case PatchOperation::Kind::kUpdate: {
        PADDOCK_ASSIGN(const std::string content, ReadRegularFile(files_, planned.path));
        if (IsBinary(content)) return Error(Code::kInvalid, HarmlessLine(operation.path) + " is a binary file");
        planned.mode = found ? found->mode & 0777 : 0644;
        const bool only_moves = operation.diff.find_first_not_of(" \n") == std::string::npos && !operation.move_to.empty();
        auto changed = only_moves ? Result<std::string>(content) : ApplyDiff(content, operation.diff);
        if (!changed) return Within(operation, changed.error());
        planned.content = std::move(*changed);
        if (!operation.move_to.empty()) {
          PADDOCK_ASSIGN(planned.move_to, Locate(operation.move_to, directory_));
          if (planned.move_to != planned.path && files_.Stat(planned.move_to)) return Error(Code::kExists, "cannot move to " + HarmlessLine(operation.move_to) + ": it exists already");
        }
        break;
      }
      case PatchOperation::Kind::kDelete:
        if (!found) return FileError(files_, found.error(), "delete", planned.path);
        if (found->is_directory()) return FileError(files_, Code::kIsDirectory, "delete", planned.path);
        break;
    }
    if (planned.content.size() > kMaxFileBytes) return Error(Code::kFileTooBig, HarmlessLine(operation.path) + " would be larger than " + std::to_string(kMaxFileBytes) + " bytes");
    for (const Planned& other : planned_) {
      const bool meets = other.move_to == planned.path || (!planned.move_to.empty() && (planned.move_to == other.path || planned.move_to == other.move_to));
      if (meets) return Error(Code::kInvalid, HarmlessLine(operation.path) + " and " + HarmlessLine(other.operation.path) + " of the patch meet at one path");
    }
    planned_.push_back(std::move(planned));
    return {};
  }

  // One line for each file. What fails half way says what was done before.
  Result<std::string> Carry() {
    std::string done;
    for (const Planned& planned : planned_) {
      if (const Status carried = CarryOne(planned); !carried) {
        return Error(carried.error().code, std::string(carried.error().Text()) + (done.empty() ? "" : "\nDone before that:\n" + done));
      }
      const char* const letter = planned.operation.kind == PatchOperation::Kind::kAdd ? "A " : planned.operation.kind == PatchOperation::Kind::kDelete ? "D " : "M ";
      done += letter + HarmlessLine(planned.operation.path) + (planned.operation.move_to.empty() ? "" : " -> " + HarmlessLine(planned.operation.move_to)) + "\n";
    }
    return done;
  }

 private:
  static Error Within(const PatchOperation& operation, const Error& error) { return Error(error.code, HarmlessLine(operation.path) + ": " + std::string(error.Text())); }

  Status CarryOne(const Planned& planned) {
    if (planned.operation.kind == PatchOperation::Kind::kDelete) {
      const Status removed = files_.RemoveFile(planned.path);
      return removed ? removed : Status(FileError(files_, removed.error(), "delete", planned.path));
    }
    const bool moves = !planned.move_to.empty() && planned.move_to != planned.path;
    PADDOCK_TRY(WriteRegularFile(files_, moves ? planned.move_to : planned.path, planned.content, {.mode = planned.mode}));
    if (moves) {
      if (const Status removed = files_.RemoveFile(planned.path); !removed) return FileError(files_, removed.error(), "move", planned.path);
    }
    return {};
  }

  vfs::FileSystem& files_;
  const std::string directory_;
  std::vector<Planned> planned_;
};

Result<std::string> CarryOut(CallContext& context, const Equipment& equipment, std::vector<PatchOperation> operations) {
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> place, WorkingPlace(context, equipment));
  std::string done;
  {
    PADDOCK_ASSIGN(const FileLease files, place->Files());
    PatchPlan plan(*files, place->Inspect().working_directory);
    for (PatchOperation& operation : operations) PADDOCK_TRY(plan.Add(std::move(operation)));
    PADDOCK_ASSIGN(done, plan.Carry());
  }
  PADDOCK_TRY(context.session.Settle());
  return done;
}

enum class OperationType { kCreate, kUpdate, kDelete };
constexpr const char* kOperationTypes[] = {"create_file", "update_file", "delete_file"};
std::span<const char* const> NamesOf(OperationType) { return kOperationTypes; }

struct Operation {
  OperationType type = OperationType::kUpdate;
  std::string path, diff;
  std::optional<std::string> move_to;
};
constexpr Field kOperation[] = {
    Required<&Operation::type>("type", "What to do."),
    Required<&Operation::path>("path", "Relative to the working directory, or absolute.", {.min_length = 1, .max_length = 4096}),
    Optional<&Operation::diff>("diff", "V4A.", {.max_length = 4 << 20}),
    Optional<&Operation::move_to>("move_to", "New path of an updated file.", {.min_length = 1, .max_length = 4096}),
};
std::span<const Field> FieldsOf(const Operation*) { return kOperation; }

json::object ApplyOne(CallContext& context, const Equipment& equipment, const json::value& given) {
  json::object reply{{"type", "apply_patch_call_output"}, {"status", "failed"}};
  const auto operation = ReadAs<Operation>(WithoutNulls(given));
  if (!operation) {
    reply["output"] = Fail(operation.error(), context).text;
    return reply;
  }
  PatchOperation patch{.path = operation->path, .move_to = operation->move_to.value_or(""), .diff = operation->diff};
  patch.kind = operation->type == OperationType::kCreate ? PatchOperation::Kind::kAdd : operation->type == OperationType::kDelete ? PatchOperation::Kind::kDelete : PatchOperation::Kind::kUpdate;
  const auto done = patch.kind != PatchOperation::Kind::kUpdate && !patch.move_to.empty() ? Result<std::string>(Error(Code::kInvalid, "move_to: is only for update_file"))
                                                                                        : CarryOut(context, equipment, {patch});
  if (done) reply["status"] = "completed";
  reply["output"] = done ? *done : Fail(done.error(), context).text;
  return reply;
}

json::object Function(CallContext& context, const Equipment& equipment, const std::string& name, const json::value* arguments) {
  const auto answer = [](const ToolResult& result) { return json::object{{"type", "function_call_output"}, {"output", result.is_error() ? json::serialize(result.data) : result.text}}; };
  const std::string text = arguments != nullptr && arguments->is_string() ? arguments->get_string().c_str() : "{}";
  const auto parsed = ParseJson(text.empty() ? "{}" : text);
  if (!parsed) return answer(Fail(Error(Code::kInvalid, "arguments: " + parsed.error().message), context));
  if (name == "apply_patch" && equipment.FindTool(name) == nullptr && parsed->is_object()) {
    for (const char* const key : {"input", "patch"}) {
      const json::value* const patch = parsed->get_object().if_contains(key);
      if (patch != nullptr && patch->is_string()) return answer(ApplyPatch(context, equipment, std::string_view(patch->get_string().data(), patch->get_string().size())));
    }
  }
  return answer(CallTool(context, equipment, name, *parsed));
}

}  // namespace

ToolResult ApplyPatch(CallContext& context, const Equipment& equipment, std::string_view patch) {
  auto operations = ParsePatch(patch);
  if (!operations) return Fail(operations.error(), context);
  const auto done = CarryOut(context, equipment, std::move(*operations));
  return done ? Succeed(json::object{{"output", *done}}, *done) : Fail(done.error(), context);
}

json::object HandleOpenAiCall(CallContext& context, const Equipment& equipment, const json::value& item) {
  const auto error = [](std::string text) { return json::object{{"type", "error"}, {"message", std::move(text)}}; };
  if (!item.is_object()) return error("an item must be an object");
  const json::object& members = item.get_object();
  const auto text_of = [&](const char* key) -> std::string {
    const json::value* const member = members.if_contains(key);
    return member != nullptr && member->is_string() ? std::string(member->get_string().c_str()) : "";
  };
  const std::string type = text_of("type");
  const std::string call_id = text_of("call_id");
  if (call_id.empty()) return error("the item has no call_id");
  const json::value nothing = json::object();
  const auto member_of = [&](const char* key) -> const json::value& { return members.contains(key) ? members.at(key) : nothing; };
  json::object reply;
  if (type == "shell_call" || type == "local_shell_call") {
    const json::value action = WithoutNulls(member_of("action"));
    auto answered = type == "shell_call" ? Shell(context, equipment, action) : LocalShell(context, equipment, action);
    if (answered) {
      reply = std::move(*answered);
    } else if (type == "shell_call") {
      reply = {{"type", "shell_call_output"}, {"output", json::array{json::object{{"stdout", ""}, {"stderr", Fail(answered.error(), context).text}, {"outcome", ExitOutcome(126)}}}}};
    } else {
      reply = {{"type", "local_shell_call_output"}, {"output", json::serialize(Fail(answered.error(), context).data)}};
    }
  } else if (type == "apply_patch_call") {
    reply = ApplyOne(context, equipment, member_of("operation"));
  } else if (type == "function_call") {
    reply = Function(context, equipment, text_of("name"), members.if_contains("arguments"));
  } else {
    return error("items of type '" + HarmlessLine(type.substr(0, 60)) + "' are not answered here; shell_call, local_shell_call, apply_patch_call and function_call are");
  }
  reply["call_id"] = RepairUtf8(call_id);
  return reply;
}

json::array OpenAiNativeTools() { return {json::object{{"type", "shell"}}, json::object{{"type", "apply_patch"}}}; }

}  // namespace paddock::tools
