#include "lang/awk/parser.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/budget.h"

namespace paddock::awk {
namespace {

bool IsLvalue(const Node* node) {
  return !node->in_parens && (node->kind == NodeKind::kVariable || node->kind == NodeKind::kField ||
                              node->kind == NodeKind::kElement);
}

bool IsAssignment(Tok tok) { return tok >= Tok::kAssign && tok <= Tok::kPowerAssign; }

class Parser {
 public:
  Parser(const ParseInput& input, Budget& budget)
      : input_(input),
        budget_(budget),
        lexer_(input.name, input.sources, input.strictness, input.warnings, budget) {
    for (const std::string_view name : kSpecialNames) GlobalSlot(name);
  }

  Result<SyntaxTree> Run() {
    Advance();
    ParseProgram();
    if (!has_failed_) CheckFunctions();
    if (has_failed_) return Error(error_code_, complaint_);
    return std::move(tree_);
  }

 private:
  // --- tokens

  void Advance() {
    if (has_failed_) return;
    if (has_ahead_) {
      token_ = std::move(ahead_);
      has_ahead_ = false;
    } else {
      token_ = lexer_.Next();
    }
    if (token_.kind == Tok::kError) SyntaxError(lexer_.error());
    if (token_.kind == Tok::kBuiltin) LetParameterShadow();
  }
  // A parameter may have the name of a built-in function that POSIX does not know.
  void LetParameterShadow() {
    if (InfoOf(token_.builtin).is_posix || token_.is_qualified) return;
    if (in_parameters_ || FindParameter(token_.text) >= 0) {
      token_.kind = Tok::kName;
    } else if (!Namespace().empty()) {  // where such a name is free
      token_.kind = token_.is_call ? Tok::kCallName : Tok::kName;
    }
  }

  // The namespace at the token, "" for awk's own. @namespace holds to the end of its source.
  const std::string& Namespace() {
    const size_t source = token_.place.source;
    if (source >= namespaces_.size()) namespaces_.resize(source + 1);
    return namespaces_[source];
  }
  // The name that the token stands for. Special variables and names in capitals belong to everyone.
  std::string QualifiedName() {
    const std::string& name = token_.text;
    if (token_.is_qualified || Namespace().empty()) return name;
    const bool is_shared = std::all_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    return is_shared ? name : Namespace() + "::" + name;
  }
  const Token& PeekAhead() {
    if (!has_ahead_) {
      ahead_ = lexer_.Next();
      has_ahead_ = true;
    }
    return ahead_;
  }
  bool Is(Tok kind) const { return token_.kind == kind; }
  bool Accept(Tok kind) {
    if (!Is(kind)) return false;
    Advance();
    return true;
  }
  void Expect(Tok kind) {
    if (!Accept(kind)) SyntaxError();
  }
  void SkipNewlines() {
    while (Is(Tok::kNewline)) Advance();
  }

  std::string PlaceOf(Place place) const {
    return input_.name + ": " + PlaceName(input_.sources, place);
  }

  // --- complaints: the first one ends the parse by making every further token the end

  void Stop(Code code, std::string complaint) {
    if (!has_failed_) {
      has_failed_ = true;
      error_code_ = code;
      complaint_ = std::move(complaint);
    }
    token_.kind = Tok::kEnd;
  }
  void SyntaxError() {
    const bool is_end = Is(Tok::kNewline) || Is(Tok::kEnd);
    SyntaxError(is_end ? "unexpected newline or end of string" : "syntax error");
  }
  void SyntaxError(const std::string& message) {
    if (has_failed_) return;
    const std::string& text = input_.sources.empty() ? complaint_
                                                     : input_.sources[token_.place.source].text;
    const size_t at = std::min(token_.offset, text.size());
    size_t start = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
    start = start == std::string::npos ? 0 : start + 1;
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string place = PlaceOf(token_.place) + ": ";
    std::string complaint = place + text.substr(start, end - start) + "\n" + place;
    for (size_t i = start; i < at; ++i) complaint += text[i] == '\t' ? '\t' : ' ';
    Stop(Code::kSyntax, complaint + "^ " + message);
  }
  void Complain(Place place, const std::string& message) {
    Stop(Code::kSyntax, PlaceOf(place) + ": error: " + message);
  }

  // --- nodes and names

  Node* New(NodeKind kind) {
    Node& node = tree_.nodes.emplace_back();
    node.kind = kind;
    node.place = token_.place;
    return &node;
  }
  Node* New(NodeKind kind, Node* a, Node* b = nullptr, Node* c = nullptr) {
    Node* const node = New(kind);
    node->a = a;
    node->b = b;
    node->c = c;
    return node;
  }

  int GlobalSlot(std::string_view name) {
    if (const auto found = tree_.global_index.find(name); found != tree_.global_index.end()) {
      return found->second;
    }
    const int slot = static_cast<int>(tree_.globals.size());
    tree_.globals.emplace_back(name);
    tree_.global_index.emplace(name, slot);
    return slot;
  }
  int FunctionSlot(const std::string& name) {
    if (const auto found = tree_.function_index.find(name); found != tree_.function_index.end()) {
      return found->second;
    }
    const int slot = static_cast<int>(tree_.functions.size());
    tree_.functions.push_back({});
    tree_.functions.back().name = name;
    tree_.functions.back().place = token_.place;
    tree_.function_index.emplace(name, slot);
    return slot;
  }
  int FindParameter(std::string_view name) const {
    if (parameters_ == nullptr) return -1;
    const auto found = std::find(parameters_->begin(), parameters_->end(), name);
    return found == parameters_->end() ? -1 : static_cast<int>(found - parameters_->begin());
  }
  // The variable that the token names.
  Node* NewVariable() {
    Node* const node = New(NodeKind::kVariable);
    const int parameter = token_.is_qualified ? -1 : FindParameter(token_.text);
    node->is_local = parameter >= 0;
    node->text = node->is_local ? token_.text : QualifiedName();
    node->slot = node->is_local ? parameter : GlobalSlot(node->text);
    return node;
  }

  void CheckFunctions() {
    for (const FunctionDefinition& function : tree_.functions) {
      if (!function.is_defined) continue;
      if (tree_.global_index.count(function.name) != 0) {
        Complain(function.place, "function `" + function.name +
                                     "' called with space between name and `(',\nor used as a "
                                     "variable or an array");
        return;
      }
    }
  }

  // --- rules and functions

  void ParseProgram() {
    bool may_skip_semicolon = false;
    while (!has_failed_) {
      SkipNewlines();
      if (Is(Tok::kEnd)) return;
      if (Is(Tok::kSemicolon)) {
        if (!may_skip_semicolon) {
          Stop(Code::kSyntax, PlaceOf(token_.place) +
                                  ": each rule must have a pattern or an action part");
          return;
        }
        may_skip_semicolon = false;
        Advance();
        continue;
      }
      may_skip_semicolon = true;
      ParseItem();
    }
  }

  void ParseItem() {
    switch (token_.kind) {
      case Tok::kFunction: ParseFunction(); return;
      case Tok::kAt:
        if (PeekAhead().kind == Tok::kName) {
          ParseDirective();
          return;
        }
        break;
      case Tok::kBegin: ParseSpecialRule(Rule::When::kBegin); return;
      case Tok::kEndRule: ParseSpecialRule(Rule::When::kEnd); return;
      case Tok::kBeginFile: ParseSpecialRule(Rule::When::kBeginFile); return;
      case Tok::kEndFile: ParseSpecialRule(Rule::When::kEndFile); return;
      default: break;
    }
    Rule rule;
    rule.place = token_.place;
    when_ = Rule::When::kRecord;
    if (!Is(Tok::kLeftBrace)) {
      rule.pattern = ParseExpression();
      if (Accept(Tok::kComma)) {
        SkipNewlines();
        rule.range_end = ParseExpression();
      }
    }
    if (Is(Tok::kLeftBrace)) {
      rule.action = ParseBlock();
    } else if (!Is(Tok::kNewline) && !Is(Tok::kSemicolon) && !Is(Tok::kEnd)) {
      SyntaxError();
    }
    tree_.rules.push_back(rule);
  }

  void ParseSpecialRule(Rule::When when) {
    Rule rule;
    rule.place = token_.place;
    rule.when = when_ = when;
    const std::string name = token_.text;
    Advance();
    if (Is(Tok::kNewline) || Is(Tok::kEnd) || Is(Tok::kSemicolon)) {
      Stop(Code::kSyntax, PlaceOf(token_.place) + ": " + name +
                              " blocks must have an action part");
      return;
    }
    if (!Is(Tok::kLeftBrace)) SyntaxError();
    rule.action = ParseBlock();
    when_ = Rule::When::kRecord;
    tree_.rules.push_back(rule);
  }

  void ParseFunction() {
    Advance();
    if (Is(Tok::kBuiltin)) {
      SyntaxError("`" + token_.text + "' is a built-in function, it cannot be redefined");
      return;
    }
    if (!Is(Tok::kName) && !Is(Tok::kCallName)) {
      SyntaxError();
      return;
    }
    const std::string name = QualifiedName();
    const Place place = token_.place;
    const int slot = FunctionSlot(name);
    if (tree_.functions[static_cast<size_t>(slot)].is_defined) {
      Complain(place, "function name `" + name + "' previously defined");
      return;
    }
    Advance();
    in_parameters_ = true;
    Expect(Tok::kLeftParen);
    std::vector<std::string> parameters = ParseParameters(name);
    in_parameters_ = false;
    SkipNewlines();
    if (!Is(Tok::kLeftBrace)) SyntaxError();
    parameters_ = &parameters;
    in_function_ = true;
    Node* const body = ParseBlock();
    in_function_ = false;
    parameters_ = nullptr;
    FunctionDefinition& function = tree_.functions[static_cast<size_t>(slot)];
    function.is_defined = true;
    function.place = place;
    function.parameters = std::move(parameters);
    function.body = body;
  }

  std::vector<std::string> ParseParameters(const std::string& function) {
    std::vector<std::string> parameters;
    SkipNewlines();
    while (!has_failed_ && !Is(Tok::kRightParen)) {
      if (!Is(Tok::kName)) {
        SyntaxError();
        return parameters;
      }
      CheckParameter(function, token_.text, parameters);
      parameters.push_back(token_.text);
      Advance();
      if (Is(Tok::kRightParen)) break;
      Expect(Tok::kComma);
      SkipNewlines();
    }
    Expect(Tok::kRightParen);
    return parameters;
  }

  void CheckParameter(const std::string& function, const std::string& name,
                      const std::vector<std::string>& earlier) {
    const std::string intro = "function `" + function + "': ";
    if (name == function) {
      Complain(token_.place, intro + "cannot use function name as parameter name");
    } else if (std::find(std::begin(kSpecialNames), std::end(kSpecialNames), name) !=
               std::end(kSpecialNames)) {
      Complain(token_.place,
               intro + "cannot use special variable `" + name + "' as a function parameter");
    } else if (const auto same = std::find(earlier.begin(), earlier.end(), name);
               same != earlier.end()) {
      Complain(token_.place, intro + "parameter #" + std::to_string(earlier.size() + 1) + ", `" +
                                 name + "', duplicates parameter #" +
                                 std::to_string(same - earlier.begin() + 1));
    }
  }

  // @namespace "name"
  void ParseNamespace() {
    Advance();
    if (!Is(Tok::kString)) {
      SyntaxError();
      return;
    }
    const std::string name = token_.text;
    if (!IsVariableName(name) || name.find(':') != std::string::npos) {
      Complain(token_.place, "namespace name `" + name + "' must meet identifier naming rules");
    } else if (IsReserved(name)) {
      Complain(token_.place, "using reserved identifier `" + name + "' as a namespace is not allowed");
    }
    Namespace();
    namespaces_[token_.place.source] = name == "awk" ? "" : name;
    Advance();
    if (!Is(Tok::kNewline) && !Is(Tok::kSemicolon) && !Is(Tok::kEnd)) SyntaxError();
  }

  // @include "file" and @namespace; what else gawk can load is not there.
  void ParseDirective() {
    Advance();
    const std::string word = token_.text;
    if (word == "namespace") {
      ParseNamespace();
      return;
    }
    if (word != "include") {
      Stop(Code::kInvalid, PlaceOf(token_.place) + ": fatal: @" + word +
                               " is not supported");
      return;
    }
    Advance();
    if (!Is(Tok::kString)) {
      SyntaxError();
      return;
    }
    const std::string path = token_.text;
    for (const Source& source : input_.sources) {
      if (source.name == path) {
        Advance();
        return;
      }
    }
    auto text = input_.read_include(path);
    if (!text) {
      Stop(Code::kInvalid, PlaceOf(token_.place) + ": error: cannot open `" + path +
                               "' for reading: " + std::string(text.error().Text()));
      return;
    }
    // The whole rest of the line is behind; the included text starts with a fresh token.
    input_.sources.push_back({path, std::move(*text)});
    lexer_.Include(static_cast<uint32_t>(input_.sources.size() - 1));
    Advance();
  }

  // --- statements

  Node* ParseBlock() {
    Node* const block = New(NodeKind::kBlock);
    Expect(Tok::kLeftBrace);
    SkipNewlines();
    while (!Is(Tok::kRightBrace)) {
      if (Is(Tok::kEnd)) {
        SyntaxError();
        return block;
      }
      block->list.push_back(ParseStatement());
    }
    Advance();
    return block;
  }

  // The end of a simple statement. A closing brace ends one too, and stays.
  void EndStatement() {
    if (Is(Tok::kSemicolon) || Is(Tok::kNewline)) {
      Advance();
      SkipNewlines();
    } else if (!Is(Tok::kRightBrace)) {
      SyntaxError();
    }
  }

  Node* ParseStatement() {
    budget_.CheckStack();
    switch (token_.kind) {
      case Tok::kLeftBrace: {
        Node* const block = ParseBlock();
        SkipNewlines();
        return block;
      }
      case Tok::kSemicolon: {
        Node* const block = New(NodeKind::kBlock);
        Advance();
        SkipNewlines();
        return block;
      }
      case Tok::kIf: return ParseIf();
      case Tok::kWhile: return ParseWhile();
      case Tok::kDo: return ParseDo();
      case Tok::kFor: return ParseFor();
      case Tok::kSwitch: return ParseSwitch();
      default: break;
    }
    Node* const statement = ParseSimple();
    EndStatement();
    return statement;
  }

  Node* ParseCondition() {
    Expect(Tok::kLeftParen);
    Node* const condition = ParseExpression();
    Expect(Tok::kRightParen);
    return condition;
  }

  Node* ParseIf() {
    Node* const node = New(NodeKind::kIf);
    Advance();
    node->a = ParseCondition();
    SkipNewlines();
    node->b = ParseStatement();
    if (Accept(Tok::kElse)) {
      SkipNewlines();
      node->c = ParseStatement();
    }
    return node;
  }

  Node* ParseBody() {
    ++loop_depth_;
    SkipNewlines();
    Node* const body = ParseStatement();
    --loop_depth_;
    return body;
  }

  Node* ParseWhile() {
    Node* const node = New(NodeKind::kWhile);
    Advance();
    node->a = ParseCondition();
    node->b = ParseBody();
    return node;
  }

  Node* ParseDo() {
    Node* const node = New(NodeKind::kDo);
    Advance();
    node->b = ParseBody();
    Expect(Tok::kWhile);
    node->a = ParseCondition();
    EndStatement();
    return node;
  }

  Node* ParseFor() {
    Node* const node = New(NodeKind::kFor);
    Advance();
    Expect(Tok::kLeftParen);
    Node* const init = Is(Tok::kSemicolon) ? nullptr : ParseSimple();
    if (init != nullptr && Is(Tok::kRightParen) && MakeForIn(node, init)) {
      Advance();
      node->c = ParseBody();
      return node;
    }
    node->list = {init, nullptr};
    Expect(Tok::kSemicolon);
    SkipNewlines();
    if (!Is(Tok::kSemicolon)) node->a = ParseExpression();
    Expect(Tok::kSemicolon);
    SkipNewlines();
    if (!Is(Tok::kRightParen)) node->list[1] = ParseSimple();
    Expect(Tok::kRightParen);
    node->b = ParseBody();
    return node;
  }

  // Turns `for (name in array)` around when `init` is just that.
  static bool MakeForIn(Node* node, const Node* init) {
    if (init->kind != NodeKind::kExpression) return false;
    const Node* const in = init->a;
    if (in->kind != NodeKind::kIn || in->in_parens || in->list.size() != 1) return false;
    Node* const variable = in->list[0];
    if (variable->kind != NodeKind::kVariable || variable->in_parens) return false;
    node->kind = NodeKind::kForIn;
    node->a = variable;
    node->b = in->a;
    return true;
  }

  Node* ParseSwitch() {
    Node* const node = New(NodeKind::kSwitch);
    Advance();
    node->a = ParseCondition();
    SkipNewlines();
    Expect(Tok::kLeftBrace);
    SkipNewlines();
    ++switch_depth_;
    bool has_default = false;
    while (!has_failed_ && !Is(Tok::kRightBrace)) {
      Node* const label = New(NodeKind::kCase);
      if (Accept(Tok::kDefault)) {
        if (has_default) Complain(label->place, "duplicate `default' detected in switch body");
        has_default = true;
      } else {
        Expect(Tok::kCase);
        label->a = ParseCaseValue();
        CheckDuplicate(node, label);
      }
      Expect(Tok::kColon);
      SkipNewlines();
      while (!has_failed_ && !Is(Tok::kCase) && !Is(Tok::kDefault) && !Is(Tok::kRightBrace)) {
        label->list.push_back(ParseStatement());
      }
      node->list.push_back(label);
    }
    --switch_depth_;
    Expect(Tok::kRightBrace);
    SkipNewlines();
    return node;
  }

  Node* ParseCaseValue() {
    const bool is_negative = Is(Tok::kMinus);
    const bool has_sign = is_negative || Is(Tok::kPlus);
    if (has_sign) Advance();
    if (has_sign && !Is(Tok::kNumber)) SyntaxError();
    if (Is(Tok::kNumber) || Is(Tok::kString) || Is(Tok::kSlash) || Is(Tok::kDivideAssign) ||
        Is(Tok::kAt)) {
      Node* const value = ParsePrimary();
      if (is_negative) value->number = -value->number;
      return value;
    }
    SyntaxError();
    return New(NodeKind::kNumber);
  }

  void CheckDuplicate(const Node* node, const Node* label) {
    for (const Node* other : node->list) {
      if (other->a == nullptr || other->a->kind != label->a->kind) continue;
      const bool is_number = label->a->kind == NodeKind::kNumber;
      if (is_number ? other->a->number != label->a->number : other->a->text != label->a->text) continue;
      std::string value = label->a->text;
      if (is_number) value = std::to_string(static_cast<int64_t>(label->a->number));
      Complain(label->place, "duplicate case values in switch body: " + value);
    }
  }

  Node* ParseSimple() {
    switch (token_.kind) {
      case Tok::kPrint: return ParsePrint(NodeKind::kPrint);
      case Tok::kPrintf: return ParsePrint(NodeKind::kPrintf);
      case Tok::kNext:
      case Tok::kNextFile: return ParseNext();
      case Tok::kExit: return ParseWithValue(NodeKind::kExit);
      case Tok::kDelete: return ParseDelete();
      case Tok::kReturn:
        if (!in_function_) SyntaxError("`return' used outside function context");
        return ParseWithValue(NodeKind::kReturn);
      case Tok::kBreak:
        if (loop_depth_ + switch_depth_ == 0) {
          Complain(token_.place, "`break' is not allowed outside a loop or switch");
        }
        return NewAndAdvance(NodeKind::kBreak);
      case Tok::kContinue:
        if (loop_depth_ == 0) Complain(token_.place, "`continue' is not allowed outside a loop");
        return NewAndAdvance(NodeKind::kContinue);
      default: break;
    }
    Node* const node = New(NodeKind::kExpression);
    node->a = ParseExpression();
    return node;
  }

  Node* NewAndAdvance(NodeKind kind) {
    Node* const node = New(kind);
    Advance();
    return node;
  }

  Node* ParseNext() {
    const std::string name = token_.text;
    const bool is_file = Is(Tok::kNextFile);
    if (!in_function_ && when_ != Rule::When::kRecord &&
        !(is_file && when_ == Rule::When::kBeginFile)) {
      static constexpr const char* kRules[] = {"BEGIN", "END", "BEGINFILE", "ENDFILE"};
      Complain(token_.place, "`" + name + "' used in " + kRules[static_cast<int>(when_)] + " action");
    }
    return NewAndAdvance(is_file ? NodeKind::kNextFile : NodeKind::kNext);
  }

  bool AtStatementEnd() const {
    return Is(Tok::kSemicolon) || Is(Tok::kNewline) || Is(Tok::kRightBrace) || Is(Tok::kEnd);
  }

  Node* ParseWithValue(NodeKind kind) {
    Node* const node = NewAndAdvance(kind);
    if (!AtStatementEnd()) node->a = ParseExpression();
    return node;
  }

  Node* ParseDelete() {
    Node* const node = NewAndAdvance(NodeKind::kDelete);
    const bool in_parens = Accept(Tok::kLeftParen);
    if (!Is(Tok::kName)) {
      SyntaxError();
      return node;
    }
    node->a = ParseName();
    const Node* base = node->a;
    while (base->kind == NodeKind::kElement) base = base->a;
    if (!base->is_local && (base->slot == kSlotSymtab || base->slot == kSlotFunctab)) {
      Stop(Code::kInvalid, PlaceOf(node->place) + ": fatal: `delete' is not allowed with " + base->text);
    }
    if (in_parens) Expect(Tok::kRightParen);
    return node;
  }

  Node* ParsePrint(NodeKind kind) {
    Node* const node = NewAndAdvance(kind);
    const bool was_redirect = std::exchange(greater_is_redirect_, true);
    group_allowed_ = Is(Tok::kLeftParen);
    if (!AtStatementEnd() && !AtRedirect()) {
      node->list = ParseList();
      if (node->list.size() == 1 && node->list[0]->kind == NodeKind::kGroup) {
        node->list = std::vector<Node*>(node->list[0]->list);
      }
    }
    group_allowed_ = false;
    switch (token_.kind) {
      case Tok::kGreater: node->redirect = Redirect::kFile; break;
      case Tok::kAppend: node->redirect = Redirect::kAppend; break;
      case Tok::kPipe: node->redirect = Redirect::kPipe; break;
      case Tok::kPipeBoth: node->redirect = Redirect::kCoprocess; break;
      default: break;
    }
    if (node->redirect != Redirect::kNone) {
      Advance();
      node->b = ParseConcat();
    }
    greater_is_redirect_ = was_redirect;
    return node;
  }

  bool AtRedirect() const {
    return Is(Tok::kGreater) || Is(Tok::kAppend) || Is(Tok::kPipe) || Is(Tok::kPipeBoth);
  }

  // --- expressions, from the loosest operator to the tightest

  std::vector<Node*> ParseList() {
    std::vector<Node*> list = {ParseExpression()};
    while (Accept(Tok::kComma)) {
      SkipNewlines();
      list.push_back(ParseExpression());
    }
    return list;
  }

  void SkipNewlinesInGnuMode() {
    if (input_.strictness == Strictness::kGnu) SkipNewlines();
  }

  Node* ParseExpression() {
    budget_.CheckStack();
    Node* const condition = ParseOr();
    if (!Is(Tok::kQuestion)) return condition;
    Node* const node = New(NodeKind::kConditional, condition);
    Advance();
    SkipNewlinesInGnuMode();
    node->b = ParseExpression();
    SkipNewlinesInGnuMode();
    Expect(Tok::kColon);
    SkipNewlinesInGnuMode();
    node->c = ParseExpression();
    return node;
  }

  Node* ParseOr() {
    Node* left = ParseAnd();
    while (Is(Tok::kOr)) {
      Node* const node = New(NodeKind::kOr, left);
      Advance();
      SkipNewlines();
      node->b = ParseAnd();
      left = node;
    }
    return left;
  }

  Node* ParseAnd() {
    Node* left = ParseIn();
    while (Is(Tok::kAnd)) {
      Node* const node = New(NodeKind::kAnd, left);
      Advance();
      SkipNewlines();
      node->b = ParseIn();
      left = node;
    }
    return left;
  }

  Node* ParseIn() {
    Node* left = ParseMatch(nullptr);
    while (Is(Tok::kIn)) {
      left = ParseInArray({left});
      left = ParseMatch(left);  // `i in a == 0` compares the answer
    }
    return left;
  }

  Node* ParseInArray(std::vector<Node*> subscripts) {
    Node* const node = NewAndAdvance(NodeKind::kIn);
    node->list = std::move(subscripts);
    if (!Is(Tok::kName)) {
      SyntaxError();
      return node;
    }
    node->a = ParseName();
    return node;
  }

  Node* ParseMatch(Node* left) {
    left = ParseCompare(left);
    while (Is(Tok::kMatch) || Is(Tok::kNoMatch)) {
      if (left->kind == NodeKind::kRegex && !left->in_parens) {
        input_.warnings.push_back(PlaceOf(token_.place) +
                                  ": warning: regular expression on left of `~' or `!~' operator");
      }
      Node* const node = New(NodeKind::kMatch, left);
      node->is_negative = Is(Tok::kNoMatch);
      Advance();
      node->b = ParseCompare(nullptr);
      left = node;
    }
    return left;
  }

  bool AtComparison() const {
    switch (token_.kind) {
      case Tok::kLess:
      case Tok::kLessEqual:
      case Tok::kGreaterEqual:
      case Tok::kEqual:
      case Tok::kNotEqual: return true;
      case Tok::kGreater: return !greater_is_redirect_;
      default: return false;
    }
  }

  Node* ParseCompare(Node* left) {
    if (left == nullptr) left = ParseConcat();
    if (!AtComparison()) return left;
    Node* const node = New(NodeKind::kCompare, left);
    node->op = token_.kind;
    Advance();
    node->b = ParseConcat();
    return node;
  }

  bool AtOperand() const {
    switch (token_.kind) {
      case Tok::kNumber:
      case Tok::kString:
      case Tok::kName:
      case Tok::kCallName:
      case Tok::kBuiltin:
      case Tok::kDollar:
      case Tok::kNot:
      case Tok::kLeftParen:
      case Tok::kIncrement:
      case Tok::kDecrement:
      case Tok::kGetline:
      case Tok::kAt: return true;
      default: return false;
    }
  }

  Node* ParseConcat() {
    Node* left = ParseAdditive(nullptr);
    if (IsAssignment(token_.kind) && IsLvalue(left)) return ParseAssignment(left);
    for (;;) {
      if ((Is(Tok::kPipe) || Is(Tok::kPipeBoth)) && PeekAhead().kind == Tok::kGetline) {
        const bool is_coprocess = Is(Tok::kPipeBoth);
        Advance();
        Node* const getline = NewAndAdvance(NodeKind::kGetline);
        getline->redirect = is_coprocess ? Redirect::kCoprocess : Redirect::kPipe;
        getline->a = ParseOptionalLvalue();
        getline->b = left;
        left = ParseAdditive(getline);
      } else if (AtOperand() || Is(Tok::kDivideAssign)) {  // nothing to assign to: a pattern that starts with =
        Node* const right = ParseAdditive(nullptr);
        if (left->kind != NodeKind::kConcat || left->in_parens) {
          Node* const node = New(NodeKind::kConcat);
          node->list = {left};
          left = node;
        }
        left->list.push_back(right);
      } else {
        return left;
      }
    }
  }

  Node* ParseAssignment(Node* left) {
    budget_.CheckStack();
    Node* const node = New(NodeKind::kAssign, left);
    node->op = token_.kind;
    Advance();
    SkipNewlinesInGnuMode();
    node->b = ParseExpression();
    return node;
  }

  Node* NewArithmetic(Tok op, Node* left, Node* right) {
    if (left->kind == NodeKind::kNumber && right->kind == NodeKind::kNumber) {
      const double a = left->number, b = right->number;
      if ((op == Tok::kSlash || op == Tok::kPercent) && b == 0) {
        Complain(left->place, op == Tok::kSlash ? "division by zero attempted"
                                                : "division by zero attempted in `%'");
        return left;
      }
      Node* const folded = New(NodeKind::kNumber);
      switch (op) {
        case Tok::kPlus: folded->number = a + b; break;
        case Tok::kMinus: folded->number = a - b; break;
        case Tok::kStar: folded->number = a * b; break;
        case Tok::kSlash: folded->number = a / b; break;
        case Tok::kPercent: folded->number = std::fmod(a, b); break;
        default: folded->number = std::pow(a, b); break;
      }
      return folded;
    }
    Node* const node = New(NodeKind::kArithmetic, left, right);
    node->op = op;
    return node;
  }

  // `left` is an operand that was read already, or null.
  Node* ParseAdditive(Node* left) {
    left = ParseMultiplicative(left);
    while (Is(Tok::kPlus) || Is(Tok::kMinus)) {
      const Tok op = token_.kind;
      Advance();
      left = NewArithmetic(op, left, ParseMultiplicative(nullptr));
    }
    return left;
  }

  Node* ParseMultiplicative(Node* left) {
    left = left != nullptr ? ParsePower(left) : ParseUnary();
    while (Is(Tok::kStar) || Is(Tok::kSlash) || Is(Tok::kPercent)) {
      const Tok op = token_.kind;
      Advance();
      left = NewArithmetic(op, left, ParseUnary());
    }
    return left;
  }

  Node* ParseUnary() {
    budget_.CheckStack();
    return ParseSigned([this] { return ParsePower(nullptr); });
  }

  // Signs and negations in front of what `parse` reads.
  template <class F>
  Node* ParseSigned(F parse) {
    NodeKind kind;
    switch (token_.kind) {
      case Tok::kNot: kind = NodeKind::kNot; break;
      case Tok::kMinus: kind = NodeKind::kNegate; break;
      case Tok::kPlus: kind = NodeKind::kPlus; break;
      default: return parse();
    }
    budget_.CheckStack();
    Node* const node = NewAndAdvance(kind);
    Node* const operand = ParseSigned(parse);
    if (operand->kind == NodeKind::kNumber && kind != NodeKind::kNot) {
      Node* const folded = New(NodeKind::kNumber);
      folded->number = kind == NodeKind::kNegate ? -operand->number : operand->number;
      return folded;
    }
    node->a = operand;
    return node;
  }

  Node* ParsePower(Node* base) {
    if (base == nullptr) base = ParsePostfix();
    if (!Is(Tok::kCaret)) return base;
    budget_.CheckStack();
    Advance();
    Node* const exponent = ParseSigned([this] { return ParsePower(nullptr); });
    return NewArithmetic(Tok::kCaret, base, exponent);
  }

  Node* ParsePostfix() {
    Node* const operand = ParsePrimary();
    if (!IsLvalue(operand) || (!Is(Tok::kIncrement) && !Is(Tok::kDecrement))) return operand;
    Node* const node = New(NodeKind::kIncrement, operand);
    node->is_negative = Is(Tok::kDecrement);
    Advance();
    if (operand->kind == NodeKind::kField && IsAssignment(token_.kind)) {
      SyntaxError("cannot assign a value to the result of a field post-increment expression");
    }
    return node;
  }

  Node* ParsePrimary() {
    switch (token_.kind) {
      case Tok::kNumber:
      case Tok::kString: {
        Node* const node = New(Is(Tok::kNumber) ? NodeKind::kNumber : NodeKind::kString);
        node->number = token_.number;
        node->text = std::move(token_.text);
        Advance();
        return node;
      }
      case Tok::kSlash:
      case Tok::kDivideAssign: return ParseRegex(NodeKind::kRegex);
      case Tok::kName: return ParseName();
      case Tok::kCallName: return ParseCall();
      case Tok::kBuiltin: return ParseBuiltin();
      case Tok::kLeftParen: return ParseGroup();
      case Tok::kDollar: return ParseField();
      case Tok::kGetline: return ParseGetline();
      case Tok::kAt: return ParseAt();
      case Tok::kIncrement:
      case Tok::kDecrement: {
        Node* const node = New(NodeKind::kIncrement);
        node->is_prefix = true;
        node->is_negative = Is(Tok::kDecrement);
        Advance();
        if (!Is(Tok::kDollar) && !Is(Tok::kName)) SyntaxError();
        node->a = ParsePrimary();
        return node;
      }
      default: break;
    }
    SyntaxError();
    return New(NodeKind::kNumber);
  }

  Node* ParseRegex(NodeKind kind) {
    Node* const node = New(kind);
    has_ahead_ = false;
    token_ = lexer_.ReadRegex(token_);
    if (Is(Tok::kError)) {
      SyntaxError(lexer_.error());
      return node;
    }
    node->text = std::move(token_.text);
    tree_.escapes.Report(node->text, [&](const std::string& message) {
      input_.warnings.push_back(PlaceOf(token_.place) + ": warning: " + message);
    });
    Advance();
    return node;
  }

  Node* ParseField() {
    budget_.CheckStack();
    Node* const node = NewAndAdvance(NodeKind::kField);
    // Behind a sign the index goes on to what binds tighter than signs: $-i++ is $(-(i++)).
    if (Is(Tok::kMinus) || Is(Tok::kPlus) || Is(Tok::kNot)) {
      node->a = ParseSigned([this] { return ParsePower(nullptr); });
      return node;
    }
    node->a = ParsePrimary();
    if (node->a->kind != NodeKind::kField || !IsLvalue(node->a)) return node;
    if (!Is(Tok::kIncrement) && !Is(Tok::kDecrement)) return node;
    Node* const step = New(NodeKind::kIncrement, node->a);  // the inner $ takes it: $$i++ is $($i++)
    step->is_negative = Is(Tok::kDecrement);
    node->a = step;
    Advance();
    return node;
  }

  // A variable, or an element of it.
  Node* ParseName() {
    Node* node = NewVariable();
    Advance();
    while (Is(Tok::kLeftBracket)) {
      Node* const element = NewAndAdvance(NodeKind::kElement);
      element->a = node;
      element->list = ParseList();
      Expect(Tok::kRightBracket);
      node = element;
    }
    return node;
  }

  std::vector<Node*> ParseArguments() {
    const bool was_redirect = std::exchange(greater_is_redirect_, false);
    std::vector<Node*> list;
    Expect(Tok::kLeftParen);
    if (!Is(Tok::kRightParen)) list = ParseList();
    if (!Is(Tok::kRightParen)) SyntaxError();
    greater_is_redirect_ = was_redirect;
    return list;
  }

  Node* ParseCall() {
    Node* const node = New(NodeKind::kCall);
    node->text = QualifiedName();
    if (FindParameter(node->text) >= 0) {
      Complain(node->place, "attempt to use non-function `" + node->text + "' in function call");
      return node;
    }
    node->slot = FunctionSlot(node->text);
    Advance();
    node->list = ParseArguments();
    Advance();
    return node;
  }

  Node* ParseBuiltin() {
    Node* const node = New(NodeKind::kBuiltin);
    node->builtin = token_.builtin;
    const BuiltinInfo& info = InfoOf(node->builtin);
    Advance();
    if (!Is(Tok::kLeftParen)) {
      if (node->builtin != Builtin::kLength) SyntaxError();
      return node;
    }
    node->list = ParseArguments();
    const int count = static_cast<int>(node->list.size());
    if (count < info.min_arguments || (info.max_arguments >= 0 && count > info.max_arguments)) {
      SyntaxError(std::to_string(count) + " is invalid as number of arguments for " +
                  std::string(info.name));
    }
    Advance();
    return node;
  }

  Node* ParseGroup() {
    budget_.CheckStack();
    const bool may_be_list = std::exchange(group_allowed_, false);
    const bool was_redirect = std::exchange(greater_is_redirect_, false);
    Node* const group = NewAndAdvance(NodeKind::kGroup);
    group->list = ParseList();
    greater_is_redirect_ = was_redirect;
    Expect(Tok::kRightParen);
    if (group->list.size() == 1) {
      Node* const inner = group->list[0];
      inner->in_parens = true;
      return inner;
    }
    if (Is(Tok::kIn)) return ParseInArray(std::move(group->list));
    if (!may_be_list || (!AtStatementEnd() && !AtRedirect())) SyntaxError();
    return group;
  }

  Node* ParseOptionalLvalue() {
    if (Is(Tok::kName)) return ParseName();
    return Is(Tok::kDollar) ? ParseField() : nullptr;
  }

  Node* ParseGetline() {
    Node* const node = NewAndAdvance(NodeKind::kGetline);
    node->a = ParseOptionalLvalue();
    if (Is(Tok::kLess)) {
      Advance();
      node->redirect = Redirect::kFile;
      node->b = ParseAdditive(nullptr);
    } else if (!in_function_ &&
               (when_ == Rule::When::kBeginFile || when_ == Rule::When::kEndFile)) {
      const std::string rule = when_ == Rule::When::kBeginFile ? "BEGINFILE" : "ENDFILE";
      Complain(node->place, "non-redirected `getline' invalid inside `" + rule + "' rule");
    }
    return node;
  }

  Node* ParseAt() {
    Advance();
    if (Is(Tok::kSlash) || Is(Tok::kDivideAssign)) return ParseRegex(NodeKind::kTypedRegex);
    if (!Is(Tok::kCallName)) {
      SyntaxError();
      return New(NodeKind::kNumber);
    }
    Node* const node = New(NodeKind::kIndirectCall);
    node->a = NewVariable();
    Advance();
    node->list = ParseArguments();
    Advance();
    return node;
  }

  ParseInput input_;
  Budget& budget_;
  Lexer lexer_;
  SyntaxTree tree_;
  Token token_;
  Token ahead_;
  bool has_ahead_ = false;

  bool has_failed_ = false;
  Code error_code_ = Code::kSyntax;
  std::string complaint_;

  const std::vector<std::string>* parameters_ = nullptr;
  bool in_function_ = false;
  std::vector<std::string> namespaces_;  // by source
  bool in_parameters_ = false;  // between the parentheses of a function's head
  Rule::When when_ = Rule::When::kRecord;
  int loop_depth_ = 0;
  int switch_depth_ = 0;
  bool greater_is_redirect_ = false;
  bool group_allowed_ = false;
};

}  // namespace

Result<SyntaxTree> Parse(const ParseInput& input, Budget& budget) {
  return Parser(input, budget).Run();
}

}  // namespace paddock::awk
