#include "tools/adapt/anthropic.h"

#include <algorithm>

#include "text/byte_count.h"
#include "text/repair_utf8.h"
#include "text/utf8.h"
#include "tools/adapt/place.h"
#include "tools/content/file_access.h"
#include "tools/content/numbered_lines.h"
#include "tools/content/replace_text.h"
#include "tools/content/search_files.h"
#include "tools/offer/run_command.h"
#include "tools/schema/patterns.h"

namespace paddock::tools {
namespace {

constexpr std::chrono::seconds kBashTime{120};
constexpr size_t kBashOutput = 30'000;
constexpr size_t kViewBytes = 100'000;
constexpr size_t kSnippetLines = 4;

ToolResult FailWith(const Error& error, const CallContext& context) { return Fail(error, context); }

ToolResult Say(std::string text) { return Succeed(json::object{{"output", RepairUtf8(text)}}, text.empty() ? " " : text); }

// ---- bash

struct BashArguments {
  std::optional<std::string> command;
  bool restart = false;
};
constexpr Field kBashArguments[] = {
    Optional<&BashArguments::command>("command", "The Bash command to run.", {.min_length = 1, .max_length = 1 << 20}),
    Optional<&BashArguments::restart>("restart", "Begin a new shell."),
};
std::span<const Field> FieldsOf(const BashArguments*) { return kBashArguments; }

Result<std::string> Bash(CallContext& context, const Equipment& equipment, const BashArguments& arguments) {
  if (arguments.command.has_value() == arguments.restart) return Error(Code::kInvalid, "give either command or restart: true");
  if (arguments.command && arguments.command->find('\0') != std::string::npos) return Error(Code::kInvalid, "command: must not hold a NUL character");
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> place, WorkingPlace(context, equipment));
  if (arguments.restart) {
    PADDOCK_TRY(place->ForgetShell());
    return std::string("the shell has been restarted");
  }
  HeadAndTail output(kMaxKeptOutput);
  const auto handler = [&](sandbox::Stream stream, std::string_view bytes) {
    output.Append(bytes);
    if (context.on_output) context.on_output(stream, bytes);
  };
  const std::chrono::milliseconds timeout = std::min<std::chrono::milliseconds>(kBashTime, context.defaults.max_exec_timeout);
  PADDOCK_ASSIGN(const sandbox::ExecResult result, place->Exec({.script = *arguments.command, .timeout = timeout, .keeps_shell = true, .stop = context.stop}, handler));
  std::string text = CutMiddle(CleanOutput(output.Text()), kBashOutput, "");
  if (text.ends_with('\n')) text.pop_back();
  if (result.exit_code != 0) text += (text.empty() ? "[" : "\n[") + EndText(result) + "]";
  if (!result.exit_code && result.termination.reason == sandbox::Termination::Reason::kTimeout) {
    return Error(Code::kTimedOut, text + "\nThe command was ended; the shell is as it was before it.");
  }
  return text;
}

// ---- editor

enum class Command { kView, kCreate, kStrReplace, kInsert };
constexpr const char* kCommands[] = {"view", "create", "str_replace", "insert"};
std::span<const char* const> NamesOf(Command) { return kCommands; }

struct EditorArguments {
  Command command = Command::kView;
  std::string path;
  std::optional<std::string> file_text, old_str, new_str, insert_text;
  std::optional<int64_t> insert_line;
  std::vector<int64_t> view_range;
  int64_t max_characters = 0;
};
constexpr Field kEditorArguments[] = {
    Required<&EditorArguments::command>("command", "What to do."),
    Required<&EditorArguments::path>("path", "Absolute path of a file or directory.", kPathRules),
    Optional<&EditorArguments::file_text>("file_text", "Of create.", {.max_length = 4 << 20}),
    Optional<&EditorArguments::old_str>("old_str", "Of str_replace.", {.max_length = 1 << 20}),
    Optional<&EditorArguments::new_str>("new_str", "Of str_replace; of insert in older editors.", {.max_length = 4 << 20}),
    Optional<&EditorArguments::insert_text>("insert_text", "Of insert.", {.max_length = 4 << 20}),
    Optional<&EditorArguments::insert_line>("insert_line", "Of insert: behind this line; 0 is the beginning.", {.min = 0}),
    Optional<&EditorArguments::view_range>("view_range", "Of view: the first and last line; -1 is the file's last.", {.max_items = 2}),
    Optional<&EditorArguments::max_characters>("max_characters", "Of view: at most so many; 0 is no limit of the caller's.", {.min = 0}),
};
std::span<const Field> FieldsOf(const EditorArguments*) { return kEditorArguments; }

Result<std::string> ViewDirectory(vfs::FileSystem& files, const std::string& path) {
  PADDOCK_ASSIGN(const ListOutcome listed, ListFiles(files, {.root = path, .depth = 2, .glob = {}, .shows_hidden = false}));
  std::string text = "Here's the files and directories up to 2 levels deep in " + path + ", excluding hidden items:\n" + path + "\n";
  for (const ListedFile& file : listed.entries) text += file.path + (file.attributes.is_directory() ? "/" : "") + "\n";
  return text + (listed.is_truncated ? "… there is more\n" : "");
}

Result<std::string> View(vfs::FileSystem& files, const EditorArguments& arguments) {
  const std::string& path = arguments.path;
  const auto found = files.Stat(path);
  if (found && found->is_directory()) {
    if (!arguments.view_range.empty()) return Error(Code::kInvalid, "view_range: is not for directories");
    return ViewDirectory(files, vfs::NormalizePath(path));
  }
  PADDOCK_ASSIGN(const std::string content, ReadRegularFile(files, path));
  if (IsBinary(content)) return Error(Code::kInvalid, path + " is a binary file of " + std::to_string(content.size()) + " bytes and cannot be shown");
  const size_t total = CountByte(content, '\n') + (content.empty() || content.back() == '\n' ? 0 : 1);
  size_t first = 1;
  size_t last = total;
  if (!arguments.view_range.empty()) {
    if (arguments.view_range.size() != 2) return Error(Code::kInvalid, "view_range: must be a list of two line numbers");
    const int64_t from = arguments.view_range[0];
    const int64_t to = arguments.view_range[1];
    if (from < 1 || (total > 0 && static_cast<uint64_t>(from) > total)) {
      return Error(Code::kInvalid, "view_range: the first line " + std::to_string(from) + " must be from 1 to " + std::to_string(total) + ", the file's last");
    }
    if (to != -1 && (to < from || static_cast<uint64_t>(to) > total)) {
      return Error(Code::kInvalid, "view_range: the last line " + std::to_string(to) + " must be -1 or from " + std::to_string(from) + " to " + std::to_string(total));
    }
    first = static_cast<size_t>(from);
    if (to != -1) last = static_cast<size_t>(to);
  }
  std::string_view shown = content;
  for (size_t line = 1; line < first; ++line) shown.remove_prefix(shown.find('\n') + 1);
  size_t end = 0;
  for (size_t line = first; line <= last && end < shown.size(); ++line) end = std::min(shown.find('\n', end), shown.size() - 1) + 1;
  shown = shown.substr(0, end);
  const size_t most = arguments.max_characters == 0 ? kViewBytes : std::min<size_t>(static_cast<size_t>(arguments.max_characters), kViewBytes);
  const std::string cut(shown.substr(0, shown.size() > most ? OffsetOfChar(shown, most) : shown.size()));
  const bool is_cut = cut.size() < shown.size();
  return "Here's the result of running `cat -n` on " + path + ":\n" + (cut.empty() ? "" : CatLines(cut, first)) +
         (is_cut ? "… " + std::to_string(shown.size() - cut.size()) + " bytes are not shown; use view_range\n" : "");
}

std::string Snippet(std::string_view text, size_t first_changed, size_t changed_lines) {
  const size_t first = first_changed > kSnippetLines ? first_changed - kSnippetLines : 1;
  for (size_t line = 1; line < first; ++line) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  size_t end = 0;
  const size_t count = std::min<size_t>(first_changed - first + changed_lines + kSnippetLines, 100);
  for (size_t line = 0; line < count && end < text.size(); ++line) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return end == 0 ? "" : CatLines(text.substr(0, end), first);
}

Result<std::string> Replace(vfs::FileSystem& files, const EditorArguments& arguments) {
  if (!arguments.old_str) return Error(Code::kInvalid, "missing argument 'old_str': str_replace needs it");
  PADDOCK_ASSIGN(const std::string content, ReadRegularFile(files, arguments.path));
  const std::string new_str = arguments.new_str.value_or("");
  auto replaced = ReplaceText(content, *arguments.old_str, new_str, false);
  if (!replaced) return Error(Code::kInvalid, "No replacement was performed in " + arguments.path + ": " + replaced.error().message);
  PADDOCK_TRY(WriteRegularFile(files, arguments.path, replaced->text, {.create_directories = false}));
  return "The file " + arguments.path + " has been edited. Here's the result of running `cat -n` on a snippet of it:\n" +
         Snippet(replaced->text, replaced->lines.front(), CountByte(new_str, '\n') + 1);
}

Result<std::string> Insert(vfs::FileSystem& files, const EditorArguments& arguments) {
  if (!arguments.insert_line) return Error(Code::kInvalid, "missing argument 'insert_line': insert needs it");
  const std::optional<std::string>& given = arguments.insert_text ? arguments.insert_text : arguments.new_str;
  if (!given) return Error(Code::kInvalid, "missing argument 'insert_text': insert needs it");
  PADDOCK_ASSIGN(std::string content, ReadRegularFile(files, arguments.path));
  const size_t total = CountByte(content, '\n') + (content.empty() || content.back() == '\n' ? 0 : 1);
  const auto line = static_cast<size_t>(*arguments.insert_line);
  if (line > total) return Error(Code::kInvalid, "insert_line: must be from 0 to " + std::to_string(total) + ", the file's last line, not " + std::to_string(line));
  size_t at = 0;
  for (size_t i = 0; i < line; ++i) at = std::min(content.find('\n', at), content.size() - 1) + 1;
  std::string inserted = *given;
  if (at > 0 && content[at - 1] != '\n') inserted.insert(0, "\n");                       // behind a last line without newline
  else if (!inserted.ends_with('\n') && !inserted.empty()) inserted += '\n';
  content.insert(at, inserted);
  if (content.size() > kMaxFileBytes) return Error(Code::kFileTooBig, "the file would be larger than " + std::to_string(kMaxFileBytes) + " bytes");
  PADDOCK_TRY(WriteRegularFile(files, arguments.path, content, {.create_directories = false}));
  return "The file " + arguments.path + " has been edited. Here's the result of running `cat -n` on a snippet of it:\n" + Snippet(content, line + 1, CountByte(inserted, '\n'));
}

Result<std::string> Edit(CallContext& context, const Equipment& equipment, const EditorArguments& arguments) {
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> place, WorkingPlace(context, equipment));
  PADDOCK_ASSIGN(const FileLease files, place->Files());
  switch (arguments.command) {
    case Command::kView: return View(*files, arguments);
    case Command::kCreate: {
      if (!arguments.file_text) return Error(Code::kInvalid, "missing argument 'file_text': create needs it");
      PADDOCK_TRY(WriteRegularFile(*files, arguments.path, *arguments.file_text, {}));
      return "File created successfully at: " + arguments.path;
    }
    case Command::kStrReplace: return Replace(*files, arguments);
    case Command::kInsert: return Insert(*files, arguments);
  }
  return Error(Code::kInternal, "no such command");
}

template <class Arguments, Result<std::string> (*run)(CallContext&, const Equipment&, const Arguments&)>
ToolResult RunWith(CallContext& context, const Equipment& equipment, const json::value& input) {
  const auto arguments = ReadAs<Arguments>(input);
  if (!arguments) return FailWith(arguments.error(), context);
  auto text = run(context, equipment, *arguments);
  if (const Status kept = context.session.Settle(); text && !kept) return FailWith(kept.error(), context);
  return text ? Say(std::move(*text)) : FailWith(text.error(), context);
}

}  // namespace

ToolResult RunAnthropicBash(CallContext& context, const Equipment& equipment, const json::value& input) {
  return RunWith<BashArguments, Bash>(context, equipment, input);
}

ToolResult RunAnthropicEditor(CallContext& context, const Equipment& equipment, const json::value& input) {
  return RunWith<EditorArguments, Edit>(context, equipment, input);
}

json::object HandleAnthropicToolUse(CallContext& context, const Equipment& equipment, const json::value& block) {
  const auto text_of = [&](const char* key) -> std::string {
    const json::value* const member = block.is_object() ? block.get_object().if_contains(key) : nullptr;
    return member != nullptr && member->is_string() ? std::string(member->get_string().c_str()) : "";
  };
  const std::string id = text_of("id");
  const std::string name = text_of("name");
  const json::value* const given = block.is_object() ? block.get_object().if_contains("input") : nullptr;
  const json::value input = given != nullptr ? *given : json::value(json::object());
  ToolResult result;
  if (text_of("type") != "tool_use" || id.empty() || name.empty()) {
    result = Fail(Error(Code::kInvalid, "a tool_use block has type \"tool_use\", id, name and input"), context);
  } else if (name == "str_replace_based_edit_tool" || name == "str_replace_editor") {
    result = RunAnthropicEditor(context, equipment, input);
  } else if (name == "bash" && input.is_object() && (input.get_object().contains("command") || input.get_object().contains("restart"))) {
    result = RunAnthropicBash(context, equipment, input);
  } else {
    result = CallTool(context, equipment, name, input);
  }
  return {{"type", "tool_result"}, {"tool_use_id", RepairUtf8(id)}, {"content", result.text}, {"is_error", result.is_error()}};
}

json::array AnthropicNativeTools() {
  return {json::object{{"type", "bash_20250124"}, {"name", "bash"}}, json::object{{"type", "text_editor_20250728"}, {"name", "str_replace_based_edit_tool"}}};
}

}  // namespace paddock::tools
