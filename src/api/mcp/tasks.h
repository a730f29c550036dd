// Tasks (the extension io.modelcontextprotocol/tasks of 2026-07-28): a call that takes longer than a few seconds becomes a handle
// that the client asks about, so that it need not wait on one connection.
//
// They live in memory: for an hour from their beginning, and while they run.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "api/mcp/call_threads.h"
#include "api/mcp/message.h"
#include "base/clock.h"

namespace paddock::mcp {

inline constexpr const char* kTasksExtension = "io.modelcontextprotocol/tasks";
inline constexpr size_t kMostTasks = 256;   // kept at a time, of all sessions; those that ended longest ago go first
inline constexpr size_t kMostRunningTasks = 64;
inline constexpr std::chrono::hours kTaskLife{1};

// Any thread.
class Tasks {
 public:
  // A call that runs no longer than `patience` becomes no task.
  explicit Tasks(std::chrono::milliseconds patience = std::chrono::seconds(3)) : patience_(patience) {}
  ~Tasks() { End(); }
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  // Does the work on a thread of its own. It must not refer to what goes with the request. `stop` ends it while the client waits.
  using Work = std::function<Outcome(std::stop_token stop)>;
  // The work's outcome, or {"resultType": "task", "taskId" …}. Where there is no room for a task it waits for the work.
  Outcome Run(const std::string& session, Work work, std::stop_token stop);

  // A task from the beginning, which the client asked for (2025-11-25): its description. Nothing where there is no room.
  std::optional<json::object> Begin(const std::string& session, Work work);
  // The outcome of a task, waited for until `stop`; nothing for one that is not there, or another session's, or when it was stopped.
  std::optional<Outcome> WaitFor(const std::string& session, const std::string& id, std::stop_token stop);
  // As 2025-11-25 has it: {"taskId", "status", "ttl", …}, without the result.
  std::optional<json::object> GetPlain(const std::string& session, const std::string& id);
  std::vector<json::object> ListPlain(const std::string& session);   // oldest first
  // False: it has ended already.
  bool IsCancellable(const std::string& session, const std::string& id);

  // {"taskId", "status", …, "result"}. Nothing for one that is not there, or another session's.
  std::optional<json::object> Get(const std::string& session, const std::string& id);
  // Whether there is one. It ends soon; one that has ended stays as it is.
  bool Cancel(const std::string& session, const std::string& id);
  // Cancels all and waits until nothing runs.
  void End();

 private:
  struct Task {
    std::string id, session;
    Nanoseconds created{0}, updated{0};   // since 1970
    std::stop_source stop;
    std::atomic<bool> has_ended{false};
    bool is_kept = false;             // the client has its id
    std::optional<Outcome> outcome;   // when it has ended and is kept
  };
  std::shared_ptr<Task> Add(const std::string& session);                           // null: no room
  std::shared_ptr<Task> Find(const std::string& session, const std::string& id);   // under the lock
  void CancelAll();
  bool StartWork(const std::shared_ptr<Task>& task, const Work& work);
  static json::object Describe(const Task& task);
  static json::object DescribePlain(const Task& task);

  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::list<std::shared_ptr<Task>> tasks_;   // oldest first
  CallThreads threads_{kMostRunningTasks};   // the last: ended first
};

}  // namespace paddock::mcp
