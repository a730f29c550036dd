#include "api/mcp/tasks.h"

#include <algorithm>

#include "base/id.h"
#include "tools/offer/sandbox_choice.h"

namespace paddock::mcp {
namespace {

constexpr int kPollMs = 1000;

Nanoseconds Now() { return std::chrono::duration_cast<Nanoseconds>(std::chrono::system_clock::now().time_since_epoch()); }

}  // namespace

std::shared_ptr<Tasks::Task> Tasks::Add(const std::string& session) {
  auto task = std::make_shared<Task>();
  task->id = NewId("task_");
  task->session = session;
  task->created = task->updated = Now();
  const std::lock_guard lock(mutex_);
  std::erase_if(tasks_, [&](const auto& each) { return each->has_ended && task->created - each->created > kTaskLife; });
  if (tasks_.size() >= kMostTasks) {
    const auto ended = std::find_if(tasks_.begin(), tasks_.end(), [](const auto& each) { return each->has_ended.load(); });
    if (ended == tasks_.end()) return nullptr;
    tasks_.erase(ended);
  }
  tasks_.push_back(task);
  return task;
}

bool Tasks::StartWork(const std::shared_ptr<Task>& task, const Work& work) {
  return threads_.Start([this, task, work] {
    Outcome outcome = work(task->stop.get_token());
    const std::lock_guard lock(mutex_);
    task->outcome = std::move(outcome);
    task->updated = Now();
    task->has_ended = true;
    ended_.notify_all();
  });
}

std::optional<json::object> Tasks::Begin(const std::string& session, Work work) {
  const std::shared_ptr<Task> task = Add(session);
  if (!task) return std::nullopt;
  {
    const std::lock_guard lock(mutex_);
    task->is_kept = true;
  }
  const bool has_begun = StartWork(task, work);
  const std::lock_guard lock(mutex_);
  if (!has_begun) {
    std::erase(tasks_, task);
    return std::nullopt;
  }
  json::object shown = DescribePlain(*task);
  shown["status"] = "working";   // it may have ended this moment
  return shown;
}

std::optional<Outcome> Tasks::WaitFor(const std::string& session, const std::string& id, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  const std::shared_ptr<Task> task = Find(session, id);
  if (!task || !ended_.wait(lock, std::move(stop), [&] { return task->has_ended.load(); })) return std::nullopt;
  return task->outcome;
}

std::optional<json::object> Tasks::GetPlain(const std::string& session, const std::string& id) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Task> task = Find(session, id);
  return task ? std::optional(DescribePlain(*task)) : std::nullopt;
}

std::vector<json::object> Tasks::ListPlain(const std::string& session) {
  std::vector<json::object> list;
  const std::lock_guard lock(mutex_);
  for (const auto& task : tasks_) {
    if (task->is_kept && task->session == session) list.push_back(DescribePlain(*task));
  }
  return list;
}

bool Tasks::IsCancellable(const std::string& session, const std::string& id) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Task> task = Find(session, id);
  return task && !task->has_ended && !task->stop.stop_requested();
}

json::object Tasks::DescribePlain(const Task& task) {
  json::object shown = Describe(task);
  // Here what a tool says of its own failure is one of the task's.
  if (const json::object* const result = ObjectAt(shown, "result"); result != nullptr && shown.at("status") == "completed") {
    const json::value* const is_error = result->if_contains("isError");
    if (is_error != nullptr && is_error->is_bool() && is_error->get_bool()) shown["status"] = "failed";
  }
  // A cancelled one is that from the moment on.
  if (task.stop.stop_requested() && shown.at("status") == "working") shown["status"] = "cancelled";
  shown["ttl"] = std::chrono::milliseconds(kTaskLife).count();
  shown["pollInterval"] = kPollMs;
  for (const char* other : {"ttlMs", "pollIntervalMs", "result", "error"}) shown.erase(other);
  return shown;
}

Outcome Tasks::Run(const std::string& session, Work work, std::stop_token stop) {
  const std::shared_ptr<Task> task = Add(session);
  if (!task) return work(stop);
  const bool has_begun = StartWork(task, work);
  std::unique_lock lock(mutex_);
  if (!has_begun) {
    std::erase(tasks_, task);
    lock.unlock();
    return work(stop);
  }
  bool is_in_time = false;
  {
    lock.unlock();
    const std::stop_callback forward(stop, [&task] { task->stop.request_stop(); });
    lock.lock();
    is_in_time = ended_.wait_for(lock, patience_, [&] { return task->has_ended || stop.stop_requested(); });
    lock.unlock();   // the callback's end waits for a callback that runs
  }
  lock.lock();
  if (is_in_time) {
    ended_.wait(lock, [&] { return task->has_ended.load(); });   // it was stopped
    std::erase(tasks_, task);
    return std::move(*task->outcome);
  }
  task->is_kept = true;
  json::object handle = Describe(*task);
  handle.erase("result");   // it may have ended this moment
  handle.erase("error");
  handle["status"] = "working";
  handle["resultType"] = "task";
  return handle;
}

json::object Tasks::Describe(const Task& task) {
  json::object shown = {{"taskId", task.id},
                        {"createdAt", tools::TimeText(task.created)},
                        {"lastUpdatedAt", tools::TimeText(task.updated)},
                        {"ttlMs", std::chrono::milliseconds(kTaskLife).count()},
                        {"pollIntervalMs", kPollMs}};
  if (!task.has_ended) {
    shown["status"] = "working";
  } else if (task.stop.stop_requested()) {
    shown["status"] = "cancelled";
  } else if (const auto* const result = std::get_if<json::object>(&*task.outcome)) {
    shown["status"] = "completed";
    shown["result"] = *result;
  } else {
    const RpcError& error = std::get<RpcError>(*task.outcome);
    shown["status"] = "failed";
    shown["statusMessage"] = error.message;
    shown["error"] = json::object{{"code", error.code}, {"message", error.message}};
  }
  return shown;
}

std::shared_ptr<Tasks::Task> Tasks::Find(const std::string& session, const std::string& id) {
  for (const auto& task : tasks_) {
    if (task->is_kept && task->id == id && task->session == session) return task;
  }
  return nullptr;
}

std::optional<json::object> Tasks::Get(const std::string& session, const std::string& id) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Task> task = Find(session, id);
  return task ? std::optional(Describe(*task)) : std::nullopt;
}

bool Tasks::Cancel(const std::string& session, const std::string& id) {
  std::shared_ptr<Task> task;
  {
    const std::lock_guard lock(mutex_);
    task = Find(session, id);
    if (!task || task->has_ended) return task != nullptr;
  }
  task->stop.request_stop();
  return true;
}

void Tasks::CancelAll() {
  std::list<std::shared_ptr<Task>> all;
  {
    const std::lock_guard lock(mutex_);
    std::copy_if(tasks_.begin(), tasks_.end(), std::back_inserter(all), [](const auto& task) { return !task->has_ended; });
  }
  for (const auto& task : all) task->stop.request_stop();
}

void Tasks::End() {
  do CancelAll();
  while (!threads_.WaitFor(std::chrono::milliseconds(1000)));
}

}  // namespace paddock::mcp
