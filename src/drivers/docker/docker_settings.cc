#include "drivers/docker/docker_settings.h"

#include <algorithm>

#include "drivers/docker/engine/names.h"

namespace paddock::docker {
namespace {

// The names under which engines usually have a runtime, the usual one first.
std::vector<std::string> UsualNames(const std::string& runtime) {
  if (runtime == "runc") return {"runc", "crun"};   // the same wall; Podman's own
  if (runtime == "gvisor") return {"runsc", "gvisor", "io.containerd.runsc.v1"};
  if (runtime == "kata") return {"kata-runtime", "kata", "kata-qemu", "io.containerd.kata.v2"};
  if (runtime == "sysbox") return {"sysbox-runc"};
  return {runtime};
}

std::string WithoutTag(std::string_view reference) {
  const size_t at = reference.find('@');
  std::string_view repository = reference.substr(0, at);
  const size_t colon = repository.rfind(':'), slash = repository.rfind('/');
  if (colon != repository.npos && (slash == repository.npos || colon > slash)) repository = repository.substr(0, colon);
  return std::string(repository);
}

}  // namespace

Result<std::string> RegisteredRuntime(const std::string& runtime, const std::vector<std::string>& registered, const std::string& usual) {
  std::vector<std::string> names = UsualNames(runtime);
  if (const auto found = std::find(names.begin(), names.end(), usual); found != names.end()) std::swap(*found, names.front());
  for (const std::string& name : names) {
    if (std::find(registered.begin(), registered.end(), name) != registered.end()) return name;
  }
  std::string there;
  for (const std::string& name : registered) there += (there.empty() ? "" : ", ") + name;
  return Error(Code::kUnavailable, "the engine has no runtime '" + runtime.substr(0, 100) + "'; registered are " + (there.empty() ? "none" : there));
}

Result<std::string> CheckRuntime(const std::string& asked, const DockerSettings& settings) {
  if (asked.empty() || asked == settings.runtime) return settings.runtime;
  const auto& others = settings.other_runtimes;
  if (std::find(others.begin(), others.end(), asked) != others.end()) return asked;
  return Error(Code::kAccess, "runtime: '" + asked.substr(0, 100) + "' is not one that the operator allows (containers.runtimes)");
}

Result<std::string> CheckImage(const std::string& image, const std::vector<std::string>& allowed) {
  const std::string full = FullReference(image);
  if (full.empty()) return Error(Code::kInvalid, "image: '" + image.substr(0, 200) + "' is no reference to an image");
  const auto allows = [&](const std::string& pattern) {
    const std::string wanted = FullReference(pattern);
    const std::string_view last = std::string_view(pattern).substr(pattern.rfind('/') == pattern.npos ? 0 : pattern.rfind('/') + 1);
    const bool is_exact = last.find(':') != last.npos || last.find('@') != last.npos;
    return is_exact ? wanted == full : WithoutTag(wanted) == WithoutTag(full);
  };
  if (allowed.empty() || std::any_of(allowed.begin(), allowed.end(), allows)) return full;
  return Error(Code::kAccess, "image: '" + image + "' is not one of those that the operator allows");
}

Result<std::string> ImageOf(const sandbox::ContainerChoice& choice, const DockerSettings& settings) {
  return CheckImage(choice.image.empty() ? settings.image : choice.image, settings.allowed_images);
}

}  // namespace paddock::docker
