// Named volumes of an engine: directories that outlive containers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "drivers/docker/engine/engine.h"

namespace paddock::docker {

struct VolumeInfo {
  std::string name;
  std::map<std::string, std::string> labels;
};

// Letters, digits, "_", "." and "-", the first a letter or digit; at most 128.
bool IsVolumeName(std::string_view name);

// Success when a volume of that name is there already, whatever its labels.
Status CreateVolume(const Engine& engine, const std::string& name, const std::map<std::string, std::string>& labels);
// Errors: kNoEntry.
Result<VolumeInfo> InspectVolume(const Engine& engine, const std::string& name);
// Those that have all the labels.
Result<std::vector<VolumeInfo>> ListVolumes(const Engine& engine, const std::vector<std::string>& labels);
// Bytes in each volume of the engine, by name. The engine walks through all of them, and may refuse to do so twice at a time (kIo).
Result<std::map<std::string, uint64_t>> MeasureVolumes(const Engine& engine);
// Success when it is gone. Errors: kBusy while a container has it.
Status RemoveVolume(const Engine& engine, const std::string& name);

}  // namespace paddock::docker
