// rename - rename files by a Perl expression
//
// usage: rename [-v] [-n] [-f] [-0] [-d] [-e CODE | -E CODE | CODE] [FILE]...
// Runs CODE with the name of each FILE (or of each line of standard input) in $_ and renames the file to what $_ is then.
//
// CODE is the part of Perl that is used for this: s///, m//, tr/// and y/// with their modifiers; $_, $1, $&, my and our scalars and arrays;
// numbers, strings with \U \L \u \l \Q \E; the operators . x + - * / % ** ++ -- =~ !~ == eq <=> cmp && || // ! and or not ?: and
// assignments; if, elsif, else, unless, also behind a statement; abs chomp chop chr defined die hex index int join lc lcfirst length
// oct ord pop print push quotemeta reverse rindex scalar shift sort split sprintf substr uc ucfirst undef unshift warn; -e -f -d -l -s -z.
//
// Exit status: 0, also when a file could not be renamed; 1 for -h; 2 when the options or CODE are wrong.
// Source: File::Rename 2.01 of Debian (its manual, and running it), perl 5.36.
// Differs: loops, hashes, references, subroutines and modules are refused by name; names are bytes: with -u those that are not ASCII are refused; no warnings about undefined
// values; the reason of a syntax error is not always told in perl's words; numbers have 53 bits; an empty match just before a longer one at the
// same place ends that place (s/|a/x/g).

#include <algorithm>

#include "commands/file_facts.h"
#include "commands/input_files.h"
#include "lang/perl/perl.h"
#include "text/char_encoding.h"

namespace paddock {
namespace {

struct Options {
  bool verbose = false, null = false, no_act = false, force = false, name_only = false, help = false, version = false, is_unicode = false;
  std::string encoding;   // of -u; empty: none is named
  std::string code;
  bool has_code = false;
};

Status AddCode(Options& options, std::string_view code) {
  if (options.has_code) options.code += '\n';
  options.code += code;
  options.has_code = true;
  return {};
}
Status AddStatement(Options& options, std::string_view code) { return AddCode(options, std::string(code) + ';'); }

Status SetUnicode(Options& options, std::string_view encoding) {
  options.is_unicode = true;
  options.encoding = std::string(encoding);
  return {};
}
// What may stand behind -u; code looks otherwise.
bool IsEncodingName(std::string_view word) {
  return !word.empty() && word[0] != '-' && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:") == std::string_view::npos;
}

constexpr Option kOptions[] = {
    Flag<&Options::verbose>('v', "verbose", "tell which files were renamed"),
    Flag<&Options::null>('0', "null", "names on standard input end with NUL"),
    Flag<&Options::no_act>('n', "nono", "tell what would be renamed, and rename nothing"),
    Flag<&Options::force>('f', "force", "overwrite files that exist"),
    Set<&Options::name_only, false>(0, "path", "change the path with its directories (the default)"),
    Set<&Options::name_only, false>(0, "fullpath", "likewise"),
    Set<&Options::name_only, true>('d', "filename", "change the last component only"),
    Set<&Options::name_only, true>(0, "nopath", "likewise"),
    Set<&Options::name_only, true>(0, "nofullpath", "likewise"),
    Flag<&Options::help>('h', "help", "show this help"),
    Flag<&Options::help>('m', "man", "likewise"),
    Flag<&Options::version>('V', "version", "show the version"),
    CallOptional<SetUnicode>('u', "unicode", "ENCODING", "names are characters of ENCODING (here: of ASCII)"),
    Call<AddCode>('e', nullptr, "CODE", "the expression; several are put together"),
    Call<AddStatement>('E', nullptr, "CODE", "likewise, with a ';' behind it"),
};

constexpr const char* kAliases[] = {"file-rename", "prename"};

constexpr std::string_view kUsage =
    "Usage:\n"
    "    file-rename [ -h|-m|-V ] [ -v ] [ -0 ] [ -n ] [ -f ] [ -d ] [ -u [enc]]\n"
    "    [ -e|-E perlexpr]*|perlexpr [ files ]\n\n";

ExitStatus WrongUsage(Invocation& in) {
  in.err.Write(kUsage);
  return 2;
}

// Perl's Getopt::Long without bundling: -v and --verbose with one or two dashes, no abbreviations. The index of the first operand, or nothing
// after complaints.
std::optional<size_t> TakeOptions(Invocation& in, Options& options) {
  bool is_wrong = false;
  size_t i = 1;
  for (; i < in.args.size(); ++i) {
    std::string_view name = in.args[i];
    if (name.size() < 2 || name[0] != '-') break;
    if (name == "--") {
      ++i;
      break;
    }
    name.remove_prefix(name[1] == '-' ? 2 : 1);
    const bool is_long = in.args[i][1] == '-';
    std::optional<std::string_view> value;
    const size_t equals = is_long ? name.find('=') : std::string_view::npos;
    const std::string_view word = name.substr(0, equals);
    if (equals != std::string_view::npos) value = name.substr(equals + 1);
    const Option* found = nullptr;
    for (const Option& option : kOptions) {
      if ((word.size() == 1 && option.short_name == word[0]) || (option.long_name != nullptr && word == option.long_name)) found = &option;
    }
    if (found == nullptr) {
      in.err.WriteLine("Unknown option: " + std::string(word));
      is_wrong = true;
      continue;
    }
    if (found->argument == OptionArgument::kNone) {
      if (value) {
        in.err.WriteLine("Option " + std::string(word) + " does not take an argument");
        is_wrong = true;
        continue;
      }
      static_cast<void>(found->apply(&options, {}));
      continue;
    }
    if (found->argument == OptionArgument::kOptional) {
      if (!value && i + 1 < in.args.size() && IsEncodingName(in.args[i + 1])) value = in.args[++i];
      static_cast<void>(found->apply(&options, value.value_or(std::string_view())));
      continue;
    }
    if (!value && i + 1 >= in.args.size()) {
      in.err.WriteLine("Option " + std::string(word) + " requires an argument");
      is_wrong = true;
      continue;
    }
    if (!value) value = in.args[++i];
    static_cast<void>(found->apply(&options, *value));
  }
  if (is_wrong) return std::nullopt;
  return i;
}

class Renamer final : public PerlHost {
 public:
  Renamer(Invocation& in, const Options& options, PerlProgram program) : in_(in), options_(options), program_(std::move(program)) {}

  // False when the code died.
  bool One(const std::string& path) {
    in_.budget.Step();
    if (options_.is_unicode && std::any_of(path.begin(), path.end(), [](char c) { return (c & 0x80) != 0; })) {
      in_.out.Flush();
      in_.err.WriteLine("names that are not ASCII are not supported with -u: " + path);
      return false;
    }
    std::string directory;
    std::string name = path;
    if (options_.name_only) {
      if (const size_t slash = path.rfind('/'); slash != std::string::npos) {
        directory = path.substr(0, slash + 1);
        name = path.substr(slash + 1);
      }
    }
    if (const Status ran = program_.Run(name, *this, in_.budget); !ran) {
      in_.out.Flush();
      in_.err.Write(ran.error().Text());
      return false;
    }
    const std::string target = directory + name;
    if (target != path) Rename(path, target);
    return true;
  }

  std::string FileTest(char test, std::string_view path) override {
    const auto found = in_.fs.Stat(path, test == 'l' ? vfs::Follow::kNo : vfs::Follow::kYes);
    const auto truth = [](bool is_true) { return std::string(is_true ? "1" : ""); };
    if (!found) return "";
    switch (test) {
      case 'f': return truth(found->is_file());
      case 'd': return truth(found->is_directory());
      case 'l': return truth(found->is_symlink());
      case 'z': return truth(found->size == 0);
      case 's': return found->size == 0 ? "" : std::to_string(found->size);
      case 'r': return truth(in_.fs.Access(path, 4).has_value());
      case 'w': return truth(in_.fs.Access(path, 2).has_value());
      case 'x': return truth(in_.fs.Access(path, 1).has_value());
      default: return "1";
    }
  }
  void Warn(std::string_view text) override {
    in_.out.Flush();
    in_.err.Write(text);
  }
  void Print(std::string_view text) override { in_.out.Write(text); }

 private:
  void Rename(const std::string& path, const std::string& target) {
    if (!options_.force && in_.fs.Stat(target).has_value()) {
      in_.err.WriteLine(path + " not renamed: " + target + " already exists");
      return;
    }
    if (options_.no_act) {
      in_.out.WriteLine("rename(" + path + ", " + target + ")");
      return;
    }
    if (const Status renamed = in_.fs.Rename(path, target); !renamed) {
      in_.err.WriteLine("Can't rename " + path + " " + target + ": " + std::string(renamed.error().Text()));
      return;
    }
    if (options_.verbose) in_.out.WriteLine(path + " renamed as " + target);
  }

  Invocation& in_;
  const Options& options_;
  PerlProgram program_;
};

ExitStatus Run(Invocation& in) {
  Options options;
  const auto first = TakeOptions(in, options);
  if (!first) return WrongUsage(in);
  if (options.version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  if (options.help) {
    in.out.Write(HelpText(in.command, in.name()));
    return 1;
  }
  if (!options.encoding.empty() && !CharEncoding::Find(options.encoding) && options.encoding != "utf8" && options.encoding != "latin1") {
    in.err.WriteLine("Unknown encoding '" + options.encoding + "' at /usr/share/perl5/File/Rename/Unicode.pm line 19.");
    return 255;
  }
  size_t next = *first;
  if (!options.has_code) {
    if (next >= in.args.size()) return WrongUsage(in);
    options.code = in.args[next++];
  }
  auto program = PerlProgram::Compile(options.code, in.budget);
  if (!program) {
    in.err.WriteLine(std::string(program.error().Text()) + ", in:");
    in.err.WriteLine(options.code);
    return 2;
  }
  Renamer renamer(in, options, std::move(*program));
  if (next < in.args.size()) {
    for (; next < in.args.size(); ++next) {
      if (!renamer.One(in.args[next])) return 2;
    }
    return 0;
  }
  if (options.verbose) in.out.WriteLine("Reading filenames from file handle (standard input)");
  std::vector<std::string> names;   // all of them, before anything changes
  while (const auto line = in.in.ReadLine(options.null ? '\0' : '\n')) names.emplace_back(line->text);
  for (const std::string& name : names) {
    if (!renamer.One(name)) return 2;
  }
  return 0;
}

}  // namespace

extern const Command kCommand_rename;
const Command kCommand_rename = {
    .name = "rename",
    .aliases = kAliases,
    .summary = "rename files by a Perl expression",
    .synopsis = "[OPTION]... [CODE] [FILE]...",
    .details = "CODE changes $_, the name. Without FILE the names are read from standard input.\n",
    .options = kOptions,
    .usage_status = 2,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
