// html2text - turn HTML into plain text
//
// usage: html2text [-width N] [-style compact|pretty] [-o FILE] [-nobs] [-ascii|-utf8] [-nometa] [FILE]...
//        html2text -help|-version
//
// Lays each file (or standard input, also "-") out for a screen: headings between stars, lists indented with bullets, tables drawn, links
// with their blanks as lines. Text that is not UTF-8 is taken as Latin-1; output is UTF-8.
//
// Exit status: 0; 1 for a wrong option, or when a file could not be read or written.
// Source: html2text 1.3.2a as Debian 12 has it; HTML is parsed by gumbo.
// Differs: HTML is HTML 5, as browsers take it, while the original knows 3.2. -nobs, -ascii, -utf8 and -nometa change nothing, for Debian's
// writes no backspaces, and in a UTF-8 locale UTF-8; a character set in a meta tag is not looked at. -check, -unparse, -debug-parser,
// -debug-scanner and -rcfile are refused. Columns of tables that are too wide are narrowed in another way; the empty lines of the
// style pretty can be others. Blanks at the ends of <b> and the like stay.
#include <algorithm>
#include <charconv>

#include "commands/input_files.h"
#include "lang/html/text.h"
#include "text/utf8.h"

namespace paddock {
namespace {

constexpr size_t kMostColumns = 1 << 16;

constexpr std::string_view kHelp =
    "Usage:\n"
    "  html2text -help\n"
    "  html2text -version\n"
    "  html2text [ -style ( compact | pretty ) ] [ -width <w> ] \\\n"
    "     [ -o <file> ] [ -nobs ] [ -ascii | -utf8 ] [ -nometa ] [ <file> ] ...\n"
    "Lays out the HTML document(s) in each <file>, or on standard input, as text.\n"
    "  -help          Print this text and exit\n"
    "  -version       Print program version and exit\n"
    "  -style compact Write a \"compact\" output format (default)\n"
    "  -style pretty  Put empty lines around blocks\n"
    "  -width <w>     Optimize for screen widths other than 79\n"
    "  -o <file>      Redirect output into <file>\n"
    "  -nobs          Write no backspaces (there are none)\n"
    "  -ascii, -utf8  Changes nothing in a UTF-8 locale\n"
    "  -nometa        Do not look at the 'meta' tag (nothing does)\n";

struct Options {
  html::TextSettings text;
  std::string output;
  std::vector<std::string> files;
  bool wants_help = false, wants_version = false;
};

bool ReadOptions(Invocation& in, Options& o) {
  constexpr std::string_view kPlain[] = {"-nobs", "-ascii", "-utf8", "-nometa"};
  constexpr std::string_view kMissing[] = {"-check", "-unparse", "-debug-parser", "-debug-scanner", "-rcfile"};
  const auto complain = [&](const std::string& text) {
    in.err.Write(text + "\n");
    return false;
  };
  for (size_t i = 1; i < in.args.size(); ++i) {
    in.budget.Step();
    const std::string& argument = in.args[i];
    const auto is_one_of = [&](const auto& names) { return std::find(std::begin(names), std::end(names), argument) != std::end(names); };
    if (argument.size() < 2 || argument[0] != '-') {
      o.files.push_back(argument);
    } else if (argument == "-help" || argument == "--help") {
      o.wants_help = true;
      return true;
    } else if (argument == "-version" || argument == "--version") {
      o.wants_version = true;
      return true;
    } else if (argument == "-width" || argument == "-style" || argument == "-o") {
      if (i + 1 == in.args.size()) return complain("Error: Required parameter after \"" + argument + "\" missing.");
      const std::string& value = in.args[++i];
      if (argument == "-o") {
        o.output = value == "-" ? "" : value;
      } else if (argument == "-width") {
        int64_t width = 0;
        std::from_chars(value.data(), value.data() + value.size(), width);
        o.text.width = static_cast<size_t>(std::clamp<int64_t>(width, 1, kMostColumns));
      } else if (value == "compact" || value == "pretty") {
        o.text.is_pretty = value == "pretty";
      } else {
        return complain("Unknown style \"" + value + "\" specified -- try \"-help\".");
      }
    } else if (is_one_of(kMissing)) {
      return complain("html2text: " + argument + " is not supported");
    } else if (!is_one_of(kPlain)) {
      return complain("Unrecognized command line option \"" + argument + "\", try \"-help\".");
    }
  }
  return true;
}

std::string FromLatin1(std::string_view text) {
  std::string out;
  for (const char c : text) AppendUtf8(out, static_cast<unsigned char>(c));
  return out;
}

ExitStatus Run(Invocation& in) {
  Options options;
  if (!ReadOptions(in, options)) return 1;
  if (options.wants_help || options.wants_version) {
    in.out.Write(options.wants_help ? std::string(kHelp) : VersionText(in.command, in.name()));
    return 0;
  }
  if (options.files.empty()) options.files.emplace_back("-");
  vfs::OpenFilePtr target;
  std::unique_ptr<Output> own;
  if (!options.output.empty()) {
    auto opened = in.fs.Open(options.output, vfs::OpenFlags::Write());
    if (!opened) {
      in.err.Write("Could not open output file \"" + options.output + "\".\n");
      return 1;
    }
    target = *opened;
    own = std::make_unique<Output>(*target);
  }
  Output& out = own ? *own : in.out;
  for (const std::string& name : options.files) {
    // Of several files each is announced, and once more when it was read.
    const std::string heading = options.files.size() > 1 ? "###### " + name + " ######\n" : "";
    out.Write(heading);
    auto file = InputFile::Open(in, name);
    if (!file) {
      out.Flush();
      in.err.Write("Cannot open input file \"" + name + "\".\n");
      return 1;
    }
    std::string text = file->input().ReadAll();
    if (const Status& status = file->input().status(); !status) return in.Fail(name, status.error());
    if (!IsValidUtf8(text)) text = FromLatin1(text);
    out.Write(heading);
    out.Write(html::ToText(text, options.text, in.budget));
  }
  if (own && !out.Flush()) return in.Fail("write error", out.status().error());
  return 0;
}

}  // namespace

extern const Command kCommand_html2text;
const Command kCommand_html2text = {
    .name = "html2text",
    .summary = "turn HTML into plain text",
    .synopsis = "[-width N] [-style compact|pretty] [-o FILE] [-nobs] [-ascii|-utf8] [-nometa] [FILE]...",
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
