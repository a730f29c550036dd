// The root of a container, as it goes out (sandbox::PacksRoot).
#include "drivers/docker/agent_volume.h"
#include "drivers/docker/docker_sandbox.h"
#include "drivers/docker/engine/archives.h"
#include "drivers/docker/engine/images.h"

namespace paddock::docker {

Status DockerSandbox::PackRoot(const sandbox::TarSink& sink) {
  // Engines read the files as they are at the moment: what runs would tear them.
  const bool was_frozen = is_frozen_;
  PADDOCK_TRY(Freeze());
  Status packed = ExportContainer(engine(), container_id_, sink);
  if (!was_frozen) {
    const Status thawed = Thaw();
    if (packed) packed = thawed;
  }
  return packed;
}

Result<sandbox::RootConfig> DockerSandbox::ReadRootConfig() {
  PADDOCK_ASSIGN(const ContainerInfo info, InspectContainer(engine(), container_id_));
  PADDOCK_ASSIGN(ImageInfo image, InspectImage(engine(), info.image_id));
  if (image.labels.contains(kRootLabel)) return sandbox::RootConfig();   // of a tree, which has none
  if (const auto from = image.labels.find(kPreparedLabel); from != image.labels.end()) {
    auto original = InspectImage(engine(), from->second);
    if (original) image = std::move(*original);
  }
  if (!image.entrypoint.empty() && image.entrypoint[0] == kAgentProgram) return sandbox::RootConfig{.environment = image.environment, .entrypoint = {}, .command = {}, .working_directory = {}, .user = {}};
  sandbox::RootConfig config{.environment = image.environment, .entrypoint = image.entrypoint, .command = image.command, .working_directory = image.working_directory, .user = image.user};
  return config;
}

Status PackBeginning(const Engine& engine, const std::string& deployment, const std::string& key, const sandbox::TarSink& sink) {
  const std::map<std::string, std::string> ours{{kManagedLabel, "paddock"}, {kDeploymentLabel, deployment}};
  PADDOCK_ASSIGN(const auto containers, ListContainers(engine, {std::string(kManagedLabel) + "=paddock", std::string(kDeploymentLabel) + "=" + deployment, std::string(kSandboxLabel) + "=" + key}));
  if (containers.size() != 1) return Error(Code::kNoEntry, "the engine has no container of sandbox " + key + " any more");
  PADDOCK_ASSIGN(const ContainerInfo info, InspectContainer(engine, containers[0].id));
  ContainerSpec spec;
  spec.image = info.image_id;
  spec.entrypoint = {kAgentProgram};
  spec.working_directory = "/";
  spec.labels = ours;
  PADDOCK_ASSIGN(const Created made, CreateContainer(engine, HelperName(), spec));
  Status packed = ExportContainer(engine, made.id, sink);
  const Status removed = RemoveContainer(engine, made.id);
  return packed ? removed : packed;
}

}  // namespace paddock::docker
