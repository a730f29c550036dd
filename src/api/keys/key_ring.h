// API keys: who may do what. Kept as records of kind "key"; the text of a key is shown when it is made and never kept.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/records/records.h"

namespace paddock::api {

// Each may do what those before it may: look at what its owner has; make and change it; everything, for every owner.
enum class Role { kRead, kUser, kAdmin };

const char* RoleName(Role role);                // "read", "user", "admin"
Result<Role> ParseRole(std::string_view name);  // kInvalid, with the names

struct KeyInfo {
  std::string id;     // "key_…"; no secret, it may stand in logs
  std::string owner;  // whose objects it reaches
  Role role = Role::kRead;
  std::string label;  // for people
  records::Time created{};
  std::optional<records::Time> expires;
  std::optional<records::Time> revoked;
  std::optional<records::Time> last_used;  // to within KeyRing::kLastUsedStep
};

struct NewKey {
  KeyInfo info;
  std::string text;
};

struct KeyRequest {
  std::string owner;  // not empty, at most 256 bytes
  Role role = Role::kUser;
  std::string label;  // at most 200 bytes of one line
  std::optional<records::Time> expires;
};

struct KeyPage {
  std::vector<KeyInfo> keys;
  std::string next;  // cursor; empty: no more
};

// Any thread. The store and the clock outlive it.
class KeyRing {
 public:
  static constexpr records::Duration kLastUsedStep = std::chrono::minutes(5);
  // How long a key that was found good is not looked up again. What this ring revokes counts at once; what another
  // process revokes in the same database, after at most this.
  static constexpr records::Duration kTrust = std::chrono::seconds(1);
  static constexpr size_t kMaxTrusted = 10'000;

  explicit KeyRing(records::Records& store, const Clock& clock = SystemClock()) : store_(store), clock_(clock) {}

  // kInvalid: names the field. Otherwise as Records.
  Result<NewKey> Create(const KeyRequest& request);
  // Oldest first; of one owner, or of all.
  Result<KeyPage> List(const std::optional<std::string>& owner, size_t limit, const std::string& cursor);
  // No Verify() that begins after this returns finds it good. Again is no error. kNoEntry: there is no such key, or, when an
  // owner is given, it is another's.
  Result<KeyInfo> Revoke(std::string_view id, const std::optional<std::string>& owner = std::nullopt);
  // Whose key this text is. kAccess with one and the same message for every text that is not good: malformed, unknown, wrong,
  // revoked, expired. Otherwise as Records: the store could not be asked.
  Result<KeyInfo> Verify(std::string_view text);
  // Whether any key is good now. Looks at the 1,000 oldest active ones.
  Result<bool> HasUsable();

 private:
  struct Trusted {
    std::string digest;
    KeyInfo info;
    records::Time until;
  };

  records::Time Now() const;
  // The answer from memory; nothing when it has to be looked up. Sets the generation to be given to Trust().
  std::optional<KeyInfo> FindTrusted(const std::string& id, std::string_view digest, uint64_t* generation);
  void Trust(const std::string& digest, const KeyInfo& info, uint64_t generation);
  void NoteUse(const records::Record& record, KeyInfo& info);

  records::Records& store_;
  const Clock& clock_;

  std::mutex mutex_;
  std::map<std::string, Trusted> trusted_;  // by id
  uint64_t generation_ = 0;                 // of revocations: what was read before one is not kept after it
};

}  // namespace paddock::api
