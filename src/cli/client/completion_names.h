// What a daemon has, as words to complete.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/client/link.h"

namespace paddock::cli {

// Asks at most once for each; a daemon that cannot be reached, or refuses, has nothing. Names may be hostile.
class CompletionNames {
 public:
  explicit CompletionNames(const LinkOptions& options) : options_(options) {}

  // Of a placeholder in a usage line: SANDBOX, SNAPSHOT, OTHER (both), SESSION, TEMPLATE. Names where they have one, else ids. Empty for others.
  std::vector<std::string> Of(const std::string& kind);
  // Ids of what runs in a sandbox.
  std::vector<std::string> Processes(const std::string& sandbox);
  // "dev:/home/ag": what lies there, as "dev:/home/agent/".
  std::vector<std::string> Files(const std::string& place);

 private:
  std::optional<json::value> Get(const std::string& target);
  std::vector<std::string> Names(const std::string& target, const char* member);

  const LinkOptions options_;
  std::optional<Link> link_;
};

}  // namespace paddock::cli
