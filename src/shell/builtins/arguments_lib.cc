#include "shell/builtins/arguments.h"

#include <charconv>

namespace paddock::shell {

std::optional<int64_t> ParseInteger(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
  if (text.front() == '+') text.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int> StatusArgument(Shell& shell, const BuiltinCall& call, int otherwise, int* failure) {
  size_t index = 1;
  if (index < call.args.size() && call.args[index] == "--") ++index;
  if (index >= call.args.size()) return otherwise;
  const auto value = ParseInteger(call.args[index]);
  if (!value) {
    shell.Complain(call.args[0], call.args[index] + ": numeric argument required");
    *failure = 2;
    return std::nullopt;
  }
  if (HasExcess(shell, call, index + 1)) {
    *failure = 1;
    return std::nullopt;
  }
  return static_cast<int>(*value & 0xFF);
}

bool HasExcess(Shell& shell, const BuiltinCall& call, size_t end) {
  if (end >= call.args.size()) return false;
  shell.Complain(call.args[0], "too many arguments");
  shell.DiscardAll();
  return true;
}

}  // namespace paddock::shell
