// read_file, write_file, edit_file, list_directory, grep_files, delete_file, stat_file: session storage.

#include "tools/content/file_access.h"
#include "tools/offer/file_operations.h"
#include "tools/offer/offer.h"
#include "tools/schema/patterns.h"

namespace paddock::tools {
namespace {

constexpr const char* kPathWords = "Absolute path in session storage, such as /notes/plan.md.";
constexpr Rules kSessionPathRules{.min_length = 1, .max_length = 1024, .pattern = kAbsolutePath};
constexpr size_t kMostRemoved = 10'000;

// ---- read_file

struct ReadArguments {
  std::string path;
  int64_t offset = 0, limit = 2000;
};
constexpr Field kReadArguments[] = {
    Required<&ReadArguments::path>("path", kPathWords, kSessionPathRules),
    Optional<&ReadArguments::offset>("offset", "Lines to skip first.", {.min = 0}),
    Optional<&ReadArguments::limit>("limit", "Lines to show at most; never more than 50 KiB.", {.min = 1}),
};
std::span<const Field> FieldsOf(const ReadArguments*) { return kReadArguments; }

Result<Answer<ReadOutput>> Read(CallContext& context, const ReadArguments& arguments) {
  PADDOCK_ASSIGN(const std::string path, SessionPath(arguments.path, "path"));
  PADDOCK_ASSIGN(const FileLease files, context.session.Files());
  return ReadLines(*files, path, arguments.offset, arguments.limit);
}

// ---- write_file

struct WriteArguments {
  std::string path, content;
  Encoding encoding = Encoding::kText;
  bool append = false;
};
constexpr Field kWriteArguments[] = {
    Required<&WriteArguments::path>("path", kPathWords, kSessionPathRules),
    Required<&WriteArguments::content>("content", kContentWords, {.max_length = kMaxContentText}),
    Optional<&WriteArguments::encoding>("encoding", "What `content` is."),
    Optional<&WriteArguments::append>("append", "Add to the end of the file instead of replacing it."),
};
std::span<const Field> FieldsOf(const WriteArguments*) { return kWriteArguments; }

Result<Answer<WriteOutput>> Write(CallContext& context, const WriteArguments& arguments) {
  PADDOCK_ASSIGN(const std::string path, SessionPath(arguments.path, "path"));
  PADDOCK_ASSIGN(const std::string bytes, DecodeContent("content", arguments.content, arguments.encoding));
  PADDOCK_ASSIGN(const FileLease files, context.session.Files());
  return WriteContent(*files, path, bytes, std::nullopt, arguments.append, true);
}

// ---- edit_file

struct EditArguments {
  std::string path, old_text, new_text;
  bool replace_all = false;
};
constexpr Field kEditArguments[] = {
    Required<&EditArguments::path>("path", kPathWords, kSessionPathRules),
    Required<&EditArguments::old_text>("old_text", "What to replace, exactly as it stands in the file, without line numbers. Must occur once.", {.min_length = 1, .max_length = 1 << 20}),
    Required<&EditArguments::new_text>("new_text", "What to put in its place; empty removes it.", {.max_length = 4 << 20}),
    Optional<&EditArguments::replace_all>("replace_all", "Replace every occurrence; it may then occur more than once."),
};
std::span<const Field> FieldsOf(const EditArguments*) { return kEditArguments; }

Result<Answer<EditOutput>> Edit(CallContext& context, const EditArguments& arguments) {
  PADDOCK_ASSIGN(const std::string path, SessionPath(arguments.path, "path"));
  PADDOCK_ASSIGN(const FileLease files, context.session.Files());
  return EditText(*files, path, arguments.old_text, arguments.new_text, arguments.replace_all);
}

// ---- list_directory

struct ListArguments {
  std::string path = "/";
  bool recursive = false;
};
constexpr Field kListArguments[] = {
    Optional<&ListArguments::path>("path", "Absolute path of a directory in session storage.", kSessionPathRules),
    Optional<&ListArguments::recursive>("recursive", "Also everything below."),
};
std::span<const Field> FieldsOf(const ListArguments*) { return kListArguments; }

Result<Answer<ListOutput>> List(CallContext& context, const ListArguments& arguments) {
  ListRequest request;
  PADDOCK_ASSIGN(request.root, SessionPath(arguments.path, "path"));
  request.depth = arguments.recursive ? kMaxDepth : 1;
  PADDOCK_ASSIGN(const FileLease files, context.session.Files());
  return ListDirectory(*files, request);
}

// ---- grep_files

struct GrepArguments {
  std::string pattern, path = "/";
  bool regex = true, ignore_case = false;
  std::optional<std::string> glob;
  int64_t context_lines = 0, limit = 100;
};
constexpr Field kGrepArguments[] = {
    Required<&GrepArguments::pattern>("pattern", "What to look for in each line.", {.min_length = 1, .max_length = 4096}),
    Optional<&GrepArguments::path>("path", "Absolute path of a directory or file in session storage.", kSessionPathRules),
    Optional<&GrepArguments::regex>("regex", "`pattern` is a regular expression (as Perl's); false: plain text."),
    Optional<&GrepArguments::ignore_case>("ignore_case", "Upper and lower case are the same."),
    Optional<&GrepArguments::glob>("glob", "Only files that match, such as *.md.", {.min_length = 1, .max_length = 1024}),
    Optional<&GrepArguments::context_lines>("context_lines", "Lines to show before and behind each match.", {.min = 0, .max = 10}),
    Optional<&GrepArguments::limit>("limit", "Matches at most.", {.min = 1, .max = 1000}),
};
std::span<const Field> FieldsOf(const GrepArguments*) { return kGrepArguments; }

Result<Answer<SearchOutput>> Grep(CallContext& context, const GrepArguments& arguments) {
  PADDOCK_ASSIGN(std::string root, SessionPath(arguments.path, "path"));
  PADDOCK_ASSIGN(const FileLease files, context.session.Files());
  return Search(*files, SearchRequestOf(arguments, std::move(root), context.stop));
}

// ---- delete_file

struct DeleteArguments {
  std::string path;
  bool recursive = false;
};
constexpr Field kDeleteArguments[] = {
    Required<&DeleteArguments::path>("path", kPathWords, kSessionPathRules),
    Optional<&DeleteArguments::recursive>("recursive", "Delete a directory with everything in it."),
};
std::span<const Field> FieldsOf(const DeleteArguments*) { return kDeleteArguments; }

struct DeleteOutput {
  std::string path;
  uint64_t entries_deleted = 0;
};
constexpr Field kDeleteOutput[] = {
    Shown<&DeleteOutput::path>("path", "What was deleted."),
    Shown<&DeleteOutput::entries_deleted>("entries_deleted", "Files and directories."),
};
std::span<const Field> FieldsOf(const DeleteOutput*) { return kDeleteOutput; }

Result<Answer<DeleteOutput>> Delete(CallContext& context, const DeleteArguments& arguments) {
  PADDOCK_ASSIGN(const std::string path, SessionPath(arguments.path, "path"));
  if (path == "/") return Error(Code::kInvalid, "path: session storage itself cannot be deleted");
  PADDOCK_ASSIGN(const FileLease files, context.session.Files());
  const auto found = files->Stat(path, vfs::Follow::kNo);
  if (!found) return FileError(*files, found.error(), "delete", path);
  if (found->is_directory() && !arguments.recursive) {
    const auto listed = files->List(path);
    if (listed && !listed->empty()) return Error(Code::kNotEmpty, "cannot delete " + path + ": it is a directory with " + std::to_string(listed->size()) + " entries; set recursive to delete all of it");
  }
  size_t budget = kMostRemoved;
  PADDOCK_TRY(RemoveTree(*files, path, budget));
  const uint64_t removed = kMostRemoved - budget;
  return Answer<DeleteOutput>{.data = {.path = path, .entries_deleted = removed}, .text = "deleted " + path + (removed > 1 ? " with " + std::to_string(removed - 1) + " entries" : "")};
}

// ---- stat_file

struct StatArguments {
  std::string path;
};
constexpr Field kStatArguments[] = {Required<&StatArguments::path>("path", kPathWords, kSessionPathRules)};
std::span<const Field> FieldsOf(const StatArguments*) { return kStatArguments; }

Result<Answer<ShownFile>> Stat(CallContext& context, const StatArguments& arguments) {
  PADDOCK_ASSIGN(const std::string path, SessionPath(arguments.path, "path"));
  PADDOCK_ASSIGN(const FileLease files, context.session.Files());
  const auto found = files->Stat(path, vfs::Follow::kNo);
  if (!found) return FileError(*files, found.error(), "look at", path);
  ListedFile file{.path = path, .attributes = *found, .target = {}};
  if (found->is_symlink()) file.target = files->ReadLink(path).value_or("");
  Answer<ShownFile> answer{.data = Show(file), .text = {}};
  answer.text = path + ": " + answer.data.type + ", " + std::to_string(answer.data.size_bytes) + " bytes, mode " + answer.data.mode + ", changed " + answer.data.modified_at;
  return answer;
}

}  // namespace

const Tool kReadFile = DefineTool<ReadArguments, ReadOutput, Read>({
    .name = "read_file",
    .title = "Read a session file",
    .description = "Shows a text file of session storage with line numbers. Of a binary file only the size.",
    .hints = {.is_readonly = true, .is_idempotent = true},
});
const Tool kWriteFile = DefineTool<WriteArguments, WriteOutput, Write>({
    .name = "write_file",
    .title = "Write a session file",
    .description = "Writes a file of session storage, with the directories of its path. To change a part of one use edit_file.",
    .hints = {.is_destructive = true},
});
const Tool kEditFile = DefineTool<EditArguments, EditOutput, Edit>({
    .name = "edit_file",
    .title = "Edit a session file",
    .description = "Replaces an exact piece of a text file of session storage and shows the lines around it.",
    .hints = {.is_destructive = true},
});
const Tool kListDirectory = DefineTool<ListArguments, ListOutput, List>({
    .name = "list_directory",
    .title = "List session files",
    .description = "Lists a directory of session storage.",
    .hints = {.is_readonly = true, .is_idempotent = true},
});
const Tool kGrepFiles = DefineTool<GrepArguments, SearchOutput, Grep>({
    .name = "grep_files",
    .title = "Search session files",
    .description = "Finds the lines that match in the files of session storage.",
    .hints = {.is_readonly = true, .is_idempotent = true},
});
const Tool kDeleteFile = DefineTool<DeleteArguments, DeleteOutput, Delete>({
    .name = "delete_file",
    .title = "Delete a session file",
    .description = "Deletes a file of session storage, or a directory. It cannot be had back.",
    .hints = {.is_destructive = true},
});
const Tool kStatFile = DefineTool<StatArguments, ShownFile, Stat>({
    .name = "stat_file",
    .title = "Look at a session file",
    .description = "Tells type, size, permissions and time of a file of session storage.",
    .hints = {.is_readonly = true, .is_idempotent = true},
});

}  // namespace paddock::tools
