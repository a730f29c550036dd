#include "drivers/docker/agent_volume.h"

#include <cerrno>
#include <fstream>
#include <sstream>

#include "base/id.h"
#include "drivers/docker/engine/archives.h"
#include "drivers/docker/engine/containers.h"
#include "drivers/docker/engine/volumes.h"
#include "guest/protocol/tar.h"
#include "text/digest.h"

namespace paddock::docker {
namespace {

constexpr const char* kReady = "ready";   // a file that is put last

Result<std::string> ReadProgram(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file || bytes.str().empty()) return Error(Code::kUnavailable, "cannot read " + path + ", which containers need");
  return std::move(bytes).str();
}

std::string Archive(const std::string& name, const std::string& content, uint32_t mode) {
  std::string tar = guest::EncodeTarHeader({.name = name, .mode = mode, .size = content.size()});
  tar += content;
  tar.append(guest::TarPadding(content.size()), '\0');
  return tar + guest::TarEnd();
}

Status Put(const Engine& engine, const std::string& container, const std::string& tar) {
  size_t at = 0;
  return PutArchive(engine, container, kAgentDirectory, [&](std::span<char> to) -> Result<size_t> {
    const size_t count = std::min(to.size(), tar.size() - at);
    std::copy_n(tar.data() + at, count, to.data());
    at += count;
    return count;
  });
}

}  // namespace

Result<std::string> PutAgent(const Engine& engine, const std::string& program, const std::function<Result<std::string>()>& find_image) {
  PADDOCK_ASSIGN(const std::string bytes, ReadProgram(program));
  const std::string volume = "paddock-agent-" + HexOf(DigestOf(DigestAlgorithm::kSha256, bytes)).substr(0, 32);
  const std::map<std::string, std::string> labels{{kManagedLabel, "paddock"}};
  // An empty one beside it says that it is full: to look inside takes a container.
  const std::string mark = volume + "-ready";
  const auto is_ours = [&](const std::string& name) {
    const auto found = InspectVolume(engine, name);
    return found && found->labels.contains(kManagedLabel);
  };
  if (is_ours(volume) && is_ours(mark)) return volume;
  PADDOCK_ASSIGN(const std::string image, find_image());
  PADDOCK_TRY(CreateVolume(engine, volume, labels));
  PADDOCK_ASSIGN(const VolumeInfo info, InspectVolume(engine, volume));
  if (!info.labels.contains(kManagedLabel)) return Error(Code::kConflict, "the engine has a volume '" + volume + "' that is not Paddock's; remove it");
  ContainerSpec spec;
  spec.image = image;
  spec.entrypoint = {kAgentProgram};
  spec.labels = labels;
  spec.volumes = {{.volume = volume, .target = kAgentDirectory}};
  PADDOCK_ASSIGN(const Created container, CreateContainer(engine, "paddock-" + NewId("agent_"), spec));
  Status status;
  if (!StatPath(engine, container.id, std::string(kAgentDirectory) + "/" + kReady)) {
    status = Put(engine, container.id, Archive("paddock-guest", bytes, 0755));
    if (status) status = Put(engine, container.id, Archive(kReady, "", 0444));
  }
  const Status removed = RemoveContainer(engine, container.id);
  if (!status) return Error(status.error().code, "put paddock-guest on the engine: " + std::string(status.error().Text()));
  if (!removed) return removed.error();
  PADDOCK_TRY(CreateVolume(engine, mark, labels));
  return volume;
}

}  // namespace paddock::docker
