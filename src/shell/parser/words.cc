// Words: quoting, literal text, extended patterns and regex text.
#include <algorithm>

#include "shell/parser/characters.h"
#include "shell/parser/lexer.h"

namespace paddock::shell {
namespace {

using Kind = WordPart::Kind;

bool IsExtglobPrefix(char c) { return c == '?' || c == '*' || c == '+' || c == '@' || c == '!'; }

// Follows the unquoted text of a word through its parts.
struct UnquotedScan {
  bool is_active = false;         // may expand to something else
  bool has_bracket = false;
  bool has_brace = false;
  bool has_comma = false;         // or ".." inside a brace
  bool has_braces = false;
  char last = '\0';
  bool is_start = true;

  void Feed(std::string_view text) {
    for (const char c : text) {
      switch (c) {
        case '*': case '?': is_active = true; break;
        case '[': has_bracket = true; break;
        case ']': is_active = is_active || has_bracket; break;
        case '~': is_active = is_active || is_start || last == ':' || last == '='; break;
        case '{': has_brace = true; break;
        case ',': has_comma = has_comma || has_brace; break;
        case '.': has_comma = has_comma || (has_brace && last == '.'); break;
        case '}': has_braces = has_braces || has_comma; break;
        default: break;
      }
      last = c;
      is_start = false;
    }
  }
  void Skip() {
    last = '\0';
    is_start = false;
  }
};

void ScanParts(const std::vector<WordPart>& parts, UnquotedScan& scan, Word& word) {
  for (const WordPart& part : parts) {
    switch (part.kind) {
      case Kind::kLiteral:
        scan.Feed(part.text);
        break;
      case Kind::kQuoted:
        word.has_quotes = true;
        scan.Skip();
        break;
      case Kind::kDoubleQuoted:
        word.has_quotes = true;
        scan.is_active = scan.is_active || std::any_of(part.parts.begin(), part.parts.end(),
                                                       [](const WordPart& inner) {
                                                         return inner.kind != Kind::kQuoted;
                                                       });
        scan.Skip();
        break;
      case Kind::kExtglob:
        scan.is_active = true;
        ScanParts(part.parts, scan, word);
        break;
      default:
        scan.is_active = true;
        scan.Skip();
        break;
    }
  }
}

}  // namespace

void AppendText(std::vector<WordPart>& parts, WordPart::Kind kind, std::string_view text) {
  if (!parts.empty() && parts.back().kind == kind) {
    parts.back().text.append(text);
  } else {
    parts.emplace_back(kind, std::string(text));
  }
}

void ClassifyWord(Word& word) {
  UnquotedScan scan;
  ScanParts(word.parts, scan, word);
  word.has_braces = scan.has_braces;
  word.is_plain = !scan.is_active && !scan.has_braces;
  if (!word.is_plain) return;
  for (const WordPart& part : word.parts) {
    word.plain += part.text;
    for (const WordPart& inner : part.parts) word.plain += inner.text;
  }
}

std::string RemoveQuotes(std::string_view source) {
  std::string text;
  char quote = '\0';
  for (size_t i = 0; i < source.size(); ++i) {
    const char c = source[i];
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (c == '\\' && quote != '\'' && i + 1 < source.size() &&
               (quote == '\0' || std::string_view("$`\"\\\n").find(source[i + 1]) != std::string_view::npos)) {
      text += source[++i];
    } else {
      text += c;
    }
  }
  return text;
}

std::string Lexer::EditedSource(size_t begin, size_t end, size_t first_edit) {
  if (first_edit == edits_.size()) return std::string(source_.Slice(begin, end));
  std::string text;
  for (size_t i = first_edit; i < edits_.size(); ++i) {
    const Edit& edit = edits_[i];
    if (edit.begin < begin) continue;
    if (edit.end > end) break;
    text.append(source_.Slice(begin, edit.begin));
    text.append(edit.text);
    begin = edit.end;
  }
  return text.append(source_.Slice(begin, end));
}

void Lexer::FinishWord(Word& word, size_t begin, size_t first_edit) {
  word.source = EditedSource(begin, source_.pos(), first_edit);
  ClassifyWord(word);
}

// The end of the run of characters that mean themselves here.
size_t Lexer::LiteralEnd(const Context& context) {
  const std::string_view text = source_.text();
  const bool is_token = context.closer == '\0' && !context.is_everything;
  const int stops = is_token ? kMetaChar | kQuoteChar : kQuoteChar;
  size_t end = source_.pos();
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (HasBit(c, stops)) break;
    if (is_token) {
      if (context.is_extglob && IsExtglobPrefix(c) && end + 1 < text.size() && text[end + 1] == '(') break;
      continue;
    }
    if (context.closer != '\0' && (c == context.closer || c == context.second_closer)) break;
    if (c == '(' || c == '<' || c == '>' || (c == '[' && context.closer == ']')) break;
    if (context.is_extglob && IsExtglobPrefix(c)) break;
  }
  return end;
}

bool Lexer::ReadUnquoted(std::vector<WordPart>& parts, const Context& context) {
  const bool is_token = context.closer == '\0' && !context.is_everything;
  while (!source_.AtEnd()) {
    const char c = source_.Peek();
    if (context.closer != '\0' && (c == context.closer || c == context.second_closer)) return true;
    const char next = HasBit(c, kQuoteChar | kMetaChar | kActiveChar) || IsExtglobPrefix(c) ? source_.Peek(1) : '\0';
    bool is_ok = true;
    if (c == '\\') {
      if (next == '\n') {
        edits_.push_back({source_.pos(), source_.pos() + 2, {}});
        source_.Advance(2);
        continue;
      }
      source_.Advance();
      if (source_.AtEnd()) {
        AppendText(parts, Kind::kQuoted, "\\");
      } else {
        AppendText(parts, Kind::kQuoted, source_.Slice(source_.pos(), source_.pos() + 1));
        source_.Advance();
      }
    } else if (c == '\'') {
      is_ok = ReadSingleQuoted(parts);
    } else if (c == '"') {
      is_ok = ReadDoubleQuoted(parts);
    } else if (c == '$') {
      is_ok = ReadDollar(parts, false, nullptr);
    } else if (c == '`') {
      is_ok = ReadBackquoted(parts, false);
    } else if ((c == '<' || c == '>') && next == '(' && (is_token || context.closer == '}')) {
      is_ok = ReadProcess(parts);
    } else if (context.is_extglob && next == '(' && IsExtglobPrefix(c)) {
      is_ok = ReadExtglob(parts, context);
    } else if (c == '(' && (context.is_regex || context.closer == ')')) {
      is_ok = ReadGroup(parts, context, ')');
    } else if (c == '[' && context.closer == ']') {
      is_ok = ReadGroup(parts, context, ']');
    } else if (is_token && HasBit(c, kMetaChar) && !(context.is_regex && c == '|')) {
      return true;
    } else {
      const size_t begin = source_.pos();
      source_.Advance();
      source_.set_pos(std::max(source_.pos(), LiteralEnd(context)));
      AppendText(parts, Kind::kLiteral, source_.Slice(begin, source_.pos()));
      budget_.Step(static_cast<int64_t>((source_.pos() - begin) / 32));
    }
    if (!is_ok) return false;
  }
  return context.closer == '\0' || FailUnmatched(context.closer, context.opened_at);
}

// "(…)" or "[…]" in which blanks and operators are ordinary text.
bool Lexer::ReadGroup(std::vector<WordPart>& parts, const Context& context, char closer) {
  const Depth depth(*this);
  Context inside = context;
  inside.closer = closer;
  inside.second_closer = '\0';
  inside.opened_at = source_.pos();
  AppendText(parts, Kind::kLiteral, source_.Slice(source_.pos(), source_.pos() + 1));
  source_.Advance();
  if (!ReadUnquoted(parts, inside)) return false;
  AppendText(parts, Kind::kLiteral, std::string_view(&closer, 1));
  source_.Advance();
  return true;
}

bool Lexer::ReadExtglob(std::vector<WordPart>& parts, const Context& context) {
  const Depth depth(*this);
  Context inside = context;
  inside.closer = ')';
  inside.second_closer = '\0';
  inside.opened_at = source_.pos() + 1;
  WordPart part(Kind::kExtglob, std::string(source_.Slice(source_.pos(), source_.pos() + 2)));
  source_.Advance(2);
  if (!ReadUnquoted(part.parts, inside)) return false;
  source_.Advance();
  AppendText(part.parts, Kind::kLiteral, ")");
  parts.push_back(std::move(part));
  return true;
}

bool Lexer::ReadSingleQuoted(std::vector<WordPart>& parts) {
  const size_t opened_at = source_.pos();
  source_.Advance();
  const size_t begin = source_.pos();
  while (!source_.AtEnd()) {
    const size_t end = source_.text().find('\'', source_.pos());
    if (end == std::string_view::npos) {
      source_.set_pos(source_.text().size());
      continue;
    }
    AppendText(parts, Kind::kQuoted, source_.Slice(begin, end));
    budget_.Step(static_cast<int64_t>((end - begin) / 32));
    source_.set_pos(end + 1);
    return true;
  }
  return FailUnmatched('\'', opened_at);
}

// $'…': decoded here, so that every later reader sees plain quoted text.
bool Lexer::ReadAnsiC(std::vector<WordPart>& parts) {
  const size_t opened_at = source_.pos();
  source_.Advance(2);
  const size_t begin = source_.pos();
  while (!source_.AtEnd()) {
    const char c = source_.Peek();
    if (c == '\\') {
      source_.Advance();
      if (!source_.AtEnd()) source_.Advance();
    } else if (c == '\'') {
      const std::string decoded = DecodeAnsiC(source_.Slice(begin, source_.pos()));
      AppendText(parts, Kind::kQuoted, decoded);
      source_.Advance();
      std::string quoted = "'";
      for (const char byte : decoded) {
        if (byte == '\'') {
          quoted += "'\\''";
        } else {
          quoted += byte;
        }
      }
      edits_.push_back({opened_at, source_.pos(), quoted + "'"});
      return true;
    } else {
      source_.Advance();
    }
  }
  return FailUnmatched('\'', opened_at);
}

bool Lexer::ReadDoubleQuoted(std::vector<WordPart>& parts) {
  const Depth depth(*this);
  QuotedContext context;
  context.opened_at = source_.pos();
  WordPart part(Kind::kDoubleQuoted);
  source_.Advance();
  if (!ReadQuoted(part.parts, context)) return false;
  source_.Advance();
  parts.push_back(std::move(part));
  return true;
}

bool Lexer::ReadAllQuoted(Word& word, bool is_here_document) {
  QuotedContext context;
  context.closer = '\0';
  context.is_quote_special = !is_here_document;
  WordPart part(Kind::kDoubleQuoted);
  if (!ReadQuoted(part.parts, context)) return false;
  word.parts.push_back(std::move(part));
  FinishWord(word, 0, 0);
  return true;
}

bool Lexer::ReadAllUnquoted(Word& word) {
  Context context;
  context.is_everything = true;
  context.is_extglob = options_.extglob;
  if (!ReadUnquoted(word.parts, context)) return false;
  FinishWord(word, 0, 0);
  return true;
}

bool Lexer::ReadQuoted(std::vector<WordPart>& parts, const QuotedContext& context) {
  bool is_single = false;    // between single quotes of an operand: they are text, but hide a `}`
  bool is_nested = false;    // between double quotes of an operand
  size_t inner_at = 0;
  while (!source_.AtEnd()) {
    const char c = source_.Peek();
    if (c == context.closer && context.closer != '\0' && !(context.is_operand && (is_single || is_nested))) {
      return true;
    }
    if (c == '\\') {
      const char next = source_.Peek(1);
      if (next == '\n') {
        edits_.push_back({source_.pos(), source_.pos() + 2, {}});
        source_.Advance(2);
        continue;
      }
      const bool is_escape = next == '$' || next == '`' || next == '\\' ||
                             (next == '"' && (context.is_quote_special || context.is_operand)) ||
                             (context.is_operand && (next == '}' || (is_nested && next != '\0')));
      if (is_escape) source_.Advance();
      // A quote behind a backslash does not begin what single quotes hide.
      const size_t length = !is_escape && context.is_operand && next == '\'' ? 2 : 1;
      AppendText(parts, Kind::kQuoted, source_.Slice(source_.pos(), source_.pos() + length));
      source_.Advance(length);
    } else if (c == '$') {
      if (!ReadDollar(parts, true, &context)) return false;
    } else if (c == '`') {
      if (!ReadBackquoted(parts, true)) return false;
    } else if (context.is_operand && c == '"') {
      // Taken away; between single quotes it does not even pair.
      if (!is_single) {
        is_nested = !is_nested;
        inner_at = source_.pos();
      }
      source_.Advance();
    } else {
      if (context.is_operand && c == '\'' && !is_nested && !options_.posix) {
        is_single = !is_single;
        inner_at = source_.pos();
      }
      const size_t begin = source_.pos();
      size_t end = begin + 1;
      const std::string_view text = source_.text();
      const auto is_ordinary = [&context](char byte) {
        return byte != '\\' && byte != '$' && byte != '`' && byte != '"' && byte != context.closer &&
               (byte != '\'' || !context.is_operand);
      };
      while (end < text.size() && is_ordinary(text[end])) ++end;
      AppendText(parts, Kind::kQuoted, text.substr(begin, end - begin));
      budget_.Step(static_cast<int64_t>((end - begin) / 32));
      source_.set_pos(end);
    }
  }
  if (is_single || is_nested) return FailUnmatched(is_single ? '\'' : '"', inner_at);
  return context.closer == '\0' || FailUnmatched(context.closer, context.opened_at);
}

}  // namespace paddock::shell
