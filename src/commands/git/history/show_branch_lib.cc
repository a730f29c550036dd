// git show-branch: the commits of some branches, with a column for each that tells whether it has them.
#include <algorithm>
#include <charconv>
#include <list>

#include "commands/git/colour_spec.h"
#include "commands/git/history/pretty.h"
#include "commands/git/refs/revision.h"
#include "commands/git/remote/fetch.h"
#include "commands/git/work/commit.h"
#include "text/version_order.h"

namespace paddock::git {
namespace {

constexpr size_t kMostRefs = 26;
constexpr uint32_t kUninteresting = 2;
constexpr unsigned kShift = 2;   // the bits above belong to the references

struct ShowBranchOptions {
  bool all = false, remotes = false, current = false, no_name = false, sha1_name = false, topics = false, sparse = false, by_date = false, merge_base = false, independent = false, colours = false;
  std::optional<bool> chosen_colours;
  int64_t more = 0;
  std::optional<std::string> reflog;   // N[,BASE]
};

Status TakeMore(ShowBranchOptions& options, std::string_view text) {
  if (text.empty()) {
    options.more = 1;
    return {};
  }
  PADDOCK_ASSIGN(options.more, ParseGitNumber(text, "more"));
  return {};
}
Status TakeList(ShowBranchOptions& options, std::string_view) {
  options.more = -1;
  return {};
}
Status TakeColour(ShowBranchOptions& options, std::string_view text) {
  if (text.empty() || text == "always") options.chosen_colours = true;
  else if (text == "never" || text == "auto") options.chosen_colours = false;
  else return Error(Code::kRange, "option `color' expects \"always\", \"auto\", or \"never\"");
  return {};
}
Status TakeReflog(ShowBranchOptions& options, std::string_view text) {
  options.reflog = text;
  return {};
}

constexpr Option kShowBranchOptions[] = {
    Flag<&ShowBranchOptions::all>('a', "all", "remote and local branches"),
    Flag<&ShowBranchOptions::remotes>('r', "remotes", "remote branches"),
    CallOptional<TakeColour>(0, "color", "WHEN", "colours for the columns"),
    Set<&ShowBranchOptions::chosen_colours, false>(0, "no-color", "none (the default)"),
    CallOptional<TakeMore>(0, "more", "N", "so many commits more behind the common one"),
    Call<TakeList>(0, "list", nullptr, "the branches alone"),
    Flag<&ShowBranchOptions::no_name>(0, "no-name", "no names of commits"),
    Flag<&ShowBranchOptions::current>(0, "current", "with the current branch"),
    Flag<&ShowBranchOptions::sha1_name>(0, "sha1-name", "ids for names"),
    Flag<&ShowBranchOptions::merge_base>(0, "merge-base", "only the commits that are bases of a merge"),
    Flag<&ShowBranchOptions::independent>(0, "independent", "only branches that no other one leads to"),
    Set<&ShowBranchOptions::by_date, false>(0, "topo-order", "a line of history after the other (the default)"),
    Flag<&ShowBranchOptions::topics>(0, "topics", "only what the first branch does not have"),
    Flag<&ShowBranchOptions::sparse>(0, "sparse", "with merges that only one branch has"),
    Set<&ShowBranchOptions::by_date, true>(0, "date-order", "newest first, and parents behind their children"),
    CallOptional<TakeReflog>('g', "reflog", "N[,BASE]", "what a branch was before"),
};

struct NamedTip {
  std::string name;
  Oid id;
  std::string message = {};   // of a reflog
};

class ShowBranch {
 public:
  ShowBranch(Git& git, ShowBranchOptions& options) : git_(git), options_(options), history_(git) {}

  Result<ExitStatus> Run(std::vector<std::string> operands) {
    PADDOCK_TRY(Collect(operands));
    if (tips_.empty()) {
      git_.Say("No revs to be shown.\n");
      return 0;
    }
    PADDOCK_TRY(Begin());
    if (options_.more >= 0) PADDOCK_TRY(Join());
    Sort(seen_);
    if (options_.merge_base) return PrintBases();
    if (options_.independent) return PrintIndependent();
    PADDOCK_TRY(PrintHeads());
    if (options_.more < 0) return 0;
    PADDOCK_TRY(SortTopologically());
    if (!options_.sha1_name && !options_.no_name) PADDOCK_TRY(NameCommits());
    PADDOCK_TRY(PrintCommits());
    return 0;
  }

 private:
  struct Name {
    std::string head;
    size_t generation = 0;
    std::string Text() const { return head + (generation == 0 ? "" : generation == 1 ? "^" : "~" + std::to_string(generation)); }
  };

  // --- which references

  bool Append(const std::string& name, const Oid& id, bool allows_same = false) {
    const auto commit = git_.objects.Peel(id, ObjectType::kCommit);
    if (!commit) return false;
    git_.in.budget.Step();
    if (!allows_same && std::any_of(tips_.begin(), tips_.end(), [&name](const NamedTip& tip) { return tip.name == name; })) return true;
    if (tips_.size() >= kMostRefs) {
      git_.Warn("ignoring " + name + "; cannot handle more than " + std::to_string(kMostRefs) + " refs");
      return true;
    }
    tips_.push_back({name, *commit});
    return true;
  }
  // By its short name, where that means the same.
  void AppendRef(const std::string& ref, size_t skip, const Oid& id) {
    const auto other = ResolveObject(git_, ref.substr(skip));
    Append(ref.substr(other && *other == id ? skip : 5), id);
  }
  void SortFrom(size_t begin) {
    std::stable_sort(tips_.begin() + static_cast<std::ptrdiff_t>(begin), tips_.end(), [](const NamedTip& a, const NamedTip& b) { return CompareVersionNames(a.name, b.name) < 0; });
  }

  Status AppendOperand(const std::string& operand) {
    if (const auto id = ResolveObject(git_, operand)) {
      Append(operand, *id);
      return {};
    }
    if (operand.find_first_of("*?[") == std::string::npos) return Error(Code::kNoEntry, "bad sha1 reference " + operand);
    const size_t before = tips_.size();
    const Pattern pattern(operand, {.extglob = false, .is_utf8 = false});
    const auto slashes = std::count(operand.begin(), operand.end(), '/');
    for (const auto& [ref, id] : git_.refs.List("refs/")) {
      git_.in.budget.Step();
      auto left = std::count(ref.begin(), ref.end(), '/');
      size_t at = 0;
      for (; at < ref.size() && slashes < left; ++at) left -= ref[at] == '/' ? 1 : 0;
      if (at == ref.size() || !pattern.Matches(std::string_view(ref).substr(at), git_.in.budget)) continue;
      if (ref.starts_with("refs/heads/")) AppendRef(ref, 11, id);
      else if (ref.starts_with("refs/tags/")) Append(ref.substr(5), id);
      else Append(ref, id);
    }
    if (before == tips_.size()) git_.Complain("no matching refs with " + operand);
    SortFrom(before);
    return {};
  }

  Status CollectReflog(std::vector<std::string> operands) {
    std::string_view count_text = *options_.reflog, base_text;
    if (const size_t comma = count_text.find(','); comma != std::string_view::npos) {
      base_text = count_text.substr(comma + 1);
      count_text = count_text.substr(0, comma);
    }
    size_t count = 4, base = 0;
    if (!count_text.empty() && std::from_chars(count_text.data(), count_text.data() + count_text.size(), count).ptr != count_text.data() + count_text.size()) {
      return Error(Code::kRange, "unrecognized reflog param '" + *options_.reflog + "'");
    }
    if (count == 0) count = 4;
    if (operands.empty()) {
      if (!git_.Head()) return Error(Code::kInvalid, "no branches given, and HEAD is not valid");
      operands.push_back(git_.HeadBranch().value_or("HEAD"));
    }
    if (operands.size() != 1) return Error(Code::kInvalid, "--reflog option needs one branch name");
    if (count > kMostRefs) return Error(Code::kInvalid, "only " + std::to_string(kMostRefs) + " entries can be shown at one time.");
    const auto ref = FindRef(git_, operands[0]);
    if (!ref) return Error(Code::kNoEntry, "no such ref " + operands[0]);
    if (!base_text.empty() && std::from_chars(base_text.data(), base_text.data() + base_text.size(), base).ptr != base_text.data() + base_text.size()) {
      return Error(Code::kNotSupported, "a reflog's base by date is not supported");
    }
    const std::vector<ReflogEntry> entries = git_.refs.ReadLog(*ref);
    for (size_t i = 0; i < count && base + i < entries.size(); ++i) {
      // Behind the newest it is told with what came after it.
      const size_t at = entries.size() - 1 - base - i;
      const ReflogEntry& entry = entries[base + i == 0 ? at : at + 1];
      if (!Append(operands[0] + "@{" + std::to_string(base + i) + "}", entries[at].after, true)) continue;
      tips_.back().message = "(" + DateText(git_, ParseSignature(entry.who), "relative") + ") " + (entry.message.empty() ? "(none)" : entry.message);
    }
    return {};
  }

  Status Collect(std::vector<std::string> operands) {
    if (operands.size() <= (options_.topics ? 1u : 0u) && !options_.all && !options_.remotes) has_heads_ = true;
    if (options_.all) has_heads_ = options_.remotes = true;
    if (options_.reflog) PADDOCK_TRY(CollectReflog(operands));
    else {
      for (const std::string& operand : operands) PADDOCK_TRY(AppendOperand(operand));
      for (const auto& [prefix, is_wanted] : {std::pair<std::string, bool>("refs/heads/", has_heads_), {"refs/remotes/", options_.remotes}}) {
        const size_t before = tips_.size();
        for (const auto& [ref, id] : is_wanted ? git_.refs.List(prefix) : std::map<std::string, Oid>()) AppendRef(ref, prefix.size(), id);
        SortFrom(before);
      }
    }
    head_id_ = git_.Head();
    if (head_id_) head_ = git_.HeadBranch().value_or("HEAD");
    if (options_.current && head_id_ && std::none_of(tips_.begin(), tips_.end(), [this](const NamedTip& tip) { return IsHeadName(tip.name); })) {
      PADDOCK_TRY(AppendOperand(head_.starts_with("refs/heads/") ? head_.substr(11) : head_));
    }
    return {};
  }
  bool IsHeadName(std::string_view name) const {
    std::string_view head = head_;
    if (head.starts_with("refs/heads/")) head.remove_prefix(11);
    if (name.starts_with("refs/heads/")) name.remove_prefix(11);
    else if (name.starts_with("heads/")) name.remove_prefix(6);
    return !head_.empty() && head == name;
  }

  // --- which commits

  uint32_t All() const { return (1u << (kShift + tips_.size())) - 1; }
  uint32_t AllTips() const { return All() & ~((1u << kShift) - 1); }
  Result<int64_t> TimeOf(const Oid& id) {
    PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
    return node->time;
  }
  // What is new to the walk comes first in seen_.
  bool MarkSeen(const Oid& id) {
    if (flags_[id] != 0) return false;
    seen_.insert(seen_.begin(), id);
    return true;
  }
  Status InsertByDate(std::list<Oid>& list, const Oid& id) {
    PADDOCK_ASSIGN(const int64_t time, TimeOf(id));
    auto at = list.begin();
    for (; at != list.end(); ++at) {
      git_.in.budget.Step();
      PADDOCK_ASSIGN(const int64_t other, TimeOf(*at));
      if (other < time) break;
    }
    list.insert(at, id);
    return {};
  }
  void Sort(std::vector<Oid>& list) {
    std::stable_sort(list.begin(), list.end(), [this](const Oid& a, const Oid& b) { return TimeOf(a).value_or(0) > TimeOf(b).value_or(0); });
  }

  Status Begin() {
    for (size_t i = 0; i < tips_.size(); ++i) {
      PADDOCK_TRY(history_.Get(tips_[i].id));
      MarkSeen(tips_[i].id);
      uint32_t& flags = flags_[tips_[i].id];
      flags |= 1u << (i + kShift);
      if (flags == 1u << (i + kShift)) PADDOCK_TRY(InsertByDate(queue_, tips_[i].id));
    }
    for (const NamedTip& tip : tips_) masks_.push_back(flags_[tip.id]);
    return {};
  }

  Status Join() {
    int64_t extra = options_.more;
    std::vector<Oid> reversed(seen_.rbegin(), seen_.rend());   // while it grows the newest is at the back
    while (!queue_.empty()) {
      const bool is_interesting = std::any_of(queue_.begin(), queue_.end(), [this](const Oid& id) {
        git_.in.budget.Step();
        return (flags_[id] & kUninteresting) == 0;
      });
      const Oid id = queue_.front();
      queue_.pop_front();
      uint32_t flags = flags_[id] & All();
      if (!is_interesting && extra <= 0) break;
      if ((flags & AllTips()) == AllTips()) flags |= kUninteresting;
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      for (const Oid& parent : node->commit.parents) {
        git_.in.budget.Step();
        uint32_t& known = flags_[parent];
        if ((known & flags) == flags) continue;
        if (known == 0) {
          reversed.push_back(parent);
          if (!is_interesting) --extra;
        }
        known |= flags;
        PADDOCK_TRY(InsertByDate(queue_, parent));
      }
    }
    seen_.assign(reversed.rbegin(), reversed.rend());
    return SpreadUninteresting();
  }
  // What an uninteresting commit leads to is no more interesting.
  Status SpreadUninteresting() {
    std::vector<Oid> todo;
    for (const Oid& id : seen_) {
      if ((flags_[id] & AllTips()) == AllTips() || (flags_[id] & kUninteresting) != 0) todo.push_back(id);
    }
    const std::set<Oid> seen(seen_.begin(), seen_.end());
    while (!todo.empty()) {
      git_.in.budget.Step();
      const Oid id = todo.back();
      todo.pop_back();
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      for (const Oid& parent : node->commit.parents) {
        if ((flags_[parent] & kUninteresting) != 0) continue;
        flags_[parent] |= kUninteresting;
        if (seen.contains(parent)) todo.push_back(parent);
      }
    }
    return {};
  }

  Status SortTopologically() {
    std::map<Oid, size_t> degrees;
    for (const Oid& id : seen_) degrees[id] = 1;
    for (const Oid& id : seen_) {
      git_.in.budget.Step();
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      for (const Oid& parent : node->commit.parents) {
        if (const auto found = degrees.find(parent); found != degrees.end()) ++found->second;
      }
    }
    std::list<Oid> queue;   // its front is next
    const auto put = [&](const Oid& id) -> Status {
      if (options_.by_date) return InsertByDate(queue, id);
      queue.push_front(id);
      return {};
    };
    for (const Oid& id : seen_) {
      if (degrees[id] != 1) continue;
      if (options_.by_date) PADDOCK_TRY(put(id));
      else queue.push_back(id);
    }
    std::vector<Oid> sorted;
    while (!queue.empty()) {
      git_.in.budget.Step();
      const Oid id = queue.front();
      queue.pop_front();
      sorted.push_back(id);
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      for (const Oid& parent : node->commit.parents) {
        const auto found = degrees.find(parent);
        if (found != degrees.end() && --found->second == 1) PADDOCK_TRY(put(parent));
      }
    }
    seen_ = std::move(sorted);
    return {};
  }

  // --- their names

  Result<size_t> NameChain(Oid id) {
    size_t count = 0;
    while (true) {
      git_.in.budget.Step();
      const auto name = names_.find(id);
      if (name == names_.end()) return count;
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      if (node->commit.parents.empty() || names_.contains(node->commit.parents[0])) return count;
      const Name next{name->second.head, name->second.generation + 1};
      id = node->commit.parents[0];
      names_[id] = next;
      ++count;
    }
  }
  Status NameCommits() {
    for (const Oid& id : seen_) {
      const auto tip = std::find_if(tips_.begin(), tips_.end(), [&id](const NamedTip& one) { return one.id == id; });
      if (tip != tips_.end() && !names_.contains(id)) names_[id] = {tip->name, 0};
    }
    for (size_t count = 1; count > 0;) {
      count = 0;
      for (const Oid& id : seen_) {
        PADDOCK_ASSIGN(const size_t more, NameChain(id));
        count += more;
      }
    }
    for (size_t count = 1; count > 0;) {
      count = 0;
      for (const Oid& id : seen_) {
        git_.in.budget.Step();
        const auto name = names_.find(id);
        if (name == names_.end()) continue;
        const std::string text = name->second.Text();
        git_.in.budget.WillAllocate(text.size());
        PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
        for (size_t i = 0; i < node->commit.parents.size(); ++i) {
          const Oid parent = node->commit.parents[i];
          if (names_.contains(parent)) continue;
          names_[parent] = {text + "^" + (i == 0 ? "" : std::to_string(i + 1)), 0};
          ++count;
          PADDOCK_TRY(NameChain(parent));
        }
      }
    }
    return {};
  }

  // --- what is printed

  ExitStatus PrintBases() {
    ExitStatus status = 1;
    for (const Oid& id : seen_) {
      const uint32_t flags = flags_[id] & All();
      if ((flags & kUninteresting) != 0 || (flags & AllTips()) != AllTips()) continue;
      git_.Print(id.Hex() + "\n");
      status = 0;
      flags_[id] |= kUninteresting;
    }
    return status;
  }
  ExitStatus PrintIndependent() {
    for (size_t i = 0; i < tips_.size(); ++i) {
      if (flags_[tips_[i].id] == masks_[i]) git_.Print(tips_[i].id.Hex() + "\n");
      flags_[tips_[i].id] |= kUninteresting;
    }
    return 0;
  }

  Status PrintCommit(const Oid& id, bool is_unnamed) {
    PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
    std::string subject = SubjectOf(node->commit.message);
    if (subject.starts_with("[PATCH] ")) subject.erase(0, 8);
    const auto name = names_.find(id);
    if (!is_unnamed) git_.Print("[" + (name != names_.end() ? name->second.Text() : git_.objects.Abbreviate(id)) + "] ");
    git_.Print(subject + "\n");
    return {};
  }
  std::string Painted(size_t column, char mark) const {
    static constexpr std::string_view kColours[] = {"31", "32", "33", "34", "35", "36", "1;31", "1;32", "1;33", "1;34", "1;35", "1;36"};
    if (!HasColours()) return std::string(1, mark);
    return "\033[" + std::string(kColours[column % std::size(kColours)]) + "m" + mark + std::string(kColourReset);
  }
  bool HasColours() const { return options_.chosen_colours.value_or(git_.config.Get("color.showbranch", git_.config.Get("color.ui", "auto")) == "always"); }

  Status PrintHeads() {
    if (tips_.size() <= 1 && options_.more >= 0) return {};
    for (size_t i = 0; i < tips_.size(); ++i) {
      const bool is_head = IsHeadName(tips_[i].name) && head_id_ == tips_[i].id;
      if (options_.more < 0) git_.Print(std::string(is_head ? "*" : " ") + " [" + tips_[i].name + "] ");
      else git_.Print(std::string(i, ' ') + Painted(i, is_head ? '*' : '!') + " [" + tips_[i].name + "] ");
      if (options_.reflog) git_.Print(tips_[i].message + "\n");
      else PADDOCK_TRY(PrintCommit(tips_[i].id, true));
      if (is_head) head_at_ = i;
    }
    if (options_.more >= 0) git_.Print(std::string(tips_.size(), '-') + "\n");
    return {};
  }

  // A merge that is no tip, and that only one of them leads to.
  bool IsDull(const Oid& id, uint32_t flags) const {
    const bool is_tip = std::any_of(tips_.begin(), tips_.end(), [&id](const NamedTip& tip) { return tip.id == id; });
    const uint32_t tips = flags & AllTips();
    return !is_tip && tips != 0 && (tips & (tips - 1)) == 0;
  }

  Status PrintCommits() {
    int64_t extra = options_.more;
    bool has_common = false;
    for (const Oid& id : seen_) {
      git_.in.budget.Step();
      const uint32_t flags = flags_[id];
      const bool is_common = (flags & AllTips()) == AllTips();
      has_common |= is_common;
      if (tips_.size() > 1) {
        PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
        const bool is_merge = node->commit.parents.size() > 1;
        if (options_.topics && !is_common && (flags & (1u << kShift)) != 0) continue;
        if (!options_.sparse && is_merge && IsDull(id, flags)) continue;
        std::string marks;
        for (size_t i = 0; i < tips_.size(); ++i) {
          if ((flags & (1u << (i + kShift))) == 0) marks += ' ';
          else marks += Painted(i, is_merge ? '-' : i == head_at_ ? '*' : '+');
        }
        git_.Print(marks + " ");
      }
      PADDOCK_TRY(PrintCommit(id, options_.no_name));
      if (has_common && --extra < 0) break;
    }
    return {};
  }

  Git& git_;
  ShowBranchOptions& options_;
  History history_;
  bool has_heads_ = false;
  std::vector<NamedTip> tips_;
  std::string head_;
  std::optional<Oid> head_id_;
  std::optional<size_t> head_at_;
  std::unordered_map<Oid, uint32_t, OidHash> flags_;
  std::vector<uint32_t> masks_;
  std::vector<Oid> seen_;
  std::list<Oid> queue_;
  std::map<Oid, Name> names_;
};

constexpr const char* kSynopsis =
    "[-a | --all] [-r | --remotes] [--topo-order | --date-order]\n    [--current] [--color[=<when>] | --no-color] [--sparse]\n    [--more=<n> | --list | --independent | --merge-base]\n    [--no-name | --sha1-name] [--topics]\n    [(<rev> | <glob>)...]\n(-g | --reflog)[=<n>[,<base>]] [--list] [<ref>]";

Result<ExitStatus> RunShowBranch(Git& git, ShowBranchOptions& options, Args& args) {
  if (options.more != 0 || options.reflog) {
    if (options.independent || options.merge_base) {
      git.Say("usage: git show-branch " + std::string(kSynopsis) + "\n");
      return 129;
    }
    if (options.reflog && (options.more > 0 || options.all || options.remotes)) return Error(Code::kInvalid, "options '--reflog' and '--all/--remotes/--independent/--merge-base' cannot be used together");
  }
  if (options.current && options.reflog) return Error(Code::kInvalid, "options '--reflog' and '--current' cannot be used together");
  return ShowBranch(git, options).Run(args.All());
}

// Without arguments they are what the configuration says.
ExitStatus RunWithDefaults(Invocation& in, const Subcommand& self, Git* git, std::vector<std::string> args) {
  if (args.size() == 1 && git != nullptr) {
    for (std::string& word : git->config.GetAll("showbranch.default")) args.push_back(std::move(word));
  }
  return DefineSubcommand<ShowBranchOptions, RunShowBranch>({}).run(in, self, git, std::move(args));
}

}  // namespace

extern const Subcommand kShowBranch;
const Subcommand kShowBranch = {.name = "show-branch", .summary = "show branches and their commits", .synopsis = kSynopsis, .options = kShowBranchOptions, .rules = {.stop_at_operand = true}, .run = RunWithDefaults};

}  // namespace paddock::git
