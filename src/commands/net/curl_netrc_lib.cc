// Names and passwords of hosts for curl -n.
#include "commands/net/curl.h"
#include "text/netrc.h"
#include "vfs/file_system.h"

namespace paddock::curl {

std::optional<std::string> FindInNetrc(Invocation& in, const Options& options, std::string* url) {
  const size_t scheme = url->find("://");
  const size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  const size_t end = std::min(url->find_first_of("/?#", begin), url->size());
  std::string host = url->substr(begin, end - begin), name;
  if (const size_t at = host.rfind('@'); at != std::string::npos) {
    name = host.substr(0, at);
    host.erase(0, at + 1);
    if (options.netrc == Options::Netrc::kOptional && name.find(':') != std::string::npos) return std::nullopt;
    if (options.netrc == Options::Netrc::kRequired) {
      url->erase(begin, at + 1);
      name.clear();
    }
  }
  if (host.starts_with('[')) {
    host = host.substr(1, host.find(']') - 1);
  } else {
    host.erase(std::min(host.find(':'), host.size()));
  }
  std::string path = options.netrc_file;
  if (path.empty()) {
    const auto home = in.env.Get("HOME");
    if (!home) return std::nullopt;
    path = vfs::JoinPath(*home, ".netrc");
  }
  const auto text = vfs::ReadFile(in.fs, path, 1 << 20);
  if (!text) return std::nullopt;
  const auto login = FindNetrcLogin(*text, host, name, in.budget);
  if (!login) return std::nullopt;
  return login->name + ":" + login->password;
}

}  // namespace paddock::curl
