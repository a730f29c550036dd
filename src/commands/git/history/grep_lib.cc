// git grep.
#include <algorithm>

#include "commands/git/diff/diff_driver.h"
#include "commands/git/history/grep.h"
#include "commands/git/refs/revision.h"
#include "commands/git/shell_words.h"
#include "commands/git/work/ignore_rules.h"
#include "commands/git/work/worktree.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

Status TakePattern(GrepOptions& options, std::string_view value) {
  options.terms.push_back({GrepTerm::Kind::kPattern, std::string(value)});
  return {};
}
Status TakePatternFile(GrepOptions& options, std::string_view value) {
  options.pattern_files.emplace_back(value);
  options.terms.push_back({GrepTerm::Kind::kFile, std::string(value)});
  return {};
}
template <GrepTerm::Kind kKind>
Status TakeOperator(GrepOptions& options, std::string_view) {
  options.terms.push_back({kKind, ""});
  return {};
}
template <RegexDialect kDialect>
Status TakeDialect(GrepOptions& options, std::string_view) {
  options.dialect = kDialect;
  options.fixed = false;
  return {};
}
Status TakeContext(GrepOptions& options, std::string_view value) {
  PADDOCK_TRY(ParseOptionValue(value, options.before));
  options.after = options.before;
  return {};
}
Status TakeColour(GrepOptions& options, std::string_view value) {
  if (value.empty() || value == "always") options.colours = true;
  else if (value == "never" || value == "auto") options.colours = false;
  else return Error(Code::kRange, "option `color' expects \"always\", \"auto\", or \"never\"");
  return {};
}
Status TakePager(GrepOptions& options, std::string_view value) {
  options.pager = value;
  return {};
}
bool TakeNumber(void* options, std::string_view argument) {
  if (argument[0] != '-' || argument.find_first_not_of("0123456789", 1) != std::string_view::npos) return false;
  auto& grep = *static_cast<GrepOptions*>(options);
  if (!ParseOptionValue(argument.substr(1), grep.before)) return false;
  grep.after = grep.before;
  return true;
}

constexpr Option kOptions[] = {
    Flag<&GrepOptions::cached>(0, "cached", "look into the index"),
    Flag<&GrepOptions::no_index>(0, "no-index", "look into files that git does not know"),
    Flag<&GrepOptions::untracked>(0, "untracked", "also into untracked files"),
    Flag<&GrepOptions::standard>(0, "exclude-standard", "without ignored files"),
    Set<&GrepOptions::with_ignored, true>(0, "no-exclude-standard", "also into ignored files"),
    Flag<&GrepOptions::inverts>('v', "invert-match", "lines that do not match"),
    Flag<&GrepOptions::ignores_case>('i', "ignore-case", "in any case"),
    Flag<&GrepOptions::words>('w', "word-regexp", "whole words"),
    Flag<&GrepOptions::as_text>('a', "text", "take all files for text"),
    Flag<&GrepOptions::skips_binary>('I', nullptr, "leave out binary files"),
    Value<&GrepOptions::depth>(0, "max-depth", "N", "N directories below the operands"),
    Set<&GrepOptions::depth, int64_t{-1}>('r', "recursive", "go into all directories (the default)"),
    Set<&GrepOptions::depth, int64_t{0}>(0, "no-recursive", "go into none"),
    Call<TakeDialect<RegexDialect::kGrepExtended>>('E', "extended-regexp", nullptr, "patterns are extended ones"),
    Call<TakeDialect<RegexDialect::kGrepBasic>>('G', "basic-regexp", nullptr, "patterns are basic ones (the default)"),
    Flag<&GrepOptions::fixed>('F', "fixed-strings", "patterns are plain text"),
    Call<TakeDialect<RegexDialect::kPerl>>('P', "perl-regexp", nullptr, "patterns are Perl's"),
    Flag<&GrepOptions::numbers>('n', "line-number", "with the number of the line"),
    Flag<&GrepOptions::columns>(0, "column", "with the column of the match"),
    Flag<&GrepOptions::no_names>('h', nullptr, "without names of files"),
    Set<&GrepOptions::no_names, false>('H', nullptr, "with names of files (the default)"),
    Flag<&GrepOptions::full_name>(0, "full-name", "names from the top"),
    Flag<&GrepOptions::names>('l', "files-with-matches", "only names of files"),
    Flag<&GrepOptions::names>(0, "name-only", "likewise"),
    Flag<&GrepOptions::without>('L', "files-without-match", "names of files without a match"),
    Flag<&GrepOptions::nul>('z', "null", "a NUL behind names"),
    Flag<&GrepOptions::only>('o', "only-matching", "only what matches"),
    Flag<&GrepOptions::count>('c', "count", "how many lines match"),
    CallOptional<TakeColour>(0, "color", "WHEN", "always, never, or auto, which means never, too"),
    Set<&GrepOptions::colours, false>(0, "no-color", "without colours"),
    Flag<&GrepOptions::breaks>(0, "break", "an empty line between files"),
    Flag<&GrepOptions::heading>(0, "heading", "the name above the lines"),
    Call<TakeContext>('C', "context", "N", "N lines around"),
    Value<&GrepOptions::before>('B', "before-context", "N", "N lines before"),
    Value<&GrepOptions::after>('A', "after-context", "N", "N lines behind"),
    Flag<&GrepOptions::function>('p', "show-function", "the line that begins the function"),
    Flag<&GrepOptions::function_context>('W', "function-context", "the whole function"),
    Call<TakePatternFile>('f', nullptr, "FILE", "patterns are in FILE"),
    Call<TakePattern>('e', nullptr, "PATTERN", "look for PATTERN"),
    Call<TakeOperator<GrepTerm::Kind::kAnd>>(0, "and", nullptr, "both"),
    Call<TakeOperator<GrepTerm::Kind::kOr>>(0, "or", nullptr, "either (the default)"),
    Call<TakeOperator<GrepTerm::Kind::kNot>>(0, "not", nullptr, "not"),
    Call<TakeOperator<GrepTerm::Kind::kOpen>>(0, "open-group", nullptr, nullptr),
    Call<TakeOperator<GrepTerm::Kind::kClose>>(0, "close-group", nullptr, nullptr),
    Set<&GrepOptions::recursion, true>(0, "recurse-submodules", "also in submodules that are there"),
    Set<&GrepOptions::recursion, false>(0, "no-recurse-submodules", "not there (the default)"),
    Flag<&GrepOptions::quiet>('q', "quiet", "only tell by the exit status"),
    Flag<&GrepOptions::all_match>(0, "all-match", "only files in which all patterns match"),
    Flag<&GrepOptions::textconv>(0, "textconv", "look into what the textconv filters make of the files"),
    Set<&GrepOptions::textconv, false>(0, "no-textconv", "look into the files themselves (the default)"),
    CallOptional<TakePager>('O', "open-files-in-pager", "PAGER", "show the files that match in a pager"),
    Value<&GrepOptions::threads>(0, "threads", "N", "search with N threads (the answer is the same)"),
    Flag<&GrepOptions::external>(0, "ext-grep", "may call grep(1) (never done)"),
    Value<&GrepOptions::most>('m', "max-count", "N", "at most N lines of a file"),
};

class FileSearch {
 public:
  FileSearch(Git& git, const GrepOptions& options, const GrepExpression& expression) : git_(git), options_(options), expression_(expression), colours_(options.colours.value_or(false) ? ReadGrepColours(git) : GrepColours{}) {}
  bool has_found() const { return has_found_; }
  // The names that -O is about.
  const std::vector<std::string>& opened() const { return opened_; }

  // `shown`: the name; `path`: from the top, for .gitattributes.
  Status Search(const std::string& shown, const std::string& path, std::string text) {
    const DiffDriver driver = path.empty() ? DiffDriver{} : DriverOf(git_, path);
    const bool converts = options_.textconv && !driver.textconv.empty();
    if (converts) {
      PADDOCK_ASSIGN(text, ConvertedText(git_, driver, path, std::move(text), true));
    }
    const bool is_binary = !options_.as_text && !converts && (driver.is_binary || (!driver.is_text && LooksBinary(text)));
    if (is_binary && options_.skips_binary) return {};
    const std::vector<std::string_view> lines = SplitLines(text);
    git_.in.budget.WillAllocate(lines.size() * 24);
    if (options_.all_match) {
      PADDOCK_ASSIGN(const bool has_all, expression_.AllMatch(lines, git_.in.budget));
      if (!has_all) return Lacks(shown);
    }
    std::vector<size_t> hits, columns;
    const bool needs_one = options_.names || options_.without || options_.quiet || (is_binary && !options_.count);
    for (size_t i = 0; i < lines.size(); ++i) {
      std::string_view line = lines[i];
      if (line.ends_with('\n')) line.remove_suffix(1);
      size_t column = 0;
      PADDOCK_ASSIGN(const bool matches, expression_.Matches(line, &column, git_.in.budget));
      if (matches == options_.inverts) continue;
      if (options_.most && static_cast<int64_t>(hits.size()) >= *options_.most && *options_.most >= 0) break;
      hits.push_back(i);
      columns.push_back(column);
      if (needs_one) break;
    }
    if (hits.empty()) return Lacks(shown);
    if (options_.without) return {};
    has_found_ = true;
    if (options_.quiet) return {};
    if (options_.names) {
      Name(shown);
      return {};
    }
    if (options_.count) {
      git_.Print((options_.no_names ? "" : Painted(shown, colours_.name) + Separator(':')) + std::to_string(hits.size()) + "\n");
      return {};
    }
    if (is_binary) {
      git_.Print("Binary file " + Painted(shown, colours_.name) + " matches\n");
      return {};
    }
    return Print(shown, driver, lines, hits, columns);
  }

 private:
  Status Lacks(const std::string& shown) {
    if (!options_.without) return {};
    has_found_ = true;
    if (!options_.quiet) Name(shown);
    return {};
  }
  // -l and its like.
  void Name(const std::string& shown) {
    if (options_.pager) {
      git_.in.budget.WillAllocate(shown.size() + 40);
      opened_.push_back(shown);
    } else {
      git_.Print(Painted(shown, colours_.name) + (options_.nul ? '\0' : '\n'));
    }
  }
  std::string Separator(char mark) const { return options_.nul ? std::string(1, '\0') : Painted({&mark, 1}, colours_.separator); }

  // `column`: of the first match, from 1; nothing for lines around.
  std::string Lead(const std::string& shown, size_t line, char mark, std::optional<size_t> column) const {
    std::string text;
    if (!options_.no_names && !options_.heading) text += Painted(shown, colours_.name) + Separator(mark);
    if (options_.numbers) text += Painted(std::to_string(line + 1), colours_.line_number) + Separator(mark);
    if (options_.columns && column) text += Painted(std::to_string(*column), colours_.column) + Separator(mark);
    return text;
  }
  // Between lines that do not follow each other stands a mark, when there is context.
  void Separate(size_t line) {
    const bool has_context = options_.before > 0 || options_.after > 0 || options_.function_context;
    const bool is_apart = last_line_ ? line > *last_line_ + 1 : has_printed_ && !options_.breaks;
    if (has_context && is_apart) git_.Print(Painted("--", colours_.separator) + "\n");
  }
  Status Line(const std::string& shown, size_t number, char mark, std::string_view line, std::optional<size_t> column = std::nullopt) {
    Separate(number);
    if (line.ends_with('\n')) line.remove_suffix(1);
    const bool only = options_.only && !options_.inverts;
    if (!only) last_line_ = number;
    std::string text = only ? std::string() : Lead(shown, number, mark, column);
    const std::string& colour = mark == ':' ? colours_.selected : mark == '-' ? colours_.context : colours_.function;
    size_t at = 0;
    while (only || colours_.is_on) {
      PADDOCK_ASSIGN(const RegexGroup match, expression_.Find(line, at, git_.in.budget));
      if (!match.is_set() || match.end == match.begin) break;
      last_line_ = number;
      // The columns of further matches are counted as git does: from the first one, by the ends.
      text += only ? Lead(shown, number, mark, column) : Painted(line.substr(at, match.begin - at), colour);
      text += Painted(line.substr(match.begin, match.end - match.begin), mark == ':' ? colours_.match_selected : colours_.match_context) + (only ? "\n" : "");
      if (column) *column += match.end - at;
      at = match.end;
    }
    git_.Print(only ? text : text + Painted(line.substr(at), colour) + "\n");
    return {};
  }

  Status Print(const std::string& shown, const DiffDriver& driver, const std::vector<std::string_view>& lines, const std::vector<size_t>& hits, const std::vector<size_t>& columns) {
    if (options_.breaks && has_printed_) git_.Print("\n");
    if (options_.heading && !options_.no_names) git_.Print(Painted(shown, colours_.name) + "\n");
    HeadingRule rule;
    if (options_.function || options_.function_context) rule = driver.heading ? driver.heading : PlainHeading;
    last_line_.reset();
    size_t next = 0;      // the first line that was not shown
    std::optional<size_t> last_function;
    for (size_t h = 0; h < hits.size(); ++h) {
      git_.in.budget.Step();
      const size_t hit = hits[h];
      size_t begin = hit - std::min<size_t>(hit, static_cast<size_t>(std::max<int64_t>(options_.before, 0)));
      size_t end = hit + 1;
      if (options_.function_context) {
        size_t start = hit + 1;
        while (start > 0 && !rule(lines[start - 1])) {
          git_.in.budget.Step();
          --start;
        }
        begin = start > 0 ? start - 1 : 0;
        while (end < lines.size() && !rule(lines[end])) {
          git_.in.budget.Step();
          ++end;
        }
        while (end > hit + 1 && lines[end - 1] == "\n") --end;
      }
      begin = std::max(begin, next);
      std::optional<size_t> heading;   // among the lines before
      if (options_.function && !options_.function_context) {
        for (size_t at = hit; at-- > next;) {
          git_.in.budget.Step();
          if (!rule(lines[at])) continue;
          if (at < begin && last_function != at) PADDOCK_TRY(Line(shown, at, '=', lines[at]));
          last_function = heading = at;
          break;
        }
      }
      for (size_t i = begin; i < hit; ++i) PADDOCK_TRY(Line(shown, i, (options_.function_context && rule && rule(lines[i])) || heading == i ? '=' : '-', lines[i]));
      PADDOCK_TRY(Line(shown, hit, ':', lines[hit], columns[h] + 1));
      next = hit + 1;
      const size_t limit = h + 1 < hits.size() ? hits[h + 1] : lines.size();
      const size_t behind = options_.function_context ? end : std::min(lines.size(), hit + 1 + static_cast<size_t>(std::max<int64_t>(options_.after, 0)));
      for (; next < std::min(limit, behind); ++next) PADDOCK_TRY(Line(shown, next, '-', lines[next]));
    }
    has_printed_ = true;
    return {};
  }

  static std::optional<std::string> PlainHeading(std::string_view line) {
    if (line.empty()) return std::nullopt;
    const char c = line[0];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ? std::optional<std::string>(std::string(line)) : std::nullopt;
  }

  Git& git_;
  const GrepOptions& options_;
  const GrepExpression& expression_;
  const GrepColours colours_;
  std::vector<std::string> opened_;
  bool has_found_ = false, has_printed_ = false;
  std::optional<size_t> last_line_;   // of this file that was printed
};

// Whether a file is not too deep below the operands.
bool IsWithinDepth(const GrepOptions& options, const std::string& path, const std::vector<std::string>& roots) {
  if (options.depth < 0) return true;
  for (const std::string& root : roots) {
    if (path == root) return true;
    if (!root.empty() && !path.starts_with(root + "/")) continue;
    const std::string_view below = std::string_view(path).substr(root.empty() ? 0 : root.size() + 1);
    if (std::count(below.begin(), below.end(), '/') <= options.depth) return true;
  }
  return false;
}

// What the configuration says of what the command line does not.
Status TakeConfiguration(Git& git, GrepOptions& options) {
  options.numbers |= git.config.GetBool("grep.linenumber", false);
  options.columns |= git.config.GetBool("grep.column", false);
  options.full_name |= git.config.GetBool("grep.fullname", false);
  if (!options.recursion) options.recursion = git.config.GetBool("submodule.recurse", false);
  if (!options.colours) options.colours = git.config.Get("color.grep", git.config.Get("color.ui", "auto")) == "always";
  if (!options.dialect && !options.fixed) {
    const std::string type = git.config.Get("grep.patterntype", "default");
    options.fixed = type == "fixed";
    const bool is_extended = type == "extended" || (type == "default" && git.config.GetBool("grep.extendedregexp", false));
    options.dialect = is_extended ? RegexDialect::kGrepExtended : type == "perl" ? RegexDialect::kPerl : RegexDialect::kGrepBasic;
  }
  if (options.threads < 0) return Error(Code::kRange, "invalid number of threads specified (" + std::to_string(options.threads) + ")");
  if (options.pager && options.pager->empty()) {
    options.pager = PagerOf(git);
    if (options.pager->empty() || *options.pager == "cat") options.pager.reset();
  }
  if (!options.pager) return {};
  options.names = options.nul = true;
  options.colours = false;
  return {};
}

// -O: one pager shows all the files; less and vi go to the first match.
Result<ExitStatus> OpenInPager(Git& git, const GrepOptions& options, const std::vector<std::string>& names) {
  const std::string& pager = *options.pager;
  std::vector<std::string> args = {"sh", "-c", pager + " \"$@\"", pager};
  if (options.terms.size() == 1 && (pager.ends_with("less") || pager.ends_with("vi")) && (pager.size() < 5 || pager[pager.size() - 5] == '/' || pager == "vi")) {
    const bool is_less = pager.ends_with("less");
    if (is_less && options.ignores_case) args.emplace_back("-I");
    args.push_back((is_less ? "+/*" : "+/") + options.terms[0].text);
  }
  args.insert(args.end(), names.begin(), names.end());
  git.in.out.Flush();
  const auto status = git.in.launcher.Run(git.in.process, ChildSpec{.args = std::move(args), .environment = &git.in.env});
  return status ? *status : 128;
}

// A file, and the repository that it belongs to: this one or a submodule.
struct GrepFile {
  std::shared_ptr<Git> git;
  std::string path;
  TreeItem item;
};
using GrepFiles = std::map<std::string, GrepFile>;   // by path from the top

constexpr int kDeepestSubmodules = 20;

// The files, and with --recurse-submodules those of submodules that are there. `is_tree`: what their commits have, not their index.
Status AddFiles(const std::shared_ptr<Git>& git, const std::string& prefix, const FlatTree& files, const GrepOptions& options, bool is_tree, int depth, GrepFiles& out) {
  for (const auto& [path, item] : files) {
    git->in.budget.Step();
    if (item.mode != kModeCommit) {
      out[prefix + path] = {git, path, item};
      continue;
    }
    if (!options.recursion.value_or(false) || depth >= kDeepestSubmodules || git->work_tree.empty()) continue;
    std::string directory = git->FilePath(path) + "/.git";
    if (const auto followed = FollowGitFile(git->in, directory)) directory = *followed;
    if (!IsGitDirectory(git->in.fs, directory)) continue;
    const auto inner = std::make_shared<Git>(git->in, directory, git->FilePath(path), false);
    PADDOCK_ASSIGN(inner->config, ReadConfig(git->in, inner.get()));
    FlatTree below;
    if (is_tree) {
      auto found = inner->FlattenCommit(item.id);
      if (!found) continue;
      below = std::move(*found);
    } else {
      PADDOCK_ASSIGN(const Index index, inner->ReadIndex());
      below = IndexFiles(index);
    }
    PADDOCK_TRY(AddFiles(inner, prefix + path + "/", below, options, is_tree, depth + 1, out));
  }
  return {};
}

Result<ExitStatus> RunGrep(Git& git, GrepOptions& options, Args& args) {
  if (options.terms.empty()) {
    if (args.operands.empty() && !args.paths.empty()) {
      args.operands.push_back(args.paths[0]);
      args.paths.erase(args.paths.begin());
    }
    if (args.operands.empty()) {
      git.Say("fatal: no pattern given\n");
      return 128;
    }
    options.terms.push_back({GrepTerm::Kind::kPattern, args.operands[0]});
    args.operands.erase(args.operands.begin());
  }
  PADDOCK_TRY(TakeConfiguration(git, options));
  PADDOCK_ASSIGN(const GrepExpression expression, GrepExpression::Parse(git.in, options));
  if (options.cached && options.untracked) return Error(Code::kInvalid, "options '--untracked' and '--cached' cannot be used together");
  if (options.no_index && options.cached) return Error(Code::kInvalid, "--no-index or --untracked cannot be used with revs");
  PADDOCK_ASSIGN(const Selection selection, ParseSelection(git, args));
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  std::string below = git.prefix;
  std::vector<std::string> roots = paths.Paths();
  if (roots.empty()) roots.push_back(below.empty() ? "" : below.substr(0, below.size() - 1));
  const auto is_wanted = [&](const std::string& path) { return (paths.empty() ? path.starts_with(below) : paths.Matches(path, git.in.budget)) && IsWithinDepth(options, path, roots); };
  const auto shown = [&](const std::string& path) { return options.full_name ? (options.nul ? path : git.Quoted(path)) : options.nul && path.starts_with(git.prefix) ? path.substr(git.prefix.size()) : git.Shown(path); };
  if (options.pager && (options.cached || !selection.included.empty())) return Error(Code::kInvalid, "--open-files-in-pager only works on the worktree");
  if (*options.recursion && options.untracked) return Error(Code::kInvalid, "--untracked not supported with --recurse-submodules");
  const std::shared_ptr<Git> self(std::shared_ptr<Git>(), &git);
  FileSearch search(git, options, expression);
  for (size_t i = 0; i < selection.included.size(); ++i) {
    if (options.untracked || options.no_index) return Error(Code::kInvalid, "--no-index or --untracked cannot be used with revs");
    const auto object = git.objects.Read(selection.included[i]);
    if (object && object->type == ObjectType::kBlob) {
      PADDOCK_TRY(search.Search(selection.names[i], "", object->data));
      continue;
    }
    PADDOCK_ASSIGN(const FlatTree files, git.FlattenCommit(selection.included[i]));
    GrepFiles all;
    PADDOCK_TRY(AddFiles(self, "", files, options, true, 0, all));
    for (const auto& [path, file] : all) {
      if (!is_wanted(path) || (file.item.mode & 0170000) != 0100000) continue;
      PADDOCK_ASSIGN(const std::string text, file.git->ReadBlob(file.item.id));
      PADDOCK_TRY(search.Search(selection.names[i] + ":" + shown(path), path, text));
      if (options.quiet && search.has_found()) return 0;
    }
  }
  if (!selection.included.empty()) return search.has_found() ? 0 : 1;
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  FlatTree files = options.no_index ? FlatTree() : IndexFiles(index);
  for (const IndexEntry& entry : index.entries()) {
    if (entry.stage != 0 && !options.no_index) files[entry.path] = {entry.mode, entry.id};
  }
  if (options.untracked || options.no_index) {
    const Index nothing;
    PADDOCK_ASSIGN(const Untracked found, FindUntracked(git, options.no_index ? nothing : index, UntrackedMode::kAll, paths, options.with_ignored || (options.no_index && !options.standard)));
    for (const std::string& path : found.files) files[path] = {kModeFile, Oid{}};
    for (const std::string& path : found.ignored) {
      if (!path.ends_with('/')) files[path] = {kModeFile, Oid{}};
    }
  }
  GrepFiles all;
  PADDOCK_TRY(AddFiles(self, "", files, options, false, 0, all));
  for (const auto& [path, file] : all) {
    if (!is_wanted(path) || (file.item.mode & 0170000) != 0100000) continue;
    std::string text;
    if (options.cached) {
      PADDOCK_ASSIGN(text, file.git->ReadBlob(file.item.id));
    } else {
      PADDOCK_ASSIGN(auto content, ReadRawFile(*file.git, file.path));
      if (!content || content->mode == kModeLink) continue;
      text = std::move(content->data);
    }
    PADDOCK_TRY(search.Search(shown(path), path, text));
    if (options.quiet && search.has_found()) return 0;
  }
  if (options.pager && search.has_found()) return OpenInPager(git, options, search.opened());
  return search.has_found() ? 0 : 1;
}

constexpr Subcommand DefineGrep(Subcommand subcommand) {
  subcommand.run = [](Invocation& in, const Subcommand& self, Git* git, std::vector<std::string> args) -> ExitStatus {
    // Parentheses are operands that have their place among the options.
    for (size_t i = 1; i < args.size() && args[i] != "--"; ++i) {
      if (args[i] == "(") args[i] = "--open-group";
      else if (args[i] == ")") args[i] = "--close-group";
      else if (args[i] == "-e") ++i;
    }
    return DefineSubcommand<GrepOptions, RunGrep>(self).run(in, self, git, std::move(args));
  };
  return subcommand;
}

}  // namespace

extern const Subcommand kGrep;
const Subcommand kGrep = DefineGrep({.name = "grep", .summary = "look for lines in the files that git knows", .synopsis = "[<options>] [-e] <pattern> [<rev>...] [[--] <path>...]", .options = kOptions, .rules = {.numeric_shorthand = TakeNumber}});

}  // namespace paddock::git
