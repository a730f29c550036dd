// The section [files] of a document.

#include <algorithm>

#include "policy/amount.h"
#include "policy/draft.h"

namespace paddock::policy {
namespace {

struct PathEntry {
  PathRule rule;
  const Draft& draft;
};

Status ReadPath(const Field& field, PathEntry& entry) {
  PADDOCK_ASSIGN(entry.rule.path, PathOf(field, entry.draft));
  return {};
}
Status ReadRequired(const Field& field, PathEntry& entry) {
  PADDOCK_ASSIGN(const bool is_required, field.Flag());
  entry.rule.optional = !is_required;
  return {};
}
constexpr Key<PathEntry> kPathKeys[] = {{"path", ReadPath}, {"required", ReadRequired}};

// A path, or a table { path, required }.
Status ReadRules(const Field& field, Draft& draft, Access access) {
  PADDOCK_ASSIGN(const std::vector<Field> items, field.Items());
  for (const Field& item : items) {
    PathEntry entry{{.access = access, .origin = item.Origin()}, draft};
    if (item.value->kind == Value::Kind::kTable) {
      PADDOCK_TRY(ReadTable(item, kPathKeys, entry));
      if (entry.rule.path.empty()) return item.Fail("has no path");
    } else {
      PADDOCK_TRY(ReadPath(item, entry));
    }
    if (entry.rule.path == "/" && access == Access::kWrite) {
      return item.Fail("would make the whole host writable; name the directories that have to be");
    }
    draft.path_rules.push_back(std::move(entry.rule));
  }
  return {};
}
Status ReadRead(const Field& field, Draft& draft) { return ReadRules(field, draft, Access::kRead); }
Status ReadWrite(const Field& field, Draft& draft) { return ReadRules(field, draft, Access::kWrite); }
Status ReadDeny(const Field& field, Draft& draft) { return ReadRules(field, draft, Access::kDeny); }

Status ReadWorkspace(const Field& field, Draft& draft) {
  if (field.value->kind == Value::Kind::kBool && !field.value->boolean) {
    draft.policy.files.workspace.clear();
    draft.context.workspace.clear();
    return {};
  }
  PADDOCK_ASSIGN(draft.policy.files.workspace, PathOf(field, draft));
  draft.context.workspace = draft.policy.files.workspace;
  return {};
}

Status ReadMode(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(const std::string mode, field.Text());
  if (mode == "read-only") draft.policy.files.workspace_mode = WorkspaceMode::kReadOnly;
  else if (mode == "direct") draft.policy.files.workspace_mode = WorkspaceMode::kDirect;
  else if (mode == "overlay") draft.policy.files.workspace_mode = WorkspaceMode::kOverlay;
  else return field.Fail("unknown mode '" + mode + "'; the modes are read-only, direct, overlay");
  return {};
}

Status ReadHostView(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(draft.policy.files.host_view, field.Flag());
  return {};
}

Status ReadRoot(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(draft.policy.files.root, PathOf(field, draft));
  if (draft.policy.files.root == "/") return field.Fail("the host's own root is shown by host_view");
  draft.policy.files.host_view = false;
  return {};
}

Status ReadHome(const Field& field, Draft& draft) {
  FileRules& files = draft.policy.files;
  PADDOCK_ASSIGN(const std::string home, field.Text());
  if (home == "private") files.home = draft.context.home;
  else if (home == "none") files.home.clear();
  else return field.Fail("unknown value '" + home + "'; write \"private\" or \"none\"");
  if (home == "private" && files.home.empty()) return field.Fail("no home directory is known");
  return {};
}

Status ReadHomeStore(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(draft.policy.files.home_store, PathOf(field, draft));
  if (draft.policy.files.home.empty()) return field.Fail("has no effect without a private home; write home = \"private\"");
  return {};
}

Result<std::string> ProtectedName(const Field& field) {
  PADDOCK_ASSIGN(std::string name, field.Text());
  bool is_good = !name.starts_with('/') && !name.ends_with('/') && name.size() <= 255;
  for (std::string_view rest = name; is_good && !rest.empty();) {
    const size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    is_good = !part.empty() && part != "." && part != ".." && part.find_first_of("*?[") == std::string_view::npos;
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  }
  if (!is_good) return field.Fail("'" + name + "' must be a name such as \".envrc\" or \".git/hooks\", without patterns");
  return name;
}

Status ReadProtect(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(const std::vector<Field> items, field.Items());
  for (const Field& item : items) {
    PADDOCK_ASSIGN(std::string name, ProtectedName(item));
    auto& names = draft.policy.files.protected_names;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return {};
}

Status ReadUnprotect(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(const std::vector<Field> items, field.Items());
  for (const Field& item : items) {
    PADDOCK_ASSIGN(const std::string name, ProtectedName(item));
    if (std::erase(draft.policy.files.protected_names, name) == 0) {
      return item.Fail("'" + name + "' is not protected; 'paddock policy check' lists the names that are");
    }
  }
  return {};
}

Status ReadTmp(const Field& field, Draft& draft) {
  if (field.value->kind == Value::Kind::kInteger && field.value->integer > 0) {
    draft.policy.files.tmp_bytes = static_cast<uint64_t>(field.value->integer);
  } else {
    PADDOCK_ASSIGN(const std::string text, field.Text());
    const auto size = ParseSize(text);
    if (!size) return field.FailAs(size.error());
    draft.policy.files.tmp_bytes = *size;
  }
  if (draft.policy.files.tmp_bytes < 64 << 10) return field.Fail("must be at least 64KiB");
  return {};
}

// In this order: the workspace is known before the paths that name it.
constexpr Key<Draft> kKeys[] = {
    {"workspace", ReadWorkspace}, {"mode", ReadMode},       {"host_view", ReadHostView},     {"root", ReadRoot},
    {"home", ReadHome},
    {"home_store", ReadHomeStore}, {"read", ReadRead},      {"write", ReadWrite},            {"deny", ReadDeny},
    {"protect", ReadProtect},     {"unprotect", ReadUnprotect}, {"tmp", ReadTmp},
};

}  // namespace

Result<std::string> PathOf(const Field& field, const Draft& draft) {
  PADDOCK_TRY(field.CheckKind(Value::Kind::kString));
  auto path = ExpandPath(field.value->text, draft.context, draft.directory);
  if (!path) return field.FailAs(path.error());
  return path;
}

Status ReadFiles(const Field& field, Draft& draft) { return ReadTable(field, kKeys, draft); }

}  // namespace paddock::policy
