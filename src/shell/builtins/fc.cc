// fc - lists the history or runs an entry again

#include <algorithm>

#include "shell/builtins/arguments.h"
#include "shell/state/history.h"

namespace paddock::shell {
namespace {

// The entry that a number (from the end if negative) or the beginning of a command names. The last
// `hidden` entries do not count.
std::optional<size_t> FindEntry(const Shell& shell, const std::string& text, bool clamps, size_t hidden) {
  std::span<const std::string> lines = shell.history->lines;
  lines = lines.first(lines.size() - hidden);
  const auto size = static_cast<int64_t>(lines.size());
  if (const auto number = ParseInteger(text)) {
    const int64_t place = *number < 0 ? size + *number : *number == 0 ? size - 1
                                        : *number - 1 - static_cast<int64_t>(shell.history->dropped);
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

// 1 when the last entry is the fc that runs: it does not count among what it works on.
size_t OwnEntries(const Shell& shell) {
  const bool is_recorded = shell.options.Get(SetOption::kHistory) && shell.has_recorded_line;
  return is_recorded && !shell.history->lines.empty() ? 1 : 0;
}

struct Range {
  size_t first;
  size_t last;
  bool is_reversed;
};

std::optional<Range> FindRange(const Shell& shell, std::span<const std::string> operands, size_t first_if_none) {
  const size_t hidden = OwnEntries(shell);
  const size_t size = shell.history->lines.size() - hidden;
  std::optional<size_t> first = first_if_none;
  if (!operands.empty()) first = FindEntry(shell, operands[0], true, hidden);
  std::optional<size_t> last = first_if_none + 1 == size ? first : size - 1;
  if (operands.size() > 1) last = FindEntry(shell, operands[1], true, hidden);
  if (!first || !last) return std::nullopt;
  if (*first > *last) return Range{*last, *first, true};
  return Range{*first, *last, false};
}

int List(Shell& shell, std::span<const std::string> operands, bool numbers, bool reverse) {
  const size_t size = shell.history->lines.size() - OwnEntries(shell);
  if (size == 0) return 0;
  constexpr size_t kShown = 16;
  const auto range = FindRange(shell, operands, operands.empty() ? size - std::min(size, kShown) : SIZE_MAX);
  if (!range) return NotFound(shell);
  reverse ^= range->is_reversed;
  for (size_t n = 0; n <= range->last - range->first; ++n) {
    shell.budget().Step();
    const size_t i = reverse ? range->last - n : range->first + n;
    const std::string number = numbers ? std::to_string(shell.history->dropped + i + 1) : "";
    shell.out().WriteLine(number + "\t " + shell.history->lines[i]);
  }
  return 0;
}

// Runs a command of the list as if it stood in place of the fc that was written.
int RunCommand(Shell& shell, const std::string& command) {
  shell.err().Write(command + "\n");
  AddHistory(shell, command);
  return shell.Eval(command, shell.line);
}

int RunAgain(Shell& shell, std::span<const std::string> operands) {
  std::vector<std::pair<std::string, std::string>> replacements;
  size_t next = 0;
  for (; next < operands.size(); ++next) {
    const size_t equals = operands[next].find('=');
    if (equals == std::string::npos || equals == 0) break;
    replacements.emplace_back(operands[next].substr(0, equals), operands[next].substr(equals + 1));
  }
  const size_t hidden = OwnEntries(shell);
  if (shell.history->lines.size() == hidden) return NotFound(shell);
  const auto entry = FindEntry(shell, next < operands.size() ? operands[next] : "-1", false, hidden);
  if (!entry) return NotFound(shell);
  std::string command = shell.history->lines[*entry];
  for (const auto& [from, to] : replacements) {
    for (size_t at = command.find(from); at != std::string::npos; at = command.find(from, at + to.size())) {
      shell.budget().Step();
      shell.budget().WillAllocate(command.size() + to.size());
      command.replace(at, from.size(), to);
    }
  }
  // The command stands in the list for the fc that ran it.
  MutableHistory(shell).lines.pop_back();
  return RunCommand(shell, command);
}

// Has an editor change commands in a file and runs what it leaves.
int Edit(Shell& shell, std::span<const std::string> operands, const std::string& editor, bool reverse) {
  if (shell.history->lines.empty()) return 0;
  const size_t size = shell.history->lines.size() - OwnEntries(shell);
  if (size == 0) return NotFound(shell);
  auto range = FindRange(shell, operands, operands.empty() ? size - 1 : SIZE_MAX);
  if (range && operands.size() == 1) range = FindRange(shell, std::vector{operands[0], operands[0]}, size - 1);
  if (!range) return NotFound(shell);
  // The fc that edits does not stay in the list; without recording it is whatever was added last.
  if (shell.has_recorded_line) MutableHistory(shell).lines.pop_back();
  const size_t kept = shell.history->lines.size();
  std::string text;
  for (size_t n = 0; n <= range->last - range->first && kept > 0; ++n) {
    shell.budget().Step();
    text += shell.history->lines[std::min(reverse ? range->last - n : range->first + n, kept - 1)] + "\n";
  }
  const std::string path = shell.GetOr("TMPDIR", "/tmp") + "/bash-fc." + std::to_string(shell.process().pid());
  auto file = shell.files().Open(path, vfs::OpenFlags::Write(), 0600);
  if (!file || !(*file)->Write(text)) {
    shell.Complain("fc", path + ": cannot open temp file: " + std::string(file ? "" : file.error().Text()));
    return 1;
  }
  file->reset();
  int status = shell.Eval(editor + " " + path, shell.line);
  const auto edited = vfs::ReadFile(shell.files(), path);
  [[maybe_unused]] const Status removed = shell.files().RemoveFile(path);
  if (status != 0) return 1;
  std::string_view rest = edited ? std::string_view(*edited) : std::string_view();
  while (!rest.empty() && shell.flow == Flow::kNone) {
    const size_t end = rest.find('\n');
    if (end != 0) status = RunCommand(shell, std::string(rest.substr(0, end)));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return status;
}

int Run(Shell& shell, const BuiltinCall& call) {
  const Builtin& self = *FindBuiltin("fc");
  bool lists = false;
  bool numbers = true;
  bool reverse = false;
  bool runs = false;
  std::string editor;
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
        if (i >= call.args.size()) {
          shell.Complain("fc", "-e: option requires an argument");
          return UsageError(shell, self);
        }
        editor = j + 1 == word.size() ? call.args[i] : word.substr(j + 1);
        runs |= editor == "-";
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
  if (editor.empty()) editor = shell.GetOr("FCEDIT", shell.GetOr("EDITOR", "ed"));
  return Edit(shell, operands, editor, reverse);
}

}  // namespace

extern const Builtin kBuiltin_fc;
const Builtin kBuiltin_fc = {
    .name = "fc",
    .usage = "[-e ename] [-lnr] [first] [last] or fc -s [pat=rep] [command]",
    .help = "Display commands of the history list, or edit and run them again.",
    .run = Run,
};

}  // namespace paddock::shell
