#include "shell/builtins/directory_stack.h"

#include "shell/builtins/arguments.h"
#include "shell/builtins/directory.h"

namespace paddock::shell {

bool IsStackPlace(std::string_view word) { return word.size() > 1 && (word[0] == '+' || word[0] == '-'); }

std::optional<size_t> FindStackPlace(Shell& shell, const Builtin& builtin, const std::string& word, int* status) {
  const auto number = word[1] == '+' || word[1] == '-' ? std::nullopt : ParseInteger(std::string_view(word).substr(1));
  if (!number) {
    shell.Complain(builtin.name, word + ": invalid number");
    *status = UsageError(shell, builtin);
    return std::nullopt;
  }
  const size_t size = shell.directory_stack.size() + 1;
  const auto place = static_cast<uint64_t>(*number);
  if (place >= size) {
    const bool is_empty = size == 1;
    shell.Complain(builtin.name, is_empty ? "directory stack empty" : word + ": directory stack index out of range");
    *status = 1;
    return std::nullopt;
  }
  return word[0] == '+' ? place : size - 1 - place;
}

namespace {

std::string Shown(Shell& shell, const std::string& path, bool is_long) {
  const auto home = shell.Get("HOME");
  if (is_long || !home || home->size() < 2 || !path.starts_with(*home)) return path;
  const std::string rest = path.substr(home->size());
  return rest.empty() || rest[0] == '/' ? "~" + rest : path;
}

}  // namespace

void PrintStack(Shell& shell, const StackStyle& style, std::optional<size_t> only) {
  const size_t size = shell.directory_stack.size() + 1;
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    shell.budget().Step();
    if (only && i != *only) continue;
    const std::string path = Shown(shell, i == 0 ? shell.files().cwd() : shell.directory_stack[i - 1], style.is_long);
    if (style.has_numbers) {
      const std::string number = std::to_string(i);
      text += std::string(number.size() < 2 ? 1 : 0, ' ') + number + "  " + path + "\n";
    } else if (style.one_a_line || only) {
      text += path + "\n";
    } else {
      text += path + (i + 1 < size ? " " : "\n");
    }
  }
  shell.out().Write(text);
}

bool GoTo(Shell& shell, const Builtin& builtin, const std::string& path) {
  const Status changed = ChangeDirectory(shell, path, shell.options.Get(SetOption::kPhysical));
  if (!changed) shell.Complain(builtin.name, path + ": " + std::string(changed.error().Text()));
  return changed.has_value();
}

}  // namespace paddock::shell
