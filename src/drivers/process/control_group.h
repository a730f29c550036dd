// ControlGroup: one sandbox's cgroups, v1 or v2, whatever the host lets this user make. What cannot be had is told by
// name, never assumed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "drivers/process/cgroup_trees.h"

namespace paddock::process_wall {

struct GroupLimits {
  std::optional<uint64_t> memory_bytes;
  std::optional<uint64_t> processes;
  std::optional<double> cpus;

  bool operator==(const GroupLimits&) const = default;
};

class ControlGroup {
 public:
  // Finds the places for a group named `name`, in every hierarchy that may be written to and that has a controller for one of the
  // limits. Makes nothing yet.
  static ControlGroup Prepare(const std::vector<CgroupTree>& trees, const std::string& name, const GroupLimits& limits);
  // The directories that Make() may make.
  std::vector<std::string> Candidates() const;
  // Whether a v2 group may come of it.
  bool may_be_v2() const { return !v2_place_.empty(); }
  // Makes the groups, with the limits.
  void Make();

  ControlGroup() = default;
  ControlGroup(ControlGroup&& other) noexcept;
  ControlGroup& operator=(ControlGroup&&) = delete;
  ~ControlGroup();

  const std::vector<std::string>& v1_directories() const { return v1_; }
  const std::string& v2_directory() const { return v2_; }

  bool limits_memory() const { return !memory_.empty(); }
  bool limits_processes() const { return !pids_.empty(); }
  bool limits_cpu() const { return !cpu_.empty(); }
  // Why a wanted limit is not kept by a group: one line each.
  const std::vector<std::string>& missing() const { return missing_; }

  uint64_t OutOfMemoryKills() const;      // processes killed so far for the memory limit
  uint64_t PeakMemoryBytes() const;       // 0 if unknown
  uint64_t ForksRefused() const;          // for the limit on processes
  uint64_t CpuNanoseconds() const;        // 0 if unknown
  // The group's directories are removed by Wall::Destroy() or the zygote; from now on this object only reads.
  void Release() { owns_ = false; }

 private:
  struct Place {
    std::string directory;
    bool has_memory = false, has_pids = false, has_cpu = false;   // controllers that are wanted from it
  };
  void MakeV1(const Place& place);
  void MakeV2();

  GroupLimits limits_;
  std::vector<Place> v1_places_;
  std::string v2_place_;     // directory
  std::string v2_available_;   // controllers of its parent
  std::vector<std::string> v1_;
  std::string v2_;
  std::string memory_, pids_, cpu_;   // the directory that holds each controller
  bool is_memory_v2_ = false;
  std::vector<std::string> missing_;
  bool owns_ = true;
};

}  // namespace paddock::process_wall
