// What changed from one state of a shell to the next, section by section: the middle between what is the same at both ends.

#include <algorithm>
#include <set>

#include "base/crc32c.h"
#include "shell/state/state_codec.h"
#include "shell/state/state_sections.h"

namespace paddock::shell {
namespace {

// What a delta holds.
enum Kind : uint64_t { kWhole = 1, kSections = 2 };

struct Ends {
  size_t front = 0;
  size_t back = 0;
};

Ends CommonEnds(std::string_view before, std::string_view after) {
  Ends ends;
  const size_t most = std::min(before.size(), after.size());
  ends.front = static_cast<size_t>(std::mismatch(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(most),
                                                 after.begin()).first - before.begin());
  while (ends.back < most - ends.front && before[before.size() - 1 - ends.back] == after[after.size() - 1 - ends.back]) {
    ++ends.back;
  }
  return ends;
}

std::string_view Find(const StateSections& sections, uint64_t number) {
  const auto it = sections.find(number);
  return it == sections.end() ? std::string_view() : it->second;
}

Error Damaged() { return Error(Code::kInvalid, "change of shell state is damaged, or one of another state"); }

}  // namespace

std::string EncodeStateDelta(std::string_view before, std::string_view after) {
  std::string bytes;
  if (before == after) return bytes;
  PackedWriter out(bytes);
  const auto old = SplitState(before);
  const auto now = SplitState(after);
  if (before.empty() || after.empty() || !old || !now) {
    out.Number(kWhole);
    out.Bytes(after);
    return bytes;
  }
  out.Number(kSections);
  out.Number(Crc32c(before));
  std::set<uint64_t> numbers;
  for (const auto& [number, content] : *old) numbers.insert(number);
  for (const auto& [number, content] : *now) numbers.insert(number);
  for (const uint64_t number : numbers) {
    const std::string_view was = Find(*old, number);
    const std::string_view is = Find(*now, number);
    if (was == is) continue;
    const Ends ends = CommonEnds(was, is);
    out.Number(number);
    out.Number(ends.front);
    out.Number(ends.back);
    out.Bytes(is.substr(ends.front, is.size() - ends.front - ends.back));
  }
  return bytes;
}

Result<std::string> ApplyStateDelta(std::string_view before, std::string_view delta) {
  if (delta.empty()) return std::string(before);
  PackedReader in(delta);
  const uint64_t kind = in.Number();
  if (kind == kWhole) {
    std::string whole = in.String();
    if (!in.IsDone()) return Damaged();
    return whole;
  }
  if (kind != kSections || in.Number() != Crc32c(before)) return Damaged();
  PADDOCK_ASSIGN(const StateSections old, SplitState(before));
  std::string after;
  PackedWriter out(after);
  out.Number(kStateVersion);
  const auto keep = [&](uint64_t from, uint64_t to) {
    for (auto it = old.lower_bound(from); it != old.end() && it->first < to; ++it) {
      out.Number(it->first);
      out.Bytes(it->second);
    }
  };
  uint64_t next = 1;
  while (in.ok() && !in.at_end()) {
    const uint64_t number = in.Number(kLastSection);
    const uint64_t front = in.Number();
    const uint64_t back = in.Number();
    const std::string_view middle = in.Bytes();
    const std::string_view was = Find(old, number);
    if (!in.ok() || number < next || front > was.size() || back > was.size() - front) return Damaged();
    keep(next, number);
    next = number + 1;
    const uint64_t size = front + middle.size() + back;
    if (size == 0) continue;
    out.Number(number);
    out.Number(size);
    after.append(was.substr(0, front)).append(middle).append(was.substr(was.size() - back));
  }
  if (!in.ok()) return Damaged();
  keep(next, kLastSection + 1);
  return after;
}

}  // namespace paddock::shell
