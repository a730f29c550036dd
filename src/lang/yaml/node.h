// The tree of a YAML document, as the reader composes it and the emitter writes it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace paddock::yaml {

inline constexpr char kTagPrefix[] = "tag:yaml.org,2002:";

struct Mark {
  size_t line = 0;     // from 0
  size_t column = 0;
};

struct Node {
  enum Kind { kScalar, kSequence, kMapping };
  Kind kind = kScalar;
  std::string tag;             // whole: "tag:yaml.org,2002:str", "!local"
  std::string text;            // kScalar
  char style = 0;              // kScalar: | > ' " or 0 for plain
  bool is_flow = false;
  std::vector<Node*> items;    // kMapping: key, value, key, value …
  Mark start;
  bool is_under_way = false;   // being constructed: to meet it again is a circle
  bool is_flattened = false;
};

}  // namespace paddock::yaml
