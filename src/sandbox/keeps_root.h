// Facet of a Driver whose sandboxes can keep what they change of their policy's root (policy::FileRules::root).
#pragma once

#include <memory>
#include <string>

#include "sandbox/sandbox.h"

namespace paddock::sandbox {

class KeepsRoot {
 public:
  virtual ~KeepsRoot() = default;
  // As Create(). `store` is a directory of the host with upper/ and work/, both there; what is changed stays in upper/, as overlayfs
  // keeps it. One sandbox at a time uses it.
  virtual Result<std::unique_ptr<Sandbox>> CreateOn(const SandboxSpec& spec, const std::string& store) = 0;
};

}  // namespace paddock::sandbox
