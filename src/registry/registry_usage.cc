// The registry's books: what sandboxes have used, noted every few seconds, kept for as long as it was asked for, and read back.
#include <sys/stat.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "registry/registry.h"

namespace paddock::registry {
namespace {

constexpr const char* kKind = "usage";
constexpr size_t kBatch = 16;            // stretches written in one transaction
constexpr size_t kMostRead = 200'000;    // stretches looked at for one answer

std::string IdOf(const UsageStretch& stretch) {
  return stretch.sandbox + "." + std::to_string(stretch.from.time_since_epoch().count());
}

Status Put(records::Transaction& transaction, const UsageStretch& stretch, const char* state, std::optional<Time> expires) {
  records::Record record;
  record.kind = kKind;
  record.id = IdOf(stretch);
  record.owner = stretch.owner;
  record.parent = stretch.sandbox;
  record.state = state;
  record.expires = expires;
  record.body = UsageText(stretch);
  const auto stored = transaction.Get(kKind, record.id);
  if (!stored && stored.error().code != Code::kNoEntry) return stored.error();
  if (stored) {
    record.version = stored->version;
    PADDOCK_TRY(transaction.Update(std::move(record)));
  } else {
    PADDOCK_TRY(transaction.Insert(std::move(record)));
  }
  return {};
}

Result<UsageStretch> StretchOf(const records::Record& record) {
  UsageStretch stretch;
  PADDOCK_TRY(ReadUsage(record.body, stretch));
  stretch.sandbox = record.parent;
  stretch.owner = record.owner;
  return stretch;
}

bool IsInternal(const SandboxEntry& entry) {
  bool is_internal = false;
  entry.Read([&](const SandboxInfo& info) { is_internal = info.request.is_internal; });
  return is_internal;
}

// Sums stretches up, by group.
class Sum {
 public:
  Sum(const UsageQuery& query, Time since, Time until) : query_(query), since_(since), until_(until) {}

  void Add(const UsageStretch& stretch) {
    if (stretch.from >= until_ || stretch.until < since_) return;
    const Duration whole = stretch.until - stretch.from;
    const Duration part = std::min(stretch.until, until_) - std::max(stretch.from, since_);
    if (stretch.is_even && part.count() <= 0) return;
    const UsageAmounts amounts = stretch.is_even ? stretch.amounts.Part(part, whole) : stretch.amounts;
    total_.amounts.Add(amounts);
    sandboxes_.insert(stretch.sandbox);
    if (query_.group == UsageQuery::Group::kNone) return;
    auto& [sum, members] = groups_[KeyOf(stretch)];
    sum.Add(amounts);
    members.insert(stretch.sandbox);
  }

  UsageAnswer Answer() {
    UsageAnswer answer{.since = since_, .until = until_, .total = std::move(total_), .groups = {}};
    answer.total.sandboxes = sandboxes_.size();
    for (auto group = query_.after.empty() ? groups_.begin() : groups_.upper_bound(query_.after); group != groups_.end(); ++group) {
      if (answer.groups.size() == query_.limit) {
        answer.has_more = true;
        break;
      }
      answer.groups.push_back({.key = group->first, .sandboxes = group->second.second.size(), .amounts = group->second.first});
    }
    return answer;
  }

 private:
  std::string KeyOf(const UsageStretch& stretch) const {
    if (query_.group == UsageQuery::Group::kOwner) return stretch.owner;
    if (query_.group == UsageQuery::Group::kSandbox) return stretch.sandbox;
    const auto found = stretch.labels.find(query_.label);
    return found == stretch.labels.end() ? std::string() : found->second;
  }

  const UsageQuery& query_;
  const Time since_, until_;
  UsageGroup total_;
  std::unordered_set<std::string> sandboxes_;
  std::map<std::string, std::pair<UsageAmounts, std::unordered_set<std::string>>> groups_;
};

}  // namespace

Ledger::Past Registry::PastOf(const std::string& id) const {
  return {.newest = [this, id]() -> std::optional<UsageStretch> {
            records::ListQuery query{.filter = {.kind = kKind, .parent = id}, .is_newest_first = true, .limit = 1};
            const auto page = records_.List(query);
            if (!page || page->records.empty()) return std::nullopt;
            auto stretch = StretchOf(page->records[0]);
            return stretch ? std::optional(std::move(*stretch)) : std::nullopt;
          },
          .last_seen = last_seen_,
          .began = began_};
}

void Registry::NoteUsage(Time now, bool closes) {
  std::vector<EntryPtr> changed;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [id, entry] : entries_) {
      if (closes || entry->ledger().is_dirty() || entry->ledger().is_active()) changed.push_back(entry);
    }
  }
  std::vector<std::pair<EntryPtr, std::vector<UsageStretch>>> batch;
  size_t size = 0;
  const auto write = [&] {
    const Status written = records_.Transact([&](records::Transaction& transaction) -> Status {
      for (const auto& [entry, stretches] : batch) {
        const auto home = transaction.Get("sandbox", entry->id());
        if (!home && home.error().code == Code::kNoEntry) continue;   // its deletion wrote them
        if (!home) return home.error();
        for (const UsageStretch& stretch : stretches) PADDOCK_TRY(Put(transaction, stretch, "living", std::nullopt));
      }
      return {};
    });
    for (const auto& [entry, stretches] : batch) {
      if (written) entry->ledger().Written(stretches);
      else entry->ledger().Retry();
    }
    batch.clear();
    size = 0;
  };
  for (const EntryPtr& entry : changed) {
    if (IsInternal(*entry)) continue;
    entry->SampleUsage(now);
    auto stretches = entry->ledger().Unwritten(closes, now);
    if (stretches.empty()) continue;
    size += stretches.size();
    batch.emplace_back(entry, std::move(stretches));
    if (size >= kBatch) write();
  }
  if (!batch.empty()) write();
}

// A state that cannot be stored holds all the same while the daemon lives; after a crash the last stored one does. What was used in the
// state before is noted with it: that cannot be told from the state any more.
void Registry::StateChanged(const SandboxInfo& info) {
  EntryPtr entry;
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = entries_.find(info.id); found != entries_.end()) entry = found->second;
  }
  std::vector<UsageStretch> stretches;
  if (entry != nullptr && !info.request.is_internal) stretches = entry->ledger().Unwritten(false, Now());
  const Status saved = Save(info, [&](records::Transaction& transaction) -> Status {
    for (const UsageStretch& stretch : stretches) PADDOCK_TRY(Put(transaction, stretch, "living", std::nullopt));
    return {};
  });
  if (entry != nullptr && saved) entry->ledger().Written(stretches);
  else if (entry != nullptr) entry->ledger().Retry();
  events_.Publish({.owner = info.owner,
                   .type = std::string("sandbox.") + SandboxStateName(info.state),
                   .subject = info.id,
                   .detail = saved ? "{}" : R"({"is_stored":false})"});
}

Status Registry::DeleteRecord(const EntryPtr& entry) {
  const Time now = Now();
  const auto stretches = entry->ledger().Unwritten(true, now);
  std::optional<Time> expires;
  if (settings_.keep_deleted) expires = now + *settings_.keep_deleted;
  const std::string& id = entry->id();
  std::optional<records::Record> newest;
  if (stretches.empty() && expires) {
    PADDOCK_ASSIGN(const records::Page page, records_.List({.filter = {.kind = kKind, .parent = id}, .is_newest_first = true, .limit = 1}));
    if (!page.records.empty()) newest = page.records[0];
  }
  const bool is_internal = IsInternal(*entry);
  return records_.Transact([&](records::Transaction& transaction) -> Status {
    for (size_t i = 0; i < stretches.size() && !is_internal; ++i) {
      const bool is_last = i + 1 == stretches.size();
      PADDOCK_TRY(Put(transaction, stretches[i], is_last ? "deleted" : "living", is_last ? expires : std::nullopt));
    }
    if (newest) {
      records::Record last = *newest;
      last.state = "deleted";
      last.expires = expires;
      PADDOCK_TRY(transaction.Update(std::move(last)));
    }
    return transaction.Delete("sandbox", id);
  });
}

void Registry::ForgetDeleted() {
  while (true) {
    const auto expired = records_.ClaimExpired(kKind, "usage", std::chrono::minutes(1), 100);
    if (!expired || expired->empty()) return;
    for (const records::Record& record : *expired) {
      while (true) {
        size_t gone = 0;
        const Status deleted = records_.Transact([&](records::Transaction& transaction) -> Status {
          PADDOCK_ASSIGN(gone, transaction.DeleteChildren(kKind, record.parent));
          return {};
        });
        if (!deleted) return;   // at the next turn
        if (gone < records::kMaxPage) break;
      }
    }
  }
}

Result<UsageAnswer> Registry::Usage(const Caller& caller, const UsageQuery& asked) const {
  UsageQuery query = asked;
  if (query.limit < 1 || query.limit > 1000) return Error(Code::kInvalid, "limit must be between 1 and 1000");
  const Time now = Now();
  const Time since = HourOf(query.since.value_or(Time(Duration(0))));
  const Time until = query.until ? HourOf(*query.until + std::chrono::hours(1) - Duration(1)) : now + Duration(1);
  if (until <= since) return Error(Code::kInvalid, "until must lie behind since");
  if (!caller.is_admin && !query.owner.empty() && query.owner != caller.owner) {
    return Sum(query, since, std::min(until, now)).Answer();
  }
  if (!caller.is_admin) query.owner = caller.owner;

  records::ListQuery list{.filter = {.kind = kKind}, .limit = records::kMaxPage};
  std::vector<EntryPtr> entries;
  bool is_known = query.sandbox.empty();
  if (!query.sandbox.empty()) {
    const std::string name = query.sandbox;
    if (const auto entry = Find(caller, name)) {
      entries.push_back(*entry);
      query.sandbox = (*entry)->id();
      is_known = true;
    }
    list.filter.parent = query.sandbox;
  } else {
    const std::shared_lock lock(mutex_);
    for (const auto& [id, entry] : entries_) {
      if (query.owner.empty() || entry->owner() == query.owner) entries.push_back(entry);
    }
  }
  if (!query.owner.empty()) list.filter.owner = query.owner;
  if (query.since) list.filter.created_from = since - std::chrono::hours(1);
  Sum sum(query, since, until);
  std::unordered_set<std::string> counted;
  for (const EntryPtr& entry : entries) {
    if (IsInternal(*entry)) continue;
    for (const UsageStretch& stretch : entry->ledger().Newest(now)) {
      counted.insert(IdOf(stretch));
      sum.Add(stretch);
    }
  }
  size_t read = 0;
  do {
    PADDOCK_ASSIGN(const records::Page page, records_.List(list));
    for (const records::Record& record : page.records) {
      is_known = true;
      if (counted.contains(record.id)) continue;
      PADDOCK_ASSIGN(const UsageStretch stretch, StretchOf(record));
      sum.Add(stretch);
    }
    read += page.records.size();
    if (read > kMostRead) return Error(Code::kLimit, "there are more than " + std::to_string(kMostRead) + " notes of usage since then; ask from a later time on");
    list.cursor = page.next;
  } while (!list.cursor.empty());
  if (!is_known) return Error(Code::kNoEntry, "no sandbox '" + query.sandbox.substr(0, 100) + "'");
  UsageAnswer answer = sum.Answer();
  answer.until = std::min(answer.until, now);
  return answer;
}

// ---- the thread of it

void Registry::RunBooks() {
  constexpr auto kNoteEvery = std::chrono::seconds(5);
  constexpr auto kForgetEvery = std::chrono::minutes(1);
  auto noted = std::chrono::steady_clock::now(), forgotten = noted - kForgetEvery;
  std::unique_lock lock(sweep_mutex_);
  while (!sweep_changed_.wait_for(lock, std::chrono::seconds(1), [&] { return is_ending_; })) {
    lock.unlock();
    futimens(lock_.get(), nullptr);   // the next daemon sees how long this one lived
    const auto now = std::chrono::steady_clock::now();
    if (now - noted >= kNoteEvery) {
      noted = now;
      NoteUsage(Now(), false);
      FlushLogs(Now());
    }
    if (now - forgotten >= kForgetEvery) {
      forgotten = now;
      Forget();
    }
    lock.lock();
  }
}

void Registry::FlushLogs(Time now) {
  std::vector<EntryPtr> unwritten;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [id, entry] : entries_) {
      if (entry->log().has_unwritten()) unwritten.push_back(entry);
    }
  }
  for (const EntryPtr& entry : unwritten) entry->log().Flush(now);
}

void Registry::Forget() {
  const Time now = Now();
  ForgetDeleted();
  events_.Trim(settings_.keep_events ? now - *settings_.keep_events : Time{}, settings_.most_events);
  if (!settings_.keep_output) return;
  std::vector<EntryPtr> all;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [id, entry] : entries_) all.push_back(entry);
  }
  for (const EntryPtr& entry : all) {
    entry->ForgetEnded(now - *settings_.keep_output);
    entry->log().Trim(now);
  }
}

}  // namespace paddock::registry
