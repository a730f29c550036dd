// git name-rev.
#include "commands/git/history/name_rev.h"

#include <algorithm>
#include <set>

#include "commands/git/refs/revision.h"
#include "text/pattern.h"

namespace paddock::git {
namespace {

constexpr int64_t kMergeWeight = 65535;   // a way through second parents is that much longer
constexpr int64_t kSlop = 86400;          // clocks may differ by a day

constexpr Option kOptions[] = {
    Flag<&NameRevOptions::name_only>(0, "name-only", "only the new names"),
    Flag<&NameRevOptions::tags>(0, "tags", "only by tags"),
    Value<&NameRevOptions::refs>(0, "refs", "PATTERN", "only by references that match"),
    Value<&NameRevOptions::excludes>(0, "exclude", "PATTERN", "not by references that match"),
    Flag<&NameRevOptions::all>(0, "all", "all commits that references lead to"),
    Flag<&NameRevOptions::reads_stdin>(0, "stdin", "the old name of --annotate-stdin"),
    Flag<&NameRevOptions::annotates>(0, "annotate-stdin", "put names behind the ids in a text"),
    Set<&NameRevOptions::no_undefined, false>(0, "undefined", "\"undefined\" where there is no name (the default)"),
    Flag<&NameRevOptions::no_undefined>(0, "no-undefined", "fail where there is no name"),
    Flag<&NameRevOptions::always>(0, "always", "with it: a short id instead"),
    Flag<&NameRevOptions::peels>(0, "peel-tag", nullptr),
};

std::string WithoutPeel(const std::string& tip) { return tip.ends_with("^0") ? tip.substr(0, tip.size() - 2) : tip; }

}  // namespace

int64_t RevNames::Name::Distance() const { return distance + (generation > 0 ? kMergeWeight : 0); }

bool RevNames::Name::IsWorseThan(const Name& other) const {
  if (is_tag && other.is_tag) return Distance() > other.Distance();
  if (is_tag != other.is_tag) return other.is_tag;
  if (Distance() != other.Distance()) return Distance() > other.Distance();
  return time > other.time;
}

RevNames::Name RevNames::Name::OfParent(size_t number) const {
  Name parent = *this;
  if (number == 1) {
    ++parent.generation;
    ++parent.distance;
    return parent;
  }
  parent.tip = Text() + "^" + std::to_string(number);
  if (generation == 0) parent.tip = WithoutPeel(tip) + "^" + std::to_string(number);
  parent.generation = 0;
  parent.distance += kMergeWeight;
  return parent;
}

std::string RevNames::Name::Text() const { return generation == 0 ? tip : WithoutPeel(tip) + "~" + std::to_string(generation); }

bool RevNames::IsWanted(Git& git, const NameRevOptions& options, const std::string& ref, bool& may_shorten) {
  if (options.tags && !ref.starts_with("refs/tags/")) return false;
  PatternFlags flags;
  flags.extglob = false;
  // Where the part of the name begins that matches; a pattern may leave out folders.
  const auto place = [&](const std::string& pattern) -> std::optional<size_t> {
    for (size_t at = 0;;) {
      if (Pattern(pattern, flags).Matches(std::string_view(ref).substr(at), git.in.budget)) return at;
      const size_t slash = ref.find('/', at);
      if (slash == std::string::npos) return std::nullopt;
      at = slash + 1;
    }
  };
  if (std::any_of(options.excludes.begin(), options.excludes.end(), [&](const std::string& pattern) { return place(pattern).has_value(); })) return false;
  bool is_wanted = options.refs.empty();
  for (const std::string& pattern : options.refs) {
    const auto at = place(pattern);
    is_wanted |= at.has_value();
    may_shorten |= at && *at > 0;
  }
  return is_wanted;
}

bool RevNames::Offer(const Oid& commit, Name name) {
  const auto [known, is_new] = names_.try_emplace(commit, name);
  if (is_new) return true;
  if (!known->second.IsWorseThan(name)) return false;
  known->second = std::move(name);
  return true;
}

Result<RevNames> RevNames::Find(Git& git, const NameRevOptions& options, std::optional<int64_t> oldest) {
  RevNames names;
  History history(git);
  std::vector<Tip> tips;
  for (const auto& [ref, id] : git.refs.List("refs/")) {
    git.in.budget.Step(2);
    bool may_shorten = options.tags && options.name_only;
    if (!IsWanted(git, options, ref, may_shorten)) continue;
    Tip tip;
    tip.name = may_shorten || ref.starts_with("refs/heads/") ? ShortRef(ref) : ref.substr(5);
    names.exact_.emplace(id, tip.name);
    const auto commit = git.objects.Peel(id, ObjectType::kCommit);
    if (!commit) continue;
    tip.commit = *commit;
    tip.is_tag = ref.starts_with("refs/tags/");
    tip.is_annotated = *commit != id;
    PADDOCK_ASSIGN(const History::Node* node, history.Get(*commit));
    tip.time = node->time;
    for (Oid at = id; at != *commit;) {   // the innermost tag's time
      git.in.budget.Step();
      PADDOCK_ASSIGN(const Tag tag, git.objects.ReadTag(at));
      tip.time = ParseSignature(tag.tagger).time;
      at = tag.object;
    }
    tips.push_back(std::move(tip));
  }
  std::stable_sort(tips.begin(), tips.end(), [](const Tip& a, const Tip& b) { return a.is_tag != b.is_tag ? a.is_tag : a.time < b.time; });
  for (const Tip& tip : tips) {
    PADDOCK_ASSIGN(const History::Node* start, history.Get(tip.commit));
    if (oldest && start->time < *oldest) continue;
    if (!names.Offer(tip.commit, Name{tip.name + (tip.is_annotated ? "^0" : ""), tip.time, 0, 0, tip.is_tag})) continue;
    std::vector<Oid> open = {tip.commit};
    while (!open.empty()) {
      git.in.budget.Step(2);
      const Oid id = open.back();
      open.pop_back();
      PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
      const Name name = names.names_.at(id);
      std::vector<Oid> better;
      for (size_t i = 0; i < node->commit.parents.size(); ++i) {
        const Oid& parent = node->commit.parents[i];
        PADDOCK_ASSIGN(const History::Node* older, history.Get(parent));
        if (oldest && older->time < *oldest) continue;
        git.in.budget.WillAllocate(name.tip.size() + 120);
        if (names.Offer(parent, name.OfParent(i + 1))) better.push_back(parent);
      }
      open.insert(open.end(), better.rbegin(), better.rend());   // the first parent comes next
    }
  }
  return names;
}

std::optional<std::string> RevNames::Of(const Oid& id) const {
  if (const auto name = names_.find(id); name != names_.end()) return name->second.Text();
  if (const auto exact = exact_.find(id); exact != exact_.end()) return exact->second;
  return std::nullopt;
}

std::vector<Oid> RevNames::Commits() const {
  std::vector<Oid> ids;
  for (const auto& [id, name] : names_) ids.push_back(id);
  return ids;
}

namespace {

// A text in which ids get names.
Status Annotate(Git& git, const NameRevOptions& options, const RevNames& names) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  while (const auto line = git.in.in.ReadLine()) {
    git.in.budget.Step(static_cast<int64_t>(1 + line->text.size() / 32));
    const std::string_view text = line->text;
    std::string out;
    size_t shown = 0, digits = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      digits = is_hex(text[i]) ? digits + 1 : 0;
      if (digits != 40 || (i + 1 < text.size() && is_hex(text[i + 1]))) continue;
      digits = 0;
      const auto id = Oid::FromHex(text.substr(i - 39, 40));
      const auto name = id ? names.Of(*id) : std::nullopt;
      if (!name) continue;
      out += text.substr(shown, i + 1 - shown - (options.name_only ? 40 : 0));
      out += options.name_only ? *name : " (" + *name + ")";
      shown = i + 1;
    }
    git.Print(out + std::string(text.substr(shown)) + "\n");
  }
  return {};
}

}  // namespace

Result<ExitStatus> NameRevisions(Git& git, const NameRevOptions& options, const std::vector<std::string>& operands) {
  struct Asked {
    std::string name;
    Oid id;
  };
  std::vector<Asked> asked;
  std::optional<int64_t> oldest;
  for (const std::string& operand : operands) {
    const auto id = ResolveObject(git, operand);
    if (!id) {
      git.Say("Could not get sha1 for " + operand + ". Skipping.\n");
      continue;
    }
    if (!git.objects.Has(*id)) {
      git.Say("Could not get object for " + operand + ". Skipping.\n");
      continue;
    }
    const auto commit = git.objects.Peel(*id, ObjectType::kCommit);
    if (commit) {
      PADDOCK_ASSIGN(const Commit content, git.objects.ReadCommit(*commit));
      oldest = std::min(oldest.value_or(INT64_MAX), ParseSignature(content.committer).time);
    } else if (options.peels) {
      git.Say("Could not get commit for " + operand + ". Skipping.\n");
      continue;
    }
    asked.push_back({operand, options.peels ? *commit : *id});
  }
  const bool annotates = options.annotates || options.reads_stdin;
  if (annotates || options.all) oldest.reset();
  else oldest = oldest ? std::max(*oldest, INT64_MIN + kSlop) - kSlop : INT64_MAX;
  PADDOCK_ASSIGN(const RevNames names, RevNames::Find(git, options, oldest));
  if (annotates) {
    PADDOCK_TRY(Annotate(git, options, names));
    return 0;
  }
  if (options.all) {
    std::set<Oid> all;
    for (const Oid& id : names.Commits()) all.insert(id);
    // References that are not to be used are looked at all the same: what they are at, and the commits before it.
    for (const auto& [ref, id] : git.refs.List("refs/")) {
      const auto commit = git.objects.Peel(id, ObjectType::kCommit);
      if (!commit) continue;
      all.insert(*commit);
      if (*commit != id) continue;
      PADDOCK_ASSIGN(const Commit content, git.objects.ReadCommit(id));
      all.insert(content.parents.begin(), content.parents.end());
    }
    for (const Oid& id : all) asked.push_back({id.Hex(), id});
  }
  for (const auto& [shown, id] : asked) {
    git.in.budget.Step();
    const auto name = names.Of(id);
    if (!options.name_only) git.Print(shown + " ");
    if (!name && options.no_undefined && !options.always) return Error(Code::kNoEntry, "cannot describe '" + id.Hex() + "'");
    git.Print((name ? *name : options.no_undefined ? git.objects.Abbreviate(id) : "undefined") + "\n");
  }
  return 0;
}

namespace {

Result<ExitStatus> RunNameRev(Git& git, NameRevOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (options.reads_stdin) git.Say("warning: --stdin is deprecated. Please use --annotate-stdin instead, which is functionally equivalent.\nThis option will be removed in a future release.\n");
  if (options.all + (options.annotates || options.reads_stdin) + !operands.empty() > 1) return git.Complain("Specify either a list, or --all, not both!", 129);
  return NameRevisions(git, options, operands);
}

}  // namespace

extern const Subcommand kNameRev;
const Subcommand kNameRev = DefineSubcommand<NameRevOptions, RunNameRev>({.name = "name-rev", .summary = "name commits by the references behind them", .synopsis = "[<options>] <commit>...\n[<options>] --all\n[<options>] --annotate-stdin", .options = kOptions});

}  // namespace paddock::git
