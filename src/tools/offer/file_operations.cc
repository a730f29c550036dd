#include "tools/offer/file_operations.h"

#include <cstdio>

#include "text/base64.h"
#include "text/utf8.h"
#include "tools/content/file_access.h"
#include "tools/content/numbered_lines.h"
#include "tools/content/replace_text.h"
#include "tools/offer/sandbox_choice.h"

namespace paddock::tools {
namespace {

constexpr const char* kEncodings[] = {"text", "base64"};
constexpr size_t kSnippetLines = 4;        // before and behind a change
constexpr size_t kMostText = 50 << 10;     // of an answer's text

constexpr Field kRange[] = {
    Shown<&LineRange::start>("start", "The first line shown, counted from 1."),
    Shown<&LineRange::end>("end", "The last."),
};
constexpr Field kRead[] = {
    Shown<&ReadOutput::path>("path", "The file."),
    Shown<&ReadOutput::content>("content", "Lines as NUMBER|LINE, numbers from 1. Null for a binary file."),
    Shown<&ReadOutput::encoding>("encoding", "utf-8 or binary."),
    Shown<&ReadOutput::total_lines>("total_lines", "Of the whole file; null for a binary one."),
    Shown<&ReadOutput::lines_shown>("lines_shown", "Null when none is."),
    Shown<&ReadOutput::truncated>("truncated", "Whether lines behind those shown are missing."),
    Shown<&ReadOutput::size_bytes>("size_bytes", "Of the whole file."),
};
constexpr Field kWrite[] = {
    Shown<&WriteOutput::path>("path", "The file."),
    Shown<&WriteOutput::bytes_written>("bytes_written", "By this call."),
    Shown<&WriteOutput::created>("created", "Whether it is new."),
    Shown<&WriteOutput::size_bytes>("size_bytes", "Of the file now."),
};
constexpr Field kEdit[] = {
    Shown<&EditOutput::path>("path", "The file."),
    Shown<&EditOutput::replacements>("replacements", "How many."),
    Shown<&EditOutput::lines>("lines", "Where they begin now; the first hundred."),
    Shown<&EditOutput::snippet>("snippet", "The lines around the first, as NUMBER|LINE."),
};
constexpr Field kFile[] = {
    Shown<&ShownFile::path>("path", "Absolute."),
    Shown<&ShownFile::type>("type", "file, directory, symlink, fifo, socket or device."),
    Shown<&ShownFile::size_bytes>("size_bytes", "Of a file."),
    Shown<&ShownFile::mode>("mode", "Octal permissions."),
    Shown<&ShownFile::modified_at>("modified_at", "UTC."),
    Shown<&ShownFile::target>("target", "Of a symlink."),
};
constexpr Field kList[] = {
    Shown<&ListOutput::path>("path", "The directory."),
    Shown<&ListOutput::entries>("entries", "By path."),
    Shown<&ListOutput::truncated>("truncated", "Whether there are more."),
};
constexpr Field kMatch[] = {
    Shown<&ShownMatch::path>("path", "The file."),
    Shown<&ShownMatch::line>("line", "Counted from 1."),
    Shown<&ShownMatch::text>("text", "The line."),
    Shown<&ShownMatch::before>("before", "Lines before it, as many as asked for."),
    Shown<&ShownMatch::after>("after", "Lines behind it."),
};
constexpr Field kSearch[] = {
    Shown<&SearchOutput::matches>("matches", "By path and line."),
    Shown<&SearchOutput::files_searched>("files_searched", "Files looked at."),
    Shown<&SearchOutput::files_skipped>("files_skipped", "Files passed over: binary, larger than 4 MiB or unreadable."),
    Shown<&SearchOutput::truncated>("truncated", "Whether there may be more matches."),
    Shown<&SearchOutput::hint>("hint", "What to do about that."),
};

std::string Truncated(std::string text) {
  if (text.size() <= kMostText) return text;
  size_t end = text.rfind('\n', kMostText);
  text.resize(end == std::string::npos ? kMostText : end + 1);
  return text + "… (the rest is in the structured result)\n";
}

}  // namespace

std::span<const char* const> NamesOf(Encoding) { return kEncodings; }
std::span<const Field> FieldsOf(const LineRange*) { return kRange; }
std::span<const Field> FieldsOf(const ReadOutput*) { return kRead; }
std::span<const Field> FieldsOf(const WriteOutput*) { return kWrite; }
std::span<const Field> FieldsOf(const EditOutput*) { return kEdit; }
std::span<const Field> FieldsOf(const ShownFile*) { return kFile; }
std::span<const Field> FieldsOf(const ListOutput*) { return kList; }
std::span<const Field> FieldsOf(const ShownMatch*) { return kMatch; }
std::span<const Field> FieldsOf(const SearchOutput*) { return kSearch; }

Result<std::string> DecodeContent(const char* argument, const std::string& content, Encoding encoding) {
  std::string bytes = content;
  if (encoding == Encoding::kBase64) {
    const auto decoded = DecodeBase64(content);
    if (!decoded) return Error(Code::kInvalid, std::string(argument) + ": is not base64; with encoding \"text\" it is taken as it is");
    bytes = *decoded;
  }
  if (bytes.size() > kMaxFileBytes) return Error(Code::kFileTooBig, std::string(argument) + ": must have at most " + std::to_string(kMaxFileBytes) + " bytes, not " + std::to_string(bytes.size()));
  return bytes;
}

uint32_t ParseMode(const std::string& text) {
  uint32_t mode = 0;
  for (const char digit : text) mode = mode * 8 + static_cast<uint32_t>(digit - '0');
  return mode & 0777;
}

Result<Answer<ReadOutput>> ReadLines(vfs::FileSystem& files, const std::string& path, int64_t offset, int64_t limit) {
  PADDOCK_ASSIGN(const std::string content, ReadRegularFile(files, path));
  Answer<ReadOutput> answer;
  ReadOutput& data = answer.data;
  data.path = path;
  data.size_bytes = content.size();
  if (IsBinary(content)) {
    data.encoding = "binary";
    answer.text = path + " is a binary file of " + std::to_string(content.size()) + " bytes; it is not shown. Copy it with an upload or download tool, or look at it with a command.";
    return answer;
  }
  NumberedLines lines = NumberLines(content, static_cast<size_t>(offset), static_cast<size_t>(limit));
  data.encoding = "utf-8";
  data.total_lines = lines.total_lines;
  if (lines.first != 0) data.lines_shown = LineRange{.start = lines.first, .end = lines.last};
  data.truncated = lines.is_truncated;
  answer.text = lines.text;
  if (content.empty()) answer.text = path + " is empty.";
  else if (lines.first == 0) answer.text = path + " has " + std::to_string(lines.total_lines) + " lines; there is none behind offset " + std::to_string(offset) + ".";
  else if (lines.is_truncated) answer.text += "… lines " + std::to_string(lines.first) + " to " + std::to_string(lines.last) + " of " + std::to_string(lines.total_lines) + "; go on with offset " + std::to_string(lines.last) + "\n";
  data.content = std::move(lines.text);
  return answer;
}

Result<Answer<WriteOutput>> WriteContent(vfs::FileSystem& files, const std::string& path, const std::string& bytes, const std::optional<std::string>& mode,
                                         bool append, bool create_dirs) {
  WriteOptions options{.append = append, .create_directories = create_dirs};
  if (mode) options.mode = ParseMode(*mode);
  PADDOCK_ASSIGN(const WriteOutcome outcome, WriteRegularFile(files, path, bytes, options));
  Answer<WriteOutput> answer;
  answer.data = {.path = path, .bytes_written = bytes.size(), .created = outcome.is_new, .size_bytes = outcome.size};
  answer.text = (append && !outcome.is_new ? "appended to " : "written ") + path + ", " + std::to_string(bytes.size()) + " bytes";
  return answer;
}

Result<Answer<EditOutput>> EditText(vfs::FileSystem& files, const std::string& path, const std::string& old_text, const std::string& new_text, bool all) {
  PADDOCK_ASSIGN(const std::string content, ReadRegularFile(files, path));
  if (IsBinary(content)) return Error(Code::kInvalid, "cannot edit " + HarmlessLine(path) + ": it is a binary file; write it as a whole");
  auto replaced = ReplaceText(content, old_text, new_text, all);
  if (!replaced) return Error(replaced.error().code, "cannot edit " + HarmlessLine(path) + ": " + replaced.error().message);
  if (replaced->text.size() > kMaxFileBytes) return Error(Code::kFileTooBig, "cannot edit " + HarmlessLine(path) + ": it would be larger than " + std::to_string(kMaxFileBytes) + " bytes");
  PADDOCK_TRY(WriteRegularFile(files, path, replaced->text, {.create_directories = false}));
  Answer<EditOutput> answer;
  answer.data.path = path;
  answer.data.replacements = replaced->count;
  for (const size_t line : replaced->lines) answer.data.lines.push_back(line);
  const size_t first = replaced->lines.front();
  const size_t skipped = first > kSnippetLines ? first - kSnippetLines - 1 : 0;
  size_t new_lines = 1;
  for (const char c : new_text) new_lines += c == '\n';
  answer.data.snippet = NumberLines(replaced->text, skipped, std::min<size_t>(first - skipped - 1 + new_lines + kSnippetLines, 60), 4 << 10).text;
  answer.text = "edited " + path + (replaced->count == 1 ? "" : ": " + std::to_string(replaced->count) + " replacements") + "\n" + answer.data.snippet;
  return answer;
}

ShownFile Show(const ListedFile& file) {
  char mode[16];
  std::snprintf(mode, sizeof mode, "%04o", file.attributes.mode & 07777u);
  ShownFile shown{.path = file.path, .type = TypeName(file.attributes.type), .size_bytes = file.attributes.is_directory() ? 0 : file.attributes.size,
                  .mode = mode, .modified_at = TimeText(file.attributes.modify_time), .target = {}};
  if (file.attributes.is_symlink()) shown.target = file.target;
  return shown;
}

Result<Answer<ListOutput>> ListDirectory(vfs::FileSystem& files, const ListRequest& request) {
  PADDOCK_ASSIGN(const ListOutcome outcome, ListFiles(files, request));
  Answer<ListOutput> answer;
  answer.data.path = request.root;
  answer.data.truncated = outcome.is_truncated;
  for (const ListedFile& file : outcome.entries) {
    answer.data.entries.push_back(Show(file));
    const ShownFile& shown = answer.data.entries.back();
    answer.text += shown.path + (file.attributes.is_directory() ? "/" : shown.target ? " -> " + *shown.target : "  " + std::to_string(shown.size_bytes)) + "\n";
  }
  answer.text = Truncated(std::move(answer.text));
  if (outcome.entries.empty()) answer.text = request.glob.empty() ? request.root + " is empty." : "Nothing in " + request.root + " matches " + request.glob + ".";
  if (outcome.is_truncated) answer.text += "… there is more; list a directory below, or use glob\n";
  return answer;
}

Result<Answer<SearchOutput>> Search(vfs::FileSystem& files, const SearchRequest& request) {
  PADDOCK_ASSIGN(SearchOutcome outcome, SearchFiles(files, request));
  Answer<SearchOutput> answer;
  answer.data.files_searched = outcome.files_searched;
  answer.data.files_skipped = outcome.files_skipped;
  answer.data.truncated = outcome.is_truncated;
  if (outcome.is_truncated) answer.data.hint = outcome.why_truncated;
  for (SearchMatch& match : outcome.matches) {
    size_t line = match.line - match.before.size();
    for (const std::string& before : match.before) answer.text += match.path + "-" + std::to_string(line++) + "-" + before + "\n";
    answer.text += match.path + ":" + std::to_string(line++) + ":" + match.text + "\n";
    for (const std::string& after : match.after) answer.text += match.path + "-" + std::to_string(line++) + "-" + after + "\n";
    if (request.context > 0) answer.text += "--\n";
    answer.data.matches.push_back({.path = std::move(match.path), .line = match.line, .text = std::move(match.text), .before = std::move(match.before), .after = std::move(match.after)});
  }
  answer.text = Truncated(std::move(answer.text));
  if (answer.data.matches.empty()) {
    answer.text = "No match in " + std::to_string(outcome.files_searched) + " files" + (outcome.files_skipped > 0 ? " (" + std::to_string(outcome.files_skipped) + " binary, large or unreadable ones passed over)" : "") + ".\n";
  }
  if (answer.data.hint) answer.text += "… " + *answer.data.hint + "\n";
  return answer;
}

}  // namespace paddock::tools
