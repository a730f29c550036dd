// Which rule of which ignore file says what of a path: for ls-files and check-ignore, which can tell and choose.
#pragma once

#include <string>
#include <vector>

#include "commands/git/git.h"
#include "commands/ignore_files.h"

namespace paddock::git {

struct IgnoreRule {
  std::string source;   // the file, as it is told; empty for a rule of the command line
  size_t line = 0;
  std::string text;
  IgnoreGlob glob;
};

class IgnoreRules {
 public:
  explicit IgnoreRules(Git& git) : git_(git) {}
  // core.excludesFile, info/exclude and the .gitignore files.
  void AddStandard();
  // A pattern of the command line: stronger than all files.
  void AddPattern(std::string_view pattern);
  // A file of patterns for the whole tree. Errors: it cannot be read.
  Status AddFile(const std::string& path);
  // Files of this name in every directory.
  void AddPerDirectory(std::string name) { names_.push_back(std::move(name)); }
  bool empty() const { return patterns_.empty() && files_.empty() && names_.empty(); }

  // `directory`: "" or "sub/".
  void Enter(const std::string& directory);
  void Leave() { levels_.pop_back(); }
  // The rule that decides on a path of the directory entered last; null if there is none.
  const IgnoreRule* Find(const std::string& path, bool is_directory);
  bool Hides(const std::string& path, bool is_directory) {
    const IgnoreRule* rule = Find(path, is_directory);
    return rule != nullptr && !rule->glob.is_negative();
  }
  // For a path anywhere: the rule that hides it or a directory above.
  const IgnoreRule* FindFor(const std::string& path, bool is_directory);

 private:
  using Rules = std::vector<IgnoreRule>;
  struct Level {
    std::string directory;
    Rules rules;
  };
  void Parse(std::string_view text, const std::string& source, Rules& rules);
  const IgnoreRule* FindIn(const Rules& rules, std::string_view path, bool is_directory);

  Git& git_;
  Rules patterns_, files_;
  std::vector<std::string> names_;
  std::vector<Level> levels_;
};

}  // namespace paddock::git
