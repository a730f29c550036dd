#include "drivers/process/process_sandbox.h"

#include <unistd.h>

#include <atomic>

#include "base/random.h"
#include "drivers/process/process_exec.h"

namespace paddock::process_wall {
namespace {

// Unique among all that run on this host, and told apart from those of dead owners by the process id in it.
std::string NewGroupName() {
  static std::atomic<unsigned> count{0};
  return "paddock-" + std::to_string(getpid()) + "-" + std::to_string(count.fetch_add(1));
}

}  // namespace

Result<std::unique_ptr<ProcessSandbox>> ProcessSandbox::Create(const sandbox::SandboxSpec& spec) {
  if (!spec.policy) return Error(Code::kInvalid, "the process wall needs a policy; name a preset");
  PADDOCK_ASSIGN(HostFacts facts, ReadHostFacts());
  std::unique_ptr<ProcessSandbox> sandbox(new ProcessSandbox(spec, std::move(facts)));   // allow(raw-new): private constructor
  PADDOCK_TRY(sandbox->StandUp());
  return sandbox;
}

Status ProcessSandbox::StandUp() {
  const policy::Policy& policy = *spec_.policy;
  id_ = NewGroupName();
  group_ = std::make_shared<ControlGroup>(ControlGroup::Make(
      id_, {.memory_bytes = policy.limits.memory_bytes, .processes = policy.limits.processes, .cpus = policy.limits.cpus}));
  warnings_ = group_->missing();
  PADDOCK_ASSIGN(WallPlan plan, MakeWallPlan(policy, facts_, {}));
  plan.hostname = spec_.hostname;
  plan.cgroups = group_->v1_directories();
  plan.cgroup2 = group_->v2_directory();
  PADDOCK_ASSIGN(Wall wall, Wall::Launch(plan, facts_.guest_program));
  wall_ = std::make_unique<Wall>(std::move(wall));
  group_->Release();
  warnings_.insert(warnings_.end(), wall_->warnings().begin(), wall_->warnings().end());
  const int control = wall_->TakeControl().Release();
  PADDOCK_ASSIGN(client_, guest::Client::Connect(control, control, guest::In(std::chrono::seconds(10))));
  return {};
}

ProcessSandbox::~ProcessSandbox() {
  client_.reset();
  if (wall_) wall_->Destroy();
}

std::vector<std::string> ProcessSandbox::MakeEnvironment(const Environment& wanted) const {
  // Who and where the code is follows from the wall, whatever the host's variables say.
  Environment complete = wanted;
  const std::string home = spec_.policy->files.home.empty() ? "/tmp" : spec_.policy->files.home;
  if (!complete.Get("PATH")) complete.Set("PATH", "/usr/local/bin:/usr/bin:/bin");
  complete.Set("HOME", home);
  complete.Set("USER", facts_.user);
  complete.Set("LOGNAME", facts_.user);
  complete.Set("TMPDIR", "/tmp");
  std::vector<std::string> environment;
  for (const Environment::Variable& variable : complete.variables()) {
    environment.push_back(variable.name + "=" + variable.value);
  }
  return environment;
}

Result<std::unique_ptr<sandbox::Process>> ProcessSandbox::Start(sandbox::ExecSpec spec, sandbox::StdinSource input,
                                                                sandbox::OutputHandler handler) {
  guest::ExecRequest request;
  if (spec.script) {
    request.arguments = {"bash", "-c", std::move(*spec.script), spec.name0};
    request.arguments.insert(request.arguments.end(), spec.arguments.begin(), spec.arguments.end());
  } else if (!spec.command.empty()) {
    request.arguments = std::move(spec.command);
  } else {
    return Error(Code::kInvalid, "neither a script nor a command");
  }
  request.environment = MakeEnvironment(spec.environment);
  request.directory = spec.cwd.empty() ? WorkspacePath(spec_.policy->files) : spec.cwd;
  request.has_input = input.kind != sandbox::StdinSource::Kind::kEmpty;
  ProcessExec::Parts parts{.client = client_,
                           .group = group_,
                           .denials = denials_,
                           .input = std::move(input),
                           .handler = std::move(handler),
                           .limits = spec.limits,
                           .waits_for_background = false};
  PADDOCK_ASSIGN(std::unique_ptr<sandbox::Process> process, ProcessExec::Start(std::move(parts), request));
  return process;
}

}  // namespace paddock::process_wall
