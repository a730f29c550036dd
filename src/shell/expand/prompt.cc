// PS1-style strings: escapes first, then expansions.
//
// Source: Bash manual "Controlling the Prompt".

#include "shell/exec/jobs.h"
#include "shell/expand/expander.h"
#include "shell/expand/expansion.h"
#include "shell/parser/parser.h"
#include "shell/shell.h"
#include "shell/state/history.h"
#include "text/date/time_format.h"
#include "text/date/time_zone.h"
#include "vfs/file_system.h"

namespace paddock::shell {
namespace {

std::string ShowTime(Shell& shell, std::string_view format) {
  const auto now = std::chrono::floor<std::chrono::seconds>(shell.kernel().clock().RealNow()).count();
  const CalendarTime time = TimeZone::FromTz(shell.Get("TZ")).ToLocal(now);
  return FormatTime(format, time, {.seconds = now}, shell.budget(), TimeDialect::kLibc);
}

// Keeps the last PROMPT_DIRTRIM components of a path, where that makes it shorter.
std::string TrimDirectory(Shell& shell, std::string path) {
  const int count = std::atoi(shell.GetOr("PROMPT_DIRTRIM", "0").c_str());
  if (count <= 0) return path;
  const size_t root = path.starts_with("~/") ? 2 : path.starts_with("/") ? 1 : 0;
  size_t at = path.size();
  for (int left = count; left > 0; --left) {
    const size_t slash = path.rfind('/', at - 1);
    if (slash == std::string::npos || slash < root) return path;
    at = slash;
  }
  std::string trimmed = path.substr(0, path.starts_with("~/") ? 2 : 0) + "..." + path.substr(at);
  return trimmed.size() < path.size() ? trimmed : path;
}

std::string WorkingDirectory(Shell& shell, bool last_only) {
  std::string path = shell.GetOr("PWD", shell.files().cwd());
  const std::string home = shell.GetOr("HOME", "");
  if (!home.empty() && path == home) return "~";
  if (last_only) return vfs::BaseName(path);
  if (home.size() > 1 && path.starts_with(home + "/")) path.replace(0, home.size(), "~");
  return TrimDirectory(shell, std::move(path));
}

std::string UserName(Shell& shell) {
  const auto content = vfs::ReadFile(shell.files(), "/etc/passwd", 1 << 20);
  const std::string uid = ":" + std::to_string(shell.files().credentials().uid) + ":";
  std::string_view rest = content ? std::string_view(*content) : std::string_view();
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const size_t name_end = line.find(':');
    const size_t password_end = name_end == std::string_view::npos ? name_end : line.find(':', name_end + 1);
    if (password_end != std::string_view::npos && line.substr(password_end).starts_with(uid)) {
      return std::string(line.substr(0, name_end));
    }
  }
  return "I have no name!";
}

// The text of the escape \`letter`; nothing if it is none.
std::optional<std::string> DecodeEscape(Shell& shell, char letter, bool marks_invisible) {
  switch (letter) {
    case 'a': return "\a";
    case 'e': return "\033";
    case 'n': return "\n";
    case 'r': return "\r";
    case '\\': return "\\";
    case '[': return marks_invisible ? "\001" : "";
    case ']': return marks_invisible ? "\002" : "";
    case 'd': return ShowTime(shell, "%a %b %d");
    case 't': return ShowTime(shell, "%H:%M:%S");
    case 'T': return ShowTime(shell, "%I:%M:%S");
    case '@': return ShowTime(shell, "%I:%M %p");
    case 'A': return ShowTime(shell, "%H:%M");
    case 'h': return shell.kernel().hostname().substr(0, shell.kernel().hostname().find('.'));
    case 'H': return shell.kernel().hostname();
    case 'j': return std::to_string(shell.jobs().jobs().size());
    case 'l': return "tty";
    case 's': return vfs::BaseName(shell.name0);
    case 'u': return UserName(shell);
    case 'v': return "5.2";
    case 'V': return "5.2.15";
    case 'w': return WorkingDirectory(shell, false);
    case 'W': return WorkingDirectory(shell, true);
    case '#': return std::to_string(shell.command_number);
    case '!': return std::to_string(shell.history->dropped + shell.history->lines.size() + 1);
    case '$': return shell.files().credentials().uid == 0 ? "#" : "$";
    default: return std::nullopt;
  }
}

// Quotes what the expansion after the escapes must leave alone.
std::string Protect(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    if (byte == '$' || byte == '`' || byte == '\\' || byte == '"') out += '\\';
    out += byte;
  }
  return out;
}

std::string DecodeEscapes(Shell& shell, std::string_view text, bool protects, bool marks_invisible) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    shell.budget().Step();
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char letter = text[++i];
    if (letter >= '0' && letter <= '7') {
      unsigned value = 0;
      size_t digits = 0;
      while (digits < 3 && i < text.size() && text[i] >= '0' && text[i] <= '7') {
        value = value * 8 + static_cast<unsigned>(text[i] - '0');
        ++i;
        ++digits;
      }
      --i;
      out += static_cast<char>(value);
      continue;
    }
    if (letter == 'D' && i + 1 < text.size() && text[i + 1] == '{') {
      const size_t end = text.find('}', i);
      if (end != std::string_view::npos) {
        const std::string format(text.substr(i + 2, end - i - 2));
        const std::string shown = ShowTime(shell, format.empty() ? "%X" : format);
        out += protects ? Protect(shown) : shown;
        i = end;
        continue;
      }
    }
    if (const auto shown = DecodeEscape(shell, letter, marks_invisible)) {
      // A backslash that was written stays one for the expansion; other text is not expanded again.
      out += protects && letter != '\\' ? Protect(*shown) : *shown;
    } else {
      // As between double quotes, which an unquoted `"` does not end.
      if (!protects || letter != '"') out += '\\';
      out += letter;
    }
  }
  return out;
}

}  // namespace

std::string ExpandPrompt(Shell& shell, std::string_view text, bool marks_invisible) {
  const bool expands = shell.options.Get(ShoptOption::kPromptvars);
  std::string decoded = DecodeEscapes(shell, text, expands, marks_invisible);
  if (!expands || decoded.find_first_of("$`\\\"") == std::string::npos) return decoded;
  const Result<Word> word = ParseDoubleQuoted(decoded, shell.parser_options(), shell.budget());
  if (!word) return decoded;
  // The expansion leaves the state of the command that shows the prompt alone.
  const int status = shell.last_status;
  const int substitution_status = shell.last_substitution_status;
  const bool had_substitution = shell.had_substitution;
  Expansion out(shell, Expansion::Target::kString);
  out.AddWord(*word, {.is_quoted = true});
  shell.last_status = status;
  shell.last_substitution_status = substitution_status;
  shell.had_substitution = had_substitution;
  return std::move(out.text());
}

}  // namespace paddock::shell
