// Registry: the sandboxes of all owners, on every isolation: the one place through which API, tools and CLI reach them.
//
// What is acknowledged is in the database first; what the database says is what a start finds. A crash leaves neither a sandbox that
// nobody knows nor a record of one that is not there: half-made ones are taken away at the next start, half-deleted ones finished.
//
// Ownership: whoever asks for what is absent, or somebody else's, gets the same answer (kNoEntry, "no sandbox 'ID'").
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "registry/caller.h"
#include "registry/entry/description.h"
#include "registry/entry/file_watches.h"
#include "registry/entry/ledger.h"
#include "registry/entry/sandbox_entry.h"
#include "registry/events.h"
#include "registry/once.h"
#include "registry/states/bases.h"
#include "registry/states/snapshots.h"
#include "registry/states/templates.h"
#include "registry/states/unpacked_templates.h"
#include "store/records/records.h"

namespace paddock::registry {

// How the sandboxes of one isolation are kept. `directory` is the sandbox's own on the host, not made yet.
using KeeperMaker = std::function<Result<std::unique_ptr<Keeper>>(const SandboxInfo& info, const std::string& directory)>;

// What sandboxes of an isolation begin as when they begin from a template.
struct TemplateBeginner {
  std::function<Result<SavedState>(trees::Session& session, const TemplateInfo& info)> begin;   // the session holds the state
  bool runs_programs = false;   // of the template's: execs are in the image's directory
  bool takes_user = true;       // and the image's user
};

// What one owner may have.
struct OwnerLimits {
  size_t sandboxes = 10'000;
  size_t containers = 10'000;   // of the sandboxes
  size_t execs = 100'000;       // at once
};

struct RegistrySettings {
  std::string directory;                          // of the daemon's own; made with mode 0700
  std::map<std::string, KeeperMaker> isolations;  // by name; "auto" is none
  // What a request leaves open.
  std::string default_isolation = "virtual";
  SandboxLimits default_limits;
  Lease default_lease{.idle_ttl = std::chrono::minutes(10)};
  // Of isolations that have others.
  struct Usual {
    SandboxLimits limits;
    Lease lease;
  };
  std::map<std::string, Usual> usual;
  size_t most_sandboxes = 100'000;
  size_t most_per_owner = 10'000;
  size_t most_containers_per_owner = 10'000;      // of them, of `container_isolations`
  std::set<std::string> container_isolations = {"container", "oci", "gvisor"};
  size_t most_execs_per_owner = 100'000;          // at once
  std::map<std::string, OwnerLimits> owners;      // of whom these are others
  size_t most_processes = 64;                     // of one sandbox
  size_t most_threads = 1024;                     // of execs that nobody waits for
  Duration park_after = std::chrono::seconds(30); // what is idle leaves memory
  // Whole states of sandboxes; null: none are kept.
  std::shared_ptr<Snapshots> snapshots;
  std::shared_ptr<Templates> templates;
  std::map<std::string, TemplateBeginner> beginners;   // by isolation; others begin from no template
  std::function<void(const trees::ObjectId& tree)> template_gone;   // after one was deleted, on a thread of its own; may be null
  std::shared_ptr<Bases> bases;
  std::shared_ptr<UnpackedTemplates> unpacked;
  Nanoseconds collect_grace = std::chrono::hours(1);   // what nothing needs stays so long
  Duration clean_every{0};                             // collects, and forgets old keys; 0: only when asked
  Duration key_lifetime = std::chrono::hours(24);      // of idempotency keys
  std::optional<Duration> keep_output = std::chrono::hours(24 * 7);    // of processes, from their end, and in logs of sandboxes; none: for ever
  uint64_t most_log_bytes = 16 << 20;                                  // of one sandbox
  std::optional<Duration> keep_events = std::chrono::hours(24 * 30);
  size_t most_events = 100'000;                                        // of one owner
  std::optional<Duration> keep_deleted = std::chrono::hours(24 * 7);   // usage of what was deleted; none: for ever

  const SandboxLimits& UsualLimits(const std::string& isolation) const {
    const auto found = usual.find(isolation);
    return found != usual.end() ? found->second.limits : default_limits;
  }
  const Lease& UsualLease(const std::string& isolation) const {
    const auto found = usual.find(isolation);
    return found != usual.end() ? found->second.lease : default_lease;
  }
  // Sets what the request leaves to the daemon. Its isolation is named.
  void Complete(SandboxRequest& request) const;
  OwnerLimits LimitsOf(const std::string& owner) const {
    const auto found = owners.find(owner);
    return found != owners.end() ? found->second : OwnerLimits{.sandboxes = most_per_owner, .containers = most_containers_per_owner, .execs = most_execs_per_owner};
  }
};

struct ListRequest {
  std::vector<SandboxState> states;   // empty: any
  std::string isolation, name, parent, owner;   // empty: any; owner only for an admin
  Labels labels;                      // all of these
  size_t limit = 100;
  std::string cursor;                 // of the page before
};
struct SandboxPage {
  std::vector<SandboxInfo> sandboxes; // oldest first
  std::string next;                   // empty: no more
};

struct Created {
  SandboxInfo sandbox;
  bool is_new = true;   // false: get-or-create found it, or the idempotency key had made it
};

struct ForkRequest {
  static constexpr size_t kMostForks = 100;
  size_t count = 1;        // 1 … kMostForks
  std::string name;        // of one; of several NAME-1, NAME-2 …; empty: none
  Labels labels;           // added to the original's
  // With one, a repetition of the request gets the sandboxes that it made; what could not be made is tried again.
  std::string idempotency_key;
  size_t room = kMostForks;   // what is made beyond that is refused (kQuota), with these words
  std::string no_room;
};
struct Forked {
  std::optional<SandboxInfo> sandbox;
  std::optional<Error> error;   // why there is none
};

// Any thread.
class Registry {
 public:
  // Takes the sandboxes that the database knows; `records` outlives the registry. Errors: those of the database; kBusy when another
  // daemon uses the directory.
  static Result<std::unique_ptr<Registry>> Open(RegistrySettings settings, records::Records& records);
  // Ends what runs, keeps everything that is to be kept.
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // Errors: kInvalid (names the field), kExists (the name is taken), kConflict (the idempotency key was used for another request, or is in
  // use), kQuota, those of the driver.
  Result<Created> Create(const Caller& caller, SandboxRequest request, const std::string& idempotency_key = {});
  // `id` may be a name of the caller's.
  Result<SandboxInfo> Get(const Caller& caller, std::string_view id) const;
  Result<SandboxPage> List(const Caller& caller, const ListRequest& request) const;
  // Those of a parent, internal ones too, oldest first.
  std::vector<SandboxInfo> Children(const Caller& caller, const std::string& parent) const;
  // Idempotent as far as absent ones go: kNoEntry for those, but nothing is done twice. Returns when it is gone.
  Status Delete(const Caller& caller, std::string_view id);

  Result<SandboxInfo> Pause(const Caller& caller, std::string_view id, bool force);
  Result<SandboxInfo> Stop(const Caller& caller, std::string_view id, bool force);
  Result<SandboxInfo> Start(const Caller& caller, std::string_view id);   // resume, too
  // The ttl begins anew; with `lease` another one holds from now on.
  Result<SandboxInfo> Extend(const Caller& caller, std::string_view id, std::optional<Lease> lease);
  Result<SandboxInfo> SetLabels(const Caller& caller, std::string_view id, Labels labels);

  // Runs to the end on this thread.
  struct Ended {
    std::shared_ptr<RunningProcess> process;
    sandbox::ExecResult result;
  };
  Result<Ended> Exec(const Caller& caller, std::string_view id, ExecRequest request, sandbox::OutputHandler handler = {});
  // The next exec that keeps the shell begins with a fresh one. Nothing to do where the wall keeps none.
  Status ForgetShell(const Caller& caller, std::string_view id, SandboxEntry::Deadline until);
  // A repetition of a request within RegistrySettings::key_lifetime gets what it made.
  Once OnceOf(const std::string& owner, const std::string& key, std::string digest) const;

  // Runs on a thread of its own; `handler` gets the output there, beside the process's log. kLimit: there are too many.
  Result<std::shared_ptr<RunningProcess>> StartProcess(const Caller& caller, std::string_view id, ExecRequest request, sandbox::OutputHandler handler = {});
  // The same once for each key: a repetition gets the process that the first one started, and starts nothing. kConflict: the key was used for
  // something else, or the process is gone, with the daemon that it ran in or because it ended long ago.
  struct Started {
    std::shared_ptr<RunningProcess> process;
    bool is_new = true;
  };
  Result<Started> StartProcessOnce(const Caller& caller, std::string_view id, ExecRequest request, const std::string& idempotency_key);
  // Runs `work` on one of the same threads; the registry outlives it. kLimit, as above.
  Status Detach(std::function<void()> work);
  Result<std::vector<ProcessInfo>> Processes(const Caller& caller, std::string_view id) const;
  Result<std::shared_ptr<RunningProcess>> FindProcess(const Caller& caller, std::string_view id, std::string_view process) const;

  Result<HeldFiles> Files(const Caller& caller, std::string_view id, SandboxEntry::Deadline until);
  Result<HeldFiles> FrozenFiles(const Caller& caller, std::string_view id, SandboxEntry::Deadline until);
  // As the functions of SandboxEntry.
  Result<bool> HasLineShell(const Caller& caller, std::string_view id);
  Status With(const Caller& caller, std::string_view id, SandboxEntry::Deadline until, const std::function<Status(sandbox::Sandbox&)>& body);

  // ---- whole states (registry_states.cc). Errors also: kNotSupported, for an isolation that keeps none; kTimedOut, when something runs for
  // too long.

  // Of the sandbox's owner. The sandbox may be at rest, and stays it.
  Result<SnapshotInfo> TakeSnapshot(const Caller& caller, std::string_view id, const SnapshotRequest& request);
  // Puts a sandbox into the state of a snapshot, in one step. kBusy while something runs, unless `force` ends that.
  Result<SandboxInfo> Restore(const Caller& caller, std::string_view id, std::string_view snapshot, bool force);
  // Sandboxes of the same owner that begin as this one is now. As many outcomes as were asked for.
  Result<std::vector<Forked>> Fork(const Caller& caller, std::string_view id, const ForkRequest& request);
  Status DeleteSnapshot(const Caller& caller, std::string_view snapshot);
  // The state of a sandbox as it is now, held by the session.
  Result<SavedState> CaptureState(const Caller& caller, std::string_view id, trees::Session& session);
  // The files that a sandbox was created with, held by the session: a fork's are those that it was forked with. What is restored into it
  // later changes nothing about that.
  Result<trees::ObjectId> CaptureCreation(const Caller& caller, std::string_view id, trees::Session& session);
  // Takes away what of the store no sandbox and no snapshot needs. kBusy: that happens already.
  Result<trees::Collected> Collect(std::optional<Nanoseconds> grace = std::nullopt);
  Result<Snapshots*> snapshots() const;
  Result<Templates*> templates() const;
  Result<TemplateInfo> BuildTemplate(const Caller& caller, const TemplateRequest& request, const ArchiveRequest& archive, ByteSource& in);
  Result<TemplateInfo> TemplateFromSnapshot(const Caller& caller, std::string_view snapshot, const TemplateRequest& request);
  // Of a sandbox as it is now: of its root with the workspace in it, for all isolations, where its isolation gives that; else of its state.
  Result<TemplateInfo> TemplateFromSandbox(const Caller& caller, std::string_view id, const TemplateRequest& request);
  Status DeleteTemplate(const Caller& caller, std::string_view id);

  // ---- usage (registry_usage.cc)

  // What was used. Of a deleted sandbox, too, for as long as that is kept. At most the last 6 s before a kill of the daemon are missing.
  // Errors: kNoEntry (a sandbox is named that is neither there nor remembered), kInvalid, kLimit.
  Result<UsageAnswer> Usage(const Caller& caller, const UsageQuery& query) const;
  // Writes what is not written yet; `closes`: as when the daemon ends. For tests besides the thread that does it.
  void NoteUsage(Time now, bool closes);
  // Takes away what is older than it is to be kept. For tests, too.
  void Forget();

  // What all execs of a sandbox wrote; the entry's, as long as that is held.
  Result<std::shared_ptr<SandboxLog>> Log(const Caller& caller, std::string_view id) const;

  // Tells of what happens to files from now on. The number is for StopWatching(), after which the listener is not called.
  Result<uint64_t> WatchFiles(const Caller& caller, std::string_view id, const std::string& path, bool is_recursive, FileWatches::Listener listener);
  void StopWatching(uint64_t number) {
    if (watches_ != nullptr) watches_->Remove(number);
  }

  EventBus& events() { return events_; }
  const RegistrySettings& settings() const { return settings_; }
  size_t count() const;
  std::vector<std::string> isolations() const;   // by name

  // One turn of what a thread does each second: expired leases, parking. For tests; any time will do.
  void Sweep(Time now);

 private:
  Registry(RegistrySettings settings, records::Records& records);

  using EntryPtr = std::shared_ptr<SandboxEntry>;
  Status Load();
  Status FindLogs();
  Result<EntryPtr> Find(const Caller& caller, std::string_view id) const;
  Result<std::unique_ptr<Keeper>> MakeKeeper(const SandboxInfo& info) const;
  EntryPtr MakeEntry(SandboxInfo info, std::unique_ptr<Keeper> keeper, std::optional<Ledger::Past> past = std::nullopt);
  Status Remove(const EntryPtr& entry, const std::string& reason);
  // `more` takes place in the same step.
  Status Save(const SandboxInfo& info, const std::function<Status(records::Transaction&)>& more = {});
  void StateChanged(const SandboxInfo& info);
  Result<SandboxInfo> Rest(const Caller& caller, std::string_view id, SandboxState state, bool force);
  Status Check(const SandboxRequest& request) const;
  // What a new sandbox begins as, and what holds it until the sandbox does.
  struct Beginning {
    trees::Session session;
    SavedState state;
    std::string isolation;
    std::string id;         // of what it comes from
    // Where the request leaves them open.
    Variables environment;
    std::string working_directory;
    ImageStart image;
  };
  // `isolation` as the request has it; only templates look at it.
  Result<Beginning> FindBeginning(const Caller& caller, const std::string& base, const std::string& isolation) const;
  Result<Beginning> FindTemplate(const Caller& caller, std::string_view name, const std::string& isolation) const;
  Result<Created> CreateNew(const Caller& caller, SandboxRequest request, const Once& once, const Beginning* beginning);
  // A place among what the owner may have, given back unless it is kept.
  class Claim;
  Result<Claim> ClaimPlace(const SandboxInfo& info);
  bool IsContainer(const SandboxInfo& info) const { return settings_.container_isolations.contains(info.request.isolation); }
  // Holding mutex_.
  void CountIn(const SandboxInfo& info);
  void CountOut(const SandboxInfo& info);
  // One for each fork, or none without a key.
  std::vector<Once> OncesOf(const SandboxEntry& original, const ForkRequest& request) const;
  // What those keys made before, where they did. Errors: kConflict.
  Result<std::vector<std::optional<std::string>>> MadeBefore(const std::vector<Once>& onces);
  Status Begin(const EntryPtr& entry, std::shared_ptr<void> place, const std::shared_ptr<RunningProcess>& process, ExecRequest request,
               sandbox::OutputHandler handler);
  // A place among the owner's execs, given back when the last holder goes. Errors: kQuota.
  Result<std::shared_ptr<void>> TakePlace(const std::string& owner);
  Ledger::Past PastOf(const std::string& id) const;
  // The record of a sandbox goes, and the last of its usage is noted, in one step.
  Status DeleteRecord(const EntryPtr& entry);
  void ForgetDeleted();
  void FlushLogs(Time now);
  void PublishDenial(const std::string& owner, const std::string& id, const std::string& text, uint64_t left_out);
  void RunBooks();
  void RunSweeps();
  void RunCleanings();
  std::string DirectoryOf(std::string_view id) const { return settings_.directory + "/sandboxes/" + std::string(id); }

  const RegistrySettings settings_;
  records::Records& records_;
  EventBus events_;
  Descriptor lock_;

  mutable std::shared_mutex mutex_;
  std::map<std::string, EntryPtr, std::less<>> entries_;        // by id
  std::map<std::string, std::string, std::less<>> names_;       // owner, parent and name, joined by NUL, to the id
  std::map<std::string, std::set<std::string>, std::less<>> children_;   // ids by parent
  struct Owned {
    size_t sandboxes = 0;
    size_t containers = 0;   // of them
  };
  std::unordered_map<std::string, Owned> owners_;               // how many each has, those that are being made included

  std::mutex places_mutex_;
  std::unordered_map<std::string, size_t> places_;   // execs of each owner

  std::mutex threads_mutex_;
  std::condition_variable threads_changed_;
  size_t threads_ = 0;

  std::unique_ptr<FileWatches> watches_ = std::make_unique<FileWatches>();

  std::mutex sweep_mutex_;
  std::condition_variable sweep_changed_;
  bool is_ending_ = false;
  std::map<std::string, SandboxLog::Files> log_files_;   // found at the start, by sandbox
  std::thread sweeper_, cleaner_, bookkeeper_;
  Time last_seen_{}, began_{};   // when the daemon before this one was last known to run; when this one began
};

}  // namespace paddock::registry
