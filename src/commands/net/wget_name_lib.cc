// The names of files that wget writes.
#include "commands/net/wget.h"

namespace paddock::wget {
namespace {

// --restrict-file-names: what a name must not have is written as %XX.
std::string Restricted(const Options& options, const std::string& name) {
  const std::string& modes = options.restrict_names;
  const auto has = [&](std::string_view mode) { return ("," + modes + ",").find("," + std::string(mode) + ",") != std::string::npos; };
  const bool is_windows = has("windows");
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_control = !has("nocontrol") && (byte < 32 || byte == 127 || (byte >= 128 && byte < 160));
    if (c == '/' || is_control || (is_windows && std::string_view("\\|:?\"*<>").find(c) != std::string_view::npos) || (has("ascii") && byte >= 128)) {
      constexpr char kDigits[] = "0123456789ABCDEF";
      if (is_windows && c == '?') out += '@';
      else out += {'%', kDigits[byte / 16], kDigits[byte % 16]};
    } else if (has("lowercase") && c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c + 32);
    } else if (has("uppercase") && c >= 'a' && c <= 'z') {
      out += static_cast<char>(c - 32);
    } else {
      out += c;
    }
  }
  if (out == "..") return "%2E%2E";
  return out == "." ? "%2E" : out;
}

}  // namespace

std::string FileNameFor(const Options& options, const std::string& url) {
  const Url parts = Split(url);
  const std::string path = parts.path.substr(0, parts.path.find('?'));
  const size_t slash = path.rfind('/');
  std::string directory = options.prefix;
  const bool makes_directories = options.forces_directories || ((options.is_recursive || options.needs_requisites) && !options.no_directories);
  const auto add = [&](const std::string& name) { directory = directory.empty() ? name : vfs::JoinPath(directory, name); };
  if (makes_directories) {
    if (options.names_scheme) add(parts.scheme);
    const std::string usual = parts.scheme == "https" ? ":443" : ":80";
    if (!options.names_no_host) add(Restricted(options, parts.host_and_port.ends_with(usual) ? parts.host : parts.host_and_port));
    int64_t number = 0;
    for (size_t at = 1; slash != std::string::npos && at <= slash;) {
      const size_t end = path.find('/', at);
      if (end > at && ++number > options.cut_directories) add(Restricted(options, path.substr(at, end - at)));
      at = end + 1;
    }
  }
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.empty()) name = options.default_page;
  if (const size_t query = parts.path.find('?'); query != std::string::npos) name += parts.path.substr(query);
  name = Restricted(options, name);
  return directory.empty() ? name : vfs::JoinPath(directory, name);
}

}  // namespace paddock::wget
