// rg - recursively search the current directory for lines matching a pattern
//
// usage: rg [OPTIONS] PATTERN [PATH ...]
//        rg [OPTIONS] -e PATTERN ... [PATH ...]
//        rg [OPTIONS] --files [PATH ...]
// Skips what ignore files name, hidden files and binary ones. Files come in the order of their names.
//
// Exit status: 0 when something matched, 1 when nothing did, 2 for trouble.
// Source: ripgrep 13.0, away from a terminal.
// Differs: always in the order of --sort path. Patterns are PCRE's, which takes a little more than Rust's and words its complaints
// differently; times in --stats and --json are 0; there is one thread, and files are neither mapped nor automata built beforehand, so that -j, --mmap and
// --dfa-size-limit, which are about speed alone, change nothing. -E other than utf-8, other sort orders, --debug, --regex-size-limit and configuration
// files are refused.

#include <algorithm>

#include "commands/input_files.h"
#include "commands/text/rg_files.h"
#include "commands/text/rg_pattern.h"
#include "commands/text/rg_program.h"
#include "commands/text/rg_search.h"

namespace paddock {
namespace {

constexpr ExitStatus kTrouble = 2;
constexpr std::string_view kUsage =
    "\n\nUSAGE:\n    \n    rg [OPTIONS] PATTERN [PATH ...]\n    rg [OPTIONS] -e PATTERN ... [PATH ...]\n    rg [OPTIONS] -f PATTERNFILE ... [PATH ...]\n"
    "    rg [OPTIONS] --files [PATH ...]\n    rg [OPTIONS] --type-list\n    command | rg [OPTIONS] PATTERN\n    rg [OPTIONS] --help\n    rg [OPTIONS] --version\n\n"
    "For more information try --help\n\n";

enum class Case { kSensitive, kInsensitive, kSmart };
using Mode = RgSettings::Mode;

struct Options {
  Options() { walk.says_ignore_messages = true; }
  RgSettings search;
  RgWalkSettings walk;
  std::vector<std::string> patterns, pattern_files, ignore_files, globs;   // a glob has 'i' in front for --iglob, else 'g'
  RgProgramSettings program;
  std::vector<std::string> preprocessor_globs;
  bool has_ignore_files = true, wants_pcre_version = false;
  std::vector<std::string> types, types_not, added_types, cleared_types;
  Case case_mode = Case::kSensitive;
  bool literal = false, words = false, lines = false, dotall = false, unicode = true;
  bool lists_files = false, lists_types = false;
  bool globs_ignore_case = false, no_ignore = false;
  int unrestricted = 0;
  std::optional<bool> name, heading, line_number;
  bool pretty = false;
  bool wants_version = false, wants_help = false;
};

Status Invalid(std::string_view option, std::string_view why) {
  return Error(Code::kInvalid, "error: Invalid value for '" + std::string(option) + "': " + std::string(why) + "\n");
}
Result<uint64_t> Number(std::string_view option, std::string_view text) {
  uint64_t value = 0;
  if (text.empty()) return Invalid(option, "cannot parse integer from empty string").error();
  for (const char c : text) {
    if (c < '0' || c > '9') return Invalid(option, "invalid digit found in string").error();
    if (value > (std::numeric_limits<uint64_t>::max() - 9) / 10) return Invalid(option, "number too large to fit in target type").error();
    value = value * 10 + static_cast<uint64_t>(c - '0');
  }
  return value;
}

template <auto kMember, auto kValue>
Status S(Options& options, std::string_view) {
  options.search.*kMember = kValue;
  return {};
}
template <auto kMember, auto kValue>
Status W(Options& options, std::string_view) {
  options.walk.*kMember = kValue;
  return {};
}
template <auto kMember>
Status Text(Options& options, std::string_view text) {
  options.search.*kMember = std::string(text);
  return {};
}
Status After(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.search.after, Number("--after-context <NUM>", text));
  return {};
}
Status Before(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.search.before, Number("--before-context <NUM>", text));
  return {};
}
Status Context(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.search.after, Number("--context <NUM>", text));
  options.search.before = options.search.after;
  return {};
}
Status MaxCount(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.search.max_count, Number("--max-count <NUM>", text));
  return {};
}
Status MaxColumns(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.search.max_columns, Number("--max-columns <NUM>", text));
  return {};
}
Status MaxDepth(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.walk.max_depth, Number("--max-depth <NUM>", text));
  return {};
}
// A number of bytes, with K, M or G behind it.
Result<uint64_t> Size(std::string_view text) {
  uint64_t unit = 1;
  std::string_view digits = text;
  const size_t at = text.empty() ? std::string_view::npos : std::string_view("KMG").find(text.back());
  if (at != std::string_view::npos) {
    unit <<= 10 * (at + 1);
    digits.remove_suffix(1);
  }
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return Error(Code::kInvalid, "invalid format for size '" + std::string(text) + "', which should be a sequence of digits followed by an optional 'K', 'M' or 'G' suffix");
  }
  const auto value = Number("", digits);
  if (!value) return Error(Code::kInvalid, "invalid integer found in size '" + std::string(text) + "': number too large to fit in target type");
  if (*value > std::numeric_limits<uint64_t>::max() / unit) return Error(Code::kInvalid, "size too big in '" + std::string(text) + "'");
  return *value * unit;
}
Status MaxSize(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.walk.max_size, Size(text));
  return {};
}
// How much a real automaton may keep before it starts anew: of speed alone.
Status AutomatonSize(Options&, std::string_view text) {
  PADDOCK_TRY(Size(text));
  return {};
}
Status ColorSpec(Options& options, std::string_view text) { return options.search.color_table.Change(text); }
template <bool kUnpacks>
Status Unpack(Options& options, std::string_view) {
  options.program.unpacks = kUnpacks;
  options.program.preprocessor.clear();
  return {};
}
Status Preprocess(Options& options, std::string_view text) {
  options.program.preprocessor = std::string(text);
  options.program.unpacks = false;
  return {};
}
Status Glob(Options& options, std::string_view text) {
  options.globs.push_back("g" + std::string(text));
  return {};
}
Status InsensitiveGlob(Options& options, std::string_view text) {
  options.globs.push_back("i" + std::string(text));
  return {};
}
Status NoIgnore(Options& options, std::string_view) {
  options.no_ignore = true;
  return {};
}
Status Unrestricted(Options& options, std::string_view) {
  ++options.unrestricted;
  return {};
}
Status Color(Options& options, std::string_view text) {
  if (text == "always" || text == "ansi") options.search.colors = true;
  else if (text == "never" || text == "auto") options.search.colors = false;
  else return Error(Code::kInvalid, "error: '" + std::string(text) + "' isn't a valid value for '--color <WHEN>'\n\t[possible values: always, ansi, auto, never]\n" + std::string(kUsage));
  return {};
}
template <bool kReversed>
Status Sort(Options& options, std::string_view text) {
  if (text == "path") options.walk.is_reversed = kReversed;
  else if (text != "none") return Error(Code::kInvalid, "error: only paths can be sorted by here: '" + std::string(text) + "'\n");
  return {};
}
Status Encoding(Options&, std::string_view text) {
  if (text == "auto" || text == "none" || text == "utf-8" || text == "UTF-8" || text == "utf8") return {};
  return Error(Code::kInvalid, "error: encoding not supported here: " + std::string(text) + "\n");
}
Status Engine(Options&, std::string_view text) {
  if (text == "default" || text == "pcre2" || text == "auto") return {};
  return Error(Code::kInvalid, "unrecognized regex engine '" + std::string(text) + "'\n");
}
Status PathSeparator(Options& options, std::string_view text) {
  if (text.size() > 1) return Error(Code::kInvalid, "A path separator must be exactly one byte, but the given separator is " + std::to_string(text.size()) + " bytes.\n");
  options.search.path_separator = text.empty() ? '/' : text[0];
  return {};
}
Status NoContextSeparator(Options& options, std::string_view) {
  options.search.context_separator.reset();
  return {};
}
Status Vimgrep(Options& options, std::string_view) {
  options.search.each_match = options.search.columns = true;
  options.line_number = true;
  options.name = true;
  options.heading = false;
  return {};
}
Status Pretty(Options& options, std::string_view) {
  options.pretty = true;
  options.heading = true;
  options.line_number = true;
  return {};
}
Status Column(Options& options, std::string_view) {
  options.search.columns = true;
  return {};
}
// About how the work is done, which shows in nothing that is printed.
Status HowOnly(Options&, std::string_view) { return {}; }
Status Threads(Options&, std::string_view text) {
  return Number("", text) ? Status() : Error(Code::kInvalid, "invalid digit found in string");
}

constexpr Option kOptions[] = {
    Value<&Options::patterns>('e', "regexp", "PATTERN", "a pattern to search for; may be given several times"),
    Value<&Options::pattern_files>('f', "file", "PATTERNFILE", "search for patterns from the file, one a line"),
    Set<&Options::case_mode, Case::kInsensitive>('i', "ignore-case", "case insensitive search"),
    Set<&Options::case_mode, Case::kSmart>('S', "smart-case", "case insensitive if the pattern is all lower case"),
    Set<&Options::case_mode, Case::kSensitive>('s', "case-sensitive", "case sensitive search (the default)"),
    Set<&Options::literal, true>('F', "fixed-strings", "treat the pattern as a literal string"),
    Set<&Options::literal, false>(0, "no-fixed-strings", nullptr),
    Flag<&Options::words>('w', "word-regexp", "only show matches surrounded by word boundaries"),
    Flag<&Options::lines>('x', "line-regexp", "only show matches surrounded by line boundaries"),
    Call<S<&RgSettings::invert, true>>('v', "invert-match", nullptr, "invert matching"),
    Call<MaxCount>('m', "max-count", "NUM", "limit the number of matching lines per file"),
    Call<S<&RgSettings::multiline, true>>('U', "multiline", nullptr, "enable matching across lines"),
    Call<S<&RgSettings::multiline, false>>(0, "no-multiline", nullptr, nullptr),
    Flag<&Options::dotall>(0, "multiline-dotall", "make '.' match new lines in multiline mode"),
    Call<HowOnly>('P', "pcre2", nullptr, "enable PCRE2 matching (it is)"),
    Call<HowOnly>(0, "no-pcre2", nullptr, nullptr),
    Call<Engine>(0, "engine", "ENGINE", "which regex engine to use: default, pcre2, auto"),
    Call<HowOnly>(0, "auto-hybrid-regex", nullptr, nullptr),
    Set<&Options::unicode, false>(0, "no-unicode", "disable Unicode mode"),
    Set<&Options::unicode, true>(0, "unicode", nullptr),
    Set<&Options::unicode, false>(0, "no-pcre2-unicode", nullptr),
    Set<&Options::unicode, true>(0, "pcre2-unicode", nullptr),
    Flag<&Options::wants_pcre_version>(0, "pcre2-version", "print the version of PCRE2"),
    Call<AutomatonSize>(0, "dfa-size-limit", "NUM+SUFFIX?", "the upper size limit of an automaton (there is none to limit)"),
    Call<S<&RgSettings::crlf, true>>(0, "crlf", nullptr, "support CRLF line terminators"),
    Call<S<&RgSettings::null_data, true>>(0, "null-data", nullptr, "use NUL as a line terminator instead of \\n"),
    Set<&Options::line_number, true>('n', "line-number", "show line numbers"),
    Set<&Options::line_number, false>('N', "no-line-number", "suppress line numbers"),
    Call<Column>(0, "column", nullptr, "show column numbers"),
    Call<S<&RgSettings::columns, false>>(0, "no-column", nullptr, nullptr),
    Call<S<&RgSettings::offsets, true>>('b', "byte-offset", nullptr, "print the 0-based byte offset for each line"),
    Set<&Options::name, true>('H', "with-filename", "print the file path with the matched lines"),
    Set<&Options::name, false>('I', "no-filename", "never print the file path with the matched lines"),
    Set<&Options::heading, true>(0, "heading", "print the file path above matches"),
    Set<&Options::heading, false>(0, "no-heading", "print the file path in each line"),
    Call<S<&RgSettings::mode, Mode::kCount>>('c', "count", nullptr, "only show the count of matching lines for each file"),
    Call<S<&RgSettings::mode, Mode::kCountMatches>>(0, "count-matches", nullptr, "only show the count of individual matches for each file"),
    Call<S<&RgSettings::includes_zero, true>>(0, "include-zero", nullptr, "include files without matches in counts"),
    Call<S<&RgSettings::mode, Mode::kFilesWith>>('l', "files-with-matches", nullptr, "print the paths with at least one match"),
    Call<S<&RgSettings::mode, Mode::kFilesWithout>>(0, "files-without-match", nullptr, "print the paths that contain zero matches"),
    Call<S<&RgSettings::mode, Mode::kQuiet>>('q', "quiet", nullptr, "do not print anything to stdout"),
    Call<S<&RgSettings::mode, Mode::kJson>>(0, "json", nullptr, "show results in a JSON Lines format"),
    Call<S<&RgSettings::only_matching, true>>('o', "only-matching", nullptr, "print only matched parts of a line"),
    Call<Text<&RgSettings::replacement>>('r', "replace", "REPLACEMENT", "replace matches with the given text"),
    Call<S<&RgSettings::passthru, true>>(0, "passthru", nullptr, "print both matching and non-matching lines"),
    Call<S<&RgSettings::passthru, true>>(0, "passthrough", nullptr, nullptr),
    Call<Vimgrep>(0, "vimgrep", nullptr, "show results in vim compatible format"),
    Call<After>('A', "after-context", "NUM", "show NUM lines after each match"),
    Call<Before>('B', "before-context", "NUM", "show NUM lines before each match"),
    Call<Context>('C', "context", "NUM", "show NUM lines before and after each match"),
    Call<Text<&RgSettings::context_separator>>(0, "context-separator", "SEPARATOR", "set the context separator string"),
    Call<NoContextSeparator>(0, "no-context-separator", nullptr, "disable context separators"),
    Call<Text<&RgSettings::match_separator>>(0, "field-match-separator", "SEPARATOR", "set the match field separator"),
    Call<Text<&RgSettings::field_context_separator>>(0, "field-context-separator", "SEPARATOR", "set the context field separator"),
    Call<S<&RgSettings::trim, true>>(0, "trim", nullptr, "trim whitespace at the start of printed lines"),
    Call<S<&RgSettings::trim, false>>(0, "no-trim", nullptr, nullptr),
    Call<MaxColumns>('M', "max-columns", "NUM", "don't print lines longer than this limit"),
    Call<S<&RgSettings::preview, true>>(0, "max-columns-preview", nullptr, "print a preview for lines exceeding the limit"),
    Call<S<&RgSettings::preview, false>>(0, "no-max-columns-preview", nullptr, nullptr),
    Call<S<&RgSettings::null_after_name, true>>('0', "null", nullptr, "print a NUL byte after file paths"),
    Call<PathSeparator>(0, "path-separator", "SEPARATOR", "set the path separator"),
    Call<Color>(0, "color", "WHEN", "when to use colors: never, auto, always, ansi"),
    Call<ColorSpec>(0, "colors", "COLOR_SPEC", "what colors to use: (path|line|column|match):(fg|bg|style):VALUE, or TYPE:none"),
    Call<Pretty>('p', "pretty", nullptr, "alias for --color always --heading --line-number"),
    Call<S<&RgSettings::stats, true>>(0, "stats", nullptr, "print statistics about this search"),
    Call<S<&RgSettings::stats, false>>(0, "no-stats", nullptr, nullptr),
    Flag<&Options::lists_files>(0, "files", "print each file that would be searched"),
    Flag<&Options::lists_types>(0, "type-list", "show all supported file types"),
    Call<Glob>('g', "glob", "GLOB", "include or exclude files"),
    Call<InsensitiveGlob>(0, "iglob", "GLOB", "include or exclude files, case insensitive"),
    Flag<&Options::globs_ignore_case>(0, "glob-case-insensitive", "process all glob patterns case insensitively"),
    Value<&Options::types>('t', "type", "TYPE", "only search files matching TYPE"),
    Value<&Options::types_not>('T', "type-not", "TYPE", "do not search files matching TYPE"),
    Value<&Options::added_types>(0, "type-add", "TYPE_SPEC", "add a new glob for a file type"),
    Value<&Options::cleared_types>(0, "type-clear", "TYPE", "clear globs for a file type"),
    Call<W<&RgWalkSettings::shows_hidden, true>>('.', "hidden", nullptr, "search hidden files and directories"),
    Call<W<&RgWalkSettings::shows_hidden, false>>(0, "no-hidden", nullptr, nullptr),
    Call<Unrestricted>('u', "unrestricted", nullptr, "reduce the level of \"smart\" filtering"),
    Call<NoIgnore>(0, "no-ignore", nullptr, "don't respect ignore files"),
    Call<W<&RgWalkSettings::uses_dot_ignore, false>>(0, "no-ignore-dot", nullptr, "don't respect .ignore files"),
    Call<W<&RgWalkSettings::uses_vcs, false>>(0, "no-ignore-vcs", nullptr, "don't respect VCS ignore files"),
    Call<W<&RgWalkSettings::uses_exclude, false>>(0, "no-ignore-exclude", nullptr, "don't respect local exclusion files"),
    Call<W<&RgWalkSettings::uses_parents, false>>(0, "no-ignore-parent", nullptr, "don't respect ignore files in parent directories"),
    Call<HowOnly>(0, "no-ignore-global", nullptr, "don't respect global ignore files (there are none)"),
    Call<W<&RgWalkSettings::requires_git, false>>(0, "no-require-git", nullptr, "respect .gitignore outside of repositories"),
    Call<W<&RgWalkSettings::ignores_case, true>>(0, "ignore-file-case-insensitive", nullptr, "process ignore files case insensitively"),
    Value<&Options::ignore_files>(0, "ignore-file", "PATH", "specify additional ignore files"),
    Set<&Options::has_ignore_files, false>(0, "no-ignore-files", "don't respect --ignore-file"),
    Set<&Options::has_ignore_files, true>(0, "ignore-files", nullptr),
    Call<W<&RgWalkSettings::says_ignore_messages, false>>(0, "no-ignore-messages", nullptr, "suppress messages about ignore files"),
    Call<W<&RgWalkSettings::says_ignore_messages, true>>(0, "ignore-messages", nullptr, nullptr),
    Call<W<&RgWalkSettings::follows, true>>('L', "follow", nullptr, "follow symbolic links"),
    Call<W<&RgWalkSettings::follows, false>>(0, "no-follow", nullptr, nullptr),
    Call<W<&RgWalkSettings::stays_on_device, true>>(0, "one-file-system", nullptr, "do not descend into directories on other file systems"),
    Call<MaxDepth>(0, "max-depth", "NUM", "descend at most NUM directories"),
    Call<MaxDepth>(0, "maxdepth", "NUM", nullptr),
    Call<MaxSize>(0, "max-filesize", "NUM+SUFFIX?", "ignore files larger than NUM in size"),
    Call<W<&RgWalkSettings::says_messages, false>>(0, "no-messages", nullptr, "suppress some error messages"),
    Call<W<&RgWalkSettings::says_messages, true>>(0, "messages", nullptr, nullptr),
    Call<S<&RgSettings::text, true>>('a', "text", nullptr, "search binary files as if they were text"),
    Call<S<&RgSettings::binary_everywhere, true>>(0, "binary", nullptr, "search binary files"),
    Call<Unpack<true>>('z', "search-zip", nullptr, "search in compressed files, unpacked by the programs in PATH"),
    Call<Unpack<false>>(0, "no-search-zip", nullptr, nullptr),
    Call<Preprocess>(0, "pre", "COMMAND", "search the output of COMMAND FILE for each file"),
    Call<Unpack<false>>(0, "no-pre", nullptr, nullptr),
    Value<&Options::preprocessor_globs>(0, "pre-glob", "GLOB", "run --pre only for these files"),
    Call<Encoding>('E', "encoding", "ENCODING", "the text encoding of files to search"),
    Call<Sort<false>>(0, "sort", "SORTBY", "sort results in ascending order: path or none"),
    Call<Sort<true>>(0, "sortr", "SORTBY", "sort results in descending order: path or none"),
    Call<Threads>('j', "threads", "NUM", "the approximate number of threads to use"),
    Call<HowOnly>(0, "sort-files", nullptr, nullptr),
    Call<HowOnly>(0, "mmap", nullptr, "search using memory maps when possible"),
    Call<HowOnly>(0, "no-mmap", nullptr, "never use memory maps"),
    Call<HowOnly>(0, "line-buffered", nullptr, "force line buffering"),
    Call<HowOnly>(0, "block-buffered", nullptr, "force block buffering"),
    Call<HowOnly>(0, "no-config", nullptr, "never read configuration files"),
    Flag<&Options::wants_version>('V', "version", "print version information"),
    Flag<&Options::wants_help>('h', nullptr, "print this help"),
};

ExitStatus Say(Invocation& in, std::string_view text) {
  in.out.Flush();
  in.err.Write(text);
  return kTrouble;
}

Status ReadPatterns(Invocation& in, Options& options) {
  for (const std::string& name : options.pattern_files) {
    auto file = InputFile::Open(in, name);
    if (!file) return Error(file.error().code, name + ": " + std::string(file.error().Text()) + " (os error " + std::to_string(static_cast<int>(file.error().code)) + ")\n");
    while (const auto line = file->input().ReadLine()) options.patterns.emplace_back(line->text);
  }
  return {};
}

Result<RgMatcher> MakeMatcher(const Options& options) {
  std::string joined;
  bool has_upper = false, has_literal = options.literal;
  for (const std::string& pattern : options.patterns) {
    if (!options.search.multiline && (options.literal ? pattern.find('\n') != std::string::npos : RgHasNewline(pattern))) {
      return Error(Code::kSyntax, "the literal '\"\\n\"' is not allowed in a regex\n\nConsider enabling multiline mode with the --multiline flag (or -U for short).\n"
                                  "When multiline mode is enabled, new line characters can be matched.\n");
    }
    has_upper |= RgHasUpper(pattern);
    has_literal |= RgHasLiteral(pattern);
    if (!joined.empty() || &pattern != &options.patterns[0]) joined += '|';
    const std::string one = options.literal ? RgEscape(pattern) : pattern;
    joined += options.patterns.size() > 1 ? "(?:" + one + ")" : one;
  }
  if (options.patterns.empty()) joined = "(?!)";
  std::string pattern = joined;
  if (options.lines) pattern = "^(?:" + pattern + ")$";
  else if (options.words) pattern = "(?<!\\w)(?:" + pattern + ")(?!\\w)";
  if (options.search.multiline && options.dotall) pattern = "(?s)" + pattern;
  const bool ignores = options.case_mode == Case::kInsensitive || (options.case_mode == Case::kSmart && has_literal && !has_upper);
  if (!options.literal && RgHasBadRepetition(joined)) return Error(Code::kSyntax, "regex parse error:\n    " + joined + "\n    ^\nerror: unclosed counted repetition\n");
  auto matcher = RgMatcher::Make(pattern, ignores, options.search.multiline || options.search.null_data, options.unicode);
  if (matcher) return matcher;
  const std::string_view why = matcher.error().Text();
  std::string shown(why);
  if (why.find("missing closing parenthesis") != std::string_view::npos) shown = "unclosed group";
  if (why.find("unmatched closing parenthesis") != std::string_view::npos) shown = "unopened group";
  if (why.find("missing terminating ]") != std::string_view::npos) shown = "unclosed character class";
  if (why.find("does not follow a repeatable item") != std::string_view::npos) shown = "repetition operator missing expression";
  return Error(Code::kSyntax, "regex parse error:\n    " + joined + "\n    ^\nerror: " + shown + "\n");
}

Status SelectTypes(Options& options, const std::map<std::string, std::vector<std::string>>& types) {
  const auto select = [&](const std::vector<std::string>& names, std::vector<std::pair<std::string, IgnoreGlob>>& to) -> Status {
    for (const std::string& name : names) {
      if (name != "all" && !types.contains(name)) return Error(Code::kSyntax, "unrecognized file type: " + name + "\n");
      for (const auto& [type, globs] : types) {
        if (name != "all" && type != name) continue;
        for (const std::string& text : globs) {
          PADDOCK_ASSIGN(IgnoreGlob glob, IgnoreGlob::Parse(text, false, true));
          to.emplace_back(type, std::move(glob));
        }
      }
    }
    return {};
  };
  PADDOCK_TRY(select(options.types, options.walk.selected_types));
  return select(options.types_not, options.walk.refused_types);
}

Status Complete(Invocation& in, Options& options) {
  RgWalkSettings& walk = options.walk;
  walk.says_ignore_messages = walk.says_ignore_messages && walk.says_messages;
  if (options.unrestricted > 0) options.no_ignore = true;
  if (options.unrestricted > 1) walk.shows_hidden = true;
  if (options.unrestricted > 2) options.search.binary_everywhere = true;
  for (const std::string& text : options.globs) {
    auto glob = IgnoreGlob::Parse(std::string_view(text).substr(1), text[0] == 'i' || options.globs_ignore_case, true);
    if (!glob) return Error(Code::kSyntax, std::string(glob.error().Text()) + "\n");
    walk.overrides.Add(std::move(*glob));
  }
  for (const std::string& text : options.preprocessor_globs) {
    auto glob = IgnoreGlob::Parse(text, false, true);
    if (!glob) return Error(Code::kSyntax, std::string(glob.error().Text()) + "\n");
    options.program.preprocessor_globs.Add(std::move(*glob));
  }
  if (!options.has_ignore_files) options.ignore_files.clear();
  if (options.no_ignore) walk.uses_dot_ignore = walk.uses_vcs = walk.uses_exclude = walk.uses_parents = false;
  for (const std::string& name : options.ignore_files) {
    const auto text = vfs::ReadFile(in.fs, name, 4 << 20);
    std::vector<std::string> complaints;
    if (text) walk.explicit_files.AddLines(*text, walk.ignores_case, in.budget, &complaints);
    const bool says = walk.says_messages && walk.says_ignore_messages;
    for (const std::string& complaint : complaints) {
      if (says) Say(in, name + ": " + complaint + "\n");
    }
    if (!text && says) Say(in, name + ": " + std::string(text.error().Text()) + " (os error " + std::to_string(static_cast<int>(text.error().code)) + ")\n");
  }
  if (options.no_ignore) walk.explicit_files = {};
  RgSettings& search = options.search;
  const std::string_view terminal = in.env.Get("TERM", "");
  if (options.pretty) search.colors = !terminal.empty() && terminal != "dumb";
  if (search.only_matching && search.mode == Mode::kCount) search.mode = Mode::kCountMatches;
  if (search.invert && search.mode == Mode::kCountMatches) search.mode = Mode::kCount;
  search.line_numbers = options.line_number.value_or(search.columns);
  search.heading = options.heading.value_or(false);
  return {};
}

ExitStatus ListTypes(Invocation& in, const Options& options) {
  const auto types = RgTypesWith(options.cleared_types, options.added_types);
  if (!types) return Say(in, types.error().Text());
  for (const auto& [name, globs] : *types) {
    std::vector<std::string> sorted = globs;
    std::sort(sorted.begin(), sorted.end());
    std::string line = name + ": ";
    for (size_t i = 0; i < sorted.size(); ++i) line += (i > 0 ? ", " : "") + sorted[i];
    in.out.WriteLine(line);
  }
  return 0;
}

ExitStatus ListFiles(Invocation& in, const Options& options, const std::vector<std::string>& roots) {
  bool has_any = false, has_failed = false;
  const auto show = [&](const std::string& path, bool) {
    has_any = true;
    if (options.search.mode == Mode::kQuiet) return false;
    std::string name = path;
    if (options.search.path_separator != '/') std::replace(name.begin(), name.end(), '/', options.search.path_separator);
    in.out.Write(name);
    in.out.Put(options.search.null_after_name ? '\0' : '\n');
    return static_cast<bool>(in.out.status());
  };
  for (const std::string& root : roots) has_failed |= WalkForRg(in, options.walk, root, show);
  return has_failed ? kTrouble : has_any ? 0 : 1;
}

// Whether standard input is what to search when no path is given. The exec's own is a pipe also where nobody feeds it: it counts
// when something is in it.
bool IsReadable(Invocation& in) {
  auto input = InputFile::Open(in, "-");
  if (input->file() == nullptr) return false;
  if (input->file()->description() == "pipe:[0]") return !input->input().at_end();
  const auto attributes = input->file()->GetAttributes();
  return attributes && (attributes->is_file() || attributes->type == vfs::FileType::kFifo || attributes->type == vfs::FileType::kSocket);
}

ExitStatus SearchAll(Invocation& in, const Options& options, const RgMatcher& matcher, const std::vector<std::string>& roots) {
  RgSearch search(in, options.search, matcher);
  bool has_found = false, has_failed = false;
  const auto complain = [&](const std::string& name, const std::string& why) {
    has_failed = true;
    if (options.walk.says_messages) Say(in, name + ": " + why + "\n");
    return true;
  };
  const auto number = [](const Error& error) { return std::string(error.Text()) + " (os error " + std::to_string(static_cast<int>(error.code)) + ")"; };
  bool has_searched = false;
  const auto one = [&](Input& input, const std::string& name, bool is_explicit, bool is_program) {
    has_searched = true;
    const auto found = search.File(input, name, is_explicit);
    if (!found) complain(name, is_program ? std::string(found.error().Text()) : number(found.error()));
    has_found |= found && *found;
    return static_cast<bool>(in.out.status()) && !(has_found && options.search.mode == Mode::kQuiet && !options.search.stats);
  };
  const auto visit = [&](const std::string& path, bool is_explicit) {
    if (const auto program = RgProgramFor(in, options.program, path)) {
      auto source = StartRgProgram(in, *program, path);
      if (!source) return complain(path, std::string(source.error().Text()));
      Input input(**source, in.budget);
      const bool had_found = has_found;
      const bool goes_on = one(input, path, is_explicit, true);
      const Status closed = (*source)->Close();
      if (closed) return goes_on;
      has_found = had_found;
      return complain(path, std::string(closed.error().Text()));
    }
    auto file = InputFile::OpenPath(in, path);
    return file ? one(file->input(), path, is_explicit, false) : complain(path, number(file.error()));
  };
  for (const std::string& root : roots) {
    if (root == "-") {
      auto file = InputFile::Open(in, "-");
      one(file->input(), "<stdin>", true, false);
    } else {
      has_failed |= WalkForRg(in, options.walk, root, visit);
    }
  }
  if (!has_searched && roots.front().empty() && options.walk.says_messages) {
    has_failed = true;
    Say(in, "No files were searched, which means ripgrep probably applied a filter you didn't expect.\nRunning with --debug will show why files are being skipped.\n");
  }
  if (options.search.stats || options.search.mode == Mode::kJson) search.PrintStats(options.search.mode == Mode::kJson);
  if (has_failed && !(has_found && options.search.mode == Mode::kQuiet)) return kTrouble;
  return has_found ? 0 : 1;
}

ExitStatus RunParsed(Invocation& in, Options& options, std::vector<std::string> operands) {
  if (const Status completed = Complete(in, options); !completed) return Say(in, completed.error().Text());
  if (options.lists_types) return ListTypes(in, options);
  const auto types = RgTypesWith(options.cleared_types, options.added_types);
  if (!types) return Say(in, types.error().Text());
  if (const Status selected = SelectTypes(options, *types); !selected) return Say(in, selected.error().Text());
  if (options.lists_files) {
    if (!options.patterns.empty()) return Say(in, "error: The argument '--regexp <PATTERN>...' cannot be used with '--files'" + std::string(kUsage));
    if (operands.empty()) operands.emplace_back("");
    return ListFiles(in, options, operands);
  }
  if (options.patterns.empty() && options.pattern_files.empty()) {
    if (operands.empty()) return Say(in, "error: The following required arguments were not provided:\n    <PATTERN>" + std::string(kUsage));
    options.patterns.push_back(operands[0]);
    operands.erase(operands.begin());
  }
  if (const Status read = ReadPatterns(in, options); !read) return Say(in, read.error().Text());
  const auto matcher = MakeMatcher(options);
  if (!matcher) return Say(in, matcher.error().Text());
  const bool is_default = operands.empty();
  if (is_default) operands.emplace_back(IsReadable(in) ? "-" : "");
  bool is_single = operands.size() == 1 && operands[0] == "-";
  if (operands.size() == 1 && !is_single) {
    const auto found = in.fs.Stat(operands[0].empty() ? "." : operands[0]);
    is_single = found && !found->is_directory();
  }
  options.search.shows_name = options.name.value_or(!is_single || (options.search.mode == Mode::kJson));
  if (options.search.heading && is_single && !options.name) options.search.shows_name = false;
  return SearchAll(in, options, *matcher, operands);
}

ExitStatus Run(Invocation& in) {
  Options options;
  auto parsed = ParseOptions(in.args, in.command.options, &options, in.command.rules);
  if (!parsed) {
    if (parsed.error().code != Code::kSyntax) return Say(in, std::string(parsed.error().Text()) + (parsed.error().Text().ends_with("\n\n") ? "" : "\n"));
    // getopt's words to those of rg.
    const std::string message(parsed.error().Text());
    const size_t quote = message.find('\'');
    std::string word = message.substr(quote + 1, message.rfind('\'') - quote - 1);
    if (message.starts_with("invalid option --")) word = "-" + word;
    return Say(in, "error: Found argument '" + word + "' which wasn't expected, or isn't valid in this context" + std::string(kUsage));
  }
  if (parsed->wants_help || options.wants_help) {
    in.out.Write(HelpText(in.command, in.name_in_messages()));
    return 0;
  }
  if (options.wants_version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  if (options.wants_pcre_version) {
    in.out.Write("PCRE2 " + PerlRegexVersion() + " is available\nJIT is not available\n");
    return 0;
  }
  return RunParsed(in, options, std::move(parsed->operands));
}

}  // namespace

extern const Command kCommand_rg;
const Command kCommand_rg = {
    .name = "rg",
    .summary = "recursively search the current directory for lines matching a pattern",
    .synopsis = "[OPTIONS] PATTERN [PATH ...]\n[OPTIONS] -e PATTERN ... [PATH ...]\n[OPTIONS] --files [PATH ...]\n[OPTIONS] --type-list",
    .options = kOptions,
    .usage_status = kTrouble,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
