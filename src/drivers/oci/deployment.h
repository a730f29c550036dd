// A deployment's directory: what is kept track of outside the containers, so that what a killed process left is found.
//
//   sandboxes/ID/   a bundle; whoever has the sandbox holds a lock on it
//   runtime/        the runtime's own state, of our containers only
//   agent-…/        paddock-guest, by its content
//   empty/          a root for probes
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "drivers/oci/oci_settings.h"

namespace paddock::oci {

std::string DeploymentDirectory(const OciSettings& settings);
std::string SandboxesDirectory(const OciSettings& settings);
std::string RuntimeDirectory(const OciSettings& settings);

// "oci-" and 20 of a-z2-7.
std::string NewSandboxId();

// Makes them, private to the caller.
Status MakeDeployment(const OciSettings& settings);
// Puts the agent there, once for each build; gives the directory that has it and nothing else. Errors: kUnavailable for a program that is not there.
Result<std::string> PutAgent(const OciSettings& settings);
// Opens a sandbox's directory and holds it. kBusy when another process does.
Result<Descriptor> HoldSandbox(const std::string& directory);
// Of our own making, all in it.
Status RemoveDirectory(const std::string& directory);

// Removes what sandboxes of the deployment have left that `is_alive` does not know and that no process holds: what a daemon that was killed
// left. Others' things are never looked at. One line for each thing that was removed.
Result<std::vector<std::string>> SweepDeployment(const OciSettings& settings, const std::function<bool(const std::string& sandbox)>& is_alive);

}  // namespace paddock::oci
