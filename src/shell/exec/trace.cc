// set -x: what the shell is about to run, after expansion.

#include <algorithm>

#include "shell/exec/executor.h"
#include "shell/expand/expander.h"
#include "shell/shell.h"

namespace paddock::shell {
namespace {

// A tab alone needs plain quotes; bash uses $'…' only for what is not printable in another way.
bool NeedsQuotes(std::string_view word) {
  constexpr std::string_view kMeta = " \t\n'\"\\|&;()<>!{}*[]?^$`";
  if (word.empty()) return true;
  if (word.front() == '~' || word.front() == '#') return true;
  for (const char c : word) {
    if (kMeta.find(c) != std::string_view::npos) return true;
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return true;
  }
  return false;
}

std::string TraceQuoted(std::string_view word) {
  if (!NeedsQuotes(word)) return std::string(word);
  const bool has_controls = std::any_of(word.begin(), word.end(), [](char c) {
    const unsigned char byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7f;
  });
  if (has_controls) return QuoteForReuse(word);
  return word == "'" ? "\\'" : TraceSingleQuoted(word);
}

// PS4 with its first character once for every level of nesting.
std::string TracePrefix(Shell& shell) {
  const auto ps4 = shell.Get("PS4");
  const std::string text = ps4 ? std::string(*ps4) : std::string();
  const int saved_status = shell.last_status;
  const bool saved_xtrace = shell.options.Get(SetOption::kXtrace);
  shell.options.Put(SetOption::kXtrace, false);
  std::string expanded = text.empty() ? "" : ExpandPrompt(shell, text);
  shell.options.Put(SetOption::kXtrace, saved_xtrace);
  shell.last_status = saved_status;
  if (!expanded.empty()) expanded.insert(0, static_cast<size_t>(std::max(shell.trace_depth, 0)), expanded.front());
  return expanded;
}

}  // namespace

void TraceLine(Shell& shell, std::string_view line) {
  std::string text = TracePrefix(shell);
  text.append(line).append("\n");
  shell.out().Flush();
  int descriptor = 2;
  if (const auto chosen = shell.Get("BASH_XTRACEFD"); chosen && !chosen->empty()) {
    const int number = std::atoi(std::string(*chosen).c_str());
    if (shell.process().descriptors().Get(number)) descriptor = number;
  }
  [[maybe_unused]] const Status ignored = shell.process().Write(descriptor, text);
}

std::string TraceSingleQuoted(std::string_view word) {
  std::string text = "'";
  for (const char c : word) {
    if (c == '\'') text += "'\\''";
    else text += c;
  }
  return text + "'";
}

std::string TraceText(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += TraceQuoted(word);
  }
  return text;
}

void TraceWords(Shell& shell, std::span<const std::string> words) { TraceLine(shell, TraceText(words)); }

void TraceAssignment(Shell& shell, const Assignment& assignment, const std::string& value) {
  if (assignment.is_array) return TraceLine(shell, assignment.source);
  std::string text = assignment.name.text;
  if (assignment.subscript != nullptr) text += "[" + assignment.subscript->source + "]";
  TraceValue(shell, text, assignment.is_append, value);
}

void TraceValue(Shell& shell, std::string_view name, bool is_append, std::string_view value) {
  TraceLine(shell, std::string(name) + (is_append ? "+=" : "=") + (value.empty() ? "" : TraceQuoted(value)));
}

void TraceFor(Shell& shell, const Statement& statement) {
  std::string text = statement.kind == Statement::Kind::kSelect ? "select " : "for ";
  text += statement.name.text;
  if (statement.has_in) {
    text += statement.words.empty() ? " in " : " in";
    for (const Word& word : statement.words) text += " " + word.source;
  } else {
    text += " in \"$@\"";
  }
  TraceLine(shell, text);
}

void TraceCase(Shell& shell, const Word& subject) { TraceLine(shell, "case " + subject.source + " in"); }

void TraceArithmetic(Shell& shell, std::string_view expression) { TraceLine(shell, "(( " + std::string(expression) + " ))"); }

}  // namespace paddock::shell
