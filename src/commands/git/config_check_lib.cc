// Values of the configuration that git does not go on with.
#include <algorithm>
#include <charconv>

#include "commands/git/config_files.h"

namespace paddock::git {
namespace {

constexpr std::string_view kPushDefaults[] = {"nothing", "matching", "simple", "upstream", "tracking", "current"};

// Where an entry stands, as a complaint of it ends.
Error BadVariable(const Git& git, const ConfigEntry& entry, const std::vector<ConfigFile>& files) {
  if (entry.origin >= files.size()) return Error(Code::kInvalid, "unable to parse '" + entry.key + "' from command-line config");
  const std::string& path = files[entry.origin].path;
  const std::string shown = path == git.GitPath("config") && !git.is_bare ? ".git/config" : path;
  return Error(Code::kInvalid, "bad config variable '" + entry.key + "' in file '" + shown + "' at line " + std::to_string(entry.line));
}

Status CheckAbbrev(Git& git, const ConfigEntry& entry, const std::vector<ConfigFile>& files) {
  const std::string value = entry.value.value_or("");
  if (value == "auto") {
    git.objects.SetShortest(0);
    return {};
  }
  if (const bool is_number = !value.empty() && value[0] >= '0' && value[0] <= '9'; !is_number && ParseConfigBool(value) == false) {
    git.objects.SetShortest(40);
    return {};
  }
  size_t digits = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), digits);
  if (value.empty() || read.ec != std::errc{} || read.ptr != value.data() + value.size()) return Error(Code::kInvalid, "bad numeric config value '" + value + "' for 'core.abbrev': invalid unit");
  if (digits < 4 || digits > 40) {
    git.Complain("abbrev length out of range: " + value);
    return BadVariable(git, entry, files);
  }
  git.objects.SetShortest(digits);
  return {};
}

}  // namespace

Status TakeConfig(Git& git, const std::vector<ConfigFile>& files, bool is_being_mended) {
  for (const ConfigEntry& entry : git.config.entries()) {
    git.in.budget.Step();
    if (entry.key == "core.bare") {
      if (entry.value && !ParseConfigBool(*entry.value)) return Error(Code::kInvalid, "bad boolean config value '" + *entry.value + "' for 'core.bare'");
    } else if (is_being_mended) {
      continue;
    } else if (entry.key == "core.abbrev") {
      PADDOCK_TRY(CheckAbbrev(git, entry, files));
    } else if (entry.key == "user.name" || entry.key == "user.email") {
      if (entry.value) continue;
      git.Complain("missing value for '" + entry.key + "'");
      return BadVariable(git, entry, files);
    } else if (entry.key == "push.default") {
      const std::string value = entry.value.value_or("");
      if (std::find(std::begin(kPushDefaults), std::end(kPushDefaults), value) != std::end(kPushDefaults)) continue;
      if (!entry.value) {
        git.Complain("missing value for 'push.default'");
      } else {
        git.Complain("malformed value for push.default: " + value);
        git.Complain("must be one of nothing, matching, simple, upstream or current");
      }
      return BadVariable(git, entry, files);
    }
  }
  return {};
}

}  // namespace paddock::git
