// asort(), asorti() and the order of for-in under PROCINFO["sorted_in"].
#include <algorithm>
#include <cmath>

#include "lang/awk/interpreter.h"

namespace paddock::awk {
namespace {

// Numbers come before text, text before arrays; what is not set counts as a number.
int TypeRank(const Value& value) {
  if (value.array() != nullptr) return 3;
  if (value.kind() == Kind::kCell) return 1;
  return value.IsNumeric() ? 1 : 2;
}

// What is not a number comes last.
int CompareNumbers(double left, double right) {
  if (std::isnan(left) || std::isnan(right)) return static_cast<int>(std::isnan(left)) - static_cast<int>(std::isnan(right));
  return left < right ? -1 : left > right ? 1 : 0;
}

}  // namespace

// Stable, and safe with an order that contradicts itself.
bool Interpreter::MergeSort(std::vector<Array::Element>& elements, const Order& comes_first) {
  budget_.WillAllocate(elements.size() * sizeof(Array::Element));
  std::vector<Array::Element> merged(elements.size());
  for (size_t width = 1; width < elements.size(); width *= 2) {
    for (size_t start = 0; start < elements.size(); start += 2 * width) {
      size_t left = start, right = std::min(start + width, elements.size());
      const size_t middle = right, end = std::min(start + 2 * width, elements.size());
      for (size_t out = start; out < end; ++out) {
        budget_.Step();
        bool takes_left = left < middle;
        if (takes_left && right < end) {
          takes_left = !comes_first(elements[right], elements[left]);
          if (flow_ != Flow::kDone) return false;
        }
        merged[out] = std::move(takes_left ? elements[left++] : elements[right++]);
      }
    }
    elements.swap(merged);
  }
  return true;
}

bool Interpreter::Sort(std::vector<Array::Element>& elements, std::string_view how) {
  const auto compare_text = [this](std::string_view left, std::string_view right) {
    const int order = CompareText(left, right);
    return order != 0 || !patterns_.ignore_case() ? order : left.compare(right);
  };
  const auto compare_numbers = [this](const Value& left, const Value& right) {
    if (math_ != nullptr) {
      if (const int order = math_->Compare(left, right); order != 2) return order;
    }
    return CompareNumbers(left.ToNumber(), right.ToNumber());
  };
  const auto by_index_text = [&](const Array::Element& x, const Array::Element& y) {
    const TextOf left(x.key, convfmt_), right(y.key, convfmt_);
    return compare_text(left.view(), right.view());
  };
  // Between equal values: whole numbers as subscripts are all alike and come first.
  const auto by_index = [&](const Array::Element& x, const Array::Element& y) {
    return compare_text(x.key.is_text() ? x.key.view() : std::string_view(),
                        y.key.is_text() ? y.key.view() : std::string_view());
  };
  const auto by_index_number = [&](const Array::Element& x, const Array::Element& y) {
    const int order = compare_numbers(x.key, y.key);
    return order != 0 ? order : by_index_text(x, y);
  };
  const auto by_value_text = [&](const Array::Element& x, const Array::Element& y) {
    const bool left_is_array = x.value.array() != nullptr, right_is_array = y.value.array() != nullptr;
    if (left_is_array || right_is_array) {
      if (left_is_array && right_is_array) return by_index(x, y);
      return left_is_array ? 1 : -1;
    }
    const TextOf left(x.value, convfmt_), right(y.value, convfmt_);
    const int order = compare_text(left.view(), right.view());
    return order != 0 ? order : by_index(x, y);
  };
  const auto by_value_number = [&](const Array::Element& x, const Array::Element& y) {
    const bool left_is_array = x.value.array() != nullptr, right_is_array = y.value.array() != nullptr;
    if (left_is_array || right_is_array) {
      if (left_is_array && right_is_array) return by_index(x, y);
      return left_is_array ? 1 : -1;
    }
    const int order = compare_numbers(x.value, y.value);
    return order != 0 ? order : by_value_text(x, y);
  };
  const auto by_type = [&](const Array::Element& x, const Array::Element& y) {
    const int left = TypeRank(x.value), right = TypeRank(y.value);
    if (left != right) return left - right;
    if (left == 1) {
      const int order = compare_numbers(x.value, y.value);
      return order != 0 ? order : by_index(x, y);
    }
    return left == 2 ? by_value_text(x, y) : by_index(x, y);
  };
  using Comparison = std::function<int(const Array::Element&, const Array::Element&)>;
  static constexpr std::string_view kUp = "_asc", kDown = "_desc";
  if (how.starts_with('@')) {
    if (how == "@unsorted") return true;
    const bool is_down = how.ends_with(kDown);
    const std::string_view field =
        how.substr(1, how.size() - 1 - (is_down ? kDown.size() : std::min(kUp.size(), how.size() - 1)));
    Comparison comparison;
    if (field == "ind_str") comparison = by_index_text;
    if (field == "ind_num") comparison = by_index_number;
    if (field == "val_str") comparison = by_value_text;
    if (field == "val_num") comparison = by_value_number;
    if (field == "val_type") comparison = by_type;
    if (comparison != nullptr && (is_down || how.ends_with(kUp))) {
      return MergeSort(elements, [&](const Array::Element& x, const Array::Element& y) {
        return is_down ? comparison(y, x) < 0 : comparison(x, y) < 0;
      });
    }
  }
  for (size_t i = 0; i < program_.functions.size(); ++i) {
    if (program_.functions[i].name != how) continue;
    return MergeSort(elements, [&](const Array::Element& x, const Array::Element& y) {
      stack_.Reserve(8);
      stack_.Push(KeyToText(x.key));
      stack_.Push(x.value);
      stack_.Push(KeyToText(y.key));
      stack_.Push(y.value);
      if (!CallBack(static_cast<int>(i), 4)) return false;
      const bool comes_first = stack_.At(0).ToNumber() < 0;
      stack_.Pop();
      return comes_first;
    });
  }
  return Fatal("sort comparison function `" + std::string(how) + "' is not defined");
}

bool Interpreter::KeysInOrder(Array& array, std::vector<Value>& keys) {
  const Array* const procinfo = global(kSlotProcinfo).array();
  const Value* const how =
      procinfo == nullptr ? nullptr : global(kSlotProcinfo).array()->Find(ArrayKey("sorted_in"));
  std::string order;
  if (how != nullptr && how->array() == nullptr) order = TextOf(*how, convfmt_).view();
  if (order.empty() || order == "@unsorted") {
    keys = array.Keys(budget_);
    return true;
  }
  std::vector<Array::Element> elements = array.Elements(budget_);
  if (!Sort(elements, order)) return false;
  keys.reserve(elements.size());
  for (Array::Element& element : elements) keys.push_back(std::move(element.key));
  return true;
}

bool Interpreter::SortArray(size_t count, bool by_index) {
  const std::string name = by_index ? "asorti" : "asort";
  const Value source = stack_.At(count - 1);
  if (source.array() == nullptr) return Fatal(name + ": first argument is not an array");
  const Value target = count > 1 ? stack_.At(count - 2) : source;
  if (target.array() == nullptr) return Fatal(name + ": second argument is not an array");
  std::string how = by_index ? "@ind_str_asc" : "@val_type_asc";
  if (count > 2) how = TextOf(stack_.At(0), convfmt_).view();
  std::vector<Array::Element> elements = source.array()->Elements(budget_);
  if (!Sort(elements, how)) return false;
  Array& sorted = *target.array();
  sorted.Clear();
  for (size_t i = 0; i < elements.size(); ++i) {
    Array::Element& element = elements[i];
    budget_.Step();
    sorted.Set(static_cast<int32_t>(i + 1),
               by_index ? KeyToText(element.key) : std::move(element.value), budget_);
  }
  return ReturnNumber(count, static_cast<double>(elements.size()));
}

}  // namespace paddock::awk
