#include "commands/git/refs/ref_transaction.h"

#include <algorithm>
#include <map>

namespace paddock::git {

Status RefTransaction::Add(RefChange change) {
  if (!IsRefName(change.name, true)) return Refused("refusing to update ref with bad name '" + change.name + "'", Code::kInvalid);
  git_.in.budget.Step();
  git_.in.budget.WillAllocate(change.name.size() * 2 + 200);
  planned_.push_back({std::move(change), "", std::nullopt});
  return {};
}

void RefTransaction::Clear() { planned_.clear(); }

std::string RefTransaction::TargetOf(const RefChange& change) {
  std::string at = change.name;
  for (int links = 0; !change.is_direct && links < 5; ++links) {
    const auto next = git_.refs.ReadSymbolic(at);
    if (!next) break;
    at = *next;
  }
  return at;
}

Status RefTransaction::CheckOne(Planned& planned) {
  const auto& [name, id, before, is_direct] = planned.change;
  planned.now = git_.refs.Read(name);
  const std::string lock = "cannot lock ref '" + name + "': ";
  // Files of .git that are no references stay what they are.
  if (!planned.now && !name.starts_with("refs/") && name != "HEAD" && git_.in.fs.Stat(git_.GitPath(name), vfs::Follow::kNo)) {
    return Refused(lock + "unable to resolve reference '" + name + "': reference broken", Code::kInvalid);
  }
  if (before && before->is_null() && planned.now) return Refused(lock + "reference already exists");
  if (before && !before->is_null() && !planned.now) return Refused(lock + "unable to resolve reference '" + name + "'");
  if (before && planned.now && *planned.now != *before) return Refused(lock + "is at " + planned.now->Hex() + " but expected " + before->Hex());
  if (!id || id->is_null()) return {};
  const auto object = git_.objects.Read(*id);
  const std::string refused = "cannot update ref '" + planned.target + "': trying to write ";
  if (!object) return Refused(refused + "ref '" + planned.target + "' with nonexistent object " + id->Hex(), Code::kNoEntry);
  if (planned.target.starts_with("refs/heads/") && object->type != ObjectType::kCommit) return Refused(refused + "non-commit object " + id->Hex() + " to branch '" + planned.target + "'", Code::kInvalid);
  return {};
}

Status RefTransaction::CheckNames() {
  std::map<std::string, const Planned*> by_name;
  for (const Planned& planned : planned_) {
    if (!by_name.emplace(planned.change.name, &planned).second) return Refused("multiple updates for ref '" + planned.change.name + "' not allowed", Code::kInvalid);
  }
  for (const Planned& planned : planned_) {
    if (planned.target == planned.change.name || !by_name.contains(planned.target)) continue;
    return Refused("multiple updates for '" + planned.target + "' (including one via symref '" + planned.change.name + "') are not allowed", Code::kInvalid);
  }
  return {};
}

// A name that is made cannot be a folder of another one.
Status RefTransaction::CheckFolders() {
  std::map<std::string, const Planned*> by_target;
  std::map<std::string, Oid> known;
  for (const Planned& planned : planned_) {
    git_.in.budget.Step(4);
    if (planned.change.id && !planned.change.id->is_null() && !planned.now) by_target.emplace(planned.target, &planned);
  }
  if (!by_target.empty()) known = git_.refs.List("refs/");
  const auto below = [](const auto& map, const std::string& name) {
    const auto found = map.lower_bound(name + "/");
    return found != map.end() && found->first.starts_with(name + "/") ? found->first : std::string();
  };
  for (const auto& [name, planned] : by_target) {
    git_.in.budget.Step(4);
    const std::string lock = "cannot lock ref '" + planned->change.name + "': ";
    std::string in_the_way = below(known, name);
    for (size_t slash = name.find('/'); in_the_way.empty() && slash != std::string::npos; slash = name.find('/', slash + 1)) {
      if (known.contains(name.substr(0, slash))) in_the_way = name.substr(0, slash);
    }
    if (!in_the_way.empty()) return Refused(lock + "'" + in_the_way + "' exists; cannot create '" + name + "'", Code::kExists);
    if (const std::string other = below(by_target, name); !other.empty()) return Refused(lock + "cannot process '" + name + "' and '" + other + "' at the same time", Code::kExists);
  }
  return {};
}

Status RefTransaction::Prepare() {
  for (Planned& planned : planned_) planned.target = TargetOf(planned.change);
  PADDOCK_TRY(CheckNames());
  for (Planned& planned : planned_) {
    git_.in.budget.Step();
    PADDOCK_TRY(CheckOne(planned));
  }
  return CheckFolders();
}

Status RefTransaction::CreateLog(const std::string& name) {
  const std::string path = git_.GitPath("logs/" + name);
  if (git_.in.fs.Stat(path)) return {};
  PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, vfs::DirectoryName(path)));
  return vfs::WriteFile(git_.in.fs, path, "");
}

Status RefTransaction::Apply(const Planned& planned) {
  const auto& [name, id, before, is_direct] = planned.change;
  if (!id) return {};
  if (id->is_null()) return git_.refs.Remove(planned.target);
  if (style_.creates_log) PADDOCK_TRY(CreateLog(planned.target));
  const Oid was = planned.now.value_or(Oid{});
  if (is_direct) {
    PADDOCK_TRY(git_.refs.WriteDirect(name, *id));
    return style_.message.empty() ? Status() : git_.refs.Log(name, was, *id, git_.Who(), style_.message);
  }
  if (const Status written = git_.refs.Write(name, *id, git_.Who(), style_.message); !written) return Refused(std::string(written.error().Text()), written.error().code);
  if (!style_.message.empty() || was == *id) return {};
  // A log that is there gets a line without a message.
  PADDOCK_TRY(git_.refs.Log(planned.target, was, *id, git_.Who(), ""));
  return git_.HeadBranch() == planned.target ? git_.refs.Log("HEAD", was, *id, git_.Who(), "") : Status();
}

Status RefTransaction::Commit() {
  PADDOCK_TRY(Prepare());
  for (size_t i = 0; i < planned_.size(); ++i) {
    git_.in.budget.Step();
    const Status done = Apply(planned_[i]);
    if (done) continue;
    while (i-- > 0) {
      const Planned& undone = planned_[i];
      if (!undone.change.id) continue;
      static_cast<void>((undone.now ? git_.refs.WriteDirect(undone.target, *undone.now) : git_.refs.Remove(undone.target)).has_value());
    }
    Clear();
    return done;
  }
  Clear();
  return {};
}

}  // namespace paddock::git
