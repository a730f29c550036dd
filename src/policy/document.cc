#include "policy/document.h"

namespace paddock::policy {

const Value* Value::Find(std::string_view key) const {
  for (const auto& [name, value] : members) {
    if (name == key) return &value;
  }
  return nullptr;
}

const char* KindName(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::kNull: return "null";
    case Value::Kind::kBool: return "true or false";
    case Value::Kind::kInteger: return "a whole number";
    case Value::Kind::kNumber: return "a number";
    case Value::Kind::kString: return "a string";
    case Value::Kind::kList: return "a list";
    case Value::Kind::kTable: return "a table";
  }
  return "";
}

}  // namespace paddock::policy
