// Finding and replacing text in the files of a sandbox.
#include <stop_token>

#include "api/rest/files/held_files.h"
#include "api/rest/groups.h"
#include "tools/content/file_access.h"
#include "tools/content/replace_text.h"
#include "tools/content/search_files.h"

namespace paddock::api {
namespace {

struct SearchBody {
  std::string path = "/";
  std::string pattern, glob;
  bool regex = false, ignore_case = false;
  int64_t limit = 100, context = 0;
};
constexpr Field kSearchBody[] = {
    Required<&SearchBody::pattern>("pattern", "The text to find in a line.", {.min_length = 1, .max_length = 4096}),
    Optional<&SearchBody::path>("path", "Absolute path of a directory, or of one file.", {.min_length = 1, .max_length = 4095}),
    Optional<&SearchBody::regex>("regex", "The pattern is a regular expression of Perl's kind."),
    Optional<&SearchBody::ignore_case>("ignore_case", "Letters match in either case."),
    Optional<&SearchBody::glob>("glob", "Only such files: \"*.py\" at any depth, \"src/**/*.c\" from the path on. Empty: all that are not hidden.", {.max_length = 1024}),
    Optional<&SearchBody::limit>("limit", "At most so many matches.", {.min = 1, .max = 1000}),
    Optional<&SearchBody::context>("context", "Lines before and behind each.", {.min = 0, .max = 20}),
};
std::span<const Field> FieldsOf(const SearchBody*) { return kSearchBody; }

struct MatchShape {
  std::string path;
  int64_t line = 0;
  std::string text;
  std::vector<std::string> before, after;
};
constexpr Field kMatch[] = {
    Shown<&MatchShape::path>("path", "Of the file."),
    Shown<&MatchShape::line>("line", "Its number, from 1."),
    Shown<&MatchShape::text>("text", "The line; a long one is cut."),
    Shown<&MatchShape::before>("before", "Lines before it."),
    Shown<&MatchShape::after>("after", "Lines behind it."),
};
std::span<const Field> FieldsOf(const MatchShape*) { return kMatch; }

struct SearchAnswer {
  std::vector<MatchShape> matches;
  uint64_t files_searched = 0, files_skipped = 0;
  bool is_truncated = false;
  std::string why_truncated;
};
constexpr Field kSearchAnswer[] = {
    Shown<&SearchAnswer::matches>("matches", "By path, then line."),
    Shown<&SearchAnswer::files_searched>("files_searched", "How many were read."),
    Shown<&SearchAnswer::files_skipped>("files_skipped", "Larger than 4 MiB, binary, or not readable."),
    Shown<&SearchAnswer::is_truncated>("is_truncated", "There may be more."),
    Shown<&SearchAnswer::why_truncated>("why_truncated", "Which bound was met."),
};
std::span<const Field> FieldsOf(const SearchAnswer*) { return kSearchAnswer; }

Result<SearchAnswer> Search(Call& call, const Nothing&, SearchBody& body) {
  PADDOCK_TRY(CheckFilePath(body.path));
  std::stop_source stop;
  call.exchange.OnClientGone([stop]() mutable { stop.request_stop(); });
  PADDOCK_ASSIGN(const registry::HeldFiles files, HoldFiles(call));
  PADDOCK_ASSIGN(tools::SearchOutcome found, tools::SearchFiles(*files, {.root = vfs::NormalizePath(body.path),
                                                                         .pattern = body.pattern,
                                                                         .is_regex = body.regex,
                                                                         .ignores_case = body.ignore_case,
                                                                         .glob = body.glob,
                                                                         .most = static_cast<size_t>(body.limit),
                                                                         .context = static_cast<size_t>(body.context),
                                                                         .stop = stop.get_token()}));
  SearchAnswer answer{.matches = {}, .files_searched = found.files_searched, .files_skipped = found.files_skipped,
                      .is_truncated = found.is_truncated, .why_truncated = found.why_truncated};
  for (tools::SearchMatch& match : found.matches) {
    answer.matches.push_back({.path = std::move(match.path), .line = static_cast<int64_t>(match.line), .text = std::move(match.text),
                              .before = std::move(match.before), .after = std::move(match.after)});
  }
  return answer;
}

struct EditBody {
  std::string path, old_text, new_text;
  bool all = false;
};
constexpr Field kEditBody[] = {
    Required<&EditBody::path>("path", "Absolute path of a file of text.", {.min_length = 1, .max_length = 4095}),
    Required<&EditBody::old_text>("old_text", "What is there now, exactly; it must be there once.", {.min_length = 1, .max_length = 4 << 20}),
    Required<&EditBody::new_text>("new_text", "What takes its place.", {.max_length = 4 << 20}),
    Optional<&EditBody::all>("all", "Replace it wherever it is."),
};
std::span<const Field> FieldsOf(const EditBody*) { return kEditBody; }

struct EditAnswer {
  uint64_t replacements = 0;
  std::vector<int64_t> lines;
};
constexpr Field kEditAnswer[] = {
    Shown<&EditAnswer::replacements>("replacements", "How many."),
    Shown<&EditAnswer::lines>("lines", "Where they begin in the new text, from 1; at most 100."),
};
std::span<const Field> FieldsOf(const EditAnswer*) { return kEditAnswer; }

Result<EditAnswer> Edit(Call& call, const Nothing&, EditBody& body) {
  PADDOCK_TRY(CheckFilePath(body.path));
  PADDOCK_ASSIGN(registry::HeldFiles files, HoldFiles(call));
  PADDOCK_ASSIGN(const std::string text, tools::ReadRegularFile(*files, body.path));
  PADDOCK_ASSIGN(const tools::Replaced replaced, tools::ReplaceText(text, body.old_text, body.new_text, body.all));
  if (replaced.text.size() > tools::kMaxFileBytes) return Error(Code::kFileTooBig, "the file would be larger than 4 MiB");
  PADDOCK_ASSIGN(const tools::WriteOutcome written, tools::WriteRegularFile(*files, body.path, replaced.text, {.create_directories = false}));
  (void)written;   // it was there
  PADDOCK_TRY(files.Commit());
  EditAnswer answer{.replacements = replaced.count, .lines = {}};
  for (const size_t line : replaced.lines) answer.lines.push_back(static_cast<int64_t>(line));
  return answer;
}

}  // namespace

std::vector<Operation> SearchOperations() {
  return {
      Define<Nothing, SearchBody, SearchAnswer, Search>("POST", "/v1/sandboxes/{sandbox}/files/search", "searchFiles", "Finds text in files.", Access::kRead),
      Define<Nothing, EditBody, EditAnswer, Edit>("POST", "/v1/sandboxes/{sandbox}/files/edit", "editFile", "Replaces text in a file: all of it at once, or nothing.", Access::kUse),
  };
}

}  // namespace paddock::api
