#include "drivers/docker/root_images.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "drivers/docker/agent_volume.h"
#include "drivers/docker/engine/containers.h"
#include "drivers/docker/engine/images.h"

namespace paddock::docker {
namespace {

constexpr const char* kRepository = "localhost/paddock-template";
constexpr size_t kNameDigits = 64;

bool IsRootName(const std::string& name) {
  return name.size() == kNameDigits && std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0 || (c >= 'a' && c <= 'f'); });
}

// What a call to the engine sends: the source's bytes as they come.
std::function<Result<size_t>(std::span<char>)> Reader(std::shared_ptr<ByteSource> source) {
  return [source](std::span<char> to) -> Result<size_t> {
    PADDOCK_ASSIGN(const Block block, source->ReadBlock(to.size()));
    std::copy(block.bytes.begin(), block.bytes.end(), to.begin());
    return block.bytes.size();
  };
}

bool Runs(const std::string& here, const std::string& there) { return here == there || (here == "x86_64" && there == "i686") || (here == "aarch64" && there == "armv7l"); }

bool IsOurs(const std::vector<std::string>& tags) {
  return std::all_of(tags.begin(), tags.end(), [](const std::string& tag) { return tag.starts_with(std::string(kRepository) + ":"); });
}

}  // namespace

std::string MachineName(const std::string& name) { return name == "amd64" ? "x86_64" : name == "arm64" ? "aarch64" : name; }

Result<std::string> RootImages::Import(const Engine& engine, const sandbox::RootTree& root, const std::string& tag, const std::map<std::string, std::string>& labels) {
  PADDOCK_ASSIGN(std::unique_ptr<ByteSource> source, root.open());
  auto id = ImportImage(engine, Reader(std::move(source)), kRepository, tag, labels);
  if (!id) return Error(id.error().code, "make an image of the template: " + std::string(id.error().Text()));
  return id;
}

Result<HeldRoot> RootImages::Get(const Engine& engine, const sandbox::RootTree& root, const std::optional<ImageOwner>& owner) {
  if (!IsRootName(root.name)) return Error(Code::kInvalid, "not the name of a root");
  PADDOCK_ASSIGN(const auto machine, engine.Machine());
  const std::string here = MachineName(machine->architecture), there = MachineName(root.machine);
  if (!there.empty() && !here.empty() && !Runs(here, there)) {
    return Error(Code::kNotSupported, "the template holds programs for " + there + ", and the machine of the container engine is " + here);
  }
  std::shared_ptr<Root> held;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(roots_, [](const auto& entry) { return entry.second.expired(); });
    held = roots_[root.name].lock();
    if (held == nullptr) roots_[root.name] = held = std::make_shared<Root>();
  }
  const std::lock_guard lock(held->mutex);
  const std::map<std::string, std::string> labels{{kManagedLabel, "paddock"}, {kDeploymentLabel, deployment_}, {kRootLabel, root.name}};
  const auto find = [&](const std::string& tag) -> Result<std::string> {
    PADDOCK_ASSIGN(const ImageInfo info, InspectImage(engine, std::string(kRepository) + ":" + tag));
    const auto label = info.labels.find(kRootLabel);
    if (label == info.labels.end() || label->second != root.name) return Error(Code::kConflict, "the engine has an image '" + std::string(kRepository) + ":" + tag + "' that is not Paddock's; remove it");
    return info.id;
  };
  const std::string tag = root.name + "-" + deployment_;
  const std::string prepared_tag = owner ? tag + "-" + std::to_string(owner->uid) + "-" + std::to_string(owner->gid) : tag;
  auto image = find(prepared_tag);
  if (!image && image.error().code == Code::kNoEntry && owner) {
    auto plain = find(tag);
    if (!plain && plain.error().code == Code::kNoEntry) plain = Import(engine, root, tag, labels);
    if (!plain) return plain.error();
    image = PrepareImage(engine, {.image = *plain, .owner = *owner, .repository = kRepository, .tag = prepared_tag, .labels = labels});
  } else if (!image && image.error().code == Code::kNoEntry) {
    image = Import(engine, root, tag, labels);
  }
  if (!image) return image.error();
  return HeldRoot{.image = std::move(*image), .hold = held};
}

bool RootImages::IsHeldLocked(const std::string& name) {
  const auto held = roots_.find(name);
  return held != roots_.end() && !held->second.expired();
}

Status RootImages::Drop(const Engine& engine, const std::string& name) {
  const auto dropped = Sweep(engine, [&](const std::string& other) { return other != name; });
  return dropped ? Status() : Status(dropped.error());
}

Result<std::vector<std::string>> RootImages::Sweep(const Engine& engine, const std::function<bool(const std::string& name)>& is_needed) {
  const std::vector<std::string> ours{std::string(kManagedLabel) + "=paddock", std::string(kDeploymentLabel) + "=" + deployment_};
  std::vector<std::string> removed;
  const std::lock_guard lock(mutex_);
  // Before the images that they stand on.
  PADDOCK_ASSIGN(const std::vector<ContainerInfo> containers, ListContainers(engine, ours));
  for (const ContainerInfo& one : containers) {
    if (!IsLeftHelper(one)) continue;
    PADDOCK_TRY(RemoveContainer(engine, one.id));
    removed.push_back("container " + one.name);
  }
  PADDOCK_ASSIGN(std::vector<ListedImage> images, ListImages(engine, {ours[1], ours[0], kRootLabel}));
  // What was made from another one has a longer name, and goes first; what was not named yet when its maker was killed goes last.
  const auto length = [](const ListedImage& one) { return one.tags.empty() ? 0 : one.tags[0].size(); };
  std::stable_sort(images.begin(), images.end(), [&](const ListedImage& a, const ListedImage& b) { return length(a) > length(b); });
  std::set<std::string> used;   // by containers
  for (const ListedImage& one : images) {
    const auto name = one.labels.find(kRootLabel);
    if (name == one.labels.end() || !IsOurs(one.tags) || used.contains(name->second) || IsHeldLocked(name->second) || is_needed(name->second)) continue;
    for (const std::string& reference : one.tags.empty() ? std::vector{one.id} : one.tags) {
      const Status gone = RemoveUnusedImage(engine, reference);
      if (gone) removed.push_back("image " + reference);
      else if (gone.error().code == Code::kConflict) used.insert(name->second);
      else return gone.error();
    }
  }
  return removed;
}

}  // namespace paddock::docker
