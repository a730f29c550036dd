#include "lang/bc/parser.h"

#include <array>

namespace paddock::bc {
namespace {

constexpr std::string_view kKeywords[] = {"auto", "break", "continue", "define", "else", "for", "halt", "ibase", "if", "last",
                                          "length", "limits", "obase", "print", "quit", "random", "read", "return", "scale",
                                          "sqrt", "void", "warranty", "while"};
constexpr std::string_view kSigns[] = {"&&", "||", "<=", ">=", "==", "!=", "++", "--", "+=", "-=", "*=", "/=", "%=", "^="};

struct Binary {
  std::string_view sign;
  int level;
  Word word;
};
// The relational operators bind weaker than assignment, and `!` stands between && and them.
enum Level { kOr = 1, kAnd, kNot, kRelation, kAssignment, kSum, kProduct, kPower, kUnary };
constexpr Binary kBinary[] = {
    {"||", kOr, Word::kOr},           {"&&", kAnd, Word::kAnd},        {"<", kRelation, Word::kLess},
    {"<=", kRelation, Word::kLessEqual}, {">", kRelation, Word::kGreater}, {">=", kRelation, Word::kGreaterEqual},
    {"==", kRelation, Word::kEqual},  {"!=", kRelation, Word::kUnequal}, {"+", kSum, Word::kAdd},
    {"-", kSum, Word::kSubtract},     {"*", kProduct, Word::kMultiply}, {"/", kProduct, Word::kDivide},
    {"%", kProduct, Word::kModulo},   {"^", kPower, Word::kPower},
};
constexpr std::pair<std::string_view, Word> kAssignments[] = {
    {"=", Word::kAssign},    {"+=", Word::kAdd},    {"-=", Word::kSubtract}, {"*=", Word::kMultiply},
    {"/=", Word::kDivide},   {"%=", Word::kModulo}, {"^=", Word::kPower}};

bool IsDigit(int c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); }
bool IsLetter(int c) { return c >= 'a' && c <= 'z'; }

ExpressionPtr Make(Word kind) {
  auto e = std::make_unique<Expression>();
  e->kind = kind;
  return e;
}
bool IsPlace(const Expression& e) { return e.kind == Word::kName || e.kind == Word::kArray || e.kind == Word::kSpecial; }

}  // namespace

Parser::Parser(std::function<int()> next, std::string name, const BcOptions& options, Host& host)
    : next_(std::move(next)), name_(std::move(name)), options_(options), host_(host) {}

// --- tokens ------------------------------------------------------------------------------------------------------

int Parser::PeekByte() {
  if (!byte_) byte_ = next_();
  return *byte_;
}

// A backslash before the end of a line joins it to the next.
int Parser::Byte() {
  host_.budget().Step();
  const int c = PeekByte();
  if (c >= 0) byte_.reset();
  if (c == '\n') ++line_;
  return c;
}

bool Parser::Look() {
  if (!has_token_) {
    Take();
    has_token_ = true;
  }
  return true;
}

void Parser::Take() {
  text_.clear();
  while (true) {
    const int c = PeekByte();
    if (c < 0) {
      token_ = Token::kEnd;
      return;
    }
    if (c == ' ' || c == '\t') {
      Byte();
    } else if (c == '\\') {
      Byte();
      if (PeekByte() == '\n') {
        Byte();
        continue;
      }
      Complain("illegal character: \\");
    } else if (c == '#') {
      if (options_.is_standard) Complain("illegal character: #");
      while (PeekByte() >= 0 && PeekByte() != '\n') Byte();
    } else if (c == '\n') {
      Byte();
      token_ = Token::kNewline;
      return;
    } else if (c == '"') {
      Byte();
      while (PeekByte() >= 0 && PeekByte() != '"') {
        host_.budget().WillAllocate(1);
        text_ += static_cast<char>(Byte());
      }
      if (PeekByte() < 0) {
        Complain("illegal character: \"");
        text_.clear();
        continue;
      }
      Byte();
      token_ = Token::kString;
      return;
    } else if (IsDigit(c) || c == '.') {
      bool has_point = false;
      while (true) {
        const int d = PeekByte();
        if (d == '\\') {
          Byte();
          if (PeekByte() != '\n') break;
          Byte();
          continue;
        }
        if (d == '.' && has_point) break;
        if (!IsDigit(d) && d != '.') break;
        has_point |= d == '.';
        text_ += static_cast<char>(Byte());
      }
      token_ = text_ == "." ? Token::kKeyword : Token::kNumber;
      return;
    } else if (IsLetter(c)) {
      while (IsLetter(PeekByte()) || (PeekByte() >= '0' && PeekByte() <= '9') || PeekByte() == '_') text_ += static_cast<char>(Byte());
      token_ = Token::kName;
      for (const std::string_view word : kKeywords) {
        if (text_ == word) token_ = Token::kKeyword;
      }
      if (token_ == Token::kName && text_.size() > 1) Nonstandard("multiple letter name - " + text_);
      return;
    } else {
      Byte();
      text_ = std::string(1, static_cast<char>(c));
      if (c == '/' && PeekByte() == '*') {
        Byte();
        text_.clear();
        int before = 0;
        while (true) {
          const int d = Byte();
          if (d < 0) {
            host_.Complain("EOF encountered in a comment.");
            break;
          }
          if (before == '*' && d == '/') break;
          before = d;
        }
        continue;
      }
      const std::string pair = text_ + static_cast<char>(PeekByte());
      for (const std::string_view sign : kSigns) {
        if (PeekByte() > 0 && pair == sign) text_ = pair;
      }
      if (text_.size() == 2) Byte();
      else if (std::string_view("+-*/%^=<>!(){}[],;&").find(text_[0]) == std::string_view::npos) {
        if (c < 32) Complain(std::string("illegal character: ^") + static_cast<char>(c + '@'));
        else if (c > 126) Complain("illegal character: \\" + std::string{static_cast<char>('0' + c / 64), static_cast<char>('0' + c / 8 % 8), static_cast<char>('0' + c % 8)});
        else Complain("illegal character: " + text_);
        text_.clear();
        continue;
      }
      token_ = Token::kSign;
      return;
    }
  }
}

bool Parser::IsSign(std::string_view sign) { return Look() && token_ == Token::kSign && text_ == sign; }
bool Parser::IsWord(std::string_view word) { return Look() && token_ == Token::kKeyword && text_ == word; }
bool Parser::Accept(std::string_view sign) {
  if (!IsSign(sign)) return false;
  Advance();
  return true;
}
bool Parser::Expect(std::string_view sign) { return Accept(sign) || SyntaxError(); }

bool Parser::Complain(const std::string& message) {
  is_spoiled_ = true;
  host_.Complain(name_ + " " + std::to_string(line_) + ": " + message);
  return false;
}
bool Parser::SyntaxError() { return Complain("syntax error"); }

bool Parser::Nonstandard(const std::string& what) {
  const bool was_spoiled = is_spoiled_;
  if (options_.is_standard) Complain("Error: " + what);
  if (!options_.is_standard && options_.warns) {
    Complain("(Warning) " + what);
    is_spoiled_ = was_spoiled;
  }
  return true;
}

void Parser::SkipLine() {
  while (Look() && token_ != Token::kNewline && token_ != Token::kEnd) Advance();
  Advance();
}
void Parser::SkipNewlines() {
  while (Look() && token_ == Token::kNewline) Advance();
}

// --- units -------------------------------------------------------------------------------------------------------

Unit Parser::Next() {
  Unit unit;
  loops_ = 0;
  in_function_ = in_void_ = quits_ = is_spoiled_ = false;
  Look();
  if (token_ == Token::kEnd) {
    unit.kind = Unit::kEnd;
    if (is_spoiled_) SyntaxError();
    return unit;
  }
  bool ok;
  if (IsWord("define")) {
    unit.kind = Unit::kFunction;
    ok = ReadDefinition(unit);
  } else {
    ok = ReadStatements(unit.statements, false);
  }
  if (quits_) {
    unit.kind = Unit::kQuit;
  } else if (!ok) {
    unit.kind = Unit::kError;
    SkipLine();
  } else if (is_spoiled_) {
    unit.kind = Unit::kError;
  }
  return unit;
}

bool Parser::ReadDefinition(Unit& unit) {
  Advance();
  Function& function = unit.function;
  if (IsWord("void")) {
    if (!Nonstandard("void functions")) return false;
    function.is_void = true;
    Advance();
  }
  if (!Look() || token_ != Token::kName) return SyntaxError();
  unit.name = text_;
  Advance();
  if (!Expect("(")) return false;
  if (!Accept(")") && !(ReadParameters(function, function.parameters, false) && Expect(")"))) return false;
  if (Look() && token_ == Token::kNewline) {
    if (!Nonstandard("New line before {")) return false;
    SkipNewlines();
  }
  if (!Expect("{")) return false;
  in_function_ = true;
  in_void_ = function.is_void;
  SkipNewlines();
  while (Accept(";")) SkipNewlines();
  if (IsWord("auto")) {
    Advance();
    if (!ReadParameters(function, function.locals, true)) return false;
    if (!(Accept(";") || (Look() && token_ == Token::kNewline))) return SyntaxError();
  }
  if (function.is_void) void_functions.insert(unit.name);
  else void_functions.erase(unit.name);
  return ReadStatements(function.body, true);
}

bool Parser::ReadParameters(Function& function, std::vector<Parameter>& list, bool is_auto) {
  while (true) {
    Parameter parameter;
    if (!is_auto && Accept("*")) parameter.is_reference = true;
    if (!Look() || token_ != Token::kName) return SyntaxError();
    parameter.name = text_;
    Advance();
    if (Accept("[")) {
      if (!Expect("]")) return false;
      parameter.is_array = true;
    } else if (parameter.is_reference) {
      return SyntaxError();
    }
    for (const Parameter& other : list) {
      if (other.name == parameter.name && other.is_array == parameter.is_array) {
        return Complain(is_auto ? "duplicate auto variable names" : "duplicate parameter names");
      }
    }
    for (const Parameter& other : function.parameters) {
      if (is_auto && other.name == parameter.name && other.is_array == parameter.is_array) {
        return Complain("variable in both parameter and auto lists");
      }
    }
    list.push_back(std::move(parameter));
    if (!Accept(",")) return true;
  }
}

// Statements up to the end of the line, or of the block with its '}'.
bool Parser::ReadStatements(StatementList& list, bool in_block) {
  while (true) {
    host_.budget().Step();
    Look();
    if (in_block && Accept("}")) return true;
    if (token_ == Token::kNewline) {
      Advance();
      if (!in_block) return true;
      continue;
    }
    if (token_ == Token::kEnd) return SyntaxError();   // a last line has to end, too
    if (Accept(";")) continue;
    StatementPtr statement;
    if (!ReadStatement(statement)) return false;
    if (statement) list.push_back(std::move(statement));
    Look();
    if (token_ == Token::kNewline || token_ == Token::kEnd || IsSign(";") || (in_block && IsSign("}"))) continue;
    return SyntaxError();
  }
}

bool Parser::ReadBody(StatementList& list) {
  SkipNewlines();
  StatementPtr statement;
  if (!ReadStatement(statement)) return false;
  if (statement) list.push_back(std::move(statement));
  return true;
}

bool Parser::ReadStatement(StatementPtr& out) {
  host_.budget().CheckStack();
  Look();
  out = std::make_unique<Statement>();
  Statement& s = *out;
  s.kind = Statement::kExpression;
  if (token_ == Token::kString) {
    s.kind = Statement::kText;
    s.text = std::move(text_);
    Advance();
    return true;
  }
  if (Accept("{")) {
    s.kind = Statement::kBlock;
    return ReadStatements(s.body, true);
  }
  if (token_ == Token::kKeyword) {
    const std::string word = text_;
    if (word == "quit") {
      quits_ = true;
      return false;
    }
    if (word == "halt" || word == "warranty" || word == "limits") {
      s.kind = word == "halt" ? Statement::kHalt : word == "limits" ? Statement::kLimits : Statement::kWarranty;
      Advance();
      return true;
    }
    if (word == "break" || word == "continue") {
      Advance();
      s.kind = word == "break" ? Statement::kBreak : Statement::kContinue;
      if (word == "break") return loops_ > 0 || Complain("Break outside a for/while");
      if (!Nonstandard("Continue statement")) return false;
      return loops_ > 0 || Complain("Continue outside a for");
    }
    if (word == "return") return ReadReturn(s);
    if (word == "if") return ReadIf(s);
    if (word == "while") {
      s.kind = Statement::kWhile;
      Advance();
      ++loops_;
      const bool ok = ReadCondition(s) && ReadBody(s.body);
      --loops_;
      return ok;
    }
    if (word == "for") return ReadFor(s);
    if (word == "print") return ReadPrint(s);
  }
  ExpressionPtr expression;
  if (!ReadExpression(expression, kOr)) return false;
  if (IsComparison(*expression) && !Nonstandard("comparison in expression")) return false;
  s.expressions.push_back(std::move(expression));
  return true;
}

bool Parser::IsComparison(const Expression& e) {
  return e.kind >= Word::kLess && e.kind <= Word::kUnequal;
}

bool Parser::ReadCondition(Statement& s) {
  ExpressionPtr condition;
  if (!Expect("(") || !ReadExpression(condition, kOr)) return false;
  if (IsVoid(*condition)) return Complain("void expression");
  s.expressions.push_back(std::move(condition));
  return Expect(")");
}

bool Parser::ReadIf(Statement& s) {
  s.kind = Statement::kIf;
  Advance();
  if (!ReadCondition(s) || !ReadBody(s.body)) return false;
  if (!IsWord("else")) return true;
  if (!Nonstandard("else clause in if statement")) return false;
  Advance();
  return ReadBody(s.otherwise);
}

bool Parser::ReadFor(Statement& s) {
  s.kind = Statement::kFor;
  Advance();
  if (!Expect("(")) return false;
  for (const std::string_view end : {";", ";", ")"}) {
    ExpressionPtr part;
    if (IsSign(end)) {
      if (!Nonstandard("Missing expression in for statement")) return false;
    } else if (!ReadExpression(part, kOr)) {
      return false;
    } else if (IsComparison(*part) && s.expressions.size() != 1) {
      if (!Nonstandard(s.expressions.empty() ? "Comparison in first for expression" : "Comparison in third for expression")) return false;
    }
    s.expressions.push_back(std::move(part));
    if (!Expect(end)) return false;
  }
  ++loops_;
  const bool ok = ReadBody(s.body);
  --loops_;
  return ok;
}

bool Parser::ReadPrint(Statement& s) {
  if (!Nonstandard("print statement")) return false;
  s.kind = Statement::kPrint;
  Advance();
  while (true) {
    ExpressionPtr part;
    Look();
    if (token_ == Token::kString) {
      part = Make(Word::kString);
      part->text = std::move(text_);
      Advance();
    } else {
      if (!ReadExpression(part, kOr)) return false;
      if (IsVoid(*part)) return Complain("void expression in print");
    }
    s.expressions.push_back(std::move(part));
    if (!Accept(",")) return true;
  }
}

bool Parser::ReadReturn(Statement& s) {
  s.kind = Statement::kReturn;
  Advance();
  Look();
  if (token_ == Token::kNewline || token_ == Token::kEnd || IsSign(";") || IsSign("}")) return in_function_ || Complain("Return outside of a function.");
  if (in_void_) return Complain("Return expression in a void function.");
  const bool has_parenthesis = IsSign("(");
  ExpressionPtr value;
  if (!ReadExpression(value, kOr)) return false;
  Look();
  if (!in_function_) return Complain("Return outside of a function.");
  if (IsVoid(*value)) return Complain("return requires non-void expression");
  if (IsComparison(*value) && !Nonstandard("comparison in return expression")) return false;
  if (!has_parenthesis && !Nonstandard("return expression requires parenthesis")) return false;
  s.expressions.push_back(std::move(value));
  return true;
}

// --- expressions ---------------------------------------------------------------------------------------------------

bool Parser::IsVoid(const Expression& e) const { return e.kind == Word::kCall && void_functions.contains(e.text); }

bool Parser::ReadExpression(ExpressionPtr& out, int level) {
  host_.budget().CheckStack();
  if (IsSign("!")) {
    Advance();
    auto e = Make(Word::kNot);
    e->parts.emplace_back();
    if (!ReadExpression(e->parts[0], kNot) || !Nonstandard("! operator")) return false;
    if (IsVoid(*e->parts[0])) return Complain("void expression with !");
    out = std::move(e);
  } else if (!ReadOperand(out)) {
    return false;
  }
  while (true) {
    host_.budget().Step();
    const Binary* found = nullptr;
    Look();
    for (const Binary& binary : kBinary) {
      if (token_ == Token::kSign && text_ == binary.sign && binary.level >= level) found = &binary;
    }
    if (found == nullptr) return true;
    const std::string sign = text_;
    if ((found->level == kOr || found->level == kAnd) && !Nonstandard(sign + " operator")) return false;
    Advance();
    auto e = Make(found->word);
    e->parts.push_back(std::move(out));
    e->parts.emplace_back();
    if (!ReadExpression(e->parts[1], found->level == kPower ? kPower : found->level + 1)) return false;
    if (IsVoid(*e->parts[0]) || IsVoid(*e->parts[1])) {
      return Complain(found->level == kRelation ? "void expression with comparison" : "void expression with " + sign);
    }
    out = std::move(e);
  }
}

bool Parser::ReadOperand(ExpressionPtr& out) {
  Look();
  if (token_ == Token::kNumber) {
    out = Make(Word::kNumber);
    out->text = std::move(text_);
    Advance();
    return true;
  }
  if (Accept("-")) {
    out = Make(Word::kNegate);
    out->parts.emplace_back();
    if (!ReadExpression(out->parts[0], kUnary)) return false;
    return !IsVoid(*out->parts[0]) || Complain("void expression with unary -");
  }
  if (Accept("(")) {
    out = Make(Word::kGroup);
    out->parts.emplace_back();
    if (!ReadExpression(out->parts[0], kOr)) return false;
    if (IsVoid(*out->parts[0])) return Complain("void expression in parenthesis");
    if (IsComparison(*out->parts[0]) && !Nonstandard("comparison in expression")) return false;
    return Expect(")");
  }
  if (IsSign("++") || IsSign("--")) {
    const Word word = text_ == "++" ? Word::kIncrementBefore : Word::kDecrementBefore;
    Advance();
    ExpressionPtr place;
    if (!ReadName(place)) return false;
    if (!IsPlace(*place)) return SyntaxError();
    out = Make(word);
    out->parts.push_back(std::move(place));
    return true;
  }
  if (!ReadName(out)) return false;
  if (out->kind == Word::kWholeArray && !IsSign(",") && !IsSign(")")) return SyntaxError();
  return ReadAfterPlace(out);
}

// Assignment and ++ behind something that can be assigned to.
bool Parser::ReadAfterPlace(ExpressionPtr& out) {
  if (!IsPlace(*out)) return true;
  Look();
  if (token_ != Token::kSign) return true;
  if (text_ == "++" || text_ == "--") {
    auto e = Make(text_ == "++" ? Word::kIncrementAfter : Word::kDecrementAfter);
    Advance();
    e->parts.push_back(std::move(out));
    out = std::move(e);
    return true;
  }
  for (const auto& [sign, word] : kAssignments) {
    if (text_ != sign) continue;
    Advance();
    auto e = Make(Word::kAssign);
    e->operation = word;
    e->parts.push_back(std::move(out));
    e->parts.emplace_back();
    if (!ReadExpression(e->parts[1], kAssignment)) return false;
    if (IsVoid(*e->parts[1])) return Complain("Assignment of a void expression");
    out = std::move(e);
    return true;
  }
  return true;
}

bool Parser::ReadName(ExpressionPtr& out) {
  Look();
  if (token_ == Token::kKeyword) return ReadBuiltin(out);
  if (token_ != Token::kName) return SyntaxError();
  out = Make(Word::kName);
  out->text = std::move(text_);
  Advance();
  if (Accept("[")) {
    out->kind = Word::kArray;
    if (Accept("]")) {
      out->kind = Word::kWholeArray;   // only as an argument
      return true;
    }
    out->parts.emplace_back();
    if (!ReadExpression(out->parts[0], kOr)) return false;
    if (IsVoid(*out->parts[0])) return Complain("void expression as subscript");
    return Expect("]");
  }
  if (!Accept("(")) return true;
  out->kind = Word::kCall;
  if (Accept(")")) return true;
  while (true) {
    ExpressionPtr argument;
    if (!ReadExpression(argument, kOr)) return false;
    if (IsVoid(*argument)) return Complain("void argument");
    out->parts.push_back(std::move(argument));
    if (Accept(")")) return true;
    if (!Expect(",")) return false;
  }
}

bool Parser::ReadBuiltin(ExpressionPtr& out) {
  const std::string word = text_;
  Advance();
  static constexpr std::pair<std::string_view, Special> kSpecials[] = {
      {"ibase", Special::kInputBase}, {"obase", Special::kOutputBase}, {"scale", Special::kScale}, {"last", Special::kLast}, {".", Special::kLast}};
  static constexpr std::pair<std::string_view, Word> kFunctions[] = {
      {"length", Word::kLength}, {"sqrt", Word::kSquareRoot}, {"scale", Word::kScale}, {"read", Word::kRead}, {"random", Word::kRandom}};
  if ((word == "last" || word == ".") && !Nonstandard("Last variable")) return false;
  const bool is_call = IsSign("(");
  for (const auto& [name, kind] : kFunctions) {
    if (!is_call || word != name) continue;
    Advance();
    out = Make(kind);
    if (kind == Word::kRead || kind == Word::kRandom) {
      return Nonstandard(word + " function") && Expect(")");
    }
    out->parts.emplace_back();
    if (!ReadExpression(out->parts[0], kOr)) return false;
    if (IsVoid(*out->parts[0])) return Complain("void expression in " + word + "()");
    return Expect(")");
  }
  for (const auto& [name, special] : kSpecials) {
    if (word != name) continue;
    out = Make(Word::kSpecial);
    out->special = special;
    return true;
  }
  return SyntaxError();
}

}  // namespace paddock::bc
