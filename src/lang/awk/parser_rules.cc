#include "lang/awk/parser_parts.h"

#include <algorithm>

namespace paddock::awk {

void Parser::ParseProgram() {
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
    const uint32_t source = token_.place.source;
    last_brace_.source = kNoSource;
    ParseItem();
    if (!has_failed_ && last_brace_.source != source && last_brace_.source != kNoSource) StopIncomplete(source);
  }
}

// A rule or function may not go on in the next file or -e.
void Parser::StopIncomplete(uint32_t source) {
  const std::string& text = input_.sources[source].text;
  const bool is_file = input_.sources[source].name != "cmd. line";
  std::string_view lines = text;
  while (lines.ends_with('\n')) lines.remove_suffix(1);
  const size_t start = lines.rfind('\n') == std::string_view::npos ? 0 : lines.rfind('\n') + 1;
  const auto line = static_cast<uint32_t>(std::count(lines.begin(), lines.end(), '\n') + 1);
  const std::string place = PlaceOf({source, line}) + ": ";
  const size_t width = lines.size() - start;
  const std::string blanks(!is_file ? width : text.ends_with('\n') || width == 0 ? 0 : width - 1, ' ');
  Stop(Code::kSyntax,
       is_file ? place + "(END OF FILE)\n" + place + blanks +
                     "^ source files / command-line arguments must contain complete functions or rules"
               : place + std::string(lines.substr(start)) + "\n" + place + blanks + "^ unexpected newline or end of string");
}

void Parser::ParseItem() {
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
  if (rule.action == nullptr && input_.keeps_form) {  // what it amounts to
    rule.action = New(NodeKind::kBlock);
    rule.action->list.push_back(New(NodeKind::kPrint));
    rule.action->place = rule.action->list[0]->place = rule.place;
    last_brace_ = {kNoSource, token_.place.line};
  }
  AddRule(std::move(rule));
}

void Parser::AddRule(Rule rule) {
  rule.end_line = last_brace_.line;
  rule.space = Namespace();
  tree_.rules.push_back(std::move(rule));
}

void Parser::ParseSpecialRule(Rule::When when) {
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
  AddRule(std::move(rule));
}

void Parser::ParseFunction() {
  const uint32_t start_line = token_.place.line;
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
  if (tree_.functions[static_cast<size_t>(slot)].is_defined || tree_.global_index.contains(name)) {
    Stop(Code::kSyntax, PlaceOf(place) + ": error: function name `" + name + "' previously defined");
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
  function.start_line = start_line;
  function.space = Namespace();
  function.end_line = last_brace_.line;
}

std::vector<std::string> Parser::ParseParameters(const std::string& function) {
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

void Parser::CheckParameter(const std::string& function, const std::string& name,
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

void Parser::ParseNamespace() {
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
  tree_.space_changes.push_back({token_.place, name == "awk" ? "" : name});
  Advance();
  if (!Is(Tok::kNewline) && !Is(Tok::kSemicolon) && !Is(Tok::kEnd)) SyntaxError();
}

void Parser::ParseLoad() {
  Advance();
  if (!Is(Tok::kString)) {
    SyntaxError();
    return;
  }
  const auto library = FindLibrary(token_.text);
  if (!library) {
    Complain(token_.place, "cannot open shared library `" + token_.text + "' for reading: No such file or directory");
    return;
  }
  tree_.inclusions.push_back({token_.text, 0, true});
  Advance();
  if (*library == Library::kTime && (tree_.libraries & BitOf(*library)) == 0) {
    Place place = token_.place;   // gawk loads it when it has read the end of the line
    if (Is(Tok::kNewline)) ++place.line;
    input_.warnings.push_back(PlaceOf(place) + ": warning: " + std::string(kTimeIsObsolete));
  }
  tree_.libraries |= BitOf(*library);
}

void Parser::ParseDirective() {
  Advance();
  const std::string word = token_.text;
  if (word == "namespace") {
    ParseNamespace();
    return;
  }
  if (word == "load") {
    ParseLoad();
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
  if (input_.lints) input_.warnings.push_back(PlaceOf(token_.place) + ": warning: `include' is a gawk extension");
  tree_.inclusions.push_back({path, 0});
  auto text = input_.read_include(path);
  for (const Source& source : input_.sources) {
    if (!text || source.path != text->path) continue;
    const Place place = token_.place;
    Advance();
    const uint32_t line = place.line + (Is(Tok::kNewline) ? 1 : 0);   // gawk has read on
    if (source.is_program) {
      Stop(Code::kInvalid, PlaceOf({place.source, line}) + ": fatal: cannot include `" + path + "' and use it as a program file");
    } else if (input_.lints) {
      input_.warnings.push_back(PlaceOf({place.source, line}) + ": warning: already included source file `" + path + "'");
    }
    return;
  }
  if (!text) {
    Stop(Code::kInvalid, PlaceOf(token_.place) + ": error: cannot open `" + path +
                             "' for reading: " + std::string(text.error().Text()));
    return;
  }
  // The whole rest of the line is behind; the included text starts with a fresh token.
  input_.sources.push_back({path, std::move(text->text), std::move(text->path)});
  tree_.inclusions.back().source = static_cast<uint32_t>(input_.sources.size() - 1);
  lexer_.Include(static_cast<uint32_t>(input_.sources.size() - 1));
  Advance();
}

}  // namespace paddock::awk
