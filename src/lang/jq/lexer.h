// The words of a jq program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lang/jq/ast.h"

namespace paddock::jq {

enum class Word : uint8_t {
  kEnd,
  kInvalid,
  kName,        // foo, a::b
  kKeyword,     // if, then …: text
  kField,       // .foo: text is foo
  kVariable,    // $foo: text is foo; $__loc__ too
  kFormat,      // @foo
  kNumber,
  kSymbol,      // | // ?// …
  kQuote,       // the start of a string; the parser then asks for its parts
};

struct LexToken {
  Word word = Word::kEnd;
  std::string_view text;
  Span span;
};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  LexToken Next();

  // The literal text of a string from here on, after the quote or the parenthesis of an interpolation.
  // kEnd: the string ends; kInterpolation: an expression follows, up to its parenthesis; kUnfinished; kBadEscape.
  enum class Part { kEnd, kInterpolation, kUnfinished, kBadEscape };
  Part NextPart(std::string& text);
  size_t position() const { return at_; }

 private:
  void SkipSpace();
  LexToken Make(Word word, size_t begin, size_t skip = 0);
  bool ReadNumber();
  void ReadName(bool takes_namespaces);

  // Brackets that are open; one that closes nothing is no word.
  bool Nest(char bracket);

  std::string_view source_;
  size_t at_ = 0;
  std::string open_;
};

bool IsKeyword(std::string_view text);

}  // namespace paddock::jq
