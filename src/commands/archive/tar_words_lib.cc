// The words of tar's command line, which may begin with letters without a dash, and of $TAR_OPTIONS.
#include <algorithm>

#include "commands/archive/tar_options.h"

namespace paddock::tar {
namespace {

const Option* FindOption(std::span<const Option> table, char name) {
  const auto it = std::find_if(table.begin(), table.end(), [name](const Option& option) { return option.short_name == name; });
  return it == table.end() ? nullptr : &*it;
}
// True when the long option that `text` abbreviates takes the next argument.
bool TakesNext(std::span<const Option> table, std::string_view text) {
  const Option* found = nullptr;
  for (const Option& option : table) {
    if (option.long_name == nullptr || !std::string_view(option.long_name).starts_with(text)) continue;
    if (found == nullptr || option.long_name == text) found = &option;
    if (option.long_name == text) break;
  }
  return found != nullptr && found->argument == OptionArgument::kRequired;
}

}  // namespace

Result<std::vector<std::string>> Arrange(std::span<const std::string> args, std::span<const Option> table) {
  std::vector<std::string> arranged = {args[0]};
  size_t i = 1;
  if (args.size() > 1 && !args[1].empty() && args[1][0] != '-') {
    i = 2;
    for (const char letter : args[1]) {
      arranged.push_back(std::string("-") + letter);
      const Option* option = FindOption(table, letter);
      if (option == nullptr || option->argument != OptionArgument::kRequired) continue;
      if (i == args.size()) return Error(Code::kSyntax, std::string("Old option '") + letter + "' requires an argument.");
      arranged.push_back(args[i++]);
    }
  }
  bool is_over = false;
  for (; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (is_over || arg.size() < 2 || arg[0] != '-') {
      arranged.push_back("--add-file=" + arg);
    } else if (arg == "--") {
      is_over = true;
    } else {
      arranged.push_back(arg);
      bool takes_next = false;
      if (arg.starts_with("--")) {
        takes_next = arg.find('=') == std::string::npos && TakesNext(table, std::string_view(arg).substr(2));
      } else {
        for (size_t at = 1; at < arg.size(); ++at) {
          const Option* option = FindOption(table, arg[at]);
          if (option == nullptr || option->argument == OptionArgument::kNone) continue;
          takes_next = option->argument == OptionArgument::kRequired && at + 1 == arg.size();
          break;
        }
      }
      if (takes_next && i + 1 < args.size()) arranged.push_back(args[++i]);
    }
  }
  return arranged;
}

std::optional<std::vector<std::string>> QuotedWords(std::string_view text, bool has_comments) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = '\0';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
      is_in_word = false;
      continue;
    }
    if (quote == '\0' && has_comments && c == '#' && !is_in_word) break;
    if (!is_in_word) words.emplace_back();
    is_in_word = true;
    if (quote != '\0' ? c == quote : c == '"' || c == '\'') quote = quote == '\0' ? c : '\0';
    else if (c == '\\' && quote != '\'' && i + 1 < text.size()) words.back() += text[++i];
    else words.back() += c;
  }
  if (quote != '\0') return std::nullopt;
  return words;
}

Result<std::vector<std::string>> DefaultWords(Invocation& in) {
  auto words = QuotedWords(in.env.Get("TAR_OPTIONS", ""), false);
  if (!words) return Error(Code::kRange, "cannot split TAR_OPTIONS: missing closing quote");
  words->insert(words->begin(), std::string(in.args[0]));
  return *words;
}

}  // namespace paddock::tar
