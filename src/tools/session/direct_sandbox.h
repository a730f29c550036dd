// DirectSandbox: a sandbox of a driver as tools see it, kept in this process.
//
// One thing runs in it at a time: a call waits for another call, and fails with kBusy while a process runs, since walls need not
// allow both.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "tools/session/direct_process.h"
#include "tools/session/session_access.h"

namespace paddock::tools {

std::string NewId(std::string_view prefix);   // "sbx_" + 20 letters of base32

class DirectSandbox final : public SandboxAccess, public std::enable_shared_from_this<DirectSandbox> {
 public:
  // Registers a fork with its session; fails where the session has too many.
  using Adopt = std::function<Status(std::shared_ptr<DirectSandbox>)>;

  DirectSandbox(std::unique_ptr<sandbox::Sandbox> sandbox, SandboxInfo info, Variables environment, Limits limits, Adopt adopt);
  ~DirectSandbox() override;

  SandboxInfo Inspect() override;
  Result<sandbox::ExecResult> Exec(const ExecRequest& request, sandbox::OutputHandler handler) override;
  Status ForgetShell() override;
  Result<FileLease> Files() override;
  Result<ProcessInfo> StartProcess(const ExecRequest& request) override;
  Result<std::vector<ProcessInfo>> ListProcesses() override;
  Result<ProcessOutput> ReadProcess(const std::string& id, uint64_t offset, size_t most, std::chrono::milliseconds wait) override;
  Result<ProcessInfo> WriteProcess(const std::string& id, std::string_view bytes, bool ends_input) override;
  Result<ProcessInfo> SignalProcess(const std::string& id, int signal) override;
  Result<ProcessInfo> WaitProcess(const std::string& id, std::chrono::milliseconds wait, std::stop_token stop) override;
  Result<SnapshotInfo> Snapshot(const std::string& name) override;
  Result<std::vector<ForkOutcome>> Fork(size_t count, const std::string& name) override;
  Result<DiffOutcome> Diff(const DiffRequest& request) override;
  Result<std::string> Manage(const ManageRequest& request) override;

  // Looks again whenever something was done in it, and nothing is.
  Result<std::unique_ptr<sandbox::FileWatch>> WatchFiles(const std::string& path, bool is_recursive);
  bool is_removed() const { return is_removed_; }

 private:
  struct Captured {
    SnapshotInfo info;
    std::unique_ptr<sandbox::Sandbox> tree;
  };
  // The sandbox for one caller: given back when the last reference goes, unless somebody took that over.
  struct TurnHolder {
    explicit TurnHolder(std::shared_ptr<DirectSandbox> of) : sandbox(std::move(of)) {}
    ~TurnHolder() {
      if (sandbox) sandbox->GiveBack(only_looks);
    }
    std::shared_ptr<DirectSandbox> sandbox;
    bool only_looks = false;
  };
  using Turn = std::shared_ptr<TurnHolder>;
  void GiveBack(bool only_looked = false);
  Result<Turn> TakeTurn(bool needs_running = true);
  Result<sandbox::ExecSpec> MakeSpec(const ExecRequest& request);
  Result<std::shared_ptr<DirectProcess>> FindProcess(const std::string& id);
  Result<vfs::FileSystem*> FilesOf(sandbox::Sandbox& sandbox) const;
  Result<std::unique_ptr<sandbox::Sandbox>> ForkTree();
  Result<sandbox::Sandbox*> TreeOf(const std::string& snapshot, sandbox::Sandbox* otherwise);
  void EndProcesses();

  std::mutex mutex_;
  std::condition_variable free_;
  bool is_taken_ = false;
  std::string runner_;   // the process that has the sandbox
  std::atomic<bool> is_removed_{false};
  std::atomic<uint64_t> uses_{0};   // turns that were taken, but for those of watches
  std::unique_ptr<sandbox::Sandbox> sandbox_;
  std::unique_ptr<sandbox::Sandbox> first_;   // as it was created; null where the wall cannot fork
  SandboxInfo info_;
  const Variables environment_;
  const Limits limits_;
  const Adopt adopt_;
  std::vector<Captured> snapshots_;
  std::map<std::string, std::shared_ptr<DirectProcess>> processes_;   // ended before the sandbox
};

}  // namespace paddock::tools
