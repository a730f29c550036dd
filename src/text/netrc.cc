#include "text/netrc.h"

#include <algorithm>

namespace paddock {
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

}  // namespace

std::optional<NetrcLogin> FindNetrcLogin(std::string_view text, std::string_view host, std::string_view name, Budget& budget) {
  bool is_mine = false;
  NetrcLogin found;
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

}  // namespace paddock
