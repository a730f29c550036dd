#include "cli/completion_words.h"

#include <algorithm>

namespace paddock::cli {

std::vector<std::string> WordsOfLine(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool has_word = false;
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
      has_word = true;
    } else if (quote != 0) {
      word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      has_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (has_word) words.push_back(std::move(word));
      word.clear();
      has_word = false;
    } else if (c == ';' || c == '|' || c == '&') {
      words.clear();
      word.clear();
      has_word = false;
    } else {
      word += c;
      has_word = true;
    }
  }
  words.push_back(std::move(word));
  return words;
}

bool IsPlainWord(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("-_./:=,+@%").find(c) != std::string_view::npos;
  });
}

}  // namespace paddock::cli
