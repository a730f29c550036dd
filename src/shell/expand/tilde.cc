// ~, ~user, ~+, ~-, ~N.
//
// Source: POSIX.1-2017 XCU 2.6.1, Bash manual "Tilde Expansion".

#include <charconv>

#include "shell/expand/expansion.h"
#include "shell/shell.h"
#include "vfs/file_system.h"

namespace paddock::shell {
namespace {

// The field of a line of /etc/passwd.
std::string_view Field(std::string_view line, int number) {
  for (; number > 0; --number) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return {};
    line.remove_prefix(colon + 1);
  }
  return line.substr(0, line.find(':'));
}

// Home of the account whose field (0: the name, 2: the uid) has this value.
std::optional<std::string> FindHome(Shell& shell, int field, std::string_view value) {
  const Result<std::string> content = vfs::ReadFile(shell.files(), "/etc/passwd", 1 << 20);
  if (!content) return std::nullopt;
  std::string_view rest = *content;
  while (!rest.empty()) {
    shell.budget().Step();
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (Field(line, field) == value) return std::string(Field(line, 5));
  }
  return std::nullopt;
}

// Entry N of the directory stack, from either end.
std::optional<std::string> FindStackEntry(Shell& shell, std::string_view prefix) {
  const bool from_end = prefix[0] == '-';
  if (prefix[0] == '+' || prefix[0] == '-') prefix.remove_prefix(1);
  size_t number = 0;
  const auto [end, error] = std::from_chars(prefix.data(), prefix.data() + prefix.size(), number);
  if (error != std::errc() || end != prefix.data() + prefix.size()) return std::nullopt;
  const auto& stack = shell.directory_stack;
  if (number > stack.size()) return std::nullopt;
  if (from_end) number = stack.size() - number;
  return number == 0 ? shell.GetOr("PWD", shell.files().cwd()) : stack[number - 1];
}

}  // namespace

std::optional<std::string> ExpandTilde(Shell& shell, std::string_view prefix) {
  if (prefix.empty()) {
    if (const auto home = shell.Get("HOME")) return std::string(*home);
    return FindHome(shell, 2, std::to_string(shell.files().credentials().uid));
  }
  if (prefix == "+" || prefix == "-") {
    const auto directory = shell.Get(prefix == "+" ? "PWD" : "OLDPWD");
    return directory ? std::optional(std::string(*directory)) : std::nullopt;
  }
  if (prefix.find_first_of("0123456789") <= 1 && prefix.find_last_not_of("0123456789+-") == std::string_view::npos) {
    return FindStackEntry(shell, prefix);
  }
  return FindHome(shell, 0, prefix);
}

std::optional<size_t> FindAssignmentValue(std::string_view text) {
  size_t i = 0;
  const auto is_letter = [](char byte) {
    return byte == '_' || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
  };
  while (i < text.size() && (is_letter(text[i]) || (i > 0 && text[i] >= '0' && text[i] <= '9'))) ++i;
  if (i == 0 || i == text.size()) return std::nullopt;
  if (text[i] == '[') {
    i = text.find(']', i);
    if (i == std::string_view::npos || ++i == text.size()) return std::nullopt;
  }
  if (text[i] == '+') ++i;
  if (i >= text.size() || text[i] != '=') return std::nullopt;
  return i + 1;
}

}  // namespace paddock::shell
