#include "drivers/process/protect/git_config.h"

#include <algorithm>
#include <iterator>

namespace paddock::process_wall {
namespace {

Error Refuse(size_t line, std::string_view why) { return Error(Code::kSyntax, std::to_string(line) + ": " + std::string(why)); }

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsNameCharacter(char c) { return IsLetter(c) || (c >= '0' && c <= '9') || c == '-'; }
bool IsBlank(char c) { return c == ' ' || c == '\t'; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return lower;
}

// "[core]", "[remote "origin"]".
Status ReadHeader(std::string_view text, size_t line, GitSetting& setting) {
  if (!text.ends_with(']')) return Refuse(line, "something stands behind a section's name");
  text = text.substr(1, text.size() - 2);
  size_t end = 0;
  while (end < text.size() && IsNameCharacter(text[end])) ++end;
  if (end == 0) return Refuse(line, "section without a plain name");
  setting.section = Lower(text.substr(0, end));
  setting.subsection.clear();
  text.remove_prefix(end);
  if (setting.section == "include" || setting.section == "includeif") return Refuse(line, "it includes another file");
  if (text.empty()) return {};
  if (text.size() < 3 || text[0] != ' ' || text[1] != '"' || text.back() != '"') return Refuse(line, "oddly written section");
  text = text.substr(2, text.size() - 3);
  if (text.empty() || text.find_first_of("\"\\") != std::string_view::npos) return Refuse(line, "oddly quoted section");
  setting.subsection = text;
  return {};
}

Status ReadValue(std::string_view text, size_t line, std::string& value) {
  if (text.find('\\') != std::string_view::npos) return Refuse(line, "value with an escape");
  if (text.starts_with('"')) {
    if (text.size() < 2 || !text.ends_with('"')) return Refuse(line, "value quoted in part");
    text = text.substr(1, text.size() - 2);
  } else if (text.find_first_of("#;") != std::string_view::npos) {
    return Refuse(line, "comment behind a value");
  }
  if (text.find('"') != std::string_view::npos) return Refuse(line, "value quoted in part");
  value = text;
  return {};
}

enum class Value { kAny, kUrl };

struct SafeSetting {
  std::string_view section;
  bool has_subsection;
  std::string_view key;
  Value value = Value::kAny;
};

constexpr SafeSetting kSafe[] = {
    {"core", false, "repositoryformatversion"}, {"core", false, "filemode"}, {"core", false, "bare"},
    {"core", false, "logallrefupdates"}, {"core", false, "ignorecase"}, {"core", false, "precomposeunicode"},
    {"core", false, "symlinks"}, {"core", false, "autocrlf"}, {"core", false, "eol"}, {"core", false, "abbrev"},
    {"core", false, "quotepath"}, {"core", false, "longpaths"}, {"core", false, "compression"}, {"core", false, "worktree"},
    {"core", false, "sparsecheckout"}, {"core", false, "sparsecheckoutcone"}, {"core", false, "untrackedcache"},
    {"extensions", false, "objectformat"}, {"extensions", false, "worktreeconfig"}, {"extensions", false, "refstorage"},
    {"extensions", false, "preciousobjects"}, {"extensions", false, "noop"},
    {"remote", true, "url", Value::kUrl}, {"remote", true, "pushurl", Value::kUrl}, {"remote", true, "fetch"},
    {"remote", true, "tagopt"}, {"remote", true, "prune"},
    {"branch", true, "remote", Value::kUrl}, {"branch", true, "pushremote", Value::kUrl}, {"branch", true, "merge"},
    {"branch", true, "rebase"}, {"branch", true, "description"}, {"branch", false, "autosetuprebase"},
    {"branch", false, "autosetupmerge"}, {"branch", false, "sort"},
    {"submodule", true, "url", Value::kUrl}, {"submodule", true, "active"}, {"submodule", true, "branch"},
    {"submodule", false, "active"}, {"submodule", false, "recurse"},
    {"user", false, "name"}, {"user", false, "email"}, {"init", false, "defaultbranch"}, {"pull", false, "rebase"},
    {"pull", false, "ff"}, {"push", false, "default"}, {"push", false, "autosetupremote"}, {"push", false, "followtags"},
    {"fetch", false, "prune"}, {"merge", false, "ff"}, {"merge", false, "conflictstyle"}, {"rebase", false, "autosquash"},
    {"rebase", false, "autostash"}, {"color", false, "ui"}, {"gc", false, "auto"}, {"maintenance", false, "auto"},
    {"index", false, "version"}, {"feature", false, "manyfiles"}, {"lfs", false, "repositoryformatversion"},
};

// A URL or a path that starts no helper: "ext::sh -c …" and "fd::7" would, and "-x" is an option to somebody.
bool IsPlainUrl(std::string_view url) { return !url.starts_with('-') && url.find("::") == std::string_view::npos; }

std::string NameOf(const GitSetting& setting) {
  return setting.section + (setting.subsection.empty() ? "" : "." + setting.subsection) + "." + setting.key;
}

}  // namespace

Result<std::vector<GitSetting>> ReadGitConfig(std::string_view text) {
  if (text.size() > kMaxGitConfig) return Error(Code::kLimit, "1: longer than 256 KiB");
  std::vector<GitSetting> settings;
  GitSetting current;
  bool has_section = false;
  for (size_t line = 1; !text.empty(); ++line) {
    const size_t end = text.find('\n');
    std::string_view raw = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const auto is_odd = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; };
    if (std::any_of(raw.begin(), raw.end(), is_odd)) return Refuse(line, "control character");
    if (line == 1 && raw.starts_with("\xef\xbb\xbf")) return Refuse(line, "byte order mark");
    raw = Trimmed(raw);
    if (raw.empty()) continue;
    if (raw[0] == '#' || raw[0] == ';') continue;
    if (raw[0] == '[') {
      PADDOCK_TRY(ReadHeader(raw, line, current));
      has_section = true;
      continue;
    }
    if (!has_section) return Refuse(line, "setting before any section");
    size_t name = 0;
    while (name < raw.size() && IsNameCharacter(raw[name])) ++name;
    if (name == 0 || !IsLetter(raw[0])) return Refuse(line, "oddly written setting");
    current.key = Lower(raw.substr(0, name));
    const std::string_view rest = Trimmed(raw.substr(name));
    if (rest.empty()) {
      current.value = "true";
    } else if (rest[0] == '=') {
      PADDOCK_TRY(ReadValue(Trimmed(rest.substr(1)), line, current.value));
    } else {
      return Refuse(line, "oddly written setting");
    }
    settings.push_back(current);
  }
  return settings;
}

Status CheckGitSettings(const std::vector<GitSetting>& settings) {
  for (const GitSetting& setting : settings) {
    const auto safe = std::find_if(std::begin(kSafe), std::end(kSafe), [&](const SafeSetting& known) {
      return known.section == setting.section && known.has_subsection == !setting.subsection.empty() && known.key == setting.key;
    });
    if (safe == std::end(kSafe)) return Error(Code::kAccess, "sets " + NameOf(setting));
    if (safe->value == Value::kUrl && !IsPlainUrl(setting.value)) {
      return Error(Code::kAccess, "sets " + NameOf(setting) + " to something that starts a program");
    }
  }
  return {};
}

}  // namespace paddock::process_wall
