// The requests of one client that are being answered: by id, so that it can cancel them, and no more than are allowed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "api/mcp/message.h"

namespace paddock::mcp {

inline constexpr size_t kMostCalls = 64;   // of one client at a time

// Any thread. What Begin() gives may outlive the table.
class CallTable {
 public:
  // One request's place; gives it back when it goes.
  class Place {
   public:
    Place(std::shared_ptr<CallTable> table, std::string key) : table_(std::move(table)), key_(std::move(key)) {}
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    std::stop_token stop() const { return source_.get_token(); }
    void Cancel() { source_.request_stop(); }
    // The client wants no answer any more.
    bool is_cancelled() const { return source_.stop_requested(); }

   private:
    friend class CallTable;
    const std::shared_ptr<CallTable> table_;
    const std::string key_;
    std::stop_source source_;
  };

  explicit CallTable(size_t most = kMostCalls) : most_(most) {}
  // Errors: kTooBusy; kInvalidRequest for an id that is in use.
  static std::variant<std::shared_ptr<Place>, RpcError> Begin(const std::shared_ptr<CallTable>& table, const json::value& id);
  // Does what a notifications/cancelled says: of a request that is not there, or no id, nothing.
  void Cancel(const json::object& params);
  void CancelAll();

 private:
  const size_t most_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Place>> places_;
};

}  // namespace paddock::mcp
