// git grep.
#include <algorithm>

#include "commands/git/diff.h"
#include "commands/git/grep.h"
#include "commands/git/ignore_rules.h"
#include "commands/git/revision.h"
#include "commands/git/worktree.h"
#include "text/unified_diff.h"

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
Status TakeContext(GrepOptions& options, std::string_view value) {
  PADDOCK_TRY(ParseOptionValue(value, options.before));
  options.after = options.before;
  return {};
}
Status TakeColour(GrepOptions&, std::string_view value) {
  if (value == "never" || value == "auto") return {};
  return Error(Code::kNotSupported, "colours are not supported");
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
    Set<&GrepOptions::dialect, RegexDialect::kGrepExtended>('E', "extended-regexp", "patterns are extended ones"),
    Set<&GrepOptions::dialect, RegexDialect::kGrepBasic>('G', "basic-regexp", "patterns are basic ones (the default)"),
    Flag<&GrepOptions::fixed>('F', "fixed-strings", "patterns are plain text"),
    Set<&GrepOptions::dialect, RegexDialect::kPerl>('P', "perl-regexp", "patterns are Perl's"),
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
    CallOptional<TakeColour>(0, "color", "WHEN", "never, or auto, which means never, too"),
    Flag<&GrepOptions::is_uncoloured>(0, "no-color", "without colours (always)"),
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
    Flag<&GrepOptions::quiet>('q', "quiet", "only tell by the exit status"),
    Flag<&GrepOptions::all_match>(0, "all-match", "only files in which all patterns match"),
    Value<&GrepOptions::most>('m', "max-count", "N", "at most N lines of a file"),
};

class FileSearch {
 public:
  FileSearch(Git& git, const GrepOptions& options, const GrepExpression& expression) : git_(git), options_(options), expression_(expression) {}
  bool has_found() const { return has_found_; }

  // `shown`: the name; `path`: from the top, for .gitattributes.
  Status Search(const std::string& shown, const std::string& path, std::string_view text) {
    const bool is_binary = !options_.as_text && LooksBinary(text);
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
      git_.Print(shown + (options_.nul ? '\0' : '\n'));
      return {};
    }
    if (options_.count) {
      git_.Print((options_.no_names ? "" : shown + (options_.nul ? '\0' : ':')) + std::to_string(hits.size()) + "\n");
      return {};
    }
    if (is_binary) {
      git_.Print("Binary file " + shown + " matches\n");
      return {};
    }
    return Print(shown, path, lines, hits, columns);
  }

 private:
  Status Lacks(const std::string& shown) {
    if (!options_.without) return {};
    has_found_ = true;
    if (!options_.quiet) git_.Print(shown + (options_.nul ? '\0' : '\n'));
    return {};
  }

  std::string Lead(const std::string& shown, size_t line, char mark, std::optional<size_t> column) const {
    std::string text;
    if (!options_.no_names && !options_.heading) text += shown + (options_.nul ? '\0' : mark);
    if (options_.numbers) text += std::to_string(line + 1) + (options_.nul ? '\0' : mark);
    if (options_.columns && column) text += std::to_string(*column + 1) + (options_.nul ? '\0' : mark);
    return text;
  }
  // Between lines that do not follow each other stands a mark, when there is context.
  void Separate(size_t line) {
    const bool has_context = options_.before > 0 || options_.after > 0 || options_.function_context;
    const bool is_apart = last_line_ ? line > *last_line_ + 1 : has_printed_ && !options_.breaks && !options_.heading;
    if (has_context && is_apart) git_.Print("--\n");
    last_line_ = line;
  }
  void Line(size_t number, const std::string& lead, std::string_view line) {
    Separate(number);
    git_.Print(lead + std::string(line) + (line.ends_with('\n') ? "" : "\n"));
  }

  Status Print(const std::string& shown, const std::string& path, const std::vector<std::string_view>& lines, const std::vector<size_t>& hits, const std::vector<size_t>& columns) {
    if (options_.breaks && has_printed_) git_.Print("\n");
    if (options_.heading && !options_.no_names) git_.Print(shown + (options_.nul ? '\0' : '\n'));
    HeadingRule rule;
    if (options_.function || options_.function_context) {
      rule = HeadingRuleOf(DiffDriverOf(git_, path), git_.in.budget);
      if (!rule) rule = PlainHeading;
    }
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
      if (options_.function && !options_.function_context) {
        for (size_t at = hit; at-- > next;) {
          git_.in.budget.Step();
          if (!rule(lines[at])) continue;
          if (at < begin && last_function != at) Line(at, Lead(shown, at, '=', std::nullopt), lines[at]);
          last_function = at;
          break;
        }
      }
      for (size_t i = begin; i < hit; ++i) Line(i, Lead(shown, i, rule && options_.function_context && rule(lines[i]) ? '=' : '-', std::nullopt), lines[i]);
      if (options_.only) PADDOCK_TRY(PrintMatches(shown, hit, lines[hit]));
      else Line(hit, Lead(shown, hit, ':', columns[h]), lines[hit]);
      next = hit + 1;
      const size_t limit = h + 1 < hits.size() ? hits[h + 1] : lines.size();
      const size_t behind = options_.function_context ? end : std::min(lines.size(), hit + 1 + static_cast<size_t>(std::max<int64_t>(options_.after, 0)));
      for (; next < std::min(limit, behind); ++next) Line(next, Lead(shown, next, '-', std::nullopt), lines[next]);
    }
    has_printed_ = true;
    return {};
  }

  Status PrintMatches(const std::string& shown, size_t number, std::string_view line) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    for (size_t at = 0; at <= line.size();) {
      PADDOCK_ASSIGN(const RegexGroup match, expression_.Find(line, at, git_.in.budget));
      if (!match.is_set()) break;
      // Columns count from where the search went on, as git has it.
      if (match.end > match.begin) Line(number, Lead(shown, number, ':', match.begin - at), std::string(line.substr(match.begin, match.end - match.begin)));
      at = std::max(match.end, match.begin + 1);
    }
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
  FileSearch search(git, options, expression);
  for (size_t i = 0; i < selection.included.size(); ++i) {
    if (options.untracked || options.no_index) return Error(Code::kInvalid, "--no-index or --untracked cannot be used with revs");
    const auto object = git.objects.Read(selection.included[i]);
    if (object && object->type == ObjectType::kBlob) {
      PADDOCK_TRY(search.Search(selection.names[i], "", object->data));
      continue;
    }
    PADDOCK_ASSIGN(const FlatTree files, git.FlattenCommit(selection.included[i]));
    for (const auto& [path, item] : files) {
      if (!is_wanted(path) || (item.mode & 0170000) != 0100000) continue;
      PADDOCK_ASSIGN(const std::string text, git.ReadBlob(item.id));
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
  for (const auto& [path, item] : files) {
    if (!is_wanted(path) || (item.mode & 0170000) != 0100000) continue;
    std::string text;
    if (options.cached) {
      PADDOCK_ASSIGN(text, git.ReadBlob(item.id));
    } else {
      PADDOCK_ASSIGN(auto content, ReadRawFile(git, path));
      if (!content || content->mode == kModeLink) continue;
      text = std::move(content->data);
    }
    PADDOCK_TRY(search.Search(shown(path), path, text));
    if (options.quiet && search.has_found()) return 0;
  }
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
