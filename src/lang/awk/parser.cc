#include "lang/awk/parser_parts.h"

#include <algorithm>
#include <utility>

namespace paddock::awk {

Parser::Parser(const ParseInput& input, Budget& budget)
    : input_(input),
      budget_(budget),
      lexer_(input.name, input.sources, input.strictness, input.warnings, budget) {
  for (const std::string_view name : kSpecialNames) GlobalSlot(name);
  tree_.libraries = input.libraries;
}

Result<SyntaxTree> Parser::Run() {
  if (input_.keeps_form) lexer_.KeepComments(&tree_.comments);
  Advance();
  ParseProgram();
  if (!has_failed_) CheckFunctions();
  if (has_failed_) return Error(error_code_, errors_ + complaint_);
  if (!errors_.empty()) {
    errors_.pop_back();   // the end of the line, which the caller adds
    return Error(Code::kSyntax, errors_);
  }
  return std::move(tree_);
}

void Parser::Advance() {
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

void Parser::LetParameterShadow() {
  if (InfoOf(token_.builtin).is_posix || token_.is_qualified) return;
  if (in_parameters_ || FindParameter(token_.text) >= 0) {
    token_.kind = Tok::kName;
  } else if (!Namespace().empty()) {  // where such a name is free
    token_.kind = token_.is_call ? Tok::kCallName : Tok::kName;
  }
}

const std::string& Parser::Namespace() {
  const size_t source = token_.place.source;
  if (source >= namespaces_.size()) namespaces_.resize(source + 1);
  return namespaces_[source];
}

std::string Parser::QualifiedName() {
  const std::string& name = token_.text;
  if (token_.is_qualified || Namespace().empty()) return name;
  const bool is_shared = std::all_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  return is_shared ? name : Namespace() + "::" + name;
}

const Token& Parser::PeekAhead() {
  if (!has_ahead_) {
    ahead_ = lexer_.Next();
    has_ahead_ = true;
  }
  return ahead_;
}

bool Parser::Accept(Tok kind) {
  if (!Is(kind)) return false;
  Advance();
  return true;
}

void Parser::Expect(Tok kind) {
  if (!Accept(kind)) SyntaxError();
}

void Parser::SkipNewlines() {
  while (Is(Tok::kNewline)) Advance();
}

std::string Parser::PlaceOf(Place place) const {
  return input_.name + ": " + PlaceName(input_.sources, place);
}

void Parser::Stop(Code code, std::string complaint) {
  if (!has_failed_) {
    has_failed_ = true;
    error_code_ = code;
    complaint_ = std::move(complaint);
  }
  token_.kind = Tok::kEnd;
}

void Parser::SyntaxError() {
  const bool is_end = Is(Tok::kNewline) || Is(Tok::kEnd);
  SyntaxError(is_end ? "unexpected newline or end of string" : "syntax error");
}

void Parser::SyntaxError(const std::string& message) {
  if (has_failed_) return;
  if (message.starts_with(kReservedIdentifier)) {
    // gawk goes on, and then does not understand what follows.
    Complain(token_.place, message);
    token_ = lexer_.Next();
    return SyntaxError("syntax error");
  }
  if (message == kInvalidNul) return Stop(Code::kInvalid, PlaceOf(token_.place) + ": fatal: " + message);
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

void Parser::Complain(Place place, const std::string& message) {
  if (!has_failed_) errors_ += PlaceOf(place) + ": error: " + message + "\n";
}

Node* Parser::New(NodeKind kind) {
  Node& node = tree_.nodes.emplace_back();
  node.id = static_cast<int>(tree_.nodes.size()) - 1;
  node.kind = kind;
  node.place = token_.place;
  return &node;
}

Node* Parser::New(NodeKind kind, Node* a, Node* b, Node* c) {
  Node* const node = New(kind);
  node->a = a;
  node->b = b;
  node->c = c;
  return node;
}

int Parser::GlobalSlot(std::string_view name) {
  if (const auto found = tree_.global_index.find(name); found != tree_.global_index.end()) {
    return found->second;
  }
  const int slot = static_cast<int>(tree_.globals.size());
  tree_.globals.emplace_back(name);
  tree_.global_index.emplace(name, slot);
  return slot;
}

int Parser::FunctionSlot(const std::string& name) {
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

int Parser::FindParameter(std::string_view name) const {
  if (parameters_ == nullptr) return -1;
  const auto found = std::find(parameters_->begin(), parameters_->end(), name);
  return found == parameters_->end() ? -1 : static_cast<int>(found - parameters_->begin());
}

Node* Parser::NewVariable() {
  Node* const node = New(NodeKind::kVariable);
  const int parameter = token_.is_qualified ? -1 : FindParameter(token_.text);
  node->is_local = parameter >= 0;
  node->text = node->is_local ? token_.text : QualifiedName();
  node->slot = node->is_local ? parameter : GlobalSlot(node->text);
  if (!node->is_local) name_uses_.emplace(node->text, token_.place);
  return node;
}

void Parser::CheckFunctions() {
  for (const FunctionDefinition& function : tree_.functions) {
    if (!function.is_defined) continue;
    for (const std::string& parameter : function.parameters) {
      if (input_.strictness != Strictness::kPosix) break;
      const auto same = tree_.function_index.find(parameter);
      if (same == tree_.function_index.end() || !tree_.functions[static_cast<size_t>(same->second)].is_defined) continue;
      errors_ += input_.name + ": error: function `" + function.name + "': cannot use function `" + parameter + "' as a parameter name\n";
    }
    if (tree_.global_index.count(function.name) != 0) {
      const auto used = name_uses_.find(function.name);
      Complain(used == name_uses_.end() ? function.place : used->second, "function `" + function.name +
                                   "' called with space between name and `(',\nor used as a "
                                   "variable or an array");
    }
  }
}

Result<SyntaxTree> Parse(const ParseInput& input, Budget& budget) { return Parser(input, budget).Run(); }

}  // namespace paddock::awk
