// Git's configuration files: read, asked and edited in place.
//
// Source: git-config(1) "Syntax". Included files (include.path) are not followed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace paddock::git {

struct ConfigEntry {
  std::string key;                    // "user.name", "branch.Main.remote": section and name in lower case
  std::optional<std::string> value;   // nothing for a name alone, which means true
  size_t origin = 0;                  // index of the file, as the caller numbers them
  size_t line = 0;                    // where it stands in that file
};

// Folds the case of a key's section and name; nothing when it is not valid.
std::optional<std::string> FoldConfigKey(std::string_view key);

// Errors: kSyntax with "bad config line N".
Result<std::vector<ConfigEntry>> ParseConfig(std::string_view text, Budget& budget);

// The text with the value set: replaced where the key stands last, else added to its section. `adds`: always a new line.
// `value` absent: all lines of the key are taken out. `key` is folded.
std::string EditConfig(std::string_view text, std::string_view key, std::optional<std::string_view> value, bool adds);
// Takes a section and all in it out, or gives it another name; nothing when it is not there.
std::optional<std::string> EditConfigSection(std::string_view text, std::string_view section, std::optional<std::string_view> new_name);
// The text with a copy of the section under the new name behind it; nothing when there is none.
std::optional<std::string> CopyConfigSection(std::string_view text, std::string_view section, std::string_view new_name);

class Config {
 public:
  void Add(std::vector<ConfigEntry> entries) {
    for (ConfigEntry& entry : entries) entries_.push_back(std::move(entry));
  }
  const std::vector<ConfigEntry>& entries() const { return entries_; }
  // The last value; a name alone is "true". The key is as in ConfigEntry.
  std::optional<std::string> Get(std::string_view key) const;
  std::string Get(std::string_view key, std::string_view otherwise) const;
  std::vector<std::string> GetAll(std::string_view key) const;
  bool GetBool(std::string_view key, bool otherwise) const;

 private:
  std::vector<ConfigEntry> entries_;
};

// true, yes, on, 1 …; nothing when it is neither.
std::optional<bool> ParseConfigBool(std::string_view text);

}  // namespace paddock::git
