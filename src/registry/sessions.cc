#include "registry/sessions.h"

#include <algorithm>

#include "base/id.h"
#include "registry/request_check.h"
#include "text/digest.h"
#include "text/utf8.h"

namespace paddock::registry {
namespace {

constexpr const char* kKind = "session";
constexpr const char* kKeyKind = "session_key";
constexpr const char* kActive = "active";
constexpr const char* kDeleting = "deleting";
constexpr size_t kMostEnded = 64;

Error None(std::string_view id) {
  return Error(Code::kNoEntry, "no session '" + std::string(id.substr(0, 100)) + "'");
}

Error NoSandbox(const std::string& id) {
  return Error(Code::kNoEntry, "this session has no sandbox " + HarmlessLine(id.substr(0, 100)) + "; sandbox_list shows those it has");
}

SessionInfo InfoOf(records::Record record) {
  SessionInfo info;
  info.id = std::move(record.id);
  info.owner = std::move(record.owner);
  info.request = {.name = std::move(record.name), .labels = std::move(record.labels), .definition = std::move(record.body)};
  info.created = record.created;
  return info;
}

Status CheckKey(const std::string& key) {
  if (key.empty() || key.size() > Session::kMostKey || !IsValidUtf8(key) || key.find_first_of(std::string_view("\n\0", 2)) != std::string::npos) {
    return Error(Code::kInvalid, "a key must be one line of 1 to 256 bytes of UTF-8");
  }
  return {};
}

}  // namespace

// ---- one session

Status Session::CheckAlive() const {
  return live_->is_deleted ? Status(None(info_.id)) : Status();
}

Session::Room Session::RoomFor(const std::string& isolation, const std::vector<SandboxInfo>& known) const {
  const SessionSettings::OwnerLimits most = settings_.LimitsOf(info_.owner);
  const auto& containers = registry_.settings().container_isolations;
  const auto room = [](size_t has, size_t may, const std::string& what, const char* setting) {
    return Room{.left = may - std::min(has, may), .why = "this session has " + std::to_string(has) + " " + what + ", the most it may have (" + setting + "); remove one"};
  };
  const Room all = room(known.size(), most.sandboxes, "sandboxes", "quota.session_sandboxes");
  if (!containers.contains(isolation.empty() ? registry_.settings().default_isolation : isolation)) return all;
  const auto has = static_cast<size_t>(std::count_if(known.begin(), known.end(), [&](const SandboxInfo& one) { return containers.contains(one.request.isolation); }));
  const Room some = room(has, most.containers, "containers", "quota.session_containers");
  return some.left < all.left ? some : all;
}

Result<SandboxInfo> Session::Create(SandboxRequest request, const std::string& idempotency_key) {
  const std::lock_guard lock(live_->making);
  PADDOCK_TRY(CheckAlive());
  const std::vector<SandboxInfo> known = List();
  const std::string once = idempotency_key.empty() ? "" : HexOf(DigestOf(DigestAlgorithm::kSha256, idempotency_key));
  const auto is_named = [&](const std::string& name) {
    return std::any_of(known.begin(), known.end(), [&](const SandboxInfo& one) { return one.request.name == name; });
  };
  for (const SandboxInfo& one : known) {
    const auto label = one.request.labels.find(kOnceLabel);
    if (!once.empty() && label != one.request.labels.end() && label->second == once) return one;
  }
  if (const Room room = RoomFor(request.isolation, known); room.left == 0) return Error(Code::kQuota, room.why);
  if (!request.name.empty() && is_named(request.name)) return Error(Code::kExists, "name: there is a sandbox '" + request.name + "' already; choose another name");
  for (size_t number = 1; request.name.empty(); ++number) {
    const std::string name = "sandbox-" + std::to_string(number);
    if (!is_named(name)) request.name = name;
  }
  request.parent = info_.id;
  if (!once.empty()) request.labels[kOnceLabel] = once;
  PADDOCK_ASSIGN(Created created, registry_.Create(caller(), std::move(request)));
  return std::move(created.sandbox);
}

Result<std::vector<Forked>> Session::Fork(const std::string& id, const ForkRequest& request) {
  const std::lock_guard lock(live_->making);
  PADDOCK_TRY(CheckAlive());
  const std::vector<SandboxInfo> children = registry_.Children(caller(), info_.id);
  const auto original = std::find_if(children.begin(), children.end(), [&](const SandboxInfo& one) { return one.id == id; });
  if (original == children.end()) return NoSandbox(id);
  Room room = RoomFor(original->request.isolation, List());
  ForkRequest fitting = request;
  fitting.room = room.left;
  fitting.no_room = std::move(room.why);
  return registry_.Fork(caller(), id, fitting);
}

std::vector<SandboxInfo> Session::List() const {
  std::vector<SandboxInfo> list = registry_.Children(caller(), info_.id);
  std::erase_if(list, [](const SandboxInfo& one) { return one.request.is_internal || one.state == SandboxState::kDeleting; });
  return list;
}

Result<SandboxInfo> Session::Find(const std::string& id_or_name) const {
  for (SandboxInfo& one : List()) {
    if (one.id == id_or_name || (!one.request.name.empty() && one.request.name == id_or_name)) return std::move(one);
  }
  return NoSandbox(id_or_name);
}

Result<SandboxInfo> Session::Storage() {
  const std::lock_guard lock(live_->making);
  PADDOCK_TRY(CheckAlive());
  for (SandboxInfo& one : registry_.Children(caller(), info_.id)) {
    if (one.request.is_internal) return std::move(one);
  }
  SandboxRequest request;
  request.parent = info_.id;
  request.isolation = settings_.storage_isolation;
  request.working_directory = "/workspace";
  request.is_internal = true;
  PADDOCK_ASSIGN(Created created, registry_.Create(caller(), std::move(request)));
  return std::move(created.sandbox);
}

// ---- its keys

Status Session::ReadKeys() const {
  PADDOCK_TRY(CheckAlive());
  if (live_->key_sizes) return {};
  std::map<std::string, size_t> sizes;
  size_t bytes = 0;
  records::ListQuery query{.filter = {.kind = kKeyKind, .parent = info_.id}, .limit = records::kMaxPage};
  do {
    PADDOCK_ASSIGN(const records::Page page, records_.List(query));
    for (const records::Record& record : page.records) {
      sizes[record.name] = record.body.size();
      bytes += record.name.size() + record.body.size();
    }
    query.cursor = page.next;
  } while (!query.cursor.empty());
  live_->key_sizes = std::move(sizes);
  live_->key_bytes = bytes;
  return {};
}

Result<std::optional<std::string>> Session::Get(const std::string& key) const {
  PADDOCK_TRY(CheckKey(key));
  const std::lock_guard lock(live_->keys);
  PADDOCK_TRY(ReadKeys());
  if (!live_->key_sizes->contains(key)) return std::optional<std::string>();
  PADDOCK_ASSIGN(records::Record record, records_.GetByName(kKeyKind, info_.owner, info_.id, key));
  return std::optional<std::string>(std::move(record.body));
}

Status Session::Set(const std::string& key, const std::string& value) {
  PADDOCK_TRY(CheckKey(key));
  if (value.size() > kMostValue) return Error(Code::kFileTooBig, "a value has at most 65536 bytes; keep more in a file");
  const std::lock_guard lock(live_->keys);
  PADDOCK_TRY(ReadKeys());
  std::map<std::string, size_t>& sizes = *live_->key_sizes;
  const auto known = sizes.find(key);
  if (known == sizes.end() && sizes.size() >= settings_.most_keys) {
    return Error(Code::kQuota, "there are " + std::to_string(sizes.size()) + " keys, the most there may be; delete some");
  }
  const size_t bytes = live_->key_bytes - (known == sizes.end() ? 0 : key.size() + known->second) + key.size() + value.size();
  if (bytes > settings_.most_key_bytes) {
    return Error(Code::kQuota, "all keys and values together may have " + std::to_string(settings_.most_key_bytes) + " bytes; delete some");
  }
  const Status written = records_.Transact([&](records::Transaction& transaction) -> Status {
    auto stored = transaction.GetByName(kKeyKind, info_.owner, info_.id, key);
    if (!stored && stored.error().code != Code::kNoEntry) return stored.error();
    if (stored) {
      stored->body = value;
      PADDOCK_TRY(transaction.Update(std::move(*stored)));
      return {};
    }
    records::Record fresh;
    fresh.kind = kKeyKind;
    fresh.id = NewId("key_");
    fresh.owner = info_.owner;
    fresh.parent = info_.id;
    fresh.name = key;
    fresh.body = value;
    PADDOCK_TRY(transaction.Insert(std::move(fresh)));
    return {};
  });
  PADDOCK_TRY(written);
  sizes[key] = value.size();
  live_->key_bytes = bytes;
  return {};
}

Result<bool> Session::Erase(const std::string& key) {
  PADDOCK_TRY(CheckKey(key));
  const std::lock_guard lock(live_->keys);
  PADDOCK_TRY(ReadKeys());
  const auto known = live_->key_sizes->find(key);
  if (known == live_->key_sizes->end()) return false;
  PADDOCK_ASSIGN(const records::Record record, records_.GetByName(kKeyKind, info_.owner, info_.id, key));
  PADDOCK_TRY(records_.Delete(kKeyKind, record.id));
  live_->key_bytes -= key.size() + known->second;
  live_->key_sizes->erase(known);
  return true;
}

Result<std::vector<std::string>> Session::Keys(const std::string& prefix) const {
  const std::lock_guard lock(live_->keys);
  PADDOCK_TRY(ReadKeys());
  std::vector<std::string> keys;
  for (auto at = live_->key_sizes->lower_bound(prefix); at != live_->key_sizes->end() && at->first.starts_with(prefix); ++at) keys.push_back(at->first);
  return keys;
}

// ---- its processes

void Session::Remember(const std::shared_ptr<RunningProcess>& process) {
  const std::lock_guard lock(live_->processes_mutex);
  auto& list = live_->processes;
  auto ended = static_cast<size_t>(std::count_if(list.begin(), list.end(), [](const auto& one) { return one->Info().state == ProcessState::kExited; }));
  std::erase_if(list, [&](const auto& one) { return ended > kMostEnded && one->Info().state == ProcessState::kExited && ended-- > 0; });
  list.push_back(process);
}

std::vector<std::shared_ptr<RunningProcess>> Session::Remembered(const std::string& sandbox_id) const {
  const std::lock_guard lock(live_->processes_mutex);
  std::vector<std::shared_ptr<RunningProcess>> list;
  for (const auto& one : live_->processes) {
    if (one->sandbox_id() == sandbox_id) list.push_back(one);
  }
  return list;
}

// ---- all of them

Result<std::unique_ptr<Sessions>> Sessions::Open(SessionSettings settings, Registry& registry, records::Records& records) {
  std::unique_ptr<Sessions> sessions(new Sessions(std::move(settings), registry, records));   // allow(raw-new): private constructor
  while (true) {
    PADDOCK_ASSIGN(const records::Page page, records.List({.filter = {.kind = kKind, .states = {kDeleting}}, .has_bodies = false, .limit = records::kMaxPage}));
    if (page.records.empty()) return sessions;
    for (const records::Record& record : page.records) PADDOCK_TRY(sessions->Finish(record.id, record.owner));
  }
}

Result<SessionInfo> Sessions::Create(const Caller& caller, SessionRequest request, const std::string& idempotency_key) {
  if (!request.name.empty()) PADDOCK_TRY(CheckName(request.name));
  if (request.name.starts_with("ses_")) return Error(Code::kInvalid, "name '" + request.name + "' looks like an id; choose one without 'ses_' in front");
  PADDOCK_TRY(CheckLabels(request.labels));
  if (request.definition.size() > records::kMaxBody) return Error(Code::kFileTooBig, "the definition of a session has at most 1 MiB");
  std::vector<std::string> texts{"session", request.name, request.definition};
  for (const auto& [key, value] : request.labels) texts.insert(texts.end(), {key, value});
  const Once once = registry_.OnceOf(caller.owner, idempotency_key, DigestOfTexts(texts));
  records::Record record;
  record.kind = kKind;
  record.id = NewId("ses_");
  record.owner = caller.owner;
  record.name = std::move(request.name);
  record.state = kActive;
  record.labels = std::move(request.labels);
  record.body = std::move(request.definition);
  SessionInfo made;
  std::optional<std::string> before;
  const Status stored = records_.Transact([&](records::Transaction& transaction) -> Status {
    before.reset();
    if (once.has_key()) {
      PADDOCK_ASSIGN(before, UseOnce(transaction, once, record.id));
      if (before) return {};
    }
    const size_t most = settings_.LimitsOf(caller.owner).sessions;
    PADDOCK_ASSIGN(const size_t owned, transaction.Count({.kind = kKind, .owner = caller.owner}, most));
    if (owned >= most) return Error(Code::kQuota, "you have " + std::to_string(owned) + " sessions, the most you may have; delete some");
    PADDOCK_ASSIGN(records::Record inserted, transaction.Insert(record));
    made = InfoOf(std::move(inserted));
    return {};
  });
  if (!stored && stored.error().code == Code::kExists) {
    return Error(Code::kExists, "you have a session named '" + record.name + "'; choose another name, or ask for it");
  }
  if (!stored) return stored.error();
  if (before) {
    auto known = FindRecord(caller, *before);
    if (!known && known.error().code != Code::kNoEntry) return known.error();
    if (!known || known->state != kActive) return MadeAndGone(once, *before);
    made = InfoOf(std::move(*known));
    made.is_new = false;
    return made;
  }
  registry_.events().Publish({.owner = made.owner, .type = "session.created", .subject = made.id, .detail = "{}"});
  return made;
}

Result<records::Record> Sessions::FindRecord(const Caller& caller, std::string_view id) {
  const bool is_id = IsId(id, "ses_");
  if (!is_id && !CheckName(id)) return None(id);
  auto record = is_id ? records_.Get(kKind, id) : records_.GetByName(kKind, caller.owner, "", id);
  if (!record && record.error().code != Code::kNoEntry) return record.error();
  if (!record || (record->owner != caller.owner && !caller.is_admin)) return None(id);
  return record;
}

std::shared_ptr<Session::Live> Sessions::LiveOf(const std::string& id) {
  const std::lock_guard lock(mutex_);
  auto& live = live_[id];
  if (live == nullptr) live = std::make_shared<Session::Live>();
  return live;
}

Result<std::shared_ptr<Session>> Sessions::Find(const Caller& caller, std::string_view id) {
  PADDOCK_ASSIGN(records::Record record, FindRecord(caller, id));
  if (record.state != kActive) return None(id);
  // Read again: whoever deletes it marks the one in the map, and takes that away only when the record is gone.
  std::shared_ptr<Session::Live> live = LiveOf(record.id);
  auto still = records_.Get(kKind, record.id);
  if (!still && still.error().code == Code::kNoEntry) {
    const std::lock_guard lock(mutex_);
    live_.erase(record.id);
    return None(id);
  }
  if (!still) return still.error();
  if (still->state != kActive) return None(id);
  return std::shared_ptr<Session>(new Session(registry_, records_, settings_, InfoOf(std::move(record)), std::move(live)));   // allow(raw-new): private constructor
}

Result<SessionPage> Sessions::List(const Caller& caller, const SessionList& request) {
  if (request.limit < 1 || request.limit > records::kMaxPage) return Error(Code::kInvalid, "limit must be between 1 and 1000");
  records::ListQuery query{.filter = {.kind = kKind, .states = {kActive}, .labels = request.labels}, .limit = request.limit, .cursor = request.cursor};
  if (!request.name.empty()) query.filter.name = request.name;
  if (!request.owner.empty()) query.filter.owner = request.owner;
  if (!caller.is_admin) {
    if (!request.owner.empty() && request.owner != caller.owner) return SessionPage{};
    query.filter.owner = caller.owner;
  }
  PADDOCK_ASSIGN(records::Page page, records_.List(query));
  SessionPage answer{.sessions = {}, .next = std::move(page.next)};
  for (records::Record& record : page.records) answer.sessions.push_back(InfoOf(std::move(record)));
  return answer;
}

// The record says so first, and goes last.
Status Sessions::Delete(const Caller& caller, std::string_view id) {
  PADDOCK_ASSIGN(records::Record record, FindRecord(caller, id));
  const std::string found = record.id, owner = record.owner;
  const std::shared_ptr<Session::Live> live = LiveOf(found);
  {
    const std::scoped_lock lock(live->making, live->keys);
    if (record.state != kDeleting) {
      record.state = kDeleting;
      record.name.clear();
      const auto updated = records_.Update(std::move(record));
      if (!updated && updated.error().code == Code::kNoEntry) return None(id);
      if (!updated && updated.error().code != Code::kConflict) return updated.error();   // a conflict: somebody else has just said so
    }
    live->is_deleted = true;
  }
  return Finish(found, owner);
}

Status Sessions::Finish(const std::string& id, const std::string& owner) {
  const Caller caller{.owner = owner};
  for (const SandboxInfo& sandbox : registry_.Children(caller, id)) {
    if (const Status deleted = registry_.Delete(caller, sandbox.id); !deleted && deleted.error().code != Code::kNoEntry) return deleted;
  }
  for (size_t gone = records::kMaxPage; gone == records::kMaxPage;) {
    const Status done = records_.Transact([&](records::Transaction& transaction) -> Status {
      PADDOCK_ASSIGN(gone, transaction.DeleteChildren(kKeyKind, id));
      return {};
    });
    PADDOCK_TRY(done);
  }
  const Status deleted = records_.Delete(kKind, id);
  {
    const std::lock_guard lock(mutex_);
    live_.erase(id);
  }
  if (!deleted && deleted.error().code == Code::kNoEntry) return {};   // two at once
  PADDOCK_TRY(deleted);
  registry_.events().Publish({.owner = owner, .type = "session.deleted", .subject = id, .detail = "{}"});
  return {};
}

}  // namespace paddock::registry
