// .netrc: names and passwords of hosts, for curl -n.
//
// Source: the manual of inetutils, "The .netrc file"; curl 7.88.1 for quotes.
#include "commands/net/curl.h"
#include "vfs/file_system.h"

namespace paddock::curl {
namespace {

// The next word; in double quotes it may hold blanks, and \n, \r, \t and escaped characters.
std::optional<std::string> TakeWord(std::string_view* text) {
  const size_t begin = text->find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return std::nullopt;
  text->remove_prefix(begin);
  std::string word;
  if (!text->starts_with('"')) {
    const size_t end = std::min(text->find_first_of(" \t\r\n"), text->size());
    word = text->substr(0, end);
    text->remove_prefix(end);
    return word;
  }
  size_t at = 1;
  for (; at < text->size() && (*text)[at] != '"'; ++at) {
    char c = (*text)[at];
    if (c == '\\' && at + 1 < text->size()) {
      c = (*text)[++at];
      c = c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
    }
    word += c;
  }
  text->remove_prefix(std::min(at + 1, text->size()));
  return word;
}

struct Login {
  std::string name, password;
};

// The entry of a host, or the default; `name` empty: any, else the one with that login.
std::optional<Login> Find(Budget& budget, std::string_view text, const std::string& host, const std::string& name) {
  bool is_mine = false;
  Login found;
  const auto fits = [&] { return is_mine && (name.empty() || found.name == name); };
  while (true) {
    budget.Step();
    const auto word = TakeWord(&text);
    if (!word) break;
    if (*word == "machine" || *word == "default") {
      if (fits()) return found;
      is_mine = *word == "default";
      if (*word == "machine") {
        const auto machine = TakeWord(&text);
        is_mine = machine == host;
      }
      found = {};
    } else if (*word == "macdef") {
      const size_t end = text.find("\n\n");
      text.remove_prefix(end == std::string_view::npos ? text.size() : end);
    } else if (*word == "login" || *word == "password" || *word == "account") {
      const auto value = TakeWord(&text);
      if (!value || !is_mine) continue;
      if (*word == "login") found.name = *value;
      if (*word == "password") found.password = *value;
    }
  }
  if (!fits()) return std::nullopt;
  return found;
}

}  // namespace

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
  const auto login = Find(in.budget, *text, host, name);
  if (!login) return std::nullopt;
  return login->name + ":" + login->password;
}

}  // namespace paddock::curl
