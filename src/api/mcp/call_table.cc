#include "api/mcp/call_table.h"

#include <vector>

namespace paddock::mcp {

CallTable::Place::~Place() {
  const std::lock_guard lock(table_->mutex_);
  table_->places_.erase(key_);
}

std::variant<std::shared_ptr<CallTable::Place>, RpcError> CallTable::Begin(const std::shared_ptr<CallTable>& table,
                                                                           const json::value& id) {
  std::string key = IdKey(id);
  const std::lock_guard lock(table->mutex_);
  if (table->places_.contains(key)) {
    return RpcError{.code = kInvalidRequest, .message = "id: a request with this id is being answered", .data = nullptr};
  }
  if (table->places_.size() >= table->most_) {
    return RpcError{.code = kTooBusy,
                    .message = std::to_string(table->most_) + " requests are being answered, the most at a time; wait for one",
                    .data = nullptr};
  }
  auto place = std::make_shared<Place>(table, key);
  table->places_.emplace(std::move(key), place);
  return place;
}

void CallTable::Cancel(const json::object& params) {
  const json::value* const id = params.if_contains("requestId");
  if (id == nullptr || (!id->is_string() && !id->is_int64() && !id->is_uint64())) return;
  std::shared_ptr<Place> place;   // its end and the callbacks of its stop are outside of the lock
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = places_.find(IdKey(*id)); found != places_.end()) place = found->second.lock();
  }
  if (place) place->Cancel();
}

void CallTable::CancelAll() {
  std::vector<std::shared_ptr<Place>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, place] : places_) {
      if (auto held = place.lock()) all.push_back(std::move(held));
    }
  }
  for (const auto& place : all) place->Cancel();
}

}  // namespace paddock::mcp
