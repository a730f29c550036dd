// Shares: of what all owners of requests use together, how much each has in use, so that none takes it all.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"

namespace paddock::net {

// Any thread.
class Shares {
 public:
  // Held by whoever uses one of them; may outlive the Shares.
  using Place = std::shared_ptr<const void>;

  // At most `most` for one owner; `what` names them in the plural.
  Shares(size_t most, std::string what) : most_(most), what_(std::move(what)) {}

  // Errors: kLimit, for the owner to read.
  Result<Place> Take(const std::string& owner);

 private:
  struct Counts {
    std::mutex mutex;
    std::map<std::string, size_t> of;   // owners with at least one
  };

  const size_t most_;
  const std::string what_;
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace paddock::net
