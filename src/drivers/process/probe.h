// The process driver's diagnosis: runs the host probe (wall/host_probe.h) and says in people's words what it found.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "drivers/process/host_settings.h"
#include "sandbox/diagnosis.h"

namespace paddock::process_wall {

struct Finding {
  int error = 0;        // errno; 0: it worked
  std::string text;
};
using Findings = std::map<std::string, Finding, std::less<>>;

// Starts `guest_program` as the host probe. Errors: kUnavailable if it cannot be started or does not answer in 10 s.
Result<Findings> RunHostProbe(const std::string& guest_program, const std::string& directory);
// The probe's lines; what is not understood is left out.
Findings ParseFindings(std::string_view lines);

// What a wall stands on, in the order in which it is built. Pure.
std::vector<sandbox::Check> JudgeHost(const Findings& findings, const HostSettings& settings);
// The limits that need a cgroup: makes and removes a group.
std::vector<sandbox::Check> CheckControlGroups();

// All of it. With `with_limits` false the cgroups are left out.
std::vector<sandbox::Check> DiagnoseHost(bool with_limits);
// Adds to the error of a wall that could not be built what is missing here and the remedy.
Error Explain(const Error& error);

}  // namespace paddock::process_wall
