// sandbox_read_file, _write_file, _edit_file, _list_files, _search: a sandbox's files.

#include "tools/content/file_access.h"
#include "tools/offer/file_operations.h"
#include "tools/offer/offer.h"
#include "tools/offer/sandbox_choice.h"

namespace paddock::tools {
namespace {

// The files of the chosen sandbox; it is held with them.
struct Chosen {
  std::shared_ptr<SandboxAccess> sandbox;
  FileLease files;
};
Result<Chosen> Choose(CallContext& context, const std::optional<std::string>& id) {
  PADDOCK_ASSIGN(std::shared_ptr<SandboxAccess> sandbox, ChooseSandbox(context, id));
  PADDOCK_ASSIGN(FileLease files, sandbox->Files());
  return Chosen{std::move(sandbox), std::move(files)};
}

// ---- read

struct ReadArguments {
  std::string path;
  std::optional<std::string> sandbox_id;
  int64_t offset = 0;
  int64_t limit = 2000;
};
constexpr Field kReadArguments[] = {
    Required<&ReadArguments::path>("path", "Absolute path of the file.", kPathRules),
    Optional<&ReadArguments::sandbox_id>("sandbox_id", kSandboxIdWords, kSandboxIdRules),
    Optional<&ReadArguments::offset>("offset", "Lines to skip first.", {.min = 0}),
    Optional<&ReadArguments::limit>("limit", "Lines to show at most; never more than 50 KiB.", {.min = 1}),
};
std::span<const Field> FieldsOf(const ReadArguments*) { return kReadArguments; }

Result<Answer<ReadOutput>> Read(CallContext& context, const ReadArguments& arguments) {
  PADDOCK_ASSIGN(const Chosen chosen, Choose(context, arguments.sandbox_id));
  return ReadLines(*chosen.files, arguments.path, arguments.offset, arguments.limit);
}

// ---- write

struct WriteArguments {
  std::string path, content;
  std::optional<std::string> sandbox_id;
  Encoding encoding = Encoding::kText;
  std::optional<std::string> mode;
  bool append = false, create_dirs = true;
};
constexpr Field kWriteArguments[] = {
    Required<&WriteArguments::path>("path", "Absolute path of the file.", kPathRules),
    Required<&WriteArguments::content>("content", kContentWords, {.max_length = kMaxContentText}),
    Optional<&WriteArguments::sandbox_id>("sandbox_id", kSandboxIdWords, kSandboxIdRules),
    Optional<&WriteArguments::encoding>("encoding", "What `content` is."),
    Optional<&WriteArguments::mode>("mode", "Octal permissions such as \"0755\". Left out: \"0644\" for a new file, unchanged for another.", kModeRules),
    Optional<&WriteArguments::append>("append", "Add to the end of the file instead of replacing it."),
    Optional<&WriteArguments::create_dirs>("create_dirs", "Make the directories of the path that are missing."),
};
std::span<const Field> FieldsOf(const WriteArguments*) { return kWriteArguments; }

Result<Answer<WriteOutput>> Write(CallContext& context, const WriteArguments& arguments) {
  PADDOCK_ASSIGN(const std::string bytes, DecodeContent("content", arguments.content, arguments.encoding));
  PADDOCK_ASSIGN(const Chosen chosen, Choose(context, arguments.sandbox_id));
  return WriteContent(*chosen.files, arguments.path, bytes, arguments.mode, arguments.append, arguments.create_dirs);
}

// ---- edit

struct EditArguments {
  std::string path, old_text, new_text;
  std::optional<std::string> sandbox_id;
  bool replace_all = false;
};
constexpr Field kEditArguments[] = {
    Required<&EditArguments::path>("path", "Absolute path of the file.", kPathRules),
    Required<&EditArguments::old_text>("old_text", "What to replace, exactly as it stands in the file, without line numbers. Must occur once.", {.min_length = 1, .max_length = 1 << 20}),
    Required<&EditArguments::new_text>("new_text", "What to put in its place; empty removes it.", {.max_length = 4 << 20}),
    Optional<&EditArguments::sandbox_id>("sandbox_id", kSandboxIdWords, kSandboxIdRules),
    Optional<&EditArguments::replace_all>("replace_all", "Replace every occurrence; it may then occur more than once."),
};
std::span<const Field> FieldsOf(const EditArguments*) { return kEditArguments; }

Result<Answer<EditOutput>> Edit(CallContext& context, const EditArguments& arguments) {
  PADDOCK_ASSIGN(const Chosen chosen, Choose(context, arguments.sandbox_id));
  return EditText(*chosen.files, arguments.path, arguments.old_text, arguments.new_text, arguments.replace_all);
}

// ---- list

struct ListArguments {
  std::optional<std::string> path, sandbox_id;
  int64_t depth = 1;
  std::optional<std::string> glob;
  bool hidden = true;
  int64_t limit = 1000;
};
constexpr Field kListArguments[] = {
    Optional<&ListArguments::path>("path", "Absolute path of a directory. Left out: the sandbox's working directory.", kPathRules),
    Optional<&ListArguments::sandbox_id>("sandbox_id", kSandboxIdWords, kSandboxIdRules),
    Optional<&ListArguments::depth>("depth", "How many levels down; 1 is the directory itself.", {.min = 1, .max = 100}),
    Optional<&ListArguments::glob>("glob", "Only what matches: *.py at any depth, or a path such as src/**/*.cc.", {.min_length = 1, .max_length = 1024}),
    Optional<&ListArguments::hidden>("hidden", "Also names that begin with a dot."),
    Optional<&ListArguments::limit>("limit", "Entries at most.", {.min = 1, .max = 5000}),
};
std::span<const Field> FieldsOf(const ListArguments*) { return kListArguments; }

Result<Answer<ListOutput>> List(CallContext& context, const ListArguments& arguments) {
  PADDOCK_ASSIGN(const Chosen chosen, Choose(context, arguments.sandbox_id));
  ListRequest request;
  request.root = vfs::NormalizePath(arguments.path ? *arguments.path : chosen.sandbox->Inspect().working_directory);
  request.depth = static_cast<size_t>(arguments.depth);
  request.glob = arguments.glob.value_or("");
  request.shows_hidden = arguments.hidden;
  request.most = static_cast<size_t>(arguments.limit);
  return ListDirectory(*chosen.files, request);
}

// ---- search

struct SearchArguments {
  std::string pattern;
  std::optional<std::string> path, sandbox_id;
  bool regex = false, ignore_case = false;
  std::optional<std::string> glob;
  int64_t context_lines = 0, limit = 100;
};
constexpr Field kSearchArguments[] = {
    Required<&SearchArguments::pattern>("pattern", "What to look for in each line.", {.min_length = 1, .max_length = 4096}),
    Optional<&SearchArguments::path>("path", "Absolute path of a directory or file. Left out: the sandbox's working directory.", kPathRules),
    Optional<&SearchArguments::sandbox_id>("sandbox_id", kSandboxIdWords, kSandboxIdRules),
    Optional<&SearchArguments::regex>("regex", "`pattern` is a regular expression (as Perl's) instead of plain text."),
    Optional<&SearchArguments::ignore_case>("ignore_case", "Upper and lower case are the same."),
    Optional<&SearchArguments::glob>("glob", "Only files that match: *.py at any depth, or a path such as src/**/*.cc.", {.min_length = 1, .max_length = 1024}),
    Optional<&SearchArguments::context_lines>("context_lines", "Lines to show before and behind each match.", {.min = 0, .max = 10}),
    Optional<&SearchArguments::limit>("limit", "Matches at most.", {.min = 1, .max = 1000}),
};
std::span<const Field> FieldsOf(const SearchArguments*) { return kSearchArguments; }

Result<Answer<SearchOutput>> RunSearch(CallContext& context, const SearchArguments& arguments) {
  PADDOCK_ASSIGN(const Chosen chosen, Choose(context, arguments.sandbox_id));
  std::string root = vfs::NormalizePath(arguments.path ? *arguments.path : chosen.sandbox->Inspect().working_directory);
  return Search(*chosen.files, SearchRequestOf(arguments, std::move(root), context.stop));
}

}  // namespace

const Tool kSandboxReadFile = DefineTool<ReadArguments, ReadOutput, Read>({
    .name = "sandbox_read_file",
    .title = "Read a file of a sandbox",
    .description = "Shows a text file of a sandbox with line numbers. Of a binary file only the size.",
    .hints = {.is_readonly = true, .is_idempotent = true},
});
const Tool kSandboxWriteFile = DefineTool<WriteArguments, WriteOutput, Write>({
    .name = "sandbox_write_file",
    .title = "Write a file of a sandbox",
    .description = "Writes a whole file in a sandbox: all of it or, when that fails, nothing. To change a part of one use sandbox_edit_file.",
    .hints = {.is_destructive = true},
});
const Tool kSandboxEditFile = DefineTool<EditArguments, EditOutput, Edit>({
    .name = "sandbox_edit_file",
    .title = "Edit a file of a sandbox",
    .description = "Replaces an exact piece of a text file in a sandbox and shows the lines around it.",
    .hints = {.is_destructive = true},
});
const Tool kSandboxListFiles = DefineTool<ListArguments, ListOutput, List>({
    .name = "sandbox_list_files",
    .title = "List files of a sandbox",
    .description = "Lists a directory of a sandbox, with types, sizes and times; deeper levels and a filter on request.",
    .hints = {.is_readonly = true, .is_idempotent = true},
});
const Tool kSandboxSearch = DefineTool<SearchArguments, SearchOutput, RunSearch>({
    .name = "sandbox_search",
    .title = "Search files of a sandbox",
    .description = "Finds the lines that contain a text or match a regular expression in the files below a directory of a sandbox.",
    .hints = {.is_readonly = true, .is_idempotent = true},
});

}  // namespace paddock::tools
