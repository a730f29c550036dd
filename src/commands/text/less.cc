// less - show text a screen at a time
//
// usage: less [options] [file]...
// Copies the files, as the real one does away from a terminal, whatever the options say about the screen.
// Options may also stand in the variable LESS; the first file ends them.
//
// Exit status: 0, or 1 when the text cannot be written.
// Source: less 590.
// Differs: write errors are told. LESSOPEN and lesskey files are not used. A terminal gets no paging: ShowFile() is the place for it.

#include <charconv>

#include "commands/input_files.h"
#include "proc/command.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

enum class ValueKind { kNone, kNumber, kText, kLine, kColumn, kColor, kKeys, kHelp, kVersion };

struct LessOption {
  char letter;            // 0 if none
  const char* name;       // null if none
  ValueKind value;
  const char* help;
};

// How they page does not matter while nothing is paged: all are known, so that what is typed by habit works.
constexpr LessOption kLessOptions[] = {
    {'?', "help", ValueKind::kHelp, "show this help"},
    {'a', "search-skip-screen", ValueKind::kNone, "search from behind the last line shown"},
    {'A', "SEARCH-SKIP-SCREEN", ValueKind::kNone, "search from behind the target line"},
    {'b', "buffers", ValueKind::kNumber, "how many kilobytes are held of each file"},
    {'B', "auto-buffers", ValueKind::kNone, "hold no more than that of pipes"},
    {'c', "clear-screen", ValueKind::kNone, "repaint by clearing"},
    {'C', nullptr, ValueKind::kNone, "as -c"},
    {'d', "dumb", ValueKind::kNone, "no complaint of a dumb terminal"},
    {'D', "color", ValueKind::kColor, "set a colour: a place and a colour"},
    {'e', "quit-at-eof", ValueKind::kNone, "leave at the second end of the file"},
    {'E', "QUIT-AT-EOF", ValueKind::kNone, "leave at the first end of the file"},
    {'f', "force", ValueKind::kNone, "show what is no regular file, too"},
    {'F', "quit-if-one-screen", ValueKind::kNone, "leave at once when all fits on the screen"},
    {'g', "hilite-search", ValueKind::kNone, "mark only the last match"},
    {'G', "HILITE-SEARCH", ValueKind::kNone, "mark no matches"},
    {'h', "max-back-scroll", ValueKind::kNumber, "most lines to scroll backwards"},
    {'i', "ignore-case", ValueKind::kNone, "search without case, unless the pattern has capitals"},
    {'I', "IGNORE-CASE", ValueKind::kNone, "search without case"},
    {'j', "jump-target", ValueKind::kLine, "the line of the screen where a match is put"},
    {'J', "status-column", ValueKind::kNone, "a column of marks at the left"},
    {'k', "lesskey-file", ValueKind::kKeys, "read keys from a file"},
    {'K', "quit-on-intr", ValueKind::kNone, "leave on an interrupt"},
    {'L', "no-lessopen", ValueKind::kNone, "pay no heed to LESSOPEN"},
    {'m', "long-prompt", ValueKind::kNone, "a prompt with percentages"},
    {'M', "LONG-PROMPT", ValueKind::kNone, "a longer prompt"},
    {'n', "line-numbers", ValueKind::kNone, "no line numbers in prompts"},
    {'N', "LINE-NUMBERS", ValueKind::kNone, "number the lines"},
    {'o', "log-file", ValueKind::kText, "copy a pipe to a file"},
    {'O', "LOG-FILE", ValueKind::kText, "the same, over a file that is there"},
    {'p', "pattern", ValueKind::kText, "begin at a match"},
    {'P', "prompt", ValueKind::kText, "set a prompt"},
    {'q', "quiet", ValueKind::kNone, "ring no bell at the ends"},
    {'q', "silent", ValueKind::kNone, "likewise"},
    {'Q', "QUIET", ValueKind::kNone, "ring no bell at all"},
    {'Q', "SILENT", ValueKind::kNone, "likewise"},
    {'r', "raw-control-chars", ValueKind::kNone, "show control characters raw"},
    {'R', "RAW-CONTROL-CHARS", ValueKind::kNone, "show colours raw"},
    {'s', "squeeze-blank-lines", ValueKind::kNone, "one for each run of empty lines"},
    {'S', "chop-long-lines", ValueKind::kNone, "cut long lines"},
    {'t', "tag", ValueKind::kText, "begin at a tag"},
    {'T', "tag-file", ValueKind::kText, "read tags from a file"},
    {'u', "underline-special", ValueKind::kNone, "treat backspaces as characters that print"},
    {'U', "UNDERLINE-SPECIAL", ValueKind::kNone, "treat backspaces as control characters"},
    {'V', "version", ValueKind::kVersion, "show the version"},
    {'w', "hilite-unread", ValueKind::kNone, "mark the first new line"},
    {'W', "HILITE-UNREAD", ValueKind::kNone, "the same after each move"},
    {'x', "tabs", ValueKind::kText, "set tab stops"},
    {'X', "no-init", ValueKind::kNone, "send no initialization to the terminal"},
    {'y', "max-forw-scroll", ValueKind::kNumber, "most lines to scroll forwards"},
    {'z', "window", ValueKind::kNumber, "how many lines a screen has"},
    {'"', "quotes", ValueKind::kText, "how names of files are quoted"},
    {'~', "tilde", ValueKind::kNone, "no tildes behind the end"},
    {'#', "shift", ValueKind::kColumn, "how far to move sideways"},
    {0, "file-size", ValueKind::kNone, "find out the size at once"},
    {0, "follow-name", ValueKind::kNone, "F follows the name, not the file"},
    {0, "incsearch", ValueKind::kNone, "search while the pattern is typed"},
    {0, "line-num-width", ValueKind::kNumber, "columns of line numbers"},
    {0, "mouse", ValueKind::kNone, "scroll by mouse"},
    {0, "no-keypad", ValueKind::kNone, "send no keypad sequences"},
    {0, "no-histdups", ValueKind::kNone, "keep a search once"},
    {0, "rscroll", ValueKind::kText, "what marks a cut line"},
    {0, "save-marks", ValueKind::kNone, "keep marks"},
    {0, "status-col-width", ValueKind::kNumber, "columns of the status"},
    {0, "use-backslash", ValueKind::kNone, "later options may quote by backslash"},
    {0, "use-color", ValueKind::kNone, "use colours"},
    {0, "wheel-lines", ValueKind::kNumber, "lines for a turn of the wheel"},
};

constexpr std::string_view kSeeHelp = " (\"less --help\" for help)\n";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view ValueName(ValueKind kind) {
  if (kind == ValueKind::kNone || kind == ValueKind::kHelp || kind == ValueKind::kVersion) return "";
  return kind == ValueKind::kNumber || kind == ValueKind::kColumn || kind == ValueKind::kLine ? "N" : kind == ValueKind::kColor ? "xCOLOR" : "TEXT";
}

// As HelpText() lists the options of a table.
std::string OptionList() {
  constexpr size_t kColumn = 29;
  std::string text;
  for (const LessOption& option : kLessOptions) {
    const std::string_view value = ValueName(option.value);
    std::string head = option.letter == 0 ? "      " : std::string("  -") + option.letter + (option.name == nullptr ? "" : ", ");
    if (option.name != nullptr) head += std::string("--") + option.name + (value.empty() ? "" : "=");
    head += value;
    head.resize(std::max(kColumn, head.size() + 2), ' ');
    text += head + option.help + "\n";
  }
  return text;
}

// "-b (--buffers)", "--mouse".
std::string Described(const LessOption& option) {
  const std::string name = option.name == nullptr ? "" : std::string("--") + option.name;
  return option.letter == 0 ? name : std::string("-") + option.letter + " (" + name + ")";
}

// Reads options one string at a time, as they stand on the command line or in LESS.
class OptionReader {
 public:
  OptionReader(Invocation& in, bool is_environment) : in_(in), is_environment_(is_environment) {}

  void Read(std::string_view text) {
    while (!text.empty()) {
      in_.budget.Step();
      if (pending_ != nullptr) {
        const LessOption& option = *pending_;
        pending_ = nullptr;
        TakeValue(option, Described(option), text);
        continue;
      }
      const char c = text[0];
      text.remove_prefix(1);
      if (text.starts_with('-') && c == '-') {
        text.remove_prefix(1);
        ReadLong(text);
      } else if (c == '+') {
        TakeString(text);
      } else if (c == '-' && text.starts_with('+')) {
        // Back to the default, which is all the same here; the letters behind it need no values.
        while (!text.empty() && text[0] != ' ') text.remove_prefix(1);
      } else if (c == '-' || c == ' ' || c == '\t' || c == '$' || IsDigit(c)) {
        continue;
      } else if (!ReadLetter(c, text)) {
        return;
      }
    }
  }

  // Complains about an option that ends without its value.
  void Finish() {
    if (pending_ != nullptr) in_.err.Write("Value is required after " + Described(*pending_) + "\n");
  }

  bool is_waiting() const { return pending_ != nullptr; }
  bool wants_help() const { return wants_help_; }
  bool wants_version() const { return wants_version_; }

 private:
  // Cuts a value off the front: all of it, up to '$' in LESS.
  std::string_view TakeString(std::string_view& text) const {
    const size_t end = std::min(is_environment_ ? text.find_first_of("$ ") : text.find('$'), text.size());
    const std::string_view value = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return value;
  }

  // False when the rest of the text means nothing.
  bool ReadLetter(char letter, std::string_view& text) {
    for (const LessOption& option : kLessOptions) {
      if (option.letter != letter) continue;
      Apply(option, std::string("-") + letter, text);
      return true;
    }
    in_.err.Write(std::string("There is no -") + letter + " option" + std::string(kSeeHelp));
    return false;
  }

  void ReadLong(std::string_view& text) {
    const size_t end = std::min(is_environment_ ? text.find_first_of(" $") : std::string_view::npos, text.size());
    std::string_view whole = text.substr(0, end);
    text.remove_prefix(end);
    const size_t equals = whole.find('=');
    const std::string_view name = whole.substr(0, equals);
    const LessOption* found = nullptr;
    for (const LessOption& option : kLessOptions) {
      if (option.name == nullptr || !Matches(option.name, name)) continue;
      if (found != nullptr && name != option.name && found->letter != option.letter) {
        in_.err.Write(std::string(whole) + " is an ambiguous abbreviation" + std::string(kSeeHelp));
        return;
      }
      found = &option;
      if (name == option.name) break;
    }
    if (found == nullptr || name.empty()) {
      in_.err.Write("There is no " + std::string(whole) + " option" + std::string(kSeeHelp));
      return;
    }
    const bool takes_value = found->value != ValueKind::kNone && found->value != ValueKind::kHelp &&
                             found->value != ValueKind::kVersion;
    if (equals != std::string_view::npos && !takes_value) {
      in_.err.Write("The " + std::string(whole) + " option should not be followed by =\n");
      return;
    }
    std::string_view value = equals == std::string_view::npos ? std::string_view() : whole.substr(equals + 1);
    Apply(*found, std::string(whole), value);
  }

  // An abbreviation, with letters in either case.
  static bool Matches(std::string_view option, std::string_view name) {
    if (name.size() > option.size()) return false;
    for (size_t i = 0; i < name.size(); ++i) {
      const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
      if (lower(option[i]) != lower(name[i])) return false;
    }
    return true;
  }

  void Apply(const LessOption& option, const std::string& as_written, std::string_view& text) {
    switch (option.value) {
      case ValueKind::kNone: return;
      case ValueKind::kHelp: wants_help_ = true; return;
      case ValueKind::kVersion: wants_version_ = true; return;
      default: break;
    }
    if (text.empty()) pending_ = &option;
    else TakeValue(option, as_written, text);
  }

  void TakeValue(const LessOption& option, const std::string& as_written, std::string_view& text) {
    if (option.value == ValueKind::kNumber) {
      if (!TakeNumber(text)) {
        in_.err.Write("Number is required after " + as_written + "\n");
        text = {};
      }
      return;
    }
    const std::string value(TakeString(text));
    const bool is_place = !value.empty() && (IsDigit(value[0]) || (value[0] == '.' && value.size() > 1) ||
                                             (value[0] == '-' && value.size() > 1 && IsDigit(value[1])));
    if (option.value == ValueKind::kLine && !is_place) in_.err.Write("Invalid line number\n");
    if (option.value == ValueKind::kColumn && !is_place) in_.err.Write("Invalid column number\n");
    if (option.value == ValueKind::kKeys) in_.err.Write("Cannot use lesskey file \"" + value + "\"\n");
    if (option.value == ValueKind::kColor) CheckColor(value);
  }

  static bool TakeNumber(std::string_view& text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (text.starts_with('-')) text.remove_prefix(1);
    if (text.empty() || !IsDigit(text[0])) return false;
    while (!text.empty() && IsDigit(text[0])) text.remove_prefix(1);
    return true;
  }

  void CheckColor(std::string_view value) {
    if (value.empty()) return;
    constexpr std::string_view kPlaces = "BCEMNPRSWdksu";
    if (kPlaces.find(value[0]) == std::string_view::npos) {
      in_.err.Write("Invalid color specifier '" + std::string(1, value[0]) + "'\n");
      return;
    }
    std::string_view color = value.substr(1);
    if (color.starts_with('+')) color.remove_prefix(1);
    if (color.find_first_not_of("bBcCdgGkKmMrRwWyY0123456789.-*+") == std::string_view::npos) return;
    in_.err.Write("Invalid color string \"" + std::string(color) + "\"\n");
  }

  Invocation& in_;
  bool is_environment_;
  const LessOption* pending_ = nullptr;   // waits for its value in the next argument
  bool wants_help_ = false;
  bool wants_version_ = false;
};

// Shows one file. Copies it; paging, with a prompt between screens, belongs here for standard output that is a
// terminal.
void ShowFile(Invocation& in, InputFile& file) {
  Input& input = file.input();
  for (std::string_view bytes = input.Peek(); !bytes.empty() && in.out.status(); bytes = input.Peek()) {
    in.out.Write(bytes);
    input.Consume(bytes.size());
  }
  if (!input.status()) in.out.Write("read error\n");
}

// Why a file is not shown, or nothing. Asked before opening, which would wait for a FIFO's writer.
std::optional<std::string> Refusal(Invocation& in, const std::string& name, bool forces) {
  const auto attributes = in.fs.Stat(name);
  if (!attributes || attributes->is_file() || forces) return std::nullopt;
  if (attributes->is_directory()) return name + " is a directory";
  return name + " is not a regular file (use -f to see it)";
}

bool Forces(std::span<const std::string> options) {
  for (const std::string& option : options) {
    if (option == "--force" || (option.starts_with('-') && !option.starts_with("--") && option.find('f') != option.npos)) {
      return true;
    }
  }
  return false;
}

ExitStatus Run(Invocation& in) {
  OptionReader from_environment(in, true);
  from_environment.Read(in.env.Get("LESS", ""));
  from_environment.Finish();
  OptionReader options(in, false);
  size_t at = 1;
  for (; at < in.args.size(); ++at) {
    const std::string& argument = in.args[at];
    if (argument == "--") {
      ++at;
      break;
    }
    if (!options.is_waiting() && (argument.size() < 2 || (argument[0] != '-' && argument[0] != '+'))) break;
    options.Read(argument);
  }
  options.Finish();
  if (options.wants_help() || options.wants_version()) {
    in.out.Write(options.wants_help() ? HelpText(in.command, in.name()) + "\n" + OptionList() : VersionText(in.command, in.name()));
    return 0;
  }
  std::vector<std::string> names(in.args.begin() + static_cast<std::ptrdiff_t>(at), in.args.end());
  if (names.empty()) names.push_back("-");
  const bool forces = Forces(in.args.subspan(1, at - 1));
  for (const std::string& name : names) {
    if (const auto refusal = name == "-" ? std::nullopt : Refusal(in, name, forces)) {
      in.out.Write(*refusal + "\n");
      continue;
    }
    auto file = InputFile::Open(in, name);
    if (!file) {
      in.out.Write(name + ": " + std::string(file.error().Text()) + "\n");
      continue;
    }
    ShowFile(in, *file);
  }
  return 0;
}

}  // namespace

extern const Command kCommand_less;
const Command kCommand_less = {
    .name = "less",
    .summary = "show text a screen at a time; without a terminal, all of it",
    .synopsis = "[options] [file]...",
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
