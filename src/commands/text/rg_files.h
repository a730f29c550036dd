// Which files rg searches: ignore files, globs and types, and the walk through directories in the order of names.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/ignore_files.h"
#include "proc/command.h"

namespace paddock {

// The globs of each file type, with what --type-clear and --type-add ("name:glob", "name:include:other,other") say. Errors: kSyntax.
Result<std::map<std::string, std::vector<std::string>>> RgTypesWith(const std::vector<std::string>& cleared, const std::vector<std::string>& added);

struct RgWalkSettings : IgnoreSettings {
  bool shows_hidden = false;
  bool follows = false;
  bool stays_on_device = false;
  bool says_messages = true;
  std::optional<uint64_t> max_depth, max_size;
  IgnoreGlobList overrides;              // of -g; plain ones keep
  std::vector<std::pair<std::string, IgnoreGlob>> selected_types, refused_types;
  bool is_reversed = false;
};

// Calls `visit` with the path of each file below `root`, and the root itself when it is no directory. False from it ends the walk.
// Complaints go to stderr; returns whether there were any.
bool WalkForRg(Invocation& in, const RgWalkSettings& settings, const std::string& root, const std::function<bool(const std::string&, bool)>& visit);

}  // namespace paddock
