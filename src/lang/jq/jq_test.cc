#include "lang/jq/jq.h"

#include <gtest/gtest.h>

#include "base/fiber.h"
#include "lang/jq/json_reader.h"
#include "lang/jq/json_writer.h"
#include "lang/jq/memory_host.h"
#include "lang/jq/number.h"
#include "lang/jq/order.h"

namespace paddock::jq {
namespace {

struct Outcome {
  std::string out;    // outputs in compact form, one a line
  std::string error;  // of the program or the compiler
  LimitKind stopped = LimitKind::kNone;
};

// Runs `program` on each value of `input`, which comes in pieces of `block` bytes.
Outcome RunProgram(const std::string& program, const std::string& input = "null", size_t block = SIZE_MAX,
            const Limits& limits = {}) {
  Budget budget(limits, SystemClock());
  Outcome outcome;
  // On a fiber, whose stack the budget watches.
  Scheduler scheduler(SystemClock());
  bool is_done = false;
  scheduler.Spawn([&] {
    try {
      MemoryHost host(budget);
      host.modules["lib/m.jq"] = "def f: 41; def g: f + 1;";
      Runner runner(host);
      std::vector<std::string> complaints;
      if (runner.Compile(program, {}, complaints)) {
        size_t at = 0;
        JsonReader reader(
            [&] {
              const std::string_view part = std::string_view(input).substr(at, block);
              at += part.size();
              return part;
            },
            {}, budget);
        for (Value value; reader.Next(value) == JsonReader::Got::kValue;) {
          runner.Start(std::move(value));
          Value output;
          Machine::Got got;
          while ((got = runner.Next(output)) == Machine::Got::kOutput) outcome.out += JsonText(output, budget) + "\n";
          if (got == Machine::Got::kError) outcome.error += JsonText(output, budget);
        }
      } else {
        outcome.error = complaints.front();
      }
    } catch (const Termination& termination) {
      outcome.stopped = termination.limit;
    }
    is_done = true;
  });
  scheduler.RunUntil([&] { return is_done; });
  return outcome;
}

TEST(Jq, ReadsValuesInPiecesOfAnySize) {
  const std::string input = "{\"a\\u00e9\":[1,2.5,\"x\\\"y\",true]} \"\\ud83d\\ude00\" nan 12";
  const std::string whole = RunProgram(".", input).out;
  for (const size_t block : {1u, 2u, 3u, 7u}) EXPECT_EQ(RunProgram(".", input, block).out, whole);
  EXPECT_EQ(RunProgram(".", "\xef\xbb\xbfnull", 3).out, "null\n");
  EXPECT_EQ(whole, "{\"aé\":[1,2.5,\"x\\\"y\",true]}\n\"😀\"\nnull\n12\n");
}

TEST(Jq, NumbersKeepTheirDigitsUntilTheyAreComputedWith) {
  EXPECT_EQ(RunProgram("., . + 0", "100000000000000000001").out, "100000000000000000001\n1e+20\n");
  EXPECT_EQ(RunProgram(".", "1.10 1e1000 -0").out, "1.10\n1E+1000\n-0\n");
}

TEST(Jq, DoublesShowAsTheirShortestText) {
  char buffer[kNumberBytes];
  const auto text = [&](double number) { return std::string(buffer, FormatDouble(number, buffer)); };
  EXPECT_EQ(text(1e17), "1e+17");
  EXPECT_EQ(text(1e-5), "1e-05");
  EXPECT_EQ(text(0.0001), "0.0001");
  EXPECT_EQ(text(123456789012), "123456789012");
  EXPECT_EQ(text(-0.0), "-0");
}

TEST(Jq, RecursionIsBoundedByTheBudgetAndNotByTheStack) {
  EXPECT_EQ(RunProgram("def f: if . > 1000000 then . else . + 1 | f end; 0 | f").out, "1000001\n");
  EXPECT_EQ(RunProgram("def f: if . == 0 then 0 else 1 + (. - 1 | f) end; 200000 | f").out, "200000\n");
  Limits limits;
  limits.steps = 1'000'000;
  EXPECT_EQ(RunProgram("def f: f; f", "null", SIZE_MAX, limits).stopped, LimitKind::kSteps);
}

TEST(Jq, ATailCallTakesNoMemory) {
  Limits limits;
  limits.memory_bytes = 8 << 20;
  EXPECT_EQ(RunProgram("last(0 | recurse(if . < 1000000 then . + 1 else empty end))", "null", SIZE_MAX, limits).out,
            "1000000\n");
  EXPECT_EQ(RunProgram("0 | until(. >= 1000000; . + 1)", "null", SIZE_MAX, limits).out, "1000000\n");
}

TEST(Jq, DeepValuesDieAndCompareWithoutOverflow) {
  EXPECT_NE(RunProgram("reduce range(3000000) as $i (null; [.]) | type").out, "");
  EXPECT_EQ(RunProgram("reduce range(3000000) as $i (null; [.]) | . == .").stopped, LimitKind::kDepth);
}

TEST(Jq, ErrorsBehindATryAreNotCaughtByIt) {
  EXPECT_EQ(RunProgram("try (1, error(\"in\")) catch .").out, "1\n\"in\"\n");
  EXPECT_EQ(RunProgram("(try 1 catch \"caught\") | error(\"out\")").error, "\"out\"");
  EXPECT_EQ(RunProgram("[(1, 2) | try (if . == 1 then error(\"e\") else . end) catch .]").out, "[\"e\",2]\n");
}

TEST(Jq, UpdatesLeaveTheOriginalAlone) {
  EXPECT_EQ(RunProgram(". as $old | .a.b |= 2 | [., $old]", "{\"a\":{\"b\":1}}").out,
            "[{\"a\":{\"b\":2}},{\"a\":{\"b\":1}}]\n");
  EXPECT_EQ(RunProgram("[.[] |= empty], (.[0] += (1, 2))", "[1,2]").out, "[[]]\n[2,2]\n[3,2]\n");
}

TEST(Jq, RemovedKeysComeBackAtTheEnd) {
  EXPECT_EQ(RunProgram("del(.a) | .a = 9 | .b = 8", "{\"a\":1,\"b\":2,\"c\":3}").out, "{\"b\":8,\"c\":3,\"a\":9}\n");
  EXPECT_EQ(RunProgram("reduce range(50) as $i (.; .[\"k\\($i)\"] = $i) | del(.[keys[:49][]]) | .", "{}").out,
            "{\"k9\":9}\n");
}

TEST(Jq, ModulesAreFoundInTheLibrary) {
  EXPECT_EQ(RunProgram("import \"m\" as m; m::g").out, "42\n");
  EXPECT_NE(RunProgram("import \"n\" as m; m::g").error.find("module not found"), std::string::npos);
}

TEST(Jq, LiteralsCompareByTheirDigits) {
  const Value a = ParseNumber("100000000000000000001"), b = ParseNumber("100000000000000000002");
  EXPECT_LT(CompareNumbers(a, b), 0);
  EXPECT_EQ(CompareNumbers(a, ParseNumber("1.00000000000000000001e20")), 0);
  EXPECT_GT(CompareNumbers(ParseNumber("1e2000"), ParseNumber("1e1000")), 0);
}

}  // namespace
}  // namespace paddock::jq
