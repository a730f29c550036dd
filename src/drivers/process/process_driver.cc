#include "drivers/process/process_driver.h"

#include "drivers/process/process_sandbox.h"

namespace paddock::sandbox {
namespace {

class ProcessDriver final : public Driver {
 public:
  const char* name() const override { return "process"; }
  Result<std::unique_ptr<Sandbox>> Create(const SandboxSpec& spec) override {
    PADDOCK_ASSIGN(std::unique_ptr<Sandbox> sandbox, process_wall::ProcessSandbox::Create(spec));
    return sandbox;
  }
};

}  // namespace

std::unique_ptr<Driver> MakeProcessDriver() { return std::make_unique<ProcessDriver>(); }

}  // namespace paddock::sandbox
