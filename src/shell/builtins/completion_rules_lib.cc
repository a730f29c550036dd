#include "shell/builtins/completion_rules.h"

#include "shell/expand/expander.h"

namespace paddock::shell {
namespace {

constexpr const char* kOptions[] = {"bashdefault", "default", "dirnames", "filenames", "noquote", "nosort", "nospace", "plusdirs"};

struct ActionName {
  const char* name;
  char letter;   // 0 if it has none
};
// In the order of CompletionAction.
constexpr ActionName kActions[] = {
    {"alias", 'a'}, {"arrayvar", 0}, {"binding", 0}, {"builtin", 'b'}, {"command", 'c'}, {"directory", 'd'}, {"disabled", 0},
    {"enabled", 0}, {"export", 'e'}, {"file", 'f'}, {"function", 0}, {"group", 'g'}, {"helptopic", 0}, {"hostname", 0},
    {"job", 'j'}, {"keyword", 'k'}, {"running", 0}, {"service", 's'}, {"setopt", 0}, {"shopt", 0}, {"signal", 0},
    {"stopped", 0}, {"user", 'u'}, {"variable", 'v'}};

}  // namespace

std::span<const char* const> CompletionOptionNames() { return kOptions; }

std::optional<uint32_t> FindCompletionOption(std::string_view name) {
  for (size_t i = 0; i < std::size(kOptions); ++i) {
    if (name == kOptions[i]) return 1u << i;
  }
  return std::nullopt;
}

bool ReadCompletionOption(Shell& shell, const char* builtin, char letter, std::string_view argument, CompletionRule* rule) {
  const std::string text(argument);
  switch (letter) {
    case 'o':
      if (const auto bit = FindCompletionOption(text)) {
        rule->options |= *bit;
        return true;
      }
      shell.Complain(builtin, text + ": invalid option name");
      return false;
    case 'A':
      for (size_t i = 0; i < std::size(kActions); ++i) {
        if (text == kActions[i].name) {
          rule->actions |= 1u << i;
          return true;
        }
      }
      shell.Complain(builtin, text + ": invalid action name");
      return false;
    case 'G': rule->glob = text; return true;
    case 'W': rule->words = text; return true;
    case 'P': rule->prefix = text; return true;
    case 'S': rule->suffix = text; return true;
    case 'X': rule->filter = text; return true;
    case 'C': rule->command = text; return true;
    case 'F':
      if (text.find_first_of(" \t\n|&;()<>") != std::string::npos) {
        shell.Complain(builtin, "`" + text + "': not a valid identifier");
        return false;
      }
      rule->function = text;
      return true;
    default:
      for (size_t i = 0; i < std::size(kActions); ++i) {
        if (kActions[i].letter == letter) rule->actions |= 1u << i;
      }
      return true;
  }
}

CompletionTable& MutableCompletions(Shell& shell) {
  if (shell.completions == nullptr) shell.completions = std::make_shared<CompletionTable>();
  if (shell.completions.use_count() > 1) shell.completions = std::make_shared<CompletionTable>(*shell.completions);
  return *shell.completions;
}

std::string DescribeRule(const std::string& name, const CompletionRule& rule) {
  std::string text = "complete";
  for (size_t i = 0; i < std::size(kOptions); ++i) {
    if ((rule.options >> i & 1) != 0) text += std::string(" -o ") + kOptions[i];
  }
  for (size_t i = 0; i < std::size(kActions); ++i) {
    if ((rule.actions >> i & 1) != 0 && kActions[i].letter != 0) text += std::string(" -") + kActions[i].letter;
  }
  for (size_t i = 0; i < std::size(kActions); ++i) {
    if ((rule.actions >> i & 1) != 0 && kActions[i].letter == 0) text += std::string(" -A ") + kActions[i].name;
  }
  const auto add = [&](const char* option, const std::optional<std::string>& value) {
    if (value) text += std::string(" ") + option + " " + QuoteForReuse(*value);
  };
  add("-G", rule.glob);
  add("-W", rule.words);
  add("-P", rule.prefix);
  add("-S", rule.suffix);
  add("-X", rule.filter);
  add("-C", rule.command);
  if (rule.function) text += " -F " + *rule.function;
  return text + " " + name;
}

}  // namespace paddock::shell
