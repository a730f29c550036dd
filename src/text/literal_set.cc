#include "text/literal_set.h"

#include <algorithm>

#include "base/budget.h"

namespace paddock {
namespace {

constexpr uint32_t kHasOutput = uint32_t{1} << 31;
// Bytes between two charges of the budget.
constexpr size_t kSlice = 4096;

unsigned char Fold(char c, bool ignore_case) {
  const auto byte = static_cast<unsigned char>(c);
  return ignore_case && byte >= 'A' && byte <= 'Z' ? static_cast<unsigned char>(byte + 0x20) : byte;
}

}  // namespace

std::optional<LiteralSet> LiteralSet::Make(std::span<const std::string> strings, bool ignore_case, size_t max_bytes) {
  LiteralSet set;
  size_t total = 1;
  for (const std::string& string : strings) {
    total += string.size();
    for (const char c : string) {
      uint16_t& number = set.class_of_[Fold(c, ignore_case)];
      if (number == 0) number = static_cast<uint16_t>(set.class_count_++);
    }
  }
  if (ignore_case) {
    for (size_t c = 'A'; c <= 'Z'; ++c) set.class_of_[c] = set.class_of_[c + 0x20];
  }
  if (total * (set.class_count_ * sizeof(uint32_t) + sizeof(Node)) > max_bytes) return std::nullopt;
  set.AddStrings(strings);
  set.LinkSuffixes();
  return set;
}

void LiteralSet::AddStrings(std::span<const std::string> strings) {
  nodes_.resize(1);
  next_.resize(class_count_);
  for (const std::string& string : strings) {
    uint32_t node = 0;
    for (const char c : string) {
      const size_t slot = node * class_count_ + class_of_[static_cast<unsigned char>(c)];
      if (next_[slot] == 0) {
        next_[slot] = static_cast<uint32_t>(nodes_.size());
        nodes_.push_back({0, nodes_[node].depth + 1, 0});
        next_.resize(next_.size() + class_count_);
      }
      node = next_[slot];
    }
    nodes_[node].length = static_cast<uint32_t>(string.size());
  }
}

// Turns the tree into an automaton, breadth first: where a node has no child, its longest suffix goes on.
void LiteralSet::LinkSuffixes() {
  std::vector<uint32_t> order = {0};
  std::vector<uint32_t> suffix(nodes_.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const uint32_t node = order[i];
    for (size_t c = 0; c < class_count_; ++c) {
      uint32_t& child = next_[node * class_count_ + c];
      const uint32_t by_suffix = node == 0 ? 0 : next_[suffix[node] * class_count_ + c];
      if (child == 0) {
        child = by_suffix;
        continue;
      }
      suffix[child] = by_suffix;
      nodes_[child].next_output =
          nodes_[by_suffix].length != 0 ? by_suffix : nodes_[by_suffix].next_output;
      order.push_back(child);
    }
  }
  for (uint32_t& target : next_) {
    if (nodes_[target].length != 0 || nodes_[target].next_output != 0) target |= kHasOutput;
  }
}

std::optional<LiteralSet::Found> LiteralSet::FindAny(std::string_view text, size_t from, const Filter& filter,
                                                     Budget& budget) const {
  uint32_t node = 0;
  for (size_t at = from; at < text.size();) {
    const size_t stop = std::min(text.size(), at + kSlice);
    budget.Step(static_cast<int64_t>((stop - at) / 16 + 1));
    while (at < stop) {
      node = next_[node * class_count_ + class_of_[static_cast<unsigned char>(text[at++])]];
      if ((node & kHasOutput) == 0) [[likely]] continue;
      node &= ~kHasOutput;
      for (uint32_t output = node; output != 0; output = nodes_[output].next_output) {
        const uint32_t length = nodes_[output].length;
        if (length != 0 && (!filter || filter(at - length, at))) return Found{at - length, at};
      }
    }
  }
  return std::nullopt;
}

std::optional<LiteralSet::Found> LiteralSet::FindLeftmost(std::string_view text, size_t from, const Filter& filter,
                                                          Budget& budget) const {
  std::optional<Found> best;
  uint32_t node = 0;
  for (size_t at = from; at < text.size();) {
    if (at % kSlice == 0) budget.Step(static_cast<int64_t>(kSlice / 16));
    node = next_[node * class_count_ + class_of_[static_cast<unsigned char>(text[at++])]] & ~kHasOutput;
    if (best && at - nodes_[node].depth > best->begin) break;
    for (uint32_t output = node; output != 0; output = nodes_[output].next_output) {
      const uint32_t length = nodes_[output].length;
      if (length == 0) continue;
      const Found found{at - length, at};
      if (best && found.begin > best->begin) break;
      if (!filter || filter(found.begin, found.end)) best = found;
    }
  }
  budget.Step();
  return best;
}

}  // namespace paddock
