// What the daemon keeps: records, events, counters and idempotency keys as plain data, and their bounds.
//
// The store does not know what a kind means: sandboxes, snapshots, sessions, keys and leases are all records.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace paddock::records {

// Milliseconds since 1970-01-01 UTC.
using Time = std::chrono::sys_time<std::chrono::milliseconds>;
using Duration = std::chrono::milliseconds;
using Labels = std::map<std::string, std::string>;

// Bytes, unless it says otherwise. Longer is kInvalid, before the database is asked.
inline constexpr size_t kMaxKind = 64;
inline constexpr size_t kMaxId = 128;
inline constexpr size_t kMaxOwner = 256;
inline constexpr size_t kMaxName = 1024;
inline constexpr size_t kMaxState = 64;
inline constexpr size_t kMaxLabels = 64;  // of one record
inline constexpr size_t kMaxLabelKey = 128;
inline constexpr size_t kMaxLabelValue = 256;
inline constexpr size_t kMaxBody = 1 << 20;
inline constexpr size_t kMaxPage = 1000;                        // records or events
inline constexpr size_t kMaxPageBytes = 8 << 20;                // of bodies; a page ends early when it would hold more
inline constexpr size_t kMaxBatch = 1000;                       // events of one append
inline constexpr int64_t kMaxCounter = (int64_t{1} << 62) - 1;  // also of an amount and a bound

// One object. Texts are UTF-8 without NUL; the body is any bytes, mostly JSON.
//
// kind, id, owner, parent and created stay as they were inserted. A name is unique among the records of the same
// kind, owner and parent; an empty one is no name. A record kept as a tombstone gives its name back by being updated
// with an empty one.
struct Record {
  std::string kind;
  std::string id;      // unique within the kind
  std::string owner;   // empty: the deployment itself
  std::string parent;  // id of what it belongs to; empty: nothing
  std::string name;
  std::string state;
  Labels labels;
  std::string body;
  std::optional<Time> expires;
  // Who is cleaning it up, and until when nobody else may (Transaction::ClaimExpired). Empty and none: nobody.
  std::string claimed_by;
  std::optional<Time> claimed_until;
  // The store's own; what a caller writes here is not read.
  Time created{};
  Time updated{};
  int64_t version = 0;  // 1 after Insert, one more with each Update and claim
};

// Which records. What is not set does not filter.
struct Filter {
  std::string kind;  // needed
  std::optional<std::string> owner;
  std::optional<std::string> parent;
  std::optional<std::string> name;
  std::vector<std::string> states;  // any of these, at most 16
  Labels labels;                    // all of these, at most 16
  std::optional<Time> created_from;
  std::optional<Time> created_before;
};

// A page of a list, ordered by time of creation, then id. Records that are inserted or deleted while somebody pages
// neither repeat nor hide others.
struct ListQuery {
  Filter filter;
  bool is_newest_first = false;
  bool has_bodies = true;  // false: Record::body stays empty
  size_t limit = 100;      // 1 … kMaxPage
  std::string cursor;      // Page::next of the same query; empty: from the start
};

struct Page {
  std::vector<Record> records;
  std::string next;  // opaque, URL-safe; empty: no more
};

// One entry of an append-only log. Each stream numbers its events 1, 2, 3 … without gaps, in the order in which they
// became visible, for ever: trimming does not give numbers back.
struct Event {
  int64_t sequence = 0;  // the store's own
  Time at{};             // the store's own
  std::string type;      // at most kMaxKind
  std::string subject;   // what it is about, at most kMaxId; may be empty
  std::string body;      // at most kMaxBody
};

struct EventPage {
  std::vector<Event> events;  // in order
  int64_t lost = 0;           // how many between the asked position and the first of `events` (or `last`) were trimmed
  int64_t last = 0;           // the newest one's number; 0: the stream has never had one
};

// What an idempotency key was found to be.
enum class KeyUse {
  kNew,       // kept by this call
  kSame,      // used before for the same request; `result` is what SetKeyResult() stored, none: still being worked on
  kDifferent  // used before for another request: refuse it
};

struct KeyState {
  KeyUse use = KeyUse::kNew;
  std::optional<std::string> result;
};

// How far a counter may go: what would leave [least, most] is refused.
struct Bounds {
  int64_t least = 0;
  int64_t most = kMaxCounter;
};

}  // namespace paddock::records
