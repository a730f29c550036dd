#include "drivers/process/wall/mount_sources.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <map>
#include <string>
#include <utility>

#include "drivers/process/wall/id_map.h"
#include "drivers/process/wall/launch_channel.h"
#include "drivers/process/wall/mount_calls.h"

namespace paddock::process_wall {
namespace {

using Owners = MountStep::Owners;

class Opener {
 public:
  Opener(const WallPlan& plan, const Warn& warn) : plan_(plan), warn_(warn) {}

  // Nothing for a step that shows nothing of the host.
  Status Open(const MountStep& step, MountSource& source) {
    if (step.kind != MountStep::Kind::kBind && step.kind != MountStep::Kind::kOverlay) return {};
    const bool is_readonly = step.kind == MountStep::Kind::kOverlay || !step.writable;
    if (step.owners == Owners::kMapped) id_map_ = nullptr;
    // Of a lower directory only what lies on its own file system is in an overlay; and a user's namespace may not part what is mounted together.
    const Reach reach = step.is_alone || (step.kind == MountStep::Kind::kOverlay && plan_.is_root) ? Reach::kOne : Reach::kTree;
    auto mount = CloneMount(AT_FDCWD, step.source.c_str(), reach, kAlways | (is_readonly ? MOUNT_ATTR_RDONLY : 0), step.source);
    if (!mount) {
      if (!step.optional) return mount.error();
      if (mount.error().code != Code::kNoEntry) warn_(std::string(mount.error().Text()) + "; it is left out");
      return {};
    }
    source.mount = std::move(*mount);
    source.is_directory = IsDirectory(source.mount.get());
    PADDOCK_TRY(MapOwners(source.mount.get(), step, step.source));
    if (step.kind != MountStep::Kind::kOverlay || step.extra.empty()) return {};   // else made with the tree
    PADDOCK_ASSIGN(source.upper, CloneMount(AT_FDCWD, step.extra.c_str(), Reach::kOne, kAlways, step.extra));
    return MapOwners(source.upper.get(), step, step.extra);
  }

 private:
  Status MapOwners(int mount, const MountStep& step, const std::string& name) {
    if (step.owners == Owners::kKept) return {};
    if (step.owners == Owners::kMapped) PADDOCK_TRY(ChooseMap(mount, name));
    if (id_map_ == nullptr) return {};
    mount_attr attributes{};
    attributes.attr_set = MOUNT_ATTR_IDMAP;
    attributes.userns_fd = static_cast<uint64_t>(id_map_->get());
    if (mount_setattr(mount, "", AT_EMPTY_PATH, &attributes, sizeof attributes) != 0 && step.owners == Owners::kMapped) {
      return MountFailure("map owners of", name + " (its file system may not allow it; run as its owner instead of root)");
    }
    return {};
  }

  // The map that makes the mount's owner the sandbox user.
  Status ChooseMap(int mount, const std::string& name) {
    struct stat status{};
    if (fstatat(mount, "", &status, AT_EMPTY_PATH) != 0) return MountFailure("look at", name);
    Descriptor& map = id_maps_[{status.st_uid, status.st_gid}];
    if (!map.is_open()) {
      PADDOCK_ASSIGN(map, MakeIdMap({status.st_uid, plan_.host_uid}, {status.st_gid, plan_.host_gid}));
    }
    id_map_ = &map;
    return {};
  }

  const WallPlan& plan_;
  const Warn& warn_;
  std::map<std::pair<uid_t, gid_t>, Descriptor> id_maps_;   // user namespaces that map an owner on disk to host_uid
  const Descriptor* id_map_ = nullptr;   // of the last kMapped step, if its source is there
};

// What the descriptors of one step are.
enum Flag : uint8_t { kHasMount = 1, kHasUpper = 2, kIsDirectory = 4 };

}  // namespace

Result<std::vector<MountSource>> OpenSources(const WallPlan& plan, const Warn& warn) {
  Opener opener(plan, warn);
  std::vector<MountSource> sources(plan.mounts.size());
  for (size_t i = 0; i < plan.mounts.size(); ++i) {
    PADDOCK_TRY(opener.Open(plan.mounts[i], sources[i]));
  }
  return sources;
}

Status SendSources(int socket, const WallPlan& plan, const Warn& warn) {
  constexpr size_t kMostOpen = 16;
  Opener opener(plan, warn);
  std::string flags;
  std::vector<Descriptor> open;
  const auto flush = [&]() -> Status {
    std::vector<int> numbers;
    for (const Descriptor& descriptor : open) numbers.push_back(descriptor.get());
    PADDOCK_TRY(SendBytes(socket, flags));
    PADDOCK_TRY(SendDescriptors(socket, numbers));
    flags.clear();
    open.clear();
    return {};
  };
  for (const MountStep& step : plan.mounts) {
    MountSource source;
    PADDOCK_TRY(opener.Open(step, source));
    flags.push_back(static_cast<char>((source.mount ? kHasMount : 0) | (source.upper ? kHasUpper : 0) | (source.is_directory ? kIsDirectory : 0)));
    if (source.mount) open.push_back(std::move(source.mount));
    if (source.upper) open.push_back(std::move(source.upper));
    if (open.size() >= kMostOpen) PADDOCK_TRY(flush());
  }
  return flags.empty() ? Status() : flush();
}

Result<std::vector<MountSource>> ReceiveSources(int socket, size_t steps) {
  std::vector<MountSource> sources;
  while (sources.size() < steps) {
    PADDOCK_ASSIGN(const std::string flags, ReceiveBytes(socket));
    if (flags.empty() || flags.size() > steps - sources.size()) return Error(Code::kInvalid, "the sources do not fit the plan");
    size_t count = 0;
    for (const char flag : flags) count += (flag & kHasMount ? 1u : 0u) + (flag & kHasUpper ? 1u : 0u);
    PADDOCK_ASSIGN(std::vector<Descriptor> descriptors, ReceiveDescriptors(socket, count));
    size_t next = 0;
    for (const char flag : flags) {
      MountSource& source = sources.emplace_back();
      if (flag & kHasMount) source.mount = std::move(descriptors[next++]);
      if (flag & kHasUpper) source.upper = std::move(descriptors[next++]);
      source.is_directory = (flag & kIsDirectory) != 0;
    }
  }
  return sources;
}

}  // namespace paddock::process_wall
