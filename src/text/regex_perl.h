// Perl's regular expressions, on PCRE2 with limits and without its JIT. For text/regex only.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/regex.h"

namespace paddock {

class Budget;

class PerlMatcher {
 public:
  static Result<std::unique_ptr<PerlMatcher>> Make(std::string_view pattern, const RegexFlags& flags);
  ~PerlMatcher();

  // Like Regex::Search().
  Result<bool> Search(std::string_view text, size_t from, bool is_line_start, RegexText kind,
                      std::vector<RegexGroup>* groups, Budget& budget) const;
  size_t group_count() const;

 private:
  struct Code;
  bool IsForAutomaton(std::string_view text, size_t from, RegexText kind) const;
  explicit PerlMatcher(std::unique_ptr<Code> code);
  std::unique_ptr<Code> code_;
};

}  // namespace paddock
