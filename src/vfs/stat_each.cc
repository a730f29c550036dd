#include "vfs/stat_each.h"

#include <algorithm>
#include <optional>
#include <string>

#include "vfs/view.h"

namespace paddock::vfs {
namespace {

using Looks = std::vector<Result<Attributes>>;

bool IsPlainName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= kMaxName &&
         name.find('/') == name.npos && name.find('\0') == name.npos;
}

// True for a name that something is mounted on.
bool IsCovered(const Namespace& names, const Place& directory, std::string_view name) {
  for (const Namespace::MountPoint& mount : names.mounts()) {
    if (mount.covered.volume != directory.volume) continue;
    const auto parent = directory.volume->Parent(mount.covered.node);
    const auto covered = directory.volume->Name(mount.covered.node);
    if (parent && covered && *parent == directory.node && *covered == name) return true;
  }
  return false;
}

// Where the directory is, if its volume has a way for many names and the names of it may be asked.
std::optional<Place> PlaceOf(View& view, std::string_view directory) {
  const auto found = view.Stat(directory);
  if (!found || !found->is_directory()) return std::nullopt;
  const auto walked = view.names().Walk(view.names().root(), JoinPath(view.cwd(), directory),
                                        Follow::kYes, view.credentials());
  if (!walked || !walked->exists()) return std::nullopt;
  // The working directory's path may lead elsewhere by now.
  const Attributes& there = walked->attributes;
  const bool is_same = there.device == found->device && there.inode == found->inode;
  if (!is_same || !MayAccess(there, view.credentials(), 1)) return std::nullopt;
  return walked->place;
}

std::optional<Looks> LookAtEach(FileSystem& fs, std::string_view directory,
                                       const std::vector<std::string_view>& names) {
  auto* const view = dynamic_cast<View*>(&fs);
  if (view == nullptr || names.size() < 2) return std::nullopt;
  if (!std::all_of(names.begin(), names.end(), IsPlainName)) return std::nullopt;
  const std::optional<Place> place = PlaceOf(*view, directory);
  if (!place) return std::nullopt;
  auto* const looker = dynamic_cast<NameLooker*>(place->volume);
  if (looker == nullptr) return std::nullopt;
  Looks found = looker->LookAtEach(place->node, names);
  for (size_t i = 0; i < names.size(); ++i) {
    if (found[i] && !found[i]->is_directory()) continue;
    if (IsCovered(view->names(), *place, names[i])) {
      found[i] = fs.Stat(JoinPath(directory, names[i]), Follow::kNo);
    }
  }
  return found;
}

}  // namespace

std::vector<Result<Attributes>> StatEach(FileSystem& fs, std::string_view directory,
                                         const std::vector<std::string_view>& names) {
  if (auto found = LookAtEach(fs, directory, names)) return std::move(*found);
  std::vector<Result<Attributes>> result;
  result.reserve(names.size());
  for (const std::string_view name : names) {
    result.push_back(fs.Stat(JoinPath(directory, name), Follow::kNo));
  }
  return result;
}

}  // namespace paddock::vfs
