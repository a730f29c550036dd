#include <algorithm>
#include <limits>

#include "commands/input_files.h"
#include "commands/text/diff_options.h"
#include "proc/process.h"
#include "text/numbers.h"

namespace paddock {
namespace {

constexpr size_t kDefaultContext = 3;
constexpr uint64_t kMostContext = uint64_t{1} << 40;

Error UsageError(std::string message) { return Error(Code::kSyntax, std::move(message)); }

Status UseStyle(DiffOptions& options, DiffStyle style) {
  if (!options.styles.empty() && options.styles[0] != style) return UsageError("conflicting output style options");
  options.styles.push_back(style);
  return {};
}
// Sets an option that may be repeated, but not with another value.
Status SpecifyValue(std::optional<std::string>& target, std::string value, const char* option) {
  if (target && *target != value) {
    return UsageError(std::string("conflicting ") + option + " option value '" + value + "'");
  }
  target = std::move(value);
  return {};
}

Result<size_t> ReadNumber(std::string_view text, std::string_view what, uint64_t least) {
  const SizeNumber number = ParseSize(text, "");
  const bool is_number = number.state == NumberState::kOk || number.state == NumberState::kOverflow;
  const bool has_space = !text.empty() && (text[0] == ' ' || text[0] == '\t');
  if (!is_number || has_space || number.value < least) {
    return UsageError("invalid " + std::string(what) + " '" + std::string(text) + "'");
  }
  return static_cast<size_t>(std::min(number.value, kMostContext));
}
Status SpecifySize(std::optional<size_t>& target, std::string_view text, const char* what) {
  PADDOCK_ASSIGN(const size_t size, ReadNumber(text, what, 1));
  if (target && *target != size) return Error(Code::kInvalid, std::string("conflicting ") + what + " options");
  target = size;
  return {};
}
Status SetWidth(DiffOptions& options, std::string_view text) { return SpecifySize(options.width, text, "width"); }
Status SetTabSize(DiffOptions& options, std::string_view text) {
  return SpecifySize(options.tab_size, text, "tabsize");
}
Status SetHorizon(DiffOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(const size_t horizon, ReadNumber(text, "horizon length", 0));
  options.horizon = std::max(options.horizon, horizon);
  return {};
}
Status SetStartingFile(DiffOptions& options, std::string_view name) {
  return SpecifyValue(options.starting_file, std::string(name), "-S");
}
Status SetFromFile(DiffOptions& options, std::string_view name) {
  return SpecifyValue(options.from_file, std::string(name), "--from-file");
}
Status SetToFile(DiffOptions& options, std::string_view name) {
  return SpecifyValue(options.to_file, std::string(name), "--to-file");
}

template <DiffStyle kStyle>
Status SetStyle(DiffOptions& options, std::string_view) {
  return UseStyle(options, kStyle);
}
// -u, -c and their forms with a number.
template <DiffStyle kStyle>
Status SetContextStyle(DiffOptions& options, std::string_view text) {
  size_t number = kDefaultContext;
  if (text.data() != nullptr) {
    PADDOCK_ASSIGN(number, ReadNumber(text, "context length", 0));
    options.has_explicit_context = true;
  }
  options.context = std::max(options.context, number);
  return UseStyle(options, kStyle);
}
template <char kDigit>
Status AddContextDigit(DiffOptions& options, std::string_view) {
  options.old_context += kDigit;
  return {};
}
template <DiffSpace kSpace>
Status SetSpace(DiffOptions& options, std::string_view) {
  options.space = std::max(options.space, kSpace);   // -E gives way to -Z too
  return {};
}
constexpr const char* kGroupOptions[] = {"--unchanged-group-format", "--old-group-format", "--new-group-format",
                                         "--changed-group-format"};
constexpr const char* kLineOptions[] = {"--unchanged-line-format", "--old-line-format", "--new-line-format"};

template <size_t kIndex>
Status SetGroupFormat(DiffOptions& options, std::string_view format) {
  PADDOCK_TRY(UseStyle(options, DiffStyle::kIfdef));
  return SpecifyValue(options.group_formats[kIndex], std::string(format), kGroupOptions[kIndex]);
}
template <size_t kIndex>
Status SetLineFormat(DiffOptions& options, std::string_view format) {
  PADDOCK_TRY(UseStyle(options, DiffStyle::kIfdef));
  return SpecifyValue(options.line_formats[kIndex], std::string(format), kLineOptions[kIndex]);
}
Status SetAllLineFormats(DiffOptions& options, std::string_view format) {
  PADDOCK_TRY(UseStyle(options, DiffStyle::kIfdef));
  for (auto& line_format : options.line_formats) {
    PADDOCK_TRY(SpecifyValue(line_format, std::string(format), "--line-format"));
  }
  return {};
}
Status SetIfdef(DiffOptions& options, std::string_view text) {
  PADDOCK_TRY(UseStyle(options, DiffStyle::kIfdef));
  const std::string name(text);
  const std::string formats[] = {"%=", "#ifndef " + name + "\n%<#endif /* ! " + name + " */\n",
                                 "#ifdef " + name + "\n%>#endif /* " + name + " */\n",
                                 "#ifndef " + name + "\n%<#else /* " + name + " */\n%>#endif /* " + name + " */\n"};
  for (size_t i = 0; i < options.group_formats.size(); ++i) {
    PADDOCK_TRY(SpecifyValue(options.group_formats[i], formats[i], "-D"));
  }
  return {};
}
Status SetColor(DiffOptions& options, std::string_view when) {
  options.color = when.data() == nullptr ? "auto" : when;
  return {};
}

}  // namespace

const Option kDiffOptions[kDiffOptionCount] = {
    Call<SetStyle<DiffStyle::kNormal>>(0, "normal", nullptr, "output a normal diff (the default)"),
    Flag<&DiffOptions::brief>('q', "brief", "report only when files differ"),
    Flag<&DiffOptions::report_same>('s', "report-identical-files", "report when two files are the same"),
    Call<SetContextStyle<DiffStyle::kContext>>('c', nullptr, nullptr, "output 3 lines of copied context"),
    CallOptional<SetContextStyle<DiffStyle::kContext>>(0, "context", "NUM", "output NUM lines of copied context"),
    Call<SetContextStyle<DiffStyle::kContext>>('C', nullptr, "NUM", "output NUM lines of copied context"),
    Call<SetContextStyle<DiffStyle::kUnified>>('u', nullptr, nullptr, "output 3 lines of unified context"),
    CallOptional<SetContextStyle<DiffStyle::kUnified>>(0, "unified", "NUM", "output NUM lines of unified context"),
    Call<SetContextStyle<DiffStyle::kUnified>>('U', nullptr, "NUM", "output NUM lines of unified context"),
    Call<SetStyle<DiffStyle::kEd>>('e', "ed", nullptr, "output an ed script"),
    Call<SetStyle<DiffStyle::kForwardEd>>('f', "forward-ed", nullptr, nullptr),
    Call<SetStyle<DiffStyle::kRcs>>('n', "rcs", nullptr, "output an RCS format diff"),
    Call<SetStyle<DiffStyle::kSideBySide>>('y', "side-by-side", nullptr, "output in two columns"),
    Call<SetWidth>('W', "width", "NUM", "output at most NUM (default 130) print columns"),
    Flag<&DiffOptions::left_column>(0, "left-column", "output only the left column of common lines"),
    Flag<&DiffOptions::suppress_common_lines>(0, "suppress-common-lines", "do not output common lines"),
    Flag<&DiffOptions::show_c_function>('p', "show-c-function", "show which C function each change is in"),
    Value<&DiffOptions::function_patterns>('F', "show-function-line", "RE",
                                           "show the most recent line matching RE"),
    Value<&DiffOptions::labels>('L', "label", "LABEL", "use LABEL instead of file name and timestamp"),
    Flag<&DiffOptions::expand_tabs>('t', "expand-tabs", "expand tabs to spaces in output"),
    Flag<&DiffOptions::initial_tab>('T', "initial-tab", "make tabs line up by prepending a tab"),
    Call<SetTabSize>(0, "tabsize", "NUM", "tab stops every NUM (default 8) print columns"),
    Flag<&DiffOptions::suppress_blank_empty>(0, "suppress-blank-empty",
                                             "suppress space or tab before empty output lines"),
    Flag<&DiffOptions::paginate>('l', "paginate", "pass output through 'pr' to paginate it"),
    Flag<&DiffOptions::recursive>('r', "recursive", "recursively compare any subdirectories found"),
    Flag<&DiffOptions::no_dereference>(0, "no-dereference", "don't follow symbolic links"),
    Flag<&DiffOptions::new_file>('N', "new-file", "treat absent files as empty"),
    Flag<&DiffOptions::new_first_file>('P', "unidirectional-new-file", "treat absent first files as empty"),
    Flag<&DiffOptions::ignore_name_case>(0, "ignore-file-name-case", "ignore case when comparing file names"),
    Set<&DiffOptions::ignore_name_case, false>(0, "no-ignore-file-name-case", "consider case when comparing file names"),
    Value<&DiffOptions::exclude>('x', "exclude", "PAT", "exclude files that match PAT"),
    Value<&DiffOptions::exclude_from>('X', "exclude-from", "FILE", "exclude files that match any pattern in FILE"),
    Call<SetStartingFile>('S', "starting-file", "FILE", "start with FILE when comparing directories"),
    Call<SetFromFile>(0, "from-file", "FILE1", "compare FILE1 to all operands"),
    Call<SetToFile>(0, "to-file", "FILE2", "compare all operands to FILE2"),
    Flag<&DiffOptions::ignore_case>('i', "ignore-case", "ignore case differences in file contents"),
    Call<SetSpace<DiffSpace::kTabs>>('E', "ignore-tab-expansion", nullptr, "ignore changes due to tab expansion"),
    Call<SetSpace<DiffSpace::kTrailing>>('Z', "ignore-trailing-space", nullptr, "ignore white space at line end"),
    Call<SetSpace<DiffSpace::kChange>>('b', "ignore-space-change", nullptr,
                                       "ignore changes in the amount of white space"),
    Call<SetSpace<DiffSpace::kAll>>('w', "ignore-all-space", nullptr, "ignore all white space"),
    Flag<&DiffOptions::ignore_blank_lines>('B', "ignore-blank-lines", "ignore changes where lines are all blank"),
    Value<&DiffOptions::ignored_patterns>('I', "ignore-matching-lines", "RE",
                                          "ignore changes where all lines match RE"),
    Flag<&DiffOptions::text>('a', "text", "treat all files as text"),
    Flag<&DiffOptions::strip_carriage_return>(0, "strip-trailing-cr", "strip trailing carriage return on input"),
    Call<SetIfdef>('D', "ifdef", "NAME", "output merged file with '#ifdef NAME' diffs"),
    Call<SetGroupFormat<0>>(0, "unchanged-group-format", "GFMT", "format unchanged input groups with GFMT"),
    Call<SetGroupFormat<1>>(0, "old-group-format", "GFMT", "format old input groups with GFMT"),
    Call<SetGroupFormat<2>>(0, "new-group-format", "GFMT", "format new input groups with GFMT"),
    Call<SetGroupFormat<3>>(0, "changed-group-format", "GFMT", "format changed input groups with GFMT"),
    Call<SetAllLineFormats>(0, "line-format", "LFMT", "format all input lines with LFMT"),
    Call<SetLineFormat<0>>(0, "unchanged-line-format", "LFMT", "format unchanged input lines with LFMT"),
    Call<SetLineFormat<1>>(0, "old-line-format", "LFMT", "format old input lines with LFMT"),
    Call<SetLineFormat<2>>(0, "new-line-format", "LFMT", "format new input lines with LFMT"),
    Flag<&DiffOptions::minimal>('d', "minimal", "try hard to find a smaller set of changes"),
    Call<SetHorizon>(0, "horizon-lines", "NUM", "keep NUM lines of the common prefix and suffix"),
    Flag<&DiffOptions::speed>('H', "speed-large-files", "assume large files and many scattered small changes"),
    CallOptional<SetColor>(0, "color", "WHEN", "color output; WHEN is 'never', 'always', or 'auto'"),
    Flag<&DiffOptions::is_terminal_presumed>(0, "-presume-output-tty", nullptr),
    Value<&DiffOptions::palette>(0, "palette", "PALETTE", "the colors to use when --color is active"),
    Flag<&DiffOptions::help>(0, "help", "display this help and exit"),
    Flag<&DiffOptions::version>('v', "version", "output version information and exit"),
    Call<AddContextDigit<'0'>>('0', nullptr, nullptr, nullptr), Call<AddContextDigit<'1'>>('1', nullptr, nullptr, nullptr),
    Call<AddContextDigit<'2'>>('2', nullptr, nullptr, nullptr), Call<AddContextDigit<'3'>>('3', nullptr, nullptr, nullptr),
    Call<AddContextDigit<'4'>>('4', nullptr, nullptr, nullptr), Call<AddContextDigit<'5'>>('5', nullptr, nullptr, nullptr),
    Call<AddContextDigit<'6'>>('6', nullptr, nullptr, nullptr), Call<AddContextDigit<'7'>>('7', nullptr, nullptr, nullptr),
    Call<AddContextDigit<'8'>>('8', nullptr, nullptr, nullptr), Call<AddContextDigit<'9'>>('9', nullptr, nullptr, nullptr),
};

namespace {

class SettingsMaker {
 public:
  SettingsMaker(Invocation& in, const DiffOptions& options) : in_(in), options_(options) {}

  Result<DiffSettings> Make() {
    ChooseStyle();
    ReadContext();
    ReadSizes();
    PADDOCK_TRY(ReadPatterns());
    PADDOCK_TRY(ReadColors());
    PADDOCK_TRY(ReadExcluded());
    MakeFormats();
    if (options_.labels.size() > 2) return Error(Code::kInvalid, "too many file label options");
    if (options_.paginate) return Error(Code::kInvalid, "--paginate is not supported");
    CopyFlags();
    return std::move(settings_);
  }

 private:
  void ChooseStyle() {
    const std::vector<DiffStyle>& styles = options_.styles;
    DiffStyle style = styles.empty() ? DiffStyle::kNormal : styles[0];
    // -p alone asks for context.
    if (styles.empty() && options_.show_c_function) {
      style = DiffStyle::kContext;
      settings_.layout.context = kDefaultContext;
    }
    settings_.layout.style = style;
    settings_.rules.keeps_missing_newline = style != DiffStyle::kEd && style != DiffStyle::kForwardEd;
  }

  void ReadContext() {
    size_t& context = settings_.layout.context;
    context = std::max(context, options_.context);
    const bool has_context =
        settings_.layout.style == DiffStyle::kContext || settings_.layout.style == DiffStyle::kUnified;
    if (has_context && !options_.old_context.empty()) {
      const size_t old = static_cast<size_t>(std::min(ParseSize(options_.old_context, "").value, kMostContext));
      if (context < old || !options_.has_explicit_context) context = old;
    }
    settings_.rules.context = std::max(context, options_.horizon);
  }

  void ReadSizes() {
    if (options_.width) settings_.layout.width = *options_.width;
    if (options_.tab_size) settings_.rules.tab_size = settings_.layout.tab_size = *options_.tab_size;
    // Blanks are written or compared where tabs are expanded; else the size only has to be a number.
    const bool expands = options_.expand_tabs || settings_.layout.style == DiffStyle::kSideBySide || options_.space == DiffSpace::kTabs;
    in_.budget.WillAllocate(std::max(settings_.layout.width, expands ? settings_.layout.tab_size : 0));
  }

  // Several patterns count as alternatives.
  Result<std::unique_ptr<Regex>> JoinPatterns(const std::vector<std::string>& patterns) {
    if (patterns.empty()) return std::unique_ptr<Regex>();
    const RegexFlags flags{.dialect = RegexDialect::kBasic, .is_utf8 = in_.locale.is_utf8};
    std::string joined;
    for (const std::string& pattern : patterns) {
      if (auto alone = Regex::Compile(pattern, flags); !alone) {
        return Error(Code::kInvalid, pattern + ": " + std::string(alone.error().Text()));
      }
      if (!joined.empty()) joined += "\\|";
      joined += pattern;
    }
    PADDOCK_ASSIGN(Regex regex, Regex::Compile(joined, flags));
    return std::make_unique<Regex>(std::move(regex));
  }

  Status ReadPatterns() {
    std::vector<std::string> functions = options_.function_patterns;
    if (options_.show_c_function) functions.push_back("^[[:alpha:]$_]");
    PADDOCK_ASSIGN(settings_.function, JoinPatterns(functions));
    PADDOCK_ASSIGN(settings_.ignored, JoinPatterns(options_.ignored_patterns));
    return {};
  }

  Status ReadColors() {
    DiffColors& colors = settings_.layout.colors;
    if (options_.color) {
      if (*options_.color == "always") {
        colors.is_enabled = true;
      } else if (*options_.color == "auto") {
        const auto& file = in_.process.descriptors().Get(1);
        const bool is_shown = options_.is_terminal_presumed || (file != nullptr && file->is_terminal());
        colors.is_enabled = is_shown && in_.env.Get("TERM", "dumb") != "dumb";
      } else if (*options_.color != "never") {
        return UsageError("invalid color '" + *options_.color + "'");
      }
    }
    std::string_view rest = options_.palette;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(':'), rest.size());
      const std::string_view item = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const size_t equals = item.find('=');
      const std::string_view name = item.substr(0, equals);
      std::string* target = name == "hd"   ? &colors.header
                            : name == "ad" ? &colors.added
                            : name == "de" ? &colors.deleted
                            : name == "ln" ? &colors.line_numbers
                            : name == "rs" ? &colors.reset
                                           : nullptr;
      if (target == nullptr || equals == std::string_view::npos) {
        in_.Fail("unparsable value for --palette");
        return {};
      }
      *target = item.substr(equals + 1);
    }
    return {};
  }

  Status ReadExcluded() {
    std::vector<std::string> patterns = options_.exclude;
    for (const std::string& name : options_.exclude_from) {
      auto file = InputFile::Open(in_, name);
      if (!file) return Error(file.error().code, name + ": " + std::string(file.error().Text()));
      while (const auto line = file->input().ReadLine()) {
        std::string_view text = line->text;
        while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
        if (!text.empty()) patterns.emplace_back(text);
      }
    }
    PatternFlags flags;
    flags.extglob = false;
    flags.ignore_case = options_.ignore_name_case;
    flags.is_utf8 = in_.locale.is_utf8;
    for (const std::string& pattern : patterns) settings_.excluded.emplace_back(pattern, flags);
    return {};
  }

  void MakeFormats() {
    if (settings_.layout.style != DiffStyle::kIfdef) return;
    auto groups = options_.group_formats;
    if (!groups[1]) groups[1] = groups[3] ? *groups[3] : "%<";
    if (!groups[2]) groups[2] = groups[3] ? *groups[3] : "%>";
    if (!groups[0]) groups[0] = "%=";
    if (!groups[3]) groups[3] = *groups[1] + *groups[2];
    for (size_t i = 0; i < groups.size(); ++i) settings_.layout.group_formats[i] = *groups[i];
    for (size_t i = 0; i < options_.line_formats.size(); ++i) {
      settings_.layout.line_formats[i] = options_.line_formats[i].value_or("%l\n");
    }
  }

  void CopyFlags() {
    DiffRules& rules = settings_.rules;
    rules.space = options_.space;
    rules.ignore_case = options_.ignore_case;
    rules.ignore_blank_lines = options_.ignore_blank_lines;
    rules.ignored = settings_.ignored.get();
    rules.strip_carriage_return = options_.strip_carriage_return;
    rules.minimal = options_.minimal;
    DiffLayout& layout = settings_.layout;
    layout.function = settings_.function.get();
    layout.expand_tabs = options_.expand_tabs;
    layout.initial_tab = options_.initial_tab;
    layout.suppress_blank_empty = options_.suppress_blank_empty;
    layout.left_column = options_.left_column;
    layout.suppress_common_lines = options_.suppress_common_lines;
    layout.is_utf8 = in_.locale.is_utf8;
    settings_.labels = options_.labels;
    settings_.brief = options_.brief;
    settings_.report_same = options_.report_same;
    settings_.recursive = options_.recursive;
    settings_.new_file = options_.new_file;
    settings_.new_first_file = options_.new_file || options_.new_first_file;
    settings_.no_dereference = options_.no_dereference;
    settings_.ignore_name_case = options_.ignore_name_case;
    settings_.text = options_.text;
    settings_.starting_file = options_.starting_file.value_or("");
  }

  Invocation& in_;
  const DiffOptions& options_;
  DiffSettings settings_;
};

}  // namespace


Result<DiffSettings> MakeDiffSettings(Invocation& in, const DiffOptions& options) {
  return SettingsMaker(in, options).Make();
}

}  // namespace paddock
