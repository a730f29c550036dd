// SandboxPlan: what a sandbox's spec and an operator's settings come to: what is laid out, what is shown, what is limited.
#pragma once

#include <string>
#include <vector>

#include "base/descriptor.h"
#include "drivers/oci/bundle.h"
#include "drivers/oci/oci_settings.h"
#include "drivers/oci/stage.h"
#include "sandbox/spec.h"

namespace paddock::oci {

struct SandboxPlan {
  BundleSpec bundle;
  StagePlan stage;
  std::string working_directory, home;
  std::vector<Descriptor> id_maps;   // that the stage names
};

struct PlanPlaces {
  std::string stage, agent_directory;   // as in Workshop
  std::string store;                    // as in OciSandbox::Create()
};

// What this wall cannot keep of a policy is refused by name: kNotSupported.
Status CheckPolicy(const policy::Policy& policy);
// Errors: kInvalid and kNoEntry that name the directory, those of MakeIdMap().
Result<SandboxPlan> MakePlan(const sandbox::SandboxSpec& spec, const OciSettings& settings, const PlanPlaces& places);

}  // namespace paddock::oci
