#include "net/shares.h"

namespace paddock::net {

Result<Shares::Place> Shares::Take(const std::string& owner) {
  {
    const std::lock_guard lock(counts_->mutex);
    const auto found = counts_->of.find(owner);
    const size_t count = found == counts_->of.end() ? 0 : found->second;
    if (count >= most_) {
      return Error(Code::kLimit, "you have " + std::to_string(count) + " " + what_ + " open, the most that one owner gets; wait until some of them end");
    }
    counts_->of[owner] = count + 1;
  }
  return Place(counts_.get(), [counts = counts_, owner](const void*) {
    const std::lock_guard lock(counts->mutex);
    const auto found = counts->of.find(owner);
    if (--found->second == 0) counts->of.erase(found);
  });
}

}  // namespace paddock::net
