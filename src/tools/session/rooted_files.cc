#include "tools/session/rooted_files.h"

namespace paddock::tools {

std::string RootedFiles::In(std::string_view path) const {
  if (path.empty()) return {};   // names nothing there either
  const std::string inside = vfs::NormalizePath("/" + std::string(path));
  std::string whole = inside == "/" ? root_ : root_ + inside;
  if (path.ends_with('/') && inside != "/") whole += '/';
  return whole;
}

Result<std::string> RootedFiles::Canonical(std::string_view path, MustExist must_exist) {
  PADDOCK_ASSIGN(const std::string whole, files_.Canonical(In(path), must_exist));
  if (whole == root_) return std::string("/");
  if (whole.starts_with(root_ + "/")) return whole.substr(root_.size());
  return Error(Code::kAccess, "leads out of the session's files");
}

sandbox::FileEvent Below(const std::string& root, sandbox::FileEvent event) {
  for (std::string* const path : {&event.path, &event.from}) {
    if (root.empty() || root == "/" || !path->starts_with(root)) continue;
    path->erase(0, root.size());
    if (path->empty()) *path = "/";
  }
  return event;
}

}  // namespace paddock::tools
