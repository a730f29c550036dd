// The editor at work. For editor*.cc alone, each of which has the commands of one kind.
#pragma once

#include "base/budget.h"
#include "lang/ed/buffer.h"
#include "lang/ed/command_source.h"
#include "lang/ed/editor.h"
#include "lang/ed/substitution.h"

namespace paddock::ed {

inline Error Bad(const char* message) { return {Code::kInvalid, message}; }
inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsBlank(char c) { return c == ' ' || c == '\t'; }

inline constexpr size_t kWindow = 22;   // lines of z

class Editor {
 public:
  Editor(const EditorOptions& options, Host& host, Budget& budget)
      : o_(options), host_(host), budget_(budget), buffer_(budget), is_verbose_(options.is_verbose), prompts_(options.has_prompt) {}

  int Run();

 private:
  void Report(const Status& status, size_t script_line = 0);
  void Complain(const std::string& text);
  Status OpenFirst();

  // --- The text of one command line.

  char Look() const { return at_ < line_.size() ? line_[at_] : '\n'; }
  char Take() { return at_ < line_.size() ? line_[at_++] : '\n'; }
  void SkipBlanks() {
    while (IsBlank(Look())) ++at_;
  }
  bool is_at_end() const { return at_ >= line_.size(); }

  Result<size_t> TakeNumber();

  // --- Patterns.

  // The pattern up to `delimiter`, which is taken if it is there.
  Result<std::string> TakePattern(char delimiter, bool& is_closed);
  Status TakeSet(std::string& pattern);
  Result<std::shared_ptr<const Regex>> Compile(const std::string& pattern, bool ignores_case);
  Result<bool> Matches(const Regex& regex, size_t number);
  // The next line that matches, around the end of the buffer.
  Result<size_t> TakeSearch(char delimiter);

  // --- Addresses.

  struct Range {
    int count = 0;   // of addresses that were given
    size_t first = 0, second = 0;
  };

  // One address with what is added to it; nothing when there is none.
  Result<std::optional<size_t>> TakeAddress();
  Result<size_t> TakeMark();

  Result<Range> TakeRange();

  // The range of a command that works on lines that are there.
  Status Settle(Range& range, size_t first, size_t second) const;
  Status SettleCurrent(Range& range) const { return Settle(range, buffer_.current(), buffer_.current()); }
  // One address, of which 0 is one.
  Result<size_t> Single(const Range& range, size_t otherwise) const;
  static Status CheckNone(const Range& range);

  // --- Ends of commands.

  Result<PrintFlags> TakePrintFlags(PrintFlags flags = {});
  Status PrintCurrent(const PrintFlags& flags);
  // Takes the end of a command that changes lines, and does it.
  template <class Body>
  Status Finish(Body body) {
    PADDOCK_ASSIGN(const PrintFlags flags, TakePrintFlags());
    PADDOCK_TRY(body());
    return PrintCurrent(flags);
  }

  // --- Output.

  Status Print(size_t first, size_t last, const PrintFlags& flags);
  void List(std::string_view text, size_t column);

  // --- Files and shell commands.

  Status CheckName(const std::string& name) const;
  // What stands behind e, f, r and w.
  Result<std::string> TakeName();
  Result<std::string> NameOrDefault(const std::string& name) const;

  Status ReadInto(size_t after, const std::string& name, bool is_first);
  Status AddText(size_t after, std::string_view text);

  Status WriteLines(size_t first, size_t last, const std::string& name, bool appends);

  // % is the file, a ! in front the command before.
  Status RunShell();

  // --- Text that commands take.

  // The lines up to a "."; at the end of a global command's list what was there.
  std::vector<LinePtr> TakeText(CommandSource& commands);
  Status AppendText(size_t after, CommandSource& commands);

  void Cut(size_t first, size_t last);
  void Delete(size_t first, size_t last);
  std::vector<LinePtr> CopyOf(size_t first, size_t last);

  Status Join(size_t first, size_t last);
  Status Move(size_t first, size_t last, size_t after);
  // The address behind m and t.
  Result<size_t> TakeDestination();

  // --- s

  Status ParseSubstitution(CommandSource& commands);
  Result<std::string> TakeReplacement(char delimiter, bool& is_closed, CommandSource& commands);
  // s without a pattern: the one before again.
  Status RepeatSubstitution();
  Status SubstituteLines(size_t first, size_t last, bool is_global);

  // --- g, v, G, V

  Status Global(Range range, char kind, CommandSource& commands);
  // The rest of the line, and of lines behind escaped ends.
  Result<std::string> TakeCommandList(CommandSource& commands);
  Status AskForList(CommandSource& commands, std::string& list);
  Status RunList(const std::string& list);

  // --- Commands.

  Status Execute(const std::string& line, CommandSource& commands);

  Status ExecuteOnFile(char command, Range range);

  void ShowError();
  // The second time in a row, what is not saved is given up.
  Status CheckSaved();

  Status PrintNext(Range range, bool is_global);
  Status Change(Range range, CommandSource& commands);
  Status Paste(const Range& range);
  Status Substituted(Range range, CommandSource& commands);
  Status Mark(const Range& range);
  Status Scroll(const Range& range);
  Status NameFile(const Range& range);
  Status WriteOut(char command, Range range);

  const EditorOptions& o_;
  Host& host_;
  Budget& budget_;
  Buffer buffer_;
  std::string file_, last_error_;
  std::optional<std::string> shell_command_;   // the one before
  bool is_verbose_, prompts_;
  bool has_quit_ = false, has_failed_ = false, lacks_newline_ = false;
  bool was_warned_ = false, is_warning_ = false;   // of text that is not saved, by the command before and by this one
  std::string line_;   // the command line at work
  size_t at_ = 0;
  std::shared_ptr<const Regex> regex_;   // the one used last
  std::optional<Substitution> substitution_;
  std::string interactive_list_;
  PrintFlags interactive_print_;
  LinePtr marks_['z' - 'a' + 1];
  std::vector<LinePtr> cut_;
  size_t window_ = kWindow;
};

}  // namespace paddock::ed
