#include "drivers/oci/runtime.h"

#include <boost/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "drivers/oci/cgroups.h"

namespace paddock::oci {
namespace {

namespace json = boost::json;

constexpr std::chrono::milliseconds kVersionPatience{10'000};

bool IsProgram(const std::string& path) {
  struct stat facts{};
  return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::string FindProgram(const std::string& wanted) {
  if (wanted.find('/') != std::string::npos) return wanted.starts_with('/') && IsProgram(wanted) ? wanted : "";
  for (const char* directory : {"/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"}) {
    if (IsProgram(directory + wanted)) return directory + wanted;
  }
  return "";
}

std::string Quote(const std::string& text) { return "'" + text.substr(0, 200) + "'"; }

}  // namespace

Result<Runtime> Runtime::Find(const std::string& wanted, std::string directory, std::chrono::milliseconds patience) {
  Runtime runtime;
  runtime.directory_ = std::move(directory);
  runtime.patience_ = patience;
  for (const std::string& name : wanted.empty() ? std::vector<std::string>{"crun", "runc"} : std::vector<std::string>{wanted}) {
    runtime.program_ = FindProgram(name);
    if (!runtime.program_.empty()) break;
  }
  if (runtime.program_.empty()) {
    return Error(Code::kUnavailable, wanted.empty() ? "no container runtime is installed; install crun or runc, or name one as runtime"
                                                    : "runtime " + Quote(wanted) + " is not a program; install it, or name its absolute path");
  }
  PADDOCK_ASSIGN(const ProgramEnd end, RunProgram({.arguments = {runtime.program_, "--version"}, .patience = std::min(patience, kVersionPatience)}));
  for (const char* name : {"crun", "runc", "runsc"}) {
    if (end.status == 0 && end.output.starts_with(std::string(name) + " version ")) runtime.name_ = name;
  }
  if (runtime.name_.empty()) {
    return Error(Code::kUnavailable, runtime.program_ + " does not say that it is crun, runc or runsc (--version, status " + std::to_string(end.status) + ")");
  }
  // It refuses to work beside a v2 hierarchy that has controllers, although those of containers are v1's.
  if (runtime.name_ == "crun") runtime.hidden_ = UnifiedBesideV1();
  return runtime;
}

Result<ProgramEnd> Runtime::Call(std::vector<std::string> arguments, const StagePlan* stage, int stream) const {
  ProgramCall call{.arguments = {program_, "--root", directory_}, .patience = patience_, .stream = stream, .stage = stage, .hidden = hidden_};
  if (is_gvisor()) {
    call.arguments.insert(call.arguments.end(), {"--network=none"});
    if (!platform_.empty()) call.arguments.push_back("--platform=" + platform_);
  }
  call.arguments.insert(call.arguments.end(), std::make_move_iterator(arguments.begin()), std::make_move_iterator(arguments.end()));
  return RunProgram(call);
}

Result<Descriptor> Runtime::Start(const std::string& id, const std::string& bundle, const StagePlan& stage, int stream) const {
  PADDOCK_ASSIGN(ProgramEnd end, Call({"run", "--detach", "--bundle", bundle, id}, &stage, stream));
  if (end.status != 0) return Error(Code::kUnavailable, program_ + " run: status " + std::to_string(end.status) + (end.complaint.empty() ? "" : ": " + end.complaint));
  return std::move(end.stderr_end);
}

Result<ContainerState> Runtime::State(const std::string& id) const {
  PADDOCK_ASSIGN(const ProgramEnd end, Call({"state", id}));
  if (end.status != 0) return Error(Code::kNoEntry, program_ + " state: status " + std::to_string(end.status) + (end.complaint.empty() ? "" : ": " + end.complaint));
  boost::system::error_code failure;
  const json::value read = json::parse(end.output, failure);
  ContainerState state;
  const auto text = [&](const char* name) {
    const json::value* value = read.is_object() ? read.as_object().if_contains(name) : nullptr;
    return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
  };
  if (!failure && read.is_object()) {
    state.id = text("id");
    state.status = text("status");
    state.bundle = text("bundle");
    const json::value* pid = read.as_object().if_contains("pid");
    if (pid != nullptr && pid->is_int64() && pid->as_int64() > 0 && pid->as_int64() < INT32_MAX) state.pid = static_cast<pid_t>(pid->as_int64());
  }
  if (state.id != id || state.status.empty()) return Error(Code::kInvalid, program_ + " state: what it prints is not the state of " + id);
  return state;
}

Status Runtime::Simple(const char* call, const std::string& id) const {
  PADDOCK_ASSIGN(const ProgramEnd end, Call({call, id}));
  if (end.status == 0) return {};
  return Error(Code::kUnavailable, program_ + " " + call + ": status " + std::to_string(end.status) + (end.complaint.empty() ? "" : ": " + end.complaint));
}

Status Runtime::Pause(const std::string& id) const { return Simple("pause", id); }
Status Runtime::Resume(const std::string& id) const { return Simple("resume", id); }

Status Runtime::Delete(const std::string& id) const {
  PADDOCK_ASSIGN(const ProgramEnd end, Call({"delete", "--force", id}));
  if (end.status == 0) return {};
  // Runtimes differ in what they say of one that is not there; all of them keep what they have in files of its name.
  std::error_code failure;
  bool is_there = false;
  for (std::filesystem::directory_iterator at(directory_, failure), none; !failure && at != none; at.increment(failure)) {
    is_there |= at->path().filename().string().starts_with(id);
  }
  if (!is_there) return {};
  return Error(Code::kUnavailable, program_ + " delete: status " + std::to_string(end.status) + (end.complaint.empty() ? "" : ": " + end.complaint));
}

}  // namespace paddock::oci
