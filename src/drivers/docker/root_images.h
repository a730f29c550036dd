// RootImages: root file systems that came as trees (sandbox::RootTree), as images of an engine. Each is imported once, whoever begins on it; all
// creates that want it at once wait for one import. The images say by their labels whose they are (deployment) and of which tree, so that a sweep
// finds them; they are copies, and can be taken away at any time that no container stands on them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "drivers/docker/engine/engine.h"
#include "drivers/docker/prepared_images.h"
#include "sandbox/begins_on_roots.h"

namespace paddock::docker {

inline constexpr const char* kRootLabel = "org.paddock.root";   // RootTree::name

// What was made for a container that is being made: not taken away while it lives.
struct HeldRoot {
  std::string image;   // id
  std::shared_ptr<const void> hold;
};

// Of one engine. Any thread.
class RootImages {
 public:
  explicit RootImages(std::string deployment) : deployment_(std::move(deployment)) {}

  // The image, with the directory of work as `owner`'s (none: as the root has it). Errors: kNotSupported for another machine's root, those of
  // root.open(), of the engine.
  Result<HeldRoot> Get(const Engine& engine, const sandbox::RootTree& root, const std::optional<ImageOwner>& owner);
  // Takes away what was made of that root, unless a container stands on it or one is being made.
  Status Drop(const Engine& engine, const std::string& name);
  // The same for all that `is_needed` does not know; and containers that an earlier process was preparing images in. One line for each thing.
  Result<std::vector<std::string>> Sweep(const Engine& engine, const std::function<bool(const std::string& name)>& is_needed);

 private:
  // One that is being made or used. Who has it locked is about to make it.
  struct Root {
    std::mutex mutex;
  };
  Result<std::string> Import(const Engine& engine, const sandbox::RootTree& root, const std::string& tag, const std::map<std::string, std::string>& labels);
  bool IsHeldLocked(const std::string& name);

  const std::string deployment_;
  std::mutex mutex_;   // held while images are taken away: whoever wants one waits
  std::map<std::string, std::weak_ptr<Root>> roots_;   // by name
};

// As the agent's machine is called by the engine and by roots: "amd64" is "x86_64", "arm64" "aarch64".
std::string MachineName(const std::string& name);

}  // namespace paddock::docker
