// What plain scalars mean: the rules of YAML 1.1 and 1.2 as PyYAML's users know them.
#pragma once

#include <string>
#include <string_view>

namespace paddock::yaml {

enum class Grammar { k11, k12 };

// What a plain scalar resolves to: "str", "int", "float", "bool", "null", and for 1.1 "timestamp" and "value";
// "merge" for << .
std::string_view ResolvePlain(std::string_view text, Grammar grammar);

// The JSON text of a scalar of this kind ("int", "float", "bool"); false, with Python's words for it, when it is none.
bool ScalarToJson(std::string_view kind, const std::string& text, std::string& json, std::string& error);

// Appends `text` (valid UTF-8) as a JSON string.
void AppendJsonString(std::string_view text, std::string& json);

// A double as jq 1.6 and Python's float() agree on it.
std::string DoubleToJson(double number);

}  // namespace paddock::yaml
