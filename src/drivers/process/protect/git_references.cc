#include "drivers/process/protect/git_references.h"

#include <algorithm>
#include <iterator>

#include "drivers/process/protect/name_matcher.h"

namespace paddock::process_wall {
namespace {

struct Setting {
  std::string section;   // in lower case
  std::string key;       // the same
};

bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsNameCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'; }

// A setting's value as git reads it, from `text`, which is moved behind its line: quotes, escapes, comments, lines that go on.
std::string TakeValue(std::string_view& text) {
  std::string value;
  size_t kept = 0;   // how much of the value stays: blanks at the end go, quoted ones do not
  bool is_quoted = false;
  bool is_comment = false;
  size_t at = 0;
  for (; at < text.size() && text[at] != '\n'; ++at) {
    const char c = text[at];
    if (is_comment) continue;
    if (c == '\\' && at + 1 < text.size()) {
      const char next = text[++at];
      if (next == '\n') continue;
      if (next == '\r' && at + 1 < text.size() && text[at + 1] == '\n') {
        ++at;
        continue;
      }
      value += next == 'n' ? '\n' : next == 't' ? '\t' : next == 'b' ? '\b' : next;
      kept = value.size();
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (!is_quoted && (c == '#' || c == ';')) {
      is_comment = true;
    } else if (!is_quoted && (IsBlank(c) || c == '\r')) {
      if (!value.empty()) value += c;
    } else {
      value += c;
      kept = value.size();
    }
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  value.resize(kept);
  return value;
}

// "[core]", "[remote "a b"]", "[remote.a]": the first name; `text` is moved behind the bracket.
std::string TakeSection(std::string_view& text) {
  std::string name;
  bool is_quoted = false;
  size_t at = 1;
  for (; at < text.size() && text[at] != '\n' && (is_quoted || text[at] != ']'); ++at) {
    if (text[at] == '"') is_quoted = !is_quoted;
    else if (is_quoted && text[at] == '\\') ++at;
    else if (!is_quoted && !IsBlank(text[at])) name += text[at];
  }
  if (at < text.size() && text[at] == ']') ++at;
  text.remove_prefix(std::min(at, text.size()));
  return FoldCase(std::string_view(name).substr(0, name.find('.')));
}

// Keys whose values git gives to a shell, or starts.
constexpr std::string_view kPrograms[] = {"fsmonitor", "editor", "pager", "sshcommand", "gitproxy", "askpass", "external", "command", "cmd",
                                          "textconv", "clean", "smudge", "process", "driver", "helper", "program", "difffilter", "packobjectshook"};

// The words of a command that are paths.
void AddPrograms(std::string_view command, std::vector<GitReference>& references) {
  std::string word;
  bool is_first = true;
  const auto end_word = [&] {
    while (word.starts_with('!')) word.erase(0, 1);
    if (word.find('/') != std::string::npos) references.push_back({is_first ? GitReference::Kind::kProgram : GitReference::Kind::kArgument, word});
    if (!word.empty()) is_first = false;
    word.clear();
  };
  for (const char c : command) {
    if (c == '\'' || c == '"') continue;
    if (IsBlank(c) || c == '\n' || c == ';' || c == '|' || c == '&') end_word();
    else word += c;
  }
  end_word();
}

}  // namespace

std::vector<GitReference> ReadGitReferences(std::string_view text) {
  std::vector<GitReference> references;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  Setting setting;
  while (!text.empty()) {
    if (IsBlank(text[0]) || text[0] == '\n' || text[0] == '\r') {
      text.remove_prefix(1);
      continue;
    }
    if (text[0] == '[') {
      setting.section = TakeSection(text);
      continue;
    }
    size_t name = 0;
    while (name < text.size() && IsNameCharacter(text[name])) ++name;
    setting.key = FoldCase(text.substr(0, name));
    text.remove_prefix(name);
    while (!text.empty() && IsBlank(text[0])) text.remove_prefix(1);
    if (!text.empty() && text[0] == '=') text.remove_prefix(1);
    const std::string value = TakeValue(text);
    if (value.empty() || references.size() >= kMostGitReferences) continue;
    const bool is_program = std::find(std::begin(kPrograms), std::end(kPrograms), setting.key) != std::end(kPrograms);
    if (setting.key == "path" && (setting.section == "include" || setting.section == "includeif")) {
      references.push_back({GitReference::Kind::kConfiguration, value});
    } else if (setting.section == "core" && setting.key == "hookspath") {
      references.push_back({GitReference::Kind::kHooks, value});
    } else if (setting.section == "core" && setting.key == "worktree") {
      references.push_back({GitReference::Kind::kWorkTree, value});
    } else if (is_program || setting.section == "pager") {
      AddPrograms(value, references);
    }
  }
  return references;
}

}  // namespace paddock::process_wall
