#include "registry/states/snapshots.h"

#include <algorithm>

#include "base/id.h"
#include "registry/request_check.h"
#include "text/utf8.h"

namespace paddock::registry {
namespace {

constexpr const char* kKind = "snapshot";
constexpr const char* kSandboxLabel = ":sandbox";   // no label of a user's has a colon

Error None(std::string_view id) {
  return Error(Code::kNoEntry, "no snapshot '" + std::string(id.substr(0, 100)) + "'");
}

Result<SnapshotInfo> InfoOf(records::Record& record) {
  SnapshotInfo info;
  PADDOCK_ASSIGN(info.state, ReadKeptState(record.body));
  info.id = std::move(record.id);
  info.owner = std::move(record.owner);
  info.name = std::move(record.name);
  info.labels = std::move(record.labels);
  info.created = record.created;
  info.belongs_to_sandbox = !record.parent.empty();
  if (const auto found = info.labels.find(kSandboxLabel); found != info.labels.end()) {
    info.sandbox = std::move(found->second);
    info.labels.erase(found);
  }
  return info;
}

Result<records::Record> Find(records::Records& records, const Caller& caller, std::string_view id) {
  auto record = records.Get(kKind, id.substr(0, records::kMaxId));
  if (!record && record.error().code == Code::kNoEntry) record = records.GetByName(kKind, caller.owner, "", id.substr(0, records::kMaxName));
  if (!record && (record.error().code == Code::kNoEntry || record.error().code == Code::kInvalid)) return None(id);
  if (!record) return record.error();
  if (record->owner != caller.owner && !caller.is_admin) return None(id);
  return record;
}

}  // namespace

namespace kept_internal {

Result<records::Record> InsertState(records::Records& records, records::Record record, const KeptState& state, const KeptLimits& limits, const char* what,
                                    const FinishRecord& finish, const Once& once) {
  records::Record stored;
  const Status inserted = records.Transact([&](records::Transaction& transaction) -> Status {
    if (once.has_key()) {
      PADDOCK_ASSIGN(const std::optional<std::string> before, UseOnce(transaction, once, record.id));
      if (before) {
        stored = {};
        stored.kind = record.kind;
        stored.id = *before;
        return {};
      }
    }
    if (!record.parent.empty()) {
      const auto sandbox = transaction.Get("sandbox", record.parent);
      if (!sandbox && sandbox.error().code != Code::kNoEntry) return sandbox.error();
      if (!sandbox || sandbox->state == SandboxStateName(SandboxState::kDeleting)) return Error(Code::kNoEntry, "no sandbox '" + record.parent + "'");
      PADDOCK_ASSIGN(const size_t of_sandbox, transaction.Count({.kind = record.kind, .parent = record.parent}, limits.most_of_sandbox));
      if (of_sandbox >= limits.most_of_sandbox) {
        return Error(Code::kQuota, record.parent + " has " + std::to_string(of_sandbox) + " " + what + ", the most there may be");
      }
    }
    PADDOCK_ASSIGN(const size_t count, transaction.Count({.kind = record.kind, .owner = record.owner}, limits.most));
    if (count >= limits.most) return Error(Code::kQuota, "you have " + std::to_string(count) + " " + what + ", the most you may have; delete some");
    const auto bytes = static_cast<int64_t>(std::min<uint64_t>(state.totals.content_bytes, records::kMaxCounter));
    const auto most = static_cast<int64_t>(std::min<uint64_t>(limits.most_bytes, records::kMaxCounter));
    auto added = transaction.AddToCounter(record.owner, kBytesCounter, bytes, {.least = 0, .most = most});
    if (!added && added.error().code == Code::kLimit) {
      return Error(Code::kQuota, "your snapshots and templates would hold more than " + std::to_string(limits.most_bytes) + " bytes; delete some");
    }
    if (!added) return added.error();
    records::Record one = record;
    if (finish) PADDOCK_TRY(finish(transaction, one));
    PADDOCK_ASSIGN(stored, transaction.Insert(std::move(one)));
    return {};
  });
  if (!inserted) return inserted.error();
  return stored;
}

Status DeleteState(records::Records& records, const records::Record& record, const KeptState& state) {
  return records.Transact([&](records::Transaction& transaction) -> Status {
    PADDOCK_TRY(transaction.Delete(record.kind, record.id));
    const auto bytes = static_cast<int64_t>(std::min<uint64_t>(state.totals.content_bytes, records::kMaxCounter));
    PADDOCK_TRY(transaction.AddToCounter(record.owner, kBytesCounter, -bytes));
    return {};
  });
}

Status AddRootsOfKind(records::Records& records, const char* kind, std::vector<trees::ObjectId>& roots) {
  records::ListQuery query{.filter = {.kind = kind}, .limit = records::kMaxPage};
  do {
    PADDOCK_ASSIGN(const records::Page page, records.List(query));
    for (const records::Record& record : page.records) {
      const auto state = ReadKeptState(record.body);
      if (!state) return Error(state.error().code, record.id + ": " + std::string(state.error().Text()));
      AddRoots(*state, roots);
    }
    query.cursor = page.next;
  } while (!query.cursor.empty());
  return {};
}

}  // namespace kept_internal

Result<SnapshotInfo> Snapshots::Add(trees::Session& session, const std::string& owner, const SnapshotRequest& request, const std::string& sandbox,
                                    const SavedState& state, const std::string& isolation, const Once& once) {
  if (!request.name.empty()) PADDOCK_TRY(CheckName(request.name));
  if (request.name.starts_with("snap_")) return Error(Code::kInvalid, "name '" + request.name + "' looks like an id; choose one without 'snap_' in front");
  PADDOCK_TRY(CheckLabels(request.labels));
  if (request.labels.size() == records::kMaxLabels) return Error(Code::kInvalid, "labels: a snapshot takes 63, not 64");
  PADDOCK_ASSIGN(const KeptState kept, KeepState(session, state, isolation, sandbox));
  records::Record record;
  record.kind = kKind;
  record.id = NewId("snap_");
  record.owner = owner;
  if (request.belongs_to_sandbox) record.parent = sandbox;
  record.name = request.name;
  record.state = "ready";
  record.body = TextOf(kept);
  record.labels = request.labels;
  if (!sandbox.empty()) record.labels[kSandboxLabel] = sandbox;
  const auto own = owners_.find(owner);
  auto stored = kept_internal::InsertState(records_, record, kept, own != owners_.end() ? own->second : limits_, "snapshots", {}, once);
  if (!stored && stored.error().code == Code::kExists) {
    return Error(Code::kExists, "you have a snapshot named '" + request.name + "'; choose another name, or delete that one");
  }
  if (!stored) return stored.error();
  if (stored->id == record.id) return InfoOf(*stored);
  auto before = Get({.owner = owner}, stored->id);
  if (!before && before.error().code == Code::kNoEntry) return MadeAndGone(once, stored->id);
  if (before) before->is_new = false;
  return before;
}

Result<SnapshotInfo> Snapshots::Get(const Caller& caller, std::string_view id) const {
  PADDOCK_ASSIGN(records::Record record, Find(records_, caller, id));
  return InfoOf(record);
}

Result<SnapshotInfo> Snapshots::GetOf(const std::string& owner, const std::string& sandbox, std::string_view id) const {
  const Error none(Code::kNoEntry, "no snapshot '" + HarmlessLine(id.substr(0, 100)) + "' of " + sandbox);
  if (id.size() > records::kMaxId || id.find('\0') != std::string_view::npos || !IsValidUtf8(id)) return none;
  auto record = records_.Get(kKind, id);
  if (!record && record.error().code == Code::kNoEntry) record = records_.GetByName(kKind, owner, sandbox, id);
  if (!record && record.error().code == Code::kNoEntry) record = records_.GetByName(kKind, owner, "", id);
  if (!record && record.error().code == Code::kNoEntry) return none;
  if (!record) return record.error();
  PADDOCK_ASSIGN(SnapshotInfo info, InfoOf(*record));
  if (info.owner != owner || info.sandbox != sandbox) return none;
  return info;
}

Result<std::vector<std::string>> Snapshots::DeleteOf(const std::string& sandbox) {
  std::vector<std::string> ids;
  while (true) {
    PADDOCK_ASSIGN(const records::Page page, records_.List({.filter = {.kind = kKind, .parent = sandbox}, .limit = records::kMaxPage}));
    if (page.records.empty()) return ids;
    for (const records::Record& record : page.records) {
      PADDOCK_ASSIGN(const KeptState state, ReadKeptState(record.body));
      const Status deleted = kept_internal::DeleteState(records_, record, state);
      if (!deleted && deleted.error().code != Code::kNoEntry) return deleted.error();
      if (deleted) ids.push_back(record.id);
    }
  }
}

Result<SnapshotPage> Snapshots::List(const Caller& caller, const SnapshotListRequest& request) const {
  if (request.limit < 1 || request.limit > records::kMaxPage) return Error(Code::kInvalid, "limit must be between 1 and 1000");
  records::ListQuery query{.filter = {.kind = kKind, .labels = request.labels}, .limit = request.limit, .cursor = request.cursor};
  if (!caller.is_admin && !request.owner.empty() && request.owner != caller.owner) return SnapshotPage{};
  if (!caller.is_admin) query.filter.owner = caller.owner;
  else if (!request.owner.empty()) query.filter.owner = request.owner;
  if (!request.name.empty()) query.filter.name = request.name;
  if (!request.sandbox.empty()) query.filter.labels[kSandboxLabel] = request.sandbox;
  PADDOCK_ASSIGN(records::Page page, records_.List(query));
  SnapshotPage answer;
  for (records::Record& record : page.records) {
    PADDOCK_ASSIGN(SnapshotInfo info, InfoOf(record));
    answer.snapshots.push_back(std::move(info));
  }
  answer.next = std::move(page.next);
  return answer;
}

Status Snapshots::Delete(const Caller& caller, std::string_view id) {
  PADDOCK_ASSIGN(const records::Record record, Find(records_, caller, id));
  PADDOCK_ASSIGN(const KeptState state, ReadKeptState(record.body));
  const Status deleted = kept_internal::DeleteState(records_, record, state);
  if (!deleted && deleted.error().code == Code::kNoEntry) return None(id);   // somebody was faster
  return deleted;
}

Status Snapshots::AddAllRoots(std::vector<trees::ObjectId>& roots) const {
  return kept_internal::AddRootsOfKind(records_, kKind, roots);
}

}  // namespace paddock::registry
