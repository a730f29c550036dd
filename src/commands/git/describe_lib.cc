// git describe.
#include <algorithm>

#include "commands/git/describe.h"
#include "commands/git/revision.h"
#include "commands/git/worktree.h"
#include "text/pattern.h"

namespace paddock::git {
namespace {

bool MatchesName(std::string_view pattern, std::string_view name, Budget& budget) {
  PatternFlags flags;
  flags.extglob = false;
  return Pattern(pattern, flags).Matches(name, budget);
}

Status TakeDirty(DescribeOptions& options, std::string_view value) {
  options.dirty = value.empty() ? "-dirty" : value;
  return {};
}
constexpr Option kDescribeOptions[] = {
    Flag<&DescribeOptions::tags>(0, "tags", "tags without a message, too"), Flag<&DescribeOptions::all>(0, "all", "any reference"),
    Flag<&DescribeOptions::is_long>(0, "long", "always the long form"), Flag<&DescribeOptions::always>(0, "always", "an id if there is no name"),
    Flag<&DescribeOptions::exact>(0, "exact-match", "only a tag of that very commit"), Flag<&DescribeOptions::first_parent>(0, "first-parent", "follow only first parents"),
    Value<&DescribeOptions::abbrev>(0, "abbrev", "N", "digits of the id"), Value<&DescribeOptions::candidates>(0, "candidates", "N", "look at so many names"),
    Value<&DescribeOptions::matches>(0, "match", "PATTERN", "only tags that match"), Value<&DescribeOptions::excludes>(0, "exclude", "PATTERN", "no tags that match"),
    CallOptional<TakeDirty>(0, "dirty", "MARK", "tell changes of the working tree"),
};

struct Name {
  std::string text;
  int rank = 0;         // 2: a tag with a message, 1: without, 0: another reference
  int64_t time = 0;
};

std::map<Oid, Name> NamesOfCommits(Git& git, const DescribeOptions& options) {
  std::map<Oid, Name> names;
  for (const auto& [full, id] : git.refs.List(options.all ? "refs/" : "refs/tags/")) {
    git.in.budget.Step();
    const bool is_tag = full.starts_with("refs/tags/");
    const std::string tail = is_tag ? full.substr(10) : "";
    const auto any = [&, &tail = tail](const std::vector<std::string>& patterns) {
      return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return MatchesName(pattern, tail, git.in.budget); });
    };
    if ((!options.matches.empty() && (!is_tag || !any(options.matches))) || (is_tag && any(options.excludes))) continue;
    const auto commit = git.objects.Peel(id, ObjectType::kCommit);
    if (!commit) continue;
    Name name{options.all ? full.substr(5) : tail, is_tag ? 1 : 0, 0};
    if (is_tag && *commit != id) {
      name.rank = 2;
      if (const auto tag = git.objects.ReadTag(id)) {
        name.time = ParseSignature(tag->tagger).time;
        // A tag is called as it says.
        if (!options.all) name.text = tag->name;
      }
    }
    const auto [known, is_fresh] = names.emplace(*commit, name);
    if (!is_fresh && (name.rank > known->second.rank || (name.rank == 2 && known->second.rank == 2 && name.time > known->second.time))) known->second = name;
  }
  return names;
}

}  // namespace

Result<std::string> DescribeCommit(Git& git, const DescribeOptions& options, const Oid& id) {
  const std::map<Oid, Name> names = NamesOfCommits(git, options);
  const int least = options.all ? 0 : options.tags ? 1 : 2;
  const size_t digits = static_cast<size_t>(std::clamp<int64_t>(options.abbrev.value_or(7), 0, 40));
  const auto short_id = [&]() { return git.objects.Abbreviate(id, options.abbrev ? std::max<size_t>(digits, 4) : 0); };
  if (const auto here = names.find(id); here != names.end() && here->second.rank >= least) {
    return here->second.text + (options.is_long ? "-0-g" + short_id() : "");
  }
  if ((options.exact || options.candidates == 0) && !options.always) return Error(Code::kNoEntry, "no tag exactly matches '" + id.Hex() + "'");
  History history(git);
  Selection selection;
  selection.included = {id};
  PADDOCK_ASSIGN(const std::vector<Oid> order, WalkHistory(git, history, selection, WalkOptions{.first_parent = options.first_parent}));
  const Name* best = nullptr;
  size_t best_depth = 0, seen = 0;
  for (const Oid& commit : order) {
    git.in.budget.Step();
    const auto name = names.find(commit);
    if (name == names.end() || name->second.rank < least || options.exact) continue;
    if (++seen > static_cast<size_t>(std::max<int64_t>(options.candidates.value_or(10), 0))) break;
    Selection since = selection;
    since.excluded = {commit};
    PADDOCK_ASSIGN(const std::vector<Oid> rest, WalkHistory(git, history, since, WalkOptions{.first_parent = options.first_parent}));
    if (best != nullptr && rest.size() >= best_depth) continue;
    best = &name->second;
    best_depth = rest.size();
  }
  if (best == nullptr) {
    if (options.always) return short_id();
    const bool has_light = std::any_of(names.begin(), names.end(), [](const auto& name) { return name.second.rank == 1; });
    if (has_light && least == 2) return Error(Code::kNoEntry, "No annotated tags can describe '" + id.Hex() + "'.\nHowever, there were unannotated tags: try --tags.");
    if (names.empty()) return Error(Code::kNoEntry, "No names found, cannot describe anything.");
    return Error(Code::kNoEntry, "No tags can describe '" + id.Hex() + "'.\nTry --always, or create some tags.");
  }
  return best->text + (digits == 0 ? "" : "-" + std::to_string(best_depth) + "-g" + short_id());
}

namespace {

Result<ExitStatus> RunDescribe(Git& git, DescribeOptions& options, Args& args) {
  std::vector<std::string> operands = args.All();
  if (options.is_long && options.abbrev == 0) return Error(Code::kInvalid, "options '--long' and '--abbrev=0' cannot be used together");
  if (options.dirty && !operands.empty()) return Error(Code::kInvalid, "option '--dirty' and commit-ishes cannot be used together");
  if (operands.empty()) operands.emplace_back("HEAD");
  std::string mark;
  if (options.dirty) {
    if (git.work_tree.empty()) return Error(Code::kInvalid, std::string(kNeedsWorkTree));
    PADDOCK_ASSIGN(const Index index, git.ReadIndex());
    FlatTree head;
    if (const auto id = git.Head()) {
      PADDOCK_ASSIGN(head, git.FlattenCommit(*id));
    }
    PADDOCK_ASSIGN(const std::vector<FileDiff> files, CompareWithFiles(git, head, index));
    if (!files.empty() || !CompareTrees(head, IndexFiles(index)).empty()) mark = *options.dirty;
  }
  for (const std::string& operand : operands) {
    const auto id = ResolveObject(git, operand);
    if (!id) return Error(Code::kNoEntry, "Not a valid object name " + operand);
    const auto commit = git.objects.Peel(*id, ObjectType::kCommit);
    if (!commit) return Error(Code::kNoEntry, operand + " is neither a commit nor blob");
    PADDOCK_ASSIGN(const std::string text, DescribeCommit(git, options, *commit));
    git.Print(text + mark + "\n");
  }
  return 0;
}

}  // namespace

extern const Subcommand kDescribe;
const Subcommand kDescribe = DefineSubcommand<DescribeOptions, RunDescribe>({.name = "describe", .summary = "name a commit by the tags before it", .synopsis = "[<options>] [<commit>...]", .options = kDescribeOptions});

}  // namespace paddock::git
