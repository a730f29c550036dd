#include "drivers/docker/engine/json_fields.h"

#include <boost/json.hpp>

#include <algorithm>

namespace paddock::docker {

namespace json = boost::json;

const json::value* Field(const json::value* value, std::string_view name) {
  const json::object* object = value == nullptr ? nullptr : value->if_object();
  return object == nullptr ? nullptr : object->if_contains(json::string_view(name.data(), name.size()));
}

const json::value* FieldAt(const json::value& value, std::initializer_list<std::string_view> names) {
  const json::value* at = &value;
  for (const std::string_view name : names) at = Field(at, name);
  return at;
}

std::string TextOf(const json::value* value) {
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? "" : std::string(text->data(), text->size());
}

std::optional<int64_t> NumberOf(const json::value* value) {
  if (value == nullptr) return std::nullopt;
  if (const int64_t* number = value->if_int64()) return *number;
  return std::nullopt;
}

std::optional<uint64_t> CountOf(const json::value* value) {
  if (value == nullptr) return std::nullopt;
  if (const uint64_t* count = value->if_uint64()) return *count;
  const int64_t* number = value->if_int64();
  if (number == nullptr || *number < 0) return std::nullopt;
  return static_cast<uint64_t>(*number);
}

std::map<std::string, std::string> LabelsOf(const json::value* labels) {
  std::map<std::string, std::string> found;
  if (labels != nullptr && labels->is_object()) {
    for (const auto& [name, value] : labels->as_object()) found.emplace(name, TextOf(&value));
  }
  return found;
}

std::string LabelFilter(const std::vector<std::string>& labels) {
  json::array wanted;
  for (const std::string& label : labels) wanted.emplace_back(label);
  return json::serialize(json::object{{"label", std::move(wanted)}});
}

bool HasLabels(const std::map<std::string, std::string>& labels, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& label) {
    const size_t equals = label.find('=');
    const auto found = labels.find(label.substr(0, equals));
    return found != labels.end() && (equals == label.npos || found->second == label.substr(equals + 1));
  });
}

bool IsTrue(const json::value* value) { return value != nullptr && value->is_bool() && value->as_bool(); }

}  // namespace paddock::docker
