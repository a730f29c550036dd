// JSON values for gron and jo: numbers as they are written, members in their order, names as often as they come.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock {
class Budget;
}

namespace paddock::json_tree {

struct Member;

struct Node {
  enum class Kind { kMissing, kNull, kBool, kNumber, kString, kArray, kObject };
  Kind kind = Kind::kMissing;
  std::string text;   // of a number or a literal as written, of a string without its quotes
  std::vector<Member> members;   // those of an array have no names

  bool is_container() const { return kind == Kind::kArray || kind == Kind::kObject; }
};

struct Member {
  std::string name;
  Node value;
};

// Reads the one value at the front of `text`, which moves behind it. Errors: kSyntax, in the words of Go's encoding/json.
Result<Node> ParseValue(std::string_view& text, Budget& budget);

// A string in quotes, with JSON's escapes.
std::string Quoted(std::string_view text);

// The whole value, with two blanks a level and sorted members.
std::string Indented(const Node& node, Budget& budget);

}  // namespace paddock::json_tree
