#include "shell/expand/expander.h"

#include <gtest/gtest.h>

#include "shell/expand/arithmetic.h"
#include "shell/parser/parser.h"
#include "shell/shell_for_test.h"
#include "shell/state/assign.h"
#include "vfs/file_system.h"

namespace paddock::shell {
namespace {

using Fields = std::vector<std::string>;

Fields Expand(Shell& shell, std::string_view text) {
  const auto word = ParseWord(text, shell.parser_options(), shell.budget());
  EXPECT_TRUE(word.has_value()) << text;
  Fields fields;
  if (word) {
    EXPECT_TRUE(ExpandWord(shell, *word, &fields)) << text;
  }
  return fields;
}

TEST(ExpandWord, BracesAreMadeFirst) {
  EXPECT_EQ(WithShell([](Shell& shell) {
              AssignScalar(shell, Name("x"), "1");
              AssignScalar(shell, Name("xa"), "2");
              EXPECT_EQ(Expand(shell, "a{b,c{1..3..2}}d"), (Fields{"abd", "ac1d", "ac3d"}));
              EXPECT_EQ(Expand(shell, "$x{a,b}"), (Fields{"2"}));
              EXPECT_EQ(Expand(shell, "{a},b}"), (Fields{"a}", "b"}));
              EXPECT_EQ(Expand(shell, "{08..10}"), (Fields{"08", "09", "10"}));
              EXPECT_EQ(Expand(shell, "{a..{1..3}}"), (Fields{"{a..{1..3}}"}));
              EXPECT_EQ(Expand(shell, "\"{a,b}\""), (Fields{"{a,b}"}));
            }),
            LimitKind::kNone);
}

TEST(ExpandWord, ProductsOfRangesStopTheExec) {
  EXPECT_NE(WithShell([](Shell& shell) { Expand(shell, "{1..1000000}{1..1000000}"); }), LimitKind::kNone);
}

TEST(ExpandWord, UnquotedResultsSplitAndQuotedOnesDoNot) {
  WithShell([](Shell& shell) {
    AssignScalar(shell, Name("x"), " a  b ");
    EXPECT_EQ(Expand(shell, "$x"), (Fields{"a", "b"}));
    EXPECT_EQ(Expand(shell, "1$x\"2\""), (Fields{"1", "a", "b", "2"}));
    EXPECT_EQ(Expand(shell, "\"$x\""), (Fields{" a  b "}));
    EXPECT_EQ(Expand(shell, "$nothing"), Fields{});
    EXPECT_EQ(Expand(shell, "$nothing\"\""), (Fields{""}));
  });
}

TEST(ExpandWord, ElementsOfListsStayApart) {
  WithShell([](Shell& shell) {
    EXPECT_EQ(Expand(shell, "\"$@\""), Fields{});
    shell.SetPositionals({"a b", "", "c"});
    EXPECT_EQ(Expand(shell, "x\"$@\"y"), (Fields{"xa b", "", "cy"}));
    EXPECT_EQ(Expand(shell, "$@"), (Fields{"a", "b", "c"}));
    EXPECT_EQ(Expand(shell, "\"$*\""), (Fields{"a b  c"}));
    EXPECT_EQ(Expand(shell, "\"${@:2}\""), (Fields{"", "c"}));
  });
}

TEST(ExpandWord, PatternsFindFilesAndStayWithoutAny) {
  WithShell([](Shell& shell) {
    ASSERT_TRUE(vfs::MakeDirectories(shell.files(), "d"));
    for (const char* path : {"b.c", "a.c", ".h.c", "d/x.c"}) ASSERT_TRUE(vfs::WriteFile(shell.files(), path, ""));
    EXPECT_EQ(Expand(shell, "*.c"), (Fields{"a.c", "b.c"}));
    EXPECT_EQ(Expand(shell, "'*'.c"), (Fields{"*.c"}));
    EXPECT_EQ(Expand(shell, "*.h"), (Fields{"*.h"}));
    EXPECT_EQ(Expand(shell, "*/"), (Fields{"d/"}));
    shell.options.Put(ShoptOption::kGlobstar, true);
    EXPECT_EQ(Expand(shell, "**/*.c"), (Fields{"a.c", "b.c", "d/x.c"}));
  });
}

TEST(ExpandWord, FailuresSayWhatEnds) {
  WithShell([](Shell& shell) {
    const auto word = ParseWord("${x?gone}", shell.parser_options(), shell.budget());
    ASSERT_TRUE(word.has_value());
    Fields fields;
    EXPECT_FALSE(ExpandWord(shell, *word, &fields));
    EXPECT_EQ(shell.flow, Flow::kExit);
  });
}

TEST(Arithmetic, ValuesAreExpressionsToo) {
  WithShell([](Shell& shell) {
    AssignScalar(shell, Name("x"), "y + 1");
    AssignScalar(shell, Name("y"), "0x10");
    EXPECT_EQ(EvaluateText(shell, "x * 2"), 34);
    EXPECT_EQ(EvaluateText(shell, "a[y]++ + a[16]"), 1);
    EXPECT_EQ(EvaluateText(shell, "0 && 1 / 0"), 0);
    EXPECT_EQ(EvaluateText(shell, "-9223372036854775807 - 1"), INT64_MIN);
    EXPECT_EQ(EvaluateText(shell, "(1 << 63) / -1"), INT64_MIN);
    EXPECT_EQ(EvaluateText(shell, "1 << 65"), 2);
    EXPECT_EQ(EvaluateText(shell, "2 ** 3 ** 2, -2 ** 2"), 4);
    EXPECT_EQ(EvaluateText(shell, ""), 0);
    EXPECT_EQ(EvaluateText(shell, "1 / 0"), std::nullopt);
  });
}

TEST(Arithmetic, AnErrorKeepsTheEffectsBeforeIt) {
  WithShell([](Shell& shell) {
    EXPECT_EQ(EvaluateText(shell, "x = 5, y ="), std::nullopt);
    EXPECT_EQ(shell.GetOr("x", ""), "5");
  });
}

TEST(Arithmetic, EndlessReferencesAreAnError) {
  EXPECT_EQ(WithShell([](Shell& shell) {
              AssignScalar(shell, Name("a"), "b");
              AssignScalar(shell, Name("b"), "a");
              EXPECT_EQ(EvaluateText(shell, "a"), std::nullopt);
              AssignScalar(shell, Name("c"), "d[c]");
              EXPECT_EQ(EvaluateText(shell, "c"), std::nullopt);
            }),
            LimitKind::kNone);
}

}  // namespace
}  // namespace paddock::shell
