#include <gtest/gtest.h>

#include "shell/expand/arithmetic.h"
#include "shell/expand/arithmetic_code.h"
#include "shell/expand/arithmetic_lexer.h"

namespace paddock::shell {
namespace {

struct Failure {
  std::string message;
  std::string token;
};

Failure FailureOf(const std::string& text) {
  const auto code = CompileAny(text);
  if (code->error == nullptr) return {};
  return {code->error, code->text.substr(code->error_token, code->error_end - code->error_token)};
}

void ExpectFailure(const std::string& text, const std::string& message, const std::string& token) {
  const Failure failure = FailureOf(text);
  EXPECT_EQ(failure.message, message) << text;
  EXPECT_EQ(failure.token, token) << text;
}

TEST(ArithmeticParser, NamesTheTokenThatBashNames) {
  ExpectFailure("1+", "syntax error: operand expected", "+");
  ExpectFailure("x=5, y=", "syntax error: operand expected", "=");
  ExpectFailure("08+1", "value too great for base", "08");
  ExpectFailure("2#12 + 1", "value too great for base", "2#12");
  ExpectFailure("65#1", "invalid arithmetic base", "65#1");
  ExpectFailure("16#", "invalid integer constant", "16#");
  ExpectFailure("1 2", "syntax error in expression", "2");
  ExpectFailure("1=2", "attempted assignment to non-variable", "=2");
  ExpectFailure("1?2:x=3", "attempted assignment to non-variable", "=3");
  ExpectFailure("1?2", "`:' expected for conditional expression", "2");
  ExpectFailure("1?:2", "expression expected", ":2");
  ExpectFailure("1 @ 2", "syntax error: invalid arithmetic operator", "@ 2");
  ExpectFailure("1,@", "syntax error: operand expected", "@");
  ExpectFailure("x++y", "syntax error in expression", "y");
  ExpectFailure("5++", "syntax error: operand expected", "+");
  ExpectFailure("++x++", "++: assignment requires lvalue", "++");
  ExpectFailure("a[", "bad array subscript", "a[");
}

TEST(ArithmeticParser, CompilesOnlyWhatNeedsNoExpansion) {
  EXPECT_NE(CompileArithmetic("s += i * 2"), nullptr);
  EXPECT_EQ(CompileArithmetic("$x + 1"), nullptr);
  EXPECT_EQ(CompileArithmetic("1 +"), nullptr);
}

TEST(ArithmeticParser, NestingBeyondTheBoundIsNoted) {
  const std::string open(5000, '(');
  EXPECT_TRUE(CompileAny(open + "1")->is_too_deep);
  EXPECT_FALSE(CompileAny("((((1))))")->is_too_deep);
}

TEST(ArithmeticLexer, FindsTheEndOfSubscripts) {
  EXPECT_EQ(FindSubscriptEnd("a[b[1]]+c", 1), 6u);
  EXPECT_EQ(FindSubscriptEnd("a[\\]]", 1), 4u);
  EXPECT_EQ(FindSubscriptEnd("a[\"]\"]", 1), 5u);
  EXPECT_EQ(FindSubscriptEnd("a[1", 1), std::string_view::npos);
}

TEST(Arithmetic, PlainIntegersNeedNoParser) {
  int64_t value = 0;
  EXPECT_TRUE(ParsePlainInteger("-12", &value));
  EXPECT_EQ(value, -12);
  EXPECT_TRUE(ParsePlainInteger("0", &value));
  EXPECT_FALSE(ParsePlainInteger("08", &value));
  EXPECT_FALSE(ParsePlainInteger("1+1", &value));
  EXPECT_FALSE(ParsePlainInteger("", &value));
  EXPECT_FALSE(ParsePlainInteger("-", &value));
}

}  // namespace
}  // namespace paddock::shell
