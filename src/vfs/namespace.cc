#include "vfs/namespace.h"

#include <algorithm>
#include <utility>

#include "base/memory_meter.h"

namespace paddock::vfs {
namespace {

constexpr int kMaxSymlinks = 40;
constexpr uint64_t kFirstDevice = 40;
constexpr size_t kMaxDepth = 1 << 20;  // of a directory whose path is asked for

std::string_view StripSlashes(std::string_view text) {
  const size_t first = text.find_first_not_of('/');
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

// What is left of a path: the component at its front and what follows.
struct Component {
  std::string_view name;
  std::string_view rest;  // without leading slashes
  bool is_last;
  bool has_slash;  // behind the name
};

Component SplitFirst(std::string_view path) {
  Component result;
  const size_t end = std::min(path.find('/'), path.size());
  result.name = path.substr(0, end);
  result.rest = StripSlashes(path.substr(end));
  result.is_last = result.rest.empty();
  result.has_slash = end < path.size();
  return result;
}

}  // namespace

bool MayAccess(const Attributes& attributes, const Credentials& who, uint32_t bits) {
  if (who.uid == 0) {
    const bool executes = (bits & 1) != 0 && !attributes.is_directory();
    return !executes || (attributes.mode & 0111) != 0;
  }
  uint32_t granted = attributes.mode & 7;
  if (who.uid == attributes.uid) {
    granted = attributes.mode >> 6 & 7;
  } else if (who.gid == attributes.gid) {
    granted = attributes.mode >> 3 & 7;
  }
  return (bits & ~granted) == 0;
}

Namespace::Namespace(VolumePtr root) {
  root->set_device(kFirstDevice);
  mounts_.push_back({"/", std::move(root), {}});
}

Place Namespace::root() const {
  return Cross({mounts_[0].volume.get(), mounts_[0].volume->root()});
}

Place Namespace::Cross(Place place) const {
  if (mounts_.size() == 1) return place;
  for (bool is_found = true; is_found;) {
    is_found = false;
    for (const MountPoint& mount : mounts_) {
      if (!(mount.covered == place)) continue;
      place = {mount.volume.get(), mount.volume->root()};
      is_found = true;
      break;
    }
  }
  return place;
}

bool Namespace::IsCovered(const Place& directory) const {
  return std::any_of(mounts_.begin(), mounts_.end(),
                     [&directory](const MountPoint& mount) { return mount.covered == directory; });
}

VolumePtr Namespace::Find(const Volume* volume) const {
  for (const MountPoint& mount : mounts_) {
    if (mount.volume.get() == volume) return mount.volume;
  }
  return nullptr;
}

uint64_t Namespace::DeviceOf(const Volume* volume) const { return volume->device(); }

Status Namespace::Mount(std::string_view path, VolumePtr volume) {
  if (Find(volume.get()) != nullptr) return Code::kBusy;
  PADDOCK_ASSIGN(const Walked walked, Walk(root(), path, Follow::kYes, Credentials{0, 0}));
  if (!walked.exists()) return Code::kNoEntry;
  PADDOCK_ASSIGN(const Attributes attributes,
                 walked.place.volume->GetAttributes(walked.place.node));
  if (!attributes.is_directory()) return Code::kNotDirectory;
  PADDOCK_ASSIGN(std::string canonical, PathOf(walked.place));
  volume->set_device(kFirstDevice + mounts_.size());
  mounts_.push_back({std::move(canonical), std::move(volume), walked.place});
  return {};
}

Result<Place> Namespace::Parent(const Place& directory) const {
  Place place = directory;
  // The root of a mounted volume hangs where the covered directory does.
  for (bool is_at_root = true; is_at_root;) {
    is_at_root = false;
    if (place.node != place.volume->root()) break;
    for (const MountPoint& mount : mounts_) {
      if (mount.volume.get() != place.volume || mount.covered.volume == nullptr) continue;
      place = mount.covered;
      is_at_root = true;
      break;
    }
  }
  PADDOCK_ASSIGN(const NodeId parent, place.volume->Parent(place.node));
  return Cross({place.volume, parent});
}

Result<std::string> Namespace::PathOf(const Place& directory) const {
  std::vector<std::string> names;
  Place place = directory;
  const Place top = root();
  while (!(place == top)) {
    if (names.size() > kMaxDepth) return Code::kNameTooLong;
    Place named = place;
    for (size_t i = mounts_.size(); i-- > 1;) {
      if (named.volume == mounts_[i].volume.get() && named.node == named.volume->root()) {
        named = mounts_[i].covered;
      }
    }
    // The root itself may be covered: it has no name.
    if (named.volume == mounts_[0].volume.get() && named.node == named.volume->root()) break;
    PADDOCK_ASSIGN(std::string name, named.volume->Name(named.node));
    names.push_back(std::move(name));
    PADDOCK_ASSIGN(place, Parent(place));
  }
  ChargeExec(static_cast<int64_t>(names.size()));
  if (names.empty()) return std::string("/");
  std::string path;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    path += '/';
    path += *name;
  }
  return path;
}

Result<Walked> Namespace::Walk(const Place& start, std::string_view path, Follow follow,
                               const Credentials& who) const {
  if (path.empty()) return Code::kNoEntry;
  if (path.size() >= kMaxPath) return Code::kNameTooLong;
  if (path.find('\0') != std::string_view::npos) return Code::kInvalid;

  std::string expanded;  // the rest of the path once a symlink was followed
  int links_left = kMaxSymlinks;
  Place here = path.front() == '/' ? root() : start;
  std::string_view rest = StripSlashes(path);
  PADDOCK_ASSIGN(Attributes attributes, here.volume->GetAttributes(here.node));
  while (!rest.empty()) {
    const Component component = SplitFirst(rest);
    ChargeExec(1);  // forty symlinks of two thousand components each are one path
    if (!attributes.is_directory()) return Code::kNotDirectory;
    if (!MayAccess(attributes, who, 1)) return Code::kAccess;
    if (component.name == "." || component.name == "..") {
      if (component.name.size() == 2) {
        PADDOCK_ASSIGN(here, Parent(here));
        PADDOCK_ASSIGN(attributes, here.volume->GetAttributes(here.node));
      }
      rest = component.rest;
      continue;
    }
    if (component.name.size() > kMaxName) return Code::kNameTooLong;
    if (follow == Follow::kCreate && component.is_last && component.has_slash) {
      return Walked{{}, here, std::string(component.name), true, {}, attributes};
    }
    const auto node = here.volume->Lookup(here.node, component.name);
    if (!node) {
      if (node.error().code != Code::kNoEntry || !component.is_last) return node.error();
      return Walked{{}, here, std::string(component.name), component.has_slash, {}, attributes};
    }
    const Place child = Cross({here.volume, *node});
    PADDOCK_ASSIGN(const Attributes found, child.volume->GetAttributes(child.node));
    const bool is_followed = !component.is_last || follow == Follow::kYes ||
                             follow == Follow::kCreate ||
                             (component.has_slash && follow == Follow::kNo);
    // A symlink that stands for a descriptor has a number instead of a target to walk.
    if (found.is_symlink() && is_followed && found.special == 0) {
      if (links_left-- == 0) return Code::kLoop;
      PADDOCK_ASSIGN(std::string target, child.volume->ReadLink(child.node));
      if (target.empty()) return Code::kNoEntry;
      if (component.has_slash) target += '/';
      target += component.rest;
      expanded = std::move(target);
      rest = StripSlashes(expanded);
      if (expanded.front() == '/') {
        here = root();
        PADDOCK_ASSIGN(attributes, here.volume->GetAttributes(here.node));
      }
      continue;
    }
    if (component.is_last) {
      const bool needs_directory = component.has_slash && follow != Follow::kNever;
      if (needs_directory && !found.is_directory()) return Code::kNotDirectory;
      return Walked{child, here, std::string(component.name), component.has_slash, found, attributes};
    }
    here = child;
    attributes = found;
    rest = component.rest;
  }
  return Walked{here, here, {}, false, attributes, attributes};
}

}  // namespace paddock::vfs
