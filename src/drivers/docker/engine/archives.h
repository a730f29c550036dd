// Files in and out of a container as tar archives, by the engine, also while the container does not run. What lies on a tmpfs is not
// seen by Docker this way.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "drivers/docker/engine/engine.h"

namespace paddock::docker {

struct PathStat {
  std::string name;
  uint64_t size = 0;
  bool is_directory = false;
  bool is_symlink = false;
  std::string link_target;
};

// Errors: kNoEntry.
Result<PathStat> StatPath(const Engine& engine, const std::string& container_id, const std::string& path);
// Unpacks below `directory`. Errors: kNoEntry when Docker finds no such directory, kReadOnly.
Status PutArchive(const Engine& engine, const std::string& container_id, const std::string& directory, std::function<Result<size_t>(std::span<char>)> tar);
// A tar archive of what is there, to be believed in nothing.
Status GetArchive(const Engine& engine, const std::string& container_id, const std::string& path, const std::function<Status(std::string_view)>& take);

// The same of all its files but what is mounted among them: volumes, memory, what the engine puts there when it runs.
Status ExportContainer(const Engine& engine, const std::string& container_id, const std::function<Status(std::string_view)>& take);

}  // namespace paddock::docker
