// Which files grep searches: --include, --exclude and --exclude-dir. For grep only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/pattern.h"

namespace paddock {

class Budget;

class GrepFileRules {
 public:
  void Add(std::string_view glob, bool is_include);
  void AddDirectory(std::string_view glob);

  // A file met below a directory goes by its base name, one of the command line by every part of its name
  // that begins behind a slash, too.
  bool SkipsFile(std::string_view name, bool is_operand, Budget& budget) const;
  bool SkipsDirectory(std::string_view name, bool is_operand, Budget& budget) const;

 private:
  struct Rule {
    Pattern pattern;
    bool is_include;
  };
  std::vector<Rule> files_;
  std::vector<Pattern> directories_;
};

}  // namespace paddock
