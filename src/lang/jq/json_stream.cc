// The streaming form of JsonReader: events instead of values.
#include "lang/jq/json_reader.h"

namespace paddock::jq {

// One event out of the path as it is, and a leaf if next_ holds one.
void JsonReader::Told() {
  Value event = Value::Array(2);
  event.Append(path_);
  if (next_.is_valid()) event.Append(std::move(next_));
  events_.push_back(std::move(event));
  next_ = Value();
}

// A value below what is open: its place is the next index of an array, the key of an object.
bool JsonReader::StreamLeaf() {
  if (!levels_.empty()) {
    Level& level = levels_.back();
    if (level.has_value) return Fail("Expected separator between values");
    level.has_value = true;
    level.is_empty = false;
  }
  Told();
  return true;
}

bool JsonReader::StreamToken(char c) {
  switch (c) {
    case '[':
    case '{': return StreamOpen(c == '{');
    case ':': return StreamColon();
    case ',': return StreamComma();
    default: return StreamClose(c == '}');
  }
}

bool JsonReader::StreamOpen(bool is_object) {
  if (next_.is_valid()) return Fail("Expected separator between values");
  if (IsKeyNext()) return Fail(std::string("Expected string key after '{', not '") + (is_object ? "{'" : "['"));
  if (depth_ >= kMaxDepth) return Fail("Exceeds depth limit for parsing");
  if (!levels_.empty()) {
    if (levels_.back().has_value) return Fail("Expected separator between values");
    levels_.back().has_value = true;
    levels_.back().is_empty = false;
  }
  levels_.push_back({0, is_object});
  ++depth_;
  path_.Append(is_object ? Value::Null() : Value::Number(0));
  return true;
}

bool JsonReader::StreamColon() {
  if (levels_.empty() || !levels_.back().is_object) return Fail("':' not as part of an object");
  if (!IsKeyNext()) return Fail("':' should follow a key");
  if (!next_.is_valid()) return Fail("Expected string key before ':'");
  if (!next_.is_string()) return Fail("Object keys must be strings");
  path_.Slot(path_.array_size() - 1) = std::move(next_);
  next_ = Value();
  levels_.back().has_key = true;
  levels_.back().has_value = false;
  return true;
}

bool JsonReader::StreamComma() {
  if (levels_.empty()) return Fail("Expected value before ','");
  Level& level = levels_.back();
  if (next_.is_valid()) return Fail("Objects must consist of key:value pairs");
  if (!level.has_value) return Fail("Expected value before ','");
  level.has_value = false;
  Value& index = path_.Slot(path_.array_size() - 1);
  if (level.is_object) {
    level.has_key = false;
    index = Value::Null();
  } else {
    index = Value::Number(index.number() + 1);
  }
  return true;
}

bool JsonReader::StreamClose(bool is_object) {
  const std::string unmatched = is_object ? "Unmatched '}'" : "Unmatched ']'";
  if (levels_.empty()) return Fail(unmatched + " at the top-level");
  const Level level = levels_.back();
  if (level.is_object != is_object) {
    return Fail(unmatched + (is_object ? " in the middle of an array" : " in the middle of an object"));
  }
  if (next_.is_valid()) return Fail("Objects must consist of key:value pairs");
  if (is_object && level.has_key && !level.has_value) return Fail("Missing value in key:value pair");
  if (!level.is_empty && !level.has_value) {
    return Fail(is_object ? "Expected another key:value pair" : "Expected another array element");
  }
  levels_.pop_back();
  --depth_;
  if (level.is_empty) {
    path_.Truncate(path_.array_size() - 1);
    next_ = is_object ? Value::Object() : Value::Array();
    Told();
    return true;
  }
  Told();
  path_.Truncate(path_.array_size() - 1);
  return true;
}

}  // namespace paddock::jq
