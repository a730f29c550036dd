// What rg does with one file: finds lines or matches and prints them, counts them or tells them as JSON.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream.h"
#include "commands/text/rg_colors.h"
#include "proc/command.h"
#include "text/regex.h"
#include "text/text_finder.h"

namespace paddock {

struct RgSettings {
  enum class Mode { kLines, kCount, kCountMatches, kFilesWith, kFilesWithout, kQuiet, kJson };
  Mode mode = Mode::kLines;
  bool invert = false;
  bool only_matching = false;
  bool multiline = false;
  bool passthru = false;
  bool each_match = false;       // --vimgrep
  bool line_numbers = false;
  bool columns = false;
  bool offsets = false;
  bool shows_name = false;
  bool heading = false;
  bool trim = false;
  bool includes_zero = false;
  bool null_after_name = false;
  bool text = false;             // nothing counts as binary
  bool binary_everywhere = false;
  bool null_data = false;
  bool crlf = false;
  bool colors = false;
  bool stats = false;
  bool preview = false;
  size_t before = 0, after = 0;
  std::optional<uint64_t> max_count, max_columns;
  std::optional<std::string> replacement;
  std::optional<std::string> context_separator = "--";
  std::string match_separator = ":", field_context_separator = "-";
  char path_separator = '/';
  RgColors color_table;
};

// The longest run of letters, digits and blanks outside groups that each match of the pattern holds. Empty when there is none, or
// when the pattern has what could give letters another meaning: flags, quoting, alternatives.
std::string LongestRequired(std::string_view pattern);

// The pattern, once for text of bytes below 128 and once for any text.
class RgMatcher {
 public:
  // `pattern` in Perl's dialect. Errors: kSyntax.
  static Result<RgMatcher> Make(const std::string& pattern, bool ignores_case, bool is_multiline, bool is_unicode);
  // The groups of the leftmost match at or after `from`.
  Result<bool> Find(std::string_view text, size_t from, RegexText kind, std::vector<RegexGroup>& groups, Budget& budget) const;
  // Where bytes are that each line with a match holds.
  size_t FindRequired(std::string_view text) const { return required_.Find(text); }
  // False when none are known.
  bool has_required() const { return !required_.wanted().empty(); }
  size_t group_count() const { return ascii_.group_count(); }
  std::optional<size_t> GroupNamed(std::string_view name) const;

 private:
  RgMatcher(Regex ascii, std::optional<Regex> any, std::map<std::string, size_t, std::less<>> names, std::string literal, std::string_view required)
      : ascii_(std::move(ascii)), any_(std::move(any)), names_(std::move(names)), literal_(std::move(literal)), required_(required) {}
  Regex ascii_;
  std::optional<Regex> any_;
  std::map<std::string, size_t, std::less<>> names_;
  std::string literal_;   // the pattern, when it is plain text
  TextFinder required_;
};

struct RgTotals {
  uint64_t matches = 0, lines = 0, files_with = 0, files = 0, bytes_printed = 0, bytes_searched = 0;
};

class RgSearch {
 public:
  RgSearch(Invocation& in, const RgSettings& settings, const RgMatcher& matcher) : in_(in), settings_(settings), matcher_(matcher) {}

  // Searches one input; `is_explicit`: named by the user. Returns whether something was selected.
  Result<bool> File(Input& input, const std::string& name, bool is_explicit);
  void PrintStats(bool is_json);

 private:
  struct Span {
    size_t begin, end;
    std::vector<RegexGroup> groups;
  };
  struct KeptLine {
    std::string text;
    uint64_t number, offset;
  };

  Result<bool> Lines(Input& input);
  void SkipLines(Input& input, char delimiter);
  Result<bool> Whole(std::string text);
  Status TakeLine(std::string_view line, bool is_terminated);
  Status FindAll(std::string_view text, std::vector<Span>& spans);
  Status Select(std::string_view text, uint64_t number, uint64_t offset, const std::vector<Span>& spans);
  void PrintMatch(std::string_view text, uint64_t number, uint64_t offset, const std::vector<Span>& spans);
  void PrintContext(std::string_view line, uint64_t number, uint64_t offset);
  void PrintText(std::string_view text, uint64_t number, uint64_t offset, std::optional<size_t> column, bool is_match, const std::vector<Span>* spans, uint64_t matches);
  void PrintPrefix(bool is_match, uint64_t number, std::optional<uint64_t> column, uint64_t offset);
  void BeginGroup(uint64_t number);
  std::string Replace(std::string_view text, const std::vector<Span>& spans) const;
  void AppendReplacement(std::string& out, std::string_view text, const Span& span) const;
  void Write(std::string_view text);
  void WriteName();
  void JsonBegin();
  void JsonLine(const char* type, std::string_view text, uint64_t number, uint64_t offset, const std::vector<Span>& spans);
  void JsonEnd();
  bool is_done() const { return is_finished_; }

  Invocation& in_;
  const RgSettings& settings_;
  const RgMatcher& matcher_;
  RgTotals totals_;
  bool has_printed_any_ = false;    // in any file

  // The file at hand.
  std::string name_;
  uint64_t number_ = 0, offset_ = 0;
  uint64_t selected_ = 0, matches_ = 0;
  uint64_t printed_bytes_ = 0;
  uint64_t last_printed_ = 0;       // the number of the line printed last, 0 for none
  size_t after_left_ = 0;
  std::deque<KeptLine> before_;
  bool is_quitting_binary_ = false, is_telling_binary_ = false;
  std::optional<uint64_t> binary_at_;
  bool has_begun_ = false;
  bool is_finished_ = false;
};

}  // namespace paddock
