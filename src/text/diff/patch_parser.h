// Reads patches: unified, context, normal and ed-style differences with any text around them, and what git adds.
//
// A text may hold many patches. NextHeader() finds the next one, with what stands before it; NextHunk() its hunks, all in one
// form. Nothing here touches a file: names are what the text says, and whoever uses them decides which of them to trust.
// Source: the GNU patch manual, POSIX patch, git's description of extended headers; behaviour of GNU patch 2.7.6.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/date/time_zone.h"

namespace paddock {

class Budget;

enum class PatchKind { kNone, kUnified, kContext, kNewContext, kNormal, kEd };

struct PatchLine {
  char mark;               // ' ', '-' or '+'
  std::string_view text;   // with its newline, unless the patch says that there is none
};

// Index 0 is the old file, 1 the new one.
struct PatchHunk {
  std::array<int64_t, 2> first{};
  std::array<int64_t, 2> count{};
  std::vector<PatchLine> lines;
  std::string_view function;     // what stands behind the second @@ or the stars, without the newline
  size_t prefix_context = 0;     // unchanged lines before the first change and after the last
  size_t suffix_context = 0;

  void Reverse();
  void CountContext();
};

enum PatchName { kOldName, kNewName, kIndexName, kPatchNames };

struct PatchHeader {
  PatchKind kind = PatchKind::kNone;
  size_t lead_begin = 0;              // the text before the patch, as offsets
  size_t begin = 0;
  size_t line = 0;                    // of `begin`, from 1
  size_t indent = 0;
  bool strips_returns = false;        // the patch went through something that ends lines with CR LF
  std::array<std::optional<std::string>, kPatchNames> names;   // unquoted; nothing for /dev/null
  std::array<std::string, 2> git_names;   // as its first line has them
  std::array<std::string, 2> labels;  // as the header has them, with the time: for rejects
  std::array<std::optional<TimePoint>, 2> times;
  // 0: the file exists; 1: it is empty or does not; 2: it does not.
  std::array<int, 2> absent{};
  std::string prerequisite;
  bool is_git = false;
  bool is_git_binary = false;
  bool is_rename = false;
  bool is_copy = false;
  std::array<std::optional<uint32_t>, 2> modes;   // st_mode with the type

  void Reverse();
};

class PatchParser {
 public:
  // `forced` other than kNone takes patches of that kind only. `zone` is how times without an offset are read.
  PatchParser(std::string text, PatchKind forced, bool keeps_returns, const TimeZone& zone, Budget& budget);

  // The next patch, or nothing. Errors: the text of GNU's complaint, for a patch that ends before it began.
  Result<std::optional<PatchHeader>> NextHeader();
  // The next hunk of the patch that NextHeader() found. The views live as long as the parser.
  Result<std::optional<PatchHunk>> NextHunk();
  // The rest of the patch, which is an ed script, line by line; nothing at its end.
  std::optional<std::string_view> NextScriptLine();

  std::string_view text() const { return text_; }
  // Whether NextHeader() found nothing in some text at the end.
  bool has_trailing_text() const { return has_trailing_text_; }
  // True once, after the last line was read and turned out to have no newline.
  bool TakeEndedInLine();

 private:
  struct Draft;
  struct RawLine {
    std::string_view text;     // with its newline
    std::string_view content;  // behind the indent
    size_t indent = 0;
    size_t begin = 0;
  };
  std::optional<RawLine> ReadRaw();
  std::optional<std::string_view> Fetch();   // the next line of the patch, without indent and CR
  void Unread(size_t offset);
  void TakeFileLine(const RawLine& line, size_t skip, PatchName name, Draft& draft);
  void TakeGitNames(std::string_view text, Draft& draft);
  bool TakeGitLine(std::string_view content, Draft& draft);
  bool BeginsHere(const RawLine& line, Draft& draft);
  Result<std::optional<PatchHeader>> FinishContext(Draft& draft);
  PatchHeader Finish(Draft& draft, PatchKind kind, size_t begin, size_t line);
  bool Allows(PatchKind kind) const;

  Result<std::optional<PatchHunk>> NextUnified();
  Status ReadUnifiedLines(PatchHunk& hunk);
  Result<std::optional<PatchHunk>> NextContext();
  Result<std::optional<PatchHunk>> NextNormal();
  Status ReadNormalLines(PatchHunk& hunk, char mark, int64_t count);
  Status ReadRange(std::string_view& text, std::string_view line, char separator, PatchHunk& hunk, int side) const;
  Result<int64_t> ReadNumber(std::string_view& text, std::string_view line) const;
  Error Malformed(std::string_view line) const;
  std::string_view WithoutNewline(std::string_view text);   // when a "\\ No newline" line follows, which it takes

  std::string text_;
  PatchKind forced_;
  bool keeps_returns_;
  TimeZone zone_;
  Budget& budget_;
  size_t at_ = 0;
  size_t line_number_ = 0;       // of the line that was read last
  PatchKind kind_ = PatchKind::kNone;
  size_t indent_ = 0;
  bool strips_returns_ = false;
  bool has_trailing_text_ = false;
  bool lacks_newline_ = false;   // `text_` got one
  bool has_told_ = false;
  std::deque<std::string> kept_; // lines that lost their CR
};

}  // namespace paddock
