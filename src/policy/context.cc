#include "policy/context.h"

#include <algorithm>

namespace paddock::policy {
namespace {

constexpr size_t kMaxPath = 4095;

Error Bad(std::string_view path, std::string_view why) {
  return Error(Code::kInvalid, "path '" + std::string(path.substr(0, 200)) + "' " + std::string(why));
}

}  // namespace

bool HostContext::HasVariable(std::string_view name) const {
  return std::find(variables.begin(), variables.end(), name) != variables.end();
}

Result<std::string> NormalPath(std::string_view path) {
  if (!path.starts_with('/')) return Bad(path, "must be absolute");
  if (path.size() > kMaxPath) return Bad(path, "is longer than 4095 bytes");
  if (path.find('\0') != std::string_view::npos) return Bad(path, "holds a NUL byte");
  std::string normal;
  size_t at = 0;
  while (at < path.size()) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      normal.resize(normal.empty() ? 0 : normal.rfind('/'));
      continue;
    }
    normal += '/';
    normal += part;
  }
  return normal.empty() ? std::string("/") : normal;
}

Result<std::string> ExpandPath(std::string_view text, const HostContext& context, std::string_view base) {
  if (text.empty()) return Bad(text, "is empty; write '.' for the document's own directory");
  if (text.size() > kMaxPath) return Bad(text, "is longer than 4095 bytes");
  std::string path;
  std::string_view rest = text;
  if (rest.starts_with('~')) {
    if (rest.size() > 1 && rest[1] != '/') return Bad(text, "names another user's home; write it out");
    if (context.home.empty()) return Bad(text, "needs a home directory, and none is known; write it out");
    path = context.home;
    rest.remove_prefix(1);
  }
  while (!rest.empty()) {
    const size_t dollar = rest.find("${");
    path += rest.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    rest.remove_prefix(dollar + 2);
    const size_t close = rest.find('}');
    if (close == std::string_view::npos) return Bad(text, "has '${' without '}'");
    const std::string_view name = rest.substr(0, close);
    rest.remove_prefix(close + 1);
    const std::string* value = name == "workspace" ? &context.workspace
                               : name == "home"    ? &context.home
                               : name == "user"    ? &context.user
                                                   : nullptr;
    if (value == nullptr) return Bad(text, "has an unknown name in ${…}; the names are workspace, home, user");
    if (value->empty()) return Bad(text, "needs ${" + std::string(name) + "}, and none is known here");
    path += *value;
    if (path.size() > 4 * kMaxPath) return Bad(text, "is longer than 4095 bytes");
  }
  if (!path.starts_with('/')) path = std::string(base) + "/" + path;
  return NormalPath(path);
}

bool IsWithin(std::string_view path, std::string_view directory) {
  if (directory == "/") return path.starts_with('/');
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace paddock::policy
