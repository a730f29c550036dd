// Fields of an engine's JSON, believed in nothing: what is absent or of another type is absent.
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace paddock::docker {

// Null for anything but an object with that field.
const boost::json::value* Field(const boost::json::value* value, std::string_view name);
// Walks down: Field(Field(value, "HostConfig"), "Runtime").
const boost::json::value* FieldAt(const boost::json::value& value, std::initializer_list<std::string_view> names);
std::string TextOf(const boost::json::value* value);                     // empty if it is no string
std::optional<int64_t> NumberOf(const boost::json::value* value);        // none if it is no whole number of that range
std::optional<uint64_t> CountOf(const boost::json::value* value);        // none below zero
bool IsTrue(const boost::json::value* value);
std::map<std::string, std::string> LabelsOf(const boost::json::value* labels);   // empty if it is no object

// The filter of a list: those that have all these labels, "NAME=value" or "NAME".
std::string LabelFilter(const std::vector<std::string>& labels);
// Whether they are all there. What a list gives is looked at again: for volumes Podman gives those that have any of the labels.
bool HasLabels(const std::map<std::string, std::string>& labels, const std::vector<std::string>& wanted);

}  // namespace paddock::docker
