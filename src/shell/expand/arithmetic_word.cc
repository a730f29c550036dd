// Expressions and subscripts as they are written in scripts: expansions first, then evaluation.

#include "shell/expand/arithmetic.h"
#include "shell/expand/expander.h"
#include "shell/expand/expansion.h"
#include "shell/parser/parser.h"
#include "shell/shell.h"

namespace paddock::shell {
namespace {

constexpr std::string_view kSubscriptSpecial = "[]$`\"'\\~";

// Collects the text and knows whether it is inside a subscript.
class ArithmeticText {
 public:
  ArithmeticText(Shell& shell, std::string* text) : shell_(shell), text_(text) {}

  bool Add(const std::vector<WordPart>& parts) {
    for (const WordPart& part : parts) {
      switch (part.kind) {
        case WordPart::Kind::kLiteral:
        case WordPart::Kind::kQuoted:
          AddSource(part.text);
          break;
        case WordPart::Kind::kDoubleQuoted:
          shell_.budget().CheckStack();
          if (!Add(part.parts)) return false;
          break;
        default:
          if (!AddExpansion(part)) return false;
      }
    }
    return true;
  }

 private:
  void AddSource(std::string_view text) {
    for (const char byte : text) {
      if (byte == '[') ++depth_;
      if (byte == ']' && depth_ > 0) --depth_;
    }
    *text_ += text;
  }

  bool AddExpansion(const WordPart& part) {
    Expansion out(shell_, Expansion::Target::kString);
    if (!out.AddPart(part, {.is_quoted = true})) return false;
    if (depth_ == 0) {
      *text_ += out.text();
      return true;
    }
    for (const char byte : out.text()) {
      if (kSubscriptSpecial.find(byte) != std::string_view::npos) *text_ += '\\';
      *text_ += byte;
    }
    return true;
  }

  Shell& shell_;
  std::string* text_;
  size_t depth_ = 0;
};

// True when `text` has a '$' or '`' that is not behind a backslash or in single quotes.
bool HasExpansions(std::string_view text) {
  bool is_single_quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && !is_single_quoted) {
      ++i;
    } else if (text[i] == '\'') {
      is_single_quoted = !is_single_quoted;
    } else if ((text[i] == '$' || text[i] == '`') && !is_single_quoted) {
      return true;
    }
  }
  return false;
}

std::string RemoveSubscriptQuotes(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    if (byte == '\\' && i + 1 < text.size()) {
      out += text[++i];
    } else if (byte == '\'' && text.find('\'', i + 1) != std::string_view::npos) {
      const size_t end = text.find('\'', i + 1);
      out += text.substr(i + 1, end - i - 1);
      i = end;
    } else if (byte != '"') {
      out += byte;
    }
  }
  return out;
}

}  // namespace

bool ExpandArithmeticText(Shell& shell, const Word& word, std::string* text) {
  if (word.is_plain) {
    *text = word.plain;
    return true;
  }
  text->clear();
  return ArithmeticText(shell, text).Add(word.parts);
}

bool ExpandSubscriptText(Shell& shell, std::string_view text, std::string* value) {
  if (text.find_first_of("$`\"'\\") == std::string_view::npos) {
    *value = text;
    return true;
  }
  if (!HasExpansions(text)) {
    *value = RemoveSubscriptQuotes(text);
    return true;
  }
  shell.budget().CheckStack();
  Result<Word> word = ParseWord(text, shell.parser_options(), shell.budget());
  if (!word) {
    shell.FailExpansion(word.error().Text());
    return false;
  }
  Expansion out(shell, Expansion::Target::kString);
  if (!out.AddWord(*word, {.has_tilde = false})) return false;
  *value = std::move(out.text());
  return true;
}

bool ExpandSubscript(Shell& shell, const Word& subscript, std::string* text) {
  if (subscript.is_plain) {
    *text = subscript.plain;
    return true;
  }
  Expansion out(shell, Expansion::Target::kString);
  if (!out.AddWord(subscript, {.has_tilde = false})) return false;
  *text = std::move(out.text());
  return true;
}

std::optional<int64_t> EvaluateWord(Shell& shell, const Word& word, std::string_view context) {
  if (word.is_plain) return EvaluateText(shell, word.plain, context);
  std::string text;
  if (!ExpandArithmeticText(shell, word, &text)) return std::nullopt;
  return EvaluateText(shell, text, context);
}

}  // namespace paddock::shell
