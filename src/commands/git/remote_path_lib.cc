// Repositories of the same sandbox, by their paths.
#include <algorithm>
#include <set>

#include "commands/git/commit.h"
#include "commands/git/remote.h"
#include "commands/git/revision.h"

namespace paddock::git {
namespace {

// Copies all that the ids need and `to` lacks; commits `depth` and more generations away are left out, and their children told in
// `shallow`.
class ObjectCopy {
 public:
  ObjectCopy(Invocation& in, ObjectStore& from, ObjectStore& to) : in_(in), from_(from), to_(to) {}

  Status Run(const std::vector<Oid>& wanted, std::optional<uint32_t> depth, std::set<Oid>* shallow) {
    depth_ = depth.value_or(kWholeDepth);
    for (const Oid& id : wanted) Add(id, 1);
    // In order of depth, so that each commit is met on its shortest way.
    for (size_t next = 0; next < todo_.size(); ++next) {
      in_.budget.Step(4);
      const auto [id, generation] = todo_[next];
      if (!depth && to_.Has(id)) continue;
      PADDOCK_TRY(Take(id, generation, shallow));
    }
    // Leaves first: an object that is there has all that it needs.
    for (auto entry = found_.rbegin(); entry != found_.rend(); ++entry) {
      in_.budget.Step(4);
      PADDOCK_ASSIGN(const Oid written, to_.Write(entry->second.type, entry->second.data));
      if (written != entry->first) return Error(Code::kCorrupt, "object " + entry->first.Hex() + " is corrupt");
    }
    return {};
  }

 private:
  void Add(const Oid& id, uint32_t generation) {
    if (seen_.insert(id).second) todo_.emplace_back(id, generation);
  }
  Status Take(const Oid& id, uint32_t generation, std::set<Oid>* shallow) {
    PADDOCK_ASSIGN(Object object, from_.Read(id));
    if (object.type == ObjectType::kCommit) {
      PADDOCK_ASSIGN(const Commit commit, ParseCommit(object.data, in_.budget));
      Add(commit.tree, generation);
      const bool is_last = generation >= depth_ && !commit.parents.empty();
      if (shallow != nullptr && is_last) shallow->insert(id);
      if (shallow != nullptr && !is_last) shallow->erase(id);
      for (const Oid& parent : commit.parents) {
        if (!is_last) Add(parent, generation + 1);
      }
    } else if (object.type == ObjectType::kTree) {
      PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, ParseTree(object.data, in_.budget));
      for (const TreeEntry& entry : entries) {
        if (entry.mode != kModeCommit) Add(entry.id, generation);
      }
    } else if (object.type == ObjectType::kTag) {
      PADDOCK_ASSIGN(const Tag tag, ParseTag(object.data));
      Add(tag.object, generation);
    }
    found_.emplace_back(id, std::move(object));
    return {};
  }

  Invocation& in_;
  ObjectStore& from_;
  ObjectStore& to_;
  uint32_t depth_ = kWholeDepth;
  std::vector<std::pair<Oid, uint32_t>> todo_;
  std::set<Oid> seen_;
  std::vector<std::pair<Oid, Object>> found_;
};

class PathRemote final : public Remote {
 public:
  PathRemote(Invocation& in, const std::string& directory) : there_(in, directory, "", true) {}

  Result<RemoteRefs> ReadRefs(bool) override {
    PADDOCK_ASSIGN(there_.config, ReadConfig(there_.in, &there_));
    RemoteRefs refs;
    refs.ids = there_.refs.List("refs/");
    for (const auto& [name, id] : refs.ids) {
      if (!name.starts_with("refs/tags/")) continue;
      if (const auto peeled = there_.objects.Peel(id, std::nullopt); peeled && *peeled != id) refs.peeled.emplace(name, *peeled);
    }
    if (const auto head = there_.Head()) refs.ids.emplace("HEAD", *head);
    refs.head = there_.HeadBranch();
    return refs;
  }

  Status Fetch(Git& git, const FetchRequest& request) override {
    const std::vector<Oid> before = ReadShallow(git), theirs = ReadShallow(there_);
    std::set<Oid> shallow(before.begin(), before.end());
    ObjectCopy copy(git.in, there_.objects, git.objects);
    PADDOCK_TRY(copy.Run(request.wanted, request.depth, request.depth ? &shallow : nullptr));
    // What ends there ends here.
    shallow.insert(theirs.begin(), theirs.end());
    if (shallow.size() == before.size() && std::equal(before.begin(), before.end(), shallow.begin())) return {};
    return WriteShallow(git, {shallow.begin(), shallow.end()});
  }

  Status Push(Git& git, std::vector<RefUpdate>& updates, bool) override {
    for (RefUpdate& update : updates) {
      git.in.budget.Step();
      if (!there_.config.GetBool("core.bare", false) && there_.HeadBranch() == update.ref && there_.config.Get("receive.denycurrentbranch", "refuse") == "refuse") {
        update.refusal = "branch is currently checked out";
        continue;
      }
      if (update.after.is_null()) {
        PADDOCK_TRY(there_.refs.Remove(update.ref));
        continue;
      }
      ObjectCopy copy(git.in, git.objects, there_.objects);
      PADDOCK_TRY(copy.Run({update.after}, std::nullopt, nullptr));
      PADDOCK_TRY(there_.refs.WriteDirect(update.ref, update.after));
    }
    return {};
  }

 private:
  Git there_;
};

}  // namespace

bool IsUrl(std::string_view text) {
  if (text.starts_with("file://")) return false;
  if (text.find("://") != std::string_view::npos) return true;
  const size_t colon = text.find(':'), slash = text.find('/');
  return colon != std::string_view::npos && (slash == std::string_view::npos || colon < slash);
}

std::string RewriteUrl(const Config& config, const std::string& url, bool is_for_push) {
  std::string base;
  size_t longest = 0;
  const auto look_for = [&](std::string_view name) {
    for (const ConfigEntry& entry : config.entries()) {
      if (!entry.key.starts_with("url.") || !entry.key.ends_with(name) || !entry.value || entry.value->size() <= longest || !url.starts_with(*entry.value)) continue;
      longest = entry.value->size();
      base = entry.key.substr(4, entry.key.size() - 4 - name.size());
    }
  };
  if (is_for_push) look_for(".pushinsteadof");
  if (longest == 0) look_for(".insteadof");
  return longest == 0 ? url : base + url.substr(longest);
}

std::string ShownUrl(const std::string& url, bool is_source) {
  std::string shown = url;
  if (const size_t scheme = url.find("://"); scheme != std::string::npos) {
    const size_t begin = scheme + 3, at = url.find('@', begin);
    if (at != std::string::npos && at < url.find('/', begin)) shown.erase(begin, at + 1 - begin);
  }
  if (!is_source) return shown;
  while (shown.size() > 1 && shown.ends_with('/')) shown.pop_back();
  if (shown.size() > 4 && shown.ends_with(".git")) shown.resize(shown.size() - 4);
  return shown;
}

Result<std::unique_ptr<Remote>> OpenRemote(Invocation& in, const Config& config, const std::string& url) {
  if (url.starts_with("http://") || url.starts_with("https://")) return OpenHttpRemote(in, config, url);
  if (const size_t scheme = url.find("://"); IsUrl(url) && scheme != std::string::npos && !url.starts_with("ssh://")) {
    return Error(Code::kNotSupported, "Unable to find remote helper for '" + url.substr(0, scheme) + "'");
  }
  if (IsUrl(url)) return Error(Code::kNotSupported, "cannot reach '" + url + "': there is no ssh here; use https://");
  const std::string path = url.starts_with("file://") ? url.substr(7) : url;
  for (const std::string& candidate : {path + "/.git", path + ".git/.git", path + ".git", path}) {
    if (!IsGitDirectory(in.fs, candidate)) continue;
    PADDOCK_ASSIGN(const std::string directory, in.fs.Canonical(candidate));
    return std::unique_ptr<Remote>(std::make_unique<PathRemote>(in, directory));
  }
  return Error(Code::kNoEntry, "'" + path + "' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\n"
                               "Please make sure you have the correct access rights\nand the repository exists.");
}

std::vector<Oid> ReadShallow(Git& git) {
  std::set<Oid> commits;
  if (const auto text = vfs::ReadFile(git.in.fs, git.GitPath("shallow"), 64 << 20)) {
    for (size_t at = 0; at + 40 <= text->size(); at += 41) {
      git.in.budget.Step();
      if (const auto id = Oid::FromHex(std::string_view(*text).substr(at, 40))) commits.insert(*id);
    }
  }
  return {commits.begin(), commits.end()};
}

Status WriteShallow(Git& git, const std::vector<Oid>& commits) {
  const std::string path = git.GitPath("shallow");
  if (commits.empty()) {
    static_cast<void>(git.in.fs.RemoveFile(path).has_value());
    return {};
  }
  std::string text;
  for (const Oid& id : commits) text += id.Hex() + "\n";
  return vfs::WriteFile(git.in.fs, path, text);
}

Status EditConfigFile(Git& git, const std::string& key, std::optional<std::string_view> value, bool adds) {
  const auto text = vfs::ReadFile(git.in.fs, git.GitPath("config"), 4 << 20);
  return vfs::WriteFile(git.in.fs, git.GitPath("config"), EditConfig(text ? *text : "", key, value, adds));
}

std::string DefaultRemote(Git& git) {
  const std::string branch = ShortRef(git.HeadBranch().value_or(""));
  return git.config.Get("branch." + branch + ".remote", "origin");
}

std::vector<std::string> RemoteNames(Git& git) {
  std::set<std::string> names;
  for (const ConfigEntry& entry : git.config.entries()) {
    if (entry.key.starts_with("remote.") && entry.key.ends_with(".url")) names.insert(entry.key.substr(7, entry.key.size() - 11));
  }
  return {names.begin(), names.end()};
}

Result<Refspec> ParseRefspec(std::string_view text) {
  Refspec spec;
  std::string_view rest = text;
  if (rest.starts_with('^')) {
    spec.is_negative = true;
    rest.remove_prefix(1);
  } else if (rest.starts_with('+')) {
    spec.is_forced = true;
    rest.remove_prefix(1);
  }
  const size_t colon = rest.find(':');
  spec.from = rest.substr(0, colon);
  spec.has_target = colon != std::string_view::npos;
  if (spec.has_target) spec.to = rest.substr(colon + 1);
  const auto stars = [](const std::string& side) { return std::count(side.begin(), side.end(), '*'); };
  const bool is_wrong = stars(spec.from) > 1 || (spec.has_target && !spec.to.empty() && stars(spec.from) != stars(spec.to)) || (spec.is_negative && spec.has_target) ||
                        (spec.to.starts_with("refs/") && !spec.is_pattern() && !IsRefName(spec.to));
  if (is_wrong) return Error(Code::kInvalid, "invalid refspec '" + std::string(text) + "'");
  return spec;
}

std::optional<std::string> Refspec::Map(std::string_view name) const {
  if (!is_pattern()) return name == from ? std::optional(to) : std::nullopt;
  const size_t star = from.find('*'), tail = from.size() - star - 1;
  if (name.size() + 1 < from.size() || !name.starts_with(std::string_view(from).substr(0, star)) || !name.ends_with(std::string_view(from).substr(star + 1))) return std::nullopt;
  const size_t place = to.find('*');
  if (place == std::string::npos) return std::string();
  return to.substr(0, place) + std::string(name.substr(star, name.size() - star - tail)) + to.substr(place + 1);
}

std::string ChangeLine(char flag, std::string what, const std::string& from, const std::string& to, const std::string& note, size_t width) {
  what.resize(std::max<size_t>(what.size(), 17), ' ');
  std::string name = from;
  name.resize(std::max(name.size(), width), ' ');
  return std::string(" ") + flag + " " + what + " " + name + " -> " + to + note + "\n";
}

}  // namespace paddock::git
