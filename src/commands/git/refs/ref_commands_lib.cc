// git show-ref and symbolic-ref.
#include <algorithm>

#include "commands/git/refs/revision.h"

namespace paddock::git {
namespace {

struct ShowRefOptions {
  bool heads = false, tags = false, dereference = false, hash = false, quiet = false, verify = false, with_head = false;
  std::optional<int64_t> digits;
  std::optional<std::string> excludes;   // --exclude-existing
};
Status TakeDigits(ShowRefOptions& options, std::string_view value) {
  int64_t digits = value.empty() ? 7 : 0;
  if (!value.empty() && !ParseOptionValue(value, digits)) return Error(Code::kRange, "option `abbrev' expects a numerical value");
  options.digits = digits == 0 ? 40 : std::clamp<int64_t>(digits, 4, 40);
  return {};
}
Status TakeHash(ShowRefOptions& options, std::string_view value) {
  options.hash = true;
  return value.empty() ? Status() : TakeDigits(options, value);
}
Status TakeExclude(ShowRefOptions& options, std::string_view value) {
  options.excludes = std::string(value);
  return {};
}
constexpr Option kShowRefOptions[] = {
    Flag<&ShowRefOptions::heads>(0, "heads", "only branches"), Flag<&ShowRefOptions::tags>(0, "tags", "only tags"),
    Flag<&ShowRefOptions::dereference>('d', "dereference", "with what tags name"), CallOptional<TakeHash>('s', "hash", "N", "only ids (of N digits)"),
    CallOptional<TakeDigits>(0, "abbrev", "N", "ids of N digits"), CallOptional<TakeExclude>(0, "exclude-existing", "PATTERN", "of the names on standard input, those that are no references"),
    Flag<&ShowRefOptions::quiet>('q', "quiet", "show nothing"), Flag<&ShowRefOptions::verify>(0, "verify", "names are whole"),
    Flag<&ShowRefOptions::with_head>(0, "head", "with HEAD"),
};

// Lines may have an id in front, and ^{} behind.
Result<ExitStatus> ExcludeExisting(Git& git, const std::string& pattern) {
  const auto known = git.refs.List("refs/");
  while (const auto line = git.in.in.ReadLine()) {
    git.in.budget.Step();
    std::string text(line->text);
    if (text.ends_with("^{}")) text.resize(text.size() - 3);
    const size_t blank = text.find_last_of(" \t");
    const std::string name = blank == std::string::npos ? text : text.substr(blank + 1);
    if (!name.starts_with(pattern)) continue;
    if (!IsRefName(name)) git.Say("warning: ref '" + name + "' ignored\n");
    else if (!known.contains(name)) git.Print(text + "\n");
  }
  return 0;
}

Result<ExitStatus> RunShowRef(Git& git, ShowRefOptions& options, Args& args) {
  if (options.excludes) return ExcludeExisting(git, *options.excludes);
  bool found = false;
  const auto shown = [&](const Oid& id) { return options.digits && *options.digits < 40 ? git.objects.Abbreviate(id, static_cast<size_t>(*options.digits)) : id.Hex(); };
  const auto show = [&](const std::string& name, const Oid& id) {
    found = true;
    if (options.quiet) return;
    git.Print(shown(id) + (options.hash ? "\n" : " " + name + "\n"));
    if (!options.dereference) return;
    if (const auto peeled = git.objects.Peel(id, std::nullopt); peeled && *peeled != id) git.Print(shown(*peeled) + (options.hash ? "\n" : " " + name + "^{}\n"));
  };
  const std::vector<std::string> patterns = args.All();
  if (options.verify) {
    if (patterns.empty()) return Error(Code::kInvalid, "--verify requires a reference");
    for (const std::string& name : patterns) {
      const auto id = name.starts_with("refs/") || name == "HEAD" ? git.refs.Read(name) : std::nullopt;
      if (id) show(name, *id);
      else if (options.quiet) return 1;
      else return Error(Code::kNoEntry, "'" + name + "' - not a valid ref");
    }
    return 0;
  }
  if (options.with_head) {
    if (const auto head = git.Head()) show("HEAD", *head);
  }
  for (const auto& [name, id] : git.refs.List("refs/")) {
    git.in.budget.Step();
    if ((options.heads || options.tags) && !(options.heads && name.starts_with("refs/heads/")) && !(options.tags && name.starts_with("refs/tags/"))) continue;
    const bool matches = patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&, &full = name](const std::string& wanted) { return full == wanted || full.ends_with("/" + wanted); });
    if (matches) show(name, id);
  }
  return found ? 0 : 1;
}

struct SymbolicOptions {
  bool is_short = false, quiet = false, deletes = false, is_single = false;
  std::optional<std::string> reason;
};
constexpr Option kSymbolicOptions[] = {
    Flag<&SymbolicOptions::is_short>(0, "short", "a short name"), Flag<&SymbolicOptions::quiet>('q', "quiet", "fail in silence"),
    Flag<&SymbolicOptions::deletes>('d', "delete", "remove it"), Flag<&SymbolicOptions::is_single>(0, "no-recurse", "only one step"),
    Set<&SymbolicOptions::is_single, false>(0, "recurse", "to the reference that is no symbolic one (the default)"), Value<&SymbolicOptions::reason>('m', nullptr, "REASON", "what the reflog says of it"),
};
Result<ExitStatus> RunSymbolicRef(Git& git, SymbolicOptions& options, Args& args) {
  const std::vector<std::string> names = args.All();
  if (options.reason && options.reason->empty()) return Error(Code::kInvalid, "Refusing to perform update with empty message");
  if (names.empty() || names.size() > (options.deletes ? 1u : 2u)) {
    git.Say("usage: git symbolic-ref [-m <reason>] <name> <ref>\n   or: git symbolic-ref [-q] [--short] [--no-recurse] <name>\n   or: git symbolic-ref --delete [-q] <name>\n");
    return 129;
  }
  const std::string& name = names[0];
  if (options.deletes) {
    if (!git.refs.ReadSymbolic(name)) return Error(Code::kInvalid, "Cannot delete " + name + ", not a symbolic ref");
    if (name == "HEAD") return Error(Code::kInvalid, "deleting 'HEAD' is not allowed");
    PADDOCK_TRY(git.refs.Remove(name));
    return 0;
  }
  if (names.size() == 2) {
    if (name == "HEAD" && !names[1].starts_with("refs/")) return Error(Code::kInvalid, "Refusing to point HEAD outside of refs/");
    if (!IsRefName(names[1])) return Error(Code::kInvalid, "Refusing to set '" + name + "' to invalid ref '" + names[1] + "'");
    const auto before = git.refs.Read(name), after = git.refs.Read(names[1]);
    PADDOCK_TRY(git.refs.WriteSymbolic(name, names[1]));
    if (options.reason && after) PADDOCK_TRY(git.refs.Log(name, before.value_or(Oid{}), *after, git.Who(), *options.reason));
    return 0;
  }
  auto target = git.refs.ReadSymbolic(name);
  if (!target) return options.quiet ? Result<ExitStatus>(1) : Result<ExitStatus>(Error(Code::kInvalid, "ref " + name + " is not a symbolic ref"));
  for (int depth = 0; !options.is_single && depth < 5; ++depth) {
    const auto next = git.refs.ReadSymbolic(*target);
    if (!next) break;
    target = next;
  }
  git.Print((options.is_short ? ShortRef(*target) : *target) + "\n");
  return 0;
}

}  // namespace

extern const Subcommand kShowRef, kSymbolicRef;
const Subcommand kShowRef = DefineSubcommand<ShowRefOptions, RunShowRef>({.name = "show-ref", .summary = "list references", .synopsis = "[<options>] [<pattern>...]\n--exclude-existing[=<pattern>]", .options = kShowRefOptions});
const Subcommand kSymbolicRef = DefineSubcommand<SymbolicOptions, RunSymbolicRef>({.name = "symbolic-ref", .summary = "show or set a symbolic reference", .synopsis = "[-m <reason>] <name> <ref>\n[-q] [--short] [--no-recurse] <name>\n--delete [-q] <name>", .options = kSymbolicOptions});

}  // namespace paddock::git
