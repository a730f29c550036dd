#include "commands/git/work/ignore_rules.h"

namespace paddock::git {
namespace {

constexpr uint64_t kLargestIgnoreFile = 4 << 20;

}  // namespace

void IgnoreRules::Parse(std::string_view text, const std::string& source, Rules& rules) {
  size_t number = 0;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    git_.in.budget.Step();
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    git_.in.budget.WillAllocate(line.size() + source.size() + 200);
    if (auto glob = IgnoreGlob::Parse(line, false, false)) rules.push_back({source, number, std::string(line), std::move(*glob)});
  }
}

void IgnoreRules::AddStandard() {
  const std::string home(git_.in.env.Get("HOME", ""));
  const std::string by_default = std::string(git_.in.env.Get("XDG_CONFIG_HOME", home + "/.config")) + "/git/ignore";
  std::string excludes = git_.config.Get("core.excludesfile", by_default);
  if (excludes.starts_with("~/")) excludes = home + excludes.substr(1);
  if (const auto text = vfs::ReadFile(git_.in.fs, excludes, kLargestIgnoreFile)) Parse(*text, excludes, files_);
  const std::string own = git_.GitPath("info/exclude");
  if (const auto text = vfs::ReadFile(git_.in.fs, own, kLargestIgnoreFile)) Parse(*text, git_.prefix.empty() ? ".git/info/exclude" : own, files_);
  names_.emplace_back(".gitignore");
}

void IgnoreRules::AddPattern(std::string_view pattern) { Parse(pattern, "", patterns_); }

Status IgnoreRules::AddFile(const std::string& path) {
  const auto text = vfs::ReadFile(git_.in.fs, path, kLargestIgnoreFile);
  if (!text) return Error(text.error().code, "cannot use " + path + " as exclude file");
  Parse(*text, path, files_);
  return {};
}

void IgnoreRules::Enter(const std::string& directory) {
  Level level{directory, {}};
  for (const std::string& name : names_) {
    if (const auto text = vfs::ReadFile(git_.in.fs, git_.FilePath(directory + name), kLargestIgnoreFile)) Parse(*text, directory + name, level.rules);
  }
  levels_.push_back(std::move(level));
}

const IgnoreRule* IgnoreRules::FindIn(const Rules& rules, std::string_view path, bool is_directory) {
  for (size_t i = rules.size(); i-- > 0;) {
    if (rules[i].glob.Matches(path, is_directory, git_.in.budget)) return &rules[i];
  }
  return nullptr;
}

const IgnoreRule* IgnoreRules::Find(const std::string& path, bool is_directory) {
  if (const IgnoreRule* rule = FindIn(patterns_, path, is_directory)) return rule;
  for (size_t i = levels_.size(); i-- > 0;) {
    const std::string_view below = std::string_view(path).substr(levels_[i].directory.size());
    if (const IgnoreRule* rule = FindIn(levels_[i].rules, below, is_directory)) return rule;
  }
  return FindIn(files_, path, is_directory);
}

const IgnoreRule* IgnoreRules::FindFor(const std::string& path, bool is_directory) {
  levels_.clear();
  Enter("");
  for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const IgnoreRule* rule = Find(path.substr(0, slash), true);
    if (rule != nullptr && !rule->glob.is_negative()) return rule;
    if (slash + 1 == path.size()) return rule;
    Enter(path.substr(0, slash + 1));
  }
  return Find(path, is_directory);
}

}  // namespace paddock::git
