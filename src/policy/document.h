// One tree for the documents in JSON and TOML that policies are written in.
//
// Both readers bound size and nesting before they build anything, refuse a key that stands twice in one table, and
// keep the line of every value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::policy {

inline constexpr size_t kMaxDocumentBytes = 1 << 20;
inline constexpr int kMaxDocumentDepth = 32;
inline constexpr size_t kMaxTableKeys = 1024;

struct Member;

struct Value {
  enum class Kind { kNull, kBool, kInteger, kNumber, kString, kList, kTable };

  Kind kind = Kind::kNull;
  int line = 0;                                        // from 1; where the value, or its key, stands
  bool boolean = false;
  int64_t integer = 0;
  double number = 0;                                   // of kNumber: has a fraction or an exponent
  std::string text;                                    // valid UTF-8 without NUL
  std::vector<Value> items;                            // of kList
  std::vector<Member> members;                         // of kTable, in the document's order

  // Null if absent. Of kTable.
  const Value* Find(std::string_view key) const;
};

struct Member {
  std::string name;
  Value value;
};

// "a string", "a table": for messages.
const char* KindName(Value::Kind kind);

// The whole document, a table. Errors: kSyntax with "LINE: what" as message, kLimit for size and depth.
Result<Value> ParseJsonDocument(std::string_view text);
Result<Value> ParseTomlDocument(std::string_view text);

}  // namespace paddock::policy
