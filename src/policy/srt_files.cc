// The file rules of srt's settings: everything readable but for denyRead, nothing writable but for allowWrite.

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "policy/load.h"
#include "policy/preset.h"
#include "policy/srt_paths.h"
#include "policy/srt_policy.h"
#include "policy/verdict.h"

namespace paddock::policy {
namespace {

// What srt protects whatever allowWrite says.
constexpr std::array kMandatory{".gitconfig", ".gitmodules", ".bashrc",  ".bash_profile", ".zshrc",          ".zprofile",    ".profile",
                                ".ripgreprc", ".mcp.json",   ".vscode",  ".idea",         ".claude/commands", ".claude/agents", ".git/hooks",
                                ".git/config"};

struct Entry {
  std::string path;     // resolved
  std::string origin;   // "filesystem.denyRead.0 (~/.ssh)"
  bool holds_below = false;   // of a deny: nothing below is shown again
};

bool Exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

bool IsRealDirectoryOfCaller(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

bool Covers(const std::vector<Entry>& entries, const std::string& path) {
  return std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) { return IsWithin(path, entry.path); });
}

// The length of the longest entry that covers the path; 0 if none does.
size_t Reach(const std::vector<Entry>& entries, const std::string& path) {
  size_t longest = 0;
  for (const Entry& entry : entries) {
    if (IsWithin(path, entry.path)) longest = std::max(longest, entry.path.size());
  }
  return longest;
}

class FileRulesMaker {
 public:
  FileRulesMaker(const SrtSettings& settings, const SrtHost& host, SrtPolicy& made)
      : settings_(settings), host_(host), made_(made), files_(made.policy.files), place_{host.context.workspace, host.context.home} {}

  Status Make() {
    for (const SrtCredential& credential : settings_.credential_files) {
      PADDOCK_TRY(AddExpanded(credential.field, credential.subject, true, hidden_));
    }
    if (!settings_.files_disabled) {
      PADDOCK_TRY(ReadLists());
      SetProtectedNames();
    }
    // A home that is hidden leaves no place for one; the command's is then /tmp.
    const std::string& home = host_.context.home;
    if (Reach(deny_read_, home) <= Reach(allow_read_, home)) files_.home = home;
    ShowTop();
    for (const Entry& entry : allow_write_) AddRule(entry, Access::kWrite);
    for (const Entry& entry : allow_read_) AddAllowedRead(entry);
    for (const Entry& entry : deny_write_) AddDeniedWrite(entry);
    for (const Entry& entry : deny_read_) AddDeniedRead(entry);
    for (const Entry& entry : hidden_) AddRule(entry, Access::kDeny);
    KeepSettings();
    ChooseDirectory();
    return {};
  }

 private:
  using Texts = std::vector<std::string>;

  Error Fail(const std::string& field, const Error& error) { return Error(error.code, field + ": " + std::string(error.Text())); }
  void Note(std::string text) { made_.notes.push_back(std::move(text)); }

  Status Add(const std::string& field, std::string_view text, std::vector<Entry>& into) {
    auto path = SrtPath(text, place_);
    if (!path) return Fail(field, path.error());
    auto resolved = ResolvePath(*path);
    if (!resolved) return Fail(field, resolved.error());
    into.push_back({std::move(*resolved), field + " (" + std::string(text) + ")"});
    return {};
  }

  Status AddExpanded(const std::string& field, const std::string& text, bool denies, std::vector<Entry>& into) {
    const std::string_view plain = WithoutSubtreeMark(text);
    const bool is_subtree = plain.size() < text.size();
    if (!IsSrtPattern(plain)) {
      PADDOCK_TRY(Add(field, plain.empty() ? "/" : plain, into));
      into.back().holds_below = is_subtree && denies;
      return {};
    }
    auto matches = ExpandSrtPattern(plain, place_);
    if (!matches) return Fail(field, matches.error());
    for (std::string& path : matches->paths) {
      struct stat status {};
      if (is_subtree && !(stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))) continue;
      into.push_back({std::move(path), field + " (" + text + ")", is_subtree && denies});
    }
    if (!denies) return {};
    // What matches in there cannot be found, so nothing in there is shown.
    for (std::string& path : matches->unlisted) into.push_back({std::move(path), field + " (" + text + ")", true});
    return {};
  }

  Status ReadLists() {
    const auto name = [](const char* list, size_t index) { return "filesystem." + std::string(list) + "." + std::to_string(index); };
    for (size_t i = 0; i < settings_.deny_read.size(); ++i) PADDOCK_TRY(AddExpanded(name("denyRead", i), settings_.deny_read[i], true, deny_read_));
    for (size_t i = 0; i < settings_.deny_write.size(); ++i) PADDOCK_TRY(AddExpanded(name("denyWrite", i), settings_.deny_write[i], true, deny_write_));
    for (size_t i = 0; i < settings_.allow_read.size(); ++i) PADDOCK_TRY(AddExpanded(name("allowRead", i), settings_.allow_read[i], false, allow_read_));
    PADDOCK_TRY(ReadAllowWrite());
    is_root_hidden_ = Covers(deny_read_, "/") && !Covers(allow_read_, "/");
    std::erase_if(allow_read_, [this](const Entry& entry) {
      return std::any_of(deny_read_.begin(), deny_read_.end(), [&](const Entry& denied) {
        return denied.holds_below && entry.path != denied.path && IsWithin(entry.path, denied.path);
      });
    });
    return {};
  }

  Status ReadAllowWrite() {
    std::vector<std::string> roots;
    std::vector<std::pair<size_t, std::string>> written;   // index, path with its links
    for (size_t i = 0; i < settings_.allow_write.size(); ++i) {
      const std::string field = "filesystem.allowWrite." + std::to_string(i);
      const std::string_view text = WithoutSubtreeMark(settings_.allow_write[i]);
      if (IsSrtPattern(text)) {
        Note(field + ": a pattern allows no writing, as in srt on Linux; name directories");
        continue;
      }
      std::vector<Entry> one;
      PADDOCK_TRY(Add(field, text.empty() ? "/" : text, one));
      roots.push_back(one[0].path);
      written.emplace_back(i, *SrtPath(text.empty() ? "/" : text, place_));
      if (one[0].path == "/" && !Covers(deny_write_, "/")) {
        return Error(Code::kNotSupported, field + ": protected names cannot be kept in all of the host; name directories, or set filesystem.disabled");
      }
      if (Covers(deny_write_, one[0].path)) {
        Note(field + ": denyWrite covers it, so it stays read-only");
      } else if (IsMandatory(one[0].path)) {
        Note(field + ": the name is protected, so it stays read-only");
      } else if (!Exists(one[0].path)) {
        Note(field + ": " + one[0].path + " does not exist, so nothing there can be written; make it first");
      } else {
        allow_write_.push_back(std::move(one[0]));
      }
    }
    for (size_t i = 0; i < written.size(); ++i) {
      std::vector<std::string> others = roots;
      std::erase(others, roots[i]);
      const std::string link = LinkWithin(written[i].second, others);
      if (link.empty()) continue;
      return Error(Code::kInvalid, "filesystem.allowWrite." + std::to_string(written[i].first) + ": leads through the symlink " + link +
                                       ", which commands in the sandbox can replace; write the real path");
    }
    AddAlwaysWritable();
    return {};
  }

  // Only as far as it belongs to the caller and is no link: /tmp is everybody's.
  void AddAlwaysWritable() {
    std::vector<std::string> paths = {"/tmp/claude"};
    if (!place_.home.empty()) {
      paths.push_back(place_.home + "/.npm/_logs");
      paths.push_back(place_.home + "/.claude/debug");
    }
    for (const std::string& path : paths) {
      const auto resolved = ResolvePath(path);
      if (!resolved || *resolved != path || !IsRealDirectoryOfCaller(path)) continue;
      if (Covers(deny_write_, path) || Reach(deny_read_, path) > Reach(allow_read_, path)) continue;
      allow_write_.push_back({path, "always writable in srt"});
    }
  }

  bool IsMandatory(const std::string& path) const {
    FileRules rules;
    rules.protected_names.assign(kMandatory.begin(), kMandatory.end());
    if (settings_.allow_git_config) std::erase(rules.protected_names, ".git/config");
    return IsWithin(path, place_.directory) && ProtectedNameOf(rules, path, place_.directory) != nullptr;
  }

  void SetProtectedNames() {
    auto& names = files_.protected_names;
    names = DefaultProtectedNames();
    for (const char* name : kMandatory) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
    }
    if (!settings_.allow_git_config) return;
    for (const char* name : {".git/config", ".git/config.worktree"}) std::erase(names, name);
  }

  // One rule for each entry of "/": the kernel's file systems and the places of which every run has its own are left out.
  void ShowTop() {
    files_.host_view = !is_root_hidden_;
    if (is_root_hidden_) return;
    const auto entries = ListDirectory("/");
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = "/" + entry.name;
      constexpr std::array kOwn{"/proc", "/sys", "/dev", "/run", "/tmp"};
      struct stat status {};
      if (std::find(kOwn.begin(), kOwn.end(), path) != kOwn.end() || lstat(path.c_str(), &status) != 0) continue;
      if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode)) continue;
      // Nor could the caller use it. A directory in which much may be changed must also be listed.
      const int needed = !S_ISDIR(status.st_mode) ? R_OK : settings_.files_disabled ? R_OK | X_OK : X_OK;
      if (access(path.c_str(), needed) != 0) continue;
      const auto view = HostViewDirectories();
      const bool is_shown = std::find(view.begin(), view.end(), path) != view.end();
      if (settings_.files_disabled && S_ISDIR(status.st_mode)) AddRule({path, "filesystem.disabled"}, Access::kWrite);
      else if (!is_shown) AddRule({path, "srt: readable unless denied"}, Access::kRead);
    }
    if (!files_.home.empty()) AddRule({files_.home, "srt: readable unless denied"}, settings_.files_disabled ? Access::kWrite : Access::kRead);
  }

  void AddRule(const Entry& entry, Access access) {
    SetPathRule(files_, {.path = entry.path, .access = access, .optional = true, .origin = entry.origin});
  }

  // Only where something hides it: a rule in a writable place would make it read-only.
  void AddAllowedRead(const Entry& entry) {
    if (entry.path == "/" || Covers(hidden_, entry.path)) return;
    const size_t denied = Reach(deny_read_, entry.path);
    const size_t writable = std::max<size_t>(Reach(allow_write_, entry.path), settings_.files_disabled ? 1 : 0);
    if (writable > 0 && writable >= denied) return;
    AddRule(entry, Access::kRead);
  }

  void AddDeniedWrite(const Entry& entry) {
    const bool is_writable = settings_.files_disabled || Covers(allow_write_, entry.path);
    const size_t shown = std::max(Reach(allow_read_, entry.path), Reach(allow_write_, entry.path));
    if (is_writable && entry.path != "/" && (Reach(deny_read_, entry.path) == 0 || Reach(deny_read_, entry.path) <= shown)) {
      AddRule(entry, Access::kRead);
    }
  }

  void AddDeniedRead(const Entry& entry) {
    const auto is_same = [&](const Entry& other) { return other.path == entry.path; };
    const bool is_lifted = std::any_of(allow_read_.begin(), allow_read_.end(), is_same) ||
                           std::any_of(allow_write_.begin(), allow_write_.end(), is_same);
    if (is_lifted) return;
    // Every run has its own of these: nothing of the host is in them to be hidden.
    if (entry.path == "/" || entry.path == "/tmp" || entry.path == "/run" || !Exists(entry.path)) return;
    AddRule(entry, Access::kDeny);
  }

  // The next run reads the settings again: nothing in this one may change them.
  void KeepSettings() {
    if (host_.settings_path.empty()) return;
    const auto path = ResolvePath(host_.settings_path);
    if (!path || !(settings_.files_disabled || Covers(allow_write_, *path))) return;
    if (AccessOf(files_, *path).access == Access::kWrite) AddRule({*path, "the settings themselves"}, Access::kRead);
  }

  void ChooseDirectory() {
    const std::string& directory = place_.directory;
    made_.directory = directory;
    const bool is_ours = directory == "/" || IsWithin(directory, "/proc") || IsWithin(directory, "/sys") || IsWithin(directory, "/dev");
    if (is_ours) return;
    const FileVerdict verdict = AccessOf(files_, directory);
    const bool is_hidden = verdict.access == Access::kDeny && (is_root_hidden_ || Reach(deny_read_, directory) > 0 || Covers(hidden_, directory));
    if (is_hidden) {
      Note("the current directory " + directory + " is hidden by denyRead; the command starts in /");
      made_.directory = "/";
      return;
    }
    files_.workspace = directory;
    files_.workspace_mode = verdict.access == Access::kWrite && !verdict.is_private ? WorkspaceMode::kDirect : WorkspaceMode::kReadOnly;
  }

  const SrtSettings& settings_;
  const SrtHost& host_;
  SrtPolicy& made_;
  FileRules& files_;
  const SrtPlace place_;
  std::vector<Entry> deny_read_, allow_read_, allow_write_, deny_write_;
  std::vector<Entry> hidden_;   // credentials.files: no other list shows them again
  bool is_root_hidden_ = false;
};

}  // namespace

Status AddSrtFiles(const SrtSettings& settings, const SrtHost& host, SrtPolicy& made) {
  return FileRulesMaker(settings, host, made).Make();
}

}  // namespace paddock::policy
