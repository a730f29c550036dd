#include "lang/ed/editor.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/budget.h"
#include "lang/ed/buffer.h"
#include "lang/ed/substitution.h"

namespace paddock::ed {
namespace {

constexpr size_t kListWidth = 72;     // columns of a line of l
constexpr size_t kWindow = 22;        // lines of z
constexpr int kUnsaved = 2;

Error Bad(const char* message) { return {Code::kInvalid, message}; }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// An odd number of backslashes at the end continues the line.
bool IsContinued(std::string_view line) {
  const size_t last = line.find_last_not_of('\\');
  return (line.size() - (last == std::string_view::npos ? 0 : last + 1)) % 2 == 1;
}

// The lines of commands: those of standard input, or the list of a global command.
class CommandSource {
 public:
  virtual ~CommandSource() = default;
  // Nothing at the end; a last line without a newline is none.
  virtual std::optional<std::string> Next() = 0;
  virtual bool is_global() const = 0;
};

class InputCommands final : public CommandSource {
 public:
  explicit InputCommands(Host& host) : host_(host) {}
  std::optional<std::string> Next() override {
    // What ran so far shows before anything waits.
    if (!host_.commands().has_buffered()) host_.out().Flush();
    const auto line = host_.commands().ReadLine();
    if (!line || !line->is_terminated) return std::nullopt;
    return std::string(line->text);
  }
  bool is_global() const override { return false; }

 private:
  Host& host_;
};

class ListCommands final : public CommandSource {
 public:
  explicit ListCommands(std::string_view list) : rest_(list) {}
  std::optional<std::string> Next() override {
    if (is_done_) return std::nullopt;
    const size_t end = rest_.find('\n');
    std::string line(rest_.substr(0, end));
    is_done_ = end == std::string_view::npos;
    if (!is_done_) rest_.remove_prefix(end + 1);
    return line;
  }
  bool is_global() const override { return true; }

 private:
  std::string_view rest_;
  bool is_done_ = false;
};

class Editor {
 public:
  Editor(const EditorOptions& options, Host& host, Budget& budget)
      : o_(options), host_(host), budget_(budget), buffer_(budget), is_verbose_(options.is_verbose), prompts_(options.has_prompt) {}

  int Run() {
    if (!o_.file.empty()) {
      Report(OpenFirst());
      buffer_.set_modified(false);
      buffer_.DropStep();
    }
    InputCommands commands(host_);
    while (!has_quit_) {
      budget_.Step();
      if (prompts_) {
        host_.out().Write(o_.prompt);
        host_.out().Flush();
      }
      std::optional<std::string> line = commands.Next();
      if (!line) {
        // The end of the commands is a q, once.
        if (buffer_.is_modified() && !was_warned_) {
          Report(Bad("Warning: buffer modified"));
          return o_.is_loose ? 0 : kUnsaved;
        }
        break;
      }
      buffer_.BeginStep();
      is_warning_ = false;
      Report(Execute(*line, commands));
      was_warned_ = is_warning_;
    }
    return has_failed_ && !o_.is_loose ? 1 : 0;
  }

 private:
  void Report(const Status& status) {
    if (status) return;
    has_failed_ = true;
    last_error_ = status.error().Text();
    host_.out().Write("?\n");
    if (is_verbose_) host_.out().Write(last_error_ + "\n");
    host_.out().Flush();
  }
  void Complain(const std::string& text) {
    if (o_.is_quiet) return;
    host_.out().Flush();
    host_.err().Write(text + "\n");
  }
  Status OpenFirst() {
    if (o_.file[0] != '!') {
      PADDOCK_TRY(CheckName(o_.file));
      file_ = o_.file;
    }
    return ReadInto(0, o_.file, true);
  }

  // --- The text of one command line.

  char Look() const { return at_ < line_.size() ? line_[at_] : '\n'; }
  char Take() { return at_ < line_.size() ? line_[at_++] : '\n'; }
  void SkipBlanks() {
    while (IsBlank(Look())) ++at_;
  }
  bool is_at_end() const { return at_ >= line_.size(); }

  Result<size_t> TakeNumber() {
    size_t value = 0;
    const auto [end, error] = std::from_chars(line_.data() + at_, line_.data() + line_.size(), value);
    at_ = static_cast<size_t>(end - line_.data());
    if (error != std::errc() || value > size_t{1} << 40) return Bad("Number out of range");
    return value;
  }

  // --- Patterns.

  // The pattern up to `delimiter`, which is taken if it is there.
  Result<std::string> TakePattern(char delimiter, bool& is_closed) {
    std::string pattern;
    is_closed = false;
    while (!is_at_end()) {
      budget_.Step();
      if (Look() == delimiter) {
        is_closed = true;
        ++at_;
        break;
      }
      if (Look() == '[') {
        PADDOCK_TRY(TakeSet(pattern));
        continue;
      }
      if (Look() == '\\' && at_ + 1 < line_.size()) {
        // The delimiter without a meaning of its own.
        if (line_[at_ + 1] != delimiter) pattern += '\\';
        ++at_;
      }
      pattern += Take();
    }
    return pattern;
  }
  Status TakeSet(std::string& pattern) {
    const size_t begin = at_++;
    if (Look() == '^') ++at_;
    if (Look() == ']') ++at_;
    while (Look() != ']') {
      if (is_at_end()) return Bad("Unbalanced brackets ([])");
      const char c = Take();
      if (c == '[' && (Look() == '.' || Look() == ':' || Look() == '=')) {
        const std::string end{line_[at_], ']'};
        const size_t close = line_.find(end, at_ + 1);
        if (close == std::string::npos) return Bad("Unbalanced brackets ([])");
        at_ = close + 2;
      }
    }
    ++at_;
    pattern += line_.substr(begin, at_ - begin);
    return {};
  }
  Result<std::shared_ptr<const Regex>> Compile(const std::string& pattern, bool ignores_case) {
    if (pattern.empty()) {
      if (regex_ == nullptr) return Bad("No previous pattern");
      return regex_;
    }
    auto regex = Regex::Compile(pattern, {.dialect = o_.is_extended ? RegexDialect::kSedExtended : RegexDialect::kBasic,
                                          .ignore_case = ignores_case,
                                          .is_utf8 = o_.is_utf8});
    if (!regex) return Error(Code::kInvalid, std::string(regex.error().Text()));
    regex_ = std::make_shared<const Regex>(std::move(*regex));
    return regex_;
  }
  Result<bool> Matches(const Regex& regex, size_t number) {
    const std::string& text = buffer_.at(number)->text;
    budget_.Step(static_cast<int64_t>(1 + text.size() / 64));
    auto found = regex.Search(text, 0, nullptr, budget_);
    if (!found) return Error(Code::kInvalid, std::string(found.error().Text()));
    return *found;
  }
  // The next line that matches, around the end of the buffer.
  Result<size_t> TakeSearch(char delimiter) {
    bool is_closed = false;
    PADDOCK_ASSIGN(const std::string pattern, TakePattern(delimiter, is_closed));
    bool ignores_case = false;
    if (is_closed && Look() == 'I') ++at_, ignores_case = true;
    PADDOCK_ASSIGN(const auto regex, Compile(pattern, ignores_case));
    const size_t size = buffer_.size();
    size_t number = buffer_.current();
    for (size_t i = 0; i < size; ++i) {
      if (delimiter == '/') number = number >= size ? 1 : number + 1;
      else number = number <= 1 ? size : number - 1;
      PADDOCK_ASSIGN(const bool is_match, Matches(*regex, number));
      if (is_match) return number;
    }
    return Bad("No match");
  }

  // --- Addresses.

  struct Range {
    int count = 0;   // of addresses that were given
    size_t first = 0, second = 0;
  };

  // One address with what is added to it; nothing when there is none.
  Result<std::optional<size_t>> TakeAddress() {
    SkipBlanks();
    std::optional<int64_t> value;
    const char c = Look();
    if (is_at_end()) return std::optional<size_t>();
    if (IsDigit(c)) {
      PADDOCK_ASSIGN(const size_t number, TakeNumber());
      value = static_cast<int64_t>(number);
    } else if (c == '.' || c == '$') {
      ++at_;
      value = static_cast<int64_t>(c == '.' ? buffer_.current() : buffer_.size());
    } else if (c == '/' || c == '?') {
      ++at_;
      PADDOCK_ASSIGN(const size_t number, TakeSearch(c));
      value = static_cast<int64_t>(number);
    } else if (c == '\'') {
      ++at_;
      PADDOCK_ASSIGN(const size_t number, TakeMark());
      value = static_cast<int64_t>(number);
    }
    while (true) {
      SkipBlanks();
      const char sign = Look();
      if (is_at_end() || (sign != '+' && sign != '-' && !(IsDigit(sign) && value))) break;
      if (!IsDigit(sign)) ++at_;
      size_t step = 1;
      if (IsDigit(Look())) {
        PADDOCK_ASSIGN(step, TakeNumber());
      }
      const auto base = value.value_or(static_cast<int64_t>(buffer_.current()));
      value = sign == '+' || IsDigit(sign) ? base + static_cast<int64_t>(step) : base - static_cast<int64_t>(step);
    }
    if (!value) return std::optional<size_t>();
    if (*value < 0 || static_cast<size_t>(*value) > buffer_.size()) return Bad("Invalid address");
    return std::optional(static_cast<size_t>(*value));
  }
  Result<size_t> TakeMark() {
    const char name = Take();
    if (name < 'a' || name > 'z') return Bad("Invalid mark character");
    const LinePtr& line = marks_[name - 'a'];
    const size_t number = line == nullptr ? 0 : buffer_.Find(*line, buffer_.current());
    if (number == 0) return Bad("Invalid address");
    return number;
  }

  Result<Range> TakeRange() {
    Range range;
    const auto push = [&](size_t number) {
      range.first = range.count == 0 ? number : range.second;
      range.second = number;
      range.count = std::min(range.count + 1, 2);
    };
    std::optional<size_t> missing;   // what stands behind a separator when nothing does
    while (true) {
      budget_.Step();
      PADDOCK_ASSIGN(const std::optional<size_t> address, TakeAddress());
      if (address) push(*address);
      const char separator = Look();
      const bool is_all = separator == '%' && !is_at_end() && !address;
      if (is_at_end() || (separator != ',' && separator != ';' && !is_all)) {
        if (!address && missing) push(*missing);
        return range;
      }
      ++at_;
      if (!address) push(missing.value_or(separator == ';' ? buffer_.current() : 1));
      missing = address.value_or(buffer_.size());
            if (separator == ';') buffer_.set_current(range.second);
    }
  }

  // The range of a command that works on lines that are there.
  Status Settle(Range& range, size_t first, size_t second) const {
    if (range.count == 0) range.first = first, range.second = second;
    else if (range.count == 1) range.first = range.second;
    if (range.first < 1 || range.second < range.first || range.second > buffer_.size()) return Bad("Invalid address");
    return {};
  }
  Status SettleCurrent(Range& range) const { return Settle(range, buffer_.current(), buffer_.current()); }
  // One address, of which 0 is one.
  Result<size_t> Single(const Range& range, size_t otherwise) const {
    const size_t number = range.count == 0 ? otherwise : range.second;
    if (number > buffer_.size()) return Bad("Invalid address");
    return number;
  }
  static Status CheckNone(const Range& range) {
    if (range.count > 0) return Bad("Unexpected address");
    return {};
  }

  // --- Ends of commands.

  Result<PrintFlags> TakePrintFlags(PrintFlags flags = {}) {
    while (!is_at_end()) {
      const char c = Take();
      if (c == 'p') flags.plain = true;
      else if (c == 'n') flags.numbered = true;
      else if (c == 'l') flags.listed = true;
      else return Bad("Invalid command suffix");
    }
    return flags;
  }
  Status PrintCurrent(const PrintFlags& flags) {
    if (!flags.any()) return {};
    if (buffer_.current() == 0) return Bad("Invalid address");
    return Print(buffer_.current(), buffer_.current(), flags);
  }
  // Takes the end of a command that changes lines, and does it.
  template <class Body>
  Status Finish(Body body) {
    PADDOCK_ASSIGN(const PrintFlags flags, TakePrintFlags());
    PADDOCK_TRY(body());
    return PrintCurrent(flags);
  }

  // --- Output.

  Status Print(size_t first, size_t last, const PrintFlags& flags) {
    if (last == 0) return Bad("Invalid address");
    for (size_t number = first; number <= last; ++number) {
      const std::string& text = buffer_.at(number)->text;
      budget_.Step(static_cast<int64_t>(1 + text.size() / 32));
      std::string head;
      if (flags.numbered) head = std::to_string(number) + "\t";
      host_.out().Write(head);
      if (flags.listed) List(text, head.empty() ? 0 : 8);
      else host_.out().Write(text);
      host_.out().Put('\n');
    }
    buffer_.set_current(last);
    return {};
  }
  void List(std::string_view text, size_t column) {
    for (const char c : text) {
      constexpr std::string_view kLetters = "\a\b\f\n\r\t\v\\$", kNames = "abfnrtv\\$";
      std::string shown(1, c);
      const size_t known = kLetters.find(c);
      if (known != std::string_view::npos) {
        shown = {'\\', kNames[known]};
      } else if (c < ' ' || c > '~') {
        char octal[8];
        std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
        shown = octal;
      }
      if (column + shown.size() > kListWidth) {
        host_.out().Write("\\\n");
        column = 0;
      }
      host_.out().Write(shown);
      column += shown.size();
    }
    host_.out().Put('$');
  }

  // --- Files and shell commands.

  Status CheckName(const std::string& name) const {
    if (!o_.is_restricted) return {};
    if (name.starts_with('!')) return Bad("Shell access restricted");
    if (name == ".." || name.find('/') != std::string::npos) return Bad("Directory access restricted");
    return {};
  }
  // What stands behind e, f, r and w.
  Result<std::string> TakeName() {
    if (!is_at_end() && !IsBlank(Look())) return Bad("Unexpected command suffix");
    SkipBlanks();
    std::string name = line_.substr(at_);
    at_ = line_.size();
    PADDOCK_TRY(CheckName(name));
    return name;
  }
  Result<std::string> NameOrDefault(const std::string& name) const {
    if (!name.empty()) return name;
    if (file_.empty()) return Bad("No current filename");
    return file_;
  }

  Status ReadInto(size_t after, const std::string& name, bool is_first) {
    std::string text;
    if (name.starts_with('!')) {
      const auto status = host_.ReadFrom(name.substr(1), text);
      if (!status) return Bad("Cannot open input file");
      PADDOCK_TRY(AddText(after, text));
      if (*status != 0) {
        Complain(name + ": Success");
        return Bad("Cannot close input file");
      }
    } else {
      auto read = host_.Read(name);
      if (!read) {
        Complain(name + ": " + std::string(read.error().Text()));
        // A file that is yet to be is no mistake.
        if (is_first && read.error().code == Code::kNoEntry) return {};
        return Bad(read.error().code == Code::kIsDirectory ? "Cannot read input file" : "Cannot open input file");
      }
      text = std::move(*read);
      PADDOCK_TRY(AddText(after, text));
    }
    return {};
  }
  Status AddText(size_t after, std::string_view text) {
    size_t bytes = text.size();
    std::vector<LinePtr> lines;
    const bool is_binary = text.find('\0') != std::string_view::npos;
    while (!text.empty()) {
      const size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      budget_.Step(static_cast<int64_t>(1 + line.size() / 32));
      if (o_.strips_returns && line.ends_with('\r')) line.remove_suffix(1), --bytes;
      lines.push_back(std::make_shared<Line>(line));
      if (end == std::string_view::npos) {
        if (is_binary) {
          lacks_newline_ = true;
        } else {
          ++bytes;
          host_.out().Write("Newline appended\n");
        }
        break;
      }
      text.remove_prefix(end + 1);
    }
    if (!o_.is_script) host_.out().Write(std::to_string(bytes) + "\n");
    const size_t count = lines.size();
    buffer_.Insert(after, std::move(lines));
    buffer_.set_current(after + count);
    return {};
  }

  Status WriteLines(size_t first, size_t last, const std::string& name, bool appends) {
    std::string text;
    for (size_t number = first; number > 0 && number <= last; ++number) {
      const std::string& line = buffer_.at(number)->text;
      budget_.Step(static_cast<int64_t>(1 + line.size() / 32));
      if (text.size() + line.size() + 1 > text.capacity()) budget_.WillAllocate(2 * (text.size() + line.size() + 1));
      text.append(line).append(number == buffer_.size() && lacks_newline_ ? "" : "\n");
    }
    if (name.starts_with('!')) {
      const auto status = host_.WriteTo(name.substr(1), text);
      if (!status) return Bad("Cannot open output file");
      if (*status != 0) {
        Complain(name + ": Success");
        return Bad("Cannot close output file");
      }
    } else if (const Status status = host_.Write(name, text, appends); !status) {
      Complain(name + ": " + std::string(status.error().Text()));
      return Bad(status.error().code == Code::kNoSpace ? "Cannot write file" : "Cannot open output file");
    }
    if (!o_.is_script) host_.out().Write(std::to_string(text.size()) + "\n");
    const bool is_all = last == buffer_.size() && first <= 1;
    if (is_all && !name.starts_with('!')) buffer_.set_modified(false);
    return {};
  }

  // % is the file, a ! in front the command before.
  Status RunShell() {
    if (o_.is_restricted) return Bad("Shell access restricted");
    std::string command;
    bool has_changed = false;
    if (Look() == '!') {
      ++at_;
      if (!shell_command_) return Bad("No previous command");
      command = *shell_command_;
      has_changed = true;
    }
    while (!is_at_end()) {
      const char c = Take();
      if (c == '%') {
        if (file_.empty()) return Bad("No current filename");
        command += file_;
        has_changed = true;
      } else if (c == '\\' && Look() == '%') {
        command += Take();
      } else {
        command += c;
      }
    }
    shell_command_ = command;
    if (has_changed) host_.out().Write(command + "\n");
    host_.out().Flush();
    const auto status = host_.Run(command);
    if (!status) return Bad("Can't create shell process");
    if (!o_.is_script) host_.out().Write("!\n");
    return {};
  }

  // --- Text that commands take.

  // The lines up to a "."; at the end of a global command's list what was there.
  std::vector<LinePtr> TakeText(CommandSource& commands) {
    std::vector<LinePtr> lines;
    while (true) {
      budget_.Step();
      const auto line = commands.Next();
      if (!line || *line == ".") return lines;
      lines.push_back(std::make_shared<Line>(*line));
    }
  }
  Status AppendText(size_t after, CommandSource& commands) {
    PADDOCK_ASSIGN(const PrintFlags flags, TakePrintFlags());
    std::vector<LinePtr> lines = TakeText(commands);
    const size_t count = lines.size();
    buffer_.Insert(after, std::move(lines));
    buffer_.set_current(after + count);
    return PrintCurrent(flags);
  }

  void Cut(size_t first, size_t last) {
    cut_.clear();
    for (size_t number = first; number <= last; ++number) {
      budget_.Step();
      cut_.push_back(std::make_shared<Line>(buffer_.at(number)->text));
    }
  }
  void Delete(size_t first, size_t last) {
    Cut(first, last);
    buffer_.Replace(first - 1, last - first + 1, {});
    buffer_.set_current(std::min(first, buffer_.size()));
  }
  std::vector<LinePtr> CopyOf(size_t first, size_t last) {
    std::vector<LinePtr> lines;
    for (size_t number = first; number <= last; ++number) {
      budget_.Step(static_cast<int64_t>(1 + buffer_.at(number)->text.size() / 32));
      lines.push_back(std::make_shared<Line>(buffer_.at(number)->text));
    }
    return lines;
  }

  Status Join(size_t first, size_t last) {
    if (first == last) return {};
    std::string text;
    for (size_t number = first; number <= last; ++number) {
      budget_.Step(static_cast<int64_t>(1 + buffer_.at(number)->text.size() / 32));
      text += buffer_.at(number)->text;
    }
    Cut(first, last);
    std::vector<LinePtr> lines{std::make_shared<Line>(text)};
    buffer_.Replace(first - 1, last - first + 1, std::move(lines));
    buffer_.set_current(first);
    return {};
  }
  Status Move(size_t first, size_t last, size_t after) {
    if (after >= first && after < last) return Bad("Invalid destination");
    const size_t count = last - first + 1;
    if (after == last || after + 1 == first) {
      buffer_.set_current(last);
      return {};
    }
    std::vector<LinePtr> lines;
    for (size_t number = first; number <= last; ++number) lines.push_back(buffer_.at(number));
    buffer_.Replace(first - 1, count, {});
    if (after > last) after -= count;
    buffer_.Insert(after, std::move(lines));
    buffer_.set_current(after + count);
    return {};
  }
  // The address behind m and t.
  Result<size_t> TakeDestination() {
    PADDOCK_ASSIGN(const Range range, TakeRange());
    return Single(range, buffer_.current());
  }

  // --- s

  Status ParseSubstitution(CommandSource& commands) {
    const char delimiter = Take();
    bool is_closed = false;
    PADDOCK_ASSIGN(const std::string pattern, TakePattern(delimiter, is_closed));
    if (!is_closed) return Bad("Missing pattern delimiter");
    Substitution made;
    PADDOCK_ASSIGN(std::string replacement, TakeReplacement(delimiter, is_closed, commands));
    if (replacement == "%") {
      if (!substitution_) return Bad("No previous substitution");
      replacement = substitution_->replacement;
    }
    made.replacement = std::move(replacement);
    bool ignores_case = false;
    if (!is_closed) made.print.plain = true;
    bool has_count = false;
    while (!is_at_end()) {
      const char c = Look();
      if (IsDigit(c)) {
        if (has_count || c == '0') return Bad("Invalid command suffix");
        PADDOCK_ASSIGN(made.count, TakeNumber());
        has_count = true;
        continue;
      }
      ++at_;
      if (c == 'g' && !made.is_global) made.is_global = true;
      else if ((c == 'I' || c == 'i') && !ignores_case) ignores_case = true;
      else if (c == 'p') made.print.plain = true;
      else if (c == 'n') made.print.numbered = true;
      else if (c == 'l') made.print.listed = true;
      else return Bad("Invalid command suffix");
    }
    PADDOCK_ASSIGN(made.regex, Compile(pattern, ignores_case));
    substitution_ = std::move(made);
    return {};
  }
  Result<std::string> TakeReplacement(char delimiter, bool& is_closed, CommandSource& commands) {
    std::string replacement;
    is_closed = false;
    while (true) {
      budget_.Step();
      if (is_at_end()) return replacement;
      const char c = Take();
      if (c == delimiter) {
        is_closed = true;
        return replacement;
      }
      if (c != '\\') {
        replacement += c;
        continue;
      }
      if (!is_at_end()) {
        replacement += '\\';
        replacement += Take();
        continue;
      }
      // An escaped end of the line: the replacement goes on in the next one.
      auto next = commands.Next();
      if (!next) return Bad("Unexpected end-of-file");
      replacement += '\n';
      line_ = std::move(*next);
      at_ = 0;
    }
  }
  // s without a pattern: the one before again.
  Status RepeatSubstitution() {
    if (!substitution_) return Bad("No previous substitution");
    Substitution& again = *substitution_;
    while (!is_at_end()) {
      const char c = Look();
      if (IsDigit(c)) {
        PADDOCK_ASSIGN(again.count, TakeNumber());
        if (again.count == 0) return Bad("Invalid command suffix");
        again.is_global = false;
        continue;
      }
      ++at_;
      if (c == 'g') again.is_global = !again.is_global;
      else if (c == 'p') again.print.plain = !again.print.plain;
      else if (c == 'r') again.regex = regex_;
      else if (c == 'l') again.print.listed = true;
      else if (c == 'n') again.print.numbered = true;
      else return Bad("Invalid command suffix");
    }
    return {};
  }
  Status SubstituteLines(size_t first, size_t last, bool is_global) {
    const Substitution& substitution = *substitution_;
    bool has_changed = false;
    while (first <= last) {
      PADDOCK_ASSIGN(const auto text, Substitute(substitution, buffer_.at(first)->text, budget_));
      if (!text) {
        ++first;
        continue;
      }
      std::vector<LinePtr> lines;
      for (std::string_view rest = *text;;) {
        const size_t end = rest.find('\n');
        lines.push_back(std::make_shared<Line>(rest.substr(0, end)));
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
      }
      const size_t added = lines.size() - 1;
      Cut(first, first);
      buffer_.Replace(first - 1, 1, std::move(lines));
      buffer_.set_current(first + added);
      first += added + 1;
      last += added;
      has_changed = true;
    }
    if (!has_changed && !is_global) return Bad("No match");
    return has_changed ? PrintCurrent(substitution.print) : Status();
  }

  // --- g, v, G, V

  Status Global(Range range, char kind, CommandSource& commands) {
    if (commands.is_global()) return Bad("Cannot nest global commands");
    PADDOCK_TRY(Settle(range, 1, buffer_.size()));
    const bool is_interactive = kind == 'G' || kind == 'V';
    const bool wants_match = kind == 'g' || kind == 'G';
    const char delimiter = Look();
    if (is_at_end() || delimiter == ' ') return Bad("Invalid pattern delimiter");
    ++at_;
    bool is_closed = false;
    PADDOCK_ASSIGN(const std::string pattern, TakePattern(delimiter, is_closed));
    bool ignores_case = false;
    if (is_closed && Look() == 'I') ++at_, ignores_case = true;
    PADDOCK_ASSIGN(const auto regex, Compile(pattern, ignores_case));
    std::vector<LinePtr> lines;
    for (size_t number = range.first; number <= range.second; ++number) {
      PADDOCK_ASSIGN(const bool is_match, Matches(*regex, number));
      if (is_match == wants_match) lines.push_back(buffer_.at(number));
    }
    std::string list;
    if (is_interactive) {
      PADDOCK_ASSIGN(const PrintFlags flags, TakePrintFlags());
      interactive_print_ = flags;
    } else {
      PADDOCK_ASSIGN(list, TakeCommandList(commands));
    }
    buffer_.DropStep();
    buffer_.BeginStep();
    size_t hint = range.first;
    for (const LinePtr& line : lines) {
      budget_.Step();
      const size_t number = buffer_.Find(*line, hint);
      if (number == 0) continue;
      hint = number;
      buffer_.set_current(number);
      if (is_interactive) {
        PADDOCK_TRY(AskForList(commands, list));
        if (list.empty()) continue;
      }
      PADDOCK_TRY(RunList(list));
      if (has_quit_) break;
    }
    return {};
  }
  // The rest of the line, and of lines behind escaped ends.
  Result<std::string> TakeCommandList(CommandSource& commands) {
    std::string list = line_.substr(at_);
    at_ = line_.size();
    while (IsContinued(list)) {
      budget_.Step();
      const auto next = commands.Next();
      if (!next) return Bad("Unexpected end-of-file");
      list.back() = '\n';
      if (list.size() + next->size() > list.capacity()) budget_.WillAllocate(2 * (list.size() + next->size()));
      list += *next;
    }
    return list.empty() ? "p" : list;
  }
  Status AskForList(CommandSource& commands, std::string& list) {
    PADDOCK_TRY(Print(buffer_.current(), buffer_.current(), interactive_print_));
    const auto line = commands.Next();
    if (!line) return Bad("Unexpected end-of-file");
    if (line->empty()) {
      list.clear();
      return {};
    }
    if (*line == "&") {
      if (interactive_list_.empty()) return Bad("No previous command");
      list = interactive_list_;
      return {};
    }
    line_ = *line;
    at_ = 0;
    PADDOCK_ASSIGN(list, TakeCommandList(commands));
    interactive_list_ = list;
    return {};
  }
  Status RunList(const std::string& list) {
    ListCommands commands(list);
    while (const auto line = commands.Next()) {
      PADDOCK_TRY(Execute(*line, commands));
      if (has_quit_) break;
    }
    return {};
  }

  // --- Commands.

  Status Execute(const std::string& line, CommandSource& commands) {
    line_ = line;
    at_ = 0;
    budget_.Step(static_cast<int64_t>(1 + line.size() / 32));
    PADDOCK_ASSIGN(Range range, TakeRange());
    SkipBlanks();
    if (is_at_end()) return PrintNext(range, commands.is_global());
    const char command = Take();
    switch (command) {
      case 'a': {
        PADDOCK_ASSIGN(const size_t after, Single(range, buffer_.current()));
        return AppendText(after, commands);
      }
      case 'i': {
        PADDOCK_ASSIGN(const size_t before, Single(range, buffer_.current()));
        return AppendText(before > 0 ? before - 1 : 0, commands);
      }
      case 'c': return Change(range, commands);
      case 'd':
        PADDOCK_TRY(SettleCurrent(range));
        return Finish([&]() -> Status { return Delete(range.first, range.second), Status(); });
      case 'j':
        PADDOCK_TRY(Settle(range, buffer_.current(), buffer_.current() + 1));
        return Finish([&] { return Join(range.first, range.second); });
      case 'm': {
        PADDOCK_TRY(SettleCurrent(range));
        PADDOCK_ASSIGN(const size_t after, TakeDestination());
        return Finish([&] { return Move(range.first, range.second, after); });
      }
      case 't': {
        PADDOCK_TRY(SettleCurrent(range));
        PADDOCK_ASSIGN(const size_t after, TakeDestination());
        return Finish([&]() -> Status {
          buffer_.Insert(after, CopyOf(range.first, range.second));
          buffer_.set_current(after + range.second - range.first + 1);
          return {};
        });
      }
      case 'y':
        PADDOCK_TRY(SettleCurrent(range));
        return Finish([&]() -> Status { return Cut(range.first, range.second), Status(); });
      case 'x': return Paste(range);
      case 's': return Substituted(range, commands);
      case 'g':
      case 'v':
      case 'G':
      case 'V': return Global(range, command, commands);
      case 'k': return Mark(range);
      case 'p':
      case 'n':
      case 'l': {
        PADDOCK_TRY(SettleCurrent(range));
        PrintFlags flags;
        (command == 'p' ? flags.plain : command == 'n' ? flags.numbered : flags.listed) = true;
        PADDOCK_ASSIGN(flags, TakePrintFlags(flags));
        return Print(range.first, range.second, flags);
      }
      case 'z': return Scroll(range);
      case '=': {
        PADDOCK_ASSIGN(const size_t number, Single(range, buffer_.size()));
        return Finish([&]() -> Status { return host_.out().Write(std::to_string(number) + "\n"), Status(); });
      }
      case 'u':
        PADDOCK_TRY(CheckNone(range));
        return Finish([&]() -> Status { return buffer_.Undo() ? Status() : Bad("Nothing to undo"); });
      case '#':
        at_ = line_.size();
        return {};
      case '!':
        PADDOCK_TRY(CheckNone(range));
        return RunShell();
      default: return ExecuteOnFile(command, range);
    }
  }

  Status ExecuteOnFile(char command, Range range) {
    switch (command) {
      case 'r': {
        PADDOCK_ASSIGN(const size_t after, Single(range, buffer_.size()));
        PADDOCK_ASSIGN(std::string name, TakeName());
        if (!name.empty() && file_.empty() && !name.starts_with('!')) file_ = name;
        PADDOCK_ASSIGN(name, NameOrDefault(name));
        return ReadInto(after, name, false);
      }
      case 'w':
      case 'W': return WriteOut(command, range);
      case 'e':
      case 'E': {
        PADDOCK_TRY(CheckNone(range));
        PADDOCK_ASSIGN(std::string name, TakeName());
        PADDOCK_ASSIGN(name, NameOrDefault(name));
        if (command == 'e') {
          PADDOCK_TRY(CheckSaved());
        }
        buffer_.Clear();
        lacks_newline_ = false;
        if (!name.starts_with('!')) file_ = name;
        const Status status = ReadInto(0, name, false);
        buffer_.set_modified(false);
        buffer_.DropStep();
        return status;
      }
      case 'f': {
        PADDOCK_TRY(CheckNone(range));
        PADDOCK_ASSIGN(const std::string name, TakeName());
        if (name.starts_with('!')) return Bad("Invalid redirection");
        if (!name.empty()) file_ = name;
        if (file_.empty()) return Bad("No current filename");
        host_.out().Write(file_ + "\n");
        return {};
      }
      case 'q':
      case 'Q':
        PADDOCK_TRY(CheckNone(range));
        if (!is_at_end()) return Bad("Invalid command suffix");
        if (command == 'q') {
          PADDOCK_TRY(CheckSaved());
        }
        has_quit_ = true;
        return {};
      case 'h':
        PADDOCK_TRY(CheckNone(range));
        return Finish([&]() -> Status { return ShowError(), Status(); });
      case 'H':
        PADDOCK_TRY(CheckNone(range));
        return Finish([&]() -> Status {
          is_verbose_ = !is_verbose_;
          if (is_verbose_) ShowError();
          return {};
        });
      case 'P':
        PADDOCK_TRY(CheckNone(range));
        return Finish([&]() -> Status { return prompts_ = !prompts_, Status(); });
      default: return Bad("Unknown command");
    }
  }

  void ShowError() {
    if (!last_error_.empty()) host_.out().Write(last_error_ + "\n");
  }
  // The second time in a row, what is not saved is given up.
  Status CheckSaved() {
    if (!buffer_.is_modified() || was_warned_) return {};
    is_warning_ = true;
    return Bad("Warning: buffer modified");
  }

  Status PrintNext(Range range, bool is_global) {
    const size_t number = range.count > 0 ? range.second : buffer_.current() + (is_global ? 0 : 1);
    if (number < 1 || number > buffer_.size()) return Bad("Invalid address");
    return Print(number, number, {.plain = true});
  }
  Status Change(Range range, CommandSource& commands) {
    PADDOCK_TRY(SettleCurrent(range));
    PADDOCK_ASSIGN(const PrintFlags flags, TakePrintFlags());
    std::vector<LinePtr> lines = TakeText(commands);
    const size_t count = lines.size();
    Cut(range.first, range.second);
    buffer_.Replace(range.first - 1, range.second - range.first + 1, std::move(lines));
    buffer_.set_current(count > 0 ? range.first + count - 1 : std::min(range.first, buffer_.size()));
    return PrintCurrent(flags);
  }
  Status Paste(const Range& range) {
    PADDOCK_ASSIGN(const size_t after, Single(range, buffer_.current()));
    return Finish([&]() -> Status {
      if (cut_.empty()) return Bad("Nothing to put");
      std::vector<LinePtr> lines;
      for (const LinePtr& line : cut_) {
        budget_.Step();
        lines.push_back(std::make_shared<Line>(line->text));
      }
      buffer_.Insert(after, std::move(lines));
      buffer_.set_current(after + cut_.size());
      return {};
    });
  }
  Status Substituted(Range range, CommandSource& commands) {
    PADDOCK_TRY(SettleCurrent(range));
    constexpr std::string_view kRepeats = "0123456789gprln";
    if (is_at_end() || kRepeats.find(Look()) != std::string_view::npos) {
      PADDOCK_TRY(RepeatSubstitution());
    } else {
      if (Look() == ' ') return Bad("Invalid pattern delimiter");
      PADDOCK_TRY(ParseSubstitution(commands));
    }
    return SubstituteLines(range.first, range.second, commands.is_global());
  }
  Status Mark(const Range& range) {
    PADDOCK_ASSIGN(const size_t number, Single(range, buffer_.current()));
    if (number == 0) return Bad("Invalid address");
    const char name = Take();
    if (name < 'a' || name > 'z') return Bad("Invalid mark character");
    return Finish([&]() -> Status {
      marks_[name - 'a'] = buffer_.at(number);
      return {};
    });
  }
  Status Scroll(const Range& range) {
    PADDOCK_ASSIGN(const size_t first, Single(range, buffer_.current() + 1));
    if (first == 0) return Bad("Invalid address");
    if (IsDigit(Look())) {
      if (Look() == '0') return Bad("Invalid command suffix");
      PADDOCK_ASSIGN(window_, TakeNumber());
    }
    PADDOCK_ASSIGN(const PrintFlags flags, TakePrintFlags());
    return Print(first, std::min(buffer_.size(), first + window_ - 1), flags);
  }
  Status WriteOut(char command, Range range) {
    const bool quits = command == 'w' && (Look() == 'q' || Look() == 'Q');
    if (quits) ++at_;
    PADDOCK_ASSIGN(std::string name, TakeName());
    // An empty buffer can be written, too.
    if (range.count == 0 && buffer_.size() == 0) range.first = range.second = 0;
    else {
      PADDOCK_TRY(Settle(range, 1, buffer_.size()));
    }
    if (!name.empty() && file_.empty() && !name.starts_with('!')) file_ = name;
    PADDOCK_ASSIGN(name, NameOrDefault(name));
    PADDOCK_TRY(WriteLines(range.first, range.second, name, command == 'W'));
    if (quits) {
      PADDOCK_TRY(CheckSaved());
      has_quit_ = true;
    }
    return {};
  }

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

}  // namespace

int Edit(const EditorOptions& options, Host& host, Budget& budget) { return Editor(options, host, budget).Run(); }

}  // namespace paddock::ed
