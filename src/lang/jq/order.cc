#include "lang/jq/order.h"

#include <algorithm>

#include "base/budget.h"
#include "lang/jq/number.h"

namespace paddock::jq {
namespace {

// Both kinds of number sort as one.
int Rank(Kind kind) { return kind == Kind::kLiteral ? static_cast<int>(Kind::kNumber) : static_cast<int>(kind); }

int CompareArrays(const Value& a, const Value& b, Budget& budget) {
  const size_t common = std::min(a.array_size(), b.array_size());
  for (size_t i = 0; i < common; ++i) {
    if (const int order = Compare(a.At(i), b.At(i), budget); order != 0) return order;
  }
  if (a.array_size() == b.array_size()) return 0;
  return a.array_size() < b.array_size() ? -1 : 1;
}

int CompareObjects(const Value& a, const Value& b, Budget& budget) {
  const std::vector<Text*> a_keys = a.SortedKeys(), b_keys = b.SortedKeys();
  const size_t common = std::min(a_keys.size(), b_keys.size());
  for (size_t i = 0; i < common; ++i) {
    if (const int order = a_keys[i]->view().compare(b_keys[i]->view()); order != 0) return order;
  }
  if (a_keys.size() != b_keys.size()) return a_keys.size() < b_keys.size() ? -1 : 1;
  for (Text* const key : a_keys) {
    if (const int order = Compare(*a.Find(key), *b.Find(key), budget); order != 0) return order;
  }
  return 0;
}

}  // namespace

int Compare(const Value& a, const Value& b, Budget& budget) {
  budget.Step();
  if (Rank(a.kind()) != Rank(b.kind())) return Rank(a.kind()) < Rank(b.kind()) ? -1 : 1;
  switch (a.kind()) {
    case Kind::kNumber:
    case Kind::kLiteral: return CompareNumbers(a, b);
    case Kind::kString:
      budget.Step(static_cast<int64_t>(std::min(a.view().size(), b.view().size()) / 64));
      return a.view().compare(b.view());
    case Kind::kArray: budget.CheckStack(); return CompareArrays(a, b, budget);
    case Kind::kObject: budget.CheckStack(); return CompareObjects(a, b, budget);
    default: return 0;
  }
}

bool Equals(const Value& a, const Value& b, Budget& budget) {
  budget.Step();
  if (Rank(a.kind()) != Rank(b.kind())) return false;
  switch (a.kind()) {
    case Kind::kNumber:
    case Kind::kLiteral: return CompareNumbers(a, b) == 0;
    case Kind::kString: return a.view() == b.view();
    case Kind::kArray: {
      budget.CheckStack();
      if (a.array_size() != b.array_size()) return false;
      for (size_t i = 0; i < a.array_size(); ++i) {
        if (!Equals(a.At(i), b.At(i), budget)) return false;
      }
      return true;
    }
    case Kind::kObject: {
      budget.CheckStack();
      if (a.object_size() != b.object_size()) return false;
      size_t cursor = 0;
      Text* key = nullptr;
      const Value* value = nullptr;
      while (a.Next(cursor, key, value)) {
        const Value* const other = b.Find(key);
        if (other == nullptr || !Equals(*value, *other, budget)) return false;
      }
      return true;
    }
    default: return true;
  }
}

bool Contains(const Value& a, const Value& b, Budget& budget) {
  budget.Step();
  budget.CheckStack();
  if (a.is_object() && b.is_object()) {
    size_t cursor = 0;
    Text* key = nullptr;
    const Value* value = nullptr;
    while (b.Next(cursor, key, value)) {
      const Value* const own = a.Find(key);
      if (own == nullptr || !Contains(*own, *value, budget)) return false;
    }
    return true;
  }
  if (a.is_array() && b.is_array()) {
    return std::all_of(b.begin(), b.end(), [&](const Value& wanted) {
      return std::any_of(a.begin(), a.end(), [&](const Value& own) { return Contains(own, wanted, budget); });
    });
  }
  if (a.is_string() && b.is_string()) {
    budget.Step(static_cast<int64_t>(a.view().size() / 32));
    return a.view().empty() ? b.view().empty()
                            : ::memmem(a.view().data(), a.view().size(), b.view().data(), b.view().size()) != nullptr;
  }
  return Equals(a, b, budget);
}

}  // namespace paddock::jq
