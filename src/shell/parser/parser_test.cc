#include "shell/parser/parser.h"

#include <gtest/gtest.h>

#include <map>

#include "base/clock.h"
#include "shell/ast/printer.h"

namespace paddock::shell {
namespace {

using Kind = WordPart::Kind;

class ParserTest : public testing::Test {
 protected:
  ParserTest() {
    options_.find_alias = [this](std::string_view name) -> const std::string* {
      const auto it = aliases_.find(std::string(name));
      return it == aliases_.end() ? nullptr : &it->second;
    };
  }

  StatementListPtr Parse(std::string_view text) {
    ParsedProgram program = ParseProgram(text, options_, budget_);
    EXPECT_FALSE(program.error.has_value()) << text << ": " << (program.error ? program.error->message : "");
    return program.list;
  }
  // "line: message" of the first error, with the source line in brackets.
  std::string ErrorOf(std::string_view text) {
    const ParsedProgram program = ParseProgram(text, options_, budget_);
    if (!program.error) return "none";
    std::string result = std::to_string(program.error->line) + ": " + program.error->message;
    if (!program.error->source_line.empty()) result += " " + program.error->source_line;
    return result;
  }
  // The only argument behind the command word of "x ARGUMENT".
  Word Argument(std::string_view text) {
    const StatementListPtr list = Parse("x " + std::string(text));
    if (list == nullptr) return {};
    return std::move(const_cast<Word&>(list->items.at(0).statement->simple->words.at(1).word));
  }
  Parameter ParameterOf(std::string_view text) {
    Word word = Argument(text);
    EXPECT_EQ(word.parts.at(0).kind, Kind::kParameter) << text;
    return std::move(*word.parts[0].parameter);
  }
  // What every statement of the text prints as, one after another.
  std::string Printed(std::string_view text) {
    const StatementListPtr list = Parse(text);
    return list == nullptr ? "" : PrintList(*list);
  }

  Budget budget_{Limits{}, SystemClock()};
  ParserOptions options_;
  std::map<std::string, std::string> aliases_;
};

TEST_F(ParserTest, GivesOneCompleteCommandAtATime) {
  Parser parser("a; b\n\nif c\nthen d\nfi\ne )\nf", options_, budget_);
  EXPECT_EQ(parser.Next().list->items.size(), 2u);
  EXPECT_EQ(parser.Next().list->items.size(), 0u);
  EXPECT_EQ(parser.Next().list->items.size(), 1u);
  EXPECT_EQ(parser.line(), 6);
  const Parser::Outcome failed = parser.Next();
  EXPECT_EQ(failed.list, nullptr);
  EXPECT_EQ(failed.error->line, 6);
  EXPECT_EQ(parser.Next().list->items.size(), 1u);
  EXPECT_EQ(parser.Next().list, nullptr);
}

TEST_F(ParserTest, SyntaxErrorsReadAsInBash) {
  EXPECT_EQ(ErrorOf("echo )"), "1: syntax error near unexpected token `)' `echo )'");
  EXPECT_EQ(ErrorOf("a\nb | | c"), "2: syntax error near unexpected token `|' `b | | c'");
  EXPECT_EQ(ErrorOf("while do done"), "1: syntax error near unexpected token `do' `while do done'");
  EXPECT_EQ(ErrorOf("> "), "1: syntax error near unexpected token `newline' `> '");
  EXPECT_EQ(ErrorOf("if true; then"), "2: syntax error: unexpected end of file");
  EXPECT_EQ(ErrorOf("if true\nthen x\n"), "3: syntax error: unexpected end of file");
  EXPECT_EQ(ErrorOf("echo \"abc"), "1: unexpected EOF while looking for matching `\"'");
  EXPECT_EQ(ErrorOf("echo $(abc"), "2: unexpected EOF while looking for matching `)'");
  EXPECT_EQ(ErrorOf("echo ${abc\n\n"), "1: unexpected EOF while looking for matching `}'");
  EXPECT_EQ(ErrorOf("f() echo"), "1: syntax error near unexpected token `echo' `f() echo'");
  EXPECT_EQ(ErrorOf("a | ! b"), "1: syntax error near unexpected token `!' `a | ! b'");
  EXPECT_EQ(ErrorOf("{ :; } x"), "1: syntax error near unexpected token `x' `{ :; } x'");
  EXPECT_EQ(ErrorOf("for ((1;2)) do :; done"), "1: syntax error: arithmetic expression required syntax error: `((1;2))'");
  EXPECT_EQ(ErrorOf("[[ a b ]]"), "1: conditional binary operator expected");
  EXPECT_EQ(ErrorOf("[[ -f ]]"), "1: unexpected argument `]]' to conditional unary operator");
  EXPECT_EQ(ErrorOf("[[ a = b c ]]"), "1: syntax error in conditional expression");
}

TEST_F(ParserTest, ErrorInsideAnArrayDropsOnlyTheLine) {
  const ParsedProgram program = ParseProgram("a=(b (c))", options_, budget_);
  ASSERT_TRUE(program.error.has_value());
  EXPECT_TRUE(program.error->discards_line);
}

TEST_F(ParserTest, InputThatCouldGoOnIsIncomplete) {
  for (const char* text : {"if a", "echo 'x", "a &&", "{ b", "x=$(", "[[ a", "case x in"}) {
    const ParsedProgram program = ParseProgram(text, options_, budget_);
    ASSERT_TRUE(program.error.has_value()) << text;
  }
  EXPECT_TRUE(ParseProgram("if a", options_, budget_).error->is_incomplete);
  EXPECT_FALSE(ParseProgram("fi", options_, budget_).error->is_incomplete);
}

TEST_F(ParserTest, ReservedWordsCountOnlyWhereACommandStarts) {
  EXPECT_EQ(Printed("echo if then }"), "echo if then }");
  EXPECT_EQ(Printed("for in in in; do in=1; done"), "for in in in;\ndo\n    in=1;\ndone");
  EXPECT_EQ(ErrorOf("in"), "1: syntax error near unexpected token `in' `in'");
  EXPECT_EQ(ErrorOf("case x in esac) y;; esac"), "1: syntax error near unexpected token `)' `case x in esac) y;; esac'");
  EXPECT_EQ(ErrorOf("case x in (esac) y;; esac"), "none");
}

TEST_F(ParserTest, DoubleParenthesisMayBeTwoSubshells) {
  EXPECT_EQ(Parse("((1 + 2))")->items[0].statement->kind, Statement::Kind::kArithmetic);
  EXPECT_EQ(Parse("((a); (b))")->items[0].statement->kind, Statement::Kind::kSubshell);
  EXPECT_EQ(Argument("$((1 + (2)))").parts[0].kind, Kind::kArithmetic);
  EXPECT_EQ(Argument("$((a); (b))").parts[0].kind, Kind::kCommand);
}

TEST_F(ParserTest, HereDocumentsFollowTheLine) {
  const StatementListPtr list = Parse("cat <<A; cat <<-'B' | tr\na $x\nA\n\tb $x\n\tB\nend");
  ASSERT_EQ(list->items.size(), 3u);
  const Redirect& first = list->items[0].statement->redirects[0];
  EXPECT_EQ(first.target.source, "a $x\n");
  EXPECT_EQ(first.target.parts[0].kind, Kind::kDoubleQuoted);
  const Redirect& second = list->items[1].statement->children[0]->redirects[0];
  EXPECT_EQ(second.target.plain, "b $x\n");
  EXPECT_TRUE(second.is_quoted);
}

TEST_F(ParserTest, HereDocumentCutOffByTheEndWarns) {
  Parser parser("cat <<EOF\nabc\n", options_, budget_);
  const Parser::Outcome outcome = parser.Next();
  ASSERT_EQ(outcome.warnings.size(), 1u);
  EXPECT_EQ(outcome.warnings[0].line, 2);
  EXPECT_EQ(outcome.warnings[0].message, "here-document at line 1 delimited by end-of-file (wanted `EOF')");
}

TEST_F(ParserTest, AliasesAreReplacedBeforeReservedWordsAreFound) {
  options_.expand_aliases = true;
  aliases_ = {{"b", "for i in"}, {"e", "echo"}, {"foo", "echo "}, {"bar", "baz qux"}, {"ls", "ls -d"},
              {"q", "echo \"x"}, {"two", "u\nv"}};
  EXPECT_EQ(Printed("b 1 2; do e; done"), "for i in 1 2;\ndo\n    echo;\ndone");
  EXPECT_EQ(Printed("foo bar bar"), "echo baz qux bar");
  EXPECT_EQ(Printed("ls /"), "ls -d /");
  EXPECT_EQ(Printed("q y\""), "echo \"x y\"");
  EXPECT_EQ(Printed("\\e; 'e'; x e"), "\\e; 'e'; x e");
  Parser parser("two\nc", options_, budget_);
  EXPECT_EQ(PrintList(*parser.Next().list), "u");
  EXPECT_EQ(PrintList(*parser.Next().list), "v");
  const StatementListPtr last = parser.Next().list;
  EXPECT_EQ(PrintList(*last), "c");
  EXPECT_EQ(last->items[0].statement->line, 2);
}

TEST_F(ParserTest, LinesAreThoseOfBash) {
  EXPECT_EQ(Parse("echo \\\nx")->items[0].statement->line, 2);
  EXPECT_EQ(Parse("x=1 \\\necho")->items[0].statement->line, 1);
  EXPECT_EQ(Parse("(a\n)")->items[0].statement->line, 2);
  EXPECT_EQ(Parse("\nfor x in a\ndo b\ndone")->items[0].statement->line, 2);
}

TEST_F(ParserTest, DeclarationsHaveAssignmentArguments) {
  const StatementListPtr list = Parse("declare -a x=(1 [3]=$y) z=~");
  const auto& words = list->items[0].statement->simple->words;
  ASSERT_EQ(words.size(), 4u);
  EXPECT_EQ(words[1].assignment, nullptr);
  ASSERT_NE(words[2].assignment, nullptr);
  EXPECT_EQ(words[2].assignment->elements.size(), 2u);
  EXPECT_NE(words[2].assignment->elements[1].subscript, nullptr);
  EXPECT_EQ(words[2].word.source, "x=(1 [3]=$y)");
  EXPECT_FALSE(words[3].assignment->is_array);
  EXPECT_NE(ErrorOf("echo x=(1)"), "none");
  EXPECT_EQ(ErrorOf("a[x y]+=1 b=(\n1 # c\n2)"), "none");
}

TEST_F(ParserTest, PlainWordsHaveTheirValueReady) {
  const auto plain = [this](std::string_view text) {
    const Word word = Argument(text);
    return word.is_plain ? word.plain : "not plain";
  };
  EXPECT_EQ(plain("abc"), "abc");
  EXPECT_EQ(plain("a'b c'\\ \"d\""), "ab c d");
  EXPECT_EQ(plain("$'a\\tb'"), "a\tb");
  EXPECT_EQ(plain("\"\""), "");
  EXPECT_EQ(plain("{}"), "{}");
  EXPECT_EQ(plain("["), "[");
  EXPECT_EQ(plain("]"), "]");
  EXPECT_EQ(plain("a~"), "a~");
  EXPECT_EQ(plain("\\*'?'"), "*?");
  for (const char* text : {"*", "a?", "[a]", "~", "a=~", "x:~", "{a,b}", "{1..3}", "$x", "\"$x\"", "`x`", "<(x)"}) {
    EXPECT_EQ(plain(text), "not plain") << text;
  }
}

TEST_F(ParserTest, BracesAreMarkedWhereTheyMayExpand) {
  EXPECT_TRUE(Argument("a{b,$c}").has_braces);
  EXPECT_TRUE(Argument("{1..3}").has_braces);
  EXPECT_FALSE(Argument("{a}").has_braces);
  EXPECT_FALSE(Argument("'{a,b}'").has_braces);
  EXPECT_FALSE(Argument("${a,b}").has_braces);
}

TEST_F(ParserTest, ParametersAreTakenApart) {
  struct Case {
    const char* text;
    ParameterOp op;
    const char* name;
  };
  const Case cases[] = {
      {"$x", ParameterOp::kNone, "x"},           {"$10", ParameterOp::kNone, "1"},
      {"${10}", ParameterOp::kNone, "10"},       {"${#}", ParameterOp::kNone, "#"},
      {"${#x}", ParameterOp::kLength, "x"},      {"${##}", ParameterOp::kLength, "#"},
      {"${#-}", ParameterOp::kLength, "-"},      {"${##x}", ParameterOp::kRemovePrefix, "#"},
      {"${#-x}", ParameterOp::kDefault, "#"},    {"${!x}", ParameterOp::kIndirect, "x"},
      {"${!x*}", ParameterOp::kPrefixNames, "x"}, {"${!x[@]}", ParameterOp::kKeys, "x"},
      {"${!}", ParameterOp::kNone, "!"},         {"${!-x}", ParameterOp::kDefault, "!"},
      {"${!#}", ParameterOp::kIndirect, "#"},    {"${!x:-y}", ParameterOp::kDefault, "x"},
      {"${x:-y}", ParameterOp::kDefault, "x"},   {"${x: -1}", ParameterOp::kSubstring, "x"},
      {"${@:1}", ParameterOp::kSubstring, "@"},  {"${x//a/b}", ParameterOp::kReplaceAll, "x"},
      {"${x/#a/b}", ParameterOp::kReplacePrefix, "x"}, {"${x^^}", ParameterOp::kUpperAll, "x"},
      {"${x,}", ParameterOp::kLowerFirst, "x"},  {"${x@Q}", ParameterOp::kTransform, "x"},
      {"${x%%y}", ParameterOp::kRemoveLongSuffix, "x"}, {"${x y}", ParameterOp::kBad, "x"},
      {"${ x}", ParameterOp::kBad, ""},          {"${x@1}", ParameterOp::kBad, "x"},
      {"${#x:-y}", ParameterOp::kBad, "x"},      {"${}", ParameterOp::kBad, ""},
  };
  for (const Case& c : cases) {
    const Parameter parameter = ParameterOf(c.text);
    EXPECT_EQ(parameter.op, c.op) << c.text;
    EXPECT_EQ(parameter.name.text, c.name) << c.text;
    if (c.text[1] == '{') {
      EXPECT_EQ(parameter.source, c.text);
    }
  }
}

TEST_F(ParserTest, OperandsFollowTheQuotesAround) {
  EXPECT_EQ(ParameterOf("${x:-'a'}").word->plain, "a");
  const Word quoted = Argument("\"${x:-'a'}\"");
  EXPECT_EQ(quoted.parts[0].parts[0].parameter->word->plain, "'a'");
  const Word pattern = Argument("\"${x#'a'}\"");
  EXPECT_EQ(pattern.parts[0].parts[0].parameter->word->plain, "a");
  const Parameter slash = ParameterOf("${x////-}");
  EXPECT_EQ(slash.word->plain, "/");
  EXPECT_EQ(slash.word2->plain, "-");
  const Parameter ternary = ParameterOf("${x:1?2:3:4}");
  EXPECT_EQ(ternary.word->plain, "1?2:3");
  EXPECT_EQ(ternary.word2->plain, "4");
}

TEST_F(ParserTest, ConditionsKeepQuotedRegexTextApart) {
  const StatementListPtr list = Parse("[[ $a =~ ^(b c|\"d.\")+$ && -z x ]]");
  const Condition& both = *list->items[0].statement->test;
  ASSERT_EQ(both.kind, Condition::Kind::kAnd);
  const Word& regex = both.left->word2;
  ASSERT_EQ(regex.parts.size(), 3u);
  EXPECT_EQ(regex.parts[0].text, "^(b c|");
  EXPECT_EQ(regex.parts[1].kind, Kind::kDoubleQuoted);
  EXPECT_EQ(regex.parts[2].text, ")+$");
}

TEST_F(ParserTest, ExtendedPatternsNeedTheOptionOutsideConditions) {
  EXPECT_NE(ErrorOf("echo @(a|b)"), "none");
  EXPECT_EQ(ErrorOf("[[ x == @(a|b c) ]]"), "none");
  options_.extglob = true;
  const Word word = Argument("a@(b|c d)e");
  ASSERT_EQ(word.parts.size(), 3u);
  EXPECT_EQ(word.parts[1].kind, Kind::kExtglob);
  EXPECT_EQ(word.parts[1].text, "@(");
  EXPECT_EQ(word.parts[1].parts[0].text, "b|c d)");
}

TEST_F(ParserTest, AnsiEscapesDecode) {
  EXPECT_EQ(DecodeAnsiC("a\\n\\x41\\101\\u00e9\\cA\\'\\q"), "a\nAA\xc3\xa9\x01'\\q");
  EXPECT_EQ(DecodeAnsiC("a\\0b"), "a");
  EXPECT_EQ(DecodeAnsiC("\\x{263a}z"), ":z");
}

TEST_F(ParserTest, RunTimePiecesParseAlone) {
  EXPECT_EQ(ParseWord("a b$c", options_, budget_)->parts.size(), 2u);
  EXPECT_EQ(ParseDoubleQuoted("a\"b'$c", options_, budget_)->parts[0].parts[0].text, "a\"b'");
  EXPECT_EQ(ParseAssignment("a[1]=b c", options_, budget_)->subscript->plain, "1");
  EXPECT_EQ(ParseAssignment("(a b)", options_, budget_)->elements.size(), 2u);
  EXPECT_FALSE(ParseAssignment("1a=b", options_, budget_).has_value());
}

TEST_F(ParserTest, EndlessNestingEndsTheExec) {
  for (const char* piece : {"$(", "{ ", "${a:-", "\"$(", "if ", "((a $(", "a=($(", "f() { ", "a && ", "<<E $("}) {
    std::string text;
    for (int i = 0; i < 100'000; ++i) text += piece;
    Budget budget(Limits{}, SystemClock());
    EXPECT_THROW((void)ParseProgram(text, options_, budget), Termination) << piece;
    EXPECT_EQ(budget.stopped_by(), LimitKind::kDepth) << piece;
  }
}

}  // namespace
}  // namespace paddock::shell
