#include "api/keys/key_ring.h"

#include <boost/json.hpp>

#include "api/keys/key_text.h"
#include "text/utf8.h"

namespace paddock::api {
namespace {

namespace json = boost::json;

constexpr const char* kKind = "key";
constexpr const char* kActive = "active";
constexpr const char* kRevoked = "revoked";
constexpr size_t kMaxLabel = 200;
constexpr const char* kRoleNames[] = {"read", "user", "admin"};

// What a record says about its key.
struct Stored {
  KeyInfo info;
  std::string digest;
};

std::string BodyOf(const Stored& stored) {
  json::object body;
  body["digest"] = stored.digest;
  body["role"] = RoleName(stored.info.role);
  body["label"] = stored.info.label;
  if (stored.info.revoked) body["revoked_ms"] = stored.info.revoked->time_since_epoch().count();
  if (stored.info.last_used) body["last_used_ms"] = stored.info.last_used->time_since_epoch().count();
  return json::serialize(body);
}

std::string TextIn(const json::object& body, const char* name) {
  const json::value* value = body.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

std::optional<records::Time> TimeIn(const json::object& body, const char* name) {
  const json::value* value = body.if_contains(name);
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return records::Time(records::Duration(value->get_int64()));
}

Result<Stored> ReadKey(const records::Record& record) {
  const Error damaged(Code::kCorrupt, "the record of " + record.id + " does not say what key it is");
  boost::system::error_code error;
  const json::value parsed = json::parse(record.body, error);
  if (error || !parsed.is_object()) return damaged;
  const json::object& body = parsed.get_object();
  const auto role = ParseRole(TextIn(body, "role"));
  Stored stored{.digest = TextIn(body, "digest")};
  if (!role || stored.digest.empty()) return damaged;
  stored.info = {.id = record.id,
                 .owner = record.owner,
                 .role = *role,
                 .label = TextIn(body, "label"),
                 .created = record.created,
                 .expires = record.expires,
                 .revoked = TimeIn(body, "revoked_ms"),
                 .last_used = TimeIn(body, "last_used_ms")};
  // The state decides, whatever else is missing.
  if (record.state != kActive && !stored.info.revoked) stored.info.revoked = record.updated;
  return stored;
}

bool IsUsable(const KeyInfo& info, records::Time now) {
  return !info.revoked && (!info.expires || *info.expires > now);
}

Error NotGood() {
  return Error(Code::kAccess, "the API key is not valid: make another with 'paddock key create'");
}

}  // namespace

const char* RoleName(Role role) {
  return kRoleNames[static_cast<size_t>(role)];
}

Result<Role> ParseRole(std::string_view name) {
  for (const Role role : {Role::kRead, Role::kUser, Role::kAdmin}) {
    if (name == RoleName(role)) return role;
  }
  return Error(Code::kInvalid, "a role is read, user or admin");
}

records::Time KeyRing::Now() const {
  return records::Time(std::chrono::duration_cast<records::Duration>(clock_.RealNow()));
}

Result<NewKey> KeyRing::Create(const KeyRequest& request) {
  if (request.owner.empty()) return Error(Code::kInvalid, "owner is empty");
  if (request.label.size() > kMaxLabel)
    return Error(Code::kInvalid, "label is longer than " + std::to_string(kMaxLabel) + " bytes");
  if (HarmlessLine(request.label) != request.label) return Error(Code::kInvalid, "label holds what cannot be shown in one line");
  if (request.expires && *request.expires <= Now()) return Error(Code::kInvalid, "expires lies in the past");
  const KeyText key = MakeKeyText();
  Stored stored{.info = {.role = request.role, .label = request.label}, .digest = KeyDigest(key.text)};
  PADDOCK_ASSIGN(const records::Record record, store_.Insert({.kind = kKind,
                                                              .id = key.id,
                                                              .owner = request.owner,
                                                              .state = kActive,
                                                              .body = BodyOf(stored),
                                                              .expires = request.expires}));
  PADDOCK_ASSIGN(stored, ReadKey(record));
  return NewKey{stored.info, key.text};
}

Result<KeyPage> KeyRing::List(const std::optional<std::string>& owner, size_t limit, const std::string& cursor) {
  PADDOCK_ASSIGN(const records::Page page,
                 store_.List({.filter = {.kind = kKind, .owner = owner}, .limit = limit, .cursor = cursor}));
  KeyPage keys{.next = page.next};
  for (const auto& record : page.records) {
    PADDOCK_ASSIGN(Stored stored, ReadKey(record));
    keys.keys.push_back(std::move(stored.info));
  }
  return keys;
}

Result<KeyInfo> KeyRing::Revoke(std::string_view id, const std::optional<std::string>& owner) {
  Stored stored;
  const Status status = store_.Transact([&](records::Transaction& transaction) -> Status {
    PADDOCK_ASSIGN(records::Record record, transaction.Get(kKind, id));
    if (owner && record.owner != *owner) return Error(Code::kNoEntry, "key " + record.id + " does not exist");
    PADDOCK_ASSIGN(stored, ReadKey(record));
    if (stored.info.revoked) return {};
    stored.info.revoked = transaction.now();
    record.state = kRevoked;
    record.body = BodyOf(stored);
    PADDOCK_TRY(transaction.Update(std::move(record)));
    return {};
  });
  if (!status) return status.error();
  const std::lock_guard lock(mutex_);
  ++generation_;
  trusted_.erase(stored.info.id);
  return stored.info;
}

std::optional<KeyInfo> KeyRing::FindTrusted(const std::string& id, std::string_view digest, uint64_t* generation) {
  const records::Time now = Now();
  const std::lock_guard lock(mutex_);
  *generation = generation_;
  const auto found = trusted_.find(id);
  if (found == trusted_.end()) return std::nullopt;
  const Trusted& trusted = found->second;
  // A clock that was set back makes nothing last longer.
  const bool is_fresh = now < trusted.until && trusted.until - now <= kTrust;
  if (!is_fresh || !IsUsable(trusted.info, now) || !IsSameDigest(digest, trusted.digest)) return std::nullopt;
  return trusted.info;
}

void KeyRing::Trust(const std::string& digest, const KeyInfo& info, uint64_t generation) {
  const records::Time until = Now() + kTrust;
  const std::lock_guard lock(mutex_);
  if (generation != generation_) return;
  if (trusted_.size() >= kMaxTrusted) trusted_.clear();
  trusted_.insert_or_assign(info.id, Trusted{digest, info, until});
}

// Nobody waits for this to succeed: who loses to another writer, or finds the disk full, leaves the older time.
void KeyRing::NoteUse(const records::Record& record, KeyInfo& info) {
  const records::Time now = Now();
  if (info.last_used && now - *info.last_used < kLastUsedStep) return;
  auto stored = ReadKey(record);
  if (!stored) return;
  stored->info.last_used = now;
  records::Record changed = record;
  changed.body = BodyOf(*stored);
  if (store_.Update(std::move(changed))) info.last_used = now;
}

Result<KeyInfo> KeyRing::Verify(std::string_view text) {
  const auto id = ReadKeyText(text);
  if (!id) return NotGood();
  const std::string digest = KeyDigest(text);
  uint64_t generation = 0;
  if (auto trusted = FindTrusted(*id, digest, &generation)) return std::move(*trusted);
  const auto record = store_.Get(kKind, *id);
  if (!record && record.error().code != Code::kNoEntry) return record.error();
  // An unknown id takes the way of a known one with another secret.
  Stored stored{.digest = std::string(digest.size(), '0')};
  if (record) {
    PADDOCK_ASSIGN(stored, ReadKey(*record));
  }
  const bool is_same = IsSameDigest(digest, stored.digest);
  if (!record || !is_same || !IsUsable(stored.info, Now())) return NotGood();
  NoteUse(*record, stored.info);
  Trust(digest, stored.info, generation);
  return stored.info;
}

Result<bool> KeyRing::HasUsable() {
  PADDOCK_ASSIGN(const records::Page page,
                 store_.List({.filter = {.kind = kKind, .states = {kActive}}, .limit = records::kMaxPage}));
  for (const auto& record : page.records) {
    if (!record.expires || *record.expires > Now()) return true;
  }
  return false;
}

}  // namespace paddock::api
