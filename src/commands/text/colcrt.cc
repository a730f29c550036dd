// colcrt - filter nroff output for CRT previewing
//
// usage: colcrt [OPTION]... [FILE]...
// Drops control characters and escape sequences, and shows underlining as dashes on a line of their own.
//
// Exit status: 0, or 1 when a file could not be opened or an option is wrong.
// Source: util-linux 2.38. Text ends at its first malformed character; a line ends at 132 characters.
// Differs: reads on after a line of more than 132 characters from a pipe, where the original ends.

#include <array>

#include "commands/input_files.h"
#include "commands/text/char_input.h"
#include "text/utf8.h"

namespace paddock {
namespace {

struct Options {
  bool omits_underlining = false;
  bool shows_half_lines = false;
  bool wants_help = false;
  bool wants_version = false;
};

constexpr Option kOptions[] = {
    Flag<&Options::omits_underlining>(0, "no-underlining", "suppress all underlining; also -"),
    Flag<&Options::shows_half_lines>('2', "half-lines", "print all half-lines"),
    Flag<&Options::wants_help>('h', "help", "display this help"),
    Flag<&Options::wants_version>('V', "version", "display version"),
};

constexpr size_t kColumns = 132;
constexpr size_t kTab = 8;

class Screen {
 public:
  Screen(Invocation& in, const Options& options) : in_(in), o_(options) { below_.fill(' '); }

  void Show(Input& input) {
    ends_line_ = true;
    column_ = 0;
    if (o_.shows_half_lines) in_.out.Put('\n');
    while (in_.out.status()) {
      if (column_ >= kColumns) {
        PutLine();
        do c_ = Next(input);
        while (c_ && *c_ != '\n');
        if (!c_) return;
        continue;
      }
      c_ = Next(input);
      if (!c_) {
        ends_line_ = false;
        return PutLine();
      }
      Take(*c_, input);
    }
  }

 private:
  std::optional<char32_t> Next(Input& input) {
    in_.budget.Step();
    return ReadChar(input, in_.locale.is_utf8, bytes_);
  }

  void Take(char32_t c, Input& input) {
    if (c == '\033') {
      const auto next = Next(input);
      GoBack(next == U'8' ? 1 : next == U'7' ? 2 : 0);
      ++column_;
    } else if (c == '\n') {
      PutLine();
    } else if (c == '\t') {
      while (column_ % kTab != 0 && column_ < kColumns) line_[column_++] = " ";
    } else if (c == '_') {
      line_[column_] = " ";
      if (!o_.omits_underlining) {
        is_underlined_ = true;
        below_[column_] = '-';
      }
      ++column_;
    } else if (c != 0 && CharWidth(c) >= 0) {
      ends_line_ = true;
      line_[column_++] = bytes_;
    }
  }

  // What is left out stays a hole, which ends the line when it is put out.
  void GoBack(int count) {
    for (; count > 0 && column_ > 0; --count, --column_) {
      if (column_ == kColumns) continue;
      line_[column_].clear();
      below_[column_] = ' ';
    }
  }

  void PutLine() {
    std::string text;
    for (size_t i = 0; i < kColumns && !line_[i].empty(); ++i) text += line_[i];
    PutTrimmed(text);
    line_.fill("");
    if (ends_line_) in_.out.Put('\n');
    if (!o_.shows_half_lines && !o_.omits_underlining) ends_line_ = false;
    if (is_underlined_ || (o_.shows_half_lines && column_ > 0)) {
      PutTrimmed(std::string_view(below_.data(), below_.size()));
      in_.out.Put('\n');
      below_.fill(' ');
      is_underlined_ = false;
    }
    column_ = 0;
  }
  void PutTrimmed(std::string_view text) { in_.out.Write(text.substr(0, text.find_last_not_of(' ') + 1)); }

  Invocation& in_;
  const Options& o_;
  std::array<std::string, kColumns> line_;   // empty where nothing was written
  std::array<char, kColumns> below_;
  std::string bytes_;   // of the last character
  std::optional<char32_t> c_;
  size_t column_ = 0;
  bool is_underlined_ = false;
  bool ends_line_ = true;
};

ExitStatus Run(Invocation& in) {
  Options options;
  // A lone hyphen counts wherever it stands.
  std::vector<std::string> args;
  for (const std::string& argument : in.args) {
    if (argument == "-") options.omits_underlining = true;
    else args.push_back(argument);
  }
  const auto parsed = ParseOptions(args, in.command.options, &options, in.command.rules);
  if (!parsed) return in.Usage(parsed.error().Text());
  if (options.wants_help || options.wants_version) {
    in.out.Write(options.wants_help ? HelpText(in.command, in.name()) : VersionText(in.command, in.name()));
    return 0;
  }
  Screen screen(in, options);
  if (parsed->operands.empty()) screen.Show(in.in);
  for (const std::string& path : parsed->operands) {
    auto file = InputFile::OpenPath(in, path);
    if (!file) return in.Fail("cannot open " + path, file.error());
    screen.Show(file->input());
  }
  return 0;
}

}  // namespace

extern const Command kCommand_colcrt;
const Command kCommand_colcrt = {
    .name = "colcrt",
    .summary = "filter nroff output for CRT previewing",
    .synopsis = "[options] [<file>...]",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
