#include "drivers/docker/plain_sandbox.h"

#include "drivers/docker/plain/counters.h"
#include "drivers/docker/plain/plain_exec.h"
#include "guest/sandbox/guest_exec.h"

namespace paddock::docker {
namespace {

constexpr size_t kMostKnown = 1000;   // images in which no agent can run
constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// What takes an agent is refused by name.
Status CheckPlain(const sandbox::SandboxSpec& spec, const std::string& why) {
  if (!spec.policy) return {};
  const policy::NetworkRules& network = spec.policy->network;
  const auto refuse = [&](const std::string& what) {
    return Error(Code::kNotSupported, what + " is not to be had in a container in which paddock-guest cannot run (" + why + "): the only way there is through it");
  };
  if (network.mode != policy::NetworkMode::kNone) return refuse("the network");
  if (!network.publish.empty()) return refuse("a published port");
  if (!network.unix_sockets.empty()) return refuse("network.unix_sockets");
  return {};
}

std::string KindOf(const sandbox::ContainerChoice& choice) { return choice.image + "\n" + choice.runtime; }

std::string NoAgentText(const std::string& why) { return "paddock-guest cannot run in this container (" + why + "): the engine's exec stands in for it"; }

}  // namespace

PlainSandbox::PlainSandbox(std::unique_ptr<DockerSandbox> body, const std::string& why)
    : body_(std::move(body)), inside_(body_->plain()), why_(why), files_(inside_, body_->plan().working_directory, body_->user()) {}

PlainSandbox::~PlainSandbox() { Close(); }

std::vector<std::string> PlainSandbox::Close() {
  (void)inside_->Thaw();
  return body_->Close();
}

std::vector<std::string> PlainSandbox::Warnings() const {
  std::vector<std::string> warnings = body_->Warnings();
  warnings.push_back(NoAgentText(why_) +
                     ". Without it there are no network rules, published ports, watches, snapshots and forks; a program that a signal ended "
                     "shows as exit status 128 and the signal's number, and its two streams may come out of order (docs/containers.md)");
  return warnings;
}

Result<std::unique_ptr<sandbox::Process>> PlainSandbox::Start(sandbox::ExecSpec spec, sandbox::StdinSource input, sandbox::OutputHandler handler) {
  PADDOCK_ASSIGN(const guest::ExecRequest request, guest::MakeExecRequest(spec, input, "/bin/sh"));
  Environment complete = spec.environment;
  if (!complete.Get("PATH")) complete.Set("PATH", kPath);
  if (!complete.Get("HOME")) complete.Set("HOME", body_->home());
  std::vector<std::string> environment;
  for (const Environment::Variable& variable : complete.variables()) environment.push_back(variable.name + "=" + variable.value);
  std::unique_ptr<guest::ExecWarden> warden = std::make_unique<CounterWarden>(inside_);
  if (body_->disk() != nullptr) warden = std::make_unique<ContainerWarden>(std::move(warden), body_->disk());
  PlainExec::Parts parts{.inside = inside_, .warden = std::move(warden), .input = std::move(input), .handler = std::move(handler), .limits = spec.limits, .terminal = spec.terminal};
  PADDOCK_ASSIGN(std::unique_ptr<sandbox::Process> process,
                 PlainExec::Start(std::move(parts), request.arguments, spec.cwd.empty() ? body_->plan().working_directory : spec.cwd, environment));
  return process;
}

sandbox::Measured PlainSandbox::Measure() const {
  sandbox::Measured measured;
  if (inside_->is_frozen()) return measured;
  const auto counters = ReadCounters(*inside_);
  if (!counters) return measured;
  if (counters->cpu_nanoseconds) measured.cpu = std::chrono::nanoseconds(*counters->cpu_nanoseconds);
  measured.memory_bytes = counters->memory_bytes;
  return measured;
}

std::optional<std::string> KnownWithoutAgent(Workshop& workshop, const sandbox::ContainerChoice& choice) {
  const std::lock_guard lock(workshop.no_agent_mutex);
  const auto known = workshop.no_agent.find(KindOf(choice));
  return known == workshop.no_agent.end() ? std::nullopt : std::optional(known->second);
}

Result<std::unique_ptr<sandbox::Sandbox>> MakeContainer(const sandbox::SandboxSpec& spec, std::shared_ptr<Workshop> workshop, Identity identity) {
  std::string why = KnownWithoutAgent(*workshop, spec.container).value_or("");
  if (why.empty()) {
    auto made = DockerSandbox::Create(spec, workshop, identity);
    if (made) return std::unique_ptr<sandbox::Sandbox>(std::move(*made));
    if (made.error().code != Code::kExecFormat) return made.error();
    why = made.error().message;
    if (workshop->progress) workshop->progress(NoAgentText(why) + ", with less (docs/containers.md)", true);
    const std::lock_guard lock(workshop->no_agent_mutex);
    if (workshop->no_agent.size() < kMostKnown) workshop->no_agent[KindOf(spec.container)] = why;
  }
  PADDOCK_TRY(CheckPlain(spec, why));
  auto plain = DockerSandbox::CreatePlain(spec, std::move(workshop), std::move(identity));
  if (!plain) {
    return Error(plain.error().code, "paddock-guest cannot run in the container (" + why + "), and what stands in for it cannot either: " + std::string(plain.error().Text()));
  }
  return std::unique_ptr<sandbox::Sandbox>(std::make_unique<PlainSandbox>(std::move(*plain), why));
}

Result<std::unique_ptr<sandbox::Sandbox>> ReopenContainer(const sandbox::SandboxSpec& spec, std::shared_ptr<Workshop> workshop, const std::string& key) {
  PADDOCK_ASSIGN(std::unique_ptr<DockerSandbox> body, DockerSandbox::Reopen(spec, std::move(workshop), key));
  if (body->plain() == nullptr) return std::unique_ptr<sandbox::Sandbox>(std::move(body));
  const std::string why = "it was made without";
  PADDOCK_TRY(CheckPlain(spec, why));
  return std::unique_ptr<sandbox::Sandbox>(std::make_unique<PlainSandbox>(std::move(body), why));
}

}  // namespace paddock::docker
