// git describe.
#include <algorithm>

#include "commands/git/history/describe.h"
#include "commands/git/history/name_rev.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/worktree.h"
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
Status TakeBroken(DescribeOptions& options, std::string_view value) {
  options.broken = value.empty() ? "-broken" : value;
  return {};
}
Status TakeAbbrev(DescribeOptions& options, std::string_view value) {
  if (value.empty()) return options.abbrev.reset(), Status();
  return ParseOptionValue(value, options.abbrev);
}
constexpr Option kDescribeOptions[] = {
    Flag<&DescribeOptions::contains>(0, "contains", "by the tag behind it"), Flag<&DescribeOptions::debug>(0, "debug", "tell on standard error how it is found"),
    Flag<&DescribeOptions::tags>(0, "tags", "tags without a message, too"), Flag<&DescribeOptions::all>(0, "all", "any reference"),
    Flag<&DescribeOptions::is_long>(0, "long", "always the long form"), Flag<&DescribeOptions::always>(0, "always", "an id if there is no name"),
    Flag<&DescribeOptions::exact>(0, "exact-match", "only a tag of that very commit"), Flag<&DescribeOptions::first_parent>(0, "first-parent", "follow only first parents"),
    CallOptional<TakeAbbrev>(0, "abbrev", "N", "digits of the id"), Value<&DescribeOptions::candidates>(0, "candidates", "N", "look at so many names"),
    Value<&DescribeOptions::matches>(0, "match", "PATTERN", "only tags that match"), Value<&DescribeOptions::excludes>(0, "exclude", "PATTERN", "no tags that match"),
    CallOptional<TakeDirty>(0, "dirty", "MARK", "tell changes of the working tree"),
    CallOptional<TakeBroken>(0, "broken", "MARK", "tell that the working tree cannot be read"),
};
constexpr int64_t kMostCandidates = 26;
constexpr const char* kRanks[] = {"head", "lightweight", "annotated"};

struct Name {
  std::string text;
  int rank = 0;             // 2: a tag with a message, 1: without, 0: another reference
  int64_t time = 0;
  std::string path = {};    // of the reference, as it is listed
  bool is_misnamed = false; // the tag calls itself otherwise
};

std::map<Oid, Name> NamesOfCommits(Git& git, const DescribeOptions& options) {
  std::map<Oid, Name> names;
  for (const auto& [full, id] : git.refs.List(options.all ? "refs/" : "refs/tags/")) {
    git.in.budget.Step();
    const bool is_tag = full.starts_with("refs/tags/");
    // What the patterns are about; a reference of another kind has no such name.
    std::optional<std::string> tail;
    for (const std::string_view folder : {"refs/tags/", "refs/heads/", "refs/remotes/"}) {
      if (full.starts_with(folder)) tail = full.substr(folder.size());
    }
    const auto any = [&](const std::vector<std::string>& patterns) {
      return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return MatchesName(pattern, *tail, git.in.budget); });
    };
    if (!options.matches.empty() || !options.excludes.empty()) {
      if (!tail || any(options.excludes) || (!options.matches.empty() && !any(options.matches))) continue;
    }
    const auto commit = git.objects.Peel(id, ObjectType::kCommit);
    if (!commit) continue;
    const std::string path = full.substr(options.all ? 5 : 10);
    Name name{path, is_tag ? 1 : 0, 0, path, false};
    if (is_tag && *commit != id) {
      name.rank = 2;
      if (const auto tag = git.objects.ReadTag(id)) {
        name.time = ParseSignature(tag->tagger).time;
        // A tag is called as it says.
        name.text = (options.all ? "tags/" : "") + tag->name;
        name.is_misnamed = name.text != path;
      }
    }
    const auto [known, is_fresh] = names.emplace(*commit, name);
    if (!is_fresh && (name.rank > known->second.rank || (name.rank == 2 && known->second.rank == 2 && name.time > known->second.time))) known->second = name;
  }
  return names;
}

// Looks for the nearest name before a commit.
class Search {
 public:
  Search(Git& git, const DescribeOptions& options, const std::map<Oid, Name>& names, int least) : git_(git), options_(options), names_(names), least_(least), history_(git) {}
  struct Candidate {
    const Name* name;
    size_t depth;      // commits that do not lead to it
    uint32_t mark;     // on all that do
  };

  // The nearest; nothing when there is none.
  Result<std::optional<Candidate>> Find(const Oid& start) {
    PADDOCK_TRY(Put(start));
    std::optional<Oid> gave_up;
    while (!open_.empty() && !gave_up) {
      PADDOCK_ASSIGN(const Oid id, Take());
      if (!Count(id)) {
        gave_up = id;
      } else if (IsCovered(id)) {
        Tell("finished search at " + id.Hex() + "\n");
        break;
      } else {
        PADDOCK_TRY(FollowParents(id, options_.first_parent));
      }
    }
    if (candidates_.empty()) return std::optional<Candidate>();
    std::stable_sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) { return a.depth < b.depth; });
    if (gave_up) {
      PADDOCK_TRY(Put(*gave_up));
      --seen_;
    }
    PADDOCK_TRY(FinishDepth(candidates_.front()));
    for (const Candidate& one : candidates_) {
      std::string rank = kRanks[one.name->rank], depth = std::to_string(one.depth);
      rank.resize(11, ' ');
      Tell(" " + rank + " " + std::string(depth.size() < 8 ? 8 - depth.size() : 0, ' ') + depth + " " + one.name->path + "\n");
    }
    Tell("traversed " + std::to_string(seen_) + " commits\n");
    if (gave_up) Tell("more than " + std::to_string(Most()) + " tags found; listed " + std::to_string(Most()) + " most recent\ngave up search at " + gave_up->Hex() + "\n");
    return std::optional<Candidate>(candidates_.front());
  }
  bool has_seen_others() const { return has_seen_others_; }

 private:
  size_t Most() const { return static_cast<size_t>(std::clamp<int64_t>(options_.candidates.value_or(10), 0, kMostCandidates)); }
  void Tell(const std::string& text) {
    if (options_.debug) git_.Say(text);
  }
  // The newest comes first; of the same age the one that came first.
  Status Put(const Oid& id) {
    PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
    open_.emplace(std::make_pair(-node->time, ++order_), id);
    marks_.try_emplace(id, 0);
    return {};
  }
  Result<Oid> Take() {
    git_.in.budget.Step(static_cast<int64_t>(2 + candidates_.size()));
    const Oid id = open_.begin()->second;
    open_.erase(open_.begin());
    ++seen_;
    return id;
  }
  Status FollowParents(const Oid& id, bool only_first) {
    PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
    const uint32_t marks = marks_[id];
    for (const Oid& parent : node->commit.parents) {
      if (!marks_.contains(parent)) PADDOCK_TRY(Put(parent));
      marks_[parent] |= marks;
      if (only_first) break;
    }
    return {};
  }
  // False when this would be a candidate too many.
  bool Count(const Oid& id) {
    if (const auto name = names_.find(id); name != names_.end()) {
      if (name->second.rank < least_) {
        has_seen_others_ = true;
      } else if (candidates_.size() >= Most()) {
        return false;
      } else {
        const uint32_t mark = uint32_t{1} << candidates_.size();
        candidates_.push_back({&name->second, seen_ - 1, mark});
        marks_[id] |= mark;
        has_annotated_ |= name->second.rank == 2;
      }
    }
    for (Candidate& one : candidates_) one.depth += (marks_[id] & one.mark) == 0;
    return true;
  }
  // Whether only what leads to the best candidates is left.
  bool IsCovered(const Oid& id) {
    if (!has_annotated_ || !open_.empty()) return false;
    size_t best = SIZE_MAX;
    uint32_t within = 0;
    for (const Candidate& one : candidates_) {
      if (one.depth < best) within = one.mark;
      else if (one.depth == best) within |= one.mark;
      best = std::min(best, one.depth);
    }
    return (marks_[id] & within) == within;
  }
  // Counts the rest, until all that is open leads to the candidate.
  Status FinishDepth(Candidate& best) {
    while (!open_.empty()) {
      PADDOCK_ASSIGN(const Oid id, Take());
      if ((marks_[id] & best.mark) == 0) {
        ++best.depth;
      } else if (std::all_of(open_.begin(), open_.end(), [&](const auto& one) { git_.in.budget.Step(); return (marks_[one.second] & best.mark) != 0; })) {
        return {};
      }
      PADDOCK_TRY(FollowParents(id, false));
    }
    return {};
  }

  Git& git_;
  const DescribeOptions& options_;
  const std::map<Oid, Name>& names_;
  const int least_;
  History history_;
  std::vector<Candidate> candidates_;
  std::map<std::pair<int64_t, size_t>, Oid> open_;
  std::map<Oid, uint32_t> marks_;   // of candidates, on all commits that were seen
  size_t seen_ = 0, order_ = 0;
  bool has_annotated_ = false, has_seen_others_ = false;
};

}  // namespace

Result<std::string> DescribeCommit(Git& git, const DescribeOptions& options, const Oid& id) {
  const std::map<Oid, Name> names = NamesOfCommits(git, options);
  if (names.empty() && !options.always) return Error(Code::kNoEntry, "No names found, cannot describe anything.");
  const int least = options.all ? 0 : options.tags ? 1 : 2;
  const size_t digits = static_cast<size_t>(std::clamp<int64_t>(options.abbrev.value_or(7), 0, 40));
  const auto short_id = [&]() { return git.objects.Abbreviate(id, options.abbrev ? std::max<size_t>(digits, 4) : 0); };
  const auto text_of = [&](const Name& name) {
    if (name.is_misnamed) git.Warn("tag '" + name.path + "' is externally known as '" + name.text.substr(options.all ? 5 : 0) + "'");
    return name.text;
  };
  if (const auto here = names.find(id); here != names.end() && here->second.rank >= least) {
    return text_of(here->second) + (options.is_long || here->second.is_misnamed ? "-0-g" + short_id() : "");
  }
  if (options.exact || options.candidates == 0) return Error(Code::kNoEntry, "no tag exactly matches '" + id.Hex() + "'");
  if (options.debug) git.Say("No exact match on refs or tags, searching to describe\n");
  Search search(git, options, names, least);
  PADDOCK_ASSIGN(const auto best, search.Find(id));
  if (best) return text_of(*best->name) + (digits == 0 && !best->name->is_misnamed ? "" : "-" + std::to_string(best->depth) + "-g" + short_id());
  if (options.always) return short_id();
  if (search.has_seen_others()) return Error(Code::kNoEntry, "No annotated tags can describe '" + id.Hex() + "'.\nHowever, there were unannotated tags: try --tags.");
  return Error(Code::kNoEntry, "No tags can describe '" + id.Hex() + "'.\nTry --always, or create some tags.");
}

namespace {

// Whether HEAD, the index and the files differ.
Result<bool> IsDirty(Git& git) {
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  FlatTree head;
  if (const auto id = git.Head()) {
    PADDOCK_ASSIGN(head, git.FlattenCommit(*id));
  }
  if (!CompareTrees(head, IndexFiles(index)).empty()) return true;
  PADDOCK_ASSIGN(const std::vector<FileDiff> files, CompareWithFiles(git, head, index));
  return !files.empty();
}

// "v1-2-gabc:path": the first commit that has the file, and where.
Result<std::string> DescribeBlob(Git& git, const DescribeOptions& options, const Oid& blob) {
  History history(git);
  Selection selection;
  if (const auto head = git.Head()) selection.included = {*head};
  PADDOCK_ASSIGN(const std::vector<Oid> order, WalkHistory(git, history, selection, {}));
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    PADDOCK_ASSIGN(const FlatTree files, git.FlattenCommit(*id));
    for (const auto& [path, item] : files) {
      git.in.budget.Step();
      if (item.id != blob) continue;
      PADDOCK_ASSIGN(const std::string name, DescribeCommit(git, options, *id));
      return name + ":" + path;
    }
  }
  return std::string();
}

// The words of name-rev for the same question.
Result<ExitStatus> RunContains(Git& git, const DescribeOptions& options, const std::vector<std::string>& operands) {
  NameRevOptions names;
  names.peels = names.name_only = names.no_undefined = true;
  names.always = options.always;
  names.tags = !options.all;
  if (!options.all) {
    for (const std::string& pattern : options.matches) names.refs.push_back("refs/tags/" + pattern);
    for (const std::string& pattern : options.excludes) names.excludes.push_back("refs/tags/" + pattern);
  }
  return NameRevisions(git, names, operands);
}

Result<ExitStatus> RunDescribe(Git& git, DescribeOptions& options, Args& args) {
  std::vector<std::string> operands = args.All();
  if (options.is_long && options.abbrev == 0) return Error(Code::kInvalid, "options '--long' and '--abbrev=0' cannot be used together");
  if (options.contains) return RunContains(git, options, operands.empty() ? std::vector<std::string>{"HEAD"} : operands);
  if ((options.dirty || options.broken) && !operands.empty()) return Error(Code::kInvalid, std::string("option '") + (options.dirty ? "--dirty" : "--broken") + "' and commit-ishes cannot be used together");
  if (operands.empty()) operands.emplace_back("HEAD");
  std::string mark;
  if (options.dirty || options.broken) {
    if (git.work_tree.empty()) return Error(Code::kInvalid, std::string(kNeedsWorkTree));
    const auto is_dirty = IsDirty(git);
    if (!is_dirty && !options.broken) return is_dirty.error();
    if (!is_dirty) Die(git.in, is_dirty.error());
    mark = !is_dirty ? *options.broken : *is_dirty ? options.dirty.value_or("-dirty") : "";
  }
  for (const std::string& operand : operands) {
    if (options.debug) git.Say("describe " + operand + "\n");
    const auto id = ResolveObject(git, operand);
    if (!id) return Error(Code::kNoEntry, "Not a valid object name " + operand);
    const auto commit = git.objects.Peel(*id, ObjectType::kCommit);
    if (!commit && !git.objects.ReadTyped(*id, ObjectType::kBlob)) return Error(Code::kNoEntry, operand + " is neither a commit nor blob");
    PADDOCK_ASSIGN(const std::string text, commit ? DescribeCommit(git, options, *commit) : DescribeBlob(git, options, *id));
    git.Print(text + mark + "\n");
  }
  return 0;
}

}  // namespace

extern const Subcommand kDescribe;
const Subcommand kDescribe = DefineSubcommand<DescribeOptions, RunDescribe>({.name = "describe", .summary = "name a commit by the tags before it", .synopsis = "[--all] [--tags] [--contains] [--abbrev=<n>] [<commit-ish>...]\n[--all] [--tags] [--contains] [--abbrev=<n>] --dirty[=<mark>]\n<blob>", .options = kDescribeOptions});

}  // namespace paddock::git
