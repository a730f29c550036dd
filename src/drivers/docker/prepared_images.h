// PreparedImages: what an image needs to be a sandbox's, done once for each image instead of for each create: the directory of work
// as that user's, which a new volume then takes over.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "drivers/docker/docker_settings.h"
#include "drivers/docker/engine/containers.h"
#include "drivers/docker/engine/engine.h"
#include "drivers/docker/engine/images.h"

namespace paddock::docker {

inline constexpr const char* kDeploymentLabel = "org.paddock.deployment";
inline constexpr const char* kWorkspace = "/workspace";
inline constexpr uint32_t kStrictUser = 1000;

struct PreparedImage {
  std::string id;
  std::string architecture;   // as images are labelled: "amd64", "arm64"
};
// Of an image that was prepared: id of what it was made from, whose config it lacks.
inline constexpr const char* kPreparedLabel = "org.paddock.prepared-from";

// Whose the directory of work is.
struct ImageOwner {
  uint32_t uid = kStrictUser, gid = kStrictUser;
};
struct Preparation {
  std::string image;   // id of what it is made from
  ImageOwner owner;
  std::string repository, tag;   // its name
  std::map<std::string, std::string> labels;
};
// Makes one image from another, by way of a container that is never started. Returns its id.
Result<std::string> PrepareImage(const Engine& engine, const Preparation& preparation);
// A container that makes an image, or is packed for what it began as, has a name that says so and by whom; no sandbox has one.
std::string HelperName();
// A helper of a process that is not this one.
bool IsLeftHelper(const ContainerInfo& container);

class PreparedImages {
 public:
  using Progress = sandbox::TakesContainerSettings::Progress;
  // `deployment` is a label of what is made.
  explicit PreparedImages(std::string deployment) : deployment_(std::move(deployment)) {}
  // `reference`: full. Pulled unless the engine has it; `progress` may be null. Several calls for the same image wait for one.
  // Errors: those of PullImage(), of the engine; kNotSupported for another machine's image.
  Result<PreparedImage> Get(const Engine& engine, const std::string& reference, Profile profile, const Progress& progress);
  // Whether Get() would give the image of that id. Errors: the engine's.
  Result<bool> IsStill(const Engine& engine, const std::string& reference, Profile profile, const std::string& id);

 private:
  Result<std::string> Prepare(const Engine& engine, const std::string& image_id, Profile profile);

  const std::string deployment_;
  std::mutex mutex_;   // held while an image is pulled or prepared
  std::map<std::pair<std::string, Profile>, std::string> prepared_;   // by the image's id
};

}  // namespace paddock::docker
