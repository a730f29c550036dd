#include "cli/config_source.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "cli/host_context.h"
#include "policy/document.h"

namespace paddock::cli {
namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);  // allow(getenv): the caller's own settings
  return value != nullptr ? value : "";
}

std::vector<std::string> StandardFiles() {
  std::vector<std::string> files;
  std::string directory = Variable("XDG_CONFIG_HOME");
  if (!directory.starts_with('/')) {
    // As root it is root's own, whatever HOME says: sudo may leave the caller's there.
    const passwd* const user = getpwuid(geteuid());
    const std::string home = geteuid() != 0 && !Variable("HOME").empty() ? Variable("HOME") : user != nullptr ? user->pw_dir : "";
    directory = home.starts_with('/') ? home + "/.config" : "";
  }
  if (!directory.empty()) files.push_back(directory + "/paddock/paddock.toml");
  files.emplace_back("/etc/paddock/paddock.toml");
  return files;
}

Result<std::string> ReadWhole(const std::string& path) {
  const auto failed = [&] { return Error(static_cast<Code>(errno), path + ": " + std::strerror(errno)); };
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file) return failed();
  struct stat facts;
  if (fstat(file.get(), &facts) != 0) return failed();
  if (!S_ISREG(facts.st_mode)) return Error(Code::kInvalid, path + ": not a regular file");
  std::string text;
  char block[16384];
  for (;;) {
    const ssize_t got = read(file.get(), block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed();
    if (got == 0) return text;
    text.append(block, static_cast<size_t>(got));
    if (text.size() > policy::kMaxDocumentBytes) return Error(Code::kLimit, path + ": longer than 1 MiB");
  }
}

}  // namespace

Result<api::Sources> FindConfig(const std::string& file) {
  api::Sources sources;
  std::string named = file.empty() ? Variable("PADDOCK_CONFIG") : file;
  const bool must_exist = !named.empty();
  const std::vector<std::string> candidates = must_exist ? std::vector<std::string>{named} : StandardFiles();
  for (const std::string& candidate : candidates) {
    auto text = ReadWhole(candidate);
    const bool is_absent = !text && (text.error().code == Code::kNoEntry || text.error().code == Code::kNotDirectory);
    if (is_absent && !must_exist) continue;
    if (!text) return text.error();
    sources.file_name = candidate;
    sources.file_text = std::move(*text);
    break;
  }
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const size_t equals = variable.find('=');
    if (!variable.starts_with("PADDOCK_") || equals == std::string_view::npos) continue;
    sources.environment.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  if (const std::string state = StateDirectory(); !state.empty()) sources.default_directory = state + "/paddock";
  return sources;
}

}  // namespace paddock::cli
