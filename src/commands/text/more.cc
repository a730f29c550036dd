// more - display the contents of a file in a terminal
//
// usage: more [options] <file>...
// Copies standard input, if something comes that way, and the files below headings, as the real one does away from a terminal.
//
// Exit status: 0, or 1 for a usage error.
// Source: util-linux 2.38.
// Differs: a terminal gets no paging. Of files that are no text, programs (ELF) are known.

#include "commands/file_facts.h"
#include "commands/input_files.h"
#include "proc/option_complaint.h"

namespace paddock {
namespace {

struct Options {
  std::vector<std::string> lines;
  bool wants_help = false;
  bool wants_version = false;
  bool screen = false;   // how a screen is filled: nothing of it shows away from a terminal
};

Status TakeLines(Options& options, std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return Error(Code::kInvalid, "argument error: '" + std::string(text) + "'");
  options.lines.emplace_back(text);
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::screen>('d', "silent", "display help instead of ringing bell"),
    Flag<&Options::screen>('f', "logical", "count logical rather than screen lines"),
    Flag<&Options::screen>('l', "no-pause", "suppress pause after form feed"),
    Flag<&Options::screen>('c', "print-over", "do not scroll, display text and clean line ends"),
    Flag<&Options::screen>('p', "clean-print", "do not scroll, clean screen and display text"),
    Flag<&Options::screen>('e', "exit-on-eof", "exit on end-of-file"),
    Flag<&Options::screen>('s', "squeeze", "squeeze multiple blank lines into one"),
    Flag<&Options::screen>('u', "plain", "suppress underlining and bold"),
    Call<TakeLines>('n', "lines", "NUMBER", "the number of lines per screenful"),
    Flag<&Options::wants_help>('h', "help", "display this help"),
    Flag<&Options::wants_version>('V', "version", "display version"),
};

// -NUMBER, +NUMBER and +/PATTERN: where to begin on a screen.
bool TakeScreen(void*, std::string_view argument) {
  if (argument[0] == '+') return true;
  return argument[0] == '-' && argument.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

void Copy(Invocation& in, Input& input) {
  for (std::string_view bytes = input.Peek(); !bytes.empty() && in.out.status(); bytes = input.Peek()) {
    in.out.Write(bytes);
    input.Consume(bytes.size());
  }
}

void ShowFile(Invocation& in, const std::string& name, bool has_heading) {
  auto file = InputFile::OpenPath(in, name);
  if (!file) {
    in.Fail("cannot open " + name, file.error());
    return;
  }
  const auto attributes = file->file()->GetAttributes();
  if (attributes && attributes->is_directory()) {
    in.out.Write("\n*** " + name + ": directory ***\n\n");
    return;
  }
  if (file->input().Peek().starts_with("\177ELF")) {
    in.out.Write("\n******** " + name + ": Not a text file ********\n\n");
    return;
  }
  if (has_heading) in.out.Write("::::::::::::::\n" + name + "\n::::::::::::::\n");
  Copy(in, file->input());
}

ExitStatus Run(Invocation& in) {
  Options options;
  ExitStatus status = 0;
  auto operands = PrepareWithLetters(in, options, &status);
  if (!operands) return status;
  const bool is_fed = !IsTerminal(in, 0);
  if (is_fed) Copy(in, in.in);
  for (const std::string& name : *operands) {
    in.budget.Step();
    ShowFile(in, name, is_fed || operands->size() > 1);
  }
  return 0;
}

}  // namespace

extern const Command kCommand_more;
const Command kCommand_more = {
    .name = "more",
    .summary = "display the contents of a file in a terminal",
    .synopsis = "[options] <file>...",
    .options = kOptions,
    .rules = {.numeric_shorthand = TakeScreen},
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
