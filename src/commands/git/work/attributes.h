// .gitattributes: what is said of files.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "commands/git/git.h"
#include "commands/ignore_files.h"

namespace paddock::git {

class Attributes {
 public:
  explicit Attributes(Git& git);
  // The attributes of a file: "set", "unset" or a value; what is not specified is not there. In order of name.
  std::map<std::string, std::string> Of(const std::string& path);
  // The rules of these files are read before those of the working tree; `alone`: in the place of them.
  void UseFiles(const FlatTree& files, bool alone = false);
  // What the index says of them counts for nothing; else it stands for files that are not in the working tree.
  void SkipIndex() {
    if (!staged_) staged_.emplace();
  }
  // What the index says of them, from one that was read.
  void TakeIndex(const Index& index);
  // All names so far, in the order in which they were first read.
  const std::vector<std::string>& names() const { return names_; }
  // One of them; "unspecified" if nothing is said.
  std::string Get(const std::string& path, const std::string& name);

 private:
  struct Rule {
    IgnoreGlob glob;
    std::vector<std::pair<std::string, std::string>> values;   // "unspecified" takes one back
  };
  using Rules = std::vector<Rule>;
  void Parse(std::string_view text, bool may_define, Rules& rules);
  void ParseValues(std::string_view text, std::vector<std::pair<std::string, std::string>>& values);
  const Rules& RulesIn(const std::string& directory);
  void Apply(const Rules& rules, std::string_view below, std::map<std::string, std::string>& values);

  Git& git_;
  void Meet(const std::string& name);
  Rules general_, own_;
  std::vector<std::string> names_;
  std::set<std::string, std::less<>> met_;
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> macros_;
  // Contents that stand for the files of the working tree, by path: before them, or where there is no file.
  const std::map<std::string, Oid>& Staged();
  std::map<std::string, Rules> directories_;
  bool is_alone_ = false;
  std::optional<std::map<std::string, Oid>> staged_;
  bool prefers_staged_ = false;
};

// For commands that do not look at the index at all.
void SkipIndexAttributes(Git& git);
// For those that have read it.
void TakeIndexAttributes(Git& git, const Index& index);

}  // namespace paddock::git
