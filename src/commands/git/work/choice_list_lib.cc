// The parts of menus that are the same in all of them: reading answers and telling what they name.
#include "commands/git/work/choice_list.h"

namespace paddock::git {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

// The number at the beginning, which is taken away; nothing if there is none. Huge ones end at the largest.
std::optional<size_t> TakeNumber(std::string_view& text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  size_t value = 0;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; text.remove_prefix(1)) value = value > SIZE_MAX / 20 ? SIZE_MAX / 20 : value * 10 + static_cast<size_t>(text[0] - '0');
  return value;
}

}  // namespace

std::optional<std::string> ReadAnswer(Git& git, std::string_view prompt) {
  git.in.budget.Step(16);
  git.Print(prompt);
  git.in.out.Flush();
  const auto line = git.in.in.ReadLine();
  if (!line) return std::nullopt;
  std::string_view text = line->text;
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return std::string();
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) + 1 - first));
}

std::string_view ChoiceHelp(bool is_single) {
  return is_single ? "Prompt help:\n1          - select a numbered item\nfoo        - select item based on unique prefix\n           - (empty) select nothing\n"
                   : "Prompt help:\n1          - select a single item\n3-5        - select a range of items\n2-3,6-9    - select multiple ranges\n"
                     "foo        - select item based on unique prefix\n-...       - unselect specified items\n*          - choose all items\n           - (empty) finish selecting\n";
}

ChoiceRange ParseChoice(std::string_view word, size_t count) {
  ChoiceRange range;
  if (word.starts_with('-')) {
    range.takes = false;
    word.remove_prefix(1);
  }
  range.name = word;
  if (word == "*") {
    range.first = 1;
    range.last = count;
    return range;
  }
  const auto first = TakeNumber(word);
  if (!first) return range;
  std::optional<size_t> last = first;
  if (word.starts_with('-')) {
    word.remove_prefix(1);
    last = word.empty() ? count : TakeNumber(word);
  }
  if (!last || !word.empty()) return range;
  range.first = *first;
  range.last = *last;
  return range;
}

std::vector<std::string_view> ChoiceWords(std::string_view answer) {
  std::vector<std::string_view> words;
  while (!answer.empty()) {
    const size_t end = std::min(answer.find_first_of(" \t\r\n,"), answer.size());
    if (end > 0) words.push_back(answer.substr(0, end));
    answer.remove_prefix(std::min(end + 1, answer.size()));
  }
  return words;
}

}  // namespace paddock::git
