// Which commits git log and its like show: by who made them, when, and what their messages say.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/git/history/log.h"
#include "text/regex.h"

namespace paddock::git {

class Filter {
 public:
  static Result<Filter> Make(Git& git, const LogOptions& options);
  Result<bool> Keeps(const Commit& commit);
  // --grep-reflog.
  Result<bool> KeepsEntry(const std::string& message) { return AnyMatches(entries_, message, false); }

 private:
  Filter(Git& git, const LogOptions& options) : git_(git), options_(options) {}
  Status Compile(const std::vector<std::string>& patterns, std::vector<Regex>& out);
  Status TakeTime(const std::string& text, std::optional<int64_t>& out);
  Result<bool> AnyMatches(const std::vector<Regex>& patterns, const std::string& text, bool all);

  Git& git_;
  const LogOptions& options_;
  std::vector<Regex> authors_, committers_, greps_, entries_;
  std::optional<int64_t> since_, until_;
  std::shared_ptr<const Mailmap> mailmap_;
};

}  // namespace paddock::git
