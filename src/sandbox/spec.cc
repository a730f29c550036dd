#include "sandbox/spec.h"

namespace paddock::sandbox {

Environment UserEnvironment(const std::string& user) {
  Environment environment;
  environment.Set("HOME", "/home/" + user);
  environment.Set("USER", user);
  environment.Set("LOGNAME", user);
  environment.Set("PATH", "/usr/local/bin:/usr/bin:/bin");
  environment.Set("LANG", "C.UTF-8");
  environment.Set("TERM", "dumb");
  return environment;
}

}  // namespace paddock::sandbox
