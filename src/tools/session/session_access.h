// What tools need of a session: its sandboxes, its files, its keys. The registry implements it for the daemon, DirectSession on a
// driver for tests and programs without one.
//
// Every call may come from any thread and blocks until it is done. A sandbox of another session does not exist here: the answer for
// it and for an absent one is the same (kNoEntry).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "sandbox/file_watch.h"
#include "sandbox/sandbox.h"
#include "vfs/file_system.h"

namespace paddock::tools {

using Variables = std::map<std::string, std::string>;

// Files for the length of a few operations: whoever holds it keeps others from the sandbox where its wall does one thing at a time.
class FileLease {
 public:
  FileLease(std::shared_ptr<void> hold, vfs::FileSystem& files) : hold_(std::move(hold)), files_(&files) {}
  vfs::FileSystem& operator*() const { return *files_; }
  vfs::FileSystem* operator->() const { return files_; }

 private:
  std::shared_ptr<void> hold_;
  vfs::FileSystem* files_;
};

enum class SandboxState { kCreated, kRunning, kPaused, kStopped, kDead };
// How far a sandbox reaches: nowhere, other parts of its own network, through the egress engine, everywhere.
enum class NetworkReach { kNone, kIsolated, kEgress, kBridge };

struct SandboxLimits {
  std::optional<uint64_t> memory_bytes;
  std::optional<double> cpus;
  std::optional<uint64_t> processes;
  std::optional<uint64_t> disk_bytes;
};

struct SandboxInfo {
  std::string id;                      // sbx_…
  std::string name;                    // unique in the session
  std::string title;
  SandboxState state = SandboxState::kRunning;
  std::optional<int> exit_code;        // of a dead one, where there is one
  std::string isolation;
  std::string image;                   // empty where the wall has none
  std::string runtime;                 // the same
  std::string working_directory;
  NetworkReach network = NetworkReach::kNone;
  std::vector<policy::PublishedPort> ports;   // as they are published now
  std::optional<bool> has_user_namespace;     // user 0 inside is another user outside; none: nobody knows
  SandboxLimits limits;
  Nanoseconds created_at{0};           // since 1970
  Nanoseconds last_used_at{0};
  std::optional<Nanoseconds> auto_stop_at;
  std::optional<Nanoseconds> lease_expires_at;
  std::vector<std::string> warnings;   // what the host could not give, with the remedy
};

struct CreateRequest {
  std::string isolation;               // empty: the session's own choice
  std::string name;                    // empty: made up
  std::string title;
  std::optional<std::string> image;
  std::optional<std::string> runtime;
  std::string from_template;           // what it begins from, by name; empty: nothing
  Variables environment;               // of every exec
  SandboxLimits limits;                // may only lower what the session has
  std::optional<NetworkReach> network; // may only be stricter
  std::vector<std::string> allowed_hosts;   // what egress reaches: "example.org:443", as policies have them
  std::optional<std::chrono::minutes> auto_stop;
  std::string engine;                  // of containers: where it listens; empty: the usual place
  std::vector<uint16_t> ports;         // inside, that are published on any free ones outside
  std::string working_directory = "/workspace";
  std::string idempotency_key;         // not empty: the same key gives the same sandbox
  // Serves a tool itself (the shell of `bash`): not listed, not found without its id, and its working directory is the session's files.
  bool is_of_a_tool = false;
};

struct ExecRequest {
  std::string script;                  // for the sandbox's shell
  std::string working_directory;       // absolute; empty: the sandbox's
  Variables environment;               // added to the sandbox's
  std::optional<std::string> input;    // stdin, which ends behind it
  std::string user;                    // empty: the sandbox's
  std::chrono::milliseconds timeout{0};
  bool keeps_shell = false;            // goes on with the shell of the last such exec
  std::stop_token stop;                // ends it early: cancelled
};

enum class ProcessState { kRunning, kExited };
struct ProcessInfo {
  std::string id;                      // proc_…
  std::string command;
  ProcessState state = ProcessState::kRunning;
  std::optional<int> exit_code;
  sandbox::Termination termination;    // when it has ended
  Nanoseconds started_at{0};
  uint64_t output_end = 0;             // bytes written so far, both streams in true order
};
struct ProcessOutput {
  std::string bytes;
  uint64_t offset = 0;                 // of the first byte; more than asked for when older output is gone
  ProcessInfo process;
};

struct SnapshotInfo {
  std::string id;                      // snap_…
  std::string name;
  Nanoseconds created_at{0};
};
struct ForkOutcome {
  std::optional<SandboxInfo> sandbox;
  std::string error;                   // why there is none
};

enum class ChangeKind { kAdded, kRemoved, kModified, kRetyped };
struct FileChange {
  std::string path;
  ChangeKind kind = ChangeKind::kModified;
  vfs::FileType type = vfs::FileType::kFile;   // after; before if removed
  uint64_t size_before = 0;
  uint64_t size_after = 0;
  std::string patch;                   // unified hunks of a text file, where asked for
};
struct DiffRequest {
  std::string from;                    // a snapshot; empty: as it was created
  std::string to;                      // a snapshot; empty: as it is now
  std::string below = "/";             // only what lies here
  size_t most = 1000;                  // changes
  bool wants_patch = false;
};
struct DiffOutcome {
  std::vector<FileChange> changes;     // by path
  bool is_complete = true;             // false: there are more
};

enum class ManageAction { kStop, kStart, kRemove, kPause, kResume, kExtend };
struct ManageRequest {
  ManageAction action = ManageAction::kStop;
  bool force = false;                  // also while something runs
  std::optional<std::chrono::minutes> minutes;   // of kExtend
};

// One live sandbox of the session. Errors of all: kNoEntry (gone), kBusy (something else runs there), kUnavailable (stopped, or its
// wall cannot do this), each with words for a model.
class SandboxAccess {
 public:
  virtual ~SandboxAccess() = default;
  virtual SandboxInfo Inspect() = 0;

  // Runs to the end. The handler gets the output as it comes. The result's texts stay empty.
  virtual Result<sandbox::ExecResult> Exec(const ExecRequest& request, sandbox::OutputHandler handler) = 0;
  // The shell of keeps_shell begins anew.
  virtual Status ForgetShell() = 0;
  virtual Result<FileLease> Files() = 0;

  virtual Result<ProcessInfo> StartProcess(const ExecRequest& request) = 0;
  virtual Result<std::vector<ProcessInfo>> ListProcesses() = 0;
  // Output from `offset` on, at most `most` bytes; waits until there is some, the process has ended or the time is over.
  virtual Result<ProcessOutput> ReadProcess(const std::string& id, uint64_t offset, size_t most, std::chrono::milliseconds wait) = 0;
  virtual Result<ProcessInfo> WriteProcess(const std::string& id, std::string_view bytes, bool ends_input) = 0;
  virtual Result<ProcessInfo> SignalProcess(const std::string& id, int signal) = 0;
  virtual Result<ProcessInfo> WaitProcess(const std::string& id, std::chrono::milliseconds wait, std::stop_token stop) = 0;

  virtual Result<SnapshotInfo> Snapshot(const std::string& name) = 0;
  // As many outcomes as were asked for.
  virtual Result<std::vector<ForkOutcome>> Fork(size_t count, const std::string& name) = 0;
  virtual Result<DiffOutcome> Diff(const DiffRequest& request) = 0;
  // Idempotent. Lines for the model: what it meant where that is not plain ("was stopped already").
  virtual Result<std::string> Manage(const ManageRequest& request) = 0;
};

class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;
  virtual Result<std::optional<std::string>> Get(const std::string& key) = 0;
  virtual Status Set(const std::string& key, const std::string& value) = 0;   // kQuota when there are too many
  virtual Result<bool> Delete(const std::string& key) = 0;                    // whether it was there
  virtual Result<std::vector<std::string>> List(const std::string& prefix) = 0;   // sorted
};

// What is to be watched: a directory with what is in it, or to any depth.
struct WatchRequest {
  std::string sandbox;                 // its id or name; empty: session storage
  std::string directory = "/";         // absolute there
  bool is_recursive = false;
};
// Called on a thread of the watches, one call at a time; must be quick, and may not begin or end watches.
struct WatchListener {
  std::function<void(const sandbox::FileEvent&)> on_event;   // paths as the request has them
  std::function<void()> on_round;                            // behind some events
  std::function<void(const Error& why)> on_end;              // nothing comes any more
};

class SessionAccess {
 public:
  virtual ~SessionAccess() = default;
  virtual const std::string& id() const = 0;

  virtual Result<std::shared_ptr<SandboxAccess>> Create(const CreateRequest& request) = 0;
  virtual Result<std::vector<SandboxInfo>> List() = 0;             // in order of creation; without those of tools
  virtual Result<std::shared_ptr<SandboxAccess>> Find(const std::string& id) = 0;   // also by name

  // Session storage: an absolute path "/a/b" is a session path.
  virtual Result<FileLease> Files() = 0;
  virtual KeyValueStore& keys() = 0;

  // Tells what happens to files until the handle goes; then the listener is not running. Errors: kNoEntry, kNotDirectory, kLimit, those of
  // the files.
  virtual Result<std::shared_ptr<void>> Watch(const WatchRequest& request, WatchListener listener) = 0;

  // Whether all that was changed through leases which have been given back is as safe as what this session keeps at all; to be asked
  // before a call is answered with success. What went wrong is told once.
  virtual Status Settle() = 0;
};

}  // namespace paddock::tools
