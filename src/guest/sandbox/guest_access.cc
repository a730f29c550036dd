#include "guest/sandbox/guest_access.h"

#include <sys/resource.h>

#include <chrono>

#include "guest/sandbox/agent_warden.h"
#include "guest/sandbox/file_watch.h"
#include "guest/sandbox/guest_exec.h"

namespace paddock::guest {
namespace {

constexpr std::chrono::seconds kPatience{30};
constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

}  // namespace

GuestAccess::GuestAccess(std::shared_ptr<Client> client, Options options)
    : client_(std::move(client)), options_(std::move(options)),
      files_(client_->files(), {.cwd = options_.working_directory, .credentials = {.uid = options_.uid, .gid = options_.gid}}) {}

Result<std::unique_ptr<sandbox::Process>> GuestAccess::Start(sandbox::ExecSpec spec, sandbox::StdinSource input, sandbox::OutputHandler handler) {
  PADDOCK_ASSIGN(ExecRequest request, MakeExecRequest(spec, input, "/bin/sh"));
  Environment complete = spec.environment;
  if (!complete.Get("PATH")) complete.Set("PATH", kPath);
  if (!complete.Get("HOME")) complete.Set("HOME", options_.home);
  for (const auto& [name, value] : options_.variables) complete.Set(name, value);
  for (const Environment::Variable& variable : complete.variables()) request.environment.push_back(variable.name + "=" + variable.value);
  request.directory = spec.cwd.empty() ? options_.working_directory : spec.cwd;
  if (spec.limits.cpu_time.count() > 0) {
    const auto seconds = static_cast<uint64_t>(std::chrono::ceil<std::chrono::seconds>(spec.limits.cpu_time).count());
    request.limits.push_back({.resource = RLIMIT_CPU, .soft = seconds, .hard = seconds + 1});
  }
  std::unique_ptr<ExecWarden> warden = std::make_unique<AgentWarden>(client_, options_.take_denials);
  if (options_.watch) warden = options_.watch(std::move(warden));
  GuestExec::Parts parts{.client = client_,
                         .warden = std::move(warden),
                         .input = std::move(input),
                         .handler = std::move(handler),
                         .limits = spec.limits,
                         .waits_for_background = false,
                         .has_terminal = spec.terminal.has_value()};
  PADDOCK_ASSIGN(std::unique_ptr<sandbox::Process> process, GuestExec::Start(std::move(parts), request));
  return process;
}

Result<std::unique_ptr<sandbox::FileWatch>> GuestAccess::Watch(const std::string& path, bool is_recursive) {
  PADDOCK_ASSIGN(auto watch, client_->files().Watch({.path = path, .is_recursive = is_recursive}, In(kPatience)));
  return std::unique_ptr<sandbox::FileWatch>(std::make_unique<GuestFileWatch>(std::move(watch), path));
}

}  // namespace paddock::guest
