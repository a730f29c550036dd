#include "drivers/oci/deployment.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "base/id.h"
#include "drivers/oci/cgroups.h"
#include "drivers/oci/runtime.h"
#include "text/digest.h"

namespace paddock::oci {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIdPrefix = "oci-";
constexpr size_t kIdLength = 24;   // NewSandboxId()

Error HostError(const std::string& what) {
  const int code = errno;
  return Error(static_cast<Code>(code), what + ": " + std::strerror(code));
}

std::string DigestOf(const std::string& text) {
  const auto digester = MakeDigester(DigestAlgorithm::kSha256);
  digester->Update(text);
  std::string hex;
  for (const char byte : digester->Finish().substr(0, 12)) {
    for (const int half : {byte >> 4 & 15, byte & 15}) hex += "0123456789abcdef"[half];
  }
  return hex;
}

// What the runtime keeps of a container that it does not remove, or cannot.
void ForgetContainer(const OciSettings& settings, const std::string& id) {
  std::error_code failure;
  for (fs::directory_iterator at(RuntimeDirectory(settings), failure), none; !failure && at != none; at.increment(failure)) {
    std::error_code ignored;
    if (at->path().filename().string().starts_with(id)) fs::remove_all(at->path(), ignored);
  }
}

std::string ReadSmallFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A call of the runtime that no living process of ours made: killed together with a daemon, and not quite dead.
bool HasOrphanedCall(const OciSettings& settings) {
  const std::string root = std::string("--root") + '\0' + RuntimeDirectory(settings) + '\0';
  const std::string group = CgroupPath(settings.deployment, "");
  std::error_code failure;
  for (fs::directory_iterator at("/proc", failure), none; !failure && at != none; at.increment(failure)) {
    const std::string name = at->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos || ReadSmallFile(at->path() / "cmdline").find(root) == std::string::npos) continue;
    const std::string stat = ReadSmallFile(at->path() / "stat");
    std::istringstream fields(stat.empty() ? stat : stat.substr(std::min(stat.rfind(')'), stat.size() - 1) + 1));   // behind the program's name
    std::string state, parent;
    fields >> state >> parent;
    const bool is_inside = ReadSmallFile(at->path() / "cgroup").find(group) != std::string::npos;   // of a container: ended with its group
    if (parent != std::to_string(getpid()) && !is_inside) return true;
  }
  return false;
}

// What such a call makes after a sweep has looked would stay.
void WaitForOrphanedCalls(const OciSettings& settings) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (HasOrphanedCall(settings) && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// Of sandboxes that have a directory, something of the runtime's, or a cgroup. A directory is made before and removed after the rest: what has
// none was left by a call of the runtime that was killed.
Result<std::set<std::string>> IdsOf(const OciSettings& settings) {
  std::set<std::string> ids;
  const auto add = [&ids](const std::string& name) {
    if (name.size() >= kIdLength && name.starts_with(kIdPrefix)) ids.insert(name.substr(0, kIdLength));   // runtimes add endings
  };
  for (const std::string& directory : {SandboxesDirectory(settings), RuntimeDirectory(settings)}) {
    std::error_code failure;
    for (fs::directory_iterator at(directory, failure), none; !failure && at != none; at.increment(failure)) add(at->path().filename().string());
    if (failure && failure != std::errc::no_such_file_or_directory) return Error(Code::kIo, "cannot list " + directory + ": " + failure.message());
  }
  for (const std::string& name : GroupsOf(settings.deployment)) add(name);
  return ids;
}

}  // namespace

std::string NewSandboxId() {
  std::string id = NewId("oci_");
  id[std::strlen(kIdPrefix) - 1] = '-';   // as runtimes like names
  return id;
}

std::string DeploymentDirectory(const OciSettings& settings) { return settings.state_directory + "/" + settings.deployment; }
std::string SandboxesDirectory(const OciSettings& settings) { return DeploymentDirectory(settings) + "/sandboxes"; }
std::string RuntimeDirectory(const OciSettings& settings) { return DeploymentDirectory(settings) + "/runtime"; }

Status MakeDeployment(const OciSettings& settings) {
  std::error_code failure;
  fs::create_directories(settings.state_directory, failure);
  if (failure) return Error(Code::kUnavailable, "cannot make " + settings.state_directory + ": " + failure.message());
  const std::string own = DeploymentDirectory(settings);
  for (const std::string& path : {own, SandboxesDirectory(settings), RuntimeDirectory(settings), own + "/empty"}) {
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return HostError("cannot make " + path);
  }
  struct stat facts{};
  if (lstat(own.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) || facts.st_uid != geteuid() || (facts.st_mode & 022) != 0) {
    return Error(Code::kAccess, own + " is not a directory that only this user can change");
  }
  return {};
}

Result<std::string> PutAgent(const OciSettings& settings) {
  std::ifstream file(settings.agent_program, std::ios::binary);
  std::ostringstream read;
  if (!file || !(read << file.rdbuf())) return Error(Code::kUnavailable, settings.agent_program + " cannot be read: it is the agent, paddock-guest, that containers begin with");
  const std::string content = read.str(), directory = DeploymentDirectory(settings) + "/agent-" + DigestOf(content);
  if (access((directory + "/paddock-guest").c_str(), X_OK) == 0) return directory;
  const std::string draft = DeploymentDirectory(settings) + "/" + NewId("draft_"), program = draft + "/paddock-guest";
  if (mkdir(draft.c_str(), 0755) != 0) return HostError("cannot make " + draft);
  const auto write_program = [&]() -> Status {
    const Descriptor made(open(program.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0755));
    if (!made.is_open()) return HostError("cannot make " + program);
    for (size_t at = 0; at < content.size();) {
      const ssize_t count = write(made.get(), content.data() + at, content.size() - at);
      if (count <= 0) return HostError("cannot write " + program);
      at += static_cast<size_t>(count);
    }
    if (fchmod(made.get(), 0755) != 0 || chmod(draft.c_str(), 0755) != 0) return HostError("cannot set the mode of " + program);
    return {};
  };
  Status put = write_program();
  if (put && rename(draft.c_str(), directory.c_str()) != 0 && errno != EEXIST && errno != ENOTEMPTY) put = HostError("cannot make " + directory);
  if (access(draft.c_str(), F_OK) == 0) static_cast<void>(RemoveDirectory(draft));   // another one was first
  PADDOCK_TRY(put);
  return directory;
}

Result<Descriptor> HoldSandbox(const std::string& directory) {
  Descriptor opened(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened.is_open()) return HostError("cannot open " + directory);
  if (flock(opened.get(), LOCK_EX | LOCK_NB) != 0) return Error(Code::kBusy, directory + " is in use");
  return opened;
}

Status RemoveDirectory(const std::string& directory) {
  std::error_code failure;
  fs::remove_all(directory, failure);
  return failure ? Status(Error(Code::kIo, "cannot remove " + directory + ": " + failure.message())) : Status();
}

Result<std::vector<std::string>> SweepDeployment(const OciSettings& settings, const std::function<bool(const std::string& sandbox)>& is_alive) {
  PADDOCK_TRY(CheckSettings(settings));
  WaitForOrphanedCalls(settings);
  std::vector<std::string> removed;
  PADDOCK_ASSIGN(const std::set<std::string> ids, IdsOf(settings));
  const auto runtime = ids.empty() ? Result<Runtime>(Code::kUnavailable) : Runtime::Find(settings.runtime, RuntimeDirectory(settings), settings.patience);
  for (const std::string& id : ids) {
    if (is_alive(id)) continue;
    const std::string directory = SandboxesDirectory(settings) + "/" + id;
    const auto held = HoldSandbox(directory);
    if (!held && held.error().code != Code::kNoEntry) continue;   // another process's
    ThawGroup(CgroupPath(settings.deployment, id));
    // A runtime that is gone or fails does not keep anything running: the group is killed.
    if (runtime && runtime->Delete(id)) removed.push_back("container " + id);
    PADDOCK_ASSIGN(const std::vector<std::string> groups, RemoveGroup(CgroupPath(settings.deployment, id)));
    removed.insert(removed.end(), groups.begin(), groups.end());
    ForgetContainer(settings, id);
    if (!held) continue;
    PADDOCK_TRY(RemoveDirectory(directory));
    removed.push_back("directory " + directory);
  }
  if (std::error_code failure; !fs::exists(SandboxesDirectory(settings), failure) || fs::is_empty(SandboxesDirectory(settings), failure)) RemoveDeploymentGroup(settings.deployment);
  return removed;
}

}  // namespace paddock::oci
