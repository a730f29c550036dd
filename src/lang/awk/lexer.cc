#include "lang/awk/lexer.h"

#include <algorithm>
#include <iterator>

#include "base/budget.h"
#include "lang/awk/number.h"

namespace paddock::awk {
namespace {

struct Keyword {
  std::string_view name;
  Tok token;
  bool is_posix;
};

constexpr Keyword kKeywords[] = {
    {"BEGIN", Tok::kBegin, true},         {"BEGINFILE", Tok::kBeginFile, false},
    {"END", Tok::kEndRule, true},         {"ENDFILE", Tok::kEndFile, false},
    {"break", Tok::kBreak, true},         {"case", Tok::kCase, false},
    {"continue", Tok::kContinue, true},   {"default", Tok::kDefault, false},
    {"delete", Tok::kDelete, true},       {"do", Tok::kDo, true},
    {"else", Tok::kElse, true},           {"exit", Tok::kExit, true},
    {"for", Tok::kFor, true},             {"func", Tok::kFunction, false},
    {"function", Tok::kFunction, true},   {"getline", Tok::kGetline, true},
    {"if", Tok::kIf, true},               {"in", Tok::kIn, true},
    {"next", Tok::kNext, true},           {"nextfile", Tok::kNextFile, true},
    {"print", Tok::kPrint, true},         {"printf", Tok::kPrintf, true},
    {"return", Tok::kReturn, true},       {"switch", Tok::kSwitch, false},
    {"while", Tok::kWhile, true},
};

// In the order of Builtin.
constexpr BuiltinInfo kBuiltins[] = {
    {"atan2", Builtin::kAtan2, 2, 2, true},
    {"cos", Builtin::kCos, 1, 1, true},
    {"sin", Builtin::kSin, 1, 1, true},
    {"exp", Builtin::kExp, 1, 1, true},
    {"log", Builtin::kLog, 1, 1, true},
    {"sqrt", Builtin::kSqrt, 1, 1, true},
    {"int", Builtin::kInt, 1, 1, true},
    {"rand", Builtin::kRand, 0, 0, true},
    {"srand", Builtin::kSrand, 0, 1, true},
    {"and", Builtin::kAnd, 0, -1, false},
    {"or", Builtin::kOr, 0, -1, false},
    {"xor", Builtin::kXor, 0, -1, false},
    {"compl", Builtin::kCompl, 1, 1, false},
    {"lshift", Builtin::kLshift, 2, 2, false},
    {"rshift", Builtin::kRshift, 2, 2, false},
    {"strtonum", Builtin::kStrtonum, 1, 1, false},
    {"length", Builtin::kLength, 0, 1, true},
    {"substr", Builtin::kSubstr, 2, 3, true},
    {"index", Builtin::kIndex, 2, 2, true},
    {"toupper", Builtin::kToupper, 1, 1, true},
    {"tolower", Builtin::kTolower, 1, 1, true},
    {"sprintf", Builtin::kSprintf, 0, -1, true},
    {"match", Builtin::kMatch, 2, 3, true},
    {"split", Builtin::kSplit, 2, 4, true},
    {"patsplit", Builtin::kPatsplit, 2, 4, false},
    {"sub", Builtin::kSub, 2, 3, true},
    {"gsub", Builtin::kGsub, 2, 3, true},
    {"gensub", Builtin::kGensub, 3, 4, false},
    {"asort", Builtin::kAsort, 1, 3, false},
    {"asorti", Builtin::kAsorti, 1, 3, false},
    {"isarray", Builtin::kIsarray, 1, 1, false},
    {"typeof", Builtin::kTypeof, 1, 2, false},
    {"mkbool", Builtin::kMkbool, 1, 1, false},
    {"system", Builtin::kSystem, 1, 1, true},
    {"close", Builtin::kClose, 1, 2, true},
    {"fflush", Builtin::kFflush, 0, 1, true},
    {"systime", Builtin::kSystime, 0, 0, false},
    {"strftime", Builtin::kStrftime, 0, 3, false},
    {"mktime", Builtin::kMktime, 1, 2, false},
    {"bindtextdomain", Builtin::kBindtextdomain, 1, 2, false},
    {"dcgettext", Builtin::kDcgettext, 1, 3, false},
    {"dcngettext", Builtin::kDcngettext, 1, 5, false},
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsOctal(char c) { return c >= '0' && c <= '7'; }
bool IsWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsWord(char c) { return IsWordStart(c) || IsDigit(c); }

const Keyword* FindKeyword(std::string_view name) {
  const auto* found = std::find_if(std::begin(kKeywords), std::end(kKeywords),
                                   [&](const Keyword& k) { return k.name == name; });
  return found == std::end(kKeywords) ? nullptr : found;
}
const BuiltinInfo* FindBuiltin(std::string_view name) {
  const auto* found = std::find_if(std::begin(kBuiltins), std::end(kBuiltins),
                                   [&](const BuiltinInfo& b) { return b.name == name; });
  return found == std::end(kBuiltins) ? nullptr : found;
}

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Interprets the escape after the backslash at text[at - 1]; moves `at` past it. Returns a warning or "".
std::string TakeEscape(std::string_view text, size_t& at, std::string& out) {
  const char c = text[at++];
  switch (c) {
    case 'a': out += '\a'; return "";
    case 'b': out += '\b'; return "";
    case 'f': out += '\f'; return "";
    case 'n': out += '\n'; return "";
    case 'r': out += '\r'; return "";
    case 't': out += '\t'; return "";
    case 'v': out += '\v'; return "";
    case '"': case '\\': out += c; return "";
    case '\n': return "";
    case 'x': {
      int value = 0, digits = 0;
      while (digits < 2 && at < text.size() && HexDigit(text[at]) >= 0) {
        value = value * 16 + HexDigit(text[at++]);
        ++digits;
      }
      if (digits == 0) {
        out += 'x';
        return "no hex digits in `\\x' escape sequence";
      }
      out += static_cast<char>(value);
      return "";
    }
    default: break;
  }
  if (IsOctal(c)) {
    int value = c - '0';
    for (int i = 0; i < 2 && at < text.size() && IsOctal(text[at]); ++i) {
      value = value * 8 + (text[at++] - '0');
    }
    out += static_cast<char>(value);
    return "";
  }
  out += c;
  return std::string("escape sequence `\\") + c + "' treated as plain `" + c + "'";
}

}  // namespace

const BuiltinInfo& InfoOf(Builtin id) { return kBuiltins[static_cast<size_t>(id)]; }

bool IsReserved(std::string_view name) {
  return FindKeyword(name) != nullptr || FindBuiltin(name) != nullptr;
}

bool IsVariableName(std::string_view text) {
  const size_t colons = text.find("::");
  if (colons != std::string_view::npos) {
    const std::string_view name = text.substr(colons + 2);
    if (name.find(':') != std::string_view::npos || !IsVariableName(name)) return false;
    text = text.substr(0, colons);
  }
  return !text.empty() && IsWordStart(text[0]) && std::all_of(text.begin(), text.end(), IsWord);
}

std::string ProcessEscapes(std::string_view text, std::vector<std::string>& warnings) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const char c = text[at++];
    if (c != '\\') {
      out += c;
    } else if (at == text.size()) {
      out += '\\';
    } else if (std::string warning = TakeEscape(text, at, out); !warning.empty()) {
      warnings.push_back(std::move(warning));
    }
  }
  return out;
}

Lexer::Lexer(std::string name, const std::vector<Source>& sources, Strictness strictness,
             std::vector<std::string>& warnings, Budget& budget)
    : name_(std::move(name)),
      sources_(sources),
      strictness_(strictness),
      warnings_(warnings),
      budget_(budget),
      top_count_(static_cast<uint32_t>(sources.size())) {
  if (!sources.empty()) Open(0, 0, 1);
}

void Lexer::Open(uint32_t source, size_t at, uint32_t line) {
  source_ = source;
  text_ = sources_[source].text;
  at_ = at;
  line_ = line;
}

void Lexer::Include(uint32_t source) {
  included_from_.push_back({source_, at_, line_});
  Open(source, 0, 1);
}

void Lexer::Warn(std::string text) {
  warnings_.push_back(name_ + ": " + PlaceName(sources_, {source_, line_}) + ": warning: " +
                      std::move(text));
}

Token Lexer::Fail(Token token, std::string message) {
  token.kind = Tok::kError;
  error_ = std::move(message);
  return token;
}

void Lexer::SkipBlanks() {
  is_after_blank_ = false;
  for (;; is_after_blank_ = true) {
    const char c = Peek();
    if (c == ' ' || c == '\t' || c == '\r') {
      if (at_ >= text_.size()) return;
      ++at_;
    } else if (c == '\\' && Peek(1) == '\n') {
      at_ += 2;
      ++line_;
    } else if (c == '\\' && Peek(1) == '\r' && Peek(2) == '\n') {
      at_ += 3;
      ++line_;
    } else if (c == '#') {
      const size_t end = std::min(text_.find('\n', at_), text_.size());
      KeepComment(end);
      at_ = end;
    } else {
      return;
    }
  }
}

void Lexer::KeepComment(size_t end) {
  if (comments_ == nullptr) return;
  size_t start = at_;
  while (start > 0 && (text_[start - 1] == ' ' || text_[start - 1] == '\t')) --start;
  const bool is_alone = start == 0 || text_[start - 1] == '\n';
  comments_->push_back({{source_, line_}, std::string(text_.substr(at_, end - at_)), is_alone});
}

Token Lexer::Next() {
  budget_.Step();
  Token token = Lex();
  last_ = token.kind;
  return token;
}

Token Lexer::Lex() {
  SkipBlanks();
  Token token;
  token.place = {source_, line_};
  token.offset = at_;
  token.after_blank = is_after_blank_;
  if (at_ >= text_.size()) {
    token.kind = Tok::kNewline;
    if (!included_from_.empty()) {
      const Position back = included_from_.back();
      included_from_.pop_back();
      Open(back.source, back.at, back.line);
    } else if (top_source_ + 1 < top_count_) {
      Open(++top_source_, 0, 1);
    } else {
      token.kind = Tok::kEnd;
    }
    return token;
  }
  const char c = text_[at_];
  if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) return LexNumber(std::move(token));
  if (c == '_' && Peek(1) == '"' && last_ != Tok::kDollar && strictness_ == Strictness::kGnu) {
    ++at_;
    token.is_translatable = true;
    return LexString(std::move(token));
  }
  if (IsWordStart(c)) return LexWord(std::move(token));
  if (c == '"') return LexString(std::move(token));
  return LexOperator(std::move(token));
}

Token Lexer::LexNumber(Token token) {
  token.kind = Tok::kNumber;
  const std::string_view rest = text_.substr(at_);
  if (strictness_ == Strictness::kGnu && rest.size() > 1 && rest[0] == '0' &&
      (rest[1] == 'x' || rest[1] == 'X')) {
    size_t length = 2;
    while (length < rest.size() && HexDigit(rest[length]) >= 0) ++length;
    if (length == 2) length = 1;  // "0x" without digits is 0, then a name
    token.number = ParseNonDecimal(rest.substr(0, length));
    token.literal = rest.substr(0, length);
    at_ += length;
    return token;
  }
  const NumberPrefix prefix = ParseNumber(rest);
  token.number = prefix.value;
  if (strictness_ == Strictness::kGnu) token.number = ParseNonDecimal(rest.substr(0, prefix.length));
  token.literal = rest.substr(0, prefix.length);
  at_ += prefix.length;
  return token;
}

Token Lexer::LexString(Token token) {
  token.kind = Tok::kString;
  ++at_;
  while (at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == '"') return token;
    if (c == '\n') break;
    if (c != '\\') {
      token.text += c;
      continue;
    }
    if (at_ == text_.size()) break;
    if (text_[at_] == '\n') ++line_;
    if (text_[at_] == '\r' && Peek(1) == '\n') {
      at_ += 2;
      ++line_;
      continue;
    }
    if (std::string warning = TakeEscape(text_, at_, token.text); !warning.empty()) {
      Warn(std::move(warning));
    }
  }
  return Fail(std::move(token), "unterminated string");
}

Token Lexer::ReadRegex(const Token& slash) {
  Token token = slash;
  token.kind = Tok::kRegex;
  token.text.clear();
  at_ = slash.offset + 1;
  bool in_brackets = false;
  size_t brackets_start = 0;
  while (at_ < text_.size() && text_[at_] != '\n') {
    budget_.Step();
    const char c = text_[at_++];
    if (c == '\0') return Fail(std::move(token), std::string(kInvalidNul));
    if (c == '\\' && at_ < text_.size()) {
      if (text_[at_] == '\0') return Fail(std::move(token), std::string(kInvalidNul));
      if (text_[at_] == '\n') {
        ++at_;
        ++line_;
        continue;
      }
      if (text_[at_] == '\r' && Peek(1) == '\n') {
        at_ += 2;
        ++line_;
        continue;
      }
      if (text_[at_] == '/') {
        token.text += text_[at_++];
        continue;
      }
      token.text += c;
      token.text += text_[at_++];
      continue;
    }
    if (c == '/' && !in_brackets) {
      token.literal = text_.substr(slash.offset + 1, at_ - slash.offset - 2);
      return token;
    }
    token.text += c;
    if (c == '[' && !in_brackets) {
      in_brackets = true;
      brackets_start = at_;
      if (Peek() == '^') brackets_start = at_ + 1;
    } else if (c == '[' && (Peek() == ':' || Peek() == '.' || Peek() == '=')) {
      const std::string close = {Peek(), ']'};
      const size_t end = text_.find(close, at_ + 1);
      const size_t line_end = text_.find('\n', at_);
      if (end != std::string_view::npos && end < line_end) {
        token.text += text_.substr(at_, end + 2 - at_);
        at_ = end + 2;
      }
    } else if (c == ']' && in_brackets && at_ - 1 != brackets_start) {
      in_brackets = false;
    }
  }
  ++token.offset;
  return Fail(std::move(token), "unterminated regexp");
}

Token Lexer::LexWord(Token token) {
  const size_t start = at_;
  while (at_ < text_.size() && IsWord(text_[at_])) ++at_;
  token.text = text_.substr(start, at_ - start);
  token.is_call = Peek() == '(';
  if (strictness_ == Strictness::kGnu && Peek() == ':' && Peek(1) == ':' && IsWordStart(Peek(2))) {
    return LexQualified(std::move(token));
  }
  const bool is_gnu = strictness_ == Strictness::kGnu;
  const Keyword* const keyword = FindKeyword(token.text);
  if (keyword != nullptr && (keyword->is_posix || is_gnu)) {
    token.kind = keyword->token;
    return token;
  }
  const BuiltinInfo* const builtin = FindBuiltin(token.text);
  if (builtin != nullptr && (builtin->is_posix || is_gnu)) {
    token.kind = Tok::kBuiltin;
    token.builtin = builtin->id;
    return token;
  }
  token.kind = token.is_call ? Tok::kCallName : Tok::kName;
  return token;
}

// The rest of space::name.
Token Lexer::LexQualified(Token token) {
  at_ += 2;
  const size_t start = at_;
  while (at_ < text_.size() && IsWord(text_[at_])) ++at_;
  const std::string name(text_.substr(start, at_ - start));
  const BuiltinInfo* const builtin = FindBuiltin(name);
  if (IsReserved(token.text)) {
    return Fail(std::move(token), "using reserved identifier `" + token.text + "' as a namespace is not allowed");
  }
  if (FindKeyword(name) != nullptr || (builtin != nullptr && builtin->is_posix)) {
    return Fail(std::move(token), "using reserved identifier `" + name +
                                      "' as second component of a qualified name is not allowed");
  }
  token.is_call = Peek() == '(';
  token.is_qualified = true;
  token.kind = token.is_call ? Tok::kCallName : Tok::kName;
  if (token.text != "awk") {
    token.text += "::" + name;
    return token;
  }
  token.text = name;
  if (builtin != nullptr) {
    token.kind = Tok::kBuiltin;
    token.builtin = builtin->id;
  }
  return token;
}

Token Lexer::LexOperator(Token token) {
  const char c = text_[at_++];
  const auto finish = [&](Tok kind) {
    token.kind = kind;
    return std::move(token);
  };
  const bool has_star_power = strictness_ != Strictness::kPosix;
  switch (c) {
    case '\n': ++line_; return finish(Tok::kNewline);
    case '{': return finish(Tok::kLeftBrace);
    case '}': return finish(Tok::kRightBrace);
    case '(': return finish(Tok::kLeftParen);
    case ')': return finish(Tok::kRightParen);
    case '[': return finish(Tok::kLeftBracket);
    case ']': return finish(Tok::kRightBracket);
    case ';': return finish(Tok::kSemicolon);
    case ',': return finish(Tok::kComma);
    case '?': return finish(Tok::kQuestion);
    case ':': return finish(Tok::kColon);
    case '~': return finish(Tok::kMatch);
    case '$': return finish(Tok::kDollar);
    case '@': return finish(Tok::kAt);
    case '+':
      if (Accept('+')) return finish(Tok::kIncrement);
      return finish(Accept('=') ? Tok::kAddAssign : Tok::kPlus);
    case '-':
      if (Accept('-')) return finish(Tok::kDecrement);
      return finish(Accept('=') ? Tok::kSubtractAssign : Tok::kMinus);
    case '*':
      if (has_star_power && Accept('*')) {
        token.literal = "**";
        return finish(Accept('=') ? Tok::kPowerAssign : Tok::kCaret);
      }
      return finish(Accept('=') ? Tok::kMultiplyAssign : Tok::kStar);
    case '/': return finish(Accept('=') ? Tok::kDivideAssign : Tok::kSlash);
    case '%': return finish(Accept('=') ? Tok::kModuloAssign : Tok::kPercent);
    case '^':
      token.literal = "^";
      return finish(Accept('=') ? Tok::kPowerAssign : Tok::kCaret);
    case '=': return finish(Accept('=') ? Tok::kEqual : Tok::kAssign);
    case '!':
      if (Accept('=')) return finish(Tok::kNotEqual);
      return finish(Accept('~') ? Tok::kNoMatch : Tok::kNot);
    case '<': return finish(Accept('=') ? Tok::kLessEqual : Tok::kLess);
    case '>':
      if (Accept('=')) return finish(Tok::kGreaterEqual);
      return finish(Accept('>') ? Tok::kAppend : Tok::kGreater);
    case '&':
      if (Accept('&')) return finish(Tok::kAnd);
      return Fail(std::move(token), "syntax error");
    case '|':
      if (Accept('|')) return finish(Tok::kOr);
      if (strictness_ == Strictness::kGnu && Accept('&')) return finish(Tok::kPipeBoth);
      return finish(Tok::kPipe);
    case '\\':
      return Fail(std::move(token), "backslash not last character on line");
    case '.': return Fail(std::move(token), "syntax error");
    default:
      if (c == '\0') return Fail(std::move(token), std::string(kInvalidNul));
      return Fail(std::move(token), std::string("invalid char '") + c + "' in expression");
  }
}

}  // namespace paddock::awk
