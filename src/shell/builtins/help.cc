// help - explains builtins

#include <algorithm>

#include "shell/builtins/arguments.h"
#include "shell/builtins/builtin.h"
#include "shell/builtins/help_topics.h"
#include "text/pattern.h"

namespace paddock::shell {
namespace {

// All topics in two columns of half the screen; '>' stands for what is cut off, a star before a builtin that is disabled.
void WriteList(Shell& shell) {
  constexpr size_t kDefaultWidth = 80;
  shell.out().Write(
      "These shell commands are defined internally.  Type `help' to see this list.\n"
      "Type `help name' to find out more about the function `name'.\n\n"
      "A star (*) next to a name means that the command is disabled.\n\n");
  const auto value = shell.Get("COLUMNS");
  const std::optional<int64_t> columns = value ? ParseInteger(*value) : std::nullopt;
  const size_t width = (columns && *columns >= 20 && *columns <= 4096 ? static_cast<size_t>(*columns) : kDefaultWidth) / 2;
  const auto& topics = HelpTopics();
  const size_t rows = (topics.size() + 1) / 2;
  const auto cell = [&](const HelpTopic& topic, size_t room) {
    std::string text = (IsDisabled(shell, topic.name) ? "*" : " ") + topic.synopsis;
    if (text.size() >= room) text = text.substr(0, room - 1) + ">";
    return text;
  };
  for (size_t row = 0; row < rows; ++row) {
    std::string line = cell(topics[row], width - 1);
    if (row + rows < topics.size()) {
      line.resize(width, ' ');
      line += cell(topics[row + rows], width - 2);
    }
    shell.out().WriteLine(line);
  }
}

std::string ManualText(const HelpTopic& topic) {
  std::string text = "NAME\n    " + topic.name + " - " + topic.text.substr(0, topic.text.find('\n')) + "\n\nSYNOPSIS\n    " + topic.synopsis +
                     "\n\nDESCRIPTION\n";
  const std::string help = HelpText(topic);
  return text + help.substr(help.find('\n') + 1) + "\nSEE ALSO\n    bash(1)\n\n";
}

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("help"), "dms");
  char form = 0;
  while (const char letter = options.Next()) {
    if (letter == '?') return 2;
    if (form != 'd') form = letter;
  }
  const auto operands = options.operands();
  Output& out = shell.out();
  if (operands.empty()) {
    WriteList(shell);
    return 0;
  }
  const bool is_pattern = std::ranges::any_of(operands, [](const std::string& word) { return HasPatternCharacters(word, false); });
  if (is_pattern) {
    out.Write(operands.size() == 1 ? "Shell commands matching keyword `" : "Shell commands matching keywords `");
    for (size_t i = 0; i < operands.size(); ++i) out.Write((i == 0 ? "" : ", ") + operands[i]);
    out.Write("'\n\n");
  }
  int status = 1;
  std::string missing;
  for (const std::string& operand : operands) {
    const Pattern pattern(operand, {});
    bool any = false;
    // Names that begin with it count only if none is it.
    for (const bool by_prefix : {false, true}) {
      for (const HelpTopic& topic : HelpTopics()) {
        if (by_prefix ? !topic.name.starts_with(operand) : topic.name != operand && !pattern.Matches(topic.name, shell.budget())) continue;
        any = true;
        switch (form) {
          case 'd': out.WriteLine(topic.name + " - " + topic.text.substr(0, topic.text.find('\n'))); break;
          case 's': out.WriteLine(topic.name + ": " + topic.synopsis); break;
          case 'm': out.Write(ManualText(topic)); break;
          default: out.Write(HelpText(topic));
        }
      }
      if (any) break;
    }
    if (any) status = 0;
    else missing = operand;
  }
  if (status != 0) {
    shell.Complain("help", "no help topics match `" + missing + "'.  Try `help help' or `man -k " + missing + "' or `info " + missing + "'.");
  }
  return status;
}

}  // namespace

extern const Builtin kBuiltin_help;
const Builtin kBuiltin_help = {
    .name = "help",
    .usage = "[-dms] [pattern ...]",
    .help = "Display information about builtin commands.",
    .run = Run,
};

}  // namespace paddock::shell
