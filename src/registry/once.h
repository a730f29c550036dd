// Once: what is made for a request that may come again, because its answer was lost: an idempotency key and what it was first used for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/records/transaction.h"

namespace paddock::registry {

struct Once {
  std::string owner;
  std::string key;       // empty: each request makes another one
  std::string digest;    // of all that the request says
  records::Time expires{};

  bool has_key() const { return !key.empty(); }
};

// What the key made before; without one it stands for `id` from now on, if the transaction takes place. Errors: kConflict when it was used
// for another request.
Result<std::optional<std::string>> UseOnce(records::Transaction& transaction, const Once& once, const std::string& id);

// kConflict: what the key made is no more.
Error MadeAndGone(const Once& once, const std::string& id);

// A digest of texts in their order.
std::string DigestOfTexts(const std::vector<std::string>& texts);

}  // namespace paddock::registry
