#include "lang/awk/awk.h"

#include <gtest/gtest.h>

#include "base/fiber.h"
#include "lang/awk/array.h"
#include "lang/awk/format.h"
#include "lang/awk/memory_host.h"
#include "lang/awk/number.h"
#include "lang/awk/random.h"

namespace paddock::awk {
namespace {

struct Outcome {
  std::string out, err;
  int status = 0;
  LimitKind stopped = LimitKind::kNone;
};

Outcome RunProgram(const std::string& program, const std::string& input = "", const Limits& limits = {},
            size_t block = SIZE_MAX) {
  Budget budget(limits, SystemClock());
  MemoryHost host(budget, input, block);
  host.files["f"] = "from f\n";
  Outcome outcome;
  const RunOptions options;
  // On a fiber, whose stack the budget watches.
  Scheduler scheduler(SystemClock());
  bool is_done = false;
  scheduler.Spawn([&] {
    try {
      outcome.status = RunAwk({{"cmd. line", program}}, options, host);
    } catch (const Termination& termination) {
      outcome.stopped = termination.limit;
    }
    is_done = true;
  });
  scheduler.RunUntil([&] { return is_done; });
  outcome.out = host.out;
  outcome.err = host.err;
  return outcome;
}

TEST(Awk, RecordsMayComeInPiecesOfAnySize) {
  const std::string input = "one two\nthree four\n\nfive\nsix";
  const char* const programs[] = {
      "{ print NR \": \" $2 }",
      "BEGIN { RS = \"\" } { print NR \": \" NF }",
      "BEGIN { RS = \"[ \\n]+\" } { print $0 \"|\" RT }",
  };
  for (const char* program : programs) {
    const std::string whole = RunProgram(program, input).out;
    for (size_t block = 1; block < 9; ++block) EXPECT_EQ(RunProgram(program, input, {}, block).out, whole) << program;
  }
}

TEST(Awk, EndlessLoopsRunOutOfSteps) {
  Limits limits;
  limits.steps = 100000;
  for (const char* program :
       {"BEGIN { for (;;); }", "BEGIN { while (1) x++ }", "BEGIN { do ; while (1) }",
        "function f() { for (;;) f2() } function f2() {} BEGIN { f() }",
        "BEGIN { while ((getline line < \"f\") >= 0) close(\"f\") }"}) {
    EXPECT_EQ(RunProgram(program, "", limits).stopped, LimitKind::kSteps) << program;
  }
}

TEST(Awk, EndlessGrowthRunsOutOfMemory) {
  Limits limits;
  limits.memory_bytes = 16 << 20;
  for (const char* program :
       {"function f(n) { return f(n + 1) } BEGIN { f(0) }", "BEGIN { for (;;) a[i++] = i }",
        "BEGIN { s = \"x\"; for (;;) s = s s }", "BEGIN { for (;;) s = s \"xxxxxxxxxxxxxxxxxxxxxxxxxxx\" }",
        "BEGIN { printf \"%2000000000d\", 1 }", "BEGIN { printf \"%.*f\", 1e9, 1 }",
        "BEGIN { $1000000000 = 1 }", "BEGIN { NF = 2e9 }",
        "function f(a) { a[1] = 1; f(a[\"x\"]) } BEGIN { f(z) }"}) {
    EXPECT_EQ(RunProgram(program, "", limits).stopped, LimitKind::kMemory) << program;
  }
}

TEST(Awk, DeepNestingEndsCleanly) {
  for (const std::string& piece : {std::string("("), std::string("-"), std::string("!"), std::string("{"),
                                   std::string("$"), std::string("a["), std::string("if (1) "),
                                   std::string("x = "), std::string("1 ? ")}) {
    std::string program = "BEGIN { ";
    for (int i = 0; i < 200000; ++i) program += piece;
    const Outcome outcome = RunProgram(program);
    EXPECT_TRUE(outcome.status == 1 || outcome.stopped != LimitKind::kNone) << piece;
  }
}

TEST(Awk, NestedArraysAreFreedWithoutRecursion) {
  EXPECT_EQ(RunProgram("function f(a, n) { if (n > 0) f(a[\"x\"], n - 1); else a[\"end\"] = 1 } "
                "BEGIN { f(z, 200000); print length(z) }").out,
            "1\n");
}

TEST(Awk, ArraysThatAreDeletedWhileInUseStayValid) {
  EXPECT_EQ(RunProgram("function f(p) { delete a; p[\"k\"] = 1; return length(p) } "
                "BEGIN { a[\"s\"][1] = 1; print f(a[\"s\"]), length(a) }").out,
            "2 0\n");
}

TEST(Awk, ComparisonFunctionsMayContradictThemselves) {
  const Outcome outcome = RunProgram(
      "function odd(i1, v1, i2, v2) { return -1 } "
      "BEGIN { for (i = 0; i < 1000; i++) a[i] = i; print asort(a, b, \"odd\") }");
  EXPECT_EQ(outcome.out, "1000\n");
}

TEST(Awk, ExitInsideAComparisonFunctionEndsTheProgram) {
  const Outcome outcome = RunProgram(
      "function stop(i1, v1, i2, v2) { exit 7 } BEGIN { a[1]; a[2]; a[3]; "
      "n = asort(a, b, \"stop\"); print \"no\" }");
  EXPECT_EQ(outcome.status, 7);
  EXPECT_EQ(outcome.out, "");
}

TEST(Awk, WhatTheHostCannotDoIsFatal) {
  const Outcome outcome = RunProgram("BEGIN { print \"x\"; system(\"ls\") } END { print \"no\" }");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "x\n");
}

TEST(AwkNumber, ReadsTheLongestPrefix) {
  EXPECT_EQ(ParseNumber("12abc").value, 12);
  EXPECT_EQ(ParseNumber("  -1.5e3x").value, -1500);
  EXPECT_EQ(ParseNumber("1e").length, 1u);
  EXPECT_EQ(ParseNumber(".").length, 0u);
  EXPECT_EQ(ParseNumber("0x10").value, 0);
  EXPECT_EQ(ParseNumber("123456789012345678901").value, 123456789012345678901.0);
}

TEST(AwkNumber, LooksNumericNeedsAllOfTheText) {
  double value = 0;
  EXPECT_TRUE(LooksNumeric(" 12 ", value));
  EXPECT_TRUE(LooksNumeric("+inf", value));
  EXPECT_FALSE(LooksNumeric("12a", value));
  EXPECT_FALSE(LooksNumeric("", value));
  EXPECT_FALSE(LooksNumeric("inf", value));
}

TEST(AwkRandom, GivesTheNumbersOfGawk) {
  Random random;
  EXPECT_NEAR(random.Next(), 0.924046, 1e-6);
  EXPECT_NEAR(random.Next(), 0.593909, 1e-6);
  random.Seed(42);
  EXPECT_DOUBLE_EQ(random.Next(), 0.24632032657454306);
}

TEST(AwkArray, ForgetsItsOrderWhenEmptied) {
  Budget budget({}, SystemClock());
  const Value holder = Value::FromArray(Array::Make());
  Array& array = *holder.array();
  array.Set("word", Value::Number(1), budget);
  array.Set(5, Value::Number(2), budget);
  EXPECT_EQ(array.size(), 2u);
  EXPECT_TRUE(array.Remove(ArrayKey("word")));
  EXPECT_TRUE(array.Remove(ArrayKey("5")));
  EXPECT_FALSE(array.Remove(ArrayKey("5")));
  array.Set(3, Value::Number(1), budget);
  array.Set(2, Value::Number(1), budget);
  const std::vector<Value> keys = array.Keys(budget);
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0].ToNumber(), 2);
}

}  // namespace
}  // namespace paddock::awk
