// Snapshots: states of sandboxes under ids of their own, which outlive the sandboxes.
//
// A record in the database names a tree in the store; what no record names any more, a collection takes. Ownership is as in the
// registry: whoever asks for what is absent, or somebody else's, gets the same answer (kNoEntry, "no snapshot 'ID'").
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/stream.h"
#include "registry/caller.h"
#include "registry/entry/description.h"
#include "registry/once.h"
#include "registry/states/kept_state.h"
#include "store/records/records.h"

namespace paddock::registry {

struct SnapshotInfo {
  std::string id;        // snap_…
  std::string owner;
  std::string name;      // unique with its owner, or, if it belongs to one, its sandbox; empty: none
  std::string sandbox;   // id of the one that it was taken of, which may be gone; empty: it came from outside
  bool belongs_to_sandbox = false;
  Labels labels;
  Time created{};
  KeptState state;
  bool is_new = true;    // false: an idempotency key had made it
};

struct SnapshotRequest {
  std::string name;
  Labels labels;
  // It is gone with its sandbox, its name is unique among those of that, and each sandbox has few of them (KeptLimits::most_of_sandbox).
  bool belongs_to_sandbox = false;
  std::string idempotency_key;   // of Registry::TakeSnapshot()
};

struct SnapshotListRequest {
  std::string sandbox, name, owner;   // empty: any; owner only for an admin
  Labels labels;
  size_t limit = 100;
  std::string cursor;
};
struct SnapshotPage {
  std::vector<SnapshotInfo> snapshots;   // oldest first
  std::string next;
};

// Of one owner; snapshots and templates are counted apart, their bytes together.
struct KeptLimits {
  size_t most = 1000;
  size_t most_of_sandbox = 32;          // snapshots that belong to one sandbox
  uint64_t most_bytes = 100ull << 30;   // sum of the sizes of their files
};

// Any thread.
class Snapshots {
 public:
  // `records` outlives it.
  Snapshots(std::shared_ptr<trees::Store> store, records::Records& records, KeptLimits limits, std::map<std::string, KeptLimits> owners = {})
      : store_(std::move(store)), records_(records), limits_(limits), owners_(std::move(owners)) {}

  // Notes a state that the session holds. Durable when it returns. Errors: kInvalid (names the field), kExists (the name), kQuota, kConflict
  // (the key), those of store and database.
  Result<SnapshotInfo> Add(trees::Session& session, const std::string& owner, const SnapshotRequest& request, const std::string& sandbox,
                           const SavedState& state, const std::string& isolation, const Once& once = {});
  // One of this sandbox, by its id or name. Errors: kNoEntry, the same for those of other sandboxes and absent ones.
  Result<SnapshotInfo> GetOf(const std::string& owner, const std::string& sandbox, std::string_view id) const;
  // Deletes those that belong to a sandbox; it is on record as being deleted, so no more can come. Returns their ids.
  Result<std::vector<std::string>> DeleteOf(const std::string& sandbox);
  // `id` may be a name of the caller's.
  Result<SnapshotInfo> Get(const Caller& caller, std::string_view id) const;
  Result<SnapshotPage> List(const Caller& caller, const SnapshotListRequest& request) const;
  Status Delete(const Caller& caller, std::string_view id);

  // The trees of all.
  Status AddAllRoots(std::vector<trees::ObjectId>& roots) const;
  const std::shared_ptr<trees::Store>& store() const { return store_; }

 private:
  const std::shared_ptr<trees::Store> store_;
  records::Records& records_;
  const KeptLimits limits_;
  const std::map<std::string, KeptLimits> owners_;   // of whom they are others
};

// For what keeps states under other names: templates.h.
namespace kept_internal {
inline constexpr const char* kBytesCounter = "kept_bytes";   // of an owner's
// Inserts the record of a state, counting it against its owner's limits; and takes it back. `finish` sees the record within the
// transaction, which may run more than once. What the key made before is the answer, with kind and id alone. Errors of InsertState: kQuota,
// kExists, kConflict.
using FinishRecord = std::function<Status(records::Transaction& transaction, records::Record& record)>;
Result<records::Record> InsertState(records::Records& records, records::Record record, const KeptState& state, const KeptLimits& limits, const char* what,
                                    const FinishRecord& finish = {}, const Once& once = {});
Status DeleteState(records::Records& records, const records::Record& record, const KeptState& state);
Status AddRootsOfKind(records::Records& records, const char* kind, std::vector<trees::ObjectId>& roots);
}  // namespace kept_internal

}  // namespace paddock::registry
