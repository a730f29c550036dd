// awk - pattern scanning and processing language
//
// usage: awk [OPTION]... [--] 'program' [FILE | VAR=VALUE]...
//        awk [OPTION]... -f PROGFILE [--] [FILE | VAR=VALUE]...
// Runs the program's rules on every record of the files (standard input when there are none).
//
// Exit status: what the program says; 1 for a bad option or a program that does not parse, 2 for a fatal error.
// Source: POSIX awk; GNU awk 5.2.1, also under the names gawk, mawk and nawk.
// Differs: --lint says what is said of whole programs, of variables without a value and of arguments' types; not everything.
// No debugger and no tracing: the options that ask for them are refused. Of libraries there are those that come with gawk,
// less fork(), which fails.
// -o keeps comments on lines of their own and behind statements where gawk does, those inside an expression not.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/text/awk_host.h"
#include "lang/awk/awk.h"
#include "proc/command.h"

namespace paddock {
namespace {

// A piece of the program in the order of the command line.
struct Piece {
  enum Kind { kText, kFile, kInclude } kind;
  std::string value;
};

struct Options {
  bool wants_help = false, wants_version = false, wants_licence = false;
  std::vector<Piece> pieces;
  std::vector<std::string> assignments;
  bool lists_translations = false;
  bool lints_for_old_awk = false;
  awk::LintLevel lint = awk::LintLevel::kOff;
  bool is_posix = false, is_traditional = false, is_sandboxed = false;
  bool has_big_numbers = false;
  std::vector<std::string> libraries;
  bool counts_bytes = false, reads_non_decimal = false, operands_are_files = false;
  std::string refused;       // an option that is not there
  std::optional<std::string> dump_path, pretty_path, profile_path;
  std::string vendor_word;   // -W
};

Status AddText(Options& options, std::string_view text) {
  options.pieces.push_back({Piece::kText, std::string(text)});
  return {};
}
Status AddFile(Options& options, std::string_view path) {
  options.pieces.push_back({Piece::kFile, std::string(path)});
  return {};
}
Status AddLastFile(Options& options, std::string_view path) {
  options.operands_are_files = true;
  return AddFile(options, path);
}
Status SetDump(Options& options, std::string_view path) {
  options.dump_path = path.empty() ? "awkvars.out" : std::string(path);
  return {};
}
Status SetPretty(Options& options, std::string_view path) {
  options.pretty_path = path.empty() ? "awkprof.out" : std::string(path);
  return {};
}
Status SetProfile(Options& options, std::string_view path) {
  options.profile_path = path.empty() ? "awkprof.out" : std::string(path);
  return {};
}
Status SetLint(Options& options, std::string_view kind) {
  options.lint = kind == "fatal"    ? awk::LintLevel::kFatal
                 : kind == "no-ext" ? awk::LintLevel::kNoExtensions
                                    : awk::LintLevel::kWarn;  // "invalid" adds nothing to it
  return {};
}
Status AddInclude(Options& options, std::string_view path) {
  options.pieces.push_back({Piece::kInclude, std::string(path)});
  return {};
}
Status AddAssignment(Options& options, std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) {
    return Error(Code::kSyntax, "`" + std::string(text) + "' argument to `-v' not in `var=value' form\n");
  }
  options.assignments.emplace_back(text);
  return {};
}
Status SetSeparator(Options& options, std::string_view separator) {
  options.assignments.push_back("FS=" + std::string(separator));
  return {};
}
Status AddLibrary(Options& options, std::string_view name) {
  options.libraries.emplace_back(name);
  return {};
}
Status DoNothing(Options&, std::string_view) { return {}; }
template <char kLetter>
Status Refuse(Options& options, std::string_view) {
  if (options.refused.empty()) options.refused = std::string("-") + kLetter;
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::wants_help>('h', nullptr, "display this help and exit"),
    Flag<&Options::wants_version>('V', nullptr, "output version information and exit"),
    Flag<&Options::wants_licence>('C', "copyright", "print what licence this awk has"),
    Call<AddFile>('f', "file", "PROGFILE", "read the program from PROGFILE"),
    Call<AddLastFile>('E', "exec", "FILE", "as -f; all that follows are files, none an assignment"),
    Call<SetSeparator>('F', "field-separator", "FS", "separate fields by FS"),
    Call<AddAssignment>('v', "assign", "VAR=VAL", "set a variable before the program starts"),
    Flag<&Options::counts_bytes>('b', "characters-as-bytes", "treat all text as single bytes"),
    Flag<&Options::is_traditional>('c', "traditional", "leave out GNU extensions"),
    Call<AddText>('e', "source", "TEXT", "use TEXT as part of the program"),
    Call<AddInclude>('i', "include", "FILE", "read functions from FILE, as @include"),
    Flag<&Options::reads_non_decimal>('n', "non-decimal-data", "read hexadecimal and octal in the input"),
    Call<DoNothing>('N', "use-lc-numeric", nullptr, "use the locale's decimal point, which is '.'"),
    Call<DoNothing>('O', "optimize", nullptr, "optimize the program, which is always done"),
    Flag<&Options::is_posix>('P', "posix", "be as POSIX asks"),
    Call<DoNothing>('r', "re-interval", nullptr, "allow {n,m} in patterns, which is the default"),
    Call<DoNothing>('s', "no-optimize", nullptr, "same as -O"),
    Flag<&Options::is_sandboxed>('S', "sandbox", "no system(), pipes, redirections"),
    Value<&Options::vendor_word>('W', nullptr, "OPTION", "the long option --OPTION"),
    CallOptional<SetDump>('d', "dump-variables", "FILE", "write the variables to FILE (awkvars.out) at the end"),
    CallOptional<Refuse<'D'>>('D', "debug", "FILE", nullptr),
    Flag<&Options::lists_translations>('g', "gen-pot", "do not run the program, print its texts for translation as a .pot file"),
    Call<Refuse<'I'>>('I', "trace", nullptr, nullptr),
    Call<AddLibrary>('l', "load", "LIBRARY", "load one of gawk's own libraries, as @load"),
    CallOptional<SetLint>('L', "lint", "KIND", "warn of what is doubtful; KIND is fatal, invalid or no-ext"),
    Flag<&Options::has_big_numbers>('M', "bignum", "work with numbers of any size and precision (PREC, ROUNDMODE)"),
    CallOptional<SetPretty>('o', "pretty-print", "FILE", "do not run the program, write it neatly to FILE (awkprof.out)"),
    CallOptional<SetProfile>('p', "profile", "FILE", "write the program to FILE (awkprof.out) with how often each part ran"),
    Flag<&Options::lints_for_old_awk>('t', "lint-old", "warn of what the first awk did not have"),
};

// --- the command line

ExitStatus Fatal(Invocation& in, const std::string& message) { return in.Fail("fatal: " + message, 2); }

Result<awk::ProgramFile> ReadProgram(Invocation& in, awk::Host& host, const Piece& piece) {
  if (piece.kind == Piece::kFile && (piece.value == "-" || piece.value == "/dev/stdin")) {
    return awk::ProgramFile{"", in.in.ReadAll()};
  }
  return awk::ReadProgramFile(host, piece.value, in.env.Get("AWKPATH", ""));
}

ExitStatus UsageError(Invocation& in, std::string_view message) {
  if (!message.empty()) in.Fail(message);
  const std::string name(in.name());
  in.err.Write("Usage: " + name + " [POSIX or GNU style options] -f progfile [--] file ...\n" + "Usage: " + name +
               " [POSIX or GNU style options] [--] 'program' file ...\n" + OptionHelp(kOptions));
  return 1;
}

awk::RunOptions ToRunOptions(Invocation& in, Options& options, std::vector<std::string> operands) {
  awk::RunOptions run;
  run.name = in.name();
  run.assignments = std::move(options.assignments);
  run.operands = std::move(operands);
  run.arguments.assign(in.args.begin(), in.args.end());
  run.program_path = in.env.Get("AWKPATH", "");
  run.is_utf8 = in.locale.is_utf8 && !options.counts_bytes;
  run.lint = options.lint;
  run.lints_for_old_awk = options.lints_for_old_awk;
  run.lists_translations = options.lists_translations;
  run.dump_path = options.dump_path;
  run.profile_path = options.profile_path;
  if (!options.profile_path) run.pretty_path = options.pretty_path;
  run.operands_are_files = options.operands_are_files;
  run.is_sandboxed = options.is_sandboxed;
  run.libraries = options.libraries;
  run.has_big_numbers = options.has_big_numbers;
  if (options.is_posix) {
    run.strictness = awk::Strictness::kPosix;
  } else if (options.is_traditional) {
    run.strictness = awk::Strictness::kTraditional;
    for (std::string& assignment : run.assignments) {
      if (assignment == "FS=t") assignment = "FS=\\t";
    }
  }
  run.reads_non_decimal = options.reads_non_decimal && run.strictness == awk::Strictness::kGnu;
  return run;
}

// Whether the option at `arg` takes the next argument too, and whether it is -E, the last one.
struct OptionShape {
  bool takes_next = false;
  bool is_last = false;
};
OptionShape ShapeOf(std::string_view arg) {
  if (arg.starts_with("--")) {
    const std::string_view name = arg.substr(2, arg.find('=') == std::string_view::npos ? arg.npos : arg.find('=') - 2);
    for (const Option& option : kOptions) {
      if (option.long_name == nullptr || !std::string_view(option.long_name).starts_with(name)) continue;
      const bool has_value = name.size() + 2 < arg.size();
      return {option.argument == OptionArgument::kRequired && !has_value, option.short_name == 'E'};
    }
    return {};
  }
  for (size_t i = 1; i < arg.size(); ++i) {
    for (const Option& option : kOptions) {
      if (option.short_name != arg[i] || option.argument == OptionArgument::kNone) continue;
      return {option.argument == OptionArgument::kRequired && i + 1 == arg.size(), arg[i] == 'E'};
    }
  }
  return {};
}

// Whether awk has the option that `arg` begins with. What it has not belongs to the program, which "#!/bin/awk -f" needs.
bool IsKnown(std::string_view arg) {
  const auto has_letter = [](char letter) {
    return std::any_of(std::begin(kOptions), std::end(kOptions), [&](const Option& o) { return o.short_name == letter; });
  };
  if (!arg.starts_with("--")) return has_letter(arg[1]);
  const std::string_view name = arg.substr(2, std::min(arg.find('='), arg.size()) - 2);
  return name == "help" || name == "version" || std::any_of(std::begin(kOptions), std::end(kOptions), [&](const Option& o) {
           return o.long_name != nullptr && std::string_view(o.long_name).starts_with(name);
         });
}

// How many arguments there are up to the value of -E or the first option that awk does not have; all of them without.
size_t CountOptions(std::span<const std::string> args) {
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i].size() < 2 || args[i][0] != '-' || args[i] == "--") break;
    if (!IsKnown(args[i])) return i;
    const OptionShape shape = ShapeOf(args[i]);
    if (shape.takes_next) ++i;
    if (shape.is_last) return std::min(i + 1, args.size());
  }
  return args.size();
}

ExitStatus Run(Invocation& in) {
  Options options;
  OptionRules rules;
  rules.stop_at_operand = true;
  const size_t option_count = CountOptions(in.args);
  const bool is_cut = option_count < in.args.size() && in.args[option_count].starts_with('-') &&
                      !IsKnown(in.args[option_count]);
  auto parsed = ParseOptions(in.args.first(option_count), kOptions, &options, rules);
  if (parsed && !options.vendor_word.empty()) {
    const std::vector<std::string> vendor = {"awk", "--" + options.vendor_word};
    auto extra = ParseOptions(vendor, kOptions, &options, rules);
    if (!extra) return UsageError(in, extra.error().Text());
    parsed->wants_help |= extra->wants_help;
    parsed->wants_version |= extra->wants_version;
  }
  if (!parsed) return UsageError(in, parsed.error().Text());
  if (options.wants_licence) {
    in.out.Write("awk (Paddock): Copyright the Paddock authors; Apache License, Version 2.0. It comes without any warranty.\n");
    return 0;
  }
  if (parsed->wants_version || options.wants_version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  if (parsed->wants_help || options.wants_help) {
    in.out.Write(HelpText(in.command, in.name()));
    return 0;
  }
  if (!options.refused.empty()) return Fatal(in, "the option " + options.refused + " is not supported");
  if (options.profile_path && options.pretty_path) in.Fail("warning: `--profile' overrides `--pretty-print'");
  const std::unique_ptr<awk::Host> host = MakeAwkHost(in);
  std::vector<awk::Source> sources;
  bool has_program = false;
  for (const Piece& piece : options.pieces) {
    if (piece.kind == Piece::kText) {
      sources.push_back({"cmd. line", piece.value, "", false});
      has_program = true;
      continue;
    }
    auto text = ReadProgram(in, *host, piece);
    if (!text) {
      return Fatal(in, "cannot open source file `" + piece.value +
                           "' for reading: " + std::string(text.error().Text()));
    }
    const bool is_program = piece.kind == Piece::kFile;
    has_program |= is_program;
    const auto same = std::find_if(sources.begin(), sources.end(), [&](const awk::Source& source) {
      return !text->path.empty() && source.path == text->path;
    });
    if (same != sources.end() && same->is_program != is_program) {
      return Fatal(in, "cannot include `" + piece.value + "' and use it as a program file");
    }
    if (same != sources.end() && !is_program) {
      if (options.lint != awk::LintLevel::kOff) in.Fail("warning: already included source file `" + piece.value + "'");
      continue;
    }
    sources.push_back({piece.value, std::move(text->text), std::move(text->path), is_program});
  }
  std::vector<std::string> operands = std::move(parsed->operands);
  for (const std::string& rest : in.args.subspan(option_count)) operands.push_back(rest);
  if (!has_program) {
    if (operands.empty() || is_cut) return UsageError(in, "");
    sources.push_back({"cmd. line", operands.front(), "", false});
    operands.erase(operands.begin());
  }
  const awk::RunOptions run = ToRunOptions(in, options, std::move(operands));
  return awk::RunAwk(std::move(sources), run, *host);
}

constexpr const char* kAliases[] = {"gawk", "mawk", "nawk"};

}  // namespace

extern const Command kCommand_awk;
const Command kCommand_awk = {
    .name = "awk",
    .aliases = kAliases,
    .summary = "pattern scanning and processing language",
    .synopsis = "[OPTION]... [--] 'program' [FILE]...\n[OPTION]... -f PROGFILE [--] [FILE]...",
    .options = kOptions,
    .usage_status = 1,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
