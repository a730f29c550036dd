// The regular expressions of a running program, compiled once.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "text/regex.h"

namespace paddock::jq {

struct CompiledPattern {
  Regex regex;
  std::vector<std::string> names;   // of the groups, "" for one without
};

class PatternCache {
 public:
  // Valid until the next call.
  Result<const CompiledPattern*> Find(std::string_view source, std::string_view flags);

 private:
  static constexpr size_t kMost = 256;
  std::unordered_map<std::string, std::unique_ptr<CompiledPattern>> patterns_;
};

}  // namespace paddock::jq
