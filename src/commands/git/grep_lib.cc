// git grep and update-ref.
#include <algorithm>

#include "commands/git/diff.h"
#include "commands/git/revision.h"
#include "text/regex.h"
#include "text/unified_diff.h"

namespace paddock::git {
namespace {

struct GrepOptions {
  std::vector<std::string> patterns;
  bool ignores_case = false, numbers = false, names = false, without = false, count = false, inverts = false, words = false, fixed = false, extended = false, perl = false, quiet = false, no_names = false, cached = false;
};
constexpr Option kGrepOptions[] = {
    Value<&GrepOptions::patterns>('e', nullptr, "PATTERN", "look for PATTERN"), Flag<&GrepOptions::ignores_case>('i', "ignore-case", "in any case"),
    Flag<&GrepOptions::numbers>('n', "line-number", "with the number of the line"), Flag<&GrepOptions::names>('l', "files-with-matches", "only names of files"),
    Flag<&GrepOptions::names>(0, "name-only", "likewise"), Flag<&GrepOptions::without>('L', "files-without-match", "names of files without a match"),
    Flag<&GrepOptions::count>('c', "count", "how many lines match"), Flag<&GrepOptions::inverts>('v', "invert-match", "lines that do not match"),
    Flag<&GrepOptions::words>('w', "word-regexp", "whole words"), Flag<&GrepOptions::fixed>('F', "fixed-strings", "patterns are plain text"),
    Flag<&GrepOptions::extended>('E', "extended-regexp", "patterns are extended ones"), Flag<&GrepOptions::perl>('P', "perl-regexp", "patterns are Perl's"),
    Flag<&GrepOptions::quiet>('q', "quiet", "only tell by the exit status"), Flag<&GrepOptions::no_names>('h', nullptr, "without names of files"),
    Flag<&GrepOptions::cached>(0, "cached", "look into the index"),
};

// Looks through one file; the number of lines that match.
Result<size_t> GrepText(Git& git, const GrepOptions& options, const Regex& regex, const std::string& shown, std::string_view text) {
  const bool is_binary = LooksBinary(text);
  const bool lists = options.names || options.without || options.count || options.quiet;
  size_t matches = 0, number = 0;
  for (std::string_view line : SplitLines(text)) {
    ++number;
    if (line.ends_with('\n')) line.remove_suffix(1);
    PADDOCK_ASSIGN(const bool found, regex.Search(line, 0, nullptr, git.in.budget));
    if (found == options.inverts) continue;
    ++matches;
    if (options.names || options.without || options.quiet) break;
    if (lists) continue;
    if (is_binary) {
      git.Print("Binary file " + shown + " matches\n");
      break;
    }
    git.Print((options.no_names ? std::string() : shown + ":") + (options.numbers ? std::to_string(number) + ":" : "") + std::string(line) + "\n");
  }
  if ((options.names && matches > 0) || (options.without && matches == 0)) git.Print(shown + "\n");
  if (options.count && matches > 0) git.Print((options.no_names ? std::string() : shown + ":") + std::to_string(matches) + "\n");
  return matches;
}

Result<ExitStatus> RunGrep(Git& git, GrepOptions& options, Args& args) {
  if (options.patterns.empty()) {
    if (args.operands.empty()) return Error(Code::kInvalid, "no pattern given");
    options.patterns.push_back(args.operands[0]);
    args.operands.erase(args.operands.begin());
  }
  RegexFlags flags;
  flags.dialect = options.perl ? RegexDialect::kPerl : options.extended ? RegexDialect::kGrepExtended : RegexDialect::kGrepBasic;
  flags.is_literal = options.fixed;
  flags.ignore_case = options.ignores_case;
  flags.is_utf8 = git.in.locale.is_utf8;
  if (options.words) flags.extent = RegexExtent::kWholeWords;
  auto regex = Regex::CompileAny(options.patterns, flags);
  if (!regex) return Error(Code::kInvalid, "command line, '" + options.patterns[0] + "': " + std::string(regex.error().Text()));
  PADDOCK_ASSIGN(const Selection selection, ParseSelection(git, args));
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(selection.paths));
  bool found = false;
  const std::string below = git.prefix;
  const auto is_wanted = [&](const std::string& path) { return path.starts_with(below) && (paths.empty() || paths.Matches(path, git.in.budget)); };
  for (size_t i = 0; i < selection.included.size(); ++i) {
    PADDOCK_ASSIGN(const FlatTree files, git.FlattenCommit(selection.included[i]));
    for (const auto& [path, item] : files) {
      if (!is_wanted(path) || (item.mode & 0170000) != 0100000) continue;
      PADDOCK_ASSIGN(const std::string text, git.ReadBlob(item.id));
      PADDOCK_ASSIGN(const size_t matches, GrepText(git, options, *regex, selection.names[i] + ":" + git.Shown(path), text));
      found |= matches > 0;
    }
  }
  if (!selection.included.empty()) return found ? 0 : 1;
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  for (const auto& [path, item] : IndexFiles(index)) {
    if (!is_wanted(path) || (item.mode & 0170000) != 0100000) continue;
    std::string text;
    if (options.cached) {
      PADDOCK_ASSIGN(text, git.ReadBlob(item.id));
    } else {
      PADDOCK_ASSIGN(auto content, ReadWorkingFile(git, path));
      if (!content || content->mode == kModeLink) continue;
      text = std::move(content->data);
    }
    PADDOCK_ASSIGN(const size_t matches, GrepText(git, options, *regex, git.Shown(path), text));
    found |= matches > 0;
  }
  return found ? 0 : 1;
}

struct NoOptions {};

Result<ExitStatus> RunUpdateRef(Git& git, NoOptions&, Args& args) {
  if (args.operands.size() < 2 || args.operands.size() > 3) {
    git.Say("usage: git update-ref <ref> <new-value> [<old-value>]\n");
    return 129;
  }
  const std::string& name = args.operands[0];
  auto id = ResolveObject(git, args.operands[1]);
  if (!id) return Error(Code::kNoEntry, args.operands[1] + ": not a valid SHA1");
  if (!IsRefName(name, true) || (name.find('/') == std::string::npos && name != "HEAD")) return Error(Code::kInvalid, "update_ref failed for ref '" + name + "': refusing to update ref with bad name '" + name + "'");
  if (args.operands.size() == 3) {
    auto old = ResolveObject(git, args.operands[2]);
    if (!old) return Error(Code::kNoEntry, args.operands[2] + ": not a valid old SHA1");
    const Oid now = git.refs.Read(name).value_or(Oid{});
    if (now != *old) return Error(Code::kConflict, "update_ref failed for ref '" + name + "': cannot lock ref '" + name + "': is at " + now.Hex() + " but expected " + old->Hex());
  }
  if (!git.objects.Has(*id)) return Error(Code::kNoEntry, "update_ref failed for ref '" + name + "': cannot update ref '" + name + "': trying to write ref '" + name + "' with nonexistent object " + id->Hex());
  PADDOCK_TRY(git.refs.Write(name, *id, git.Who(), ""));
  return 0;
}

}  // namespace

extern const Subcommand kGrep, kUpdateRef;
const Subcommand kGrep = DefineSubcommand<GrepOptions, RunGrep>({.name = "grep", .summary = "look for lines in the files that git knows", .synopsis = "[<options>] <pattern> [<rev>...] [[--] <path>...]", .options = kGrepOptions});
const Subcommand kUpdateRef = DefineSubcommand<NoOptions, RunUpdateRef>({.name = "update-ref", .summary = "set a reference", .synopsis = "<ref> <new-value> [<old-value>]"});

}  // namespace paddock::git
