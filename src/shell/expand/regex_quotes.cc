#include "shell/expand/regex_quotes.h"

namespace paddock::shell {
namespace {

constexpr std::string_view kSpecial = ".[\\()*+?{|^$";

// Takes "[:alpha:]" and its like, which starts at text[at], without its marks; where it ends, or 0 if it does not.
size_t TakeClass(std::string_view text, size_t at, std::string* out) {
  const char kind = text[at + 1];
  std::string taken = {'[', kind};
  for (size_t i = at + 2; i < text.size(); ++i) {
    if (text[i] == kRegexQuote) continue;
    taken += text[i];
    if (text[i] == kind && i + 1 < text.size() && text[i + 1] == ']') {
      out->append(taken).append("]");
      return i + 2;
    }
  }
  return 0;
}

// Takes the bracket expression that starts at text[at]; where it ends, or 0 if it does not.
size_t TakeBracket(std::string_view text, size_t at, std::string* out) {
  std::string taken = "[";
  size_t i = at + 1;
  if (i < text.size() && text[i] == '^') taken += text[i++];
  if (i < text.size() && text[i] == ']') taken += text[i++];
  std::string kinds = ":=.";   // of classes that may still end: where one did not, no later one does
  while (i < text.size()) {
    if (text[i] == ']') {
      out->append(taken).append("]");
      return i + 1;
    }
    if (text[i] == '[' && i + 1 < text.size() && kinds.find(text[i + 1]) != std::string::npos) {
      if (const size_t end = TakeClass(text, i, &taken); end != 0) {
        i = end;
        continue;
      }
      kinds.erase(kinds.find(text[i + 1]), 1);
    }
    if (text[i] == kRegexQuote) ++i;
    if (i < text.size()) taken += text[i++];
  }
  return 0;
}

}  // namespace

std::string RegexOfMarked(std::string_view marked) {
  std::string regex;
  // An expression that does not end is text, and so are all that come after it: none of them ends either.
  bool has_brackets = true;
  for (size_t i = 0; i < marked.size();) {
    if (marked[i] == kRegexQuote && i + 1 < marked.size()) {
      if (kSpecial.find(marked[i + 1]) != std::string_view::npos) regex += '\\';
      regex += marked[i + 1];
      i += 2;
    } else if (marked[i] == '\\' && i + 1 < marked.size() && marked[i + 1] != kRegexQuote) {
      regex.append(marked.substr(i, 2));
      i += 2;
    } else if (marked[i] == '[' && has_brackets) {
      const size_t end = TakeBracket(marked, i, &regex);
      has_brackets = end != 0;
      if (end == 0) regex += marked[i];
      i = end != 0 ? end : i + 1;
    } else {
      regex += marked[i++];
    }
  }
  return regex;
}

}  // namespace paddock::shell
