#include "shell/builtins/directory.h"

namespace paddock::shell {

Status ChangeDirectory(Shell& shell, const std::string& path, bool is_physical) {
  vfs::View& files = shell.files();
  const std::string before = files.cwd();
  std::string logical = vfs::NormalizePath(vfs::JoinPath(before, path));
  // POSIX lets exactly two leading slashes stand.
  if (path.starts_with("//") && !path.starts_with("///")) logical.insert(0, "/");
  Status changed;
  if (is_physical) {
    changed = files.ChangeDirectory(path);
    if (changed) {
      auto physical = files.PhysicalCwd();
      if (physical) changed = files.ChangeDirectory(*physical, *physical);
    }
  } else {
    changed = files.ChangeDirectory(logical, logical);
    // A logical name that does not exist may still be a path that does (a removed working directory).
    if (!changed) {
      const Error problem = changed.error();
      if (!files.ChangeDirectory(path, logical)) return problem;
      changed = {};
    }
  }
  if (!changed) return changed;
  shell.SetShellVariable("OLDPWD", shell.GetOr("PWD", before));
  shell.SetShellVariable("PWD", files.cwd());
  return {};
}

}  // namespace paddock::shell
