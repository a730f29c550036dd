// Usage: what sandboxes have used, by stretches of time: values, and how they stand in the database.
//
// A stretch in which something ran lies within one hour (of UTC) and counts as a whole. One in which nothing ran may be longer: what
// it holds grew evenly, so that any part of it can be told.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/entry/description.h"

namespace paddock::registry {

// What is not set was not measured. Sums stay at the largest number rather than begin anew.
struct UsageAmounts {
  std::optional<uint64_t> execs;                   // that have ended
  std::optional<uint64_t> alive_ms;                // ready for execs: neither paused nor stopped
  std::optional<uint64_t> active_ms;               // while at least one exec ran
  std::optional<uint64_t> cpu_ns;                  // processor time
  std::optional<uint64_t> memory_kib_ms;           // held while active; sampled
  std::optional<uint64_t> disk_kib_ms;             // files, whatever the state
  std::optional<uint64_t> reserved_cpu_ns;         // alive, times the cores of the limit (none: one)
  std::optional<uint64_t> reserved_memory_kib_ms;  // alive, times the limit on memory
  std::optional<uint64_t> output_bytes;            // stdout and stderr of execs
  std::optional<uint64_t> upload_bytes;            // of files, into the sandbox by the API
  std::optional<uint64_t> download_bytes;          // out of it
  std::optional<uint64_t> network_in_bytes, network_out_bytes;
  std::optional<uint64_t> disk_read_bytes, disk_written_bytes;

  struct Member {
    const char* name;   // in the database
    std::optional<uint64_t> UsageAmounts::* value;
  };
  static std::span<const Member> Members();

  void Add(const UsageAmounts& other);
  // `part` of `whole` of it.
  UsageAmounts Part(Duration part, Duration whole) const;
  bool operator==(const UsageAmounts&) const = default;
};
// Adds, and stays at the largest number.
void AddTo(std::optional<uint64_t>& sum, uint64_t amount);

struct UsageStretch {
  std::string sandbox, owner, name, isolation;
  Labels labels;
  Time from{}, until{};
  bool is_even = true;   // nothing ran in it
  uint64_t disk_bytes = 0;   // at its end
  UsageAmounts amounts;
};
std::string UsageText(const UsageStretch& stretch);
// Fills all but sandbox and owner. Errors: kCorrupt.
Status ReadUsage(std::string_view text, UsageStretch& stretch);

// The hour that a time lies in, and the next one.
Time HourOf(Time time);
Time NextHour(Time time);

struct UsageQuery {
  std::string sandbox;              // empty: any; an id
  std::string owner;                // empty: any; only for an admin
  std::optional<Time> since;        // whole hours: is rounded down, `until` up
  std::optional<Time> until;
  enum class Group { kNone, kOwner, kSandbox, kLabel };
  Group group = Group::kNone;
  std::string label;                // the key, for kLabel; sandboxes without it are the group ""
  size_t limit = 100;               // groups
  std::string after;                // groups behind this key only
};

struct UsageGroup {
  std::string key;
  uint64_t sandboxes = 0;
  UsageAmounts amounts;
};
struct UsageAnswer {
  Time since{}, until{};            // as they were understood
  UsageGroup total;
  std::vector<UsageGroup> groups;   // by key
  bool has_more = false;
};

}  // namespace paddock::registry
