// s: what stands behind it, and the lines it changes.

#include "lang/ed/editor_state.h"

namespace paddock::ed {

Status Editor::ParseSubstitution(CommandSource& commands) {
  const char delimiter = Take();
  bool is_closed = false;
  PADDOCK_ASSIGN(const std::string pattern, TakePattern(delimiter, is_closed));
  if (!is_closed) return Bad("Missing pattern delimiter");
  Substitution made;
  PADDOCK_ASSIGN(std::string replacement, TakeReplacement(delimiter, is_closed, commands));
  if (replacement == "%") {
    if (!substitution_) return Bad("No previous substitution");
    replacement = substitution_->replacement;
  }
  made.replacement = std::move(replacement);
  bool ignores_case = false;
  if (!is_closed) made.print.plain = true;
  bool has_count = false;
  while (!is_at_end()) {
    const char c = Look();
    if (IsDigit(c)) {
      if (has_count || c == '0') return Bad("Invalid command suffix");
      PADDOCK_ASSIGN(made.count, TakeNumber());
      has_count = true;
      continue;
    }
    ++at_;
    if (c == 'g' && !made.is_global) made.is_global = true;
    else if ((c == 'I' || c == 'i') && !ignores_case) ignores_case = true;
    else if (c == 'p') made.print.plain = true;
    else if (c == 'n') made.print.numbered = true;
    else if (c == 'l') made.print.listed = true;
    else return Bad("Invalid command suffix");
  }
  PADDOCK_ASSIGN(made.regex, Compile(pattern, ignores_case));
  substitution_ = std::move(made);
  return {};
}

Result<std::string> Editor::TakeReplacement(char delimiter, bool& is_closed, CommandSource& commands) {
  std::string replacement;
  is_closed = false;
  while (true) {
    budget_.Step();
    if (is_at_end()) return replacement;
    const char c = Take();
    if (c == delimiter) {
      is_closed = true;
      return replacement;
    }
    if (c != '\\') {
      replacement += c;
      continue;
    }
    if (!is_at_end()) {
      replacement += '\\';
      replacement += Take();
      continue;
    }
    // An escaped end of the line: the replacement goes on in the next one.
    auto next = commands.Next();
    if (!next) return Bad("Unexpected end-of-file");
    replacement += '\n';
    line_ = std::move(*next);
    at_ = 0;
  }
}

Status Editor::RepeatSubstitution() {
  if (!substitution_) return Bad("No previous substitution");
  Substitution& again = *substitution_;
  while (!is_at_end()) {
    const char c = Look();
    if (IsDigit(c)) {
      PADDOCK_ASSIGN(again.count, TakeNumber());
      if (again.count == 0) return Bad("Invalid command suffix");
      again.is_global = false;
      continue;
    }
    ++at_;
    if (c == 'g') again.is_global = !again.is_global;
    else if (c == 'p') again.print.plain = !again.print.plain;
    else if (c == 'r') again.regex = regex_;
    else if (c == 'l') again.print.listed = true;
    else if (c == 'n') again.print.numbered = true;
    else return Bad("Invalid command suffix");
  }
  return {};
}

Status Editor::SubstituteLines(size_t first, size_t last, bool is_global) {
  const Substitution& substitution = *substitution_;
  bool has_changed = false;
  while (first <= last) {
    PADDOCK_ASSIGN(const auto text, Substitute(substitution, buffer_.at(first)->text, budget_));
    if (!text) {
      ++first;
      continue;
    }
    std::vector<LinePtr> lines;
    for (std::string_view rest = *text;;) {
      const size_t end = rest.find('\n');
      lines.push_back(std::make_shared<Line>(rest.substr(0, end)));
      if (end == std::string_view::npos) break;
      rest.remove_prefix(end + 1);
    }
    const size_t added = lines.size() - 1;
    Cut(first, first);
    buffer_.Replace(first - 1, 1, std::move(lines));
    buffer_.set_current(first + added);
    first += added + 1;
    last += added;
    has_changed = true;
  }
  if (!has_changed && !is_global) return Bad("No match");
  return has_changed ? PrintCurrent(substitution.print) : Status();
}

Status Editor::Substituted(Range range, CommandSource& commands) {
  PADDOCK_TRY(SettleCurrent(range));
  constexpr std::string_view kRepeats = "0123456789gprln";
  if (is_at_end() || kRepeats.find(Look()) != std::string_view::npos) {
    PADDOCK_TRY(RepeatSubstitution());
  } else {
    if (Look() == ' ') return Bad("Invalid pattern delimiter");
    PADDOCK_TRY(ParseSubstitution(commands));
  }
  return SubstituteLines(range.first, range.second, commands.is_global());
}

}  // namespace paddock::ed
