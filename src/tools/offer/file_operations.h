// What the file tools of sandboxes and of session storage have in common: the operations on a FileSystem, and how they are told.
#pragma once

#include "tools/content/search_files.h"
#include "tools/tool.h"

namespace paddock::tools {

enum class Encoding { kText, kBase64 };
std::span<const char* const> NamesOf(Encoding);
inline constexpr const char* kContentWords = "The content: text, or bytes in base64. At most 4 MiB.";
inline constexpr size_t kMaxContentText = (4u << 20) / 3 * 4 + 8;   // of 4 MiB in base64

// The bytes that the argument stands for. Errors: kInvalid for bad base64; kFileTooBig beyond kMaxFileBytes.
Result<std::string> DecodeContent(const char* argument, const std::string& content, Encoding encoding);
// "0755" → 0755; the text has passed kModeRules.
uint32_t ParseMode(const std::string& text);

// ---- read

struct LineRange {
  uint64_t start = 0, end = 0;
};
std::span<const Field> FieldsOf(const LineRange*);
struct ReadOutput {
  std::string path;
  std::optional<std::string> content;
  std::string encoding;
  std::optional<uint64_t> total_lines;
  std::optional<LineRange> lines_shown;
  bool truncated = false;
  uint64_t size_bytes = 0;
};
std::span<const Field> FieldsOf(const ReadOutput*);
Result<Answer<ReadOutput>> ReadLines(vfs::FileSystem& files, const std::string& path, int64_t offset, int64_t limit);

// ---- write

struct WriteOutput {
  std::string path;
  uint64_t bytes_written = 0;
  bool created = false;
  uint64_t size_bytes = 0;
};
std::span<const Field> FieldsOf(const WriteOutput*);
// Writes and tells. `mode` is empty or octal.
Result<Answer<WriteOutput>> WriteContent(vfs::FileSystem& files, const std::string& path, const std::string& bytes, const std::optional<std::string>& mode,
                                         bool append, bool create_dirs);

// ---- edit

struct EditOutput {
  std::string path;
  uint64_t replacements = 0;
  std::vector<uint64_t> lines;
  std::string snippet;
};
std::span<const Field> FieldsOf(const EditOutput*);
Result<Answer<EditOutput>> EditText(vfs::FileSystem& files, const std::string& path, const std::string& old_text, const std::string& new_text, bool all);

// ---- list

struct ShownFile {
  std::string path, type;
  uint64_t size_bytes = 0;
  std::string mode, modified_at;
  std::optional<std::string> target;
};
std::span<const Field> FieldsOf(const ShownFile*);
ShownFile Show(const ListedFile& file);
struct ListOutput {
  std::string path;
  std::vector<ShownFile> entries;
  bool truncated = false;
};
std::span<const Field> FieldsOf(const ListOutput*);
Result<Answer<ListOutput>> ListDirectory(vfs::FileSystem& files, const ListRequest& request);

// ---- search

struct ShownMatch {
  std::string path;
  uint64_t line = 0;
  std::string text;
  std::vector<std::string> before, after;
};
std::span<const Field> FieldsOf(const ShownMatch*);
struct SearchOutput {
  std::vector<ShownMatch> matches;
  uint64_t files_searched = 0, files_skipped = 0;
  bool truncated = false;
  std::optional<std::string> hint;
};
std::span<const Field> FieldsOf(const SearchOutput*);
Result<Answer<SearchOutput>> Search(vfs::FileSystem& files, const SearchRequest& request);
// What the arguments of both search tools, which call them alike, ask for below `root`.
template <class Arguments>
SearchRequest SearchRequestOf(const Arguments& arguments, std::string root, std::stop_token stop) {
  return {.root = std::move(root),
          .pattern = arguments.pattern,
          .is_regex = arguments.regex,
          .ignores_case = arguments.ignore_case,
          .glob = arguments.glob.value_or(""),
          .most = static_cast<size_t>(arguments.limit),
          .context = static_cast<size_t>(arguments.context_lines),
          .stop = std::move(stop)};
}

}  // namespace paddock::tools
