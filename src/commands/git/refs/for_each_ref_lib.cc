// git for-each-ref.
#include <algorithm>

#include "commands/git/refs/ref_list.h"
#include "commands/ignore_files.h"
#include "text/pattern.h"

namespace paddock::git {
namespace {

struct Options : RefListOptions {
  std::optional<int64_t> count;
  RefQuote quote = RefQuote::kNone;
  int quotes = 0;
};
template <RefQuote kQuote>
Status TakeQuote(Options& options, std::string_view) {
  options.quotes += options.quote == kQuote ? 0 : 1;
  options.quote = kQuote;
  return {};
}
constexpr auto kOptions = JoinTables(RefListOptionTable<Options>(), std::array{
    Call<TakeQuote<RefQuote::kShell>>('s', "shell", nullptr, "quote fields for a shell"),
    Call<TakeQuote<RefQuote::kPerl>>('p', "perl", nullptr, "quote fields for Perl"),
    Call<TakeQuote<RefQuote::kPython>>(0, "python", nullptr, "quote fields for Python"),
    Call<TakeQuote<RefQuote::kTcl>>(0, "tcl", nullptr, "quote fields for Tcl"),
    Value<&Options::count>(0, "count", "N", "only the first N"),
    Flag<&Options::ignores_case>(0, "ignore-case", "A and a are the same, in order and in patterns"),
});

bool Matches(Git& git, const std::string& name, const std::string& pattern, bool ignores_case) {
  if (pattern.find("**") != std::string::npos) {
    const auto glob = IgnoreGlob::Parse("/" + pattern, ignores_case, false);
    return glob && glob->Matches(name, false, git.in.budget);
  }
  PatternFlags flags;
  flags.extglob = false;
  flags.is_path = true;
  flags.ignore_case = ignores_case;
  const bool is_below = name.starts_with(pattern) && (name.size() == pattern.size() || pattern.ends_with('/') || name[pattern.size()] == '/');
  return is_below || Pattern(pattern, flags).Matches(name, git.in.budget);
}

Result<ExitStatus> Run(Git& git, Options& options, Args& args) {
  const std::vector<std::string> patterns = args.All();
  if (options.count && *options.count < 0) return git.Complain("invalid --count argument: `" + std::to_string(*options.count) + "'", 129);
  if (options.quotes > 1) return git.Complain("more than one quoting style?", 129);
  const auto format = RefFormat::Parse(git, options.format.empty() ? "%(objectname) %(objecttype)\t%(refname)" : options.format, options.quote, options.colours);
  if (!format && format.error().code == Code::kSyntax) return git.Complain(format.error().Text(), 129);
  if (!format) return format.error();
  ExitStatus status = 0;
  PADDOCK_ASSIGN(auto filter, RefFilter::Make(git, options, status));
  if (!filter) return status;
  std::vector<NamedRef> refs;
  for (const auto& [name, id] : git.refs.List("refs/")) {
    const auto matches = [&, &full = name](const std::string& pattern) { return Matches(git, full, pattern, options.ignores_case); };
    if (!patterns.empty() && std::none_of(patterns.begin(), patterns.end(), matches)) continue;
    PADDOCK_ASSIGN(const bool keeps, filter->Keeps(id));
    if (keeps) refs.push_back({name, id});
  }
  PADDOCK_TRY(SortRefs(git, refs, options.sorts, options.ignores_case));
  if (options.count && *options.count > 0 && refs.size() > static_cast<size_t>(*options.count)) refs.resize(static_cast<size_t>(*options.count));
  RefFields fields(git);
  for (const NamedRef& ref : refs) {
    PADDOCK_ASSIGN(const std::string text, format->Expand(fields, ref, git.in.budget));
    git.Print(text + "\n");
  }
  return 0;
}

}  // namespace

extern const Subcommand kForEachRef;
const Subcommand kForEachRef = DefineRefList<Options, Run>({.name = "for-each-ref", .summary = "list references in a form of one's own", .synopsis = "[<options>] [<pattern>...]\n[--points-at <object>]\n[--merged [<commit>]] [--no-merged [<commit>]]\n[--contains [<commit>]] [--no-contains [<commit>]]", .options = kOptions});

}  // namespace paddock::git
