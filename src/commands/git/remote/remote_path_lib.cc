// Repositories of the same sandbox, by their paths.
#include <algorithm>
#include <set>

#include "commands/git/objects/object_copy.h"
#include "commands/git/refs/revision.h"
#include "commands/git/remote/remote.h"

namespace paddock::git {
namespace {

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
    if (request.files != FetchRequest::Files::kNone) return CopyObjectFiles(there_, git, request.files == FetchRequest::Files::kLinked);
    return FetchObjects(there_, git, request);
  }

  Status Push(Git& git, std::vector<RefUpdate>& updates, const PushRequest& request) override { return ReceivePush(there_, git, updates, request); }
  Result<std::set<Oid>> EndsEarly(Git& git, const std::vector<Oid>& wanted) override {
    std::set<Oid> early;
    const std::vector<Oid> theirs = ReadShallow(there_), ours = ReadShallow(git);
    if (theirs.empty()) return early;
    History history(there_);
    for (const Oid& id : wanted) {
      const auto commit = there_.objects.Peel(id, ObjectType::kCommit);
      if (!commit) continue;
      PADDOCK_ASSIGN(const std::set<Oid> ancestors, history.Ancestors({*commit}));
      for (const Oid& end : theirs) {
        git.in.budget.Step();
        if (ancestors.contains(end) && !git.objects.Has(end) && !std::binary_search(ours.begin(), ours.end(), end)) early.insert(id);
      }
    }
    return early;
  }
  bool IsShallow() override { return !ReadShallow(there_).empty(); }

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
  if (const std::string directory = FindPathRepository(in, url); !directory.empty()) return std::unique_ptr<Remote>(std::make_unique<PathRemote>(in, directory));
  const std::string path = url.starts_with("file://") ? url.substr(7) : url;
  return Error(Code::kNoEntry, "'" + path + "' does not appear to be a git repository\nfatal: Could not read from remote repository.\n\n"
                               "Please make sure you have the correct access rights\nand the repository exists.");
}

Status CheckRemoteProgram(const std::string& program, const std::string& service, const std::string& url) {
  const bool is_http = url.starts_with("http://") || url.starts_with("https://");
  if (program.empty() || is_http || program == "git " + service || program == "git-" + service || program.ends_with("/git-" + service)) return {};
  return Error(Code::kNotSupported, "'" + program + "' is not supported: only git-" + service + " is there at the other end\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.");
}

std::string FindPathRepository(Invocation& in, const std::string& url) {
  const std::string path = url.starts_with("file://") ? url.substr(7) : url;
  for (const std::string& candidate : {path + "/.git", path, path + ".git/.git", path + ".git"}) {
    std::string directory = candidate;
    if (const auto followed = FollowGitFile(in, candidate)) directory = *followed;
    if (!IsGitDirectory(in.fs, directory)) continue;
    if (auto canonical = in.fs.Canonical(directory)) return std::move(*canonical);
  }
  return {};
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
  if (const auto configured = git.config.Get("branch." + branch + ".remote"); configured && !branch.empty()) return *configured;
  const std::vector<std::string> names = RemoteNames(git);
  return names.size() == 1 ? names[0] : "origin";
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

std::string PrettyRef(const std::string& ref) {
  for (const std::string_view prefix : {"refs/heads/", "refs/tags/", "refs/remotes/"}) {
    if (ref.starts_with(prefix)) return ref.substr(prefix.size());
  }
  return ref;
}

std::string ChangeLine(char flag, std::string what, const std::string& from, const std::string& to, const std::string& note, size_t width) {
  what.resize(std::max<size_t>(what.size(), 17), ' ');
  std::string name = from;
  name.resize(std::max(name.size(), width), ' ');
  return std::string(" ") + flag + " " + what + " " + name + " -> " + to + note + "\n";
}

}  // namespace paddock::git
