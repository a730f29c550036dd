#include "drivers/process/process_driver.h"

#include <unistd.h>

#include <memory>
#include <mutex>
#include <vector>

#include "drivers/process/escape_runner.h"
#include "drivers/process/probe.h"
#include "drivers/process/process_sandbox.h"
#include "guest/sandbox/guest_program.h"
#include "sandbox/diagnosis.h"
#include "sandbox/keeps_root.h"

namespace paddock::sandbox {
namespace {

class ProcessDriver final : public Driver, public KeepsRoot, public Diagnosable, public EscapeTestable {
 public:
  const char* name() const override { return "process"; }
  Result<std::unique_ptr<Sandbox>> Create(const SandboxSpec& spec) override { return CreateOn(spec, ""); }
  Result<std::unique_ptr<Sandbox>> CreateOn(const SandboxSpec& spec, const std::string& store) override {
    auto sandbox = CreateWall(spec, store);
    if (!sandbox) {
      // What the spec asks for wrongly has nothing to do with the host.
      const Code code = sandbox.error().code;
      return code == Code::kInvalid || code == Code::kNoEntry ? sandbox.error() : process_wall::Explain(sandbox.error());
    }
    return std::unique_ptr<Sandbox>(std::move(*sandbox));
  }
  void GetReady() override {
    const auto base = GetBase();
    (void)base;   // Create() tries again and says why
  }
  void LetGo() override {
    const std::lock_guard lock(mutex_);
    base_ = {};
  }
  std::vector<Check> Diagnose() override { return process_wall::DiagnoseHost(true); }
  Status TestEscapes(const EscapeTest& test, const std::function<void(const EscapeFinding&)>& on_finding) override {
    return process_wall::TestEscapes(*this, test, on_finding);
  }

 private:
  struct Base {
    process_wall::HostFacts facts;
    std::shared_ptr<process_wall::WallZygote> zygote;
    std::shared_ptr<process_wall::WallStock> stock;
  };
  // The zygote is started with the first sandbox, and again when it was killed or the caller has become another user.
  Result<Base> GetBase() {
    const std::lock_guard lock(mutex_);
    const bool is_same = base_.zygote && base_.facts.uid == geteuid() && base_.facts.gid == getegid();
    if (!is_same || !base_.zygote->is_alive()) {
      Base fresh;
      PADDOCK_ASSIGN(const std::string guest_program, guest::FindGuestProgram());
      PADDOCK_ASSIGN(fresh.zygote, process_wall::WallZygote::Start(guest_program));
      // While it starts.
      PADDOCK_ASSIGN(fresh.facts, process_wall::ReadHostFacts());
      fresh.stock = std::make_shared<process_wall::WallStock>(fresh.zygote, process_wall::FindCgroups());
      base_ = std::move(fresh);
    }
    return base_;
  }
  Result<std::unique_ptr<process_wall::ProcessSandbox>> CreateWall(const SandboxSpec& spec, const std::string& store) {
    PADDOCK_ASSIGN(const Base base, GetBase());
    auto made = process_wall::ProcessSandbox::Create(spec, store, base.facts, *base.stock);
    if (made || base.zygote->is_alive()) return made;
    // It was killed meanwhile, which says nothing of the spec or the host.
    PADDOCK_ASSIGN(const Base next, GetBase());
    return process_wall::ProcessSandbox::Create(spec, store, next.facts, *next.stock);
  }

  std::mutex mutex_;
  Base base_;
};

}  // namespace

std::unique_ptr<Driver> MakeProcessDriver() { return std::make_unique<ProcessDriver>(); }

}  // namespace paddock::sandbox
