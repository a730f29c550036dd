#include "commands/git/refs/revision.h"

#include <algorithm>
#include <charconv>

#include "commands/git/history/pretty.h"
#include "commands/git/remote/remote.h"
#include "git/tree_reader.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

Error Unknown() { return {Code::kNoEntry}; }

std::optional<size_t> ParseCount(std::string_view text) {
  size_t count = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return count;
}

// HEAD, a reference or a (short) id.
Result<Oid> ResolveName(Git& git, std::string_view name) {
  if (name.empty()) return Unknown();
  if (name == "@") name = "HEAD";
  if (const auto id = Oid::FromHex(name)) return *id;
  if (const auto ref = FindRef(git, name)) {
    if (const auto id = git.refs.Read(*ref)) return *id;
  }
  const bool is_hex = name.size() >= 4 && name.size() <= 40 && name.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
  if (is_hex) {
    std::vector<Oid> found = git.objects.FindPrefix(name);
    if (found.size() > 1) {
      std::vector<Oid> commits;
      for (const Oid& id : found) {
        if (const auto object = git.objects.Read(id); object && object->type == ObjectType::kCommit) commits.push_back(id);
      }
      if (commits.size() == 1) return commits[0];
      return Error(Code::kInvalid, "short object ID " + std::string(name) + " is ambiguous");
    }
    if (found.size() == 1) return found[0];
  }
  // git describe's form: v1.0-3-gabcdef.
  if (const size_t at = name.rfind("-g"); at != std::string_view::npos && at + 6 <= name.size() && name.substr(at + 2).find_first_not_of("0123456789abcdef") == std::string_view::npos) {
    const std::vector<Oid> found = git.objects.FindPrefix(name.substr(at + 2));
    if (found.size() == 1) return found[0];
  }
  return Unknown();
}

// "branch@{upstream}"; without a name, or with that of HEAD, it is the branch that HEAD is on, whether it has commits or not.
Result<Oid> ResolveUpstream(Git& git, std::string_view name) {
  std::string branch(name);
  if (name.empty() || name == "@" || name == "HEAD") {
    const auto head = git.HeadBranch();
    if (!head) return Error(Code::kNoEntry, "HEAD does not point to a branch");
    branch = ShortRef(*head);
  } else if (name.starts_with("@{-") && name.ends_with('}')) {
    const auto count = ParseCount(name.substr(3, name.size() - 4));
    const auto previous = count ? PreviousBranch(git, *count) : std::nullopt;
    if (!previous) return Unknown();
    branch = *previous;
  }
  const auto upstream = UpstreamOf(git, branch);
  if (!upstream) {
    if (!IsRefName("refs/heads/" + branch)) return Unknown();
    const auto merge = git.config.Get("branch." + branch + ".merge");
    if (!git.refs.Exists("refs/heads/" + branch)) return Error(Code::kNoEntry, "no such branch: '" + branch + "'");
    if (merge && git.config.Get("branch." + branch + ".remote")) return Error(Code::kNoEntry, "upstream branch '" + *merge + "' not stored as a remote-tracking branch");
    return Error(Code::kNoEntry, "no upstream configured for branch '" + branch + "'");
  }
  const auto id = git.refs.Read(*upstream);
  if (!id) return Unknown();
  return *id;
}

// "name@{…}".
Result<Oid> ResolveAt(Git& git, std::string_view name, std::string_view inside) {
  if (inside == "u" || inside == "upstream" || inside == "push") return ResolveUpstream(git, name);
  std::string ref = "HEAD";
  if (!name.empty() && name != "@") {
    const auto found = FindRef(git, name);
    if (!found) return Unknown();
    ref = *found;
  } else if (name.empty()) {
    ref = git.HeadBranch().value_or("HEAD");
  }
  if (inside.starts_with('-')) {
    const auto count = ParseCount(inside.substr(1));
    if (!count || !name.empty()) return Unknown();
    const auto branch = PreviousBranch(git, *count);
    if (!branch) return Unknown();
    return ResolveName(git, *branch);
  }
  const auto count = ParseCount(inside);
  const std::vector<ReflogEntry> log = git.refs.ReadLog(ref);
  if (!count) {
    const LooseDate date = git.ReadDate(inside);
    if (!date.is_understood || log.empty()) return Unknown();
    const int64_t time = date.seconds;
    for (size_t i = log.size(); i-- > 0;) {
      git.in.budget.Step();
      if (ParseSignature(log[i].who).time <= time) return log[i].after;
    }
    const std::string since = DateText(git, ParseSignature(log[0].who), "rfc");
    git.Warn("log for '" + (name.empty() ? ShortRef(ref) : std::string(name)) + "' only goes back to " + since);
    return log[0].before.is_null() ? log[0].after : log[0].before;
  }
  if (log.empty()) return Error(Code::kNoEntry, "log for " + ref + " is empty");
  if (*count < log.size()) return log[log.size() - 1 - *count].after;
  if (*count == log.size() && !log.empty() && !log[0].before.is_null()) return log[0].before;
  return Error(Code::kNoEntry, "log for '" + (name.empty() ? ShortRef(ref) : std::string(name)) + "' only has " + std::to_string(log.size()) + " entries");
}

// The youngest commit that the tips lead to whose message matches; "!-TEXT": does not match, "!!TEXT": a "!" that stands for itself.
Result<Oid> FindMessage(Git& git, const std::vector<Oid>& tips, std::string_view text) {
  bool inverts = false;
  if (text.starts_with("!-")) {
    inverts = true;
    text.remove_prefix(2);
  } else if (text.starts_with("!!")) {
    text.remove_prefix(1);
  } else if (text.starts_with('!')) {
    return Unknown();
  }
  auto regex = Regex::Compile(text, {.dialect = RegexDialect::kExtended, .multiline = true, .newline_is_text = false});
  if (!regex) return Unknown();
  History history(git);
  Selection all;
  for (const Oid& id : tips) {
    if (auto commit = git.objects.Peel(id, ObjectType::kCommit)) all.included.push_back(*commit);
  }
  PADDOCK_ASSIGN(const std::vector<Oid> commits, WalkHistory(git, history, all, {}));
  for (const Oid& id : commits) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    PADDOCK_ASSIGN(const bool found, regex->Search(node->commit.message, 0, nullptr, git.in.budget));
    if (found != inverts) return id;
  }
  return Unknown();
}

// The suffixes ^, ~ and ^{…} of `id`.
Result<Oid> FollowSuffixes(Git& git, Oid id, std::string_view rest) {
  while (!rest.empty()) {
    git.in.budget.Step();
    const char kind = rest[0];
    rest.remove_prefix(1);
    if (kind == '^' && rest.starts_with('{')) {
      const size_t end = rest.find('}');
      if (end == std::string_view::npos) return Unknown();
      const std::string_view type = rest.substr(1, end - 1);
      rest.remove_prefix(end + 1);
      if (type.starts_with('/')) {
        PADDOCK_ASSIGN(id, FindMessage(git, {id}, type.substr(1)));
        continue;
      }
      if (type == "object") continue;
      const auto wanted = TypeOf(type);
      if (!type.empty() && !wanted) return Unknown();
      auto peeled = git.objects.Peel(id, wanted);
      if (!peeled) return Unknown();
      id = *peeled;
      continue;
    }
    const size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    size_t count = 1;
    if (digits > 0) {
      const auto parsed = ParseCount(rest.substr(0, digits));
      if (!parsed) return Unknown();
      count = *parsed;
    }
    rest.remove_prefix(digits);
    auto commit_id = git.objects.Peel(id, ObjectType::kCommit);
    if (!commit_id) return Unknown();
    id = *commit_id;
    if (kind == '^') {
      if (count == 0) continue;
      PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(id));
      if (commit.parents.size() < count) return Unknown();
      id = commit.parents[count - 1];
      continue;
    }
    for (; count > 0; --count) {
      git.in.budget.Step();
      PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(id));
      if (commit.parents.empty()) return Unknown();
      id = commit.parents[0];
    }
  }
  return id;
}

// "rev:path" and ":path".
Result<Oid> ResolvePath(Git& git, std::string_view name, size_t colon) {
  std::string_view path = name.substr(colon + 1);
  std::string full(path);
  if (path.starts_with("./") || path.starts_with("../")) full = vfs::NormalizePath(git.prefix + std::string(path));
  if (colon == 0) {
    int stage = 0;
    if (path.size() > 2 && path[1] == ':' && path[0] >= '0' && path[0] <= '3') {
      stage = path[0] - '0';
      full = full.substr(2);
    }
    PADDOCK_ASSIGN(const Index index, git.ReadIndex());
    const IndexEntry* entry = index.Find(full, stage);
    for (int other = 0; entry == nullptr && other < 4; ++other) {
      if (index.Find(full, other) == nullptr) continue;
      return Error(Code::kNoEntry, "path '" + full + "' is in the index, but not at stage " + std::to_string(stage) + "\nhint: Did you mean ':" + std::to_string(other) + ":" + std::string(full) + "'?");
    }
    if (entry == nullptr) return Error(Code::kNoEntry, "path '" + full + "' " + (git.in.fs.Stat(git.FilePath(full)) ? "exists on disk, but not in the index" : "does not exist (neither on disk nor in the index)"));
    return entry->id;
  }
  const std::string revision(name.substr(0, colon));
  const auto named = ResolveObject(git, revision);
  if (!named) return named.error().message.empty() ? Error(Code::kNoEntry, "invalid object name '" + revision + "'.") : named.error();
  auto tree = git.objects.Peel(*named, ObjectType::kTree);
  if (!tree) return Unknown();
  const Oid id = *tree;
  std::string_view rest = full;
  while (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest == ".") rest = "";
  if (rest.empty()) return id;
  const auto found = FindPath(git.objects, id, rest, git.in.budget);
  if (!found || !*found) {
    const bool is_there = !git.work_tree.empty() && git.in.fs.Stat(git.FilePath(full)).has_value();
    return Error(Code::kNoEntry, is_there ? "path '" + full + "' exists on disk, but not in '" + revision + "'" : "path '" + full + "' does not exist in '" + revision + "'");
  }
  return (*found)->id;
}

}  // namespace

std::optional<std::string> FindRef(Git& git, std::string_view name) {
  if (name == "@") return "HEAD";
  for (const char* form : {"", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"}) {
    const std::string full = form + std::string(name);
    // Files of .git that are no references have other names.
    const bool is_special = *form == '\0' && !full.starts_with("refs/") && full.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != std::string::npos;
    if (!is_special && IsRefName(full, true) && git.refs.Exists(full)) return full;
  }
  const std::string remote = "refs/remotes/" + std::string(name) + "/HEAD";
  if (IsRefName(remote) && git.refs.Exists(remote)) return remote;
  return std::nullopt;
}

std::string ShortRef(std::string_view name) {
  for (const std::string_view prefix : {"refs/heads/", "refs/tags/", "refs/remotes/", "refs/"}) {
    if (name.starts_with(prefix)) return std::string(name.substr(prefix.size()));
  }
  return std::string(name);
}

std::optional<std::string> UpstreamOf(Git& git, const std::string& branch) {
  const auto remote = git.config.Get("branch." + branch + ".remote"), merge = git.config.Get("branch." + branch + ".merge");
  if (!remote || !merge) return std::nullopt;
  if (*remote == ".") return *merge;
  for (const std::string& text : git.config.GetAll("remote." + *remote + ".fetch")) {
    const auto spec = ParseRefspec(text);
    if (!spec || spec->is_negative) continue;
    if (auto local = spec->Map(*merge); local && IsRefName(*local)) return local;
  }
  return std::nullopt;
}

std::optional<std::string> PreviousBranch(Git& git, size_t count) {
  const std::vector<ReflogEntry> log = git.refs.ReadLog("HEAD");
  for (size_t i = log.size(); i-- > 0;) {
    const std::string& message = log[i].message;
    static constexpr std::string_view kLead = "checkout: moving from ";
    if (!message.starts_with(kLead) || count-- != 1) continue;
    const size_t end = message.find(" to ", kLead.size());
    if (end != std::string::npos) return message.substr(kLead.size(), end - kLead.size());
  }
  return std::nullopt;
}

Result<Oid> ResolveObject(Git& git, std::string_view name) {
  if (name.starts_with(":/")) {
    std::vector<Oid> tips;
    if (const auto head = git.Head()) tips.push_back(*head);
    for (const auto& [ref, id] : git.refs.List("refs/")) tips.push_back(id);
    return FindMessage(git, tips, name.substr(2));
  }
  // A colon outside of braces separates a path.
  size_t depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '{') ++depth;
    else if (name[i] == '}' && depth > 0) --depth;
    else if (name[i] == ':' && depth == 0) return ResolvePath(git, name, i);
  }
  const size_t suffix = std::min(name.find_first_of("^~"), name.size());
  std::string_view base = name.substr(0, suffix);
  Result<Oid> id = Unknown();
  if (const size_t at = base.rfind("@{"); at != std::string_view::npos && base.ends_with('}')) {
    id = ResolveAt(git, base.substr(0, at), base.substr(at + 2, base.size() - at - 3));
  } else {
    id = ResolveName(git, base);
  }
  if (!id) return id;
  return FollowSuffixes(git, *id, name.substr(suffix));
}

Result<Oid> ResolveCommit(Git& git, std::string_view name) {
  auto id = ResolveObject(git, name);
  if (!id) return Error(Code::kNoEntry, id.error().message.empty() ? "bad revision '" + std::string(name) + "'" : id.error().message);
  auto commit = git.objects.Peel(*id, ObjectType::kCommit);
  if (!commit) return Error(Code::kInvalid, "bad revision '" + std::string(name) + "'");
  return commit;
}

Error AmbiguousArgument(std::string_view name) {
  return {Code::kNoEntry, "ambiguous argument '" + std::string(name) + "': unknown revision or path not in the working tree.\n"
          "Use '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'"};
}

Error UnknownRevision(std::string_view name, const Error& why) {
  for (const std::string_view telling : {" only has ", "no upstream configured", "no such branch", "does not point to a branch", "not stored as a remote-tracking branch"}) {
    if (why.message.find(telling) != std::string::npos) return why;
  }
  return AmbiguousArgument(name);
}

Result<bool> TakeRevision(Git& git, const std::string& argument, Selection& selection) {
  const auto resolve = [&git](std::string_view name) { return ResolveObject(git, name.empty() ? "HEAD" : name); };
  const auto commit_of = [&git](const Oid& id) {
    auto commit = git.objects.Peel(id, ObjectType::kCommit);
    return commit ? *commit : id;
  };
  if (argument.starts_with('^') && argument.size() > 1) {
    auto id = resolve(std::string_view(argument).substr(1));
    if (!id) return false;
    selection.excluded.push_back(commit_of(*id));
    return true;
  }
  if (const size_t dots = argument.find(".."); dots != std::string::npos && argument != ".." && !argument.starts_with("../") && argument.find("/..") == std::string::npos) {
    const bool is_symmetric = argument.compare(dots, 3, "...") == 0;
    auto from = resolve(argument.substr(0, dots)), to = resolve(argument.substr(dots + (is_symmetric ? 3 : 2)));
    if (!from || !to) return false;
    const Oid a = commit_of(*from), b = commit_of(*to);
    selection.names.push_back(argument);
    if (is_symmetric) {
      History history(git);
      PADDOCK_ASSIGN(selection.bases, history.MergeBases(a, b));
      selection.has_symmetric = true;
      selection.sources.emplace(a, dots == 0 ? "HEAD" : argument.substr(0, dots));
      selection.sources.emplace(b, dots + 3 == argument.size() ? "HEAD" : argument.substr(dots + 3));
      selection.left.push_back(a);
      selection.included.push_back(a);
      selection.included.push_back(b);
      selection.excluded.insert(selection.excluded.end(), selection.bases.begin(), selection.bases.end());
      return true;
    }
    selection.excluded.push_back(a);
    selection.included.push_back(b);
    selection.sources.emplace(b, dots + 2 == argument.size() ? "HEAD" : argument.substr(dots + 2));
    return true;
  }
  if (const size_t mark = argument.rfind("^-"); mark != std::string::npos && mark > 0 && argument.find_first_not_of("0123456789", mark + 2) == std::string::npos) {
    const std::string name = argument.substr(0, mark), number = argument.substr(mark + 2);
    auto id = resolve(name), parent = resolve(name + "^" + (number.empty() ? "1" : number));
    if (!id || !parent) return false;
    selection.included.push_back(commit_of(*id));
    selection.excluded.push_back(commit_of(*parent));
    selection.names.push_back(argument);
    return true;
  }
  if (argument.ends_with("^!") || argument.ends_with("^@")) {
    auto id = resolve(argument.substr(0, argument.size() - 2));
    if (!id) return false;
    PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(commit_of(*id)));
    std::vector<Oid>& parents = argument.back() == '!' ? selection.excluded : selection.included;
    parents.insert(parents.end(), commit.parents.begin(), commit.parents.end());
    if (argument.back() == '!') selection.included.push_back(commit_of(*id));
    return true;
  }
  auto id = resolve(argument);
  if (!id) {
    if (id.error().message.empty() || id.error().message.find("only has") == std::string::npos) return false;
    return id.error();
  }
  selection.included.push_back(*id);
  selection.names.push_back(argument);
  selection.sources.emplace(commit_of(*id), argument);
  return true;
}

Result<Selection> ParseSelection(Git& git, const Args& args) {
  Selection selection;
  bool in_paths = false;
  for (const std::string& argument : args.operands) {
    git.in.budget.Step();
    if (!in_paths) {
      PADDOCK_ASSIGN(const bool taken, TakeRevision(git, argument, selection));
      if (taken) continue;
      if (args.has_dashes || argument.starts_with('^')) return Error(Code::kNoEntry, "bad revision '" + argument + "'");
      in_paths = true;
    }
    const bool is_magic = argument.starts_with(":(") || argument.starts_with(":!") || argument.starts_with(":^") || (argument.starts_with(":/") && git.in.fs.Stat(git.FilePath(argument.substr(2)), vfs::Follow::kNo));
    const bool may_match = argument.find_first_of("*?[") != std::string::npos || is_magic;
    if (!may_match && !git.in.fs.Stat(argument, vfs::Follow::kNo)) {
      if (auto id = ResolveObject(git, argument); !id && !id.error().message.empty()) return id.error();
      return AmbiguousArgument(argument);
    }
    selection.paths.push_back(argument);
  }
  selection.paths.insert(selection.paths.end(), args.paths.begin(), args.paths.end());
  return selection;
}

void IncludeRefs(Git& git, std::string_view prefix, Selection& selection) {
  for (const auto& [name, id] : git.refs.List(prefix)) {
    if (auto commit = git.objects.Peel(id, ObjectType::kCommit)) selection.included.push_back(*commit);
  }
  if (prefix != "refs/") return;
  if (const auto head = git.Head()) selection.included.push_back(*head);
}

Result<const History::Node*> History::Get(const Oid& id) {
  const auto found = nodes_.find(id);
  if (found != nodes_.end()) return &found->second;
  git_.in.budget.Step(16);
  PADDOCK_ASSIGN(Commit commit, git_.objects.ReadCommit(id));
  if (!shallow_) {
    shallow_.emplace();
    if (const auto text = vfs::ReadFile(git_.in.fs, git_.GitPath("shallow"), 1 << 20)) {
      for (size_t at = 0; at + 40 <= text->size(); at += 41) {
        if (const auto shallow = Oid::FromHex(std::string_view(*text).substr(at, 40))) shallow_->insert(*shallow);
      }
    }
  }
  if (shallow_->contains(id)) commit.parents.clear();
  const int64_t time = SignatureTime(commit.committer);
  return &nodes_.emplace(id, Node{std::move(commit), time}).first->second;
}

Result<std::set<Oid>> History::Ancestors(const std::vector<Oid>& ids) {
  std::set<Oid> seen(ids.begin(), ids.end());
  std::vector<Oid> todo = ids;
  while (!todo.empty()) {
    git_.in.budget.Step();
    const Oid at = todo.back();
    todo.pop_back();
    PADDOCK_ASSIGN(const Node* node, Get(at));
    for (const Oid& parent : node->commit.parents) {
      if (seen.insert(parent).second) todo.push_back(parent);
    }
  }
  return seen;
}

Result<bool> History::IsAncestor(const Oid& ancestor, const Oid& of) {
  PADDOCK_ASSIGN(const std::set<Oid> ancestors, Ancestors({of}));
  return ancestors.contains(ancestor);
}

Result<std::vector<Oid>> History::MergeBases(const Oid& a, const Oid& b) {
  PADDOCK_ASSIGN(const std::set<Oid> of_a, Ancestors({a}));
  PADDOCK_ASSIGN(const std::set<Oid> of_b, Ancestors({b}));
  std::vector<Oid> common;
  std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), std::back_inserter(common));
  // What a common one leads to is no best one.
  std::set<Oid> covered;
  std::vector<Oid> todo;
  for (const Oid& id : common) {
    PADDOCK_ASSIGN(const Node* node, Get(id));
    for (const Oid& parent : node->commit.parents) covered.insert(parent);
  }
  std::vector<std::pair<int64_t, Oid>> best;
  for (const Oid& id : common) {
    git_.in.budget.Step();
    if (covered.contains(id)) continue;
    PADDOCK_ASSIGN(const Node* node, Get(id));
    best.emplace_back(-node->time, id);
  }
  std::sort(best.begin(), best.end());
  std::vector<Oid> bases;
  for (const auto& [time, id] : best) bases.push_back(id);
  return bases;
}

namespace {

// Children before parents, otherwise as they were.
Result<std::vector<Oid>> SortTopologically(Git& git, History& history, const std::vector<Oid>& commits, const WalkOptions& options) {
  std::map<Oid, size_t> children;
  const std::set<Oid> members(commits.begin(), commits.end());
  const auto parents_of = [&](const Oid& id) -> Result<std::vector<Oid>> {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    std::vector<Oid> parents = node->commit.parents;
    if (options.parents) {
      PADDOCK_ASSIGN(parents, options.parents(id));
    }
    if (options.first_parent && parents.size() > 1) parents.resize(1);
    std::erase_if(parents, [&](const Oid& parent) { return !members.contains(parent); });
    return parents;
  };
  for (const Oid& id : commits) {
    git.in.budget.Step();
    PADDOCK_ASSIGN(const std::vector<Oid> parents, parents_of(id));
    for (const Oid& parent : parents) ++children[parent];
  }
  std::vector<Oid> sorted;
  if (options.is_by_date) {
    std::multimap<int64_t, Oid> ready;
    const auto add = [&](const Oid& id) -> Status {
      PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
      ready.emplace(-(options.by_author_date ? ParseSignature(node->commit.author).time : node->time), id);
      return {};
    };
    for (const Oid& id : commits) {
      if (children[id] == 0) PADDOCK_TRY(add(id));
    }
    while (!ready.empty()) {
      git.in.budget.Step();
      const Oid id = ready.begin()->second;
      ready.erase(ready.begin());
      sorted.push_back(id);
      PADDOCK_ASSIGN(const std::vector<Oid> parents, parents_of(id));
      for (const Oid& parent : parents) {
        if (--children[parent] == 0) PADDOCK_TRY(add(parent));
      }
    }
    return sorted;
  }
  std::vector<Oid> stack;
  for (size_t i = commits.size(); i-- > 0;) {
    if (children[commits[i]] == 0) stack.push_back(commits[i]);
  }
  while (!stack.empty()) {
    git.in.budget.Step();
    const Oid id = stack.back();
    stack.pop_back();
    sorted.push_back(id);
    PADDOCK_ASSIGN(const std::vector<Oid> parents, parents_of(id));
    for (const Oid& parent : parents) {
      if (--children[parent] == 0) stack.push_back(parent);
    }
  }
  return sorted;
}

}  // namespace

Status HistoryWalk::Add(const Oid& id) {
  if (excluded_.contains(id) || !seen_.insert(id).second) return {};
  PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
  queue_.emplace(-(options_.by_author_date ? SignatureTime(node->commit.author) : node->time), id);
  return {};
}

Status HistoryWalk::Begin(const Selection& selection) {
  PADDOCK_ASSIGN(excluded_, history_.Ancestors(selection.excluded));
  for (const Oid& id : selection.included) {
    auto commit = git_.objects.Peel(id, ObjectType::kCommit);
    if (!commit) return commit.error();
    PADDOCK_TRY(Add(*commit));
  }
  return {};
}

Result<std::optional<Oid>> HistoryWalk::Next() {
  git_.in.budget.Step();
  if (queue_.empty()) return std::optional<Oid>();
  const Oid id = queue_.begin()->second;
  queue_.erase(queue_.begin());
  PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
  std::vector<Oid> chosen;
  if (options_.parents) {
    PADDOCK_ASSIGN(chosen, options_.parents(id));
  }
  for (const Oid& parent : options_.parents ? chosen : node->commit.parents) {
    PADDOCK_TRY(Add(parent));
    if (options_.first_parent) break;
  }
  return std::optional<Oid>(id);
}

Result<std::vector<Oid>> WalkHistory(Git& git, History& history, const Selection& selection, const WalkOptions& options) {
  HistoryWalk walk(git, history, options);
  PADDOCK_TRY(walk.Begin(selection));
  std::vector<Oid> order;
  while (true) {
    PADDOCK_ASSIGN(const std::optional<Oid> id, walk.Next());
    if (!id) break;
    order.push_back(*id);
  }
  if (options.is_topological) return SortTopologically(git, history, order, options);
  return order;
}

}  // namespace paddock::git
