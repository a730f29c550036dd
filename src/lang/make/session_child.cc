// What make gives to the commands that it runs: their words, their environment, its own options.
#include <array>
#include <charconv>

#include "lang/make/session.h"
#include "lang/make/words.h"

namespace paddock::make {
namespace {

// What only a shell understands.
constexpr std::string_view kShellCharacters = "#;\"*?[]&|<>(){}$`^~!";
constexpr std::array<std::string_view, 43> kShellWords = {
    ".",     ":",    "alias", "bg",     "break", "case",  "cd",   "command", "continue", "eval",  "exec",
    "exit",  "export", "fc",  "fg",     "for",   "getopts", "hash", "if",     "jobs",    "login", "logout",
    "read",  "readonly", "return", "set", "shift", "test", "times", "trap",   "type",    "ulimit", "umask",
    "unalias", "unset", "wait", "while", "until", "do",   "done", "then",    "else",     "fi"};

bool IsExportable(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name) {
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_')) return false;
  }
  return true;
}

// Text as a word of MAKEFLAGS.
void AddQuoted(std::string& flags, std::string_view text) {
  for (const char c : text) {
    if (IsSpace(c) || c == '\\') flags += '\\';
    if (c == '$') flags += "$$$";   // two of them once this is expanded, which stand for one in a make below
    flags += c;
  }
}

// The words of a line that needs no shell; nothing if it does.
std::optional<Words> PlainWords(std::string_view line) {
  Words words;
  std::string word;
  bool has_word = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\'') {
      const size_t end = line.find('\'', i + 1);
      if (end == std::string_view::npos) return std::nullopt;
      word += line.substr(i + 1, end - i - 1);
      has_word = true;
      i = end;
    } else if (c == '\\') {
      if (i + 1 >= line.size()) return std::nullopt;
      if (line[++i] == '\n') {
        continue;
      }
      word += line[i];
      has_word = true;
    } else if (c == '\n' || kShellCharacters.find(c) != std::string_view::npos || (c == '=' && words.empty())) {
      return std::nullopt;
    } else if (IsBlank(c)) {
      if (has_word) words.push_back(std::move(word));
      word.clear();
      has_word = false;
    } else {
      word += c;
      has_word = true;
    }
  }
  if (has_word) words.push_back(std::move(word));
  if (!words.empty()) {
    for (const std::string_view known : kShellWords) {
      if (words[0] == known) return std::nullopt;
    }
  }
  return words;
}

}  // namespace

Words Session::CommandWords(std::string_view line, bool always_shell) {
  line = TrimFront(line);
  if (line.empty()) return {};
  budget().Step(static_cast<int64_t>(line.size()));
  std::string shell(Trim(ValueOf("SHELL")));
  const std::string flags = ValueOf(".SHELLFLAGS");
  const bool is_plain_shell = (shell == "/bin/sh" || shell.empty()) && (flags == "-c" || flags == "-ec");
  if (!always_shell && is_plain_shell) {
    if (auto words = PlainWords(line)) return *words;
  }
  Words words;
  if (shell.empty()) shell = "/bin/sh";
  for (const std::string_view word : SplitWords(shell, budget())) words.emplace_back(word);
  if (auto quoted = PlainWords(flags)) {
    words.insert(words.end(), quoted->begin(), quoted->end());
  } else {
    for (const std::string_view word : SplitWords(flags, budget())) words.emplace_back(word);
  }
  words.emplace_back(line);
  return words;
}

NamedValues Session::ChildEnvironment() {
  std::map<std::string, std::string> made;
  std::set<std::string> seen;
  const bool has_shell = [&] {
    const Variable* shell = Find("SHELL");
    return shell != nullptr && shell->origin >= Origin::kFile && shell->export_mode == Export::kYes;
  }();
  for (Scope* scope = scope_; scope != nullptr; scope = scope->next) {
    for (const auto& [name, variable] : scope->variables) {
      budget().Step();
      if (is_over_) return {};
      if (!seen.insert(name).second || name == "MAKELEVEL" || name == "MAKEFLAGS" || name == "SHELL") continue;
      Export mode = variable.export_mode;
      if (mode == Export::kDefault) {
        const Variable* global = FindGlobal(name);
        if (global != nullptr) mode = global->export_mode;
      }
      const bool is_from_outside = variable.origin == Origin::kCommandLine || variable.origin == Origin::kEnvironment ||
                                   variable.origin == Origin::kEnvironmentOverride;
      if (mode == Export::kNo) continue;
      if (mode == Export::kDefault && !is_from_outside) {
        if (!exports_all || variable.origin == Origin::kDefault || variable.origin == Origin::kAutomatic) continue;
        if (name == "CURDIR" || name == "MAKEFILE_LIST" || name == "MAKE_RESTARTS") continue;
      }
      if (mode != Export::kYes && !IsExportable(name)) continue;
      made[name] = ValueOf(name);
    }
  }
  NamedValues environment;
  for (const auto& [name, value] : settings_.environment) {
    if (name == "SHELL" && !has_shell) environment.emplace_back(name, value);
  }
  if (has_shell) environment.emplace_back("SHELL", ValueOf("SHELL"));
  for (auto& [name, value] : made) environment.emplace_back(name, std::move(value));
  const Variable* flags = Find("MAKEFLAGS");
  if (flags == nullptr || flags->export_mode != Export::kNo) environment.emplace_back("MAKEFLAGS", ValueOf("MAKEFLAGS"));
  environment.emplace_back("MAKELEVEL", std::to_string(settings_.level + 1));
  return environment;
}

// The options with arguments.
void Session::AddArguments(std::string& flags) const {
  for (const std::string& directory : settings_.include_directories) flags += " -I" + directory;
  if (settings_.has_jobs) flags += settings_.jobs == 0 ? " -j" : " -j" + std::to_string(settings_.jobs);
  if (settings_.most_load >= 0) {
    std::array<char, 32> load;
    flags += std::string(" -l") + std::string(load.data(), std::to_chars(load.data(), load.data() + load.size(), settings_.most_load, std::chars_format::general, 6).ptr);
  }
  switch (settings_.sync) {
    case Settings::Sync::kNotAsked: break;
    case Settings::Sync::kNone: flags += " -Onone"; break;
    case Settings::Sync::kLine: flags += " -Oline"; break;
    case Settings::Sync::kTarget: flags += " -Otarget"; break;
    case Settings::Sync::kRecurse: flags += " -Orecurse"; break;
  }
  for (const std::string& level : settings_.debug_levels) flags += " --debug=" + level;
  if (settings_.jobserver) flags += " --jobserver-auth=" + *settings_.jobserver;
}

std::string Session::MakeFlags(bool is_all) {
  std::string letters;
  const auto add = [&](bool is_set, char letter) {
    if (is_set) letters += letter;
  };
  add(settings_.always_makes, 'B');
  add(settings_.environment_wins, 'e');
  add(settings_.ignores_errors, 'i');
  add(settings_.keeps_going, 'k');
  add(settings_.just_print, 'n');
  add(settings_.prints_data_base, 'p');
  add(settings_.asks, 'q');
  add(settings_.has_no_rules, 'r');
  add(settings_.has_no_variables, 'R');
  add(settings_.is_silent, 's');
  add(settings_.touches, 't');
  add(settings_.prints_directory, 'w');
  std::string flags = letters;
  if (is_all) AddArguments(flags);
  if (settings_.traces) flags += " --trace";
  if (settings_.never_prints_directory) flags += " --no-print-directory";
  if (settings_.warns_undefined) flags += " --warn-undefined-variables";
  for (const std::string& text : settings_.evals) {
    flags += " --eval=";
    AddQuoted(flags, text);
  }
  if (is_all && !settings_.assignments.empty()) flags += " -- $(MAKEOVERRIDES)";
  return flags;
}

std::string Session::Overrides() {
  // Each name once, with what came of all its assignments; the first comes last.
  std::vector<std::string> words;
  std::set<std::string> seen;
  for (const std::string& assignment : settings_.assignments) {
    const std::string name(Trim(Expand(ParseAssignment(assignment).name)));
    const Variable* const variable = FindGlobal(name);
    if (variable == nullptr || !seen.insert(name).second) continue;
    AddQuoted(words.emplace_back(), name + (variable->is_recursive ? "=" : ":=") + variable->value);
  }
  std::string flags;
  for (auto it = words.rbegin(); it != words.rend(); ++it) flags += (flags.empty() ? "" : " ") + *it;
  return flags;
}

std::string Session::ShellOutput(std::string_view command, bool trims_all) {
  if (is_over_) return {};
  ChildLine line;
  line.args = CommandWords(command, false);
  if (line.args.empty()) return {};
  line.environment = settings_.environment;
  const std::string name = line.args[0];
  auto output = host_.Capture(line);
  if (!output) {
    host_.Err(Prefix() + name + ": " + std::string(output.error().Text()) + "\n");
    Set(globals_, ".SHELLSTATUS", "127", Origin::kOverride, false);
    return {};
  }
  Set(globals_, ".SHELLSTATUS", std::to_string(output->second), Origin::kOverride, false);
  std::string text = std::move(output->first);
  size_t end = text.size();
  while (end > 0 && text[end - 1] == '\n') {
    --end;
    if (!trims_all) break;
  }
  text.resize(end);
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

}  // namespace paddock::make
