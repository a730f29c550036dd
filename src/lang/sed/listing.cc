#include "lang/sed/listing.h"

#include <cstdio>

namespace paddock::sed {
namespace {

// The escape of a character that does not show itself; nothing for one that does.
std::string Escape(char c) {
  switch (c) {
    case '\a': return "\\a";
    case '\b': return "\\b";
    case '\f': return "\\f";
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    case '\v': return "\\v";
    case '\\': return "\\\\";
    default: break;
  }
  if (c >= ' ' && c <= '~') return {};
  char text[24];
  std::snprintf(text, sizeof text, "\\o%03o", static_cast<unsigned>(static_cast<signed char>(c)));   // GNU sed shows a signed number
  return text;
}

std::string ShowRegex(const RegexPtr& regex) {
  if (regex == nullptr) return {};
  std::string shown;
  for (size_t i = 0; i < regex->source.size(); ++i) {
    const char c = regex->source[i];
    // A slash that has its backslash already.
    if (c == '\\' && i + 1 < regex->source.size() && regex->source[i + 1] == '/') {
      shown += "\\/";
      ++i;
      continue;
    }
    const std::string escape = c == '/' ? "\\/" : Escape(c);
    shown += escape.empty() ? std::string(1, c) : escape;
  }
  return shown;
}

std::string ShowAddress(const Address& address) {
  switch (address.kind) {
    case Address::Kind::kNone: return {};
    case Address::Kind::kLine: return std::to_string(address.number);
    case Address::Kind::kStep: return std::to_string(address.number) + "~" + std::to_string(address.step);
    case Address::Kind::kLast: return "$";
    case Address::Kind::kPlus: return "+" + std::to_string(address.number);
    case Address::Kind::kMultiple: return "~" + std::to_string(address.number);
    case Address::Kind::kRegex: break;
  }
  std::string shown = "/" + ShowRegex(address.regex) + "/";
  if (address.regex != nullptr && address.regex->ignores_case) shown += 'I';
  if (address.regex != nullptr && address.regex->is_multiline) shown += 'M';
  return shown;
}

std::string ShowSubstitution(const Program& program, const Substitution& substitution) {
  std::string shown = "s/" + ShowRegex(substitution.regex) + "/";
  for (const ReplacementPart& part : substitution.parts) {
    switch (part.kind) {
      case ReplacementPart::Kind::kText: shown += part.text; break;
      case ReplacementPart::Kind::kCase: shown += std::string("\\") + part.letter; break;
      case ReplacementPart::Kind::kGroup: shown += part.group == 0 ? "&" : "\\" + std::to_string(part.group); break;
    }
  }
  shown += '/';
  if (substitution.regex != nullptr && substitution.regex->ignores_case) shown += 'i';
  if (substitution.regex != nullptr && substitution.regex->is_multiline) shown += 'm';
  if (substitution.is_global) shown += 'g';
  if (substitution.evaluates) shown += 'e';
  if (substitution.prints || substitution.prints_before_eval) shown += 'p';
  if (substitution.number > 1) shown += std::to_string(substitution.number);
  if (substitution.file >= 0) shown += "w" + program.output_files[static_cast<size_t>(substitution.file)];
  return shown;
}

}  // namespace

std::string ShowSpace(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const std::string escape = Escape(c);
    shown += escape.empty() ? std::string(1, c) : escape;
  }
  return shown;
}

std::string ShowCommand(const Program& program, const SedCommand& command) {
  std::string shown;
  if (command.first.kind != Address::Kind::kNone) shown += ShowAddress(command.first);
  if (command.second.kind != Address::Kind::kNone) shown += "," + ShowAddress(command.second);
  if (command.is_negated) shown += '!';
  if (command.first.kind != Address::Kind::kNone || command.is_negated) shown += ' ';
  switch (command.name) {
    case 's': return shown + ShowSubstitution(program, *command.substitution);
    case 'y': return shown + "y/" + command.transliteration->from + "/" + command.transliteration->to + "/";
    case 'a':
    case 'i':
    case 'c': return shown + command.name + "\\" + command.text;
    case 'e':
    case 'r':
    case 'R': return shown + command.name + " " + command.text;
    case 'w':
    case 'W': return shown + command.name + command.text;
    case 'b':
    case 't':
    case 'T': return shown + command.name + (command.text.empty() ? "" : " " + command.text);
    case 'l':
    case 'q':
    case 'Q': return shown + command.name + (command.number < 0 ? "" : " " + std::to_string(command.number));
    default: return shown + command.name;
  }
}

std::string ShowProgram(const Program& program) {
  std::string shown = "SED PROGRAM:\n";
  size_t mark = 0;
  for (size_t i = 0; i <= program.commands.size(); ++i) {
    for (; mark < program.marks.size() && program.marks[mark].index == i; ++mark) shown += std::string(2 + 2 * program.marks[mark].depth, ' ') + program.marks[mark].text + "\n";
    if (i < program.commands.size()) shown += std::string(2 + 2 * program.commands[i].depth, ' ') + ShowCommand(program, program.commands[i]) + "\n";
  }
  return shown;
}

}  // namespace paddock::sed
