// ControlGroup: one sandbox's cgroups, v1 or v2, whatever the host lets this user make. What cannot be had is told by
// name, never assumed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace paddock::process_wall {

struct GroupLimits {
  std::optional<uint64_t> memory_bytes;
  std::optional<uint64_t> processes;
  std::optional<double> cpus;
};

class ControlGroup {
 public:
  // The directories that Make() may make.
  static std::vector<std::string> Candidates(const std::string& name);
  // Makes a group named `name` below the caller's own in every hierarchy that it may write to, with the limits. Groups
  // named paddock-… that dead runs left are removed on the way.
  static ControlGroup Make(const std::string& name, const GroupLimits& limits);

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
  // The group's directories are removed by the wall's guard; from now on this object only reads.
  void Release() { owns_ = false; }

 private:
  void MakeV1(const std::string& name, const GroupLimits& limits);
  void MakeV2(const std::string& name, const GroupLimits& limits);

  std::vector<std::string> v1_;
  std::string v2_;
  std::string memory_, pids_, cpu_;   // the directory that holds each controller
  bool is_memory_v2_ = false;
  std::vector<std::string> missing_;
  bool owns_ = true;
};

}  // namespace paddock::process_wall
