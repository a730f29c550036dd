// A walk over a tree that hostile code has written.
//
// Holds two descriptors at a time however deep the tree is, does not recurse, follows no link, stays on one mount, and ends
// when its budget does. Going up again is checked: a directory that is not the one it came from ends the walk.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace paddock::process_wall {

struct WalkBudget {
  size_t entries = 4'000'000;                  // names looked at
  size_t directory_entries = 1'000'000;        // names in one directory
  std::chrono::milliseconds time{20'000};
  bool opens_shut = false;                     // makes directories of ours readable that are not
};

struct WalkEntry {
  std::string name;
  unsigned char type = 0;   // DT_REG …; never DT_UNKNOWN
};

// Where the walk stands.
struct WalkPlace {
  int directory = -1;          // open for as long as the call
  const std::string& path;     // relative to the root, "" for the root itself
  int depth = 0;
};

class TreeVisitor {
 public:
  virtual ~TreeVisitor() = default;

  // A subdirectory to go down into, with a number of the visitor's own for it.
  struct Descent {
    std::string name;
    int zone = 0;
  };
  // Called once a directory, before any below it. May rename and remove what it is shown. Returns where to go on.
  virtual std::vector<Descent> Visit(const WalkPlace& place, const std::vector<WalkEntry>& entries, int zone) = 0;
  // A directory that cannot be read; lies on another mount (kCrossDevice); has more names than the budget allows (kLimit):
  // the first ones are visited all the same.
  virtual void Unreadable(const std::string& path, Code code) = 0;
};

// Errors: kLimit when the budget ended (the message says which), kInternal when the tree changed below the walk.
Status WalkTree(int root, int zone, const WalkBudget& budget, TreeVisitor& visitor);

}  // namespace paddock::process_wall
