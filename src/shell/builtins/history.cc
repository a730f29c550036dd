// history - shows and changes the history list

#include "shell/builtins/arguments.h"
#include "shell/state/history.h"
#include "text/date/time_format.h"

namespace paddock::shell {
namespace {

using Lines = std::vector<std::string>;

// Takes the command that runs out of the list, where -s and -p leave no trace of themselves.
void ForgetOwnLine(Shell& shell) {
  const bool has_own = shell.options.Get(SetOption::kHistory) && shell.has_recorded_line && !shell.has_pushed_line;
  if (!has_own || shell.history->lines.empty()) return;
  MutableHistory(shell).lines.pop_back();
  shell.has_recorded_line = false;
}

// Adds a line, as HISTCONTROL says about repeated ones.
void Append(Shell& shell, std::string line) {
  const std::string control = ":" + shell.GetOr("HISTCONTROL", "") + ":";
  if (control.find(":erasedups:") != std::string::npos) {
    shell.budget().Step(static_cast<int64_t>(shell.history->lines.size()));
    std::erase(MutableHistory(shell).lines, line);
  }
  const bool ignores_repeated =
      control.find(":ignoredups:") != std::string::npos || control.find(":ignoreboth:") != std::string::npos;
  const Lines& lines = shell.history->lines;
  if (!ignores_repeated || lines.empty() || lines.back() != line) AddHistory(shell, std::move(line));
}

int OutOfRange(Shell& shell, const std::string& text) {
  shell.Complain("history", text + ": history position out of range");
  return 1;
}

// Entry N from 1, or from the end if negative; nothing if there is none.
std::optional<size_t> Position(const HistoryList& history, std::string_view text) {
  const auto number = ParseInteger(text);
  if (!number) return std::nullopt;
  const auto size = static_cast<int64_t>(history.lines.size());
  const int64_t place = *number < 0 ? size + *number : *number - 1 - static_cast<int64_t>(history.dropped);
  if (place < 0 || place >= size) return std::nullopt;
  return static_cast<size_t>(place);
}

int Delete(Shell& shell, const std::string& text) {
  Lines& lines = MutableHistory(shell).lines;
  const size_t dash = text.find('-', 1);
  const std::string first_text = text.substr(0, dash);
  const auto first = Position(*shell.history, first_text);
  if (!first) return OutOfRange(shell, first_text);
  auto last = first;
  if (dash != std::string::npos) {
    last = Position(*shell.history, std::string_view(text).substr(dash + 1));
    if (!last || *last < *first) return OutOfRange(shell, text.substr(dash + 1));
  }
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(*first), lines.begin() + static_cast<std::ptrdiff_t>(*last) + 1);
  return 0;
}

int Show(Shell& shell, size_t count) {
  const Lines& lines = shell.history->lines;
  std::string stamp;
  if (const auto format = shell.Get("HISTTIMEFORMAT"); format && !format->empty()) {
    const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(shell.kernel().clock().RealNow()).count();
    const TimeZone zone = TimeZone::FromTz(shell.Get("TZ"));
    stamp = FormatTime(*format, zone.ToLocal(seconds), {seconds, 0}, shell.budget(), TimeDialect::kLibc);
  }
  for (size_t i = lines.size() - std::min(count, lines.size()); i < lines.size(); ++i) {
    shell.budget().Step();
    std::string number = std::to_string(shell.history->dropped + i + 1);
    if (number.size() < 5) number.insert(0, 5 - number.size(), ' ');
    shell.out().WriteLine(number + "  " + stamp + lines[i]);
  }
  return 0;
}

int UseFile(Shell& shell, char letter, std::string path) {
  if (path.empty()) path = shell.GetOr("HISTFILE", "");
  if (path.empty()) return 1;
  if (letter == 'r' || letter == 'n') {
    return ReadHistoryFile(shell, path) ? 0 : 1;
  }
  auto file = shell.files().Open(path, letter == 'a' ? vfs::OpenFlags::Append() : vfs::OpenFlags::Write(), 0600);
  if (!file) {
    shell.Complain("history", path + ": cannot create: " + std::string(file.error().Text()));
    return 1;
  }
  std::string text;
  for (const std::string& line : shell.history->lines) text += line + "\n";
  return (*file)->Write(text) ? 0 : 1;
}

// Replaces the events of `text` (!! !N !-N !string !?string?) and the words !$ !^ !* and :N of them.
std::optional<std::string> Expand(Shell& shell, const std::string& text) {
  const Lines& lines = shell.history->lines;
  std::string result;
  for (size_t i = 0; i < text.size();) {
    shell.budget().Step();
    if (text[i] != '!' || i + 1 >= text.size() || std::string_view(" \t\n=(").find(text[i + 1]) != std::string_view::npos) {
      result += text[i++];
      continue;
    }
    const size_t begin = i++;
    std::optional<size_t> event;
    const auto last = lines.empty() ? std::nullopt : std::optional(lines.size() - 1);
    const char c = text[i];
    if (c == '!') {
      event = last;
      ++i;
    } else if (c == '$' || c == '^' || c == '*' || c == ':') {
      event = last;
    } else if (c == '-' || (c >= '0' && c <= '9')) {
      const size_t end = std::min(text.find_first_not_of("0123456789", i + 1), text.size());
      event = Position(*shell.history, std::string_view(text).substr(i, end - i));
      i = end;
    } else {
      const bool is_anywhere = c == '?';
      if (is_anywhere) ++i;
      const size_t end = std::min(text.find_first_of(is_anywhere ? "?\n" : " \t\n:;&()|<>", i), text.size());
      const std::string wanted = text.substr(i, end - i);
      i = is_anywhere && end < text.size() ? end + 1 : end;
      for (size_t n = lines.size(); n-- > 0 && !event;) {
        shell.budget().Step();
        if (is_anywhere ? lines[n].find(wanted) != std::string::npos : lines[n].starts_with(wanted)) event = n;
      }
    }
    if (!event) {
      shell.Complain("history", text.substr(begin) + ": history expansion failed");
      return std::nullopt;
    }
    std::string value = lines[*event];
    if (i < text.size() && text[i] == ':' && i + 1 < text.size() &&
        (text[i + 1] == '$' || text[i + 1] == '^' || text[i + 1] == '*' || (text[i + 1] >= '0' && text[i + 1] <= '9'))) {
      ++i;
    }
    if (i < text.size() && (text[i] == '$' || text[i] == '^' || text[i] == '*' || (text[i] >= '0' && text[i] <= '9' && text[i - 1] == ':'))) {
      std::vector<std::string> words;
      for (size_t at = value.find_first_not_of(" \t"); at != std::string::npos;) {
        const size_t end = std::min(value.find_first_of(" \t", at), value.size());
        words.push_back(value.substr(at, end - at));
        at = value.find_first_not_of(" \t", end);
      }
      const char designator = text[i++];
      value.clear();
      if (designator == '*') {
        for (size_t n = 1; n < words.size(); ++n) value += (n > 1 ? " " : "") + words[n];
      } else {
        size_t n = designator == '$' ? words.size() - 1 : designator == '^' ? 1 : static_cast<size_t>(designator - '0');
        if (n >= words.size()) {
          shell.Complain("history", text.substr(begin) + ": history expansion failed");
          return std::nullopt;
        }
        value = words[n];
      }
    }
    if (text.compare(i, 3, ":s/") == 0) {
      const size_t middle = text.find('/', i + 3);
      const size_t end = middle == std::string::npos ? middle : std::min(text.find('/', middle + 1), text.size());
      const std::string from = middle == std::string::npos ? "" : text.substr(i + 3, middle - i - 3);
      const size_t found = from.empty() ? std::string::npos : value.find(from);
      if (found == std::string::npos) {
        shell.Complain("history", text.substr(begin) + ": history expansion failed");
        return std::nullopt;
      }
      value.replace(found, from.size(), text.substr(middle + 1, end - middle - 1));
      i = std::min(end + 1, text.size());
    }
    result += value;
  }
  return result;
}

int Run(Shell& shell, const BuiltinCall& call) {
  const Builtin& self = *FindBuiltin("history");
  BuiltinOptions options(shell, call, self, "acd:npsrw");
  char file_letter = 0;
  bool clears = false;
  bool stores = false;
  bool expands = false;
  std::optional<std::string> deleted;
  while (const char letter = options.Next()) {
    switch (letter) {
      case '?': return 2;
      case 'c': clears = true; break;
      case 'd': deleted = std::string(options.argument()); break;
      case 's': stores = true; break;
      case 'p': expands = true; break;
      default:
        if (file_letter != 0 && file_letter != letter) {
          shell.Complain("history", "cannot use more than one of -anrw");
          return 1;
        }
        file_letter = letter;
        break;
    }
  }
  const auto operands = options.operands();
  if (clears) MutableHistory(shell) = {};
  if (stores) {
    ForgetOwnLine(shell);
    std::string line;
    for (const std::string& word : operands) line += (line.empty() ? "" : " ") + word;
    if (!operands.empty()) Append(shell, std::move(line));
    shell.has_pushed_line = true;
    return 0;
  }
  if (expands) {
    ForgetOwnLine(shell);
    int status = 0;
    for (const std::string& word : operands) {
      const auto expanded = Expand(shell, word);
      if (!expanded) status = 1;
      else shell.out().WriteLine(*expanded);
    }
    return status;
  }
  if (deleted) return Delete(shell, *deleted);
  if (file_letter != 0) return UseFile(shell, file_letter, operands.empty() ? "" : operands[0]);
  if (clears) return 0;
  if (operands.empty()) return Show(shell, SIZE_MAX);
  const auto count = ParseInteger(operands[0]);
  if (!count) {
    shell.Complain("history", operands[0] + ": numeric argument required");
    return 1;
  }
  if (operands.size() > 1) {
    shell.Complain("history", "too many arguments");
    return 1;
  }
  return Show(shell, static_cast<size_t>(*count < 0 ? -*count : *count));
}

}  // namespace

extern const Builtin kBuiltin_history;
const Builtin kBuiltin_history = {
    .name = "history",
    .usage = "[-c] [-d offset] [n] or history -anrw [filename] or history -ps arg [arg...]",
    .help = "Display or manipulate the history list. Commands are recorded while `set -o history` is on.",
    .run = Run,
};

}  // namespace paddock::shell
