// fc - lists the history or runs an entry again

#include <algorithm>

#include "shell/builtins/arguments.h"

namespace paddock::shell {
namespace {

using Lines = std::vector<std::string>;

// The entry that a number (from the end if negative) or the beginning of a command names.
std::optional<size_t> FindEntry(const Lines& lines, const std::string& text, bool clamps) {
  const auto size = static_cast<int64_t>(lines.size());
  if (const auto number = ParseInteger(text)) {
    const int64_t place = *number < 0 ? size + *number : *number == 0 ? size - 1 : *number - 1;
    if (place >= 0 && place < size) return static_cast<size_t>(place);
    if (!clamps) return std::nullopt;
    return static_cast<size_t>(std::clamp<int64_t>(place, 0, size - 1));
  }
  for (size_t i = lines.size(); i-- > 0;) {
    if (lines[i].starts_with(text)) return i;
  }
  return std::nullopt;
}

int NotFound(Shell& shell) {
  shell.Complain("fc", "no command found");
  return 1;
}

int List(Shell& shell, std::span<const std::string> operands, bool numbers, bool reverse) {
  const Lines& lines = *shell.history;
  if (lines.empty()) return 0;
  constexpr size_t kShown = 16;
  std::optional<size_t> first = lines.size() - std::min(lines.size(), kShown);
  std::optional<size_t> last = lines.size() - 1;
  if (!operands.empty()) first = FindEntry(lines, operands[0], true);
  if (operands.size() > 1) last = FindEntry(lines, operands[1], true);
  if (!first || !last) return NotFound(shell);
  if (*first > *last) {
    std::swap(first, last);
    reverse = !reverse;
  }
  const size_t count = *last - *first + 1;
  for (size_t n = 0; n < count; ++n) {
    shell.budget().Step();
    const size_t i = reverse ? *last - n : *first + n;
    shell.out().WriteLine((numbers ? std::to_string(i + 1) : "") + "\t " + lines[i]);
  }
  return 0;
}

int RunAgain(Shell& shell, std::span<const std::string> operands) {
  std::vector<std::pair<std::string, std::string>> replacements;
  size_t next = 0;
  for (; next < operands.size(); ++next) {
    const size_t equals = operands[next].find('=');
    if (equals == std::string::npos || equals == 0) break;
    replacements.emplace_back(operands[next].substr(0, equals), operands[next].substr(equals + 1));
  }
  if (shell.history->empty()) return NotFound(shell);
  const auto entry = FindEntry(*shell.history, next < operands.size() ? operands[next] : "-1", false);
  if (!entry) return NotFound(shell);
  std::string command = (*shell.history)[*entry];
  for (const auto& [from, to] : replacements) {
    for (size_t at = command.find(from); at != std::string::npos; at = command.find(from, at + to.size())) {
      shell.budget().Step();
      shell.budget().WillAllocate(command.size() + to.size());
      command.replace(at, from.size(), to);
    }
  }
  shell.err().Write(command + "\n");
  // The command stands in the list for the fc that ran it.
  if (shell.history.use_count() > 1) shell.history = std::make_shared<Lines>(*shell.history);
  shell.history->back() = command;
  return shell.Eval(command, shell.line);
}

int Run(Shell& shell, const BuiltinCall& call) {
  const Builtin& self = *FindBuiltin("fc");
  bool lists = false;
  bool numbers = true;
  bool reverse = false;
  bool runs = false;
  size_t i = 1;
  for (; i < call.args.size(); ++i) {
    const std::string& word = call.args[i];
    if (word == "--") {
      ++i;
      break;
    }
    if (word.size() < 2 || word[0] != '-' || ParseInteger(word)) break;   // -5 is a place
    for (size_t j = 1; j < word.size(); ++j) {
      const char letter = word[j];
      lists |= letter == 'l';
      reverse |= letter == 'r';
      runs |= letter == 's';
      if (letter == 'n') numbers = false;
      if (letter == 'e') {
        if (j + 1 == word.size()) ++i;
        // "-e -" is -s.
        runs |= i < call.args.size() && call.args[i] == "-";
        break;
      }
      if (std::string_view("lnrs").find(letter) == std::string_view::npos) {
        shell.Complain("fc", std::string("-") + letter + ": invalid option");
        return UsageError(shell, self);
      }
    }
  }
  const auto operands = call.args.subspan(std::min(i, call.args.size()));
  if (runs) return RunAgain(shell, operands);
  if (lists) return List(shell, operands, numbers, reverse);
  if (shell.history->empty()) return NotFound(shell);
  shell.Complain("fc", "no editor: use -s or -l");
  return 1;
}

}  // namespace

extern const Builtin kBuiltin_fc;
const Builtin kBuiltin_fc = {
    .name = "fc",
    .usage = "[-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]",
    .help = "Display or execute commands from the history list. There is no editor: only -l and -s.",
    .run = Run,
};

}  // namespace paddock::shell
