#include "policy/verdict.h"

#include <algorithm>

#include "policy/context.h"

namespace paddock::policy {
namespace {

const char* Word(Access access) {
  return access == Access::kDeny ? "deny" : access == Access::kRead ? "read" : "write";
}

bool EqualsWithoutCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; };
    return lower(x) == lower(y);
  });
}

std::string_view FirstComponent(std::string_view path) { return path.substr(0, path.find('/')); }

// `path` without its first component.
std::string_view Behind(std::string_view path) {
  const size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
}

bool BeginsWithName(std::string_view path, std::string_view name) {
  while (!name.empty()) {
    if (path.empty() || !EqualsWithoutCase(FirstComponent(path), FirstComponent(name))) return false;
    path = Behind(path);
    name = Behind(name);
  }
  return true;
}

// The best rule so far.
struct Choice {
  const std::string_view path;
  FileVerdict verdict{.access = Access::kDeny, .rule = "no rule names it"};
  std::string_view root;
  bool is_found = false;

  void Offer(std::string_view rule_path, Access access, bool is_private, std::string_view origin) {
    if (!IsWithin(path, rule_path)) return;
    const bool is_longer = rule_path.size() > root.size();
    // A rule takes the place of the directory that is private by default.
    const bool wins_tie = rule_path.size() == root.size() &&
                          (verdict.is_private ? !is_private : access < verdict.access);
    if (is_found && !is_longer && !wins_tie) return;
    is_found = true;
    root = rule_path;
    verdict.access = access;
    verdict.is_private = is_private;
    verdict.rule = std::string(is_private ? "private" : Word(access)) + " " + std::string(rule_path) + " (" + std::string(origin) + ")";
  }
};

}  // namespace

std::span<const char* const> HostViewDirectories() {
  static constexpr const char* kDirectories[] = {"/bin",    "/etc", "/lib", "/lib32", "/lib64",
                                                 "/libx32", "/nix", "/opt", "/sbin",  "/usr"};
  return kDirectories;
}

const std::string* ProtectedNameOf(const FileRules& rules, std::string_view path, std::string_view root) {
  std::string_view rest = path.substr(std::min(path.size(), root == "/" ? 1 : root.size() + 1));
  for (; !rest.empty(); rest = Behind(rest)) {
    for (const std::string& name : rules.protected_names) {
      if (BeginsWithName(rest, name)) return &name;
    }
  }
  return nullptr;
}

FileVerdict AccessOf(const FileRules& rules, std::string_view path) {
  Choice choice{.path = path};
  if (rules.host_view) {
    for (const char* directory : HostViewDirectories()) choice.Offer(directory, Access::kRead, false, "host view");
  }
  if (!rules.root.empty()) choice.Offer("/", Access::kWrite, true, "root of the run's own");
  choice.Offer("/tmp", Access::kWrite, true, "every run has its own");
  choice.Offer("/var/tmp", Access::kWrite, true, "every run has its own");
  if (!rules.home.empty()) choice.Offer(rules.home, Access::kWrite, true, "home");
  if (!rules.workspace.empty()) {
    choice.Offer(rules.workspace, rules.workspace_mode == WorkspaceMode::kReadOnly ? Access::kRead : Access::kWrite, false,
                 rules.workspace_mode == WorkspaceMode::kOverlay ? "workspace, kept apart as overlay" : "workspace");
  }
  for (const PathRule& rule : rules.paths) choice.Offer(rule.path, rule.access, false, rule.origin);
  if (choice.verdict.access == Access::kWrite && !choice.verdict.is_private) {
    if (const std::string* name = ProtectedNameOf(rules, path, choice.root)) {
      choice.verdict.access = Access::kRead;
      choice.verdict.rule = "protected name " + *name + " below " + choice.verdict.rule;
    }
  }
  return choice.verdict;
}

}  // namespace paddock::policy
