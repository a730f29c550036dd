// The program text as it was given: pieces from the command line and from files, with the names that
// messages use, and the complaint that ends a compilation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace paddock::awk {

struct Source {
  std::string name;  // "cmd. line" or the file's name
  std::string text;
  std::string path;         // where a file was found
  bool is_program = false;  // a file of -f
};

// A place in the program text.
struct Place {
  uint32_t source = 0;
  uint32_t line = 1;
};

// "cmd. line:3"
inline std::string PlaceName(const std::vector<Source>& sources, Place place) {
  if (sources.empty()) return "cmd. line:" + std::to_string(place.line);
  return sources[place.source].name + ":" + std::to_string(place.line);
}

}  // namespace paddock::awk
