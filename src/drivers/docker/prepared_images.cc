#include "drivers/docker/prepared_images.h"

#include "base/id.h"
#include "drivers/docker/agent_volume.h"
#include "drivers/docker/engine/archives.h"
#include "drivers/docker/engine/containers.h"
#include "guest/protocol/tar.h"

namespace paddock::docker {
namespace {

constexpr const char* kRepository = "localhost/paddock-prepared";
constexpr const char* kHelper = "paddock-maker_";

// The directory of work alone.
std::string WorkspaceArchive(const ImageOwner& owner) {
  guest::TarEntry entry{.kind = guest::TarEntry::Kind::kDirectory, .name = std::string(kWorkspace).substr(1) + "/", .mode = 0755, .uid = owner.uid, .gid = owner.gid};
  return guest::EncodeTarHeader(entry) + guest::TarEnd();
}

const std::string& HelpersOfThisProcess() {
  static const std::string names = NewId(kHelper) + "-";
  return names;
}

// "pulling ubuntu:24.04: 12.3 of 29.5 MB": of the layers that have begun.
class PullText {
 public:
  explicit PullText(const std::string& reference) : reference_(reference) {}
  std::string Add(const PullProgress& one) {
    if (!one.layer.empty() && one.total > 0) layers_[one.layer] = {one.current, one.total};
    uint64_t done = 0, total = 0;
    for (const auto& [layer, bytes] : layers_) {
      done += bytes.first;
      total += bytes.second;
    }
    return "pulling " + reference_ + (total == 0 ? "" : ": " + Megabytes(done) + " of " + Megabytes(total) + " MB");
  }

 private:
  static std::string Megabytes(uint64_t bytes) {
    const uint64_t tenths = bytes / 100'000;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
  }

  const std::string reference_;
  std::map<std::string, std::pair<uint64_t, uint64_t>> layers_;
};

Status Pull(const Engine& engine, const std::string& reference, const PreparedImages::Progress& progress) {
  PullText text(reference);
  PullRequest request;
  request.reference = reference;
  if (progress) {
    progress("pulling " + reference, false);
    request.on_progress = [&](const PullProgress& one) { progress(text.Add(one), false); };
  }
  const Status pulled = PullImage(engine, request);
  if (progress) progress(pulled ? "pulled " + reference : "could not pull " + reference, true);
  return pulled;
}

}  // namespace

std::string HelperName() { return NewId(HelpersOfThisProcess() + "i_"); }

bool IsLeftHelper(const ContainerInfo& container) {
  return container.name.starts_with(kHelper) && !container.name.starts_with(HelpersOfThisProcess()) && container.state == ContainerState::kCreated;
}

Result<std::string> PrepareImage(const Engine& engine, const Preparation& preparation) {
  ContainerSpec spec;
  spec.image = preparation.image;
  spec.entrypoint = {kAgentProgram};
  spec.working_directory = "/";
  spec.labels = preparation.labels;
  spec.labels[kPreparedLabel] = preparation.image;
  PADDOCK_ASSIGN(const Created container, CreateContainer(engine, HelperName(), spec));
  const std::string tar = WorkspaceArchive(preparation.owner);
  size_t at = 0;
  const Status put = PutArchive(engine, container.id, "/", [&](std::span<char> to) -> Result<size_t> {
    const size_t count = std::min(to.size(), tar.size() - at);
    std::copy_n(tar.data() + at, count, to.data());
    at += count;
    return count;
  });
  Result<std::string> id = put ? CommitContainer(engine, container.id, preparation.repository, preparation.tag) : Result<std::string>(put.error());
  const Status removed = RemoveContainer(engine, container.id);
  if (!id) return Error(id.error().code, "prepare the image: " + std::string(id.error().Text()));
  if (!removed) return removed.error();
  return id;
}

Result<std::string> PreparedImages::Prepare(const Engine& engine, const std::string& image_id, Profile profile) {
  if (profile == Profile::kDev) return image_id;   // the engine makes the directory, root's
  const std::string tag = image_id.substr(7, 32) + "-strict";
  if (const auto there = InspectImage(engine, std::string(kRepository) + ":" + tag)) return there->id;
  return PrepareImage(engine, {.image = image_id, .owner = {}, .repository = kRepository, .tag = tag, .labels = {{kManagedLabel, "paddock"}, {kDeploymentLabel, deployment_}}});
}

Result<PreparedImage> PreparedImages::Get(const Engine& engine, const std::string& reference, Profile profile, const Progress& progress) {
  const std::lock_guard lock(mutex_);
  auto info = InspectImage(engine, reference);
  if (!info && info.error().code == Code::kNoEntry) {
    PADDOCK_TRY(Pull(engine, reference, progress));
    info = InspectImage(engine, reference);
  }
  if (!info) return info.error();
  if (!info->system.empty() && info->system != "linux") return Error(Code::kNotSupported, "image " + reference + " is for " + info->system + ", not for Linux");
  const auto key = std::pair(info->id, profile);
  if (const auto known = prepared_.find(key); known != prepared_.end() && InspectImage(engine, known->second)) return PreparedImage{known->second, info->architecture};
  PADDOCK_ASSIGN(std::string id, Prepare(engine, info->id, profile));
  prepared_[key] = id;
  return PreparedImage{std::move(id), info->architecture};
}

Result<bool> PreparedImages::IsStill(const Engine& engine, const std::string& reference, Profile profile, const std::string& id) {
  PADDOCK_ASSIGN(const ImageInfo info, InspectImage(engine, reference));
  const std::lock_guard lock(mutex_);
  const auto known = prepared_.find({info.id, profile});
  return known != prepared_.end() && known->second == id;
}

}  // namespace paddock::docker
