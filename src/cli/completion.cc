// paddock completion: what a shell's Tab key completes. The shells' parts are small: they ask 'paddock completion --answer' each time.

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <set>
#include <utility>

#include "cli/client/completion_names.h"
#include "cli/completion_words.h"
#include "cli/manual.h"

namespace paddock::cli {
namespace {

struct CompletionOptions {
  std::string answer;
};
constexpr Option kOptions[] = {
    Value<&CompletionOptions::answer>(0, "answer", "SHELL", "what that script asks: print how the words behind -- may go on"),
};

constexpr const char* kHelp =
    "Usage: paddock completion bash|zsh|fish\n"
    "Prints a script that lets Tab complete subcommands, options, files, and what is on the daemon: names of sandboxes,\n"
    "snapshots, sessions, and files in sandboxes. For bash: eval \"$(paddock completion bash)\" in ~/.bashrc; for\n"
    "zsh the same in ~/.zshrc behind compinit; for fish: paddock completion fish > ~/.config/fish/completions/paddock.fish\n\n";
constexpr const char* kHelpEnd = "\nExit status: 0, 2 for a usage error.\n";

constexpr const char* kBash = R"SH(_paddock() {
  local IFS=$'\n' cur=${COMP_WORDS[COMP_CWORD]} answer
  answer=($("${COMP_WORDS[0]/#\~/$HOME}" completion --answer=bash -- "${COMP_LINE:0:COMP_POINT}" 2>/dev/null </dev/null))
  COMPREPLY=("${answer[@]:1}")
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=/] ]] && compopt -o nospace
  [[ $cur == [=:] ]] && cur=
  case ${answer[0]} in
    files) compopt -o filenames; COMPREPLY+=($(compgen -f -- "$cur")) ;;
    directories) compopt -o filenames; COMPREPLY+=($(compgen -d -- "$cur")) ;;
  esac
}
complete -F _paddock paddock
)SH";

constexpr const char* kZsh = R"SH(#compdef paddock
_paddock() {
  local -a answer whole open
  local line
  answer=("${(@f)$(${(Q)words[1]} completion --answer=zsh -- "${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}")
  for line in "${(@)answer[2,-1]}"; do
    if [[ $line == *[:=/] ]]; then open+=("$line"); elif [[ -n $line ]]; then whole+=("$line"); fi
  done
  (( $#whole )) && compadd -a whole
  (( $#open )) && compadd -S '' -a open
  case $answer[1] in
    files) [[ ${words[CURRENT]} == --*=* ]] && compset -P '*='; _files ;;
    directories) [[ ${words[CURRENT]} == --*=* ]] && compset -P '*='; _files -/ ;;
  esac
}
if [ "$funcstack[1]" = "_paddock" ]; then _paddock "$@"; else compdef _paddock paddock; fi
)SH";

constexpr const char* kFish = R"SH(function __paddock_answer
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  set -l answer ($words[1] completion --answer=fish -- $words[2..-1] "$current" 2>/dev/null </dev/null)
  test (count $answer) -gt 1; and printf '%s\n' $answer[2..-1]
  switch "$answer[1]"
    case files directories
      __fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current")
  end
end
complete -c paddock -f -a '(__paddock_answer)'
)SH";

bool TakesValue(const ManualPage& page, const std::string& word) {
  return std::any_of(page.options.begin(), page.options.end(), [&](const ManualOption& option) {
    return !option.value.empty() && (word.size() == 2 ? word == std::string("-") + option.short_name : word == "--" + option.long_name);
  });
}

// Of one line of the usage: what may stand where.
std::vector<std::string> PlacesOf(const ManualPage& page, const std::string& usage) {
  std::vector<std::string> words;
  bool is_value = false;   // of "-c SCRIPT"
  for (size_t at = 0; at < usage.size();) {
    const size_t end = std::min(usage.find(' ', at), usage.size());
    const std::string word = usage.substr(at, end - at);
    at = end + 1;
    if (std::exchange(is_value, TakesValue(page, word)) || word.starts_with("[-") || word.starts_with("[OPTION") || word.starts_with('-') || word.empty()) continue;
    if (word == "<") break;
    words.push_back(word);
  }
  words.erase(words.begin(), words.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(words.size())));   // paddock SUBCOMMAND
  return words;
}

bool IsLiteral(const std::string& place) {
  return !place.empty() && std::all_of(place.begin(), place.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '|'; });
}

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (size_t from = 0; from <= text.size();) {
    const size_t end = std::min(text.find(at, from), text.size());
    parts.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

// What may stand behind these operands.
std::set<std::string> PlacesBehind(const ManualPage& page, const std::vector<std::string>& operands) {
  std::set<std::string> found;
  for (const std::string& usage : page.usages) {
    const std::vector<std::string> places = PlacesOf(page, usage);
    size_t at = 0;
    bool fits = true;
    for (const std::string& operand : operands) {
      if (at >= places.size()) fits = false;
      if (!fits) break;
      if (IsLiteral(places[at])) {
        const auto words = Split(places[at], '|');
        fits = std::find(words.begin(), words.end(), operand) != words.end();
      }
      if (places[at].find("...") == std::string::npos) ++at;
    }
    if (fits && at < places.size()) found.insert(places[at]);
  }
  return found;
}

class Answer {
 public:
  Answer(const sandbox::DriverSet& drivers, std::vector<std::string> words) : drivers_(drivers), words_(std::move(words)), current_(words_.back()) { words_.pop_back(); }

  // The words so far are `words`, the last one begun.
  void Find() {
    if (words_.empty()) {
      for (const SubcommandGroup& group : SubcommandGroups()) {
        for (const Subcommand& subcommand : group.subcommands) Offer(subcommand.name);
      }
      if (current_.starts_with('-')) Offer("--help"), Offer("--version");
      return;
    }
    for (const SubcommandGroup& group : SubcommandGroups()) {
      for (const Subcommand& subcommand : group.subcommands) {
        if (words_[0] != subcommand.name) continue;
        if (auto page = PageOf(drivers_, subcommand)) FindIn(*page);
        return;
      }
    }
  }

  const std::set<std::string>& found() const { return found_; }
  const char* rest() const { return rest_; }
  const std::string& current() const { return current_; }

 private:
  void Offer(const std::string& word) {
    if (word.starts_with(current_)) found_.insert(word);
  }

  void FindIn(const ManualPage& page) {
    std::vector<std::string> operands;
    LinkOptions link;
    const ManualOption* waiting = nullptr;   // for its value
    bool is_rest = false;
    const auto take = [&](const ManualOption& option, const std::string& value) {
      if (option.long_name == "server") link.server = value;
      if (option.long_name == "key-file") link.key_file = value;
      if (option.long_name == "ca-file") link.ca_file = value;
    };
    for (size_t i = 1; i < words_.size(); ++i) {
      const std::string& word = words_[i];
      if (waiting != nullptr) {
        take(*waiting, word);
        waiting = nullptr;
      } else if (is_rest || word == "-" || !word.starts_with('-')) {
        operands.push_back(word);
      } else if (word == "--") {
        is_rest = true;
      } else if (const ManualOption* option = OptionOf(page, word); option != nullptr && !option->value.empty()) {
        const size_t equals = word.find('=');
        if (word.starts_with("--") && equals != std::string::npos) take(*option, word.substr(equals + 1));
        else if (!word.starts_with("--") && word.size() > 2) take(*option, word.substr(2));
        else if (!option->is_optional) waiting = option;
      }
    }
    names_.emplace(link);
    if (waiting != nullptr) return Complete({waiting->value}, operands);
    const size_t equals = current_.find('=');
    if (!is_rest && current_.starts_with("--") && equals != std::string::npos) {
      if (const ManualOption* option = OptionOf(page, current_); option != nullptr && !option->value.empty()) {
        const std::string head = current_.substr(0, equals + 1);
        current_.erase(0, equals + 1);
        Complete({option->value}, operands);
        std::set<std::string> whole;
        for (const std::string& word : found_) whole.insert(head + word);
        found_ = std::move(whole);
        current_ = head + current_;
      }
      return;
    }
    if (!is_rest && current_.starts_with('-')) {
      for (const ManualOption& option : page.options) {
        if (!option.long_name.empty()) Offer("--" + option.long_name + (option.value.empty() || option.is_optional ? "" : "="));
        else Offer(std::string("-") + option.short_name);
      }
      return Offer("--help");
    }
    Complete(PlacesBehind(page, operands), operands);
  }

  // -x, -xVALUE, a bundle that ends with x, --long, --long=VALUE.
  static const ManualOption* OptionOf(const ManualPage& page, const std::string& word) {
    for (const ManualOption& option : page.options) {
      if (word.starts_with("--")) {
        if (option.long_name == word.substr(2, std::min(word.find('='), word.size()) - 2)) return &option;
      } else if (option.short_name == word[1] && (word.size() == 2 || !option.value.empty())) {
        return &option;
      }
    }
    if (!word.starts_with("--")) {
      for (const ManualOption& option : page.options) {
        if (option.short_name == word.back() && word.size() > 2) return &option;
      }
    }
    return nullptr;
  }

  void Complete(const std::set<std::string>& places, const std::vector<std::string>& operands) {
    for (std::string place : places) {
      if (IsLiteral(place)) {
        for (const std::string& word : Split(place, '|')) Offer(word);
        continue;
      }
      std::erase_if(place, [](char c) { return c == '[' || c == ']' || c == '.' || c == '\''; });
      const size_t colon = place.find(':');
      const std::string name = place.substr(0, colon);
      static const std::set<std::string> kFiles = {"FILE", "SOURCE", "TARGET", "PATH", "SCRIPT", "COMMAND", "ARGUMENT", "ARG", "ARCHIVE"};
      for (const std::string& kind : Split(name, '|')) {
        if (kFiles.contains(kind) && colon == std::string::npos) rest_ = "files";
        else if (kind == "DIR" && colon == std::string::npos && *rest_ == 'n') rest_ = "directories";
        else if (kind == "PROCESS") OfferAll(names_->Processes(operands.empty() ? "" : operands[0]), "");
        else if (kind == "SANDBOX" && colon != std::string::npos && current_.find(':') != std::string::npos) OfferAll(names_->Files(current_), "");
        else OfferAll(names_->Of(kind), colon == std::string::npos ? "" : ":");
      }
    }
  }
  void OfferAll(const std::vector<std::string>& names, const std::string& end) {
    for (const std::string& name : names) Offer(name + end);
  }

  const sandbox::DriverSet& drivers_;
  std::vector<std::string> words_;
  std::string current_;
  std::optional<CompletionNames> names_;
  std::set<std::string> found_;
  const char* rest_ = "nothing";
};

int Print(const sandbox::DriverSet& drivers, const std::string& shell, std::vector<std::string> words) {
  // A daemon that does not answer holds nobody up.
  std::signal(SIGALRM, [](int) { _exit(0); });
  alarm(2);
  if (shell == "bash") {
    words = words.empty() ? std::vector<std::string>() : WordsOfLine(words[0]);
    if (!words.empty()) words.erase(words.begin());
  }
  if (words.empty()) words.emplace_back();
  Answer answer(drivers, std::move(words));
  answer.Find();
  // Bash replaces what stands behind the last ':' or '=' of a word.
  const std::string& current = answer.current();
  const size_t mark = current.find_last_of(":=");
  const size_t cut = shell == "bash" && mark != std::string::npos ? mark + 1 : 0;
  std::printf("%s\n", answer.rest());
  for (const std::string& word : answer.found()) {
    if (IsPlainWord(word)) std::printf("%s\n", word.substr(cut).c_str());
  }
  return 0;
}

}  // namespace

int RunCompletion(const sandbox::DriverSet& drivers, std::span<const std::string> args) {
  std::vector<std::string> own = {"completion"};
  own.insert(own.end(), args.begin(), args.end());
  CompletionOptions options;
  auto parsed = ParseOptions(own, kOptions, &options, {.stop_at_operand = true});
  if (!parsed) return Fail("completion", std::string(parsed.error().Text()) + "; 'paddock completion --help' explains it");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions) + kHelpEnd).c_str(), stdout);
    return 0;
  }
  const std::pair<const char*, const char*> scripts[] = {{"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};
  const std::string wanted = !options.answer.empty() ? options.answer : parsed->operands.size() == 1 ? parsed->operands[0] : "";
  for (const auto& [shell, script] : scripts) {
    if (wanted != shell) continue;
    if (!options.answer.empty()) return Print(drivers, shell, std::move(parsed->operands));
    std::fputs(script, stdout);
    return 0;
  }
  return Fail("completion", "name a shell: bash, zsh or fish");
}

}  // namespace paddock::cli
