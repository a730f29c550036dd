#include "commands/git/work/attributes.h"

#include "commands/git/diff/diff.h"

namespace paddock::git {
namespace {

constexpr uint64_t kLargestFile = 1 << 20;
constexpr std::string_view kBlanks = " \t\r";

std::string_view TakeWord(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const size_t end = std::min(text.find_first_of(kBlanks), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

}  // namespace

Attributes::Attributes(Git& git) : git_(git) {
  macros_["binary"] = {{"diff", "unset"}, {"merge", "unset"}, {"text", "unset"}};
  for (const char* name : {"binary", "diff", "merge", "text"}) Meet(name);
  const std::string home(git.in.env.Get("HOME", ""));
  std::string general = git.config.Get("core.attributesfile", std::string(git.in.env.Get("XDG_CONFIG_HOME", home + "/.config")) + "/git/attributes");
  if (general.starts_with("~/")) general = home + general.substr(1);
  if (const auto text = vfs::ReadFile(git.in.fs, general, kLargestFile)) Parse(*text, true, general_);
  if (const auto text = vfs::ReadFile(git.in.fs, git.GitPath("info/attributes"), kLargestFile)) Parse(*text, true, own_);
}

void Attributes::Meet(const std::string& name) {
  if (met_.insert(name).second) names_.push_back(name);
}

void Attributes::ParseValues(std::string_view text, std::vector<std::pair<std::string, std::string>>& values) {
  while (true) {
    git_.in.budget.Step();
    const std::string_view word = TakeWord(text);
    if (word.empty()) return;
    const size_t equals = word.find('=');
    const bool is_off = word[0] == '-', is_back = word[0] == '!';
    const std::string name(word.substr(is_off || is_back ? 1 : 0, is_off || is_back ? std::string_view::npos : equals));
    if (name.empty()) continue;
    Meet(name);
    values.emplace_back(name, is_off ? "unset" : is_back ? "unspecified" : equals == std::string_view::npos ? "set" : std::string(word.substr(equals + 1)));
  }
}

void Attributes::Parse(std::string_view text, bool may_define, Rules& rules) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    git_.in.budget.Step();
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.empty() || line[0] == '#') continue;
    std::string pattern;
    if (line[0] == '"') {
      const size_t close = line.find('"', 1);
      if (close == std::string_view::npos) continue;
      pattern = UnquotePath(line.substr(0, close + 1));
      line.remove_prefix(close + 1);
    } else {
      pattern = TakeWord(line);
    }
    git_.in.budget.WillAllocate(line.size() + 200);
    if (pattern.starts_with("[attr]")) {
      if (may_define) {
        Meet(pattern.substr(6));
        ParseValues(line, macros_[pattern.substr(6)]);
      }
      continue;
    }
    if (pattern.starts_with('!') || pattern.ends_with('/')) continue;
    auto glob = IgnoreGlob::Parse(pattern, false, false);
    if (!glob) continue;
    Rule rule{std::move(*glob), {}};
    ParseValues(line, rule.values);
    rules.push_back(std::move(rule));
  }
}

void Attributes::UseFiles(const FlatTree& files, bool alone) {
  is_alone_ = alone;
  staged_.emplace();
  prefers_staged_ = true;
  directories_.clear();
  for (const auto& [path, item] : files) {
    if (path == ".gitattributes" || path.ends_with("/.gitattributes")) staged_->emplace(path, item.id);
  }
}

void Attributes::TakeIndex(const Index& index) {
  if (staged_) return;
  staged_.emplace();
  for (const IndexEntry& entry : index.entries()) {
    if (entry.stage == 0 && (entry.path == ".gitattributes" || entry.path.ends_with("/.gitattributes"))) staged_->emplace(entry.path, entry.id);
  }
}

const std::map<std::string, Oid>& Attributes::Staged() {
  if (staged_) return *staged_;
  if (const auto index = git_.ReadIndex()) TakeIndex(*index);
  else staged_.emplace();
  return *staged_;
}

const Attributes::Rules& Attributes::RulesIn(const std::string& directory) {
  const auto known = directories_.find(directory);
  if (known != directories_.end()) return known->second;
  Rules rules;
  if (!git_.work_tree.empty() || is_alone_) {
    const std::string path = directory + ".gitattributes";
    const auto blob = [&]() -> std::optional<std::string> {
      const auto found = Staged().find(path);
      if (found == Staged().end()) return std::nullopt;
      auto read = git_.ReadBlob(found->second);
      return read ? std::optional<std::string>(std::move(*read)) : std::nullopt;
    };
    std::optional<std::string> text = prefers_staged_ ? blob() : std::nullopt;
    if (!text && !is_alone_) {
      if (auto read = vfs::ReadFile(git_.in.fs, git_.FilePath(path), kLargestFile)) text = std::move(*read);
      else if (!prefers_staged_) text = blob();
    }
    if (text && text->size() <= kLargestFile) Parse(*text, directory.empty(), rules);
  }
  return directories_.emplace(directory, std::move(rules)).first->second;
}

void Attributes::Apply(const Rules& rules, std::string_view below, std::map<std::string, std::string>& values) {
  for (const Rule& rule : rules) {
    if (!rule.glob.Matches(below, false, git_.in.budget)) continue;
    for (const auto& [name, value] : rule.values) {
      git_.in.budget.Step();
      // A macro stands for what it says, too.
      if (const auto macro = macros_.find(name); macro != macros_.end() && value == "set") {
        for (const auto& [inner, inner_value] : macro->second) values[inner] = inner_value;
      }
      values[name] = value;
    }
  }
}

std::map<std::string, std::string> Attributes::Of(const std::string& path) {
  std::map<std::string, std::string> values;
  Apply(general_, path, values);
  Apply(RulesIn(""), path, values);
  for (size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) Apply(RulesIn(path.substr(0, slash + 1)), std::string_view(path).substr(slash + 1), values);
  Apply(own_, path, values);
  std::erase_if(values, [](const auto& value) { return value.second == "unspecified"; });
  return values;
}

std::string Attributes::Get(const std::string& path, const std::string& name) {
  const auto values = Of(path);
  const auto found = values.find(name);
  return found == values.end() ? "unspecified" : found->second;
}

void SkipIndexAttributes(Git& git) {
  if (!git.attributes) git.attributes = std::make_shared<Attributes>(git);
  git.attributes->SkipIndex();
}

void TakeIndexAttributes(Git& git, const Index& index) {
  if (!git.attributes) git.attributes = std::make_shared<Attributes>(git);
  git.attributes->TakeIndex(index);
}

std::string DiffDriverOf(Git& git, const std::string& path) {
  if (!git.attributes) git.attributes = std::make_shared<Attributes>(git);
  const std::string value = git.attributes->Get(path, "diff");
  return value == "unset" ? "-" : value == "set" ? "+" : value == "unspecified" ? "" : value;
}

}  // namespace paddock::git
