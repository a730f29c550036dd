#include "api/rest/tickets.h"

#include <algorithm>

#include "base/id.h"
#include "text/digest.h"

namespace paddock::api {
namespace {

constexpr const char* kPrefix = "tkt_";

std::string KeyOf(std::string_view ticket) {
  return DigestOf(DigestAlgorithm::kSha256, ticket);
}

}  // namespace

void Tickets::Forget(Time now) {
  std::erase_if(issued_, [&](const auto& entry) { return entry.second.until <= now; });
}

Result<std::string> Tickets::Issue(const Identity& identity, std::string_view sandbox, Time now) {
  std::string ticket = NewId(kPrefix);
  const std::lock_guard lock(mutex_);
  Forget(now);
  const auto owned = std::count_if(issued_.begin(), issued_.end(), [&](const auto& entry) { return entry.second.identity.caller.owner == identity.caller.owner; });
  if (issued_.size() >= kMost || static_cast<size_t>(owned) >= kMostOfOwner) {
    return Error(Code::kLimit, "too many tickets wait to be used; each is good for a minute");
  }
  issued_[KeyOf(ticket)] = {.identity = identity, .sandbox = std::string(sandbox), .until = now + kLifetime};
  return ticket;
}

Result<Identity> Tickets::Take(std::string_view ticket, std::string_view sandbox, Time now) {
  const Error refused(Code::kAccess, "ticket: not one that is good here; each is good once, for a minute, for one sandbox");
  if (!IsId(ticket, kPrefix)) return refused;
  const std::lock_guard lock(mutex_);
  Forget(now);
  const auto found = issued_.find(KeyOf(ticket));
  if (found == issued_.end()) return refused;
  const Issued issued = std::move(found->second);
  issued_.erase(found);
  if (issued.sandbox != sandbox) return refused;
  return issued.identity;
}

}  // namespace paddock::api
