// Tokens of arithmetic expressions.
#pragma once

#include <cstdint>
#include <string_view>

namespace paddock::shell {

enum class ArithmeticToken : uint8_t {
  kEnd, kNumber, kName, kElement, kError,
  kLeft, kRight, kComma, kQuestion, kColon,
  kAssign, kAssignMultiply, kAssignDivide, kAssignRemainder, kAssignAdd, kAssignSubtract,
  kAssignShiftLeft, kAssignShiftRight, kAssignAnd, kAssignXor, kAssignOr,
  kOrOr, kAndAnd, kOr, kXor, kAnd, kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual,
  kShiftLeft, kShiftRight, kPlus, kMinus, kStar, kSlash, kPercent, kPower,
  kNot, kTilde, kPreIncrement, kPreDecrement, kPostIncrement, kPostDecrement,
};

class ArithmeticLexer {
 public:
  explicit ArithmeticLexer(std::string_view text) : text_(text) { Advance(); }

  ArithmeticToken token() const { return token_; }
  // Where the last token read starts; the end of the text does not move it.
  size_t start() const { return start_; }
  size_t end() const { return at_; }
  int64_t number() const { return number_; }
  // Of kName and kElement.
  std::string_view name() const { return name_; }
  std::string_view subscript() const { return subscript_; }
  void Advance();

  // Of kError: the message, and the end of the text that it shows.
  const char* error() const { return error_; }
  size_t error_end() const { return error_end_; }

 private:
  void ReadNumber();
  void ReadName();
  void ReadOperator();
  bool Take(char byte);
  void Fail(const char* message, size_t shown_end);
  // True when the next thing after blanks starts a name (so that ++ and -- are prefix operators).
  bool IsBeforeName() const;

  std::string_view text_;
  size_t at_ = 0;
  size_t start_ = 0;
  ArithmeticToken token_ = ArithmeticToken::kEnd;
  int64_t number_ = 0;
  std::string_view name_;
  std::string_view subscript_;
  const char* error_ = nullptr;
  size_t error_end_ = 0;
};

// Where the subscript that starts behind the '[' at `open` ends: the offset of its ']', or npos.
size_t FindSubscriptEnd(std::string_view text, size_t open);

}  // namespace paddock::shell
