// RegistrySandbox: a sandbox of the registry as tools of its session see it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "registry/sessions.h"
#include "tools/session/session_access.h"

namespace paddock::api {

// What went wrong when files were given back: the first of it.
class Unkept {
 public:
  void Add(const Status& status) {
    const std::lock_guard lock(mutex_);
    if (!status && first_) first_ = status;
  }
  Status Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(first_, Status());
  }

 private:
  std::mutex mutex_;
  Status first_;
};

// What every sandbox of one session works with; all outlive it.
struct SandboxContext {
  registry::Registry& registry;
  std::shared_ptr<registry::Session> session;
  std::shared_ptr<Unkept> unkept;
};

// Any thread.
class RegistrySandbox final : public tools::SandboxAccess {
 public:
  RegistrySandbox(SandboxContext context, const registry::SandboxInfo& info) : context_(std::move(context)), id_(info.id), last_(info) {}

  tools::SandboxInfo Inspect() override;
  Result<sandbox::ExecResult> Exec(const tools::ExecRequest& request, sandbox::OutputHandler handler) override;
  Status ForgetShell() override;
  Result<tools::FileLease> Files() override;
  Result<tools::ProcessInfo> StartProcess(const tools::ExecRequest& request) override;
  Result<std::vector<tools::ProcessInfo>> ListProcesses() override;
  Result<tools::ProcessOutput> ReadProcess(const std::string& id, uint64_t offset, size_t most, std::chrono::milliseconds wait) override;
  Result<tools::ProcessInfo> WriteProcess(const std::string& id, std::string_view bytes, bool ends_input) override;
  Result<tools::ProcessInfo> SignalProcess(const std::string& id, int signal) override;
  Result<tools::ProcessInfo> WaitProcess(const std::string& id, std::chrono::milliseconds wait, std::stop_token stop) override;
  Result<tools::SnapshotInfo> Snapshot(const std::string& name) override;
  Result<std::vector<tools::ForkOutcome>> Fork(size_t count, const std::string& name) override;
  Result<tools::DiffOutcome> Diff(const tools::DiffRequest& request) override;
  Result<std::string> Manage(const tools::ManageRequest& request) override;

 private:
  registry::Caller caller() const { return context_.session->caller(); }
  Result<registry::SandboxInfo> Get() const;
  // That it takes execs: it runs, or wakes at the next use, and no process has it for itself.
  Result<registry::SandboxInfo> Usable() const;
  Error Explained(const Error& error, const std::string& working_directory) const;
  Error Occupied(const registry::RunningProcess& runner) const;
  Status CheckQuiet() const;
  Error WithoutStates(const Error& error) const;
  Result<trees::ObjectId> TreeOf(const std::string& snapshot) const;   // of one of this sandbox's
  std::shared_ptr<registry::RunningProcess> Running() const;   // one that was started and runs; null: none does
  Result<std::shared_ptr<registry::RunningProcess>> FindProcess(const std::string& id) const;
  Result<std::string> Extend(const registry::SandboxInfo& info, std::chrono::minutes minutes);

  const SandboxContext context_;
  const std::string id_;
  const registry::SandboxInfo last_;   // as it was when it was found
};

Nanoseconds SinceEpoch(registry::Time time);

// As tools show it.
tools::SandboxInfo ToolInfoOf(const registry::Registry& registry, const registry::SandboxInfo& info);

// What an isolation does that the registry has no word for: whether one thing runs at a time, and execs can go on with a shell.
bool IsSerial(const std::string& isolation);
bool KeepsShell(const std::string& isolation);

inline constexpr const char* kTitleLabel = "title";   // of a sandbox: what it is for

}  // namespace paddock::api
