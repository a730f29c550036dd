#include "shell/interactive/command_site.h"

#include <algorithm>

#include "shell/builtins/lookup.h"
#include "shell/state/name.h"

namespace paddock::shell {
namespace {

constexpr std::string_view kSeparators = ";|&()\n";

// Words behind which another command word comes.
bool IsPrefixWord(std::string_view word) {
  static constexpr std::string_view kPrefixes[] = {"command", "builtin", "exec", "env", "nohup", "xargs", "time"};
  return IsReservedWord(word) ? word != "in" && word != "for" && word != "case" && word != "select" && word != "function"
                              : std::find(std::begin(kPrefixes), std::end(kPrefixes), word) != std::end(kPrefixes);
}

bool IsAssignmentWord(std::string_view word) {
  const size_t equals = word.find('=');
  return equals != std::string_view::npos && IsName(word.substr(0, equals));
}

class Reader {
 public:
  explicit Reader(std::string_view line) : line_(line) {}

  CommandSite Read() {
    for (at_ = 0; at_ < line_.size(); ++at_) Take(line_[at_]);
    CommandSite site = std::move(now_.site);
    site.begin = now_.in_word ? now_.word_begin : line_.size();
    site.text = std::move(now_.word);
    site.quote = now_.quote;
    site.is_command = site.words.empty() && !site.is_target;
    FindVariable(site);
    return site;
  }

 private:
  // The reading of one command; those around a $( are kept for its end.
  struct State {
    CommandSite site;
    std::string word;
    size_t word_begin = 0;
    bool in_word = false;
    char quote = 0;
  };

  void Take(char c) {
    if (now_.quote == '\'') {
      if (c == '\'') now_.quote = 0;
      else now_.word += c;
      return;
    }
    if (c == '\\' && at_ + 1 < line_.size()) {
      Begin();
      const char next = line_[++at_];
      if (now_.quote == '"' && std::string_view("$`\"\\").find(next) == std::string_view::npos) now_.word += c;
      now_.word += next;
    } else if (c == '$' && at_ + 1 < line_.size() && line_[at_ + 1] == '(') {
      Begin();
      ++at_;
      outer_.push_back(std::move(now_));
      now_ = State{};
    } else if (c == ')' && now_.quote == 0 && !outer_.empty()) {
      now_ = std::move(outer_.back());
      outer_.pop_back();
    } else if (now_.quote == '"') {
      if (c == '"') now_.quote = 0;
      else now_.word += c;
    } else {
      TakeUnquoted(c);
    }
  }

  void TakeUnquoted(char c) {
    if (c == '\'' || c == '"') {
      Begin();
      now_.quote = c;
    } else if (c == ' ' || c == '\t') {
      EndWord();
    } else if (kSeparators.find(c) != std::string_view::npos || c == '`') {
      now_ = State{};
    } else if (c == '<' || c == '>') {
      // A number in front of it is a descriptor.
      if (now_.word.find_first_not_of("0123456789") != std::string::npos) EndWord();
      now_.word.clear();
      now_.in_word = false;
      now_.site.is_target = true;
    } else {
      Begin();
      now_.word += c;
    }
  }

  void Begin() {
    if (now_.in_word) return;
    now_.in_word = true;
    now_.word_begin = at_;
  }

  void EndWord() {
    if (!now_.in_word) return;
    std::string word = std::move(now_.word);
    now_.word.clear();
    now_.in_word = false;
    if (now_.site.is_target) {
      now_.site.is_target = false;
    } else if (!now_.site.words.empty() || !(IsAssignmentWord(word) || IsPrefixWord(word))) {
      now_.site.words.push_back(std::move(word));
    }
  }

  void FindVariable(CommandSite& site) const {
    if (site.quote == '\'') return;
    size_t begin = line_.size();
    while (begin > site.begin && IsNameCharacter(line_[begin - 1])) --begin;
    const bool has_brace = begin > site.begin && line_[begin - 1] == '{';
    const size_t dollar = begin - (has_brace ? 2 : 1);
    if (begin < site.begin + (has_brace ? 2 : 1) || line_[dollar] != '$') return;
    if (dollar > 0 && line_[dollar - 1] == '\\') return;
    site.variable = begin;
    site.has_brace = has_brace;
  }

  static bool IsNameCharacter(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  std::string_view line_;
  size_t at_ = 0;
  State now_;
  std::vector<State> outer_;
};

}  // namespace

CommandSite FindSite(std::string_view line, size_t cursor) { return Reader(line.substr(0, cursor)).Read(); }

}  // namespace paddock::shell
