#include "registry/directory_keeper.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "overlay/beneath.h"
#include "policy/preset.h"

namespace paddock::registry {
namespace {

constexpr const char* kHome = "/home/agent";

// The host's programs, a workspace, a home; nothing of any person's.
Result<policy::Policy> PolicyOf(const SandboxRequest& request, const std::string& directory) {
  const policy::HostContext context{.home = kHome, .workspace = directory + "/workspace", .user = "agent"};
  PADDOCK_ASSIGN(policy::Policy policy, policy::MakePreset("workspace", context));
  policy.name = "sandbox";
  std::erase_if(policy.files.paths, [](const policy::PathRule& rule) { return policy::IsWithin(rule.path, kHome); });
  policy.files.home = kHome;
  policy.files.home_store = directory + "/home";
  policy.files.protected_names.clear();   // no tool of the host's works there
  policy.network = request.network;
  policy.environment = {};
  const SandboxLimits& limits = request.limits;
  if (limits.memory_bytes) policy.limits.memory_bytes = limits.memory_bytes;
  if (limits.processes) policy.limits.processes = limits.processes;
  if (limits.cpus) policy.limits.cpus = limits.cpus;
  if (limits.disk_bytes) policy.limits.disk_bytes = limits.disk_bytes;
  if (limits.files) policy.limits.files = limits.files;
  return policy;
}

Status MakeDirectory(const std::string& path) {
  if (mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  const auto code = static_cast<Code>(errno);
  return Error(code, "cannot make " + path + ": " + std::string(CodeText(code)));
}

}  // namespace

Result<std::unique_ptr<Keeper>> DirectoryKeeper::Make(sandbox::Driver& driver, const SandboxInfo& info, std::string directory) {
  const SandboxRequest& request = info.request;
  if (!request.working_directory.empty()) return Error(Code::kInvalid, "working_directory: sandboxes of isolation " + request.isolation + " start in their workspace");
  if (!request.base.empty()) return Error(Code::kInvalid, "base: sandboxes of isolation " + request.isolation + " begin empty");
  sandbox::SandboxSpec spec;
  spec.hostname = request.hostname;
  PADDOCK_ASSIGN(spec.policy, PolicyOf(request, directory));
  return std::unique_ptr<Keeper>(new DirectoryKeeper(driver, std::move(spec), std::move(directory)));   // allow(raw-new): private constructor
}

Result<std::unique_ptr<sandbox::Sandbox>> DirectoryKeeper::Load() {
  for (const char* below : {"", "/workspace", "/home"}) PADDOCK_TRY(MakeDirectory(directory_ + below));
  return driver_.Create(spec_);
}

Status DirectoryKeeper::Remove() {
  const size_t slash = directory_.rfind('/');
  const Descriptor parent(open(directory_.substr(0, slash).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.is_open()) return Error(static_cast<Code>(errno), "cannot open " + directory_.substr(0, slash));
  const Status removed = overlay::RemoveTree(parent.get(), directory_.substr(slash + 1));
  if (!removed && removed.error().code == Code::kNoEntry) return {};
  return removed;
}

}  // namespace paddock::registry
