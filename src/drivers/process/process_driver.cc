#include "drivers/process/process_driver.h"

#include "drivers/process/escape_runner.h"
#include "drivers/process/probe.h"
#include "drivers/process/process_sandbox.h"
#include "sandbox/diagnosis.h"

namespace paddock::sandbox {
namespace {

class ProcessDriver final : public Driver, public Diagnosable, public EscapeTestable {
 public:
  const char* name() const override { return "process"; }
  Result<std::unique_ptr<Sandbox>> Create(const SandboxSpec& spec) override {
    auto sandbox = process_wall::ProcessSandbox::Create(spec);
    if (!sandbox) {
      // What the spec asks for wrongly has nothing to do with the host.
      const Code code = sandbox.error().code;
      return code == Code::kInvalid || code == Code::kNoEntry ? sandbox.error() : process_wall::Explain(sandbox.error());
    }
    return std::unique_ptr<Sandbox>(std::move(*sandbox));
  }
  std::vector<Check> Diagnose() override { return process_wall::DiagnoseHost(true); }
  Status TestEscapes(const EscapeTest& test, const std::function<void(const EscapeFinding&)>& on_finding) override {
    return process_wall::TestEscapes(*this, test, on_finding);
  }
};

}  // namespace

std::unique_ptr<Driver> MakeProcessDriver() { return std::make_unique<ProcessDriver>(); }

}  // namespace paddock::sandbox
