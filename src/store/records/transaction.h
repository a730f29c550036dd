// Transaction: the writes that take place together or not at all.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/records/record.h"

namespace paddock::records {

class Session;

// Made by Records::Transact(), which commits what its body did when the body returns without an error. Sees its own
// writes. One thread, and only until the body returns.
//
// Errors of every call, besides its own: kInvalid (a bound, bad UTF-8), and the storage errors of records.h. After a
// storage error the whole transaction fails, whatever the body returns.
class Transaction {
 public:
  Transaction(Session& session, Time now) : session_(session), now_(now) {}
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // The time that this transaction's records and events carry.
  Time now() const { return now_; }

  // kNoEntry: none has this id, or name.
  Result<Record> Get(std::string_view kind, std::string_view id);
  Result<Record> GetByName(std::string_view kind, std::string_view owner, std::string_view parent, std::string_view name);
  // How many match, at most `most`.
  Result<size_t> Count(const Filter& filter, size_t most);

  // kExists: the id or the name is taken; the text says which. Returns the record as stored.
  Result<Record> Insert(Record record);
  // Replaces name, state, labels, body, expiry and claim of the record with this kind, id and version, and returns it
  // with its new version. kNoEntry: gone. kConflict: another version is stored. kExists: the name is taken.
  // kInvalid: owner or parent differ from the stored ones.
  Result<Record> Update(Record record);
  // kNoEntry: gone. kConflict: another version is stored than the one expected (none expected: any will do).
  Status Delete(std::string_view kind, std::string_view id, std::optional<int64_t> version = std::nullopt);
  // Deletes up to `limit` records of a kind below a parent; returns how many.
  Result<size_t> DeleteChildren(std::string_view kind, std::string_view parent, size_t limit = kMaxPage);

  // Takes up to `limit` records of a kind whose expiry has come and whom nobody claims (or whose claimer's deadline has
  // passed), oldest expiry first, for `claim_for`. Each gets a new version, so whoever read it before loses its Update.
  // The claimer ends a claim with Delete, or with an Update that sets the claim to nobody; if it lost the claim to another,
  // that fails with kConflict. Claimers on several daemons never get the same record; the daemons' clocks have to agree
  // to well below `claim_for`.
  Result<std::vector<Record>> ClaimExpired(std::string_view kind, std::string_view claimer, Duration claim_for, size_t limit);

  // Appends to a stream's log and returns the sequence number of the last one. The numbers and times in `events` are not read.
  Result<int64_t> AppendEvents(std::string_view stream, std::span<const Event> events);
  // Drops the events before `before` and all but the newest `keep`, at most 10,000 in one call; returns how many went.
  Result<size_t> TrimEvents(std::string_view stream, Time before, size_t keep);

  // Keeps an idempotency key for a request's digest until `expires`, or says what it was used for. An expired key is new.
  Result<KeyState> UseKey(std::string_view owner, std::string_view key, std::string_view request_digest, Time expires);
  // Stores what a repetition of the request gets. kNoEntry: the key is not kept.
  Status SetKeyResult(std::string_view owner, std::string_view key, std::string_view result);
  // Forgets a key: the next use of it is new. Nothing to do for one that is not kept.
  Status DropKey(std::string_view owner, std::string_view key);
  // Drops up to 10,000 expired keys; returns how many.
  Result<size_t> DropExpiredKeys();

  // Adds to a counter that starts at 0 and returns its new value. kLimit: it would leave the bounds; it is as it was.
  Result<int64_t> AddToCounter(std::string_view owner, std::string_view name, int64_t amount, Bounds bounds = {});

 private:
  Status CheckNameIsFree(const Record& record);

  Session& session_;
  Time now_;
};

}  // namespace paddock::records
