// man - show the manual pages of commands
//
// usage: man [OPTION...] [SECTION] PAGE...
//        man -k [OPTION...] KEYWORD...
//        man -f [OPTION...] PAGE...
//
// Exit status: 0; 16 when a page was not found; 1 for a usage error; 2 for trouble.
// Source: man-db 2.11.
// Differs: a page is made of the command's own option table, the one that its --help shows; there are no pages of other trees, in other
// formats or languages, so options about them are refused. No pager is started.

#include <algorithm>

#include "commands/sys/manual.h"
#include "text/pattern.h"
#include "text/regex.h"

namespace paddock {
namespace {

enum class Mode { kPage, kWhatis, kApropos };
enum class Kind { kName, kRegex, kWildcard };

struct Options {
  Mode mode = Mode::kPage;
  Kind kind = Kind::kName;
  bool names_only = false;
  bool matches_case = false;
  bool all = false;
  bool is_elsewhere = false;     // -M, -e: where no pages are
  std::string sections;
  bool wants_help = false, wants_version = false;
};

Status SetTrees(Options& options, std::string_view trees) {
  options.is_elsewhere = manual::IsElsewhere(trees);
  return {};
}
Status SetExtension(Options& options, std::string_view extension) {
  options.is_elsewhere = !extension.empty();   // no section has any
  return {};
}
Status HowOnly(Options&, std::string_view) { return {}; }
Status Default(Options& options, std::string_view) {
  options = {};
  return {};
}

constexpr Option kOptions[] = {
    Set<&Options::mode, Mode::kWhatis>('f', "whatis", "show summaries, as whatis does"),
    Set<&Options::mode, Mode::kApropos>('k', "apropos", "search summaries, as apropos does"),
    Value<&Options::sections>('s', "sections", "LIST", "only these sections, with colons between"),
    Value<&Options::sections>('S', nullptr, "LIST", nullptr),
    Set<&Options::matches_case, false>('i', "ignore-case", "upper and lower case of names are the same (the default)"),
    Flag<&Options::matches_case>('I', "match-case", "upper and lower case of names differ"),
    Set<&Options::kind, Kind::kRegex>(0, "regex", "show all pages that match a regular expression"),
    Set<&Options::kind, Kind::kWildcard>(0, "wildcard", "show all pages that match a wildcard"),
    Flag<&Options::names_only>(0, "names-only", "--regex and --wildcard look at names, not at summaries"),
    // Pages are neither hyphenated nor justified, and a name with a blank is one page.
    Call<HowOnly>(0, "no-hyphenation", nullptr, "do not hyphenate (the default)"),
    Call<HowOnly>(0, "nh", nullptr, nullptr),
    Call<HowOnly>(0, "no-justification", nullptr, "do not justify (the default)"),
    Call<HowOnly>(0, "nj", nullptr, nullptr),
    Call<HowOnly>(0, "no-subpages", nullptr, "'man a b' is two pages (the default)"),
    Call<Default>('D', "default", nullptr, "forget the options before this one"),
    Call<SetTrees>('M', "manpath", "PATH", "only the trees of PATH; all pages are in /usr/share/man"),
    Call<SetExtension>('e', "extension", "EXTENSION", "only sections with this extension, of which there are none"),
    Call<HowOnly>('L', "locale", "LOCALE", "in that language, when there is a page"),
    Call<HowOnly>('m', "systems", "SYSTEM", "pages of other systems, of which there are none, too"),
    Call<HowOnly>('u', "update", nullptr, "look for new pages, as is always done"),
    Call<HowOnly>('P', "pager", "PAGER", "for terminals, of which there is none"),
    Call<HowOnly>('r', "prompt", "STRING", "likewise"),
    Call<HowOnly>('p', "preprocessor", "STRING", "of pages in roff, which these are not"),
    CallOptional<HowOnly>(0, "warnings", "WARNINGS", "likewise"),
    Flag<&Options::all>('a', "all", "show all pages of that name"),
    Flag<&Options::wants_help>('?', "usage", "show this help"),
    Flag<&Options::wants_version>('V', nullptr, "show the version"),
};

bool IsSection(std::string_view word) {
  if (word.empty()) return false;
  if (word == "n" || word == "l") return true;
  return word[0] >= '0' && word[0] <= '9' && word.size() <= 4;
}

std::string Folded(std::string_view text, bool matches_case) {
  std::string folded(text);
  for (char& c : folded) {
    if (!matches_case && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

// "ls" for "ls.1", "ls(1)" and a program's path.
std::string BareName(Invocation& in, const std::string& name) {
  if (name.find('/') != std::string::npos) return in.fs.Access(name, 1) ? vfs::BaseName(name) : name;
  if (name.ends_with(".1")) return name.substr(0, name.size() - 2);
  if (name.ends_with("(1)")) return name.substr(0, name.size() - 3);
  return name;
}

// The pages that an operand asks for.
Result<std::vector<manual::Entry>> FindPages(Invocation& in, const Options& options, const std::string& name) {
  std::vector<manual::Entry> found;
  std::optional<Regex> regex;
  if (options.kind == Kind::kRegex) {
    PADDOCK_ASSIGN(regex, Regex::Compile(name, {.dialect = RegexDialect::kExtended, .ignore_case = !options.matches_case}));
  }
  const Pattern pattern(name, PatternFlags{.extglob = false});
  const std::string wanted = Folded(name, options.matches_case);
  const std::string bare = Folded(BareName(in, name), options.matches_case);
  for (manual::Entry& entry : manual::AllEntries(in)) {
    in.budget.Step();
    const auto matches = [&](std::string_view text) -> Result<bool> {
      if (regex) return regex->Search(text, 0, nullptr, in.budget);
      return pattern.Matches(text, in.budget);
    };
    const std::string folded = Folded(entry.name, options.matches_case);
    bool is_match = folded == wanted || folded == bare;
    if (options.kind != Kind::kName) {
      PADDOCK_ASSIGN(is_match, matches(entry.name));
      if (!is_match && !options.names_only) {
        PADDOCK_ASSIGN(is_match, matches(entry.command->summary));
      }
    }
    if (is_match) found.push_back(std::move(entry));
  }
  return found;
}

ExitStatus ShowPages(Invocation& in, const Options& options, const std::string& section, const std::vector<std::string>& names) {
  ExitStatus status = 0;
  const size_t columns = manual::Columns(in.env, "MANWIDTH");
  for (const std::string& name : names) {
    std::vector<manual::Entry> pages;
    if (!options.is_elsewhere && manual::HasSection(section) && manual::HasSection(options.sections)) {
      auto found = FindPages(in, options, name);
      if (!found) {
        const bool is_bad = found.error().code == Code::kSyntax;
        return in.Fail("fatal: regex `" + name + "': " + (is_bad ? "Invalid regular expression" : std::string(found.error().Text())), 2);
      }
      pages = std::move(*found);
    }
    for (const manual::Entry& page : pages) in.out.Write(manual::Page(page, columns - 2, in.budget));
    if (!pages.empty()) continue;
    in.out.Flush();
    in.err.Write("No manual entry for " + name + (section.empty() ? "" : " in section " + section) + "\n");
    status = manual::kNothingFound;
  }
  return status;
}

ExitStatus Run(Invocation& in) {
  Options options;
  ExitStatus status = 0;
  auto parsed = manual::Parse(in, &options, &status);
  if (!parsed) return status;
  if (options.wants_help || options.wants_version) return manual::Tell(in, options.wants_help);
  std::vector<std::string> operands = std::move(*parsed);
  const auto ask = [&](std::string_view what) {
    in.err.Write(what);
    return 1;
  };
  if (options.mode != Mode::kPage) {
    const bool is_whatis = options.mode == Mode::kWhatis;
    if (operands.empty()) {
      in.out.Write(is_whatis ? "whatis what?\n" : "apropos what?\n");
      return 1;
    }
    if (options.names_only) {
      return ask("apropos: unrecognized option '--names-only'\nTry 'apropos --help' or 'apropos --usage' for more information.\n");
    }
    manual::Query query{.names_only = is_whatis, .is_elsewhere = options.is_elsewhere, .sections = options.sections};
    query.look = is_whatis && options.kind != Kind::kRegex ? manual::Look::kName : manual::Look::kRegex;
    if (options.kind == Kind::kWildcard) query.look = manual::Look::kWildcard;
    return manual::Find(in, query, operands);
  }
  std::string section;
  if (operands.size() > 1 && IsSection(operands[0])) {
    section = operands[0];
    operands.erase(operands.begin());
  } else if (operands.size() == 1 && IsSection(operands[0])) {
    return ask("No manual entry for " + operands[0] + "\n(Alternatively, what manual page do you want from section " + operands[0] +
               "?)\nFor example, try 'man man'.\n");
  }
  if (operands.empty()) return ask("What manual page do you want?\nFor example, try 'man man'.\n");
  return ShowPages(in, options, section, operands);
}

}  // namespace

extern const Command kCommand_man;
const Command kCommand_man = {
    .name = "man",
    .summary = "show the manual pages of commands",
    .synopsis = "[OPTION...] [SECTION] PAGE...",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
