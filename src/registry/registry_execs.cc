// The registry's work with what runs: places, execs, processes.
#include "registry/registry.h"

#include <thread>

#include "registry/request_check.h"

namespace paddock::registry {
namespace {

// Of all that a request says.
std::string DigestOfExec(const std::string& sandbox, const ExecRequest& request) {
  std::vector<std::string> texts{"process", sandbox, request.script ? "script:" + *request.script : "command", request.cwd, request.input,
                                 request.has_open_input ? "open" : "", request.reads_lines ? "lines" : "", request.keeps_shell ? "keeps" : "",
                                 request.timeout ? std::to_string(request.timeout->count()) : "", request.output_bytes ? std::to_string(*request.output_bytes) : "",
                                 request.terminal ? std::to_string(request.terminal->columns) + "x" + std::to_string(request.terminal->lines) : "",
                                 std::to_string(request.command.size())};
  texts.insert(texts.end(), request.command.begin(), request.command.end());
  for (const auto& [name, value] : request.environment) texts.insert(texts.end(), {name, value});
  return DigestOfTexts(texts);
}

}  // namespace

Result<std::shared_ptr<void>> Registry::TakePlace(const std::string& owner) {
  const std::lock_guard lock(places_mutex_);
  size_t& taken = places_[owner];
  const size_t most = settings_.LimitsOf(owner).execs;
  if (taken >= most) {
    const std::string count = std::to_string(taken);
    if (taken == 0) places_.erase(owner);
    return Error(Code::kQuota, "you run " + count + " execs, the most you may have at once; wait for some, or end them");
  }
  ++taken;
  return std::shared_ptr<void>(nullptr, [this, owner](void*) {
    const std::lock_guard leaving(places_mutex_);
    const auto found = places_.find(owner);
    if (--found->second == 0) places_.erase(found);
  });
}

Result<Registry::Ended> Registry::Exec(const Caller& caller, std::string_view id, ExecRequest request, sandbox::OutputHandler handler) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  entry->TakeImagesCommand(request);
  PADDOCK_TRY(CheckExec(request));
  PADDOCK_ASSIGN(const std::shared_ptr<void> place, TakePlace(entry->owner()));
  PADDOCK_ASSIGN(std::shared_ptr<RunningProcess> process, entry->Admit(request));
  const std::stop_callback cancel(request.stop, [&] { process->Cancel(); });
  PADDOCK_ASSIGN(sandbox::ExecResult result, entry->Run(process, std::move(request), std::move(handler)));
  return Ended{.process = std::move(process), .result = std::move(result)};
}

Status Registry::Detach(std::function<void()> work) {
  {
    const std::lock_guard lock(threads_mutex_);
    if (threads_ >= settings_.most_threads) return Error(Code::kLimit, "this daemon runs " + std::to_string(threads_) + " processes, the most it may");
    ++threads_;
  }
  std::thread([this, work = std::move(work)]() mutable {
    work();
    work = nullptr;   // what it holds goes before the registry may
    const std::lock_guard lock(threads_mutex_);
    --threads_;
    threads_changed_.notify_all();
  }).detach();
  return {};
}

Result<std::shared_ptr<RunningProcess>> Registry::StartProcess(const Caller& caller, std::string_view id, ExecRequest request, sandbox::OutputHandler handler) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  entry->TakeImagesCommand(request);
  PADDOCK_TRY(CheckExec(request));
  PADDOCK_ASSIGN(const std::shared_ptr<void> place, TakePlace(entry->owner()));
  PADDOCK_ASSIGN(const std::shared_ptr<RunningProcess> process, entry->Admit(request));
  PADDOCK_TRY(Begin(entry, place, process, std::move(request), std::move(handler)));
  return process;
}

Status Registry::Begin(const EntryPtr& entry, std::shared_ptr<void> place, const std::shared_ptr<RunningProcess>& process, ExecRequest request,
                       sandbox::OutputHandler handler) {
  const Status detached = Detach([entry, place = std::move(place), process, request = std::move(request), handler = std::move(handler)]() mutable {
    (void)entry->Run(process, std::move(request), std::move(handler));   // the process knows its end
  });
  if (!detached) {
    sandbox::ExecResult result;
    result.termination.reason = sandbox::Termination::Reason::kInfra;
    process->Finish(std::move(result), Now(), std::string(detached.error().Text()));
  }
  return detached;
}

Result<Registry::Started> Registry::StartProcessOnce(const Caller& caller, std::string_view id, ExecRequest request, const std::string& idempotency_key) {
  if (idempotency_key.empty()) {
    PADDOCK_ASSIGN(std::shared_ptr<RunningProcess> process, StartProcess(caller, id, std::move(request)));
    return Started{.process = std::move(process)};
  }
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  entry->TakeImagesCommand(request);
  PADDOCK_TRY(CheckExec(request));
  const Once once = OnceOf(entry->owner(), idempotency_key, DigestOfExec(entry->id(), request));
  const auto started_before = [&](const std::string& process) -> Result<Started> {
    std::shared_ptr<RunningProcess> found = entry->FindProcess(process);
    if (found == nullptr) return MadeAndGone(once, process);
    return Started{.process = std::move(found), .is_new = false};
  };
  PADDOCK_ASSIGN(const auto looked, MadeBefore({once}));   // a repetition needs no place
  if (looked[0]) return started_before(*looked[0]);
  PADDOCK_ASSIGN(std::shared_ptr<void> place, TakePlace(entry->owner()));
  PADDOCK_ASSIGN(const std::shared_ptr<RunningProcess> process, entry->Admit(request));
  // First the key, then the process: whatever happens to the daemon in between, it is not started twice.
  std::optional<std::string> before;
  const Status used = records_.Transact([&](records::Transaction& transaction) -> Status {
    PADDOCK_ASSIGN(before, UseOnce(transaction, once, process->id()));
    return {};
  });
  if (!used || before) entry->Withdraw(process);
  if (!used) return used.error();
  if (before) return started_before(*before);   // another request was faster
  const Status begun = Begin(entry, std::move(place), process, std::move(request), {});
  if (begun) return Started{.process = process};
  entry->Withdraw(process);
  (void)records_.Transact([&](records::Transaction& transaction) { return transaction.DropKey(once.owner, once.key); });
  return begun.error();
}

Status Registry::ForgetShell(const Caller& caller, std::string_view id, SandboxEntry::Deadline until) {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  return entry->ForgetShell(until);
}

Result<std::vector<ProcessInfo>> Registry::Processes(const Caller& caller, std::string_view id) const {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  return entry->Processes();
}

Result<std::shared_ptr<RunningProcess>> Registry::FindProcess(const Caller& caller, std::string_view id, std::string_view process) const {
  PADDOCK_ASSIGN(const EntryPtr entry, Find(caller, id));
  std::shared_ptr<RunningProcess> found = entry->FindProcess(process);
  if (found == nullptr) return Error(Code::kNoEntry, "no process '" + std::string(process.substr(0, 100)) + "' in " + entry->id());
  return found;
}

}  // namespace paddock::registry
