#include "cli/host_context.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "policy/load.h"

namespace paddock::cli {
namespace {

std::vector<std::string> SearchPath(std::string_view path) {
  std::vector<std::string> directories;
  while (!path.empty()) {
    const size_t colon = path.find(':');
    if (path.starts_with('/')) directories.emplace_back(path.substr(0, colon));
    if (colon == std::string_view::npos) break;
    path.remove_prefix(colon + 1);
  }
  return directories;
}

}  // namespace

std::string StateDirectory() {
  if (const char* variable = std::getenv("XDG_STATE_HOME"); variable != nullptr && variable[0] == '/') return variable;  // allow(getenv): the caller's own place
  std::string home;
  if (const passwd* user = getpwuid(geteuid())) home = user->pw_dir;
  if (const char* variable = std::getenv("HOME"); geteuid() != 0 && variable != nullptr && variable[0] == '/') home = variable;  // allow(getenv): the caller's own home
  return home.starts_with('/') ? home + "/.local/state" : std::string();
}

Result<policy::HostContext> MakeHostContext(const std::string& workspace) {
  policy::HostContext context;
  std::string home;
  if (const passwd* user = getpwuid(geteuid())) {
    context.user = user->pw_name;
    home = user->pw_dir;
  }
  if (const char* variable = std::getenv("HOME"); variable != nullptr && variable[0] == '/') {  // allow(getenv): the caller's own home
    home = variable;
  }
  if (home.starts_with('/') && home != "/") {
    PADDOCK_ASSIGN(context.home, policy::ResolvePath(home));
  }
  if (const char* variable = std::getenv("PATH")) context.search_path = SearchPath(variable);  // allow(getenv): where the caller's tools are
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* equals = std::strchr(*entry, '=');
    if (equals != nullptr && equals != *entry && equals[1] != '\0') context.variables.emplace_back(*entry, static_cast<size_t>(equals - *entry));
  }
  const std::unique_ptr<char, decltype(&std::free)> current(getcwd(nullptr, 0), &std::free);
  if (current == nullptr && !workspace.starts_with('/')) return Error(Code::kNoEntry, "the current directory is gone; name a --workspace");
  const std::string path = workspace.empty()           ? std::string(current.get())
                           : workspace.starts_with('/') ? workspace
                                                       : std::string(current.get()) + "/" + workspace;
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    const auto code = static_cast<Code>(errno);
    return Error(code, "workspace '" + path + "': " + std::string(CodeText(code)));
  }
  if (!S_ISDIR(status.st_mode)) return Error(Code::kNotDirectory, "workspace '" + path + "' is not a directory");
  PADDOCK_ASSIGN(context.workspace, policy::ResolvePath(path));
  return context;
}

}  // namespace paddock::cli
