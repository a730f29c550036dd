// What a packer or unpacker tells at the end: counts, and by name what went wrong, the first hundred of it.
#pragma once

#include <string>
#include <string_view>

#include "guest/protocol/tree_messages.h"

namespace paddock::guest {

class TreeReporter {
 public:
  void Count(uint64_t bytes = 0) {
    ++report_.entries;
    report_.bytes += bytes;
  }
  void Problem(std::string_view name, int error_number) {
    ++report_.problem_count;
    if (report_.problems.size() >= kMaxTreeProblems) return;
    // Names from archives can be anything; messages cannot.
    constexpr size_t kMaxName = 4096;
    name = name.substr(0, name.find('\0'));
    report_.problems.push_back({std::string(name.substr(0, kMaxName)), error_number});
  }
  const TreeReport& report() const { return report_; }

 private:
  TreeReport report_;
};

}  // namespace paddock::guest
