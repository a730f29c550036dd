// Path name expansion: the pattern is taken apart at its slashes, and each part that has pattern
// characters is matched against the entries of the directories found so far.
//
// Source: POSIX.1-2017 XCU 2.13.3, Bash manual "Filename Expansion" and the options it names.

#include "shell/expand/glob.h"

#include <algorithm>

#include "shell/expand/expander.h"
#include "shell/shell.h"
#include "text/pattern.h"
#include "vfs/file_system.h"

namespace paddock::shell {
namespace {

// A path component of the pattern.
struct Component {
  std::string pattern;
  std::string literal;          // of a component without pattern characters, quotes removed
  bool is_pattern = false;
  bool is_recursive = false;    // ** with globstar
  bool is_behind_pattern = false;
};

std::string Unquote(std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    out += pattern[i];
  }
  return out;
}

class Globber {
 public:
  Globber(Shell& shell, std::string_view pattern);
  std::vector<std::string> Run();

 private:
  void SplitPattern(std::string_view pattern);
  void Expand(const std::string& directory, size_t index);
  void ExpandLiteral(const std::string& directory, size_t index);
  void ExpandEntries(const std::string& directory, size_t index);
  void ExpandRecursive(const std::string& directory, size_t index);
  void Descend(const std::string& directory, size_t index, bool enters_links);
  void Add(std::string path);
  bool IsIgnored(const std::string& path);
  bool IsDirectory(const std::string& path) {
    const auto attributes = shell_.files().Stat(path);
    return attributes && attributes->is_directory();
  }
  std::vector<vfs::DirectoryEntry> List(const std::string& directory);

  Shell& shell_;
  PatternFlags flags_;
  bool dotglob_;
  bool globskipdots_;
  bool globstar_;
  bool extglob_;
  std::vector<Component> components_;
  struct Ignored {
    Pattern pattern;
    bool is_open;   // the rest of the path may be anything: a '*' at the end matches slashes too
  };
  std::vector<Ignored> ignored_;
  std::string root_;              // leading slashes
  bool wants_directory_ = false;  // the pattern ends in a slash
  std::string trailing_;          // those slashes
  std::vector<std::string> found_;
};

Globber::Globber(Shell& shell, std::string_view pattern)
    : shell_(shell),
      dotglob_(shell.options.Get(ShoptOption::kDotglob)),
      globskipdots_(shell.options.Get(ShoptOption::kGlobskipdots)),
      globstar_(shell.options.Get(ShoptOption::kGlobstar)),
      extglob_(shell.options.Get(ShoptOption::kExtglob)) {
  flags_ = {.extglob = extglob_,
            .ignore_case = shell.options.Get(ShoptOption::kNocaseglob),
            .is_utf8 = shell.locale().is_utf8};
  if (const auto ignore = shell.Get("GLOBIGNORE"); ignore && !ignore->empty()) {
    std::string_view rest = *ignore;
    while (true) {
      const std::string_view item = rest.substr(0, rest.find(':'));
      PatternFlags flags = flags_;
      flags.is_path = true;
      const size_t kept = item.find_last_not_of('*') + 1;   // npos + 1 is 0
      const bool is_open = kept < item.size() && (kept == 0 || item[kept - 1] != '\\');
      if (!item.empty()) ignored_.push_back({Pattern(is_open ? item.substr(0, kept) : item, flags), is_open});
      if (item.size() == rest.size()) break;
      rest.remove_prefix(item.size() + 1);
    }
    globskipdots_ = true;
  }
  SplitPattern(pattern);
}

// Splits at slashes, also inside brackets: a slash cannot be part of a bracket expression, so "[a/b]" is
// two plain components. Those inside of extglob groups stay (and match nothing).
void Globber::SplitPattern(std::string_view pattern) {
  while (!pattern.empty() && pattern[0] == '/') {
    root_ += '/';
    pattern.remove_prefix(1);
  }
  while (!pattern.empty()) {
    size_t end = 0;
    for (size_t depth = 0; end < pattern.size() && (pattern[end] != '/' || depth > 0); ++end) {
      if (pattern[end] == '\\') {
        ++end;
      } else if (extglob_ && pattern[end] == '(' &&
                 (depth > 0 || (end > 0 && std::string_view("?*+@!").find(pattern[end - 1]) !=
                                               std::string_view::npos))) {
        ++depth;
      } else if (pattern[end] == ')' && depth > 0) {
        --depth;
      }
    }
    end = std::min(end, pattern.size());
    Component component;
    component.pattern = pattern.substr(0, end);
    component.is_recursive = globstar_ && component.pattern == "**";
    component.is_pattern = HasPatternCharacters(component.pattern, extglob_);
    if (!component.is_pattern) component.literal = Unquote(component.pattern);
    if (!components_.empty()) {
      Component& before = components_.back();
      component.is_behind_pattern = before.is_pattern || before.is_behind_pattern;
      if (component.is_recursive && before.is_recursive) components_.pop_back();
    }
    components_.push_back(std::move(component));
    pattern.remove_prefix(end);
    size_t slashes = 0;
    while (slashes < pattern.size() && pattern[slashes] == '/') ++slashes;
    pattern.remove_prefix(slashes);
    if (pattern.empty() && slashes > 0) {
      wants_directory_ = true;
      trailing_.assign(slashes, '/');
    } else if (slashes > 1 && !components_.empty()) {
      components_.back().literal += components_.back().is_pattern ? "" : std::string(slashes - 1, '/');
    }
  }
}

std::vector<std::string> Globber::Run() {
  Expand(root_, 0);
  if (!ignored_.empty()) {
    std::erase_if(found_, [&](const std::string& path) { return IsIgnored(path); });
  }
  std::sort(found_.begin(), found_.end());
  return std::move(found_);
}

bool Globber::IsIgnored(const std::string& path) {
  const std::string name = vfs::BaseName(path);
  if (name == "." || name == "..") return true;
  return std::any_of(ignored_.begin(), ignored_.end(), [&](const Ignored& ignored) {
    if (!ignored.is_open) return ignored.pattern.Matches(path, shell_.budget());
    for (size_t length = 0; length <= path.size(); ++length) {
      if (ignored.pattern.Matches(std::string_view(path).substr(0, length), shell_.budget())) return true;
    }
    return false;
  });
}

void Globber::Add(std::string path) {
  shell_.budget().Step(2);
  found_.push_back(std::move(path));
}

std::vector<vfs::DirectoryEntry> Globber::List(const std::string& directory) {
  shell_.budget().Step(8);
  auto entries = shell_.files().List(directory.empty() ? "." : directory);
  if (!entries) return {};
  return std::move(*entries);
}

// `directory` is the path found so far: empty, or ending in a slash.
void Globber::Expand(const std::string& directory, size_t index) {
  shell_.budget().CheckStack();
  if (index == components_.size()) {
    if (!directory.empty()) Add(directory);
    return;
  }
  const Component& component = components_[index];
  if (component.is_recursive) {
    ExpandRecursive(directory, index);
  } else if (component.is_pattern) {
    ExpandEntries(directory, index);
  } else {
    ExpandLiteral(directory, index);
  }
}

void Globber::ExpandLiteral(const std::string& directory, size_t index) {
  std::string path = directory + components_[index].literal;
  if (index + 1 < components_.size()) return Expand(path + "/", index + 1);
  if (wants_directory_) {
    if (IsDirectory(path)) Add(path + trailing_);
  } else if (shell_.files().Stat(path, vfs::Follow::kNo)) {
    Add(std::move(path));
  }
}

void Globber::ExpandEntries(const std::string& directory, size_t index) {
  const Component& component = components_[index];
  const Pattern pattern(component.pattern, flags_);
  const bool is_last = index + 1 == components_.size();
  PatternFlags hidden_flags = flags_;
  hidden_flags.leading_dot_special = true;
  std::optional<Pattern> hidden_pattern;
  // True when the pattern names the leading dot itself.
  const auto matches_hidden = [&](std::string_view name) {
    if (!hidden_pattern) hidden_pattern.emplace(component.pattern, hidden_flags);
    return hidden_pattern->Matches(name, shell_.budget());
  };
  const auto visit = [&](const std::string& name, vfs::FileType type) {
    shell_.budget().Step();
    if (!pattern.Matches(name, shell_.budget())) return;
    std::string path = directory + name;
    if (is_last && !wants_directory_) return Add(std::move(path));
    if (type != vfs::FileType::kDirectory && (type != vfs::FileType::kSymlink || !IsDirectory(path))) return;
    if (is_last) return Add(path + trailing_);
    Expand(path + "/", index + 1);
  };
  const auto entries = List(directory);
  const std::string listed = directory.empty() ? "." : directory;
  if (!globskipdots_ && IsDirectory(listed) && shell_.files().Access(listed, 4)) {
    for (const std::string name : {".", ".."}) {
      if (matches_hidden(name)) visit(name, vfs::FileType::kDirectory);
    }
  }
  const bool may_name_dot = component.pattern.find('.') != std::string::npos || extglob_;
  for (const vfs::DirectoryEntry& entry : entries) {
    const bool is_hidden = entry.name[0] == '.' && !dotglob_;
    if (is_hidden && (!may_name_dot || !matches_hidden(entry.name))) continue;
    visit(entry.name, entry.type);
  }
}

// ** matches no directory, or any number of them. Symbolic links are not descended into, but behind a
// prefix ("./**/x") they count as directories themselves.
void Globber::ExpandRecursive(const std::string& directory, size_t index) {
  const bool is_last = index + 1 == components_.size();
  if (!is_last) {
    Expand(directory, index + 1);
  } else if (!directory.empty()) {
    // "d/**" gives "d/", but "*/**" gives "d".
    const size_t slash = components_[index].is_behind_pattern && !wants_directory_ ? 1 : 0;
    if (IsDirectory(directory)) Add(directory.substr(0, directory.size() - slash));
  }
  Descend(directory, index, /*enters_links=*/!directory.empty());
}

void Globber::Descend(const std::string& directory, size_t index, bool enters_links) {
  shell_.budget().CheckStack();
  const bool is_last = index + 1 == components_.size();
  for (const vfs::DirectoryEntry& entry : List(directory)) {
    shell_.budget().Step();
    if (entry.name[0] == '.' && !dotglob_) continue;
    std::string path = directory + entry.name;
    const bool is_directory = entry.type == vfs::FileType::kDirectory;
    if (is_last) {
      const bool is_wanted = !wants_directory_ || is_directory ||
                             (entry.type == vfs::FileType::kSymlink && IsDirectory(path));
      if (is_wanted) Add(wants_directory_ ? path + trailing_ : path);
    }
    const bool is_link = entry.type == vfs::FileType::kSymlink && !is_last && enters_links && IsDirectory(path);
    if (!is_directory && !is_link) continue;
    path += '/';
    if (!is_last) Expand(path, index + 1);
    if (is_directory) Descend(path, index, enters_links);
  }
}

}  // namespace

std::vector<std::string> Glob(Shell& shell, std::string_view pattern) { return Globber(shell, pattern).Run(); }

namespace {

// False for what only looks like a pattern because its brackets hold a slash.
bool HasPatternComponent(std::string_view pattern, bool extglob) {
  if (extglob && pattern.find('(') != std::string_view::npos) return true;
  while (true) {
    const size_t slash = pattern.find('/');
    if (HasPatternCharacters(pattern.substr(0, slash), extglob)) return true;
    if (slash == std::string_view::npos) return false;
    pattern.remove_prefix(slash + 1);
  }
}

}  // namespace

bool ExpandGlob(Shell& shell, std::string_view pattern, std::string& literal,
                std::vector<std::string>* fields) {
  std::vector<std::string> found = Glob(shell, pattern);
  if (!found.empty()) {
    for (std::string& path : found) fields->push_back(std::move(path));
    return true;
  }
  if (!HasPatternComponent(pattern, shell.options.Get(ShoptOption::kExtglob))) {
    fields->push_back(std::move(literal));
    return true;
  }
  if (shell.options.Get(ShoptOption::kFailglob)) {
    shell.FailExpansion("no match: " + literal);
    return false;
  }
  if (!shell.options.Get(ShoptOption::kNullglob)) fields->push_back(std::move(literal));
  return true;
}

}  // namespace paddock::shell
